//! Sybase ASE's procedures about thread pools and execution classes.

use exec::session::stopped;
use exec::sink::Sink;
use types::{SqlError, SqlResult, sql_error};

use super::parameters::Parameters;
use super::result::{ResultSet, number, optional_text, text};
use crate::instance::pools::{
    BLOCKING_POOL, Binding, DEFAULT_POOL, ExecutionClass, NamedPool, SYSTEM_POOL, Setup, predefined,
};
use crate::session::host::SessionHost;
use crate::system::principal;

/// sp_helpthread [@pool].
pub fn help(host: &SessionHost, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    let setup = host.server.pools.setup();
    let system = |name: &str, threads: u32, description: &str| NamedPool {
        name: name.into(),
        threads,
        idle_timeout: setup.pool(name).and_then(|pool| pool.idle_timeout),
        description: match setup.pool(name) {
            Some(pool) if !pool.description.is_empty() => pool.description.clone(),
            _ => description.into(),
        },
    };
    let blocking = os::sched::preemptive_threads_max() as u32;
    let mut pools = vec![
        system(BLOCKING_POOL, blocking, "A pool dedicated to executing blocking calls"),
        system(DEFAULT_POOL, os::sched::scheduler_count(), "The default pool to run query sessions"),
        system(SYSTEM_POOL, 0, "The schedulers of the default pool do network and disk I/O themselves"),
    ];
    let named = setup
        .pools
        .iter()
        .filter(|pool| ![BLOCKING_POOL, DEFAULT_POOL].contains(&pool.name.to_ascii_lowercase().as_str()));
    pools.extend(named.cloned());
    if let Some(wanted) = given.text(0) {
        pools.retain(|pool| pool.name.eq_ignore_ascii_case(&wanted));
        if pools.is_empty() {
            return Err(no_such("thread pool", &wanted));
        }
    }
    let mut result =
        ResultSet::new("Name sysname; Type nvarchar(20); Size int; IdleTimeout int; Description nvarchar(255)");
    for pool in pools {
        let runs_to_completion = [BLOCKING_POOL, SYSTEM_POOL].contains(&pool.name.as_str());
        let idle = pool.idle_timeout.map_or(types::Datum::Null, number);
        let kind = text(if runs_to_completion { "RTC" } else { "Multiplexed" });
        result.push(&[text(&pool.name), kind, number(pool.threads), idle, optional_text(Some(&pool.description))]);
    }
    result.send(sink)?;
    Ok(0)
}

/// sp_addexeclass @classname, @base_priority, @time_slice, @engine_group.
pub fn add_class(host: &SessionHost, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    let class = ExecutionClass {
        name: given.text(0).ok_or_else(|| given.missing(0))?,
        priority: given.text(1).ok_or_else(|| given.missing(1))?.to_ascii_uppercase(),
        time_slice: given.number(2)?.unwrap_or(0),
        pool: given.text(3).unwrap_or_else(|| DEFAULT_POOL.into()),
    };
    if !["HIGH", "MEDIUM", "LOW"].contains(&class.priority.as_str()) {
        return Err(sql_error!(15129, class.priority, "base_priority"));
    }
    host.server.pools.change(|setup| {
        let known = class.pool.eq_ignore_ascii_case(DEFAULT_POOL) || setup.pool(&class.pool).is_some();
        if !known || class.pool.eq_ignore_ascii_case(BLOCKING_POOL) {
            return Err(no_such("thread pool", &class.pool));
        }
        if predefined().iter().any(|known| known.name.eq_ignore_ascii_case(&class.name)) {
            return Err(sql_error!(15150, "change", "execution class", class.name));
        }
        setup.classes.retain(|known| !known.name.eq_ignore_ascii_case(&class.name));
        setup.classes.push(class);
        Ok(Vec::new())
    })?;
    sink.message(&sql_error!(1066, 1, "base_priority, time_slice")).map_err(stopped)?;
    Ok(0)
}

/// sp_dropexeclass @classname.
pub fn drop_class(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    let name = given.text(0).ok_or_else(|| given.missing(0))?;
    host.server.pools.change(|setup| {
        if let Some(binding) = setup.bindings.iter().find(|binding| binding.class.eq_ignore_ascii_case(&name)) {
            return Err(sql_error!(3729, "drop execution class", name, binding.login));
        }
        let before = setup.classes.len();
        setup.classes.retain(|class| !class.name.eq_ignore_ascii_case(&name));
        if setup.classes.len() == before { Err(no_such("execution class", &name)) } else { Ok(Vec::new()) }
    })?;
    Ok(0)
}

/// sp_bindexeclass @object_name, @object_type, @scope, @classname: logins only.
pub fn bind(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    let login = login_of(host, given)?;
    let class = given.text(3).ok_or_else(|| given.missing(3))?;
    host.server.pools.change(|setup| {
        if setup.class(&class).is_none() {
            return Err(no_such("execution class", &class));
        }
        unbind_login(setup, &login);
        setup.bindings.push(Binding { login, class });
        Ok(Vec::new())
    })?;
    Ok(0)
}

/// sp_unbindexeclass @object_name, @object_type, @scope.
pub fn unbind(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    let login = login_of(host, given)?;
    host.server.pools.change(|setup| {
        unbind_login(setup, &login);
        Ok(Vec::new())
    })?;
    Ok(0)
}

fn unbind_login(setup: &mut Setup, login: &str) {
    setup.bindings.retain(|binding| !binding.login.eq_ignore_ascii_case(login));
}

fn login_of(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<String> {
    let login = given.text(0).ok_or_else(|| given.missing(0))?;
    let kind = given.text(1).ok_or_else(|| given.missing(1))?;
    if !kind.eq_ignore_ascii_case("LG") {
        // Execution classes are bound to logins only.
        return Err(sql_error!(40517, kind));
    }
    if !principal::is_login(&host.server.catalog, &login)? {
        return Err(sql_error!(15007, login));
    }
    Ok(login)
}

/// sp_showexeclass [@classname].
pub fn show_classes(host: &SessionHost, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    let setup = host.server.pools.setup();
    let mut classes = predefined();
    classes.extend(setup.classes);
    if let Some(wanted) = given.text(0) {
        classes.retain(|class| class.name.eq_ignore_ascii_case(&wanted));
    }
    let mut result = ResultSet::new("classname sysname; priority nvarchar(10); time_slice int; threadpool sysname");
    for class in classes {
        let priority = text(&class.priority);
        result.push(&[text(&class.name), priority, number(class.time_slice), text(&class.pool)]);
    }
    result.send(sink)?;
    Ok(0)
}

fn no_such(what: &str, name: &str) -> SqlError {
    sql_error!(15151, "find", what, name)
}
