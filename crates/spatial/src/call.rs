//! Runs methods over values.

use types::pause::Pacer;
use types::{SqlError, SqlResult, sql_error};

use crate::globe::{combine, measure as ground};
use crate::method::{Form, Method, Signature, Take};
use crate::plane::measure::{self, Extent};
use crate::plane::overlay::{Operation, make_valid, overlay, union_all};
use crate::plane::relate::{Matrix, relate};
use crate::plane::{buffer, hull, reduce, valid};
use crate::shape::{Curve, Kind, Position, Shape, Value};
use crate::value::{self, system};
use crate::world::World;
use crate::write_text::{Detail, write};
use crate::{arc, binary, codec, gml, read_text};

/// Parts of its distance that a buffer may be wrong, as STBuffer() has it.
const BUFFER_TOLERANCE: f64 = 0.001;

/// An argument, converted to what the method takes.
#[derive(Debug, Clone)]
pub enum Given {
    Null,
    Int(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// Memory that a call takes at most for each byte of a value: a point has sixteen of them, and 32 in memory, twice while it is changed.
const BYTES_TIMES: usize = 4;
/// And of a text: a point may have four characters.
pub const TEXT_TIMES: usize = 16;

/// Memory that a call takes at most beside what it is given. Bytes.
pub fn room(receiver: Option<&[u8]>, given: &[Given]) -> usize {
    let of = |given: &Given| match given {
        Given::Text(text) => TEXT_TIMES * text.len(),
        Given::Bytes(bytes) => BYTES_TIMES * bytes.len(),
        Given::Null | Given::Int(_) | Given::Float(_) => 0,
    };
    BYTES_TIMES * receiver.map_or(0, <[u8]>::len) + given.iter().map(of).sum::<usize>()
}

#[derive(Debug, Clone)]
pub enum Answer {
    Null,
    Int(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// One call. `receiver`: the bytes of the value whose method it is, None of a NULL.
pub fn call(
    world: World,
    signature: &Signature,
    receiver: Option<&[u8]>,
    given: &[Given],
    pacer: &mut Pacer<'_>,
) -> SqlResult<Answer> {
    if signature.form == Form::StaticProperty {
        return Ok(Answer::Null);
    }
    if signature.method == Method::IsNull {
        return Ok(Answer::Int(i64::from(receiver.is_none())));
    }
    if !signature.is_static() && receiver.is_none() {
        return Ok(Answer::Null);
    }
    for (at, (given, take)) in given.iter().zip(signature.takes).enumerate() {
        if matches!(given, Given::Null) {
            return match take {
                Take::Int | Take::Float | Take::Bit => Err(sql_error!(
                    6569,
                    if signature.is_static() {
                        format!("{}::{}", world.name(), signature.name)
                    } else {
                        signature.name.into()
                    },
                    at + 1
                )),
                _ => Ok(Answer::Null),
            };
        }
    }
    let mut call = Call { world, method: signature.method, given, pacer };
    match receiver {
        None => call.construct(),
        Some(bytes) => {
            let value = codec::decode(world, bytes, call.pacer)?;
            call.answer(value)
        }
    }
}

/// The value with another SRID, as SET changes it. NULL stays NULL: 5302 is the caller's.
pub fn with_srid(world: World, bytes: &[u8], srid: i32) -> SqlResult<Vec<u8>> {
    value::check_srid(world, srid)?;
    let mut changed = bytes.to_vec();
    changed[..4].copy_from_slice(&srid.to_le_bytes());
    Ok(changed)
}

/// What an aggregate makes of the values of its rows, whose SRIDs are one. None: there are none.
pub fn aggregate(world: World, method: Method, values: &[Value], pacer: &mut Pacer<'_>) -> SqlResult<Option<Vec<u8>>> {
    let Some(first) = values.first() else { return Ok(None) };
    if values.iter().any(|value| value.srid != first.srid) {
        return Ok(None);
    }
    let mut call = Call { world, method, given: &[], pacer };
    for value in values {
        call.valid(value)?;
    }
    // SQL Server's is a circle on the ground, which has arcs.
    if (method, world) == (Method::EnvelopeAggregate, World::Globe) {
        return Err(world.not_supported("EnvelopeAggregate"));
    }
    let shapes: Vec<Shape> = values.iter().map(|value| call.straight(&value.shape)).collect::<SqlResult<_>>()?;
    let all: Vec<&Shape> = shapes.iter().collect();
    let shape = match (method, world) {
        (Method::CollectionAggregate, _) => {
            Shape::Multi(Kind::Collection, values.iter().map(|value| value.shape.clone()).collect())
        }
        (Method::UnionAggregate, World::Plane) => union_all(&all, call.pacer)?,
        (Method::UnionAggregate, World::Globe) => combine::union(system(first.srid), &all, call.pacer)?,
        (_, _) => {
            let collected = Shape::Multi(Kind::Collection, shapes);
            match (method, world) {
                (Method::EnvelopeAggregate, World::Plane) => {
                    Extent::of(&collected).map_or(Shape::empty(Kind::Collection), |extent| extent.shape())
                }
                (_, World::Plane) => hull::hull(&collected, call.pacer)?,
                (_, World::Globe) => combine::convex_hull(system(first.srid), &collected, call.pacer)?,
            }
        }
    };
    let made = value::made(world, first.srid, shape, call.pacer)?;
    codec::encode(world, &made, call.pacer).map(Some)
}

struct Call<'g, 'w, 'p> {
    world: World,
    method: Method,
    given: &'g [Given],
    pacer: &'w mut Pacer<'p>,
}

impl Call<'_, '_, '_> {
    fn int(&self, at: usize) -> i64 {
        match self.given[at] {
            Given::Int(value) => value,
            ref other => panic!("an int was asked for, given {other:?}"),
        }
    }

    fn float(&self, at: usize) -> f64 {
        match self.given[at] {
            Given::Float(value) => value,
            ref other => panic!("a float was asked for, given {other:?}"),
        }
    }

    fn text(&self, at: usize) -> &str {
        match &self.given[at] {
            Given::Text(text) => text,
            other => panic!("a text was asked for, given {other:?}"),
        }
    }

    fn bytes(&self, at: usize) -> &[u8] {
        match &self.given[at] {
            Given::Bytes(bytes) => bytes,
            other => panic!("bytes were asked for, given {other:?}"),
        }
    }

    fn of(&mut self, srid: i32, shape: Shape) -> SqlResult<Answer> {
        let value = value::made(self.world, srid, shape, self.pacer)?;
        codec::encode(self.world, &value, self.pacer).map(Answer::Bytes)
    }

    fn maybe(&mut self, srid: i32, shape: Option<Shape>) -> SqlResult<Answer> {
        shape.map_or(Ok(Answer::Null), |shape| self.of(srid, shape))
    }

    fn construct(&mut self) -> SqlResult<Answer> {
        let world = self.world;
        let (srid, shape) = match self.method {
            Method::Parse => {
                let text = self.text(0).to_string();
                // A text of nothing but this is the NULL value.
                if text.trim().eq_ignore_ascii_case("NULL") {
                    return Ok(Answer::Null);
                }
                (value::default_srid(world), read_text::read(world, &text, None, self.pacer)?)
            }
            Method::Point => {
                let (first, second) = (self.float(0), self.float(1));
                let (x, y) = if world == World::Globe { (second, first) } else { (first, second) };
                (self.int(2) as i32, Shape::Point(Some(Position::at(x, y))))
            }
            Method::GeomFromGml => {
                let text = self.text(0).to_string();
                (self.int(1) as i32, gml::read(world, &text, self.pacer)?)
            }
            method => {
                let srid = self.int(1) as i32;
                let shape = match &self.given[0] {
                    Given::Bytes(bytes) => binary::read(world, bytes, method.wanted(), self.pacer)?,
                    Given::Text(text) => read_text::read(world, text, method.wanted(), self.pacer)?,
                    other => panic!("a text or bytes were asked for, given {other:?}"),
                };
                (srid, shape)
            }
        };
        let value = value::of_shape(world, srid, shape, self.pacer)?;
        codec::encode(world, &value, self.pacer).map(Answer::Bytes)
    }

    fn answer(&mut self, value: Value) -> SqlResult<Answer> {
        use Method::*;
        match self.method {
            ToString | AsText | AsTextZm | AsBinary | AsBinaryZm | AsGml => self.written(&value),
            PointN | StartPoint | EndPoint | NumGeometries | GeometryN | NumCurves | CurveN | ExteriorRing
            | NumInteriorRing | InteriorRingN | NumRings | RingN => self.part(value),
            Area | Length | Centroid | PointOnSurface | Envelope | Boundary | EnvelopeCenter | EnvelopeAngle
            | IsSimple | IsRing => self.measured(value),
            MakeValid
            | Buffer
            | BufferWithTolerance
            | ConvexHull
            | Reduce
            | ReorientObject
            | CurveToLine
            | CurveToLineWithTolerance => self.changed(value),
            Distance | ShortestLineTo | Equals | Disjoint | Intersects | Filter | Within | Contains | Overlaps
            | Touches | Crosses | Relate | Union | Intersection | Difference | SymDifference => self.with_other(value),
            _ => self.described(&value),
        }
    }

    fn written(&mut self, value: &Value) -> SqlResult<Answer> {
        let detail =
            if matches!(self.method, Method::AsText | Method::AsBinary) { Detail::Plane } else { Detail::Full };
        if matches!(self.method, Method::AsBinary | Method::AsBinaryZm) {
            return binary::write(&value.shape, detail, self.pacer).map(Answer::Bytes);
        }
        let mut text = String::new();
        match self.method {
            Method::AsGml => gml::write(self.world, &value.shape, &mut text, self.pacer)?,
            _ => write(&value.shape, detail, &mut text, self.pacer)?,
        }
        Ok(Answer::Text(text))
    }

    /// What the value says of itself.
    fn described(&mut self, value: &Value) -> SqlResult<Answer> {
        use Method::*;
        let shape = &value.shape;
        let bit = |value: bool| Answer::Int(i64::from(value));
        let point = match shape {
            Shape::Point(point) => *point,
            _ => None,
        };
        let number = |value: Option<f64>| value.filter(|value| !value.is_nan()).map_or(Answer::Null, Answer::Float);
        let has = |of: fn(&Position) -> f64| {
            let mut found = false;
            shape.each_point(&mut |point| found |= !of(point).is_nan());
            found
        };
        Ok(match self.method {
            Srid => Answer::Int(value.srid.into()),
            X | Long => number(point.map(|point| point.x)),
            Y | Lat => number(point.map(|point| point.y)),
            Z => number(point.map(|point| point.z)),
            M => number(point.map(|point| point.m)),
            HasZ => bit(has(|point| point.z)),
            HasM => bit(has(|point| point.m)),
            GeometryType => Answer::Text(shape.kind().name().into()),
            InstanceOf => match shape.kind().is_a(self.text(0)) {
                Some(is) => bit(is),
                None => {
                    let text =
                        format_args!("The geometry type name '{}' passed to InstanceOf is not valid.", self.text(0))
                            .to_string();
                    return Err(self.world.argument(24212, text));
                }
            },
            Dimension => Answer::Int(shape.dimension().into()),
            IsEmpty => bit(shape.is_empty()),
            IsValid => bit(value.valid),
            IsValidDetailed => {
                let flaw = if value.valid { None } else { value::flaw(self.world, value.srid, shape, self.pacer)? };
                let unknown = || "24401: Not valid, reason unknown.".to_string();
                Answer::Text(if value.valid { valid::VALID.into() } else { flaw.unwrap_or_else(unknown) })
            }
            MinDbCompatibilityLevel => {
                let newer = value.large || shape.has_arcs() || matches!(shape, Shape::FullGlobe);
                Answer::Int(if newer { 110 } else { 100 })
            }
            IsClosed => {
                let mut closed = !shape.is_empty();
                shape.each(&mut |part| {
                    closed &= match part {
                        Shape::Point(_) => false,
                        Shape::Curve(curve) => curve.is_empty() || curve.is_closed(),
                        _ => true,
                    }
                });
                bit(closed)
            }
            NumPoints => Answer::Int(shape.count() as i64),
            method => panic!("{method:?} says nothing of a value"),
        })
    }

    /// The index that a method is asked for, from 0. Error 6522: below 1.
    fn index(&self, number: u32, what: &str, of: &str) -> SqlResult<usize> {
        let asked = self.int(0);
        usize::try_from(asked - 1).map_err(|_| {
            let name = format!("{:?}", self.method);
            let prefix = if matches!(self.method, Method::RingN) { "" } else { "ST" };
            self.world.out_of_range(
                number,
                format_args!(
                    "The {what} index n ({asked}) passed to {prefix}{name} is less than 1. This number must be greater than or equal to 1 \
                     and should be less than or equal to the number of {what}s returned by {of}."
                ),
            )
        })
    }

    /// Parts of a value by number.
    fn part(&mut self, value: Value) -> SqlResult<Answer> {
        use Method::*;
        let Value { srid, shape, .. } = value;
        let point = |at: usize| {
            let (mut seen, mut found) = (0, None);
            shape.each_point(&mut |point| {
                if seen == at {
                    found = Some(Shape::Point(Some(*point)));
                }
                seen += 1;
            });
            found
        };
        let rings: &[Curve] = if let Shape::Surface { rings, .. } = &shape { rings } else { &[] };
        let is_surface = matches!(shape, Shape::Surface { .. });
        let found = match self.method {
            PointN => point(self.index(24101, "point", "STNumPoints")?),
            StartPoint => point(0),
            EndPoint => shape.count().checked_sub(1).and_then(point),
            NumGeometries => {
                return Ok(Answer::Int(match &shape {
                    Shape::Multi(_, parts) => parts.len() as i64,
                    single => i64::from(!single.is_empty()),
                }));
            }
            GeometryN => {
                let at = self.index(24102, "geometry", "STNumGeometries")?;
                match &shape {
                    Shape::Multi(_, parts) => parts.get(at).cloned(),
                    single => (at == 0 && !single.is_empty()).then(|| single.clone()),
                }
            }
            NumCurves => match &shape {
                Shape::Curve(curve) => return Ok(Answer::Int(curves(curve).len() as i64)),
                _ => None,
            },
            CurveN => {
                let at = self.index(24105, "curve", "STNumCurves")?;
                match &shape {
                    Shape::Curve(curve) => curves(curve).into_iter().nth(at).map(Shape::Curve),
                    _ => None,
                }
            }
            ExteriorRing => rings.first().map(|ring| Shape::Curve(ring.clone())),
            NumInteriorRing if is_surface => return Ok(Answer::Int(rings.len().saturating_sub(1) as i64)),
            NumRings if is_surface => return Ok(Answer::Int(rings.len() as i64)),
            InteriorRingN => {
                let at = self.index(24103, "ring", "STNumInteriorRing")?;
                rings.get(at.saturating_add(1)).map(|ring| Shape::Curve(ring.clone()))
            }
            RingN => {
                let at = self.index(24104, "ring", "NumRings")?;
                rings.get(at).map(|ring| Shape::Curve(ring.clone()))
            }
            _ => None,
        };
        self.maybe(srid, found)
    }

    fn valid(&self, value: &Value) -> SqlResult<()> {
        if value.valid { Ok(()) } else { Err(self.world.not_valid()) }
    }

    /// A shape with lines for its arcs.
    fn straight(&mut self, shape: &Shape) -> SqlResult<Shape> {
        if !shape.has_arcs() {
            return Ok(shape.clone());
        }
        match self.world {
            World::Plane => arc::straightened(shape, None, self.pacer),
            World::Globe => Err(self.world.not_supported("Computing with the circular arcs of a geography")),
        }
    }

    fn measured(&mut self, value: Value) -> SqlResult<Answer> {
        use Method::*;
        self.valid(&value)?;
        let Value { srid, shape, .. } = value;
        if self.world == World::Globe {
            let shape = self.straight(&shape)?;
            let system = system(srid);
            return Ok(match self.method {
                Area => Answer::Float(ground::area(system, &shape, self.pacer)?),
                Length => Answer::Float(ground::length(system, &shape, self.pacer)?),
                EnvelopeAngle => {
                    combine::envelope(system, &shape).map_or(Answer::Null, |(_, angle)| Answer::Float(angle))
                }
                _ => {
                    let center = combine::envelope(system, &shape).map(|(center, _)| Shape::Point(Some(center)));
                    return self.maybe(srid, center);
                }
            });
        }
        let found = match self.method {
            Area => return measure::area(&shape, self.pacer).map(Answer::Float),
            Length => return measure::length(&shape, self.pacer).map(Answer::Float),
            IsSimple => {
                let simple = valid::is_simple(&self.straight(&shape)?, self.pacer)?;
                return Ok(Answer::Int(i64::from(simple)));
            }
            IsRing => {
                let Shape::Curve(curve) = &shape else { return Ok(Answer::Null) };
                let ring = curve.is_closed() && valid::is_simple(&self.straight(&shape)?, self.pacer)?;
                return Ok(Answer::Int(i64::from(ring)));
            }
            Centroid => measure::centroid(&self.straight(&shape)?, self.pacer)?.map(|point| Shape::Point(Some(point))),
            PointOnSurface => {
                let point = measure::point_on_surface(&self.straight(&shape)?);
                Some(point.map_or(Shape::empty(Kind::Collection), |point| Shape::Point(Some(point))))
            }
            Envelope => {
                let extent = Extent::of(&self.straight(&shape)?);
                Some(extent.map_or(Shape::empty(Kind::Collection), |extent| extent.shape()))
            }
            _ => Some(measure::boundary(&self.straight(&shape)?, self.pacer)?),
        };
        self.maybe(srid, found)
    }

    fn changed(&mut self, value: Value) -> SqlResult<Answer> {
        use Method::*;
        let (world, srid) = (self.world, value.srid);
        if self.method == MakeValid {
            if value.valid {
                return codec::encode(world, &value, self.pacer).map(Answer::Bytes);
            }
            let shape = self.straight(&value.shape)?;
            let shape = match world {
                World::Plane => make_valid(&shape, self.pacer)?,
                World::Globe => combine::made_valid(system(srid), &shape, self.pacer)?,
            };
            return self.of(srid, shape);
        }
        if self.method == ReorientObject {
            return self.reoriented(value);
        }
        self.valid(&value)?;
        if matches!(self.method, CurveToLine | CurveToLineWithTolerance) {
            return self.lines(value);
        }
        let shape = self.straight(&value.shape)?;
        let shape = match self.method {
            ConvexHull => match world {
                World::Plane => hull::hull(&shape, self.pacer)?,
                World::Globe => combine::convex_hull(system(srid), &shape, self.pacer)?,
            },
            Reduce => self.reduced(srid, &shape)?,
            _ => self.buffered(srid, &shape)?,
        };
        self.of(srid, shape)
    }

    /// The same rings the other way around, so that a geography becomes what it left out.
    fn reoriented(&mut self, value: Value) -> SqlResult<Answer> {
        fn turned(shape: &Shape) -> Shape {
            match shape {
                Shape::Surface { curved, rings } => {
                    Shape::Surface { curved: *curved, rings: rings.iter().map(Curve::reversed).collect() }
                }
                Shape::Multi(kind, parts) => Shape::Multi(*kind, parts.iter().map(turned).collect()),
                Shape::FullGlobe => Shape::empty(Kind::Collection),
                other => other.clone(),
            }
        }
        self.pacer.spend(32 * value.shape.count())?;
        let shape = turned(&value.shape);
        self.of(value.srid, shape)
    }

    fn lines(&mut self, value: Value) -> SqlResult<Answer> {
        let mut tolerance = None;
        if self.method == Method::CurveToLineWithTolerance {
            let asked = self.float(0);
            if asked <= 0.0 || asked.is_nan() {
                return Err(self.world.out_of_range(24213, "The tolerance must be greater than zero."));
            }
            let relative = self.int(1) != 0;
            let extent = Extent::of(&value.shape).filter(|_| relative);
            let size = extent
                .map_or(1.0, |extent| (0..2).map(|axis| extent.high[axis] - extent.low[axis]).fold(0.0, f64::max));
            tolerance = Some(asked * size);
        }
        if value.shape.has_arcs() && self.world == World::Globe {
            return Err(self.world.not_supported("Computing with the circular arcs of a geography"));
        }
        let shape = arc::straightened(&value.shape, tolerance, self.pacer)?;
        self.of(value.srid, shape)
    }

    fn reduced(&mut self, srid: i32, shape: &Shape) -> SqlResult<Shape> {
        let tolerance = self.float(0);
        if tolerance < 0.0 || tolerance.is_nan() {
            return Err(self.world.out_of_range(24214, "The tolerance must not be negative."));
        }
        match self.world {
            World::Plane => reduce::reduce(shape, tolerance, self.pacer),
            World::Globe => {
                let system = system(srid);
                combine::reduced(system, shape, tolerance, self.pacer)
            }
        }
    }

    fn buffered(&mut self, srid: i32, shape: &Shape) -> SqlResult<Shape> {
        let distance = self.float(0);
        let mut tolerance = distance.abs() * BUFFER_TOLERANCE;
        if self.method == Method::BufferWithTolerance {
            let asked = self.float(1);
            if asked <= 0.0 || asked.is_nan() {
                return Err(self.world.out_of_range(24213, "The tolerance must be greater than zero."));
            }
            tolerance = if self.int(2) != 0 { asked * self.size(srid, shape) } else { asked };
        }
        match self.world {
            World::Plane => buffer::buffer(shape, distance, tolerance, self.pacer),
            World::Globe => combine::buffer(system(srid), shape, distance, tolerance, self.pacer),
        }
    }

    /// What a relative tolerance is multiplied with: the diameter of the bounding box, or of the bounding circle on the ground.
    fn size(&self, srid: i32, shape: &Shape) -> f64 {
        match self.world {
            World::Plane => Extent::of(shape)
                .map_or(0.0, |extent| (extent.high[0] - extent.low[0]).hypot(extent.high[1] - extent.low[1])),
            World::Globe => {
                let system = system(srid);
                let angle = combine::envelope(system, shape).map_or(0.0, |(_, angle)| angle);
                2.0 * angle.to_radians() * system.semi_major
            }
        }
    }

    /// The argument that is a value of the same type.
    fn other(&mut self) -> SqlResult<Value> {
        let bytes = self.bytes(0).to_vec();
        codec::decode(self.world, &bytes, self.pacer)
    }

    fn with_other(&mut self, one: Value) -> SqlResult<Answer> {
        use Method::*;
        let other = self.other()?;
        // Systems that differ have nothing in common.
        if one.srid != other.srid {
            return Ok(Answer::Null);
        }
        self.valid(&one)?;
        self.valid(&other)?;
        let (a, b) = (self.straight(&one.shape)?, self.straight(&other.shape)?);
        let operation = match self.method {
            Union => Some(Operation::Union),
            Intersection => Some(Operation::Intersection),
            Difference => Some(Operation::Difference),
            SymDifference => Some(Operation::SymmetricDifference),
            _ => None,
        };
        if let Some(operation) = operation {
            let shape = match self.world {
                World::Plane => overlay(&a, &b, operation, self.pacer)?,
                World::Globe => combine::combined(system(one.srid), &a, &b, operation, self.pacer)?,
            };
            return self.of(one.srid, shape);
        }
        if matches!(self.method, Distance | ShortestLineTo) {
            return self.distance(one.srid, &a, &b);
        }
        self.related(one.srid, &a, &b).map(|holds| Answer::Int(i64::from(holds)))
    }

    fn distance(&mut self, srid: i32, a: &Shape, b: &Shape) -> SqlResult<Answer> {
        let found = match self.world {
            World::Plane => measure::nearest(a, b, self.pacer)?,
            World::Globe => {
                let system = system(srid);
                let points = matches!((a, b), (Shape::Point(_), Shape::Point(_)));
                if !points && combine::intersects(system, a, b, self.pacer)? {
                    // Where they meet nobody asks, but of a line of no length.
                    Some((0.0, [Position::at(0.0, 0.0); 2]))
                } else {
                    ground::nearest(system, a, b, self.pacer)?
                }
            }
        };
        match found {
            None => Ok(Answer::Null),
            Some((distance, _)) if self.method == Method::Distance => Ok(Answer::Float(distance)),
            Some((0.0, _)) => self.of(srid, Shape::empty(Kind::LineString)),
            Some((_, ends)) => self.of(srid, Shape::line(ends.to_vec())),
        }
    }

    fn related(&mut self, srid: i32, a: &Shape, b: &Shape) -> SqlResult<bool> {
        use Method::*;
        let (one, other) = (a.dimension(), b.dimension());
        if one < 0 || other < 0 {
            // Nothing touches what is empty; two empty shapes are equal.
            return match self.method {
                Disjoint => Ok(true),
                Equals => Ok(one == other),
                Relate => {
                    let matrix = relate(a, b, self.pacer)?;
                    self.pattern(&matrix)
                }
                _ => Ok(false),
            };
        }
        let far = self.world == World::Plane
            && self.method != Relate
            && !matches!((Extent::of(a), Extent::of(b)), (Some(a), Some(b)) if a.meets(&b));
        if far {
            return Ok(self.method == Disjoint);
        }
        let matrix = match self.world {
            World::Plane => relate(a, b, self.pacer)?,
            World::Globe => combine::matrix(system(srid), a, b, self.pacer)?,
        };
        Ok(match self.method {
            Equals => matrix.equals(),
            Disjoint => !matrix.intersects(),
            Intersects | Filter => matrix.intersects(),
            Within => matrix.within(),
            Contains => matrix.contains(),
            Overlaps => matrix.overlaps(one, other),
            Touches => matrix.touches() && (one > 0 || other > 0),
            Crosses => matrix.crosses(one, other),
            _ => return self.pattern(&matrix),
        })
    }

    fn pattern(&self, matrix: &Matrix) -> SqlResult<bool> {
        let pattern = self.text(1);
        matrix.fits(pattern).ok_or_else(|| -> SqlError {
            self.world.argument(
                24130,
                format_args!(
                    "The intersection pattern matrix '{pattern}' is not valid. The pattern must be a string of nine characters, each of \
                     which is one of T, F, *, 0, 1 and 2."
                ),
            )
        })
    }
}

/// The curves that a curve is of: each arc and each line of a compound one.
fn curves(curve: &Curve) -> Vec<Curve> {
    let mut found = Vec::new();
    for piece in &curve.pieces {
        if piece.arc {
            for (points, _) in arc::arcs(piece) {
                let pieces = vec![crate::shape::Piece { arc: true, points: points.to_vec() }];
                found.push(Curve { kind: Kind::CircularString, pieces });
            }
        } else {
            found.extend(piece.points.windows(2).map(|pair| Curve::line(pair.to_vec())));
        }
    }
    found
}
