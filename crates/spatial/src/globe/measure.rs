//! Lengths, areas and distances on an ellipsoid, along geodesics.

use geographiclib_rs::{DirectGeodesic, InverseGeodesic};
use types::SqlResult;
use types::pause::Pacer;

use super::project::{Vector, cross, direction, dot, surface, unit};
use super::system::System;
use crate::plane::measure::sides;
use crate::shape::{Curve, Position, Shape};

/// Work of one geodesic, in the pacer's bytes.
const GEODESIC: usize = 4 << 10;

/// How much longer than the shortest a distance may be on the sphere for it to be asked of the ellipsoid.
const SLACK: f64 = 1.02;

/// Steps of the search for the nearest point of an arc.
const STEPS: usize = 48;

pub fn distance(system: &System, a: &Position, b: &Position) -> f64 {
    if a.same(b) {
        return 0.0;
    }
    system.geodesic().inverse(a.y, a.x, b.y, b.x)
}

/// The point at a distance in a direction, in degrees east of north.
pub fn away(system: &System, from: &Position, azimuth: f64, distance: f64) -> Position {
    let (latitude, longitude): (f64, f64) = system.geodesic().direct(from.y, from.x, azimuth, distance);
    Position::at(longitude, latitude)
}

/// In degrees east of north.
pub fn azimuth(system: &System, from: &Position, to: &Position) -> f64 {
    let (_, azimuth, _): (f64, f64, f64) = {
        let (azimuth, back, arc): (f64, f64, f64) = system.geodesic().inverse(from.y, from.x, to.y, to.x);
        (arc, azimuth, back)
    };
    azimuth
}

/// Of lines and of the boundaries of polygons.
pub fn length(system: &System, shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<f64> {
    let mut total = 0.0;
    for [a, b] in sides(shape) {
        pacer.spend(GEODESIC)?;
        total += distance(system, &a, &b);
    }
    Ok(total)
}

/// What is to the left of a ring, between nothing and the whole surface.
fn ring_area(system: &System, ring: &Curve, pacer: &mut Pacer<'_>) -> SqlResult<f64> {
    let points: Vec<&Position> = ring.points().collect();
    let (mut sum, mut crossings) = (0.0, 0);
    for pair in points.windows(2) {
        pacer.spend(GEODESIC)?;
        let (a, b) = (pair[0], pair[1]);
        let (_, _, _, _, _, _, under, _): (f64, f64, f64, f64, f64, f64, f64, f64) =
            system.geodesic().inverse(a.y, a.x, b.y, b.x);
        sum += under;
        crossings += transit(a.x, b.x);
    }
    let whole = system.whole_area();
    if crossings % 2 != 0 {
        sum += if sum < 0.0 { whole / 2.0 } else { -whole / 2.0 };
    }
    // The area under the edges counts clockwise.
    Ok((-sum).rem_euclid(whole))
}

/// How the way from one longitude to another crosses the prime meridian: 1 eastwards, -1 westwards.
fn transit(from: f64, to: f64) -> i32 {
    let normal = |longitude: f64| {
        let longitude = longitude.rem_euclid(360.0);
        if longitude > 180.0 { longitude - 360.0 } else { longitude }
    };
    let (from, to) = (normal(from), normal(to));
    let way = normal(to - from);
    match () {
        _ if from <= 0.0 && to > 0.0 && way > 0.0 => 1,
        _ if to <= 0.0 && from > 0.0 && way < 0.0 => -1,
        _ => 0,
    }
}

/// Of polygons: what is to the left of all of their rings.
pub fn area(system: &System, shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<f64> {
    Ok(match shape {
        Shape::FullGlobe => system.whole_area(),
        Shape::Surface { rings, .. } => {
            let whole = system.whole_area();
            let mut left_out = 0.0;
            for ring in rings {
                left_out += whole - ring_area(system, ring, pacer)?;
            }
            if rings.is_empty() { 0.0 } else { whole - left_out }
        }
        Shape::Multi(_, parts) => {
            let mut total = 0.0;
            for part in parts {
                total += area(system, part, pacer)?;
            }
            total
        }
        Shape::Point(_) | Shape::Curve(_) => 0.0,
    })
}

/// A side with the directions of its ends.
struct Side {
    ends: [Position; 2],
    ways: [Vector; 2],
}

fn directed(system: &System, shape: &Shape) -> Vec<Side> {
    let side = |ends: [Position; 2]| Side { ends, ways: [direction(system, &ends[0]), direction(system, &ends[1])] };
    sides(shape).into_iter().map(side).collect()
}

fn angle(a: &Vector, b: &Vector) -> f64 {
    let turned = cross(a, b);
    dot(&turned, &turned).sqrt().atan2(dot(a, b))
}

/// The nearest direction to `way` on the arc of a side.
fn nearest_on(side: &Side, way: &Vector) -> Vector {
    let [a, b] = &side.ways;
    let ends = || if dot(a, way) >= dot(b, way) { *a } else { *b };
    let Some(pole) = unit(cross(a, b)) else { return ends() };
    let height = dot(way, &pole);
    let foot = [way[0] - height * pole[0], way[1] - height * pole[1], way[2] - height * pole[2]];
    match unit(foot) {
        Some(foot) if dot(&cross(a, &foot), &pole) >= 0.0 && dot(&cross(&foot, b), &pole) >= 0.0 => foot,
        _ => ends(),
    }
}

/// From a point to a side, on the ellipsoid: the sphere's answer, moved along the arc to where the distance is least.
fn to_side(system: &System, point: &Position, way: &Vector, side: &Side) -> (f64, Position) {
    let foot = nearest_on(side, way);
    let [a, b] = &side.ways;
    let mut best = (distance(system, point, &side.ends[0]), side.ends[0]);
    for (near, at) in [(&foot, None), (b, Some(side.ends[1]))] {
        let at = at.unwrap_or_else(|| surface(system, near));
        let far = distance(system, point, &at);
        if far < best.0 {
            best = (far, at);
        }
    }
    let whole = angle(a, b);
    let at = angle(a, &foot);
    if whole < 1e-9 {
        return best;
    }
    // On the flattened globe the foot is some parts in a thousand of its distance away.
    let reach = angle(way, &foot) * 0.01 + 1e-9;
    let (mut low, mut high) = ((at - reach).max(0.0), (at + reach).min(whole));
    let place = |turn: f64| {
        let (one, other) = ((whole - turn).sin() / whole.sin(), turn.sin() / whole.sin());
        surface(system, &[0, 1, 2].map(|axis| one * a[axis] + other * b[axis]))
    };
    if whole.sin().abs() < 1e-9 {
        return best;
    }
    for _ in 0..STEPS {
        let (one, other) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if distance(system, point, &place(one)) < distance(system, point, &place(other)) {
            high = other
        } else {
            low = one
        }
    }
    let found = place((low + high) / 2.0);
    let far = distance(system, point, &found);
    if far < best.0 { (far, found) } else { best }
}

/// The least distance between the lines and points of two shapes that have no point in common. None: one has none.
pub fn nearest(
    system: &System,
    one: &Shape,
    other: &Shape,
    pacer: &mut Pacer<'_>,
) -> SqlResult<Option<(f64, [Position; 2])>> {
    let (one, other) = (directed(system, one), directed(system, other));
    // First on the sphere.
    let mut pairs: Vec<(f64, u32, u32, u8)> = Vec::new();
    let mut least = f64::INFINITY;
    for (i, a) in one.iter().enumerate() {
        pacer.spend(256 * other.len() + 256)?;
        for (j, b) in other.iter().enumerate() {
            let candidates = [(&a.ways[0], b), (&a.ways[1], b), (&b.ways[0], a), (&b.ways[1], a)]
                .map(|(way, side)| angle(way, &nearest_on(side, way)));
            for (from, turn) in candidates.into_iter().enumerate() {
                if turn <= least * SLACK {
                    least = least.min(turn);
                    pairs.push((turn, i as u32, j as u32, from as u8));
                }
            }
        }
        pairs.retain(|(turn, ..)| *turn <= least * SLACK);
    }
    let mut best: Option<(f64, [Position; 2])> = None;
    for (_, i, j, from) in pairs {
        pacer.spend(2 * STEPS * GEODESIC)?;
        let (a, b) = (&one[i as usize], &other[j as usize]);
        let end = usize::from(from % 2);
        let (far, ends) = if from < 2 {
            let (far, near) = to_side(system, &a.ends[end], &a.ways[end], b);
            (far, [a.ends[end], near])
        } else {
            let (far, near) = to_side(system, &b.ends[end], &b.ways[end], a);
            (far, [near, b.ends[end]])
        };
        if best.is_none_or(|(least, _)| far < least) {
            best = Some((far, ends));
        }
    }
    Ok(best)
}
