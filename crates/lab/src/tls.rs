//! TLS of a client: which certificates it believes, and a connection's two directions of bytes.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme};

/// Where Linux distributions keep the certificates they trust.
const SYSTEM_ROOTS: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// Whose certificate is believed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Trust {
    /// The system's authorities, and the name must match.
    #[default]
    System,
    /// Anybody's: only against listeners, not against impostors.
    Anyone,
    /// Exactly the certificate in this PEM file, or one that it has signed.
    File(String),
}

/// What all connections of a tool share.
#[derive(Clone)]
pub struct TlsSettings {
    config: Arc<ClientConfig>,
}

impl TlsSettings {
    /// `strict`: TDS 8.0 offers TLS 1.3 and names itself; inside TDS 7.x packets it is TLS 1.2, as servers have it.
    pub fn new(trust: &Trust, strict: bool) -> Result<TlsSettings, String> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone());
        let builder = if strict {
            builder.with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
        } else {
            builder.with_protocol_versions(&[&rustls::version::TLS12])
        }
        .map_err(|error| error.to_string())?;
        let mut config = match trust {
            Trust::Anyone => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(BelieveAnyone { provider }))
                .with_no_client_auth(),
            Trust::System => builder.with_root_certificates(system_roots()?).with_no_client_auth(),
            Trust::File(path) => {
                let certificates = read_certificates(Path::new(path))?;
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(Arc::new(BelievePinned { provider, certificates }))
                    .with_no_client_auth()
            }
        };
        if strict {
            config.alpn_protocols = vec![b"tds/8.0".to_vec()];
        }
        Ok(TlsSettings { config: Arc::new(config) })
    }

    pub fn connect(&self, host: &str) -> Result<ClientConnection, String> {
        let name = ServerName::try_from(host.to_owned()).map_err(|_| format!("'{host}' is no host name"))?;
        ClientConnection::new(self.config.clone(), name).map_err(|error| error.to_string())
    }
}

impl Trust {
    /// Whether there is what it names. Err: why not.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Trust::File(path) => read_certificates(Path::new(path)).map(|_| ()),
            Trust::System | Trust::Anyone => Ok(()),
        }
    }
}

fn read_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let fail = |why: String| format!("the certificate file {}: {why}", path.display());
    let bytes = os::fs::read(path).map_err(|error| fail(error.to_string()))?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    let found = found.map_err(|error| fail(format!("{error:?}")))?;
    if found.is_empty() { Err(fail("there is no certificate in it".into())) } else { Ok(found) }
}

fn system_roots() -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let path = SYSTEM_ROOTS.into_iter().map(Path::new).find(|path| os::fs::exists(path));
    if let Some(path) = path {
        roots.add_parsable_certificates(read_certificates(path)?);
    }
    Ok(roots)
}

/// Signatures are still checked: the peer must own the key of the certificate it shows.
#[derive(Debug)]
struct BelieveAnyone {
    provider: Arc<CryptoProvider>,
}

#[derive(Debug)]
struct BelievePinned {
    provider: Arc<CryptoProvider>,
    certificates: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for BelieveAnyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl ServerCertVerifier for BelievePinned {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if self.certificates.iter().any(|pinned| pinned.as_ref() == shown.as_ref()) {
            return Ok(ServerCertVerified::assertion());
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(self.certificates.iter().cloned());
        rustls::client::WebPkiServerVerifier::builder_with_provider(Arc::new(roots), self.provider.clone())
            .build()
            .map_err(|_| rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer))?
            .verify_server_cert(shown, others, name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// All TLS bytes waiting to be sent.
pub fn outgoing(tls: &mut ClientConnection) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    while tls.wants_write() {
        tls.write_tls(&mut bytes).map_err(|error| error.to_string())?;
    }
    Ok(bytes)
}

/// Takes some of `bytes`, which come from the socket, off the front. What they decrypt to must be read before the next call: rustls
/// holds a record or two, then takes no more.
pub fn incoming(tls: &mut ClientConnection, bytes: &mut &[u8]) -> Result<(), String> {
    if tls.read_tls(bytes).map_err(|error| error.to_string())? == 0 {
        return Err("the server sent on after closing TLS".into());
    }
    tls.process_new_packets().map_err(|error| error.to_string())?;
    Ok(())
}

/// Decrypted bytes, as many as there are, at most `space.len()`.
pub fn read_plain(tls: &mut ClientConnection, space: &mut [u8]) -> Result<usize, String> {
    match tls.reader().read(space) {
        Ok(count) => Ok(count),
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(0),
        Err(error) => Err(error.to_string()),
    }
}

pub fn write_plain(tls: &mut ClientConnection, mut bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut sent = Vec::new();
    while !bytes.is_empty() {
        // rustls takes what fits its own buffer; drain it as we go.
        let taken = tls.writer().write(bytes).map_err(|error| error.to_string())?;
        bytes = &bytes[taken..];
        sent.extend(outgoing(tls)?);
    }
    Ok(sent)
}
