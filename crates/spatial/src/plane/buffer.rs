//! What lies within a distance of a shape.

use std::f64::consts::{FRAC_PI_2, PI};

use types::SqlResult;
use types::pause::Pacer;

use super::arrange::Rule;
use super::measure::sides;
use super::overlay::{Operation, combine};
use crate::shape::{Kind, Position, Shape};

/// Corners of a quarter of a circle, at most.
const QUARTER_MAX: f64 = 256.0;

/// Polygons within `tolerance` of all points that are no farther than `distance` from the shape; a negative distance takes as much away
/// from polygons. The shape has no arcs.
pub fn buffer(shape: &Shape, distance: f64, tolerance: f64, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    if distance == 0.0 || shape.is_empty() {
        return Ok(shape.clone());
    }
    let radius = distance.abs();
    let step = step(radius, tolerance);
    let mut areas = Vec::new();
    if distance < 0.0 {
        shape.each(&mut |part| {
            if let Shape::Surface { .. } = part {
                areas.push(part);
            }
        });
        if areas.is_empty() {
            return Ok(Shape::empty(Kind::Collection));
        }
    }
    let mut rounds = Vec::new();
    for side in sides(shape) {
        pacer.spend(2048)?;
        rounds.push(round(&side, radius, step));
    }
    let rounds = rounds.iter().map(|round| (round, 1));
    if distance < 0.0 {
        let shapes: Vec<(&Shape, u8)> = areas.into_iter().map(|area| (area, 0)).chain(rounds).collect();
        return combine(&shapes, Rule::Rings, Operation::Difference, pacer);
    }
    let shapes: Vec<(&Shape, u8)> = std::iter::once((shape, 0)).chain(rounds).collect();
    combine(&shapes, Rule::Rings, Operation::Union, pacer)
}

/// The angle between two corners of a circle: a whole part of a quarter.
fn step(radius: f64, tolerance: f64) -> f64 {
    let part = (1.0 - tolerance / radius).clamp(-1.0, 1.0);
    let corners = (FRAC_PI_2 / (2.0 * part.acos())).ceil();
    FRAC_PI_2 / if corners.is_finite() { corners.clamp(2.0, QUARTER_MAX) } else { QUARTER_MAX }
}

/// All within the radius of a line.
fn round(side: &[Position; 2], radius: f64, step: f64) -> Shape {
    let [a, b] = side;
    let mut ring = Vec::new();
    if a.same(b) {
        arc(a, radius, 0.0, 2.0 * PI, step, &mut ring);
        ring.pop();
    } else {
        let angle = (b.y - a.y).atan2(b.x - a.x);
        arc(b, radius, angle - FRAC_PI_2, angle + FRAC_PI_2, step, &mut ring);
        arc(a, radius, angle + FRAC_PI_2, angle + 3.0 * FRAC_PI_2, step, &mut ring);
    }
    ring.push(ring[0]);
    Shape::polygon(vec![ring])
}

/// Both ends, and between them the corners of the circle, which all arcs around a point share.
fn arc(center: &Position, radius: f64, from: f64, to: f64, step: f64, out: &mut Vec<Position>) {
    let mut push =
        |angle: f64| out.push(Position::at(center.x + radius * angle.cos(), center.y + radius * angle.sin()));
    push(from);
    let mut corner = (from / step).floor() as i64 + 1;
    while (corner as f64) * step < to - step / 1024.0 {
        if (corner as f64) * step > from + step / 1024.0 {
            push(corner as f64 * step);
        }
        corner += 1;
    }
    push(to);
}
