//! CREATE, BACKUP and DROP CERTIFICATE, of certificates that keep the keys of encrypted backups: they are in master.
//!
//! What must hold: a private key is in a row encrypted by the master key, and in a file by its password, and nowhere in clear.
//! https://learn.microsoft.com/sql/t-sql/statements/create-certificate-transact-sql, backup-certificate, drop-certificate

use os::disk::{DiskError, Open};
use sql::ast::{BackupCertificate, CertificateSource, CreateCertificate, Setting, find_setting};
use types::datetime::Civil;
use types::datetime::calendar::DAY_1900;
use types::{SqlError, SqlResult, SqlType, convert, sql_error};

use super::backup_device;
use super::backup_options::dates;
use super::database_setting::setting_text;
use super::login::{check_password, compute};
use super::master_key;
use super::site::{Ddl, cannot_find};
use super::unsupported;
use crate::catalog::base::{CertificateRow, PrivilegeRow, class};
use crate::catalog::load::{int, name as name_datum, small};
use crate::catalog::row::{Binary, Date, Text, text_datum};
use crate::catalog::{MASTER, clock};
use crate::security::check::Securable;
use crate::security::encryptor::{self, Pair};
use crate::security::key_file::{self, KeyFileError};
use crate::security::secret;
use crate::security::x509::{self, DAY_SECONDS, DAYS_TO_1970, Said};

const WORD: &str = "certificate";
/// Ids begin where SQL Server's do.
const ID_MIN: i32 = 256;
/// Of a certificate, or of a private key in its file.
const FILE_BYTES_MAX: u64 = 8_000;
/// `Date`s in a second.
const TICKS: i64 = 300;

pub fn create(ddl: &mut Ddl<'_>, statement: &CreateCertificate) -> SqlResult<()> {
    if ddl.current()?.id != MASTER {
        return Err(unsupported("CREATE CERTIFICATE in another database than master"));
    }
    if statement.owner.as_ref().is_some_and(|owner| !owner.text.eq_ignore_ascii_case("dbo")) {
        return Err(unsupported("CREATE CERTIFICATE ... AUTHORIZATION another user than dbo"));
    }
    let name = &*statement.name.text;
    if name.is_empty() || name.starts_with('#') {
        return Err(sql_error!(15006, name));
    }
    let (certificate, key) = match &statement.source {
        CertificateSource::Other(what) => return Err(unsupported(&format!("CREATE CERTIFICATE ... FROM {what}"))),
        CertificateSource::New { by_password: true, .. } => {
            return Err(unsupported("CREATE CERTIFICATE ... ENCRYPTION BY PASSWORD"));
        }
        CertificateSource::New { options, .. } => {
            master_key::key(ddl)?;
            let Pair { certificate, key } = new(ddl, options)?;
            (certificate, Some(key))
        }
        CertificateSource::File { path, key } => from_files(ddl, path, key.as_deref())?,
    };
    let said = x509::read(&certificate).ok_or_else(no_such_file)?;
    let thumbprint = encryptor::thumbprint(&certificate);
    let secret = match key {
        Some(key) => Some(secret::seal(&master_key::key(ddl)?, &thumbprint, &key).into()),
        None => None,
    };
    insert(ddl, name, CertificateRow { secret: Binary(secret), ..row_of(&said, &certificate, thumbprint) })
}

/// 15232: the name, or the certificate, is there.
fn insert(ddl: &mut Ddl<'_>, name: &str, row: CertificateRow) -> SqlResult<()> {
    let master = ddl.catalog.expect_database(MASTER);
    let all: Vec<CertificateRow> = ddl.rows(&master, |rows| rows.all())?;
    if all.iter().any(|other| master.equal_names(&other.name, name) || other.thumbprint == row.thumbprint) {
        return Err(sql_error!(15232, name));
    }
    let id = all.iter().map(|other| other.id + 1).max().unwrap_or(ID_MIN);
    ddl.rows(&master, |rows| rows.insert(&CertificateRow { id, name: name.to_string(), ..row.clone() }))
}

fn row_of(said: &Said, certificate: &[u8], thumbprint: Vec<u8>) -> CertificateRow {
    let date = |seconds: i64| Date((seconds + (DAYS_TO_1970 - DAY_1900) * DAY_SECONDS) * TICKS);
    CertificateRow {
        id: 0,
        name: String::new(),
        certificate: Binary(Some(certificate.into())),
        thumbprint: Binary(Some(thumbprint.into())),
        secret: Binary(None),
        issuer: Text(Some(said.issuer.clone())),
        subject: Text(Some(said.subject.clone())),
        // As many as the catalog view shows.
        serial: said.serial.iter().take(16).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" "),
        starts: date(said.starts),
        ends: date(said.ends),
        saved: None,
        key_bits: said.key_bits,
    }
}

/// WITH SUBJECT, START_DATE, EXPIRY_DATE: from today on for a year, if they are not said. Times are UTC.
fn new(ddl: &mut Ddl<'_>, options: &[Setting]) -> SqlResult<Pair> {
    const KNOWN: [&str; 3] = ["SUBJECT", "START_DATE", "EXPIRY_DATE"];
    if let Some(other) = options.iter().find(|option| !KNOWN.contains(&&*option.name)) {
        return Err(sql_error!(102, other.name));
    }
    let text = |name: &str| match find_setting(options, name) {
        Some(option) => setting_text(&option.value).map(Some).ok_or_else(|| sql_error!(102, option.name)),
        None => Ok(None),
    };
    let subject = text("SUBJECT")?.ok_or_else(|| sql_error!(102, "WITH"))?;
    let context = dates(ddl);
    let seconds = |text: String| {
        let (from, to) = (SqlType::NVARCHAR_MAX, SqlType::DATETIME);
        let date = convert::convert(&text_datum(&text), &from, &to, convert::NO_STYLE, &context);
        let date = date.map_err(|_| sql_error!(241))?;
        Ok::<i64, SqlError>(date.as_i64().div_euclid(TICKS) - (DAYS_TO_1970 - DAY_1900) * DAY_SECONDS)
    };
    let now = (os::clock::utc_ticks() / 10_000_000) as i64 - DAYS_TO_1970 * DAY_SECONDS;
    let from = text("START_DATE")?.map_or(Ok(now), seconds)?;
    let to = text("EXPIRY_DATE")?.map_or_else(|| Ok(a_year_later(from)), seconds)?;
    Pair::generate(&subject, from, to).ok_or_else(|| sql_error!(15468, WORD))
}

fn a_year_later(from: i64) -> i64 {
    let days = from.div_euclid(DAY_SECONDS) + DAYS_TO_1970;
    let date = Civil::from_days(days);
    // Of 29 February there is none.
    let next = Civil::new(date.year + 1, date.month, date.day).or_else(|| Civil::new(date.year + 1, date.month, 28));
    let days = next.map_or(365, |next| next.days() - days);
    from + days * DAY_SECONDS
}

/// 15208
fn no_such_file() -> SqlError {
    sql_error!(15208)
}

fn read(ddl: &Ddl<'_>, path: &str) -> SqlResult<Vec<u8>> {
    let (disk, name) = backup_device::place(ddl, path, false).map_err(|_| no_such_file())?;
    if !disk.is_plain(&name) {
        return Err(no_such_file());
    }
    let file = disk.open(&name, Open::Read).map_err(|_| no_such_file())?;
    let length = file.len().ok().filter(|length| (1..=FILE_BYTES_MAX).contains(length)).ok_or_else(no_such_file)?;
    let mut bytes = vec![0; length as usize];
    file.read_at(&mut bytes, 0).map_err(|_| no_such_file())?;
    Ok(bytes)
}

/// A certificate, and its private key where that is given. 15208, 15464, 15465, 15474.
fn from_files(ddl: &mut Ddl<'_>, path: &str, key: Option<&[Setting]>) -> SqlResult<(Vec<u8>, Option<Vec<u8>>)> {
    let certificate = read(ddl, path)?;
    x509::read(&certificate).ok_or_else(no_such_file)?;
    let Some(options) = key else { return Ok((certificate, None)) };
    let [path, password] = private_key(options, "DECRYPTION BY PASSWORD")?;
    let sealed = read(ddl, &path)?;
    let opened = compute(|| key_file::open(&password, &sealed))?;
    let key = opened.map_err(|error| match error {
        KeyFileError::NoKey => sql_error!(15464),
        KeyFileError::WrongPassword => sql_error!(15465),
    })?;
    let pair = Pair { certificate, key };
    match pair.fits() {
        true => Ok((pair.certificate, Some(pair.key))),
        false => Err(sql_error!(15474, WORD)),
    }
}

/// FILE and the password of a list of options.
fn private_key(options: &[Setting], password: &str) -> SqlResult<[String; 2]> {
    let known = ["FILE", "DECRYPTION BY PASSWORD", "ENCRYPTION BY PASSWORD", "BINARY"];
    for option in options {
        if !known.contains(&&*option.name) {
            return Err(sql_error!(102, option.name));
        }
        if *option.name != *"FILE" && *option.name != *password {
            return Err(unsupported(&format!("WITH PRIVATE KEY ({} ...)", option.name)));
        }
    }
    let text = |name: &str| {
        let found = find_setting(options, name).and_then(|option| setting_text(&option.value));
        found.ok_or_else(|| sql_error!(102, options.last().map_or("", |option| &*option.name)))
    };
    Ok([text("FILE")?, text(password)?])
}

/// Of this name.
pub fn named(ddl: &mut Ddl<'_>, name: &str) -> SqlResult<Option<CertificateRow>> {
    let master = ddl.catalog.expect_database(MASTER);
    ddl.rows(&master, |rows| rows.first::<CertificateRow>(1, &[name_datum(name)]))
}

pub fn holds(ddl: &mut Ddl<'_>, row: &CertificateRow, permission: &str) -> SqlResult<bool> {
    let (master, on) = (ddl.catalog.expect_database(MASTER), Securable::certificate(row.id));
    ddl.rights(|rights, look| rights.holds(look, Some(&master), &on, permission))
}

/// 33101: the private key is not here.
pub fn private_key_of(ddl: &mut Ddl<'_>, row: &CertificateRow) -> SqlResult<Vec<u8>> {
    let sealed = row.secret.0.as_deref().ok_or_else(|| sql_error!(33101, WORD, row.name, WORD))?;
    let key = master_key::key(ddl)?;
    let thumbprint = row.thumbprint.0.as_deref().unwrap_or_default();
    secret::open(&key, thumbprint, sealed).ok_or_else(|| sql_error!(15466))
}

pub fn backup(ddl: &mut Ddl<'_>, statement: &BackupCertificate) -> SqlResult<()> {
    let name = &*statement.name.text;
    let row = match ddl.current()?.id {
        MASTER => named(ddl, name)?,
        _ => None,
    };
    let row = row.ok_or_else(|| cannot_find("find", WORD, name))?;
    let Some(options) = &statement.key else {
        return write(ddl, &statement.path, row.certificate.0.as_deref().unwrap_or_default());
    };
    let [path, password] = private_key(options, "ENCRYPTION BY PASSWORD")?;
    check_password(ddl, &password)?;
    let key = private_key_of(ddl, &row)?;
    let sealed = compute(|| key_file::seal(&password, &key))?;
    write(ddl, &statement.path, row.certificate.0.as_deref().unwrap_or_default())?;
    if let Err(error) = write(ddl, &path, &sealed) {
        backup_device::delete(ddl, &statement.path).ok();
        return Err(error);
    }
    let (master, now) = (ddl.catalog.expect_database(MASTER), clock::now());
    let saved = |row: &mut CertificateRow| row.saved = Some(now);
    ddl.rows(&master, |rows| rows.update(0, &[int(row.id)], saved)).map(|_| ())
}

/// 15240: it is there, or cannot be written. What was begun goes.
fn write(ddl: &Ddl<'_>, path: &str, bytes: &[u8]) -> SqlResult<()> {
    let refused = || sql_error!(15240, path);
    let (disk, name) = backup_device::place(ddl, path, true).map_err(|_| refused())?;
    let file = disk.open(&name, Open::New).map_err(|_| refused())?;
    let written: Result<(), DiskError> =
        file.write_at(bytes, 0).and_then(|()| file.sync_data()).and_then(|()| disk.sync_names());
    written.map_err(|_| {
        disk.remove(&name).ok();
        refused()
    })
}

/// What backups it has the keys of cannot be read here any more.
pub fn drop(ddl: &mut Ddl<'_>, name: &str) -> SqlResult<()> {
    let row = match ddl.current()?.id {
        MASTER => named(ddl, name)?,
        _ => None,
    };
    let row = row.ok_or_else(|| cannot_find("drop", WORD, name))?;
    let master = ddl.catalog.expect_database(MASTER);
    ddl.rows(&master, |rows| {
        rows.delete::<PrivilegeRow>(0, &[small(class::CERTIFICATE), int(row.id)])?;
        rows.delete::<CertificateRow>(0, &[int(row.id)])
    })
    .map(|_| ())
}
