//! Functions about the text of statements: what a session sent, what a text's first result is.

use exec::session::Session as State;
use sql::plan::OutputColumn;
use types::{Datum, SqlError, SqlResult};

use crate::catalog::scalar_type;
use crate::instance::sessions::Input;
use crate::security::written;
use crate::session::first_result::first_result;
use crate::session::host::SessionHost;
use crate::system::answer::Arguments;
use crate::system::cell::{Cell, NamedRow, number, text};

/// None: not a table of this family.
pub fn rows(
    host: &mut SessionHost,
    state: &mut State,
    name: &str,
    arguments: &Arguments<'_>,
) -> SqlResult<Option<Vec<NamedRow>>> {
    Ok(Some(match name {
        "dm_exec_input_buffer" => input_buffer(host, arguments),
        "dm_exec_describe_first_result_set" => describe_rows(host, state, arguments),
        _ => return Ok(None),
    }))
}

fn input_buffer(host: &SessionHost, arguments: &Arguments<'_>) -> Vec<NamedRow> {
    let spid = arguments.number(0).and_then(|spid| u32::try_from(spid).ok());
    let Some(entry) = spid.and_then(|spid| host.server.sessions.find(spid)) else { return Vec::new() };
    let Some(input) = entry.input.lock().clone() else { return Vec::new() };
    let (kind, parameters, what) = match input {
        Input::Batch(batch) => ("Language Event", 0, batch),
        Input::Call(procedure, parameters) => {
            ("RPC Event", parameters as i32, format!("{};1", procedure.name()).into())
        }
    };
    vec![vec![
        ("event_type", text(kind)),
        ("parameters", number(parameters)),
        ("event_info", text(written::shown(&what))),
    ]]
}

/// Columns of the first result of a text; None: it has none.
pub fn describe(
    host: &mut SessionHost,
    state: &mut State,
    query: &str,
    parameters: &str,
) -> Result<Option<Vec<OutputColumn>>, SqlError> {
    let module = host.bind_text(state, query, parameters).map_err(crate::session::compile::first)?;
    first_result(host, state, &module, sql::plan::Client::Plain)
}

fn describe_rows(host: &mut SessionHost, state: &mut State, arguments: &Arguments<'_>) -> Vec<NamedRow> {
    let (query, parameters) = (arguments.text(0).unwrap_or_default(), arguments.text(1).unwrap_or_default());
    let permitted = |host: &mut SessionHost, state: &mut State| {
        let module = host.bind_text(state, &query, &parameters).map_err(crate::session::compile::first)?;
        host.check_text(state, &module)
    };
    match permitted(host, state).and_then(|()| describe(host, state, &query, &parameters)) {
        Ok(columns) => columns.unwrap_or_default().iter().enumerate().map(|(i, column)| described(i, column)).collect(),
        Err(error) => vec![vec![
            ("is_hidden", false.into()),
            ("column_ordinal", number(0)),
            ("is_nullable", false.into()),
            ("error_number", number(error.number)),
            ("error_severity", number(error.severity)),
            ("error_state", number(error.state)),
            ("error_message", text(&error.text)),
            ("error_type", number(1)),
            ("error_type_desc", text("SYNTAX")),
        ]],
    }
}

fn described(index: usize, column: &OutputColumn) -> NamedRow {
    let system = scalar_type::system_type(column.ty.kind);
    let collation = scalar_type::collation_name(&column.ty);
    let of_table = column.origin.as_ref().map(|origin| &origin.table.columns[usize::from(origin.column)]);
    let null = || Cell::Datum(Datum::Null);
    vec![
        ("is_hidden", false.into()),
        ("column_ordinal", number(index + 1)),
        ("name", if column.name.is_empty() { null() } else { text(&column.name) }),
        ("is_nullable", column.nullable.into()),
        ("system_type_id", number(system.xtype)),
        ("system_type_name", text(&scalar_type::display(&column.ty))),
        ("max_length", number(scalar_type::max_length(&column.ty))),
        ("precision", number(column.ty.precision)),
        ("scale", number(column.ty.scale)),
        ("collation_name", collation.map_or(null(), |name| text(&name))),
        ("is_xml_document", false.into()),
        ("is_case_sensitive", false.into()),
        ("is_fixed_length_clr_type", false.into()),
        ("is_identity_column", of_table.is_some_and(|column| column.identity.is_some()).into()),
        ("is_updateable", of_table.is_some_and(|column| column.identity.is_none() && column.computed.is_none()).into()),
        ("is_computed_column", of_table.is_some_and(|column| column.computed.is_some()).into()),
        ("is_sparse_column_set", false.into()),
    ]
}
