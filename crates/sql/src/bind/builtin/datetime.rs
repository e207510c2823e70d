//! Date and time functions, those that are told a part of a date among them.

use types::precedence::{check_conversion, rank};
use types::{SqlResult, SqlType, TypeKind, sql_error};

use super::{BuiltinCall, literal_count};
use crate::ast;
use crate::bind::binder::Binder;
use crate::bind::convert::implicit;
use crate::bind::scope::Scope;
use crate::bind::typing::is_null_literal;
use crate::bind::{errors, names, text};
use crate::function::FunctionId;
use crate::plan::{Expr, ExprKind};

/// Date and time functions without a part.
pub fn datetime(call: &mut BuiltinCall) -> SqlResult<Option<SqlType>> {
    use FunctionId::*;
    Ok(Some(match call.function {
        CurrentTimestamp | Getdate | Getutcdate => {
            call.nullable = false;
            SqlType::DATETIME
        }
        Sysdatetime | Sysutcdatetime => {
            call.nullable = false;
            SqlType::datetime2(7)
        }
        Sysdatetimeoffset => {
            call.nullable = false;
            SqlType::datetimeoffset(7)
        }
        Datefromparts | Datetimefromparts | Smalldatetimefromparts => {
            call.null_from_arguments();
            call.take_all(SqlType::INT)?;
            match call.function {
                Datefromparts => SqlType::DATE,
                Datetimefromparts => SqlType::DATETIME,
                _ => SqlType::SMALLDATETIME,
            }
        }
        Datetime2fromparts | Timefromparts | Datetimeoffsetfromparts => {
            call.null_from_arguments();
            call.take_all(SqlType::INT)?;
            let Some(scale) = call.args.last().and_then(literal_count).filter(|n| (0..=7).contains(n)) else {
                let ty = match call.function {
                    Datetime2fromparts => "datetime2",
                    Timefromparts => "time",
                    _ => "datetimeoffset",
                };
                return Err(sql_error!(10760, ty));
            };
            match call.function {
                Datetime2fromparts => SqlType::datetime2(scale as u8),
                Timefromparts => SqlType::time(scale as u8),
                _ => SqlType::datetimeoffset(scale as u8),
            }
        }
        Day | Month | Year => {
            call.null_from_arguments();
            call.args[0] = temporal(call.args[0].clone(), SqlType::datetime2(7))?;
            SqlType::INT
        }
        Eomonth => {
            call.only(0, |kind| kind != TypeKind::Time)?;
            call.args[0] = date(call.args[0].clone(), 1, call.name, SqlType::datetime2(7))?;
            call.take(1, SqlType::INT)?;
            SqlType::DATE
        }
        Isdate | Isnumeric => {
            call.nullable = false;
            let legacy = matches!(call.args[0].ty.kind, TypeKind::DateTime | TypeKind::SmallDateTime);
            if call.args[0].ty.is_temporal() && !legacy {
                return Err(errors::invalid_argument(&call.args[0].ty, 1, call.name));
            }
            // Of other numbers and of bytes none is a date, whatever they read as.
            if call.function == Isnumeric || legacy || is_dated(call.args[0].ty.kind) {
                call.short_strings(&[0])?;
            }
            SqlType::INT
        }
        Switchoffset | Todatetimeoffset => {
            let scale = if call.args[0].ty.is_temporal() && call.args[0].ty.kind != TypeKind::DateTime {
                call.args[0].ty.scale
            } else {
                7
            };
            let to =
                if call.function == Switchoffset { SqlType::datetimeoffset(scale) } else { SqlType::datetime2(scale) };
            call.take(0, to)?;
            if call.args[1].ty.is_string() {
                call.strings(&[1])?;
            } else {
                call.take(1, SqlType::INT)?;
            }
            SqlType::datetimeoffset(scale)
        }
        CurrentTimezone | CurrentTimezoneId => call.varchar(128),
        _ => return Ok(None),
    }))
}

/// What ISDATE reads as a text.
fn is_dated(kind: TypeKind) -> bool {
    use TypeKind::*;
    !matches!(
        kind,
        Bit | Decimal
            | Numeric
            | Money
            | SmallMoney
            | Real
            | Float
            | Binary
            | VarBinary
            | RowVersion
            | UniqueIdentifier
    )
}

impl Binder<'_> {
    /// DATEADD, DATEPART ...: the first argument is a word.
    pub fn date_part_call(
        &mut self,
        function: FunctionId,
        name: &str,
        call: &ast::Call,
        scope: &Scope,
    ) -> SqlResult<Expr> {
        let part = match &call.args[0] {
            ast::Expr::Column(column) if column.table.is_none() => date_part(&column.name),
            ast::Expr::Word(word) => date_part(word),
            ast::Expr::Column(_) => None,
            _ => return Err(sql_error!(1023, 1, errors::shown_function(name))),
        };
        let Some(part) = part else {
            let written = match &call.args[0] {
                ast::Expr::Column(column) => names::shown_column(column),
                ast::Expr::Word(word) => word.to_string(),
                _ => String::new(),
            };
            return Err(sql_error!(155, written, errors::shown_function(name)));
        };
        let mut args = vec![text::string(part, false, self.catalog.collation())];
        let rest = self.exprs(&call.args[1..], scope)?;
        let mut rest = rest.into_iter().enumerate();
        let nullable;
        let ty;
        match function {
            FunctionId::Dateadd => {
                let (_, number) = rest.next().expect("argument count is checked");
                if !is_null_literal(&number) && (number.ty.is_string() || number.ty.is_binary()) {
                    return Err(errors::invalid_argument(&number.ty, 2, name));
                }
                args.push(implicit(number, &SqlType::BIGINT)?);
                for (_, value) in rest {
                    // A string is a datetime here, whatever its digits.
                    args.push(temporal(value, SqlType::DATETIME)?);
                }
                ty = args[2].ty;
            }
            FunctionId::DateBucket => {
                args.extend(bucket_arguments(part, name, rest.map(|(_, value)| value).collect())?);
                ty = args[2].ty;
            }
            FunctionId::Datetrunc => {
                let (i, value) = rest.next().expect("argument count is checked");
                args.push(date(value, i + 2, name, SqlType::datetime2(7))?);
                ty = args[1].ty;
            }
            _ => {
                // A string keeps its offset for who asks for that.
                let string_as = if part == "tzoffset" { SqlType::datetimeoffset(7) } else { SqlType::datetime2(7) };
                for (_, value) in rest {
                    args.push(temporal(value, string_as)?);
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
            return Err(sql_error!(9810, part, errors::shown_function(name), "date"));
        }
        Ok(Expr::new(ty, nullable, ExprKind::Function(function, args)))
    }
}

/// DATE_BUCKET's width, value and origin, which may be NULL and is none then. 8116: the width is a number, the value of a date's type, and the
/// origin of the same; of two types the one that would be converted is named. 9810: the value has no such part.
fn bucket_arguments(part: &str, name: &str, args: Vec<Expr>) -> SqlResult<Vec<Expr>> {
    let refused = |value: &Expr, argument: usize| match is_null_literal(value) {
        true => sql_error!(8116, "NULL", argument, errors::shown_function(name)),
        false => errors::invalid_argument(&value.ty, argument, name),
    };
    let mut args = args.into_iter();
    let width = args.next().expect("argument count is checked");
    let value = args.next().expect("argument count is checked");
    if is_null_literal(&width) || width.ty.is_string() || width.ty.is_binary() {
        return Err(refused(&width, 2));
    }
    if is_null_literal(&value) || !value.ty.is_temporal() {
        return Err(refused(&value, 3));
    }
    let is_of_time = matches!(part, "hour" | "minute" | "second" | "millisecond" | "microsecond" | "nanosecond");
    let has_part = match value.ty.kind {
        TypeKind::Date => !is_of_time,
        TypeKind::Time => is_of_time,
        _ => true,
    };
    if !has_part {
        return Err(sql_error!(9810, part, errors::shown_function(name), value.ty.name()));
    }
    let width = implicit(width, &SqlType::INT)?;
    let Some(origin) = args.next().filter(|origin| !is_null_literal(origin)) else { return Ok(vec![width, value]) };
    if origin.ty.kind != value.ty.kind {
        let value_is_lower = rank(value.ty.kind) < rank(origin.ty.kind);
        return Err(if value_is_lower { refused(&value, 3) } else { refused(&origin, 4) });
    }
    let ty = if origin.ty.scale > value.ty.scale { origin.ty } else { value.ty };
    Ok(vec![width, implicit(value, &ty)?, implicit(origin, &ty)?])
}

/// A date, time or datetime argument: a string becomes `string_as`, a number a datetime.
fn temporal(value: Expr, string_as: SqlType) -> SqlResult<Expr> {
    let ty = value.ty;
    if ty.is_temporal() {
        return Ok(value);
    }
    if is_null_literal(&value) {
        return Ok(Expr::null(SqlType::DATETIME));
    }
    check_conversion(&ty, &SqlType::DATETIME, false)?;
    implicit(value, if ty.is_string() { &string_as } else { &SqlType::DATETIME })
}

/// As `temporal`, but of nothing that is not a date, or a string of one: 8116.
fn date(value: Expr, argument: usize, function: &str, string_as: SqlType) -> SqlResult<Expr> {
    if !value.ty.is_temporal() && !value.ty.is_string() && !is_null_literal(&value) {
        return Err(errors::invalid_argument(&value.ty, argument, function));
    }
    temporal(value, string_as)
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
