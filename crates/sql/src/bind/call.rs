//! Calls: built-in functions (arguments converted to what the function takes, result typed), user functions, and the forms that
//! are not plain calls. What `exec` can rely on:
//! - string arguments are char, varchar, nchar or nvarchar; where several meet, all are of one kind of characters;
//! - date parts are varchar literals with the full lower-case name: 'year', 'quarter', 'month', 'dayofyear', 'day', 'week',
//!   'weekday', 'hour', 'minute', 'second', 'millisecond', 'microsecond', 'nanosecond', 'tzoffset', 'iso_week';
//! - the result has the expression's type: a function need not look at literals to know it.

use types::{Datum, MAX_LENGTH, SqlResult, SqlType, TypeKind};

use super::binder::Binder;
use super::convert::{self, compare, converted, implicit, typing_wide};
use super::errors;
use super::expr::case_of;
use super::names::{display, object_name};
use super::scope::Scope;
use super::text;
use super::typing::{is_null_literal, numeric};
use crate::ast;
use crate::catalog::{ModuleKind, Object};
use crate::function::FunctionId;
use crate::plan::{CompareOp, Expr, ExprKind};

impl Binder<'_> {
    pub fn call(&mut self, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        if !call.name.is_unqualified() {
            return self.user_function(call, scope);
        }
        let name = &*call.name.name.text;
        if let Some(function) = super::aggregate::aggregate_function(name) {
            return self.aggregate(function, call, scope);
        }
        if let Some(kind) = super::aggregate::window_function(name) {
            return self.window(kind, call, scope);
        }
        if name.eq_ignore_ascii_case("GROUPING") || name.eq_ignore_ascii_case("GROUPING_ID") {
            return self.grouping(call, scope);
        }
        let name = if call.odbc { odbc_name(name) } else { name };
        let Some(&(name, function, least, most)) = FunctionId::find(name) else {
            return Err(errors::unknown_function(&call.name.name.text));
        };
        let count = call.args.len();
        if count < least as usize || count > most as usize {
            if call.star && matches!(function, FunctionId::Checksum | FunctionId::BinaryChecksum) {
                return self.checksum_star(function, scope);
            }
            return Err(if least == most {
                errors::argument_count(name, least as usize)
            } else {
                errors::argument_range(name, least as usize, most as usize)
            });
        }
        match function {
            FunctionId::Iif => {
                let condition = self.expr(&call.args[0], scope)?;
                let results = self.exprs(&call.args[1..], scope)?;
                case_of(vec![condition], results, true)
            }
            FunctionId::Nullif => {
                let left = self.expr(&call.args[0], scope)?;
                let right = self.expr(&call.args[1], scope)?;
                if is_null_literal(&left) {
                    return Err(errors::plain(
                        4151,
                        16,
                        1,
                        "The type of the first argument to NULLIF cannot be the NULL constant because the type of the first argument has to be known.",
                    ));
                }
                let ty = left.ty;
                let equal = compare(CompareOp::Equal, left.clone(), right, false)?;
                let branches = vec![(equal, Expr::null(ty))];
                Ok(Expr::new(ty, true, ExprKind::Case { branches, otherwise: Some(Box::new(left)) }))
            }
            FunctionId::Coalesce => {
                let args = self.exprs(&call.args, scope)?;
                if args.iter().all(is_null_literal) {
                    return Err(errors::plain(
                        4127,
                        16,
                        1,
                        "At least one of the arguments to COALESCE must be an expression that is not the NULL constant.",
                    ));
                }
                let nullable = args.iter().all(|e| e.nullable);
                let (args, ty) = convert::unify(args, "COALESCE")?;
                Ok(Expr::new(ty, nullable, ExprKind::Function(function, args)))
            }
            FunctionId::Isnull => {
                let left = self.expr(&call.args[0], scope)?;
                let right = self.expr(&call.args[1], scope)?;
                if is_null_literal(&left) {
                    return Ok(right);
                }
                let (ty, nullable) = (left.ty, left.nullable && right.nullable);
                let right = implicit(right, &ty)?;
                Ok(Expr::new(ty, nullable, ExprKind::Function(function, vec![left, right])))
            }
            FunctionId::Choose => {
                let index = self.expr_as(&call.args[0], &SqlType::INT, scope)?;
                let rest = self.exprs(&call.args[1..], scope)?;
                let (rest, ty) = convert::unify(rest, "CHOOSE")?;
                let mut args = vec![index];
                args.extend(rest);
                Ok(Expr::new(ty, true, ExprKind::Function(function, args)))
            }
            FunctionId::Greatest | FunctionId::Least => {
                let args = self.exprs(&call.args, scope)?;
                let nullable = args.iter().all(|e| e.nullable);
                let (args, ty) = convert::unify(args, name)?;
                Ok(Expr::new(ty, nullable, ExprKind::Function(function, args)))
            }
            FunctionId::Dateadd
            | FunctionId::Datediff
            | FunctionId::DatediffBig
            | FunctionId::Datename
            | FunctionId::Datepart
            | FunctionId::Datetrunc
            | FunctionId::DateBucket => self.date_part_call(function, name, call, scope),
            FunctionId::Trim => self.trim(call, scope),
            _ => {
                let args = self.exprs(&call.args, scope)?;
                self.builtin(function, name, args)
            }
        }
    }

    fn checksum_star(&mut self, function: FunctionId, scope: &Scope) -> SqlResult<Expr> {
        let mut args = Vec::new();
        for source in scope.sources {
            for index in 0..source.len() {
                let column = source.column(index);
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
        let parsed = super::modules::parse_function(&module)?;
        let ast::FunctionReturns::Scalar { data_type, .. } = &parsed.returns else { return Err(unknown()) };
        let ty = self.data_type(data_type, 1)?;
        let args = self.module_arguments(&parsed.parameters, &call.args, &display(&call.name), scope)?;
        Ok(Expr::new(ty, true, ExprKind::UserFunction(module, args)))
    }

    /// Arguments of a function as its parameters' types; DEFAULT takes the parameter's.
    pub fn module_arguments(
        &mut self,
        parameters: &[ast::Parameter],
        args: &[ast::Expr],
        name: &str,
        scope: &Scope,
    ) -> SqlResult<Vec<Expr>> {
        if args.len() < parameters.len() {
            return Err(errors::plain(
                313,
                16,
                2,
                format!("An insufficient number of arguments were supplied for the procedure or function {name}."),
            ));
        }
        if args.len() > parameters.len() {
            return Err(errors::plain(
                8144,
                16,
                2,
                format!("Procedure or function {name} has too many arguments specified."),
            ));
        }
        let mut out = Vec::with_capacity(args.len());
        for (parameter, arg) in parameters.iter().zip(args) {
            let ty = self.data_type(&parameter.data_type, 1)?;
            let value = match (arg, &parameter.default) {
                (ast::Expr::Default, Some(default)) => self.expr(default, &Scope::EMPTY)?,
                (ast::Expr::Default, None) => {
                    return Err(errors::plain(
                        313,
                        16,
                        3,
                        format!(
                            "An insufficient number of arguments were supplied for the procedure or function {name}."
                        ),
                    ));
                }
                (arg, _) => self.expr(arg, scope)?,
            };
            out.push(implicit(value, &ty)?);
        }
        Ok(out)
    }

    fn date_part_call(&mut self, function: FunctionId, name: &str, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        let part = match &call.args[0] {
            ast::Expr::Column(column) if column.table.is_none() => date_part(&column.name),
            ast::Expr::Word(word) => date_part(word),
            _ => {
                return Err(errors::plain(
                    1023,
                    15,
                    1,
                    format!("Invalid parameter 1 specified for {}.", name.to_ascii_lowercase()),
                ));
            }
        };
        let Some(part) = part else {
            let written = match &call.args[0] {
                ast::Expr::Column(column) => &*column.name.text,
                ast::Expr::Word(word) => &*word.text,
                _ => "",
            };
            return Err(errors::plain(
                155,
                15,
                1,
                format!("'{written}' is not a recognized {} option.", name.to_ascii_lowercase()),
            ));
        };
        let mut args = vec![text::string(part, false, self.catalog.collation())];
        let rest = self.exprs(&call.args[1..], scope)?;
        let mut rest = rest.into_iter().enumerate();
        let nullable;
        let ty;
        match function {
            FunctionId::Dateadd | FunctionId::DateBucket => {
                let (_, number) = rest.next().expect("argument count is checked");
                args.push(implicit(
                    number,
                    if function == FunctionId::Dateadd { &SqlType::BIGINT } else { &SqlType::INT },
                )?);
                for (i, value) in rest {
                    // A string is a datetime here, whatever its digits.
                    args.push(temporal(value, i + 2, name, SqlType::DATETIME)?);
                }
                ty = args[2].ty;
            }
            FunctionId::Datetrunc => {
                let (i, value) = rest.next().expect("argument count is checked");
                args.push(temporal(value, i + 2, name, SqlType::datetime2(7))?);
                ty = args[1].ty;
            }
            _ => {
                for (i, value) in rest {
                    args.push(temporal(value, i + 2, name, SqlType::datetime2(7))?);
                }
                ty = match function {
                    FunctionId::DatediffBig => SqlType::BIGINT,
                    FunctionId::Datename => SqlType::nvarchar(30).with_collation(self.catalog.collation()),
                    _ => SqlType::INT,
                };
            }
        }
        nullable = args.iter().any(|e| e.nullable) || matches!(function, FunctionId::Dateadd);
        if args.iter().any(|e| e.ty.kind == TypeKind::Date)
            && matches!(function, FunctionId::Dateadd)
            && matches!(part, "hour" | "minute" | "second" | "millisecond" | "microsecond" | "nanosecond")
        {
            return Err(errors::plain(
                9810,
                16,
                1,
                format!(
                    "The datepart {part} is not supported by date function {} for data type date.",
                    name.to_ascii_lowercase()
                ),
            ));
        }
        Ok(Expr::new(ty, nullable, ExprKind::Function(function, args)))
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

    fn wide(&self, units: u16) -> SqlType {
        SqlType::nvarchar(units).with_collation(self.catalog.collation())
    }

    /// All string arguments in `which` as strings of one kind.
    fn strings(&self, args: &mut [Expr], which: &[usize], name: &str) -> SqlResult<()> {
        let which: Vec<usize> = which.iter().copied().filter(|&i| i < args.len()).collect();
        for &i in &which {
            let taken = std::mem::replace(&mut args[i], Expr::null(SqlType::INT));
            args[i] = self.as_string(taken, i + 1, name)?;
        }
        let wide = which.iter().any(|&i| args[i].ty.is_unicode_string());
        let mut best: Option<usize> = None;
        for &i in &which {
            best = Some(match best {
                None => i,
                Some(b) => {
                    convert::common_collation(&args[b], &args[i], &name.to_ascii_lowercase())?;
                    if convert::collation_rank(&args[i]) > convert::collation_rank(&args[b]) { i } else { b }
                }
            });
        }
        let Some(best) = best else { return Ok(()) };
        let collation = args[best].ty.collation;
        for i in which {
            let mut ty = args[i].ty;
            if wide && !ty.is_unicode_string() {
                ty = typing_wide(&ty);
            }
            ty.collation = collation;
            let taken = std::mem::replace(&mut args[i], Expr::null(SqlType::INT));
            args[i] = converted(taken, &ty, false);
        }
        Ok(())
    }

    fn builtin(&mut self, function: FunctionId, name: &str, mut args: Vec<Expr>) -> SqlResult<Expr> {
        use FunctionId::*;
        let any_null = args.iter().any(|e| e.nullable);
        let take = |args: &mut Vec<Expr>, i: usize, ty: SqlType| -> SqlResult<()> {
            if i < args.len() {
                let taken = std::mem::replace(&mut args[i], Expr::null(SqlType::INT));
                args[i] = implicit(taken, &ty).map_err(|_| errors::invalid_argument(&ty, i + 1, name))?;
            }
            Ok(())
        };
        let collation = self.catalog.collation();
        let varchar = |n: u16| SqlType::varchar(n).with_collation(collation);
        let sysname = self.wide(128);
        let mut nullable = true;
        let ty = match function {
            Acos | Asin | Atan | Cos | Cot | Exp | Log10 | Sin | Sqrt | Square | Tan => {
                nullable = any_null;
                self.number(&mut args, 0, SqlType::FLOAT, name)?;
                SqlType::FLOAT
            }
            Atn2 | Log => {
                nullable = any_null;
                self.number(&mut args, 0, SqlType::FLOAT, name)?;
                if args.len() > 1 {
                    self.number(&mut args, 1, SqlType::FLOAT, name)?;
                }
                SqlType::FLOAT
            }
            Pi => {
                nullable = false;
                SqlType::FLOAT
            }
            Rand => {
                take(&mut args, 0, SqlType::INT)?;
                SqlType::FLOAT
            }
            Abs | Ceiling | Floor | Sign | Degrees | Radians => {
                nullable = any_null;
                let ty = args[0].ty;
                let result = match ty.kind {
                    TypeKind::TinyInt | TypeKind::SmallInt if function != Abs => SqlType::INT,
                    TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int | TypeKind::BigInt => ty,
                    TypeKind::Decimal | TypeKind::Numeric => match function {
                        Ceiling | Floor => SqlType { kind: ty.kind, ..SqlType::decimal(ty.precision, 0) },
                        Degrees | Radians => SqlType { kind: ty.kind, ..SqlType::decimal(38, 18) },
                        _ => ty,
                    },
                    TypeKind::Money | TypeKind::SmallMoney => SqlType::MONEY,
                    _ => SqlType::FLOAT,
                };
                // The argument keeps its scale; only its class must be the result's.
                let argument = if ty.is_decimal() { ty } else { result };
                self.number(&mut args, 0, argument, name)?;
                result
            }
            Power => {
                nullable = any_null;
                let ty = args[0].ty;
                let result = match ty.kind {
                    TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int => SqlType::INT,
                    TypeKind::BigInt => SqlType::BIGINT,
                    TypeKind::Decimal | TypeKind::Numeric => {
                        SqlType { kind: ty.kind, ..SqlType::decimal(38, ty.scale) }
                    }
                    TypeKind::Money | TypeKind::SmallMoney => SqlType::MONEY,
                    _ => SqlType::FLOAT,
                };
                let argument = if ty.is_decimal() { ty } else { result };
                self.number(&mut args, 0, argument, name)?;
                self.number(&mut args, 1, SqlType::FLOAT, name)?;
                result
            }
            Round => {
                nullable = any_null;
                let ty = args[0].ty;
                let result = match ty.kind {
                    TypeKind::TinyInt | TypeKind::SmallInt => SqlType::INT,
                    TypeKind::Int | TypeKind::BigInt | TypeKind::Decimal | TypeKind::Numeric => ty,
                    TypeKind::Money | TypeKind::SmallMoney => SqlType::MONEY,
                    _ => SqlType::FLOAT,
                };
                self.number(&mut args, 0, result, name)?;
                take(&mut args, 1, SqlType::INT)?;
                take(&mut args, 2, SqlType::INT)?;
                result
            }
            BitCount => {
                nullable = any_null;
                SqlType::BIGINT
            }
            GetBit => {
                nullable = any_null;
                take(&mut args, 1, SqlType::INT)?;
                SqlType::BIT
            }
            SetBit | LeftShift | RightShift => {
                take(&mut args, 1, SqlType::INT)?;
                take(&mut args, 2, SqlType::INT)?;
                args[0].ty
            }

            Ascii | Unicode => {
                self.strings(&mut args, &[0], name)?;
                SqlType::INT
            }
            Char => {
                take(&mut args, 0, SqlType::INT)?;
                SqlType::char(1).with_collation(collation)
            }
            Nchar => {
                take(&mut args, 0, SqlType::INT)?;
                SqlType::nchar(1).with_collation(collation)
            }
            Charindex => {
                nullable = any_null;
                self.strings(&mut args, &[0, 1], name)?;
                take(&mut args, 2, SqlType::BIGINT)?;
                if args[1].ty.is_max() { SqlType::BIGINT } else { SqlType::INT }
            }
            Patindex => {
                nullable = any_null;
                self.strings(&mut args, &[0, 1], name)?;
                if args[1].ty.is_max() { SqlType::BIGINT } else { SqlType::INT }
            }
            Concat | ConcatWs => {
                nullable = false;
                let all: Vec<usize> = (0..args.len()).collect();
                self.strings(&mut args, &all, name)?;
                let wide = args[0].ty.is_unicode_string();
                let max = args.iter().any(|e| e.ty.is_max());
                let mut length: u32 = args.iter().map(|e| e.ty.length as u32).sum();
                if function == ConcatWs {
                    length += args[0].ty.length as u32 * (args.len() as u32).saturating_sub(3);
                }
                let length = if max { MAX_LENGTH } else { length.clamp(1, 8000) as u16 };
                let kind = if wide { TypeKind::NVarChar } else { TypeKind::VarChar };
                SqlType { kind, length, ..args[0].ty }
            }
            Difference => {
                self.strings(&mut args, &[0, 1], name)?;
                SqlType::INT
            }
            Soundex => {
                self.strings(&mut args, &[0], name)?;
                varchar(4)
            }
            Format => {
                take(&mut args, 1, self.wide(4000))?;
                take(&mut args, 2, sysname)?;
                self.wide(4000)
            }
            Left | Right => {
                nullable = any_null;
                self.strings(&mut args, &[0], name)?;
                take(&mut args, 1, SqlType::BIGINT)?;
                cut(&args[0].ty, literal_count(&args[1]))
            }
            Substring => {
                nullable = any_null;
                let ty = args[0].ty;
                if !ty.is_binary() {
                    if !ty.is_string() && !is_null_literal(&args[0]) {
                        return Err(errors::invalid_argument(&ty, 1, name));
                    }
                    self.strings(&mut args, &[0], name)?;
                }
                take(&mut args, 1, SqlType::BIGINT)?;
                take(&mut args, 2, SqlType::BIGINT)?;
                cut(&args[0].ty, literal_count(&args[2]))
            }
            Len => {
                nullable = any_null;
                if !args[0].ty.is_binary() {
                    self.strings(&mut args, &[0], name)?;
                }
                if args[0].ty.is_max() { SqlType::BIGINT } else { SqlType::INT }
            }
            Datalength => {
                nullable = any_null;
                if args[0].ty.is_max() { SqlType::BIGINT } else { SqlType::INT }
            }
            Lower | Upper | Reverse => {
                nullable = any_null;
                self.strings(&mut args, &[0], name)?;
                varying(&args[0].ty)
            }
            Ltrim | Rtrim | Trim => {
                nullable = any_null;
                self.strings(&mut args, &[0, 1], name)?;
                varying(&args[0].ty)
            }
            Quotename => {
                take(&mut args, 0, sysname)?;
                take(&mut args, 1, self.wide(1))?;
                self.wide(258)
            }
            Replace | Translate => {
                nullable = any_null;
                self.strings(&mut args, &[0, 1, 2], name)?;
                if function == Translate {
                    varying(&args[0].ty)
                } else {
                    longest(&args[0].ty, args.iter().any(|e| e.ty.is_max()))
                }
            }
            Replicate => {
                self.strings(&mut args, &[0], name)?;
                take(&mut args, 1, SqlType::BIGINT)?;
                longest(&args[0].ty, args[0].ty.is_max())
            }
            Stuff => {
                if !args[0].ty.is_binary() {
                    self.strings(&mut args, &[0, 3], name)?;
                }
                take(&mut args, 1, SqlType::BIGINT)?;
                take(&mut args, 2, SqlType::BIGINT)?;
                longest(&args[0].ty, args[0].ty.is_max() || args[3].ty.is_max())
            }
            Space => {
                take(&mut args, 0, SqlType::BIGINT)?;
                varchar(literal_count(&args[0]).map_or(8000, |n| n.clamp(1, 8000) as u16))
            }
            Str => {
                self.number(&mut args, 0, SqlType::FLOAT, name)?;
                take(&mut args, 1, SqlType::INT)?;
                take(&mut args, 2, SqlType::INT)?;
                varchar(args.get(1).map_or(10, |e| literal_count(e).map_or(8000, |n| n.clamp(1, 8000) as u16)))
            }
            StringEscape => {
                self.strings(&mut args, &[0, 1], name)?;
                SqlType::NVARCHAR_MAX.with_collation(collation)
            }

            CurrentTimestamp | Getdate | Getutcdate => {
                nullable = false;
                SqlType::DATETIME
            }
            Sysdatetime | Sysutcdatetime => {
                nullable = false;
                SqlType::datetime2(7)
            }
            Sysdatetimeoffset => {
                nullable = false;
                SqlType::datetimeoffset(7)
            }
            Datefromparts | Datetimefromparts | Smalldatetimefromparts => {
                (0..args.len()).try_for_each(|i| take(&mut args, i, SqlType::INT))?;
                match function {
                    Datefromparts => SqlType::DATE,
                    Datetimefromparts => SqlType::DATETIME,
                    _ => SqlType::SMALLDATETIME,
                }
            }
            Datetime2fromparts | Timefromparts | Datetimeoffsetfromparts => {
                (0..args.len()).try_for_each(|i| take(&mut args, i, SqlType::INT))?;
                let Some(scale) = args.last().and_then(literal_count).filter(|n| (0..=7).contains(n)) else {
                    return Err(errors::plain(
                        10760,
                        16,
                        1,
                        "Scale argument is not valid. Valid expressions for data type scale argument are integer constants and integer constant expressions.",
                    ));
                };
                match function {
                    Datetime2fromparts => SqlType::datetime2(scale as u8),
                    Timefromparts => SqlType::time(scale as u8),
                    _ => SqlType::datetimeoffset(scale as u8),
                }
            }
            Day | Month | Year => {
                nullable = any_null;
                args[0] = temporal(args[0].clone(), 1, name, SqlType::datetime2(7))?;
                SqlType::INT
            }
            Eomonth => {
                args[0] = temporal(args[0].clone(), 1, name, SqlType::datetime2(7))?;
                take(&mut args, 1, SqlType::INT)?;
                SqlType::DATE
            }
            Isdate | Isnumeric => {
                nullable = false;
                if !args[0].ty.is_temporal() || function == Isdate {
                    self.strings(&mut args, &[0], name)?;
                }
                SqlType::INT
            }
            Switchoffset | Todatetimeoffset => {
                let scale = if args[0].ty.is_temporal() && args[0].ty.kind != TypeKind::DateTime {
                    args[0].ty.scale
                } else {
                    7
                };
                let to =
                    if function == Switchoffset { SqlType::datetimeoffset(scale) } else { SqlType::datetime2(scale) };
                take(&mut args, 0, to)?;
                if args[1].ty.is_string() {
                    self.strings(&mut args, &[1], name)?;
                } else {
                    take(&mut args, 1, SqlType::INT)?;
                }
                SqlType::datetimeoffset(scale)
            }
            CurrentTimezone => varchar(128),

            SqlVariantProperty => {
                if args[0].ty.kind != TypeKind::SqlVariant {
                    take(&mut args, 0, SqlType::SQL_VARIANT)?;
                }
                take(&mut args, 1, sysname)?;
                SqlType::SQL_VARIANT
            }
            Isjson => {
                self.strings(&mut args, &[0], name)?;
                SqlType::INT
            }
            JsonValue => {
                take(&mut args, 0, SqlType::NVARCHAR_MAX.with_collation(collation))?;
                take(&mut args, 1, self.wide(4000))?;
                self.wide(4000)
            }
            JsonQuery => {
                take(&mut args, 0, SqlType::NVARCHAR_MAX.with_collation(collation))?;
                take(&mut args, 1, self.wide(4000))?;
                SqlType::NVARCHAR_MAX.with_collation(collation)
            }
            JsonModify => {
                take(&mut args, 0, SqlType::NVARCHAR_MAX.with_collation(collation))?;
                take(&mut args, 1, self.wide(4000))?;
                SqlType::NVARCHAR_MAX.with_collation(collation)
            }
            BinaryChecksum | Checksum => {
                nullable = false;
                SqlType::INT
            }
            Compress => SqlType::VARBINARY_MAX,
            Decompress => {
                take(&mut args, 0, SqlType::VARBINARY_MAX)?;
                SqlType::VARBINARY_MAX
            }
            CryptGenRandom => {
                take(&mut args, 0, SqlType::INT)?;
                let length = literal_count(&args[0]).map_or(8000, |n| n.clamp(1, 8000) as u16);
                SqlType::varbinary(length)
            }
            Hashbytes => {
                self.strings(&mut args, &[0], name)?;
                if !args[1].ty.is_binary() {
                    self.strings(&mut args, &[1], name)?;
                }
                SqlType::varbinary(8000)
            }
            Newid | Newsequentialid => {
                nullable = false;
                SqlType::UNIQUEIDENTIFIER
            }
            Pwdencrypt => {
                take(&mut args, 0, sysname)?;
                SqlType::varbinary(128)
            }
            Pwdcompare => {
                take(&mut args, 0, sysname)?;
                take(&mut args, 1, SqlType::varbinary(128))?;
                SqlType::INT
            }

            AppName | HostName | OriginalLogin | ErrorProcedure => sysname,
            CurrentUser | SessionUser | SystemUser | User => sysname,
            ErrorMessage => self.wide(4000),
            ErrorLine | ErrorNumber | ErrorSeverity | ErrorState | CurrentRequestId => SqlType::INT,
            HostId => SqlType::char(10).with_collation(collation),
            XactState => {
                nullable = false;
                SqlType::SMALLINT
            }
            RowcountBig => {
                nullable = false;
                SqlType::BIGINT
            }
            CurrentTransactionId => SqlType::BIGINT,
            ScopeIdentity => numeric(38, 0),
            IdentCurrent | IdentIncr | IdentSeed => {
                take(&mut args, 0, sysname)?;
                numeric(38, 0)
            }
            ContextInfo => SqlType::varbinary(128),
            SuserSid => {
                take(&mut args, 0, sysname)?;
                take(&mut args, 1, SqlType::INT)?;
                SqlType::varbinary(85)
            }
            SuserName | UserName | DbName | SchemaName | FileName | FilegroupName | TypeName => {
                take(&mut args, 0, SqlType::INT)?;
                sysname
            }
            SuserSname => {
                take(&mut args, 0, SqlType::varbinary(85))?;
                sysname
            }
            ColName => {
                take(&mut args, 0, SqlType::INT)?;
                take(&mut args, 1, SqlType::INT)?;
                sysname
            }
            IndexCol => {
                take(&mut args, 0, self.wide(776))?;
                take(&mut args, 1, SqlType::INT)?;
                take(&mut args, 2, SqlType::INT)?;
                sysname
            }
            ObjectName | ObjectSchemaName => {
                take(&mut args, 0, SqlType::INT)?;
                take(&mut args, 1, SqlType::INT)?;
                sysname
            }
            Parsename => {
                take(&mut args, 0, self.wide(517))?;
                take(&mut args, 1, SqlType::INT)?;
                sysname
            }
            ObjectDefinition => {
                take(&mut args, 0, SqlType::INT)?;
                SqlType::NVARCHAR_MAX.with_collation(collation)
            }
            Objectproperty | Objectpropertyex | Columnproperty | Typeproperty | Indexproperty | IndexkeyProperty
            | Assemblyproperty => {
                let id_first = matches!(
                    function,
                    Objectproperty | Objectpropertyex | Columnproperty | Indexproperty | IndexkeyProperty
                );
                for i in 0..args.len() {
                    let number = id_first && i == 0 || function == IndexkeyProperty && i < 3;
                    take(&mut args, i, if number { SqlType::INT } else { self.wide(517) })?;
                }
                if function == Objectpropertyex { SqlType::SQL_VARIANT } else { SqlType::INT }
            }
            StatsDate => {
                take(&mut args, 0, SqlType::INT)?;
                take(&mut args, 1, SqlType::INT)?;
                SqlType::DATETIME
            }
            Serverproperty | Databasepropertyex | Sessionproperty | SessionContext | Connectionproperty
            | Collationproperty => {
                (0..args.len()).try_for_each(|i| take(&mut args, i, self.wide(256)))?;
                SqlType::SQL_VARIANT
            }
            ColLength => {
                (0..args.len()).try_for_each(|i| take(&mut args, i, self.wide(517)))?;
                SqlType::SMALLINT
            }
            DbId => {
                take(&mut args, 0, sysname)?;
                SqlType::SMALLINT
            }
            ColumnsUpdated => SqlType::varbinary(128),
            Eventdata => SqlType::XML,
            Formatmessage => {
                if args[0].ty.is_string() {
                    self.strings(&mut args, &[0], name)?;
                } else {
                    take(&mut args, 0, SqlType::INT)?;
                }
                self.wide(2047)
            }
            MinActiveRowversion => SqlType::binary(8),
            CursorStatus => {
                (0..args.len()).try_for_each(|i| take(&mut args, i, sysname))?;
                SqlType::SMALLINT
            }
            ApplockMode => {
                (0..args.len()).try_for_each(|i| take(&mut args, i, self.wide(255)))?;
                sysname
            }
            TertiaryWeights => SqlType::varbinary(8000),
            Getansinull | TriggerNestlevel | Permissions => SqlType::INT,
            // The rest look names up: nvarchar in, int out.
            _ => {
                for i in 0..args.len() {
                    if args[i].ty.is_string() || is_null_literal(&args[i]) {
                        take(&mut args, i, self.wide(1035))?;
                    }
                }
                SqlType::INT
            }
        };
        Ok(Expr::new(ty, nullable, ExprKind::Function(function, args)))
    }

    fn number(&self, args: &mut [Expr], i: usize, to: SqlType, name: &str) -> SqlResult<()> {
        let ty = args[i].ty;
        if ty.is_temporal()
            || matches!(
                ty.kind,
                TypeKind::UniqueIdentifier
                    | TypeKind::Xml
                    | TypeKind::SqlVariant
                    | TypeKind::Text
                    | TypeKind::NText
                    | TypeKind::Image
            )
        {
            return Err(errors::invalid_argument(&ty, i + 1, name));
        }
        let taken = std::mem::replace(&mut args[i], Expr::null(SqlType::INT));
        args[i] = implicit(taken, &to).map_err(|_| errors::invalid_argument(&ty, i + 1, name))?;
        Ok(())
    }
}

/// A date, time or datetime argument: a string becomes `string_as`, a number a datetime.
fn temporal(value: Expr, argument: usize, function: &str, string_as: SqlType) -> SqlResult<Expr> {
    let ty = value.ty;
    if ty.is_temporal() {
        return Ok(value);
    }
    if is_null_literal(&value) {
        return Ok(Expr::null(SqlType::DATETIME));
    }
    let to = if ty.is_string() { string_as } else { SqlType::DATETIME };
    implicit(value, &to).map_err(|_| errors::invalid_argument(&ty, argument, function))
}

fn literal_count(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Literal(Datum::I64(n)) => Some(*n),
        _ => None,
    }
}

/// char to varchar of the same length, and so on.
fn varying(ty: &SqlType) -> SqlType {
    let kind = match ty.kind {
        TypeKind::Char => TypeKind::VarChar,
        TypeKind::NChar => TypeKind::NVarChar,
        TypeKind::Binary | TypeKind::RowVersion => TypeKind::VarBinary,
        kind => kind,
    };
    SqlType { kind, ..*ty }
}

/// At most `count` characters of `ty`.
fn cut(ty: &SqlType, count: Option<i64>) -> SqlType {
    let ty = varying(ty);
    let Some(count) = count else { return ty };
    let unit = if ty.is_unicode_string() { 2 } else { 1 };
    if ty.is_max() && count > 8000 / unit {
        return ty;
    }
    let length = (count.clamp(1, 8000 / unit) * unit) as u16;
    SqlType { length: length.min(ty.length), ..ty }
}

/// 8,000 bytes, or (max).
fn longest(ty: &SqlType, max: bool) -> SqlType {
    SqlType { length: if max { MAX_LENGTH } else { 8000 }, ..varying(ty) }
}

fn date_part(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "year" | "yyyy" | "yy" => "year",
        "quarter" | "qq" | "q" => "quarter",
        "month" | "mm" | "m" => "month",
        "dayofyear" | "dy" | "y" => "dayofyear",
        "day" | "dd" | "d" => "day",
        "week" | "wk" | "ww" => "week",
        "weekday" | "dw" | "w" => "weekday",
        "hour" | "hh" => "hour",
        "minute" | "mi" | "n" => "minute",
        "second" | "ss" | "s" => "second",
        "millisecond" | "ms" => "millisecond",
        "microsecond" | "mcs" => "microsecond",
        "nanosecond" | "ns" => "nanosecond",
        "tzoffset" | "tz" => "tzoffset",
        "iso_week" | "isowk" | "isoww" => "iso_week",
        _ => return None,
    })
}

/// `{fn name(...)}`: ODBC's name for one of ours.
fn odbc_name(name: &str) -> &str {
    const NAMES: &[(&str, &str)] = &[
        ("UCASE", "UPPER"),
        ("LCASE", "LOWER"),
        ("LENGTH", "LEN"),
        ("IFNULL", "ISNULL"),
        ("NOW", "GETDATE"),
        ("CURDATE", "GETDATE"),
        ("CURTIME", "GETDATE"),
        ("DATABASE", "DB_NAME"),
        ("LOCATE", "CHARINDEX"),
        ("MOD", "MOD"),
        ("TRUNCATE", "ROUND"),
        ("DAYOFMONTH", "DAY"),
        ("REPEAT", "REPLICATE"),
        ("INSERT", "STUFF"),
        ("ATAN2", "ATN2"),
    ];
    NAMES.iter().find(|(odbc, _)| odbc.eq_ignore_ascii_case(name)).map_or(name, |(_, own)| own)
}
