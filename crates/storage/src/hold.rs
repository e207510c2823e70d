//! Data files that nobody gets: their database is offline, or they are missing or damaged. One database stops, not the instance.
//!
//! A held file keeps its place in the table of files and in the control file. What the log says of it from `Since` on is kept in the log
//! until the file is opened again, or dropped.

use std::fmt;

/// Why nobody gets a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Hold {
    /// Somebody took its database offline.
    Offline = 1,
    /// It is missing, or cannot be opened.
    RecoveryPending = 2,
    /// It is damaged, or does not fit the log.
    Suspect = 3,
    /// It is being closed or recovered: its pages are written, and nobody gets it.
    Changing = 4,
    /// Somebody reads what is left of it. It may lack a part of the log, and nobody changes it but who repairs it.
    Emergency = 5,
}

impl Hold {
    pub fn from_byte(byte: u8) -> Option<Hold> {
        [Hold::Offline, Hold::RecoveryPending, Hold::Suspect, Hold::Changing, Hold::Emergency]
            .into_iter()
            .find(|hold| *hold as u8 == byte)
    }
}

impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hold::Offline => "OFFLINE",
            Hold::RecoveryPending => "RECOVERY_PENDING",
            Hold::Suspect => "SUSPECT",
            Hold::Changing => "RECOVERING",
            Hold::Emergency => "EMERGENCY",
        })
    }
}

/// The log that a held file lacks: what changes it from `redo_lsn` on, and who may have been unfinished then from `scan_lsn` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Since {
    pub scan_lsn: u64,
    pub redo_lsn: u64,
}

impl Since {
    /// It lacks nothing: it was closed after a checkpoint.
    pub const CLEAN: Since = Since { scan_lsn: u64::MAX, redo_lsn: u64::MAX };

    /// It lacks nothing because it is still open: its pages go with each checkpoint.
    pub const OPEN: Since = Since { scan_lsn: u64::MAX, redo_lsn: 0 };

    pub fn is_clean(self) -> bool {
        self == Since::CLEAN
    }
}

/// A file that nobody gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldFile {
    pub number: u32,
    pub database: u16,
    /// Of the database.
    pub name: String,
    pub hold: Hold,
    pub since: Since,
    pub why: String,
}
