//! Reads `tables.txt` and the heads of the T-SQL files. They are part of the program: a mistake in them is a panic at start.

use sql::catalog::ColumnDef;
use types::{SqlType, TypeKind};

use super::scalar_type;

/// A line of `tables.txt`.
pub struct TableSpec {
    pub schema: &'static str,
    pub name: &'static str,
    /// None: a view. Some: a function of these arguments.
    pub parameters: Option<Vec<SqlType>>,
    pub columns: Vec<ColumnDef>,
}

pub fn tables(text: &'static str) -> Vec<TableSpec> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(table).collect()
}

fn table(line: &'static str) -> TableSpec {
    let (head, columns) = line.split_once(" = ").unwrap_or_else(|| panic!("no columns: {line}"));
    let (full_name, parameters) = match head.split_once('(') {
        None => (head, None),
        Some((name, rest)) => {
            let inner = rest.strip_suffix(')').expect("a closing parenthesis");
            (name, Some(split_types(inner).into_iter().map(sql_type).collect()))
        }
    };
    let (schema, name) = full_name.split_once('.').expect("a schema");
    let mut found = Vec::new();
    for group in columns.split("; ") {
        let (ty, names) = group.split_once(": ").unwrap_or_else(|| panic!("no type: {group}"));
        let ty = sql_type(ty);
        for name in names.split(' ').filter(|name| !name.is_empty()) {
            found.push(column(name, ty, found.len() as u32 + 1));
        }
    }
    TableSpec { schema, name, parameters, columns: found }
}

pub fn column(name: &str, ty: SqlType, column_id: u32) -> ColumnDef {
    ColumnDef {
        name: name.into(),
        ty,
        nullable: true,
        identity: None,
        default: None,
        computed: None,
        column_id,
        rowguid: false,
        mask: None,
        generated: None,
        hidden: false,
    }
}

/// Commas between types, not those within `numeric(25,0)`.
fn split_types(text: &str) -> Vec<&str> {
    text.split(", ").filter(|part| !part.trim().is_empty()).collect()
}

/// A type as T-SQL writes it.
pub fn sql_type(text: &str) -> SqlType {
    let text = text.trim();
    if text == "sysname" {
        return SqlType::SYSNAME;
    }
    let (name, arguments) = match text.split_once('(') {
        None => (text, Vec::new()),
        Some((name, rest)) => (name, rest.trim_end_matches(')').split(',').map(str::trim).collect()),
    };
    let system = scalar_type::by_name(name).unwrap_or_else(|| panic!("no type {text}"));
    let kind = system.kind.expect("a type with values");
    let number =
        |i: usize| arguments.get(i).map(|n| n.parse::<u16>().unwrap_or_else(|_| panic!("bad length in {text}")));
    let max = arguments.first() == Some(&"max");
    match kind {
        TypeKind::NVarChar if max => SqlType::NVARCHAR_MAX,
        TypeKind::VarChar if max => SqlType::VARCHAR_MAX,
        TypeKind::VarBinary if max => SqlType::VARBINARY_MAX,
        TypeKind::NVarChar => SqlType::nvarchar(number(0).unwrap_or(1)),
        TypeKind::NChar => SqlType::nchar(number(0).unwrap_or(1)),
        TypeKind::VarChar => SqlType::varchar(number(0).unwrap_or(1)),
        TypeKind::Char => SqlType::char(number(0).unwrap_or(1)),
        TypeKind::VarBinary => SqlType::varbinary(number(0).unwrap_or(1)),
        TypeKind::Binary => SqlType::binary(number(0).unwrap_or(1)),
        TypeKind::Decimal | TypeKind::Numeric => {
            let ty = SqlType::decimal(number(0).unwrap_or(18) as u8, number(1).unwrap_or(0) as u8);
            SqlType { kind, ..ty }
        }
        TypeKind::DateTime2 => SqlType::datetime2(number(0).unwrap_or(7) as u8),
        TypeKind::DateTimeOffset => SqlType::datetimeoffset(number(0).unwrap_or(7) as u8),
        TypeKind::Time => SqlType::time(number(0).unwrap_or(7) as u8),
        _ => {
            scalar_type::sql_type(system.xtype, system.utype, system.length, system.prec, system.scale, None).expect("a scalar type")
        }
    }
}

/// What a CREATE statement of the T-SQL files makes.
pub struct ModuleText {
    /// VIEW, PROCEDURE, FUNCTION.
    pub kind: &'static str,
    pub schema: &'static str,
    pub name: &'static str,
    pub text: &'static str,
}

/// The CREATE statements of a file, which lines with GO separate.
pub fn modules(text: &'static str) -> Vec<ModuleText> {
    let mut found = Vec::new();
    for batch in text.split("\nGO\n") {
        let Some(start) = batch.find("CREATE ") else { continue };
        // Comments of the file's head do not belong to the module.
        let text = batch[start..].trim_end();
        let mut words = text.split(|c: char| c.is_whitespace() || c == '(').filter(|word| !word.is_empty());
        let _create = words.next();
        let kind = words.next().expect("a kind of module");
        let full_name = words.next().expect("a name");
        let (schema, name) = full_name.split_once('.').expect("a schema");
        found.push(ModuleText { kind, schema, name, text });
    }
    found
}
