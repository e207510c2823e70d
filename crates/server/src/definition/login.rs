//! Logins: CREATE, ALTER, DROP LOGIN, and DROP SERVER ROLE, whose rows lie with theirs.

use sql::ast::{
    AlterLogin, AlterLoginAction, CreateLogin, Expr, Literal, LoginSource, Password, Setting, SettingValue,
    find_setting,
};
use types::{SqlResult, sql_error};

use super::server::other_sessions;
use super::site::{Ddl, cannot_find};
use crate::catalog::base::{DatabaseRow, LoginRow, PrivilegeRow, ReferenceRow, class};
use crate::catalog::boot::granted;
use crate::catalog::load::{int, name as name_datum, small};
use crate::catalog::row::{Binary, Code};
use crate::catalog::{MASTER, clock};
use crate::security::password;

/// Bits of `LoginRow::status`.
const DISABLED: i32 = 1;
const CHECK_POLICY: i32 = 2;
const CHECK_EXPIRATION: i32 = 4;

/// Logins and server roles made by users.
pub const LOGIN_MIN: i32 = 257;

/// Letters a password must have under CHECK_POLICY.
const PASSWORD_CHARACTERS_MIN: usize = 8;

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

/// What is stored for a password; 15118 when the policy forbids it.
fn hash(given: &Password, policy: bool) -> SqlResult<Binary> {
    let stored = match (&given.value, given.hashed) {
        (Expr::Literal(Literal::Binary(bytes)), true) => bytes.to_vec(),
        (Expr::Literal(Literal::String { text, .. }), false) => {
            if policy && !is_strong(text) {
                return Err(sql_error!(15118));
            }
            let mut salt = [0; 16];
            os::random::fill(&mut salt);
            let text = text.to_string();
            os::sched::preemptive(os::wait::WaitType::PREEMPTIVE_OS_CRYPTOPS, move || password::hash(&text, salt))
        }
        _ => return Err(sql_error!(15021, "PASSWORD")),
    };
    Ok(Binary(Some(stored.into())))
}

/// Three of the four kinds of characters, and long enough.
fn is_strong(password: &str) -> bool {
    let kinds: [fn(char) -> bool; 4] =
        [|c| c.is_uppercase(), |c| c.is_lowercase(), |c| c.is_numeric(), |c| !c.is_alphanumeric()];
    let used = kinds.iter().filter(|kind| password.chars().any(kind)).count();
    password.chars().count() >= PASSWORD_CHARACTERS_MIN && used >= 3
}

fn flag(status: i32, bit: i32, settings: &[Setting], name: &str) -> i32 {
    match find_setting(settings, name) {
        Some(setting) if setting.is_off() => status & !bit,
        Some(_) => status | bit,
        None => status,
    }
}

/// What has no effect is refused: a password that must be changed or that expires (40510), credentials. 15122: expiration without a
/// policy. CHECK_POLICY is what `is_strong` asks; nothing locks a login, so UNLOCK finds nothing to do.
fn check_login_options(password: Option<&Password>, options: &[Setting], status: i32) -> SqlResult<()> {
    const KNOWN: &[&str] =
        &["CHECK_EXPIRATION", "CHECK_POLICY", "DEFAULT_DATABASE", "DEFAULT_LANGUAGE", "NAME", "NO CREDENTIAL", "SID"];
    if password.is_some_and(|password| password.must_change) {
        return Err(super::unsupported("LOGIN ... MUST_CHANGE"));
    }
    for option in options {
        match &*option.name {
            "CREDENTIAL" => return Err(super::unsupported("LOGIN ... CREDENTIAL")),
            name if !KNOWN.contains(&name) => return Err(sql_error!(102, name)),
            _ => {}
        }
    }
    match status & (CHECK_EXPIRATION | CHECK_POLICY) {
        CHECK_EXPIRATION => Err(sql_error!(15122)),
        bits if bits & CHECK_EXPIRATION != 0 => Err(super::unsupported("LOGIN ... CHECK_EXPIRATION")),
        _ => Ok(()),
    }
}

fn no_such_default_database(ddl: &Ddl<'_>, name: &str) -> SqlResult<()> {
    match ddl.catalog.database_named(name) {
        Some(_) => Ok(()),
        None => Err(sql_error!(15010, name)),
    }
}

pub fn create_login(ddl: &mut Ddl<'_>, create: &CreateLogin) -> SqlResult<()> {
    let name = create.name.to_string();
    let master = ddl.catalog.expect_database(MASTER);
    let status = flag(
        flag(CHECK_POLICY, CHECK_POLICY, &create.options, "CHECK_POLICY"),
        CHECK_EXPIRATION,
        &create.options,
        "CHECK_EXPIRATION",
    );
    let given = match &create.source {
        LoginSource::Password(given) => Some(given),
        _ => None,
    };
    check_login_options(given, &create.options, status)?;
    let password = match &create.source {
        LoginSource::Password(given) => hash(given, status & CHECK_POLICY != 0)?,
        _ => return Err(sql_error!(15401, name)),
    };
    let default_database = word(&create.options, "DEFAULT_DATABASE").unwrap_or_else(|| "master".into());
    no_such_default_database(ddl, &default_database)?;
    let default_language = word(&create.options, "DEFAULT_LANGUAGE")
        .unwrap_or_else(|| ddl.catalog.configuration.default_language().get().name.into());
    let mut sid = [0; 16];
    os::random::fill(&mut sid);
    let sid = bytes(&create.options, "SID").unwrap_or_else(|| sid.into());
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
            password,
        };
        let taken = rows.try_insert(&row)?.is_err();
        if !taken {
            rows.insert(&granted(class::SERVER, 0, id, "COSQ", "CONNECT SQL"))?;
        }
        Ok(taken)
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
        AlterLoginAction::Enable => change_login(ddl, name, |row| row.status &= !DISABLED),
        AlterLoginAction::Disable => change_login(ddl, name, |row| row.status |= DISABLED),
        AlterLoginAction::AddCredential(_) | AlterLoginAction::DropCredential(_) => {
            Err(super::unsupported("ALTER LOGIN ... CREDENTIAL"))
        }
        AlterLoginAction::Set { password, options } => {
            let row = ddl.catalog.login(name)?.ok_or_else(|| cannot_find("alter", "login", name))?;
            let status = flag(
                flag(row.status, CHECK_POLICY, options, "CHECK_POLICY"),
                CHECK_EXPIRATION,
                options,
                "CHECK_EXPIRATION",
            );
            check_login_options(password.as_ref(), options, status)?;
            let stored = password.as_ref().map(|given| hash(given, status & CHECK_POLICY != 0)).transpose()?;
            if let Some(old) = password.as_ref().and_then(|given| given.old.as_ref()) {
                let Expr::Literal(Literal::String { text, .. }) = old else {
                    return Err(super::unsupported("OLD_PASSWORD"));
                };
                if !password::verify(row.password.0.as_deref().unwrap_or(&[]), text) {
                    return Err(sql_error!(15151, "alter", "login", name));
                }
            }
            let (database, language, renamed) =
                (word(options, "DEFAULT_DATABASE"), word(options, "DEFAULT_LANGUAGE"), word(options, "NAME"));
            if let Some(database) = &database {
                no_such_default_database(ddl, database)?;
            }
            if let Some(renamed) = &renamed {
                if ddl.catalog.login(renamed)?.is_some_and(|other| other.id != row.id) {
                    return Err(sql_error!(15025, renamed));
                }
            }
            change_login(ddl, name, |row| {
                row.status = status;
                if let Some(stored) = &stored {
                    row.password = stored.clone();
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
    }
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
        rows.delete_if::<PrivilegeRow>(0, &[], |granted| granted.class >= class::SERVER && granted.grantee == row.id)?;
        rows.delete::<LoginRow>(0, &[int(row.id)])
    })?;
    Ok(())
}
