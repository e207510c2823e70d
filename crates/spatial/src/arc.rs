//! Circular arcs through three points, and shapes with arcs as shapes with lines.

use std::f64::consts::{PI, TAU};

use types::SqlResult;
use types::pause::Pacer;

use crate::shape::{Curve, Kind, Piece, Position, Shape};

/// Lines that stand for one arc, at most.
const LINES_MAX: f64 = 4096.0;

/// Parts of an arc's radius that its lines may be away from it, unless a caller asks for less.
const TOLERANCE: f64 = 0.0005;

/// An arc on its circle: `sweep` is the angle from its start, positive counterclockwise.
#[derive(Debug, Clone, Copy)]
pub struct Arc {
    pub center: [f64; 2],
    pub radius: f64,
    pub start: f64,
    pub sweep: f64,
}

impl Arc {
    /// None: the three points lie on a line. An arc that ends where it starts is a circle around the middle of its start and `middle`.
    pub fn through(from: &Position, middle: &Position, to: &Position) -> Option<Arc> {
        if from.same(to) {
            let center = [(from.x + middle.x) / 2.0, (from.y + middle.y) / 2.0];
            let radius = (from.x - center[0]).hypot(from.y - center[1]);
            return (radius > 0.0).then(|| Arc {
                center,
                radius,
                start: (from.y - center[1]).atan2(from.x - center[0]),
                sweep: TAU,
            });
        }
        let (bx, by) = (middle.x - from.x, middle.y - from.y);
        let (cx, cy) = (to.x - from.x, to.y - from.y);
        let doubled = 2.0 * (bx * cy - by * cx);
        if doubled == 0.0 {
            return None;
        }
        let (b, c) = (bx * bx + by * by, cx * cx + cy * cy);
        let (x, y) = ((cy * b - by * c) / doubled, (bx * c - cx * b) / doubled);
        let angle = |point: &Position| (point.y - from.y - y).atan2(point.x - from.x - x);
        let (start, end) = (angle(from), angle(to));
        let mut sweep = (end - start).rem_euclid(TAU);
        if doubled < 0.0 {
            sweep -= TAU;
        }
        Some(Arc { center: [from.x + x, from.y + y], radius: x.hypot(y), start, sweep })
    }

    pub fn length(&self) -> f64 {
        self.radius * self.sweep.abs()
    }

    /// Between the arc and the line from its start to its end, positive where the arc goes counterclockwise.
    pub fn segment_area(&self) -> f64 {
        let angle = self.sweep.abs();
        (self.radius * self.radius / 2.0 * (angle - angle.sin())).copysign(self.sweep)
    }

    fn point(&self, part: f64) -> Position {
        let angle = self.start + part * self.sweep;
        Position::at(self.center[0] + self.radius * angle.cos(), self.center[1] + self.radius * angle.sin())
    }
}

/// The arcs of a piece; None for each that is a line.
pub fn arcs(piece: &Piece) -> impl Iterator<Item = ([Position; 3], Option<Arc>)> {
    let count = piece.points.len().saturating_sub(1) / 2;
    (0..count).map(|at| {
        let points = [piece.points[2 * at], piece.points[2 * at + 1], piece.points[2 * at + 2]];
        (points, Arc::through(&points[0], &points[1], &points[2]))
    })
}

/// The shape with lines for its arcs. `tolerance`: how far these may be apart, None for a part of the radius; `relative`: of the extent
/// of the shape.
pub fn straightened(shape: &Shape, tolerance: Option<f64>, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    Ok(match shape {
        Shape::Curve(curve) => Shape::Curve(straight_curve(curve, tolerance, pacer)?),
        Shape::Surface { rings, .. } => {
            let rings = rings.iter().map(|ring| straight_curve(ring, tolerance, pacer)).collect::<SqlResult<_>>()?;
            Shape::Surface { curved: false, rings }
        }
        Shape::Multi(kind, parts) => Shape::Multi(
            *kind,
            parts.iter().map(|part| straightened(part, tolerance, pacer)).collect::<SqlResult<_>>()?,
        ),
        Shape::Point(_) | Shape::FullGlobe => shape.clone(),
    })
}

fn straight_curve(curve: &Curve, tolerance: Option<f64>, pacer: &mut Pacer<'_>) -> SqlResult<Curve> {
    if curve.kind == Kind::LineString {
        return Ok(curve.clone());
    }
    let mut points: Vec<Position> = curve.first().copied().into_iter().collect();
    for piece in &curve.pieces {
        if !piece.arc {
            points.extend(&piece.points[1..]);
            continue;
        }
        for (given, arc) in arcs(piece) {
            if let Some(arc) = arc {
                let allowed = tolerance.map_or(TOLERANCE, |tolerance| tolerance / arc.radius).clamp(1e-12, 1.0);
                let step = 2.0 * (1.0 - allowed).acos();
                let lines = (arc.sweep.abs() / step.min(PI / 4.0)).ceil().clamp(2.0, LINES_MAX);
                pacer.spend(64 * lines as usize)?;
                points.extend((1..lines as usize).map(|at| arc.point(at as f64 / lines)));
            } else {
                points.push(given[1]);
            }
            points.push(given[2]);
        }
    }
    Ok(Curve::line(points))
}
