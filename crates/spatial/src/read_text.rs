//! Well-known text to a shape.
//!
//! Positions in errors are characters from 0, as the assembly counts them.

use types::pause::Pacer;
use types::{SqlError, SqlResult};

use crate::shape::{Curve, Kind, NESTING_MAX, Piece, Position, Shape};
use crate::world::World;

/// What stands for a shape of any kind.
const LABELS: [(&str, Kind); 11] = [
    ("POINT", Kind::Point),
    ("LINESTRING", Kind::LineString),
    ("POLYGON", Kind::Polygon),
    ("MULTIPOINT", Kind::MultiPoint),
    ("MULTILINESTRING", Kind::MultiLineString),
    ("MULTIPOLYGON", Kind::MultiPolygon),
    ("GEOMETRYCOLLECTION", Kind::Collection),
    ("CIRCULARSTRING", Kind::CircularString),
    ("COMPOUNDCURVE", Kind::CompoundCurve),
    ("CURVEPOLYGON", Kind::CurvePolygon),
    ("FULLGLOBE", Kind::FullGlobe),
];

/// Characters that an error quotes of a label that is none.
const QUOTED_MAX: usize = 128;

struct Reader<'t, 'w, 'p> {
    world: World,
    text: &'t [u8],
    at: usize,
    depth: usize,
    pacer: &'w mut Pacer<'p>,
}

/// The shape that `text` is. `wanted`: the only kind it may be. Errors 6522 with 24112, 24114, 24141, 24142 and those of `check`.
pub fn read(world: World, text: &str, wanted: Option<Kind>, pacer: &mut Pacer<'_>) -> SqlResult<Shape> {
    if text.trim().is_empty() {
        return Err(world.format(
            24112,
            "The well-known text (WKT) input is empty. To input an empty instance, specify an empty instance of one of the following \
             types: Point, LineString, Polygon, MultiPoint, MultiLineString, MultiPolygon, CircularString, CompoundCurve, CurvePolygon \
             or GeometryCollection.",
        ));
    }
    let mut reader = Reader { world, text: text.as_bytes(), at: 0, depth: 0, pacer };
    let shape = match wanted {
        None => reader.tagged()?,
        Some(kind) => {
            let (label, _) = LABELS[kind as usize - 1];
            reader.word(label)?;
            reader.body(kind)?
        }
    };
    reader.space();
    if reader.at < reader.text.len() {
        return Err(reader.trailing());
    }
    Ok(shape)
}

impl Reader<'_, '_, '_> {
    fn space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.space();
        self.text.get(self.at).copied()
    }

    fn quoted(&self, from: usize, length: usize) -> String {
        String::from_utf8_lossy(&self.text[from.min(self.text.len())..(from + length).min(self.text.len())])
            .into_owned()
    }

    #[cold]
    fn expected(&self, wanted: &str) -> SqlError {
        let found = self.quoted(self.at, wanted.len());
        self.world
            .format(24142, format_args!("Expected \"{wanted}\" at position {}. The input has \"{found}\".", self.at))
    }

    #[cold]
    fn trailing(&self) -> SqlError {
        self.expected("")
    }

    fn take(&mut self, mark: u8) -> SqlResult<()> {
        if self.peek() != Some(mark) {
            return Err(self.expected(std::str::from_utf8(&[mark]).expect("ASCII")));
        }
        self.at += 1;
        Ok(())
    }

    /// True: a comma, so there is more. False: the end of a list.
    fn more(&mut self) -> SqlResult<bool> {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            _ => self.take(b')').map(|()| false),
        }
    }

    fn is_word(&mut self, word: &str) -> bool {
        self.space();
        let end = self.at + word.len();
        let found = self.text.get(self.at..end).is_some_and(|text| text.eq_ignore_ascii_case(word.as_bytes()));
        found && !self.text.get(end).is_some_and(u8::is_ascii_alphanumeric)
    }

    fn word(&mut self, word: &str) -> SqlResult<()> {
        if !self.is_word(word) {
            return Err(self.expected(word));
        }
        self.at += word.len();
        Ok(())
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn tagged(&mut self) -> SqlResult<Shape> {
        for (label, kind) in LABELS {
            if self.eat(label) {
                return self.body(kind);
            }
        }
        self.space();
        Err(self.no_label(&self.quoted(self.at, QUOTED_MAX)))
    }

    #[cold]
    fn no_label(&self, label: &str) -> SqlError {
        self.world.format(
            24114,
            format_args!(
                "The label {label} in the input well-known text (WKT) is not valid. Valid labels are POINT, LINESTRING, POLYGON, \
                 MULTIPOINT, MULTILINESTRING, MULTIPOLYGON, GEOMETRYCOLLECTION, CIRCULARSTRING, COMPOUNDCURVE, CURVEPOLYGON and \
                 FULLGLOBE (geography Data Type only)."
            ),
        )
    }

    /// What stands behind a label.
    fn body(&mut self, kind: Kind) -> SqlResult<Shape> {
        if kind == Kind::FullGlobe {
            if self.world == World::Plane {
                return Err(self.no_label("FULLGLOBE"));
            }
            return Ok(Shape::FullGlobe);
        }
        if self.eat("EMPTY") {
            return Ok(Shape::empty(kind));
        }
        Ok(match kind {
            Kind::Point => {
                self.take(b'(')?;
                let point = self.position()?;
                self.take(b')')?;
                Shape::Point(Some(point))
            }
            Kind::LineString => Shape::Curve(Curve::line(self.points()?)),
            Kind::CircularString => Shape::Curve(self.circular()?),
            Kind::CompoundCurve => Shape::Curve(self.compound()?),
            Kind::Polygon => Shape::Surface { curved: false, rings: self.list(Reader::line_or_empty)? },
            Kind::CurvePolygon => Shape::Surface { curved: true, rings: self.list(Reader::any_curve)? },
            Kind::MultiPoint => Shape::Multi(kind, self.list(Reader::point_of_many)?),
            Kind::MultiLineString => Shape::Multi(kind, self.list(|reader| reader.line_or_empty().map(Shape::Curve))?),
            Kind::MultiPolygon => Shape::Multi(kind, self.list(|reader| reader.body(Kind::Polygon))?),
            Kind::Collection => {
                if self.depth == NESTING_MAX {
                    return Err(self.world.not_supported("A GeometryCollection within more than 32 others"));
                }
                self.depth += 1;
                let parts = self.list(Reader::tagged)?;
                self.depth -= 1;
                Shape::Multi(kind, parts)
            }
            Kind::FullGlobe => Shape::FullGlobe,
        })
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> SqlResult<T>) -> SqlResult<Vec<T>> {
        self.take(b'(')?;
        let mut items = Vec::new();
        loop {
            items.push(item(self)?);
            if !self.more()? {
                return Ok(items);
            }
        }
    }

    fn points(&mut self) -> SqlResult<Vec<Position>> {
        self.list(Reader::position)
    }

    fn line_or_empty(&mut self) -> SqlResult<Curve> {
        let points = if self.eat("EMPTY") { Vec::new() } else { self.points()? };
        Ok(Curve::line(points))
    }

    fn circular(&mut self) -> SqlResult<Curve> {
        let points = if self.eat("EMPTY") { Vec::new() } else { self.points()? };
        let pieces = if points.is_empty() { Vec::new() } else { vec![Piece { arc: true, points }] };
        Ok(Curve { kind: Kind::CircularString, pieces })
    }

    fn compound(&mut self) -> SqlResult<Curve> {
        let pieces = self.list(|reader| {
            let arc = reader.eat("CIRCULARSTRING");
            Ok(Piece { arc, points: reader.points()? })
        })?;
        Ok(Curve { kind: Kind::CompoundCurve, pieces })
    }

    /// A ring of a CurvePolygon.
    fn any_curve(&mut self) -> SqlResult<Curve> {
        if self.eat("CIRCULARSTRING") {
            return self.circular();
        }
        if self.eat("COMPOUNDCURVE") {
            return self.compound();
        }
        self.eat("LINESTRING");
        self.line_or_empty()
    }

    fn point_of_many(&mut self) -> SqlResult<Shape> {
        if self.eat("EMPTY") {
            return Ok(Shape::Point(None));
        }
        // The points may stand without parentheses.
        let inner = self.peek() == Some(b'(');
        if inner {
            self.at += 1;
        }
        let point = self.position()?;
        if inner {
            self.take(b')')?;
        }
        Ok(Shape::Point(Some(point)))
    }

    fn position(&mut self) -> SqlResult<Position> {
        self.pacer.spend(256)?;
        let (x, y) = (self.number()?, self.number()?);
        let mut position = Position::at(x, y);
        if self.has_number() {
            position.z = self.number_or_null()?;
            if self.has_number() {
                position.m = self.number_or_null()?;
            }
        }
        Ok(position)
    }

    fn has_number(&mut self) -> bool {
        self.peek().is_some_and(|byte| !matches!(byte, b',' | b')'))
    }

    fn number_or_null(&mut self) -> SqlResult<f64> {
        if matches!(self.peek(), Some(b'N' | b'n')) {
            return self.word("NULL").map(|()| f64::NAN);
        }
        self.number()
    }

    fn number(&mut self) -> SqlResult<f64> {
        self.space();
        let from = self.at;
        let part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
        let end = from + self.text[from..].iter().take_while(|byte| part(byte)).count();
        let text = std::str::from_utf8(&self.text[from..end]).expect("ASCII");
        if let Ok(value) = text.parse::<f64>()
            && value.is_finite()
            && !self.text.get(end).is_some_and(u8::is_ascii_alphabetic)
        {
            self.at = end;
            return Ok(value);
        }
        let part = |byte: &u8| !byte.is_ascii_whitespace() && !matches!(byte, b'(' | b')');
        let end = from + self.text[from..].iter().take_while(|byte| part(byte)).count();
        let found = self.quoted(from, end - from);
        Err(self
            .world
            .format(24141, format_args!("A number is expected at position {end} of the input. The input has {found}.")))
    }
}
