//! Statements as a record has them: without passwords.

use std::borrow::Cow;

use sql::lex::{Lexer, TokenKind};

const MASK: &str = "'******'";

/// Words whose value, behind an equals sign or not, is a secret.
const SECRET: [&str; 4] = ["PASSWORD", "OLD_PASSWORD", "SECRET", "HASHED"];

/// Procedures any of whose texts may be a secret.
const PROCEDURES: [&str; 6] = [
    "SP_ADDLOGIN",
    "SP_PASSWORD",
    "SP_ADDAPPROLE",
    "SP_APPROLEPASSWORD",
    "SP_SETAPPROLE",
    "SP_CONTROL_DBMASTERKEY_PASSWORD",
];

/// The text with asterisks in place of passwords.
pub fn without_passwords(text: &str) -> Cow<'_, str> {
    let upper = text.to_ascii_uppercase();
    if !SECRET.iter().chain(&PROCEDURES).any(|word| upper.contains(word)) {
        return Cow::Borrowed(text);
    }
    let all = PROCEDURES.iter().any(|word| upper.contains(word));
    let mut masked = String::with_capacity(text.len());
    let (mut copied, mut is_secret) = (0, false);
    let mut lexer = Lexer::new(text);
    // As many tokens as bytes at most: the loop ends also with a text that is none.
    for _ in 0..=text.len() {
        let token = lexer.next_token();
        let (start, end) = (token.start as usize, token.end as usize);
        match token.kind {
            TokenKind::End => break,
            TokenKind::Equals => {}
            TokenKind::String | TokenKind::NationalString | TokenKind::Binary | TokenKind::UnclosedString => {
                if (all || is_secret) && start >= copied && end <= text.len() {
                    masked.push_str(&text[copied..start]);
                    masked.push_str(MASK);
                    copied = end;
                }
                is_secret = false;
            }
            // Text that is run in turn hides what it says in a string: a password within is masked with all of it.
            _ => is_secret = SECRET.contains(&&upper[start.min(upper.len())..end.min(upper.len())]),
        }
    }
    masked.push_str(&text[copied..]);
    Cow::Owned(masked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_masked_and_nothing_else() {
        let cases = [
            ("SELECT 'a'", "SELECT 'a'"),
            (
                "CREATE LOGIN x WITH PASSWORD = N'it''s', DEFAULT_DATABASE = [a]",
                "CREATE LOGIN x WITH PASSWORD = '******', DEFAULT_DATABASE = [a]",
            ),
            (
                "alter login x with password='a' old_password='b'; select 'c'",
                "alter login x with password='******' old_password='******'; select 'c'",
            ),
            ("CREATE LOGIN x WITH PASSWORD = 0x0200AB HASHED", "CREATE LOGIN x WITH PASSWORD = '******' HASHED"),
            ("EXEC sp_addlogin 'x', 'y'", "EXEC sp_addlogin '******', '******'"),
            ("SELECT password FROM t WHERE a = 'b'", "SELECT password FROM t WHERE a = 'b'"),
            ("PASSWORD = 'unclosed", "PASSWORD = '******'"),
        ];
        for (text, masked) in cases {
            assert_eq!(without_passwords(text), masked);
        }
    }
}
