//! A table as storage knows it: its trees and how rows become keys and entries. Kept encoded in the directory tree of
//! its data file (root page 2), so nothing but the files is needed to find everything.
//!
//! ```text
//! directory key:  'T', table id u32 with its sign bit turned, part u16 (big-endian)
//! directory row:  the descriptor's bytes, at most 4,000 a part:
//!   version u8 = 1, or 3 with values that rows of before lack; of a memory-optimized table 2, durable u8; of a partitioned table 4,
//!   column u16, right u8, count of boundaries u16, then each: length u16, key; table id i32 of each partition;
//!   base root u32, long-value root u32 (0: none; 2: numbers of objects; 4: no roots), row layout length u32, row layout,
//!   of versions 3 and 4: count u16, then each: column u16, length u16, bytes of its value in rows from before it was added,
//!   index count u16, then each: id u32, flags u8 (1 unique, 2 clustered, 4 filtered, 8 hash, 16 long values), root u32,
//!   if 16: root of its long values u32,
//!   key count u8, (ordinal u16, descending u8) each, included count u16, u16 each,
//!   if filtered: term count u16, then each: column u16, `KeySet::to_bytes`; if hash: bucket count u64
//! entry of a nonclustered index:  locator length u16, locator, row image of the index's columns
//! key of a nonclustered index:    the key columns; then the locator unless the index is unique
//! key of the base tree:           unique clustered: the key columns; otherwise also the row number, 8 bytes big-endian
//! ```

use std::sync::Arc;

use types::key::{KeyCodec, KeyColumn, KeyLayout};
use types::row::{ColumnType, RowView};
use types::{KeySet, RowLayout};

use crate::concurrency::versions::ROW_HEADER_BYTES;
use crate::layout::{
    DatabaseId, FilterTerm, IndexId, IndexLayout, MemoryOptimized, Partitioning, TableId, TableLayout,
};
use crate::pages::page::{self, BODY_BYTES, KEY_BYTES_MAX};
use crate::region::row_counts::Rows;
use crate::shapes::tree::Tree;

pub const DIRECTORY_ROOT: u32 = 2;
/// Row numbers after the key of a tree whose key is not unique.
pub const ROW_NUMBER_BYTES: usize = 8;
/// Before the locator in an entry.
const LOCATOR_LENGTH_BYTES: usize = 2;
const _: () = assert!(ROW_NUMBER_BYTES == size_of::<u64>() && ROW_NUMBER_BYTES < KEY_BYTES_MAX);
const _: () = assert!(
    BODY_BYTES > 10 + 3 * KEY_BYTES_MAX + ROW_HEADER_BYTES,
    "beside the longest key and its fences there is room for a row"
);

/// Rows of one layout as they lie in a tree, and where what is too long for them lies.
#[derive(Clone, Copy)]
pub struct Stored<'s> {
    pub table: TableId,
    pub layout: &'s RowLayout,
    /// None: all of a row is in it.
    pub long_values: Option<&'s Tree>,
    /// Longest image that stays on a page.
    pub image_max: usize,
}

pub struct IndexShape {
    pub layout: IndexLayout,
    pub tree: Tree,
    pub key: KeyLayout,
    /// Columns of the table in an index row, and the layout of that row.
    pub columns: Vec<u16>,
    pub row: RowLayout,
    /// Longest entry.
    pub entry_max: usize,
    /// Values that are too long for their entries. None: entries are never longer than fits, or nothing of them leaves.
    pub long_values: Option<Tree>,
    filter: Vec<(u16, Test)>,
}

/// Of one column's value.
enum Test {
    Null { null: bool, others: bool },
    OneOf(KeyCodec, KeySet),
}

impl IndexShape {
    /// The images in the entries; `image_max` is that of a whole entry.
    pub fn stored(&self, table: TableId) -> Stored<'_> {
        let IndexShape { row, long_values, entry_max, .. } = self;
        Stored { table, layout: row, long_values: long_values.as_ref(), image_max: *entry_max }
    }

    /// The column decides where a row's entry is, or whether it has one.
    pub fn finds_by(&self, column: usize) -> bool {
        let is_key = self.layout.key.iter().any(|part| usize::from(part.ordinal) == column);
        is_key || self.filter.iter().any(|(of, test)| usize::from(*of) == column && matches!(test, Test::OneOf(..)))
    }

    /// The column's value is in the row's entry.
    pub fn has(&self, column: usize) -> bool {
        self.columns.contains(&(column as u16))
    }

    /// The row has an entry in this index.
    #[inline]
    pub fn holds(&self, row: &RowView<'_>) -> bool {
        self.filter.is_empty() || self.filter.iter().all(|(column, test)| test.passes(row, usize::from(*column)))
    }
}

impl Test {
    fn new(layout: &TableLayout, term: &FilterTerm) -> Test {
        let column = layout.row.column_type(usize::from(term.column));
        match term.keys.null_test() {
            Some((null, others)) => Test::Null { null, others },
            None => {
                assert!(!column.is_max(), "a value that may be out of the row decides about no entry");
                Test::OneOf(KeyCodec::new(&column, false), term.keys.clone())
            }
        }
    }

    fn passes(&self, row: &RowView<'_>, column: usize) -> bool {
        match self {
            Test::Null { null, others } => *if row.is_null(column) { null } else { others },
            Test::OneOf(codec, keys) => {
                let mut key = Vec::new();
                codec.encode_field(row, column, &mut key);
                keys.contains(&key)
            }
        }
    }
}

pub struct Shape {
    pub db: DatabaseId,
    pub id: TableId,
    pub layout: TableLayout,
    pub base: Tree,
    /// None: a heap.
    pub clustered: Option<(IndexId, KeyLayout)>,
    /// The base key ends with a row number.
    pub numbered: bool,
    /// Long values, if the rows can be longer than a page.
    pub long_values: Option<Tree>,
    pub indexes: Vec<IndexShape>,
    /// Longest image that stays in a base row.
    pub image_max: usize,
    pub rows: Rows,
}

/// Where the trees of a table are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roots {
    /// Of a memory-optimized table: the number of its object.
    pub base: u32,
    /// 0: none. Of a memory-optimized table: the number of the object that has its values.
    pub long_values: u32,
    /// Of each index of the layout; of the clustered one, the base's.
    pub indexes: Vec<IndexRoots>,
    /// Of a partitioned table, whose trees are its partitions': all numbers above are 0.
    pub partitioning: Option<Box<Partitioning>>,
}

/// Where the trees of an index are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexRoots {
    pub entries: u32,
    /// Of values that are too long for their entries, 0: none.
    pub long_values: u32,
}

impl IndexRoots {
    /// Of an index whose entries are all whole.
    pub fn of(entries: u32) -> IndexRoots {
        IndexRoots { entries, long_values: 0 }
    }
}

impl Roots {
    /// All trees that there are, each once.
    pub fn all(&self) -> impl Iterator<Item = u32> {
        let beside = self.indexes.iter().filter(|index| index.entries != self.base);
        let own = [self.base, self.long_values].into_iter();
        own.chain(beside.flat_map(|index| [index.entries, index.long_values])).filter(|root| *root != 0)
    }
}

/// Most bytes a value of the type takes in a key.
fn key_part_bytes(column: &ColumnType) -> usize {
    if column.ty.is_max() {
        return KEY_BYTES_MAX;
    }
    // Text can expand in its collation; the marker and an end come on top.
    let expands = if column.ty.is_string() || column.ty.is_binary() { 4 } else { 1 };
    (column.ty.length as usize * expands + 8).min(KEY_BYTES_MAX)
}

pub fn key_bytes_max(layout: &TableLayout, key: &[KeyColumn]) -> usize {
    debug_assert!(key.iter().all(|part| usize::from(part.ordinal) < layout.row.len()), "a key of the table's columns");
    let sum: usize = key.iter().map(|part| key_part_bytes(&layout.row.columns()[part.ordinal as usize])).sum();
    (sum + ROW_NUMBER_BYTES).min(KEY_BYTES_MAX)
}

/// Longest payload that fits a leaf beside its key and two fences of that length.
pub fn payload_max(key_bytes: usize) -> usize {
    assert!(key_bytes <= KEY_BYTES_MAX, "a key of {key_bytes} bytes");
    BODY_BYTES - 10 - 3 * key_bytes
}

pub fn may_be_long(layout: &TableLayout, image_max: usize) -> bool {
    longest_image(&layout.row) > image_max
}

fn longest_image(row: &RowLayout) -> usize {
    let longest = |column: &ColumnType| if column.ty.is_max() { usize::MAX / 1024 } else { column.ty.length as usize };
    let total = row.columns().iter().map(longest).fold(0, usize::saturating_add);
    total.saturating_add(row.min_bytes())
}

/// The same of an index's entries.
pub fn entries_may_be_long(layout: &TableLayout, index: &IndexLayout) -> bool {
    let columns = entry_columns(layout, index);
    let longest = longest_image(&entry_row(layout, &columns)) + LOCATOR_LENGTH_BYTES + KEY_BYTES_MAX;
    !index.clustered && longest > entry_max(layout, index)
}

fn entry_row(layout: &TableLayout, columns: &[u16]) -> RowLayout {
    let types: Vec<_> = columns.iter().map(|column| layout.row.columns()[*column as usize]).collect();
    RowLayout::new(&types)
}

fn entry_max(layout: &TableLayout, index: &IndexLayout) -> usize {
    let clustered = layout.indexes.iter().find(|index| index.clustered);
    let base_key = clustered.map_or(ROW_NUMBER_BYTES, |clustered| key_bytes_max(layout, &clustered.key));
    payload_max((key_bytes_max(layout, &index.key) + base_key).min(KEY_BYTES_MAX)) - ROW_HEADER_BYTES
}

/// What the base tree of a layout is sorted by: the clustered index's id, its key, and whether row numbers follow it.
pub fn base_key(layout: &TableLayout) -> (Option<(IndexId, KeyLayout)>, bool) {
    match layout.indexes.iter().find(|index| index.clustered) {
        Some(index) => (Some((index.id, KeyLayout::new(&layout.row, &index.key))), !index.unique),
        None => (None, true),
    }
}

pub fn image_max(layout: &TableLayout) -> usize {
    let key = layout.indexes.iter().find(|index| index.clustered).map_or(&[][..], |index| &index.key);
    payload_max(key_bytes_max(layout, key)) - ROW_HEADER_BYTES
}

/// Key, included and clustered key columns, each once.
fn entry_columns(layout: &TableLayout, index: &IndexLayout) -> Vec<u16> {
    let mut columns: Vec<u16> = Vec::new();
    let clustered = layout.indexes.iter().find(|index| index.clustered).map_or(&[][..], |index| &index.key);
    let keys = index.key.iter().map(|part| part.ordinal);
    for column in keys.chain(index.included.iter().copied()).chain(clustered.iter().map(|part| part.ordinal)) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

impl Shape {
    /// The rows in the base tree.
    pub fn stored(&self) -> Stored<'_> {
        let Shape { id, layout, long_values, image_max, .. } = self;
        Stored { table: *id, layout: &layout.row, long_values: long_values.as_ref(), image_max: *image_max }
    }

    pub fn new(
        (db, id): (DatabaseId, TableId),
        layout: TableLayout,
        roots: &Roots,
        rows: Rows,
        tree: impl Fn(u32) -> Tree,
    ) -> Shape {
        assert!(layout.memory.is_none(), "a memory-optimized table has no trees");
        assert_eq!(layout.indexes.len(), roots.indexes.len(), "each index has its root");
        let is_whole = roots.base != 0 && roots.indexes.iter().all(|index| index.entries != 0);
        assert!(is_whole, "no tree begins at page 0: {roots:?}");
        let (clustered, numbered) = base_key(&layout);
        let indexes = layout
            .indexes
            .iter()
            .zip(&roots.indexes)
            .filter(|(index, _)| !index.clustered)
            .map(|(index, root)| {
                let columns = entry_columns(&layout, index);
                IndexShape {
                    layout: index.clone(),
                    tree: tree(root.entries),
                    key: KeyLayout::new(&layout.row, &index.key),
                    row: entry_row(&layout, &columns),
                    columns,
                    entry_max: entry_max(&layout, index),
                    long_values: (root.long_values != 0).then(|| tree(root.long_values)),
                    filter: index.filter.iter().map(|term| (term.column, Test::new(&layout, term))).collect(),
                }
            })
            .collect();
        Shape {
            db,
            id,
            base: tree(roots.base),
            clustered,
            numbered,
            long_values: (roots.long_values != 0).then(|| tree(roots.long_values)),
            indexes,
            image_max: image_max(&layout),
            layout,
            rows,
        }
    }

    pub fn roots(&self) -> Roots {
        let root_of = |index: &IndexLayout| {
            let found = self.indexes.iter().find(|shape| shape.layout.id == index.id);
            let long_values = |shape: &IndexShape| shape.long_values.as_ref().map_or(0, |tree| tree.root);
            found.map_or(IndexRoots::of(self.base.root), |shape| IndexRoots {
                entries: shape.tree.root,
                long_values: long_values(shape),
            })
        };
        Roots {
            base: self.base.root,
            long_values: self.long_values.as_ref().map_or(0, |tree| tree.root),
            indexes: self.layout.indexes.iter().map(root_of).collect(),
            partitioning: None,
        }
    }
}

/// A partitioned table: its partitions' shapes, and which of them a row belongs to.
pub struct PartitionedShape {
    pub db: DatabaseId,
    pub id: TableId,
    pub layout: TableLayout,
    pub partitioning: Partitioning,
    pub codec: KeyCodec,
    pub parts: Vec<Arc<Shape>>,
    /// Of each partition: rows of before lack there what they lack by `layout`.
    pub alike: Vec<bool>,
    /// Where each partition is in `parts`, by its id.
    places: Vec<(TableId, usize)>,
}

impl PartitionedShape {
    pub fn new(
        (db, id): (DatabaseId, TableId),
        layout: TableLayout,
        partitioning: Partitioning,
        parts: Vec<Arc<Shape>>,
    ) -> PartitionedShape {
        assert_eq!(parts.len(), partitioning.partitions.len(), "each partition has its shape");
        let codec = KeyCodec::new(&layout.row.column_type(usize::from(partitioning.column)), false);
        let mut places: Vec<(TableId, usize)> = parts.iter().enumerate().map(|(at, part)| (part.id, at)).collect();
        places.sort_unstable();
        let alike = parts.iter().map(|part| part.layout.row == layout.row).collect();
        PartitionedShape { db, id, layout, partitioning, codec, parts, alike, places }
    }

    /// The partition of a row.
    #[inline]
    pub fn of_row(&self, row: &RowView<'_>) -> usize {
        let mut key = Vec::new();
        self.codec.encode_field(row, usize::from(self.partitioning.column), &mut key);
        self.partitioning.of_key(&key)
    }

    /// No two rows of the table have one key in the index, and its parts do not know that by themselves.
    pub fn is_unique_over_all(&self, index: &IndexLayout) -> bool {
        let has_column = index.key.iter().any(|part| part.ordinal == self.partitioning.column);
        index.unique && !index.clustered && !has_column
    }

    /// Where the partition with this id is; None: it is gone.
    pub fn place_of(&self, partition: TableId) -> Option<usize> {
        let at = self.places.binary_search_by_key(&partition, |(id, _)| *id).ok()?;
        Some(self.places[at].1)
    }
}

pub fn encode(layout: &TableLayout, roots: &Roots) -> Vec<u8> {
    assert_eq!(layout.indexes.len(), roots.indexes.len(), "each index has its root");
    assert!(
        layout.indexes.iter().all(|index| index.key.len() <= usize::from(u8::MAX)),
        "columns of a key are counted in 8 bits"
    );
    let row = layout.row.to_bytes();
    let mut out = match (layout.memory, &roots.partitioning) {
        (Some(MemoryOptimized { durable }), _) => vec![2, durable as u8],
        (None, Some(partitioning)) => encode_partitioning(partitioning),
        (None, None) if layout.row.missing().next().is_none() => vec![1],
        (None, None) => vec![3],
    };
    out.extend_from_slice(&roots.base.to_le_bytes());
    out.extend_from_slice(&roots.long_values.to_le_bytes());
    out.extend_from_slice(&(row.len() as u32).to_le_bytes());
    out.extend_from_slice(&row);
    if matches!(out[0], 3 | 4) {
        out.extend_from_slice(&(layout.row.missing().count() as u16).to_le_bytes());
        for (column, bytes) in layout.row.missing() {
            assert!(bytes.len() <= usize::from(u16::MAX), "a value of a page's row");
            out.extend_from_slice(&(column as u16).to_le_bytes());
            out.extend_from_slice(&(bytes.len() as u16).to_le_bytes());
            out.extend_from_slice(bytes);
        }
    }
    out.extend_from_slice(&(layout.indexes.len() as u16).to_le_bytes());
    for (index, root) in layout.indexes.iter().zip(&roots.indexes) {
        out.extend_from_slice(&index.id.0.to_le_bytes());
        let filtered = !index.filter.is_empty();
        let hash = index.bucket_count.is_some();
        let long = root.long_values != 0;
        let flags = [index.unique, index.clustered, filtered, hash, long];
        out.push(flags.iter().enumerate().map(|(bit, is_set)| u8::from(*is_set) << bit).sum());
        out.extend_from_slice(&root.entries.to_le_bytes());
        if long {
            out.extend_from_slice(&root.long_values.to_le_bytes());
        }
        out.push(index.key.len() as u8);
        for part in &index.key {
            out.extend_from_slice(&part.ordinal.to_le_bytes());
            out.push(part.descending as u8);
        }
        out.extend_from_slice(&(index.included.len() as u16).to_le_bytes());
        for column in &index.included {
            out.extend_from_slice(&column.to_le_bytes());
        }
        if filtered {
            // A term a column, and a table has 1,024 at most.
            out.extend_from_slice(&(index.filter.len() as u16).to_le_bytes());
            for term in &index.filter {
                out.extend_from_slice(&term.column.to_le_bytes());
                out.extend_from_slice(&term.keys.to_bytes());
            }
        }
        if let Some(count) = index.bucket_count {
            out.extend_from_slice(&count.to_le_bytes());
        }
    }
    out
}

fn encode_partitioning(partitioning: &Partitioning) -> Vec<u8> {
    assert_eq!(
        partitioning.partitions.len(),
        partitioning.boundaries.len() + 1,
        "a boundary lies between two partitions"
    );
    let mut out = vec![4];
    out.extend_from_slice(&partitioning.column.to_le_bytes());
    out.push(partitioning.right as u8);
    out.extend_from_slice(&(partitioning.boundaries.len() as u16).to_le_bytes());
    for boundary in &partitioning.boundaries {
        out.extend_from_slice(&(boundary.len() as u16).to_le_bytes());
        out.extend_from_slice(boundary);
    }
    partitioning.partitions.iter().for_each(|id| out.extend_from_slice(&id.0.to_le_bytes()));
    out
}

/// In the first part of a descriptor, the numbers of a memory-optimized table's objects, 4 bytes each; of another table none.
pub fn memory_objects_mut(descriptor: &mut [u8]) -> std::slice::ChunksExactMut<'_, u8> {
    let is_memory = descriptor.first() == Some(&2) && descriptor.len() >= 10;
    let range = if is_memory { 2..10 } else { 0..0 };
    descriptor[range].chunks_exact_mut(4)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (now, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(now)
    }
    fn u8(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }
    fn u16(&mut self) -> Option<u16> {
        Some(page::u16_at(self.take(2)?, 0))
    }
    fn u32(&mut self) -> Option<u32> {
        Some(page::u32_at(self.take(4)?, 0))
    }
}

fn decode_partitioning(reader: &mut Reader<'_>) -> Option<Partitioning> {
    let (column, right, count) = (reader.u16()?, reader.u8()? != 0, usize::from(reader.u16()?));
    let mut boundaries: Vec<Box<[u8]>> = Vec::new();
    for _ in 0..count {
        let length = usize::from(reader.u16()?);
        boundaries.push(reader.take(length)?.into());
    }
    let partitions = (0..=count).map(|_| Some(TableId(reader.u32()? as i32))).collect::<Option<Vec<_>>>()?;
    let is_valid = boundaries.is_sorted_by(|a, b| a < b) && partitions.iter().all(|id| id.0 != 0);
    is_valid.then_some(Partitioning { column, boundaries, right, partitions })
}

/// None: damaged.
pub fn decode(bytes: &[u8]) -> Option<(TableLayout, Roots)> {
    let mut reader = Reader(bytes);
    let version = reader.u8()?;
    let memory = match version {
        1 | 3 => None,
        2 => Some(MemoryOptimized { durable: reader.u8()? != 0 }),
        4 => None,
        _ => return None,
    };
    let partitioning = if version == 4 { Some(Box::new(decode_partitioning(&mut reader)?)) } else { None };
    let mut roots = Roots { base: reader.u32()?, long_values: reader.u32()?, indexes: Vec::new(), partitioning };
    let row_bytes = reader.u32()? as usize;
    let mut row = RowLayout::from_bytes(reader.take(row_bytes)?).ok()?.0;
    if roots.partitioning.as_ref().is_some_and(|partitioning| usize::from(partitioning.column) >= row.len()) {
        return None;
    }
    if matches!(version, 3 | 4) {
        for _ in 0..reader.u16()? {
            let (column, length) = (usize::from(reader.u16()?), usize::from(reader.u16()?));
            if column >= row.len() || row.fixed_at(column).is_some_and(|(_, codec)| codec.size() != length) {
                return None;
            }
            row.set_missing(column, reader.take(length)?);
        }
    }
    let mut indexes = Vec::new();
    for _ in 0..reader.u16()? {
        let id = IndexId(reader.u32()?);
        let flags = reader.u8()?;
        let entries = reader.u32()?;
        let long_values = if flags & 16 != 0 { reader.u32()? } else { 0 };
        roots.indexes.push(IndexRoots { entries, long_values });
        let mut key = Vec::new();
        for _ in 0..reader.u8()? {
            key.push(KeyColumn { ordinal: reader.u16()?, descending: reader.u8()? != 0 });
        }
        let mut included = Vec::new();
        for _ in 0..reader.u16()? {
            included.push(reader.u16()?);
        }
        let valid = |column: u16| (column as usize) < row.len();
        let mut filter = Vec::new();
        if flags & 4 != 0 {
            for _ in 0..reader.u16()? {
                let column = reader.u16()?;
                let (keys, bytes) = KeySet::from_bytes(reader.0)?;
                reader.take(bytes)?;
                filter.push(FilterTerm { column, keys });
            }
        }
        let bucket_count = if flags & 8 != 0 { Some(page::u64_at(reader.take(8)?, 0)) } else { None };
        let filter_valid = filter.iter().all(|term| valid(term.column));
        if !key.iter().all(|part| valid(part.ordinal)) || !included.iter().all(|c| valid(*c)) || !filter_valid {
            return None;
        }
        let (unique, clustered) = (flags & 1 != 0, flags & 2 != 0);
        indexes.push(IndexLayout { id, unique, clustered, key, included, filter, bucket_count });
    }
    debug_assert_eq!(indexes.len(), roots.indexes.len());
    Some((TableLayout { row, indexes, memory }, roots))
}

#[cfg(test)]
mod tests {
    use types::SqlType;

    use super::*;

    #[test]
    fn a_descriptor_survives_encoding_and_refuses_damage() {
        let columns = [ColumnType::not_null(SqlType::INT), ColumnType::nullable(SqlType::nvarchar(20))];
        let index = |id, unique, clustered| IndexLayout {
            id: IndexId(id),
            unique,
            clustered,
            key: vec![KeyColumn { ordinal: id as u16 - 1, descending: clustered }],
            included: vec![0],
            filter: match clustered {
                true => vec![],
                false => vec![FilterTerm { column: 1, keys: KeySet::not_null() }],
            },
            bucket_count: (!clustered).then_some(1 << 20),
        };
        let beside = IndexRoots { entries: 9, long_values: 12 };
        let roots = Roots { base: 7, long_values: 0, indexes: vec![IndexRoots::of(7), beside], partitioning: None };
        let partitioning = Partitioning {
            column: 1,
            boundaries: vec![[2, 5].into(), [2, 7].into()],
            right: true,
            partitions: vec![TableId(-4), TableId(8), TableId(9)],
        };
        let none = vec![IndexRoots::default(); 2];
        let divided = Roots { indexes: none, partitioning: Some(Box::new(partitioning)), ..Roots::default() };
        let (row, mut older) = (RowLayout::new(&columns), RowLayout::new(&columns));
        older.set_missing(0, &[1, 0, 0, 0]);
        older.set_missing(1, b"a value");
        let durable = Some(MemoryOptimized { durable: true });
        let cases = [(&row, None, &roots), (&older, None, &roots), (&row, durable, &roots), (&older, None, &divided)];
        for (row, memory, roots) in cases {
            let indexes = vec![index(1, true, true), index(2, false, false)];
            let layout = TableLayout { row: row.clone(), indexes, memory };
            let bytes = encode(&layout, roots);
            assert_eq!(decode(&bytes), Some((layout.clone(), roots.clone())));
            for cut in 0..bytes.len() {
                assert_eq!(decode(&bytes[..cut]), None, "cut at {cut}");
            }
        }
    }
}
