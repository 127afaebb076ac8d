//! TLS over a transport: which roots are trusted, and what its failures mean.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, RootCertStore};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::stamp::Stamped;

/// What may be set about TLS.
#[derive(Clone, Debug, Default)]
pub struct TlsOptions {
    /// A PEM file of certificates to trust besides the public ones, for a service with a private authority.
    pub ca_file: Option<PathBuf>,
}

/// TLS 1.2 or 1.3 to one host, certificates always checked.
#[derive(Clone)]
pub struct Tls {
    host: String,
    name: ServerName<'static>,
    connector: TlsConnector,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Tls").field("host", &self.host).finish_non_exhaustive()
    }
}

impl Tls {
    /// Trusts the public roots, and those of the options.
    ///
    /// # Errors
    ///
    /// [`TlsError`] where the file cannot be read or holds no certificate, or where the host is no name or address.
    pub fn new(host: &str, options: &TlsOptions) -> Result<Self, TlsError> {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        if let Some(path) = &options.ca_file {
            for certificate in certificates(path)? {
                roots
                    .add(certificate)
                    .map_err(|source| TlsError::Certificate { path: path.clone(), source })?;
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Versions)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let name = ServerName::try_from(host.to_owned()).map_err(|_| TlsError::Name(host.to_owned()))?;
        Ok(Self { host: host.to_owned(), name, connector: TlsConnector::from(Arc::new(config)) })
    }

    pub(crate) async fn secure<T>(&self, io: T) -> Result<TlsStream<T>, TlsFailure>
    where
        T: AsyncRead + AsyncWrite + Unpin,
    {
        let secured = self.connector.connect(self.name.clone(), io).await;
        secured.map_err(|error| TlsFailure::of(&self.host, &error))
    }
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

/// Options for TLS that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The file of certificates cannot be read.
    #[error("read certificates from {path}: {reason} (a PEM file with BEGIN CERTIFICATE is needed)", path = .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A certificate of the file cannot be a root.
    #[error("trust a certificate of {path}: {source} (it must be a certificate authority's)", path = .path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: rustls::Error,
    },
    /// The host is neither a name nor an address.
    #[error("use {0:?} as a host name for TLS (check the address of the service)")]
    Name(String),
    /// The cryptography at hand has no usable version of the protocol.
    #[error("set up TLS: {0} (this build lacks a usable protocol version)")]
    Versions(rustls::Error),
}

/// Why TLS did not come about.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TlsFailure {
    /// Nobody trusted has signed the certificate.
    #[error(
        "trust the certificate of {host}: unknown issuer (give the authority's certificate by --ca-file)"
    )]
    UnknownIssuer {
        /// The host.
        host: String,
    },
    /// The certificate is for other names.
    #[error("trust the certificate of {host}: it is for another name (use the name the certificate is for)")]
    WrongName {
        /// The host.
        host: String,
    },
    /// The certificate is not valid at this time.
    #[error(
        "trust the certificate of {host}: expired or not yet valid (renew it, or set this machine's clock)"
    )]
    Expired {
        /// The host.
        host: String,
    },
    /// The other side does not speak TLS.
    #[error(
        "speak TLS to {host}: the port answers in plain text (is the address http:// rather than https://?)"
    )]
    PlainText {
        /// The host.
        host: String,
    },
    /// Anything else.
    #[error("speak TLS to {host}: {reason} (is this the TLS port of the service?)")]
    Other {
        /// The host.
        host: String,
        /// What went wrong.
        reason: String,
    },
}

impl TlsFailure {
    fn of(host: &str, error: &io::Error) -> Self {
        use rustls::Error::{InvalidCertificate, InvalidMessage};
        let host = host.to_owned();
        match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(InvalidCertificate(CertificateError::UnknownIssuer)) => Self::UnknownIssuer { host },
            Some(InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Self::WrongName { host },
            Some(InvalidCertificate(
                CertificateError::Expired
                | CertificateError::ExpiredContext { .. }
                | CertificateError::NotValidYet
                | CertificateError::NotValidYetContext { .. },
            )) => Self::Expired { host },
            Some(InvalidMessage(_)) => Self::PlainText { host },
            Some(other) => Self::Other { host, reason: other.to_string() },
            None => Self::Other { host, reason: error.to_string() },
        }
    }
}

/// A stamped transport with TLS over it, or without. Reads that bring something are counted here as well: below, TLS
/// reads much that is nobody's answer.
pub(crate) enum MaybeTls<T> {
    Plain(Stamped<T>),
    Tls(Box<TlsStream<Stamped<T>>>),
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncRead for MaybeTls<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let (read, stamped) = match self.get_mut() {
            Self::Plain(io) => (Pin::new(&mut *io).poll_read(cx, buffer), &*io),
            Self::Tls(io) => (Pin::new(&mut *io).poll_read(cx, buffer), io.get_ref().0),
        };
        if buffer.filled().len() > before {
            stamped.stamps().read_plainly();
        }
        read
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncWrite for MaybeTls<T> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(io) => Pin::new(io).poll_write(cx, bytes),
            Self::Tls(io) => Pin::new(io).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(io) => Pin::new(io).poll_write_vectored(cx, slices),
            Self::Tls(io) => Pin::new(io).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(io) => io.is_write_vectored(),
            Self::Tls(io) => io.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(io) => Pin::new(io).poll_flush(cx),
            Self::Tls(io) => Pin::new(io).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(io) => Pin::new(io).poll_shutdown(cx),
            Self::Tls(io) => Pin::new(io).poll_shutdown(cx),
        }
    }
}
