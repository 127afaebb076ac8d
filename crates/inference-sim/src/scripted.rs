//! A server without manners: plays bytes, silences and endings exactly as a script says, over any transport.
//!
//! It speaks no HTTP of its own, so it can send what no HTTP library would: half a chunk, a reset, nothing.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! use inference_sim::scripted::{ScriptedServer, Step};
//! use tokio::io::{AsyncReadExt, AsyncWriteExt};
//!
//! let server = ScriptedServer::bind(vec![vec![Step::WaitRequest, Step::write("bye"), Step::Close]]).await?;
//! let mut client = tokio::net::TcpStream::connect(server.address()).await?;
//! client.write_all(b"GET / HTTP/1.1\r\n\r\n").await?;
//! let mut answer = String::new();
//! client.read_to_string(&mut answer).await?;
//! assert_eq!(answer, "bye");
//! assert_eq!(server.log().requests().len(), 1);
//! # Ok::<(), std::io::Error>(()) }).unwrap();
//! # Ok::<(), std::io::Error>(())
//! ```

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// One thing the server does on a connection. After the last step it closes.
#[derive(Clone, Debug)]
pub enum Step {
    /// Reads one whole request, head and `Content-Length` body, and notes it in the [`Log`].
    WaitRequest,
    /// Writes these bytes in one write, and flushes.
    Write(Vec<u8>),
    /// Writes these bytes over and over, one write every so often, until the client goes.
    Repeat(Vec<u8>, Duration),
    /// Waits for this long. On a paused clock that takes no time.
    Pause(Duration),
    /// Waits until the gate is opened with `notify_one`.
    Gate(Arc<Notify>),
    /// Keeps the connection and does nothing more until the client goes.
    Hang,
    /// Closes the connection in an orderly way.
    Close,
    /// Resets the connection: the client reads an error, not an end. In memory there is no such thing, and the
    /// connection is dropped.
    Reset,
}

impl Step {
    /// [`Step::Write`] of some text or bytes.
    #[must_use]
    pub fn write(bytes: impl AsRef<[u8]>) -> Self {
        Self::Write(bytes.as_ref().to_vec())
    }
}

/// What clients sent, shared by all connections of one server.
#[derive(Clone, Debug, Default)]
pub struct Log {
    requests: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Log {
    /// The requests so far, as their bytes, in the order in which they became whole.
    #[must_use]
    pub fn requests(&self) -> Vec<Vec<u8>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn push(&self, request: Vec<u8>) {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
    }
}

/// A stream that a script can be played on.
pub trait Transport: AsyncRead + AsyncWrite + Unpin + Send {
    /// Ends the stream as harshly as it can be ended.
    fn reset(self);
}

impl Transport for TcpStream {
    fn reset(self) {
        // With no time to linger, closing sends a reset; where that cannot be set, it is an ordinary close.
        let _ = self.set_zero_linger();
    }
}

impl Transport for DuplexStream {
    fn reset(self) {}
}

/// Plays one script on one connection, to its end or until the client goes.
///
/// # Errors
///
/// What the transport reports, once the client has gone.
pub async fn play(mut io: impl Transport, script: &[Step], log: &Log) -> io::Result<()> {
    let mut unread = Vec::new();
    for step in script {
        match step {
            Step::WaitRequest => log.push(read_request(&mut io, &mut unread).await?),
            Step::Write(bytes) => {
                io.write_all(bytes).await?;
                io.flush().await?;
            }
            Step::Repeat(bytes, every) => loop {
                io.write_all(bytes).await?;
                io.flush().await?;
                tokio::time::sleep(*every).await;
            },
            Step::Pause(time) => tokio::time::sleep(*time).await,
            Step::Gate(gate) => gate.notified().await,
            Step::Hang => while io.read(&mut [0; 1024]).await? > 0 {},
            Step::Close => break,
            Step::Reset => {
                io.reset();
                return Ok(());
            }
        }
    }
    io.shutdown().await
}

/// Reads up to the end of one request and leaves what follows it in `unread`.
async fn read_request(io: &mut (impl AsyncRead + Unpin), unread: &mut Vec<u8>) -> io::Result<Vec<u8>> {
    loop {
        if let Some(length) = request_length(unread)
            && unread.len() >= length
        {
            let rest = unread.split_off(length);
            return Ok(std::mem::replace(unread, rest));
        }
        if io.read_buf(unread).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

fn request_length(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
    let length =
        text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    Some(head + length.unwrap_or(0))
}

/// Scripts played on loopback TCP: the first connection gets the first script, and the last script serves every
/// connection after it. The server ends when this is dropped.
#[derive(Debug)]
pub struct ScriptedServer {
    address: SocketAddr,
    log: Log,
    accepting: JoinHandle<()>,
}

impl ScriptedServer {
    /// Listens on a free port of the loopback interface. Without any script, connections are closed at once.
    ///
    /// # Errors
    ///
    /// What the system reports where no port can be had.
    pub async fn bind(scripts: Vec<Vec<Step>>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let log = Log::default();
        let accepting = tokio::spawn(accept(listener, scripts, log.clone()));
        Ok(Self { address, log, accepting })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The base of the API it pretends to have: `http://…/v1`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What clients sent.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, scripts: Vec<Vec<Step>>, log: Log) {
    let mut scripts = scripts.into_iter();
    let mut script = Vec::new();
    while let Ok((stream, _)) = listener.accept().await {
        script = scripts.next().unwrap_or(script);
        let (script, log) = (script.clone(), log.clone());
        tokio::spawn(async move {
            // A client that goes early ends its script, which is no failure of the server.
            let _ = stream.set_nodelay(true);
            let _ = play(stream, &script, &log).await;
        });
    }
}
