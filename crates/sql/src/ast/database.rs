//! CREATE and ALTER DATABASE, BACKUP, RESTORE.

use super::{Expr, Ident, Setting, SettingValue, Variable};

#[derive(Debug, Clone, PartialEq)]
pub struct CreateDatabase {
    pub name: Ident,
    /// NONE, PARTIAL
    pub containment: Option<Ident>,
    pub primary: Vec<FileSpec>,
    pub filegroups: Vec<Filegroup>,
    pub log: Vec<FileSpec>,
    pub collation: Option<Ident>,
    /// `AS SNAPSHOT OF source`
    pub snapshot_of: Option<Ident>,
    /// ATTACH, ATTACH_REBUILD_LOG, in capitals
    pub attach: Option<Box<str>>,
    pub options: Vec<Setting>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Filegroup {
    pub name: Ident,
    /// CONTAINS FILESTREAM, CONTAINS MEMORY_OPTIMIZED_DATA
    pub contains: Option<Box<str>>,
    pub is_default: bool,
    pub files: Vec<FileSpec>,
}

/// `(NAME = x, FILENAME = 'f', SIZE = 10 MB, ...)`
#[derive(Debug, Clone, PartialEq)]
pub struct FileSpec {
    pub settings: Vec<Setting>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AlterDatabase {
    /// None: CURRENT.
    pub name: Option<Ident>,
    pub action: AlterDatabaseAction,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AlterDatabaseAction {
    Set {
        settings: Vec<Setting>,
        termination: Option<Termination>,
    },
    Collate(Ident),
    ModifyName(Ident),
    AddFile {
        files: Vec<FileSpec>,
        filegroup: Option<Ident>,
    },
    AddLogFile(Vec<FileSpec>),
    RemoveFile(Ident),
    ModifyFile(FileSpec),
    AddFilegroup {
        name: Ident,
        contains: Option<Box<str>>,
    },
    RemoveFilegroup(Ident),
    /// READ_ONLY, DEFAULT, NAME = x ...
    ModifyFilegroup {
        name: Ident,
        property: Setting,
    },
    /// `SCOPED CONFIGURATION [FOR SECONDARY] SET a = b | CLEAR ...`
    ScopedConfiguration {
        secondary: bool,
        clear: bool,
        settings: Vec<Setting>,
    },
    /// SCOPED CREDENTIAL, AUDIT SPECIFICATION, ENCRYPTION KEY, MODIFY (...) and other rare forms.
    Other(Box<str>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Termination {
    RollbackImmediate,
    /// Seconds.
    RollbackAfter(Expr),
    NoWait,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Backup {
    /// LOG, else DATABASE
    pub log: bool,
    pub database: DatabaseRef,
    /// FILE = , FILEGROUP = , READ_WRITE_FILEGROUPS
    pub files: Vec<Setting>,
    pub devices: Vec<BackupDevice>,
    pub mirrors: Vec<Vec<BackupDevice>>,
    pub options: Vec<Setting>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum DatabaseRef {
    Name(Ident),
    Variable(Variable),
}

#[derive(Debug, Clone, PartialEq)]
pub enum BackupDevice {
    /// DISK, TAPE, URL, VIRTUAL_DEVICE, DATABASE_SNAPSHOT in capitals, and the path.
    File(Box<str>, Expr),
    Logical(Ident),
    Variable(Variable),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Restore {
    pub kind: RestoreKind,
    pub database: Option<DatabaseRef>,
    pub files: Vec<Setting>,
    pub devices: Vec<BackupDevice>,
    pub options: Vec<Setting>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestoreKind {
    Database,
    Log,
    HeaderOnly,
    FileListOnly,
    LabelOnly,
    VerifyOnly,
    RewindOnly,
}

impl Backup {
    /// Calls `each` with the variables that it names.
    pub fn variables<'a>(&'a self, each: &mut dyn FnMut(&'a Variable)) {
        of_reference(&self.database, each);
        self.devices.iter().chain(self.mirrors.iter().flatten()).for_each(|device| of_device(device, each));
        self.files.iter().chain(&self.options).for_each(|setting| of_value(&setting.value, each));
    }
}

impl Restore {
    /// Calls `each` with the variables that it names.
    pub fn variables<'a>(&'a self, each: &mut dyn FnMut(&'a Variable)) {
        self.database.iter().for_each(|database| of_reference(database, each));
        self.devices.iter().for_each(|device| of_device(device, each));
        self.files.iter().chain(&self.options).for_each(|setting| of_value(&setting.value, each));
    }
}

fn of_reference<'a>(database: &'a DatabaseRef, each: &mut dyn FnMut(&'a Variable)) {
    if let DatabaseRef::Variable(variable) = database {
        each(variable);
    }
}

fn of_device<'a>(device: &'a BackupDevice, each: &mut dyn FnMut(&'a Variable)) {
    match device {
        BackupDevice::File(_, Expr::Variable(variable)) | BackupDevice::Variable(variable) => each(variable),
        BackupDevice::File(..) | BackupDevice::Logical(_) => {}
    }
}

fn of_value<'a>(value: &'a SettingValue, each: &mut dyn FnMut(&'a Variable)) {
    match value {
        SettingValue::Value(Expr::Variable(variable)) | SettingValue::Quantity(Expr::Variable(variable), _) => {
            each(variable);
        }
        SettingValue::List(_, settings) => settings.iter().for_each(|setting| of_value(&setting.value, each)),
        _ => {}
    }
}
