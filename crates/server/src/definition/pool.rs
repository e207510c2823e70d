//! CREATE, ALTER and DROP THREAD POOL, as Sybase ASE has them.

use sql::ast::{Expr, Literal, Setting, SettingValue, ThreadPool, ThreadPoolAction, find_setting};
use types::{SqlError, SqlResult, sql_error};

use super::number::whole_number;
use super::site::Ddl;
use crate::instance::pools::{self, BLOCKING_POOL, DEFAULT_POOL, NamedPool, SYSTEM_POOL, Setup};

pub fn thread_pool(ddl: &mut Ddl<'_>, statement: &ThreadPool) -> SqlResult<()> {
    if ddl.site.in_user_transaction() {
        return Err(sql_error!(574, "THREAD POOL"));
    }
    let pools = &ddl.site.server().pools;
    let name = statement.name.to_string();
    match &statement.action {
        ThreadPoolAction::Create(settings) => {
            let pool = NamedPool {
                threads: threads(settings)?.ok_or_else(|| wrong("THREAD COUNT"))?,
                idle_timeout: Some(idle_timeout(settings)?.unwrap_or(pools::IDLE_TIMEOUT_DEFAULT)),
                description: text(settings, "POOL DESCRIPTION")?.unwrap_or_default(),
                name: new_name(name)?,
            };
            pools.change(|setup| {
                if setup.pool(&pool.name).is_some() {
                    return Err(exists(&pool.name));
                }
                setup.pools.push(pool.clone());
                Ok(vec![pool])
            })
        }
        ThreadPoolAction::Alter(settings) => {
            let renamed = text(settings, "POOL NAME")?.map(new_name).transpose()?;
            if renamed.is_some() && is_system(&name) {
                return Err(reserved(&name));
            }
            pools.change(|setup| alter(setup, &name, settings, renamed.as_deref()))?;
            if let Some(new) = renamed {
                pools.renamed(&name, &new);
            }
            Ok(())
        }
        ThreadPoolAction::Drop => pools.change(|setup| drop_pool(setup, &name)),
    }
}

fn alter(setup: &mut Setup, name: &str, settings: &[Setting], renamed: Option<&str>) -> SqlResult<Vec<NamedPool>> {
    let threads = threads(settings)?;
    let idle_timeout = idle_timeout(settings)?;
    if name.eq_ignore_ascii_case(SYSTEM_POOL) || name.eq_ignore_ascii_case(BLOCKING_POOL) && idle_timeout.is_some() {
        return Err(reserved(name));
    }
    if renamed.is_some_and(|new| setup.pool(new).is_some()) {
        return Err(exists(renamed.unwrap_or_default()));
    }
    if is_system(name) && setup.pool(name).is_none() {
        let threads = match name.eq_ignore_ascii_case(DEFAULT_POOL) {
            true => os::sched::scheduler_count(),
            false => os::sched::preemptive_threads_max() as u32,
        };
        setup.pools.push(NamedPool { name: name.into(), threads, idle_timeout: None, description: String::new() });
    }
    let at = setup.pools.iter().position(|pool| pool.name.eq_ignore_ascii_case(name)).ok_or_else(|| missing(name))?;
    let pool = &mut setup.pools[at];
    pool.threads = threads.unwrap_or(pool.threads);
    pool.idle_timeout = idle_timeout.or(pool.idle_timeout);
    if let Some(description) = text(settings, "POOL DESCRIPTION")? {
        pool.description = description;
    }
    // Under its old name: the machine knows it by that until `renamed`.
    let made = pool.clone();
    if let Some(new) = renamed {
        pool.name = new.into();
        let classes = setup.classes.iter_mut().filter(|class| class.pool.eq_ignore_ascii_case(name));
        classes.for_each(|class| class.pool = new.into());
    }
    Ok(vec![made])
}

fn drop_pool(setup: &mut Setup, name: &str) -> SqlResult<Vec<NamedPool>> {
    if is_system(name) {
        return Err(reserved(name));
    }
    if let Some(class) = setup.classes.iter().find(|class| class.pool.eq_ignore_ascii_case(name)) {
        return Err(sql_error!(3729, "drop thread pool", name, class.name));
    }
    let at = setup.pools.iter().position(|pool| pool.name.eq_ignore_ascii_case(name)).ok_or_else(|| missing(name))?;
    let mut gone = setup.pools.remove(at);
    gone.threads = 0;
    Ok(vec![gone])
}

fn is_system(name: &str) -> bool {
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("syb_"))
}

fn new_name(name: String) -> SqlResult<String> {
    if is_system(&name) { Err(reserved(&name)) } else { Ok(name) }
}

fn threads(settings: &[Setting]) -> SqlResult<Option<u32>> {
    let count = number(settings, "THREAD COUNT")?;
    let fits = |count: i64| (1..=pools::THREADS_MAX).contains(&count).then_some(count as u32);
    count.map(|count| fits(count).ok_or_else(|| wrong("THREAD COUNT"))).transpose()
}

fn idle_timeout(settings: &[Setting]) -> SqlResult<Option<i64>> {
    let timeout = number(settings, "IDLE TIMEOUT")?;
    match timeout {
        Some(us) if !(-1..=i64::from(u32::MAX)).contains(&us) => Err(wrong("IDLE TIMEOUT")),
        timeout => Ok(timeout),
    }
}

fn number(settings: &[Setting], name: &str) -> SqlResult<Option<i64>> {
    let Some(setting) = find_setting(settings, name) else { return Ok(None) };
    let value = match &setting.value {
        SettingValue::Value(expr) => whole_number(expr).and_then(|value| i64::try_from(value).ok()),
        _ => None,
    };
    value.map(Some).ok_or_else(|| wrong(name))
}

fn text(settings: &[Setting], name: &str) -> SqlResult<Option<String>> {
    let Some(setting) = find_setting(settings, name) else { return Ok(None) };
    match &setting.value {
        SettingValue::Word(word) => Ok(Some(word.to_string())),
        SettingValue::Name(object) => Ok(Some(object.name.to_string())),
        SettingValue::Value(Expr::Literal(Literal::String { text, .. })) => Ok(Some(text.to_string())),
        _ => Err(wrong(name)),
    }
}

fn wrong(setting: &str) -> SqlError {
    sql_error!(153, setting, "THREAD POOL")
}

fn reserved(name: &str) -> SqlError {
    sql_error!(15150, "change", "thread pool", name)
}

fn missing(name: &str) -> SqlError {
    sql_error!(15151, "find", "thread pool", name)
}

fn exists(name: &str) -> SqlError {
    sql_error!(10918, "thread pool", name)
}
