//! PARSE and TRY_PARSE: numbers, amounts and moments as a culture writes them.

use sql::function::FunctionId;
use types::culture::Culture;
use types::datetime::DateFormat;
use types::pause::STRIDE;
use types::{Datum, SqlResult, SqlType, TypeKind, sql_error};

use super::culture::culture_of;
use crate::context::Context;
use crate::expression::general::Call;
use crate::kernel;
use crate::value::{Row, Value};

pub fn parse<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let ty = call.arguments[0].ty;
    let value = call.value(0, context, row)?;
    let culture = culture_of(call, 1, context, row)?.ok_or_else(|| sql_error!(9818, "NULL"))?;
    let Value::Bytes(bytes) = &value else { return Ok(Value::Null) };
    let failed = |text: &str| match call.id {
        FunctionId::TryParse => Ok(Value::Null),
        _ => {
            let name = call.text(1.min(call.arguments.len() - 1), context, row)?.unwrap_or_default();
            let name = if call.arguments.len() > 1 { name } else { String::new() };
            Err(sql_error!(9819, text, kernel::type_name(call.ty.kind), name))
        }
    };
    let text = kernel::text(&ty, &bytes[..bytes.len().min(STRIDE)]);
    // Nothing so long is a number or a moment.
    if bytes.len() > STRIDE {
        return failed(&text);
    }
    let plain = if call.ty.is_temporal() {
        moment(&text, culture, this_year(context))
    } else {
        number(&text, call.ty.kind, culture)
    };
    let Some(plain) = plain else { return failed(&text) };
    let Datum::Bytes(plain) = Datum::nvarchar(&plain) else { unreachable!("a string") };
    let (from, to) = (SqlType::NVARCHAR_MAX, &call.ty);
    let mut parsed: SqlResult<(Value<'static>, SqlType)> = Ok((Value::owned(plain.into_vec()), from));
    if matches!(to.kind, TypeKind::DateTime | TypeKind::SmallDateTime) {
        // These would read no more than three digits of a second.
        let finer = SqlType::datetime2(7);
        parsed =
            parsed.and_then(|(text, from)| Ok((kernel::convert(context, text, &from, &finer, None, true)?, finer)));
    }
    match parsed.and_then(|(value, from)| kernel::convert(context, value, &from, to, None, true)) {
        Ok(value) => Ok(value),
        Err(error) if !kernel::is_conversion_error(&error) => Err(error),
        Err(_) => failed(&text),
    }
}

fn this_year(context: &Context) -> i64 {
    let ticks = super::datetime::statement_ticks(context);
    types::datetime::Civil::from_days(ticks / types::datetime::calendar::TICKS_PER_DAY).year
}

/// What .NET passes over around a number.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// A number as T-SQL writes it. What may stand beside the digits depends on the type, as the documentation of PARSE lists it: signs,
/// groups and a point everywhere, an exponent in a float alone, a currency and parentheses in an amount alone. None: it is none.
fn number(text: &str, kind: TypeKind, culture: &Culture) -> Option<String> {
    let float = matches!(kind, TypeKind::Float | TypeKind::Real);
    let amount = matches!(kind, TypeKind::Money | TypeKind::SmallMoney);
    let mut rest = text.trim_matches(is_blank).to_owned();
    let mut negative = false;
    if amount {
        if let Some(inner) = rest.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
            negative = true;
            rest = inner.to_owned();
        }
        rest = rest.replacen(culture.currency, "", 1).trim().to_owned();
    }
    let signed = rest.strip_prefix(['-', '+']).map(|behind| (rest.starts_with('-'), behind.to_owned()));
    let signed = signed.or_else(|| {
        let before = rest.strip_suffix(['-', '+']).filter(|_| !float)?;
        Some((rest.ends_with('-'), before.to_owned()))
    });
    if let Some((minus, behind)) = signed {
        if negative || behind.starts_with(is_blank) {
            return None;
        }
        negative = minus;
        rest = behind.trim_matches(is_blank).to_owned();
    }
    let (mantissa, exponent) = match rest.find(['e', 'E']).filter(|_| float) {
        Some(at) => rest.split_at(at),
        None => (&*rest, ""),
    };
    let (whole, fraction) = mantissa.split_once(culture.decimal).unwrap_or((mantissa, ""));
    let blank_groups = culture.group == "\u{a0}";
    let whole = match float {
        true => whole.to_owned(),
        false if blank_groups => whole.replace([' ', '\u{a0}'], ""),
        false => whole.replace(culture.group, ""),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(&whole) || !digits(fraction) || whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let sign = if negative { "-" } else { "" };
    let whole = if whole.is_empty() { "0" } else { &*whole };
    let is_whole = matches!(kind, TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int | TypeKind::BigInt);
    if is_whole {
        // A fraction of nothing but zeros is none.
        return fraction.bytes().all(|byte| byte == b'0').then(|| format!("{sign}{whole}"));
    }
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{point}{fraction}{exponent}"))
}

/// A moment as `20240506 13:14:15.5`. Weekdays are passed over; a month is a name or a number; the order of the numbers is the culture's
/// unless the first is a year. None: it is none.
fn moment(text: &str, culture: &Culture, this_year: i64) -> Option<String> {
    let text = text.trim();
    // As XML and JSON write it.
    let text = match text.find('T') {
        Some(at) if at > 0 && text.as_bytes()[at - 1].is_ascii_digit() => {
            format!("{} {}", &text[..at], &text[at + 1..])
        }
        _ => text.to_owned(),
    };
    let mut numbers: Vec<&str> = Vec::new();
    let mut month = None;
    let (mut time, mut half, mut offset) = (None, "", "");
    for word in text.split([' ', ',', '\u{a0}', '\u{202f}']).filter(|word| !word.is_empty()) {
        let lower = word.to_lowercase();
        if word.contains(':') && word.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = |c: char| c.is_ascii_digit() || c == ':' || c == '.';
            let end = word.find(|c: char| !digits(c)).unwrap_or(word.len());
            let (clock, behind) = word.split_at(end);
            if time.replace(clock).is_some() {
                return None;
            }
            match behind.to_lowercase().as_str() {
                "" => {}
                "am" | "pm" => half = behind,
                _ => offset = behind,
            }
        } else if ["am", "pm"].contains(&&*lower)
            || !culture.morning.is_empty() && [culture.morning, culture.afternoon].contains(&word)
        {
            half = word;
        } else if time.is_some() && (word.starts_with(['+', '-']) || lower == "z") {
            offset = word;
        } else if !is_weekday(&lower, culture) {
            for part in word.split(['/', '-', '.']).filter(|part| !part.is_empty()) {
                let lower = part.to_lowercase();
                if part.bytes().all(|byte| byte.is_ascii_digit()) {
                    numbers.push(part);
                } else if let Some(found) = month_named(&lower, culture) {
                    if month.replace(found).is_some() {
                        return None;
                    }
                } else if !["de", "den"].contains(&&*lower) {
                    return None;
                }
            }
        }
    }
    let date = if numbers.is_empty() && month.is_none() {
        time?;
        String::new()
    } else {
        date_of(&numbers, month, culture, this_year)?
    };
    let time = time.unwrap_or("");
    let half = match half {
        "" => "",
        half if half == culture.afternoon || half.eq_ignore_ascii_case("pm") => "PM",
        _ => "AM",
    };
    let offset = if offset.eq_ignore_ascii_case("z") { "+00:00" } else { offset };
    Some(format!("{date} {time}{half} {offset}").trim().to_owned())
}

/// `20240506`, which every date format and language reads alike.
fn date_of(numbers: &[&str], month: Option<i64>, culture: &Culture, this_year: i64) -> Option<String> {
    let year_first = numbers[..1.min(numbers.len())].iter().any(|first| first.len() > 2);
    let format = culture.language().get().date_format;
    let (year, month, day) = match (numbers, month) {
        ([year, day], Some(month)) if year_first => (*year, month, *day),
        ([day, year], Some(month)) => (*year, month, *day),
        // A month with its year, or with a day of this year.
        ([year], Some(month)) if year_first => (*year, month, "1"),
        ([day], Some(month)) => return whole_date(this_year, month, day.parse().ok()?),
        ([year, month, day], None) if year_first => (*year, month.parse().ok()?, *day),
        ([first, second, third], None) => match format {
            DateFormat::Mdy => (*third, first.parse().ok()?, *second),
            DateFormat::Ymd => (*first, second.parse().ok()?, *third),
            _ => (*third, second.parse().ok()?, *first),
        },
        ([first, second], None) if year_first => (*first, second.parse().ok()?, "1"),
        ([first, second], None) if second.len() > 2 => (*second, first.parse().ok()?, "1"),
        ([first, second], None) => {
            let month_first = matches!(format, DateFormat::Mdy | DateFormat::Ymd);
            let (month, day) = if month_first { (first, second) } else { (second, first) };
            return whole_date(this_year, month.parse().ok()?, day.parse().ok()?);
        }
        _ => return None,
    };
    let number: i64 = year.parse().ok()?;
    // Two digits: up to 49 this century.
    let number = match (year.len(), number) {
        (1 | 2, number @ 0..=49) => number + 2000,
        (1 | 2, number) => number + 1900,
        (_, number) => number,
    };
    whole_date(number, month, day.parse().ok()?)
}

fn whole_date(year: i64, month: i64, day: i64) -> Option<String> {
    types::datetime::Civil::new(year, month, day)
        .map(|date| format!("{:04}{:02}{:02}", date.year, date.month, date.day))
}

fn is_weekday(lower: &str, culture: &Culture) -> bool {
    let same = |name: &str| {
        let name = name.to_lowercase();
        name == lower || name.trim_end_matches('.') == lower
    };
    (0..7).any(|day| same(culture.weekday(day)) || same(culture.short_weekday(day)))
}

fn month_named(lower: &str, culture: &Culture) -> Option<i64> {
    let same = |name: &str| {
        let name = name.to_lowercase();
        name == lower || name.trim_end_matches('.') == lower
    };
    let is_it = |culture: &Culture, month: i64| same(culture.month(month)) || same(culture.short_month(month));
    // English is read everywhere.
    let in_culture = (1..=12).find(|month| is_it(culture, *month));
    in_culture.or_else(|| (1..=12).find(|month| is_it(Culture::invariant(), *month)))
}
