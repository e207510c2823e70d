//! WITH SCHEMABINDING of views and functions: what they may name, and what they depend on.
//!
//! A column counts as read where its name stands in a module that reads its table: of two tables with a column of one name both are held.

use std::sync::Arc;

use types::{SqlResult, TypeKind, sql_error};

use super::modules::{parse_condition, parse_expression, parse_function, parse_view};
use super::names::{display, object_name, same_name};
use super::native::References;
use super::variables::{Found, columns_named, visit_expr, visit_query, visit_statement};
use super::{Errors, errors};
use crate::ast::{self, StatementKind as S};
use crate::catalog::{Catalog, ModuleDef, ModuleKind, Object, ObjectName, UserType};

/// Checks a view or function that is about to be kept. One that is not schema-bound depends on nothing. Natively compiled modules have
/// `check_native`.
pub fn schema_references(module: &ModuleDef, catalog: &dyn Catalog) -> Result<References, Errors> {
    let references = named_in(module, |named, shown| named.references(catalog, module, shown));
    references.map(Option::unwrap_or_default).map_err(|error| vec![error.in_procedure(&module.name)])
}

/// What a schema-bound view or function reads and calls.
#[derive(Default)]
pub struct Uses {
    /// Tables and views, or sequences.
    pub reads: bool,
    /// A column of them that is a float or a real.
    pub floats: bool,
    pub functions: Vec<Arc<ModuleDef>>,
    /// The server's own functions, as they are written.
    pub built_in: Vec<Box<str>>,
    /// `@@SPID`, CURRENT_TIMESTAMP and their kin.
    pub session: bool,
}

/// None: the module is not schema-bound.
pub fn uses_of(module: &ModuleDef, catalog: &dyn Catalog) -> SqlResult<Option<Uses>> {
    named_in(module, |named, _| named.uses(catalog))
}

/// What `then` makes of the names in a view or function, and of the words for it. None: it is not schema-bound.
fn named_in<T>(
    module: &ModuleDef,
    then: impl FnOnce(&Named<'_>, (&str, &str)) -> SqlResult<T>,
) -> SqlResult<Option<T>> {
    let mut named = Named::default();
    match module.kind {
        ModuleKind::View => {
            let view = parse_view(module)?;
            if !view.options.schemabinding {
                return Ok(None);
            }
            visit_query(&view.query, &mut |found| named.note(found));
            then(&named, ("view", &display(&view.name))).map(Some)
        }
        ModuleKind::ScalarFunction | ModuleKind::InlineFunction | ModuleKind::TableFunction if !module.native => {
            let function = parse_function(module)?;
            if !function.options.schemabinding {
                return Ok(None);
            }
            function.parameters.iter().for_each(|parameter| named.data_type(&parameter.data_type));
            match &function.returns {
                ast::FunctionReturns::Inline { query, .. } => visit_query(query, &mut |found| named.note(found)),
                ast::FunctionReturns::Scalar { body: ast::ModuleBody::Statements(statements), .. }
                | ast::FunctionReturns::Table { body: ast::ModuleBody::Statements(statements), .. } => {
                    named.statements(statements);
                }
                _ => {}
            }
            then(&named, ("function", &display(&function.name))).map(Some)
        }
        _ => Ok(None),
    }
}

/// The functions that the text of a CHECK (`condition`), a default or a computed column calls. Text that this version cannot read has none.
pub fn called_by(text: &str, condition: bool) -> Vec<ObjectName> {
    let parsed = if condition { parse_condition(text) } else { parse_expression(text) };
    let mut named = Named::default();
    if let Ok(expr) = &parsed {
        visit_expr(expr, &mut |found| named.note(found));
    }
    let sequence = |name: &&ast::ObjectName| {
        let mut name = object_name(name);
        name.schema.get_or_insert_with(|| "dbo".into());
        name
    };
    named.functions.iter().map(|name| object_name(name)).chain(named.sequences.iter().map(sequence)).collect()
}

/// The columns that the text of a CHECK or of an index's filter (`condition`), or of a computed column, names. Text that this version
/// cannot read has none.
pub fn columns_of(text: &str, condition: bool) -> Vec<Box<str>> {
    let parsed = if condition { parse_condition(text) } else { parse_expression(text) };
    parsed.map_or_else(|_| Vec::new(), |expr| columns_named(&expr))
}

/// Whether the module is schema-bound, by its text.
fn is_bound(module: &ModuleDef) -> SqlResult<bool> {
    Ok(match module.kind {
        ModuleKind::View => parse_view(module)?.options.schemabinding,
        ModuleKind::Procedure | ModuleKind::Trigger => module.native,
        _ => parse_function(module)?.options.schemabinding,
    })
}

#[derive(Default)]
struct Named<'a> {
    /// Line of the first `*` of a select list.
    star: Option<u32>,
    tables: Vec<&'a ast::ObjectName>,
    functions: Vec<&'a ast::ObjectName>,
    sequences: Vec<&'a ast::ObjectName>,
    types: Vec<&'a ast::ObjectName>,
    /// Common table expressions and aliases.
    local: Vec<&'a str>,
    columns: Vec<&'a str>,
    /// `@@SPID`, CURRENT_TIMESTAMP and their kin.
    session: bool,
}

impl<'a> Named<'a> {
    fn note(&mut self, found: Found<'a>) {
        match found {
            Found::Star(line) => self.star = self.star.or(Some(line)),
            Found::Named(name) => self.tables.push(name),
            Found::Function(name) => self.functions.push(name),
            Found::Local(name) => self.local.push(name),
            Found::Column(column) => self.columns.push(&column.name),
            Found::Session(_) => self.session = true,
            Found::Scalar(_) | Found::Call(_) | Found::Table(_) | Found::Cursor(_) | Found::Query | Found::Catalog => {}
            Found::Method(_) | Found::Rows(_) => {}
            Found::Sequence(name) => self.sequences.push(name),
        }
    }

    fn data_type(&mut self, data_type: &'a ast::DataType) {
        if let ast::TypeName::User(name) = &data_type.name {
            self.types.push(name);
        }
    }

    fn statements(&mut self, statements: &'a [ast::Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'a ast::Statement) {
        visit_statement(&statement.kind, &mut |found| self.note(found));
        match &statement.kind {
            S::Block(statements) => self.statements(statements),
            S::If(branches) => {
                branches.branches.iter().for_each(|branch| self.statement(&branch.then));
                branches.otherwise.iter().for_each(|otherwise| self.statement(otherwise));
            }
            S::While(repeated) => {
                visit_expr(&repeated.condition, &mut |found| self.note(found));
                self.statement(&repeated.body);
            }
            S::TryCatch(both) => both.body.iter().chain(&both.handler).for_each(|inner| self.statement(inner)),
            S::Declare(declarations) => {
                for declaration in declarations {
                    if let ast::Declaration::Scalar { data_type, value, .. } = declaration {
                        self.data_type(data_type);
                        value.iter().for_each(|value| visit_expr(value, &mut |found| self.note(found)));
                    }
                }
            }
            _ => {}
        }
    }

    /// Tables and functions, without temporary tables and what the text names so itself. True: a function.
    fn outside(&self) -> impl Iterator<Item = (&'a ast::ObjectName, bool)> {
        let tables = self.tables.iter().map(|name| (*name, false));
        tables.chain(self.functions.iter().map(|name| (*name, true))).filter(|(name, _)| {
            let is_local = |local: &&str| same_name(local, &name.name);
            !(name.is_unqualified() && (name.name.starts_with('#') || self.local.iter().any(is_local)))
        })
    }

    fn uses(&self, catalog: &dyn Catalog) -> SqlResult<Uses> {
        let mut uses = Uses { session: self.session, ..Uses::default() };
        for (name, function) in self.outside() {
            match catalog.resolve(&object_name(name))? {
                Some(Object::Module(called)) if called.kind != ModuleKind::View => uses.functions.push(called),
                _ if function => uses.built_in.push(name.name.text.clone()),
                Some(Object::Table(table)) => {
                    uses.reads = true;
                    let is_named = |known: &str| self.columns.iter().any(|name| same_name(name, known));
                    let is_float = |kind| matches!(kind, TypeKind::Float | TypeKind::Real);
                    uses.floats |= table.columns.iter().any(|c| is_float(c.ty.kind) && is_named(&c.name));
                }
                _ => uses.reads = true,
            }
        }
        Ok(uses)
    }

    /// Names of the columns of all tables.
    fn known_columns(&self, catalog: &dyn Catalog) -> Vec<Box<str>> {
        let mut columns = Vec::new();
        for (name, _) in self.outside().filter(|(_, function)| !function) {
            if let Ok(Some(Object::Table(table))) = catalog.resolve(&object_name(name)) {
                columns.extend(table.columns.iter().map(|column| column.name.clone()));
            }
        }
        columns
    }

    fn references(&self, catalog: &dyn Catalog, module: &ModuleDef, shown: (&str, &str)) -> SqlResult<References> {
        if let Some(line) = self.star {
            return Err(sql_error!(1054, state 6, "*").at_line(line));
        }
        let mut references = References::new();
        let columns = self.known_columns(catalog);
        for (name, function) in self.outside() {
            let object = object_name(name);
            let found = catalog.resolve(&object).map_err(|error| error.at_line(name.line))?;
            // A function without a schema is the server's own, unless a user's has the name.
            if function && name.is_unqualified() && !matches!(found, Some(Object::Module(_))) {
                continue;
            }
            // A method of a column.
            let of_column = |schema: &ast::Ident| columns.iter().any(|column| same_name(column, schema));
            if function && found.is_none() && name.schema.as_ref().is_some_and(of_column) {
                continue;
            }
            self.reference(found, &object, module, shown, &mut references).map_err(|e| e.at_line(name.line))?;
        }
        for name in &self.types {
            if let Some(UserType::Table(table)) = catalog.user_type(&object_name(name))? {
                references.insert((table.object, 0));
            }
        }
        Ok(references)
    }

    fn reference(
        &self,
        found: Option<Object>,
        name: &ObjectName,
        module: &ModuleDef,
        (kind, shown): (&str, &str),
        references: &mut References,
    ) -> SqlResult<()> {
        let written = name.written();
        let invalid = || sql_error!(4512, state 3, kind, shown, written);
        if name.schema.is_none() || name.database.is_some() || name.server.is_some() {
            return Err(invalid());
        }
        match found {
            None => Err(errors::invalid_object(&written)),
            Some(Object::Module(other)) if other.object == module.object => Err(invalid()),
            Some(Object::Table(table)) => {
                references.insert((table.object, 0));
                for column in &table.columns {
                    if self.columns.iter().any(|name| same_name(name, &column.name)) {
                        references.insert((table.object, column.column_id));
                    }
                }
                Ok(())
            }
            Some(Object::Virtual(_)) => Err(sql_error!(2720, kind, shown, written)),
            Some(Object::Module(other)) if other.object.0 < 0 => Err(sql_error!(2720, kind, shown, written)),
            Some(Object::Module(other)) => {
                if !is_bound(&other)? {
                    return Err(sql_error!(4513, state 2, kind, shown, written));
                }
                references.insert((other.object, 0));
                Ok(())
            }
            Some(Object::Synonym(_)) => Err(sql_error!(2788)),
            Some(Object::Sequence(sequence)) => {
                references.insert((sequence.object, 0));
                Ok(())
            }
        }
    }
}
