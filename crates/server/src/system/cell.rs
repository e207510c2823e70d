//! Values of computed rows, by column name: what a table's function gives, before the column's type is known.

use types::{Datum, Physical, SqlType, TypeKind};

use super::answer::Answer;

/// One row: values by column name.
pub type NamedRow = Vec<(&'static str, Cell)>;

/// A value of a computed row.
pub enum Cell {
    Answer(Answer),
    /// 100 ns since 0001-01-01, UTC: becomes local time in a `datetime`, and stays what it is in a `datetime2`.
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
    pub fn datum(self, ty: &SqlType) -> Datum {
        match self {
            Cell::Datum(datum) => datum,
            Cell::Time(ticks) => match ty.kind {
                TypeKind::DateTime => Datum::I64(crate::catalog::clock::local(ticks).0),
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
