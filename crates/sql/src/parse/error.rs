//! SQL Server's words for what does not parse.

use super::{Parser, T};
use crate::lex::{Token, unquote};
use ::types::{SqlError, sql_error};

/// Characters of the text that a message repeats.
const QUOTE_MAX: usize = 128;

fn cut(text: &str) -> &str {
    text.char_indices().nth(QUOTE_MAX).map_or(text, |(end, _)| &text[..end])
}

impl Parser<'_> {
    /// The current token may not stand here.
    #[cold]
    pub(super) fn unexpected(&self) -> SqlError {
        self.unexpected_token(self.token)
    }

    /// The message for `token`: 102, 156 for a reserved word; at the end of the text the last token is named, always by 102.
    #[cold]
    pub(super) fn unexpected_token(&self, token: Token) -> SqlError {
        match token.kind {
            T::End => self.near(self.previous.line, &self.shown(self.previous)),
            T::UnclosedString | T::UnclosedQuote => sql_error!(105, self.shown(token)).at_line(token.line),
            T::UnclosedComment => sql_error!(113).at_line(self.last_line(token)),
            T::Word if token.keyword.is_reserved() => sql_error!(156, self.token_text(token)).at_line(token.line),
            _ => self.near(token.line, &self.shown(token)),
        }
    }

    /// Of the text, which the token goes on to the end of.
    fn last_line(&self, token: Token) -> u32 {
        let lines = self.text.as_bytes()[token.start as usize..].iter().filter(|byte| **byte == b'\n').count();
        token.line + lines as u32
    }

    pub(super) fn near(&self, line: u32, what: &str) -> SqlError {
        sql_error!(102, what).at_line(line)
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

    /// The statement before a WITH that begins one is not terminated.
    #[cold]
    pub(super) fn with_needs_terminator(&self, token: Token) -> SqlError {
        sql_error!(319).at_line(token.line)
    }

    /// All that is told about `error`: an unclosed quote is also a syntax error near it, and a module's errors name
    /// the module.
    pub(super) fn errors_with(&self, error: SqlError, further: Vec<SqlError>) -> Vec<SqlError> {
        let mut errors = vec![error];
        if errors[0].number == 105 {
            let shown = self.token.kind;
            if matches!(shown, T::UnclosedString | T::UnclosedQuote) {
                errors.push(self.near(self.token.line, &self.shown(self.token)));
            }
        }
        errors.into_iter().chain(further).map(|error| error.in_procedure(&self.module)).collect()
    }

    #[cold]
    pub(super) fn nested_too_deeply(&self) -> SqlError {
        sql_error!(191).at_line(self.token.line)
    }

    /// A value stands where a condition is wanted; `near` is what follows it.
    #[cold]
    pub(super) fn not_a_condition(&self) -> SqlError {
        let token = if self.at(T::End) { self.previous } else { self.token };
        sql_error!(4145, self.shown(token)).at_line(token.line)
    }

    pub(super) fn not_an_option(&self, token: Token, of: &str) -> SqlError {
        sql_error!(155, self.shown(token), of).at_line(token.line)
    }

    pub(super) fn must_be_first(&self, statement: &str, line: u32) -> SqlError {
        // The state tells them apart.
        let state = match statement {
            "CREATE FUNCTION" => 4,
            "ALTER FUNCTION" => 5,
            "CREATE TRIGGER" => 6,
            "ALTER TRIGGER" => 7,
            "CREATE VIEW" => 9,
            "ALTER VIEW" => 10,
            "CREATE RULE" => 12,
            "CREATE DEFAULT" => 13,
            "CREATE SCHEMA" => 14,
            _ => 1,
        };
        sql_error!(111, state state, statement).at_line(line)
    }

    pub(super) fn missing_name(&self, line: u32) -> SqlError {
        sql_error!(1038, state 5).at_line(line)
    }

    pub(super) fn old_table_hint(&self, token: Token) -> SqlError {
        sql_error!(1018, self.shown(token)).at_line(token.line)
    }
}
