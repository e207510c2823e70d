//! Arguments of procedures as values of Rust.

use exec::host::CallArgument;
use types::{Datum, Physical, SqlError, SqlType, sql_error};

/// A string argument of any character type.
pub fn text_of(argument: &CallArgument) -> Option<String> {
    let (ty, value) = argument.value.as_ref()?;
    match value {
        Datum::Bytes(bytes) if ty.physical() == Physical::Bytes => Some(string_of(ty, bytes)),
        _ => None,
    }
}

/// Characters of a value of any character type.
pub fn string_of(ty: &SqlType, bytes: &[u8]) -> String {
    if ty.is_ansi_string() {
        types::collation::code_page::decode_str(ty.collation.code_page(), bytes)
    } else {
        types::collation::code_page::utf16_to_string(bytes)
    }
}

/// 201
pub fn expects_parameter(procedure: &str, parameter: &str) -> SqlError {
    sql_error!(201, state 10, procedure, parameter)
}
