//! A Parquet file, a group of rows at a time: each column is one page of plain values.

use std::io::Write;

use types::{Datum, SqlType, TypeKind};

use super::super::RowWriter;
use super::super::fault::Fault;
use super::super::table::Field;
use super::super::value;
use super::thrift::{self, Struct, put_varint};
use super::{DAYS_TO_1970, MAGIC, TICKS_PER_DAY, codec, encoding, legacy, logical, page, physical, repetition};

/// A group of rows ends at about so many bytes, or so many rows.
const GROUP_BYTES: usize = 32 << 20;
const GROUP_ROWS: usize = 128 << 10;
/// Of a page: its length is an i32.
const PAGE_BYTES_MAX: usize = i32::MAX as usize;
const CREATED_BY: &str = concat!("heddle version ", env!("CARGO_PKG_VERSION"));

/// How a column's values lie in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Boolean,
    Int32 {
        bits: u8,
        signed: bool,
    },
    Int64,
    Float,
    Double,
    /// By digits: in 32 bits, in 64, or in 16 bytes.
    Decimal {
        precision: u8,
        scale: u8,
    },
    Date,
    /// 100 ns since midnight.
    Time,
    /// By the fraction's digits: milliseconds, microseconds or nanoseconds.
    Timestamp {
        unit: i16,
    },
    Uuid,
    Text,
    Bytes,
}

impl Kind {
    /// Err: values of the type would lose what they are.
    fn of(sql_type: SqlType) -> Result<Kind, String> {
        use TypeKind::*;
        Ok(match sql_type.kind {
            Bit => Kind::Boolean,
            TinyInt => Kind::Int32 { bits: 8, signed: false },
            SmallInt => Kind::Int32 { bits: 16, signed: true },
            Int => Kind::Int32 { bits: 32, signed: true },
            BigInt => Kind::Int64,
            Real => Kind::Float,
            Float => Kind::Double,
            SmallMoney => Kind::Decimal { precision: 10, scale: 4 },
            Money => Kind::Decimal { precision: 19, scale: 4 },
            Decimal | Numeric => Kind::Decimal { precision: sql_type.precision, scale: sql_type.scale },
            Date => Kind::Date,
            Time => Kind::Time,
            SmallDateTime | DateTime => Kind::Timestamp { unit: logical::MILLIS },
            DateTime2 => Kind::Timestamp {
                unit: match sql_type.scale {
                    0..=3 => logical::MILLIS,
                    4..=6 => logical::MICROS,
                    _ => logical::NANOS,
                },
            },
            UniqueIdentifier => Kind::Uuid,
            // The offset would be lost.
            DateTimeOffset => Kind::Text,
            Char | VarChar | Text | NChar | NVarChar | NText | Xml | Json => Kind::Text,
            Binary | VarBinary | Image | RowVersion | HierarchyId | Geometry | Geography => Kind::Bytes,
            SqlVariant => return Err("sql_variant keeps its types in format native alone".into()),
        })
    }

    fn physical(self) -> i32 {
        match self {
            Kind::Boolean => physical::BOOLEAN,
            Kind::Int32 { .. } | Kind::Date | Kind::Decimal { precision: 0..=9, .. } => physical::INT32,
            Kind::Int64 | Kind::Time | Kind::Timestamp { .. } | Kind::Decimal { precision: 10..=18, .. } => {
                physical::INT64
            }
            Kind::Float => physical::FLOAT,
            Kind::Double => physical::DOUBLE,
            Kind::Decimal { .. } | Kind::Uuid => physical::FIXED_LEN_BYTE_ARRAY,
            Kind::Text | Kind::Bytes => physical::BYTE_ARRAY,
        }
    }

    fn legacy(self) -> Option<i32> {
        Some(match self {
            Kind::Int32 { bits: 8, signed: false } => legacy::UINT_8,
            Kind::Int32 { bits: 16, .. } => legacy::INT_16,
            Kind::Decimal { .. } => legacy::DECIMAL,
            Kind::Date => legacy::DATE,
            Kind::Text => legacy::UTF8,
            _ => return None,
        })
    }

    fn put_logical(self, out: &mut Struct<'_>) {
        let timed = |of: &mut Struct<'_>, field: i16, unit: i16| {
            of.structure(field, |time| {
                time.boolean(1, false);
                time.structure(2, |units| units.structure(unit, |_| {}));
            });
        };
        let field = 10;
        match self {
            Kind::Int32 { bits, signed } if bits < 32 => out.structure(field, |of| {
                of.structure(logical::INTEGER, |integer| {
                    integer.byte(1, bits);
                    integer.boolean(2, signed);
                });
            }),
            Kind::Decimal { precision, scale } => out.structure(field, |of| {
                of.structure(logical::DECIMAL, |decimal| {
                    decimal.i32(1, scale.into());
                    decimal.i32(2, precision.into());
                });
            }),
            Kind::Date => out.structure(field, |of| of.structure(logical::DATE, |_| {})),
            Kind::Time => out.structure(field, |of| timed(of, logical::TIME, logical::NANOS)),
            Kind::Timestamp { unit } => out.structure(field, |of| timed(of, logical::TIMESTAMP, unit)),
            Kind::Uuid => out.structure(field, |of| of.structure(logical::UUID, |_| {})),
            Kind::Text => out.structure(field, |of| of.structure(logical::STRING, |_| {})),
            Kind::Boolean | Kind::Int32 { .. } | Kind::Int64 | Kind::Float | Kind::Double | Kind::Bytes => {}
        }
    }
}

struct Column {
    field: Field,
    kind: Kind,
    /// Plain values of the group so far.
    values: Vec<u8>,
    /// A bit a row, set where there is a value.
    present: Vec<u8>,
    booleans: usize,
}

/// A column of a group that was written.
struct Chunk {
    offset: u64,
    bytes: u64,
    /// Of its page without the header.
    rows: usize,
}

struct Group {
    chunks: Vec<Chunk>,
    rows: usize,
}

pub struct Writer<W> {
    out: W,
    columns: Vec<Column>,
    groups: Vec<Group>,
    offset: u64,
    /// Of the group at hand, and of all before.
    rows: usize,
    row: u64,
    text: String,
}

impl<W: Write> Writer<W> {
    pub fn new(mut out: W, fields: Vec<Field>) -> Result<Writer<W>, Fault> {
        let mut columns: Vec<Column> = Vec::with_capacity(fields.len());
        for field in fields {
            let told = |why: String| Fault::File(format!("column {}: {why}", field.name));
            let kind = Kind::of(field.sql_type).map_err(told)?;
            if field.name.is_empty() || columns.iter().any(|other| other.field.name == field.name) {
                return Err(told("a Parquet file names each of its columns, and each otherwise".into()));
            }
            columns.push(Column { field, kind, values: Vec::new(), present: Vec::new(), booleans: 0 });
        }
        out.write_all(MAGIC)?;
        let offset = MAGIC.len() as u64;
        Ok(Writer { out, columns, groups: Vec::new(), offset, rows: 0, row: 0, text: String::new() })
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.out.write_all(bytes)?;
        self.offset += bytes.len() as u64;
        Ok(())
    }

    fn end_group(&mut self) -> Result<(), Fault> {
        if self.rows == 0 {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.rows);
        let mut chunks = Vec::with_capacity(self.columns.len());
        for at in 0..self.columns.len() {
            let offset = self.offset;
            let page = self.columns[at].take_page(rows);
            if page.len() > PAGE_BYTES_MAX {
                let name = &self.columns[at].field.name;
                return Err(Fault::value(self.row, name, "a value too long for a page of Parquet"));
            }
            let mut head = Vec::new();
            thrift::write(&mut head, |header| {
                header.i32(1, page::DATA);
                header.i32(2, page.len() as i32);
                header.i32(3, page.len() as i32);
                header.i32(4, crc32fast::hash(&page) as i32);
                header.structure(5, |data| {
                    data.i32(1, rows as i32);
                    data.i32(2, encoding::PLAIN);
                    data.i32(3, encoding::RLE);
                    data.i32(4, encoding::RLE);
                });
            });
            self.put(&head)?;
            self.put(&page)?;
            chunks.push(Chunk { offset, bytes: self.offset - offset, rows });
        }
        self.groups.push(Group { chunks, rows });
        Ok(())
    }

    fn footer(&self) -> Vec<u8> {
        let mut footer = Vec::new();
        thrift::write(&mut footer, |file| {
            file.i32(1, 1);
            // The root, then its children.
            let elements: Vec<Option<&Column>> = std::iter::once(None).chain(self.columns.iter().map(Some)).collect();
            file.structures(2, &elements, |element, column| match column {
                None => {
                    element.text(4, "schema");
                    element.i32(5, self.columns.len() as i32);
                }
                Some(column) => column.put_schema(element),
            });
            file.i64(3, self.row as i64);
            file.structures(4, &self.groups, |group, written| {
                let both: Vec<(&Column, &Chunk)> = self.columns.iter().zip(&written.chunks).collect();
                group.structures(1, &both, |chunk, (column, written)| {
                    chunk.i64(2, written.offset as i64);
                    chunk.structure(3, |data| {
                        data.i32(1, column.kind.physical());
                        data.i32s(2, &[encoding::PLAIN, encoding::RLE]);
                        data.texts(3, &[column.field.name.as_str()]);
                        data.i32(4, codec::UNCOMPRESSED);
                        data.i64(5, written.rows as i64);
                        data.i64(6, written.bytes as i64);
                        data.i64(7, written.bytes as i64);
                        data.i64(9, written.offset as i64);
                    });
                });
                group.i64(2, written.chunks.iter().map(|chunk| chunk.bytes as i64).sum());
                group.i64(3, written.rows as i64);
            });
            file.text(6, CREATED_BY);
        });
        footer
    }
}

impl<W: Write> RowWriter for Writer<W> {
    fn row(&mut self, values: &[Datum]) -> Result<(), Fault> {
        self.row += 1;
        let mut bytes = 0;
        for (column, value) in self.columns.iter_mut().zip(values) {
            column
                .push(self.rows, value, &mut self.text)
                .map_err(|why| Fault::value(self.row, &column.field.name, why))?;
            bytes += column.values.len();
        }
        self.rows += 1;
        if bytes >= GROUP_BYTES || self.rows >= GROUP_ROWS { self.end_group() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<(), Fault> {
        self.end_group()?;
        let footer = self.footer();
        self.put(&footer)?;
        self.put(&(footer.len() as u32).to_le_bytes())?;
        self.put(MAGIC)?;
        Ok(self.out.flush()?)
    }
}

fn push_bit(bits: &mut Vec<u8>, at: usize, bit: bool) {
    if at.is_multiple_of(8) {
        bits.push(0);
    }
    bits[at / 8] |= u8::from(bit) << (at % 8);
}

impl Column {
    fn put_schema(&self, element: &mut Struct<'_>) {
        element.i32(1, self.kind.physical());
        if self.kind.physical() == physical::FIXED_LEN_BYTE_ARRAY {
            element.i32(2, 16);
        }
        element.i32(3, if self.field.is_nullable { repetition::OPTIONAL } else { repetition::REQUIRED });
        element.text(4, &self.field.name);
        if let Some(legacy) = self.kind.legacy() {
            element.i32(6, legacy);
        }
        if let Kind::Decimal { precision, scale } = self.kind {
            element.i32(7, scale.into());
            element.i32(8, precision.into());
        }
        self.kind.put_logical(element);
    }

    fn push(&mut self, row: usize, value: &Datum, text: &mut String) -> Result<(), String> {
        if self.field.is_nullable {
            push_bit(&mut self.present, row, !value.is_null());
        } else if value.is_null() {
            return Err("NULL in a column that has none".into());
        }
        let out = &mut self.values;
        match (self.kind, value) {
            (_, Datum::Null) => {}
            (Kind::Boolean, Datum::I64(bit)) => {
                push_bit(out, self.booleans, *bit != 0);
                self.booleans += 1;
            }
            (Kind::Int32 { .. }, Datum::I64(number)) => out.extend_from_slice(&(*number as i32).to_le_bytes()),
            (Kind::Date, Datum::I64(days)) => out.extend_from_slice(&((days - DAYS_TO_1970) as i32).to_le_bytes()),
            (Kind::Int64, Datum::I64(number)) => out.extend_from_slice(&number.to_le_bytes()),
            (Kind::Time, Datum::I64(ticks)) => out.extend_from_slice(&(ticks * 100).to_le_bytes()),
            (Kind::Timestamp { unit }, Datum::I64(_)) => {
                out.extend_from_slice(&since_1970(self.field.sql_type, value, unit)?.to_le_bytes());
            }
            (Kind::Decimal { precision, .. }, _) => put_decimal(value, precision, out),
            (Kind::Float, Datum::F64(number)) => out.extend_from_slice(&(*number as f32).to_le_bytes()),
            (Kind::Double, Datum::F64(number)) => out.extend_from_slice(&number.to_le_bytes()),
            (Kind::Uuid, Datum::I128(number)) => out.extend_from_slice(&in_text_order(number.to_le_bytes())),
            (Kind::Bytes, Datum::Bytes(bytes)) => put_bytes(bytes, out),
            _ => {
                text.clear();
                value::push_text(self.field.sql_type, value, text)?;
                put_bytes(text.as_bytes(), out);
            }
        }
        Ok(())
    }

    /// The page of the group, and nothing is left of it.
    fn take_page(&mut self, rows: usize) -> Vec<u8> {
        self.booleans = 0;
        let values = std::mem::take(&mut self.values);
        if !self.field.is_nullable {
            return values;
        }
        // One run of levels, bit by bit.
        let present = std::mem::take(&mut self.present);
        let mut levels = Vec::with_capacity(present.len() + 8);
        put_varint((rows.div_ceil(8) as u64) << 1 | 1, &mut levels);
        levels.extend_from_slice(&present);
        let mut page = Vec::with_capacity(4 + levels.len() + values.len());
        page.extend_from_slice(&(levels.len() as u32).to_le_bytes());
        page.extend_from_slice(&levels);
        page.extend_from_slice(&values);
        page
    }
}

fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn put_decimal(value: &Datum, precision: u8, out: &mut Vec<u8>) {
    let number = match value {
        Datum::I64(number) => i128::from(*number),
        Datum::I128(number) => *number,
        other => panic!("{other:?} is no decimal"),
    };
    match precision {
        0..=9 => out.extend_from_slice(&(number as i32).to_le_bytes()),
        10..=18 => out.extend_from_slice(&(number as i64).to_le_bytes()),
        _ => out.extend_from_slice(&number.to_be_bytes()),
    }
}

/// SQL Server's order of bytes as that in which a uniqueidentifier is printed, and back.
pub fn in_text_order(bytes: [u8; 16]) -> [u8; 16] {
    let [a, b, c, d, e, f, g, h, rest @ ..] = bytes;
    let mut turned = [d, c, b, a, f, e, h, g, 0, 0, 0, 0, 0, 0, 0, 0];
    turned[8..].copy_from_slice(&rest);
    turned
}

/// Err: it is outside of what 64 bits of nanoseconds hold.
fn since_1970(sql_type: SqlType, value: &Datum, unit: i16) -> Result<i64, String> {
    let as_ticks = types::convert(
        value,
        &sql_type,
        &SqlType::datetime2(7),
        types::convert::NO_STYLE,
        &types::ConvertContext::CAST,
    )
    .map_err(|error| error.text.clone())?;
    let ticks = as_ticks.as_i64() - DAYS_TO_1970 * TICKS_PER_DAY;
    match unit {
        // 1/300 s is read back from the nearest millisecond.
        logical::MILLIS => Ok((ticks + 5_000).div_euclid(10_000)),
        logical::MICROS => Ok(ticks / 10),
        _ => ticks.checked_mul(100).ok_or_else(|| {
            let mut text = String::new();
            let _ = value::push_text(sql_type, value, &mut text);
            format!("{text} is before 1677 or behind 2262, where Parquet has no nanoseconds (datetime2(6) has a place there)")
        }),
    }
}
