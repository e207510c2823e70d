//! Names and shapes the caller gives: which columns a table has, which indexes, which column belongs to which key.
//! Storage keeps them encoded in its own directory, so recovery needs no SQL catalog.

use std::fmt;
use std::ops::Range;

pub use types::key::KeyColumn;
use types::{KeySet, RowLayout};

use crate::bounds::KeyBound;

/// 1 master, 2 tempdb, 3 model, 4 msdb, 5 and up the users'.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DatabaseId(pub u16);

impl DatabaseId {
    pub const MASTER: DatabaseId = DatabaseId(1);
    pub const TEMPDB: DatabaseId = DatabaseId(2);
    pub const MODEL: DatabaseId = DatabaseId(3);
    pub const MSDB: DatabaseId = DatabaseId(4);
}

/// The object id of a table, unique within its database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub i32);

/// As `sys.indexes.index_id`: 0 the heap, 1 the clustered index, 2 and up the nonclustered ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IndexId(pub u32);

impl IndexId {
    pub const HEAP: IndexId = IndexId(0);
    pub const CLUSTERED: IndexId = IndexId(1);
}

/// A page of a data file; printed as `file:page`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PageRef {
    pub file: u32,
    pub page: u32,
}

impl fmt::Display for PageRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.page)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexLayout {
    pub id: IndexId,
    pub unique: bool,
    pub clustered: bool,
    pub key: Vec<KeyColumn>,
    /// Further columns a nonclustered index row holds.
    pub included: Vec<u16>,
    /// A nonclustered index holds only the rows that satisfy all of these.
    pub filter: Vec<FilterTerm>,
    /// Of a memory-optimized table: a hash index with so many buckets. None: an ordered one.
    pub bucket_count: Option<u64>,
}

/// The column's value is one of a set. Of a (max) column only whether it is NULL can be asked: its values may be out of the row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterTerm {
    pub column: u16,
    pub keys: KeySet,
}

/// A table is a heap unless one of its indexes is clustered, or memory-optimized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableLayout {
    pub row: RowLayout,
    pub indexes: Vec<IndexLayout>,
    pub memory: Option<MemoryOptimized>,
}

/// WITH (MEMORY_OPTIMIZED = ON, ...). None of its indexes is clustered, at least one there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryOptimized {
    /// DURABILITY = SCHEMA_AND_DATA; otherwise SCHEMA_ONLY: a start finds it empty.
    pub durable: bool,
}

/// How the rows of a table are divided: each partition is a table of its own in the directory, of the same layout but for what rows of before lack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partitioning {
    /// Of the row.
    pub column: u16,
    /// Keys of the column's ascending codec, ascending.
    pub boundaries: Vec<Box<[u8]>>,
    /// A boundary belongs to the partition above it (RANGE RIGHT), else to the one below.
    pub right: bool,
    /// One more than boundaries.
    pub partitions: Vec<TableId>,
}

impl Partitioning {
    /// The partition, from 0, of the rows whose column has this key. NULL's key is the lowest.
    #[inline]
    pub fn of_key(&self, key: &[u8]) -> usize {
        self.boundaries.partition_point(|boundary| if self.right { **boundary <= *key } else { **boundary < *key })
    }

    /// The partitions that may have rows in a range of keys that begin with the column's. What follows it in a bound decides nothing.
    pub fn of_range<K: AsRef<[u8]>>(&self, lower: &KeyBound<K>, upper: &KeyBound<K>) -> Range<usize> {
        let count = self.partitions.len();
        // Boundaries below the bound's first part, and whether the next one is that part.
        let place = |key: &[u8]| {
            let below = self.boundaries.partition_point(|boundary| **boundary < *key && !key.starts_with(boundary));
            (below, self.boundaries.get(below).is_some_and(|boundary| key.starts_with(boundary)))
        };
        let first = match lower {
            KeyBound::Unbounded => 0,
            KeyBound::Inclusive(key) => {
                let (below, is_boundary) = place(key.as_ref());
                below + usize::from(is_boundary && self.right)
            }
            KeyBound::Exclusive(key) => {
                let (below, is_boundary) = place(key.as_ref());
                // Only of a whole key is what lies behind it another value.
                let behind = is_boundary && self.boundaries[below].len() == key.as_ref().len();
                below + usize::from(is_boundary && (self.right || behind))
            }
        };
        let end = match upper {
            KeyBound::Unbounded => count,
            KeyBound::Inclusive(key) => {
                let (below, is_boundary) = place(key.as_ref());
                below + usize::from(is_boundary && self.right) + 1
            }
            KeyBound::Exclusive(key) => {
                let (below, is_boundary) = place(key.as_ref());
                let before = is_boundary && self.boundaries[below].len() == key.as_ref().len();
                below + usize::from(is_boundary && self.right && !before) + 1
            }
        };
        first..end.min(count)
    }
}

impl TableLayout {
    pub fn heap(row: RowLayout) -> TableLayout {
        TableLayout { row, indexes: Vec::new(), memory: None }
    }
}

/// Names a row of a table: its clustered key, or its row number in a heap. Short ones need no allocation.
/// Travels through plans as a column of class Bytes: every call that takes one takes `&[u8]`.
#[derive(Clone)]
pub struct Locator(LocatorBytes);

const LOCATOR_INLINE: usize = 30;
const _: () = assert!(LOCATOR_INLINE >= 16, "the place and time of a memory-optimized row need no allocation");
const _: () = assert!(LOCATOR_INLINE <= u8::MAX as usize);
const _: () = assert!(size_of::<Locator>() <= 32, "two to a cache line");

#[derive(Clone)]
enum LocatorBytes {
    Inline(u8, [u8; LOCATOR_INLINE]),
    Boxed(Box<[u8]>),
}

impl Locator {
    #[inline]
    pub fn new(bytes: &[u8]) -> Locator {
        if bytes.len() <= LOCATOR_INLINE {
            let mut inline = [0; LOCATOR_INLINE];
            inline[..bytes.len()].copy_from_slice(bytes);
            Locator(LocatorBytes::Inline(bytes.len() as u8, inline))
        } else {
            Locator(LocatorBytes::Boxed(bytes.into()))
        }
    }
}

impl std::ops::Deref for Locator {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            LocatorBytes::Inline(length, bytes) => &bytes[..*length as usize],
            LocatorBytes::Boxed(bytes) => bytes,
        }
    }
}

impl fmt::Debug for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Locator({:02x?})", &**self)
    }
}

impl PartialEq for Locator {
    fn eq(&self, other: &Locator) -> bool {
        **self == **other
    }
}

impl Eq for Locator {}
