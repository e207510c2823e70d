//! The date functions: DATEPART, DATENAME, DATEADD, DATEDIFF, DATETRUNC, EOMONTH, ...FROMPARTS, SWITCHOFFSET.

use super::calendar::{
    Civil, DAYS_MAX, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND, days_in_month, iso_week,
    weekday,
};
use super::format::push_offset;
use super::language::LanguageId;
use super::moment::{DATETIME_PER_DAY, Moment, offset_value};
use crate::datum::Datum;
use crate::error::{SqlError, SqlResult};
use crate::sql_error;
use crate::sql_type::{SqlType, TypeKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    Year,
    Quarter,
    Month,
    DayOfYear,
    Day,
    Week,
    Weekday,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    TzOffset,
    IsoWeek,
}

const NAMES: [(&str, Part, &[&str]); 15] = [
    ("year", Part::Year, &["yy", "yyyy"]),
    ("quarter", Part::Quarter, &["qq", "q"]),
    ("month", Part::Month, &["mm", "m"]),
    ("dayofyear", Part::DayOfYear, &["dy", "y"]),
    ("day", Part::Day, &["dd", "d"]),
    ("week", Part::Week, &["wk", "ww"]),
    ("weekday", Part::Weekday, &["dw", "w"]),
    ("hour", Part::Hour, &["hh"]),
    ("minute", Part::Minute, &["mi", "n"]),
    ("second", Part::Second, &["ss", "s"]),
    ("millisecond", Part::Millisecond, &["ms"]),
    ("microsecond", Part::Microsecond, &["mcs"]),
    ("nanosecond", Part::Nanosecond, &["ns"]),
    ("tzoffset", Part::TzOffset, &["tz"]),
    ("iso_week", Part::IsoWeek, &["isowk", "isoww"]),
];

impl Part {
    /// None: error 155, "'x' is not a recognized datepart option".
    pub fn from_name(name: &str) -> Option<Part> {
        let is = |text: &str| text.eq_ignore_ascii_case(name);
        NAMES.iter().find(|(long, _, short)| is(long) || short.iter().any(|text| is(text))).map(|(_, part, _)| *part)
    }

    pub fn name(self) -> &'static str {
        NAMES.iter().find(|row| row.1 == self).map_or("", |row| row.0)
    }

    /// 100 ns in one, for the parts of a day.
    fn ticks(self) -> Option<i64> {
        Some(match self {
            Part::Hour => TICKS_PER_HOUR,
            Part::Minute => TICKS_PER_MINUTE,
            Part::Second => TICKS_PER_SECOND,
            Part::Millisecond => 10_000,
            Part::Microsecond => 10,
            _ => return None,
        })
    }

    fn is_of_time(self) -> bool {
        matches!(
            self,
            Part::Hour | Part::Minute | Part::Second | Part::Millisecond | Part::Microsecond | Part::Nanosecond
        )
    }

    fn is_of_date(self) -> bool {
        !self.is_of_time() && self != Part::TzOffset
    }
}

/// 9810.
fn not_supported(part: Part, function: &str, ty: &SqlType) -> SqlError {
    use TypeKind::{Date, DateTime, SmallDateTime, Time};
    let state = match (function, ty.kind) {
        ("dateadd", _) if matches!(part, Part::TzOffset | Part::IsoWeek) => 2,
        ("dateadd", DateTime) => 0,
        ("dateadd", SmallDateTime) => 3,
        ("datepart", Date) => 2,
        ("datepart", Time) => 3,
        ("datepart", _) => 6,
        ("datename", Date) => 4,
        ("datename", Time) => 5,
        ("datename", _) => 7,
        ("datetrunc", SmallDateTime) => 8,
        ("datetrunc", DateTime) => 9,
        ("datetrunc", Date | Time) => 10,
        ("datetrunc", _) => 11,
        _ => 1,
    };
    sql_error!(9810, state state, part.name(), function, ty.name())
}

/// `date_first`: SET DATEFIRST, 1 (Monday) to 7 (Sunday, the default of us_english).
pub fn datepart(part: Part, ty: &SqlType, value: &Datum, date_first: u8) -> SqlResult<i32> {
    check(part, ty, "datepart")?;
    Ok(part_of(part, ty, value, date_first) as i32)
}

/// The part, or 9810 where the type has no such part.
fn check(part: Part, ty: &SqlType, function: &str) -> SqlResult<()> {
    let supported = match ty.kind {
        TypeKind::Date => part.is_of_date(),
        TypeKind::Time => part.is_of_time(),
        TypeKind::DateTimeOffset => true,
        TypeKind::DateTime2 => part != Part::TzOffset || function != "datepart",
        _ => part != Part::TzOffset,
    };
    // datetime2 has an offset of zero, as SQL Server says.
    if supported || part == Part::TzOffset && ty.kind == TypeKind::DateTime2 {
        return Ok(());
    }
    Err(not_supported(part, function, ty))
}

fn part_of(part: Part, ty: &SqlType, value: &Datum, date_first: u8) -> i64 {
    let moment = Moment::of(ty, value.as_ref());
    let sub_second = moment.ticks % TICKS_PER_SECOND;
    match part {
        Part::Year => moment.civil().year,
        Part::Quarter => (moment.civil().month + 2) / 3,
        Part::Month => moment.civil().month,
        Part::DayOfYear => moment.civil().day_of_year(),
        Part::Day => moment.civil().day,
        Part::Week => week(&moment, date_first),
        Part::Weekday => (weekday(moment.days) + 7 - date_first as i64 % 7) % 7 + 1,
        Part::Hour => moment.ticks / TICKS_PER_HOUR,
        Part::Minute => moment.ticks / TICKS_PER_MINUTE % 60,
        Part::Second => moment.ticks / TICKS_PER_SECOND % 60,
        Part::Millisecond => match (ty.kind, value) {
            (TypeKind::DateTime, Datum::I64(value)) => (value.rem_euclid(DATETIME_PER_DAY) % 300 * 10 + 1) / 3,
            _ => sub_second / 10_000,
        },
        // datetime's parts of a millisecond are not the digits it shows.
        Part::Microsecond if ty.kind == TypeKind::DateTime => shown_thousandths(value) * 1_000,
        Part::Nanosecond if ty.kind == TypeKind::DateTime => shown_thousandths(value) * 1_000_000,
        Part::Microsecond => sub_second / 10,
        Part::Nanosecond => sub_second * 100,
        Part::TzOffset => moment.offset as i64,
        Part::IsoWeek => iso_week(moment.days),
    }
}

fn shown_thousandths(value: &Datum) -> i64 {
    (value.as_i64().rem_euclid(DATETIME_PER_DAY) % 300 * 10 + 1) / 3
}

/// Weeks begin on `date_first`; the one with 1 January is the first.
fn week(moment: &Moment, date_first: u8) -> i64 {
    let civil = moment.civil();
    let first = Civil { year: civil.year, month: 1, day: 1 }.days();
    let shift = (weekday(first) + 7 - date_first as i64 % 7) % 7;
    (moment.days - first + shift) / 7 + 1
}

/// As an nvarchar(30): names of months and weekdays, the offset as `+02:00`, numbers otherwise.
pub fn datename(part: Part, ty: &SqlType, value: &Datum, date_first: u8, language: LanguageId) -> SqlResult<String> {
    check(part, ty, "datename")?;
    let moment = Moment::of(ty, value.as_ref());
    Ok(match part {
        Part::Month => language.month(moment.civil().month).to_owned(),
        Part::Weekday => language.weekday(weekday(moment.days)).to_owned(),
        Part::TzOffset => {
            let mut text = String::new();
            push_offset(moment.offset, &mut text);
            text
        }
        _ => part_of(part, ty, value, date_first).to_string(),
    })
}

/// 517.
fn addition_overflow(ty: &SqlType) -> SqlError {
    let state = match ty.kind {
        TypeKind::DateTime => 1,
        TypeKind::SmallDateTime => 2,
        _ => 3,
    };
    sql_error!(517, state state, ty.name())
}

/// DATEADD: a value of the same type.
pub fn dateadd(part: Part, number: i64, ty: &SqlType, value: &Datum) -> SqlResult<Datum> {
    let coarse = matches!(ty.kind, TypeKind::DateTime | TypeKind::SmallDateTime);
    let fine = matches!(part, Part::Microsecond | Part::Nanosecond);
    if matches!(part, Part::TzOffset | Part::IsoWeek) || coarse && fine {
        return Err(not_supported(part, "dateadd", ty));
    }
    check(part, ty, "dateadd")?;
    let overflow = || addition_overflow(ty);
    let moment = Moment::of(ty, value.as_ref());
    let months = match part {
        Part::Year => Some(12),
        Part::Quarter => Some(3),
        Part::Month => Some(1),
        _ => None,
    };
    if let Some(months) = months {
        let total = number.checked_mul(months).ok_or_else(overflow)?;
        let days = add_months(moment.days, total).ok_or_else(overflow)?;
        return replace_day(ty, value, moment.days, days).ok_or_else(overflow);
    }
    let days = match part {
        Part::Week => number.checked_mul(7).ok_or_else(overflow)?,
        Part::Day | Part::DayOfYear | Part::Weekday => number,
        _ => return add_time(part, number, ty, value).ok_or_else(overflow),
    };
    let target = moment.days.checked_add(days).filter(|days| (0..DAYS_MAX).contains(days)).ok_or_else(overflow)?;
    replace_day(ty, value, moment.days, target).ok_or_else(overflow)
}

/// The same day of another month, or that month's last. None: outside the calendar.
pub fn add_months(days: i64, months: i64) -> Option<i64> {
    let civil = Civil::from_days(days);
    let total = (civil.year * 12 + civil.month - 1).checked_add(months)?;
    let (year, month) = (total.div_euclid(12), total.rem_euclid(12) + 1);
    if !(1..=9999).contains(&year) {
        return None;
    }
    Some(Civil { year, month, day: civil.day.min(days_in_month(year, month)) }.days())
}

/// The value on another day, its time untouched. None: outside the type's range.
fn replace_day(ty: &SqlType, value: &Datum, from: i64, to: i64) -> Option<Datum> {
    let days = to - from;
    match value {
        Datum::I64(value) => {
            let unit = match ty.kind {
                TypeKind::Date => 1,
                TypeKind::SmallDateTime => 1440,
                TypeKind::DateTime => DATETIME_PER_DAY,
                _ => TICKS_PER_DAY,
            };
            in_range(ty, value.checked_add(days.checked_mul(unit)?)?)
        }
        Datum::I128(value) => {
            let utc = ((value >> 16) as i64).checked_add(days.checked_mul(TICKS_PER_DAY)?)?;
            (0..DAYS_MAX * TICKS_PER_DAY).contains(&utc).then(|| offset_value(utc, *value as u16 as i16))
        }
        other => panic!("{other:?} is no date or time"),
    }
}

/// The value if the type has it.
fn in_range(ty: &SqlType, value: i64) -> Option<Datum> {
    let moment = Moment::from_i64(ty.kind, value);
    if ty.kind == TypeKind::SmallDateTime && !(0..65_536 * 1440).contains(&value) {
        return None;
    }
    moment.to(ty).map(|_| Datum::I64(value))
}

/// Adds hours down to nanoseconds. None: outside the type's range.
fn add_time(part: Part, number: i64, ty: &SqlType, value: &Datum) -> Option<Datum> {
    // In units of 100 ns; nanoseconds are rounded to them.
    let ticks = match part.ticks() {
        Some(unit) => number.checked_mul(unit)?,
        None => number.saturating_add(if number < 0 { -50 } else { 50 }) / 100,
    };
    match (ty.kind, value) {
        // A time of day goes round the clock.
        (TypeKind::Time, Datum::I64(value)) => {
            let sum = value.checked_add(ticks % TICKS_PER_DAY)?.rem_euclid(TICKS_PER_DAY);
            Moment { ticks: sum, ..Moment::EPOCH }.to(ty)
        }
        (TypeKind::DateTime, Datum::I64(value)) => {
            // 3 units are 100,000 ticks.
            let exact = (*value as i128) * 100_000 + ticks as i128 * 3;
            in_range(ty, i64::try_from((exact + 50_000).div_euclid(100_000)).ok()?)
        }
        (TypeKind::SmallDateTime, Datum::I64(value)) => {
            // By way of datetime: 29.999 seconds are half a minute.
            let thirds = (ticks as i128 * 3 + 50_000).div_euclid(100_000);
            let minutes = (thirds + 9_000).div_euclid(18_000);
            in_range(ty, value.checked_add(i64::try_from(minutes).ok()?)?)
        }
        (_, Datum::I64(value)) => {
            let sum = value.checked_add(ticks).filter(|sum| (0..DAYS_MAX * TICKS_PER_DAY).contains(sum))?;
            Moment::from_i64(ty.kind, sum).to(ty)
        }
        (_, Datum::I128(value)) => {
            let offset = *value as u16 as i16;
            let utc = ((value >> 16) as i64).checked_add(ticks)?;
            if !(0..DAYS_MAX * TICKS_PER_DAY).contains(&utc) {
                return None;
            }
            match offset_value(utc, offset) {
                Datum::I128(value) => Moment::from_offset_value(value).to(ty),
                other => Some(other),
            }
        }
        (_, other) => panic!("{other:?} is no date or time"),
    }
}

/// 535.
fn difference_overflow(function: &str) -> SqlError {
    sql_error!(535, function, function)
}

/// DATEDIFF: how many boundaries of the part lie between. The two values may have different types.
pub fn datediff(part: Part, from: (&SqlType, &Datum), to: (&SqlType, &Datum)) -> SqlResult<i32> {
    let difference = difference(part, from, to, "datediff")?;
    difference.and_then(|value| i32::try_from(value).ok()).ok_or_else(|| difference_overflow("datediff"))
}

/// DATEDIFF_BIG.
pub fn datediff_big(part: Part, from: (&SqlType, &Datum), to: (&SqlType, &Datum)) -> SqlResult<i64> {
    difference(part, from, to, "datediff_big")?.ok_or_else(|| difference_overflow("datediff_big"))
}

fn difference(part: Part, from: (&SqlType, &Datum), to: (&SqlType, &Datum), function: &str) -> SqlResult<Option<i64>> {
    if matches!(part, Part::TzOffset | Part::IsoWeek) {
        return Err(sql_error!(9806, part.name(), function));
    }
    // Values with an offset are compared in UTC.
    let utc = |(ty, value): (&SqlType, &Datum)| {
        let ticks = Moment::of(ty, value.as_ref()).utc_ticks();
        (ticks.div_euclid(TICKS_PER_DAY), ticks)
    };
    let ((from_days, from_ticks), (to_days, to_ticks)) = (utc(from), utc(to));
    let count = |unit: i64| to_ticks.div_euclid(unit) - from_ticks.div_euclid(unit);
    let (a, b) = (Civil::from_days(from_days), Civil::from_days(to_days));
    Ok(Some(match part {
        Part::Year => b.year - a.year,
        Part::Quarter => (b.year - a.year) * 4 + (b.month - 1) / 3 - (a.month - 1) / 3,
        Part::Month => (b.year - a.year) * 12 + b.month - a.month,
        Part::Day | Part::DayOfYear | Part::Weekday => to_days - from_days,
        // Sundays begin weeks here, whatever SET DATEFIRST says.
        Part::Week => (to_days + 1).div_euclid(7) - (from_days + 1).div_euclid(7),
        Part::Nanosecond => return Ok((to_ticks - from_ticks).checked_mul(100)),
        _ => count(part.ticks().expect("the parts of a day are left")),
    }))
}

/// DATETRUNC: the beginning of the part that the value lies in.
pub fn datetrunc(part: Part, ty: &SqlType, value: &Datum, date_first: u8) -> SqlResult<Datum> {
    if matches!(part, Part::TzOffset | Part::Weekday | Part::Nanosecond) {
        return Err(not_supported(part, "datetrunc", ty));
    }
    check(part, ty, "datetrunc")?;
    let digits = match part {
        Part::Millisecond => 3,
        Part::Microsecond => 6,
        _ => 0,
    };
    let held = match ty.kind {
        TypeKind::SmallDateTime => 0,
        TypeKind::DateTime => 3,
        _ => ty.scale,
    };
    if digits > held {
        return Err(not_supported(part, "datetrunc", ty));
    }
    let moment = Moment::of(ty, value.as_ref());
    let civil = moment.civil();
    let day = |year, month, day| Moment { days: Civil { year, month, day }.days(), ticks: 0, ..moment };
    let start = match part {
        Part::Year => day(civil.year, 1, 1),
        Part::Quarter => day(civil.year, (civil.month - 1) / 3 * 3 + 1, 1),
        Part::Month => day(civil.year, civil.month, 1),
        Part::Day | Part::DayOfYear => Moment { ticks: 0, ..moment },
        Part::Week => {
            let back = (weekday(moment.days) + 7 - date_first as i64 % 7) % 7;
            Moment { days: moment.days - back, ticks: 0, ..moment }
        }
        Part::IsoWeek => Moment { days: moment.days - (weekday(moment.days) + 6) % 7, ticks: 0, ..moment },
        _ => {
            let unit = part.ticks().expect("the parts of a day are left");
            Moment { ticks: moment.ticks / unit * unit, ..moment }
        }
    };
    // Only a week begins before its type does.
    start.to(ty).ok_or_else(|| sql_error!(9837, state 3))
}

/// EOMONTH: the last day of the month `months` later, as a date value.
pub fn eomonth(days: i64, months: i64) -> SqlResult<Datum> {
    let target = add_months(days, months).ok_or_else(|| addition_overflow(&SqlType::DATE))?;
    let civil = Civil::from_days(target);
    Ok(Datum::I64(target - civil.day + days_in_month(civil.year, civil.month)))
}

/// 289.
fn cannot_construct(ty: &SqlType) -> SqlError {
    sql_error!(289, ty.name())
}

/// Hour, minute, second and a fraction in units of 10^-scale s, as 100 ns.
fn time_of(parts: [i64; 4], scale: u8) -> Option<i64> {
    let [hour, minute, second, fraction] = parts;
    let unit = 10_i64.pow(7 - scale.min(7) as u32);
    let valid = (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..60).contains(&second)
        && (0..TICKS_PER_SECOND / unit).contains(&fraction);
    valid.then(|| hour * TICKS_PER_HOUR + minute * TICKS_PER_MINUTE + second * TICKS_PER_SECOND + fraction * unit)
}

/// DATEFROMPARTS and its kin: year, month, day; hour, minute, second, fraction (milliseconds for datetime, in units of
/// the type's scale for the new types); hours and minutes of the offset, which have one sign. Parts that the type lacks
/// are not looked at.
pub fn from_parts(ty: &SqlType, date: [i64; 3], time: [i64; 4], offset: [i64; 2]) -> SqlResult<Datum> {
    build_from_parts(ty, date, time, offset).ok_or_else(|| cannot_construct(ty))
}

fn build_from_parts(ty: &SqlType, date: [i64; 3], time: [i64; 4], offset: [i64; 2]) -> Option<Datum> {
    let days = match ty.kind {
        TypeKind::Time => Moment::EPOCH.days,
        _ => Civil::new(date[0], date[1], date[2])?.days(),
    };
    let ticks = match ty.kind {
        TypeKind::Date => 0,
        TypeKind::SmallDateTime => time_of([time[0], time[1], 0, 0], 0)?,
        TypeKind::DateTime => time_of(time, 3)?,
        _ => time_of(time, ty.scale)?,
    };
    let offset = match ty.kind {
        TypeKind::DateTimeOffset => {
            let [hours, minutes] = offset;
            let one_sign = hours == 0 || minutes == 0 || (hours < 0) == (minutes < 0);
            let valid = one_sign && (-14..=14).contains(&hours) && (-59..=59).contains(&minutes);
            let total = if valid { hours * 60 + minutes } else { return None };
            (total.abs() <= 840).then_some(total as i16)?
        }
        _ => 0,
    };
    Moment { days, ticks, offset }.to(ty)
}

/// SWITCHOFFSET: the same instant on another clock. None: 9812 or out of the calendar.
pub fn switch_offset(ty: &SqlType, value: &Datum, offset: i16) -> Option<Datum> {
    let utc = Moment::of(ty, value.as_ref()).utc_ticks();
    let local = utc.checked_add(offset as i64 * TICKS_PER_MINUTE)?;
    let valid = offset.unsigned_abs() <= 840 && (0..DAYS_MAX * TICKS_PER_DAY).contains(&local);
    valid.then(|| offset_value(utc, offset))
}

/// TODATETIMEOFFSET: the same clock reading with an offset. None: 9812 or out of the calendar.
pub fn to_datetimeoffset(ty: &SqlType, value: &Datum, offset: i16, scale: u8) -> Option<Datum> {
    if offset.unsigned_abs() > 840 {
        return None;
    }
    Moment { offset, ..Moment::of(ty, value.as_ref()) }.to(&SqlType::datetimeoffset(scale))
}
