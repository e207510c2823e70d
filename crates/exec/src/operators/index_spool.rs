//! Index spool: rows that depend on nothing outside are read once and kept by keys; each opening gives those with the outer row's. Those of one
//! key may be kept in an order, too, and an opening gives those between two bounds.
//!
//! The first opening reads them as they come: there may be no second. If there is no memory to keep them, each does, and sorts them where somebody
//! relies on their order. What is kept is the query's (`Context::kept`), for an operator above may close this one for each outer row.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use sql::plan::{self, Bound, Expr, Operator, OperatorKind};
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
/// Work for a comparison of two rows, in a pacer's units.
const COMPARISON: usize = 64;

pub fn make(spool: &plan::IndexSpool, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    let keys = spool.keys.iter().map(|(key, _)| compiler.scalar(key)).collect::<SqlResult<_>>()?;
    let asked = spool.keys.iter().map(|(_, value)| compiler.scalar(value)).collect::<SqlResult<_>>()?;
    let mut one_row = RowBatch::new([]);
    one_row.rows = 1;
    compiler.keeps = true;
    Ok(Box::new(IndexSpool {
        input: source(&spool.input, compiler)?,
        range: spool.range.as_ref().map(|range| Range::new(spool, range, compiler)).transpose()?,
        predicate: compiler.optional_predicate(&Some(spool.predicate.clone()))?.expect("one was given"),
        keys: RowKeys::new(keys, &[]),
        asked: RowKeys::new(asked, &[]),
        one_row,
        scratch: batch_of(&spool.input),
        execution: 0,
        state: State::New,
        reading: Reading::Nothing,
        selection: Vec::new(),
    }))
}

/// The order of the rows of a key, and the bounds within it.
struct Range {
    first: RowKeys,
    rest: RowKeys,
    lower: Option<(RowKeys, Bound)>,
    upper: Option<(RowKeys, Bound)>,
    /// The rows of an opening in their order, made each time. None: nobody relies on it.
    sorted: Option<Box<dyn RowSource>>,
}

impl Range {
    fn new(spool: &plan::IndexSpool, range: &plan::SpoolRange, compiler: &mut Compiler) -> SqlResult<Range> {
        let (first, rest) = range.order.split_first().expect("an order has a value");
        let ends = rest.iter().map(|key| key.descending).collect::<Vec<_>>();
        let mut bound = |bound: &Option<(Expr, Bound)>| -> SqlResult<Option<(RowKeys, Bound)>> {
            let Some((value, kind)) = bound else { return Ok(None) };
            Ok(Some((RowKeys::new(vec![compiler.scalar(value)?], &[first.descending]), *kind)))
        };
        let (lower, upper) = (bound(&range.lower)?, bound(&range.upper)?);
        // What is greatest comes first in an order that descends.
        let (lower, upper) = if first.descending { (upper, lower) } else { (lower, upper) };
        let scalars = rest.iter().map(|key| compiler.scalar(&key.expr)).collect::<SqlResult<_>>()?;
        Ok(Range {
            first: RowKeys::new(vec![compiler.scalar(&first.expr)?], &[first.descending]),
            rest: RowKeys::new(scalars, &ends),
            lower,
            upper,
            sorted: range.ordered.then(|| sorted(spool, range, compiler)).transpose()?,
        })
    }

    fn is_bounded(&self) -> bool {
        self.lower.is_some() || self.upper.is_some()
    }
}

/// The same rows by a sort. It is not in the plan, where nobody may look for it.
fn sorted(
    spool: &plan::IndexSpool,
    range: &plan::SpoolRange,
    compiler: &mut Compiler,
) -> SqlResult<Box<dyn RowSource>> {
    let above = |kind| Operator { kind, columns: spool.input.columns.clone(), rows: spool.input.rows };
    let kind = OperatorKind::Filter { input: Box::new(spool.input.clone()), predicate: spool.predicate.clone() };
    let input = Box::new(above(kind));
    let sort = above(OperatorKind::Sort { input, keys: range.order.clone(), limit: None });
    let watched = compiler.watched.take();
    let sorted = source(&sort, compiler);
    compiler.watched = watched;
    sorted
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
    /// Without an order: the row that follows one in its group. With one: rows in it, each group's one behind the other.
    next_of: Vec<u32>,
    ordered: Ordered,
}

/// Rows of one key: the first and the last; with an order the places in `next_of` from the first to behind the last.
struct Group {
    first: u32,
    last: u32,
}

/// Of each row what it is ordered by, as bytes that compare so.
#[derive(Default)]
struct Ordered {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Ordered {
    fn key(&self, row: u32) -> &[u8] {
        let row = row as usize;
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.bytes[start..self.ends[row]]
    }
}

/// What an opening gives its rows from.
enum Reading {
    Nothing,
    /// The input, or what sorts it.
    Input,
    Sorted,
    /// The next row, and those that follow it.
    Chain(Arc<Kept>, u32),
    /// Places in the order.
    Places(Arc<Kept>, std::ops::Range<usize>),
}

struct IndexSpool {
    input: Box<dyn RowSource>,
    range: Option<Range>,
    predicate: I64Expr,
    keys: RowKeys,
    /// The same of the outer row.
    asked: RowKeys,
    one_row: RowBatch,
    scratch: RowBatch,
    /// `Context::execution` of `state`. What is kept is of this one.
    execution: u64,
    state: State,
    reading: Reading,
    selection: Vec<u32>,
}

impl RowSource for IndexSpool {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.reading = Reading::Nothing;
        let execution = context.execution.get();
        let is_sorted = self.range.as_ref().is_some_and(|range| range.sorted.is_some());
        if self.execution != execution || execution == 0 {
            (self.execution, self.state) = (execution, State::New);
            if execution == 0 || !is_sorted {
                return self.open_unkept(context);
            }
        }
        let kept = match &self.state {
            State::New => self.keep(context)?,
            State::Kept(kept) => kept.upgrade(),
            State::TooLarge => None,
        };
        match kept {
            Some(kept) => self.find(context, kept),
            None => self.open_unkept(context),
        }
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        context.yield_point()?;
        let wanted = wanted.min(BATCH_ROWS);
        self.selection.clear();
        let kept = match &mut self.reading {
            Reading::Nothing => return Ok(()),
            Reading::Input => return self.next_of_input(context, out),
            Reading::Sorted => {
                let sorted = self.range.as_mut().and_then(|range| range.sorted.as_mut());
                return sorted.expect("it was opened").next(context, wanted, out);
            }
            Reading::Chain(kept, at) => {
                while *at != NO_ROW && self.selection.len() < wanted {
                    self.selection.push(*at);
                    *at = kept.next_of[*at as usize];
                }
                kept
            }
            Reading::Places(kept, places) => {
                let end = places.end.min(places.start + wanted);
                self.selection.extend_from_slice(&kept.next_of[places.start..end]);
                places.start = end;
                kept
            }
        };
        for (to, from) in out.columns.iter_mut().zip(&kept.rows.batch.columns) {
            columns::append_gather(to, from, &self.selection);
        }
        out.rows = self.selection.len();
        Ok(())
    }

    fn close(&mut self) {
        self.reading = Reading::Nothing;
        self.input.close();
        if let Some(sorted) = self.range.as_mut().and_then(|range| range.sorted.as_mut()) {
            sorted.close();
        }
    }
}

impl IndexSpool {
    /// The rows of this opening as they are read, or sorted.
    fn open_unkept(&mut self, context: &Context) -> SqlResult<()> {
        match self.range.as_mut().and_then(|range| range.sorted.as_mut()) {
            Some(sorted) => {
                self.reading = Reading::Sorted;
                sorted.open(context)
            }
            None => {
                self.reading = Reading::Input;
                self.input.open(context)
            }
        }
    }

    fn next_of_input(&mut self, context: &Context, out: &mut RowBatch) -> SqlResult<()> {
        while out.rows == 0 {
            context.yield_point()?;
            self.input.next(context, BATCH_ROWS, out)?;
            if out.rows == 0 {
                return Ok(());
            }
            filter_batch(&self.predicate, context, out, &mut self.selection)?;
        }
        Ok(())
    }

    /// Reads all rows and has the query keep them. None: there is no room.
    fn keep(&mut self, context: &Context) -> SqlResult<Option<Arc<Kept>>> {
        self.state = State::TooLarge;
        let rows = Rows::new(RowBatch::new(self.scratch.columns.iter().map(columns::class_of)));
        let groups = HashMap::default();
        let mut kept = Kept { rows, groups, next_of: Vec::new(), ordered: Ordered::default() };
        let mut key_bytes = 0;
        self.input.open(context)?;
        loop {
            self.input.next(context, BATCH_ROWS, &mut self.scratch)?;
            if self.scratch.rows == 0 {
                if self.range.is_some() {
                    kept.order(context)?;
                }
                let kept = Arc::new(kept);
                self.state = State::Kept(Arc::downgrade(&kept));
                context.kept.borrow_mut().push(kept.clone());
                return Ok(Some(kept));
            }
            key_bytes += self.add(context, &mut kept)?;
            // While rows are ordered, their places are there besides.
            let numbers = if self.range.is_some() { 2 } else { 1 };
            let ordered = kept.ordered.bytes.len() + kept.ordered.ends.len() * size_of::<usize>();
            let more = key_bytes + ordered + kept.next_of.len() * size_of::<u32>() * numbers;
            if !kept.rows.append_within(context, &self.scratch, more)? {
                return Ok(None);
            }
            context.yield_point()?;
        }
    }

    /// Puts the numbers of the rows that were read into their groups. Gives the bytes of keys that are new.
    fn add(&mut self, context: &Context, kept: &mut Kept) -> SqlResult<usize> {
        let (mut key, mut key_bytes) = (Vec::new(), 0);
        self.keys.load(context, &self.scratch)?;
        if let Some(range) = &mut self.range {
            range.first.load(context, &self.scratch)?;
            range.rest.load(context, &self.scratch)?;
        }
        let base = kept.rows.batch.rows as u32;
        for row in 0..self.scratch.rows {
            let number = base + row as u32;
            kept.next_of.push(NO_ROW);
            let mut is_null = self.keys.has_null(row);
            if let Some(range) = &self.range {
                range.first.encode(row, &mut kept.ordered.bytes);
                range.rest.encode(row, &mut kept.ordered.bytes);
                kept.ordered.ends.push(kept.ordered.bytes.len());
                is_null |= range.is_bounded() && range.first.has_null(row);
            }
            // NULL is equal to nothing.
            if is_null {
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
        Ok(key_bytes)
    }

    fn find(&mut self, context: &Context, kept: Arc<Kept>) -> SqlResult<()> {
        self.asked.load(context, &self.one_row)?;
        if self.asked.has_null(0) {
            return Ok(());
        }
        let mut key = Vec::new();
        self.asked.encode_to(0, &mut key);
        let Some(group) = kept.groups.get(key.as_slice()) else { return Ok(()) };
        let Some(range) = &mut self.range else {
            let first = group.first;
            self.reading = Reading::Chain(kept, first);
            return Ok(());
        };
        let mut places = group.first as usize..group.last as usize;
        for (bound, is_lower) in [(&mut range.lower, true), (&mut range.upper, false)] {
            let Some((value, kind)) = bound else { continue };
            value.load(context, &self.one_row)?;
            if value.has_null(0) {
                return Ok(());
            }
            value.encode_to(0, &mut key);
            // Those with the bound's own value are on the side of what is left out, or of what is given.
            let with_equal = (*kind == Bound::Exclusive) == is_lower;
            let is_before = |row: &u32| {
                let own = kept.ordered.key(*row);
                own < key.as_slice() || with_equal && own.starts_with(&key)
            };
            let at = places.start + kept.next_of[places.clone()].partition_point(is_before);
            match is_lower {
                true => places.start = at,
                false => places.end = at,
            }
        }
        self.reading = Reading::Places(kept, places);
        Ok(())
    }
}

impl Kept {
    /// Chains of rows become rows in their order.
    fn order(&mut self, context: &Context) -> SqlResult<()> {
        let mut places: Vec<u32> = Vec::with_capacity(self.next_of.len());
        let mut failed = Ok(());
        for group in self.groups.values_mut() {
            let start = places.len();
            let mut at = group.first;
            while at != NO_ROW {
                places.push(at);
                at = self.next_of[at as usize];
            }
            let ordered = &self.ordered;
            places[start..].sort_unstable_by(|a, b| {
                if failed.is_ok() {
                    failed = context.pacer().spend(COMPARISON);
                }
                // Rows that are alike come as they were read.
                ordered.key(*a).cmp(ordered.key(*b)).then(a.cmp(b))
            });
            std::mem::replace(&mut failed, Ok(()))?;
            *group = Group { first: start as u32, last: places.len() as u32 };
        }
        self.next_of = places;
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
