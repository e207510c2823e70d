//! Numbers in images of rows: where they lie, and how.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types as ir};
use types::fixed::TICKS_PER_DAY;

use super::{Columns, Scalars, packed};

/// Where a row's image has a column that is a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    pub at: u32,
    pub bytes: u8,
    pub coding: Coding,
    /// The byte, and the bit in it, that is 1 for NULL.
    pub null_at: u32,
    pub null_bit: u8,
    pub nullable: bool,
}

/// How the bytes are the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// They are its low bytes: 1 (no sign), 2, 4 or 8. Of a float its bits.
    Plain,
    /// Before them stands a byte that is 0 for a negative number, and they, 4 or 8, are those of its magnitude.
    SignApart,
    /// Of a real its bits, in single precision.
    Single,
    /// So many times this unit; 3, 4 or 5, without a sign.
    Units(i64),
    /// The same within a day, whose number follows in 3 bytes.
    Day(i64),
}

impl Scalars<'_, '_> {
    /// A column of the row: its value, 0 if it is NULL, and whether it is, if it may be.
    pub fn column(&mut self, column: usize) -> (Value, Option<Value>) {
        let (row, field) = match &self.columns {
            Columns::None => panic!("an expression over a row"),
            Columns::Values(values) => return values[column],
            Columns::Subqueries => return self.subquery(column),
            Columns::Image(row, fields) => (*row, fields[column].expect("a column with a place")),
            Columns::Joined(columns) => columns[column].expect("a column with a place"),
        };
        let null = field.nullable.then(|| {
            let byte = self.builder.ins().load(ir::I8, packed(), row, field.null_at as i32);
            let bit = self.builder.ins().ushr_imm_u(byte, i64::from(field.null_bit));
            self.builder.ins().band_imm_u(bit, 1)
        });
        (self.load(row, field), null)
    }

    fn load(&mut self, row: Value, field: Field) -> Value {
        let at = field.at as i32;
        match field.coding {
            Coding::Plain => {
                let ins = self.builder.ins();
                match field.bytes {
                    1 => ins.uload8(ir::I64, packed(), row, at),
                    2 => ins.sload16(ir::I64, packed(), row, at),
                    4 => ins.sload32(packed(), row, at),
                    _ => ins.load(ir::I64, packed(), row, at),
                }
            }
            Coding::SignApart => {
                let sign = self.builder.ins().load(ir::I8, packed(), row, at - 1);
                let magnitude = match field.bytes {
                    4 => self.builder.ins().uload32(packed(), row, at),
                    _ => self.builder.ins().load(ir::I64, packed(), row, at),
                };
                let negative = self.builder.ins().ineg(magnitude);
                self.builder.ins().select(sign, magnitude, negative)
            }
            Coding::Single => {
                let single = self.builder.ins().load(ir::F32, packed(), row, at);
                let double = self.builder.ins().fpromote(ir::F64, single);
                self.bits(double)
            }
            Coding::Units(unit) => self.load_units(row, at, field.bytes, unit),
            Coding::Day(unit) => {
                let time = self.load_units(row, at, field.bytes, unit);
                let day = self.load_units(row, at + i32::from(field.bytes), 3, TICKS_PER_DAY);
                self.builder.ins().iadd(day, time)
            }
        }
    }

    fn load_units(&mut self, row: Value, at: i32, bytes: u8, unit: i64) -> Value {
        let (low, low_bytes) = match bytes {
            3 => (self.builder.ins().uload16(ir::I64, packed(), row, at), 2),
            _ => (self.builder.ins().uload32(packed(), row, at), 4),
        };
        let units = match bytes > low_bytes {
            true => {
                let high = self.builder.ins().uload8(ir::I64, packed(), row, at + i32::from(low_bytes));
                let high = self.builder.ins().ishl_imm_u(high, 8 * i64::from(low_bytes));
                self.builder.ins().bor(low, high)
            }
            false => low,
        };
        if unit == 1 { units } else { self.builder.ins().imul_imm_s(units, unit) }
    }

    /// Writes a number in so many bytes.
    fn store(&mut self, value: Value, bytes: u8, image: Value, at: usize) {
        let value = match bytes {
            8 => value,
            bytes => {
                let narrow = Type::int(8 * u16::from(bytes)).expect("a width of integers");
                self.builder.ins().ireduce(narrow, value)
            }
        };
        self.builder.ins().store(packed(), value, image, at as i32);
    }

    fn store_units(&mut self, value: Value, bytes: u8, image: Value, at: usize) {
        let low_bytes = if bytes == 3 { 2 } else { 4 };
        self.store(value, low_bytes, image, at);
        if bytes > low_bytes {
            let high = self.builder.ins().ushr_imm_u(value, 8 * i64::from(low_bytes));
            self.store(high, 1, image, at + usize::from(low_bytes));
        }
    }

    fn divided(&mut self, value: Value, unit: i64) -> Value {
        if unit == 1 {
            return value;
        }
        let unit = self.builder.ins().iconst(ir::I64, unit);
        self.builder.ins().udiv(value, unit)
    }

    /// Gives a column of an image, which begins at `start`, a value: 0 if it is to be NULL.
    pub fn set_column(&mut self, image: Value, start: usize, field: Field, value: Value, null: Option<Value>) {
        let at = start + field.at as usize;
        match field.coding {
            Coding::Plain => self.store(value, field.bytes, image, at),
            Coding::SignApart => {
                let sign = self.builder.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, value, 0);
                let magnitude = self.builder.ins().iabs(value);
                self.store(magnitude, field.bytes, image, at);
                self.builder.ins().store(packed(), sign, image, at as i32 - 1);
            }
            Coding::Single => {
                let double = self.double(value);
                let single = self.builder.ins().fdemote(ir::F32, double);
                self.builder.ins().store(packed(), single, image, at as i32);
            }
            Coding::Units(unit) => {
                let units = self.divided(value, unit);
                self.store_units(units, field.bytes, image, at);
            }
            Coding::Day(unit) => {
                let day = self.divided(value, TICKS_PER_DAY);
                let midnight = self.builder.ins().imul_imm_s(day, TICKS_PER_DAY);
                let time = self.builder.ins().isub(value, midnight);
                let units = self.divided(time, unit);
                self.store_units(units, field.bytes, image, at);
                self.store_units(day, 3, image, at + usize::from(field.bytes));
            }
        }
        if field.nullable {
            let at = (start + field.null_at as usize) as i32;
            let byte = self.builder.ins().load(ir::I8, packed(), image, at);
            let mut byte = self.builder.ins().band_imm_s(byte, !(1 << field.null_bit));
            if let Some(null) = null {
                let bit = self.builder.ins().ishl_imm_u(null, i64::from(field.null_bit));
                byte = self.builder.ins().bor(byte, bit);
            }
            self.builder.ins().store(packed(), byte, image, at);
        }
    }
}
