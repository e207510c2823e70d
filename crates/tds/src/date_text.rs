//! Dates as text, for clients older than the date types (below TDS 7.3) and for printing in tools.

use types::{SqlType, TypeKind};

const TICKS_PER_SECOND: i64 = 10_000_000;
const TICKS_PER_DAY: i64 = 86_400 * TICKS_PER_SECOND;
/// Days from 0001-01-01 to 1900-01-01.
const DAYS_TO_1900: i64 = 693_595;

/// Longest text of the type, in characters.
pub fn characters_max(sql_type: SqlType) -> u16 {
    let fraction = if sql_type.scale == 0 { 0 } else { 1 + u16::from(sql_type.scale) };
    match sql_type.kind {
        TypeKind::Date => 10,
        TypeKind::Time => 8 + fraction,
        TypeKind::DateTime2 => 19 + fraction,
        TypeKind::DateTimeOffset => 26 + fraction,
        TypeKind::SmallDateTime => 16,
        _ => 23,
    }
}

/// ISO form, `yyyy-mm-dd hh:mm:ss.fffffff +hh:mm` as far as the type goes. `value` as `Physical` lays it out, an I64
/// kind widened. Panics on a kind that is not temporal.
pub fn format(sql_type: SqlType, value: i128) -> String {
    let narrow = value as i64;
    match sql_type.kind {
        TypeKind::Date => date(narrow),
        TypeKind::Time => time(narrow, sql_type.scale),
        TypeKind::DateTime2 => date_and_time(narrow, sql_type.scale),
        TypeKind::DateTimeOffset => {
            let offset_min = i64::from(value as u16 as i16);
            let local = (value >> 16) as i64 + offset_min * 60 * TICKS_PER_SECOND;
            let sign = if offset_min < 0 { '-' } else { '+' };
            let (hours, minutes) = (offset_min.abs() / 60, offset_min.abs() % 60);
            format!("{} {sign}{hours:02}:{minutes:02}", date_and_time(local, sql_type.scale))
        }
        TypeKind::SmallDateTime => date_and_time(DAYS_TO_1900 * TICKS_PER_DAY + narrow * 60 * TICKS_PER_SECOND, 0),
        TypeKind::DateTime => {
            let (days, parts) = (narrow.div_euclid(25_920_000), narrow.rem_euclid(25_920_000));
            let milliseconds = (parts * 10 + 1) / 3;
            date_and_time((DAYS_TO_1900 + days) * TICKS_PER_DAY + milliseconds * 10_000, 3)
        }
        other => panic!("{other:?} is not a date"),
    }
}

fn date_and_time(ticks: i64, scale: u8) -> String {
    format!("{} {}", date(ticks.div_euclid(TICKS_PER_DAY)), time(ticks.rem_euclid(TICKS_PER_DAY), scale))
}

/// `days` since 0001-01-01, proleptic Gregorian.
fn date(days: i64) -> String {
    // Counting from 0000-03-01 puts the leap day last, so a year's months all start at a linear day number.
    let shifted = days + 306;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

fn time(ticks: i64, scale: u8) -> String {
    let seconds = ticks / TICKS_PER_SECOND;
    let whole = format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if scale == 0 {
        return whole;
    }
    let fraction = (ticks % TICKS_PER_SECOND) / 10i64.pow(u32::from(7 - scale.min(7)));
    format!("{whole}.{fraction:0width$}", width = usize::from(scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_dates() {
        let cases: [(SqlType, i128, &str); 9] = [
            (SqlType::DATE, 0, "0001-01-01"),
            (SqlType::DATE, 3_652_058, "9999-12-31"),
            (SqlType::DATE, 738_885, "2024-01-01"),
            (SqlType::DATE, 738_944, "2024-02-29"),
            (SqlType::time(7), 863_999_999_999, "23:59:59.9999999"),
            (SqlType::time(0), 0, "00:00:00"),
            (SqlType::DATETIME, 0, "1900-01-01 00:00:00.000"),
            (SqlType::DATETIME, -53_690 * 25_920_000 + 1, "1753-01-01 00:00:00.003"),
            (SqlType::SMALLDATETIME, 65_535 * 1440 + 1439, "2079-06-06 23:59:00"),
        ];
        for (sql_type, value, text) in cases {
            assert_eq!(format(sql_type, value), text);
        }
        let utc = 738_885i128 * i128::from(TICKS_PER_DAY);
        let offset = (utc << 16) | i128::from(-90i16 as u16);
        assert_eq!(format(SqlType::datetimeoffset(3), offset), "2023-12-31 22:30:00.000 -01:30");
        assert_eq!(format(SqlType::DATETIME, 25_919_999), "1900-01-01 23:59:59.997");
    }

    #[test]
    fn every_text_fits_its_type() {
        for scale in 0..=7 {
            for sql_type in [SqlType::time(scale), SqlType::datetime2(scale), SqlType::datetimeoffset(scale)] {
                assert_eq!(format(sql_type, 0).len(), characters_max(sql_type).into());
            }
        }
    }
}
