//! CREATE and ALTER DATABASE, USE, BACKUP, RESTORE.

use super::{K, P, Parser, T};
use crate::ast::*;
use ::types::sql_error;

/// Options of ALTER DATABASE SET whose value is a word without an equals sign.
const WORD_OPTIONS: &[&str] =
    &["RECOVERY", "PAGE_VERIFY", "CURSOR_DEFAULT", "PARAMETERIZATION", "QUERY_STORE", "PARTNER", "HADR", "WITNESS"];

/// What ALTER DATABASE SET may be followed by; which values an option takes, and whether it can be had, is asked when it runs.
const SET_OPTIONS: &[&str] = &[
    "ACCELERATED_DATABASE_RECOVERY",
    "ALLOW_SNAPSHOT_ISOLATION",
    "ANSI_NULLS",
    "ANSI_NULL_DEFAULT",
    "ANSI_PADDING",
    "ANSI_WARNINGS",
    "ARITHABORT",
    "AUTOMATIC_TUNING",
    "AUTO_CLOSE",
    "AUTO_CREATE_STATISTICS",
    "AUTO_SHRINK",
    "AUTO_UPDATE_STATISTICS",
    "AUTO_UPDATE_STATISTICS_ASYNC",
    "CATALOG_COLLATION",
    "CHANGE_TRACKING",
    "COMPATIBILITY_LEVEL",
    "CONCAT_NULL_YIELDS_NULL",
    "CONTAINMENT",
    "CURSOR_CLOSE_ON_COMMIT",
    "CURSOR_DEFAULT",
    "DATA_RETENTION",
    "DATE_CORRELATION_OPTIMIZATION",
    "DB_CHAINING",
    "DEFAULT_FULLTEXT_LANGUAGE",
    "DEFAULT_LANGUAGE",
    "DELAYED_DURABILITY",
    "DISABLE_BROKER",
    "EMERGENCY",
    "ENABLE_BROKER",
    "ENCRYPTION",
    "ERROR_BROKER_CONVERSATIONS",
    "FILESTREAM",
    "HADR",
    "HONOR_BROKER_PRIORITY",
    "LEDGER",
    "MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT",
    "MIXED_PAGE_ALLOCATION",
    "MULTI_USER",
    "NESTED_TRIGGERS",
    "NEW_BROKER",
    "NUMERIC_ROUNDABORT",
    "OFFLINE",
    "ONLINE",
    "OPTIMIZED_LOCKING",
    "PAGE_VERIFY",
    "PARAMETERIZATION",
    "PARTNER",
    "PERSISTENT_LOG_BUFFER",
    "QUERY_STORE",
    "QUOTED_IDENTIFIER",
    "READ_COMMITTED_SNAPSHOT",
    "READ_ONLY",
    "READ_WRITE",
    "RECOVERY",
    "RECURSIVE_TRIGGERS",
    "REMOTE_DATA_ARCHIVE",
    "RESTRICTED_USER",
    "SINGLE_USER",
    "SUPPLEMENTAL_LOGGING",
    "SUSPEND_FOR_SNAPSHOT_BACKUP",
    "TARGET_RECOVERY_TIME",
    "TEMPORAL_HISTORY_RETENTION",
    "TRANSFORM_NOISE_WORDS",
    "TRUSTWORTHY",
    "TWO_DIGIT_YEAR_CUTOFF",
    "VARDECIMAL_STORAGE_FORMAT",
    "WITNESS",
];

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn use_database(&mut self) -> P<StatementKind> {
        let line = self.token.line;
        self.bump();
        if !self.module.is_empty() {
            let error = sql_error!(154, "a USE database statement", "a procedure, function or trigger");
            return Err(error.at_line(line));
        }
        Ok(StatementKind::Use(self.ident()?))
    }

    /// The current token is CREATE.
    #[inline(never)]
    pub(super) fn create_database(&mut self) -> P<StatementKind> {
        if self.peek_word(2, K::ENCRYPTION) || self.peek_word(2, K::SCOPED) {
            return self.other();
        }
        self.bump();
        self.bump();
        let mut database = CreateDatabase {
            name: self.ident()?,
            containment: None,
            primary: Vec::new(),
            filegroups: Vec::new(),
            log: Vec::new(),
            collation: None,
            snapshot_of: None,
            attach: None,
            options: Vec::new(),
        };
        loop {
            match self.keyword() {
                K::CONTAINMENT => {
                    self.bump();
                    self.expect(T::Equals)?;
                    database.containment = Some(self.ident()?);
                }
                K::ON => {
                    self.bump();
                    self.database_files(&mut database)?;
                }
                K::LOG if self.peek_word(1, K::ON) => {
                    self.bump();
                    self.bump();
                    database.log = self.list(Self::file_spec)?;
                }
                K::COLLATE => {
                    self.bump();
                    database.collation = Some(self.ident()?);
                }
                K::FOR => {
                    self.bump();
                    if !self.at(T::Word) {
                        return Err(self.unexpected());
                    }
                    database.attach = Some(self.upper_word());
                }
                K::AS => {
                    self.bump();
                    if self.eat_text("COPY") {
                        self.expect_word(K::OF)?;
                        self.object_name()?;
                    } else {
                        self.expect_word(K::SNAPSHOT)?;
                        self.expect_word(K::OF)?;
                        database.snapshot_of = Some(self.ident()?);
                    }
                }
                K::WITH => {
                    self.bump();
                    database.options = self.list(Self::loose_setting)?;
                }
                _ if self.at(T::LeftParen) => database.options = self.settings_list()?,
                _ => return Ok(StatementKind::CreateDatabase(Box::new(database))),
            }
        }
    }

    /// `[PRIMARY] (...), (...), FILEGROUP g [CONTAINS ...] [DEFAULT] (...), ...`
    fn database_files(&mut self, database: &mut CreateDatabase) -> P<()> {
        self.eat_word(K::PRIMARY);
        loop {
            if self.at(T::LeftParen) {
                let file = self.file_spec()?;
                match database.filegroups.last_mut() {
                    Some(group) => group.files.push(file),
                    None => database.primary.push(file),
                }
            } else {
                self.expect_word(K::FILEGROUP)?;
                let name = self.ident()?;
                let contains = self.filegroup_contents()?;
                let is_default = self.eat_word(K::DEFAULT);
                let mut group = Filegroup { name, contains, is_default, files: Vec::new() };
                if self.at(T::LeftParen) {
                    group.files.push(self.file_spec()?);
                }
                database.filegroups.push(group);
            }
            if !self.eat(T::Comma) {
                return Ok(());
            }
        }
    }

    fn filegroup_contents(&mut self) -> P<Option<Box<str>>> {
        if !self.eat_word(K::CONTAINS) {
            return Ok(None);
        }
        if self.at(T::Word) { Ok(Some(self.upper_word())) } else { Err(self.unexpected()) }
    }

    fn file_spec(&mut self) -> P<FileSpec> {
        Ok(FileSpec { settings: self.settings_list()? })
    }

    /// The current token is ALTER.
    #[inline(never)]
    pub(super) fn alter_database(&mut self) -> P<StatementKind> {
        if self.peek_word(2, K::SCOPED) && self.peek_word(3, K::CONFIGURATION) {
            return self.scoped_configuration();
        }
        if self.peek_word(2, K::ENCRYPTION) || self.peek_word(2, K::SCOPED) {
            return self.other();
        }
        self.bump();
        self.bump();
        let name = if self.eat_word(K::CURRENT) { None } else { Some(self.ident()?) };
        let action = match self.keyword() {
            K::SET => {
                self.bump();
                self.database_set()?
            }
            K::COLLATE => {
                self.bump();
                AlterDatabaseAction::Collate(self.ident()?)
            }
            K::ADD => {
                self.bump();
                self.database_add()?
            }
            K::REMOVE => {
                self.bump();
                if self.eat_word(K::FILEGROUP) {
                    AlterDatabaseAction::RemoveFilegroup(self.ident()?)
                } else {
                    self.expect_word(K::FILE)?;
                    AlterDatabaseAction::RemoveFile(self.ident_or_string()?)
                }
            }
            K::MODIFY => {
                self.bump();
                self.database_modify()?
            }
            _ if self.at(T::Word) && !self.token.keyword.is_reserved() => {
                let verb = self.upper_word();
                self.skip_statement()?;
                AlterDatabaseAction::Other(verb)
            }
            _ => return Err(self.unexpected()),
        };
        Ok(StatementKind::AlterDatabase(Box::new(AlterDatabase { name, action })))
    }

    fn database_add(&mut self) -> P<AlterDatabaseAction> {
        if self.eat_words(K::LOG, K::FILE) {
            return Ok(AlterDatabaseAction::AddLogFile(self.list(Self::file_spec)?));
        }
        if self.eat_word(K::FILEGROUP) {
            let name = self.ident()?;
            return Ok(AlterDatabaseAction::AddFilegroup { name, contains: self.filegroup_contents()? });
        }
        self.expect_word(K::FILE)?;
        let files = self.list(Self::file_spec)?;
        let mut filegroup = None;
        if self.eat_words(K::TO, K::FILEGROUP) {
            filegroup = Some(self.ident_or_string()?);
        }
        Ok(AlterDatabaseAction::AddFile { files, filegroup })
    }

    fn database_modify(&mut self) -> P<AlterDatabaseAction> {
        if self.eat_word(K::NAME) {
            self.expect(T::Equals)?;
            return Ok(AlterDatabaseAction::ModifyName(self.ident()?));
        }
        if self.eat_word(K::FILE) {
            return Ok(AlterDatabaseAction::ModifyFile(self.file_spec()?));
        }
        if self.at(T::LeftParen) {
            self.settings_list()?;
            return Ok(AlterDatabaseAction::Other("MODIFY".into()));
        }
        self.expect_word(K::FILEGROUP)?;
        let name = self.ident()?;
        let property = self.loose_setting()?;
        Ok(AlterDatabaseAction::ModifyFilegroup { name, property })
    }

    fn database_set(&mut self) -> P<AlterDatabaseAction> {
        let settings = self.list(|parser| {
            let line = parser.token.line;
            if !SET_OPTIONS.iter().any(|option| parser.at_text(option)) {
                return Err(parser.unexpected());
            }
            let takes_word = WORD_OPTIONS.iter().any(|word| parser.at_text(word));
            let next = parser.peek(1);
            if takes_word && next.kind == T::Word && !matches!(next.keyword, K::ON | K::OFF) {
                let name = parser.upper_word();
                let value = SettingValue::Word(parser.any_word()?);
                // QUERY_STORE CLEAR ALL, HADR AVAILABILITY GROUP = name
                if !parser.eat_word(K::ALL) && parser.eat_word(K::GROUP) {
                    parser.expect(T::Equals)?;
                    return Ok(Setting { name, value: SettingValue::Word(parser.ident()?), line });
                }
                return Ok(Setting { name, value, line });
            }
            parser.loose_setting()
        })?;
        let mut termination = None;
        if self.at_word(K::WITH) {
            self.bump();
            termination = Some(if self.eat_word(K::NO_WAIT) {
                Termination::NoWait
            } else {
                self.expect_word(K::ROLLBACK)?;
                if self.eat_word(K::IMMEDIATE) {
                    Termination::RollbackImmediate
                } else {
                    self.expect_word(K::AFTER)?;
                    let seconds = self.constant()?;
                    if self.at_text("SECONDS") {
                        self.bump();
                    }
                    Termination::RollbackAfter(seconds)
                }
            });
        }
        Ok(AlterDatabaseAction::Set { settings, termination })
    }

    /// `ALTER DATABASE SCOPED CONFIGURATION [FOR SECONDARY] SET a = b`
    #[inline(never)]
    fn scoped_configuration(&mut self) -> P<StatementKind> {
        for _ in 0..4 {
            self.bump();
        }
        let mut secondary = false;
        if self.eat_word(K::FOR) {
            self.expect_text("SECONDARY")?;
            secondary = true;
        }
        let clear = self.eat_text("CLEAR");
        if !clear {
            self.expect_word(K::SET)?;
        }
        let settings = vec![self.loose_setting()?];
        let action = AlterDatabaseAction::ScopedConfiguration { secondary, clear, settings };
        Ok(StatementKind::AlterDatabase(Box::new(AlterDatabase { name: None, action })))
    }

    fn database_ref(&mut self) -> P<DatabaseRef> {
        if self.at(T::Variable) {
            Ok(DatabaseRef::Variable(self.variable()?))
        } else {
            Ok(DatabaseRef::Name(self.ident()?))
        }
    }

    /// `FILE = 'a', FILEGROUP = 'b', READ_WRITE_FILEGROUPS` between the database and TO or FROM.
    fn backup_files(&mut self) -> P<Vec<Setting>> {
        if self.at_any(&[K::TO, K::FROM, K::WITH]) || !self.at(T::Word) {
            return Ok(Vec::new());
        }
        let known = ["READ_WRITE_FILEGROUPS", "PAGE", "FILE", "FILEGROUP"].iter().any(|word| self.at_text(word));
        if known { self.list(Self::loose_setting) } else { Ok(Vec::new()) }
    }

    fn backup_device(&mut self) -> P<BackupDevice> {
        if self.at(T::Variable) {
            return Ok(BackupDevice::Variable(self.variable()?));
        }
        if self.at(T::Word) && self.peek_is(1, T::Equals) {
            let kind = self.upper_word();
            self.bump();
            return Ok(BackupDevice::File(kind, self.string_or_variable()?));
        }
        Ok(BackupDevice::Logical(self.ident_or_string()?))
    }

    #[inline(never)]
    pub(super) fn backup(&mut self) -> P<StatementKind> {
        let next = self.peek(1);
        let log = match next.keyword {
            K::DATABASE => false,
            K::LOG | K::TRAN | K::TRANSACTION => true,
            K::CERTIFICATE => return self.backup_certificate(),
            _ if self.is_other_kind(next.keyword) => return self.other(),
            _ => {
                self.bump();
                return Err(self.unexpected());
            }
        };
        self.bump();
        self.bump();
        let database = self.database_ref()?;
        let files = self.backup_files()?;
        let mut backup = Backup { log, database, files, devices: Vec::new(), mirrors: Vec::new(), options: Vec::new() };
        if self.eat_word(K::TO) {
            backup.devices = self.list(Self::backup_device)?;
        }
        while self.at_word(K::MIRROR) {
            self.bump();
            self.expect_word(K::TO)?;
            backup.mirrors.push(self.list(Self::backup_device)?);
        }
        if self.eat_word(K::WITH) {
            backup.options = self.list(Self::loose_setting)?;
        }
        Ok(StatementKind::Backup(Box::new(backup)))
    }

    #[inline(never)]
    pub(super) fn restore(&mut self) -> P<StatementKind> {
        let next = self.peek(1);
        let kind = match next.keyword {
            K::DATABASE => RestoreKind::Database,
            K::LOG | K::TRAN | K::TRANSACTION => RestoreKind::Log,
            _ => match self.token_text(next).to_ascii_uppercase().as_str() {
                "HEADERONLY" => RestoreKind::HeaderOnly,
                "FILELISTONLY" => RestoreKind::FileListOnly,
                "LABELONLY" => RestoreKind::LabelOnly,
                "VERIFYONLY" => RestoreKind::VerifyOnly,
                "REWINDONLY" => RestoreKind::RewindOnly,
                _ if self.is_other_kind(next.keyword) => return self.other(),
                _ => {
                    self.bump();
                    return Err(self.unexpected());
                }
            },
        };
        self.bump();
        self.bump();
        let mut restore = Restore { kind, database: None, files: Vec::new(), devices: Vec::new(), options: Vec::new() };
        if matches!(kind, RestoreKind::Database | RestoreKind::Log) {
            restore.database = Some(self.database_ref()?);
            restore.files = self.backup_files()?;
        }
        if self.eat_word(K::FROM) {
            restore.devices = self.list(Self::backup_device)?;
        }
        if self.eat_word(K::WITH) {
            restore.options = self.list(Self::restore_option)?;
        }
        Ok(StatementKind::Restore(Box::new(restore)))
    }

    /// Also `MOVE 'logical' TO 'file'`.
    fn restore_option(&mut self) -> P<Setting> {
        if !self.at_word(K::MOVE) {
            let mut setting = self.loose_setting()?;
            // STOPATMARK = 'x' AFTER 'time'
            if self.eat_word(K::AFTER) {
                let after = SettingValue::Value(self.string_or_variable()?);
                let line = setting.line;
                let entry = |name: &str, value| Setting { name: name.into(), value, line };
                setting.value = SettingValue::List(None, vec![entry("MARK", setting.value), entry("AFTER", after)]);
            }
            return Ok(setting);
        }
        let line = self.token.line;
        self.bump();
        let from = self.string_or_variable()?;
        self.expect_word(K::TO)?;
        let to = self.string_or_variable()?;
        let entry = |name: &str, value| Setting { name: name.into(), value: SettingValue::Value(value), line };
        let value = SettingValue::List(None, vec![entry("FROM", from), entry("TO", to)]);
        Ok(Setting { name: "MOVE".into(), value, line })
    }
}
