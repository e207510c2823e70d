//! Texts that are dates and times: what T-SQL takes.
//!
//! datetime and smalldatetime read by rules of their own (`parse_old`), which take the parts in any order; the types that came
//! later by stricter ones (`parse_new`). What a style of CONVERT asks of a text is its `Form`. The ODBC forms `{ts '...'}`,
//! `{d '...'}`, `{t '...'}` may enclose any of it.

use std::sync::atomic::{AtomicI32, Ordering};

use super::calendar::{Civil, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};
use super::hijri;
use super::language::DateFormat;
use super::language::LanguageId;
use super::moment::Moment;
use super::{parse_new, parse_old};

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
    Old,
    New,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseError {
    /// 241
    Syntax,
    /// The form is right but no such day or time exists, or something is said twice: 242 for the old types, 241 for the new.
    Range,
    /// 9807: the style takes no date of three numbers.
    Style,
}

/// Which dates of three numbers with something between them a style takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Apart {
    /// In an order; `digits`: of the year, None for any.
    Order {
        order: DateFormat,
        digits: Option<usize>,
    },
    /// `yyyy-mm-ddThh:mi:ss.fff` alone, the time optional.
    Iso,
    /// `dd/mm/yyyy` of the Hijri calendar.
    Hijri,
    Never,
}

/// What a style of CONVERT asks of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    pub apart: Apart,
    /// Months by their names, and six or eight digits together.
    pub other_dates: bool,
    /// Z behind the old types' texts.
    pub zulu: bool,
    /// No style was asked for: a year of four digits in front goes before month and day whatever SET DATEFORMAT says.
    pub free: bool,
}

impl Form {
    pub fn free(order: DateFormat) -> Form {
        Form { apart: Apart::Order { order, digits: None }, other_dates: true, zulu: true, free: true }
    }

    /// None: a number that is no style.
    pub fn of_style(style: i32, session: DateFormat, rules: Rules) -> Option<Form> {
        let old = rules == Rules::Old;
        let digits = |count| move |order| Apart::Order { order, digits: Some(count) };
        let (short, long) = (digits(2), digits(4));
        let apart = match style {
            super::format::STYLE_DEFAULT | 0 => return Some(Form::free(session)),
            1 | 10 => short(DateFormat::Mdy),
            3..=5 => short(DateFormat::Dmy),
            2 | 11 => short(DateFormat::Ymd),
            101 | 110 => long(DateFormat::Mdy),
            103..=105 => long(DateFormat::Dmy),
            102 | 111 | 20 | 21 | 120 | 121 => long(DateFormat::Ymd),
            22 if !old => short(DateFormat::Mdy),
            23 | 25 if !old => long(DateFormat::Ymd),
            126 | 127 if old => Apart::Iso,
            126 | 127 => long(DateFormat::Ymd),
            131 => Apart::Hijri,
            130 if old => Apart::Hijri,
            style if old || super::format::is_style(style) => Apart::Never,
            _ => return None,
        };
        Some(Form { apart, other_dates: !(old && style == 127), zulu: style == 127, free: false })
    }

    /// Of a date's three numbers, the year wherever it is told to stand.
    pub(super) fn date(&self, year: i64, month: i64, day: i64) -> Result<i64, ParseError> {
        let days = match self.apart {
            Apart::Hijri => hijri::days(year, month, day),
            _ => Civil::new(year, month, day).map(Civil::days),
        };
        days.ok_or(ParseError::Range)
    }

    /// The day of a text that names none.
    pub(super) fn day_of_time(&self) -> i64 {
        match self.apart {
            Apart::Hijri => hijri::days(1900, 1, 1).expect("a year of both calendars"),
            _ => super::calendar::DAY_1900,
        }
    }
}

/// Reads a text. `text` is any text; what is not ASCII must be a month's name. A text without date is of 1900-01-01.
pub fn parse(text: &str, form: &Form, language: LanguageId, rules: Rules) -> Result<Moment, ParseError> {
    // Blanks around it do not count, and in the newer types' texts tabs neither.
    let text = text.trim_matches(|c: char| c == ' ' || c == '\t' && rules == Rules::New);
    let text = odbc(text).unwrap_or(text);
    let scanner = Scanner { rest: text.as_bytes(), language, rules };
    match rules {
        Rules::Old => parse_old::parse(scanner, form),
        Rules::New => parse_new::parse(scanner, form),
    }
}

/// `+hh:mm`, `-hh:mm` or `Z`: minutes east of UTC.
pub fn parse_offset(text: &str) -> Option<i16> {
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
    let (hours, minutes) = (of_offset(&digits[..at])?, of_offset(&digits[at + 1..])?);
    (hours <= 14 && minutes < 60 && hours * 60 + minutes <= 840).then_some(sign * (hours * 60 + minutes))
}

/// Of one digit or two.
fn of_offset(digits: &[u8]) -> Option<i16> {
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
pub(super) struct Number {
    pub value: i64,
    pub digits: usize,
}

/// What is left of a text, and how both rules read its smallest parts.
#[derive(Clone, Copy)]
pub(super) struct Scanner<'t> {
    pub rest: &'t [u8],
    pub language: LanguageId,
    pub rules: Rules,
}

impl<'t> Scanner<'t> {
    pub fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ')) || self.rules == Rules::New && self.peek() == Some(b'\t') {
            self.rest = &self.rest[1..];
        }
    }

    pub fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    pub fn eat(&mut self, c: u8) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    /// At most `digits_max` digits.
    pub fn number(&mut self, digits_max: usize) -> Result<Number, ParseError> {
        let digits = self.rest.iter().take_while(|c| c.is_ascii_digit()).count();
        if digits == 0 || digits > digits_max {
            return Err(ParseError::Syntax);
        }
        let (head, tail) = self.rest.split_at(digits);
        self.rest = tail;
        Ok(Number { value: head.iter().fold(0, |value, c| value * 10 + (c - b'0') as i64), digits })
    }

    pub fn word(&mut self) -> &'t [u8] {
        let letters = self.rest.iter().take_while(|&&c| is_letter(c)).count();
        let (head, tail) = self.rest.split_at(letters);
        self.rest = tail;
        head
    }

    pub fn month(&self, word: &[u8]) -> Option<i64> {
        self.language.month_named(std::str::from_utf8(word).ok()?)
    }

    /// Whether a number stands here that begins a time: `10:`, `10AM`, `10 PM`.
    pub fn is_time(&self) -> bool {
        let mut ahead = *self;
        if ahead.number(9).is_err() {
            return false;
        }
        ahead.peek() == Some(b':') || ahead.meridiem().is_some()
    }

    /// AM or PM, blanks before it: whether it is the afternoon.
    pub fn meridiem(&mut self) -> Option<bool> {
        let mut ahead = *self;
        ahead.skip_blanks();
        let word = ahead.word();
        let afternoon = word.eq_ignore_ascii_case(b"pm");
        if !afternoon && !word.eq_ignore_ascii_case(b"am") {
            return None;
        }
        *self = ahead;
        Some(afternoon)
    }

    /// `h[:m[:s[.fraction | :ms]]] [AM | PM]` in ticks; the old rules take a fraction of the minute's seconds, too.
    pub fn time(&mut self) -> Result<i64, ParseError> {
        let old = self.rules == Rules::Old;
        let digits_max = if old { 3 } else { 2 };
        let mut hour = self.number(digits_max)?.value;
        let (mut minute, mut second, mut fraction) = (0, 0, 0);
        if self.eat(b':') {
            minute = self.number(digits_max)?.value;
            let seconds = self.eat(b':');
            if seconds {
                second = self.number(digits_max)?.value;
            }
            if (seconds || old) && self.eat(b'.') {
                fraction = self.fraction()?;
            } else if seconds && self.eat(b':') {
                fraction = self.number(3)?.value * 10_000;
            }
        }
        if let Some(afternoon) = self.meridiem() {
            hour = match (hour, afternoon) {
                (12, false) => 0,
                (0, true) | (13.., false) => return Err(ParseError::Range),
                (1..=11, true) => hour + 12,
                _ => hour,
            };
        }
        ticks(hour, minute, second, fraction)
    }

    /// Digits behind a point in ticks: at most three by the old rules, by the new rounded at the eighth.
    pub fn fraction(&mut self) -> Result<i64, ParseError> {
        if self.rules == Rules::Old {
            let number = self.number(3)?;
            return Ok(number.value * 10_i64.pow(7 - number.digits as u32));
        }
        // As https://learn.microsoft.com/sql/t-sql/data-types/time-transact-sql writes it: `12:35:29. 1234567`.
        self.skip_blanks();
        let digits = self.rest.iter().take_while(|c| c.is_ascii_digit()).count();
        let (head, tail) = self.rest.split_at(digits);
        if digits == 0 {
            return Err(ParseError::Syntax);
        }
        self.rest = tail;
        let eight = (0..8).fold(0, |value, at| value * 10 + head.get(at).map_or(0, |c| (c - b'0') as i64));
        Ok((eight + 5) / 10)
    }
}

pub(super) fn ticks(hour: i64, minute: i64, second: i64, fraction: i64) -> Result<i64, ParseError> {
    if hour > 23 || minute > 59 || second > 59 {
        return Err(ParseError::Range);
    }
    Ok(hour * TICKS_PER_HOUR + minute * TICKS_PER_MINUTE + second * TICKS_PER_SECOND + fraction)
}

/// The year with these last two digits that is not after `cutoff` and less than a hundred years before it.
fn year_ending(digits: i64, cutoff: i64) -> i64 {
    cutoff - (cutoff - digits).rem_euclid(100)
}

/// The year that a number means: four digits are one, others the last of one.
pub(super) fn year(number: Number) -> i64 {
    match number.value {
        0..=99 if number.digits < 4 => {
            year_ending(number.value, i64::from(TWO_DIGIT_YEAR_CUTOFF.load(Ordering::Relaxed)))
        }
        other => other,
    }
}

/// Four, six or eight digits: a year, `yymmdd`, `yyyymmdd`.
pub(super) fn together(number: Number, form: &Form) -> Result<i64, ParseError> {
    let value = number.value;
    match number.digits {
        4 => form.date(value, 1, 1),
        6 | 8 if !form.other_dates => Err(ParseError::Syntax),
        6 => form.date(year(Number { value: value / 10_000, digits: 2 }), value / 100 % 100, value % 100),
        8 => form.date(value / 10_000, value / 100 % 100, value % 100),
        _ => Err(ParseError::Syntax),
    }
}

/// The day of a month's name and the numbers beside it. A number of four digits is the year, else the second one.
pub(super) fn named(month: i64, numbers: &[Number], form: &Form) -> Result<i64, ParseError> {
    if !form.other_dates {
        return Err(ParseError::Syntax);
    }
    let (year_of, day) = match *numbers {
        [only] if only.digits == 4 => (only, 1),
        [first, day] if first.digits == 4 && day.digits <= 2 => (first, day.value),
        [day, second] if day.digits <= 2 && matches!(second.digits, 1 | 2 | 4) => (second, day.value),
        [_] | [] => return Err(ParseError::Syntax),
        _ => return Err(ParseError::Range),
    };
    form.date(year(year_of), month, day)
}

/// Bytes above ASCII are parts of letters here: nothing else above it means anything in a date.
pub(super) fn is_letter(c: u8) -> bool {
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
