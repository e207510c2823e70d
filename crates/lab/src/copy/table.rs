//! What a table has: which of its columns a file has, and which of them are loaded.

use tds::token::{ServerMessage, Token};
use tds::{ColumnInfo, wire};
use types::{Datum, SqlType, TypeKind};

use super::fault::Fault;
use crate::client::Connection;

/// A column as a file has it.
#[derive(Debug, Clone)]
pub struct Field {
    pub name: String,
    pub sql_type: SqlType,
    pub is_nullable: bool,
    /// It is loaded; others are passed over.
    pub is_wanted: bool,
}

#[derive(Debug, Clone)]
pub struct Column {
    pub field: Field,
    pub is_identity: bool,
    /// Nobody gives it: it is computed, a rowversion, or of a period.
    pub is_made: bool,
    pub has_default: bool,
}

#[derive(Debug)]
pub struct Table {
    /// As T-SQL is to name it.
    pub name: String,
    pub columns: Vec<Column>,
}

/// A name as T-SQL has it.
pub fn bracketed(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

fn quoted(text: &str) -> String {
    format!("N'{}'", text.replace('\'', "''"))
}

/// The errors, as sqlcmd prints them. Err: there are some.
pub fn told<'a>(messages: impl IntoIterator<Item = &'a ServerMessage>) -> Result<(), Fault> {
    let errors: Vec<String> =
        messages.into_iter().filter(|message| message.is_error()).map(tds::client::format_message).collect();
    if errors.is_empty() { Ok(()) } else { Err(Fault::Server(errors.join("\n"))) }
}

/// Rows of a small answer.
fn rows(connection: &mut Connection, query: &str) -> Result<Vec<Vec<Datum>>, Fault> {
    let answer = connection.query(query, None)?;
    told(&answer.messages)?;
    Ok(answer.sets.into_iter().next().map(|set| set.rows).unwrap_or_default())
}

fn text(value: &Datum) -> String {
    wire::utf16_to_string(value.as_bytes())
}

impl Table {
    /// `name`: of one part to three.
    pub fn open(connection: &mut Connection, name: &str) -> Result<Table, Fault> {
        let part = rows(connection, &format!("SELECT PARSENAME({}, 3)", quoted(name)))?;
        if let Some(database) = part.first().map(|row| &row[0]).filter(|database| !database.is_null()) {
            rows(connection, &format!("USE {}", bracketed(&text(database))))?;
        }
        let found = rows(
            connection,
            &format!(
                "SELECT name, CONVERT(int, is_identity), CONVERT(int, is_nullable),
                 CASE WHEN is_computed = 1 OR system_type_id = 189 OR generated_always_type <> 0 THEN 1 ELSE 0 END,
                 CASE WHEN default_object_id <> 0 THEN 1 ELSE 0 END
                 FROM sys.columns WHERE object_id = OBJECT_ID({}) AND is_column_set = 0 ORDER BY column_id",
                quoted(name)
            ),
        )?;
        if found.is_empty() {
            let database = &connection.database;
            return Err(Fault::Server(format!("there is no table '{name}' in database '{database}' that you may see")));
        }
        let columns: Vec<Column> = found.iter().map(|row| column(row)).collect();
        let mut table = Table { name: name.to_owned(), columns };
        let types = described(connection, &format!("SELECT TOP (0) {} FROM {name}", table.column_list()))?;
        for (column, info) in table.columns.iter_mut().zip(&types) {
            column.field.sql_type = type_of(info);
        }
        Ok(table)
    }

    fn column_list(&self) -> String {
        self.columns.iter().map(|column| bracketed(&column.field.name)).collect::<Vec<_>>().join(", ")
    }

    /// All rows.
    pub fn select(&self) -> String {
        format!("SELECT {} FROM {}", self.column_list(), self.name)
    }

    pub fn fields(&self) -> Vec<Field> {
        self.columns.iter().map(|column| column.field.clone()).collect()
    }

    /// Which columns a file's fields are: those of the names, or all in their order. `keeps_identity`: the file's numbers stay.
    pub fn expected(&self, names: Option<&[String]>, keeps_identity: bool) -> Result<Vec<Field>, Fault> {
        let field = |column: &Column| {
            let is_wanted = !column.is_made && (!column.is_identity || keeps_identity);
            Field { is_wanted, ..column.field.clone() }
        };
        let Some(names) = names else { return Ok(self.columns.iter().map(field).collect()) };
        let mut fields: Vec<Field> = Vec::with_capacity(names.len());
        for name in names {
            let same = |column: &&Column| column.field.name == *name;
            let alike = |column: &&Column| column.field.name.eq_ignore_ascii_case(name);
            let known = self.columns.iter().find(same).or_else(|| self.columns.iter().find(alike));
            let Some(known) = known else {
                let shown = super::value::shown(name);
                return Err(Fault::File(format!("its column '{shown}' is none of {}", self.name)));
            };
            if fields.iter().any(|field| field.name == known.field.name) {
                return Err(Fault::File(format!("its column '{}' is there twice", known.field.name)));
            }
            fields.push(field(known));
        }
        Ok(fields)
    }

    pub fn column(&self, name: &str) -> &Column {
        self.columns.iter().find(|column| column.field.name == name).expect("a field is of a column")
    }
}

fn column(row: &[Datum]) -> Column {
    let flag = |at: usize| row[at].as_i64() != 0;
    Column {
        field: Field { name: text(&row[0]), sql_type: SqlType::INT, is_nullable: flag(2), is_wanted: true },
        is_identity: flag(1),
        is_made: flag(3),
        has_default: flag(4),
    }
}

/// The columns of a query's first result.
fn described(connection: &mut Connection, query: &str) -> Result<Vec<ColumnInfo>, Fault> {
    let answer = connection.query(query, None)?;
    told(&answer.messages)?;
    Ok(answer.sets.into_iter().next().map(|set| set.columns.to_vec()).unwrap_or_default())
}

/// On the wire a rowversion is binary(8) with a number of its own.
fn type_of(column: &ColumnInfo) -> SqlType {
    const ROWVERSION: u32 = 0x50;
    if column.user_type == ROWVERSION { SqlType::ROWVERSION } else { column.info.sql_type }
}

/// The fields of a query's result.
pub fn fields_of(columns: &[ColumnInfo]) -> Vec<Field> {
    let field = |column: &ColumnInfo| Field {
        name: column.name.clone(),
        sql_type: type_of(column),
        is_nullable: column.is_nullable(),
        is_wanted: true,
    };
    columns.iter().map(field).collect()
}

/// How the values of a column go into a bulk load, MS-TDS 2.2.6.1: xml as text, values of the types with methods as bytes; the old long
/// types as those that took their place.
pub fn sent_as(sql_type: SqlType) -> SqlType {
    use TypeKind::*;
    match sql_type.kind {
        Text => SqlType::VARCHAR_MAX.with_collation(sql_type.collation),
        NText => SqlType::NVARCHAR_MAX.with_collation(sql_type.collation),
        Xml => SqlType::NVARCHAR_MAX,
        Image | HierarchyId | Geometry | Geography => SqlType::VARBINARY_MAX,
        _ => sql_type,
    }
}

/// The column as INSERT BULK is to name it.
pub fn announced(field: &Field) -> String {
    let sent = sent_as(field.sql_type);
    let collate = if sent.is_string() { format!(" COLLATE {}", sent.collation.name()) } else { String::new() };
    format!("{} {sent}{collate}", bracketed(&field.name))
}

/// Errors and warnings of an answer that is read token by token.
#[derive(Debug, Default)]
pub struct Heard(pub Vec<ServerMessage>);

impl Heard {
    pub fn take(&mut self, token: Token) {
        if let Token::Message(message) = token {
            self.0.push(message);
        }
    }
}
