//! Message templates of RAISERROR, FORMATMESSAGE and xp_sprintf-like users.

use types::{Datum, Physical, SqlError, SqlResult, SqlType, TypeKind, messages, sql_error};

use crate::context::Runtime;
use crate::kernel;

/// User messages have higher numbers.
const SYSTEM_NUMBER_MAX: i32 = 50_000;

/// A message by its number.
pub struct Numbered {
    pub severity: u8,
    template: String,
    /// In the session's language, if the message has a version in it: `%2!` stands for what the template's second placeholder does.
    localized: Option<String>,
}

impl Numbered {
    pub fn text(&self, arguments: &[(SqlType, Datum)]) -> SqlResult<String> {
        let Some(localized) = &self.localized else { return format_message(&self.template, arguments) };
        let (template, order) = positioned(localized, &self.template);
        let argument = |place: &usize| arguments.get(*place).cloned().unwrap_or((SqlType::INT, Datum::Null));
        format_message(&template, &order.iter().map(argument).collect::<Vec<_>>())
    }
}

/// None: `sys.messages` has none.
pub fn numbered(runtime: &mut Runtime<'_>, number: i32) -> SqlResult<Option<Numbered>> {
    if number > SYSTEM_NUMBER_MAX {
        let found = runtime.host.message_text(runtime.session, number)?;
        return Ok(found.map(|(severity, template, localized)| Numbered { severity, template, localized }));
    }
    Ok(messages::find(number).map(|message| Numbered {
        severity: message.severity,
        template: of_system(message.text),
        localized: None,
    }))
}

/// A localized text with the template's placeholders for its own, and which argument each of them takes.
fn positioned(localized: &str, template: &str) -> (String, Vec<usize>) {
    let mut placeholders = Vec::new();
    let mut at = 0;
    while let Some(next) = template[at..].find('%') {
        at += next;
        let length = messages::placeholder(template.as_bytes(), at).max(1);
        if !template[at..].starts_with("%%") {
            placeholders.push(&template[at..at + length]);
        }
        at += length;
    }
    let (mut text, mut order) = (String::with_capacity(localized.len()), Vec::new());
    let mut rest = localized;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        let number =
            rest[at + 1..].split_once('!').and_then(|(digits, _)| Some((digits, digits.parse::<usize>().ok()?)));
        match number.and_then(|(digits, place)| Some((digits, place, placeholders.get(place.checked_sub(1)?)?))) {
            Some((digits, place, placeholder)) => {
                text.push_str(placeholder);
                order.push(place - 1);
                rest = &rest[at + digits.len() + 2..];
            }
            None => {
                let length = if rest[at..].starts_with("%%") { 2 } else { 1 };
                text.push_str(&rest[at..at + length]);
                rest = &rest[at + length..];
            }
        }
    }
    (text + rest, order)
}

/// The system's texts have placeholders that only the system fills, such as `%.*ls` and `%S_MSG`; a user's argument goes there
/// as it is.
fn of_system(text: &str) -> String {
    let mut template = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        template.push_str(&rest[..at]);
        let length = messages::placeholder(rest.as_bytes(), at);
        let piece = &rest[at..at + length.max(1)];
        let own = piece.starts_with("%S_") || piece.contains('*') || piece.ends_with(['c', 'f']);
        template.push_str(if own { "%s" } else { piece });
        rest = &rest[at + length.max(1)..];
    }
    template + rest
}

/// `%[flags][width][.precision][h|l|I64]type` with type d i o s u x X, as RAISERROR and FORMATMESSAGE have them.
pub fn format_message(template: &str, arguments: &[(SqlType, Datum)]) -> SqlResult<String> {
    let mut text = String::new();
    let mut rest = template.chars().peekable();
    let mut arguments = arguments.iter();
    let mut taken = 0;
    while let Some(c) = rest.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        if rest.peek() == Some(&'%') {
            rest.next();
            text.push('%');
            continue;
        }
        let from = rest.clone();
        let mut flags = String::new();
        while let Some(flag) = rest.next_if(|c| "-+0# ".contains(*c)) {
            flags.push(flag);
        }
        let mut number = |rest: &mut std::iter::Peekable<std::str::Chars>| -> SqlResult<Option<usize>> {
            if rest.next_if_eq(&'*').is_some() {
                taken += 1;
                return match arguments.next() {
                    // A negative one counts as none.
                    Some((_, Datum::I64(value))) => Ok((*value >= 0).then(|| (*value).min(2048) as usize)),
                    _ => Err(bad_type(taken)),
                };
            }
            let mut digits = String::new();
            while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            Ok(digits.parse::<usize>().ok().map(|value| value.min(2048)))
        };
        let width = number(&mut rest)?;
        let precision = match rest.next_if_eq(&'.') {
            Some(_) if rest.peek() == Some(&'*') => number(&mut rest)?,
            Some(_) => Some(number(&mut rest)?.unwrap_or(0)),
            None => None,
        };
        let (mut wide, mut half) = (false, false);
        while let Some(size) = rest.next_if(|c| "hlI64".contains(*c)) {
            wide |= size == 'I';
            half |= size == 'h';
        }
        let Some(kind) = rest.next().filter(|c| "diosuxX".contains(*c)) else {
            return Err(bad_format(&from.collect::<String>()));
        };
        taken += 1;
        let piece = match arguments.next() {
            None | Some((_, Datum::Null)) => "(null)".to_owned(),
            Some(argument) => {
                let (ty, value) = &as_bigint(argument);
                let fits = kind == 's' || fits_size(ty, wide, half);
                let piece = if fits { one_argument(kind, wide, &flags, precision, ty, value) } else { None };
                piece.ok_or_else(|| bad_type(taken))?
            }
        };
        pad(&mut text, &piece, width, &flags, kind);
    }
    let length = text.chars().count();
    if length > 2047 {
        text = text.chars().take(2044).collect();
        text.push_str("...");
    }
    Ok(text)
}

#[cold]
fn bad_format(rest: &str) -> SqlError {
    sql_error!(2787, format_args!("%{rest}"))
}

#[cold]
fn bad_type(argument: u32) -> SqlError {
    sql_error!(2786, argument)
}

/// A constant of more than an int's digits is a decimal, and one for `%I64d`.
/// https://learn.microsoft.com/sql/t-sql/functions/formatmessage-transact-sql
fn as_bigint(argument: &(SqlType, Datum)) -> (SqlType, Datum) {
    match argument {
        (ty, Datum::I128(value)) if ty.is_decimal() && ty.scale == 0 => match i64::try_from(*value) {
            Ok(value) => (SqlType::BIGINT, Datum::I64(value)),
            Err(_) => argument.clone(),
        },
        _ => argument.clone(),
    }
}

/// `%I64d` is of a bigint, `%hd` of no more than 16 bits.
fn fits_size(ty: &SqlType, wide: bool, half: bool) -> bool {
    let long = ty.kind == TypeKind::BigInt;
    let short = matches!(ty.kind, TypeKind::TinyInt | TypeKind::SmallInt);
    wide == long && (!half || short)
}

fn one_argument(
    kind: char,
    wide: bool,
    flags: &str,
    precision: Option<usize>,
    ty: &SqlType,
    value: &Datum,
) -> Option<String> {
    match (kind, value) {
        ('s', Datum::Bytes(bytes)) => {
            let text = if ty.is_string() { kernel::text(ty, bytes) } else { return None };
            Some(match precision {
                Some(precision) => text.chars().take(precision).collect(),
                None => text,
            })
        }
        ('s', _) | (_, Datum::Bytes(_) | Datum::F64(_) | Datum::I128(_)) => None,
        (_, Datum::I64(value)) => {
            if !(ty.is_integer() || ty.kind == TypeKind::Bit) || ty.physical() != Physical::I64 {
                return None;
            }
            let narrow = *value as u32 as u64;
            let unsigned = if wide { *value as u64 } else { narrow };
            let digits = match kind {
                'd' | 'i' => value.unsigned_abs().to_string(),
                'u' => unsigned.to_string(),
                'o' => format!("{unsigned:o}"),
                'x' => format!("{unsigned:x}"),
                _ => format!("{unsigned:X}"),
            };
            let digits = match precision {
                Some(precision) if digits.len() < precision => "0".repeat(precision - digits.len()) + &digits,
                _ => digits,
            };
            let sign = match kind {
                'd' | 'i' if *value < 0 => "-",
                'd' | 'i' if flags.contains('+') => "+",
                'd' | 'i' if flags.contains(' ') => " ",
                'x' if flags.contains('#') && *value != 0 => "0x",
                'X' if flags.contains('#') && *value != 0 => "0X",
                'o' if flags.contains('#') => "0",
                _ => "",
            };
            Some(format!("{sign}{digits}"))
        }
        (_, Datum::Null) => Some("(null)".to_owned()),
    }
}

fn pad(text: &mut String, piece: &str, width: Option<usize>, flags: &str, kind: char) {
    let length = piece.chars().count();
    let missing = width.unwrap_or(0).saturating_sub(length);
    if flags.contains('-') {
        text.push_str(piece);
        text.extend(std::iter::repeat_n(' ', missing));
    } else if flags.contains('0') && kind != 's' {
        let (sign, digits) = match piece.strip_prefix(['-', '+']) {
            Some(digits) => (&piece[..1], digits),
            None => ("", piece),
        };
        text.push_str(sign);
        text.extend(std::iter::repeat_n('0', missing));
        text.push_str(digits);
    } else {
        text.extend(std::iter::repeat_n(' ', missing));
        text.push_str(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_arguments_are_formatted_as_printf_does() {
        let whole = |value| (SqlType::INT, Datum::I64(value));
        let text = |value: &str| (SqlType::nvarchar(50), Datum::nvarchar(value));
        let cases: &[(&str, Vec<(SqlType, Datum)>, &str)] = &[
            ("plain 100%%", vec![], "plain 100%"),
            ("%d and %s", vec![whole(-7), text("x")], "-7 and x"),
            ("[%5d|%-5d|%05d|%+d]", vec![whole(42), whole(42), whole(-42), whole(42)], "[   42|42   |-0042|+42]"),
            ("[%.3s|%5.2s|%*d]", vec![text("abcdef"), text("abcdef"), whole(4), whole(1)], "[abc|   ab|   1]"),
            (
                "%x %X %#x %o %u",
                vec![whole(255), whole(255), whole(255), whole(8), whole(-1)],
                "ff FF 0xff 10 4294967295",
            ),
            ("%s %d", vec![(SqlType::nvarchar(1), Datum::Null)], "(null) (null)"),
            ("%I64d", vec![(SqlType::BIGINT, Datum::I64(1 << 40))], "1099511627776"),
        ];
        for (template, arguments, expected) in cases {
            assert_eq!(format_message(template, arguments).expect(template), *expected, "{template}");
        }
        let refused = |template: &str, arguments: &[(SqlType, Datum)]| {
            format_message(template, arguments).map_err(|error| error.number)
        };
        assert_eq!(refused("%z", &[]), Err(2787), "no such conversion");
        assert_eq!(refused("%", &[]), Err(2787), "no conversion at all");
        assert_eq!(refused("%d", &[text("no number")]), Err(2786), "an argument of another type");
    }

    #[test]
    fn a_localized_text_takes_the_arguments_in_its_own_order() {
        let (text, order) = positioned("100%%: %3!, %1! (%2!) %4! %1!", "%d of %-10s, %s: 100%%");
        assert_eq!((text.as_str(), &order[..]), ("100%%: %s, %d (%-10s) %4! %d", &[2, 0, 1, 0][..]));
    }

    #[test]
    fn placeholders_of_the_system_take_what_is_given() {
        let template = of_system("Cannot %S_MSG the %S_MSG '%.*ls' (%d, %I64d, %lc): 100%%");
        assert_eq!(template, "Cannot %s the %s '%s' (%d, %I64d, %s): 100%%");
        for message in messages::all() {
            assert!(format_message(&of_system(message.text), &[]).is_ok(), "{}", message.number);
        }
    }
}
