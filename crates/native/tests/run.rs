//! What machine code does by itself, and when it asks.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use native::{Batch, Cells, Checks, Coding, Field, Form, Insert, Leave, Number, Passed, Program, Runtime};
use sql::bind::{BindOptions, bind_text};
use sql::plan::{Expr, ExprKind, VariableSlot};
use types::SqlType;

mod nothing;

/// Notes what it is asked, and answers by the closure.
struct Asked {
    answer: fn(u32) -> Result<(), Leave>,
    steps: Vec<u32>,
    turns: u32,
    rows: Vec<Vec<u8>>,
    counts: Vec<u64>,
    tries: Vec<&'static str>,
    calls: Vec<(u32, Vec<Option<i64>>)>,
    returned: Option<Option<i64>>,
}

impl Runtime for Asked {
    fn step(&mut self, step: u32) -> Result<(), Leave> {
        self.steps.push(step);
        (self.answer)(step)
    }

    fn holds(&mut self, step: u32) -> Result<bool, Leave> {
        self.steps.push(step);
        (self.answer)(step).map(|()| true)
    }

    fn insert(&mut self, _: u32, image: &mut [u8]) -> bool {
        self.rows.push(image.to_vec());
        true
    }

    fn find(&mut self, _: u32, _: &[i64]) -> Option<Option<&[u8]>> {
        None
    }

    fn change(&mut self, _: u32, _: Option<&[u8]>) -> bool {
        false
    }

    fn scan(&mut self, _: u32, _: Option<&[Passed]>, _: usize, _: &mut Batch) -> Result<bool, Leave> {
        Ok(false)
    }

    fn scanned(&mut self, _: u32, _: u64) {}

    fn begin_join(&mut self, _: u32, _: bool) -> bool {
        false
    }

    fn find_joined(&mut self, _: u32, _: u32, _: &[i64]) -> Option<Option<&[u8]>> {
        None
    }

    fn scan_joined(&mut self, _: u32, _: u32, _: Option<&[Passed]>, _: usize, _: &mut Batch) -> Result<bool, Leave> {
        Ok(false)
    }

    fn give(&mut self, _: u32, _: Cells<'_>) -> bool {
        false
    }

    fn send(&mut self, _: u32) -> Result<(), Leave> {
        Ok(())
    }

    fn end_join(&mut self, _: u32, _: u64) {}

    fn execute(&mut self, call: u32, arguments: &[Passed]) -> Result<bool, Leave> {
        self.calls.push((call, arguments.iter().map(|number| number.get()).collect()));
        (self.answer)(call).map(|()| true)
    }

    fn function(&mut self, _: u32, _: &[Passed]) -> Option<Option<i64>> {
        None
    }

    fn ask(&mut self, _: u32, _: bool) -> Option<Option<i64>> {
        None
    }

    fn keep(&mut self, _: usize) {}

    fn change_rows(&mut self, _: u32, _: Option<&mut dyn Iterator<Item = &[u8]>>) -> bool {
        false
    }

    fn begin_values(&mut self, _: u32) {}

    fn end_values(&mut self, _: u32) {}

    fn returns(&mut self, value: Option<i64>) -> bool {
        self.returned = Some(value);
        true
    }

    fn begin_try(&mut self) {
        self.tries.push("TRY");
    }

    fn end_try(&mut self) {
        self.tries.push("END TRY");
    }

    fn catch(&mut self) -> Result<(), Leave> {
        self.tries.push("CATCH");
        Ok(())
    }

    fn end_catch(&mut self, left: bool) {
        self.tries.push(if left { "LEFT CATCH" } else { "END CATCH" });
    }

    fn turn(&mut self) -> Result<(), Leave> {
        self.turns += 1;
        Ok(())
    }

    fn set_row_count(&mut self, rows: u64) {
        self.counts.push(rows);
    }
}

fn program(text: &str) -> (Program, Arc<[Number]>) {
    let module = bind_text(text, "", &BindOptions::default(), &nothing::Nothing).expect("a batch that can be bound");
    let first = Expr::new(SqlType::BIGINT, true, ExprKind::Variable(VariableSlot(0)));
    let mut form = |query| {
        let values = vec![(
            Field { at: 1, bytes: 8, coding: Coding::Plain, null_at: 0, null_bit: 0, nullable: false },
            first.clone(),
        )];
        Some(Form::Insert(Insert {
            query,
            image: vec![0; 10],
            subqueries: Vec::new(),
            values,
            checks: Checks::default(),
        }))
    };
    let program = Program::new(&module.body, &module.variables, &mut form).expect("machine code");
    (program, module.variables.iter().map(|variable| Number::new(variable.ty.physical())).collect())
}

fn run((program, numbers): &(Program, Arc<[Number]>), answer: fn(u32) -> Result<(), Leave>) -> Asked {
    let mut asked = Asked {
        answer,
        steps: Vec::new(),
        turns: 0,
        rows: Vec::new(),
        counts: Vec::new(),
        tries: Vec::new(),
        calls: Vec::new(),
        returned: None,
    };
    program.run(numbers, &mut asked);
    asked
}

#[test]
fn what_is_usual_asks_nobody() {
    let code = program(
        "DECLARE @i bigint = 0, @even int = 0;
         WHILE @i < 10000 AND @even < 4000 BEGIN SET @i += 1; IF @i % 2 = 0 SET @even += 1; END",
    );
    let asked = run(&code, |step| panic!("asked for step {step}"));
    assert_eq!((code.1[0].i64(), code.1[1].i64()), (Some(8_000), Some(4_000)));
    assert_eq!(asked.turns, 7, "others had their turn every 1,024 rounds");
    assert_eq!(asked.counts, [0], "the last condition's");
}

#[test]
fn rows_are_put_together() {
    let code = program("DECLARE @i bigint = 0; WHILE @i < 3 BEGIN SET @i += 1; INSERT dbo.t VALUES (@i); END");
    let asked = run(&code, |step| panic!("asked for step {step}"));
    let row = |number: u8| vec![0, number, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(asked.rows, [row(1), row(2), row(3)]);
}

#[test]
fn what_is_not_usual_is_a_step() {
    for (text, steps) in [
        ("DECLARE @a int = 2147483647; SET @a += 1;", 1),
        ("DECLARE @a bigint = 9223372036854775807; SET @a *= 2;", 1),
        ("DECLARE @a bigint, @b int = 0; SET @a = @b + @a;", 0),
        ("DECLARE @a bigint = 5, @b int = 0; SET @a = @a / @b;", 1),
        ("DECLARE @a tinyint = 1; SET @a = -@a;", 1),
        ("DECLARE @a bigint = 256, @b tinyint; SET @b = @a;", 1),
        ("DECLARE @a bigint; IF @a = 1 SET @a = 2;", 0),
        ("DECLARE @a varchar(9) = 'a'; SET @a += 'b';", 2),
        ("DECLARE @a float = 1e308; SET @a *= 10;", 1),
        ("DECLARE @a int = 1, @b int; IF @b IS NULL OR @b = 3 SET @a = 2;", 0),
    ] {
        let code = program(text);
        let asked = run(&code, |_| Ok(()));
        assert_eq!(asked.steps.len(), steps, "{text}");
    }
}

#[test]
fn an_error_within_try_is_caught() {
    let text = "DECLARE @i int = 1, @s varchar(9);
        BEGIN TRY SET @i += 1; SET @s = 'a'; SET @i += 10; END TRY
        BEGIN CATCH SET @i += 100; SET @s = 'b'; SET @i += 1000; END CATCH
        SET @i += 10000;";
    let cases: [(fn(u32) -> Result<(), Leave>, i64, &[&str]); 3] = [
        (|_| Ok(()), 10_012, &["TRY", "END TRY"]),
        (|step| if step == 1 { Err(Leave) } else { Ok(()) }, 11_102, &["TRY", "CATCH", "END CATCH"]),
        (|_| Err(Leave), 102, &["TRY", "CATCH", "LEFT CATCH"]),
    ];
    for (answer, end, tries) in cases {
        let code = program(text);
        let asked = run(&code, answer);
        assert_eq!((code.1[0].i64(), &asked.tries[..]), (Some(end), tries));
    }
}

#[test]
fn a_step_can_end_the_run() {
    let text = "DECLARE @i bigint = 0, @s varchar(9);
        WHILE @i < 10 BEGIN SET @i += 1; SET @s = 'a'; SET @i += 1; END
        SET @i += 100;";
    let answers: [(fn(u32) -> Result<(), Leave>, i64); 2] = [(|_| Ok(()), 110), (|_| Err(Leave), 1)];
    for (answer, end) in answers {
        let code = program(text);
        run(&code, answer);
        assert_eq!(code.1[0].i64(), Some(end), "{:?}", answer(0));
    }
}

#[test]
fn a_panic_passes_machine_code() {
    let code = program("DECLARE @s varchar(9) = 'a';");
    let result = catch_unwind(AssertUnwindSafe(|| run(&code, |_| panic!("in a step")).steps));
    let payload = result.expect_err("the panic");
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"in a step"));
}

#[test]
fn arguments_that_are_numbers_are_made_by_the_code() {
    let text = "DECLARE @i bigint = 7, @none int, @s varchar(9);
        EXEC dbo.p @i, 'text', @none, @more = 5; RETURN; SET @i = 9;";
    let code = program(text);
    let asked = run(&code, |_| Ok(()));
    assert_eq!(asked.calls, [(0, vec![Some(7), None, Some(5)])]);
    assert_eq!((asked.returned, code.1[0].i64()), (Some(Some(0)), Some(7)));
    let asked = run(&code, |_| Err(Leave));
    assert_eq!((asked.calls.len(), asked.returned), (1, None), "the call has left the run");
}
