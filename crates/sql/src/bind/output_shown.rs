//! How OUTPUT names the changed rows of a target that is no table: by the columns of the view, CTE or derived table. Each is a column of the
//! table behind it, or computed of such columns, or known as the row was read.
//! https://learn.microsoft.com/sql/t-sql/queries/output-clause-transact-sql

use std::sync::Arc;

use types::{SqlError, SqlResult, SqlType, sql_error};

use super::binder::Binder;
use super::dml::{RowTarget, table_source};
use super::nature::nature_of;
use super::scope::{Source, SourceColumn, SourceColumns};
use crate::catalog::TableDef;
use crate::optimize::{ColumnId, Rel, substitute};
use crate::plan::{Expr, ExprKind};

/// The columns of a target that is no table.
pub struct Shown {
    /// The first column of the table behind it.
    first: ColumnId,
    columns: Vec<ShownColumn>,
    /// Of a view: what is read of it.
    view: Option<Source>,
}

struct ShownColumn {
    name: Box<str>,
    ty: SqlType,
    nullable: bool,
    value: Value,
}

enum Value {
    /// The table's column.
    Own(u16),
    /// Over the table's columns.
    Computed(Expr),
    /// As the row was read.
    Read(ColumnId),
    /// Of another table.
    Foreign,
    /// Of a subquery.
    Asked,
}

impl Shown {
    pub fn is_view(&self) -> bool {
        self.view.is_some()
    }
}

/// What the names of changed rows stand for, beside columns of their table.
#[derive(Default)]
pub struct Meanings {
    computed: Vec<(ColumnId, Expr)>,
    refused: Vec<(ColumnId, SqlError)>,
}

impl Meanings {
    /// Columns of the table in place of what is made of them. 404, 4186
    pub fn resolve(&self, expr: &mut Expr) -> SqlResult<()> {
        let mut refused = None;
        expr.for_each_column(&mut |column| {
            let found = self.refused.iter().find(|(id, _)| id.index() == column);
            refused = refused.take().or(found.map(|(_, error)| error.clone()));
        });
        if let Some(error) = refused {
            return Err(error);
        }
        substitute(expr, &self.computed);
        Ok(())
    }
}

impl Binder<'_> {
    /// How OUTPUT names the rows of `target`, which the statement names as `source`.
    pub fn shown_rows(&self, rel: &Rel, source: &Source, target: &RowTarget) -> Option<Shown> {
        // A view whose triggers take the change is a table here.
        if target.view.is_some() { None } else { self.shown(rel, source, target.first, &target.table) }
    }

    /// `rel`: gives the rows of `source`; `first`: the first column of `table`, which is changed. None: the target is the table.
    pub fn shown(&self, rel: &Rel, source: &Source, first: ColumnId, table: &TableDef) -> Option<Shown> {
        let SourceColumns::List(list) = &source.columns else { return None };
        let mut made = Vec::new();
        definitions(rel, &mut made);
        let column = |column: &SourceColumn| ShownColumn {
            name: column.name.clone(),
            ty: column.ty,
            nullable: column.nullable,
            value: self.meaning(column.id, first, table.columns.len(), &made),
        };
        let view = self.is_view(source).then(|| source.clone());
        Some(Shown { first, columns: list.iter().map(column).collect(), view })
    }

    fn meaning(&self, id: ColumnId, first: ColumnId, width: usize, made: &[(ColumnId, Expr)]) -> Value {
        let own = |id: usize| id.checked_sub(first.index()).filter(|at| *at < width);
        if let Some(at) = own(id.index()) {
            return Value::Own(at as u16);
        }
        let is_foreign = |id: usize| own(id).is_none() && self.columns.origin(ColumnId(id as u32)).is_some();
        if is_foreign(id.index()) {
            return Value::Foreign;
        }
        let Some((_, value)) = made.iter().find(|(known, _)| *known == id) else { return Value::Read(id) };
        let mut value = value.clone();
        // A definition may stand on another, which is made before it.
        for _ in 0..=made.len() {
            let (mut foreign, mut further) = (false, false);
            value.for_each_column(&mut |column| {
                foreign |= is_foreign(column);
                further |= own(column).is_none();
            });
            match (value.has_subquery(), foreign, further) {
                (true, ..) => return Value::Asked,
                (_, true, _) => return Value::Foreign,
                (_, _, false) => return Value::Computed(value),
                _ => substitute(&mut value, made),
            }
        }
        Value::Read(id)
    }

    /// 4186 for computed columns whose functions read data, or may.
    fn refuse_reading(&self, alias: &str, (table, first): (&Arc<TableDef>, ColumnId), meanings: &mut Meanings) {
        for (at, column) in (first.0..).zip(&table.columns) {
            // A function of a user is called with its schema.
            let Some(computed) = column.computed.as_ref().filter(|own| own.definition.contains("].[")) else {
                continue;
            };
            let nature = nature_of(&computed.definition, table, self.options, self.catalog);
            if nature.is_ok_and(|nature| nature.reads) {
                meanings.refused.push((ColumnId(at), sql_error!(4186, alias, column.name)));
            }
        }
    }

    /// `inserted` or `deleted`; `first`: the columns of its table. `was_read`: there was a row before, which can tell more.
    pub fn changed_source(
        &mut self,
        alias: &str,
        (table, first): (&Arc<TableDef>, ColumnId),
        shown: Option<&Shown>,
        was_read: bool,
        meanings: &mut Meanings,
    ) -> Source {
        let Some(shown) = shown else {
            self.refuse_reading(alias, (table, first), meanings);
            return table_source(alias, table, first);
        };
        let mut columns = Vec::with_capacity(shown.columns.len());
        for column in &shown.columns {
            let ShownColumn { name, ty, nullable, value } = column;
            let id = match value {
                Value::Own(at) => ColumnId(first.0 + u32::from(*at)),
                Value::Read(id) if was_read => *id,
                _ => self.columns.add(*ty, *nullable),
            };
            match value {
                Value::Own(_) => {}
                Value::Read(_) if was_read => {}
                Value::Computed(value) => {
                    let mut value = value.clone();
                    value.rewrite(&mut |e| {
                        let ExprKind::Column(column) = &mut e.kind else { return false };
                        *column = *column - shown.first.index() + first.index();
                        true
                    });
                    meanings.computed.push((id, value));
                }
                Value::Asked => meanings.refused.push((id, sql_error!(4186, alias, name))),
                Value::Foreign | Value::Read(_) => meanings.refused.push((id, sql_error!(404, alias, name))),
            }
            columns.push(SourceColumn { name: name.clone(), id, ty: *ty, nullable: *nullable });
        }
        if let Some(view) = &shown.view {
            self.need_view_output(view, &columns);
        }
        Source {
            alias: alias.into(),
            schema: None,
            qualified: false,
            columns: SourceColumns::List(columns),
            nullable: false,
            written: None,
        }
    }
}

/// What is computed anywhere within.
fn definitions(rel: &Rel, out: &mut Vec<(ColumnId, Expr)>) {
    if let Rel::Map { defs, .. } = rel {
        out.extend(defs.iter().cloned());
    }
    rel.for_each_input(&mut |input| definitions(input, out));
}
