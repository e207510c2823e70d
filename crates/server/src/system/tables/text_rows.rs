//! Functions about the text of statements: what a session sent, what a text's first result is.

use exec::host::{Callee, Host};
use exec::session::Session as State;
use sql::catalog::{ModuleKind, ObjectId, ObjectName};
use sql::plan::{Client, OutputColumn};
use types::{SqlError, SqlResult, sql_error};

use crate::catalog::base::ObjectRow;
use crate::catalog::row::BaseRow;
use crate::catalog::{load, registry};
use crate::instance::sessions::Input;
use crate::security::written;
use crate::session::first_result::{any_first_result_of, first_result};
use crate::session::host::SessionHost;
use crate::system::answer::Arguments;
use crate::system::cell::{Cell, NamedRow, number, text};
use crate::system::procedure::describe::{self, FIRST_RESULT};
use crate::system::procedure::described::described_text;

type Columns = SqlResult<Option<Vec<OutputColumn>>>;
type Described = Result<Vec<OutputColumn>, Vec<SqlError>>;

/// None: not a table of this family.
pub fn rows(
    host: &mut SessionHost,
    state: &mut State,
    name: &str,
    arguments: &Arguments<'_>,
) -> SqlResult<Option<Vec<NamedRow>>> {
    Ok(Some(match name {
        "dm_exec_input_buffer" => input_buffer(host, arguments),
        "dm_exec_describe_first_result_set" => describe_text(host, state, arguments),
        "dm_exec_describe_first_result_set_for_object" => describe_object(host, state, arguments),
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
pub fn describe(host: &mut SessionHost, state: &mut State, query: &str) -> Columns {
    let module = host.bind_text(state, query, "").map_err(crate::session::compile::first)?;
    first_result(host, state, &module, Client::Plain)
}

/// What FOR BROWSE would add is wanted too.
fn client_of(browse: Option<i64>) -> Client {
    if browse.unwrap_or(0) == 1 { Client::Browses } else { Client::Plain }
}

fn describe_text(host: &mut SessionHost, state: &mut State, arguments: &Arguments<'_>) -> Vec<NamedRow> {
    let (query, parameters) = (arguments.text(0).unwrap_or_default(), arguments.text(1).unwrap_or_default());
    let client = client_of(arguments.number(2));
    let found = described_text(host, state, &query, &parameters, client);
    described(host, found, client)
}

/// Of a procedure or a trigger of the current database, by its id.
fn describe_object(host: &mut SessionHost, state: &mut State, arguments: &Arguments<'_>) -> Vec<NamedRow> {
    let id = arguments.number(0).and_then(|id| i32::try_from(id).ok()).unwrap_or(0);
    let client = client_of(arguments.number(1));
    let found = columns_of_object(host, state, id, client);
    described(host, found, client)
}

fn columns_of_object(host: &mut SessionHost, state: &mut State, id: i32, client: Client) -> Described {
    let callee = described_object(host, state, id).map_err(|error| vec![error])?;
    any_first_result_of(host, state, callee, client)
}

fn described_object(host: &mut SessionHost, state: &mut State, id: i32) -> SqlResult<Callee> {
    let database = host.catalog_session.database;
    let db = host.server.catalog.expect_database(database);
    let exists = registry::by_id(id).is_some()
        || host.catalog_rows(state, &db, |rows| load::object_row(rows, id))?.is_some()
            && host.rights(state, |rights, look| rights.sees(look, &db, ObjectRow::TABLE.id, id))?;
    if !exists {
        return Err(sql_error!(11532, id));
    }
    let definition = host.with_catalog(state, |catalog| catalog.module_by_id(database, ObjectId(id)))?;
    match definition.as_deref().map(|definition| definition.kind) {
        Some(ModuleKind::Procedure) => {
            let definition = definition.expect("it has a kind");
            let name = ObjectName {
                server: None,
                database: None,
                schema: Some(definition.schema.clone()),
                name: definition.name.clone(),
            };
            host.procedure(state, &name, None)
        }
        Some(ModuleKind::Trigger) => host.trigger(state, database, ObjectId(id)),
        _ => Err(sql_error!(11531, id)),
    }
}

/// A row for each column, or for each error.
fn described(host: &SessionHost, found: Described, client: Client) -> Vec<NamedRow> {
    let names = || FIRST_RESULT.split("; ").map(|column| column.split_once(' ').expect("a name and a type").0);
    let browses = client == Client::Browses;
    match found {
        Ok(columns) => columns
            .iter()
            .enumerate()
            .map(|(at, column)| {
                let values = describe::described(host, at, column, browses).into_iter().map(Cell::Datum);
                names().zip(values).filter(|(name, _)| !name.starts_with("tds_")).collect()
            })
            .collect(),
        Err(errors) => {
            let row = |(at, error): (usize, &SqlError)| {
                let (kind, words) = kind_of(error);
                vec![
                    ("is_hidden", false.into()),
                    ("column_ordinal", number(at as i64)),
                    ("is_nullable", false.into()),
                    ("error_number", number(error.number)),
                    ("error_severity", number(error.severity)),
                    ("error_state", number(error.state)),
                    ("error_message", text(&error.text)),
                    ("error_type", number(kind)),
                    ("error_type_desc", text(words)),
                ]
            };
            errors.iter().enumerate().map(row).collect()
        }
    }
}

/// A procedure whose status says the kind of its error to who calls it by RPC: "Return code values" of its page.
pub fn describes(procedure: &str) -> bool {
    ["sp_describe_first_result_set", "sp_describe_undeclared_parameters"]
        .iter()
        .any(|name| procedure.eq_ignore_ascii_case(name))
}

/// error_type and error_type_desc: the table under "Remarks" of the function's page.
pub fn kind_of(error: &SqlError) -> (i32, &'static str) {
    match error.number {
        11509..=11512 => (3, "CONFLICTING_RESULTS"),
        11513 | 11514 => (4, "DYNAMIC_SQL"),
        11519 | 11520 => (7, "EXTENDED_PROCEDURE"),
        11521 => (8, "UNDECLARED_PARAMETER"),
        11523 | 11524 => (9, "RECURSION"),
        11525 | 11526 => (10, "TEMPORARY_TABLE"),
        11502 | 11503 | 11508 | 11529 => (1, "MISC"),
        11531 => (12, "OBJECT_ID_NOT_SUPPORTED"),
        11532 => (13, "OBJECT_ID_DOES_NOT_EXIST"),
        _ if error.severity == 14 => (1, "MISC"),
        _ => (2, "SYNTAX"),
    }
}
