//! A B-tree's handle: where its root is, and which leaf to try first. The algorithms are `btree`'s.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::concurrency::locks::TreeId;
use crate::error::StorageError;
use crate::layout::PageRef;
use crate::pages::data_files::DataFile;
use crate::pages::page::{self, PageBytes};

pub struct Tree {
    pub file: Arc<DataFile>,
    pub root: u32,
    /// The rightmost leaf, or 0. Only a hint: checked under its latch.
    pub hint: AtomicU32,
}

/// Which leaf a walk looks for.
#[derive(Debug, Clone, Copy)]
pub enum Target<'a> {
    /// The leaf that holds the key, or would.
    Key(&'a [u8]),
    /// The leaf with the greatest keys below this one.
    Before(&'a [u8]),
    Last,
}

impl Tree {
    pub fn new(file: Arc<DataFile>, root: u32) -> Tree {
        debug_assert!(root != 0, "page 0 is the file's header");
        Tree { file, root, hint: AtomicU32::new(0) }
    }

    /// As ranges of keys name it.
    #[inline]
    pub fn id(&self) -> TreeId {
        TreeId { file: self.file.number, root: self.root }
    }

    pub fn corrupt(&self, page: u32) -> StorageError {
        StorageError::corrupt(PageRef { file: self.file.number, page })
    }

    pub fn child_of(&self, node: &PageBytes, target: Target<'_>) -> (usize, u32) {
        debug_assert_eq!(page::root(node), self.root, "a page of the tree");
        let slot = match target {
            Target::Key(key) => page::child_slot(node, key),
            Target::Before(key) => page::lower_bound(node, key).0,
            Target::Last => page::slot_count(node),
        };
        (slot, page::child(node, slot))
    }
}
