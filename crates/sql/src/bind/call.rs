//! Calls: built-in functions (typed by `builtin`), user functions, and the forms that are not plain calls. What `exec` can rely on:
//! - string arguments are char, varchar, nchar or nvarchar; where several meet, all are of one kind of characters;
//! - date parts are varchar literals with the full lower-case name: 'year', 'quarter', 'month', 'dayofyear', 'day', 'week',
//!   'weekday', 'hour', 'minute', 'second', 'millisecond', 'microsecond', 'nanosecond', 'tzoffset', 'iso_week';
//! - the result has the expression's type: a function need not look at literals to know it.

use std::sync::Arc;

use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::binder::{Binder, Parameters, TableOperand};
use super::convert::{self, compare, converted, implicit};
use super::errors;
use super::expr::case_of;
use super::names::{display, find_type, object_name, own_schema};
use super::scope::Scope;
use super::typing::is_null_literal;
use crate::ast;
use crate::catalog::{ModuleDef, ModuleKind, Object, TableDef, UserType};
use crate::function::FunctionId;
use crate::optimize::told;
use crate::plan::{CompareOp, Expr, ExprKind};

impl Binder<'_> {
    pub fn call(&mut self, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        if !call.name.is_unqualified() {
            if call.name.schema.as_ref().is_some_and(|schema| schema.text.eq_ignore_ascii_case("$PARTITION")) {
                return self.partition_number(call, scope);
            }
            if let Some(called) = self.column_method(call, scope)? {
                return Ok(called);
            }
            return self.user_function(call, scope);
        }
        let name = &*call.name.name.text;
        if call.odbc
            && let Some(meant) = self.odbc_call(call, scope)?
        {
            return Ok(meant);
        }
        if let Some(made) = self.json_call(call, scope)? {
            return Ok(made);
        }
        if let Some(function) = super::aggregate::aggregate_function(name) {
            return self.aggregate(function, call, scope);
        }
        if let Some(kind) = super::aggregate::window_function(name) {
            return self.window(kind, call, scope);
        }
        if name.eq_ignore_ascii_case("GROUPING") || name.eq_ignore_ascii_case("GROUPING_ID") {
            return self.grouping(call, scope);
        }
        let name = if call.odbc { super::odbc::renamed(name) } else { name };
        let Some(&(name, function, least, most)) = FunctionId::find(name) else {
            return Err(errors::unknown_function(&call.name.name.text));
        };
        use FunctionId::{JsonMember, JsonReturning, JsonText, JsonWrap, LongDifference, LongSum, PartitionNumber};
        let nameless = matches!(
            function,
            LongSum | LongDifference | JsonText | JsonMember | JsonWrap | JsonReturning | PartitionNumber
        );
        if nameless || function == FunctionId::HasAccess && !self.is_own_text() {
            return Err(errors::unknown_function(&call.name.name.text));
        }
        if call.star {
            return match function {
                FunctionId::Checksum | FunctionId::BinaryChecksum => self.checksum_star(function, scope),
                _ => Err(sql_error!(102, "*")),
            };
        }
        let count = call.args.len();
        if count < least as usize || count > most as usize {
            use FunctionId::{BinaryChecksum, Checksum, Choose};
            return Err(if matches!(function, Choose | Checksum | BinaryChecksum) && count < least as usize {
                sql_error!(1076, errors::shown_function(name), least)
            } else if least == most {
                errors::argument_count(name, least as usize)
            } else {
                errors::argument_range(name, least as usize, most as usize)
            });
        }
        use FunctionId::{Choose, Coalesce, Iif, Isnull, Nullif};
        if matches!(function, Choose | Coalesce | Iif | Isnull | Nullif) {
            return self.conditional(|binder| binder.known_call(function, name, call, scope));
        }
        self.known_call(function, name, call, scope)
    }

    /// A call of one of the server's functions, with as many arguments as it takes.
    fn known_call(&mut self, function: FunctionId, name: &str, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        refuse_nulls(function, name, &call.args)?;
        match function {
            FunctionId::Iif => {
                let condition = self.expr(&call.args[0], scope)?;
                let results = self.exprs(&call.args[1..], scope)?;
                if call.args[1..].iter().all(is_written_null) {
                    return Err(sql_error!(8133));
                }
                case_of(vec![condition], results, true, &self.columns)
            }
            FunctionId::HasAccess => self.has_access(call, scope),
            // Whoever reads or changes rows is in a transaction, if only of the statement.
            FunctionId::XactState if self.changes || scope.has_sources() => {
                Ok(Expr::new(SqlType::SMALLINT, false, ExprKind::Function(function, vec![Expr::bit(true)])))
            }
            FunctionId::Nullif => self.nullif(call, scope),
            FunctionId::Coalesce => self.coalesce(call, scope),
            FunctionId::Isnull => self.isnull(call, scope),
            FunctionId::Choose => {
                let index = self.expr_as(&call.args[0], &SqlType::INT, scope)?;
                let rest = self.exprs(&call.args[1..], scope)?;
                let (rest, ty) = convert::unify(rest, "CASE", &self.columns)?;
                let mut args = vec![index];
                args.extend(rest);
                Ok(Expr::new(ty, true, ExprKind::Function(function, args)))
            }
            FunctionId::Greatest | FunctionId::Least => {
                let args = self.exprs(&call.args, scope)?;
                refuse_long(&args, name)?;
                let given: Vec<(bool, SqlType)> = args.iter().map(|e| (e.nullable, e.ty)).collect();
                let (args, ty) = convert::unify(args, name, &self.columns)?;
                let nullable = given.iter().any(|(nullable, from)| *nullable || told::loses(from, &ty));
                Ok(Expr::new(ty, nullable, ExprKind::Function(function, args)))
            }
            _ if function.takes_date_part() => self.date_part_call(function, name, call, scope),
            FunctionId::Trim => self.trim(call, scope),
            _ => {
                let mut args = self.exprs(&call.args, scope)?;
                if function == FunctionId::BinaryChecksum {
                    let mut written = call.args.iter();
                    args.retain(|_| !written.next().is_some_and(is_written_null));
                }
                if call.odbc && call.name.name.is("TRUNCATE") {
                    // ROUND's third argument: digits are cut off.
                    args.push(Expr::int(1));
                }
                self.builtin(function, name, args)
            }
        }
    }

    fn nullif(&mut self, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        let left = self.expr(&call.args[0], scope)?;
        let right = self.expr(&call.args[1], scope)?;
        if is_written_null(&call.args[0]) {
            return Err(sql_error!(4151));
        }
        let ty = left.ty;
        let equal = compare(CompareOp::Equal, left.clone(), right, false, &self.columns)?;
        let nullable = told::live_arms([&equal].into_iter()).any(|at| at == 0 || left.nullable);
        let branches = vec![(equal, Expr::null(ty))];
        Ok(Expr::new(ty, nullable, ExprKind::Case { branches, otherwise: Some(Box::new(left)) }))
    }

    fn coalesce(&mut self, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        let mut args = self.exprs(&call.args, scope)?;
        if call.args.iter().all(is_written_null) {
            return Err(sql_error!(4127));
        }
        let nullable = args.iter().all(|e| e.nullable);
        let ty = convert::common_type(&args, "CASE", &self.columns)?;
        // What stands behind a constant is never asked for.
        let constant = |e: &Expr| matches!(e.kind, ExprKind::Literal(_)) && !is_null_literal(e);
        if let Some(at) = args.iter().position(constant) {
            args.truncate(at + 1);
        }
        let nullable = nullable || args.iter().any(|e| !is_null_literal(e) && told::loses(&e.ty, &ty));
        let mut args = args.into_iter().map(|e| implicit(e, &ty)).collect::<SqlResult<Vec<_>>>()?;
        if args.len() == 1 {
            return Ok(Expr { nullable, ..args.remove(0) });
        }
        Ok(Expr::new(ty, nullable, ExprKind::Function(FunctionId::Coalesce, args)))
    }

    fn isnull(&mut self, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        let left = self.expr(&call.args[0], scope)?;
        let right = self.expr(&call.args[1], scope)?;
        if is_null_literal(&left) {
            return Ok(right);
        }
        let (ty, nullable) = (left.ty, left.nullable && right.nullable);
        let right = implicit(right, &ty)?;
        Ok(Expr::new(ty, nullable, ExprKind::Function(FunctionId::Isnull, vec![left, right])))
    }

    fn checksum_star(&mut self, function: FunctionId, scope: &Scope) -> SqlResult<Expr> {
        let mut args = Vec::new();
        for source in scope.sources {
            for index in 0..source.len() {
                let column = source.column(index);
                self.needs.mark(column.id);
                args.push(Expr::column(column.id.index(), column.ty, column.nullable));
            }
        }
        Ok(Expr::new(SqlType::INT, false, ExprKind::Function(function, args)))
    }

    pub fn niladic(&mut self, niladic: ast::Niladic) -> Expr {
        let (function, ty) = match niladic {
            ast::Niladic::CurrentTimestamp => (FunctionId::CurrentTimestamp, SqlType::DATETIME),
            ast::Niladic::CurrentDate => (FunctionId::CurrentTimestamp, SqlType::DATETIME),
            ast::Niladic::CurrentTime => (FunctionId::CurrentTimestamp, SqlType::DATETIME),
            ast::Niladic::CurrentUser => (FunctionId::CurrentUser, SqlType::SYSNAME),
            ast::Niladic::SessionUser => (FunctionId::SessionUser, SqlType::SYSNAME),
            ast::Niladic::SystemUser => (FunctionId::SystemUser, SqlType::SYSNAME),
            ast::Niladic::User => (FunctionId::User, SqlType::SYSNAME),
        };
        let ty = if ty.is_string() { ty.with_collation(self.catalog.collation()) } else { ty };
        let call = Expr::new(ty, false, ExprKind::Function(function, Vec::new()));
        match niladic {
            ast::Niladic::CurrentDate => converted(call, &SqlType::DATE, true),
            ast::Niladic::CurrentTime => converted(call, &SqlType::time(7), true),
            _ => call,
        }
    }

    /// `$PARTITION.f(x)`: the number of the partition in which a row with this value would be. 208: no such function.
    fn partition_number(&mut self, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        let name = &call.name;
        let database = name.database.as_ref().map(|database| &*database.text);
        let Some(function) = self.catalog.partition_function(database, &name.name.text)? else {
            return Err(errors::invalid_object(&display(name)));
        };
        if call.args.len() != 1 {
            let number =
                if call.args.is_empty() { sql_error!(102, ")") } else { sql_error!(8144, state 2, function.name) };
            return Err(number);
        }
        let value = self.expr(&call.args[0], scope)?;
        let value = implicit(value, &function.ty)?;
        // Whether a boundary belongs above, then each with its length.
        let mut keys = vec![u8::from(function.right)];
        for key in function.keys() {
            keys.extend_from_slice(&(key.len() as u16).to_le_bytes());
            keys.extend_from_slice(&key);
        }
        let keys = Expr::literal(SqlType::VARBINARY_MAX, Datum::bytes(&keys));
        Ok(Expr::new(SqlType::INT, false, ExprKind::Function(FunctionId::PartitionNumber, vec![keys, value])))
    }

    /// `dbo.f(...)`; the name may have two or three parts.
    fn user_function(&mut self, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        let name = object_name(&call.name);
        let unknown = || {
            let first = name.database.as_deref().or(name.schema.as_deref()).unwrap_or(&name.name);
            errors::unknown_user_function(first, &display(&call.name))
        };
        let Some(Object::Module(module)) = self.resolve(&name)? else { return Err(unknown()) };
        if module.kind != ModuleKind::ScalarFunction {
            return Err(unknown());
        }
        self.need_call(&module);
        let parsed = super::modules::parse_function(&module)?;
        let ast::FunctionReturns::Scalar { data_type, .. } = &parsed.returns else { return Err(unknown()) };
        let ty = self.data_type_of(&module, data_type)?;
        let args = self.module_arguments(&module, &parsed.parameters, &call.args, &display(&call.name), scope)?;
        if let Some(value) = self.inlined(&module, &parsed, call, &args, scope) {
            return Ok(value);
        }
        Ok(Expr::new(ty, true, ExprKind::UserFunction(module, args)))
    }

    /// Arguments of a function as its parameters' types; DEFAULT takes the parameter's. For a table-valued parameter the number of
    /// the table variable, or NULL for no rows: who calls the function finds the rows there.
    pub fn module_arguments(
        &mut self,
        module: &ModuleDef,
        parameters: &[ast::Parameter],
        args: &[ast::Expr],
        name: &str,
        scope: &Scope,
    ) -> SqlResult<Vec<Expr>> {
        let number = |operand: &TableOperand| match operand.slot {
            Some(slot) => Expr::int(slot as i32),
            None => Expr::null(SqlType::INT),
        };
        let bound = self.bound_arguments(module, parameters, args, name, scope)?;
        let value = |argument| match argument {
            FunctionArgument::Value(value) => value,
            FunctionArgument::Table(operand) => number(&operand),
        };
        Ok(bound.into_iter().map(value).collect())
    }

    /// What the parameters of an inline function mean in its text.
    pub fn expansion_of(
        &mut self,
        module: &ModuleDef,
        parameters: &[ast::Parameter],
        args: &[ast::Expr],
        name: &str,
        scope: &Scope,
    ) -> SqlResult<Parameters> {
        let bound = self.bound_arguments(module, parameters, args, name, scope)?;
        let mut out = Parameters::default();
        for (parameter, argument) in parameters.iter().zip(bound) {
            let name = parameter.name.name.clone();
            match argument {
                FunctionArgument::Value(value) => out.values.push((name, value)),
                FunctionArgument::Table(operand) => out.tables.push((name, operand)),
            }
        }
        Ok(out)
    }

    fn bound_arguments(
        &mut self,
        module: &ModuleDef,
        parameters: &[ast::Parameter],
        args: &[ast::Expr],
        name: &str,
        scope: &Scope,
    ) -> SqlResult<Vec<FunctionArgument>> {
        if args.len() < parameters.len() {
            return Err(sql_error!(313, state 2, name));
        }
        if args.len() > parameters.len() {
            return Err(sql_error!(8144, state 2, name));
        }
        let mut out = Vec::with_capacity(args.len());
        for (parameter, arg) in parameters.iter().zip(args) {
            if let ast::TypeName::User(type_name) = &parameter.data_type.name
                && let Some(UserType::Table(table)) =
                    find_type(self.catalog, own_schema(&module.schema), &object_name(type_name))?
            {
                out.push(FunctionArgument::Table(self.table_argument(table, arg, scope)?));
                continue;
            }
            let ty = self.data_type_of(module, &parameter.data_type)?;
            let value = match (arg, &parameter.default) {
                (ast::Expr::Default, Some(default)) => self.expr(default, &Scope::EMPTY)?,
                (ast::Expr::Default, None) => return Err(sql_error!(313, state 3, name)),
                (arg, _) => self.expr(arg, scope)?,
            };
            out.push(FunctionArgument::Value(implicit(value, &ty)?));
        }
        Ok(out)
    }

    /// What a call gives for a parameter of the table type `wanted`: a variable of that type. 206 for anything else.
    fn table_argument(&mut self, wanted: Arc<TableDef>, arg: &ast::Expr, scope: &Scope) -> SqlResult<TableOperand> {
        let clash = |given: &str| sql_error!(206, state 2, given, wanted.name);
        let given = match arg {
            ast::Expr::Default => return Ok(TableOperand { table: wanted, slot: None }),
            ast::Expr::Variable(variable) => match self.table_operand(variable) {
                Ok(operand) => operand,
                Err(_) => return Err(clash(self.variable(variable)?.ty.name())),
            },
            ast::Expr::Literal(ast::Literal::Null) => return Err(clash("void type")),
            _ => return Err(clash(self.expr(arg, scope)?.ty.name())),
        };
        match (given.table.database, given.table.object) == (wanted.database, wanted.object) {
            true => Ok(given),
            // A variable that is declared with its columns is of no type.
            false if given.table.object.0 <= 0 => Err(clash("table")),
            false => Err(clash(&given.table.name)),
        }
    }

    /// TRIM([LEADING | TRAILING | BOTH] [characters FROM] string): one side is LTRIM or RTRIM.
    fn trim(&mut self, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        let mut args = self.exprs(&call.args, scope)?;
        // The string first, as in LTRIM(string, characters).
        args.reverse();
        let function = match call.extra.as_ref().and_then(|extra| extra.trim) {
            Some(ast::TrimSide::Leading) => FunctionId::Ltrim,
            Some(ast::TrimSide::Trailing) => FunctionId::Rtrim,
            _ => FunctionId::Trim,
        };
        self.builtin(function, "TRIM", args)
    }
}

enum FunctionArgument {
    Value(Expr),
    Table(TableOperand),
}

fn is_written_null(expr: &ast::Expr) -> bool {
    matches!(expr, ast::Expr::Literal(ast::Literal::Null))
}

/// 8116, 8184: the NULL constant has no type to be looked into or summed by.
fn refuse_nulls(function: FunctionId, name: &str, args: &[ast::Expr]) -> SqlResult<()> {
    let refused = match function {
        FunctionId::Substring => 0..1,
        FunctionId::Patindex => 1..2,
        FunctionId::Checksum => 0..args.len(),
        FunctionId::BinaryChecksum if args.iter().all(is_written_null) => return Err(sql_error!(8184)),
        _ => return Ok(()),
    };
    let state = if function == FunctionId::Checksum { 4 } else { 1 };
    let nulls = refused.filter(|&at| args.get(at).is_some_and(is_written_null));
    let mut errors: Vec<SqlError> =
        nulls.map(|at| sql_error!(8116, state state, "NULL", at + 1, name.to_ascii_lowercase())).collect();
    match errors.pop() {
        Some(last) => Err(last.after(errors)),
        None => Ok(()),
    }
}

/// 8116: GREATEST and LEAST compare what they are given.
fn refuse_long(args: &[Expr], name: &str) -> SqlResult<()> {
    let long = |arg: &&Expr| {
        matches!(arg.ty.kind, TypeKind::Text | TypeKind::NText | TypeKind::Image | TypeKind::Xml | TypeKind::Json)
    };
    match args.iter().enumerate().find(|(_, arg)| long(arg)) {
        Some((at, arg)) => Err(errors::invalid_argument(&arg.ty, at + 1, name).in_state(4)),
        None => Ok(()),
    }
}
