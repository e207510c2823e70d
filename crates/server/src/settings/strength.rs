//! What makes a password good enough under CHECK_POLICY, and as sa's: Windows' rules of complexity.

use types::{SqlError, SqlResult, sql_error};

/// Of any password, with a policy or without.
pub const LENGTH_MAX: usize = 128;

/// Account names shorter than this may be part of a password, as on Windows: nearly every one has some two letters.
const NAME_LENGTH_MIN: usize = 3;

/// Passwords that are none.
const KNOWN: [&str; 5] = ["password", "admin", "administrator", "sa", "sysadmin"];

/// Why a password is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weak {
    TooShort,
    NotComplex,
}

impl Weak {
    /// 15116, 15118: of ALTER LOGIN and the like.
    pub fn error(self) -> SqlError {
        match self {
            Weak::TooShort => sql_error!(15116),
            Weak::NotComplex => sql_error!(15118),
        }
    }

    /// As SQL Server's setup words it.
    pub fn of_setup(self) -> &'static str {
        match self {
            Weak::TooShort => {
                "Unable to set system administrator password: Password validation failed. The password does not meet SQL Server password \
                 policy requirements because it is too short. The password must be at least 8 characters."
            }
            Weak::NotComplex => {
                "Unable to set system administrator password: Password validation failed. The password does not meet SQL Server password \
                 policy requirements because it is not complex enough. The password must be at least 8 characters long and contain \
                 characters from three of the following four sets: Uppercase letters, Lowercase letters, Base 10 digits, and Symbols."
            }
        }
    }
}

/// 15156.
pub fn check_length(password: &str) -> SqlResult<()> {
    if password.encode_utf16().count() > LENGTH_MAX { Err(sql_error!(15156, LENGTH_MAX)) } else { Ok(()) }
}

/// Whether a password of that login is good enough.
pub fn check(password: &str, login: &str, server: &str, length_min: usize) -> Result<(), Weak> {
    if password.chars().count() < length_min {
        return Err(Weak::TooShort);
    }
    let kinds: [fn(char) -> bool; 4] =
        [char::is_uppercase, char::is_lowercase, |c| c.is_numeric(), |c| !c.is_alphanumeric()];
    let used = kinds.iter().filter(|kind| password.chars().any(kind)).count();
    let lower = password.to_lowercase();
    let holds_name = login.chars().count() >= NAME_LENGTH_MIN && lower.contains(&login.to_lowercase());
    let is_name = [login, server].iter().any(|name| lower == name.to_lowercase());
    if used < 3 || holds_name || is_name || KNOWN.contains(&lower.as_str()) {
        return Err(Weak::NotComplex);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_have_three_kinds_of_letters_and_no_name() {
        let check = |password: &str| check(password, "fritz", "Loom-1", 8);
        assert_eq!(check("Sh0rt!"), Err(Weak::TooShort));
        assert_eq!(check("onlyletters"), Err(Weak::NotComplex));
        assert_eq!(check("Only2kinds"), Ok(()));
        assert_eq!(check("lower1only"), Err(Weak::NotComplex));
        assert_eq!(check("my-Fritz-1"), Err(Weak::NotComplex));
        assert_eq!(super::check("Sampler-1", "sa", "Loom-1", 8), Ok(()), "sa is too short a name to be looked for");
        assert_eq!(super::check("Password1", "password1", "x", 8), Err(Weak::NotComplex));
        assert_eq!(super::check("lOOm-1", "fritz", "Loom-1", 4), Err(Weak::NotComplex));
        assert!(check_length(&"x".repeat(128)).is_ok() && check_length(&"x".repeat(129)).is_err());
    }
}
