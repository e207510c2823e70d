//! What names mean at a place of a query: tables of FROM, then those of enclosing queries, and common table expressions.

use std::sync::Arc;

use types::{SqlResult, SqlType};

use super::errors;
use super::names::same_name;
use crate::ast;
use crate::catalog::{ColumnDef, ModuleDef, ObjectId, TableDef};
use crate::optimize::{ColumnId, Rel};
use crate::plan::{Expr, Mask};

/// What a table reference gives: rows, and the names that stand for their columns.
pub type FromRel = (Rel, Vec<Source>);

/// A row of names that an alias stands for.
#[derive(Debug, Clone)]
pub struct Source {
    /// The alias, or the table's name.
    pub alias: Box<str>,
    /// Written or resolved schema of a table without alias: `dbo.t.c` finds it.
    pub schema: Option<Box<str>>,
    /// The schema was written, so messages show it.
    pub qualified: bool,
    pub columns: SourceColumns,
    /// On the side of an outer join that may be missing.
    pub nullable: bool,
    /// The name of what the alias stands for, as FROM has it.
    pub written: Option<Box<str>>,
}

/// A view that a statement names, or that such a view names.
pub struct ViewUse {
    pub module: Arc<ModuleDef>,
    /// As it was written.
    pub name: String,
    pub columns: Vec<SourceColumn>,
    /// WITH CHECK OPTION.
    pub check: Option<Visible>,
}

/// A view whose INSTEAD OF triggers take what is done to it.
pub struct TriggeredView {
    pub table: Arc<TableDef>,
    pub name: String,
    /// For each column of `table` the one that the view gives it. None: the view has lost it since it was made.
    pub ids: Vec<Option<ColumnId>>,
}

impl TriggeredView {
    pub fn ordinal(&self, id: ColumnId) -> Option<u16> {
        self.ids.iter().position(|own| *own == Some(id)).map(|at| at as u16)
    }
}

/// What makes rows visible through a view, those below it included.
#[derive(Default)]
pub struct Visible {
    pub predicates: Vec<Expr>,
    /// First columns of the tables that are read.
    pub tables: Vec<ColumnId>,
    /// It shows some of the rows only, by TOP or OFFSET.
    pub limited: bool,
}

#[derive(Debug, Clone)]
pub enum SourceColumns {
    /// Column i is `first + i`.
    Table {
        table: Arc<TableDef>,
        first: ColumnId,
    },
    List(Vec<SourceColumn>),
}

#[derive(Debug, Clone)]
pub struct SourceColumn {
    pub name: Box<str>,
    pub id: ColumnId,
    pub ty: SqlType,
    pub nullable: bool,
}

impl Source {
    /// How errors name it: as FROM does, whatever its alias.
    pub fn label(&self) -> String {
        match (&self.written, &self.schema) {
            (Some(written), _) => written.to_string(),
            (None, Some(schema)) if self.qualified => format!("{schema}.{}", self.alias),
            (None, _) => self.alias.to_string(),
        }
    }

    pub fn len(&self) -> usize {
        match &self.columns {
            SourceColumns::Table { table, .. } => table.columns.len(),
            SourceColumns::List(list) => list.len(),
        }
    }

    pub fn column(&self, index: usize) -> SourceColumn {
        match &self.columns {
            SourceColumns::Table { table, first } => {
                let column = &table.columns[index];
                SourceColumn {
                    name: column.name.clone(),
                    id: ColumnId(first.0 + index as u32),
                    ty: column.ty,
                    nullable: column.nullable || self.nullable,
                }
            }
            SourceColumns::List(list) => {
                let mut column = list[index].clone();
                column.nullable |= self.nullable;
                column
            }
        }
    }

    /// `*` does not stand for it.
    pub fn is_hidden(&self, index: usize) -> bool {
        matches!(&self.columns, SourceColumns::Table { table, .. } if table.columns[index].hidden)
    }

    pub fn find(&self, name: &str) -> Option<SourceColumn> {
        let index = match &self.columns {
            SourceColumns::Table { table, .. } => {
                let named = table.columns.iter().position(|c| same_name(&c.name, name));
                named.or_else(|| table.columns.iter().position(meant_by(name)?))
            }
            SourceColumns::List(list) => list.iter().position(|c| same_name(&c.name, name)),
        }?;
        Some(self.column(index))
    }

    fn matches(&self, qualifier: &ast::ObjectName) -> bool {
        same_name(&self.alias, &qualifier.name)
            && match (&qualifier.schema, &self.schema) {
                (None, _) => true,
                (Some(written), Some(own)) => same_name(written, own),
                (Some(_), None) => false,
            }
    }
}

/// Which column is meant by a name that is no column's: $IDENTITY, IDENTITYCOL, $ROWGUID, ROWGUIDCOL.
pub fn meant_by(name: &str) -> Option<fn(&ColumnDef) -> bool> {
    let is = |known: &[&str]| known.iter().any(|known| known.eq_ignore_ascii_case(name));
    match name {
        _ if is(&["$IDENTITY", "IDENTITYCOL"]) => Some(|column| column.identity.is_some()),
        _ if is(&["$ROWGUID", "ROWGUIDCOL"]) => Some(|column| column.rowguid),
        _ => None,
    }
}

/// Which of the rows of a statement stand for a table's, where what it makes of an indexed view is bound.
#[derive(Clone, Copy)]
pub struct Delta {
    pub table: ObjectId,
    /// Those that came, else those that are gone.
    pub added: bool,
}

/// A bound FOR SYSTEM_TIME.
#[derive(Clone)]
pub struct SystemTime {
    pub kind: SystemTimeKind,
    pub from: Option<Expr>,
    pub to: Option<Expr>,
    /// A system-versioned table was read at it.
    pub used: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SystemTimeKind {
    All,
    AsOf,
    FromTo,
    BetweenAnd,
    ContainedIn,
}

/// The names visible at one place.
#[derive(Clone, Copy)]
pub struct Scope<'p> {
    pub sources: &'p [Source],
    /// The query around a correlated subquery, the left side of APPLY.
    pub parent: Option<&'p Scope<'p>>,
    pub ctes: Option<&'p CteScope<'p>>,
    /// Aggregates and window functions found here belong to this block of the binder; None: not permitted here.
    pub block: Option<usize>,
}

/// `WITH` lists that can be seen, innermost first.
#[derive(Clone, Copy)]
pub struct CteScope<'p> {
    pub parent: Option<&'p CteScope<'p>>,
    pub ctes: &'p [ast::Cte],
    /// The body of CTE n sees those before it.
    pub visible: usize,
    /// Within the recursive part of CTE `visible`: what its own name means.
    pub recursive: Option<&'p WorkTable>,
}

/// The rows of the last round of a recursive CTE.
pub struct WorkTable {
    pub id: u32,
    pub columns: Vec<(Box<str>, SqlType)>,
    /// Of the columns, as the anchor has them.
    pub masks: Vec<Option<Mask>>,
}

impl<'p> Scope<'p> {
    /// Nothing to see, where no column may be named: 128.
    pub const EMPTY: Scope<'static> = Scope { sources: &[], parent: None, ctes: None, block: None };

    /// Whether rows are read here, or by a query around it.
    pub fn has_sources(&self) -> bool {
        !self.sources.is_empty() || self.parent.is_some_and(Scope::has_sources)
    }

    /// Nothing to see, where a column that is named is missing: 207.
    pub const NO_ROWS: Scope<'static> = Scope { parent: Some(&Scope::EMPTY), ..Scope::EMPTY };

    /// It is below another query's rows, or below a query without rows.
    pub fn is_below_query(&self) -> bool {
        let outer = std::iter::successors(self.parent, |scope| scope.parent);
        outer.into_iter().any(|scope| scope.block.is_some() || !scope.sources.is_empty())
    }

    /// The column and whether it belongs to an enclosing query.
    pub fn column(&self, name: &ast::ColumnName) -> SqlResult<(SourceColumn, bool)> {
        let mut scope = Some(self);
        let mut outer = false;
        let mut qualifier_known = false;
        while let Some(here) = scope {
            let mut found: Option<SourceColumn> = None;
            for source in here.sources {
                if let Some(qualifier) = &name.table {
                    if !source.matches(qualifier) {
                        continue;
                    }
                    qualifier_known = true;
                }
                let Some(column) = source.find(&name.name) else { continue };
                if found.as_ref().is_some_and(|old| old.id != column.id) {
                    return Err(errors::ambiguous_column(&name.name).at_line(name.line));
                }
                found = Some(column);
            }
            if let Some(column) = found {
                return Ok((column, outer));
            }
            if qualifier_known {
                break;
            }
            scope = here.parent;
            outer = true;
        }
        Err(match &name.table {
            Some(_) if !qualifier_known => errors::unbound(&super::names::shown_column(name)),
            _ => errors::invalid_column(&name.name),
        }
        .at_line(name.line))
    }

    /// The name of a column of a result: as the query writes it, and not as the table's definition does.
    pub fn shown_name(&self, name: &ast::ColumnName) -> Box<str> {
        let meant = meant_by(&name.name).and_then(|_| self.column(name).ok());
        meant.map_or_else(|| name.name.text.clone(), |(column, _)| column.name)
    }

    /// The column that `name` is, and the scope it is found in. None: there is none, or more than one.
    pub fn home(&self, name: &ast::ColumnName) -> Option<(ColumnId, &Scope<'p>)> {
        let mut scope: Option<&Scope<'p>> = Some(self);
        while let Some(here) = scope {
            let of_name = |source: &&Source| name.table.as_ref().is_none_or(|qualifier| source.matches(qualifier));
            let mut found = here.sources.iter().filter(of_name).filter_map(|source| source.find(&name.name));
            if let Some(column) = found.next() {
                return found.next().is_none().then_some((column.id, here));
            }
            scope = here.parent;
        }
        None
    }

    /// Sources of this scope that `qualifier` names (for `t.*`).
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn source(&self, qualifier: &ast::ObjectName) -> Option<&'p Source> {
        types::plant!();
        self.sources.iter().find(|source| source.matches(qualifier))
    }
}
