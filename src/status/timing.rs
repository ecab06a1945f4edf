//! TIMING in a status file: what its values look like. What they mean, and so which are BAD, is the clock's business
//! (clock.md 2).

pub(crate) use crate::clock::timing::fault;

/// Keys that are never the beginning of a phase word.
pub const RESERVED: [&str; 8] = ["AT", "FUDGE", "DAYS", "START", "NEXT", "WARN", "GRACE", "NOT"];

/// A value as it is stored: upper case, except that DAYS keeps its case if it has a capital.
pub(crate) fn stored(key: &str, text: &str) -> String {
    if key == "DAYS" && text.chars().any(char::is_uppercase) { text.to_owned() } else { text.to_uppercase() }
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn the_table() {
        let good = [
            ("AT", "8:00,20:00"),
            ("FUDGE", "2H"),
            ("DAYS", "-MTwtF-"),
            ("START", "-2H"),
            ("NEXT", "1W"),
            ("MOVE", "90M"),
            ("WARN", "1D,4H"),
            ("WARN", "0"),
            ("WARN", "0H"),
            ("WARN", "0,4H"),
            ("GRACE", "0"),
            ("GRACE", "0H"),
            ("NOT", "20240720-20240727,-20020812,202408,2024091611,202407101030-202407101300"),
        ];
        for (key, text) in good {
            assert_eq!(fault(key, text), None, "{key} {text}");
        }
        let bad = [
            ("NEXT", "1X"),
            ("NEXT", "0D"),
            ("AT", "25:00"),
            ("AT", "12:60"),
            ("DAYS", "-------"),
            ("DAYS", "MTWTFSS"),
            ("DAYS", "-MTWTF"),
            ("FUDGE", "1D"),
            ("FUDGE", "0H"),
            ("START", "2D"),
            ("GRACE", "1"),
            ("NOT", "20241301"),
            ("NOT", "19690101"),
            ("NOT", "20260101-20250101"),
            ("NEXT", "99999D"),
            ("START", "9999999H"),
            ("GRACE", "200000D"),
        ];
        for (key, text) in bad {
            assert!(fault(key, text).is_some(), "{key} {text}");
        }
    }
}
