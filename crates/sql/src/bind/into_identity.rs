//! IDENTITY(type, seed, increment) in the list of SELECT INTO: a column of numbers that is an identity column in the new table.
//!
//! https://learn.microsoft.com/sql/t-sql/functions/identity-function-transact-sql

use std::sync::Arc;

use types::{Datum, SqlResult, sql_error};

use super::binder::{Binder, IntoIdentity};
use super::names::display;
use super::scope::Scope;
use crate::ast;
use crate::catalog::{ColumnDef, DatabaseId, ObjectId, TableDef};
use crate::plan::{ColumnOrigin, Expr, ExprKind, OutputColumn};

/// The call of an item of a select list, if it is this function's.
pub fn identity_call(expr: &ast::Expr) -> Option<&ast::Call> {
    match expr {
        ast::Expr::Call(call)
            if call.name.is_unqualified()
                && call.name.name.is("IDENTITY")
                && call.extra.as_ref().is_some_and(|extra| extra.returning.is_some()) =>
        {
            Some(call)
        }
        _ => None,
    }
}

impl Binder<'_> {
    /// The values of the column, which is number `at` of the list. 177 without INTO, 8109 for a second one.
    pub fn identity_values(
        &mut self,
        call: &ast::Call,
        select: &ast::Select,
        at: usize,
        scope: &Scope,
    ) -> SqlResult<Expr> {
        let Some(into) = &select.into else { return Err(sql_error!(177)) };
        if self.into_identity.is_some() {
            return Err(sql_error!(8109, display(&into.table)));
        }
        let named = call.extra.as_ref().and_then(|extra| extra.returning.as_ref()).expect("the caller looked");
        let ty = self.data_type(named, 1)?;
        if !(ty.is_integer() || ty.is_decimal() && ty.scale == 0) {
            return Err(sql_error!(2749, "IDENTITY"));
        }
        let mut numbers = [1, 1];
        for (number, arg) in numbers.iter_mut().zip(&call.args) {
            *number = match self.expr(arg, &Scope::EMPTY)?.kind {
                ExprKind::Literal(Datum::I64(given)) => given,
                ExprKind::Literal(Datum::I128(given)) => i64::try_from(given).unwrap_or(i64::MAX),
                _ => return Err(sql_error!(102, "IDENTITY")),
            };
        }
        let [seed, increment] = numbers;
        self.into_identity = Some(IntoIdentity { at, seed, increment });
        let text = format!("CONVERT({ty}, {seed} + (ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1) * {increment})");
        let value = super::modules::parse_expression(&text)?;
        self.expr(&value, scope)
    }
}

impl IntoIdentity {
    /// Makes the column one of those that the new table numbers. 8108 where another would be, too.
    pub fn mark(&self, columns: &mut [OutputColumn], target: &ast::ObjectName) -> SqlResult<()> {
        let numbers = |column: &OutputColumn| {
            let origin = column.origin.as_ref();
            origin.is_some_and(|origin| origin.table.columns[usize::from(origin.column)].identity.is_some())
        };
        if let Some(other) = columns.iter().find(|column| numbers(column)) {
            return Err(sql_error!(8108, display(target), other.name));
        }
        let column = &mut columns[self.at];
        column.nullable = false;
        let table = Arc::new(one_column(column, (self.seed, self.increment)));
        column.origin = Some(ColumnOrigin { table, place: 0, column: 0, told: None });
        Ok(())
    }
}

/// What stands for the table that the column would come from.
fn one_column(column: &OutputColumn, identity: (i64, i64)) -> TableDef {
    TableDef {
        database: DatabaseId(2),
        object: ObjectId(-1),
        schema: "".into(),
        name: "".into(),
        columns: vec![ColumnDef {
            name: column.name.clone(),
            ty: column.ty,
            nullable: false,
            identity: Some(identity),
            default: None,
            computed: None,
            column_id: 1,
            rowguid: false,
            mask: None,
            generated: None,
            hidden: false,
        }],
        stored: vec![Some(0)],
        indexes: Vec::new(),
        checks: Vec::new(),
        foreign_keys: Vec::new(),
        referenced_by: Vec::new(),
        triggers: Vec::new(),
        predicates: Vec::new(),
        row_count: 0,
        memory: None,
        versioning: None,
        partitioning: None,
        statistics: Vec::new(),
        views: Vec::new(),
        of_view: false,
    }
}
