//! Functions over whole values: variants, JSON, bytes and what is random.

use types::{SqlResult, SqlType, TypeKind};

use super::{BuiltinCall, is_bytes, is_text, literal_count};
use crate::function::FunctionId;

/// Variants and JSON.
pub fn variants(call: &mut BuiltinCall) -> SqlResult<Option<SqlType>> {
    use FunctionId::*;
    Ok(Some(match call.function {
        SqlVariantProperty => {
            if call.args[0].ty.kind != TypeKind::SqlVariant {
                call.take(0, SqlType::SQL_VARIANT)?;
            }
            call.take(1, call.sysname())?;
            SqlType::SQL_VARIANT
        }
        Isjson => {
            call.only(0, is_text)?;
            call.strings(&[0])?;
            SqlType::INT
        }
        JsonPathExists => {
            call.take(0, SqlType::NVARCHAR_MAX.with_collation(call.collation))?;
            call.take(1, call.wide(4000))?;
            SqlType::INT
        }
        JsonValue => {
            call.only(0, is_text)?;
            call.take(0, SqlType::NVARCHAR_MAX.with_collation(call.collation))?;
            call.take(1, call.wide(4000))?;
            call.wide(4000)
        }
        JsonQuery => {
            call.take(0, SqlType::NVARCHAR_MAX.with_collation(call.collation))?;
            call.take(1, call.wide(4000))?;
            SqlType::NVARCHAR_MAX.with_collation(call.collation)
        }
        JsonModify => {
            call.take(0, SqlType::NVARCHAR_MAX.with_collation(call.collation))?;
            call.take(1, call.wide(4000))?;
            SqlType::NVARCHAR_MAX.with_collation(call.collation)
        }
        _ => return Ok(None),
    }))
}

/// Checksums, hashes, compression, random values.
pub fn bytes(call: &mut BuiltinCall) -> SqlResult<Option<SqlType>> {
    use FunctionId::*;
    Ok(Some(match call.function {
        BinaryChecksum | Checksum => {
            call.nullable = false;
            SqlType::INT
        }
        Compress => {
            call.only(0, |kind| is_text(kind) || is_bytes(kind))?;
            SqlType::VARBINARY_MAX
        }
        Decompress => {
            call.only(0, is_bytes)?;
            call.take(0, SqlType::VARBINARY_MAX)?;
            SqlType::VARBINARY_MAX
        }
        CryptGenRandom => {
            call.take(0, SqlType::INT)?;
            let length = literal_count(&call.args[0]).map_or(8000, |n| n.clamp(1, 8000) as u16);
            SqlType::varbinary(length)
        }
        Hashbytes => {
            call.strings(&[0])?;
            call.only(1, |kind| is_text(kind) || is_bytes(kind))?;
            if !call.args[1].ty.is_binary() {
                call.strings(&[1])?;
            }
            SqlType::varbinary(8000)
        }
        Newid | Newsequentialid => {
            call.nullable = false;
            SqlType::UNIQUEIDENTIFIER
        }
        Pwdencrypt => {
            call.take(0, call.sysname())?;
            SqlType::varbinary(128)
        }
        Pwdcompare => {
            call.take(0, call.sysname())?;
            call.take(1, SqlType::varbinary(128))?;
            SqlType::INT
        }
        _ => return Ok(None),
    }))
}
