//! A call of a scalar function becomes what its body computes: an expression of the calling query, which is then optimized with it. Each value
//! that a statement of the body gives a variable is a column of its own; most of them are read once and put where they are read, and
//! what is left are columns of one row, in a subquery. What a branch computes is computed only if the branch is taken.
//!
//! Whatever does not fit is called as before, so nothing is refused here and errors of the body are told when it runs.
//!
//! https://learn.microsoft.com/sql/relational-databases/user-defined-functions/scalar-udf-inlining

use std::sync::Arc;

use types::{Datum, SqlError, SqlResult, SqlType};

use super::binder::{Binder, Parameters, Place};
use super::collating::collation_rank;
use super::convert::implicit;
use super::errors;
use super::inlineable::{assignments, has_aggregate, inlineable_body, mentions};
use super::names::same_name;
use super::query::{compound, condition_value, one_column};
use super::scope::Scope;
use crate::ast::{self, StatementKind as S};
use crate::catalog::ModuleDef;
use crate::optimize::{ColumnId, Output, Rel, substitute};
use crate::plan::{CompareOp, Expr, ExprKind, Subquery, SubqueryKind};

/// Functions within functions that become one expression.
const NESTED_MAX: u32 = 8;
/// Values that a body computes, those of functions within it not counted.
const VALUES_MAX: usize = 200;
/// A value of so many parts is computed again rather than put aside.
const CHEAP_PARTS: usize = 6;
const CHEAP_READS: usize = 3;
/// How deep an expression becomes by values that are put where they are read.
const DEPTH_MAX: usize = 40;
/// Columns of the one row that depend upon each other.
const LEVELS_MAX: usize = 40;

/// What stands for a body while it is gone through.
struct Body {
    returns: SqlType,
    /// Of the variables, in the order of their values in `Binder::parameters`.
    types: Vec<SqlType>,
    parameters: Vec<ColumnId>,
    values: Vec<Value>,
    /// The conditions of the branches around, and whether they hold there.
    path: Vec<(ColumnId, bool)>,
    result: Option<Expr>,
}

/// A value of the body, in the order of computing.
struct Value {
    id: ColumnId,
    /// Where it is computed.
    path: Vec<(ColumnId, bool)>,
    value: Expr,
    /// A predicate: the column is 1 where it is TRUE, else 0.
    condition: bool,
}

impl Binder<'_> {
    /// The value of a call with these arguments, which have their parameters' types. None: it is to be called.
    pub fn inlined(
        &mut self,
        module: &Arc<ModuleDef>,
        function: &ast::CreateFunction,
        call: &ast::Call,
        args: &[Expr],
        scope: &Scope,
    ) -> Option<Expr> {
        let body = self.body_of_call(module, function, call, args, scope)?;
        self.inlining += 1;
        let value = self.attempt(|binder| {
            binder.expanded(module, &call.name, Parameters::default(), |binder| {
                let made = binder.function_body(module, function, body)?;
                made.into_value(binder, function, args)
            })
        });
        self.inlining -= 1;
        value
    }

    /// The statements, if this call of the function is one that is inlined.
    fn body_of_call<'f>(
        &self,
        module: &ModuleDef,
        function: &'f ast::CreateFunction,
        call: &ast::Call,
        args: &[Expr],
        scope: &Scope,
    ) -> Option<&'f [ast::Statement]> {
        let many = scope.has_sources() || self.inlining > 0;
        let asked = self.inlines && !self.lowering.looks_up && self.delta.is_none() && many;
        if !asked || scope.ctes.is_some() || self.inlining >= NESTED_MAX || function.options.inline == Some(false) {
            return None;
        }
        let own = Some((module.database, module.object));
        let within_itself = self.homes.iter().any(|home| home.object == own);
        let as_here = module.database == self.catalog.database() && module.ansi_nulls && self.options.ansi_nulls;
        if within_itself || !as_here || call.args.iter().any(has_aggregate) || !self.takes_inlined(scope, args) {
            return None;
        }
        inlineable_body(function).filter(|_| self.catalog.inlines_functions(self.level))
    }

    /// Whether the clause and the SELECT of the call may have an expression in its place.
    fn takes_inlined(&self, scope: &Scope, args: &[Expr]) -> bool {
        let Some(block) = scope.block.map(|block| &self.blocks[block]) else { return true };
        let shape = &block.shape;
        let assigned = |e: &Expr| matches!(e.kind, ExprKind::Variable(slot) if block.assigned.contains(&slot));
        let place = matches!(
            block.place,
            Place::Where | Place::On | Place::Select | Place::Having | Place::Argument | Place::Set
        );
        let groups_by_call =
            block.groups.iter().any(|(_, group)| group.any(&mut |e| matches!(e.kind, ExprKind::UserFunction(..))));
        let sorted = shape.distinct && shape.ordered;
        place && !shape.sets && !sorted && !groups_by_call && !args.iter().any(|arg| arg.any(&mut |e| assigned(e)))
    }

    fn function_body(
        &mut self,
        module: &ModuleDef,
        function: &ast::CreateFunction,
        statements: &[ast::Statement],
    ) -> SqlResult<Body> {
        let ast::FunctionReturns::Scalar { data_type, .. } = &function.returns else { return Err(stays_a_call()) };
        let returns = self.data_type_of(module, data_type)?;
        let (types, values, path) = (Vec::new(), Vec::new(), Vec::new());
        let mut body = Body { returns, types, parameters: Vec::new(), values, path, result: None };
        for parameter in &function.parameters {
            let ty = self.data_type_of(module, &parameter.data_type)?;
            let id = self.body_column(ty, true);
            body.parameters.push(id);
            self.declare_in_body(&mut body, &parameter.name, ty, id);
        }
        self.declare_all(&mut body, module, statements)?;
        self.body_statements(&mut body, statements)?;
        Ok(body)
    }

    /// A column whose text gives way to others' collations, as a variable's does.
    fn body_column(&mut self, ty: SqlType, nullable: bool) -> ColumnId {
        let id = self.columns.add(ty, nullable);
        if ty.is_string() {
            self.columns.set_yielding(id);
        }
        id
    }

    fn declare_in_body(&mut self, body: &mut Body, variable: &ast::Variable, ty: SqlType, id: ColumnId) {
        let value = self.columns.expr(id);
        body.types.push(ty);
        self.body_variables().push((variable.name.clone(), value));
    }

    /// What each variable is at the moment.
    fn body_variables(&mut self) -> &mut Vec<(Box<str>, Expr)> {
        &mut self.parameters.last_mut().expect("a body is expanded").values
    }

    /// A variable is there from the beginning, wherever it is declared, and NULL.
    fn declare_all(&mut self, body: &mut Body, module: &ModuleDef, statements: &[ast::Statement]) -> SqlResult<()> {
        for statement in statements {
            match &statement.kind {
                S::Block(inner) => self.declare_all(body, module, inner)?,
                S::If(choice) => {
                    for then in choice.branches.iter().map(|branch| &branch.then).chain(&choice.otherwise) {
                        self.deeper(|binder| binder.declare_all(body, module, std::slice::from_ref(then)))?;
                    }
                }
                S::Declare(declarations) => {
                    for declaration in declarations {
                        let ast::Declaration::Scalar { variable, data_type, .. } = declaration else { continue };
                        let ty = self.data_type_of(module, data_type)?;
                        let id = self.add_value(body, ty, Expr::null(ty), false)?;
                        self.declare_in_body(body, variable, ty, id);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add_value(&mut self, body: &mut Body, ty: SqlType, value: Expr, condition: bool) -> SqlResult<ColumnId> {
        // Who may not see a value would be told what a branch makes of it.
        if body.values.len() >= VALUES_MAX || self.mask_of(&value).is_some() {
            return Err(stays_a_call());
        }
        let id = self.body_column(ty, !condition);
        body.values.push(Value { id, path: body.path.clone(), value, condition });
        Ok(id)
    }

    fn body_statements(&mut self, body: &mut Body, statements: &[ast::Statement]) -> SqlResult<()> {
        statements.iter().try_for_each(|statement| self.body_statement(body, statement))
    }

    fn body_statement(&mut self, body: &mut Body, statement: &ast::Statement) -> SqlResult<()> {
        let scope = Scope::NO_ROWS;
        match &statement.kind {
            S::Block(inner) => self.deeper(|binder| binder.body_statements(body, inner)),
            S::Declare(declarations) => {
                for declaration in declarations {
                    let ast::Declaration::Scalar { variable, value: Some(value), .. } = declaration else { continue };
                    let value = self.expr(value, &scope)?;
                    self.assign_in_body(body, variable, ast::AssignOp::Set, value)?;
                }
                Ok(())
            }
            S::SetVariable(set) => {
                let ast::SetVariableKind::Value(op, value) = &set.kind else { return Err(stays_a_call()) };
                let value = self.expr(value, &scope)?;
                self.assign_in_body(body, &set.variable, *op, value)
            }
            S::Select(query) => self.select_in_body(body, query),
            S::If(choice) => self.choose_in_body(body, &choice.branches, choice.otherwise.as_ref()),
            S::Return(Some(value)) => {
                // "The UDF is not called from a RETURN statement."
                let value = self.calling(|binder| binder.expr(value, &scope))?;
                let value = implicit(value, &body.returns)?;
                let id = self.add_value(body, body.returns, value, false)?;
                body.result = Some(self.columns.expr(id));
                Ok(())
            }
            _ => Err(stays_a_call()),
        }
    }

    fn body_variable(&self, variable: &ast::Variable) -> SqlResult<usize> {
        let own = self
            .parameters
            .last()
            .and_then(|parameters| parameters.values.iter().position(|(name, _)| same_name(name, &variable.name)));
        own.ok_or_else(|| errors::undeclared_variable(&variable.name))
    }

    fn assign_in_body(
        &mut self,
        body: &mut Body,
        variable: &ast::Variable,
        op: ast::AssignOp,
        value: Expr,
    ) -> SqlResult<()> {
        let at = self.body_variable(variable)?;
        let ty = body.types[at];
        let value = match compound(op) {
            None => value,
            Some(op) => {
                let current = self.body_variables()[at].1.clone();
                self.binary(op, current, value)?
            }
        };
        let value = implicit(value, &ty)?;
        let id = self.add_value(body, ty, value, false)?;
        self.body_variables()[at].1 = self.columns.expr(id);
        Ok(())
    }

    /// SELECT @v = ...: the values of the last row, if there is one.
    fn select_in_body(&mut self, body: &mut Body, query: &ast::Query) -> SqlResult<()> {
        let ast::QueryBody::Select(select) = &query.body else { return Err(stays_a_call()) };
        let Some(all) = assignments(select) else { return Err(stays_a_call()) };
        // One that reads another's value would have to be computed row by row.
        let reads_others = || all.iter().any(|(_, _, value)| all.iter().any(|(other, ..)| mentions(value, other)));
        let one_row = is_one_row(query, select);
        if query.for_clause.is_some() || (all.len() > 1 || !one_row) && reads_others() {
            return Err(stays_a_call());
        }
        if one_row {
            for (variable, op, value) in all {
                let value = self.expr(value, &Scope::NO_ROWS)?;
                self.assign_in_body(body, variable, op, value)?;
            }
            return Ok(());
        }
        let mut assigned = Vec::with_capacity(all.len());
        for (at, (variable, ..)) in all.iter().enumerate() {
            let place = self.body_variable(variable)?;
            let ty = body.types[place];
            let old = self.body_variables()[place].1.clone();
            let own = of_one_item(query, at);
            let mut value = self.last_value(&own, &ty)?;
            if !body.is_null(&old) && !is_whole_group(select) {
                let any = self.expr(&ast::Expr::Exists(Box::new(own)), &Scope::NO_ROWS)?;
                value = case(any, value, old);
            }
            assigned.push((place, self.add_value(body, ty, value, false)?));
        }
        // What the query reads of them is what they were.
        for (place, id) in assigned {
            self.body_variables()[place].1 = self.columns.expr(id);
        }
        Ok(())
    }

    /// The one column of the query's last row.
    fn last_value(&mut self, query: &ast::Query, ty: &SqlType) -> SqlResult<Expr> {
        let mut bound = self.subquery(query, &Scope::NO_ROWS)?;
        one_column(&bound)?;
        let output = &mut bound.outputs[0];
        if self.mask_of(&output.expr).is_some() {
            return Err(stays_a_call());
        }
        output.expr = implicit(output.expr.clone(), ty)?;
        let rel = self.with_views(bound.rel, &bound.outputs);
        let (plan, bindings) = self.lowering.subquery(&mut self.columns, rel, bound.outputs);
        let subquery = Subquery { plan, kind: SubqueryKind::Last, mask: None, yields: true, bindings };
        Ok(Expr::new(*ty, true, ExprKind::Subquery(Box::new(subquery))))
    }

    fn choose_in_body(
        &mut self,
        body: &mut Body,
        branches: &[ast::IfBranch],
        otherwise: Option<&ast::Statement>,
    ) -> SqlResult<()> {
        let Some((first, rest)) = branches.split_first() else {
            return otherwise.map_or(Ok(()), |statement| self.body_statement(body, statement));
        };
        self.deeper(|binder| {
            let condition = binder.expr(&first.condition, &Scope::NO_ROWS)?;
            let condition = binder.add_value(body, SqlType::BIT, condition, true)?;
            let before = binder.body_variables().clone();
            body.path.push((condition, true));
            binder.body_statement(body, &first.then)?;
            body.path.pop();
            let then = std::mem::replace(binder.body_variables(), before);
            body.path.push((condition, false));
            binder.choose_in_body(body, rest, otherwise)?;
            body.path.pop();
            for (at, (_, value)) in then.into_iter().enumerate() {
                let other = binder.body_variables()[at].1.clone();
                if value.same(&other) {
                    continue;
                }
                let ty = body.types[at];
                let merged = case(holds(condition, true), value, other);
                let id = binder.add_value(body, ty, merged, false)?;
                binder.body_variables()[at].1 = binder.columns.expr(id);
            }
            Ok(())
        })
    }
}

impl Body {
    /// It is NULL whatever the arguments are.
    fn is_null(&self, variable: &Expr) -> bool {
        let ExprKind::Column(column) = variable.kind else { return false };
        let own = self.values.iter().find(|value| value.id.index() == column);
        own.is_some_and(|own| matches!(own.value.kind, ExprKind::Literal(Datum::Null)))
    }

    /// The expression of the call.
    fn into_value(self, binder: &mut Binder<'_>, function: &ast::CreateFunction, args: &[Expr]) -> SqlResult<Expr> {
        let Body { returns, parameters, values, result, .. } = self;
        let mut result = result.ok_or_else(stays_a_call)?;
        if function.options.called_on_null == Some(false) && !parameters.is_empty() {
            let null =
                |id: &ColumnId| Expr::new(SqlType::BIT, false, ExprKind::IsNull(Box::new(binder.columns.expr(*id))));
            let any = Expr::predicate(ExprKind::Or(parameters.iter().map(null).collect()));
            result = case(any, Expr::null(returns), result);
        }
        let kept = folded(values, &mut result);
        let dear = |(id, arg): (&ColumnId, &Expr)| !is_cheap(arg, reads(&result, *id));
        if !kept.is_empty() || parameters.iter().zip(args).any(dear) {
            result = binder.of_one_row(kept, result)?;
        }
        // The text's collation gives way to others', whatever it was read from.
        result.rewrite(&mut |e| {
            if let ExprKind::Subquery(subquery) = &mut e.kind {
                subquery.yields = true;
            }
            false
        });
        let args: Vec<(ColumnId, Expr)> = parameters.into_iter().zip(args.iter().cloned()).collect();
        substitute(&mut result, &args);
        let rank = |value: &Expr| if value.ty.is_string() { collation_rank(value, &binder.columns) } else { 1 };
        if rank(&result) > args.iter().map(|(_, arg)| rank(arg)).max().unwrap_or(1) {
            return Err(stays_a_call());
        }
        // A node of its own: neither the column, the constant nor the JSON that it is made of.
        let kind = ExprKind::Convert { value: Box::new(result), style: None, attempt: false, explicit: false };
        Ok(Expr::new(returns, true, kind))
    }
}

impl Binder<'_> {
    /// `result` over the columns `kept` of one row, as a subquery.
    fn of_one_row(&mut self, kept: Vec<(ColumnId, Expr)>, result: Expr) -> SqlResult<Expr> {
        let mut levels: Vec<Vec<(ColumnId, Expr)>> = Vec::new();
        for (id, value) in kept {
            let below = levels.iter().rposition(|level| level.iter().any(|(own, _)| reads(&value, *own) > 0));
            let at = below.map_or(0, |below| below + 1);
            if at >= LEVELS_MAX {
                return Err(stays_a_call());
            }
            if at == levels.len() {
                levels.push(Vec::new());
            }
            levels[at].push((id, value));
        }
        let rel = levels.into_iter().fold(Rel::one_row(), Rel::map);
        let ty = result.ty;
        let outputs = vec![Output { name: "".into(), expr: result }];
        let (plan, bindings) = self.lowering.subquery(&mut self.columns, rel, outputs);
        let subquery = Subquery { plan, kind: SubqueryKind::Scalar, mask: None, yields: true, bindings };
        Ok(Expr::new(ty, true, ExprKind::Subquery(Box::new(subquery))))
    }
}

/// Puts values where they are read, and gives those that are better computed once, in their order.
fn folded(values: Vec<Value>, result: &mut Expr) -> Vec<(ColumnId, Expr)> {
    let mut kept: Vec<(ColumnId, Expr)> = Vec::new();
    for Value { id, path, value, condition } in values.into_iter().rev() {
        let readers = || kept.iter().map(|(_, reader)| reader).chain([&*result]).filter(|reader| reads(reader, id) > 0);
        let count: usize = readers().map(|reader| reads(reader, id)).sum();
        if count == 0 {
            continue;
        }
        let deepest = readers().map(depth).max().unwrap_or(0) + depth(&value);
        if is_cheap(&value, count) && deepest <= DEPTH_MAX {
            let all = kept.iter_mut().map(|(_, reader)| reader).chain([&mut *result]);
            all.for_each(|reader| put(reader, id, &value, condition));
            continue;
        }
        kept.push((id, guarded(value, condition, &path)));
    }
    kept.reverse();
    kept
}

/// In place of the column. Whoever reads what a branch computes is in that branch, so there is nothing to be asked.
fn put(reader: &mut Expr, id: ColumnId, value: &Expr, condition: bool) {
    reader.rewrite(&mut |e| match &mut e.kind {
        ExprKind::Column(column) if *column == id.index() => {
            *e = if condition { condition_value(value.clone()) } else { value.clone() };
            true
        }
        ExprKind::Compare { left, right, .. } if condition && is_one(right) => {
            let own = matches!(left.kind, ExprKind::Column(column) if column == id.index());
            if own {
                *e = value.clone();
            }
            own
        }
        _ => false,
    });
    flatten(reader);
}

/// A CASE in the ELSE of another is one with it.
fn flatten(expr: &mut Expr) {
    expr.rewrite(&mut |e| {
        let ty = e.ty;
        let ExprKind::Case { branches, otherwise } = &mut e.kind else { return false };
        let is_case = |e: &Expr| e.ty == ty && matches!(e.kind, ExprKind::Case { .. });
        while let Some(inner) = otherwise.take_if(|e| is_case(e)) {
            if let ExprKind::Case { branches: more, otherwise: last } = inner.kind {
                branches.extend(more);
                *otherwise = last;
            }
        }
        false
    });
}

/// Computed only where the branches around it are taken.
fn guarded(value: Expr, condition: bool, path: &[(ColumnId, bool)]) -> Expr {
    let value = if condition { condition_value(value) } else { value };
    let taken = path.iter().map(|(id, truth)| holds(*id, *truth)).collect();
    match Expr::all(taken) {
        None => value,
        Some(taken) => {
            let otherwise = if condition { Expr::bit(false) } else { Expr::null(value.ty) };
            case(taken, value, otherwise)
        }
    }
}

/// The column of a condition is 1, or 0.
fn holds(id: ColumnId, truth: bool) -> Expr {
    let left = Box::new(Expr::column(id.index(), SqlType::BIT, false));
    let kind = ExprKind::Compare { op: CompareOp::Equal, left, right: Box::new(Expr::bit(truth)), null_equal: false };
    Expr::new(SqlType::BIT, false, kind)
}

fn is_one(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(Datum::I64(1))) && expr.ty == SqlType::BIT
}

fn case(when: Expr, then: Expr, otherwise: Expr) -> Expr {
    let (ty, nullable) = (then.ty, then.nullable || otherwise.nullable);
    let kind = ExprKind::Case { branches: vec![(when, then)], otherwise: Some(Box::new(otherwise)) };
    Expr::new(ty, nullable, kind)
}

/// How often the expression reads the column.
fn reads(expr: &Expr, id: ColumnId) -> usize {
    let mut count = 0;
    expr.for_each_column(&mut |column| count += usize::from(column == id.index()));
    count
}

/// It may as well be computed wherever it is read.
fn is_cheap(value: &Expr, count: usize) -> bool {
    let mut parts = 0;
    let dear = value.any(&mut |e| {
        parts += 1;
        matches!(e.kind, ExprKind::Subquery(_)) || e.varies()
    });
    count <= 1 || parts == 1 && !dear || !dear && parts <= CHEAP_PARTS && count <= CHEAP_READS
}

fn depth(expr: &Expr) -> usize {
    let mut deepest = 0;
    expr.for_each_child(&mut |child| deepest = deepest.max(depth(child)));
    deepest + 1
}

/// The query with one of its items, as one that gives rows.
fn of_one_item(query: &ast::Query, at: usize) -> ast::Query {
    let mut own = query.clone();
    if let ast::QueryBody::Select(select) = &mut own.body {
        let line = select.line;
        let item = select.items.swap_remove(at);
        select.items = match item {
            ast::SelectItem::Assign { value, .. } => vec![ast::SelectItem::Expr { expr: value, alias: None, line }],
            other => vec![other],
        };
    }
    own
}

/// An aggregate of all rows: there is one, whatever it is made of.
fn is_whole_group(select: &ast::Select) -> bool {
    let aggregated =
        select.items.iter().any(|item| matches!(item, ast::SelectItem::Assign { value, .. } if has_aggregate(value)));
    aggregated && select.group_by.is_none() && select.having.is_none() && select.top.is_none()
}

/// A SELECT of nothing but values.
fn is_one_row(query: &ast::Query, select: &ast::Select) -> bool {
    let plain =
        select.from.is_empty() && select.filter.is_none() && select.group_by.is_none() && select.having.is_none();
    plain && select.top.is_none() && !select.distinct && query.offset.is_none()
}

/// Nobody hears of it.
fn stays_a_call() -> SqlError {
    errors::too_deep()
}
