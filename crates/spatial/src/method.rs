//! The methods and properties of both types by name: what they take and give. Names are case-sensitive, as the assembly's are.
//!
//! https://learn.microsoft.com/sql/t-sql/spatial-geometry/spatial-types-geometry-transact-sql

use crate::shape::Kind;
use crate::world::World;

/// What an argument is converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    Int,
    Float,
    Bit,
    Text,
    Binary,
    Xml,
    /// A value of the same type.
    Same,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Give {
    Int,
    Float,
    Bit,
    /// nvarchar(4000)
    Name,
    /// nvarchar(max)
    Text,
    Binary,
    Xml,
    Same,
}

/// How a method is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `geometry::Name(...)`
    Static,
    /// `geometry::Name`
    StaticProperty,
    /// `value.Name(...)`
    Method,
    /// `value.Name`
    Property,
    /// `value.Name`, which SET can change.
    Changeable,
    /// `geometry::Name(column)` over rows.
    Aggregate,
}

/// Which of the types has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Both,
    Plane,
    Globe,
}

macro_rules! methods {
    ($($variant:ident $name:literal $of:ident $form:ident ($($take:ident),*) $give:ident,)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Method {
            $($variant,)*
        }

        static METHODS: &[Signature] = &[
            $(Signature {
                method: Method::$variant,
                name: $name,
                of: Of::$of,
                form: Form::$form,
                takes: &[$(Take::$take),*],
                gives: Give::$give,
            },)*
        ];
    };
}

#[derive(Debug)]
pub struct Signature {
    pub method: Method,
    pub name: &'static str,
    of: Of,
    pub form: Form,
    pub takes: &'static [Take],
    pub gives: Give,
}

methods! {
    Null "Null" Both StaticProperty () Same,
    Parse "Parse" Both Static (Text) Same,
    Point "Point" Both Static (Float, Float, Int) Same,
    GeomFromText "STGeomFromText" Both Static (Text, Int) Same,
    PointFromText "STPointFromText" Both Static (Text, Int) Same,
    LineFromText "STLineFromText" Both Static (Text, Int) Same,
    PolyFromText "STPolyFromText" Both Static (Text, Int) Same,
    MPointFromText "STMPointFromText" Both Static (Text, Int) Same,
    MLineFromText "STMLineFromText" Both Static (Text, Int) Same,
    MPolyFromText "STMPolyFromText" Both Static (Text, Int) Same,
    GeomCollFromText "STGeomCollFromText" Both Static (Text, Int) Same,
    GeomFromWkb "STGeomFromWKB" Both Static (Binary, Int) Same,
    PointFromWkb "STPointFromWKB" Both Static (Binary, Int) Same,
    LineFromWkb "STLineFromWKB" Both Static (Binary, Int) Same,
    PolyFromWkb "STPolyFromWKB" Both Static (Binary, Int) Same,
    MPointFromWkb "STMPointFromWKB" Both Static (Binary, Int) Same,
    MLineFromWkb "STMLineFromWKB" Both Static (Binary, Int) Same,
    MPolyFromWkb "STMPolyFromWKB" Both Static (Binary, Int) Same,
    GeomCollFromWkb "STGeomCollFromWKB" Both Static (Binary, Int) Same,
    GeomFromGml "GeomFromGml" Both Static (Xml, Int) Same,
    UnionAggregate "UnionAggregate" Both Aggregate (Same) Same,
    ConvexHullAggregate "ConvexHullAggregate" Both Aggregate (Same) Same,
    EnvelopeAggregate "EnvelopeAggregate" Both Aggregate (Same) Same,
    CollectionAggregate "CollectionAggregate" Both Aggregate (Same) Same,
    IsNull "IsNull" Both Property () Bit,
    ToString "ToString" Both Method () Text,
    AsText "STAsText" Both Method () Text,
    AsTextZm "AsTextZM" Both Method () Text,
    AsBinary "STAsBinary" Both Method () Binary,
    AsBinaryZm "AsBinaryZM" Both Method () Binary,
    AsGml "AsGml" Both Method () Xml,
    Srid "STSrid" Both Changeable () Int,
    X "STX" Plane Property () Float,
    Y "STY" Plane Property () Float,
    Lat "Lat" Globe Property () Float,
    Long "Long" Globe Property () Float,
    Z "Z" Both Property () Float,
    M "M" Both Property () Float,
    HasZ "HasZ" Both Property () Bit,
    HasM "HasM" Both Property () Bit,
    GeometryType "STGeometryType" Both Method () Name,
    InstanceOf "InstanceOf" Both Method (Text) Bit,
    Dimension "STDimension" Both Method () Int,
    IsEmpty "STIsEmpty" Both Method () Bit,
    IsValid "STIsValid" Both Method () Bit,
    IsValidDetailed "IsValidDetailed" Both Method () Text,
    MakeValid "MakeValid" Both Method () Same,
    MinDbCompatibilityLevel "MinDbCompatibilityLevel" Both Method () Int,
    IsSimple "STIsSimple" Plane Method () Bit,
    IsClosed "STIsClosed" Both Method () Bit,
    IsRing "STIsRing" Plane Method () Bit,
    NumPoints "STNumPoints" Both Method () Int,
    PointN "STPointN" Both Method (Int) Same,
    StartPoint "STStartPoint" Both Method () Same,
    EndPoint "STEndPoint" Both Method () Same,
    NumGeometries "STNumGeometries" Both Method () Int,
    GeometryN "STGeometryN" Both Method (Int) Same,
    NumCurves "STNumCurves" Both Method () Int,
    CurveN "STCurveN" Both Method (Int) Same,
    ExteriorRing "STExteriorRing" Plane Method () Same,
    NumInteriorRing "STNumInteriorRing" Plane Method () Int,
    InteriorRingN "STInteriorRingN" Plane Method (Int) Same,
    NumRings "NumRings" Globe Method () Int,
    RingN "RingN" Globe Method (Int) Same,
    Area "STArea" Both Method () Float,
    Length "STLength" Both Method () Float,
    Centroid "STCentroid" Plane Method () Same,
    PointOnSurface "STPointOnSurface" Plane Method () Same,
    Envelope "STEnvelope" Plane Method () Same,
    Boundary "STBoundary" Plane Method () Same,
    EnvelopeCenter "EnvelopeCenter" Globe Method () Same,
    EnvelopeAngle "EnvelopeAngle" Globe Method () Float,
    Buffer "STBuffer" Both Method (Float) Same,
    BufferWithTolerance "BufferWithTolerance" Both Method (Float, Float, Bit) Same,
    ConvexHull "STConvexHull" Both Method () Same,
    Reduce "Reduce" Both Method (Float) Same,
    ReorientObject "ReorientObject" Globe Method () Same,
    CurveToLine "STCurveToLine" Both Method () Same,
    CurveToLineWithTolerance "CurveToLineWithTolerance" Both Method (Float, Bit) Same,
    Distance "STDistance" Both Method (Same) Float,
    ShortestLineTo "ShortestLineTo" Both Method (Same) Same,
    Equals "STEquals" Both Method (Same) Bit,
    Disjoint "STDisjoint" Both Method (Same) Bit,
    Intersects "STIntersects" Both Method (Same) Bit,
    Filter "Filter" Both Method (Same) Bit,
    Within "STWithin" Both Method (Same) Bit,
    Contains "STContains" Both Method (Same) Bit,
    Overlaps "STOverlaps" Both Method (Same) Bit,
    Touches "STTouches" Plane Method (Same) Bit,
    Crosses "STCrosses" Plane Method (Same) Bit,
    Relate "STRelate" Plane Method (Same, Text) Bit,
    Union "STUnion" Both Method (Same) Same,
    Intersection "STIntersection" Both Method (Same) Same,
    Difference "STDifference" Both Method (Same) Same,
    SymDifference "STSymDifference" Both Method (Same) Same,
}

impl Signature {
    /// By its exact name. None: the type has no such method or property.
    pub fn find(world: World, name: &str) -> Option<&'static Signature> {
        let has = |of: Of| match world {
            World::Plane => of != Of::Globe,
            World::Globe => of != Of::Plane,
        };
        METHODS.iter().find(|method| method.name == name && has(method.of))
    }

    /// As a plan names it.
    pub fn number(&self) -> i32 {
        self.method as i32
    }

    /// Panics where none has the number.
    pub fn of_number(number: i32) -> &'static Signature {
        &METHODS[number as usize]
    }

    pub fn is_static(&self) -> bool {
        matches!(self.form, Form::Static | Form::StaticProperty | Form::Aggregate)
    }

    /// Written without parentheses.
    pub fn is_property(&self) -> bool {
        matches!(self.form, Form::Property | Form::Changeable | Form::StaticProperty)
    }
}

impl Method {
    /// The only kind that a text or binary constructor takes.
    pub fn wanted(self) -> Option<Kind> {
        use Method::*;
        Some(match self {
            PointFromText | PointFromWkb => Kind::Point,
            LineFromText | LineFromWkb => Kind::LineString,
            PolyFromText | PolyFromWkb => Kind::Polygon,
            MPointFromText | MPointFromWkb => Kind::MultiPoint,
            MLineFromText | MLineFromWkb => Kind::MultiLineString,
            MPolyFromText | MPolyFromWkb => Kind::MultiPolygon,
            GeomCollFromText | GeomCollFromWkb => Kind::Collection,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places_in_the_table() {
        for (at, method) in METHODS.iter().enumerate() {
            assert_eq!(method.number(), at as i32, "{}", method.name);
        }
        assert!(Signature::find(World::Plane, "Lat").is_none());
        assert!(Signature::find(World::Globe, "starea").is_none());
    }
}
