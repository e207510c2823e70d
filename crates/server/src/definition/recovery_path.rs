//! Which backups go on from what was restored of a database, or from what a closed one has of its own.
//!
//! A database that was restored has a path of its own from there on: its first log backup has all pages, and says where it forks off
//! (`catalog::family::Fork`). So it goes on from the backups that the database was restored from, and from the database that these were of,
//! once that was closed: two servers may change roles as often as they like.
//! https://learn.microsoft.com/sql/database-engine/log-shipping/change-roles-between-primary-and-secondary-log-shipping-servers-sql-server

use storage::backup::{Phase, Restored, Set, SetKind};
use types::{SqlResult, sql_error};

use super::backup_about::About;
use super::restore_source::Source;
use super::site::Ddl;
use crate::catalog::Database;
use crate::catalog::error::storage_error;
use crate::catalog::family::{self, Fork, Guid};

/// `DatabaseRow::recovery_model`.
const SIMPLE: u8 = 3;

/// What the full backup says of the database that is being restored from it. None: it is not being restored, or is as it was when its
/// tail was backed up.
pub fn base(ddl: &Ddl<'_>, db: &Database) -> SqlResult<Option<About>> {
    if !db.awaits_restore() {
        return Ok(None);
    }
    let restored = ddl.catalog.storage.restored(db.storage_id()).map_err(storage_error)?;
    Ok(restored.and_then(|restored| About::decode(&restored.about)))
}

/// How far a database is, which can go on being restored. 3117: it cannot; 4319, 4347: only otherwise.
pub fn expect_phase(ddl: &Ddl<'_>, db: &Database, from: &Source<'_>) -> SqlResult<(Restored, About)> {
    if !db.awaits_restore() {
        return Err(sql_error!(3117));
    }
    let (restored, base) = match ddl.catalog.storage.restored(db.storage_id()).map_err(storage_error)? {
        Some(restored) => {
            let base = About::decode(&restored.about).ok_or_else(|| sql_error!(3117))?;
            (restored, base)
        }
        None => closed(ddl, db, from)?.ok_or_else(|| sql_error!(3117))?,
    };
    let has_pages = from.set.head.kind == SetKind::Differential || from.set.is_whole();
    match restored.phase {
        Phase::Recovering => return Err(sql_error!(4347)),
        Phase::Interrupted if !has_pages => {
            return Err(sql_error!(4319, from.about.files[0].row.name));
        }
        Phase::Interrupted | Phase::Forward => {}
    }
    if base.database_family != from.about.database_family {
        return Err(sql_error!(3154, db.name()));
    }
    if !is_on_path(&restored, &base, from) && !forks_from(&restored, &base, from) {
        return Err(sql_error!(4330));
    }
    Ok((restored, base))
}

/// A closed database, as if it had been restored up to there. None: nothing says where it was closed.
fn closed(ddl: &Ddl<'_>, db: &Database, from: &Source<'_>) -> SqlResult<Option<(Restored, About)>> {
    let (catalog, id) = (&ddl.catalog, db.storage_id());
    let (tail, own) = (catalog.read(db, family::tail)?, catalog.read(db, family::found)?);
    let (Some(tail), Some(own)) = (tail, own) else { return Ok(None) };
    let chain = catalog.storage.chain(id).map_err(storage_error)?;
    let base = About {
        id: chain.base.to_le_bytes(),
        copy_only: chain.base_lsn == 0,
        database_family: own.family,
        database: own.database,
        ..from.about.clone()
    };
    let restored = Restored {
        phase: Phase::Forward,
        database: id.0,
        file: catalog.storage.file_number(id).map_err(storage_error)?,
        pages: 0,
        end_lsn: tail.end_lsn,
        part_end: 0,
        // Its own pages cannot go back in time.
        covered: match from.about.fork {
            Some(fork) if fork.database == own.database => fork.time + 1,
            _ => from.set.tail.covered,
        },
        about: Vec::new(),
        held: false,
    };
    Ok(Some((restored, base)))
}

/// 4305, 4326: a log backup does not go on where what was restored ends.
pub fn expect_next(restored: &Restored, set: &Set) -> SqlResult<()> {
    let (begins, ends, wanted) = (set.head.scan_lsn, set.tail.end_lsn, restored.end_lsn);
    match set.is_whole() {
        false if begins > wanted => Err(sql_error!(4305, begins, wanted)),
        false if ends < wanted => Err(sql_error!(4326, ends, wanted)),
        _ => Ok(()),
    }
}

/// What was restored is of the database that the set is of.
pub fn is_on_path(restored: &Restored, base: &About, from: &Source<'_>) -> bool {
    base.database == from.about.database && restored.file == from.set.head.file
}

/// The set has all of its database, which was restored from what was restored here, or from what follows on it; a differential one from the same
/// full backup.
fn forks_from(restored: &Restored, base: &About, from: &Source<'_>) -> bool {
    let is_differential = from.set.head.kind == SetKind::Differential;
    let is_of = |fork: &Fork| (fork.database, fork.file) == (base.database, restored.file);
    let is_behind = |fork: &Fork| is_of(fork) && restored.end_lsn <= fork.end_lsn;
    from.set.is_whole()
        && (is_differential && u128::from_le_bytes(base.id) == from.set.head.base
            || from.about.fork.as_ref().is_some_and(is_behind))
}

/// Of a database that is restored from a backup of `about`, or from backups that end at `end_lsn` of the database and file `of`.
pub fn fork_of(about: &About, (database, file): (Guid, u32), end_lsn: u64) -> Fork {
    Fork {
        database,
        file,
        end_lsn,
        base: (!about.copy_only).then_some(about.id),
        time: os::clock::utc_ticks(),
        takes_log: about.row.recovery_model != SIMPLE,
    }
}

/// What is known of the database once the set is in its place: which it is, and still the full backup at the beginning.
pub fn about_behind(base: &About, from: &Source<'_>) -> Option<Vec<u8>> {
    let about = About { id: base.id, copy_only: base.copy_only, fork: None, encryption: None, ..from.about.clone() };
    from.set.is_whole().then(|| about.encode())
}
