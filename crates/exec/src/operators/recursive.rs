//! Recursive common table expressions: the anchor's rows, then round after round over the rows of the round before.
//!
//! The rows of the last round lie in `Context::work_tables` only while the recursive side runs, so that two queries of one
//! context whose work tables have the same number do not meet.

use sql::plan::Operator;
use types::{RowBatch, SqlError, SqlResult, sql_error};

use super::buffer::{Buffer, Place};
use super::{batch_of, source};
use crate::columns::BATCH_ROWS;
use crate::context::{self, Context, RowSource};
use crate::expression::Compiler;

struct Recursive {
    anchor: Box<dyn RowSource>,
    recursive: Box<dyn RowSource>,
    work_table: usize,
    /// 0: no limit.
    rounds_max: u32,
    /// 0: the anchor is being read.
    round: u32,
    last: Buffer,
    next: Buffer,
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
        last: Buffer::new(batch_of(anchor)),
        next: Buffer::new(batch_of(anchor)),
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
        let before = replace(context, self.work_table, Some(Box::new(std::mem::take(&mut self.last))));
        let result = step(&mut *self.recursive);
        let rows = replace(context, self.work_table, before).expect("it was put there");
        self.last = *rows.downcast().expect("as it was put there");
        result
    }

    /// False: the round before gave no rows.
    fn begin_round(&mut self, context: &Context) -> SqlResult<bool> {
        std::mem::swap(&mut self.last, &mut self.next);
        self.next.clear();
        self.last.finish()?;
        if self.last.rows() == 0 {
            return Ok(false);
        }
        self.round += 1;
        self.with_work(context, |recursive| recursive.open(context))?;
        Ok(true)
    }
}

fn replace(context: &Context, work_table: usize, rows: Option<context::WorkTable>) -> Option<context::WorkTable> {
    let tables = &mut *context.work_tables.borrow_mut();
    if tables.len() <= work_table {
        tables.resize_with(work_table + 1, || None);
    }
    std::mem::replace(&mut tables[work_table], rows)
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
                return self.next.append(context, out);
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
    place: Place,
}

pub fn work_table(number: u32) -> Box<dyn RowSource> {
    Box::new(WorkTable { number: number as usize, place: Place::default() })
}

impl RowSource for WorkTable {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        self.place.rewind();
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        let tables = context.work_tables.borrow();
        let rows = tables[self.number].as_ref().and_then(|rows| rows.downcast_ref::<Buffer>());
        self.place.next(context, rows.expect("it is there while the recursive side runs"), wanted, out)
    }

    fn close(&mut self) {
        self.place.rewind();
    }
}
