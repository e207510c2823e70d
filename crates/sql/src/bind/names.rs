//! How names of columns, variables and aliases are compared: case ignored, as the default collation of catalogs does. And where
//! a name without a schema is looked for: within a module in the module's schema first, then where the session looks.

use types::SqlResult;

use crate::ast;
use crate::catalog::{self, Catalog, Object, UserType};

pub use crate::plan::{folded, same_name};

pub fn object_name(name: &ast::ObjectName) -> catalog::ObjectName {
    let part = |ident: &Option<ast::Ident>| ident.as_ref().map(|ident| ident.text.clone());
    catalog::ObjectName {
        server: part(&name.server),
        database: part(&name.database),
        schema: part(&name.schema),
        name: name.name.text.clone(),
    }
}

/// The schema of a module as one to look in first; None: that is where names are looked for anyway.
pub fn own_schema(schema: &str) -> Option<&str> {
    (!same_name(schema, "dbo")).then_some(schema)
}

/// The name as one of that schema; None: it says itself where it is to be found.
pub fn within(name: &catalog::ObjectName, schema: Option<&str>) -> Option<catalog::ObjectName> {
    let schema = schema.filter(|_| name.schema.is_none() && name.database.is_none() && !name.name.starts_with('#'))?;
    Some(catalog::ObjectName { schema: Some(schema.into()), ..name.clone() })
}

/// `schema`: of the module that names the object.
pub fn find_object(
    catalog: &dyn Catalog,
    schema: Option<&str>,
    name: &catalog::ObjectName,
) -> SqlResult<Option<Object>> {
    if let Some(own) = within(name, schema)
        && let Some(found) = catalog.resolve(&own)?
    {
        return Ok(Some(found));
    }
    catalog.resolve(name)
}

/// The same for a type.
pub fn find_type(
    catalog: &dyn Catalog,
    schema: Option<&str>,
    name: &catalog::ObjectName,
) -> SqlResult<Option<UserType>> {
    if let Some(own) = within(name, schema)
        && let Some(found) = catalog.user_type(&own)?
    {
        return Ok(Some(found));
    }
    catalog.user_type(name)
}

/// As messages show it: `dbo.t`.
pub fn display(name: &ast::ObjectName) -> String {
    let mut parts = Vec::new();
    for part in [&name.server, &name.database, &name.schema] {
        match part {
            Some(ident) => parts.push(&*ident.text),
            None if !parts.is_empty() => parts.push(""),
            None => {}
        }
    }
    parts.push(&name.name.text);
    parts.join(".")
}

/// `t.c` as messages show it.
pub fn shown_column(column: &ast::ColumnName) -> String {
    match &column.table {
        Some(qualifier) => format!("{}.{}", display(qualifier), &*column.name),
        None => column.name.to_string(),
    }
}
