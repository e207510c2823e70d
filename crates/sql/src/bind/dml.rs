//! INSERT, UPDATE, DELETE: the target, what is written, and the rows it is made from.

use std::sync::Arc;

use types::{SqlResult, SqlType, TypeKind};

use super::binder::{Binder, Block, Place};
use super::convert::{converted, implicit};
use super::errors;
use super::names::{display, object_name, same_name};
use super::query::{Bound, Use, compound};
use super::scope::{CteScope, Scope, Source, SourceColumns};
use super::typing::is_null_literal;
use crate::ast;
use crate::catalog::{ColumnDef, ModuleKind, Object, TableDef};
use crate::optimize::{ColumnId, ColumnSet, Get, Leaf, LeafKind, Output, Rel, TopRows};
use crate::plan::{
    ActionKind, Check, CursorRef, Expr, ExprKind, Modify, ModifyAction, Operator, OperatorKind, QueryKind, TableSource,
    VariableSlot, VariableSlotTable,
};

/// What an INSERT, or an OUTPUT INTO, writes to.
pub struct InsertTarget {
    pub source: TableSource,
    pub table: Arc<TableDef>,
    /// Names the statement may use, and the table's columns they are.
    pub columns: Vec<(Box<str>, u16)>,
    pub name: String,
}

/// What an UPDATE or DELETE writes to, within its FROM.
pub struct RowTarget {
    pub source: TableSource,
    pub table: Arc<TableDef>,
    pub first: ColumnId,
    pub locator: ColumnId,
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
    pub fn insert(&mut self, insert: &ast::Insert) -> SqlResult<QueryKind> {
        let ctes = insert.with.as_ref().map(|with| CteScope {
            parent: None,
            ctes: &with.ctes,
            visible: with.ctes.len(),
            recursive: None,
        });
        if let Some(with) = &insert.with {
            self.check_ctes(with)?;
        }
        let ctes = ctes.as_ref();
        let target = self.insert_target(&insert.target)?;
        let identity_insert = self.identity_insert(&target.table);
        let columns = self.insert_columns(&target, &insert.columns, identity_insert)?;
        let listed = !insert.columns.is_empty();

        let (source, supplied) = match &insert.source {
            ast::InsertSource::Values(rows) => self.insert_values(rows, &target, &columns, listed, ctes)?,
            ast::InsertSource::DefaultValues => (Rel::one_row(), Vec::new()),
            ast::InsertSource::Query(query) => {
                let bound = self.query(query, None, ctes, Use::Rows)?;
                let count = bound.outputs.len();
                if count != columns.len() {
                    return Err(if !listed {
                        mismatch()
                    } else if count < columns.len() {
                        errors::plain(
                            120,
                            15,
                            1,
                            "The select list for the INSERT statement contains fewer items than the insert list. The number of SELECT values must match the number of INSERT columns.",
                        )
                    } else {
                        errors::plain(
                            121,
                            15,
                            1,
                            "The select list for the INSERT statement contains more items than the insert list. The number of SELECT values must match the number of INSERT columns.",
                        )
                    });
                }
                let mut supplied = Vec::with_capacity(count);
                for (output, &column) in bound.outputs.into_iter().zip(&columns) {
                    supplied.push(Some(fitted(output.expr, &target.table.columns[column as usize])?));
                }
                (bound.rel, supplied)
            }
            ast::InsertSource::Execute(_) | ast::InsertSource::ExecuteString(_) => {
                let ids: Vec<ColumnId> =
                    columns.iter().map(|&c| self.columns.add(target.table.columns[c as usize].ty, true)).collect();
                let supplied = ids.iter().map(|&id| Some(self.columns.expr(id))).collect();
                (Rel::Values { ids, rows: Vec::new() }, supplied)
            }
        };
        let source = match &insert.top {
            Some(top) => self.top_rows(source, top)?,
            None => source,
        };
        let source = if reads_table(&source, &target.source) { Rel::Spool(Box::new(source)) } else { source };

        // Supplied values are the source's columns; a DEFAULT of every row is made by the action.
        let mut outputs = Vec::with_capacity(columns.len());
        let mut given: Vec<(u16, Expr)> = Vec::with_capacity(columns.len());
        for (i, &column) in columns.iter().enumerate() {
            let Some(Some(expr)) = supplied.get(i) else { continue };
            let position = outputs.len();
            given.push((column, Expr::column(position, expr.ty, expr.nullable)));
            outputs.push(Output { name: target.table.columns[column as usize].name.clone(), expr: expr.clone() });
        }
        let row = self.insert_row(&target.table, &given, identity_insert)?;
        let plan = self.lowering.root(&self.columns, source, outputs);
        let width = plan.columns.len();
        let output = match &insert.output {
            Some(output) => {
                let layout = SourceLayout { ids: Vec::new() };
                Some(
                    self.output(output, &target.table, &[], layout, Changes { inserted: true, deleted: false }, width)?
                        .0,
                )
            }
            None => None,
        };
        let modify = Modify {
            target: target.source.clone(),
            source: plan,
            actions: vec![ModifyAction { condition: None, kind: ActionKind::Insert(row) }],
            verb: "INSERT",
            output,
            checks: self.checks(&target.table, None)?,
            identity_insert,
            current_of: None,
            top: None,
        };
        let execute = match &insert.source {
            ast::InsertSource::Execute(execute) => self.execute(execute)?,
            ast::InsertSource::ExecuteString(execute) => self.execute_string(execute)?,
            _ => return Ok(QueryKind::Modify(Box::new(modify))),
        };
        Ok(QueryKind::InsertExecute { insert: Box::new(modify), execute })
    }

    fn insert_values(
        &mut self,
        rows: &[Vec<ast::Expr>],
        target: &InsertTarget,
        columns: &[u16],
        listed: bool,
        ctes: Option<&CteScope>,
    ) -> SqlResult<(Rel, Vec<Option<Expr>>)> {
        for row in rows {
            if row.len() == columns.len() {
                continue;
            }
            return Err(if rows.iter().any(|other| other.len() != row.len()) {
                errors::plain(
                    10709,
                    16,
                    1,
                    "The number of columns for each row in a table value constructor must be the same.",
                )
            } else if !listed {
                mismatch()
            } else if row.len() < columns.len() {
                errors::plain(
                    109,
                    15,
                    1,
                    "There are more columns in the INSERT statement than values specified in the VALUES clause. The number of values in the VALUES clause must match the number of columns specified in the INSERT statement.",
                )
            } else {
                errors::plain(
                    110,
                    15,
                    1,
                    "There are fewer columns in the INSERT statement than values specified in the VALUES clause. The number of values in the VALUES clause must match the number of columns specified in the INSERT statement.",
                )
            });
        }
        let scope = Scope { sources: &[], parent: None, ctes, block: None };
        // A column that is DEFAULT in every row is left to the action; identity and rowversion must be.
        let made: Vec<bool> =
            (0..columns.len()).map(|i| rows.iter().all(|row| matches!(row[i], ast::Expr::Default))).collect();
        let mut cells = Vec::with_capacity(rows.len());
        for row in rows {
            let mut out = Vec::with_capacity(columns.len());
            for (i, cell) in row.iter().enumerate() {
                if made[i] {
                    continue;
                }
                let column = &target.table.columns[columns[i] as usize];
                let value = match cell {
                    ast::Expr::Default => self.default_value(column)?,
                    cell => {
                        if column.ty.kind == TypeKind::RowVersion && !is_null_ast(cell) {
                            return Err(explicit_rowversion());
                        }
                        let bound = self.expr(cell, &scope)?;
                        fitted(bound, column)?
                    }
                };
                out.push(value);
            }
            cells.push(out);
        }
        let mut ids = Vec::new();
        let mut supplied = Vec::with_capacity(columns.len());
        for (i, &column) in columns.iter().enumerate() {
            if made[i] {
                supplied.push(None);
                continue;
            }
            let position = ids.len();
            let own = &target.table.columns[column as usize].ty;
            let longest = cells.iter().map(|row| row[position].ty).max_by_key(|ty| ty.length).unwrap_or(*own);
            // Rows of one column have one type; too long a string is found when the row is made.
            for row in &mut cells {
                let taken = std::mem::replace(&mut row[position], Expr::null(longest));
                row[position] = if taken.ty == longest { taken } else { converted(taken, &longest, false) };
            }
            let id = self.columns.add(longest, cells.iter().any(|row| row[position].nullable));
            ids.push(id);
            supplied.push(Some(self.columns.expr(id)));
        }
        Ok((Rel::Values { ids, rows: cells }, supplied))
    }

    fn insert_target(&mut self, target: &ast::Target) -> SqlResult<InsertTarget> {
        match target {
            ast::Target::Variable(variable) => {
                let (slot, table) = self.table_variable(variable)?;
                self.check_not_readonly(slot)?;
                Ok(InsertTarget {
                    source: TableSource::Variable(VariableSlotTable(slot as u32), table.clone()),
                    columns: own_columns(&table),
                    table,
                    name: variable.name.to_string(),
                })
            }
            ast::Target::Table { name, .. } => self.insert_table(name),
            ast::Target::Function(_) => Err(errors::not_supported("OPENROWSET")),
        }
    }

    pub fn insert_table(&mut self, name: &ast::ObjectName) -> SqlResult<InsertTarget> {
        let shown = display(name);
        let unknown = || errors::invalid_object(&shown).at_line(name.line);
        match self.resolve(&object_name(name))?.ok_or_else(unknown)? {
            Object::Table(table) => Ok(InsertTarget {
                source: TableSource::Base(table.clone()),
                columns: own_columns(&table),
                table,
                name: shown,
            }),
            Object::Module(module) if module.kind == ModuleKind::View => {
                let ident = ast::TableName {
                    name: name.clone(),
                    alias: None,
                    hints: Vec::new(),
                    sample: None,
                    system_time: None,
                    data_source: None,
                };
                let (mut rel, sources) = self.table_ref(&ast::TableRef::Table(Box::new(ident)), None, None, 0)?;
                let mut base: Option<RowTarget> = None;
                let mut columns = Vec::new();
                for index in 0..sources[0].len() {
                    let column = sources[0].column(index);
                    let Some((target, ordinal)) = self.base_column(&mut rel, column.id, base.as_ref()) else {
                        continue;
                    };
                    columns.push((column.name, ordinal));
                    base.get_or_insert(target);
                }
                let Some(base) = base else {
                    return Err(errors::plain(
                        4406,
                        16,
                        1,
                        format!(
                            "Update or insert of view or function '{shown}' failed because it contains a derived or constant field."
                        ),
                    ));
                };
                Ok(InsertTarget { source: base.source, table: base.table, columns, name: shown })
            }
            Object::Virtual(_) => Err(errors::plain(259, 16, 1, "Ad hoc updates to system catalogs are not allowed.")),
            _ => Err(unknown()),
        }
    }

    /// The base table's column that `id` is, of the same table as `known` if that is given.
    fn base_column(&mut self, rel: &mut Rel, id: ColumnId, known: Option<&RowTarget>) -> Option<(RowTarget, u16)> {
        let origin = self.columns.origin(id)?;
        let first = ColumnId(id.0 - origin.column as u32);
        if known.is_some_and(|known| known.first != first) {
            return None;
        }
        let get = find_get(rel, first)?;
        let target = RowTarget {
            source: get.source.clone(),
            table: get.table.clone(),
            first,
            locator: get.locator.unwrap_or(first),
        };
        Some((target, origin.column))
    }

    fn identity_insert(&self, table: &TableDef) -> bool {
        self.options.identity_insert == Some((table.database, table.object))
    }

    /// The columns that values are given for, in the order of the values.
    pub fn insert_columns(
        &mut self,
        target: &InsertTarget,
        names: &[ast::ColumnName],
        identity_insert: bool,
    ) -> SqlResult<Vec<u16>> {
        let table = &target.table;
        if names.is_empty() {
            let mut out = Vec::with_capacity(target.columns.len());
            for (_, column) in &target.columns {
                let def = &table.columns[*column as usize];
                let given = def.computed.is_none() && (def.identity.is_none() || identity_insert);
                if given {
                    out.push(*column);
                }
            }
            if identity_insert && table.columns.iter().any(|c| c.identity.is_some()) {
                return Err(errors::plain(
                    8101,
                    16,
                    1,
                    format!(
                        "An explicit value for the identity column in table '{}' can only be specified when a column list is used and IDENTITY_INSERT is ON.",
                        target.name
                    ),
                ));
            }
            return Ok(out);
        }
        let mut out: Vec<u16> = Vec::with_capacity(names.len());
        for name in names {
            let found = if name.name.is("$identity") {
                table.columns.iter().position(|c| c.identity.is_some()).map(|c| c as u16)
            } else {
                target.columns.iter().find(|(known, _)| same_name(known, &name.name)).map(|(_, column)| *column)
            };
            let Some(column) = found else {
                return Err(errors::invalid_column(&name.name).at_line(name.line));
            };
            let def = &table.columns[column as usize];
            if out.contains(&column) {
                return Err(twice(&def.name).at_line(name.line));
            }
            if def.computed.is_some() {
                return Err(computed(&def.name).at_line(name.line));
            }
            if def.identity.is_some() && !identity_insert {
                return Err(errors::plain(
                    544,
                    16,
                    1,
                    format!(
                        "Cannot insert explicit value for identity column in table '{}' when IDENTITY_INSERT is set to OFF.",
                        table.name
                    ),
                )
                .at_line(name.line));
            }
            out.push(column);
        }
        if identity_insert {
            let missing =
                table.columns.iter().enumerate().any(|(i, c)| c.identity.is_some() && !out.contains(&(i as u16)));
            if missing {
                return Err(errors::plain(
                    545,
                    16,
                    1,
                    format!(
                        "Explicit value must be specified for identity column in table '{}' either when IDENTITY_INSERT is set to ON or when a replication user is inserting into a NOT FOR REPLICATION identity column.",
                        table.name
                    ),
                ));
            }
        }
        Ok(out)
    }

    /// The DEFAULT of a column, or NULL.
    pub fn default_value(&mut self, column: &ColumnDef) -> SqlResult<Expr> {
        let Some(text) = &column.default else { return Ok(Expr::null(column.ty)) };
        let parsed = super::modules::parse_expression(text)?;
        let bound = self.expand(|binder| binder.without_variables(|binder| binder.expr(&parsed, &Scope::EMPTY)))?;
        fitted(bound, column)
    }

    /// A value for every stored column: what is given (over the source row), defaults, computed columns.
    pub fn insert_row(
        &mut self,
        table: &Arc<TableDef>,
        given: &[(u16, Expr)],
        identity_insert: bool,
    ) -> SqlResult<Vec<Option<Expr>>> {
        let count = table.stored.iter().flatten().count();
        let mut row: Vec<Option<Expr>> = (0..count).map(|_| None).collect();
        let mut values: Vec<(u16, Expr)> = Vec::with_capacity(table.columns.len());
        let mut later = Vec::new();
        for (index, column) in table.columns.iter().enumerate() {
            let Some(ordinal) = table.stored[index] else { continue };
            if column.computed.is_some() {
                later.push((index, ordinal));
                continue;
            }
            let value = match given.iter().find(|(c, _)| *c as usize == index) {
                Some((_, value)) => {
                    if column.ty.kind == TypeKind::RowVersion {
                        if !is_null_literal(value) {
                            return Err(explicit_rowversion());
                        }
                        continue;
                    }
                    value.clone()
                }
                None if column.identity.is_some() && !identity_insert => continue,
                None if column.ty.kind == TypeKind::RowVersion => continue,
                None => self.default_value(column)?,
            };
            values.push((index as u16, value.clone()));
            row[ordinal as usize] = Some(value);
        }
        for (index, ordinal) in later {
            let column = &table.columns[index];
            let (first, mut value) = self.computed_value(table, column)?;
            value.rewrite(&mut |e| {
                let ExprKind::Column(id) = e.kind else { return false };
                let own = id as u32 - first.0;
                *e = match values.iter().find(|(c, _)| *c as u32 == own) {
                    Some((_, value)) => value.clone(),
                    None => Expr::null(e.ty),
                };
                true
            });
            row[ordinal as usize] = Some(value);
        }
        Ok(row)
    }

    /// The expression of a computed column over the table's columns from the id that is given.
    fn computed_value(&mut self, table: &Arc<TableDef>, column: &ColumnDef) -> SqlResult<(ColumnId, Expr)> {
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
            out.push(Check { name: check.name.clone(), predicate, column: check.column, view: false });
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
        let (count, percent) = self.top_count(top)?;
        Ok(Rel::Top(Box::new(TopRows {
            input,
            keys: Vec::new(),
            count: Some(count),
            percent,
            with_ties: false,
            offset: None,
        })))
    }

    pub fn update(&mut self, update: &ast::Update) -> SqlResult<QueryKind> {
        let shape = RowStatement {
            with: update.with.as_deref(),
            top: update.top.as_deref(),
            target: &update.target,
            from: &update.from,
            filter: update.filter.as_ref(),
            output: update.output.as_deref(),
        };
        self.row_statement(&shape, Some(&update.set))
    }

    pub fn delete(&mut self, delete: &ast::Delete) -> SqlResult<QueryKind> {
        let shape = RowStatement {
            with: delete.with.as_deref(),
            top: delete.top.as_deref(),
            target: &delete.target,
            from: &delete.from,
            filter: delete.filter.as_ref(),
            output: delete.output.as_deref(),
        };
        self.row_statement(&shape, None)
    }

    fn row_statement(&mut self, shape: &RowStatement, set: Option<&[ast::SetClause]>) -> SqlResult<QueryKind> {
        let block = self.blocks.len();
        self.blocks.push(Block { place: Place::Set, ..Block::default() });
        let result = self.row_statement_in(shape, set, block);
        self.blocks.truncate(block);
        result
    }

    fn row_statement_in(
        &mut self,
        shape: &RowStatement,
        set: Option<&[ast::SetClause]>,
        block: usize,
    ) -> SqlResult<QueryKind> {
        let own;
        let ctes = match shape.with {
            Some(with) => {
                self.check_ctes(with)?;
                own = CteScope { parent: None, ctes: &with.ctes, visible: with.ctes.len(), recursive: None };
                Some(&own)
            }
            None => None,
        };
        let (mut rel, sources, named) = self.target_from(shape, ctes, block)?;
        let scope = Scope { sources: &sources, parent: None, ctes, block: Some(block) };

        // SET names columns of the target only.
        let target_sources = std::slice::from_ref(&sources[named]);
        let names = Scope { sources: target_sources, parent: None, ctes: None, block: None };
        let first_column = first_set_column(set.unwrap_or(&[]), &names)?;
        let target = self.row_target(&mut rel, &sources[named], first_column)?;
        let mut current_of = None;
        match shape.filter {
            Some(ast::Filter::Where(condition)) => {
                self.blocks[block].place = Place::Where;
                rel = self.filter(rel, condition, &scope)?;
                self.blocks[block].place = Place::Set;
            }
            Some(ast::Filter::CurrentOf(cursor)) => current_of = Some(self.cursor_ref(cursor)?),
            None => {}
        }
        if let Some(top) = shape.top {
            rel = self.top_rows(rel, top)?;
        }

        let mut layout = SourceLayout { ids: stored_ids(&target.table, target.first) };
        layout.ids.push(target.locator);
        let none = ColumnSet::default();
        let update = match set {
            Some(set) => {
                let update = self.set_clauses(set, &target, &names, &scope)?;
                update.set.iter().for_each(|(_, e)| layout.read(e, &none));
                update.assign.iter().for_each(|(_, e)| layout.read(e, &none));
                Some(update)
            }
            None => None,
        };
        let changes = Changes { inserted: set.is_some(), deleted: true };
        let (output, layout) = match shape.output {
            Some(output) => {
                let (output, layout) = self.output(output, &target.table, &sources, layout, changes, 0)?;
                (Some(output), layout)
            }
            None => (None, layout),
        };
        let mut set_columns = Vec::new();
        let action = match update {
            Some(update) => {
                let mut set = Vec::with_capacity(update.set.len());
                for (column, value) in update.set {
                    set_columns.push(column);
                    let ordinal = target.table.stored[column as usize].expect("computed columns are refused");
                    set.push((ordinal, positioned(value, &layout.ids)));
                }
                let assign =
                    update.assign.into_iter().map(|(slot, value)| (slot, positioned(value, &layout.ids))).collect();
                ActionKind::Update { set, computed: self.computed_columns(&target.table)?, assign }
            }
            None => ActionKind::Delete,
        };
        let twice = reads_again(&rel, &target);
        let plan = self.lower_source(rel, &layout);
        let plan = if twice || moves_in_scan(&plan, &target, &set_columns) { spooled(plan) } else { plan };
        let checks = match set {
            Some(_) => self.checks(&target.table, Some(&set_columns))?,
            None => Vec::new(),
        };
        Ok(QueryKind::Modify(Box::new(Modify {
            target: target.source,
            source: plan,
            actions: vec![ModifyAction { condition: None, kind: action }],
            verb: if set.is_some() { "UPDATE" } else { "DELETE" },
            output,
            checks,
            identity_insert: false,
            current_of,
            top: None,
        })))
    }

    pub fn lower_source(&mut self, rel: Rel, layout: &SourceLayout) -> Operator {
        let outputs = layout.ids.iter().map(|&id| Output { name: "".into(), expr: self.columns.expr(id) }).collect();
        self.lowering.root(&self.columns, rel, outputs)
    }

    /// FROM with the target in it, and which source names the target.
    fn target_from(
        &mut self,
        shape: &RowStatement,
        ctes: Option<&CteScope>,
        block: usize,
    ) -> SqlResult<(Rel, Vec<Source>, usize)> {
        let own = match shape.target {
            ast::Target::Table { name, hints } => ast::TableRef::Table(Box::new(ast::TableName {
                name: name.clone(),
                alias: None,
                hints: hints.clone(),
                sample: None,
                system_time: None,
                data_source: None,
            })),
            ast::Target::Variable(variable) => ast::TableRef::Variable(Box::new(ast::TableVariable {
                variable: variable.clone(),
                alias: None,
                hints: Vec::new(),
            })),
            ast::Target::Function(_) => return Err(errors::not_supported("OPENROWSET")),
        };
        if shape.from.is_empty() {
            let (rel, sources) = self.table_ref(&own, None, ctes, block)?;
            return Ok((rel, sources, 0));
        }
        let (rel, mut sources) = self.from(shape.from, None, ctes, block)?;
        let wanted: (&str, Option<&str>) = match shape.target {
            ast::Target::Table { name, .. } => (&name.name, name.schema.as_deref()),
            ast::Target::Variable(variable) => (&variable.name, None),
            ast::Target::Function(_) => ("", None),
        };
        let by_alias = sources.iter().position(|source| {
            same_name(&source.alias, wanted.0)
                && (wanted.1.is_none() || matches!((wanted.1, &source.schema), (Some(a), Some(b)) if same_name(a, b)))
        });
        if let Some(named) = by_alias {
            return Ok((rel, sources, named));
        }
        // The table under another name: it is the target if FROM has it once.
        if let ast::Target::Table { name, .. } = shape.target {
            if let Some(Object::Table(table)) = self.resolve(&object_name(name))? {
                let same: Vec<usize> = (0..sources.len())
                    .filter(|&i| match &sources[i].columns {
                        SourceColumns::Table { table: other, .. } => {
                            other.object == table.object && other.database == table.database
                        }
                        SourceColumns::List(_) => false,
                    })
                    .collect();
                match same.as_slice() {
                    [one] => return Ok((rel, sources, *one)),
                    [] => {}
                    _ => {
                        return Err(errors::plain(8154, 15, 1, format!("The table '{}' is ambiguous.", display(name))));
                    }
                }
            }
        }
        let (own_rel, own_sources) = self.table_ref(&own, None, ctes, block)?;
        let named = sources.len();
        sources.extend(own_sources);
        Ok((Rel::join(crate::plan::JoinKind::Inner, own_rel, rel, Vec::new()), sources, named))
    }

    /// The base table under `source`, told to give the locator of its rows.
    fn row_target(&mut self, rel: &mut Rel, source: &Source, set_column: Option<ColumnId>) -> SqlResult<RowTarget> {
        let first = match &source.columns {
            SourceColumns::Table { first, .. } => *first,
            SourceColumns::List(list) => {
                let candidates: Vec<ColumnId> = match set_column {
                    Some(id) => vec![id],
                    None => list.iter().map(|column| column.id).collect(),
                };
                let mut firsts: Vec<ColumnId> = candidates
                    .iter()
                    .filter_map(|&id| self.columns.info(id).origin.map(|(_, column)| ColumnId(id.0 - column as u32)))
                    .collect();
                firsts.dedup();
                match firsts.as_slice() {
                    [one] => *one,
                    [] => return Err(derived_field(&source.alias)),
                    _ => {
                        return Err(errors::plain(
                            4405,
                            16,
                            1,
                            format!(
                                "View or function '{}' is not updatable because the modification affects multiple base tables.",
                                source.alias
                            ),
                        ));
                    }
                }
            }
        };
        let locator = self.columns.add(SqlType::varbinary(64), true);
        let Some(get) = find_get(rel, first) else { return Err(derived_field(&source.alias)) };
        if let TableSource::Variable(slot, _) = &get.source {
            self.check_not_readonly(slot.0 as usize)?;
        }
        if get.locator.is_none() {
            get.locator = Some(locator);
        }
        // What is changed is read as it is now, not as it was when the statement began: no update is lost.
        get.lock.update |= !get.lock.no_lock && !get.lock.exclusive;
        Ok(RowTarget {
            source: get.source.clone(),
            table: get.table.clone(),
            first,
            locator: get.locator.unwrap_or(locator),
        })
    }

    /// SET clauses: values by table column, over the columns of FROM.
    pub fn set_clauses(
        &mut self,
        set: &[ast::SetClause],
        target: &RowTarget,
        names: &Scope,
        scope: &Scope,
    ) -> SqlResult<SetValues> {
        let mut out = SetValues { set: Vec::new(), assign: Vec::new() };
        for clause in set {
            match clause {
                ast::SetClause::Column { column, op, value } => {
                    let value = self.set_column(column, *op, value, target, names, scope, &out)?;
                    out.set.push(value);
                }
                ast::SetClause::Variable { variable, op, value } => {
                    let slot = self.slot(variable)?;
                    let value = self.expr(value, scope)?;
                    let value = self.assigned(slot, *op, value)?;
                    out.assign.push((slot, value));
                }
                ast::SetClause::VariableColumn { variable, column, op, value } => {
                    let slot = self.slot(variable)?;
                    let (column, value) = self.set_column(column, *op, value, target, names, scope, &out)?;
                    let ty = self.names.variables[slot.0 as usize].ty;
                    out.assign.push((slot, implicit(value.clone(), &ty)?));
                    out.set.push((column, value));
                }
                ast::SetClause::Method { column, method, args } => {
                    if !method.is("write") || args.len() != 3 {
                        return Err(errors::plain(258, 15, 1, format!("Cannot call methods on {}.", &*column.name)));
                    }
                    // column.WRITE(value, offset, length) is STUFF from offset on; a NULL offset appends.
                    let value = self.write_method(column, args, names, scope)?;
                    let id = self.target_column(column, target, names, &out)?;
                    out.set.push((id, fitted(value, &target.table.columns[id as usize])?));
                }
            }
        }
        Ok(out)
    }

    fn write_method(
        &mut self,
        column: &ast::ColumnName,
        args: &[ast::Expr],
        names: &Scope,
        scope: &Scope,
    ) -> SqlResult<Expr> {
        use crate::function::FunctionId;
        let plain = ast::ColumnName { table: None, ..column.clone() };
        let (found, _) = names.column(&plain)?;
        let own = Expr::column(found.id.index(), found.ty, found.nullable);
        if !found.ty.is_max() {
            return Err(errors::plain(8137, 16, 1, "Incorrect use of the XML data type method."));
        }
        let value = self.expr_as(&args[0], &found.ty, scope)?;
        let offset = self.expr_as(&args[1], &SqlType::BIGINT, scope)?;
        let length = self.expr_as(&args[2], &SqlType::BIGINT, scope)?;
        let appended = super::expr::arithmetic(crate::plan::ArithmeticOp::Add, own.clone(), value.clone())?;
        let from = Expr::new(
            SqlType::BIGINT,
            true,
            ExprKind::Arithmetic(crate::plan::ArithmeticOp::Add, Box::new(offset.clone()), Box::new(Expr::bigint(1))),
        );
        let whole = Expr::new(SqlType::BIGINT, true, ExprKind::Function(FunctionId::Datalength, vec![own.clone()]));
        let length = Expr::new(SqlType::BIGINT, true, ExprKind::Function(FunctionId::Isnull, vec![length, whole]));
        let stuffed = Expr::new(found.ty, true, ExprKind::Function(FunctionId::Stuff, vec![own, from, length, value]));
        let missing = Expr::new(SqlType::BIT, false, ExprKind::IsNull(Box::new(offset)));
        Ok(Expr::new(
            found.ty,
            true,
            ExprKind::Case {
                branches: vec![(missing, converted(appended, &found.ty, false))],
                otherwise: Some(Box::new(stuffed)),
            },
        ))
    }

    fn target_column(
        &mut self,
        column: &ast::ColumnName,
        target: &RowTarget,
        names: &Scope,
        so_far: &SetValues,
    ) -> SqlResult<u16> {
        let plain = ast::ColumnName { table: None, ..column.clone() };
        let (found, _) = names.column(&plain)?;
        let ordinal = found.id.0.checked_sub(target.first.0).filter(|&o| (o as usize) < target.table.columns.len());
        let Some(ordinal) = ordinal else {
            return Err(derived_field(&names.sources[0].alias));
        };
        let def = &target.table.columns[ordinal as usize];
        if def.computed.is_some() {
            return Err(self::computed(&def.name).at_line(column.line));
        }
        if def.identity.is_some() {
            return Err(errors::plain(8102, 16, 1, format!("Cannot update identity column '{}'.", def.name))
                .at_line(column.line));
        }
        if def.ty.kind == TypeKind::RowVersion {
            return Err(errors::plain(272, 16, 1, "Cannot update a timestamp column.").at_line(column.line));
        }
        if so_far.set.iter().any(|(c, _)| *c == ordinal as u16) {
            return Err(twice(&def.name).at_line(column.line));
        }
        Ok(ordinal as u16)
    }

    #[allow(clippy::too_many_arguments)]
    fn set_column(
        &mut self,
        column: &ast::ColumnName,
        op: ast::AssignOp,
        value: &ast::Expr,
        target: &RowTarget,
        names: &Scope,
        scope: &Scope,
        so_far: &SetValues,
    ) -> SqlResult<(u16, Expr)> {
        let ordinal = self.target_column(column, target, names, so_far)?;
        let def = target.table.columns[ordinal as usize].clone();
        if matches!(value, ast::Expr::Default) {
            return Ok((ordinal, self.default_value(&def)?));
        }
        let mut value = self.expr(value, scope)?;
        if let Some(op) = compound(op) {
            let current = Expr::column(target.first.index() + ordinal as usize, def.ty, def.nullable);
            value = self.binary(op, current, value)?;
        }
        Ok((ordinal, fitted(value, &def)?))
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
    pub fn dml_table(&mut self, dml: &ast::DmlTable, ctes: Option<&CteScope>) -> SqlResult<super::from::FromRel> {
        let _ = ctes;
        let kind = match &dml.statement.kind {
            ast::StatementKind::Insert(insert) => self.insert(insert)?,
            ast::StatementKind::Update(update) => self.update(update)?,
            ast::StatementKind::Delete(delete) => self.delete(delete)?,
            ast::StatementKind::Merge(merge) => self.merge(merge)?,
            _ => {
                return Err(errors::plain(
                    10716,
                    15,
                    1,
                    "A nested INSERT, UPDATE, DELETE, or MERGE statement must have an OUTPUT clause.",
                ));
            }
        };
        let QueryKind::Modify(modify) = kind else { return Err(errors::not_supported("INSERT EXEC")) };
        let Some(output) = &modify.output else {
            return Err(errors::plain(
                10716,
                15,
                1,
                "A nested INSERT, UPDATE, DELETE, or MERGE statement must have an OUTPUT clause.",
            ));
        };
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
                let slot = self
                    .names
                    .cursors
                    .iter()
                    .position(|known| same_name(known, &variable.name))
                    .ok_or_else(|| errors::undeclared_variable(&variable.name).at_line(variable.line))?;
                CursorRef::Variable(crate::plan::CursorSlot(slot as u32))
            }
        })
    }
}

/// The common parts of UPDATE and DELETE.
struct RowStatement<'q> {
    with: Option<&'q ast::With>,
    top: Option<&'q ast::Top>,
    target: &'q ast::Target,
    from: &'q [ast::TableRef],
    filter: Option<&'q ast::Filter>,
    output: Option<&'q ast::Output>,
}

pub struct SetValues {
    pub set: Vec<(u16, Expr)>,
    pub assign: Vec<(VariableSlot, Expr)>,
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
    }
}

fn own_columns(table: &TableDef) -> Vec<(Box<str>, u16)> {
    table.columns.iter().enumerate().map(|(i, column)| (column.name.clone(), i as u16)).collect()
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

fn is_null_ast(expr: &ast::Expr) -> bool {
    matches!(expr, ast::Expr::Literal(ast::Literal::Null))
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

fn same_source(a: &TableSource, b: &TableSource) -> bool {
    match (a, b) {
        (TableSource::Base(a), TableSource::Base(b)) => a.object == b.object && a.database == b.database,
        (TableSource::Variable(a, _), TableSource::Variable(b, _)) => a == b,
        _ => false,
    }
}

/// A read of `target` anywhere inside; a subquery may hide one.
fn reads_table(rel: &Rel, target: &TableSource) -> bool {
    count_reads(rel, target) > 0
}

fn count_reads(rel: &Rel, target: &TableSource) -> usize {
    let mut count = match rel {
        Rel::Get(get) => same_source(&get.source, target) as usize,
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

/// The scan that finds the rows runs along a key that the statement changes: a row could be met again (the Halloween problem).
fn moves_in_scan(plan: &Operator, target: &RowTarget, set: &[u16]) -> bool {
    match &plan.kind {
        OperatorKind::Scan(scan) if scan.locator => {
            let Some(index) = target.table.indexes.iter().find(|index| index.id == scan.index) else { return false };
            let one_row = index.unique && scan.range.as_ref().is_some_and(|range| range.equal.len() == index.key.len());
            !one_row && index.key.iter().any(|(column, _)| set.contains(column))
        }
        OperatorKind::Filter { input, .. } | OperatorKind::Project { input, .. } => moves_in_scan(input, target, set),
        OperatorKind::Top(top) => moves_in_scan(&top.input, target, set),
        OperatorKind::NestedLoops(join) => {
            moves_in_scan(&join.outer, target, set) || moves_in_scan(&join.inner, target, set)
        }
        OperatorKind::HashJoin(join) => {
            moves_in_scan(&join.left, target, set) || moves_in_scan(&join.right, target, set)
        }
        // A sort or a window has read everything before it gives a row.
        _ => false,
    }
}

pub fn spooled(plan: Operator) -> Operator {
    let (columns, rows) = (plan.columns.clone(), plan.rows);
    Operator { kind: OperatorKind::Spool(Box::new(plan)), columns, rows }
}

fn mismatch() -> types::SqlError {
    errors::plain(213, 16, 1, "Column name or number of supplied values does not match table definition.")
}

fn explicit_rowversion() -> types::SqlError {
    errors::plain(
        273,
        16,
        1,
        "Cannot insert an explicit value into a timestamp column. Use INSERT with a column list to exclude the timestamp column, or insert a DEFAULT into the timestamp column.",
    )
}

fn twice(name: &str) -> types::SqlError {
    errors::plain(
        264,
        16,
        1,
        format!(
            "The column name '{name}' is specified more than once in the SET clause or column list of an INSERT. A column cannot be assigned more than one value in the same clause. Modify the clause to make sure that a column is updated only once. If this statement updates or inserts columns into a view, column aliasing can conceal the duplication in your code."
        ),
    )
}

fn computed(name: &str) -> types::SqlError {
    errors::plain(
        271,
        16,
        1,
        format!(
            "The column \"{name}\" cannot be modified because it is either a computed column or is the result of a UNION operator."
        ),
    )
}

fn derived_field(name: &str) -> types::SqlError {
    errors::plain(
        4406,
        16,
        1,
        format!(
            "Update or insert of view or function '{name}' failed because it contains a derived or constant field."
        ),
    )
}

/// Where the target of an UPDATE has the first column that is set.
fn first_set_column(set: &[ast::SetClause], names: &Scope) -> SqlResult<Option<ColumnId>> {
    for clause in set {
        if let ast::SetClause::Column { column, .. }
        | ast::SetClause::VariableColumn { column, .. }
        | ast::SetClause::Method { column, .. } = clause
        {
            let plain = ast::ColumnName { table: None, ..column.clone() };
            return Ok(Some(names.column(&plain)?.0.id));
        }
    }
    Ok(None)
}
