//! The queue and the ways out: order, retries, dead letters, the stop; SMTP against listeners on loopback (OPS-060 to
//! OPS-064).

use chancery::archive::journal::{Operation, Record};
use chancery::archive::spool::Envelope;
use chancery::archive::{Fs, Owner, Spool};
use chancery::mail::listen::{Bound, Door, Protocol, serve};
use chancery::mail::queue::worker::{Pace, Policy, Redirect, Round, send_due};
use chancery::mail::queue::{Folder, Head, Queue, Queued, make_id};
use chancery::mail::transport::{
    Failure, FileTransport, Outgoing, SendmailTransport, SmtpSettings, SmtpSettingsError, SmtpTransport, TlsMode,
    Transport,
};
use chancery::site::{Beginnings, init};
use chrono::{DateTime, Duration, Utc};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("time")
}

fn noon() -> DateTime<Utc> {
    at("2026-11-21T12:00:00Z")
}

fn entry(number: u16, to: &str, game: &str, kind: &str) -> Queued {
    let created = noon() + Duration::seconds(i64::from(number));
    Queued {
        head: Head {
            id: make_id(created, number, "Abc123"),
            from: "judge@judge.example".into(),
            to: vec![to.into()],
            game: Some(game.into()),
            kind: kind.into(),
            created,
            not_before: created,
            tries: 0,
            last_error: None,
            expires: None,
        },
        message: format!("Subject: {number}\r\n\r\n.text {number}\r\n").into_bytes(),
    }
}

fn queue(entries: &[Queued]) -> (tempfile::TempDir, Queue) {
    let directory = tempfile::tempdir().expect("directory");
    let queue = Queue::open(directory.path().join("outbox"), directory.path().join("journal")).expect("queue");
    for entry in entries {
        queue.enqueue(entry).expect("enqueue");
    }
    (directory, queue)
}

/// The commit writes a mail where it will lie: until it is finished nobody takes the mail for damaged, or half of it for all.
#[test]
fn a_mail_whose_commit_is_not_finished_is_not_seen() {
    let whole = entry(1, "a@example.org", "g", "N17");
    let id = whole.head.id.clone();
    for half in [0, 20, whole.encode().len() - 5] {
        let (directory, queue) = queue(&[]);
        let record =
            Record { owner: Owner::Judge, seq: 7, operations: vec![Operation::Enqueue(id.clone(), whole.encode())] };
        let (journal, place) = (directory.path().join("journal"), queue.path(Folder::New, &id));
        std::fs::create_dir(&journal).expect("directory");
        std::fs::write(journal.join(record.file_name()), record.encode()).expect("journal file");
        std::fs::write(&place, &whole.encode()[..half]).expect("half a mail");
        assert_eq!(queue.list(Folder::New).expect("list"), (vec![], vec![]));
        assert!(queue.hold(&id).is_err() && queue.drop_entry(&id).is_err() && place.exists());
        std::fs::write(&place, whole.encode()).expect("the mail");
        std::fs::remove_file(journal.join(record.file_name())).expect("finished");
        assert_eq!(queue.list(Folder::New).expect("list"), (vec![whole.head.clone()], vec![]));
    }
}

/// Few files are looked into, and the answer is that of all of them; what is no queue file is passed over.
#[test]
fn how_many_wait_and_since_when() {
    let (_keep, queue) = queue(&[]);
    assert_eq!(queue.waiting().expect("a look").oldest, None);
    let mut entries: Vec<Queued> = (1..30).map(|n| entry(n, "a@example.org", "g", "N17")).collect();
    // Tried again from later on; of no name of ours.
    entries[3].head.created = noon() + Duration::seconds(8);
    entries[20].head.id = "by-hand".into();
    entries.iter().for_each(|entry| queue.enqueue(entry).expect("enqueue"));
    for id in entries.iter().map(|entry| entry.head.id.clone()) {
        let waiting = queue.waiting().expect("a look");
        let (heads, _) = queue.list(Folder::New).expect("a list");
        assert_eq!((waiting.count, waiting.oldest), (heads.len(), heads.iter().map(|head| head.created).min()), "{id}");
        queue.drop_entry(&id).expect("dropped");
    }
    std::fs::write(queue.path(Folder::New, "0000000000000000-0000a"), "nothing of ours").expect("a file");
    queue.enqueue(&entries[5]).expect("enqueue");
    assert_eq!(queue.waiting().expect("a look").oldest, Some(entries[5].head.created));
}

/// A transport that answers by recipient.
struct Scripted {
    log: Mutex<Vec<String>>,
    answer: fn(&Outgoing) -> Result<String, Failure>,
}

impl Transport for Scripted {
    fn send(&self, mail: &Outgoing) -> Result<String, Failure> {
        let subject = String::from_utf8_lossy(mail.message).lines().next().unwrap_or_default().to_owned();
        self.log.lock().expect("lock").push(format!("{} {}", mail.to.join(","), subject.replace("Subject: ", "")));
        (self.answer)(mail)
    }
}

fn scripted(answer: fn(&Outgoing) -> Result<String, Failure>) -> Scripted {
    Scripted { log: Mutex::default(), answer }
}

fn round(queue: &Queue, transport: &dyn Transport, now: DateTime<Utc>) -> Round {
    let policy = Policy { concurrency: 1, ..Policy::default() };
    send_due(queue, transport, &policy, now, usize::MAX, &mut || 0.5).expect("round")
}

fn count(queue: &Queue, folder: Folder) -> usize {
    queue.list(folder).expect("list").0.len()
}

#[test]
fn the_file_format_reads_what_it_writes_and_names_what_is_wrong() {
    let entry = entry(1, "france@example.org", "balkan9", "N17");
    let bytes = entry.encode();
    assert_eq!(Queued::decode(&bytes).expect("decode"), entry);
    let text = String::from_utf8(bytes).expect("text");
    let head: serde_json::Value = serde_json::from_str(text.lines().next().expect("line")).expect("JSON");
    let keys: Vec<&String> = head.as_object().expect("object").keys().collect();
    assert_eq!(keys, ["id", "from", "to", "game", "kind", "created", "not_before", "tries", "last_error"]);
    assert!(text.contains("}\n\nSubject: 1\r\n"));
    assert!(Queued::decode(b"").is_err());
    assert!(Queued::decode(text.replace("\n\n", "\n").as_bytes()).is_err());
    assert!(Queued::decode(text.replace("Abc123", "x").replace(&entry.head.id, "../x").as_bytes()).is_err());
}

#[test]
fn mail_leaves_in_order_and_a_deferred_one_holds_its_successors_for_an_hour() {
    let entries = [
        entry(1, "france@example.org", "g", "N17"),
        entry(2, "france@example.org", "g", "N05"),
        entry(3, "france@example.org", "other", "N17"),
        entry(4, "italy@example.org", "g", "N17"),
    ];
    let (_directory, queue) = queue(&entries);
    let down = scripted(|m| {
        if m.message.starts_with(b"Subject: 1") {
            Err(Failure::Later("451 greylisted".into()))
        } else {
            Ok("250".into())
        }
    });
    let first = round(&queue, &down, noon() + Duration::minutes(1));
    assert_eq!(
        *down.log.lock().expect("lock"),
        ["france@example.org 1", "france@example.org 3", "italy@example.org 4"]
    );
    assert_eq!((first.sent.len(), first.deferred.len(), first.waiting), (2, 1, 1));
    assert_eq!(first.deferred[0].tries, 1);
    assert_eq!(first.deferred[0].not_before, noon() + Duration::minutes(2));
    assert_eq!(first.deferred[0].last_error.as_deref(), Some("451 greylisted"));
    // Not due yet: nothing is tried, the second still waits.
    let second = round(&queue, &down, noon() + Duration::seconds(90));
    assert_eq!((second.sent.len(), second.waiting), (0, 2));
    // An hour after its creation the second goes, though the first is still refused.
    let third = round(&queue, &down, noon() + Duration::minutes(61));
    assert_eq!((third.sent.len(), third.deferred.len()), (1, 1));
    // The schedule: second pause 5 minutes.
    assert_eq!(third.deferred[0].not_before, noon() + Duration::minutes(66));
    let up = scripted(|_| Ok("250".into()));
    assert_eq!(round(&queue, &up, noon() + Duration::minutes(66)).sent, [entries[0].head.id.clone()]);
    assert_eq!((count(&queue, Folder::New), count(&queue, Folder::Done)), (0, 4));
}

#[test]
fn pauses_follow_the_schedule_within_a_tenth() {
    let policy = Policy::default();
    let minutes = |tries, chance| policy.pause(tries, chance).num_seconds() as f64 / 60.0;
    assert_eq!((minutes(1, 0.5), minutes(7, 0.5), minutes(40, 0.5)), (1.0, 240.0, 240.0));
    assert_eq!((minutes(3, 0.0), minutes(3, 1.0)), (13.5, 16.5));
}

#[test]
fn refused_and_old_mail_is_buried_and_can_be_raised() {
    let (_directory, queue) =
        queue(&[entry(1, "gone@example.org", "g", "N17"), entry(2, "away@example.org", "g", "N17")]);
    let relay = scripted(|m| {
        if m.to[0].starts_with("gone") {
            Err(Failure::Recipient("550 5.1.1".into()))
        } else {
            Err(Failure::Later("451".into()))
        }
    });
    let first = round(&queue, &relay, noon() + Duration::minutes(1));
    assert_eq!(first.dead[0].last_error.as_deref(), Some("550 5.1.1"));
    let last = round(&queue, &relay, noon() + Duration::days(5) + Duration::minutes(1));
    assert_eq!(last.dead[0].last_error.as_deref(), Some("given up after 2 attempts: 451"));
    assert_eq!((count(&queue, Folder::New), count(&queue, Folder::Dead)), (0, 2));
    queue.retry(&last.dead[0].id, noon() + Duration::days(6)).expect("retry");
    let head = &queue.list(Folder::New).expect("list").0[0];
    assert_eq!((head.tries, head.not_before), (0, noon() + Duration::days(6)));
}

#[test]
fn an_error_about_us_stops_everything_and_loses_nothing() {
    let entries: Vec<Queued> = (1..=3).map(|n| entry(n, &format!("p{n}@example.org"), "g", "N17")).collect();
    let (_directory, queue) = queue(&entries);
    let denied = scripted(|_| Err(Failure::Us("535 5.7.8 authentication failed".into())));
    let first = round(&queue, &denied, noon() + Duration::minutes(1));
    assert_eq!(first.stopped.as_deref(), Some("535 5.7.8 authentication failed"));
    assert_eq!(denied.log.lock().expect("lock").len(), 1);
    let good = scripted(|_| Ok("250".into()));
    let second = round(&queue, &good, noon() + Duration::minutes(2));
    assert_eq!((second.sent.len(), second.waiting, second.stopped.is_some()), (0, 3, true));
    assert_eq!(queue.flush(noon() + Duration::minutes(3)).expect("flush"), 3);
    assert_eq!(round(&queue, &good, noon() + Duration::minutes(3)).sent.len(), 3);
}

#[test]
fn senseless_mail_is_not_sent() {
    let mut reminder = entry(1, "a@example.org", "g", "N10");
    reminder.head.expires = Some(noon() + Duration::minutes(5));
    let entries = [
        reminder,
        entry(2, "a@example.org", "g", "N32"),
        entry(3, "a@example.org", "g", "N32"),
        entry(4, "b@example.org", "g", "N32"),
    ];
    let (_directory, queue) = queue(&entries);
    let good = scripted(|_| Ok("250".into()));
    let result = round(&queue, &good, noon() + Duration::minutes(5));
    assert_eq!(*good.log.lock().expect("lock"), ["a@example.org 3", "b@example.org 4"]);
    assert_eq!(result.dropped.len(), 2);
}

#[test]
fn the_keeper_can_hold_release_drop_and_look() {
    let entries: Vec<Queued> = (1..=2).map(|n| entry(n, "a@example.org", "g", "N17")).collect();
    let (_directory, queue) = queue(&entries);
    let [one, two] = [&entries[0].head.id, &entries[1].head.id];
    queue.hold(one).expect("hold");
    assert_eq!(queue.find(one), Some(Folder::Hold));
    assert_eq!(queue.load(Folder::Hold, one).expect("load").message, entries[0].message);
    let good = scripted(|_| Ok("250".into()));
    assert_eq!(round(&queue, &good, noon() + Duration::minutes(1)).sent, std::slice::from_ref(two));
    queue.retry(one, noon()).expect("retry");
    queue.drop_entry(one).expect("drop");
    assert_eq!(queue.find(one), None);
    assert!(queue.hold("../../etc/passwd").is_err() && queue.drop_entry(two).is_err());
    // Queued again with the same id: it was sent, so nothing happens.
    queue.enqueue(&entries[1]).expect("enqueue");
    assert_eq!(count(&queue, Folder::New), 0);
    assert_eq!(queue.prune(noon() + Duration::days(6), Duration::days(7)).expect("prune"), 0);
    assert_eq!(queue.prune(noon() + Duration::days(9), Duration::days(7)).expect("prune"), 1);
}

#[test]
fn damaged_files_are_set_aside_and_redirection_holds() {
    let (directory, queue) = queue(&[entry(1, "a@example.org", "g", "N17")]);
    std::fs::write(directory.path().join("outbox/new/junk.msg"), "no json").expect("write");
    let good = scripted(|_| Ok("250".into()));
    let policy = Policy { redirect: Redirect::To("tester@example.org".into()), ..Policy::default() };
    let result = send_due(&queue, &good, &policy, noon() + Duration::hours(1), 10, &mut || 0.5).expect("round");
    assert_eq!(*good.log.lock().expect("lock"), ["tester@example.org 1"]);
    assert_eq!(result.damaged.len(), 1);
    assert!(directory.path().join("outbox/dead/junk.msg").exists());
}

#[test]
fn a_mail_that_cannot_be_read_now_is_not_buried() {
    let (directory, queue) = queue(&[entry(1, "a@example.org", "g", "N17"), entry(2, "b@example.org", "g", "N17")]);
    let path = queue.path(Folder::New, &entry(1, "a@example.org", "g", "N17").head.id);
    let bytes = std::fs::read(&path).expect("read");
    std::fs::remove_file(&path).expect("remove");
    // A chain of links without an end: opening it fails, also for root.
    std::os::unix::fs::symlink(&path, &path).expect("link");
    let good = scripted(|_| Ok("250".into()));
    let first = round(&queue, &good, noon() + Duration::hours(1));
    assert_eq!((first.sent.len(), first.damaged.len(), first.damaged[0].for_good), (1, 1, false));
    assert_eq!(std::fs::read_dir(directory.path().join("outbox/dead")).expect("dead").count(), 0);
    std::fs::remove_file(&path).expect("remove");
    std::fs::write(&path, bytes).expect("write");
    let second = round(&queue, &good, noon() + Duration::hours(1));
    assert_eq!((second.sent.len(), second.damaged.len()), (1, 0));
}

#[test]
fn a_budget_and_a_second_sender_are_respected() {
    let entries: Vec<Queued> = (1..=5).map(|n| entry(n, &format!("p{n}@example.org"), "g", "N17")).collect();
    let (directory, queue) = queue(&entries);
    let good = scripted(|_| Ok("250".into()));
    let result =
        send_due(&queue, &good, &Policy::default(), noon() + Duration::hours(1), 2, &mut || 0.5).expect("round");
    assert_eq!((result.sent.len(), result.waiting), (2, 3));
    let lock = std::fs::File::options().write(true).open(directory.path().join("outbox/.lock")).expect("lock file");
    fs2::FileExt::lock_exclusive(&lock).expect("lock");
    assert!(round(&queue, &good, noon() + Duration::hours(1)).busy);
}

#[test]
fn the_file_transport_writes_message_and_envelope() {
    let directory = tempfile::tempdir().expect("directory");
    let transport = FileTransport::open(directory.path().join("mail-out")).expect("open");
    let entry = entry(1, "a@example.org", "g", "N17");
    let (_outbox, queue) = queue(std::slice::from_ref(&entry));
    round(&queue, &transport, noon() + Duration::hours(1));
    let path = |end: &str| directory.path().join("mail-out").join(format!("{}.{end}", entry.head.id));
    assert_eq!(std::fs::read(path("eml")).expect("eml"), entry.message);
    let envelope: serde_json::Value =
        serde_json::from_slice(&std::fs::read(path("json")).expect("json")).expect("JSON");
    assert_eq!(
        (envelope["from"].as_str(), envelope["to"][0].as_str()),
        (Some("judge@judge.example"), Some("a@example.org"))
    );
}

#[test]
fn sendmail_gets_an_argument_vector_and_its_exit_codes_count() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().expect("directory");
    let program = directory.path().join("sendmail");
    let script = "#!/bin/sh\ncat > \"$0.in\"\nfor a in \"$@\"; do echo \"$a\"; done > \"$0.args\"\n\
                  case \"$*\" in *later*) echo busy >&2; exit 75;; *never*) exit 67;; esac\n";
    std::fs::write(&program, script).expect("script");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("mode");
    let transport = SendmailTransport::new(&program);
    let send = |from: &str, to: &str| {
        let message = b"Subject: x\r\n\r\ny\r\n";
        transport.send(&Outgoing { id: "1", from, to: &[to.to_owned()], game: None, kind: "N17", message })
    };
    assert!(send("", "a@example.org").is_ok());
    assert_eq!(std::fs::read_to_string(directory.path().join("sendmail.in")).expect("in"), "Subject: x\n\ny\n");
    let arguments = std::fs::read_to_string(directory.path().join("sendmail.args")).expect("args");
    assert_eq!(arguments, "-i\n-f\n<>\n--\na@example.org\n");
    assert_eq!(send("j@x.example", "later@example.org"), Err(Failure::Later("sendmail: exit 75: busy".into())));
    assert_eq!(send("j@x.example", "never@example.org"), Err(Failure::Recipient("sendmail: exit 67".into())));
    assert!(matches!(send("j@x.example", "-oQ/tmp@example.org"), Err(Failure::Recipient(_))));
    let missing = SendmailTransport::new(directory.path().join("none"));
    let mail = Outgoing { id: "1", from: "", to: &["a@b.example".into()], game: None, kind: "", message: b"" };
    assert!(matches!(missing.send(&mail), Err(Failure::Us(_))));
}

fn smtp(port: u16) -> SmtpTransport {
    let settings =
        SmtpSettings { host: "127.0.0.1".into(), port, tls: TlsMode::None, login: None, hello: "judge.example".into() };
    SmtpTransport::new(settings).expect("settings")
}

#[test]
fn smtp_settings_never_send_in_clear_over_a_network() {
    let settings = SmtpSettings {
        host: "mail.example.org".into(),
        port: 25,
        tls: TlsMode::None,
        login: None,
        hello: "judge.example".into(),
    };
    assert!(matches!(SmtpTransport::new(settings.clone()), Err(SmtpSettingsError::ClearText(_))));
    let local = SmtpSettings { host: "localhost".into(), login: Some(("u".into(), "p".into())), ..settings.clone() };
    assert!(matches!(SmtpTransport::new(local), Err(SmtpSettingsError::ClearPassword)));
    assert!(
        !format!("{:?}", SmtpSettings { login: Some(("u".into(), "geheim".into())), ..settings }).contains("geheim")
    );
}

#[test]
fn smtp_delivers_to_our_own_listener_over_one_connection() {
    let stored = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&stored);
    let door = Door {
        protocol: Protocol::Smtp,
        host: "sink.example".into(),
        max_bytes: 1 << 20,
        ours: Arc::new(|a| !a.starts_with("gone")),
        room: Arc::new(|| true),
        store: Arc::new(move |incoming| {
            let to = incoming.to.unwrap_or_default().to_owned();
            if to.starts_with("later") {
                return Err(std::io::Error::other("busy"));
            }
            sink.lock().expect("lock").push((incoming.from.unwrap_or("-").to_owned(), to, incoming.bytes.to_vec()));
            Ok(())
        }),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("runtime");
    let bound = runtime.block_on(Bound::bind(&"127.0.0.1:0".parse().expect("place"))).expect("bind");
    let port = bound.local_addr().expect("address").port();
    runtime.spawn(serve(bound, door, std::future::pending()));
    let mut entries: Vec<Queued> = (1..=3).map(|n| entry(n, &format!("p{n}@example.org"), "g", "N17")).collect();
    entries.push(entry(4, "gone@example.org", "g", "N17"));
    entries.push(entry(5, "later@example.org", "g", "N17"));
    entries.push(entry(6, "p6@example.org", "g", "N17"));
    entries[5].head.from = String::new();
    let (_directory, queue) = queue(&entries);
    let transport = smtp(port);
    let result = round(&queue, &transport, noon() + Duration::hours(1));
    assert_eq!((result.sent.len(), result.dead.len(), result.deferred.len()), (4, 1, 1), "{result:?}");
    assert!(result.dead[0].last_error.as_deref().is_some_and(|e| e.contains("550")), "{result:?}");
    assert!(result.deferred[0].last_error.as_deref().is_some_and(|e| e.contains("451")), "{result:?}");
    let stored = stored.lock().expect("lock");
    assert_eq!(stored[0].2, entries[0].message);
    assert_eq!((stored[3].0.as_str(), stored[3].1.as_str()), ("", "p6@example.org"));
}

/// A server that answers each command line with what the script says (`drop`: hangs up), connection after connection.
fn relay(script: fn(&str) -> &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let port = listener.local_addr().expect("address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let Ok(reading) = stream.try_clone() else { return };
            let mut reader = BufReader::new(reading);
            let mut data = false;
            if stream.write_all(b"220 relay.example ESMTP\r\n").is_err() {
                continue;
            }
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|n| n > 0) {
                let command = if data { if line == ".\r\n" { "." } else { "" } } else { line.trim_end() };
                let answer = if command.is_empty() { "" } else { script(command) };
                if answer == "drop" {
                    break;
                }
                data = (data && command != ".") || answer.starts_with("354");
                if !answer.is_empty() && stream.write_all(format!("{answer}\r\n").as_bytes()).is_err() {
                    break;
                }
                line.clear();
            }
        }
    });
    port
}

fn try_send(transport: &SmtpTransport) -> Result<String, Failure> {
    let to = ["a@example.org".to_owned()];
    let message = b"Subject: x\r\n\r\ny\r\n";
    transport.send(&Outgoing { id: "1", from: "judge@judge.example", to: &to, game: None, kind: "N17", message })
}

fn usual(command: &str) -> &'static str {
    match command.split([' ', ':']).next().unwrap_or_default() {
        "DATA" => "354 go",
        "QUIT" => "221 bye",
        _ => "250 ok",
    }
}

#[test]
fn refusals_are_put_down_to_the_right_one() {
    let outcome = |script| try_send(&smtp(relay(script)));
    assert!(outcome(usual).is_ok());
    assert!(matches!(
        outcome(|c| if c.starts_with("MAIL") { "550 5.7.1 we do not know you" } else { usual(c) }),
        Err(Failure::Us(_))
    ));
    assert!(matches!(
        outcome(|c| if c.starts_with("RCPT") { "554 5.7.1 <a@example.org>: Relay access denied" } else { usual(c) }),
        Err(Failure::Us(_))
    ));
    assert!(matches!(
        outcome(|c| if c.starts_with("RCPT") { "550 5.1.1 no such user" } else { usual(c) }),
        Err(Failure::Recipient(_))
    ));
    assert!(matches!(
        outcome(|c| if c.starts_with("RCPT") { "450 greylisted" } else { usual(c) }),
        Err(Failure::Later(_))
    ));
    assert!(matches!(outcome(|c| if c == "." { "554 5.6.0 no" } else { usual(c) }), Err(Failure::Recipient(_))));
    assert!(matches!(outcome(|c| if c == "." { "drop" } else { usual(c) }), Err(Failure::Later(_))));
    assert!(matches!(outcome(|c| if c.starts_with("EHLO") { "drop" } else { usual(c) }), Err(Failure::Later(_))));
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("address").port();
    assert!(matches!(try_send(&smtp(closed)), Err(Failure::Later(_))));
}

#[test]
fn a_relay_without_starttls_gets_nothing() {
    static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let port = relay(|c| {
        SEEN.lock().expect("lock").push(c.to_owned());
        usual(c)
    });
    let settings = SmtpSettings {
        host: "127.0.0.1".into(),
        port,
        tls: TlsMode::StartTls,
        login: Some(("u".into(), "p".into())),
        hello: "judge.example".into(),
    };
    let transport = SmtpTransport::new(settings).expect("settings");
    assert!(matches!(try_send(&transport), Err(Failure::Later(reason)) if reason.contains("STARTTLS")));
    let seen = SEEN.lock().expect("lock");
    assert!(seen.iter().all(|c| c.starts_with("EHLO") || c == "QUIT"), "{seen:?}");
}

#[test]
fn an_idle_connection_the_relay_has_closed_is_replaced() {
    // The first mail leaves a connection open; the relay hangs up at the next MAIL on it.
    static MAILS: Mutex<u32> = Mutex::new(0);
    let port = relay(|c| {
        if c.starts_with("MAIL") {
            let mut mails = MAILS.lock().expect("lock");
            *mails += 1;
            if *mails == 2 {
                return "drop";
            }
        }
        usual(c)
    });
    let transport = smtp(port);
    assert!(try_send(&transport).is_ok());
    assert!(try_send(&transport).is_ok());
    assert_eq!(*MAILS.lock().expect("lock"), 3);
}

#[test]
fn no_more_mails_leave_in_a_time_than_the_rate_allows() {
    let entries: Vec<Queued> = (0..10).map(|n| entry(n, &format!("p{n}@example.org"), "g", "N17")).collect();
    let (_directory, queue) = queue(&entries);
    let up = scripted(|_| Ok("taken".into()));
    let policy =
        Policy { concurrency: 3, rate: Some(Pace { count: 4, per: Duration::minutes(1) }), ..Policy::default() };
    let begin = noon() + Duration::hours(1);
    let sent = |seconds: i64| {
        let now = begin + Duration::seconds(seconds);
        let round = send_due(&queue, &up, &policy, now, usize::MAX, &mut || 0.5).expect("round");
        (round.sent.len(), round.waiting)
    };
    // Four at once, then one each quarter of a minute; another process knows of it by the queue alone.
    assert_eq!([0, 1, 14].map(sent), [(4, 6), (0, 6), (0, 6)]);
    assert_eq!([15, 16, 45].map(sent), [(1, 5), (0, 5), (2, 3)]);
    assert_eq!(sent(600), (3, 0));
    assert_eq!(up.log.lock().expect("lock").len(), 10, "each once");
}

/// What a keeper does to the queue, or to the dead, waits for nobody and disturbs nobody.
#[test]
fn nothing_is_retried_or_dropped_while_a_worker_holds_the_lock() {
    let directory = tempfile::tempdir().expect("directory");
    let root = directory.path().join("site");
    let settings =
        vec![("mail.out.rate", "\"1/h\""), ("mail.out.transport", "\"smtp\""), ("mail.out.smtp.tls", "\"none\"")];
    let settings = [settings, vec![("mail.out.smtp.host", "\"127.0.0.1\"")]].concat();
    let beginnings = Beginnings { address: "judge@judge.example".into(), settings, ..Beginnings::default() };
    init(&root, &beginnings).expect("a site");
    let run = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_chancery")).args(words).arg("--root").arg(&root).output();
        let output = output.expect("chancery");
        (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    // A mail without a sender comes to lie among the dead.
    let spool = Spool::new(&root.join("spool"), &root.join("dead"), Fs::from_env(), 0);
    let envelope = Envelope { from: None, to: None };
    spool.store(&b"Subject: from nobody\n\nHELP\n"[..], &envelope, 1000, noon()).expect("stored");
    assert!(run(&["work"]).0);
    let (buried, why) = spool.dead().expect("the dead").pop().expect("one");
    let (name, dead) = (buried.file_name(), root.join("dead").join(buried.file_name()));
    assert!(why.contains("sender"), "{why}");
    let queue = Queue::open(root.join("outbox"), root.join("journal")).expect("queue");
    let waiting = [entry(1, "a@example.org", "g", "N17"), entry(2, "b@example.org", "g", "N17")];
    waiting.iter().for_each(|entry| queue.enqueue(entry).expect("enqueue"));
    let id = waiting[0].head.id.clone();
    let locked = |file: &str| {
        let lock = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(root.join(file));
        let lock = lock.expect("a lock");
        fs2::FileExt::try_lock_exclusive(&lock).expect("nobody is at work");
        lock
    };
    let (worker, sender) = (locked("spool/.lock"), locked("outbox/.lock"));
    for words in [["dead", "retry", &name], ["dead", "drop", &name], ["queue", "drop", &id], ["queue", "hold", &id]] {
        let (done, said) = run(&words);
        assert!(!done && said.contains("chancery:") && !said.contains("is here"), "{words:?}: {said}");
    }
    assert!(dead.exists() && queue.find(&id) == Some(Folder::New), "nothing was touched");
    assert!(run(&["dead", "list"]).1.contains(&name), "looking is free");
    drop((worker, sender));
    assert!(run(&["queue", "hold", &id]).0 && queue.find(&id) == Some(Folder::Hold));
    assert!(run(&["queue", "drop", &id]).0 && queue.find(&id).is_none());
    assert!(run(&["dead", "retry", &name]).0 && !dead.exists() && !dead.with_extension("why").exists());
    assert_eq!(std::fs::read_dir(root.join("spool/in/new")).expect("the spool").count(), 1);
    assert!(!run(&["dead", "drop", &name]).0, "it is gone");
}

#[test]
fn the_configured_rate_holds_from_one_process_to_the_next() {
    let directory = tempfile::tempdir().expect("directory");
    let root = directory.path().join("site");
    let port: &'static str = relay(usual).to_string().leak();
    let settings = vec![
        ("mail.out.rate", "\"2/min\""),
        // The relay here hears one after the other.
        ("mail.out.concurrency", "1"),
        ("mail.out.transport", "\"smtp\""),
        ("mail.out.smtp.tls", "\"none\""),
        ("mail.out.smtp.host", "\"127.0.0.1\""),
        ("mail.out.smtp.port", port),
        ("test.allow_clock", "true"),
    ];
    let beginnings = Beginnings { address: "judge@judge.example".into(), settings, ..Beginnings::default() };
    init(&root, &beginnings).expect("a site");
    let queue = Queue::open(root.join("outbox"), root.join("journal")).expect("queue");
    for n in 0..5 {
        queue.enqueue(&entry(n, &format!("p{n}@example.org"), "g", "N17")).expect("enqueue");
    }
    let send = |clock: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chancery"));
        let output = command.args(["send", "--clock", clock, "--root"]).arg(&root).output().expect("chancery");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let said =
        ["2026-11-21T13:00:00Z", "2026-11-21T13:00:10Z", "2026-11-21T13:00:30Z", "2026-11-21T13:05:00Z"].map(send);
    let sent = said.each_ref().map(|s| s.split([' ', ',']).nth(1).and_then(|n| n.parse::<usize>().ok()).unwrap_or(99));
    assert_eq!(sent, [2, 0, 1, 2], "{said:?}");
}
