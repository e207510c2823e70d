//! LIKE, PATINDEX, and searching for text under a collation.
//!
//! A pattern is compiled to tokens once. Matching remembers only the last `%` that it passed, as an earlier one never
//! needs to give back: the time is at most text length times pattern length.

use crate::sql_error;
use std::ops::Range;

use crate::collation::{self, CharWeight, Chars, Comparer};
use crate::error::{SqlError, SqlResult};
use crate::sql_type::SqlType;

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Char(CharWeight),
    /// `_`
    One,
    /// `%`
    Any,
    /// `[...]`, `[^...]`: ranges from first to last character.
    Set {
        negated: bool,
        ranges: Box<[(CharWeight, CharWeight)]>,
    },
}

/// A compiled pattern of one type and collation.
#[derive(Debug, Clone)]
pub struct LikePattern {
    tokens: Box<[Token]>,
    comparer: Comparer,
    /// varchar: blanks at the end of the text need no match.
    ignores_blanks: bool,
    /// False for a pattern that matches nothing: a `[` without end, an escape character with nothing behind it.
    possible: bool,
}

/// 506
fn bad_escape(escape: &str) -> SqlError {
    sql_error!(506, escape, "LIKE")
}

impl LikePattern {
    /// `ty`: of the pattern, and of the texts it will meet. `escape`: of the same type, exactly one character.
    pub fn new(ty: &SqlType, pattern: &[u8], escape: Option<&[u8]>) -> SqlResult<LikePattern> {
        let comparer = collation::comparer(ty);
        let escape = match escape {
            None => None,
            Some(escape) => {
                let mut chars = Chars::new(&comparer, escape);
                let c = chars.peek();
                if chars.next().is_none() || chars.next().is_some() {
                    return Err(bad_escape(&crate::convert::text_of(escape, ty)));
                }
                c
            }
        };
        let mut compiler = Compiler { chars: Chars::new(&comparer, pattern), escape, tokens: Vec::new() };
        let possible = compiler.run().is_some();
        Ok(LikePattern { tokens: compiler.tokens.into(), comparer, ignores_blanks: ty.is_ansi_string(), possible })
    }

    pub fn matches(&self, text: &[u8]) -> bool {
        self.possible && self.run(&self.tokens, Chars::new(&self.comparer, text)) == Outcome::Match
    }

    /// PATINDEX: where the first match begins, in bytes. Without `%` in front, the text's start is the only place.
    pub fn find(&self, text: &[u8]) -> Option<usize> {
        if !self.possible {
            return None;
        }
        let leading = self.tokens.iter().take_while(|token| **token == Token::Any).count();
        if leading == 0 {
            return self.matches(text).then_some(0);
        }
        let tokens = &self.tokens[leading..];
        let mut chars = Chars::new(&self.comparer, text);
        loop {
            let start = text.len() - chars.rest().len();
            match self.run(tokens, chars.clone()) {
                Outcome::Match => return Some(start),
                // What follows a later `%` is nowhere behind: a later start cannot help.
                Outcome::FailedBehindAny => return None,
                Outcome::Failed => {}
            }
            chars.next()?;
        }
    }

    fn run<'t>(&self, tokens: &[Token], mut text: Chars<'t>) -> Outcome {
        // Where to go on after the last `%`: its next token, and the text behind what it took so far.
        let mut again: Option<(usize, Chars<'t>)> = None;
        let mut next = 0;
        loop {
            let matched = match tokens.get(next) {
                None if text.rest().is_empty() || self.ignores_blanks && self.comparer.trim(text.rest()).is_empty() => {
                    return Outcome::Match;
                }
                None => false,
                Some(Token::Any) => {
                    next += 1;
                    if next == tokens.len() {
                        return Outcome::Match;
                    }
                    again = Some((next, text.clone()));
                    continue;
                }
                Some(token) => match text.next() {
                    // Giving `%` more only leaves less for the rest.
                    None => return if again.is_some() { Outcome::FailedBehindAny } else { Outcome::Failed },
                    Some(c) => token.accepts(c),
                },
            };
            if matched {
                next += 1;
                continue;
            }
            let Some((behind, rest)) = &mut again else { return Outcome::Failed };
            if rest.next().is_none() {
                return Outcome::FailedBehindAny;
            }
            next = *behind;
            text = rest.clone();
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Match,
    /// Before any `%` was passed.
    Failed,
    FailedBehindAny,
}

impl Token {
    #[inline]
    fn accepts(&self, c: CharWeight) -> bool {
        match self {
            Token::Char(wanted) => *wanted == c,
            Token::One => true,
            Token::Any => false,
            Token::Set { negated, ranges } => ranges.iter().any(|(first, last)| *first <= c && c <= *last) != *negated,
        }
    }
}

struct Compiler<'p> {
    chars: Chars<'p>,
    escape: Option<u32>,
    tokens: Vec<Token>,
}

impl Compiler<'_> {
    /// None: nothing can match.
    fn run(&mut self) -> Option<()> {
        while let Some(c) = self.chars.peek() {
            let token = if Some(c) == self.escape {
                self.chars.next();
                Token::Char(self.chars.next()?)
            } else {
                match char::from_u32(c) {
                    Some('%') => self.take(Token::Any),
                    Some('_') => self.take(Token::One),
                    Some('[') => self.set()?,
                    _ => Token::Char(self.chars.next()?),
                }
            };
            // `%%` is `%`.
            if token != Token::Any || self.tokens.last() != Some(&Token::Any) {
                self.tokens.push(token);
            }
        }
        Some(())
    }

    fn take(&mut self, token: Token) -> Token {
        self.chars.next();
        token
    }

    /// From `[` to its `]`.
    fn set(&mut self) -> Option<Token> {
        self.chars.next();
        let negated = self.eat('^');
        let mut ranges = Vec::new();
        loop {
            if self.eat(']') {
                return Some(Token::Set { negated, ranges: ranges.into() });
            }
            let first = self.member()?;
            // A hyphen at the end is itself.
            let mut ahead = self.chars.clone();
            let is_range = ahead.peek() == Some('-' as u32) && {
                ahead.next();
                ahead.peek() != Some(']' as u32)
            };
            if is_range {
                self.chars = ahead;
                ranges.push((first, self.member()?));
            } else {
                ranges.push((first, first));
            }
        }
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.chars.peek() == Some(c as u32);
        if found {
            self.chars.next();
        }
        found
    }

    /// A character of a set, perhaps behind the escape character.
    fn member(&mut self) -> Option<CharWeight> {
        if self.chars.peek().is_some() && self.chars.peek() == self.escape {
            self.chars.next();
        }
        self.chars.next()
    }
}

/// CHARINDEX and REPLACE: the bytes of the first place where `needle` is in `text` at or after byte `from`. An empty
/// needle is nowhere.
pub fn find(comparer: &Comparer, text: &[u8], needle: &[u8], from: usize) -> Option<Range<usize>> {
    let first = Chars::new(comparer, needle).next()?;
    let mut chars = Chars::new(comparer, text.get(from..)?);
    loop {
        let start = text.len() - chars.rest().len();
        let at = chars.clone();
        if chars.next()? == first
            && let Some(end) = match_end(comparer, at, needle, text.len())
        {
            return Some(start..end);
        }
    }
}

/// Where the text stands behind `needle`, if it begins with it.
fn match_end(comparer: &Comparer, mut text: Chars<'_>, needle: &[u8], length: usize) -> Option<usize> {
    for wanted in Chars::new(comparer, needle) {
        if text.next()? != wanted {
            return None;
        }
    }
    Some(length - text.rest().len())
}
