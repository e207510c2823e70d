//! Messages at a statement's end about what it passed over: rows whose key was there already, and values that could not be computed.
//! These are errors, except while ARITHABORT and ANSI_WARNINGS are off both: then they are NULL.

use types::{SqlError, sql_error};

/// The message for an overflow, a division by zero or a wrong argument that leaves NULL instead of an error; None: another error.
pub fn message_of(error: &SqlError) -> Option<i32> {
    match error.number {
        220 | 232 | 8115 => Some(3606),
        8134 => Some(3607),
        3623 => Some(3622),
        _ => None,
    }
}

/// Row of IGNORE_DUP_KEY.
pub const DUPLICATE_IGNORED: i32 = 3604;
/// Different numbers there are.
pub const NUMBERS: usize = 4;

pub fn message(number: i32) -> SqlError {
    match number {
        DUPLICATE_IGNORED => sql_error!(3604),
        3606 => sql_error!(3606),
        3607 => sql_error!(3607),
        3622 => sql_error!(3622),
        other => unreachable!("{other} is no number of a notice"),
    }
}
