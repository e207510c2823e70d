//! BACKUP ... WITH ENCRYPTION, and what is asked of who reads such a set: the certificate that its key is wrapped for.
//! https://learn.microsoft.com/sql/relational-databases/backup-restore/backup-encryption

use storage::backup::SetKey;
use types::{SqlResult, sql_error};

use super::backup_about::{About, Encryption};
use super::backup_device::Device;
use super::backup_options::{Options, Wrapped};
use super::certificate;
use super::site::{Ddl, cannot_find};
use crate::catalog::MASTER;
use crate::catalog::base::CertificateRow;
use crate::catalog::clock;
use crate::catalog::family::Guid;
use crate::security::encryptor;

const WORD: &str = "certificate";

/// The certificate that a statement names. 15151: there is none, or one may not see it; 3096: it has expired; 33101: its private key is not
/// here.
fn asked(ddl: &mut Ddl<'_>, wrapped: &Wrapped) -> SqlResult<CertificateRow> {
    let name = &*wrapped.certificate;
    let missing = || cannot_find("find", WORD, name);
    let row = certificate::named(ddl, name)?.ok_or_else(missing)?;
    if !certificate::holds(ddl, &row, "VIEW DEFINITION")? {
        return Err(missing());
    }
    if row.ends.0 <= clock::utc().0 {
        return Err(sql_error!(3096));
    }
    certificate::private_key_of(ddl, &row)?;
    Ok(row)
}

/// Before anything is written. 33091 warns of who could not restore the backup elsewhere.
pub fn expect(ddl: &mut Ddl<'_>, options: &Options) -> SqlResult<()> {
    let Some(wrapped) = &options.encryption else { return Ok(()) };
    if asked(ddl, wrapped)?.saved.is_none() {
        ddl.message(sql_error!(33091));
    }
    Ok(())
}

/// A new key for a set, if it is to be encrypted; the device has it.
pub fn begin(ddl: &mut Ddl<'_>, options: &Options, set: &Guid, device: &Device) -> SqlResult<Option<Encryption>> {
    let Some(wrapped) = &options.encryption else { return Ok(None) };
    let row = asked(ddl, wrapped)?;
    let private = certificate::private_key_of(ddl, &row)?;
    let mut key = vec![0; wrapped.algorithm.key_bytes()];
    os::random::fill(&mut key);
    device.unlock(SetKey::new(wrapped.algorithm, &key));
    let thumbprint = row.thumbprint.0.unwrap_or_default().into_vec();
    Ok(Some(Encryption { algorithm: wrapped.algorithm, thumbprint, wrapped: encryptor::wrap(&private, set, &key) }))
}

/// Gives the device the key of a set that is encrypted. 33111: the certificate is not here, or one may not see it.
pub fn unlock(ddl: &mut Ddl<'_>, device: &Device, about: &About) -> SqlResult<()> {
    let Some(encryption) = &about.encryption else { return Ok(()) };
    let shown: String = encryption.thumbprint.iter().map(|byte| format!("{byte:02X}")).collect();
    let missing = || sql_error!(33111, WORD, format_args!("0x{shown}"));
    let master = ddl.catalog.expect_database(MASTER);
    let all: Vec<CertificateRow> = ddl.catalog.read(&master, |rows| rows.all())?;
    let is_it = |row: &CertificateRow| row.thumbprint.0.as_deref() == Some(&*encryption.thumbprint);
    let row = all.into_iter().find(is_it).ok_or_else(missing)?;
    if !certificate::holds(ddl, &row, "VIEW DEFINITION")? {
        return Err(missing());
    }
    let private = certificate::private_key_of(ddl, &row)?;
    let key = encryptor::unwrap(&private, &about.id, &encryption.wrapped);
    let key = key.filter(|key| key.len() == encryption.algorithm.key_bytes()).ok_or_else(|| sql_error!(3189))?;
    device.unlock(SetKey::new(encryption.algorithm, &key));
    Ok(())
}
