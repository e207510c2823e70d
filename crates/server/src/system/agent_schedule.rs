//! When a schedule of SQL Server Agent runs next.
//! https://learn.microsoft.com/sql/relational-databases/system-tables/dbo-sysschedules-transact-sql

use types::datetime::Civil;
use types::datetime::calendar::{days_in_month, weekday};

use super::answer::Arguments;
use super::cell::{NamedRow, number};

/// Nothing is sought farther ahead: a year of every weekday and date comes within 28 years.
const DAYS_AHEAD_MAX: i64 = 29 * 366;
const DAY_SECONDS: i64 = 86_400;

/// A row of `sysschedules`, as far as it says when.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    pub freq_type: i64,
    pub freq_interval: i64,
    pub freq_subday_type: i64,
    pub freq_subday_interval: i64,
    pub freq_relative_interval: i64,
    pub freq_recurrence_factor: i64,
    /// yyyymmdd
    pub active_start_date: i64,
    pub active_end_date: i64,
    /// hhmmss
    pub active_start_time: i64,
    pub active_end_time: i64,
}

const ONCE: i64 = 1;
const DAILY: i64 = 4;
const WEEKLY: i64 = 8;
const MONTHLY: i64 = 16;
const MONTHLY_RELATIVE: i64 = 32;

/// Days since 0001-01-01 of yyyymmdd; None: there is no such day.
fn days_of(date: i64) -> Option<i64> {
    Civil::new(date / 10_000, date / 100 % 100, date % 100).map(Civil::days)
}

fn seconds_of(time: i64) -> i64 {
    time / 10_000 * 3_600 + time / 100 % 100 * 60 + time % 100
}

fn date_of(days: i64) -> i64 {
    let Civil { year, month, day } = Civil::from_days(days);
    year * 10_000 + month * 100 + day
}

fn time_of(seconds: i64) -> i64 {
    seconds / 3_600 * 10_000 + seconds / 60 % 60 * 100 + seconds % 60
}

/// Whether a day is one of `freq_interval` of monthly relative schedules: 1 Sunday ... 7 Saturday, 8 day, 9 weekday, 10 weekend day.
fn is_kind(days: i64, interval: i64) -> bool {
    let weekend = matches!(weekday(days), 0 | 6);
    match interval {
        1..=7 => weekday(days) == interval - 1,
        8 => true,
        9 => !weekend,
        10 => weekend,
        _ => false,
    }
}

impl Schedule {
    /// Whether it runs on a day at all.
    fn runs_on(&self, days: i64, start: i64) -> bool {
        let every = self.freq_recurrence_factor.max(1);
        let (day, first) = (Civil::from_days(days), Civil::from_days(start));
        let months = (day.year - first.year) * 12 + day.month - first.month;
        match self.freq_type {
            ONCE => days == start,
            DAILY => (days - start) % self.freq_interval.max(1) == 0,
            WEEKLY => {
                let week = |days: i64| (days - weekday(days)) / 7;
                self.freq_interval >> weekday(days) & 1 == 1 && (week(days) - week(start)) % every == 0
            }
            MONTHLY => day.day == self.freq_interval && months % every == 0,
            MONTHLY_RELATIVE => is_kind(days, self.freq_interval) && months % every == 0 && self.is_nth(days, day),
            _ => false,
        }
    }

    /// `freq_relative_interval`: 1 first, 2 second, 4 third, 8 fourth, 16 last of its kind in the month.
    fn is_nth(&self, days: i64, day: Civil) -> bool {
        let first = days - day.day + 1;
        let like = |days: &i64| is_kind(*days, self.freq_interval);
        if self.freq_relative_interval == 16 {
            let last = first + days_in_month(day.year, day.month) - 1;
            return !(days + 1..=last).any(|later| like(&later));
        }
        let before = (first..days).filter(like).count();
        matches!((before, self.freq_relative_interval), (0, 1) | (1, 2) | (2, 4) | (3, 8))
    }

    /// Its first moment on a day later than `after`, in seconds of that day: beyond a day's where the times go over midnight.
    fn time_on(&self, after: i64) -> Option<i64> {
        let start = seconds_of(self.active_start_time);
        let unit = match self.freq_subday_type {
            2 => 1,
            4 => 60,
            8 => 3_600,
            _ => 0,
        };
        let step = unit * self.freq_subday_interval;
        if self.freq_type == ONCE || step <= 0 {
            return (start > after).then_some(start);
        }
        let end = seconds_of(self.active_end_time);
        let end = if end < start { end + DAY_SECONDS } else { end };
        let at = if after < start { start } else { start + ((after - start) / step + 1) * step };
        (at <= end).then_some(at)
    }

    /// The first moment later than a day (yyyymmdd) and a time (hhmmss). None: it runs no more, or not by the clock.
    pub fn next(&self, date: i64, time: i64) -> Option<(i64, i64)> {
        let (start, today) = (days_of(self.active_start_date)?, days_of(date)?);
        let last = days_of(self.active_end_date)?.min(start.max(today) + DAYS_AHEAD_MAX);
        // Yesterday's times may go over midnight.
        for day in start.max(today - 1)..=last {
            if !self.runs_on(day, start) {
                continue;
            }
            let after = (today - day) * DAY_SECONDS + seconds_of(time);
            if let Some(at) = self.time_on(after.max(-1)) {
                return Some((date_of(day + at / DAY_SECONDS), time_of(at % DAY_SECONDS)));
            }
        }
        None
    }
}

/// `sysagentnextrun`: one row, of zeros where the schedule runs no more, as `sysjobschedules` has it.
pub fn next_run(arguments: &Arguments<'_>) -> Vec<NamedRow> {
    let given = |position| arguments.number(position).unwrap_or(0);
    let schedule = Schedule {
        freq_type: given(0),
        freq_interval: given(1),
        freq_subday_type: given(2),
        freq_subday_interval: given(3),
        freq_relative_interval: given(4),
        freq_recurrence_factor: given(5),
        active_start_date: given(6),
        active_end_date: given(7),
        active_start_time: given(8),
        active_end_time: given(9),
    };
    let (date, time) = schedule.next(given(10), given(11)).unwrap_or((0, 0));
    vec![vec![("run_date", number(date)), ("run_time", number(time))]]
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAILY_AT_ONE: Schedule = Schedule {
        freq_type: DAILY,
        freq_interval: 1,
        freq_subday_type: 1,
        freq_subday_interval: 0,
        freq_relative_interval: 0,
        freq_recurrence_factor: 0,
        active_start_date: 20240101,
        active_end_date: 99991231,
        active_start_time: 10000,
        active_end_time: 235959,
    };

    #[test]
    fn once_and_daily() {
        let once = Schedule { freq_type: ONCE, active_start_date: 20240305, ..DAILY_AT_ONE };
        assert_eq!(once.next(20240301, 120000), Some((20240305, 10000)));
        assert_eq!(once.next(20240305, 5959), Some((20240305, 10000)));
        assert_eq!(once.next(20240305, 10000), None, "it has run");
        assert_eq!(DAILY_AT_ONE.next(20231201, 0), Some((20240101, 10000)), "not before it begins");
        assert_eq!(DAILY_AT_ONE.next(20240228, 10000), Some((20240229, 10000)));
        let third = Schedule { freq_interval: 3, ..DAILY_AT_ONE };
        assert_eq!(third.next(20240101, 10000), Some((20240104, 10000)));
        let ended = Schedule { active_end_date: 20240102, ..DAILY_AT_ONE };
        assert_eq!(ended.next(20240102, 10000), None);
    }

    #[test]
    fn times_within_a_day() {
        let quarter = Schedule {
            freq_subday_type: 4,
            freq_subday_interval: 15,
            active_start_time: 90000,
            active_end_time: 100000,
            ..DAILY_AT_ONE
        };
        assert_eq!(quarter.next(20240110, 80000), Some((20240110, 90000)));
        assert_eq!(quarter.next(20240110, 90000), Some((20240110, 91500)));
        assert_eq!(quarter.next(20240110, 94700), Some((20240110, 100000)));
        assert_eq!(quarter.next(20240110, 100000), Some((20240111, 90000)));
        let seconds = Schedule { freq_subday_type: 2, freq_subday_interval: 10, active_start_time: 0, ..DAILY_AT_ONE };
        assert_eq!(seconds.next(20240110, 235955), Some((20240111, 0)));
        let night = Schedule {
            freq_subday_type: 8,
            freq_subday_interval: 2,
            active_start_time: 220000,
            active_end_time: 30000,
            ..DAILY_AT_ONE
        };
        assert_eq!(night.next(20240110, 220000), Some((20240111, 0)));
        assert_eq!(night.next(20240111, 0), Some((20240111, 20000)));
        assert_eq!(night.next(20240111, 20000), Some((20240111, 220000)));
    }

    #[test]
    fn weeks_and_months() {
        // 2024-01-01 was a Monday; bits: Sunday 1, Monday 2 ... Saturday 64.
        let weekly = Schedule { freq_type: WEEKLY, freq_interval: 2 | 64, freq_recurrence_factor: 1, ..DAILY_AT_ONE };
        assert_eq!(weekly.next(20240101, 10000), Some((20240106, 10000)));
        assert_eq!(weekly.next(20240106, 10000), Some((20240108, 10000)));
        let every_other = Schedule { freq_recurrence_factor: 2, ..weekly };
        assert_eq!(every_other.next(20240106, 10000), Some((20240115, 10000)));
        let monthly = Schedule { freq_type: MONTHLY, freq_interval: 31, freq_recurrence_factor: 1, ..DAILY_AT_ONE };
        assert_eq!(monthly.next(20240131, 10000), Some((20240331, 10000)), "February has none");
        let relative = |interval, nth| Schedule {
            freq_type: MONTHLY_RELATIVE,
            freq_interval: interval,
            freq_relative_interval: nth,
            freq_recurrence_factor: 1,
            ..DAILY_AT_ONE
        };
        assert_eq!(relative(3, 2).next(20240101, 0), Some((20240109, 10000)), "the second Tuesday");
        assert_eq!(relative(9, 16).next(20240301, 0), Some((20240329, 10000)), "the last weekday");
        assert_eq!(relative(10, 1).next(20240201, 0), Some((20240203, 10000)), "the first day of a weekend");
        assert_eq!(relative(8, 16).next(20240201, 0), Some((20240229, 10000)), "the last day");
        assert_eq!(Schedule { freq_type: 64, ..DAILY_AT_ONE }.next(20240101, 0), None, "not by the clock");
    }
}
