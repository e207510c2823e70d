//! What natively compiled modules may not have, refused when they are made; and what they, being schema-bound, refer to.
//!
//! One walk over the tree in the order of the text. Each statement tells the first thing that is wrong with it. Where SQL Server has a
//! message of its own it is that one; the rest are 10794, "The <kind> '<name>' is not supported with natively compiled modules."

use std::collections::BTreeSet;
use std::sync::Arc;

use types::{SqlError, SqlResult, TypeKind, sql_error};

use super::Errors;
use super::atomic::atomic_block;
use super::names::{display, object_name, same_name};
use crate::ast::{self, StatementKind as S};
use crate::catalog::{Catalog, ModuleDef, ModuleKind, Object, ObjectId, TableDef, UserType};
use crate::parse::{ParseOptions, parse_batch};

/// What a schema-bound module depends on: an object, and a column of it (`sys.columns.column_id`), or 0 for the object itself.
pub type References = BTreeSet<(ObjectId, u32)>;

/// Checks a module that is about to be kept. Of one that is not natively compiled: that nothing in it belongs to those alone.
pub fn check_native(module: &ModuleDef, catalog: &dyn Catalog) -> Result<References, Errors> {
    let batch = parse_batch(&module.text, &ParseOptions { quoted_identifier: module.quoted_identifier })?;
    let mut check = Check {
        catalog,
        text: &module.text,
        name: &module.name,
        module: ("", String::new()),
        in_select: false,
        in_catch: false,
        trigger: false,
        errors: Vec::new(),
        tables: Vec::new(),
        columns: Vec::new(),
        references: References::new(),
    };
    if let Some(statement) = batch.statements.first() {
        check.definition(&statement.kind, statement.line);
    }
    let Check { errors, references, name, .. } = check;
    if errors.is_empty() {
        return Ok(references);
    }
    Err(errors.into_iter().map(|error| error.in_procedure(name)).collect())
}

pub(super) struct Check<'a> {
    pub catalog: &'a dyn Catalog,
    text: &'a str,
    /// As written: a temporary one is kept under another.
    name: &'a str,
    /// `procedure 'dbo.p'`, as 4512 names it.
    pub module: (&'static str, String),
    /// Within a SELECT, which alone may have subqueries.
    pub in_select: bool,
    pub in_catch: bool,
    pub trigger: bool,
    errors: Errors,
    pub tables: Vec<Arc<TableDef>>,
    /// Names that may be those of columns of `tables`.
    pub columns: Vec<&'a str>,
    pub references: References,
}

/// What messages call the modules that are checked here.
pub(super) const NATIVE: &str = "natively compiled modules";

pub(super) fn refused(kind: &str, name: &str) -> SqlError {
    refused_at(kind, name, 1)
}

pub(super) fn refused_at(kind: &str, name: &str, state: u8) -> SqlError {
    sql_error!(10794, state state, kind, name, NATIVE)
}

pub(super) fn subquery() -> SqlError {
    sql_error!(12311, NATIVE)
}

pub(super) fn inaccessible(name: &str) -> SqlError {
    sql_error!(10775, name)
}

/// Found by the binder, which knows types.
pub fn text_extreme() -> SqlError {
    sql_error!(12334, NATIVE)
}

impl<'a> Check<'a> {
    fn refuse(&mut self, result: SqlResult<()>, line: u32) {
        if let Err(error) = result {
            self.errors.push(error.at_line(line));
        }
    }

    // Definitions.

    fn definition(&mut self, kind: &'a S, line: u32) {
        match kind {
            S::CreateProcedure(create) => {
                let (name, options) = (&create.name, &create.options);
                let refused_form = match (create.number.is_some(), create.for_replication) {
                    _ if name.is_temporary() => Some(sql_error!(12321, NATIVE)),
                    (true, _) => Some(sql_error!(12303, NATIVE)),
                    (_, true) => Some(refused("option", "FOR REPLICATION")),
                    _ => None,
                };
                self.module(("procedure", name), options, &create.parameters, &create.body, refused_form, line);
            }
            S::CreateTrigger(create) => {
                self.trigger = true;
                let instead = create.instead_of && create.options.native_compilation;
                let refused_form =
                    instead.then(|| sql_error!(10794, state 130, "option", "INSTEAD OF", "natively compiled triggers"));
                self.module(("trigger", &create.name), &create.options, &[], &create.body, refused_form, line);
            }
            S::CreateFunction(create) => match &create.returns {
                ast::FunctionReturns::Scalar { body, .. } | ast::FunctionReturns::Table { body, .. } => {
                    let (name, options) = (("function", &create.name), &create.options);
                    let of_statements = matches!(create.returns, ast::FunctionReturns::Table { .. });
                    let refused_form = of_statements.then(|| sql_error!(12308, NATIVE));
                    self.module(name, options, &create.parameters, body, refused_form, create.line);
                }
                ast::FunctionReturns::Inline { query, .. } => self.inline_function(create, query),
                ast::FunctionReturns::ExternalTable { .. } => {}
            },
            _ => {}
        }
    }

    /// Whether it is natively compiled; None: refused.
    fn is_native(
        &mut self,
        (kind, name): (&'static str, &'a ast::ObjectName),
        options: &ast::ModuleOptions,
        line: u32,
    ) -> Option<bool> {
        self.name = &name.name;
        self.module = (kind, display(name));
        let function = kind == "function";
        // Functions and views may be schema-bound in any case.
        if options.native_compilation != options.schemabinding && (options.native_compilation || !function) {
            self.refuse(Err(sql_error!(10796, state if function { 2 } else { 1 })), line);
            return None;
        }
        if options.native_compilation && options.recompile {
            self.refuse(Err(refused("option", "RECOMPILE")), line);
        }
        if options.native_compilation && options.encryption {
            self.refuse(Err(refused("option", "ENCRYPTION")), line);
        }
        Some(options.native_compilation)
    }

    fn module(
        &mut self,
        name: (&'static str, &'a ast::ObjectName),
        options: &ast::ModuleOptions,
        parameters: &'a [ast::Parameter],
        body: &'a ast::ModuleBody,
        refused_form: Option<SqlError>,
        line: u32,
    ) {
        match self.is_native(name, options, line) {
            Some(true) => {}
            Some(false) => return self.interpreted(parameters, body),
            None => return,
        }
        if let Some(error) = refused_form {
            self.refuse(Err(error), line);
        }
        self.parameters(parameters);
        let ast::ModuleBody::Atomic { settings, statements, line } = body else {
            return self.refuse(Err(sql_error!(10783)), line);
        };
        self.refuse(atomic_block(settings, *line).map(drop), *line);
        self.statements(statements);
        self.note_columns();
    }

    /// Its query becomes a part of its callers': it has no block of its own.
    fn inline_function(&mut self, create: &'a ast::CreateFunction, query: &'a ast::Query) {
        if self.is_native(("function", &create.name), &create.options, create.line) == Some(true) {
            self.parameters(&create.parameters);
            let result = self.select(query);
            self.refuse(result, query.line);
            self.note_columns();
        }
    }

    fn parameters(&mut self, parameters: &'a [ast::Parameter]) {
        for parameter in parameters {
            let result = self.data_type(&parameter.data_type);
            self.refuse(result, parameter.name.line);
        }
    }

    fn interpreted(&mut self, parameters: &[ast::Parameter], body: &ast::ModuleBody) {
        if let Some(parameter) = parameters.iter().find(|parameter| parameter.null == Some(false)) {
            self.refuse(Err(sql_error!(11555, parameter.name.name)), parameter.name.line);
        }
        if let ast::ModuleBody::Atomic { line, .. } = body {
            self.refuse(Err(sql_error!(10782)), *line);
        }
    }

    /// Columns that the module names, of the tables that it names.
    fn note_columns(&mut self) {
        for table in &self.tables {
            self.references.insert((table.object, 0));
            for column in &table.columns {
                if self.columns.iter().any(|name| same_name(name, &column.name)) {
                    self.references.insert((table.object, column.column_id));
                }
            }
        }
    }

    pub(super) fn data_type(&mut self, data_type: &ast::DataType) -> SqlResult<()> {
        use TypeKind::*;
        let name = match &data_type.name {
            ast::TypeName::Builtin(
                kind @ (Xml | SqlVariant | Text | NText | Image | RowVersion | DateTimeOffset | Json),
            ) => kind.name(),
            ast::TypeName::Cursor => return Err(sql_error!(12306, NATIVE)),
            ast::TypeName::Builtin(HierarchyId) => "sys.hierarchyid",
            ast::TypeName::Builtin(Geometry) => "sys.geometry",
            ast::TypeName::Builtin(Geography) => "sys.geography",
            ast::TypeName::Builtin(_) | ast::TypeName::Sysname => return Ok(()),
            ast::TypeName::Vector => "vector",
            ast::TypeName::XmlOf { .. } => "xml",
            ast::TypeName::User(name) => {
                return match self.catalog.user_type(&object_name(name))? {
                    Some(UserType::Table(table)) if table.memory.is_none() => Err(inaccessible(&display(name))),
                    Some(UserType::Table(table)) => {
                        self.references.insert((table.object, 0));
                        Ok(())
                    }
                    _ => Ok(()),
                };
            }
        };
        Err(refused_at("type", name, 80))
    }

    // Statements.

    fn statements(&mut self, statements: &'a [ast::Statement]) {
        for statement in statements {
            let result = self.statement(statement);
            self.refuse(result, statement.line);
        }
    }

    fn statement(&mut self, statement: &'a ast::Statement) -> SqlResult<()> {
        match &statement.kind {
            S::Select(query) => self.select(query),
            S::Insert(insert) => self.insert(insert),
            S::Update(update) => self.update(update),
            S::Delete(delete) => self.delete(delete),
            S::Block(statements) => {
                self.statements(statements);
                Ok(())
            }
            S::If(branches) => {
                for branch in &branches.branches {
                    let result = self.expr(&branch.condition);
                    self.refuse(result, branch.line);
                    self.statements(std::slice::from_ref(&branch.then));
                }
                self.statements(branches.otherwise.as_slice());
                Ok(())
            }
            S::While(w) => {
                let result = self.expr(&w.condition);
                self.statements(std::slice::from_ref(&w.body));
                result
            }
            S::TryCatch(t) => {
                self.statements(&t.body);
                let outer = std::mem::replace(&mut self.in_catch, true);
                self.statements(&t.handler);
                self.in_catch = outer;
                Ok(())
            }
            S::Return(value) => value.iter().try_for_each(|value| self.expr(value)),
            S::Throw(throw) => throw
                .iter()
                .try_for_each(|t| [&t.number, &t.message, &t.state].into_iter().try_for_each(|e| self.expr(e))),
            S::Declare(declarations) => declarations.iter().try_for_each(|declaration| self.declaration(declaration)),
            S::SetVariable(set) => match &set.kind {
                ast::SetVariableKind::Value(_, value) => self.selected(value),
                ast::SetVariableKind::Cursor(_) => Err(sql_error!(12306, NATIVE)),
                ast::SetVariableKind::Method { .. } => Err(sql_error!(12314, NATIVE)),
                ast::SetVariableKind::Property { .. } => Err(sql_error!(12315, NATIVE)),
            },
            S::Execute(execute) => self.execute(execute),
            S::ExecuteString(_) => Err(execute_needs_name()),
            S::SetOption(_) => Err(sql_error!(10769)),
            S::DeclareCursor(_) | S::OpenCursor(_) | S::FetchCursor(_) | S::CloseCursor(_) | S::DeallocateCursor(_) => {
                Err(sql_error!(12306, NATIVE))
            }
            S::BeginTransaction(_) => Err(refused("statement", "BEGIN TRANSACTION")),
            S::CommitTransaction(_) => Err(refused("statement", "COMMIT TRANSACTION")),
            S::RollbackTransaction(_) => Err(refused("statement", "ROLLBACK TRANSACTION")),
            S::SaveTransaction(_) => Err(sql_error!(12326, NATIVE)),
            S::Goto(_) | S::Label(_) => Err(refused("operator", "GOTO")),
            S::Use(_) => Err(sql_error!(154, "a USE database statement", "a procedure, function or trigger")),
            _ => Err(refused("statement", &verb(statement.span.of(self.text)))),
        }
    }

    /// DECLARE and SET take a value as SELECT does, that of a subquery too.
    fn selected(&mut self, value: &'a ast::Expr) -> SqlResult<()> {
        let outer = std::mem::replace(&mut self.in_select, true);
        let checked = self.expr(value);
        self.in_select = outer;
        checked
    }

    fn declaration(&mut self, declaration: &'a ast::Declaration) -> SqlResult<()> {
        match declaration {
            ast::Declaration::Scalar { variable, data_type, null, value } => {
                self.data_type(data_type).map_err(|error| error.at_line(variable.line))?;
                match value {
                    Some(value) => self.selected(value),
                    None if *null == Some(false) => Err(sql_error!(10795, variable.name).at_line(variable.line)),
                    None => Ok(()),
                }
            }
            ast::Declaration::Table { .. } => Err(sql_error!(12305, NATIVE)),
            ast::Declaration::Cursor { .. } => Err(sql_error!(12306, NATIVE)),
        }
    }

    fn execute(&mut self, execute: &'a ast::Execute) -> SqlResult<()> {
        let ast::Procedure::Name(name, number) = &execute.procedure else { return Err(execute_needs_name()) };
        if number.is_some() {
            return Err(sql_error!(12303, NATIVE));
        }
        if execute.recompile || execute.result_sets.is_some() {
            return Err(sql_error!(12341));
        }
        self.two_parts(name)?;
        match self.catalog.resolve(&object_name(name))? {
            Some(Object::Module(module)) if module.kind == ModuleKind::Procedure && module.native => {
                self.references.insert((module.object, 0));
            }
            None => return Err(sql_error!(2812, display(name))),
            Some(_) => return Err(sql_error!(12342)),
        }
        execute.args.iter().try_for_each(|argument| self.expr(&argument.value))
    }

    fn insert(&mut self, insert: &'a ast::Insert) -> SqlResult<()> {
        no_ctes(insert.with.as_deref())?;
        self.hints(&insert.options)?;
        let table = self.target(&insert.target, &[])?;
        self.columns.extend(insert.columns.iter().map(|column| &*column.name.text));
        if let (Some(table), true) = (table, insert.columns.is_empty()) {
            self.references.extend(table.columns.iter().map(|column| (table.object, column.column_id)));
        }
        self.output(insert.output.as_deref())?;
        match &insert.source {
            ast::InsertSource::Values(rows) if rows.len() > 1 => Err(sql_error!(12309, NATIVE)),
            ast::InsertSource::Values(rows) => rows.iter().flatten().try_for_each(|value| self.expr(value)),
            ast::InsertSource::Query(query) => self.select(query),
            ast::InsertSource::Execute(_) | ast::InsertSource::ExecuteString(_) => {
                Err(refused("feature", "INSERT EXECUTE"))
            }
            ast::InsertSource::DefaultValues => Ok(()),
        }
    }

    fn update(&mut self, update: &'a ast::Update) -> SqlResult<()> {
        no_ctes(update.with.as_deref())?;
        self.hints(&update.options)?;
        self.target(&update.target, &update.from)?;
        for clause in &update.set {
            match clause {
                ast::SetClause::Column { column, value, .. } => {
                    self.columns.push(&column.name.text);
                    self.expr(value)?;
                }
                ast::SetClause::Variable { value, .. } => self.expr(value)?,
                ast::SetClause::VariableColumn { column, value, .. } => {
                    self.columns.push(&column.name.text);
                    self.expr(value)?;
                }
                ast::SetClause::Method { .. } => return Err(sql_error!(12314, NATIVE)),
            }
        }
        self.changed_rows(update.top.as_deref(), update.output.as_deref(), update.filter.as_ref())
    }

    fn delete(&mut self, delete: &'a ast::Delete) -> SqlResult<()> {
        no_ctes(delete.with.as_deref())?;
        self.hints(&delete.options)?;
        self.target(&delete.target, &delete.from)?;
        self.changed_rows(delete.top.as_deref(), delete.output.as_deref(), delete.filter.as_ref())
    }

    fn changed_rows(
        &mut self,
        top: Option<&'a ast::Top>,
        output: Option<&'a ast::Output>,
        filter: Option<&'a ast::Filter>,
    ) -> SqlResult<()> {
        if let Some(top) = top {
            self.top(top, false)?;
        }
        self.output(output)?;
        match filter {
            Some(ast::Filter::Where(condition)) => self.expr(condition),
            Some(ast::Filter::CurrentOf(_)) => Err(sql_error!(12306, NATIVE)),
            None => Ok(()),
        }
    }

    fn output(&mut self, output: Option<&'a ast::Output>) -> SqlResult<()> {
        let Some(output) = output else { return Ok(()) };
        let into = output.into.as_ref();
        if let Some(into) = into {
            self.target(&into.target, &[])?;
        }
        for item in output.items.iter().chain(into.iter().flat_map(|into| &into.items)) {
            if let ast::SelectItem::Expr { expr, .. } = item {
                self.expr(expr)?;
            }
        }
        Ok(())
    }

    /// None: a table variable, whose definition cannot change.
    fn target(&mut self, target: &'a ast::Target, from: &'a [ast::TableRef]) -> SqlResult<Option<Arc<TableDef>>> {
        if !from.is_empty() {
            return Err(sql_error!(12319, NATIVE));
        }
        match target {
            ast::Target::Table { name, hints } => {
                self.table_hints(hints)?;
                self.table(name).map(Some)
            }
            ast::Target::Variable(_) => Ok(None),
            ast::Target::Function(_) => Err(sql_error!(12350, NATIVE)),
        }
    }
}

fn execute_needs_name() -> SqlError {
    sql_error!(12340)
}

pub(super) fn no_ctes(with: Option<&ast::With>) -> SqlResult<()> {
    match with {
        Some(_) => Err(sql_error!(12310, NATIVE)),
        None => Ok(()),
    }
}

/// The words that name a statement: two of CREATE, ALTER and the like.
fn verb(text: &str) -> String {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default().to_uppercase();
    let takes_object = ["CREATE", "ALTER", "DROP", "TRUNCATE", "BULK", "ENABLE", "DISABLE"].contains(&&*first);
    match words.next() {
        Some(second) if takes_object => format!("{first} {}", second.to_uppercase()),
        _ => first,
    }
}
