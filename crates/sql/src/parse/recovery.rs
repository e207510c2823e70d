//! What is wrong behind the first syntax error of a batch: statements begin again at a later token, and a further error is told once three tokens
//! have been taken since the one before it, as parsers do that tables drive.

use super::{K, Parser, T};
use crate::lex::{Lexer, Token};
use ::types::SqlError;

/// Tokens that have been taken since the error before.
const TAKEN_MIN: usize = 3;

/// Errors told at most: a long text that is no SQL at all has one at each third token.
const TOLD_MAX: usize = 100;

/// Errors of other numbers are the last.
fn is_of_syntax(error: &SqlError) -> bool {
    matches!(error.number, 102 | 156 | 319)
}

impl<'a> Parser<'a> {
    /// The syntax errors behind the first one, which is at the current token.
    #[cold]
    pub(super) fn further_errors(&self, first: &SqlError) -> Vec<SqlError> {
        let mut errors = Vec::new();
        let (mut at, mut number) = (self.token, first.number);
        if !is_of_syntax(first) {
            return errors;
        }
        loop {
            // WITH begins a statement, which the one before it does not end for.
            if at.keyword == K::WITH {
                if number != 319 {
                    errors.push(self.with_needs_terminator(at));
                }
                at = self.behind(at);
            }
            let Some((error, token)) = self.next_error(at).filter(|_| errors.len() < TOLD_MAX) else { return errors };
            (at, number) = (token, error.number);
            errors.push(error);
        }
    }

    /// The first error that is far enough behind the one before, with its token. Statements begin at `from`, or behind each error that is not.
    fn next_error(&self, mut from: Token) -> Option<(SqlError, Token)> {
        while from.kind != T::End {
            let mut parser = self.resumed(from);
            let error = parser.statements(|parser| parser.at(T::End)).err()?;
            let at = parser.token;
            if self.is_far(from, at) {
                return is_of_syntax(&error).then_some((error, at));
            }
            from = self.behind(at);
        }
        None
    }

    /// One that goes on at the token, with the session's options and what is around the statement.
    fn resumed(&self, from: Token) -> Parser<'a> {
        let lexer = Lexer::at(self.text, from.start as usize, from.line);
        let mut parser = Parser::with_lexer(lexer, self.text, self.quoted_identifier);
        (parser.first, parser.loops, parser.returns) = (false, self.loops, self.returns);
        parser
    }

    fn behind(&self, token: Token) -> Token {
        let mut lexer = Lexer::at(self.text, token.start as usize, token.line);
        lexer.next_token();
        lexer.next_token()
    }

    fn is_far(&self, from: Token, to: Token) -> bool {
        let mut lexer = Lexer::at(self.text, from.start as usize, from.line);
        (0..TAKEN_MIN).all(|_| {
            let token = lexer.next_token();
            token.kind != T::End && token.start < to.start
        })
    }
}
