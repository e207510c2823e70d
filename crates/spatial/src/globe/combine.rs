//! What compares geographies, and what makes new ones of them, by way of a plane. Shapes have no arcs.

use types::SqlResult;
use types::pause::Pacer;

use super::measure::{away, azimuth, distance};
use super::project::{Part, Projection, Vector, center, direction, dot, normalized, unit};
use super::system::System;
use crate::plane::arrange::Rule;
use crate::plane::measure::sides;
use crate::plane::overlay::{Operation, combine, make_valid, overlay, union_all};
use crate::plane::relate::{Matrix, relate};
use crate::plane::{hull, reduce, valid};
use crate::shape::{Kind, Position, Shape};
use crate::world::World;

/// The longest line that is one step of a buffer, in parts of the ellipsoid's axis.
const STEP: f64 = 0.02;

/// How far a buffer may reach, in parts of the ellipsoid's axis: less than a hemisphere.
const REACH_MAX: f64 = 1.3;

#[cold]
fn too_large(what: &str) -> types::SqlError {
    World::Globe.not_supported(&format!("{what} of instances that together exceed a hemisphere"))
}

/// Two shapes in one plane.
struct Pair<'s> {
    projection: Projection<'s>,
    parts: [Part; 2],
}

/// None: they do not fit in one hemisphere, or a polygon has rings that make none.
fn project<'s>(system: &'s System, shapes: [&Shape; 2], pacer: &mut Pacer<'_>) -> SqlResult<Option<Pair<'s>>> {
    let Some(center) = center(system, &shapes).or(Some([1.0, 0.0, 0.0])) else { return Ok(None) };
    let mut projection = Projection::around(system, center);
    let mut parts = Vec::with_capacity(2);
    for shape in shapes {
        match projection.flat(shape, pacer)?.as_ref().and_then(normalized) {
            Some(part) => parts.push(part),
            None => return Ok(None),
        }
    }
    let parts = parts.try_into().map_err(|_| ()).expect("there are two");
    Ok(Some(Pair { projection, parts }))
}

/// A cap that a shape lies in: its centre and the cosine of its angle. None: the shape is empty, or larger than a hemisphere.
fn cap(system: &System, shape: &Shape) -> Option<(Vector, f64)> {
    let center = center(system, &[shape])?;
    let mut least = 1.0_f64;
    shape.each_point(&mut |point| least = least.min(dot(&direction(system, point), &center)));
    (least > 0.0).then_some((center, least))
}

fn are_apart(system: &System, one: &Shape, other: &Shape) -> bool {
    let (Some((a, far)), Some((b, farther))) = (cap(system, one), cap(system, other)) else { return false };
    let own = |shape: &Shape, center: Vector| {
        let flat = Projection::around(system, center).flat(shape, &mut Pacer::none());
        flat.ok().flatten().as_ref().and_then(normalized).is_some_and(|part| !part.outside)
    };
    dot(&a, &b).clamp(-1.0, 1.0).acos() > far.acos() + farther.acos() && own(one, a) && own(other, b)
}

/// The matrix of two geographies.
pub fn matrix(system: &System, one: &Shape, other: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Matrix> {
    if let Some(Pair { parts: [a, b], .. }) = project(system, [one, other], pacer)? {
        let mut matrix = relate(&a.shape, &b.shape, pacer)?;
        // Inside and outside change places.
        if a.outside {
            matrix.0.swap(0, 2);
        }
        if b.outside {
            matrix.0.iter_mut().for_each(|row| row.swap(0, 2));
        }
        return Ok(matrix);
    }
    if are_apart(system, one, other) {
        let boundary = |shape: &Shape| (shape.dimension() - 1).max(-1) as i8;
        return Ok(Matrix::apart(one.dimension(), other.dimension(), [boundary(one), boundary(other)]));
    }
    Err(too_large("A comparison"))
}

/// Whether two geographies have a point in common.
pub fn intersects(system: &System, one: &Shape, other: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<bool> {
    if one.is_empty() || other.is_empty() {
        return Ok(false);
    }
    Ok(matrix(system, one, other, pacer)?.intersects())
}

/// What a part is on the globe.
fn unprojected(projection: &Projection<'_>, part: &Part, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    let shape = projection.globe(&part.shape, pacer)?;
    if !part.outside {
        return Ok(shape);
    }
    if shape.is_empty() {
        return Ok(Shape::FullGlobe);
    }
    let mut rings = Vec::new();
    let mut others = false;
    shape.each(&mut |part| match part {
        Shape::Surface { rings: own, .. } => rings.extend(own.iter().map(|ring| ring.reversed())),
        _ => others = true,
    });
    if others && rings.is_empty() {
        return Ok(Shape::FullGlobe);
    }
    Ok(Shape::Surface { curved: false, rings })
}

/// What `operation` makes of two geographies.
pub fn combined(
    system: &System,
    one: &Shape,
    other: &Shape,
    operation: Operation,
    pacer: &mut Pacer<'_>,
) -> SqlResult<Shape> {
    use Operation::*;
    let Some(Pair { projection, parts: [a, b] }) = project(system, [one, other], pacer)? else {
        if !are_apart(system, one, other) {
            return Err(too_large("A combination"));
        }
        return Ok(match operation {
            Intersection => Shape::empty(Kind::Collection),
            Difference => one.clone(),
            Union | SymmetricDifference => Shape::Multi(Kind::Collection, vec![one.clone(), other.clone()]),
        });
    };
    // By De Morgan, so that only what is smaller than a hemisphere is combined.
    let (first, second, operation, outside) = match (operation, a.outside, b.outside) {
        (operation, false, false) => (&a, &b, operation, false),
        (Union, true, true) => (&a, &b, Intersection, true),
        (Union, true, false) => (&a, &b, Difference, true),
        (Union, false, true) => (&b, &a, Difference, true),
        (Intersection, true, true) => (&a, &b, Union, true),
        (Intersection, true, false) => (&b, &a, Difference, false),
        (Intersection, false, true) => (&a, &b, Difference, false),
        (Difference, true, true) => (&b, &a, Difference, false),
        (Difference, true, false) => (&a, &b, Union, true),
        (Difference, false, true) => (&a, &b, Intersection, false),
        (SymmetricDifference, one, other) => (&a, &b, SymmetricDifference, one != other),
    };
    let shape = overlay(&first.shape, &second.shape, operation, pacer)?;
    unprojected(&projection, &Part { shape, outside }, pacer)
}

/// All that any of the geographies covers.
pub fn union(system: &System, shapes: &[&Shape], pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    let Some(center) = center(system, shapes) else {
        let full = shapes.iter().any(|shape| matches!(shape, Shape::FullGlobe));
        return Ok(if full { Shape::FullGlobe } else { Shape::empty(Kind::Collection) });
    };
    let mut projection = Projection::around(system, center);
    let mut flat = Vec::with_capacity(shapes.len());
    for shape in shapes {
        match projection.flat(shape, pacer)?.as_ref().and_then(normalized) {
            Some(Part { shape, outside: false }) => flat.push(shape),
            _ => return Err(too_large("A union")),
        }
    }
    let shape = union_all(&flat.iter().collect::<Vec<_>>(), pacer)?;
    unprojected(&projection, &Part { shape, outside: false }, pacer)
}

/// One shape in a plane around its own centre. None: it does not fit in a hemisphere.
fn alone<'s>(system: &'s System, shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Option<(Projection<'s>, Shape)>> {
    let mut projection = Projection::around(system, center(system, &[shape]).unwrap_or([1.0, 0.0, 0.0]));
    Ok(projection.flat(shape, pacer)?.map(|flat| (projection, flat)))
}

/// Why a geography is not valid, as IsValidDetailed() says it.
pub fn flaw(system: &System, shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Option<String>> {
    let Some((_, flat)) = alone(system, shape, pacer)? else { return Ok(None) };
    match normalized(&flat) {
        Some(part) => valid::flaw(&part.shape, pacer),
        None => Ok(Some("24415: Not valid because some polygon has an invalid ring structure.".to_string())),
    }
}

/// Whether a geography is larger than a hemisphere.
pub fn is_large(system: &System, shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<bool> {
    if matches!(shape, Shape::FullGlobe) {
        return Ok(true);
    }
    if shape.dimension() < 2 {
        return Ok(false);
    }
    let flat = alone(system, shape, pacer)?.map(|(_, flat)| flat);
    Ok(flat.is_none_or(|flat| normalized(&flat).is_some_and(|part| part.outside)))
}

/// A valid geography of one that is not.
pub fn made_valid(system: &System, shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    let Some((projection, flat)) = alone(system, shape, pacer)? else { return Err(too_large("MakeValid")) };
    projection.globe(&make_valid(&flat, pacer)?, pacer)
}

pub fn convex_hull(system: &System, shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    match alone(system, shape, pacer)? {
        Some((projection, flat)) if normalized(&flat).is_some_and(|part| !part.outside) => {
            projection.globe(&hull::hull(&flat, pacer)?, pacer)
        }
        // The documentation: a shape that exceeds a hemisphere has the whole globe as its hull.
        _ => Ok(Shape::FullGlobe),
    }
}

/// The shape within `tolerance` of itself, in units of the ground at its centre.
pub fn reduced(system: &System, shape: &Shape, tolerance: f64, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    let Some((projection, flat)) = alone(system, shape, pacer)? else { return Err(too_large("Reduce")) };
    projection.globe(&reduce::reduce(&flat, tolerance / system.semi_major, pacer)?, pacer)
}

/// What lies within `reach` of a geography, within `tolerance`.
pub fn buffer(system: &System, shape: &Shape, reach: f64, tolerance: f64, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    if reach == 0.0 || shape.is_empty() || matches!(shape, Shape::FullGlobe) {
        return Ok(shape.clone());
    }
    let radius = reach.abs();
    if radius > REACH_MAX * system.semi_major {
        return Err(too_large("A buffer"));
    }
    let Some(center) = center(system, &[shape]) else { return Err(too_large("A buffer")) };
    let mut projection = Projection::around(system, center);
    let Some(part) = projection.flat(shape, pacer)?.as_ref().and_then(normalized) else {
        return Err(too_large("A buffer"));
    };
    let corners = corners(radius, tolerance);
    let mut rounds = Vec::new();
    for side in sides(shape) {
        for [a, b] in steps(system, &side) {
            pacer.spend(corners * 4096)?;
            let round = round(system, &a, &b, radius, corners);
            match projection.flat(&round, pacer)? {
                Some(flat) => rounds.push(flat),
                None => return Err(too_large("A buffer")),
            }
        }
    }
    // What a shape gains, what it leaves out loses.
    let grows = (reach > 0.0) != part.outside;
    let operation = if grows { Operation::Union } else { Operation::Difference };
    let mut own = Vec::new();
    part.shape.each(&mut |piece| {
        if grows || piece.dimension() == 2 {
            own.push(piece);
        }
    });
    let shapes: Vec<(&Shape, u8)> =
        own.into_iter().map(|piece| (piece, 0)).chain(rounds.iter().map(|round| (round, 1))).collect();
    let shape = combine(&shapes, Rule::Rings, operation, pacer)?;
    unprojected(&projection, &Part { shape, outside: part.outside }, pacer)
}

/// Corners of a circle, a multiple of four.
fn corners(radius: f64, tolerance: f64) -> usize {
    let part = (1.0 - tolerance / radius).clamp(-1.0, 1.0);
    let corners = std::f64::consts::TAU / (2.0 * part.acos());
    let corners = if corners.is_finite() { corners.clamp(8.0, 512.0) } else { 512.0 };
    (corners / 4.0).ceil() as usize * 4
}

/// A line in pieces short enough.
fn steps(system: &System, [a, b]: &[Position; 2]) -> Vec<[Position; 2]> {
    let (from, to) = (direction(system, a), direction(system, b));
    let count = (dot(&from, &to).clamp(-1.0, 1.0).acos() / STEP).ceil().max(1.0) as usize;
    let place = |at: usize| {
        let part = at as f64 / count as f64;
        let way = unit([0, 1, 2].map(|axis| (1.0 - part) * from[axis] + part * to[axis]));
        way.map_or(*a, |way| super::project::surface(system, &way))
    };
    let mut points: Vec<Position> = (1..count).map(place).collect();
    points.insert(0, *a);
    points.push(*b);
    points.windows(2).map(|pair| [pair[0], pair[1]]).collect()
}

/// All within the radius of a short line, counterclockwise.
fn round(system: &System, a: &Position, b: &Position, radius: f64, corners: usize) -> Shape {
    let turn = 360.0 / corners as f64;
    let mut ring = Vec::new();
    if a.same(b) || distance(system, a, b) < radius * 1e-9 {
        ring.extend((0..corners).map(|at| away(system, a, -turn * at as f64, radius)));
    } else {
        // Counterclockwise is towards smaller azimuths.
        for (point, ahead) in [(b, azimuth(system, b, a) + 180.0), (a, azimuth(system, a, b) + 180.0)] {
            let (from, to) = (ahead + 90.0, ahead - 90.0);
            ring.push(away(system, point, from, radius));
            let mut corner = (from / turn).ceil() as i64 - 1;
            while corner as f64 * turn > to + turn / 1024.0 {
                if (corner as f64) * turn < from - turn / 1024.0 {
                    ring.push(away(system, point, corner as f64 * turn, radius));
                }
                corner -= 1;
            }
            ring.push(away(system, point, to, radius));
        }
    }
    ring.push(ring[0]);
    Shape::polygon(vec![ring])
}

/// The mean direction of a geography's points as a point, and the largest angle to it in degrees.
pub fn envelope(system: &System, shape: &Shape) -> Option<(Position, f64)> {
    if matches!(shape, Shape::FullGlobe) {
        return Some((Position::at(0.0, 90.0), 180.0));
    }
    let center = center(system, &[shape])?;
    let mut least = 1.0_f64;
    shape.each_point(&mut |point| least = least.min(dot(&direction(system, point), &center)));
    Some((super::project::surface(system, &center), least.clamp(-1.0, 1.0).acos().to_degrees()))
}
