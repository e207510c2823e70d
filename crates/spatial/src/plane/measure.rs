//! Sizes, distances and places of shapes on a plane.

use types::SqlResult;
use types::pause::Pacer;

use super::arrange::{Rule, arrange};
use crate::arc::{Arc, arcs};
use crate::shape::{Curve, Kind, Piece, Position, Shape};

/// A rectangle along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    pub low: [f64; 2],
    pub high: [f64; 2],
}

impl Extent {
    /// None: the shape is empty.
    pub fn of(shape: &Shape) -> Option<Extent> {
        let mut extent: Option<Extent> = None;
        shape.each_point(&mut |point| {
            let here = [point.x, point.y];
            let grown = extent.get_or_insert(Extent { low: here, high: here });
            for (axis, here) in here.into_iter().enumerate() {
                grown.low[axis] = grown.low[axis].min(here);
                grown.high[axis] = grown.high[axis].max(here);
            }
        });
        extent
    }

    pub fn meets(&self, other: &Extent) -> bool {
        (0..2).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
    }

    fn distance(&self, other: &Extent) -> f64 {
        let gap = |axis: usize| (self.low[axis] - other.high[axis]).max(other.low[axis] - self.high[axis]).max(0.0);
        gap(0).hypot(gap(1))
    }

    /// The rectangle as a shape; of a point or a line along an axis that itself.
    pub fn shape(&self) -> Shape {
        let ([left, bottom], [right, top]) = (self.low, self.high);
        let at = Position::at;
        match (left < right, bottom < top) {
            (false, false) => Shape::Point(Some(at(left, bottom))),
            (true, true) => Shape::polygon(vec![vec![
                at(left, bottom),
                at(right, bottom),
                at(right, top),
                at(left, top),
                at(left, bottom),
            ]]),
            _ => Shape::line(vec![at(left, bottom), at(right, top)]),
        }
    }
}

/// What a ring goes around, positive counterclockwise.
pub fn signed_area(ring: &Curve) -> f64 {
    let Some(base) = ring.first().copied() else { return 0.0 };
    let part = |a: &Position, b: &Position| ((a.x - base.x) * (b.y - base.y) - (b.x - base.x) * (a.y - base.y)) / 2.0;
    let of_piece = |piece: &Piece| -> f64 {
        if !piece.arc {
            return piece.points.windows(2).map(|pair| part(&pair[0], &pair[1])).sum();
        }
        let of_arc = |([a, middle, b], arc): ([Position; 3], Option<Arc>)| match arc {
            Some(arc) => part(&a, &b) + arc.segment_area(),
            None => part(&a, &middle) + part(&middle, &b),
        };
        arcs(piece).map(of_arc).sum()
    };
    ring.pieces.iter().map(of_piece).sum()
}

fn curve_length(curve: &Curve) -> f64 {
    let way = |a: &Position, b: &Position| (b.x - a.x).hypot(b.y - a.y);
    let of_piece = |piece: &Piece| -> f64 {
        if !piece.arc {
            return piece.points.windows(2).map(|pair| way(&pair[0], &pair[1])).sum();
        }
        let of_arc = |([a, middle, b], arc): ([Position; 3], Option<Arc>)| match arc {
            Some(arc) => arc.length(),
            None => way(&a, &middle) + way(&middle, &b),
        };
        arcs(piece).map(of_arc).sum()
    };
    curve.pieces.iter().map(of_piece).sum()
}

/// Of polygons; other shapes have none.
pub fn area(shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<f64> {
    pacer.spend(32 * shape.count())?;
    let mut total = 0.0;
    shape.each(&mut |part| {
        if let Shape::Surface { rings, .. } = part {
            for (at, ring) in rings.iter().enumerate() {
                let area = signed_area(ring).abs();
                total += if at == 0 { area } else { -area };
            }
        }
    });
    Ok(total)
}

/// Of lines and of the boundaries of polygons.
pub fn length(shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<f64> {
    pacer.spend(32 * shape.count())?;
    let mut total = 0.0;
    shape.each(&mut |part| match part {
        Shape::Curve(curve) => total += curve_length(curve),
        Shape::Surface { rings, .. } => total += rings.iter().map(curve_length).sum::<f64>(),
        _ => {}
    });
    Ok(total)
}

/// The centre of mass of polygons. None: there are none.
pub fn centroid(shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Option<Position>> {
    pacer.spend(64 * shape.count())?;
    let mut base: Option<Position> = None;
    shape.each_point(&mut |point| {
        base.get_or_insert(*point);
    });
    let Some(base) = base else { return Ok(None) };
    let (mut weight, mut x, mut y) = (0.0, 0.0, 0.0);
    shape.each(&mut |part| {
        let Shape::Surface { rings, .. } = part else { return };
        for (at, ring) in rings.iter().enumerate() {
            let inward = (signed_area(ring) > 0.0) == (at == 0);
            let sign = if inward { 1.0 } else { -1.0 };
            let points: Vec<&Position> = ring.points().collect();
            for pair in points.windows(2) {
                let (ax, ay) = (pair[0].x - base.x, pair[0].y - base.y);
                let (bx, by) = (pair[1].x - base.x, pair[1].y - base.y);
                let doubled = sign * (ax * by - bx * ay);
                weight += doubled;
                x += doubled * (ax + bx) / 3.0;
                y += doubled * (ay + by) / 3.0;
            }
        }
    });
    let found = weight != 0.0;
    Ok(found.then(|| Position::at(base.x + x / weight, base.y + y / weight)))
}

/// A point of the shape, in the interior of its largest part. None: it is empty.
pub fn point_on_surface(shape: &Shape) -> Option<Position> {
    let dimension = shape.dimension();
    let mut found = None;
    shape.each(&mut |part| {
        if found.is_some() || part.dimension() != dimension {
            return;
        }
        found = match part {
            Shape::Point(point) => point.map(|point| Position::at(point.x, point.y)),
            Shape::Curve(curve) => {
                let points: Vec<&Position> = curve.points().collect();
                let middle = points[points.len() / 2];
                Some(Position::at(middle.x, middle.y))
            }
            Shape::Surface { rings, .. } => inner_point(rings),
            _ => None,
        };
    });
    found
}

/// The middle of the widest part of a polygon on a line along X between two of its heights.
fn inner_point(rings: &[Curve]) -> Option<Position> {
    let mut heights: Vec<f64> = rings.iter().flat_map(Curve::points).map(|point| point.y).collect();
    heights.sort_by(f64::total_cmp);
    heights.dedup();
    let middle = heights.len() / 2;
    let (low, high) = (*heights.get(middle.checked_sub(1)?)?, *heights.get(middle)?);
    let y = low + (high - low) / 2.0;
    let mut crossings = Vec::new();
    for ring in rings {
        let points: Vec<&Position> = ring.points().collect();
        for pair in points.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            if (a.y > y) != (b.y > y) {
                crossings.push(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
            }
        }
    }
    crossings.sort_by(f64::total_cmp);
    let widest = crossings.chunks_exact(2).max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])))?;
    Some(Position::at(widest[0] + (widest[1] - widest[0]) / 2.0, y))
}

/// Lines and points of a shape, each with its extent.
pub fn sides(shape: &Shape) -> Vec<[Position; 2]> {
    let mut sides = Vec::new();
    let mut add = |curve: &Curve| {
        let points: Vec<&Position> = curve.points().collect();
        match points[..] {
            [only] => sides.push([*only, *only]),
            _ => sides.extend(points.windows(2).map(|pair| [*pair[0], *pair[1]])),
        }
    };
    let mut points = Vec::new();
    shape.each(&mut |part| match part {
        Shape::Point(point) => points.extend(point.map(|point| [point, point])),
        Shape::Curve(curve) => add(curve),
        Shape::Surface { rings, .. } => rings.iter().for_each(&mut add),
        _ => {}
    });
    sides.extend(points);
    sides
}

fn extent_of(side: &[Position; 2]) -> Extent {
    let [a, b] = side;
    Extent { low: [a.x.min(b.x), a.y.min(b.y)], high: [a.x.max(b.x), a.y.max(b.y)] }
}

/// From a point to the nearest one of a side.
fn to_side(point: &Position, side: &[Position; 2]) -> (f64, Position) {
    let [a, b] = side;
    let (x, y) = (b.x - a.x, b.y - a.y);
    let square = x * x + y * y;
    let part = if square > 0.0 { (((point.x - a.x) * x + (point.y - a.y) * y) / square).clamp(0.0, 1.0) } else { 0.0 };
    let near = if part == 1.0 { *b } else { Position::at(a.x + part * x, a.y + part * y) };
    ((near.x - point.x).hypot(near.y - point.y), Position::at(near.x, near.y))
}

/// The least distance of two shapes, and where it is. None: one is empty.
pub fn nearest(one: &Shape, other: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Option<(f64, [Position; 2])>> {
    let (Some(_), Some(_)) = (Extent::of(one), Extent::of(other)) else { return Ok(None) };
    if let Some(shared) = shared_point(one, other, pacer)? {
        return Ok(Some((0.0, [shared, shared])));
    }
    let mut best: Option<(f64, [Position; 2])> = None;
    let others: Vec<([Position; 2], Extent)> = sides(other).into_iter().map(|side| (side, extent_of(&side))).collect();
    for side in sides(one) {
        let extent = extent_of(&side);
        pacer.spend(16 * others.len() + 16)?;
        for (far, far_extent) in &others {
            if best.is_some_and(|(least, _)| extent.distance(far_extent) >= least) {
                continue;
            }
            for from in 0..2 {
                let (distance, near) = to_side(&side[from], far);
                if best.is_none_or(|(least, _)| distance < least) {
                    best = Some((distance, [side[from], near]));
                }
                let (distance, near) = to_side(&far[from], &side);
                if best.is_none_or(|(least, _)| distance < least) {
                    best = Some((distance, [near, far[from]]));
                }
            }
        }
    }
    Ok(best)
}

/// A point that both shapes have.
fn shared_point(one: &Shape, other: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Option<Position>> {
    let (Some(a), Some(b)) = (Extent::of(one), Extent::of(other)) else { return Ok(None) };
    if !a.meets(&b) {
        return Ok(None);
    }
    let arranged = arrange(&[(one, 0), (other, 1)], Rule::Rings, pacer)?;
    use super::arrange::Place;
    let nodes = 0..arranged.nodes.len() as u32;
    let shared = |node: &u32| (0..2).all(|source| arranged.node_place(*node, source) != Place::Exterior);
    Ok(nodes.into_iter().find(shared).map(|node| arranged.position(node)))
}

/// The shape's boundary: the ends of its lines, the rings of its polygons.
pub fn boundary(shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    match shape {
        Shape::Surface { rings, .. } if rings.len() == 1 => return Ok(Shape::Curve(rings[0].clone())),
        Shape::Surface { rings, .. } => {
            let rings = rings.iter().map(|ring| Shape::Curve(ring.clone())).collect();
            return Ok(Shape::Multi(Kind::MultiLineString, rings));
        }
        _ => {}
    }
    if shape.dimension() < 1 {
        return Ok(Shape::empty(Kind::Collection));
    }
    let arranged = arrange(&[(shape, 0)], Rule::Rings, pacer)?;
    let mut rings = Vec::new();
    shape.each(&mut |part| {
        if let Shape::Surface { rings: own, .. } = part {
            rings.extend(own.iter().map(|ring| Shape::Curve(ring.clone())));
        }
    });
    if !rings.is_empty() {
        return Ok(Shape::Multi(Kind::MultiLineString, rings));
    }
    let ends = (0..arranged.nodes.len() as u32)
        .filter(|node| arranged.node_place(*node, 0) == super::arrange::Place::Boundary);
    let mut points: Vec<Shape> = ends.map(|node| Shape::Point(Some(arranged.position(node)))).collect();
    Ok(match points.len() {
        0 => Shape::empty(Kind::Collection),
        1 => points.remove(0),
        _ => Shape::Multi(Kind::MultiPoint, points),
    })
}
