//! COLMETADATA (MS-TDS 2.2.7.4): the columns of a result set or a bulk load.
//!
//! ```text
//! 0x81 | count u16 (0xFFFF: none) | [column encryption: count of keys u16] | per column: user type u32 (u16 before 7.2),
//!        flags u16, TYPE_INFO, [text, ntext, image: table name], name B_VARCHAR
//! ```

use types::{SqlType, TypeKind};

use crate::error::{ProtocolError, ProtocolResult};
use crate::type_info::{Form, Place, TypeInfo};
use crate::version::TdsVersion;
use crate::wire::{Input, Put};

pub const COLMETADATA: u8 = 0x81;
const NO_METADATA: u16 = 0xFFFF;
/// T-SQL's own limit on columns of a result is 4,096; the server adds keys for who browses, and a cursor's status.
pub const COLUMNS_MAX: usize = 16_384;
const USER_TYPE_ROWVERSION: u32 = 0x50;

/// Bits of `flags`.
pub mod flag {
    pub const NULLABLE: u16 = 0x0001;
    pub const CASE_SENSITIVE: u16 = 0x0002;
    pub const UPDATABLE: u16 = 0x0004;
    pub const UPDATABLE_UNKNOWN: u16 = 0x0008;
    pub const IDENTITY: u16 = 0x0010;
    pub const COMPUTED: u16 = 0x0020;
    pub const FIXED_LENGTH_CLR: u16 = 0x0100;
    pub const SPARSE_SET: u16 = 0x0400;
    pub const ENCRYPTED: u16 = 0x0800;
    pub const HIDDEN: u16 = 0x2000;
    pub const KEY: u16 = 0x4000;
    pub const NULLABLE_UNKNOWN: u16 = 0x8000;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnInfo {
    pub name: String,
    pub info: TypeInfo,
    pub flags: u16,
    pub user_type: u32,
    /// Of a text, ntext or image column: the parts of its table's name.
    pub table: Vec<String>,
}

impl ColumnInfo {
    /// A column that a server of `version` announces; `flags` as in `flag`, where NULLABLE also chooses the type token.
    pub fn new(name: &str, sql_type: SqlType, flags: u16, version: TdsVersion) -> ColumnInfo {
        let info = TypeInfo::for_type(sql_type, flags & flag::NULLABLE != 0, version);
        let user_type = if sql_type.kind == TypeKind::RowVersion { USER_TYPE_ROWVERSION } else { 0 };
        ColumnInfo { name: name.into(), info, flags, user_type, table: Vec::new() }
    }

    pub fn is_nullable(&self) -> bool {
        self.flags & flag::NULLABLE != 0
    }

    fn encode(&self, out: &mut impl Put, version: TdsVersion) {
        if version.is_7_2() {
            out.put_u32(self.user_type);
        } else {
            out.put_u16(self.user_type as u16);
        }
        out.put_u16(self.flags);
        self.info.encode(out, Place::Column);
        if self.info.form == Form::Text {
            if version.is_7_2() {
                let parts = &self.table[self.table.len().saturating_sub(4)..];
                out.put_u8(parts.len().max(1) as u8);
                parts.iter().for_each(|part| out.put_us_varchar(part));
                if parts.is_empty() {
                    out.put_us_varchar("");
                }
            } else {
                out.put_us_varchar(&self.table.join("."));
            }
        }
        out.put_b_varchar(&self.name);
    }
}

/// With the token.
pub fn encode_columns(columns: &[ColumnInfo], out: &mut impl Put, version: TdsVersion) {
    assert!(columns.len() <= COLUMNS_MAX, "more columns than a result may have");
    out.put_u8(COLMETADATA);
    out.put_u16(columns.len() as u16);
    columns.iter().for_each(|column| column.encode(out, version));
}

/// How the table name of a text column is written: bulk loaders disagree, so a server tries both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableName {
    /// A part count, then the parts: 7.2 on.
    Parts,
    /// One US_VARCHAR.
    Single,
}

impl TableName {
    pub fn of(version: TdsVersion) -> TableName {
        if version.is_7_2() { TableName::Parts } else { TableName::Single }
    }
}

/// After the token. `None`: "no metadata", the columns are those of the last time. `column_encryption`: a table of keys follows the
/// count of columns ("CekTable"); as no column here is encrypted, nobody has a key to put there.
pub fn decode_columns(
    input: &mut Input<'_>,
    version: TdsVersion,
    table_name: TableName,
    column_encryption: bool,
) -> ProtocolResult<Option<Vec<ColumnInfo>>> {
    let count = input.u16()?;
    if column_encryption && input.u16()? != 0 {
        return Err(ProtocolError::Token(COLMETADATA));
    }
    if count == NO_METADATA {
        return Ok(None);
    }
    if usize::from(count) > COLUMNS_MAX {
        return Err(ProtocolError::Token(COLMETADATA));
    }
    (0..count).map(|_| decode_column(input, version, table_name)).collect::<ProtocolResult<Vec<_>>>().map(Some)
}

fn decode_column(input: &mut Input<'_>, version: TdsVersion, table_name: TableName) -> ProtocolResult<ColumnInfo> {
    let user_type = if version.is_7_2() { input.u32()? } else { input.u16()?.into() };
    let flags = input.u16()?;
    let info = TypeInfo::decode(input, Place::Column)?;
    let mut table = Vec::new();
    if info.form == Form::Text {
        let parts = if table_name == TableName::Parts { input.u8()? } else { 1 };
        for _ in 0..parts {
            table.push(input.us_varchar()?);
        }
    }
    Ok(ColumnInfo { name: input.b_varchar()?, info, flags, user_type, table })
}
