//! Sort: rows are kept in columns and ordered by one byte string each; with a limit only the first ones survive. What there is no memory
//! for is written as runs, each in order, and these are merged.

use std::cmp::Ordering;

use sql::plan::{Expr, Operator, SortKey};
use types::{Physical, RowBatch, SqlResult};

use super::keys::{KeyList, ListedKey, RowKeys};
use super::merge::{Merge, run_file};
use super::row_file::{PIECE_BYTES, RowFile};
use super::simple::Rows;
use super::{batch_of, drain, source};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};
use crate::expression::{Compiler, Scalar};
use crate::run_tree::prefix;

struct Sort {
    input: Box<dyn RowSource>,
    keys: RowKeys,
    /// They are columns and nothing else: runs are written without them, and they are made again as rows come back.
    remakes_keys: bool,
    limit: Option<Scalar>,
    rows: Rows,
    scratch: RowBatch,
    order: Vec<u32>,
    at: usize,
    sorted: bool,
    /// What did not fit: the whole answer comes from here.
    merge: Option<Merge>,
    /// Of it: rows that are still wanted.
    left: usize,
}

pub fn make(
    input: &Operator,
    keys: &[SortKey],
    limit: &Option<Expr>,
    compiler: &mut Compiler,
) -> SqlResult<Box<dyn RowSource>> {
    let mut keys = row_keys(keys, compiler)?;
    let remakes_keys = keys.scalars.iter().all(|key| key.as_column().is_some());
    if remakes_keys {
        keys.cut();
    }
    Ok(Box::new(Sort {
        input: source(input, compiler)?,
        remakes_keys,
        keys,
        limit: limit.as_ref().map(|limit| compiler.scalar(limit)).transpose()?,
        rows: Rows::new(batch_of(input)),
        scratch: batch_of(input),
        order: Vec::new(),
        at: 0,
        sorted: false,
        merge: None,
        left: 0,
    }))
}

pub fn row_keys(keys: &[SortKey], compiler: &mut Compiler) -> SqlResult<RowKeys> {
    let scalars = keys.iter().map(|key| compiler.scalar(&key.expr)).collect::<SqlResult<Vec<_>>>()?;
    let descending: Vec<bool> = keys.iter().map(|key| key.descending).collect();
    Ok(RowKeys::new(scalars, &descending))
}

/// Row numbers in the order of their keys; equal keys in row order.
fn order(list: &KeyList, keys: &RowKeys, rows: &RowBatch, context: &Context) -> SqlResult<Vec<u32>> {
    let compare = |a, b| list.key(a).cmp(list.key(b), || keys.compare((rows, a), (rows, b)));
    let weight = |row| match list.key(row) {
        key if key.is_whole => key.bytes.len(),
        _ => WHOLE * keys.weight(rows, row),
    };
    ordered(list.len(), |row| list.key(row).bytes, compare, weight, context)
}

/// Rows, and bytes of keys, that are sorted without a pause.
const RUN_ROWS: usize = 1 << 16;
const RUN_BYTES: usize = 1 << 20;

/// Work for a row that finds its place among others.
const PLACE: usize = 32;

/// A key that is made to be compared takes as much work as so many bytes of one that is there.
const WHOLE: usize = 4;

/// The first bytes of a key, which decide most comparisons without touching it, and its row.
type Tagged = (u64, u32);

/// Numbers below `count` in the order of their keys; those of equal keys as they are.
pub fn order_of<'k>(count: usize, key: impl Fn(usize) -> &'k [u8], context: &Context) -> SqlResult<Vec<u32>> {
    ordered(count, &key, |a, b| key(a).cmp(key(b)), |row| key(row).len(), context)
}

/// As `order_of`, where `compare` says what the first bytes of two keys do not, and `weight` how much work that is for a row. Long lists are
/// sorted in runs, and those merged: a sort cannot end in the middle, and a merge can.
fn ordered<'k>(
    count: usize,
    key: impl Fn(usize) -> &'k [u8],
    compare: impl Fn(usize, usize) -> Ordering,
    weight: impl Fn(usize) -> usize,
    context: &Context,
) -> SqlResult<Vec<u32>> {
    let compare =
        |a: &Tagged, b: &Tagged| a.0.cmp(&b.0).then_with(|| compare(a.1 as usize, b.1 as usize)).then(a.1.cmp(&b.1));
    let pacer = &mut context.pacer();
    let mut tagged: Vec<Tagged> = Vec::with_capacity(count);
    let mut ends = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for row in 0..count {
        tagged.push((prefix(key(row)), row as u32));
        bytes += weight(row);
        if row + 1 - start == RUN_ROWS || bytes >= RUN_BYTES || row + 1 == count {
            tagged[start..].sort_unstable_by(compare);
            ends.push(row + 1);
            pacer.spend((row + 1 - start) * PLACE + bytes)?;
            (start, bytes) = (row + 1, 0);
        }
    }
    let mut merged = Vec::new();
    while ends.len() > 1 {
        merged.reserve(count);
        let mut start = 0;
        for pair in ends.chunks(2) {
            let (middle, end) = (pair[0], pair[pair.len() - 1]);
            let (mut left, mut right) = (start, middle);
            while left < middle && right < end {
                let (a, b) = (&tagged[left], &tagged[right]);
                let touched = if a.0 == b.0 { weight(a.1 as usize).min(weight(b.1 as usize)) } else { 0 };
                pacer.spend(PLACE + touched)?;
                if compare(a, b).is_lt() {
                    merged.push(*a);
                    left += 1;
                } else {
                    merged.push(*b);
                    right += 1;
                }
            }
            merged.extend_from_slice(&tagged[left..middle]);
            merged.extend_from_slice(&tagged[right..end]);
            start = end;
        }
        ends = ends.chunks(2).map(|pair| pair[pair.len() - 1]).collect();
        std::mem::swap(&mut tagged, &mut merged);
        merged.clear();
    }
    Ok(tagged.into_iter().map(|(_, row)| row).collect())
}

impl Sort {
    fn sort(&mut self, context: &Context) -> SqlResult<()> {
        let limit = match &self.limit {
            None => usize::MAX,
            Some(limit) => match limit.scalar_value(context)?.i64() {
                Some(limit) => limit.max(0) as usize,
                None => usize::MAX,
            },
        };
        self.rows.clear();
        self.input.open(context)?;
        let mut list = KeyList::default();
        let mut runs = Vec::new();
        // The last one of the first rows so far: what does not come before it is not among them.
        let mut bar: Option<(Vec<u8>, bool)> = None;
        let mut picked = Vec::new();
        let (rows, keys, remakes_keys) = (&mut self.rows, &mut self.keys, self.remakes_keys);
        drain(&mut *self.input, context, &mut self.scratch, |batch| {
            keys.load(context, batch)?;
            let mut fits = match &bar {
                None => {
                    list.append(keys, batch.rows);
                    rows.append_within(context, batch, list.bytes())?
                }
                Some((bytes, is_whole)) => {
                    picked.clear();
                    list.append_before(keys, batch.rows, ListedKey { bytes, is_whole: *is_whole }, &mut picked);
                    rows.append_picked(context, batch, &picked, list.bytes())?
                }
            };
            // Top-N: whenever four times as many as wanted have come together, only the best stay.
            if limit < 1 << 20 && rows.batch.rows >= (limit * 4).max(4096) {
                bar = keep_best(rows, &mut list, keys, limit, context)?;
                fits = rows.fits(context, list.bytes());
            }
            if !fits {
                runs.push(write_run(context, rows, &mut list, keys, limit, !remakes_keys)?);
            }
            Ok(())
        })?;
        self.input.close();
        if runs.is_empty() {
            self.order = order(&list, keys, &rows.batch, context)?;
            self.order.truncate(limit);
            return Ok(());
        }
        if rows.batch.rows > 0 {
            runs.push(write_run(context, rows, &mut list, keys, limit, !remakes_keys)?);
        }
        let like = like(&rows.batch, !remakes_keys);
        rows.clear();
        drop(list);
        self.merge = Some(Merge::begin(context, runs, limit, &like, remakes_keys.then_some(keys))?);
        self.left = limit;
        Ok(())
    }
}

/// An empty batch of such rows, perhaps with their key.
fn like(rows: &RowBatch, with_key: bool) -> RowBatch {
    RowBatch::new(rows.columns.iter().map(columns::class_of).chain(with_key.then_some(Physical::Bytes)))
}

/// Writes what has come together, in order, and begins anew.
fn write_run(
    context: &Context,
    rows: &mut Rows,
    list: &mut KeyList,
    keys: &RowKeys,
    limit: usize,
    with_key: bool,
) -> SqlResult<RowFile> {
    let mut order = order(list, keys, &rows.batch, context)?;
    order.truncate(limit);
    let mut file = run_file(context, with_key);
    let mut piece = like(&rows.batch, with_key);
    let (mut picked, mut bytes) = (Vec::new(), 0);
    for (at, row) in order.iter().enumerate() {
        picked.push(*row);
        bytes += rows.batch.columns.iter().map(|column| columns::value_bytes(column, *row as usize)).sum::<usize>();
        if bytes < PIECE_BYTES && picked.len() < BATCH_ROWS && at + 1 < order.len() {
            continue;
        }
        piece.clear();
        // The key's column has none of theirs beside it.
        columns::append_batch_rows(&mut piece, &rows.batch, &picked);
        if with_key {
            let keys = piece.columns.last_mut().expect("the key");
            picked.iter().for_each(|row| keys.push_bytes(list.key(*row as usize).bytes));
        }
        file.append(context, &piece)?;
        picked.clear();
        bytes = 0;
    }
    file.finish()?;
    context.workspace().count_run();
    if context.workspace().is_awaited() {
        rows.clear();
        *list = KeyList::default();
    } else {
        rows.restart();
        list.clear();
    }
    Ok(file)
}

/// The key of the last one that stays, and whether that is all of it. None: none was wanted.
fn keep_best(
    rows: &mut Rows,
    list: &mut KeyList,
    keys: &RowKeys,
    limit: usize,
    context: &Context,
) -> SqlResult<Option<(Vec<u8>, bool)>> {
    let mut order = order(list, keys, &rows.batch, context)?;
    order.truncate(limit);
    let bar = order.last().map(|row| list.key(*row as usize)).map(|key| (key.bytes.to_vec(), key.is_whole));
    // In arrival order, so that equal keys still come out as they came in.
    order.sort_unstable();
    let mut best = RowBatch::new(rows.batch.columns.iter().map(columns::class_of));
    columns::append_batch_rows(&mut best, &rows.batch, &order);
    let mut kept = KeyList::default();
    order.iter().for_each(|row| kept.push(list.key(*row as usize)));
    rows.replace(best);
    *list = kept;
    Ok(bar)
}

impl RowSource for Sort {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        (self.at, self.sorted) = (0, false);
        self.merge = None;
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        if !self.sorted {
            self.sort(context)?;
            self.sorted = true;
        }
        if let Some(merge) = &mut self.merge {
            let count = wanted.min(BATCH_ROWS).min(self.left);
            merge.next(context, count, out, self.remakes_keys.then_some(&mut self.keys))?;
            self.left -= out.rows;
            return Ok(());
        }
        let end = (self.at + wanted.min(BATCH_ROWS)).min(self.order.len());
        columns::append_batch_rows(out, &self.rows.batch, &self.order[self.at..end]);
        self.at = end;
        Ok(())
    }

    fn close(&mut self) {
        self.rows.clear();
        self.order = Vec::new();
        self.merge = None;
        self.input.close();
    }
}
