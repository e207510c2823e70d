//! Patterns as RE2 takes them, written again as the library's: classes of letters and digits, `\b` and what lies between `\Q` and `\E` differ,
//! and what RE2 refuses is refused in its words.
//!
//! https://github.com/google/re2/wiki/Syntax

use std::fmt::Write;
use std::iter::Peekable;
use std::str::CharIndices;

/// RE2's own bound of `{n}`, also of one within another.
const REPEATS_MAX: u32 = 1000;

/// What is wrong with a pattern.
#[derive(Debug, PartialEq, Eq)]
pub enum Wrong {
    /// 19300, as RE2 words it.
    Invalid(String),
    /// 19307: a `)` without its `(`.
    Unexpected,
    /// 19308: `)` or `]`.
    Missing(char),
    /// 19309
    TrailingBackslash,
}

type Made<T> = Result<T, Wrong>;

/// The pattern in the library's syntax.
pub fn translate(pattern: &str) -> Made<String> {
    let reader = Reader { text: pattern, rest: pattern.char_indices().peekable() };
    let mut dialect =
        Dialect { reader, out: String::with_capacity(pattern.len() + 16), groups: vec![Group::default()] };
    dialect.run()?;
    if dialect.groups.len() > 1 { Err(Wrong::Missing(')')) } else { Ok(dialect.out) }
}

struct Reader<'p> {
    text: &'p str,
    rest: Peekable<CharIndices<'p>>,
}

impl<'p> Reader<'p> {
    fn at(&mut self) -> usize {
        self.rest.peek().map_or(self.text.len(), |(at, _)| *at)
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|(_, c)| *c)
    }

    fn next(&mut self) -> Option<char> {
        self.rest.next().map(|(_, c)| c)
    }

    fn take(&mut self, wanted: char) -> bool {
        self.rest.next_if(|(_, c)| *c == wanted).is_some()
    }

    fn left(&mut self) -> &'p str {
        let at = self.at();
        &self.text[at..]
    }

    /// Goes over so many bytes.
    fn skip(&mut self, bytes: usize) {
        let end = self.at() + bytes;
        while self.rest.next_if(|(at, _)| *at < end).is_some() {}
    }

    fn since(&mut self, start: usize) -> &'p str {
        let end = self.at();
        &self.text[start..end]
    }
}

/// What is open, and what its last term was.
#[derive(Default)]
struct Group {
    /// There is something to repeat; how often it is repeated within itself.
    term: Option<u32>,
    /// The last operator began here.
    operator: Option<usize>,
    /// The largest count of repetitions inside.
    repeats: u32,
}

impl Group {
    fn term(&mut self, repeats: u32) {
        self.term = Some(repeats.max(1));
        self.operator = None;
    }
}

struct Dialect<'p> {
    reader: Reader<'p>,
    out: String,
    groups: Vec<Group>,
}

impl Dialect<'_> {
    fn group(&mut self) -> &mut Group {
        self.groups.last_mut().expect("the whole pattern is one")
    }

    fn run(&mut self) -> Made<()> {
        loop {
            let start = self.reader.at();
            let Some(c) = self.reader.next() else { return Ok(()) };
            match c {
                '(' => self.open(start)?,
                ')' => {
                    let closed = self.groups.pop().expect("the whole pattern is one");
                    if self.groups.is_empty() {
                        return Err(Wrong::Unexpected);
                    }
                    self.out.push(')');
                    self.group().term(closed.repeats);
                }
                '|' => {
                    self.out.push('|');
                    let group = self.group();
                    (group.term, group.operator) = (None, None);
                }
                '[' => {
                    let class = self.class()?;
                    self.out.push_str(&class);
                    self.group().term(1);
                }
                '*' | '+' | '?' => self.repeat(start, None)?,
                '{' => match self.counts() {
                    Some(counts) => self.repeat(start, Some(counts))?,
                    None => self.literal('{'),
                },
                '.' | '^' | '$' => {
                    self.out.push(c);
                    self.group().term(1);
                }
                '\\' => self.escape(start)?,
                c => self.literal(c),
            }
        }
    }

    fn literal(&mut self, c: char) {
        push_literal(&mut self.out, c);
        self.group().term(1);
    }

    /// `(` has been read.
    fn open(&mut self, start: usize) -> Made<()> {
        if !self.reader.take('?') {
            self.out.push('(');
            self.groups.push(Group::default());
            return Ok(());
        }
        let wrong = |reader: &mut Reader<'_>| Wrong::Invalid(format!("invalid perl operator: {}", reader.since(start)));
        if self.reader.take('P') {
            if !self.reader.take('<') {
                return Err(wrong(&mut self.reader));
            }
            let name = self.reader.at();
            while self.reader.rest.next_if(|(_, c)| *c != '>').is_some() {}
            let name = self.reader.since(name);
            let closed = self.reader.take('>');
            if !closed || name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
                let shown = self.reader.since(start);
                return Err(Wrong::Invalid(format!("invalid named capture group: {shown}")));
            }
            // A name may stand for several groups there, and nobody asks for one by it.
            self.out.push('(');
            self.groups.push(Group::default());
            return Ok(());
        }
        self.out.push_str("(?");
        let (mut negated, mut any) = (false, true);
        loop {
            match self.reader.next() {
                Some(flag @ ('i' | 'm' | 's' | 'U')) => {
                    self.out.push(flag);
                    any = true;
                }
                Some('-') if !negated => {
                    self.out.push('-');
                    (negated, any) = (true, false);
                }
                Some(':') if any => {
                    self.out.push(':');
                    self.groups.push(Group::default());
                    return Ok(());
                }
                Some(')') if any => {
                    // `(?)` is nothing, and the library does not take it.
                    if self.out.ends_with("(?") {
                        self.out.truncate(self.out.len() - 2);
                    } else {
                        self.out.push(')');
                    }
                    let group = self.group();
                    (group.term, group.operator) = (None, None);
                    return Ok(());
                }
                _ => return Err(wrong(&mut self.reader)),
            }
        }
    }

    /// What follows a `{`, if it is a count: the least and the most.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let left = self.reader.left();
        let inner = &left[..left.find('}')?];
        let number = |digits: &str| {
            let whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            whole.then(|| digits.parse().unwrap_or(u32::MAX))
        };
        let counts = match inner.split_once(',') {
            None => number(inner).map(|count| (count, Some(count)))?,
            Some((least, "")) => (number(least)?, None),
            Some((least, most)) => (number(least)?, Some(number(most)?)),
        };
        self.reader.skip(inner.len() + 1);
        Some(counts)
    }

    /// An operator that began at `start`, of which a `?` may be left to read.
    fn repeat(&mut self, start: usize, counts: Option<(u32, Option<u32>)>) -> Made<()> {
        self.reader.take('?');
        let shown = self.reader.since(start).to_owned();
        let group = self.groups.last_mut().expect("the whole pattern is one");
        if let Some(before) = group.operator {
            let both = self.reader.since(before);
            return Err(Wrong::Invalid(format!("bad repetition operator: {both}")));
        }
        let Some(within) = group.term else {
            return Err(Wrong::Invalid(format!("no argument for repetition operator: {shown}")));
        };
        let mut repeats = within;
        if let Some((least, most)) = counts {
            repeats = within.saturating_mul(most.unwrap_or(least).max(1));
            if least > REPEATS_MAX
                || most.is_some_and(|most| most > REPEATS_MAX || most < least)
                || repeats > REPEATS_MAX
            {
                let size = shown.strip_suffix('?').unwrap_or(&shown);
                return Err(Wrong::Invalid(format!("invalid repetition size: {size}")));
            }
        }
        group.repeats = group.repeats.max(repeats);
        (group.term, group.operator) = (Some(repeats), Some(start));
        self.out.push_str(&shown);
        Ok(())
    }

    /// `\` has been read, outside of a class.
    fn escape(&mut self, start: usize) -> Made<()> {
        let Some(c) = self.reader.peek() else { return Err(Wrong::TrailingBackslash) };
        let out = match c {
            'A' => "\\A",
            'z' => "\\z",
            'b' => "(?-u:\\b)",
            'B' => "(?-u:\\B)",
            'Q' => {
                self.reader.next();
                let left = self.reader.left();
                let (quoted, whole) = left.find("\\E").map_or((left, left.len()), |end| (&left[..end], end + 2));
                quoted.chars().for_each(|c| self.literal(c));
                self.reader.skip(whole);
                return Ok(());
            }
            'p' | 'P' => {
                let class = self.unicode_class(start)?;
                self.out.push_str(&class);
                self.group().term(1);
                return Ok(());
            }
            c => match perl_class(c) {
                Some(class) => class,
                None => {
                    let literal = self.character(start)?;
                    self.literal(literal);
                    return Ok(());
                }
            },
        };
        self.reader.next();
        self.out.push_str(out);
        self.group().term(1);
        Ok(())
    }

    /// The character that an escape stands for; its `\` has been read.
    fn character(&mut self, start: usize) -> Made<char> {
        let Some(c) = self.reader.next() else { return Err(Wrong::TrailingBackslash) };
        let octal = |c: char| c.to_digit(8);
        let made = match c {
            // One digit alone would be a back reference.
            '1'..='7' if self.reader.peek().is_none_or(|c| octal(c).is_none()) => None,
            '0'..='7' => {
                let mut code = octal(c).expect("one of them");
                for _ in 0..2 {
                    let Some(digit) = self.reader.peek().and_then(octal) else { break };
                    self.reader.next();
                    code = code * 8 + digit;
                }
                char::from_u32(code)
            }
            'x' => self.hexadecimal(),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'a' => Some('\x07'),
            'f' => Some('\x0c'),
            'v' => Some('\x0b'),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(c),
            _ => None,
        };
        made.ok_or_else(|| Wrong::Invalid(format!("invalid escape sequence: {}", self.reader.since(start))))
    }

    /// Two digits, or any number of them in braces.
    fn hexadecimal(&mut self) -> Option<char> {
        let braced = self.reader.take('{');
        let (mut code, mut digits) = (0_u32, 0);
        while braced || digits < 2 {
            let Some(digit) = self.reader.peek().and_then(|c| c.to_digit(16)) else { break };
            self.reader.next();
            (code, digits) = (code * 16 + digit, digits + 1);
            if code > 0x0010_ffff {
                return None;
            }
        }
        let whole = if braced { digits > 0 && self.reader.take('}') } else { digits == 2 };
        if whole { char::from_u32(code) } else { None }
    }

    /// `\` has been read, `p` or `P` follows.
    fn unicode_class(&mut self, start: usize) -> Made<String> {
        let mut negated = self.reader.next() == Some('P');
        let name = if self.reader.take('{') {
            let left = self.reader.left();
            let Some(end) = left.find('}') else {
                return Err(range(&self.reader.text[start..]));
            };
            self.reader.skip(end + 1);
            &left[..end]
        } else {
            let left = self.reader.left();
            let end = left.chars().next().map_or(0, char::len_utf8);
            self.reader.skip(end);
            &left[..end]
        };
        let shown = self.reader.since(start).to_owned();
        let name = match name.strip_prefix('^') {
            Some(name) => {
                negated = !negated;
                name
            }
            None => name,
        };
        // As the tables there have them: `Lu`, `Greek`, `Old_Italic`.
        let mut upper = true;
        let written = !name.is_empty()
            && name.chars().all(|c| {
                let right = if c == '_' { !upper } else { c.is_ascii_alphabetic() && c.is_ascii_uppercase() == upper };
                upper = c == '_';
                right
            });
        let class = format!("\\{}{{{name}}}", if negated { 'P' } else { 'p' });
        let category = name.len() <= 2 && regex_syntax::parse(&format!("\\p{{gc={name}}}")).is_ok();
        let known =
            category || name == "Any" || name.len() > 2 && regex_syntax::parse(&format!("\\p{{sc={name}}}")).is_ok();
        if written && known { Ok(class) } else { Err(range(&shown)) }
    }

    /// `[` has been read.
    fn class(&mut self) -> Made<String> {
        let mut out = String::from("[");
        if self.reader.take('^') {
            out.push('^');
        }
        let mut first = true;
        loop {
            let from = self.reader.at();
            let Some(c) = self.reader.peek() else { return Err(Wrong::Missing(']')) };
            if c == ']' && !first {
                self.reader.next();
                out.push(']');
                return Ok(out);
            }
            first = false;
            if self.reader.left().starts_with("[:")
                && let Some(end) = self.reader.left().find(":]")
            {
                let named = &self.reader.left()[..end + 2];
                out.push_str(posix_class(named).ok_or_else(|| range(named))?);
                self.reader.skip(end + 2);
                continue;
            }
            if c == '\\' {
                let class = self.reader.left()[1..].chars().next().and_then(perl_class);
                match self.reader.left()[1..].chars().next() {
                    Some('p' | 'P') => {
                        self.reader.next();
                        let class = self.unicode_class(from)?;
                        out.push_str(&class);
                        continue;
                    }
                    Some(_) if class.is_some() => {
                        self.reader.skip(2);
                        out.push_str(class.expect("just seen"));
                        continue;
                    }
                    _ => {}
                }
            }
            let low = self.class_character()?;
            let left = self.reader.left();
            if !left.starts_with('-') || left.starts_with("-]") || left.len() == 1 {
                push_code(&mut out, low);
                continue;
            }
            self.reader.next();
            let high = self.class_character()?;
            if high < low {
                return Err(range(self.reader.since(from)));
            }
            push_code(&mut out, low);
            out.push('-');
            push_code(&mut out, high);
        }
    }

    fn class_character(&mut self) -> Made<char> {
        let from = self.reader.at();
        match self.reader.next() {
            None => Err(Wrong::Missing(']')),
            Some('\\') => self.character(from),
            Some(c) => Ok(c),
        }
    }
}

fn range(shown: &str) -> Wrong {
    Wrong::Invalid(format!("invalid character class range: {shown}"))
}

fn push_literal(out: &mut String, c: char) {
    if regex_syntax::is_meta_character(c) {
        out.push('\\');
    }
    out.push(c);
}

/// A character of a class: none of them means anything else there.
fn push_code(out: &mut String, c: char) {
    write!(out, "\\x{{{:x}}}", u32::from(c)).expect("a string takes everything");
}

/// Of ASCII alone, whatever the text is.
fn perl_class(c: char) -> Option<&'static str> {
    Some(match c {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        's' => "[\\t\\n\\f\\r ]",
        'S' => "[^\\t\\n\\f\\r ]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        _ => return None,
    })
}

/// `[:alpha:]` and its like, which stand in a class.
fn posix_class(named: &str) -> Option<&'static str> {
    const NAMES: [&str; 14] = [
        "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper",
        "word", "xdigit",
    ];
    const CLASSES: [[&str; 2]; 14] = [
        ["[[:alnum:]]", "[[:^alnum:]]"],
        ["[[:alpha:]]", "[[:^alpha:]]"],
        ["[[:ascii:]]", "[[:^ascii:]]"],
        ["[[:blank:]]", "[[:^blank:]]"],
        ["[[:cntrl:]]", "[[:^cntrl:]]"],
        ["[[:digit:]]", "[[:^digit:]]"],
        ["[[:graph:]]", "[[:^graph:]]"],
        ["[[:lower:]]", "[[:^lower:]]"],
        ["[[:print:]]", "[[:^print:]]"],
        ["[[:punct:]]", "[[:^punct:]]"],
        ["[[:space:]]", "[[:^space:]]"],
        ["[[:upper:]]", "[[:^upper:]]"],
        ["[[:word:]]", "[[:^word:]]"],
        ["[[:xdigit:]]", "[[:^xdigit:]]"],
    ];
    let name = named.strip_prefix("[:")?.strip_suffix(":]")?;
    let (name, negated) = name.strip_prefix('^').map_or((name, 0), |name| (name, 1));
    NAMES.iter().position(|known| *known == name).map(|at| CLASSES[at][negated])
}
