//! The proleptic Gregorian calendar as day numbers: 0 is 0001-01-01, as date and datetime2 count.

/// Day after the last of 9999-12-31.
pub const DAYS_MAX: i64 = 3_652_059;
/// 1900-01-01: day 0 of datetime and smalldatetime.
pub const DAY_1900: i64 = 693_595;
/// 1753-01-01, datetime's first.
pub const DAY_1753: i64 = 639_905;
/// 100 ns.
pub const TICKS_PER_SECOND: i64 = 10_000_000;
pub const TICKS_PER_MINUTE: i64 = 60 * TICKS_PER_SECOND;
pub const TICKS_PER_HOUR: i64 = 60 * TICKS_PER_MINUTE;
pub const TICKS_PER_DAY: i64 = 24 * TICKS_PER_HOUR;

/// A date by its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Civil {
    pub year: i64,
    /// 1 to 12
    pub month: i64,
    /// 1 to 31
    pub day: i64,
}

pub const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// `month` is 1 to 12.
pub const fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + is_leap(year) as i64,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl Civil {
    /// None: no such day, or a year outside 1 to 9999.
    pub const fn new(year: i64, month: i64, day: i64) -> Option<Civil> {
        let valid = 1 <= year && year <= 9999 && 1 <= month && month <= 12 && 1 <= day;
        if valid && day <= days_in_month(year, month) { Some(Civil { year, month, day }) } else { None }
    }

    /// Of any day number, also one far outside the calendar's years.
    pub const fn from_days(days: i64) -> Civil {
        // Years that begin with March have the leap day at their end, so months have a formula (Hinnant).
        let shifted = days.saturating_add(306);
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        Civil { year: year_of_era + era * 400 + (month <= 2) as i64, month, day }
    }

    pub const fn days(self) -> i64 {
        let year = self.year - (self.month <= 2) as i64;
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let shifted_month = if self.month > 2 { self.month - 3 } else { self.month + 9 };
        let day_of_year = (153 * shifted_month + 2) / 5 + self.day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * 146_097 + day_of_era - 306
    }

    /// 1 to 366
    pub const fn day_of_year(self) -> i64 {
        self.days() - Civil { year: self.year, month: 1, day: 1 }.days() + 1
    }
}

/// 0 is Sunday.
pub const fn weekday(days: i64) -> i64 {
    // 0001-01-01 was a Monday.
    days.saturating_add(1).rem_euclid(7)
}

/// ISO 8601: the week that has the year's first Thursday is 1.
pub const fn iso_week(days: i64) -> i64 {
    let thursday = days - (weekday(days) + 6) % 7 + 3;
    (Civil::from_days(thursday).day_of_year() - 1) / 7 + 1
}

const _: () = {
    assert!(Civil { year: 1, month: 1, day: 1 }.days() == 0);
    assert!(Civil { year: 9999, month: 12, day: 31 }.days() == DAYS_MAX - 1);
    assert!(Civil { year: 1900, month: 1, day: 1 }.days() == DAY_1900);
    assert!(Civil { year: 1753, month: 1, day: 1 }.days() == DAY_1753);
};
