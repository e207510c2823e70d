//! `sys.types` and `types::SqlType`: the same thing in two notations.

use types::{CollationId, MAX_LENGTH, SqlType, TypeKind, collation};

/// A row of `sys.types` for a type of the language.
pub struct SystemType {
    pub name: &'static str,
    /// `system_type_id`, and `user_type_id` unless it is an alias.
    pub xtype: u8,
    pub utype: i32,
    pub length: i16,
    pub prec: u8,
    pub scale: u8,
    pub kind: Option<TypeKind>,
    pub has_collation: bool,
}

const fn plain(name: &'static str, xtype: u8, length: i16, prec: u8, scale: u8, kind: TypeKind) -> SystemType {
    let has_collation = matches!(
        kind,
        TypeKind::Char | TypeKind::VarChar | TypeKind::Text | TypeKind::NChar | TypeKind::NVarChar | TypeKind::NText
    );
    SystemType { name, xtype, utype: xtype as i32, length, prec, scale, kind: Some(kind), has_collation }
}

const fn clr(name: &'static str, utype: i32, length: i16, kind: TypeKind) -> SystemType {
    SystemType { name, xtype: CLR, utype, length, prec: 0, scale: 0, kind: Some(kind), has_collation: false }
}

pub const SYSNAME: i32 = 256;
pub const TABLE_TYPE: u8 = 243;
/// The three types of the server's own assembly share it: `utype` tells which.
pub const CLR: u8 = 240;

pub const SYSTEM_TYPES: &[SystemType] = &[
    plain("image", 34, 16, 0, 0, TypeKind::Image),
    plain("text", 35, 16, 0, 0, TypeKind::Text),
    plain("uniqueidentifier", 36, 16, 0, 0, TypeKind::UniqueIdentifier),
    plain("date", 40, 3, 10, 0, TypeKind::Date),
    plain("time", 41, 5, 16, 7, TypeKind::Time),
    plain("datetime2", 42, 8, 27, 7, TypeKind::DateTime2),
    plain("datetimeoffset", 43, 10, 34, 7, TypeKind::DateTimeOffset),
    plain("tinyint", 48, 1, 3, 0, TypeKind::TinyInt),
    plain("smallint", 52, 2, 5, 0, TypeKind::SmallInt),
    plain("int", 56, 4, 10, 0, TypeKind::Int),
    plain("smalldatetime", 58, 4, 16, 0, TypeKind::SmallDateTime),
    plain("real", 59, 4, 24, 0, TypeKind::Real),
    plain("money", 60, 8, 19, 4, TypeKind::Money),
    plain("datetime", 61, 8, 23, 3, TypeKind::DateTime),
    plain("float", 62, 8, 53, 0, TypeKind::Float),
    plain("sql_variant", 98, 8016, 0, 0, TypeKind::SqlVariant),
    plain("ntext", 99, 16, 0, 0, TypeKind::NText),
    plain("bit", 104, 1, 1, 0, TypeKind::Bit),
    plain("decimal", 106, 17, 38, 38, TypeKind::Decimal),
    plain("numeric", 108, 17, 38, 38, TypeKind::Numeric),
    plain("smallmoney", 122, 4, 10, 4, TypeKind::SmallMoney),
    plain("bigint", 127, 8, 19, 0, TypeKind::BigInt),
    clr("hierarchyid", 128, 892, TypeKind::HierarchyId),
    clr("geometry", 129, -1, TypeKind::Geometry),
    clr("geography", 130, -1, TypeKind::Geography),
    plain("varbinary", 165, 8000, 0, 0, TypeKind::VarBinary),
    plain("varchar", 167, 8000, 0, 0, TypeKind::VarChar),
    plain("binary", 173, 8000, 0, 0, TypeKind::Binary),
    plain("char", 175, 8000, 0, 0, TypeKind::Char),
    plain("timestamp", 189, 8, 0, 0, TypeKind::RowVersion),
    plain("nvarchar", 231, 8000, 0, 0, TypeKind::NVarChar),
    plain("nchar", 239, 8000, 0, 0, TypeKind::NChar),
    plain("xml", 241, -1, 0, 0, TypeKind::Xml),
    plain("json", 244, -1, 0, 0, TypeKind::Json),
    SystemType {
        name: "sysname",
        xtype: 231,
        utype: SYSNAME,
        length: 256,
        prec: 0,
        scale: 0,
        kind: None,
        has_collation: true,
    },
];

pub fn system_type(kind: TypeKind) -> &'static SystemType {
    SYSTEM_TYPES.iter().find(|entry| entry.kind == Some(kind)).expect("every kind is a system type")
}

pub fn by_name(name: &str) -> Option<&'static SystemType> {
    let name = if name.eq_ignore_ascii_case("rowversion") { "timestamp" } else { name };
    SYSTEM_TYPES.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))
}

pub fn by_user_type(utype: i32) -> Option<&'static SystemType> {
    SYSTEM_TYPES.iter().find(|entry| entry.utype == utype)
}

/// `max_length` of `sys.columns`.
pub fn max_length(ty: &SqlType) -> i16 {
    match ty.kind {
        TypeKind::Text | TypeKind::NText | TypeKind::Image => 16,
        _ if ty.is_max() => -1,
        _ => ty.length as i16,
    }
}

/// `collation_name` of `sys.columns`; of typed xml the number of its schema collection, which the catalog keeps in its place.
pub fn collation_name(ty: &SqlType) -> Option<String> {
    match ty.xml_collection() {
        Some(collection) => Some(collection.to_string()),
        None => ty.is_string().then(|| ty.collation.name()),
    }
}

/// None: no type of that `system_type_id` has values here (table types). `utype` is looked at for CLR types only.
pub fn sql_type(
    xtype: u8,
    utype: i32,
    length: i16,
    prec: u8,
    scale: u8,
    collation_name: Option<&str>,
) -> Option<SqlType> {
    let named = |entry: &&SystemType| entry.xtype == xtype && (xtype != CLR || entry.utype == utype);
    let kind = SYSTEM_TYPES.iter().find(named)?.kind?;
    let length = match kind {
        TypeKind::Text | TypeKind::NText | TypeKind::Image => MAX_LENGTH,
        _ if length == -1 => MAX_LENGTH,
        _ => length as u16,
    };
    if kind == TypeKind::Xml {
        let collection = collation_name.and_then(|number| number.parse().ok()).unwrap_or(0);
        return Some(SqlType::xml_of(collection, prec == 1));
    }
    let collation = collation_name.and_then(collation::lookup).unwrap_or(CollationId(0));
    Some(SqlType { kind, length, precision: prec, scale, collation })
}

/// As error messages and generated text show a type: `varchar(10)`, `decimal(10,2)`.
pub fn display(ty: &SqlType) -> String {
    let name = system_type(ty.kind).name;
    match ty.kind {
        TypeKind::Char | TypeKind::VarChar | TypeKind::Binary | TypeKind::VarBinary if ty.is_max() => {
            format!("{name}(max)")
        }
        TypeKind::Char | TypeKind::VarChar | TypeKind::Binary | TypeKind::VarBinary => format!("{name}({})", ty.length),
        TypeKind::NChar | TypeKind::NVarChar if ty.is_max() => format!("{name}(max)"),
        TypeKind::NChar | TypeKind::NVarChar => format!("{name}({})", ty.length / 2),
        TypeKind::Decimal | TypeKind::Numeric => format!("{name}({},{})", ty.precision, ty.scale),
        TypeKind::Time | TypeKind::DateTime2 | TypeKind::DateTimeOffset => format!("{name}({})", ty.scale),
        _ => name.to_string(),
    }
}
