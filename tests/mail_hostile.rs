//! Mail nobody's program would write, and mail programs write all the time: the intake stands both
//! (operations.md 5.6, 9; mail-commands.md 1.3 to 1.5).

use chancery::mail::MailAddress;
use chancery::mail::bounce;
use chancery::mail::intake::{self, Disposition, Extension, Flag, Intake, Limits, Ourselves, Reason, Refusal};
use chancery::mail::token::{Secret, verp};
use proptest::prelude::*;
use std::path::Path;

fn we() -> Ourselves {
    Ourselves { addresses: vec!["judge@judge.example".into()], id: Some("CHCY".into()) }
}

fn read(bytes: &[u8]) -> Intake {
    intake::read(bytes, &we(), &Limits::default()).expect("the parser holds")
}

fn vector(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mail").join(name);
    std::fs::read(path).expect("vector")
}

fn lines(head: &str, body: &str) -> Vec<String> {
    let mail = format!("From: france@example.org\n{head}\n{body}");
    read(mail.as_bytes()).lines.into_iter().map(|l| l.text).collect()
}

fn disposition(text: &str) -> Disposition {
    read(text.as_bytes()).disposition
}

const SHEET: [&str; 2] = ["SIGNON Fbalkan9 le-secret", "A par h"];

#[test]
fn what_mail_programs_add_is_left_out() {
    for tail in [
        "\nSent from my iPhone\n",
        "\nSent from my iPhone\n\n> A par - bur\n",
        "\nOn Sat, 21 Nov 2026 at 08:00, Judge <judge@judge.example>\nwrote:\n> A par - bur\n",
        "\nAm 21.11.2026 um 08:00 schrieb Judge:\n> A par - bur\n",
        "\nLe 21 nov. 2026 à 08:00, Judge a écrit :\n> A par - bur\n",
        "\n-----Original Message-----\nA par - bur\n",
        "\n________________________________\nA par - bur\n",
        "\nFrom: Judge\nSent: Saturday\nA par - bur\n",
        "\n*From:* Judge\n*Date:* Saturday\nA par - bur\n",
        "\n--\nA par - bur\n",
        "\nSIGN OFF\nA par - bur\n",
    ] {
        let got = lines("", &format!("{}\n{}\n{tail}", SHEET[0], SHEET[1]));
        let got: Vec<&str> = got.iter().map(String::as_str).filter(|l| *l != "SIGN OFF").collect();
        assert_eq!(got, SHEET, "{tail}");
    }
}

#[test]
fn press_keeps_what_looks_like_the_end() {
    let body = "SIGNON Fb x\nPRESS TO E\nFrom: me\nDate: now\n__________\n-- \n  indented\t\n\nSent from my heart\nENDPRESS\nA par h\n";
    let want = [
        "SIGNON Fb x",
        "PRESS TO E",
        "From: me",
        "Date: now",
        "__________",
        "--",
        "  indented",
        "",
        "Sent from my heart",
        "ENDPRESS",
        "A par h",
    ];
    assert_eq!(lines("", body), want);
    let body = "SIGNON Fb x\nPRESS TO E\none\nEND PRESS now\nEND PRESS\nA par h\n";
    assert_eq!(lines("", body), ["SIGNON Fb x", "PRESS TO E", "one", "END PRESS now", "END PRESS", "A par h"]);
}

#[test]
fn numbers_are_those_of_the_text_of_the_mail() {
    let mail = b"From: france@example.org\n\nHello\n\n// x\nSIGNON Fb x\n> q\nA par h\n";
    let got: Vec<(usize, String)> = read(mail).lines.into_iter().map(|l| (l.number, l.text)).collect();
    assert_eq!(got, [(4, "SIGNON Fb x".to_owned()), (6, "A par h".to_owned())]);
}

#[test]
fn twenty_lines_of_greeting_are_skipped_and_no_more() {
    let greeting = |n: usize| format!("{}SIGNON Fb x\n", "well met, sire\n".repeat(n));
    assert_eq!(lines("", &greeting(20)), ["SIGNON Fb x"]);
    assert!(lines("", &greeting(21)).is_empty());
    assert!(read(format!("From: a@b.example\n\n{}", greeting(1)).as_bytes()).flags.contains(&Flag::GreetingSkipped));
}

#[test]
fn flowed_text_is_joined_by_depth() {
    let head = "Content-Type: text/plain; format=flowed; delsp=yes\n";
    assert_eq!(lines(head, "SIGNON Fb \n x\nA par \nh\n> quo \n> ted\n"), ["SIGNON Fbx", "A parh"]);
    let press =
        lines("Content-Type: text/plain; format=flowed\n", "SIGNON Fb x\nPRESS TO E\n>> a \n>> b \n> c\nENDPRESS\n");
    assert_eq!(press, ["SIGNON Fb x", "PRESS TO E", ">> a b", "> c", "ENDPRESS"]);
}

#[test]
fn programs_and_loops_are_dropped_for_the_right_reason() {
    let cases = [
        ("Auto-Submitted: auto-generated", Reason::AutoSubmitted),
        ("X-Auto-Response-Suppress: DR, AutoReply", Reason::AutoSubmitted),
        ("Precedence: auto_reply", Reason::AutoSubmitted),
        ("Return-Path: <>", Reason::Bounce),
        ("X-Failed-Recipients: a@b.example", Reason::Bounce),
        ("Reply-To: bounces-7@lists.example", Reason::Bounce),
        ("Precedence: junk", Reason::List),
        ("Mailing-List: x", Reason::List),
        ("X-Loop: judge@judge.example", Reason::Loop),
        ("X-Chancery-Loop: OTHER", Reason::Loop),
        ("X-NJudge: YES", Reason::Loop),
        ("Reply-To: judge+demo@judge.example", Reason::Loop),
    ];
    for (field, reason) in cases {
        let mail = format!("From: a@example.org\n{field}\n\nLIST\n");
        assert_eq!(disposition(&mail), Disposition::Drop(reason), "{field}");
    }
    for fine in ["Auto-Submitted: no", "X-Auto-Response-Suppress: DR", "Precedence: first-class", "X-Loop: x@y.example"]
    {
        assert_eq!(disposition(&format!("From: a@example.org\n{fine}\n\nLIST\n")), Disposition::Process, "{fine}");
    }
    let hops = |n: usize| format!("{}From: a@example.org\n\nLIST\n", "Received: x\n".repeat(n));
    assert_eq!(disposition(&hops(50)), Disposition::Process);
    assert_eq!(disposition(&hops(51)), Disposition::Drop(Reason::Loop));
    assert_eq!(disposition("From: a@b.example, c@d.example\n\nLIST\n"), Disposition::Drop(Reason::NoSender));
    let several = read(b"From: a@b.example, c@d.example\nSender: c@d.example\n\nLIST\n");
    assert_eq!(several.sender.as_deref(), Some("c@d.example"));
}

#[test]
fn limits_are_answered_not_suffered() {
    let complex = Disposition::ReplyOnly(Refusal::TooComplex);
    let unreadable = Disposition::ReplyOnly(Refusal::Unreadable);
    assert_eq!(disposition(&format!("From: a@b.example\n{}\nLIST\n", "X: y\n".repeat(1001))), complex);
    assert_eq!(disposition(&format!("From: a@b.example\nX: {}\n\nLIST\n", "y".repeat(300 << 10))), complex);
    assert_eq!(disposition(&format!("From: a@b.example\n\nSIGNON Fb x\n{}", "LIST\n".repeat(200))), complex);
    assert_eq!(disposition(&format!("From: a@b.example\n\nSIGNON Fb x\n{}", "A par h\n".repeat(5000))), complex);
    let mut nested = "From: a@b.example\n".to_owned();
    for depth in 0..2000 {
        nested.push_str(&format!("Content-Type: multipart/mixed; boundary=b{depth}\n\n--b{depth}\n"));
    }
    assert_eq!(disposition(&nested), complex);
    let many =
        format!("From: a@b.example\nContent-Type: multipart/mixed; boundary=b\n{}", "\n--b\nX: y\n".repeat(20_000));
    assert_eq!(disposition(&many), complex);
    assert_eq!(disposition("From: a@b.example\nContent-Type: multipart/mixed\n\nx\n"), unreadable);
    assert_eq!(
        disposition("From: a@b.example\nContent-Type: multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--\n"),
        unreadable
    );
    assert_eq!(disposition("From: a@b.example\nContent-Transfer-Encoding: x-zip\n\nLIST\n"), unreadable);
    let oversize = format!("From: a@b.example\n{}: 2000000\n\n", intake::TRUNCATED_FIELD);
    assert_eq!(disposition(&oversize), Disposition::ReplyOnly(Refusal::TooLarge));
}

#[test]
fn the_address_says_game_seat_and_token() {
    let game =
        |seat: Option<&str>, game: &str| Some(Extension::Game { seat: seat.map(str::to_owned), game: game.into() });
    let cases = [
        ("judge+demo", game(None, "demo")),
        ("judge+france.demo", game(Some("france"), "demo")),
        ("judge+r-abc", Some(Extension::Reply("abc".into()))),
        ("judge+u-demo.0123", Some(Extension::Unsubscribe("demo.0123".into()))),
        ("judge+..", None),
        ("judge", None),
    ];
    for (local, want) in cases {
        let mail = format!("X-Chancery-Envelope-To: {local}@judge.example\nFrom: a@b.example\n\nLIST\n");
        assert_eq!(read(mail.as_bytes()).extension, want, "{local}");
    }
    let stranger = read(b"To: fan+demo@other.example\nFrom: a@b.example\n\nLIST\n");
    assert_eq!(stranger.extension, None);
}

#[test]
fn one_key_for_one_mail_however_it_came() {
    let (first, again) = (read(&vector("01-plain-orders.eml")), read(&vector("30-duplicate-message-id.eml")));
    assert_eq!(first.key(), again.key());
    assert!(first.key().starts_with("<m01@example.org>:france@example.org:"));
    let crlf = String::from_utf8(vector("01-plain-orders.eml"))
        .expect("text")
        .replace('\n', " \r\n")
        .replace(" \r\n \r\n", "\r\n\r\n");
    assert_eq!(read(crlf.as_bytes()).text_hash, first.text_hash);
}

#[test]
fn delivery_reports_are_read_and_tied_to_our_mail() {
    let secret = Secret::new(*b"k");
    let report = vector("13-bounce-dsn.eml");
    let bounce = bounce::read(&report, &read(&report), &secret);
    assert_eq!(bounce.failures.len(), 1);
    assert_eq!(
        (bounce.failures[0].address.as_str(), bounce.failures[0].status.as_str()),
        ("italy@example.org", "5.1.1")
    );
    assert!(bounce.failures[0].permanent());
    assert_eq!(bounce.envelope_id.as_deref(), Some("balkan9-N17-S1901M"));
    assert_eq!(bounce.queue_id, None);
    let judge = MailAddress::parse("judge@judge.example").expect("address");
    let to = verp(&judge, &secret, "0000000000000001-0001ab");
    let mail = format!("Return-Path: <>\nFrom: MAILER-DAEMON@x.example\nTo: {to}\n\n550 5.2.2 mailbox full\n");
    let intake = read(mail.as_bytes());
    assert_eq!(intake.disposition, Disposition::Drop(Reason::Bounce));
    let bounce = bounce::read(mail.as_bytes(), &intake, &secret);
    assert_eq!(
        (bounce.queue_id.as_deref(), bounce.stated.as_deref()),
        (Some("0000000000000001-0001ab"), Some("5.2.2"))
    );
    let forged = mail.replace("0001ab", "0002ab");
    assert_eq!(bounce::read(forged.as_bytes(), &read(forged.as_bytes()), &secret).queue_id, None);
}

fn bounded(bytes: &[u8]) {
    let limits = Limits::default();
    let read = read(bytes);
    assert!(read.lines.len() <= limits.lines);
    assert!(read.lines.iter().map(|l| l.text.len()).sum::<usize>() <= limits.text);
    assert!(read.lines.iter().all(|l| !l.text.contains(['\n', '\r', '\0'])));
    assert!(!read.subject.contains(['\n', '\r']));
    assert!(read.sender.iter().chain(&read.message_id).all(|a| !a.contains(char::is_whitespace)));
    if read.disposition != Disposition::Process {
        assert!(read.lines.is_empty());
    }
    bounce::read(bytes, &read, &Secret::new(*b"k"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(300)))]

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        bounded(&bytes);
    }

    #[test]
    fn any_mail_like_text_is_read(pieces in proptest::collection::vec(prop_oneof![
        Just("From: a@b.example\n"), Just("Content-Type: multipart/mixed; boundary=\"b\"\n"), Just("\n"), Just("--b\n"),
        Just("--b--\n"), Just("Content-Type: text/html; charset=utf-7\n"), Just("Content-Transfer-Encoding: base64\n"),
        Just("Content-Transfer-Encoding: quoted-printable\n"), Just("Content-Type: text/plain; format=flowed; delsp=yes\n"),
        Just("SIGNON Fb x\n"), Just("PRESS TO E\n"), Just("ENDPRESS\n"), Just("\\\\; a ; b\n"), Just("// x\n"), Just("> q \n"),
        Just("On x wrote:\n"), Just("Sent from my x\n"), Just("-- \n"), Just("<div id=\"a>&#x110000;&amp</style><blockquote>"),
        Just("=?utf-8?B?!!?= =?x?Q?=ZZ?=\n"), Just("=\r\n=4"), Just("\r"), Just(" folded\n"), Just("Reply-To: <<,;:\"\n"),
        Just("\u{a0}\u{feff}\u{202e}İß\n"),
    ], 0..60)) {
        bounded(pieces.concat().as_bytes());
    }

    #[test]
    fn damaged_vectors_are_read(which in 1usize..46, cuts in proptest::collection::vec((any::<u16>(), any::<u8>()), 0..12)) {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mail");
        let prefix = format!("{which:02}-");
        let name = std::fs::read_dir(directory).expect("vectors").filter_map(|e| e.ok())
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .find(|n| n.starts_with(&prefix) && n.ends_with(".eml")).expect("vector");
        let mut bytes = vector(&name);
        for (at, byte) in cuts {
            let at = usize::from(at) % bytes.len();
            bytes[at] = byte;
        }
        bounded(&bytes);
    }
}
