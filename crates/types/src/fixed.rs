//! The fixed-width bytes of values, as the wire of TDS has them where that costs nothing: little-endian integers,
//! sign and magnitude decimals, scaled times. Used by the row image and by `sql_variant`.
//!
//! | type | bytes |
//! |---|---|
//! | bit, tinyint | 1 |
//! | smallint 2, int 4, bigint 8, smallmoney 4, money 8 | two's complement |
//! | real 4, float 8 | IEEE 754 |
//! | date | 3: days since 0001-01-01 |
//! | smalldatetime | 4: minutes since 1900-01-01 |
//! | datetime | 8: 1/300 s since 1900-01-01, two's complement |
//! | time(s) | 3 to 5: 10^-s seconds since midnight |
//! | datetime2(s) | the time's bytes, then the date's 3 |
//! | datetimeoffset(s) | the UTC datetime2's bytes, then 2: minutes east of UTC |
//! | decimal(p) | 1: sign (1 positive, 0 negative), then 4, 8, 12 or 16: magnitude |
//! | uniqueidentifier | 16 |
//! | char, nchar, binary, rowversion | `length`, padded |

use crate::datum::Datum;
use crate::sql_type::{SqlType, TypeKind, time_bytes};

/// 100 ns in a day.
pub const TICKS_PER_DAY: i64 = 864_000_000_000;

/// How the fixed bytes of one type are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixedCodec {
    U8,
    I16,
    I32,
    I64,
    F32,
    F64,
    /// date
    U24,
    /// smalldatetime
    U32,
    /// `unit`: 100 ns in one unit of the last digit.
    Time {
        bytes: u8,
        unit: i64,
    },
    DateTime2 {
        bytes: u8,
        unit: i64,
    },
    DateTimeOffset {
        bytes: u8,
        unit: i64,
    },
    /// `bytes` counts the sign.
    Decimal {
        bytes: u8,
    },
    Uuid,
    /// `pad` fills what a shorter value leaves: blanks or zeros.
    Blob {
        bytes: u16,
        pad: Pad,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pad {
    Zero,
    Blank,
    WideBlank,
}

/// None: the type is of variable width.
pub const fn fixed_codec(ty: &SqlType) -> Option<FixedCodec> {
    use TypeKind::*;
    let bytes = time_bytes(ty.scale) as u8;
    let unit = if ty.scale <= 7 { 10_i64.pow(7 - ty.scale as u32) } else { 1 };
    Some(match ty.kind {
        Bit | TinyInt => FixedCodec::U8,
        SmallInt => FixedCodec::I16,
        Int | SmallMoney => FixedCodec::I32,
        BigInt | Money | DateTime => FixedCodec::I64,
        Real => FixedCodec::F32,
        Float => FixedCodec::F64,
        Date => FixedCodec::U24,
        SmallDateTime => FixedCodec::U32,
        Time => FixedCodec::Time { bytes, unit },
        DateTime2 => FixedCodec::DateTime2 { bytes, unit },
        DateTimeOffset => FixedCodec::DateTimeOffset { bytes, unit },
        Decimal | Numeric => FixedCodec::Decimal { bytes: decimal_bytes(ty.precision) },
        UniqueIdentifier => FixedCodec::Uuid,
        Char => FixedCodec::Blob { bytes: ty.length, pad: Pad::Blank },
        NChar => FixedCodec::Blob { bytes: ty.length, pad: Pad::WideBlank },
        Binary => FixedCodec::Blob { bytes: ty.length, pad: Pad::Zero },
        RowVersion => FixedCodec::Blob { bytes: 8, pad: Pad::Zero },
        VarChar | Text | NVarChar | NText | VarBinary | Image | Xml | SqlVariant | HierarchyId | Geometry
        | Geography | Json => return None,
    })
}

/// Bytes of a decimal, with its sign.
pub const fn decimal_bytes(precision: u8) -> u8 {
    match precision {
        0..=9 => 5,
        10..=19 => 9,
        20..=28 => 13,
        _ => 17,
    }
}

impl FixedCodec {
    #[inline]
    pub const fn size(self) -> usize {
        match self {
            FixedCodec::U8 => 1,
            FixedCodec::I16 => 2,
            FixedCodec::I32 | FixedCodec::F32 | FixedCodec::U32 => 4,
            FixedCodec::I64 | FixedCodec::F64 => 8,
            FixedCodec::U24 => 3,
            FixedCodec::Time { bytes, .. } => bytes as usize,
            FixedCodec::DateTime2 { bytes, .. } => bytes as usize + 3,
            FixedCodec::DateTimeOffset { bytes, .. } => bytes as usize + 5,
            FixedCodec::Decimal { bytes } => bytes as usize,
            FixedCodec::Uuid => 16,
            FixedCodec::Blob { bytes, .. } => bytes as usize,
        }
    }

    /// `out` has exactly `size()` bytes. Panics if the codec's class is not I64.
    #[inline]
    pub fn put_i64(self, value: i64, out: &mut [u8]) {
        match self {
            FixedCodec::U8 => out[0] = value as u8,
            FixedCodec::I16 => out.copy_from_slice(&(value as i16).to_le_bytes()),
            FixedCodec::I32 => out.copy_from_slice(&(value as i32).to_le_bytes()),
            FixedCodec::U32 => out.copy_from_slice(&(value as u32).to_le_bytes()),
            FixedCodec::I64 => out.copy_from_slice(&value.to_le_bytes()),
            FixedCodec::U24 => put_low(value as u64, out),
            FixedCodec::Time { unit, .. } => put_low((value / unit) as u64, out),
            FixedCodec::DateTime2 { bytes, unit } => put_datetime2(value, bytes, unit, out),
            other => panic!("{other:?} does not hold an I64"),
        }
    }

    /// Panics if the codec's class is not I64.
    #[inline(always)]
    pub fn read_i64(self, bytes: &[u8]) -> i64 {
        // Most columns are one of these two: no call.
        match self {
            FixedCodec::I32 => i32::from_le_bytes(bytes[..4].try_into().expect("4 bytes")) as i64,
            FixedCodec::I64 => i64::from_le_bytes(bytes[..8].try_into().expect("8 bytes")),
            other => other.read_other_i64(bytes),
        }
    }

    #[inline(never)]
    fn read_other_i64(self, bytes: &[u8]) -> i64 {
        match self {
            FixedCodec::U8 => bytes[0] as i64,
            FixedCodec::I16 => i16::from_le_bytes([bytes[0], bytes[1]]) as i64,
            FixedCodec::U32 => u32::from_le_bytes(bytes[..4].try_into().expect("4 bytes")) as i64,
            FixedCodec::U24 => low(&bytes[..3]) as i64,
            FixedCodec::Time { bytes: n, unit } => low(&bytes[..n as usize]) as i64 * unit,
            FixedCodec::DateTime2 { bytes: n, unit } => read_datetime2(bytes, n, unit),
            other => panic!("{other:?} does not hold an I64"),
        }
    }

    /// Panics if the codec's class is not F64.
    #[inline]
    pub fn put_f64(self, value: f64, out: &mut [u8]) {
        match self {
            FixedCodec::F32 => out.copy_from_slice(&(value as f32).to_le_bytes()),
            FixedCodec::F64 => out.copy_from_slice(&value.to_le_bytes()),
            other => panic!("{other:?} does not hold an F64"),
        }
    }

    /// Panics if the codec's class is not F64.
    #[inline]
    pub fn read_f64(self, bytes: &[u8]) -> f64 {
        match self {
            FixedCodec::F32 => f32::from_le_bytes(bytes[..4].try_into().expect("4 bytes")) as f64,
            FixedCodec::F64 => f64::from_le_bytes(bytes[..8].try_into().expect("8 bytes")),
            other => panic!("{other:?} does not hold an F64"),
        }
    }

    /// Panics if the codec's class is not I128.
    #[inline]
    pub fn put_i128(self, value: i128, out: &mut [u8]) {
        match self {
            FixedCodec::Decimal { bytes } => {
                let size = bytes as usize - 1;
                let magnitude = value.unsigned_abs();
                assert!(size == 16 || magnitude >> (8 * size) == 0, "the decimal fits its precision");
                out[0] = (value >= 0) as u8;
                out[1..].copy_from_slice(&magnitude.to_le_bytes()[..size]);
            }
            FixedCodec::Uuid => out.copy_from_slice(&value.to_le_bytes()),
            FixedCodec::DateTimeOffset { bytes, unit } => {
                let split = bytes as usize + 3;
                put_datetime2((value >> 16) as i64, bytes, unit, &mut out[..split]);
                out[split..].copy_from_slice(&(value as u16).to_le_bytes());
            }
            other => panic!("{other:?} does not hold an I128"),
        }
    }

    /// Panics if the codec's class is not I128.
    #[inline]
    pub fn read_i128(self, bytes: &[u8]) -> i128 {
        match self {
            FixedCodec::Decimal { bytes: n } => {
                let mut magnitude = [0; 16];
                magnitude[..n as usize - 1].copy_from_slice(&bytes[1..n as usize]);
                signed(bytes[0], u128::from_le_bytes(magnitude))
            }
            FixedCodec::Uuid => i128::from_le_bytes(bytes[..16].try_into().expect("16 bytes")),
            FixedCodec::DateTimeOffset { bytes: n, unit } => {
                let split = n as usize + 3;
                let offset = u16::from_le_bytes([bytes[split], bytes[split + 1]]);
                ((read_datetime2(bytes, n, unit) as i128) << 16) | offset as i128
            }
            other => panic!("{other:?} does not hold an I128"),
        }
    }

    /// Pads a shorter value. Panics on a longer one, and if the codec's class is not Bytes.
    #[inline]
    pub fn put_bytes(self, value: &[u8], out: &mut [u8]) {
        let FixedCodec::Blob { bytes, pad } = self else { panic!("{self:?} does not hold bytes") };
        assert!(value.len() <= bytes as usize, "a value of {} bytes in a field of {bytes}", value.len());
        let (head, tail) = out.split_at_mut(value.len());
        head.copy_from_slice(value);
        match pad {
            Pad::Zero => tail.fill(0),
            Pad::Blank => tail.fill(b' '),
            Pad::WideBlank => tail.chunks_mut(2).for_each(|unit| unit.copy_from_slice(&[b' ', 0][..unit.len()])),
        }
    }

    /// Panics on NULL and on a datum of another class.
    pub fn put(self, datum: &Datum, out: &mut [u8]) {
        match datum {
            Datum::I64(value) => self.put_i64(*value, out),
            Datum::F64(value) => self.put_f64(*value, out),
            Datum::I128(value) => self.put_i128(*value, out),
            Datum::Bytes(value) => self.put_bytes(value, out),
            Datum::Null => panic!("NULL has no fixed bytes"),
        }
    }

    pub fn read(self, bytes: &[u8]) -> Datum {
        use FixedCodec::*;
        match self {
            U8 | I16 | I32 | I64 | U24 | U32 | Time { .. } | DateTime2 { .. } => Datum::I64(self.read_i64(bytes)),
            F32 | F64 => Datum::F64(self.read_f64(bytes)),
            DateTimeOffset { .. } | Decimal { .. } | Uuid => Datum::I128(self.read_i128(bytes)),
            Blob { bytes: size, .. } => Datum::bytes(&bytes[..size as usize]),
        }
    }
}

fn put_low(value: u64, out: &mut [u8]) {
    out.copy_from_slice(&value.to_le_bytes()[..out.len()]);
}

/// A decimal's value of its first byte and the rest.
#[inline]
pub fn signed(sign: u8, magnitude: u128) -> i128 {
    let magnitude = magnitude as i128;
    if sign == 0 { magnitude.wrapping_neg() } else { magnitude }
}

#[inline]
fn low(bytes: &[u8]) -> u64 {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(wide)
}

fn put_datetime2(value: i64, bytes: u8, unit: i64, out: &mut [u8]) {
    let (time, date) = out.split_at_mut(bytes as usize);
    put_low((value.rem_euclid(TICKS_PER_DAY) / unit) as u64, time);
    put_low(value.div_euclid(TICKS_PER_DAY) as u64, date);
}

fn read_datetime2(bytes: &[u8], time_bytes: u8, unit: i64) -> i64 {
    let split = time_bytes as usize;
    // A corrupt image may hold a day far beyond 9999: a wrong value, never a panic.
    (low(&bytes[split..split + 3]) as i64).wrapping_mul(TICKS_PER_DAY).wrapping_add(low(&bytes[..split]) as i64 * unit)
}

/// The wire's 16 bytes with the most significant one first, as SQL Server orders uniqueidentifier.
pub fn uuid_order(value: i128) -> [u8; 16] {
    const ORDER: [usize; 16] = [10, 11, 12, 13, 14, 15, 8, 9, 6, 7, 4, 5, 0, 1, 2, 3];
    let wire = value.to_le_bytes();
    ORDER.map(|index| wire[index])
}
