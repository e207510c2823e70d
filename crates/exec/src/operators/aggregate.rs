//! Grouping: by hash, over sorted input, over the whole input, and for several grouping sets at once.
//!
//! By hash, when there is no memory for more groups, rows of those that there are go on being added to them; the others go to work files by
//! a hash of their key, and each file is grouped when what is in memory has been given.

use std::collections::HashMap;

use sql::plan::{self, Expr, GroupStrategy, Operator};
use types::{ColumnData, Physical, RowBatch, SqlResult};

use super::aggregate_state::{Accumulator, group_rows};
use super::keys::{FastHash, RowKeys, hash_of};
use super::row_file::{RowFile, RowReader};
use super::scatter::{LEVELS_MAX, Scatter};
use super::{batch_of, drain, source};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};
use crate::expression::Compiler;
use crate::workspace::Held;

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
        return Ok(Box::new(Whole {
            input,
            accumulators,
            counts_only,
            scratch,
            groups: Vec::new(),
            done: false,
            held: Held::default(),
        }));
    }
    let keys = RowKeys::new(compiler.scalars(group)?, &[]);
    let groups = group_rows(&keys.scalars);
    let (scratch, part) = (batch_of(input), batch_of(input));
    let input = source(input, compiler)?;
    let core = Grouping::new(keys, groups, accumulators);
    Ok(match strategy {
        GroupStrategy::Hash => Box::new(Hash { input, core, scratch, at: None }),
        GroupStrategy::Stream => Box::new(Stream { input, core, scratch, at: 0, part, ended: false, group: 0 }),
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
    held: Held,
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
            let bytes: usize = self.accumulators.iter().map(Accumulator::held_bytes).sum();
            context.force(&mut self.held, bytes)?;
            context.yield_point()?;
        }
        self.input.close();
        for (accumulator, column) in self.accumulators.iter_mut().zip(&mut out.columns) {
            accumulator.settle(context)?;
            accumulator.finish(context, 0, column)?;
        }
        note_null(context, &self.accumulators);
        out.rows = 1;
        Ok(())
    }

    fn close(&mut self) {
        self.accumulators.iter_mut().for_each(Accumulator::clear);
        self.held.clear();
        self.input.close();
    }
}

/// A map's entry with the room that is left between them, and a key's allocation.
const GROUP_BYTES: usize = 56;
/// A running value.
const VALUE_BYTES: usize = 24;

enum Index {
    I64(HashMap<i64, u32, FastHash>),
    Bytes(HashMap<Box<[u8]>, u32, FastHash>),
    /// The last group of each hash, and for each group the one before it.
    Hashes(HashMap<u64, u32, FastHash>, Vec<u32>),
}

const NO_GROUP: u32 = u32::MAX;

/// Groups found so far, their values, and the aggregates' running values.
struct Grouping {
    keys: RowKeys,
    index: Index,
    /// One key of class I64: NULL's group is apart.
    null_group: Option<u32>,
    groups: RowBatch,
    accumulators: Vec<Accumulator>,
    row_groups: Vec<u32>,
    key: Vec<u8>,
    key_bytes: usize,
    held: Held,
    /// No more groups: their rows go here.
    late: Option<Scatter>,
    /// Files of such rows, each with how often they were divided.
    parts: Vec<(RowFile, u32)>,
    /// Of the rows being grouped.
    level: u32,
    known: Vec<u32>,
    known_rows: RowBatch,
}

impl Grouping {
    fn new(keys: RowKeys, groups: RowBatch, accumulators: Vec<Accumulator>) -> Grouping {
        let single = matches!(keys.scalars.as_slice(), [key] if key.ty.physical() == Physical::I64);
        let index = match () {
            () if single => Index::I64(HashMap::default()),
            () if keys.are_rather_hashed() => Index::Hashes(HashMap::default(), Vec::new()),
            () => Index::Bytes(HashMap::default()),
        };
        Grouping {
            keys,
            index,
            null_group: None,
            groups,
            accumulators,
            row_groups: Vec::new(),
            key: Vec::new(),
            key_bytes: 0,
            held: Held::default(),
            late: None,
            parts: Vec::new(),
            level: 0,
            known: Vec::new(),
            known_rows: RowBatch::default(),
        }
    }

    /// All of an execution.
    fn forget(&mut self) {
        self.clear();
        self.late = None;
        self.parts = Vec::new();
        self.level = 0;
    }

    fn clear(&mut self) {
        match &mut self.index {
            Index::I64(index) => *index = HashMap::default(),
            Index::Bytes(index) => {
                let count = index.len();
                os::heap::empty(index, count);
            }
            Index::Hashes(index, before) => (*index, *before) = (HashMap::default(), Vec::new()),
        }
        self.null_group = None;
        self.groups.clear();
        self.key_bytes = 0;
        self.held.clear();
        self.accumulators.iter_mut().for_each(Accumulator::clear);
    }

    fn new_group(&mut self, row: usize) -> u32 {
        let number = self.groups.rows as u32;
        for (to, from) in self.groups.columns.iter_mut().zip(self.keys.values()) {
            columns::append_row(to, from, row);
        }
        self.groups.rows += 1;
        number
    }

    fn add(&mut self, context: &Context, batch: &RowBatch) -> SqlResult<()> {
        self.keys.load(context, batch)?;
        self.row_groups.clear();
        if self.late.is_some() {
            return self.add_known(context, batch);
        }
        for row in 0..batch.rows {
            let group = match self.find(row) {
                Some(group) => group,
                None => self.insert(row),
            };
            self.row_groups.push(group);
        }
        for accumulator in &mut self.accumulators {
            accumulator.grow(self.groups.rows);
            accumulator.add(context, batch, &self.row_groups)?;
        }
        let bytes = self.held_bytes();
        if !self.held.hold(context.workspace(), bytes) {
            if self.keys.is_empty() || self.level >= LEVELS_MAX {
                return self.held.force(context.workspace(), bytes);
            }
            self.late = Some(Scatter::new(context, batch, self.level)?);
        }
        Ok(())
    }

    fn held_bytes(&self) -> usize {
        let each = GROUP_BYTES + VALUE_BYTES * self.accumulators.len();
        let long: usize = self.accumulators.iter().map(Accumulator::held_bytes).sum();
        self.key_bytes + self.groups.rows * each + columns::batch_bytes(&self.groups) + long
    }

    /// Rows of the groups that there are; the others have to wait.
    fn add_known(&mut self, context: &Context, batch: &RowBatch) -> SqlResult<()> {
        let mut late = self.late.take().expect("asked by the caller");
        late.begin();
        self.known.clear();
        for row in 0..batch.rows {
            match self.find(row) {
                Some(group) => {
                    self.known.push(row as u32);
                    self.row_groups.push(group);
                }
                None => {
                    if matches!(self.index, Index::I64(_)) {
                        self.keys.encode_to(row, &mut self.key);
                    }
                    late.pick(late.file_of(&self.key), row);
                }
            }
        }
        late.write(context, batch)?;
        self.late = Some(late);
        if self.known.is_empty() {
            return Ok(());
        }
        let mut known = std::mem::take(&mut self.known_rows);
        if known.columns.len() != batch.columns.len() {
            known = RowBatch::new(batch.columns.iter().map(columns::class_of));
        }
        known.clear();
        columns::append_batch_rows(&mut known, batch, &self.known);
        for accumulator in &mut self.accumulators {
            accumulator.add(context, &known, &self.row_groups)?;
        }
        self.known_rows = known;
        let bytes = self.held_bytes();
        self.held.force(context.workspace(), bytes)
    }

    /// The rows have ended: the groups that there are are complete.
    fn settle(&mut self, context: &Context) -> SqlResult<()> {
        self.accumulators.iter_mut().try_for_each(|accumulator| accumulator.settle(context))?;
        note_null(context, &self.accumulators);
        Ok(())
    }

    /// Groups what had to wait, a part of it. False: nothing has.
    fn next_part(&mut self, context: &Context, batch: &mut RowBatch) -> SqlResult<bool> {
        if let Some(late) = self.late.take() {
            let level = late.level() + 1;
            let files = late.finish(context)?.into_iter().filter(|file| file.rows() > 0);
            self.parts.extend(files.map(|file| (file, level)));
        }
        let Some((file, level)) = self.parts.pop() else { return Ok(false) };
        self.clear();
        self.level = level;
        let mut reader = RowReader::default();
        while reader.next(context, &file, batch)? {
            self.add(context, batch)?;
        }
        self.settle(context)?;
        Ok(true)
    }

    /// The group of a loaded row. Its key is left in `key`, except of one number.
    #[inline]
    fn find(&mut self, row: usize) -> Option<u32> {
        match &self.index {
            Index::I64(index) => {
                if self.keys.has_null(row) {
                    return self.null_group;
                }
                let ColumnData::I64(values) = &self.keys.values()[0].data else { unreachable!("of that class") };
                index.get(&values[row]).copied()
            }
            Index::Bytes(index) => {
                self.keys.encode_to(row, &mut self.key);
                index.get(self.key.as_slice()).copied()
            }
            Index::Hashes(index, before) => {
                self.keys.encode_to(row, &mut self.key);
                let mut group = *index.get(&hash_of(&self.key))?;
                while !self.keys.is_key_of(row, &self.groups, group as usize) {
                    group = before[group as usize];
                    if group == NO_GROUP {
                        return None;
                    }
                }
                Some(group)
            }
        }
    }

    /// A group for a row for which there is none, just looked for.
    #[inline]
    fn insert(&mut self, row: usize) -> u32 {
        let group = self.new_group(row);
        match &mut self.index {
            Index::I64(_) if self.keys.has_null(row) => self.null_group = Some(group),
            Index::I64(index) => {
                let ColumnData::I64(values) = &self.keys.values()[0].data else { unreachable!("of that class") };
                index.insert(values[row], group);
            }
            Index::Bytes(index) => {
                self.key_bytes += self.key.len();
                index.insert(self.key.as_slice().into(), group);
            }
            Index::Hashes(index, before) => {
                before.push(index.insert(hash_of(&self.key), group).unwrap_or(NO_GROUP));
            }
        }
        group
    }

    /// Appends groups `start..end` to `out`.
    fn give(&mut self, context: &Context, start: usize, end: usize, out: &mut RowBatch) -> SqlResult<()> {
        let width = self.groups.columns.len();
        for (to, from) in out.columns.iter_mut().zip(&self.groups.columns) {
            columns::append_range_paced(context, to, from, start, end)?;
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
        let mut at = match self.at {
            Some(at) => at,
            None => {
                self.core.forget();
                self.input.open(context)?;
                let core = &mut self.core;
                drain(&mut *self.input, context, &mut self.scratch, |batch| core.add(context, batch))?;
                self.input.close();
                self.core.settle(context)?;
                0
            }
        };
        if at == self.core.groups.rows && self.core.next_part(context, &mut self.scratch)? {
            at = 0;
        }
        let end = (at + wanted.min(BATCH_ROWS)).min(self.core.groups.rows);
        self.core.give(context, at, end, out)?;
        self.at = Some(end);
        Ok(())
    }

    fn close(&mut self) {
        self.core.forget();
        self.input.close();
    }
}

/// Input sorted by the groups: a group is complete when the next one begins. Some groups at a time are in memory.
struct Stream {
    input: Box<dyn RowSource>,
    core: Grouping,
    scratch: RowBatch,
    /// The first row of `scratch` that is not added yet.
    at: usize,
    /// Its rows up to where a group begins that has to wait.
    part: RowBatch,
    ended: bool,
    /// The next group to give.
    group: usize,
}

impl RowSource for Stream {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.core.clear();
        self.ended = false;
        self.scratch.clear();
        (self.at, self.group) = (0, 0);
        self.input.open(context)
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        let wanted = wanted.min(BATCH_ROWS);
        if self.group == self.core.groups.rows && !self.ended {
            self.read(context, wanted)?;
        }
        let end = (self.group + wanted).min(self.core.groups.rows);
        self.core.give(context, self.group, end, out)?;
        self.group = end;
        Ok(())
    }

    fn close(&mut self) {
        self.core.clear();
        self.input.close();
    }
}

impl Stream {
    /// Reads `wanted` complete groups, or all that are left.
    fn read(&mut self, context: &Context, wanted: usize) -> SqlResult<()> {
        self.core.clear();
        self.group = 0;
        let core = &mut self.core;
        let mut current: Option<Vec<u8>> = None;
        let mut enough = false;
        while !enough {
            if self.at == self.scratch.rows {
                self.input.next(context, BATCH_ROWS, &mut self.scratch)?;
                self.at = 0;
                if self.scratch.rows == 0 {
                    self.ended = true;
                    break;
                }
                core.keys.load(context, &self.scratch)?;
            }
            core.row_groups.clear();
            let start = self.at;
            while self.at < self.scratch.rows {
                core.keys.encode_to(self.at, &mut core.key);
                if current.as_deref() != Some(core.key.as_slice()) {
                    if core.groups.rows == wanted {
                        enough = true;
                        break;
                    }
                    let current = current.get_or_insert_default();
                    current.clear();
                    current.extend_from_slice(&core.key);
                    core.new_group(self.at);
                }
                core.row_groups.push(core.groups.rows as u32 - 1);
                self.at += 1;
            }
            let batch = if start == 0 && self.at == self.scratch.rows {
                &self.scratch
            } else {
                self.part.clear();
                columns::append_batch_range(&mut self.part, &self.scratch, start, self.at);
                &self.part
            };
            for accumulator in &mut core.accumulators {
                accumulator.grow(core.groups.rows);
                accumulator.add(context, batch, &core.row_groups)?;
            }
            let bytes = core.held_bytes();
            core.held.force(context.workspace(), bytes)?;
            context.yield_point()?;
        }
        core.settle(context)
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
            self.cores.iter_mut().for_each(Grouping::forget);
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
                core.settle(context)?;
            }
            self.done = true;
        }
        while self.set < self.cores.len() {
            let core = &mut self.cores[self.set];
            let end = (self.at + wanted.min(BATCH_ROWS)).min(core.groups.rows);
            if self.at == end {
                self.at = 0;
                if !core.next_part(context, &mut self.scratch)? {
                    core.forget();
                    self.set += 1;
                }
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
        self.cores.iter_mut().for_each(Grouping::forget);
        self.input.close();
    }
}
