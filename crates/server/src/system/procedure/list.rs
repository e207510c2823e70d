//! The procedures by name: their parameters, and what runs them.

use exec::session::Session as State;
use exec::sink::Sink;
use types::SqlResult;

use super::definition::{self, Change};
use super::parameters::Parameters;
use super::{
    application_lock, application_role, backup_history, describe, described, dump_device, error_log, files, format,
    messages, pools, query_store, sequence, server, startup, temporal, trigger_order, undeclared, xml_document, xtp,
};
use crate::definition::bound::Bound;
use crate::security::actor::SYSADMIN;
use crate::session::host::SessionHost;

/// What a procedure runs with.
pub struct Call<'a> {
    pub host: &'a mut SessionHost,
    pub state: &'a mut State,
    pub sink: &'a mut dyn Sink,
}

pub struct Native {
    pub name: &'static str,
    pub parameters: &'static [&'static str],
    /// So many of them must be given.
    pub required: usize,
    /// The answer is its return code.
    pub run: fn(&mut Call<'_>, &mut Parameters<'_>) -> SqlResult<i32>,
}

const fn native(
    name: &'static str,
    parameters: &'static [&'static str],
    required: usize,
    run: fn(&mut Call<'_>, &mut Parameters<'_>) -> SqlResult<i32>,
) -> Native {
    Native { name, parameters, required, run }
}

const PROPERTY: &[&str] =
    &["@name", "@value", "@level0type", "@level0name", "@level1type", "@level1name", "@level2type", "@level2name"];
const DROPPED_PROPERTY: &[&str] =
    &["@name", "@level0type", "@level0name", "@level1type", "@level1name", "@level2type", "@level2name"];

pub const PROCEDURES: &[Native] = &[
    native(
        "sp_getapplock",
        &["@Resource", "@LockMode", "@LockOwner", "@LockTimeout", "@DbPrincipal"],
        0,
        |call, given| application_lock::acquire(call.host, call.state, call.sink, given),
    ),
    native("sp_setapprole", &["@rolename", "@password", "@encrypt", "@fCreateCookie", "@cookie"], 0, |call, given| {
        application_role::set(call.host, call.state, given)
    }),
    native("sp_unsetapprole", &["@cookie"], 1, |call, given| application_role::unset(call.host, call.state, given)),
    native("sp_releaseapplock", &["@Resource", "@LockOwner", "@DbPrincipal"], 0, |call, given| {
        application_lock::release(call.host, call.state, call.sink, given)
    }),
    native("sp_detach_db", &["@dbname", "@skipchecks", "@keepfulltextindexfile"], 1, |call, given| {
        definition::detach(call.host, call.state, call.sink, given)
    }),
    native(
        "sp_addumpdevice",
        &["@devtype", "@logicalname", "@physicalname", "@cntrltype", "@devstatus"],
        3,
        |call, given| dump_device::add(call.host, call.state, call.sink, given),
    ),
    native("sp_dropdevice", &["@logicalname", "@delfile"], 1, |call, given| {
        dump_device::drop(call.host, call.state, call.sink, given)
    }),
    native("sp_rename", &["@objname", "@newname", "@objtype"], 2, |call, given| {
        definition::rename(call.host, call.state, call.sink, given)
    }),
    native("sp_bindefault", &["@defname", "@objname", "@futureonly"], 2, |call, given| {
        definition::bind(call.host, call.state, call.sink, given, Bound::Default, true)
    }),
    native("sp_bindrule", &["@rulename", "@objname", "@futureonly"], 2, |call, given| {
        definition::bind(call.host, call.state, call.sink, given, Bound::Rule, true)
    }),
    native("sp_unbindefault", &["@objname", "@futureonly"], 1, |call, given| {
        definition::bind(call.host, call.state, call.sink, given, Bound::Default, false)
    }),
    native("sp_unbindrule", &["@objname", "@futureonly"], 1, |call, given| {
        definition::bind(call.host, call.state, call.sink, given, Bound::Rule, false)
    }),
    native("sp_addextendedproperty", PROPERTY, 1, |call, given| {
        definition::property(call.host, call.state, call.sink, Change::Add, given)
    }),
    native("sp_updateextendedproperty", PROPERTY, 1, |call, given| {
        definition::property(call.host, call.state, call.sink, Change::Update, given)
    }),
    native("sp_dropextendedproperty", DROPPED_PROPERTY, 1, |call, given| {
        definition::property(call.host, call.state, call.sink, Change::Drop, given)
    }),
    native(
        "sp_sequence_get_range",
        &[
            "@sequence_name",
            "@range_size",
            "@range_first_value",
            "@range_last_value",
            "@range_cycle_count",
            "@sequence_increment",
            "@sequence_min_value",
            "@sequence_max_value",
        ],
        3,
        |call, given| sequence::range(call.host, call.state, given),
    ),
    native("sp_cleanup_temporal_history", &["@schema_name", "@table_name", "@rowcount"], 2, |call, given| {
        temporal::clean_up(call.host, call.state, call.sink, given)
    }),
    native("sp_procoption", &["@ProcName", "@OptionName", "@OptionValue"], 3, |call, given| {
        startup::set(call.host, call.state, call.sink, given)
    }),
    native("sp_settriggerorder", &["@triggername", "@order", "@stmttype", "@namespace"], 3, |call, given| {
        trigger_order::set(call.host, call.state, call.sink, given)
    }),
    native("sp_recompile", &["@objname"], 1, |call, given| {
        definition::recompile(call.host, call.state, call.sink, given)
    }),
    native("sp_MS_marksystemobject", &["@objname", "@namespace"], 1, |call, given| {
        definition::mark_shipped(call.host, call.state, call.sink, given)
    }),
    native("sp_refreshview", &["@viewname"], 1, |call, given| {
        definition::refresh(call.host, call.state, call.sink, given)
    }),
    native("sp_refreshsqlmodule", &["@name", "@namespace"], 1, |call, given| {
        definition::refresh(call.host, call.state, call.sink, given)
    }),
    native("sp_xml_preparedocument", &["@hdoc", "@xmltext", "@xpath_namespaces"], 0, |call, given| {
        xml_document::prepare(call.state, given)
    }),
    native("sp_xml_removedocument", &["@hdoc"], 1, |call, given| xml_document::remove(call.state, given)),
    native("sp_cycle_errorlog", &[], 0, |call, _| error_log::cycle(call.host, call.state)),
    native("xp_readerrorlog", &["@p1", "@p2", "@p3", "@p4", "@p5", "@p6", "@p7"], 0, |call, given| {
        error_log::read(call.host, call.state, call.sink, given)
    }),
    native("xp_enumerrorlogs", &["@p1"], 0, |call, given| error_log::list(call.host, call.state, call.sink, given)),
    native("sp_flush_log", &[], 0, |call, _| server::flush_log(call.host)),
    native("sp_setconfigvalue", &["@configname", "@configvalue"], 2, |call, given| {
        server::set_configuration(call.host, call.sink, given)
    }),
    native("sp_set_session_context", &["@key", "@value", "@read_only"], 1, |call, given| {
        server::set_context(call.host, given)
    }),
    native(
        "sp_addmessage",
        &["@msgnum", "@severity", "@msgtext", "@lang", "@with_log", "@replace"],
        0,
        |call, given| messages::add(call.host, call.state, call.sink, given),
    ),
    native("sp_altermessage", &["@message_id", "@parameter", "@parameter_value"], 3, |call, given| {
        messages::alter(call.host, given)
    }),
    native("sp_dropmessage", &["@msgnum", "@lang"], 0, |call, given| messages::drop(call.host, call.state, given)),
    native("sp_helpthread", &["@pool_name"], 0, |call, given| pools::help(call.host, call.sink, given)),
    native("sp_addexeclass", &["@classname", "@base_priority", "@time_slice", "@engine_group"], 2, |call, given| {
        pools::add_class(call.host, call.sink, given)
    }),
    native("sp_dropexeclass", &["@classname"], 1, |call, given| pools::drop_class(call.host, given)),
    native("sp_bindexeclass", &["@object_name", "@object_type", "@scope", "@classname"], 2, |call, given| {
        pools::bind(call.host, given)
    }),
    native("sp_unbindexeclass", &["@object_name", "@object_type", "@scope"], 2, |call, given| {
        pools::unbind(call.host, given)
    }),
    native("sp_showexeclass", &["@classname"], 0, |call, given| pools::show_classes(call.host, call.sink, given)),
    native("xp_logevent", &["@error_number", "@message", "@severity"], 0, |call, given| {
        server::log_event(call.state, given)
    }),
    native("sp_xtp_control_proc_exec_stats", &["@new_collection_value", "@old_collection_value"], 0, |call, given| {
        xtp::control_calls(call.host, given)
    }),
    native("sp_xtp_bind_db_resource_pool", &["@database_name", "@pool_name"], 2, |call, given| {
        xtp::bind_pool(call.host, call.sink, given)
    }),
    native("sp_xtp_unbind_db_resource_pool", &["@database_name"], 1, |call, given| xtp::unbind_pool(call.host, given)),
    native(
        "sp_xtp_control_query_exec_stats",
        &["@new_collection_value", "@database_id", "@xtp_object_id", "@old_collection_value"],
        0,
        |call, given| xtp::control_queries(call.host, given),
    ),
    native("sp_xtp_flush_temporal_history", &["@schema_name", "@object_name"], 2, |call, given| {
        temporal::flush(call.host, call.state, call.sink, given)
    }),
    native("sp_xtp_force_gc", &["@dbname"], 0, |call, given| xtp::collect_rows(call.host, given)),
    native("sp_xtp_checkpoint_force_garbage_collection", &["@dbname"], 0, |call, given| {
        xtp::collect_files(call.host, call.sink, given)
    }),
    native("xp_dirtree", &["@path", "@depth", "@file"], 1, |call, given| files::tree(call.state, call.sink, given)),
    native("xp_fileexist", &["@path", "@exists"], 1, |call, given| files::exists(call.sink, given)),
    native("xp_create_subdir", &["@path"], 1, |_, given| files::create_directory(given)),
    native("xp_delete_file", &["@kind", "@path", "@extension", "@date", "@with_folders"], 2, |call, given| {
        files::delete_old(call.state, given)
    }),
    native("sp_delete_backuphistory", &["@oldest_date"], 1, |call, given| {
        backup_history::delete_older(call.host, given)
    }),
    native("sp_delete_database_backuphistory", &["@database_name"], 1, |call, given| {
        backup_history::delete_database(call.host, given)
    }),
    native("xp_cmdshell", &["@command_string", "@no_output"], 0, |call, _| {
        error_log::expect_member(call.host, call.state, SYSADMIN, "xp_cmdshell")?;
        server::switched_off(call.host, "sys.xp_cmdshell", "xp_cmdshell")
    }),
    native("sp_OACreate", &["@progid", "@objecttoken", "@context"], 0, |call, _| {
        server::switched_off(call.host, "sys.sp_OACreate", "Ole Automation Procedures")
    }),
    native("sp_OADestroy", &["@objecttoken"], 0, |call, _| {
        server::switched_off(call.host, "sys.sp_OADestroy", "Ole Automation Procedures")
    }),
    native("sp_OAMethod", &["@objecttoken", "@methodname", "@returnvalue"], 0, |call, _| {
        server::switched_off(call.host, "sys.sp_OAMethod", "Ole Automation Procedures")
    }),
    native("sp_OAGetProperty", &["@objecttoken", "@propertyname", "@propertyvalue"], 0, |call, _| {
        server::switched_off(call.host, "sys.sp_OAGetProperty", "Ole Automation Procedures")
    }),
    native("sp_OASetProperty", &["@objecttoken", "@propertyname", "@newvalue"], 0, |call, _| {
        server::switched_off(call.host, "sys.sp_OASetProperty", "Ole Automation Procedures")
    }),
    native("sp_OAGetErrorInfo", &["@objecttoken", "@source", "@description"], 0, |call, _| {
        server::switched_off(call.host, "sys.sp_OAGetErrorInfo", "Ole Automation Procedures")
    }),
    native("sp_OAStop", &[], 0, |call, _| {
        server::switched_off(call.host, "sys.sp_OAStop", "Ole Automation Procedures")
    }),
    native("xp_msver", &["@optname"], 0, |call, given| server::version(call.host, call.sink, given)),
    native(
        "xp_sqlagent_notify",
        &["@op_type", "@job_id", "@schedule_id", "@alert_id", "@action_type"],
        0,
        |call, _| server::notify_agent(call.host),
    ),
    native("xp_sprintf", &format::NAMES, 2, |_, given| format::print(given)),
    native("xp_sscanf", &format::NAMES, 2, |_, given| format::scan(given)),
    native("xp_qv", &["@number", "@instance"], 0, |_, _| Ok(0)),
    native("xp_instance_regread", &["@rootkey", "@key", "@value_name", "@value", "@no_output"], 3, |call, given| {
        server::registry_read(call.sink, given)
    }),
    native("xp_regread", &["@rootkey", "@key", "@value_name", "@value", "@no_output"], 3, |call, given| {
        server::registry_read(call.sink, given)
    }),
    native(
        "sp_query_store_force_plan",
        &["@query_id", "@plan_id", "@disable_optimized_plan_forcing", "@force_plan_scope"],
        0,
        |call, given| query_store::plan_of_query(call.host, given),
    ),
    native("sp_query_store_unforce_plan", &["@query_id", "@plan_id", "@force_plan_scope"], 0, |call, given| {
        query_store::plan_of_query(call.host, given)
    }),
    native("sp_query_store_remove_query", &["@query_id"], 0, |call, given| query_store::remove_query(call.host, given)),
    native("sp_query_store_remove_plan", &["@plan_id"], 0, |call, given| query_store::remove_plan(call.host, given)),
    native("sp_query_store_reset_exec_stats", &["@plan_id"], 0, |call, given| {
        query_store::reset_statistics(call.host, given)
    }),
    native(
        "sp_query_store_set_hints",
        &["@query_id", "@query_hints", "@query_hint_scope", "@replica_group_id"],
        0,
        |call, given| query_store::set_hints(call.host, given),
    ),
    native("sp_query_store_clear_hints", &["@query_id", "@replica_group_id"], 0, |call, given| {
        query_store::clear_hints(call.host, given)
    }),
    // What nothing waits for is written, checked and emptied.
    native("sp_query_store_flush_db", &[], 0, |_, _| Ok(0)),
    native("sp_query_store_consistency_check", &["@database_id"], 0, |_, _| Ok(0)),
    native("sp_query_store_clear_message_queues", &[], 0, |_, _| Ok(0)),
    native("sp_describe_first_result_set", &["@tsql", "@params", "@browse_information_mode"], 1, |call, given| {
        described::first_result_set(call.host, call.state, call.sink, given)
    }),
    native("sp_describe_undeclared_parameters", &["@tsql", "@params"], 1, |call, given| {
        undeclared::undeclared_parameters(call.host, call.state, call.sink, given)
    }),
    native("sp_describe_parameter_encryption", &["@tsql", "@params"], 1, |call, given| {
        describe::parameter_encryption(call.host, call.state, call.sink, given)
    }),
];

/// Permissions of the server that procedures ask for before they run: the "Permissions" section of each one's page.
pub const PERMISSIONS: &[(&str, &str)] = &[
    ("sp_setconfigvalue", "ALTER SETTINGS"),
    ("sp_addmessage", "ALTER SETTINGS"),
    ("sp_altermessage", "ALTER SETTINGS"),
    ("sp_dropmessage", "ALTER SETTINGS"),
    ("sp_addexeclass", "ALTER SETTINGS"),
    ("sp_dropexeclass", "ALTER SETTINGS"),
    ("sp_bindexeclass", "ALTER SETTINGS"),
    ("sp_unbindexeclass", "ALTER SETTINGS"),
    ("xp_dirtree", "CONTROL SERVER"),
    ("xp_fileexist", "CONTROL SERVER"),
    ("xp_create_subdir", "CONTROL SERVER"),
    ("xp_delete_file", "CONTROL SERVER"),
    ("sp_delete_backuphistory", "CONTROL SERVER"),
    ("sp_delete_database_backuphistory", "CONTROL SERVER"),
    ("sp_procoption", "CONTROL SERVER"),
    ("xp_logevent", "CONTROL SERVER"),
    ("sp_xtp_control_proc_exec_stats", "CONTROL SERVER"),
    ("sp_xtp_control_query_exec_stats", "CONTROL SERVER"),
    ("sp_xtp_bind_db_resource_pool", "CONTROL SERVER"),
    ("sp_xtp_unbind_db_resource_pool", "CONTROL SERVER"),
    ("sp_xtp_force_gc", "CONTROL SERVER"),
    ("sp_xtp_checkpoint_force_garbage_collection", "CONTROL SERVER"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::registry;

    #[test]
    fn the_catalog_knows_each_by_its_name() {
        for native in PROCEDURES {
            assert_eq!(registry::native_procedure(Some("sys"), native.name), Some(native.name));
        }
    }
}
