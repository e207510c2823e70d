//! Audits and specifications as they are kept: `audits.toml` in the data directory, written after each change, read at a start.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// There may be so many of each.
pub const ENTRIES_MAX: usize = 1_000;

const HEADER: &str = "# Server audits and audit specifications. Written by the server: change them there.\n\n";

/// What becomes of what cannot be audited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    Continue,
    Shutdown,
    FailOperation,
}

impl OnFailure {
    /// `on_failure` and `on_failure_desc` of sys.server_audits.
    pub fn shown(self) -> (i64, &'static str) {
        match self {
            OnFailure::Continue => (0, "CONTINUE"),
            OnFailure::Shutdown => (1, "SHUTDOWN SERVER INSTANCE"),
            OnFailure::FailOperation => (2, "FAIL_OPERATION"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    pub id: i32,
    pub name: String,
    /// As SQL Server writes it, in capitals.
    pub guid: String,
    pub directory: String,
    /// Of a file. 0: no limit.
    pub bytes_max: u64,
    /// Older files that are kept; the oldest goes. None: all are.
    pub rollover_files_max: Option<u32>,
    /// Files there may be; then writing fails. None: no limit.
    pub files_max: Option<u32>,
    pub reserve: bool,
    /// Milliseconds; 0: at once.
    pub queue_delay: i64,
    pub on_failure: OnFailure,
    pub enabled: bool,
    /// Local time, in ticks since 0001-01-01.
    pub created: i64,
    pub modified: i64,
    pub principal: i32,
}

/// What a specification audits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    /// Name of a group or of an action.
    pub action: String,
    /// None: a group.
    #[serde(default)]
    pub on: Option<On>,
}

/// What an action is done on, and by whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct On {
    pub securable: Securable,
    /// A principal of the database; 0 is public.
    pub principal: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Securable {
    Database,
    Schema(i32),
    Object(i32),
}

impl Securable {
    /// `class`, `class_desc` and `major_id` of the details.
    pub fn shown(self) -> (i64, &'static str, i64) {
        match self {
            Securable::Database => (0, "DATABASE", 0),
            Securable::Object(id) => (1, "OBJECT_OR_COLUMN", id.into()),
            Securable::Schema(id) => (3, "SCHEMA", id.into()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Specification {
    pub id: i32,
    pub name: String,
    /// None: the server's.
    #[serde(default)]
    pub database: Option<u16>,
    /// Of its audit.
    pub guid: String,
    pub enabled: bool,
    pub created: i64,
    pub modified: i64,
    #[serde(default)]
    pub wanted: Vec<Wanted>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Setup {
    /// The number that was given last.
    pub last_id: i32,
    #[serde(rename = "audit")]
    pub audits: Vec<Audit>,
    #[serde(rename = "specification")]
    pub specifications: Vec<Specification>,
}

impl Setup {
    pub fn read(file: &Path) -> Result<Setup, String> {
        if !os::fs::exists(file) {
            return Ok(Setup::default());
        }
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = os::fs::read_text(file).map_err(|error| failed(&error))?;
        toml::from_str(&text).map_err(|error| failed(&error))
    }

    pub fn write(&self, file: &Path) -> std::io::Result<()> {
        let text = toml::to_string(self).expect("plain tables are TOML");
        os::fs::write(file, (HEADER.to_owned() + &text).as_bytes())
    }

    pub fn path(directory: &Path) -> PathBuf {
        directory.join("audits.toml")
    }

    pub fn audit(&self, name: &str) -> Option<&Audit> {
        self.audits.iter().find(|audit| audit.name.eq_ignore_ascii_case(name))
    }

    pub fn audit_of(&self, guid: &str) -> Option<&Audit> {
        self.audits.iter().find(|audit| audit.guid == guid)
    }

    pub fn specification(&self, database: Option<u16>, name: &str) -> Option<&Specification> {
        let same = |found: &&Specification| found.database == database && found.name.eq_ignore_ascii_case(name);
        self.specifications.iter().find(same)
    }

    pub fn next_id(&mut self) -> i32 {
        self.last_id = self.last_id.max(65_535) + 1;
        self.last_id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back() {
        let directory = os::fs::temporary("audits");
        os::fs::create_dir_all(&directory).expect("made");
        let file = Setup::path(&directory);
        assert_eq!(Setup::read(&file), Ok(Setup::default()));
        let mut setup = Setup::default();
        let id = setup.next_id();
        setup.audits.push(Audit {
            id,
            name: "a".into(),
            guid: "G".into(),
            directory: "/tmp".into(),
            bytes_max: 0,
            rollover_files_max: Some(3),
            files_max: None,
            reserve: false,
            queue_delay: 1000,
            on_failure: OnFailure::FailOperation,
            enabled: true,
            created: 1,
            modified: 2,
            principal: 1,
        });
        let on = |securable| Some(On { securable, principal: 0 });
        let wanted = [on(Securable::Object(7)), on(Securable::Schema(1)), on(Securable::Database), None]
            .map(|on| Wanted { action: "SELECT".into(), on });
        let id = setup.next_id();
        setup.specifications.push(Specification {
            id,
            name: "s".into(),
            database: Some(5),
            guid: "G".into(),
            enabled: false,
            created: 1,
            modified: 2,
            wanted: wanted.into(),
        });
        setup.write(&file).expect("written");
        assert_eq!(Setup::read(&file).as_ref(), Ok(&setup));
        assert!(setup.audit("A").is_some() && setup.specification(Some(5), "S").is_some());
        assert!(setup.specification(None, "s").is_none());
        os::fs::remove_dir_all(&directory).expect("removed");
    }
}
