//! CREATE, ALTER and DROP WORKLOAD GROUP, and the function that says which group a session is in.
//!
//! All groups are in the default pool: what a pool of its own would be for, shares of the CPU, is not there.

use std::sync::atomic::Ordering;

use sql::ast::{ObjectName, Setting, SettingValue};
use types::{SqlResult, sql_error};

use super::number::whole_number;
use super::site::Ddl;
use crate::catalog::governor::{Changing, DEFAULT_POOL};
use crate::catalog::workload::{GROUP_SETTINGS, GROUPS_MAX, INTERNAL_GROUP, WorkloadGroup};
use crate::catalog::{Database, MASTER};

const KIND: &str = "workload group";

pub fn create(changing: &Changing<'_>, name: &str, settings: &[Setting], pool: Option<&str>) -> SqlResult<()> {
    if name.starts_with('#') {
        return Err(sql_error!(10914, KIND, name));
    }
    if changing.group(name)?.is_some() {
        return Err(sql_error!(10918, KIND, name));
    }
    check_pool(changing, pool)?;
    let id = changing.next_group()?;
    // Each group is some KB of memory that all engines share.
    let id = id.ok_or_else(|| sql_error!(40510, format!("more than {GROUPS_MAX} workload groups")))?;
    let mut group = WorkloadGroup::new(id, name);
    apply(&mut group, settings)?;
    changing.keep_group(&group)
}

pub fn alter(changing: &Changing<'_>, name: &str, settings: &[Setting], pool: Option<&str>) -> SqlResult<()> {
    let mut group = changing.group(name)?.ok_or_else(|| sql_error!(15151, "alter", KIND, name))?;
    if group.id == INTERNAL_GROUP {
        return Err(sql_error!(10915, group.name, KIND));
    }
    if settings.is_empty() && pool.is_none() {
        return Err(sql_error!(10917));
    }
    check_pool(changing, pool)?;
    apply(&mut group, settings)?;
    changing.keep_group(&group)
}

pub fn drop_group(changing: &Changing<'_>, name: &str) -> SqlResult<()> {
    let group = changing.group(name)?.ok_or_else(|| sql_error!(15151, "drop", KIND, name))?;
    if group.is_predefined() {
        return Err(sql_error!(10912, KIND));
    }
    changing.forget_group(&group)
}

fn check_pool(changing: &Changing<'_>, pool: Option<&str>) -> SqlResult<()> {
    let Some(name) = pool else { return Ok(()) };
    let found = changing.pool(name)?.ok_or_else(|| sql_error!(10911, name))?;
    let is_default = found.id == DEFAULT_POOL;
    if is_default { Ok(()) } else { Err(sql_error!(40510, format!("WORKLOAD GROUP USING [{}]", found.name))) }
}

fn apply(group: &mut WorkloadGroup, settings: &[Setting]) -> SqlResult<()> {
    let mut given = [false; GROUP_SETTINGS.len()];
    for said in settings {
        let wrong = |near: &str| sql_error!(102, near);
        let unsupported = || sql_error!(40510, format!("WORKLOAD GROUP WITH ({})", said.name));
        match (&*said.name, &said.value) {
            // Whose turn it is does not depend on the group.
            ("IMPORTANCE", SettingValue::Word(word)) => match word.to_ascii_uppercase().as_str() {
                "MEDIUM" => continue,
                "LOW" | "HIGH" => return Err(unsupported()),
                _ => return Err(wrong(word)),
            },
            ("GROUP_MAX_TEMPDB_DATA_MB" | "GROUP_MAX_TEMPDB_DATA_PERCENT", _) => return Err(unsupported()),
            _ => {}
        }
        let at = GROUP_SETTINGS.iter().position(|known| known.column.eq_ignore_ascii_case(&said.name));
        let at = at.filter(|at| !given[*at]).ok_or_else(|| wrong(&said.name))?;
        let value = match &said.value {
            SettingValue::Value(expr) => whole_number(expr).ok_or_else(|| wrong(&said.name))?,
            _ => return Err(wrong(&said.name)),
        };
        let (least, greatest) = GROUP_SETTINGS[at].range;
        let fits = i32::try_from(value).ok().filter(|value| (least..=greatest).contains(value));
        group.settings[at] = fits.ok_or_else(|| wrong(&value.to_string()))?;
        given[at] = true;
    }
    Ok(())
}

/// 10904: a session is in a group that would be gone.
pub fn check_sessions(ddl: &Ddl<'_>, changing: &Changing<'_>) -> SqlResult<()> {
    let kept = changing.groups()?;
    let is_in_none = |group: i32| kept.iter().all(|kept| kept.id != group);
    let sessions = ddl.site.server().sessions.all();
    if sessions.iter().any(|session| is_in_none(session.group.load(Ordering::Relaxed))) {
        return Err(sql_error!(10904));
    }
    Ok(())
}

/// The number and the quoted name of a function in master that classifies. 10902: there is none; 10906: it is not of the form.
pub fn classifier(ddl: &mut Ddl<'_>, function: &ObjectName) -> SqlResult<(i32, String)> {
    let schema = function.schema.as_deref().unwrap_or("dbo");
    let quoted = |name: &str| name.replace('\'', "''");
    let query = format!(
        "SELECT o.object_id, CONVERT(int, CASE WHEN o.type = 'FN' AND m.is_schema_bound = 1 \
            AND (SELECT COUNT(*) FROM master.sys.parameters p WHERE p.object_id = o.object_id) = 1 \
            AND EXISTS (SELECT * FROM master.sys.parameters p \
                WHERE p.object_id = o.object_id AND p.parameter_id = 0 AND p.user_type_id = 256) THEN 1 ELSE 0 END) \
         FROM master.sys.objects o JOIN master.sys.schemas s ON s.schema_id = o.schema_id \
            LEFT JOIN master.sys.sql_modules m ON m.object_id = o.object_id \
         WHERE o.name = N'{}' AND s.name = N'{}'",
        quoted(&function.name.text),
        quoted(schema)
    );
    let mut found = None;
    ddl.site.query(&query, &mut |_, batch| {
        if batch.rows > 0 {
            found = Some((batch.columns[0].datum(0).as_i64() as i32, batch.columns[1].datum(0).as_i64()));
        }
        Ok(())
    })?;
    let bracketed = |name: &str| format!("[{}]", name.replace(']', "]]"));
    match found {
        None => Err(sql_error!(10902, format!("{schema}.{}", function.name.text))),
        Some((id, 1)) => Ok((id, format!("{}.{}", bracketed(schema), bracketed(&function.name.text)))),
        Some(_) => Err(sql_error!(10906, schema, function.name.text)),
    }
}

/// 10920: what classifies, or will from the next RECONFIGURE on, stays as it is.
pub fn refuse_classifier(ddl: &Ddl<'_>, db: &Database, id: i32, verb: &str, name: &str) -> SqlResult<()> {
    if db.id != MASTER {
        return Ok(());
    }
    let asked_for = ddl.catalog.asked_classifier()?.map_or(0, |(id, _)| id);
    let classifies = id == asked_for || id == ddl.catalog.workload_groups().classifier();
    if classifies { Err(sql_error!(10920, verb, name)) } else { Ok(()) }
}
