//! A shape as well-known text.

use types::SqlResult;
use types::pause::Pacer;

use crate::number;
use crate::shape::{Curve, Kind, Piece, Position, Shape};

/// How much of a point is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// STAsText(): X and Y alone.
    Plane,
    /// ToString(), AsTextZM().
    Full,
}

/// Appends the text of a shape.
pub fn write(shape: &Shape, detail: Detail, out: &mut String, pacer: &mut Pacer<'_>) -> SqlResult<()> {
    Writer { detail, out, pacer }.tagged(shape)
}

fn label(kind: Kind) -> &'static str {
    match kind {
        Kind::Point => "POINT",
        Kind::LineString => "LINESTRING",
        Kind::Polygon => "POLYGON",
        Kind::MultiPoint => "MULTIPOINT",
        Kind::MultiLineString => "MULTILINESTRING",
        Kind::MultiPolygon => "MULTIPOLYGON",
        Kind::Collection => "GEOMETRYCOLLECTION",
        Kind::CircularString => "CIRCULARSTRING",
        Kind::CompoundCurve => "COMPOUNDCURVE",
        Kind::CurvePolygon => "CURVEPOLYGON",
        Kind::FullGlobe => "FULLGLOBE",
    }
}

struct Writer<'o, 'w, 'p> {
    detail: Detail,
    out: &'o mut String,
    pacer: &'w mut Pacer<'p>,
}

impl Writer<'_, '_, '_> {
    fn tagged(&mut self, shape: &Shape) -> SqlResult<()> {
        self.out.push_str(label(shape.kind()));
        if matches!(shape, Shape::FullGlobe) {
            return Ok(());
        }
        self.out.push(' ');
        self.body(shape)
    }

    fn body(&mut self, shape: &Shape) -> SqlResult<()> {
        match shape {
            Shape::Point(None) => self.out.push_str("EMPTY"),
            Shape::Point(Some(point)) => self.row(std::slice::from_ref(point))?,
            Shape::Curve(curve) => self.curve(curve)?,
            Shape::Surface { rings, .. } if rings.is_empty() => self.out.push_str("EMPTY"),
            Shape::Surface { curved, rings } => self.list(rings, |writer, ring| {
                if *curved && ring.kind != Kind::LineString {
                    writer.out.push_str(label(ring.kind));
                    writer.out.push(' ');
                }
                writer.curve(ring)
            })?,
            Shape::Multi(_, parts) if parts.is_empty() => self.out.push_str("EMPTY"),
            Shape::Multi(Kind::Collection, parts) => self.list(parts, Writer::tagged)?,
            Shape::Multi(_, parts) => self.list(parts, Writer::body)?,
            Shape::FullGlobe => {}
        }
        Ok(())
    }

    fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T) -> SqlResult<()>) -> SqlResult<()> {
        self.out.push('(');
        for (at, one) in items.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            item(self, one)?;
        }
        self.out.push(')');
        Ok(())
    }

    fn curve(&mut self, curve: &Curve) -> SqlResult<()> {
        match (curve.kind, &curve.pieces[..]) {
            (_, []) => {
                self.out.push_str("EMPTY");
                Ok(())
            }
            (Kind::CompoundCurve, pieces) => self.list(pieces, |writer, piece: &Piece| {
                if piece.arc {
                    writer.out.push_str("CIRCULARSTRING ");
                }
                writer.row(&piece.points)
            }),
            (_, pieces) => self.row(&pieces[0].points),
        }
    }

    fn row(&mut self, points: &[Position]) -> SqlResult<()> {
        self.list(points, |writer, point| {
            writer.pacer.spend(512)?;
            number::push(point.x, writer.out);
            writer.out.push(' ');
            number::push(point.y, writer.out);
            if writer.detail == Detail::Full && !(point.z.is_nan() && point.m.is_nan()) {
                writer.out.push(' ');
                writer.number_or_null(point.z);
                if !point.m.is_nan() {
                    writer.out.push(' ');
                    writer.number_or_null(point.m);
                }
            }
            Ok(())
        })
    }

    fn number_or_null(&mut self, value: f64) {
        if value.is_nan() { self.out.push_str("NULL") } else { number::push(value, self.out) }
    }
}
