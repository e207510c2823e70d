//! Dates and times as text: the styles of CONVERT.
//!
//! | style | form |
//! |---|---|
//! | 0 100 | `mon dd yyyy hh:miAM` |
//! | 1-7 10-12, +100 with century | `mm/dd/yy` `yy.mm.dd` `dd/mm/yy` `dd.mm.yy` `dd-mm-yy` `dd mon yy` `Mon dd, yy` `mm-dd-yy` `yy/mm/dd` `yymmdd` |
//! | 8 24 108 | `hh:mi:ss` |
//! | 9 109 | `mon dd yyyy hh:mi:ss:mmmAM` |
//! | 13 113, 14 114 | `dd mon yyyy hh:mi:ss:mmm`, `hh:mi:ss:mmm` |
//! | 20 120, 21 25 121, 22, 23 | ISO with blank: seconds, fraction; `mm/dd/yy hh:mi:ss AM`; date |
//! | 126 127 | ISO with T, 127 in UTC with Z |
//! | 26-30, 31-35 without time | `yyyy-dd-mm` `mm-dd-yyyy` `mm-yyyy-dd` `dd-mm-yyyy` `dd-yyyy-mm` |
//! | 115 | `hhmiss` |
//! | 130 131 | Hijri calendar |

use std::fmt::Write;

use super::calendar::{Civil, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};
use super::hijri;
use super::language::LanguageId;
use super::moment::{DATETIME_PER_DAY, Moment};
use crate::datum::DatumRef;
use crate::sql_type::{SqlType, TypeKind};

/// What CAST uses: 0 for datetime and smalldatetime, 121 for the other types.
pub const STYLE_DEFAULT: i32 = -1;

/// A value to be written: the clock of its type, with the digits that the type shows.
struct Shown {
    civil: Civil,
    days: i64,
    hour: i64,
    minute: i64,
    second: i64,
    /// As many digits as `digits`.
    fraction: i64,
    digits: usize,
    /// `:` for the types with three fixed digits, `.` for the others, in the styles that write `:mmm`.
    colon: char,
    offset: Option<i16>,
    language: LanguageId,
}

/// Parts that a style writes.
#[derive(Clone, Copy)]
enum Layout {
    Date(fn(&Shown, &mut String)),
    Time(fn(&Shown, &mut String)),
    Both(fn(&Shown, &mut String), &'static str, fn(&Shown, &mut String)),
}

/// Whether CONVERT has a style of this number for moments.
pub fn is_style(style: i32) -> bool {
    matches!(style, 0..=14 | 20..=35 | 100..=115 | 120 | 121 | 126 | 127 | 130 | 131)
}

/// Whether the Hijri calendar has the day.
pub fn is_hijri(ty: &SqlType, datum: DatumRef<'_>) -> bool {
    Moment::of(ty, datum).days >= hijri::FIRST_DAY
}

/// Appends the value in a style. None: the style is not one for this type (error 281).
pub fn push_text(ty: &SqlType, datum: DatumRef<'_>, style: i32, language: LanguageId, out: &mut String) -> Option<()> {
    let legacy = matches!(ty.kind, TypeKind::DateTime | TypeKind::SmallDateTime);
    let style = match style {
        STYLE_DEFAULT if legacy => 0,
        STYLE_DEFAULT => 121,
        style => style,
    };
    let shown = Shown::new(ty, datum, style, language);
    match (layout(style)?, ty.kind) {
        (Layout::Date(_), TypeKind::Time) | (Layout::Time(_), TypeKind::Date) => return None,
        (Layout::Date(date) | Layout::Both(date, ..), TypeKind::Date) => date(&shown, out),
        (Layout::Time(time) | Layout::Both(_, _, time), TypeKind::Time) => {
            let start = out.len();
            time(&shown, out);
            // ` 1:05PM` is padded for the date before it, in other styles always.
            if matches!(style, 0 | 9 | 100 | 109) && out[start..].starts_with(' ') {
                out.remove(start);
            }
        }
        (Layout::Date(date), _) => date(&shown, out),
        (Layout::Time(time), _) => time(&shown, out),
        (Layout::Both(date, between, time), _) => {
            date(&shown, out);
            out.push_str(between);
            time(&shown, out);
        }
    }
    if let Some(offset) = shown.offset
        && !matches!(layout(style)?, Layout::Date(_))
    {
        match style {
            126 => push_offset(offset, out),
            127 => out.push('Z'),
            _ => {
                out.push(' ');
                push_offset(offset, out);
            }
        }
    }
    Some(())
}

/// `+02:00`
pub fn push_offset(offset: i16, out: &mut String) {
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.unsigned_abs();
    put(out, format_args!("{sign}{:02}:{:02}", minutes / 60, minutes % 60));
}

fn layout(style: i32) -> Option<Layout> {
    use Layout::*;
    Some(match style {
        0 | 100 => Both(month_day_year, " ", twelve),
        1 => Date(|s, out| numbers(s.civil.month, '/', s.civil.day, '/', s.short_year(), out)),
        101 => Date(|s, out| with_year(s.civil.month, '/', s.civil.day, '/', s, out)),
        2 => Date(|s, out| numbers(s.short_year(), '.', s.civil.month, '.', s.civil.day, out)),
        102 => Date(|s, out| put(out, format_args!("{:04}.{:02}.{:02}", s.civil.year, s.civil.month, s.civil.day))),
        3 => Date(|s, out| numbers(s.civil.day, '/', s.civil.month, '/', s.short_year(), out)),
        103 => Date(|s, out| with_year(s.civil.day, '/', s.civil.month, '/', s, out)),
        4 => Date(|s, out| numbers(s.civil.day, '.', s.civil.month, '.', s.short_year(), out)),
        104 => Date(|s, out| with_year(s.civil.day, '.', s.civil.month, '.', s, out)),
        5 => Date(|s, out| numbers(s.civil.day, '-', s.civil.month, '-', s.short_year(), out)),
        105 => Date(|s, out| with_year(s.civil.day, '-', s.civil.month, '-', s, out)),
        6 => Date(|s, out| put(out, format_args!("{:02} {} {:02}", s.civil.day, s.month(), s.short_year()))),
        106 => Date(day_month_year),
        7 => Date(|s, out| put(out, format_args!("{} {:02}, {:02}", s.month(), s.civil.day, s.short_year()))),
        107 => Date(|s, out| put(out, format_args!("{} {:02}, {:04}", s.month(), s.civil.day, s.civil.year))),
        8 | 24 | 108 => Time(clock),
        9 | 109 => Both(month_day_year, " ", twelve_fraction),
        10 => Date(|s, out| numbers(s.civil.month, '-', s.civil.day, '-', s.short_year(), out)),
        110 => Date(|s, out| with_year(s.civil.month, '-', s.civil.day, '-', s, out)),
        11 => Date(|s, out| numbers(s.short_year(), '/', s.civil.month, '/', s.civil.day, out)),
        111 => Date(|s, out| put(out, format_args!("{:04}/{:02}/{:02}", s.civil.year, s.civil.month, s.civil.day))),
        12 => Date(|s, out| put(out, format_args!("{:02}{:02}{:02}", s.short_year(), s.civil.month, s.civil.day))),
        112 => Date(|s, out| put(out, format_args!("{:04}{:02}{:02}", s.civil.year, s.civil.month, s.civil.day))),
        13 | 113 => Both(day_month_year, " ", clock_fraction),
        14 | 114 => Time(clock_fraction),
        20 | 120 => Both(iso_date, " ", clock),
        21 | 25 | 121 => Both(iso_date, " ", clock_point),
        22 => Both(
            |s, out| numbers(s.civil.month, '/', s.civil.day, '/', s.short_year(), out),
            " ",
            |s, out| put(out, format_args!("{:>2}:{:02}:{:02} {}", s.hour12(), s.minute, s.second, s.meridiem())),
        ),
        23 => Date(iso_date),
        26..=30 => Both(order(style), " ", clock_point),
        31..=35 => Date(order(style - 5)),
        115 => Date(|s, out| put(out, format_args!("{:02}{:02}{:02}", s.hour, s.minute, s.second))),
        126 | 127 => Both(iso_date, "T", |s, out| if s.fraction == 0 { clock(s, out) } else { clock_point(s, out) }),
        130 => Both(
            |s, out| {
                let date = hijri::civil(s.days);
                put(out, format_args!("{:02} {} {:04}", date.day, hijri::MONTHS[(date.month - 1) as usize], date.year));
            },
            " ",
            twelve_fraction,
        ),
        131 => Both(
            |s, out| {
                let date = hijri::civil(s.days);
                put(out, format_args!("{:2}/{:02}/{:04}", date.day, date.month, date.year));
            },
            " ",
            twelve_fraction,
        ),
        _ => return None,
    })
}

/// Dates of styles 26 to 30.
fn order(style: i32) -> fn(&Shown, &mut String) {
    match style {
        26 => |s, out| put(out, format_args!("{:04}-{:02}-{:02}", s.civil.year, s.civil.day, s.civil.month)),
        27 => |s, out| with_year(s.civil.month, '-', s.civil.day, '-', s, out),
        28 => |s, out| put(out, format_args!("{:02}-{:04}-{:02}", s.civil.month, s.civil.year, s.civil.day)),
        29 => |s, out| with_year(s.civil.day, '-', s.civil.month, '-', s, out),
        _ => |s, out| put(out, format_args!("{:02}-{:04}-{:02}", s.civil.day, s.civil.year, s.civil.month)),
    }
}

impl Shown {
    fn new(ty: &SqlType, datum: DatumRef<'_>, style: i32, language: LanguageId) -> Shown {
        let mut moment = Moment::of(ty, datum);
        let has_offset = ty.kind == TypeKind::DateTimeOffset;
        if has_offset && style == 127 {
            moment = Moment { offset: 0, ..Moment::from_i64(TypeKind::DateTime2, moment.utc_ticks()) };
        }
        let second_ticks = moment.ticks.rem_euclid(TICKS_PER_SECOND);
        let (fraction, digits) = match (ty.kind, datum) {
            // Thirds of 10 ms show as .000 .003 .007.
            (TypeKind::DateTime, DatumRef::I64(value)) => ((value.rem_euclid(DATETIME_PER_DAY) % 300 * 10 + 1) / 3, 3),
            (TypeKind::SmallDateTime, _) => (0, 3),
            _ => (second_ticks / 10_i64.pow(7 - ty.scale.min(7) as u32), ty.scale.min(7) as usize),
        };
        Shown {
            civil: moment.civil(),
            days: moment.days,
            hour: moment.ticks / TICKS_PER_HOUR,
            minute: moment.ticks / TICKS_PER_MINUTE % 60,
            second: moment.ticks / TICKS_PER_SECOND % 60,
            fraction,
            digits,
            colon: if matches!(ty.kind, TypeKind::DateTime | TypeKind::SmallDateTime) { ':' } else { '.' },
            offset: has_offset.then_some(moment.offset),
            language,
        }
    }

    fn month(&self) -> &'static str {
        self.language.short_month(self.civil.month)
    }

    fn short_year(&self) -> i64 {
        self.civil.year.rem_euclid(100)
    }

    fn hour12(&self) -> i64 {
        if self.hour % 12 == 0 { 12 } else { self.hour % 12 }
    }

    fn meridiem(&self) -> &'static str {
        if self.hour < 12 { "AM" } else { "PM" }
    }
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a String takes any text");
}

fn numbers(a: i64, first: char, b: i64, second: char, c: i64, out: &mut String) {
    put(out, format_args!("{a:02}{first}{b:02}{second}{c:02}"));
}

fn with_year(a: i64, first: char, b: i64, second: char, s: &Shown, out: &mut String) {
    put(out, format_args!("{a:02}{first}{b:02}{second}{:04}", s.civil.year));
}

fn iso_date(s: &Shown, out: &mut String) {
    put(out, format_args!("{:04}-{:02}-{:02}", s.civil.year, s.civil.month, s.civil.day));
}

fn month_day_year(s: &Shown, out: &mut String) {
    put(out, format_args!("{} {:>2} {:04}", s.month(), s.civil.day, s.civil.year));
}

fn day_month_year(s: &Shown, out: &mut String) {
    put(out, format_args!("{:02} {} {:04}", s.civil.day, s.month(), s.civil.year));
}

fn clock(s: &Shown, out: &mut String) {
    put(out, format_args!("{:02}:{:02}:{:02}", s.hour, s.minute, s.second));
}

fn fraction(s: &Shown, mark: char, out: &mut String) {
    if s.digits > 0 {
        put(out, format_args!("{mark}{:0width$}", s.fraction, width = s.digits));
    }
}

fn clock_point(s: &Shown, out: &mut String) {
    clock(s, out);
    fraction(s, '.', out);
}

fn clock_fraction(s: &Shown, out: &mut String) {
    clock(s, out);
    fraction(s, s.colon, out);
}

fn twelve(s: &Shown, out: &mut String) {
    put(out, format_args!("{:>2}:{:02}{}", s.hour12(), s.minute, s.meridiem()));
}

fn twelve_fraction(s: &Shown, out: &mut String) {
    put(out, format_args!("{:>2}:{:02}:{:02}", s.hour12(), s.minute, s.second));
    fraction(s, s.colon, out);
    out.push_str(s.meridiem());
}
