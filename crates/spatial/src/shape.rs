//! A shape as a tree, as both types have it. Coordinates are `x`, `y` in the order of well-known text: of a geography longitude, latitude.

use types::SqlResult;
use types::pause::Pacer;

/// Collections within one another; what nests deeper is refused where it is read.
pub const NESTING_MAX: usize = 32;

/// Points of a shape that one call makes or reads: as many as 2 GB of a serialized shape hold.
pub const POINTS_MAX: usize = i32::MAX as usize / 16;

/// The numbers are those of [MS-SSCLRT] 2.1.6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    Point = 1,
    LineString,
    Polygon,
    MultiPoint,
    MultiLineString,
    MultiPolygon,
    Collection,
    CircularString,
    CompoundCurve,
    CurvePolygon,
    FullGlobe,
}

/// By number, less one.
pub const KINDS: [Kind; 11] = [
    Kind::Point,
    Kind::LineString,
    Kind::Polygon,
    Kind::MultiPoint,
    Kind::MultiLineString,
    Kind::MultiPolygon,
    Kind::Collection,
    Kind::CircularString,
    Kind::CompoundCurve,
    Kind::CurvePolygon,
    Kind::FullGlobe,
];

impl Kind {
    /// As STGeometryType() has it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Point => "Point",
            Kind::LineString => "LineString",
            Kind::Polygon => "Polygon",
            Kind::MultiPoint => "MultiPoint",
            Kind::MultiLineString => "MultiLineString",
            Kind::MultiPolygon => "MultiPolygon",
            Kind::Collection => "GeometryCollection",
            Kind::CircularString => "CircularString",
            Kind::CompoundCurve => "CompoundCurve",
            Kind::CurvePolygon => "CurvePolygon",
            Kind::FullGlobe => "FullGlobe",
        }
    }

    /// What InstanceOf() says the kind is also: the classes of OGC's hierarchy.
    pub fn is_a(self, class: &str) -> Option<bool> {
        use Kind::*;
        let of = |kinds: &[Kind]| Some(kinds.contains(&self));
        let same = |name: &str| class.eq_ignore_ascii_case(name);
        if same("Geometry") {
            return Some(true);
        }
        if same("Curve") {
            return of(&[LineString, CircularString, CompoundCurve]);
        }
        if same("Surface") {
            return of(&[Polygon, CurvePolygon]);
        }
        if same("MultiSurface") {
            return of(&[MultiPolygon]);
        }
        if same("MultiCurve") {
            return of(&[MultiLineString]);
        }
        if same("GeometryCollection") {
            return of(&[Collection, MultiPoint, MultiLineString, MultiPolygon]);
        }
        KINDS.iter().find(|kind| same(kind.name())).map(|kind| *kind == self)
    }
}

/// NaN stands for a Z or M that is not there.
#[derive(Debug, Clone, Copy)]
pub struct Position {
    pub x: f64,
    pub y: f64,
    pub z: f64,
    pub m: f64,
}

impl Position {
    pub const fn at(x: f64, y: f64) -> Position {
        Position { x, y, z: f64::NAN, m: f64::NAN }
    }

    /// Whether both are the same place, whatever their Z and M.
    pub fn same(&self, other: &Position) -> bool {
        self.x == other.x && self.y == other.y
    }
}

/// A row of points that are joined by lines, or two by two by arcs.
#[derive(Debug, Clone, Default)]
pub struct Piece {
    /// The points are start, middle, end and middle, end ... of arcs.
    pub arc: bool,
    pub points: Vec<Position>,
}

/// `kind`: LineString, CircularString or CompoundCurve; only the last has more pieces than one, each of which begins where the one
/// before it ends. Empty: no pieces.
#[derive(Debug, Clone)]
pub struct Curve {
    pub kind: Kind,
    pub pieces: Vec<Piece>,
}

impl Curve {
    pub fn line(points: Vec<Position>) -> Curve {
        let pieces = if points.is_empty() { Vec::new() } else { vec![Piece { arc: false, points }] };
        Curve { kind: Kind::LineString, pieces }
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// All points in order, joints once.
    pub fn points(&self) -> impl Iterator<Item = &Position> {
        self.pieces.iter().enumerate().flat_map(|(at, piece)| piece.points.iter().skip(usize::from(at > 0)))
    }

    pub fn count(&self) -> usize {
        self.pieces.iter().enumerate().map(|(at, piece)| piece.points.len() - usize::from(at > 0)).sum()
    }

    pub fn first(&self) -> Option<&Position> {
        self.pieces.first()?.points.first()
    }

    pub fn last(&self) -> Option<&Position> {
        self.pieces.last()?.points.last()
    }

    pub fn is_closed(&self) -> bool {
        matches!((self.first(), self.last()), (Some(first), Some(last)) if first.same(last))
    }

    pub fn has_arcs(&self) -> bool {
        self.pieces.iter().any(|piece| piece.arc)
    }

    pub fn reversed(&self) -> Curve {
        let turn = |piece: &Piece| Piece { arc: piece.arc, points: piece.points.iter().rev().copied().collect() };
        Curve { kind: self.kind, pieces: self.pieces.iter().rev().map(turn).collect() }
    }
}

#[derive(Debug, Clone)]
pub enum Shape {
    Point(Option<Position>),
    Curve(Curve),
    /// Its rings, the exterior first. `curved`: a CurvePolygon.
    Surface {
        curved: bool,
        rings: Vec<Curve>,
    },
    /// MultiPoint, MultiLineString, MultiPolygon or Collection.
    Multi(Kind, Vec<Shape>),
    FullGlobe,
}

impl Shape {
    pub fn polygon(rings: Vec<Vec<Position>>) -> Shape {
        Shape::Surface { curved: false, rings: rings.into_iter().map(Curve::line).collect() }
    }

    pub fn line(points: Vec<Position>) -> Shape {
        Shape::Curve(Curve::line(points))
    }

    pub fn empty(kind: Kind) -> Shape {
        match kind {
            Kind::Point => Shape::Point(None),
            Kind::LineString | Kind::CircularString | Kind::CompoundCurve => {
                Shape::Curve(Curve { kind, pieces: Vec::new() })
            }
            Kind::Polygon | Kind::CurvePolygon => {
                Shape::Surface { curved: kind == Kind::CurvePolygon, rings: Vec::new() }
            }
            Kind::FullGlobe => Shape::FullGlobe,
            Kind::MultiPoint | Kind::MultiLineString | Kind::MultiPolygon | Kind::Collection => {
                Shape::Multi(kind, Vec::new())
            }
        }
    }

    pub fn kind(&self) -> Kind {
        match self {
            Shape::Point(_) => Kind::Point,
            Shape::Curve(curve) => curve.kind,
            Shape::Surface { curved: false, .. } => Kind::Polygon,
            Shape::Surface { curved: true, .. } => Kind::CurvePolygon,
            Shape::Multi(kind, _) => *kind,
            Shape::FullGlobe => Kind::FullGlobe,
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Shape::Point(point) => point.is_none(),
            Shape::Curve(curve) => curve.is_empty(),
            Shape::Surface { rings, .. } => rings.is_empty(),
            Shape::Multi(_, parts) => parts.iter().all(Shape::is_empty),
            Shape::FullGlobe => false,
        }
    }

    /// 2 of areas, 1 of lines, 0 of points, -1 of what is empty: of a collection the largest.
    pub fn dimension(&self) -> i32 {
        match self {
            _ if self.is_empty() => -1,
            Shape::Point(_) => 0,
            Shape::Curve(_) => 1,
            Shape::Surface { .. } | Shape::FullGlobe => 2,
            Shape::Multi(_, parts) => parts.iter().map(Shape::dimension).max().unwrap_or(-1),
        }
    }

    /// Every part that is no collection, in order.
    pub fn each<'s>(&'s self, visit: &mut dyn FnMut(&'s Shape)) {
        match self {
            Shape::Multi(_, parts) => parts.iter().for_each(|part| part.each(visit)),
            part => visit(part),
        }
    }

    /// Every point, in order.
    pub fn each_point<'s>(&'s self, visit: &mut dyn FnMut(&'s Position)) {
        self.each(&mut |part| match part {
            Shape::Point(point) => point.iter().for_each(&mut *visit),
            Shape::Curve(curve) => curve.points().for_each(&mut *visit),
            Shape::Surface { rings, .. } => rings.iter().flat_map(Curve::points).for_each(&mut *visit),
            Shape::Multi(..) | Shape::FullGlobe => {}
        });
    }

    pub fn count(&self) -> usize {
        let mut count = 0;
        self.each(&mut |part| {
            count += match part {
                Shape::Point(point) => usize::from(point.is_some()),
                Shape::Curve(curve) => curve.count(),
                Shape::Surface { rings, .. } => rings.iter().map(Curve::count).sum(),
                Shape::Multi(..) | Shape::FullGlobe => 0,
            }
        });
        count
    }

    pub fn has_arcs(&self) -> bool {
        let mut found = false;
        self.each(&mut |part| {
            found |= match part {
                Shape::Curve(curve) => curve.has_arcs(),
                Shape::Surface { rings, .. } => rings.iter().any(Curve::has_arcs),
                _ => false,
            }
        });
        found
    }

    /// The same shape with every point changed. What `pacer` counts is the points.
    pub fn mapped(&self, pacer: &mut Pacer<'_>, map: &mut dyn FnMut(Position) -> Position) -> SqlResult<Shape> {
        fn curve(curve: &Curve, map: &mut dyn FnMut(Position) -> Position) -> Curve {
            let piece =
                |piece: &Piece| Piece { arc: piece.arc, points: piece.points.iter().map(|p| map(*p)).collect() };
            Curve { kind: curve.kind, pieces: curve.pieces.iter().map(piece).collect() }
        }
        pacer.spend(32 * self.count_here())?;
        Ok(match self {
            Shape::Point(point) => Shape::Point(point.map(&mut *map)),
            Shape::Curve(line) => Shape::Curve(curve(line, map)),
            Shape::Surface { curved, rings } => {
                Shape::Surface { curved: *curved, rings: rings.iter().map(|ring| curve(ring, map)).collect() }
            }
            Shape::Multi(kind, parts) => {
                Shape::Multi(*kind, parts.iter().map(|part| part.mapped(pacer, map)).collect::<SqlResult<_>>()?)
            }
            Shape::FullGlobe => Shape::FullGlobe,
        })
    }

    fn count_here(&self) -> usize {
        if matches!(self, Shape::Multi(..)) { 1 } else { self.count() }
    }
}

/// A value of one of the two types.
#[derive(Debug, Clone)]
pub struct Value {
    pub srid: i32,
    pub shape: Shape,
    /// As STIsValid() says, and the value itself keeps it.
    pub valid: bool,
    /// A geography that is larger than a hemisphere.
    pub large: bool,
}
