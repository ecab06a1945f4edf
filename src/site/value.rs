//! Values of the configuration with a unit: spans of time, sizes, rates, addresses to listen at.

use serde::Deserialize;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// A span of time: `90s`, `20m`, `2h`, `30d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Span(pub Duration);

impl Span {
    /// Read a span.
    pub fn parse(text: &str) -> Option<Span> {
        let unit = text.chars().next_back()?;
        let seconds = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            _ => return None,
        };
        // Ten thousand years are enough; chrono must be able to add it.
        let number: u64 = digits(text.strip_suffix(unit)?)?;
        number.checked_mul(seconds).filter(|&all| all <= 315_576_000_000).map(|all| Span(Duration::from_secs(all)))
    }

    /// For calendar arithmetic.
    pub fn to_chrono(self) -> chrono::Duration {
        chrono::Duration::from_std(self.0).unwrap_or(chrono::Duration::MAX)
    }
}

impl TryFrom<String> for Span {
    type Error = String;
    fn try_from(text: String) -> Result<Span, String> {
        Span::parse(&text).ok_or_else(|| format!("{text}: want a span of time such as 20m, 2h or 30d"))
    }
}

/// A number of bytes: `1048576`, `64 MiB`, `10 KiB`, `1 GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Size(pub u64);

impl Size {
    /// Read a size.
    pub fn parse(text: &str) -> Option<Size> {
        const UNITS: [(&str, u64); 4] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("B", 1)];
        let text = text.trim();
        let unit = UNITS.iter().find_map(|(name, factor)| Some((text.strip_suffix(name)?, *factor)));
        let (number, factor) = unit.unwrap_or((text, 1));
        digits(number.trim_end())?.checked_mul(factor).map(Size)
    }
}

impl TryFrom<String> for Size {
    type Error = String;
    fn try_from(text: String) -> Result<Size, String> {
        Size::parse(&text).ok_or_else(|| format!("{text}: want a size such as 64 MiB"))
    }
}

/// So many in a time: `120/min`, `5/s`, `600/h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Rate {
    /// How many.
    pub count: u32,
    /// In how long.
    pub per: Duration,
}

impl Rate {
    /// Read a rate.
    pub fn parse(text: &str) -> Option<Rate> {
        let (count, per) = text.split_once('/')?;
        let per = match per.trim() {
            "s" => 1,
            "min" => 60,
            "h" => 3600,
            _ => return None,
        };
        let count = u32::try_from(digits(count.trim())?).ok().filter(|&count| count > 0)?;
        Some(Rate { count, per: Duration::from_secs(per) })
    }

    /// Pause between two that keeps the rate.
    pub fn pause(self) -> Duration {
        self.per / self.count.max(1)
    }
}

impl TryFrom<String> for Rate {
    type Error = String;
    fn try_from(text: String) -> Result<Rate, String> {
        Rate::parse(&text).ok_or_else(|| format!("{text}: want a rate such as 120/min"))
    }
}

/// Where to listen: `127.0.0.1:2424`, `[::1]:2424`, `unix:/run/chancery/lmtp`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Listen {
    /// A TCP port.
    Tcp(SocketAddr),
    /// A socket in the file system.
    Unix(PathBuf),
}

impl Listen {
    /// Read an address.
    pub fn parse(text: &str) -> Option<Listen> {
        match text.strip_prefix("unix:") {
            Some("") => None,
            Some(path) => Some(Listen::Unix(path.into())),
            None => text.parse().ok().map(Listen::Tcp),
        }
    }
}

impl TryFrom<String> for Listen {
    type Error = String;
    fn try_from(text: String) -> Result<Listen, String> {
        Listen::parse(&text).ok_or_else(|| format!("{text}: want 127.0.0.1:2424 or unix:/path"))
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Listen::Tcp(address) => address.fmt(f),
            Listen::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A time of day, UTC: `daily 00:00 UTC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Daily(pub chrono::NaiveTime);

impl Daily {
    /// Read a time of day.
    pub fn parse(text: &str) -> Option<Daily> {
        let time = text.strip_prefix("daily ")?.strip_suffix(" UTC")?;
        chrono::NaiveTime::parse_from_str(time, "%H:%M").ok().map(Daily)
    }
}

impl TryFrom<String> for Daily {
    type Error = String;
    fn try_from(text: String) -> Result<Daily, String> {
        Daily::parse(&text).ok_or_else(|| format!("{text}: want daily 00:00 UTC"))
    }
}

/// Whether this could be the address of one person: one `@`, a domain, nothing that could be a second address or a
/// second header line.
pub fn is_address(text: &str) -> bool {
    let bad =
        |c: char| c.is_whitespace() || c.is_control() || matches!(c, ',' | ';' | '<' | '>' | '"' | '(' | ')' | '\\');
    match text.split_once('@') {
        Some((local, domain)) => {
            !local.is_empty()
                && !domain.is_empty()
                && !domain.contains('@')
                && !domain.starts_with('.')
                && !text.starts_with('-')
                && !text.contains(bad)
                && text.len() <= 254
        }
        None => false,
    }
}

fn digits(text: &str) -> Option<u64> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        assert_eq!(Span::parse("20m"), Some(Span(Duration::from_secs(1200))));
        assert_eq!(Span::parse("30d").map(Span::to_chrono), Some(chrono::Duration::days(30)));
        for bad in ["", "m", "20", "20 m", "-1h", "1.5h", "999999999999999999d", "é"] {
            assert_eq!(Span::parse(bad), None, "{bad}");
        }
        assert_eq!(Size::parse("64 MiB"), Some(Size(64 << 20)));
        assert_eq!(Size::parse("10KiB"), Some(Size(10 << 10)));
        assert_eq!(Size::parse("99999999999 GiB"), None);
        assert_eq!(Rate::parse("120/min").map(Rate::pause), Some(Duration::from_millis(500)));
        assert_eq!(Rate::parse("0/min"), None);
        assert!(Listen::parse("127.0.0.1:2424").is_some() && Listen::parse("unix:/run/x").is_some());
        assert!(Listen::parse("localhost:1").is_none() && Listen::parse("unix:").is_none());
        assert!(Daily::parse("daily 00:00 UTC").is_some() && Daily::parse("daily 25:00 UTC").is_none());
        assert!(
            is_address("judge@judge.example") && !is_address("-x@y") && !is_address("a@b, c@d") && !is_address("a@")
        );
    }
}
