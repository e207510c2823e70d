//! Values: what makes a shape one, with its SRID and what it says of itself.

use types::SqlResult;
use types::pause::Pacer;

use crate::globe::combine;
use crate::globe::system::{DEFAULT_SRID, System};
use crate::plane::valid;
use crate::shape::{Shape, Value};
use crate::world::World;
use crate::{arc, check, codec, read_text, write_text};

/// The largest SRID of a geometry.
const SRID_MAX: i32 = 999_999;

/// What a text without an SRID has.
pub fn default_srid(world: World) -> i32 {
    match world {
        World::Plane => 0,
        World::Globe => DEFAULT_SRID,
    }
}

/// Error 6522 with 24100 or 24204.
pub fn check_srid(world: World, srid: i32) -> SqlResult<()> {
    match world {
        World::Plane if !(0..=SRID_MAX).contains(&srid) => Err(world.argument(
            24100,
            "The spatial reference identifier (SRID) is not valid. SRIDs must be between 0 and 999999.",
        )),
        World::Globe if System::find(srid).is_none() => Err(world.argument(
            24204,
            "The spatial reference identifier (SRID) is not valid. The specified SRID must match one of the supported SRIDs displayed in \
             the sys.spatial_reference_systems catalog view.",
        )),
        _ => Ok(()),
    }
}

/// The ellipsoid of a geography; of bytes with another SRID the usual one.
pub fn system(srid: i32) -> &'static System {
    System::find(srid).or_else(|| System::find(DEFAULT_SRID)).expect("WGS 84 is one of them")
}

/// Why the shape is not valid.
pub fn flaw(world: World, srid: i32, shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Option<String>> {
    if shape.has_arcs() {
        // Arcs of the globe are kept as they are.
        if world == World::Globe {
            return Ok(None);
        }
        return valid::flaw(&arc::straightened(shape, None, pacer)?, pacer);
    }
    match world {
        World::Plane => valid::flaw(shape, pacer),
        World::Globe => combine::flaw(system(srid), shape, pacer),
    }
}

/// The shape as a value. Errors: those of `check` and `check_srid`.
pub fn of_shape(world: World, srid: i32, shape: Shape, pacer: &mut Pacer<'_>) -> SqlResult<Value> {
    check_srid(world, srid)?;
    check::check(world, &shape, pacer)?;
    made(world, srid, shape, pacer)
}

/// The same of a shape that was made here.
pub fn made(world: World, srid: i32, shape: Shape, pacer: &mut Pacer<'_>) -> SqlResult<Value> {
    let valid = flaw(world, srid, &shape, pacer)?.is_none();
    let large = world == World::Globe && !shape.has_arcs() && combine::is_large(system(srid), &shape, pacer)?;
    Ok(Value { srid, shape, valid, large })
}

/// A text as a value's bytes.
pub fn of_text(world: World, text: &str, pacer: &mut Pacer<'_>) -> SqlResult<Vec<u8>> {
    let shape = read_text::read(world, text, None, pacer)?;
    codec::encode(world, &of_shape(world, default_srid(world), shape, pacer)?, pacer)
}

/// Bytes that come from outside, as they are kept. Error 6522 with 24210: they are no value.
pub fn of_bytes(world: World, bytes: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<()> {
    let value = codec::decode(world, bytes, pacer)?;
    // The SRID of what has none is -1.
    if value.srid == -1 { Ok(()) } else { check_srid(world, value.srid) }
}

/// A value's bytes as text, as CAST and ToString() show them.
pub fn text(world: World, bytes: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<String> {
    let value = codec::decode(world, bytes, pacer)?;
    let mut text = String::new();
    write_text::write(&value.shape, write_text::Detail::Full, &mut text, pacer)?;
    Ok(text)
}
