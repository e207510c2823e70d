//! DBCC CHECKDB (..., REPAIR_REBUILD | REPAIR_ALLOW_DATA_LOSS): pages first, then rows that lack a part, then indexes, at last the bitmaps. What
//! goes is said; what is left, too, by looking again.
//!
//! A database in the state EMERGENCY is brought back by it: the log has been applied as far as its pages take it, and what was unfinished is
//! rolled back as far as its rows are there. Rows of memory-optimized tables are not repaired: they come from their files, or from a backup.
//! https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-checkdb-transact-sql

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sql::ast::{Dbcc, find_setting};
use storage::{CureKind, Hold, IndexId, Repaired, StorageError, TableId};
use types::{SqlError, SqlResult, sql_error};

use super::build::fills;
use super::check::{Asked, Cure, Found, Looked, NO_OBJECT, look, page_id, repair_asked, tell_sum};
use super::database_state::{publish, say_emergency};
use super::dbcc::{database_argument, text_argument};
use super::site::Ddl;
use crate::catalog::base::USER_OBJECT_MIN;
use crate::catalog::error::storage_error;
use crate::catalog::{Database, suspects};
use crate::instance::error_log::{self, Source};

const TYPE: &str = "In-row data";

/// Whether the statement is one of these.
pub fn is_asked(dbcc: &Dbcc) -> bool {
    let word = text_argument(dbcc, 1).unwrap_or_default().to_ascii_uppercase();
    &*dbcc.command == "CHECKDB" && matches!(&*word, "REPAIR_REBUILD" | "REPAIR_ALLOW_DATA_LOSS")
}

/// 7919, 7901, 8920: not now, or not so.
pub fn run(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    let db = database_argument(ddl, dbcc)?;
    ddl.catalog.check_open(&db)?;
    let level = repair_asked(&db, dbcc)?.expect("it is asked for");
    if ddl.site.in_user_transaction() {
        return Err(sql_error!(8920, format!("{} {level}", dbcc.command)));
    }
    let may_lose = level == "REPAIR_ALLOW_DATA_LOSS";
    if db.is_in_emergency() && !may_lose {
        return Err(sql_error!(7901));
    }
    let quiet = find_setting(&dbcc.options, "NO_INFOMSGS").is_some();
    let asked = Asked::of(dbcc, quiet);
    let repaired = repair(ddl, &db, &asked, may_lose);
    suspects::record(&ddl.catalog);
    publish(ddl, &db);
    repaired?;
    if !quiet {
        ddl.message(sql_error!(2528));
    }
    Ok(())
}

fn repair(ddl: &mut Ddl<'_>, db: &Arc<Database>, asked: &Asked<'_>, may_lose: bool) -> SqlResult<()> {
    let before = look(ddl, db, asked)?;
    let of_system = |found: &&Found| found.cure == Cure::Loss && found.object < USER_OBJECT_MIN;
    if before.found.iter().any(|found| of_system(&found)) {
        // Without its definitions nobody knows what the rest of it is.
        before.found.iter().take(asked.told_max).for_each(|found| ddl.message(found.error.clone()));
        return Err(failed(db));
    }
    let healed = heal(ddl, db, may_lose)?;
    let indexes = rebuild(ddl, db, &before, &healed, may_lose)?;
    let again = heal(ddl, db, may_lose)?;
    let id = db.storage_id();
    let storage = ddl.catalog.storage.clone();
    let is_whole = again.left == 0 && again.indexes.is_empty();
    if storage.hold_of(id) == Some(Hold::Emergency) && is_whole {
        let lost = storage.end_emergency(id).map_err(|error| {
            tracing::error!(database = db.name(), "the repaired database cannot be opened: {error}");
            failed(db)
        });
        say_emergency(ddl, db, false)?;
        db.counters.forget_all();
        let lost = lost?;
        error_log::tell(
            Source::Session(ddl.site.session().spid),
            &format!(
                "Database '{}' has been repaired; {lost} changes of unfinished transactions were lost.",
                db.name()
            ),
        );
    }
    let cures: Vec<_> = healed.cures.iter().chain(&again.cures).copied().collect();
    for cure in cures.iter().filter(|cure| cure.kind == CureKind::Emptied).take(asked.told_max) {
        ddl.message(sql_error!(7911, page_id(cure.page), cure.table, cure.index, 0, 0, TYPE));
    }
    for (table, index) in &indexes {
        ddl.message(sql_error!(8945, table, index));
        ddl.message(sql_error!(8911));
    }
    let after = look(ddl, db, asked)?;
    tell(ddl, asked, &before, &after);
    tell_sum(ddl, db, asked, &before.found)?;
    let (allocation, others) = fixed(&before.found, &after.found);
    if !before.found.is_empty() {
        ddl.message(sql_error!(8912, asked.command, allocation, others, db.name()));
    }
    match db.is_in_emergency() {
        true => Err(failed(db)),
        false => Ok(()),
    }
}

/// 7909: what is left is to be read, as long as the database is in emergency. 8930: nothing was changed.
fn failed(db: &Database) -> SqlError {
    if db.is_in_emergency() { sql_error!(7909) } else { sql_error!(8930, db.id.0) }
}

fn heal(ddl: &mut Ddl<'_>, db: &Database, may_lose: bool) -> SqlResult<Repaired> {
    let (storage, id) = (ddl.catalog.storage.clone(), db.storage_id());
    let mut healed = Repaired::default();
    let done = ddl.site.heard(&mut |pause| {
        healed = storage.heal(id, may_lose, pause)?;
        Ok(())
    });
    match done {
        Ok(()) => Ok(healed),
        Err(StorageError::CorruptPage { .. } | StorageError::Damaged(_)) => Err(failed(db)),
        Err(error) => Err(storage_error(error)),
    }
}

/// Deletes the rows that lack a part, and makes the indexes anew that are wrong or of tables that have lost rows: these.
fn rebuild(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    before: &Looked,
    healed: &Repaired,
    may_lose: bool,
) -> SqlResult<BTreeSet<(i32, u32)>> {
    let (storage, id) = (ddl.catalog.storage.clone(), db.storage_id());
    let mut wrong: BTreeSet<(i32, u32)> = healed.indexes.iter().copied().collect();
    let rebuilt = before.found.iter().filter(|found| found.cure == Cure::Rebuild && !found.of_allocation);
    wrong.extend(rebuilt.filter(|found| found.index != 0).map(|found| (found.object, found.index)));
    let lost = healed.cures.iter().filter(|cure| cure.kind == CureKind::Emptied).map(|cure| cure.table);
    let torn = before.found.iter().filter(|found| found.cure == Cure::Loss).map(|found| found.object);
    let damaged: BTreeSet<i32> = lost.chain(torn).filter(|table| *table != NO_OBJECT).collect();
    for table in damaged.into_iter().filter(|_| may_lose) {
        let mut dropped = (0, Vec::new());
        let done = ddl.build_apart(&|_| storage::Fill::default(), |storage, tx, build| {
            dropped = storage.drop_torn_rows(tx, id, TableId(table), build.pause)?;
            Ok(())
        });
        done.map_err(storage_error)?;
        for (page, slot) in &dropped.1 {
            ddl.message(sql_error!(7916, table, 0, 0, 0, TYPE, page_id(*page), slot));
        }
        if let Some(left) = usize::try_from(dropped.0).ok().filter(|count| *count > dropped.1.len()) {
            ddl.message(sql_error!(8986, left, table));
        }
        let opened = storage.open_table(id, TableId(table)).map_err(storage_error)?;
        let beside = opened.layout().indexes.iter().filter(|index| !index.clustered);
        wrong.extend(beside.map(|index| (table, index.id.0)));
    }
    let mut made = BTreeSet::new();
    for (table, index) in wrong {
        let fills = fills(ddl, db, table)?;
        let done = ddl.build_apart(&|index| fills.of(index), |storage, tx, build| {
            let opened = storage.open_table(id, TableId(table))?;
            let layout = opened.layout();
            let is_beside = layout.indexes.iter().any(|known| known.id.0 == index && !known.clustered);
            match layout.memory.is_none() && is_beside {
                true => storage.rebuild_index(tx, id, TableId(table), IndexId(index), build),
                false => Ok(()),
            }
        });
        match done {
            Ok(()) => _ = made.insert((table, index)),
            // Rows that cannot be read are left, or agree with no index: looking again tells.
            Err(
                StorageError::DuplicateKey { .. }
                | StorageError::CorruptPage { .. }
                | StorageError::Damaged(_)
                | StorageError::CorruptRow(_),
            ) => {}
            Err(error) => return Err(storage_error(error)),
        }
    }
    Ok(made)
}

/// Each error, and whether it is mended; then how many, by object.
fn tell(ddl: &mut Ddl<'_>, asked: &Asked<'_>, before: &Looked, after: &Looked) {
    let is_there = |error: &SqlError| after.found.iter().any(|found| found.error.text == error.text);
    let mut by_object: BTreeMap<i32, Vec<&Found>> = BTreeMap::new();
    before.found.iter().for_each(|found| by_object.entry(found.object).or_default().push(found));
    for (object, found) in by_object {
        for found in found.iter().take(asked.told_max) {
            ddl.message(found.error.clone());
            ddl.message(match (is_there(&found.error), found.cure) {
                (false, _) => sql_error!(8911),
                (true, Cure::Loss) => sql_error!(8923),
                (true, _) => sql_error!(8922),
            });
        }
        let found: Vec<Found> = found.into_iter().cloned().collect();
        let left: Vec<Found> = after.found.iter().filter(|found| found.object == object).cloned().collect();
        let allocation = found.iter().filter(|found| found.of_allocation).count();
        let others = found.len() - allocation;
        let (mended, mended_others) = fixed(&found, &left);
        match before.names.get(&object) {
            Some(name) => {
                ddl.message(sql_error!(8990, asked.command, allocation, others, name, object));
                ddl.message(sql_error!(8949, asked.command, mended, mended_others, name, object));
            }
            None => {
                ddl.message(sql_error!(8954, asked.command, allocation, others));
                ddl.message(sql_error!(8950, asked.command, mended, mended_others));
            }
        }
    }
}

/// Errors of allocation, and others, that are there no longer.
fn fixed(before: &[Found], after: &[Found]) -> (usize, usize) {
    let count = |found: &[Found], of_allocation| found.iter().filter(|one| one.of_allocation == of_allocation).count();
    let less = |of_allocation| count(before, of_allocation).saturating_sub(count(after, of_allocation));
    (less(true), less(false))
}
