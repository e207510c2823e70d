//! Grouping: by hash, over sorted input, over the whole input, and for several grouping sets at once.

use std::collections::HashMap;

use sql::plan::{self, Expr, GroupStrategy, Operator};
use types::{ColumnData, Physical, RowBatch, SqlResult};

use super::aggregate_state::{Accumulator, group_rows};
use super::keys::{FastHash, RowKeys};
use super::{batch_of, drain, source};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, GRANT_BYTES_MAX, RowSource, out_of_memory};
use crate::expression::Compiler;

pub fn make(
    input: &Operator,
    group: &[Expr],
    aggregates: &[plan::Aggregate],
    strategy: GroupStrategy,
    compiler: &mut Compiler,
) -> SqlResult<Box<dyn RowSource>> {
    let accumulators =
        aggregates.iter().map(|aggregate| Accumulator::new(aggregate, compiler)).collect::<SqlResult<Vec<_>>>()?;
    if group.is_empty() {
        let counts_only = accumulators.iter().all(Accumulator::is_count_rows);
        let scratch = batch_of(input);
        let input = source(input, compiler)?;
        return Ok(Box::new(Whole { input, accumulators, counts_only, scratch, groups: Vec::new(), done: false }));
    }
    let keys = RowKeys::new(compiler.scalars(group)?, &[]);
    let groups = group_rows(&keys.scalars);
    let scratch = batch_of(input);
    let input = source(input, compiler)?;
    let core = Grouping::new(keys, groups, accumulators);
    Ok(match strategy {
        GroupStrategy::Hash => Box::new(Hash { input, core, scratch, at: None }),
        GroupStrategy::Stream => {
            let width = core.groups.columns.len();
            Box::new(Stream { input, core, scratch, current: None, ended: false, width, row: 0 })
        }
    })
}

fn note_null(context: &Context, accumulators: &[Accumulator]) {
    if accumulators.iter().any(|accumulator| accumulator.saw_null) {
        context.null_eliminated.set(true);
    }
}

/// Without groups: exactly one row.
struct Whole {
    input: Box<dyn RowSource>,
    accumulators: Vec<Accumulator>,
    counts_only: bool,
    scratch: RowBatch,
    groups: Vec<u32>,
    done: bool,
}

impl RowSource for Whole {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        self.done = false;
        Ok(())
    }

    fn next(&mut self, context: &Context, _wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        if std::mem::replace(&mut self.done, true) {
            return Ok(());
        }
        for accumulator in &mut self.accumulators {
            accumulator.clear();
            accumulator.grow(1);
        }
        self.input.open(context)?;
        // A count of rows needs no batches: without columns one call may count any number of them.
        let ask = if self.counts_only && self.scratch.columns.is_empty() { usize::MAX / 2 } else { BATCH_ROWS };
        loop {
            self.input.next(context, ask, &mut self.scratch)?;
            if self.scratch.rows == 0 {
                break;
            }
            if self.counts_only {
                let rows = self.scratch.rows;
                self.accumulators.iter_mut().for_each(|accumulator| accumulator.add_count(0, rows));
            } else {
                self.groups.resize(self.scratch.rows, 0);
                for accumulator in &mut self.accumulators {
                    accumulator.add(context, &self.scratch, &self.groups)?;
                }
            }
            context.yield_point()?;
        }
        self.input.close();
        for (accumulator, column) in self.accumulators.iter_mut().zip(&mut out.columns) {
            accumulator.finish(context, 0, column)?;
        }
        note_null(context, &self.accumulators);
        out.rows = 1;
        Ok(())
    }

    fn close(&mut self) {
        self.accumulators.iter_mut().for_each(Accumulator::clear);
        self.input.close();
    }
}

enum Index {
    I64(HashMap<i64, u32, FastHash>),
    Bytes(HashMap<Box<[u8]>, u32, FastHash>),
}

/// Groups found so far, their values, and the aggregates' running values.
struct Grouping {
    keys: RowKeys,
    index: Index,
    /// One key of class I64: NULL's group is apart.
    single: bool,
    null_group: Option<u32>,
    groups: RowBatch,
    accumulators: Vec<Accumulator>,
    row_groups: Vec<u32>,
    key: Vec<u8>,
    bytes: usize,
}

impl Grouping {
    fn new(keys: RowKeys, groups: RowBatch, accumulators: Vec<Accumulator>) -> Grouping {
        let single = matches!(keys.scalars.as_slice(), [key] if key.ty.physical() == Physical::I64);
        let index = if single { Index::I64(HashMap::default()) } else { Index::Bytes(HashMap::default()) };
        let (row_groups, key) = (Vec::new(), Vec::new());
        Grouping { keys, index, single, null_group: None, groups, accumulators, row_groups, key, bytes: 0 }
    }

    fn clear(&mut self) {
        self.index = if self.single { Index::I64(HashMap::default()) } else { Index::Bytes(HashMap::default()) };
        self.null_group = None;
        self.groups.clear();
        self.bytes = 0;
        self.accumulators.iter_mut().for_each(Accumulator::clear);
    }

    fn new_group(&mut self, row: usize) -> SqlResult<u32> {
        let number = self.groups.rows as u32;
        for (to, from) in self.groups.columns.iter_mut().zip(self.keys.values()) {
            columns::append_row(to, from, row);
        }
        self.groups.rows += 1;
        self.bytes += 64 + self.key.len() * 2 + 16 * self.accumulators.len();
        if self.bytes > GRANT_BYTES_MAX {
            return Err(out_of_memory());
        }
        Ok(number)
    }

    fn add(&mut self, context: &Context, batch: &RowBatch) -> SqlResult<()> {
        self.keys.load(context, batch)?;
        self.row_groups.clear();
        for row in 0..batch.rows {
            let group = self.group_of(row)?;
            self.row_groups.push(group);
        }
        for accumulator in &mut self.accumulators {
            accumulator.grow(self.groups.rows);
            accumulator.add(context, batch, &self.row_groups)?;
        }
        Ok(())
    }

    fn group_of(&mut self, row: usize) -> SqlResult<u32> {
        if self.single {
            if self.keys.has_null(row) {
                if let Some(group) = self.null_group {
                    return Ok(group);
                }
                let group = self.new_group(row)?;
                self.null_group = Some(group);
                return Ok(group);
            }
            let ColumnData::I64(values) = &self.keys.values()[0].data else { unreachable!("of that class") };
            let value = values[row];
            let Index::I64(index) = &mut self.index else { unreachable!("made with the keys") };
            if let Some(group) = index.get(&value) {
                return Ok(*group);
            }
            let group = self.new_group(row)?;
            let Index::I64(index) = &mut self.index else { unreachable!("made with the keys") };
            index.insert(value, group);
            return Ok(group);
        }
        self.keys.encode_to(row, &mut self.key);
        let Index::Bytes(index) = &self.index else { unreachable!("made with the keys") };
        if let Some(group) = index.get(self.key.as_slice()) {
            return Ok(*group);
        }
        let group = self.new_group(row)?;
        let Index::Bytes(index) = &mut self.index else { unreachable!("made with the keys") };
        index.insert(self.key.as_slice().into(), group);
        Ok(group)
    }

    /// Appends groups `start..end` to `out`.
    fn give(&mut self, context: &Context, start: usize, end: usize, out: &mut RowBatch) -> SqlResult<()> {
        let width = self.groups.columns.len();
        for (to, from) in out.columns.iter_mut().zip(&self.groups.columns) {
            columns::append_range(to, from, start, end);
        }
        for (accumulator, column) in self.accumulators.iter_mut().zip(&mut out.columns[width..]) {
            for group in start..end {
                accumulator.finish(context, group, column)?;
            }
        }
        out.rows += end - start;
        Ok(())
    }
}

struct Hash {
    input: Box<dyn RowSource>,
    core: Grouping,
    scratch: RowBatch,
    /// Next group to give. None: not grouped yet.
    at: Option<usize>,
}

impl RowSource for Hash {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        self.at = None;
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        let at = match self.at {
            Some(at) => at,
            None => {
                self.core.clear();
                self.input.open(context)?;
                let core = &mut self.core;
                drain(&mut *self.input, context, &mut self.scratch, |batch| core.add(context, batch))?;
                self.input.close();
                note_null(context, &self.core.accumulators);
                0
            }
        };
        let end = (at + wanted.min(BATCH_ROWS)).min(self.core.groups.rows);
        self.core.give(context, at, end, out)?;
        self.at = Some(end);
        Ok(())
    }

    fn close(&mut self) {
        self.core.clear();
        self.input.close();
    }
}

/// Input sorted by the groups: a group is complete when the next one begins.
struct Stream {
    input: Box<dyn RowSource>,
    core: Grouping,
    scratch: RowBatch,
    /// Key of the group being read.
    current: Option<Vec<u8>>,
    ended: bool,
    width: usize,
    row: usize,
}

impl RowSource for Stream {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.core.clear();
        self.current = None;
        self.ended = false;
        self.scratch.clear();
        self.row = 0;
        self.input.open(context)
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        assert_eq!(self.width, self.core.groups.columns.len(), "a row begins with the groups");
        while !self.ended && self.core.groups.rows - self.row <= wanted.min(BATCH_ROWS) {
            self.input.next(context, BATCH_ROWS, &mut self.scratch)?;
            if self.scratch.rows == 0 {
                self.ended = true;
                break;
            }
            self.core.keys.load(context, &self.scratch)?;
            self.core.row_groups.clear();
            for row in 0..self.scratch.rows {
                let core = &mut self.core;
                core.keys.encode_to(row, &mut core.key);
                if self.current.as_deref() != Some(core.key.as_slice()) {
                    self.current = Some(core.key.clone());
                    core.new_group(row)?;
                }
                core.row_groups.push(core.groups.rows as u32 - 1);
            }
            let core = &mut self.core;
            for accumulator in &mut core.accumulators {
                accumulator.grow(core.groups.rows);
                accumulator.add(context, &self.scratch, &core.row_groups)?;
            }
            context.yield_point()?;
        }
        // The last group is still open until the input ends.
        let complete = if self.ended { self.core.groups.rows } else { self.core.groups.rows - 1 };
        let end = (self.row + wanted.min(BATCH_ROWS)).min(complete);
        self.core.give(context, self.row, end, out)?;
        self.row = end;
        if self.ended && out.rows == 0 {
            note_null(context, &self.core.accumulators);
        }
        Ok(())
    }

    fn close(&mut self) {
        self.core.clear();
        self.input.close();
    }
}

/// Each row is added to a group of each set.
struct Sets {
    input: Box<dyn RowSource>,
    scratch: RowBatch,
    /// (indexes into the groups, GROUPING_ID).
    sets: Vec<(Vec<usize>, i64)>,
    cores: Vec<Grouping>,
    group_count: usize,
    done: bool,
    set: usize,
    at: usize,
}

pub fn grouping_sets(
    operator: &Operator,
    input: &Operator,
    group: &[Expr],
    sets: &[Vec<usize>],
    aggregates: &[plan::Aggregate],
    compiler: &mut Compiler,
) -> SqlResult<Box<dyn RowSource>> {
    assert_eq!(operator.columns.len(), group.len() + aggregates.len() + 1, "groups, aggregates, grouping id");
    let mut cores = Vec::new();
    let mut plans = Vec::new();
    for set in sets {
        let chosen: Vec<Expr> = set.iter().map(|at| group[*at].clone()).collect();
        let keys = RowKeys::new(compiler.scalars(&chosen)?, &[]);
        let groups = group_rows(&keys.scalars);
        let accumulators =
            aggregates.iter().map(|aggregate| Accumulator::new(aggregate, compiler)).collect::<SqlResult<Vec<_>>>()?;
        cores.push(Grouping::new(keys, groups, accumulators));
        // GROUPING_ID: the first group is the highest bit; 1 means aggregated away.
        let mut id = 0;
        for at in 0..group.len() {
            id = id << 1 | !set.contains(&at) as i64;
        }
        plans.push((set.clone(), id));
    }
    Ok(Box::new(Sets {
        scratch: batch_of(input),
        input: source(input, compiler)?,
        sets: plans,
        cores,
        group_count: group.len(),
        done: false,
        set: 0,
        at: 0,
    }))
}

impl RowSource for Sets {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        self.done = false;
        (self.set, self.at) = (0, 0);
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        if !self.done {
            self.cores.iter_mut().for_each(Grouping::clear);
            self.input.open(context)?;
            let cores = &mut self.cores;
            drain(&mut *self.input, context, &mut self.scratch, |batch| {
                cores.iter_mut().try_for_each(|core| core.add(context, batch))
            })?;
            self.input.close();
            for core in &mut self.cores {
                // The empty set has its row even over no rows at all.
                if core.keys.is_empty() && core.groups.rows == 0 {
                    core.groups.rows = 1;
                    core.accumulators.iter_mut().for_each(|accumulator| accumulator.grow(1));
                }
                note_null(context, &core.accumulators);
            }
            self.done = true;
        }
        while self.set < self.cores.len() {
            let core = &mut self.cores[self.set];
            let end = (self.at + wanted.min(BATCH_ROWS)).min(core.groups.rows);
            if self.at == end {
                (self.set, self.at) = (self.set + 1, 0);
                continue;
            }
            let (set, id) = &self.sets[self.set];
            let count = end - self.at;
            for column in 0..self.group_count {
                match set.iter().position(|at| *at == column) {
                    Some(at) => columns::append_range(&mut out.columns[column], &core.groups.columns[at], self.at, end),
                    None => columns::append_nulls(&mut out.columns[column], count),
                }
            }
            for (accumulator, column) in core.accumulators.iter_mut().zip(&mut out.columns[self.group_count..]) {
                for group in self.at..end {
                    accumulator.finish(context, group, column)?;
                }
            }
            let ids = out.columns.last_mut().expect("the grouping id");
            for _ in 0..count {
                ids.push(&types::Datum::I64(*id));
            }
            out.rows = count;
            self.at = end;
            return Ok(());
        }
        Ok(())
    }

    fn close(&mut self) {
        self.cores.iter_mut().for_each(Grouping::clear);
        self.input.close();
    }
}
