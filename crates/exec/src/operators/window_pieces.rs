//! A partition of window functions that there is no memory for: its rows in a work file, and what a function's value needs of the pieces before
//! the one in memory.

use sql::plan::{Frame, FrameBound, WindowKind};
use types::{Column, Datum, RowBatch, SqlResult, sql_error};

use super::aggregate_state::Accumulator;
use super::keys::RowKeys;
use super::row_file::{RowFile, RowReader};
use super::simple::Rows;
use crate::columns;
use crate::context::Context;
use crate::expression::Scalar;
use crate::value::Row;

/// How a function's values come of a partition in pieces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From the rows before; `Peers`: and all peers, so that a piece ends where they do.
    Running,
    Peers,
    /// One value of all rows.
    Whole,
}

/// None: it looks at rows far away.
pub fn way_of(kind: WindowKind, frame: &Frame) -> Option<Way> {
    Some(match kind {
        WindowKind::RowNumber
        | WindowKind::Rank
        | WindowKind::DenseRank
        | WindowKind::Ntile
        | WindowKind::PercentRank => Way::Running,
        WindowKind::CumeDist => Way::Peers,
        WindowKind::Aggregate(_) => match (&frame.start, &frame.end) {
            (FrameBound::UnboundedPreceding, FrameBound::UnboundedFollowing) => Way::Whole,
            (FrameBound::UnboundedPreceding, FrameBound::CurrentRow) if frame.rows => Way::Running,
            (FrameBound::UnboundedPreceding, FrameBound::CurrentRow) => Way::Peers,
            _ => return None,
        },
        _ => return None,
    })
}

/// A function as its partition is gone through.
pub struct Progress<'f> {
    pub kind: WindowKind,
    pub way: Way,
    pub arguments: &'f [Scalar],
    pub accumulator: Option<&'f mut Accumulator>,
    pub results: &'f mut Column,
}

pub struct Pieces {
    file: RowFile,
    reader: RowReader,
    /// Read, and not in a piece yet from `at` on.
    ahead: RowBatch,
    at: usize,
    ends_with_peers: bool,
    /// Rows of the pieces before.
    before: i64,
    /// Of the last row so far: its order key, rank and dense rank.
    last_key: Option<Vec<u8>>,
    rank: i64,
    dense_rank: i64,
    /// For each function the value of all rows, if it has one.
    whole: Vec<Column>,
}

impl Pieces {
    /// `rows`: what has come of the partition so far.
    pub fn begin(
        context: &Context,
        rows: &RowBatch,
        functions: &mut [Progress<'_>],
        ends_with_peers: bool,
    ) -> SqlResult<Pieces> {
        for accumulator in functions.iter_mut().filter_map(|function| function.accumulator.as_mut()) {
            accumulator.clear();
            accumulator.grow(1);
        }
        let mut pieces = Pieces {
            file: RowFile::new(context).going_on(),
            reader: RowReader::default(),
            ahead: RowBatch::new(rows.columns.iter().map(columns::class_of)),
            at: 0,
            ends_with_peers,
            before: 0,
            last_key: None,
            rank: 0,
            dense_rank: 0,
            whole: Vec::new(),
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
        for function in functions {
            let mut value = Column::new(columns::class_of(function.results));
            if let (Way::Whole, Some(accumulator)) = (function.way, &mut function.accumulator) {
                accumulator.finish(context, 0, &mut value)?;
            }
            self.whole.push(value);
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

    /// The values of the functions for a piece.
    pub fn compute(
        &mut self,
        context: &Context,
        order: &mut RowKeys,
        rows: &RowBatch,
        functions: &mut [Progress<'_>],
    ) -> SqlResult<()> {
        let places = self.places(context, order, rows)?;
        for (at, function) in functions.iter_mut().enumerate() {
            function.results.clear();
            let count = self.file.rows() as i64;
            match (function.way, &mut function.accumulator) {
                (Way::Whole, _) => columns::append_repeat(function.results, &self.whole[at], 0, rows.rows),
                (way, Some(accumulator)) => {
                    accumulator.load(context, rows)?;
                    let mut added = 0;
                    for (row, place) in places.iter().enumerate() {
                        let end = if way == Way::Peers { place.peers_end } else { row + 1 };
                        while added < end {
                            accumulator.add_loaded(context, added, 0)?;
                            added += 1;
                        }
                        accumulator.finish(context, 0, function.results)?;
                    }
                    note_null(context, accumulator);
                }
                (_, None) => {
                    let mut groups = 0;
                    if function.kind == WindowKind::Ntile {
                        let given = function.arguments[0].i64(context, Row { batch: rows, index: 0 })?;
                        groups = given.filter(|groups| *groups > 0).ok_or_else(|| sql_error!(4116))?;
                    }
                    for (row, place) in places.iter().enumerate() {
                        let number = self.before + row as i64;
                        function.results.push(&match function.kind {
                            WindowKind::RowNumber => Datum::I64(number + 1),
                            WindowKind::Rank => Datum::I64(place.rank),
                            WindowKind::DenseRank => Datum::I64(place.dense_rank),
                            WindowKind::Ntile => Datum::I64(tile_of(number, count, groups)),
                            WindowKind::PercentRank if count == 1 => Datum::F64(0.0),
                            WindowKind::PercentRank => Datum::F64((place.rank - 1) as f64 / (count - 1) as f64),
                            WindowKind::CumeDist => {
                                Datum::F64((self.before + place.peers_end as i64) as f64 / count as f64)
                            }
                            kind => unreachable!("{kind:?} needs its partition in memory"),
                        });
                    }
                }
            }
        }
        self.before += rows.rows as i64;
        Ok(())
    }

    fn places(&mut self, context: &Context, order: &mut RowKeys, rows: &RowBatch) -> SqlResult<Vec<Place>> {
        order.load(context, rows)?;
        let mut places: Vec<Place> = Vec::with_capacity(rows.rows);
        let (mut key, mut first) = (Vec::new(), 0);
        for row in 0..rows.rows {
            order.encode_to(row, &mut key);
            if self.last_key.as_ref() != Some(&key) {
                self.rank = self.before + row as i64 + 1;
                self.dense_rank += 1;
                self.last_key = Some(key.clone());
                places[first..].iter_mut().for_each(|place| place.peers_end = row);
                first = row;
            }
            places.push(Place { rank: self.rank, dense_rank: self.dense_rank, peers_end: 0 });
        }
        places[first..].iter_mut().for_each(|place| place.peers_end = rows.rows);
        Ok(places)
    }
}

struct Place {
    rank: i64,
    dense_rank: i64,
    /// In the piece.
    peers_end: usize,
}

fn note_null(context: &Context, accumulator: &Accumulator) {
    if accumulator.saw_null {
        context.null_eliminated.set(true);
    }
}

/// The first count % groups have one row more than the others.
pub fn tile_of(row: i64, count: i64, groups: i64) -> i64 {
    let (size, larger) = (count / groups, count % groups);
    let in_larger = larger * (size + 1);
    1 + if row < in_larger { row / (size + 1) } else { larger + (row - in_larger) / size.max(1) }
}
