//! Every message of the server, as data: what `sys.messages` shows, what RAISERROR and FORMATMESSAGE find by number, and what
//! `sql_error!` makes errors of. A site names a number and its arguments; text, severity and usual state are here and
//! nowhere else. Numbers and texts are SQL Server's where it has the message, its placeholders included; a message of
//! Heddle's own has the number of SQL Server's nearest.
//!
//! A file of rows for each range of numbers, in ascending order: `find` searches by halves.

pub mod template;

/// The rows of a file, in one place: a constant would lie once more in each part of a crate that names one of them.
macro_rules! rows {
    ($($row:expr),* $(,)?) => {
        pub(super) static ROWS: [Template; <[&str]>::len(&[$(stringify!($row)),*])] = [$($row),*];
    };
}

mod to_999;
mod to_4999;
mod to_11999;
mod to_14999;
mod to_15999;
mod to_49999;

pub use template::{Template, compose, placeholder};

const TABLES: [&[Template]; 6] =
    [&to_999::ROWS, &to_4999::ROWS, &to_11999::ROWS, &to_14999::ROWS, &to_15999::ROWS, &to_49999::ROWS];

/// The message of this number.
pub const fn find(number: i32) -> Option<&'static Template> {
    let mut table = 0;
    while table < TABLES.len() {
        let rows = TABLES[table];
        if number <= rows[rows.len() - 1].number {
            let (mut low, mut high) = (0, rows.len());
            while low < high {
                let middle = low + (high - low) / 2;
                if rows[middle].number < number { low = middle + 1 } else { high = middle }
            }
            return if rows[low].number == number { Some(&rows[low]) } else { None };
        }
        table += 1;
    }
    None
}

/// The message of this number, which takes so many arguments. What is wrong stops the compiler where `sql_error!` asks.
pub const fn expect(number: i32, arguments: usize) -> &'static Template {
    let Some(template) = find(number) else { panic!("types::messages has no message of this number") };
    assert!(
        template.arguments() == arguments,
        "the message has another number of placeholders than there are arguments"
    );
    template
}

/// All messages, by number.
pub fn all() -> impl Iterator<Item = &'static Template> {
    TABLES.iter().flat_map(|rows| rows.iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend_and_are_found() {
        let numbers: Vec<i32> = all().map(|message| message.number).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "a number stands twice, or not in its place");
        for message in all() {
            assert_eq!(find(message.number), Some(message));
        }
        for number in [i32::MIN, -1, 0, numbers[0] - 1, 50_000, i32::MAX] {
            assert_eq!(find(number), None, "{number}");
        }
    }

    #[test]
    fn rows_are_what_sys_messages_can_show() {
        for message in all() {
            let Template { number, severity, listed, text, .. } = *message;
            assert!((1..50_000).contains(&number), "{number}");
            assert!(severity <= 25 && listed <= 25, "{number}");
            assert!(!text.is_empty() && text.encode_utf16().count() <= 2048, "{number}");
            let lone = (0..text.len()).find(|at| {
                text.as_bytes()[*at] == b'%' && placeholder(text.as_bytes(), *at) == 0 && !text[..*at].ends_with('%')
            });
            assert_eq!(lone, None, "{number} has a percent sign that is no placeholder");
        }
    }
}
