//! The listeners on tokio: sockets, time-outs and the reading of messages around a [`Session`].

use super::session::{Session, Step};
use super::{Door, Incoming, Protocol};
use std::fmt::Write as _;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;

/// Longest line of a message (OPS-026).
const LONGEST_LINE: usize = 1 << 20;
/// Longest command line.
const LONGEST_COMMAND: usize = 4096;
/// Silence after which a connection is closed.
const PATIENCE: Duration = Duration::from_secs(300);
/// Connections at the same time.
const MOST_CONNECTIONS: usize = 50;

/// Where to listen: `mail.in.lmtp`, `mail.in.smtp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// A loopback address.
    Tcp(SocketAddr),
    /// A socket in the file system.
    Unix(PathBuf),
}

/// Why there is no listener.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Not an address.
    #[error("{0:?} is no place to listen: 127.0.0.1:2424 or unix:PATH")]
    Syntax(String),
    /// Reachable from outside.
    #[error("mail listeners are for loopback or a unix socket, not for {0}")]
    Public(SocketAddr),
    /// Something else is at the path of the socket.
    #[error("{0} exists and is no socket")]
    Occupied(PathBuf),
    /// The system refused.
    #[error("{0}: {1}")]
    Io(String, #[source] io::Error),
}

impl std::str::FromStr for Where {
    type Err = BindError;

    fn from_str(text: &str) -> Result<Where, BindError> {
        match text.strip_prefix("unix:") {
            Some(path) if !path.is_empty() => Ok(Where::Unix(PathBuf::from(path))),
            _ => text.parse().map(Where::Tcp).map_err(|_| BindError::Syntax(text.to_owned())),
        }
    }
}

/// A listener that has its address.
#[derive(Debug)]
pub enum Bound {
    /// TCP.
    Tcp(TcpListener),
    /// Unix socket.
    Unix(UnixListener),
}

impl Bound {
    /// Binds; call within a tokio runtime.
    pub async fn bind(place: &Where) -> Result<Bound, BindError> {
        match place {
            Where::Tcp(address) if !address.ip().is_loopback() => Err(BindError::Public(*address)),
            Where::Tcp(address) => {
                let listener = TcpListener::bind(address).await;
                listener.map(Bound::Tcp).map_err(|e| BindError::Io(address.to_string(), e))
            }
            Where::Unix(path) => unix(path).map(Bound::Unix),
        }
    }

    /// The TCP address, for those who asked for port 0.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        match self {
            Bound::Tcp(listener) => listener.local_addr().ok(),
            Bound::Unix(_) => None,
        }
    }
}

fn unix(path: &Path) -> Result<UnixListener, BindError> {
    let io = |e| BindError::Io(path.display().to_string(), e);
    match std::fs::symlink_metadata(path) {
        // Left over from a process that was killed.
        Ok(meta) if meta.file_type().is_socket() => std::fs::remove_file(path).map_err(io)?,
        Ok(_) => return Err(BindError::Occupied(path.to_owned())),
        Err(_) => {}
    }
    let listener = UnixListener::bind(path).map_err(io)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o660)).map_err(io)?;
    Ok(listener)
}

/// Serves until `shutdown` is ready. Running dialogues are cut; what they had not acknowledged comes again.
pub async fn serve(bound: Bound, door: Door, shutdown: impl Future<Output = ()>) {
    let door = Arc::new(door);
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut tasks = tokio::task::JoinSet::new();
    tokio::pin!(shutdown);
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let accepted = tokio::select! {
            () = &mut shutdown => return,
            accepted = accept(&bound) => accepted,
        };
        while tasks.try_join_next().is_some() {}
        match accepted {
            Ok((reader, writer)) => {
                let door = Arc::clone(&door);
                tasks.spawn(async move {
                    // An end of the connection at any time is the client's right.
                    let _ = converse(BufReader::new(reader), writer, &door).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "mail listener: accept failed");
                // Too many open files: wait for some to close.
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

type Halves = (Box<dyn AsyncRead + Unpin + Send>, Box<dyn AsyncWrite + Unpin + Send>);

async fn accept(bound: &Bound) -> io::Result<Halves> {
    match bound {
        Bound::Tcp(listener) => {
            let (reader, writer) = listener.accept().await?.0.into_split();
            Ok((Box::new(reader), Box::new(writer)))
        }
        Bound::Unix(listener) => {
            let (reader, writer) = listener.accept().await?.0.into_split();
            Ok((Box::new(reader), Box::new(writer)))
        }
    }
}

/// One dialogue.
async fn converse<R, W>(mut reader: R, mut writer: W, door: &Door) -> io::Result<()>
where
    R: AsyncBufRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut session = Session::new(door);
    writer.write_all(session.greeting().as_bytes()).await?;
    let mut line = Vec::new();
    loop {
        line.clear();
        match read_line(&mut reader, &mut line, LONGEST_COMMAND).await? {
            Read::End => return Ok(()),
            Read::TooLong => {
                writer.write_all(b"500 5.5.2 Line too long\r\n").await?;
                return writer.flush().await;
            }
            Read::Line => {}
        }
        match session.command(&line) {
            Step::Reply(reply) => writer.write_all(reply.as_bytes()).await?,
            Step::Close(reply) => {
                writer.write_all(reply.as_bytes()).await?;
                return writer.flush().await;
            }
            Step::Data { reply, strict } => {
                writer.write_all(reply.as_bytes()).await?;
                writer.flush().await?;
                let message = read_message(&mut reader, strict, door.max_bytes).await?;
                let replies = deliver(&mut session, message, door).await;
                writer.write_all(replies.as_bytes()).await?;
            }
        }
        writer.flush().await?;
    }
}

enum Read {
    Line,
    End,
    TooLong,
}

/// Reads up to and with LF; a line cut off by the end of the connection is no line.
async fn read_line<R: AsyncBufRead + Unpin>(reader: &mut R, line: &mut Vec<u8>, most: usize) -> io::Result<Read> {
    loop {
        let silent = || io::Error::new(io::ErrorKind::TimedOut, "silence");
        let available = tokio::time::timeout(PATIENCE, reader.fill_buf()).await.map_err(|_| silent())??;
        if available.is_empty() {
            return Ok(Read::End);
        }
        let end = available.iter().position(|&b| b == b'\n').map(|n| n + 1);
        let taken = end.unwrap_or(available.len());
        if line.len() + taken > most {
            return Ok(Read::TooLong);
        }
        line.extend_from_slice(available.get(..taken).unwrap_or_default());
        reader.consume(taken);
        if end.is_some() {
            return Ok(Read::Line);
        }
    }
}

/// The message up to the dot, dot-stuffing undone; `None`: too large (all of it was read).
async fn read_message<R: AsyncBufRead + Unpin>(
    reader: &mut R,
    strict: bool,
    most: usize,
) -> io::Result<Option<Vec<u8>>> {
    let mut message = Vec::new();
    let mut large = false;
    let mut line = Vec::new();
    let mut after_crlf = true;
    loop {
        line.clear();
        match read_line(reader, &mut line, LONGEST_LINE).await? {
            Read::Line => {}
            // Not ended by the dot: never acknowledged.
            Read::End => return Err(io::ErrorKind::UnexpectedEof.into()),
            Read::TooLong => return Err(io::Error::new(io::ErrorKind::InvalidData, "line too long")),
        }
        let crlf = line.ends_with(b"\r\n");
        if (line == b".\r\n" && (after_crlf || !strict)) || (line == b".\n" && !strict) {
            return Ok((!large).then_some(message));
        }
        let content = if after_crlf || !strict { line.strip_prefix(b".").unwrap_or(&line) } else { &line };
        if message.len() + content.len() > most {
            large = true;
            message.clear();
        }
        if !large {
            message.extend_from_slice(content);
        }
        after_crlf = crlf;
    }
}

/// Stores, then answers: LMTP once for each recipient, SMTP once.
async fn deliver(session: &mut Session<'_>, message: Option<Vec<u8>>, door: &Door) -> String {
    let transaction = session.transaction();
    let Some(message) = message else {
        let count = if door.protocol == Protocol::Lmtp { transaction.to.len() } else { 1 };
        return "552 5.3.4 Message too large\r\n".repeat(count);
    };
    let store = Arc::clone(&door.store);
    let count = transaction.to.len();
    let work = tokio::task::spawn_blocking(move || {
        let incoming = |to| Incoming { from: Some(&transaction.from), to: Some(to), bytes: &message };
        transaction.to.iter().map(|to| store(&incoming(to))).collect::<Vec<_>>()
    });
    // A panic in the store is an error like any other: not taken.
    let results = work.await.unwrap_or_else(|_| (0..count).map(|_| Err(io::Error::other("failed"))).collect());
    match door.protocol {
        Protocol::Lmtp => results.iter().fold(String::new(), |mut all, result| {
            // Writing to a String cannot fail.
            let _ = write!(all, "{}\r\n", verdict(result));
            all
        }),
        Protocol::Smtp => {
            let worst = results.iter().find(|r| r.is_err()).or(results.first());
            format!("{}\r\n", worst.map_or("451 4.3.0 Try again", verdict))
        }
    }
}

fn verdict(result: &io::Result<()>) -> &'static str {
    match result {
        Ok(()) => "250 2.0.0 Stored",
        Err(error) if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
            "452 4.3.1 No room"
        }
        Err(_) => "451 4.3.0 Try again",
    }
}
