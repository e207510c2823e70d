//! System procedures that are not T-SQL.
//!
//! ```text
//! parameters         arguments by a procedure's own parameters      result    a small result set
//! application_lock   sp_getapplock, sp_releaseapplock
//! definition         sp_rename, extended properties, sp_recompile, sp_refreshview
//! server             configuration, session context, messages, xp_*
//! pools              thread pools and execution classes
//! xtp                which natively compiled modules are measured, databases in resource pools
//! describe           sp_describe_first_result_set and its kin      undeclared   types of undeclared parameters
//! cursor             the cursors of drivers: sp_cursoropen and its kin
//! ```
//!
//! Those that run text (sp_executesql, sp_prepare ...) are `crate::request::prepared`.

mod parameters;
mod result;
pub mod application_lock;
mod definition;
mod server;
mod pools;
mod xtp;
pub mod cursor;
mod describe;
mod undeclared;

use exec::host::CallArgument;
use exec::session::Session as State;
use exec::sink::Sink;
use sql::catalog::ObjectName;
use types::{SqlError, SqlResult};

use crate::catalog::registry;
use crate::request::host::SessionHost;
use definition::Change;
use parameters::Parameters;

/// The native procedure that a name means.
pub fn native_procedure(name: &ObjectName) -> Option<&'static str> {
    registry::native_procedure(name.schema.as_deref(), &name.name)
}

const PROPERTY: &[&str] =
    &["@name", "@value", "@level0type", "@level0name", "@level1type", "@level1name", "@level2type", "@level2name"];
const DROPPED_PROPERTY: &[&str] =
    &["@name", "@level0type", "@level0name", "@level1type", "@level1name", "@level2type", "@level2name"];

/// Runs one; the answer is its return code.
pub fn run_native(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    name: &str,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    if let Some(result) = cursor::call(host, state, sink, name, arguments) {
        return result;
    }
    match name {
        "sp_getapplock" => {
            let names = &["@Resource", "@LockMode", "@LockOwner", "@LockTimeout", "@DbPrincipal"];
            application_lock::acquire(host, state, &Parameters::bind("sp_getapplock", names, 2, arguments)?)
        }
        "sp_releaseapplock" => {
            let names = &["@Resource", "@LockOwner", "@DbPrincipal"];
            application_lock::release(host, state, &Parameters::bind("sp_releaseapplock", names, 1, arguments)?)
        }
        "sp_rename" => {
            let names = &["@objname", "@newname", "@objtype"];
            definition::rename(host, state, sink, &Parameters::bind("sp_rename", names, 2, arguments)?)
        }
        "sp_addextendedproperty" => {
            let given = Parameters::bind("sp_addextendedproperty", PROPERTY, 1, arguments)?;
            definition::property(host, state, sink, Change::Add, &given)
        }
        "sp_updateextendedproperty" => {
            let given = Parameters::bind("sp_updateextendedproperty", PROPERTY, 1, arguments)?;
            definition::property(host, state, sink, Change::Update, &given)
        }
        "sp_dropextendedproperty" => {
            let given = Parameters::bind("sp_dropextendedproperty", DROPPED_PROPERTY, 1, arguments)?;
            definition::property(host, state, sink, Change::Drop, &given)
        }
        "sp_recompile" => {
            definition::recompile(host, state, sink, &Parameters::bind("sp_recompile", &["@objname"], 1, arguments)?)
        }
        "sp_refreshview" => {
            definition::refresh(host, state, sink, &Parameters::bind("sp_refreshview", &["@viewname"], 1, arguments)?)
        }
        "sp_refreshsqlmodule" => {
            let names = &["@name", "@namespace"];
            definition::refresh(host, state, sink, &Parameters::bind("sp_refreshsqlmodule", names, 1, arguments)?)
        }
        "sp_flush_log" => {
            Parameters::bind("sp_flush_log", &[], 0, arguments)?;
            server::flush_log(host)
        }
        "sp_setconfigvalue" => {
            let given = Parameters::bind("sp_setconfigvalue", &["@configname", "@configvalue"], 2, arguments)?;
            server::set_configuration(host, sink, &given)
        }
        "sp_set_session_context" => {
            let names = &["@key", "@value", "@read_only"];
            server::set_context(host, &Parameters::bind("sp_set_session_context", names, 1, arguments)?)
        }
        "sp_addmessage" => {
            let names = &["@msgnum", "@severity", "@msgtext", "@lang", "@with_log", "@replace"];
            server::add_message(host, &Parameters::bind("sp_addmessage", names, 0, arguments)?)
        }
        "sp_dropmessage" => {
            server::drop_message(host, &Parameters::bind("sp_dropmessage", &["@msgnum", "@lang"], 0, arguments)?)
        }
        "sp_helpthread" => pools::help(host, sink, &Parameters::bind("sp_helpthread", &["@pool_name"], 0, arguments)?),
        "sp_addexeclass" => {
            let names = &["@classname", "@base_priority", "@time_slice", "@engine_group"];
            pools::add_class(host, sink, &Parameters::bind("sp_addexeclass", names, 2, arguments)?)
        }
        "sp_dropexeclass" => {
            pools::drop_class(host, &Parameters::bind("sp_dropexeclass", &["@classname"], 1, arguments)?)
        }
        "sp_bindexeclass" => {
            let names = &["@object_name", "@object_type", "@scope", "@classname"];
            pools::bind(host, &Parameters::bind("sp_bindexeclass", names, 2, arguments)?)
        }
        "sp_unbindexeclass" => {
            let names = &["@object_name", "@object_type", "@scope"];
            pools::unbind(host, &Parameters::bind("sp_unbindexeclass", names, 2, arguments)?)
        }
        "sp_showexeclass" => {
            pools::show_classes(host, sink, &Parameters::bind("sp_showexeclass", &["@classname"], 0, arguments)?)
        }
        "xp_logevent" => {
            let names = &["@error_number", "@message", "@severity"];
            server::log_event(state, &Parameters::bind("xp_logevent", names, 0, arguments)?)
        }
        "sp_xtp_control_proc_exec_stats" => {
            let names = &["@new_collection_value", "@old_collection_value"];
            xtp::control_calls(host, &mut Parameters::bind("sp_xtp_control_proc_exec_stats", names, 0, arguments)?)
        }
        "sp_xtp_bind_db_resource_pool" => {
            let names = &["@database_name", "@pool_name"];
            xtp::bind_pool(host, sink, &Parameters::bind("sp_xtp_bind_db_resource_pool", names, 2, arguments)?)
        }
        "sp_xtp_unbind_db_resource_pool" => {
            let names = &["@database_name"];
            xtp::unbind_pool(host, &Parameters::bind("sp_xtp_unbind_db_resource_pool", names, 1, arguments)?)
        }
        "sp_xtp_control_query_exec_stats" => {
            let names = &["@new_collection_value", "@database_id", "@xtp_object_id", "@old_collection_value"];
            xtp::control_queries(host, &mut Parameters::bind("sp_xtp_control_query_exec_stats", names, 0, arguments)?)
        }
        "sp_xtp_force_gc" => xtp::collect_rows(host, &Parameters::bind("sp_xtp_force_gc", &["@dbname"], 0, arguments)?),
        "sp_xtp_checkpoint_force_garbage_collection" => {
            let given = Parameters::bind("sp_xtp_checkpoint_force_garbage_collection", &["@dbname"], 0, arguments)?;
            xtp::collect_files(host, sink, &given)
        }
        "xp_msver" => server::version(host, sink, &Parameters::bind("xp_msver", &["@optname"], 0, arguments)?),
        "xp_qv" => Ok(0),
        "xp_instance_regread" => {
            let names = &["@rootkey", "@key", "@value_name", "@value", "@no_output"];
            server::registry_read(sink, &mut Parameters::bind("xp_instance_regread", names, 3, arguments)?)
        }
        "sp_describe_first_result_set" => {
            let names = &["@tsql", "@params", "@browse_information_mode"];
            let given = Parameters::bind("sp_describe_first_result_set", names, 1, arguments)?;
            describe::first_result_set(host, state, sink, &given)
        }
        "sp_describe_undeclared_parameters" => {
            let given = Parameters::bind("sp_describe_undeclared_parameters", &["@tsql", "@params"], 1, arguments)?;
            describe::undeclared_parameters(host, state, sink, &given)
        }
        "sp_describe_parameter_encryption" => {
            let given = Parameters::bind("sp_describe_parameter_encryption", &["@tsql", "@params"], 1, arguments)?;
            describe::parameter_encryption(host, state, sink, &given)
        }
        _ => Err(SqlError::with_state(2812, 16, 62, format!("Could not find stored procedure '{name}'."))),
    }
}
