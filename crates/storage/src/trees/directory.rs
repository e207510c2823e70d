//! The directory of a data file: a tree (root page 2) of the tables' descriptors (`shape`), in parts. Its rows are
//! versioned like any other, so a change of a table's shape rolls back and recovers with its transaction.

use crate::concurrency::locks::Patience;
use crate::concurrency::versions::RowHeader;
use crate::engine::{Engine, Writer};
use crate::error::{StorageError, StorageResult};
use crate::layout::{DatabaseId, TableId, TableLayout};
use crate::pages::page::{self, PageKind};
use crate::shapes::shape::{DIRECTORY_ROOT, Roots, decode};
use crate::shapes::tree::{Target, Tree};
use crate::trees::btree::LEVELS_MAX;
use crate::trees::rows::{Inserted, ReadMode, Seen, View};

const PART_BYTES: usize = 4000;
const _: () = assert!(PART_BYTES + 7 < page::BODY_BYTES / 2, "a part of a descriptor fits half of a leaf");

/// Pages of each level of a tree that an estimate of its rows looks at.
const LOOKED_AT_EACH_LEVEL: usize = 64;

/// How large a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeSize {
    pub pages: u64,
    pub leaves: u64,
    /// 1: its root is a leaf.
    pub levels: u8,
}

fn directory_key(table: TableId, part: u16) -> [u8; 7] {
    debug_assert!(table.0 != 0, "no table has the id 0");
    let mut key = [b'T'; 7];
    key[1..5].copy_from_slice(&(table.0 as u32 ^ 0x8000_0000).to_be_bytes());
    key[5..].copy_from_slice(&part.to_be_bytes());
    key
}

impl Engine {
    fn directory(&self, db: DatabaseId) -> StorageResult<Tree> {
        Ok(Tree::new(self.file_of(db)?, DIRECTORY_ROOT))
    }

    /// Writes a table's descriptor; None removes it.
    pub fn write_directory(
        &self,
        writer: &mut Writer,
        db: DatabaseId,
        table: TableId,
        descriptor: Option<&[u8]>,
        patience: Patience,
    ) -> StorageResult<()> {
        let tree = self.directory(db)?;
        debug_assert!(descriptor.is_none_or(|bytes| decode(bytes).is_some()), "what is written can be read back");
        let mut old = Vec::new();
        let mut parts = descriptor.map(|bytes| bytes.chunks(PART_BYTES)).into_iter().flatten();
        for part in 0_u16.. {
            let key = directory_key(table, part);
            let view = View { mode: ReadMode::Dirty, own: writer.id, before_statement: u32::MAX, conflict: None };
            let exists = self.read_row(&view, &tree, &key, &mut old)? != Seen::Nothing;
            match (parts.next(), exists) {
                (Some(bytes), true) => {
                    self.update_row(writer, &tree, table, &key, bytes, None, None, patience, &mut old)?;
                }
                (Some(bytes), false) => {
                    if self.insert_row(writer, &tree, table, &key, bytes, patience)? == Inserted::Duplicate {
                        return Err(StorageError::AlreadyExists);
                    }
                }
                (None, true) => {
                    self.delete_row(writer, &tree, table, &key, None, None, patience, &mut old)?;
                }
                (None, false) => break,
            }
        }
        Ok(())
    }

    pub fn read_directory(&self, db: DatabaseId, table: TableId) -> StorageResult<Option<(TableLayout, Roots)>> {
        let tree = self.directory(db)?;
        let view = View { mode: ReadMode::Dirty, own: 0, before_statement: u32::MAX, conflict: None };
        let mut all = Vec::new();
        let mut part_bytes = Vec::new();
        for part in 0_u16.. {
            if self.read_row(&view, &tree, &directory_key(table, part), &mut part_bytes)? == Seen::Nothing {
                break;
            }
            debug_assert!(part_bytes.len() <= PART_BYTES, "a part of {} bytes", part_bytes.len());
            all.extend_from_slice(&part_bytes);
        }
        if all.is_empty() {
            return Ok(None);
        }
        let damaged = || StorageError::Damaged(format!("descriptor of table {} in database {}", table.0, db.0));
        decode(&all).map(Some).ok_or_else(damaged)
    }

    /// Every table of a database with its committed or own descriptor.
    pub fn list_directory(&self, db: DatabaseId) -> StorageResult<Vec<TableId>> {
        let tree = self.directory(db)?;
        let mut tables = Vec::new();
        let mut from = Vec::new();
        loop {
            let leaf = self.leaf_shared(&tree, Target::Key(&from))?;
            for slot in page::lower_bound(&leaf, &from).0..page::slot_count(&leaf) {
                let key = page::key(&leaf, slot);
                let header = RowHeader::decode(page::payload(&leaf, slot));
                if key.len() == 7 && key[5..] == [0, 0] && !header.ghost {
                    tables.push(TableId((u32::from_be_bytes([key[1], key[2], key[3], key[4]]) ^ 0x8000_0000) as i32));
                }
            }
            match page::upper_fence(&leaf) {
                Some(fence) => {
                    debug_assert!(fence > &from[..], "the walk goes on: up to {fence:02x?}");
                    from = fence.to_vec();
                }
                None => {
                    debug_assert!(tables.is_sorted_by(|a, b| a < b), "a table has one descriptor");
                    return Ok(tables);
                }
            }
        }
    }

    /// Of a tree, from its inner pages. Holds one latch at a time: pages that come and go meanwhile are counted or not.
    pub fn tree_size(&self, tree: &Tree) -> StorageResult<TreeSize> {
        let mut size = TreeSize { pages: 1, leaves: 0, levels: 1 };
        let mut to_read = vec![tree.root];
        while let Some(number) = to_read.pop() {
            let node = self.buffer.shared(&tree.file, number)?;
            if page::kind(&node) != Some(PageKind::Inner) || page::root(&node) != tree.root {
                continue;
            }
            let (level, children) = (page::level(&node), 0..=page::slot_count(&node));
            let count = children.clone().count() as u64;
            size.pages += count;
            size.levels = size.levels.max(level.saturating_add(1));
            match level {
                1 => size.leaves += count,
                _ => to_read.extend(children.map(|slot| page::child(&node, slot))),
            }
        }
        // The root alone is a leaf.
        size.leaves = size.leaves.max(1);
        Ok(size)
    }

    /// Rows of a tree, about: of each level some pages are looked at, evenly spread, or all if they are few. Of leaves as well: where keys
    /// came in no order, one that has just been split has some rows and its neighbour many times as many. As `tree_size`, it holds one
    /// latch at a time.
    pub fn estimate_rows(&self, tree: &Tree) -> StorageResult<i64> {
        let (mut pages, mut of_level) = (vec![tree.root], 1.0);
        for _ in 0..LEVELS_MAX {
            let (mut inner, mut leaves, mut rows, mut children) = (0_u64, 0_u64, 0, Vec::new());
            for number in &pages {
                let node = match self.buffer.shared(&tree.file, *number) {
                    Ok(node) => node,
                    // The others stand for a damaged one: who reads it hears of it.
                    Err(StorageError::CorruptPage { .. }) if *number != tree.root => continue,
                    Err(error) => return Err(error),
                };
                if page::root(&node) != tree.root {
                    continue;
                }
                if page::kind(&node) != Some(PageKind::Inner) {
                    let is_row = |slot: &usize| !RowHeader::decode(page::payload(&node, *slot)).ghost;
                    rows += (0..page::slot_count(&node)).filter(is_row).count();
                    leaves += 1;
                    continue;
                }
                inner += 1;
                children.extend((0..=page::slot_count(&node)).map(|slot| page::child(&node, slot)));
            }
            if children.is_empty() {
                return Ok((of_level * rows as f64 / leaves.max(1) as f64).round() as i64);
            }
            of_level *= children.len() as f64 / inner as f64;
            let parts = children.len().min(LOOKED_AT_EACH_LEVEL);
            pages = (0..parts).map(|part| children[(part * 2 + 1) * children.len() / (parts * 2)]).collect();
        }
        Ok(of_level as i64)
    }
}
