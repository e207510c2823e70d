//! Moving rows between columns: copy, gather, repeat. The inner loops of joins, sorts and filters.

use std::convert::Infallible;

use sql::plan::OutputColumn;
use types::pause::{Pacer, Pause};
use types::{Column, ColumnData, Physical, RowBatch, SqlResult, SqlType, long};

/// Rows of an ordinary batch. A batch without columns may count any number.
pub const BATCH_ROWS: usize = 1024;

pub fn batch_for<'a>(types: impl IntoIterator<Item = &'a SqlType>) -> RowBatch {
    RowBatch::new(types.into_iter().map(SqlType::physical))
}

pub fn class_of(column: &Column) -> Physical {
    match &column.data {
        ColumnData::I64(_) => Physical::I64,
        ColumnData::F64(_) => Physical::F64,
        ColumnData::I128(_) => Physical::I128,
        ColumnData::Bytes { .. } => Physical::Bytes,
    }
}

/// Row `row` is NULL.
#[inline]
pub fn mark_null(nulls: &mut Vec<u64>, row: usize) {
    if nulls.len() <= row / 64 {
        nulls.resize(row / 64 + 1, 0);
    }
    nulls[row / 64] |= 1 << (row % 64);
}

/// Appends `from[row]`. Panics if the classes differ.
#[inline]
pub fn append_row(to: &mut Column, from: &Column, row: usize) {
    if from.is_null(row) {
        return to.push_null();
    }
    match (&mut to.data, &from.data) {
        (ColumnData::I64(to), ColumnData::I64(from)) => to.push(from[row]),
        (ColumnData::F64(to), ColumnData::F64(from)) => to.push(from[row]),
        (ColumnData::I128(to), ColumnData::I128(from)) => to.push(from[row]),
        (ColumnData::Bytes { .. }, ColumnData::Bytes { .. }) => to.push_bytes(from.bytes(row)),
        (to, from) => panic!("a row of {from:?} appended to {to:?}"),
    }
}

/// The same columns where every one may be NULL.
pub fn nullable(columns: &[OutputColumn]) -> Vec<OutputColumn> {
    columns.iter().map(|column| OutputColumn { nullable: true, ..column.clone() }).collect()
}

/// Appends rows `start..end` of `from`.
pub fn append_range(to: &mut Column, from: &Column, start: usize, end: usize) {
    let Ok(()) = append_range_by(to, from, start, end, &mut |bytes, part| {
        long::append(bytes, part);
        Ok::<(), Infallible>(())
    });
}

/// As `append_range`, and hears meanwhile that nobody wants the rows any more.
pub fn append_range_paced(
    pause: &dyn Pause,
    to: &mut Column,
    from: &Column,
    start: usize,
    end: usize,
) -> SqlResult<()> {
    append_range_by(to, from, start, end, &mut |bytes, part| match part.len() {
        ..long::LONG => {
            bytes.extend_from_slice(part);
            Ok(())
        }
        _ => Pacer::new(pause).copy(part, bytes),
    })
}

/// `copy` appends bytes.
#[inline]
fn append_range_by<E>(
    to: &mut Column,
    from: &Column,
    start: usize,
    end: usize,
    copy: &mut impl FnMut(&mut Vec<u8>, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let base = to.len();
    if !from.nulls.is_empty() {
        for row in start..end {
            if from.is_null(row) {
                mark_null(&mut to.nulls, base + row - start);
            }
        }
    }
    match (&mut to.data, &from.data) {
        (ColumnData::I64(to), ColumnData::I64(from)) => to.extend_from_slice(&from[start..end]),
        (ColumnData::F64(to), ColumnData::F64(from)) => to.extend_from_slice(&from[start..end]),
        (ColumnData::I128(to), ColumnData::I128(from)) => to.extend_from_slice(&from[start..end]),
        (ColumnData::Bytes { ends, bytes }, ColumnData::Bytes { ends: from_ends, bytes: from_bytes }) => {
            if start == end {
                return Ok(());
            }
            let first = if start == 0 { 0 } else { from_ends[start - 1] };
            let shift = bytes.len() as u32;
            copy(bytes, &from_bytes[first as usize..from_ends[end - 1] as usize])?;
            ends.extend(from_ends[start..end].iter().map(|end| end - first + shift));
        }
        (to, from) => panic!("rows of {from:?} appended to {to:?}"),
    }
    Ok(())
}

/// Appends `from[row]` for each `row` of `rows`.
pub fn append_gather(to: &mut Column, from: &Column, rows: &[u32]) {
    let base = to.len();
    if !from.nulls.is_empty() {
        for (i, &row) in rows.iter().enumerate() {
            if from.is_null(row as usize) {
                mark_null(&mut to.nulls, base + i);
            }
        }
    }
    match (&mut to.data, &from.data) {
        (ColumnData::I64(to), ColumnData::I64(from)) => to.extend(rows.iter().map(|&row| from[row as usize])),
        (ColumnData::F64(to), ColumnData::F64(from)) => to.extend(rows.iter().map(|&row| from[row as usize])),
        (ColumnData::I128(to), ColumnData::I128(from)) => to.extend(rows.iter().map(|&row| from[row as usize])),
        (ColumnData::Bytes { ends, bytes }, ColumnData::Bytes { .. }) => {
            for &row in rows {
                long::append(bytes, from.bytes(row as usize));
                ends.push(bytes.len() as u32);
            }
        }
        (to, from) => panic!("rows of {from:?} appended to {to:?}"),
    }
}

/// Appends `from[row]` `count` times.
pub fn append_repeat(to: &mut Column, from: &Column, row: usize, count: usize) {
    if from.is_null(row) {
        return append_nulls(to, count);
    }
    match (&mut to.data, &from.data) {
        (ColumnData::I64(to), ColumnData::I64(from)) => to.resize(to.len() + count, from[row]),
        (ColumnData::F64(to), ColumnData::F64(from)) => to.resize(to.len() + count, from[row]),
        (ColumnData::I128(to), ColumnData::I128(from)) => to.resize(to.len() + count, from[row]),
        (ColumnData::Bytes { .. }, ColumnData::Bytes { .. }) => {
            for _ in 0..count {
                to.push_bytes(from.bytes(row));
            }
        }
        (to, from) => panic!("rows of {from:?} appended to {to:?}"),
    }
}

pub fn append_nulls(to: &mut Column, count: usize) {
    for _ in 0..count {
        to.push_null();
    }
}

/// Appends all rows of `from`.
pub fn append_batch(to: &mut RowBatch, from: &RowBatch) {
    append_batch_range(to, from, 0, from.rows);
}

pub fn append_batch_range(to: &mut RowBatch, from: &RowBatch, start: usize, end: usize) {
    for (to, from) in to.columns.iter_mut().zip(&from.columns) {
        append_range(to, from, start, end);
    }
    to.rows += end - start;
}

pub fn append_batch_rows(to: &mut RowBatch, from: &RowBatch, rows: &[u32]) {
    for (to, from) in to.columns.iter_mut().zip(&from.columns) {
        append_gather(to, from, rows);
    }
    to.rows += rows.len();
}

/// Keeps only the rows of `selection`, which ascends.
pub fn retain(batch: &mut RowBatch, selection: &[u32]) {
    if selection.len() == batch.rows {
        return;
    }
    for column in &mut batch.columns {
        retain_column(column, selection);
    }
    batch.rows = selection.len();
}

fn retain_column(column: &mut Column, selection: &[u32]) {
    fn keep<T: Copy>(values: &mut Vec<T>, selection: &[u32]) {
        for (to, &from) in selection.iter().enumerate() {
            values[to] = values[from as usize];
        }
        values.truncate(selection.len());
    }
    if !column.nulls.is_empty() {
        let mut nulls = Vec::new();
        for (to, &from) in selection.iter().enumerate() {
            if column.is_null(from as usize) {
                mark_null(&mut nulls, to);
            }
        }
        column.nulls = nulls;
    }
    match &mut column.data {
        ColumnData::I64(values) => keep(values, selection),
        ColumnData::F64(values) => keep(values, selection),
        ColumnData::I128(values) => keep(values, selection),
        ColumnData::Bytes { ends, bytes } => {
            let mut end = 0;
            for (to, &from) in selection.iter().enumerate() {
                let start = if from == 0 { 0 } else { ends[from as usize - 1] as usize };
                // `to <= from` and kept bytes only move down, so `ends[from]` is still the old one.
                let stop = ends[from as usize] as usize;
                bytes.copy_within(start..stop, end);
                end += stop - start;
                // The start of the next kept row is read from `ends[next - 1]`, which this may overwrite only when next - 1 == to,
                // that is when nothing was dropped so far and the value is unchanged.
                ends[to] = end as u32;
            }
            ends.truncate(selection.len());
            bytes.truncate(end);
        }
    }
}

/// Bytes of one value.
#[inline]
pub fn value_bytes(column: &Column, row: usize) -> usize {
    match &column.data {
        ColumnData::I64(_) | ColumnData::F64(_) => 8,
        ColumnData::I128(_) => 16,
        ColumnData::Bytes { .. } => column.bytes(row).len() + 4,
    }
}

/// Bytes a batch holds, for memory limits.
pub fn batch_bytes(batch: &RowBatch) -> usize {
    batch.columns.iter().map(column_bytes).sum::<usize>()
}

pub fn column_bytes(column: &Column) -> usize {
    match &column.data {
        ColumnData::I64(values) => values.len() * 8,
        ColumnData::F64(values) => values.len() * 8,
        ColumnData::I128(values) => values.len() * 16,
        ColumnData::Bytes { ends, bytes } => ends.len() * 4 + bytes.len(),
    }
}

/// Bytes that a batch takes of memory, with the room that it has for more.
pub fn batch_room(batch: &RowBatch) -> usize {
    let room = |column: &Column| match &column.data {
        ColumnData::I64(values) => values.capacity() * 8,
        ColumnData::F64(values) => values.capacity() * 8,
        ColumnData::I128(values) => values.capacity() * 16,
        ColumnData::Bytes { ends, bytes } => ends.capacity() * 4 + bytes.capacity(),
    };
    batch.columns.iter().map(|column| room(column) + column.nulls.capacity() * 8).sum()
}

/// From so many bytes on a list grows by a part of itself, and not to twice what it was.
const LARGE_BYTES: usize = 1 << 20;
const GROWTH_PART: usize = 4;

/// Room for `more` values.
pub fn grow<T>(values: &mut Vec<T>, more: usize) {
    if values.capacity() - values.len() < more && values.len() * size_of::<T>() >= LARGE_BYTES {
        values.reserve_exact(more.max(values.len() / GROWTH_PART));
    }
}

/// As `append_batch`, to what becomes large.
pub fn append_large(to: &mut RowBatch, from: &RowBatch) {
    grow_by(to, from);
    append_batch(to, from);
}

/// As `append_large`, and hears meanwhile that nobody wants the rows any more.
pub fn append_large_paced(pause: &dyn Pause, to: &mut RowBatch, from: &RowBatch) -> SqlResult<()> {
    grow_by(to, from);
    for (to, from) in to.columns.iter_mut().zip(&from.columns) {
        append_range_paced(pause, to, from, 0, from.len())?;
    }
    to.rows += from.rows;
    Ok(())
}

fn grow_by(to: &mut RowBatch, from: &RowBatch) {
    for (to, from) in to.columns.iter_mut().zip(&from.columns) {
        match (&mut to.data, &from.data) {
            (ColumnData::I64(to), ColumnData::I64(from)) => grow(to, from.len()),
            (ColumnData::F64(to), ColumnData::F64(from)) => grow(to, from.len()),
            (ColumnData::I128(to), ColumnData::I128(from)) => grow(to, from.len()),
            (ColumnData::Bytes { ends, bytes }, ColumnData::Bytes { ends: from_ends, bytes: from_bytes }) => {
                grow(ends, from_ends.len());
                grow(bytes, from_bytes.len());
            }
            (to, from) => panic!("rows of {from:?} appended to {to:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::Datum;

    fn sample() -> RowBatch {
        let mut batch = RowBatch::new([Physical::I64, Physical::Bytes]);
        for i in 0..130_i64 {
            let text = if i % 5 == 0 { Datum::Null } else { Datum::bytes(i.to_string().as_bytes()) };
            batch.push_row(&[if i % 7 == 0 { Datum::Null } else { Datum::I64(i) }, text]);
        }
        batch
    }

    fn rows(batch: &RowBatch) -> Vec<(Datum, Datum)> {
        (0..batch.rows).map(|row| (batch.columns[0].datum(row), batch.columns[1].datum(row))).collect()
    }

    #[test]
    fn retain_gather_and_range_agree_with_row_by_row() {
        let batch = sample();
        let all = rows(&batch);
        for modulus in [1, 2, 3, 64, 129, 200] {
            let selection: Vec<u32> = (0..130).filter(|i| i % modulus == modulus.min(3) - 1).collect();
            let expected: Vec<_> = selection.iter().map(|&i| all[i as usize].clone()).collect();
            let mut kept = batch.clone();
            retain(&mut kept, &selection);
            assert_eq!(rows(&kept), expected, "retain, modulus {modulus}");
            let mut gathered = RowBatch::new([Physical::I64, Physical::Bytes]);
            append_batch_rows(&mut gathered, &batch, &selection);
            assert_eq!(rows(&gathered), expected, "gather, modulus {modulus}");
        }
        let mut ranged = RowBatch::new([Physical::I64, Physical::Bytes]);
        append_batch_range(&mut ranged, &batch, 3, 71);
        append_batch_range(&mut ranged, &batch, 0, 5);
        let expected: Vec<_> = all[3..71].iter().chain(&all[0..5]).cloned().collect();
        assert_eq!(rows(&ranged), expected);
    }
}
