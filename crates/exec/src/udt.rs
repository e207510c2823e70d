//! Conversions from and to the types of Microsoft.SqlServer.Types: texts are read and written as the types' own, bytes are their serialized
//! form.

use spatial::world::World;
use spatial::{call, value};
use types::convert::{self, ConvertContext, NO_STYLE, text_datum_paced, text_of_paced};
use types::pause::Pacer;
use types::precedence::check_conversion;
use types::{Datum, DatumRef, SqlResult, SqlType, long};

use crate::context::Context;
use crate::value::Value;
use crate::workspace::Held;

/// A value of one type as one of another; one of the two is a UDT. 6522: it is no such value. 257, 529.
pub fn convert(
    value: DatumRef<'_>,
    from: &SqlType,
    to: &SqlType,
    settings: &ConvertContext,
    pacer: &mut Pacer<'_>,
) -> SqlResult<Datum> {
    let DatumRef::Bytes(bytes) = value else { return Ok(Datum::Null) };
    check_conversion(from, to, true)?;
    match (World::of(from.kind), World::of(to.kind)) {
        (None, Some(world)) if from.is_string() => {
            let text = text_of_paced(bytes, from, pacer)?;
            value::of_text(world, &text, pacer).map(|made| Datum::Bytes(made.into()))
        }
        (None, Some(world)) => {
            value::of_bytes(world, bytes, pacer)?;
            DatumRef::Bytes(bytes).to_datum_paced(pacer)
        }
        (Some(world), None) if to.is_string() => {
            let text = value::text(world, bytes, pacer)?;
            let text = text_datum_paced(&text, &SqlType::NVARCHAR_MAX, pacer)?;
            convert::convert_paced(text.as_ref(), &SqlType::NVARCHAR_MAX, to, NO_STYLE, settings, pacer)
        }
        _ => convert::convert_paced(DatumRef::Bytes(bytes), from, to, NO_STYLE, settings, pacer),
    }
}

/// The same of a value of a running query, which may be long.
pub fn convert_away(
    context: &Context,
    value: Value<'_>,
    from: &SqlType,
    to: &SqlType,
    settings: ConvertContext,
) -> SqlResult<Datum> {
    let Some(bytes) = value.bytes() else { return Ok(Datum::Null) };
    let room = call::TEXT_TIMES * bytes.len();
    if room < long::LONG {
        return convert(DatumRef::Bytes(&bytes), from, to, &settings, &mut context.pacer());
    }
    let mut held = Held::default();
    context.force(&mut held, room)?;
    let (bytes, from, to) = (context.own(bytes)?, *from, *to);
    context.away(room, move |pacer| convert(DatumRef::Bytes(&bytes), &from, &to, &settings, pacer))
}

/// `types::convert` that knows these types, too.
pub fn converted(value: &Datum, from: &SqlType, to: &SqlType, settings: &ConvertContext) -> SqlResult<Datum> {
    if from.kind != to.kind && (from.is_udt() || to.is_udt()) {
        return convert(value.as_ref(), from, to, settings, &mut Pacer::none());
    }
    convert::convert(value, from, to, NO_STYLE, settings)
}
