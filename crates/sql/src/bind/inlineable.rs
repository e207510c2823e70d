//! Which scalar functions are inlineable: those whose body may stand as an expression in the query that calls them. That is said of the
//! text alone; whether a call of one is inlined is another question (`Binder::inlined`).
//!
//! https://learn.microsoft.com/sql/relational-databases/user-defined-functions/scalar-udf-inlining, "Inlineable scalar UDFs requirements"

use super::aggregate::aggregate_function;
use super::names::same_name;
use super::variables::{Found, visit_expr, visit_query};
use crate::ast::{self, StatementKind as S};

/// What the clock says, what another statement has left behind, and STRING_AGG.
const REFUSED: [&str; 8] = [
    "GETDATE",
    "GETUTCDATE",
    "ROWCOUNT_BIG",
    "SCOPE_IDENTITY",
    "STRING_AGG",
    "SYSDATETIME",
    "SYSDATETIMEOFFSET",
    "SYSUTCDATETIME",
];

const REFUSED_GLOBALS: [&str; 3] = ["@@ERROR", "@@IDENTITY", "@@ROWCOUNT"];

/// Methods of xml, whose calls may look like those of functions.
const METHODS: [&str; 5] = ["exist", "modify", "nodes", "query", "value"];

/// The statements of the function, if it is inlineable.
pub fn inlineable_body(function: &ast::CreateFunction) -> Option<&[ast::Statement]> {
    let ast::FunctionReturns::Scalar { data_type, body: ast::ModuleBody::Statements(body), .. } = &function.returns
    else {
        return None;
    };
    let options = &function.options;
    let caller = ast::ExecuteAsPrincipal::Caller;
    let as_caller = options.execute_as.as_ref().is_none_or(|context| context.principal == caller);
    let mut types = function.parameters.iter().map(|parameter| &parameter.data_type).chain([data_type]);
    if !as_caller || options.native_compilation || !types.all(is_plain) {
        return None;
    }
    let mut check = Check { function: &function.name.name, returns: 0, fits: true };
    check.statements(body);
    (check.fits && check.returns == 1).then_some(body)
}

/// No user-defined type.
fn is_plain(data_type: &ast::DataType) -> bool {
    matches!(data_type.name, ast::TypeName::Builtin(_) | ast::TypeName::Sysname)
}

/// The variables that a SELECT gives values, with these. None: it gives rows.
pub fn assignments(select: &ast::Select) -> Option<Vec<(&ast::Variable, ast::AssignOp, &ast::Expr)>> {
    let assignment = |item| match item {
        &ast::SelectItem::Assign { ref variable, op, ref value } => Some((variable, op, value)),
        ast::SelectItem::Star { .. } | ast::SelectItem::Expr { .. } => None,
    };
    select.items.iter().map(assignment).collect()
}

pub fn mentions(expr: &ast::Expr, variable: &ast::Variable) -> bool {
    let mut found = false;
    visit_expr(expr, &mut |part| {
        found |= matches!(part, Found::Scalar(other) if same_name(&other.name, &variable.name));
    });
    found
}

/// An aggregate is called in the expression.
pub fn has_aggregate(expr: &ast::Expr) -> bool {
    let mut found = false;
    visit_expr(expr, &mut |part| {
        found |=
            matches!(part, Found::Function(name) if name.is_unqualified() && aggregate_function(&name.name).is_some());
    });
    found
}

struct Check<'a> {
    function: &'a ast::Ident,
    returns: usize,
    fits: bool,
}

impl Check<'_> {
    fn statements(&mut self, statements: &[ast::Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &ast::Statement) {
        match &statement.kind {
            S::Block(inner) => self.statements(inner),
            S::Declare(declarations) => declarations.iter().for_each(|declaration| match declaration {
                ast::Declaration::Scalar { data_type, value, .. } if is_plain(data_type) => {
                    value.iter().for_each(|value| self.expr(value));
                }
                _ => self.fits = false,
            }),
            S::SetVariable(set) => match &set.kind {
                ast::SetVariableKind::Value(_, value) => self.expr(value),
                _ => self.fits = false,
            },
            S::Select(query) => self.assigning(query),
            S::If(choice) => {
                for branch in &choice.branches {
                    self.expr(&branch.condition);
                    self.statement(&branch.then);
                }
                choice.otherwise.iter().for_each(|otherwise| self.statement(otherwise));
            }
            S::Return(Some(value)) => {
                self.returns += 1;
                self.expr(value);
            }
            _ => self.fits = false,
        }
    }

    /// SELECT @v = ...: neither in an order nor adding one row's value to another's.
    fn assigning(&mut self, query: &ast::Query) {
        visit_query(query, &mut |found| self.found(found));
        let ast::QueryBody::Select(select) = &query.body else {
            self.fits = false;
            return;
        };
        let reads_rows = !select.from.is_empty();
        let adds = |(variable, op, value): &(&ast::Variable, ast::AssignOp, &ast::Expr)| {
            *op != ast::AssignOp::Set || mentions(value, variable)
        };
        self.fits &=
            query.order_by.is_empty() && assignments(select).is_some_and(|all| !reads_rows || !all.iter().any(adds));
    }

    fn expr(&mut self, expr: &ast::Expr) {
        visit_expr(expr, &mut |found| self.found(found));
    }

    fn found(&mut self, found: Found<'_>) {
        let any = |names: &[&str], name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        let refused = match found {
            Found::Table(_) | Found::Cursor(_) | Found::Sequence(_) => true,
            Found::Method(name) => any(&METHODS, name),
            Found::Function(name) if name.is_unqualified() => any(&REFUSED, &name.name),
            Found::Function(name) => same_name(&name.name, self.function) || any(&METHODS, &name.name),
            // A user's function that is given an aggregate.
            Found::Call(call) => !call.name.is_unqualified() && call.args.iter().any(has_aggregate),
            Found::Session(ast::Expr::Global(global)) => any(&REFUSED_GLOBALS, &global.name),
            Found::Session(ast::Expr::Niladic(niladic)) => {
                use ast::Niladic::{CurrentDate, CurrentTime, CurrentTimestamp};
                matches!(niladic, CurrentTimestamp | CurrentDate | CurrentTime)
            }
            Found::Named(name) => {
                let of_server = |schema: &ast::Ident| schema.is("sys") || schema.is("INFORMATION_SCHEMA");
                name.server.is_some() || name.schema.as_ref().is_some_and(of_server)
            }
            Found::Rows(query) => query.with.is_some() || !query.order_by.is_empty() && !is_first_row(query),
            _ => false,
        };
        self.fits &= !refused;
    }
}

/// TOP 1.
fn is_first_row(query: &ast::Query) -> bool {
    let ast::QueryBody::Select(select) = &query.body else { return false };
    let is_one = |top: &ast::Top| {
        !top.percent && !top.with_ties && matches!(top.count, ast::Expr::Literal(ast::Literal::Int(1)))
    };
    select.top.as_deref().is_some_and(is_one)
}
