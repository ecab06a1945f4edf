//! Lines of a file as they stand: text, line end and encoding, so that what is not touched is written back byte
//! for byte. A line that is not UTF-8 is taken as Latin-1 (operations.md OPS-004).

use std::borrow::Cow;

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// End of the file.
    Nothing,
}

impl Ending {
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Ending::Lf => b"\n",
            Ending::CrLf => b"\r\n",
            Ending::Nothing => b"",
        }
    }
}

/// One line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Without its end.
    pub text: String,
    /// Its end.
    pub ending: Ending,
    /// Whether its bytes were Latin-1.
    pub latin1: bool,
}

impl Line {
    /// A new line of the file.
    pub fn new(text: String, ending: Ending) -> Line {
        Line { text, ending, latin1: false }
    }

    /// Nothing but blanks.
    pub fn is_blank(&self) -> bool {
        self.text.chars().all(is_blank)
    }

    fn utf8(line: &str) -> Line {
        let (text, ending) = match line.strip_suffix('\n') {
            Some(text) => text.strip_suffix('\r').map_or((text, Ending::Lf), |text| (text, Ending::CrLf)),
            None => (line, Ending::Nothing),
        };
        Line::new(text.to_owned(), ending)
    }

    fn decode(line: &[u8]) -> Line {
        match std::str::from_utf8(line) {
            Ok(line) => Line::utf8(line),
            Err(_) => Line { latin1: true, ..Line::utf8(&line.iter().map(|b| char::from(*b)).collect::<String>()) },
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        if self.latin1 {
            // Every character came from one byte.
            out.extend(self.text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')));
        } else {
            out.extend_from_slice(self.text.as_bytes());
        }
        out.extend_from_slice(self.ending.bytes());
    }
}

/// Splits a file into lines; joining them again gives the same bytes.
pub(crate) fn split(bytes: &[u8]) -> Vec<Line> {
    match std::str::from_utf8(bytes) {
        // One look at the whole is enough: no line end is part of a character.
        Ok(text) => {
            let mut lines = Vec::with_capacity(bytes.iter().filter(|b| **b == b'\n').count() + 1);
            lines.extend(text.split_inclusive('\n').map(Line::utf8));
            lines
        }
        Err(_) => bytes.split_inclusive(|b| *b == b'\n').map(Line::decode).collect(),
    }
}

/// The text of a file made for people, each line that is not UTF-8 taken as Latin-1.
pub(crate) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|mixed| {
        let mut text = String::new();
        for line in mixed.as_bytes().split_inclusive(|b| *b == b'\n') {
            match std::str::from_utf8(line) {
                Ok(line) => text += line,
                Err(_) => text.extend(line.iter().map(|b| char::from(*b))),
            }
        }
        text
    })
}

/// The bytes of those lines.
pub(crate) fn join(lines: &[Line]) -> Vec<u8> {
    let mut out = Vec::with_capacity(lines.iter().map(|l| l.text.len() + 2).sum());
    lines.iter().for_each(|line| line.encode(&mut out));
    out
}

/// A blank of the format: anything that cannot be seen in a token.
fn is_blank(c: char) -> bool {
    c.is_ascii_control() || c == ' ' || c == '\u{FEFF}'
}

/// The tokens of a line, with the byte at which each begins.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split(is_blank).filter(|w| !w.is_empty()).map(|w| (w.as_ptr() as usize - text.as_ptr() as usize, w))
}

/// A line without the blanks around it. Blanks are those of the format: what Unicode adds may be part of a word.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// Free text as it is stored: runs of blanks become one, the ends are trimmed (status-file.md 1).
pub(crate) fn squeeze(text: &str) -> Cow<'_, str> {
    // Nearly every line is as it should be already. The loops have no way out in the middle: the compiler makes them
    // look at many bytes at a time.
    let bytes = text.as_bytes();
    let seen = bytes.iter().fold(true, |all, b| all & (b' '..=b'~').contains(b));
    let single = !bytes.iter().zip(bytes.iter().skip(1)).fold(false, |any, (a, b)| any | ((*a == b' ') & (*b == b' ')));
    if seen && single && !text.starts_with(' ') && !text.ends_with(' ') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for (_, word) in words(text) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    Cow::Owned(out)
}

/// The first word of a text with single blanks, and what follows. Words are short: no search that has to be set up.
pub(crate) fn head(text: &str) -> (&str, &str) {
    let at = text.bytes().position(|b| b == b' ').unwrap_or(text.len());
    (&text[..at], text.get(at + 1..).unwrap_or_default())
}

/// In upper case; a text that is already is not copied.
pub(crate) fn upper(text: &str) -> Cow<'_, str> {
    let same = text.bytes().fold(true, |all, b| all & b.is_ascii() & !b.is_ascii_lowercase());
    if same { Cow::Borrowed(text) } else { Cow::Owned(text.to_uppercase()) }
}

/// Column (characters, from 1) of a byte of the line.
pub(crate) fn column(text: &str, byte: usize) -> usize {
    text.get(..byte).map_or(1, |before| before.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin1_and_crlf_survive() {
        let bytes = b"GAME x\r\nDESC caf\xe9\nNAME caf\xc3\xa9\n\n# end";
        let lines = split(bytes);
        assert_eq!(lines.len(), 5);
        assert_eq!(lines[1].text, "DESC café");
        assert_eq!(lines[2].text, "NAME café");
        assert!(lines[3].is_blank());
        assert_eq!(join(&lines), bytes);
    }

    #[test]
    fn blanks_collapse() {
        assert_eq!(squeeze("  a \t b\u{0}c  "), "a b c");
        for (text, want) in
            [("a b", "a b"), ("a  b", "a b"), (" a", "a"), ("a ", "a"), ("", ""), ("é  é", "é é"), ("a\u{7f}b", "a b")]
        {
            assert_eq!(squeeze(text), want, "{text:?}");
        }
        for text in ["A PAR - BUR", "a par", "\u{17f}oon", "stra\u{df}e", ""] {
            assert_eq!(upper(text), text.to_uppercase(), "{text:?}");
        }
        for (text, want) in [("A PAR", ("A", "PAR")), ("WAIT", ("WAIT", "")), ("", ("", "")), ("é ", ("é", ""))] {
            assert_eq!(head(text), want);
        }
        assert_eq!(words(" ab  c").collect::<Vec<_>>(), [(1, "ab"), (5, "c")]);
    }
}
