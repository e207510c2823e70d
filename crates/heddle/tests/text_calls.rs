//! Texts that a client runs by RPC, which is how drivers and ORMs send nearly everything: what of them outlasts the call.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use lab::client::{Answer, Connection};
use support::{Server, target};
use tds::rpc::{ParameterValue, Procedure, ProcedureId, RpcCall, RpcParameter};
use types::{Datum, SqlType};

fn parameter(sql_type: SqlType, value: Datum, is_output: bool) -> RpcParameter {
    RpcParameter { name: "".into(), is_output, is_default: false, value: ParameterValue::Scalar { sql_type, value } }
}

fn text(value: &str) -> RpcParameter {
    parameter(SqlType::nvarchar(4000), Datum::nvarchar(value), false)
}

fn handle() -> RpcParameter {
    parameter(SqlType::INT, Datum::Null, true)
}

fn call(connection: &mut Connection, id: ProcedureId, parameters: Vec<RpcParameter>) -> Answer {
    let deadline = Some(os::clock::after_ms(20_000));
    let answer = connection.call(&[RpcCall::new(Procedure::Id(id), parameters)], deadline).expect("an answer");
    assert!(answer.first_error().is_none(), "{:?}", answer.messages);
    answer
}

fn database(connection: &mut Connection) -> Datum {
    let answer = connection.query("SELECT DB_NAME()", Some(os::clock::after_ms(20_000))).expect("an answer");
    answer.sets[0].rows[0][0].clone()
}

/// TypeORM makes its schemas so: USE in one call of sp_executesql, CREATE SCHEMA in the next, on one connection of a pool. A USE of a
/// text that another text runs ends with that:
/// https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-executesql-transact-sql#remarks
#[test]
fn the_use_of_a_text_that_the_client_runs_outlasts_it() {
    let server = Server::start(&[]);
    server.query("CREATE DATABASE other");
    let target = target(server.port, "master");
    let mut connection = Connection::open(&target, Some(os::clock::after_ms(20_000))).expect("logged in");
    let at_first = database(&mut connection);
    call(&mut connection, ProcedureId::ExecuteSql, vec![text("USE other")]);
    assert_eq!(database(&mut connection), Datum::nvarchar("other"));
    call(&mut connection, ProcedureId::ExecuteSql, vec![text("EXEC ('CREATE SCHEMA made')")]);
    let made = call(&mut connection, ProcedureId::ExecuteSql, vec![text("SELECT SCHEMA_ID('made'), DB_NAME()")]);
    assert!(!made.sets[0].rows[0][0].is_null());
    // Within the text another one: that of EXEC, and a batch's.
    call(&mut connection, ProcedureId::ExecuteSql, vec![text("EXEC ('USE master'); EXEC sp_executesql N'USE tempdb'")]);
    assert_eq!(database(&mut connection), Datum::nvarchar("other"));
    let batch = connection.query("EXEC sp_executesql N'USE tempdb'", Some(os::clock::after_ms(20_000)));
    assert!(batch.expect("an answer").first_error().is_none());
    assert_eq!(database(&mut connection), Datum::nvarchar("other"));
    // Prepared: isql sends each line of its user so.
    let prepared = call(&mut connection, ProcedureId::PrepExec, vec![handle(), text(""), text("USE master")]);
    assert_eq!(database(&mut connection), Datum::nvarchar("master"));
    call(&mut connection, ProcedureId::ExecuteSql, vec![text("USE other")]);
    let kept = parameter(SqlType::INT, prepared.outputs[0].value.clone(), false);
    call(&mut connection, ProcedureId::Execute, vec![kept]);
    assert_eq!(database(&mut connection), Datum::nvarchar("master"));
    assert_ne!(at_first, Datum::nvarchar("other"));
}
