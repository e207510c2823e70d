//! What CREATE DATABASE ... WITH and ALTER DATABASE ... SET put into a database's row.
//!
//! An option is kept only if something follows it or if nothing could (docs/statements.md says which and why); every other is refused
//! unless it asks for what is so anyway.

use sql::ast::{Expr, Literal, Setting, SettingValue};
use types::{SqlResult, sql_error};

use super::number::whole_number;
use super::site::Ddl;
use crate::catalog::base::{DatabaseRow, database_option};
use crate::catalog::load::int;
use crate::catalog::{Database, MASTER, TEMPDB};

/// A word, a name or a string.
pub fn setting_text(value: &SettingValue) -> Option<String> {
    match value {
        SettingValue::Word(word) => Some(word.to_string()),
        SettingValue::Name(name) => Some(name.name.to_string()),
        SettingValue::Value(Expr::Literal(Literal::String { text, .. })) => Some(text.to_string()),
        _ => None,
    }
}

/// What these would do nobody does: they are accepted as OFF, or as the word that says that they are not in use.
const UNUSED: &[(&str, &str)] = &[
    ("AUTOMATIC_TUNING", "OFF"),
    ("CATALOG_COLLATION", "DATABASE_DEFAULT"),
    ("CHANGE_TRACKING", "OFF"),
    ("CONTAINMENT", "NONE"),
    ("DATA_RETENTION", "OFF"),
    ("FILESTREAM", "OFF"),
    ("HADR", "OFF"),
    ("HONOR_BROKER_PRIORITY", "OFF"),
    ("LEDGER", "OFF"),
    ("NUMERIC_ROUNDABORT", "OFF"),
    ("PARTNER", "OFF"),
    ("PERSISTENT_LOG_BUFFER", "OFF"),
    ("QUERY_STORE", "OFF"),
    ("REMOTE_DATA_ARCHIVE", "OFF"),
    ("SUPPLEMENTAL_LOGGING", "OFF"),
    ("WITNESS", "OFF"),
];

/// Of these no value is possible: 40510.
const REFUSED: &[&str] = &[
    "DEFAULT_FULLTEXT_LANGUAGE",
    "DEFAULT_LANGUAGE",
    "ENABLE_BROKER",
    "ERROR_BROKER_CONVERSATIONS",
    "NESTED_TRIGGERS",
    "NEW_BROKER",
    "SUSPEND_FOR_SNAPSHOT_BACKUP",
    "TRANSFORM_NOISE_WORDS",
    "TWO_DIGIT_YEAR_CUTOFF",
];

/// Nothing could follow this: rows of decimals have one form.
const MEANINGLESS: &[&str] = &["VARDECIMAL_STORAGE_FORMAT"];

/// Id, name and value of what `sys.database_scoped_configurations` shows.
pub const SCOPED_CONFIGURATIONS: [(i32, &str, i64); 6] = [
    (1, "MAXDOP", 0),
    (2, "LEGACY_CARDINALITY_ESTIMATION", 0),
    (3, "PARAMETER_SNIFFING", 1),
    (4, "QUERY_OPTIMIZER_HOTFIXES", 0),
    (6, "IDENTITY_CACHE", 1),
    (10, INLINING, 1),
];

/// The one of them that a database chooses.
pub const INLINING: &str = "TSQL_SCALAR_UDF_INLINING";

/// The options of a Query Store, which is OFF and stays so: what `sys.database_query_store_options` shows.
pub mod query_store {
    pub const FLUSH_SECONDS: i64 = 900;
    pub const INTERVAL_MINUTES: i64 = 60;
    pub const STORAGE_MB: i64 = 1_000;
    pub const STALE_DAYS: i64 = 30;
    pub const PLANS: i64 = 200;
    pub const MODE: &str = "AUTO";
}

/// Whether options of the Query Store are asked to be what they are, as scripts of a whole database do.
fn is_query_store(options: &[Setting]) -> bool {
    options.iter().all(|option| {
        let number = match &option.value {
            SettingValue::Value(expr) => whole_number(expr),
            _ => None,
        };
        let is = |wanted: i64| number == Some(wanted.into());
        match &*option.name {
            "CLEANUP_POLICY" => matches!(&option.value, SettingValue::List(None, inner) if is_query_store(inner)),
            "STALE_QUERY_THRESHOLD_DAYS" => is(query_store::STALE_DAYS),
            "DATA_FLUSH_INTERVAL_SECONDS" => is(query_store::FLUSH_SECONDS),
            "INTERVAL_LENGTH_MINUTES" => is(query_store::INTERVAL_MINUTES),
            "MAX_STORAGE_SIZE_MB" => is(query_store::STORAGE_MB),
            "MAX_PLANS_PER_QUERY" => is(query_store::PLANS),
            "QUERY_CAPTURE_MODE" | "SIZE_BASED_CLEANUP_MODE" => {
                setting_text(&option.value).is_some_and(|word| word.eq_ignore_ascii_case(query_store::MODE))
            }
            "WAIT_STATS_CAPTURE_MODE" => option.is_off(),
            _ => false,
        }
    })
}

/// ALTER DATABASE SCOPED CONFIGURATION SET.
pub fn set_scoped(ddl: &mut Ddl<'_>, db: &Database, settings: &[Setting], secondary: bool) -> SqlResult<()> {
    for setting in settings {
        if secondary || &*setting.name != INLINING || !(setting.is_on() || setting.is_off()) {
            expect_scoped(setting)?;
            continue;
        }
        ddl.refuse_in_transaction("ALTER DATABASE")?;
        let mut row = DatabaseRow::clone(&db.row());
        set(&mut row, database_option::NO_FUNCTION_INLINING, setting.is_off());
        write(ddl, db, row)?;
    }
    Ok(())
}

/// 40510, unless ALTER DATABASE SCOPED CONFIGURATION SET asks for what is so, as scripts of a whole database do; PRIMARY: of a
/// secondary replica, for which nothing is set apart.
fn expect_scoped(setting: &Setting) -> SqlResult<()> {
    let asked = match &setting.value {
        SettingValue::On => Some(1),
        SettingValue::Off => Some(0),
        SettingValue::Value(expr) => whole_number(expr),
        _ => None,
    };
    let known = SCOPED_CONFIGURATIONS.iter().find(|(_, name, _)| *name == &*setting.name);
    let is_primary = setting_text(&setting.value).is_some_and(|word| word.eq_ignore_ascii_case("PRIMARY"));
    match known {
        Some((.., value)) if is_primary || asked == Some(i128::from(*value)) => Ok(()),
        _ => Err(super::unsupported(&format!("ALTER DATABASE SCOPED CONFIGURATION SET {}", setting.name))),
    }
}

fn refused(setting: &Setting) -> types::SqlError {
    super::unsupported(&format!("ALTER DATABASE SET {}", setting.name))
}

/// `NAME = OFF`, `NAME OFF`, `NAME (...= OFF)` or `NAME = word`. What tuning does by default is nothing:
/// https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options
fn asks_for(setting: &Setting, unused: &str) -> bool {
    match &setting.value {
        SettingValue::Off => unused == "OFF",
        SettingValue::List(word, inner) => {
            let is_default =
                |own: &Setting| setting_text(&own.value).is_some_and(|word| word.eq_ignore_ascii_case("DEFAULT"));
            let is_off = |own: &Setting| own.is_off() || &*setting.name == "AUTOMATIC_TUNING" && is_default(own);
            word.as_ref().is_some_and(|word| word.eq_ignore_ascii_case("OFF"))
                || word.is_none() && !inner.is_empty() && inner.iter().all(is_off)
        }
        value => setting_text(value).is_some_and(|word| word.eq_ignore_ascii_case(unused)),
    }
}

/// 5058: what master and tempdb are for everybody's sake.
/// https://learn.microsoft.com/sql/relational-databases/databases/master-database, "Database options", and tempdb-database
pub fn check_of_system(db: &Database, setting: &Setting) -> SqlResult<()> {
    let kept = match &*setting.name {
        "SINGLE_USER"
        | "RESTRICTED_USER"
        | "MULTI_USER"
        | "READ_ONLY"
        | "READ_WRITE"
        | "READ_COMMITTED_SNAPSHOT"
        | "AUTO_CLOSE"
        | "AUTO_SHRINK" => matches!(db.id, MASTER | TEMPDB),
        "RECOVERY" => db.id == TEMPDB,
        _ => false,
    };
    if kept { Err(sql_error!(5058, &*setting.name, db.name())) } else { Ok(()) }
}

/// 102: an unknown name or value, 40510: what is not there, 33106: encryption without a key.
pub fn apply(row: &mut DatabaseRow, setting: &Setting) -> SqlResult<()> {
    let word = || setting_text(&setting.value).map(|text| text.to_ascii_uppercase());
    let bad = || sql_error!(102, setting.name);
    let choice = |words: &[&str]| {
        let given = word().ok_or_else(bad)?;
        words.iter().position(|word| *word == given).map(|at| at as u8).ok_or_else(bad)
    };
    let name = &*setting.name;
    match (name, &setting.value) {
        ("QUERY_STORE", SettingValue::List(None, options)) if is_query_store(options) => return Ok(()),
        // There is nothing in it.
        ("QUERY_STORE", SettingValue::Word(word)) if word.eq_ignore_ascii_case("CLEAR") => return Ok(()),
        _ => {}
    }
    if let Some((_, unused)) = UNUSED.iter().find(|(known, _)| *known == name) {
        return if asks_for(setting, unused) { Ok(()) } else { Err(refused(setting)) };
    }
    if REFUSED.contains(&name) {
        return Err(refused(setting));
    }
    match name {
        "ALLOW_SNAPSHOT_ISOLATION" => row.snapshot_isolation = u8::from(setting.is_on()),
        "RECOVERY" => row.recovery_model = choice(&["FULL", "BULK_LOGGED", "SIMPLE"])? + 1,
        "PAGE_VERIFY" => row.page_verify = choice(&["NONE", "TORN_PAGE_DETECTION", "CHECKSUM"])?,
        "DELAYED_DURABILITY" => {
            // Scripts in print say FORCE.
            row.delayed_durability = choice(&["DISABLED", "ALLOWED", "FORCED", "FORCE"])?.min(2);
        }
        "COMPATIBILITY_LEVEL" => row.compatibility_level = compatibility_level(&setting.value)?,
        "TARGET_RECOVERY_TIME" => row.target_recovery_time = seconds(&setting.value).ok_or_else(bad)?,
        "MULTI_USER" => row.user_access = 0,
        "SINGLE_USER" => row.user_access = 1,
        "RESTRICTED_USER" => row.user_access = 2,
        "READ_ONLY" => set(row, database_option::READ_ONLY, true),
        "READ_WRITE" => set(row, database_option::READ_ONLY, false),
        // The first three are of its file, and `database_state` sees to them.
        "ONLINE" | "OFFLINE" | "EMERGENCY" | "DISABLE_BROKER" => {}
        "PARAMETERIZATION" => set(row, database_option::PARAMETERIZATION_FORCED, choice(&["SIMPLE", "FORCED"])? == 1),
        "CURSOR_DEFAULT" if choice(&["GLOBAL", "LOCAL"])? == 1 => return Err(refused(setting)),
        "CURSOR_DEFAULT" => {}
        "ENCRYPTION" if setting.is_on() => return Err(sql_error!(33106)),
        "ENCRYPTION" if setting.is_off() => {}
        "ENCRYPTION" => return Err(refused(setting)),
        "TEMPORAL_HISTORY_RETENTION" => set(row, database_option::NO_HISTORY_RETENTION, !setting.is_on()),
        name if MEANINGLESS.contains(&name) => {}
        name => match database_option::NAMES.iter().find(|(known, _)| *known == name) {
            Some((_, bit)) => set(row, *bit, setting.is_on()),
            None => return Err(bad()),
        },
    }
    Ok(())
}

fn compatibility_level(value: &SettingValue) -> SqlResult<u8> {
    let level = match value {
        SettingValue::Value(expr) => whole_number(expr),
        _ => None,
    };
    match level {
        Some(level @ (100 | 110 | 120 | 130 | 140 | 150 | 160)) => Ok(level as u8),
        _ => Err(sql_error!(15048, 100, 110, 120, 130, 140, 150, 160)),
    }
}

/// `60 SECONDS`, `1 MINUTES`, `60`.
fn seconds(value: &SettingValue) -> Option<i32> {
    let (number, unit) = match value {
        SettingValue::Quantity(expr, unit) => (whole_number(expr)?, &**unit),
        SettingValue::Value(expr) => (whole_number(expr)?, "SECONDS"),
        _ => return None,
    };
    let number = i32::try_from(number).ok()?;
    Some(if unit.starts_with("MINUTE") { number.saturating_mul(60) } else { number })
}

fn set(row: &mut DatabaseRow, bit: i64, on: bool) {
    row.options = if on { row.options | bit } else { row.options & !bit };
}

/// Changes the row that master has of the database.
pub fn write(ddl: &mut Ddl<'_>, db: &Database, row: DatabaseRow) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    let master = catalog.expect_database(MASTER);
    catalog.change(&master, |rows| rows.update::<DatabaseRow>(0, &[int(row.id)], |old| *old = row.clone()))?;
    db.set_row(row);
    catalog.raise_databases_version();
    catalog.raise_version();
    Ok(())
}
