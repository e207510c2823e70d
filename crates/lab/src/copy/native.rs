//! Native format as bcp writes it: values as they are in memory, a length before those that vary or may be NULL (-1). The file says nothing of
//! its columns: it is read into a table of the same columns. Texts lie in their columns' code pages.
//!
//! https://learn.microsoft.com/sql/relational-databases/import-export/specify-prefix-length-in-data-files-by-using-bcp-sql-server
//!
//! How SQL Server lays a sql_variant into such a file is not documented: here it is as on the wire (MS-TDS 2.2.5.5.4).

use std::io::{ErrorKind, Read, Write};

use types::{Datum, SqlType, TypeKind, sql_type};

use super::fault::Fault;
use super::table::Field;
use super::value::{self, fitted};
use super::{RowReader, RowWriter};

const DATETIME_PARTS_PER_DAY: i64 = 25_920_000;
const TICKS_PER_DAY: i64 = 864_000_000_000;
/// 9999-12-31, in days since 0001-01-01.
const DATE_DAYS_MAX: i64 = 3_652_058;
/// Of a value in memory.
const VALUE_BYTES_MAX: u64 = i32::MAX as u64;
/// Read at once of a value whose length may be wrong.
const PIECE: u64 = 1 << 20;

/// Bytes of the length before a value.
fn prefix(field: &Field) -> usize {
    use TypeKind::*;
    let ty = field.sql_type;
    match ty.kind {
        Text | NText | Image => 4,
        Xml | Json | SqlVariant | HierarchyId | Geometry | Geography => 8,
        Char | VarChar | NChar | NVarChar | Binary | VarBinary => {
            if ty.is_max() {
                8
            } else {
                2
            }
        }
        RowVersion | Decimal | Numeric | UniqueIdentifier => 1,
        _ => usize::from(field.is_nullable),
    }
}

fn encode(ty: SqlType, value: &Datum, out: &mut Vec<u8>) {
    use TypeKind::*;
    let low = |number: i64, bytes: usize, out: &mut Vec<u8>| out.extend_from_slice(&number.to_le_bytes()[..bytes]);
    match (ty.kind, value) {
        (Money, Datum::I64(number)) => {
            low(number >> 32, 4, out);
            low(*number, 4, out);
        }
        (SmallDateTime, Datum::I64(minutes)) => {
            low(minutes / 1440, 2, out);
            low(minutes % 1440, 2, out);
        }
        (DateTime, Datum::I64(parts)) => {
            low(parts.div_euclid(DATETIME_PARTS_PER_DAY), 4, out);
            low(parts.rem_euclid(DATETIME_PARTS_PER_DAY), 4, out);
        }
        (Time, Datum::I64(ticks)) => low(ticks / unit(ty.scale), usize::from(sql_type::time_bytes(ty.scale)), out),
        (DateTime2, Datum::I64(ticks)) => moment(*ticks, ty.scale, out),
        (DateTimeOffset, Datum::I128(both)) => {
            moment((both >> 16) as i64, ty.scale, out);
            low(i64::from(*both as u16), 2, out);
        }
        (_, Datum::I64(number)) => low(*number, usize::from(ty.length), out),
        (Real, Datum::F64(number)) => out.extend_from_slice(&(*number as f32).to_le_bytes()),
        (_, Datum::F64(number)) => out.extend_from_slice(&number.to_le_bytes()),
        (UniqueIdentifier, Datum::I128(number)) => out.extend_from_slice(&number.to_le_bytes()),
        (_, Datum::I128(number)) => {
            out.extend_from_slice(&[ty.precision, ty.scale, u8::from(*number >= 0)]);
            out.extend_from_slice(&number.unsigned_abs().to_le_bytes());
        }
        (_, Datum::Bytes(bytes)) => out.extend_from_slice(bytes),
        (_, Datum::Null) => {}
    }
}

fn unit(scale: u8) -> i64 {
    10_i64.pow(7 - u32::from(scale))
}

fn moment(ticks: i64, scale: u8, out: &mut Vec<u8>) {
    let (days, time) = (ticks.div_euclid(TICKS_PER_DAY), ticks.rem_euclid(TICKS_PER_DAY) / unit(scale));
    out.extend_from_slice(&time.to_le_bytes()[..usize::from(sql_type::time_bytes(scale))]);
    out.extend_from_slice(&days.to_le_bytes()[..3]);
}

pub struct Writer<W> {
    out: W,
    fields: Vec<Field>,
    row: u64,
    bytes: Vec<u8>,
}

impl<W: Write> Writer<W> {
    pub fn new(out: W, fields: Vec<Field>) -> Writer<W> {
        Writer { out, fields, row: 0, bytes: Vec::new() }
    }
}

impl<W: Write> RowWriter for Writer<W> {
    fn row(&mut self, values: &[Datum]) -> Result<(), Fault> {
        self.row += 1;
        for (field, value) in self.fields.iter().zip(values) {
            self.bytes.clear();
            encode(field.sql_type, value, &mut self.bytes);
            let prefix = prefix(field);
            if value.is_null() {
                if prefix == 0 {
                    return Err(Fault::value(self.row, &field.name, "NULL in a column that has none"));
                }
                self.out.write_all(&[0xff; 8][..prefix])?;
                continue;
            }
            self.out.write_all(&(self.bytes.len() as u64).to_le_bytes()[..prefix])?;
            self.out.write_all(&self.bytes)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        Ok(self.out.flush()?)
    }
}

pub struct Reader<R> {
    input: R,
    fields: Vec<Field>,
    row: u64,
    bytes: Vec<u8>,
}

impl<R: Read> Reader<R> {
    pub fn new(input: R, fields: Vec<Field>) -> Reader<R> {
        Reader { input, fields, row: 0, bytes: Vec::new() }
    }

    /// So many bytes, or fewer where the file ends.
    fn take(&mut self, count: u64) -> Result<bool, String> {
        self.bytes.clear();
        while (self.bytes.len() as u64) < count {
            let start = self.bytes.len();
            let wanted = (count - start as u64).min(PIECE) as usize;
            self.bytes.resize(start + wanted, 0);
            let mut filled = start;
            while filled < start + wanted {
                match self.input.read(&mut self.bytes[filled..]) {
                    Ok(0) => {
                        self.bytes.truncate(filled);
                        return Ok(false);
                    }
                    Ok(read) => filled += read,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error.to_string()),
                }
            }
        }
        Ok(true)
    }

    /// None: the file is at its end, before the first byte of a row.
    fn value(&mut self, at: usize) -> Result<Option<Datum>, String> {
        let field = &self.fields[at];
        let (ty, prefix, is_wanted) = (field.sql_type, prefix(field), field.is_wanted);
        let within = || Err("the file ends within it".to_owned());
        let mut count = u64::from(ty.length);
        if prefix > 0 {
            if !self.take(prefix as u64)? {
                return if at == 0 && self.bytes.is_empty() { Ok(None) } else { within() };
            }
            if self.bytes.iter().all(|byte| *byte == 0xff) {
                return Ok(Some(Datum::Null));
            }
            let mut wide = [0; 8];
            wide[..prefix].copy_from_slice(&self.bytes);
            count = u64::from_le_bytes(wide);
            let most = match ty.kind {
                TypeKind::Decimal | TypeKind::Numeric => 19,
                TypeKind::SqlVariant => 8016,
                _ if ty.is_max() || ty.is_udt() => VALUE_BYTES_MAX,
                _ => u64::from(ty.length),
            };
            if count > most {
                return Err(format!("its length is said to be {count} bytes, and {ty} has {most} at most"));
            }
        }
        if !self.take(count)? {
            return if at == 0 && prefix == 0 && self.bytes.is_empty() { Ok(None) } else { within() };
        }
        if !is_wanted {
            return Ok(Some(Datum::Null));
        }
        let made = decode(ty, &self.bytes).ok_or_else(|| format!("its {count} bytes are no {ty}"))?;
        fitted(made, ty).map(Some)
    }
}

impl<R: Read> RowReader for Reader<R> {
    fn row(&mut self, values: &mut Vec<Datum>) -> Result<bool, Fault> {
        values.clear();
        for at in 0..self.fields.len() {
            match self.value(at) {
                Ok(Some(value)) => values.push(value),
                Ok(None) => return Ok(false),
                Err(why) => return Err(Fault::value(self.row + 1, &self.fields[at].name, why)),
            }
        }
        self.row += 1;
        Ok(true)
    }
}

fn unsigned(bytes: &[u8]) -> i64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | i64::from(*byte))
}

fn signed(bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * bytes.len() as u32;
    unsigned(bytes) << unused >> unused
}

/// None: no value of the type.
fn decode(ty: SqlType, bytes: &[u8]) -> Option<Datum> {
    use TypeKind::*;
    let sized = |count: usize| (bytes.len() == count).then_some(bytes);
    let finite = |number: f64| number.is_finite().then_some(Datum::F64(number));
    Some(match ty.kind {
        Bit => Datum::I64((sized(1)?[0] != 0).into()),
        TinyInt => Datum::I64(sized(1)?[0].into()),
        SmallInt | Int | BigInt | SmallMoney => Datum::I64(signed(sized(usize::from(ty.length))?)),
        Money => Datum::I64(signed(&sized(8)?[..4]) << 32 | unsigned(&bytes[4..])),
        Real => finite(f32::from_le_bytes(sized(4)?.try_into().ok()?).into())?,
        Float => finite(f64::from_le_bytes(sized(8)?.try_into().ok()?))?,
        SmallDateTime => {
            let (days, minutes) = (unsigned(&sized(4)?[..2]), unsigned(&bytes[2..]));
            Datum::I64((minutes < 1440).then_some(days * 1440 + minutes)?)
        }
        DateTime => {
            let (days, parts) = (signed(&sized(8)?[..4]), unsigned(&bytes[4..]));
            let right = (-53_690..=2_958_463).contains(&days) && parts < DATETIME_PARTS_PER_DAY;
            Datum::I64(right.then_some(days * DATETIME_PARTS_PER_DAY + parts)?)
        }
        Date => Datum::I64(days(sized(3)?)?),
        Time => Datum::I64(ticks(bytes, ty.scale)?),
        DateTime2 => Datum::I64(moment_of(bytes, ty.scale)?),
        DateTimeOffset => {
            let (utc, offset) = bytes.split_at_checked(bytes.len().checked_sub(2)?)?;
            let minutes = signed(offset);
            let utc = (-840..=840).contains(&minutes).then_some(moment_of(utc, ty.scale)?)?;
            Datum::I128(i128::from(utc) << 16 | i128::from(minutes as i16 as u16))
        }
        Decimal | Numeric => {
            let (head, magnitude) = bytes.split_at_checked(3)?;
            let mut wide = [0; 16];
            wide.get_mut(..magnitude.len())?.copy_from_slice(magnitude);
            let number = u128::from_le_bytes(wide);
            let fits = number < 10_u128.pow(ty.precision.into()) && head[1] == ty.scale;
            let number = fits.then_some(number as i128)?;
            Datum::I128(if head[2] == 0 { -number } else { number })
        }
        UniqueIdentifier => Datum::I128(i128::from_le_bytes(sized(16)?.try_into().ok()?)),
        SqlVariant => {
            tds::variant::check(bytes).ok()?;
            Datum::bytes(bytes)
        }
        _ if value::is_utf16(ty) && !bytes.len().is_multiple_of(2) => return None,
        _ => Datum::bytes(bytes),
    })
}

fn days(bytes: &[u8]) -> Option<i64> {
    let days = unsigned(bytes);
    (days <= DATE_DAYS_MAX).then_some(days)
}

fn ticks(bytes: &[u8], scale: u8) -> Option<i64> {
    if bytes.len() != usize::from(sql_type::time_bytes(scale)) {
        return None;
    }
    let ticks = unsigned(bytes).checked_mul(unit(scale))?;
    (ticks < TICKS_PER_DAY).then_some(ticks)
}

fn moment_of(bytes: &[u8], scale: u8) -> Option<i64> {
    let (time, date) = bytes.split_at_checked(bytes.len().checked_sub(3)?)?;
    Some(days(date)? * TICKS_PER_DAY + ticks(time, scale)?)
}
