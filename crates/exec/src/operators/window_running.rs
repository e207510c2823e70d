//! Window functions whose values come of the rows before: what they know from one piece of a partition to the next. A piece is what is in memory of
//! a partition: a batch of those that come, or a part of its work file.

use sql::plan::{Frame, FrameBound, WindowKind};
use types::{Column, Datum, RowBatch, SqlResult, sql_error};

use super::aggregate_state::Accumulator;
use super::keys::RowKeys;
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

/// Its values come as the partition does: neither how many rows that has is asked for, nor what comes behind the peers.
pub fn streams(kind: WindowKind, frame: &Frame) -> bool {
    use WindowKind::*;
    matches!(way_of(kind, frame), Some(Way::Running | Way::Peers)) && !matches!(kind, Ntile | PercentRank | CumeDist)
}

/// Its values differ with the rows that are equal in order.
fn asks_for_peers(function: &Progress<'_>) -> bool {
    use WindowKind::*;
    function.way == Way::Peers || matches!(function.kind, Rank | DenseRank | PercentRank)
}

/// A function as its partition is gone through.
pub struct Progress<'f> {
    pub kind: WindowKind,
    pub way: Way,
    pub arguments: &'f [Scalar],
    pub accumulator: Option<&'f mut Accumulator>,
    pub results: &'f mut Column,
}

/// What is known of the pieces of a partition so far.
#[derive(Default)]
pub struct Running {
    /// Rows of the pieces before.
    before: i64,
    /// Of the last row so far: its order key, rank and dense rank.
    last_key: Option<Vec<u8>>,
    rank: i64,
    dense_rank: i64,
    /// Where they are asked for: how many rows there are, and for each function the value of all of them, if it has one.
    pub count: i64,
    pub whole: Vec<Column>,
}

impl Running {
    /// A partition begins.
    pub fn begin(functions: &mut [Progress<'_>]) -> Running {
        for accumulator in functions.iter_mut().filter_map(|function| function.accumulator.as_mut()) {
            accumulator.clear();
            accumulator.grow(1);
        }
        Running::default()
    }

    /// The values of the functions for a piece.
    pub fn compute(
        &mut self,
        context: &Context,
        order: &mut RowKeys,
        rows: &RowBatch,
        functions: &mut [Progress<'_>],
    ) -> SqlResult<()> {
        let places = match functions.iter().any(asks_for_peers) {
            true => self.places(context, order, rows)?,
            false => Vec::new(),
        };
        let place = |row: usize| places[row];
        let count = self.count;
        for (at, function) in functions.iter_mut().enumerate() {
            function.results.clear();
            match (function.way, &mut function.accumulator) {
                (Way::Whole, _) => columns::append_repeat(function.results, &self.whole[at], 0, rows.rows),
                (way, Some(accumulator)) => {
                    accumulator.load(context, rows)?;
                    let mut added = 0;
                    for row in 0..rows.rows {
                        let end = if way == Way::Peers { place(row).peers_end } else { row + 1 };
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
                    for row in 0..rows.rows {
                        let number = self.before + row as i64;
                        function.results.push(&match function.kind {
                            WindowKind::RowNumber => Datum::I64(number + 1),
                            WindowKind::Rank => Datum::I64(place(row).rank),
                            WindowKind::DenseRank => Datum::I64(place(row).dense_rank),
                            WindowKind::Ntile => Datum::I64(tile_of(number, count, groups)),
                            WindowKind::PercentRank if count == 1 => Datum::F64(0.0),
                            WindowKind::PercentRank => Datum::F64((place(row).rank - 1) as f64 / (count - 1) as f64),
                            WindowKind::CumeDist => {
                                Datum::F64((self.before + place(row).peers_end as i64) as f64 / count as f64)
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

#[derive(Clone, Copy)]
struct Place {
    rank: i64,
    dense_rank: i64,
    /// In the piece.
    peers_end: usize,
}

pub fn note_null(context: &Context, accumulator: &Accumulator) {
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
