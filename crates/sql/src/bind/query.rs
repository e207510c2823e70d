//! Queries: SELECT blocks, set operations, ORDER BY, TOP, OFFSET.

use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::binder::{Binder, Block, FoundKey, Place, SelectShape};
use super::collating;
use super::constant::constant_of;
use super::convert::{self, implicit};
use super::errors;
use super::group::Regroup;
use super::names::same_name;
use super::over::check_windows;
use super::scope::{CteScope, Scope, Source};
use super::typing::{is_null_literal, sortable};
use super::variables::has_query;
use crate::ast;
use crate::optimize::{Branch, ColumnId, ColumnSet, Group, Output, Rel, TopRows, Window};
use crate::plan::{Aggregate, AggregateFunction, Expr, ExprKind, SortKey, VariableSlot, XmlOwner};

/// A bound query: `outputs` are over `rel`.
pub struct Bound {
    pub rel: Rel,
    pub outputs: Vec<Output>,
    /// SELECT @a = ...: a variable for each output.
    pub assigns: Vec<VariableSlot>,
    pub into: Option<ast::IntoTable>,
    /// So many of `outputs`, the last ones, are not in the select list: see `browse`.
    pub hidden: usize,
    /// For FOR XML AUTO: the table that each output is a column of.
    pub owners: Vec<Option<XmlOwner>>,
    /// For each key of ORDER BY which of `outputs` it is, if it is one, and whether it descends.
    pub order: Vec<(Option<usize>, bool)>,
}

impl Bound {
    pub fn new(rel: Rel, outputs: Vec<Output>) -> Bound {
        Bound { rel, outputs, assigns: Vec::new(), into: None, hidden: 0, owners: Vec::new(), order: Vec::new() }
    }
}

/// Error 116 unless there is one column.
pub fn one_column(bound: &Bound) -> SqlResult<()> {
    if bound.outputs.len() == 1 {
        return Ok(());
    }
    Err(sql_error!(116))
}

/// 4511, 4514: a view or an inline function gives each of its columns a name.
pub fn check_named(bound: Bound, is_function: bool) -> SqlResult<Bound> {
    match bound.outputs.iter().position(|output| output.name.is_empty()) {
        Some(at) if is_function => Err(sql_error!(4514, at + 1)),
        Some(at) => Err(sql_error!(4511, at + 1)),
        None => Ok(bound),
    }
}

/// 4506: of a view that is being made, and of an inline function.
pub fn check_unique(bound: &Bound, view: &str) -> SqlResult<()> {
    for (at, output) in bound.outputs.iter().enumerate() {
        if bound.outputs[..at].iter().any(|earlier| same_name(&earlier.name, &output.name)) {
            return Err(sql_error!(4506, output.name, view));
        }
    }
    Ok(())
}

/// Where a query stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// The statement itself: variables may be assigned, INTO and any ORDER BY are permitted.
    Root,
    /// Rows for INSERT or a cursor: any ORDER BY.
    Rows,
    /// View, derived table, subquery, CTE: ORDER BY needs TOP, OFFSET or FOR XML.
    Nested,
    /// A side of UNION, EXCEPT or INTERSECT.
    Branch,
}

pub const SELECT_ITEMS_MAX: usize = 4096;
/// Operators one above the other: what is planned and run goes down as deep.
const HEIGHT_MAX: usize = 160;

/// What stands around the body of a query.
struct Tail<'q> {
    order_by: &'q [ast::OrderItem],
    offset: Option<&'q ast::Expr>,
    fetch: Option<&'q ast::Expr>,
    /// `Bound::owners` are asked for.
    owners: bool,
}

/// Nothing but a list of values: a common table expression before it cannot be meant.
fn is_of_constants(query: &ast::Query, select: &ast::Select, bound: &Bound) -> bool {
    let plain = query.order_by.is_empty() && query.for_clause.is_none() && !select.distinct && select.top.is_none();
    let value = |item: &ast::SelectItem| match item {
        ast::SelectItem::Expr { expr, .. } | ast::SelectItem::Assign { value: expr, .. } => !has_query(expr),
        ast::SelectItem::Star { .. } => false,
    };
    let rows = select.from.is_empty() && select.filter.is_none() && select.having.is_none();
    plain && rows && select.into.is_none() && select.items.iter().all(value) && matches!(bound.rel, Rel::Values { .. })
}

impl Binder<'_> {
    /// A subquery in an expression: it sees the columns of `scope`.
    pub fn subquery(&mut self, query: &ast::Query, scope: &Scope) -> SqlResult<Bound> {
        self.query(query, Some(scope), scope.ctes, Use::Nested)
    }

    /// The subquery of EXISTS: `*` may be asked there of groups, and where there is no FROM, since no column is wanted.
    pub fn existing(&mut self, query: &ast::Query, scope: &Scope) -> SqlResult<Bound> {
        self.any_columns = matches!(query.body, ast::QueryBody::Select(_));
        let bound = self.subquery(query, scope);
        self.any_columns = false;
        bound
    }

    pub fn query(
        &mut self,
        query: &ast::Query,
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
        place: Use,
    ) -> SqlResult<Bound> {
        self.deeper(|binder| binder.query_here(query, parent, ctes, place)).map_err(|e| e.at_line(query.line))
    }

    fn query_here(
        &mut self,
        query: &ast::Query,
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
        place: Use,
    ) -> SqlResult<Bound> {
        let own;
        let ctes = match &query.with {
            Some(with) => {
                self.check_ctes(with)?;
                own = CteScope { parent: ctes, ctes: &with.ctes, visible: with.ctes.len(), recursive: None };
                Some(&own)
            }
            None => ctes,
        };
        let text = match query.for_clause.as_deref() {
            Some(ast::ForClause::Xml(_) | ast::ForClause::Json(_)) => query.for_clause.as_deref(),
            _ => None,
        };
        if place == Use::Nested && !query.order_by.is_empty() && query.offset.is_none() && text.is_none() {
            let top = matches!(&query.body, ast::QueryBody::Select(select) if select.top.is_some());
            if !top {
                return Err(sql_error!(1033));
            }
        }
        let owners = match text {
            Some(ast::ForClause::Xml(xml)) => xml.mode == ast::XmlMode::Auto,
            Some(ast::ForClause::Json(json)) => !json.path,
            _ => false,
        };
        let tail =
            Tail { order_by: &query.order_by, offset: query.offset.as_ref(), fetch: query.fetch.as_ref(), owners };
        let bound = match &query.body {
            ast::QueryBody::Select(select) => {
                let bound = self.select(select, &tail, parent, ctes, place)?;
                if query.with.as_ref().is_some_and(|with| !with.ctes.is_empty())
                    && is_of_constants(query, select, &bound)
                {
                    return Err(sql_error!(422, state 4));
                }
                bound
            }
            body => {
                let table = if owners { super::xml::first_table(body) } else { None };
                let asked: Vec<ast::Expr> = tail.order_by.iter().filter_map(computed_key).cloned().collect();
                let bound = if asked.is_empty() {
                    let bound = self.body(body, parent, ctes, place)?;
                    self.order_named(bound, &tail, Vec::new())?
                } else {
                    let around = std::mem::take(&mut self.found_keys);
                    self.named_keys = asked;
                    let bound = self.body(body, parent, ctes, place)?;
                    let found = std::mem::replace(&mut self.found_keys, around);
                    self.order_named(bound, &tail, found)?
                };
                match table {
                    Some(table) => Bound { owners: super::xml::only_owner(table, bound.outputs.len()), ..bound },
                    None => bound,
                }
            }
        };
        match text {
            Some(clause) if place == Use::Nested => self.text_subquery(bound, clause),
            _ => Ok(bound),
        }
    }

    fn body(
        &mut self,
        body: &ast::QueryBody,
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
        place: Use,
    ) -> SqlResult<Bound> {
        match body {
            ast::QueryBody::Select(select) => {
                let tail = Tail { order_by: &[], offset: None, fetch: None, owners: false };
                self.select(select, &tail, parent, ctes, place)
            }
            ast::QueryBody::Nested(query) => self.query(query, parent, ctes, Use::Nested),
            ast::QueryBody::SetOperation(operation) => self.deeper(|binder| {
                let into = match &operation.first {
                    ast::QueryBody::Select(select) => select.into.as_deref().cloned(),
                    _ => None,
                };
                let first = binder.body(&operation.first, parent, ctes, Use::Branch)?;
                let levels =
                    operation.rest.windows(2).filter(|pair| pair[0].0 != pair[1].0 || !is_union(pair[0].0)).count();
                let mut bound = binder
                    .descend(levels as u32, |binder| binder.set_operations(first, &operation.rest, parent, ctes))?;
                bound.into = into;
                Ok(bound)
            }),
        }
    }

    fn set_operations(
        &mut self,
        first: Bound,
        rest: &[(ast::SetOperator, ast::QueryBody)],
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
    ) -> SqlResult<Bound> {
        let mut left = first;
        let mut rest = rest.iter().peekable();
        while let Some((operator, body)) = rest.next() {
            let mut branches = vec![left, self.body(body, parent, ctes, Use::Branch)?];
            // A row of UNION ALL, or of UNION, is one Concat.
            while let Some((_, body)) = rest.next_if(|(next, _)| is_union(*operator) && next == operator) {
                branches.push(self.body(body, parent, ctes, Use::Branch)?);
            }
            left = self.combine(*operator, branches)?;
        }
        Ok(left)
    }

    /// Column types of the branches made equal.
    pub fn combine(&mut self, operator: ast::SetOperator, branches: Vec<Bound>) -> SqlResult<Bound> {
        let count = branches[0].outputs.len();
        if branches.iter().any(|branch| branch.outputs.len() != count) {
            return Err(sql_error!(205));
        }
        let operation = match operator {
            ast::SetOperator::Except => "EXCEPT",
            ast::SetOperator::Intersect => "INTERSECT",
            ast::SetOperator::Union => "UNION",
            ast::SetOperator::UnionAll => "UNION ALL",
        };
        let mut ids = Vec::with_capacity(count);
        let mut types = Vec::with_capacity(count);
        for i in 0..count {
            let exprs: Vec<Expr> = branches.iter().map(|branch| branch.outputs[i].expr.clone()).collect();
            if operator == ast::SetOperator::UnionAll && exprs.iter().any(|e| e.ty.is_unicode_string()) {
                let met = collating::conflict_of(exprs.iter(), "UNION ALL", &self.columns);
                met.map_or(Ok(()), |conflict| Err(conflict.told("SELECT", i + 1)))?;
            }
            let ty = convert::common_type(&exprs, operation, &self.columns)?;
            let whole =
                matches!(ty.kind, TypeKind::Text | TypeKind::NText | TypeKind::Image | TypeKind::Xml | TypeKind::Json);
            if operator != ast::SetOperator::UnionAll && (whole || ty.is_spatial()) {
                return Err(sql_error!(5335, ty.name()));
            }
            let id = self.columns.add(ty, exprs.iter().any(|e| e.nullable));
            if exprs.iter().any(|e| self.columns.told_nullable(e)) {
                self.columns.tell_nullable(id);
            }
            if exprs.iter().all(is_untyped_null) {
                self.columns.set_untyped(id);
            }
            if exprs.iter().all(|e| self.is_yielding(e)) {
                self.columns.set_yielding(id);
            }
            ids.push(id);
            types.push(ty);
        }
        let names: Vec<Box<str>> = branches[0].outputs.iter().map(|output| output.name.clone()).collect();
        let mut converted_branches = Vec::with_capacity(branches.len());
        for branch in branches {
            converted_branches.push(self.branch(branch, &types)?);
        }
        self.hand_on_branches(&ids, &converted_branches);
        let mut rel = match operator {
            ast::SetOperator::Union | ast::SetOperator::UnionAll => {
                Rel::Concat { ids: ids.clone(), branches: converted_branches }
            }
            _ => {
                let right = Box::new(converted_branches.pop().expect("two branches"));
                let left = Box::new(converted_branches.pop().expect("two branches"));
                let intersect = operator == ast::SetOperator::Intersect;
                Rel::SetOperation { ids: ids.clone(), left, right, intersect }
            }
        };
        if operator == ast::SetOperator::Union {
            rel = self.distinct(rel, &ids);
        }
        let shown = |id| match self.columns.is_untyped(id) {
            true => Expr::null(SqlType::INT),
            false => self.columns.expr(id),
        };
        let outputs = names.into_iter().zip(&ids).map(|(name, &id)| Output { name, expr: shown(id) }).collect();
        Ok(Bound::new(rel, outputs))
    }

    /// The outputs as columns of exactly `types`.
    pub fn branch(&mut self, bound: Bound, types: &[SqlType]) -> SqlResult<Branch> {
        let own = bound.rel.defined();
        let mut defs = Vec::new();
        let mut columns = Vec::with_capacity(types.len());
        for (output, ty) in bound.outputs.into_iter().zip(types) {
            let expr = implicit(output.expr, ty)?;
            columns.push(self.own_column(expr, &own, &mut defs));
        }
        Ok(Branch { rel: bound.rel.map(defs), columns })
    }

    /// A column that holds `expr`: itself if it is one.
    pub fn as_column(&mut self, expr: Expr, defs: &mut Vec<(ColumnId, Expr)>) -> ColumnId {
        if let ExprKind::Column(column) = expr.kind {
            return ColumnId(column as u32);
        }
        let id = self.columns.add(expr.ty, expr.nullable);
        self.hand_on(id, [&expr]);
        defs.push((id, expr));
        id
    }

    /// A column that holds `expr` and that a relation offers which has the columns `own`. A column of an enclosing row gets a
    /// new one: an outer join above makes NULL of what is inside alone, and a group has no columns but its own.
    pub fn own_column(&mut self, expr: Expr, own: &ColumnSet, defs: &mut Vec<(ColumnId, Expr)>) -> ColumnId {
        match expr.kind {
            ExprKind::Column(column) if own.contains(ColumnId(column as u32)) => ColumnId(column as u32),
            _ => {
                let id = self.columns.add(expr.ty, expr.nullable);
                if is_untyped_null(&expr) {
                    self.columns.set_untyped(id);
                }
                if self.is_yielding(&expr) {
                    self.columns.set_yielding(id);
                }
                self.hand_on(id, [&expr]);
                defs.push((id, expr));
                id
            }
        }
    }

    /// A string made of constants and variables alone.
    pub fn is_yielding(&self, expr: &Expr) -> bool {
        expr.ty.is_string() && collating::collation_rank(expr, &self.columns) == 1
    }

    fn distinct(&mut self, rel: Rel, ids: &[ColumnId]) -> Rel {
        let mut group: Vec<(ColumnId, Expr)> = Vec::with_capacity(ids.len());
        for &id in ids {
            if !group.iter().any(|(known, _)| *known == id) {
                group.push((id, self.columns.expr(id)));
            }
        }
        Rel::Aggregate(Box::new(Group { input: rel, group, aggregates: Vec::new(), sets: None }))
    }

    /// The first of `outputs` that is the key.
    fn output_of(&mut self, key: &ast::Expr, outputs: &[Output], scope: &Scope) -> FoundKey {
        if let ast::Expr::Column(name) = key {
            return column_output(name, outputs, scope);
        }
        let missing = self.missing.take();
        let bound = self.expr(key, scope);
        self.missing = missing;
        let at = bound.ok().and_then(|bound| outputs.iter().position(|output| output.expr.same(&bound)));
        at.map_or(FoundKey::NotSelected, FoundKey::At)
    }

    /// ORDER BY, OFFSET and FETCH behind a set operation: only what the first SELECT lists. `found`: what each key that is no position is
    /// in it. A name of the result goes before a column that the SELECT lists by another name.
    fn order_named(&mut self, bound: Bound, tail: &Tail, found: Vec<FoundKey>) -> SqlResult<Bound> {
        let mut keys = Vec::with_capacity(tail.order_by.len());
        let mut order = Vec::with_capacity(tail.order_by.len());
        let mut found = found.into_iter();
        for item in tail.order_by {
            let at = match &item.expr {
                written if number_of(written).is_some() => {
                    position_of(number_of(written).unwrap_or(0), &bound.outputs)?
                }
                ast::Expr::Literal(_) => {
                    let is_it =
                        |output: &Output| quoted_alias(&item.expr).is_some_and(|name| same_name(&output.name, name));
                    let shown = bound.outputs.iter().position(is_it);
                    shown.ok_or_else(|| sql_error!(408, keys.len() + 1))?
                }
                ast::Expr::Column(name) => {
                    let key = found.next().unwrap_or(FoundKey::Unknown);
                    let shown = bound.outputs.iter().position(|output| same_name(&output.name, &name.name));
                    match (shown.filter(|_| name.table.is_none()), key) {
                        (Some(at), _) | (None, FoundKey::At(at)) => at,
                        (None, FoundKey::Unknown) if name.table.is_none() => {
                            return Err(errors::invalid_column(&name.name).at_line(name.line));
                        }
                        (None, FoundKey::Unbound(error)) => return Err(error),
                        _ => return Err(sql_error!(104)),
                    }
                }
                _ => match found.next() {
                    Some(FoundKey::At(at)) => at,
                    _ => return Err(sql_error!(104)),
                },
            };
            let expr = bound.outputs[at].expr.clone();
            order.push((Some(at), item.descending));
            keys.push(SortKey { expr, descending: item.descending });
        }
        let rel = self.limited(bound.rel, keys, None, tail, None)?;
        Ok(Bound { rel, order, ..bound })
    }

    /// ORDER BY with TOP or OFFSET and FETCH, as one relation.
    /// TOP may name columns of an enclosing query.
    fn limited(
        &mut self,
        rel: Rel,
        keys: Vec<SortKey>,
        top: Option<&ast::Top>,
        tail: &Tail,
        parent: Option<&Scope>,
    ) -> SqlResult<Rel> {
        if top.is_some() && tail.offset.is_some() {
            return Err(sql_error!(10741, state 2));
        }
        if let Some(top) = top {
            if top.with_ties && keys.is_empty() {
                return Err(sql_error!(1062));
            }
            let (count, percent) = self.top_count(top, parent)?;
            return Ok(Rel::Top(Box::new(TopRows {
                input: rel,
                keys,
                count: Some(count),
                percent,
                with_ties: top.with_ties,
                offset: None,
            })));
        }
        if let Some(offset) = tail.offset {
            let offset = self.row_count(offset, "OFFSET", parent)?;
            let count = match tail.fetch {
                Some(fetch) => Some(self.row_count(fetch, "FETCH", parent)?),
                None => None,
            };
            return Ok(Rel::Top(Box::new(TopRows {
                input: rel,
                keys,
                count,
                percent: false,
                with_ties: false,
                offset: Some(offset),
            })));
        }
        if keys.is_empty() {
            return Ok(rel);
        }
        Ok(Rel::Sort { input: Box::new(rel), keys })
    }

    /// The number of TOP as bigint, or as float for PERCENT.
    pub fn top_count(&mut self, top: &ast::Top, parent: Option<&Scope>) -> SqlResult<(Expr, bool)> {
        if super::variables::has_sequence(&top.count) {
            return Err(sql_error!(11720));
        }
        let count = self.expr(&top.count, &Scope { parent, ..Scope::EMPTY })?;
        match count.kind {
            ExprKind::Literal(Datum::Null) => {
                return Err(if top.percent { sql_error!(1014) } else { sql_error!(1060) });
            }
            ExprKind::Literal(Datum::I64(n)) if top.percent && !(0..=100).contains(&n) => return Err(sql_error!(1031)),
            ExprKind::Literal(Datum::I64(n)) if n < 0 => return Err(sql_error!(127)),
            _ => {}
        }
        if top.percent {
            return Ok((implicit(count, &SqlType::FLOAT)?, true));
        }
        let wrong =
            count.ty.is_string() || matches!(count.ty.kind, TypeKind::Float | TypeKind::Real) || count.ty.is_decimal();
        if wrong && !is_whole_constant(&count) {
            return Err(sql_error!(1060));
        }
        Ok((implicit(count, &SqlType::BIGINT)?, false))
    }

    /// Of OFFSET and FETCH: it may read the rows of an enclosing query.
    fn row_count(&mut self, count: &ast::Expr, clause: &str, parent: Option<&Scope>) -> SqlResult<Expr> {
        let count = self.expr(count, &Scope { parent, ..Scope::EMPTY })?;
        if let ExprKind::Literal(Datum::I64(n)) = count.kind {
            if clause == "FETCH" && n < 1 {
                return Err(sql_error!(10744));
            }
            if n < 0 {
                return Err(sql_error!(10742));
            }
        }
        if !count.ty.is_integer() && !is_whole_constant(&count) {
            return Err(if clause == "FETCH" { sql_error!(1060) } else { sql_error!(10743) });
        }
        implicit(count, &SqlType::BIGINT)
    }

    fn select(
        &mut self,
        select: &ast::Select,
        tail: &Tail,
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
        place: Use,
    ) -> SqlResult<Bound> {
        let block = self.blocks.len();
        let assigns = select.items.iter().any(|item| matches!(item, ast::SelectItem::Assign { .. }));
        let sets = |group_by: &ast::GroupBy| {
            group_by.with.is_some() || group_by.items.iter().any(|item| !matches!(item, ast::GroupItem::Expr(_)))
        };
        let assigned = if assigns { self.assigned_by(select) } else { Vec::new() };
        self.blocks.push(Block {
            assigned,
            named: select.windows.iter().map(|(name, over)| (name.text.clone(), over.clone())).collect(),
            shape: SelectShape {
                nested: place == Use::Nested,
                merged: select.distinct || place == Use::Branch,
                limited: select.top.is_some() || tail.offset.is_some(),
                assigns,
                ordered: !tail.order_by.is_empty(),
                distinct: select.distinct,
                sets: select.group_by.as_deref().is_some_and(sets),
            },
            ..Block::default()
        });
        let result = check_windows(&self.blocks[block].named)
            .and_then(|()| self.select_block(select, tail, parent, ctes, place, block))
            .map_err(|e| e.at_line(select.line));
        self.blocks.truncate(block);
        result
    }

    /// The variables that the SELECT gives values.
    fn assigned_by(&self, select: &ast::Select) -> Vec<VariableSlot> {
        let variable = |item: &ast::SelectItem| match item {
            ast::SelectItem::Assign { variable, .. } => self.slot(variable).ok(),
            _ => None,
        };
        select.items.iter().filter_map(variable).collect()
    }

    /// What an aggregate asks of a query is computed below it: an inlined call may do that.
    fn asked_below(&mut self, aggregates: &mut [(ColumnId, Aggregate)]) -> Vec<(ColumnId, Expr)> {
        let mut defs = Vec::new();
        for (_, aggregate) in aggregates {
            let keys = aggregate.order.iter_mut().map(|key| &mut key.expr);
            for expr in aggregate.argument.iter_mut().chain(&mut aggregate.extra).chain(keys) {
                if expr.has_subquery() {
                    let id = self.columns.add(expr.ty, expr.nullable);
                    let column = self.columns.expr(id);
                    defs.push((id, std::mem::replace(expr, column)));
                }
            }
        }
        defs
    }

    fn select_block(
        &mut self,
        select: &ast::Select,
        tail: &Tail,
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
        place: Use,
        block: usize,
    ) -> SqlResult<Bound> {
        let named_keys = std::mem::take(&mut self.named_keys);
        let any_columns = std::mem::take(&mut self.any_columns);
        let (mut rel, sources) = self.from(&select.from, parent, ctes, block)?;
        let scope = Scope { sources: &sources, parent, ctes, block: Some(block) };
        if let Some(filter) = &select.filter {
            rel = self.filter(rel, filter, &scope)?;
        }
        let sets = match &select.group_by {
            Some(group_by) => self.group_by(group_by, &scope, block)?,
            None => None,
        };

        // What is wrong in HAVING is told first.
        let mut having = self.having(select, &scope, block)?;
        let (mut outputs, assigns) = self.items(select, &scope, any_columns)?;
        if !any_columns && assigns.is_empty() && place != Use::Rows {
            self.refuse_open(&outputs)?;
        }
        let owners = if tail.owners { super::xml::owners(&outputs, &sources) } else { Vec::new() };
        if !named_keys.is_empty() {
            self.found_keys = named_keys.iter().map(|key| self.output_of(key, &outputs, &scope)).collect();
        }
        if outputs.len() > SELECT_ITEMS_MAX {
            return Err(sql_error!(1056, 4096));
        }
        if !assigns.is_empty() && place != Use::Root {
            return Err(sql_error!(102, "="));
        }
        self.blocks[block].place = Place::OrderBy;
        let mut keys = self.order_keys(select, tail, &outputs, &scope)?;
        let order = places_of(&keys, &outputs);
        let mut done = std::mem::take(&mut self.blocks[block]);
        self.blocks[block].place = Place::Select;

        let mut windows = done.windows;
        let grouped = select.group_by.is_some() || select.having.is_some() || !done.aggregates.is_empty();
        if let Some(ctes) = ctes {
            ctes.check_select(select, tail.offset.is_some(), grouped)?;
        }
        let keyed = self.browses && place == Use::Root && !grouped && !select.distinct;
        let keyed = keyed && assigns.is_empty() && select.into.is_none();
        let hidden = if keyed { self.hidden_keys(&rel, &mut outputs) } else { 0 };
        let merges = sets.as_ref().is_none_or(|sets| sets.len() < 2);
        if !merges && done.aggregates.iter().any(|(_, aggregate)| aggregate.function == AggregateFunction::StringAgg) {
            return Err(sql_error!(8710));
        }
        check_orders(&done.aggregates)?;
        if grouped {
            let over_groups = Regroup { groups: &done.groups, reuse: sets.is_none(), sources: &sources };
            let mut told = over_groups.apply_to_all(&mut outputs, &mut having, &mut keys, &mut windows);
            told.extend(over_groups.apply_to_all(&mut [], &mut [], &mut done.sequence_order, &mut []));
            told.into_iter().try_for_each(|error| self.noted(error))?;
            let sets = match (sets, done.grouping_id) {
                (Some(sets), id) => Some((sets, id.unwrap_or_else(|| self.columns.add(SqlType::BIGINT, false)))),
                (None, Some(id)) => Some((vec![(0..done.groups.len()).collect()], id)),
                (None, None) => None,
            };
            let input = rel.map(self.asked_below(&mut done.aggregates));
            rel = Rel::Aggregate(Box::new(Group { input, group: done.groups, aggregates: done.aggregates, sets }));
            rel = rel.filter(having);
        }
        // Each order is an operator of its own.
        if windows.len() + rel.height() > HEIGHT_MAX {
            return Err(errors::too_deep());
        }
        for spec in windows {
            rel = Rel::Window(Box::new(Window {
                input: rel,
                partition: spec.partition,
                order: spec.order,
                functions: spec.functions,
            }));
        }
        if !done.sequences.is_empty() {
            if !done.sequence_order.is_empty() {
                rel = Rel::Sort { input: Box::new(rel), keys: done.sequence_order };
            }
            rel = rel.map(done.sequences);
        }
        rel = if select.distinct {
            self.distinct_rows(rel, &mut outputs, &mut keys)?
        } else {
            self.sorted_rows(rel, &mut outputs, &mut keys)
        };
        rel = self.limited(rel, keys, select.top.as_deref(), tail, parent)?;
        let into = select.into.as_deref().cloned();
        if into.is_some() && !matches!(place, Use::Root | Use::Nested | Use::Branch) {
            return Err(sql_error!(156, "INTO"));
        }
        Ok(Bound { rel, outputs, assigns, into, hidden, owners, order })
    }

    fn having(&mut self, select: &ast::Select, scope: &Scope, block: usize) -> SqlResult<Vec<Expr>> {
        let mut having = Vec::new();
        if let Some(condition) = &select.having {
            self.blocks[block].place = Place::Having;
            self.expr(condition, scope)?.split_and(&mut having);
        }
        self.blocks[block].place = Place::Select;
        Ok(having)
    }

    /// 451: a column of the result has a collation.
    fn refuse_open(&self, outputs: &[Output]) -> SqlResult<()> {
        let mut met = outputs.iter().enumerate().filter_map(|(at, output)| {
            collating::conflict(&output.expr, &self.columns).map(|conflict| conflict.told("SELECT", at + 1))
        });
        met.next().map_or(Ok(()), Err)
    }

    /// SELECT DISTINCT: outputs become columns, and what is sorted by must be among them.
    fn distinct_rows(&mut self, rel: Rel, outputs: &mut [Output], keys: &mut [SortKey]) -> SqlResult<Rel> {
        let whole = |ty: &SqlType| {
            matches!(ty.kind, TypeKind::Text | TypeKind::NText | TypeKind::Image | TypeKind::Xml | TypeKind::Json)
                || ty.is_spatial()
        };
        let wrong = outputs.iter().filter(|output| whole(&output.expr.ty));
        let mut errors: Vec<SqlError> = wrong.map(|output| sql_error!(421, output.expr.ty.name())).collect();
        if let Some(last) = errors.pop() {
            errors.into_iter().try_for_each(|error| self.noted(error))?;
            return Err(self.told_last(last));
        }
        let own = rel.defined();
        let mut defs = Vec::new();
        let mut ids = Vec::with_capacity(outputs.len());
        for output in &mut *outputs {
            let id = self.own_column(output.expr.clone(), &own, &mut defs);
            for key in &mut *keys {
                if key.expr.same(&output.expr) {
                    key.expr = Expr { kind: ExprKind::Column(id.index()), ..output.expr.clone() };
                }
            }
            output.expr = Expr { kind: ExprKind::Column(id.index()), ..output.expr.clone() };
            ids.push(id);
        }
        let shown: ColumnSet = ids.iter().copied().collect();
        if keys.iter().any(|key| !ColumnSet::of(&key.expr).within(&shown)) {
            return Err(sql_error!(145));
        }
        Ok(self.distinct(rel.map(defs), &ids))
    }

    /// What is sorted by is computed below the sort and shown from there.
    fn sorted_rows(&mut self, rel: Rel, outputs: &mut [Output], keys: &mut [SortKey]) -> Rel {
        let mut defs = Vec::new();
        for key in keys {
            if matches!(key.expr.kind, ExprKind::Column(_)) || key.expr.is_same_for_all() {
                continue;
            }
            let id = self.as_column(key.expr.clone(), &mut defs);
            let column = Expr { kind: ExprKind::Column(id.index()), ..key.expr.clone() };
            for output in &mut *outputs {
                if output.expr.same(&key.expr) {
                    let told_nullable = self.columns.told_nullable(&output.expr);
                    self.columns.compute_below_sort(id, told_nullable);
                    output.expr = column.clone();
                }
            }
            key.expr = column;
        }
        rel.map(defs)
    }

    /// `any_columns`: of EXISTS, where `*` stands for no column.
    fn items(
        &mut self,
        select: &ast::Select,
        scope: &Scope,
        any_columns: bool,
    ) -> SqlResult<(Vec<Output>, Vec<VariableSlot>)> {
        let mut outputs = Vec::with_capacity(select.items.len());
        let mut assigns = Vec::new();
        for item in &select.items {
            match item {
                ast::SelectItem::Star { table, line } => {
                    if scope.sources.is_empty() {
                        if let Some(table) = table {
                            return Err(sql_error!(107, super::names::display(table)).at_line(*line));
                        }
                        if !any_columns {
                            return Err(sql_error!(263).at_line(*line));
                        }
                        outputs.push(Output { name: "".into(), expr: Expr::int(1) });
                        continue;
                    }
                    let before = outputs.len();
                    let outer = std::mem::replace(&mut self.needs.in_exists, any_columns);
                    let starred = self.star(table.as_deref(), scope, &mut outputs);
                    self.needs.in_exists = outer;
                    starred.map_err(|e| e.at_line(*line))?;
                    if any_columns {
                        outputs.truncate(before);
                        outputs.push(Output { name: "".into(), expr: Expr::int(1) });
                    }
                }
                ast::SelectItem::Expr { expr, alias, line } => {
                    let bound = match super::into_identity::identity_call(expr) {
                        Some(call) => self.identity_values(call, select, outputs.len(), scope),
                        None => self.expr(expr, scope),
                    };
                    let bound = bound.map_err(|e| e.at_line(*line))?;
                    let name = match (alias, expr) {
                        (Some(alias), _) => alias.text.clone(),
                        (None, ast::Expr::Column(column)) => scope.shown_name(column),
                        _ => "".into(),
                    };
                    outputs.push(Output { name, expr: bound });
                }
                ast::SelectItem::Assign { variable, op, value } => {
                    let slot = self.slot(variable)?;
                    let value = self.expr(value, scope)?;
                    let value = self.assigned(slot, *op, value)?;
                    outputs.push(Output { name: "".into(), expr: value });
                    assigns.push(slot);
                }
            }
        }
        if !assigns.is_empty() && assigns.len() != outputs.len() {
            return Err(sql_error!(141));
        }
        Ok((outputs, assigns))
    }

    /// `op` of `@v op= value`, as the variable's type.
    pub fn assigned(&mut self, slot: VariableSlot, op: ast::AssignOp, value: Expr) -> SqlResult<Expr> {
        let ty = self.names.variables[slot.0 as usize].ty;
        let value = match compound(op) {
            None => value,
            Some(op) => {
                let current = Expr::new(ty, true, ExprKind::Variable(slot));
                self.binary(op, current, value)?
            }
        };
        implicit(value, &ty)
    }

    pub fn star(&mut self, table: Option<&ast::ObjectName>, scope: &Scope, outputs: &mut Vec<Output>) -> SqlResult<()> {
        let one;
        let sources: &[Source] = match table {
            None => scope.sources,
            Some(name) => match scope.source(name) {
                Some(source) => {
                    one = source.clone();
                    std::slice::from_ref(&one)
                }
                None => return Err(sql_error!(107, super::names::display(name))),
            },
        };
        for source in sources {
            for index in 0..source.len() {
                let column = source.column(index);
                if column.name.starts_with('$') || source.is_hidden(index) {
                    continue;
                }
                super::xml::check_direct(&column.name, &column.ty)?;
                self.needs.mark(column.id);
                let expr = match self.columns.is_untyped(column.id) {
                    true => Expr::null(SqlType::INT),
                    false => Expr::column(column.id.index(), column.ty, column.nullable),
                };
                outputs.push(Output { name: column.name, expr });
            }
        }
        Ok(())
    }

    fn order_keys(
        &mut self,
        select: &ast::Select,
        tail: &Tail,
        outputs: &[Output],
        scope: &Scope,
    ) -> SqlResult<Vec<SortKey>> {
        let mut keys: Vec<SortKey> = Vec::with_capacity(tail.order_by.len());
        // For each of `keys` the column of the result that it names, and whether it is written with its table.
        let mut shown: Vec<(Option<usize>, bool)> = Vec::with_capacity(tail.order_by.len());
        for item in tail.order_by {
            let (expr, of_result) = match &item.expr {
                written if number_of(written).is_some() => {
                    let at = position_of(number_of(written).unwrap_or(0), outputs)?;
                    (outputs[at].expr.clone(), renamed_item(select, at))
                }
                written if is_variable(written) => return Err(sql_error!(1008, keys.len() + 1)),
                ast::Expr::Column(name) if name.table.is_none() => {
                    let aliased = aliases(select, outputs, &name.name)?;
                    match aliased {
                        Some((at, expr)) => (expr, renamed_item(select, at)),
                        None => (self.expr(&item.expr, scope)?, None),
                    }
                }
                other => {
                    let aliased = match quoted_alias(other) {
                        Some(name) => aliases(select, outputs, name)?,
                        None => None,
                    };
                    match aliased.filter(|(at, _)| renamed_item(select, *at).is_some()) {
                        Some((at, expr)) => (expr, renamed_item(select, at)),
                        None => {
                            let bound = self.expr(other, scope)?;
                            if constant_of(other, &bound).is_some() {
                                return Err(sql_error!(408, keys.len() + 1));
                            }
                            (bound, None)
                        }
                    }
                }
            };
            sortable(&expr.ty, "ORDER BY")?;
            if let Some(conflict) = collating::conflict(&expr, &self.columns) {
                return Err(conflict.told("ORDER BY", keys.len() + 1));
            }
            let with_table = matches!(&item.expr, ast::Expr::Column(name) if name.table.is_some());
            let mut same = keys.iter().zip(&shown).filter(|(old, _)| old.expr.same(&expr)).peekable();
            if same.peek().is_some() {
                match expr.kind {
                    // Two columns of the result are two, though one column is the source of both: it has a name there and one with its
                    // table.
                    ExprKind::Column(column) if names_of(scope, column) < 2 => {
                        let twice = outputs.iter().filter(|output| output.expr.same(&expr)).count() > 1;
                        if same.any(|(_, old)| old.0 == of_result && (!twice || old.1 == with_table)) {
                            return Err(sql_error!(169));
                        }
                        continue;
                    }
                    _ => continue,
                }
            }
            keys.push(SortKey { expr, descending: item.descending });
            shown.push((of_result, with_table));
        }
        Ok(keys)
    }
}

/// A text in ORDER BY that may be an alias, as `AS 'name'` writes it.
/// https://learn.microsoft.com/sql/t-sql/language-elements/coalesce-transact-sql has one.
fn quoted_alias(written: &ast::Expr) -> Option<&str> {
    match written {
        ast::Expr::Literal(ast::Literal::String { text, .. }) => Some(text),
        _ => None,
    }
}

/// Which of `outputs` each key is.
fn places_of(keys: &[SortKey], outputs: &[Output]) -> Vec<(Option<usize>, bool)> {
    let place = |key: &SortKey| outputs.iter().position(|output| output.expr.same(&key.expr));
    keys.iter().map(|key| (place(key), key.descending)).collect()
}

/// How many columns of the FROM are this one: a derived table may have it by two names, which may both be in an order.
fn names_of(scope: &Scope, column: usize) -> usize {
    let is_it = |source: &Source, at: usize| source.column(at).id.index() == column;
    scope.sources.iter().map(|source| (0..source.len()).filter(|at| is_it(source, *at)).count()).sum()
}

/// NULL as it is written: what has been given a type is of that type.
pub fn is_untyped_null(expr: &Expr) -> bool {
    expr.ty.kind == TypeKind::Int && is_null_literal(expr)
}

fn is_union(operator: ast::SetOperator) -> bool {
    matches!(operator, ast::SetOperator::Union | ast::SetOperator::UnionAll)
}

pub fn compound(op: ast::AssignOp) -> Option<ast::BinaryOp> {
    Some(match op {
        ast::AssignOp::Set => return None,
        ast::AssignOp::Add => ast::BinaryOp::Add,
        ast::AssignOp::Subtract => ast::BinaryOp::Subtract,
        ast::AssignOp::Multiply => ast::BinaryOp::Multiply,
        ast::AssignOp::Divide => ast::BinaryOp::Divide,
        ast::AssignOp::Modulo => ast::BinaryOp::Modulo,
        ast::AssignOp::BitAnd => ast::BinaryOp::BitAnd,
        ast::AssignOp::BitOr => ast::BinaryOp::BitOr,
        ast::AssignOp::BitXor => ast::BinaryOp::BitXor,
        ast::AssignOp::Concat => ast::BinaryOp::Concat,
    })
}

/// A variable as it is or converted, which could only be meant as a column's place.
fn is_variable(key: &ast::Expr) -> bool {
    match key {
        ast::Expr::Variable(_) => true,
        ast::Expr::Cast(cast) => is_variable(&cast.operand),
        ast::Expr::Convert(convert) => is_variable(&convert.operand),
        _ => false,
    }
}

/// The number that a key of ORDER BY is written as, with its sign.
fn number_of(key: &ast::Expr) -> Option<i32> {
    match key {
        ast::Expr::Literal(ast::Literal::Int(number)) => Some(*number),
        ast::Expr::Unary(ast::UnaryOp::Minus, inner) => number_of(inner).and_then(i32::checked_neg),
        ast::Expr::Unary(ast::UnaryOp::Plus, inner) => number_of(inner),
        _ => None,
    }
}

/// Which of `outputs` a number in ORDER BY means.
fn position_of(position: i32, outputs: &[Output]) -> SqlResult<usize> {
    usize::try_from(position)
        .ok()
        .and_then(|n| n.checked_sub(1))
        .filter(|n| *n < outputs.len())
        .ok_or_else(|| sql_error!(108, position))
}

/// A key of ORDER BY that is no place in the select list.
fn computed_key(item: &ast::OrderItem) -> Option<&ast::Expr> {
    let is_place = number_of(&item.expr).is_some() || matches!(item.expr, ast::Expr::Literal(_));
    (!is_place).then_some(&item.expr)
}

/// The first of `outputs` that is the column `name`.
fn column_output(name: &ast::ColumnName, outputs: &[Output], scope: &Scope) -> FoundKey {
    let (column, outer) = match scope.column(name) {
        Ok(found) => found,
        Err(error) if name.table.is_some() => return FoundKey::Unbound(error),
        Err(_) => return FoundKey::Unknown,
    };
    let is_it = |output: &Output| matches!(output.expr.kind, ExprKind::Column(id) if id == column.id.index());
    match outputs.iter().position(is_it) {
        _ if outer => FoundKey::Unknown,
        Some(at) => FoundKey::At(at),
        None => FoundKey::NotSelected,
    }
}

/// `at`, if that item of the select list has a name of its own and not its column's.
fn renamed_item(select: &ast::Select, at: usize) -> Option<usize> {
    // A star before it moves the positions; what it stands for has its columns' names.
    if select.items.iter().any(|item| matches!(item, ast::SelectItem::Star { .. })) {
        return None;
    }
    match &select.items[at] {
        ast::SelectItem::Expr { expr: ast::Expr::Column(column), alias, .. } => {
            alias.as_ref().filter(|alias| !same_name(alias, &column.name)).map(|_| at)
        }
        _ => Some(at),
    }
}

/// The select item that `name` is an alias of. A name that is only the column's own is left to the scope.
fn aliases(select: &ast::Select, outputs: &[Output], name: &str) -> SqlResult<Option<(usize, Expr)>> {
    let mut found: Option<(usize, &Expr)> = None;
    let starred = select.items.iter().any(|item| matches!(item, ast::SelectItem::Star { .. }));
    for (i, output) in outputs.iter().enumerate() {
        if !same_name(&output.name, name) {
            continue;
        }
        let written = if starred { true } else { matches!(&select.items[i], ast::SelectItem::Expr { .. }) };
        if !written {
            continue;
        }
        // Two of one column are two, too.
        if found.replace((i, &output.expr)).is_some() {
            return Err(errors::ambiguous_column(name));
        }
    }
    Ok(found.map(|(at, expr)| (at, expr.clone())))
}

/// A condition as a bit value: 1 when it is TRUE, else 0.
pub fn condition_value(condition: Expr) -> Expr {
    let branches = vec![(condition, Expr::bit(true))];
    let kind = ExprKind::Case { branches, otherwise: Some(Box::new(Expr::bit(false))) };
    Expr::new(SqlType::BIT, false, kind)
}

/// A constant without a point that is too great for an int: numeric by its type, a number of rows all the same.
fn is_whole_constant(count: &Expr) -> bool {
    matches!(count.kind, ExprKind::Literal(_)) && count.ty.is_decimal() && count.ty.scale == 0
}

/// 8711: the rows of a group come in one order. Elements of JSON are put together in any.
fn check_orders(aggregates: &[(ColumnId, Aggregate)]) -> SqlResult<()> {
    let is_ordered = |own: &&Aggregate| {
        let is_element = own.argument.as_ref().is_some_and(|argument| argument.any(&mut super::json::is_part));
        own.function == AggregateFunction::StringAgg && !own.order.is_empty() && !is_element
    };
    let orders: Vec<&[SortKey]> =
        aggregates.iter().map(|(_, own)| own).filter(is_ordered).map(|own| &*own.order).collect();
    let agrees = |(a, b): (&SortKey, &SortKey)| a.descending == b.descending && a.expr.same(&b.expr);
    let longest = orders.iter().max_by_key(|order| order.len());
    match longest.is_none_or(|longest| orders.iter().all(|order| order.iter().zip(*longest).all(agrees))) {
        true => Ok(()),
        false => Err(sql_error!(8711)),
    }
}
