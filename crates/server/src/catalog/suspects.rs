//! Pages that were found damaged, as msdb.dbo.suspect_pages has them.
//! https://learn.microsoft.com/sql/relational-databases/backup-restore/manage-the-suspect-pages-table-sql-server

use storage::SuspectKind;
use types::{Datum, SqlResult};

use super::base::SuspectPageRow;
use super::load::int;
use super::{Catalog, MASTER, clock};

/// Rows of the table; what is found beyond that is in the error log alone.
const ROWS_MAX: usize = 1_000;
/// All pages of a database are in its first file.
const FILE: i32 = 1;
/// Event types.
const UNREADABLE: i32 = 1;
const CHECKSUM: i32 = 2;
const RESTORED: i32 = 4;

/// Takes note of what this engine has found. Where master cannot be written, the error log has it.
pub fn record(catalog: &Catalog) {
    let found = catalog.storage.take_suspects();
    if found.is_empty() {
        return;
    }
    let noted = catalog.change(&catalog.expect_database(MASTER), |rows| {
        for (db, page, kind) in &found {
            let kind = match kind {
                SuspectKind::Wrong => UNREADABLE,
                SuspectKind::Checksum => CHECKSUM,
            };
            let key = [int(db.0.into()), int(FILE), Datum::I64((*page).into()), int(kind)];
            let again = |row: &mut SuspectPageRow| {
                row.errors = row.errors.saturating_add(1);
                row.updated = clock::now();
            };
            if rows.update(0, &key, again)? > 0 || rows.all::<SuspectPageRow>()?.len() >= ROWS_MAX {
                continue;
            }
            let (database, page, updated) = (db.0.into(), (*page).into(), clock::now());
            rows.insert(&SuspectPageRow { database, file: FILE, page, kind, errors: 1, updated })?;
        }
        Ok(())
    });
    if let Err(error) = noted {
        tracing::error!("pages that are damaged are not in msdb.dbo.suspect_pages: {error}");
    }
}

/// These pages of a database were restored while it was used.
pub fn pages_restored(catalog: &Catalog, db: u16, pages: &[u32]) {
    record(catalog);
    let noted: SqlResult<()> = catalog.change(&catalog.expect_database(MASTER), |rows| {
        let found: Vec<SuspectPageRow> = rows.find(0, &[int(db.into())])?;
        let is_one =
            |row: &SuspectPageRow| row.kind < RESTORED && pages.iter().any(|page| row.page == i64::from(*page));
        for row in found.into_iter().filter(is_one) {
            let (page, kind) = (Datum::I64(row.page), int(row.kind));
            rows.delete::<SuspectPageRow>(0, &[int(db.into()), int(FILE), page, kind])?;
            rows.try_insert(&SuspectPageRow { kind: RESTORED, updated: clock::now(), ..row })?.ok();
        }
        Ok(())
    });
    if let Err(error) = noted {
        tracing::error!("msdb.dbo.suspect_pages does not show that pages were restored: {error}");
    }
}

/// The database `old` was replaced by a restore, as `new`: its pages are sound again.
pub fn restored(catalog: &Catalog, old: u16, new: u16) {
    let noted: SqlResult<()> = catalog.change(&catalog.expect_database(MASTER), |rows| {
        let found: Vec<SuspectPageRow> = rows.find(0, &[int(old.into())])?;
        rows.delete::<SuspectPageRow>(0, &[int(old.into())])?;
        for row in found {
            let kind = if row.kind < RESTORED { RESTORED } else { row.kind };
            // Of a page that was found in two ways one row is left.
            rows.try_insert(&SuspectPageRow { database: new.into(), kind, updated: clock::now(), ..row })?.ok();
        }
        Ok(())
    });
    if let Err(error) = noted {
        tracing::error!("msdb.dbo.suspect_pages does not show that a database was restored: {error}");
    }
}
