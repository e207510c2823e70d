//! How names of columns, variables and aliases are compared: case ignored, as the default collation of catalogs does.

use crate::ast;
use crate::catalog;

pub fn same_name(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() {
        return a.eq_ignore_ascii_case(b);
    }
    a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}

pub fn object_name(name: &ast::ObjectName) -> catalog::ObjectName {
    let part = |ident: &Option<ast::Ident>| ident.as_ref().map(|ident| ident.text.clone());
    catalog::ObjectName {
        server: part(&name.server),
        database: part(&name.database),
        schema: part(&name.schema),
        name: name.name.text.clone(),
    }
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
