//! Functions over whole values: variants, JSON, bytes and what is random.

use types::{SqlResult, SqlType, TypeKind, sql_error};

use super::{BuiltinCall, is_bytes, is_text, literal_count};
use crate::bind::convert::converted;
use crate::bind::errors;
use crate::bind::typing::is_null_literal;
use crate::function::FunctionId;
use crate::plan::Expr;

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
        JsonContains => {
            json_contains(call)?;
            SqlType::INT
        }
        JsonValue => {
            call.only(0, is_text)?;
            call.given(1)?;
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
            call.only(2, |kind| {
                use TypeKind::{BigInt, Bit, Decimal, Float, Int, Numeric, Real, SmallInt, TinyInt};
                is_text(kind)
                    || matches!(kind, Bit | TinyInt | SmallInt | Int | BigInt | Decimal | Numeric | Real | Float)
            })?;
            call.given(1)?;
            call.take(0, SqlType::NVARCHAR_MAX.with_collation(call.collation))?;
            call.take(1, call.wide(4000))?;
            SqlType::NVARCHAR_MAX.with_collation(call.collation)
        }
        _ => return Ok(None),
    }))
}

/// 8116: the document is json, what is looked for a number, a flag or a short text, and the mode an int.
fn json_contains(call: &mut BuiltinCall) -> SqlResult<()> {
    use TypeKind::{BigInt, Bit, Decimal, Int, Numeric, SmallInt, TinyInt};
    let document = call.args[0].ty;
    if !document.is_json() && !is_null_literal(&call.args[0]) {
        return Err(errors::invalid_argument(&document, 1, call.name));
    }
    call.given(1)?;
    let value = call.args[1].ty;
    let is_number = matches!(value.kind, Bit | TinyInt | SmallInt | Int | BigInt | Decimal | Numeric);
    if !is_number && (!is_text(value.kind) || value.is_max()) {
        return Err(errors::invalid_argument(&value, 2, call.name));
    }
    if call.args.get(2).is_some_and(is_null_literal) {
        return Err(sql_error!(8116, state 8, "NULL", 2, errors::shown_function(call.name)));
    }
    call.only(2, is_text)?;
    call.only(3, |kind| kind == Int)?;
    let text = SqlType::NVARCHAR_MAX.with_collation(call.collation);
    let document = std::mem::replace(&mut call.args[0], Expr::null(text));
    call.args[0] = converted(document, &text, true);
    call.take(2, call.wide(4000))?;
    call.take(3, SqlType::INT)
}

/// Of bytes that are 8,000 characters in base 64.
const BASE64_BYTES_MAX: u16 = 6000;

/// Checksums, hashes, compression, base 64, random values.
pub fn bytes(call: &mut BuiltinCall) -> SqlResult<Option<SqlType>> {
    use FunctionId::*;
    Ok(Some(match call.function {
        BinaryChecksum | Checksum => {
            call.checksum()?;
            call.nullable = false;
            SqlType::INT
        }
        Base64Encode => {
            call.only(0, is_bytes)?;
            call.take(1, SqlType::INT)?;
            let given = call.args[0].ty;
            let is_long = given.is_max() || given.length > BASE64_BYTES_MAX;
            call.take(0, SqlType::VARBINARY_MAX)?;
            if is_long { SqlType::VARCHAR_MAX.with_collation(call.collation) } else { call.varchar(8000) }
        }
        Base64Decode => {
            call.only(0, is_text)?;
            let is_long = call.args[0].ty.is_max();
            call.take(0, SqlType::VARCHAR_MAX.with_collation(call.collation))?;
            if is_long { SqlType::VARBINARY_MAX } else { SqlType::varbinary(8000) }
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

impl BuiltinCall<'_, '_> {
    /// 8116, 8184: checksums are of what can be compared; BINARY_CHECKSUM leaves out what cannot, unless nothing else is there.
    fn checksum(&self) -> SqlResult<()> {
        let long = |ty: &SqlType| {
            matches!(ty.kind, TypeKind::Text | TypeKind::NText | TypeKind::Image | TypeKind::Xml | TypeKind::Json)
        };
        if self.function == FunctionId::BinaryChecksum {
            let none = !self.args.is_empty() && self.args.iter().all(|arg| long(&arg.ty));
            return if none { Err(sql_error!(8184)) } else { Ok(()) };
        }
        match self.args.iter().enumerate().find(|(_, arg)| long(&arg.ty)) {
            Some((at, arg)) => Err(errors::invalid_argument(&arg.ty, at + 1, self.name).in_state(4)),
            None => Ok(()),
        }
    }
}
