//! Numbers, moments and identifiers as bcp writes them in native format: the server and its tools read such files.
//!
//! https://learn.microsoft.com/sql/relational-databases/import-export/use-native-format-to-import-or-export-data-sql-server

use crate::datum::Datum;
use crate::sql_type::{SqlType, TypeKind, time_bytes};

pub const DATETIME_PARTS_PER_DAY: i64 = 25_920_000;
pub const TICKS_PER_DAY: i64 = 864_000_000_000;
/// 9999-12-31, in days since 0001-01-01.
const DATE_DAYS_MAX: i64 = 3_652_058;

/// None: no value of the type, or it is of a type that is bytes.
pub fn value(bytes: &[u8], ty: &SqlType) -> Option<Datum> {
    use TypeKind::*;
    let sized = |count: usize| (bytes.len() == count).then_some(bytes);
    let finite = |value: f64| value.is_finite().then_some(Datum::F64(value));
    Some(match ty.kind {
        Bit => Datum::I64((sized(1)?[0] != 0).into()),
        TinyInt => Datum::I64(sized(1)?[0].into()),
        SmallInt => Datum::I64(signed(sized(2)?)),
        Int | SmallMoney => Datum::I64(signed(sized(4)?)),
        BigInt => Datum::I64(signed(sized(8)?)),
        Real => finite(f32::from_le_bytes(sized(4)?.try_into().ok()?).into())?,
        Float => finite(f64::from_le_bytes(sized(8)?.try_into().ok()?))?,
        // The upper half comes first.
        Money => Datum::I64(signed(&sized(8)?[..4]) << 32 | unsigned(&bytes[4..])),
        SmallDateTime => {
            let (days, minutes) = (unsigned(&sized(4)?[..2]), unsigned(&bytes[2..]));
            Datum::I64((minutes < 1440).then_some(days * 1440 + minutes)?)
        }
        DateTime => {
            let (days, parts) = (signed(&sized(8)?[..4]), unsigned(&bytes[4..]));
            let right = (-53_690..=2_958_463).contains(&days) && parts < DATETIME_PARTS_PER_DAY;
            Datum::I64(right.then_some(days * DATETIME_PARTS_PER_DAY + parts)?)
        }
        Date => Datum::I64(days(sized(3)?)?),
        Time => Datum::I64(ticks(bytes, ty.scale)?),
        DateTime2 => Datum::I64(moment(bytes, ty.scale)?),
        DateTimeOffset => {
            let (utc, offset) = bytes.split_at_checked(bytes.len().checked_sub(2)?)?;
            let minutes = signed(offset);
            let right = (-840..=840).contains(&minutes);
            let utc = right.then_some(moment(utc, ty.scale)?)?;
            Datum::I128(i128::from(utc) << 16 | i128::from(minutes as i16 as u16))
        }
        // Precision, scale and sign, then the number.
        Decimal | Numeric => {
            let (head, magnitude) = bytes.split_at_checked(3)?;
            let mut wide = [0; 16];
            wide.get_mut(..magnitude.len())?.copy_from_slice(magnitude);
            let unscaled = u128::from_le_bytes(wide);
            let fits = unscaled < 10_u128.pow(ty.precision.into()) && head[1] == ty.scale;
            let unscaled = fits.then_some(unscaled as i128)?;
            Datum::I128(if head[2] == 0 { -unscaled } else { unscaled })
        }
        UniqueIdentifier => Datum::I128(i128::from_le_bytes(sized(16)?.try_into().ok()?)),
        _ => return None,
    })
}

fn unsigned(bytes: &[u8]) -> i64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | i64::from(*byte))
}

fn signed(bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * bytes.len() as u32;
    unsigned(bytes) << unused >> unused
}

fn days(bytes: &[u8]) -> Option<i64> {
    let days = unsigned(bytes);
    (days <= DATE_DAYS_MAX).then_some(days)
}

fn ticks(bytes: &[u8], scale: u8) -> Option<i64> {
    if bytes.len() != usize::from(time_bytes(scale)) {
        return None;
    }
    let ticks = unsigned(bytes).checked_mul(unit(scale))?;
    (ticks < TICKS_PER_DAY).then_some(ticks)
}

fn moment(bytes: &[u8], scale: u8) -> Option<i64> {
    let (time, date) = bytes.split_at_checked(bytes.len().checked_sub(3)?)?;
    Some(days(date)? * TICKS_PER_DAY + ticks(time, scale)?)
}

/// Ticks of 100 ns of one unit of a moment with so many digits behind the second.
pub fn unit(scale: u8) -> i64 {
    10_i64.pow(7 - u32::from(scale))
}
