//! FORMAT: numbers and moments by .NET's standard and custom patterns, as a culture writes them. A pattern that is none gives NULL.

use types::culture::Culture;
use types::datetime::Moment;
use types::pause::STRIDE;
use types::{Datum, SqlResult, SqlType, TypeKind, sql_error};

use super::culture::culture_of;
use crate::context::Context;
use crate::expression::general::Call;
use crate::value::{Row, Value};

pub fn format<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = call.arguments[0].datum(context, row)?;
    // A pattern that is NULL is none: the general one.
    let pattern = call.text(1, context, row)?.unwrap_or_default();
    let culture = culture_of(call, 2, context, row)?.ok_or_else(|| sql_error!(9818, "NULL"))?;
    let ty = call.arguments[0].ty;
    if value.is_null() || pattern.len() > STRIDE {
        return Ok(Value::Null);
    }
    let text = if ty.kind == TypeKind::Time {
        span_text(&Moment::of(&ty, value.as_ref()), &pattern, culture)
    } else if ty.is_temporal() {
        moment_text(&Moment::of(&ty, value.as_ref()), ty.kind == TypeKind::DateTimeOffset, &pattern, culture)
    } else {
        let Some(number) = Number::of(&value, &ty)? else { return Ok(Value::Null) };
        number_text(&number, &pattern, culture)
    };
    Ok(text.map_or(Value::Null, |text| call.result_text(&text)))
}

// ---- numbers

/// A number by its digits: 0.digits times ten to the power of `point`.
#[derive(Debug, Clone)]
struct Number {
    negative: bool,
    /// Without zeros at the front; of a zero, none.
    digits: Vec<u8>,
    point: i32,
    kind: NumberKind,
    /// Digits behind the point of an exact number's type.
    scale: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberKind {
    /// With its bits, for X.
    Whole(i64, TypeKind),
    Exact,
    Float,
}

impl Number {
    /// None: not a number.
    fn of(value: &Datum, ty: &SqlType) -> SqlResult<Option<Number>> {
        let no_style = types::convert::NO_STYLE;
        let cast = types::ConvertContext::CAST;
        Ok(match (value, ty.kind) {
            (Datum::I64(value), TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int | TypeKind::BigInt) => {
                Some(Number::exact(i128::from(*value), 0, NumberKind::Whole(*value, ty.kind)))
            }
            (Datum::I128(value), TypeKind::Decimal | TypeKind::Numeric) => {
                Some(Number::exact(*value, ty.scale.into(), NumberKind::Exact))
            }
            (_, TypeKind::Money | TypeKind::SmallMoney) => {
                match types::convert(value, ty, &SqlType::decimal(38, 4), no_style, &cast)? {
                    Datum::I128(value) => Some(Number::exact(value, 4, NumberKind::Exact)),
                    _ => None,
                }
            }
            (Datum::F64(value), _) => {
                // A real has seven digits that count, a float fifteen.
                let digits = if ty.kind == TypeKind::Real { 6 } else { 14 };
                let text = format!("{:.digits$e}", value.abs());
                let (mantissa, exponent) = text.split_once('e').expect("scientific");
                let exponent: i32 = exponent.parse().expect("an exponent");
                let digits = mantissa.bytes().filter(u8::is_ascii_digit).collect();
                let mut number =
                    Number { negative: *value < 0.0, digits, point: exponent + 1, kind: NumberKind::Float, scale: 0 };
                number.trim();
                Some(number)
            }
            _ => None,
        })
    }

    fn exact(value: i128, scale: usize, kind: NumberKind) -> Number {
        let digits = value.unsigned_abs().to_string().into_bytes();
        let point = digits.len() as i32 - scale as i32;
        let mut number = Number { negative: value < 0, digits, point, kind, scale };
        number.trim();
        number
    }

    /// Zeros at either end say nothing.
    fn trim(&mut self) {
        let zeros = self.digits.iter().take_while(|digit| **digit == b'0').count();
        self.digits.drain(..zeros);
        self.point -= zeros as i32;
        while self.digits.last() == Some(&b'0') {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
    }

    fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// With no more than `kept` digits behind the point, half away from zero.
    fn rounded(&self, kept: i32) -> Number {
        let mut number = self.clone();
        let keep = self.point + kept;
        if keep < 0 {
            number.digits.clear();
        } else if (keep as usize) < number.digits.len() {
            let up = number.digits[keep as usize] >= b'5';
            number.digits.truncate(keep as usize);
            if up {
                number.step();
            }
        }
        number.trim();
        number
    }

    /// One more in the last digit.
    fn step(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                return;
            }
            *digit = b'0';
        }
        self.digits.insert(0, b'1');
        self.point += 1;
    }

    /// The digits before the point, and `decimals` behind it.
    fn parts(&self, decimals: usize) -> (String, String) {
        let digit = |at: i32| {
            let digit = usize::try_from(at).ok().and_then(|at| self.digits.get(at));
            digit.map_or('0', |digit| char::from(*digit))
        };
        let whole = (0..self.point).map(digit).collect();
        let fraction = (0..decimals as i32).map(|at| digit(self.point + at)).collect();
        (whole, fraction)
    }

    fn decimals(&self) -> usize {
        (self.digits.len() as i32 - self.point).max(0) as usize
    }

    fn times_ten_to(mut self, power: i32) -> Number {
        if !self.is_zero() {
            self.point += power;
        }
        self
    }
}

fn grouped(digits: &str, separator: &str) -> String {
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push_str(separator);
        }
        out.push(digit);
    }
    out
}

/// `1.234,50` with a point, or without one where there is nothing behind it.
fn fixed(number: &Number, decimals: usize, group: bool, culture: &Culture) -> String {
    let (whole, fraction) = number.parts(decimals);
    let whole = if whole.is_empty() { "0".to_owned() } else { whole };
    let whole = if group { grouped(&whole, culture.group) } else { whole };
    if fraction.is_empty() { whole } else { format!("{whole}{}{fraction}", culture.decimal) }
}

/// None: no format.
fn number_text(number: &Number, pattern: &str, culture: &Culture) -> Option<String> {
    let kind = pattern.chars().next();
    let digits = kind.map_or("", |kind| &pattern[kind.len_utf8()..]);
    let standard = kind.is_some_and(|kind| kind.is_ascii_alphabetic())
        && digits.len() <= 2
        && digits.chars().all(|digit| digit.is_ascii_digit());
    match kind {
        None => standard_text(number, 'G', None, culture),
        Some(kind) if standard => standard_text(number, kind, digits.parse().ok(), culture),
        Some(_) => custom_text(number, pattern, culture),
    }
}

fn standard_text(number: &Number, kind: char, precision: Option<usize>, culture: &Culture) -> Option<String> {
    let signed = |text: String, negative: bool| if negative { format!("-{text}") } else { text };
    let round = |decimals: usize| {
        let rounded = number.rounded(decimals as i32);
        let negative = rounded.negative && !rounded.is_zero();
        (rounded, negative)
    };
    match kind.to_ascii_uppercase() {
        'C' => {
            let decimals = precision.unwrap_or(culture.currency_digits);
            let (rounded, negative) = round(decimals);
            let shape = if negative { culture.currency_negative } else { culture.currency_positive };
            let text = fixed(&rounded, decimals, true, culture);
            Some(shape.replace('n', &text).replacen('$', culture.currency, 1))
        }
        'N' | 'F' => {
            let decimals = precision.unwrap_or(2);
            let (rounded, negative) = round(decimals);
            Some(signed(fixed(&rounded, decimals, kind.eq_ignore_ascii_case(&'n'), culture), negative))
        }
        'P' => {
            let decimals = precision.unwrap_or(2);
            let percent = number.clone().times_ten_to(2).rounded(decimals as i32);
            let negative = percent.negative && !percent.is_zero();
            Some(signed(culture.percent.replace('n', &fixed(&percent, decimals, true, culture)), negative))
        }
        'D' => {
            let NumberKind::Whole(..) = number.kind else { return None };
            let (whole, _) = number.parts(0);
            let width = precision.unwrap_or(1).max(1);
            Some(signed(format!("{whole:0>width$}"), number.negative))
        }
        'X' => {
            let NumberKind::Whole(bits, ty) = number.kind else { return None };
            let width = precision.unwrap_or(1);
            let bits = match ty {
                TypeKind::TinyInt | TypeKind::SmallInt => bits as u64 & 0xFFFF,
                TypeKind::Int => bits as u64 & 0xFFFF_FFFF,
                _ => bits as u64,
            };
            Some(if kind == 'X' { format!("{bits:0width$X}") } else { format!("{bits:0width$x}") })
        }
        'E' => {
            let text = scientific(number, precision.unwrap_or(6), true, 3, kind, culture);
            Some(signed(text, number.negative))
        }
        'G' => Some(signed(general(number, precision, kind, culture), number.negative && !number.is_zero())),
        'R' if number.kind == NumberKind::Float => {
            Some(signed(general(number, None, 'G', culture), number.negative && !number.is_zero()))
        }
        _ => None,
    }
}

/// `1,5E+003`; `least`: digits of the exponent. With `padded`, exactly `decimals` digits behind the point.
fn scientific(number: &Number, decimals: usize, padded: bool, least: usize, letter: char, culture: &Culture) -> String {
    let rounded = number.rounded(decimals as i32 + 1 - number.point);
    let exponent = if rounded.is_zero() { 0 } else { rounded.point - 1 };
    let mantissa = Number { point: i32::from(!rounded.is_zero()), ..rounded };
    let shown = if padded { decimals } else { mantissa.decimals() };
    let sign = if exponent < 0 { '-' } else { '+' };
    let letter = if letter.is_ascii_lowercase() { 'e' } else { 'E' };
    let (text, exponent) = (fixed(&mantissa, shown, false, culture), exponent.unsigned_abs());
    format!("{text}{letter}{sign}{exponent:0>least$}")
}

/// The shorter of fixed and scientific; an exact number without a precision as its type has it.
fn general(number: &Number, precision: Option<usize>, letter: char, culture: &Culture) -> String {
    let precision = precision.filter(|precision| *precision > 0);
    if number.kind != NumberKind::Float && precision.is_none() {
        return fixed(number, number.scale, false, culture);
    }
    let precision = precision.unwrap_or(15);
    let rounded = number.rounded(precision as i32 - number.point);
    let exponent = rounded.point - 1;
    if !rounded.is_zero() && (exponent < -5 || exponent >= precision as i32) {
        return scientific(&rounded, precision - 1, false, 2, letter, culture);
    }
    fixed(&rounded, rounded.decimals(), false, culture)
}

/// What a section of a custom pattern is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// `0` or `#`: whether a zero is shown there.
    Digit(bool),
    Point,
    Comma,
    /// `E+00`: its letter, whether a plus is shown, least digits.
    Exponent(char, bool, usize),
    Text(String),
    /// Times ten to this power.
    Scale(i32, char),
}

/// The sections of a pattern, apart by semicolons.
fn sections(pattern: &str) -> Vec<Vec<Piece>> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut out = vec![Vec::new()];
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        at += 1;
        let piece = match c {
            ';' => {
                out.push(Vec::new());
                continue;
            }
            '0' => Piece::Digit(true),
            '#' => Piece::Digit(false),
            '.' => Piece::Point,
            ',' => Piece::Comma,
            '%' => Piece::Scale(2, '%'),
            '‰' => Piece::Scale(3, '‰'),
            'E' | 'e' => {
                let plus = chars.get(at) == Some(&'+');
                let sign = usize::from(plus || chars.get(at) == Some(&'-'));
                let zeros = chars[at + sign..].iter().take_while(|c| **c == '0').count();
                if zeros == 0 {
                    Piece::Text(c.to_string())
                } else {
                    at += sign + zeros;
                    Piece::Exponent(c, plus, zeros)
                }
            }
            '\'' | '"' => {
                let text: String = chars[at..].iter().take_while(|other| **other != c).collect();
                at += text.chars().count() + 1;
                Piece::Text(text)
            }
            '\\' => {
                let text = chars.get(at).map(char::to_string).unwrap_or_default();
                at += 1;
                Piece::Text(text)
            }
            other => Piece::Text(other.to_string()),
        };
        out.last_mut().expect("one at least").push(piece);
    }
    out
}

fn custom_text(number: &Number, pattern: &str, culture: &Culture) -> Option<String> {
    let sections = sections(pattern);
    let section = |at: usize| sections.get(at).filter(|section| !section.is_empty());
    let chosen = match (number.is_zero(), number.negative) {
        (true, _) => section(2).map_or(0, |_| 2),
        (false, true) => section(1).map_or(0, |_| 1),
        _ => 0,
    };
    let shown = Shown::of(number, &sections[chosen]);
    // What is rounded to zero is shown as a zero.
    if shown.number.is_zero() && !number.is_zero() && section(2).is_some() {
        let zero = Number { digits: Vec::new(), point: 0, ..number.clone() };
        return Some(Shown::of(&zero, &sections[2]).text(&sections[2], culture));
    }
    let sign = if number.negative && chosen == 0 && !shown.number.is_zero() { "-" } else { "" };
    Some(format!("{sign}{}", shown.text(&sections[chosen], culture)))
}

/// A number as a section will have it.
struct Shown {
    number: Number,
    group: bool,
    /// Digits before the point at least.
    whole_least: usize,
    /// Places for digits before the point.
    whole_places: usize,
    fraction_least: usize,
    fraction_places: usize,
    exponent: i32,
}

impl Shown {
    fn of(number: &Number, section: &[Piece]) -> Shown {
        let point = section.iter().position(|piece| *piece == Piece::Point).unwrap_or(section.len());
        let (before, behind) = section.split_at(point);
        let places = |pieces: &[Piece]| pieces.iter().filter(|piece| matches!(piece, Piece::Digit(_))).count();
        let (whole_places, fraction_places) = (places(before), places(behind));
        let mut seen = 0;
        let mut whole_least = 0;
        for piece in before {
            if let Piece::Digit(zero) = piece {
                if *zero && whole_least == 0 {
                    whole_least = whole_places - seen;
                }
                seen += 1;
            }
        }
        let mut fraction_least = 0;
        for (at, piece) in behind.iter().filter(|piece| matches!(piece, Piece::Digit(_))).enumerate() {
            if *piece == Piece::Digit(true) {
                fraction_least = at + 1;
            }
        }
        // Commas between digits group; those right before the point divide by a thousand each.
        let last = before.iter().rposition(|piece| matches!(piece, Piece::Digit(_)));
        let first = before.iter().position(|piece| matches!(piece, Piece::Digit(_)));
        let comma = |piece: &Piece| *piece == Piece::Comma;
        let group = match (first, last) {
            (Some(first), Some(last)) => before[first..last].iter().any(comma),
            _ => false,
        };
        let thousands = last.map_or(0, |last| before[last + 1..].iter().take_while(|piece| comma(piece)).count());
        let scale: i32 = section.iter().map(|piece| if let Piece::Scale(power, _) = piece { *power } else { 0 }).sum();
        let mut number = number.clone().times_ten_to(scale - 3 * thousands as i32);
        let mut exponent = 0;
        if section.iter().any(|piece| matches!(piece, Piece::Exponent(..))) && !number.is_zero() {
            let keep = whole_places.max(1) as i32;
            let digits = keep + fraction_places as i32;
            number = number.rounded(digits - number.point);
            exponent = number.point - keep;
            number.point = keep;
        } else {
            number = number.rounded(fraction_places as i32);
        }
        Shown { number, group, whole_least, whole_places, fraction_least, fraction_places, exponent }
    }

    fn text(&self, section: &[Piece], culture: &Culture) -> String {
        let (whole, fraction) = self.number.parts(self.fraction_places);
        let least = self.whole_least;
        let whole: Vec<char> = format!("{whole:0>least$}").chars().collect();
        let kept = fraction.trim_end_matches('0').len().max(self.fraction_least);
        let fraction: Vec<char> = fraction[..kept].chars().collect();
        let mut out = String::new();
        let (mut place, mut behind, mut in_fraction) = (0, 0, false);
        let digit = |out: &mut String, at: usize| {
            out.push(whole[at]);
            let left = whole.len() - at - 1;
            if self.group && left > 0 && left.is_multiple_of(3) {
                out.push_str(culture.group);
            }
        };
        for piece in section {
            match piece {
                Piece::Digit(_) if in_fraction => {
                    out.extend(fraction.get(behind));
                    behind += 1;
                }
                Piece::Digit(_) => {
                    // The first place takes all digits for which there is none.
                    let left = self.whole_places - place;
                    let until = (whole.len() + 1).saturating_sub(left);
                    let from = if place == 0 { 0 } else { until.saturating_sub(1) };
                    (from..until).for_each(|at| digit(&mut out, at));
                    place += 1;
                }
                Piece::Point if !in_fraction => {
                    in_fraction = true;
                    if self.whole_places == 0 {
                        out.extend(whole.iter().filter(|_| !self.number.is_zero()));
                    }
                    if !fraction.is_empty() {
                        out.push_str(culture.decimal);
                    }
                }
                Piece::Point | Piece::Comma => {}
                Piece::Text(text) => out.push_str(text),
                Piece::Scale(_, sign) => out.push(*sign),
                Piece::Exponent(letter, plus, least) => {
                    out.push(*letter);
                    match (self.exponent < 0, plus) {
                        (true, _) => out.push('-'),
                        (false, true) => out.push('+'),
                        _ => {}
                    }
                    out += &format!("{:0>least$}", self.exponent.unsigned_abs());
                }
            }
        }
        out
    }
}

// ---- moments

/// None: no format.
fn moment_text(moment: &Moment, with_offset: bool, pattern: &str, culture: &Culture) -> Option<String> {
    let both = |date: &str, time: &str| format!("{date} {time}");
    let mut chars = pattern.chars();
    let standard = match (chars.next(), chars.next()) {
        (None, _) => Some('G'),
        (Some(letter), None) => Some(letter),
        _ => None,
    };
    let pattern = match standard {
        None => pattern.to_owned(),
        Some('d') => culture.short_date.to_owned(),
        Some('D') => culture.long_date.to_owned(),
        Some('t') => culture.short_time.to_owned(),
        Some('T') => culture.long_time.to_owned(),
        Some('f') => both(culture.long_date, culture.short_time),
        Some('F') => both(culture.long_date, culture.long_time),
        Some('g') => both(culture.short_date, culture.short_time),
        Some('G') => both(culture.short_date, culture.long_time),
        Some('M' | 'm') => culture.month_day.to_owned(),
        Some('Y' | 'y') => culture.year_month.to_owned(),
        Some('O' | 'o') if with_offset => "yyyy'-'MM'-'dd'T'HH':'mm':'ss'.'fffffffzzz".to_owned(),
        Some('O' | 'o') => "yyyy'-'MM'-'dd'T'HH':'mm':'ss'.'fffffff".to_owned(),
        Some('s') => "yyyy'-'MM'-'dd'T'HH':'mm':'ss".to_owned(),
        // What is the same everywhere is said in universal time.
        Some('R' | 'r') => "ddd, dd MMM yyyy HH':'mm':'ss 'GMT'".to_owned(),
        Some('u') => "yyyy'-'MM'-'dd HH':'mm':'ss'Z'".to_owned(),
        Some('U') if !with_offset => both(culture.long_date, culture.long_time),
        Some(_) => return None,
    };
    let universal = matches!(standard, Some('R' | 'r' | 'u')) && with_offset;
    let culture = if matches!(standard, Some('R' | 'r')) { Culture::invariant() } else { culture };
    let shown = if universal { moment.utc_ticks() } else { moment.local_ticks() };
    custom_moment(shown, moment.offset, &pattern, culture)
}

const TICKS_PER_DAY: i64 = types::datetime::calendar::TICKS_PER_DAY;

fn custom_moment(ticks: i64, offset: i16, pattern: &str, culture: &Culture) -> Option<String> {
    let (days, of_day) = (ticks.div_euclid(TICKS_PER_DAY), ticks.rem_euclid(TICKS_PER_DAY));
    let civil = types::datetime::Civil::from_days(days);
    // Day 0 was a Monday.
    let weekday = (days + 1).rem_euclid(7);
    let hour = of_day / 36_000_000_000;
    let (minute, second) = (of_day / 600_000_000 % 60, of_day / 10_000_000 % 60);
    let fraction = format!("{:07}", of_day % 10_000_000);
    let mut out = String::new();
    let chars: Vec<char> = pattern.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let run = chars[at..].iter().take_while(|other| **other == c).count();
        let padded = |value: i64, most: usize| {
            let width = run.min(most);
            format!("{value:0width$}")
        };
        match c {
            'y' if run <= 2 => out += &padded(civil.year % 100, 2),
            'y' => out += &padded(civil.year, run),
            'M' if run <= 2 => out += &padded(civil.month, 2),
            'M' if run == 3 => out += culture.short_month(civil.month),
            'M' if has_day(&chars) => out += culture.month_of_day(civil.month),
            'M' => out += culture.month(civil.month),
            'd' if run <= 2 => out += &padded(civil.day, 2),
            'd' if run == 3 => out += culture.short_weekday(weekday),
            'd' => out += culture.weekday(weekday),
            'H' => out += &padded(hour, 2),
            'h' => out += &padded((hour + 11) % 12 + 1, 2),
            'm' => out += &padded(minute, 2),
            's' => out += &padded(second, 2),
            'f' | 'F' if run > 7 => return None,
            'f' => out += &fraction[..run],
            'F' => {
                let kept = fraction[..run].trim_end_matches('0');
                if kept.is_empty() && out.ends_with('.') {
                    out.pop();
                }
                out += kept;
            }
            't' => {
                let half = if hour < 12 { culture.morning } else { culture.afternoon };
                out.extend(half.chars().take(if run == 1 { 1 } else { half.len() }));
            }
            'g' => out += "A.D.",
            'K' => {
                out += &offset_text(offset, 3);
                at += 1;
                continue;
            }
            'z' => out += &offset_text(offset, run),
            ':' | '/' => {
                out += if c == ':' { culture.time_separator } else { culture.date_separator };
                at += 1;
                continue;
            }
            '%' => {
                // Makes one letter a custom pattern.
                if chars.get(at + 1).is_none_or(|next| *next == '%') {
                    return None;
                }
                at += 1;
                continue;
            }
            '\'' | '"' | '\\' => {
                let (text, next) = literal(&chars, at)?;
                out.extend(text);
                at = next;
                continue;
            }
            other => {
                out.push(other);
                at += 1;
                continue;
            }
        }
        at += run;
    }
    Some(out)
}

/// Whether a pattern has the day's number, so that some languages write the month in another form.
fn has_day(pattern: &[char]) -> bool {
    let mut at = 0;
    while at < pattern.len() {
        let run = pattern[at..].iter().take_while(|other| **other == pattern[at]).count();
        match pattern[at] {
            'd' if run <= 2 => return true,
            '\'' | '"' | '\\' => at = literal(pattern, at).map_or(pattern.len(), |(_, next)| next),
            _ => at += run,
        }
    }
    false
}

/// Text in quotes, or a character behind a backslash, that begins at `at`, and where the pattern goes on. None: it has no end.
fn literal(chars: &[char], at: usize) -> Option<(&[char], usize)> {
    let rest = &chars[at + 1..];
    match chars[at] {
        '\\' => Some((rest.get(..1)?, at + 2)),
        quote => {
            let end = rest.iter().position(|other| *other == quote)?;
            Some((&rest[..end], at + end + 2))
        }
    }
}

fn offset_text(offset: i16, run: usize) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let (hours, minutes) = (offset.unsigned_abs() / 60, offset.unsigned_abs() % 60);
    match run {
        1 => format!("{sign}{hours}"),
        2 => format!("{sign}{hours:02}"),
        _ => format!("{sign}{hours:02}:{minutes:02}"),
    }
}

/// A time is a span in .NET: what is no letter of a span must be escaped, else NULL.
fn span_text(moment: &Moment, pattern: &str, culture: &Culture) -> Option<String> {
    let ticks = moment.local_ticks().rem_euclid(TICKS_PER_DAY);
    let hour = ticks / 36_000_000_000;
    let (minute, second) = (ticks / 600_000_000 % 60, ticks / 10_000_000 % 60);
    let fraction = format!("{:07}", ticks % 10_000_000);
    let long = if ticks % 10_000_000 == 0 { String::new() } else { format!(".{fraction}") };
    match pattern {
        "" | "c" | "t" | "T" => return Some(format!("{hour:02}:{minute:02}:{second:02}{long}")),
        "g" => {
            let long = long.trim_end_matches('0').replace('.', culture.decimal);
            return Some(format!("{hour}:{minute:02}:{second:02}{long}"));
        }
        "G" => return Some(format!("0:{hour:02}:{minute:02}:{second:02}{}{fraction}", culture.decimal)),
        _ if pattern.chars().count() == 1 => return None,
        _ => {}
    }
    let mut out = String::new();
    let chars: Vec<char> = pattern.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let run = chars[at..].iter().take_while(|other| **other == c).count();
        match c {
            'h' | 'm' | 's' if run <= 2 => {
                let value = match c {
                    'h' => hour,
                    'm' => minute,
                    _ => second,
                };
                out += &format!("{value:0run$}");
            }
            'd' if run <= 8 => out += &format!("{:0run$}", 0),
            'f' if run <= 7 => out += &fraction[..run],
            'F' if run <= 7 => out += fraction[..run].trim_end_matches('0'),
            '\'' | '"' | '\\' => {
                let (text, next) = literal(&chars, at)?;
                out.extend(text);
                at = next;
                continue;
            }
            '%' if at == 0 => {
                at += 1;
                continue;
            }
            _ => return None,
        }
        at += run;
    }
    Some(out)
}
