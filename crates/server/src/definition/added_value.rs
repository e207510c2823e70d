//! What rows that are there have in a column that ALTER TABLE adds, where that is one value for all: then no row is touched, and the
//! layout says what rows of before read as.

use sql::ast::{ColumnDefinition, ConstraintKind, Expr};
use types::row::{self, ColumnType, Field, RowView};
use types::{Datum, RowLayout, SqlResult};

use super::rebuild::{NewColumn, fitted, no_null, stored};
use super::site::{Ddl, has};
use crate::catalog::base::{ColumnRow, column_status as cs};

/// Rows that an UPDATE writes again have their values in the row: they have to fit as well.
const ROW_BYTES_MAX: i64 = 8000;

/// Bytes that a value which may be out of its row takes in it.
const REFERENCE_BYTES: i64 = 24;

/// A stored column to add: its row in the catalog, its definition, and its value as text.
pub type Added<'d> = (ColumnRow, &'d ColumnDefinition, String);

/// Whether every row has the same in each of the columns, which fit the rows whatever is in them.
pub fn is_one_for_all(existing: &[ColumnRow], added: &[Added<'_>]) -> bool {
    let bytes = |column: &ColumnRow| match i64::from(column.length) {
        -1 => REFERENCE_BYTES,
        length => length.max(1) + 3,
    };
    let columns = existing.iter().chain(added.iter().map(|(row, ..)| row)).filter(|column| stored(column));
    columns.map(bytes).sum::<i64>() <= ROW_BYTES_MAX
        && added.iter().filter(|(row, ..)| stored(row)).all(|(row, column, value)| {
            let numbered = has(row.status, cs::IDENTITY) || has(row.status, cs::COMPUTED) || row.xtype == 189;
            let default = column.constraints.iter().find_map(|constraint| match &constraint.kind {
                ConstraintKind::Default(default) => Some(&default.value),
                _ => None,
            });
            !numbered && row.length != -1 && (value == "NULL" || default.is_some_and(is_constant))
        })
}

/// Not so: NEWID(), a function of the user's, NEXT VALUE FOR. GETDATE() is one moment in the whole statement.
fn is_constant(value: &Expr) -> bool {
    match value {
        Expr::Literal(_) | Expr::Niladic(_) | Expr::OdbcLiteral(..) => true,
        Expr::Unary(_, operand) | Expr::Collate(operand, _) => is_constant(operand),
        Expr::Arithmetic(row) => is_constant(&row.first) && row.rest.iter().all(|(_, operand)| is_constant(operand)),
        Expr::Cast(cast) => is_constant(&cast.operand),
        Expr::Convert(convert) => is_constant(&convert.operand) && convert.style.as_ref().is_none_or(is_constant),
        Expr::Call(call) => {
            let moments = [
                "GETDATE",
                "GETUTCDATE",
                "SYSDATETIME",
                "SYSUTCDATETIME",
                "SYSDATETIMEOFFSET",
                "SUSER_SNAME",
                "USER_NAME",
            ];
            call.args.is_empty()
                && call.name.schema.is_none()
                && moments.iter().any(|moment| call.name.name.eq_ignore_ascii_case(moment))
        }
        _ => false,
    }
}

/// Sets in `layout`, whose last columns are the added ones that are stored, what rows of before read as. 515: a NULL where none may be, 2628: a value that is too long.
/// `table`: its full name.
pub fn set_missing(ddl: &mut Ddl<'_>, table: &str, columns: &[NewColumn], layout: &mut RowLayout) -> SqlResult<()> {
    let first = layout.len() - columns.len();
    let values: Vec<&str> = columns.iter().map(|column| &*column.value).collect();
    let query = format!("SELECT {}", values.join(", "));
    let mut found: Vec<Datum> = Vec::new();
    ddl.site.query(&query, &mut |_, batch| {
        found = batch.columns.iter().map(|column| column.datum(0)).collect();
        Ok(())
    })?;
    for (position, (column, value)) in columns.iter().zip(found).enumerate() {
        if value.is_null() {
            if !column.ty.nullable {
                return Err(no_null(&column.name, table, "UPDATE"));
            }
            continue;
        }
        let value = if column.whole { fitted(value, column, table)? } else { value };
        let alone = RowLayout::new(&[ColumnType { nullable: true, ..column.ty }]);
        let mut image = Vec::new();
        row::encode(&alone, &[value], &mut image);
        let view = RowView::new(&alone, &image).expect("an image just made");
        if let Field::Bytes(bytes) = view.field(0) {
            layout.set_missing(first + position, bytes);
        }
    }
    Ok(())
}
