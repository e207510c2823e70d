//! ODBC's scalar functions, `{fn name(...)}`: each becomes the T-SQL that answers it. Those that T-SQL has by the same name and with
//! the same arguments are not here.
//!
//! The list: ODBC Programmer's Reference, appendix E, and "ODBC Scalar Functions (Transact-SQL)".

use types::{Datum, SqlResult, SqlType, sql_error};

use super::binder::Binder;
use super::convert::implicit;
use super::errors;
use super::scope::Scope;
use crate::ast;
use crate::function::FunctionId;
use crate::plan::{ArithmeticOp, Expr, ExprKind};

/// ODBC's name for one of ours that takes the same arguments.
const RENAMED: &[(&str, &str)] = &[
    ("UCASE", "UPPER"),
    ("LCASE", "LOWER"),
    ("LENGTH", "LEN"),
    ("CHAR_LENGTH", "LEN"),
    ("CHARACTER_LENGTH", "LEN"),
    ("OCTET_LENGTH", "DATALENGTH"),
    ("IFNULL", "ISNULL"),
    ("NOW", "GETDATE"),
    ("CURRENT_TIMESTAMP", "GETDATE"),
    ("DATABASE", "DB_NAME"),
    ("USER", "USER_NAME"),
    ("LOCATE", "CHARINDEX"),
    ("POSITION", "CHARINDEX"),
    ("TRUNCATE", "ROUND"),
    ("DAYOFMONTH", "DAY"),
    ("REPEAT", "REPLICATE"),
    ("INSERT", "STUFF"),
    ("ATAN2", "ATN2"),
];

/// (its name, ours, the part of the date that it asks for)
const PARTS: &[(&str, &str, &str)] = &[
    ("DAYNAME", "DATENAME", "weekday"),
    ("MONTHNAME", "DATENAME", "month"),
    ("DAYOFWEEK", "DATEPART", "weekday"),
    ("DAYOFYEAR", "DATEPART", "dayofyear"),
    ("HOUR", "DATEPART", "hour"),
    ("MINUTE", "DATEPART", "minute"),
    ("SECOND", "DATEPART", "second"),
    ("QUARTER", "DATEPART", "quarter"),
    ("WEEK", "DATEPART", "week"),
];

/// Units of TIMESTAMPADD and TIMESTAMPDIFF. FRAC_SECOND counts billionths of a second.
const INTERVALS: &[(&str, &str)] = &[
    ("SQL_TSI_FRAC_SECOND", "nanosecond"),
    ("SQL_TSI_SECOND", "second"),
    ("SQL_TSI_MINUTE", "minute"),
    ("SQL_TSI_HOUR", "hour"),
    ("SQL_TSI_DAY", "day"),
    ("SQL_TSI_WEEK", "week"),
    ("SQL_TSI_MONTH", "month"),
    ("SQL_TSI_QUARTER", "quarter"),
    ("SQL_TSI_YEAR", "year"),
];

/// What CONVERT's second argument names. Decimals and strings without a length have T-SQL's default.
const TYPES: &[(&str, SqlType)] = &[
    ("SQL_BIT", SqlType::BIT),
    ("SQL_TINYINT", SqlType::TINYINT),
    ("SQL_SMALLINT", SqlType::SMALLINT),
    ("SQL_INTEGER", SqlType::INT),
    ("SQL_BIGINT", SqlType::BIGINT),
    ("SQL_DECIMAL", SqlType::decimal(18, 0)),
    ("SQL_NUMERIC", super::typing::numeric(18, 0)),
    ("SQL_REAL", SqlType::REAL),
    ("SQL_FLOAT", SqlType::FLOAT),
    ("SQL_DOUBLE", SqlType::FLOAT),
    ("SQL_CHAR", SqlType::char(30)),
    ("SQL_VARCHAR", SqlType::varchar(30)),
    ("SQL_LONGVARCHAR", SqlType::VARCHAR_MAX),
    ("SQL_WCHAR", SqlType::nchar(30)),
    ("SQL_WVARCHAR", SqlType::nvarchar(30)),
    ("SQL_WLONGVARCHAR", SqlType::NVARCHAR_MAX),
    ("SQL_BINARY", SqlType::binary(30)),
    ("SQL_VARBINARY", SqlType::varbinary(30)),
    ("SQL_LONGVARBINARY", SqlType::VARBINARY_MAX),
    ("SQL_DATE", SqlType::DATE),
    ("SQL_TYPE_DATE", SqlType::DATE),
    ("SQL_TIME", SqlType::time(7)),
    ("SQL_TYPE_TIME", SqlType::time(7)),
    ("SQL_TIMESTAMP", SqlType::DATETIME),
    ("SQL_TYPE_TIMESTAMP", SqlType::DATETIME),
    ("SQL_GUID", SqlType::UNIQUEIDENTIFIER),
];

/// ODBC's name for one of ours, or the name itself.
pub fn renamed(name: &str) -> &str {
    RENAMED.iter().find(|(odbc, _)| odbc.eq_ignore_ascii_case(name)).map_or(name, |(_, own)| own)
}

fn word_of(expr: &ast::Expr) -> Option<&str> {
    match expr {
        ast::Expr::Column(column) if column.table.is_none() => Some(&column.name.text),
        ast::Expr::Word(word) => Some(&word.text),
        _ => None,
    }
}

impl Binder<'_> {
    /// The functions whose arguments differ from ours. None: it is called by what `renamed` says.
    pub fn odbc_call(&mut self, call: &ast::Call, scope: &Scope) -> SqlResult<Option<Expr>> {
        let name = &*call.name.name.text;
        let count = call.args.len();
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        let takes = |expected: usize| match count == expected {
            true => Ok(()),
            false => Err(errors::argument_count(name, expected)),
        };
        if let Some((_, own, part)) = PARTS.iter().find(|(odbc, ..)| is(odbc)) {
            takes(1)?;
            return self.of_part(own, part, &call.args, call, scope).map(Some);
        }
        if is("EXTRACT") {
            takes(2)?;
            let part = word_of(&call.args[0]).unwrap_or_default();
            return self.of_part("DATEPART", part, &call.args[1..], call, scope).map(Some);
        }
        if is("TIMESTAMPADD") || is("TIMESTAMPDIFF") {
            takes(3)?;
            let unit = word_of(&call.args[0]).unwrap_or_default();
            let Some((_, part)) = INTERVALS.iter().find(|(known, _)| known.eq_ignore_ascii_case(unit)) else {
                return Err(sql_error!(155, unit, name.to_ascii_lowercase()));
            };
            let own = if is("TIMESTAMPADD") { "DATEADD" } else { "DATEDIFF" };
            return self.of_part(own, part, &call.args[1..], call, scope).map(Some);
        }
        if is("MOD") {
            takes(2)?;
            let (left, right) = (self.expr(&call.args[0], scope)?, self.expr(&call.args[1], scope)?);
            return self.binary(ast::BinaryOp::Modulo, left, right).map(Some);
        }
        if is("BIT_LENGTH") {
            takes(1)?;
            let argument = self.expr(&call.args[0], scope)?;
            let bytes = self.builtin(FunctionId::Datalength, "DATALENGTH", vec![argument])?;
            let (ty, nullable) = (bytes.ty, bytes.nullable);
            let eight = implicit(Expr::int(8), &ty)?;
            let bits = ExprKind::Arithmetic(ArithmeticOp::Multiply, Box::new(bytes), Box::new(eight));
            return Ok(Some(Expr::new(ty, nullable, bits)));
        }
        if is("CONVERT") && count == 2 {
            let named = word_of(&call.args[1]).unwrap_or_default();
            let Some((_, to)) = TYPES.iter().find(|(known, _)| known.eq_ignore_ascii_case(named)) else {
                return Err(sql_error!(243, named));
            };
            let to = if to.is_string() { to.with_collation(self.catalog.collation()) } else { *to };
            let operand = self.expr(&call.args[0], scope)?;
            return self.cast(operand, to, None, false).map(Some);
        }
        if is("CURDATE") || is("CURRENT_DATE") {
            takes(0)?;
            return self.now_as_text(SqlType::DATE, 10).map(Some);
        }
        let scale = || match call.args.as_slice() {
            [] => Ok(3),
            [ast::Expr::Literal(ast::Literal::Int(scale @ 0..=7))] => Ok(*scale as u8),
            _ => Err(errors::argument_range(name, 0, 1)),
        };
        if is("CURTIME") || is("CURRENT_TIME") {
            return self.now_as_text(SqlType::time(scale()?), 16).map(Some);
        }
        if is("CURRENT_TIMESTAMP") && count > 0 {
            let now = self.builtin(FunctionId::Sysdatetime, "SYSDATETIME", Vec::new())?;
            return self.cast(now, SqlType::datetime2(scale()?), None, false).map(Some);
        }
        Ok(None)
    }

    /// The date or time of now as text: so ODBC's functions give it.
    fn now_as_text(&mut self, part: SqlType, length: u16) -> SqlResult<Expr> {
        let now = self.builtin(FunctionId::Sysdatetime, "SYSDATETIME", Vec::new())?;
        let part = self.cast(now, part, None, false)?;
        let style = Expr::literal(SqlType::INT, Datum::I64(121));
        let text = SqlType::varchar(length).with_collation(self.catalog.collation());
        self.cast(part, text, Some(style), false)
    }

    fn of_part(
        &mut self,
        own: &str,
        part: &str,
        args: &[ast::Expr],
        call: &ast::Call,
        scope: &Scope,
    ) -> SqlResult<Expr> {
        let mut all = vec![ast::Expr::Word(ast::Ident::new(part))];
        all.extend_from_slice(args);
        let name = ast::ObjectName::unqualified(ast::Ident::new(own), call.line);
        let meant =
            ast::Call { name, args: all, star: false, distinct: false, odbc: false, extra: None, line: call.line };
        self.call(&meant, scope)
    }
}
