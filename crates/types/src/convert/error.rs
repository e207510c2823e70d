//! The errors of conversions, worded as SQL Server does.

use crate::error::SqlError;
use crate::sql_error;
use crate::sql_type::{SqlType, TypeKind};

/// 8114
pub fn data_type(from: &SqlType, to: &SqlType) -> SqlError {
    sql_error!(8114, from.message_name(), to.message_name())
}

/// 245
pub fn conversion_failed(value: &str, from: &SqlType, to: &SqlType) -> SqlError {
    sql_error!(245, from.name(), value, to.message_name())
}

/// 8115 naming the source.
pub fn overflow_from(from: &SqlType, to: &SqlType) -> SqlError {
    let state = match from.kind {
        TypeKind::Decimal | TypeKind::Numeric if to.is_string() => 5,
        _ if !to.is_decimal() => 2,
        TypeKind::Real | TypeKind::Float => 6,
        _ => 8,
    };
    sql_error!(8115, state state, from.message_name(), to.message_name())
}

/// 8115 of NUMERIC_ROUNDABORT.
pub fn rounded(from: &SqlType, to: &SqlType) -> SqlError {
    sql_error!(8115, state 7, from.message_name(), to.message_name())
}

/// 8115 of an expression.
pub fn overflow(to: &SqlType) -> SqlError {
    sql_error!(8115, state 2, "expression", to.message_name())
}

/// 220
pub fn overflow_value(to: &SqlType, value: i64) -> SqlError {
    sql_error!(220, state 2, to.name(), value)
}

/// 232
pub fn overflow_float(to: &SqlType, value: f64) -> SqlError {
    let state = match to.kind {
        TypeKind::TinyInt => 1,
        TypeKind::SmallInt => 2,
        _ => 3,
    };
    sql_error!(232, state state, to.name(), format_args!("{value:.6}"))
}

/// 220, 232, 237, 8115: an amount that an integer type does not hold, `units` of a ten-thousandth.
pub fn money_overflow(units: i64, from: &SqlType, to: &SqlType) -> SqlError {
    match (from.kind, to.kind) {
        (TypeKind::Money, TypeKind::Int) => sql_error!(237, to.name()),
        (TypeKind::Money, TypeKind::SmallInt) if i32::try_from(units).is_err() => sql_error!(237, state 2, to.name()),
        (TypeKind::Money, TypeKind::SmallInt) => sql_error!(220, state 7, to.name(), units),
        (TypeKind::Money, TypeKind::TinyInt) => {
            sql_error!(232, state 11, to.name(), format_args!("{:.6}", units as f64 / 10_000.0))
        }
        _ => overflow_from(from, to),
    }
}

/// 248, 244, 8115: a text of digits that its integer type does not hold.
pub fn text_overflow(value: &str, from: &SqlType, to: &SqlType) -> SqlError {
    let (width, state) = match to.kind {
        TypeKind::Int => {
            return sql_error!(248, from.name(), value);
        }
        TypeKind::SmallInt => ("INT2", 2),
        TypeKind::TinyInt => ("INT1", 1),
        _ => return overflow(to),
    };
    sql_error!(244, state state, from.name(), value, width)
}

/// 235 and 293
pub fn money_syntax(to: &SqlType) -> SqlError {
    if to.kind == TypeKind::SmallMoney {
        return sql_error!(293);
    }
    sql_error!(235)
}

/// 241
pub fn date_syntax() -> SqlError {
    sql_error!(241)
}

/// 242
pub fn moment_out_of_range(from: &SqlType, to: &SqlType) -> SqlError {
    sql_error!(242, state 3, from.name(), to.name())
}

/// 281
pub fn bad_style(style: i32, from: &SqlType) -> SqlError {
    sql_error!(281, style, from.name())
}

/// 9809: as 281, of the types that came with SQL Server 2008.
pub fn style_not_supported(style: i32, from: &SqlType, to: &SqlType) -> SqlError {
    sql_error!(9809, style, from.name(), to.name())
}

/// 8169
pub fn uuid_syntax() -> SqlError {
    sql_error!(8169, state 2)
}

/// 8170
pub fn uuid_space() -> SqlError {
    sql_error!(8170)
}

/// 234
pub fn money_space(to: &SqlType) -> SqlError {
    sql_error!(234, state 2, to.name())
}
