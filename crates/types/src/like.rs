//! LIKE and PATINDEX.
//!
//! A pattern is compiled to tokens once. Matching remembers only the last `%` that it passed, as an earlier one never
//! needs to give back. Characters alone between two `%` are searched as CHARINDEX does, in time that grows with the text; with a set or `_`
//! among them the time is at most text length times pattern length.

use crate::sql_error;

use crate::collation::{self, CharWeight, Chars, Comparer};
use crate::error::{SqlError, SqlResult};
use crate::pause::{CHARACTER, Pacer};
use crate::search::find_weights;
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
    /// Of `%characters%`.
    contained: Option<Contained>,
    comparer: Comparer,
    /// varchar: blanks at the end of the text need no match.
    ignores_blanks: bool,
    /// Without supplementary characters `_` is half of a surrogate pair, and so is the least that `%` takes.
    halves: bool,
    /// False for a pattern that matches nothing: a `[` without end, an escape character with nothing behind it.
    possible: bool,
}

/// 506
fn bad_escape(escape: &str) -> SqlError {
    sql_error!(506, escape, "LIKE")
}

impl LikePattern {
    /// `ty`: of the pattern, and of the texts it will meet. `escape`: of the same type, exactly one character.
    pub fn new(ty: &SqlType, pattern: &[u8], escape: Option<&[u8]>, pacer: &mut Pacer<'_>) -> SqlResult<LikePattern> {
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
        let possible = compiler.run(pacer)?.is_some();
        let contained = if escape.is_none() { Contained::of(&comparer, pattern) } else { None };
        let ignores_blanks = ty.is_ansi_string();
        let halves = !ignores_blanks && !ty.collation.get().supplementary;
        Ok(LikePattern { tokens: compiler.tokens.into(), contained, comparer, ignores_blanks, halves, possible })
    }

    pub fn matches(&self, text: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<bool> {
        if let Some(contained) = &self.contained
            && let Some(found) = contained.is_in(text, &self.comparer)
        {
            pacer.spend(text.len() / 4)?;
            return Ok(found);
        }
        let blanks = self.blanks_at_end(text);
        Ok(self.possible && self.run(&self.tokens, Chars::new(&self.comparer, text), blanks, pacer)? == Outcome::Match)
    }

    /// Bytes at the end that need no match.
    fn blanks_at_end(&self, text: &[u8]) -> usize {
        if self.ignores_blanks { text.len() - self.comparer.trim(text).len() } else { 0 }
    }

    /// PATINDEX: where the first match begins, in bytes. Without `%` in front, the text's start is the only place.
    pub fn find(&self, text: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<Option<usize>> {
        if !self.possible {
            return Ok(None);
        }
        let leading = self.tokens.iter().take_while(|token| **token == Token::Any).count();
        if leading == 0 {
            return Ok(self.matches(text, pacer)?.then_some(0));
        }
        let tokens = &self.tokens[leading..];
        let blanks = self.blanks_at_end(text);
        let mut chars = Chars::new(&self.comparer, text);
        if let Some(count) = plain_segment(tokens) {
            let Some((left, behind)) = self.search(tokens, count, chars, blanks, pacer)? else { return Ok(None) };
            let matches = self.run(&tokens[count..], behind, blanks, pacer)? == Outcome::Match;
            return Ok(matches.then(|| text.len() - left));
        }
        loop {
            let start = text.len() - chars.rest().len();
            match self.run(tokens, chars.clone(), blanks, pacer)? {
                Outcome::Match => return Ok(Some(start)),
                // What follows a later `%` is nowhere behind: a later start cannot help.
                Outcome::FailedBehindAny => return Ok(None),
                Outcome::Failed => {}
            }
            if chars.next().is_none() {
                return Ok(None);
            }
        }
    }

    /// The first place of the `count` characters that `tokens` begin with: bytes left there, and the text behind them. If nothing follows them
    /// they must be the text's last.
    fn search<'t>(
        &self,
        tokens: &[Token],
        count: usize,
        text: Chars<'t>,
        blanks: usize,
        pacer: &mut Pacer<'_>,
    ) -> SqlResult<Option<(usize, Chars<'t>)>> {
        let needle = |at: usize| match tokens[at] {
            Token::Char(c) => c,
            _ => unreachable!("a segment has characters alone"),
        };
        let is_last = count == tokens.len();
        find_weights(count, needle, text, pacer, |behind| !is_last || behind.rest().len() <= blanks)
    }

    /// `blanks`: bytes at the text's end that need no match.
    fn run<'t>(
        &self,
        tokens: &[Token],
        mut text: Chars<'t>,
        blanks: usize,
        pacer: &mut Pacer<'_>,
    ) -> SqlResult<Outcome> {
        // Where to go on after the last `%`: its next token, and the text behind what it took so far.
        let mut again: Option<(usize, Chars<'t>)> = None;
        let mut next = 0;
        loop {
            pacer.spend(CHARACTER)?;
            let matched = match tokens.get(next) {
                None if text.rest().len() <= blanks => return Ok(Outcome::Match),
                None => false,
                Some(Token::Any) => {
                    next += 1;
                    if next == tokens.len() {
                        return Ok(Outcome::Match);
                    }
                    if let Some(count) = plain_segment(&tokens[next..]) {
                        // Behind it is another `%`, or nothing: this place is as good as any later one.
                        match self.search(&tokens[next..], count, text, blanks, pacer)? {
                            None => return Ok(Outcome::FailedBehindAny),
                            Some((_, behind)) => text = behind,
                        }
                        next += count;
                    } else {
                        again = Some((next, text.clone()));
                    }
                    continue;
                }
                Some(Token::One) if self.halves && text.pass_half() => true,
                Some(token) => match text.next() {
                    // Giving `%` more only leaves less for the rest.
                    None if again.is_some() => return Ok(Outcome::FailedBehindAny),
                    None => return Ok(Outcome::Failed),
                    Some(c) => token.accepts(c),
                },
            };
            if matched {
                next += 1;
                continue;
            }
            let Some((behind, rest)) = &mut again else { return Ok(Outcome::Failed) };
            if !(self.halves && rest.pass_half()) && rest.next().is_none() {
                return Ok(Outcome::FailedBehindAny);
            }
            next = *behind;
            text = rest.clone();
        }
    }
}

/// ASCII characters between two `%`, the usual pattern: a short text of ASCII alone is searched byte by byte.
#[derive(Debug, Clone)]
struct Contained(Box<[u8]>);

/// Longer texts are searched in pieces.
const CONTAINED_BYTES_MAX: usize = 8_000;

impl Contained {
    fn of(comparer: &Comparer, pattern: &[u8]) -> Option<Contained> {
        let characters = comparer.ascii_of(pattern)?;
        let needle = characters.strip_prefix(b"%")?.strip_suffix(b"%")?;
        let is_plain = !needle.is_empty() && !needle.iter().any(|c| matches!(c, b'%' | b'_' | b'['));
        is_plain.then(|| Contained(needle.into()))
    }

    /// None: a closer look is needed.
    #[inline]
    fn is_in(&self, text: &[u8], comparer: &Comparer) -> Option<bool> {
        if text.len() > CONTAINED_BYTES_MAX {
            return None;
        }
        let step = comparer.unit_bytes();
        if !comparer.is_ascii(text) {
            return None;
        }
        let needle = &*self.0;
        let units = text.len() / step;
        let is_at = |place: usize| {
            let mut alike = needle.iter().enumerate();
            alike.all(|(at, c)| comparer.are_alike(*c, text[(place + at) * step]))
        };
        Some(units >= needle.len() && (0..=units - needle.len()).any(is_at))
    }
}

/// How many characters the tokens begin with, if there are some and nothing but `%` or the end follows.
fn plain_segment(tokens: &[Token]) -> Option<usize> {
    let count = tokens.iter().take_while(|token| matches!(token, Token::Char(_))).count();
    (count > 0 && tokens.get(count).is_none_or(|token| *token == Token::Any)).then_some(count)
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
    fn run(&mut self, pacer: &mut Pacer<'_>) -> SqlResult<Option<()>> {
        while let Some(c) = self.chars.peek() {
            pacer.spend(CHARACTER)?;
            let token = if Some(c) == self.escape {
                self.chars.next();
                self.chars.next().map(Token::Char)
            } else {
                match char::from_u32(c) {
                    Some('%') => Some(self.take(Token::Any)),
                    Some('_') => Some(self.take(Token::One)),
                    Some('[') => self.set(pacer)?,
                    _ => self.chars.next().map(Token::Char),
                }
            };
            let Some(token) = token else { return Ok(None) };
            // `%%` is `%`.
            if token != Token::Any || self.tokens.last() != Some(&Token::Any) {
                self.tokens.push(token);
            }
        }
        Ok(Some(()))
    }

    fn take(&mut self, token: Token) -> Token {
        self.chars.next();
        token
    }

    /// From `[` to its `]`.
    fn set(&mut self, pacer: &mut Pacer<'_>) -> SqlResult<Option<Token>> {
        self.chars.next();
        let negated = self.eat('^');
        let mut ranges = Vec::new();
        loop {
            pacer.spend(CHARACTER)?;
            if self.eat(']') {
                return Ok(Some(Token::Set { negated, ranges: ranges.into() }));
            }
            let Some(first) = self.member() else { return Ok(None) };
            // A hyphen at the end is itself.
            let mut ahead = self.chars.clone();
            let is_range = ahead.peek() == Some('-' as u32) && {
                ahead.next();
                ahead.peek() != Some(']' as u32)
            };
            if is_range {
                self.chars = ahead;
                let Some(last) = self.member() else { return Ok(None) };
                ranges.push((first, last));
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
