//! What a function may not do: it has no side effects, gives no rows to the client and ends with RETURN. Looked at when it is created,
//! as what a view may not name is.
//!
//! https://learn.microsoft.com/sql/t-sql/statements/create-function-transact-sql, "Limitations and restrictions"

use types::{SqlError, sql_error};

use super::names::same_name;
use super::variables::{Found, visit_expr, visit_query, visit_statement};
use crate::ast::{self, StatementKind as S};

/// 1075: a RETURN of a scalar function gives a value. It is told before all else, as what has no meaning at all is.
pub fn bare_return(function: &ast::CreateFunction) -> Option<SqlError> {
    match &function.returns {
        ast::FunctionReturns::Scalar { body: ast::ModuleBody::Statements(statements), .. } => {
            let line = statements.iter().find_map(bare_return_in)?;
            Some(sql_error!(1075).at_line(line))
        }
        _ => None,
    }
}

fn bare_return_in(statement: &ast::Statement) -> Option<u32> {
    match &statement.kind {
        S::Return(None) => Some(statement.line),
        S::Block(inner) => inner.iter().find_map(bare_return_in),
        S::If(choice) => {
            let mut arms = choice.branches.iter().map(|branch| &branch.then).chain(&choice.otherwise);
            arms.find_map(bare_return_in)
        }
        S::While(repeated) => bare_return_in(&repeated.body),
        _ => None,
    }
}

/// Each thing that is wrong, with its line. `text`: what was parsed.
pub fn function_errors(function: &ast::CreateFunction, text: &str) -> Vec<SqlError> {
    let mut check = Check { text, errors: Vec::new() };
    match &function.returns {
        ast::FunctionReturns::Inline { query, .. } => check.visit(query.line, |found| visit_query(query, found)),
        ast::FunctionReturns::Scalar { body: ast::ModuleBody::Statements(statements), .. }
        | ast::FunctionReturns::Table { body: ast::ModuleBody::Statements(statements), .. } => {
            check.statements(statements);
            if let Some(line) = not_returning(statements) {
                check.errors.push(sql_error!(455, state 2).at_line(line));
            }
        }
        _ => {}
    }
    check.errors
}

/// 4508, 156: a view is of tables that stay, and makes none.
pub fn view_error(view: &ast::CreateView) -> Option<SqlError> {
    let mut temporary = false;
    visit_query(&view.query, &mut |found| temporary |= matches!(found, Found::Named(name) if name.is_temporary()));
    let makes = matches!(&view.query.body, ast::QueryBody::Select(select) if select.into.is_some());
    match (temporary, makes) {
        (_, true) => Some(sql_error!(156, "into").at_line(view.query.line)),
        (true, _) => Some(sql_error!(4508).at_line(view.query.line)),
        _ => None,
    }
}

/// The line of the last statement, if that is no RETURN. That of an IF or WHILE may not always run.
fn not_returning(statements: &[ast::Statement]) -> Option<u32> {
    let last = statements.last()?;
    match &last.kind {
        S::Return(_) => None,
        S::Block(inner) => not_returning(inner),
        S::If(choice) => Some(innermost(choice.otherwise.as_ref().or(choice.branches.last().map(|arm| &arm.then))?)),
        S::While(repeated) => Some(innermost(&repeated.body)),
        _ => Some(last.line),
    }
}

/// The line of the last statement within.
fn innermost(statement: &ast::Statement) -> u32 {
    match &statement.kind {
        S::Block(inner) => inner.last().map_or(statement.line, innermost),
        _ => statement.line,
    }
}

/// A table is read, or rows of queries are put together.
fn reads_rows(query: &ast::Query) -> bool {
    match &query.body {
        ast::QueryBody::Select(select) => !select.from.is_empty(),
        _ => true,
    }
}

struct Check<'a> {
    text: &'a str,
    errors: Vec<SqlError>,
}

impl Check<'_> {
    /// What writes.
    fn side_effect(&mut self, operator: &str, line: u32) {
        self.errors.push(sql_error!(443, state 15, operator).at_line(line));
    }

    /// What tells somebody something, or decides what runs.
    fn control(&mut self, operator: &str, line: u32) {
        self.errors.push(sql_error!(443, state 14, operator).at_line(line));
    }

    fn statements(&mut self, statements: &[ast::Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn expr(&mut self, expr: &ast::Expr, line: u32) {
        self.visit(line, |found| visit_expr(expr, found));
    }

    fn statement(&mut self, statement: &ast::Statement) {
        let line = statement.line;
        match &statement.kind {
            S::Block(statements) => self.statements(statements),
            S::If(branches) => {
                for branch in &branches.branches {
                    self.expr(&branch.condition, branch.line);
                    self.statement(&branch.then);
                }
                branches.otherwise.iter().for_each(|otherwise| self.statement(otherwise));
            }
            S::While(repeated) => {
                self.expr(&repeated.condition, line);
                self.statement(&repeated.body);
            }
            S::Break | S::Continue | S::Goto(_) | S::Label(_) | S::OpenCursor(_) | S::CloseCursor(_) => {}
            S::DeallocateCursor(_) => {}
            S::FetchCursor(fetch) if !fetch.into.is_empty() => {}
            S::FetchCursor(_) => self.errors.push(sql_error!(444, state 2).at_line(line)),
            S::Return(value) => value.iter().for_each(|value| self.expr(value, line)),
            S::Declare(declarations) => {
                for declaration in declarations {
                    if let ast::Declaration::Scalar { value: Some(value), .. } = declaration {
                        self.expr(value, line);
                    }
                }
            }
            S::DeclareCursor(_) => self.names(statement),
            S::SetVariable(_) => self.names(statement),
            S::Select(query) => {
                match &query.body {
                    ast::QueryBody::Select(select) if select.into.is_some() => self.side_effect("SELECT INTO", line),
                    ast::QueryBody::Select(select) if assigns(select) => {}
                    _ => {
                        let state = if reads_rows(query) { 2 } else { 3 };
                        self.errors.push(sql_error!(444, state state).at_line(line));
                    }
                }
                self.names(statement);
            }
            S::Insert(insert) => self.change(&insert.target, &[], statement, "INSERT"),
            S::Update(update) => self.change(&update.target, &update.from, statement, "UPDATE"),
            S::Delete(delete) => self.change(&delete.target, &delete.from, statement, "DELETE"),
            S::Merge(merge) => self.change(&merge.target, &[], statement, "MERGE"),
            S::Execute(execute) => execute.args.iter().for_each(|argument| self.expr(&argument.value, line)),
            S::ExecuteString(_) => self.control("EXECUTE STRING", line),
            S::TryCatch(both) => {
                self.control("BEGIN TRY", line);
                self.control("END TRY", both.body.last().map_or(line, |last| last.line));
                self.control("BEGIN CATCH", line);
                self.control("END CATCH", both.handler.last().map_or(line, |last| last.line));
            }
            S::SetOption(option) => self.side_effect(option_name(option), line),
            S::Print(_) => self.control("PRINT", line),
            S::Raiserror(_) => self.control("RAISERROR", line),
            S::Throw(_) => self.control("THROW", line),
            S::WaitFor(_) => self.control("WAITFOR", line),
            S::BeginTransaction(_) => self.side_effect("BEGIN TRANSACTION", line),
            S::CommitTransaction(_) => self.side_effect("COMMIT TRANSACTION", line),
            S::RollbackTransaction(_) => self.side_effect("ROLLBACK TRANSACTION", line),
            S::SaveTransaction(_) => self.side_effect("SAVEPOINT", line),
            S::Drop(_) => self.side_effect("DROP OBJECT", line),
            S::CreateTable(create) if create.name.is_temporary() => self.errors.push(sql_error!(2772).at_line(line)),
            _ => {
                let words = statement.span.of(self.text).split_whitespace().take(2);
                let verb = words.map(str::to_ascii_uppercase).collect::<Vec<_>>().join(" ");
                self.side_effect(&verb, line);
            }
        }
    }

    /// Rows of table variables alone may change.
    fn change(&mut self, target: &ast::Target, from: &[ast::TableRef], statement: &ast::Statement, verb: &str) {
        let own = match target {
            ast::Target::Variable(_) => true,
            ast::Target::Table { name, .. } => {
                name.is_unqualified()
                    && (from.iter().any(|table| is_variable(table, &name.name)) || is_expression(statement, &name.name))
            }
            ast::Target::Function(_) => false,
        };
        if !own {
            self.side_effect(verb, statement.line);
        }
        if let S::Insert(insert) = &statement.kind
            && matches!(&insert.source, ast::InsertSource::Execute(_) | ast::InsertSource::ExecuteString(_))
        {
            self.side_effect("INSERT EXEC", statement.line);
        }
        self.names(statement);
    }

    /// What a statement reads and calls.
    fn names(&mut self, statement: &ast::Statement) {
        self.visit(statement.line, |found| visit_statement(&statement.kind, found));
    }

    fn visit<'t>(&mut self, line: u32, walk: impl FnOnce(&mut dyn FnMut(Found<'t>))) {
        let mut errors = Vec::new();
        walk(&mut |found| match found {
            Found::Function(name) if name.is_unqualified() => {
                let changing = ["newid", "rand", "newsequentialid"];
                if let Some(known) = changing.iter().find(|known| name.name.text.eq_ignore_ascii_case(known)) {
                    errors.push(sql_error!(443, *known).at_line(line));
                }
            }
            Found::Sequence(_) => errors.push(sql_error!(11719).at_line(line)),
            Found::Named(name) if name.is_temporary() => errors.push(sql_error!(2772).at_line(line)),
            _ => {}
        });
        self.errors.append(&mut errors);
    }
}

/// How 443 calls a SET.
fn option_name(option: &ast::SetOption) -> &'static str {
    match option {
        ast::SetOption::Switch { on: true, .. } => "SET OPTION ON",
        ast::SetOption::Switch { on: false, .. } => "SET OPTION OFF",
        ast::SetOption::Statistics { on: true, .. } => "SET STATISTICS ON",
        ast::SetOption::Statistics { on: false, .. } => "SET STATISTICS OFF",
        ast::SetOption::IdentityInsert { on: true, .. } => "SET IDENTITY_INSERT ON",
        ast::SetOption::IdentityInsert { on: false, .. } => "SET IDENTITY_INSERT OFF",
        ast::SetOption::Isolation(_) => "SET TRANSACTION ISOLATION LEVEL",
        ast::SetOption::Value { name, .. } if &**name == "ROWCOUNT" => "SET ROW COUNT",
        ast::SetOption::Value { name, .. } if &**name == "TEXTSIZE" => "SET TEXTSIZE",
        ast::SetOption::Value { .. } | ast::SetOption::Offsets { .. } => "SET COMMAND",
    }
}

/// It gives variables their values, and no rows.
fn assigns(select: &ast::Select) -> bool {
    select.items.iter().all(|item| matches!(item, ast::SelectItem::Assign { .. }))
}

/// A table variable that the FROM of an UPDATE or DELETE names so.
fn is_variable(table: &ast::TableRef, name: &str) -> bool {
    match table {
        ast::TableRef::Variable(variable) => variable.alias.as_ref().is_some_and(|alias| same_name(alias, name)),
        ast::TableRef::Join(chain) => {
            is_variable(&chain.first, name) || chain.joins.iter().any(|join| is_variable(&join.right, name))
        }
        _ => false,
    }
}

/// A common table expression of the statement.
fn is_expression(statement: &ast::Statement, name: &str) -> bool {
    let with = match &statement.kind {
        S::Insert(insert) => insert.with.as_deref(),
        S::Update(update) => update.with.as_deref(),
        S::Delete(delete) => delete.with.as_deref(),
        S::Merge(merge) => merge.with.as_deref(),
        _ => None,
    };
    with.is_some_and(|with| with.ctes.iter().any(|cte| same_name(&cte.name, name)))
}
