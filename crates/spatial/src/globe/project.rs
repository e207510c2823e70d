//! From the globe to a plane and back: the gnomonic projection of directions from the centre of the ellipsoid.
//!
//! A polygon that is larger than a hemisphere is what another one leaves out: it is kept as that one, `outside` it.

use std::collections::HashMap;

use types::SqlResult;
use types::pause::Pacer;

use super::system::System;
use crate::plane::measure::signed_area;
use crate::shape::{Curve, Kind, Position, Shape};

pub type Vector = [f64; 3];

/// How near to the edge of a hemisphere a projected point may be: the cosine of the angle to the centre.
const EDGE: f64 = 0.01;

pub fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn unit(a: Vector) -> Option<Vector> {
    let length = dot(&a, &a).sqrt();
    (length > 1e-12).then(|| a.map(|part| part / length))
}

/// The direction of a point from the centre of the ellipsoid.
pub fn direction(system: &System, point: &Position) -> Vector {
    let flattening = system.flattening();
    let (latitude, longitude) = (point.y.to_radians(), point.x.to_radians());
    let z = (1.0 - flattening) * (1.0 - flattening) * latitude.sin();
    let around = latitude.cos();
    let length = around.hypot(z);
    [around * longitude.cos() / length, around * longitude.sin() / length, z / length]
}

/// The point of the surface in a direction.
pub fn surface(system: &System, way: &Vector) -> Position {
    let flattening = system.flattening();
    let squeeze = (1.0 - flattening) * (1.0 - flattening);
    let latitude = way[2].atan2(squeeze * way[0].hypot(way[1]));
    Position::at(way[1].atan2(way[0]).to_degrees(), latitude.to_degrees())
}

/// The mean direction of all points. None: they have none.
pub fn center(system: &System, shapes: &[&Shape]) -> Option<Vector> {
    let mut sum = [0.0; 3];
    for shape in shapes {
        shape.each_point(&mut |point| {
            let way = direction(system, point);
            (0..3).for_each(|axis| sum[axis] += way[axis]);
        });
    }
    unit(sum)
}

/// One projection, which knows the points it has projected.
pub struct Projection<'s> {
    system: &'s System,
    center: Vector,
    east: Vector,
    north: Vector,
    known: HashMap<[u64; 2], Position>,
}

fn key(point: &Position) -> [u64; 2] {
    [point.x.to_bits(), point.y.to_bits()]
}

impl<'s> Projection<'s> {
    pub fn around(system: &'s System, center: Vector) -> Projection<'s> {
        let pole = if center[2].abs() > 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
        let east = unit(cross(&pole, &center)).expect("two different directions");
        let north = cross(&center, &east);
        Projection { system, center, east, north, known: HashMap::new() }
    }

    /// None: some point is not in the hemisphere.
    pub fn flat(&mut self, shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Option<Shape>> {
        let mut fits = true;
        let flat = shape.mapped(pacer, &mut |point| {
            let way = direction(self.system, &point);
            let depth = dot(&way, &self.center);
            fits &= depth > EDGE;
            let place = Position::at(dot(&way, &self.east) / depth, dot(&way, &self.north) / depth);
            self.known.insert(key(&place), Position::at(point.x, point.y));
            place
        })?;
        Ok(fits.then_some(flat))
    }

    /// Back again.
    pub fn globe(&self, shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
        shape.mapped(pacer, &mut |place| {
            if let Some(point) = self.known.get(&key(&place)) {
                return *point;
            }
            let way = |axis: usize| self.center[axis] + place.x * self.east[axis] + place.y * self.north[axis];
            surface(self.system, &[way(0), way(1), way(2)])
        })
    }
}

/// A shape, or all that is not in it.
#[derive(Debug, Clone)]
pub struct Part {
    pub shape: Shape,
    pub outside: bool,
}

/// The rings of a polygon in a plane, each with its inside to its left: which of them is the exterior one their directions say. None: no
/// polygon has such rings.
pub fn oriented(rings: &[Curve]) -> Option<Part> {
    let (mut left, right): (Vec<&Curve>, Vec<&Curve>) = rings.iter().partition(|ring| signed_area(ring) > 0.0);
    match left.len() {
        0 => {
            let polygon = |ring: &&Curve| Shape::Surface { curved: false, rings: vec![ring.reversed()] };
            let mut parts: Vec<Shape> = right.iter().map(polygon).collect();
            let shape = if parts.len() == 1 { parts.remove(0) } else { Shape::Multi(Kind::MultiPolygon, parts) };
            Some(Part { shape, outside: true })
        }
        1 => {
            let rings = std::iter::once(left.remove(0)).chain(right).cloned().collect();
            Some(Part { shape: Shape::Surface { curved: false, rings }, outside: false })
        }
        _ => None,
    }
}

/// A projected shape with its polygons oriented: of one that is larger than a hemisphere what it leaves out.
pub fn normalized(shape: &Shape) -> Option<Part> {
    match shape {
        Shape::FullGlobe => Some(Part { shape: Shape::empty(Kind::Collection), outside: true }),
        Shape::Surface { rings, .. } if !rings.is_empty() => oriented(rings),
        Shape::Multi(kind, parts) => {
            let parts = parts.iter().map(|part| normalized(part).filter(|part| !part.outside).map(|part| part.shape));
            Some(Part { shape: Shape::Multi(*kind, parts.collect::<Option<_>>()?), outside: false })
        }
        _ => Some(Part { shape: shape.clone(), outside: false }),
    }
}
