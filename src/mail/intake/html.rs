//! HTML to lines, as far as a person's orders need it (mail-commands.md 1.3 point 3). A tokenizer, not a browser:
//! one pass, no nesting kept but for what is being left out.

use super::entities::ENTITIES;
use super::{Flag, Flags};

/// Content that is never text.
const HIDDEN: [&str; 7] = ["head", "style", "script", "title", "template", "noscript", "svg"];
/// Elements that begin and end a line.
const BLOCKS: [&str; 24] = [
    "p", "div", "li", "tr", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "section", "article",
    "header", "footer", "center", "address", "dl", "dt", "dd", "form",
];

/// The text of a document.
pub(super) fn to_text(source: &str, flags: &mut Flags) -> String {
    let mut out = Writer::default();
    let mut skip: Option<(String, usize)> = None;
    let mut rest = source;
    while !rest.is_empty() {
        let Some(start) = rest.find('<') else {
            if skip.is_none() {
                out.text(rest);
            }
            break;
        };
        let (before, markup) = rest.split_at(start);
        if skip.is_none() {
            out.text(before);
        }
        let Some((tag, after)) = next_tag(markup) else {
            // A lone `<` is text.
            if skip.is_none() {
                out.text("<");
            }
            rest = markup.get(1..).unwrap_or_default();
            continue;
        };
        rest = after;
        let Some(tag) = tag else { continue };
        if let Some((name, depth)) = &mut skip {
            if tag.name == *name {
                if tag.closing {
                    *depth -= 1;
                } else if !tag.empty {
                    *depth += 1;
                }
            }
            if *depth == 0 {
                skip = None;
            }
            continue;
        }
        if !tag.closing && HIDDEN.contains(&tag.name.as_str()) && !tag.empty {
            // Inside style and script `<` is no markup: go straight to the end tag.
            if matches!(tag.name.as_str(), "style" | "script" | "title") {
                rest = behind_end_tag(rest, &tag.name);
            } else {
                skip = Some((tag.name, 1));
            }
            continue;
        }
        if !tag.closing && tag.quotes_rest() {
            flags.insert(Flag::Quotes);
            break;
        }
        if !tag.closing && tag.quoted() && !tag.empty {
            flags.insert(Flag::Quotes);
            out.end_line_if_begun();
            skip = Some((tag.name, 1));
            continue;
        }
        match tag.name.as_str() {
            "br" | "hr" => out.end_line(),
            "td" | "th" => out.blank(),
            name if BLOCKS.contains(&name) => {
                out.end_line_if_begun();
                if name == "pre" {
                    out.pre = !tag.closing;
                }
            }
            _ => {}
        }
    }
    out.finish()
}

struct Tag {
    name: String,
    closing: bool,
    empty: bool,
    attributes: String,
}

impl Tag {
    /// Elements that hold the quoted original.
    fn quoted(&self) -> bool {
        self.name == "blockquote"
            || self.attribute("class").is_some_and(|v| v.split_whitespace().any(|c| c == "gmail_quote"))
    }

    /// Marks behind which Outlook puts the original, beside and not inside the marked element.
    fn quotes_rest(&self) -> bool {
        self.attribute("id").is_some_and(|v| v == "appendonsend" || v == "divrplyfwdmsg")
    }

    /// Value of an attribute, in lower case.
    fn attribute(&self, name: &str) -> Option<String> {
        let mut rest = self.attributes.as_str();
        loop {
            let (before, after) = rest.split_once('=')?;
            let key = before.trim_end().rsplit(|c: char| c.is_whitespace() || c == '"' || c == '\'').next()?;
            let after = after.trim_start();
            let (value, next) = match after.chars().next() {
                Some(q @ ('"' | '\'')) => after.get(1..)?.split_once(q).unwrap_or((after.get(1..)?, "")),
                _ => after.split_once(|c: char| c.is_whitespace()).unwrap_or((after, "")),
            };
            if key.eq_ignore_ascii_case(name) {
                return Some(value.trim().to_lowercase());
            }
            rest = next;
        }
    }
}

/// The tag at the start of the text (`None` inside for a comment or declaration) and what follows; `None`: no tag.
fn next_tag(text: &str) -> Option<(Option<Tag>, &str)> {
    let inner = text.strip_prefix('<')?;
    if let Some(comment) = inner.strip_prefix("!--") {
        return Some((None, comment.split_once("-->").map_or("", |(_, after)| after)));
    }
    if inner.starts_with(['!', '?']) {
        return Some((None, inner.split_once('>').map_or("", |(_, after)| after)));
    }
    let closing = inner.starts_with('/');
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let end = tag_end(inner)?;
    let content = inner.get(..end)?;
    let after = inner.get(end + 1..).unwrap_or_default();
    let name_end = content.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(content.len());
    let name = content.get(..name_end)?.to_ascii_lowercase();
    let empty =
        content.ends_with('/') || matches!(name.as_str(), "br" | "hr" | "img" | "meta" | "link" | "input" | "wbr");
    let attributes = content.get(name_end..).unwrap_or_default().to_owned();
    Some((Some(Tag { name, closing, empty, attributes }), after))
}

/// Position of the `>` that ends the tag; those in quoted values do not count.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at),
            // A quote only opens a value; an apostrophe elsewhere is an accident.
            (None, '"' | '\'') if before == '=' => quote = Some(c),
            (Some(q), c) if q == c => quote = None,
            _ => {}
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
    // An unclosed quote must not swallow the document.
    text.find('>')
}

fn behind_end_tag<'a>(text: &'a str, name: &str) -> &'a str {
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|t| t.find("</")) {
        let start = at + found + 2;
        let tail = text.get(start..).unwrap_or_default();
        if tail.get(..name.len()).is_some_and(|t| t.eq_ignore_ascii_case(name)) {
            return tail.split_once('>').map_or("", |(_, after)| after);
        }
        at = start;
    }
    ""
}

#[derive(Default)]
struct Writer {
    done: String,
    line: String,
    pre: bool,
}

impl Writer {
    fn text(&mut self, raw: &str) {
        let mut rest = raw;
        while let Some(c) = rest.chars().next() {
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            match c {
                '&' => match entity(rest) {
                    Some((c, after)) => {
                        self.line.push(c);
                        rest = after;
                    }
                    None => self.line.push('&'),
                },
                '\n' if self.pre => self.end_line(),
                '\r' if self.pre => {}
                ' ' | '\t' | '\n' | '\r' | '\x0c' if !self.pre => self.blank(),
                c => self.line.push(c),
            }
        }
    }

    fn blank(&mut self) {
        if !self.line.is_empty() && !self.line.ends_with(' ') {
            self.line.push(' ');
        }
    }

    fn end_line(&mut self) {
        self.done.push_str(self.line.trim_end_matches(' '));
        self.done.push('\n');
        self.line.clear();
    }

    fn end_line_if_begun(&mut self) {
        if !self.line.trim().is_empty() {
            self.end_line();
        } else {
            self.line.clear();
        }
    }

    fn finish(mut self) -> String {
        self.end_line_if_begun();
        self.done
    }
}

/// The character a reference behind `&` stands for, and what follows it.
fn entity(text: &str) -> Option<(char, &str)> {
    if let Some(number) = text.strip_prefix('#') {
        let (digits, radix) = match number.strip_prefix(['x', 'X']) {
            Some(hex) => (hex, 16),
            None => (number, 10),
        };
        let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        let code = u32::from_str_radix(digits.get(..end)?, radix).ok()?;
        let after = digits.get(end..)?;
        return Some((character(code), after.strip_prefix(';').unwrap_or(after)));
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let name = text.get(..end)?;
    let after = text.get(end..)?;
    let code = match name {
        "apos" => 39,
        _ => ENTITIES.binary_search_by(|(n, _)| (*n).cmp(name)).ok().and_then(|i| ENTITIES.get(i)).map(|(_, c)| *c)?,
    };
    // Without its semicolon only the old ones are references: `pasta&vino` stays what it is.
    let closed = after.strip_prefix(';');
    if closed.is_none() && code > 255 && !matches!(name, "lt" | "gt" | "amp" | "quot") {
        return None;
    }
    Some((character(code), closed.unwrap_or(after)))
}

/// Numbers 128 to 159 mean windows-1252, as everywhere on the web.
fn character(code: u32) -> char {
    if (128..160).contains(&code) {
        let byte = [u8::try_from(code).unwrap_or(b'?')];
        return encoding_rs::WINDOWS_1252.decode_without_bom_handling(&byte).0.chars().next().unwrap_or('\u{fffd}');
    }
    char::from_u32(code).filter(|&c| c != '\0').unwrap_or('\u{fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str) -> String {
        to_text(source, &mut Flags::new())
    }

    #[test]
    fn blocks_breaks_cells_and_entities() {
        assert_eq!(text("a<div>b</div><p>c<br>d</p>"), "a\nb\nc\nd\n");
        assert_eq!(text("<div>a</div><div><br></div><div>b</div>"), "a\n\nb\n");
        assert_eq!(text("<tr><td>F</td><td>bre</td></tr><tr><td>x"), "F bre\nx\n");
        assert_eq!(
            text("a &amp; b &lt;c&gt; &#8211; &#x2192; &#150; &rarr; &nosuch; pasta&vino"),
            "a & b <c> – → – → &nosuch; pasta&vino\n"
        );
        assert_eq!(text("a\n   b\t c"), "a b c\n");
        assert_eq!(text("<pre>a\n b</pre>"), "a\n b\n");
    }

    #[test]
    fn quotes_styles_scripts_and_comments_go() {
        assert_eq!(text("a<blockquote>b<blockquote>c</blockquote>d</blockquote>e"), "a\ne\n");
        assert_eq!(text("a<div class=\"x gmail_quote\"><div>b</div>c</div>d"), "a\nd\n");
        assert_eq!(text("a<hr><div id=divRplyFwdMsg>From: x</div><div>A par - bur</div>"), "a\n");
        assert_eq!(text("<style>p > q {} </b></style>a<!-- b --><script>if (a<b) x()</script>c"), "ac\n");
        assert_eq!(text("<a title='x > y' href=\"u\">a</a> < b"), "a < b\n");
    }
}
