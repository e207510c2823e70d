//! Backups TO URL: objects of S3 stores, `s3://host:port/bucket/path`, or with the bucket's name before the host.
//! https://learn.microsoft.com/sql/relational-databases/backup-restore/sql-server-backup-to-url-s3-compatible-object-storage

use std::sync::Arc;

use types::{SqlError, SqlResult, sql_error};

use super::backup_options::Options;
use super::credential::{self, Key};
use super::site::Ddl;
use crate::archive::aws;
use crate::archive::object::{self, Lanes, NOT_SUPPORTED, ObjectReader, ObjectWriter, Refusal, WantedObject};
use crate::archive::s3::{Bucket, S3Store};
use crate::archive::sign::Keys;

const SCHEME: &str = "s3://";
/// The identity of credentials for such stores.
const IDENTITY: &str = "S3 Access Key";
/// Bytes of a part, if nothing is said.
pub const PART_DEFAULT: i64 = 10 << 20;

fn cannot_open(url: &str, refusal: &Refusal) -> SqlError {
    tracing::warn!(url, number = refusal.number, "the store of a backup refused: {}", refusal.said);
    sql_error!(3201, url, refusal.shown())
}

/// Where an object lies, and as whom it is asked for.
struct Place {
    store: Arc<S3Store>,
    name: String,
}

/// `{"s3": {"region": "name"}}`. 3217: it is something else.
fn region(options: &Options) -> SqlResult<String> {
    for name in ["BACKUP_OPTIONS", "RESTORE_OPTIONS"] {
        let Some(text) = options.text(name) else { continue };
        let invalid = || sql_error!(3217, name);
        let told: serde_json::Value = serde_json::from_str(text).map_err(|_| invalid())?;
        let fields = told.as_object().filter(|fields| fields.len() == 1);
        let s3 = fields.and_then(|fields| fields.get("s3")?.as_object()).filter(|fields| fields.len() == 1);
        let region = s3.and_then(|fields| fields.get("region")?.as_str());
        let is_name = |region: &&str| {
            !region.is_empty() && region.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        return Ok(region.filter(is_name).ok_or_else(invalid)?.to_owned());
    }
    Ok(aws::REGION_DEFAULT.to_owned())
}

/// `host:port`, and what of it is an object's name. None: it is no such address.
fn parts(url: &str) -> Option<(&str, &str)> {
    let scheme = url.get(..SCHEME.len()).filter(|scheme| scheme.eq_ignore_ascii_case(SCHEME))?;
    let (host, name) = url[scheme.len()..].split_once('/')?;
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    let is_sound = !host.is_empty() && host.chars().all(is_host) && !name.is_empty() && !name.ends_with('/');
    is_sound.then_some((host, name))
}

/// 3201: there is no credential that fits; of another kind than S3's; the address is none.
fn place(ddl: &mut Ddl<'_>, url: &str, options: &Options) -> SqlResult<Place> {
    let refused = |why: &str| cannot_open(url, &Refusal::plain(NOT_SUPPORTED, why.to_owned()));
    let (host, name) = parts(url).ok_or_else(|| refused("it is not s3://host:port/bucket/path"))?;
    let region = region(options)?;
    let key = match options.text("CREDENTIAL") {
        Some(name) => Some(credential::named(ddl, name)?),
        None => credential::fitting(ddl, url)?,
    };
    let Key { identity, secret } = key.ok_or_else(|| refused("there is no credential for it"))?;
    if !identity.eq_ignore_ascii_case(IDENTITY) {
        return Err(refused("its credential has another identity than 'S3 Access Key'"));
    }
    let (id, secret) = secret.split_once(':').ok_or_else(|| refused("the secret of its credential is not 'id:key'"))?;
    let keys = Keys { id: id.to_owned(), secret: secret.to_owned(), token: None };
    // In clear only where the server is told to speak so with this very host.
    let clear = format!("http://{host}");
    let is_clear = aws::endpoint().is_some_and(|told| told.trim_end_matches('/').eq_ignore_ascii_case(&clear));
    let origin = if is_clear { clear } else { format!("https://{host}") };
    let store = Arc::new(S3Store::new(Bucket::of_host(&origin, &region, keys), url));
    Ok(Place { store, name: name.to_owned() })
}

/// 3271: it is there, and FORMAT is not said.
pub fn to_write(ddl: &mut Ddl<'_>, url: &str, options: &Options, lanes: &Arc<Lanes>) -> SqlResult<Arc<ObjectWriter>> {
    let Place { store, name } = place(ddl, url, options)?;
    let replaces = options.has("FORMAT");
    let was_there = match object::find(&store, &name) {
        Ok(found) => found.is_some(),
        // Who may write alone is not told: an object that is there is found at the end.
        Err(refusal) if refusal.number == object::DENIED && refusal.said.contains("AccessDenied") => true,
        Err(refusal) => return Err(cannot_open(url, &refusal)),
    };
    if was_there && !replaces {
        return Err(exists(url));
    }
    let part = options.number("MAXTRANSFERSIZE").unwrap_or(PART_DEFAULT) as usize;
    let wanted = WantedObject { part, replaces, was_there };
    let writer = ObjectWriter::begin(store, &name, wanted, lanes.clone());
    Ok(Arc::new(writer.map_err(|refusal| cannot_open(url, &refusal))?))
}

fn exists(url: &str) -> SqlError {
    let why = format!(
        "The file {url} exists on the remote endpoint, and WITH FORMAT was not specified. Backup cannot continue."
    );
    sql_error!(3271, url, why)
}

pub fn to_read(ddl: &mut Ddl<'_>, url: &str, options: &Options) -> SqlResult<Arc<ObjectReader>> {
    let Place { store, name } = place(ddl, url, options)?;
    let found = object::find(&store, &name).map_err(|refusal| cannot_open(url, &refusal))?;
    let not_found = || cannot_open(url, &Refusal::plain(object::NOT_FOUND, "there is no such object".into()));
    Ok(Arc::new(ObjectReader::new(store, &name, found.ok_or_else(not_found)?)))
}

/// Of what was written there.
pub fn write_error(url: &str, refusal: &Refusal) -> SqlError {
    tracing::warn!(url, number = refusal.number, "the store of a backup refused: {}", refusal.said);
    match refusal.number {
        object::EXISTS => exists(url),
        _ => sql_error!(3202, url, refusal.shown()),
    }
}

/// Of what was read from there.
pub fn read_error(url: &str, refusal: &Refusal) -> SqlError {
    tracing::warn!(url, number = refusal.number, "the store of a backup refused: {}", refusal.said);
    sql_error!(3203, url, refusal.shown())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_a_name() {
        assert_eq!(parts("s3://h:9000/bucket/a/b.bak"), Some(("h:9000", "bucket/a/b.bak")));
        assert_eq!(parts("S3://bucket.h/b.bak"), Some(("bucket.h", "b.bak")));
        for wrong in
            ["s3://h", "s3://h/", "s3:///a", "https://h/a", "s3://h/a/", "s3://u@h/a", "s3://h?x/a", "s3:/", "é"]
        {
            assert_eq!(parts(wrong), None, "{wrong}");
        }
    }
}
