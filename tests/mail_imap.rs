//! The folder on an IMAP server when things go wrong: a server that says no, hangs up, can little, or talks nonsense. With
//! a real server: tests/mta.rs.

use chancery::mail::listen::imap::{Imap, ImapError, ImapSettings, Then};
use chancery::mail::listen::{Incoming, Store};
use chancery::mail::transport::TlsMode;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tokio_rustls::rustls;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// What the server does.
#[derive(Clone, Default)]
struct Manners {
    capabilities: &'static str,
    /// The command it refuses.
    refuses: &'static str,
    /// The command at which it hangs up.
    hangs_up_at: &'static str,
    /// The command that it answers with nonsense.
    babbles_at: &'static str,
    /// What it writes behind its yes to STARTTLS, before the handshake.
    slips_in: &'static str,
}

/// A server with one folder.
struct Server {
    port: u16,
    inbox: Arc<Mutex<BTreeMap<u32, String>>>,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(manners: Manners, mails: &[(u32, &str)]) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("a port").port();
        let inbox = Arc::new(Mutex::new(mails.iter().map(|(n, m)| (*n, m.to_string())).collect()));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (folder, log) = (Arc::clone(&inbox), Arc::clone(&heard));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // The client may hang up whenever it likes.
                let _ = serve(stream, &manners, &folder, &log);
            }
        });
        Server { port, inbox, heard }
    }

    fn imap(&self, then: Then) -> Imap {
        self.imap_over(TlsMode::None, None, then)
    }

    fn imap_over(&self, tls: TlsMode, authorities: Option<Vec<u8>>, then: Then) -> Imap {
        let settings = ImapSettings {
            host: if tls == TlsMode::None { "127.0.0.1" } else { "localhost" }.into(),
            port: self.port,
            tls,
            authorities,
            user: "judge".into(),
            password: "let \"me\" in".into(),
            folder: "INBOX".into(),
            then,
            max_bytes: 100,
        };
        Imap::new(settings).expect("settings")
    }

    /// How often a command was heard.
    fn count(&self, command: &str) -> usize {
        self.heard.lock().expect("log").iter().filter(|line| line.contains(command)).count()
    }

    fn left(&self) -> Vec<u32> {
        self.inbox.lock().expect("folder").keys().copied().collect()
    }
}

const CERTIFICATE: &[u8] = include_bytes!("data/mail/tls/cert.pem");
const KEY: &[u8] = include_bytes!("data/mail/tls/key.pem");

/// TLS on that connection, with a certificate for localhost that signs itself.
fn secured(stream: TcpStream) -> io::Result<impl Read + Write> {
    let chain = vec![CertificateDer::from_pem_slice(CERTIFICATE).map_err(io::Error::other)?];
    let key = PrivateKeyDer::from_pem_slice(KEY).map_err(io::Error::other)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = versions.map_err(io::Error::other)?.with_no_client_auth().with_single_cert(chain, key);
    let connection = rustls::ServerConnection::new(Arc::new(config.map_err(io::Error::other)?));
    Ok(rustls::StreamOwned::new(connection.map_err(io::Error::other)?, stream))
}

fn serve(
    mut stream: TcpStream,
    manners: &Manners,
    inbox: &Mutex<BTreeMap<u32, String>>,
    heard: &Mutex<Vec<String>>,
) -> io::Result<()> {
    stream.write_all(b"* OK at your service\r\n")?;
    let upgrade = converse(&mut stream, manners, inbox, heard)?;
    if upgrade {
        heard.lock().expect("log").push("(TLS)".to_owned());
        converse(&mut secured(stream)?, manners, inbox, heard)?;
    }
    Ok(())
}

/// A line, read byte by byte: what comes behind it may be a handshake.
fn line_of(stream: &mut impl Read) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut byte = [0];
    while stream.read(&mut byte)? == 1 {
        match byte[0] {
            b'\n' => return Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned())),
            other => line.push(other),
        }
    }
    Ok(None)
}

/// Answers until the client goes; `true`: TLS is to begin.
fn converse<S: Read + Write>(
    out: &mut S,
    manners: &Manners,
    inbox: &Mutex<BTreeMap<u32, String>>,
    heard: &Mutex<Vec<String>>,
) -> io::Result<bool> {
    let mut deleted = Vec::new();
    while let Some(line) = line_of(out)? {
        heard.lock().expect("log").push(line.clone());
        let (tag, command) = line.split_once(' ').unwrap_or((&line, ""));
        let is = |word: &str| !word.is_empty() && command.starts_with(word);
        if is(manners.hangs_up_at) {
            return Ok(false);
        }
        if is(manners.babbles_at) {
            out.write_all(b"* 1 FETCH (UID )) {99999999999999999999}\r\n\x00\xff\r\n")?;
            return Ok(false);
        }
        if is(manners.refuses) {
            write!(out, "{tag} NO not today\r\n")?;
            continue;
        }
        if is("STARTTLS") {
            write!(out, "{tag} OK begin\r\n{}", manners.slips_in)?;
            return Ok(true);
        }
        let mut folder = inbox.lock().expect("folder");
        let uid = command.split(' ').nth(2).and_then(|n| n.parse::<u32>().ok()).unwrap_or(0);
        if is("CAPABILITY") {
            write!(out, "* CAPABILITY IMAP4rev1 {}\r\n", manners.capabilities)?;
        } else if is("SELECT") {
            write!(out, "* {} EXISTS\r\n* OK [UIDVALIDITY 7] fine\r\n", folder.len())?;
        } else if is("UID SEARCH") {
            // In no order: the client has to see to it.
            let uids: Vec<String> = folder.keys().rev().map(u32::to_string).collect();
            write!(out, "* SEARCH {}\r\n", uids.join(" "))?;
        } else if is("UID FETCH") {
            if let Some(mail) = folder.get(&uid) {
                let part = &mail[..mail.len().min(101)];
                write!(out, "* 1 FETCH (UID {uid} BODY[]<0> {{{}}}\r\n{part})\r\n", part.len())?;
            }
        } else if is("UID MOVE") {
            folder.remove(&uid);
        } else if is("UID STORE") {
            deleted.push(uid);
        } else if is("UID EXPUNGE") || is("EXPUNGE") {
            folder.retain(|uid, _| !deleted.contains(uid));
        }
        drop(folder);
        write!(out, "{tag} OK done\r\n")?;
    }
    Ok(false)
}

/// A store that remembers, and one that fails as long as it is told to.
fn store() -> (Store, Arc<Mutex<Vec<String>>>, Arc<AtomicBool>) {
    let (kept, full) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
    let (list, fails) = (Arc::clone(&kept), Arc::clone(&full));
    let store: Store = Arc::new(move |mail: &Incoming| {
        if fails.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        list.lock().expect("list").push(String::from_utf8_lossy(mail.bytes).into_owned());
        Ok(())
    });
    (store, kept, full)
}

fn look(imap: &mut Imap, store: &Store) -> Result<usize, ImapError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("runtime");
    runtime.block_on(imap.fetch(store))
}

const MAILS: [(u32, &str); 2] = [(3, "Subject: first\r\n\r\none\r\n"), (12, "Subject: second\r\n\r\ntwo\r\n")];

#[test]
fn mail_is_stored_in_order_and_put_away_as_the_server_can() {
    let ways = [
        ("MOVE UIDPLUS", Then::Move("Done here".into()), ["UID MOVE 3 \"Done here\"", "UID MOVE 12 \"Done here\""]),
        ("", Then::Move("Done".into()), ["UID COPY 3 \"Done\"", "EXPUNGE"]),
        ("UIDPLUS", Then::Delete, ["UID STORE 3 +FLAGS.SILENT (\\Deleted)", "UID EXPUNGE 12"]),
        ("", Then::Delete, ["UID STORE 12", "EXPUNGE"]),
    ];
    for (capabilities, then, commands) in ways {
        let server = Server::start(Manners { capabilities, ..Manners::default() }, &MAILS);
        let (store, kept, _) = store();
        let mut imap = server.imap(then);
        assert_eq!(look(&mut imap, &store).expect("a look"), 2, "{capabilities}");
        assert_eq!(*kept.lock().expect("list"), MAILS.map(|(_, m)| m.to_string()));
        assert!(server.left().is_empty(), "{capabilities}");
        for command in commands {
            assert!(server.count(command) > 0, "{command}: {:?}", server.heard.lock().expect("log"));
        }
        assert_eq!(look(&mut imap, &store).expect("a look"), 0);
    }
}

#[test]
fn what_cannot_be_put_away_is_not_stored_at_each_look() {
    let manners = Manners { capabilities: "MOVE UIDPLUS", refuses: "UID MOVE", ..Manners::default() };
    let server = Server::start(manners, &MAILS);
    let (store, kept, _) = store();
    let mut imap = server.imap(Then::Move("Done".into()));
    for _ in 0..3 {
        assert!(matches!(look(&mut imap, &store), Err(ImapError::Refused("MOVE", _))));
    }
    assert_eq!(kept.lock().expect("list").len(), 2, "the second does not wait behind the first");
    assert_eq!(server.count("UID FETCH"), 2);
    assert_eq!(server.count("CREATE"), 6, "the folder may have been missing");
    // A new start knows nothing of it: it comes again, and the ledger drops it.
    assert!(look(&mut server.imap(Then::Move("Done".into())), &store).is_err());
    assert_eq!(kept.lock().expect("list").len(), 4);
}

#[test]
fn a_full_disk_leaves_the_mail_on_the_server() {
    let server = Server::start(Manners { capabilities: "UIDPLUS", ..Manners::default() }, &MAILS);
    let (store, kept, full) = store();
    let mut imap = server.imap(Then::Delete);
    full.store(true, Ordering::SeqCst);
    assert!(matches!(look(&mut imap, &store), Err(ImapError::Store(_))));
    assert_eq!(server.left(), [3, 12]);
    full.store(false, Ordering::SeqCst);
    assert_eq!(look(&mut imap, &store).expect("a look"), 2);
    assert_eq!(kept.lock().expect("list").len(), 2);
}

#[test]
fn large_mail_is_cut_where_the_spool_sees_it() {
    let large = format!("Subject: large\r\n\r\n{}", "x".repeat(5000));
    let server = Server::start(Manners { capabilities: "UIDPLUS", ..Manners::default() }, &[(1, &large)]);
    let (store, kept, _) = store();
    assert_eq!(look(&mut server.imap(Then::Delete), &store).expect("a look"), 1);
    assert_eq!(kept.lock().expect("list")[0].len(), 101, "one byte more than allowed");
    assert_eq!(server.count("BODY.PEEK[]<0.101>"), 1);
}

#[test]
fn no_answer_of_a_server_is_more_than_an_error() {
    for command in ["LOGIN", "SELECT", "CAPABILITY", "UID SEARCH", "UID FETCH", "UID STORE", "UID EXPUNGE"] {
        for (hangs_up_at, babbles_at, refuses) in [(command, "", ""), ("", command, ""), ("", "", command)] {
            let manners = Manners { capabilities: "UIDPLUS", hangs_up_at, babbles_at, refuses, ..Manners::default() };
            let server = Server::start(manners, &MAILS);
            let (store, kept, _) = store();
            let mut imap = server.imap(Then::Delete);
            for _ in 0..2 {
                let error = look(&mut imap, &store).expect_err(command);
                assert!(!format!("{error} {error:?}").contains("me\\\" in"), "{error}: the password is not told");
            }
            assert!(kept.lock().expect("list").len() <= 2 && server.left() == [3, 12], "{command}");
        }
    }
}

#[test]
fn the_password_waits_for_tls() {
    let over = |manners, authorities: Option<&[u8]>| {
        let server = Server::start(manners, &MAILS);
        let (store, kept, _) = store();
        let mut imap = server.imap_over(TlsMode::StartTls, authorities.map(<[u8]>::to_vec), Then::Delete);
        let looked = look(&mut imap, &store);
        let heard = server.heard.lock().expect("log").clone();
        (looked, heard, kept.lock().expect("list").len(), server.left())
    };
    let good = Manners { capabilities: "STARTTLS UIDPLUS", ..Manners::default() };
    let (looked, heard, kept, left) = over(good.clone(), Some(CERTIFICATE));
    assert_eq!(looked.expect("a look"), 2);
    assert_eq!((kept, left.len()), (2, 0));
    let at = |words: &str| {
        heard.iter().position(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {heard:?}"))
    };
    assert!(at("STARTTLS") < at("(TLS)") && at("(TLS)") < at("LOGIN"), "{heard:?}");
    // Whatever goes wrong on the way to TLS: no password in clear, and nothing is taken.
    let wrong = [
        (Manners { refuses: "STARTTLS", ..good.clone() }, Some(CERTIFICATE), "refused"),
        (Manners { hangs_up_at: "STARTTLS", ..good.clone() }, Some(CERTIFICATE), "hung up"),
        (Manners { babbles_at: "STARTTLS", ..good.clone() }, Some(CERTIFICATE), "nonsense"),
        (good.clone(), None, "a certificate of nobody's"),
    ];
    for (manners, authorities, what) in wrong {
        let (looked, heard, kept, left) = over(manners, authorities);
        assert!(looked.is_err(), "{what}");
        assert!(heard.iter().all(|line| !line.contains("LOGIN") && !line.contains("let ")), "{what}: {heard:?}");
        assert_eq!((kept, left.len()), (0, 2), "{what}");
    }
    // Answers that somebody slips in before the handshake count for nothing (CVE-2021-29969 and others of its kind).
    let slips_in = "* SEARCH 99\r\na2 OK welcome\r\n";
    let (looked, heard, kept, left) = over(Manners { slips_in, ..good }, Some(CERTIFICATE));
    assert!(looked.is_err() || heard.iter().any(|line| line.contains("LOGIN")), "signed in for real, or not at all");
    assert_eq!(kept + left.len(), 2, "{heard:?}");
}
