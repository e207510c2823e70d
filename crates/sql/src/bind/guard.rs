//! Row-level security: the predicates of security policies, put over each table that a text reads, and what they ask of rows that change.
//!
//! A filter predicate is a semi join with the rows that its function gives for the row; what that comes to is a condition on the
//! row's columns where the function reads no table, and the optimizer takes it like one of a WHERE. A block predicate is an expression over
//! the stored row, as a CHECK is.
//!
//! https://learn.microsoft.com/sql/relational-databases/security/row-level-security

use std::sync::Arc;

use types::{SqlResult, SqlType, sql_error};

use super::binder::{Binder, Home, Parameters};
use super::dml::{positioned, stored_ids, table_source};
use super::filter::semi_join;
use super::names::object_name;
use super::needs::Place;
use super::scope::{Scope, Source};
use super::view_use::Change;
use crate::ast::TableFunctionKind;
use crate::catalog::{Guarded, ModuleKind, Object, PredicateDef, TableDef};
use crate::optimize::{ColumnId, Rel};
use crate::plan::{Barrier, Expr, ExprKind, ObjectRef, Subquery, SubqueryKind, TableSource};

impl Binder<'_> {
    /// `rel`, whose rows are those of `source`, without the rows that a filter predicate hides.
    pub fn guarded(
        &mut self,
        mut rel: Rel,
        source: &Source,
        object: ObjectRef,
        predicates: &[PredicateDef],
    ) -> SqlResult<Rel> {
        if predicates.is_empty() || self.options.unfiltered || self.guarding.contains(&object) {
            return Ok(rel);
        }
        for predicate in predicates.iter().filter(|predicate| predicate.of == Guarded::Reads) {
            let rows = self.predicate_rows(predicate, source, object)?;
            rel = semi_join(rel, rows, Vec::new(), false);
            if let Rel::Join(join) = &mut rel {
                join.guard = true;
            }
        }
        Ok(rel)
    }

    /// What a row of the table has to be to be seen, over its stored columns. None: it is seen.
    pub fn row_guard(&mut self, source: &TableSource) -> SqlResult<Option<Expr>> {
        let TableSource::Base(table) = source else { return Ok(None) };
        if self.options.unfiltered {
            return Ok(None);
        }
        let mut all = Vec::new();
        for predicate in table.predicates.iter().filter(|predicate| predicate.of == Guarded::Reads) {
            let (test, first) = self.test_of(predicate, table)?;
            all.push(positioned(test, &stored_ids(table, first)));
        }
        Ok(Expr::all(all))
    }

    /// Whether the predicate holds for a row of the table, whose columns are from the id that is given.
    fn test_of(&mut self, predicate: &PredicateDef, table: &Arc<TableDef>) -> SqlResult<(Expr, ColumnId)> {
        let first = self.columns.add_table(table);
        let source = table_source(&table.name, table, first);
        let rows = self.predicate_rows(predicate, &source, (table.database, table.object))?;
        let mut test = self.holds_for(rows);
        self.inline_computed(&mut test, table, first)?;
        Ok((test, first))
    }

    /// What a change of a row has to pass. `set`: the columns that an UPDATE gives values to.
    pub fn barriers(&mut self, target: &TableSource, change: Change, set: &[u16]) -> SqlResult<Vec<Barrier>> {
        let TableSource::Base(table) = target else { return Ok(Vec::new()) };
        let mut out = Vec::new();
        if table.predicates.is_empty() || self.options.unfiltered {
            return Ok(out);
        }
        for predicate in &table.predicates {
            let before = match (predicate.of, change) {
                (Guarded::AfterInsert, Change::Insert) | (Guarded::AfterUpdate, Change::Update) => false,
                (Guarded::BeforeUpdate, Change::Update) | (Guarded::BeforeDelete, Change::Delete) => true,
                _ => continue,
            };
            let (test, first) = self.test_of(predicate, table)?;
            if predicate.of == Guarded::AfterUpdate {
                // One that passes columns which stay as they are says what it said before.
                let mut touched = false;
                test.for_each_column(&mut |id| touched |= set.contains(&((id as u32 - first.0) as u16)));
                if !touched {
                    continue;
                }
            }
            out.push(Barrier { before, predicate: positioned(test, &stored_ids(table, first)) });
        }
        Ok(out)
    }

    /// The rows of the predicate's function for a row of `source`.
    fn predicate_rows(&mut self, predicate: &PredicateDef, source: &Source, object: ObjectRef) -> SqlResult<Rel> {
        let shown = self.name_of(object, source);
        let function = super::modules::parse_call(&predicate.call)?;
        let database = match object.0 == self.catalog.database() {
            true => None,
            false => self.catalog.database_name(object.0),
        };
        // A name of the call has its schema; the home says in which database that is.
        self.homes.push(Home { database, schema: "dbo".into(), object: None });
        self.guarding.push(object);
        self.parameters.push(Parameters::default());
        let missing = self.missing.take();
        let unchained = self.unchained;
        self.unchained |= !predicate.schema_bound;
        let outer = self.enter_predicate(predicate);
        let scope = Scope { sources: std::slice::from_ref(source), parent: None, ctes: None, block: None };
        let rows = self.expand(|binder| {
            if let (false, TableFunctionKind::Call { name, .. }) = (predicate.schema_bound, &function.kind) {
                let found = binder.resolve(&object_name(name))?;
                let inline = |module: &crate::catalog::ModuleDef| module.kind == ModuleKind::InlineFunction;
                if !matches!(&found, None | Some(Object::Module(_)))
                    || matches!(&found, Some(Object::Module(m)) if !inline(m))
                {
                    return Err(sql_error!(33513, shown));
                }
            }
            binder.function(&function, Some(&scope), None)
        });
        self.needs.leave(outer);
        self.unchained = unchained;
        self.missing = missing;
        self.parameters.pop();
        self.guarding.pop();
        self.homes.pop();
        match rows {
            Ok((rel, _)) => Ok(rel),
            Err(error) if predicate.schema_bound || error.number == 33513 => Err(error),
            Err(error) => Err(sql_error!(33512, shown).after(error.one_by_one())),
        }
    }

    /// A table or view as messages name it.
    fn name_of(&self, (database, object): ObjectRef, source: &Source) -> String {
        match self.catalog.table_by_id(database, object) {
            Ok(Some(table)) => format!("{}.{}", table.schema, table.name),
            _ => source.alias.to_string(),
        }
    }

    fn enter_predicate(&mut self, predicate: &PredicateDef) -> Place {
        if predicate.schema_bound { self.needs.enter_definition() } else { self.needs.enter() }
    }

    /// Whether there is such a row.
    fn holds_for(&mut self, rows: Rel) -> Expr {
        match conditions(rows) {
            Ok(all) => Expr::all(all).unwrap_or_else(|| Expr::bit(true)),
            Err(rows) => {
                let (plan, bindings) = self.lowering.subquery(&mut self.columns, rows, Vec::new());
                let subquery = Subquery { plan, kind: SubqueryKind::Exists, bindings, mask: None, yields: false };
                Expr::new(SqlType::BIT, false, ExprKind::Subquery(Box::new(subquery)))
            }
        }
    }
}

/// What decides whether there is a row, of one that reads nothing: `SELECT 1 WHERE ...`.
fn conditions(rel: Rel) -> Result<Vec<Expr>, Rel> {
    match rel {
        Rel::Filter { input, predicates } => match conditions(*input) {
            Ok(mut all) => {
                all.extend(predicates);
                Ok(all)
            }
            Err(input) => Err(Rel::Filter { input: Box::new(input), predicates }),
        },
        Rel::Map { input, defs } => match conditions(*input) {
            Ok(all) => Ok(all),
            Err(input) => Err(Rel::Map { input: Box::new(input), defs }),
        },
        Rel::Values { ids, rows } if ids.is_empty() && rows.len() == 1 => Ok(Vec::new()),
        rel => Err(rel),
    }
}
