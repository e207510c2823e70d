//! A message as the table has it, and what its placeholders become. They are those of `sys.messages`: `%.*ls` and `%ls` for
//! text, `%d` and its kin for numbers, `%S_MSG` for a word of the server's own; `%%` is a percent sign. A site gives each
//! argument as it is to be shown, so a placeholder's type says only what it stands for.

use std::fmt::{Display, Write as _};

/// One message of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Template {
    pub number: i32,
    /// As it is raised.
    pub severity: u8,
    /// Unless the site gives another.
    pub state: u8,
    /// As `sys.messages` shows it. SQL Server raises some messages with another severity than it lists.
    pub listed: u8,
    /// Whether it goes to the error log whenever it is raised.
    pub logged: bool,
    pub text: &'static str,
}

/// A row of the table: state 1, listed as it is raised, not logged.
pub(super) const fn message(number: i32, severity: u8, text: &'static str) -> Template {
    Template { number, severity, state: 1, listed: severity, logged: false, text }
}

impl Template {
    pub(super) const fn state(mut self, state: u8) -> Template {
        self.state = state;
        self
    }

    pub(super) const fn listed(mut self, severity: u8) -> Template {
        self.listed = severity;
        self
    }

    pub(super) const fn logged(mut self) -> Template {
        self.logged = true;
        self
    }

    /// How many arguments the text takes.
    pub const fn arguments(&self) -> usize {
        let bytes = self.text.as_bytes();
        let (mut at, mut count) = (0, 0);
        while at < bytes.len() {
            match placeholder(bytes, at) {
                0 => at += 1,
                length => {
                    count += (bytes[at + 1] != b'%') as usize;
                    at += length;
                }
            }
        }
        count
    }
}

/// Length of the placeholder or `%%` that begins at `at`; 0: none does.
pub const fn placeholder(bytes: &[u8], at: usize) -> usize {
    const fn byte(bytes: &[u8], at: usize) -> u8 {
        if at < bytes.len() { bytes[at] } else { 0 }
    }
    if byte(bytes, at) != b'%' {
        return 0;
    }
    let mut end = at + 1;
    if byte(bytes, end) == b'%' {
        return 2;
    }
    if byte(bytes, end) == b'S' && byte(bytes, end + 1) == b'_' {
        end += 2;
        while byte(bytes, end).is_ascii_uppercase() {
            end += 1;
        }
        return end - at;
    }
    while matches!(byte(bytes, end), b'-' | b'+' | b'0' | b'#') {
        end += 1;
    }
    while matches!(byte(bytes, end), b'*' | b'0'..=b'9') {
        end += 1;
    }
    if byte(bytes, end) == b'.' {
        end += 1;
        while matches!(byte(bytes, end), b'*' | b'0'..=b'9') {
            end += 1;
        }
    }
    if byte(bytes, end) == b'I' && byte(bytes, end + 1) == b'6' && byte(bytes, end + 2) == b'4' {
        end += 3;
    } else {
        while matches!(byte(bytes, end), b'h' | b'l') {
            end += 1;
        }
    }
    match byte(bytes, end) {
        b'c' | b'd' | b'f' | b'i' | b'o' | b's' | b'u' | b'x' | b'X' => end + 1 - at,
        _ => 0,
    }
}

/// The text with the arguments in place of its placeholders. At run time: an error is told seldom, and pieces that the compiler cut for each
/// site took it a sixth of the time that a change in `server` takes to build.
pub fn compose(text: &str, arguments: &[&dyn Display]) -> String {
    /// Names and numbers are seldom longer, so that a message is seldom moved while it grows.
    const ARGUMENT_BYTES: usize = 16;
    let mut composed = String::with_capacity(text.len() + arguments.len() * ARGUMENT_BYTES);
    let (mut rest, mut arguments) = (text, arguments.iter());
    while let Some(at) = rest.find('%') {
        composed.push_str(&rest[..at]);
        let length = placeholder(rest.as_bytes(), at);
        match (length, &rest[at..at + length.max(1)]) {
            (0, _) | (_, "%%") => composed.push('%'),
            _ => {
                let argument = arguments.next().expect("sql_error! has counted them");
                write!(composed, "{argument}").expect("a string takes everything");
            }
        }
        rest = &rest[at + length.max(1)..];
    }
    composed.push_str(rest);
    composed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_those_of_sys_messages() {
        let cases = [
            ("%d", 2),
            ("%ld.", 3),
            ("%ls'", 3),
            ("%.*ls'", 5),
            ("%.*hs", 5),
            ("%S_MSG is", 6),
            ("%S_PGID in", 7),
            ("%#016I64x in", 9),
            ("%I64d rows", 5),
            ("%02X", 4),
            ("%%", 2),
            ("% of", 0),
            ("%", 0),
            ("%z", 0),
            ("d", 0),
        ];
        for (text, length) in cases {
            assert_eq!(placeholder(text.as_bytes(), 0), length, "{text}");
        }
        assert_eq!(message(1, 16, "%d%% of %S_MSG '%.*ls'%.*ls; 100% sure").arguments(), 4);
        assert_eq!(message(1, 16, "").arguments(), 0);
    }

    #[test]
    fn arguments_go_where_placeholders_stand() {
        assert_eq!(
            compose("Cannot %S_MSG the %S_MSG '%.*ls'.", &[&"drop", &"table", &"ü%d"]),
            "Cannot drop the table 'ü%d'."
        );
        assert_eq!(compose("ends in 5%", &[]), "ends in 5%");
        assert_eq!(compose("%d of %I64d", &[&50, &(1_i64 << 40)]), "50 of 1099511627776");
        assert_eq!(compose("%d%% of %ls, 100%%", &[&5, &"it"]), "5% of it, 100%");
    }
}
