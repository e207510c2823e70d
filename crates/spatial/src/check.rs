//! What a shape must have to be one at all, whether valid or not: enough points, closed rings, coordinates of the globe.
//!
//! https://learn.microsoft.com/sql/relational-databases/spatial/spatial-data-types-overview

use types::SqlResult;
use types::pause::Pacer;

use crate::shape::{Curve, Kind, Position, Shape};
use crate::world::World;

/// Errors 6522 with 24117, 24201, 24202, 24305, 24306 and those of curves.
pub fn check(world: World, shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<()> {
    let mut found = Ok(());
    let mut points = 0;
    shape.each(&mut |part| {
        if found.is_ok() {
            found = check_part(world, part);
        }
    });
    found?;
    let mut wrong = None;
    shape.each_point(&mut |point| {
        points += 1;
        if !point.x.is_finite() || !point.y.is_finite() || world == World::Globe && !on_globe(point) {
            wrong = wrong.or(Some(*point));
        }
    });
    pacer.spend(16 * points)?;
    match wrong {
        None => Ok(()),
        Some(point) => Err(position_fault(world, &point)),
    }
}

/// Degrees of longitude that a geography takes.
const LONGITUDE_MAX: f64 = 15069.0;

fn on_globe(point: &Position) -> bool {
    point.y.abs() <= 90.0 && point.x.abs() <= LONGITUDE_MAX
}

fn position_fault(world: World, point: &Position) -> types::SqlError {
    if world == World::Plane {
        return world.argument(24211, "A coordinate is not a finite number.");
    }
    if point.y.abs() <= 90.0 {
        return world.format(24202, "Longitude values must be between -15069 and 15069 degrees.");
    }
    world.format(24201, "Latitude values must be between -90 and 90 degrees.")
}

fn check_part(world: World, part: &Shape) -> SqlResult<()> {
    match part {
        Shape::Curve(curve) => check_curve(world, curve),
        Shape::Surface { curved, rings } => {
            for (at, ring) in rings.iter().enumerate() {
                check_ring(world, ring, at + 1, *curved)?;
            }
            Ok(())
        }
        Shape::Point(_) | Shape::Multi(..) | Shape::FullGlobe => Ok(()),
    }
}

fn check_curve(world: World, curve: &Curve) -> SqlResult<()> {
    for (at, piece) in curve.pieces.iter().enumerate() {
        let count = piece.points.len();
        if piece.arc && (count < 3 || count.is_multiple_of(2)) {
            return Err(world.format(
                24309,
                "The CircularString input is not valid because it does not have an odd number of points. A CircularString must have an \
                 odd number of points, and at least three.",
            ));
        }
        if !piece.arc && count < 2 {
            return Err(world.format(
                24117,
                "The LineString input is not valid because it does not have enough distinct points. A LineString must have at least two \
                 distinct points.",
            ));
        }
        let joined = at == 0
            || matches!((curve.pieces[at - 1].points.last(), piece.points.first()), (Some(end), Some(start)) if end.same(start));
        if !joined {
            return Err(world.format(
                24310,
                "The CompoundCurve input is not valid because the start point of a curve is not the end point of the curve before it.",
            ));
        }
    }
    Ok(())
}

fn check_ring(world: World, ring: &Curve, number: usize, curved: bool) -> SqlResult<()> {
    let what = if curved { "CurvePolygon" } else { "Polygon" };
    let straight = ring.kind == Kind::LineString;
    // Two arcs or an arc and a line close a ring as well.
    let least = if straight { 4 } else { 3 };
    if ring.count() < least {
        let least = if straight { "four" } else { "three" };
        return Err(world.format(
            24305,
            format_args!(
                "The {what} input is not valid because the ring number {number} does not have enough points. Each ring of a polygon must \
                 contain at least {least} points."
            ),
        ));
    }
    check_curve(world, ring)?;
    if !ring.is_closed() {
        return Err(world.format(
            24306,
            format_args!(
                "The {what} input is not valid because the start and end points of the ring number {number} are not the same. Each ring of \
                 a polygon must have the same start and end points."
            ),
        ));
    }
    Ok(())
}
