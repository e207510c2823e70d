//! The arrangement of shapes on a plane: their lines cut where they meet, and of each piece on which side it has which areas. All that
//! compares shapes or makes new ones of them reads it.
//!
//! Coordinates are rounded to a grid of 2^40 steps over the extent of all shapes, and lines go through the centre of every grid square
//! that has a point of the arrangement (snap rounding, after Hobby): so what is cut does not cross again, and all later questions are
//! answered exactly in whole numbers.

use std::cmp::Ordering;
use std::collections::HashMap;

use types::SqlResult;
use types::pause::Pacer;

use crate::shape::{Curve, Position, Shape};

/// Steps over the longer side of the extent, as a power of two. Three factors of such a size fit an `i128`.
const GRID_BITS: i32 = 40;

/// Work of one comparison of two lines, in the pacer's bytes.
const COMPARISON: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    pub x: i64,
    pub y: i64,
}

/// Twice the area of the triangle: positive where `c` is to the left of the way from `a` to `b`.
pub fn cross(a: Node, b: Node, c: Node) -> i128 {
    let (x, y) = (i128::from(b.x - a.x), i128::from(b.y - a.y));
    x * i128::from(c.y - a.y) - y * i128::from(c.x - a.x)
}

/// What a line of the input is part of.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    pub from: Node,
    pub to: Node,
    /// Which of the shapes: 0 or 1.
    pub source: u8,
    /// A ring's, with the polygon to its left; else a line's.
    pub area: bool,
    /// Number of the ring or line, of all of the shapes.
    pub curve: u32,
}

/// A part of a segment between neighbouring nodes.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    pub segment: u32,
    /// Whether the segment goes from the edge's `a` to its `b`.
    pub forward: bool,
}

/// All pieces between two nodes, `a` being the lesser.
#[derive(Debug, Clone)]
pub struct Edge {
    pub a: u32,
    pub b: u32,
    pub pieces: std::ops::Range<u32>,
    /// How many polygons of each source cover the side to the right of the way from `a` to `b`, and that to the left.
    pub right: [i32; 2],
    pub left: [i32; 2],
}

/// A place of one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Interior,
    Boundary,
    Exterior,
}

/// What is known of a node, by source.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mark {
    point: bool,
    line: bool,
    /// An odd number of lines end here.
    end: bool,
    ring: bool,
    /// Polygons that cover it, where no ring passes.
    cover: i32,
}

pub struct Arrangement {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    pub pieces: Vec<Piece>,
    pub segments: Vec<Segment>,
    marks: Vec<[Mark; 2]>,
    grid: Grid,
    known: HashMap<Node, Position>,
}

/// How a polygon's rings make its inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The first ring is the exterior one, the others are holes; polygons of one shape may overlap.
    Rings,
    /// What is inside of an odd number of rings.
    Parity,
}

#[derive(Debug, Clone, Copy)]
struct Grid {
    x: f64,
    y: f64,
    scale: f64,
}

impl Grid {
    fn over(shapes: &[(&Shape, u8)]) -> Grid {
        let mut low = (f64::INFINITY, f64::INFINITY);
        let mut high = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (shape, _) in shapes {
            shape.each_point(&mut |point| {
                low = (low.0.min(point.x), low.1.min(point.y));
                high = (high.0.max(point.x), high.1.max(point.y));
            });
        }
        if low.0 > high.0 {
            return Grid { x: 0.0, y: 0.0, scale: 1.0 };
        }
        // Halved before it is subtracted: the difference of two finite numbers need not be one.
        let extent = 2.0 * (high.0 / 2.0 - low.0 / 2.0).max(high.1 / 2.0 - low.1 / 2.0);
        let bits = if extent > 0.0 && extent.is_finite() { extent.log2().ceil() as i32 } else { 0 };
        let scale = 2.0_f64.powi((GRID_BITS - bits).clamp(-900, 900));
        // A whole number of a coarse grid, so that whole numbers stay whole.
        let coarse = 2.0_f64.powi(bits.clamp(-900, 900));
        Grid { x: (low.0 / coarse).floor() * coarse, y: (low.1 / coarse).floor() * coarse, scale }
    }

    fn node(&self, point: &Position) -> Node {
        let step = |value: f64| value.round().clamp(-8e12, 8e12) as i64;
        Node { x: step((point.x - self.x) * self.scale), y: step((point.y - self.y) * self.scale) }
    }

    fn position(&self, node: Node) -> Position {
        Position::at(node.x as f64 / self.scale + self.x, node.y as f64 / self.scale + self.y)
    }
}

/// Twice the area that a ring goes around counterclockwise.
pub fn doubled_area(ring: &[Node]) -> i128 {
    let Some(&base) = ring.first() else { return 0 };
    ring.windows(2).map(|pair| cross(base, pair[0], pair[1])).sum()
}

/// Takes the shapes apart into segments and points.
struct Input {
    grid: Grid,
    segments: Vec<Segment>,
    points: Vec<(Node, u8)>,
    /// Where lines begin and end, unless they are closed.
    ends: Vec<(Node, u8)>,
    known: HashMap<Node, Position>,
    curves: u32,
}

impl Input {
    fn row(&mut self, curve: &Curve) -> Vec<Node> {
        let mut row = Vec::with_capacity(curve.count());
        for point in curve.points() {
            let node = self.grid.node(point);
            self.known.entry(node).or_insert(Position::at(point.x, point.y));
            if row.last() != Some(&node) {
                row.push(node);
            }
        }
        row
    }

    fn push(&mut self, row: &[Node], source: u8, area: bool) {
        let curve = self.curves;
        self.segments.extend(row.windows(2).map(|pair| Segment { from: pair[0], to: pair[1], source, area, curve }));
        self.curves += 1;
    }

    fn add(&mut self, shape: &Shape, source: u8, rule: Rule) {
        match shape {
            Shape::Point(Some(point)) => {
                let node = self.grid.node(point);
                self.known.entry(node).or_insert(Position::at(point.x, point.y));
                self.points.push((node, source));
            }
            Shape::Curve(curve) => {
                let row = self.row(curve);
                match row[..] {
                    [] => {}
                    [only] => self.points.push((only, source)),
                    _ if row.first() == row.last() => {}
                    [first, .., last] => self.ends.extend([(first, source), (last, source)]),
                }
                self.push(&row, source, false);
            }
            Shape::Surface { rings, .. } => {
                for (at, ring) in rings.iter().enumerate() {
                    let mut row = self.row(ring);
                    let inside_left = (doubled_area(&row) > 0) == (at == 0);
                    if rule == Rule::Rings && !inside_left {
                        row.reverse();
                    }
                    self.push(&row, source, true);
                }
            }
            Shape::Point(None) | Shape::Multi(..) | Shape::FullGlobe => {}
        }
    }
}

/// Sources 0 and 1 are compared with one another; more shapes than one may be of the same. Shapes have no arcs.
pub fn arrange(shapes: &[(&Shape, u8)], rule: Rule, pacer: &mut Pacer<'_>) -> SqlResult<Arrangement> {
    let grid = Grid::over(shapes);
    let mut input =
        Input { grid, segments: Vec::new(), points: Vec::new(), ends: Vec::new(), known: HashMap::new(), curves: 0 };
    for (shape, source) in shapes {
        shape.each(&mut |part| input.add(part, *source, rule));
        pacer.spend(input.segments.len() * COMPARISON)?;
    }
    let mut nodes: Vec<Node> = input.segments.iter().flat_map(|segment| [segment.from, segment.to]).collect();
    nodes.extend(input.points.iter().map(|(node, _)| *node));
    intersections(&input.segments, &mut nodes, pacer)?;
    nodes.sort_unstable();
    nodes.dedup();
    pacer.spend(nodes.len() * COMPARISON)?;
    let (edges, pieces) = cut(&input.segments, &nodes, pacer)?;
    let mut marks = vec![[Mark::default(); 2]; nodes.len()];
    let at = |node: &Node| nodes.binary_search(node).expect("every point is a node");
    for (node, source) in &input.points {
        marks[at(node)][usize::from(*source)].point = true;
    }
    for (node, source) in &input.ends {
        marks[at(node)][usize::from(*source)].end ^= true;
    }
    let mut made = Arrangement { nodes, edges, pieces, segments: input.segments, marks, grid, known: input.known };
    made.sweep(rule, pacer)?;
    Ok(made)
}

/// Adds the points where segments cross.
fn intersections(segments: &[Segment], nodes: &mut Vec<Node>, pacer: &mut Pacer<'_>) -> SqlResult<()> {
    let low = |segment: &Segment| segment.from.x.min(segment.to.x);
    let mut order: Vec<u32> = (0..segments.len() as u32).collect();
    order.sort_unstable_by_key(|at| low(&segments[*at as usize]));
    let mut active: Vec<u32> = Vec::new();
    for at in order {
        let segment = &segments[at as usize];
        let start = low(segment);
        active.retain(|other| {
            let other = &segments[*other as usize];
            other.from.x.max(other.to.x) >= start
        });
        pacer.spend(COMPARISON * (active.len() + 1))?;
        let (bottom, top) = (segment.from.y.min(segment.to.y), segment.from.y.max(segment.to.y));
        for other in &active {
            let other = &segments[*other as usize];
            if other.from.y.min(other.to.y) <= top && other.from.y.max(other.to.y) >= bottom {
                nodes.extend(intersection(segment, other));
            }
        }
        active.push(at);
    }
    Ok(())
}

/// Where two segments cross within both, rounded. What touches is a node already.
fn intersection(one: &Segment, other: &Segment) -> Option<Node> {
    let (a, b) = (cross(one.from, one.to, other.from), cross(one.from, one.to, other.to));
    if a.signum() * b.signum() >= 0 {
        return None;
    }
    let (c, d) = (cross(other.from, other.to, one.from), cross(other.from, other.to, one.to));
    if c.signum() * d.signum() >= 0 {
        return None;
    }
    // `other` is met after this part of its way.
    let (part, whole) = if a > b { (a, a - b) } else { (-a, b - a) };
    let along = |from: i64, to: i64| {
        let moved = i128::from(to - from) * part;
        from + ((2 * moved + whole).div_euclid(2 * whole)) as i64
    };
    Some(Node { x: along(other.from.x, other.to.x), y: along(other.from.y, other.to.y) })
}

/// Cuts the segments at all nodes whose grid square they pass.
fn cut(segments: &[Segment], nodes: &[Node], pacer: &mut Pacer<'_>) -> SqlResult<(Vec<Edge>, Vec<Piece>)> {
    // Nodes of the pieces, then the piece.
    let mut found: Vec<(u32, u32, Piece)> = Vec::new();
    let mut passed: Vec<(i128, u32)> = Vec::new();
    for (number, segment) in segments.iter().enumerate() {
        let (from, to) = (segment.from, segment.to);
        let (left, right) = (from.x.min(to.x) - 1, from.x.max(to.x) + 1);
        let (bottom, top) = (from.y.min(to.y) - 1, from.y.max(to.y) + 1);
        let (x, y) = (i128::from(to.x - from.x), i128::from(to.y - from.y));
        let first = nodes.partition_point(|node| node.x < left);
        let last = first + nodes[first..].partition_point(|node| node.x <= right);
        pacer.spend(COMPARISON * (last - first + 1))?;
        passed.clear();
        for (at, node) in nodes[first..last].iter().enumerate() {
            if node.y < bottom || node.y > top || 2 * cross(from, to, *node).abs() > x.abs() + y.abs() {
                continue;
            }
            let along = x * i128::from(node.x - from.x) + y * i128::from(node.y - from.y);
            if (0..=x * x + y * y).contains(&along) {
                passed.push((along, (first + at) as u32));
            }
        }
        passed.sort_unstable();
        for pair in passed.windows(2) {
            let (one, next) = (pair[0].1, pair[1].1);
            let piece = Piece { segment: number as u32, forward: one < next };
            found.push((one.min(next), one.max(next), piece));
        }
    }
    found.sort_unstable_by_key(|(a, b, piece)| (*a, *b, piece.segment));
    pacer.spend(COMPARISON * found.len())?;
    let mut edges: Vec<Edge> = Vec::new();
    for (at, (a, b, _)) in found.iter().enumerate() {
        let at = at as u32;
        match edges.last_mut().filter(|edge| (edge.a, edge.b) == (*a, *b)) {
            Some(edge) => edge.pieces.end = at + 1,
            None => edges.push(Edge { a: *a, b: *b, pieces: at..at + 1, right: [0; 2], left: [0; 2] }),
        }
    }
    Ok((edges, found.into_iter().map(|(_, _, piece)| piece).collect()))
}

impl Arrangement {
    pub fn pieces_of(&self, edge: &Edge) -> &[Piece] {
        &self.pieces[edge.pieces.start as usize..edge.pieces.end as usize]
    }

    pub fn segment_of(&self, piece: &Piece) -> &Segment {
        &self.segments[piece.segment as usize]
    }

    /// The place of a node, as the input has it if it was there.
    pub fn position(&self, node: u32) -> Position {
        let node = self.nodes[node as usize];
        self.known.get(&node).copied().unwrap_or_else(|| self.grid.position(node))
    }

    /// What an edge adds to the number of polygons, from its right to its left.
    fn turn(&self, edge: &Edge, rule: Rule) -> [i32; 2] {
        let mut turn = [0; 2];
        for piece in self.pieces_of(edge) {
            let segment = self.segment_of(piece);
            if segment.area {
                turn[usize::from(segment.source)] += if piece.forward || rule == Rule::Parity { 1 } else { -1 };
            }
        }
        turn
    }

    /// From left to right over all nodes, with the edges that a vertical line there meets, from below.
    fn sweep(&mut self, rule: Rule, pacer: &mut Pacer<'_>) -> SqlResult<()> {
        let mut status: Vec<u32> = Vec::new();
        let mut next = 0;
        for node in 0..self.nodes.len() as u32 {
            let place = self.nodes[node as usize];
            let above = |at: &u32| {
                let edge = &self.edges[*at as usize];
                cross(self.nodes[edge.a as usize], self.nodes[edge.b as usize], place) > 0
            };
            let low = status.partition_point(above);
            let ending = status[low..].iter().take_while(|at| self.edges[**at as usize].b == node).count();
            let first = next;
            while self.edges.get(next).is_some_and(|edge| edge.a == node) {
                next += 1;
            }
            pacer.spend(COMPARISON * (8 + ending + next - first) + status.len() / 16)?;
            let mut cover = low.checked_sub(1).map_or([0; 2], |below| self.edges[status[below] as usize].left);
            if ending == 0 && first == next {
                (0..2).for_each(|source| self.marks[node as usize][source].cover = cover[source]);
                continue;
            }
            let mut starting: Vec<u32> = (first as u32..next as u32).collect();
            starting.sort_by(|one, other| {
                let end = |at: &u32| self.nodes[self.edges[*at as usize].b as usize];
                match cross(place, end(one), end(other)) {
                    0 => Ordering::Equal,
                    turn if turn > 0 => Ordering::Less,
                    _ => Ordering::Greater,
                }
            });
            for at in &starting {
                let turn = self.turn(&self.edges[*at as usize], rule);
                let edge = &mut self.edges[*at as usize];
                edge.right = cover;
                for source in 0..2 {
                    cover[source] += turn[source];
                    if rule == Rule::Parity {
                        cover[source] &= 1;
                    }
                }
                edge.left = cover;
            }
            status.splice(low..low + ending, starting);
        }
        self.mark_ends();
        Ok(())
    }

    /// What edges say of their nodes.
    fn mark_ends(&mut self) {
        for edge in &self.edges {
            for source in 0..2 {
                let (right, left) = (edge.right[source] > 0, edge.left[source] > 0);
                let pieces = &self.pieces[edge.pieces.start as usize..edge.pieces.end as usize];
                let line = pieces.iter().any(|piece| {
                    let segment = &self.segments[piece.segment as usize];
                    !segment.area && usize::from(segment.source) == source
                });
                for node in [edge.a, edge.b] {
                    let mark = &mut self.marks[node as usize][source];
                    mark.ring |= right != left;
                    mark.cover = mark.cover.max(i32::from(right && left));
                    mark.line |= line;
                }
            }
        }
    }

    pub fn is_line(&self, edge: &Edge, source: usize) -> bool {
        let of = |piece: &Piece| {
            let segment = self.segment_of(piece);
            !segment.area && usize::from(segment.source) == source
        };
        self.pieces_of(edge).iter().any(of)
    }

    pub fn edge_place(&self, edge: &Edge, source: usize) -> Place {
        match (edge.right[source] > 0, edge.left[source] > 0) {
            (true, true) => Place::Interior,
            (false, false) if self.is_line(edge, source) => Place::Interior,
            (false, false) => Place::Exterior,
            _ => Place::Boundary,
        }
    }

    pub fn node_place(&self, node: u32, source: usize) -> Place {
        let mark = &self.marks[node as usize][source];
        match mark {
            Mark { ring: true, .. } => Place::Boundary,
            Mark { cover: 1.., .. } => Place::Interior,
            Mark { line: true, end: true, .. } => Place::Boundary,
            Mark { line: true, .. } | Mark { point: true, .. } => Place::Interior,
            _ => Place::Exterior,
        }
    }

    /// Whether a node lies within areas of a source, not on their boundary.
    pub fn is_within_area(&self, node: u32, source: usize) -> bool {
        let mark = &self.marks[node as usize][source];
        !mark.ring && mark.cover > 0
    }
}
