//! Operators without a page of their own: Values, Filter, Project, Concat; and what several others share.

use sql::plan::{Expr, ExprKind, Operator};
use types::{MAX_LENGTH, RowBatch, SqlResult};

use super::{batch_of, source};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, GRANT_BYTES_MAX, RowSource, out_of_memory};
use crate::expression::{Compiler, I64Expr, Scalar, fill_all, filter_batch};
use crate::value::{Row, no_row};
use crate::workspace::Held;

/// Rows an operator has made and not given out yet.
#[derive(Default)]
pub struct Pending {
    pub batch: RowBatch,
    at: usize,
}

impl Pending {
    pub fn new(batch: RowBatch) -> Pending {
        Pending { batch, at: 0 }
    }

    /// To be filled anew.
    pub fn clear(&mut self) -> &mut RowBatch {
        self.at = 0;
        self.batch.clear();
        &mut self.batch
    }

    pub fn is_empty(&self) -> bool {
        self.at == self.batch.rows
    }

    /// Appends to `out` until it has `wanted` rows or nothing is left.
    pub fn give(&mut self, wanted: usize, out: &mut RowBatch) {
        let count = (self.batch.rows - self.at).min(wanted - out.rows.min(wanted));
        if self.at == 0 && count == self.batch.rows && out.rows == 0 {
            std::mem::swap(&mut self.batch, out);
            self.clear();
            return;
        }
        columns::append_batch_range(out, &self.batch, self.at, self.at + count);
        self.at += count;
    }
}

struct Values {
    rows: Vec<Vec<Scalar>>,
    at: usize,
    /// A row gets one value of a sequence, however often it names it.
    draws: bool,
}

pub fn values(rows: &[Vec<Expr>], compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    let draws = rows.iter().flatten().any(|cell| cell.any(&mut |e| matches!(e.kind, ExprKind::NextValueFor(_))));
    let rows = rows.iter().map(|row| compiler.scalars(row)).collect::<SqlResult<Vec<_>>>()?;
    Ok(Box::new(Values { rows, at: 0, draws }))
}

impl Values {
    fn append(&self, context: &Context, out: &mut RowBatch) -> SqlResult<()> {
        for (scalar, column) in self.rows[self.at].iter().zip(&mut out.columns) {
            scalar.value(context, Row { batch: no_row(), index: 0 })?.push_to(column);
        }
        Ok(())
    }
}

impl RowSource for Values {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        self.at = 0;
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        while self.at < self.rows.len() && out.rows < wanted.min(BATCH_ROWS) {
            if self.draws {
                *context.drawn.borrow_mut() = Some(Vec::new());
                let made = self.append(context, out);
                *context.drawn.borrow_mut() = None;
                made?;
            } else {
                self.append(context, out)?;
            }
            out.rows += 1;
            self.at += 1;
        }
        Ok(())
    }

    fn close(&mut self) {}
}

/// OUTPUT of a change that has run before.
#[derive(Default)]
struct Given {
    at: usize,
}

pub fn given() -> Box<dyn RowSource> {
    Box::new(Given::default())
}

impl RowSource for Given {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        self.at = 0;
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        let rows = context.given.borrow();
        let end = rows.rows.min(self.at + wanted.min(BATCH_ROWS));
        columns::append_batch_range(out, &rows, self.at, end);
        self.at = end;
        Ok(())
    }

    fn close(&mut self) {}
}

struct Filter {
    input: Box<dyn RowSource>,
    predicate: I64Expr,
    selection: Vec<u32>,
    /// Asked of the input: grows while few rows pass, so that a filter under TOP 1 does not crawl.
    ask: usize,
    pending: Pending,
    scratch: RowBatch,
}

pub fn filter(input: &Operator, predicate: &Expr, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    Ok(Box::new(Filter {
        input: source(input, compiler)?,
        predicate: compiler.predicate(predicate)?,
        selection: Vec::new(),
        ask: 0,
        pending: Pending::new(batch_of(input)),
        scratch: batch_of(input),
    }))
}

impl RowSource for Filter {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.ask = 0;
        self.pending.clear();
        self.input.open(context)
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        loop {
            if !self.pending.is_empty() {
                self.pending.give(wanted, out);
                return Ok(());
            }
            self.ask = (self.ask * 4).clamp(wanted.min(BATCH_ROWS), BATCH_ROWS);
            self.input.next(context, self.ask, &mut self.scratch)?;
            if self.scratch.rows == 0 {
                return Ok(());
            }
            filter_batch(&self.predicate, context, &mut self.scratch, &mut self.selection)?;
            if self.scratch.rows == 0 {
                context.yield_point()?;
                continue;
            }
            if self.scratch.rows <= wanted {
                std::mem::swap(&mut self.scratch, out);
                return Ok(());
            }
            std::mem::swap(&mut self.scratch, self.pending.clear());
        }
    }

    fn close(&mut self) {
        self.input.close();
    }
}

struct Project {
    input: Box<dyn RowSource>,
    exprs: Vec<Scalar>,
    batch: RowBatch,
    /// Values may be long: a batch of so many rows is about `ROWS_BYTES` long. None: they cannot.
    rows: Option<usize>,
}

/// What a batch of long values may have, one row at least.
const ROWS_BYTES: usize = 1 << 20;

pub fn project(input: &Operator, exprs: &[Expr], compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    let batch = batch_of(input);
    let exprs = compiler.scalars(exprs)?;
    let rows = exprs.iter().any(|expr| expr.ty.length == MAX_LENGTH).then_some(1);
    Ok(Box::new(Project { input: source(input, compiler)?, exprs, batch, rows }))
}

impl RowSource for Project {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.input.open(context)
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        if self.exprs.is_empty() {
            out.clear();
            self.input.next(context, wanted, &mut self.batch)?;
            out.rows = self.batch.rows;
            return Ok(());
        }
        self.input.next(context, wanted.min(self.rows.unwrap_or(BATCH_ROWS)), &mut self.batch)?;
        fill_all(&self.exprs, context, &self.batch, out)?;
        if let Some(rows) = &mut self.rows {
            *rows = (ROWS_BYTES * out.rows.max(1) / columns::batch_bytes(out).max(1)).clamp(1, BATCH_ROWS);
        }
        Ok(())
    }

    fn close(&mut self) {
        self.input.close();
    }
}

struct Concat {
    inputs: Vec<Box<dyn RowSource>>,
    at: usize,
    opened: bool,
}

pub fn concat(inputs: &[Operator], compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    let inputs = inputs.iter().map(|input| source(input, compiler)).collect::<SqlResult<Vec<_>>>()?;
    Ok(Box::new(Concat { inputs, at: 0, opened: false }))
}

impl RowSource for Concat {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        (self.at, self.opened) = (0, false);
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        while self.at < self.inputs.len() {
            let input = &mut self.inputs[self.at];
            if !self.opened {
                input.open(context)?;
                self.opened = true;
            }
            input.next(context, wanted, out)?;
            if out.rows > 0 {
                return Ok(());
            }
            (self.at, self.opened) = (self.at + 1, false);
        }
        Ok(())
    }

    fn close(&mut self) {
        self.inputs.iter_mut().for_each(|input| input.close());
    }
}

/// All rows of an input, kept in order and in memory.
#[derive(Default)]
pub struct Rows {
    pub batch: RowBatch,
    held: Held,
    /// What is held since before the last `restart`, whether the rows of now need it or not.
    kept: usize,
}

impl Rows {
    pub fn new(batch: RowBatch) -> Rows {
        Rows { batch, held: Held::default(), kept: 0 }
    }

    /// Forgets the rows, and keeps their memory for others: it was touched before, which for new memory takes time.
    pub fn restart(&mut self) {
        self.kept = self.held.bytes();
        self.batch.clear();
    }

    pub fn clear(&mut self) {
        self.held.clear();
        self.kept = 0;
        if columns::batch_room(&self.batch) > 1 << 20 {
            // Let a large result's memory go instead of keeping it with the plan.
            self.batch = RowBatch::new(self.batch.columns.iter().map(columns::class_of));
        } else {
            self.batch.clear();
        }
    }

    /// 701 when there is no memory; columns of class Bytes hold at most 4 GB by their layout.
    pub fn append(&mut self, context: &Context, batch: &RowBatch) -> SqlResult<()> {
        let bytes = columns::batch_bytes(&self.batch) + columns::batch_bytes(batch);
        if bytes > GRANT_BYTES_MAX || self.batch.rows + batch.rows > u32::MAX as usize {
            return Err(out_of_memory());
        }
        self.held.force(context.workspace(), bytes)?;
        columns::append_large_paced(context, &mut self.batch, batch)
    }

    /// These instead of what there was.
    pub fn replace(&mut self, batch: RowBatch) {
        self.batch = batch;
    }

    /// Appends. False: with these rows and `more` bytes that go with them it is more than there is room for.
    pub fn append_within(&mut self, context: &Context, batch: &RowBatch, more: usize) -> SqlResult<bool> {
        columns::append_large_paced(context, &mut self.batch, batch)?;
        Ok(self.fits(context, more))
    }

    /// As `append_within`, of these rows of the batch.
    pub fn append_picked(
        &mut self,
        context: &Context,
        batch: &RowBatch,
        picked: &[u32],
        more: usize,
    ) -> SqlResult<bool> {
        if picked.len() == batch.rows {
            return self.append_within(context, batch, more);
        }
        columns::append_batch_rows(&mut self.batch, batch, picked);
        Ok(self.fits(context, more))
    }

    /// They stay in memory with `more` bytes that go with them. 701.
    pub fn force(&mut self, context: &Context, more: usize) -> SqlResult<()> {
        let bytes = columns::batch_bytes(&self.batch);
        if bytes > GRANT_BYTES_MAX || self.batch.rows > u32::MAX as usize - (1 << 24) {
            return Err(out_of_memory());
        }
        self.held.force(context.workspace(), bytes + more)
    }

    /// Whether these rows and `more` bytes that go with them have room; then it is theirs.
    pub fn fits(&mut self, context: &Context, more: usize) -> bool {
        let bytes = columns::batch_bytes(&self.batch);
        bytes <= GRANT_BYTES_MAX
            && self.batch.rows <= u32::MAX as usize - (1 << 24)
            && self.held.hold(context.workspace(), (bytes + more).max(self.kept))
    }
}
