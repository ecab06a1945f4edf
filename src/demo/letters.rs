//! Mails as players write them: raw RFC 5322 messages in the manners of many mail programs, order lines in many
//! spellings. Which manner is used follows from seat and phase, so that a second run sends the same bytes and the
//! ledger knows a message that was handed in before.

use crate::diplomacy::map::Map;
use base64::Engine;

/// Who writes, and when.
pub struct Writer<'a> {
    /// Address of the player.
    pub from: &'a str,
    /// Display name.
    pub name: &'a str,
    /// The judge.
    pub to: &'a str,
    /// Subject.
    pub subject: &'a str,
    /// Message-ID without angle brackets: the same message has the same one for ever.
    pub id: &'a str,
    /// Date, RFC 5322.
    pub date: &'a str,
}

/// Manners of mail programs.
const MANNERS: usize = 9;

/// A whole message with the given command lines, in the n-th manner.
pub fn message(writer: &Writer, lines: &[String], manner: usize) -> Vec<u8> {
    let head = format!(
        "Received: from mx.player.example (mx.player.example [192.0.2.7]) by judge.example; {date}\r\n\
         From: {name} <{from}>\r\nTo: {to}\r\nSubject: {subject}\r\nDate: {date}\r\nMessage-ID: <{id}>\r\n",
        date = writer.date,
        name = writer.name,
        from = writer.from,
        to = writer.to,
        subject = writer.subject,
        id = writer.id,
    );
    let text = lines.join("\r\n");
    let body = match manner % MANNERS {
        0 => format!("\r\n{text}\r\n"),
        1 => format!(
            "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n\r\n-- \r\n{}\r\n+44 20 7946 0000\r\n",
            writer.name
        ),
        2 => alternative(lines),
        3 => html_only(lines),
        4 => format!(
            "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n{}\r\n",
            wrapped(&base64::engine::general_purpose::STANDARD.encode(format!("{text}\r\n")))
        ),
        5 => format!(
            "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{}",
            quoted_printable(lines)
        ),
        6 => format!(
            "In-Reply-To: <an.older.mail@judge.example>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
             {text}\r\nSIGNOFF\r\n\r\nOn Monday the judge wrote:\r\n> The deadline for orders will be soon.\r\n> SIGNON somebody else\r\n"
        ),
        7 => format!(
            "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8; format=flowed\r\n\r\nDear judge,\r\n\r\n{text}\r\nSIGNOFF\r\nBest wishes, {}\r\n",
            writer.name
        ),
        _ => format!(
            "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n// my moves\r\n{text}\r\n\r\nSent from my telephone\r\n"
        ),
    };
    format!("{head}{body}").into_bytes()
}

fn escape(line: &str) -> String {
    line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn alternative(lines: &[String]) -> String {
    let html: String = lines.iter().map(|l| format!("<div>{}</div>\r\n", escape(l))).collect();
    format!(
        "MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=\"=_part\"\r\n\r\n\
         --=_part\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{}\r\n\
         --=_part\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><body>{html}</body></html>\r\n--=_part--\r\n",
        lines.join("\r\n")
    )
}

fn html_only(lines: &[String]) -> String {
    let html: String = lines.iter().map(|l| format!("{}<br>\r\n", escape(l))).collect();
    format!(
        "MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><head><style>p {{ color: navy }}</style></head>\r\n\
         <body><p>{html}</p><blockquote>Your orders are due.</blockquote></body></html>\r\n"
    )
}

fn wrapped(text: &str) -> String {
    text.as_bytes().chunks(76).map(|c| String::from_utf8_lossy(c).into_owned()).collect::<Vec<_>>().join("\r\n")
}

/// Quoted-printable of ISO-8859-1 text; long lines get soft breaks.
fn quoted_printable(lines: &[String]) -> String {
    let mut out = String::new();
    for line in lines {
        let mut column = 0;
        for c in line.chars() {
            let coded = match c {
                ' '..='~' if c != '=' => c.to_string(),
                _ => {
                    let byte = if (c as u32) < 256 { c as u8 } else { b'?' };
                    format!("={byte:02X}")
                }
            };
            if column + coded.len() > 70 {
                out += "=\r\n";
                column = 0;
            }
            column += coded.len();
            out += &coded;
        }
        out += "\r\n";
    }
    out
}

/// How a player spells an order: canonical, lower case, names in full, arrows, words.
pub fn spell(map: &Map, order: &str, manner: usize) -> String {
    let words: Vec<&str> = order.split(' ').collect();
    match manner % 6 {
        0 => order.to_string(),
        1 => order.to_lowercase(),
        2 => order.replace(" - ", " -> "),
        3 => full(map, &words, " to "),
        4 => full(map, &words, " - ").to_lowercase(),
        _ => match words.as_slice() {
            [kind @ ("A" | "F"), at, "-", to] => format!("{kind} {at}-{to}"),
            [kind @ ("A" | "F"), at, "H"] => format!("{} {at} holds", if *kind == "A" { "army" } else { "fleet" }),
            [kind @ ("A" | "F"), at, "S", rest @ ..] => format!("{kind} {at} supports {}", rest.join(" ")),
            [kind @ ("A" | "F"), at, "C", rest @ ..] => format!("{kind} {at} convoys {}", rest.join(" ")),
            _ => order.to_string(),
        },
    }
}

/// Place names in full and unit words: `Army Paris supports Army Marseilles - Burgundy`.
fn full(map: &Map, words: &[&str], dash: &str) -> String {
    let mut out = String::new();
    for word in words {
        let piece = match *word {
            "A" => "Army".to_string(),
            "F" => "Fleet".to_string(),
            "S" => "supports".to_string(),
            "C" => "convoys".to_string(),
            "H" => "holds".to_string(),
            "-" => {
                out += dash;
                continue;
            }
            place => match map.location(place) {
                Some(at) => map[at].title.clone(),
                None => place.to_string(),
            },
        };
        if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        out += &piece;
    }
    out
}
