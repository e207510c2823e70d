//! Window functions: the rows of one partition at a time, then a column for each function over them.
//!
//! Functions whose values come of the rows before (ROW_NUMBER, ranks, running aggregates) get theirs as the rows come, and no partition is
//! kept (`window_running`). Of others, a partition that there is no memory for goes to a work file, and its functions are computed a piece at
//! a time (`window_pieces`), if each needs to know no more of other pieces than what running values tell. One that looks at rows far away
//! (LAG, a sliding frame, a percentile) needs its partition in memory.

use sql::plan::{self, AggregateFunction, Expr, Frame, FrameBound, Operator, SortKey, WindowFunction, WindowKind};
use types::{Column, Datum, RowBatch, SqlResult, SqlType, sql_error};

use super::aggregate_state::Accumulator;
use super::keys::RowKeys;
use super::simple::Rows;
use super::window_extremes::slide;
use super::window_pieces::Pieces;
use super::window_running::{Progress, Running, Way, streams, tile_of, way_of};
use super::{batch_of, sort, source};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};
use crate::expression::{Compiler, Scalar, fill};
use crate::kernel;
use crate::value::{Row, Value};

/// Work for a row that a frame takes in, or whose value is found.
const STEP: usize = 16;

struct Function {
    kind: WindowKind,
    arguments: Vec<Scalar>,
    accumulator: Option<Accumulator>,
    frame: Frame,
    ty: SqlType,
    ignore_nulls: bool,
    results: Column,
}

struct Window {
    input: Box<dyn RowSource>,
    partition: RowKeys,
    order: RowKeys,
    functions: Vec<Function>,
    scratch: RowBatch,
    scratch_at: usize,
    input_ended: bool,
    /// The partition, and for each row the first row of its peers and the one after their last.
    rows: Rows,
    peers: Vec<(u32, u32)>,
    at: usize,
    /// The partition, if there is no memory for it: `rows` is a piece.
    pieces: Option<Pieces>,
    /// All functions go without one: `rows` is what has come of it.
    stream: Option<Stream>,
}

/// A partition whose rows are given on as they come.
#[derive(Default)]
struct Stream {
    ends_with_peers: bool,
    /// The partition's key. None: none has begun.
    key: Option<Vec<u8>>,
    running: Running,
}

/// For each row besides its bytes: its peers, and a value of each function.
const PEERS_BYTES: usize = 8;
const VALUE_BYTES: usize = 16;

pub fn make(
    input: &Operator,
    partition: &[Expr],
    order: &[SortKey],
    functions: &[WindowFunction],
    compiler: &mut Compiler,
) -> SqlResult<Box<dyn RowSource>> {
    let functions = functions.iter().map(|function| compiled(function, compiler)).collect::<SqlResult<Vec<_>>>()?;
    let all_stream = functions.iter().all(|function| streams(function.kind, &function.frame));
    let ends_with_peers = functions.iter().any(|function| way_of(function.kind, &function.frame) == Some(Way::Peers));
    Ok(Box::new(Window {
        partition: RowKeys::new(compiler.scalars(partition)?, &[]),
        order: sort::row_keys(order, compiler)?,
        functions,
        scratch: batch_of(input),
        scratch_at: 0,
        input_ended: false,
        rows: Rows::new(batch_of(input)),
        peers: Vec::new(),
        at: 0,
        pieces: None,
        stream: all_stream.then(|| Stream { ends_with_peers, ..Stream::default() }),
        input: source(input, compiler)?,
    }))
}

fn compiled(function: &WindowFunction, compiler: &mut Compiler) -> SqlResult<Function> {
    let mut arguments = Vec::new();
    let mut accumulator = None;
    if let WindowKind::Aggregate(aggregate) = function.function {
        let aggregate = plan::Aggregate {
            function: aggregate,
            argument: function.arguments.first().cloned(),
            extra: function.arguments.iter().skip(1).cloned().collect(),
            order: Vec::new(),
            distinct: false,
            quiet: false,
            ty: function.ty,
        };
        accumulator = Some(Accumulator::new(&aggregate, compiler)?);
    } else {
        arguments = compiler.scalars(&function.arguments)?;
    }
    Ok(Function {
        kind: function.function,
        arguments,
        accumulator,
        frame: function.frame.clone(),
        ty: function.ty,
        ignore_nulls: function.ignore_nulls,
        results: Column::new(function.ty.physical()),
    })
}

impl Window {
    /// Reads the next partition and computes its functions. False: there is none.
    fn load(&mut self, context: &Context) -> SqlResult<bool> {
        if self.stream.is_some() {
            return self.load_streamed(context);
        }
        if self.load_piece(context)? {
            return Ok(true);
        }
        self.rows.clear();
        self.peers.clear();
        self.at = 0;
        let mut partition_key: Option<Vec<u8>> = None;
        let mut order_key = Vec::new();
        let mut key = Vec::new();
        let mut peers_start = 0_u32;
        loop {
            if !self.read(context)? {
                break;
            }
            let start = self.scratch_at;
            let mut end = start;
            while end < self.scratch.rows {
                self.partition.encode_to(end, &mut key);
                match &partition_key {
                    None => partition_key = Some(key.clone()),
                    Some(current) if *current != key => break,
                    Some(_) => {}
                }
                self.order.encode_to(end, &mut key);
                let row = self.peers.len() as u32;
                // In pieces they are found when a piece is in memory.
                if self.pieces.is_some() {
                    end += 1;
                    continue;
                }
                if row > 0 && key != order_key {
                    close_peers(&mut self.peers, peers_start);
                    peers_start = row;
                }
                std::mem::swap(&mut order_key, &mut key);
                self.peers.push((peers_start, row + 1));
                end += 1;
            }
            if start == 0 && end == self.scratch.rows {
                let batch = std::mem::take(&mut self.scratch);
                let kept = self.keep(context, &batch);
                self.scratch = batch;
                kept?;
            } else {
                let mut part = RowBatch::new(self.scratch.columns.iter().map(columns::class_of));
                columns::append_batch_range(&mut part, &self.scratch, start, end);
                self.keep(context, &part)?;
            }
            self.scratch_at = end;
            if end < self.scratch.rows {
                break;
            }
        }
        if let Some(pieces) = &mut self.pieces {
            self.peers.clear();
            pieces.finish(context, &mut progress(&mut self.functions))?;
            return self.load_piece(context);
        }
        if self.rows.batch.rows == 0 {
            return Ok(false);
        }
        close_peers(&mut self.peers, peers_start);
        for function in &mut self.functions {
            function.results.clear();
            function.compute(context, &self.rows.batch, &self.peers)?;
        }
        Ok(true)
    }

    /// Sees to it that there are rows in `scratch` that no piece has. False: the input has ended.
    fn read(&mut self, context: &Context) -> SqlResult<bool> {
        if self.scratch_at < self.scratch.rows {
            return Ok(true);
        }
        if self.input_ended {
            return Ok(false);
        }
        self.input.next(context, BATCH_ROWS, &mut self.scratch)?;
        self.scratch_at = 0;
        self.input_ended = self.scratch.rows == 0;
        self.partition.load(context, &self.scratch)?;
        if self.stream.as_ref().is_none_or(|stream| stream.ends_with_peers) {
            self.order.load(context, &self.scratch)?;
        }
        context.yield_point()?;
        Ok(!self.input_ended)
    }

    /// The next rows of one partition, as they come, and their values; where these ask for it, up to the end of the peers.
    fn load_streamed(&mut self, context: &Context) -> SqlResult<bool> {
        let mut stream = self.stream.take().expect("asked before");
        let loaded = self.load_stream(context, &mut stream);
        self.stream = Some(stream);
        loaded
    }

    fn load_stream(&mut self, context: &Context, stream: &mut Stream) -> SqlResult<bool> {
        self.rows.clear();
        self.at = 0;
        let (mut key, mut peers) = (Vec::new(), Vec::new());
        while self.read(context)? {
            let (start, rows) = (self.scratch_at, self.scratch.rows);
            let goes_on = self.rows.batch.rows > 0;
            self.partition.encode_to(start, &mut key);
            if stream.key.as_ref() != Some(&key) {
                if goes_on {
                    break;
                }
                stream.key = Some(key.clone());
                stream.running = Running::begin(&mut progress(&mut self.functions));
            }
            let mut same = |keys: &RowKeys, row: usize, of: &[u8]| {
                keys.encode_to(row, &mut key);
                key == of
            };
            let mut end = rows;
            if !self.partition.is_empty() {
                let of = stream.key.as_ref().expect("set above");
                end = (start + 1..rows).find(|row| !same(&self.partition, *row, of)).unwrap_or(rows);
            }
            if goes_on {
                end = (start..end).find(|row| !same(&self.order, *row, &peers)).unwrap_or(end);
            } else if stream.ends_with_peers {
                self.order.encode_to(end - 1, &mut peers);
            }
            if start == 0 && end == rows && !goes_on {
                std::mem::swap(&mut self.rows.batch, &mut self.scratch);
                self.scratch.clear();
                self.scratch_at = 0;
            } else {
                let mut part = RowBatch::new(self.scratch.columns.iter().map(columns::class_of));
                columns::append_batch_range(&mut part, &self.scratch, start, end);
                self.rows.append(context, &part)?;
                self.scratch_at = end;
            }
            if end < rows || !stream.ends_with_peers {
                break;
            }
        }
        if self.rows.batch.rows == 0 {
            return Ok(false);
        }
        stream.running.compute(context, &mut self.order, &self.rows.batch, &mut progress(&mut self.functions))?;
        // Its rows are others' than those of `scratch` that are still to come.
        if stream.ends_with_peers {
            self.order.load(context, &self.scratch)?;
        }
        Ok(true)
    }

    /// More rows of the partition: in memory, or when there is no more of it in its file.
    fn keep(&mut self, context: &Context, batch: &RowBatch) -> SqlResult<()> {
        if let Some(pieces) = &mut self.pieces {
            self.peers.clear();
            return pieces.append(context, batch, &mut progress(&mut self.functions));
        }
        let more = self.peers.len() * (PEERS_BYTES + VALUE_BYTES * self.functions.len());
        if self.rows.append_within(context, batch, more)? {
            return Ok(());
        }
        let ways: Vec<Option<Way>> =
            self.functions.iter().map(|function| way_of(function.kind, &function.frame)).collect();
        if ways.contains(&None) {
            return self.rows.force(context, more);
        }
        let peers = ways.contains(&Some(Way::Peers));
        let pieces = Pieces::begin(context, &self.rows.batch, &mut progress(&mut self.functions), peers)?;
        self.pieces = Some(pieces);
        self.rows.clear();
        self.peers.clear();
        Ok(())
    }

    /// False: the partition is not in pieces, or that was the last.
    fn load_piece(&mut self, context: &Context) -> SqlResult<bool> {
        let Some(pieces) = &mut self.pieces else { return Ok(false) };
        self.at = 0;
        if !pieces.next(context, &mut self.order, &mut self.rows)? {
            self.pieces = None;
            // What has been read of the next partition is loaded again: the piece's rows were in its place.
            self.order.load(context, &self.scratch)?;
            return Ok(false);
        }
        let functions = &mut progress(&mut self.functions);
        pieces.running.compute(context, &mut self.order, &self.rows.batch, functions)?;
        Ok(true)
    }
}

/// The functions of a partition in pieces: each has its way.
fn progress(functions: &mut [Function]) -> Vec<Progress<'_>> {
    let each = functions.iter_mut().map(|function| Progress {
        kind: function.kind,
        way: way_of(function.kind, &function.frame).expect("asked before there were pieces"),
        arguments: &function.arguments,
        accumulator: function.accumulator.as_mut(),
        results: &mut function.results,
    });
    each.collect()
}

/// The peers that begin at `start` end with the last row so far.
fn close_peers(peers: &mut [(u32, u32)], start: u32) {
    let end = peers.len() as u32;
    peers[start as usize..].iter_mut().for_each(|peer| peer.1 = end);
}

impl RowSource for Window {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.scratch.clear();
        self.scratch_at = 0;
        self.input_ended = false;
        self.rows.clear();
        self.pieces = None;
        if let Some(stream) = &mut self.stream {
            stream.key = None;
        }
        self.at = 0;
        self.input.open(context)
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        let wanted = wanted.min(BATCH_ROWS);
        while out.rows < wanted {
            if self.at == self.rows.batch.rows && !self.load(context)? {
                break;
            }
            let end = (self.at + wanted - out.rows).min(self.rows.batch.rows);
            let (inputs, results) = out.columns.split_at_mut(self.rows.batch.columns.len());
            for (to, from) in inputs.iter_mut().zip(&self.rows.batch.columns) {
                columns::append_range_paced(context, to, from, self.at, end)?;
            }
            for (to, function) in results.iter_mut().zip(&self.functions) {
                columns::append_range_paced(context, to, &function.results, self.at, end)?;
            }
            out.rows += end - self.at;
            self.at = end;
        }
        Ok(())
    }

    fn close(&mut self) {
        self.rows.clear();
        self.pieces = None;
        self.scratch.clear();
        self.scratch_at = 0;
        self.at = 0;
        self.input.close();
    }
}

impl Function {
    fn compute(&mut self, context: &Context, rows: &RowBatch, peers: &[(u32, u32)]) -> SqlResult<()> {
        let count = rows.rows;
        let Function { arguments, results, frame, .. } = self;
        match self.kind {
            WindowKind::RowNumber => (1..=count as i64).for_each(|n| results.push(&Datum::I64(n))),
            WindowKind::Rank => peers.iter().for_each(|(start, _)| results.push(&Datum::I64(*start as i64 + 1))),
            WindowKind::DenseRank => {
                let mut rank = 0;
                for (row, (start, _)) in peers.iter().enumerate() {
                    rank += (row == *start as usize) as i64;
                    results.push(&Datum::I64(rank));
                }
            }
            WindowKind::Ntile => ntile(&arguments[0], context, rows, results)?,
            WindowKind::PercentRank => {
                for (start, _) in peers {
                    let rank = if count > 1 { *start as f64 / (count - 1) as f64 } else { 0.0 };
                    results.push(&Datum::F64(rank));
                }
            }
            WindowKind::CumeDist => {
                peers.iter().for_each(|(_, end)| results.push(&Datum::F64(*end as f64 / count as f64)));
            }
            WindowKind::Lag | WindowKind::Lead if self.ignore_nulls => {
                let back = self.kind == WindowKind::Lag;
                let mut values = Column::new(self.ty.physical());
                fill(&arguments[0], context, rows, &mut values)?;
                let known: Vec<usize> = (0..count).filter(|row| !values.is_null(*row)).collect();
                let pacer = &mut context.pacer();
                for row in 0..count {
                    pacer.spend(STEP)?;
                    offset_value(arguments, (back, Some(&known)), context, rows, row)?.push_to(results);
                }
            }
            WindowKind::Lag | WindowKind::Lead => {
                let back = self.kind == WindowKind::Lag;
                let pacer = &mut context.pacer();
                for row in 0..count {
                    pacer.spend(STEP)?;
                    offset_value(arguments, (back, None), context, rows, row)?.push_to(results);
                }
            }
            WindowKind::FirstValue | WindowKind::LastValue => {
                let mut values = Column::new(self.ty.physical());
                fill(&arguments[0], context, rows, &mut values)?;
                let pacer = &mut context.pacer();
                let known: Vec<usize> = match self.ignore_nulls {
                    true => (0..count).filter(|row| !values.is_null(*row)).collect(),
                    false => Vec::new(),
                };
                for row in 0..count {
                    pacer.spend(STEP)?;
                    let (start, end) = frame_of(frame, row, count, peers);
                    if self.ignore_nulls {
                        let (from, to) =
                            (known.partition_point(|at| *at < start), known.partition_point(|at| *at < end));
                        let at = if self.kind == WindowKind::FirstValue { from } else { to.wrapping_sub(1) };
                        match known.get(at).filter(|_| from < to) {
                            Some(at) => columns::append_row(results, &values, *at),
                            None => results.push(&Datum::Null),
                        }
                    } else if start == end {
                        results.push(&Datum::Null);
                    } else {
                        let at = if self.kind == WindowKind::FirstValue { start } else { end - 1 };
                        columns::append_row(results, &values, at);
                    }
                }
            }
            WindowKind::PercentileCont | WindowKind::PercentileDisc => {
                let value = percentile(self.kind, arguments, context, rows)?;
                for _ in 0..count {
                    results.push(&value);
                }
            }
            WindowKind::Aggregate(function) => {
                let accumulator = self.accumulator.as_mut().expect("compiled with the function");
                accumulator.load(context, rows)?;
                aggregate_frames(function, accumulator, frame, count, peers, context, results)?;
                if accumulator.saw_null {
                    context.null_eliminated.set(true);
                }
                accumulator.clear();
            }
        }
        Ok(())
    }
}

/// Rows `start..end` of the partition that row `row`'s frame holds.
fn frame_of(frame: &Frame, row: usize, count: usize, peers: &[(u32, u32)]) -> (usize, usize) {
    let far = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let (first, after) = if frame.rows { (row, row + 1) } else { (peers[row].0 as usize, peers[row].1 as usize) };
    let start = match frame.start {
        FrameBound::UnboundedPreceding => 0,
        FrameBound::Preceding(n) => row.saturating_sub(far(n)),
        FrameBound::CurrentRow => first,
        FrameBound::Following(n) => row.saturating_add(far(n)).min(count),
        FrameBound::UnboundedFollowing => count,
    };
    let end = match frame.end {
        FrameBound::UnboundedPreceding => 0,
        FrameBound::Preceding(n) => (row + 1).saturating_sub(far(n)),
        FrameBound::CurrentRow => after,
        FrameBound::Following(n) => (row + 1).saturating_add(far(n)).min(count),
        FrameBound::UnboundedFollowing => count,
    };
    (start, end.max(start))
}

/// An aggregate over each row's frame. Frames only move forward, so a growing frame adds to the value of the row before, a
/// shrinking one is computed from the last row backward, and of a sliding one rows are taken out where the aggregate permits. MIN and MAX
/// have a way of their own.
fn aggregate_frames(
    function: AggregateFunction,
    accumulator: &mut Accumulator,
    frame: &Frame,
    count: usize,
    peers: &[(u32, u32)],
    context: &Context,
    results: &mut Column,
) -> SqlResult<()> {
    let grows = matches!(frame.start, FrameBound::UnboundedPreceding);
    let shrinks = matches!(frame.end, FrameBound::UnboundedFollowing) && !grows && !accumulator.can_remove();
    if !grows && !shrinks && matches!(function, AggregateFunction::Min | AggregateFunction::Max) {
        return slide(accumulator, (0..count).map(|row| frame_of(frame, row, count, peers)), context, results);
    }
    accumulator.clear();
    accumulator.grow(1);
    let pacer = &mut context.pacer();
    if shrinks {
        let mut backward = Column::new(columns::class_of(results));
        let mut from = count;
        for row in (0..count).rev() {
            let (start, _) = frame_of(frame, row, count, peers);
            while from > start {
                from -= 1;
                pacer.spend(STEP)?;
                accumulator.add_loaded(context, from, 0)?;
            }
            accumulator.finish(context, 0, &mut backward)?;
        }
        (0..count).rev().for_each(|row| columns::append_row(results, &backward, row));
        return Ok(());
    }
    let (mut start, mut end) = (0, 0);
    for row in 0..count {
        let (next_start, next_end) = frame_of(frame, row, count, peers);
        if row > 0 && (next_start, next_end) == (start, end) {
            let last = results.datum(row - 1);
            results.push(&last);
            continue;
        }
        let slides = next_start <= end && (start..next_start).all(|row| accumulator.remove_loaded(row, 0));
        if !slides {
            accumulator.clear();
            accumulator.grow(1);
            end = next_start;
        }
        start = next_start;
        while end < next_end {
            pacer.spend(STEP)?;
            accumulator.add_loaded(context, end, 0)?;
            end += 1;
        }
        pacer.spend(STEP)?;
        accumulator.finish(context, 0, results)?;
    }
    Ok(())
}

fn ntile(groups: &Scalar, context: &Context, rows: &RowBatch, results: &mut Column) -> SqlResult<()> {
    let groups =
        groups.i64(context, Row { batch: rows, index: 0 })?.filter(|n| *n > 0).ok_or_else(|| sql_error!(4116))?;
    let count = rows.rows as i64;
    (0..count).for_each(|row| results.push(&Datum::I64(tile_of(row, count, groups))));
    Ok(())
}

fn offset_value<'a>(
    arguments: &'a [Scalar],
    (back, known): (bool, Option<&[usize]>),
    context: &'a Context,
    rows: &'a RowBatch,
    row: usize,
) -> SqlResult<Value<'a>> {
    let here = Row { batch: rows, index: row };
    let Some(offset) = arguments[1].i64(context, here)? else { return Ok(Value::Null) };
    if offset < 0 {
        return Err(sql_error!(8730));
    }
    let at = match known {
        None => {
            let at = if back { (row as i64).checked_sub(offset) } else { (row as i64).checked_add(offset) };
            at.and_then(|at| usize::try_from(at).ok()).filter(|at| *at < rows.rows)
        }
        Some(known) => offset_of_known(known, row, offset, back),
    };
    match at {
        Some(at) => arguments[0].value(context, Row { batch: rows, index: at }),
        None => match arguments.get(2) {
            Some(default) => default.value(context, here),
            None => Ok(Value::Null),
        },
    }
}

/// The same over the rows `known`, whose value is not NULL; an offset of 0 is the row itself.
fn offset_of_known(known: &[usize], row: usize, offset: i64, back: bool) -> Option<usize> {
    let before = known.partition_point(|at| *at < row) as i64;
    let upto = known.partition_point(|at| *at <= row) as i64;
    match (offset, back) {
        (0, _) => Some(row),
        (offset, true) => usize::try_from(before.saturating_sub(offset)).ok().map(|at| known[at]),
        (offset, false) => usize::try_from(upto.saturating_add(offset) - 1).ok().and_then(|at| known.get(at).copied()),
    }
}

/// Rows are ordered by the value; NULLs do not count.
fn percentile(kind: WindowKind, arguments: &[Scalar], context: &Context, rows: &RowBatch) -> SqlResult<Datum> {
    let given = arguments[0].value(context, Row { batch: rows, index: 0 })?.f64();
    let Some(part) = given.filter(|part| (0.0..=1.0).contains(part)) else {
        return Err(sql_error!(8727));
    };
    let mut values = Column::new(arguments[1].ty.physical());
    fill(&arguments[1], context, rows, &mut values)?;
    let known: Vec<usize> = (0..rows.rows).filter(|row| !values.is_null(*row)).collect();
    if known.is_empty() {
        return Ok(Datum::Null);
    }
    if kind == WindowKind::PercentileDisc {
        let at = (part * known.len() as f64).ceil() as usize;
        return Ok(values.datum(known[at.clamp(1, known.len()) - 1]));
    }
    let place = part * (known.len() - 1) as f64;
    let value = |at: usize| match values.datum(known[at]) {
        Datum::F64(value) => value,
        other => panic!("PERCENTILE_CONT is of floats, not {other:?}"),
    };
    let (low, high) = (value(place.floor() as usize), value(place.ceil() as usize));
    let between = low + (high - low) * (place - place.floor());
    if between.is_finite() { Ok(Datum::F64(between)) } else { Err(kernel::arithmetic_overflow(types::TypeKind::Float)) }
}
