//! The master key of master: what the private keys of its certificates are encrypted by.
//!
//! It is kept twice: encrypted by the server's own key, so that it opens by itself, and by its password, for a server whose own key was lost.
//! What must hold: it is in no row, and nowhere else on disk, in clear.
//! https://learn.microsoft.com/sql/t-sql/statements/create-master-key-transact-sql, drop-master-key, open-master-key, close-master-key,
//! alter-master-key

use sql::ast::MasterKey;
use types::{SqlError, SqlResult, sql_error};

use super::credential::failed;
use super::login::{check_password, compute};
use super::site::{Ddl, cannot_find};
use super::unsupported;
use crate::catalog::base::{CertificateRow, MasterKeyRow};
use crate::catalog::family::new_guid;
use crate::catalog::load::int;
use crate::catalog::row::Binary;
use crate::catalog::{MASTER, clock};
use crate::security::key_file;
use crate::security::secret::{self, KEY_BYTES, Key};

/// As `sys.symmetric_keys` numbers it; numbers of credentials, which the server's key encrypts as well, are larger.
const ID: i32 = 101;

pub fn run(ddl: &mut Ddl<'_>, statement: &MasterKey) -> SqlResult<()> {
    if ddl.current()?.id != MASTER {
        return Err(unsupported("MASTER KEY of another database than master"));
    }
    match statement {
        MasterKey::Create(password) => create(ddl, password.as_deref().ok_or_else(|| sql_error!(33161))?),
        MasterKey::Drop => drop(ddl),
        MasterKey::Open(password) => {
            let row = found(ddl, "find")?;
            let sealed = row.by_password.0.unwrap_or_default();
            let key = compute(|| key_file::open(password, &sealed))?.map_err(|_| sql_error!(15313))?;
            ddl.site.state().0.master_key = Some(whole(&key)?);
            Ok(())
        }
        MasterKey::Close => match ddl.site.state().0.master_key.take() {
            Some(_) => Ok(()),
            None => Err(sql_error!(15315, "master key")),
        },
        MasterKey::AddService => {
            found(ddl, "alter")?;
            let key = key(ddl)?;
            let by_service = by_service(ddl, &key)?;
            let (master, now) = (ddl.catalog.expect_database(MASTER), clock::now());
            ddl.rows(&master, |rows| {
                rows.update(0, &[int(MASTER.0.into())], |row: &mut MasterKeyRow| {
                    row.by_service = by_service.clone();
                    row.modified = now;
                })
            })
            .map(|_| ())
        }
    }
}

fn row(ddl: &mut Ddl<'_>) -> SqlResult<Option<MasterKeyRow>> {
    let master = ddl.catalog.expect_database(MASTER);
    ddl.rows(&master, |rows| rows.first(0, &[int(MASTER.0.into())]))
}

fn found(ddl: &mut Ddl<'_>, action: &str) -> SqlResult<MasterKeyRow> {
    row(ddl)?.ok_or_else(|| missing(action))
}

/// 15151
pub fn missing(action: &str) -> SqlError {
    cannot_find(action, "symmetric key", "master key")
}

fn whole(bytes: &[u8]) -> SqlResult<Key> {
    bytes.try_into().map_err(|_| sql_error!(15466))
}

fn by_service(ddl: &Ddl<'_>, key: &Key) -> SqlResult<Binary> {
    let sealed = secret::encrypt(ddl.catalog.storage.disk(), ID, key).map_err(failed)?;
    Ok(Binary(Some(sealed.into())))
}

fn create(ddl: &mut Ddl<'_>, password: &str) -> SqlResult<()> {
    if row(ddl)?.is_some() {
        return Err(sql_error!(15578));
    }
    check_password(ddl, password)?;
    let mut key = [0; KEY_BYTES];
    os::random::fill(&mut key);
    let by_password = compute(|| key_file::seal(password, &key))?;
    let (master, now) = (ddl.catalog.expect_database(MASTER), clock::now());
    let row = MasterKeyRow {
        database: MASTER.0.into(),
        guid: Binary(Some(new_guid().into())),
        by_service: by_service(ddl, &key)?,
        by_password: Binary(Some(by_password.into())),
        created: now,
        modified: now,
    };
    ddl.rows(&master, |rows| rows.insert(&row))
}

/// 15580: a certificate's private key would be lost with it.
fn drop(ddl: &mut Ddl<'_>) -> SqlResult<()> {
    found(ddl, "drop")?;
    let master = ddl.catalog.expect_database(MASTER);
    let certificates: Vec<CertificateRow> = ddl.rows(&master, |rows| rows.all())?;
    if let Some(kept) = certificates.iter().find(|row| row.secret.0.is_some()) {
        return Err(sql_error!(15580, "master key", "certificate", kept.name));
    }
    ddl.site.state().0.master_key = None;
    ddl.rows(&master, |rows| rows.delete::<MasterKeyRow>(0, &[int(MASTER.0.into())])).map(|_| ())
}

/// The key, as the session has opened it, or as the server's own key opens it. 15581: there is none, or it must be opened.
pub fn key(ddl: &mut Ddl<'_>) -> SqlResult<Key> {
    let row = row(ddl)?.ok_or_else(|| sql_error!(15581))?;
    if let Some(key) = ddl.site.state().0.master_key {
        return Ok(key);
    }
    let sealed = row.by_service.0.ok_or_else(|| sql_error!(15581))?;
    let opened = secret::decrypt(ddl.catalog.storage.disk(), ID, &sealed).map_err(|_| sql_error!(15581))?;
    whole(&opened)
}
