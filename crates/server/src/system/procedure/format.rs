//! xp_sprintf, xp_sscanf: texts put together and taken apart by `%s`, the one format that they know.
//! https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/xp-sprintf-transact-sql

use types::{Datum, SqlResult, SqlType, sql_error};

use super::parameters::Parameters;

/// Characters of a text that comes out; SQL Server's are of one byte each, this many at most.
const LENGTH_MAX: usize = 255;

/// Two and as many arguments as a call may have.
pub const NAMES: [&str; 52] = {
    let mut names = ["@argument"; 52];
    names[0] = "@string";
    names[1] = "@format";
    names
};

fn set(given: &mut Parameters<'_>, position: usize, text: &str) {
    let text: String = text.chars().take(LENGTH_MAX).collect();
    given.set(position, SqlType::nvarchar(4000), Datum::nvarchar(&text));
}

/// xp_sprintf @string OUTPUT, format, argument ...
pub fn print(given: &mut Parameters<'_>) -> SqlResult<i32> {
    let format = given.text(1).ok_or_else(|| sql_error!(22003))?;
    let mut pieces = format.split("%s");
    let mut text = pieces.next().unwrap_or_default().to_string();
    for (position, piece) in (2..).zip(pieces) {
        if position < NAMES.len() {
            text.push_str(&given.text(position).unwrap_or_default());
        }
        text.push_str(piece);
    }
    set(given, 0, &text);
    Ok(0)
}

/// xp_sscanf string, format, @argument OUTPUT ...: as C's sscanf reads, up to what does not fit.
pub fn scan(given: &mut Parameters<'_>) -> SqlResult<i32> {
    let (Some(text), Some(format)) = (given.text(0), given.text(1)) else { return Err(sql_error!(22003)) };
    for (position, word) in (2..NAMES.len()).zip(scanned(&text, &format)) {
        set(given, position, word);
    }
    Ok(0)
}

/// The words that stand where the format has `%s`. White space in the format stands for any, and none.
fn scanned<'a>(text: &'a str, format: &str) -> Vec<&'a str> {
    let (mut text, mut words) = (text, Vec::new());
    let mut format = format.chars().peekable();
    while let Some(wanted) = format.next() {
        if wanted == '%' && format.next_if_eq(&'s').is_some() {
            text = text.trim_start();
            let end = text.find(char::is_whitespace).unwrap_or(text.len());
            if end == 0 {
                break;
            }
            words.push(&text[..end]);
            text = &text[end..];
        } else if wanted.is_whitespace() {
            text = text.trim_start();
        } else {
            let Some(rest) = text.strip_prefix(wanted) else { break };
            text = rest;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_scanned_up_to_what_does_not_fit() {
        let cases: [(&str, &str, &[&str]); 6] = [
            ("sync -b -fproducts10.tmp -rrandom", "sync -b -f%s -r%s", &["products10.tmp", "random"]),
            ("a  b", "%s %s", &["a", "b"]),
            ("a", "%s %s", &["a"]),
            ("x=1", "y=%s", &[]),
            ("", "%s", &[]),
            ("100% é", "100%% %s", &[]),
        ];
        for (text, format, words) in cases {
            assert_eq!(scanned(text, format), words, "{text}, {format}");
        }
    }
}
