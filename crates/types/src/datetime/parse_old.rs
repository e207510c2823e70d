//! Texts of datetime and smalldatetime: a date and a time in any order, even one within the other, each optional.
//!
//! Dates: three numbers apart by `/ - .`, mixed if need be, in the order of SET DATEFORMAT or of the style (a year of four digits
//! may stand anywhere); 4, 6 or 8 digits together; a month's name with numbers and commas. `T` joins date and time only in
//! `yyyy-mm-ddThh:mi:ss[.fff]`.

use super::language::DateFormat;
use super::moment::Moment;
use super::parse::{Apart, Form, Number, ParseError, Scanner, named, ticks, together, year};

/// The last thing that was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    Number,
    /// Of four digits.
    Year,
    Separator,
    Comma,
    Month,
    Time,
}

struct Parser<'t, 'f> {
    scan: Scanner<'t>,
    form: &'f Form,
    numbers: Vec<Number>,
    separators: usize,
    /// The first separator is a hyphen.
    hyphen: bool,
    commas: usize,
    month: Option<i64>,
    /// Of six or eight digits.
    day: Option<i64>,
    time: Option<i64>,
    last: Last,
}

pub fn parse(scan: Scanner<'_>, form: &Form) -> Result<Moment, ParseError> {
    if let Some(joined) = joined(scan, form) {
        return joined;
    }
    let mut parser = Parser {
        scan,
        form,
        numbers: Vec::new(),
        separators: 0,
        hyphen: false,
        commas: 0,
        month: None,
        day: None,
        time: None,
        last: Last::Nothing,
    };
    parser.run()?;
    let date = parser.date()?;
    let days = date.unwrap_or_else(|| form.day_of_time());
    Ok(Moment { days, ticks: parser.time.unwrap_or(0), offset: 0 })
}

/// `yyyy-mm-ddThh:mi:ss[.fff]`, behind which Z and AM or PM may stand; None: not of this shape.
fn joined(mut scan: Scanner<'_>, form: &Form) -> Option<Result<Moment, ParseError>> {
    const SHAPE: &[u8] = b"0000-00-00T00:00:00";
    let head = scan.rest.get(..SHAPE.len())?;
    let is_shape = |(c, wanted): (&u8, &u8)| if *wanted == b'0' { c.is_ascii_digit() } else { c == wanted };
    if !head.iter().zip(SHAPE).all(is_shape) {
        return None;
    }
    let part = |from: usize, to: usize| head[from..to].iter().fold(0, |value, c| value * 10 + i64::from(c - b'0'));
    match form.apart {
        Apart::Iso => {}
        _ if form.free => {}
        Apart::Order { digits: Some(4), .. } => return Some(Err(ParseError::Range)),
        _ => return Some(Err(ParseError::Syntax)),
    }
    scan.rest = &scan.rest[SHAPE.len()..];
    let mut read = || {
        let fraction = if scan.eat(b'.') { scan.fraction()? } else { 0 };
        if scan.peek() == Some(b'Z') {
            if !form.zulu {
                return Err(ParseError::Syntax);
            }
            scan.rest = &scan.rest[1..];
        }
        let mut hour = part(11, 13);
        match scan.meridiem() {
            Some(false) if hour == 12 => hour = 0,
            Some(false) if hour > 12 => return Err(ParseError::Range),
            Some(true) if hour == 0 => return Err(ParseError::Range),
            Some(true) if hour < 12 => hour += 12,
            _ => {}
        }
        if !scan.rest.is_empty() {
            return Err(ParseError::Syntax);
        }
        let days = form.date(part(0, 4), part(5, 7), part(8, 10))?;
        Ok(Moment { days, ticks: ticks(hour, part(14, 16), part(17, 19), fraction)?, offset: 0 })
    };
    Some(read())
}

impl Parser<'_, '_> {
    fn run(&mut self) -> Result<(), ParseError> {
        loop {
            self.scan.skip_blanks();
            match self.scan.peek() {
                None => return Ok(()),
                Some(c) if c.is_ascii_digit() => self.number()?,
                Some(c @ (b'/' | b'-' | b'.')) => self.separator(c)?,
                Some(b',') => self.comma()?,
                Some(c) if super::parse::is_letter(c) => self.word()?,
                Some(_) => return Err(ParseError::Syntax),
            }
        }
    }

    /// All that a date needs has been read.
    fn is_dated(&self) -> bool {
        self.day.is_some() || self.numbers.len() == if self.month.is_some() { 2 } else { 3 }
    }

    fn number(&mut self) -> Result<(), ParseError> {
        if self.scan.is_time() {
            if self.time.is_some() {
                return Err(ParseError::Range);
            }
            self.time = Some(self.scan.time()?);
            self.last = Last::Time;
            return Ok(());
        }
        let number = self.scan.number(8)?;
        if self.is_dated() {
            return Err(ParseError::Range);
        }
        if matches!(number.digits, 6 | 8) && self.numbers.is_empty() && self.month.is_none() {
            self.day = Some(together(number, self.form)?);
        } else if number.digits > 4 {
            return Err(ParseError::Syntax);
        } else {
            self.numbers.push(number);
        }
        self.last = if number.digits == 4 { Last::Year } else { Last::Number };
        Ok(())
    }

    fn separator(&mut self, c: u8) -> Result<(), ParseError> {
        let begun = !self.numbers.is_empty() || self.day.is_some();
        // An offset behind a time is none of these types.
        if !begun || self.is_dated() && self.time.is_some() {
            return Err(ParseError::Syntax);
        }
        if self.is_dated() || self.last == Last::Separator {
            return Err(ParseError::Range);
        }
        self.hyphen |= self.separators == 0 && c == b'-';
        self.separators += 1;
        self.scan.rest = &self.scan.rest[1..];
        self.last = Last::Separator;
        Ok(())
    }

    fn comma(&mut self) -> Result<(), ParseError> {
        if matches!(self.last, Last::Nothing | Last::Comma | Last::Year) {
            return Err(ParseError::Range);
        }
        self.commas += 1;
        self.scan.rest = &self.scan.rest[1..];
        self.last = Last::Comma;
        Ok(())
    }

    fn word(&mut self) -> Result<(), ParseError> {
        // AM or PM behind a time belongs to it.
        if self.scan.meridiem().is_some() {
            return Err(ParseError::Range);
        }
        let word = self.scan.word();
        if let Some(month) = self.scan.month(word) {
            if self.is_dated() || self.month.replace(month).is_some() {
                return Err(ParseError::Range);
            }
            self.last = Last::Month;
            return Ok(());
        }
        match word {
            b"Z" if self.scan.rest.is_empty() && self.form.zulu && self.may_be_utc() => Ok(()),
            b"T" if self.last == Last::Nothing => Err(ParseError::Range),
            b"T" if self.last == Last::Year && self.separators == 0 => Err(ParseError::Range),
            _ => Err(ParseError::Syntax),
        }
    }

    /// Z stands behind a time alone, a year alone, and `yyyy-mm-dd`.
    fn may_be_utc(&self) -> bool {
        if self.time.is_some() {
            return self.numbers.is_empty() && self.month.is_none() && self.day.is_none();
        }
        let year_first = self.numbers.first().is_some_and(|first| first.digits == 4);
        year_first && self.month.is_none() && (self.numbers.len() == 1 || self.numbers.len() == 3 && self.hyphen)
    }

    fn date(&self) -> Result<Option<i64>, ParseError> {
        if self.last == Last::Comma {
            return Err(ParseError::Range);
        }
        if let Some(month) = self.month {
            // `02-Jan-24`, but nothing of the kind behind a month that comes first.
            return match self.separators == 0 || self.last != Last::Separator {
                true => named(month, &self.numbers, self.form).map(Some),
                false => Err(ParseError::Syntax),
            };
        }
        if self.commas > 0 {
            return Err(ParseError::Syntax);
        }
        match *self.numbers {
            [] => Ok(self.day),
            [only] if self.separators == 0 && only.digits == 4 => together(only, self.form).map(Some),
            [a, b, c] if self.separators == 2 => self.apart([a, b, c]).map(Some),
            _ => Err(ParseError::Syntax),
        }
    }

    fn apart(&self, parts: [Number; 3]) -> Result<i64, ParseError> {
        let wide = parts.iter().position(|part| part.digits == 4);
        let (order, digits) = match self.form.apart {
            Apart::Never => return Err(ParseError::Syntax),
            Apart::Iso => {
                let exact = self.hyphen && self.time.is_none() && parts.map(|part| part.digits) == [4, 2, 2];
                return if exact {
                    self.form.date(parts[0].value, parts[1].value, parts[2].value)
                } else {
                    Err(ParseError::Syntax)
                };
            }
            Apart::Hijri => (DateFormat::Dmy, Some(4)),
            Apart::Order { order, digits } => (order, digits),
        };
        let place = wide.unwrap_or(order.year_at());
        let fits = digits.is_none_or(|digits| if digits == 4 { wide.is_some() } else { parts[place].digits <= digits });
        if !fits {
            return Err(ParseError::Syntax);
        }
        let rest: Vec<i64> = (0..3).filter(|at| *at != place).map(|at| parts[at].value).collect();
        let (month, day) = if order.day_first() { (rest[1], rest[0]) } else { (rest[0], rest[1]) };
        self.form.date(year(parts[place]), month, day)
    }
}
