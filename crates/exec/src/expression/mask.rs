//! What is shown in place of a value to who lacks UNMASK for what it is made of.
//! https://learn.microsoft.com/sql/relational-databases/security/dynamic-data-masking

use std::cell::Cell;
use std::sync::Arc;

use sql::mask::{MaskFunction, MaskedPart};
use sql::plan::MaskedColumn;
use types::datetime::{Civil, Moment};
use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, convert, variant};

use super::Scalar;
use crate::context::Context;
use crate::value::{Row, Value};

pub struct MaskNode {
    pub value: Scalar,
    pub function: Arc<MaskFunction>,
    pub columns: Arc<[MaskedColumn]>,
    /// `Context::execution`, and whether who acts in it sees the value.
    pub seen: Cell<(u64, bool)>,
}

impl MaskNode {
    pub fn eval<'a>(&'a self, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
        if self.is_seen(context)? {
            return self.value.value(context, row);
        }
        let value = self.value.datum(context, row).map_err(SqlError::without_arguments)?;
        Ok(Value::from_owned(masked(&self.function, &self.value.ty, value)))
    }

    /// Asked once an execution: a plan serves whoever runs it.
    fn is_seen(&self, context: &Context) -> SqlResult<bool> {
        let execution = context.execution.get();
        let (asked_in, seen) = self.seen.get();
        if execution != 0 && asked_in == execution {
            return Ok(seen);
        }
        let mut runtime = context.runtime();
        let runtime = &mut *runtime;
        let seen = runtime.host.is_unmasked(runtime.session, &self.columns)?;
        self.seen.set((execution, seen));
        Ok(seen)
    }
}

fn masked(function: &MaskFunction, ty: &SqlType, value: Datum) -> Datum {
    if value.is_null() {
        return Datum::Null;
    }
    match (function, &value) {
        (MaskFunction::Email, Datum::Bytes(bytes)) => match convert::text_of(bytes, ty).chars().next() {
            Some(first) => convert::text_datum(&format!("{first}{0}@X{0}.com", "X".repeat(3)), ty),
            None => by_default(ty, &value),
        },
        (MaskFunction::Partial { prefix, padding, suffix }, Datum::Bytes(bytes)) => {
            let text: Vec<char> = convert::text_of(bytes, ty).chars().collect();
            let (prefix, suffix) = (*prefix as usize, *suffix as usize);
            let shown: String = if text.len() <= prefix.saturating_add(suffix) {
                padding.to_string()
            } else {
                text[..prefix]
                    .iter()
                    .copied()
                    .chain(padding.chars())
                    .chain(text[text.len() - suffix..].to_vec())
                    .collect()
            };
            convert::text_datum(&shown, ty)
        }
        (MaskFunction::Random { low, high, .. }, _) => random(low, high),
        (MaskFunction::Datetime(part), _) => without_part(*part, ty, &value),
        _ => by_default(ty, &value),
    }
}

/// The mask of a type, whatever the value.
fn by_default(ty: &SqlType, value: &Datum) -> Datum {
    const XS: &str = "xxxx";
    use TypeKind::*;
    match ty.kind {
        Char | VarChar | Text | NChar | NVarChar | NText => {
            let unit = if ty.is_unicode_string() { 2 } else { 1 };
            let room = if ty.is_max() { XS.len() } else { usize::from(ty.length) / unit };
            convert::text_datum(&XS[..XS.len().min(room)], ty)
        }
        Xml => convert::text_datum("<masked />", ty),
        Binary | VarBinary | Image => convert::fit(Datum::bytes(b"0"), ty),
        RowVersion => Datum::bytes(b"0\0\0\0\0\0\0\0"),
        Real | Float => Datum::F64(0.0),
        Decimal | Numeric | UniqueIdentifier => Datum::I128(0),
        Date | Time | SmallDateTime | DateTime | DateTime2 | DateTimeOffset => {
            Moment::EPOCH.to(ty).expect("1900 is within every date type")
        }
        HierarchyId | Geometry | Geography | Json => Datum::Null,
        SqlVariant => {
            let Datum::Bytes(bytes) = value else { return Datum::Null };
            let Some((inner, value)) = variant::decode(bytes) else { return Datum::Null };
            variant::encode(&inner, &by_default(&inner, &value))
        }
        Bit | TinyInt | SmallInt | Int | BigInt | SmallMoney | Money => Datum::I64(0),
    }
}

/// Any value from `low` to `high`.
fn random(low: &Datum, high: &Datum) -> Datum {
    let mut bits = [0; 8];
    os::random::fill(&mut bits);
    let bits = u64::from_le_bytes(bits);
    // So many steps of so many, where the top 53 bits are one of 2^53.
    let part = |span: i128| (i128::from(bits >> 11).saturating_mul(span)) >> 53;
    match (low, high) {
        (Datum::I64(low), Datum::I64(high)) => {
            let span = i128::from(*high) - i128::from(*low) + 1;
            Datum::I64((i128::from(*low) + part(span)) as i64)
        }
        (Datum::I128(low), Datum::I128(high)) => {
            let span = high.saturating_sub(*low).saturating_add(1);
            // A wide span in steps of its own 2^53rd.
            let step = (span >> 53).max(1);
            Datum::I128(low + if step > 1 { part(span / step) * step } else { part(span) })
        }
        (Datum::F64(low), Datum::F64(high)) => {
            Datum::F64(low + (high - low) * ((bits >> 11) as f64 / (1_u64 << 53) as f64))
        }
        _ => panic!("the bounds of a mask are of its column's type"),
    }
}

/// The year becomes 2000, a month or day 1, an hour, minute or second 0. Fractions of a second are gone.
fn without_part(part: MaskedPart, ty: &SqlType, value: &Datum) -> Datum {
    const SECOND: i64 = 10_000_000;
    let moment = Moment::of(ty, value.as_ref());
    let civil = moment.civil();
    let (year, month, day) = match part {
        MaskedPart::Year => (2000, civil.month, civil.day),
        MaskedPart::Month => (civil.year, 1, civil.day),
        MaskedPart::Day => (civil.year, civil.month, 1),
        _ => (civil.year, civil.month, civil.day),
    };
    let seconds = moment.ticks / SECOND;
    let seconds = match part {
        MaskedPart::Hour => seconds % 3600,
        MaskedPart::Minute => seconds / 3600 * 3600 + seconds % 60,
        MaskedPart::Second => seconds / 60 * 60,
        _ => seconds,
    };
    let days = Civil::new(year, month, day).map_or(moment.days, |civil| civil.days());
    let made = Moment { days, ticks: seconds * SECOND, offset: moment.offset };
    // The first day of the calendar in a zone east of UTC has no such value.
    made.to(ty).unwrap_or_else(|| by_default(ty, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(function: &str, ty: SqlType, value: &str) -> String {
        let function = MaskFunction::parse(function, "c", &ty).expect("a function of the type");
        match masked(&function, &ty, convert::text_datum(value, &ty)) {
            Datum::Bytes(bytes) => convert::text_of(&bytes, &ty),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn texts_are_masked_within_their_type() {
        let cases = [
            ("default()", SqlType::varchar(20), "hello", "xxxx"),
            ("default()", SqlType::nchar(3), "ab", "xxx"),
            ("default()", SqlType::varchar(1), "a", "x"),
            ("default()", SqlType::VARCHAR_MAX, "long", "xxxx"),
            ("default()", SqlType::XML, "<a/>", "<masked />"),
            ("email()", SqlType::varchar(40), "john@x.com", "jXXX@XXXX.com"),
            ("email()", SqlType::varchar(40), "", "xxxx"),
            ("email()", SqlType::varchar(5), "abc", "aXXX@"),
            ("partial(2, \"-XX-\", 1)", SqlType::varchar(30), "abcdefghij", "ab-XX-j"),
            ("partial(2, \"-XX-\", 1)", SqlType::varchar(30), "ab", "-XX-"),
            ("partial(2, \"*\", 2)", SqlType::varchar(10), "abcd", "*"),
            ("partial(2, \"*\", 2)", SqlType::varchar(10), "abcde", "ab*de"),
            ("partial(0, \"abcdefgh\", 0)", SqlType::varchar(5), "q", "abcde"),
            ("partial(3, \"ÄÖ\", 0)", SqlType::nvarchar(10), "", "ÄÖ"),
            ("partial(4294967295, \"*\", 4294967295)", SqlType::varchar(5), "q", "*"),
        ];
        for (function, ty, value, expected) in cases {
            assert_eq!(text(function, ty, value), expected, "{function} of {value}");
        }
    }

    #[test]
    fn random_masks_are_within_their_bounds() {
        let extremes = [
            (Datum::I64(5), Datum::I64(9)),
            (Datum::I64(i64::MIN), Datum::I64(i64::MAX)),
            (Datum::I128(-(10_i128.pow(38) - 1)), Datum::I128(10_i128.pow(38) - 1)),
            (Datum::I128(3), Datum::I128(3)),
            (Datum::F64(-1.5), Datum::F64(2.5)),
        ];
        for (low, high) in extremes {
            for _ in 0..1000 {
                let within = match (random(&low, &high), &low, &high) {
                    (Datum::I64(made), Datum::I64(low), Datum::I64(high)) => (low..=high).contains(&&made),
                    (Datum::I128(made), Datum::I128(low), Datum::I128(high)) => (low..=high).contains(&&made),
                    (Datum::F64(made), Datum::F64(low), Datum::F64(high)) => (low..=high).contains(&&made),
                    other => panic!("{other:?}"),
                };
                assert!(within, "{low:?} to {high:?}");
            }
        }
    }

    #[test]
    fn a_part_of_a_moment_is_masked() {
        let at = Moment { days: Civil::new(2020, 2, 29).expect("a day").days(), ticks: 476_556_780_000, offset: 120 };
        let cases = [
            ("Y", (2000, 2, 29), 47_655),
            ("M", (2020, 1, 29), 47_655),
            ("D", (2020, 2, 1), 47_655),
            ("h", (2020, 2, 29), 855),
            ("m", (2020, 2, 29), 46_815),
            ("s", (2020, 2, 29), 47_640),
        ];
        let ty = SqlType::datetimeoffset(3);
        let value = at.to(&ty).expect("within the calendar");
        for (letter, (year, month, day), seconds) in cases {
            let function = MaskFunction::parse(&format!("datetime(\"{letter}\")"), "c", &ty).expect("a function");
            let made = Moment::of(&ty, masked(&function, &ty, value.clone()).as_ref());
            let days = Civil::new(year, month, day).expect("a day").days();
            assert_eq!(made, Moment { days, ticks: seconds * 10_000_000, offset: 120 }, "{letter}");
        }
        let first = MaskFunction::parse("datetime(\"h\")", "c", &ty).expect("a function");
        let edge = Datum::I128(841_i128 << 16 | 840);
        assert!(!masked(&first, &ty, edge).is_null());
    }
}
