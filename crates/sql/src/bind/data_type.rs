//! Data types as written to `SqlType`, with their bounds.

use types::names::Parameters;
use types::{SqlResult, SqlType, TypeKind, sql_error};

use super::binder::Binder;
use super::errors;
use super::names::{display, find_type, object_name, own_schema};
use crate::ast::{DataType, TypeLength, TypeName};
use crate::catalog::{Catalog, ModuleDef, UserType};

impl Binder<'_> {
    /// `default_length`: of char, varchar and the like without one: 1 in declarations, 30 in CAST and CONVERT.
    pub fn data_type(&self, ty: &DataType, default_length: u16) -> SqlResult<SqlType> {
        scalar_type(self.catalog, self.schema(), ty, default_length).map_err(|e| e.at_line(ty.line))
    }

    /// As `module` declares it for a parameter or for what it returns.
    pub fn data_type_of(&self, module: &ModuleDef, ty: &DataType) -> SqlResult<SqlType> {
        scalar_type(self.catalog, own_schema(&module.schema), ty, 1).map_err(|e| e.at_line(ty.line))
    }
}

impl Binder<'_> {
    /// The type that CAST, CONVERT or PARSE names: 30 long if it does not say. Error 243 for what is none.
    pub fn cast_type(&self, ty: &DataType) -> SqlResult<SqlType> {
        let found = self.data_type(ty, 30).map_err(|error| match &ty.name {
            TypeName::User(name) if error.number == 2715 => sql_error!(243, display(name)).at_line(ty.line),
            _ => error,
        })?;
        // Nor is it an alias type.
        match &ty.name {
            TypeName::User(name) => Err(sql_error!(243, state 2, display(name)).at_line(ty.line)),
            _ => Ok(found),
        }
    }
}

/// A scalar type of the language or an alias type; `schema`: of the module that names it. Error 2715 for what is none.
pub fn scalar_type(
    catalog: &dyn Catalog,
    schema: Option<&str>,
    ty: &DataType,
    default_length: u16,
) -> SqlResult<SqlType> {
    let collation = catalog.collation();
    let found = match &ty.name {
        TypeName::Builtin(kind) => builtin(*kind, ty.length, default_length)?,
        TypeName::Sysname => SqlType::SYSNAME,
        TypeName::XmlOf { document, collection } => {
            let found = catalog.xml_collection(&within(schema, collection))?;
            let number = found.ok_or_else(|| sql_error!(6314, display(collection)))?;
            return Ok(SqlType::xml_of(number, *document == Some(true)));
        }
        TypeName::User(name) => match find_type(catalog, schema, &object_name(name))? {
            // Its width is its own.
            Some(UserType::Alias { .. }) if ty.length != TypeLength::Default => {
                return Err(sql_error!(2716, state 3, 1, display(name)));
            }
            Some(UserType::Alias { ty, .. }) => return Ok(ty),
            _ => return Err(errors::unknown_type(1, &display(name))),
        },
        TypeName::Cursor => return Err(sql_error!(243, "cursor")),
        TypeName::Vector => return Err(errors::unknown_type(1, "vector")),
    };
    Ok(if found.is_string() { found.with_collation(collation) } else { found })
}

/// The name of a collection: one without a schema is looked for in the module's that names it, then as any other.
fn within(schema: Option<&str>, name: &crate::ast::ObjectName) -> crate::catalog::ObjectName {
    let mut name = object_name(name);
    if name.schema.is_none() {
        name.schema = schema.map(Into::into);
    }
    name
}

/// A type of the language; strings are of the default collation. None: another type.
pub fn builtin_type(ty: &DataType, default_length: u16) -> SqlResult<Option<SqlType>> {
    match &ty.name {
        TypeName::Builtin(kind) => builtin(*kind, ty.length, default_length).map(Some),
        _ => Ok(None),
    }
}

fn builtin(kind: TypeKind, length: TypeLength, default_length: u16) -> SqlResult<SqlType> {
    let parameters = match length {
        TypeLength::Default => Parameters::None,
        TypeLength::One(n) => Parameters::One(n),
        TypeLength::Two(a, b) => Parameters::Two(a, b),
        TypeLength::Max => Parameters::Max,
    };
    SqlType::build(kind, parameters, default_length)
}
