//! CREATE, ALTER and DROP RESOURCE POOL, ALTER RESOURCE GOVERNOR. Workload groups: `workload`.

use sql::ast::{ResourceGovernor, Setting, SettingValue};
use storage::POOLS_MAX;
use types::{SqlError, SqlResult, sql_error};

use super::number::whole_number;
use super::site::Ddl;
use super::workload;
use crate::catalog::governor::{Changing, INTERNAL_POOL, ResourcePool, SETTINGS, setting};

pub fn run(ddl: &mut Ddl<'_>, statement: &ResourceGovernor) -> SqlResult<()> {
    let said = match statement {
        ResourceGovernor::CreatePool(..) => "CREATE RESOURCE POOL",
        ResourceGovernor::AlterPool(..) => "ALTER RESOURCE POOL",
        ResourceGovernor::DropPool(_) => "DROP RESOURCE POOL",
        ResourceGovernor::CreateGroup(..) => "CREATE WORKLOAD GROUP",
        ResourceGovernor::AlterGroup(..) => "ALTER WORKLOAD GROUP",
        ResourceGovernor::DropGroup(_) => "DROP WORKLOAD GROUP",
        _ => "ALTER RESOURCE GOVERNOR",
    };
    ddl.refuse_in_transaction(said)?;
    // Asked before the lock is taken: it reads as a query does.
    let classifier = match statement {
        ResourceGovernor::Classifier(Some(function)) => Some(workload::classifier(ddl, function)?),
        _ => None,
    };
    let catalog = ddl.catalog.clone();
    let mut changing = catalog.change_governor();
    match statement {
        ResourceGovernor::CreateGroup(name, settings, pool) => {
            workload::create(&changing, name, settings, pool.as_deref())
        }
        ResourceGovernor::AlterGroup(name, settings, pool) => {
            workload::alter(&changing, name, settings, pool.as_deref())
        }
        ResourceGovernor::DropGroup(name) => workload::drop_group(&changing, name),
        ResourceGovernor::Classifier(_) => {
            changing.classify_by(classifier.as_ref().map(|(id, name)| (*id, name.as_str())))
        }
        ResourceGovernor::Setting(setting) => {
            Err(sql_error!(40510, format!("ALTER RESOURCE GOVERNOR WITH ({})", setting.name)))
        }
        ResourceGovernor::CreatePool(name, settings) => create(&changing, name, settings),
        ResourceGovernor::AlterPool(name, settings) => alter(&changing, name, settings),
        ResourceGovernor::DropPool(name) => drop_pool(ddl, &changing, name),
        ResourceGovernor::Reconfigure => {
            workload::check_sessions(ddl, &changing)?;
            changing.reconfigure(true)
        }
        ResourceGovernor::Disable => changing.reconfigure(false),
    }
}

fn create(changing: &Changing<'_>, name: &str, settings: &[Setting]) -> SqlResult<()> {
    if name.starts_with('#') {
        return Err(sql_error!(10914, "resource pool", name));
    }
    if changing.pool(name)?.is_some() {
        return Err(sql_error!(10918, "resource pool", name));
    }
    let id = changing.next_pool()?.ok_or_else(|| sql_error!(10909, POOLS_MAX))?;
    let mut pool = ResourcePool { id, name: name.into(), settings: SETTINGS.map(|setting| setting.default) };
    apply(changing, &mut pool, settings)?;
    changing.keep(&pool)
}

fn alter(changing: &Changing<'_>, name: &str, settings: &[Setting]) -> SqlResult<()> {
    let mut pool = changing.pool(name)?.ok_or_else(|| missing(name))?;
    if pool.id == INTERNAL_POOL {
        return Err(sql_error!(10915, pool.name, "resource pool"));
    }
    apply(changing, &mut pool, settings)?;
    changing.keep(&pool)
}

fn drop_pool(ddl: &Ddl<'_>, changing: &Changing<'_>, name: &str) -> SqlResult<()> {
    let pool = changing.pool(name)?.ok_or_else(|| missing(name))?;
    if pool.is_predefined() {
        return Err(sql_error!(10912, "resource pool"));
    }
    let bound = changing.bound(&pool)?;
    if ddl.catalog.databases().iter().any(|db| bound.contains(&i32::from(db.id.0))) {
        return Err(sql_error!(10931, pool.name));
    }
    changing.forget(&pool)
}

fn missing(name: &str) -> SqlError {
    sql_error!(10911, name)
}

/// Writes the settings into a pool, unless they contradict each other or those of the other pools.
fn apply(changing: &Changing<'_>, pool: &mut ResourcePool, settings: &[Setting]) -> SqlResult<()> {
    let mut given = [false; SETTINGS.len()];
    for said in settings.iter().filter(|said| &*said.name != "AFFINITY") {
        let wrong = |near: &str| sql_error!(102, near);
        let at = SETTINGS.iter().position(|known| known.column.eq_ignore_ascii_case(&said.name));
        let at = at.filter(|at| !given[*at]).ok_or_else(|| wrong(&said.name))?;
        let value = match &said.value {
            SettingValue::Value(expr) => whole_number(expr).ok_or_else(|| wrong(&said.name))?,
            _ => return Err(wrong(&said.name)),
        };
        let (least, greatest) = SETTINGS[at].range;
        let fits = i32::try_from(value).ok().filter(|value| (least..=greatest).contains(value));
        pool.settings[at] = fits.ok_or_else(|| wrong(&value.to_string()))?;
        given[at] = true;
    }
    let pairs = [
        (setting::MIN_CPU, setting::MAX_CPU),
        (setting::MIN_MEMORY, setting::MAX_MEMORY),
        (setting::MIN_IOPS, setting::MAX_IOPS),
    ];
    for (min, max) in pairs {
        // No limit of operations is written as 0.
        let unlimited = max == setting::MAX_IOPS && pool.settings[max] == 0;
        if unlimited || pool.settings[min] <= pool.settings[max] {
            continue;
        }
        let (column, value) = (|at: usize| SETTINGS[at].column, |at: usize| pool.settings[at]);
        return Err(if given[min] {
            sql_error!(10907, column(min), value(min), column(max), value(max))
        } else {
            sql_error!(10908, column(max), value(max), column(min), value(min))
        });
    }
    let others: Vec<ResourcePool> = changing.pools()?.into_iter().filter(|other| other.id != pool.id).collect();
    for min in [setting::MIN_CPU, setting::MIN_MEMORY] {
        let sum: i32 = others.iter().map(|other| other.settings[min]).sum();
        if sum + pool.settings[min] > 100 {
            return Err(sql_error!(10910, SETTINGS[min].column, pool.settings[min]));
        }
    }
    // Memory is divided among pools; CPU time and I/O are not.
    for at in [setting::MIN_CPU, setting::MAX_CPU, setting::CAP_CPU, setting::MIN_IOPS, setting::MAX_IOPS] {
        if given[at] && pool.settings[at] != SETTINGS[at].default {
            return Err(sql_error!(
                40510,
                format!("RESOURCE POOL WITH ({})", SETTINGS[at].column.to_ascii_uppercase())
            ));
        }
    }
    Ok(())
}
