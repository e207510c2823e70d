//! Recursive common table expressions: the anchor's rows, then round after round over the rows of the round before.
//!
//! The rows of the last round lie in `Context::work_tables` only while the recursive side runs, so that two queries of one
//! context whose work tables have the same number do not meet.

use sql::plan::Operator;
use types::{RowBatch, SqlError, SqlResult, sql_error};

use super::simple::Rows;
use super::{batch_of, source};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};
use crate::expression::Compiler;

struct Recursive {
    anchor: Box<dyn RowSource>,
    recursive: Box<dyn RowSource>,
    work_table: usize,
    /// 0: no limit.
    rounds_max: u32,
    /// 0: the anchor is being read.
    round: u32,
    last: Rows,
    next: Rows,
    ended: bool,
}

pub fn make(
    anchor: &Operator,
    recursive: &Operator,
    work_table: u32,
    rounds_max: u32,
    compiler: &mut Compiler,
) -> SqlResult<Box<dyn RowSource>> {
    Ok(Box::new(Recursive {
        work_table: work_table as usize,
        rounds_max,
        round: 0,
        last: Rows::new(batch_of(anchor)),
        next: Rows::new(batch_of(anchor)),
        ended: false,
        anchor: source(anchor, compiler)?,
        recursive: source(recursive, compiler)?,
    }))
}

impl Recursive {
    /// Runs `step` of the recursive side with the last round's rows in their place.
    fn with_work(
        &mut self,
        context: &Context,
        step: impl FnOnce(&mut dyn RowSource) -> SqlResult<()>,
    ) -> SqlResult<()> {
        swap(context, self.work_table, &mut self.last.batch);
        let result = step(&mut *self.recursive);
        swap(context, self.work_table, &mut self.last.batch);
        result
    }

    /// False: the round before gave no rows.
    fn begin_round(&mut self, context: &Context) -> SqlResult<bool> {
        std::mem::swap(&mut self.last, &mut self.next);
        self.next.clear();
        if self.last.batch.rows == 0 {
            return Ok(false);
        }
        self.round += 1;
        self.with_work(context, |recursive| recursive.open(context))?;
        Ok(true)
    }
}

fn swap(context: &Context, work_table: usize, rows: &mut RowBatch) {
    let tables = &mut *context.work_tables.borrow_mut();
    if tables.len() <= work_table {
        tables.resize_with(work_table + 1, RowBatch::default);
    }
    std::mem::swap(&mut tables[work_table], rows);
}

impl RowSource for Recursive {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        (self.round, self.ended) = (0, false);
        self.last.clear();
        self.next.clear();
        self.anchor.open(context)
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        let wanted = wanted.min(BATCH_ROWS);
        while !self.ended {
            if self.round == 0 {
                self.anchor.next(context, wanted, out)?;
            } else {
                self.with_work(context, |recursive| recursive.next(context, wanted, out))?;
            }
            if out.rows > 0 {
                if self.rounds_max != 0 && self.round > self.rounds_max {
                    return Err(exhausted(self.rounds_max));
                }
                return self.next.append(out);
            }
            context.yield_point()?;
            self.ended = !self.begin_round(context)?;
        }
        Ok(())
    }

    fn close(&mut self) {
        self.last.clear();
        self.next.clear();
        self.anchor.close();
        self.recursive.close();
    }
}

fn exhausted(rounds_max: u32) -> SqlError {
    sql_error!(530, rounds_max)
}

struct WorkTable {
    number: usize,
    at: usize,
}

pub fn work_table(number: u32) -> Box<dyn RowSource> {
    Box::new(WorkTable { number: number as usize, at: 0 })
}

impl RowSource for WorkTable {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        self.at = 0;
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        let tables = context.work_tables.borrow();
        let rows = &tables[self.number];
        let end = (self.at + wanted.min(BATCH_ROWS)).min(rows.rows);
        columns::append_batch_range(out, rows, self.at, end);
        self.at = end;
        Ok(())
    }

    fn close(&mut self) {}
}
