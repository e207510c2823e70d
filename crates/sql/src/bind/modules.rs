//! Texts the catalog keeps, parsed again: views, functions, defaults, checks, computed columns.

use types::{SqlError, SqlResult, sql_error};

use super::names::same_name;
use super::variables::{Found, visit_expr};
use crate::ast;
use crate::catalog::ModuleDef;
use crate::parse::{ParseOptions, parse_batch};

fn module_statement(module: &ModuleDef) -> SqlResult<ast::StatementKind> {
    let options = ParseOptions { quoted_identifier: module.quoted_identifier };
    let mut batch = parse_batch(&module.text, &options).map_err(first)?;
    match batch.statements.pop() {
        Some(statement) if batch.statements.is_empty() => Ok(statement.kind),
        _ => Err(unusable(module)),
    }
}

fn first(mut errors: Vec<SqlError>) -> SqlError {
    errors.swap_remove(0)
}

fn unusable(module: &ModuleDef) -> SqlError {
    sql_error!(4413, module.name)
}

pub fn parse_view(module: &ModuleDef) -> SqlResult<ast::CreateView> {
    match module_statement(module)? {
        ast::StatementKind::CreateView(view) => Ok(*view),
        _ => Err(unusable(module)),
    }
}

pub fn parse_function(module: &ModuleDef) -> SqlResult<ast::CreateFunction> {
    match module_statement(module)? {
        ast::StatementKind::CreateFunction(function) => Ok(*function),
        _ => Err(unusable(module)),
    }
}

/// The text of a default or a computed column.
pub fn parse_expression(text: &str) -> SqlResult<ast::Expr> {
    let select = select_of(&format!("SELECT {text}"))?;
    match select.items.into_iter().next() {
        Some(ast::SelectItem::Expr { expr, .. }) => Ok(expr),
        _ => Err(sql_error!(102, text)),
    }
}

/// The text of a CHECK constraint.
pub fn parse_condition(text: &str) -> SqlResult<ast::Expr> {
    let select = select_of(&format!("SELECT 1 WHERE {text}"))?;
    select.filter.ok_or_else(|| sql_error!(102, text))
}

/// 128, 1046, 160, 161: the expression of CREATE DEFAULT and CREATE RULE names no column, has no query, and a rule one variable.
pub fn check_bound(text: &str, rule: bool) -> SqlResult<()> {
    let parsed = if rule { parse_condition(text)? } else { parse_expression(text)? };
    let mut wrong = None;
    let mut variables: Vec<&str> = Vec::new();
    visit_expr(&parsed, &mut |found| match found {
        Found::Column(name) if wrong.is_none() => wrong = Some(sql_error!(128, &*name.name)),
        Found::Query if wrong.is_none() => wrong = Some(sql_error!(1046)),
        Found::Sequence(_) if wrong.is_none() => wrong = Some(sql_error!(11719)),
        Found::Scalar(variable) if !variables.iter().any(|known| same_name(known, &variable.name)) => {
            variables.push(&variable.name);
        }
        _ => {}
    });
    match (wrong, variables.len()) {
        (Some(error), _) => Err(error),
        (None, 0) if rule => Err(sql_error!(160)),
        (None, 2..) if rule => Err(sql_error!(161)),
        _ => Ok(()),
    }
}

/// The function that a security policy's predicate calls, and what with.
pub fn predicate_call(text: &str) -> SqlResult<(ast::ObjectName, Vec<ast::Expr>)> {
    match parse_call(text)?.kind {
        ast::TableFunctionKind::Call { name, args } => Ok((name, args)),
        _ => Err(sql_error!(102, text)),
    }
}

/// The text of a security policy's predicate: a call of a table-valued function.
pub fn parse_call(text: &str) -> SqlResult<ast::TableFunction> {
    let select = select_of(&format!("SELECT 1 FROM {text}"))?;
    match select.from.into_iter().next() {
        Some(ast::TableRef::Function(function)) => Ok(*function),
        _ => Err(sql_error!(102, text)),
    }
}

fn select_of(text: &str) -> SqlResult<ast::Select> {
    let mut batch = parse_batch(text, &ParseOptions::default()).map_err(first)?;
    match batch.statements.pop().map(|statement| statement.kind) {
        Some(ast::StatementKind::Select(query)) => match query.body {
            ast::QueryBody::Select(select) => Ok(*select),
            _ => Err(sql_error!(102, text)),
        },
        _ => Err(sql_error!(102, text)),
    }
}
