//! What FOR XML says of its rows before them: an XSD schema (XMLSCHEMA), or one of XML-Data (XMLDATA).
//!
//! https://learn.microsoft.com/sql/relational-databases/xml/generate-an-inline-xsd-schema

use sql::plan::{InlineSchema, OutputColumn};
use types::{SqlResult, SqlType, TypeKind, sql_error};

const XSD: &str = "http://www.w3.org/2001/XMLSchema";
const SQL_TYPES: &str = "http://schemas.microsoft.com/sqlserver/2004/sqltypes";

/// An element of the rows: of a table, or `row`.
pub struct Described<'a> {
    pub name: &'a str,
    pub parts: Vec<Part<'a>>,
}

/// A column in it.
pub struct Part<'a> {
    pub name: &'a str,
    pub column: &'a OutputColumn,
    pub is_element: bool,
}

/// The schema, and the namespace that the outermost elements are in. `number`: of the session's schemas.
pub fn schema(
    asked: &InlineSchema,
    number: u32,
    elements: &[Described<'_>],
    (is_auto, nil): (bool, bool),
) -> SqlResult<(String, String)> {
    match asked {
        InlineSchema::Xsd(uri) => {
            let uri = match uri {
                Some(uri) => uri.to_string(),
                None => format!("urn:schemas-microsoft-com:sql:SqlRowSet{number}"),
            };
            Ok((xsd(&uri, elements, is_auto, nil)?, uri))
        }
        InlineSchema::Xdr => Ok((xdr(number, elements)?, format!("x-schema:#Schema{number}"))),
    }
}

fn xsd(uri: &str, elements: &[Described<'_>], is_auto: bool, nil: bool) -> SqlResult<String> {
    let mut target = String::new();
    types::pause::unpaced(|pacer| types::xml::escape(uri, true, &mut target, pacer));
    let own = if is_auto { format!(" xmlns:schema=\"{target}\"") } else { String::new() };
    let mut out = format!(
        "<xsd:schema targetNamespace=\"{target}\"{own} xmlns:xsd=\"{XSD}\" xmlns:sqltypes=\"{SQL_TYPES}\" \
         elementFormDefault=\"qualified\"><xsd:import namespace=\"{SQL_TYPES}\" schemaLocation=\"{SQL_TYPES}/sqltypes.xsd\"/>"
    );
    for (at, element) in elements.iter().enumerate() {
        out.push_str(&format!("<xsd:element name=\"{}\"><xsd:complexType>", element.name));
        let below = elements.get(at + 1);
        let (inside, attributes): (Vec<&Part>, Vec<&Part>) = element.parts.iter().partition(|part| part.is_element);
        if !inside.is_empty() || below.is_some() {
            out.push_str("<xsd:sequence>");
            sequence(&inside, nil, &mut out)?;
            if let Some(below) = below {
                let name = below.name;
                out.push_str(&format!("<xsd:element ref=\"schema:{name}\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>"));
            }
            out.push_str("</xsd:sequence>");
        }
        for part in attributes {
            let required = if part.column.nullable { "" } else { " use=\"required\"" };
            declaration("attribute", part, required, &mut out)?;
        }
        out.push_str("</xsd:complexType></xsd:element>");
    }
    out.push_str("</xsd:schema>");
    Ok(out)
}

/// Elements in the order of their columns. Neighbours of one name and type that may both be missing are one.
fn sequence(parts: &[&Part<'_>], nil: bool, out: &mut String) -> SqlResult<()> {
    let differs = |at: usize| {
        let part = parts[at];
        parts[..at].iter().any(|other| other.name == part.name && other.column.ty != part.column.ty)
    };
    if (1..parts.len()).any(differs) {
        return Err(unsupported("with columns of one name and different types"));
    }
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        let is_again = |other: &&&Part| other.name == part.name && other.column.nullable && part.column.nullable;
        let count = if nil { 1 } else { parts[at..].iter().take_while(is_again).count().max(1) };
        let occurs = match (nil, part.column.nullable, count) {
            (true, ..) => " nillable=\"1\"".to_owned(),
            (_, false, _) => String::new(),
            (_, true, 1) => " minOccurs=\"0\"".to_owned(),
            (_, true, count) => format!(" minOccurs=\"0\" maxOccurs=\"{count}\""),
        };
        declaration("element", part, &occurs, out)?;
        at += count;
    }
    Ok(())
}

/// `kind`: an attribute or an element.
fn declaration(kind: &str, part: &Part<'_>, occurs: &str, out: &mut String) -> SqlResult<()> {
    let ty = &part.column.ty;
    let base = base_name(ty)?;
    match restriction(ty) {
        None => out.push_str(&format!("<xsd:{kind} name=\"{}\" type=\"sqltypes:{base}\"{occurs}/>", part.name)),
        Some((said, facets)) => {
            let end = if facets.is_empty() { "/>".to_owned() } else { format!(">{facets}</xsd:restriction>") };
            out.push_str(&format!(
                "<xsd:{kind} name=\"{}\"{occurs}><xsd:simpleType><xsd:restriction base=\"sqltypes:{base}\"{said}{end}\
                 </xsd:simpleType></xsd:{kind}>",
                part.name
            ));
        }
    }
    Ok(())
}

/// The type among `sqltypes`, which are called as SQL's.
fn base_name(ty: &SqlType) -> SqlResult<&'static str> {
    use TypeKind::*;
    Ok(match ty.kind {
        Xml => return Err(unsupported("of xml")),
        RowVersion => "timestamp",
        _ => ty.message_name(),
    })
}

/// What a type says besides its name: attributes of the restriction, and facets. None: nothing.
fn restriction(ty: &SqlType) -> Option<(String, String)> {
    use TypeKind::*;
    let facet = |name: &str, value: u16| format!("<xsd:{name} value=\"{value}\"/>");
    match ty.kind {
        Char | VarChar | NChar | NVarChar | Text | NText => {
            let length = ty.capacity().filter(|_| !matches!(ty.kind, Text | NText) && !ty.is_max());
            let facets = length.map_or(String::new(), |length| facet("maxLength", length as u16));
            Some((collation(ty), facets))
        }
        Binary | VarBinary if !ty.is_max() => Some((String::new(), facet("maxLength", ty.length))),
        Decimal | Numeric => {
            let digits = facet("totalDigits", ty.precision.into()) + &facet("fractionDigits", ty.scale.into());
            Some((String::new(), digits))
        }
        _ => None,
    }
}

fn collation(ty: &SqlType) -> String {
    let own = ty.collation.get();
    let tds = ty.collation.to_tds();
    let flags = u32::from_le_bytes([tds[0], tds[1], tds[2], tds[3]]) >> 20;
    // As System.Data.SqlTypes.SqlCompareOptions names them.
    let names = ["IgnoreCase", "IgnoreNonSpace", "IgnoreWidth", "IgnoreKanaType", "BinarySort", "BinarySort2"];
    let has = |name: &&str| flags >> names.iter().position(|known| known == name).unwrap_or(31) & 1 != 0;
    let shown = ["IgnoreCase", "IgnoreNonSpace", "IgnoreKanaType", "IgnoreWidth", "BinarySort", "BinarySort2"];
    let options: Vec<&str> = shown.into_iter().filter(has).collect();
    let sort = if own.sort_id == 0 { String::new() } else { format!(" sqltypes:sqlSortId=\"{}\"", own.sort_id) };
    let lcid = own.lcid;
    format!(" sqltypes:localeId=\"{lcid}\" sqltypes:sqlCompareOptions=\"{}\"{sort}", options.join(" "))
}

/// https://learn.microsoft.com/sql/relational-databases/xml/example-requesting-schemas-as-results-with-the-xmldata-and-xmlschema-options
fn xdr(number: u32, elements: &[Described<'_>]) -> SqlResult<String> {
    let [element] = elements else { return Err(data_unsupported("of several tables")) };
    if element.parts.iter().any(|part| part.is_element) {
        return Err(data_unsupported("with elements"));
    }
    let mut out = format!(
        "<Schema name=\"Schema{number}\" xmlns=\"urn:schemas-microsoft-com:xml-data\" \
         xmlns:dt=\"urn:schemas-microsoft-com:datatypes\"><ElementType name=\"{}\" content=\"empty\" model=\"closed\">",
        element.name
    );
    for part in &element.parts {
        let ty = data_type(&part.column.ty);
        out.push_str(&format!("<AttributeType name=\"{}\" dt:type=\"{ty}\"/>", part.name));
    }
    for part in &element.parts {
        out.push_str(&format!("<attribute type=\"{}\"/>", part.name));
    }
    out.push_str("</ElementType></Schema>");
    Ok(out)
}

/// https://learn.microsoft.com/sql/relational-databases/sqlxml-annotated-xsd-schemas-xpath-queries (data types of XDR)
fn data_type(ty: &SqlType) -> &'static str {
    use TypeKind::*;
    match ty.kind {
        Bit => "boolean",
        TinyInt => "ui1",
        SmallInt => "i2",
        Int => "i4",
        BigInt => "i8",
        Decimal | Numeric => "number",
        Money | SmallMoney => "fixed.14.4",
        Real => "r4",
        Float => "r8",
        DateTime | SmallDateTime => "dateTime",
        Binary | VarBinary | Image | RowVersion => "bin.base64",
        UniqueIdentifier => "uuid",
        _ => "string",
    }
}

fn unsupported(what: &str) -> types::SqlError {
    sql_error!(40510, format!("FOR XML ... XMLSCHEMA {what}"))
}

fn data_unsupported(what: &str) -> types::SqlError {
    sql_error!(40510, format!("FOR XML ... XMLDATA {what}"))
}
