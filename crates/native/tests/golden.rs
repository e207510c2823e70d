//! Golden code: every `tests/native/name.sql` is a batch whose machine code, before Cranelift optimizes it, is `name.clif`, and what is left
//! to the interpreter stands at its end. `UPDATE=1` rewrites the expected texts; the diff is reviewed as behaviour.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::fmt::Write as _;
use std::path::Path;

use native::{
    Bounds, Changes, Checks, Coding, Field, Find, Fold, Form, Insert, Join, Kind, Level, Output, Program, Rows, Then,
    Totals, Values, Way, listing,
};
use sql::ast::{self, QueryBody, SelectItem, StatementKind, TableRef};
use sql::bind::{BindOptions, bind_text};
use sql::plan::{
    Aggregate, AggregateFunction, ArithmeticOp, CompareOp, Expr, ExprKind, Module, QueryId, VariableSlot, in_order,
};
use types::{Datum, SqlType};

mod nothing;

/// The form of every query of a golden module. INSERT: a row of 20 bytes, the first variable, a bigint, at 2, the second, an int, at 11;
/// into a single column: with CHECKs that the int is one of three numbers and not greater than the bigint, or that is 7.
/// Others: of the row whose key is the first variable. SELECT: the second becomes its int at 2, the third this plus its bigint at 6, which
/// may be NULL; UPDATE: the latter becomes that sum. UPDATE and DELETE without WHERE: of all rows
/// with a positive int. SELECT FROM a join: see `join`. SELECT TOP: of ten rows with a positive bigint the second variable becomes the last
/// int, the third the sum of all sums. SELECT without WHERE: they become the count of all rows and the sum of their sums; without
/// variables these go to the client. SELECT without FROM: see `subqueries`. SELECT WHERE [NOT] EXISTS: see `semi_join`.
fn form(query: QueryId, module: &Module) -> Form {
    let expr = |ty, kind| Expr::new(ty, true, kind);
    let variable = |slot, ty| expr(ty, ExprKind::Variable(VariableSlot(slot)));
    if let StatementKind::Insert(insert) = &module.queries[query.0 as usize].statement.kind {
        let field =
            |at, bytes, nullable| Field { at, bytes, coding: Coding::Plain, null_at: 15, null_bit: 0, nullable };
        let first = (field(2, 8, false), variable(0, SqlType::BIGINT));
        let values = vec![first, (field(11, 4, true), variable(1, SqlType::INT))];
        let checks = match &insert.columns[..] {
            [_] => checks(values.iter().map(|(field, _)| Some(*field)).collect()),
            _ => Checks::default(),
        };
        return Form::Insert(Insert { query, image: vec![0; 20], subqueries: Vec::new(), values, checks });
    }
    let field = |at, bytes, null_bit, nullable| {
        Some(Field { at, bytes, coding: Coding::Plain, null_at: 14, null_bit, nullable })
    };
    let columns = [expr(SqlType::INT, ExprKind::Column(0)), expr(SqlType::BIGINT, ExprKind::Column(1))];
    let sum = ExprKind::Arithmetic(ArithmeticOp::Add, Box::new(columns[0].clone()), Box::new(columns[1].clone()));
    let sum = expr(SqlType::BIGINT, sum);
    let fields = vec![field(2, 4, 0, false), field(6, 8, 1, true)];
    let statement = &module.queries[query.0 as usize].statement.kind;
    if let StatementKind::Select(select) = statement
        && let QueryBody::Select(select) = &select.body
        && let [TableRef::Join(_)] = &select.from[..]
    {
        let assigns = matches!(select.items[0], SelectItem::Assign { .. });
        return Form::Join(join(query, &fields, select.top.is_some(), assigns));
    }
    if let StatementKind::Select(select) = statement
        && let QueryBody::Select(select) = &select.body
        && let Some(filter @ (ast::Expr::Exists(_) | ast::Expr::Not(_))) = &select.filter
    {
        return Form::Join(semi_join(query, &fields, matches!(filter, ast::Expr::Not(_))));
    }
    if let StatementKind::Select(select) = statement
        && let QueryBody::Select(select) = &select.body
        && select.from.is_empty()
    {
        return Form::Values(subqueries(query, &fields));
    }
    if let StatementKind::Select(select) = statement
        && let QueryBody::Select(select) = &select.body
        && (select.top.is_some() || select.filter.is_none())
    {
        let zero = expr(SqlType::BIGINT, ExprKind::Literal(Datum::I64(0)));
        let compare = |left, right| ExprKind::Compare { op: CompareOp::Greater, left, right, null_equal: false };
        let positive = expr(SqlType::BIT, compare(Box::new(columns[1].clone()), Box::new(zero)));
        let aggregate = |function, argument, ty| Aggregate {
            function,
            argument,
            extra: Vec::new(),
            order: Vec::new(),
            distinct: false,
            quiet: false,
            ty,
        };
        let (top, last) = (select.top.is_some(), variable(2, SqlType::BIGINT));
        let all = ExprKind::Arithmetic(ArithmeticOp::Add, Box::new(last), Box::new(sum.clone()));
        let fold = match top {
            true => {
                Fold::Assign(vec![(VariableSlot(1), columns[0].clone()), (VariableSlot(2), expr(SqlType::BIGINT, all))])
            }
            false => {
                let aggregates = vec![
                    aggregate(AggregateFunction::Count, None, SqlType::INT),
                    aggregate(AggregateFunction::Sum, Some(sum), SqlType::BIGINT),
                ];
                let [count, sum] = columns;
                if !matches!(select.items[0], SelectItem::Assign { .. }) {
                    let level = Level {
                        columns: 2,
                        fields,
                        way: Way::Scan(Vec::new()),
                        on: None,
                        kind: Kind::Inner,
                        filter: None,
                    };
                    let fold = Fold::Aggregate(aggregates, Totals::Send(vec![count, sum]));
                    return Form::Join(Join {
                        query,
                        subquery: None,
                        subqueries: Vec::new(),
                        filter: None,
                        levels: vec![level],
                        rows_max: None,
                        fold,
                    });
                }
                Fold::Aggregate(aggregates, Totals::Assign(vec![(VariableSlot(1), count), (VariableSlot(2), sum)]))
            }
        };
        let (filter, rows_max) = (top.then_some(positive), top.then_some(10));
        let bounds = match top {
            true => Bounds::new(vec![variable(0, SqlType::BIGINT), variable(2, SqlType::BIGINT)]),
            false => Bounds::default(),
        };
        return Form::Rows(Rows { query, bounds, columns: 2, fields, filter, rows_max, fold });
    }
    let all_rows = match statement {
        StatementKind::Update(update) if update.filter.is_none() => {
            Some(Some(vec![(fields[1].expect("a field"), sum.clone())]))
        }
        StatementKind::Delete(delete) if delete.filter.is_none() => Some(None),
        _ => None,
    };
    if let Some(update) = all_rows {
        let zero = expr(SqlType::BIGINT, ExprKind::Literal(Datum::I64(0)));
        let (op, left) = (CompareOp::Greater, Box::new(columns[0].clone()));
        let positive = expr(SqlType::BIT, ExprKind::Compare { op, left, right: Box::new(zero), null_equal: false });
        return Form::Changes(Changes {
            query,
            bounds: Bounds::default(),
            columns: 2,
            fields,
            filter: Some(positive),
            update,
            checks: Checks::default(),
        });
    }
    let then = match statement {
        StatementKind::Update(_) => Then::Update(vec![(fields[1].expect("a field"), sum)], Checks::default()),
        StatementKind::Delete(_) => Then::Delete,
        _ => Then::Assign(vec![(VariableSlot(1), columns[0].clone()), (VariableSlot(2), sum)]),
    };
    Form::Find(Find { query, key: vec![variable(0, SqlType::BIGINT)], columns: 2, fields, then })
}

fn checks(fields: Vec<Option<Field>>) -> Checks {
    let expr = |ty, kind| Expr::new(ty, true, kind);
    let number = |value| expr(SqlType::BIGINT, ExprKind::Literal(Datum::I64(value)));
    let (first, second) = (expr(SqlType::BIGINT, ExprKind::Column(0)), expr(SqlType::INT, ExprKind::Column(1)));
    let compare = |op, left: &Expr, right| {
        expr(
            SqlType::BIT,
            ExprKind::Compare { op, left: Box::new(left.clone()), right: Box::new(right), null_equal: false },
        )
    };
    let list = ExprKind::InList { value: Box::new(second.clone()), list: vec![number(1), number(2), number(7)] };
    let greater = compare(CompareOp::Greater, &second, first.clone());
    let either =
        vec![expr(SqlType::BIT, ExprKind::Not(Box::new(greater))), compare(CompareOp::Equal, &first, number(7))];
    Checks { fields, tests: vec![expr(SqlType::BIT, list), expr(SqlType::BIT, ExprKind::Or(either))] }
}

/// A join of two such tables: with the row that has the first one's bigint for a key, whose int is less than the first one's. The second
/// variable becomes the first int, the third the second bigint. TOP: a LEFT JOIN with rows that a scan finds for the first int, ten rows
/// where the second int is NULL. Without variables: these columns, and one that is no number, go to the client.
fn join(query: QueryId, fields: &[Option<Field>], top: bool, assigns: bool) -> Join {
    let expr = |ty, kind| Expr::new(ty, true, kind);
    let column = |column, ty| expr(ty, ExprKind::Column(column));
    let int = |at| column(at, SqlType::INT);
    let compare = |left, right| ExprKind::Compare { op: CompareOp::Less, left, right, null_equal: false };
    let less = expr(SqlType::BIT, compare(Box::new(int(2)), Box::new(int(0))));
    let null = expr(SqlType::BIT, ExprKind::IsNull(Box::new(int(2))));
    let mut inner = fields.to_vec();
    inner.iter_mut().flatten().for_each(|field| field.nullable |= top);
    let level = |fields, way| Level { columns: 2, fields, way, on: None, kind: Kind::Inner, filter: None };
    let (outer, way) = match top {
        true => (level(fields.to_vec(), Way::Scan(Vec::new())), Way::Scan(vec![0])),
        false => (level(fields.to_vec(), Way::Scan(Vec::new())), Way::Find(vec![column(1, SqlType::BIGINT)])),
    };
    let kind = if top { Kind::Left(vec![0xff; 15]) } else { Kind::Inner };
    let inner = Level { on: Some(less), kind, filter: top.then_some(null), ..level(inner, way) };
    let last = column(3, SqlType::BIGINT);
    let fold = match assigns {
        true => Fold::Assign(vec![(VariableSlot(1), int(0)), (VariableSlot(2), last)]),
        false => Fold::Send(vec![Output::Number(int(0)), Output::Stored { level: 1 }, Output::Number(last)]),
    };
    Join {
        query,
        subquery: None,
        subqueries: Vec::new(),
        filter: None,
        levels: vec![outer, inner],
        rows_max: top.then_some(10),
        fold,
    }
}

/// The rows of such a table for which there are some that a scan finds for their int. NOT EXISTS: that have no row with their bigint for a
/// key and less than theirs for an int. The second variable becomes their int.
fn semi_join(query: QueryId, fields: &[Option<Field>], anti: bool) -> Join {
    let column = |column, ty| Expr::new(ty, true, ExprKind::Column(column));
    let level = |way, kind, on| Level { columns: 2, fields: fields.to_vec(), way, on, kind, filter: None };
    let outer = level(Way::Scan(Vec::new()), Kind::Inner, None);
    let less = ExprKind::Compare {
        op: CompareOp::Less,
        left: Box::new(column(2, SqlType::INT)),
        right: Box::new(column(0, SqlType::INT)),
        null_equal: false,
    };
    let tested = match anti {
        false => level(Way::Scan(vec![0]), Kind::Semi, None),
        true => {
            level(Way::Find(vec![column(1, SqlType::BIGINT)]), Kind::Anti, Some(Expr::new(SqlType::BIT, true, less)))
        }
    };
    let fold = Fold::Assign(vec![(VariableSlot(1), column(0, SqlType::INT))]);
    let levels = vec![outer, tested];
    Join { query, subquery: None, subqueries: Vec::new(), filter: None, levels, rows_max: None, fold }
}

/// The second variable becomes the int of the row whose key is the first one. The third becomes the first one if there is a row with a
/// bigint less than its int, and else the greatest bigint.
fn subqueries(query: QueryId, fields: &[Option<Field>]) -> Values {
    let expr = |ty, kind| Expr::new(ty, true, kind);
    let column = |column, ty| expr(ty, ExprKind::Column(column));
    let (int, bigint) = (column(0, SqlType::INT), column(1, SqlType::BIGINT));
    let less = ExprKind::Compare {
        op: CompareOp::Less,
        left: Box::new(bigint.clone()),
        right: Box::new(int.clone()),
        null_equal: false,
    };
    let first = expr(SqlType::BIGINT, ExprKind::Variable(VariableSlot(0)));
    let greatest = Aggregate {
        function: AggregateFunction::Max,
        argument: Some(bigint),
        extra: Vec::new(),
        order: Vec::new(),
        distinct: false,
        quiet: false,
        ty: SqlType::BIGINT,
    };
    let join = |number, way, on, rows_max, fold| Join {
        query,
        subquery: Some(number),
        subqueries: Vec::new(),
        filter: None,
        levels: vec![Level { columns: 2, fields: fields.to_vec(), way, on, kind: Kind::Inner, filter: None }],
        rows_max,
        fold,
    };
    let scan = || Way::Scan(Vec::new());
    let exists = ExprKind::Compare {
        op: CompareOp::NotEqual,
        left: Box::new(column(1, SqlType::BIT)),
        right: Box::new(Expr::bit(false)),
        null_equal: false,
    };
    let either = ExprKind::Case {
        branches: vec![(expr(SqlType::BIT, exists), first.clone())],
        otherwise: Some(Box::new(column(2, SqlType::BIGINT))),
    };
    Values {
        query,
        subqueries: vec![
            join(0, Way::Find(vec![first]), None, None, Fold::Only(int)),
            join(1, scan(), Some(expr(SqlType::BIT, less)), Some(1), Fold::Exists),
            join(2, scan(), None, None, Fold::Aggregate(vec![greatest], Totals::Value(column(0, SqlType::BIGINT)))),
        ],
        values: vec![column(0, SqlType::INT), expr(SqlType::BIGINT, either)],
        slots: vec![VariableSlot(1), VariableSlot(2)],
    }
}

fn code_of(text: &str) -> String {
    let module = bind_text(text, "", &BindOptions::default(), &nothing::Nothing).expect("a batch that can be bound");
    let program = Program::new(&module.body, &module.variables, &mut |query| Some(form(query, &module)));
    let program = program.expect("machine code");
    assert!(program.code_bytes() > 0 && program.held_bytes() > program.code_bytes());
    let form = &mut |query| Some(form(query, &module));
    let (mut out, steps) = listing(&module.body, &module.variables, form).expect("machine code");
    let statements = in_order(&module.body);
    for (number, step) in steps.iter().enumerate() {
        let line = statements[step.statement as usize].line;
        let _ = writeln!(out, "; step {number}: {:?} of the statement in line {line}", step.part);
    }
    out
}

#[test]
fn golden_code_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/native");
    let update = std::env::var("UPDATE").is_ok();
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).expect("a readable folder").flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    files.sort();
    assert!(files.len() >= 10, "golden modules");
    let mut complaints = Vec::new();
    for file in files {
        let seen = code_of(&std::fs::read_to_string(&file).expect("readable"));
        let golden = file.with_extension("clif");
        if update {
            std::fs::write(&golden, &seen).expect("written");
        }
        if std::fs::read_to_string(&golden).unwrap_or_default() != seen {
            complaints.push(format!("{}:\n{seen}", golden.display()));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
