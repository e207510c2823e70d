//! Views as targets of INSERT, UPDATE, DELETE and MERGE: whose INSTEAD OF triggers take the rows, and what WITH CHECK OPTION asks of them.

use std::sync::Arc;

use types::{Datum, SqlError, SqlResult, SqlType, sql_error};

use super::binder::Binder;
use super::convert::converted;
use super::dml::{positioned, stored_ids};
use super::errors;
use super::names::{display, same_name};
use super::scope::{Source, SourceColumn, SourceColumns, TriggeredView, ViewUse, Visible};
use crate::ast;
use crate::catalog::{ModuleDef, TableDef, TriggerDef};
use crate::optimize::{ColumnId, Rel, substitute};
use crate::plan::{Check, Expr, JoinKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Insert,
    Update,
    Delete,
}

impl Change {
    pub fn fires(self, trigger: &TriggerDef) -> bool {
        !trigger.disabled
            && match self {
                Change::Insert => trigger.on_insert,
                Change::Update => trigger.on_update,
                Change::Delete => trigger.on_delete,
            }
    }
}

impl Binder<'_> {
    pub fn note_view(
        &mut self,
        module: &Arc<ModuleDef>,
        name: &ast::ObjectName,
        view: &ast::CreateView,
        rel: &Rel,
        source: &Source,
    ) {
        let SourceColumns::List(columns) = &source.columns else { return };
        let check = view.check_option.then(|| {
            let mut visible = Visible::default();
            visible.add(rel);
            visible
        });
        self.views.push(ViewUse { module: module.clone(), name: display(name), columns: columns.clone(), check });
    }

    /// The outermost view among those that `source` shows, or is, with INSTEAD OF triggers for `changes`: for all of them, or 5316.
    /// Within its own trigger a view is like any other.
    pub fn triggered_view(
        &self,
        source: &Source,
        column: Option<ColumnId>,
        changes: &[Change],
    ) -> SqlResult<Option<TriggeredView>> {
        let SourceColumns::List(shown) = &source.columns else { return Ok(None) };
        let wanted = |id: ColumnId| column.map_or_else(|| shown.iter().any(|shown| shown.id == id), |only| only == id);
        for view in self.views.iter().rev().filter(|view| view.columns.iter().any(|own| wanted(own.id))) {
            let Some(table) = self.catalog.view_target(view.module.database, view.module.object)? else { continue };
            let own = |trigger: &TriggerDef| {
                self.names.trigger == Some(trigger.object)
                    && self.names.trigger_table.is_some_and(|parent| parent.database == table.database)
            };
            let takes = |change: &Change| {
                table.triggers.iter().any(|trigger| trigger.instead_of && change.fires(trigger) && !own(trigger))
            };
            if !changes.iter().any(takes) {
                continue;
            }
            if !changes.iter().all(takes) {
                return Err(sql_error!(5316, view.name));
            }
            let mut ids = Vec::with_capacity(table.columns.len());
            for (at, column) in table.columns.iter().enumerate() {
                let same = |own: &&SourceColumn| same_name(&own.name, &column.name);
                let found = view.columns.get(at).filter(same).or_else(|| view.columns.iter().find(same));
                ids.push(found.map(|own| own.id));
            }
            return Ok(Some(TriggeredView { table, name: view.name.clone(), ids }));
        }
        Ok(None)
    }

    /// Its rows as those of a table: where their columns are, and their locator, which tells a row that is there from one that an outer
    /// join lacks.
    pub fn view_rows(&mut self, rel: Rel, view: &TriggeredView) -> (Rel, Vec<ColumnId>, ColumnId) {
        let mut defs = Vec::new();
        let mut read = Vec::with_capacity(view.ids.len());
        for (column, id) in view.table.columns.iter().zip(&view.ids) {
            let value = match *id {
                Some(id) if self.columns.info(id).ty == column.ty => {
                    read.push(id);
                    continue;
                }
                Some(id) => converted(self.columns.expr(id), &column.ty, false),
                None => Expr::null(column.ty),
            };
            let id = self.columns.add(column.ty, true);
            self.hand_on(id, [&value]);
            defs.push((id, value));
            read.push(id);
        }
        let ty = SqlType::varbinary(64);
        let locator = self.columns.add(ty, true);
        defs.push((locator, Expr::literal(ty, Datum::bytes(&[1]))));
        (rel.map(defs), read, locator)
    }

    /// Whether the columns of `source` are those of a view that is named, and not of a derived table.
    pub fn is_view(&self, source: &Source) -> bool {
        let SourceColumns::List(shown) = &source.columns else { return false };
        self.views.iter().any(|view| view.columns.iter().any(|own| shown.iter().any(|shown| shown.id == own.id)))
    }

    /// WITH CHECK OPTION of the views through which `target` is reached, over its new row. An UPDATE leaves alone what it does not set:
    /// its rows came through the views.
    pub fn view_checks(
        &mut self,
        table: &Arc<TableDef>,
        first: ColumnId,
        set: Option<&[u16]>,
    ) -> SqlResult<Vec<Check>> {
        let mut out = Vec::new();
        let is_limited =
            |view: &&ViewUse| view.check.as_ref().is_some_and(|check| check.limited && check.tables.contains(&first));
        if let Some(view) = self.views.iter().find(is_limited) {
            return Err(sql_error!(4427, view.name));
        }
        let checked =
            self.views.iter().filter_map(|view| view.check.as_ref()).filter(|view| view.tables.contains(&first));
        for predicate in checked.flat_map(|view| &view.predicates) {
            let (mut touched, mut other) = (set.is_none() || predicate.has_subquery(), false);
            predicate.for_each_column(&mut |id| {
                let at = (id as u32).wrapping_sub(first.0) as usize;
                match table.columns.get(at) {
                    Some(column) => {
                        touched |= column.computed.is_some() || set.is_some_and(|set| set.contains(&(at as u16)));
                    }
                    None => other = true,
                }
            });
            if !touched {
                continue;
            }
            if other || predicate.has_subquery() {
                return Err(errors::not_supported("WITH CHECK OPTION over more than the table that is changed"));
            }
            let predicate = positioned(predicate.clone(), &stored_ids(table, first));
            out.push(Check { name: "".into(), predicate, column: None, view: true, rule: false });
        }
        Ok(out)
    }
}

impl Visible {
    /// Adds what `rel` filters by, in columns of the tables. Gives what it computes.
    fn add(&mut self, rel: &Rel) -> Vec<(ColumnId, Expr)> {
        match rel {
            Rel::Get(get) => {
                self.tables.push(get.first);
                Vec::new()
            }
            Rel::Filter { input, predicates } => {
                let defs = self.add(input);
                self.take(predicates, &defs);
                defs
            }
            Rel::Map { input, defs: own } => {
                let mut defs = self.add(input);
                for (id, value) in own {
                    let mut value = value.clone();
                    substitute(&mut value, &defs);
                    defs.push((*id, value));
                }
                defs
            }
            // A view's predicates are those of its text.
            Rel::Join(join) if join.guard => self.add(&join.left),
            Rel::Join(join) => {
                let kept = self.predicates.len();
                let mut defs = self.add(&join.left);
                if join.kind == JoinKind::FullOuter {
                    self.predicates.truncate(kept);
                }
                let kept = self.predicates.len();
                defs.extend(self.add(&join.right));
                match join.kind {
                    JoinKind::Inner | JoinKind::Semi | JoinKind::Anti => self.take(&join.on, &defs),
                    // A row without a partner is visible too.
                    _ => self.predicates.truncate(kept),
                }
                defs
            }
            Rel::Window(window) => self.add(&window.input),
            Rel::Sort { input, .. } | Rel::Spool(input) => self.add(input),
            Rel::Top(top) => {
                self.limited = true;
                self.add(&top.input)
            }
            _ => Vec::new(),
        }
    }

    fn take(&mut self, predicates: &[Expr], defs: &[(ColumnId, Expr)]) {
        for predicate in predicates {
            let mut predicate = predicate.clone();
            substitute(&mut predicate, defs);
            self.predicates.push(predicate);
        }
    }
}

/// 334: rows would come from the statement and from its triggers.
pub fn refuse_output(output: Option<&ast::Output>, table: &TableDef, changes: &[Change], name: &str) -> SqlResult<()> {
    let to_client = output.is_some_and(|output| !output.items.is_empty());
    if !to_client || !table.triggers.iter().any(|trigger| changes.iter().any(|change| change.fires(trigger))) {
        return Ok(());
    }
    Err(sql_error!(334, name))
}

/// The name by which a statement names its target.
pub fn target_name(target: &ast::Target) -> String {
    match target {
        ast::Target::Table { name, .. } => display(name),
        ast::Target::Variable(variable) => variable.name.to_string(),
        ast::Target::Function(_) => String::new(),
    }
}

/// 414, 415
pub fn joined_view(name: &str, change: Change) -> SqlError {
    if change == Change::Delete { sql_error!(415, name) } else { sql_error!(414, name) }
}
