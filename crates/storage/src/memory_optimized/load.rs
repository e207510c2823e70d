//! What a start does for memory-optimized tables: their indexes are made anew, their rows read from the log.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use os::parallel::in_parallel;
use os::sync::Mutex;
use os::wait::WaitType;
use types::row::RowView;

use crate::engine::Engine;
use crate::error::{StorageError, StorageResult};
use crate::hold::Since;
use crate::layout::{DatabaseId, TableId, TableLayout};
use crate::log::record::{Kind, Record};
use crate::memory_optimized::checkpoint::Pair;
use crate::memory_optimized::work::records::{Reader, Said};
use crate::xtp::object::Role;
use crate::xtp::row::{NEVER, Row, row_bytes};
use crate::xtp::shape::{MemoryShape, Values};
use crate::xtp::values;

/// Loaded rows are older than every snapshot.
const LOADED: u64 = 1;
const _: () = assert!(LOADED > 0 && LOADED < NEVER, "a time before every snapshot");

/// What the log says of rows, as far as it was read.
#[derive(Default)]
pub struct Tail {
    readers: BTreeMap<u64, Reader>,
    /// Numbers of the rows that were deleted.
    deleted: HashSet<u64>,
}

/// Used again from row to row.
#[derive(Default)]
struct Buffers {
    key: Vec<u8>,
    homes: Vec<u64>,
}

impl Engine {
    /// The tables of all databases that are memory-optimized, and those of their values, ready for their rows; by object number.
    /// A database whose definitions cannot be read is held.
    pub fn open_memory_tables(&self, since: Since) -> StorageResult<BTreeMap<u32, Arc<MemoryShape>>> {
        let mut tables = BTreeMap::new();
        let mut databases = self.files.databases();
        databases.sort();
        for db in databases {
            match self.memory_tables_of(db) {
                Ok(of_database) => {
                    for (number, shape) in of_database {
                        let before = tables.insert(number, shape);
                        assert!(before.is_none(), "an object is one table's");
                    }
                }
                Err(error) => self.or_hold(self.file_of(db)?.number, since, Err(error))?,
            }
        }
        Ok(tables)
    }

    fn memory_tables_of(&self, db: DatabaseId) -> StorageResult<BTreeMap<u32, Arc<MemoryShape>>> {
        let mut tables = BTreeMap::new();
        for table in self.list_directory(db)? {
            if let Some(shape) = self.read_memory_shape(db, table)? {
                let values = shape.values.as_ref().map(|values| values.shape.clone());
                for shape in values.into_iter().chain([shape]) {
                    self.xtp.knows_objects_below(shape.number + 1);
                    tables.insert(shape.number, shape);
                }
            }
        }
        Ok(tables)
    }

    /// Numbers of the objects of a database whose rows are not in memory.
    fn objects_not_loaded(&self, db: DatabaseId) -> StorageResult<BTreeSet<u32>> {
        let mut missing = BTreeSet::new();
        for table in self.list_directory(db)? {
            if let Some((layout, roots)) = self.read_directory(db, table)?
                && layout.memory.is_some()
            {
                missing.extend([roots.base, roots.long_values]);
            }
        }
        missing.retain(|object| *object != 0 && self.xtp.objects.find(*object).is_none());
        Ok(missing)
    }

    /// Of a database, those whose rows are not in memory, ready for them.
    pub fn memory_tables_not_loaded(&self, db: DatabaseId) -> StorageResult<BTreeMap<u32, Arc<MemoryShape>>> {
        let missing = self.objects_not_loaded(db)?;
        if missing.is_empty() {
            return Ok(BTreeMap::new());
        }
        let mut tables = self.memory_tables_of(db)?;
        tables.retain(|object, _| missing.contains(object));
        Ok(tables)
    }

    /// None: there is no such table, or it is one of pages.
    fn read_memory_shape(&self, db: DatabaseId, table: TableId) -> StorageResult<Option<Arc<MemoryShape>>> {
        let Some((layout, roots)) = self.read_directory(db, table)? else { return Ok(None) };
        if layout.memory.is_none() {
            return Ok(None);
        }
        let (xtp, key) = (&self.xtp, (db, table));
        let open = |number, layout: &TableLayout| xtp.objects.open((&xtp.memory, &xtp.pools), number, key, layout);
        let shape = |number, object, layout, values| {
            MemoryShape::new(key, layout, (number, object), &xtp.objects, &xtp.memory, values)
        };
        let object = open((roots.base, Role::Rows), &layout)?;
        let values = match roots.long_values {
            0 => None,
            number => {
                let internal = values::layout(layout.memory.is_some_and(|memory| memory.durable));
                let object = open((number, Role::Values), &internal)?;
                Some(Values { shape: shape(number, object, internal, None), columns: values::columns(&layout) })
            }
        };
        Ok(Some(shape(roots.base, object, layout, values)))
    }

    pub fn memory_shape(&self, db: DatabaseId, table: TableId) -> StorageResult<Arc<MemoryShape>> {
        if let Some(held) = self.files.held_of(db)
            && !self.objects_not_loaded(db)?.is_empty()
        {
            return Err(StorageError::Held { database: held.name.into(), hold: held.hold });
        }
        self.read_memory_shape(db, table)?.ok_or(StorageError::UnknownTable)
    }

    /// Adds a row that committed long ago.
    fn load_row(&self, shape: &MemoryShape, number: u64, image: &[u8], buffers: &mut Buffers) -> StorageResult<()> {
        let Buffers { key, homes } = buffers;
        // Not every index looks at all of it.
        RowView::new(&shape.layout.row, image)?;
        debug_assert!(number != 0, "a row that was logged has its number");
        let memory = &self.xtp.memory;
        shape.find_homes(memory, image, key, homes)?;
        let row = Row::create(memory, shape.object, LOADED, 0, homes, image)?;
        if self.xtp.objects.of(row).role() == Role::Values {
            let value = values::number_in(&shape.layout.row, image)?;
            self.xtp.numbers.next_value.fetch_max(value + 1, Ordering::Relaxed);
            debug_assert!(value != 0, "values are numbered from 1");
        }
        row.number().store(number, Ordering::Relaxed);
        self.xtp.objects.of(row).count(&self.xtp.pools, 1, row_bytes(homes.len(), image.len()) as i64);
        for (position, index) in shape.indexes.iter().enumerate() {
            index.link(&self.xtp, row, position)?;
        }
        Ok(())
    }
}

impl Tail {
    /// The first time through the log: which rows went. `others`: transactions that never committed, or whose rows are in the
    /// checkpoint files.
    pub fn note(&mut self, engine: &Engine, record: &Record<'_>, others: &BTreeSet<u64>) -> StorageResult<()> {
        let deleted = &mut self.deleted;
        if record.head.kind == Kind::Rows {
            debug_assert!(record.head.transaction != 0, "the system has no rows");
            engine.xtp.note_logged(record.lsn);
        }
        read(&mut self.readers, record, others, &mut |said| {
            let (Said::Inserted { object, .. } | Said::Deleted { object, .. }) = said;
            // Of a table that is gone, perhaps: its number is not given again.
            engine.xtp.knows_objects_below(object + 1);
            if let Said::Deleted { number, .. } = said {
                deleted.insert(number);
            }
            Ok(())
        })
    }

    /// Then the rows in the checkpoint files, several pairs at a time. Databases that have rows in a damaged file are held.
    pub fn load_pairs(
        &self,
        engine: &Engine,
        tables: &BTreeMap<u32, Arc<MemoryShape>>,
        pairs: &[Pair],
        since: Since,
    ) -> StorageResult<()> {
        let unread: Mutex<Vec<(usize, StorageError)>> = Mutex::new(WaitType::SOS_MUTEX, Vec::new());
        in_parallel(pairs.len(), |number| match self.load_pair(engine, tables, &pairs[number]) {
            Err(error @ (StorageError::Damaged(_) | StorageError::Io(_) | StorageError::CorruptRow(_))) => {
                unread.lock().push((number, error));
                Ok(())
            }
            other => other,
        })?;
        for (number, error) in unread.into_inner() {
            let databases: BTreeSet<DatabaseId> =
                pairs[number].objects.keys().filter_map(|object| Some(tables.get(object)?.db)).collect();
            for db in databases {
                // With rows in two of them it is held already.
                if let Ok(file) = engine.file_of(db) {
                    engine.or_hold(file.number, since, Err(error.clone()))?;
                }
            }
        }
        Ok(())
    }

    pub fn load_pair(
        &self,
        engine: &Engine,
        tables: &BTreeMap<u32, Arc<MemoryShape>>,
        pair: &Pair,
    ) -> StorageResult<()> {
        let deleted = pair.read_deleted(&engine.disk)?;
        debug_assert!(deleted.len() as u64 <= pair.deleted, "numbers of a delta file are counted");
        let mut buffers = Buffers::default();
        pair.read_rows(&engine.disk, &mut |object, number, image| {
            if !deleted.contains(&number)
                && !self.deleted.contains(&number)
                && let Some(shape) = tables.get(&object)
            {
                engine.load_row(shape, number, image, &mut buffers)?;
            }
            Ok(())
        })
    }

    /// The second time: the rows that are still there.
    pub fn load(
        &mut self,
        engine: &Engine,
        tables: &BTreeMap<u32, Arc<MemoryShape>>,
        record: &Record<'_>,
        others: &BTreeSet<u64>,
    ) -> StorageResult<()> {
        let (deleted, mut buffers) = (&self.deleted, Buffers::default());
        read(&mut self.readers, record, others, &mut |said| {
            if let Said::Inserted { object, number, image } = said
                && !deleted.contains(&number)
                && let Some(shape) = tables.get(&object)
            {
                engine.load_row(shape, number, image, &mut buffers)?;
            }
            Ok(())
        })
    }
}

fn read(
    readers: &mut BTreeMap<u64, Reader>,
    record: &Record<'_>,
    others: &BTreeSet<u64>,
    say: &mut dyn FnMut(Said<'_>) -> StorageResult<()>,
) -> StorageResult<()> {
    let id = record.head.transaction;
    match record.head.kind {
        Kind::Rows if !others.contains(&id) => readers.entry(id).or_default().read(record, say),
        Kind::Commit | Kind::End => {
            readers.remove(&id);
            Ok(())
        }
        _ => Ok(()),
    }
}
