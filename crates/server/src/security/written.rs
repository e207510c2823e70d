//! Passwords in texts: what a user writes of them is shown to nobody, in no cache and no list of what sessions sent.
//!
//! SQL Server keeps no plans of such statements and shows dashes for their text. Told by the text and not by the statements, since what is
//! in it counts also where it does not parse. A query that compares a column called password with a literal is taken for one, too.

/// Procedures and functions whose arguments are passwords.
const CALLS: [&str; 9] = [
    "sp_password",
    "sp_addlogin",
    "sp_setapprole",
    "sp_addapprole",
    "sp_approlepassword",
    "sp_addlinkedsrvlogin",
    "sp_change_users_login",
    "pwdencrypt",
    "pwdcompare",
];
/// What takes a connection string, and how passwords are given in one.
const CONNECTS: [&str; 3] = ["openrowset", "opendatasource", "sp_addlinkedserver"];
const IN_CONNECTIONS: [&str; 2] = ["pwd=", "password="];

/// Whether the text may hold a password: `PASSWORD = '...'` or a hash, `SECRET = '...'`, or a call with one.
pub fn holds_password(text: &str) -> bool {
    const WORDS: [&str; 2] = ["password", "secret"];
    let text = text.to_ascii_lowercase();
    let is_given = |after: usize| {
        let rest = text[after..].trim_start_matches([']', '"']).trim_start();
        let value = rest.strip_prefix('=').map(str::trim_start);
        value.is_some_and(|value| value.trim_start_matches('n').starts_with(['\'', '"']) || value.starts_with("0x"))
    };
    let mut given = WORDS.iter().flat_map(|word| text.match_indices(word).map(|(at, word)| at + word.len()));
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    given.any(is_given) || has(&CALLS) || has(&CONNECTS) && has(&IN_CONNECTIONS)
}

/// As others may see it.
pub fn shown(text: &str) -> &str {
    if holds_password(text) { "--*PASSWORD------------" } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_with_passwords_are_told_by_their_text() {
        for text in [
            "CREATE LOGIN a WITH PASSWORD = N'x'",
            "alter login a with password='x' old_password = 'y'",
            "ALTER LOGIN a WITH Password\n=\n0x0200 HASHED",
            "EXEC sp_password 'a', 'b'",
            "CREATE CREDENTIAL c WITH IDENTITY = 'i', SECRET = N'x'",
            "CREATE SYMMETRIC KEY k ... ENCRYPTION BY PASSWORD = 'x'",
            "SELECT PWDCOMPARE(N'x', password_hash) FROM sys.sql_logins",
            "EXEC sp_setapprole 'app', 'x'",
            "EXEC sp_addlinkedsrvlogin 's', 'false', NULL, 'u', 'x'",
            "SELECT * FROM OPENROWSET('MSOLEDBSQL', 'Server=s;Uid=u;Pwd=x', 'SELECT 1')",
        ] {
            assert!(holds_password(text), "{text}");
            assert!(!shown(text).contains('x') && shown(text).starts_with("--"), "{text}");
        }
        for text in [
            "SELECT * FROM OPENROWSET(BULK 'f', SINGLE_CLOB) b",
            "SELECT password FROM users",
            "UPDATE users SET password = @p WHERE id = 1",
            "SELECT 'password'",
            "ž",
        ] {
            assert!(!holds_password(text), "{text}");
            assert_eq!(shown(text), text);
        }
    }
}
