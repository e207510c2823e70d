//! CREATE, ALTER and DROP RESOURCE POOL, ALTER RESOURCE GOVERNOR.

use sql::ast::{ResourceGovernor, Setting, SettingValue};
use storage::POOLS_MAX;
use types::{SqlError, SqlResult};

use super::number::whole_number;
use super::site::Ddl;
use crate::catalog::governor::{Changing, INTERNAL_POOL, ResourcePool, SETTINGS, setting};

pub fn run(ddl: &mut Ddl<'_>, statement: &ResourceGovernor) -> SqlResult<()> {
    let said = match statement {
        ResourceGovernor::CreatePool(..) => "CREATE RESOURCE POOL",
        ResourceGovernor::AlterPool(..) => "ALTER RESOURCE POOL",
        ResourceGovernor::DropPool(_) => "DROP RESOURCE POOL",
        ResourceGovernor::Reconfigure | ResourceGovernor::Disable => "ALTER RESOURCE GOVERNOR",
    };
    ddl.refuse_in_transaction(said)?;
    let catalog = ddl.catalog.clone();
    let mut changing = catalog.change_governor();
    match statement {
        ResourceGovernor::CreatePool(name, settings) => create(&changing, name, settings),
        ResourceGovernor::AlterPool(name, settings) => alter(&changing, name, settings),
        ResourceGovernor::DropPool(name) => drop_pool(ddl, &changing, name),
        ResourceGovernor::Reconfigure => changing.reconfigure(true),
        ResourceGovernor::Disable => changing.reconfigure(false),
    }
}

fn create(changing: &Changing<'_>, name: &str, settings: &[Setting]) -> SqlResult<()> {
    if name.starts_with('#') {
        let text = format!("The name of the resource pool '{name}' cannot begin with # of ##.");
        return Err(SqlError::new(10915, 16, text));
    }
    if changing.pool(name)?.is_some() {
        let text = format!("Cannot create resource pool '{name}' because it already exists.");
        return Err(SqlError::new(10919, 16, text));
    }
    let id = changing.next_pool()?.ok_or_else(|| {
        let text = format!(
            "The resource pool cannot be created. The maximum number of resource pools cannot exceed current limit of {POOLS_MAX} including predefined resource pools."
        );
        SqlError::new(10910, 16, text)
    })?;
    let mut pool = ResourcePool { id, name: name.into(), settings: SETTINGS.map(|setting| setting.default) };
    apply(changing, &mut pool, settings)?;
    changing.keep(&pool)
}

fn alter(changing: &Changing<'_>, name: &str, settings: &[Setting]) -> SqlResult<()> {
    let mut pool = changing.pool(name)?.ok_or_else(|| missing(name))?;
    if pool.id == INTERNAL_POOL {
        let text =
            format!("The operation could not be completed. Altering '{}' resource pool is not allowed.", pool.name);
        return Err(SqlError::new(10916, 16, text));
    }
    apply(changing, &mut pool, settings)?;
    changing.keep(&pool)
}

fn drop_pool(ddl: &Ddl<'_>, changing: &Changing<'_>, name: &str) -> SqlResult<()> {
    let pool = changing.pool(name)?.ok_or_else(|| missing(name))?;
    if pool.is_predefined() {
        let text = "The operation could not be completed. Dropping predefined resource pool is not allowed.";
        return Err(SqlError::new(10913, 16, text));
    }
    let bound = changing.bound(&pool)?;
    let in_use = ddl.catalog.databases().into_iter().find(|db| bound.contains(&i32::from(db.id.0)));
    if let Some(db) = in_use {
        let text = format!(
            "Cannot drop resource pool '{}' because it is being referenced by object '{}'.",
            pool.name,
            db.name()
        );
        return Err(SqlError::new(3729, 16, text));
    }
    changing.forget(&pool)
}

fn missing(name: &str) -> SqlError {
    let text = format!("Requested operation cannot be performed because the resource pool '{name}' does not exist.");
    SqlError::new(10912, 16, text)
}

/// Writes the settings into a pool, unless they contradict each other or those of the other pools.
fn apply(changing: &Changing<'_>, pool: &mut ResourcePool, settings: &[Setting]) -> SqlResult<()> {
    let mut given = [false; SETTINGS.len()];
    for said in settings.iter().filter(|said| &*said.name != "AFFINITY") {
        let wrong = |near: &str| SqlError::new(102, 15, format!("Incorrect syntax near '{near}'."));
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
        let (number, first, word, second) =
            if given[min] { (10908, min, "greater", max) } else { (10909, max, "less", min) };
        let text = format!(
            "Attribute '{}' with value of {} is {word} than attribute '{}' with value of {}.",
            SETTINGS[first].column, pool.settings[first], SETTINGS[second].column, pool.settings[second]
        );
        return Err(SqlError::new(number, 16, text));
    }
    let others: Vec<ResourcePool> = changing.pools()?.into_iter().filter(|other| other.id != pool.id).collect();
    for min in [setting::MIN_CPU, setting::MIN_MEMORY] {
        let sum: i32 = others.iter().map(|other| other.settings[min]).sum();
        if sum + pool.settings[min] > 100 {
            let text = format!(
                "The operation could not be completed. The specified '{}' value, {}, causes the sum of minimums on all resource pools to exceed 100 percent. Reduce the value or modify other resource pools so that the sum is less than 100.",
                SETTINGS[min].column, pool.settings[min]
            );
            return Err(SqlError::new(10911, 16, text));
        }
    }
    Ok(())
}
