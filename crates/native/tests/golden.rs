//! Golden code: every `tests/native/name.sql` is a batch whose machine code, before Cranelift optimizes it, is `name.clif`, and what is left
//! to the interpreter stands at its end. `UPDATE=1` rewrites the expected texts; the diff is reviewed as behaviour.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::fmt::Write as _;
use std::path::Path;

use native::{Field, Find, Form, Insert, Program, Then, Value};
use sql::ast::StatementKind;
use sql::bind::{BindOptions, bind_text};
use sql::plan::{ArithmeticOp, Expr, ExprKind, Module, QueryId, VariableSlot, in_order};
use types::SqlType;

mod nothing;

/// The form of every query of a golden module. INSERT: a row of 20 bytes, the first variable, a bigint, at 2, the second, an int, at 11.
/// Others: of the row whose key is the first variable. SELECT: the second becomes its int at 2, the third this plus its bigint at 6;
/// UPDATE: the latter becomes that sum.
fn form(query: QueryId, module: &Module) -> Form {
    let expr = |ty, kind| Expr::new(ty, true, kind);
    let variable = |slot, ty| expr(ty, ExprKind::Variable(VariableSlot(slot)));
    if let StatementKind::Insert(_) = module.queries[query.0 as usize].statement.kind {
        let values = vec![
            Value { at: 2, bytes: 8, expr: variable(0, SqlType::BIGINT) },
            Value { at: 11, bytes: 4, expr: variable(1, SqlType::INT) },
        ];
        return Form::Insert(Insert { query, image: vec![0; 20], values });
    }
    let field = |at, bytes, null_bit| Some(Field { at, bytes, null_at: 14, null_bit });
    let columns = [expr(SqlType::INT, ExprKind::Column(0)), expr(SqlType::BIGINT, ExprKind::Column(1))];
    let sum = ExprKind::Arithmetic(ArithmeticOp::Add, Box::new(columns[0].clone()), Box::new(columns[1].clone()));
    let sum = expr(SqlType::BIGINT, sum);
    let fields = vec![field(2, 4, 0), field(6, 8, 1)];
    let then = match module.queries[query.0 as usize].statement.kind {
        StatementKind::Update(_) => Then::Update(vec![(fields[1].expect("a field"), sum)]),
        StatementKind::Delete(_) => Then::Delete,
        _ => Then::Assign(vec![(VariableSlot(1), columns[0].clone()), (VariableSlot(2), sum)]),
    };
    Form::Find(Find { query, key: vec![variable(0, SqlType::BIGINT)], columns: 2, fields, then })
}

fn code_of(text: &str) -> String {
    let module = bind_text(text, "", &BindOptions::default(), &nothing::Nothing).expect("a batch that can be bound");
    let program =
        Program::new(&module.body, &module.variables, &mut |query| Some(form(query, &module))).expect("machine code");
    let mut out = program.text().to_owned();
    let statements = in_order(&module.body);
    for (number, step) in program.steps().iter().enumerate() {
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
