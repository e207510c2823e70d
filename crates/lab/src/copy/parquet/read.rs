//! A flat Parquet file of anybody's: a page of each column at a time.

use std::io;

use types::{Datum, SqlType};

use super::super::fault::Fault;
use super::super::file::Whole;
use super::super::table::Field;
use super::super::{RowReader, value};
use super::pages::{self, runs, unpacked};
use super::thrift::{self, Fields};
use super::write::in_text_order;
use super::{
    DAYS_TO_1970, MAGIC, MAGIC_ENCRYPTED, TICKS_PER_DAY, encoding, legacy, logical, page, physical, repetition,
};

/// Metadata longer than this are no file's.
const FOOTER_BYTES_MAX: u64 = 256 << 20;
/// Of a page's header, which may have a longest and a shortest value in it.
const HEADER_BYTES: usize = 64 << 10;
const HEADER_BYTES_MAX: usize = 16 << 20;

const PAGE_VALUES_MAX: usize = 16 << 20;

/// How a column's values are read, and the type that they have then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Plain,
    Unsigned,
    Decimal,
    Date,
    /// By what of 100 ns it is multiplied, or divided.
    Time {
        times: i64,
        over: i64,
    },
    Timestamp {
        times: i64,
        over: i64,
    },
    Uuid,
    Text,
}

#[derive(Debug, Clone)]
struct Shape {
    name: String,
    physical: i32,
    /// Bytes of FIXED_LEN_BYTE_ARRAY.
    length: usize,
    is_optional: bool,
    meaning: Meaning,
    /// Of the values, before they become the column's.
    sql_type: SqlType,
}

impl Shape {
    /// Bytes of each value, where all have the same.
    fn width(&self) -> Option<usize> {
        match self.physical {
            physical::INT32 | physical::FLOAT => Some(4),
            physical::INT64 | physical::DOUBLE => Some(8),
            physical::INT96 => Some(12),
            physical::FIXED_LEN_BYTE_ARRAY => Some(self.length),
            _ => None,
        }
    }
}

fn damaged(what: &str) -> Fault {
    Fault::File(format!("{what} is damaged, or the file was cut"))
}

/// A column of the group at hand.
#[derive(Debug, Default)]
struct Chunk {
    codec: i32,
    /// Where its next page is, and where its pages end.
    at: u64,
    end: u64,
    dictionary: Option<Vec<Datum>>,
    /// Of the page at hand, the next one first at the end.
    values: Vec<Datum>,
}

pub struct Reader {
    file: Whole,
    shapes: Vec<Shape>,
    /// Of the same order.
    fields: Vec<Field>,
    groups: Vec<Fields>,
    /// The next group, and what is left of the one at hand.
    next_group: usize,
    left: u64,
    chunks: Vec<Chunk>,
    row: u64,
}

impl Reader {
    /// `of_names`: the table's columns.
    pub fn new(
        file: Whole,
        of_names: impl FnOnce(Option<&[String]>) -> Result<Vec<Field>, Fault>,
    ) -> Result<Reader, Fault> {
        let footer = footer(&file)?;
        let shapes = shapes(&footer)?;
        let names: Vec<String> = shapes.iter().map(|shape| shape.name.clone()).collect();
        let fields = of_names(Some(&names))?;
        let groups: Vec<Fields> = footer.structures(4).cloned().collect();
        let rows: i64 = groups.iter().map(|group| group.number(3).unwrap_or(-1)).sum();
        if Some(rows) != footer.number(3) {
            return Err(damaged("the count of its rows"));
        }
        Ok(Reader { file, shapes, fields, groups, next_group: 0, left: 0, chunks: Vec::new(), row: 0 })
    }

    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// False: there is none.
    fn begin_group(&mut self) -> Result<bool, Fault> {
        while self.left == 0 {
            let Some(group) = self.groups.get(self.next_group) else { return Ok(false) };
            self.next_group += 1;
            self.left = group.number(3).and_then(|rows| u64::try_from(rows).ok()).ok_or_else(|| damaged("a group"))?;
            let chunks: Vec<&Fields> = group.structures(1).collect();
            if chunks.len() != self.shapes.len() {
                return Err(damaged("a group of rows"));
            }
            self.chunks = chunks.into_iter().map(chunk_of).collect::<Option<_>>().ok_or_else(|| damaged("a group"))?;
        }
        Ok(true)
    }
}

impl RowReader for Reader {
    fn row(&mut self, values: &mut Vec<Datum>) -> Result<bool, Fault> {
        if !self.begin_group()? {
            return Ok(false);
        }
        self.row += 1;
        self.left -= 1;
        values.clear();
        for (at, field) in self.fields.iter().enumerate() {
            let shape = &self.shapes[at];
            let told = |why: String| Fault::value(self.row, &field.name, why);
            if !field.is_wanted {
                values.push(Datum::Null);
                continue;
            }
            let chunk = &mut self.chunks[at];
            while chunk.values.is_empty() {
                chunk.next_page(&self.file, shape).map_err(told)?;
            }
            let found = chunk.values.pop().expect("looked at above");
            values.push(match found {
                Datum::Null => Datum::Null,
                found => value::converted(found, shape.sql_type, field.sql_type).map_err(told)?,
            });
        }
        Ok(true)
    }
}

fn footer(file: &Whole) -> Result<Fields, Fault> {
    let bytes = file.bytes();
    let tail = if bytes >= 12 { file.read(bytes - 8, 8)? } else { Vec::new() };
    let begin = if bytes >= 12 { file.read(0, 4)? } else { Vec::new() };
    if tail.ends_with(MAGIC_ENCRYPTED) {
        return Err(Fault::File("its metadata are encrypted, which is not read".into()));
    }
    if !tail.ends_with(MAGIC) || begin != MAGIC {
        return Err(Fault::File("it is no Parquet file, or was cut".into()));
    }
    let length = u64::from(u32::from_le_bytes(tail[..4].try_into().expect("eight bytes")));
    if length > (bytes - 12).min(FOOTER_BYTES_MAX) {
        return Err(damaged("the length of its metadata"));
    }
    let footer = file.read(bytes - 8 - length, length as usize)?;
    thrift::read(&footer).map(|(fields, _)| fields).ok_or_else(|| damaged("what it says of its columns"))
}

fn shapes(footer: &Fields) -> Result<Vec<Shape>, Fault> {
    let mut elements = footer.structures(2);
    let root = elements.next().ok_or_else(|| damaged("its schema"))?;
    let shapes: Vec<Shape> = elements.map(shape_of).collect::<Result<_, _>>()?;
    if root.number(5) != Some(shapes.len() as i64) {
        return Err(damaged("its schema"));
    }
    Ok(shapes)
}

fn shape_of(element: &Fields) -> Result<Shape, Fault> {
    let name = element.text(4).unwrap_or_default();
    let told = |why: &str| Fault::File(format!("its column '{}' {why}", value::shown(&name)));
    if element.number(5).is_some_and(|children| children > 0) {
        return Err(told("has parts, and a table's column has none"));
    }
    let repetition = element.number(3).unwrap_or(0) as i32;
    if repetition != repetition::REQUIRED && repetition != repetition::OPTIONAL {
        return Err(told("is a list, and a table's column is none"));
    }
    let physical = element.number(1).unwrap_or(-1) as i32;
    let length = usize::try_from(element.number(2).unwrap_or(0)).unwrap_or(0);
    let known = meaning(element, physical, length).filter(|_| (0..=physical::FIXED_LEN_BYTE_ARRAY).contains(&physical));
    let (meaning, sql_type) = known.ok_or_else(|| told("is of a type that is not read"))?;
    Ok(Shape {
        name: name.clone(),
        physical,
        length,
        is_optional: repetition == repetition::OPTIONAL,
        meaning,
        sql_type,
    })
}

fn decimal(scale: i64, precision: i64) -> Option<(Meaning, SqlType)> {
    let (scale, precision) = (u8::try_from(scale).ok()?, u8::try_from(precision).ok()?);
    let right = (1..=38).contains(&precision) && scale <= precision;
    right.then_some((Meaning::Decimal, SqlType::decimal(precision, scale)))
}

/// None: it has no place in a table.
fn meaning(element: &Fields, physical: i32, length: usize) -> Option<(Meaning, SqlType)> {
    let time = |times, over| (Meaning::Time { times, over }, SqlType::time(7));
    let timestamp = |times, over| (Meaning::Timestamp { times, over }, SqlType::datetime2(7));
    let text = (Meaning::Text, SqlType::NVARCHAR_MAX);
    let date = (Meaning::Date, SqlType::DATE);
    let plain = (
        Meaning::Plain,
        match physical {
            physical::BOOLEAN => SqlType::BIT,
            physical::INT32 => SqlType::INT,
            physical::INT64 => SqlType::BIGINT,
            physical::INT96 => SqlType::datetime2(7),
            physical::FLOAT => SqlType::REAL,
            physical::DOUBLE => SqlType::FLOAT,
            _ => SqlType::VARBINARY_MAX,
        },
    );
    // Of 32 bits a bigint, of 64 bits twenty digits.
    let unsigned =
        (Meaning::Unsigned, if physical == physical::INT32 { SqlType::BIGINT } else { SqlType::decimal(20, 0) });
    if let Some((which, of)) = element.structure(10).and_then(Fields::variant) {
        let unit = of.structure(2).and_then(Fields::variant).map(|(unit, _)| unit);
        return Some(match (which, unit) {
            (logical::STRING | logical::ENUM | logical::JSON, _) => text,
            (logical::DECIMAL, _) => return decimal(of.number(1)?, of.number(2)?),
            (logical::DATE, _) => date,
            (logical::TIME, Some(logical::MILLIS)) => time(10_000, 1),
            (logical::TIME, Some(logical::MICROS)) => time(10, 1),
            (logical::TIME, Some(logical::NANOS)) => time(1, 100),
            (logical::TIMESTAMP, Some(logical::MILLIS)) => timestamp(10_000, 1),
            (logical::TIMESTAMP, Some(logical::MICROS)) => timestamp(10, 1),
            (logical::TIMESTAMP, Some(logical::NANOS)) => timestamp(1, 100),
            (logical::INTEGER, _) if of.boolean(2) == Some(false) => unsigned,
            (logical::INTEGER | logical::UNKNOWN, _) => plain,
            (logical::UUID, _) if length == 16 => (Meaning::Uuid, SqlType::UNIQUEIDENTIFIER),
            _ => return None,
        });
    }
    Some(match element.number(6).map(|legacy| legacy as i32) {
        None => plain,
        Some(legacy::UTF8 | legacy::ENUM | legacy::JSON) => text,
        Some(legacy::DECIMAL) => return decimal(element.number(7).unwrap_or(0), element.number(8)?),
        Some(legacy::DATE) => date,
        Some(legacy::TIME_MILLIS) => time(10_000, 1),
        Some(legacy::TIME_MICROS) => time(10, 1),
        Some(legacy::TIMESTAMP_MILLIS) => timestamp(10_000, 1),
        Some(legacy::TIMESTAMP_MICROS) => timestamp(10, 1),
        Some(legacy::UINT_8 | legacy::UINT_16 | legacy::UINT_32 | legacy::UINT_64) => unsigned,
        Some(legacy::INT_8 | legacy::INT_16 | legacy::INT_32 | legacy::INT_64) => plain,
        Some(_) => return None,
    })
}

fn chunk_of(chunk: &Fields) -> Option<Chunk> {
    let data = chunk.structure(3)?;
    let first = data.number(9)?;
    // A dictionary comes first; some writers say 0 where there is none.
    let first = data.number(11).filter(|at| *at > 0).map_or(first, |dictionary| dictionary.min(first));
    let at = u64::try_from(first).ok()?;
    let end = at.checked_add(u64::try_from(data.number(7)?).ok()?)?;
    Some(Chunk { codec: data.number(4)? as i32, at, end, ..Chunk::default() })
}

const DAMAGED: &str = "its page is damaged, or the file was cut";

impl Chunk {
    /// The header of the page at hand, and its bytes as they lie in the file.
    fn page(&mut self, file: &Whole) -> Result<(Fields, Vec<u8>), String> {
        let mut wanted = HEADER_BYTES;
        let told = |error: io::Error| error.to_string();
        loop {
            let there = self.end.saturating_sub(self.at).min(wanted as u64) as usize;
            let head = file.read(self.at, there).map_err(told)?;
            if let Some((header, used)) = thrift::read(&head) {
                let bytes = header.number(3).and_then(|bytes| usize::try_from(bytes).ok()).ok_or(DAMAGED)?;
                let begin = self.at + used as u64;
                let end = begin + bytes as u64;
                if end > self.end {
                    return Err(DAMAGED.into());
                }
                self.at = end;
                let page = file.read(begin, bytes).map_err(told)?;
                // Not all writers give a checksum.
                if header.number(4).is_some_and(|crc| crc as i32 != crc32fast::hash(&page) as i32) {
                    return Err(DAMAGED.into());
                }
                return Ok((header, page));
            }
            if there < wanted || wanted >= HEADER_BYTES_MAX {
                return Err(DAMAGED.into());
            }
            wanted *= 4;
        }
    }

    /// Reads the next page that has values.
    fn next_page(&mut self, file: &Whole, shape: &Shape) -> Result<(), String> {
        let (header, packed) = self.page(file)?;
        let bytes = header.number(2).and_then(|bytes| usize::try_from(bytes).ok()).ok_or(DAMAGED)?;
        match header.number(1).map(|kind| kind as i32) {
            Some(page::INDEX) => Ok(()),
            Some(page::DICTIONARY) => {
                let of = header.structure(7).ok_or(DAMAGED)?;
                let count = of.number(1).and_then(|count| usize::try_from(count).ok()).ok_or(DAMAGED)?;
                let plain = unpacked(&packed, self.codec, bytes)?;
                self.dictionary = Some(plain_values(&plain, count, shape)?);
                Ok(())
            }
            Some(page::DATA) => {
                let of = header.structure(5).ok_or(DAMAGED)?;
                let plain = unpacked(&packed, self.codec, bytes)?;
                let count = of.number(1).and_then(|count| usize::try_from(count).ok()).ok_or(DAMAGED)?;
                let (levels, values) = match shape.is_optional {
                    false => (&[][..], &plain[..]),
                    true => {
                        let (length, rest) = plain.split_first_chunk::<4>().ok_or(DAMAGED)?;
                        rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(DAMAGED)?
                    }
                };
                self.fill(levels, values, count, of.number(2), shape)
            }
            Some(page::DATA_V2) => {
                let of = header.structure(8).ok_or(DAMAGED)?;
                let number = |field| of.number(field).and_then(|number| usize::try_from(number).ok()).ok_or(DAMAGED);
                let (count, levels, repeats) = (number(1)?, number(5)?, number(6)?);
                let all = levels.checked_add(repeats).ok_or(DAMAGED)?;
                let (levels, packed) = packed.split_at_checked(all).ok_or(DAMAGED)?;
                let how = if of.boolean(7) == Some(false) { super::codec::UNCOMPRESSED } else { self.codec };
                let values = unpacked(packed, how, bytes.checked_sub(levels.len()).ok_or(DAMAGED)?)?;
                self.fill(levels.get(repeats..).ok_or(DAMAGED)?, &values, count, of.number(4), shape)
            }
            _ => Err(DAMAGED.into()),
        }
    }

    /// `count`: of values, NULLs with them. `how`: the encoding of the others.
    fn fill(
        &mut self,
        levels: &[u8],
        values: &[u8],
        count: usize,
        how: Option<i64>,
        shape: &Shape,
    ) -> Result<(), String> {
        if count > PAGE_VALUES_MAX {
            return Err(format!("a page of {count} values; {PAGE_VALUES_MAX} are read"));
        }
        let present = match shape.is_optional {
            false => vec![1; count],
            true => runs(levels, 1, count).ok_or(DAMAGED)?,
        };
        let wanted = present.iter().filter(|level| **level == 1).count();
        let mut made = match how.map(|how| how as i32) {
            _ if wanted == 0 => Vec::new(),
            Some(encoding::PLAIN) => plain_values(values, wanted, shape)?,
            Some(encoding::PLAIN_DICTIONARY | encoding::RLE_DICTIONARY) => {
                let dictionary = self.dictionary.as_ref().ok_or(DAMAGED)?;
                let (bits, rest) = values.split_first().map_or((0, &[][..]), |(bits, rest)| (u32::from(*bits), rest));
                let places = runs(rest, bits, wanted).ok_or(DAMAGED)?;
                let of = |place: u32| dictionary.get(place as usize).cloned().ok_or(DAMAGED);
                places.into_iter().map(of).collect::<Result<Vec<_>, _>>()?
            }
            Some(encoding::RLE) if shape.physical == physical::BOOLEAN => {
                let runs_of = values.get(4..).and_then(|rest| runs(rest, 1, wanted)).ok_or(DAMAGED)?;
                runs_of.into_iter().map(|bit| Datum::I64(bit.into())).collect()
            }
            how => {
                let name = how.and_then(|how| encoding::NAMES.get(usize::try_from(how).ok()?)).unwrap_or(&"unknown");
                let plain = pages::plain(values, how.unwrap_or(-1), wanted, shape.width());
                let plain = plain.map_err(|()| format!("its values are in the encoding {name}, which is not read"))?;
                plain_values(&plain.ok_or(DAMAGED)?, wanted, shape)?
            }
        };
        made.reverse();
        self.values = present
            .iter()
            .map(|level| if *level == 1 { made.pop() } else { Some(Datum::Null) })
            .collect::<Option<_>>()
            .ok_or(DAMAGED)?;
        self.values.reverse();
        Ok(())
    }
}

fn plain_values(bytes: &[u8], count: usize, shape: &Shape) -> Result<Vec<Datum>, String> {
    if shape.physical == physical::BOOLEAN {
        let bit = |at: usize| bytes.get(at / 8).map(|byte| Datum::I64((byte >> (at % 8) & 1).into()));
        return (0..count).map(bit).collect::<Option<_>>().ok_or_else(|| DAMAGED.to_owned());
    }
    // Each value takes a byte at least, whatever the page says of their number.
    if count > bytes.len() {
        return Err(DAMAGED.into());
    }
    let mut rest = bytes;
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        let length = match shape.width() {
            Some(width) => width,
            None => {
                let (length, behind) = rest.split_first_chunk::<4>().ok_or(DAMAGED)?;
                rest = behind;
                u32::from_le_bytes(*length) as usize
            }
        };
        let (value, behind) = rest.split_at_checked(length).ok_or(DAMAGED)?;
        values.push(datum(value, shape)?);
        rest = behind;
    }
    Ok(values)
}

/// Of the shape's type.
fn datum(bytes: &[u8], shape: &Shape) -> Result<Datum, String> {
    let number = || bytes.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let signed = || if bytes.len() == 4 { i64::from(number() as u32 as i32) } else { number() as i64 };
    let ticks = |times: i64, over: i64| match signed() % over == 0 {
        true => (signed() / over).checked_mul(times).ok_or("a moment that no datetime2 has".to_owned()),
        false => Err(format!("{} nanoseconds, of which 100 are the least here", signed())),
    };
    let is_moment = |ticks: i64| (0..(DATE_DAYS_MAX + 1) * TICKS_PER_DAY).contains(&ticks);
    Ok(match (shape.meaning, shape.physical) {
        (Meaning::Text, _) => match std::str::from_utf8(bytes) {
            Ok(text) => Datum::nvarchar(text),
            Err(_) => return Err("a text that is no UTF-8".into()),
        },
        (Meaning::Uuid, _) => {
            let bytes: [u8; 16] = bytes.try_into().map_err(|_| DAMAGED)?;
            Datum::I128(i128::from_le_bytes(in_text_order(bytes)))
        }
        (Meaning::Decimal, physical::INT32 | physical::INT64) => fits(signed().into(), shape)?,
        (Meaning::Decimal, _) => fits(big_endian(bytes).ok_or("a number of more than 38 digits")?, shape)?,
        (Meaning::Date, _) => {
            let days = signed().saturating_add(DAYS_TO_1970);
            let right = (0..=DATE_DAYS_MAX).contains(&days);
            right.then_some(Datum::I64(days)).ok_or("a day before the year 1 or behind 9999")?
        }
        (Meaning::Time { times, over }, _) => {
            let ticks = ticks(times, over)?;
            (0..TICKS_PER_DAY).contains(&ticks).then_some(Datum::I64(ticks)).ok_or("a time outside of the day")?
        }
        (Meaning::Timestamp { times, over }, _) => {
            let ticks = ticks(times, over)?.saturating_add(DAYS_TO_1970 * TICKS_PER_DAY);
            is_moment(ticks).then_some(Datum::I64(ticks)).ok_or("a moment before the year 1 or behind 9999")?
        }
        (Meaning::Unsigned, physical::INT32) => Datum::I64((number() as u32).into()),
        (Meaning::Unsigned, _) => Datum::I128(number().into()),
        (Meaning::Plain, physical::INT32 | physical::INT64) => Datum::I64(signed()),
        (Meaning::Plain, physical::INT96) => {
            // Nanoseconds of the day, then the Julian day.
            let nanoseconds = i64::from_le_bytes(bytes[..8].try_into().map_err(|_| DAMAGED)?);
            let day = i64::from(u32::from_le_bytes(bytes[8..12].try_into().map_err(|_| DAMAGED)?)) - JULIAN_DAY_1;
            let right = (0..=DATE_DAYS_MAX).contains(&day) && (0..TICKS_PER_DAY * 100).contains(&nanoseconds);
            if !right || nanoseconds % 100 != 0 {
                return Err("a moment that no datetime2 has".into());
            }
            Datum::I64(day * TICKS_PER_DAY + nanoseconds / 100)
        }
        (Meaning::Plain, physical::FLOAT) => finite(f32::from_bits(number() as u32).into())?,
        (Meaning::Plain, physical::DOUBLE) => finite(f64::from_bits(number()))?,
        (Meaning::Plain, _) => Datum::bytes(bytes),
    })
}

/// 9999-12-31, in days since 0001-01-01, and the Julian day of the latter.
const DATE_DAYS_MAX: i64 = 3_652_058;
const JULIAN_DAY_1: i64 = 1_721_426;

fn finite(number: f64) -> Result<Datum, String> {
    if number.is_finite() { Ok(Datum::F64(number)) } else { Err(format!("{number}, which no number is here")) }
}

fn fits(number: i128, shape: &Shape) -> Result<Datum, String> {
    match types::decimal::fits(number, shape.sql_type.precision) {
        true => Ok(Datum::I128(number)),
        false => Err(format!("a number that is no {}", shape.sql_type)),
    }
}

/// Two's complement. None: it has more than 128 bits.
fn big_endian(bytes: &[u8]) -> Option<i128> {
    let sign = if bytes.first().is_some_and(|byte| byte & 0x80 != 0) { -1_i128 } else { 0 };
    let (high, low) = bytes.split_at(bytes.len().saturating_sub(16));
    if high.iter().any(|byte| *byte != sign as u8) {
        return None;
    }
    let number = low.iter().fold(sign, |number, byte| number << 8 | i128::from(*byte));
    ((number < 0) == (sign < 0)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_of_any_length() {
        assert_eq!(big_endian(&[]), Some(0));
        assert_eq!(big_endian(&[0xff]), Some(-1));
        assert_eq!(big_endian(&[0x01, 0x00]), Some(256));
        assert_eq!(big_endian(&[0xff; 20]), Some(-1));
        assert_eq!(big_endian(&[0x01; 17]), None);
        let mut long = [0xff; 17];
        long[0] = 0;
        assert_eq!(big_endian(&long), None);
    }
}
