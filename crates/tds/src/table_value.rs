//! Table-valued parameters (MS-TDS 2.2.5.5.5).
//!
//! ```text
//! 0xF3 | database, schema, type B_VARCHAR | count u16 (0xFFFF: NULL) | count x column metadata
//!      | optional: 0x10 ORDER_UNIQUE, 0x11 COLUMN_ORDERING | 0x00 | (0x01 row values)* | 0x00
//! ```

use types::{Column, RowBatch, SqlType};

use crate::column::{COLUMNS_MAX, flag};
use crate::error::{ProtocolError, ProtocolResult, ValueFault};
use crate::type_info::{Place, TypeInfo};
use crate::value::Value;
use crate::version::TdsVersion;
use crate::wire::{Input, Put};

const NULL_COLUMNS: u16 = 0xFFFF;
const END: u8 = 0x00;
const ROW: u8 = 0x01;
const ORDER_UNIQUE: u8 = 0x10;
const COLUMN_ORDERING: u8 = 0x11;
/// Bit of a column's flags: the client sends no value, the default is used.
const FLAG_DEFAULT: u16 = 0x0200;
/// A table type has at most this many columns.
const TABLE_COLUMNS_MAX: u16 = 1_024;

#[derive(Debug, Clone)]
pub struct TableValue {
    pub schema: String,
    pub type_name: String,
    pub columns: Vec<TableColumn>,
    /// One column for each of `columns`; a defaulted one is all NULL.
    pub rows: RowBatch,
    pub order: Vec<OrderUnique>,
    /// A parameter that was not given: to be treated as an empty table.
    pub is_null: bool,
}

impl PartialEq for TableValue {
    fn eq(&self, other: &TableValue) -> bool {
        let head = |table: &TableValue| {
            (table.schema.clone(), table.type_name.clone(), table.columns.clone(), table.is_null, table.rows.rows)
        };
        head(self) == head(other)
            && self
                .rows
                .columns
                .iter()
                .zip(&other.rows.columns)
                .all(|(left, right)| (0..self.rows.rows).all(|row| left.datum(row) == right.datum(row)))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableColumn {
    /// Usually empty: columns count by position.
    pub name: String,
    pub sql_type: SqlType,
    pub is_default: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderUnique {
    /// From 1.
    pub column: u16,
    pub descending: bool,
    pub unique: bool,
}

impl TableValue {
    /// After the type token. `ordinal` and `name` of the parameter are for error messages.
    pub fn decode(input: &mut Input<'_>, version: TdsVersion, ordinal: u32, name: &str) -> ProtocolResult<TableValue> {
        let fail = |fault: ValueFault| ProtocolError::Value(fault).in_table_parameter(ordinal, name, 0, 0);
        if !version.has_date_types() {
            return Err(ProtocolError::Value(ValueFault::UnknownType(0xF3)).in_parameter(ordinal, name));
        }
        if !input.b_varchar()?.is_empty() {
            return Err(fail(ValueFault::TableDatabaseName));
        }
        let (schema, type_name) = (input.b_varchar()?, input.b_varchar()?);
        let mut table = TableValue {
            schema,
            type_name,
            columns: Vec::new(),
            rows: RowBatch::default(),
            order: Vec::new(),
            is_null: false,
        };
        let count = input.u16()?;
        let mut infos = Vec::new();
        if count == NULL_COLUMNS {
            table.is_null = true;
        } else {
            if count == 0 || count > TABLE_COLUMNS_MAX {
                return Err(fail(ValueFault::TableColumnCount));
            }
            for column in 1..=u32::from(count) {
                let (info, column) =
                    decode_column(input).map_err(|error| error.in_table_parameter(ordinal, name, 0, column))?;
                infos.push(info);
                table.columns.push(column);
            }
        }
        table.read_metadata(input, count).map_err(|error| error.in_table_parameter(ordinal, name, 0, 0))?;
        table.rows = RowBatch::new(table.columns.iter().map(|column| column.sql_type.physical()));
        while table.read_row(input, &infos, ordinal, name)? {}
        Ok(table)
    }

    fn read_metadata(&mut self, input: &mut Input<'_>, columns: u16) -> ProtocolResult<()> {
        let (mut ordered, mut permuted) = (false, false);
        loop {
            match input.u8()? {
                END => return Ok(()),
                ORDER_UNIQUE if !ordered => {
                    ordered = true;
                    for _ in 0..input.u16()? {
                        let (column, flags) = (input.u16()?, input.u8()?);
                        if !(1..=columns).contains(&column) || flags & !7 != 0 || flags & 3 == 3 {
                            return Err(ValueFault::TableOrdering.into());
                        }
                        let (descending, unique) = (flags & 2 != 0, flags & 4 != 0);
                        self.order.push(OrderUnique { column, descending, unique });
                    }
                }
                COLUMN_ORDERING if !permuted => {
                    permuted = true;
                    // Values come in the order of the metadata all the same: nothing to keep.
                    for _ in 0..input.u16()? {
                        if !(1..=columns).contains(&input.u16()?) {
                            return Err(ValueFault::TableColumnOrdering.into());
                        }
                    }
                }
                ORDER_UNIQUE | COLUMN_ORDERING => return Err(ValueFault::TableTooManyMetadata.into()),
                _ => return Err(ValueFault::TableToken.into()),
            }
        }
    }

    fn read_row(
        &mut self,
        input: &mut Input<'_>,
        infos: &[TypeInfo],
        ordinal: u32,
        name: &str,
    ) -> ProtocolResult<bool> {
        let row = self.rows.rows as u64 + 1;
        match input.u8()? {
            END => return Ok(false),
            ROW if !self.is_null => {}
            _ => {
                return Err(ProtocolError::Value(ValueFault::TableToken).in_table_parameter(ordinal, name, row, 0));
            }
        }
        for (i, (info, column)) in infos.iter().zip(&self.columns).enumerate() {
            let target: &mut Column = &mut self.rows.columns[i];
            if column.is_default {
                target.push_null();
                continue;
            }
            Value::decode(input, info, Place::Parameter)
                .map_err(|error| error.in_table_parameter(ordinal, name, row, i as u32 + 1))?
                .push_to(target);
        }
        self.rows.rows += 1;
        Ok(true)
    }

    /// After the type token, as a client sends it.
    pub fn encode(&self, out: &mut impl Put, version: TdsVersion) {
        out.put_b_varchar("");
        out.put_b_varchar(&self.schema);
        out.put_b_varchar(&self.type_name);
        if self.is_null {
            out.put_u16(NULL_COLUMNS);
            out.put(&[END, END]);
            return;
        }
        assert!(self.columns.len() <= COLUMNS_MAX, "more columns than a table may have");
        out.put_u16(self.columns.len() as u16);
        let mut infos = Vec::new();
        for column in &self.columns {
            let info = TypeInfo::for_type(column.sql_type, true, version);
            out.put_u32(0);
            out.put_u16(flag::NULLABLE | if column.is_default { FLAG_DEFAULT } else { 0 });
            info.encode(out, Place::Parameter);
            out.put_b_varchar(&column.name);
            infos.push(info);
        }
        if !self.order.is_empty() {
            out.put_u8(ORDER_UNIQUE);
            out.put_u16(self.order.len() as u16);
            for order in &self.order {
                out.put_u16(order.column);
                out.put_u8(if order.descending { 2 } else { 1 } | u8::from(order.unique) << 2);
            }
        }
        out.put_u8(END);
        for row in 0..self.rows.rows {
            out.put_u8(ROW);
            for (i, info) in infos.iter().enumerate().filter(|(i, _)| !self.columns[*i].is_default) {
                Value::of(&self.rows.columns[i].datum(row)).encode(out, info, Place::Parameter);
            }
        }
        out.put_u8(END);
    }
}

fn decode_column(input: &mut Input<'_>) -> ProtocolResult<(TypeInfo, TableColumn)> {
    input.u32()?;
    let flags = input.u16()?;
    let info = TypeInfo::decode(input, Place::Parameter)?;
    let column =
        TableColumn { name: input.b_varchar()?, sql_type: info.sql_type, is_default: flags & FLAG_DEFAULT != 0 };
    Ok((info, column))
}
