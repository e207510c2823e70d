//! RESTORE HEADERONLY, FILELISTONLY and LABELONLY: what a file of backups says of itself. Columns, types and order are those of SQL Server
//! 2022.
//! https://learn.microsoft.com/sql/t-sql/statements/restore-statements-headeronly-transact-sql
//! https://learn.microsoft.com/sql/t-sql/statements/restore-statements-filelistonly-transact-sql
//! https://learn.microsoft.com/sql/t-sql/statements/restore-statements-labelonly-transact-sql

use sql::plan::OutputColumn;
use storage::backup::{Set, SetKind};
use types::{CollationId, Datum, Physical, RowBatch, SqlResult, SqlType};

use super::backup_about::About;
use super::backup_history::{
    PAGE_BYTES, covered, finished, first_lsn, has_pages, is_read_only, is_single_user, log_pages, started,
    stored_bytes, whole_bytes,
};
use super::site::Ddl;
use crate::catalog::family::Guid;
use crate::catalog::row::{Date, text_datum};

/// Of a file on disk, and of an object of a store.
const DISK: i64 = 2;
const URL: i64 = 9;
/// Whoever writes this format says so.
const SOFTWARE: &str = "Heddle";
/// What SQL Server writes as its own number, 0x1200, which tools look for.
const VENDOR: i64 = 4_608;
/// As `DATABASEPROPERTYEX(..., 'Version')` and the server's version say.
const DATABASE_VERSION: i64 = 957;
const VERSION: (i64, i64, i64) = (16, 0, 4_003);
const QUARTER_MINUTES: i64 = 15;

const NAME: SqlType = SqlType::nvarchar(128);
const TEXT: SqlType = SqlType::nvarchar(255);
const WORD: SqlType = SqlType::nvarchar(60);
const SHORT: SqlType = SqlType::nvarchar(32);
const SIZE: SqlType = SqlType::decimal(20, 0);
const LSN: SqlType = SqlType::decimal(25, 0);

/// Column by column: name, type and value.
type Row = Vec<(&'static str, SqlType, Datum)>;

fn number(value: impl Into<i64>) -> Datum {
    Datum::I64(value.into())
}

fn whole(value: u64) -> Datum {
    Datum::I128(value.into())
}

fn text(text: &str) -> Datum {
    text_datum(text)
}

fn maybe(value: Option<&str>) -> Datum {
    value.map_or(Datum::Null, text_datum)
}

fn id(id: &Guid) -> Datum {
    Datum::I128(i128::from_le_bytes(*id))
}

fn date(date: Date) -> Datum {
    Datum::I64(date.0)
}

/// Sends rows, which all have the same columns.
fn send(ddl: &mut Ddl<'_>, rows: &[Row]) -> SqlResult<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let collation: CollationId = ddl.catalog.collation;
    let typed = |ty: &SqlType| if ty.is_string() { ty.with_collation(collation) } else { *ty };
    let columns: Vec<OutputColumn> =
        first.iter().map(|(name, ty, _)| OutputColumn::plain(name, typed(ty), true)).collect();
    let mut batch = RowBatch::new(columns.iter().map(|column| column.ty.physical()));
    for row in rows {
        for ((_, ty, value), column) in row.iter().zip(&mut batch.columns) {
            debug_assert!(
                value.is_null()
                    || matches!(
                        (value, ty.physical()),
                        (Datum::I64(_), Physical::I64)
                            | (Datum::I128(_), Physical::I128)
                            | (Datum::Bytes(_), Physical::Bytes)
                    )
            );
            column.push(value);
        }
        batch.rows += 1;
    }
    ddl.site.result(&columns, &batch)
}

/// Of each set: its position in the file, what storage and what the server says of it.
pub fn headers(ddl: &mut Ddl<'_>, sets: &[(usize, Set, About)], is_url: bool) -> SqlResult<()> {
    let kind = if is_url { URL } else { DISK };
    let rows: Vec<Row> = sets.iter().map(|(position, set, about)| header((*position, kind), set, about)).collect();
    send(ddl, &rows)
}

fn header((position, device): (usize, i64), set: &Set, about: &About) -> Row {
    let row = &about.row;
    let (read_only, single_user) = (is_read_only(row), is_single_user(row));
    const WITH_CHECKSUMS: i64 = 16;
    let (closes, is_incomplete) = (about.closes(), about.is_incomplete());
    let flags = [
        (has_pages(set), 1),
        (read_only, 4),
        (single_user, 8),
        (true, WITH_CHECKSUMS),
        (closes || is_incomplete, 64),
        (is_incomplete, 128),
        (closes, 256),
    ];
    let flags: i64 = flags.iter().filter(|(is_so, _)| *is_so).map(|(_, bit)| bit).sum();
    let recovery_model = match row.recovery_model {
        1 => "FULL",
        2 => "BULK-LOGGED",
        _ => "SIMPLE",
    };
    let offset = i64::from(about.offset_minutes) / QUARTER_MINUTES;
    let (kind, described) = match set.head.kind {
        SetKind::Full => (1, "Database"),
        SetKind::Log => (2, "Transaction Log"),
        SetKind::Differential => (5, "Database Differential"),
    };
    let is_differential = set.head.kind == SetKind::Differential;
    let base = |value: Datum| if is_differential { value } else { Datum::Null };
    vec![
        ("BackupName", NAME, maybe(about.name.as_deref())),
        ("BackupDescription", TEXT, maybe(about.description.as_deref())),
        ("BackupType", SqlType::SMALLINT, number(kind)),
        ("ExpirationDate", SqlType::DATETIME, about.expires.map_or(Datum::Null, date)),
        ("Compressed", SqlType::TINYINT, number(about.compressed)),
        ("Position", SqlType::SMALLINT, number(i64::try_from(position).unwrap_or(i64::MAX).min(i16::MAX.into()))),
        ("DeviceType", SqlType::TINYINT, number(device)),
        ("UserName", NAME, text(&about.user)),
        ("ServerName", NAME, text(&about.server)),
        ("DatabaseName", NAME, text(&row.name)),
        ("DatabaseVersion", SqlType::INT, number(DATABASE_VERSION)),
        ("DatabaseCreationDate", SqlType::DATETIME, date(row.created)),
        ("BackupSize", SIZE, whole(whole_bytes(set, about))),
        ("FirstLSN", LSN, whole(first_lsn(set, about))),
        ("LastLSN", LSN, whole(set.tail.end_lsn)),
        ("CheckpointLSN", LSN, whole(set.head.redo_lsn)),
        ("DatabaseBackupLSN", LSN, whole(set.head.base_lsn)),
        ("BackupStartDate", SqlType::DATETIME, date(started(set))),
        ("BackupFinishDate", SqlType::DATETIME, date(finished(set))),
        ("SortOrder", SqlType::SMALLINT, number(0)),
        ("CodePage", SqlType::SMALLINT, number(0)),
        ("UnicodeLocaleId", SqlType::INT, number(1033)),
        ("UnicodeComparisonStyle", SqlType::INT, number(196_609)),
        ("CompatibilityLevel", SqlType::TINYINT, number(row.compatibility_level)),
        ("SoftwareVendorId", SqlType::INT, number(VENDOR)),
        ("SoftwareVersionMajor", SqlType::INT, number(VERSION.0)),
        ("SoftwareVersionMinor", SqlType::INT, number(VERSION.1)),
        ("SoftwareVersionBuild", SqlType::INT, number(VERSION.2)),
        ("MachineName", NAME, text(&about.machine)),
        ("Flags", SqlType::INT, number(flags)),
        ("BindingID", SqlType::UNIQUEIDENTIFIER, id(&about.database)),
        ("RecoveryForkID", SqlType::UNIQUEIDENTIFIER, id(&about.database)),
        ("Collation", NAME, text(&row.collation)),
        ("FamilyGUID", SqlType::UNIQUEIDENTIFIER, id(&about.database_family)),
        ("HasBulkLoggedData", SqlType::BIT, number(has_pages(set))),
        ("IsSnapshot", SqlType::BIT, number(false)),
        ("IsReadOnly", SqlType::BIT, number(read_only)),
        ("IsSingleUser", SqlType::BIT, number(single_user)),
        // Every set has them, whatever the statement said.
        ("HasBackupChecksums", SqlType::BIT, number(true)),
        ("IsDamaged", SqlType::BIT, number(false)),
        ("BeginsLogChain", SqlType::BIT, number(about.begins_chain)),
        ("HasIncompleteMetaData", SqlType::BIT, number(is_incomplete)),
        ("IsForceOffline", SqlType::BIT, number(closes)),
        ("IsCopyOnly", SqlType::BIT, number(about.copy_only)),
        (
            "FirstRecoveryForkID",
            SqlType::UNIQUEIDENTIFIER,
            id(&about.fork.map_or(about.database, |fork| fork.database)),
        ),
        ("ForkPointLSN", LSN, about.fork.map_or(Datum::Null, |fork| whole(fork.end_lsn))),
        ("RecoveryModel", WORD, text(recovery_model)),
        ("DifferentialBaseLSN", LSN, base(whole(set.head.base_lsn))),
        ("DifferentialBaseGUID", SqlType::UNIQUEIDENTIFIER, base(id(&set.head.base.to_le_bytes()))),
        ("BackupTypeDescription", WORD, text(described)),
        ("BackupSetGUID", SqlType::UNIQUEIDENTIFIER, id(&about.id)),
        ("CompressedBackupSize", SqlType::BIGINT, number(stored_bytes(set) as i64)),
        ("containment", SqlType::TINYINT, number(0)),
        ("KeyAlgorithm", SHORT, maybe(about.encryption.as_ref().map(|found| found.algorithm_name()))),
        (
            "EncryptorThumbprint",
            SqlType::varbinary(20),
            about.encryption.as_ref().map_or(Datum::Null, |found| Datum::bytes(&found.thumbprint)),
        ),
        ("EncryptorType", SHORT, maybe(about.encryption.as_ref().map(|_| "CERTIFICATE"))),
        ("LastValidRestoreTime", SqlType::DATETIME, date(covered(set))),
        ("TimeZone", SqlType::SMALLINT, number(offset)),
        ("CompressionAlgorithm", SHORT, if about.compressed { text("DEFLATE") } else { Datum::Null }),
    ]
}

/// The database's files in a set.
pub fn files(ddl: &mut Ddl<'_>, set: &Set, about: &About) -> SqlResult<()> {
    const MOST: u64 = 35_184_372_080_640;
    let bytes = |pages: i32| u64::try_from(pages).map_or(MOST, |pages| pages * PAGE_BYTES);
    let rows: Vec<Row> = about
        .files
        .iter()
        .map(|file| {
            let is_log = file.is_log();
            // Pages and log are all in the first file of their kind.
            let (size, stored) = match (is_log, file.row.fileid) {
                (false, 1) => (u64::from(set.head.pages) * PAGE_BYTES, set.tail.pages * PAGE_BYTES),
                (true, 2) => (log_pages(set) * PAGE_BYTES, set.tail.log_bytes),
                _ => (bytes(file.row.size), 0),
            };
            vec![
                ("LogicalName", NAME, text(&file.row.name)),
                ("PhysicalName", SqlType::nvarchar(260), maybe(file.row.path.0.as_deref())),
                ("Type", SqlType::char(1), Datum::bytes(if is_log { b"L" } else { b"D" })),
                ("FileGroupName", NAME, maybe(file.filegroup.as_deref())),
                ("Size", SIZE, whole(size)),
                ("MaxSize", SIZE, whole(bytes(file.row.size_max))),
                ("FileId", SqlType::BIGINT, number(file.row.fileid)),
                ("CreateLSN", LSN, whole(0)),
                ("DropLSN", LSN, whole(0)),
                ("UniqueId", SqlType::UNIQUEIDENTIFIER, id(&of_file(&about.database, file.row.fileid))),
                ("ReadOnlyLSN", LSN, whole(0)),
                ("ReadWriteLSN", LSN, whole(0)),
                ("BackupSizeInBytes", SqlType::BIGINT, number(stored as i64)),
                ("SourceBlockSize", SqlType::INT, number(512)),
                ("FileGroupId", SqlType::INT, number(file.row.filegroup)),
                ("LogGroupGUID", SqlType::UNIQUEIDENTIFIER, Datum::Null),
                ("DifferentialBaseLSN", LSN, whole(0)),
                ("DifferentialBaseGUID", SqlType::UNIQUEIDENTIFIER, id(&[0; 16])),
                ("IsReadOnly", SqlType::BIT, number(is_read_only(&about.row))),
                ("IsPresent", SqlType::BIT, number(true)),
                ("TDEThumbprint", SqlType::varbinary(32), Datum::Null),
                ("SnapshotUrl", SqlType::nvarchar(360), Datum::Null),
            ]
        })
        .collect();
    send(ddl, &rows)
}

/// Files have no ids of their own: one of the database's and their number.
fn of_file(database: &Guid, fileid: i32) -> Guid {
    let mut id = *database;
    id[0] ^= fileid as u8;
    id[1] ^= (fileid >> 8) as u8;
    id
}

/// The media that all sets of the file are of.
pub fn label(ddl: &mut Ddl<'_>, about: &About, families: usize) -> SqlResult<()> {
    let media = &about.media;
    let row = vec![
        ("MediaName", NAME, maybe(media.name.as_deref())),
        ("MediaSetId", SqlType::UNIQUEIDENTIFIER, id(&media.id)),
        ("FamilyCount", SqlType::INT, number(families as i64)),
        ("FamilySequenceNumber", SqlType::INT, number(1)),
        ("MediaFamilyId", SqlType::UNIQUEIDENTIFIER, id(&media.family)),
        ("MediaSequenceNumber", SqlType::INT, number(1)),
        ("MediaLabelPresent", SqlType::TINYINT, number(0)),
        ("MediaDescription", TEXT, maybe(media.description.as_deref())),
        ("SoftwareName", NAME, text(SOFTWARE)),
        ("SoftwareVendorId", SqlType::INT, number(VENDOR)),
        ("MediaDate", SqlType::DATETIME, date(media.made)),
        ("Mirror_Count", SqlType::INT, number(1)),
        ("IsCompressed", SqlType::BIT, number(about.compressed)),
    ];
    send(ddl, &[row])
}
