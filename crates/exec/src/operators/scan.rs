//! Scan: seeks and scans of base tables through storage.

use std::sync::Arc;

use sql::catalog::{IndexDef, TableDef};
use sql::plan::{self, OuterSlot, TableSource};
use storage::{IndexId, KeyBound, Prefixes, ScanSpec, StorageError};
use types::{RowBatch, SqlError, SqlResult, SqlType, sql_error};

use super::keys::encode_from;
use super::range::{Between, Buffers, Range};
use super::simple::Pending;
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource, out_of_memory};
use crate::expression::{Compiler, FirstLook, I64Expr, TableUse, filter, filter_batch};
use crate::statements::datum;

/// Why a database cannot be used.
/// https://learn.microsoft.com/sql/relational-databases/databases/database-states
pub fn not_open(database: &str, hold: storage::Hold) -> SqlError {
    match hold {
        storage::Hold::Offline => sql_error!(942, database),
        // Read in an emergency: rows in memory that are not there.
        storage::Hold::RecoveryPending | storage::Hold::Emergency => sql_error!(945, database),
        storage::Hold::Suspect => sql_error!(926, database),
        storage::Hold::Changing => sql_error!(952, database),
    }
}

/// What a storage error is to the user. Whose process and which database are filled in where the statement fails.
pub fn storage_error(error: StorageError, table: Option<&TableDef>) -> SqlError {
    match error {
        StorageError::DuplicateKey { index, .. } => {
            // The statement that has the row replaces this by the message with the key's values.
            let name = table
                .and_then(|table| table.indexes.iter().find(|def| def.id == index.0))
                .map_or(String::new(), |def| def.name.to_string());
            sql_error!(2601, table.map_or("", |table| &table.name), name, "")
        }
        StorageError::Deadlock => sql_error!(1205, 0, "lock"),
        StorageError::LockTimeout => sql_error!(1222, state 51),
        StorageError::Cancelled => crate::session::stopped(crate::sink::Stop::Attention),
        StorageError::UpdateConflict { .. } => {
            let name = table.map_or(String::new(), |table| format!("{}.{}", table.schema, table.name));
            sql_error!(3960, name, "")
        }
        StorageError::WriteConflict { .. } => sql_error!(41302),
        StorageError::NotRepeatable { .. } => sql_error!(41305),
        StorageError::Phantom { .. } => sql_error!(41325),
        StorageError::DependencyFailed => sql_error!(41301),
        StorageError::MemoryOptimizedFull { pool } => sql_error!(41805, pool),
        StorageError::QuotaReached => sql_error!(41823, state 171),
        StorageError::Reshaped { .. } => sql_error!(3961, ""),
        StorageError::RowTooLarge { bytes, bytes_max } => sql_error!(511, bytes, bytes_max),
        StorageError::KeyTooLong { bytes, bytes_max } => sql_error!(1946, state 3, bytes, bytes_max, "nonclustered"),
        StorageError::LogFull(holder) => sql_error!(9002, state 2, "", holder.name()),
        StorageError::DiskFull => sql_error!(1105, state 2, table.map_or("", |table| &table.name), "", "", "PRIMARY"),
        StorageError::WorkFilesFull => {
            sql_error!(1105, state 2, "<temporary system object>", "", "tempdb", "PRIMARY")
        }
        StorageError::OutOfMemory => out_of_memory(),
        StorageError::Stopped(_) => sql_error!(9001, ""),
        StorageError::Held { database, hold } => not_open(&database, hold),
        // All pages of a database are in its first file.
        StorageError::CorruptPage { page, awaits: None } => {
            sql_error!(824, state 2, "incorrect checksum", "read", format_args!("1:{}", page.page))
        }
        StorageError::CorruptPage { page, awaits: Some(db) } => {
            sql_error!(829, db.0, format_args!("(1:{})", page.page))
        }
        StorageError::UnknownTable | StorageError::UnknownIndex => {
            let name = table.map_or(String::new(), |table| table.name.to_string());
            sql_error!(208, name)
        }
        StorageError::Io(why) => sql_error!(823, state 2, why, "read or write"),
        other => sql_error!(3624, other),
    }
}

/// READPAST is for readers that neither keep what they read from changing nor read what is not committed: what the hints of the table
/// say, else the session's level.
fn may_read_past(lock: &storage::LockHint, isolation: sql::plan::IsolationLevel) -> bool {
    use sql::plan::IsolationLevel::*;
    if lock.committed || lock.repeatable {
        return true;
    }
    match isolation {
        Serializable | Snapshot => false,
        ReadUncommitted if !lock.update => false,
        _ => !lock.no_lock && !lock.hold,
    }
}

/// Whether a read of a memory-optimized table is under SNAPSHOT because its database elevates it. Refused where the session's
/// isolation level has no counterpart there: what SQL Server supports across the two kinds of table.
fn elevates(
    session: &crate::session::Session,
    lock: &storage::LockHint,
    database_elevates: impl FnOnce() -> bool,
) -> SqlResult<bool> {
    use sql::plan::IsolationLevel::*;
    if session.atomic.is_some() {
        return Ok(false);
    }
    let explicit = session.transaction.level > 0;
    Err(match session.options.isolation {
        Snapshot => session_at_snapshot(),
        _ if lock.snapshot => return Ok(false),
        ReadUncommitted | ReadCommitted if !explicit => return Ok(false),
        ReadUncommitted | ReadCommitted if lock.repeatable || lock.hold => return Ok(false),
        _ if !lock.repeatable && !lock.hold && database_elevates() => return Ok(true),
        ReadUncommitted | ReadCommitted => sql_error!(41368),
        RepeatableRead | Serializable => needs_snapshot(),
    })
}

/// 41332
pub fn session_at_snapshot() -> SqlError {
    sql_error!(41332)
}

/// 41333
pub fn needs_snapshot() -> SqlError {
    sql_error!(41333)
}

/// The ordinal of a column in the stored row.
pub fn stored(table: &TableDef, column: u16) -> u16 {
    table.stored[column as usize].expect("a scan reads stored columns only")
}

/// Columns of the scan's index with their direction, and its range.
#[allow(clippy::type_complexity)]
pub fn key_and_range(
    scan: &plan::Scan,
    table: &TableDef,
    compiler: &mut Compiler,
) -> SqlResult<(Vec<(u16, bool)>, Option<Range>)> {
    let index = table.indexes.iter().find(|index| index.id == scan.index);
    let key: Vec<(u16, bool)> = index.map_or(Vec::new(), |index| index.key.clone());
    let types: Vec<(SqlType, bool)> =
        key.iter().map(|(column, descending)| (table.columns[*column as usize].ty, *descending)).collect();
    let range = scan.range.as_ref().map(|range| Range::new(range, &types, compiler)).transpose()?;
    Ok((key, range))
}

fn partition_range(scan: &plan::Scan, table: &TableDef, compiler: &mut Compiler) -> SqlResult<Option<Range>> {
    let (Some(range), Some(partitioning)) = (&scan.partitions, &table.partitioning) else { return Ok(None) };
    let ty = table.columns[usize::from(partitioning.column)].ty;
    Range::new(range, &[(ty, false)], compiler).map(Some)
}

pub fn base(scan: &plan::Scan, table: &Arc<TableDef>, compiler: &mut Compiler) -> SqlResult<BaseScan> {
    let of_table = match &scan.lock {
        plan::LockHint { no_lock: true, .. } => TableUse::Dirty,
        plan::LockHint { own: true, .. } => TableUse::Upkeep,
        plan::LockHint { committed_now: true, .. } => TableUse::Committed,
        _ => TableUse::Level,
    };
    compiler.tables.push((table.clone(), of_table));
    let (_, range) = key_and_range(scan, table, compiler)?;
    let residual = compiler.optional_predicate(&scan.residual)?;
    let hint = &scan.lock;
    let lock = storage::LockHint {
        no_lock: hint.no_lock,
        update: hint.update,
        exclusive: hint.exclusive,
        keep: hint.keep,
        hold: hint.hold && !hint.repeatable,
        read_past: hint.read_past,
        no_wait: hint.no_wait,
        table: hint.table,
        shared: false,
        constraint: false,
        snapshot: hint.snapshot,
        repeatable: hint.repeatable,
        catalog: table.object.0 > 0 && table.object.0 < sql::catalog::USER_OBJECT_MIN,
        committed: hint.committed,
        committed_now: hint.committed_now,
        snapshot_reads: None,
    };
    let one_row = scan.range.as_ref().is_some_and(|range| {
        let is_key = |index: &IndexDef| index.id == scan.index && index.unique && index.key.len() == range.equal.len();
        range.any_of.is_empty() && table.indexes.iter().any(is_key)
    });
    Ok(BaseScan {
        scans: u64::from(!one_row),
        spec: ScanSpec {
            index: IndexId(scan.index),
            lower: KeyBound::Unbounded,
            upper: KeyBound::Unbounded,
            whole_keys: table.indexes.iter().any(|index| index.id == scan.index && index.bucket_count.is_some()),
            backward: scan.backward,
            columns: scan.columns.iter().map(|column| stored(table, *column)).collect(),
            unread: Vec::new(),
            locator: scan.locator,
            lookup: scan.lookup,
            lock,
            ignore_own_statement: !hint.own,
        },
        table: table.clone(),
        range,
        partitions: partition_range(scan, table, compiler)?,
        limits: Vec::new(),
        look: residual.as_ref().filter(|_| !scan.locator && !scan.lookup).and_then(|residual| {
            FirstLook::new(residual, scan.columns.iter().map(|column| table.columns[*column as usize].ty.physical()))
        }),
        residual,
        storage: None,
        opened: false,
        bounds: Vec::new(),
        buffers: Buffers::default(),
        scan: None,
        reading: false,
        selection: Vec::new(),
        ask: 0,
        most: if scan.columns.iter().any(|column| table.columns[*column as usize].ty.is_max()) {
            Some(LONG_ROWS)
        } else {
            None
        },
        pending: Pending::default(),
    })
}

/// A seek by equal values whose remaining predicate is the same for each outer row, as an inner side for `lookup_join`.
/// Not with locks, which a batch would take ahead of what the join's consumer wants.
pub fn lookup(
    scan: &plan::Scan,
    bindings: &[(OuterSlot, usize)],
    compiler: &mut Compiler,
) -> SqlResult<Option<Lookup>> {
    let (TableSource::Base(table), Some(range)) = (&scan.table, &scan.range) else { return Ok(None) };
    let equal_only =
        !range.equal.is_empty() && range.lower.is_none() && range.upper.is_none() && range.any_of.is_empty();
    let varies = |expr: &plan::Expr| {
        expr.any(&mut |expr| matches!(expr.kind, plan::ExprKind::Outer(_) | plan::ExprKind::Subquery(_)))
    };
    let locks = scan.lock.update || scan.lock.exclusive || scan.lock.hold || scan.lock.repeatable;
    if !equal_only || locks || scan.residual.as_ref().is_some_and(varies) {
        return Ok(None);
    }
    let column_of = |expr: &plan::Expr| match expr.kind {
        plan::ExprKind::Outer(slot) => bindings.iter().find(|(bound, _)| *bound == slot).map(|(_, column)| *column),
        _ => None,
    };
    let parts: Vec<Part> = range
        .equal
        .iter()
        .map(|expr| match column_of(expr) {
            Some(column) => Part::Column(column),
            None if varies(expr) || expr.is_volatile() => Part::Computed,
            None => Part::Same,
        })
        .collect();
    // Which partitions there are to look into is said by each key itself.
    let mut scan = base(scan, table, compiler)?;
    scan.partitions = None;
    let same = parts.iter().take_while(|part| **part == Part::Same).count();
    Ok(Some(Lookup { scan, parts, same, prefixes: Prefixes::default() }))
}

/// Where an equal value of a look-up comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// It is the same for all outer rows.
    Same,
    /// A column of the outer row.
    Column(usize),
    /// To be computed for each outer row.
    Computed,
}

/// The inner side of a `lookup_join`.
pub struct Lookup {
    scan: BaseScan,
    parts: Vec<Part>,
    /// How many parts at the beginning are `Same`.
    same: usize,
    prefixes: Prefixes,
}

impl Lookup {
    /// Goes on to the rows for the rows of `outer`, whatever was left of the ones before. `bind` makes an outer row the current
    /// one.
    pub fn begin(&mut self, context: &Context, outer: &RowBatch, bind: impl Fn(usize)) -> SqlResult<()> {
        self.scan.open_storage(context)?;
        let Lookup { scan, parts, same, prefixes } = self;
        let range = scan.range.as_ref().expect("a seek");
        prefixes.clear();
        let mut beginning = Vec::new();
        for at in 0..*same {
            if !range.part(at, context, &mut beginning)? {
                return Ok(());
            }
        }
        let is_computed = parts.contains(&Part::Computed);
        for row in 0..outer.rows {
            if is_computed {
                bind(row);
            }
            prefixes.push(row as u32, |prefix| {
                prefix.extend_from_slice(&beginning);
                for (at, part) in parts.iter().enumerate().skip(*same) {
                    let found = match part {
                        Part::Column(column) if outer.columns[*column].is_null(row) => false,
                        Part::Column(column) => {
                            encode_from(&range.codecs[at], &outer.columns[*column], row, prefix);
                            true
                        }
                        Part::Same | Part::Computed => range.part(at, context, prefix)?,
                    };
                    if !found {
                        return Ok(false);
                    }
                }
                Ok(true)
            })?;
        }
        context.reads(&self.scan.table, prefixes.len() as u64 * self.scan.scans);
        Ok(())
    }

    /// Whether there are no more rows for the outer rows of `begin`.
    pub fn is_done(&self) -> bool {
        self.prefixes.is_done()
    }

    /// `out` becomes the next rows for the outer rows, in their order, as many as make a batch; `owners` has for each its outer
    /// row.
    pub fn next(&mut self, context: &Context, out: &mut RowBatch, owners: &mut Vec<u32>) -> SqlResult<()> {
        out.clear();
        owners.clear();
        let scan = &mut self.scan;
        {
            let mut runtime = context.runtime();
            let session = &mut *runtime.session;
            session.reads(&scan.table, 0);
            let transaction = session.transaction.current.as_mut().expect("a statement runs in a transaction");
            let filled = scan
                .storage_scan(transaction)
                .and_then(|rows| rows.fill_for(transaction, &mut self.prefixes, out, BATCH_ROWS, owners));
            filled.map_err(|error| storage_error(error, Some(&scan.table)))?;
        }
        scan.keep_owners(context, out, owners)
    }

    /// What was left of the last run is not wanted any more.
    pub fn restart(&mut self) {
        self.prefixes.clear();
    }

    pub fn close(&mut self) {
        self.scan.close();
    }
}

/// Over a table or index.
pub struct BaseScan {
    table: Arc<TableDef>,
    /// Scans that one opening counts as: 0 if it looks for one row by a unique key.
    scans: u64,
    spec: ScanSpec,
    range: Option<Range>,
    /// Of the partitioning column.
    partitions: Option<Range>,
    /// What `partitions` has come to in this execution.
    limits: Vec<Between>,
    residual: Option<I64Expr>,
    /// What of the residual is asked before the rest of a row is copied.
    look: Option<FirstLook>,
    /// Stays from one execution to the next.
    storage: Option<Arc<storage::Table>>,
    /// In this execution.
    opened: bool,
    /// Ranges still to read, the next one last.
    bounds: Vec<Between>,
    buffers: Buffers,
    /// Stays from range to range.
    scan: Option<storage::Scan>,
    /// `scan` is in the middle of a range.
    reading: bool,
    selection: Vec<u32>,
    /// Asked of storage at least: grows while the residual lets no row through.
    ask: usize,
    /// Rows that may be long: so many at a time, by what the last ones had. None: none is.
    most: Option<usize>,
    /// Rows that it let through and nobody wanted yet.
    pending: Pending,
}

/// Of a table with (max) columns the first rows, as long as nobody knows how long they are.
const LONG_ROWS: usize = 4;

/// Of rows with long values, a batch is to have about this.
const LONG_BATCH_BYTES: usize = 1 << 20;

/// How many rows to read at a time after a batch of this kind.
fn next_most(most: usize, batch: &RowBatch) -> usize {
    let bytes = columns::batch_bytes(batch);
    let fit = (LONG_BATCH_BYTES * batch.rows.max(1) / bytes.max(1)).max(1);
    fit.min(most * 4).min(BATCH_ROWS)
}

impl BaseScan {
    fn open_storage(&mut self, context: &Context) -> SqlResult<()> {
        if self.opened {
            return Ok(());
        }
        let mut runtime = context.runtime();
        let runtime = &mut *runtime;
        if !self.storage.as_ref().is_some_and(|table| table.is_current()) {
            self.storage = Some(runtime.host.open_table(runtime.session, &self.table)?);
        }
        self.opened = true;
        crate::statements::reads_table(runtime.session, runtime.sink)?;
        let database = self.table.database;
        let elsewhere = Some(database) != runtime.session.transaction.home && !self.table.is_own();
        let asks = elsewhere || self.spec.lock.committed;
        let snapshot_reads = asks.then(|| runtime.host.snapshot_reads(database));
        if self.spec.lock.snapshot_reads != snapshot_reads {
            self.spec.lock.snapshot_reads = snapshot_reads;
            self.scan = None;
        }
        if self.table.memory.is_some() {
            let host = &*runtime.host;
            self.spec.lock.snapshot |= elevates(runtime.session, &self.spec.lock, || host.elevates_to_snapshot())?;
        }
        match self.spec.lock.read_past && !may_read_past(&self.spec.lock, runtime.session.options.isolation) {
            true => Err(sql_error!(650)),
            false => Ok(()),
        }
    }

    fn seek(&mut self, transaction: &mut storage::Transaction, between: Between) -> Result<(), StorageError> {
        self.reading = true;
        self.storage_scan(transaction)?.restart(transaction, &between.0, &between.1)?;
        self.buffers.give_back(between);
        Ok(())
    }

    /// As `open`, where somebody else has computed the values of the range: `number` has their bits, None for NULL.
    #[inline]
    pub fn open_for(&mut self, context: &Context, number: impl Fn(usize) -> Option<i64>) -> SqlResult<()> {
        self.begin();
        let range = self.range.as_ref().expect("a range with values");
        if range.is_of_numbers() {
            let mut keys = Default::default();
            let between = range.between_numbers(&mut keys, number);
            return self.open_between(context, between);
        }
        range.bounds_of(|at, ty| datum(number(at), ty), &mut self.buffers, &mut self.bounds)?;
        self.open_ranges(context)
    }

    /// Whatever was left of the last execution is not wanted any more.
    fn begin(&mut self) {
        self.reading = false;
        self.ask = 0;
        self.pending.clear();
        self.bounds.clear();
    }

    fn open_ranges(&mut self, context: &Context) -> SqlResult<()> {
        if !self.spec.backward {
            self.bounds.reverse();
        }
        self.open_storage(context)?;
        context.reads(&self.table, self.scans);
        Ok(())
    }

    /// Goes to the one range that the keys are of; None: there is none.
    #[inline]
    fn open_between(
        &mut self,
        context: &Context,
        between: Option<(KeyBound<&[u8]>, KeyBound<&[u8]>)>,
    ) -> SqlResult<()> {
        self.open_storage(context)?;
        let mut runtime = context.runtime();
        let session = &mut *runtime.session;
        session.reads(&self.table, self.scans);
        let Some((lower, upper)) = between else { return Ok(()) };
        let transaction = session.transaction.current.as_mut().expect("a statement runs in a transaction");
        let placed = self.storage_scan(transaction).and_then(|scan| scan.restart(transaction, &lower, &upper));
        placed.map_err(|error| storage_error(error, Some(&self.table)))?;
        self.reading = true;
        Ok(())
    }

    fn storage_scan(&mut self, transaction: &mut storage::Transaction) -> Result<&mut storage::Scan, StorageError> {
        if self.scan.is_none() {
            let table = self.storage.as_ref().expect("opened");
            let mut scan = table.scan(transaction, self.spec.clone())?;
            if self.partitions.is_some() {
                scan.limit_to(&self.limits);
            }
            self.scan = Some(scan);
        }
        Ok(self.scan.as_mut().expect("set above"))
    }

    /// Of columns of the table, by stored ordinal, nobody will look at the values.
    pub fn leave_unread(&mut self, columns: Vec<u16>) {
        self.spec.unread = columns;
    }

    /// Gives out the images and locators of the next rows of a memory-optimized table, whatever the rest of the predicate says; fewer than
    /// `wanted`: there are no more. They stay where they are until the transaction ends.
    pub fn images(
        &mut self,
        context: &Context,
        wanted: usize,
        give: &mut impl FnMut(&[u8], [u8; 16]),
    ) -> SqlResult<()> {
        let mut runtime = context.runtime();
        let session = &mut *runtime.session;
        session.reads(&self.table, 0);
        let transaction = session.transaction.current.as_mut().expect("a statement runs in a transaction");
        let mut given = 0;
        while given < wanted {
            if !self.reading {
                let Some(between) = self.bounds.pop() else { break };
                let placed = self.seek(transaction, between);
                placed.map_err(|error| storage_error(error, Some(&self.table)))?;
            }
            let Some(storage::Scan::Memory(scan)) = &mut self.scan else { panic!("a memory-optimized table") };
            let count = scan.images(transaction, wanted - given, give);
            given += count.map_err(|error| storage_error(error, Some(&self.table)))?;
            self.reading = !scan.is_done();
        }
        Ok(())
    }

    /// Drops the rows for which the rest of the predicate does not hold.
    fn keep_owners(&mut self, context: &Context, rows: &mut RowBatch, owners: &mut Vec<u32>) -> SqlResult<()> {
        let Some(residual) = &self.residual else { return Ok(()) };
        filter(residual, context, rows, &mut self.selection)?;
        columns::retain(rows, &self.selection);
        for (to, from) in self.selection.iter().enumerate() {
            owners[to] = owners[*from as usize];
        }
        owners.truncate(self.selection.len());
        Ok(())
    }
}

impl RowSource for BaseScan {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.begin();
        match &self.range {
            None => self.bounds.push((KeyBound::Unbounded, KeyBound::Unbounded)),
            Some(range) => range.bounds(context, &mut self.buffers, &mut self.bounds)?,
        }
        if let Some(partitions) = &self.partitions {
            self.limits.clear();
            partitions.bounds(context, &mut Buffers::default(), &mut self.limits)?;
            if let Some(scan) = &mut self.scan {
                scan.limit_to(&self.limits);
            }
        }
        self.open_ranges(context)
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        if !self.pending.is_empty() {
            self.pending.give(wanted, out);
            return Ok(());
        }
        loop {
            out.clear();
            // With a residual the rows asked for are not the rows that come out: ask for more each time.
            let ask = match self.residual {
                None if out.columns.is_empty() => wanted,
                None => wanted.min(BATCH_ROWS),
                // What is locked to the end is not more than is wanted.
                Some(_) if self.spec.lock.keep => wanted.min(BATCH_ROWS),
                Some(_) => wanted.min(BATCH_ROWS).max(self.ask),
            };
            let ask = self.most.map_or(ask, |most| ask.min(most));
            {
                let mut runtime = context.runtime();
                let session = &mut *runtime.session;
                session.reads(&self.table, 0);
                let transaction = session.transaction.current.as_mut().expect("a statement runs in a transaction");
                if !self.reading {
                    let Some(between) = self.bounds.pop() else { return Ok(()) };
                    let placed = self.seek(transaction, between);
                    placed.map_err(|error| storage_error(error, Some(&self.table)))?;
                }
                let scan = self.scan.as_mut().expect("placed above");
                let looked = match (&mut self.look, &self.residual) {
                    (Some(look), Some(residual)) if look.pays() => {
                        look.fill(residual, context, |look| scan.fill_wanted(transaction, out, ask, look))
                    }
                    _ => scan.fill(transaction, out, ask),
                };
                let looked = looked.map_err(|error| storage_error(error, Some(&self.table)))?;
                self.reading = !scan.is_done();
                self.most = self.most.map(|most| next_most(most, out));
                if looked == 0 {
                    continue;
                }
            }
            let Some(residual) = &self.residual else { return Ok(()) };
            if out.rows > 0 {
                filter_batch(residual, context, out, &mut self.selection)?;
            }
            if out.rows > wanted {
                let classes = out.columns.iter().map(columns::class_of);
                let first = std::mem::replace(out, RowBatch::new(classes));
                self.pending = Pending::new(first);
                self.pending.give(wanted, out);
            }
            if out.rows > 0 {
                return Ok(());
            }
            self.ask = (ask * 2).min(BATCH_ROWS);
            context.yield_point()?;
        }
    }

    fn close(&mut self) {
        self.reading = false;
        self.opened = false;
        self.scan = None;
    }
}
