//! Long values of memory-optimized tables lie out of their rows: each is a row of an internal table that its table has beside
//! itself, as SQL Server has it. So a row that is changed is copied and logged without the values that stay as they are.
//!
//! ```text
//! row of the internal table:    number bigint, which nobody else has; bytes varbinary(max)
//! reference in the table's row: number u64, bytes u64, 0 u64
//! ```
//! A value is inserted and deleted by the transaction that inserts and deletes the row that refers to it, and the next version
//! of a row has the same reference where the value stays. So it is there, whoever looks, as long as somebody sees a row with its
//! reference; nobody else knows its number. Log, checkpoint files, collection, burial and limits of memory know it as a row like any other.

use types::row::{ColumnType, OVERFLOW_REF_BYTES, OverflowRef, RowBuilder, RowView};
use types::{MAX_LENGTH, RowLayout, SqlType};

use crate::error::StorageResult;
use crate::layout::{IndexId, IndexLayout, KeyColumn, MemoryOptimized, TableLayout};
use crate::pages::page::u64_at;

/// A shorter value stays in its row: copying it costs less than another row.
pub const IN_ROW_MAX: usize = 1000;
/// What SQL Server keeps in a row, by the declared lengths of its columns.
pub const ROW_BYTES_MAX: usize = 8060;
const _: () = assert!(
    IN_ROW_MAX > OVERFLOW_REF_BYTES && IN_ROW_MAX < ROW_BYTES_MAX,
    "a reference is shorter than what it stands for"
);

/// Columns of the internal table.
pub const NUMBER: usize = 0;
pub const BYTES: usize = 1;

/// The internal table of a table.
pub fn layout(durable: bool) -> TableLayout {
    let columns = [ColumnType::not_null(SqlType::BIGINT), ColumnType::not_null(SqlType::varbinary(MAX_LENGTH))];
    let index = IndexLayout {
        id: IndexId(2),
        unique: true,
        clustered: false,
        key: vec![KeyColumn { ordinal: NUMBER as u16, descending: false }],
        included: Vec::new(),
        filter: Vec::new(),
        bucket_count: None,
    };
    TableLayout { row: RowLayout::new(&columns), indexes: vec![index], memory: Some(MemoryOptimized { durable }) }
}

/// Columns whose values may be out of the row: those of (max) types; then, until the others fit a row, the longest that no index has.
pub fn columns(layout: &TableLayout) -> Vec<u16> {
    let row = &layout.row;
    let is_key = |column: u16| layout.indexes.iter().any(|index| index.key.iter().any(|part| part.ordinal == column));
    let declared = |column: &u16| usize::from(row.column_type(usize::from(*column)).length);
    let variable = (0..row.len() as u16).filter(|column| row.is_variable(usize::from(*column)));
    let (mut chosen, mut others): (Vec<u16>, Vec<u16>) =
        variable.partition(|column| row.column_type(usize::from(*column)).is_max());
    let mut bytes = row.min_bytes() + others.iter().map(declared).sum::<usize>();
    others.retain(|column| !is_key(*column) && declared(column) > OVERFLOW_REF_BYTES);
    others.sort_by_key(|column| (std::cmp::Reverse(declared(column)), *column));
    for column in others {
        if bytes <= ROW_BYTES_MAX {
            break;
        }
        bytes -= declared(&column) - OVERFLOW_REF_BYTES;
        chosen.push(column);
    }
    chosen.sort_unstable();
    debug_assert!(chosen.is_sorted_by(|a, b| a < b), "a column is named once");
    chosen
}

/// A row of the internal table.
pub fn image(row: &RowLayout, number: u64, bytes: &[u8]) -> Vec<u8> {
    debug_assert!(number != 0, "values are numbered from 1");
    let mut image = Vec::with_capacity(row.min_bytes() + 2 + bytes.len());
    let mut builder = RowBuilder::new(row, &mut image);
    builder.push_i64(number as i64);
    builder.push_bytes(bytes);
    builder.finish();
    image
}

/// The number of a row of the internal table.
pub fn number_in(row: &RowLayout, image: &[u8]) -> StorageResult<u64> {
    Ok(RowView::fixed(row, image)?.i64(NUMBER) as u64)
}

pub fn reference(number: u64, bytes: usize) -> OverflowRef {
    debug_assert!(number != 0, "values are numbered from 1");
    let mut reference = [0; OVERFLOW_REF_BYTES];
    reference[..8].copy_from_slice(&number.to_le_bytes());
    reference[8..16].copy_from_slice(&(bytes as u64).to_le_bytes());
    reference
}

pub fn number_of(reference: &OverflowRef) -> u64 {
    u64_at(reference, 0)
}

pub fn bytes_of(reference: &OverflowRef) -> usize {
    u64_at(reference, 8) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_columns_without_an_index_leave_a_row_that_is_too_long() {
        let column = |ty| ColumnType::nullable(ty);
        let types = [
            column(SqlType::INT),
            column(SqlType::nvarchar(2000)),
            column(SqlType::nvarchar(100)),
            column(SqlType::varchar(MAX_LENGTH)),
            column(SqlType::nvarchar(3000)),
        ];
        let mut layout = TableLayout { row: RowLayout::new(&types), ..layout(true) };
        assert_eq!(columns(&layout), [3, 4]);
        layout.indexes[0].key[0].ordinal = 4;
        assert_eq!(columns(&layout), [1, 3]);
        layout.row = RowLayout::new(&types[..3]);
        layout.indexes[0].key[0].ordinal = 0;
        assert_eq!(columns(&layout), []);
    }
}
