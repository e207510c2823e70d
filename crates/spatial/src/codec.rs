//! The bytes of a value: [MS-SSCLRT] 2.1, little-endian. What a column keeps and what the wire carries.
//!
//! ```text
//! SRID i32 | version u8 | properties u8 | points ... | figures | shapes | segments (version 2 with compound curves)
//! ```
//! https://learn.microsoft.com/openspecs/sql_server_protocols/ms-ssclrt/dc988cb6-4812-4ec6-91cd-cce329f6ecda

use types::pause::Pacer;
use types::{SqlResult, long};

use crate::check;
use crate::shape::{Curve, KINDS, Kind, NESTING_MAX, Piece, Position, Shape, Value};
use crate::world::World;

const HAS_Z: u8 = 1;
const HAS_M: u8 = 2;
const VALID: u8 = 4;
const SINGLE_POINT: u8 = 8;
const SINGLE_LINE: u8 = 16;
const LARGER_THAN_HEMISPHERE: u8 = 32;

/// Figures of version 1.
const INTERIOR_RING: u8 = 0;
const STROKE: u8 = 1;
const EXTERIOR_RING: u8 = 2;
/// Figures of version 2.
const POINT: u8 = 0;
const LINE: u8 = 1;
const ARC: u8 = 2;
const COMPOSITE: u8 = 3;
/// Segments of a composite figure.
const SEGMENT_LINE: u8 = 0;
const SEGMENT_ARC: u8 = 1;
const SEGMENT_FIRST_LINE: u8 = 2;
const SEGMENT_FIRST_ARC: u8 = 3;

#[derive(Default)]
struct Flat {
    points: Vec<Position>,
    /// Attribute and first point.
    figures: Vec<(u8, u32)>,
    /// Parent, first figure, kind.
    shapes: Vec<(i32, i32, Kind)>,
    segments: Vec<u8>,
}

/// The value as bytes.
pub fn encode(world: World, value: &Value, pacer: &mut Pacer<'_>) -> SqlResult<Vec<u8>> {
    let count = value.shape.count();
    pacer.spend(32 * count)?;
    Ok(long::run(32 * count, || written(world, value)))
}

fn written(world: World, value: &Value) -> Vec<u8> {
    let newer = value.large || needs_version_2(&value.shape);
    let mut flat = Flat::default();
    flatten(&value.shape, -1, newer, &mut flat);
    let has_z = flat.points.iter().any(|point| !point.z.is_nan());
    let has_m = flat.points.iter().any(|point| !point.m.is_nan());
    let mut properties = if has_z { HAS_Z } else { 0 } | if has_m { HAS_M } else { 0 };
    properties |= if value.valid { VALID } else { 0 } | if value.large { LARGER_THAN_HEMISPHERE } else { 0 };
    let single = match &value.shape {
        Shape::Point(Some(_)) => SINGLE_POINT,
        Shape::Curve(curve) if curve.kind == Kind::LineString && curve.count() == 2 => SINGLE_LINE,
        _ => 0,
    };
    let mut out = Vec::with_capacity(32 * flat.points.len() + 32);
    out.extend(value.srid.to_le_bytes());
    out.push(if newer { 2 } else { 1 });
    out.push(properties | single);
    let count = |out: &mut Vec<u8>, count: usize| out.extend((count as u32).to_le_bytes());
    if single == 0 {
        count(&mut out, flat.points.len());
    }
    for point in &flat.points {
        let (first, second) = if world == World::Globe { (point.y, point.x) } else { (point.x, point.y) };
        out.extend(first.to_le_bytes());
        out.extend(second.to_le_bytes());
    }
    if has_z {
        flat.points.iter().for_each(|point| out.extend(point.z.to_le_bytes()));
    }
    if has_m {
        flat.points.iter().for_each(|point| out.extend(point.m.to_le_bytes()));
    }
    if single != 0 {
        return out;
    }
    count(&mut out, flat.figures.len());
    for (attribute, first) in &flat.figures {
        out.push(*attribute);
        out.extend(first.to_le_bytes());
    }
    count(&mut out, flat.shapes.len());
    for (parent, figure, kind) in &flat.shapes {
        out.extend(parent.to_le_bytes());
        out.extend(figure.to_le_bytes());
        out.push(*kind as u8);
    }
    if !flat.segments.is_empty() {
        count(&mut out, flat.segments.len());
        out.extend(&flat.segments);
    }
    out
}

fn needs_version_2(shape: &Shape) -> bool {
    match shape {
        Shape::Multi(_, parts) => parts.iter().any(needs_version_2),
        part => part.kind() >= Kind::CircularString,
    }
}

fn flatten(shape: &Shape, parent: i32, newer: bool, flat: &mut Flat) {
    let own = flat.shapes.len();
    let figure = flat.figures.len() as i32;
    flat.shapes.push((parent, figure, shape.kind()));
    match shape {
        Shape::Point(point) => {
            if let Some(point) = point {
                flat.figures.push((if newer { POINT } else { STROKE }, flat.points.len() as u32));
                flat.points.push(*point);
            }
        }
        Shape::Curve(curve) => push_curve(curve, if newer { LINE } else { STROKE }, flat),
        Shape::Surface { rings, .. } => {
            for (at, ring) in rings.iter().enumerate() {
                let older = if at == 0 { EXTERIOR_RING } else { INTERIOR_RING };
                push_curve(ring, if newer { LINE } else { older }, flat);
            }
        }
        Shape::Multi(_, parts) => parts.iter().for_each(|part| flatten(part, own as i32, newer, flat)),
        Shape::FullGlobe => {}
    }
    // Nothing of it has a figure.
    if flat.figures.len() as i32 == figure {
        flat.shapes[own].1 = -1;
    }
}

fn push_curve(curve: &Curve, line: u8, flat: &mut Flat) {
    if curve.is_empty() {
        return;
    }
    let attribute = match curve.kind {
        Kind::CircularString => ARC,
        Kind::CompoundCurve => COMPOSITE,
        _ => line,
    };
    flat.figures.push((attribute, flat.points.len() as u32));
    flat.points.extend(curve.points().copied());
    if curve.kind != Kind::CompoundCurve {
        return;
    }
    for piece in &curve.pieces {
        let (first, next, count) = match piece.arc {
            true => (SEGMENT_FIRST_ARC, SEGMENT_ARC, piece.points.len() / 2),
            false => (SEGMENT_FIRST_LINE, SEGMENT_LINE, piece.points.len() - 1),
        };
        flat.segments.push(first);
        flat.segments.extend(std::iter::repeat_n(next, count.saturating_sub(1)));
    }
}

/// What reads bytes from outside: nothing of them is believed.
struct Source<'b> {
    bytes: &'b [u8],
}

impl Source<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.bytes.split_at_checked(N)?;
        self.bytes = rest;
        head.try_into().ok()
    }

    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn i32(&mut self) -> Option<i32> {
        self.take().map(i32::from_le_bytes)
    }

    fn f64(&mut self) -> Option<f64> {
        self.take().map(f64::from_le_bytes)
    }

    /// A count of things of `size` bytes each, as many as there are bytes for.
    fn count(&mut self, size: usize) -> Option<usize> {
        let count = usize::try_from(self.i32()?).ok()?;
        (count <= self.bytes.len() / size).then_some(count)
    }
}

/// The SRID alone. None: no value.
pub fn srid(bytes: &[u8]) -> Option<i32> {
    Source { bytes }.i32()
}

/// The value that `bytes` are. Error 6522 with 24210: they are none.
pub fn decode(world: World, bytes: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<Value> {
    pacer.spend(2 * bytes.len())?;
    let value = long::run(bytes.len(), || parse(world, bytes)).ok_or_else(|| broken(world))?;
    check::check(world, &value.shape, pacer)?;
    Ok(value)
}

#[cold]
fn broken(world: World) -> types::SqlError {
    world.format(24210, "The serialized spatial instance is not valid.")
}

fn parse(world: World, bytes: &[u8]) -> Option<Value> {
    let mut source = Source { bytes };
    let srid = source.i32()?;
    let version = source.u8()?;
    let properties = source.u8()?;
    if !(1..=2).contains(&version) || properties & !63 != 0 {
        return None;
    }
    let single = match properties & (SINGLE_POINT | SINGLE_LINE) {
        0 => None,
        SINGLE_POINT => Some(1),
        SINGLE_LINE => Some(2),
        _ => return None,
    };
    let count = match single {
        Some(count) => count,
        None => source.count(16)?,
    };
    let mut points = Vec::with_capacity(count.min(source.bytes.len() / 16));
    for _ in 0..count {
        let (first, second) = (source.f64()?, source.f64()?);
        points.push(if world == World::Globe { Position::at(second, first) } else { Position::at(first, second) });
    }
    if properties & HAS_Z != 0 {
        for point in &mut points {
            point.z = source.f64()?;
        }
    }
    if properties & HAS_M != 0 {
        for point in &mut points {
            point.m = source.f64()?;
        }
    }
    let shape = match single {
        Some(1) => Shape::Point(Some(points[0])),
        Some(_) => Shape::line(points),
        None => {
            let flat = parse_tables(&mut source, version, points)?;
            Builder { ends: ends(&flat), flat: &flat, version, shape: 0, segment: 0 }.whole()?
        }
    };
    if !source.bytes.is_empty() || world == World::Plane && matches!(shape, Shape::FullGlobe) {
        return None;
    }
    let large = version == 2 && properties & LARGER_THAN_HEMISPHERE != 0;
    Some(Value { srid, shape, valid: properties & VALID != 0, large })
}

fn parse_tables(source: &mut Source<'_>, version: u8, points: Vec<Position>) -> Option<Flat> {
    let mut flat = Flat { points, ..Flat::default() };
    for _ in 0..source.count(5)? {
        let attribute = source.u8()?;
        let first = u32::try_from(source.i32()?).ok()?;
        let in_order = flat.figures.last().is_none_or(|(_, before)| *before <= first);
        if attribute > 3 || !in_order || first as usize > flat.points.len() {
            return None;
        }
        flat.figures.push((attribute, first));
    }
    for at in 0..source.count(9)? {
        let (parent, figure) = (source.i32()?, source.i32()?);
        let kind = *KINDS.get(usize::from(source.u8()?).checked_sub(1)?)?;
        let known = if at == 0 { parent == -1 } else { (0..at as i32).contains(&parent) };
        if !known || figure < -1 || figure > flat.figures.len() as i32 {
            return None;
        }
        flat.shapes.push((parent, figure, kind));
    }
    if version == 2 && flat.figures.iter().any(|(attribute, _)| *attribute == COMPOSITE) {
        for _ in 0..source.count(1)? {
            flat.segments.push(source.u8().filter(|segment| *segment <= SEGMENT_FIRST_ARC)?);
        }
    }
    Some(flat)
}

fn ends(flat: &Flat) -> Vec<usize> {
    let mut end = flat.figures.len();
    let mut ends = vec![0; flat.shapes.len()];
    for (at, shape) in flat.shapes.iter().enumerate().rev() {
        ends[at] = end;
        end = usize::try_from(shape.1).unwrap_or(end);
    }
    ends
}

/// Puts the tree together again. Shapes stand in the order of a walk over it, so `shape` and `segment` only go on.
struct Builder<'f> {
    /// By shape: the first figure of those behind it that have one.
    ends: Vec<usize>,
    flat: &'f Flat,
    version: u8,
    shape: usize,
    segment: usize,
}

impl Builder<'_> {
    fn whole(mut self) -> Option<Shape> {
        let shape = self.next(0)?;
        (self.shape == self.flat.shapes.len()).then_some(shape)
    }

    fn next(&mut self, depth: usize) -> Option<Shape> {
        let own = self.shape;
        let &(_, figure, kind) = self.flat.shapes.get(own)?;
        if depth > NESTING_MAX {
            return None;
        }
        self.shape += 1;
        let figures = match figure {
            -1 => 0..0,
            first => first as usize..self.ends[own],
        };
        if figures.start > figures.end || figures.end > self.flat.figures.len() {
            return None;
        }
        let own_figures =
            if matches!(kind, Kind::Polygon | Kind::CurvePolygon) { figures.len() } else { figures.len().min(1) };
        match kind {
            Kind::Point => match figures.len() {
                0 => Some(Shape::Point(None)),
                _ => self
                    .flat
                    .points
                    .get(self.flat.figures[figures.start].1 as usize)
                    .map(|point| Shape::Point(Some(*point))),
            },
            Kind::LineString | Kind::CircularString | Kind::CompoundCurve => {
                if figures.is_empty() {
                    return Some(Shape::empty(kind));
                }
                let curve = self.curve(figures.start)?;
                (curve.kind == kind).then_some(Shape::Curve(curve))
            }
            Kind::Polygon | Kind::CurvePolygon => {
                let mut rings = Vec::with_capacity(own_figures);
                for figure in figures {
                    rings.push(self.curve(figure)?);
                }
                let curved = kind == Kind::CurvePolygon;
                (curved || rings.iter().all(|ring| ring.kind == Kind::LineString))
                    .then_some(Shape::Surface { curved, rings })
            }
            Kind::FullGlobe => Some(Shape::FullGlobe),
            Kind::MultiPoint | Kind::MultiLineString | Kind::MultiPolygon | Kind::Collection => {
                let mut parts = Vec::new();
                while self.flat.shapes.get(self.shape).is_some_and(|shape| shape.0 == own as i32) {
                    let part = self.next(depth + 1)?;
                    let fits = match kind {
                        Kind::MultiPoint => part.kind() == Kind::Point,
                        Kind::MultiLineString => part.kind() == Kind::LineString,
                        Kind::MultiPolygon => part.kind() == Kind::Polygon,
                        _ => part.kind() != Kind::FullGlobe,
                    };
                    if !fits {
                        return None;
                    }
                    parts.push(part);
                }
                Some(Shape::Multi(kind, parts))
            }
        }
    }

    fn curve(&mut self, figure: usize) -> Option<Curve> {
        let flat = self.flat;
        let (attribute, first) = flat.figures[figure];
        let end = flat.figures.get(figure + 1).map_or(flat.points.len(), |next| next.1 as usize);
        let points = flat.points.get(first as usize..end)?.to_vec();
        if points.is_empty() {
            return None;
        }
        if self.version == 1 || attribute == LINE || attribute == POINT {
            return Some(Curve::line(points));
        }
        if attribute == ARC {
            return Some(Curve { kind: Kind::CircularString, pieces: vec![Piece { arc: true, points }] });
        }
        let mut pieces: Vec<Piece> = Vec::new();
        let mut at = 0;
        while at + 1 < points.len() {
            let segment = *flat.segments.get(self.segment)?;
            self.segment += 1;
            let arc = matches!(segment, SEGMENT_ARC | SEGMENT_FIRST_ARC);
            let steps = if arc { 2 } else { 1 };
            if matches!(segment, SEGMENT_FIRST_ARC | SEGMENT_FIRST_LINE) {
                pieces.push(Piece { arc, points: vec![points[at]] });
            }
            let piece = pieces.last_mut().filter(|piece| piece.arc == arc)?;
            piece.points.extend(points.get(at + 1..=at + steps)?);
            at += steps;
        }
        Some(Curve { kind: Kind::CompoundCurve, pieces })
    }
}
