//! The calendar, texts of dates, date functions.

use proptest::prelude::*;
use types::convert::{ConvertContext, NO_STYLE, convert, text_datum, text_of};
use types::datetime::LanguageId;
use types::datetime::calendar::{Civil, DAYS_MAX, iso_week, weekday};
use types::datetime::parse::{Form, ParseError, Rules, parse};
use types::datetime::{DateFormat, Part, part};
use types::{Datum, SqlType, TypeKind};

use crate::values;

fn ty(name: &str) -> SqlType {
    SqlType::parse_name(name).unwrap_or_else(|| panic!("no type {name}"))
}

fn value(text: &str, ty: &SqlType) -> Datum {
    let source = SqlType::varchar(100);
    convert(&text_datum(text, &source), &source, ty, NO_STYLE, &ConvertContext::CAST)
        .unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn shown(value: &Datum, ty: &SqlType) -> String {
    let style = match ty.kind {
        TypeKind::SmallDateTime => 120,
        _ => 121,
    };
    let target = SqlType::varchar(100);
    text_of(convert(value, ty, &target, style, &ConvertContext::CAST).unwrap().as_bytes(), &target)
}

#[test]
fn every_day_of_the_calendar() {
    let mut expected = Civil { year: 1, month: 1, day: 1 };
    for days in 0..DAYS_MAX {
        assert_eq!(Civil::from_days(days), expected);
        assert_eq!(expected.days(), days);
        let next = Civil { day: expected.day + 1, ..expected };
        expected = Civil::new(next.year, next.month, next.day)
            .or_else(|| Civil::new(next.year, next.month + 1, 1))
            .unwrap_or(Civil { year: next.year + 1, month: 1, day: 1 });
    }
    assert_eq!(expected.year, 10_000);
    // 2024-01-01 was a Monday of ISO week 1, 2023-01-01 a Sunday of week 52, 2021-01-01 a Friday of week 53.
    let day = |year, month, day| Civil { year, month, day }.days();
    assert_eq!((weekday(day(2024, 1, 1)), iso_week(day(2024, 1, 1))), (1, 1));
    assert_eq!((weekday(day(2023, 1, 1)), iso_week(day(2023, 1, 1))), (0, 52));
    assert_eq!((weekday(day(2021, 1, 1)), iso_week(day(2021, 1, 1))), (5, 53));
}

#[test]
fn literals() {
    let cases: &[(&str, Result<&str, ParseError>)] = &[
        ("2024-03-05", Ok("2024-03-05 00:00:00.000")),
        ("20240305", Ok("2024-03-05 00:00:00.000")),
        ("240305", Ok("2024-03-05 00:00:00.000")),
        ("2024", Ok("2024-01-01 00:00:00.000")),
        ("3/5/2024", Ok("2024-03-05 00:00:00.000")),
        ("3-5-24", Ok("2024-03-05 00:00:00.000")),
        ("3.5.49", Ok("2049-03-05 00:00:00.000")),
        ("3.5.50", Ok("1950-03-05 00:00:00.000")),
        ("2024/3/5 1:02", Ok("2024-03-05 01:02:00.000")),
        ("Mar 5 2024", Ok("2024-03-05 00:00:00.000")),
        ("March 5, 2024 4PM", Ok("2024-03-05 16:00:00.000")),
        ("5 mar 24", Ok("2024-03-05 00:00:00.000")),
        ("5-MAR-2024", Ok("2024-03-05 00:00:00.000")),
        ("2024 march 5", Ok("2024-03-05 00:00:00.000")),
        ("2024 5 mar", Ok("2024-03-05 00:00:00.000")),
        ("mar 2024", Ok("2024-03-01 00:00:00.000")),
        ("Mar 05 2024  1:02:03:456PM", Ok("2024-03-05 13:02:03.457")),
        ("2024-03-05T13:02:03.456", Ok("2024-03-05 13:02:03.457")),
        ("2024-03-05T13:02:03Z", Ok("2024-03-05 13:02:03.000")),
        ("20240305 13:02:03.4", Ok("2024-03-05 13:02:03.400")),
        ("13:02", Ok("1900-01-01 13:02:00.000")),
        ("12 AM", Ok("1900-01-01 00:00:00.000")),
        ("12:30pm", Ok("1900-01-01 12:30:00.000")),
        ("10:00 2024-03-05", Ok("2024-03-05 10:00:00.000")),
        ("", Ok("1900-01-01 00:00:00.000")),
        ("   ", Ok("1900-01-01 00:00:00.000")),
        ("{ts '2024-03-05 01:02:03.004'}", Ok("2024-03-05 01:02:03.003")),
        ("{d '2024-03-05'}", Ok("2024-03-05 00:00:00.000")),
        ("{t '01:02:03'}", Ok("1900-01-01 01:02:03.000")),
        ("2024-02-30", Err(ParseError::Range)),
        ("2024-13-01", Err(ParseError::Range)),
        ("20240230", Err(ParseError::Range)),
        ("25:00", Err(ParseError::Range)),
        ("12:60", Err(ParseError::Range)),
        ("2024-03-05 10:00:00.1234", Err(ParseError::Syntax)),
        ("2024-03-05 10:00 +02:00", Err(ParseError::Syntax)),
        ("abc", Err(ParseError::Syntax)),
        ("2024-03", Err(ParseError::Syntax)),
        ("12", Err(ParseError::Syntax)),
        ("1:2:3:4:5", Err(ParseError::Syntax)),
        ("2024-03-05 2024-03-05", Err(ParseError::Range)),
        ("13 AM", Err(ParseError::Range)),
        ("2024-03-05x", Err(ParseError::Syntax)),
        ("mar mar 2024", Err(ParseError::Range)),
        ("1/2/3/4", Err(ParseError::Range)),
        ("1/2/2024/", Err(ParseError::Range)),
        ("1//2/2024", Err(ParseError::Range)),
        ("AM", Err(ParseError::Range)),
        ("Jan 2, 2024,", Err(ParseError::Range)),
        ("T10:11", Err(ParseError::Range)),
        ("2024-01-02T10:11", Err(ParseError::Syntax)),
        ("1/2", Err(ParseError::Syntax)),
        ("Jan-2-2024", Err(ParseError::Syntax)),
        ("2024-03-05\t10:00", Err(ParseError::Syntax)),
        ("1/2-2024", Ok("2024-01-02 00:00:00.000")),
        ("001/02/024", Ok("2024-01-02 00:00:00.000")),
        ("1/2024/2", Ok("2024-01-02 00:00:00.000")),
        ("1/2 10:11 /2024", Ok("2024-01-02 10:11:00.000")),
        ("Jan, 2 2024", Ok("2024-01-02 00:00:00.000")),
        ("10:11.5", Ok("1900-01-01 10:11:00.500")),
        ("2024-01-02Z", Ok("2024-01-02 00:00:00.000")),
    ];
    for (text, expected) in cases {
        let parsed = parse(text, &Form::free(DateFormat::Mdy), LanguageId::US_ENGLISH, Rules::Old)
            .map(|parsed| shown(&parsed.to(&SqlType::DATETIME).expect("in range"), &SqlType::DATETIME));
        assert_eq!(parsed.as_deref().map_err(|error| *error), *expected, "{text:?}");
    }
}

#[test]
fn the_order_of_numbers() {
    let cases = [
        ("01/02/2003", DateFormat::Mdy, Rules::Old, "2003-01-02"),
        ("01/02/2003", DateFormat::Dmy, Rules::Old, "2003-02-01"),
        ("01/02/03", DateFormat::Ymd, Rules::Old, "2001-02-03"),
        ("01/02/03", DateFormat::Dym, Rules::Old, "2002-03-01"),
        ("2003-01-02", DateFormat::Dmy, Rules::Old, "2003-02-01"),
        ("2003-01-02", DateFormat::Dmy, Rules::New, "2003-01-02"),
        ("2003-01-02T00:00:00", DateFormat::Mdy, Rules::New, "2003-01-02"),
    ];
    for (text, format, rules, expected) in cases {
        let parsed = parse(text, &Form::free(format), LanguageId::US_ENGLISH, rules).unwrap();
        assert_eq!(shown(&parsed.to(&SqlType::DATE).unwrap(), &SqlType::DATE), expected, "{text} {format:?}");
    }
}

#[test]
fn datetime_has_thirds_of_a_hundredth() {
    for (text, expected) in
        [(".001", ".000"), (".002", ".003"), (".004", ".003"), (".005", ".007"), (".008", ".007"), (".009", ".010")]
    {
        let text = format!("2024-01-01 00:00:00{text}");
        assert!(shown(&value(&text, &SqlType::DATETIME), &SqlType::DATETIME).ends_with(expected), "{text}");
    }
    assert_eq!(
        shown(&value("2024-01-01 23:59:59.999", &SqlType::DATETIME), &SqlType::DATETIME),
        "2024-01-02 00:00:00.000"
    );
}

#[test]
fn parts() {
    let moment = ("2024-12-30 13:14:15.1234567 +05:30", "datetimeoffset(7)");
    let cases = [
        (moment, "year", "2024"),
        (moment, "qq", "4"),
        (moment, "month", "December"),
        (moment, "dy", "365"),
        (moment, "d", "30"),
        (moment, "week", "53"),
        (moment, "weekday", "Monday"),
        (moment, "hh", "13"),
        (moment, "n", "14"),
        (moment, "s", "15"),
        (moment, "ms", "123"),
        (moment, "mcs", "123456"),
        (moment, "ns", "123456700"),
        (moment, "tz", "+05:30"),
        (moment, "isowk", "1"),
        (("2024-12-30 13:14:15.127", "datetime"), "ms", "127"),
    ];
    for ((text, name), part_name, expected) in cases {
        let ty = ty(name);
        let part = Part::from_name(part_name).unwrap();
        assert_eq!(
            part::datename(part, &ty, &value(text, &ty), 7, LanguageId::US_ENGLISH).as_deref(),
            Ok(expected),
            "{part_name}"
        );
    }
    let ty = SqlType::DATE;
    let day = value("2024-12-30", &ty);
    assert_eq!(part::datepart(Part::Weekday, &ty, &day, 7), Ok(2));
    assert_eq!(part::datepart(Part::Weekday, &ty, &day, 1), Ok(1));
    assert_eq!(part::datepart(Part::Hour, &ty, &day, 7).unwrap_err().number, 9810);
    assert_eq!(Part::from_name("fortnight"), None);
}

#[test]
fn additions() {
    let cases: &[(&str, i64, &str, &str, Result<&str, i32>)] = &[
        ("month", 1, "2024-01-31", "date", Ok("2024-02-29")),
        ("year", -1, "2024-02-29", "date", Ok("2023-02-28")),
        ("quarter", 1, "2024-11-30", "date", Ok("2025-02-28")),
        ("week", 2, "2024-02-20", "date", Ok("2024-03-05")),
        ("day", -1, "0001-01-01", "date", Err(517)),
        ("month", 100_000_000, "2024-01-01", "date", Err(517)),
        ("year", i64::MAX, "2024-01-01", "date", Err(517)),
        ("ns", i64::MAX, "2024-01-01", "datetime2(7)", Ok("2316-04-11 23:47:16.8547758")),
        ("hour", 1, "2024-01-01", "date", Err(9810)),
        ("hour", 25, "2024-01-01 12:00", "datetime", Ok("2024-01-02 13:00:00.000")),
        ("ms", 2, "2024-01-01", "datetime", Ok("2024-01-01 00:00:00.003")),
        ("ms", 1, "2024-01-01", "datetime", Ok("2024-01-01 00:00:00.000")),
        ("day", -2, "1753-01-01", "datetime", Err(517)),
        ("day", 1, "2079-06-06", "smalldatetime", Err(517)),
        ("second", 29, "2024-01-01", "smalldatetime", Ok("2024-01-01 00:00:00")),
        ("second", 30, "2024-01-01", "smalldatetime", Ok("2024-01-01 00:01:00")),
        ("minute", -1, "00:00:30", "time(0)", Ok("23:59:30")),
        ("day", 1, "00:00:30", "time(0)", Err(9810)),
        ("mcs", 1, "2024-01-01", "datetime", Err(9810)),
        ("mcs", 1, "2024-01-01", "datetime2(7)", Ok("2024-01-01 00:00:00.0000010")),
        ("month", 1, "2024-01-31 23:00 -02:00", "datetimeoffset(0)", Ok("2024-02-29 23:00:00 -02:00")),
    ];
    for (name, number, text, type_name, expected) in cases {
        let ty = ty(type_name);
        let result = part::dateadd(Part::from_name(name).unwrap(), *number, &ty, &value(text, &ty));
        let result = result.map(|sum| shown(&sum, &ty)).map_err(|error| error.number);
        assert_eq!(result.as_deref().map_err(|number| *number), *expected, "{name} {number} {text}");
    }
}

#[test]
fn differences() {
    let cases: &[(&str, &str, &str, Result<i32, i32>)] = &[
        ("year", "2023-12-31 23:59:59", "2024-01-01", Ok(1)),
        ("quarter", "2023-12-31", "2024-04-01", Ok(2)),
        ("month", "2024-01-31", "2024-02-01", Ok(1)),
        ("day", "2024-01-01 23:59:59", "2024-01-02", Ok(1)),
        ("week", "2024-03-02", "2024-03-03", Ok(1)),
        ("week", "2024-03-03", "2024-03-09", Ok(0)),
        ("hour", "2024-01-01 00:59:59", "2024-01-01 01:00", Ok(1)),
        ("second", "2024-01-02", "2024-01-01", Ok(-86_400)),
        ("ms", "2024-01-01 00:00:00.9999", "2024-01-01 00:00:01", Ok(1)),
        ("second", "1900-01-01", "2024-01-01", Err(535)),
        ("ns", "2024-01-01", "2024-01-02", Err(535)),
    ];
    let ty = SqlType::datetime2(7);
    for (name, from, to, expected) in cases {
        let part = Part::from_name(name).unwrap();
        let result = part::datediff(part, (&ty, &value(from, &ty)), (&ty, &value(to, &ty)));
        assert_eq!(result.map_err(|error| error.number), *expected, "{name} {from} {to}");
    }
    let (from, to) = (value("0001-01-01", &ty), value("9999-12-31", &ty));
    assert_eq!(part::datediff_big(Part::Second, (&ty, &from), (&ty, &to)), Ok(315_537_811_200));
    assert_eq!(part::datediff_big(Part::Nanosecond, (&ty, &from), (&ty, &to)).unwrap_err().number, 535);
}

#[test]
fn built_from_parts_and_cut() {
    let cases: &[(&str, [i64; 3], [i64; 4], [i64; 2], Result<&str, i32>)] = &[
        ("date", [2024, 2, 29], [0; 4], [0; 2], Ok("2024-02-29")),
        ("date", [2023, 2, 29], [0; 4], [0; 2], Err(289)),
        ("datetime", [2024, 2, 29], [1, 2, 3, 4], [0; 2], Ok("2024-02-29 01:02:03.003")),
        ("datetime", [1752, 2, 28], [1, 2, 3, 4], [0; 2], Err(289)),
        ("datetime2(3)", [2024, 2, 29], [1, 2, 3, 4], [0; 2], Ok("2024-02-29 01:02:03.004")),
        ("datetime2(0)", [2024, 2, 29], [1, 2, 3, 4], [0; 2], Err(289)),
        ("time(7)", [0; 3], [23, 59, 59, 9_999_999], [0; 2], Ok("23:59:59.9999999")),
        ("datetimeoffset(0)", [2024, 2, 29], [1, 2, 3, 0], [-5, -30], Ok("2024-02-29 01:02:03 -05:30")),
        ("datetimeoffset(0)", [2024, 2, 29], [1, 2, 3, 0], [-5, 30], Err(289)),
        ("smalldatetime", [2024, 2, 29], [1, 2, 0, 0], [0; 2], Ok("2024-02-29 01:02:00")),
    ];
    for (name, date, time, offset, expected) in cases {
        let ty = ty(name);
        let result = part::from_parts(&ty, *date, *time, *offset).map(|value| shown(&value, &ty));
        assert_eq!(result.as_deref().map_err(|error| error.number), *expected, "{name}");
    }
    let ty = SqlType::datetime2(7);
    let moment = value("2024-05-15 13:14:15.1234567", &ty);
    for (name, expected) in [
        ("year", "2024-01-01 00:00:00"),
        ("quarter", "2024-04-01 00:00:00"),
        ("week", "2024-05-12 00:00:00"),
        ("isowk", "2024-05-13 00:00:00"),
        ("hour", "2024-05-15 13:00:00"),
        ("ms", "2024-05-15 13:14:15.123"),
    ] {
        let cut = part::datetrunc(Part::from_name(name).unwrap(), &ty, &moment, 7).unwrap();
        assert!(shown(&cut, &ty).starts_with(expected), "{name}");
    }
    assert_eq!(
        shown(&part::eomonth(value("2024-01-15", &SqlType::DATE).as_i64(), 1).unwrap(), &SqlType::DATE),
        "2024-02-29"
    );
    let offset = part::switch_offset(&ty, &moment, 120).unwrap();
    assert_eq!(shown(&offset, &SqlType::datetimeoffset(7)), "2024-05-15 15:14:15.1234567 +02:00");
    let offset = part::to_datetimeoffset(&ty, &moment, 120, 7).unwrap();
    assert_eq!(shown(&offset, &SqlType::datetimeoffset(7)), "2024-05-15 13:14:15.1234567 +02:00");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn functions_take_any_value((ty, datum) in values::typed(), part in 0_usize..15, number in any::<i64>(), small in -1000_i64..1000) {
        if !ty.is_temporal() || datum.is_null() {
            return Ok(());
        }
        use Part::*;
        let part = [Year, Quarter, Month, DayOfYear, Day, Week, Weekday, Hour, Minute, Second, Millisecond, Microsecond, Nanosecond, TzOffset, IsoWeek][part];
        let _ = part::datepart(part, &ty, &datum, 7);
        let _ = part::datename(part, &ty, &datum, 1, LanguageId::US_ENGLISH);
        let _ = part::datetrunc(part, &ty, &datum, 3);
        for number in [number, small] {
            if let Ok(sum) = part::dateadd(part, number, &ty, &datum) {
                prop_assert!(!shown(&sum, &ty).is_empty());
            }
        }
        prop_assert_eq!(part::datediff_big(Day, (&ty, &datum), (&ty, &datum)), Ok(0));
    }

    #[test]
    fn adding_days_is_what_the_difference_says(day in 0..DAYS_MAX, number in -4_000_000_i64..4_000_000) {
        let ty = SqlType::DATE;
        let from = Datum::I64(day);
        if let Ok(to) = part::dateadd(Part::Day, number, &ty, &from) {
            prop_assert_eq!(part::datediff(Part::Day, (&ty, &from), (&ty, &to)), Ok(number as i32));
        }
    }
}
