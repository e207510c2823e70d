//! What INSERT, UPDATE, DELETE and MERGE share: the rows they are made from, computed columns and checks, and what is written.

use std::sync::Arc;

use types::{SqlResult, SqlType, TypeKind, sql_error};

use super::binder::Binder;
use super::convert::{converted, implicit};
use super::errors;
use super::query::Bound;
use super::scope::{CteScope, Scope, Source, SourceColumns, TriggeredView};
use super::typing::is_null_literal;
use crate::ast;
use crate::catalog::{ColumnDef, TableDef};
use crate::optimize::{ColumnId, ColumnSet, Get, Leaf, LeafKind, Output, Rel, TopRows};
use crate::plan::{
    Check, CursorRef, Expr, ExprKind, JoinKind, Operator, OperatorKind, QueryKind, SetVariable, TableSource,
};

/// What an UPDATE or DELETE writes to, within its FROM.
pub struct RowTarget {
    pub source: TableSource,
    pub table: Arc<TableDef>,
    /// Of a table; nothing of a view.
    pub first: ColumnId,
    pub locator: ColumnId,
    /// And the columns that its rows are read from.
    pub view: Option<(TriggeredView, Vec<ColumnId>)>,
}

impl RowTarget {
    /// The column that the statement's `id` stands for.
    pub fn ordinal(&self, id: ColumnId) -> Option<u16> {
        match &self.view {
            Some((view, _)) => view.ordinal(id),
            None => {
                id.0.checked_sub(self.first.0)
                    .filter(|at| (*at as usize) < self.table.columns.len())
                    .map(|at| at as u16)
            }
        }
    }

    pub fn column(&self, ordinal: u16) -> ColumnId {
        match &self.view {
            Some((_, read)) => read[ordinal as usize],
            None => ColumnId(self.first.0 + ordinal as u32),
        }
    }

    /// The column that the statement's text names, of a view those of the query behind it.
    pub fn shown(&self, ordinal: u16) -> ColumnId {
        match &self.view {
            Some((view, read)) => view.ids[ordinal as usize].unwrap_or(read[ordinal as usize]),
            None => ColumnId(self.first.0 + ordinal as u32),
        }
    }

    /// Ids of the stored columns, in the order of the row.
    pub fn stored_ids(&self) -> Vec<ColumnId> {
        match &self.view {
            Some((_, read)) => read.clone(),
            None => stored_ids(&self.table, self.first),
        }
    }
}

/// The columns of a modification's source, in the order `Modify` wants them.
pub struct SourceLayout {
    pub ids: Vec<ColumnId>,
}

impl SourceLayout {
    /// Adds what `expr` reads.
    pub fn read(&mut self, expr: &Expr, not: &ColumnSet) {
        expr.for_each_column(&mut |column| {
            let id = ColumnId(column as u32);
            if !self.ids.contains(&id) && !not.contains(id) {
                self.ids.push(id);
            }
        });
    }
}

/// Column ids as positions of `layout`.
pub fn positioned(mut expr: Expr, layout: &[ColumnId]) -> Expr {
    expr.rewrite(&mut |e| {
        let ExprKind::Column(column) = &mut e.kind else { return false };
        *column = layout.iter().position(|id| id.index() == *column).expect("everything read is in the layout");
        true
    });
    expr
}

pub fn positioned_variable(set: SetVariable, layout: &[ColumnId]) -> SetVariable {
    if set.column.is_some() { set } else { SetVariable { value: positioned(set.value, layout), ..set } }
}

/// Ids of the stored columns, in the order of the row.
pub fn stored_ids(table: &TableDef, first: ColumnId) -> Vec<ColumnId> {
    let mut ids: Vec<(u16, ColumnId)> = table
        .stored
        .iter()
        .enumerate()
        .filter_map(|(i, ordinal)| ordinal.map(|ordinal| (ordinal, ColumnId(first.0 + i as u32))))
        .collect();
    ids.sort_unstable_by_key(|(ordinal, _)| *ordinal);
    ids.into_iter().map(|(_, id)| id).collect()
}

impl Binder<'_> {
    /// The expression of a computed column over the table's columns from the id that is given.
    pub fn computed_value(&mut self, table: &Arc<TableDef>, column: &ColumnDef) -> SqlResult<(ColumnId, Expr)> {
        let definition = &column.computed.as_ref().expect("only computed columns are asked for").definition;
        let first = self.columns.add_table(table);
        let source = table_source("", table, first);
        let text = super::modules::parse_expression(definition)?;
        let scope = Scope { sources: std::slice::from_ref(&source), parent: None, ctes: None, block: None };
        let bound = self.expand(|binder| binder.without_variables(|binder| binder.expr(&text, &scope)))?;
        Ok((first, converted(bound, &column.ty, false)))
    }

    /// CHECK constraints over the new row; for an UPDATE only those that read a column that is set.
    pub fn checks(&mut self, table: &Arc<TableDef>, set: Option<&[u16]>) -> SqlResult<Vec<Check>> {
        let mut out = Vec::new();
        for check in table.checks.iter().filter(|check| !check.disabled) {
            let first = self.columns.add_table(table);
            let source = table_source("", table, first);
            let text = super::modules::parse_condition(&check.definition)?;
            let scope = Scope { sources: std::slice::from_ref(&source), parent: None, ctes: None, block: None };
            let mut predicate = self.expand(|binder| binder.without_variables(|binder| binder.expr(&text, &scope)))?;
            self.inline_computed(&mut predicate, table, first)?;
            if let Some(set) = set {
                let mut touched = false;
                predicate.for_each_column(&mut |id| {
                    let column = (id as u32 - first.0) as usize;
                    touched |= set.contains(&(column as u16)) || table.columns[column].computed.is_some();
                });
                if !touched {
                    continue;
                }
            }
            let predicate = positioned(predicate, &stored_ids(table, first));
            out.push(Check {
                name: check.name.clone(),
                predicate,
                column: check.column,
                view: false,
                rule: check.rule,
            });
        }
        Ok(out)
    }

    /// Columns that are not stored, replaced by their definitions.
    pub fn inline_computed(&mut self, expr: &mut Expr, table: &Arc<TableDef>, first: ColumnId) -> SqlResult<()> {
        let mut wanted = Vec::new();
        expr.for_each_column(&mut |id| {
            let Some(column) = (id as u32).checked_sub(first.0) else { return };
            if table.stored.get(column as usize).is_some_and(|stored| stored.is_none()) {
                wanted.push(column as usize);
            }
        });
        let mut defs = Vec::new();
        for column in wanted {
            let (own, mut value) = self.computed_value(table, &table.columns[column])?;
            value.rewrite(&mut |e| {
                let ExprKind::Column(id) = &mut e.kind else { return false };
                *id = *id - own.index() + first.index();
                true
            });
            defs.push((ColumnId(first.0 + column as u32), value));
        }
        crate::optimize::substitute(expr, &defs);
        Ok(())
    }

    pub fn top_rows(&mut self, input: Rel, top: &ast::Top) -> SqlResult<Rel> {
        let (count, percent) = self.top_count(top, None)?;
        Ok(Rel::Top(Box::new(TopRows {
            input,
            keys: Vec::new(),
            count: Some(count),
            percent,
            with_ties: false,
            offset: None,
        })))
    }

    pub fn lower_source(&mut self, rel: Rel, layout: &SourceLayout) -> Operator {
        let outputs = layout.ids.iter().map(|&id| Output { name: "".into(), expr: self.columns.expr(id) }).collect();
        self.lowering.root(&mut self.columns, rel, outputs)
    }

    /// Persisted computed columns over the new row.
    pub fn computed_columns(&mut self, table: &Arc<TableDef>) -> SqlResult<Vec<(u16, Expr)>> {
        let mut out = Vec::new();
        for (index, column) in table.columns.iter().enumerate() {
            let (Some(ordinal), Some(_)) = (table.stored[index], &column.computed) else { continue };
            let (first, value) = self.computed_value(table, column)?;
            out.push((ordinal, positioned(value, &stored_ids(table, first))));
        }
        Ok(out)
    }

    /// `(UPDATE ... OUTPUT ...) AS a` as rows.
    pub fn dml_table(&mut self, dml: &ast::DmlTable, ctes: Option<&CteScope>) -> SqlResult<super::scope::FromRel> {
        let _ = ctes;
        if !std::mem::take(&mut self.takes_change) {
            return Err(sql_error!(10729));
        }
        let kind = match &dml.statement.kind {
            ast::StatementKind::Insert(insert) => self.insert(insert)?,
            ast::StatementKind::Update(update) => self.update(update)?,
            ast::StatementKind::Delete(delete) => self.delete(delete)?,
            ast::StatementKind::Merge(merge) => self.merge(merge)?,
            _ => return Err(sql_error!(10716)),
        };
        let QueryKind::Modify(modify) = kind else { return Err(errors::not_supported("INSERT EXEC")) };
        let Some(output) = &modify.output else {
            return Err(sql_error!(10716));
        };
        if output.into.is_some() {
            return Err(sql_error!(10720));
        }
        if modify.current_of.is_some() {
            return Err(sql_error!(10721));
        }
        let mut ids = Vec::new();
        let mut outputs = Vec::new();
        for column in &output.columns {
            let id = self.columns.add(column.ty, column.nullable);
            ids.push(id);
            outputs.push(Output { name: column.name.clone(), expr: self.columns.expr(id) });
        }
        let rel = Rel::Leaf(Box::new(Leaf { ids, kind: LeafKind::Modify(*modify) }));
        self.named(Bound::new(rel, outputs), &dml.alias, &dml.columns)
    }

    pub fn cursor_ref(&self, cursor: &ast::CursorName) -> SqlResult<CursorRef> {
        Ok(match cursor {
            ast::CursorName::Name { name, global } => CursorRef::Name { name: name.text.clone(), global: *global },
            ast::CursorName::Variable(variable) => {
                let slot = self.names.cursors.place(&variable.name).ok_or_else(|| self.not_a_cursor(variable))?;
                CursorRef::Variable(crate::plan::CursorSlot(slot as u32))
            }
        })
    }
}

impl Binder<'_> {
    /// 16948 for a variable of another type, 137 for one that is not declared.
    pub fn not_a_cursor(&self, variable: &ast::Variable) -> types::SqlError {
        let scalar = self.names.variables.has(&variable.name);
        let table = self.names.table_variables.has(&variable.name);
        match scalar || table {
            true => sql_error!(16948, variable.name).at_line(variable.line),
            false => errors::undeclared_variable(&variable.name).at_line(variable.line),
        }
    }
}

/// Which of `inserted` and `deleted` an OUTPUT clause may name.
#[derive(Clone, Copy)]
pub struct Changes {
    pub inserted: bool,
    pub deleted: bool,
}

pub fn table_source(alias: &str, table: &Arc<TableDef>, first: ColumnId) -> Source {
    Source {
        alias: alias.into(),
        schema: None,
        qualified: false,
        columns: SourceColumns::Table { table: table.clone(), first },
        nullable: false,
        written: None,
    }
}

/// A value as a column takes it. Strings and binaries that may be too long stay so: writing the row refuses them (2628) or
/// drops blanks; everything else has the column's type exactly.
pub fn fitted(value: Expr, column: &ColumnDef) -> SqlResult<Expr> {
    let to = column.ty;
    let long = |from: &SqlType| from.length > to.length && !to.is_max();
    if value.ty.is_string() && to.is_string() && !is_null_literal(&value) {
        let mut own = value.ty;
        if to.is_unicode_string() && !own.is_unicode_string() {
            own = super::convert::typing_wide(&own);
        } else if !to.is_unicode_string() && own.is_unicode_string() {
            own = SqlType {
                kind: TypeKind::VarChar,
                length: if own.is_max() { own.length } else { (own.length / 2).max(1) },
                ..own
            };
        }
        own.collation = to.collation;
        if long(&own) {
            own.kind = if to.is_unicode_string() { TypeKind::NVarChar } else { TypeKind::VarChar };
            return Ok(if value.ty == own { value } else { converted(value, &own, false) });
        }
        return Ok(converted(value, &to, false));
    }
    if value.ty.is_binary() && matches!(to.kind, TypeKind::Binary | TypeKind::VarBinary) && long(&value.ty) {
        return Ok(value);
    }
    implicit(value, &to)
}

pub fn find_get(rel: &mut Rel, first: ColumnId) -> Option<&mut Get> {
    match rel {
        Rel::Get(get) => (get.first == first).then_some(&mut **get),
        Rel::Filter { input, .. } | Rel::Map { input, .. } | Rel::Sort { input, .. } | Rel::Spool(input) => {
            find_get(input, first)
        }
        Rel::Join(join) => match find_get(&mut join.left, first) {
            Some(get) => Some(get),
            None => find_get(&mut join.right, first),
        },
        Rel::Window(window) => find_get(&mut window.input, first),
        Rel::Top(top) => find_get(&mut top.input, first),
        _ => None,
    }
}

/// An outer join may give rows without one of the table that `find_get` finds.
pub fn may_lack(rel: &Rel, first: ColumnId) -> bool {
    match rel {
        Rel::Filter { input, .. } | Rel::Map { input, .. } | Rel::Sort { input, .. } | Rel::Spool(input) => {
            may_lack(input, first)
        }
        Rel::Join(join) => {
            let mut right = Vec::new();
            every_get(&join.right, &mut right);
            let (side, extended) = match right.contains(&first) {
                true => (&join.right, join.kind != JoinKind::Inner),
                false => (&join.left, join.kind == JoinKind::FullOuter),
            };
            extended || may_lack(side, first)
        }
        Rel::Window(window) => may_lack(&window.input, first),
        Rel::Top(top) => may_lack(&top.input, first),
        _ => false,
    }
}

pub fn is_null(id: ColumnId, ty: SqlType) -> Expr {
    Expr::new(SqlType::BIT, false, ExprKind::IsNull(Box::new(Expr::column(id.index(), ty, true))))
}

/// The first columns of the tables that `find_get` finds.
pub fn every_get(rel: &Rel, firsts: &mut Vec<ColumnId>) {
    match rel {
        Rel::Get(get) => firsts.push(get.first),
        Rel::Filter { input, .. } | Rel::Map { input, .. } | Rel::Sort { input, .. } | Rel::Spool(input) => {
            every_get(input, firsts);
        }
        Rel::Join(join) => {
            every_get(&join.left, firsts);
            every_get(&join.right, firsts);
        }
        Rel::Window(window) => every_get(&window.input, firsts),
        Rel::Top(top) => every_get(&top.input, firsts),
        _ => {}
    }
}

/// A read of `target` anywhere inside; a subquery may hide one.
pub fn reads_table(rel: &Rel, target: &TableSource) -> bool {
    count_reads(rel, target) > 0
}

fn count_reads(rel: &Rel, target: &TableSource) -> usize {
    let mut count = match rel {
        Rel::Get(get) => get.source.is_same(target) as usize,
        _ => 0,
    };
    rel.for_each_expr(&mut |e| count += e.has_subquery() as usize);
    rel.for_each_input(&mut |input| count += count_reads(input, target));
    count
}

/// The target is read once more than for its rows to change.
pub fn reads_again(rel: &Rel, target: &RowTarget) -> bool {
    count_reads(rel, &target.source) > 1
}

pub fn spooled(plan: Operator) -> Operator {
    let (columns, rows) = (plan.columns.clone(), plan.rows);
    Operator { kind: OperatorKind::Spool(Box::new(plan)), columns, rows }
}

pub fn computed(name: &str) -> types::SqlError {
    sql_error!(271, name)
}

pub fn explicit_rowversion() -> types::SqlError {
    sql_error!(273)
}

pub fn twice(name: &str) -> types::SqlError {
    sql_error!(264, name)
}

/// Why rows of `rel` are no rows of one table: 4403, 4418 for groups, 4417, 4426, 4436, 4447 for sets, else 4406, 4421. `is_view`: it is a
/// view's, else a derived table's.
#[cold]
pub fn not_updatable(rel: &Rel, name: &str, is_view: bool) -> types::SqlError {
    match (blocker(rel), is_view) {
        (Some(Rel::Concat { branches, .. }), _) if branches.last().is_some_and(|last| reads_history(&last.rel)) => {
            derived_field(name)
        }
        (Some(Rel::Aggregate(group)), true) if matches!(group.input, Rel::Concat { .. }) => sql_error!(4426, name),
        (Some(Rel::Aggregate(group)), false) if matches!(group.input, Rel::Concat { .. }) => sql_error!(4417, name),
        (Some(Rel::Aggregate(_)), true) => sql_error!(4403, name),
        (Some(Rel::Aggregate(_)), false) => sql_error!(4418, name),
        (Some(Rel::Concat { .. }), true) => sql_error!(4436, name),
        (Some(Rel::SetOperation { .. }), true) => sql_error!(4447, name),
        (Some(_), false) => sql_error!(4417, name),
        (_, true) => sql_error!(4406, name),
        (_, false) => sql_error!(4421, name),
    }
}

/// A value of groups, and not what they are made by.
pub fn is_of_groups(rel: &Rel, id: ColumnId) -> bool {
    matches!(blocker(rel), Some(Rel::Aggregate(group)) if !group.group.iter().any(|(key, _)| *key == id))
}

/// What makes rows of several.
fn blocker(rel: &Rel) -> Option<&Rel> {
    match rel {
        Rel::Aggregate(_) | Rel::Concat { .. } | Rel::SetOperation { .. } => Some(rel),
        Rel::Filter { input, .. } | Rel::Map { input, .. } | Rel::Sort { input, .. } | Rel::Spool(input) => {
            blocker(input)
        }
        Rel::Join(join) => blocker(&join.left).or_else(|| blocker(&join.right)),
        Rel::Window(window) => blocker(&window.input),
        Rel::Top(top) => blocker(&top.input),
        _ => None,
    }
}

/// The versions that FOR SYSTEM_TIME reads end with those of the history table.
fn reads_history(rel: &Rel) -> bool {
    match rel {
        Rel::Get(get) => get.table.is_history(),
        Rel::Filter { input, .. } | Rel::Map { input, .. } => reads_history(input),
        _ => false,
    }
}

/// 4406
pub fn derived_field(name: &str) -> types::SqlError {
    sql_error!(4406, name)
}
