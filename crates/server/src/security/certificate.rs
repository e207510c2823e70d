//! Where the server's certificate comes from: two files of the administrator's, or one that the server makes for itself and renews
//! before it ends.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose, SerialNumber};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use types::datetime::Civil;

use crate::security::tls::{self, Certificate, TlsError};
use crate::security::x509::{self, DAY_SECONDS, DAYS_TO_1970};
use crate::settings::options::{DataLocation, Settings};

/// How long a certificate of the server's own is good.
const OWN_DAYS: i64 = 365;
/// It begins so much before it is made: clocks of clients go wrong.
const EARLIER_SECONDS: i64 = DAY_SECONDS;
/// So much before its end it is renewed, or the log begins to speak of it.
pub const RENEWAL_SECONDS: i64 = 30 * DAY_SECONDS;
/// Who signed it, by which the server knows its own: another that somebody put in its place is left alone.
const OWN_ORGANIZATION: &str = "Heddle Self Signed";

/// Longer than any name that a certificate may have (RFC 5280, ub-common-name).
const COMMON_NAME_MAX: usize = 64;

/// Seconds since 1970.
pub fn now() -> i64 {
    (os::clock::utc_ticks() / 10_000_000) as i64 - DAYS_TO_1970 * DAY_SECONDS
}

impl Certificate {
    /// Self-signed, for this host and loopback, so that a client that is told to trust it can also verify its name.
    pub fn generate(host: &str) -> Result<Certificate, TlsError> {
        Certificate::generate_at(host, now())
    }

    /// As it is made at `now`, in seconds since 1970.
    pub fn generate_at(host: &str, now: i64) -> Result<Certificate, TlsError> {
        let failed = |error: rcgen::Error| TlsError(format!("cannot make a certificate: {error}"));
        let mut names = ["localhost", "127.0.0.1", "::1"].map(String::from).to_vec();
        if !host.is_empty() && !names.iter().any(|name| name.eq_ignore_ascii_case(host)) {
            names.push(host.to_owned());
        }
        let mut params = CertificateParams::new(names).map_err(failed)?;
        let common_name: String = host.chars().take(COMMON_NAME_MAX).collect();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::OrganizationName, OWN_ORGANIZATION);
        params.distinguished_name.push(DnType::CommonName, common_name);
        let at = |seconds: i64| rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(seconds.max(0) as u64);
        params.not_before = at(now - EARLIER_SECONDS);
        params.not_after = at(now + OWN_DAYS * DAY_SECONDS);
        let mut serial = [0; 16];
        os::random::fill(&mut serial);
        // A positive number without leading zeros (RFC 5280 4.1.2.2).
        serial[0] = serial[0] & 0x7F | 0x40;
        params.serial_number = Some(SerialNumber::from_slice(&serial));
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate().map_err(failed)?;
        let made = params.self_signed(&key).map_err(failed)?;
        Ok(Certificate { certificate: made.pem(), key: key.serialize_pem() })
    }

    fn first(&self) -> Option<CertificateDer<'static>> {
        CertificateDer::from_pem_slice(self.certificate.as_bytes()).ok()
    }

    /// When it ends, in seconds since 1970. None: it does not say so in a way that is understood.
    pub fn ends(&self) -> Option<i64> {
        x509::read(&self.first()?).map(|said| said.ends)
    }

    /// The server made it for itself.
    pub fn is_own(&self) -> bool {
        let Some(der) = self.first() else { return false };
        der.windows(OWN_ORGANIZATION.len()).any(|part| part == OWN_ORGANIZATION.as_bytes())
    }
}

/// Where a certificate is looked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// The administrator's files.
    Files(PathBuf, PathBuf),
    /// Files in the data directory that the server makes for itself.
    Kept(PathBuf, PathBuf),
    /// Nowhere: one is made for this run.
    Memory,
}

impl Source {
    pub fn of(settings: &Settings) -> Source {
        match (&settings.tls, &settings.data) {
            (Some((certificate, key)), _) => Source::Files(certificate.clone(), key.clone()),
            (None, DataLocation::Memory) => Source::Memory,
            (None, DataLocation::Directory(directory)) => {
                Source::Kept(directory.join("tls/certificate.pem"), directory.join("tls/key.pem"))
            }
        }
    }

    /// Reads what is there; one of the server's own is made where there is none, or where it ends soon or has been torn.
    pub fn load(&self, now: i64) -> Result<Certificate, String> {
        match self {
            Source::Files(certificate, key) => read(certificate, key),
            Source::Memory => make(now),
            Source::Kept(certificate, key) => {
                if os::fs::exists(certificate) && os::fs::exists(key) {
                    let found = read(certificate, key)?;
                    if !found.is_own() || !ends_soon(found.ends(), now) && tls::fits(&found) {
                        return Ok(found);
                    }
                    tracing::info!("the server's own certificate ends soon, or is torn: it is renewed");
                }
                let made = make(now)?;
                write(key, &made.key)?;
                write(certificate, &made.certificate)?;
                Ok(made)
            }
        }
    }
}

/// Of a certificate that ends at that time.
pub fn ends_soon(ends: Option<i64>, now: i64) -> bool {
    ends.is_some_and(|ends| ends - now < RENEWAL_SECONDS)
}

/// `2026-11-25 10:00:00`, UTC.
pub fn time_text(seconds: i64) -> String {
    let date = Civil::from_days(seconds.div_euclid(DAY_SECONDS) + DAYS_TO_1970);
    let second = seconds.rem_euclid(DAY_SECONDS);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{:04}-{:02}-{:02} {hour:02}:{minute:02}:{second:02}", date.year, date.month, date.day)
}

fn make(now: i64) -> Result<Certificate, String> {
    Certificate::generate_at(&os::env::host_name(), now).map_err(|error| error.to_string())
}

fn read(certificate: &Path, key: &Path) -> Result<Certificate, String> {
    let failed = |what: &str, path: &Path, error: std::io::Error| format!("the {what} {}: {error}", path.display());
    Ok(Certificate {
        certificate: os::fs::read_text(certificate).map_err(|error| failed("certificate", certificate, error))?,
        key: os::fs::read_secret(key).map_err(|error| failed("private key", key, error))?,
    })
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let directory = path.parent().unwrap_or(Path::new("."));
    os::fs::create_dir_all(directory)
        .and_then(|()| os::fs::write(path, text.as_bytes()))
        .map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-25 00:00:00.
    const NOW: i64 = 1_795_564_800;

    #[test]
    fn a_certificate_of_the_servers_own_is_good_for_a_year() {
        let made = Certificate::generate_at("db.example", NOW).expect("made");
        assert!(made.is_own());
        let ends = made.ends().expect("it says so");
        assert_eq!(time_text(ends), "2027-11-25 00:00:00");
        assert!(!ends_soon(made.ends(), ends - 31 * DAY_SECONDS));
        assert!(ends_soon(made.ends(), ends - 29 * DAY_SECONDS));
        let der = made.first().expect("PEM");
        for name in ["db.example", "localhost"] {
            assert!(der.windows(name.len()).any(|part| part == name.as_bytes()), "{name}");
        }
        let again = Certificate::generate_at("db.example", NOW).expect("made").first().expect("PEM");
        // Version and length of the serial number are the same, the number is not.
        assert_ne!(der[12..32], again[12..32]);
        let late = Certificate::generate_at("db.example", NOW + 30 * 365 * DAY_SECONDS).expect("made");
        assert!(time_text(late.ends().expect("GeneralizedTime")).starts_with("2057-"));
    }

    #[test]
    fn the_servers_own_is_kept_renewed_and_mended_and_anothers_left_alone() {
        let directory = os::fs::temporary("certificate");
        let source = Source::Kept(directory.join("tls/certificate.pem"), directory.join("tls/key.pem"));
        let Source::Kept(certificate, key) = &source else { unreachable!() };
        let first = source.load(NOW).expect("made");
        let same = source.load(NOW + 100 * DAY_SECONDS).expect("read");
        assert_eq!(same.certificate, first.certificate);
        let renewed = source.load(NOW + 340 * DAY_SECONDS).expect("renewed");
        assert_ne!(renewed.certificate, first.certificate);
        // A crash after the key was written.
        write(key, &Certificate::generate("x").expect("made").key).expect("written");
        let mended = source.load(NOW + 340 * DAY_SECONDS).expect("made anew");
        assert!(tls::fits(&mended) && mended.certificate != renewed.certificate);
        let other = rcgen::generate_simple_self_signed(["other".to_owned()]).expect("made");
        write(certificate, &other.cert.pem()).expect("written");
        write(key, &other.signing_key.serialize_pem()).expect("written");
        let found = source.load(NOW + 1_000_000 * DAY_SECONDS).expect("read");
        assert_eq!((found.is_own(), found.certificate), (false, other.cert.pem()));
        os::fs::remove_dir_all(&directory).expect("removed");
    }
}
