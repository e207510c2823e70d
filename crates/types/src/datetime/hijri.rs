//! The Hijri calendar of styles 130 and 131: the tabular one (the "Kuwaiti algorithm"), 10,631 days in 30 years.

use super::calendar::{Civil, DAYS_MAX};

pub const MONTHS: [&str; 12] = [
    "\u{645}\u{62d}\u{631}\u{645}",
    "\u{635}\u{641}\u{631}",
    "\u{631}\u{628}\u{64a}\u{639} \u{627}\u{644}\u{627}\u{648}\u{644}",
    "\u{631}\u{628}\u{64a}\u{639} \u{627}\u{644}\u{62b}\u{627}\u{646}\u{64a}",
    "\u{62c}\u{645}\u{627}\u{62f}\u{649} \u{627}\u{644}\u{627}\u{648}\u{644}\u{649}",
    "\u{62c}\u{645}\u{627}\u{62f}\u{649} \u{627}\u{644}\u{62b}\u{627}\u{646}\u{64a}\u{629}",
    "\u{631}\u{62c}\u{628}",
    "\u{634}\u{639}\u{628}\u{627}\u{646}",
    "\u{631}\u{645}\u{636}\u{627}\u{646}",
    "\u{634}\u{648}\u{627}\u{644}",
    "\u{630}\u{648} \u{627}\u{644}\u{642}\u{639}\u{62f}\u{629}",
    "\u{630}\u{648} \u{627}\u{644}\u{62d}\u{62c}\u{629}",
];

/// 1 Muharram 1: 18 July 622.
pub const FIRST_DAY: i64 = 227_013;

/// Days of the calendar before a month.
fn before(year: i64, month: i64) -> i64 {
    (29 * (month - 1) + month / 2) + 354 * (year - 1) + (3 + 11 * year).div_euclid(30)
}

/// The date of a day that is not before the first.
pub fn civil(days: i64) -> Civil {
    let since = days.saturating_sub(FIRST_DAY);
    let year = (30 * since.rem_euclid(10_631) + 10_646) / 10_631 + 30 * since.div_euclid(10_631);
    let month = (1..=12).rev().find(|&month| before(year, month) <= since).unwrap_or(1);
    Civil { year, month, day: since - before(year, month) + 1 }
}

/// None: no such day, or one behind the last that the types hold.
pub fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    let next = if month == 12 { before(year + 1, 1) } else { before(year, month + 1) };
    let length = next - before(year, month);
    let days = FIRST_DAY + before(year, month) + day - 1;
    ((1..=length).contains(&day) && days < DAYS_MAX).then_some(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_common_calendar() {
        let day = |year, month, day| Civil { year, month, day }.days();
        assert_eq!(FIRST_DAY, day(622, 7, 18));
        assert_eq!(days(1445, 6, 21), Some(day(2024, 1, 2)));
        assert_eq!(days(1900, 1, 1), Some(day(2464, 12, 29)));
        assert_eq!(civil(day(2024, 1, 2)), Civil { year: 1445, month: 6, day: 21 });
        assert_eq!([days(1445, 13, 1), days(1445, 2, 30), days(9700, 1, 1)], [None; 3]);
    }
}
