//! CREATE, ALTER and DROP CREDENTIAL, and the credential that fits an address.
//!
//! What must hold: a secret is encrypted before it is in a row, and no statement shows it.
//! https://learn.microsoft.com/sql/t-sql/statements/create-credential-transact-sql

use os::disk::DiskError;
use sql::ast::{Credential, Expr, Literal, Setting, SettingValue};
use types::{SqlError, SqlResult, sql_error};

use super::site::{Ddl, cannot_find};
use super::unsupported;
use crate::catalog::base::CredentialRow;
use crate::catalog::error::storage_error;
use crate::catalog::load::{int, name as name_datum};
use crate::catalog::row::{Binary, Text};
use crate::catalog::{MASTER, clock};
use crate::security::secret::{self, SecretError};

const WORD: &str = "credential";
/// Characters of an identity, and of a secret.
const TEXT_MAX: usize = 4_000;
/// Ids begin behind those that SQL Server has for its own.
const ID_MIN: i32 = 65_536;

pub fn run(ddl: &mut Ddl<'_>, statement: &Credential) -> SqlResult<()> {
    if statement.provider.is_some() {
        return Err(unsupported("CREATE CREDENTIAL ... FOR CRYPTOGRAPHIC PROVIDER"));
    }
    let (identity, secret) = told(&statement.options)?;
    let name = &*statement.name.text;
    let master = ddl.catalog.expect_database(MASTER);
    let old = ddl.rows(&master, |rows| rows.first::<CredentialRow>(1, &[name_datum(name)]))?;
    let now = clock::now();
    match (statement.alter, old) {
        (true, None) => Err(cannot_find("alter", WORD, name)),
        (false, Some(_)) => Err(sql_error!(15530, WORD, name)),
        // What the statement does not say is NULL afterwards.
        (true, Some(old)) => {
            let secret = sealed(ddl, old.id, secret)?;
            let change = |row: &mut CredentialRow| {
                row.identity = Text(Some(identity.clone()));
                row.secret = secret.clone();
                row.modified = now;
            };
            ddl.rows(&master, |rows| rows.update(0, &[int(old.id)], change)).map(|_| ())
        }
        (false, None) => {
            if name.is_empty() || name.starts_with('#') {
                return Err(sql_error!(15006, name));
            }
            let taken: Vec<CredentialRow> = ddl.rows(&master, |rows| rows.all())?;
            let id = taken.iter().map(|row| row.id + 1).max().unwrap_or(ID_MIN);
            let secret = sealed(ddl, id, secret)?;
            let name = name.to_string();
            let row = CredentialRow { id, name, identity: Text(Some(identity)), secret, created: now, modified: now };
            ddl.rows(&master, |rows| rows.insert(&row))
        }
    }
}

pub fn drop(ddl: &mut Ddl<'_>, name: &str, if_exists: bool) -> SqlResult<()> {
    let master = ddl.catalog.expect_database(MASTER);
    let row = ddl.rows(&master, |rows| rows.first::<CredentialRow>(1, &[name_datum(name)]))?;
    match row {
        Some(row) => ddl.rows(&master, |rows| rows.delete::<CredentialRow>(0, &[int(row.id)])).map(|_| ()),
        None if if_exists => Ok(()),
        None => Err(cannot_find("drop", WORD, name)),
    }
}

/// IDENTITY and SECRET. 102: something else, or no string.
fn told(options: &[Setting]) -> SqlResult<(String, Option<String>)> {
    let (mut identity, mut secret) = (None, None);
    for option in options {
        let to = match &*option.name {
            "IDENTITY" => &mut identity,
            "SECRET" => &mut secret,
            name => return Err(sql_error!(102, name)),
        };
        let SettingValue::Value(Expr::Literal(Literal::String { text, .. })) = &option.value else {
            return Err(sql_error!(102, option.name));
        };
        if to.is_some() || text.encode_utf16().count() > TEXT_MAX {
            return Err(sql_error!(102, option.name));
        }
        *to = Some(text.to_string());
    }
    let identity = identity.ok_or_else(|| sql_error!(102, options.first().map_or("WITH", |option| &*option.name)))?;
    Ok((identity, secret))
}

fn sealed(ddl: &Ddl<'_>, id: i32, secret: Option<String>) -> SqlResult<Binary> {
    let Some(secret) = secret else { return Ok(Binary(None)) };
    let sealed = secret::encrypt(ddl.catalog.storage.disk(), id, secret.as_bytes()).map_err(failed)?;
    Ok(Binary(Some(sealed.into())))
}

/// 15466: the key that the secret was encrypted with is another, or gone.
pub fn failed(error: SecretError) -> SqlError {
    match error {
        SecretError::Disk(DiskError::NotFound) | SecretError::Undecipherable => sql_error!(15466),
        SecretError::Disk(error) => storage_error(error.into()),
    }
}

/// What one needs to be let in somewhere.
pub struct Key {
    pub identity: String,
    pub secret: String,
}

fn key_of(ddl: &Ddl<'_>, row: &CredentialRow) -> SqlResult<Key> {
    let secret = match &row.secret.0 {
        Some(secret) => {
            let secret = secret::decrypt(ddl.catalog.storage.disk(), row.id, secret).map_err(failed)?;
            String::from_utf8(secret).map_err(|_| failed(SecretError::Undecipherable))?
        }
        None => String::new(),
    };
    Ok(Key { identity: row.identity.0.clone().unwrap_or_default(), secret })
}

/// Of this name. 15151: there is none, or one may not use it.
pub fn named(ddl: &mut Ddl<'_>, name: &str) -> SqlResult<Key> {
    let missing = || cannot_find("find", WORD, name);
    if !ddl.server_permission("ALTER ANY CREDENTIAL")? {
        return Err(missing());
    }
    let master = ddl.catalog.expect_database(MASTER);
    let row = ddl.catalog.read(&master, |rows| rows.first::<CredentialRow>(1, &[name_datum(name)]))?;
    key_of(ddl, &row.ok_or_else(missing)?)
}

/// Of the longest name that is the address or what it begins with, up to one of its slashes. None: there is none that one may use.
/// https://learn.microsoft.com/sql/relational-databases/backup-restore/sql-server-backup-to-url-s3-compatible-object-storage-best-practices-and-troubleshooting
pub fn fitting(ddl: &mut Ddl<'_>, address: &str) -> SqlResult<Option<Key>> {
    if !ddl.server_permission("ALTER ANY CREDENTIAL")? {
        return Ok(None);
    }
    let master = ddl.catalog.expect_database(MASTER);
    let rows: Vec<CredentialRow> = ddl.catalog.read(&master, |rows| rows.all())?;
    let mut part = address;
    loop {
        let found = rows.iter().find(|row| master.equal_names(row.name.trim_end_matches('/'), part));
        if let Some(row) = found {
            return key_of(ddl, row).map(Some);
        }
        match part.rsplit_once('/') {
            // Not the scheme.
            Some((above, _)) if !above.ends_with('/') => part = above,
            _ => return Ok(None),
        }
    }
}
