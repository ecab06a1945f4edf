//! A folder on an IMAP server that is looked into from time to time (operations.md 5.2): the way in where the mail of
//! the judge's address can be had no other way.
//!
//! What it promises: a message leaves its folder only after the store has it, so it comes at least once whatever breaks
//! when; that it is executed once is the ledger's work. The messages are taken in the order in which they came. Nothing
//! but the password's way in is secret to the server, so it is never written to a log, and it travels in clear only to
//! this machine.

use super::{Incoming, Store};
use crate::mail::is_this_machine;
use crate::mail::transport::TlsMode;
use async_imap::error::Error as Refusal;
use async_imap::imap_proto::{AttributeValue, Capability, MailboxDatum, Response, Status};
use async_imap::{Client, Session};
use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

const CONNECT: Duration = Duration::from_secs(30);
const COMMAND: Duration = Duration::from_secs(60);
const MESSAGE: Duration = Duration::from_secs(300);
/// The longest pause after errors.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);

/// What happens to a message that has been stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Then {
    /// It is removed.
    Delete,
    /// It goes to that folder, which is made if there is none.
    Move(String),
}

/// Keys `mail.in.imap.*`.
#[derive(Clone)]
pub struct ImapSettings {
    /// Server.
    pub host: String,
    /// Port; 993, 143.
    pub port: u16,
    /// Encryption.
    pub tls: TlsMode,
    /// Certificates (PEM) that are trusted instead of the public authorities.
    pub authorities: Option<Vec<u8>>,
    /// Name to sign in with.
    pub user: String,
    /// Its password.
    pub password: String,
    /// Where mail comes in.
    pub folder: String,
    /// What happens afterwards.
    pub then: Then,
    /// `mail.in.max_message_bytes`
    pub max_bytes: u64,
}

impl fmt::Debug for ImapSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ImapSettings { host, port, tls, user, folder, .. } = self;
        write!(f, "ImapSettings({host}:{port} {tls:?} user {user:?} folder {folder:?})")
    }
}

/// Settings that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImapSettingsError {
    /// A password and everybody's orders in clear text.
    #[error("mail.in.imap.tls = \"none\" is for loopback only, not for {0}")]
    ClearText(String),
    /// No certificate can bear that name.
    #[error("mail.in.imap.host {0:?}: want the name of a host or its address")]
    Host(String),
    /// The file of certificates.
    #[error("mail.in.imap.authorities: {0}; want certificates in PEM")]
    Authorities(String),
}

/// Why a look into the folder did not succeed. The next look may.
#[derive(Debug, thiserror::Error)]
pub enum ImapError {
    /// No connection, or it broke.
    #[error("{0}: {1}")]
    Connection(&'static str, io::Error),
    /// The server did not answer in time.
    #[error("{0}: no answer for {1:?}")]
    Silent(&'static str, Duration),
    /// The server said no, or something that is no IMAP.
    #[error("{0}: {1}")]
    Refused(&'static str, Refusal),
    /// The message could not be stored here; it stays where it is.
    #[error("a message could not be stored: {0}")]
    Store(io::Error),
}

/// How long to wait until the next look, after so many failures in a row.
pub fn pause(poll: Duration, failures: u32) -> Duration {
    let factor = 1u32.checked_shl(failures).unwrap_or(u32::MAX).max(1);
    poll.saturating_mul(factor).min(LONGEST_PAUSE.max(poll))
}

/// What the connection runs over.
trait Wire: AsyncRead + AsyncWrite + fmt::Debug + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + fmt::Debug + Unpin + Send> Wire for T {}
type Line = Box<dyn Wire>;

/// One folder that is looked into again and again.
pub struct Imap {
    settings: ImapSettings,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    /// Messages that are stored but could not be put away, so that they are not stored again at each look: their
    /// numbers, which hold under that UIDVALIDITY only.
    stored: (Option<u32>, BTreeSet<u32>),
}

impl Imap {
    /// Checks the settings; connects at each look.
    pub fn new(settings: ImapSettings) -> Result<Imap, ImapSettingsError> {
        let tls = match settings.tls {
            TlsMode::None if is_this_machine(&settings.host) => None,
            TlsMode::None => return Err(ImapSettingsError::ClearText(settings.host)),
            TlsMode::StartTls | TlsMode::Tls => {
                let plain = settings.host.trim_matches(['[', ']']).to_owned();
                let name = ServerName::try_from(plain).map_err(|_| ImapSettingsError::Host(settings.host.clone()))?;
                Some((connector(settings.authorities.as_deref())?, name))
            }
        };
        Ok(Imap { settings, tls, stored: (None, BTreeSet::new()) })
    }

    /// One look: everything in the folder is stored and put away. Returns how many messages were stored.
    pub async fn fetch(&mut self, store: &Store) -> Result<usize, ImapError> {
        let mut session = self.sign_in().await?;
        let folder = within("SELECT", COMMAND, session.select(&self.settings.folder)).await?;
        if self.stored.0 != folder.uid_validity {
            self.stored = (folder.uid_validity, BTreeSet::new());
        }
        let can = Abilities::of(&mut session).await?;
        let mut taken = 0;
        // Sorted: in the order in which they came.
        let mut waiting: BTreeSet<u32> = BTreeSet::new();
        let search = ask(&mut session, "UID SEARCH UNDELETED", |answer| {
            if let Response::MailboxData(MailboxDatum::Search(uids)) = answer {
                waiting.extend(uids);
            }
        });
        within("SEARCH", COMMAND, search).await?;
        // What the server refuses about one message holds up no other.
        let mut trouble = None;
        for uid in waiting {
            match self.take(&mut session, uid, store, &can).await {
                Ok(new) => taken += usize::from(new),
                Err(error @ ImapError::Refused(_, Refusal::No(_) | Refusal::Bad(_))) => {
                    trouble = trouble.or(Some(error));
                }
                Err(error) => return Err(error),
            }
        }
        // Everything is done; the server may hang up as it likes.
        let _ = within("LOGOUT", COMMAND, session.logout()).await;
        trouble.map_or(Ok(taken), Err)
    }

    /// Stores one message, if that is not done, and puts it away; whether it was stored now.
    async fn take(
        &mut self,
        session: &mut Session<Line>,
        uid: u32,
        store: &Store,
        can: &Abilities,
    ) -> Result<bool, ImapError> {
        let known = self.stored.1.contains(&uid);
        if !known {
            let Some(bytes) = self.message(session, uid).await? else { return Ok(false) };
            keep(store, bytes).await?;
            self.stored.1.insert(uid);
        }
        self.put_away(session, uid, can).await?;
        self.stored.1.remove(&uid);
        Ok(!known)
    }

    async fn sign_in(&self) -> Result<Session<Line>, ImapError> {
        let ImapSettings { host, port, user, password, .. } = &self.settings;
        let address = (host.trim_matches(['[', ']']), *port);
        let socket = timed("connect", CONNECT, TcpStream::connect(address)).await?;
        let socket = socket.map_err(|e| ImapError::Connection("connect", e))?;
        let client = match (&self.tls, self.settings.tls) {
            (Some((connector, name)), TlsMode::Tls) => {
                let mut client = Client::new(wrap(connector, name, socket).await?);
                greeting(&mut client).await?;
                client
            }
            (Some((connector, name)), _) => {
                let mut client = Client::new(socket);
                greeting(&mut client).await?;
                within("STARTTLS", COMMAND, client.run_command_and_check_ok("STARTTLS", None)).await?;
                // What came before the handshake is forgotten with the client: nobody can slip answers in.
                Client::new(wrap(connector, name, client.into_inner()).await?)
            }
            (None, _) => {
                let mut client = Client::new(Box::new(socket) as Line);
                greeting(&mut client).await?;
                client
            }
        };
        let login = async { client.login(user, password).await.map_err(|(error, _)| error) };
        within("LOGIN", COMMAND, login).await
    }

    /// A whole message, or one byte more than allowed of a large one: the spool sees that it is too large.
    async fn message(&self, session: &mut Session<Line>, uid: u32) -> Result<Option<Vec<u8>>, ImapError> {
        let most = self.settings.max_bytes.saturating_add(1).min(u64::from(u32::MAX));
        let command = format!("UID FETCH {uid} (UID BODY.PEEK[]<0.{most}>)");
        let mut message = None;
        let fetch = ask(session, &command, |answer| {
            let Response::Fetch(_, parts) = answer else { return };
            let body = parts.iter().find_map(|part| match part {
                AttributeValue::BodySection { section: None, data, .. } => data.as_deref(),
                _ => None,
            });
            if let Some(body) = body.filter(|_| parts.contains(&AttributeValue::Uid(uid))) {
                message = Some(body.to_vec());
            }
        });
        within("FETCH", MESSAGE, fetch).await?;
        // None: gone meanwhile, somebody else has taken it out of the folder.
        Ok(message)
    }

    async fn put_away(&self, session: &mut Session<Line>, uid: u32, can: &Abilities) -> Result<(), ImapError> {
        let set = uid.to_string();
        if let Then::Move(folder) = &self.settings.then {
            if let Err(error) = transfer(session, &set, folder, can).await {
                if !matches!(error, ImapError::Refused(_, Refusal::No(_))) {
                    return Err(error);
                }
                // Probably it is not there yet; if it is, the second try tells what is wrong.
                let _ = within("CREATE", COMMAND, session.create(folder)).await;
                transfer(session, &set, folder, can).await?;
            }
            if can.mv {
                return Ok(());
            }
        }
        let mark = format!("UID STORE {set} +FLAGS.SILENT (\\Deleted)");
        within("STORE", COMMAND, ask(session, &mark, |_| ())).await?;
        // Without UIDPLUS whatever else is marked as deleted goes, too: it was not to be read by us in any case.
        let expunge = if can.uidplus { format!("UID EXPUNGE {set}") } else { "EXPUNGE".to_owned() };
        within("EXPUNGE", COMMAND, ask(session, &expunge, |_| ())).await
    }
}

/// What the server can do beyond RFC 3501.
struct Abilities {
    mv: bool,
    uidplus: bool,
}

impl Abilities {
    async fn of(session: &mut Session<Line>) -> Result<Abilities, ImapError> {
        let mut can = Abilities { mv: false, uidplus: false };
        let capability = ask(session, "CAPABILITY", |answer| {
            let Response::Capabilities(all) = answer else { return };
            let has = |word: &str| all.iter().any(|c| matches!(c, Capability::Atom(a) if a.eq_ignore_ascii_case(word)));
            can = Abilities { mv: can.mv || has("MOVE"), uidplus: can.uidplus || has("UIDPLUS") };
        });
        within("CAPABILITY", COMMAND, capability).await?;
        Ok(can)
    }
}

/// Sends a command and reads to the end of its answer; `see` is shown what comes before that. The library's own readers
/// of lists take a refusal, or the end of the connection, for an empty list.
async fn ask(session: &mut Session<Line>, command: &str, mut see: impl FnMut(&Response<'_>)) -> Result<(), Refusal> {
    let ours = session.run_command(command).await?;
    loop {
        let Some(answer) = session.read_response().await? else { return Err(Refusal::ConnectionLost) };
        match answer.parsed() {
            Response::Done { tag, status, information, .. } if *tag == ours => {
                let said = || information.as_deref().unwrap_or_default().to_owned();
                return match status {
                    Status::Ok => Ok(()),
                    Status::No => Err(Refusal::No(said())),
                    _ => Err(Refusal::Bad(said())),
                };
            }
            other => see(other),
        }
    }
}

async fn transfer(session: &mut Session<Line>, set: &str, folder: &str, can: &Abilities) -> Result<(), ImapError> {
    if can.mv {
        within("MOVE", COMMAND, session.uid_mv(set, folder)).await
    } else {
        within("COPY", COMMAND, session.uid_copy(set, folder)).await
    }
}

/// Hands the message to the store, which waits for the disk.
async fn keep(store: &Store, bytes: Vec<u8>) -> Result<(), ImapError> {
    let store = Arc::clone(store);
    let work = tokio::task::spawn_blocking(move || store(&Incoming { from: None, to: None, bytes: &bytes }));
    // A panic in the store is an error like any other: not taken.
    work.await.unwrap_or_else(|_| Err(io::Error::other("failed"))).map_err(ImapError::Store)
}

async fn greeting<T: Wire>(client: &mut Client<T>) -> Result<(), ImapError> {
    let greeting = timed("greeting", COMMAND, client.read_response()).await?;
    match greeting.map_err(|e| ImapError::Connection("greeting", e))? {
        Some(_) => Ok(()),
        None => Err(ImapError::Connection("greeting", io::ErrorKind::UnexpectedEof.into())),
    }
}

async fn wrap(connector: &TlsConnector, name: &ServerName<'static>, socket: TcpStream) -> Result<Line, ImapError> {
    let wrapped = timed("TLS", CONNECT, connector.connect(name.clone(), socket)).await?;
    Ok(Box::new(wrapped.map_err(|e| ImapError::Connection("TLS", e))?))
}

fn connector(authorities: Option<&[u8]>) -> Result<TlsConnector, ImapSettingsError> {
    let wrong = |e: String| ImapSettingsError::Authorities(e);
    let mut roots = RootCertStore::empty();
    match authorities {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(pem) => {
            for certificate in CertificateDer::pem_slice_iter(pem) {
                roots.add(certificate.map_err(|e| wrong(e.to_string()))?).map_err(|e| wrong(e.to_string()))?;
            }
            if roots.is_empty() {
                return Err(wrong("there is none in it".into()));
            }
        }
    }
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = versions.map_err(|e| wrong(e.to_string()))?.with_root_certificates(roots).with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

async fn timed<T>(step: &'static str, most: Duration, work: impl Future<Output = T>) -> Result<T, ImapError> {
    tokio::time::timeout(most, work).await.map_err(|_| ImapError::Silent(step, most))
}

async fn within<T>(
    step: &'static str,
    most: Duration,
    work: impl Future<Output = Result<T, Refusal>>,
) -> Result<T, ImapError> {
    timed(step, most, work).await?.map_err(|e| ImapError::Refused(step, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(host: &str, tls: TlsMode) -> ImapSettings {
        ImapSettings {
            host: host.into(),
            port: 143,
            tls,
            authorities: None,
            user: "judge".into(),
            password: "hunter2".into(),
            folder: "INBOX".into(),
            then: Then::Delete,
            max_bytes: 1000,
        }
    }

    #[test]
    fn pauses_grow_and_end() {
        let minutes = |m: u64| Duration::from_secs(60 * m);
        assert_eq!(pause(minutes(2), 0), minutes(2));
        assert_eq!(pause(minutes(2), 3), minutes(16));
        assert_eq!(pause(minutes(2), 40), minutes(60));
        assert_eq!(pause(minutes(90), 7), minutes(90));
    }

    #[test]
    fn nothing_travels_in_clear() {
        let error = Imap::new(settings("mail.example", TlsMode::None)).err();
        assert_eq!(error, Some(ImapSettingsError::ClearText("mail.example".into())));
        assert!(Imap::new(settings("127.0.0.1", TlsMode::None)).is_ok());
        assert!(Imap::new(settings("mail.example", TlsMode::Tls)).is_ok());
        assert!(matches!(Imap::new(settings("no host", TlsMode::Tls)).err(), Some(ImapSettingsError::Host(_))));
        let empty = ImapSettings { authorities: Some(b"x".to_vec()), ..settings("mail.example", TlsMode::Tls) };
        assert!(matches!(Imap::new(empty).err(), Some(ImapSettingsError::Authorities(_))));
        assert!(!format!("{:?}", settings("mail.example", TlsMode::Tls)).contains("hunter2"));
    }
}
