//! Where the columns of a result come from, for clients that change its rows: FOR BROWSE, SET NO_BROWSETABLE ON, drivers' cursors.
//!
//! Each base column tells its table and its own name, and the columns of a unique key that the select list leaves out are added behind it,
//! hidden (MS-TDS 2.2.7.3, COLINFO).

use std::sync::Arc;

use types::{SqlResult, TypeKind, sql_error};

use super::binder::Binder;
use crate::ast;
use crate::catalog::{ColumnDef, IndexDef, TableDef};
use crate::optimize::{ColumnId, Output, Rel};
use crate::plan::{Client, Expr, ExprKind, JoinKind, OutputColumn, ToldOrigin};

impl Binder<'_> {
    /// Whether a client's query tells it. Error 1003 for a clause that cursors alone have.
    pub fn tells_origins(&self, query: &ast::Query) -> SqlResult<bool> {
        let client = self.options.client;
        match query.for_clause.as_deref() {
            Some(ast::ForClause::Browse) => Ok(true),
            Some(ast::ForClause::Update(_)) if client != Client::Cursor => {
                Err(sql_error!(1003, query.line, "FOR UPDATE", "DECLARE CURSOR"))
            }
            Some(ast::ForClause::ReadOnly) if client != Client::Cursor => {
                Err(sql_error!(1003, query.line, "READ ONLY", "DECLARE CURSOR"))
            }
            Some(ast::ForClause::Xml(_) | ast::ForClause::Json(_)) => Ok(false),
            _ => Ok(client != Client::Plain),
        }
    }

    /// Appends what `outputs` lacks of the key, and of the rowversion, of each table whose rows come through `rel` one by one, those of
    /// views and derived tables too: how many columns. For a driver's cursor all columns of a table without a key.
    pub fn hidden_keys(&mut self, rel: &Rel, outputs: &mut Vec<Output>) -> usize {
        let shown = outputs.len();
        let mut tables = Vec::new();
        row_tables(rel, false, &mut tables);
        for (table, first, may_be_missing) in tables {
            for column in self.finding(&table) {
                let id = ColumnId(first.0 + u32::from(column));
                let is_it = |output: &Output| matches!(output.expr.kind, ExprKind::Column(at) if at == id.index());
                if !outputs.iter().any(is_it) {
                    let definition = &table.columns[usize::from(column)];
                    self.needs.mark(id);
                    let expr = Expr::column(id.index(), definition.ty, definition.nullable || may_be_missing);
                    outputs.push(Output { name: definition.name.clone(), expr });
                }
            }
        }
        outputs.len() - shown
    }

    /// The columns that a row is found again by.
    fn finding(&self, table: &TableDef) -> Vec<u16> {
        let in_cursor = self.options.client == Client::Cursor;
        let all = || (0..).zip(&table.columns);
        let Some(index) = key_of(table) else {
            let by_values =
                in_cursor && table.object.0 > 0 && table.columns.iter().all(|column| column.ty.is_comparable());
            return all().map(|(at, _)| at).filter(|_| by_values).collect();
        };
        let key = index.key.iter().map(|(column, _)| *column);
        // A driver's cursor finds rows by their keys alone.
        let is_version = |(_, column): &(u16, &ColumnDef)| column.ty.kind == TypeKind::RowVersion;
        key.chain(all().find(is_version).filter(|_| !in_cursor).map(|(at, _)| at)).collect()
    }

    /// The last `hidden` of the columns are hidden.
    pub fn tell_origins(&self, columns: &mut [OutputColumn], hidden: usize) {
        let shown = columns.len() - hidden;
        let mut names: Vec<(Arc<TableDef>, Arc<[Box<str>]>)> = Vec::new();
        for (at, column) in columns.iter_mut().enumerate() {
            let Some(origin) = &mut column.origin else { continue };
            let known = names.iter().find(|(table, _)| Arc::ptr_eq(table, &origin.table));
            let table = match known {
                Some((_, name)) => name.clone(),
                None => {
                    let name = self.name_parts(&origin.table);
                    names.push((origin.table.clone(), name.clone()));
                    name
                }
            };
            let key = key_of(&origin.table).is_some_and(|index| index.key.iter().any(|(own, _)| *own == origin.column));
            origin.told = Some(ToldOrigin { table, key, hidden: at >= shown });
        }
    }

    fn name_parts(&self, table: &TableDef) -> Arc<[Box<str>]> {
        if table.name.starts_with('#') {
            return Arc::new([table.name.clone()]);
        }
        let elsewhere = table.database != self.catalog.database();
        let database = self.catalog.database_name(table.database).filter(|_| elsewhere);
        database.into_iter().chain([table.schema.clone(), table.name.clone()]).collect()
    }
}

/// The tables whose rows come through, each with its first column and whether an outer join may lack its row.
fn row_tables(rel: &Rel, may_be_missing: bool, out: &mut Vec<(Arc<TableDef>, ColumnId, bool)>) {
    match rel {
        Rel::Get(get) => out.push((get.table.clone(), get.first, may_be_missing)),
        Rel::Filter { input, .. } | Rel::Map { input, .. } | Rel::Sort { input, .. } => {
            row_tables(input, may_be_missing, out);
        }
        Rel::Top(top) => row_tables(&top.input, may_be_missing, out),
        Rel::Window(window) => row_tables(&window.input, may_be_missing, out),
        Rel::Join(join) => {
            let (left, right) = match join.kind {
                JoinKind::LeftOuter => (false, true),
                JoinKind::FullOuter => (true, true),
                _ => (false, false),
            };
            row_tables(&join.left, may_be_missing || left, out);
            if !matches!(join.kind, JoinKind::Semi | JoinKind::Anti) {
                row_tables(&join.right, may_be_missing || right, out);
            }
        }
        _ => {}
    }
}

/// What a row of the table is found again by: its primary key, else its first unique index. Not of a table variable.
fn key_of(table: &TableDef) -> Option<&IndexDef> {
    let mut unique = table
        .indexes
        .iter()
        .filter(|index| index.unique && index.filter.is_empty() && !index.disabled && table.object.0 > 0);
    let first = unique.next()?;
    if first.primary_key { Some(first) } else { unique.find(|index| index.primary_key).or(Some(first)) }
}
