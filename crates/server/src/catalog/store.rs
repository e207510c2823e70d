//! Typed access to the base tables of one database within a transaction.

use std::collections::HashMap;

use storage::{
    DatabaseId, IndexId, IndexLayout, KeyBound, KeyColumn, Locator, LockHint, Scan, ScanSpec, Storage, TableId,
    TableLayout, Transaction,
};
use types::key::{self, KeyLayout};
use types::{CollationId, ColumnType, Datum, RowBatch, RowLayout, SqlResult, row};

use super::base::BASE_TABLES;
use super::error::storage_error;
use super::row::{BaseRow, BaseTable};

/// Rows and keys of the base tables under a database's collation: names sort and compare by it.
pub struct Layouts {
    tables: HashMap<i32, Prepared>,
}

struct Prepared {
    row: RowLayout,
    keys: Vec<KeyLayout>,
}

impl Layouts {
    pub fn new(collation: CollationId) -> Layouts {
        let tables = BASE_TABLES.iter().map(|table| (table.id, Prepared::new(table, collation))).collect();
        Layouts { tables }
    }

    fn of(&self, table: &BaseTable) -> &Prepared {
        self.tables.get(&table.id).expect("every base table is prepared")
    }

    /// What `Storage::create_table` needs.
    pub fn table_layout(&self, table: &BaseTable) -> TableLayout {
        let indexes = table.keys.iter().enumerate().map(|(i, key)| IndexLayout {
            id: IndexId(i as u32 + 1),
            unique: key.unique,
            clustered: i == 0,
            key: key.columns.iter().map(|&ordinal| KeyColumn { ordinal, descending: false }).collect(),
            included: Vec::new(),
            filter: Vec::new(),
            bucket_count: None,
        });
        TableLayout { row: self.of(table).row.clone(), indexes: indexes.collect(), memory: None }
    }
}

impl Prepared {
    fn new(table: &BaseTable, collation: CollationId) -> Prepared {
        let columns: Vec<ColumnType> = (table.columns)()
            .iter()
            .map(|column| {
                let ty = if column.ty.is_unicode_string() { column.ty.with_collation(collation) } else { column.ty };
                ColumnType { ty, nullable: column.nullable }
            })
            .collect();
        let row = RowLayout::new(&columns);
        let keys = table
            .keys
            .iter()
            .map(|k| KeyLayout::new(&row, &k.columns.iter().map(|&c| key::KeyColumn::ascending(c)).collect::<Vec<_>>()))
            .collect();
        Prepared { row, keys }
    }
}

/// The base tables of one database, as `tx` sees them.
pub struct Rows<'a> {
    pub storage: &'a Storage,
    pub database: DatabaseId,
    pub layouts: &'a Layouts,
    pub tx: &'a mut Transaction,
    /// Of a user's statement, which changes no database that is read-only.
    pub(super) of_user: Option<&'a super::Database>,
}

/// How many rows a scan asks for at once.
const ROWS_AT_ONCE: usize = 64;

impl Rows<'_> {
    /// Rows whose key number `key` (0: the clustered one) begins with `prefix`.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn find<R: BaseRow>(&mut self, key: usize, prefix: &[Datum]) -> SqlResult<Vec<R>> {
        os::plant!();
        Ok(self.find_located::<R>(key, prefix)?.into_iter().map(|(_, row)| row).collect())
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn first<R: BaseRow>(&mut self, key: usize, prefix: &[Datum]) -> SqlResult<Option<R>> {
        os::plant!();
        Ok(self.find::<R>(key, prefix)?.into_iter().next())
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn all<R: BaseRow>(&mut self) -> SqlResult<Vec<R>> {
        os::plant!();
        self.find(0, &[])
    }

    fn find_located<R: BaseRow>(&mut self, key: usize, prefix: &[Datum]) -> SqlResult<Vec<(Locator, R)>> {
        let found = self.find_values(R::TABLE, key, prefix)?;
        Ok(found.into_iter().map(|(locator, row)| (locator, R::from_row(&row))).collect())
    }

    fn find_values(&mut self, of: &BaseTable, key: usize, prefix: &[Datum]) -> SqlResult<Vec<(Locator, Vec<Datum>)>> {
        let prepared = self.layouts.of(of);
        let mut bytes = Vec::new();
        key::encode_prefix(&prepared.keys[key], prefix, &mut bytes);
        let bound = if prefix.is_empty() { KeyBound::Unbounded } else { KeyBound::Inclusive(bytes) };
        let columns: Vec<u16> = (0..prepared.row.len() as u16).collect();
        let spec = ScanSpec {
            lower: bound.clone(),
            upper: bound,
            locator: true,
            lookup: key > 0,
            ignore_own_statement: false,
            lock: LockHint { catalog: true, ..LockHint::default() },
            ..ScanSpec::all(IndexId(key as u32 + 1), columns)
        };
        let table = self.storage.open_table(self.database, TableId(of.id)).map_err(storage_error)?;
        let mut scan: Scan = table.scan(self.tx, spec).map_err(storage_error)?;
        let classes = prepared.row.classes().chain([types::Physical::Bytes]);
        let mut batch = RowBatch::new(classes);
        let mut found = Vec::new();
        loop {
            batch.clear();
            if scan.fill(self.tx, &mut batch, ROWS_AT_ONCE).map_err(storage_error)? == 0 {
                return Ok(found);
            }
            for i in 0..batch.rows {
                let mut row: Vec<Datum> = batch.columns.iter().map(|column| column.datum(i)).collect();
                let locator = row.pop().expect("a scan gives the locator asked for");
                found.push((Locator::new(locator.as_bytes()), row));
            }
        }
    }

    /// Adds the rows that another database has in a base table.
    pub fn copy_from(&mut self, source: &mut Rows<'_>, of: &BaseTable) -> SqlResult<()> {
        let table = self.storage.open_table(self.database, TableId(of.id)).map_err(storage_error)?;
        let mut image = Vec::new();
        for (_, row) in source.find_values(of, 0, &[])? {
            image.clear();
            row::encode(&self.layouts.of(of).row, &row, &mut image);
            table.insert(self.tx, &image).map_err(storage_error)?;
        }
        Ok(())
    }

    fn image<R: BaseRow>(&self, row: &R) -> Vec<u8> {
        let mut image = Vec::new();
        row::encode(&self.layouts.of(R::TABLE).row, &row.to_row(), &mut image);
        image
    }

    /// 3906
    fn check_writable(&self) -> SqlResult<()> {
        self.of_user.map_or(Ok(()), super::Database::check_writable)
    }

    /// A key that is there already is the caller's to exclude first; one that comes in between is 2714's cousin 1205-free wait
    /// and then `DuplicateKey`.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn insert<R: BaseRow>(&mut self, row: &R) -> SqlResult<()> {
        os::plant!();
        self.try_insert(row)?.map_err(storage_error)
    }

    /// The inner error is a duplicate key.
    pub fn try_insert<R: BaseRow>(&mut self, row: &R) -> SqlResult<Result<(), storage::StorageError>> {
        self.check_writable()?;
        let image = self.image(row);
        let table = self.storage.open_table(self.database, TableId(R::TABLE.id)).map_err(storage_error)?;
        match table.insert(self.tx, &image) {
            Ok(_) => Ok(Ok(())),
            Err(error @ storage::StorageError::DuplicateKey { .. }) => Ok(Err(error)),
            Err(error) => Err(storage_error(error)),
        }
    }

    /// How many rows were deleted.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn delete<R: BaseRow>(&mut self, key: usize, prefix: &[Datum]) -> SqlResult<usize> {
        os::plant!();
        self.delete_if::<R>(key, prefix, |_| true)
    }

    pub fn delete_if<R: BaseRow>(
        &mut self,
        key: usize,
        prefix: &[Datum],
        keep: impl Fn(&R) -> bool,
    ) -> SqlResult<usize> {
        let table = self.storage.open_table(self.database, TableId(R::TABLE.id)).map_err(storage_error)?;
        let mut count = 0;
        for (locator, row) in self.find_located::<R>(key, prefix)? {
            if keep(&row) {
                self.check_writable()?;
                table.delete(self.tx, &locator).map_err(storage_error)?;
                count += 1;
            }
        }
        Ok(count)
    }

    /// Changes every row found; how many. The inner error of a changed name is a duplicate key.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn update<R: BaseRow>(&mut self, key: usize, prefix: &[Datum], change: impl Fn(&mut R)) -> SqlResult<usize> {
        os::plant!();
        let table = self.storage.open_table(self.database, TableId(R::TABLE.id)).map_err(storage_error)?;
        let found = self.find_located::<R>(key, prefix)?;
        let count = found.len();
        for (locator, mut row) in found {
            self.check_writable()?;
            change(&mut row);
            let image = self.image(&row);
            table.update(self.tx, &locator, &image).map_err(storage_error)?;
        }
        Ok(count)
    }
}
