//! The public part of the `press` file: broadcasts that really went to all and whose sender is shown openly or not at
//! all. Press between players, and press under a false name, is not read any further than its head.

/// A broadcast as filed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filed {
    /// Phase.
    pub phase: String,
    /// Key of the sender, `None`: anonymous.
    pub from: Option<String>,
    /// Text without its headline.
    pub text: String,
}

/// Reads the file; entries begin with `:: phase SENDER reader… [| claimed-sender claimed-reader…]` (mail-commands.md 6).
pub fn broadcasts(file: &str) -> Vec<Filed> {
    let mut out = Vec::new();
    let mut open: Option<(Filed, Vec<&str>)> = None;
    let mut close = |entry: Option<(Filed, Vec<&str>)>| {
        let Some((mut filed, lines)) = entry else { return };
        // The first line is the headline of the mail, which page and feed say in their own way.
        let body = lines.get(1..).unwrap_or_default();
        filed.text = body.join("\n").trim_matches('\n').to_string();
        if !filed.text.is_empty() {
            out.push(filed);
        }
    };
    for line in file.lines() {
        if let Some(head) = line.strip_prefix(":: ") {
            close(open.take());
            open = public_head(head).map(|filed| (filed, Vec::new()));
        } else if let Some((_, lines)) = &mut open {
            lines.push(line);
        }
    }
    close(open);
    out
}

fn public_head(head: &str) -> Option<Filed> {
    let (truth, claim) = match head.split_once('|') {
        Some((truth, claim)) => (truth, Some(claim)),
        None => (head, None),
    };
    let is_all = |words: &[&str]| matches!(words, [one] if one.eq_ignore_ascii_case("ALL"));
    let truth: Vec<&str> = truth.split_whitespace().collect();
    let [phase, sender, readers @ ..] = truth.as_slice() else { return None };
    if !is_all(readers) {
        return None;
    }
    let from = match claim.map(|c| c.split_whitespace().collect::<Vec<_>>()) {
        None => Some(sender.to_string()),
        Some(words) => match words.as_slice() {
            [claimed, readers @ ..] if is_all(readers) && claimed.eq_ignore_ascii_case("SOMEBODY") => None,
            [claimed, readers @ ..] if is_all(readers) && claimed == sender => Some(sender.to_string()),
            _ => return None,
        },
    };
    Some(Filed { phase: phase.to_string(), from, text: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_open_broadcasts_are_public() {
        let file = "\
:: S1901M FRANCE All\nBroadcast message from France in x:\n\nHello, world.\nSecond line.\n\n\
:: S1901M FRANCE ENGLAND\nMessage from France to England in x:\n\nsecret-1\n\n\
:: S1901M ITALY All | Somebody All\nBroadcast message in x:\n\nGuess who.\n\n\
:: S1901M ITALY All | TURKEY All\nBroadcast message from Turkey in x:\n\nsecret-2\n\n\
:: S1901M ITALY ENGLAND | ITALY All\nBroadcast message from Italy in x:\n\nsecret-3\n\n\
:: S1901M ITALY All | ITALY FRANCE\nMessage from Italy to France in x:\n\nsecret-4\n";
        let found = broadcasts(file);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].from.as_deref(), Some("FRANCE"));
        assert_eq!(found[0].text, "Hello, world.\nSecond line.");
        assert_eq!(found[1].from, None);
        assert_eq!(found[1].text, "Guess who.");
    }
}
