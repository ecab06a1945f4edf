//! What the keeper has to say on every page: `web.banner`, until the end of `web.banner_until` (operations.md 5; web.md
//! WEB-039). Its text stands in the pages; whether it is shown is said by a style sheet of its own, so that its last day need
//! not write them all anew, and they need no script.

use super::xml;

/// Path of that style sheet.
pub const SHEET: &str = "banner.css";
/// What a banner may contain of HTML; links lead to pages and mail addresses.
const TAGS: [&str; 11] = ["p", "br", "b", "i", "em", "strong", "a", "ul", "ol", "li", "code"];

/// The style sheet.
pub fn sheet(shown: bool) -> Vec<u8> {
    if shown { ".banner{display:block}\n" } else { ".banner{display:none}\n" }.into()
}

/// The text of the settings as HTML: a few tags are what they are, and closed at the end; all the rest is text.
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<&'static str> = Vec::new();
    let mut rest = text.trim();
    while let Some(at) = rest.find('<') {
        out += &xml(&rest[..at]);
        rest = &rest[at..];
        match tag(rest) {
            Some((Tag::Break, length)) => {
                out += "<br>";
                rest = &rest[length..];
            }
            Some((Tag::Open(name, href), length)) => {
                // Neither a paragraph nor a link has another of its kind in it, nor has an item another beside it.
                if open.last() == Some(&name) && matches!(name, "p" | "li") || name == "a" && open.contains(&name) {
                    close(name, &mut open, &mut out);
                }
                let href = href.map_or(String::new(), |href| format!(" href=\"{}\"", xml(href)));
                out += &format!("<{name}{href}>");
                open.push(name);
                rest = &rest[length..];
            }
            Some((Tag::Close(name), length)) if open.contains(&name) => {
                close(name, &mut open, &mut out);
                rest = &rest[length..];
            }
            _ => {
                out += "&lt;";
                rest = &rest[1..];
            }
        }
    }
    out += &xml(rest);
    while let Some(name) = open.pop() {
        out += &format!("</{name}>");
    }
    out
}

/// Closes the innermost element of that name, and what is open within it.
fn close(name: &str, open: &mut Vec<&'static str>, out: &mut String) {
    while let Some(inner) = open.pop() {
        *out += &format!("</{inner}>");
        if inner == name {
            return;
        }
    }
}

enum Tag<'t> {
    Break,
    Open(&'static str, Option<&'t str>),
    Close(&'static str),
}

/// The tag with which the text begins, and its length; `None`: it is none that a banner may have.
fn tag(text: &str) -> Option<(Tag<'_>, usize)> {
    let end = text.find('>')?;
    let inner = text[1..end].trim();
    let length = end + 1;
    let named = |word: &str| TAGS.iter().find(|name| name.eq_ignore_ascii_case(word)).copied();
    if let Some(word) = inner.strip_prefix('/') {
        return named(word.trim()).filter(|name| *name != "br").map(|name| (Tag::Close(name), length));
    }
    let inner = inner.strip_suffix('/').map_or(inner, str::trim_end);
    let (word, attributes) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
    match (named(word)?, attributes.trim()) {
        ("br", "") => Some((Tag::Break, length)),
        ("a", attributes) => Some((Tag::Open("a", Some(link(attributes)?)), length)),
        (name, "") => Some((Tag::Open(name, None), length)),
        _ => None,
    }
}

/// The value of `href="…"`, which has to be all there is.
fn link(attributes: &str) -> Option<&str> {
    let (name, value) = attributes.split_once('=')?;
    let value = value.trim();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let href = value.strip_prefix(quote)?.strip_suffix(quote)?.trim();
    let lower = href.to_ascii_lowercase();
    let leads = ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    let whole = !href.contains(quote) && !href.chars().any(|c| c.is_whitespace() || c.is_control());
    (name.trim().eq_ignore_ascii_case("href") && leads && whole).then_some(href)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_tags_are_tags_and_all_the_rest_is_text() {
        for (text, wanted) in [
            ("plain & simple", "plain &amp; simple"),
            (
                "<p>Moving <b>soon</b>.<BR/>See <a href=\"https://x.example/?a=1&b=2\">there</a>.</p>",
                "<p>Moving <b>soon</b>.<br>See <a href=\"https://x.example/?a=1&amp;b=2\">there</a>.</p>",
            ),
            ("<A HREF='mailto:gm@x.example'>mail</A>", "<a href=\"mailto:gm@x.example\">mail</a>"),
            ("<ul><li>one<li>two</ul>", "<ul><li>one</li><li>two</li></ul>"),
            ("<p>a<p>b", "<p>a</p><p>b</p>"),
            ("<code>HELP", "<code>HELP</code>"),
            ("<b>x<i>y</b>z</i>", "<b>x<i>y</i></b>z&lt;/i&gt;"),
            ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
            ("<a href=\"javascript:x\">y</a>", "&lt;a href=&quot;javascript:x&quot;&gt;y&lt;/a&gt;"),
            (
                "<a href=\"https://x\" onclick=\"y\">z</a>",
                "&lt;a href=&quot;https://x&quot; onclick=&quot;y&quot;&gt;z&lt;/a&gt;",
            ),
            ("<b style=\"x\">y</b>", "&lt;b style=&quot;x&quot;&gt;y&lt;/b&gt;"),
            ("1 < 2 <br", "1 &lt; 2 &lt;br"),
            ("", ""),
        ] {
            assert_eq!(html(text), wanted, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_but_those_tags_comes_out(text in "([<>/ \"'=a-z&é]|<(/)?(p|br|b|ul|li|a|script)( href=\"https://[a-z<\"]{0,3}\"| x=\"y\")?>){0,30}") {
            let out = html(&text);
            let mut depth: Vec<String> = Vec::new();
            let mut rest = out.as_str();
            while let Some(at) = rest.find('<') {
                let end = rest[at..].find('>').expect("an end") + at;
                let inner = &rest[at + 1..end];
                let name: String = inner.trim_start_matches('/').chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
                proptest::prop_assert!(TAGS.contains(&name.as_str()) , "{out}");
                if inner.starts_with('/') {
                    proptest::prop_assert_eq!(depth.pop(), Some(name));
                } else if name != "br" {
                    let plain = inner == name || inner.starts_with("a href=\"http") && inner.matches('"').count() == 2;
                    proptest::prop_assert!(plain, "{out}");
                    depth.push(name);
                }
                rest = &rest[end + 1..];
            }
            proptest::prop_assert!(depth.is_empty(), "{out}");
        }
    }
}
