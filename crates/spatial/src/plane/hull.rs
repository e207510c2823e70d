//! The convex hull.

use types::SqlResult;
use types::pause::Pacer;

use crate::shape::{Kind, Position, Shape};

/// Andrew's chain over the points in order of X. Of few or collinear points a point or a line.
pub fn hull(shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    let mut points: Vec<Position> = Vec::with_capacity(shape.count());
    shape.each_point(&mut |point| points.push(Position::at(point.x, point.y)));
    pacer.spend(64 * points.len())?;
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup_by(|a, b| a.same(b));
    if points.len() < 3 {
        return Ok(match points[..] {
            [] => Shape::empty(Kind::Collection),
            [only] => Shape::Point(Some(only)),
            _ => Shape::line(points),
        });
    }
    let turns_left =
        |a: &Position, b: &Position, c: &Position| (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0.0;
    let chain = |points: &mut dyn Iterator<Item = &Position>| {
        let mut row: Vec<Position> = Vec::new();
        for point in points {
            while let [.., a, b] = &row[..]
                && !turns_left(a, b, point)
            {
                row.pop();
            }
            row.push(*point);
        }
        row
    };
    let mut ring = chain(&mut points.iter());
    let back = chain(&mut points.iter().rev());
    ring.pop();
    ring.extend(back);
    if ring.len() < 4 {
        return Ok(Shape::line(vec![points[0], points[points.len() - 1]]));
    }
    ring.pop();
    let lowest =
        (0..ring.len()).min_by(|a, b| ring[*a].y.total_cmp(&ring[*b].y).then(ring[*a].x.total_cmp(&ring[*b].x)));
    ring.rotate_left(lowest.unwrap_or(0));
    ring.push(ring[0]);
    Ok(Shape::polygon(vec![ring]))
}
