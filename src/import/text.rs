//! Texts between the old judge's Latin-1 and our UTF-8, line by line (operations.md OPS-004).

use super::What;
use crate::status::line::split;

/// Lines that are not UTF-8 are taken as Latin-1; the rest stays.
pub(super) fn to_utf8(bytes: &[u8]) -> (Vec<u8>, Vec<What>) {
    let lines = split(bytes);
    let latin1 = lines.iter().filter(|line| line.latin1).count();
    let utf8 = numbers(lines.iter().map(|line| !line.latin1 && !line.text.is_ascii()));
    let mut text = Vec::with_capacity(bytes.len() + latin1 * 4);
    for line in &lines {
        text.extend_from_slice(line.text.as_bytes());
        text.extend_from_slice(line.ending.bytes());
    }
    let mut what = Vec::new();
    if latin1 > 0 {
        what.push(What::Recoded(latin1));
    }
    if !utf8.is_empty() {
        what.push(What::WasUtf8(utf8));
    }
    (text, what)
}

/// What Latin-1 does not have becomes `?`. A line that is not UTF-8 stays as it is.
pub(super) fn to_latin1(bytes: &[u8]) -> (Vec<u8>, Vec<What>) {
    let lines = split(bytes);
    let foreign = |c: char| u8::try_from(u32::from(c)).is_err();
    let lost = numbers(lines.iter().map(|line| line.text.contains(foreign)));
    let mut out = Vec::with_capacity(bytes.len());
    for line in &lines {
        out.extend(line.text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')));
        out.extend_from_slice(line.ending.bytes());
    }
    let what = if lost.is_empty() { Vec::new() } else { vec![What::NotLatin1(lost)] };
    (out, what)
}

/// Numbers, from 1, of the lines of which it is true.
pub(super) fn numbers(lines: impl Iterator<Item = bool>) -> Vec<usize> {
    lines.enumerate().filter(|(_, is)| *is).map(|(n, _)| n + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_line_by_itself() {
        let (text, what) = to_utf8(b"na\xefve\nplain\r\nd\xc3\xa9j\xc3\xa0\nno end \xbf");
        assert_eq!(String::from_utf8(text).unwrap(), "naïve\nplain\r\ndéjà\nno end ¿");
        assert_eq!(what, [What::Recoded(2), What::WasUtf8(vec![3])]);
        let (bytes, what) = to_latin1("tri €\nna\u{ef}ve\n".as_bytes());
        assert_eq!(bytes, b"tri ?\nna\xefve\n");
        assert_eq!(what, [What::NotLatin1(vec![1])]);
    }

    proptest! {
        #[test]
        fn there_and_back_is_the_same_where_nothing_is_said(bytes in proptest::collection::vec(
            prop_oneof![4 => 0x20u8..0x7f, 1 => Just(b'\n'), 1 => 0x80u8..], 0..80))
        {
            let (text, there) = to_utf8(&bytes);
            let (again, back) = to_latin1(&text);
            prop_assert!(back.is_empty() || there.iter().any(|w| matches!(w, What::WasUtf8(_))));
            if !there.iter().any(|w| matches!(w, What::WasUtf8(_))) {
                prop_assert_eq!(again, bytes);
            }
        }
    }
}
