//! A partition of window functions that there is no memory for, and whose functions ask for its end: its rows in a work file, read a piece at a time.

use types::{Column, RowBatch, SqlResult};

use super::keys::RowKeys;
use super::row_file::{RowFile, RowReader};
use super::simple::Rows;
use super::window_running::{Progress, Running, Way, note_null};
use crate::columns;
use crate::context::Context;

pub struct Pieces {
    file: RowFile,
    reader: RowReader,
    /// Read, and not in a piece yet from `at` on.
    ahead: RowBatch,
    at: usize,
    ends_with_peers: bool,
    pub running: Running,
}

impl Pieces {
    /// `rows`: what has come of the partition so far.
    pub fn begin(
        context: &Context,
        rows: &RowBatch,
        functions: &mut [Progress<'_>],
        ends_with_peers: bool,
    ) -> SqlResult<Pieces> {
        let mut pieces = Pieces {
            file: RowFile::new(context).going_on(),
            reader: RowReader::default(),
            ahead: RowBatch::new(rows.columns.iter().map(columns::class_of)),
            at: 0,
            ends_with_peers,
            running: Running::begin(functions),
        };
        pieces.append(context, rows, functions)?;
        Ok(pieces)
    }

    pub fn append(&mut self, context: &Context, rows: &RowBatch, functions: &mut [Progress<'_>]) -> SqlResult<()> {
        for function in functions.iter_mut().filter(|function| function.way == Way::Whole) {
            let accumulator = function.accumulator.as_mut().expect("an aggregate");
            accumulator.load(context, rows)?;
            for row in 0..rows.rows {
                accumulator.add_loaded(context, row, 0)?;
            }
            note_null(context, accumulator);
        }
        self.file.append(context, rows)
    }

    /// The partition is complete.
    pub fn finish(&mut self, context: &Context, functions: &mut [Progress<'_>]) -> SqlResult<()> {
        self.file.finish()?;
        self.running.count = self.file.rows() as i64;
        for function in functions {
            let mut value = Column::new(columns::class_of(function.results));
            if let (Way::Whole, Some(accumulator)) = (function.way, &mut function.accumulator) {
                accumulator.finish(context, 0, &mut value)?;
            }
            self.running.whole.push(value);
        }
        Ok(())
    }

    /// The next piece. False: there is none.
    pub fn next(&mut self, context: &Context, order: &mut RowKeys, rows: &mut Rows) -> SqlResult<bool> {
        rows.clear();
        if !self.read_ahead(context)? {
            return Ok(false);
        }
        let mut part = RowBatch::new(self.ahead.columns.iter().map(columns::class_of));
        columns::append_batch_range(&mut part, &self.ahead, self.at, self.ahead.rows);
        rows.append(context, &part)?;
        self.at = self.ahead.rows;
        if !self.ends_with_peers {
            return Ok(true);
        }
        let (mut last, mut key) = (Vec::new(), Vec::new());
        order.load(context, &part)?;
        order.encode(part.rows - 1, &mut last);
        while self.read_ahead(context)? {
            order.load(context, &self.ahead)?;
            let start = self.at;
            while self.at < self.ahead.rows {
                order.encode_to(self.at, &mut key);
                if key != last {
                    break;
                }
                self.at += 1;
            }
            part.clear();
            columns::append_batch_range(&mut part, &self.ahead, start, self.at);
            rows.append(context, &part)?;
            if self.at < self.ahead.rows {
                break;
            }
        }
        Ok(true)
    }

    fn read_ahead(&mut self, context: &Context) -> SqlResult<bool> {
        if self.at < self.ahead.rows {
            return Ok(true);
        }
        self.at = 0;
        self.reader.next(context, &self.file, &mut self.ahead)
    }
}
