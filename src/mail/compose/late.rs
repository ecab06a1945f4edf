//! Pictures that are put into a mail when it leaves. The queue keeps, in the place of the picture, what is to be drawn:
//! a phase's mails then cost the commit a few kilobytes each, and the picture is drawn once for all of them.

use crate::mail::token::Secret;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::ops::Range;

/// What a stand-in begins with. No text does, so it is always sent in base64; and its length is a multiple of three, so
/// that its base64 is the beginning of the part's.
const MAGIC: &[u8; 18] = b"\x89chancery scene 1\n";
/// Hex digits of the mark that makes a stand-in ours: what a player writes in a mail is never taken for one.
const DIGITS: usize = 40;
/// Longest line of base64 (RFC 2045).
const LINE: usize = 76;

/// The bytes that stand in for a picture.
pub fn stand_in(secret: &Secret, order: &str) -> Vec<u8> {
    let mark = secret.mark("scene", &[order], DIGITS);
    [MAGIC.as_slice(), mark.as_bytes(), order.as_bytes()].concat()
}

/// Where a composed message has a stand-in, and what is to be drawn there.
pub fn find(secret: &Secret, message: &[u8]) -> Option<(Range<usize>, String)> {
    let head = [b"\r\n\r\n".as_slice(), STANDARD.encode(MAGIC).as_bytes()].concat();
    let mut from = 0;
    while let Some(found) = position(message.get(from..)?, &head) {
        let start = from + found + 4;
        let rest = message.get(start..)?;
        let end = start + position(rest, b"\r\n--").unwrap_or(rest.len());
        let coded: Vec<u8> = message.get(start..end)?.iter().copied().filter(|b| !b"\r\n".contains(b)).collect();
        if let Some(order) = STANDARD.decode(coded).ok().and_then(|bytes| opened(secret, &bytes)) {
            return Some((start..end, order));
        }
        from = start;
    }
    None
}

fn opened(secret: &Secret, bytes: &[u8]) -> Option<String> {
    let rest = std::str::from_utf8(bytes.strip_prefix(MAGIC)?).ok()?;
    let (mark, order) = rest.split_at_checked(DIGITS)?;
    secret.check("scene", &[order], mark).then(|| order.to_owned())
}

/// The message with the picture in its place.
pub fn put(message: &[u8], place: Range<usize>, picture: &[u8]) -> Vec<u8> {
    let coded = STANDARD.encode(picture);
    let lines: Vec<&[u8]> = coded.as_bytes().chunks(LINE).collect();
    let (before, after) = (message.get(..place.start).unwrap_or(message), message.get(place.end..).unwrap_or_default());
    [before, &lines.join(b"\r\n".as_slice()), after].concat()
}

fn position(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_we_have_written_is_a_stand_in() {
        let secret = Secret::new(*b"key");
        let coded = |bytes: &[u8]| put(b"Content-ID: <x>\r\n\r\n\r\n--end", 19..19, bytes);
        let message = coded(&stand_in(&secret, "{\"a\": 1}"));
        let (place, order) = find(&secret, &message).expect("a stand-in");
        assert_eq!(order, "{\"a\": 1}");
        let done = put(&message, place, &[7; 200]);
        assert_eq!(done, coded(&[7; 200]));
        assert!(done.split(|b| *b == b'\n').all(|line| line.len() <= LINE + 1));
        assert_eq!(find(&secret, &done), None);
        assert_eq!(find(&Secret::new(*b"other"), &message), None);
        assert_eq!(find(&secret, b"\r\n\r\n"), None);
    }
}
