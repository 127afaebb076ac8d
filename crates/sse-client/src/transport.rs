//! A stamped transport with TLS over it, or without.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::client::TlsStream;

use crate::stamp::Stamped;
use crate::tls_failure::alert;

/// A stamped transport with TLS over it, or without. Reads that bring something are counted here as well: below, TLS
/// reads much that is nobody's answer.
pub(crate) enum MaybeTls<T> {
    Plain(Stamped<T>),
    Tls(Box<TlsStream<Stamped<T>>>),
}

impl<T> MaybeTls<T> {
    /// The protocol that TLS agreed on.
    pub(crate) fn agreed(&self) -> Option<&[u8]> {
        match self {
            Self::Plain(_) => None,
            Self::Tls(io) => io.get_ref().1.alpn_protocol(),
        }
    }

    /// The version of TLS.
    pub(crate) fn tls_version(&self) -> Option<&'static str> {
        let Self::Tls(io) = self else { return None };
        Some(match io.get_ref().1.protocol_version()? {
            rustls::ProtocolVersion::TLSv1_2 => "1.2",
            rustls::ProtocolVersion::TLSv1_3 => "1.3",
            _ => "another",
        })
    }

    /// Makes the socket wait after every read, until what it brought has been taken.
    #[cfg(feature = "http2")]
    pub(crate) fn one_read_a_turn(&mut self) {
        match self {
            Self::Plain(io) => io.one_read_a_turn(),
            Self::Tls(io) => io.get_mut().0.one_read_a_turn(),
        }
    }
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
            Self::Tls(io) => (poll_once(io, cx, buffer), io.get_ref().0),
        };
        match &read {
            Poll::Ready(Err(error)) => stamped.stamps().alerted(alert(error)),
            _ if buffer.filled().len() > before => stamped.stamps().read_plainly(),
            _ => {}
        }
        read
    }
}

/// Takes what has been decrypted, and reads the socket only where there is none: `poll_read` would read on until the
/// buffer is full, and hand on bytes of several reads as if they had come with the last.
fn poll_once<T: AsyncRead + AsyncWrite + Unpin>(
    io: &mut TlsStream<T>,
    cx: &mut Context<'_>,
    buffer: &mut ReadBuf<'_>,
) -> Poll<io::Result<()>> {
    let taken = {
        let plain = ready!(Pin::new(&mut *io).poll_fill_buf(cx))?;
        let taken = plain.len().min(buffer.remaining());
        buffer.put_slice(&plain[..taken]);
        taken
    };
    Pin::new(io).consume(taken);
    Poll::Ready(Ok(()))
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
