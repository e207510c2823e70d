//! The errors of conversions, worded as SQL Server does.

use crate::error::SqlError;
use crate::sql_type::{SqlType, TypeKind};

/// 8114
pub fn data_type(from: &SqlType, to: &SqlType) -> SqlError {
    let text = format!("Error converting data type {} to {}.", from.message_name(), to.message_name());
    SqlError::with_state(8114, 16, 5, text)
}

/// 245
pub fn conversion_failed(value: &str, from: &SqlType, to: &SqlType) -> SqlError {
    let text = format!(
        "Conversion failed when converting the {} value '{value}' to data type {}.",
        from.name(),
        to.message_name()
    );
    SqlError::new(245, 16, text)
}

/// 8115 naming the source.
pub fn overflow_from(from: &SqlType, to: &SqlType) -> SqlError {
    let text =
        format!("Arithmetic overflow error converting {} to data type {}.", from.message_name(), to.message_name());
    let state = match from.kind {
        TypeKind::Decimal | TypeKind::Numeric if to.is_string() => 5,
        _ if !to.is_decimal() => 2,
        TypeKind::Real | TypeKind::Float => 6,
        _ => 8,
    };
    SqlError::with_state(8115, 16, state, text)
}

/// 8115 of an expression.
pub fn overflow(to: &SqlType) -> SqlError {
    let text = format!("Arithmetic overflow error converting expression to data type {}.", to.message_name());
    SqlError::with_state(8115, 16, 2, text)
}

/// 220
pub fn overflow_value(to: &SqlType, value: i64) -> SqlError {
    let text = format!("Arithmetic overflow error for data type {}, value = {value}.", to.name());
    SqlError::with_state(220, 16, 2, text)
}

/// 232
pub fn overflow_float(to: &SqlType, value: f64) -> SqlError {
    let text = format!("Arithmetic overflow error for type {}, value = {value:.6}.", to.name());
    SqlError::with_state(232, 16, 3, text)
}

/// 248, 244, 8115: a text of digits that its integer type does not hold.
pub fn text_overflow(value: &str, from: &SqlType, to: &SqlType) -> SqlError {
    let (width, state) = match to.kind {
        TypeKind::Int => {
            let text = format!("The conversion of the {} value '{value}' overflowed an int column.", from.name());
            return SqlError::new(248, 16, text);
        }
        TypeKind::SmallInt => ("INT2", 2),
        TypeKind::TinyInt => ("INT1", 1),
        _ => return overflow(to),
    };
    let text = format!(
        "The conversion of the {} value '{value}' overflowed an {width} column. Use a larger integer column.",
        from.name()
    );
    SqlError::with_state(244, 16, state, text)
}

/// 235 and 293
pub fn money_syntax(to: &SqlType) -> SqlError {
    if to.kind == TypeKind::SmallMoney {
        return SqlError::new(293, 16, "Cannot convert char value to smallmoney. The char value has incorrect syntax.");
    }
    SqlError::new(235, 16, "Cannot convert a char value to money. The char value has incorrect syntax.")
}

/// 241
pub fn date_syntax() -> SqlError {
    SqlError::new(241, 16, "Conversion failed when converting date and/or time from character string.")
}

/// 242
pub fn moment_out_of_range(from: &SqlType, to: &SqlType) -> SqlError {
    let text = format!(
        "The conversion of a {} data type to a {} data type resulted in an out-of-range value.",
        from.name(),
        to.name()
    );
    SqlError::with_state(242, 16, 3, text)
}

/// 281
pub fn bad_style(style: i32, from: &SqlType) -> SqlError {
    let text =
        format!("{style} is not a valid style number when converting from {} to a character string.", from.name());
    SqlError::new(281, 16, text)
}

/// 8169
pub fn uuid_syntax() -> SqlError {
    SqlError::with_state(8169, 16, 2, "Conversion failed when converting from a character string to uniqueidentifier.")
}

/// 8170
pub fn uuid_space() -> SqlError {
    SqlError::new(8170, 16, "Insufficient result space to convert uniqueidentifier value to char.")
}

/// 234
pub fn money_space(to: &SqlType) -> SqlError {
    let text = format!("There is insufficient result space to convert a money value to {}.", to.name());
    SqlError::with_state(234, 16, 2, text)
}
