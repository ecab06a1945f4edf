//! Letters composed, looked at as bytes, and read again by our own intake (operations.md 8.1).

use chancery::mail::compose::{Composed, Encoded, Sender, Stamp, compose, compose_with, thread};
use chancery::mail::intake::{self, Disposition, Limits, Ourselves};
use chancery::mail::token::{Secret, verp_id};
use chancery::mail::{Attachment, Auto, Letter, MailAddress};
use chrono::DateTime;
use proptest::prelude::*;

fn sender() -> Sender {
    Sender {
        id: "CHCY".into(),
        address: MailAddress::parse("judge@judge.example").expect("address"),
        url: "https://judge.example".into(),
        verp: true,
        secret: Secret::new(*b"secret of the tests"),
    }
}

fn stamp() -> Stamp {
    Stamp {
        id: "1795224847123456-0007".into(),
        now: DateTime::parse_from_rfc3339("2026-11-21T10:00:00+01:00").expect("time"),
        token: "k3x9q7m2v5b8n4c1".into(),
    }
}

fn letter() -> Letter {
    Letter {
        to: "france@example.org".into(),
        game: Some("balkan9".into()),
        phase: Some("S1901M".into()),
        notice: "N17".into(),
        subject: "Diplomacy results balkan9 S1901M".into(),
        text: "Movement results for Spring of 1901.  (balkan9.001)\n\nFrance: Fleet Brest -> MAO.\n".into(),
        ..Letter::default()
    }
}

fn text(composed: &Composed) -> String {
    String::from_utf8(composed.bytes.clone()).expect("mails are ASCII")
}

fn head(composed: &Composed) -> Vec<String> {
    let text = text(composed);
    let (head, _) = text.split_once("\r\n\r\n").expect("an empty line");
    head.replace("\r\n ", " ").split("\r\n").map(str::to_owned).collect()
}

#[test]
fn results_have_the_fields_of_the_table() {
    let letter = Letter {
        bulk: true,
        optional: true,
        references: vec![thread::results_root(&sender(), "balkan9"), "<balkan9.F1900.N17.a@judge.example>".into()],
        ..letter()
    };
    let mail = compose(&letter, &sender(), &stamp()).expect("composed");
    assert_eq!(mail.to, "france@example.org");
    assert_eq!(mail.message_id, "<balkan9.S1901M.N17.k3x9q7m2v5b8n4c1@judge.example>");
    let token = mail.from.strip_prefix("judge+b-").and_then(|f| f.strip_suffix("@judge.example")).expect("VERP");
    assert_eq!(verp_id(&sender().secret, token).as_deref(), Some("1795224847123456-0007"));
    insta::assert_snapshot!(text(&mail).replace("\r
", "
"), @r#"
Date: Sat, 21 Nov 2026 10:00:00 +0100
From: "balkan9 on CHCY" <judge@judge.example>
Reply-To: judge+balkan9@judge.example
To: france@example.org
Subject: Diplomacy results balkan9 S1901M
Message-ID: <balkan9.S1901M.N17.k3x9q7m2v5b8n4c1@judge.example>
References: <balkan9.results@judge.example>
 <balkan9.F1900.N17.a@judge.example>
List-Id: <balkan9.judge.example>
List-Unsubscribe: <mailto:judge+u-balkan9.b735591eacb6ced980a1@judge.example>,
 <https://judge.example/unsubscribe/balkan9.b735591eacb6ced980a1>
List-Unsubscribe-Post: List-Unsubscribe=One-Click
Auto-Submitted: auto-generated
Precedence: bulk
X-Auto-Response-Suppress: All
X-Chancery-Loop: CHCY
X-Chancery-Game: balkan9
X-Chancery-Notice: N17
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8; format=fixed
Content-Transfer-Encoding: 7bit

Movement results for Spring of 1901.  (balkan9.001)

France: Fleet Brest -> MAO.
"#);
}

#[test]
fn answers_go_out_under_the_null_sender_and_thread() {
    let letter = Letter {
        auto: Auto::Replied,
        notice: "reply".into(),
        in_reply_to: Some("<m01@example.org>".into()),
        references: vec!["<m00@example.org>".into(), "bad\r\nX-Evil: 1".into()],
        phase: None,
        ..letter()
    };
    let mail = compose(&letter, &sender(), &stamp()).expect("composed");
    assert_eq!(mail.from, "");
    let head = head(&mail);
    assert!(head.contains(&"Auto-Submitted: auto-replied".to_owned()));
    assert!(head.contains(&"In-Reply-To: <m01@example.org>".to_owned()));
    assert!(head.contains(&"References: <m00@example.org> <m01@example.org>".to_owned()), "{head:#?}");
    assert!(head.iter().all(|l| !l.starts_with("Precedence") && !l.starts_with("List-")));
    // And comes back to nobody: the other judge, or we, drop it.
    let read = intake::read(&mail.bytes, &Ourselves::default(), &Limits::default()).expect("read");
    assert!(matches!(read.disposition, Disposition::Drop(_)));
}

#[test]
fn press_tells_nothing_but_its_text() {
    let letter = Letter { auto: Auto::Human, notice: "N45".into(), anonymous_id: true, ..letter() };
    let mail = compose(&letter, &sender(), &stamp()).expect("composed");
    assert_eq!(mail.message_id, "<k3x9q7m2v5b8n4c1@judge.example>");
    assert!(head(&mail).iter().all(|l| !l.starts_with("Auto-Submitted")));
    let names = |n: &[&str]| n.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    let root = |n: &[&str]| thread::press_root(&sender(), "balkan9", &names(n));
    assert_eq!(root(&["FRANCE", "England"]), root(&["england", "France"]));
    assert_ne!(root(&["FRANCE", "ENGLAND"]), root(&["FRANCE", "GERMANY"]));
}

#[test]
fn html_carries_its_picture_and_long_or_foreign_lines_are_encoded() {
    let letter = Letter {
        subject: "Grüße aus München, İyi şanslar 🕊 und ein sehr langer Betreff, der nicht auf eine einzige Zeile passt"
            .into(),
        text: format!("{}\nşans\nFrom here on\n.\n", "x".repeat(200)),
        html: Some("<p>Map: <img src=\"cid:map@judge.example\"></p>".into()),
        attachments: vec![
            Attachment {
                name: "balkan9.S1901M.png".into(),
                mime: "image/png".into(),
                bytes: (0..=255).collect(),
                inline: Some("map@judge.example".into()),
            },
            Attachment {
                name: "map \"\r\nX: .svg".into(),
                mime: "image/svg+xml\r\nX: y".into(),
                bytes: vec![],
                inline: None,
            },
        ],
        ..letter()
    };
    let mail = compose(&letter, &sender(), &stamp()).expect("composed");
    let text = text(&mail);
    assert!(text.split("\r\n").all(|l| l.len() <= 78), "{text}");
    assert!(!text.replace("\r\n", "").contains(['\r', '\n']));
    let parsed = mailparse::parse_mail(&mail.bytes).expect("MIME");
    let kinds: Vec<&str> = parsed.parts().map(|p| p.ctype.mimetype.as_str()).collect();
    assert_eq!(
        kinds,
        [
            "multipart/mixed",
            "multipart/alternative",
            "text/plain",
            "multipart/related",
            "text/html",
            "image/png",
            "application/octet-stream"
        ]
    );
    let parts: Vec<_> = parsed.parts().collect();
    assert_eq!(parts[2].get_body().expect("text").replace("\r\n", "\n"), letter.text);
    assert_eq!(parts[5].get_body_raw().expect("picture"), (0..=255).collect::<Vec<u8>>());
    let subject = mailparse::MailHeaderMap::get_first_value(&parsed.headers[..], "Subject").expect("subject");
    assert_eq!(subject, letter.subject);
}

#[test]
fn equal_input_gives_equal_bytes() {
    let letter = Letter { html: Some("<p>x</p>".into()), ..letter() };
    assert_eq!(compose(&letter, &sender(), &stamp()), compose(&letter, &sender(), &stamp()));
}

/// What letters of one event share is encoded once, and none takes another's text.
#[test]
fn composed_together_they_are_as_composed_alone() {
    let mut encoded = Encoded::default();
    for n in 0..40 {
        let (text, page) = (format!("Nächster Zug {}\n", n % 11), format!("<p>Zug {}</p>", n % 3));
        // A text may also be somebody's page.
        let text = if n % 5 == 0 { page.clone() } else { text };
        let html = (n % 2 == 0).then_some(page);
        let letter = Letter { to: format!("p{n}@example.org"), text, html, ..letter() };
        let together = compose_with(&mut encoded, &letter, &sender(), &stamp());
        assert_eq!(together, compose(&letter, &sender(), &stamp()), "{n}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(200)))]

    /// Whatever stands in a letter, the header has the fields of the table and no others.
    #[test]
    fn no_letter_adds_a_header_line(
        strings in proptest::collection::vec("(?s)[ -~äş\r\n\0\u{2028}:<>@]{0,60}", 8),
        bulk: bool, optional: bool, anonymous_id: bool,
    ) {
        let [subject, game, phase, notice, reply, reference, name, text] = strings.try_into().expect("eight");
        let letter = Letter {
            to: "france@example.org".into(), subject, game: Some(game), phase: Some(phase), notice, text,
            in_reply_to: Some(reply), references: vec![reference], bulk, optional, anonymous_id,
            link: None, expires: None,
            html: Some(name.clone()),
            attachments: vec![Attachment { name, mime: "image/png".into(), bytes: vec![1], inline: None }],
            auto: Auto::Generated,
            scene: None,
            thread: None,
        };
        let mail = compose(&letter, &sender(), &stamp()).expect("composed");
        const KNOWN: [&str; 21] = [
            "Date", "From", "Reply-To", "To", "Subject", "Message-ID", "In-Reply-To", "References", "List-Id",
            "List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted", "Precedence", "X-Auto-Response-Suppress",
            "X-Chancery-Loop", "X-Chancery-Game", "X-Chancery-Notice", "MIME-Version", "Content-Type",
            "Content-Transfer-Encoding", "",
        ];
        for line in head(&mail) {
            let name = line.split(':').next().unwrap_or_default();
            prop_assert!(KNOWN.contains(&name), "{line:?}");
        }
        for line in text_lines(&mail) {
            prop_assert!(line.len() <= 998);
        }
    }

    /// Text composed by us and sent back by a person is read as it was written.
    #[test]
    fn composed_text_is_read_again(words in proptest::collection::vec("[A-Za-zäöşİ0-9'&;.,!?–→ -]{0,90}", 1..12)) {
        let lines_of_press: Vec<String> = words.iter().map(|w| w.trim().to_owned()).collect();
        let press = lines_of_press.join("\n");
        let text = format!("SIGNON Fbalkan9 le-secret\nPRESS TO E\n{press}\n.\nENDPRESS\nSIGNOFF\n");
        let letter = Letter { auto: Auto::Human, game: None, text, ..letter() };
        let mail = compose(&letter, &sender(), &stamp()).expect("composed");
        let bytes = String::from_utf8(mail.bytes).expect("ASCII");
        // A person's mail has none of our marks in its header; what its text looks like is nobody's business.
        let (header, body) = bytes.split_once("\r\n\r\n").expect("a header");
        let header: String = header.split_inclusive("\r\n").filter(|l| !l.starts_with("X-")).collect();
        let kept = format!("{header}\r\n\r\n{body}").replace("judge@judge.example", "france@example.org");
        let we = Ourselves { addresses: vec!["judge@judge.example".into()], id: None };
        let read = intake::read(kept.as_bytes(), &we, &Limits::default()).expect("read");
        prop_assert_eq!(read.disposition, Disposition::Process);
        let lines: Vec<String> = read.lines.into_iter().map(|l| l.text).collect();
        let mut want = vec!["SIGNON Fbalkan9 le-secret".to_owned(), "PRESS TO E".to_owned()];
        want.extend(lines_of_press);
        want.extend([".", "ENDPRESS", "SIGNOFF"].map(str::to_owned));
        prop_assert_eq!(lines, want);
    }
}

fn text_lines(mail: &Composed) -> Vec<String> {
    text(mail).split("\r\n").map(str::to_owned).collect()
}
