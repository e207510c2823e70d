//! Geography Markup Language 3.1.1, as far as both types have it: simple features.
//!
//! https://learn.microsoft.com/sql/t-sql/spatial-geometry/asgml-geometry-data-type. A geography's positions are latitude, longitude.

use types::pause::Pacer;
use types::{SqlError, SqlResult};

use crate::number;
use crate::shape::{Curve, Kind, NESTING_MAX, Piece, Position, Shape};
use crate::world::World;

const NAMESPACE: &str = "http://www.opengis.net/gml";

/// Appends the element of a shape.
pub fn write(world: World, shape: &Shape, out: &mut String, pacer: &mut Pacer<'_>) -> SqlResult<()> {
    if matches!(shape, Shape::FullGlobe) {
        out.push_str("<FullGlobe xmlns=\"http://schemas.microsoft.com/sqlserver/2011/geography\" />");
        return Ok(());
    }
    Writer { world, out, pacer, first: true }.shape(shape)
}

struct Writer<'o, 'w, 'p> {
    world: World,
    out: &'o mut String,
    pacer: &'w mut Pacer<'p>,
    /// The outermost element declares the namespace.
    first: bool,
}

impl Writer<'_, '_, '_> {
    fn element(&mut self, name: &str, inner: impl FnOnce(&mut Self) -> SqlResult<()>) -> SqlResult<()> {
        self.out.push('<');
        self.out.push_str(name);
        if std::mem::take(&mut self.first) {
            self.out.push_str(" xmlns=\"");
            self.out.push_str(NAMESPACE);
            self.out.push('"');
        }
        self.out.push('>');
        let start = self.out.len();
        inner(self)?;
        if self.out.len() == start {
            self.out.pop();
            self.out.push_str("/>");
        } else {
            self.out.push_str("</");
            self.out.push_str(name);
            self.out.push('>');
        }
        Ok(())
    }

    fn positions(&mut self, name: &str, points: &[Position]) -> SqlResult<()> {
        self.element(name, |writer| {
            for (at, point) in points.iter().enumerate() {
                writer.pacer.spend(512)?;
                if at > 0 {
                    writer.out.push(' ');
                }
                let (first, second) =
                    if writer.world == World::Globe { (point.y, point.x) } else { (point.x, point.y) };
                number::push(first, writer.out);
                writer.out.push(' ');
                number::push(second, writer.out);
            }
            Ok(())
        })
    }

    fn segments(&mut self, pieces: &[Piece]) -> SqlResult<()> {
        self.element("Curve", |writer| {
            writer.element("segments", |writer| {
                for piece in pieces {
                    let name = if piece.arc { "ArcString" } else { "LineStringSegment" };
                    writer.element(name, |writer| writer.positions("posList", &piece.points))?;
                }
                Ok(())
            })
        })
    }

    fn curve(&mut self, curve: &Curve) -> SqlResult<()> {
        match curve.kind {
            Kind::LineString => self.element("LineString", |writer| {
                writer.positions("posList", curve.pieces.first().map_or(&[], |piece| &piece.points))
            }),
            _ => self.segments(&curve.pieces),
        }
    }

    fn ring(&mut self, ring: &Curve) -> SqlResult<()> {
        match ring.kind {
            Kind::LineString => self.element("LinearRing", |writer| {
                writer.positions("posList", ring.pieces.first().map_or(&[], |piece| &piece.points))
            }),
            _ => self.element("Ring", |writer| writer.element("curveMember", |writer| writer.segments(&ring.pieces))),
        }
    }

    fn shape(&mut self, shape: &Shape) -> SqlResult<()> {
        match shape {
            Shape::Point(point) => self.element("Point", |writer| writer.positions("pos", point.as_slice())),
            Shape::Curve(curve) => self.curve(curve),
            Shape::Surface { rings, .. } => self.element("Polygon", |writer| {
                for (at, ring) in rings.iter().enumerate() {
                    writer.element(if at == 0 { "exterior" } else { "interior" }, |writer| writer.ring(ring))?;
                }
                Ok(())
            }),
            Shape::Multi(kind, parts) => {
                let (name, members) = match kind {
                    Kind::MultiPoint => ("MultiPoint", "pointMembers"),
                    Kind::MultiLineString => ("MultiCurve", "curveMembers"),
                    Kind::MultiPolygon => ("MultiSurface", "surfaceMembers"),
                    _ => ("MultiGeometry", "geometryMembers"),
                };
                self.element(name, |writer| {
                    if parts.is_empty() {
                        return Ok(());
                    }
                    writer.element(members, |writer| parts.iter().try_for_each(|part| writer.shape(part)))
                })
            }
            Shape::FullGlobe => Ok(()),
        }
    }
}

/// The shape of an element. Error 6522 with 24130: it is no geometry of GML.
pub fn read(world: World, text: &str, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    pacer.spend(16 * text.len())?;
    let mut reader = Reader { world, rest: text, depth: 0 };
    let name = reader.open().ok_or_else(|| reader.invalid())?;
    reader.shape(&name)
}

/// Reads the text of a value of type xml: well formed, without declarations.
struct Reader<'t> {
    world: World,
    rest: &'t str,
    depth: usize,
}

impl Reader<'_> {
    #[cold]
    fn invalid(&self) -> SqlError {
        self.world.format(24130, "The Geography Markup Language (GML) input is not valid.")
    }

    /// The next element that begins here, without its prefix and attributes; of an empty one both tags stand here afterwards.
    fn open(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        while self.rest.starts_with("<?") || self.rest.starts_with("<!--") {
            let end = self.rest.find('>')? + 1;
            self.rest = self.rest[end..].trim_start();
        }
        let inner = self.rest.strip_prefix('<').filter(|inner| !inner.starts_with('/'))?;
        let end = inner.find('>')?;
        let tag = &inner[..end];
        let empty = tag.ends_with('/');
        let name = tag.trim_end_matches('/').split_ascii_whitespace().next()?;
        let name = name.rsplit(':').next()?.to_string();
        // The slash of an empty element is read as its end.
        self.rest = if empty { &inner[end - 1..] } else { &inner[end + 1..] };
        Some(name)
    }

    fn close(&mut self) -> SqlResult<()> {
        self.rest = self.rest.trim_start();
        if let Some(rest) = self.rest.strip_prefix("/>") {
            self.rest = rest;
            return Ok(());
        }
        let end = self.rest.strip_prefix("</").and_then(|rest| rest.find('>')).ok_or_else(|| self.invalid())?;
        self.rest = &self.rest[end + 3..];
        Ok(())
    }

    /// The elements up to the end of the one that is open.
    fn children<T>(&mut self, mut child: impl FnMut(&mut Self, &str) -> SqlResult<T>) -> SqlResult<Vec<T>> {
        let mut found = Vec::new();
        while let Some(name) = self.open() {
            found.push(child(self, &name)?);
        }
        self.close()?;
        Ok(found)
    }

    fn numbers(&mut self) -> SqlResult<Vec<Position>> {
        let end = if self.rest.starts_with("/>") { 0 } else { self.rest.find('<').ok_or_else(|| self.invalid())? };
        let numbers = self.rest[..end].split_ascii_whitespace().map(|text| text.parse::<f64>());
        let numbers: Vec<f64> = numbers.collect::<Result<_, _>>().map_err(|_| self.invalid())?;
        self.rest = &self.rest[end..];
        self.close()?;
        if !numbers.len().is_multiple_of(2) || numbers.iter().any(|number| !number.is_finite()) {
            return Err(self.invalid());
        }
        let position = |pair: &[f64]| match self.world {
            World::Plane => Position::at(pair[0], pair[1]),
            World::Globe => Position::at(pair[1], pair[0]),
        };
        Ok(numbers.chunks_exact(2).map(position).collect())
    }

    /// `pos` or `posList` elements up to the end of the open one.
    fn points(&mut self) -> SqlResult<Vec<Position>> {
        let rows = self.children(|reader, name| match name {
            "pos" | "posList" => reader.numbers(),
            _ => Err(reader.invalid()),
        })?;
        Ok(rows.into_iter().flatten().collect())
    }

    fn one<T>(&mut self, child: impl FnMut(&mut Self, &str) -> SqlResult<T>) -> SqlResult<T> {
        let mut found = self.children(child)?;
        if found.len() != 1 {
            return Err(self.invalid());
        }
        Ok(found.remove(0))
    }

    fn curve(&mut self) -> SqlResult<Curve> {
        let pieces = self.one(|reader, name| match name {
            "segments" => reader.children(|reader, name| match name {
                "ArcString" => Ok(Piece { arc: true, points: reader.points()? }),
                "LineStringSegment" => Ok(Piece { arc: false, points: reader.points()? }),
                _ => Err(reader.invalid()),
            }),
            _ => Err(reader.invalid()),
        })?;
        let kind = match &pieces[..] {
            [Piece { arc: true, .. }] => Kind::CircularString,
            [Piece { arc: false, .. }] => Kind::LineString,
            _ => Kind::CompoundCurve,
        };
        Ok(Curve { kind, pieces })
    }

    fn ring(&mut self) -> SqlResult<Curve> {
        self.one(|reader, name| match name {
            "LinearRing" => Ok(Curve::line(reader.points()?)),
            "Ring" => reader.one(|reader, name| match name {
                "curveMember" => reader.one(|reader, name| match name {
                    "Curve" => reader.curve(),
                    _ => Err(reader.invalid()),
                }),
                _ => Err(reader.invalid()),
            }),
            _ => Err(reader.invalid()),
        })
    }

    /// What is behind the start tag of `name`.
    fn shape(&mut self, name: &str) -> SqlResult<Shape> {
        self.depth += 1;
        if self.depth > NESTING_MAX {
            return Err(self.invalid());
        }
        let shape = match name {
            "Point" => {
                let points = self.points()?;
                if points.len() > 1 {
                    return Err(self.invalid());
                }
                Shape::Point(points.first().copied())
            }
            "LineString" => Shape::line(self.points()?),
            "Curve" => Shape::Curve(self.curve()?),
            "Polygon" => {
                let rings = self.children(|reader, name| match name {
                    "exterior" | "interior" => reader.ring(),
                    _ => Err(reader.invalid()),
                })?;
                let curved = rings.iter().any(|ring| ring.kind != Kind::LineString);
                Shape::Surface { curved, rings }
            }
            "MultiPoint" => self.members(Kind::MultiPoint, &["pointMembers", "pointMember"])?,
            "MultiCurve" => self.members(Kind::MultiLineString, &["curveMembers", "curveMember"])?,
            "MultiSurface" => self.members(Kind::MultiPolygon, &["surfaceMembers", "surfaceMember"])?,
            "MultiGeometry" => self.members(Kind::Collection, &["geometryMembers", "geometryMember"])?,
            "FullGlobe" if self.world == World::Globe => {
                self.close()?;
                Shape::FullGlobe
            }
            _ => return Err(self.invalid()),
        };
        self.depth -= 1;
        Ok(shape)
    }

    fn members(&mut self, kind: Kind, names: &[&str]) -> SqlResult<Shape> {
        let parts = self.children(|reader, name| {
            if !names.contains(&name) {
                return Err(reader.invalid());
            }
            reader.children(|reader, name| reader.shape(name))
        })?;
        let parts: Vec<Shape> = parts.into_iter().flatten().collect();
        let fits = |part: &Shape| match kind {
            Kind::MultiPoint => part.kind() == Kind::Point,
            Kind::MultiLineString => part.kind() == Kind::LineString,
            Kind::MultiPolygon => part.kind() == Kind::Polygon,
            _ => part.kind() != Kind::FullGlobe,
        };
        if parts.iter().all(fits) { Ok(Shape::Multi(kind, parts)) } else { Err(self.invalid()) }
    }
}
