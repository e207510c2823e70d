//! Values as bcp writes them in native format.
//!
//! https://learn.microsoft.com/sql/relational-databases/import-export/use-native-format-to-import-or-export-data-sql-server

use sql::plan::BulkColumn;
use types::{Datum, SqlType, TypeKind, bcp};

use super::Asked;
use super::value::{Wrong, converted, fitted};

/// `from`: the type as which the value lies there.
pub fn value(bytes: &[u8], from: &SqlType, column: &BulkColumn, asked: &mut dyn Asked) -> Result<Datum, Wrong> {
    let made = datum(bytes, from).ok_or(Wrong::Mismatch)?;
    // Its text, which has to be parsed.
    let from = if from.kind == TypeKind::Xml { &SqlType::NVARCHAR_MAX } else { from };
    let same = from.kind == column.ty.kind && from.scale == column.ty.scale && from.precision == column.ty.precision;
    if same && !from.is_string() { fitted(made, &column.ty) } else { converted(made, from, &column.ty, asked) }
}

fn datum(bytes: &[u8], ty: &SqlType) -> Option<Datum> {
    use TypeKind::*;
    match ty.kind {
        Char | VarChar | NChar | NVarChar | Binary | VarBinary => Some(Datum::bytes(bytes)),
        Xml if bytes.len().is_multiple_of(2) => Some(Datum::bytes(bytes)),
        _ => bcp::value(bytes, ty),
    }
}
