//! A copy of a database beside it, as it is at one moment: a backup that is restored at once.

use os::disk::Open;

use super::restore::Target;
use super::set::{Progress, SetKind, Wanted};
use crate::error::StorageResult;
use crate::instance::storage::Storage;
use crate::layout::DatabaseId;
use crate::transaction::Transaction;

/// In the directory of restores of the target, which a start clears.
const FILE: &str = "copy";

impl Storage {
    /// The database comes to be as `target` when the transaction commits. Others go on writing meanwhile: what was committed at the
    /// beginning is in it.
    pub fn copy_database(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        target: Target<'_>,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<()> {
        self.forget_restore(target.database)?;
        let copied = self.copy_through_file(tx, db, target, step);
        let cleared = self.forget_restore(target.database);
        copied.and(cleared)
    }

    fn copy_through_file(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        target: Target<'_>,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<()> {
        let file = self.directory_of(target.database)?.open(FILE, Open::ExistingOrNew)?;
        let wanted = Wanted { kind: SetKind::Full, copy_only: true, ..Wanted::default() };
        self.backup(db, &file, 0, &wanted, &mut |progress| step(Progress { total: progress.total * 2, ..progress }))?;
        self.restore(tx, target, &file, 0, &mut |progress| {
            step(Progress { done: progress.total + progress.done, total: progress.total * 2 })
        })?;
        Ok(())
    }
}
