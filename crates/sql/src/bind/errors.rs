//! The binder's messages, one function for each number.

use types::{SqlError, SqlType};

fn error(number: i32, severity: u8, state: u8, text: String) -> SqlError {
    SqlError::with_state(number, severity, state, text)
}

pub fn undeclared_variable(name: &str) -> SqlError {
    error(137, 15, 2, format!("Must declare the scalar variable \"{name}\"."))
}

pub fn readonly_table(name: &str) -> SqlError {
    error(10700, 16, 1, format!("The table-valued parameter \"{name}\" is READONLY and cannot be modified."))
}

pub fn undeclared_table_variable(name: &str) -> SqlError {
    error(1087, 15, 2, format!("Must declare the table variable \"{name}\"."))
}

pub fn already_declared(name: &str) -> SqlError {
    error(
        134,
        15,
        2,
        format!(
            "The variable name '{name}' has already been declared. Variable names must be unique within a query batch or stored procedure."
        ),
    )
}

pub fn invalid_column(name: &str) -> SqlError {
    error(207, 16, 1, format!("Invalid column name '{name}'."))
}

pub fn invalid_object(name: &str) -> SqlError {
    error(208, 16, 1, format!("Invalid object name '{name}'."))
}

pub fn ambiguous_column(name: &str) -> SqlError {
    error(209, 16, 1, format!("Ambiguous column name '{name}'."))
}

pub fn unbound(name: &str) -> SqlError {
    error(4104, 16, 1, format!("The multi-part identifier \"{name}\" could not be bound."))
}

pub fn incompatible(a: &SqlType, b: &SqlType, operator: &str) -> SqlError {
    error(
        402,
        16,
        1,
        format!(
            "The data types {} and {} are incompatible in the {operator} operator.",
            a.message_name(),
            b.message_name()
        ),
    )
}

pub fn invalid_operand(ty: &SqlType, operator: &str) -> SqlError {
    error(8117, 16, 1, format!("Operand data type {} is invalid for {operator} operator.", ty.message_name()))
}

pub fn invalid_argument(ty: &SqlType, argument: usize, function: &str) -> SqlError {
    error(
        8116,
        16,
        1,
        format!(
            "Argument data type {} is invalid for argument {argument} of {} function.",
            ty.message_name(),
            function.to_ascii_lowercase()
        ),
    )
}

pub fn argument_count(function: &str, count: usize) -> SqlError {
    error(174, 15, 1, format!("The {} function requires {count} argument(s).", function.to_ascii_lowercase()))
}

pub fn argument_range(function: &str, least: usize, most: usize) -> SqlError {
    error(189, 15, 1, format!("The {} function requires {least} to {most} arguments.", function.to_ascii_lowercase()))
}

pub fn unknown_function(name: &str) -> SqlError {
    error(195, 15, 10, format!("'{name}' is not a recognized built-in function name."))
}

/// `first`: the first part of the dotted name `all`.
pub fn unknown_user_function(first: &str, all: &str) -> SqlError {
    error(
        4121,
        16,
        1,
        format!(
            "Cannot find either column \"{first}\" or the user-defined function or aggregate \"{all}\", or the name is ambiguous."
        ),
    )
}

pub fn not_grouped(column: &str) -> SqlError {
    error(
        8120,
        16,
        1,
        format!(
            "Column '{column}' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause."
        ),
    )
}

pub fn not_grouped_having(column: &str) -> SqlError {
    error(
        8121,
        16,
        1,
        format!(
            "Column '{column}' is invalid in the HAVING clause because it is not contained in either an aggregate function or the GROUP BY clause."
        ),
    )
}

pub fn not_grouped_order(column: &str) -> SqlError {
    error(
        8127,
        16,
        1,
        format!(
            "Column \"{column}\" is invalid in the ORDER BY clause because it is not contained in either an aggregate function or the GROUP BY clause."
        ),
    )
}

pub fn too_deep() -> SqlError {
    error(
        191,
        15,
        1,
        "Some part of your SQL statement is nested too deeply. Rewrite the query or break it up into smaller queries."
            .into(),
    )
}

pub fn unknown_type(position: &str, name: &str) -> SqlError {
    error(2715, 16, 3, format!("Column, parameter, or variable {position}: Cannot find data type {name}."))
}

pub fn not_supported(what: &str) -> SqlError {
    error(40517, 16, 1, format!("Keyword or statement option '{what}' is not supported in this version of SQL Server."))
}

pub fn impossible_hint() -> SqlError {
    let text = "Query processor could not produce a query plan because of the hints defined in this query. Resubmit the query without specifying any hints and without using SET FORCEPLAN.";
    error(8622, 16, 1, text.into())
}

pub fn plain(number: i32, severity: u8, state: u8, text: impl Into<String>) -> SqlError {
    error(number, severity, state, text.into())
}

/// What SQL Server's services answer to statements they do not have.
pub fn unsupported(what: &str) -> SqlError {
    error(40510, 16, 1, format!("Statement '{what}' is not supported in this version of SQL Server."))
}

pub fn not_temporal(table: &str) -> SqlError {
    let text = format!(
        "Temporal FOR SYSTEM_TIME clause can only be used with system-versioned tables. '{table}' is not a system-versioned table."
    );
    error(13544, 16, 1, text)
}

/// As where `Ad Hoc Distributed Queries` is 0, which it always is.
pub fn ad_hoc_queries_are_off() -> SqlError {
    let text = "SQL Server blocked access to STATEMENT 'OpenRowset/OpenDatasource' of component 'Ad Hoc Distributed Queries' because this component is turned off as part of the security configuration for this server. A system administrator can enable the use of 'Ad Hoc Distributed Queries' by using sp_configure. For more information about enabling 'Ad Hoc Distributed Queries', search for 'Ad Hoc Distributed Queries' in SQL Server Books Online.";
    error(15281, 16, 1, text.to_owned())
}
