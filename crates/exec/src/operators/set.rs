//! EXCEPT and INTERSECT: distinct rows of the left that are not, or are, on the right. NULLs are equal here.
//!
//! If there is no memory to know all rows of the right, the rows of both sides are divided among work files by a hash of the whole row, and
//! each pair of files is gone through as the sides would have been. If there is none to know all those given, what was not looked at yet is
//! divided so.

use std::collections::HashSet;

use sql::plan::Operator;
use types::{Physical, RowBatch, SqlResult};

use super::keys::{FastHash, RowKeys};
use super::row_file::{RowFile, RowReader};
use super::scatter::{LEVELS_MAX, Scatter};
use super::{batch_of, source};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};
use crate::expression::{Compiler, Scalar};
use crate::workspace::Held;

struct SetOperation {
    left: Box<dyn RowSource>,
    right: Box<dyn RowSource>,
    left_keys: RowKeys,
    right_keys: RowKeys,
    intersect: bool,
    /// INTERSECT: rows of the right not given yet. EXCEPT: rows of the right, and those given.
    known: HashSet<Box<[u8]>, FastHash>,
    bytes: usize,
    held: Held,
    right_read: bool,
    left_batch: RowBatch,
    right_batch: RowBatch,
    /// Keys of the right: what its files hold.
    right_rows: RowBatch,
    key: Vec<u8>,
    selection: Vec<u32>,
    /// EXCEPT: there is no memory to know more rows. Those of the left that are not known have to wait.
    late: Option<Scatter>,
    /// The files being gone through. None: the inputs themselves.
    part: Option<Part>,
    parts: Vec<Part>,
}

struct Part {
    /// None: what the left has here is on no right.
    right: Option<RowFile>,
    left: RowFile,
    right_reader: RowReader,
    left_reader: RowReader,
    level: u32,
}

/// An entry of the set with the room that is left between them, and a key's allocation.
const ENTRY_BYTES: usize = 40;

pub fn make(
    left: &Operator,
    right: &Operator,
    intersect: bool,
    compiler: &mut Compiler,
) -> SqlResult<Box<dyn RowSource>> {
    Ok(Box::new(SetOperation {
        left_keys: whole_row(left),
        right_keys: whole_row(right),
        intersect,
        known: HashSet::default(),
        bytes: 0,
        held: Held::default(),
        right_read: false,
        left_batch: batch_of(left),
        right_batch: batch_of(right),
        right_rows: RowBatch::new([Physical::Bytes]),
        key: Vec::new(),
        selection: Vec::new(),
        late: None,
        part: None,
        parts: Vec::new(),
        left: source(left, compiler)?,
        right: source(right, compiler)?,
    }))
}

fn whole_row(operator: &Operator) -> RowKeys {
    let columns = operator.columns.iter().enumerate().map(|(i, column)| Scalar::column(i, column.ty)).collect();
    RowKeys::new(columns, &[])
}

impl SetOperation {
    fn level(&self) -> u32 {
        self.part.as_ref().map_or(0, |part| part.level)
    }

    fn forget(&mut self) {
        let count = self.known.len();
        os::heap::empty(&mut self.known, count);
        self.bytes = 0;
        self.held.clear();
        self.late = None;
        self.part = None;
        self.parts = Vec::new();
        self.right_read = false;
    }

    /// True if the key was not known.
    fn remember(&mut self) -> bool {
        if self.known.contains(self.key.as_slice()) {
            return false;
        }
        self.bytes += self.key.len() + ENTRY_BYTES;
        self.known.insert(self.key.as_slice().into())
    }

    /// The next rows of the right: the batch, loaded, or keys of a file. False: there are none.
    fn next_right(&mut self, context: &Context) -> SqlResult<bool> {
        if let Some(part) = &mut self.part {
            return match &part.right {
                Some(right) => part.right_reader.next(context, right, &mut self.right_rows),
                None => Ok(false),
            };
        }
        self.right.next(context, BATCH_ROWS, &mut self.right_batch)?;
        self.right_keys.load(context, &self.right_batch)?;
        context.yield_point()?;
        Ok(self.right_batch.rows > 0)
    }

    /// Knows all rows of the right that were read.
    fn remember_right(&mut self) {
        if self.part.is_none() {
            for row in 0..self.right_batch.rows {
                self.right_keys.encode_to(row, &mut self.key);
                self.remember();
            }
            return;
        }
        for row in 0..self.right_rows.rows {
            self.key.clear();
            self.key.extend_from_slice(self.right_rows.columns[0].bytes(row));
            self.remember();
        }
    }

    /// The batch of the right, as keys.
    fn gather_right_keys(&mut self) {
        if self.part.is_some() {
            return;
        }
        self.right_rows.clear();
        for row in 0..self.right_batch.rows {
            self.right_keys.encode_to(row, &mut self.key);
            self.right_rows.columns[0].push_bytes(&self.key);
        }
        self.right_rows.rows = self.right_batch.rows;
    }

    fn next_left(&mut self, context: &Context, wanted: usize) -> SqlResult<bool> {
        if let Some(part) = &mut self.part {
            return part.left_reader.next(context, &part.left, &mut self.left_batch);
        }
        self.left.next(context, wanted.min(BATCH_ROWS), &mut self.left_batch)?;
        Ok(self.left_batch.rows > 0)
    }

    fn read_right(&mut self, context: &Context) -> SqlResult<()> {
        self.known.clear();
        self.bytes = 0;
        if self.part.is_none() {
            self.right.open(context)?;
        }
        while self.next_right(context)? {
            self.remember_right();
            if self.held.hold(context.workspace(), self.bytes) {
                continue;
            }
            if self.level() < LEVELS_MAX {
                return self.divide(context);
            }
            self.held.force(context.workspace(), self.bytes)?;
        }
        if self.part.is_none() {
            self.right.close();
        }
        Ok(())
    }

    /// Both sides go to files: what is known of the right, what is left of it, and the left.
    fn divide(&mut self, context: &Context) -> SqlResult<()> {
        let level = self.level();
        let mut scatter = Scatter::new(context, &self.right_rows, level)?;
        let mut known = std::mem::take(&mut self.known).into_iter();
        loop {
            self.right_rows.clear();
            for key in known.by_ref().take(BATCH_ROWS) {
                self.right_rows.columns[0].push_bytes(&key);
                self.right_rows.rows += 1;
            }
            if self.right_rows.rows == 0 {
                break;
            }
            scatter_keys(context, &self.right_rows, &mut scatter)?;
        }
        drop(known);
        self.bytes = 0;
        self.held.clear();
        while self.next_right(context)? {
            self.gather_right_keys();
            scatter_keys(context, &self.right_rows, &mut scatter)?;
        }
        let rights = scatter.finish(context)?;
        let mut scatter = Scatter::of_files(context, &self.left_batch, level, rights.len())?;
        while self.next_left(context, BATCH_ROWS)? {
            self.left_keys.load(context, &self.left_batch)?;
            scatter.begin();
            for row in 0..self.left_batch.rows {
                self.left_keys.encode_to(row, &mut self.key);
                scatter.pick(scatter.file_of(&self.key), row);
            }
            scatter.write(context, &self.left_batch)?;
            context.yield_point()?;
        }
        let lefts = scatter.finish(context)?;
        if self.part.is_none() {
            self.right.close();
        }
        for (right, left) in rights.into_iter().zip(lefts) {
            if left.rows() > 0 && (right.rows() > 0 || !self.intersect) {
                self.parts.push(Part::new(Some(right), left, level + 1));
            }
        }
        // Nothing is left of what was being gone through.
        self.part = Some(Part::new(None, RowFile::finished(context)?, LEVELS_MAX));
        Ok(())
    }

    /// The left has ended. False: and nothing waits.
    fn next_part(&mut self, context: &Context) -> SqlResult<bool> {
        if let Some(late) = self.late.take() {
            let level = late.level() + 1;
            let files = late.finish(context)?.into_iter().filter(|file| file.rows() > 0);
            self.parts.extend(files.map(|file| Part::new(None, file, level)));
        }
        let Some(part) = self.parts.pop() else { return Ok(false) };
        self.part = Some(part);
        self.right_read = false;
        Ok(true)
    }

    /// Selects the rows of the left batch that are the answer's.
    fn select(&mut self, context: &Context) -> SqlResult<()> {
        self.left_keys.load(context, &self.left_batch)?;
        self.selection.clear();
        let mut late = self.late.take();
        if let Some(late) = &mut late {
            late.begin();
        }
        for row in 0..self.left_batch.rows {
            self.left_keys.encode_to(row, &mut self.key);
            let wanted = match &mut late {
                _ if self.intersect => self.known.remove(self.key.as_slice()),
                None => self.remember(),
                Some(late) => {
                    if !self.known.contains(self.key.as_slice()) {
                        late.pick(late.file_of(&self.key), row);
                    }
                    false
                }
            };
            if wanted {
                self.selection.push(row as u32);
            }
        }
        match &mut late {
            Some(late) => late.write(context, &self.left_batch)?,
            None if self.held.hold(context.workspace(), self.bytes) => {}
            None if self.level() < LEVELS_MAX => {
                late = Some(Scatter::new(context, &self.left_batch, self.level())?);
            }
            None => self.held.force(context.workspace(), self.bytes)?,
        }
        self.late = late;
        Ok(())
    }
}

impl Part {
    fn new(right: Option<RowFile>, left: RowFile, level: u32) -> Part {
        Part { right, left, right_reader: RowReader::default(), left_reader: RowReader::default(), level }
    }
}

fn scatter_keys(context: &Context, keys: &RowBatch, scatter: &mut Scatter) -> SqlResult<()> {
    scatter.begin();
    for row in 0..keys.rows {
        scatter.pick(scatter.file_of(keys.columns[0].bytes(row)), row);
    }
    scatter.write(context, keys)?;
    context.yield_point()
}

impl RowSource for SetOperation {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.forget();
        self.left.open(context)
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        loop {
            if !self.right_read {
                self.read_right(context)?;
                self.right_read = true;
            }
            if !self.next_left(context, wanted)? {
                if self.next_part(context)? {
                    continue;
                }
                return Ok(());
            }
            self.select(context)?;
            if !self.selection.is_empty() {
                columns::append_batch_rows(out, &self.left_batch, &self.selection);
                return Ok(());
            }
            context.yield_point()?;
        }
    }

    fn close(&mut self) {
        self.forget();
        self.left.close();
        self.right.close();
    }
}
