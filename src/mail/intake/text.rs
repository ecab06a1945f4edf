//! Text to physical lines: line ends, format=flowed (RFC 3676), blanks that only look like blanks
//! (mail-commands.md 1.3 points 5 and 6).

use super::mime::Text;

/// A line before commands, press and quotes are told apart.
pub(super) struct Physical {
    /// Number in the decoded text, from 1; of joined lines the first.
    pub number: usize,
    /// The text.
    pub text: String,
}

/// Cuts and joins.
pub(super) fn physical(text: &Text) -> Vec<Physical> {
    let whole = text.text.replace("\r\n", "\n").replace('\r', "\n");
    if text.flowed {
        // Only a blank as it was sent makes a line flow, not one that is made of something else, or uncovered.
        let flows = |chunk: &str| chunk.ends_with(' ');
        return join(whole.split('\n').map(|chunk| (clean(chunk), flows(chunk))), text.delsp);
    }
    whole.split('\n').enumerate().map(|(at, chunk)| Physical { number: at + 1, text: clean(chunk) }).collect()
}

/// No-break and other fixed blanks become plain ones; control characters and invisible marks go.
fn clean(line: &str) -> String {
    line.chars()
        .filter_map(|c| match c {
            '\u{a0}' | '\u{202f}' | '\u{2007}' => Some(' '),
            '\t' => Some('\t'),
            '\u{feff}' | '\u{200b}' | '\u{2060}' | '\u{200e}' | '\u{200f}' => None,
            c if c.is_control() => None,
            c => Some(c),
        })
        .collect()
}

/// Undoes the soft breaks of format=flowed, of lines and whether they end in a blank.
fn join(lines: impl Iterator<Item = (String, bool)>, delsp: bool) -> Vec<Physical> {
    let mut out: Vec<Physical> = Vec::new();
    // Quote depth of the last line, if it still flows.
    let mut open: Option<usize> = None;
    for (at, (text, blank)) in lines.enumerate() {
        let depth = text.bytes().take_while(|&b| b == b'>').count();
        let body = text.get(depth..).unwrap_or_default();
        let body = body.strip_prefix(' ').unwrap_or(body);
        let signature = body == "-- " || body == "--";
        let flows = blank && body.ends_with(' ') && !signature;
        let content = if flows && delsp { body.strip_suffix(' ').unwrap_or(body) } else { body };
        match (open, out.last_mut()) {
            (Some(before), Some(last)) if before == depth && !signature => last.text.push_str(content),
            _ => {
                let quote = if depth == 0 { String::new() } else { format!("{} ", ">".repeat(depth)) };
                out.push(Physical { number: at + 1, text: quote + content });
            }
        }
        open = flows.then_some(depth);
    }
    out
}
