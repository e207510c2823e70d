//! Hash join: one side becomes a hash table, the other's rows look their partners up.

use std::collections::HashMap;

use sql::plan::{self, JoinKind};
use types::{RowBatch, SqlResult};

use super::keys::{FastHash, RowKeys};
use super::simple::{Pending, Rows};
use super::{batch_of, drain, source};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};
use crate::expression::{Compiler, I64Expr, filter};

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
        build_left: join.build_left,
        kind: join.kind,
        keep_build: if join.build_left { keep_left } else { keep_right },
        keep_probe: if join.build_left { keep_right } else { keep_left },
        build_keys: RowKeys::new(build_keys, &[]),
        probe_keys: RowKeys::new(probe_keys, &[]),
        residual: compiler.optional_predicate(&join.residual)?,
        rows: Rows::new(build_batch.clone()),
        scratch: build_batch,
        heads: Heads::Bytes(HashMap::default()),
        chain: Vec::new(),
        build_matched: Vec::new(),
        probe_batch,
        probe_row: 0,
        chain_at: NO_ROW,
        probe_matched: Vec::new(),
        joined,
        pending: Pending::new(out),
        pairs: (Vec::new(), Vec::new()),
        selection: Vec::new(),
        phase: Phase::Build,
        left_width: join.left.columns.len(),
    }))
}

/// First build row of each key; `chain` leads to the others.
enum Heads {
    I64(HashMap<i64, u32, FastHash>),
    Bytes(HashMap<Box<[u8]>, u32, FastHash>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Build,
    Probe,
    /// Build rows from here on that found no partner.
    Rest(usize),
    Done,
}

struct HashJoin {
    build: Box<dyn RowSource>,
    probe: Box<dyn RowSource>,
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
    /// Next build row to try with `probe_row`.
    chain_at: u32,
    probe_matched: Vec<bool>,
    joined: RowBatch,
    pending: Pending,
    pairs: (Vec<u32>, Vec<u32>),
    selection: Vec<u32>,
    phase: Phase,
    left_width: usize,
}

impl RowSource for HashJoin {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        self.phase = Phase::Build;
        self.pending.clear();
        self.probe_batch.clear();
        self.probe_row = 0;
        self.chain_at = NO_ROW;
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
                    self.build_table(context)?;
                    self.probe.open(context)?;
                    self.phase = Phase::Probe;
                }
                Phase::Probe => self.probe_some(context)?,
                Phase::Rest(at) => self.rest(at),
                Phase::Done => return Ok(()),
            }
        }
    }

    fn close(&mut self) {
        self.rows.clear();
        self.heads = Heads::Bytes(HashMap::default());
        self.chain = Vec::new();
        self.build.close();
        self.probe.close();
    }
}

impl HashJoin {
    fn semi(&self) -> bool {
        matches!(self.kind, JoinKind::Semi | JoinKind::Anti)
    }

    fn build_table(&mut self, context: &Context) -> SqlResult<()> {
        self.rows.clear();
        self.chain.clear();
        let single = matches!(self.build_keys.scalars.as_slice(), [key] if key.ty.physical() == types::Physical::I64)
            && self.probe_keys.scalars.len() == 1;
        self.heads = if single { Heads::I64(HashMap::default()) } else { Heads::Bytes(HashMap::default()) };
        self.build.open(context)?;
        let (rows, keys, chain, heads) = (&mut self.rows, &mut self.build_keys, &mut self.chain, &mut self.heads);
        let mut key = Vec::new();
        drain(&mut *self.build, context, &mut self.scratch, |batch| {
            keys.load(context, batch)?;
            let base = rows.batch.rows;
            rows.append(batch)?;
            for row in 0..batch.rows {
                let number = (base + row) as u32;
                if keys.has_null(row) {
                    chain.push(NO_ROW);
                    continue;
                }
                let head = match heads {
                    Heads::I64(heads) => {
                        let types::ColumnData::I64(values) = &keys.values()[0].data else {
                            unreachable!("of that class")
                        };
                        heads.insert(values[row], number)
                    }
                    Heads::Bytes(heads) => {
                        keys.encode_to(row, &mut key);
                        match heads.get_mut(key.as_slice()) {
                            Some(head) => Some(std::mem::replace(head, number)),
                            None => heads.insert(key.as_slice().into(), number),
                        }
                    }
                };
                chain.push(head.unwrap_or(NO_ROW));
            }
            Ok(())
        })?;
        self.build.close();
        self.build_matched.clear();
        self.build_matched.resize(self.rows.batch.rows, false);
        Ok(())
    }

    fn head_of(&self, row: usize, key: &mut Vec<u8>) -> u32 {
        if self.probe_keys.has_null(row) {
            return NO_ROW;
        }
        match &self.heads {
            Heads::I64(heads) => {
                let types::ColumnData::I64(values) = &self.probe_keys.values()[0].data else {
                    unreachable!("keys are of one class")
                };
                heads.get(&values[row]).copied().unwrap_or(NO_ROW)
            }
            Heads::Bytes(heads) => {
                self.probe_keys.encode_to(row, key);
                heads.get(key.as_slice()).copied().unwrap_or(NO_ROW)
            }
        }
    }

    fn probe_some(&mut self, context: &Context) -> SqlResult<()> {
        context.yield_point()?;
        if self.probe_row == self.probe_batch.rows {
            if self.rows.batch.rows == 0 && !self.keep_probe && self.kind != JoinKind::Anti {
                self.phase = Phase::Done;
                return Ok(());
            }
            self.probe.next(context, BATCH_ROWS, &mut self.probe_batch)?;
            self.probe_row = 0;
            if self.probe_batch.rows == 0 {
                let rest = self.keep_build || self.build_left && self.semi();
                self.phase = if rest { Phase::Rest(0) } else { Phase::Done };
                return Ok(());
            }
            self.probe_keys.load(context, &self.probe_batch)?;
            self.probe_matched.clear();
            self.probe_matched.resize(self.probe_batch.rows, false);
            self.chain_at = self.head_of(0, &mut Vec::new());
        }
        let mut key = Vec::new();
        let (probe_rows, build_rows) = &mut self.pairs;
        probe_rows.clear();
        build_rows.clear();
        while probe_rows.len() < BATCH_ROWS {
            if self.chain_at != NO_ROW {
                probe_rows.push(self.probe_row as u32);
                build_rows.push(self.chain_at);
                self.chain_at = self.chain[self.chain_at as usize];
                continue;
            }
            self.probe_row += 1;
            if self.probe_row == self.probe_batch.rows {
                break;
            }
            self.chain_at = match &self.heads {
                _ if self.probe_keys.has_null(self.probe_row) => NO_ROW,
                Heads::I64(heads) => {
                    let types::ColumnData::I64(values) = &self.probe_keys.values()[0].data else {
                        unreachable!("keys are of one class")
                    };
                    heads.get(&values[self.probe_row]).copied().unwrap_or(NO_ROW)
                }
                Heads::Bytes(heads) => {
                    self.probe_keys.encode_to(self.probe_row, &mut key);
                    heads.get(key.as_slice()).copied().unwrap_or(NO_ROW)
                }
            };
        }
        self.join_pairs(context)?;
        if self.probe_row == self.probe_batch.rows {
            self.finish_probe_batch();
        }
        Ok(())
    }

    /// Tests the pairs, notes who has a partner, and gives the joined rows.
    fn join_pairs(&mut self, context: &Context) -> SqlResult<()> {
        let (probe_rows, build_rows) = &self.pairs;
        if probe_rows.is_empty() {
            return Ok(());
        }
        let needs_rows = !self.semi() || self.residual.is_some();
        if needs_rows {
            self.joined.clear();
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
            Some(residual) => filter(residual, context, &self.joined, &mut self.selection)?,
            None => {
                self.selection.clear();
                self.selection.extend(0..probe_rows.len() as u32);
            }
        }
        for pair in &self.selection {
            self.probe_matched[probe_rows[*pair as usize] as usize] = true;
            self.build_matched[build_rows[*pair as usize] as usize] = true;
        }
        if !self.semi() {
            columns::append_batch_rows(self.pending.clear(), &self.joined, &self.selection);
        }
        Ok(())
    }

    /// Probe rows whose fate is known only after all their pairs: without partner, or semi and anti joins.
    fn finish_probe_batch(&mut self) {
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
        self.phase = if end == self.rows.batch.rows { Phase::Done } else { Phase::Rest(end) };
    }
}
