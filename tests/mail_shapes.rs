//! One sheet of orders in every shape that mail programs give it (mail-commands.md 1.3 and 1.4): the real binary reads
//! each, and what stands around the sheet does nothing. Shapes that hide commands or are made to hurt store nothing.

mod support;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use support::{Sent, Site};

const HEAD: &str = "From: france@example.org\r\nTo: judge@judge.example\r\nSubject: orders\r\nMIME-Version: 1.0\r\n";

fn base64(bytes: &[u8]) -> String {
    let coded = STANDARD.encode(bytes);
    coded.as_bytes().chunks(76).map(|c| String::from_utf8_lossy(c) + "\r\n").collect()
}

fn of_type(kind: &str, coding: &str, body: &str) -> String {
    format!("{HEAD}Content-Type: {kind}\r\nContent-Transfer-Encoding: {coding}\r\n\r\n{body}")
}

fn multipart(kind: &str, parts: &[String]) -> String {
    let parts: String = parts.iter().map(|p| format!("--=_b\r\n{p}\r\n")).collect();
    format!("{HEAD}Content-Type: multipart/{kind}; boundary=\"=_b\"\r\n\r\nThis is MIME.\r\n{parts}--=_b--\r\n")
}

fn part(head: &str, body: &str) -> String {
    format!("{head}\r\n\r\n{body}")
}

/// What nobody may do who only attaches or quotes it.
const DECOY: &str = "SIGNON Fbalkan9 le-secret\r\nA par h\r\nF bre h\r\nA mar h\r\nSET PASSWORD stolen-word\r\n";

/// The shapes: a name, and the message with the sheet in it.
fn shapes(sheet: &[String]) -> Vec<(&'static str, Vec<u8>)> {
    let text = sheet.join("\r\n") + "\r\n";
    let html: String = sheet.iter().map(|l| format!("<div>{}</div>\r\n", l.replace('-', "&#45;"))).collect();
    let quoted: String = DECOY.lines().map(|l| format!("> {l}\r\n")).collect();
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let plain = |head: &str| part(&format!("Content-Type: text/plain; charset=utf-8{head}"), &text);
    let page = part("Content-Type: text/html; charset=utf-8", &format!("<html><body>{html}</body></html>"));
    let bytes = |text: String| text.into_bytes();
    // The last order is cut where no word ends.
    let (front, back) = text.trim_end().split_at(text.trim_end().len() - 3);
    let flowed = text.replace(" - ", " \r\n- ");
    let charset = |label: &str, comment: &[u8]| {
        let head =
            format!("{HEAD}Content-Type: text/plain; charset={label}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n// ");
        [head.as_bytes(), comment, b"\r\n", text.as_bytes()].concat()
    };
    let many: String = (0..900).map(|n| format!("X-Trace-{n}: {}\r\n", "relay ".repeat(20))).collect();
    let references: String = (0..400).map(|n| format!("\r\n <{n}.some.older.mail@judge.example>")).collect();
    let recipients: String = (0..300).map(|n| format!(",\r\n \"Friend, {n}\" <friend{n}@example.org>")).collect();
    let mut nested = plain("");
    for depth in 0..8 {
        nested = format!(
            "Content-Type: multipart/mixed; boundary=\"d{depth}\"\r\n\r\n--d{depth}\r\n{nested}\r\n--d{depth}--\r\n"
        );
    }
    let zip = part(
        "Content-Type: application/zip; name=orders.zip\r\nContent-Transfer-Encoding: base64\r\n\
         Content-Disposition: attachment; filename=orders.zip",
        &base64(ZIP),
    );
    let attached = part("Content-Type: text/plain\r\nContent-Disposition: attachment; filename=orders.txt", DECOY);
    let forwarded = part("Content-Type: message/rfc822", &format!("{HEAD}\r\n{DECOY}"));
    let picture = part("Content-Type: image/gif\r\nContent-Transfer-Encoding: base64", "R0lGODlhAQABAAAAACw=");
    vec![
        ("plain", bytes(format!("{HEAD}\r\n{text}"))),
        ("line feeds only", bytes(format!("{HEAD}\r\n{text}").replace("\r\n", "\n"))),
        ("lone carriage returns", bytes(format!("{HEAD}\r\n{}", text.replace("\r\n", "\r")))),
        ("from a mailbox file", bytes(format!("From france@example.org Sat Nov 21 09:00:00 2026\r\n{HEAD}\r\n{text}"))),
        ("a byte order mark", bytes(of_type("text/plain; charset=utf-8", "8bit", &format!("\u{feff}{text}")))),
        ("alternative", bytes(multipart("alternative", &[plain(""), page.clone()]))),
        ("alternative, HTML first", bytes(multipart("alternative", &[page.clone(), plain("")]))),
        ("HTML only", bytes(format!("{HEAD}{page}"))),
        (
            "HTML with style, blanks that do not break and a quote",
            bytes(of_type(
                "text/html; charset=utf-8",
                "8bit",
                &format!(
                    "<html><head><style>A PAR H</style><title>SIGNON</title></head><body><p>{}</p><blockquote>{}</blockquote>",
                    text.trim_end().replace("\r\n", "<br/>\r\n").replace(" - ", "&nbsp;-&nbsp;"),
                    DECOY.replace("\r\n", "<br>")
                ),
            )),
        ),
        (
            "quoted-printable, cut in a word",
            bytes(of_type("text/plain", "quoted-printable", &format!("{front}=\r\n{back}\r\n"))),
        ),
        ("base64", bytes(of_type("text/plain; charset=us-ascii", "base64", &base64(text.as_bytes())))),
        ("flowed, an order on two lines", bytes(of_type("text/plain; format=flowed", "7bit", &flowed))),
        (
            "flowed with delsp",
            bytes(of_type("text/plain; format=flowed; delsp=yes", "7bit", &flowed.replace(" \r\n", "  \r\n"))),
        ),
        ("UTF-16", bytes(of_type("text/plain; charset=utf-16le", "base64", &base64(&utf16)))),
        ("KOI8-R", charset("koi8-r", b"\xf0\xd2\xc9\xd7\xc5\xd4")),
        ("Shift JIS", charset("shift_jis", b"\x82\xb1\x82\xf1")),
        ("ISO-2022-JP", charset("iso-2022-jp", b"\x1b$B$3$s\x1b(B")),
        ("windows-1250", charset("windows-1250", b"\x8eluv\xe1")),
        ("Macintosh", charset("macintosh", b"\x8a\x9a")),
        ("a charset nobody knows", charset("x-klingon", b"\xff\xfe\x80")),
        ("no charset, eight bits", charset("", b"gr\xfc\xdfe")),
        (
            "answers above the quote",
            bytes(format!("{HEAD}\r\n{text}\r\n-----Original Message-----\r\nFrom: judge\r\n{DECOY}")),
        ),
        (
            "answers above the quote, Outlook",
            bytes(format!("{HEAD}\r\n{text}\r\n________________________________\r\n{DECOY}")),
        ),
        (
            "answers below the quote",
            bytes(format!(
                "{HEAD}\r\nOn Sat, 21 Nov 2026 at 08:00, Judge <judge@judge.example> wrote:\r\n{quoted}\r\n{text}"
            )),
        ),
        (
            "a quote between the orders",
            bytes(format!("{HEAD}\r\n{}", text.replacen("\r\nA par", &format!("\r\n{quoted}A par"), 1))),
        ),
        ("a signature", bytes(format!("{HEAD}\r\n{text}-- \r\n{DECOY}"))),
        ("a telephone's footer", bytes(format!("{HEAD}\r\n{text}\r\nSent from my telephone\r\n"))),
        ("a greeting", bytes(format!("{HEAD}\r\nDear judge,\r\n\r\nhere are my orders.\r\n\r\n{text}"))),
        ("a zip of commands", bytes(multipart("mixed", &[plain(""), zip.clone()]))),
        (
            "attachments before and behind",
            bytes(multipart("mixed", &[picture, attached.clone(), plain(""), zip, attached, forwarded])),
        ),
        (
            "signed",
            bytes(multipart("signed", &[plain(""), part("Content-Type: application/pgp-signature", "-----BEGIN")])),
        ),
        ("nested", bytes(format!("{HEAD}{nested}"))),
        ("many and long fields", bytes(format!("{many}References:{references}\r\n{HEAD}\r\n{text}"))),
        (
            "many recipients",
            bytes(
                format!("{HEAD}\r\n{text}")
                    .replace("To: judge@judge.example", &format!("To: judge@judge.example{recipients}")),
            ),
        ),
        (
            "a long foreign name",
            bytes(format!("{HEAD}\r\n{text}").replace(
                "From: france@example.org",
                &format!("From: {} <france@example.org>", "=?utf-8?B?w4lsw6lvbm9yZSA=?=\r\n ".repeat(60).trim_end()),
            )),
        ),
    ]
}

/// `orders.txt` with a whole sheet in it, as zip packs it without compression; nobody unpacks it.
const ZIP: &[u8] = b"PK\x03\x04\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0*\0\0\0*\0\0\0\x0a\0\0\0orders.txt\
                     SIGNON Fbalkan9 le-secret\r\nSET PASSWORD abc\r\n";

fn stored(site: &Site) -> String {
    let mut game = site.game("balkan9");
    game.participant_mut("FRANCE").and_then(|p| p.orders.clone()).unwrap_or_default().join("\n")
}

fn sheet(to: &str) -> [String; 4] {
    ["SIGNON Fbalkan9 le-secret", "F bre - mao", "A mar h", &format!("A par - {to}")].map(str::to_string)
}

#[test]
fn a_sheet_is_read_in_every_shape() {
    let site = Site::of_fixture();
    // Each shape brings other orders than the one before it, so each has to be read.
    let targets = ["BUR", "PIC", "GAS"];
    for n in 0..shapes(&sheet("BUR")).len() {
        let to = targets[n % targets.len()];
        let sheet = sheet(to);
        let (name, message) = shapes(&sheet).swap_remove(n);
        // In front of all, and behind the line of a mailbox file.
        let at = if message.starts_with(b"From france") {
            message.iter().position(|b| *b == b'\n').expect("a line") + 1
        } else {
            0
        };
        let id = format!("Message-ID: <shape{n}@example.org>\r\n");
        let message = [&message[..at], id.as_bytes(), &message[at..]].concat();
        let sent = site.deliver(&message);
        let answers: Vec<&Sent> = sent.iter().filter(|s| s.is_reply()).collect();
        assert_eq!(answers.len(), 1, "{name}: {sent:?}");
        assert!(answers[0].notice == "N12" && !answers[0].text.contains("ERROR"), "{name}: {}", answers[0].text);
        let orders = stored(&site);
        assert!(orders.contains(&format!("A PAR - {to}")) && orders.contains("F BRE - MAO"), "{name}: {orders}");
    }
    // Nobody has changed the password on the way.
    let sent = site.mail("france@example.org", "SIGNON Fbalkan9 le-secret\nSTATUS");
    assert!(sent.iter().any(|s| s.notice == "N12"), "{sent:?}");
}

#[test]
fn a_foreign_address_is_answered_under_its_own_name() {
    let site = Site::of_fixture();
    let sheet = "SIGNON Fbalkan9 le-secret\r\nF bre - mao\r\nA mar h\r\nA par - bur\r\n";
    for (n, address) in ["jorg@xn--bcher-kva.example", "j\u{f6}rg@b\u{fc}cher.example"].into_iter().enumerate() {
        let head = HEAD.replace("france@example.org", &format!("=?iso-8859-1?Q?J=F6rg?= <{address}>"));
        let sent = site.deliver(format!("Message-ID: <idn{n}@example.org>\r\n{head}\r\n{sheet}").as_bytes());
        assert!(stored(&site).contains("A PAR - BUR"), "{address}");
        let copy = sent.iter().find(|s| s.to == "france@example.org").expect("the player is told");
        assert!(copy.text.contains(address), "{}", copy.text);
        assert!(sent.iter().any(|s| s.is_reply() && s.to == address), "{address}: {sent:?}");
    }
}

#[test]
fn what_is_made_to_hurt_stores_nothing() {
    let site = Site::of_fixture();
    let before = site.file("balkan9", "status");
    let zip_alone = of_type("application/zip; name=orders.zip", "base64", &base64(ZIP));
    let mut deep = format!("Content-Type: text/plain\r\n\r\n{DECOY}");
    for depth in 0..3000 {
        deep = format!("Content-Type: multipart/mixed; boundary=\"d{depth}\"\r\n\r\n--d{depth}\r\n{deep}");
    }
    let wide: Vec<String> = (0..150).map(|_| part("Content-Type: text/plain", DECOY)).collect();
    let swollen = base64(&b"SIGNON Fbalkan9 le-secret\r\nA par h\r\n".repeat(25_000));
    for (name, message, code) in [
        ("a zip alone", zip_alone, "R_UNREADABLE"),
        ("three thousand parts in each other", format!("{HEAD}{deep}"), "R_TOO_COMPLEX"),
        ("a hundred and fifty parts", multipart("mixed", &wide), "R_TOO_COMPLEX"),
        ("a giant of base64", of_type("text/plain", "base64", &swollen), "R_TOO_"),
        ("a giant of lines", format!("{HEAD}\r\n{}{DECOY}", "A par h\r\n".repeat(6000)), "R_"),
        (
            "only attached",
            multipart("mixed", &[part("Content-Type: text/plain\r\nContent-Disposition: attachment", DECOY)]),
            "R_UNREADABLE",
        ),
    ] {
        let message = format!("Message-ID: <{}@example.org>\r\n{message}", name.replace(' ', "."));
        let sent = site.deliver(message.as_bytes());
        assert_eq!(sent.len(), 1, "{name}: {sent:?}");
        assert!(sent[0].text.contains(code), "{name}: {}", sent[0].text);
        assert_eq!(site.file("balkan9", "status"), before, "{name}");
    }
    assert_eq!((site.room("new"), site.room("hold"), site.dead()), (0, 0, 0));
}
