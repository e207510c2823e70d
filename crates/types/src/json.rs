//! The text that a value of the type json is kept and shown as. https://learn.microsoft.com/sql/t-sql/data-types/json-data-type
//!
//! White space goes, of members with one name the first stays, names stay as they are written, strings are escaped no more than they must
//! be, and numbers are decimals. What holds of the result: it is an object or an array, and made canonical once more it is the same.

use std::collections::HashSet;

use crate::error::{SqlError, SqlResult};
use crate::pause::{CHARACTER, Pacer};
use crate::sql_error;

const DEPTH_MAX: usize = 128;
const MEMBERS_MAX: usize = 65_535;
const NAMES_MAX: usize = 32_768;
/// Digits of a decimal, and those behind the point of one that is made of a float.
const DIGITS_MAX: usize = 38;
const FRACTION: usize = 10;

/// Errors: 13609 for what is no document, by the place of its first wrong byte; 1007, 13645, 13647, 13649 for what is beyond the type.
pub fn canonical(text: &str, pacer: &mut Pacer<'_>) -> SqlResult<String> {
    let out = String::with_capacity(text.len());
    let mut reader = Reader { text, at: 0, depth: 0, out, names: HashSet::new(), pacer };
    reader.blanks()?;
    if !matches!(reader.peek(), Some(b'{' | b'[')) {
        return Err(reader.unexpected_at(reader.at));
    }
    reader.value()?;
    reader.blanks()?;
    if reader.at < text.len() { Err(reader.unexpected_at(reader.at)) } else { Ok(reader.out) }
}

struct Reader<'t, 'p> {
    text: &'t str,
    at: usize,
    depth: usize,
    out: String,
    /// All names of the document.
    names: HashSet<&'t str>,
    pacer: &'t mut Pacer<'p>,
}

impl<'t> Reader<'t, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The byte is shown as a character; behind the end there is a point.
    fn unexpected_at(&self, at: usize) -> SqlError {
        let byte = self.text.as_bytes().get(at).copied().unwrap_or(b'.');
        sql_error!(13609, state 9, char::from(byte), at.min(self.text.len()))
    }

    fn blanks(&mut self) -> SqlResult<()> {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
            self.pacer.spend(1)?;
        }
        Ok(())
    }

    fn value(&mut self) -> SqlResult<()> {
        self.pacer.spend(CHARACTER)?;
        self.blanks()?;
        match self.peek() {
            Some(b'{') => self.container(b'}', Self::members),
            Some(b'[') => self.container(b']', Self::elements),
            Some(b'"') => self.string(),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.unexpected_at(self.at)),
        }
    }

    fn container(&mut self, close: u8, inside: fn(&mut Self) -> SqlResult<()>) -> SqlResult<()> {
        if self.depth == DEPTH_MAX {
            return Err(sql_error!(13645, DEPTH_MAX));
        }
        self.depth += 1;
        self.out.push(char::from(self.text.as_bytes()[self.at]));
        self.at += 1;
        self.blanks()?;
        if self.peek() != Some(close) {
            inside(self)?;
        }
        if self.peek() != Some(close) {
            return Err(self.unexpected_at(self.at));
        }
        self.at += 1;
        self.out.push(char::from(close));
        self.depth -= 1;
        Ok(())
    }

    fn elements(&mut self) -> SqlResult<()> {
        for number in 0.. {
            one_more(number)?;
            self.value()?;
            self.blanks()?;
            if self.peek() != Some(b',') {
                break;
            }
            self.at += 1;
            self.out.push(',');
        }
        Ok(())
    }

    fn members(&mut self) -> SqlResult<()> {
        let mut here = HashSet::new();
        for number in 0.. {
            one_more(number)?;
            self.blanks()?;
            let name = self.quoted()?;
            if self.names.insert(name) && self.names.len() > NAMES_MAX {
                return Err(sql_error!(13649, NAMES_MAX));
            }
            self.blanks()?;
            if self.peek() != Some(b':') {
                return Err(self.unexpected_at(self.at));
            }
            self.at += 1;
            let length = self.out.len();
            if !here.is_empty() {
                self.out.push(',');
            }
            self.out.push_str(name);
            self.out.push(':');
            self.value()?;
            if !here.insert(name) {
                self.out.truncate(length);
            }
            self.blanks()?;
            if self.peek() != Some(b',') {
                break;
            }
            self.at += 1;
        }
        Ok(())
    }

    /// A string as it is written, with its quotes.
    fn quoted(&mut self) -> SqlResult<&'t str> {
        let length = self.out.len();
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected_at(start));
        }
        self.string()?;
        self.out.truncate(length);
        Ok(&self.text[start..self.at])
    }

    /// What is wrong in a string is told by where it begins.
    fn string(&mut self) -> SqlResult<()> {
        let start = self.at;
        self.at += 1;
        self.out.push('"');
        loop {
            self.pacer.spend(CHARACTER)?;
            let Some(c) = self.text[self.at..].chars().next() else { return Err(self.unexpected_at(self.text.len())) };
            self.at += c.len_utf8();
            match c {
                '"' => {
                    self.out.push('"');
                    return Ok(());
                }
                '\\' => {
                    let c = self.escaped().ok_or_else(|| self.unexpected_at(start))?;
                    push_escaped(c, &mut self.out);
                }
                c if c < ' ' => return Err(self.unexpected_at(start)),
                c => self.out.push(c),
            }
        }
    }

    /// What is behind a backslash. None: nothing that may be there.
    fn escaped(&mut self) -> Option<char> {
        let byte = self.peek()?;
        self.at += 1;
        Some(match byte {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' => char::from(byte),
            b'u' => {
                let high = self.unit()?;
                let is_pair = (0xd800..0xdc00).contains(&high) && self.text[self.at..].starts_with("\\u");
                if !is_pair {
                    return Some(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                let behind = self.at;
                self.at += 2;
                let low = self.unit()?;
                if !(0xdc00..0xe000).contains(&low) {
                    self.at = behind;
                    return Some(char::REPLACEMENT_CHARACTER);
                }
                char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))?
            }
            _ => return None,
        })
    }

    /// Four digits.
    fn unit(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4).filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    /// A token is told as a whole: by where it begins.
    fn token(&mut self) -> SqlResult<&'t str> {
        let start = self.at;
        while !matches!(self.peek(), None | Some(b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
            self.pacer.spend(1)?;
        }
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    fn word(&mut self, word: &str) -> SqlResult<()> {
        let start = self.at;
        if self.token()? != word {
            return Err(self.unexpected_at(start));
        }
        self.out.push_str(word);
        Ok(())
    }

    fn number(&mut self) -> SqlResult<()> {
        let start = self.at;
        let token = self.token()?;
        if !is_number(token) {
            return Err(self.unexpected_at(start));
        }
        let has_exponent = token.contains(['e', 'E']);
        let digits = token.bytes().filter(u8::is_ascii_digit).count();
        if !has_exponent && digits <= DIGITS_MAX {
            let is_zero = token.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
            self.out.push_str(if is_zero { token.trim_start_matches('-') } else { token });
            return Ok(());
        }
        let state = if has_exponent { 5 } else { 3 };
        let value: f64 = token.parse().unwrap_or(f64::INFINITY);
        let decimal = decimal_of(value).ok_or_else(|| sql_error!(1007, severity 16, state state, "number", token))?;
        self.out.push_str(&decimal);
        Ok(())
    }
}

fn one_more(members: usize) -> SqlResult<()> {
    if members < MEMBERS_MAX { Ok(()) } else { Err(sql_error!(13647, MEMBERS_MAX)) }
}

/// As decimal(38, 10), of the float's exact value, half away from zero. None: out of its range.
fn decimal_of(value: f64) -> Option<String> {
    // More digits than decide where half is: a float that ends in a half at the eleventh place has no more than eleven.
    const SHOWN: usize = 60;
    if value.abs() >= 1e28 {
        return None;
    }
    let shown = format!("{:.SHOWN$}", value.abs());
    let (whole, fraction) = shown.split_once('.')?;
    let mut digits: i128 = format!("{whole}{}", &fraction[..FRACTION]).parse().ok()?;
    if fraction.as_bytes()[FRACTION] >= b'5' {
        digits += 1;
    }
    let digits = format!("{digits:0>11}");
    let (whole, fraction) = digits.split_at(digits.len() - FRACTION);
    if whole.len() > DIGITS_MAX - FRACTION {
        return None;
    }
    let is_zero = digits.bytes().all(|byte| byte == b'0');
    let sign = if value < 0.0 && !is_zero { "-" } else { "" };
    Some(format!("{sign}{whole}.{fraction}"))
}

fn push_escaped(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c < ' ' => out.push_str(&format!("\\u{:04X}", c as u32)),
        c => out.push(c),
    }
}

/// Whether JSON has such a number: RFC 8259.
pub fn is_number(token: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = token.strip_prefix('-').unwrap_or(token);
    let whole = digits(rest);
    if whole == 0 || whole > 1 && rest.starts_with('0') {
        return false;
    }
    let mut rest = &rest[whole..];
    if let Some(part) = rest.strip_prefix('.') {
        rest = &part[digits(part)..];
        if rest.len() == part.len() {
            return false;
        }
    }
    let Some(power) = rest.strip_prefix(['e', 'E']) else { return rest.is_empty() };
    let power = power.strip_prefix(['+', '-']).unwrap_or(power);
    !power.is_empty() && digits(power) == power.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<String, i32> {
        canonical(text, &mut Pacer::none()).map_err(|error| error.number)
    }

    #[test]
    fn documents_are_canonical() {
        for (text, expected) in [
            (r#" { "b" : 1, "a":2, "dup": 1, "dup": 2 } "#, r#"{"b":1,"a":2,"dup":1}"#),
            (
                r#"[1.50, -0.0, 1e2, 1.5e-10, 1e27]"#,
                "[1.50,0.0,100.0000000000,0.0000000001,1000000000000000013287555072.0000000000]",
            ),
            (r#"{"\/":1,"/":2}"#, r#"{"\/":1,"/":2}"#),
            (r#"["\/\u0041\u00e9\u0001\ud83d\ude00\ud83d"]"#, "[\"/A\u{e9}\\u0001\u{1f600}\u{fffd}\"]"),
            ("[]", "[]"),
            ("{ }", "{}"),
        ] {
            assert_eq!(of(text).as_deref(), Ok(expected));
            assert_eq!(of(expected).as_deref(), Ok(expected), "once more");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for (text, number) in [
            ("", 13609),
            ("1", 13609),
            ("[1,]", 13609),
            ("{\"a\" 1}", 13609),
            ("[01]", 13609),
            ("[tru]", 13609),
            ("[\"a", 13609),
            ("[1] 2", 13609),
            ("[1e40]", 1007),
            (&"[".repeat(129), 13645),
        ] {
            assert_eq!(of(text), Err(number), "{text}");
        }
    }
}
