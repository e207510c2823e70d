//! Dates, times of day and durations as XML Schema writes them.

use std::cmp::Ordering;
use std::fmt;

use super::builtin::Primitive;

/// Digits of a second's fraction that are kept.
const FRACTION_MAX: usize = 7;
const SECONDS_A_DAY: i64 = 86_400;
/// 100 ns in a second.
const UNITS: i64 = 10_000_000;

/// A date, a time of day, both, or a part of a date. What the kind does not have is as on 2000-01-01, 00:00.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    kind: Primitive,
    year: i64,
    month: u32,
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
    /// 100 ns.
    fraction: u32,
    /// Minutes east of Greenwich.
    zone: Option<i32>,
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn eat(&mut self, sign: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(sign)?;
        Some(())
    }

    /// So many digits.
    fn number(&mut self, digits: usize) -> Option<u32> {
        let text = self.rest.get(..digits)?;
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        self.rest = &self.rest[digits..];
        text.parse().ok()
    }

    fn within(&mut self, least: u32, most: u32) -> Option<u32> {
        self.number(2).filter(|number| (least..=most).contains(number))
    }

    /// 1 to 9999: SQL Server has no other years.
    fn year(&mut self) -> Option<i64> {
        self.number(4).filter(|year| *year > 0).map(i64::from)
    }

    /// `.123`, more digits than are kept are cut.
    fn fraction(&mut self) -> Option<u32> {
        if self.eat(".").is_none() {
            return Some(0);
        }
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return None;
        }
        let (text, rest) = self.rest.split_at(digits);
        self.rest = rest;
        let kept = &text[..digits.min(FRACTION_MAX)];
        format!("{kept:0<7}").parse().ok()
    }

    fn zone(&mut self) -> Option<Option<i32>> {
        let sign = match self.rest.bytes().next() {
            None => return Some(None),
            Some(b'Z') => {
                self.eat("Z")?;
                return Some(Some(0));
            }
            Some(b'+') => 1,
            Some(b'-') => -1,
            Some(_) => return None,
        };
        self.rest = &self.rest[1..];
        let hours = self.within(0, 14)?;
        self.eat(":")?;
        let minutes = self.within(0, 59)?;
        let all = (hours * 60 + minutes) as i32;
        (all <= 14 * 60).then_some(Some(sign * all))
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl Moment {
    pub fn parse(kind: Primitive, text: &str) -> Option<Moment> {
        let mut reader = Reader { rest: text };
        let reader = &mut reader;
        let mut moment =
            Moment { kind, year: 2000, month: 1, day: 1, hour: 0, minute: 0, second: 0, fraction: 0, zone: None };
        match kind {
            Primitive::DateTime | Primitive::Date => {
                moment.date(reader)?;
                if kind == Primitive::DateTime {
                    reader.eat("T")?;
                    moment.clock(reader)?;
                }
            }
            Primitive::Time => moment.clock(reader)?,
            Primitive::YearMonth => {
                moment.year = reader.year()?;
                reader.eat("-")?;
                moment.month = reader.within(1, 12)?;
            }
            Primitive::Year => moment.year = reader.year()?,
            Primitive::MonthDay => {
                reader.eat("--")?;
                moment.month = reader.within(1, 12)?;
                reader.eat("-")?;
                moment.day = reader.within(1, days_in(2000, moment.month))?;
            }
            Primitive::Day => {
                reader.eat("---")?;
                moment.day = reader.within(1, 31)?;
            }
            Primitive::Month => {
                reader.eat("--")?;
                moment.month = reader.within(1, 12)?;
            }
            _ => return None,
        }
        moment.zone = reader.zone()?;
        if !reader.rest.is_empty() || moment.year > 9999 {
            return None;
        }
        Some(moment)
    }

    fn date(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        self.year = reader.year()?;
        reader.eat("-")?;
        self.month = reader.within(1, 12)?;
        reader.eat("-")?;
        self.day = reader.within(1, days_in(self.year, self.month))?;
        Some(())
    }

    fn clock(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        self.hour = reader.within(0, 24)?;
        reader.eat(":")?;
        self.minute = reader.within(0, 59)?;
        reader.eat(":")?;
        self.second = reader.within(0, 59)?;
        self.fraction = reader.fraction()?;
        if self.hour == 24 {
            if self.minute + self.second + self.fraction > 0 {
                return None;
            }
            self.hour = 0;
            self.next_day();
        }
        Some(())
    }

    fn next_day(&mut self) {
        self.day += 1;
        if self.day > days_in(self.year, self.month) {
            self.day = 1;
            self.month += 1;
        }
        if self.month > 12 {
            self.month = 1;
            self.year += 1;
        }
    }

    /// 100 ns since the first day of year 0, at Greenwich; without a zone it is taken to be there.
    fn position(&self) -> i64 {
        let before = self.year - 1;
        let mut days = 366 + before * 365 + before / 4 - before / 100 + before / 400;
        days += (1..self.month).map(|month| i64::from(days_in(self.year, month))).sum::<i64>();
        days += i64::from(self.day) - 1;
        // The next day's midnight is one of a time of day, too.
        if self.kind == Primitive::Time {
            days = 0;
        }
        let seconds =
            i64::from(self.hour * 3600 + self.minute * 60 + self.second) - i64::from(self.zone.unwrap_or(0)) * 60;
        (days * SECONDS_A_DAY + seconds) * UNITS + i64::from(self.fraction)
    }

    pub fn compare(&self, other: &Moment) -> Ordering {
        self.position().cmp(&other.position())
    }
}

fn show_fraction(fraction: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if fraction == 0 {
        return Ok(());
    }
    write!(f, ".{}", format!("{fraction:07}").trim_end_matches('0'))
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Moment { year, month, day, hour, minute, second, .. } = self;
        match self.kind {
            Primitive::DateTime => write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?,
            Primitive::Date => write!(f, "{year:04}-{month:02}-{day:02}")?,
            Primitive::Time => write!(f, "{hour:02}:{minute:02}:{second:02}")?,
            Primitive::YearMonth => write!(f, "{year:04}-{month:02}")?,
            Primitive::Year => write!(f, "{year:04}")?,
            Primitive::MonthDay => write!(f, "--{month:02}-{day:02}")?,
            Primitive::Day => write!(f, "---{day:02}")?,
            _ => write!(f, "--{month:02}")?,
        }
        show_fraction(self.fraction, f)?;
        match self.zone {
            None => Ok(()),
            Some(0) => f.write_str("Z"),
            Some(zone) => {
                let sign = if zone < 0 { '-' } else { '+' };
                write!(f, "{sign}{:02}:{:02}", zone.abs() / 60, zone.abs() % 60)
            }
        }
    }
}

/// `P1Y2M3DT4H5M6.7S`, its fields as they were written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duration {
    negative: bool,
    /// Years, months, days, hours, minutes, seconds.
    fields: [u32; 6],
    /// 100 ns.
    fraction: u32,
}

impl Duration {
    pub fn parse(text: &str) -> Option<Duration> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let mut reader = Reader { rest: text };
        reader.eat("P")?;
        let mut duration = Duration { negative, fields: [0; 6], fraction: 0 };
        let mut next = 0;
        let mut timed = false;
        let mut any = false;
        while !reader.rest.is_empty() {
            if !timed && reader.eat("T").is_some() {
                timed = true;
                any = false;
                next = next.max(3);
                continue;
            }
            let digits = reader.rest.bytes().take_while(u8::is_ascii_digit).count();
            let number: u32 = reader.rest[..digits].parse().ok()?;
            reader.rest = &reader.rest[digits..];
            let fraction = reader.rest.starts_with('.');
            let part = reader.fraction()?;
            let sign = reader.rest.chars().next()?;
            let field = match (sign, timed) {
                ('Y', false) => 0,
                ('M', false) => 1,
                ('D', false) => 2,
                ('H', true) => 3,
                ('M', true) => 4,
                ('S', true) => 5,
                _ => return None,
            };
            if field < next || fraction && field != 5 {
                return None;
            }
            reader.rest = &reader.rest[1..];
            duration.fields[field] = number;
            duration.fraction = part;
            next = field + 1;
            any = true;
        }
        any.then_some(duration)
    }

    /// A month counts as the mean of all, 30.436875 days.
    pub fn compare(&self, other: &Duration) -> Ordering {
        let position = |duration: &Duration| {
            let [years, months, days, hours, minutes, seconds] = duration.fields.map(i128::from);
            let months = years * 12 + months;
            let seconds = months * 2_629_746 + days * 86_400 + hours * 3_600 + minutes * 60 + seconds;
            let units = seconds * i128::from(UNITS) + i128::from(duration.fraction);
            if duration.negative { -units } else { units }
        };
        position(self).cmp(&position(other))
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.fields.iter().all(|field| *field == 0) && self.fraction == 0 {
            return f.write_str("PT0S");
        }
        f.write_str(if self.negative { "-P" } else { "P" })?;
        for (at, sign) in ['Y', 'M', 'D'].into_iter().enumerate() {
            if self.fields[at] > 0 {
                write!(f, "{}{sign}", self.fields[at])?;
            }
        }
        if self.fields[3..].iter().all(|field| *field == 0) && self.fraction == 0 {
            return Ok(());
        }
        f.write_str("T")?;
        for (at, sign) in [(3, 'H'), (4, 'M')] {
            if self.fields[at] > 0 {
                write!(f, "{}{sign}", self.fields[at])?;
            }
        }
        if self.fields[5] > 0 || self.fraction > 0 {
            write!(f, "{}", self.fields[5])?;
            show_fraction(self.fraction, f)?;
            f.write_str("S")?;
        }
        Ok(())
    }
}
