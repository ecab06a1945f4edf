//! Mail addresses at the door (OPS-064): one mailbox, lower case, nothing that could break a header or a protocol line.

use std::fmt;

/// An address that may be written into a header, an envelope or an argument vector.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MailAddress(String);

/// Why a text is no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Nothing, or more than 254 bytes.
    #[error("an address has 3 to 254 characters")]
    Length,
    /// No `@`, or nothing on one of its sides.
    #[error("an address reads local@domain")]
    Shape,
    /// A blank, control character, comma, bracket or quote.
    #[error("the character {0:?} is not allowed in an address")]
    Character(char),
    /// A leading dash could be taken for an option of a program.
    #[error("an address does not begin with a dash")]
    Dash,
    /// The domain is not a name of dotted labels.
    #[error("the domain of the address is not a host name")]
    Domain,
}

impl MailAddress {
    /// Checks and lower-cases one address.
    pub fn parse(text: &str) -> Result<MailAddress, AddressError> {
        let text = text.trim();
        if text.len() < 3 || text.len() > 254 {
            return Err(AddressError::Length);
        }
        if let Some(c) = text.chars().find(|&c| c.is_control() || c.is_whitespace() || "\",;:<>()[]\\".contains(c)) {
            return Err(AddressError::Character(c));
        }
        if text.starts_with('-') {
            return Err(AddressError::Dash);
        }
        let (local, domain) = text.split_once('@').ok_or(AddressError::Shape)?;
        if local.is_empty() || local.len() > 64 || domain.contains('@') {
            return Err(AddressError::Shape);
        }
        if local.starts_with('.') || local.ends_with('.') || local.contains("..") {
            return Err(AddressError::Shape);
        }
        let label = |l: &str| {
            !l.is_empty()
                && l.len() <= 63
                && !l.starts_with('-')
                && !l.ends_with('-')
                && l.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
        };
        if domain.is_empty() || !domain.split('.').all(label) {
            return Err(AddressError::Domain);
        }
        Ok(MailAddress(text.to_lowercase()))
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Left of the `@`.
    pub fn local(&self) -> &str {
        self.0.split_once('@').map_or("", |(l, _)| l)
    }

    /// Right of the `@`.
    pub fn domain(&self) -> &str {
        self.0.split_once('@').map_or("", |(_, d)| d)
    }

    /// The same mailbox with a sub-address: `judge+demo@…`. Characters that are no part of one are left out.
    pub fn plus(&self, extension: &str) -> MailAddress {
        let clean: String =
            extension.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')).collect();
        if clean.is_empty() { self.clone() } else { MailAddress(format!("{}+{clean}@{}", self.local(), self.domain())) }
    }
}

impl fmt::Display for MailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The address without `+extension`.
pub fn without_extension(address: &str) -> String {
    match address.rsplit_once('@') {
        Some((local, domain)) => format!("{}@{domain}", local.split('+').next().unwrap_or(local)),
        None => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_door_is_narrow() {
        for good in ["france@example.org", "A.b+c@x", "jörg@bücher.example", "o'neill@example.ie", "a_b@x_y.example"]
        {
            assert!(MailAddress::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "a@",
            "@b",
            "a b@c",
            "a@b,c@d",
            "a@b\r\nX: y",
            "-f@x",
            "a@b@c",
            "<a@b>",
            "a@-b",
            "a@b..c",
            ".a@b",
            "a@b c",
            "a\0@b",
        ] {
            assert!(MailAddress::parse(bad).is_err(), "{bad:?}");
        }
        assert_eq!(
            MailAddress::parse("Judge@X.example").map(|a| a.plus("demo").to_string()),
            Ok("judge+demo@x.example".into())
        );
    }
}
