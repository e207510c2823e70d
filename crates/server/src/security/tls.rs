//! The server's certificate and its TLS configurations: inside TDS packets (7.x), around them (8.0, "strict"), and around HTTP.
//!
//! Inside TDS packets only TLS 1.2 is offered, as SQL Server does: a TLS 1.3 server sends session tickets after the handshake, when
//! FreeTDS and tiberius no longer look for wrapped records.

use std::sync::Arc;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::{TLS12, TLS13};
use rustls::{ServerConfig, ServerConnection};

/// Why a certificate cannot be used; the text says what to do.
#[derive(Debug)]
pub struct TlsError(String);

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

impl Certificate {
    /// Self-signed, for this host and loopback, so that a client that is told to trust it can also verify its name.
    pub fn generate(host: &str) -> Result<Certificate, TlsError> {
        let names = ["localhost", "127.0.0.1", "::1", host].map(String::from).to_vec();
        let made = rcgen::generate_simple_self_signed(names)
            .map_err(|error| TlsError(format!("cannot make a certificate: {error}")))?;
        Ok(Certificate { certificate: made.cert.pem(), key: made.signing_key.serialize_pem() })
    }
}

/// What new connections use.
pub struct Tls {
    wrapped: Arc<ServerConfig>,
    strict: Arc<ServerConfig>,
    http: Arc<ServerConfig>,
}

impl Tls {
    pub fn new(pem: &Certificate) -> Result<Tls, TlsError> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(pem.certificate.as_bytes())
            .collect::<Result<_, _>>()
            .map_err(|error| TlsError(format!("the certificate is not PEM: {error}")))?;
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
        Ok(Tls { wrapped: Arc::new(wrapped), strict: Arc::new(strict), http: Arc::new(http) })
    }

    /// For a handshake carried in TDS packets.
    pub fn wrapped(&self) -> ServerConnection {
        ServerConnection::new(self.wrapped.clone()).expect("the configuration was checked when it was made")
    }

    /// For TLS before the first TDS packet.
    pub fn strict(&self) -> ServerConnection {
        ServerConnection::new(self.strict.clone()).expect("the configuration was checked when it was made")
    }

    /// For the live page.
    pub fn http(&self) -> ServerConnection {
        ServerConnection::new(self.http.clone()).expect("the configuration was checked when it was made")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_certificate_serves() {
        let pem = Certificate::generate("db.example").expect("generated");
        let tls = Tls::new(&pem).expect("usable");
        assert!(tls.wrapped().is_handshaking());
        assert!(tls.strict().is_handshaking());
    }

    #[test]
    fn a_bad_key_is_refused_with_a_reason() {
        let mut pem = Certificate::generate("db.example").expect("generated");
        pem.key = "-----BEGIN NOTHING-----".into();
        let error = Tls::new(&pem).err().expect("refused");
        assert!(error.to_string().contains("private key"), "{error}");
    }
}
