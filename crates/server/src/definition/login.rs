//! Logins: CREATE, ALTER, DROP LOGIN, and DROP SERVER ROLE, whose rows lie with theirs.

use exec::sink::Stop;
use os::wait::WaitType;
use sql::ast::{
    AlterLogin, AlterLoginAction, CreateLogin, Expr, Literal, LoginSource, Password, Setting, SettingValue,
    find_setting,
};
use types::datetime::LanguageId;
use types::{SqlResult, sql_error};

use super::server::other_sessions;
use super::site::{Ddl, cannot_find};
use crate::catalog::base::login_status::{CHECK_EXPIRATION, CHECK_POLICY, DISABLED};
use crate::catalog::base::{DatabaseRow, LoginRow, PrivilegeRow, ReferenceRow, class};
use crate::catalog::boot::granted;
use crate::catalog::load::{int, name as name_datum, small};
use crate::catalog::login_policy::LoginPolicy;
use crate::catalog::row::{Binary, Code};
use crate::catalog::{MASTER, clock};
use crate::security::password;
use crate::security::policy::Rules;
use crate::settings::strength::{self, Weak};

/// Logins and server roles made by users.
pub const LOGIN_MIN: i32 = 257;

pub fn word(settings: &[Setting], name: &str) -> Option<String> {
    match &find_setting(settings, name)?.value {
        SettingValue::Word(word) => Some(word.to_string()),
        SettingValue::Name(name) => Some(name.name.to_string()),
        SettingValue::Value(Expr::Literal(Literal::String { text, .. })) => Some(text.to_string()),
        _ => None,
    }
}

pub fn bytes(settings: &[Setting], name: &str) -> Option<Box<[u8]>> {
    match &find_setting(settings, name)?.value {
        SettingValue::Value(Expr::Literal(Literal::Binary(bytes))) => Some(bytes.clone()),
        _ => None,
    }
}

/// What is stored for a password. `login`: whose it is; `rules`: those of the policy, if it is asked.
fn hash(given: &Password, login: &str, rules: Option<&Rules>) -> SqlResult<Box<[u8]>> {
    if let (Expr::Literal(Literal::Binary(bytes)), true) = (&given.value, given.hashed) {
        return if password::is_hash(bytes) { Ok(bytes.clone()) } else { Err(sql_error!(15021, "PASSWORD")) };
    }
    let text = text_of(&given.value).filter(|_| !given.hashed).ok_or_else(|| sql_error!(15021, "PASSWORD"))?;
    check_strength(text, login, rules)?;
    new_hash(text)
}

fn check_strength(text: &str, login: &str, rules: Option<&Rules>) -> SqlResult<()> {
    strength::check_length(text)?;
    match rules {
        Some(rules) => strength::check(text, login, &os::env::host_name(), rules.length_min).map_err(Weak::error),
        None => Ok(()),
    }
}

/// Of a password of something else than a login, which the policy is asked of always.
pub fn check_password(ddl: &Ddl<'_>, password: &str) -> SqlResult<()> {
    check_strength(password, "", Some(&Rules::of(&ddl.catalog.configuration)))
}

/// Of an application role's password, which the policy is asked of always.
pub fn password_hash(ddl: &Ddl<'_>, name: &str, password: &str) -> SqlResult<Box<[u8]>> {
    check_strength(password, name, Some(&Rules::of(&ddl.catalog.configuration)))?;
    new_hash(password)
}

fn new_hash(text: &str) -> SqlResult<Box<[u8]>> {
    let mut salt = [0; 16];
    os::random::fill(&mut salt);
    compute(|| password::hash(text, salt)).map(Vec::into_boxed_slice)
}

fn text_of(value: &Expr) -> Option<&str> {
    if let Expr::Literal(Literal::String { text, .. }) = value { Some(text) } else { None }
}

/// Off the scheduler; an attention ends the wait for it.
pub fn compute<R: Send>(call: impl FnOnce() -> R + Send) -> SqlResult<R> {
    let computed = os::sched::compute(WaitType::PREEMPTIVE_OS_CRYPTOPS, call);
    computed.ok_or_else(|| exec::session::stopped(Stop::Attention))
}

fn flag(status: i32, bit: i32, settings: &[Setting], name: &str) -> i32 {
    match find_setting(settings, name) {
        Some(setting) if setting.is_off() => status & !bit,
        Some(_) => status | bit,
        None => status,
    }
}

/// The status of a login with what a statement says of it. Expiration goes with the policy unless it is asked for by name.
fn status_of(old: i32, options: &[Setting]) -> i32 {
    let status = flag(old, CHECK_POLICY, options, "CHECK_POLICY");
    let status = if status & CHECK_POLICY == 0 { status & !CHECK_EXPIRATION } else { status };
    flag(status, CHECK_EXPIRATION, options, "CHECK_EXPIRATION")
}

/// What has no effect is refused: credentials (40510). 15122: expiration without a policy. 15128, 15099: MUST_CHANGE, which the login
/// has or is to have, without both.
fn check_login_options(options: &[Setting], status: i32, must_change: bool) -> SqlResult<()> {
    const KNOWN: &[&str] =
        &["CHECK_EXPIRATION", "CHECK_POLICY", "DEFAULT_DATABASE", "DEFAULT_LANGUAGE", "NAME", "NO CREDENTIAL", "SID"];
    for option in options {
        match &*option.name {
            "CREDENTIAL" => return Err(super::unsupported("LOGIN ... CREDENTIAL")),
            name if !KNOWN.contains(&name) => return Err(sql_error!(102, name)),
            _ => {}
        }
    }
    let turned_off = |name: &str| find_setting(options, name).is_some_and(Setting::is_off);
    if must_change && (turned_off("CHECK_POLICY") || turned_off("CHECK_EXPIRATION")) {
        return Err(sql_error!(15128));
    }
    if status & (CHECK_EXPIRATION | CHECK_POLICY) == CHECK_EXPIRATION {
        return Err(sql_error!(15122));
    }
    if must_change && status & CHECK_EXPIRATION == 0 {
        return Err(sql_error!(15099));
    }
    Ok(())
}

fn no_such_default_database(ddl: &Ddl<'_>, name: &str) -> SqlResult<()> {
    match ddl.catalog.database_named(name) {
        Some(_) => Ok(()),
        None => Err(sql_error!(15010, name)),
    }
}

/// A language's own name, whichever of its two is given. 15033
fn language_name(name: &str) -> SqlResult<String> {
    match LanguageId::named(name) {
        Some(language) => Ok(language.get().name.into()),
        None => Err(sql_error!(15033, name)),
    }
}

/// What a login of SQL Server's own is known by.
const SID_BYTES: usize = 16;

/// A security id that is nobody's yet: with another's the login would be that one in every database. 15419, 15433
fn own_sid(ddl: &mut Ddl<'_>, sid: Box<[u8]>) -> SqlResult<Box<[u8]>> {
    if sid.len() != SID_BYTES {
        return Err(sql_error!(15419));
    }
    let master = ddl.catalog.expect_database(MASTER);
    let all: Vec<LoginRow> = ddl.rows(&master, |rows| rows.all())?;
    match all.iter().any(|row| row.sid.0.as_ref() == Some(&sid)) {
        true => Err(sql_error!(15433)),
        false => Ok(sid),
    }
}

pub fn create_login(ddl: &mut Ddl<'_>, create: &CreateLogin) -> SqlResult<()> {
    let name = create.name.to_string();
    let master = ddl.catalog.expect_database(MASTER);
    let LoginSource::Password(given) = &create.source else { return Err(sql_error!(15401, name)) };
    let status = status_of(CHECK_POLICY, &create.options);
    check_login_options(&create.options, status, given.must_change)?;
    let rules = Rules::of(&ddl.catalog.configuration);
    let password = hash(given, &name, (status & CHECK_POLICY != 0).then_some(&rules))?;
    let default_database = word(&create.options, "DEFAULT_DATABASE").unwrap_or_else(|| "master".into());
    no_such_default_database(ddl, &default_database)?;
    let default_language = match word(&create.options, "DEFAULT_LANGUAGE") {
        Some(name) => language_name(&name)?,
        None => ddl.catalog.configuration.default_language().get().name.into(),
    };
    let sid = match bytes(&create.options, "SID") {
        Some(sid) => own_sid(ddl, sid)?,
        None => {
            let mut sid = [0; SID_BYTES];
            os::random::fill(&mut sid);
            sid.into()
        }
    };
    let now = clock::now();
    let taken = ddl.rows(&master, |rows| {
        let all: Vec<LoginRow> = rows.all()?;
        if all.iter().any(|row| master.equal_names(&row.name, &name)) {
            return Ok(true);
        }
        let id = all.iter().map(|row| row.id).max().unwrap_or(0).max(LOGIN_MIN - 1) + 1;
        let row = LoginRow {
            id,
            name: name.clone(),
            sid: Binary(Some(sid)),
            kind: Code::new("S"),
            created: now,
            modified: now,
            status,
            default_database: Some(default_database),
            default_language: Some(default_language),
            password: Binary(Some(password.clone())),
        };
        if rows.try_insert(&row)?.is_err() {
            return Ok(true);
        }
        rows.insert(&granted(class::SERVER, 0, id, "COSQ", "CONNECT SQL"))?;
        let mut policy = LoginPolicy::new(now);
        policy.must_change = given.must_change;
        if status & CHECK_POLICY != 0 {
            policy.history.push(password);
        }
        policy.write(rows, id).map(|()| false)
    })?;
    if taken {
        return Err(sql_error!(15025, name));
    }
    Ok(())
}

pub fn change_login(ddl: &mut Ddl<'_>, name: &str, change: impl Fn(&mut LoginRow)) -> SqlResult<()> {
    let master = ddl.catalog.expect_database(MASTER);
    let now = clock::now();
    let changed = ddl.rows(&master, |rows| {
        rows.update::<LoginRow>(1, &[name_datum(name)], |row| {
            change(row);
            row.modified = now;
        })
    })?;
    if changed == 0 { Err(cannot_find("alter", "login", name)) } else { Ok(()) }
}

pub fn alter_login(ddl: &mut Ddl<'_>, alter: &AlterLogin) -> SqlResult<()> {
    let name = &*alter.name;
    match &alter.action {
        AlterLoginAction::Enable | AlterLoginAction::Disable
            if ddl.catalog.login(name)?.is_none_or(|row| row.kind.as_str() != "S") =>
        {
            Err(cannot_find("alter", "login", name))
        }
        AlterLoginAction::Enable => change_login(ddl, name, |row| row.status &= !DISABLED),
        AlterLoginAction::Disable => change_login(ddl, name, |row| row.status |= DISABLED),
        AlterLoginAction::AddCredential(_) | AlterLoginAction::DropCredential(_) => {
            Err(super::unsupported("ALTER LOGIN ... CREDENTIAL"))
        }
        AlterLoginAction::Set { password, options } => set(ddl, name, password.as_ref(), options),
    }
}

/// ALTER LOGIN ... WITH.
fn set(ddl: &mut Ddl<'_>, name: &str, password: Option<&Password>, options: &[Setting]) -> SqlResult<()> {
    let missing = || cannot_find("alter", "login", name);
    let row = ddl.catalog.login(name)?.filter(|row| row.kind.as_str() == "S").ok_or_else(missing)?;
    let master = ddl.catalog.expect_database(MASTER);
    let kept = ddl.rows(&master, |rows| LoginPolicy::read(rows, row.id))?;
    let mut policy = kept.unwrap_or_else(|| LoginPolicy::new(row.created));
    let status = status_of(row.status, options);
    check_login_options(options, status, policy.must_change || password.is_some_and(|given| given.must_change))?;
    match (row.status & CHECK_POLICY != 0, status & CHECK_POLICY != 0) {
        (true, false) => {
            policy.history.clear();
            policy.locked = None;
            ddl.site.server().guesses.clear_bad(row.id);
        }
        (false, true) => policy.history = row.password.0.clone().into_iter().collect(),
        _ => {}
    }
    let stored = match password {
        Some(given) => Some(set_password(ddl, &row, status & CHECK_POLICY != 0, &mut policy, given)?),
        None => None,
    };
    let (database, renamed) = (word(options, "DEFAULT_DATABASE"), word(options, "NAME"));
    if let Some(database) = &database {
        no_such_default_database(ddl, database)?;
    }
    let language = word(options, "DEFAULT_LANGUAGE").map(|name| language_name(&name)).transpose()?;
    if let Some(renamed) = &renamed {
        if ddl.catalog.login(renamed)?.is_some_and(|other| other.id != row.id) {
            return Err(sql_error!(15025, renamed));
        }
    }
    ddl.rows(&master, |rows| policy.write(rows, row.id))?;
    change_login(ddl, name, |row| {
        row.status = status;
        if let Some(stored) = &stored {
            row.password = Binary(Some(stored.clone()));
        }
        if let Some(database) = &database {
            row.default_database = Some(database.clone());
        }
        if let Some(language) = &language {
            row.default_language = Some(language.clone());
        }
        if let Some(renamed) = &renamed {
            row.name = renamed.clone();
        }
    })
}

/// The hash of a login's new password, and what the policy keeps of it. Who gives the old one changes his own: only then it counts what
/// he had before and how long he has this one, since whoever resets a password does not know.
fn set_password(
    ddl: &mut Ddl<'_>,
    row: &LoginRow,
    checked: bool,
    policy: &mut LoginPolicy,
    given: &Password,
) -> SqlResult<Box<[u8]>> {
    let rules = Rules::of(&ddl.catalog.configuration);
    let (server, now) = (ddl.site.server(), clock::now());
    if let Some(old) = &given.old {
        let Some(old) = text_of(old) else { return Err(sql_error!(15021, "OLD_PASSWORD")) };
        if checked && !given.unlock && rules.is_locked(policy, now) {
            return Err(sql_error!(15113));
        }
        let fits = server.verify_password(row.password.0.as_deref().unwrap_or(&[]), old);
        if !fits.ok_or_else(|| exec::session::stopped(Stop::Attention))? {
            return Err(cannot_find("alter", "login", &row.name));
        }
        if checked && !policy.must_change && rules.is_too_recent(policy, now) {
            return Err(sql_error!(15114));
        }
    }
    let stored = hash(given, &row.name, checked.then_some(&rules))?;
    if let (true, Some(_), Some(new)) = (checked, &given.old, text_of(&given.value)) {
        for former in policy.history.iter().take(rules.history) {
            if compute(|| password::verify(former, new))? {
                return Err(sql_error!(15115));
            }
        }
    }
    if checked {
        policy.history.insert(0, stored.clone());
        policy.history.truncate(rules.history.max(1));
    }
    policy.password_set = now;
    policy.must_change = given.must_change;
    if given.unlock {
        policy.locked = None;
        server.guesses.clear_bad(row.id);
    }
    Ok(stored)
}

/// DROP LOGIN and DROP SERVER ROLE.
pub fn drop_login(ddl: &mut Ddl<'_>, name: &str, role: bool, if_exists: bool) -> SqlResult<()> {
    let master = ddl.catalog.expect_database(MASTER);
    let word = if role { "server role" } else { "login" };
    let row = ddl.rows(&master, |rows| rows.first::<LoginRow>(1, &[name_datum(name)]))?;
    let Some(row) = row.filter(|row| (row.kind.as_str() == "R") == role) else {
        return if if_exists { Ok(()) } else { Err(cannot_find("drop", word, name)) };
    };
    if row.id < LOGIN_MIN {
        return Err(sql_error!(15150, "drop", word, name));
    }
    let is_in = |login: &str| master.equal_names(login, name);
    if !role && (is_in(&ddl.site.login()) || other_sessions(ddl)?.iter().any(|session| is_in(&session.login))) {
        return Err(sql_error!(15434, name));
    }
    let databases: Vec<DatabaseRow> = ddl.rows(&master, |rows| rows.all())?;
    if databases.iter().any(|db| db.owner_sid == row.sid) {
        return Err(sql_error!(15174, name));
    }
    ddl.rows(&master, |rows| {
        rows.delete_if::<ReferenceRow>(1, &[int(row.id), small(class::SERVER_ROLE_MEMBER)], |_| true)?;
        rows.delete_if::<ReferenceRow>(0, &[int(row.id), small(class::SERVER_ROLE_MEMBER)], |_| true)?;
        let its =
            |granted: &PrivilegeRow| granted.grantee == row.id || granted.class == class::LOGIN && granted.id == row.id;
        rows.delete_if::<PrivilegeRow>(0, &[], |granted| granted.class >= class::SERVER && its(granted))?;
        LoginPolicy::delete(rows, row.id)?;
        rows.delete::<LoginRow>(0, &[int(row.id)])
    })?;
    Ok(())
}
