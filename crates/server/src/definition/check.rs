//! DBCC CHECKDB, CHECKTABLE, CHECKALLOC, CHECKCATALOG: pages, bitmaps, each index against its table, definitions against each other.
//!
//! SQL Server's numbers and texts, as far as they speak of what there is here: partitions and allocation units have the index's number, a
//! file is always the first. Pages are looked at while others change them: what is told stays (`storage`'s integrity), and a table
//! is read under a lock that keeps writers out.
//! https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-checkdb-transact-sql

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use exec::session::Signal;
use sql::ast::{Dbcc, find_setting};
use storage::{Flaw, FlawKind, IndexId, ScanSpec, StorageError, StorageResult, Table, TableId, Transaction};
use types::pause::Pause;
use types::{Datum, RowBatch, SqlError, SqlResult, SqlType, sql_error};

use super::access::SINGLE_USER;
use super::dbcc::{answer, database_argument, find, no_such_object, number_argument, text_argument};
use super::site::Ddl;
use crate::catalog::base::{ClassRow, ColumnRow, IndexRow, ObjectRow, USER_OBJECT_MIN, class, database_option};
use crate::catalog::error::storage_error;
use crate::catalog::load::{self, small};
use crate::catalog::{Database, MASTER, good_check, store::Rows};

/// Rows that are asked for at once.
const CHECK_ROWS: usize = 256;
/// Errors told of a table, unless all are asked for with ALL_ERRORMSGS.
const ERRORS_TOLD: usize = 200;
/// Entries of an index, more than which are compared by their sum only.
const ENTRIES_COMPARED: usize = 4_000_000;
/// Structures of the system itself.
pub const NO_OBJECT: i32 = 0;

/// An error, and the object and page that it is of.
#[derive(Clone)]
pub struct Found {
    pub error: SqlError,
    pub object: i32,
    pub index: u32,
    pub page: u32,
    pub of_allocation: bool,
    pub cure: Cure,
}

/// What mends an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cure {
    /// An index that is made anew, a bitmap.
    Rebuild,
    /// A page that is emptied.
    Loss,
    None,
}

/// What the statement asks for.
pub struct Asked<'a> {
    /// CHECKDB, as the messages name it.
    pub command: &'a str,
    quiet: bool,
    as_rows: bool,
    /// Pages alone: no index is compared with its table.
    physical: bool,
    pub told_max: usize,
}

/// What a table has that is whole.
struct Counted {
    name: String,
    rows: u64,
    pages: u64,
}

/// What a look at a database has found.
#[derive(Default)]
pub struct Looked {
    pub found: Vec<Found>,
    pub names: BTreeMap<i32, String>,
    counted: Vec<Counted>,
}

impl Looked {
    /// Whether the definitions are damaged: what is read through them fails, too.
    fn definitions_are_torn(&self) -> bool {
        self.found.iter().any(|found| found.object < USER_OBJECT_MIN)
    }
}

impl<'a> Asked<'a> {
    pub fn of(dbcc: &'a Dbcc, quiet: bool) -> Asked<'a> {
        let has = |name: &str| find_setting(&dbcc.options, name).is_some();
        Asked {
            command: &dbcc.command,
            quiet,
            as_rows: has("TABLERESULTS"),
            physical: has("PHYSICAL_ONLY"),
            told_max: if has("ALL_ERRORMSGS") { usize::MAX } else { ERRORS_TOLD },
        }
    }
}

/// The repair that a statement asks for. REPAIR_FAST "maintains syntax for backward compatibility only". 7919: others may use the database.
pub fn repair_asked(db: &Database, dbcc: &Dbcc) -> SqlResult<Option<String>> {
    let words = (0..dbcc.args.len()).filter_map(|at| text_argument(dbcc, at)).map(|word| word.to_ascii_uppercase());
    let mut asked = words.chain(dbcc.options.iter().map(|option| option.name.to_ascii_uppercase()));
    match asked.find(|word| word.starts_with("REPAIR_")) {
        None => Ok(None),
        Some(_) if db.row().user_access != SINGLE_USER => Err(sql_error!(7919, state 3)),
        Some(word) if word == "REPAIR_FAST" => Ok(None),
        asked => Ok(asked),
    }
}

/// A database is repaired whole.
fn refuse_repair(db: &Database, dbcc: &Dbcc) -> SqlResult<()> {
    match repair_asked(db, dbcc)? {
        None => Ok(()),
        Some(word) => Err(super::unsupported(&format!("DBCC {} {word}", dbcc.command))),
    }
}

/// ESTIMATEONLY: a check keeps nothing in tempdb.
fn estimate(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<bool> {
    if find_setting(&dbcc.options, "ESTIMATEONLY").is_none() {
        return Ok(false);
    }
    let parts: &[&str] = match &*dbcc.command {
        "CHECKDB" | "CHECKFILEGROUP" => &["CHECKALLOC", "CHECKTABLES"],
        "CHECKALLOC" => &["CHECKALLOC"],
        _ => &["CHECKTABLES"],
    };
    for part in parts {
        let name = format!("Estimated TEMPDB space needed for {part} (KB)");
        answer(ddl, &[(&name, SqlType::INT)], &[vec![Datum::I64(0)]])?;
    }
    Ok(true)
}

/// CHECKDB, CHECKALLOC, CHECKCATALOG, CHECKFILEGROUP.
pub fn database(ddl: &mut Ddl<'_>, dbcc: &Dbcc, quiet: bool) -> SqlResult<()> {
    let db = match &*dbcc.command {
        "CHECKFILEGROUP" => filegroup(ddl, dbcc)?,
        _ => database_argument(ddl, dbcc)?,
    };
    ddl.catalog.check_open(&db)?;
    if text_argument(dbcc, 1).is_some_and(|word| !MODES.contains(&&*word.to_ascii_uppercase())) {
        return Err(sql_error!(2560, state 9, 2));
    }
    refuse_repair(&db, dbcc)?;
    if estimate(ddl, dbcc)? {
        return Ok(());
    }
    let asked = Asked::of(dbcc, quiet);
    let looked = look(ddl, &db, &asked)?;
    let catalog_alone = asked.command == "CHECKCATALOG";
    if !quiet && !asked.as_rows && !catalog_alone {
        ddl.message(sql_error!(2536, db.name()));
    }
    tell(ddl, &db, &asked, &looked)?;
    if catalog_alone && looked.found.is_empty() {
        return Ok(());
    }
    tell_sum(ddl, &db, &asked, &looked.found)?;
    if asked.command == "CHECKDB" && looked.found.is_empty() && db.row().options & database_option::READ_ONLY == 0 {
        let master = ddl.catalog.expect_database(MASTER);
        ddl.rows(&master, |rows| good_check::note(rows, &db))?;
    }
    Ok(())
}

/// The second argument of a check.
const MODES: [&str; 4] = ["NOINDEX", "REPAIR_ALLOW_DATA_LOSS", "REPAIR_FAST", "REPAIR_REBUILD"];

/// The database of a filegroup, which is the current one: all are in one file. 1921
fn filegroup(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<Arc<Database>> {
    let db = ddl.current()?;
    let groups = ddl.rows(&db, |rows| rows.find::<ClassRow>(0, &[small(class::FILEGROUP)]))?;
    let (is_there, shown) = match (text_argument(dbcc, 0), number_argument(dbcc, 0)) {
        (Some(name), _) => {
            let named = groups.iter().any(|group| db.equal_names(&group.name, &name));
            (named || name.eq_ignore_ascii_case("PRIMARY"), name)
        }
        // 0 and 1 are PRIMARY.
        (None, Some(id)) => {
            (matches!(id, 0 | 1) || groups.iter().any(|group| i128::from(group.id) == id), id.to_string())
        }
        (None, None) => (true, String::new()),
    };
    if is_there { Ok(db) } else { Err(sql_error!(1921, "filegroup", shown)) }
}

/// What is wrong with a database.
pub fn look(ddl: &mut Ddl<'_>, db: &Arc<Database>, asked: &Asked<'_>) -> SqlResult<Looked> {
    let mut looked = Looked::default();
    if asked.command != "CHECKCATALOG" {
        let flaws = flaws(ddl, db, None)?;
        let wanted = |flaw: &&Flaw| asked.command != "CHECKALLOC" || flaw.kind.is_of_allocation();
        for flaw in flaws.iter().filter(wanted) {
            looked.found.push(of_flaw(ddl, db, flaw));
        }
        let tables = match asked.command {
            "CHECKALLOC" => Ok(Vec::new()),
            _ => ddl.catalog.storage.tables(db.storage_id()),
        };
        // Told of already, if it is damaged.
        let mut tables = match tables {
            Err(StorageError::CorruptPage { .. }) => Vec::new(),
            tables => tables.map_err(storage_error)?,
        };
        // A partition is looked at with its table.
        let owners = owners(ddl, db);
        tables.retain(|id| !owners.contains_key(id));
        let mut progress = Progress::of(ddl, db, &tables);
        let damaged: BTreeSet<i32> = flaws.iter().map(|flaw| flaw.table).collect();
        let torn = looked.definitions_are_torn();
        for id in tables {
            let name = name_of(ddl, db, id);
            looked.names.insert(id.0, name.clone());
            if !damaged.contains(&id.0) && !asked.physical {
                let (errors, counted) = compare(ddl, db, id, &name, asked, &mut progress)?;
                looked.found.extend(errors);
                looked.counted.extend(counted);
                looked.found.extend(unless(torn, of_view(ddl, db, id))?);
            }
        }
    }
    if matches!(asked.command, "CHECKDB" | "CHECKCATALOG") {
        let torn = looked.definitions_are_torn();
        looked.found.extend(unless(torn, ddl.rows(db, definitions))?);
    }
    Ok(looked)
}

/// What is wrong as far as the definitions can be read: that they cannot has been told where they are torn.
fn unless(torn: bool, found: SqlResult<Vec<Found>>) -> SqlResult<Vec<Found>> {
    match found {
        Err(_) if torn => Ok(Vec::new()),
        found => found,
    }
}

/// How many errors there are, and what would mend them.
pub fn tell_sum(ddl: &mut Ddl<'_>, db: &Database, asked: &Asked<'_>, found: &[Found]) -> SqlResult<()> {
    let allocation = found.iter().filter(|found| found.of_allocation).count();
    summary(ddl, asked, sql_error!(8989, asked.command, allocation, found.len() - allocation, db.name()), found)?;
    tell_level(ddl, asked, &db.name(), found);
    Ok(())
}

fn tell_level(ddl: &mut Ddl<'_>, asked: &Asked<'_>, of: &str, found: &[Found]) {
    let level = match found.iter().any(|found| found.cure == Cure::Loss) {
        true => "repair_allow_data_loss",
        false => "repair_rebuild",
    };
    if !asked.as_rows && found.iter().any(|found| found.cure != Cure::None) {
        ddl.message(sql_error!(8958, level, asked.command, of, "", ""));
    }
}

pub fn table(ddl: &mut Ddl<'_>, dbcc: &Dbcc, quiet: bool) -> SqlResult<()> {
    let Some(name) = text_argument(dbcc, 0) else { return Ok(()) };
    let (db, row) = find(ddl, &name)?.ok_or_else(|| no_such_object(&name))?;
    refuse_repair(&db, dbcc)?;
    if estimate(ddl, dbcc)? {
        return Ok(());
    }
    let asked = Asked::of(dbcc, quiet);
    let id = TableId(row.id);
    let flaws = flaws(ddl, &db, Some(id))?;
    let mut looked = Looked { names: BTreeMap::from([(row.id, row.name.clone())]), ..Looked::default() };
    for flaw in &flaws {
        looked.found.push(of_flaw(ddl, &db, flaw));
    }
    if looked.found.is_empty() && !asked.physical {
        let mut progress = Progress::of(ddl, &db, &[id]);
        let (errors, counted) = compare(ddl, &db, id, &row.name, &asked, &mut progress)?;
        looked.found.extend(errors);
        looked.counted.extend(counted);
        looked.found.extend(of_view(ddl, &db, id)?);
    }
    tell(ddl, &db, &asked, &looked)?;
    tell_level(ddl, &asked, &format!("{}.{name}", db.name()), &looked.found);
    Ok(())
}

/// What is stored of an indexed view, where it is not what its query gives.
fn of_view(ddl: &mut Ddl<'_>, db: &Arc<Database>, id: TableId) -> SqlResult<Vec<Found>> {
    let found = |error| Found { error, object: id.0, index: 1, page: 0, of_allocation: false, cure: Cure::None };
    Ok(super::view_index::compare(ddl, db, id.0)?.into_iter().map(found).collect())
}

fn flaws(ddl: &mut Ddl<'_>, db: &Database, only: Option<TableId>) -> SqlResult<Vec<Flaw>> {
    let mut flaws = Vec::new();
    let looked = ddl.long_storage(|storage, _, pause| {
        flaws = storage.flaws(db.storage_id(), only, pause)?;
        Ok(())
    });
    looked.map_err(storage_error)?;
    if flaws.is_empty() {
        return Ok(flaws);
    }
    // What is wrong with a partition is wrong with its table.
    let owners = owners(ddl, db);
    for flaw in &mut flaws {
        if let Some(owner) = owners.get(&TableId(flaw.table)) {
            flaw.table = owner.0;
        }
    }
    Ok(flaws)
}

/// Of each partition its table, as far as the definitions can be read.
fn owners(ddl: &Ddl<'_>, db: &Database) -> BTreeMap<TableId, TableId> {
    ddl.catalog.storage.partition_owners(db.storage_id()).unwrap_or_default()
}

fn name_of(ddl: &mut Ddl<'_>, db: &Database, id: TableId) -> String {
    let object = ddl.rows(db, |rows| load::object_row(rows, id.0)).ok().flatten();
    object.map_or_else(|| id.0.to_string(), |object| object.name)
}

pub fn page_id(page: u32) -> String {
    format!("(1:{page})")
}

fn of_flaw(ddl: &Ddl<'_>, db: &Database, flaw: &Flaw) -> Found {
    const TYPE: &str = "In-row data";
    let (object, index, page) =
        (flaw.table, if flaw.table == NO_OBJECT { -1 } else { flaw.index as i32 }, page_id(flaw.page));
    let error = match flaw.kind {
        FlawKind::Unreadable => sql_error!(8928, object, index, 0, 0, TYPE, page),
        FlawKind::UnreadableOnDisk => {
            sql_error!(8939, object, index, 0, 0, TYPE, page, "the page on disk passes its checksum", 0, 1)
        }
        FlawKind::Misplaced(test) => sql_error!(8939, object, index, 0, 0, TYPE, page, test, 0, 1),
        FlawKind::Twice => sql_error!(8939, object, index, 0, 0, TYPE, page, "one page refers to it", 2, 1),
        FlawKind::NotAllocated => sql_error!(2533, page, object, index, 0, 0, TYPE),
        FlawKind::NotSeen => {
            let bitmap = page_id(1);
            sql_error!(8906, page, db.id.0, bitmap, bitmap, "ALLOCATED 0_PCT_FULL")
        }
        FlawKind::NoAllocationPage => {
            let kind = if flaw.page == 0 { "file header" } else { "GAM" };
            sql_error!(8946, page, kind, 0)
        }
    };
    let cure = match flaw.kind {
        FlawKind::Unreadable | FlawKind::Misplaced(_) | FlawKind::Twice if !is_derived(ddl, db, flaw) => Cure::Loss,
        _ => Cure::Rebuild,
    };
    Found { error, object, index: flaw.index, page: flaw.page, of_allocation: flaw.kind.is_of_allocation(), cure }
}

/// The page is of an index beside the rows of its table.
fn is_derived(ddl: &Ddl<'_>, db: &Database, flaw: &Flaw) -> bool {
    if flaw.table == NO_OBJECT {
        return false;
    }
    let table = ddl.catalog.storage.open_table(db.storage_id(), TableId(flaw.table));
    flaw.index != 0
        && table
            .is_ok_and(|table| table.layout().indexes.iter().any(|index| index.id.0 == flaw.index && !index.clustered))
}

/// The errors by object, each with how many there were, and what the tables have.
fn tell(ddl: &mut Ddl<'_>, db: &Database, asked: &Asked<'_>, looked: &Looked) -> SqlResult<()> {
    let Looked { found, names, counted } = looked;
    if asked.as_rows {
        return tell_as_rows(ddl, db, found);
    }
    let objects: BTreeSet<i32> = found.iter().map(|found| found.object).collect();
    for object in objects {
        let of = || found.iter().filter(move |found| found.object == object);
        for found in of().take(asked.told_max) {
            ddl.message(found.error.clone());
        }
        let allocation = of().filter(|found| found.of_allocation).count();
        let others = of().count() - allocation;
        let message = match names.get(&object) {
            Some(name) => sql_error!(8990, asked.command, allocation, others, name, object),
            None => sql_error!(8954, asked.command, allocation, others),
        };
        ddl.message(message);
    }
    for Counted { name, rows, pages } in counted.iter().filter(|_| !asked.quiet) {
        ddl.message(sql_error!(2536, name));
        ddl.message(sql_error!(2593, rows, pages, name));
    }
    Ok(())
}

fn summary(ddl: &mut Ddl<'_>, asked: &Asked<'_>, message: SqlError, found: &[Found]) -> SqlResult<()> {
    if !asked.as_rows && (!asked.quiet || !found.is_empty()) {
        ddl.message(message);
    }
    Ok(())
}

/// WITH TABLERESULTS.
fn tell_as_rows(ddl: &mut Ddl<'_>, db: &Database, found: &[Found]) -> SqlResult<()> {
    let int = SqlType::INT;
    let columns = [
        ("Error", int),
        ("Level", int),
        ("State", int),
        ("MessageText", SqlType::nvarchar(4000)),
        ("RepairLevel", SqlType::nvarchar(22)),
        ("Status", int),
        ("DbId", int),
        ("DbFragId", int),
        ("ObjectId", int),
        ("IndexId", int),
        ("PartitionId", SqlType::BIGINT),
        ("AllocUnitId", SqlType::BIGINT),
        ("RidDbId", int),
        ("RidPruId", int),
        ("File", int),
        ("Page", int),
        ("Slot", int),
        ("RefDbId", int),
        ("RefPruId", int),
        ("RefFile", int),
        ("RefPage", int),
        ("RefSlot", int),
        ("Allocation", int),
    ];
    let rows: Vec<Vec<Datum>> = found
        .iter()
        .map(|found| {
            let error = &found.error;
            let number = |value: i64| Datum::I64(value);
            let (object, index) = (i64::from(found.object), i64::from(found.index));
            let mut row = vec![
                number(error.number.into()),
                number(error.severity.into()),
                number(error.state.into()),
                Datum::nvarchar(&error.text),
                Datum::Null,
                number(1),
                number(db.id.0.into()),
                number(1),
                number(object),
                number(index),
            ];
            row.extend([0, 0, i64::from(db.id.0), 1, 1, i64::from(found.page), 0].map(number));
            row.extend(std::iter::repeat_n(number(0), 5));
            row.push(number(found.of_allocation.into()));
            row
        })
        .collect();
    answer(ddl, &columns, &rows)
}

/// How far a check is: entries of indexes that were read, of about so many.
struct Progress {
    signal: Arc<Signal>,
    read: u64,
    all: u64,
}

impl Progress {
    fn of(ddl: &mut Ddl<'_>, db: &Database, tables: &[TableId]) -> Progress {
        let storage = &ddl.catalog.storage;
        let tables = tables.iter().filter_map(|id| storage.open_table(db.storage_id(), *id).ok());
        let entries = |table: &Table| table.row_count_estimate() * (table.layout().indexes.len() as u64 + 1);
        let all = tables.map(|table| entries(&table)).sum();
        Progress { signal: ddl.site.session().signal.clone(), read: 0, all }
    }

    fn read(&mut self, entries: usize) {
        self.read += entries as u64;
        self.signal.running.tell(self.read, self.all);
    }
}

/// The entries of an index: how many, and the sum of what each comes to. With each of them, if there are not too many.
#[derive(Default, PartialEq, Eq)]
struct Entries {
    count: u64,
    sum: u64,
    each: Vec<u64>,
}

impl Entries {
    fn add(&mut self, hash: u64) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(hash);
        if self.each.len() < ENTRIES_COMPARED {
            self.each.push(hash);
        }
    }

    /// How many are here and not there.
    fn without(&self, other: &Entries) -> usize {
        let mut there: BTreeMap<u64, usize> = BTreeMap::new();
        other.each.iter().for_each(|hash| *there.entry(*hash).or_default() += 1);
        let is_missing = |hash: &&u64| match there.get_mut(hash) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        };
        self.each.iter().filter(is_missing).count()
    }
}

/// Reads a table and each of its indexes. The errors, and what it has.
fn compare(
    ddl: &mut Ddl<'_>,
    db: &Database,
    id: TableId,
    name: &str,
    asked: &Asked<'_>,
    progress: &mut Progress,
) -> SqlResult<(Vec<Found>, Option<Counted>)> {
    let database = db.storage_id();
    let mut differences = Vec::new();
    let (mut rows, mut pages, mut base, mut misplaced) = (0, 0, 0, Vec::new());
    let read = ddl.long_storage(|storage, tx, pause| {
        tx.hold_table(database, id, true)?;
        let read = storage.open_table(database, id).and_then(|table| {
            rows = compare_indexes(tx, pause, &table, &mut differences, progress)?;
            pages = if rows == 0 { 0 } else { pages_of(&table)? };
            if let Table::Partitioned(table) = &*table {
                base = i32::from(table.is_clustered());
                misplaced = table.misplaced(tx, asked.told_max.max(ERRORS_TOLD), pause)?;
            }
            Ok(())
        });
        tx.end_statement();
        read
    });
    let of = |error, index, page| {
        let cure = if index == 0 { Cure::Loss } else { Cure::Rebuild };
        Found { error, object: id.0, index, page, of_allocation: false, cure }
    };
    match read {
        Ok(()) => {}
        // It was dropped meanwhile, or its rows are not in memory while the database is read in an emergency.
        Err(StorageError::UnknownTable | StorageError::Held { .. }) => return Ok((Vec::new(), None)),
        Err(StorageError::CorruptPage { page, .. }) => {
            let error = sql_error!(8928, id.0, 0, 0, 0, "In-row data", page_id(page.page));
            return Ok((vec![of(error, 0, page.page)], None));
        }
        Err(StorageError::CorruptRow(why)) => {
            let error = sql_error!(8939, id.0, 0, 0, 0, "In-row data", page_id(0), why, 0, 1);
            return Ok((vec![of(error, 0, 0)], None));
        }
        // A long value that has lost a part.
        Err(StorageError::Damaged(why)) => {
            let error = sql_error!(8939, id.0, 0, 0, 0, "LOB data", page_id(0), why, 0, 1);
            return Ok((vec![of(error, 0, 0)], None));
        }
        Err(error) => return Err(storage_error(error)),
    }
    let mut found = Vec::new();
    for row in misplaced {
        // As sys.partitions numbers it.
        let partition = (1_i64 << 56) + i64::from(row.partition.0) * 256 + i64::from(base);
        let error = sql_error!(8984, id.0, base, partition, row.right + 1, row.found + 1);
        found.push(of(error, base as u32, 0));
    }
    for Difference { index, missing, extra } in differences {
        let index_name = index_name(ddl, db, id, index);
        let lacks = sql_error!(8951, name, id.0, index_name, index.0);
        let has = sql_error!(8952, name, id.0, index_name, index.0);
        let errors = std::iter::repeat_n(lacks, missing).chain(std::iter::repeat_n(has, extra));
        found.extend(errors.take(asked.told_max.max(ERRORS_TOLD)).map(|error| of(error, index.0, 0)));
    }
    let name = if id.0 < USER_OBJECT_MIN { format!("sys.{name}") } else { name.to_string() };
    Ok((found, Some(Counted { name, rows, pages })))
}

/// Those that have its rows; none in memory.
fn pages_of(table: &Table) -> StorageResult<u64> {
    let clustered = table.layout().indexes.iter().any(|index| index.clustered);
    let index = if clustered { IndexId::CLUSTERED } else { IndexId::HEAP };
    Ok(match table {
        Table::Disk(table) => table.tree_size(index)?.leaves,
        Table::Partitioned(table) => table.tree_size(index)?.leaves,
        Table::Memory(_) => 0,
    })
}

fn index_name(ddl: &mut Ddl<'_>, db: &Database, id: TableId, index: IndexId) -> String {
    let known: Vec<IndexRow> = ddl.rows(db, |rows| rows.find(0, &[load::int(id.0)])).unwrap_or_default();
    let known = known.into_iter().find(|row| row.indid == index.0 as i32).and_then(|row| row.name);
    known.unwrap_or_else(|| index.0.to_string())
}

/// Rows without an entry, and entries without a row.
struct Difference {
    index: IndexId,
    missing: usize,
    extra: usize,
}

fn compare_indexes(
    tx: &mut Transaction,
    pause: &dyn Pause,
    table: &Table,
    differences: &mut Vec<Difference>,
    progress: &mut Progress,
) -> StorageResult<u64> {
    let layout = table.layout();
    let clustered = layout.indexes.iter().find(|index| index.clustered).map_or(IndexId(0), |index| index.id);
    let all: Vec<u16> = (0..layout.row.len() as u16).collect();
    // All of a row is read once, its long values too.
    let rows = read(tx, pause, table, clustered, &all, progress)?.count;
    for index in layout.indexes.iter().filter(|index| index.id != clustered) {
        let columns = table.index_columns(index.id)?;
        let entries = read(tx, pause, table, index.id, &columns, progress)?;
        if !index.filter.is_empty() {
            let members = members(tx, pause, table, index.id)?;
            if members != entries.count {
                let (missing, extra) = (members.saturating_sub(entries.count), entries.count.saturating_sub(members));
                differences.push(Difference { index: index.id, missing: missing as usize, extra: extra as usize });
            }
            continue;
        }
        let expected = read(tx, pause, table, clustered, &columns, progress)?;
        if (expected.count, expected.sum) != (entries.count, entries.sum) {
            let (missing, extra) = (expected.without(&entries), entries.without(&expected));
            // More than are compared one by one: at least one of them is wrong.
            let missing = if missing + extra == 0 { 1 } else { missing };
            differences.push(Difference { index: index.id, missing, extra });
        }
    }
    Ok(rows)
}

fn heard(pause: &dyn Pause) -> StorageResult<()> {
    pause.pause().map_err(|_| StorageError::Cancelled)
}

/// What an index says of these columns.
fn read(
    tx: &mut Transaction,
    pause: &dyn Pause,
    table: &Table,
    index: IndexId,
    columns: &[u16],
    progress: &mut Progress,
) -> StorageResult<Entries> {
    let row = &table.layout().row;
    let classes: Vec<_> = columns.iter().map(|column| row.column_type(usize::from(*column)).physical()).collect();
    let mut scan = table.scan(tx, ScanSpec::all(index, columns.to_vec()))?;
    let mut batch = RowBatch::new(classes);
    let mut entries = Entries::default();
    loop {
        batch.clear();
        let rows = scan.fill(tx, &mut batch, CHECK_ROWS)?;
        if rows == 0 {
            return Ok(entries);
        }
        for row in 0..batch.rows {
            entries.add(hash(batch.columns.iter().map(|column| column.datum(row))));
        }
        progress.read(rows);
        heard(pause)?;
    }
}

/// Rows that a filtered index should have.
fn members(tx: &mut Transaction, pause: &dyn Pause, table: &Table, index: IndexId) -> StorageResult<u64> {
    let mut scan = table.scan(tx, ScanSpec::all(IndexId(0), Vec::new()))?;
    let (mut rows, mut members) = (0, 0);
    while let Some(row) = scan.next(tx)? {
        rows += 1;
        if rows % CHECK_ROWS == 0 {
            heard(pause)?;
        }
        members += u64::from(table.index_holds(index, row.image)?);
    }
    Ok(members)
}

fn hash(values: impl Iterator<Item = Datum>) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    for value in values {
        match value {
            Datum::Null => 0_u8.hash(&mut hasher),
            Datum::I64(value) => (1_u8, value).hash(&mut hasher),
            Datum::F64(value) => (2_u8, value.to_bits()).hash(&mut hasher),
            Datum::I128(value) => (3_u8, value).hash(&mut hasher),
            Datum::Bytes(bytes) => (4_u8, &bytes[..]).hash(&mut hasher),
        }
    }
    hasher.finish()
}

/// Rows of the definitions that belong to nothing.
fn definitions(rows: &mut Rows<'_>) -> SqlResult<Vec<Found>> {
    let objects: BTreeSet<i32> = rows.all::<ObjectRow>()?.into_iter().map(|row| row.id).collect();
    let mut found = Vec::new();
    let mut lost = |table: &str, row: String, object: i32| {
        let text =
            format!("Row ({row}) in sys.{table} does not have a matching row (object_id={object}) in sys.objects.");
        let error = sql_error!(8992, 3852, 1, text);
        found.push(Found { error, object: NO_OBJECT, index: 0, page: 0, of_allocation: false, cure: Cure::None });
    };
    for column in rows.all::<ColumnRow>()?.into_iter().filter(|column| !is_known(&objects, column.id)) {
        lost("columns", format!("object_id={},column_id={}", column.id, column.colid), column.id);
    }
    for index in rows.all::<IndexRow>()?.into_iter().filter(|index| !is_known(&objects, index.id)) {
        lost("indexes", format!("object_id={},index_id={}", index.id, index.indid), index.id);
    }
    Ok(found)
}

/// Columns of table types have ids that no object has.
fn is_known(objects: &BTreeSet<i32>, id: i32) -> bool {
    id < USER_OBJECT_MIN || objects.contains(&id)
}
