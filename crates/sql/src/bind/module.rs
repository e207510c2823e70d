//! A batch or body: variables in textual order, control of flow, and statements that need no table. The others are deferred.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use types::{SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::atomic::atomic_block;
use super::binder::{Binder, Names};
use super::convert::implicit;
use super::errors;
use super::names::{find_type, object_name, own_schema};
use super::query::compound;
use super::scope::Scope;
use super::variables::{Found, has_query, has_sequence, needs_catalog, visit_expr, visit_query, visit_statement};
use super::{BindOptions, Errors, table_definition};
use crate::ast;
use crate::catalog::{Catalog, ColumnDef, ModuleDef, ModuleKind, Object, TableDef, UserType};
use crate::parse::{ParseOptions, parse_batch, parse_parameter_declarations};
use crate::plan::*;

/// Of an IF with ELSE IF: each lies within the one before it, so that whoever walks them, or lets them go, has that many calls on the stack.
const BRANCHES_MAX: usize = 250;

/// Parses and binds a batch. `parameters`: as `sp_executesql` declares them (`@a int, @b nvarchar(10) OUTPUT`), or empty.
pub fn bind_text(text: &str, parameters: &str, options: &BindOptions, catalog: &dyn Catalog) -> Result<Module, Errors> {
    let declared = if parameters.trim().is_empty() { Vec::new() } else { parse_parameter_declarations(parameters)? };
    let batch = parse_batch(text, &ParseOptions { quoted_identifier: options.quoted_identifier })?;
    bind_module(&batch.statements, &declared, text, BodyKind::Batch, options, catalog)
}

/// The body of a procedure, function or trigger of the catalog. Parameters are the module's first variables.
pub fn bind_definition(module: &ModuleDef, options: &BindOptions, catalog: &dyn Catalog) -> Result<Module, Errors> {
    let batch = parse_batch(&module.text, &ParseOptions { quoted_identifier: module.quoted_identifier })?;
    let one = |e: SqlError| vec![e.in_procedure(&module.name)];
    let new = |kind| {
        let mut binder = ModuleBinder::new(options, catalog, &module.text, kind);
        binder.module.schema = own_schema(&module.schema).map(Box::from);
        binder.module.object = Some((module.database, module.object));
        binder
    };
    let bound = match batch.statements.first().map(|statement| &statement.kind) {
        Some(ast::StatementKind::CreateProcedure(procedure)) => {
            let body = Body::of(&procedure.body).map_err(one)?;
            new(BodyKind::Procedure).body(&body, &procedure.parameters)
        }
        Some(ast::StatementKind::CreateTrigger(trigger)) => {
            let body = Body::of(&trigger.body).map_err(one)?;
            let parent = match module.parent {
                Some(parent) => match catalog.table_by_id(module.database, parent).map_err(one)? {
                    Some(table) if trigger.instead_of => Some(Arc::new(without_not_null(&table))),
                    Some(table) => Some(table),
                    None => catalog.view_target(module.database, parent).map_err(one)?,
                },
                None => None,
            };
            let mut binder = new(BodyKind::Trigger);
            binder.module.trigger_table = parent;
            binder.module.trigger = Some(module.object);
            binder.body(&body, &[])
        }
        Some(ast::StatementKind::CreateFunction(function)) => match &function.returns {
            ast::FunctionReturns::Scalar { data_type, body, .. } => {
                let ty = super::scalar_type(catalog, own_schema(&module.schema), data_type, 1).map_err(one)?;
                let body = Body::of(body).map_err(one)?;
                new(BodyKind::ScalarFunction(ty)).body(&body, &function.parameters)
            }
            ast::FunctionReturns::Table { variable, definition, body } => {
                let body = Body::of(body).map_err(one)?;
                let mut binder = new(BodyKind::TableFunction);
                binder.declare_table(variable, definition).map_err(one)?;
                binder.body(&body, &function.parameters)
            }
            _ => return Err(one(errors::not_supported("function"))),
        },
        _ => {
            return Err(one(sql_error!(2812, module.name)));
        }
    };
    bound.map_err(|errors| errors.into_iter().map(|e| e.in_procedure(&module.name)).collect())
}

/// The shape of an INSTEAD OF trigger's rows: no constraint has looked at them yet.
fn without_not_null(table: &TableDef) -> TableDef {
    let mut table = table.clone();
    table.columns.iter_mut().for_each(|column| column.nullable = true);
    table
}

struct Body<'a> {
    statements: &'a [ast::Statement],
    atomic: Option<AtomicBlock>,
}

impl Body<'_> {
    fn of(body: &ast::ModuleBody) -> SqlResult<Body<'_>> {
        Ok(match body {
            ast::ModuleBody::Statements(statements) => Body { statements, atomic: None },
            ast::ModuleBody::Atomic { settings, statements, line } => {
                Body { statements, atomic: Some(atomic_block(settings, *line)?) }
            }
            ast::ModuleBody::External(_) => return Err(errors::not_supported("EXTERNAL NAME")),
        })
    }
}

/// Statements with their parameters. `text`: what was parsed, for the texts of defaults and checks of table variables.
pub fn bind_module(
    statements: &[ast::Statement],
    parameters: &[ast::Parameter],
    text: &str,
    kind: BodyKind,
    options: &BindOptions,
    catalog: &dyn Catalog,
) -> Result<Module, Errors> {
    ModuleBinder::new(options, catalog, text, kind).finish(statements, parameters)
}

struct ModuleBinder<'a> {
    options: BindOptions,
    catalog: &'a dyn Catalog,
    text: &'a str,
    module: Module,
    /// Names of labels; a label's number is its place here.
    labels: Named<Box<str>>,
    placed: Vec<bool>,
    gotos: Vec<(u32, u32)>,
    errors: Errors,
    loops: u32,
    handlers: u32,
}

/// Errors of one batch that are reported; more would only repeat.
const ERRORS_MAX: usize = 20;

impl<'a> ModuleBinder<'a> {
    fn new(options: &BindOptions, catalog: &'a dyn Catalog, text: &'a str, kind: BodyKind) -> ModuleBinder<'a> {
        ModuleBinder {
            options: *options,
            catalog,
            text,
            module: Module {
                variables: Named::EMPTY,
                parameter_count: 0,
                table_variables: Named::EMPTY,
                cursor_variables: Named::EMPTY,
                cursor_parameters: Vec::new(),
                body: Vec::new(),
                queries: Vec::new(),
                messages: Vec::new(),
                parse_only: None,
                text: text.into(),
                checked: AtomicU64::new(NEVER_CHECKED),
                executor: ExecutorSlot::default(),
                kind,
                trigger_table: None,
                trigger: None,
                atomic: None,
                schema: None,
                object: None,
            },
            labels: Named::EMPTY,
            placed: Vec::new(),
            gotos: Vec::new(),
            errors: Vec::new(),
            loops: 0,
            handlers: 0,
        }
    }

    fn body(mut self, body: &Body<'_>, parameters: &[ast::Parameter]) -> Result<Module, Errors> {
        self.module.atomic = body.atomic;
        self.finish(body.statements, parameters)
    }

    fn finish(mut self, statements: &[ast::Statement], parameters: &[ast::Parameter]) -> Result<Module, Errors> {
        for parameter in parameters {
            if let Err(error) = self.parameter(parameter) {
                self.errors.push(error.at_line(parameter.name.line));
            }
        }
        self.module.parameter_count = self.module.variables.len();
        self.module.body = self.statements(statements);
        for (label, line) in std::mem::take(&mut self.gotos) {
            if !self.placed[label as usize] {
                let name = &self.labels[label as usize];
                self.errors.push(sql_error!(133, name).at_line(line));
            }
        }
        if self.errors.is_empty() { Ok(self.module) } else { Err(self.errors) }
    }

    fn names(&self) -> Names<'_> {
        Names {
            variables: &self.module.variables,
            table_variables: &self.module.table_variables,
            cursors: &self.module.cursor_variables,
            kind: self.module.kind,
            trigger_table: self.module.trigger_table.as_ref(),
            trigger: self.module.trigger,
            schema: self.module.schema.as_deref(),
            module: self.module.object,
        }
    }

    fn user_type(&self, name: &ast::ObjectName) -> SqlResult<Option<UserType>> {
        find_type(self.catalog, self.module.schema.as_deref(), &object_name(name))
    }

    fn scalar_type(&self, ty: &ast::DataType) -> SqlResult<SqlType> {
        super::scalar_type(self.catalog, self.module.schema.as_deref(), ty, 1)
    }

    fn binder(&self) -> Binder<'_> {
        Binder::new(self.catalog, &self.options, self.names())
    }

    fn parameter(&mut self, parameter: &ast::Parameter) -> SqlResult<()> {
        self.check_new(&parameter.name)?;
        let name = parameter.name.name.clone();
        let position = self.module.variables.len();
        let mut variable = Variable {
            name: name.clone(),
            ty: SqlType::INT,
            output: parameter.output,
            default: None,
            not_null: parameter.null == Some(false),
        };
        match &parameter.data_type.name {
            ast::TypeName::Cursor => {
                self.module.cursor_variables.push(name);
                self.module.cursor_parameters.push(position);
                // Its place among the parameters is kept; the name is the cursor's.
                variable.name = format!("cursor parameter {position}").into();
            }
            ast::TypeName::User(type_name) => match self.user_type(type_name)? {
                Some(UserType::Table(table)) => {
                    if !parameter.readonly {
                        return Err(sql_error!(352, name));
                    }
                    self.module.table_variables.push(TableVariable { name, table, parameter: Some(position) });
                    variable.name = format!("table parameter {position}").into();
                }
                _ => variable.ty = self.scalar_type(&parameter.data_type)?,
            },
            _ => variable.ty = self.scalar_type(&parameter.data_type)?,
        }
        if let Some(default) = &parameter.default {
            let own = self.binder().expr(default, &Scope::EMPTY)?;
            // What the session's settings decide, and what is wrong with the value, shows at a call without an argument.
            variable.default = Some(match implicit(own.clone(), &variable.ty) {
                Ok(Expr { kind: ExprKind::Literal(value), .. }) => {
                    Expr::new(variable.ty, true, ExprKind::Literal(value))
                }
                _ => own,
            });
        }
        self.module.variables.push(variable);
        Ok(())
    }

    fn check_new(&self, variable: &ast::Variable) -> SqlResult<()> {
        let name = &variable.name;
        let module = &self.module;
        let known = module.variables.has(name) || module.table_variables.has(name) || module.cursor_variables.has(name);
        if known { Err(errors::already_declared(name).at_line(variable.line)) } else { Ok(()) }
    }

    fn statements(&mut self, statements: &[ast::Statement]) -> Vec<Statement> {
        let mut out = Vec::with_capacity(statements.len());
        for statement in statements {
            self.statement(statement, &mut out);
        }
        out
    }

    fn block(&mut self, statement: &ast::Statement) -> Vec<Statement> {
        match &statement.kind {
            ast::StatementKind::Block(statements) => self.statements(statements),
            _ => self.statements(std::slice::from_ref(statement)),
        }
    }

    fn statement(&mut self, statement: &ast::Statement, out: &mut Vec<Statement>) {
        if self.errors.len() >= ERRORS_MAX {
            return;
        }
        let line = statement.line;
        match self.kind(statement, out) {
            Ok(Some(kind)) => out.push(Statement { line, span: statement.span, kind }),
            Ok(None) => {}
            Err(error) => self.errors.push(error.at_line(line)),
        }
    }

    fn defer(&mut self, kind: ast::StatementKind, statement: &ast::Statement) -> SqlResult<QueryId> {
        self.defer_whole(ast::Statement { kind, line: statement.line, span: statement.span })
    }

    fn defer_whole(&mut self, statement: ast::Statement) -> SqlResult<QueryId> {
        self.check_variables(|f| visit_statement(&statement.kind, f))?;
        let id = QueryId(self.module.queries.len() as u32);
        let line = statement.line;
        let (ansi_nulls, client) = (self.options.ansi_nulls, self.options.client);
        self.module.queries.push(QueryText::new(Arc::new(statement), line, ansi_nulls, client));
        Ok(id)
    }

    /// 137 and 1087 before anything runs.
    fn check_variables(&self, visit: impl FnOnce(&mut dyn FnMut(Found))) -> SqlResult<()> {
        let mut wrong: Option<SqlError> = None;
        visit(&mut |found| {
            if wrong.is_some() {
                return;
            }
            match found {
                Found::Scalar(variable) => {
                    let known = self.module.variables.has(&variable.name);
                    let table = self.module.table_variables.has(&variable.name);
                    if !known && !table {
                        wrong = Some(errors::undeclared_variable(&variable.name).at_line(variable.line));
                    }
                }
                Found::Table(variable) => {
                    if !self.module.table_variables.has(&variable.name) {
                        wrong = Some(errors::undeclared_table_variable(&variable.name).at_line(variable.line));
                    }
                }
                Found::Cursor(variable) => {
                    if !self.module.cursor_variables.has(&variable.name) {
                        wrong = Some(self.binder().not_a_cursor(variable));
                    }
                }
                Found::Query
                | Found::Catalog
                | Found::Sequence(_)
                | Found::Named(_)
                | Found::Local(_)
                | Found::Function(_)
                | Found::Column(_)
                | Found::Star(_)
                | Found::Call(_)
                | Found::Session(_)
                | Found::Method(_)
                | Found::Rows(_) => {}
            }
        });
        match wrong {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// An expression that may not hold a query.
    fn scalar(&self, expr: &ast::Expr) -> SqlResult<Expr> {
        if has_query(expr) {
            return Err(sql_error!(1046));
        }
        self.binder().expr(expr, &Scope::EMPTY)
    }

    fn scalar_as(&self, expr: &ast::Expr, ty: &SqlType) -> SqlResult<Expr> {
        implicit(self.scalar(expr)?, ty)
    }

    fn slot(&self, variable: &ast::Variable) -> SqlResult<VariableSlot> {
        self.binder().slot(variable)
    }

    fn condition(&mut self, condition: &ast::Expr, statement: &ast::Statement, line: u32) -> SqlResult<Condition> {
        if !needs_catalog(condition) {
            return Ok(Condition::Scalar(self.binder().expr(condition, &Scope::NO_ROWS)?));
        }
        self.check_variables(|f| visit_expr(condition, f))?;
        let branch = ast::IfBranch {
            condition: condition.clone(),
            then: ast::Statement { kind: ast::StatementKind::Block(Vec::new()), line, span: statement.span },
            line,
        };
        let kind = ast::StatementKind::If(Box::new(ast::If { branches: vec![branch], otherwise: None }));
        let id = self.defer_whole(ast::Statement { kind, line, span: statement.span })?;
        Ok(Condition::Query(id))
    }

    fn kind(&mut self, statement: &ast::Statement, out: &mut Vec<Statement>) -> SqlResult<Option<StatementKind>> {
        use ast::StatementKind as A;
        Ok(Some(match &statement.kind {
            A::Select(_) | A::Insert(_) | A::Update(_) | A::Delete(_) | A::Merge(_) => {
                StatementKind::Query(self.defer(statement.kind.clone(), statement)?)
            }
            A::Block(statements) => StatementKind::Block(self.statements(statements)),
            A::If(branches) => return self.if_statement(branches, statement).map(Some),
            A::While(w) => {
                let condition = self.condition(&w.condition, statement, statement.line)?;
                self.loops += 1;
                let body = self.block(&w.body);
                self.loops -= 1;
                StatementKind::While { condition, body }
            }
            A::Break => self.in_loop(StatementKind::Break)?,
            A::Continue => self.in_loop(StatementKind::Continue)?,
            A::Goto(label) => {
                let label = self.label(label);
                self.gotos.push((label, statement.line));
                StatementKind::Goto(label)
            }
            A::Label(name) => self.label_statement(name)?,
            A::Return(value) => self.return_statement(value.as_deref(), statement)?,
            A::TryCatch(t) => {
                let body = self.statements(&t.body);
                self.handlers += 1;
                let handler = self.statements(&t.handler);
                self.handlers -= 1;
                StatementKind::TryCatch { body, handler }
            }
            A::Throw(throw) => self.throw(throw.as_deref())?,
            A::Raiserror(r) => self.raiserror(r)?,
            A::Print(value) => {
                if has_sequence(value) {
                    return Err(sql_error!(11738));
                }
                let bound = self.scalar(value)?;
                if bound.any(&mut super::xml::is_xml_method) {
                    return Err(sql_error!(2722));
                }
                StatementKind::Print(self.binder().as_string(bound, 1, "PRINT")?)
            }
            A::WaitFor(wait) => match &**wait {
                ast::WaitFor::Delay(e) => StatementKind::WaitForDelay(self.moment(e)?),
                ast::WaitFor::Time(e) => StatementKind::WaitForTime(self.moment(e)?),
                ast::WaitFor::Broker { .. } => return Err(errors::not_supported("RECEIVE")),
            },
            A::ExecuteAs(context) => StatementKind::ExecuteAs(Box::new(self.execute_as(context)?)),
            A::Revert(cookie) => {
                let cookie = cookie.as_ref().map(|cookie| self.scalar(cookie)).transpose()?;
                StatementKind::Revert(cookie)
            }
            A::Execute(execute) => StatementKind::Execute(Box::new(self.binder().execute(execute)?)),
            A::ExecuteString(execute) => StatementKind::Execute(Box::new(self.binder().execute_string(execute)?)),
            A::Declare(declarations) => {
                for declaration in declarations {
                    self.declaration(declaration, statement, out)?;
                }
                return Ok(None);
            }
            A::SetVariable(set) => self.set_variable(set, statement)?,
            A::SetOption(option) => StatementKind::SetOption(self.set_option(option)?),
            A::Use(name) => StatementKind::Use(name.text.clone()),
            A::DeclareCursor(declare) => {
                let kind = self.cursor(Some(declare.name.text.clone()), None, &declare.definition, statement)?;
                StatementKind::DeclareCursor(Box::new(kind))
            }
            A::OpenCursor(cursor) => StatementKind::OpenCursor(self.binder().cursor_ref(cursor)?),
            A::CloseCursor(cursor) => StatementKind::CloseCursor(self.binder().cursor_ref(cursor)?),
            A::DeallocateCursor(cursor) => StatementKind::DeallocateCursor(self.binder().cursor_ref(cursor)?),
            A::FetchCursor(fetch) => self.fetch(fetch)?,
            A::BeginTransaction(begin) if begin.distributed => {
                return Err(errors::unsupported("BEGIN DISTRIBUTED TRANSACTION"));
            }
            A::BeginTransaction(begin) => {
                let mark = begin.mark.as_ref().map(|description| self.mark_description(description.as_ref()));
                StatementKind::BeginTransaction {
                    name: self.transaction_name(begin.name.as_ref())?,
                    mark: mark.transpose()?,
                }
            }
            A::CommitTransaction(commit) => {
                self.transaction_name(commit.name.as_ref())?;
                StatementKind::Commit { delayed_durability: commit.delayed_durability }
            }
            A::RollbackTransaction(rollback) => {
                StatementKind::Rollback { name: self.transaction_name(rollback.name.as_ref())? }
            }
            A::SaveTransaction(name) => {
                let name = self.transaction_name(Some(name))?;
                StatementKind::Save(name.expect("a name was given"))
            }
            A::CreateTable(create) => {
                table_definition::refuse_columns(create)?;
                StatementKind::Definition(self.defer(statement.kind.clone(), statement)?)
            }
            _ => StatementKind::Definition(self.defer(statement.kind.clone(), statement)?),
        }))
    }

    /// BREAK or CONTINUE.
    fn in_loop(&self, kind: StatementKind) -> SqlResult<StatementKind> {
        match kind {
            kind if self.loops > 0 => Ok(kind),
            StatementKind::Continue => Err(sql_error!(136)),
            _ => Err(sql_error!(135)),
        }
    }

    fn throw(&mut self, throw: Option<&ast::Throw>) -> SqlResult<StatementKind> {
        let Some(throw) = throw else {
            if self.handlers == 0 {
                return Err(sql_error!(10704));
            }
            return Ok(StatementKind::Throw(None));
        };
        Ok(StatementKind::Throw(Some([
            self.scalar_as(&throw.number, &SqlType::INT)?,
            self.scalar_as(&throw.message, &self.text(2048))?,
            self.scalar_as(&throw.state, &SqlType::INT)?,
        ])))
    }

    fn label_statement(&mut self, name: &ast::Ident) -> SqlResult<StatementKind> {
        let label = self.label(name);
        if std::mem::replace(&mut self.placed[label as usize], true) {
            return Err(sql_error!(132, &**name));
        }
        Ok(StatementKind::Label(label))
    }

    fn fetch(&mut self, fetch: &ast::FetchCursor) -> SqlResult<StatementKind> {
        let position = |e: &ast::Expr| self.scalar_as(e, &SqlType::BIGINT);
        Ok(StatementKind::Fetch {
            cursor: self.binder().cursor_ref(&fetch.cursor)?,
            direction: match &fetch.direction {
                ast::FetchDirection::Next => FetchDirection::Next,
                ast::FetchDirection::Prior => FetchDirection::Prior,
                ast::FetchDirection::First => FetchDirection::First,
                ast::FetchDirection::Last => FetchDirection::Last,
                ast::FetchDirection::Absolute(e) => FetchDirection::Absolute(position(e)?),
                ast::FetchDirection::Relative(e) => FetchDirection::Relative(position(e)?),
            },
            into: fetch.into.iter().map(|v| self.slot(v)).collect::<SqlResult<_>>()?,
        })
    }

    fn text(&self, units: u16) -> SqlType {
        SqlType::nvarchar(units).with_collation(self.catalog.collation())
    }

    fn label(&mut self, name: &ast::Ident) -> u32 {
        match self.labels.place(name) {
            Some(label) => label as u32,
            None => {
                self.labels.push(name.text.clone());
                self.placed.push(false);
                self.labels.len() as u32 - 1
            }
        }
    }

    fn if_statement(&mut self, branches: &ast::If, statement: &ast::Statement) -> SqlResult<StatementKind> {
        if branches.branches.len() > BRANCHES_MAX {
            return Err(errors::too_deep());
        }
        let mut bound = Vec::with_capacity(branches.branches.len());
        for branch in &branches.branches {
            let condition =
                self.condition(&branch.condition, statement, branch.line).map_err(|e| e.at_line(branch.line))?;
            let then = self.block(&branch.then);
            bound.push((branch.line, condition, then));
        }
        let mut otherwise = match &branches.otherwise {
            Some(otherwise) => self.block(otherwise),
            None => Vec::new(),
        };
        let mut bound = bound.into_iter().rev();
        let mut next = bound.next();
        loop {
            let (line, condition, then) = next.expect("IF has a branch");
            let kind = StatementKind::If { condition, then, otherwise };
            next = bound.next();
            if next.is_none() {
                return Ok(kind);
            }
            otherwise = vec![Statement { line, span: statement.span, kind }];
        }
    }

    fn return_statement(&mut self, value: Option<&ast::Expr>, statement: &ast::Statement) -> SqlResult<StatementKind> {
        let ty = match (self.module.kind, value) {
            (_, None) => return Ok(StatementKind::Return(None)),
            (BodyKind::Procedure, Some(_)) => SqlType::INT,
            (BodyKind::ScalarFunction(ty), Some(_)) => ty,
            _ => return Err(sql_error!(178)),
        };
        let value = value.expect("the case without a value is above");
        if has_sequence(value) {
            return Err(sql_error!(11719));
        }
        if needs_catalog(value) {
            self.check_variables(|f| visit_expr(value, f))?;
            return Ok(StatementKind::ReturnQuery(self.defer(statement.kind.clone(), statement)?));
        }
        Ok(StatementKind::Return(Some(self.scalar_as(value, &ty)?)))
    }

    fn raiserror(&mut self, r: &ast::Raiserror) -> SqlResult<StatementKind> {
        let message = match &r.old_text {
            Some(text) => self.scalar(text)?,
            None => self.scalar(&r.message)?,
        };
        let message = if message.ty.is_string() { message } else { implicit(message, &SqlType::INT)? };
        let arguments = r.args.iter().map(|e| self.scalar(e)).collect::<SqlResult<Vec<_>>>()?;
        if arguments.len() > 20 {
            return Err(sql_error!(2747, 20));
        }
        for (i, argument) in arguments.iter().enumerate() {
            let ty = &argument.ty;
            let fits = ty.is_string() || ty.is_integer() || ty.is_binary();
            if !fits {
                return Err(sql_error!(2748, ty.shown(), i + 4));
            }
        }
        Ok(StatementKind::Raiserror {
            message,
            severity: self.scalar_as(&r.severity, &SqlType::INT)?,
            state: self.scalar_as(&r.state, &SqlType::INT)?,
            arguments,
            log: r.log,
            no_wait: r.no_wait,
            set_error: r.set_error,
        })
    }

    fn execute_as(&mut self, context: &ast::ExecuteAs) -> SqlResult<ExecuteAs> {
        let principal = self.binder().principal(context)?;
        let cookie = context.cookie.as_ref().map(|variable| self.binder().slot(variable)).transpose()?;
        Ok(ExecuteAs { principal, no_revert: context.no_revert, cookie })
    }

    fn declaration(
        &mut self,
        declaration: &ast::Declaration,
        statement: &ast::Statement,
        out: &mut Vec<Statement>,
    ) -> SqlResult<()> {
        match declaration {
            ast::Declaration::Scalar { variable, data_type, null, value } => {
                self.check_new(variable)?;
                if let ast::TypeName::User(name) = &data_type.name {
                    if let Some(UserType::Table(table)) = self.user_type(name)? {
                        let slot = self.module.table_variables.len() as u32;
                        let name = variable.name.clone();
                        self.module.table_variables.push(TableVariable { name, table, parameter: None });
                        let kind = StatementKind::DeclareTable(VariableSlotTable(slot));
                        out.push(Statement { line: statement.line, span: statement.span, kind });
                        return Ok(());
                    }
                }
                let ty = match self.scalar_type(data_type) {
                    // The variable is there all the same, and the batch does not run.
                    Err(error) if error.number == 2715 => {
                        self.errors.push(error.at_line(statement.line));
                        SqlType::INT
                    }
                    found => found?,
                };
                let ty = match ty.kind {
                    types::TypeKind::Text | types::TypeKind::NText | types::TypeKind::Image => {
                        self.errors.push(sql_error!(2739).at_line(statement.line));
                        if ty.kind == types::TypeKind::Image { SqlType::VARBINARY_MAX } else { SqlType::NVARCHAR_MAX }
                    }
                    _ => ty,
                };
                let slot = VariableSlot(self.module.variables.len() as u32);
                let name = variable.name.clone();
                let own = Variable { name, ty, output: false, default: None, not_null: *null == Some(false) };
                let Some(value) = value else {
                    self.module.variables.push(own);
                    return Ok(());
                };
                // The initial value does not see the variable itself, but the ones before it in the same DECLARE.
                let kind = if needs_catalog(value) {
                    self.check_variables(|f| visit_expr(value, f))?;
                    self.module.variables.push(own);
                    let set = ast::SetVariable {
                        variable: variable.clone(),
                        kind: ast::SetVariableKind::Value(ast::AssignOp::Set, value.clone()),
                    };
                    StatementKind::Query(self.defer(ast::StatementKind::SetVariable(Box::new(set)), statement)?)
                } else {
                    let bound = self.binder().expr(value, &Scope::NO_ROWS)?;
                    let bound = implicit(bound, &ty)?;
                    self.module.variables.push(own);
                    StatementKind::Assign { slot, value: bound }
                };
                out.push(Statement { line: statement.line, span: statement.span, kind });
            }
            ast::Declaration::Table { variable, definition } => {
                let slot = self.declare_table(variable, definition)?;
                let kind = StatementKind::DeclareTable(slot);
                out.push(Statement { line: statement.line, span: statement.span, kind });
            }
            ast::Declaration::Cursor { variable } => {
                self.check_new(variable)?;
                self.module.cursor_variables.push(variable.name.clone());
            }
        }
        Ok(())
    }

    fn declare_table(
        &mut self,
        variable: &ast::Variable,
        definition: &ast::TableDefinition,
    ) -> SqlResult<VariableSlotTable> {
        self.check_new(variable)?;
        let slot = self.module.table_variables.len() as u32;
        let id = -1 - slot as i32;
        let table = self.binder().table_definition(&variable.name, definition, self.text, id)?;
        let name = variable.name.clone();
        self.module.table_variables.push(TableVariable { name, table: Arc::new(table), parameter: None });
        Ok(VariableSlotTable(slot))
    }

    fn set_variable(&mut self, set: &ast::SetVariable, statement: &ast::Statement) -> SqlResult<StatementKind> {
        let cursor_slot = self.module.cursor_variables.place(&set.variable.name).map(|i| CursorSlot(i as u32));
        match &set.kind {
            ast::SetVariableKind::Value(op, value) => {
                if let Some(slot) = cursor_slot {
                    let from = match value {
                        ast::Expr::Variable(variable) => {
                            self.binder().cursor_ref(&ast::CursorName::Variable(variable.clone()))?
                        }
                        ast::Expr::Column(name) => CursorRef::Name { name: name.name.text.clone(), global: false },
                        ast::Expr::Word(name) => CursorRef::Name { name: name.text.clone(), global: false },
                        _ => return Err(sql_error!(102, "SET")),
                    };
                    return Ok(StatementKind::AssignCursor { slot, from });
                }
                let slot = self.slot(&set.variable).map_err(|mut e| {
                    e.state = 1;
                    e
                })?;
                if needs_catalog(value) {
                    self.check_variables(|f| visit_expr(value, f))?;
                    return Ok(StatementKind::Query(self.defer(statement.kind.clone(), statement)?));
                }
                let mut binder = self.binder();
                let mut bound = binder.expr(value, &Scope::NO_ROWS)?;
                let ty = self.module.variables[slot.0 as usize].ty;
                if let Some(op) = compound(*op) {
                    let current = Expr::new(ty, true, ExprKind::Variable(slot));
                    bound = binder.binary(op, current, bound)?;
                }
                Ok(StatementKind::Assign { slot, value: implicit(bound, &ty)? })
            }
            ast::SetVariableKind::Cursor(definition) => {
                let slot = cursor_slot.ok_or_else(|| self.binder().not_a_cursor(&set.variable))?;
                let kind = self.cursor(None, Some(slot), definition, statement)?;
                Ok(StatementKind::DeclareCursor(Box::new(kind)))
            }
            ast::SetVariableKind::Method { name, args } => {
                let slot = self.slot(&set.variable)?;
                let mut binder = self.binder();
                let variable = ast::Expr::Variable(set.variable.clone());
                let target = binder.xml_target(&variable, &Scope::EMPTY)?;
                let value = binder.xml_modify(target, &set.variable.name, name, args, &Scope::EMPTY)?;
                Ok(StatementKind::Assign { slot, value })
            }
            ast::SetVariableKind::Property { name, op, value } => {
                let slot = self.slot(&set.variable)?;
                if needs_catalog(value) {
                    return Err(errors::unsupported(
                        "SET of a property to what a query or a function of the database gives",
                    ));
                }
                let ty = self.module.variables[slot.0 as usize].ty;
                let mut binder = self.binder();
                let value = binder.changed_property(slot, ty, (&set.variable.name, name), *op, value)?;
                Ok(StatementKind::Assign { slot, value })
            }
        }
    }

    fn cursor(
        &mut self,
        name: Option<Box<str>>,
        slot: Option<CursorSlot>,
        definition: &ast::CursorDefinition,
        statement: &ast::Statement,
    ) -> SqlResult<DeclareCursor> {
        let Some(query) = &definition.query else {
            return Err(sql_error!(102, "CURSOR"));
        };
        self.check_variables(|f| visit_query(query, f))?;
        let read_only_clause = matches!(query.for_clause.as_deref(), Some(ast::ForClause::ReadOnly));
        let read_only = read_only_clause
            || definition.insensitive
            || definition.concurrency == Some(ast::CursorConcurrency::ReadOnly)
            || matches!(definition.kind, Some(ast::CursorKind::Static | ast::CursorKind::FastForward))
            || query
                .for_clause
                .as_deref()
                .is_some_and(|clause| matches!(clause, ast::ForClause::Xml(_) | ast::ForClause::Json(_)));
        let text = if read_only {
            let mut query = query.clone();
            // It is the cursor's: a query of its own has none.
            query.for_clause = query.for_clause.filter(|_| !read_only_clause);
            ast::StatementKind::Select(query)
        } else {
            let name = ast::Ident::new("");
            ast::StatementKind::DeclareCursor(Box::new(ast::DeclareCursor { name, definition: definition.clone() }))
        };
        let id = self.defer(text, statement)?;
        let kind = match definition.kind {
            Some(ast::CursorKind::Static) => CursorKind::Static,
            Some(ast::CursorKind::Keyset) => CursorKind::Keyset,
            Some(ast::CursorKind::Dynamic) => CursorKind::Dynamic,
            Some(ast::CursorKind::FastForward) => CursorKind::FastForward,
            None if definition.insensitive => CursorKind::Static,
            None => CursorKind::Unspecified,
        };
        let options = CursorOptions {
            local: definition.global.map(|global| !global),
            scroll: definition.scroll == Some(true),
            forward_only: definition.scroll == Some(false),
            kind,
            read_only,
            scroll_locks: definition.concurrency == Some(ast::CursorConcurrency::ScrollLocks),
            optimistic: definition.concurrency == Some(ast::CursorConcurrency::Optimistic),
            type_warning: definition.type_warning,
        };
        Ok(DeclareCursor { name, slot, query: id, options })
    }

    /// What WAITFOR waits for. 9815: a string, a datetime or a smalldatetime says that, or a whole number of seconds.
    fn moment(&self, value: &ast::Expr) -> SqlResult<Expr> {
        let value = self.scalar(value)?;
        let of_time = matches!(value.ty.kind, TypeKind::DateTime | TypeKind::SmallDateTime);
        match value.ty.is_string() || value.ty.is_integer() || of_time {
            true => Ok(value),
            false => Err(sql_error!(9815, value.ty.message_name())),
        }
    }

    fn transaction_name(&self, name: Option<&ast::TransactionName>) -> SqlResult<Option<TransactionName>> {
        Ok(match name {
            None => None,
            Some(ast::TransactionName::Name(name)) => Some(TransactionName::Literal(name.text.clone())),
            Some(ast::TransactionName::Variable(variable)) => Some(self.name_in_variable(variable)?),
        })
    }

    /// 3914: only a string names a transaction.
    fn name_in_variable(&self, variable: &ast::Variable) -> SqlResult<TransactionName> {
        let ty = self.scalar(&ast::Expr::Variable(variable.clone()))?.ty;
        if !ty.is_string() {
            return Err(sql_error!(3914, state 0, ty.message_name()));
        }
        Ok(TransactionName::Variable(self.slot(variable)?))
    }

    /// The description of a mark: a string or a variable.
    fn mark_description(&self, text: Option<&ast::Expr>) -> SqlResult<Option<TransactionName>> {
        Ok(match text {
            Some(ast::Expr::Variable(variable)) => Some(self.name_in_variable(variable)?),
            Some(ast::Expr::Literal(ast::Literal::String { text, .. })) => {
                Some(TransactionName::Literal(text.to_string().into()))
            }
            _ => None,
        })
    }

    fn set_option(&mut self, option: &ast::SetOption) -> SqlResult<SetOption> {
        Ok(match option {
            ast::SetOption::Switch { options, on } => {
                let decides = |name: &str| matches!(name, "ANSI_NULLS" | "ANSI_DEFAULTS");
                // A module keeps what was set when it was made.
                if self.module.kind == BodyKind::Batch && options.iter().any(|name| decides(name)) {
                    self.options.ansi_nulls = *on;
                }
                if options.iter().any(|name| &**name == "PARSEONLY") {
                    self.module.parse_only = Some(*on);
                }
                if self.options.client != Client::Cursor && options.iter().any(|name| &**name == "NO_BROWSETABLE") {
                    self.options.client = if *on { Client::Browses } else { Client::Plain };
                }
                SetOption::Switch { names: options.clone(), on: *on }
            }
            ast::SetOption::Statistics { options, on } => SetOption::Switch {
                names: options.iter().map(|name| format!("STATISTICS {name}").into()).collect(),
                on: *on,
            },
            ast::SetOption::IdentityInsert { table, on } => {
                SetOption::IdentityInsert { table: object_name(table), on: *on }
            }
            ast::SetOption::Isolation(level) => SetOption::IsolationLevel(match level {
                ast::Isolation::ReadUncommitted => IsolationLevel::ReadUncommitted,
                ast::Isolation::ReadCommitted => IsolationLevel::ReadCommitted,
                ast::Isolation::RepeatableRead => IsolationLevel::RepeatableRead,
                ast::Isolation::Snapshot => IsolationLevel::Snapshot,
                ast::Isolation::Serializable => IsolationLevel::Serializable,
            }),
            ast::SetOption::Value { name, value } => {
                SetOption::Value { name: name.clone(), value: self.scalar(value)? }
            }
            ast::SetOption::Offsets { on, .. } => SetOption::Switch { names: vec!["OFFSETS".into()], on: *on },
        })
    }
}

fn columns_of(table: &TableDef) -> ResultSet {
    let column =
        |column: &ColumnDef| ResultColumn { name: column.name.clone(), ty: column.ty, nullable: column.nullable };
    table.columns.iter().map(column).collect()
}

impl Binder<'_> {
    pub fn execute(&mut self, execute: &ast::Execute) -> SqlResult<Execute> {
        let result_sets = self.result_sets(execute.result_sets.as_ref())?;
        let return_value = match &execute.result {
            Some(variable) => Some(self.slot(variable)?),
            None => None,
        };
        let target = match &execute.procedure {
            // There are none of a group but the first.
            ast::Procedure::Name(name, Some(number)) if *number != 1 => {
                return Err(sql_error!(2812, super::names::display(name)));
            }
            ast::Procedure::Name(name, _) => ExecuteTarget::Procedure(object_name(name)),
            ast::Procedure::Variable(variable) => {
                ExecuteTarget::Named(implicit(self.variable(variable)?, &SqlType::NVARCHAR_MAX)?)
            }
        };
        let arguments = self.arguments(&execute.args)?;
        Ok(Execute { target, arguments, return_value, recompile: execute.recompile, context: None, result_sets })
    }

    pub fn execute_string(&mut self, execute: &ast::ExecuteString) -> SqlResult<Execute> {
        let mut text: Option<Expr> = None;
        for part in &execute.text {
            let part = self.expr(part, &Scope::EMPTY)?;
            let part = self.as_string(part, 1, "EXECUTE")?;
            // The text has no length limit: its parts are (max).
            let to = if part.ty.is_unicode_string() { SqlType::NVARCHAR_MAX } else { SqlType::VARCHAR_MAX };
            let part = implicit(part.clone(), &to.with_collation(part.ty.collation))?;
            text = Some(match text {
                None => part,
                Some(left) => self.binary(ast::BinaryOp::Add, left, part)?,
            });
        }
        let text = text.ok_or_else(|| sql_error!(102, ")"))?;
        // A linked server, of which there is none.
        if let Some(server) = &execute.at {
            return Err(sql_error!(7202, state 2, server.text));
        }
        if execute.at_data_source.is_some() {
            return Err(errors::not_supported("EXECUTE AT DATA_SOURCE"));
        }
        let context = match &execute.context {
            Some(context) => self.principal(context)?,
            None => None,
        };
        Ok(Execute {
            target: ExecuteTarget::Text(text),
            arguments: self.arguments(&execute.args)?,
            return_value: None,
            recompile: execute.recompile,
            context,
            result_sets: self.result_sets(execute.result_sets.as_ref())?,
        })
    }

    /// Whom EXECUTE AS or `EXECUTE (...) AS` names; None for CALLER.
    fn principal(&mut self, context: &ast::ExecuteAs) -> SqlResult<Option<(PrincipalKind, Expr)>> {
        Ok(match &context.principal {
            ast::ExecuteAsPrincipal::Caller => None,
            ast::ExecuteAsPrincipal::User(user) => Some((PrincipalKind::User, self.expr(user, &Scope::EMPTY)?)),
            ast::ExecuteAsPrincipal::Login(login) => Some((PrincipalKind::Login, self.expr(login, &Scope::EMPTY)?)),
            ast::ExecuteAsPrincipal::Owner => return Err(sql_error!(102, "OWNER")),
            ast::ExecuteAsPrincipal::SelfUser => return Err(sql_error!(102, "SELF")),
        })
    }

    /// What WITH RESULT SETS says; None where it says nothing.
    fn result_sets(&self, sets: Option<&ast::ResultSets>) -> SqlResult<Option<Box<[ResultSet]>>> {
        let sets = match sets {
            None | Some(ast::ResultSets::Undefined) => return Ok(None),
            Some(ast::ResultSets::None) => return Ok(Some(Box::default())),
            Some(ast::ResultSets::Sets(sets)) => sets,
        };
        let set = |set: &ast::ResultSet| match set {
            ast::ResultSet::Columns(columns) => columns.iter().map(|column| self.result_column(column)).collect(),
            ast::ResultSet::Object(name) => self.columns_of_object(name),
            ast::ResultSet::Type(name) => match find_type(self.catalog, self.names.schema, &object_name(name))? {
                Some(UserType::Table(table)) => Ok(columns_of(&table)),
                _ => Err(sql_error!(2715, state 3, 1, super::names::display(name))),
            },
            ast::ResultSet::ForXml => Err(errors::unsupported("WITH RESULT SETS (AS FOR XML)")),
        };
        sets.iter().map(set).collect::<SqlResult<Box<[ResultSet]>>>().map(Some)
    }

    /// AS OBJECT: of a table or a view. Error 208 for none.
    fn columns_of_object(&self, name: &ast::ObjectName) -> SqlResult<ResultSet> {
        let table = match self.catalog.resolve(&object_name(name))? {
            Some(Object::Table(table)) => Some(table),
            Some(Object::Module(module)) if module.kind == ModuleKind::View => {
                self.catalog.view_target(module.database, module.object)?
            }
            Some(_) => return Err(errors::unsupported("WITH RESULT SETS (AS OBJECT) of what is no table and no view")),
            None => None,
        };
        let table = table.ok_or_else(|| sql_error!(208, super::names::display(name)))?;
        Ok(columns_of(&table))
    }

    fn result_column(&self, column: &ast::ResultColumn) -> SqlResult<ResultColumn> {
        let mut ty = super::scalar_type(self.catalog, self.names.schema, &column.data_type, 1)?;
        if let Some(collation) = &column.collation {
            ty = ty.with_collation(self.collation(collation)?);
        }
        Ok(ResultColumn { name: column.name.text.clone(), ty, nullable: column.null != Some(false) })
    }

    fn arguments(&mut self, args: &[ast::Argument]) -> SqlResult<Vec<Argument>> {
        let mut out = Vec::with_capacity(args.len());
        let mut named = false;
        for (i, arg) in args.iter().enumerate() {
            if named && arg.name.is_none() {
                return Err(sql_error!(119, i + 1));
            }
            named |= arg.name.is_some();
            let value = match &arg.value {
                ast::Expr::Default => ArgumentValue::Default,
                ast::Expr::Variable(variable) => self.argument_variable(variable, arg.output)?,
                _ if arg.output => return Err(sql_error!(179)),
                value => ArgumentValue::Expr(self.expr(value, &Scope::EMPTY)?),
            };
            out.push(Argument { name: arg.name.as_ref().map(|name| name.name.clone()), value });
        }
        Ok(out)
    }

    fn argument_variable(&mut self, variable: &ast::Variable, output: bool) -> SqlResult<ArgumentValue> {
        if let Some(slot) = self.names.table_variables.place(&variable.name) {
            return Ok(ArgumentValue::Table(VariableSlotTable(slot as u32)));
        }
        if let Some(slot) = self.names.cursors.place(&variable.name) {
            if !output {
                return Err(sql_error!(16949, variable.name).at_line(variable.line));
            }
            return Ok(ArgumentValue::Cursor(CursorSlot(slot as u32)));
        }
        if output {
            return Ok(ArgumentValue::Output(self.slot(variable)?));
        }
        Ok(ArgumentValue::Expr(self.variable(variable)?))
    }
}
