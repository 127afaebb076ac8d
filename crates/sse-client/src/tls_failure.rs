//! What goes wrong with TLS, and what to do about it.

use std::io;
use std::path::PathBuf;

use rustls::{AlertDescription, CertificateError};
use thiserror::Error;

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
    /// The file of the client's key cannot be read.
    #[error(
        "read the client's key from {path}: {reason} (a PEM file with BEGIN PRIVATE KEY is needed; name it by --client-key)",
        path = .path.display()
    )]
    Key {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A key without a certificate.
    #[error("use the key in {path} without its certificate (name the certificate by --client-cert)", path = .path.display())]
    KeyAlone {
        /// The file of the key.
        path: PathBuf,
    },
    /// The client's certificate and key cannot be used together.
    #[error(
        "use the certificate in {certificate} with the key in {key}: {source} (they must belong together)",
        certificate = .certificate.display(), key = .key.display()
    )]
    Identity {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
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
    /// The service shows an authority's certificate as its own, as those do that `openssl req -x509` makes.
    #[error(
        "trust the certificate of {host}: it is an authority's and no server's (issue one with basicConstraints CA:FALSE, or measure with --insecure)"
    )]
    AuthorityAsServer {
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
    /// The service demands a certificate of the client, and was shown none.
    #[error(
        "speak TLS to {host}: it demands a certificate of the client (give one by --client-cert and --client-key)"
    )]
    CertificateDemanded {
        /// The host.
        host: String,
    },
    /// The service does not take the client's certificate.
    #[error(
        "speak TLS to {host}: it refuses the client's certificate, saying {alert} (is it from an authority the service knows, and still valid?)"
    )]
    CertificateRefused {
        /// The host.
        host: String,
        /// The alert it sent.
        alert: String,
    },
    /// The two sides have no protocol to speak over TLS in common.
    #[error("speak HTTP over TLS to {host}: it knows no version that was offered (try another --http)")]
    NoProtocol {
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
    pub(crate) fn of(host: &str, error: &io::Error) -> Self {
        use rustls::Error::{AlertReceived, InvalidCertificate, InvalidMessage};
        let host = host.to_owned();
        match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(InvalidCertificate(CertificateError::UnknownIssuer)) => Self::UnknownIssuer { host },
            // The library has no kind of its own for it.
            Some(InvalidCertificate(CertificateError::Other(other)))
                if other.to_string().contains("CaUsedAsEndEntity") =>
            {
                Self::AuthorityAsServer { host }
            }
            Some(InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Self::WrongName { host },
            Some(InvalidCertificate(
                CertificateError::Expired
                | CertificateError::ExpiredContext { .. }
                | CertificateError::NotValidYet
                | CertificateError::NotValidYetContext { .. },
            )) => Self::Expired { host },
            Some(AlertReceived(alert)) => Self::alerted(host, *alert),
            Some(InvalidMessage(_)) => Self::PlainText { host },
            Some(other) => Self::Other { host, reason: other.to_string() },
            None => Self::Other { host, reason: error.to_string() },
        }
    }

    /// What an alert of the service means.
    pub(crate) fn alerted(host: String, alert: AlertDescription) -> Self {
        use AlertDescription as Alert;
        match alert {
            Alert::CertificateRequired => Self::CertificateDemanded { host },
            Alert::NoApplicationProtocol => Self::NoProtocol { host },
            Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateRevoked
            | Alert::CertificateExpired
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            | Alert::AccessDenied => Self::CertificateRefused { host, alert: format!("{alert:?}") },
            // Servers of TLS 1.2 say no more than this where a certificate was demanded and none came.
            Alert::HandshakeFailure => Self::Other {
                host,
                reason: "HandshakeFailure, as of a service that demands a certificate (--client-cert) or other ciphers"
                    .to_owned(),
            },
            _ => Self::Other { host, reason: rustls::Error::AlertReceived(alert).to_string() },
        }
    }
}

/// The alert that an error of a secured transport tells of.
pub(crate) fn alert(error: &io::Error) -> Option<AlertDescription> {
    match error.get_ref()?.downcast_ref::<rustls::Error>()? {
        rustls::Error::AlertReceived(alert) => Some(*alert),
        _ => None,
    }
}
