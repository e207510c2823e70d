//! Where an archive lies: a directory, or `s3://bucket/path`, a bucket of an S3 store or a part of it.

use std::path::Path;
use std::sync::Arc;

use storage::archive::{DirectoryStore, Store};

use super::aws;
use super::s3::{Bucket, S3Store};

const S3: &str = "s3://";

/// To be written: a directory is made if it is not there. Err: why it cannot be used, with its name.
pub fn to_write(place: &str) -> Result<Arc<dyn Store>, String> {
    open(place, DirectoryStore::new)
}

/// To be read: it must be there.
pub fn to_read(place: &str) -> Result<Arc<dyn Store>, String> {
    open(place, DirectoryStore::existing)
}

/// The directory that it is. None: it is somewhere else.
pub fn directory(place: &str) -> Option<&Path> {
    (!place.starts_with(S3)).then(|| Path::new(place))
}

fn open<E: ToString>(
    place: &str,
    directory: impl FnOnce(&Path) -> Result<DirectoryStore, E>,
) -> Result<Arc<dyn Store>, String> {
    let Some(bucket) = place.strip_prefix(S3) else {
        let store = directory(Path::new(place)).map_err(|error| error.to_string())?;
        return Ok(Arc::new(store));
    };
    let told = aws::told(&os::env::var, &|path| os::fs::read_text(path).ok())?;
    let bucket = Bucket::new(bucket, told.endpoint.as_deref(), &told.region, told.keys);
    let bucket = bucket.map_err(|why| format!("{place}: {why}"))?;
    Ok(Arc::new(S3Store::new(bucket, place)))
}
