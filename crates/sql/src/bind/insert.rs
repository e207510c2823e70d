//! INSERT: its target, the values it is given, and the row that is made of them.

use std::sync::Arc;

use types::{MAX_LENGTH, SqlResult, SqlType, TypeKind, sql_error};

use super::binder::Binder;
use super::convert::{converted, unify};
use super::dml::{
    Changes, RowTarget, SourceLayout, computed, derived_field, explicit_rowversion, find_get, fitted, not_updatable,
    reads_table, twice,
};
use super::errors;
use super::names::{display, object_name, same_name};
use super::output_shown::Shown;
use super::query::Use;
use super::scope::{CteScope, Scope, TriggeredView};
use super::typing::is_null_literal;
use super::view_use::{self, Change};
use crate::ast;
use crate::catalog::{ColumnDef, ModuleKind, Object, TableDef};
use crate::optimize::{ColumnId, Output, Rel};
use crate::plan::{Action, ActionKind, Expr, Modify, ModifyAction, NewRow, QueryKind, TableSource, VariableSlotTable};

/// What an INSERT, or an OUTPUT INTO, writes to.
pub struct InsertTarget {
    pub source: TableSource,
    pub table: Arc<TableDef>,
    /// Names the statement may use, and the table's columns they are.
    pub columns: Vec<(Box<str>, u16)>,
    pub name: String,
    /// Of a table that a view shows: its columns' first id in the view's text, and how the view shows them.
    pub shown: Option<(ColumnId, Option<Shown>)>,
    /// Columns of the view that take no value, and whether they are another table's.
    pub others: Vec<(Box<str>, bool)>,
}

/// The type in which a called module's value comes to a column: whole, so that one which is too long is found there.
fn whole(ty: &SqlType) -> SqlType {
    let kind = match ty.kind {
        TypeKind::Char | TypeKind::VarChar => TypeKind::VarChar,
        TypeKind::NChar | TypeKind::NVarChar => TypeKind::NVarChar,
        TypeKind::Binary | TypeKind::VarBinary => TypeKind::VarBinary,
        _ => return *ty,
    };
    SqlType { kind, length: MAX_LENGTH, ..*ty }
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
        let is_named = |column: &str| insert.columns.iter().any(|name| same_name(&name.name, column));
        let target = self.insert_target(&insert.target, &is_named, ctes)?;
        let identity_insert = self.identity_insert(&target.table);
        let noted = self.missing_columns();
        let mut columns = self.insert_columns(&target, &insert.columns)?;
        let unknown = self.missing_columns() - noted;
        refuse_unlisted(insert, &target)?;

        let (source, mut supplied) = match &insert.source {
            ast::InsertSource::Values(rows) => {
                self.insert_values(rows, &target, &columns, insert.columns.len(), ctes)?
            }
            ast::InsertSource::DefaultValues => self.no_values(&target, identity_insert)?,
            ast::InsertSource::Query(query) => self.insert_query(insert, query, &target, &columns, ctes)?,
            ast::InsertSource::Execute(_) | ast::InsertSource::ExecuteString(_) => {
                self.check_called(insert, &target.table, &columns)?;
                self.called_rows(&target.table, &columns)?
            }
        };
        self.told_behind(noted, unknown);
        let source = match insert.source {
            ast::InsertSource::Execute(_) | ast::InsertSource::ExecuteString(_) => source,
            _ => self.share_draws(&target.table, &mut columns, source, &mut supplied)?,
        };
        let source = match &insert.top {
            Some(top) => self.top_rows(source, top)?,
            None => source,
        };
        view_use::refuse_output(insert.output.as_deref(), &target.table, &[Change::Insert], &target.name)?;
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
        let plan = self.lowering.root(&mut self.columns, source, outputs);
        let width = plan.columns.len();
        let output = self.insert_output(insert, &target, width)?;
        let mut checks = self.checks(&target.table, None)?;
        if let Some((first, _)) = target.shown {
            checks.extend(self.view_checks(&target.table, first, None)?);
        }
        let barriers = self.barriers(&target.source, Change::Insert, &[])?;
        let (cascades, views) = self.consequences(&target.source, &[], &[], output.as_ref())?;
        let modify = Modify {
            target: target.source.clone(),
            source: plan,
            actions: vec![ModifyAction { condition: None, kind: ActionKind::Insert(row), barriers }],
            cascades,
            views,
            verb: "INSERT",
            output,
            checks,
            identity_insert,
            current_of: None,
            top: None,
        };
        let execute = match &insert.source {
            ast::InsertSource::Execute(execute) => self.execute(execute)?,
            ast::InsertSource::ExecuteString(execute) => self.execute_string(execute)?,
            _ => return Ok(QueryKind::Modify(Box::new(modify))),
        };
        if execute.result_sets.is_some() {
            return Err(errors::unsupported("INSERT ... EXECUTE ... WITH RESULT SETS"));
        }
        Ok(QueryKind::InsertExecute { insert: Box::new(modify), execute })
    }

    /// The rows of a query, and what each of `columns` gets of them.
    fn insert_query(
        &mut self,
        insert: &ast::Insert,
        query: &ast::Query,
        target: &InsertTarget,
        columns: &[u16],
        ctes: Option<&CteScope>,
    ) -> SqlResult<(Rel, Vec<Option<Expr>>)> {
        super::xml::refuse_text(query, "INSERT")?;
        self.takes_change = is_of_change(query);
        if self.takes_change {
            refuse_beside_change(target)?;
        }
        let bound = self.query(query, None, ctes, Use::Rows)?;
        let count = bound.outputs.len();
        let listed = !insert.columns.is_empty();
        let wanted = if listed { insert.columns.len() } else { columns.len() };
        if count != wanted {
            return Err(self.wrong_count(target, listed, count < wanted));
        }
        self.check_identity(&target.table, columns, self.identity_insert(&target.table))?;
        let mut supplied = Vec::with_capacity(count);
        for (output, &column) in bound.outputs.into_iter().zip(columns) {
            let value = fitted(output.expr, &target.table.columns[column as usize])?;
            supplied.push(Some(self.masked(value)));
        }
        Ok((bound.rel, supplied))
    }

    /// `width`: of the source.
    fn insert_output(
        &mut self,
        insert: &ast::Insert,
        target: &InsertTarget,
        width: usize,
    ) -> SqlResult<Option<crate::plan::Output>> {
        let Some(output) = &insert.output else { return Ok(None) };
        let layout = SourceLayout { ids: Vec::new() };
        let changes = Changes { inserted: true, deleted: false };
        let shown = target.shown.as_ref().and_then(|(_, shown)| shown.as_ref());
        Ok(Some(self.output(output, &target.table, &[], layout, changes, width, shown)?.0))
    }

    /// The rows that a call will give, and its values for `columns`.
    fn called_rows(&mut self, table: &TableDef, columns: &[u16]) -> SqlResult<(Rel, Vec<Option<Expr>>)> {
        let mut ids = Vec::with_capacity(columns.len());
        let mut supplied = Vec::with_capacity(columns.len());
        for &column in columns {
            let column = &table.columns[column as usize];
            let id = self.columns.add(whole(&column.ty), true);
            supplied.push(Some(fitted(self.columns.expr(id), column)?));
            ids.push(id);
        }
        Ok((Rel::Values { ids, rows: Vec::new() }, supplied))
    }

    fn insert_values(
        &mut self,
        rows: &[Vec<ast::Expr>],
        target: &InsertTarget,
        columns: &[u16],
        listed: usize,
        ctes: Option<&CteScope>,
    ) -> SqlResult<(Rel, Vec<Option<Expr>>)> {
        let scope = Scope { ctes, ..Scope::NO_ROWS };
        let wanted = if listed > 0 { listed } else { columns.len() };
        if columns.len() != wanted || rows.iter().any(|row| row.len() != wanted) {
            // The values tell what is wrong in them, and then the list does.
            let values = rows.iter().flatten().filter(|value| !matches!(value, ast::Expr::Default));
            for value in values {
                self.expr(value, &scope)?;
            }
        }
        if let Some(error) = count_mismatch(rows, target, listed, wanted) {
            return Err(self.told_last(error));
        }
        if columns.len() != wanted {
            // Something stands for a column that the list names and the table has not.
            let rows = Rel::Values { ids: Vec::new(), rows: Vec::new() };
            return Ok((rows, Vec::new()));
        }
        let identity_insert = self.identity_insert(&target.table);
        let identity = columns.iter().position(|column| target.table.columns[*column as usize].identity.is_some());
        let unfit = |cell: &ast::Expr| matches!(cell, ast::Expr::Default) || identity_insert && is_null_ast(cell);
        if identity.is_some_and(|at| rows.iter().any(|row| unfit(&row[at]))) {
            return Err(sql_error!(339));
        }
        self.check_identity(&target.table, columns, identity_insert)?;
        let missing = self.missing_columns();
        // A column that is DEFAULT in every row is left to the action; identity and rowversion must be.
        let made: Vec<bool> =
            (0..columns.len()).map(|i| rows.iter().all(|row| matches!(row[i], ast::Expr::Default))).collect();
        let mut given = Vec::with_capacity(rows.len());
        for row in rows {
            let mut out = Vec::with_capacity(columns.len());
            for (cell, column) in row.iter().zip(columns) {
                let column = &target.table.columns[*column as usize];
                out.push(match cell {
                    ast::Expr::Default => None,
                    _ if column.generated.is_some() => return Err(self.explicit_period(&target.table)),
                    cell => {
                        if column.ty.kind == TypeKind::RowVersion && !is_null_ast(cell) {
                            return Err(explicit_rowversion());
                        }
                        let bound = self.expr(cell, &scope)?;
                        // What stands for a column that is not there fits everything.
                        Some(if self.missing_columns() > missing { Expr::null(column.ty) } else { bound })
                    }
                });
            }
            given.push(out);
        }
        self.make_alike(&mut given)?;
        let mut cells = Vec::with_capacity(rows.len());
        for row in given {
            let mut out = Vec::with_capacity(columns.len());
            for (i, cell) in row.into_iter().enumerate().filter(|(i, _)| !made[*i]) {
                let column = &target.table.columns[columns[i] as usize];
                out.push(match cell {
                    Some(value) => self.masked(fitted(value, column)?),
                    None => self.default_value(column)?,
                });
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

    /// What several rows give for a column has one type before it gets the column's, as in UNION ALL.
    /// https://learn.microsoft.com/sql/t-sql/queries/table-value-constructor-transact-sql
    fn make_alike(&self, rows: &mut [Vec<Option<Expr>>]) -> SqlResult<()> {
        let same = |a: &SqlType, b: &SqlType| {
            a.kind == b.kind && (!a.is_decimal() || (a.precision, a.scale) == (b.precision, b.scale))
        };
        for at in 0..rows[0].len() {
            let mut types = rows
                .iter()
                .filter_map(|row| row[at].as_ref())
                .filter(|value| !is_null_literal(value))
                .map(|value| value.ty);
            let Some(first) = types.next() else { continue };
            if types.all(|ty| same(&ty, &first)) {
                continue;
            }
            let values = rows.iter().filter_map(|row| row[at].clone()).collect();
            let mut alike = unify(values, "VALUES", &self.columns)?.0.into_iter();
            for row in rows.iter_mut().filter(|row| row[at].is_some()) {
                row[at] = alike.next();
            }
        }
        Ok(())
    }

    fn insert_target(
        &mut self,
        target: &ast::Target,
        is_named: &dyn Fn(&str) -> bool,
        ctes: Option<&CteScope>,
    ) -> SqlResult<InsertTarget> {
        match target {
            ast::Target::Variable(variable) => {
                let (slot, table) = self.table_variable(variable)?;
                self.check_not_readonly(slot)?;
                let source = TableSource::Variable(VariableSlotTable(slot as u32), table.clone());
                Ok(itself(source, table, variable.name.to_string()))
            }
            ast::Target::Table { name, .. } => self.insert_table(name, is_named, ctes),
            ast::Target::Function(_) => Err(errors::not_supported("OPENROWSET")),
        }
    }

    /// `is_named`: the statement lists the column.
    pub fn insert_table(
        &mut self,
        name: &ast::ObjectName,
        is_named: &dyn Fn(&str) -> bool,
        ctes: Option<&CteScope>,
    ) -> SqlResult<InsertTarget> {
        let shown = display(name);
        let unknown = || errors::invalid_object(&shown).at_line(name.line);
        let own = self.names.trigger_table.is_some() && name.is_unqualified();
        if own && (name.name.is("inserted") || name.name.is("deleted")) {
            return Err(sql_error!(286).at_line(name.line));
        }
        let is_cte = |scope: &CteScope| scope.ctes.iter().any(|cte| same_name(&cte.name, &name.name));
        if name.is_unqualified() && ctes.is_some_and(is_cte) {
            return self.insert_view(name, is_named, ctes);
        }
        match self.resolve(&object_name(name))?.ok_or_else(unknown)? {
            Object::Table(table) => {
                self.refuse_history(&table, Some(Change::Insert))?;
                self.need_write(Action::Insert, &table);
                Ok(itself(TableSource::Base(table.clone()), table, shown))
            }
            Object::Module(module) if module.kind == ModuleKind::View => self.insert_view(name, is_named, None),
            Object::Virtual(_) => Err(sql_error!(259)),
            _ => Err(unknown()),
        }
    }

    /// Through a view or a CTE: into the one table whose columns are named, or a view whose INSTEAD OF trigger takes the rows.
    fn insert_view(
        &mut self,
        name: &ast::ObjectName,
        is_named: &dyn Fn(&str) -> bool,
        ctes: Option<&CteScope>,
    ) -> SqlResult<InsertTarget> {
        let shown = display(name);
        let ident = ast::TableName {
            name: name.clone(),
            alias: None,
            hints: Vec::new(),
            sample: None,
            system_time: None,
            data_source: None,
        };
        let expands = std::mem::replace(&mut self.expands_views, true);
        let found = self.table_ref(&ast::TableRef::Table(Box::new(ident)), None, ctes, 0);
        self.expands_views = expands;
        let (mut rel, sources) = found?;
        let source = &sources[0];
        let mut columns = Vec::new();
        if let Some(view) = self.triggered_view(source, None, &[Change::Insert])? {
            for index in 0..source.len() {
                let column = source.column(index);
                let same = |at: &u16| same_name(&view.table.columns[*at as usize].name, &column.name);
                let twin = (0..view.ids.len() as u16).find(|at| view.ids[*at as usize] == Some(column.id) && same(at));
                columns.extend(twin.or(view.ordinal(column.id)).map(|at| (column.name, at)));
            }
            let TriggeredView { table, .. } = view;
            self.need_change(Action::Insert, source, source.column(0).id, &[]);
            let (source, others) = (TableSource::View(table.clone()), Vec::new());
            return Ok(InsertTarget { source, columns, table, name: shown, shown: None, others });
        }
        let all: Vec<_> = (0..source.len()).map(|index| source.column(index)).collect();
        // The table of the first column that is named, or of the first at all.
        let mut base: Option<RowTarget> = None;
        for column in all.iter().filter(|column| is_named(&column.name)).chain(&all) {
            if base.is_none() {
                base = self.base_column(&mut rel, column.id, None).map(|(target, _)| target);
            }
        }
        let is_view = self.is_view(source);
        let Some(base) = base else { return Err(not_updatable(&rel, &shown, is_view)) };
        let mut others = Vec::new();
        for column in all {
            match self.base_column(&mut rel, column.id, Some(&base)) {
                Some((_, ordinal)) => columns.push((column.name, ordinal)),
                None => others.push((column.name, self.columns.origin(column.id).is_some())),
            }
        }
        self.refuse_history(&base.table, Some(Change::Insert))?;
        self.need_change(Action::Insert, source, base.first, &[]);
        let table = base.table;
        let by = (base.first, self.shown(&rel, source, base.first, &table));
        Ok(InsertTarget { source: base.source, table, columns, name: shown, shown: Some(by), others })
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
            view: None,
        };
        Some((target, origin.column))
    }

    fn identity_insert(&self, table: &TableDef) -> bool {
        self.options.identity_insert == Some((table.database, table.object))
    }

    /// The columns that values are given for, in the order of the values: without names all but those that are made, so an
    /// identity column has to be named.
    pub fn insert_columns(&mut self, target: &InsertTarget, names: &[ast::ColumnName]) -> SqlResult<Vec<u16>> {
        let table = &target.table;
        let unfit = target.others.iter().find(|(other, _)| names.iter().any(|name| same_name(&name.name, other)));
        if let Some(unfit) = unfit {
            return Err(takes_no_value(&target.name, unfit));
        }
        if names.is_empty() {
            let mut out = Vec::with_capacity(target.columns.len());
            for (_, column) in &target.columns {
                let def = &table.columns[*column as usize];
                if !def.is_read_only() && !def.hidden && def.identity.is_none() {
                    out.push(*column);
                }
            }
            return Ok(out);
        }
        let mut out: Vec<u16> = Vec::with_capacity(names.len());
        for name in names {
            let named = target.columns.iter().find(|(known, _)| same_name(known, &name.name));
            let found = match (named, super::scope::meant_by(&name.name)) {
                (Some((_, column)), _) => Some(*column),
                (None, Some(meant)) => table.columns.iter().position(meant).map(|column| column as u16),
                (None, None) => None,
            };
            let Some(column) = found else {
                self.missing_column(errors::invalid_column(&name.name).at_line(name.line))?;
                continue;
            };
            let def = &table.columns[column as usize];
            if out.contains(&column) {
                return Err(twice(&def.name).at_line(name.line));
            }
            if def.is_read_only() {
                return Err(computed(&def.name).at_line(name.line));
            }
            super::column_set::refuse_both(table, column, &out)?;
            out.push(column);
        }
        Ok(out)
    }

    fn no_values(&self, target: &InsertTarget, identity_insert: bool) -> SqlResult<(Rel, Vec<Option<Expr>>)> {
        self.check_identity(&target.table, &[], identity_insert)?;
        Ok((Rel::one_row(), Vec::new()))
    }

    /// A query has other columns than it should: it is all that is told.
    fn wrong_count(&mut self, target: &InsertTarget, listed: bool, fewer: bool) -> types::SqlError {
        self.missing.iter_mut().for_each(Vec::clear);
        match (listed, fewer) {
            (false, fewer) => mismatch(target, !fewer),
            (true, true) => sql_error!(120),
            (true, false) => sql_error!(121),
        }
    }

    /// What INSERT ... EXECUTE may not have: 483 for OUTPUT, and values that are not for it.
    fn check_called(&self, insert: &ast::Insert, table: &TableDef, columns: &[u16]) -> SqlResult<()> {
        match insert.output.is_some() {
            true => Err(sql_error!(483, state 2)),
            false => self.check_identity(table, columns, self.identity_insert(table)),
        }
    }

    /// 544, 545, of a variable 1077: a value for the identity column is given under IDENTITY_INSERT, and only then.
    pub fn check_identity(&self, table: &TableDef, given: &[u16], identity_insert: bool) -> SqlResult<()> {
        let Some(identity) = table.columns.iter().position(|column| column.identity.is_some()) else { return Ok(()) };
        match (given.contains(&(identity as u16)), identity_insert) {
            (true, false) if table.name.starts_with('@') => Err(sql_error!(1077)),
            (true, false) => Err(sql_error!(544, table.name)),
            (false, true) => Err(sql_error!(545, table.name)),
            _ => Ok(()),
        }
    }

    /// The DEFAULT of a column, or NULL.
    pub fn default_value(&mut self, column: &ColumnDef) -> SqlResult<Expr> {
        let Some(text) = &column.default else { return Ok(Expr::null(column.ty)) };
        let parsed = super::modules::parse_expression(text)?;
        let bound = self.expand(|binder| binder.without_variables(|binder| binder.expr(&parsed, &Scope::EMPTY)))?;
        fitted(bound, column)
    }

    /// A value for every stored column: what is given (over the source row), defaults; and what is computed of them.
    pub fn insert_row(
        &mut self,
        table: &Arc<TableDef>,
        given: &[(u16, Expr)],
        identity_insert: bool,
    ) -> SqlResult<NewRow> {
        let whole = self.set_apart(table, given)?;
        let given = whole.as_deref().unwrap_or(given);
        let count = table.stored.iter().flatten().count();
        let mut values: Vec<Option<Expr>> = (0..count).map(|_| None).collect();
        for (index, column) in table.columns.iter().enumerate() {
            let Some(ordinal) = table.stored[index] else { continue };
            if column.computed.is_some() {
                continue;
            }
            let value = match given.iter().find(|(c, _)| *c as usize == index) {
                Some(_) if column.generated.is_some() => return Err(self.explicit_period(table)),
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
                None if column.ty.kind == TypeKind::RowVersion || column.generated.is_some() => continue,
                None => self.default_value(column)?,
            };
            values[ordinal as usize] = Some(value);
        }
        Ok(NewRow { values, computed: self.computed_columns(table)? })
    }
}

/// Without a list a value is meant for each column.
fn refuse_unlisted(insert: &ast::Insert, target: &InsertTarget) -> SqlResult<()> {
    let is_listed = !insert.columns.is_empty() || matches!(insert.source, ast::InsertSource::DefaultValues);
    match target.others.first() {
        Some(other) if !is_listed => Err(takes_no_value(&target.name, other)),
        _ => Ok(()),
    }
}

/// 4405 for a column of another table, 4406 for one that is computed.
fn takes_no_value(target: &str, (_, of_table): &(Box<str>, bool)) -> types::SqlError {
    if *of_table { sql_error!(4405, target) } else { derived_field(target) }
}

/// `SELECT ... FROM (UPDATE ... OUTPUT ...) AS a`
fn is_of_change(query: &ast::Query) -> bool {
    match &query.body {
        ast::QueryBody::Select(select) => matches!(&select.from[..], [ast::TableRef::Dml(_)]),
        _ => false,
    }
}

/// What takes the rows of a change: a table that nothing follows from.
/// https://learn.microsoft.com/sql/t-sql/queries/output-clause-transact-sql
fn refuse_beside_change(target: &InsertTarget) -> SqlResult<()> {
    let table = &target.table;
    if target.shown.is_some() || matches!(target.source, TableSource::View(_)) {
        return Err(sql_error!(354, target.name));
    }
    if let Some(key) = table.foreign_keys.iter().chain(&table.referenced_by).find(|key| !key.disabled) {
        return Err(sql_error!(356, target.name, key.name));
    }
    match table.triggers.iter().any(|trigger| !trigger.disabled) {
        true => Err(sql_error!(355, target.name)),
        false => Ok(()),
    }
}

/// A table that is named as such, not through a view.
fn itself(source: TableSource, table: Arc<TableDef>, name: String) -> InsertTarget {
    InsertTarget { source, columns: own_columns(&table), table, name, shown: None, others: Vec::new() }
}

fn own_columns(table: &TableDef) -> Vec<(Box<str>, u16)> {
    table.columns.iter().enumerate().map(|(i, column)| (column.name.clone(), i as u16)).collect()
}

/// 10709, 213, 109, 110: the first row that has not as many values as are wanted.
fn count_mismatch(
    rows: &[Vec<ast::Expr>],
    target: &InsertTarget,
    listed: usize,
    wanted: usize,
) -> Option<types::SqlError> {
    let row = rows.iter().find(|row| row.len() != wanted)?;
    Some(if rows.iter().any(|other| other.len() != row.len()) {
        sql_error!(10709)
    } else if listed == 0 {
        mismatch(target, row.len() > wanted)
    } else if row.len() < wanted {
        sql_error!(109)
    } else {
        sql_error!(110)
    })
}

/// 213; 8101 for values more than there are columns beside the identity's.
fn mismatch(target: &InsertTarget, more: bool) -> types::SqlError {
    match more && target.table.columns.iter().any(|column| column.identity.is_some()) {
        true => sql_error!(8101, target.name),
        false => sql_error!(213),
    }
}

fn is_null_ast(expr: &ast::Expr) -> bool {
    matches!(expr, ast::Expr::Literal(ast::Literal::Null))
}
