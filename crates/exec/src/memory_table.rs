//! Rows of a table variable: not part of any transaction, but a failed statement leaves no trace. And rows that a statement has changed, for
//! its triggers and for what refers to them.
//!
//! Rows are numbered. They are only ever appended or marked deleted, so a scan that began keeps its place; an update deletes and appends, and
//! what it appends is read in the place of what it deleted. A locator is the row's number, little-endian. When the table holds more than its part of what the module may have, its oldest rows go to
//! work files; the keys of its unique indexes stay.
//!
//! ```text
//! rows:  chunk (work file) | chunk (work file) | chunk (memory) | tail (memory)
//! ```

use std::collections::BTreeMap;
use std::ops::{Bound, Range};
use std::sync::Arc;

use sql::catalog::{IndexDef, TableDef};
use storage::{KeyBound, in_bounds};
use types::key::KeyCodec;
use types::{Datum, Physical, RowBatch, SqlResult};

use crate::columns;
use crate::context::{Context, out_of_memory};
use crate::operators::encode_from;
use crate::operators::row_file::{RowFile, RowReader};
use crate::workspace::{Held, SMALL_BYTES};

/// Of a chunk: in a work file it fills whole blocks, almost.
const CHUNK_BYTES: usize = 250_000;

/// Of a key in an index, besides its bytes.
const KEY_BYTES: usize = 56;

/// Of what the module may have, the table has one part of so many in memory: the rest is for those who read it.
const MEMORY_PART: usize = 2;

/// Rows looked at before a scan gives way, where most are deleted.
const LOOKS: usize = 16 * columns::BATCH_ROWS;

pub struct MemoryTable {
    classes: Vec<Physical>,
    chunks: Vec<Chunk>,
    /// So many of them are in work files: the first ones.
    filed: usize,
    /// The last rows, from number `tail_first` on.
    tail: RowBatch,
    tail_first: u32,
    tail_bytes: usize,
    /// A bit a row; rows beyond its end are not deleted.
    deleted: Arc<Vec<u64>>,
    places: Arc<Places>,
    live: usize,
    /// By unique index: key image to row.
    unique: Vec<BTreeMap<Vec<u8>, u32>>,
    /// Rows and live ones when the statement began, `deleted` if it deletes some, and the keys that it has taken out.
    before: (u32, usize),
    before_deleted: Option<Arc<Vec<u64>>>,
    /// Rows that the statement has put in the place of others, with these.
    replaced: Vec<(u32, u32)>,
    released: Vec<(usize, Vec<u8>, u32)>,
    /// It has claimed some, perhaps for a row that did not come.
    claimed: bool,
    pub identity: i64,
    held: Held,
    /// There is a chunk more since `held` was counted.
    grew: bool,
    /// Of the chunks in memory.
    chunk_bytes: usize,
    /// Of the keys of all unique indexes, with their places in them.
    key_bytes: usize,
    /// Counts how often all rows went and numbers began anew.
    generation: u32,
}

/// Where rows are read that an update has appended: in the place of those that they were.
#[derive(Clone, Default)]
struct Places {
    /// By place, which is the number that the row had first: its number now.
    row: BTreeMap<u32, u32>,
    /// By number: its place.
    place: BTreeMap<u32, u32>,
}

impl Places {
    fn put(&mut self, old: u32, new: u32) {
        let place = self.place.remove(&old).unwrap_or(old);
        self.place.insert(new, place);
        self.row.insert(place, new);
    }

    fn take_back(&mut self, old: u32, new: u32) {
        let place = self.place.remove(&new).expect("it was put there");
        if place == old {
            self.row.remove(&place);
        } else {
            self.place.insert(old, place);
            self.row.insert(place, old);
        }
    }

    /// The row that is read at `number`. None: it is read elsewhere.
    fn row_at(&self, number: u32) -> Option<u32> {
        if self.row.is_empty() {
            return Some(number);
        }
        match self.row.get(&number) {
            Some(row) => Some(*row),
            None => (!self.place.contains_key(&number)).then_some(number),
        }
    }

    fn bytes(&self) -> usize {
        self.row.len() * 2 * PLACE_BYTES
    }
}

/// Of an entry of `Places`.
const PLACE_BYTES: usize = 16;

struct Chunk {
    first: u32,
    rows: Rows,
}

enum Rows {
    Memory(RowBatch),
    /// With the number of each piece's first row, and where it lies.
    File(RowFile, Vec<(u32, u64)>),
}

impl MemoryTable {
    pub fn new(classes: Vec<Physical>, unique_count: usize) -> MemoryTable {
        MemoryTable {
            tail: RowBatch::new(classes.iter().copied()),
            classes,
            chunks: Vec::new(),
            filed: 0,
            tail_first: 0,
            tail_bytes: 0,
            deleted: Arc::default(),
            places: Arc::default(),
            live: 0,
            unique: vec![BTreeMap::new(); unique_count],
            before: (0, 0),
            before_deleted: None,
            replaced: Vec::new(),
            released: Vec::new(),
            claimed: false,
            identity: 0,
            held: Held::default(),
            grew: false,
            chunk_bytes: 0,
            key_bytes: 0,
            generation: 0,
        }
    }

    pub fn clear(&mut self) {
        self.take();
    }

    /// Its rows, which it has no more.
    pub fn take(&mut self) -> MemoryTable {
        let empty = MemoryTable::new(self.classes.clone(), self.unique.len());
        std::mem::replace(self, MemoryTable { generation: self.generation.wrapping_add(1), ..empty })
    }

    /// Rows ever appended.
    fn end(&self) -> u32 {
        self.tail_first + self.tail.rows as u32
    }

    /// False: unique index `index` has the key already.
    pub fn claim(&mut self, index: usize, key: Vec<u8>) -> bool {
        let row = self.end();
        let bytes = key.len() + KEY_BYTES;
        match self.unique[index].entry(key) {
            std::collections::btree_map::Entry::Occupied(_) => return false,
            std::collections::btree_map::Entry::Vacant(place) => place.insert(row),
        };
        self.key_bytes += bytes;
        self.claimed = true;
        true
    }

    pub fn has_key(&self, index: usize, key: &[u8]) -> bool {
        self.unique[index].contains_key(key)
    }

    pub fn release(&mut self, index: usize, key: Vec<u8>) {
        if let Some(row) = self.unique[index].remove(&key) {
            self.key_bytes -= key.len() + KEY_BYTES;
            self.released.push((index, key, row));
        }
    }

    /// The rows whose keys in unique index `index` are within one of `bounds`, in the keys' order.
    pub fn rows_of_keys(&self, index: usize, bounds: &[(KeyBound, KeyBound)]) -> Vec<u32> {
        let found = |(lower, upper): &(KeyBound, KeyBound)| {
            let from = match lower {
                KeyBound::Unbounded => Bound::Unbounded,
                KeyBound::Inclusive(bound) | KeyBound::Exclusive(bound) => Bound::Included(bound.as_slice()),
            };
            let (lower, upper) = (lower.clone(), upper.clone());
            let keys = self.unique[index].range::<[u8], _>((from, Bound::Unbounded));
            let keys = keys.skip_while(move |(key, _)| !in_bounds(key, &lower, &KeyBound::Unbounded));
            keys.take_while(move |(key, _)| in_bounds(key, &KeyBound::Unbounded, &upper))
        };
        match bounds {
            [one] => found(one).map(|(_, row)| *row).collect(),
            several => {
                let keys: BTreeMap<&[u8], u32> =
                    several.iter().flat_map(|one| found(one).map(|(key, row)| (key.as_slice(), *row))).collect();
                keys.into_values().collect()
            }
        }
    }

    /// Rows of a parameter of table type, whose keys are known to differ.
    pub fn fill(&mut self, table: &TableDef, rows: &RowBatch) -> SqlResult<()> {
        for row in 0..rows.rows {
            for (at, _, key) in unique_keys(table, rows, row) {
                self.claim(at, key);
            }
            let row: Vec<Datum> = rows.columns.iter().map(|column| column.datum(row)).collect();
            self.insert(&row)?;
        }
        self.keep_changes();
        Ok(())
    }

    /// Appends a row. `grew` says when it is time to `count`.
    pub fn insert(&mut self, row: &[Datum]) -> SqlResult<()> {
        if self.end() == u32::MAX {
            return Err(out_of_memory());
        }
        self.tail.push_row(row);
        self.live += 1;
        self.tail_bytes += row.iter().map(datum_bytes).sum::<usize>();
        if self.tail_bytes >= CHUNK_BYTES {
            self.cut();
        }
        Ok(())
    }

    /// Appends all rows of `rows`, which are counted. 701, 1105
    pub fn append(&mut self, context: &Context, rows: &RowBatch) -> SqlResult<()> {
        if self.end() as usize + rows.rows > u32::MAX as usize {
            return Err(out_of_memory());
        }
        columns::append_batch(&mut self.tail, rows);
        self.live += rows.rows;
        self.tail_bytes += columns::batch_bytes(rows);
        if self.tail_bytes >= CHUNK_BYTES {
            self.cut();
        }
        self.count(context)
    }

    /// The tail becomes a chunk.
    fn cut(&mut self) {
        let empty = RowBatch::new(self.classes.iter().copied());
        let rows = std::mem::replace(&mut self.tail, empty);
        let first = self.tail_first;
        self.tail_first += rows.rows as u32;
        self.tail_bytes = 0;
        self.chunk_bytes += columns::batch_room(&rows);
        self.chunks.push(Chunk { first, rows: Rows::Memory(rows) });
        self.grew = true;
    }

    /// It holds much that is not counted.
    pub fn grew(&self) -> bool {
        self.grew
    }

    fn bytes(&self) -> usize {
        let files = self.filed * (size_of::<Chunk>() + 64) + self.deleted.len() * 16;
        columns::batch_room(&self.tail) + self.chunk_bytes + self.key_bytes + files + self.places.bytes()
    }

    /// After some rows have come: what they take is the module's. Small ones count as nothing; what is beyond the table's part goes to work
    /// files. 701 if there is no memory for the rest, 1105 if there is no room.
    pub fn count(&mut self, context: &Context) -> SqlResult<()> {
        self.grew = false;
        if self.held.bytes() == 0 && self.bytes() < SMALL_BYTES {
            return Ok(());
        }
        let workspace = context.workspace();
        let part = workspace.limit() / MEMORY_PART;
        while self.bytes() > part || !self.held.hold(workspace, self.bytes()) {
            if self.filed == self.chunks.len() {
                if self.tail_bytes < SMALL_BYTES {
                    return self.held.force(workspace, self.bytes());
                }
                self.cut();
                self.grew = false;
            }
            self.file_oldest(context)?;
        }
        Ok(())
    }

    fn file_oldest(&mut self, context: &Context) -> SqlResult<()> {
        self.places = Arc::default();
        self.replaced.clear();
        let chunk = &mut self.chunks[self.filed];
        let Rows::Memory(rows) = &chunk.rows else { unreachable!("the first ones are in files") };
        let (mut file, mut pieces) = (RowFile::new(context).going_on(), Vec::new());
        file.append_noting(context, rows, |row, place| pieces.push((chunk.first + row as u32, place)))?;
        file.finish()?;
        self.chunk_bytes -= columns::batch_room(rows);
        chunk.rows = Rows::File(file, pieces);
        self.filed += 1;
        Ok(())
    }

    pub fn delete(&mut self, row: u32) {
        if is_deleted(&self.deleted, row) {
            return;
        }
        if self.before_deleted.is_none() {
            self.before_deleted = Some(self.deleted.clone());
        }
        mark(Arc::make_mut(&mut self.deleted), row..row + 1);
        self.live -= 1;
    }

    /// Row `new` is read where `old` was. Not once rows are in files: those are read piece after piece.
    pub fn replace(&mut self, old: u32, new: u32) {
        if self.filed > 0 {
            return;
        }
        Arc::make_mut(&mut self.places).put(old, new);
        self.replaced.push((old, new));
    }

    /// The number of the next row.
    pub fn next_row(&self) -> u32 {
        self.end()
    }

    /// A statement ended well: its changes stay.
    pub fn keep_changes(&mut self) {
        // All rows are new ones, in their old order: that of their numbers.
        if self.replaced.len() >= self.live && self.places.place.values().is_sorted() {
            self.places = Arc::default();
        }
        self.replaced.clear();
        self.released.clear();
        self.claimed = false;
        self.before_deleted = None;
        if self.live == 0 && self.end() > 0 {
            let identity = self.identity;
            self.take();
            self.identity = identity;
        }
        self.before = (self.end(), self.live);
    }

    /// A statement failed: as if it had not begun.
    pub fn undo_changes(&mut self) {
        let (end, live) = self.before;
        let released = std::mem::take(&mut self.released);
        if std::mem::take(&mut self.claimed) || !released.is_empty() {
            for keys in &mut self.unique {
                keys.retain(|_, row| *row < end);
            }
            for (index, key, row) in released.into_iter().filter(|(_, _, row)| *row < end) {
                self.unique[index].insert(key, row);
            }
            self.key_bytes = self.unique.iter().flat_map(BTreeMap::keys).map(|key| key.len() + KEY_BYTES).sum();
        }
        if let Some(before) = self.before_deleted.take() {
            self.deleted = before;
        }
        let replaced = std::mem::take(&mut self.replaced);
        if !replaced.is_empty() {
            let places = Arc::make_mut(&mut self.places);
            replaced.into_iter().rev().for_each(|(old, new)| places.take_back(old, new));
        }
        self.truncate(end);
        self.live = live;
    }

    /// Rows from number `end` on are gone: nobody reads them, since a scan that began before reads none that came later.
    fn truncate(&mut self, end: u32) {
        if self.tail_first >= end {
            self.tail = RowBatch::new(self.classes.iter().copied());
            self.tail_bytes = 0;
            while let Some(last) = self.chunks.pop_if(|last| last.first >= end) {
                if let Rows::Memory(rows) = &last.rows {
                    self.chunk_bytes -= columns::batch_room(rows);
                }
                self.tail_first = last.first;
            }
            self.filed = self.filed.min(self.chunks.len());
        }
        if self.end() > end {
            let rest = end..self.end();
            mark(Arc::make_mut(&mut self.deleted), rest);
        }
    }

    /// All its rows as one batch, which is counted in `held`. 701
    pub fn live_rows(&self, context: &Context, held: &mut Held) -> SqlResult<RowBatch> {
        let mut all = RowBatch::new(self.classes.iter().copied());
        let mut batches = Batches::new(self);
        while let Some(rows) = batches.next(context)? {
            columns::append_large(&mut all, rows);
            context.force(held, columns::batch_room(&all))?;
            context.yield_point()?;
        }
        Ok(all)
    }

    pub fn is_empty(&self) -> bool {
        self.live == 0
    }
}

/// All rows of a table, batch by batch: those of two tables of as many rows, none of them deleted, are in step.
pub struct Batches<'t> {
    table: &'t MemoryTable,
    scan: MemoryRows,
    stored: Vec<u16>,
    rows: RowBatch,
}

impl<'t> Batches<'t> {
    pub fn new(table: &'t MemoryTable) -> Batches<'t> {
        let rows = RowBatch::new(table.classes.iter().copied());
        let stored = (0..table.classes.len() as u16).collect();
        Batches { table, scan: MemoryRows::all(table, false), stored, rows }
    }

    /// None: there are no more.
    pub fn next(&mut self, context: &Context) -> SqlResult<Option<&RowBatch>> {
        self.rows.clear();
        let found = self.scan.next(context, self.table, &self.stored, columns::BATCH_ROWS, &mut self.rows)?;
        Ok(found.then_some(&self.rows))
    }
}

/// A row's keys in the unique indexes that hold it, with the indexes' numbers as `MemoryTable` counts them. `rows`: of the stored columns.
pub fn unique_keys<'d>(
    table: &'d TableDef,
    rows: &'d RowBatch,
    row: usize,
) -> impl Iterator<Item = (usize, &'d IndexDef, Vec<u8>)> {
    let encode = move |column: u16, descending: bool, key: &mut Vec<u8>| {
        let stored = table.stored[usize::from(column)].expect("keys and filters are of stored columns") as usize;
        let codec = KeyCodec::new(&table.columns[usize::from(column)].ty, descending);
        encode_from(&codec, &rows.columns[stored], row, key);
    };
    let unique = table.indexes.iter().filter(|index| index.unique).enumerate();
    unique.filter_map(move |(at, index)| {
        let mut key = Vec::new();
        for term in &index.filter {
            key.clear();
            encode(term.column, false, &mut key);
            if !term.keys.contains(&key) {
                return None;
            }
        }
        key.clear();
        index.key.iter().for_each(|(column, descending)| encode(*column, *descending, &mut key));
        Some((at, index, key))
    })
}

/// Bytes of a value in a batch.
fn datum_bytes(value: &Datum) -> usize {
    match value {
        Datum::Bytes(bytes) => bytes.len() + 4,
        _ => 16,
    }
}

fn is_deleted(bits: &[u64], row: u32) -> bool {
    bits.get(row as usize / 64).is_some_and(|word| word >> (row % 64) & 1 != 0)
}

fn mark(bits: &mut Vec<u64>, rows: Range<u32>) {
    if bits.len() * 64 < rows.end as usize {
        bits.resize((rows.end as usize).div_ceil(64), 0);
    }
    rows.for_each(|row| bits[row as usize / 64] |= 1 << (row % 64));
}

/// The numbers of the rows that a scan reads.
enum Numbers {
    /// All that were there when it began.
    All {
        left: Range<u32>,
        deleted: Arc<Vec<u64>>,
        places: Arc<Places>,
        backward: bool,
    },
    These {
        rows: Vec<u32>,
        at: usize,
    },
}

/// Reads rows of a table that were there when it began, while the table goes on.
pub struct MemoryRows {
    numbers: Numbers,
    generation: u32,
    /// Those of a batch.
    batch: Vec<u32>,
    /// The piece of a work file that was read last, and its rows' numbers.
    piece: RowBatch,
    range: Range<u32>,
    reader: RowReader,
}

impl MemoryRows {
    /// All rows, in the order in which they came or from the last one to the first.
    pub fn all(table: &MemoryTable, backward: bool) -> MemoryRows {
        let (deleted, places) = (table.deleted.clone(), table.places.clone());
        let numbers = Numbers::All { left: 0..table.end(), deleted, places, backward };
        MemoryRows::of(table, numbers)
    }

    /// Those, in this order.
    pub fn these(table: &MemoryTable, rows: Vec<u32>) -> MemoryRows {
        MemoryRows::of(table, Numbers::These { rows, at: 0 })
    }

    fn of(table: &MemoryTable, numbers: Numbers) -> MemoryRows {
        MemoryRows {
            numbers,
            generation: table.generation,
            batch: Vec::new(),
            piece: RowBatch::default(),
            range: 0..0,
            reader: RowReader::default(),
        }
    }

    /// Appends up to `wanted` rows to `out`, of each the columns `stored`. False: there are no more. The rows' numbers are in `numbers`.
    pub fn next(
        &mut self,
        context: &Context,
        table: &MemoryTable,
        stored: &[u16],
        wanted: usize,
        out: &mut RowBatch,
    ) -> SqlResult<bool> {
        self.batch.clear();
        if self.generation != table.generation {
            return Ok(false);
        }
        while self.batch.is_empty() {
            if !self.numbers.take(wanted, &mut self.batch) {
                return Ok(false);
            }
            context.yield_point()?;
        }
        let mut at = 0;
        while at < self.batch.len() {
            let (rows, range) =
                place_of(self.batch[at], table, &mut self.range, &mut self.piece, &mut self.reader, context)?;
            let end = at + self.batch[at..].iter().take_while(|row| range.contains(row)).count();
            let numbers = &mut self.batch[at..end];
            numbers.iter_mut().for_each(|row| *row -= range.start);
            for (to, from) in out.columns.iter_mut().zip(stored) {
                columns::append_gather(to, &rows.columns[*from as usize], numbers);
            }
            numbers.iter_mut().for_each(|row| *row += range.start);
            at = end;
        }
        out.rows += self.batch.len();
        Ok(true)
    }

    /// Of the rows that `next` gave.
    pub fn numbers(&self) -> &[u32] {
        &self.batch
    }

    /// Calls `each` with the batch that each row lies in, its place there and its number.
    pub fn each(
        &mut self,
        context: &Context,
        table: &MemoryTable,
        mut each: impl FnMut(&RowBatch, usize, u32) -> SqlResult<()>,
    ) -> SqlResult<()> {
        loop {
            self.batch.clear();
            let more = self.numbers.take(columns::BATCH_ROWS, &mut self.batch);
            for row in &self.batch {
                let (rows, range) = place_of(*row, table, &mut self.range, &mut self.piece, &mut self.reader, context)?;
                each(rows, (row - range.start) as usize, *row)?;
            }
            if !more {
                return Ok(());
            }
            context.yield_point()?;
        }
    }
}

/// The batch that a row lies in, and the numbers of its rows; what lies in a work file comes into `piece`.
fn place_of<'t>(
    row: u32,
    table: &'t MemoryTable,
    range: &mut Range<u32>,
    piece: &'t mut RowBatch,
    reader: &mut RowReader,
    context: &Context,
) -> SqlResult<(&'t RowBatch, Range<u32>)> {
    if row >= table.tail_first {
        return Ok((&table.tail, table.tail_first..table.end()));
    }
    let chunk = &table.chunks[table.chunks.partition_point(|chunk| chunk.first <= row) - 1];
    match &chunk.rows {
        Rows::Memory(rows) => Ok((rows, chunk.first..chunk.first + rows.rows as u32)),
        Rows::File(file, pieces) => {
            if !range.contains(&row) {
                let (first, place) = pieces[pieces.partition_point(|(first, _)| *first <= row) - 1];
                *range = 0..0;
                if piece.columns.is_empty() {
                    *piece = RowBatch::new(table.classes.iter().copied());
                }
                reader.seek(file, place)?;
                let read = reader.next(context, file, piece)?;
                assert!(read, "a piece lies where it was written");
                *range = first..first + piece.rows as u32;
            }
            Ok((piece, range.clone()))
        }
    }
}

impl Numbers {
    /// Appends up to `most` numbers. False: there are no more. It may append none and know of more: most rows are gone.
    fn take(&mut self, most: usize, out: &mut Vec<u32>) -> bool {
        match self {
            Numbers::These { rows, at } => {
                let end = rows.len().min(*at + most);
                out.extend_from_slice(&rows[*at..end]);
                let more = *at < rows.len();
                *at = end;
                more
            }
            Numbers::All { left, deleted, places, backward } => {
                let more = left.start < left.end;
                for _ in 0..LOOKS {
                    if out.len() == most {
                        break;
                    }
                    let Some(number) = (if *backward { left.next_back() } else { left.next() }) else { break };
                    out.extend(places.row_at(number).filter(|row| !is_deleted(deleted, *row)));
                }
                more
            }
        }
    }
}
