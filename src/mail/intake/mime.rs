//! The MIME tree: which part is read, and its text (mail-commands.md 1.3). Depth and number of parts are bounded
//! while walking; mailparse decodes the fields and the transfer encodings.

use super::field::Header;
use super::{Flag, Flags, Limits, Refusal, charset, html};
use mailparse::DispositionType;
use mailparse::body::Body;

/// The text of the message before it is cut into lines.
pub(super) struct Text {
    /// Decoded text.
    pub text: String,
    /// `format=flowed`
    pub flowed: bool,
    /// `delsp=yes`
    pub delsp: bool,
}

/// A leaf that may be read.
struct Part<'a> {
    encoding: String,
    charset: Option<String>,
    flowed: bool,
    delsp: bool,
    body: &'a [u8],
}

/// What the walk has found so far.
#[derive(Default)]
struct Found<'a> {
    plain: Option<Part<'a>>,
    html: Option<Part<'a>>,
    encrypted: bool,
    parts: usize,
}

/// Chooses the part and decodes it.
pub(super) fn text(header: &Header, body: &[u8], limits: &Limits, flags: &mut Flags) -> Result<Text, Refusal> {
    let mut found = Found::default();
    walk(header, body, 0, "text/plain", limits, flags, &mut found)?;
    let plain = found.plain.map(|part| read(&part, flags));
    // Some programs write an empty plain twin beside the real HTML.
    if let Some(Ok(text)) = &plain
        && (found.html.is_none() || !text.text.trim().is_empty())
    {
        let flowed = text.flowed;
        if flowed {
            flags.insert(Flag::Flowed);
        }
        return plain.unwrap_or(Err(Refusal::Unreadable));
    }
    match (found.html, plain) {
        (Some(part), _) => {
            let source = read(&part, flags)?;
            flags.insert(Flag::Html);
            let text = html::to_text(&source.text, flags);
            Ok(Text { text, flowed: false, delsp: false })
        }
        (None, Some(result)) => result,
        (None, None) => Err(Refusal::Unreadable),
    }
}

fn walk<'a>(
    header: &Header,
    body: &'a [u8],
    depth: usize,
    default: &str,
    limits: &Limits,
    flags: &mut Flags,
    found: &mut Found<'a>,
) -> Result<(), Refusal> {
    found.parts += 1;
    if depth > limits.depth || found.parts > limits.parts || header.excess {
        return Err(Refusal::TooComplex);
    }
    if found.plain.is_some() && found.html.is_some() {
        return Ok(());
    }
    let content = header.first("content-type").map(|v| mailparse::parse_content_type(&v));
    let kind = content
        .as_ref()
        .and_then(|c| c.mimetype.split_whitespace().next())
        .filter(|t| t.contains('/'))
        .unwrap_or(default)
        .to_owned();
    let parameter = |name: &str| content.as_ref().and_then(|c| c.params.get(name)).map(|v| v.trim().to_lowercase());
    if let Some(subtype) = kind.strip_prefix("multipart/") {
        if subtype == "encrypted" {
            found.encrypted = true;
            return Err(Refusal::Unreadable);
        }
        let boundary = content.as_ref().and_then(|c| c.params.get("boundary")).map(|b| b.trim_end().to_owned());
        let Some(boundary) = boundary.filter(|b| !b.is_empty()) else {
            flags.insert(Flag::BrokenMime);
            return Err(Refusal::Unreadable);
        };
        let inner = if subtype == "digest" { "message/rfc822" } else { "text/plain" };
        let (parts, closed) = split(body, &boundary, limits.parts)?;
        if !closed {
            flags.insert(Flag::BrokenMime);
        }
        let wanted = if subtype == "signed" { 1 } else { parts.len() };
        for part in parts.into_iter().take(wanted) {
            let header = Header::split(part, limits);
            if header.broken {
                flags.insert(Flag::BrokenMime);
            }
            let body = part.get(header.end..).unwrap_or_default();
            walk(&header, body, depth + 1, inner, limits, flags, found)?;
        }
        return Ok(());
    }
    let attached = header
        .first("content-disposition")
        .is_some_and(|v| mailparse::parse_content_disposition(&v).disposition == DispositionType::Attachment);
    let part = Part {
        encoding: header.word("content-transfer-encoding").unwrap_or_default(),
        charset: parameter("charset"),
        flowed: parameter("format").as_deref() == Some("flowed"),
        delsp: parameter("delsp").as_deref() == Some("yes"),
        body,
    };
    match kind.as_str() {
        // Attached or not, what only the addressee's key opens cannot be read.
        "application/pkcs7-mime" | "application/x-pkcs7-mime" if depth == 0 => return Err(Refusal::Unreadable),
        _ if attached => {
            flags.insert(Flag::Attachments);
        }
        "text/plain" | "text/markdown" | "text/enriched" => {
            found.plain.get_or_insert(part);
        }
        "text/html" | "application/xhtml+xml" => {
            found.html.get_or_insert(part);
        }
        _ => {
            flags.insert(Flag::Attachments);
        }
    }
    Ok(())
}

/// Parts between boundary lines, and whether the closing one was there. No boundary at all: unreadable.
fn split<'a>(body: &'a [u8], boundary: &str, most: usize) -> Result<(Vec<&'a [u8]>, bool), Refusal> {
    let mut parts = Vec::new();
    let mut open: Option<usize> = None;
    let mut at = 0;
    while at < body.len() {
        let rest = body.get(at..).unwrap_or_default();
        let length = rest.iter().position(|&b| b == b'\n').map_or(rest.len(), |n| n + 1);
        let line = rest.get(..length).unwrap_or_default().trim_ascii_end();
        let tail = line.strip_prefix(b"--").and_then(|l| l.strip_prefix(boundary.as_bytes()));
        if let Some(tail) = tail.filter(|t| t.is_empty() || *t == b"--") {
            if let Some(start) = open {
                parts.push(strip_eol(body.get(start..at).unwrap_or_default()));
                if parts.len() > most {
                    return Err(Refusal::TooComplex);
                }
            }
            if !tail.is_empty() {
                return Ok((parts, true));
            }
            open = Some(at + length);
        }
        at += length;
    }
    match open {
        Some(start) => {
            parts.push(body.get(start..).unwrap_or_default());
            Ok((parts, false))
        }
        None => Err(Refusal::Unreadable),
    }
}

/// The line end before a boundary belongs to the boundary (RFC 2046 5.1.1).
fn strip_eol(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}

fn read(part: &Part, flags: &mut Flags) -> Result<Text, Refusal> {
    let bytes = transfer_decode(part, flags)?;
    Ok(Text { text: charset::decode(&bytes, part.charset.as_deref(), flags), flowed: part.flowed, delsp: part.delsp })
}

fn transfer_decode(part: &Part, flags: &mut Flags) -> Result<Vec<u8>, Refusal> {
    let content = mailparse::parse_content_type("text/plain");
    let encoding = Some(part.encoding.clone());
    match part.encoding.as_str() {
        "" | "7bit" | "8bit" | "binary" | "7-bit" | "8-bit" | "7bits" | "8bits" => Ok(part.body.to_vec()),
        "quoted-printable" => {
            flags.insert(Flag::QuotedPrintable);
            match Body::new(part.body, &content, &encoding) {
                Body::QuotedPrintable(body) => body.get_decoded().map_err(|_| Refusal::Unreadable),
                _ => Err(Refusal::Unreadable),
            }
        }
        "base64" => {
            flags.insert(Flag::Base64);
            let decoded = match Body::new(part.body, &content, &encoding) {
                Body::Base64(body) => body.get_decoded().ok(),
                _ => None,
            };
            match decoded {
                Some(bytes) => Ok(bytes),
                None => {
                    flags.insert(Flag::BrokenMime);
                    Ok(lenient_base64(part.body))
                }
            }
        }
        _ => Err(Refusal::Unreadable),
    }
}

/// Whatever of the alphabet is there, up to the first padding; footers that lists append are no longer harmful.
fn lenient_base64(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len() / 4 * 3);
    let (mut bits, mut held) = (0u32, 0u32);
    for &b in body {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => continue,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    out
}
