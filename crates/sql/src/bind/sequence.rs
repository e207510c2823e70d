//! NEXT VALUE FOR: where it may stand, and in what order rows get their values.
//!
//! "NEXT VALUE FOR (Transact-SQL)", limitations and remarks: a row gets one value of a sequence, however often it names it.

use std::sync::Arc;

use types::{SqlResult, sql_error};

use super::binder::{Binder, Place};
use super::errors;
use super::names::{display, object_name};
use super::scope::Scope;
use crate::ast;
use crate::catalog::{Object, SequenceDef, TableDef};
use crate::optimize::{Branch, ColumnId, Rel};
use crate::plan::{Expr, ExprKind, SortKey};

impl Binder<'_> {
    /// Binds what is computed only for some rows.
    pub fn conditional<T>(&mut self, f: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        self.conditionals += 1;
        let result = f(self);
        self.conditionals -= 1;
        result
    }

    pub fn next_value(&mut self, next: &ast::NextValueFor, scope: &Scope) -> SqlResult<Expr> {
        if self.conditionals > 0 {
            return Err(sql_error!(11741));
        }
        let sequence = match self.resolve(&object_name(&next.sequence))? {
            Some(Object::Sequence(sequence)) => sequence,
            Some(_) => return Err(sql_error!(11726, display(&next.sequence))),
            None => return Err(errors::invalid_object(&display(&next.sequence))),
        };
        self.need_sequence(&sequence);
        let value = Expr::new(sequence.ty, false, ExprKind::NextValueFor(sequence.clone()));
        let Some(block) = scope.block else {
            return if scope.is_below_query() { Err(sql_error!(11719)) } else { Ok(value) };
        };
        let (shape, place) = (self.blocks[block].shape, self.blocks[block].place);
        // Before what its clause forbids.
        if (shape.nested || scope.is_below_query()) && !matches!(place, Place::Set | Place::Merged) {
            return Err(sql_error!(11719));
        }
        match place {
            Place::Where
            | Place::On
            | Place::GroupBy
            | Place::Having
            | Place::OrderBy
            | Place::Window
            | Place::Output => {
                return Err(sql_error!(11720));
            }
            Place::Argument => return Err(sql_error!(11725)),
            Place::Set if !next.over_order_by.is_empty() => return Err(sql_error!(11717)),
            Place::Set => return Ok(value),
            Place::Merged => return Err(sql_error!(11742)),
            Place::Select if shape.merged => return Err(sql_error!(11721)),
            Place::Select if shape.limited => return Err(sql_error!(11739)),
            Place::Select if shape.ordered && next.over_order_by.is_empty() => return Err(sql_error!(11723)),
            Place::Select => {}
        }
        let of_sequence =
            |expr: &Expr| matches!(&expr.kind, ExprKind::NextValueFor(known) if known.object == sequence.object);
        let known = self.blocks[block].sequences.iter().position(|(_, expr)| of_sequence(expr));
        let overs = &self.blocks[block].sequence_overs;
        if known.is_some() && shape.assigns {
            return Err(sql_error!(11736));
        }
        if known.is_some_and(|known| overs[known] != next.over_order_by) {
            return Err(sql_error!(11727));
        }
        let ordered = overs.iter().find(|over| !over.is_empty());
        if !next.over_order_by.is_empty() && ordered.is_some_and(|over| *over != next.over_order_by) {
            return Err(errors::not_supported("NEXT VALUE FOR of several sequences in several orders"));
        }
        if !next.over_order_by.is_empty() && ordered.is_none() {
            let order = self.within(block, Place::Window, |binder| {
                let key = |item: &ast::OrderItem| {
                    Ok(SortKey { expr: binder.over_key(&item.expr, scope)?, descending: item.descending })
                };
                next.over_order_by.iter().map(key).collect::<SqlResult<Vec<_>>>()
            })?;
            self.blocks[block].sequence_order = order;
        }
        let id = match known {
            Some(known) => self.blocks[block].sequences[known].0,
            None => {
                let id = self.columns.add(sequence.ty, false);
                self.blocks[block].sequences.push((id, value));
                self.blocks[block].sequence_overs.push(next.over_order_by.clone());
                id
            }
        };
        Ok(Expr::column(id.index(), sequence.ty, false))
    }

    /// What an INSERT's row draws of one sequence several times, by defaults too, it draws once. `columns`: those that `supplied` has values
    /// for; a default that takes part joins them.
    pub fn share_draws(
        &mut self,
        table: &TableDef,
        columns: &mut Vec<u16>,
        source: Rel,
        supplied: &mut Vec<Option<Expr>>,
    ) -> SqlResult<Rel> {
        let mut defaults: Vec<(u16, Expr)> = Vec::new();
        for (at, column) in (0..).zip(&table.columns) {
            let is_given = columns.iter().zip(&*supplied).any(|(own, value)| *own == at && value.is_some());
            let draws = column.default.as_ref().is_some_and(|text| text.contains("NEXT VALUE FOR"));
            if draws && !is_given && table.stored[usize::from(at)].is_some() {
                defaults.push((at, self.default_value(column)?));
            }
        }
        let by_default: Vec<Arc<SequenceDef>> = defaults.iter().flat_map(|(_, value)| drawn(value)).collect();
        let mut known = Vec::new();
        drawn_below(&source, &mut known);
        let rows: &[Vec<Expr>] = if let Rel::Values { rows, .. } = &source { rows } else { &[] };
        let in_rows: Vec<Arc<SequenceDef>> = rows.iter().flatten().flat_map(drawn).collect();
        let mut shared: Vec<Arc<SequenceDef>> = Vec::new();
        for sequence in by_default.iter().chain(&in_rows).cloned() {
            let defaults = count(&by_default, &sequence);
            let of_row = |row: &Vec<Expr>| row.iter().map(|cell| count(&drawn(cell), &sequence)).sum::<usize>();
            let most = rows.iter().map(of_row).max().unwrap_or(0);
            let above = known.iter().filter(|(own, _)| own.object == sequence.object).count();
            if defaults + most + above > 1 && count(&shared, &sequence) == 0 {
                shared.push(sequence);
            }
        }
        if shared.is_empty() {
            return Ok(source);
        }
        let is_unlisted = |(column, value): &(u16, Expr)| {
            matches!(&value.kind, ExprKind::NextValueFor(own) if count(&in_rows, own) > 0) && !columns.contains(column)
        };
        if rows.len() > 1 && defaults.iter().any(is_unlisted) {
            return Err(sql_error!(11731));
        }
        let (source, ids) = match source {
            Rel::Values { ids, rows } => self.rows_that_draw(ids, rows, &shared, &by_default),
            source => {
                let mut draws = Vec::new();
                let mut ids = Vec::new();
                for sequence in &shared {
                    let own = known.iter().find(|(own, _)| own.object == sequence.object).map(|(_, id)| *id);
                    ids.push(own.unwrap_or_else(|| {
                        let id = self.columns.add(sequence.ty, false);
                        draws.push((id, next_of(sequence)));
                        id
                    }));
                }
                (source.map(draws), ids)
            }
        };
        // DEFAULT VALUES supplies nothing.
        supplied.resize(columns.len(), None);
        for (column, mut value) in defaults {
            if !drawn(&value).iter().any(|own| count(&shared, own) > 0) {
                continue;
            }
            replace(&mut value, &shared, &ids);
            match columns.iter().position(|own| *own == column) {
                Some(at) => supplied[at] = Some(value),
                None => {
                    columns.push(column);
                    supplied.push(Some(value));
                }
            }
        }
        Ok(source)
    }

    /// As `share_draws`, of what an UPDATE sets.
    pub fn share_set_draws(&mut self, rel: Rel, values: Vec<&mut Expr>) -> Rel {
        let all: Vec<Arc<SequenceDef>> = values.iter().flat_map(|value| drawn(value)).collect();
        let mut shared: Vec<Arc<SequenceDef>> = Vec::new();
        for sequence in &all {
            if count(&all, sequence) > 1 && count(&shared, sequence) == 0 {
                shared.push(sequence.clone());
            }
        }
        if shared.is_empty() {
            return rel;
        }
        let ids: Vec<ColumnId> = shared.iter().map(|sequence| self.columns.add(sequence.ty, false)).collect();
        values.into_iter().for_each(|value| replace(value, &shared, &ids));
        rel.map(ids.into_iter().zip(shared.iter().map(next_of)).collect())
    }

    /// Rows of VALUES, each over the values that it draws; and where these are.
    fn rows_that_draw(
        &mut self,
        mut ids: Vec<ColumnId>,
        rows: Vec<Vec<Expr>>,
        shared: &[Arc<SequenceDef>],
        by_default: &[Arc<SequenceDef>],
    ) -> (Rel, Vec<ColumnId>) {
        let mut branches = Vec::with_capacity(rows.len());
        for row in rows {
            let (mut draws, mut cells) = (Vec::new(), Vec::new());
            for sequence in shared {
                let is_drawn =
                    count(by_default, sequence) > 0 || row.iter().any(|cell| count(&drawn(cell), sequence) > 0);
                let value = if is_drawn { next_of(sequence) } else { Expr::null(sequence.ty) };
                draws.push((self.columns.add(sequence.ty, !is_drawn), value));
            }
            let own: Vec<ColumnId> = draws.iter().map(|(id, _)| *id).collect();
            for mut cell in row {
                replace(&mut cell, shared, &own);
                cells.push((self.columns.add(cell.ty, cell.nullable), cell));
            }
            let columns = cells.iter().map(|(id, _)| *id).chain(own).collect();
            branches.push(Branch { rel: Rel::one_row().map(draws).map(cells), columns });
        }
        let outer: Vec<ColumnId> = shared.iter().map(|sequence| self.columns.add(sequence.ty, true)).collect();
        ids.extend(&outer);
        (Rel::Concat { ids, branches }, outer)
    }
}

fn next_of(sequence: &Arc<SequenceDef>) -> Expr {
    Expr::new(sequence.ty, false, ExprKind::NextValueFor(sequence.clone()))
}

/// The sequences that a value draws from.
fn drawn(value: &Expr) -> Vec<Arc<SequenceDef>> {
    let mut found = Vec::new();
    value.any(&mut |part| {
        if let ExprKind::NextValueFor(sequence) = &part.kind {
            found.push(sequence.clone());
        }
        false
    });
    found
}

/// Those that a query's list draws from, with the columns that have the values.
fn drawn_below(rel: &Rel, out: &mut Vec<(Arc<SequenceDef>, ColumnId)>) {
    if let Rel::Map { input, defs } = rel {
        for (id, value) in defs {
            if let ExprKind::NextValueFor(sequence) = &value.kind {
                out.push((sequence.clone(), *id));
            }
        }
        drawn_below(input, out);
    }
}

fn count(sequences: &[Arc<SequenceDef>], of: &SequenceDef) -> usize {
    sequences.iter().filter(|own| own.object == of.object).count()
}

/// Draws from `shared` become the columns `ids`.
fn replace(value: &mut Expr, shared: &[Arc<SequenceDef>], ids: &[ColumnId]) {
    value.rewrite(&mut |part| {
        let ExprKind::NextValueFor(sequence) = &part.kind else { return false };
        if let Some(at) = shared.iter().position(|own| own.object == sequence.object) {
            *part = Expr::column(ids[at].index(), part.ty, part.nullable);
        }
        true
    });
}
