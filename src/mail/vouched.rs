//! What servers say about who sent a message: `Authentication-Results` (RFC 8601), believed only of those the host names.

/// Whether one of the trusted servers says that the message passed DMARC for the domain of its author. Fields are in the
/// order of the message, so that the last server's stand first; the first trusted one that tells anything decides.
pub fn passes_dmarc(fields: &[String], trusted: &[String], author: &str) -> bool {
    let Some((_, domain)) = author.rsplit_once('@') else { return false };
    let mut said = fields.iter().filter_map(|field| {
        let field = without_comments(field);
        let mut parts = field.split(';');
        // The name may have a version behind it.
        let server = parts.next()?.split_whitespace().next()?.trim_matches('"');
        if !trusted.iter().any(|name| name.eq_ignore_ascii_case(server)) {
            return None;
        }
        parts.find_map(|part| dmarc(part, domain))
    });
    said.next().unwrap_or(false)
}

/// What one result says, if it is about DMARC.
fn dmarc(part: &str, domain: &str) -> Option<bool> {
    // Blanks may stand around the signs.
    let spaced: String = part.replace('=', " = ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let [method, "=", result, properties @ ..] = words.as_slice() else { return None };
    let method = method.split('/').next().unwrap_or_default();
    if !method.eq_ignore_ascii_case("dmarc") {
        return None;
    }
    // For whom it holds; where that is not told, it is the author.
    let other = properties.windows(3).any(|words| match words {
        [name, "=", value] if name.eq_ignore_ascii_case("header.from") => {
            let value = value.trim_matches('"');
            let value = value.rsplit_once('@').map_or(value, |(_, domain)| domain);
            !value.eq_ignore_ascii_case(domain)
        }
        _ => false,
    });
    Some(result.eq_ignore_ascii_case("pass") && !other)
}

/// The field with its comments, which nest, taken out; what stands in quotation marks is none.
fn without_comments(field: &str) -> String {
    let (mut out, mut depth, mut quoted, mut escaped) = (String::with_capacity(field.len()), 0usize, false, false);
    for c in field.chars() {
        let plain = !std::mem::take(&mut escaped);
        match c {
            '\\' if plain && (quoted || depth > 0) => escaped = true,
            '"' if plain && depth == 0 => quoted = !quoted,
            '(' if plain && !quoted => {
                depth += 1;
                out.push(' ');
                continue;
            }
            ')' if plain && !quoted && depth > 0 => {
                depth -= 1;
                continue;
            }
            _ => {}
        }
        // A sign of the grammar inside quotation marks is none.
        if depth == 0 {
            out.push(if quoted && (c == ';' || c == '=') { '_' } else { c });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(fields: &[&str]) -> bool {
        let fields: Vec<String> = fields.iter().map(|field| field.to_string()).collect();
        passes_dmarc(&fields, &["mx.judge.example".into()], "Ann@Example.org")
    }

    #[test]
    fn only_a_pass_of_a_trusted_server_for_the_author_counts() {
        for good in [
            "mx.judge.example; dmarc=pass header.from=example.org",
            "MX.judge.example 1; spf=fail smtp.mailfrom=x.example; dkim=pass header.d=example.org; dmarc=pass",
            "mx.judge.example; dmarc = pass (p=reject (or; not)) header.from = \"example.org\"",
            "mx.judge.example; dmarc/1=Pass header.from=ann@example.org",
        ] {
            assert!(passes(&[good]), "{good}");
        }
        for bad in [
            "",
            "mx.judge.example",
            "mx.judge.example; none",
            "mx.other.example; dmarc=pass header.from=example.org",
            "mx.judge.example; dmarc=fail header.from=example.org",
            "mx.judge.example; dmarc=pass header.from=evil.example",
            "mx.judge.example; spf=pass (; dmarc=pass) smtp.mailfrom=example.org",
            "mx.judge.example; spf=pass smtp.mailfrom=\"a;dmarc=pass\"",
            "mx.judge.example; dkim=pass reason=\"x\\\"; dmarc=pass\"",
            "mx.other.example (mx.judge.example; dmarc=pass)",
        ] {
            assert!(!passes(&[bad]), "{bad}");
        }
    }

    #[test]
    fn the_last_server_decides() {
        let (pass, fail) = ("mx.judge.example; dmarc=pass", "mx.judge.example; dmarc=fail");
        assert!(!passes(&[fail, pass]) && passes(&[pass, fail]));
        assert!(passes(&["mx.other.example; dmarc=fail", "mx.judge.example; spf=pass", pass]));
        assert!(!passes(&[]));
    }
}
