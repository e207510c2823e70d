//! Index spool: rows that depend on nothing outside are read once and kept by keys; each opening gives those with the outer row's.
//!
//! The first opening reads them as they come: there may be no second. If there is no memory to keep them, each does. What is kept is the query's
//! (`Context::kept`), for an operator above may close this one for each outer row.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

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
    compiler.keeps = true;
    Ok(Box::new(IndexSpool {
        input: source(&spool.input, compiler)?,
        predicate: compiler.optional_predicate(&Some(spool.predicate.clone()))?.expect("one was given"),
        keys: RowKeys::new(keys, &[]),
        asked: RowKeys::new(asked, &[]),
        one_row,
        scratch: batch_of(&spool.input),
        execution: 0,
        state: State::New,
        reading: None,
        at: NO_ROW,
        selection: Vec::new(),
    }))
}

enum State {
    /// Opened for the first time in an execution.
    New,
    Kept(Weak<Kept>),
    /// There is no room for them.
    TooLarge,
}

struct Kept {
    rows: Rows,
    groups: HashMap<Box<[u8]>, Group, FastHash>,
    /// The row that follows one in its group.
    next_of: Vec<u32>,
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
    scratch: RowBatch,
    /// `Context::execution` of `state`. What is kept is of this one.
    execution: u64,
    state: State,
    /// From what is kept the rows come, until the end.
    reading: Option<Arc<Kept>>,
    /// The next row to give.
    at: u32,
    selection: Vec<u32>,
}

impl RowSource for IndexSpool {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.reading = None;
        let execution = context.execution.get();
        if self.execution != execution || execution == 0 {
            (self.execution, self.state) = (execution, State::New);
            return self.input.open(context);
        }
        let kept = match &self.state {
            State::New => self.keep(context)?,
            State::Kept(kept) => kept.upgrade(),
            State::TooLarge => None,
        };
        match kept {
            Some(kept) => self.find(context, kept),
            None => self.input.open(context),
        }
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        let Some(kept) = &self.reading else {
            while out.rows == 0 {
                context.yield_point()?;
                self.input.next(context, BATCH_ROWS, out)?;
                if out.rows == 0 {
                    return Ok(());
                }
                filter_batch(&self.predicate, context, out, &mut self.selection)?;
            }
            return Ok(());
        };
        context.yield_point()?;
        self.selection.clear();
        while self.at != NO_ROW && self.selection.len() < wanted.min(BATCH_ROWS) {
            self.selection.push(self.at);
            self.at = kept.next_of[self.at as usize];
        }
        for (to, from) in out.columns.iter_mut().zip(&kept.rows.batch.columns) {
            columns::append_gather(to, from, &self.selection);
        }
        out.rows = self.selection.len();
        Ok(())
    }

    fn close(&mut self) {
        self.reading = None;
        self.input.close();
    }
}

impl IndexSpool {
    /// Reads all rows and has the query keep them. None: there is no room.
    fn keep(&mut self, context: &Context) -> SqlResult<Option<Arc<Kept>>> {
        self.state = State::TooLarge;
        let rows = Rows::new(RowBatch::new(self.scratch.columns.iter().map(columns::class_of)));
        let mut kept = Kept { rows, groups: HashMap::default(), next_of: Vec::new() };
        let mut key = Vec::new();
        let mut key_bytes = 0;
        self.input.open(context)?;
        loop {
            self.input.next(context, BATCH_ROWS, &mut self.scratch)?;
            if self.scratch.rows == 0 {
                let kept = Arc::new(kept);
                self.state = State::Kept(Arc::downgrade(&kept));
                context.kept.borrow_mut().push(kept.clone());
                return Ok(Some(kept));
            }
            self.keys.load(context, &self.scratch)?;
            let base = kept.rows.batch.rows as u32;
            for row in 0..self.scratch.rows {
                let number = base + row as u32;
                kept.next_of.push(NO_ROW);
                // NULL is equal to nothing.
                if self.keys.has_null(row) {
                    continue;
                }
                self.keys.encode_to(row, &mut key);
                match kept.groups.get_mut(key.as_slice()) {
                    Some(group) => {
                        kept.next_of[group.last as usize] = number;
                        group.last = number;
                    }
                    None => {
                        key_bytes += key.len() + KEY_BYTES;
                        kept.groups.insert(key.as_slice().into(), Group { first: number, last: number });
                    }
                }
            }
            let more = key_bytes + kept.next_of.len() * size_of::<u32>();
            if !kept.rows.append_within(context, &self.scratch, more)? {
                return Ok(None);
            }
            context.yield_point()?;
        }
    }

    fn find(&mut self, context: &Context, kept: Arc<Kept>) -> SqlResult<()> {
        self.asked.load(context, &self.one_row)?;
        self.at = NO_ROW;
        if !self.asked.has_null(0) {
            let mut key = Vec::new();
            self.asked.encode_to(0, &mut key);
            self.at = kept.groups.get(key.as_slice()).map_or(NO_ROW, |group| group.first);
        }
        self.reading = Some(kept);
        Ok(())
    }
}

/// Of many keys: what frees them may take long.
impl Drop for Kept {
    fn drop(&mut self) {
        let count = self.groups.len();
        os::heap::empty(&mut self.groups, count);
    }
}
