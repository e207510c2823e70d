//! What was backed up and restored here, as msdb's tables show it.
//! https://learn.microsoft.com/sql/relational-databases/system-tables/backup-and-restore-tables-transact-sql

use storage::backup::{Set, SetKind};
use types::{Datum, SqlResult};

use super::backup_about::About;
use super::backup_device::Device;
use super::site::Ddl;
use crate::catalog::base::{
    BackupBaseRow, BackupFileRow, BackupKeyRow, BackupMediaRow, BackupSetRow, BackupStripeRow, DatabaseRow, RestoreRow,
    RestoreStopRow, database_option,
};
use crate::catalog::counter::{Rule, usually_ahead};
use crate::catalog::family::Family;
use crate::catalog::row::{BaseRow, Binary, Code, Date, Text};
use crate::catalog::store::Rows;
use crate::catalog::{Catalog, Database, MASTER, clock};

pub const PAGE_BYTES: u64 = 8_192;
/// By `guid`, of sets and media.
pub const BY_GUID: usize = 1;
const COPY_ONLY: i32 = 1;
const COMPRESSED: i32 = 2;
const READ_ONLY: i32 = 4;
const SINGLE_USER: i32 = 8;
const LOG: i32 = 16;
const DIFFERENTIAL: i32 = 32;
const BEGINS_CHAIN: i32 = 64;
const HAS_PAGES: i32 = 128;
const CLOSES: i32 = 256;
const INCOMPLETE: i32 = 512;
/// `BackupMediaRow::status`.
const MEDIA_COMPRESSED: i32 = 1;
const MEDIA_URL: i32 = 2;
const MEDIA_ENCRYPTED: i32 = 4;
/// `RestoreRow::status`.
const REPLACED: i32 = 1;
const LEFT_RESTORING: i32 = 2;

/// The log in a set, in pages of 8 KB.
pub fn log_pages(set: &Set) -> u64 {
    set.tail.log_bytes.div_ceil(PAGE_BYTES)
}

/// `DatabaseRow::user_access`.
pub fn is_single_user(row: &DatabaseRow) -> bool {
    row.user_access == 1
}

pub fn is_read_only(row: &DatabaseRow) -> bool {
    row.options & database_option::READ_ONLY != 0
}

pub fn started(set: &Set) -> Date {
    clock::local(set.head.began as i64)
}

pub fn finished(set: &Set) -> Date {
    clock::local(set.tail.ended as i64)
}

/// Where it goes on from what was restored before it.
pub fn first_lsn(set: &Set, about: &About) -> u64 {
    match &about.fork {
        Some(fork) if set.head.kind == SetKind::Log => fork.end_lsn,
        _ => set.head.scan_lsn,
    }
}

/// A log backup that no restore can stop within.
pub fn has_pages(set: &Set) -> bool {
    set.head.kind == SetKind::Log && set.is_whole()
}

/// What was committed by then is in it.
pub fn covered(set: &Set) -> Date {
    clock::local(set.tail.covered as i64)
}

/// Bytes of a set in its file.
pub fn stored_bytes(set: &Set) -> u64 {
    set.to - set.from
}

/// Bytes of a set before it was compressed.
pub fn whole_bytes(set: &Set, about: &About) -> u64 {
    match about.compressed {
        true => stored_bytes(set).max((set.tail.pages + log_pages(set)) * PAGE_BYTES),
        false => stored_bytes(set),
    }
}

/// The next number of a table's rows.
fn next_id<R: BaseRow>(catalog: &Catalog) -> SqlResult<i32> {
    let master = catalog.expect_database(MASTER);
    let (minimum, maximum) = (1, i32::MAX.into());
    let ahead = usually_ahead(minimum, maximum);
    let rule = Rule { start: 1, increment: 1, minimum, maximum, cycle: false, in_rows: true, ahead };
    let next = master.counters.next(&catalog.storage, &master, R::TABLE.id, &rule, 1)?;
    Ok(next.map_or(i32::MAX, |id| id as i32))
}

/// Where a set lies.
pub struct Place {
    paths: Vec<String>,
    is_url: bool,
    position: usize,
}

impl Place {
    pub fn of(ddl: &Ddl<'_>, device: &Device, position: usize) -> Place {
        Place { paths: device.whole_paths(ddl), is_url: device.is_url(), position }
    }

    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    pub fn is_url(&self) -> bool {
        self.is_url
    }

    /// Of the set on its devices, from 1.
    pub fn position(&self) -> usize {
        self.position
    }
}

/// Which database one is that nobody can ask, by the full backup that its chain begins with. None: there is no history of that.
pub fn family_of(catalog: &Catalog, db: &Database) -> SqlResult<Option<Family>> {
    let base = catalog.storage.chain_of(db.storage_id()).base.to_le_bytes();
    let master = catalog.expect_database(MASTER);
    let found = catalog.read(&master, |rows| rows.first::<BackupSetRow>(BY_GUID, &[Datum::bytes(&base)]))?;
    let guid = |binary: &Binary| binary.0.as_deref().and_then(|bytes| bytes.try_into().ok());
    Ok(found.and_then(|set| Some(Family { family: guid(&set.family_guid)?, database: guid(&set.database_guid)? })))
}

pub fn record_backup(catalog: &Catalog, set: &Set, about: &About, place: &Place) -> SqlResult<i32> {
    let (id, media) = (next_id::<BackupSetRow>(catalog)?, next_id::<BackupMediaRow>(catalog)?);
    let master = catalog.expect_database(MASTER);
    catalog.change(&master, |rows| {
        let known = rows.first::<BackupSetRow>(BY_GUID, &[Datum::bytes(&about.id)])?;
        match known {
            Some(known) => Ok(known.id),
            None => insert_set(rows, (id, media), set, about, place).map(|()| id),
        }
    })
}

/// The number of the media set, whose row is made if there is none.
fn media_id(rows: &mut Rows<'_>, new: i32, about: &About, place: &Place) -> SqlResult<i32> {
    let media = &about.media;
    if let Some(known) = rows.first::<BackupMediaRow>(BY_GUID, &[Datum::bytes(&media.id)])? {
        return Ok(known.id);
    }
    rows.insert(&BackupMediaRow {
        id: new,
        guid: Binary(Some(media.id.into())),
        family: Binary(Some(media.family.into())),
        name: media.name.clone(),
        description: Text(media.description.clone()),
        path: Text(Some(place.paths[0].clone())),
        status: i32::from(about.compressed) * MEDIA_COMPRESSED
            + i32::from(place.is_url) * MEDIA_URL
            + i32::from(about.encryption.is_some()) * MEDIA_ENCRYPTED,
    })?;
    for (at, path) in place.paths.iter().enumerate().skip(1) {
        let mut family = media.family;
        family[15] ^= at as u8;
        rows.insert(&BackupStripeRow {
            media: new,
            number: at as u8 + 1,
            family: Binary(Some(family.into())),
            path: Text(Some(path.clone())),
        })?;
    }
    Ok(new)
}

fn insert_set(rows: &mut Rows<'_>, (id, media): (i32, i32), set: &Set, about: &About, place: &Place) -> SqlResult<()> {
    let media = media_id(rows, media, about, place)?;
    let row = &about.row;
    let flags = [
        (about.copy_only, COPY_ONLY),
        (about.compressed, COMPRESSED),
        (is_read_only(row), READ_ONLY),
        (is_single_user(row), SINGLE_USER),
        (set.head.kind == SetKind::Log, LOG),
        (set.head.kind == SetKind::Differential, DIFFERENTIAL),
        (about.begins_chain, BEGINS_CHAIN),
        (has_pages(set), HAS_PAGES),
        (about.closes(), CLOSES),
        (about.is_incomplete(), INCOMPLETE),
    ];
    rows.insert(&BackupSetRow {
        id,
        guid: Binary(Some(about.id.into())),
        media,
        position: place.position as i32,
        expires: about.expires,
        name: about.name.clone(),
        description: Text(about.description.clone()),
        user: about.user.clone(),
        time_zone: about.offset_minutes,
        first_lsn: first_lsn(set, about) as i64,
        last_lsn: set.tail.end_lsn as i64,
        checkpoint_lsn: set.head.redo_lsn as i64,
        database_created: row.created,
        started: started(set),
        finished: finished(set),
        compatibility_level: row.compatibility_level,
        size: whole_bytes(set, about) as i64,
        stored: stored_bytes(set) as i64,
        database: row.name.clone(),
        server: about.server.clone(),
        machine: about.machine.clone(),
        collation: row.collation.clone(),
        recovery_model: row.recovery_model,
        status: flags.iter().filter(|(is, _)| *is).map(|(_, bit)| bit).sum(),
        database_guid: Binary(Some(about.database.into())),
        family_guid: Binary(Some(about.database_family.into())),
    })?;
    if set.head.base != 0 {
        let guid = Binary(Some(set.head.base.to_le_bytes().into()));
        rows.insert(&BackupBaseRow { set: id, lsn: set.head.base_lsn as i64, guid })?;
    }
    if let Some(encryption) = &about.encryption {
        let algorithm = encryption.algorithm_name().to_string();
        rows.insert(&BackupKeyRow {
            set: id,
            algorithm,
            thumbprint: Binary(Some(encryption.thumbprint.clone().into())),
        })?;
    }
    for file in &about.files {
        // All pages are in one file, and all log.
        let pages = match (file.is_log(), file.row.fileid) {
            (true, 2) => log_pages(set),
            (false, 1) => set.tail.pages,
            _ => 0,
        };
        rows.insert(&BackupFileRow {
            set: id,
            fileid: file.row.fileid,
            filegroup: file.filegroup.clone(),
            name: file.row.name.clone(),
            path: file.row.path.clone(),
            status: file.row.status,
            pages: pages as i64,
            size: (if file.row.fileid == 1 { u64::from(set.head.pages) } else { pages } * PAGE_BYTES) as i64,
        })?;
    }
    Ok(())
}

/// What a restore was of.
pub struct Restored<'a> {
    pub database: &'a str,
    pub user: String,
    /// D, F, I, L or V.
    pub kind: &'static str,
    pub replaced: bool,
    /// It was left for more.
    pub restoring: bool,
    /// Where it was to stop: a moment, or a mark and whether before it.
    pub stop: Option<(Option<Date>, Option<(String, bool)>)>,
}

pub fn record_restore(
    catalog: &Catalog,
    set: &Set,
    about: &About,
    place: &Place,
    restored: Restored<'_>,
) -> SqlResult<()> {
    let set = record_backup(catalog, set, about, place)?;
    let id = next_id::<RestoreRow>(catalog)?;
    let master = catalog.expect_database(MASTER);
    catalog.change(&master, |rows| {
        rows.insert(&RestoreRow {
            id,
            finished: clock::now(),
            database: restored.database.to_string(),
            user: restored.user,
            set,
            kind: Code::new(restored.kind),
            status: i32::from(restored.replaced) * REPLACED + i32::from(restored.restoring) * LEFT_RESTORING,
        })?;
        let Some((at, mark)) = restored.stop else { return Ok(()) };
        let status = i32::from(mark.as_ref().is_some_and(|(_, before)| *before));
        rows.insert(&RestoreStopRow { restore: id, at, mark: mark.map(|(mark, _)| mark), status })
    })
}
