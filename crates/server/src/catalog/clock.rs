//! The moment of a change, as catalog rows keep it.

use super::row::Date;

const TICKS_A_DAY: i64 = 864_000_000_000;
const DAYS_TO_1900: i64 = 693_595;

/// Local time, like getdate().
pub fn now() -> Date {
    local(os::clock::utc_ticks() as i64)
}

/// As times of certificates are.
pub fn utc() -> Date {
    from_ticks(os::clock::utc_ticks() as i64)
}

/// `utc`: 100 ns since 0001-01-01.
pub fn local(utc: i64) -> Date {
    from_ticks(utc + i64::from(os::clock::local_offset_minutes()) * 600_000_000)
}

/// `ticks`: 100 ns since 0001-01-01.
pub fn from_ticks(ticks: i64) -> Date {
    let since_1900 = ticks - DAYS_TO_1900 * TICKS_A_DAY;
    Date((i128::from(since_1900) * 300 + 5_000_000).div_euclid(10_000_000) as i64)
}

/// A moment of `os::clock::now()` as local time.
pub fn from_monotonic(ns: u64) -> Date {
    let ago_ticks = (os::clock::now().saturating_sub(ns) / 100) as i64;
    local(os::clock::utc_ticks() as i64 - ago_ticks)
}
