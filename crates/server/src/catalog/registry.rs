//! The system objects by name. Their ids are negative and the same in every database of one version of the program.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use sql::catalog::{ColumnDef, DatabaseId, ModuleDef, ModuleKind, Object, ObjectId, VirtualTableDef};
use types::SqlType;

use super::database::Database;
use super::{ASE_MDA, ASE_MDA_NAME, MASTER, MSDB, spec};

pub struct Entry {
    pub id: i32,
    pub schema: &'static str,
    pub name: &'static str,
    pub source: Source,
    /// Not for users: only the system's own text names it, and no list of objects has it.
    pub internal: bool,
}

pub enum Source {
    Text {
        kind: ModuleKind,
        text: &'static str,
    },
    /// Its rows are computed.
    Rows {
        columns: Vec<ColumnDef>,
        parameters: Option<Vec<SqlType>>,
    },
    /// A procedure that is not T-SQL (`super::procedure`, or the session's own).
    Native,
}

impl Entry {
    /// `sys.objects.type`.
    pub fn type_code(&self) -> &'static str {
        match &self.source {
            Source::Text { kind: ModuleKind::View, .. } => "V",
            Source::Text { kind: ModuleKind::Procedure, .. } => "P",
            Source::Text { kind: ModuleKind::ScalarFunction, .. } => "FN",
            Source::Text { kind: ModuleKind::InlineFunction, .. } => "IF",
            Source::Text { kind: ModuleKind::TableFunction, .. } => "TF",
            Source::Text { kind: ModuleKind::Trigger, .. } => "TR",
            Source::Rows { parameters: None, .. } => "V",
            Source::Rows { parameters: Some(_), .. } => "IF",
            Source::Native => "X",
        }
    }

    pub fn type_description(&self) -> &'static str {
        match self.type_code() {
            "V" => "VIEW",
            "P" => "SQL_STORED_PROCEDURE",
            "FN" => "SQL_SCALAR_FUNCTION",
            "IF" => "SQL_INLINE_TABLE_VALUED_FUNCTION",
            "TF" => "SQL_TABLE_VALUED_FUNCTION",
            "TR" => "SQL_TRIGGER",
            _ => "EXTENDED_STORED_PROCEDURE",
        }
    }

    pub fn schema_id(&self) -> i32 {
        match self.schema {
            "sys" => 4,
            ASE_MDA_NAME | MSDB_NAME | MASTER_NAME => 1,
            _ => 3,
        }
    }

    /// As its database shows it.
    pub fn schema_shown(&self) -> &'static str {
        if home(self.schema).is_some() { "dbo" } else { self.schema }
    }

    /// By which every database finds it.
    pub fn full_name(&self) -> String {
        let database = match home(self.schema) {
            Some(ASE_MDA) => "ase_mda.",
            Some(MSDB) => "msdb.",
            Some(_) => "master.",
            None => "",
        };
        format!("{database}{}.{}", self.schema_shown(), self.name)
    }

    /// Whether it is an object of this database: most are of every one.
    pub fn is_in(&self, database: DatabaseId) -> bool {
        home(self.schema).is_none_or(|home| home == database)
    }
}

/// The schema under which the files here have what msdb has as dbo's.
const MSDB_NAME: &str = "msdb";
/// And what master has.
const MASTER_NAME: &str = "master_dbo";

/// The one database that has the objects of a schema as dbo's.
fn home(schema: &str) -> Option<DatabaseId> {
    match schema {
        ASE_MDA_NAME => Some(ASE_MDA),
        MSDB_NAME => Some(MSDB),
        MASTER_NAME => Some(MASTER),
        _ => None,
    }
}

/// Procedures of `super::procedure` and of the session: everything the server answers without T-SQL.
pub const NATIVE_PROCEDURES: &[&str] = &[
    // This crate's catalog side.
    "sp_addexeclass",
    "sp_addextendedproperty",
    "sp_bindexeclass",
    "sp_dropexeclass",
    "sp_helpthread",
    "sp_showexeclass",
    "sp_unbindexeclass",
    "sp_addmessage",
    "sp_updateextendedproperty",
    "sp_dropextendedproperty",
    "sp_dropmessage",
    "sp_cycle_errorlog",
    "sp_detach_db",
    "sp_flush_log",
    "sp_getapplock",
    "sp_setapprole",
    "sp_unsetapprole",
    "sp_releaseapplock",
    "sp_procoption",
    "sp_recompile",
    "sp_MS_marksystemobject",
    "sp_refreshsqlmodule",
    "sp_refreshview",
    "sp_rename",
    "sp_settriggerorder",
    "sp_bindefault",
    "sp_bindrule",
    "sp_unbindefault",
    "sp_unbindrule",
    "sp_sequence_get_range",
    "sp_cleanup_temporal_history",
    "sp_xml_preparedocument",
    "sp_xml_removedocument",
    "sp_setconfigvalue",
    "sp_xtp_bind_db_resource_pool",
    "sp_xtp_unbind_db_resource_pool",
    "sp_OACreate",
    "sp_OADestroy",
    "sp_OAGetErrorInfo",
    "sp_OAGetProperty",
    "sp_OAMethod",
    "sp_OASetProperty",
    "sp_OAStop",
    "sp_addumpdevice",
    "sp_dropdevice",
    "sp_delete_backuphistory",
    "sp_delete_database_backuphistory",
    "xp_cmdshell",
    "xp_create_subdir",
    "xp_delete_file",
    "xp_dirtree",
    "xp_enumerrorlogs",
    "xp_fileexist",
    "xp_instance_regread",
    "xp_regread",
    "xp_readerrorlog",
    "xp_sqlagent_notify",
    "xp_msver",
    "xp_qv",
    "xp_sprintf",
    "xp_sscanf",
    // The session's.
    "sp_cursor",
    "sp_cursorclose",
    "sp_cursorexecute",
    "sp_cursorfetch",
    "sp_cursoropen",
    "sp_cursoroption",
    "sp_cursorprepare",
    "sp_cursorprepexec",
    "sp_cursorunprepare",
    "sp_describe_first_result_set",
    "sp_describe_parameter_encryption",
    "sp_describe_undeclared_parameters",
    "sp_execute",
    "sp_executesql",
    "sp_prepare",
    "sp_prepexec",
    "sp_prepexecrpc",
    "sp_reset_connection",
    "sp_set_session_context",
    "sp_unprepare",
    "xp_logevent",
    "sp_xtp_checkpoint_force_garbage_collection",
    "sp_xtp_control_proc_exec_stats",
    "sp_xtp_control_query_exec_stats",
    "sp_xtp_flush_temporal_history",
    "sp_xtp_force_gc",
    "sp_altermessage",
    "sp_query_store_clear_hints",
    "sp_query_store_clear_message_queues",
    "sp_query_store_consistency_check",
    "sp_query_store_flush_db",
    "sp_query_store_force_plan",
    "sp_query_store_remove_plan",
    "sp_query_store_remove_query",
    "sp_query_store_reset_exec_stats",
    "sp_query_store_set_hints",
    "sp_query_store_unforce_plan",
];

struct Registry {
    entries: Vec<Entry>,
    by_name: HashMap<(String, String), usize>,
}

/// Tables without text, and whether only the system's own text names them.
const TABLES: &[(&str, bool)] = &[
    (include_str!("../system/tables.txt"), false),
    (include_str!("../system/absent.txt"), false),
    (include_str!("../system/internal/tables.txt"), true),
];

/// What views and procedures have in common.
const INTERNAL: &[&str] = &[
    include_str!("../system/internal/catalog.sql"),
    include_str!("../system/internal/odbc.sql"),
    include_str!("../system/internal/oledb.sql"),
    include_str!("../system/internal/agent.sql"),
];

const VIEWS: &[&str] = &[
    include_str!("../system/views/objects.sql"),
    include_str!("../system/views/columns.sql"),
    include_str!("../system/views/indexes.sql"),
    include_str!("../system/views/server.sql"),
    include_str!("../system/views/compatibility.sql"),
    include_str!("../system/views/information_schema.sql"),
    include_str!("../system/views/msdb.sql"),
    include_str!("../system/views/agent.sql"),
];

const PROCEDURES: &[&str] = &[
    include_str!("../system/procedures/odbc.sql"),
    include_str!("../system/procedures/oledb.sql"),
    include_str!("../system/procedures/managed.sql"),
    include_str!("../system/procedures/help.sql"),
    include_str!("../system/procedures/security.sql"),
    include_str!("../system/procedures/server.sql"),
    include_str!("../system/procedures/linked.sql"),
    include_str!("../system/procedures/absent.sql"),
    include_str!("../system/procedures/agent.sql"),
    include_str!("../system/procedures/jobs.sql"),
    include_str!("../system/procedures/job_help.sql"),
    include_str!("../system/procedures/schedules.sql"),
    include_str!("../system/procedures/tools.sql"),
];

/// Ids: -1 and down, tables first, in the order of the files.
fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let mut entries: Vec<Entry> = Vec::new();
        let mut add = |schema, name: &'static str, source, internal| {
            let id = -1 - entries.len() as i32;
            entries.push(Entry { id, schema, name, source, internal });
        };
        for (text, internal) in TABLES {
            for table in spec::tables(text) {
                let source = Source::Rows { columns: table.columns, parameters: table.parameters };
                add(table.schema, table.name, source, *internal);
            }
        }
        let of = |texts: &'static [&'static str]| texts.iter().flat_map(|text| spec::modules(text));
        let shown = of(VIEWS).chain(of(PROCEDURES)).map(|module| (module, false));
        for (module, internal) in of(INTERNAL).map(|module| (module, true)).chain(shown) {
            let kind = match module.kind {
                "VIEW" => ModuleKind::View,
                "PROCEDURE" => ModuleKind::Procedure,
                "FUNCTION" if module.text.contains("RETURNS TABLE") => ModuleKind::InlineFunction,
                "FUNCTION" => ModuleKind::ScalarFunction,
                other => panic!("system text of kind {other}"),
            };
            add(module.schema, module.name, Source::Text { kind, text: module.text }, internal);
        }
        for name in NATIVE_PROCEDURES {
            add("sys", name, Source::Native, false);
        }
        let by_name = entries.iter().enumerate();
        let by_name = by_name
            .map(|(i, entry)| ((entry.schema.to_ascii_lowercase(), entry.name.to_ascii_lowercase()), i))
            .collect();
        Registry { entries, by_name }
    })
}

pub fn entries() -> &'static [Entry] {
    &registry().entries
}

pub fn by_id(id: i32) -> Option<&'static Entry> {
    registry().entries.get(usize::try_from(-1 - i64::from(id)).ok()?)
}

fn lookup(schema: &str, name: &str) -> Option<&'static Entry> {
    let registry = registry();
    let index = registry.by_name.get(&(schema.to_ascii_lowercase(), name.to_ascii_lowercase()))?;
    Some(&registry.entries[*index])
}

/// System objects that one database has as dbo's.
pub fn find_in(database: DatabaseId, schema: Option<&str>, name: &str) -> Option<&'static Entry> {
    let kept_as = match database {
        ASE_MDA => ASE_MDA_NAME,
        MSDB => MSDB_NAME,
        MASTER => MASTER_NAME,
        _ => return None,
    };
    let reachable = schema.is_none_or(|schema| schema.eq_ignore_ascii_case("dbo"));
    reachable.then(|| lookup(kept_as, name)).flatten()
}

/// System objects that come before the user's of the same name: those of the system's schemas, and procedures and functions of
/// `sys` by their unqualified names.
pub fn find_first(schema: Option<&str>, name: &str) -> Option<&'static Entry> {
    match schema {
        Some(schema) if schema.eq_ignore_ascii_case("sys") || schema.eq_ignore_ascii_case("INFORMATION_SCHEMA") => {
            lookup(schema, name)
        }
        Some(schema) if !schema.eq_ignore_ascii_case("dbo") => None,
        _ => {
            let prefix = name.get(..3)?.to_ascii_lowercase();
            matches!(&*prefix, "sp_" | "xp_" | "fn_").then(|| lookup("sys", name)).flatten()
        }
    }
}

/// System objects that a user's object of the same name hides: SQL Server 2000's system tables, in any database as dbo's.
pub fn find(schema: Option<&str>, name: &str) -> Option<&'static Entry> {
    if let Some(entry) = find_first(schema, name) {
        return Some(entry);
    }
    let reachable = schema.is_none_or(|schema| schema.eq_ignore_ascii_case("dbo"));
    let entry = reachable.then(|| lookup("sys", name)).flatten()?;
    let old = entry.type_code() == "V" && entry.name.starts_with("sys") && !entry.internal;
    old.then_some(entry)
}

/// None: a native procedure, which is no object to bind.
pub fn object(db: &Database, entry: &'static Entry) -> Option<Object> {
    if let Some(object) = db.cached(entry.id) {
        return Some(object);
    }
    let object = match &entry.source {
        Source::Native => return None,
        Source::Text { kind, text } => Object::Module(Arc::new(ModuleDef {
            database: db.id,
            object: ObjectId(entry.id),
            schema: entry.schema_shown().into(),
            name: entry.name.into(),
            kind: *kind,
            text: (*text).into(),
            quoted_identifier: true,
            ansi_nulls: true,
            parent: None,
            native: false,
            execute_as: None,
            null_on_null: false,
            column_names: Box::default(),
            predicates: Vec::new(),
            rows: None,
        })),
        Source::Rows { columns, parameters } => {
            let type_of = |column: &ColumnDef| match &*column.name {
                "session_id" | "blocking_session_id" if column.ty == SqlType::SMALLINT => db.session_number(),
                _ if column.ty.is_string() => column.ty.with_collation(db.collation),
                _ => column.ty,
            };
            let of_database = |column: &ColumnDef| ColumnDef { ty: type_of(column), ..column.clone() };
            Object::Virtual(Arc::new(VirtualTableDef {
                database: db.id,
                object: ObjectId(entry.id),
                schema: entry.schema_shown().into(),
                name: entry.name.into(),
                columns: columns.iter().map(of_database).collect(),
                id: virtual_id(db.id.0, entry.id),
                parameters: parameters.clone().unwrap_or_default(),
            }))
        }
    };
    db.keep(db.version(), None, "", entry.id, &object);
    Some(object)
}

pub fn object_by_id(db: &Database, id: i32) -> Option<Object> {
    object(db, by_id(id)?)
}

/// `VirtualTableDef::id`: the database in whose context it was named, and the entry.
fn virtual_id(database: u16, entry: i32) -> u32 {
    u32::from(database) << 16 | (-1 - entry) as u32
}

/// (database, entry) of a `VirtualTableDef::id`.
pub fn of_virtual_id(id: u32) -> (sql::catalog::DatabaseId, &'static Entry) {
    let entry = by_id(-1 - (id & 0xffff) as i32).expect("an id that `object` gave out");
    (sql::catalog::DatabaseId((id >> 16) as u16), entry)
}

/// The native procedure a name means, in lower case.
pub fn native_procedure(schema: Option<&str>, name: &str) -> Option<&'static str> {
    let entry = find_first(schema, name)?;
    matches!(entry.source, Source::Native).then_some(entry.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_its_own_name_and_finds_itself() {
        assert_eq!(registry().by_name.len(), entries().len(), "two system objects of one name");
        for entry in entries() {
            assert_eq!(by_id(entry.id).map(|found| found.name), Some(entry.name));
            let own = find_in(ASE_MDA, Some("dbo"), entry.name).or(find_in(MSDB, Some("dbo"), entry.name));
            let own = own.or(find_in(MASTER, Some("dbo"), entry.name));
            let found = find_first(Some(entry.schema), entry.name).or(own).map(|found| found.id);
            assert_eq!(found, Some(entry.id), "{}.{}", entry.schema, entry.name);
        }
    }

    #[test]
    fn internal_modules_hide_no_object_of_a_user() {
        let modules = entries().iter().filter(|entry| entry.internal && matches!(entry.source, Source::Text { .. }));
        let names: Vec<_> = modules.map(|entry| entry.name).collect();
        assert!(names.contains(&"odbc_type"), "the filter finds them: {names:?}");
        for name in names {
            assert!(
                find(None, name).is_none() && find(Some("dbo"), name).is_none(),
                "{name} would be found before dbo's"
            );
        }
    }

    #[test]
    fn old_system_tables_are_found_without_schema_and_new_views_are_not() {
        assert!(find(None, "SysObjects").is_some());
        assert!(find(Some("dbo"), "sysobjects").is_some());
        assert!(find(None, "objects").is_none());
        assert!(find(None, "sp_GetAppLock").is_some());
        assert!(find(Some("app"), "sysobjects").is_none());
    }

    #[test]
    fn columns_of_dmvs_are_counted_as_documented() {
        let count = |name: &str| match &find_first(Some("sys"), name).expect(name).source {
            Source::Rows { columns, .. } => columns.len(),
            _ => panic!("{name} is computed"),
        };
        for (name, columns) in [
            ("dm_os_schedulers", 28),
            ("dm_os_workers", 37),
            ("dm_os_tasks", 13),
            ("dm_exec_requests", 61),
            ("dm_exec_sessions", 52),
            ("dm_exec_connections", 22),
            ("dm_exec_query_stats", 80),
            ("dm_tran_locks", 19),
        ] {
            assert_eq!(count(name), columns, "{name}");
        }
    }
}
