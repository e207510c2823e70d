//! Dates and times: the calendar, the six types' values, texts in and out, and the date functions.

pub mod calendar;
pub mod moment;
pub mod language;
mod hijri;
pub mod format;
pub mod parse;
mod parse_old;
mod parse_new;
pub mod part;
pub mod zone;

pub use calendar::{Civil, DAYS_MAX};
pub use language::{DateFormat, LanguageId};
pub use moment::Moment;
pub use parse::set_two_digit_year_cutoff;
pub use part::Part;
