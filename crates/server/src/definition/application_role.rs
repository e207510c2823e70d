//! Application roles: a program shows the role's password, and its session is the role then, whoever has logged in.
//! https://learn.microsoft.com/sql/relational-databases/security/authentication-access/application-roles

use sql::ast::{AlterApplicationRole, Setting};
use types::{SqlResult, sql_error};

use super::login::{password_hash, word};
use super::security::{add_principal, owner_row, secret_of};
use super::site::{Ddl, cannot_find};
use crate::catalog::base::{OwnerRow, TextRow};
use crate::catalog::clock;
use crate::catalog::load::{int, name as name_datum};
use crate::catalog::row::Text;
use crate::catalog::store::Rows;

pub fn create(ddl: &mut Ddl<'_>, name: &str, options: &[Setting]) -> SqlResult<()> {
    check_options(options, &["PASSWORD", "DEFAULT_SCHEMA"])?;
    let password = word(options, "PASSWORD").ok_or_else(|| sql_error!(102, "WITH"))?;
    let db = ddl.current()?;
    let schema = word(options, "DEFAULT_SCHEMA").unwrap_or_else(|| "dbo".into());
    let secret = secret_text(ddl, name, &password)?;
    add_principal(ddl, &db, OwnerRow { default_schema: Some(schema), ..owner_row(name, "A") })?;
    ddl.rows(&db, |rows| {
        let row = rows.first::<OwnerRow>(1, &[name_datum(name)])?.expect("it was made above");
        rows.insert(&TextRow { objid: secret_of(row.id), value: Text(Some(secret.clone())) })
    })
}

/// The role stays the one that it is: its permissions, and sessions that are it.
/// https://learn.microsoft.com/sql/t-sql/statements/alter-application-role-transact-sql
pub fn alter(ddl: &mut Ddl<'_>, change: &AlterApplicationRole) -> SqlResult<()> {
    let (name, options) = (&*change.name, &change.options);
    check_options(options, &["NAME", "PASSWORD", "DEFAULT_SCHEMA"])?;
    let db = ddl.current()?;
    let row = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?;
    let missing = || cannot_find("alter", "application role", name);
    let row = row.filter(|row| row.kind.as_str() == "A").ok_or_else(missing)?;
    let (renamed, schema) = (word(options, "NAME"), word(options, "DEFAULT_SCHEMA"));
    if let Some(renamed) = &renamed {
        let taken = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(renamed)]))?;
        if taken.is_some_and(|other| other.id != row.id) {
            return Err(sql_error!(15023, renamed));
        }
    }
    let secret = match word(options, "PASSWORD") {
        Some(password) => Some(secret_text(ddl, renamed.as_deref().unwrap_or(name), &password)?),
        None => None,
    };
    let now = clock::now();
    ddl.rows(&db, |rows| {
        rows.update::<OwnerRow>(0, &[int(row.id)], |row| {
            row.modified = now;
            row.name = renamed.clone().unwrap_or_else(|| row.name.clone());
            row.default_schema = schema.clone().or_else(|| row.default_schema.take());
        })?;
        rows.update::<TextRow>(0, &[int(secret_of(row.id))], |row| {
            row.value = Text(secret.clone().or_else(|| row.value.0.take()));
        })?;
        Ok(())
    })
}

fn check_options(options: &[Setting], known: &[&str]) -> SqlResult<()> {
    let known = |option: &Setting| known.iter().any(|known| option.name.eq_ignore_ascii_case(known));
    match options.iter().find(|option| !known(option)) {
        Some(other) => Err(sql_error!(102, other.name)),
        None => Ok(()),
    }
}

/// The hash of a password, as it is kept.
fn secret_text(ddl: &Ddl<'_>, name: &str, password: &str) -> SqlResult<String> {
    let hash = password_hash(ddl, name, password)?;
    Ok(hash.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The role of that name and the hash of its password.
pub fn find(rows: &mut Rows<'_>, name: &str) -> SqlResult<Option<(i32, Vec<u8>)>> {
    let Some(row) = rows.first::<OwnerRow>(1, &[name_datum(name)])?.filter(|row| row.kind.as_str() == "A") else {
        return Ok(None);
    };
    let text = rows.first::<TextRow>(0, &[int(secret_of(row.id))])?.and_then(|row| row.value.0).unwrap_or_default();
    let hash =
        text.as_bytes().chunks(2).filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    Ok(Some((row.id, hash.collect())))
}
