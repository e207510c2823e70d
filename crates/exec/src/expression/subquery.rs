//! Queries within expressions: a scalar value, EXISTS, and comparisons with ANY and ALL (IN is = ANY).

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock, Weak};

use sql::plan::{CompareOp, OuterSlot};
use types::{Column, Datum, RowBatch, SqlResult, SqlType, sql_error};

use super::Scalar;
use super::memo::Memo;
use crate::columns;
use crate::context::{Context, RowSource};
use crate::kernel;
use crate::value::{Row, Value};
use crate::workspace::Held;

pub struct SubqueryState {
    pub source: Box<dyn RowSource>,
    pub bindings: Box<[(OuterSlot, Scalar)]>,
    pub kind: SubqueryKind,
    pub batch: RowBatch,
    /// `Context::execution` in which the source was opened last.
    pub opened_in: u64,
    /// `Context::execution` and the answer, when nothing of the outer row is asked for.
    pub kept: Option<(u64, Datum)>,
    /// `Context::execution` and the rows of an uncorrelated ANY or ALL, which the query keeps until it is closed.
    pub kept_rows: (u64, Weak<KeptRows>),
    /// Of a correlated one whose answer comes of the outer row's values alone.
    pub memo: Option<Box<Answers>>,
}

/// Answers, or rows to compare with, by the values of outer rows.
#[derive(Default)]
pub struct Answers {
    answers: Memo<Datum>,
    rows: Memo<Asked>,
}

/// Rows are kept when they are asked for again: the first comparison may be settled by one of them.
#[derive(Clone)]
enum Asked {
    Once,
    Kept(Arc<KeptRows>),
}

/// A longer answer is not kept.
const ANSWER_MAX: usize = 4 << 10;

pub enum SubqueryKind {
    Scalar,
    Last,
    Exists,
    Any { value: Scalar, op: CompareOp },
    All { value: Scalar, op: CompareOp },
}

/// Work for a comparison, in a pacer's units.
const COMPARISON: usize = 64;

/// What a value is compared with row by row the first time, and by its place among them from the second on.
pub struct KeptRows {
    values: Column,
    /// A row is NULL, which is not among the values.
    null: bool,
    /// Numbers of the values, in their order.
    ranked: OnceLock<Box<[u32]>>,
    _held: Held,
}

impl SubqueryState {
    pub fn eval(&mut self, context: &Context, row: Row<'_>) -> SqlResult<Datum> {
        let correlated = !self.bindings.is_empty();
        let execution = context.execution.get();
        let is_answer = matches!(self.kind, SubqueryKind::Scalar | SubqueryKind::Last | SubqueryKind::Exists);
        if let Some(memo) = &mut self.memo {
            if is_answer { memo.answers.begin() } else { memo.rows.begin() }
        }
        for (slot, value) in &self.bindings {
            let value = value.datum(context, row)?;
            match &mut self.memo {
                Some(memo) if is_answer => memo.answers.push(&value),
                Some(memo) => memo.rows.push(&value),
                None => {}
            }
            context.set_outer(*slot, value);
        }
        match &self.kind {
            SubqueryKind::Scalar | SubqueryKind::Last | SubqueryKind::Exists => {
                if let Some(memo) = &mut self.memo {
                    if let Some(answer) = memo.answers.find(context) {
                        return Ok(answer);
                    }
                    let answer = self.run(context)?;
                    self.keep_answer(context, &answer);
                    return Ok(answer);
                }
                if let Some((kept, answer)) = &self.kept
                    && !correlated
                    && *kept == execution
                {
                    return context.copy_of(answer);
                }
                let answer = self.run(context)?;
                if !correlated {
                    self.kept = Some((execution, context.copy_of(&answer)?));
                }
                Ok(answer)
            }
            SubqueryKind::Any { value, op } => {
                let (value, op, ty) = (value.datum(context, row)?, *op, value.ty);
                self.quantified(context, correlated, &value, &Question { op, ty, any: true })
            }
            SubqueryKind::All { value, op } => {
                let (value, op, ty) = (value.datum(context, row)?, *op, value.ty);
                self.quantified(context, correlated, &value, &Question { op, ty, any: false })
            }
        }
    }

    /// Nobody closes what stands in an expression, when its query ends: tables are opened anew in each execution, for their pages may be
    /// others' since the last one.
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        let execution = context.execution.get();
        if self.opened_in != execution || execution == 0 {
            self.source.close();
            self.opened_in = execution;
        }
        self.source.open(context)
    }

    fn run(&mut self, context: &Context) -> SqlResult<Datum> {
        self.open(context)?;
        if matches!(self.kind, SubqueryKind::Last) {
            return self.last(context);
        }
        self.source.next(context, 2, &mut self.batch)?;
        if matches!(self.kind, SubqueryKind::Exists) {
            return Ok(Datum::I64((self.batch.rows > 0) as i64));
        }
        if self.batch.rows == 0 {
            return Ok(Datum::Null);
        }
        let answer = self.batch.columns[0].take_first();
        let mut rows = self.batch.rows;
        if rows == 1 {
            self.source.next(context, 1, &mut self.batch)?;
            rows += self.batch.rows;
        }
        if rows > 1 {
            return Err(sql_error!(512));
        }
        Ok(answer)
    }

    /// The value of the last row, NULL without rows.
    fn last(&mut self, context: &Context) -> SqlResult<Datum> {
        let mut answer = Datum::Null;
        loop {
            self.source.next(context, columns::BATCH_ROWS, &mut self.batch)?;
            match self.batch.rows {
                0 => return Ok(answer),
                rows => answer = self.batch.columns[0].datum(rows - 1),
            }
        }
    }

    fn quantified(
        &mut self,
        context: &Context,
        correlated: bool,
        value: &Datum,
        question: &Question,
    ) -> SqlResult<Datum> {
        let execution = context.execution.get();
        let value = Value::from_datum(value);
        if execution == 0 {
            return self.stream(context, &value, question);
        }
        if correlated {
            return self.of_outer_row(context, &value, question);
        }
        let (kept_in, rows) = &self.kept_rows;
        if let (true, Some(rows)) = (*kept_in == execution, rows.upgrade()) {
            return question.of_ranked(context, &rows, &value);
        }
        let rows = self.keep(context, &question.ty)?;
        let answer = question.of_rows(context, &rows, &value);
        self.kept_rows = (execution, Arc::downgrade(&rows));
        context.kept.borrow_mut().push(rows);
        answer
    }

    /// Rows that the values of the outer row ask for.
    fn of_outer_row(&mut self, context: &Context, value: &Value, question: &Question) -> SqlResult<Datum> {
        let Some(memo) = &mut self.memo else { return self.stream(context, value, question) };
        match memo.rows.find(context) {
            Some(Asked::Kept(rows)) => question.of_ranked(context, &rows, value),
            Some(Asked::Once) => {
                let rows = self.keep(context, &question.ty)?;
                let answer = question.of_rows(context, &rows, value);
                if let Some(memo) = &mut self.memo {
                    let bytes = size_of::<KeptRows>() + rows.bytes();
                    memo.rows.keep(context, Asked::Kept(rows), bytes);
                }
                answer
            }
            None => {
                memo.rows.keep(context, Asked::Once, 0);
                self.stream(context, value, question)
            }
        }
    }

    fn keep_answer(&mut self, context: &Context, answer: &Datum) {
        let bytes = if let Datum::Bytes(bytes) = answer { bytes.len() } else { 0 };
        if let Some(memo) = self.memo.as_mut().filter(|_| bytes <= ANSWER_MAX) {
            memo.answers.keep(context, answer.clone(), bytes);
        }
    }

    /// The answer for rows that are others next time.
    fn stream(&mut self, context: &Context, value: &Value, question: &Question) -> SqlResult<Datum> {
        self.open(context)?;
        let mut unknown = false;
        loop {
            self.source.next(context, columns::BATCH_ROWS, &mut self.batch)?;
            if self.batch.rows == 0 {
                return Ok(question.undecided(unknown));
            }
            for row in 0..self.batch.rows {
                match question.decides(context, value, &Value::from_column(&self.batch.columns[0], row))? {
                    Some(true) => return Ok(question.decided()),
                    Some(false) => {}
                    None => unknown = true,
                }
            }
        }
    }

    fn keep(&mut self, context: &Context, ty: &SqlType) -> SqlResult<Arc<KeptRows>> {
        let mut kept = KeptRows {
            values: Column::new(ty.physical()),
            null: false,
            ranked: OnceLock::new(),
            _held: Held::default(),
        };
        self.open(context)?;
        loop {
            self.source.next(context, columns::BATCH_ROWS, &mut self.batch)?;
            if self.batch.rows == 0 {
                return Ok(Arc::new(kept));
            }
            let column = &self.batch.columns[0];
            for row in 0..self.batch.rows {
                if column.is_null(row) {
                    kept.null = true;
                } else {
                    columns::append_range(&mut kept.values, column, row, row + 1);
                }
            }
            let bytes = kept.bytes();
            context.force(&mut kept._held, bytes)?;
        }
    }
}

impl KeptRows {
    fn bytes(&self) -> usize {
        columns::column_bytes(&self.values) + self.values.len() * size_of::<u32>()
    }

    fn ranked(&self, context: &Context, ty: &SqlType) -> SqlResult<&[u32]> {
        if let Some(ranked) = self.ranked.get() {
            return Ok(ranked);
        }
        let mut ranked: Box<[u32]> = (0..self.values.len() as u32).collect();
        let mut failure = None;
        ranked.sort_unstable_by(|&a, &b| {
            let compared = context
                .pacer()
                .spend(COMPARISON)
                .and_then(|()| kernel::compare_values(context, ty, &self.value(a), &self.value(b)));
            compared.unwrap_or_else(|error| {
                failure.get_or_insert(error);
                Ordering::Equal
            })
        });
        match failure {
            Some(error) => Err(error),
            None => Ok(self.ranked.get_or_init(|| ranked)),
        }
    }

    fn value(&self, number: u32) -> Value<'_> {
        Value::from_column(&self.values, number as usize)
    }
}

/// `value op ANY | ALL (rows)`: ANY is true if a row's comparison is, ALL false if a row's is false; UNKNOWN rows leave UNKNOWN.
struct Question {
    op: CompareOp,
    ty: SqlType,
    any: bool,
}

impl Question {
    /// Does this row settle it? None: the comparison is UNKNOWN.
    fn decides(&self, context: &Context, value: &Value, row: &Value) -> SqlResult<Option<bool>> {
        if value.is_null() || row.is_null() {
            return Ok(None);
        }
        let ordering = kernel::compare_values(context, &self.ty, value, row)?;
        Ok(Some(kernel::ordering_holds(self.op, ordering) == self.any))
    }

    fn decided(&self) -> Datum {
        Datum::I64(self.any.into())
    }

    fn undecided(&self, unknown: bool) -> Datum {
        if unknown { Datum::Null } else { Datum::I64((!self.any).into()) }
    }

    fn of_rows(&self, context: &Context, rows: &KeptRows, value: &Value) -> SqlResult<Datum> {
        let mut unknown = rows.null;
        for number in 0..rows.values.len() as u32 {
            context.pacer().spend(COMPARISON)?;
            match self.decides(context, value, &rows.value(number))? {
                Some(true) => return Ok(self.decided()),
                Some(false) => {}
                None => unknown = true,
            }
        }
        Ok(self.undecided(unknown))
    }

    /// The same of rows in their order: the extremes decide, for (in)equality one that is like the value.
    fn of_ranked(&self, context: &Context, rows: &KeptRows, value: &Value) -> SqlResult<Datum> {
        let ranked = rows.ranked(context, &self.ty)?;
        let (Some(&least), Some(&most)) = (ranked.first(), ranked.last()) else {
            return Ok(self.undecided(rows.null));
        };
        if value.is_null() {
            return Ok(self.undecided(true));
        }
        let settles =
            |number: u32| Ok::<bool, types::SqlError>(self.decides(context, value, &rows.value(number))? == Some(true));
        if settles(least)? || settles(most)? {
            return Ok(self.decided());
        }
        let looks_for_equal = self.op == if self.any { CompareOp::Equal } else { CompareOp::NotEqual };
        let (mut from, mut to) = (0, if looks_for_equal { ranked.len() } else { 0 });
        while from < to {
            let middle = from + (to - from) / 2;
            match kernel::compare_values(context, &self.ty, &rows.value(ranked[middle]), value)? {
                Ordering::Equal => return Ok(self.decided()),
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
            }
        }
        Ok(self.undecided(rows.null))
    }
}
