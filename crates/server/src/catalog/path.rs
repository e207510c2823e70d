//! Paths as users and their scripts write them.

use std::borrow::Cow;

/// With slashes between its parts: a backslash is one, too, as for SQL Server on Linux, since scripts that were made on Windows put one behind
/// whatever directory they are given. A drive's path, or another machine's, stays what it is: there is none here.
pub fn with_slashes(written: &str) -> Cow<'_, str> {
    let is_foreign = written.starts_with("\\\\") || written.as_bytes().get(1) == Some(&b':');
    match written.contains('\\') && !is_foreign {
        true => Cow::Owned(written.replace('\\', "/")),
        false => Cow::Borrowed(written),
    }
}

/// Whether it is a path of another system.
pub fn is_foreign(written: &str) -> bool {
    with_slashes(written).contains('\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_separators_count_but_not_those_of_drives() {
        for (written, read) in [
            ("/backup/a.bak", "/backup/a.bak"),
            ("/backup/\\a.bak", "/backup//a.bak"),
            ("sub\\a.bak", "sub/a.bak"),
            ("C:\\backup\\a.bak", "C:\\backup\\a.bak"),
            ("\\\\host\\share\\a.bak", "\\\\host\\share\\a.bak"),
        ] {
            assert_eq!(with_slashes(written), read);
        }
        assert!(is_foreign("C:\\backup") && is_foreign("\\\\host\\share") && !is_foreign("/a\\b"));
    }
}
