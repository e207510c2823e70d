//! Data masks: the functions that MASKED WITH may name, from their text, and back.
//! https://learn.microsoft.com/sql/relational-databases/security/dynamic-data-masking

use std::fmt;

use types::convert::{self, ConvertContext};
use types::{Datum, SqlResult, SqlType, TypeKind, sql_error};

/// What is shown in a value's place to those who may not see it.
#[derive(Debug, Clone, PartialEq)]
pub enum MaskFunction {
    Default,
    Email,
    Partial {
        prefix: u32,
        padding: Box<str>,
        suffix: u32,
    },
    /// Of the column's type, both included.
    Random {
        low: Datum,
        high: Datum,
        /// The bounds as they are shown.
        text: Box<str>,
    },
    Datetime(MaskedPart),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskedPart {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
}

const PARTS: [(&str, MaskedPart); 6] = [
    ("Y", MaskedPart::Year),
    ("M", MaskedPart::Month),
    ("D", MaskedPart::Day),
    ("h", MaskedPart::Hour),
    ("m", MaskedPart::Minute),
    ("s", MaskedPart::Second),
];

impl fmt::Display for MaskFunction {
    /// As `sys.masked_columns` shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MaskFunction::Default => f.write_str("default()"),
            MaskFunction::Email => f.write_str("email()"),
            MaskFunction::Partial { prefix, padding, suffix } => {
                write!(f, "partial({prefix}, \"{}\", {suffix})", padding.replace('"', "\"\""))
            }
            MaskFunction::Random { text, .. } => write!(f, "random({text})"),
            MaskFunction::Datetime(part) => {
                let letter = PARTS.iter().find(|(_, known)| known == part).map_or("", |(letter, _)| letter);
                write!(f, "datetime(\"{letter}\")")
            }
        }
    }
}

impl MaskFunction {
    /// The function of a column, by its text. Errors are 16002 to 16006.
    pub fn parse(text: &str, column: &str, ty: &SqlType) -> SqlResult<MaskFunction> {
        let malformed = |name: &str| sql_error!(16006, state 0, name, column);
        let Some((name, rest)) = text.split_once('(') else {
            return Err(if text.is_empty() { sql_error!(16002, state 0, column) } else { malformed(text) });
        };
        let Some((arguments, behind)) = split(rest) else { return Err(malformed(name)) };
        let count = || sql_error!(16004, state 0, name, column);
        if !behind.is_empty() {
            return Err(count());
        }
        let known = name.to_ascii_lowercase();
        let (kinds, takes): (fn(&SqlType) -> bool, usize) = match known.as_str() {
            "default" => (|_| true, 0),
            "email" => (is_text, 0),
            "partial" => (is_text, 3),
            "random" => (is_number, 2),
            "datetime" => (is_moment, 1),
            _ => return Err(sql_error!(16002, state 0, column)),
        };
        if !kinds(ty) {
            return Err(sql_error!(16003, state 0, column, known));
        }
        if arguments.len() != takes {
            return Err(count());
        }
        let made = match known.as_str() {
            "default" => Some(MaskFunction::Default),
            "email" => Some(MaskFunction::Email),
            "partial" => partial(&arguments),
            "random" => random(&arguments, ty),
            _ => quoted(&arguments[0]).and_then(|letter| datetime(&letter, ty)),
        };
        made.ok_or_else(|| sql_error!(16005, state 0, known, column))
    }
}

fn is_text(ty: &SqlType) -> bool {
    use TypeKind::*;
    matches!(ty.kind, Char | VarChar | NChar | NVarChar | Text | NText)
}

fn is_number(ty: &SqlType) -> bool {
    use TypeKind::*;
    ty.is_integer() || ty.is_decimal() || matches!(ty.kind, Bit | Money | SmallMoney | Float | Real)
}

fn is_moment(ty: &SqlType) -> bool {
    use TypeKind::*;
    matches!(ty.kind, Date | Time | DateTime | SmallDateTime | DateTime2 | DateTimeOffset)
}

/// What stands between commas up to the closing parenthesis, and what follows that. A comma within quotes divides nothing.
fn split(text: &str) -> Option<(Vec<String>, &str)> {
    let (mut arguments, mut current, mut within) = (Vec::new(), String::new(), false);
    for (at, letter) in text.char_indices() {
        match letter {
            ')' if !within => {
                if !(arguments.is_empty() && current.trim().is_empty()) {
                    arguments.push(current.trim().to_string());
                }
                return Some((arguments, &text[at + 1..]));
            }
            ',' if !within => arguments.push(std::mem::take(&mut current).trim().to_string()),
            letter => {
                within ^= letter == '"';
                current.push(letter);
            }
        }
    }
    None
}

/// The text of `"..."`, where `""` stands for one.
fn quoted(argument: &str) -> Option<String> {
    let inner = argument.strip_prefix('"')?.strip_suffix('"').filter(|_| argument.len() > 1)?;
    let lone = inner.replace("\"\"", "").contains('"');
    (!lone).then(|| inner.replace("\"\"", "\""))
}

fn partial(arguments: &[String]) -> Option<MaskFunction> {
    let count = |text: &str| text.parse::<u32>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    Some(MaskFunction::Partial {
        prefix: count(&arguments[0])?,
        padding: quoted(&arguments[1])?.into(),
        suffix: count(&arguments[2])?,
    })
}

fn random(arguments: &[String], ty: &SqlType) -> Option<MaskFunction> {
    let (low, high) = (bound(&arguments[0], ty)?, bound(&arguments[1], ty)?);
    let ascends = match (&low, &high) {
        (Datum::I64(low), Datum::I64(high)) => low <= high,
        (Datum::I128(low), Datum::I128(high)) => low <= high,
        (Datum::F64(low), Datum::F64(high)) => low <= high,
        _ => false,
    };
    let text = format!("{}, {}", shown(&low, ty)?, shown(&high, ty)?).into();
    ascends.then_some(MaskFunction::Random { low, high, text })
}

/// A number without an exponent, as a value of the column's type.
fn bound(text: &str, ty: &SqlType) -> Option<Datum> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !plain || digits.matches('.').count() > 1 || !digits.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if ty.kind == TypeKind::Bit {
        return text.parse().ok().filter(|bit| matches!(bit, 0 | 1)).map(Datum::I64);
    }
    if ty.is_integer() && !whole {
        return None;
    }
    convert::convert(
        &Datum::bytes(text.as_bytes()),
        &SqlType::varchar(8000),
        ty,
        convert::NO_STYLE,
        &ConvertContext::default(),
    )
    .ok()
}

fn shown(value: &Datum, ty: &SqlType) -> Option<String> {
    let money = matches!(ty.kind, TypeKind::Money | TypeKind::SmallMoney);
    let to = SqlType::varchar(64);
    let text =
        convert::convert(value, ty, &to, if money { 2 } else { convert::NO_STYLE }, &ConvertContext::default()).ok()?;
    let Datum::Bytes(bytes) = text else { return None };
    let text = convert::text_of(&bytes, &to);
    Some(if money { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text })
}

/// The letters tell capitals from small ones: M is the month, m the minute.
fn datetime(letter: &str, ty: &SqlType) -> Option<MaskFunction> {
    let (_, part) = PARTS.iter().find(|(known, _)| *known == letter)?;
    let of_day = matches!(part, MaskedPart::Hour | MaskedPart::Minute | MaskedPart::Second);
    let has = match ty.kind {
        TypeKind::Date => !of_day,
        TypeKind::Time => of_day,
        _ => true,
    };
    has.then_some(MaskFunction::Datetime(*part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_shown_in_one_form() {
        let text = SqlType::varchar(20);
        let cases = [
            (text, "PARTIAL( 01 , \"a\"\"b\" , 0 )", "partial(1, \"a\"\"b\", 0)"),
            (text, "partial(1,\"a,)b\",0)", "partial(1, \"a,)b\", 0)"),
            (text, "EMAIL()", "email()"),
            (text, "default( )", "default()"),
            (SqlType::decimal(6, 2), "random(1.555, 3)", "random(1.56, 3.00)"),
            (SqlType::MONEY, "random(1, 2.12345)", "random(1, 2.1235)"),
            (SqlType::FLOAT, "random(1.50, 2.500)", "random(1.5, 2.5)"),
            (SqlType::INT, "Random( 01 , 003 )", "random(1, 3)"),
            (SqlType::INT, "random(-5, +5)", "random(-5, 5)"),
            (SqlType::DATE, "datetime(\"D\")", "datetime(\"D\")"),
        ];
        for (ty, given, shown) in cases {
            let parsed = MaskFunction::parse(given, "a", &ty).unwrap_or_else(|error| panic!("{given}: {error:?}"));
            assert_eq!(parsed.to_string(), shown);
            assert_eq!(MaskFunction::parse(shown, "a", &ty).as_ref(), Ok(&parsed));
        }
    }

    #[test]
    fn what_is_no_function_of_the_type_is_refused() {
        let text = SqlType::varchar(9);
        let cases = [
            (text, "", 16002),
            (text, "foo()", 16002),
            (text, " default()", 16002),
            (SqlType::INT, "partial(1,\"x\",1)", 16003),
            (text, "random(1,2)", 16003),
            (text, "datetime(\"Y\")", 16003),
            (text, "default(1)", 16004),
            (text, "email() x", 16004),
            (SqlType::INT, "random(1,2,3)", 16004),
            (text, "partial(-1,\"x\",1)", 16005),
            (text, "partial(1,x,1)", 16005),
            (text, "partial(1.0,\"x\",1)", 16005),
            (text, "partial(1,\"\"\",1)", 16006),
            (SqlType::INT, "random(10,1)", 16005),
            (SqlType::INT, "random(1.5,2)", 16005),
            (SqlType::FLOAT, "random(1,1e3)", 16005),
            (SqlType::TINYINT, "random(-5,300)", 16005),
            (SqlType::BIT, "random(0,2)", 16005),
            (SqlType::decimal(6, 2), "random(1,99999)", 16005),
            (SqlType::DATETIME, "datetime(\"y\")", 16005),
            (SqlType::DATE, "datetime(\"h\")", 16005),
            (SqlType::time(3), "datetime(\"Y\")", 16005),
            (text, "default", 16006),
            (text, "partial(1,\"x\",1", 16006),
        ];
        for (ty, given, number) in cases {
            let refused = MaskFunction::parse(given, "a", &ty).expect_err(given);
            assert_eq!(refused.number, number, "{given}");
        }
    }
}
