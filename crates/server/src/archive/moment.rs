//! Moments as an administrator writes and reads them: `2026-11-27 14:03:00`, the machine's local time, or with `Z` or an offset.

use types::datetime::Civil;
use types::datetime::calendar::{TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};

/// Local time, to the millisecond.
pub fn text(utc_ticks: u64) -> String {
    let local = utc_ticks as i64 + i64::from(os::clock::local_offset_minutes()) * TICKS_PER_MINUTE;
    let Civil { year, month, day } = Civil::from_days(local.div_euclid(TICKS_PER_DAY));
    let time = local.rem_euclid(TICKS_PER_DAY);
    let (hours, minutes) = (time / TICKS_PER_HOUR, time / TICKS_PER_MINUTE % 60);
    let (seconds, milliseconds) = (time / TICKS_PER_SECOND % 60, time % TICKS_PER_SECOND / 10_000);
    format!("{year:04}-{month:02}-{day:02} {hours:02}:{minutes:02}:{seconds:02}.{milliseconds:03}")
}

/// Ticks, UTC. Err: how it is written.
pub fn parse(text: &str) -> Result<u64, String> {
    let wrong = || {
        format!(
            "'{text}' is not a time, such as '2026-11-27 14:03:00', '2026-11-27T14:03:00.250Z' or '2026-11-27 14:03:00 +01:00'"
        )
    };
    ticks(text.trim()).and_then(|ticks| u64::try_from(ticks).ok()).ok_or_else(wrong)
}

fn ticks(text: &str) -> Option<i64> {
    let (date, rest) = text.split_at_checked(10)?;
    let number = |text: &str, digits: usize| -> Option<i64> {
        (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
    };
    let mut parts = date.split('-');
    let civil = Civil::new(number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?)?;
    if parts.next().is_some() {
        return None;
    }
    let rest = rest.strip_prefix(['T', ' ']).unwrap_or(rest);
    let zone = rest.find(['Z', '+', '-']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(zone);
    let offset = match zone {
        "" => i64::from(os::clock::local_offset_minutes()),
        "Z" => 0,
        zone => {
            let (hours, minutes) = zone[1..].split_once(':')?;
            let minutes = number(hours, 2)? * 60 + number(minutes, 2)?;
            if zone.starts_with('-') { -minutes } else { minutes }
        }
    };
    let mut parts = time.trim().split(':');
    let time = match parts.next()? {
        "" => 0,
        hours => {
            let (hours, minutes, rest) = (number(hours, 2)?, number(parts.next()?, 2)?, parts.next().unwrap_or("00"));
            let (seconds, fraction) = rest.split_once('.').unwrap_or((rest, "0"));
            let seconds = number(seconds, 2)?;
            if hours > 23 || minutes > 59 || seconds > 59 || !(1..=7).contains(&fraction.len()) {
                return None;
            }
            let fraction = number(fraction, fraction.len())? * 10_i64.pow(7 - fraction.len() as u32);
            hours * TICKS_PER_HOUR + minutes * TICKS_PER_MINUTE + seconds * TICKS_PER_SECOND + fraction
        }
    };
    parts.next().is_none().then_some(civil.days() * TICKS_PER_DAY + time - offset * TICKS_PER_MINUTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_they_are_written() {
        let at = 639_157_141_802_500_000;
        assert_eq!(parse(&text(at)), Ok(at));
        let utc = parse("2026-05-28T14:03:00.25Z").expect("a time");
        assert_eq!(parse("2026-05-28 15:03:00.25 +01:00"), Ok(utc));
        assert_eq!(parse("2026-05-28 12:33:00.25-01:30"), Ok(utc));
        assert_eq!(parse("2026-05-28 14:03Z"), Ok(utc - 2_500_000));
        assert_eq!(parse("2026-05-28Z").map(|day| utc - day), Ok((14 * 60 + 3) * 600_000_000 + 2_500_000));
        for wrong in [
            "",
            "yesterday",
            "2026-02-29",
            "2026-13-01",
            "2026-05-28 24:00",
            "2026-05-28 14:03:00 CET",
            "2026-05-28 1:2",
        ] {
            assert!(parse(wrong).is_err_and(|why| why.contains(wrong)), "{wrong}");
        }
    }
}
