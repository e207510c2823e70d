//! A memory-optimized table as an engine keeps it: its object and how its rows become keys.

use std::sync::Arc;

use types::fixed::FixedCodec;
use types::key::{INTEGER_BYTES, KeyColumn, KeyLayout, encode_key};
use types::row::RowView;

use super::Xtp;
use super::hash_index;
use super::memory::{At, RowMemory};
use super::object::Objects;
use super::ordered_index::{Growth, Key, OrderedIndex};
use super::row::Row;
use super::way::Way;
use crate::error::StorageResult;
use crate::layout::{DatabaseId, IndexLayout, TableId, TableLayout};

pub struct MemoryIndex {
    pub layout: IndexLayout,
    pub key: KeyLayout,
    pub way: Way,
    row: types::RowLayout,
    /// Where an image has the columns of the key, if all of them are whole numbers and never NULL.
    numbers: Option<Box<[(usize, FixedCodec)]>>,
}

/// Columns in a key of numbers that can be looked up as such.
pub const NUMBERS_MAX: usize = 8;
const _: () =
    assert!(NUMBERS_MAX > 0 && INTEGER_BYTES > size_of::<i64>(), "a number and what says that it is not NULL");

pub struct MemoryShape {
    pub db: DatabaseId,
    pub table: TableId,
    pub layout: TableLayout,
    /// Slot and number of the object.
    pub object: u16,
    pub number: u32,
    /// In the order of the links of its rows.
    pub indexes: Vec<MemoryIndex>,
    pub values: Option<Values>,
}

/// Where a table has the values that are out of its rows.
pub struct Values {
    pub shape: Arc<MemoryShape>,
    /// The columns that may be.
    pub columns: Vec<u16>,
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

    /// Whether this is the normalized key of a row. `met`: a buffer.
    pub fn has_key(&self, image: &[u8], key: &[u8], met: &mut Vec<u8>) -> StorageResult<bool> {
        met.clear();
        self.key_into(&RowView::new(&self.row, image)?, met);
        Ok(met == key)
    }

    /// Whether two rows have the same key.
    pub fn is_same_key(&self, image: &[u8], other: &[u8]) -> StorageResult<bool> {
        match self.numbers.as_deref() {
            Some(columns) => {
                Ok(columns.iter().all(|(at, codec)| codec.read_i64(&image[*at..]) == codec.read_i64(&other[*at..])))
            }
            None => Ok(self.key_of(image)? == self.key_of(other)?),
        }
    }

    /// The key is of whole numbers, `has_numbers` knows it.
    pub fn is_of_numbers(&self) -> bool {
        self.numbers.is_some()
    }

    /// Whether a row has these numbers in its key.
    #[inline]
    pub fn has_numbers(&self, image: &[u8], key: &[i64]) -> bool {
        let columns = self.numbers.as_deref().expect("a key of numbers");
        debug_assert_eq!(columns.len(), key.len(), "a number a column");
        if let ([(at, codec)], [number]) = (columns, key) {
            return codec.read_i64(&image[*at..]) == *number;
        }
        columns.iter().zip(key).all(|((at, codec), number)| codec.read_i64(&image[*at..]) == *number)
    }

    /// Calls `with` with the normalized key that these numbers make.
    #[inline]
    pub fn with_key<T>(&self, mut key: impl Iterator<Item = i64>, with: impl FnOnce(&[u8]) -> T) -> T {
        // Most often there is one.
        if let [codec] = self.key.codecs() {
            let (part, length) = codec.integer_part(key.next().expect("a number a column"));
            return with(&part[..length]);
        }
        let mut bytes = [0; NUMBERS_MAX * INTEGER_BYTES];
        let mut length = 0;
        debug_assert!(self.key.codecs().len() <= NUMBERS_MAX);
        for (codec, number) in self.key.codecs().iter().zip(key) {
            let (part, more) = codec.integer_part(number);
            bytes[length..length + INTEGER_BYTES].copy_from_slice(&part);
            length += more;
        }
        with(&bytes[..length])
    }

    pub fn key_into(&self, view: &RowView<'_>, key: &mut Vec<u8>) {
        encode_key(&self.key, view, key);
    }

    /// The chain of a row that is in the index.
    pub fn chain_of(&self, memory: &RowMemory, home: u64) -> Chain {
        debug_assert!(matches!(self.way, Way::Hash(_)) || home != 0, "a row that is in the index has its key");
        Chain(match &self.way {
            Way::Hash(hash) => hash.first(memory, home),
            Way::Ordered(_) => Key::new(memory, At::of_word(home)).first(),
        })
    }

    /// As `chain_with`, for these numbers in the key.
    #[inline]
    pub fn chain_with_numbers(&self, xtp: &Xtp, key: &[i64]) -> (Chain, Option<u64>) {
        match (&self.way, key) {
            (Way::Hash(hash), [number]) => {
                let home = hash_index::hash_of_number(self.key.codecs()[0].integer_word(*number));
                (Chain(hash.first(&xtp.memory, home)), Some(home))
            }
            _ => self.with_key(key.iter().copied(), |key| self.chain_with(xtp, key)),
        }
    }

    /// The chain that has the rows of a whole key, of an ordered index a unique one. The hash: rows of other keys are in it too.
    #[inline]
    pub fn chain_with(&self, xtp: &Xtp, key: &[u8]) -> (Chain, Option<u64>) {
        match &self.way {
            Way::Hash(hash) => {
                let home = hash_index::hash(key);
                (Chain(hash.first(&xtp.memory, home)), Some(home))
            }
            Way::Ordered(tree) => {
                let _pinned = xtp.retired.pin();
                (Chain(tree.first_row(&xtp.memory, key)), None)
            }
        }
    }

    /// The home of a row, as far as it is known before the row is in the index, where somebody will soon put it. `key`: a buffer.
    ///
    /// Numbers often come in ascending order: with the first of those whose buckets are neighbours the buckets of the next ones are
    /// asked for, too.
    #[inline]
    fn home_of(&self, position: usize, memory: &RowMemory, image: &[u8], key: &mut Vec<u8>) -> StorageResult<u64> {
        let Way::Hash(hash) = &self.way else { return Ok(0) };
        let home = match self.numbers.as_deref() {
            Some([(at, codec)]) => {
                let number = codec.read_i64(&image[*at..]);
                let (first, word, bytes) = self.key.codecs()[0].integer_word(number);
                if number % hash_index::NEIGHBOURS == 0 {
                    // Behind the last number there is comes the first one: nothing is lost by asking for that.
                    let next = word.wrapping_add((hash_index::NEIGHBOURS as u64) << (64 - 8 * bytes));
                    hash.expect(memory, hash_index::hash_of_number((first, next, bytes)));
                }
                hash_index::hash_of_number((first, word, bytes))
            }
            _ => self.hash_of(image, key)?,
        };
        hash.expect_first(memory, home, position);
        Ok(home)
    }

    /// Apart from the way that most rows take.
    #[inline(never)]
    fn hash_of(&self, image: &[u8], key: &mut Vec<u8>) -> StorageResult<u64> {
        if let Some(columns) = self.numbers.as_deref() {
            let numbers = columns.iter().map(|(at, codec)| codec.read_i64(&image[*at..]));
            return Ok(self.with_key(numbers, hash_index::hash));
        }
        key.clear();
        self.key_into(&RowView::new(&self.row, image)?, key);
        Ok(hash_index::hash(key))
    }

    /// Puts a row into the index, at this position among the table's.
    #[inline]
    pub fn link(&self, xtp: &Xtp, row: Row<'_>, position: usize) -> StorageResult<()> {
        debug_assert!(position < row.links(), "index {position} of a row in {}", row.links());
        match &self.way {
            Way::Hash(hash) => {
                hash.link(&xtp.memory, row, position);
                Ok(())
            }
            Way::Ordered(tree) => self.link_ordered(tree, xtp, row, position),
        }
    }

    fn link_ordered(&self, tree: &OrderedIndex, xtp: &Xtp, row: Row<'_>, position: usize) -> StorageResult<()> {
        let mut key = self.key_of(row.image())?;
        if !self.layout.unique {
            key.extend_from_slice(&row.at().word().to_be_bytes());
        }
        let _pinned = xtp.retired.pin();
        let growth = Growth::new(&xtp.retired);
        let linked = tree.link(&xtp.memory, &growth, &key, row, position);
        xtp.objects.of(row).count_index(&xtp.pools, growth.bytes());
        linked
    }
}

fn numbers(row: &types::RowLayout, index: &IndexLayout) -> Option<Box<[(usize, FixedCodec)]>> {
    let number = |column: &KeyColumn| {
        let column = usize::from(column.ordinal);
        let whole = row.column_type(column).is_integer() && !row.columns()[column].nullable;
        row.fixed_at(column).filter(|_| whole)
    };
    let columns: Option<Box<[_]>> = index.key.iter().map(number).collect();
    columns.filter(|columns| columns.len() <= NUMBERS_MAX)
}

impl MemoryShape {
    pub fn new(
        (db, table): (DatabaseId, TableId),
        layout: TableLayout,
        (number, object): (u32, u16),
        objects: &Objects,
        memory: &RowMemory,
        values: Option<Values>,
    ) -> Arc<MemoryShape> {
        assert!(number != 0, "0 is no object");
        let indexes = layout.indexes.iter().enumerate().map(|(position, index)| MemoryIndex {
            layout: index.clone(),
            key: KeyLayout::new(&layout.row, &index.key),
            way: objects.at(object).way(memory, position),
            numbers: numbers(&layout.row, index),
            row: layout.row.clone(),
        });
        let indexes = indexes.collect();
        Arc::new(MemoryShape { db, table, layout, object, number, indexes, values })
    }

    /// Replaces `homes` by where the chains of a row begin, index by index, as far as that is known before it is in them, which it soon
    /// is. `key`: a buffer.
    #[inline]
    pub fn find_homes(
        &self,
        memory: &RowMemory,
        image: &[u8],
        key: &mut Vec<u8>,
        homes: &mut Vec<u64>,
    ) -> StorageResult<()> {
        homes.clear();
        for (position, index) in self.indexes.iter().enumerate() {
            homes.push(index.home_of(position, memory, image, key)?);
        }
        debug_assert_eq!(homes.len(), self.layout.indexes.len());
        Ok(())
    }
}
