//! Partition functions and schemes, as rows of `sysclsobjs` keep them.
//!
//! ```text
//! function  status  1: RANGE RIGHT
//!           value   system type, bytes, precision, scale, collation or -; then each boundary: N NULL, I i64, F bits of f64, L i128, B bytes
//! scheme    status  1: ALL TO: its filegroup stays the next one
//!           value   function; then the filegroup of each partition; then, behind a `;`, the next one if there is one
//! ```

use std::fmt::Write as _;
use std::sync::Arc;

use sql::catalog::{PartitionFunctionDef, TableDef, TablePartitioning};
use types::{Datum, SqlResult};

use super::base::{ClassRow, IndexColumnRow, IndexRow, class};
use super::row::{Field, Text};
use super::scalar_type;
use super::store::Rows;

fn key(class: u8, id: i32) -> [Datum; 2] {
    [Datum::I64(class.into()), Datum::I64(id.into())]
}

fn name_key(class: u8, name: &str) -> [Datum; 2] {
    [Datum::I64(class.into()), name.to_string().to_datum()]
}

/// Ids of functions and schemes begin here; those of filegroups are below.
pub const FUNCTION_MIN: i32 = 65_536;
pub const SCHEME_MIN: i32 = 65_601;

/// Partitions of a table.
pub const PARTITIONS_MAX: usize = 15_000;

/// In `IndexColumnRow::status`.
pub const PARTITIONING: i32 = 4;

/// In `ClassRow::status` of a function.
pub const RIGHT: i32 = 1;
/// In `ClassRow::status` of a scheme.
pub const ALL: i32 = 1;

/// CREATE PARTITION SCHEME.
#[derive(Debug, Clone)]
pub struct Scheme {
    /// `data_space_id`
    pub id: i32,
    pub name: String,
    pub function: i32,
    /// Of each partition.
    pub filegroups: Vec<i32>,
    /// NEXT USED
    pub next: Option<i32>,
    pub all: bool,
}

pub fn function_value(function: &PartitionFunctionDef) -> Text {
    let ty = &function.ty;
    let (xtype, length) = (scalar_type::system_type(ty.kind).xtype, scalar_type::max_length(ty));
    let collation = scalar_type::collation_name(ty).unwrap_or_else(|| "-".into());
    let mut text = format!("{xtype} {length} {} {} {collation}", ty.precision, ty.scale);
    for boundary in &function.boundaries {
        match boundary {
            Datum::Null => text.push_str(" N"),
            Datum::I64(value) => write!(text, " I{value}").expect("writes to a string"),
            Datum::F64(value) => write!(text, " F{:x}", value.to_bits()).expect("writes to a string"),
            Datum::I128(value) => write!(text, " L{value}").expect("writes to a string"),
            Datum::Bytes(bytes) => {
                text.push_str(" B");
                bytes.iter().for_each(|byte| write!(text, "{byte:02x}").expect("writes to a string"));
            }
        }
    }
    Text(Some(text))
}

fn boundary(text: &str) -> Option<Datum> {
    let (kind, value) = text.split_at_checked(1)?;
    Some(match kind {
        "N" => Datum::Null,
        "I" => Datum::I64(value.parse().ok()?),
        "F" => Datum::F64(f64::from_bits(u64::from_str_radix(value, 16).ok()?)),
        "L" => Datum::I128(value.parse().ok()?),
        "B" => {
            let bytes = value.as_bytes().chunks(2);
            let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
            Datum::bytes(&bytes.map(byte).collect::<Option<Vec<u8>>>()?)
        }
        _ => return None,
    })
}

/// None: damaged.
pub fn function(row: &ClassRow) -> Option<PartitionFunctionDef> {
    let mut words = row.value.0.as_deref()?.split(' ');
    let (xtype, length) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let (precision, scale) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let collation = words.next().filter(|name| *name != "-");
    Some(PartitionFunctionDef {
        id: row.id,
        name: row.name.as_str().into(),
        ty: scalar_type::sql_type(xtype, 0, length, precision, scale, collation)?,
        right: row.status & RIGHT != 0,
        boundaries: words.map(boundary).collect::<Option<Vec<_>>>()?,
    })
}

impl Scheme {
    pub fn value(&self) -> Text {
        let numbers: Vec<String> =
            std::iter::once(self.function).chain(self.filegroups.iter().copied()).map(|id| id.to_string()).collect();
        Text(Some(format!("{};{}", numbers.join(" "), self.next.map_or(String::new(), |next| next.to_string()))))
    }
}

/// None: damaged.
pub fn scheme(row: &ClassRow) -> Option<Scheme> {
    let (numbers, next) = row.value.0.as_deref()?.split_once(';')?;
    let mut numbers = numbers.split(' ').map(|number| number.parse::<i32>().ok());
    Some(Scheme {
        id: row.id,
        name: row.name.clone(),
        function: numbers.next()??,
        filegroups: numbers.collect::<Option<Vec<_>>>()?,
        next: next.parse().ok(),
        all: row.status & ALL != 0,
    })
}

/// How an index lies otherwise than its divided table.
#[derive(Debug, Clone)]
pub enum Otherwise {
    /// In a filegroup.
    Undivided,
    ByColumn,
    ByFunction(Arc<PartitionFunctionDef>),
}

/// None: they are aligned.
pub fn otherwise(table: &TablePartitioning, index: Option<&TablePartitioning>) -> Option<Otherwise> {
    match index {
        None => Some(Otherwise::Undivided),
        Some(index) if index.column != table.column => Some(Otherwise::ByColumn),
        Some(index) if !index.function.is_equivalent(&table.function) => {
            Some(Otherwise::ByFunction(index.function.clone()))
        }
        Some(_) => None,
    }
}

/// An index of rows that is there: disabled ones lie nowhere.
fn is_there(index: &IndexRow) -> bool {
    use super::base::index_status::{DISABLED, STATISTICS};
    index.kind == 2 && index.status & (DISABLED | STATISTICS) == 0
}

/// The first index that does not lie as its divided table does, by name.
pub fn unaligned(
    rows: &mut Rows<'_>,
    table: &TableDef,
    indexes: &[IndexRow],
) -> SqlResult<Option<(String, Otherwise)>> {
    let Some(of_table) = &table.partitioning else { return Ok(None) };
    for index in indexes.iter().filter(|index| is_there(index)) {
        let own = of_index(rows, table, index)?;
        if let Some(how) = otherwise(of_table, own.as_ref()) {
            return Ok(Some((index.name.clone().unwrap_or_default(), how)));
        }
    }
    Ok(None)
}

/// The first index that lies in a filegroup, by name.
pub fn undivided(indexes: &[IndexRow]) -> Option<&str> {
    let found = indexes.iter().filter(|index| index.kind == 1 || is_there(index));
    found.filter(|index| index.dataspace < SCHEME_MIN).find_map(|index| index.name.as_deref())
}

/// The first index that lies on a scheme, by name.
pub fn divided(indexes: &[IndexRow]) -> Option<&str> {
    let found = indexes.iter().filter(|index| index.kind == 1 || is_there(index));
    found.filter(|index| index.dataspace >= SCHEME_MIN).find_map(|index| index.name.as_deref())
}

pub fn function_by_id(rows: &mut Rows<'_>, id: i32) -> SqlResult<Option<PartitionFunctionDef>> {
    let row = rows.first::<ClassRow>(0, &key(class::PARTITION_FUNCTION, id))?;
    Ok(row.as_ref().and_then(function))
}

pub fn function_named(rows: &mut Rows<'_>, name: &str) -> SqlResult<Option<PartitionFunctionDef>> {
    let row = rows.first::<ClassRow>(1, &name_key(class::PARTITION_FUNCTION, name))?;
    Ok(row.as_ref().and_then(function))
}

pub fn scheme_by_id(rows: &mut Rows<'_>, id: i32) -> SqlResult<Option<Scheme>> {
    let row = rows.first::<ClassRow>(0, &key(class::PARTITION_SCHEME, id))?;
    Ok(row.as_ref().and_then(scheme))
}

pub fn scheme_named(rows: &mut Rows<'_>, name: &str) -> SqlResult<Option<Scheme>> {
    let row = rows.first::<ClassRow>(1, &name_key(class::PARTITION_SCHEME, name))?;
    Ok(row.as_ref().and_then(scheme))
}

/// How an index of the table is divided.
pub fn of_index(rows: &mut Rows<'_>, table: &TableDef, index: &IndexRow) -> SqlResult<Option<TablePartitioning>> {
    let columns = rows.find::<IndexColumnRow>(0, &[Datum::I64(index.id.into()), Datum::I64(index.indid.into())])?;
    let position = |colid: i32| table.columns.iter().position(|column| column.column_id == colid as u32);
    of_table(rows, index, &columns, |colid| position(colid).map(|at| at as u16))
}

/// How what lies in `base` is divided: a heap, or an index. `position`: of a column by its id.
pub fn of_table(
    rows: &mut Rows<'_>,
    base: &IndexRow,
    columns: &[IndexColumnRow],
    position: impl Fn(i32) -> Option<u16>,
) -> SqlResult<Option<TablePartitioning>> {
    if base.dataspace < SCHEME_MIN {
        return Ok(None);
    }
    let column = columns.iter().find(|column| column.indid == base.indid && column.status & PARTITIONING != 0);
    let Some(column) = column.and_then(|column| position(column.colid)) else { return Ok(None) };
    let Some(scheme) = scheme_by_id(rows, base.dataspace)? else { return Ok(None) };
    let function = function_by_id(rows, scheme.function)?;
    Ok(function.map(|function| TablePartitioning { column, scheme: scheme.id, function: Arc::new(function) }))
}

#[cfg(test)]
mod tests {
    use types::SqlType;

    use super::super::row::Date;
    use super::*;

    fn row(status: i32, value: Text) -> ClassRow {
        let (created, modified) = (Date(0), Date(0));
        ClassRow { class: 67, id: 70_000, name: "f".into(), owner: 1, created, modified, status, value }
    }

    #[test]
    fn what_is_kept_is_read_back() {
        let of = |ty, boundaries| PartitionFunctionDef { id: 70_000, name: "f".into(), ty, right: true, boundaries };
        for known in [
            of(SqlType::INT, vec![Datum::Null, Datum::I64(-5), Datum::I64(7)]),
            of(SqlType::FLOAT, vec![Datum::F64(-0.5)]),
            of(SqlType::decimal(20, 3), vec![Datum::I128(-12_345), Datum::I128(0)]),
            of(SqlType::varbinary(9), vec![Datum::bytes(b""), Datum::bytes(&[0, 255])]),
            of(SqlType::DATE, Vec::new()),
        ] {
            assert_eq!(function(&row(RIGHT, function_value(&known))), Some(known));
        }
        let known = Scheme {
            id: 70_000,
            name: "f".into(),
            function: 65_536,
            filegroups: vec![1, 2, 1],
            next: Some(3),
            all: true,
        };
        let read = scheme(&row(ALL, known.value())).expect("a scheme");
        assert_eq!((read.function, read.filegroups, read.next), (65_536, vec![1, 2, 1], Some(3)));
    }
}
