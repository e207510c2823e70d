//! Texts that are dates and times: everything T-SQL takes.
//!
//! A text is a date and a time in either order, each optional. Dates: numbers apart by `/ - .` in the order of SET
//! DATEFORMAT (a year of four digits may stand anywhere), 4, 6 or 8 digits together, or with a month's name in the language of
//! the session.
//! Times: `h[:m[:s[.fraction | :ms]]] [AM | PM]`. `T` may join them, `Z` or `+hh:mm` may follow, and the ODBC forms
//! `{ts '...'}`, `{d '...'}`, `{t '...'}` may enclose them.

use std::sync::atomic::{AtomicI32, Ordering};

use super::calendar::{Civil, DAY_1900, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};
use super::language::DateFormat;
use super::language::LanguageId;
use super::moment::Moment;

/// The last of the hundred years that two digits mean: `two digit year cutoff`. Of the whole process, as SQL Server has it: a text
/// is converted in many places that know no session. Orders nothing.
static TWO_DIGIT_YEAR_CUTOFF: AtomicI32 = AtomicI32::new(2049);

/// From now on for every conversion. `year` is 1753 to 9999.
pub fn set_two_digit_year_cutoff(year: i32) {
    assert!((1753..=9999).contains(&year));
    TWO_DIGIT_YEAR_CUTOFF.store(year, Ordering::Relaxed);
}

/// datetime and smalldatetime read by the old rules, the other types by the new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// `yyyy-mm-dd` follows SET DATEFORMAT, at most three digits of fraction, no offset but `Z`.
    Old,
    /// A year in front is always `ymd`, up to nine digits of fraction, an offset may follow.
    New,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseError {
    /// 241
    Syntax,
    /// The form is right but no such day or time exists: 242 for the old types, 241 for the new.
    Range,
}

/// What a text said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parsed {
    /// Today is not known here: a text without date is of 1900-01-01.
    pub moment: Moment,
    pub has_date: bool,
    pub has_time: bool,
    pub has_offset: bool,
}

/// Reads a text. `text` is any text; what is not ASCII must be a month's name.
pub fn parse(text: &str, format: DateFormat, language: LanguageId, rules: Rules) -> Result<Parsed, ParseError> {
    // Blanks around it do not count, and in the newer types' texts tabs neither.
    let text = text.trim_matches(|c: char| c == ' ' || c == '\t' && rules == Rules::New);
    let text = odbc(text).unwrap_or(text);
    let mut parser = Parser {
        rest: text.as_bytes(),
        format,
        language,
        rules,
        date: None,
        month: None,
        numbers: [None; 2],
        time: None,
        offset: None,
    };
    parser.run()
}

/// `+hh:mm`, `-hh:mm` or `Z`: minutes east of UTC.
pub fn parse_offset(text: &str) -> Option<i16> {
    let text = text.trim_ascii();
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, digits) = match text.as_bytes() {
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    // One digit is enough on either side of the colon.
    let at = digits.iter().position(|byte| *byte == b':')?;
    let (hours, minutes) = (number(&digits[..at])?, number(&digits[at + 1..])?);
    (hours <= 14 && minutes < 60 && hours * 60 + minutes <= 840).then_some(sign * (hours * 60 + minutes))
}

/// Of one digit or two.
fn number(digits: &[u8]) -> Option<i16> {
    let all = matches!(digits.len(), 1 | 2) && digits.iter().all(u8::is_ascii_digit);
    all.then(|| digits.iter().fold(0, |value, digit| value * 10 + i16::from(digit - b'0')))
}

/// The text in an ODBC escape.
fn odbc(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?.trim();
    let quoted = ["ts", "d", "t"].iter().find_map(|kind| {
        let prefix = inner.get(..kind.len())?;
        prefix.eq_ignore_ascii_case(kind).then(|| inner[kind.len()..].trim_start())
    })?;
    quoted.strip_prefix('\'')?.strip_suffix('\'')
}

/// A number with how many digits it was written.
#[derive(Debug, Clone, Copy)]
struct Number {
    value: i64,
    digits: usize,
}

struct Parser<'t> {
    rest: &'t [u8],
    format: DateFormat,
    language: LanguageId,
    rules: Rules,
    date: Option<Civil>,
    /// Of a date with a month name, whose numbers are collected.
    month: Option<i64>,
    numbers: [Option<Number>; 2],
    time: Option<i64>,
    offset: Option<i16>,
}

impl<'t> Parser<'t> {
    fn run(&mut self) -> Result<Parsed, ParseError> {
        loop {
            self.skip_blanks();
            match self.rest.first() {
                None => break,
                Some(c) if c.is_ascii_digit() => self.number_first()?,
                Some(&c) if is_letter(c) => self.word_first()?,
                Some(b',') if self.month.is_some() => self.rest = &self.rest[1..],
                Some(b'+' | b'-') if self.time.is_some() && self.offset.is_none() => self.read_offset()?,
                Some(b'-') if self.month.is_some() || self.numbers[0].is_some() => self.rest = &self.rest[1..],
                _ => return Err(ParseError::Syntax),
            }
        }
        let named = self.named_date()?;
        if named.is_some() && self.date.is_some() {
            return Err(ParseError::Syntax);
        }
        let date = named.or(self.date);
        let moment = Moment {
            days: date.map_or(DAY_1900, Civil::days),
            ticks: self.time.unwrap_or(0),
            offset: self.offset.unwrap_or(0),
        };
        Ok(Parsed {
            moment,
            has_date: date.is_some(),
            has_time: self.time.is_some(),
            has_offset: self.offset.is_some(),
        })
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn eat(&mut self, c: u8) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn number(&mut self) -> Result<Number, ParseError> {
        let digits = self.rest.iter().take_while(|c| c.is_ascii_digit()).count();
        if digits == 0 || digits > 9 {
            return Err(ParseError::Syntax);
        }
        let (head, tail) = self.rest.split_at(digits);
        self.rest = tail;
        Ok(Number { value: head.iter().fold(0, |value, c| value * 10 + (c - b'0') as i64), digits })
    }

    fn word(&mut self) -> &'t [u8] {
        let letters = self.rest.iter().take_while(|&&c| is_letter(c)).count();
        let (head, tail) = self.rest.split_at(letters);
        self.rest = tail;
        head
    }

    /// A number begins a time, a date, or is a day or year beside a month name.
    fn number_first(&mut self) -> Result<(), ParseError> {
        let before = self.rest;
        let first = self.number()?;
        match self.peek() {
            Some(b':') => {
                self.rest = before;
                return self.read_time();
            }
            Some(b'/' | b'-' | b'.') if self.date.is_none() && self.month.is_none() => {
                let separator = self.rest[0];
                // `15-Apr-1996`
                if self.rest.get(1).is_some_and(|&c| is_letter(c)) {
                    self.rest = &self.rest[1..];
                    return self.keep(first);
                }
                return self.numeric_date(first, separator);
            }
            _ => {}
        }
        if self.meridiem_follows() {
            self.rest = before;
            return self.read_time();
        }
        if self.date.is_none() && self.month.is_none() && self.numbers[0].is_none() && matches!(first.digits, 4 | 6 | 8)
        {
            let month_follows = first.digits == 4 && self.month_follows();
            if !month_follows {
                return self.unseparated(first);
            }
        }
        self.keep(first)
    }

    fn keep(&mut self, number: Number) -> Result<(), ParseError> {
        let slot = self.numbers.iter_mut().find(|slot| slot.is_none()).ok_or(ParseError::Syntax)?;
        *slot = Some(number);
        Ok(())
    }

    fn meridiem_follows(&self) -> bool {
        let rest = self.rest.trim_ascii_start();
        let word: &[u8] = &rest[..rest.len().min(2)];
        let ends = rest.get(2).is_none_or(|c| !c.is_ascii_alphabetic());
        ends && (word.eq_ignore_ascii_case(b"am") || word.eq_ignore_ascii_case(b"pm"))
    }

    /// `1996 April`, `1996 15 April`
    fn month_follows(&self) -> bool {
        let rest = self.rest.trim_ascii_start();
        let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
        let rest = rest[digits..].trim_ascii_start();
        let letters = rest.iter().take_while(|&&c| is_letter(c)).count();
        digits <= 2 && self.month_number(&rest[..letters]).is_some()
    }

    /// 4, 6 or 8 digits: a year, `yymmdd`, `yyyymmdd`.
    fn unseparated(&mut self, number: Number) -> Result<(), ParseError> {
        let value = number.value;
        let (year, month, day) = match number.digits {
            4 => (value, 1, 1),
            6 => (century(value / 10_000), value / 100 % 100, value % 100),
            _ => (value / 10_000, value / 100 % 100, value % 100),
        };
        self.set_date(year, month, day)?;
        self.time_after_t()
    }

    /// `T` between date and time.
    fn time_after_t(&mut self) -> Result<(), ParseError> {
        if matches!(self.peek(), Some(b'T' | b't')) && self.rest.get(1).is_some_and(u8::is_ascii_digit) {
            self.rest = &self.rest[1..];
            return self.read_time();
        }
        Ok(())
    }

    fn numeric_date(&mut self, first: Number, separator: u8) -> Result<(), ParseError> {
        let mut parts = [first; 3];
        for part in &mut parts[1..] {
            self.skip_blanks();
            if !self.eat(separator) {
                return Err(ParseError::Syntax);
            }
            self.skip_blanks();
            *part = self.number()?;
        }
        let wide = parts.iter().filter(|part| part.digits == 4).count();
        if wide > 1 || parts.iter().any(|part| part.digits == 3 || part.digits > 4) {
            return Err(ParseError::Syntax);
        }
        let [a, b, c] = parts.map(|part| part.value);
        let day_first = self.format.day_first();
        // ISO 8601 with its T has one order.
        let iso = separator == b'-'
            && matches!(self.peek(), Some(b'T' | b't'))
            && self.rest.get(1).is_some_and(u8::is_ascii_digit);
        let (year, month, day) = match parts.map(|part| part.digits == 4) {
            [true, _, _] if day_first && self.rules == Rules::Old && !iso => (a, c, b),
            [true, _, _] => (a, b, c),
            [_, true, _] if day_first => (b, c, a),
            [_, true, _] => (b, a, c),
            [_, _, true] if day_first => (c, b, a),
            [_, _, true] => (c, a, b),
            _ => match self.format {
                DateFormat::Mdy => (century(c), a, b),
                DateFormat::Dmy => (century(c), b, a),
                DateFormat::Ymd => (century(a), b, c),
                DateFormat::Ydm => (century(a), c, b),
                DateFormat::Myd => (century(b), a, c),
                DateFormat::Dym => (century(b), c, a),
            },
        };
        self.set_date(year, month, day)?;
        self.time_after_t()
    }

    fn set_date(&mut self, year: i64, month: i64, day: i64) -> Result<(), ParseError> {
        if self.date.is_some() {
            return Err(ParseError::Syntax);
        }
        self.date = Some(Civil::new(year, month, day).ok_or(ParseError::Range)?);
        Ok(())
    }

    /// The date of a month name and its numbers.
    fn named_date(&self) -> Result<Option<Civil>, ParseError> {
        let Some(month) = self.month else {
            return if self.numbers[0].is_some() { Err(ParseError::Syntax) } else { Ok(None) };
        };
        let (year, day) = match self.numbers {
            [Some(year), None] if year.digits == 4 => (year.value, 1),
            [Some(year), Some(day)] if year.digits == 4 && day.digits <= 2 => (year.value, day.value),
            [Some(day), Some(year)] if year.digits == 4 && day.digits <= 2 => (year.value, day.value),
            [Some(day), Some(year)] if year.digits <= 2 && day.digits <= 2 => (century(year.value), day.value),
            _ => return Err(ParseError::Syntax),
        };
        Civil::new(year, month, day).map(Some).ok_or(ParseError::Range)
    }

    fn month_number(&self, word: &[u8]) -> Option<i64> {
        self.language.month_named(std::str::from_utf8(word).ok()?)
    }

    fn word_first(&mut self) -> Result<(), ParseError> {
        let has_time = self.time.is_some();
        let word = self.word();
        if let Some(month) = self.month_number(word) {
            if self.month.replace(month).is_some() {
                return Err(ParseError::Syntax);
            }
            return Ok(());
        }
        if word.eq_ignore_ascii_case(b"z") && has_time && self.offset.is_none() {
            self.offset = Some(0);
            return Ok(());
        }
        Err(ParseError::Syntax)
    }

    fn read_offset(&mut self) -> Result<(), ParseError> {
        if self.rules == Rules::Old {
            return Err(ParseError::Syntax);
        }
        let of_offset = |byte: &&u8| matches!(byte, b'+' | b'-' | b':' | b'0'..=b'9');
        let end = self.rest.iter().take(6).take_while(of_offset).count();
        let text = std::str::from_utf8(&self.rest[..end]).map_err(|_| ParseError::Syntax)?;
        self.offset = Some(parse_offset(text).ok_or(ParseError::Syntax)?);
        self.rest = &self.rest[end..];
        Ok(())
    }

    fn read_time(&mut self) -> Result<(), ParseError> {
        if self.time.is_some() {
            return Err(ParseError::Syntax);
        }
        let mut hour = self.number()?.value;
        let (mut minute, mut second, mut fraction) = (0, 0, 0);
        if self.eat(b':') {
            minute = self.number()?.value;
            if self.eat(b':') {
                second = self.number()?.value;
                if self.eat(b'.') {
                    let digits = self.number()?;
                    if self.rules == Rules::Old && digits.digits > 3 {
                        return Err(ParseError::Syntax);
                    }
                    // Beyond 100 ns: rounded.
                    fraction = match digits.digits {
                        digits_count @ 1..=7 => digits.value * 10_i64.pow(7 - digits_count as u32),
                        8 => (digits.value + 5) / 10,
                        _ => (digits.value + 50) / 100,
                    };
                } else if self.eat(b':') {
                    let thousandths = self.number()?;
                    if thousandths.digits > 3 {
                        return Err(ParseError::Syntax);
                    }
                    fraction = thousandths.value * 10_000;
                }
            }
        }
        self.skip_blanks();
        if self.meridiem_follows() {
            let afternoon = self.rest[0].eq_ignore_ascii_case(&b'p');
            self.rest = &self.rest[2..];
            hour = match hour {
                12 if !afternoon => 0,
                1..=11 if afternoon => hour + 12,
                13..=23 if !afternoon => return Err(ParseError::Syntax),
                other => other,
            };
        }
        if hour > 23 || minute > 59 || second > 59 {
            return Err(ParseError::Range);
        }
        self.time = Some(hour * TICKS_PER_HOUR + minute * TICKS_PER_MINUTE + second * TICKS_PER_SECOND + fraction);
        Ok(())
    }
}

/// The year with these last two digits that is not after `cutoff` and less than a hundred years before it.
fn year_ending(digits: i64, cutoff: i64) -> i64 {
    cutoff - (cutoff - digits).rem_euclid(100)
}

fn century(year: i64) -> i64 {
    match year {
        0..=99 => year_ending(year, i64::from(TWO_DIGIT_YEAR_CUTOFF.load(Ordering::Relaxed))),
        other => other,
    }
}

/// Bytes above ASCII are parts of letters here: nothing else above it means anything in a date.
fn is_letter(c: u8) -> bool {
    c.is_ascii_alphabetic() || !c.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::year_ending;

    #[test]
    fn two_digits_mean_one_of_the_hundred_years_up_to_the_cutoff() {
        assert_eq!([0, 49, 50, 99].map(|digits| year_ending(digits, 2049)), [2000, 2049, 1950, 1999]);
        assert_eq!([0, 30, 31, 99].map(|digits| year_ending(digits, 2030)), [2000, 2030, 1931, 1999]);
        assert_eq!([0, 99].map(|digits| year_ending(digits, 1999)), [1900, 1999]);
        assert_eq!([53, 52, 54].map(|digits| year_ending(digits, 1753)), [1753, 1752, 1654]);
    }
}
