//! Texts of date, time, datetime2 and datetimeoffset: a date, a time behind it, an offset from UTC behind that, each optional.
//!
//! Dates: three numbers apart by one of `/ - .`, the year where SET DATEFORMAT or the style puts it (without a style, four digits in
//! front are always `ymd`); 4, 6 or 8 digits together; a month's name with its numbers, a comma before the year.

use super::language::DateFormat;
use super::moment::Moment;
use super::parse::{Apart, Form, Number, ParseError, Scanner, is_letter, named, parse_offset, together, year};

pub fn parse(mut scan: Scanner<'_>, form: &Form) -> Result<Moment, ParseError> {
    let mut days = None;
    if !scan.rest.is_empty() && !scan.is_time() {
        days = Some(date(&mut scan, form)?);
        if scan.eat(b'T') {
            return joined(scan, days);
        }
    }
    let dated = scan;
    scan.skip_blanks();
    let (mut ticks, mut offset) = (0, 0);
    if scan.peek().is_some_and(|c| c.is_ascii_digit()) {
        // A blank divides date and time.
        if days.is_some() && dated.rest.len() == scan.rest.len() {
            return Err(ParseError::Syntax);
        }
        ticks = scan.time()?;
        scan.skip_blanks();
        offset = offset_at(&mut scan)?;
    }
    match scan.rest.is_empty() {
        true => Ok(Moment { days: days.unwrap_or_else(|| form.day_of_time()), ticks, offset }),
        false => Err(ParseError::Syntax),
    }
}

/// What stands behind `yyyy-mm-ddT`: hours of two digits, seconds, no blanks.
fn joined(mut scan: Scanner<'_>, days: Option<i64>) -> Result<Moment, ParseError> {
    let (Some(days), [b'0'..=b'9', b'0'..=b'9', b':', ..]) = (days, scan.rest) else { return Err(ParseError::Syntax) };
    let colons = scan.rest.iter().take(6).filter(|c| **c == b':').count();
    let plain = !scan.rest.iter().any(|c| is_letter(*c) && *c != b'Z' || *c == b' ');
    if colons < 2 || !plain {
        return Err(ParseError::Syntax);
    }
    let ticks = scan.time()?;
    let offset = offset_at(&mut scan)?;
    if scan.rest.is_empty() { Ok(Moment { days, ticks, offset }) } else { Err(ParseError::Syntax) }
}

/// `Z`, `+hh:mm`, `- h:m`, or nothing: minutes east of UTC.
fn offset_at(scan: &mut Scanner<'_>) -> Result<i16, ParseError> {
    let Some(sign) = scan.peek() else { return Ok(0) };
    scan.rest = &scan.rest[1..];
    if sign == b'Z' {
        return Ok(0);
    }
    scan.skip_blanks();
    let rest = std::str::from_utf8(scan.rest).map_err(|_| ParseError::Syntax)?;
    scan.rest = &[];
    parse_offset(&format!("{}{rest}", sign as char)).ok_or(ParseError::Syntax)
}

fn date(scan: &mut Scanner<'_>, form: &Form) -> Result<i64, ParseError> {
    if scan.peek().is_some_and(is_letter) {
        return month_first(scan, form);
    }
    let first = scan.number(8)?;
    let behind = *scan;
    scan.skip_blanks();
    match scan.peek() {
        Some(mark @ (b'/' | b'-' | b'.')) => {
            scan.rest = &scan.rest[1..];
            if scan.peek().is_some_and(is_letter) {
                return marked_month(scan, form, first, mark);
            }
            return numbers_apart(scan, form, first, mark);
        }
        Some(c) if is_letter(c) && month_at(*scan).is_some() => {
            let month = month_at(*scan).expect("it was just there");
            scan.word();
            return numbers_beside(scan, form, month, vec![first]);
        }
        // `2024 2 Jan`
        Some(c) if c.is_ascii_digit() && !scan.is_time() => {
            let second = scan.number(8)?;
            scan.skip_blanks();
            let month = month_at(*scan).ok_or(ParseError::Syntax)?;
            scan.word();
            return named(month, &[first, second], form);
        }
        _ => {}
    }
    *scan = behind;
    // `T` joins a time only to a date with hyphens.
    if scan.peek() == Some(b'T') { Err(ParseError::Syntax) } else { together(first, form) }
}

fn month_at(mut scan: Scanner<'_>) -> Option<i64> {
    let word = scan.word();
    scan.month(word)
}

fn month_first(scan: &mut Scanner<'_>, form: &Form) -> Result<i64, ParseError> {
    let month = month_at(*scan).ok_or(ParseError::Syntax)?;
    scan.word();
    numbers_beside(scan, form, month, Vec::new())
}

/// The numbers behind a month's name, until there are two of them or a time begins.
fn numbers_beside(
    scan: &mut Scanner<'_>,
    form: &Form,
    month: i64,
    mut numbers: Vec<Number>,
) -> Result<i64, ParseError> {
    while numbers.len() < 2 {
        let before = *scan;
        scan.skip_blanks();
        let comma = scan.eat(b',');
        scan.skip_blanks();
        if !scan.peek().is_some_and(|c| c.is_ascii_digit()) || scan.is_time() {
            *scan = before;
            break;
        }
        // A comma stands before a year that comes last.
        if comma && numbers.is_empty() {
            return Err(ParseError::Syntax);
        }
        numbers.push(scan.number(4)?);
        if comma && numbers[0].digits == 4 {
            return Err(ParseError::Syntax);
        }
    }
    named(month, &numbers, form)
}

/// `02-Jan-24`
fn marked_month(scan: &mut Scanner<'_>, form: &Form, first: Number, mark: u8) -> Result<i64, ParseError> {
    let month = month_at(*scan).ok_or(ParseError::Syntax)?;
    scan.word();
    if !scan.eat(mark) {
        return Err(ParseError::Syntax);
    }
    let last = scan.number(4)?;
    named(month, &[first, last], form)
}

fn numbers_apart(scan: &mut Scanner<'_>, form: &Form, first: Number, mark: u8) -> Result<i64, ParseError> {
    let mut parts = [first; 3];
    for (at, part) in parts.iter_mut().enumerate().skip(1) {
        scan.skip_blanks();
        if at == 2 && !scan.eat(mark) {
            return Err(ParseError::Syntax);
        }
        scan.skip_blanks();
        *part = scan.number(4)?;
    }
    let [a, b, c] = parts;
    let joined = scan.peek() == Some(b'T');
    let iso = mark == b'-' && [a, b, c].map(|part| part.digits) == [4, 2, 2];
    // ISO 8601 has one order, whatever the style is; Z may stand behind it, and then nothing else.
    if iso && (joined || scan.rest == b"Z") {
        scan.rest = if joined { scan.rest } else { &[] };
        return form.date(a.value, b.value, c.value);
    }
    let (order, digits) = match form.apart {
        Apart::Never => return Err(ParseError::Style),
        Apart::Hijri => (DateFormat::Dmy, Some(4)),
        Apart::Order { order, digits } => (order, digits),
        Apart::Iso => (DateFormat::Ymd, Some(4)),
    };
    if joined {
        return Err(ParseError::Syntax);
    }
    let year_first = form.free && a.digits == 4;
    let order = match order {
        _ if year_first => DateFormat::Ymd,
        DateFormat::Ymd if form.free && c.digits == 4 => DateFormat::Mdy,
        DateFormat::Ydm if form.free => return Err(ParseError::Syntax),
        other => other,
    };
    let place = order.year_at();
    let rest: Vec<Number> = (0..3).filter(|at| *at != place).map(|at| parts[at]).collect();
    let year_fits = match digits {
        Some(4) => parts[place].digits == 4,
        Some(_) => parts[place].digits <= 2,
        None => parts[place].digits != 3,
    };
    if !year_fits || rest.iter().any(|part| part.digits > 2) {
        return Err(ParseError::Syntax);
    }
    let (month, day) = if order.day_first() { (rest[1], rest[0]) } else { (rest[0], rest[1]) };
    form.date(year(parts[place]), month.value, day.value)
}
