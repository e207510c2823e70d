//! Scans of table variables, and of a trigger's `inserted` and `deleted`.

use sql::plan::{self, TableSource};
use storage::{KeyBound, in_bounds};
use types::key::KeyCodec;
use types::{RowBatch, SqlResult};

use super::keys::encode_from;
use super::range::{Between, Buffers, Range};
use super::scan::{key_and_range, stored};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};
use crate::expression::{Compiler, I64Expr, filter_batch};
use crate::memory_table::{MemoryRows, MemoryTable};
use crate::workspace::Held;

struct MemoryScan {
    source: TableSource,
    /// Ordinals of the stored row.
    columns: Vec<u16>,
    locator: bool,
    backward: bool,
    /// Of the index that is read, if one is.
    key: Vec<(usize, KeyCodec)>,
    /// That index keeps its keys: its number among the unique ones.
    unique: Option<usize>,
    range: Option<Range>,
    residual: Option<I64Expr>,
    reads: Reads,
    held: Held,
    selection: Vec<u32>,
}

/// What is read since `open`.
enum Reads {
    Nothing,
    Variable(MemoryRows),
    /// Rows of a batch, in the order in which they are given out.
    Batch(Vec<u32>, usize),
}

pub fn make(scan: &plan::Scan, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    let table = match &scan.table {
        TableSource::Variable(_, table) | TableSource::Inserted(table) | TableSource::Deleted(table) => table,
        TableSource::Base(_) => unreachable!("a base table has its own scan"),
        TableSource::View(_) => unreachable!("a view is read by the query that it is"),
    };
    let (key, range) = key_and_range(scan, table, compiler)?;
    let key = key.iter().map(|(column, descending)| {
        let ty = &table.columns[*column as usize].ty;
        (stored(table, *column) as usize, KeyCodec::new(ty, *descending))
    });
    let mut unique = table.indexes.iter().filter(|index| index.unique);
    compiler.reads_variables = true;
    Ok(Box::new(MemoryScan {
        source: scan.table.clone(),
        columns: scan.columns.iter().map(|column| stored(table, *column)).collect(),
        locator: scan.locator,
        backward: scan.backward,
        key: key.collect(),
        unique: unique.position(|index| index.id == scan.index && index.filter.is_empty()),
        range,
        residual: compiler.optional_predicate(&scan.residual)?,
        reads: Reads::Nothing,
        held: Held::default(),
        selection: Vec::new(),
    }))
}

/// A key and the number of its row.
type Keyed = (Vec<u8>, u32);

/// `inserted` or `deleted`.
fn batch_of<'c>(source: &TableSource, context: &'c Context) -> &'c RowBatch {
    let rows = context.trigger.as_ref().expect("in a trigger");
    match source {
        TableSource::Inserted(_) => &rows.inserted,
        TableSource::Deleted(_) => &rows.deleted,
        _ => unreachable!("a variable has no batch, and a base table a scan of its own"),
    }
}

impl MemoryScan {
    fn open_variable(&mut self, context: &Context, table: &MemoryTable) -> SqlResult<MemoryRows> {
        if self.key.is_empty() {
            return Ok(MemoryRows::all(table, self.backward));
        }
        let bounds = self.bounds(context)?;
        let mut rows = match self.unique {
            Some(index) => table.rows_of_keys(index, &bounds),
            None => {
                let mut keyed = Vec::new();
                MemoryRows::all(table, false).each(context, table, |rows, row, number| {
                    let bytes = add_keyed(&self.key, rows, row, number, &bounds, &mut keyed);
                    {
                        let held = self.held.bytes() + bytes;
                        context.force(&mut self.held, held)
                    }
                })?;
                sorted(keyed)
            }
        };
        if self.backward {
            rows.reverse();
        }
        self.held.clear();
        context.force(&mut self.held, rows.capacity() * 4)?;
        Ok(MemoryRows::these(table, rows))
    }

    fn bounds(&self, context: &Context) -> SqlResult<Vec<Between>> {
        let mut bounds = Vec::new();
        match &self.range {
            None => bounds.push((KeyBound::Unbounded, KeyBound::Unbounded)),
            Some(range) => range.bounds(context, &mut Buffers::default(), &mut bounds)?,
        }
        Ok(bounds)
    }

    fn open_batch(&self, context: &Context) -> SqlResult<Vec<u32>> {
        let batch = batch_of(&self.source, context);
        let mut rows: Vec<u32> = (0..batch.rows as u32).collect();
        if !self.key.is_empty() {
            let (bounds, mut keyed) = (self.bounds(context)?, Vec::new());
            for row in rows {
                add_keyed(&self.key, batch, row as usize, row, &bounds, &mut keyed);
            }
            rows = sorted(keyed);
        }
        if self.backward {
            rows.reverse();
        }
        Ok(rows)
    }
}

/// Adds a row's key if it is within one of `bounds`: the bytes that this takes.
fn add_keyed(
    codecs: &[(usize, KeyCodec)],
    rows: &RowBatch,
    row: usize,
    number: u32,
    bounds: &[Between],
    keyed: &mut Vec<Keyed>,
) -> usize {
    let mut key = Vec::new();
    for (column, codec) in codecs {
        encode_from(codec, &rows.columns[*column], row, &mut key);
    }
    if !bounds.iter().any(|(lower, upper)| in_bounds(&key, lower, upper)) {
        return 0;
    }
    let bytes = key.capacity() + size_of::<Keyed>();
    keyed.push((key, number));
    bytes
}

fn sorted(mut keyed: Vec<Keyed>) -> Vec<u32> {
    keyed.sort();
    keyed.into_iter().map(|(_, row)| row).collect()
}

impl RowSource for MemoryScan {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.reads = match &self.source {
            TableSource::Variable(slot, _) => {
                let table = context.tables[slot.0 as usize].borrow();
                Reads::Variable(self.open_variable(context, &table)?)
            }
            _ => Reads::Batch(self.open_batch(context)?, 0),
        };
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        loop {
            out.clear();
            let most = wanted.min(BATCH_ROWS);
            let numbers = match &mut self.reads {
                Reads::Nothing => return Ok(()),
                Reads::Variable(rows) => {
                    let TableSource::Variable(slot, _) = &self.source else { unreachable!("a variable is read") };
                    let table = context.tables[slot.0 as usize].borrow();
                    if !rows.next(context, &table, &self.columns, most, out)? {
                        return Ok(());
                    }
                    rows.numbers()
                }
                Reads::Batch(rows, at) => {
                    let count = (rows.len() - *at).min(most);
                    let numbers = *at..*at + count;
                    *at += count;
                    let rows = &rows[numbers];
                    let batch = batch_of(&self.source, context);
                    for (to, from) in out.columns.iter_mut().zip(&self.columns) {
                        columns::append_gather(to, &batch.columns[*from as usize], rows);
                    }
                    out.rows = count;
                    if count == 0 {
                        return Ok(());
                    }
                    rows
                }
            };
            if self.locator {
                let to = out.columns.last_mut().expect("the locator has a column");
                numbers.iter().for_each(|row| to.push_bytes(&row.to_le_bytes()));
            }
            if let Some(residual) = &self.residual {
                filter_batch(residual, context, out, &mut self.selection)?;
            }
            if out.rows > 0 {
                return Ok(());
            }
        }
    }

    fn close(&mut self) {
        self.reads = Reads::Nothing;
        self.held.clear();
    }
}
