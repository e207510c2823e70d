//! Statistics of the values in users' tables: which there are, when they are made, and where this engine keeps them.
//!
//! They are kept in memory, a list for each table of a database, and made when a plan or a statement wants them: a sample of some
//! hundred pages takes milliseconds, so a start has nothing to read and a crash nothing to repair. Definitions (CREATE STATISTICS, indexes)
//! are in the catalog; automatic ones are only here, and so gone after a start until a plan wants them again.

use std::collections::HashMap;
use std::sync::Arc;

use os::sync::RwLock;
use os::wait::WaitType;
use sql::catalog::{ColumnTest, FilterTerm, TableDef};
use sql::statistics::distinct::DistinctCounter;
use sql::statistics::{HistogramBuilder, Met, Statistics, TableStatistics, Wanted, Watch, changes_max};
use storage::{ChangeCount, Isolation, Sampled, Storage, Table};
use types::key::KeyCodec;
use types::row::{Field, RowView};
use types::{Datum, SqlType};

use super::clock;
use super::row::Date;

/// Leaves that an automatic sample reads: 2 MB.
pub const LEAVES_AUTOMATIC: u64 = 256;
/// Leaves that UPDATE STATISTICS reads unless it says how many, and the most that it reads without a sort: 16 MB.
pub const LEAVES_ASKED: u64 = 1024;
pub const LEAVES_MAX: u64 = 2048;
/// What the statistics of a database take of the memory that the server may have, at most: a part in so many, but so many bytes in any case.
/// For more of them the oldest go, and are made again if they are wanted: most often those of tables that are gone.
const MEMORY_PART: u64 = 64;
const BYTES_LEAST: u64 = 2 << 20;

/// Which statistics of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatisticsId {
    /// Of the catalog: `sys.stats.stats_id`.
    Named(u32),
    /// Automatic ones of a column: its `column_id`.
    Automatic(u32),
}

/// Automatic statistics have numbers that indexes never get.
const AUTOMATIC_FIRST: u32 = 1 << 20;

impl StatisticsId {
    /// `sys.stats.stats_id`
    pub fn number(self) -> u32 {
        match self {
            StatisticsId::Named(id) => id,
            StatisticsId::Automatic(column) => AUTOMATIC_FIRST + column,
        }
    }

    /// Of automatic ones of a table.
    pub fn automatic_name(self, object: i32) -> Option<String> {
        match self {
            StatisticsId::Automatic(column) => Some(automatic_name(column, object)),
            StatisticsId::Named(_) => None,
        }
    }

    pub fn from_number(number: u32) -> StatisticsId {
        match number.checked_sub(AUTOMATIC_FIRST) {
            Some(column) => StatisticsId::Automatic(column),
            None => StatisticsId::Named(number),
        }
    }
}

/// `_WA_Sys_00000002_0EA330E9`: column and table in hexadecimal.
pub fn automatic_name(column_id: u32, object: i32) -> String {
    format!("_WA_Sys_{column_id:08X}_{object:08X}")
}

/// What statistics are to be made of.
#[derive(Debug, Clone)]
pub struct Spec {
    pub id: StatisticsId,
    /// Of `TableDef::columns`.
    pub columns: Vec<u16>,
    pub filter: Vec<FilterTerm>,
    /// NORECOMPUTE
    pub kept_as_made: bool,
}

/// Statistics as they are kept.
#[derive(Debug)]
pub struct Kept {
    pub id: StatisticsId,
    /// `column_id` and type: columns may have become others since.
    columns: Vec<(u32, SqlType)>,
    pub statistics: Arc<Statistics>,
    pub made: Date,
    /// `ChangeCount` of the table when they were made.
    pub changes: i64,
    /// NORECOMPUTE, of automatic ones, which no catalog knows.
    kept_as_made: bool,
}

impl Kept {
    pub fn new(table: &TableDef, spec: &Spec, statistics: Statistics, changes: i64) -> Kept {
        let columns = columns_of(table, &spec.columns);
        Kept {
            id: spec.id,
            columns,
            statistics: Arc::new(statistics),
            made: clock::now(),
            changes,
            kept_as_made: spec.kept_as_made,
        }
    }

    pub fn is_kept_as_made(&self) -> bool {
        self.kept_as_made
    }

    fn bytes(&self) -> usize {
        size_of::<Kept>() + self.statistics.held_bytes()
    }

    pub fn first_type(&self) -> SqlType {
        self.columns[0].1
    }

    pub fn is_of(&self, table: &TableDef, spec: &Spec) -> bool {
        self.id == spec.id && self.columns == columns_of(table, &spec.columns)
    }
}

fn columns_of(table: &TableDef, columns: &[u16]) -> Vec<(u32, SqlType)> {
    columns.iter().map(|&at| &table.columns[usize::from(at)]).map(|column| (column.column_id, column.ty)).collect()
}

/// Of one database.
pub struct Store(RwLock<Tables>);

#[derive(Default)]
struct Tables {
    known: HashMap<i32, Vec<Arc<Kept>>>,
    bytes: usize,
}

impl Tables {
    fn add(&mut self, object: i32, kept: Arc<Kept>) {
        self.remove(object, |old| old.id == kept.id);
        self.bytes += kept.bytes();
        self.known.entry(object).or_default().push(kept);
    }

    /// How many they were.
    fn remove(&mut self, object: i32, goes: impl Fn(&Kept) -> bool) -> usize {
        let Some(own) = self.known.get_mut(&object) else { return 0 };
        let before = own.len();
        let bytes = &mut self.bytes;
        own.retain(|kept| {
            let goes = goes(kept);
            *bytes -= if goes { kept.bytes() } else { 0 };
            !goes
        });
        let left = own.len();
        if left == 0 {
            self.known.remove(&object);
        }
        before - left
    }

    /// Lets the oldest go, until there is room for some more.
    fn make_room(&mut self, bytes_max: usize, but: i32) {
        let newest = |own: &Vec<Arc<Kept>>| own.iter().map(|kept| kept.made.0).max();
        let mut all: Vec<_> = self.known.iter().map(|(object, own)| (newest(own), *object)).collect();
        all.sort_unstable();
        for (_, object) in all.into_iter().filter(|(_, object)| *object != but) {
            if self.bytes <= bytes_max / 4 * 3 {
                break;
            }
            self.remove(object, |_| true);
        }
    }
}

impl Default for Store {
    fn default() -> Store {
        Store(RwLock::new(WaitType::METADATA_CACHE, Tables::default()))
    }
}

impl Store {
    pub fn of_table(&self, object: i32) -> Vec<Arc<Kept>> {
        self.0.read().known.get(&object).cloned().unwrap_or_default()
    }

    /// By table, in the order of their numbers.
    pub fn all(&self) -> Vec<(i32, Vec<Arc<Kept>>)> {
        let mut all: Vec<_> = self.0.read().known.iter().map(|(object, own)| (*object, own.clone())).collect();
        all.sort_by_key(|(object, _)| *object);
        all
    }

    pub fn find(&self, table: &TableDef, spec: &Spec) -> Option<Arc<Kept>> {
        self.0.read().known.get(&table.object.0)?.iter().find(|kept| kept.is_of(table, spec)).cloned()
    }

    pub fn put(&self, storage: &Storage, object: i32, kept: Arc<Kept>) {
        let bytes_max = (storage.broker().target() / MEMORY_PART).max(BYTES_LEAST) as usize;
        let mut tables = self.0.write();
        tables.add(object, kept);
        if tables.bytes > bytes_max {
            tables.make_room(bytes_max, object);
        }
    }

    /// True: they were there.
    pub fn forget(&self, object: i32, id: StatisticsId) -> bool {
        self.0.write().remove(object, |kept| kept.id == id) > 0
    }

    /// The table is gone.
    pub fn forget_table(&self, object: i32) {
        self.0.write().remove(object, |_| true);
    }
}

/// Fires when the table has changed so much that its statistics are made again.
#[derive(Debug)]
struct Changes {
    count: ChangeCount,
    /// Made anew, a table counts from a lower number.
    from: i64,
    to: i64,
}

impl Watch for Changes {
    fn has_moved(&self) -> bool {
        !(self.from..=self.to).contains(&self.count.get())
    }
}

/// AUTO_CREATE_STATISTICS, AUTO_UPDATE_STATISTICS
#[derive(Debug, Clone, Copy)]
pub struct Automatic {
    pub create: bool,
    pub update: bool,
}

/// Changes after which statistics are old. A temporary table of a few rows is likely to be filled next.
fn changes_until_old(table: &TableDef, rows: f64) -> f64 {
    if table.name.starts_with('#') && rows < 6.0 { 6.0 } else { changes_max(rows) }
}

/// What a plan may know of the table.
pub fn ask(
    storage: &Storage,
    store: &Store,
    automatic: Automatic,
    table: &TableDef,
    wanted: &[Wanted],
) -> TableStatistics {
    let Ok(opened) = open(storage, table) else { return TableStatistics::default() };
    let Some(count) = opened.changes() else { return TableStatistics::default() };
    let now = count.get();
    let mut found: Vec<Arc<Kept>> = Vec::with_capacity(wanted.len());
    let mut due: Vec<Spec> = Vec::new();
    for wanted in wanted {
        let Some(spec) = spec_of(table, *wanted, automatic) else { continue };
        match store.find(table, &spec) {
            Some(kept) => {
                let limit = changes_until_old(table, kept.statistics.unfiltered_rows);
                if automatic.update
                    && !spec.kept_as_made
                    && !kept.kept_as_made
                    && now.abs_diff(kept.changes) as f64 > limit
                {
                    due.push(spec);
                }
                found.push(kept);
            }
            None => due.push(spec),
        }
    }
    if !due.is_empty() && opened.row_count_estimate() > 0 {
        for kept in sampled(storage, table, &due, LEAVES_AUTOMATIC, false, &mut unheard()).unwrap_or_default() {
            let kept = Arc::new(kept);
            found.retain(|old| old.id != kept.id);
            found.push(kept.clone());
            store.put(storage, table.object.0, kept);
        }
    }
    // What could not be made now is tried again after as many changes.
    let rows = opened.row_count_estimate() as f64;
    let old_at = |kept: &Arc<Kept>| kept.changes + changes_until_old(table, kept.statistics.unfiltered_rows) as i64;
    let nothing_before = now + changes_until_old(table, rows) as i64;
    let to = found.iter().map(old_at).filter(|&at| at >= now).min().unwrap_or(nothing_before);
    let watch: Arc<dyn Watch> = Arc::new(Changes { count, from: now, to });
    TableStatistics {
        all: found.iter().map(|kept| kept.statistics.clone()).collect(),
        watch: automatic.update.then_some(watch),
        found: None,
        met: Vec::new(),
    }
}

fn open(storage: &Storage, table: &TableDef) -> storage::StorageResult<Arc<Table>> {
    storage.open_table(storage::DatabaseId(table.database.0), storage::TableId(table.object.0))
}

fn spec_of(table: &TableDef, wanted: Wanted, automatic: Automatic) -> Option<Spec> {
    match wanted {
        Wanted::Index(id) => index_spec(table, id),
        Wanted::Column(column) => {
            let begins = |columns: &[u16]| columns.first() == Some(&column);
            let own = table.statistics.iter().find(|own| own.filter.is_empty() && begins(&own.columns));
            match own {
                Some(own) => named_spec(table, own.id),
                None => automatic.create.then(|| automatic_spec(table, column)),
            }
        }
    }
}

pub fn automatic_spec(table: &TableDef, column: u16) -> Spec {
    let id = StatisticsId::Automatic(table.columns[usize::from(column)].column_id);
    Spec { id, columns: vec![column], filter: Vec::new(), kept_as_made: false }
}

/// Key columns, and behind those of an index that is not unique what finds its rows, as SQL Server counts them.
fn index_spec(table: &TableDef, id: u32) -> Option<Spec> {
    let index = table.indexes.iter().find(|index| index.id == id)?;
    let mut columns: Vec<u16> = index.key.iter().map(|(column, _)| *column).collect();
    let clustered = table.indexes.iter().find(|index| index.kind == sql::catalog::IndexKind::Clustered);
    if let Some(clustered) = clustered.filter(|clustered| clustered.id != id && !index.unique) {
        columns.extend(clustered.key.iter().map(|(column, _)| *column));
    }
    let mut seen = Vec::with_capacity(columns.len());
    columns.retain(|column| {
        !seen.contains(column) && {
            seen.push(*column);
            true
        }
    });
    Some(Spec {
        id: StatisticsId::Named(id),
        columns,
        filter: index.filter.clone(),
        kept_as_made: index.statistics_kept,
    })
}

/// Of an index or of CREATE STATISTICS.
pub fn named_spec(table: &TableDef, id: u32) -> Option<Spec> {
    let own = table.statistics.iter().find(|own| own.id == id).map(|own| Spec {
        id: StatisticsId::Named(id),
        columns: own.columns.clone(),
        filter: own.filter.clone(),
        kept_as_made: own.kept_as_made,
    });
    own.or_else(|| index_spec(table, id))
}

/// Waits for nobody; the task's interruption ends it.
pub fn unheard() -> impl FnMut() -> bool {
    || {
        os::wait::maybe_yield();
        !os::wait::is_interrupted()
    }
}

/// Makes statistics from at most so many leaves. None: the table has no rows, somebody changes its definition, or `pause` says no.
/// `held`: the caller's transaction holds the definition.
pub fn sampled(
    storage: &Storage,
    table: &TableDef,
    specs: &[Spec],
    leaves_max: u64,
    held: bool,
    pause: &mut dyn FnMut() -> bool,
) -> Option<Vec<Kept>> {
    let (_holding, opened) = hold(storage, table, held)?;
    let changes = opened.changes()?.get();
    let mut samples: Vec<Sample> = specs
        .iter()
        .filter(|spec| spec.columns.iter().all(|&column| table.is_countable(column)))
        .map(|spec| Sample::new(table, spec))
        .collect();
    let mut ended = false;
    let mut goes_on = || {
        ended |= !pause();
        !ended
    };
    let mut add = |leaf: u64, row: &types::row::RowView<'_>| samples.iter_mut().for_each(|own| own.add(leaf, row));
    let seen = visit(&opened, leaves_max, &mut goes_on, &mut add)?;
    if ended || seen.rows == 0 {
        return None;
    }
    let rows = if seen.is_whole() { seen.rows as f64 } else { opened.row_count_estimate().max(seen.rows) as f64 };
    Some(
        samples
            .into_iter()
            .map(|sample| Kept::new(table, sample.spec, sample.finish(table, seen, rows), changes))
            .collect(),
    )
}

/// The table, and what keeps its definition; whoever compiles waits for nobody. `held`: somebody keeps it already. A session's own temporary
/// tables may be locked by itself, and change under nobody.
fn hold(storage: &Storage, table: &TableDef, held: bool) -> Option<(storage::Transaction, Arc<Table>)> {
    let mut holding = storage.begin(Isolation::ReadUncommitted);
    if !held && !table.is_own() {
        holding.set_lock_timeout_ms(0);
        let (db, id) = (storage::DatabaseId(table.database.0), storage::TableId(table.object.0));
        holding.hold_table(db, id, false).ok()?;
    }
    let opened = open(storage, table).ok()?;
    let is_known = table.stored.iter().flatten().all(|&ordinal| usize::from(ordinal) < opened.layout().row.len());
    is_known.then_some((holding, opened))
}

fn visit(
    table: &Table,
    leaves_max: u64,
    goes_on: &mut dyn FnMut() -> bool,
    add: &mut dyn FnMut(u64, &RowView<'_>),
) -> Option<Sampled> {
    match table {
        Table::Disk(disk) => disk.sample(leaves_max, goes_on, add).ok(),
        Table::Partitioned(table) => table.sample(leaves_max, goes_on, add).ok(),
        Table::Memory(_) => None,
    }
}

/// See `sql::catalog::Catalog::keys_where`.
pub fn keys_where(
    storage: &Storage,
    table: &TableDef,
    tests: &mut [ColumnTest<'_>],
    given: u16,
) -> Option<Vec<Box<[u8]>>> {
    let mut found = Vec::new();
    test_rows(storage, table, u64::MAX, tests, given, &mut |key, passes| {
        if passes() {
            found.push(key.into());
        }
    })?;
    Some(found)
}

/// Leaves of which rows are counted that have some keys.
const MET_LEAVES: u64 = 24;

/// See `sql::catalog::Catalog::met`.
pub fn met(
    storage: &Storage,
    table: &TableDef,
    tests: &mut [ColumnTest<'_>],
    joined: u16,
    keys: &[Box<[u8]>],
) -> Option<Met> {
    let mut met = Met::default();
    test_rows(storage, table, MET_LEAVES, tests, joined, &mut |key, passes| {
        if keys.binary_search_by(|own| (**own).cmp(key)).is_ok() {
            met.rows += 1;
            met.passed += u32::from(passes());
        }
    })?;
    Some(met)
}

/// Shows `row` the key in the column `given` of each row of at most so many leaves, and what says whether the row passes all tests. None:
/// somebody changes the table's definition, or wants this to end.
fn test_rows(
    storage: &Storage,
    table: &TableDef,
    leaves_max: u64,
    tests: &mut [ColumnTest<'_>],
    given: u16,
    row: &mut dyn FnMut(&[u8], &mut dyn FnMut() -> bool),
) -> Option<()> {
    let (_holding, opened) = hold(storage, table, false)?;
    let place = |column: u16| table.stored[usize::from(column)].map(usize::from);
    let stored = place(given)?;
    let places = tests.iter().map(|(column, _)| place(*column)).collect::<Option<Vec<usize>>>()?;
    let codec = KeyCodec::new(&table.columns[usize::from(given)].ty, false);
    let mut key = Vec::new();
    let mut add = |_: u64, view: &RowView<'_>| {
        let lies_here = |ordinal: usize| matches!(view.field(ordinal), Field::Bytes(_));
        if lies_here(stored) {
            key.clear();
            codec.encode_field(view, stored, &mut key);
            let mut all = places.iter().zip(tests.iter_mut());
            row(&key, &mut || all.all(|(&at, (_, passes))| lies_here(at) && passes(&view.datum(at))));
        }
    };
    let mut ended = false;
    let mut pause = unheard();
    let mut goes_on = || {
        ended |= !pause();
        !ended
    };
    visit(&opened, leaves_max, &mut goes_on, &mut add)?;
    (!ended).then_some(())
}

/// The values of some columns in sampled rows, as keys.
struct Sample<'a> {
    spec: &'a Spec,
    places: Vec<(usize, KeyCodec)>,
    filter: Vec<(usize, KeyCodec, &'a FilterTerm)>,
    /// Keys of all rows one after the other.
    bytes: Vec<u8>,
    rows: Vec<SampleRow>,
    /// Of each row, behind its start, where the part of each column ends.
    ends: Vec<u32>,
    /// Of the first column.
    values: Vec<Datum>,
    /// Bytes that the values of each column have together.
    lengths: Vec<f64>,
}

#[derive(Clone, Copy)]
struct SampleRow {
    start: u32,
    leaf: u32,
    /// Of `values` and, by columns, of `ends`.
    number: u32,
}

impl<'a> Sample<'a> {
    fn new(table: &TableDef, spec: &'a Spec) -> Sample<'a> {
        let place = |column: u16| {
            let ordinal = table.stored[usize::from(column)].expect("a column with statistics is stored");
            (usize::from(ordinal), KeyCodec::new(&table.columns[usize::from(column)].ty, false))
        };
        let filter = spec.filter.iter().map(|term| {
            let (ordinal, codec) = place(term.column);
            (ordinal, codec, term)
        });
        Sample {
            places: spec.columns.iter().map(|&column| place(column)).collect(),
            filter: filter.collect(),
            bytes: Vec::new(),
            rows: Vec::new(),
            ends: Vec::new(),
            values: Vec::new(),
            lengths: vec![0.0; spec.columns.len()],
            spec,
        }
    }

    fn add(&mut self, leaf: u64, row: &RowView<'_>) {
        let start = self.bytes.len();
        for (ordinal, codec, term) in &self.filter {
            codec.encode_field(row, *ordinal, &mut self.bytes);
            let passes = term.keys.contains(&self.bytes[start..]);
            self.bytes.truncate(start);
            if !passes {
                return;
            }
        }
        for (at, (ordinal, codec)) in self.places.iter().enumerate() {
            match row.field(*ordinal) {
                Field::Bytes(bytes) => {
                    self.lengths[at] += bytes.len() as f64;
                    codec.encode_field(row, *ordinal, &mut self.bytes);
                }
                // A value that does not lie in its row is as good as none.
                Field::Null | Field::Overflow(_) => codec.encode(&Datum::Null, &mut self.bytes),
            }
            self.ends.push((self.bytes.len() - start) as u32);
        }
        let first = self.places[0].0;
        self.values.push(if matches!(row.field(first), Field::Bytes(_)) { row.datum(first) } else { Datum::Null });
        self.rows.push(SampleRow { start: start as u32, leaf: leaf as u32, number: self.rows.len() as u32 });
    }

    /// The key of the first `columns` columns.
    fn key(&self, row: SampleRow, columns: usize) -> &[u8] {
        let end = self.ends[row.number as usize * self.places.len() + columns - 1];
        &self.bytes[row.start as usize..][..end as usize]
    }

    fn finish(mut self, table: &TableDef, seen: Sampled, table_rows: f64) -> Statistics {
        let width = self.places.len();
        let mut rows = std::mem::take(&mut self.rows);
        let mut values = std::mem::take(&mut self.values);
        rows.sort_unstable_by(|a, b| self.key(*a, width).cmp(self.key(*b, width)));
        let part = if seen.is_whole() { 1.0 } else { seen.leaves_read as f64 / seen.leaves };
        let scale = table_rows / seen.rows as f64;
        let own_rows = rows.len() as f64 * scale;
        let mut histogram = HistogramBuilder::new(rows.len() as f64);
        let mut null_values = 0.0;
        let mut distinct: Vec<f64> = Vec::with_capacity(width);
        // Of each leaf the last group that was seen in it.
        let mut last_in = vec![0_u32; seen.leaves_read as usize + 1];
        let mut group = 0_u32;
        for columns in 1..=width {
            let mut counter = DistinctCounter::default();
            for equal in rows.chunk_by(|a, b| self.key(*a, columns) == self.key(*b, columns)) {
                group += 1;
                let mut leaves = 0;
                for row in equal {
                    let last = &mut last_in[row.leaf as usize];
                    leaves += usize::from(*last != group);
                    *last = group;
                }
                counter.add(leaves);
                if columns == 1 {
                    let value = std::mem::take(&mut values[equal[0].number as usize]);
                    if value.is_null() {
                        null_values = 1.0;
                        histogram.add_nulls(equal.len() as f64);
                    } else {
                        histogram.add(self.key(equal[0], 1), value, equal.len() as f64);
                    }
                }
            }
            let before = distinct.last().copied().unwrap_or(0.0);
            let unique = is_unique(table, &self.spec.columns[..columns]);
            let estimate = if unique { own_rows } else { counter.estimate(part, own_rows) };
            distinct.push(estimate.max(before));
        }
        let mut bytes = 0.0;
        let count = (rows.len() as f64).max(1.0);
        Statistics {
            columns: self.spec.columns.clone(),
            rows: own_rows,
            rows_sampled: rows.len() as f64,
            unfiltered_rows: table_rows,
            histogram: histogram.finish(scale, distinct.first().map_or(0.0, |all| all - null_values)),
            distinct,
            bytes: self
                .lengths
                .iter()
                .map(|length| {
                    bytes += length / count;
                    bytes
                })
                .collect(),
            filtered: !self.spec.filter.is_empty(),
        }
    }
}

/// A unique index has no more columns than these.
fn is_unique(table: &TableDef, columns: &[u16]) -> bool {
    table.indexes.iter().any(|index| {
        index.unique && index.filter.is_empty() && index.key.iter().all(|(column, _)| columns.contains(column))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sql::statistics::{HistogramBuilder, Statistics};
    use types::Datum;

    use super::{Date, Kept, StatisticsId, Tables};

    fn kept(id: u32, made: i64, value_bytes: usize) -> Arc<Kept> {
        let mut histogram = HistogramBuilder::new(1.0);
        let value = vec![b'v'; value_bytes];
        histogram.add(&value, Datum::Bytes(value.clone().into()), 1.0);
        let statistics = Statistics {
            columns: vec![0],
            rows: 1.0,
            rows_sampled: 1.0,
            unfiltered_rows: 1.0,
            histogram: histogram.finish(1.0, 1.0),
            distinct: vec![1.0],
            bytes: vec![1.0],
            filtered: false,
        };
        Arc::new(Kept {
            id: StatisticsId::Named(id),
            columns: Vec::new(),
            statistics: Arc::new(statistics),
            made: Date(made),
            changes: 0,
            kept_as_made: false,
        })
    }

    #[test]
    fn the_oldest_make_room_and_what_is_left_is_counted() {
        let mut tables = Tables::default();
        for object in 0..100 {
            for id in 1..=3 {
                tables.add(object, kept(id, i64::from(object ^ 37), 1_000));
            }
        }
        let all = tables.bytes;
        assert!(all > 300 * 2_000, "a value lies there as it is and as a key: {all}");
        tables.add(5, kept(2, 1_000, 1_000));
        assert_eq!(tables.bytes, all, "new ones take the place of old ones");
        tables.make_room(all / 2, 7);
        assert!(tables.bytes <= all / 8 * 3 && tables.bytes > all / 4, "{} of {all}", tables.bytes);
        assert!(
            tables.known.contains_key(&7) && tables.known.contains_key(&5),
            "the one that is filled, and a new one"
        );
        assert!(!tables.known.contains_key(&37), "the oldest");
        let objects: Vec<i32> = tables.known.keys().copied().collect();
        objects.iter().for_each(|object| assert!(tables.remove(*object, |_| true) > 0));
        assert_eq!((tables.bytes, tables.known.len()), (0, 0));
    }
}
