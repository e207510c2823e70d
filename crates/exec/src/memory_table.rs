//! Rows of a table variable: not part of any transaction, but a failed statement leaves no trace.
//!
//! Rows are only ever appended or marked deleted, so a scan that began keeps its place; an update deletes and appends.
//! A locator is the row's number, little-endian.

use std::collections::BTreeMap;

use types::{Datum, Physical, RowBatch, SqlResult};

use crate::columns;
use crate::context::{Context, out_of_memory};
use crate::workspace::Held;

/// A locator is a number of four bytes, and so are the ends of a column's values.
const BYTES_MAX: usize = u32::MAX as usize - (64 << 20);

/// Of a key in an index, besides its bytes.
const KEY_BYTES: usize = 40;

pub struct MemoryTable {
    pub rows: RowBatch,
    deleted: Vec<bool>,
    pub live: usize,
    /// By unique index: key image to row.
    unique: Vec<BTreeMap<Vec<u8>, u32>>,
    journal: Vec<Change>,
    pub identity: i64,
    held: Held,
    /// Of the keys of all unique indexes, with their places in them.
    key_bytes: usize,
    classes: Vec<Physical>,
}

enum Change {
    Inserted(u32),
    Deleted(u32),
    Key(usize, Vec<u8>),
    KeyGone(usize, Vec<u8>, u32),
}

impl MemoryTable {
    pub fn new(classes: Vec<Physical>, unique_count: usize) -> MemoryTable {
        MemoryTable {
            rows: RowBatch::new(classes.iter().copied()),
            deleted: Vec::new(),
            live: 0,
            unique: vec![BTreeMap::new(); unique_count],
            journal: Vec::new(),
            identity: 0,
            held: Held::default(),
            key_bytes: 0,
            classes,
        }
    }

    pub fn clear(&mut self) {
        *self = MemoryTable::new(std::mem::take(&mut self.classes), self.unique.len());
    }

    /// Rows ever appended: what a scan that starts now may see.
    pub fn end(&self) -> usize {
        self.deleted.len()
    }

    pub fn is_live(&self, row: usize) -> bool {
        !self.deleted[row]
    }

    /// False: unique index `index` has the key already.
    pub fn claim(&mut self, index: usize, key: Vec<u8>) -> bool {
        let row = self.deleted.len() as u32;
        if self.unique[index].contains_key(&key) {
            return false;
        }
        self.key_bytes += key.len() + KEY_BYTES;
        self.journal.push(Change::Key(index, key.clone()));
        self.unique[index].insert(key, row);
        true
    }

    pub fn has_key(&self, index: usize, key: &[u8]) -> bool {
        self.unique[index].contains_key(key)
    }

    pub fn release(&mut self, index: usize, key: Vec<u8>) {
        if let Some(row) = self.unique[index].remove(&key) {
            self.key_bytes -= key.len() + KEY_BYTES;
            self.journal.push(Change::KeyGone(index, key, row));
        }
    }

    pub fn insert(&mut self, row: &[Datum]) -> SqlResult<u32> {
        if self.deleted.len() % 1024 == 1023 && columns::batch_bytes(&self.rows) > BYTES_MAX {
            return Err(out_of_memory());
        }
        let number = self.deleted.len() as u32;
        self.rows.push_row(row);
        self.deleted.push(false);
        self.live += 1;
        self.journal.push(Change::Inserted(number));
        Ok(number)
    }

    /// After some rows have come: what they take is the module's, 701 if there is no memory. Small ones count as nothing.
    pub fn count(&mut self, context: &Context) -> SqlResult<()> {
        let journal = self.journal.len() * size_of::<Change>();
        let bytes = columns::batch_bytes(&self.rows) + self.deleted.len() + self.key_bytes + journal;
        context.force(&mut self.held, bytes)
    }

    /// False: it is gone already.
    pub fn delete(&mut self, row: u32) -> bool {
        if self.deleted[row as usize] {
            return false;
        }
        self.deleted[row as usize] = true;
        self.live -= 1;
        self.journal.push(Change::Deleted(row));
        true
    }

    /// A statement ended well: its changes stay.
    pub fn keep_changes(&mut self) {
        self.journal.clear();
        if self.live == 0 && !self.deleted.is_empty() {
            self.rows.clear();
            self.deleted.clear();
            self.unique.iter_mut().for_each(BTreeMap::clear);
            self.key_bytes = 0;
        }
    }

    /// A statement failed: as if it had not begun.
    pub fn undo_changes(&mut self) {
        while let Some(change) = self.journal.pop() {
            match change {
                Change::Inserted(row) => {
                    if !std::mem::replace(&mut self.deleted[row as usize], true) {
                        self.live -= 1;
                    }
                }
                Change::Deleted(row) => {
                    self.deleted[row as usize] = false;
                    self.live += 1;
                }
                Change::Key(index, key) => {
                    if self.unique[index].remove(&key).is_some() {
                        self.key_bytes -= key.len() + KEY_BYTES;
                    }
                }
                Change::KeyGone(index, key, row) => {
                    self.key_bytes += key.len() + KEY_BYTES;
                    self.unique[index].insert(key, row);
                }
            }
        }
        self.keep_changes();
    }
}
