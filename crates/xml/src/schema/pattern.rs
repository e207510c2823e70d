//! Regular expressions of XML Schema, for the facet pattern. A text matches as a whole.
//!
//! A pattern becomes a machine that steps over the text once, in all its states at the same time: work is characters times states at
//! most, whatever the pattern, and the machine gives way between them.

use regex_syntax::hir::{Class, HirKind};

use super::value::{is_name_character, is_name_start};
use crate::meter::Meter;
use types::SqlResult;

/// States of one machine, with repetitions written out.
const STATES_MAX: usize = 4_000;
/// Groups within one another.
const DEPTH_MAX: u32 = 40;
const LAST: u32 = char::MAX as u32;

#[derive(Debug)]
pub struct Pattern {
    states: Vec<State>,
    start: u32,
    /// As it is written.
    pub text: Box<str>,
}

#[derive(Debug, Clone)]
enum State {
    /// A character of the class, then on.
    Take(Class32, u32),
    Fork(u32, u32),
    Match,
}

/// Ranges of characters, ascending and apart.
type Class32 = std::sync::Arc<[(u32, u32)]>;

#[derive(Debug, Clone)]
enum Tree {
    Class(Class32),
    Sequence(Vec<Tree>),
    Choice(Vec<Tree>),
    Repeat(Box<Tree>, u32, Option<u32>),
}

impl Pattern {
    /// None: it is no regular expression, or too large a one.
    pub fn parse(text: &str) -> Option<Pattern> {
        let mut parser = Parser { rest: text, depth: 0 };
        let tree = parser.choice()?;
        if !parser.rest.is_empty() {
            return None;
        }
        let mut states = vec![State::Match];
        let start = build(&tree, 0, &mut states)?;
        Some(Pattern { states, start, text: text.into() })
    }

    pub fn matches(&self, text: &str, meter: &mut Meter<'_, '_>) -> SqlResult<bool> {
        let mut seen = vec![0_u32; self.states.len()];
        let mut round = 1;
        let (mut here, mut pending) = (Vec::new(), Vec::new());
        self.enter(self.start, round, &mut seen, &mut here, &mut pending);
        let mut next = Vec::new();
        for c in text.chars() {
            meter.spend(8 + here.len() * 4)?;
            round += 1;
            next.clear();
            for &state in &here {
                if let State::Take(class, then) = &self.states[state as usize]
                    && contains(class, c as u32)
                {
                    self.enter(*then, round, &mut seen, &mut next, &mut pending);
                }
            }
            std::mem::swap(&mut here, &mut next);
            if here.is_empty() {
                return Ok(false);
            }
        }
        Ok(here.iter().any(|&state| matches!(self.states[state as usize], State::Match)))
    }

    /// The states that take a character, or match, and can be reached without one.
    fn enter(&self, state: u32, round: u32, seen: &mut [u32], out: &mut Vec<u32>, pending: &mut Vec<u32>) {
        pending.push(state);
        while let Some(state) = pending.pop() {
            if std::mem::replace(&mut seen[state as usize], round) == round {
                continue;
            }
            match &self.states[state as usize] {
                State::Fork(a, b) => pending.extend([*a, *b]),
                _ => out.push(state),
            }
        }
    }
}

fn contains(class: &[(u32, u32)], c: u32) -> bool {
    let at = class.partition_point(|range| range.1 < c);
    class.get(at).is_some_and(|range| range.0 <= c)
}

/// The state where `tree` begins that goes on at `next`. None: too many.
fn build(tree: &Tree, next: u32, states: &mut Vec<State>) -> Option<u32> {
    let push = |state: State, states: &mut Vec<State>| {
        states.push(state);
        (states.len() <= STATES_MAX).then(|| states.len() as u32 - 1)
    };
    match tree {
        Tree::Class(class) => push(State::Take(class.clone(), next), states),
        Tree::Sequence(list) => list.iter().rev().try_fold(next, |next, part| build(part, next, states)),
        Tree::Choice(list) => {
            let mut list = list.iter();
            let mut entry = build(list.next()?, next, states)?;
            for part in list {
                let other = build(part, next, states)?;
                entry = push(State::Fork(entry, other), states)?;
            }
            Some(entry)
        }
        Tree::Repeat(inner, least, most) => {
            let mut entry = next;
            match most {
                None => {
                    let again = push(State::Match, states)?;
                    let body = build(inner, again, states)?;
                    states[again as usize] = State::Fork(body, next);
                    entry = again;
                }
                Some(most) => {
                    for _ in *least..*most {
                        let body = build(inner, entry, states)?;
                        entry = push(State::Fork(body, next), states)?;
                    }
                }
            }
            for _ in 0..*least {
                // A body that takes nothing adds no state.
                let body = build(inner, entry, states)?;
                if body == entry {
                    break;
                }
                entry = body;
            }
            Some(entry)
        }
    }
}

/// Sorted, and joined where they touch.
fn joined(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let mut out: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
    for (low, high) in ranges {
        match out.last_mut() {
            Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
            _ => out.push((low, high)),
        }
    }
    out
}

fn negated(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut out = Vec::with_capacity(ranges.len() + 1);
    let mut next = 0;
    for &(low, high) in ranges {
        if low > next {
            out.push((next, low - 1));
        }
        next = high + 1;
    }
    if next <= LAST {
        out.push((next, LAST));
    }
    out
}

/// Those of `a` that are not in `b`.
fn without(a: &[(u32, u32)], b: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let keep = negated(b);
    let mut out = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < keep.len() {
        let (low, high) = (a[i].0.max(keep[j].0), a[i].1.min(keep[j].1));
        if low <= high {
            out.push((low, high));
        }
        if a[i].1 < keep[j].1 { i += 1 } else { j += 1 }
    }
    out
}

/// A class of Unicode by its name in `\p{...}`.
fn category(name: &str) -> Option<Vec<(u32, u32)>> {
    if let Some(block) = name.strip_prefix("Is") {
        let (_, low, high) = BLOCKS.iter().find(|(known, ..)| *known == block)?;
        return Some(vec![(*low, *high)]);
    }
    let known = (1..=2).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    let hir = regex_syntax::parse(&format!("\\p{{{name}}}")).ok().filter(|_| known)?;
    let HirKind::Class(Class::Unicode(class)) = hir.kind() else { return None };
    Some(joined(class.ranges().iter().map(|range| (range.start() as u32, range.end() as u32)).collect()))
}

/// Blocks of Unicode that schemas name.
const BLOCKS: &[(&str, u32, u32)] = &[
    ("BasicLatin", 0, 0x7f),
    ("Latin-1Supplement", 0x80, 0xff),
    ("LatinExtended-A", 0x100, 0x17f),
    ("LatinExtended-B", 0x180, 0x24f),
    ("IPAExtensions", 0x250, 0x2af),
    ("SpacingModifierLetters", 0x2b0, 0x2ff),
    ("CombiningDiacriticalMarks", 0x300, 0x36f),
    ("Greek", 0x370, 0x3ff),
    ("Cyrillic", 0x400, 0x4ff),
    ("Armenian", 0x530, 0x58f),
    ("Hebrew", 0x590, 0x5ff),
    ("Arabic", 0x600, 0x6ff),
    ("Devanagari", 0x900, 0x97f),
    ("Thai", 0xe00, 0xe7f),
    ("HangulJamo", 0x1100, 0x11ff),
    ("LatinExtendedAdditional", 0x1e00, 0x1eff),
    ("GreekExtended", 0x1f00, 0x1fff),
    ("GeneralPunctuation", 0x2000, 0x206f),
    ("CurrencySymbols", 0x20a0, 0x20cf),
    ("LetterlikeSymbols", 0x2100, 0x214f),
    ("NumberForms", 0x2150, 0x218f),
    ("Arrows", 0x2190, 0x21ff),
    ("MathematicalOperators", 0x2200, 0x22ff),
    ("BoxDrawing", 0x2500, 0x257f),
    ("Hiragana", 0x3040, 0x309f),
    ("Katakana", 0x30a0, 0x30ff),
    ("CJKUnifiedIdeographs", 0x4e00, 0x9fff),
    ("HangulSyllables", 0xac00, 0xd7a3),
];

fn by_test(test: fn(char) -> bool) -> Vec<(u32, u32)> {
    let characters = (0..=LAST).filter_map(char::from_u32).filter(|c| test(*c));
    joined(characters.map(|c| (c as u32, c as u32)).collect())
}

/// `\i` and `\c`, which take a look at all characters once.
fn name_class(start: bool) -> &'static [(u32, u32)] {
    use std::sync::OnceLock;
    static CLASSES: [OnceLock<Vec<(u32, u32)>>; 2] = [OnceLock::new(), OnceLock::new()];
    CLASSES[usize::from(start)].get_or_init(|| by_test(if start { is_name_start } else { is_name_character }))
}

struct Parser<'t> {
    rest: &'t str,
    depth: u32,
}

impl Parser<'_> {
    fn eat(&mut self, sign: char) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn choice(&mut self) -> Option<Tree> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let mut list = vec![self.sequence()?];
        while self.eat('|') {
            list.push(self.sequence()?);
        }
        self.depth -= 1;
        Some(if list.len() == 1 { list.remove(0) } else { Tree::Choice(list) })
    }

    fn sequence(&mut self) -> Option<Tree> {
        let mut list = Vec::new();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            let atom = self.atom()?;
            list.push(self.repeated(atom)?);
        }
        Some(Tree::Sequence(list))
    }

    fn repeated(&mut self, atom: Tree) -> Option<Tree> {
        let (least, most) = if self.eat('?') {
            (0, Some(1))
        } else if self.eat('*') {
            (0, None)
        } else if self.eat('+') {
            (1, None)
        } else if self.eat('{') {
            let (inner, rest) = self.rest.split_once('}')?;
            self.rest = rest;
            let number = |text: &str| if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None };
            match inner.split_once(',') {
                None => (number(inner)?, Some(number(inner)?)),
                Some((least, "")) => (number(least)?, None),
                Some((least, most)) => (number(least)?, Some(number(most)?)),
            }
        } else {
            return Some(atom);
        };
        if most.is_some_and(|most| most < least) {
            return None;
        }
        Some(Tree::Repeat(Box::new(atom), least, most))
    }

    fn atom(&mut self) -> Option<Tree> {
        let ranges = match self.next()? {
            '(' => {
                let inner = self.choice()?;
                return self.eat(')').then_some(inner);
            }
            '[' => self.class()?,
            '.' => negated(&[('\n' as u32, '\n' as u32), ('\r' as u32, '\r' as u32)]),
            '\\' => self.escape()?,
            '?' | '*' | '+' | ')' | '{' | '}' | '|' | ']' => return None,
            c => vec![(c as u32, c as u32)],
        };
        Some(Tree::Class(ranges.into()))
    }

    /// Behind a backslash.
    fn escape(&mut self) -> Option<Vec<(u32, u32)>> {
        let one = |c: char| Some(vec![(c as u32, c as u32)]);
        let letter = self.next()?;
        let ranges = match letter.to_ascii_lowercase() {
            'p' => {
                let inner = self.rest.strip_prefix('{')?;
                let (name, rest) = inner.split_once('}')?;
                self.rest = rest;
                category(name)?
            }
            'd' => category("Nd")?,
            's' => vec![(9, 10), (13, 13), (32, 32)],
            'i' => name_class(true).to_vec(),
            'c' => name_class(false).to_vec(),
            'w' => {
                let mut others = category("P")?;
                others.extend(category("Z")?);
                others.extend(category("C")?);
                negated(&joined(others))
            }
            _ => {
                return match letter {
                    'n' => one('\n'),
                    'r' => one('\r'),
                    't' => one('\t'),
                    c if "\\|.-^?*+{}()[]".contains(c) => one(c),
                    _ => None,
                };
            }
        };
        Some(if letter.is_ascii_uppercase() { negated(&ranges) } else { ranges })
    }

    /// Behind the bracket that opens it.
    fn class(&mut self) -> Option<Vec<(u32, u32)>> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let negative = self.eat('^');
        let mut ranges = Vec::new();
        let mut minus = None;
        let mut first = true;
        loop {
            let c = self.next()?;
            let low = match c {
                ']' if !first => break,
                '-' if self.rest.starts_with('[') && !first => {
                    self.rest = &self.rest[1..];
                    minus = Some(self.class()?);
                    if !self.eat(']') {
                        return None;
                    }
                    break;
                }
                '[' | ']' => return None,
                '\\' => {
                    let class = self.escape()?;
                    match class.as_slice() {
                        [(low, high)] if low == high => *low,
                        _ => {
                            ranges.extend(class);
                            first = false;
                            continue;
                        }
                    }
                }
                c => c as u32,
            };
            first = false;
            let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]") && !self.rest.starts_with("-[");
            let high = if is_range {
                self.rest = &self.rest[1..];
                match self.next()? {
                    '\\' => match self.escape()?.as_slice() {
                        [(low, high)] if low == high => *low,
                        _ => return None,
                    },
                    '[' | ']' => return None,
                    c => c as u32,
                }
            } else {
                low
            };
            if high < low {
                return None;
            }
            ranges.push((low, high));
        }
        self.depth -= 1;
        let mut ranges = joined(ranges);
        if negative {
            ranges = negated(&ranges);
        }
        Some(match minus {
            Some(minus) => without(&ranges, &minus),
            None => ranges,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;
    use crate::meter::Meter;
    use types::pause::Pacer;

    fn matches(pattern: &str, text: &str) -> bool {
        let mut pacer = Pacer::none();
        let mut grow = |_| Ok(());
        let pattern = Pattern::parse(pattern).expect(pattern);
        pattern.matches(text, &mut Meter::new(&mut pacer, &mut grow)).expect("not interrupted")
    }

    #[test]
    fn whole_texts_match() {
        let cases = [
            ("[A-Z]{2}-[0-9]{4}", "HL-1234", true),
            ("[A-Z]{2}-[0-9]{4}", "HL-12345", false),
            ("\\d{3}-\\d{2}-\\d{4}", "123-45-6789", true),
            ("(a|b)*c?", "ababc", true),
            ("(a|b)*c?", "abcc", false),
            ("[a-z-[aeiou]]+", "xyz", true),
            ("[a-z-[aeiou]]+", "xaz", false),
            ("[^0-9]", "a", true),
            ("[+\\-]?\\d+(\\.\\d+)?", "-1.5", true),
            ("\\p{Lu}\\p{Ll}*", "Ärger", true),
            ("\\i\\c*", "a-b.c", true),
            ("\\i\\c*", "1a", false),
            ("a.c", "a\nc", false),
            ("", "", true),
            ("a{2,}", "aaa", true),
            ("a{2,3}", "aaaa", false),
            ("(a*)*", "aaaa", true),
            ("^a", "^a", true),
        ];
        for (pattern, text, wanted) in cases {
            assert_eq!(matches(pattern, text), wanted, "{pattern} {text}");
        }
    }

    #[test]
    fn what_is_none_or_too_large() {
        for pattern in ["(", "a)", "[", "a{2,1}", "*a", "\\q", "((a{90}){90}){90}", "[z-a]", "\\p{Foo}"] {
            assert!(Pattern::parse(pattern).is_none(), "{pattern}");
        }
    }
}
