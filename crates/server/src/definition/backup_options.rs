//! The WITH clause of BACKUP and RESTORE: which options each statement has, and what becomes of them.
//! https://learn.microsoft.com/sql/t-sql/statements/backup-transact-sql
//! https://learn.microsoft.com/sql/t-sql/statements/restore-statements-arguments-transact-sql

use sql::ast::{Expr, Literal, Setting, SettingValue};
use storage::backup::Algorithm;
use types::convert::ConvertContext;
use types::{SqlResult, sql_error};

use super::database_setting::setting_text;
use super::number::whole_number;
use super::site::Ddl;

/// Statements, a bit each.
pub const BACKUP: u8 = 1;
pub const DATABASE: u8 = 2;
pub const HEADERONLY: u8 = 4;
pub const FILELISTONLY: u8 = 8;
pub const LABELONLY: u8 = 16;
pub const VERIFYONLY: u8 = 32;
pub const BACKUP_LOG: u8 = 64;
pub const RESTORE_LOG: u8 = 128;
const BACKUPS: u8 = BACKUP | BACKUP_LOG;
const RESTORES: u8 = DATABASE | RESTORE_LOG;
const RESTORE: u8 = RESTORES | HEADERONLY | FILELISTONLY | LABELONLY | VERIFYONLY;
const ALL: u8 = BACKUPS | RESTORE;

enum Meaning {
    Switch,
    Text,
    /// From, to.
    Number(i64, i64),
    /// It says how, or is of tapes: of files on disk SQL Server ignores it as well.
    How,
    /// (ALGORITHM = name, SERVER CERTIFICATE = name)
    Encrypted,
    Refused,
}

use Meaning::{Encrypted, How, Number, Refused, Switch, Text};

/// MAXTRANSFERSIZE comes in multiples of it.
const TRANSFER_UNIT: i64 = 65_536;

const POSITIVE: Meaning = Number(1, i32::MAX as i64);

const KNOWN: &[(&str, u8, Meaning)] = &[
    ("BACKUP_OPTIONS", BACKUPS, Text),
    ("BLOCKSIZE", ALL, Number(512, 65_536)),
    ("BUFFERCOUNT", BACKUPS | RESTORES | VERIFYONLY, POSITIVE),
    ("CHECKSUM", ALL, Switch),
    ("COMPRESSION", BACKUPS, Switch),
    ("CONTINUE_AFTER_ERROR", ALL, Refused),
    ("COPY_ONLY", BACKUPS, Switch),
    ("CREDENTIAL", ALL, Text),
    ("DBNAME", RESTORE, Refused),
    ("DESCRIPTION", BACKUPS, Text),
    ("DIFFERENTIAL", BACKUP, Switch),
    ("ENABLE_BROKER", RESTORES, Refused),
    ("ENCRYPTION", BACKUPS, Encrypted),
    ("ERROR_BROKER_CONVERSATIONS", RESTORES, Refused),
    ("EXPIREDATE", BACKUPS, Text),
    ("FILE", RESTORES | HEADERONLY | FILELISTONLY | VERIFYONLY, Number(i32::MIN as i64, i32::MAX as i64)),
    ("FILESTREAM", RESTORES, Refused),
    ("FILE_SNAPSHOT", BACKUPS, Refused),
    ("FORMAT", BACKUPS, Switch),
    ("INIT", BACKUPS, Switch),
    // There is neither here, so nothing of it that a restore would remove.
    ("KEEP_CDC", RESTORES, Switch),
    ("KEEP_REPLICATION", RESTORES, Switch),
    ("LOADHISTORY", VERIFYONLY, Switch),
    ("MAXTRANSFERSIZE", BACKUPS | RESTORES | VERIFYONLY, Number(TRANSFER_UNIT, 4_194_304)),
    ("MEDIADESCRIPTION", BACKUPS, Text),
    ("MEDIANAME", ALL, Text),
    ("MEDIAPASSWORD", ALL, Refused),
    ("METADATA_ONLY", ALL, Refused),
    ("NAME", BACKUPS, Text),
    ("NEW_BROKER", RESTORES, Refused),
    ("NOFORMAT", BACKUPS, Switch),
    ("NOINIT", BACKUPS, Switch),
    ("NORECOVERY", BACKUP_LOG | RESTORES, Switch),
    ("NOREWIND", ALL, How),
    ("NOSKIP", BACKUPS, Switch),
    ("NOUNLOAD", ALL, How),
    ("NO_CHECKSUM", ALL, Switch),
    ("NO_COMPRESSION", BACKUPS, Switch),
    ("NO_ENCRYPTION", BACKUPS, Switch),
    ("NO_TRUNCATE", BACKUP_LOG, Switch),
    ("PARTIAL", DATABASE, Refused),
    ("PASSWORD", ALL, Refused),
    ("RECOVERY", RESTORES, Switch),
    ("REPLACE", RESTORES, Switch),
    // Of BACKUPS it has had no effect for long, and what RESTORE does in one piece begins anew.
    ("RESTART", BACKUPS | RESTORES, How),
    ("RESTORE_OPTIONS", RESTORE, Text),
    ("RESTRICTED_USER", DATABASE, Switch),
    ("RETAINDAYS", BACKUPS, Number(0, 99_999)),
    ("REWIND", ALL, How),
    ("SKIP", BACKUPS, Switch),
    ("SNAPSHOT", ALL, Refused),
    ("STANDBY", BACKUP_LOG | RESTORES, Text),
    ("STATS", BACKUPS | RESTORES | VERIFYONLY, Number(1, 100)),
    ("STOPAT", RESTORES, Text),
    ("STOPATMARK", RESTORES, Text),
    ("STOPBEFOREMARK", RESTORES, Text),
    ("STOP_ON_ERROR", ALL, How),
    ("UNLOAD", ALL, How),
];

/// Options of which a statement may have one only.
const OPPOSITES: [(&str, &str); 8] = [
    ("RECOVERY", "NORECOVERY"),
    ("KEEP_CDC", "NORECOVERY"),
    ("KEEP_REPLICATION", "NORECOVERY"),
    ("INIT", "NOINIT"),
    ("FORMAT", "NOFORMAT"),
    ("SKIP", "NOSKIP"),
    ("CHECKSUM", "NO_CHECKSUM"),
    ("COMPRESSION", "NO_COMPRESSION"),
];

/// Bytes of a part of an object.
const PART: (i64, i64) = (5 << 20, 20 << 20);
/// Options of objects of stores.
const OF_URLS: [&str; 3] = ["BACKUP_OPTIONS", "CREDENTIAL", "RESTORE_OPTIONS"];

/// Percent between two messages, where STATS does not say.
const STATS: i64 = 10;
/// Characters of names, and of descriptions.
const NAME_MAX: usize = 128;
const DESCRIPTION_MAX: usize = 255;
const PATH_MAX: usize = 259;
const JSON_MAX: usize = 1_024;

/// What a statement asks for.
#[derive(Default)]
pub struct Options {
    switches: Vec<&'static str>,
    texts: Vec<(&'static str, String)>,
    numbers: Vec<(&'static str, i64)>,
    /// MOVE: a file's logical name, and where it is to be.
    pub moves: Vec<(String, String)>,
    pub encryption: Option<Wrapped>,
}

/// How a set is to be encrypted, and the certificate that keeps its key.
pub struct Wrapped {
    pub algorithm: Algorithm,
    pub certificate: String,
}

impl Options {
    pub fn has(&self, name: &str) -> bool {
        self.switches.contains(&name)
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.iter().rev().find(|(known, _)| *known == name).map(|(_, text)| &**text)
    }

    pub fn number(&self, name: &str) -> Option<i64> {
        self.numbers.iter().rev().find(|(known, _)| *known == name).map(|(_, number)| *number)
    }
}

/// The options of a statement, one of those above. `verb`: BACKUP or RESTORE. 155: it is none; 3032: it is another statement's;
/// 3031: two that exclude each other; 40510: what is not there. With the statement: whether its devices are objects of stores.
pub fn read(ddl: &Ddl<'_>, settings: &[Setting], (statement, is_url): (u8, bool), verb: &str) -> SqlResult<Options> {
    expect_known(settings, verb)?;
    let mut options = Options::default();
    for setting in settings {
        let name = &*setting.name;
        if name == "MOVE" && statement & RESTORES != 0 {
            options.moves.push(moved(ddl, setting)?);
            continue;
        }
        let Some((name, of, meaning)) = KNOWN.iter().find(|(known, ..)| *known == name) else {
            return Err(sql_error!(3032, "move"));
        };
        if of & statement == 0 {
            let of_verb = if verb == "BACKUP" { BACKUPS } else { RESTORE };
            return Err(match of & of_verb {
                0 => sql_error!(155, name, verb),
                _ => sql_error!(3032, name.to_ascii_lowercase()),
            });
        }
        if !is_url && OF_URLS.contains(name) {
            return Err(sql_error!(3032, name.to_ascii_lowercase()));
        }
        let invalid = || sql_error!(3217, name);
        match meaning {
            How => {}
            Encrypted => options.encryption = Some(encrypted(&setting.value)?),
            Refused => return Err(super::unsupported(&format!("{verb} ... WITH {name}"))),
            Switch => match &setting.value {
                SettingValue::Alone => options.switches.push(name),
                // ALGORITHM, of which there is one that has no name of SQL Server's.
                SettingValue::List(..) => return Err(super::unsupported(&format!("{verb} ... WITH {name} (...)"))),
                _ => return Err(sql_error!(102, name)),
            },
            Text if name.ends_with("MARK") && matches!(setting.value, SettingValue::List(..)) => {
                let (mark, after) = marked(ddl, &setting.value).ok_or_else(invalid)?;
                options.texts.extend([(*name, mark), ("AFTER", after)]);
            }
            Text => options.texts.push((name, text(ddl, &setting.value).ok_or_else(invalid)?)),
            Number(from, to) => {
                let number = match &setting.value {
                    SettingValue::Alone if *name == "STATS" => STATS,
                    value => number(ddl, value).ok_or_else(invalid)?,
                };
                let (from, to) = match *name {
                    // Of other devices it says how, and is ignored.
                    "MAXTRANSFERSIZE" if is_url => PART,
                    _ => (*from, *to),
                };
                // "The possible values are multiples of 65536 bytes": backup-transact-sql, of devices that are files.
                let odd = *name == "MAXTRANSFERSIZE" && !is_url && number % TRANSFER_UNIT != 0;
                if odd || !(from..=to).contains(&number) {
                    return Err(sql_error!(3250, number, name));
                }
                options.numbers.push((name, number));
            }
        }
    }
    check(&options)?;
    Ok(options)
}

/// 155: one that no such statement has.
pub fn expect_known(settings: &[Setting], verb: &str) -> SqlResult<()> {
    let is_known = |name: &str| name == "MOVE" || KNOWN.iter().any(|(known, ..)| *known == name);
    match settings.iter().find(|setting| !is_known(&setting.name)) {
        Some(setting) => Err(sql_error!(155, setting.name, verb)),
        None => Ok(()),
    }
}

/// How a session's texts are read as dates.
pub fn dates(ddl: &Ddl<'_>) -> ConvertContext {
    let asked = &ddl.site.session().options;
    ConvertContext { date_format: asked.date_format, language: asked.language, ..ConvertContext::CAST }
}

fn check(options: &Options) -> SqlResult<()> {
    if let Some((one, other)) = OPPOSITES.iter().find(|(one, other)| options.has(one) && options.has(other)) {
        return Err(sql_error!(3031, other.to_ascii_lowercase(), one.to_ascii_lowercase()));
    }
    if let (Some(_), Some(other)) =
        (options.text("STANDBY"), ["RECOVERY", "NORECOVERY"].iter().find(|name| options.has(name)))
    {
        return Err(sql_error!(3031, "standby", other.to_ascii_lowercase()));
    }
    if options.number("BLOCKSIZE").is_some_and(|bytes| bytes.count_ones() != 1) {
        return Err(sql_error!(3253));
    }
    if options.encryption.is_some() && options.has("NO_ENCRYPTION") {
        return Err(sql_error!(3031, "no_encryption", "encryption"));
    }
    for (name, text) in &options.texts {
        let most = match *name {
            "BACKUP_OPTIONS" | "RESTORE_OPTIONS" => JSON_MAX,
            "STANDBY" => PATH_MAX,
            name if name.ends_with("DESCRIPTION") => DESCRIPTION_MAX,
            _ => NAME_MAX,
        };
        if text.encode_utf16().count() > most {
            return Err(sql_error!(3217, name));
        }
    }
    Ok(())
}

/// A string, a word or a variable.
fn text(ddl: &Ddl<'_>, value: &SettingValue) -> Option<String> {
    match value {
        SettingValue::Value(Expr::Variable(variable)) => ddl.site.variable(&variable.name).map(str::to_string),
        value => setting_text(value),
    }
}

fn number(ddl: &Ddl<'_>, value: &SettingValue) -> Option<i64> {
    match value {
        SettingValue::Value(Expr::Variable(variable)) => ddl.site.variable(&variable.name)?.trim().parse().ok(),
        SettingValue::Value(expr) => i64::try_from(whole_number(expr)?).ok(),
        _ => None,
    }
}

/// 40510: what is no cipher that authenticates what it encrypts. 15151: of asymmetric keys SQL Server takes those of a provider, and there is none.
fn encrypted(value: &SettingValue) -> SqlResult<Wrapped> {
    let SettingValue::List(_, parts) = value else { return Err(sql_error!(102, "ENCRYPTION")) };
    let (mut algorithm, mut certificate) = (None, None);
    for part in parts {
        let text = setting_text(&part.value).ok_or_else(|| sql_error!(102, part.name))?;
        match &*part.name {
            "ALGORITHM" => {
                algorithm = Some(match &*text.to_ascii_uppercase() {
                    "AES_128" => Algorithm::Aes128,
                    "AES_256" => Algorithm::Aes256,
                    other @ ("AES_192" | "TRIPLE_DES_3KEY") => {
                        return Err(super::unsupported(&format!("BACKUP ... WITH ENCRYPTION (ALGORITHM = {other})")));
                    }
                    _ => return Err(sql_error!(102, text)),
                });
            }
            "SERVER CERTIFICATE" => certificate = Some(text),
            "SERVER ASYMMETRIC KEY" => return Err(super::site::cannot_find("find", "asymmetric key", &text)),
            name => return Err(sql_error!(102, name)),
        }
    }
    let missing = || sql_error!(102, ")");
    Ok(Wrapped { algorithm: algorithm.ok_or_else(missing)?, certificate: certificate.ok_or_else(missing)? })
}

/// `'mark' AFTER 'time'`, as the parser gives it.
fn marked(ddl: &Ddl<'_>, value: &SettingValue) -> Option<(String, String)> {
    let SettingValue::List(_, parts) = value else { return None };
    let part = |name: &str| text(ddl, &parts.iter().find(|part| &*part.name == name)?.value);
    Some((part("MARK")?, part("AFTER")?))
}

/// `MOVE 'logical' TO 'path'`, as the parser gives it.
fn moved(ddl: &Ddl<'_>, setting: &Setting) -> SqlResult<(String, String)> {
    let SettingValue::List(_, parts) = &setting.value else { return Err(sql_error!(102, "MOVE")) };
    let part = |name: &str| {
        let found = parts.iter().find(|part| &*part.name == name).map(|part| &part.value);
        match found {
            Some(SettingValue::Value(Expr::Literal(Literal::String { text, .. }))) => Some(text.to_string()),
            Some(value) => text(ddl, value),
            None => None,
        }
    };
    match (part("FROM"), part("TO")) {
        (Some(from), Some(to)) => Ok((from, to)),
        _ => Err(sql_error!(3217, "MOVE")),
    }
}
