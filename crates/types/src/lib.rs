//! SQL values: types, physical representation, conversion, comparison, collation, decimal, date and time, row image,
//! key image, `RowBatch`. Pure: no disk, no socket, no clock, no query.
//!
//! Modules in dependency order, lowest first.

#[cfg(debug_assertions)]
pub mod planted;
pub mod messages;

pub mod error;
pub mod pause;
pub mod long;
pub mod sql_type;

pub mod datum;

pub mod batch;
pub mod fixed;
pub mod row;

pub mod collation;
pub mod decimal;
pub mod names;
pub mod text;
pub mod xml;
pub mod json;

pub mod precedence;
pub mod operands;

pub mod datetime;
pub mod culture;
pub mod variant;
pub mod bcp;

pub mod compare;
pub mod hierarchy;
pub mod convert;
pub mod key;
pub mod key_set;

pub mod arith;
pub mod search;
pub mod like;

pub use batch::{Column, ColumnData, RowBatch};
pub use compare::ValueComparer;
pub use convert::{ConvertContext, convert, convert_ref};
pub use datum::{Datum, DatumRef};
pub use error::{SqlError, SqlResult};
pub use key::{KeyCodec, KeyColumn, KeyLayout};
pub use key_set::KeySet;
pub use row::{ColumnType, RowBuilder, RowLayout, RowView};
pub use sql_type::{CollationId, MAX_LENGTH, Physical, SqlType, TypeKind};

/// A place where a test may make a request panic (`planted`). Nothing in a release.
#[macro_export]
macro_rules! plant {
    () => {
        #[cfg(debug_assertions)]
        $crate::planted::pass();
    };
}
