//! An index of either kind, as the way to its chains.

use super::hash_index::HashIndex;
use super::memory::{At, RowMemory};
use super::ordered_index::OrderedIndex;

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
