//! Index spool: rows that depend on nothing outside are read once and kept by keys; each opening gives those with the outer row's.
//!
//! The first opening reads them as they come: there may be no second. If there is no memory to keep them, each does.

use std::collections::HashMap;

use sql::plan;
use types::{RowBatch, SqlResult};

use super::keys::{FastHash, RowKeys};
use super::simple::Rows;
use super::{batch_of, source};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};
use crate::expression::{Compiler, I64Expr, filter_batch};

const NO_ROW: u32 = u32::MAX;
/// A key's entry with the room that is left between them, and its allocation.
const KEY_BYTES: usize = 48;

pub fn make(spool: &plan::IndexSpool, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    let keys = spool.keys.iter().map(|(key, _)| compiler.scalar(key)).collect::<SqlResult<_>>()?;
    let asked = spool.keys.iter().map(|(_, value)| compiler.scalar(value)).collect::<SqlResult<_>>()?;
    let mut one_row = RowBatch::new([]);
    one_row.rows = 1;
    Ok(Box::new(IndexSpool {
        input: source(&spool.input, compiler)?,
        predicate: compiler.optional_predicate(&Some(spool.predicate.clone()))?.expect("one was given"),
        keys: RowKeys::new(keys, &[]),
        asked: RowKeys::new(asked, &[]),
        one_row,
        rows: Rows::new(batch_of(&spool.input)),
        scratch: batch_of(&spool.input),
        groups: HashMap::default(),
        next_of: Vec::new(),
        execution: 0,
        state: State::New,
        at: NO_ROW,
        selection: Vec::new(),
    }))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Opened for the first time in an execution.
    New,
    Kept,
    /// There is no room for them.
    TooLarge,
}

/// Rows of one key.
struct Group {
    first: u32,
    last: u32,
}

struct IndexSpool {
    input: Box<dyn RowSource>,
    predicate: I64Expr,
    keys: RowKeys,
    /// The same of the outer row.
    asked: RowKeys,
    one_row: RowBatch,
    rows: Rows,
    scratch: RowBatch,
    groups: HashMap<Box<[u8]>, Group, FastHash>,
    /// The row that follows one in its group.
    next_of: Vec<u32>,
    /// `Context::execution` of `state`. What is kept is of this one.
    execution: u64,
    state: State,
    /// The next row to give.
    at: u32,
    selection: Vec<u32>,
}

impl RowSource for IndexSpool {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        let execution = context.execution.get();
        if self.execution != execution || execution == 0 {
            self.forget();
            (self.execution, self.state) = (execution, State::New);
            return self.input.open(context);
        }
        if self.state == State::New {
            self.state = self.keep(context)?;
        }
        match self.state {
            State::Kept => self.find(context),
            State::New | State::TooLarge => self.input.open(context),
        }
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        if self.state != State::Kept {
            while out.rows == 0 {
                context.yield_point()?;
                self.input.next(context, BATCH_ROWS, out)?;
                if out.rows == 0 {
                    return Ok(());
                }
                filter_batch(&self.predicate, context, out, &mut self.selection)?;
            }
            return Ok(());
        }
        context.yield_point()?;
        self.selection.clear();
        while self.at != NO_ROW && self.selection.len() < wanted.min(BATCH_ROWS) {
            self.selection.push(self.at);
            self.at = self.next_of[self.at as usize];
        }
        for (to, from) in out.columns.iter_mut().zip(&self.rows.batch.columns) {
            columns::append_gather(to, from, &self.selection);
        }
        out.rows = self.selection.len();
        Ok(())
    }

    fn close(&mut self) {
        self.forget();
        self.execution = 0;
        self.input.close();
    }
}

impl IndexSpool {
    fn forget(&mut self) {
        self.rows.clear();
        let count = self.groups.len();
        os::heap::empty(&mut self.groups, count);
        self.next_of = Vec::new();
        self.at = NO_ROW;
    }

    fn keep(&mut self, context: &Context) -> SqlResult<State> {
        let mut key = Vec::new();
        let mut key_bytes = 0;
        self.input.open(context)?;
        loop {
            self.input.next(context, BATCH_ROWS, &mut self.scratch)?;
            if self.scratch.rows == 0 {
                return Ok(State::Kept);
            }
            self.keys.load(context, &self.scratch)?;
            let base = self.rows.batch.rows as u32;
            for row in 0..self.scratch.rows {
                let number = base + row as u32;
                self.next_of.push(NO_ROW);
                // NULL is equal to nothing.
                if self.keys.has_null(row) {
                    continue;
                }
                self.keys.encode_to(row, &mut key);
                match self.groups.get_mut(key.as_slice()) {
                    Some(group) => {
                        self.next_of[group.last as usize] = number;
                        group.last = number;
                    }
                    None => {
                        key_bytes += key.len() + KEY_BYTES;
                        self.groups.insert(key.as_slice().into(), Group { first: number, last: number });
                    }
                }
            }
            let more = key_bytes + self.next_of.len() * size_of::<u32>();
            if !self.rows.append_within(context, &self.scratch, more)? {
                self.forget();
                return Ok(State::TooLarge);
            }
            context.yield_point()?;
        }
    }

    fn find(&mut self, context: &Context) -> SqlResult<()> {
        self.asked.load(context, &self.one_row)?;
        self.at = NO_ROW;
        if !self.asked.has_null(0) {
            let mut key = Vec::new();
            self.asked.encode_to(0, &mut key);
            self.at = self.groups.get(key.as_slice()).map_or(NO_ROW, |group| group.first);
        }
        Ok(())
    }
}
