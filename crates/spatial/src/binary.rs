//! Well-known binary, both ways.

use types::pause::Pacer;
use types::{SqlError, SqlResult, long};

use crate::shape::{Curve, KINDS, Kind, NESTING_MAX, Piece, Position, Shape};
use crate::world::World;
use crate::write_text::Detail;

const LITTLE_ENDIAN: u8 = 1;

/// A shape as well-known binary, little-endian; with Z and M the types of ISO 19125.
pub fn write(shape: &Shape, detail: Detail, pacer: &mut Pacer<'_>) -> SqlResult<Vec<u8>> {
    let count = shape.count();
    pacer.spend(32 * count)?;
    let (mut z, mut m) = (false, false);
    if detail == Detail::Full {
        shape.each_point(&mut |point| {
            z |= !point.z.is_nan();
            m |= !point.m.is_nan();
        });
    }
    Ok(long::run(32 * count, || {
        let mut writer = Writer { out: Vec::with_capacity(16 * count + 16), z, m };
        writer.shape(shape);
        writer.out
    }))
}

struct Writer {
    out: Vec<u8>,
    z: bool,
    m: bool,
}

impl Writer {
    fn head(&mut self, kind: Kind) {
        self.out.push(LITTLE_ENDIAN);
        let more = if self.z { 1000 } else { 0 } + if self.m { 2000 } else { 0 };
        self.out.extend((kind as u32 + more).to_le_bytes());
    }

    fn count(&mut self, count: usize) {
        self.out.extend((count as u32).to_le_bytes());
    }

    fn point(&mut self, point: &Position) {
        self.out.extend(point.x.to_le_bytes());
        self.out.extend(point.y.to_le_bytes());
        if self.z {
            self.out.extend(point.z.to_le_bytes());
        }
        if self.m {
            self.out.extend(point.m.to_le_bytes());
        }
    }

    fn row(&mut self, points: &[Position]) {
        self.count(points.len());
        points.iter().for_each(|point| self.point(point));
    }

    fn curve(&mut self, curve: &Curve) {
        self.head(curve.kind);
        match curve.kind {
            Kind::CompoundCurve => {
                self.count(curve.pieces.len());
                for piece in &curve.pieces {
                    self.head(if piece.arc { Kind::CircularString } else { Kind::LineString });
                    self.row(&piece.points);
                }
            }
            _ => self.row(curve.pieces.first().map_or(&[], |piece| &piece.points)),
        }
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Point(point) => {
                self.head(Kind::Point);
                // An empty point is one of no numbers.
                self.point(&point.unwrap_or(Position::at(f64::NAN, f64::NAN)));
            }
            Shape::Curve(curve) => self.curve(curve),
            Shape::Surface { curved, rings } => {
                self.head(shape.kind());
                self.count(rings.len());
                for ring in rings {
                    if *curved {
                        self.curve(ring)
                    } else {
                        self.row(ring.pieces.first().map_or(&[], |piece| &piece.points))
                    }
                }
            }
            Shape::Multi(kind, parts) => {
                self.head(*kind);
                self.count(parts.len());
                parts.iter().for_each(|part| self.shape(part));
            }
            // https://learn.microsoft.com/openspecs/sql_server_protocols/ms-ssclrt: no OGC type.
            Shape::FullGlobe => self.head(Kind::FullGlobe),
        }
    }
}

/// The shape that `bytes` are. `wanted`: the only kind it may be. Error 6522 with 24115 or 24142.
pub fn read(world: World, bytes: &[u8], wanted: Option<Kind>, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    pacer.spend(2 * bytes.len())?;
    let mut reader = Reader { bytes, depth: 0 };
    let shape = long::run(bytes.len(), || reader.shape().filter(|_| reader.bytes.is_empty()));
    let shape = shape.ok_or_else(|| invalid(world))?;
    match wanted {
        Some(kind) if kind != shape.kind() => Err(invalid(world)),
        _ => Ok(shape),
    }
}

#[cold]
fn invalid(world: World) -> SqlError {
    world.format(24115, "The well-known binary (WKB) input is not valid.")
}

struct Reader<'b> {
    bytes: &'b [u8],
    depth: usize,
}

#[derive(Clone, Copy)]
struct Head {
    kind: Kind,
    little: bool,
    z: bool,
    m: bool,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.bytes.split_at_checked(N)?;
        self.bytes = rest;
        head.try_into().ok()
    }

    fn number(&mut self, little: bool) -> Option<u32> {
        let bytes = self.take()?;
        Some(if little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    fn head(&mut self) -> Option<Head> {
        let [order] = self.take()?;
        let little = match order {
            0 => false,
            LITTLE_ENDIAN => true,
            _ => return None,
        };
        let code = self.number(little)?;
        let more = code / 1000;
        let kind = *KINDS.get((code % 1000).checked_sub(1)? as usize).filter(|_| more <= 3)?;
        Some(Head { kind, little, z: more & 1 == 1, m: more & 2 == 2 })
    }

    fn coordinate(&mut self, little: bool) -> Option<f64> {
        let bytes = self.take()?;
        Some(if little { f64::from_le_bytes(bytes) } else { f64::from_be_bytes(bytes) })
    }

    fn point(&mut self, head: Head) -> Option<Position> {
        let mut point = Position::at(self.coordinate(head.little)?, self.coordinate(head.little)?);
        if head.z {
            point.z = self.coordinate(head.little)?;
        }
        if head.m {
            point.m = self.coordinate(head.little)?;
        }
        Some(point)
    }

    /// A count of things of at least `size` bytes.
    fn count(&mut self, head: Head, size: usize) -> Option<usize> {
        let count = self.number(head.little)? as usize;
        (count <= self.bytes.len() / size).then_some(count)
    }

    fn row(&mut self, head: Head) -> Option<Vec<Position>> {
        let count = self.count(head, 16)?;
        (0..count).map(|_| self.point(head)).collect()
    }

    fn curve(&mut self, head: Head) -> Option<Curve> {
        match head.kind {
            Kind::LineString => Some(Curve::line(self.row(head)?)),
            Kind::CircularString => {
                let points = self.row(head)?;
                let pieces = if points.is_empty() { Vec::new() } else { vec![Piece { arc: true, points }] };
                Some(Curve { kind: head.kind, pieces })
            }
            Kind::CompoundCurve => {
                let mut pieces = Vec::new();
                for _ in 0..self.count(head, 9)? {
                    let inner = self.head()?;
                    let arc = match inner.kind {
                        Kind::LineString => false,
                        Kind::CircularString => true,
                        _ => return None,
                    };
                    pieces.push(Piece { arc, points: self.row(inner)? });
                }
                Some(Curve { kind: head.kind, pieces })
            }
            _ => None,
        }
    }

    fn shape(&mut self) -> Option<Shape> {
        let head = self.head()?;
        Some(match head.kind {
            Kind::Point => {
                let point = self.point(head)?;
                Shape::Point((!point.x.is_nan() || !point.y.is_nan()).then_some(point))
            }
            Kind::LineString | Kind::CircularString | Kind::CompoundCurve => Shape::Curve(self.curve(head)?),
            Kind::Polygon => {
                let count = self.count(head, 4)?;
                let rings = (0..count).map(|_| self.row(head).map(Curve::line)).collect::<Option<_>>()?;
                Shape::Surface { curved: false, rings }
            }
            Kind::CurvePolygon => {
                let count = self.count(head, 9)?;
                let rings = (0..count)
                    .map(|_| {
                        let inner = self.head()?;
                        self.curve(inner)
                    })
                    .collect::<Option<_>>()?;
                Shape::Surface { curved: true, rings }
            }
            Kind::FullGlobe => return None,
            kind => {
                let count = self.count(head, 9)?;
                self.depth += 1;
                if self.depth > NESTING_MAX {
                    return None;
                }
                let mut parts = Vec::with_capacity(count);
                for _ in 0..count {
                    let part = self.shape()?;
                    let fits = match kind {
                        Kind::MultiPoint => part.kind() == Kind::Point,
                        Kind::MultiLineString => part.kind() == Kind::LineString,
                        Kind::MultiPolygon => part.kind() == Kind::Polygon,
                        _ => true,
                    };
                    if !fits {
                        return None;
                    }
                    parts.push(part);
                }
                self.depth -= 1;
                Shape::Multi(kind, parts)
            }
        })
    }
}
