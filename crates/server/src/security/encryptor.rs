//! Certificates that keep the keys of encrypted backups: who has the private key can read them.
//!
//! A set has a key of its own (`storage::backup::SetKey`), which lies in the set, wrapped by a key that follows from the certificate's private
//! key; the certificate's thumbprint says which one is wanted. SQL Server wraps with the public key; but it asks for the private key when it
//! encrypts, too, and so nothing is lost here that somebody could do there.
//!
//! ```text
//! wrapped    a secret (`super::secret`) under HKDF-SHA-256 of the private key as it lies in PKCS #8; of the set's id
//! ```

use std::time::Duration;

use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, SerialNumber};
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};

use super::secret::{self, KEY_BYTES, Key};
use super::tls;
use super::x509;

const INFO: &[u8] = b"the key of a backup";
/// "The subject should be no more than 64 characters long, and this limit is enforced for SQL Server on Linux."
/// https://learn.microsoft.com/sql/t-sql/statements/create-certificate-transact-sql
const SUBJECT_MAX: usize = 64;

/// A certificate in DER and its private key in PKCS #8.
pub struct Pair {
    pub certificate: Vec<u8>,
    pub key: Vec<u8>,
}

impl Pair {
    /// Self-signed. From and to: seconds since 1970. None: it cannot be made of these.
    pub fn generate(subject: &str, from: i64, to: i64) -> Option<Pair> {
        let length = subject.chars().count();
        if length == 0 || length > SUBJECT_MAX || from < 0 || to <= from {
            return None;
        }
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, subject);
        let at = |seconds: i64| rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(seconds as u64);
        (params.not_before, params.not_after) = (at(from), at(to));
        let mut serial = [0; 16];
        os::random::fill(&mut serial);
        // A positive number without leading zeros (RFC 5280 4.1.2.2).
        serial[0] = serial[0] & 0x7F | 0x40;
        params.serial_number = Some(SerialNumber::from_slice(&serial));
        let key = KeyPair::generate().ok()?;
        let made = params.self_signed(&key).ok()?;
        Some(Pair { certificate: made.der().to_vec(), key: key.serialize_der() })
    }

    /// The private key is that of the certificate.
    pub fn fits(&self) -> bool {
        x509::read(&self.certificate).is_some() && tls::belongs(&self.certificate, &self.key)
    }
}

/// By which a certificate is found.
pub fn thumbprint(certificate: &[u8]) -> Vec<u8> {
    digest(&SHA1_FOR_LEGACY_USE_ONLY, certificate).as_ref().to_vec()
}

struct Length;

impl KeyType for Length {
    fn len(&self) -> usize {
        KEY_BYTES
    }
}

fn wrapping(private: &[u8]) -> Key {
    let mut key = [0; KEY_BYTES];
    let prk = Salt::new(HKDF_SHA256, &[]).extract(private);
    prk.expand(&[INFO], Length).and_then(|okm| okm.fill(&mut key)).expect("as many bytes as one hash has");
    key
}

/// `of`: the id of the set.
pub fn wrap(private: &[u8], of: &[u8; 16], key: &[u8]) -> Vec<u8> {
    secret::seal(&wrapping(private), of, key)
}

/// None: it was wrapped by another key, is another set's, or was damaged.
pub fn unwrap(private: &[u8], of: &[u8; 16], wrapped: &[u8]) -> Option<Vec<u8>> {
    secret::open(&wrapping(private), of, wrapped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_unwrapped_by_the_certificate_that_wrapped_it() {
        let [one, other] = ["one", "other"].map(|subject| Pair::generate(subject, 0, 4_102_444_800).expect("made"));
        let said = x509::read(&one.certificate).expect("a certificate");
        assert_eq!((&*said.subject, &*said.issuer, said.starts, said.ends), ("one", "one", 0, 4_102_444_800));
        assert!(one.fits() && other.fits() && thumbprint(&one.certificate).len() == 20);
        assert!(!Pair { certificate: one.certificate.clone(), key: other.key.clone() }.fits());
        let wrapped = wrap(&one.key, &[1; 16], &[7; 32]);
        assert_eq!(unwrap(&one.key, &[1; 16], &wrapped), Some(vec![7; 32]));
        assert_eq!(unwrap(&one.key, &[2; 16], &wrapped), None, "another set");
        assert_eq!(unwrap(&other.key, &[1; 16], &wrapped), None, "another certificate");
        for at in 0..wrapped.len() {
            let mut changed = wrapped.clone();
            changed[at] ^= 1;
            assert_eq!(unwrap(&one.key, &[1; 16], &changed), None, "byte {at}");
        }
        for (subject, from, to) in [("", 0, 1), (&*"x".repeat(65), 0, 1), ("x", 1, 1), ("x", -1, 1)] {
            assert!(Pair::generate(subject, from, to).is_none());
        }
    }
}
