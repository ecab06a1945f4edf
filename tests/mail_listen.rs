//! LMTP and SMTP dialogues over loopback, and a Maildir (OPS-025, OPS-026).

use chancery::mail::listen::{BindError, Bound, Door, Incoming, Protocol, Store, Where, maildir, serve};
use std::io;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

type Stored = Arc<Mutex<Vec<(String, String, Vec<u8>)>>>;

/// A store that keeps everything in memory; subjects decide what goes wrong.
fn store(stored: &Stored) -> Store {
    let stored = Arc::clone(stored);
    Arc::new(move |incoming: &Incoming| {
        if incoming.bytes.starts_with(b"Subject: full") {
            return Err(io::ErrorKind::StorageFull.into());
        }
        if incoming.bytes.starts_with(b"Subject: broken") {
            return Err(io::Error::other("broken"));
        }
        assert!(!incoming.bytes.starts_with(b"Subject: panic"), "as ordered");
        let entry =
            (incoming.from.unwrap_or("-").to_owned(), incoming.to.unwrap_or("-").to_owned(), incoming.bytes.to_vec());
        stored.lock().expect("lock").push(entry);
        Ok(())
    })
}

fn door(protocol: Protocol, stored: &Stored, room: bool) -> Door {
    Door {
        protocol,
        host: "judge.example".into(),
        max_bytes: 2000,
        ours: Arc::new(|a| a == "judge@judge.example" || (a.starts_with("judge+") && a.ends_with("@judge.example"))),
        room: Arc::new(move || room),
        store: store(stored),
    }
}

struct Client {
    reader: BufReader<tokio::net::tcp::OwnedReadHalf>,
    writer: tokio::net::tcp::OwnedWriteHalf,
}

impl Client {
    async fn connect(door: Door) -> Client {
        let bound = Bound::bind(&"127.0.0.1:0".parse().expect("place")).await.expect("bind");
        let address = bound.local_addr().expect("address");
        tokio::spawn(serve(bound, door, std::future::pending()));
        let (reader, writer) = TcpStream::connect(address).await.expect("connect").into_split();
        let mut client = Client { reader: BufReader::new(reader), writer };
        assert!(client.reply().await.starts_with("220 judge.example"));
        client
    }

    /// One reply, continuation lines included.
    async fn reply(&mut self) -> String {
        let mut all = String::new();
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line).await.expect("read") == 0 {
                return all;
            }
            all.push_str(&line);
            if line.as_bytes().get(3) != Some(&b'-') {
                return all;
            }
        }
    }

    async fn say(&mut self, text: &str) -> String {
        self.writer.write_all(text.as_bytes()).await.expect("write");
        self.reply().await
    }

    async fn envelope(&mut self, to: &[&str]) {
        assert!(self.say("MAIL FROM:<france@example.org> BODY=8BITMIME SIZE=100\r\n").await.starts_with("250"));
        for to in to {
            assert!(self.say(&format!("RCPT TO:<{to}>\r\n")).await.starts_with("250"));
        }
        assert!(self.say("DATA\r\n").await.starts_with("354"));
    }
}

#[tokio::test]
async fn lmtp_answers_for_each_recipient_after_storing() {
    let stored = Stored::default();
    let mut client = Client::connect(door(Protocol::Lmtp, &stored, true)).await;
    assert!(client.say("EHLO x\r\n").await.starts_with("500"));
    assert!(client.say("MAIL FROM:<>\r\n").await.starts_with("503"));
    let hello = client.say("LHLO mx.example.org\r\n").await;
    for word in ["8BITMIME", "SMTPUTF8", "SIZE 2000", "ENHANCEDSTATUSCODES", "PIPELINING"] {
        assert!(hello.contains(word), "{hello}");
    }
    assert!(client.say("DATA\r\n").await.starts_with("503"));
    assert!(client.say("MAIL FROM:<big@example.org> SIZE=2001\r\n").await.starts_with("552 5.3.4"));
    assert!(client.say("MAIL FROM:<>\r\n").await.starts_with("250"));
    assert!(client.say("RCPT TO:<nobody@judge.example>\r\n").await.starts_with("550 5.1.1"));
    assert!(client.say("RCPT TO:<judge+demo@judge.example>\r\n").await.starts_with("250"));
    assert!(client.say("RCPT TO:<@relay.example:Judge@judge.example>\r\n").await.starts_with("250"));
    assert!(client.say("DATA\r\n").await.starts_with("354"));
    let message = "Subject: x\r\n\r\n..dot\r\n.\n\r\nlast\n.\r\nnot yet\r\n.\r\n";
    assert!(client.say(message).await.starts_with("250 2.0.0"));
    assert!(client.reply().await.starts_with("250 2.0.0"));
    assert!(client.say("QUIT\r\n").await.starts_with("221"));
    let stored = stored.lock().expect("lock");
    let want = b"Subject: x\r\n\r\n.dot\r\n\n\r\nlast\n.\r\nnot yet\r\n".to_vec();
    assert_eq!(stored.len(), 2);
    assert_eq!(stored[0], (String::new(), "judge+demo@judge.example".into(), want.clone()));
    assert_eq!(stored[1].1, "judge@judge.example");
}

#[tokio::test]
async fn trouble_is_never_a_250() {
    let stored = Stored::default();
    let mut client = Client::connect(door(Protocol::Lmtp, &stored, true)).await;
    client.say("LHLO x\r\n").await;
    for (subject, want) in [("full", "452 4.3.1"), ("broken", "451 4.3.0"), ("panic", "451 4.3.0")] {
        client.envelope(&["judge@judge.example"]).await;
        let reply = client.say(&format!("Subject: {subject}\r\n\r\nx\r\n.\r\n")).await;
        assert!(reply.starts_with(want), "{subject}: {reply}");
    }
    client.envelope(&["judge@judge.example"]).await;
    let reply = client.say(&format!("{}.\r\n", "0123456789\r\n".repeat(300))).await;
    assert!(reply.starts_with("552 5.3.4"), "{reply}");
    // The session lives on.
    client.envelope(&["judge@judge.example"]).await;
    assert!(client.say("Subject: good\r\n\r\n.\r\n").await.starts_with("250"));
    assert_eq!(stored.lock().expect("lock").len(), 1);
    let mut full = Client::connect(door(Protocol::Lmtp, &stored, false)).await;
    full.say("LHLO x\r\n").await;
    assert!(full.say("MAIL FROM:<a@b.example>\r\n").await.starts_with("452 4.3.1"));
}

#[tokio::test]
async fn a_message_cut_off_is_not_stored() {
    let stored = Stored::default();
    let mut client = Client::connect(door(Protocol::Lmtp, &stored, true)).await;
    client.say("LHLO x\r\n").await;
    client.envelope(&["judge@judge.example"]).await;
    client.writer.write_all(b"Subject: cut\r\n\r\nhalf a li").await.expect("write");
    client.writer.shutdown().await.expect("shutdown");
    let mut rest = String::new();
    client.reader.read_to_string(&mut rest).await.expect("read");
    assert_eq!(rest, "");
    assert!(stored.lock().expect("lock").is_empty());
}

#[tokio::test]
async fn smtp_takes_pipelined_commands_and_bare_line_feeds() {
    let stored = Stored::default();
    let mut client = Client::connect(door(Protocol::Smtp, &stored, true)).await;
    let all = "EHLO x\nMAIL FROM:<a@b.example>\nRCPT TO:<judge@judge.example>\nRCPT TO:<other@b.example>\nDATA\n";
    assert!(client.say(all).await.starts_with("250-"));
    for want in ["250", "250", "550", "354"] {
        assert!(client.reply().await.starts_with(want));
    }
    let reply = client.say("Subject: x\n\n..a\n.\n").await;
    assert!(reply.starts_with("250"), "{reply}");
    assert_eq!(stored.lock().expect("lock")[0].2, b"Subject: x\n\n.a\n");
    let many = "FOO\r\n".repeat(20);
    client.writer.write_all(many.as_bytes()).await.expect("write");
    let mut rest = String::new();
    client.reader.read_to_string(&mut rest).await.expect("read");
    assert!(rest.ends_with("421 4.7.0 Too many errors\r\n"), "{rest}");
}

#[tokio::test]
async fn listeners_stay_at_home() {
    let public = Bound::bind(&"0.0.0.0:0".parse().expect("place")).await;
    assert!(matches!(public, Err(BindError::Public(_))));
    assert!("judge.example".parse::<Where>().is_err());
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("lmtp");
    let place: Where = format!("unix:{}", path.display()).parse().expect("place");
    let first = Bound::bind(&place).await.expect("bind");
    drop(first);
    Bound::bind(&place).await.expect("a socket left over is replaced");
    std::fs::write(directory.path().join("file"), "x").expect("write");
    let occupied = Bound::bind(&Where::Unix(directory.path().join("file"))).await;
    assert!(matches!(occupied, Err(BindError::Occupied(_))));
}

#[test]
fn a_maildir_is_emptied_in_order_and_keeps_what_was_not_stored() {
    let directory = tempfile::tempdir().expect("directory");
    let new = directory.path().join("new");
    std::fs::create_dir_all(&new).expect("new");
    for (name, text) in [("2.b.host", "two"), ("1.a.host", "one"), (".hidden", "x"), ("3.c.host", "Subject: broken")] {
        std::fs::write(new.join(name), text).expect("write");
    }
    std::os::unix::fs::symlink("/etc/passwd", new.join("4.d.host")).expect("link");
    let stored = Stored::default();
    assert!(maildir::scan(directory.path(), 1000, &store(&stored)).is_err());
    let texts: Vec<Vec<u8>> = stored.lock().expect("lock").iter().map(|s| s.2.clone()).collect();
    assert_eq!(texts, [b"one".to_vec(), b"two".to_vec()]);
    assert!(new.join("3.c.host").exists() && new.join(".hidden").exists() && !new.join("1.a.host").exists());
}

#[test]
fn a_maildir_watch_sees_renames_and_hard_links() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let directory = tempfile::tempdir().expect("directory");
    for name in ["new", "tmp"] {
        std::fs::create_dir_all(directory.path().join(name)).expect("folder");
    }
    let (told, hears) = std::sync::mpsc::channel();
    let told = Mutex::new(told);
    let store: Store = Arc::new(move |incoming: &Incoming| {
        told.lock().expect("lock").send(incoming.bytes.to_vec()).map_err(io::Error::other)
    });
    let stop = AtomicBool::new(false);
    std::fs::write(directory.path().join("new/0"), "before").expect("write");
    std::thread::scope(|scope| {
        let path = directory.path();
        let stop = &stop;
        scope.spawn(move || {
            let rescan = std::time::Duration::from_secs(3600);
            maildir::watch(path, 1000, &store, rescan, stop, &mut |e| panic!("{e}")).expect("watch");
        });
        let next = || hears.recv_timeout(std::time::Duration::from_secs(30)).expect("taken");
        assert_eq!(next(), b"before");
        std::fs::write(path.join("tmp/1"), "renamed").expect("write");
        std::fs::rename(path.join("tmp/1"), path.join("new/1")).expect("rename");
        assert_eq!(next(), b"renamed");
        std::fs::write(path.join("tmp/2"), "linked").expect("write");
        std::fs::hard_link(path.join("tmp/2"), path.join("new/2")).expect("link");
        assert_eq!(next(), b"linked");
        stop.store(true, Ordering::SeqCst);
    });
}
