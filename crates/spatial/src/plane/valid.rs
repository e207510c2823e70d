//! Whether a shape is valid, and simple, in OGC's sense as SQL Server takes it: rings may touch themselves and one another at points, but
//! a polygon's interior is one piece.
//!
//! https://learn.microsoft.com/sql/t-sql/spatial-geometry/isvaliddetailed-geometry-datatype

use std::collections::HashMap;

use types::SqlResult;
use types::pause::Pacer;

use super::arrange::{Arrangement, Rule, arrange, doubled_area};
use super::overlay::cycles;
use crate::shape::{Curve, Kind, Shape};

/// What IsValidDetailed() says of a valid shape.
pub const VALID: &str = "24400: Valid";

/// Why a shape without arcs is not valid, as IsValidDetailed() says it.
pub fn flaw(shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Option<String>> {
    match shape {
        Shape::Point(_) | Shape::Multi(Kind::MultiPoint, _) | Shape::FullGlobe => Ok(None),
        Shape::Curve(_) | Shape::Multi(Kind::MultiLineString, _) => lines_flaw(shape, pacer),
        Shape::Surface { .. } | Shape::Multi(Kind::MultiPolygon, _) => areas_flaw(shape, pacer),
        Shape::Multi(_, parts) => {
            for part in parts {
                if let Some(flaw) = flaw(part, pacer)? {
                    return Ok(Some(flaw));
                }
            }
            Ok(None)
        }
    }
}

fn lines_flaw(shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Option<String>> {
    let mut number = 0;
    let mut degenerate = None;
    shape.each(&mut |part| {
        if let Shape::Curve(curve) = part {
            number += 1;
            if !curve.is_empty() && is_point(curve) {
                degenerate.get_or_insert(number);
            }
        }
    });
    if let Some(number) = degenerate {
        return Ok(Some(format!("24406: Not valid because curve ({number}) degenerates to a point.")));
    }
    let arranged = arrange(&[(shape, 0)], Rule::Rings, pacer)?;
    for edge in &arranged.edges {
        let curve = |at: usize| arranged.segment_of(&arranged.pieces_of(edge)[at]).curve + 1;
        if edge.pieces.len() > 1 {
            let (one, other) = (curve(0), curve(1));
            return Ok(Some(if one == other {
                format!("24413: Not valid because of two overlapping edges in curve ({one}).")
            } else {
                format!("24414: Not valid because an edge of curve ({one}) overlaps an edge of curve ({other}).")
            }));
        }
    }
    Ok(None)
}

fn is_point(curve: &Curve) -> bool {
    let first = curve.first().copied();
    curve.points().all(|point| first.is_some_and(|first| first.same(point)))
}

fn areas_flaw(shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Option<String>> {
    if shape.is_empty() {
        return Ok(None);
    }
    let arranged = arrange(&[(shape, 0)], Rule::Rings, pacer)?;
    if let Some(flaw) = ring_flaw(&arranged) {
        return Ok(Some(flaw));
    }
    let mut polygons = 0;
    shape.each(&mut |part| polygons += usize::from(!part.is_empty()));
    let inside = |cover: i32| cover > 0;
    let mut pieces = 0;
    for cycle in cycles(&arranged, |edge| (inside(edge.right[0]), inside(edge.left[0])), pacer)? {
        let mut row: Vec<_> = cycle.iter().map(|(node, _)| arranged.nodes[*node as usize]).collect();
        row.extend(row.first().copied());
        pieces += usize::from(doubled_area(&row) > 0);
    }
    if pieces == polygons {
        return Ok(None);
    }
    Ok(Some(match shape {
        Shape::Surface { rings, .. } => {
            format!(
                "24412: Not valid because the interior of a polygon with rings (1) and ({}) is not connected.",
                rings.len()
            )
        }
        _ => "24415: Not valid because some polygon has an invalid ring structure.".to_string(),
    }))
}

/// Rings that overlap, cross, or lie where no ring may.
fn ring_flaw(arranged: &Arrangement) -> Option<String> {
    let ring = |edge: &super::arrange::Edge, at: usize| arranged.segment_of(&arranged.pieces_of(edge)[at]).curve + 1;
    if let Some(edge) = arranged.edges.iter().find(|edge| edge.pieces.len() > 1) {
        return Some(if ring(edge, 0) == ring(edge, 1) && edge.right == edge.left {
            let position = arranged.position(edge.a);
            let mut place = String::new();
            crate::number::push(position.x, &mut place);
            place.push_str(", ");
            crate::number::push(position.y, &mut place);
            format!("24407: Not valid because polygon ring ({}) collapses to a line at point ({place}).", ring(edge, 0))
        } else {
            "24403: Not valid because some pair of polygon edges overlap.".to_string()
        });
    }
    let wrong = |cover: i32| !(0..=1).contains(&cover);
    let edge = arranged.edges.iter().find(|edge| wrong(edge.right[0]) || wrong(edge.left[0]))?;
    let number = ring(edge, 0);
    if crossing(arranged, number) {
        return Some(format!("24404: Not valid because polygon ring ({number}) intersects itself or some other ring."));
    }
    Some(if edge.right[0].min(edge.left[0]) < 0 {
        format!("24411: Not valid because ring ({number}) lies outside the exterior ring (1) of its polygon.")
    } else {
        format!("24409: Not valid because some portion of polygon ring ({number}) lies in the interior of a polygon.")
    })
}

/// Whether a ring passes a node where more than its own two edges meet.
fn crossing(arranged: &Arrangement, number: u32) -> bool {
    let mut degree: HashMap<u32, u32> = HashMap::new();
    for edge in &arranged.edges {
        for node in [edge.a, edge.b] {
            *degree.entry(node).or_default() += 1;
        }
    }
    let of_ring = |edge: &&super::arrange::Edge| {
        arranged.pieces_of(edge).iter().any(|piece| arranged.segment_of(piece).curve + 1 == number)
    };
    arranged.edges.iter().filter(of_ring).any(|edge| [edge.a, edge.b].iter().any(|node| degree[node] > 2))
}

/// Whether lines meet themselves and one another at ends only, and no point stands twice.
pub fn is_simple(shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<bool> {
    match shape {
        Shape::Point(_) | Shape::Surface { .. } | Shape::FullGlobe | Shape::Multi(Kind::MultiPolygon, _) => Ok(true),
        Shape::Multi(Kind::MultiPoint, parts) => {
            let mut places: Vec<[u64; 2]> = Vec::with_capacity(parts.len());
            shape.each_point(&mut |point| places.push([(point.x + 0.0).to_bits(), (point.y + 0.0).to_bits()]));
            pacer.spend(32 * places.len())?;
            places.sort_unstable();
            Ok(places.windows(2).all(|pair| pair[0] != pair[1]))
        }
        Shape::Curve(_) | Shape::Multi(Kind::MultiLineString, _) => are_lines_simple(shape, pacer),
        Shape::Multi(_, parts) => {
            for part in parts {
                if !is_simple(part, pacer)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}

fn are_lines_simple(shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<bool> {
    let arranged = arrange(&[(shape, 0)], Rule::Rings, pacer)?;
    if arranged.edges.iter().any(|edge| edge.pieces.len() > 1) {
        return Ok(false);
    }
    let mut ends: Vec<Vec<u32>> = vec![Vec::new(); arranged.nodes.len()];
    for edge in &arranged.edges {
        let curve = arranged.segment_of(&arranged.pieces_of(edge)[0]).curve;
        ends[edge.a as usize].push(curve);
        ends[edge.b as usize].push(curve);
    }
    // Where each line begins; a closed one ends there as well.
    let mut starts = HashMap::new();
    for segment in &arranged.segments {
        starts.entry(segment.curve).or_insert(segment.from);
    }
    for (node, mut curves) in ends.into_iter().enumerate() {
        pacer.spend(16 * curves.len())?;
        curves.sort_unstable();
        let goes_on = curves.len() == 2 && curves[0] == curves[1];
        let ends_here = |chunk: &[u32]| match chunk {
            [_] => true,
            [curve, _] => starts[curve] == arranged.nodes[node],
            _ => false,
        };
        if !goes_on && !curves.chunk_by(|one, other| one == other).all(ends_here) {
            return Ok(false);
        }
    }
    Ok(true)
}
