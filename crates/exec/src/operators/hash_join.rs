//! Hash join: one side becomes a hash table, the other's rows look their partners up.
//!
//! If there is no memory for the table, both sides are divided among work files by a hash of the key, and each pair of files is joined as
//! the sides would have been: divided again by another hash, if need be. The table is made of the smaller file of the two, whichever side
//! that is of: a side that was thought to be the smaller one may not be (role reversal). What does not become smaller by that (few keys
//! with many rows) is joined a piece at a time: a table of as many rows as fit, and all rows of the other file for each.

use std::collections::HashMap;
use std::ops::Range;

use sql::plan::{self, JoinKind};
use types::{RowBatch, SqlResult};

use super::keys::{FastHash, RowKeys, hash_of};
use super::row_file::{RowFile, RowReader};
use super::scatter::{LEVELS_MAX, Scatter};
use super::simple::{Pending, Rows};
use super::{batch_of, source};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};
use crate::expression::{Compiler, I64Expr, filter};
use crate::workspace::Held;

const NO_ROW: u32 = u32::MAX;

pub fn make(join: &plan::HashJoin, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    let (mut left_keys, mut right_keys) = (Vec::new(), Vec::new());
    for (left, right) in &join.keys {
        left_keys.push(compiler.scalar(left)?);
        right_keys.push(compiler.scalar(right)?);
    }
    let (left, right) = (source(&join.left, compiler)?, source(&join.right, compiler)?);
    let (left_batch, right_batch) = (batch_of(&join.left), batch_of(&join.right));
    let joined = RowBatch::new(join.left.columns.iter().chain(&join.right.columns).map(|column| column.ty.physical()));
    let (build, build_keys, build_batch, probe, probe_keys, probe_batch) = if join.build_left {
        (left, left_keys, left_batch, right, right_keys, right_batch)
    } else {
        (right, right_keys, right_batch, left, left_keys, left_batch)
    };
    let (keep_left, keep_right) = match join.kind {
        JoinKind::LeftOuter => (true, false),
        JoinKind::FullOuter => (true, true),
        _ => (false, false),
    };
    let out = match join.kind {
        JoinKind::Semi | JoinKind::Anti => batch_of(&join.left),
        _ => joined.clone(),
    };
    Ok(Box::new(HashJoin {
        build,
        probe,
        opens_left: join.build_left,
        build_left: join.build_left,
        kind: join.kind,
        keep_build: if join.build_left { keep_left } else { keep_right },
        keep_probe: if join.build_left { keep_right } else { keep_left },
        build_keys: RowKeys::new(build_keys, &[]).meeting(&join.nulls_meet),
        probe_keys: RowKeys::new(probe_keys, &[]).meeting(&join.nulls_meet),
        residual: compiler.optional_predicate(&join.residual)?,
        rows: Rows::new(build_batch.clone()),
        scratch: build_batch,
        heads: Heads::Bytes(HashMap::default()),
        chain: Vec::new(),
        build_matched: Vec::new(),
        probe_batch,
        probe_row: 0,
        chain_at: NO_ROW,
        chain_last: NO_ROW,
        probe_matched: Vec::new(),
        joined,
        pending: Pending::new(out),
        pairs: (Vec::new(), Vec::new()),
        selection: Vec::new(),
        phase: Phase::Build,
        head_bytes: 0,
        part: None,
        parts: Vec::new(),
        left_width: join.left.columns.len(),
    }))
}

/// Last build row of each key; `chain` leads from it to the first, and on to it again: rows of a key come in the order in which they were
/// built, as from nested loops.
enum Heads {
    I64(HashMap<i64, u32, FastHash>),
    Bytes(HashMap<Box<[u8]>, u32, FastHash>),
    /// Of each hash of keys.
    Hashes(HashMap<u64, u32, FastHash>),
}

impl Heads {
    fn clear(&mut self) {
        match self {
            Heads::I64(heads) => *heads = HashMap::default(),
            Heads::Bytes(heads) => {
                let count = heads.len();
                os::heap::empty(heads, count);
            }
            Heads::Hashes(heads) => *heads = HashMap::default(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Build,
    Probe,
    /// Build rows from here on that found no partner.
    Rest(usize),
    /// Probe rows of a part joined in pieces: now it is known who has a partner.
    ProbeRest,
    Done,
}

struct HashJoin {
    build: Box<dyn RowSource>,
    probe: Box<dyn RowSource>,
    /// Of the inputs; the roles of a pair of files may be the other way round.
    opens_left: bool,
    build_left: bool,
    kind: JoinKind,
    /// Rows without a partner are given too.
    keep_build: bool,
    keep_probe: bool,
    build_keys: RowKeys,
    probe_keys: RowKeys,
    residual: Option<I64Expr>,
    rows: Rows,
    scratch: RowBatch,
    heads: Heads,
    chain: Vec<u32>,
    build_matched: Vec<bool>,
    probe_batch: RowBatch,
    probe_row: usize,
    /// Next build row to try with `probe_row`, and the last one.
    chain_at: u32,
    chain_last: u32,
    probe_matched: Vec<bool>,
    joined: RowBatch,
    pending: Pending,
    pairs: (Vec<u32>, Vec<u32>),
    selection: Vec<u32>,
    phase: Phase,
    /// Of the heads and their keys.
    head_bytes: usize,
    /// The pair of files being joined. None: the inputs themselves.
    part: Option<Part>,
    /// Others that wait for their turn.
    parts: Vec<Part>,
    left_width: usize,
}

/// Two files whose rows have partners only in each other.
struct Part {
    build: RowFile,
    probe: RowFile,
    build_reader: RowReader,
    probe_reader: RowReader,
    /// Whether the rows of `build` are the left's.
    build_left: bool,
    /// How often its rows were divided; `LEVELS_MAX`: dividing them is of no use.
    level: u32,
    /// The table is a piece of the build file, and another will follow.
    more: bool,
    /// There was another.
    in_pieces: bool,
    /// Then: by their places in the file, probe rows that have a partner; and the place of the first of `probe_batch`.
    matched: Vec<u64>,
    probe_first: usize,
    held: Held,
}

/// What became of the build side.
#[derive(PartialEq, Eq)]
enum Built {
    Table,
    Divided,
}

/// A map's entry with the room that is left between them, and a short key's allocation.
const HEAD_BYTES: usize = 40;
/// For each row: its chain, and whether it has a partner.
const ROW_BYTES: usize = 5;

impl RowSource for HashJoin {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        self.phase = Phase::Build;
        self.pending.clear();
        self.part = None;
        self.parts.clear();
        self.build_from(self.opens_left);
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        loop {
            if !self.pending.is_empty() {
                self.pending.give(wanted, out);
                return Ok(());
            }
            match self.phase {
                Phase::Build => {
                    self.phase = match self.build_table(context)? {
                        Built::Table => Phase::Probe,
                        Built::Divided => self.next_part(),
                    };
                    if self.part.is_none() && self.phase == Phase::Probe {
                        self.probe.open(context)?;
                    }
                }
                Phase::Probe => self.probe_some(context)?,
                Phase::Rest(at) => self.rest(at),
                Phase::ProbeRest => self.probe_rest(context)?,
                Phase::Done => return Ok(()),
            }
        }
    }

    fn close(&mut self) {
        self.rows.clear();
        self.heads.clear();
        self.chain = Vec::new();
        self.part = None;
        self.parts = Vec::new();
        self.build.close();
        self.probe.close();
    }
}

impl HashJoin {
    fn semi(&self) -> bool {
        matches!(self.kind, JoinKind::Semi | JoinKind::Anti)
    }

    /// A probe row's fate depends on whether it has a partner.
    fn minds_probe(&self) -> bool {
        self.keep_probe || self.semi() && !self.build_left
    }

    fn minds_build(&self) -> bool {
        self.keep_build || self.semi() && self.build_left
    }

    /// The table is made of the left's rows, or of the right's.
    fn build_from(&mut self, left: bool) {
        if left != self.build_left {
            self.rows.clear();
            std::mem::swap(&mut self.build_keys, &mut self.probe_keys);
            std::mem::swap(&mut self.keep_build, &mut self.keep_probe);
            std::mem::swap(&mut self.scratch, &mut self.probe_batch);
            self.rows = Rows::new(RowBatch::new(self.scratch.columns.iter().map(columns::class_of)));
            self.build_left = left;
        }
    }

    fn clear_table(&mut self) {
        self.chain.clear();
        self.head_bytes = 0;
        let single = matches!(self.build_keys.scalars.as_slice(), [key] if key.ty.physical() == types::Physical::I64)
            && self.probe_keys.scalars.len() == 1
            && !self.build_keys.has_meeting();
        self.heads.clear();
        self.heads = match () {
            () if single => Heads::I64(HashMap::default()),
            () if self.build_keys.are_rather_hashed() && self.build_keys.are_columns() => {
                Heads::Hashes(HashMap::default())
            }
            () => Heads::Bytes(HashMap::default()),
        };
    }

    fn build_table(&mut self, context: &Context) -> SqlResult<Built> {
        self.probe_batch.clear();
        self.probe_row = 0;
        self.chain_at = NO_ROW;
        self.rows.clear();
        self.clear_table();
        match &mut self.part {
            None => self.build.open(context)?,
            Some(part) => part.probe_first = 0,
        }
        let mut key = Vec::new();
        let mut more = false;
        while self.next_build(context)? {
            self.build_keys.load(context, &self.scratch)?;
            self.index(&mut key);
            if !self.rows.append_within(context, &self.scratch, self.head_bytes + self.chain.len() * ROW_BYTES)? {
                if self.part.as_ref().is_none_or(|part| part.level < LEVELS_MAX) {
                    self.divide(context)?;
                    return Ok(Built::Divided);
                }
                more = true;
                break;
            }
            context.yield_point()?;
        }
        match &mut self.part {
            None => self.build.close(),
            Some(part) => (part.more, part.in_pieces) = (more, more || part.in_pieces),
        }
        self.build_matched.clear();
        self.build_matched.resize(self.rows.batch.rows, false);
        Ok(Built::Table)
    }

    /// False: there are no more build rows.
    fn next_build(&mut self, context: &Context) -> SqlResult<bool> {
        match &mut self.part {
            None => self.build.next(context, BATCH_ROWS, &mut self.scratch)?,
            Some(part) => return part.build_reader.next(context, &part.build, &mut self.scratch),
        }
        Ok(self.scratch.rows > 0)
    }

    fn next_probe(&mut self, context: &Context) -> SqlResult<bool> {
        match &mut self.part {
            None => self.probe.next(context, BATCH_ROWS, &mut self.probe_batch)?,
            Some(part) => {
                part.probe_first += self.probe_batch.rows;
                return part.probe_reader.next(context, &part.probe, &mut self.probe_batch);
            }
        }
        Ok(self.probe_batch.rows > 0)
    }

    /// Adds the loaded rows, that are about to be appended, to the table.
    fn index(&mut self, key: &mut Vec<u8>) {
        let HashJoin { rows, scratch, chain, heads, head_bytes, build_keys: keys, .. } = self;
        let base = rows.batch.rows;
        for row in 0..scratch.rows {
            let number = (base + row) as u32;
            if keys.has_null(row) {
                chain.push(NO_ROW);
                continue;
            }
            let head = match heads {
                Heads::I64(heads) => {
                    let types::ColumnData::I64(values) = &keys.values()[0].data else { unreachable!("of that class") };
                    heads.insert(values[row], number)
                }
                Heads::Bytes(heads) => {
                    keys.encode_to(row, key);
                    match heads.get_mut(key.as_slice()) {
                        Some(head) => Some(std::mem::replace(head, number)),
                        None => {
                            *head_bytes += key.len();
                            heads.insert(key.as_slice().into(), number)
                        }
                    }
                }
                Heads::Hashes(heads) => {
                    keys.encode_to(row, key);
                    heads.insert(hash_of(key), number)
                }
            };
            match head {
                Some(last) => {
                    chain.push(chain[last as usize]);
                    chain[last as usize] = number;
                }
                None => {
                    *head_bytes += HEAD_BYTES;
                    chain.push(number);
                }
            }
        }
    }

    /// Both sides go to files: what the table has, what is left of the build side, and the probe side.
    fn divide(&mut self, context: &Context) -> SqlResult<()> {
        let level = self.part.as_ref().map_or(0, |part| part.level);
        self.clear_table();
        let mut scatter = Scatter::new(context, &self.scratch, level)?;
        let mut start = 0;
        while start < self.rows.batch.rows {
            let end = (start + BATCH_ROWS).min(self.rows.batch.rows);
            self.scratch.clear();
            columns::append_batch_range(&mut self.scratch, &self.rows.batch, start, end);
            scatter_rows(context, &mut self.build_keys, &self.scratch, &mut scatter)?;
            start = end;
        }
        self.rows.clear();
        while self.next_build(context)? {
            scatter_rows(context, &mut self.build_keys, &self.scratch, &mut scatter)?;
        }
        let builds = scatter.finish(context)?;
        if self.part.is_none() {
            self.build.close();
            self.probe.open(context)?;
        }
        let mut scatter = Scatter::of_files(context, &self.probe_batch, level, builds.len())?;
        while self.next_probe(context)? {
            scatter_rows(context, &mut self.probe_keys, &self.probe_batch, &mut scatter)?;
        }
        let probes = scatter.finish(context)?;
        self.probe_batch.clear();
        if self.part.is_none() {
            self.probe.close();
        }
        let whole: u64 = builds.iter().map(RowFile::bytes).sum();
        let whole_probe: u64 = probes.iter().map(RowFile::bytes).sum();
        // With the table's own bytes.
        let fits = context.workspace().limit_now() as u64 / 2;
        for (build, probe) in builds.into_iter().zip(probes) {
            let paired = build.rows() > 0 && probe.rows() > 0;
            let alone = build.rows() > 0 && self.minds_build() || probe.rows() > 0 && self.minds_probe();
            if paired || alone {
                // Nearly all in one file: another hash will not part them.
                let stands = |file: &RowFile, whole: u64| file.bytes() > whole / 4 * 3;
                let turns = probe.bytes() < build.bytes() && (probe.bytes() <= fits || !stands(&probe, whole_probe));
                let (build_left, build, probe, whole) = match turns {
                    true => (!self.build_left, probe, build, whole_probe),
                    false => (self.build_left, build, probe, whole),
                };
                let in_pieces = stands(&build, whole) || passes_cost_less(context, &build, &probe);
                let level = if in_pieces { LEVELS_MAX } else { level + 1 };
                self.parts.push(Part::new(build, probe, build_left, level));
            }
        }
        Ok(())
    }

    /// The pair of files that is joined has been.
    fn next_part(&mut self) -> Phase {
        self.part = self.parts.pop();
        let Some(part) = &self.part else { return Phase::Done };
        self.build_from(part.build_left);
        Phase::Build
    }

    /// All probe rows have met the table.
    fn end_of_table(&mut self) -> Phase {
        let minds_probe = self.minds_probe();
        match &mut self.part {
            None => Phase::Done,
            Some(part) if part.more => {
                part.probe_reader.rewind();
                Phase::Build
            }
            Some(part) if part.in_pieces && minds_probe => {
                part.probe_reader.rewind();
                part.probe_first = 0;
                self.probe_batch.clear();
                Phase::ProbeRest
            }
            Some(_) => self.next_part(),
        }
    }

    fn probe_rest(&mut self, context: &Context) -> SqlResult<()> {
        if !self.next_probe(context)? {
            self.phase = self.next_part();
            return Ok(());
        }
        let part = self.part.as_ref().expect("a part is joined in pieces");
        self.probe_matched.clear();
        let rows = part.probe_first..part.probe_first + self.probe_batch.rows;
        self.probe_matched.extend(rows.map(|row| part.is_matched(row)));
        self.pending.clear();
        self.give_probe_rows();
        Ok(())
    }

    /// The rows of the key whose last row this is are next.
    fn follow(&mut self, last: u32) {
        self.chain_last = last;
        self.chain_at = if last == NO_ROW { NO_ROW } else { self.chain[last as usize] };
    }

    fn probe_some(&mut self, context: &Context) -> SqlResult<()> {
        context.yield_point()?;
        if self.probe_row == self.probe_batch.rows {
            if self.rows.batch.rows == 0 && !self.keep_probe && self.kind != JoinKind::Anti {
                self.phase = self.end_of_table();
                return Ok(());
            }
            let more = self.next_probe(context)?;
            self.probe_row = 0;
            if !more {
                self.phase = if self.minds_build() { Phase::Rest(0) } else { self.end_of_table() };
                return Ok(());
            }
            self.probe_keys.load(context, &self.probe_batch)?;
            self.probe_matched.clear();
            self.probe_matched.resize(self.probe_batch.rows, false);
            let is_tested = self.residual.is_some() || matches!(self.heads, Heads::Hashes(_));
            if self.semi() && !self.build_left && is_tested {
                return self.probe_first(context);
            }
            let last = last_of(&self.heads, &self.probe_keys, 0, &mut Vec::new());
            self.follow(last);
        }
        let mut key = Vec::new();
        let first = self.probe_row;
        let (probe_rows, build_rows) = &mut self.pairs;
        probe_rows.clear();
        build_rows.clear();
        while probe_rows.len() < BATCH_ROWS {
            if self.chain_at != NO_ROW {
                probe_rows.push(self.probe_row as u32);
                build_rows.push(self.chain_at);
                let is_last = self.chain_at == self.chain_last;
                self.chain_at = if is_last { NO_ROW } else { self.chain[self.chain_at as usize] };
                continue;
            }
            self.probe_row += 1;
            if self.probe_row == self.probe_batch.rows {
                break;
            }
            let last = last_of(&self.heads, &self.probe_keys, self.probe_row, &mut key);
            self.chain_last = last;
            self.chain_at = if last == NO_ROW { NO_ROW } else { self.chain[last as usize] };
        }
        self.join_pairs(context, first..self.probe_row)?;
        if self.probe_row == self.probe_batch.rows {
            self.finish_probe_batch(context)?;
        }
        Ok(())
    }

    /// Semi and anti joins with more to test than keys: one partner is enough, so a few of each row are tried, and more where none was one.
    fn probe_first(&mut self, context: &Context) -> SqlResult<()> {
        let mut key = Vec::new();
        let mut waiting: Vec<(u32, u32, u32)> = Vec::with_capacity(self.probe_batch.rows);
        for row in 0..self.probe_batch.rows {
            let last = last_of(&self.heads, &self.probe_keys, row, &mut key);
            if last != NO_ROW {
                waiting.push((row as u32, self.chain[last as usize], last));
            }
        }
        let mut tries = 1;
        while !waiting.is_empty() {
            let mut rest = Vec::new();
            for some in waiting.chunks(BATCH_ROWS.div_ceil(tries)) {
                context.yield_point()?;
                let (probe_rows, build_rows) = &mut self.pairs;
                probe_rows.clear();
                build_rows.clear();
                for &(row, mut at, last) in some {
                    for _ in 0..tries {
                        probe_rows.push(row);
                        build_rows.push(at);
                        if at == last {
                            at = NO_ROW;
                            break;
                        }
                        at = self.chain[at as usize];
                    }
                    if at != NO_ROW {
                        rest.push((row, at, last));
                    }
                }
                self.join_pairs(context, 0..0)?;
            }
            rest.retain(|&(row, ..)| !self.probe_matched[row as usize]);
            waiting = rest;
            tries = (tries * 2).min(BATCH_ROWS);
        }
        self.probe_row = self.probe_batch.rows;
        self.finish_probe_batch(context)
    }

    /// Tests the pairs, notes who has a partner, and gives the joined rows. `tried`: probe rows that have no more pairs.
    fn join_pairs(&mut self, context: &Context, tried: Range<usize>) -> SqlResult<()> {
        let (probe_rows, build_rows) = &self.pairs;
        self.joined.clear();
        let needs_rows = !self.semi() || self.residual.is_some();
        if needs_rows && !probe_rows.is_empty() {
            for (at, to) in self.joined.columns.iter_mut().enumerate() {
                let left = at < self.left_width;
                let column = if left { at } else { at - self.left_width };
                if left == self.build_left {
                    columns::append_gather(to, &self.rows.batch.columns[column], build_rows);
                } else {
                    columns::append_gather(to, &self.probe_batch.columns[column], probe_rows);
                }
            }
            self.joined.rows = probe_rows.len();
        }
        match &self.residual {
            Some(residual) if !probe_rows.is_empty() => {
                filter(residual, context, &self.joined, &mut self.selection)?;
            }
            _ => {
                self.selection.clear();
                self.selection.extend(0..probe_rows.len() as u32);
            }
        }
        if matches!(self.heads, Heads::Hashes(_)) {
            let row = |rows: &[u32], pair: u32| rows[pair as usize] as usize;
            let (build, keys, others) = (&self.rows.batch, &self.build_keys, &self.probe_keys);
            self.selection.retain(|pair| keys.meets(build, row(build_rows, *pair), others, row(probe_rows, *pair)));
        }
        for pair in &self.selection {
            self.probe_matched[probe_rows[*pair as usize] as usize] = true;
            self.build_matched[build_rows[*pair as usize] as usize] = true;
        }
        if !self.semi() {
            self.join_alone(tried);
            columns::append_batch_rows(self.pending.clear(), &self.joined, &self.selection);
        }
        Ok(())
    }

    /// Probe rows that have no partner are given in their places: the probe side's order stays.
    fn join_alone(&mut self, tried: Range<usize>) {
        if !self.keep_probe || self.part.as_ref().is_some_and(|part| part.in_pieces) {
            return;
        }
        let alone: Vec<u32> = tried.filter(|row| !self.probe_matched[*row]).map(|row| row as u32).collect();
        if alone.is_empty() {
            return;
        }
        let probe_rows = &self.pairs.0;
        let mut order = Vec::with_capacity(self.selection.len() + alone.len());
        let mut pairs = self.selection.iter().copied().peekable();
        for (row, at) in alone.iter().zip(self.joined.rows as u32..) {
            order.extend(std::iter::from_fn(|| pairs.next_if(|pair| probe_rows[*pair as usize] < *row)));
            order.push(at);
        }
        order.extend(pairs);
        self.selection = order;
        for (at, to) in self.joined.columns.iter_mut().enumerate() {
            let left = at < self.left_width;
            let column = if left { at } else { at - self.left_width };
            if left == self.build_left {
                columns::append_nulls(to, alone.len());
            } else {
                columns::append_gather(to, &self.probe_batch.columns[column], &alone);
            }
        }
        self.joined.rows += alone.len();
    }

    /// Probe rows whose fate is known only after all their pairs; of a part joined in pieces, after the last piece.
    fn finish_probe_batch(&mut self, context: &Context) -> SqlResult<()> {
        let minds_probe = self.minds_probe();
        match &mut self.part {
            Some(part) if part.in_pieces && minds_probe => part.note(context, &self.probe_matched),
            _ => {
                if self.semi() {
                    self.give_probe_rows();
                }
                Ok(())
            }
        }
    }

    /// Without partner, or semi and anti joins.
    fn give_probe_rows(&mut self) {
        let wanted = match self.kind {
            JoinKind::Semi if !self.build_left => true,
            JoinKind::Anti if !self.build_left => false,
            _ if self.keep_probe => false,
            _ => return,
        };
        let rows: Vec<u32> =
            (0..self.probe_batch.rows as u32).filter(|row| self.probe_matched[*row as usize] == wanted).collect();
        let semi = self.semi();
        let out = &mut self.pending.batch;
        for (at, to) in out.columns.iter_mut().enumerate() {
            let left = at < self.left_width;
            let column = if left { at } else { at - self.left_width };
            if semi || left != self.build_left {
                columns::append_gather(to, &self.probe_batch.columns[column], &rows);
            } else {
                columns::append_nulls(to, rows.len());
            }
        }
        out.rows += rows.len();
    }

    /// Build rows without a partner (outer joins), or the answer of a semi or anti join that was built on its left.
    fn rest(&mut self, from: usize) {
        let wanted = self.kind == JoinKind::Semi;
        let end = (from + BATCH_ROWS).min(self.rows.batch.rows);
        let rows: Vec<u32> =
            (from as u32..end as u32).filter(|row| self.build_matched[*row as usize] == wanted).collect();
        let semi = self.semi();
        let out = self.pending.clear();
        for (at, to) in out.columns.iter_mut().enumerate() {
            let left = at < self.left_width;
            let column = if left { at } else { at - self.left_width };
            if semi || left == self.build_left {
                columns::append_gather(to, &self.rows.batch.columns[column], &rows);
            } else {
                columns::append_nulls(to, rows.len());
            }
        }
        out.rows = rows.len();
        self.phase = if end == self.rows.batch.rows { self.end_of_table() } else { Phase::Rest(end) };
    }
}

/// The last build row with the key of that probe row, or with its hash.
#[inline]
fn last_of(heads: &Heads, keys: &RowKeys, row: usize, key: &mut Vec<u8>) -> u32 {
    if keys.has_null(row) {
        return NO_ROW;
    }
    let found = match heads {
        Heads::I64(heads) => {
            let types::ColumnData::I64(values) = &keys.values()[0].data else { unreachable!("keys are of one class") };
            heads.get(&values[row])
        }
        Heads::Bytes(heads) => {
            keys.encode_to(row, key);
            heads.get(key.as_slice())
        }
        Heads::Hashes(heads) => {
            keys.encode_to(row, key);
            heads.get(&hash_of(key))
        }
    };
    found.copied().unwrap_or(NO_ROW)
}

/// Rows with a NULL in their key meet no other.
fn scatter_rows(context: &Context, keys: &mut RowKeys, batch: &RowBatch, scatter: &mut Scatter) -> SqlResult<()> {
    keys.load(context, batch)?;
    let mut key = Vec::new();
    scatter.begin();
    for row in 0..batch.rows {
        let file = if keys.has_null(row) {
            scatter.file_of_loner(row)
        } else {
            // What long keys begin with divides them as a rule, and takes a part of the work; where it does not, the next level does.
            match scatter.level() {
                0 => keys.encode_heads(row, &mut key),
                _ => keys.encode_to(row, &mut key),
            }
            scatter.file_of(&key)
        };
        scatter.pick(file, row);
    }
    scatter.write(context, batch)?;
    context.yield_point()
}

/// Whether to read the probe side once more for each piece of the build side costs less than to write and to read both once more.
fn passes_cost_less(context: &Context, build: &RowFile, probe: &RowFile) -> bool {
    let memory = context.workspace().limit_now() as u64;
    // With the table's own bytes, keys of numbers or hashes.
    let table = build.bytes() + build.rows() * (HEAD_BYTES + ROW_BYTES) as u64;
    let passes = table.div_ceil(memory.max(1));
    passes.saturating_sub(1) * probe.bytes() <= build.bytes() + probe.bytes()
}

impl Part {
    fn new(build: RowFile, probe: RowFile, build_left: bool, level: u32) -> Part {
        Part {
            build,
            probe,
            build_left,
            build_reader: RowReader::default(),
            probe_reader: RowReader::default(),
            level,
            more: false,
            in_pieces: false,
            matched: Vec::new(),
            probe_first: 0,
            held: Held::default(),
        }
    }

    fn is_matched(&self, row: usize) -> bool {
        self.matched.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Of the probe rows from `probe_first` on.
    fn note(&mut self, context: &Context, matched: &[bool]) -> SqlResult<()> {
        let words = (self.probe_first + matched.len()).div_ceil(64);
        if words > self.matched.len() {
            self.held.force(context.workspace(), words * 8)?;
            self.matched.resize(words, 0);
        }
        for row in (0..matched.len()).filter(|row| matched[*row]) {
            let row = self.probe_first + row;
            self.matched[row / 64] |= 1 << (row % 64);
        }
        Ok(())
    }
}
