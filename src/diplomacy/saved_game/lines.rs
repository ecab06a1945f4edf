//! One game out of a file of many: JSON Lines, or objects written over several lines (saved-game-json.md 5).

use super::{LONGEST, SavedError};
use std::io::BufRead;

/// The text of the n-th object (from 1). Objects before it are passed over in constant memory, and nothing behind it
/// is read; what is inside an object is looked at only as far as needed to find its end.
pub fn nth_object(mut input: impl BufRead, n: usize) -> Result<String, SavedError> {
    let mut scan = Scan { found: 0, line: 1, depth: 0, quoted: false, escaped: false };
    let mut object = Vec::new();
    loop {
        let bytes = input.fill_buf().map_err(|e| SavedError::Json(e.to_string()))?;
        if bytes.is_empty() {
            break;
        }
        for byte in bytes {
            let ended = scan.step(*byte)?;
            let inside = scan.depth > 0 || ended;
            if inside && scan.found + usize::from(!ended) == n {
                if object.len() == LONGEST {
                    return Err(SavedError::Limit(format!("object {n} has more than {LONGEST} bytes")));
                }
                object.push(*byte);
                if ended {
                    return String::from_utf8(object).map_err(|_| SavedError::Json("not UTF-8".into()));
                }
            }
        }
        let count = bytes.len();
        input.consume(count);
    }
    if scan.depth > 0 {
        return Err(SavedError::Json(format!("line {}: the object does not end", scan.line)));
    }
    Err(SavedError::Limit(match scan.found {
        0 => "there is no object in the input".into(),
        found => format!("there is no object {n} in the input, only {found}"),
    }))
}

/// Where in the text the reader is.
struct Scan {
    found: usize,
    line: usize,
    depth: usize,
    quoted: bool,
    escaped: bool,
}

impl Scan {
    /// Takes a byte; whether an object ended with it.
    fn step(&mut self, byte: u8) -> Result<bool, SavedError> {
        self.line += usize::from(byte == b'\n');
        if self.quoted {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.quoted = false,
                _ => {}
            }
            return Ok(false);
        }
        match byte {
            b'{' | b'[' if self.depth > 0 || byte == b'{' => self.depth += 1,
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                self.found += usize::from(self.depth == 0);
                return Ok(self.depth == 0);
            }
            b'"' if self.depth > 0 => self.quoted = true,
            _ if self.depth > 0 || byte.is_ascii_whitespace() => {}
            _ => {
                let text = format!("line {}: want an object, got '{}'", self.line, char::from(byte).escape_default());
                return Err(SavedError::Json(text));
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_by_number() {
        let text = "{\"a\": \"}\\\"{\"}\n\n{\"b\": [1, {\"c\": 2}],\n \"d\": 3}\n{\"e\": 4}";
        let nth = |n| nth_object(text.as_bytes(), n);
        assert_eq!(nth(1).unwrap(), "{\"a\": \"}\\\"{\"}");
        assert_eq!(nth(2).unwrap(), "{\"b\": [1, {\"c\": 2}],\n \"d\": 3}");
        assert_eq!(nth(3).unwrap(), "{\"e\": 4}");
        assert_eq!(nth(4).unwrap_err().to_string(), "there is no object 4 in the input, only 3");
        let wrong = |text: &str| nth_object(text.as_bytes(), 1).unwrap_err().to_string();
        assert_eq!(wrong("\n[{}]"), "bad JSON: line 2: want an object, got '['");
        assert_eq!(wrong("{\"a\":\n1"), "bad JSON: line 2: the object does not end");
        assert_eq!(wrong(" \n"), "there is no object in the input");
    }
}
