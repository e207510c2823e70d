//! PIVOT and UNPIVOT.

use std::collections::HashSet;

use types::convert::{ConvertContext, NO_STYLE, convert};
use types::datetime::{DateFormat, LanguageId};
use types::{Datum, SqlResult, SqlType, TypeKind, sql_error};

use super::aggregate::{aggregate_type, pivot_aggregate};
use super::binder::Binder;
use super::convert::{compare, converted, implicit};
use super::names::{folded, same_name};
use super::scope::{CteScope, FromRel, Scope, Source, SourceColumn, SourceColumns};
use super::text;
use crate::ast;
use crate::optimize::{Group, Join, Rel};
use crate::plan::{Aggregate, AggregateFunction, CompareOp, Expr, ExprKind, JoinKind};

impl Binder<'_> {
    pub fn pivot(
        &mut self,
        pivot: &ast::Pivot,
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
        block: usize,
    ) -> SqlResult<FromRel> {
        ctes.map_or(Ok(()), CteScope::check_pivot)?;
        let (rel, sources) = self.table_ref(&pivot.source, parent, ctes, block)?;
        let scope = Scope { sources: &sources, parent: None, ctes, block: None };
        let column = ast::ColumnName { table: None, name: pivot.column.clone(), line: pivot.line };
        let (column, _) = scope.column(&column)?;
        self.needs.mark(column.id);
        let column = Expr::column(column.id.index(), column.ty, column.nullable);
        pivotable("Pivot", &pivot.column.text, &column.ty)?;
        let argument = self.expr(&ast::Expr::Column(Box::new(pivot.argument.clone())), &scope)?;
        // By name: one column may stand in the source under several names.
        let used = [&*pivot.column.text, &*pivot.argument.name.text];
        for value in &pivot.values {
            if used.iter().any(|name| same_name(name, &value.text)) {
                return Err(sql_error!(265, &**value, "PIVOT", "PIVOT"));
            }
            refuse_known(&value.text, &sources, "PIVOT", &[], &pivot.alias)?;
        }

        let mut group = Vec::new();
        let mut list = Vec::new();
        for source in &sources {
            for index in 0..source.len() {
                let kept = source.column(index);
                if used.iter().any(|name| same_name(name, &kept.name)) {
                    continue;
                }
                pivotable("Pivot grouping", &kept.name, &kept.ty)?;
                group.push((kept.id, Expr::column(kept.id.index(), kept.ty, kept.nullable)));
                list.push(kept);
            }
        }
        let name = &*pivot.aggregate.name.text;
        let function = pivot_aggregate(&pivot.aggregate)?;
        let mut aggregates = Vec::new();
        let mut known = HashSet::new();
        for value in &pivot.values {
            if !known.insert(folded(value.trim_end_matches(' '))) {
                return Err(sql_error!(8156, &**value, &*pivot.alias.text));
            }
            let literal = text::string(value, true, self.catalog.collation());
            let literal = pivot_value(literal, &column.ty, value)?;
            let matches = compare(CompareOp::Equal, column.clone(), literal, false, &self.columns)?;
            let ty = argument.ty;
            let branches = vec![(matches, argument.clone())];
            let when = Expr::new(ty, true, ExprKind::Case { branches, otherwise: None });
            let (ty, counted) = aggregate_type(function, Some(when), name)?;
            // Told as nullable, COUNT's too.
            let id = self.columns.add(ty, true);
            let mask = self.mask_of_all(&counted);
            self.columns.set_mask(id, mask);
            // The rows of other columns are NULLs of this one, which all aggregates but one keep to themselves.
            let quiet = function != AggregateFunction::ApproxCountDistinct;
            let (extra, order) = (Vec::new(), Vec::new());
            aggregates.push((id, Aggregate { function, argument: counted, extra, order, distinct: false, quiet, ty }));
            list.push(SourceColumn { name: value.text.clone(), id, ty, nullable: true });
        }
        let source = Source {
            alias: pivot.alias.text.clone(),
            schema: None,
            qualified: false,
            columns: SourceColumns::List(list),
            nullable: false,
            written: None,
        };
        if group.is_empty() {
            // Grouped by nothing there is one row even for an empty input, which PIVOT does not give.
            group.push((
                self.columns.add(SqlType::INT, false),
                Expr::new(SqlType::INT, false, ExprKind::Literal(Datum::I64(1))),
            ));
        }
        Ok((Rel::Aggregate(Box::new(Group { input: rel, group, aggregates, sets: None })), vec![source]))
    }

    pub fn unpivot(
        &mut self,
        unpivot: &ast::Unpivot,
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
        block: usize,
    ) -> SqlResult<FromRel> {
        let (rel, sources) = self.table_ref(&unpivot.source, parent, ctes, block)?;
        let scope = Scope { sources: &sources, parent: None, ctes, block: None };
        let mut rows = Vec::with_capacity(unpivot.columns.len());
        for made in [&unpivot.value, &unpivot.column] {
            refuse_known(&made.text, &sources, "UNPIVOT", &unpivot.columns, &unpivot.alias)?;
        }
        if same_name(&unpivot.value, &unpivot.column) {
            return Err(sql_error!(8156, &*unpivot.column.text, &*unpivot.alias.text));
        }
        // By name: one column may stand in the source under several names.
        let mut used: Vec<Box<str>> = Vec::with_capacity(unpivot.columns.len());
        let mut ty: Option<SqlType> = None;
        for (at, name) in unpivot.columns.iter().enumerate() {
            if unpivot.columns[..at].iter().any(|other| same_name(other, name)) {
                return Err(sql_error!(277, &**name));
            }
            let column = ast::ColumnName { table: None, name: name.clone(), line: unpivot.line };
            let (column, _) = scope.column(&column)?;
            self.needs.mark(column.id);
            used.push(column.name.clone());
            if *ty.get_or_insert(column.ty) != column.ty {
                return Err(sql_error!(8167, &**name));
            }
            let label = converted(
                text::string(&column.name, true, self.catalog.collation()),
                &SqlType::SYSNAME.with_collation(self.catalog.collation()),
                false,
            );
            rows.push(vec![Expr::column(column.id.index(), column.ty, column.nullable), label]);
        }
        let bound = self.value_rows(rows)?;
        let value = bound.outputs[0].expr.clone();
        let label = bound.outputs[1].expr.clone();
        let mut list = Vec::new();
        for source in &sources {
            list.extend((0..source.len()).map(|i| source.column(i)).filter(|column| !used.contains(&column.name)));
        }
        let id_of = |e: &Expr| match e.kind {
            ExprKind::Column(column) => crate::optimize::ColumnId(column as u32),
            _ => panic!("rows of values are columns"),
        };
        list.push(SourceColumn { name: unpivot.value.text.clone(), id: id_of(&value), ty: value.ty, nullable: true });
        list.push(SourceColumn { name: unpivot.column.text.clone(), id: id_of(&label), ty: label.ty, nullable: true });
        let present = super::expr::not(Expr::new(SqlType::BIT, false, ExprKind::IsNull(Box::new(value))));
        let join = Join { lateral: true, keep_order: true, ..Join::new(JoinKind::Inner, rel, bound.rel, Vec::new()) };
        let source = Source {
            alias: unpivot.alias.text.clone(),
            schema: None,
            qualified: false,
            columns: SourceColumns::List(list),
            nullable: false,
            written: None,
        };
        Ok((Rel::Join(Box::new(join)).filter(vec![present]), vec![source]))
    }
}

/// 488: PIVOT groups by all its columns but one.
fn pivotable(what: &str, name: &str, ty: &SqlType) -> SqlResult<()> {
    match matches!(ty.kind, TypeKind::Text | TypeKind::NText | TypeKind::Image | TypeKind::Xml | TypeKind::Json) {
        true => Err(sql_error!(488, what, name, ty.name())),
        false => Ok(()),
    }
}

/// 8114, 473: what IN names is a value of the column.
fn pivot_value(literal: Expr, ty: &SqlType, name: &str) -> SqlResult<Expr> {
    let from = literal.ty;
    let is_one = !ty.is_temporal() || is_moment(&literal, ty);
    let value = implicit(literal, ty)?;
    // What a number's type does not read stays a conversion, which no row could pass.
    match is_one && (ty.is_string() || ty.is_temporal() || matches!(value.kind, ExprKind::Literal(_))) {
        true => Ok(value),
        false => Err(sql_error!(473, name).after(vec![sql_error!(8114, state 1, from.name(), ty.name())])),
    }
}

/// A session of some language and order of a date's parts reads it. Which one runs the statement is not known yet.
fn is_moment(literal: &Expr, ty: &SqlType) -> bool {
    use DateFormat::{Dmy, Dym, Mdy, Myd, Ydm, Ymd};
    let ExprKind::Literal(value) = &literal.kind else { return true };
    LanguageId::all().any(|language| {
        [Mdy, Dmy, Ymd, Ydm, Myd, Dym].into_iter().any(|date_format| {
            let context = ConvertContext { date_format, language, ..ConvertContext::ASSIGN };
            convert(value, &literal.ty, ty, NO_STYLE, &context).is_ok()
        })
    })
}

/// 265 and 8156: a column that the operator makes has the name of one that stays. `folded`: those that do not.
fn refuse_known(
    name: &str,
    sources: &[Source],
    operator: &str,
    folded: &[ast::Ident],
    alias: &ast::Ident,
) -> SqlResult<()> {
    let goes = folded.iter().any(|other| same_name(other, name));
    match !goes && sources.iter().any(|source| source.find(name).is_some()) {
        true => Err(sql_error!(8156, name, &*alias.text).after(vec![sql_error!(265, name, operator, operator)])),
        false => Ok(()),
    }
}
