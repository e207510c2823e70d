//! EXCEPT and INTERSECT: distinct rows of the left that are not, or are, on the right. NULLs are equal here.

use std::collections::HashSet;

use sql::plan::Operator;
use types::{RowBatch, SqlResult};

use super::keys::{FastHash, RowKeys};
use super::{batch_of, drain, source};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, GRANT_BYTES_MAX, RowSource, out_of_memory};
use crate::expression::{Compiler, Scalar};

struct SetOperation {
    left: Box<dyn RowSource>,
    right: Box<dyn RowSource>,
    left_keys: RowKeys,
    right_keys: RowKeys,
    intersect: bool,
    /// INTERSECT: rows of the right not given yet. EXCEPT: rows of the right, and those given.
    known: HashSet<Box<[u8]>, FastHash>,
    bytes: usize,
    right_read: bool,
    left_batch: RowBatch,
    right_batch: RowBatch,
    key: Vec<u8>,
    selection: Vec<u32>,
}

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
        right_read: false,
        left_batch: batch_of(left),
        right_batch: batch_of(right),
        key: Vec::new(),
        selection: Vec::new(),
        left: source(left, compiler)?,
        right: source(right, compiler)?,
    }))
}

fn whole_row(operator: &Operator) -> RowKeys {
    let columns = operator.columns.iter().enumerate().map(|(i, column)| Scalar::column(i, column.ty)).collect();
    RowKeys::new(columns, &[])
}

impl SetOperation {
    fn read_right(&mut self, context: &Context) -> SqlResult<()> {
        self.right.open(context)?;
        let SetOperation { right, right_keys, right_batch, known, bytes, key, .. } = self;
        drain(&mut **right, context, right_batch, |batch| {
            right_keys.load(context, batch)?;
            for row in 0..batch.rows {
                right_keys.encode_to(row, key);
                remember(known, bytes, key)?;
            }
            Ok(())
        })?;
        self.right.close();
        Ok(())
    }
}

/// True if the key was not known.
fn remember(known: &mut HashSet<Box<[u8]>, FastHash>, bytes: &mut usize, key: &[u8]) -> SqlResult<bool> {
    if known.contains(key) {
        return Ok(false);
    }
    *bytes += key.len() + 32;
    if *bytes > GRANT_BYTES_MAX {
        return Err(out_of_memory());
    }
    known.insert(key.into());
    Ok(true)
}

impl RowSource for SetOperation {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.known.clear();
        self.bytes = 0;
        self.right_read = false;
        self.left.open(context)
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        if !self.right_read {
            self.read_right(context)?;
            self.right_read = true;
        }
        loop {
            self.left.next(context, wanted.min(BATCH_ROWS), &mut self.left_batch)?;
            if self.left_batch.rows == 0 {
                return Ok(());
            }
            self.left_keys.load(context, &self.left_batch)?;
            self.selection.clear();
            for row in 0..self.left_batch.rows {
                self.left_keys.encode_to(row, &mut self.key);
                let wanted = if self.intersect {
                    self.known.remove(self.key.as_slice())
                } else {
                    remember(&mut self.known, &mut self.bytes, &self.key)?
                };
                if wanted {
                    self.selection.push(row as u32);
                }
            }
            if !self.selection.is_empty() {
                columns::append_batch_rows(out, &self.left_batch, &self.selection);
                return Ok(());
            }
            context.yield_point()?;
        }
    }

    fn close(&mut self) {
        self.known = HashSet::default();
        self.left.close();
        self.right.close();
    }
}
