//! CREATE, ALTER and DROP XML SCHEMA COLLECTION.
//! https://learn.microsoft.com/sql/t-sql/statements/create-xml-schema-collection-transact-sql, and alter, drop

use std::sync::Arc;

use sql::ast::{Expr, Literal, ObjectName, XmlSchemaCollection};
use types::pause::{Pacer, Pause};
use types::xml::Source;
use types::{SqlError, SqlResult, TypeKind, sql_error};

use super::site::{Ddl, cannot_drop, cannot_find, written};
use crate::catalog::base::{ColumnRow, ObjectRow, PrivilegeRow, PropertyRow, TextRow, class, schema};
use crate::catalog::load::{self, int, small};
use crate::catalog::row::{Code, Text};
use crate::catalog::{Database, clock, xml_collection};

/// A collection of `db` by its name. `schema`: of the module that names it, where it is looked for first.
pub fn find(ddl: &mut Ddl<'_>, db: &Database, schema: Option<&str>, name: &ObjectName) -> SqlResult<Option<ObjectRow>> {
    let schemas: Vec<String> = match &name.schema {
        Some(schema) => vec![schema.to_string()],
        None => {
            let own = ddl.site.state().0.default_schema.to_string();
            schema.map(str::to_owned).into_iter().chain([own, "dbo".to_owned()]).collect()
        }
    };
    ddl.rows(db, |rows| {
        for schema in &schemas {
            if let Some(row) = xml_collection::named(rows, schema, &name.name)? {
                return Ok(Some(row));
            }
        }
        Ok(None)
    })
}

pub fn run(ddl: &mut Ddl<'_>, statement: &XmlSchemaCollection) -> SqlResult<()> {
    let is_built_in = statement.name.schema.as_ref().is_some_and(|schema| schema.is("sys"));
    if is_built_in && statement.alter {
        return Err(sql_error!(6339, &*statement.name.name));
    }
    let text = documents(ddl, &statement.text)?;
    if statement.alter { add(ddl, statement, &text) } else { create(ddl, statement, &text) }
}

/// The documents that the statement names, as xml. 6352, 6361, 94xx.
fn documents(ddl: &mut Ddl<'_>, given: &Expr) -> SqlResult<String> {
    let (text, source) = match given {
        Expr::Literal(Literal::String { text, national }) => {
            (text.to_string(), if *national { Source::Wide } else { Source::Narrow })
        }
        // What execution hands over was read as xml.
        Expr::Variable(variable) => {
            let value = ddl.site.variable(&variable.name).ok_or_else(|| sql_error!(6361))?;
            (value.to_owned(), Source::Wide)
        }
        _ => return Err(sql_error!(6352)),
    };
    let mut kept = Ok(String::new());
    paced(ddl, |pause| kept = types::xml::parse(&text, source, false, &mut Pacer::new(pause)))?;
    kept
}

/// Runs work of memory and time, which gives way.
fn paced(ddl: &mut Ddl<'_>, mut work: impl FnMut(&dyn Pause)) -> SqlResult<()> {
    ddl.site
        .heard(&mut |pause| {
            work(pause);
            Ok(())
        })
        .map_err(crate::catalog::error::storage_error)
}

fn check(ddl: &mut Ddl<'_>, text: &str, known: &str) -> SqlResult<xml::schema::Schema> {
    let mut compiled = Err(sql_error!(2378, ""));
    paced(ddl, |pause| compiled = xml_collection::compile(text, known, pause))?;
    compiled
}

/// 2760, 6348, 6961, and what the documents have wrong.
fn create(ddl: &mut Ddl<'_>, statement: &XmlSchemaCollection, text: &str) -> SqlResult<()> {
    let place = ddl.place(&statement.name)?;
    let db = place.db.clone();
    db.check_writable()?;
    let exists = || sql_error!(6348, written(&statement.name));
    if place.schema == schema::SYS {
        return Err(exists());
    }
    let space = xml_collection::space_of(place.schema);
    if ddl.rows(&db, |rows| load::object_row_named(rows, space, &place.name))?.is_some() {
        return Err(exists());
    }
    check(ddl, text, "")?;
    let all: Vec<ObjectRow> = ddl.rows(&db, |rows| rows.all())?;
    let last = all.iter().filter_map(xml_collection::number_of).max().unwrap_or(0);
    if i32::from(last) == xml_collection::NUMBER_MAX {
        return Err(sql_error!(6961));
    }
    let id = xml_collection::id_of(last + 1);
    let now = clock::now();
    let row = ObjectRow {
        id,
        name: place.name.clone(),
        nsid: space,
        kind: Code::new(xml_collection::KIND),
        pid: 0,
        created: now,
        modified: now,
        status: 0,
        intprop: 0,
        owner: None,
    };
    if ddl.rows(&db, |rows| rows.try_insert(&row))?.is_err() {
        return Err(exists());
    }
    ddl.rows(&db, |rows| rows.insert(&TextRow { objid: id, value: Text(Some(text.to_owned())) }))?;
    ddl.changed(db.id, id);
    Ok(())
}

/// 6310, 6347, 6364, and what the documents have wrong.
fn add(ddl: &mut Ddl<'_>, statement: &XmlSchemaCollection, text: &str) -> SqlResult<()> {
    let db = ddl.database_of(&statement.name)?;
    let found = find(ddl, &db, None, &statement.name)?;
    let row = found.ok_or_else(|| sql_error!(6347, written(&statement.name)))?;
    ddl.lock(&db, row.id)?;
    let before = ddl.rows(&db, |rows| load::text_of(rows, row.id))?.unwrap_or_default();
    let all = format!("{before}{text}");
    check(ddl, &all, &before)?;
    let now = clock::now();
    ddl.rows(&db, |rows| {
        rows.update::<TextRow>(0, &[int(row.id)], |own| own.value = Text(Some(all.clone())))?;
        rows.update::<ObjectRow>(0, &[int(row.id)], |own| own.modified = now)
    })?;
    ddl.changed(db.id, row.id);
    revalidate(ddl, &db, &row)
}

/// Columns and parameters of a collection, each with what it belongs to.
fn users(ddl: &mut Ddl<'_>, db: &Database, row: &ObjectRow) -> SqlResult<Vec<(ObjectRow, ColumnRow)>> {
    let number = xml_collection::number_of(row).map(|number| number.to_string());
    let xml = crate::catalog::scalar_type::system_type(TypeKind::Xml).xtype;
    ddl.rows(db, |rows| {
        let mut found = Vec::new();
        for column in rows.all::<ColumnRow>()? {
            if column.xtype == xml
                && column.collation == number
                && let Some(object) = load::object_row(rows, column.id)?
            {
                found.push((object, column));
            }
        }
        Ok(found)
    })
}

/// The rows of tables with columns of a changed collection are valid still. 6364.
fn revalidate(ddl: &mut Ddl<'_>, db: &Database, row: &ObjectRow) -> SqlResult<()> {
    let schema_name = ddl.rows(db, |rows| load::schema_name(rows, -row.nsid))?;
    let collection = format!("{}.{}", super::text::bracket(&schema_name), super::text::bracket(&row.name));
    for (object, column) in users(ddl, db, row)? {
        if object.kind.as_str() != "U" || column.number != 0 {
            continue;
        }
        let of = ddl.rows(db, |rows| load::schema_name(rows, object.nsid))?;
        let table = format!("{}.{}", super::text::bracket(&of), super::text::bracket(&object.name));
        let name = super::text::bracket(&column.name);
        let facet = if column.prec == 1 { "DOCUMENT" } else { "CONTENT" };
        let text = format!(
            "SELECT DATALENGTH(CONVERT(xml({facet} {collection}), CONVERT(nvarchar(max), {name}))) FROM {table} WHERE {name} IS NOT NULL"
        );
        ddl.any_row(&text).map_err(|error| sql_error!(6364, object.name, error.text))?;
    }
    Ok(())
}

/// 3701, 6328.
pub fn drop(ddl: &mut Ddl<'_>, name: &ObjectName, if_exists: bool) -> SqlResult<()> {
    let shown = written(name);
    if name.schema.as_ref().is_some_and(|schema| schema.is("sys")) {
        return Err(sql_error!(6339, &*name.name));
    }
    let db = ddl.database_of(name)?;
    let Some(row) = find(ddl, &db, None, name)? else {
        return if if_exists { Ok(()) } else { Err(missing(&shown)) };
    };
    ddl.lock(&db, row.id)?;
    if let Some((object, _)) = users(ddl, &db, &row)?.into_iter().next() {
        return Err(sql_error!(6328, shown, "object", object.name));
    }
    ddl.rows(&db, |rows| {
        rows.delete::<PropertyRow>(0, &[small(class::XML_COLLECTION), int(row.id)])?;
        rows.delete::<PrivilegeRow>(0, &[small(class::XML_COLLECTION), int(row.id)])?;
        rows.delete::<TextRow>(0, &[int(row.id)])?;
        rows.delete::<ObjectRow>(0, &[int(row.id)])
    })?;
    ddl.changed(db.id, row.id);
    Ok(())
}

/// 3701, whether it is not there or not to be dropped by who asks.
pub fn missing(shown: &str) -> SqlError {
    cannot_drop("xml schema collection", shown, 1)
}

/// ALTER SCHEMA ... TRANSFER XML SCHEMA COLLECTION::name. 15151, 15530.
pub fn transfer(ddl: &mut Ddl<'_>, db: &Arc<Database>, name: &ObjectName, target: i32) -> SqlResult<()> {
    let found = find(ddl, db, None, name)?;
    let row = found.ok_or_else(|| cannot_find("find", "XML schema collection", &name.name))?;
    let space = xml_collection::space_of(target);
    if ddl.rows(db, |rows| load::object_row_named(rows, space, &row.name))?.is_some() {
        return Err(sql_error!(15530, "XML schema collection", row.name));
    }
    ddl.rows(db, |rows| {
        // "ALTER SCHEMA": all permissions on it are dropped when it is moved.
        rows.delete::<PrivilegeRow>(0, &[small(class::XML_COLLECTION), int(row.id)])?;
        rows.update::<ObjectRow>(0, &[int(row.id)], |row| row.nsid = space)
    })?;
    ddl.changed(db.id, row.id);
    Ok(())
}
