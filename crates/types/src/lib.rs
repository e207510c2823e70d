//! SQL values: types, physical representation, conversion, comparison, collation, decimal, date and time, row image,
//! key image, `RowBatch`. Pure: no disk, no socket, no clock, no query.
//!
//! Modules in dependency order, lowest first.

pub mod batch;
pub mod datum;
pub mod error;
pub mod sql_type;

pub mod fixed;
pub mod row;

pub mod decimal;
pub mod names;
pub mod precedence;

pub mod collation;
pub mod key;

pub use batch::{Column, ColumnData, RowBatch};
pub use datum::Datum;
pub use error::{SqlError, SqlResult};
pub use key::{KeyCodec, KeyColumn, KeyLayout};
pub use row::{ColumnType, RowBuilder, RowLayout, RowView};
pub use sql_type::{CollationId, MAX_LENGTH, Physical, SqlType, TypeKind};
