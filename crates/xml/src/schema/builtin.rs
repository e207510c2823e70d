//! The types that every schema knows: those of the namespace of XML Schema, and two of XQuery's.

use super::component::{Facets, Simple, TypeId, Variety, WhiteSpace};

/// The namespace of XML Schema.
pub const SCHEMA: &str = "http://www.w3.org/2001/XMLSchema";
/// Of the attributes type, nil and schemaLocation of instances.
pub const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// What the values of atomic types are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Primitive {
    Text,
    Boolean,
    Decimal,
    /// A decimal without digits behind the point: within these two, if they are there.
    Integer(Option<i128>, Option<i128>),
    Float,
    Double,
    Duration,
    DateTime,
    Time,
    Date,
    YearMonth,
    Year,
    MonthDay,
    Day,
    Month,
    Hex,
    Base64,
    QName,
    /// A text that is a Name, NCName, NMTOKEN, language.
    Token(Token),
}

/// Which texts a type derived from xs:token has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    Name,
    NcName,
    Nmtoken,
    Language,
    Id,
    IdRef,
}

/// `Schema::types` begins with these, in this order.
pub struct Builtin {
    pub name: &'static str,
    /// As messages of XQuery name it.
    pub shown: &'static str,
    pub base: TypeId,
    kind: BuiltinKind,
}

enum BuiltinKind {
    AnyType,
    AnySimple,
    Atomic(Primitive, WhiteSpace),
    List(TypeId),
}

pub const ANY_TYPE: TypeId = 0;
pub const ANY_SIMPLE: TypeId = 1;
pub const STRING: TypeId = 2;
pub const ID: TypeId = 28;
pub const IDREF: TypeId = 29;

const fn atomic(name: &'static str, shown: &'static str, base: TypeId, primitive: Primitive) -> Builtin {
    Builtin { name, shown, base, kind: BuiltinKind::Atomic(primitive, WhiteSpace::Collapse) }
}

const fn integer(
    name: &'static str,
    shown: &'static str,
    base: TypeId,
    least: Option<i128>,
    most: Option<i128>,
) -> Builtin {
    atomic(name, shown, base, Primitive::Integer(least, most))
}

pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "anyType", shown: "xs:anyType", base: 0, kind: BuiltinKind::AnyType },
    Builtin { name: "anySimpleType", shown: "xs:anySimpleType", base: 0, kind: BuiltinKind::AnySimple },
    Builtin {
        name: "string",
        shown: "xs:string",
        base: 1,
        kind: BuiltinKind::Atomic(Primitive::Text, WhiteSpace::Preserve),
    },
    atomic("boolean", "xs:boolean", 1, Primitive::Boolean),
    atomic("float", "xs:float", 1, Primitive::Float),
    atomic("double", "xs:double", 1, Primitive::Double),
    atomic("decimal", "xs:decimal", 1, Primitive::Decimal),
    atomic("duration", "xs:duration", 1, Primitive::Duration),
    atomic("dateTime", "xs:dateTime", 1, Primitive::DateTime),
    atomic("time", "xs:time", 1, Primitive::Time),
    atomic("date", "xs:date", 1, Primitive::Date),
    atomic("gYearMonth", "xs:gYearMonth", 1, Primitive::YearMonth),
    atomic("gYear", "xs:gYear", 1, Primitive::Year),
    atomic("gMonthDay", "xs:gMonthDay", 1, Primitive::MonthDay),
    atomic("gDay", "xs:gDay", 1, Primitive::Day),
    atomic("gMonth", "xs:gMonth", 1, Primitive::Month),
    atomic("hexBinary", "xs:hexBinary", 1, Primitive::Hex),
    atomic("base64Binary", "xs:base64Binary", 1, Primitive::Base64),
    atomic("anyURI", "xs:anyURI", 1, Primitive::Text),
    atomic("QName", "xs:QName", 1, Primitive::QName),
    Builtin {
        name: "normalizedString",
        shown: "xs:normalizedString",
        base: 2,
        kind: BuiltinKind::Atomic(Primitive::Text, WhiteSpace::Replace),
    },
    atomic("token", "xs:token", 20, Primitive::Text),
    atomic("language", "xs:language", 21, Primitive::Token(Token::Language)),
    atomic("NMTOKEN", "xs:NMTOKEN", 21, Primitive::Token(Token::Nmtoken)),
    Builtin { name: "NMTOKENS", shown: "xs:NMTOKENS", base: 1, kind: BuiltinKind::List(23) },
    atomic("Name", "xs:Name", 21, Primitive::Token(Token::Name)),
    atomic("NCName", "xs:NCName", 25, Primitive::Token(Token::NcName)),
    atomic("ENTITY", "xs:ENTITY", 26, Primitive::Token(Token::NcName)),
    atomic("ID", "xs:ID", 26, Primitive::Token(Token::Id)),
    atomic("IDREF", "xs:IDREF", 26, Primitive::Token(Token::IdRef)),
    Builtin { name: "IDREFS", shown: "xs:IDREFS", base: 1, kind: BuiltinKind::List(29) },
    Builtin { name: "ENTITIES", shown: "xs:ENTITIES", base: 1, kind: BuiltinKind::List(27) },
    integer("integer", "xs:integer", 6, None, None),
    integer("nonPositiveInteger", "xs:nonPositiveInteger", 32, None, Some(0)),
    integer("negativeInteger", "xs:negativeInteger", 33, None, Some(-1)),
    integer("long", "xs:long", 32, Some(i64::MIN as i128), Some(i64::MAX as i128)),
    integer("int", "xs:int", 35, Some(i32::MIN as i128), Some(i32::MAX as i128)),
    integer("short", "xs:short", 36, Some(i16::MIN as i128), Some(i16::MAX as i128)),
    integer("byte", "xs:byte", 37, Some(i8::MIN as i128), Some(i8::MAX as i128)),
    integer("nonNegativeInteger", "xs:nonNegativeInteger", 32, Some(0), None),
    integer("unsignedLong", "xs:unsignedLong", 39, Some(0), Some(u64::MAX as i128)),
    integer("unsignedInt", "xs:unsignedInt", 40, Some(0), Some(u32::MAX as i128)),
    integer("unsignedShort", "xs:unsignedShort", 41, Some(0), Some(u16::MAX as i128)),
    integer("unsignedByte", "xs:unsignedByte", 42, Some(0), Some(u8::MAX as i128)),
    integer("positiveInteger", "xs:positiveInteger", 39, Some(1), None),
];

/// The type of that name in the namespace of XML Schema. xs:NOTATION is not one of them: SQL Server has none.
pub fn find(local: &str) -> Option<TypeId> {
    BUILTINS.iter().position(|builtin| builtin.name == local).map(|at| at as TypeId)
}

/// What a built-in type's values are; None: anyType.
pub fn simple(id: TypeId) -> Option<Simple> {
    let (variety, white_space) = match BUILTINS[id as usize].kind {
        BuiltinKind::AnyType => return None,
        BuiltinKind::AnySimple => (Variety::AnySimple, WhiteSpace::Preserve),
        BuiltinKind::Atomic(primitive, white_space) => (Variety::Atomic(primitive), white_space),
        BuiltinKind::List(item) => (Variety::List(item), WhiteSpace::Collapse),
    };
    let min_length = matches!(variety, Variety::List(_)).then_some(1);
    Some(Simple { variety, white_space, facets: Facets { min_length, ..Facets::default() } })
}

#[cfg(test)]
mod tests {
    use super::{BUILTINS, ID, IDREF, STRING, find};

    #[test]
    fn bases_come_before_what_is_derived_from_them() {
        for (at, builtin) in BUILTINS.iter().enumerate() {
            assert!(builtin.base as usize <= at, "{}", builtin.name);
            assert_eq!(builtin.shown, format!("xs:{}", builtin.name));
        }
        assert_eq!((find("ID"), find("IDREF"), find("string")), (Some(ID), Some(IDREF), Some(STRING)));
        let base = |name: &str| BUILTINS[BUILTINS[find(name).expect(name) as usize].base as usize].name;
        assert_eq!((base("token"), base("NMTOKEN"), base("Name")), ("normalizedString", "token", "token"));
        assert_eq!((base("ENTITY"), base("long"), base("byte")), ("NCName", "integer", "short"));
        assert_eq!((base("unsignedByte"), base("positiveInteger")), ("unsignedShort", "nonNegativeInteger"));
    }
}
