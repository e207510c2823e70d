//! GROUP BY: its sets, and what a SELECT computes over groups.

use std::collections::HashSet;

use types::{SqlError, SqlResult, sql_error};

use super::binder::{Binder, Place, WindowSpec};
use super::errors;
use super::scope::{Scope, Source};
use super::typing::sortable;
use super::variables::{Found, visit_expr};
use crate::ast;
use crate::optimize::{ColumnId, ColumnSet, Output};
use crate::plan::{Expr, ExprKind, SortKey};

/// Expressions of a GROUP BY. SQL Server takes as many as have 8,060 bytes together; each is compared with all before it.
const GROUPS_MAX: usize = 4096;

impl Binder<'_> {
    /// Groups of the block; Some: the grouping sets, when there is more than one plain set.
    pub fn group_by(
        &mut self,
        group_by: &ast::GroupBy,
        scope: &Scope,
        block: usize,
    ) -> SqlResult<Option<Vec<Vec<usize>>>> {
        self.blocks[block].place = Place::GroupBy;
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        let mut plain = true;
        for item in &group_by.items {
            plain &= matches!(item, ast::GroupItem::Expr(_));
            let choices = self.group_item(item, scope, block)?;
            // The sets of the items are multiplied.
            if sets.len().saturating_mul(choices.len()) > 4096 {
                return Err(sql_error!(10703, 4096));
            }
            if let [choice] = &*choices {
                sets.iter_mut().for_each(|set| set.extend(choice));
                continue;
            }
            sets = sets
                .iter()
                .flat_map(|set| choices.iter().map(move |choice| set.iter().chain(choice).copied().collect()))
                .collect();
        }
        let count = self.blocks[block].groups.len();
        if count > 60 && !plain {
            return Err(sql_error!(10706, 32));
        }
        match group_by.with {
            Some(ast::OldGrouping::Rollup) => return Ok(Some((0..=count).rev().map(|n| (0..n).collect()).collect())),
            Some(ast::OldGrouping::Cube) => {
                let all: Vec<Vec<usize>> = (0..count).map(|i| vec![i]).collect();
                return Ok(Some(cube(&all)?));
            }
            None => {}
        }
        for set in &mut sets {
            let mut seen = HashSet::new();
            set.retain(|i| seen.insert(*i));
        }
        Ok(if plain { None } else { Some(sets) })
    }

    fn group_item(&mut self, item: &ast::GroupItem, scope: &Scope, block: usize) -> SqlResult<Vec<Vec<usize>>> {
        self.deeper(|binder| match item {
            ast::GroupItem::Expr(expr) => Ok(vec![vec![binder.group_expr(expr, scope, block)?]]),
            ast::GroupItem::Set(exprs) => {
                let set = exprs.iter().map(|e| binder.group_expr(e, scope, block)).collect::<SqlResult<Vec<_>>>()?;
                Ok(vec![set])
            }
            ast::GroupItem::Rollup(items) => {
                let parts = binder.group_parts(items, scope, block)?;
                Ok((0..=parts.len()).rev().map(|n| parts[..n].concat()).collect())
            }
            ast::GroupItem::Cube(items) => cube(&binder.group_parts(items, scope, block)?),
            ast::GroupItem::GroupingSets(items) => {
                let mut all = Vec::new();
                for item in items {
                    all.extend(binder.group_item(item, scope, block)?);
                }
                Ok(all)
            }
        })
    }

    fn group_parts(&mut self, items: &[ast::GroupItem], scope: &Scope, block: usize) -> SqlResult<Vec<Vec<usize>>> {
        let mut parts = Vec::new();
        for item in items {
            parts.extend(self.group_item(item, scope, block)?);
        }
        Ok(parts)
    }

    fn group_expr(&mut self, expr: &ast::Expr, scope: &Scope, block: usize) -> SqlResult<usize> {
        if super::variables::has_query(expr) {
            return Err(sql_error!(144));
        }
        let missing = self.missing_columns();
        let bound = self.expr(expr, scope)?;
        let stands_for_missing = self.missing_columns() > missing;
        if bound.has_subquery() {
            return Err(sql_error!(144));
        }
        // A column that is NULL in every row is a column, too.
        let column = matches!(expr, ast::Expr::Column(_));
        let constant = !column && (bound.is_constant() || ColumnSet::of(&bound).is_empty());
        if !stands_for_missing && (constant || names_outer_only(expr, scope)) {
            return Err(sql_error!(164));
        }
        sortable(&bound.ty, "GROUP BY")?;
        if let Some(known) = self.blocks[block].groups.iter().position(|(_, e)| e.same(&bound)) {
            return Ok(known);
        }
        if self.blocks[block].groups.len() >= GROUPS_MAX {
            return Err(errors::too_deep());
        }
        let id = self.columns.add(bound.ty, true);
        self.hand_on(id, [&bound]);
        self.blocks[block].groups.push((id, bound));
        Ok(self.blocks[block].groups.len() - 1)
    }
    /// In a subquery, what an enclosing SELECT groups by is its group's value. Its columns alone would be none of the group's.
    pub fn group_of_outer(&self, expr: Expr, scope: &Scope) -> Expr {
        let mut outer = scope.parent;
        while let Some(here) = outer {
            outer = here.parent;
            let Some(block) = here.block.map(|block| &self.blocks[block]) else { continue };
            if matches!(block.place, Place::Where | Place::On | Place::GroupBy | Place::Argument) {
                continue;
            }
            if let Some((id, group)) = block.groups.iter().find(|(_, group)| group.same(&expr)) {
                return Expr::column(id.index(), group.ty, true);
            }
        }
        expr
    }
}

fn cube(parts: &[Vec<usize>]) -> SqlResult<Vec<Vec<usize>>> {
    if parts.len() > 12 {
        return Err(sql_error!(10703, 4096));
    }
    let count = parts.len();
    Ok((0..1_usize << count)
        .rev()
        .map(|mask| (0..count).filter(|i| mask >> (count - 1 - i) & 1 == 1).flat_map(|i| parts[i].clone()).collect())
        .collect())
}

/// Expressions after GROUP BY: group expressions become group columns, and no other column of FROM may be left.
pub struct Regroup<'b> {
    pub groups: &'b [(ColumnId, Expr)],
    /// Without grouping sets a group is never NULL unless its expression is.
    pub reuse: bool,
    pub sources: &'b [Source],
}

impl Regroup<'_> {
    /// All that is computed after grouping, over the groups. What is none of them, and becomes NULL, is told: 8120, 8121, 8127.
    pub fn apply_to_all(
        &self,
        outputs: &mut [Output],
        having: &mut [Expr],
        keys: &mut [SortKey],
        windows: &mut [WindowSpec],
    ) -> Vec<SqlError> {
        let mut told = Vec::new();
        for condition in having {
            self.apply(condition, errors::not_grouped_having, &mut told);
        }
        for output in outputs {
            self.apply(&mut output.expr, errors::not_grouped, &mut told);
        }
        for key in keys {
            self.apply(&mut key.expr, errors::not_grouped_order, &mut told);
        }
        for spec in windows {
            let exprs = spec
                .partition
                .iter_mut()
                .chain(spec.order.iter_mut().map(|key| &mut key.expr))
                .chain(spec.functions.iter_mut().flat_map(|(_, function)| &mut function.arguments));
            for e in exprs {
                self.apply(e, errors::not_grouped, &mut told);
            }
        }
        told
    }

    fn apply(&self, expr: &mut Expr, error: fn(&str) -> SqlError, told: &mut Vec<SqlError>) {
        expr.rewrite(&mut |e| {
            let Some((id, group)) = self.groups.iter().find(|(_, group)| group.same(e)) else { return false };
            let nullable = if self.reuse { group.nullable } else { true };
            *e = Expr::column(id.index(), group.ty, nullable);
            true
        });
        let mut wrong = Vec::new();
        expr.for_each_column(&mut |column| {
            if let Some(name) = self.source_column(ColumnId(column as u32)) {
                wrong.push((column, error(&name)));
            }
        });
        if wrong.is_empty() {
            return;
        }
        expr.rewrite(&mut |e| {
            let found = matches!(e.kind, ExprKind::Column(column) if wrong.iter().any(|(known, _)| *known == column));
            if found {
                *e = Expr::null(e.ty);
            }
            found
        });
        told.extend(wrong.into_iter().map(|(_, error)| error));
    }

    /// `table.column` if the id is a column of FROM.
    fn source_column(&self, id: ColumnId) -> Option<String> {
        for source in self.sources {
            for index in 0..source.len() {
                let column = source.column(index);
                if column.id == id {
                    return Some(format!("{}.{}", source.label(), column.name));
                }
            }
        }
        None
    }
}

/// Columns are named, and all of them are those of enclosing queries.
fn names_outer_only(expr: &ast::Expr, scope: &Scope) -> bool {
    let (mut own, mut outer) = (false, false);
    visit_expr(expr, &mut |found| {
        if let Found::Column(name) = found {
            let home = scope.home(name);
            own |= home.is_none_or(|(_, home)| std::ptr::eq(home, scope));
            outer |= home.is_some_and(|(_, home)| !std::ptr::eq(home, scope));
        }
    });
    outer && !own
}
