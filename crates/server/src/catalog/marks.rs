//! Marks of transactions, as msdb.dbo.logmarkhistory has them.
//! https://learn.microsoft.com/sql/relational-databases/backup-restore/use-marked-transactions-to-recover-related-databases-consistently

use exec::session::Mark;
use storage::Transaction;
use types::SqlResult;

use super::base::LogMarkRow;
use super::error::storage_error;
use super::row::Text;
use super::{Catalog, MASTER, TEMPDB, clock};

/// Characters of a description that are kept.
const DESCRIPTION_MAX: usize = 255;

/// Right before the commit of `tx`: into the log of every database that it has changed.
pub fn put(catalog: &Catalog, tx: &mut Transaction, login: &str, mark: &Mark) -> SqlResult<()> {
    let description = mark.description.as_deref().map(|text| text.chars().take(DESCRIPTION_MAX).collect::<String>());
    let mut put = Vec::new();
    for changed in tx.changed_databases() {
        let db = catalog.databases().into_iter().find(|db| db.storage_id() == changed);
        let Some(db) = db.filter(|db| ![MASTER, TEMPDB].contains(&db.id)) else { continue };
        let lsn = tx.put_mark(changed, &mark.name, description.as_deref().unwrap_or("")).map_err(storage_error)?;
        put.push((lsn, db.name().to_string()));
    }
    let master = catalog.expect_database(MASTER);
    let mut rows = master.rows(&catalog.storage, tx);
    for (lsn, database) in put {
        rows.insert(&LogMarkRow {
            id: lsn as i64,
            database,
            name: mark.name.to_string(),
            description: Text(description.clone()),
            user: login.to_owned(),
            time: clock::now(),
        })?;
    }
    Ok(())
}
