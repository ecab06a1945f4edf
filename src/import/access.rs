//! The old log of sign-ons: each line ended with the password in clear (status-file.md 10.1).

use super::What;

/// Words of a line of the old judge: a date of five words, origin, power, then the password.
const BEFORE_PASSWORD: usize = 7;
/// What the old judge wrote itself instead of a password.
const MASKS: [&str; 2] = ["!-MASTER-!", "!-JUDGEKEEPER-!"];
/// What stands there now.
const BLANK: &str = "***";

/// The log with its passwords blanked. `text` is UTF-8, or whatever it was where it was not.
pub(super) fn blanked(bytes: &[u8]) -> (Vec<u8>, Vec<What>) {
    let mut out = Vec::with_capacity(bytes.len());
    let mut blanked = 0;
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        match password(line) {
            Some(at) => {
                out.extend_from_slice(&line[..at]);
                out.extend_from_slice(BLANK.as_bytes());
                let end = line.iter().rposition(|b| !b.is_ascii_whitespace()).map_or(line.len(), |end| end + 1);
                out.extend_from_slice(&line[end..]);
                blanked += 1;
            }
            None => out.extend_from_slice(line),
        }
    }
    (out, if blanked == 0 { Vec::new() } else { vec![What::Blanked(blanked)] })
}

/// Where the password of a line begins. Lines of other shapes (ours begin with a date of one word) have none.
fn password(line: &[u8]) -> Option<usize> {
    let start = |at: &usize| at.checked_sub(1).is_none_or(|before| line[before].is_ascii_whitespace());
    let mut words = (0..line.len()).filter(|at| !line[*at].is_ascii_whitespace()).filter(start);
    let at = words.nth(BEFORE_PASSWORD)?;
    let word = |from: usize| {
        let end = line[from..].iter().position(u8::is_ascii_whitespace).map_or(line.len(), |n| from + n);
        &line[from..end]
    };
    // `Mon Jul  8 20:31:05 2024`
    let first = (0..line.len()).find(|at| !line[*at].is_ascii_whitespace())?;
    let weekday = word(first).len() == 3 && word(first).iter().all(u8::is_ascii_alphabetic);
    let masked = [BLANK].iter().chain(&MASKS).any(|mask| mask.as_bytes() == word(at));
    (weekday && !masked).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_go_and_nothing_else() {
        let old = b"Mon Jul  8 20:31:05 2024 gate.example FRANCE    pw-ff\n\
            Mon Jul  8 20:33:05 2024 gate.example MASTER !-MASTER-!\n\
            2026-11-21T09:00:00Z a@b.example FRANCE ok by the Master of it all\nshort\nTue Jul  9 20:31:05 2024 x ITALY pw two";
        let (new, what) = blanked(old);
        let new = String::from_utf8(new).unwrap();
        assert_eq!(
            new,
            "Mon Jul  8 20:31:05 2024 gate.example FRANCE    ***\n\
            Mon Jul  8 20:33:05 2024 gate.example MASTER !-MASTER-!\n\
            2026-11-21T09:00:00Z a@b.example FRANCE ok by the Master of it all\nshort\nTue Jul  9 20:31:05 2024 x ITALY ***"
        );
        assert_eq!(what, [What::Blanked(2)]);
        assert_eq!(blanked(new.as_bytes()), (new.into_bytes(), Vec::new()));
    }
}
