//! The running values of aggregates, one a group: grown column by column, added to row by row.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use sql::plan::{self, AggregateFunction, SortKey};
use types::key::KeyCodec;
use types::{Column, ColumnData, Datum, Physical, RowBatch, SqlResult, SqlType, TypeKind, arith, decimal, sql_error};

use super::keys::{FastHash, RowKeys, encode_from, long_parts};
use super::row_file::{RowFile, RowReader};
use super::scatter::{LEVELS_MAX, Scatter};
use super::sort::order_of;
use crate::columns;
use crate::context::Context;
use crate::expression::{Compiler, Scalar, fill, spatial};
use crate::kernel;
use crate::workspace::Held;

/// An aggregate, compiled, with a running value for each group.
pub struct Accumulator {
    function: AggregateFunction,
    argument: Option<Scalar>,
    separator: Option<Scalar>,
    order: Option<RowKeys>,
    distinct: Option<Distinct>,
    pub ty: SqlType,
    values: Column,
    /// Parts of keys of the long ones among them, by row.
    long: BTreeMap<usize, Vec<u8>>,
    state: State,
    /// A NULL was passed over: warning 8153.
    pub saw_null: bool,
    quiet: bool,
}

/// Values a set has room for from one execution to the next.
const KEPT_MAX: usize = 1024;

struct Distinct {
    codec: KeyCodec,
    /// Values of class I64, which are their own keys, with their groups.
    numbers: HashSet<(u32, i64), FastHash>,
    /// Of other classes: group number, then the value's key.
    keys: HashSet<Box<[u8]>, FastHash>,
    bytes: usize,
    held: Held,
    /// Groups and values that there was no memory to know: they are looked at when the input has ended.
    late: Option<Scatter>,
    late_rows: RowBatch,
}

/// What is known of a value in a group.
#[derive(PartialEq, Eq)]
enum Known {
    First,
    Seen,
    /// Not yet whether it is the first.
    Late,
}

/// An entry of a set with the room that is left between them, and a key's allocation.
const ENTRY_BYTES: usize = 40;

impl Distinct {
    fn new(codec: KeyCodec, class: Physical) -> Distinct {
        Distinct {
            codec,
            numbers: HashSet::default(),
            keys: HashSet::default(),
            bytes: 0,
            held: Held::default(),
            late: None,
            late_rows: RowBatch::new([Physical::I64, class]),
        }
    }

    fn forget(&mut self) {
        self.numbers.clear();
        self.numbers.shrink_to(KEPT_MAX);
        match self.keys.len() {
            ..=KEPT_MAX => self.keys.clear(),
            count => os::heap::empty(&mut self.keys, count),
        }
        self.bytes = 0;
        self.held.clear();
    }

    fn clear(&mut self) {
        self.forget();
        self.late = None;
        self.late_rows.clear();
    }

    /// Looks at the value at `row`, no NULL. `long`: its part of a key, if it is long. `key` is overwritten.
    fn look(&mut self, group: u32, values: &Column, row: usize, long: Option<&Vec<u8>>, key: &mut Vec<u8>) -> Known {
        let full = self.late.is_some();
        let known = if let ColumnData::I64(values) = &values.data {
            let number = (group, values[row]);
            if full { self.numbers.contains(&number) } else { !self.numbers.insert(number) }
        } else {
            key.clear();
            key.extend_from_slice(&group.to_le_bytes());
            match long {
                Some(part) => key.extend_from_slice(part),
                None => encode_from(&self.codec, values, row, key),
            }
            let known = self.keys.contains(key.as_slice());
            if !known && !full {
                self.bytes += key.len();
                self.keys.insert(key.as_slice().into());
            }
            known
        };
        match (known, full) {
            (true, _) => Known::Seen,
            (false, true) => {
                self.late_rows.columns[0].push(&Datum::I64(group.into()));
                columns::append_row(&mut self.late_rows.columns[1], values, row);
                self.late_rows.rows += 1;
                Known::Late
            }
            (false, false) => {
                self.bytes += ENTRY_BYTES;
                Known::First
            }
        }
    }

    /// After a batch. `level`: how often what is not known yet was divided already.
    fn account(&mut self, context: &Context, level: u32) -> SqlResult<()> {
        if let Some(late) = &mut self.late {
            let mut key = Vec::new();
            late.begin();
            for row in 0..self.late_rows.rows {
                key.clear();
                encode_from(&self.codec, &self.late_rows.columns[1], row, &mut key);
                if let ColumnData::I64(groups) = &self.late_rows.columns[0].data {
                    key.extend_from_slice(&groups[row].to_le_bytes());
                }
                late.pick(late.file_of(&key), row);
            }
            late.write(context, &self.late_rows)?;
            self.late_rows.clear();
        } else if !self.held.hold(context.workspace(), self.bytes) {
            if level >= LEVELS_MAX {
                return self.held.force(context.workspace(), self.bytes);
            }
            self.late = Some(Scatter::new(context, &self.late_rows, level)?);
        }
        Ok(())
    }
}

enum State {
    Count(Vec<i64>),
    /// Sum and count of integers, money and decimals.
    Exact(Vec<(i128, i64)>),
    Float(Vec<(f64, i64)>),
    /// Count, mean, sum of squared distances (Welford).
    Spread(Vec<(i64, f64, f64)>),
    /// MIN, MAX: the best value of each group.
    Extreme(Vec<Datum>, KeyCodec, Vec<Vec<u8>>, usize),
    /// MIN, MAX of class I64.
    ExtremeI64(Vec<Option<i64>>),
    /// STRING_AGG: (order key, text) of each group, without an order one text; bytes of all; the separator.
    Text(Vec<Vec<(Vec<u8>, Vec<u8>)>>, usize, Vec<u8>),
    Checksum(Vec<Option<i32>>),
    /// The product of each group, at the scale of the result.
    Product(Vec<Option<i128>>),
    FloatProduct(Vec<Option<f64>>),
    /// Percentiles: the values of each group, which part of it is asked for, and the bytes of all.
    Ranked(Vec<Vec<(Vec<u8>, Datum)>>, Option<f64>, usize),
    /// Values of geometry or geography of each group, which method they are for, and the bytes of all.
    Shapes(Vec<Vec<Box<[u8]>>>, i32, usize),
}

impl Accumulator {
    pub fn new(aggregate: &plan::Aggregate, compiler: &mut Compiler) -> SqlResult<Accumulator> {
        let argument = aggregate.argument.as_ref().map(|expr| compiler.scalar(expr)).transpose()?;
        let separator = aggregate.extra.first().map(|expr| compiler.scalar(expr)).transpose()?;
        let order = if aggregate.order.is_empty() { None } else { Some(order_keys(&aggregate.order, compiler)?) };
        let argument_ty = argument.as_ref().map_or(SqlType::INT, |argument| argument.ty);
        let distinct = aggregate.distinct || aggregate.function == AggregateFunction::ApproxCountDistinct;
        let distinct = distinct.then(|| Distinct::new(KeyCodec::new(&argument_ty, false), argument_ty.physical()));
        let state = state_for(aggregate.function, &argument_ty);
        Ok(Accumulator {
            function: aggregate.function,
            values: Column::new(argument_ty.physical()),
            long: BTreeMap::new(),
            argument,
            separator,
            order,
            distinct,
            ty: aggregate.ty,
            state,
            saw_null: false,
            quiet: aggregate.quiet || aggregate.function == AggregateFunction::StringAgg,
        })
    }

    /// No groups.
    pub fn clear(&mut self) {
        let argument_ty = self.argument.as_ref().map_or(SqlType::INT, |argument| argument.ty);
        self.state = state_for(self.function, &argument_ty);
        if let Some(distinct) = &mut self.distinct {
            distinct.clear();
        }
        self.saw_null = false;
    }

    /// Makes running values for groups up to `count`.
    pub fn grow(&mut self, count: usize) {
        match &mut self.state {
            State::Count(values) => values.resize(count, 0),
            State::Exact(values) => values.resize(count, (0, 0)),
            State::Float(values) => values.resize(count, (0.0, 0)),
            State::Spread(values) => values.resize(count, (0, 0.0, 0.0)),
            State::Extreme(values, _, keys, _) => {
                values.resize(count, Datum::Null);
                keys.resize(count, Vec::new());
            }
            State::ExtremeI64(values) => values.resize(count, None),
            State::Text(values, _, _) => values.resize(count, Vec::new()),
            State::Checksum(values) => values.resize(count, None),
            State::Product(values) => values.resize(count, None),
            State::FloatProduct(values) => values.resize(count, None),
            State::Ranked(values, _, _) => values.resize(count, Vec::new()),
            State::Shapes(values, _, _) => values.resize(count, Vec::new()),
        }
    }

    /// COUNT(*) of one group: only the number of rows matters.
    pub fn is_count_rows(&self) -> bool {
        self.argument.is_none()
    }

    pub fn add_count(&mut self, group: usize, rows: usize) {
        if let State::Count(values) = &mut self.state {
            values[group] += rows as i64;
        }
    }

    /// Adds row i of `batch` to group `groups[i]`.
    pub fn add(&mut self, context: &Context, batch: &RowBatch, groups: &[u32]) -> SqlResult<()> {
        let Some(argument) = &self.argument else {
            if let State::Count(values) = &mut self.state {
                groups.iter().for_each(|group| values[*group as usize] += 1);
            }
            return Ok(());
        };
        self.values.clear();
        fill(argument, context, batch, &mut self.values)?;
        self.load_long(context)?;
        if let Some(order) = &mut self.order {
            order.load(context, batch)?;
        }
        if let State::Text(_, _, separator) = &mut self.state
            && let Some(scalar) = &self.separator
            && batch.rows > 0
        {
            let row = crate::value::Row { batch, index: 0 };
            *separator = scalar.value(context, row)?.bytes().map_or(Vec::new(), |bytes| bytes.into_owned());
        }
        if let State::Ranked(_, part, _) = &mut self.state
            && let Some(scalar) = &self.separator
            && batch.rows > 0
        {
            *part = scalar.value(context, crate::value::Row { batch, index: 0 })?.f64();
        }
        if self.distinct.is_none() && self.values.nulls.is_empty() && self.add_whole(groups)? {
            return Ok(());
        }
        let mut key = Vec::new();
        for (row, group) in groups.iter().enumerate() {
            if self.values.is_null(row) {
                self.saw_null = !self.quiet;
                continue;
            }
            if let Some(distinct) = &mut self.distinct
                && distinct.look(*group, &self.values, row, self.long.get(&row), &mut key) != Known::First
            {
                continue;
            }
            self.add_row(context, row, *group as usize, &mut key)?;
        }
        match &mut self.distinct {
            Some(distinct) => distinct.account(context, 0),
            None => Ok(()),
        }
    }

    /// The input has ended: adds those values of which it was not known whether they are the first.
    pub fn settle(&mut self, context: &Context) -> SqlResult<()> {
        let Some(mut distinct) = self.distinct.take_if(|distinct| distinct.late.is_some()) else { return Ok(()) };
        let settled = self.settle_late(context, &mut distinct);
        self.distinct = Some(distinct);
        settled
    }

    fn settle_late(&mut self, context: &Context, distinct: &mut Distinct) -> SqlResult<()> {
        let mut files: Vec<(RowFile, u32)> = Vec::new();
        let (mut batch, mut key) = (distinct.late_rows.clone(), Vec::new());
        // Those of the last batch.
        self.long.clear();
        loop {
            if let Some(late) = distinct.late.take() {
                let level = late.level() + 1;
                files.extend(late.finish(context)?.into_iter().map(|file| (file, level)));
            }
            let Some((file, level)) = files.pop() else { return Ok(()) };
            // No value of this file is in another, nor was it known before.
            distinct.forget();
            let mut reader = RowReader::default();
            while reader.next(context, &file, &mut batch)? {
                self.values = batch.columns.pop().expect("the values");
                let ColumnData::I64(groups) = &batch.columns[0].data else { unreachable!("numbers of groups") };
                for (row, group) in groups.iter().enumerate() {
                    if distinct.look(*group as u32, &self.values, row, None, &mut key) == Known::First {
                        self.add_row(context, row, *group as usize, &mut key)?;
                    }
                }
                distinct.account(context, level)?;
                batch.columns.push(std::mem::replace(&mut self.values, Column::new(Physical::I64)));
            }
            self.values = Column::new(columns::class_of(&batch.columns[1]));
        }
    }

    /// Bytes of values that no row count tells.
    pub fn held_bytes(&self) -> usize {
        match &self.state {
            State::Extreme(_, _, _, bytes) | State::Text(_, bytes, _) | State::Ranked(_, _, bytes) => *bytes,
            State::Shapes(_, _, bytes) => *bytes,
            _ => 0,
        }
    }

    /// Computes the argument for every row of `batch`, for `add_loaded`.
    pub fn load(&mut self, context: &Context, batch: &RowBatch) -> SqlResult<()> {
        self.values.clear();
        self.saw_null = false;
        match &self.argument {
            Some(argument) => fill(argument, context, batch, &mut self.values)?,
            None => return Ok(()),
        }
        self.load_long(context)
    }

    fn load_long(&mut self, context: &Context) -> SqlResult<()> {
        self.long.clear();
        let codec = match (&self.distinct, &self.state) {
            (Some(distinct), _) => &distinct.codec,
            (None, State::Extreme(_, codec, _, _)) => codec,
            _ => return Ok(()),
        };
        long_parts(codec, &self.values, context, |row, part| {
            self.long.insert(row, part);
        })
    }

    /// Adds row `row` of what is loaded.
    pub fn add_loaded(&mut self, context: &Context, row: usize, group: usize) -> SqlResult<()> {
        if self.argument.is_none() {
            self.add_count(group, 1);
            return Ok(());
        }
        if self.values.is_null(row) {
            self.saw_null = !self.quiet;
            return Ok(());
        }
        self.add_row(context, row, group, &mut Vec::new())
    }

    /// The values of the loaded rows.
    pub fn loaded(&self) -> &Column {
        &self.values
    }

    /// Loaded row `row` is NULL, which the aggregate passes over.
    pub fn passes_null(&mut self, row: usize) -> bool {
        let is_null = self.values.is_null(row);
        self.saw_null |= is_null && !self.quiet;
        is_null
    }

    /// Of MIN or MAX: loaded row `row` comes before `other`, neither of which is NULL. `keys` are overwritten.
    pub fn is_better(&self, row: usize, other: usize, keys: &mut (Vec<u8>, Vec<u8>)) -> bool {
        let min = self.function == AggregateFunction::Min;
        if let (State::ExtremeI64(_), ColumnData::I64(values)) = (&self.state, &self.values.data) {
            return if min { values[row] < values[other] } else { values[row] > values[other] };
        }
        let State::Extreme(_, codec, ..) = &self.state else { unreachable!("a MIN or a MAX") };
        let key = |row: usize, key: &mut Vec<u8>| {
            key.clear();
            match self.long.get(&row) {
                Some(part) => key.extend_from_slice(part),
                None => encode_from(codec, &self.values, row, key),
            }
        };
        key(row, &mut keys.0);
        key(other, &mut keys.1);
        if min { keys.0 < keys.1 } else { keys.0 > keys.1 }
    }

    /// `remove_loaded` takes rows out.
    pub fn can_remove(&self) -> bool {
        matches!(self.state, State::Count(_) | State::Exact(_))
    }

    /// Takes a loaded row that was added out again. False: this aggregate cannot.
    pub fn remove_loaded(&mut self, row: usize, group: usize) -> bool {
        let counted = self.argument.is_none() || !self.values.is_null(row);
        match (&mut self.state, &self.values.data) {
            (State::Count(counts), _) => counts[group] -= counted as i64,
            (State::Exact(_), _) if !counted => {}
            (State::Exact(sums), ColumnData::I64(values)) => {
                sums[group].0 -= values[row] as i128;
                sums[group].1 -= 1;
            }
            (State::Exact(sums), ColumnData::I128(values)) => {
                sums[group].0 -= values[row];
                sums[group].1 -= 1;
            }
            _ => return false,
        }
        true
    }

    /// The tight loops. False: this state has none.
    fn add_whole(&mut self, groups: &[u32]) -> SqlResult<bool> {
        match (&mut self.state, &self.values.data) {
            (State::Count(counts), _) => groups.iter().for_each(|group| counts[*group as usize] += 1),
            (State::Exact(sums), ColumnData::I64(values)) => {
                for (value, group) in values.iter().zip(groups) {
                    let sum = &mut sums[*group as usize];
                    // 2^64 values of 2^63 fit in i128.
                    sum.0 += *value as i128;
                    sum.1 += 1;
                }
            }
            (State::Exact(sums), ColumnData::I128(values)) => {
                for (value, group) in values.iter().zip(groups) {
                    let sum = &mut sums[*group as usize];
                    sum.0 = sum.0.checked_add(*value).ok_or_else(|| kernel::arithmetic_overflow(self.ty.kind))?;
                    sum.1 += 1;
                }
            }
            (State::Float(sums), ColumnData::F64(values)) => {
                for (value, group) in values.iter().zip(groups) {
                    let sum = &mut sums[*group as usize];
                    sum.0 += value;
                    sum.1 += 1;
                }
            }
            (State::ExtremeI64(best), ColumnData::I64(values)) => {
                let min = self.function == AggregateFunction::Min;
                for (value, group) in values.iter().zip(groups) {
                    let best = &mut best[*group as usize];
                    *best = Some(match *best {
                        None => *value,
                        Some(best) if min => best.min(*value),
                        Some(best) => best.max(*value),
                    });
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn add_row(&mut self, context: &Context, row: usize, group: usize, key: &mut Vec<u8>) -> SqlResult<()> {
        let min = self.function == AggregateFunction::Min;
        match &mut self.state {
            State::Count(counts) => counts[group] += 1,
            State::Exact(sums) => {
                let value = as_exact(&self.values, row);
                let sum = &mut sums[group];
                sum.0 = sum.0.checked_add(value).ok_or_else(|| kernel::arithmetic_overflow(self.ty.kind))?;
                sum.1 += 1;
            }
            State::Float(sums) => {
                let value = as_f64(&self.values, row);
                sums[group].0 += value;
                sums[group].1 += 1;
            }
            State::Spread(spread) => {
                let value = as_f64(&self.values, row);
                let (count, mean, squares) = &mut spread[group];
                *count += 1;
                let distance = value - *mean;
                *mean += distance / *count as f64;
                *squares += distance * (value - *mean);
            }
            State::ExtremeI64(best) => {
                let ColumnData::I64(values) = &self.values.data else { unreachable!("of that class") };
                let value = values[row];
                best[group] = Some(match best[group] {
                    None => value,
                    Some(best) if min => best.min(value),
                    Some(best) => best.max(value),
                });
            }
            State::Extreme(best, codec, keys, bytes) => {
                key.clear();
                match self.long.get(&row) {
                    Some(part) => key.extend_from_slice(part),
                    None => encode_from(codec, &self.values, row, key),
                }
                let better = best[group].is_null()
                    || if min {
                        key.as_slice() < keys[group].as_slice()
                    } else {
                        key.as_slice() > keys[group].as_slice()
                    };
                if better {
                    let before = keys[group].len() + length_of(&best[group]);
                    *bytes = (*bytes + key.len() + columns::value_bytes(&self.values, row)).saturating_sub(before);
                    best[group] = self.values.datum(row);
                    std::mem::swap(&mut keys[group], key);
                }
            }
            State::Text(texts, bytes, separator) => {
                let keys = self.order.as_ref().map(|keys| (keys, row));
                *bytes += add_text(&mut texts[group], self.values.bytes(row), separator, keys, context)?;
            }
            State::Checksum(sums) => {
                let ColumnData::I64(values) = &self.values.data else { unreachable!("of an int") };
                let value = values[row] as i32;
                sums[group] = Some(sums[group].map_or(value, |sum| sum ^ value));
            }
            State::Product(products) => {
                let value = as_exact(&self.values, row);
                let scale = self.argument.as_ref().map_or(0, |argument| argument.ty.scale);
                products[group] = Some(exact_product(products[group], value, scale, &self.ty)?);
            }
            State::FloatProduct(products) => {
                let value = as_f64(&self.values, row);
                products[group] = Some(match products[group] {
                    Some(product) => arith::mul_f64(self.ty.kind, product, value)?,
                    None => value,
                });
            }
            State::Ranked(values, _, bytes) => {
                let mut order = Vec::new();
                if let Some(keys) = &self.order {
                    keys.encode(row, &mut order);
                }
                *bytes += order.len() + 72;
                values[group].push((order, self.values.datum(row)));
            }
            State::Shapes(values, _, bytes) => {
                let value = self.values.bytes(row);
                *bytes += value.len() + 16;
                values[group].push(types::long::copy(value));
            }
        }
        Ok(())
    }

    /// Appends the result of `group` to `out`.
    pub fn finish(&mut self, context: &Context, group: usize, out: &mut Column) -> SqlResult<()> {
        let kind = self.ty.kind;
        let datum = match &mut self.state {
            State::Count(counts) => {
                let count = counts[group];
                if kind == TypeKind::Int && count > i32::MAX as i64 {
                    return Err(kernel::arithmetic_overflow(kind));
                }
                Datum::I64(count)
            }
            State::Exact(sums) => {
                let (sum, count) = sums[group];
                let argument = self.argument.as_ref().map_or(SqlType::INT, |argument| argument.ty);
                match (count, self.function) {
                    (0, _) => Datum::Null,
                    (_, AggregateFunction::Avg) => exact_average(sum, count, &argument, &self.ty)?,
                    _ => exact_sum(sum, &self.ty)?,
                }
            }
            State::Float(sums) => match (sums[group], self.function) {
                ((_, 0), _) => Datum::Null,
                ((sum, count), AggregateFunction::Avg) => Datum::F64(sum / count as f64),
                ((sum, _), _) if !sum.is_finite() => return Err(kernel::arithmetic_overflow(kind)),
                ((sum, _), _) => Datum::F64(sum),
            },
            State::Spread(spread) => {
                let (count, _, squares) = spread[group];
                let population = matches!(self.function, AggregateFunction::StDevP | AggregateFunction::VarP);
                let divisor = if population { count } else { count - 1 };
                let root = matches!(self.function, AggregateFunction::StDev | AggregateFunction::StDevP);
                match divisor {
                    ..=0 => Datum::Null,
                    _ if root => Datum::F64((squares / divisor as f64).sqrt()),
                    _ => Datum::F64(squares / divisor as f64),
                }
            }
            State::Extreme(best, _, _, _) => best[group].clone(),
            State::ExtremeI64(best) => best[group].map_or(Datum::Null, Datum::I64),
            State::Text(texts, _, separator) => join_text(&texts[group], separator, &self.ty, context)?,
            State::Checksum(sums) => sums[group].map_or(Datum::Null, |sum| Datum::I64(sum as i64)),
            State::Product(products) => match (products[group], self.ty.physical()) {
                (None, _) => Datum::Null,
                (Some(product), Physical::I64) => Datum::I64(product as i64),
                (Some(product), _) => Datum::I128(product),
            },
            State::FloatProduct(products) => products[group].map_or(Datum::Null, Datum::F64),
            State::Ranked(values, part, _) => percentile(&values[group], *part, self.function, context)?,
            State::Shapes(values, method, _) => spatial::aggregated(context, &self.ty, *method, &values[group])?,
        };
        out.push_owned(datum);
        Ok(())
    }
}

fn state_for(function: AggregateFunction, argument: &SqlType) -> State {
    use AggregateFunction::*;
    match function {
        Count | CountBig | ApproxCountDistinct => State::Count(Vec::new()),
        Sum | Avg if argument.physical() == Physical::F64 => State::Float(Vec::new()),
        Sum | Avg => State::Exact(Vec::new()),
        StDev | StDevP | Var | VarP => State::Spread(Vec::new()),
        Min | Max if argument.physical() == Physical::I64 => State::ExtremeI64(Vec::new()),
        Min | Max => State::Extreme(Vec::new(), KeyCodec::new(argument, false), Vec::new(), 0),
        StringAgg => State::Text(Vec::new(), 0, Vec::new()),
        ChecksumAgg => State::Checksum(Vec::new()),
        Product if argument.physical() == Physical::F64 => State::FloatProduct(Vec::new()),
        Product => State::Product(Vec::new()),
        ApproxPercentileCont | ApproxPercentileDisc => State::Ranked(Vec::new(), None, 0),
        Shapes(method) => State::Shapes(Vec::new(), method, 0),
    }
}

fn order_keys(order: &[SortKey], compiler: &mut Compiler) -> SqlResult<RowKeys> {
    super::sort::row_keys(order, compiler)
}

fn length_of(datum: &Datum) -> usize {
    if let Datum::Bytes(bytes) = datum { bytes.len() } else { 0 }
}

fn as_exact(column: &Column, row: usize) -> i128 {
    match &column.data {
        ColumnData::I64(values) => values[row].into(),
        ColumnData::I128(values) => values[row],
        _ => unreachable!("exact sums and products are of integers and decimals"),
    }
}

fn as_f64(column: &Column, row: usize) -> f64 {
    match &column.data {
        ColumnData::I64(values) => values[row] as f64,
        ColumnData::F64(values) => values[row],
        other => panic!("a spread over {other:?}: the binder converts to float"),
    }
}

fn exact_sum(sum: i128, ty: &SqlType) -> SqlResult<Datum> {
    let fits = match ty.kind {
        TypeKind::Int => i32::try_from(sum).is_ok(),
        TypeKind::BigInt | TypeKind::Money => i64::try_from(sum).is_ok(),
        _ => sum.unsigned_abs() < 10_u128.pow(38),
    };
    if !fits {
        return Err(kernel::arithmetic_overflow(ty.kind));
    }
    Ok(if ty.physical() == Physical::I64 { Datum::I64(sum as i64) } else { Datum::I128(sum) })
}

/// One more factor, as `*` multiplies: decimals are rounded to the scale of the result each time.
fn exact_product(product: Option<i128>, value: i128, scale: u8, ty: &SqlType) -> SqlResult<i128> {
    if ty.physical() == Physical::I64 {
        let value = i64::try_from(value).expect("of the class of the result");
        return match product {
            Some(product) => Ok(arith::mul_i64(ty.kind, product as i64, value)?.into()),
            None => Ok(value.into()),
        };
    }
    match product {
        Some(product) => decimal::Kernel::new(decimal::Operation::Multiply, ty.scale, scale, ty).apply(product, value),
        None => decimal::rescale(value, scale, ty.scale).ok_or_else(|| kernel::arithmetic_overflow(ty.kind)),
    }
}

/// Integers truncate; decimals get the result's scale, truncated; money rounds.
fn exact_average(sum: i128, count: i64, argument: &SqlType, ty: &SqlType) -> SqlResult<Datum> {
    let count = count as i128;
    if ty.physical() == Physical::I64 {
        let money = matches!(ty.kind, TypeKind::Money | TypeKind::SmallMoney);
        let half = if money { count / 2 * sum.signum() } else { 0 };
        return Ok(Datum::I64(((sum + half) / count) as i64));
    }
    let more = ty.scale.saturating_sub(argument.scale) as u32;
    let (mut whole, mut rest) = (sum / count, sum % count);
    for _ in 0..more {
        rest *= 10;
        whole = whole
            .checked_mul(10)
            .and_then(|whole| whole.checked_add(rest / count))
            .ok_or_else(|| kernel::arithmetic_overflow(ty.kind))?;
        rest %= count;
    }
    Ok(Datum::I128(whole))
}

/// Adds a text, whose place among the others the keys of a row say. How many bytes more there are.
fn add_text(
    texts: &mut Vec<(Vec<u8>, Vec<u8>)>,
    text: &[u8],
    separator: &[u8],
    keys: Option<(&RowKeys, usize)>,
    context: &Context,
) -> SqlResult<usize> {
    let mut order = Vec::new();
    match (keys, texts.first_mut()) {
        // As they come: they are joined at once.
        (None, Some((_, joined))) => {
            let pacer = &mut context.pacer();
            pacer.copy(separator, joined)?;
            pacer.copy(text, joined)?;
            return Ok(separator.len() + text.len());
        }
        (None, None) => {}
        (Some((keys, row)), _) => keys.encode(row, &mut order),
    }
    let bytes = text.len() + order.len() + 48;
    texts.push((order, context.own(Cow::Borrowed(text))?));
    Ok(bytes)
}

/// `texts`: each with its key of the order.
fn join_text(texts: &[(Vec<u8>, Vec<u8>)], separator: &[u8], ty: &SqlType, context: &Context) -> SqlResult<Datum> {
    if texts.is_empty() {
        return Ok(Datum::Null);
    }
    let order = order_of(texts.len(), |at| &texts[at].0, context)?;
    let pacer = &mut context.pacer();
    let mut joined = Vec::new();
    for (at, text) in order.into_iter().enumerate() {
        if at > 0 {
            pacer.copy(separator, &mut joined)?;
        }
        pacer.copy(&texts[text as usize].1, &mut joined)?;
    }
    if !ty.is_max() && joined.len() > ty.length as usize {
        return Err(sql_error!(9829, state if ty.is_unicode_string() { 1 } else { 0 }));
    }
    Ok(Datum::Bytes(joined.into()))
}

/// Of values with their keys of the order; `part`: 0 to 1, else error 4199. The exact percentile is within the error that is allowed.
fn percentile(
    values: &[(Vec<u8>, Datum)],
    part: Option<f64>,
    function: AggregateFunction,
    context: &Context,
) -> SqlResult<Datum> {
    if values.is_empty() {
        return Ok(Datum::Null);
    }
    let within = function == AggregateFunction::ApproxPercentileDisc;
    let Some(part) = part.filter(|part| (0.0..=1.0).contains(part)) else {
        let shown = part.map_or("NULL".to_owned(), |part| part.to_string());
        let name = if within { "approx_percentile_disc" } else { "approx_percentile_cont" };
        return Err(sql_error!(4199, shown, 1, name));
    };
    let order = order_of(values.len(), |at| &values[at].0, context)?;
    let value = |at: usize| &values[order[at] as usize].1;
    if within {
        let at = (part * order.len() as f64).ceil() as usize;
        return Ok(value(at.clamp(1, order.len()) - 1).clone());
    }
    let place = part * (order.len() - 1) as f64;
    let (Datum::F64(low), Datum::F64(high)) = (value(place.floor() as usize), value(place.ceil() as usize)) else {
        panic!("a percentile between values is of floats");
    };
    let between = low + (high - low) * (place - place.floor());
    if between.is_finite() { Ok(Datum::F64(between)) } else { Err(kernel::arithmetic_overflow(TypeKind::Float)) }
}

/// Rows of group values, one a group, in the groups' classes.
pub fn group_rows(group: &[Scalar]) -> RowBatch {
    columns::batch_for(group.iter().map(|scalar| &scalar.ty))
}
