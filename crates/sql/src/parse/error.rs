//! SQL Server's words for what does not parse.

use super::{Parser, T};
use crate::keyword::Keyword as K;
use crate::lex::{Token, unquote};
use ::types::SqlError;

/// Characters of the text that a message repeats.
const QUOTE_MAX: usize = 128;

fn cut(text: &str) -> &str {
    text.char_indices().nth(QUOTE_MAX).map_or(text, |(end, _)| &text[..end])
}

impl Parser<'_> {
    pub(super) fn error(&self, number: i32, line: u32, text: impl Into<String>) -> SqlError {
        SqlError::new(number, 15, text).at_line(line)
    }

    pub(super) fn error_state(&self, number: i32, state: u8, line: u32, text: impl Into<String>) -> SqlError {
        SqlError::with_state(number, 15, state, text).at_line(line)
    }

    /// The current token may not stand here.
    #[cold]
    pub(super) fn unexpected(&self) -> SqlError {
        self.unexpected_token(self.token)
    }

    /// The message for `token`: 102, 156 for a reserved word, 319 for WITH; at the end of the text the last token is
    /// named, always by 102.
    #[cold]
    pub(super) fn unexpected_token(&self, token: Token) -> SqlError {
        match token.kind {
            T::End => self.near(self.previous.line, &self.shown(self.previous)),
            T::UnclosedString | T::UnclosedQuote => {
                let text = format!("Unclosed quotation mark after the character string '{}'.", self.shown(token));
                self.error(105, token.line, text)
            }
            T::UnclosedComment => self.error(113, token.line, "Missing end comment mark '*/'."),
            T::Word if token.keyword == K::WITH => self.with_needs_terminator(token),
            T::Word if token.keyword.is_reserved() => {
                let text = format!("Incorrect syntax near the keyword '{}'.", self.token_text(token));
                self.error(156, token.line, text)
            }
            _ => self.near(token.line, &self.shown(token)),
        }
    }

    pub(super) fn near(&self, line: u32, what: &str) -> SqlError {
        self.error(102, line, format!("Incorrect syntax near '{what}'."))
    }

    /// A token as messages show it: without its quotes.
    pub(super) fn shown(&self, token: Token) -> String {
        let text = self.token_text(token);
        match token.kind {
            T::String | T::NationalString | T::Bracketed | T::DoubleQuoted | T::UnclosedString | T::UnclosedQuote => {
                cut(&unquote(text)).into()
            }
            _ => cut(text).into(),
        }
    }

    fn with_needs_terminator(&self, token: Token) -> SqlError {
        let text = "Incorrect syntax near the keyword 'with'. If this statement is a common table expression, \
             an xmlnamespaces clause or a change tracking context clause, the previous statement must be terminated \
             with a semicolon.";
        self.error(319, token.line, text)
    }

    /// All that is told about `error`: an unclosed quote is also a syntax error near it, and a module's errors name
    /// the module.
    pub(super) fn errors_with(&self, error: SqlError) -> Vec<SqlError> {
        let mut errors = vec![error];
        if errors[0].number == 105 {
            let shown = self.token.kind;
            if matches!(shown, T::UnclosedString | T::UnclosedQuote) {
                errors.push(self.near(self.token.line, &self.shown(self.token)));
            }
        }
        errors.into_iter().map(|error| error.in_procedure(&self.module)).collect()
    }

    #[cold]
    pub(super) fn nested_too_deeply(&self) -> SqlError {
        let text = "Some part of your SQL statement is nested too deeply. Rewrite the query or break it up into \
             smaller queries.";
        self.error(191, self.token.line, text)
    }

    /// A value stands where a condition is wanted; `near` is what follows it.
    #[cold]
    pub(super) fn not_a_condition(&self) -> SqlError {
        let token = if self.at(T::End) { self.previous } else { self.token };
        let text = format!(
            "An expression of non-boolean type specified in a context where a condition is expected, near '{}'.",
            self.shown(token)
        );
        self.error(4145, token.line, text)
    }

    pub(super) fn not_an_option(&self, token: Token, of: &str) -> SqlError {
        self.error(155, token.line, format!("'{}' is not a recognized {of} option.", self.shown(token)))
    }

    pub(super) fn must_be_first(&self, statement: &str, line: u32) -> SqlError {
        self.error(111, line, format!("'{statement}' must be the first statement in a query batch."))
    }

    pub(super) fn missing_name(&self, line: u32) -> SqlError {
        let text = "An object or column name is missing or empty. For SELECT INTO statements, verify each column has \
             a name. For other statements, look for empty alias names. Aliases defined as \"\" or [] are not allowed. \
             Change the alias to a valid name.";
        self.error_state(1038, 5, line, text)
    }

    pub(super) fn old_table_hint(&self, token: Token) -> SqlError {
        let text = format!(
            "Incorrect syntax near '{}'. If this is intended as a part of a table hint, A WITH keyword and \
             parenthesis are now required. See SQL Server Books Online for proper syntax.",
            self.shown(token)
        );
        self.error(1018, token.line, text)
    }
}
