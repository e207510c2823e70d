//! Which queries have machine code: plans and tables as `native::Form` describes them.

use std::sync::Arc;

use native::{Bounds, Changes, Checks, Coding, Field, Find, Fold, Form, Insert, Join, Rows, Then, Totals, Values};
use sql::catalog::{ColumnDef, TableDef};
use sql::plan::{
    ActionKind, Aggregate, Bound, CompareOp, Expr, ExprKind, LockHint, Modify, ModifyAction, Operator, OperatorKind,
    QueryId, Scan, SeekRange, Subquery, SubqueryKind, TableSource, VariableSlot,
};
use types::fixed::FixedCodec;
use types::row::{RowLayout, encode};
use types::{Datum, Physical, SqlType};

use super::super::code;
use super::super::modify::Target;
use super::joins::{Open, Use, join_form};

/// What a SELECT does with the rows of its tables.
pub struct Head<'p> {
    /// Who gives them.
    pub input: &'p Operator,
    pub rows_max: Option<u32>,
    pub aggregates: Option<&'p [Aggregate]>,
    /// What is assigned: over the rows, or over the row of aggregates.
    pub exprs: Vec<Expr>,
}

pub fn head(plan: &Operator) -> Option<Head<'_>> {
    let (mut rows_max, mut aggregates, mut exprs) = (None, None, None);
    let mut at = plan;
    loop {
        match &at.kind {
            OperatorKind::Project { input, exprs: of_row } if exprs.is_none() && aggregates.is_none() => {
                exprs = Some(of_row.clone());
                at = input;
            }
            OperatorKind::Aggregate { input, group, aggregates: all, .. }
                if group.is_empty() && aggregates.is_none() && rows_max.is_none() =>
            {
                exprs.get_or_insert_with(|| columns_of(at));
                aggregates = Some(&all[..]);
                at = input;
            }
            OperatorKind::Top(top) if rows_max.is_none() => {
                let plain = !top.percent && top.ties.is_empty() && top.offset.is_none();
                let count = match top.count.as_ref()?.kind {
                    ExprKind::Literal(Datum::I64(count)) => u32::try_from(count).ok(),
                    _ => None,
                };
                rows_max = Some(count.filter(|count| plain && *count > 0)?);
                at = &top.input;
            }
            _ => {
                let exprs = exprs.unwrap_or_else(|| columns_of(at));
                return Some(Head { input: at, rows_max, aggregates, exprs });
            }
        }
    }
}

/// The plan of a SELECT @v = ... over one scan.
pub struct Folded<'p> {
    pub scan: &'p Scan,
    head: Head<'p>,
}

pub fn folded(plan: &Operator) -> Option<Folded<'_>> {
    let head = head(plan)?;
    let OperatorKind::Scan(scan) = &head.input.kind else { return None };
    Some(Folded { scan, head })
}

/// The columns that an operator gives, as expressions over its row.
fn columns_of(operator: &Operator) -> Vec<Expr> {
    let columns = operator.columns.iter().enumerate();
    columns.map(|(position, column)| Expr::column(position, column.ty, column.nullable)).collect()
}

/// SELECT @v = ...: of the one row with a key, or over many.
pub fn assign_form(
    query: QueryId,
    folded: Folded<'_>,
    table: &TableDef,
    layout: &RowLayout,
    slots: &[VariableSlot],
) -> Option<Form> {
    let Folded { scan, head: Head { rows_max, aggregates, exprs, .. } } = folded;
    let assigned: Vec<(VariableSlot, Expr)> = slots.iter().copied().zip(exprs).collect();
    if let (None, None, Some(_)) = (aggregates, rows_max, look_up(scan))
        && let Some(find) = find_form(query, scan, table, layout, Then::Assign(assigned.clone()))
    {
        return Some(Form::Find(find));
    }
    let rows = Rows {
        query,
        bounds: bounds_of(scan),
        columns: layout.len() as u16,
        fields: fields_of(scan, table, layout)?,
        filter: scan.residual.clone(),
        rows_max,
        fold: match aggregates {
            None => Fold::Assign(assigned),
            Some(aggregates) => Fold::Aggregate(aggregates.to_vec(), Totals::Assign(assigned)),
        },
    };
    (!scan.lookup && rows.is_native()).then_some(Form::Rows(rows))
}

/// The values of a query without FROM: one row.
pub fn one_row(plan: &Operator) -> Option<Vec<Expr>> {
    let row = |plan: &Operator| match &plan.kind {
        OperatorKind::Values(rows) if rows.len() == 1 => Some(rows[0].clone()),
        _ => None,
    };
    match &plan.kind {
        OperatorKind::Project { input, exprs } => {
            let row = row(input)?;
            Some(exprs.iter().map(|expr| over(expr, &row)).collect())
        }
        _ => row(plan),
    }
}

/// The subqueries of such a row, in order; not those within them.
pub fn subqueries(values: &[Expr]) -> Vec<&Subquery> {
    fn add<'e>(expr: &'e Expr, all: &mut Vec<&'e Subquery>) {
        match &expr.kind {
            ExprKind::Subquery(subquery) => all.push(subquery),
            _ => expr.for_each_child(&mut |child| add(child, all)),
        }
    }
    let mut all = Vec::new();
    values.iter().for_each(|value| add(value, &mut all));
    all
}

/// The subqueries of such a row, and its values over a row of theirs.
pub fn with_subqueries(query: QueryId, mut values: Vec<Expr>, open: Open<'_>) -> Option<(Vec<Join>, Vec<Expr>)> {
    let joins = subqueries(&values).into_iter().enumerate().map(|(number, subquery)| {
        let used = match subquery.kind {
            SubqueryKind::Scalar => Use::Value(number),
            SubqueryKind::Exists => Use::Exists(number),
            SubqueryKind::Last | SubqueryKind::Any { .. } | SubqueryKind::All { .. } => return None,
        };
        join_form(query, &subquery.plan, used, open).filter(|_| subquery.bindings.is_empty())
    });
    let joins = joins.collect::<Option<Vec<_>>>()?;
    over_subqueries(&mut values);
    Some((joins, values))
}

/// What a query without FROM computes, but one whose row goes to the client.
pub fn values_form(query: QueryId, plan: &Operator, slots: &[VariableSlot], open: Open<'_>) -> Option<Form> {
    let (subqueries, values) = with_subqueries(query, one_row(plan)?, open)?;
    let values = Values { query, subqueries, values, slots: slots.to_vec() };
    values.is_native().then_some(Form::Values(values))
}

/// Puts a column in the place of each subquery, and a comparison in that of an EXISTS.
fn over_subqueries(values: &mut [Expr]) {
    let mut columns = 0..;
    let mut replace = |node: &mut Expr| {
        let ExprKind::Subquery(subquery) = &node.kind else { return false };
        let column = Expr::column(columns.next().expect("one for each"), node.ty, node.nullable);
        *node = match subquery.kind {
            SubqueryKind::Exists => Expr::predicate(ExprKind::Compare {
                op: CompareOp::NotEqual,
                left: Box::new(column),
                right: Box::new(Expr::bit(false)),
                null_equal: false,
            }),
            _ => column,
        };
        true
    };
    values.iter_mut().for_each(|value| value.rewrite(&mut replace));
}

/// A memory-optimized table to which nothing happens when its rows change but that, besides what is looked at before: CHECK constraints,
/// and the parents of a new row. So it has no period, whose columns are the transaction's time, and no history.
pub fn native_target(modify: &Modify) -> Option<&Arc<TableDef>> {
    let TableSource::Base(table) = &modify.target else { return None };
    let set = match &modify.actions[..] {
        [ModifyAction { kind: ActionKind::Update { set, .. }, .. }] => &set[..],
        _ => &[],
    };
    let sets = |column: &u16| set.iter().any(|(stored, _)| table.stored[usize::from(*column)] == Some(*stored));
    let references = || table.foreign_keys.iter().filter(|key| !key.disabled);
    let to_itself = || references().any(|key| key.referenced_table == table.object);
    let mut referenced = table.referenced_by.iter().filter(|key| !key.disabled);
    let mut triggers = table.triggers.iter().filter(|trigger| !trigger.disabled);
    let alone = match modify.verb {
        "INSERT" => !to_itself() && !triggers.any(|trigger| trigger.on_insert),
        "UPDATE" => {
            let moves = references().any(|key| key.columns.iter().any(sets))
                || referenced.any(|key| key.referenced_columns.iter().any(sets));
            !to_itself() && !moves && !triggers.any(|trigger| trigger.on_update)
        }
        _ => referenced.next().is_none() && !triggers.any(|trigger| trigger.on_delete),
    };
    let plain = table.memory.is_some()
        && alone
        && table.period().is_none()
        && modify.checks.iter().all(|check| !check.view)
        && modify.actions.iter().all(|action| action.barriers.is_empty())
        && modify.cascades.is_empty()
        && modify.views.is_empty()
        && modify.output.is_none()
        && modify.top.is_none()
        && modify.current_of.is_none();
    plain.then_some(table)
}

/// The table's CHECK constraints on a row that the statement has made.
pub fn checks_of(modify: &Modify, layout: &RowLayout) -> Checks {
    let is_identity = |stored: usize| {
        let TableSource::Base(table) = &modify.target else { return false };
        let mut columns = table.columns.iter().zip(&table.stored);
        columns.any(|(column, place)| *place == Some(stored as u16) && column.identity.is_some())
    };
    let places = (0..layout.len()).map(|stored| field_of(layout, stored).filter(|_| !is_identity(stored)));
    Checks { fields: places.collect(), tests: modify.checks.iter().map(|check| check.predicate.clone()).collect() }
}

/// What an INSERT of one row gives the columns as they are stored, over a row of its subqueries' values. None among them: the identity
/// column, which no CHECK and no foreign key reads.
pub fn inserted(modify: &Modify) -> Option<Vec<Option<Expr>>> {
    let mut source = one_row(&modify.source)?;
    over_subqueries(&mut source);
    inserted_of(modify, &source)
}

/// `inserted`, of the one row that the source gives, over its subqueries' values.
fn inserted_of(modify: &Modify, source: &[Expr]) -> Option<Vec<Option<Expr>>> {
    let [ModifyAction { condition: None, kind: ActionKind::Insert(row), .. }] = &modify.actions[..] else {
        return None;
    };
    let TableSource::Base(table) = &modify.target else { return None };
    let identity = table.columns.iter().position(|column| column.identity.is_some());
    let stored = identity.and_then(|column| table.stored[column]).map(usize::from);
    let reads_identity =
        |test: &Expr| test.any(&mut |expr| matches!(expr.kind, ExprKind::Column(at) if Some(at) == stored));
    let refers = |column: &u16| identity == Some(usize::from(*column));
    if modify.checks.iter().any(|check| reads_identity(&check.predicate))
        || table.foreign_keys.iter().any(|key| key.columns.iter().any(refers))
    {
        return None;
    }
    let made_later = |(at, value): (usize, &Option<Expr>)| match value {
        Some(value) if stored != Some(at) => Some(Some(over(value, source))),
        None if stored == Some(at) => Some(None),
        _ => None,
    };
    row.values.iter().enumerate().map(made_later).collect()
}

/// What stands in a row before the value does.
pub fn zero(ty: &SqlType) -> Datum {
    match ty.physical() {
        Physical::I128 => Datum::I128(0),
        Physical::F64 => Datum::F64(0.0),
        _ => Datum::I64(0),
    }
}

/// An INSERT of one row: machine code makes it, or the run does (an empty image).
pub fn insert_form(query: QueryId, modify: &Modify, layout: &RowLayout, open: Open<'_>) -> Option<Insert> {
    let (subqueries, source) = with_subqueries(query, one_row(&modify.source)?, open)?;
    let values = inserted_of(modify, &source)?;
    let types = Target::new(&modify.target).types;
    if values.len() != layout.len() {
        return None;
    }
    let mut checks = checks_of(modify, layout);
    match made_by_code(&values, &types, layout) {
        Some((image, values)) => {
            // Of the others the runtime takes care.
            let known = checks.tests.iter().filter(|test| checks.knows(test)).cloned().collect();
            checks.tests = known;
            Some(Insert { query, image, subqueries, values, checks })
        }
        None => values.iter().flatten().all(is_composable).then(|| Insert {
            query,
            image: Vec::new(),
            subqueries,
            values: Vec::new(),
            checks: Checks::default(),
        }),
    }
}

/// The image of a row and what machine code writes into it; None: it does not know all the values.
pub fn made_by_code(
    values: &[Option<Expr>],
    types: &[SqlType],
    layout: &RowLayout,
) -> Option<(Vec<u8>, Vec<(Field, Expr)>)> {
    let mut fields = Vec::new();
    let mut datums = Vec::new();
    for (column, value) in values.iter().enumerate() {
        let Some(value) = value else {
            datums.push(zero(&types[column]));
            continue;
        };
        let constant = code::compiler().scalar(value).ok()?.as_constant();
        match constant {
            Some(datum) if !fits(&datum, &types[column], layout.columns()[column].nullable) => return None,
            Some(datum) => datums.push(datum),
            None => {
                fields.push((
                    field_of(layout, column).filter(|_| native::is_native_over_subqueries(value))?,
                    value.clone(),
                ));
                datums.push(zero(&types[column]));
            }
        }
    }
    let mut image = Vec::new();
    encode(layout, &datums, &mut image);
    Some((image, fields))
}

/// A column can have it as it is. What is longer is cut, or refused, by the interpreter.
pub fn fits(datum: &Datum, ty: &SqlType, nullable: bool) -> bool {
    match datum {
        Datum::Null => nullable,
        Datum::Bytes(bytes) => ty.is_max() || bytes.len() <= usize::from(ty.length),
        _ => true,
    }
}

/// Computed before the row is there, more than once if need be, and without subqueries.
fn is_composable(value: &Expr) -> bool {
    !value.any(&mut |expr| {
        use ExprKind::*;
        matches!(expr.kind, Column(_) | Outer(_) | NextValueFor(_) | UserFunction(..))
    })
}

/// The memory-optimized table of a scan that looks up one row by a whole unique key of integers.
pub fn look_up(scan: &Scan) -> Option<&Arc<TableDef>> {
    has_whole_key(scan).filter(|_| scan.residual.is_none())
}

/// The same, where a predicate may refuse the row.
pub fn has_whole_key(scan: &Scan) -> Option<&Arc<TableDef>> {
    let (TableSource::Base(table), Some(range)) = (&scan.table, &scan.range) else { return None };
    let index = table.indexes.iter().find(|index| index.id == scan.index)?;
    let number = |column: &ColumnDef| column.ty.is_integer() && !column.nullable;
    let integers = index.key.iter().all(|(column, _)| number(&table.columns[usize::from(*column)]));
    let whole = range.equal.len() == index.key.len() && range.lower.is_none() && range.upper.is_none();
    let plain = table.memory.is_some()
        && index.unique
        && index.filter.is_empty()
        && range.any_of.is_empty()
        // Rows in memory have no locks: who changes a row first has it.
        && LockHint { update: false, ..scan.lock } == LockHint::default();
    (integers && whole && plain).then_some(table)
}

/// UPDATE and DELETE of a row by its key.
pub fn change_form(query: QueryId, modify: &Modify, table: &TableDef, layout: &RowLayout) -> Option<Find> {
    let [ModifyAction { condition: None, kind, .. }] = &modify.actions[..] else { return None };
    let OperatorKind::Scan(scan) = &modify.source.kind else { return None };
    look_up(scan)?;
    let then = match set_of(kind, layout)? {
        None => Then::Delete,
        Some(set) => Then::Update(set, checks_of(modify, layout)),
    };
    find_form(query, scan, table, layout, then)
}

/// The scan of an UPDATE or DELETE.
pub fn changed(modify: &Modify) -> Option<&Scan> {
    match &modify.source.kind {
        OperatorKind::Scan(scan) => Some(scan),
        _ => None,
    }
}

/// UPDATE and DELETE of the rows of a scan.
pub fn changes_form(query: QueryId, modify: &Modify, table: &TableDef, layout: &RowLayout) -> Option<Changes> {
    let [ModifyAction { condition: None, kind, .. }] = &modify.actions[..] else { return None };
    let scan = changed(modify)?;
    // Keys that are moved may be exchanged within the statement: the interpreter knows how.
    let in_unique_key = |stored: u16| {
        let holds = |column: u16| table.stored[usize::from(column)] == Some(stored);
        table.indexes.iter().any(|index| index.unique && index.key.iter().any(|(column, _)| holds(*column)))
    };
    if let ActionKind::Update { set, .. } = kind
        && set.iter().any(|(stored, _)| in_unique_key(*stored))
    {
        return None;
    }
    let changes = Changes {
        query,
        bounds: bounds_of(scan),
        columns: layout.len() as u16,
        fields: fields_of(scan, table, layout)?,
        filter: scan.residual.clone(),
        update: set_of(kind, layout)?,
        checks: checks_of(modify, layout),
    };
    (!scan.lookup && changes.is_native()).then_some(changes)
}

/// The fields that an UPDATE sets, and to what. Some(None): it is a DELETE.
fn set_of(kind: &ActionKind, layout: &RowLayout) -> Option<Option<Vec<(Field, Expr)>>> {
    match kind {
        ActionKind::Delete => Some(None),
        ActionKind::Update { set, computed, assign } if computed.is_empty() && assign.is_empty() => {
            let field = |(stored, expr): &(u16, Expr)| {
                let same = layout.column_type(usize::from(*stored)) == expr.ty;
                Some((field_of(layout, usize::from(*stored)).filter(|_| same)?, expr.clone()))
            };
            set.iter().map(field).collect::<Option<Vec<_>>>().map(Some)
        }
        _ => None,
    }
}

fn find_form(query: QueryId, scan: &Scan, table: &TableDef, layout: &RowLayout, then: Then) -> Option<Find> {
    let find = Find {
        query,
        key: scan.range.as_ref()?.equal.clone(),
        columns: layout.len() as u16,
        fields: fields_of(scan, table, layout)?,
        then,
    };
    find.is_native().then_some(find)
}

/// The values of a scan's range, in the order in which it takes them. An index's columns are numbers where they are.
fn bounds_of(scan: &Scan) -> Bounds {
    let has_pattern = |range: &SeekRange| matches!(range.lower, Some((_, Bound::Pattern)));
    let range = scan.range.as_ref().filter(|range| range.any_of.is_empty() && !has_pattern(range));
    range.map_or(Bounds::default(), |range| Bounds::new(range.values().cloned().collect()))
}

/// Where the images of a table have the columns of a scan's rows. None: one of them is computed.
pub fn fields_of(scan: &Scan, table: &TableDef, layout: &RowLayout) -> Option<Vec<Option<Field>>> {
    let stored = scan.columns.iter().map(|column| table.stored[usize::from(*column)]);
    stored.map(|column| Some(field_of(layout, usize::from(column?)))).collect()
}

/// Where an image has a column that machine code knows as a number: dates are, and decimals of few digits.
fn field_of(layout: &RowLayout, stored: usize) -> Option<Field> {
    let (at, codec) = layout.fixed_at(stored)?;
    let column = &layout.columns()[stored];
    let (at, bytes, coding) = match codec {
        FixedCodec::U8 | FixedCodec::I16 | FixedCodec::I32 | FixedCodec::I64 | FixedCodec::F64 => {
            (at, codec.size(), Coding::Plain)
        }
        FixedCodec::F32 => (at, codec.size(), Coding::Single),
        FixedCodec::U24 | FixedCodec::U32 => (at, codec.size(), Coding::Units(1)),
        FixedCodec::Time { bytes, unit } => (at, usize::from(bytes), Coding::Units(unit)),
        FixedCodec::DateTime2 { bytes, unit } => (at, usize::from(bytes), Coding::Day(unit)),
        FixedCodec::Decimal { bytes } if column.ty.precision <= 18 => {
            (at + 1, usize::from(bytes) - 1, Coding::SignApart)
        }
        _ => return None,
    };
    let (null_at, null_bit) = layout.null_at(stored);
    Some(Field {
        at: at as u32,
        bytes: bytes as u8,
        coding,
        null_at: null_at as u32,
        null_bit,
        nullable: column.nullable,
    })
}

/// `expr` over a row of these expressions.
fn over(expr: &Expr, row: &[Expr]) -> Expr {
    let mut expr = expr.clone();
    expr.rewrite(&mut |node| match node.kind {
        ExprKind::Column(column) => {
            *node = row[column].clone();
            true
        }
        _ => false,
    });
    expr
}
