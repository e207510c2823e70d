//! JSON text: a tree that remembers where each value stands, paths into it, and changes by splicing the text.

use std::borrow::Cow;
use std::ops::Deref;

use types::pause::{CHARACTER, Pacer};
use types::{SqlError, SqlResult, sql_error};

/// Nesting that SQL Server reads.
const DEPTH_MAX: usize = 128;

/// Work for a value, with its place in the tree.
const VALUE: usize = 8 * CHARACTER;

pub struct Json {
    /// Bytes of the text it was read from.
    start: usize,
    end: usize,
    kind: Kind,
}

enum Kind {
    Null,
    Bool,
    Number,
    String(String),
    Array(Vec<Json>),
    Object(Vec<Member>),
}

/// What a scalar other than null is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonScalar {
    Flag,
    Number,
    String,
}

struct Member {
    key: String,
    start: usize,
    value: Json,
}

struct Reader<'t, 'p> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// It reads what is wanted, not what is before or around it.
    inside: bool,
    pacer: &'t mut Pacer<'p>,
}

/// All that a text says.
pub struct Tree(Json);

/// A tree of so long a text is freed off the scheduler: it has many small blocks.
const LARGE_BYTES: usize = 1 << 20;

impl Deref for Tree {
    type Target = Json;
    fn deref(&self) -> &Json {
        &self.0
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if self.0.end - self.0.start >= LARGE_BYTES {
            os::heap::let_go(std::mem::replace(&mut self.0.kind, Kind::Null));
        }
    }
}

impl Json {
    /// Error 13609 for what is not JSON.
    pub fn parse(text: &str, pacer: &mut Pacer<'_>) -> SqlResult<Tree> {
        let mut reader = Reader { text, at: 0, depth: 0, inside: true, pacer };
        reader.blanks()?;
        if !matches!(reader.peek(), Some(b'{' | b'[')) {
            return Err(reader.unexpected());
        }
        let value = reader.value()?;
        reader.blanks()?;
        if reader.at < text.len() { Err(reader.unexpected()) } else { Ok(Tree(value)) }
    }

    /// The value at the path, of a text that is read no further than to where that is settled: what stands behind it may be anything. None:
    /// there is none, and the path is lax. 13608 if it is strict; 13609
    pub fn seek(text: &str, path: &Path, pacer: &mut Pacer<'_>) -> SqlResult<Option<Tree>> {
        let mut reader = Reader { text, at: 0, depth: 0, inside: path.steps.is_empty(), pacer };
        reader.blanks()?;
        if !matches!(reader.peek(), Some(b'{' | b'[')) {
            return Err(reader.unexpected());
        }
        match reader.seek(&path.steps)? {
            Sought::Found(value) => return Ok(Some(Tree(value))),
            Sought::Settled => {}
            Sought::Absent => {
                reader.blanks()?;
                if reader.at < text.len() {
                    return Err(reader.unexpected());
                }
            }
        }
        if path.strict { Err(not_found()) } else { Ok(None) }
    }

    /// As `parse`, of any value.
    pub fn parse_value(text: &str, pacer: &mut Pacer<'_>) -> SqlResult<Tree> {
        let mut reader = Reader { text, at: 0, depth: 0, inside: true, pacer };
        let value = reader.value()?;
        reader.blanks()?;
        if reader.at < text.len() { Err(reader.unexpected()) } else { Ok(Tree(value)) }
    }

    /// As OPENJSON numbers them.
    pub fn type_number(&self) -> i64 {
        match self.kind {
            Kind::Null => 0,
            Kind::String(_) => 1,
            Kind::Number => 2,
            Kind::Bool => 3,
            Kind::Array(_) => 4,
            Kind::Object(_) => 5,
        }
    }

    /// The value as OPENJSON shows it. None: null.
    pub fn shown(&self, text: &str) -> Option<String> {
        match &self.kind {
            Kind::Null => None,
            Kind::String(value) => Some(value.clone()),
            _ => Some(text[self.start..self.end].to_string()),
        }
    }

    pub fn members(&self) -> Box<dyn Iterator<Item = (Cow<'_, str>, &Json)> + '_> {
        match &self.kind {
            Kind::Array(values) => {
                Box::new(values.iter().enumerate().map(|(i, value)| (Cow::Owned(i.to_string()), value)))
            }
            Kind::Object(members) => {
                Box::new(members.iter().map(|member| (Cow::Borrowed(member.key.as_str()), &member.value)))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    /// What OPENJSON WITH makes a row of.
    pub fn rows(&self) -> &[Json] {
        match &self.kind {
            Kind::Array(values) => values,
            _ => std::slice::from_ref(self),
        }
    }

    /// None: null, an object or an array.
    pub fn scalar(&self) -> Option<JsonScalar> {
        match self.kind {
            Kind::Bool => Some(JsonScalar::Flag),
            Kind::Number => Some(JsonScalar::Number),
            Kind::String(_) => Some(JsonScalar::String),
            Kind::Null | Kind::Array(_) | Kind::Object(_) => None,
        }
    }

    pub fn is_container(&self) -> bool {
        matches!(self.kind, Kind::Array(_) | Kind::Object(_))
    }

    fn step(&self, step: &Step) -> Option<&Json> {
        match (step, &self.kind) {
            (Step::Key(key), Kind::Object(members)) => {
                members.iter().find(|member| member.key == *key).map(|member| &member.value)
            }
            (Step::Index(index), Kind::Array(values)) => values.get(*index),
            _ => None,
        }
    }

    /// Each value where the steps lead, through all of an array's elements at each `Step::Every`.
    fn each(&self, steps: &[Step], found: &mut impl FnMut(&Json) -> SqlResult<()>) -> SqlResult<()> {
        match (steps.split_first(), &self.kind) {
            (None, _) => found(self),
            (Some((Step::Every, rest)), Kind::Array(values)) => {
                values.iter().try_for_each(|value| value.each(rest, found))
            }
            (Some((step, rest)), _) => self.step(step).map_or(Ok(()), |value| value.each(rest, found)),
        }
    }

    /// Whether there is something where the steps lead, through any of an array's elements at each `Step::Every`.
    fn reaches(&self, steps: &[Step]) -> bool {
        match (steps.split_first(), &self.kind) {
            (None, _) => true,
            (Some((Step::Every, rest)), Kind::Array(values)) => values.iter().any(|value| value.reaches(rest)),
            (Some((step, rest)), _) => self.step(step).is_some_and(|value| value.reaches(rest)),
        }
    }
}

/// What a reader knows of a path.
enum Sought {
    Found(Json),
    /// It leads nowhere: it asks an array for a member or an object for an element, and the first one told which it is.
    Settled,
    /// It leads nowhere, and the whole value has been read for that.
    Absent,
}

impl Reader<'_, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) -> SqlResult<()> {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
            self.pacer.spend(1)?;
        }
        Ok(())
    }

    /// Or that nobody wants to know any more.
    fn unexpected(&mut self) -> SqlError {
        let found = self.text.get(self.at..).and_then(|rest| rest.chars().next()).unwrap_or('.');
        let mut position = 0;
        for c in self.text.get(..self.at).unwrap_or_default().chars() {
            position += c.len_utf16();
            if let Err(stop) = self.pacer.spend(1) {
                return stop;
            }
        }
        let state = if self.inside { 4 } else { 3 };
        sql_error!(13609, found, position).in_state(state)
    }

    fn expect(&mut self, byte: u8) -> SqlResult<()> {
        if self.peek() != Some(byte) {
            return Err(self.unexpected());
        }
        self.at += 1;
        Ok(())
    }

    /// A token that is none is told by where it begins: it is taken as a whole.
    fn unexpected_from(&mut self, start: usize) -> SqlError {
        self.at = start;
        self.unexpected()
    }

    /// The value at the steps from here. Of members with one name the first counts, also if it leads nowhere.
    fn seek(&mut self, steps: &[Step]) -> SqlResult<Sought> {
        let Some((step, rest)) = steps.split_first() else {
            self.inside = true;
            return self.value().map(Sought::Found);
        };
        self.blanks()?;
        let close = match self.peek() {
            Some(b'{') => b'}',
            Some(b'[') => b']',
            _ => return self.value().map(|_| Sought::Absent),
        };
        self.deepen()?;
        self.at += 1;
        self.blanks()?;
        let is_object = close == b'}';
        let (mut number, mut met) = (0, false);
        while number > 0 || self.peek() != Some(close) {
            let is_it = match (step, is_object) {
                (Step::Key(key), true) => self.name()? == *key,
                (Step::Index(index), false) => *index == number,
                (_, true) => self.name().map(|_| false)?,
                (_, false) => false,
            };
            if is_it && !met {
                met = true;
                match self.seek(rest)? {
                    Sought::Absent => {}
                    sought => return Ok(sought),
                }
            } else {
                self.value()?;
            }
            if is_object != matches!(step, Step::Key(_)) {
                return Ok(Sought::Settled);
            }
            number += 1;
            self.blanks()?;
            if self.peek() != Some(b',') {
                break;
            }
            self.at += 1;
        }
        self.expect(close)?;
        self.depth -= 1;
        Ok(Sought::Absent)
    }

    fn deepen(&mut self) -> SqlResult<()> {
        if self.depth == DEPTH_MAX {
            return Err(sql_error!(13606, DEPTH_MAX));
        }
        self.depth += 1;
        Ok(())
    }

    /// A member's name, up to its value.
    fn name(&mut self) -> SqlResult<String> {
        self.blanks()?;
        let name = self.quoted()?;
        self.blanks()?;
        self.expect(b':')?;
        Ok(name)
    }

    fn value(&mut self) -> SqlResult<Json> {
        self.pacer.spend(VALUE)?;
        self.blanks()?;
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{' | b'[') => {
                self.deepen()?;
                let kind = if self.peek() == Some(b'{') { self.object()? } else { self.array()? };
                self.depth -= 1;
                kind
            }
            Some(b'"') => Kind::String(self.quoted()?),
            Some(b't') => self.word("true", Kind::Bool)?,
            Some(b'f') => self.word("false", Kind::Bool)?,
            Some(b'n') => self.word("null", Kind::Null)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(self.unexpected()),
        };
        Ok(Json { start, end: self.at, kind })
    }

    fn word(&mut self, word: &str, kind: Kind) -> SqlResult<Kind> {
        if !self.text[self.at..].starts_with(word) || !self.ends_at(self.at + word.len()) {
            return Err(self.unexpected());
        }
        self.at += word.len();
        Ok(kind)
    }

    /// No token goes on there.
    fn ends_at(&self, at: usize) -> bool {
        matches!(self.text.as_bytes().get(at), None | Some(b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n'))
    }

    fn digits(&mut self) -> SqlResult<()> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.unexpected());
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
            self.pacer.spend(1)?;
        }
        Ok(())
    }

    fn number(&mut self) -> SqlResult<Kind> {
        let start = self.at;
        while !self.ends_at(self.at) {
            self.at += 1;
            self.pacer.spend(1)?;
        }
        if types::json::is_number(&self.text[start..self.at]) {
            Ok(Kind::Number)
        } else {
            Err(self.unexpected_from(start))
        }
    }

    fn quoted(&mut self) -> SqlResult<String> {
        let start = self.at;
        match self.string() {
            Err(error) if error.number == 13609 => Err(self.unexpected_from(start)),
            read => read,
        }
    }

    fn string(&mut self) -> SqlResult<String> {
        self.expect(b'"')?;
        let mut units = String::new();
        loop {
            self.pacer.spend(CHARACTER)?;
            let Some(c) = self.text[self.at..].chars().next() else { return Err(self.unexpected()) };
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(units);
                }
                '\\' => {
                    self.at += 1;
                    units.push(self.escaped()?);
                }
                c if (c as u32) < 0x20 => return Err(self.unexpected()),
                c => {
                    units.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    fn escaped(&mut self) -> SqlResult<char> {
        let c = match self.peek() {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(c @ (b'"' | b'\\' | b'/')) => c as char,
            Some(b'u') => {
                let high = self.unit()?;
                if !(0xd800..0xdc00).contains(&high) || !self.text[self.at..].starts_with("\\u") {
                    return Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                self.at += 1;
                let low = self.unit()?;
                let code = 0x10000 + ((high - 0xd800) << 10) + (low & 0x3ff);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        Ok(c)
    }

    /// `uXXXX`
    fn unit(&mut self) -> SqlResult<u32> {
        self.at += 1;
        let mut value = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|byte| (byte as char).to_digit(16)) else {
                return Err(self.unexpected());
            };
            value = value * 16 + digit;
            self.at += 1;
        }
        Ok(value)
    }

    fn array(&mut self) -> SqlResult<Kind> {
        self.at += 1;
        let mut values = Vec::new();
        self.blanks()?;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Kind::Array(values));
        }
        loop {
            values.push(self.value()?);
            self.blanks()?;
            if self.peek() == Some(b',') {
                self.at += 1;
                continue;
            }
            self.expect(b']')?;
            return Ok(Kind::Array(values));
        }
    }

    fn object(&mut self) -> SqlResult<Kind> {
        self.at += 1;
        let mut members = Vec::new();
        self.blanks()?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Kind::Object(members));
        }
        loop {
            self.blanks()?;
            let start = self.at;
            let key = self.name()?;
            members.push(Member { key, start, value: self.value()? });
            self.blanks()?;
            if self.peek() == Some(b',') {
                self.at += 1;
                continue;
            }
            self.expect(b'}')?;
            return Ok(Kind::Object(members));
        }
    }
}

/// `[append] [lax | strict] $.key."quoted key"[0]`
pub struct Path {
    pub strict: bool,
    append: bool,
    steps: Vec<Step>,
}

enum Step {
    Key(String),
    Index(usize),
    /// `[*]`
    Every,
}

impl Path {
    pub fn root() -> Path {
        Path { strict: false, append: false, steps: Vec::new() }
    }

    /// `$[*]`
    pub fn elements() -> Path {
        Path { steps: vec![Step::Every], ..Path::root() }
    }

    /// Error 13607 for what is not a path.
    pub fn parse(path: &str) -> SqlResult<Path> {
        Path::parse_with(path, false)
    }

    /// The same, where `[*]` may stand for every element of an array.
    pub fn parse_wildcards(path: &str) -> SqlResult<Path> {
        Path::parse_with(path, true)
    }

    fn parse_with(path: &str, wildcards: bool) -> SqlResult<Path> {
        let mut parsed = Path::root();
        let pacer = &mut Pacer::none();
        let mut reader = Reader { text: path, at: 0, depth: 0, inside: true, pacer };
        reader.blanks()?;
        for (word, flag) in [("append", 0), ("lax", 1), ("strict", 2)] {
            if path[reader.at..].starts_with(word) {
                reader.at += word.len();
                reader.blanks()?;
                match flag {
                    0 => parsed.append = true,
                    1 => {}
                    _ => parsed.strict = true,
                }
            }
        }
        if reader.peek() != Some(b'$') {
            return Err(bad_path(&reader));
        }
        reader.at += 1;
        loop {
            match reader.peek() {
                None => return Ok(parsed),
                Some(b'.') => {
                    reader.at += 1;
                    parsed.steps.push(Step::Key(key(&mut reader)?));
                }
                Some(b'[') if wildcards && path[reader.at..].starts_with("[*]") => {
                    reader.at += "[*]".len();
                    parsed.steps.push(Step::Every);
                }
                Some(b'[') => {
                    reader.at += 1;
                    let start = reader.at;
                    reader.digits().map_err(|_| bad_path(&reader))?;
                    let index = path[start..reader.at].parse().map_err(|_| bad_path(&reader))?;
                    reader.expect(b']').map_err(|_| bad_path(&reader))?;
                    parsed.steps.push(Step::Index(index));
                }
                Some(b' ') if path[reader.at..].trim().is_empty() => return Ok(parsed),
                Some(_) => return Err(bad_path(&reader)),
            }
        }
    }

    /// None: there is nothing at the path, and it is lax. 13608 if it is strict.
    pub fn find<'j>(&self, document: &'j Json, _text: &str) -> SqlResult<Option<&'j Json>> {
        let found = self.steps.iter().try_fold(document, |value, step| value.step(step));
        if found.is_none() && self.strict { Err(not_found()) } else { Ok(found) }
    }

    /// Each value that it leads to.
    pub fn each(&self, document: &Json, found: &mut impl FnMut(&Json) -> SqlResult<()>) -> SqlResult<()> {
        document.each(&self.steps, found)
    }

    /// JSON_PATH_EXISTS: something is there, if only a null.
    pub fn exists(&self, document: &Json) -> bool {
        document.reaches(&self.steps)
    }

    /// JSON_VALUE: a scalar as text.
    pub fn value(&self, document: &Json, text: &str) -> SqlResult<Option<String>> {
        match self.find(document, text)? {
            Some(found) => self.scalar(found, text),
            None => Ok(None),
        }
    }

    pub fn scalar(&self, found: &Json, text: &str) -> SqlResult<Option<String>> {
        match found.is_container() {
            false => Ok(found.shown(text)),
            true if self.strict => Err(sql_error!(13623)),
            true => Ok(None),
        }
    }

    /// JSON_QUERY: an object or array as it is written; null is NULL.
    pub fn query(&self, document: &Json, text: &str) -> SqlResult<Option<String>> {
        match self.find(document, text)? {
            Some(found) => self.shown(found, text),
            None => Ok(None),
        }
    }

    pub fn shown(&self, found: &Json, text: &str) -> SqlResult<Option<String>> {
        match found.kind {
            Kind::Array(_) | Kind::Object(_) => Ok(Some(text[found.start..found.end].to_string())),
            Kind::Null => Ok(None),
            _ if self.strict => Err(sql_error!(13624)),
            _ => Ok(None),
        }
    }

    /// JSON_MODIFY: the text with `new`, which is JSON, at the path. None: deletes a lax path's member.
    pub fn modify(&self, text: &str, new: Option<&str>, pacer: &mut Pacer<'_>) -> SqlResult<String> {
        let document = Json::parse(text, pacer)?;
        let raw = new.unwrap_or("null");
        let mut splice = |start: usize, end: usize, with: &[&str]| {
            let mut changed = String::new();
            pacer.push(&text[..start], &mut changed)?;
            for part in with {
                pacer.push(part, &mut changed)?;
            }
            pacer.push(&text[end..], &mut changed)?;
            Ok(changed)
        };
        let unchanged = |splice: &mut dyn FnMut(usize, usize, &[&str]) -> SqlResult<String>| match self.strict {
            true => Err(not_found()),
            false => splice(text.len(), text.len(), &[]),
        };
        let no_array = |splice: &mut dyn FnMut(usize, usize, &[&str]) -> SqlResult<String>| match self.strict {
            true => Err(sql_error!(13621)),
            false => splice(text.len(), text.len(), &[]),
        };
        let Some((last, before)) = self.steps.split_last() else {
            return match (&document.kind, self.append) {
                (Kind::Array(values), true) => {
                    let comma = if values.is_empty() { "" } else { "," };
                    splice(document.end - 1, document.end - 1, &[comma, raw])
                }
                (_, true) => no_array(&mut splice),
                (_, false) => Err(sql_error!(13619, 2, "JSON_MODIFY")),
            };
        };
        let Some(parent) = before.iter().try_fold(&*document, |value, step| value.step(step)) else {
            return unchanged(&mut splice);
        };
        if let Some(found) = parent.step(last) {
            if self.append {
                let Kind::Array(values) = &found.kind else { return no_array(&mut splice) };
                let comma = if values.is_empty() { "" } else { "," };
                return splice(found.end - 1, found.end - 1, &[comma, raw]);
            }
            if new.is_none()
                && !self.strict
                && let Kind::Object(members) = &parent.kind
            {
                let at =
                    members.iter().position(|member| std::ptr::eq(&member.value, found)).expect("it was found there");
                let (start, end) = match (members.get(at + 1), at) {
                    (Some(next), _) => (members[at].start, next.start),
                    (None, 0) => (members[at].start, found.end),
                    (None, at) => (members[at - 1].value.end, found.end),
                };
                return splice(start, end, &[]);
            }
            return splice(found.start, found.end, &[raw]);
        }
        let (Kind::Object(members), Step::Key(key)) = (&parent.kind, last) else { return unchanged(&mut splice) };
        if self.strict || new.is_none() && !self.append {
            return unchanged(&mut splice);
        }
        let comma = if members.is_empty() { "" } else { "," };
        let mut name = String::new();
        super::functions::escape_json(key, &mut name);
        let (open, close) = if self.append { ("[", "]") } else { ("", "") };
        splice(parent.end - 1, parent.end - 1, &[comma, "\"", &name, "\":", open, raw, close])
    }
}

fn key(reader: &mut Reader<'_, '_>) -> SqlResult<String> {
    if reader.peek() == Some(b'"') {
        return reader.string().map_err(|_| bad_path(reader));
    }
    let rest = &reader.text[reader.at..];
    let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
    let first_is_digit = rest.starts_with(|c: char| c.is_ascii_digit());
    if length == 0 || first_is_digit {
        return Err(bad_path(reader));
    }
    reader.at += length;
    Ok(rest[..length].to_string())
}

fn bad_path(reader: &Reader<'_, '_>) -> SqlError {
    let found = reader.text.get(reader.at..).and_then(|rest| rest.chars().next()).unwrap_or('.');
    sql_error!(13607, state 4, found, reader.at)
}

fn not_found() -> SqlError {
    sql_error!(13608, state 2)
}
