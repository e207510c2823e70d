//! Fewer points: the algorithm of Douglas and Peucker.

use types::SqlResult;
use types::pause::Pacer;

use crate::shape::{Curve, Kind, Position, Shape};

/// The shape within `tolerance` of itself, each curve by itself; a ring that would vanish becomes a line or a point.
pub fn reduce(shape: &Shape, tolerance: f64, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    Ok(match shape {
        Shape::Curve(curve) => line(reduced(curve, tolerance, pacer)?),
        Shape::Surface { rings, .. } => {
            let mut kept = Vec::new();
            for (at, ring) in rings.iter().enumerate() {
                let points = reduced(ring, tolerance, pacer)?;
                match (points.len() >= 4, at) {
                    (true, _) => kept.push(points),
                    (false, 0) => return Ok(line(points)),
                    (false, _) => {}
                }
            }
            Shape::polygon(kept)
        }
        Shape::Multi(Kind::MultiPoint, _) | Shape::Point(_) | Shape::FullGlobe => shape.clone(),
        Shape::Multi(kind, parts) => {
            let parts = parts.iter().map(|part| reduce(part, tolerance, pacer)).collect::<SqlResult<Vec<_>>>()?;
            let same = |part: &Shape| match kind {
                Kind::MultiLineString => part.kind() == Kind::LineString,
                Kind::MultiPolygon => part.kind() == Kind::Polygon,
                _ => true,
            };
            let kind = if parts.iter().all(same) { *kind } else { Kind::Collection };
            Shape::Multi(kind, parts)
        }
    })
}

fn line(mut points: Vec<Position>) -> Shape {
    points.dedup_by(|a, b| a.same(b));
    match points[..] {
        [only] => Shape::Point(Some(only)),
        _ => Shape::line(points),
    }
}

fn distance(point: &Position, a: &Position, b: &Position) -> f64 {
    let (x, y) = (b.x - a.x, b.y - a.y);
    let square = x * x + y * y;
    let part = if square > 0.0 { (((point.x - a.x) * x + (point.y - a.y) * y) / square).clamp(0.0, 1.0) } else { 0.0 };
    (a.x + part * x - point.x).hypot(a.y + part * y - point.y)
}

fn reduced(curve: &Curve, tolerance: f64, pacer: &mut Pacer<'_>) -> SqlResult<Vec<Position>> {
    let points: Vec<Position> = curve.points().copied().collect();
    if points.len() < 3 {
        return Ok(points);
    }
    let mut keep = vec![false; points.len()];
    let last = points.len() - 1;
    (keep[0], keep[last]) = (true, true);
    let mut open = vec![(0, last)];
    while let Some((from, to)) = open.pop() {
        pacer.spend(32 * (to - from))?;
        let farthest = (from + 1..to)
            .map(|at| (distance(&points[at], &points[from], &points[to]), at))
            .max_by(|one, other| one.0.total_cmp(&other.0));
        if let Some((far, at)) = farthest
            && far > tolerance
        {
            keep[at] = true;
            open.extend([(from, at), (at, to)]);
        }
    }
    Ok(points.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(point, _)| point).collect())
}
