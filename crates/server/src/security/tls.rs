//! The server's certificate and its TLS configurations: inside TDS packets (7.x), around them (8.0, "strict"), and around HTTP.
//!
//! Inside TDS packets only TLS 1.2 is offered, as SQL Server does: a TLS 1.3 server sends session tickets after the handshake, when
//! FreeTDS and tiberius no longer look for wrapped records.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use os::sync::Mutex;
use os::wait::WaitType;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use rustls::{ServerConfig, ServerConnection};

/// Why a certificate cannot be used; the text says what to do.
#[derive(Debug)]
pub struct TlsError(pub(crate) String);

impl std::fmt::Display for TlsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsError {}

/// A certificate and its private key, both PEM.
#[derive(Clone)]
pub struct Certificate {
    pub certificate: String,
    pub key: String,
}

/// A certificate, ready for each way it is used.
#[derive(Clone)]
struct Configurations {
    wrapped: Arc<ServerConfig>,
    strict: Arc<ServerConfig>,
    http: Arc<ServerConfig>,
}

impl Configurations {
    fn new(pem: &Certificate) -> Result<Configurations, TlsError> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(pem.certificate.as_bytes())
            .collect::<Result<_, _>>()
            .map_err(|error| TlsError(format!("the certificate is not PEM: {error}")))?;
        if chain.is_empty() {
            return Err(TlsError("there is no certificate in the file, in PEM".into()));
        }
        let key = PrivateKeyDer::from_pem_slice(pem.key.as_bytes())
            .map_err(|error| TlsError(format!("the private key is not PEM: {error}")))?;
        let build = |versions: &[&'static rustls::SupportedProtocolVersion]| {
            ServerConfig::builder_with_provider(Arc::new(default_provider()))
                .with_protocol_versions(versions)
                .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain.clone(), key.clone_key()))
                .map_err(|error| TlsError(format!("certificate and private key cannot be used: {error}")))
        };
        let mut wrapped = build(&[&TLS12])?;
        wrapped.send_tls13_tickets = 0;
        let mut strict = build(&[&TLS12, &TLS13])?;
        strict.alpn_protocols = vec![b"tds/8.0".to_vec()];
        let mut http = build(&[&TLS12, &TLS13])?;
        http.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Configurations { wrapped: Arc::new(wrapped), strict: Arc::new(strict), http: Arc::new(http) })
    }
}

/// What new connections use. A connection keeps what it began with.
pub struct Tls {
    now: Mutex<(Certificate, Configurations)>,
    /// When its end is looked at again, in seconds since 1970.
    pub(crate) next_look: AtomicI64,
}

impl Tls {
    pub fn new(pem: &Certificate) -> Result<Tls, TlsError> {
        let configurations = Configurations::new(pem)?;
        let now = Mutex::new(WaitType::SOS_MUTEX, (pem.clone(), configurations));
        Ok(Tls { now, next_look: AtomicI64::new(0) })
    }

    /// For all connections from now on. Err: it cannot be used, and all stays as it was.
    pub fn replace(&self, pem: &Certificate) -> Result<(), TlsError> {
        let configurations = Configurations::new(pem)?;
        *self.now.lock() = (pem.clone(), configurations);
        Ok(())
    }

    pub fn certificate(&self) -> Certificate {
        self.now.lock().0.clone()
    }

    /// For a handshake carried in TDS packets.
    pub fn wrapped(&self) -> ServerConnection {
        connection(self.now.lock().1.wrapped.clone())
    }

    /// For TLS before the first TDS packet.
    pub fn strict(&self) -> ServerConnection {
        connection(self.now.lock().1.strict.clone())
    }

    /// For the live page.
    pub fn http(&self) -> ServerConnection {
        connection(self.now.lock().1.http.clone())
    }
}

fn connection(configuration: Arc<ServerConfig>) -> ServerConnection {
    ServerConnection::new(configuration).expect("the configuration was checked when it was made")
}

/// Whether certificate and key can be used together.
pub fn fits(pem: &Certificate) -> bool {
    check(pem).is_ok()
}

/// Why they do not.
pub fn check(pem: &Certificate) -> Result<(), TlsError> {
    Configurations::new(pem).map(|_| ())
}

/// Whether a private key, in PKCS #8, is that of a certificate, in DER.
pub fn belongs(certificate: &[u8], key: &[u8]) -> bool {
    let chain = vec![CertificateDer::from(certificate.to_vec())];
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.to_vec()));
    CertifiedKey::from_der(chain, key, &default_provider()).is_ok_and(|pair| pair.keys_match().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made() -> Certificate {
        let made = rcgen::generate_simple_self_signed(["db.example".to_owned()]).expect("made");
        Certificate { certificate: made.cert.pem(), key: made.signing_key.serialize_pem() }
    }

    #[test]
    fn a_certificate_serves_until_it_is_replaced_by_a_good_one() {
        let pem = made();
        let tls = Tls::new(&pem).expect("usable");
        assert!(tls.wrapped().is_handshaking());
        assert!(tls.strict().is_handshaking());
        let other = made();
        assert!(tls.replace(&Certificate { key: pem.key.clone(), ..other.clone() }).is_err(), "not its key");
        assert_eq!(tls.certificate().certificate, pem.certificate);
        tls.replace(&other).expect("usable");
        assert_eq!(tls.certificate().certificate, other.certificate);
    }

    #[test]
    fn a_bad_key_is_refused_with_a_reason() {
        let mut pem = made();
        pem.key = "-----BEGIN NOTHING-----".into();
        let error = Tls::new(&pem).err().expect("refused");
        assert!(error.to_string().contains("private key"), "{error}");
    }
}
