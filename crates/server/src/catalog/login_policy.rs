//! What the password policy keeps of a login beside its row: when its password was set, since when it is locked, its former hashes.
//! A row of master's `sysclsobjs`: `created` when the password was set, `modified` since when it is locked, `value` the hashes.

use types::SqlResult;

use super::base::{ClassRow, class};
use super::load::{int, small};
use super::row::{Date, Text};
use super::store::Rows;

/// Bits of the row's `status`.
const MUST_CHANGE: i32 = 1;
const LOCKED: i32 = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginPolicy {
    pub password_set: Date,
    pub locked: Option<Date>,
    pub must_change: bool,
    /// The newest first: that of the present password.
    pub history: Vec<Box<[u8]>>,
}

impl LoginPolicy {
    pub fn new(password_set: Date) -> LoginPolicy {
        LoginPolicy { password_set, locked: None, must_change: false, history: Vec::new() }
    }

    /// None: of a login that is older than this.
    pub fn read(rows: &mut Rows<'_>, login: i32) -> SqlResult<Option<LoginPolicy>> {
        let row: Option<ClassRow> = rows.first(0, &[small(class::LOGIN_POLICY), int(login)])?;
        Ok(row.map(|row| LoginPolicy {
            password_set: row.created,
            locked: (row.status & LOCKED != 0).then_some(row.modified),
            must_change: row.status & MUST_CHANGE != 0,
            history: row.value.0.iter().flat_map(|text| text.split(' ')).filter_map(bytes_of).collect(),
        }))
    }

    pub fn write(&self, rows: &mut Rows<'_>, login: i32) -> SqlResult<()> {
        let hashes: Vec<String> = self.history.iter().map(|hash| hex_of(hash)).collect();
        let new = ClassRow {
            class: class::LOGIN_POLICY,
            id: login,
            name: login.to_string(),
            owner: 1,
            created: self.password_set,
            modified: self.locked.unwrap_or(self.password_set),
            status: i32::from(self.must_change) * MUST_CHANGE + i32::from(self.locked.is_some()) * LOCKED,
            value: Text((!hashes.is_empty()).then(|| hashes.join(" "))),
        };
        let changed =
            rows.update::<ClassRow>(0, &[small(class::LOGIN_POLICY), int(login)], |row| *row = new.clone())?;
        if changed == 0 { rows.insert(&new) } else { Ok(()) }
    }

    pub fn delete(rows: &mut Rows<'_>, login: i32) -> SqlResult<()> {
        rows.delete::<ClassRow>(0, &[small(class::LOGIN_POLICY), int(login)])?;
        Ok(())
    }
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn bytes_of(hex: &str) -> Option<Box<[u8]>> {
    let pairs = hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    pairs.collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.is_empty()).map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_kept_as_text() {
        assert_eq!(hex_of(&[0, 0xFF, 0x1A]), "00FF1A");
        assert_eq!(bytes_of("00FF1A").as_deref(), Some(&[0, 0xFF, 0x1A][..]));
        assert_eq!((bytes_of(""), bytes_of("zz")), (None, None));
    }
}
