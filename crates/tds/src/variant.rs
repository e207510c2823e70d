//! sql_variant on the wire: a value that carries its own type.
//!
//! ```text
//! base type token u8 | property bytes u8 | properties (length, precision, scale, collation) | value, without length
//! ```
//! The same bytes are its image in memory, so a variant column is copied, not converted.

use std::borrow::Cow;

use types::{Datum, SqlType, TypeKind};

use crate::collation::WireCollation;
use crate::error::{ProtocolResult, ValueFault};
use crate::type_info::{Form, Place, TypeInfo, token};
use crate::value::{Codec, Value, scalar};
use crate::wire::{Input, Put};

/// A decimal with what stands before it: token, count of properties, precision, scale, sign and sixteen bytes.
const DECIMAL_BYTES: usize = 21;

/// Longest value inside a variant.
const VALUE_BYTES_MAX: usize = 8_000;

/// Refuses what is not a variant.
pub fn check(wire: &[u8]) -> ProtocolResult<()> {
    decode(wire).map(|_| ())
}

/// As it is kept: clients may write a decimal as short as its digits allow, but read one of seventeen bytes only.
pub fn whole(wire: &[u8]) -> Cow<'_, [u8]> {
    let decimal = matches!(wire.first(), Some(&(token::DECIMALN | token::NUMERICN)));
    if !decimal || wire.len() >= DECIMAL_BYTES {
        return Cow::Borrowed(wire);
    }
    let mut padded = wire.to_vec();
    padded.resize(DECIMAL_BYTES, 0);
    Cow::Owned(padded)
}

/// The type inside and its value.
pub fn decode(wire: &[u8]) -> ProtocolResult<(SqlType, Datum)> {
    let mut input = Input::new(wire);
    let short = |_| ValueFault::VariantInstanceLength;
    let token = input.u8().map_err(short)?;
    let count = input.u8().map_err(short)?;
    let mut properties = Input::new(input.take(count.into()).map_err(short)?);
    let info = properties_of(token, &mut properties)?;
    if !properties.is_empty() {
        return Err(ValueFault::VariantLength.into());
    }
    let bytes = input.rest();
    if bytes.len() > VALUE_BYTES_MAX {
        return Err(ValueFault::VariantInstanceLength.into());
    }
    let value = match info.form {
        Form::ShortLength => {
            let mut framed = Vec::with_capacity(bytes.len() + 2);
            framed.put_u16(bytes.len() as u16);
            framed.put(bytes);
            Value::decode(&mut Input::new(&framed), &info, Place::Column).map(Value::into_datum)
        }
        _ => scalar(&info, bytes).map(Value::into_datum),
    };
    Ok((info.sql_type, value.map_err(|_| ValueFault::VariantInstanceLength)?))
}

fn properties_of(token: u8, properties: &mut Input<'_>) -> ProtocolResult<TypeInfo> {
    use token::*;
    let mut info_bytes = vec![token];
    let short = |_| ValueFault::VariantLength;
    match token {
        BIT | INT1 | INT2 | INT4 | INT8 | FLOAT4 | FLOAT8 | MONEY | MONEY4 | DATETIME | DATETIME4 | DATE => {}
        GUID => info_bytes.push(16),
        TIME | DATETIME2 | DATETIMEOFFSET => info_bytes.push(properties.u8().map_err(short)?),
        DECIMALN | NUMERICN => {
            let [precision, scale] = properties.array().map_err(short)?;
            info_bytes.extend([17, precision, scale]);
        }
        VARBINARY | BINARY => info_bytes.put(&properties.array::<2>().map_err(short)?),
        VARCHAR | CHAR | NVARCHAR | NCHAR => {
            let collation: [u8; 5] = properties.array().map_err(short)?;
            info_bytes.put(&properties.array::<2>().map_err(short)?);
            info_bytes.put(&collation);
        }
        _ => return Err(ValueFault::VariantType.into()),
    }
    let info = TypeInfo::decode(&mut Input::new(&info_bytes), Place::Column)
        .map_err(|_| ValueFault::VariantPrecisionOrScale)?;
    if info.form == Form::Chunked {
        return Err(ValueFault::VariantType.into());
    }
    Ok(info)
}

/// Writes a value with its type. `None`: a type that cannot be in a variant ((max), text, xml, rowversion), or NULL.
pub fn encode(sql_type: SqlType, datum: &Datum) -> Option<Vec<u8>> {
    use TypeKind::*;
    if sql_type.is_max() || matches!(sql_type.kind, SqlVariant | RowVersion) || datum.is_null() {
        return None;
    }
    let mut info = TypeInfo::for_type(sql_type, false, crate::version::TdsVersion::V7_4);
    let mut wire = vec![info.token];
    match sql_type.kind {
        Decimal | Numeric => wire.put(&[2, sql_type.precision, sql_type.scale]),
        Time | DateTime2 | DateTimeOffset => wire.put(&[1, sql_type.scale]),
        Binary | VarBinary => {
            wire.put_u8(2);
            wire.put_u16(sql_type.length);
        }
        Char | VarChar | NChar | NVarChar => {
            wire.put_u8(7);
            wire.put(&WireCollation::of(sql_type.collation).0);
            wire.put_u16(sql_type.length);
        }
        _ => wire.put_u8(0),
    }
    let mut framed = Vec::new();
    if matches!(sql_type.kind, Decimal | Numeric) {
        info.sql_type = SqlType::decimal(types::decimal::PRECISION_MAX, sql_type.scale);
    }
    Value::of(datum).encode(&mut framed, &info, Place::Column);
    let length_bytes = match Codec::of(&info, Place::Column) {
        Codec::Short => 2,
        _ if info.form == Form::ByteLength => 1,
        _ => 0,
    };
    wire.put(&framed[length_bytes..]);
    Some(wire)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_that_fits_survives() {
        let cases = [
            (SqlType::BIT, Datum::I64(1)),
            (SqlType::TINYINT, Datum::I64(255)),
            (SqlType::INT, Datum::I64(-5)),
            (SqlType::BIGINT, Datum::I64(i64::MIN)),
            (SqlType::MONEY, Datum::I64(-1_234_567)),
            (SqlType::FLOAT, Datum::F64(0.1)),
            (SqlType::decimal(38, 10), Datum::I128(-(10i128.pow(38) - 1))),
            (SqlType::DATE, Datum::I64(738_885)),
            (SqlType::time(3), Datum::I64(10_000)),
            (SqlType::datetime2(7), Datum::I64(638_396_640_000_000_001)),
            (SqlType::datetimeoffset(0), Datum::I128(638_396_640_000_000_000 << 16 | 60)),
            (SqlType::DATETIME, Datum::I64(-1)),
            (SqlType::UNIQUEIDENTIFIER, Datum::I128(-3)),
            (SqlType::varchar(10), Datum::bytes(b"abc")),
            (SqlType::nchar(3), Datum::nvarchar("ab ")),
            (SqlType::varbinary(10), Datum::bytes(&[])),
        ];
        for (sql_type, datum) in cases {
            let wire = encode(sql_type, &datum).expect("fits");
            assert_eq!(decode(&wire), Ok((sql_type, datum)));
            for end in 0..wire.len() {
                let _ = decode(&wire[..end]);
            }
        }
        assert_eq!(encode(SqlType::XML, &Datum::bytes(&[])), None);
    }

    #[test]
    fn refuses_what_is_no_variant() {
        assert_eq!(check(&[]), Err(ValueFault::VariantInstanceLength.into()));
        assert_eq!(check(&[token::TEXT, 0]), Err(ValueFault::VariantType.into()));
        assert_eq!(check(&[token::INT4, 1, 0, 1, 2, 3, 4]), Err(ValueFault::VariantLength.into()));
        assert_eq!(check(&[token::DECIMALN, 2, 39, 0, 1, 1]), Err(ValueFault::VariantPrecisionOrScale.into()));
        assert_eq!(check(&[token::INT4, 0, 1, 2]), Err(ValueFault::VariantInstanceLength.into()));
    }
}
