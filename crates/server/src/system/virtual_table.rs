//! Rows of the computed system tables. Each table's function gives its rows as named values; what it leaves out is NULL, or 0 and
//! empty where SQL Server never shows NULL.

use exec::session::Session as State;
use sql::catalog::VirtualTableDef;
use types::{Datum, Physical, SqlResult, SqlType, TypeKind};

use super::answer::{Answer, Arguments};
use super::tables::{catalog_rows, exec_rows, os_rows, transaction_rows};
use crate::catalog::{registry, row::Date};
use crate::host::SessionHost;

/// One row: values by column name.
pub type NamedRow = Vec<(&'static str, Cell)>;

/// A value of a computed row.
pub enum Cell {
    Answer(Answer),
    /// 100 ns since 0001-01-01: becomes the column's date type.
    Time(i64),
    /// Ready, of the column's class.
    Datum(Datum),
}

impl<T: Into<Answer>> From<T> for Cell {
    fn from(value: T) -> Cell {
        Cell::Answer(value.into())
    }
}

impl From<String> for Answer {
    fn from(value: String) -> Answer {
        Answer::Text(value)
    }
}

impl From<Answer> for Option<Cell> {
    fn from(value: Answer) -> Option<Cell> {
        Some(Cell::Answer(value))
    }
}

/// A number whose type the column decides.
pub fn number(value: impl TryInto<i64>) -> Cell {
    Cell::Answer(value.try_into().map_or(Answer::Null, Answer::Number))
}

/// `varbinary(8)`: an address, here the number that names the thing.
pub fn address(value: u64) -> Cell {
    Cell::Answer(Answer::Bytes(value.to_be_bytes().to_vec()))
}

pub fn text(value: &str) -> Cell {
    Cell::Answer(value.into())
}

impl Cell {
    fn datum(self, ty: &SqlType) -> Datum {
        match self {
            Cell::Datum(datum) => datum,
            Cell::Time(ticks) => match ty.kind {
                TypeKind::DateTime => Datum::I64(datetime_of(ticks).0),
                _ => Datum::I64(ticks),
            },
            Cell::Answer(Answer::Number(value)) if ty.physical() == Physical::F64 => Datum::F64(value as f64),
            Cell::Answer(Answer::Text(text)) if matches!(ty.kind, TypeKind::NChar | TypeKind::Char) => {
                let width = usize::from(if ty.is_unicode_string() { ty.length / 2 } else { ty.length });
                Answer::Text(format!("{text:<width$}")).datum(ty)
            }
            Cell::Answer(answer) => answer.datum(ty),
        }
    }
}

/// UTC ticks as the local `datetime` that DMVs show.
fn datetime_of(ticks: i64) -> Date {
    crate::catalog::clock::from_ticks(ticks)
}

pub fn virtual_rows(
    host: &mut SessionHost,
    state: &mut State,
    table: &VirtualTableDef,
    columns: &[u16],
    arguments: &[Datum],
    row: &mut dyn FnMut(&[Datum]) -> SqlResult<()>,
) -> SqlResult<()> {
    let (database, entry) = registry::of_virtual_id(table.id);
    let typed: Vec<(SqlType, Datum)> = table.parameters.iter().copied().zip(arguments.iter().cloned()).collect();
    let arguments = Arguments(&typed);
    let name = entry.name;
    let rows = os_rows::rows(host, name)
        .or_else(|| exec_rows::rows(host, state, name))
        .or_else(|| transaction_rows::rows(host, state, name));
    let rows = match rows {
        Some(rows) => rows,
        None => catalog_rows::rows(host, state, database, name, &arguments)?.unwrap_or_default(),
    };
    let mut values = Vec::with_capacity(columns.len());
    for mut named in rows {
        values.clear();
        for column in columns {
            let definition = &table.columns[usize::from(*column)];
            let found = named.iter().position(|(name, _)| definition.name.eq_ignore_ascii_case(name));
            values.push(match found {
                Some(position) => named.swap_remove(position).1.datum(&definition.ty),
                None if definition.nullable => Datum::Null,
                None => empty(&definition.ty),
            });
        }
        row(&values)?;
    }
    Ok(())
}

fn empty(ty: &SqlType) -> Datum {
    match ty.physical() {
        Physical::I64 => Datum::I64(0),
        Physical::F64 => Datum::F64(0.0),
        Physical::I128 => Datum::I128(0),
        Physical::Bytes => Datum::bytes(&[]),
    }
}
