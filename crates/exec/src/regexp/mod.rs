//! Regular expressions: `REGEXP_LIKE` and its kin. Patterns are RE2's (`dialect`); a search takes time linear in the text, and over a long one it
//! gives way (`machine`).
//!
//! https://learn.microsoft.com/sql/t-sql/functions/regular-expressions-functions-transact-sql

mod dialect;
mod machine;

use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::{self, NFA};
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::util::syntax;
use regex_automata::{Input, MatchKind};
use types::pause::Pacer;
use types::{SqlError, SqlResult, sql_error};

use dialect::Wrong;
use machine::{Machine, NONE};

/// Bytes of a compiled pattern. What is more is refused, as RE2 does.
const PATTERN_BYTES_MAX: usize = 4 << 20;

/// The library searches at once where bytes times states are no more.
const UNINTERRUPTED_MAX: usize = 4 << 20;

/// Characters of the flags.
const FLAGS_MAX: usize = 30;

/// What an error's state says of who asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    Scalar,
    Table,
}

/// How a pattern is meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    any_case: bool,
    lines: bool,
    dot_is_all: bool,
}

impl Flags {
    /// 19302, 19303
    pub fn parse(text: &str) -> SqlResult<Flags> {
        let count = text.chars().count();
        if count > FLAGS_MAX {
            return Err(sql_error!(19302, FLAGS_MAX as i32, count as i32));
        }
        let mut flags = Flags::default();
        for c in text.chars() {
            match c {
                'i' => flags.any_case = true,
                'c' => flags.any_case = false,
                'm' => flags.lines = true,
                's' => flags.dot_is_all = true,
                _ => return Err(sql_error!(19303, text)),
            }
        }
        Ok(flags)
    }
}

/// A compiled pattern.
pub struct Pattern {
    regex: Regex,
    nfa: NFA,
    /// Of the pattern, without the whole.
    pub groups: usize,
}

impl Pattern {
    /// 19300, 19307, 19308, 19309
    pub fn compile(text: &str, flags: Flags, caller: Caller) -> SqlResult<Pattern> {
        let translated = dialect::translate(text).map_err(|wrong| refused(text, wrong, caller))?;
        let syntax = syntax::Config::new()
            .utf8(false)
            .case_insensitive(flags.any_case)
            .multi_line(flags.lines)
            .dot_matches_new_line(flags.dot_is_all);
        let too_large = || refused(text, Wrong::Invalid("pattern too large - compile failed".into()), caller);
        let config = thompson::Config::new().nfa_size_limit(Some(PATTERN_BYTES_MAX));
        let nfa = thompson::Compiler::new().syntax(syntax).configure(config).build(&translated);
        let nfa = nfa.map_err(|_| too_large())?;
        let config = Regex::config().match_kind(MatchKind::LeftmostFirst).nfa_size_limit(Some(PATTERN_BYTES_MAX));
        let regex = Regex::builder().syntax(syntax).configure(config).build(&translated).map_err(|_| too_large())?;
        let groups = regex.captures_len() - 1;
        Ok(Pattern { regex, nfa, groups })
    }

    /// Searches for its matches in `text`. `groups`: so many groups are asked for, besides the whole match.
    pub fn search<'a>(&'a self, text: &'a str, groups: usize) -> Search<'a> {
        let slots = 2 * (groups.min(self.groups) + 1);
        Search { pattern: self, text, at: 0, slots: vec![None; slots], found: vec![NONE; slots], machine: None }
    }
}

#[cold]
fn refused(pattern: &str, wrong: Wrong, caller: Caller) -> SqlError {
    let state = |scalar: u8, table: u8| if caller == Caller::Table { table } else { scalar };
    match wrong {
        Wrong::Invalid(why) => sql_error!(19300, state state(1, 2), pattern, why),
        Wrong::Unexpected => sql_error!(19307, state state(1, 2), pattern),
        Wrong::Missing(')') => sql_error!(19308, state state(1, 3), ")", pattern),
        Wrong::Missing(missing) => sql_error!(19308, state state(2, 4), missing, pattern),
        Wrong::TrailingBackslash => sql_error!(19309, state state(1, 2), pattern),
    }
}

/// The matches of a pattern in a text, one after the other.
pub struct Search<'a> {
    pattern: &'a Pattern,
    text: &'a str,
    at: usize,
    slots: Vec<Option<NonMaxUsize>>,
    found: Vec<u32>,
    machine: Option<Machine>,
}

impl Search<'_> {
    /// The next search begins at this byte.
    pub fn from(mut self, at: usize) -> Self {
        self.at = at;
        self
    }

    /// Goes to the next match, which may be an empty one behind the last. False: there is none.
    pub fn next(&mut self, pacer: &mut Pacer<'_>) -> SqlResult<bool> {
        if self.at > self.text.len() || !self.find(false, pacer)? {
            return Ok(false);
        }
        let (start, end) = self.group(0).expect("the whole match");
        self.at = end;
        if start == end {
            self.at += self.text[end..].chars().next().map_or(1, char::len_utf8);
        }
        Ok(true)
    }

    /// There is a match.
    pub fn any(&mut self, pacer: &mut Pacer<'_>) -> SqlResult<bool> {
        self.find(true, pacer)
    }

    /// Where a group of the last match lies, in bytes.
    pub fn group(&self, group: usize) -> Option<(usize, usize)> {
        match (self.found.get(2 * group), self.found.get(2 * group + 1)) {
            (Some(&start), Some(&end)) if start != NONE && end != NONE => Some((start as usize, end as usize)),
            _ => None,
        }
    }

    fn find(&mut self, any: bool, pacer: &mut Pacer<'_>) -> SqlResult<bool> {
        let bytes = self.text.len() - self.at;
        let states = self.pattern.nfa.states().len();
        if bytes.saturating_mul(states) > UNINTERRUPTED_MAX {
            let slots = self.found.len();
            let machine = self.machine.get_or_insert_with(|| Machine::new(&self.pattern.nfa, slots));
            return machine.search(&self.pattern.nfa, self.text, self.at, any, &mut self.found, pacer);
        }
        let input = Input::new(self.text).range(self.at..).earliest(any);
        if any {
            pacer.spend(bytes)?;
            return Ok(self.pattern.regex.search_half(&input).is_some());
        }
        let found = self.pattern.regex.search_slots(&input, &mut self.slots).is_some();
        for (to, slot) in self.found.iter_mut().zip(&self.slots) {
            *to = slot.map_or(NONE, |slot| slot.get() as u32);
        }
        let gone = if found { self.found[1] as usize - self.at } else { bytes };
        pacer.spend(16 + gone)?;
        Ok(found)
    }
}
