//! UPDATE and DELETE of several rows, which machine code has found and whose new images it has made.

use sql::plan::QueryKind;
use storage::{StorageResult, Table, Transaction};

use super::form::native_target;
use super::run::Run;

/// Rows between two turns for others.
const TURN_ROWS: usize = 64;

impl Run<'_, '_> {
    /// Changes the rows that were kept: all, or, false, none.
    pub fn change_all(&mut self, scan: usize, mut images: Option<&mut dyn Iterator<Item = &[u8]>>) -> bool {
        let query = self.query(self.native.program.scans()[scan]);
        let target = query.as_deref().and_then(|query| match &query.kind {
            QueryKind::Modify(modify) => self.open(native_target(modify)?, true),
            _ => None,
        });
        let Some(table) = target else { return false };
        let rows = std::mem::take(&mut self.kept_rows);
        let state = &mut self.runner.session().transaction;
        let Some(transaction) = state.current.as_mut().filter(|_| !state.doomed) else { return false };
        let savepoint = transaction.savepoint();
        let mut done = true;
        for (position, row) in rows.iter().enumerate() {
            if position % TURN_ROWS == TURN_ROWS - 1 && self.runner.yield_point().is_err() {
                done = false;
            }
            let state = &mut self.runner.session().transaction;
            let transaction = state.current.as_mut().expect("the statement's");
            let image = images.as_mut().map(|images| images.next().expect("one for each row"));
            done = done && change(&table, transaction, row, image).is_ok();
            if !done {
                break;
            }
        }
        self.kept_rows = rows;
        let state = &mut self.runner.session().transaction;
        // A failed undo has stopped the storage, which the interpreter will say.
        if !done && let Some(transaction) = &mut state.current {
            let _ = transaction.rollback_to(savepoint);
        }
        done
    }
}

/// None: the row is deleted.
fn change(table: &Table, transaction: &mut Transaction, row: &[u8; 16], image: Option<&[u8]>) -> StorageResult<()> {
    match image {
        Some(image) => table.update(transaction, row, image).map(drop),
        None => table.delete(transaction, row),
    }
}
