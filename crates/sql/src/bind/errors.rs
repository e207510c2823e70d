//! The binder's messages, one function for each number.

use types::{SqlError, SqlType, sql_error};

pub fn undeclared_variable(name: &str) -> SqlError {
    sql_error!(137, name)
}

pub fn readonly_table(name: &str) -> SqlError {
    sql_error!(10700, name)
}

pub fn undeclared_table_variable(name: &str) -> SqlError {
    sql_error!(1087, name)
}

pub fn already_declared(name: &str) -> SqlError {
    sql_error!(134, name)
}

pub fn invalid_column(name: &str) -> SqlError {
    sql_error!(207, name)
}

pub fn invalid_object(name: &str) -> SqlError {
    sql_error!(208, name)
}

pub fn ambiguous_column(name: &str) -> SqlError {
    sql_error!(209, name)
}

pub fn unbound(name: &str) -> SqlError {
    sql_error!(4104, name)
}

pub fn incompatible(a: &SqlType, b: &SqlType, operator: &str) -> SqlError {
    sql_error!(402, a.operand_name(), b.operand_name(), operator)
}

pub fn invalid_operand(ty: &SqlType, operator: &str) -> SqlError {
    sql_error!(8117, ty.operand_name(), operator)
}

pub fn invalid_argument(ty: &SqlType, argument: usize, function: &str) -> SqlError {
    sql_error!(8116, ty.declared_name(), argument, shown_function(function))
}

pub fn argument_count(function: &str, count: usize) -> SqlError {
    sql_error!(174, shown_function(function), count)
}

pub fn argument_range(function: &str, least: usize, most: usize) -> SqlError {
    sql_error!(189, shown_function(function), least, most)
}

/// What messages call a built-in function: in small letters, but for some that came late.
pub fn shown_function(name: &str) -> String {
    const CAPITALIZED: [&str; 5] = ["Compress", "Decompress", "Date_Bucket", "Crypt_Gen_Random", "Trim"];
    let own = CAPITALIZED.iter().find(|own| own.eq_ignore_ascii_case(name));
    own.map_or_else(|| name.to_ascii_lowercase(), |own| own.to_string())
}

pub fn unknown_function(name: &str) -> SqlError {
    sql_error!(195, name, "built-in function name")
}

/// `first`: the first part of the dotted name `all`.
pub fn unknown_user_function(first: &str, all: &str) -> SqlError {
    sql_error!(4121, first, all)
}

pub fn not_grouped(column: &str) -> SqlError {
    sql_error!(8120, column)
}

pub fn not_grouped_having(column: &str) -> SqlError {
    sql_error!(8121, column)
}

pub fn not_grouped_order(column: &str) -> SqlError {
    sql_error!(8127, column)
}

pub fn too_deep() -> SqlError {
    sql_error!(191)
}

pub fn unknown_type(ordinal: u32, name: &str) -> SqlError {
    sql_error!(2715, state 3, ordinal, name)
}

pub fn not_supported(what: &str) -> SqlError {
    sql_error!(40517, what)
}

pub fn impossible_hint() -> SqlError {
    sql_error!(8622)
}

/// What SQL Server's services answer to statements they do not have.
pub fn unsupported(what: &str) -> SqlError {
    sql_error!(40510, what)
}

pub fn not_temporal(table: &str) -> SqlError {
    sql_error!(13544, table)
}

/// As where `Ad Hoc Distributed Queries` is 0, which it always is.
pub fn ad_hoc_queries_are_off() -> SqlError {
    const COMPONENT: &str = "Ad Hoc Distributed Queries";
    sql_error!(15281, "STATEMENT", "OpenRowset/OpenDatasource", COMPONENT, COMPONENT, COMPONENT, COMPONENT)
}
