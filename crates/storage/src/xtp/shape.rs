//! A memory-optimized table as an engine keeps it: its object and how its rows become keys.

use std::sync::Arc;

use types::key::{KeyLayout, encode_key};
use types::row::RowView;

use super::Xtp;
use super::hash_index::{self, HashIndex};
use super::memory::{At, RowMemory};
use super::object::Objects;
use super::ordered_index::{Key, OrderedIndex};
use super::row::Row;
use crate::error::StorageResult;
use crate::layout::{DatabaseId, IndexLayout, TableId, TableLayout};

/// How an index leads to its chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Hash(HashIndex),
    Ordered(OrderedIndex),
}

impl Way {
    /// Calls `visit` with the first row of every chain, of an index that nobody changes.
    pub fn for_each_chain(&self, memory: &RowMemory, visit: &mut dyn FnMut(At)) {
        match self {
            Way::Hash(hash) => (0..hash.bucket_count()).for_each(|bucket| visit(hash.first(memory, bucket))),
            Way::Ordered(tree) => tree.for_each_key(memory, &mut |key| visit(key.first())),
        }
    }

    /// Frees what leads to the chains.
    pub fn free(&self, memory: &RowMemory) {
        match self {
            Way::Hash(hash) => hash.free(memory),
            Way::Ordered(tree) => tree.free(memory),
        }
    }
}

pub struct MemoryIndex {
    pub layout: IndexLayout,
    pub key: KeyLayout,
    pub way: Way,
    row: types::RowLayout,
}

pub struct MemoryShape {
    pub db: DatabaseId,
    pub table: TableId,
    pub layout: TableLayout,
    /// Slot and number of the object.
    pub object: u16,
    pub number: u32,
    /// In the order of the links of its rows.
    pub indexes: Vec<MemoryIndex>,
}

/// The rows of a chain, one after the other, whatever their keys.
pub struct Chain(At);

impl Chain {
    #[inline]
    pub fn next<'a>(&mut self, memory: &'a RowMemory, index: usize) -> Option<Row<'a>> {
        let row = (!self.0.is_none()).then(|| Row::new(memory, self.0))?;
        self.0 = hash_index::next(row, index);
        Some(row)
    }
}

impl MemoryIndex {
    /// The normalized key of a row.
    pub fn key_of(&self, image: &[u8]) -> StorageResult<Vec<u8>> {
        let mut key = Vec::new();
        self.key_into(&RowView::new(&self.row, image)?, &mut key);
        Ok(key)
    }

    pub fn key_into(&self, view: &RowView<'_>, key: &mut Vec<u8>) {
        encode_key(&self.key, view, key);
    }

    /// The chain of a row that is in the index.
    pub fn chain_of(&self, memory: &RowMemory, home: u64) -> Chain {
        Chain(match &self.way {
            Way::Hash(hash) => hash.first(memory, home),
            Way::Ordered(_) => Key::new(memory, At::of_word(home)).first(),
        })
    }

    /// The home of a row with this key, as far as it is known before the row is in the index.
    pub fn home_of(&self, key: &[u8]) -> u64 {
        match &self.way {
            Way::Hash(_) => hash_index::hash(key),
            Way::Ordered(_) => 0,
        }
    }

    /// Puts a row into the index, at this position among the table's.
    pub fn link(&self, xtp: &Xtp, row: Row<'_>, position: usize) -> StorageResult<()> {
        match &self.way {
            Way::Hash(hash) => {
                hash.link(&xtp.memory, row, position);
                Ok(())
            }
            Way::Ordered(tree) => {
                let mut key = self.key_of(row.image())?;
                if !self.layout.unique {
                    key.extend_from_slice(&row.at().word().to_be_bytes());
                }
                tree.link(&xtp.memory, &xtp.retired, &key, row, position)
            }
        }
    }
}

impl MemoryShape {
    pub fn new(
        (db, table): (DatabaseId, TableId),
        layout: TableLayout,
        number: u32,
        object: u16,
        objects: &Objects,
        memory: &RowMemory,
    ) -> Arc<MemoryShape> {
        let indexes = layout.indexes.iter().enumerate().map(|(position, index)| MemoryIndex {
            layout: index.clone(),
            key: KeyLayout::new(&layout.row, &index.key),
            way: objects.at(object).way(memory, position),
            row: layout.row.clone(),
        });
        let indexes = indexes.collect();
        Arc::new(MemoryShape { db, table, layout, object, number, indexes })
    }

    /// Replaces `homes` by where the chains of a row begin, index by index, as far as that is known before it is in them.
    /// `key`: a buffer.
    pub fn homes_into(&self, image: &[u8], key: &mut Vec<u8>, homes: &mut Vec<u64>) -> StorageResult<()> {
        let view = RowView::new(&self.layout.row, image)?;
        homes.clear();
        for index in &self.indexes {
            key.clear();
            index.key_into(&view, key);
            homes.push(index.home_of(key));
        }
        Ok(())
    }
}
