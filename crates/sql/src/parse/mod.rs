//! Text to tree by recursive descent. One token is looked at, up to three ahead; nothing is parsed twice but behind an error.
//!
//! What must hold: recursion passes through `nested`, which counts it, so no text overflows a fiber's stack; a list
//! of any length is a loop.

mod alter;
mod audit;
mod call;
mod certificate;
mod control;
mod create;
mod cursor;
mod database;
mod dml;
mod error;
mod execute;
mod from;
mod index;
mod literal;
mod merge;
mod module;
mod name;
mod expr;
mod permission;
mod query;
mod recovery;
mod security;
mod security_policy;
mod server;
mod set;
mod settings;
mod statement;
mod table;
mod types;
mod window;
#[cfg(test)]
mod tests;

use crate::ast::{Batch, DataType, Parameter, Span};
use crate::keyword::Keyword as K;
use crate::lex::{Lexer, Token, TokenKind as T};
use ::types::SqlError;

/// Levels of nesting in one batch: parentheses, calls, subqueries, blocks. So few that a parse stays below half of a fiber's 256 KB.
const NESTING_MAX: u32 = 200;

/// Tokens that can be seen behind the current one.
const AHEAD: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseOptions {
    /// What the session has set; a SET in the text changes it from there on.
    pub quoted_identifier: bool,
}

impl Default for ParseOptions {
    fn default() -> Self {
        ParseOptions { quoted_identifier: true }
    }
}

/// A whole batch. The errors are at least one, in the order SQL Server sends them, with lines.
pub fn parse_batch(text: &str, options: &ParseOptions) -> Result<Batch, Vec<SqlError>> {
    let mut parser = Parser::new(text, options);
    match parser.batch() {
        Ok(batch) => Ok(batch),
        Err(error) => {
            let further = parser.further_errors(&error);
            Err(parser.errors_with(error, further))
        }
    }
}

/// The declarations that `sp_executesql` takes: `@a int, @b nvarchar(10) = N'x' OUTPUT`. Empty text: none.
pub fn parse_parameter_declarations(text: &str) -> Result<Vec<Parameter>, Vec<SqlError>> {
    whole(text, |parser| if parser.at(T::End) { Ok(Vec::new()) } else { parser.parameters() })
}

/// `nvarchar(10)`, `dbo.phone`.
pub fn parse_type(text: &str) -> Result<DataType, Vec<SqlError>> {
    whole(text, Parser::data_type)
}

fn whole<'a, R>(text: &'a str, part: impl FnOnce(&mut Parser<'a>) -> P<R>) -> Result<R, Vec<SqlError>> {
    let mut parser = Parser::new(text, &ParseOptions::default());
    let result =
        part(&mut parser).and_then(|value| if parser.at(T::End) { Ok(value) } else { Err(parser.unexpected()) });
    result.map_err(|error| parser.errors_with(error, Vec::new()))
}

type P<R> = Result<R, SqlError>;

/// What RETURN may carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReturnRule {
    /// Batches, triggers and table functions: nothing.
    Bare,
    /// Procedures: perhaps a number.
    Optional,
    /// Scalar functions: a value.
    Required,
}

/// A label, or a GOTO.
struct Jump {
    label: Box<str>,
    line: u32,
    trials: Box<[u32]>,
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    token: Token,
    ahead: [Token; AHEAD],
    ahead_count: usize,
    /// The token before the current one.
    previous: Token,
    quoted_identifier: bool,
    depth: u32,
    /// WHILE loops around the current statement.
    loops: u32,
    returns: ReturnRule,
    labels: Vec<Jump>,
    gotos: Vec<Jump>,
    /// TRY and CATCH blocks around the current statement, by number.
    trials: Vec<u32>,
    trial_count: u32,
    /// The procedure, function or trigger being created; errors name it.
    module: Box<str>,
    /// True until the batch has had a statement.
    first: bool,
    /// False within the definition of a table type or variable.
    foreign_keys: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, options: &ParseOptions) -> Parser<'a> {
        Parser::with_lexer(Lexer::new(text), text, options.quoted_identifier)
    }

    fn with_lexer(mut lexer: Lexer<'a>, text: &'a str, quoted_identifier: bool) -> Parser<'a> {
        let token = lexer.next_token();
        let previous = Token { kind: T::End, keyword: K::NONE_, start: 0, end: 0, line: 1 };
        Parser {
            text,
            lexer,
            token,
            ahead: [previous; AHEAD],
            ahead_count: 0,
            previous,
            quoted_identifier,
            depth: 0,
            loops: 0,
            returns: ReturnRule::Bare,
            labels: Vec::new(),
            gotos: Vec::new(),
            trials: Vec::new(),
            trial_count: 0,
            module: "".into(),
            first: true,
            foreign_keys: true,
        }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    fn bump(&mut self) {
        ::types::plant!();
        self.previous = self.token;
        if self.ahead_count == 0 {
            self.token = self.lexer.next_token();
        } else {
            self.token = self.ahead[0];
            self.ahead_count -= 1;
            self.ahead.copy_within(1.., 0);
        }
    }

    /// The token `distance` (1 to 3) behind the current one.
    fn peek(&mut self, distance: usize) -> Token {
        while self.ahead_count < distance {
            self.ahead[self.ahead_count] = self.lexer.next_token();
            self.ahead_count += 1;
        }
        self.ahead[distance - 1]
    }

    fn kind(&self) -> T {
        self.token.kind
    }

    fn keyword(&self) -> K {
        self.token.keyword
    }

    fn at(&self, kind: T) -> bool {
        self.token.kind == kind
    }

    fn at_word(&self, keyword: K) -> bool {
        self.token.keyword == keyword
    }

    fn at_any(&self, keywords: &[K]) -> bool {
        self.token.kind == T::Word && keywords.contains(&self.token.keyword)
    }

    /// A word that is not in the keyword table; `word` in capitals.
    fn at_text(&self, word: &str) -> bool {
        self.token.kind == T::Word && self.token_text(self.token).eq_ignore_ascii_case(word)
    }

    fn peek_is(&mut self, distance: usize, kind: T) -> bool {
        self.peek(distance).kind == kind
    }

    fn peek_word(&mut self, distance: usize, keyword: K) -> bool {
        self.peek(distance).keyword == keyword
    }

    #[cfg_attr(debug_assertions, track_caller)]
    fn eat(&mut self, kind: T) -> bool {
        ::types::plant!();
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    #[cfg_attr(debug_assertions, track_caller)]
    fn eat_word(&mut self, keyword: K) -> bool {
        ::types::plant!();
        let found = self.at_word(keyword);
        if found {
            self.bump();
        }
        found
    }

    fn eat_text(&mut self, word: &str) -> bool {
        let found = self.at_text(word);
        if found {
            self.bump();
        }
        found
    }

    /// Both words or none.
    fn eat_words(&mut self, first: K, second: K) -> bool {
        let found = self.at_word(first) && self.peek_word(1, second);
        if found {
            self.bump();
            self.bump();
        }
        found
    }

    #[cfg_attr(debug_assertions, track_caller)]
    fn expect(&mut self, kind: T) -> P<()> {
        ::types::plant!();
        if self.eat(kind) { Ok(()) } else { Err(self.unexpected()) }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    fn expect_word(&mut self, keyword: K) -> P<()> {
        ::types::plant!();
        if self.eat_word(keyword) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn expect_text(&mut self, word: &str) -> P<()> {
        if self.eat_text(word) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn token_text(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// From `start` to the end of the token before the current one.
    fn span_from(&self, start: u32) -> Span {
        Span { start, end: self.previous.end.max(start) }
    }

    /// The current token as it is written, consumed.
    fn written_word(&mut self) -> Box<str> {
        let word = self.token_text(self.token).into();
        self.bump();
        word
    }

    /// The current token in capitals, consumed.
    fn upper_word(&mut self) -> Box<str> {
        let word = match self.keyword() {
            K::NONE_ => self.token_text(self.token).to_ascii_uppercase().into(),
            keyword => keyword.text().into(),
        };
        self.bump();
        word
    }

    /// One level deeper. After an error the depth no longer matters.
    #[cfg_attr(debug_assertions, track_caller)]
    fn nested<R>(&mut self, part: impl FnOnce(&mut Self) -> P<R>) -> P<R> {
        ::types::plant!();
        self.enter()?;
        let result = part(self);
        self.depth -= 1;
        result
    }

    fn enter(&mut self) -> P<()> {
        self.depth += 1;
        if self.depth > NESTING_MAX { Err(self.nested_too_deeply()) } else { Ok(()) }
    }

    /// One or more, with commas between.
    #[cfg_attr(debug_assertions, track_caller)]
    fn list<R>(&mut self, mut item: impl FnMut(&mut Self) -> P<R>) -> P<Vec<R>> {
        ::types::plant!();
        let mut items = vec![item(self)?];
        while self.eat(T::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `(a, b, c)`, one or more.
    #[cfg_attr(debug_assertions, track_caller)]
    fn paren_list<R>(&mut self, item: impl FnMut(&mut Self) -> P<R>) -> P<Vec<R>> {
        ::types::plant!();
        self.expect(T::LeftParen)?;
        let items = self.list(item)?;
        self.expect(T::RightParen)?;
        Ok(items)
    }
}
