//! TLS over a transport: which certificates are trusted, and which one is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::WantsClientCert;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::any_certificate::AnyCertificate;
use crate::http_version::HttpVersion;
use crate::tls_failure::{TlsError, TlsFailure};

/// What may be set about TLS.
#[derive(Clone, Debug, Default)]
pub struct TlsOptions {
    /// A PEM file of certificates to trust besides the public ones, for a service with a private authority.
    pub ca_file: Option<PathBuf>,
    /// A PEM file with the certificate to show to a service that demands one, and those that lead from it to an
    /// authority the service knows. It may hold the key as well.
    pub client_cert: Option<PathBuf>,
    /// A PEM file with the key of that certificate, where it is not in the same file.
    pub client_key: Option<PathBuf>,
    /// Takes any certificate of the service: whoever stands in between can then read and answer everything, API key
    /// included.
    pub insecure: bool,
}

/// TLS 1.2 or 1.3 to one host. Certificates are checked, unless the options say otherwise.
#[derive(Clone)]
pub struct Tls {
    host: String,
    name: ServerName<'static>,
    /// What is offered to speak over it is fixed in each.
    http1: TlsConnector,
    http2: TlsConnector,
    either: TlsConnector,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Tls").field("host", &self.host).finish_non_exhaustive()
    }
}

impl Tls {
    /// Trusts the public roots and those of the options, or whatever comes where they say so.
    ///
    /// # Errors
    ///
    /// [`TlsError`] where a file cannot be read or does not hold what it should, where certificate and key do not
    /// belong together, or where the host is no name or address.
    pub fn new(host: &str, options: &TlsOptions) -> Result<Self, TlsError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = with_identity(trusting(provider, options)?, options)?;
        let offering = |protocols: &[&[u8]]| {
            let mut config = config.clone();
            config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
            TlsConnector::from(Arc::new(config))
        };
        let name = ServerName::try_from(host.to_owned()).map_err(|_| TlsError::Name(host.to_owned()))?;
        Ok(Self {
            host: host.to_owned(),
            name,
            http1: offering(&[b"http/1.1"]),
            http2: offering(&[b"h2"]),
            either: offering(&[b"h2", b"http/1.1"]),
        })
    }

    pub(crate) async fn secure<T>(&self, io: T, http: HttpVersion) -> Result<TlsStream<T>, TlsFailure>
    where
        T: AsyncRead + AsyncWrite + Unpin,
    {
        let connector = match http {
            HttpVersion::Http2 => &self.http2,
            HttpVersion::Auto if cfg!(feature = "http2") => &self.either,
            HttpVersion::Auto | HttpVersion::Http1 => &self.http1,
        };
        let secured = connector.connect(self.name.clone(), io).await;
        secured.map_err(|error| TlsFailure::of(&self.host, &error))
    }
}

type ServerTrusted = ConfigBuilder<ClientConfig, WantsClientCert>;

fn trusting(provider: Arc<CryptoProvider>, options: &TlsOptions) -> Result<ServerTrusted, TlsError> {
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(TlsError::Versions)?;
    // Looked at even where it decides nothing: a file that cannot be used is a mistake to be told of.
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(path) = &options.ca_file {
        for certificate in certificates(path)? {
            roots.add(certificate).map_err(|source| TlsError::Certificate { path: path.clone(), source })?;
        }
    }
    if options.insecure {
        let any = Arc::new(AnyCertificate::new(provider));
        return Ok(config.dangerous().with_custom_certificate_verifier(any));
    }
    Ok(config.with_root_certificates(roots))
}

fn with_identity(config: ServerTrusted, options: &TlsOptions) -> Result<ClientConfig, TlsError> {
    let Some(path) = &options.client_cert else {
        return match &options.client_key {
            Some(key) => Err(TlsError::KeyAlone { path: key.clone() }),
            None => Ok(config.with_no_client_auth()),
        };
    };
    let chain = certificates(path)?;
    let key_path = options.client_key.as_ref().unwrap_or(path);
    let key = PrivateKeyDer::from_pem_file(key_path)
        .map_err(|error| TlsError::Key { path: key_path.clone(), reason: error.to_string() })?;
    config.with_client_auth_cert(chain, key).map_err(|source| TlsError::Identity {
        certificate: path.clone(),
        key: key_path.clone(),
        source,
    })
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let unreadable = |reason: String| TlsError::File { path: path.to_owned(), reason };
    let pem = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let found = found.map_err(|error| unreadable(error.to_string()))?;
    if found.is_empty() {
        return Err(unreadable("no certificate in it".to_owned()));
    }
    Ok(found)
}
