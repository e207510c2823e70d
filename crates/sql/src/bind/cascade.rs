//! What the tables below a changed one ask of their rows that foreign keys change: a row is in the end what an UPDATE of its own
//! table would make of it.

use std::sync::Arc;

use types::SqlResult;

use super::binder::Binder;
use super::view_use::Change;
use crate::catalog::{ForeignKeyDef, ObjectId, ReferentialAction, TableDef};
use crate::plan::{Cascade, Output, TableSource, ViewChange};

impl Binder<'_> {
    /// What follows from such changes: in the tables below, and in the indexed views of all tables. `set`: the columns that an UPDATE gives
    /// values to.
    pub fn consequences(
        &mut self,
        target: &TableSource,
        changes: &[Change],
        set: &[u16],
        output: Option<&Output>,
    ) -> SqlResult<(Vec<Cascade>, Vec<ViewChange>)> {
        let (mut cascades, mut reached) = (Vec::new(), Vec::new());
        for change in changes {
            cascades.extend(self.cascades(target, *change, set, &mut reached)?);
        }
        Ok((cascades, self.view_changes(target, reached, output)?))
    }

    /// The tables that it comes to are added to `reached`.
    fn cascades(
        &mut self,
        target: &TableSource,
        change: Change,
        set: &[u16],
        reached: &mut Vec<Arc<TableDef>>,
    ) -> SqlResult<Vec<Cascade>> {
        let TableSource::Base(table) = target else { return Ok(Vec::new()) };
        let (mut out, mut seen) = (Vec::new(), Vec::new());
        self.cascades_from(table, change, set, &mut seen, (&mut out, reached))?;
        Ok(out)
    }

    fn cascades_from(
        &mut self,
        table: &Arc<TableDef>,
        change: Change,
        set: &[u16],
        seen: &mut Vec<(ObjectId, Change)>,
        (out, reached): (&mut Vec<Cascade>, &mut Vec<Arc<TableDef>>),
    ) -> SqlResult<()> {
        for key in table.referenced_by.iter().filter(|key| !key.disabled) {
            let updated = change == Change::Update;
            let action = if updated { key.on_update } else { key.on_delete };
            let stays = action == ReferentialAction::NoAction || updated && !moves(table, key, set);
            if stays || seen.contains(&(key.object, change)) {
                continue;
            }
            seen.push((key.object, change));
            let Some(child) = self.catalog.table_by_id(table.database, key.table)? else { continue };
            let done = match action {
                ReferentialAction::Cascade => change,
                _ => Change::Update,
            };
            let barriers = self.barriers(&TableSource::Base(child.clone()), done, &key.columns)?;
            let (computed, checks) = match done {
                Change::Update => (self.computed_columns(&child)?, self.checks(&child, Some(&key.columns))?),
                _ => (Vec::new(), Vec::new()),
            };
            if !barriers.is_empty() || !computed.is_empty() || !checks.is_empty() {
                out.push(Cascade { key: key.object, updated, barriers, computed, checks });
            }
            self.deeper(|binder| binder.cascades_from(&child, done, &key.columns, seen, (&mut *out, &mut *reached)))?;
            reached.push(child);
        }
        Ok(())
    }
}

/// Giving values to the columns `set` may change what the key refers to.
fn moves(table: &TableDef, key: &ForeignKeyDef, set: &[u16]) -> bool {
    let computed = |column: u16| table.columns[usize::from(column)].computed.is_some();
    key.referenced_columns.iter().any(|column| set.contains(column) || computed(*column))
}
