//! Data masks: which values of a statement are made of masked columns, and where they leave it.
//!
//! Within a statement values are what they are: predicates, joins, groups and orders know nothing of masks. What it shows, stores or
//! assigns is wrapped (`Binder::masked`): whether who runs it sees the value is asked then, so a plan serves all. A column handed on as it is
//! keeps its function; what is computed of it has the default one.
//! https://learn.microsoft.com/sql/relational-databases/security/dynamic-data-masking

use std::sync::Arc;

use types::SqlResult;

use super::binder::Binder;
use super::dml::table_source;
use crate::catalog::{DatabaseId, ObjectId, TableDef};
use crate::function::FunctionId;
use crate::mask::MaskFunction;
use crate::optimize::{Branch, ColumnId, Output};
use crate::plan::{Expr, ExprKind, Mask, Masked, MaskedColumn, SubqueryKind};

impl Binder<'_> {
    /// What of the value is not shown to all.
    pub fn mask_of(&self, expr: &Expr) -> Option<Mask> {
        if self.columns.has_no_masks() {
            return None;
        }
        match &expr.kind {
            ExprKind::Column(column) => self.columns.mask(ColumnId(*column as u32)).cloned(),
            ExprKind::Subquery(subquery) => match subquery.kind {
                SubqueryKind::Scalar | SubqueryKind::Last => subquery.mask.as_deref().cloned(),
                SubqueryKind::Exists | SubqueryKind::Any { .. } | SubqueryKind::All { .. } => None,
            },
            // One of its results, whatever decides which.
            ExprKind::Case { branches, otherwise } => {
                one_of(branches.iter().map(|(_, then)| then).chain(otherwise.as_deref()).map(|then| self.mask_of(then)))
            }
            ExprKind::Function(FunctionId::Coalesce, arguments) => one_of(arguments.iter().map(|e| self.mask_of(e))),
            ExprKind::Convert { value, .. } if value.ty == expr.ty => self.mask_of(value),
            // Truths are inferred, as those of a WHERE are.
            ExprKind::Compare { .. }
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Not(_)
            | ExprKind::IsNull(_)
            | ExprKind::Like { .. }
            | ExprKind::InList { .. }
            | ExprKind::Mask(_) => None,
            _ => {
                let mut masks = Vec::new();
                expr.for_each_child(&mut |child| masks.extend(self.mask_of(child)));
                derived(masks)
            }
        }
    }

    /// What is computed of any of these.
    pub fn mask_of_all<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Option<Mask> {
        if self.columns.has_no_masks() {
            return None;
        }
        derived(exprs.into_iter().filter_map(|expr| self.mask_of(expr)).collect())
    }

    /// The column holds one of these, as it is.
    pub fn hand_on<'e>(&mut self, id: ColumnId, exprs: impl IntoIterator<Item = &'e Expr>) {
        if self.columns.has_no_masks() {
            return;
        }
        let mask = one_of(exprs.into_iter().map(|expr| self.mask_of(expr)));
        self.columns.set_mask(id, mask);
    }

    /// Each column holds that of any branch.
    pub fn hand_on_branches(&mut self, ids: &[ColumnId], branches: &[Branch]) {
        if self.columns.has_no_masks() {
            return;
        }
        for (at, &id) in ids.iter().enumerate() {
            let columns: Vec<Expr> = branches.iter().map(|branch| self.columns.expr(branch.columns[at])).collect();
            self.hand_on(id, &columns);
        }
    }

    /// Of the columns of a recursive query, after a round.
    pub fn masks_of_rounds(&self, anchor: &[Option<Mask>], parts: &[Branch]) -> Vec<Option<Mask>> {
        let of_parts = |at: usize| parts.iter().map(move |part| self.columns.mask(part.columns[at]).cloned());
        anchor.iter().enumerate().map(|(at, own)| one_of(std::iter::once(own.clone()).chain(of_parts(at)))).collect()
    }

    /// A column of a function's result, which is a table variable's.
    pub fn mask_result(&mut self, id: ColumnId, database: DatabaseId, function: MaskFunction) {
        let column = MaskedColumn { table: (database, ObjectId(-1)), column_id: 0 };
        self.columns.set_mask(id, Some(Mask { function: Arc::new(function), columns: [column].into() }));
    }

    /// As it leaves the statement.
    pub fn masked(&self, value: Expr) -> Expr {
        let Some(mask) = self.mask_of(&value) else { return value };
        Expr { ty: value.ty, nullable: value.nullable, kind: ExprKind::Mask(Box::new(Masked { value, mask })) }
    }

    pub fn mask_outputs(&self, outputs: &mut [Output]) {
        if self.columns.has_no_masks() {
            return;
        }
        for output in outputs {
            let value = std::mem::replace(&mut output.expr, Expr::bit(false));
            output.expr = self.masked(value);
        }
    }

    /// Stored values of computed columns, in columns from `first`, are what their definitions make of masked ones.
    pub fn mask_computed(&mut self, table: &Arc<TableDef>, first: ColumnId) -> SqlResult<()> {
        if !table.columns.iter().any(|column| column.mask.is_some()) {
            return Ok(());
        }
        for (index, column) in table.columns.iter().enumerate() {
            let (Some(computed), Some(_)) = (&column.computed, table.stored[index]) else { continue };
            let text = super::modules::parse_expression(&computed.definition)?;
            let source = table_source("", table, first);
            let scope =
                super::scope::Scope { sources: std::slice::from_ref(&source), parent: None, ctes: None, block: None };
            let bound = self.expand(|binder| binder.without_variables(|binder| binder.expr(&text, &scope)))?;
            let mask = self.mask_of_all([&bound]);
            self.columns.set_mask(ColumnId(first.0 + index as u32), mask);
        }
        Ok(())
    }
}

/// The mask of a value that is one of several: their function, if they agree. Those without a mask are not told apart.
fn one_of(masks: impl Iterator<Item = Option<Mask>>) -> Option<Mask> {
    let masks: Vec<Mask> = masks.flatten().collect();
    let function = masks.first()?.function.clone();
    let agree = masks.iter().all(|mask| mask.function == function);
    let mask = derived(masks)?;
    Some(if agree { Mask { function, ..mask } } else { mask })
}

fn derived(masks: Vec<Mask>) -> Option<Mask> {
    if masks.is_empty() {
        return None;
    }
    let mut columns: Vec<MaskedColumn> = masks.iter().flat_map(|mask| mask.columns.iter().copied()).collect();
    columns.sort_unstable();
    columns.dedup();
    Some(Mask { function: Arc::new(MaskFunction::Default), columns: columns.into() })
}
