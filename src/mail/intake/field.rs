//! The header: lenient splitting into fields, decoding of the few that matter through mailparse.

use super::Limits;
use mailparse::{MailAddr, MailHeader};

/// One field as it stood, folding included.
struct Field<'a> {
    name: String,
    raw: &'a [u8],
}

/// A message or part header.
pub(super) struct Header<'a> {
    fields: Vec<Field<'a>>,
    /// Where the body begins.
    pub end: usize,
    /// A line was neither a field nor the continuation of one.
    pub broken: bool,
    /// Larger than the limits.
    pub excess: bool,
}

/// Field values longer than this are not decoded.
const LONGEST_VALUE: usize = 64 << 10;

impl<'a> Header<'a> {
    /// Splits at the first empty line. Lines that are no fields are skipped: old clients and relays produce them.
    pub fn split(bytes: &'a [u8], limits: &Limits) -> Header<'a> {
        let mut header = Header { fields: Vec::new(), end: bytes.len(), broken: false, excess: false };
        let mut at = 0;
        let mut open: Option<usize> = None;
        while at < bytes.len() {
            let rest = bytes.get(at..).unwrap_or_default();
            let length = rest.iter().position(|&b| b == b'\n').map_or(rest.len(), |n| n + 1);
            let line = trim_eol(rest.get(..length).unwrap_or_default());
            let next = at + length;
            if line.is_empty() {
                header.end = next;
                break;
            }
            if next > limits.header || header.fields.len() > limits.fields {
                header.excess = true;
                header.end = next;
                break;
            }
            match line.first() {
                Some(b' ' | b'\t') => match open {
                    Some(start) => {
                        if let Some(field) = header.fields.last_mut() {
                            field.raw = bytes.get(start..at + line.len()).unwrap_or_default();
                        }
                    }
                    None => header.broken = true,
                },
                _ => match field_name(line) {
                    Some(name) => {
                        header.fields.push(Field { name, raw: line });
                        open = Some(at);
                    }
                    // The first line `From somebody date` is the mbox mark of an MTA (OPS-022).
                    None => {
                        header.broken |= !(at == 0 && (line.starts_with(b"From ") || line.starts_with(b">From ")));
                        open = None;
                    }
                },
            }
            at = next;
        }
        header
    }

    fn named<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s Field<'a>> {
        self.fields.iter().filter(move |f| f.name == name)
    }

    /// How often a field occurs.
    pub fn count(&self, name: &str) -> usize {
        self.named(name).count()
    }

    /// Value of the first field of that (lower case) name, decoded.
    pub fn first(&self, name: &str) -> Option<String> {
        self.named(name).next().and_then(value)
    }

    /// The same, trimmed; `None` when blank.
    pub fn text(&self, name: &str) -> Option<String> {
        self.first(name).map(|v| v.trim().to_owned()).filter(|v| !v.is_empty())
    }

    /// The same, in lower case, first word before blanks, `;` and `(`.
    pub fn word(&self, name: &str) -> Option<String> {
        let text = self.text(name)?;
        let end = text.find(|c: char| c.is_whitespace() || c == ';' || c == '(').unwrap_or(text.len());
        text.get(..end).map(str::to_lowercase)
    }

    /// Values of all fields of that name.
    pub fn all(&self, name: &str) -> Vec<String> {
        self.named(name).filter_map(value).collect()
    }

    /// The mailboxes of all fields of that name, group members included; addresses in lower case.
    pub fn mailboxes(&self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        for field in self.named(name) {
            let list = parsed(field).and_then(|h| mailparse::addrparse_header(&h).ok());
            match list {
                Some(list) => {
                    for address in list.iter() {
                        match address {
                            MailAddr::Single(one) => found.push(one.addr.clone()),
                            MailAddr::Group(group) => found.extend(group.addrs.iter().map(|a| a.addr.clone())),
                        }
                    }
                }
                // `From: Joe (home) joe@example.org` and other inventions: the old judge took the first word with an @.
                None => {
                    let text = value(field).unwrap_or_default();
                    let word =
                        text.split(|c: char| c.is_whitespace() || ",<>\"()".contains(c)).find(|w| w.contains('@'));
                    found.extend(word.map(str::to_owned));
                }
            }
        }
        found.iter().filter_map(|a| crate::mail::MailAddress::parse(a).ok()).map(|a| a.to_string()).collect()
    }

    /// At most `most` message ids of the first field of that name, with angle brackets.
    pub fn message_ids(&self, name: &str, most: usize) -> Vec<String> {
        let text = self.first(name).unwrap_or_default();
        let mut found = Vec::new();
        let mut rest = text.as_str();
        while let Some(start) = rest.find('<') {
            rest = rest.get(start + 1..).unwrap_or_default();
            let Some(end) = rest.find('>') else { break };
            let id = rest.get(..end).unwrap_or_default();
            if is_message_id(id) {
                found.push(format!("<{id}>"));
            }
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        if found.is_empty() && most == 1 {
            // Without brackets: tolerated, so that the ledger knows the mail again.
            let word = text.split_whitespace().next().unwrap_or_default().trim_matches(['<', '>']);
            if is_message_id(word) {
                found.push(format!("<{word}>"));
            }
        }
        let surplus = found.len().saturating_sub(most);
        if most == 1 {
            found.truncate(1);
        } else {
            found.drain(..surplus);
        }
        found
    }
}

/// Whether the text between the brackets can be repeated in a header.
pub(crate) fn is_message_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= 400 && id.bytes().all(|b| b.is_ascii_graphic() && b != b'<' && b != b'>')
}

fn trim_eol(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn field_name(line: &[u8]) -> Option<String> {
    let colon = line.iter().position(|&b| b == b':')?;
    let name = line.get(..colon)?.trim_ascii_end();
    let fine = !name.is_empty() && name.len() <= 200 && name.iter().all(|b| b.is_ascii_graphic());
    fine.then(|| String::from_utf8_lossy(name).to_ascii_lowercase())
}

fn parsed<'f>(field: &Field<'f>) -> Option<MailHeader<'f>> {
    if field.raw.len() > LONGEST_VALUE {
        return None;
    }
    mailparse::parse_header(field.raw).ok().map(|(header, _)| header)
}

fn value(field: &Field<'_>) -> Option<String> {
    parsed(field).map(|h| h.get_value())
}
