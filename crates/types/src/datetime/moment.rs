//! What the six date and time types have in common: a day, a time of day, perhaps an offset. Conversions between them go
//! through it.

use super::calendar::{Civil, DAY_1753, DAY_1900, DAYS_MAX, TICKS_PER_DAY, TICKS_PER_MINUTE};
use crate::datum::{Datum, DatumRef};
use crate::sql_type::{SqlType, TypeKind};

/// 1/300 s in a day: the unit of datetime.
pub const DATETIME_PER_DAY: i64 = 25_920_000;
const MINUTES_PER_DAY: i64 = 1440;
/// 100 ns from 0001-01-01 to the end of 9999.
const CALENDAR: i64 = DAYS_MAX * TICKS_PER_DAY;
/// Day after smalldatetime's last, 2079-06-06.
const SMALL_DAYS: i64 = 65_536;

/// A point on the local clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Since 0001-01-01.
    pub days: i64,
    /// 100 ns since midnight.
    pub ticks: i64,
    /// Minutes east of UTC; 0 for types without.
    pub offset: i16,
}

impl Moment {
    /// A time without date is of 1900-01-01.
    pub const EPOCH: Moment = Moment { days: DAY_1900, ticks: 0, offset: 0 };

    /// The value of a date or time type. Panics on NULL and on another type's datum.
    #[inline]
    pub fn of(ty: &SqlType, datum: DatumRef<'_>) -> Moment {
        match datum {
            DatumRef::I64(value) => Moment::from_i64(ty.kind, value),
            DatumRef::I128(value) => Moment::from_offset_value(value),
            other => panic!("{other:?} is no value of {ty}"),
        }
    }

    #[inline]
    pub fn from_i64(kind: TypeKind, value: i64) -> Moment {
        let (days, ticks) = match kind {
            TypeKind::Date => (value, 0),
            TypeKind::Time => (DAY_1900, value),
            TypeKind::SmallDateTime => (
                DAY_1900.saturating_add(value.div_euclid(MINUTES_PER_DAY)),
                value.rem_euclid(MINUTES_PER_DAY) * TICKS_PER_MINUTE,
            ),
            TypeKind::DateTime => (
                DAY_1900.saturating_add(value.div_euclid(DATETIME_PER_DAY)),
                // Thirds of a tick of 10 us: .003 s is .0033333.
                (value.rem_euclid(DATETIME_PER_DAY) * 100_000 + 1) / 3,
            ),
            TypeKind::DateTime2 => (value.div_euclid(TICKS_PER_DAY), value.rem_euclid(TICKS_PER_DAY)),
            other => panic!("{other:?} is no date or time of class I64"),
        };
        Moment { days, ticks, offset: 0 }
    }

    /// The local time of a datetimeoffset value.
    pub fn from_offset_value(value: i128) -> Moment {
        let offset = value as u16 as i16;
        let local = ((value >> 16) as i64).saturating_add(offset as i64 * TICKS_PER_MINUTE);
        Moment { days: local.div_euclid(TICKS_PER_DAY), ticks: local.rem_euclid(TICKS_PER_DAY), offset }
    }

    pub fn civil(&self) -> Civil {
        Civil::from_days(self.days)
    }

    /// 100 ns since 0001-01-01 on the local clock.
    pub fn local_ticks(&self) -> i64 {
        self.days.saturating_mul(TICKS_PER_DAY).saturating_add(self.ticks)
    }

    pub fn utc_ticks(&self) -> i64 {
        self.local_ticks().saturating_sub(self.offset as i64 * TICKS_PER_MINUTE)
    }

    /// As a value of the type, rounded to it. None: outside its range.
    pub fn to(self, ty: &SqlType) -> Option<Datum> {
        let in_calendar = (0..DAYS_MAX).contains(&self.days);
        match ty.kind {
            TypeKind::Date => in_calendar.then_some(Datum::I64(self.days)),
            TypeKind::Time => Some(Datum::I64(round_below(TICKS_PER_DAY, self.ticks, ty.scale))),
            TypeKind::SmallDateTime => {
                let minutes = (self.thirds() + 9_000) / 18_000 + (self.days - DAY_1900) * MINUTES_PER_DAY;
                (0..SMALL_DAYS * MINUTES_PER_DAY).contains(&minutes).then_some(Datum::I64(minutes))
            }
            TypeKind::DateTime => {
                let value = (self.days - DAY_1900) * DATETIME_PER_DAY + self.thirds();
                let range = (DAY_1753 - DAY_1900) * DATETIME_PER_DAY..(DAYS_MAX - DAY_1900) * DATETIME_PER_DAY;
                range.contains(&value).then_some(Datum::I64(value))
            }
            TypeKind::DateTime2 => in_calendar.then(|| Datum::I64(round_below(CALENDAR, self.local_ticks(), ty.scale))),
            TypeKind::DateTimeOffset => {
                let utc = self.utc_ticks();
                let in_range = in_calendar && (0..CALENDAR).contains(&utc);
                in_range.then(|| offset_value(round_below(CALENDAR, utc, ty.scale), self.offset))
            }
            other => panic!("{other:?} is no date or time"),
        }
    }

    /// 1/300 s since midnight, rounded; may be a whole day.
    fn thirds(self) -> i64 {
        (self.ticks * 3 + 50_000) / 100_000
    }
}

pub fn offset_value(utc_ticks: i64, offset: i16) -> Datum {
    Datum::I128((utc_ticks as i128) << 16 | offset as u16 as i128)
}

/// Half up at `scale` digits of a second.
fn round(ticks: i64, scale: u8) -> i64 {
    let unit = 10_i64.pow(7 - scale as u32);
    (ticks + unit / 2) / unit * unit
}

/// What would round to `end` is cut instead: a time of day does not become midnight, nor the last moment of 9999 one of 10000.
fn round_below(end: i64, ticks: i64, scale: u8) -> i64 {
    let rounded = round(ticks, scale);
    if rounded < end { rounded } else { rounded - 10_i64.pow(7 - scale as u32) }
}
