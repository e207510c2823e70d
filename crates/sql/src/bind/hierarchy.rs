//! Methods of hierarchyid. Their names are case-sensitive, as those of all types of an assembly are.
//! https://learn.microsoft.com/sql/t-sql/data-types/hierarchyid-data-type-method-reference

use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::binder::Binder;
use super::convert::implicit;
use super::errors;
use super::scope::Scope;
use crate::ast;
use crate::function::FunctionId;
use crate::plan::{Expr, ExprKind};

struct Method {
    name: &'static str,
    function: FunctionId,
    takes: &'static [SqlType],
    gives: SqlType,
}

const METHODS: [Method; 6] = [
    method("GetAncestor", FunctionId::HierarchyAncestor, &[SqlType::INT], SqlType::HIERARCHYID),
    method(
        "GetDescendant",
        FunctionId::HierarchyDescendant,
        &[SqlType::HIERARCHYID, SqlType::HIERARCHYID],
        SqlType::HIERARCHYID,
    ),
    method("GetLevel", FunctionId::HierarchyLevel, &[], SqlType::SMALLINT),
    method(
        "GetReparentedValue",
        FunctionId::HierarchyReparent,
        &[SqlType::HIERARCHYID, SqlType::HIERARCHYID],
        SqlType::HIERARCHYID,
    ),
    method("IsDescendantOf", FunctionId::HierarchyIsDescendant, &[SqlType::HIERARCHYID], SqlType::BIT),
    method("ToString", FunctionId::HierarchyText, &[], SqlType::nvarchar(4000)),
];

/// Of the type, not of a value.
const STATIC: [&str; 2] = ["GetRoot", "Parse"];

const ASSEMBLY: &str = "Microsoft.SqlServer.Types";

const fn method(name: &'static str, function: FunctionId, takes: &'static [SqlType], gives: SqlType) -> Method {
    Method { name, function, takes, gives }
}

fn class() -> &'static str {
    TypeKind::HierarchyId.udt().expect("it is one").class
}

/// 6506: no such method; 6592: no such property.
fn unknown(name: &str, called: bool) -> SqlError {
    match called {
        true => sql_error!(6506, name, class(), ASSEMBLY),
        false => sql_error!(6592, name, class(), ASSEMBLY),
    }
}

impl Binder<'_> {
    /// `value.Name(arguments)`; a property has none. 6506, 6574, 6592, 174.
    pub fn hierarchy_method(
        &mut self,
        value: Expr,
        name: &ast::Ident,
        arguments: Option<&[ast::Expr]>,
        scope: &Scope,
    ) -> SqlResult<Expr> {
        let name = &*name.text;
        let Some(arguments) = arguments else { return Err(unknown(name, false)) };
        if STATIC.contains(&name) {
            return Err(sql_error!(6574, name, class(), ASSEMBLY));
        }
        let method = METHODS.iter().find(|method| method.name == name).ok_or_else(|| unknown(name, true))?;
        if arguments.len() != method.takes.len() {
            return Err(errors::argument_count(method.name, method.takes.len()));
        }
        let mut given = vec![value];
        for (argument, ty) in arguments.iter().zip(method.takes) {
            let argument = self.expr(argument, scope)?;
            given.push(implicit(argument, ty)?);
        }
        let ty =
            if method.gives.is_string() { method.gives.with_collation(self.catalog.collation()) } else { method.gives };
        Ok(Expr::new(ty, true, ExprKind::Function(method.function, given)))
    }

    /// `hierarchyid::Name(arguments)`. 6506, 6573, 6592, 174.
    pub fn hierarchy_static(&mut self, method: &ast::StaticMethod, scope: &Scope) -> SqlResult<Expr> {
        let name = &*method.name.text;
        let Some(arguments) = &method.args else { return Err(unknown(name, false)) };
        if METHODS.iter().any(|method| method.name == name) {
            return Err(sql_error!(6573, name, class(), ASSEMBLY));
        }
        let count = match name {
            "GetRoot" => 0,
            "Parse" => 1,
            _ => return Err(unknown(name, true)),
        };
        match arguments.as_slice() {
            [] if count == 0 => Ok(Expr::literal(SqlType::HIERARCHYID, Datum::bytes(&[]))),
            [text] if count == 1 => {
                let text = self.expr(text, scope)?;
                let text = implicit(text, &SqlType::nvarchar(4000).with_collation(self.catalog.collation()))?;
                implicit(text, &SqlType::HIERARCHYID)
            }
            _ => Err(errors::argument_count(name, count)),
        }
    }
}
