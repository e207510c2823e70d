//! CAST, CONVERT and the implicit conversions: a value of any type as a value of any other.
//!
//! Whether a pair of types may be converted at all is `precedence::check_conversion`, which the binder asks once. What is
//! found only with the value in hand - 245, 8114, 8115, 220, 232, 241, 242 and their kin - is here.

mod binary;
mod error;
mod from_text;
mod number;
mod to_text;

use crate::datetime::format::STYLE_DEFAULT;
use crate::datetime::{DateFormat, LanguageId, Moment};
use crate::datum::{Datum, DatumRef};
use crate::error::SqlResult;
use crate::hierarchy;
use crate::pause::{Pacer, unpaced};
use crate::precedence::check_conversion;
use crate::sql_error;
use crate::sql_type::{SqlType, TypeKind};
use crate::variant;

pub use crate::precedence::{can_convert, implicit_allowed};
pub use number::{integer_range, to_integer};
pub use to_text::{push_display, push_text};

pub use crate::text::{text_of, text_of_paced};

/// No style given: each type's own.
pub const NO_STYLE: i32 = STYLE_DEFAULT;

/// What a conversion depends on besides its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConvertContext {
    /// SET DATEFORMAT
    pub date_format: DateFormat,
    /// SET LANGUAGE: what months are called.
    pub language: LanguageId,
    /// CAST and CONVERT: text and binary values too long for the target are cut. Otherwise (an assignment) they keep
    /// their length, and the caller cuts (`fit`) or refuses (2628, 8152) them.
    pub explicit: bool,
    /// SET NUMERIC_ROUNDABORT: an exact number that would lose digits behind its point is 8115 and not rounded.
    pub round_abort: bool,
}

impl ConvertContext {
    pub const CAST: ConvertContext = ConvertContext {
        date_format: DateFormat::Mdy,
        language: LanguageId::US_ENGLISH,
        explicit: true,
        round_abort: false,
    };
    pub const ASSIGN: ConvertContext = ConvertContext { explicit: false, ..ConvertContext::CAST };
}

/// The value as one of type `to`. `style`: CONVERT's third argument, or `NO_STYLE`.
pub fn convert(value: &Datum, from: &SqlType, to: &SqlType, style: i32, context: &ConvertContext) -> SqlResult<Datum> {
    convert_ref(value.as_ref(), from, to, style, context)
}

/// `convert` of a value that is in a column or a row image.
pub fn convert_ref(
    value: DatumRef<'_>,
    from: &SqlType,
    to: &SqlType,
    style: i32,
    context: &ConvertContext,
) -> SqlResult<Datum> {
    convert_paced(value, from, to, style, context, &mut Pacer::none())
}

/// `convert` of a value that may be long.
pub fn convert_paced(
    value: DatumRef<'_>,
    from: &SqlType,
    to: &SqlType,
    style: i32,
    context: &ConvertContext,
    pacer: &mut Pacer<'_>,
) -> SqlResult<Datum> {
    if value.is_null() {
        return Ok(Datum::Null);
    }
    if from.kind == to.kind && same_values(from, to) {
        return value.to_datum_paced(pacer);
    }
    if from.kind == TypeKind::SqlVariant {
        return from_variant(value, to, style, context);
    }
    use TypeKind::*;
    if from.kind == HierarchyId && to.is_string() {
        let DatumRef::Bytes(bytes) = value else { return Err(refused(from, to)) };
        let text = text_datum(&hierarchy::read(bytes)?.to_string(), &SqlType::NVARCHAR_MAX);
        return convert_paced(text.as_ref(), &SqlType::NVARCHAR_MAX, to, NO_STYLE, context, pacer);
    }
    if from.is_udt() && !to.is_binary() {
        return Err(refused(from, to));
    }
    match to.kind {
        Bit | TinyInt | SmallInt | Int | BigInt | SmallMoney | Money | Decimal | Numeric | Real | Float => {
            match (from.kind, value) {
                (Char | VarChar | Text | NChar | NVarChar | NText, DatumRef::Bytes(text)) => {
                    from_text::to_number(text, from, to, pacer)
                }
                (Binary | VarBinary | Image | RowVersion, DatumRef::Bytes(bytes)) => binary::to_number(bytes, from, to),
                (DateTime | SmallDateTime, _) => number::from_datetime(value, from, to),
                _ if is_number(from.kind) => number::convert(value, from, to, context.round_abort),
                _ => Err(refused(from, to)),
            }
        }
        Date | Time | SmallDateTime | DateTime | DateTime2 | DateTimeOffset => match (from.kind, value) {
            (Char | VarChar | Text | NChar | NVarChar | NText, DatumRef::Bytes(text)) => {
                from_text::to_moment(text, from, to, style, context, pacer)
            }
            (Binary | VarBinary | Image | RowVersion, DatumRef::Bytes(bytes)) => binary::to_moment(bytes, to),
            _ if from.is_temporal() => {
                Moment::of(from, value).to(to).ok_or_else(|| error::moment_out_of_range(from, to))
            }
            _ if is_number(from.kind) && matches!(to.kind, DateTime | SmallDateTime) => {
                number::to_datetime(value, from, to)
            }
            _ => Err(refused(from, to)),
        },
        Char | VarChar | Text | NChar | NVarChar | NText => to_text::convert(value, from, to, style, context, pacer),
        Binary | VarBinary | Image | RowVersion => binary::convert(value, from, to, style, context, pacer),
        UniqueIdentifier => match (from.kind, value) {
            (Char | VarChar | Text | NChar | NVarChar | NText, DatumRef::Bytes(text)) => {
                from_text::to_uuid(text, from, pacer)
            }
            (Binary | VarBinary | Image, DatumRef::Bytes(bytes)) => Ok(binary::to_uuid(bytes)),
            _ => Err(refused(from, to)),
        },
        Xml => {
            use crate::xml::{self, Source};
            let (text, source) = match (from.kind, value) {
                (NChar | NVarChar | NText, DatumRef::Bytes(text)) => (text_of_paced(text, from, pacer)?, Source::Wide),
                (Char | VarChar | Text, DatumRef::Bytes(text)) => (text_of_paced(text, from, pacer)?, Source::Narrow),
                (Binary | VarBinary | Image, DatumRef::Bytes(bytes)) => xml::decode(bytes, pacer)?,
                _ => return Err(refused(from, to)),
            };
            if style != NO_STYLE && !(0..=3).contains(&style) {
                return Err(sql_error!(6358, style));
            }
            // Bit 0 of the style: white space is kept.
            let keep_space = style != NO_STYLE && style & 1 == 1;
            let text = xml::parse(&text, source, keep_space, pacer)?;
            text_datum_paced(&text, &SqlType::NVARCHAR_MAX, pacer)
        }
        HierarchyId => match (from.kind, value) {
            (Char | VarChar | NChar | NVarChar, DatumRef::Bytes(text)) => {
                let text = text_of_paced(text, from, pacer)?;
                hierarchy::bytes_of_text(&text).map(|bytes| Datum::Bytes(bytes.into()))
            }
            (Binary | VarBinary, DatumRef::Bytes(bytes)) => hierarchy::read(bytes).map(|_| Datum::bytes(bytes)),
            _ => Err(refused(from, to)),
        },
        Json => to_json(value, from, to, pacer),
        // Who runs statements converts these: their texts and bytes are their own.
        Geometry | Geography => Err(refused(from, to)),
        SqlVariant => {
            if !variant::can_hold(from) {
                return Err(refused(from, to));
            }
            Ok(variant::encode(from, &value.to_datum()))
        }
    }
}

fn to_json(value: DatumRef<'_>, from: &SqlType, to: &SqlType, pacer: &mut Pacer<'_>) -> SqlResult<Datum> {
    use TypeKind::{Char, NChar, NVarChar, VarChar};
    let (Char | VarChar | NChar | NVarChar, DatumRef::Bytes(text)) = (from.kind, value) else {
        return Err(refused(from, to));
    };
    let text = text_of_paced(text, from, pacer)?;
    crate::json::canonical(&text, pacer).map(|text| Datum::Bytes(text.into_bytes().into()))
}

/// Whether every value of `from` is one of `to` as it stands; the kinds are the same.
fn same_values(from: &SqlType, to: &SqlType) -> bool {
    use TypeKind::*;
    match from.kind {
        Decimal | Numeric => from.scale == to.scale && from.precision <= to.precision,
        Time | DateTime2 | DateTimeOffset => from.scale <= to.scale,
        Char | NChar => from.length == to.length && from.collation == to.collation,
        VarChar | Text => from.length <= to.length && from.collation.code_page() == to.collation.code_page(),
        NVarChar => from.length <= to.length,
        Binary => from.length == to.length,
        VarBinary => from.length <= to.length,
        _ => true,
    }
}

fn is_number(kind: TypeKind) -> bool {
    use TypeKind::*;
    matches!(kind, Bit | TinyInt | SmallInt | Int | BigInt | SmallMoney | Money | Decimal | Numeric | Real | Float)
}

/// The binder refuses such a pair; a value inside a variant meets it only here.
fn refused(from: &SqlType, to: &SqlType) -> crate::error::SqlError {
    check_conversion(from, to, true).err().unwrap_or_else(|| error::data_type(from, to))
}

fn from_variant(value: DatumRef<'_>, to: &SqlType, style: i32, context: &ConvertContext) -> SqlResult<Datum> {
    let DatumRef::Bytes(bytes) = value else { panic!("{value:?} is no variant") };
    let (inner, value) = variant::decode(bytes).expect("a variant is checked where it enters");
    check_conversion(&inner, to, true).map_err(|error| error.in_state(3))?;
    convert(&value, &inner, to, style, context)
}

/// True when the value has more bytes than its type: an assignment converts without cutting. Blanks (zeros of binary
/// values) at the end do not count.
pub fn is_too_long(value: &Datum, ty: &SqlType) -> bool {
    let Datum::Bytes(bytes) = value else { return false };
    if ty.is_max() || bytes.len() <= ty.length as usize {
        return false;
    }
    let rest = &bytes[ty.length as usize..];
    if ty.is_unicode_string() {
        rest.chunks(2).any(|unit| unit != b" \0")
    } else if ty.is_string() {
        rest.iter().any(|&byte| byte != b' ')
    } else if ty.is_binary() {
        rest.iter().any(|&byte| byte != 0)
    } else {
        false
    }
}

/// Cuts a text or binary value to its type and pads the fixed ones.
pub fn fit(value: Datum, ty: &SqlType) -> Datum {
    match value {
        Datum::Bytes(bytes) if ty.is_string() || ty.is_binary() => {
            let mut bytes = bytes.into_vec();
            to_text::fit_bytes(&mut bytes, ty, true);
            Datum::Bytes(bytes.into())
        }
        other => other,
    }
}

/// A text as a value of a character type, cut and padded to it.
pub fn text_datum(text: &str, ty: &SqlType) -> Datum {
    unpaced(|pacer| text_datum_paced(text, ty, pacer))
}

/// `text_datum` of a text that may be long.
pub fn text_datum_paced(text: &str, ty: &SqlType, pacer: &mut Pacer<'_>) -> SqlResult<Datum> {
    let mut bytes = Vec::new();
    to_text::push_encoded(text, ty, &mut bytes, pacer)?;
    to_text::fit_bytes(&mut bytes, ty, true);
    Ok(Datum::Bytes(bytes.into()))
}
