//! Native format as bcp writes it: values as they are in memory, a length before those that vary or may be NULL (-1). The file says nothing of
//! its columns: it is read into a table of the same columns. Texts lie in their columns' code pages.
//!
//! https://learn.microsoft.com/sql/relational-databases/import-export/specify-prefix-length-in-data-files-by-using-bcp-sql-server
//!
//! How SQL Server lays a sql_variant into such a file is not documented: here it is as on the wire (MS-TDS 2.2.5.5.4).

use std::io::{ErrorKind, Read, Write};

use types::bcp::{self, DATETIME_PARTS_PER_DAY, TICKS_PER_DAY, unit};
use types::{Datum, Physical, SqlType, TypeKind, sql_type};

use super::fault::Fault;
use super::table::Field;
use super::value::{self, fitted};
use super::{RowReader, RowWriter};

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

/// None: no value of the type.
fn decode(ty: SqlType, bytes: &[u8]) -> Option<Datum> {
    if ty.physical() != Physical::Bytes {
        return bcp::value(bytes, &ty);
    }
    match ty.kind {
        TypeKind::SqlVariant => tds::variant::check(bytes).ok()?,
        _ if value::is_utf16(ty) && !bytes.len().is_multiple_of(2) => return None,
        _ => {}
    }
    Some(Datum::bytes(bytes))
}
