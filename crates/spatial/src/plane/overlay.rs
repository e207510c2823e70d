//! New shapes of two: union, intersection, difference and symmetric difference, read from their arrangement.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use types::SqlResult;
use types::pause::Pacer;

use super::arrange::{Arrangement, Edge, Node, Piece, Place, Rule, arrange, cross, doubled_area};
use crate::shape::{Kind, Position, Shape};

/// Work of one step along a ring, in the pacer's bytes.
const STEP: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Union,
    Intersection,
    Difference,
    SymmetricDifference,
}

impl Operation {
    fn takes(self, one: bool, other: bool) -> bool {
        match self {
            Operation::Union => one || other,
            Operation::Intersection => one && other,
            Operation::Difference => one && !other,
            Operation::SymmetricDifference => one != other,
        }
    }
}

/// What `operation` makes of two shapes without arcs.
pub fn overlay(one: &Shape, other: &Shape, operation: Operation, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    combine(&[(one, 0), (other, 1)], Rule::Rings, operation, pacer)
}

/// All that any of the shapes covers.
pub fn union_all(shapes: &[&Shape], pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    let shapes: Vec<(&Shape, u8)> = shapes.iter().map(|shape| (*shape, 0)).collect();
    combine(&shapes, Rule::Rings, Operation::Union, pacer)
}

/// The valid shape of what crosses itself: inside is what an odd number of rings goes around.
pub fn make_valid(shape: &Shape, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    if let Shape::Multi(Kind::Collection, parts) = shape {
        let parts = parts.iter().map(|part| make_valid(part, pacer)).collect::<SqlResult<Vec<_>>>()?;
        return union_all(&parts.iter().collect::<Vec<_>>(), pacer);
    }
    combine(&[(shape, 0)], Rule::Parity, Operation::Union, pacer)
}

/// Shapes of source 0 and of source 1.
pub fn combine(shapes: &[(&Shape, u8)], rule: Rule, operation: Operation, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    let arranged = arrange(shapes, rule, pacer)?;
    let overlay = Overlay { arranged: &arranged, operation };
    let areas = overlay.areas(pacer)?;
    let lines = overlay.lines(pacer)?;
    let points = overlay.points();
    Ok(assemble(areas, lines, points))
}

fn assemble(areas: Vec<Shape>, lines: Vec<Shape>, points: Vec<Shape>) -> Shape {
    let one_kind = |mut parts: Vec<Shape>, kind: Kind| match parts.len() {
        1 => parts.pop().expect("there is one"),
        _ => Shape::Multi(kind, parts),
    };
    match (areas.is_empty(), lines.is_empty(), points.is_empty()) {
        (false, true, true) => one_kind(areas, Kind::MultiPolygon),
        (true, false, true) => one_kind(lines, Kind::MultiLineString),
        (true, true, false) => one_kind(points, Kind::MultiPoint),
        _ => Shape::Multi(Kind::Collection, areas.into_iter().chain(lines).chain(points).collect()),
    }
}

/// A ring of the result by its nodes, the first one again at its end.
struct Ring {
    nodes: Vec<u32>,
    /// A line of it between neighbouring nodes of the arrangement.
    line: (u32, u32),
    doubled_area: i128,
}

/// A directed edge with the area to its left.
struct Side {
    from: u32,
    to: u32,
    edge: u32,
}

struct Overlay<'a> {
    arranged: &'a Arrangement,
    operation: Operation,
}

/// Turns clockwise from `back`: which of two ways is met first. `back` itself is met last.
fn clockwise(center: Node, back: Node, way: Node) -> (u8, Node) {
    let turn = cross(center, back, way);
    let ahead = i128::from(back.x - center.x) * i128::from(way.x - center.x)
        + i128::from(back.y - center.y) * i128::from(way.y - center.y);
    let half = match turn.signum() {
        -1 => 0,
        0 if ahead < 0 => 1,
        1 => 2,
        _ => 3,
    };
    (half, way)
}

/// The boundaries of areas, where `inside` tells on which side of an edge (right, left) they are. Each is the boundary of one connected
/// area, which may touch itself.
pub fn cycles(
    arranged: &Arrangement,
    inside: impl Fn(&Edge) -> (bool, bool),
    pacer: &mut Pacer<'_>,
) -> SqlResult<Vec<Vec<(u32, u32)>>> {
    let mut sides: Vec<Side> = Vec::new();
    for (at, edge) in arranged.edges.iter().enumerate() {
        match inside(edge) {
            (true, false) => sides.push(Side { from: edge.b, to: edge.a, edge: at as u32 }),
            (false, true) => sides.push(Side { from: edge.a, to: edge.b, edge: at as u32 }),
            _ => {}
        }
    }
    pacer.spend(sides.len() * STEP)?;
    sides.sort_unstable_by_key(|side| (side.from, side.to));
    let place = |node: u32| arranged.nodes[node as usize];
    let mut done = vec![false; sides.len()];
    let mut cycles = Vec::new();
    for start in 0..sides.len() {
        if done[start] {
            continue;
        }
        let mut cycle = Vec::new();
        let mut at = start;
        loop {
            done[at] = true;
            let Side { from, to, edge } = sides[at];
            cycle.push((from, edge));
            let first = sides.partition_point(|side| side.from < to);
            let ways = &sides[first..first + sides[first..].partition_point(|side| side.from == to)];
            pacer.spend(STEP * (ways.len() + 1))?;
            let center = place(to);
            let key = |side: &Side| clockwise(center, place(from), place(side.to));
            let next = (0..ways.len()).reduce(|best, other| {
                let ((half_best, one), (half_other, way)) = (key(&ways[best]), key(&ways[other]));
                let earlier = half_other < half_best || half_other == half_best && cross(center, one, way) < 0;
                if earlier { other } else { best }
            });
            match next {
                Some(next) if !done[first + next] => at = first + next,
                _ => break,
            }
        }
        cycles.push(cycle);
    }
    Ok(cycles)
}

impl Overlay<'_> {
    fn inside(&self, edge: &Edge) -> (bool, bool) {
        let takes = |cover: &[i32; 2]| self.operation.takes(cover[0] > 0, cover[1] > 0);
        (takes(&edge.right), takes(&edge.left))
    }

    fn areas(&self, pacer: &mut Pacer<'_>) -> SqlResult<Vec<Shape>> {
        let mut rings = Vec::new();
        for cycle in cycles(self.arranged, |edge| self.inside(edge), pacer)? {
            for ring in split(cycle) {
                if ring.len() < 3 {
                    continue;
                }
                let nodes = self.simplified(&ring);
                let row: Vec<Node> = nodes.iter().map(|node| self.arranged.nodes[*node as usize]).collect();
                let doubled_area = doubled_area(&row);
                if doubled_area != 0 {
                    let line = (ring[0].0, ring[1].0);
                    rings.push(Ring { nodes, line, doubled_area });
                }
            }
        }
        let (mut shells, holes): (Vec<Ring>, Vec<Ring>) = rings.into_iter().partition(|ring| ring.doubled_area > 0);
        shells.sort_by_key(|ring| Reverse(lowest(self.arranged, &ring.nodes)));
        let mut of_shell: Vec<Vec<Ring>> = shells.iter().map(|_| Vec::new()).collect();
        for hole in holes {
            let mut best: Option<usize> = None;
            for (at, shell) in shells.iter().enumerate() {
                pacer.spend(STEP)?;
                let smaller = best.is_none_or(|best| shell.doubled_area < shells[best].doubled_area);
                if smaller && -hole.doubled_area < shell.doubled_area && self.contains(shell, &hole, pacer)? {
                    best = Some(at);
                }
            }
            // Rounding may have made its shell vanish.
            if let Some(at) = best {
                of_shell[at].push(hole);
            }
        }
        let position = |node: &u32| self.arranged.position(*node);
        let row = |ring: &Ring| ring.nodes.iter().map(position).collect::<Vec<Position>>();
        let polygon = |(shell, mut holes): (&Ring, Vec<Ring>)| {
            holes.sort_by_key(|ring| lowest(self.arranged, &ring.nodes));
            Shape::polygon(std::iter::once(shell).chain(&holes).map(row).collect())
        };
        Ok(shells.iter().zip(of_shell).map(polygon).collect())
    }

    /// A ring without the nodes that a straight line of the input goes through, from its lowest node on.
    fn simplified(&self, ring: &[(u32, u32)]) -> Vec<u32> {
        let pieces = |at: usize| self.arranged.pieces_of(&self.arranged.edges[ring[at].1 as usize]);
        let before = |at: usize| if at == 0 { ring.len() - 1 } else { at - 1 };
        let mut nodes: Vec<u32> = Vec::with_capacity(ring.len());
        // From a corner on, as long as one line goes on.
        if let Some(corner) = (0..ring.len()).find(|at| common(&segments(pieces(before(*at))), pieces(*at)).is_empty())
        {
            let mut line = Vec::new();
            for at in (corner..ring.len()).chain(0..corner) {
                let on = common(&line, pieces(at));
                if on.is_empty() {
                    nodes.push(ring[at].0);
                    line = segments(pieces(at));
                } else {
                    line = on;
                }
            }
        }
        if nodes.len() < 3 {
            nodes = ring.iter().map(|(node, _)| *node).collect();
        }
        let key = |node: &u32| {
            let Node { x, y } = self.arranged.nodes[*node as usize];
            (y, x)
        };
        let start = (0..nodes.len()).min_by_key(|at| key(&nodes[*at])).unwrap_or(0);
        nodes.rotate_left(start);
        nodes.push(nodes[0]);
        nodes
    }

    /// Whether a hole lies in a shell: the middle of one of its lines does, which cannot be on the shell.
    fn contains(&self, shell: &Ring, hole: &Ring, pacer: &mut Pacer<'_>) -> SqlResult<bool> {
        let doubled = |node: u32| {
            let Node { x, y } = self.arranged.nodes[node as usize];
            Node { x: 2 * x, y: 2 * y }
        };
        pacer.spend(shell.nodes.len() * 8)?;
        let (one, other) = (doubled(hole.line.0), doubled(hole.line.1));
        let middle = Node { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
        let mut inside = false;
        for pair in shell.nodes.windows(2) {
            let (a, b) = (doubled(pair[0]), doubled(pair[1]));
            if (a.y > middle.y) != (b.y > middle.y) && (cross(a, b, middle) > 0) == (b.y > a.y) {
                inside = !inside;
            }
        }
        Ok(inside)
    }

    /// Whether the areas of the result have the edge.
    fn is_covered(&self, edge: &Edge) -> bool {
        let (right, left) = self.inside(edge);
        right || left
    }

    fn is_result_line(&self, edge: &Edge) -> bool {
        let within = |source: usize| self.arranged.edge_place(edge, source) != Place::Exterior;
        self.operation.takes(within(0), within(1)) && !self.is_covered(edge)
    }

    fn lines(&self, pacer: &mut Pacer<'_>) -> SqlResult<Vec<Shape>> {
        let mut at_node: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut edges = Vec::new();
        for (at, edge) in self.arranged.edges.iter().enumerate() {
            if self.is_result_line(edge) {
                edges.push(at as u32);
                at_node.entry(edge.a).or_default().push(at as u32);
                at_node.entry(edge.b).or_default().push(at as u32);
            }
        }
        pacer.spend(edges.len() * STEP)?;
        let mut used: HashSet<u32> = HashSet::new();
        let mut lines = Vec::new();
        // Lines from an end or a fork first; what is left then goes around.
        for around in [false, true] {
            for edge in &edges {
                let Edge { a, b, .. } = self.arranged.edges[*edge as usize];
                let start = [a, b].into_iter().find(|node| around || at_node[node].len() != 2);
                let Some(start) = start.filter(|_| !used.contains(edge)) else { continue };
                let chain = self.chain(start, *edge, &at_node, &mut used);
                pacer.spend(STEP * chain.len())?;
                lines.push(self.line(start, &chain));
            }
        }
        lines.sort_by_key(|(key, _)| Reverse(*key));
        Ok(lines.into_iter().map(|(_, line)| line).collect())
    }

    /// Edges one after the other, up to an end or a fork.
    fn chain(&self, start: u32, first: u32, at_node: &HashMap<u32, Vec<u32>>, used: &mut HashSet<u32>) -> Vec<u32> {
        let (mut node, mut edge) = (start, first);
        let mut chain = Vec::new();
        loop {
            used.insert(edge);
            chain.push(edge);
            let Edge { a, b, .. } = self.arranged.edges[edge as usize];
            node = if node == a { b } else { a };
            let here = &at_node[&node];
            match here.iter().find(|other| !used.contains(other)) {
                Some(next) if here.len() == 2 => edge = *next,
                _ => return chain,
            }
        }
    }

    /// The line over a chain's edges, as the input goes along them.
    fn line(&self, start: u32, chain: &[u32]) -> ((i64, i64), Shape) {
        let arranged = self.arranged;
        let mut nodes = vec![start];
        let mut line = Vec::new();
        for edge in chain {
            let edge = &arranged.edges[*edge as usize];
            let from = *nodes.last().expect("it has a start");
            let on = common(&line, arranged.pieces_of(edge));
            if on.is_empty() {
                line = segments(arranged.pieces_of(edge));
            } else {
                line = on;
                nodes.pop();
            }
            nodes.push(if from == edge.a { edge.b } else { edge.a });
        }
        let first = &arranged.edges[chain[0] as usize];
        let along = arranged.pieces_of(first).iter().find(|piece| !arranged.segment_of(piece).area);
        if along.is_some_and(|piece| piece.forward != (first.a == start)) {
            nodes.reverse();
        }
        let key = lowest(arranged, &nodes);
        (key, Shape::line(nodes.iter().map(|node| arranged.position(*node)).collect()))
    }

    fn points(&self) -> Vec<Shape> {
        let arranged = self.arranged;
        let mut covered = vec![false; arranged.nodes.len()];
        for edge in &arranged.edges {
            if self.is_covered(edge) || self.is_result_line(edge) {
                covered[edge.a as usize] = true;
                covered[edge.b as usize] = true;
            }
        }
        let mut points: Vec<u32> = (0..arranged.nodes.len() as u32)
            .filter(|node| {
                let within = |source: usize| arranged.node_place(*node, source) != Place::Exterior;
                // A node without edges may lie in an area of the result.
                let inside = |source: usize| arranged.is_within_area(*node, source);
                let area = self.operation.takes(inside(0), inside(1));
                !covered[*node as usize] && !area && self.operation.takes(within(0), within(1))
            })
            .collect();
        points.sort_by_key(|node| Reverse(lowest(arranged, &[*node])));
        points.into_iter().map(|node| Shape::Point(Some(arranged.position(node)))).collect()
    }
}

/// The lines of the input that an edge is part of.
fn segments(pieces: &[Piece]) -> Vec<u32> {
    pieces.iter().map(|piece| piece.segment).collect()
}

/// Those of `line` that an edge is part of, too.
fn common(line: &[u32], pieces: &[Piece]) -> Vec<u32> {
    line.iter().copied().filter(|segment| pieces.iter().any(|piece| piece.segment == *segment)).collect()
}

/// Y and X of the lowest node, of those the leftmost.
fn lowest(arranged: &Arrangement, nodes: &[u32]) -> (i64, i64) {
    let keys = nodes.iter().map(|node| arranged.nodes[*node as usize]).map(|node| (node.y, node.x));
    keys.min().unwrap_or_default()
}

/// A boundary that touches itself, as rings that do not.
fn split(cycle: Vec<(u32, u32)>) -> Vec<Vec<(u32, u32)>> {
    let mut rings = Vec::new();
    let mut row: Vec<(u32, u32)> = Vec::new();
    let mut at: HashMap<u32, usize> = HashMap::new();
    for (node, edge) in cycle {
        if let Some(start) = at.get(&node).copied() {
            let ring = row.split_off(start);
            ring.iter().for_each(|(node, _)| {
                at.remove(node);
            });
            rings.push(ring);
        }
        at.insert(node, row.len());
        row.push((node, edge));
    }
    rings.push(row);
    rings
}
