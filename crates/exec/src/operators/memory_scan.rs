//! Scans of table variables, and of a trigger's `inserted` and `deleted`.

use sql::plan::{self, TableSource};
use storage::{KeyBound, in_bounds};
use types::key::KeyCodec;
use types::{RowBatch, SqlResult};

use super::keys::encode_from;
use super::range::{Between, Buffers, Range};
use super::scan::{key_and_range, stored};
use crate::columns::BATCH_ROWS;
use crate::context::{Context, RowSource, TriggerRows};
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
    Rows(MemoryRows),
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
    // Rows of a trigger have no keys but what is read of them.
    let is_variable = matches!(scan.table, TableSource::Variable(..));
    let mut unique = table.indexes.iter().filter(|index| is_variable && index.unique);
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

fn of_trigger<'c>(context: &'c Context) -> &'c TriggerRows {
    context.trigger.as_ref().expect("in a trigger")
}

/// What `read` makes of the table.
fn with_table<R>(source: &TableSource, context: &Context, read: impl FnOnce(&MemoryTable) -> R) -> R {
    match source {
        TableSource::Variable(slot, _) => read(&context.tables[slot.0 as usize].borrow()),
        TableSource::Inserted(_) => read(&of_trigger(context).inserted),
        TableSource::Deleted(_) => read(&of_trigger(context).deleted),
        TableSource::Base(_) | TableSource::View(_) => unreachable!("no such scan is made"),
    }
}

impl MemoryScan {
    fn open_table(&mut self, context: &Context, table: &MemoryTable) -> SqlResult<MemoryRows> {
        if self.key.is_empty() {
            let last_first = match self.source {
                TableSource::Inserted(_) | TableSource::Deleted(_) => of_trigger(context).last_first,
                _ => false,
            };
            return Ok(MemoryRows::all(table, self.backward || last_first));
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
        let source = self.source.clone();
        self.reads = Reads::Rows(with_table(&source, context, |table| self.open_table(context, table))?);
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        loop {
            out.clear();
            let most = wanted.min(BATCH_ROWS);
            let Reads::Rows(rows) = &mut self.reads else { return Ok(()) };
            let columns = &self.columns;
            if !with_table(&self.source, context, |table| rows.next(context, table, columns, most, out))? {
                return Ok(());
            }
            let numbers = rows.numbers();
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
