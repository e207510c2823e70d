//! Memory that a module holds, in bytes: an estimate by counting, for the cache that keeps it.
//!
//! Bound trees are counted node by node, with what they own on the heap; the tables of the catalog that they name are shared and
//! count nothing. The tree of a statement's words is not walked: it is `TREE_BYTES_PER_CHARACTER` times its text. That factor and the
//! executor's are from the growth of a server's resident memory by thousands of different batches: with a look-up by key, a join with
//! groups, and six statements in one, the estimates were between four fifths of the growth and all of it.
//! Recursion is as deep as the plan; the binder bounds that.

use types::Datum;

use super::expr::{Expr, ExprKind};
use super::operator::{Aggregate, Operator, OperatorKind, OutputColumn, SeekRange, SortKey};
use super::statement::{
    ActionKind, ArgumentValue, Barrier, Cascade, Check, Condition, Execute, ExecuteTarget, FetchDirection, Modify,
    Module, NewRow, Output, Query, QueryKind, QueryText, SetOption, Statement, StatementKind, ViewChange,
};

/// An allocation costs so much more than what it holds.
const ALLOCATION_BYTES: usize = 16;

/// Of a parsed statement, by the bytes of its text.
const TREE_BYTES_PER_CHARACTER: usize = 40;

impl Module {
    /// What executors keep with it is theirs to count.
    pub fn held_bytes(&self) -> usize {
        let names = self
            .variables
            .iter()
            .map(|variable| size_of_val(variable) + variable.name.len() + variable.default.as_ref().map_or(0, owned));
        let tables = self.table_variables.iter().map(|table| {
            let columns = table.table.columns.iter().map(|column| size_of_val(column) + column.name.len());
            size_of_val(table) + size_of_val(&*table.table) + columns.sum::<usize>()
        });
        block(size_of::<Module>())
            + block(self.text.len())
            + names.sum::<usize>()
            + tables.sum::<usize>()
            + statements(&self.body)
            + self.queries.iter().map(query_text).sum::<usize>()
    }
}

fn query_text(query: &QueryText) -> usize {
    let span = query.statement.span;
    let text = span.end.saturating_sub(span.start) as usize;
    size_of::<QueryText>() + text * TREE_BYTES_PER_CHARACTER + query.bound.get().map_or(0, |bound| bound.held_bytes())
}

fn block(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { bytes + ALLOCATION_BYTES }
}

fn boxed(expr: &Expr) -> usize {
    block(size_of::<Expr>()) + owned(expr)
}

fn list<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> usize {
    exprs.into_iter().map(|expr| size_of::<Expr>() + owned(expr)).sum::<usize>()
}

/// What an expression has on the heap.
fn owned(expr: &Expr) -> usize {
    let mut bytes = match &expr.kind {
        ExprKind::Literal(Datum::Bytes(value)) => block(value.len()),
        ExprKind::Subquery(subquery) => block(size_of_val(&**subquery)) + operator_owned(&subquery.plan),
        ExprKind::Mask(masked) => block(size_of_val(&*masked.mask.columns)),
        _ => 0,
    };
    expr.for_each_child(&mut |child| bytes += boxed(child));
    bytes
}

fn columns(columns: &[OutputColumn]) -> usize {
    block(columns.iter().map(|column| size_of_val(column) + block(column.name.len())).sum())
}

fn keys(keys: &[SortKey]) -> usize {
    keys.iter().map(|key| size_of::<SortKey>() + owned(&key.expr)).sum()
}

fn aggregates(all: &[Aggregate]) -> usize {
    let one = |aggregate: &Aggregate| {
        size_of::<Aggregate>() + list(&aggregate.argument) + list(&aggregate.extra) + keys(&aggregate.order)
    };
    all.iter().map(one).sum()
}

fn operator(operator: &Operator) -> usize {
    block(size_of::<Operator>()) + operator_owned(operator)
}

fn range(range: &SeekRange) -> usize {
    let bounds = range.lower.iter().chain(&range.upper).map(|(expr, _)| expr);
    list(&range.equal) + list(&range.any_of) + list(bounds)
}

fn operator_owned(at: &Operator) -> usize {
    use OperatorKind::*;
    let own = match &at.kind {
        Scan(scan) => {
            block(size_of_val(&**scan))
                + 2 * scan.columns.len()
                + scan.range.as_ref().map_or(0, range)
                + scan.partitions.as_ref().map_or(0, |own| block(size_of_val(&**own)) + range(own))
                + list(&scan.residual)
        }
        Virtual { columns, arguments, .. } => 2 * columns.len() + list(arguments),
        TableFunction { arguments, .. } | UserTableFunction { arguments, .. } => list(arguments),
        Values(rows) => rows.iter().map(|row| block(list(row))).sum(),
        Filter { input, predicate } => operator(input) + owned(predicate),
        Project { input, exprs } => operator(input) + block(list(exprs)),
        NestedLoops(join) => {
            block(size_of_val(&**join))
                + operator_owned(&join.outer)
                + operator_owned(&join.inner)
                + size_of_val(&*join.bindings)
                + list(&join.predicate)
        }
        HashJoin(join) => {
            let pairs = join.keys.iter().map(|(left, right)| list([left, right]));
            block(size_of_val(&**join))
                + operator_owned(&join.left)
                + operator_owned(&join.right)
                + pairs.sum::<usize>()
                + list(&join.residual)
        }
        Aggregate { input, group, aggregates: all, .. } => operator(input) + list(group) + aggregates(all),
        GroupingSets { input, group, sets, aggregates: all } => {
            let sets = sets.iter().map(|set| block(size_of_val(&**set)));
            operator(input) + list(group) + sets.sum::<usize>() + aggregates(all)
        }
        Sort { input, keys: by, limit } => operator(input) + keys(by) + list(limit),
        Top(top) => {
            block(size_of_val(&**top))
                + operator_owned(&top.input)
                + keys(&top.ties)
                + list(&top.count)
                + list(&top.offset)
        }
        Concat(inputs) => inputs.iter().map(operator).sum(),
        SetOperation { left, right, .. } => operator(left) + operator(right),
        Window { input, partition, order, functions } => {
            let functions = functions.iter().map(|function| size_of_val(function) + list(&function.arguments));
            operator(input) + list(partition) + keys(order) + functions.sum::<usize>()
        }
        Recursive { anchor, recursive, .. } => operator(anchor) + operator(recursive),
        WorkTable(_) => 0,
        Spool(input) | ForText { input, .. } | Sharing { input, .. } => operator(input),
        Shared(shared) => block(size_of_val(&**shared)) + operator_owned(&shared.input),
        IndexSpool(spool) => {
            let pairs = spool.keys.iter().map(|(key, value)| list([key, value]));
            let range = spool.range.iter().map(|range| {
                let bounds = range.lower.iter().chain(&range.upper).map(|(value, _)| owned(value));
                keys(&range.order) + bounds.sum::<usize>()
            });
            let own = pairs.sum::<usize>() + range.sum::<usize>() + owned(&spool.predicate);
            block(size_of_val(&**spool)) + operator_owned(&spool.input) + own
        }
        Modify(modify) => boxed_modify(modify),
    };
    own + columns(&at.columns)
}

fn new_row(row: &NewRow) -> usize {
    list(row.values.iter().flatten()) + list(row.computed.iter().map(|(_, expr)| expr))
}

fn boxed_modify(modify: &Modify) -> usize {
    let actions = modify.actions.iter().map(|action| {
        size_of_val(action)
            + list(&action.condition)
            + barriers(&action.barriers)
            + match &action.kind {
                ActionKind::Insert(row) => new_row(row),
                ActionKind::Update { set, computed, assign } => {
                    list(set.iter().chain(computed).map(|(_, expr)| expr)) + list(assign.iter().map(|set| &set.value))
                }
                ActionKind::Delete => 0,
            }
    });
    block(size_of::<Modify>())
        + operator_owned(&modify.source)
        + actions.sum::<usize>()
        + modify.output.as_ref().map_or(0, output)
        + checks(&modify.checks)
        + modify.cascades.iter().map(cascade).sum::<usize>()
        + modify.views.iter().map(view_change).sum::<usize>()
        + list(&modify.top)
}

fn cascade(cascade: &Cascade) -> usize {
    size_of_val(cascade)
        + barriers(&cascade.barriers)
        + list(cascade.computed.iter().map(|(_, expr)| expr))
        + checks(&cascade.checks)
}

fn view_change(change: &ViewChange) -> usize {
    size_of_val(change) + operator_owned(&change.removed) + operator_owned(&change.added) + size_of_val(&*change.reads)
}

fn checks(checks: &[Check]) -> usize {
    checks.iter().map(|check| size_of_val(check) + check.name.len() + owned(&check.predicate)).sum()
}

fn barriers(barriers: &[Barrier]) -> usize {
    barriers.iter().map(|barrier| size_of_val(barrier) + owned(&barrier.predicate)).sum()
}

fn output(output: &Output) -> usize {
    let into =
        output.into.as_ref().map_or(0, |into| size_of_val(&**into) + new_row(&into.row) + barriers(&into.barriers));
    list(&output.exprs) + columns(&output.columns) + into
}

impl Query {
    pub fn held_bytes(&self) -> usize {
        let kind = match &self.kind {
            QueryKind::Select(plan) => operator_owned(plan),
            QueryKind::SelectAssign { plan, slots } => operator_owned(plan) + size_of_val(&**slots),
            QueryKind::Modify(modify) => boxed_modify(modify),
            QueryKind::SelectInto { plan, .. } | QueryKind::ForText { plan, .. } => operator_owned(plan),
            QueryKind::InsertExecute { insert, execute: call } => boxed_modify(insert) + execute(call),
        };
        block(size_of::<Query>())
            + size_of_val(&*self.outer_slots)
            + size_of_val(&*self.row_targets)
            + list(self.row_guards.iter().flatten())
            + kind
    }
}

fn execute(execute: &Execute) -> usize {
    let target = match &execute.target {
        ExecuteTarget::Procedure(name) => block(name.name.len()),
        ExecuteTarget::Named(expr) | ExecuteTarget::Text(expr) => owned(expr),
    };
    let arguments = execute.arguments.iter().map(|argument| {
        let value = if let ArgumentValue::Expr(expr) = &argument.value { owned(expr) } else { 0 };
        size_of_val(argument) + argument.name.as_ref().map_or(0, |name| block(name.len())) + value
    });
    let context = execute.context.as_ref().map_or(0, |(_, name)| owned(name));
    let columns = execute.result_sets.iter().flatten().flatten();
    let sets: usize = columns.map(|column| size_of_val(column) + block(column.name.len())).sum();
    block(size_of::<Execute>()) + target + block(arguments.sum()) + context + sets
}

fn statements(all: &[Statement]) -> usize {
    block(all.iter().map(|statement| size_of::<Statement>() + statement_owned(&statement.kind)).sum())
}

fn statement_owned(kind: &StatementKind) -> usize {
    use StatementKind::*;
    let condition = |condition: &Condition| if let Condition::Scalar(expr) = condition { owned(expr) } else { 0 };
    match kind {
        Assign { value, .. } => owned(value),
        If { condition: test, then, otherwise } => condition(test) + statements(then) + statements(otherwise),
        While { condition: test, body } => condition(test) + statements(body),
        Block(body) => statements(body),
        TryCatch { body, handler } => statements(body) + statements(handler),
        Return(value) => value.as_ref().map_or(0, owned),
        Throw(values) => values.as_ref().map_or(0, |values| values.iter().map(owned).sum()),
        Raiserror { message, severity, state, arguments, .. } => {
            owned(message) + owned(severity) + owned(state) + list(arguments)
        }
        Print(value) | WaitForDelay(value) | WaitForTime(value) | Revert(Some(value)) => owned(value),
        ExecuteAs(context) => context.principal.as_ref().map_or(0, |(_, name)| owned(name)),
        Revert(None) => 0,
        Execute(call) => execute(call),
        SetOption(self::SetOption::Value { name, value }) => block(name.len()) + owned(value),
        Use(name) => block(name.len()),
        DeclareCursor(cursor) => block(size_of_val(&**cursor)),
        Fetch { direction: FetchDirection::Absolute(value) | FetchDirection::Relative(value), into, .. } => {
            owned(value) + size_of_val(&**into)
        }
        Fetch { into, .. } => size_of_val(&**into),
        Query(_)
        | Definition(_)
        | DeclareTable(_)
        | Break
        | Continue
        | Label(_)
        | Goto(_)
        | ReturnQuery(_)
        | BeginTransaction { .. }
        | Commit { .. }
        | Rollback { .. }
        | Save(_)
        | SetOption(_)
        | OpenCursor(_)
        | CloseCursor(_)
        | DeallocateCursor(_)
        | AssignCursor { .. } => 0,
    }
}
