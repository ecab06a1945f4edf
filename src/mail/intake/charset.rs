//! Bytes to text; never fails (mail-commands.md 1.3 point 4).

use super::{Flag, Flags};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Decodes with the declared charset; undeclared or unknown: UTF-8 if valid, else windows-1252. Bad bytes become U+FFFD.
/// (`iso-8859-1` and `us-ascii` are windows-1252 to the WHATWG labels encoding_rs follows.)
pub(super) fn decode(bytes: &[u8], label: Option<&str>, flags: &mut Flags) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let declared = label.map(|l| Encoding::for_label_no_replacement(l.as_bytes()));
    let encoding = match declared {
        Some(Some(encoding)) => encoding,
        other => {
            let utf8 = std::str::from_utf8(bytes).is_ok();
            if other.is_some() || !utf8 {
                flags.insert(Flag::BadCharset);
            }
            if utf8 { UTF_8 } else { WINDOWS_1252 }
        }
    };
    let (text, _, errors) = encoding.decode(bytes);
    if errors {
        flags.insert(Flag::BadCharset);
    }
    text.into_owned()
}
