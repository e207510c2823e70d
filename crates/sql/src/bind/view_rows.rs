//! The rows of indexed views: when a query reads them in place of the view's text, and what a change of a base table makes of them.
//!
//! A change is a difference: the view's query over the rows that have gone from one table, and over those that have come, while all other
//! tables in it are read as they are. So a statement that changes several tables, by foreign keys, has to do this for one after the other.

use std::sync::Arc;

use types::SqlResult;

use super::binder::{Binder, Parameters};
use super::convert::converted;
use super::modules::parse_view;
use super::names::same_name;
use super::query::{Bound, Use};
use super::scope::{Delta, FromRel};
use super::variables::{Found, visit_query};
use crate::ast::{self, Expr as Ast, QueryBody, SelectItem};
use crate::catalog::{ColumnDef, ModuleDef, TableDef};
use crate::optimize::{Get, Output, Rel};
use crate::plan::{self, Mask, Operator, TableSource, ViewChange, ViewGrouping};

/// Rows that a statement is thought to change: few, so that the other tables are read by their keys.
const CHANGED_ROWS: u64 = 10;

impl Binder<'_> {
    /// What is read of a table that the text names.
    pub fn rows_of(&self, table: &Arc<TableDef>) -> TableSource {
        match self.delta {
            Some(delta) if delta.table == table.object && delta.added => TableSource::Inserted(table.clone()),
            Some(delta) if delta.table == table.object => TableSource::Deleted(table.clone()),
            _ => TableSource::Base(table.clone()),
        }
    }

    /// Whatever the isolation level is, a view is made of what is there now: of two who change what one of its rows is made of, one waits.
    pub fn read_for_view(&self, get: &mut Get) {
        if self.delta.is_none() {
            return;
        }
        get.lock.committed = true;
        get.lock.committed_now = true;
        get.lock.own = true;
        if !matches!(get.source, TableSource::Base(_)) {
            get.rows = CHANGED_ROWS;
        }
    }

    /// The stored rows of a view. None: its text is to be read.
    pub fn stored_view(&mut self, module: &Arc<ModuleDef>, table: &ast::TableName) -> SqlResult<Option<FromRel>> {
        let Some(rows) = module.rows.as_ref().filter(|rows| is_readable(rows)) else { return Ok(None) };
        let asked = no_expand(&table.hints);
        // The server's own texts see what is stored, whatever the session's options are.
        let fits = self.options.unfiltered || self.options.ansi_nulls && self.options.quoted_identifier;
        if asked && !fits {
            let wrong =
                [("ANSI_NULLS", self.options.ansi_nulls), ("QUOTED_IDENTIFIER", self.options.quoted_identifier)];
            let wrong: Vec<&str> = wrong.into_iter().filter(|(_, on)| !on).map(|(name, _)| name).collect();
            return Err(types::sql_error!(1934, "SELECT", wrong.join(", ")));
        }
        if !asked && (self.expands_views || !fits) || table.system_time.is_some() {
            return Ok(None);
        }
        let kept = |hint: &&ast::TableHint| !is_no_expand(hint) && (asked || !is_index_hint(hint));
        let hints: Vec<ast::TableHint> = table.hints.iter().filter(kept).cloned().collect();
        let Some(masks) = self.masks_of_view(module)? else { return Ok(None) };
        let rows = rows.clone();
        let found = self.get(TableSource::Base(rows.clone()), rows, &table.name, table.alias.as_ref(), &hints)?;
        for (at, mask) in masks.into_iter().enumerate() {
            let column = found.1[0].column(at).id;
            self.columns.set_mask(column, mask);
        }
        Ok(Some(found))
    }

    /// What its text says of each column: what is stored has no mask on. None: a security policy says which rows are seen.
    fn masks_of_view(&mut self, module: &Arc<ModuleDef>) -> SqlResult<Option<Vec<Option<Mask>>>> {
        let view = parse_view(module)?;
        let bound = self.uncounted(|binder| binder.query_of_view(module, &view))?;
        let masks = bound.outputs.iter().map(|output| self.mask_of(&output.expr)).collect();
        let is_guarded = !module.predicates.is_empty() || any_guarded(&bound.rel);
        Ok((!is_guarded || self.options.unfiltered).then_some(masks))
    }

    /// The query of a view whose text needs no permission here.
    pub fn query_of_view(&mut self, module: &Arc<ModuleDef>, view: &ast::CreateView) -> SqlResult<Bound> {
        let mut name = ast::ObjectName::unqualified(ast::Ident::new(&module.name), 0);
        if module.database != self.catalog.database() {
            name.database = self.catalog.database_name(module.database).map(|database| ast::Ident::new(&database));
        }
        let (browses, time) = (std::mem::take(&mut self.browses), self.system_time.take());
        let through = self.needs.through.take();
        let needs = self.needs.enter_definition();
        let bound = self.expanded(module, &name, Parameters::default(), |binder| {
            binder.query(&view.query, None, None, Use::Nested)
        });
        self.needs.leave(needs);
        self.needs.through = through;
        (self.browses, self.system_time) = (browses, time);
        bound
    }

    /// `reached`: tables that foreign keys change.
    pub fn view_changes(
        &mut self,
        target: &TableSource,
        reached: Vec<Arc<TableDef>>,
        output: Option<&plan::Output>,
    ) -> SqlResult<Vec<ViewChange>> {
        let into = output.and_then(|output| output.into.as_ref()).map(|into| &into.target);
        let base = |source: &TableSource| match source {
            TableSource::Base(table) => Some(table.clone()),
            _ => None,
        };
        let tables = base(target).into_iter().chain(reached).chain(into.and_then(base));
        let mut changes: Vec<ViewChange> = Vec::new();
        for table in tables.filter(|table| !table.views.is_empty()) {
            if changes.iter().any(|change| change.table == (table.database, table.object)) {
                continue;
            }
            for view in &table.views {
                changes.push(self.uncounted(|binder| binder.view_change(&table, view))?);
            }
        }
        Ok(changes)
    }

    fn view_change(&mut self, table: &Arc<TableDef>, module: &Arc<ModuleDef>) -> SqlResult<ViewChange> {
        let rows = module.rows.clone().expect("a view is listed with its tables when it has rows");
        let view = parse_view(module)?;
        Ok(ViewChange {
            table: (table.database, table.object),
            reads: columns_read(&view.query, table),
            removed: self.delta(module, &view, &rows, Delta { table: table.object, added: false })?,
            added: self.delta(module, &view, &rows, Delta { table: table.object, added: true })?,
            grouping: grouping(&view.query),
            view: rows,
        })
    }

    /// The view's query over the rows of `delta`.
    fn delta(
        &mut self,
        module: &Arc<ModuleDef>,
        view: &ast::CreateView,
        rows: &TableDef,
        delta: Delta,
    ) -> SqlResult<Operator> {
        let outer = self.delta.replace(delta);
        let bound = self.query_of_view(module, view);
        self.delta = outer;
        let mut bound = bound?;
        hush(&mut bound.rel);
        let output = |(output, column): (Output, &ColumnDef)| Output {
            name: column.name.clone(),
            expr: converted(output.expr, &column.ty, false),
        };
        let outputs = bound.outputs.into_iter().zip(&rows.columns).map(output).collect();
        Ok(self.lowering.root(&mut self.columns, bound.rel, outputs))
    }
}

/// Nobody has asked for the counts, nor wants to hear of the NULLs that they pass over.
fn hush(rel: &mut Rel) {
    if let Rel::Aggregate(group) = rel {
        group.aggregates.iter_mut().for_each(|(_, aggregate)| aggregate.quiet = true);
    }
    rel.for_each_input_mut(&mut hush);
}

/// A table has predicates of a security policy.
fn any_guarded(rel: &Rel) -> bool {
    let mut found = matches!(rel, Rel::Get(get) if !get.table.predicates.is_empty());
    rel.for_each_input(&mut |input| found |= any_guarded(input));
    found
}

/// Its rows are there.
pub fn is_readable(rows: &TableDef) -> bool {
    rows.indexes.iter().any(|index| index.id == 1 && !index.disabled)
}

pub fn no_expand(hints: &[ast::TableHint]) -> bool {
    hints.iter().any(is_no_expand)
}

fn is_no_expand(hint: &ast::TableHint) -> bool {
    matches!(hint, ast::TableHint::Word(word) if &**word == "NOEXPAND")
}

pub fn is_index_hint(hint: &ast::TableHint) -> bool {
    matches!(hint, ast::TableHint::Index(_))
}

/// Columns of the table whose names stand in the query. Empty: any change may be one of the view.
fn columns_read(query: &ast::Query, table: &TableDef) -> Box<[u16]> {
    let mut names: Vec<&str> = Vec::new();
    visit_query(query, &mut |found| {
        if let Found::Column(column) = found {
            names.push(&column.name);
        }
    });
    let is_read = |column: &ColumnDef| names.iter().any(|name| same_name(name, &column.name));
    let read = table.columns.iter().enumerate().filter(|(_, column)| is_read(column));
    // What the server gives changes with any other column.
    let is_made = |column: &ColumnDef| {
        column.computed.is_some() || column.generated.is_some() || column.ty.kind == types::TypeKind::RowVersion
    };
    match table.columns.iter().any(|column| is_read(column) && is_made(column)) {
        true => Box::default(),
        false => read.map(|(at, _)| at as u16).collect(),
    }
}

/// The SELECT of a view that has an index: there is no other query behind it.
pub fn select_of(query: &ast::Query) -> Option<&ast::Select> {
    match &query.body {
        QueryBody::Select(select) => Some(select),
        QueryBody::Nested(query) => select_of(query),
        QueryBody::SetOperation(_) => None,
    }
}

/// What the columns of a view with groups are. None: it has none.
pub fn grouping(query: &ast::Query) -> Option<ViewGrouping> {
    let select = select_of(query)?;
    select.group_by.as_ref()?;
    let (mut groups, mut sums, mut count) = (Vec::new(), Vec::new(), None);
    for (item, at) in select.items.iter().zip(0..) {
        let SelectItem::Expr { expr, .. } = item else { continue };
        match aggregate(expr) {
            None => groups.push(at),
            Some(call) if call.star && count.is_none() => count = Some(at),
            Some(_) => sums.push(at),
        }
    }
    Some(ViewGrouping { groups: groups.into(), sums: sums.into(), count: count? })
}

/// A column that is nothing but an aggregate.
pub fn aggregate(expr: &Ast) -> Option<&ast::Call> {
    match expr {
        Ast::Call(call) if call.name.is_unqualified() && is_aggregate(&call.name.name) => Some(call),
        _ => None,
    }
}

pub fn is_aggregate(name: &str) -> bool {
    const AGGREGATES: [&str; 16] = [
        "SUM",
        "COUNT_BIG",
        "COUNT",
        "AVG",
        "MIN",
        "MAX",
        "STDEV",
        "STDEVP",
        "VAR",
        "VARP",
        "CHECKSUM_AGG",
        "PRODUCT",
        "STRING_AGG",
        "APPROX_COUNT_DISTINCT",
        "GROUPING",
        "GROUPING_ID",
    ];
    AGGREGATES.iter().any(|known| known.eq_ignore_ascii_case(name))
}
