//! Every key of `chancery.toml` (operations.md 4): the one table from which reading, checking, `config show` and the
//! sample file are made.

use super::value::{Daily, Listen, Rate, Size, Span, is_address};
use crate::spelling::distance;
use std::net::IpAddr;
use toml::Value;

/// What a value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Word,
    Url,
    Zone,
    Hash,
    Date,
    Path,
    Address,
    /// An address, `""` for none, and `"@"` for nowhere if allowed.
    MaybeAddress {
        nowhere: bool,
    },
    Span,
    Size,
    Rate,
    Daily,
    Listen,
    /// As [`Kind::Listen`], on loopback or a socket.
    LoopbackListen,
    OneOf(&'static [&'static str]),
    Texts,
    Addresses,
    Networks,
    Spans,
    Bool,
    Count {
        least: i64,
        most: i64,
    },
}

impl Kind {
    /// The value in its proper TOML type, or what would be right.
    pub(super) fn check(self, value: &Value) -> Result<(), String> {
        let text = |good: fn(&str) -> bool| value.as_str().is_some_and(good);
        let list = |good: fn(&str) -> bool| {
            value.as_array().is_some_and(|list| list.iter().all(|item| item.as_str().is_some_and(good)))
        };
        let fits = match self {
            Kind::Text => text(|text| !text.contains('\0')),
            Kind::Word => text(|text| {
                !text.is_empty() && text.len() <= 16 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            }),
            Kind::Url => text(|text| {
                let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
                rest.is_some_and(|rest| !rest.is_empty() && !rest.ends_with('/') && !rest.contains(char::is_whitespace))
            }),
            Kind::Zone => text(|text| text.parse::<chrono_tz::Tz>().is_ok()),
            Kind::Hash => text(|text| text.is_empty() || text.starts_with("$argon2id$")),
            Kind::Date => text(|text| text.is_empty() || chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()),
            Kind::Path => text(|text| !text.is_empty() && !text.contains('\0')),
            Kind::Address => text(is_address),
            Kind::MaybeAddress { nowhere } => {
                text(|text| text.is_empty() || text == "@" || is_address(text))
                    && (nowhere || value.as_str() != Some("@"))
            }
            Kind::Span => text(|text| Span::parse(text).is_some()),
            Kind::Size => text(|text| Size::parse(text).is_some()),
            Kind::Rate => text(|text| Rate::parse(text).is_some()),
            Kind::Daily => text(|text| Daily::parse(text).is_some()),
            Kind::Listen => text(|text| Listen::parse(text).is_some()),
            Kind::LoopbackListen => text(|text| match Listen::parse(text) {
                Some(Listen::Tcp(address)) => address.ip().is_loopback(),
                other => other.is_some(),
            }),
            Kind::OneOf(words) => value.as_str().is_some_and(|text| words.contains(&text)),
            Kind::Texts => list(|text| !text.is_empty()),
            Kind::Addresses => list(is_address),
            Kind::Networks => list(is_network),
            Kind::Spans => list(|text| Span::parse(text).is_some()) && value.as_array().is_some_and(|l| !l.is_empty()),
            Kind::Bool => value.is_bool(),
            Kind::Count { least, most } => value.as_integer().is_some_and(|n| (least..=most).contains(&n)),
        };
        if fits { Ok(()) } else { Err(self.wanted()) }
    }

    fn wanted(self) -> String {
        match self {
            Kind::Text => "a text in quotes".into(),
            Kind::Word => "1 to 16 letters, digits or '-' in quotes, such as \"XXDP\"".into(),
            Kind::Url => "an address such as \"https://judge.example\", without a slash at the end".into(),
            Kind::Zone => "the name of a time zone such as \"Europe/Berlin\"".into(),
            Kind::Hash => "a hash beginning \"$argon2id$\" (chancery auth set writes it)".into(),
            Kind::Date => "a date such as \"2026-12-31\"".into(),
            Kind::Path => "a path in quotes".into(),
            Kind::Address => "one mail address such as \"judge@judge.example\"".into(),
            Kind::MaybeAddress { nowhere: false } => "one mail address, or \"\" for none".into(),
            Kind::MaybeAddress { nowhere: true } => "one mail address, \"\" for none, or \"@\" for nowhere".into(),
            Kind::Span => "a span of time such as \"90s\", \"20m\", \"2h\" or \"30d\"".into(),
            Kind::Size => "a size such as \"64 MiB\"".into(),
            Kind::Rate => "a rate such as \"120/min\" (s, min, h)".into(),
            Kind::Daily => "a time of day such as \"daily 00:00 UTC\"".into(),
            Kind::Listen => "an address and port such as \"127.0.0.1:8470\", or \"unix:/path\"".into(),
            Kind::LoopbackListen => "a loopback address and port such as \"127.0.0.1:2424\", or \"unix:/path\"".into(),
            Kind::OneOf(words) => {
                format!("one of {}", words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", "))
            }
            Kind::Texts => "a list of texts such as [\"one\", \"two\"]".into(),
            Kind::Addresses => "a list of mail addresses such as [\"ann@example.org\"]".into(),
            Kind::Networks => "a list of addresses or networks such as [\"127.0.0.1\", \"10.0.0.0/8\"]".into(),
            Kind::Spans => "a list of spans of time such as [\"1m\", \"1h\"]".into(),
            Kind::Bool => "true or false".into(),
            Kind::Count { least, most } => format!("a whole number from {least} to {most}"),
        }
    }

    /// A value as it is written in the environment: texts as they are, lists with commas, the rest as in TOML.
    pub(super) fn value_of(self, text: &str) -> Value {
        match self {
            Kind::Texts | Kind::Addresses | Kind::Networks | Kind::Spans => {
                if let Some(list) = bare(text).filter(Value::is_array) {
                    return list;
                }
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Value::Array(items.map(|item| Value::String(item.to_owned())).collect())
            }
            Kind::Bool | Kind::Count { .. } => bare(text).unwrap_or_else(|| Value::String(text.to_owned())),
            _ => Value::String(text.to_owned()),
        }
    }

    /// Whether the value may come from a file named by `<key>_file`.
    pub(super) fn may_be_in_file(self) -> bool {
        matches!(self, Kind::Text | Kind::Hash)
    }
}

fn bare(text: &str) -> Option<Value> {
    // Only as a value: "1\nx = 2" must not smuggle in a second key.
    let table: toml::Table = toml::from_str(&format!("value = {text}")).ok()?;
    if table.len() == 1 { table.get("value").cloned() } else { None }
}

fn is_network(text: &str) -> bool {
    let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
    let most = match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => 32,
        Ok(IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    bits.is_none_or(|bits| bits.parse::<u8>().is_ok_and(|bits| bits <= most))
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub name: &'static str,
    pub kind: Kind,
    /// In TOML; `None`: off, or required.
    pub default: Option<&'static str>,
    pub required: bool,
    pub secret: bool,
    pub about: &'static str,
    /// Why nothing follows from it yet. Such a key is no field of [`super::config::Config`], any other is.
    pub idle: Option<&'static str>,
}

impl Key {
    const fn idle(self, why: &'static str) -> Key {
        Key { idle: Some(why), ..self }
    }
}

const fn key(name: &'static str, kind: Kind, default: &'static str, about: &'static str) -> Key {
    Key { name, kind, default: Some(default), required: false, secret: false, about, idle: None }
}
const fn required(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, default: None, required: true, secret: false, about, idle: None }
}
const fn off(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, default: None, required: false, secret: false, about, idle: None }
}
const fn secret(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, default: None, required: false, secret: true, about, idle: None }
}

const MANY: Kind = Kind::Count { least: 0, most: 1_000_000_000 };
const SOME: Kind = Kind::Count { least: 1, most: 1_000_000_000 };
const PORT: Kind = Kind::Count { least: 1, most: 65_535 };
const MAYBE: Kind = Kind::MaybeAddress { nowhere: false };

const NO_SIGN_IN: &str = "the pages have no sign-in yet";

/// The keys, in the order of the sample file.
pub(super) const KEYS: &[Key] = &[
    required("judge.id", Kind::Word, "Short identifier of this judge, in every results header"),
    key("judge.nick", Kind::Text, "\"chancery\"", "Name the judge goes by in texts"),
    required("judge.address", Kind::Address, "Address that players write to"),
    key("judge.aliases", Kind::Addresses, "[]", "Further addresses that are this judge"),
    required("judge.keepers", Kind::Addresses, "Judgekeepers: told of trouble, obeyed in everything"),
    key("judge.url", Kind::Url, "\"http://localhost:8470\"", "Public address of the web pages"),
    key("judge.zone", Kind::Zone, "\"UTC\"", "Time zone of games that name none"),
    key("judge.language", Kind::OneOf(&["en"]), "\"en\"", "Language of texts").idle("all texts are English"),
    key("judge.observers", Kind::Addresses, "[]", "Told of every new game"),
    key(
        "judge.notify_maps",
        Kind::OneOf(&["trial", "all", "none"]),
        "\"trial\"",
        "Of which new games the keeper and a map's NOTIFY addresses are told: those on trial maps, all, none",
    ),
    key("judge.detectives", Kind::Addresses, "[]", "Sent the hints about cheating, beside the Master"),
    key("judge.hall_of_fame", MAYBE, "\"\"", "Gets the summaries of completed games"),
    key("judge.openings", MAYBE, "\"\"", "Gets the list of games looking for players"),
    key(
        "judge.copy_mail",
        Kind::Bool,
        "false",
        "Keep a copy of announcements in the file mail of the game's directory",
    ),
    key("paths.games", Kind::Path, "\"games\"", "Games and their index; paths are under the root"),
    key("paths.maps", Kind::Path, "\"maps\"", "Installed maps"),
    key("paths.trial", Kind::Path, "\"trial\"", "Maps on trial"),
    key("paths.web", Kind::Path, "\"web\"", "Published pages"),
    key("paths.spool", Kind::Path, "\"spool\"", "Incoming mail"),
    key("paths.outbox", Kind::Path, "\"outbox\"", "Outgoing mail"),
    key("paths.journal", Kind::Path, "\"journal\"", "Commits under way"),
    key("paths.ledger", Kind::Path, "\"ledger\"", "What has been done already"),
    key("paths.registry", Kind::Path, "\"registry\"", "People, sessions, bans"),
    key("paths.cron", Kind::Path, "\"cron\"", "Notes of the scheduler"),
    key("paths.log", Kind::Path, "\"log\"", "Logs"),
    key("paths.trash", Kind::Path, "\"trash\"", "Purged games, for 30 days"),
    key("paths.dead", Kind::Path, "\"dead\"", "Mail that could not be handled"),
    key("games.create_limit", MANY, "20", "No new game while so many are forming; 0: no limit"),
    key("games.create_limit_per_master", MANY, "5", "The same for one Master"),
    key("games.create_by", Kind::OneOf(&["anyone", "registered", "keeper"]), "\"anyone\"", "Who may create games"),
    key(
        "registry.mode",
        Kind::OneOf(&["open", "closed", "none"]),
        "\"open\"",
        "Who registers people: they themselves, the keeper, nobody (an address is a person)",
    ),
    key("registry.two_word_names", Kind::Bool, "true", "Ask for a first and a last name"),
    key("mail.in.max_message_bytes", SOME, "1048576", "A larger message loses its body"),
    key("mail.in.dedup", Kind::Span, "\"30d\"", "A message seen within this time is a repetition"),
    off("mail.in.maildir", Kind::Path, "Maildir to watch, \"maildir\""),
    off("mail.in.lmtp", Kind::LoopbackListen, "Listen for LMTP, \"127.0.0.1:2424\" or \"unix:/run/chancery/lmtp\""),
    off("mail.in.smtp", Kind::LoopbackListen, "Listen for SMTP, \"127.0.0.1:2526\""),
    off("mail.in.imap.host", Kind::Text, "Fetch mail from this IMAP server"),
    off("mail.in.imap.port", PORT, "Its port; 993 with tls, 143 with starttls and none"),
    key(
        "mail.in.imap.tls",
        Kind::OneOf(&["starttls", "tls", "none"]),
        "\"tls\"",
        "Never falls back to clear text; none only to this machine",
    ),
    off(
        "mail.in.imap.authorities",
        Kind::Path,
        "File of certificates (PEM) to trust instead of the public authorities",
    ),
    key("mail.in.imap.user", Kind::Text, "\"\"", "Name to sign in with"),
    secret("mail.in.imap.password", Kind::Text, "Password to sign in with"),
    key("mail.in.imap.folder", Kind::Text, "\"INBOX\"", "Folder to look in"),
    key("mail.in.imap.poll", Kind::Span, "\"2m\"", "How often to look"),
    key("mail.in.imap.then", Kind::OneOf(&["delete", "move"]), "\"delete\"", "What happens to a fetched message"),
    key("mail.in.imap.move_to", Kind::Text, "\"Done\"", "Folder for fetched messages"),
    key("mail.in.trusted_authserv", Kind::Texts, "[]", "Whose Authentication-Results are believed"),
    key(
        "mail.in.require_auth",
        Kind::OneOf(&["off", "warn", "dmarc"]),
        "\"off\"",
        "Mail that acts and passes no DMARC by them: done, done with a remark, told to the address on file only; the password is asked for in any case",
    ),
    key("mail.in.keep_done", Kind::Span, "\"35d\"", "How long processed mail is kept"),
    key(
        "mail.out.transport",
        Kind::OneOf(&["file", "smtp", "sendmail"]),
        "\"file\"",
        "How mail leaves: into files (for a first look), by SMTP, by a sendmail program",
    ),
    key("mail.out.smtp.host", Kind::Text, "\"localhost\"", "Mail server"),
    off("mail.out.smtp.port", PORT, "Its port; 587 with starttls, 465 with tls, 25 with none"),
    key(
        "mail.out.smtp.tls",
        Kind::OneOf(&["starttls", "tls", "none"]),
        "\"starttls\"",
        "Never falls back to clear text; none only to this machine",
    ),
    key("mail.out.smtp.user", Kind::Text, "\"\"", "Name to sign in with"),
    secret("mail.out.smtp.password", Kind::Text, "Password to sign in with"),
    key("mail.out.sendmail", Kind::Path, "\"/usr/sbin/sendmail\"", "The sendmail program"),
    key("mail.out.file.dir", Kind::Path, "\"mail-out\"", "Where transport file puts messages"),
    key(
        "mail.out.retry",
        Kind::Spans,
        "[\"1m\", \"5m\", \"15m\", \"30m\", \"1h\", \"2h\", \"4h\"]",
        "Pauses between tries; the last one repeats",
    ),
    key("mail.out.give_up", Kind::Span, "\"5d\"", "A message older than this is dead"),
    key("mail.out.warn_after", Kind::Span, "\"2h\"", "Tell the keeper when mail has waited so long"),
    key("mail.out.warn_count", SOME, "500", "Tell the keeper when so many messages wait"),
    key("mail.out.rate", Kind::Rate, "\"120/min\"", "Most messages in a time"),
    key("mail.out.concurrency", Kind::Count { least: 1, most: 64 }, "4", "Messages sent at the same time"),
    key("mail.out.verp", Kind::Bool, "true", "Give every message its own envelope sender, to know what bounced"),
    key(
        "mail.out.redirect_all",
        Kind::MaybeAddress { nowhere: true },
        "\"\"",
        "Send everything here instead, \"@\" for nowhere (trying things out)",
    ),
    key("sched.round", Kind::Span, "\"20m\"", "Unit of DELAY; leave it alone on a running site"),
    key("sched.poll", Kind::Span, "\"1m\"", "How often the daemon looks at the clock"),
    key("sched.guard", Kind::Span, "\"1h\"", "After a longer silence nothing is processed until the keeper has looked"),
    key("sched.limit", Kind::Span, "\"60s\"", "What takes longer over one game is given up for this round"),
    key("sched.reminders", Kind::Daily, "\"daily 00:00 UTC\"", "When games that do not run are reminded"),
    key("web.listen", Kind::Listen, "\"127.0.0.1:8470\"", "Where the web pages are served"),
    key("web.trusted_proxies", Kind::Networks, "[]", "Proxies whose word about the client is believed")
        .idle("no page depends on the client's address yet"),
    key("web.insecure_cookies", Kind::Bool, "false", "Sign-in without https (trying things out)").idle(NO_SIGN_IN),
    key("web.banner", Kind::Text, "\"\"", "Text on every page; p br b i em strong a ul ol li code are HTML"),
    key("web.banner_until", Kind::Date, "\"\"", "Its last day; then the pages hide it"),
    key("web.header", Kind::Text, "\"\"", "Text at the head of every page, with the same HTML"),
    key("abuse.public_networks", Kind::Texts, "[]", "Networks and domains that never count as the same place"),
    secret("auth.keeper_hash", Kind::Hash, "Hash of the judgekeeper's password (chancery auth set)"),
    key("privacy.access_days", SOME, "400", "Lines of access logs are kept so many days"),
    key("privacy.hash_addresses", Kind::Bool, "false", "Keep no addresses in access logs, only hashes"),
    key(
        "limits.min_free",
        Kind::Size,
        "\"64 MiB\"",
        "With less room on the disk no mail is taken and nothing processed",
    ),
    key("compat.encoding", Kind::OneOf(&["utf-8", "latin-1"]), "\"utf-8\"", "How files of games are written")
        .idle("files are written in UTF-8; lines in Latin-1 are read"),
    key(
        "log.level",
        Kind::OneOf(&["error", "warn", "info", "debug", "trace"]),
        "\"info\"",
        "How much is logged; unset, verbs that do one thing say warnings only",
    ),
    key("log.format", Kind::OneOf(&["text", "json"]), "\"text\"", "How it is written"),
    key("test.allow_clock", Kind::Bool, "false", "Allow --clock on the command line"),
];

/// The key of that name.
pub(super) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// The known name that looks most like it, if any does.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let last = name.rsplit('.').next();
    let far = |key: &Key| {
        // The right word in a wrong section is near.
        let same_word = key.name.rsplit('.').next() == last;
        distance(name, key.name).min(if same_word { 3 } else { usize::MAX })
    };
    let best = KEYS.iter().min_by_key(|key| far(key))?;
    (far(best) <= 2.max(name.chars().count() / 3)).then_some(best.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_right_and_every_name_is_there_once() {
        for (number, key) in KEYS.iter().enumerate() {
            if let Some(default) = key.default {
                let value = bare(default).unwrap_or_else(|| panic!("{}: {default}", key.name));
                assert_eq!(key.kind.check(&value), Ok(()), "{}", key.name);
            }
            assert!(!KEYS[..number].iter().any(|other| other.name == key.name), "{} twice", key.name);
        }
    }

    #[test]
    fn a_slip_of_the_pen_is_understood() {
        assert_eq!(nearest("judge.adress"), Some("judge.address"));
        assert_eq!(nearest("mail.transport"), Some("mail.out.transport"));
        assert_eq!(nearest("sched.rounds"), Some("sched.round"));
        assert_eq!(nearest("zzz.qqq"), None);
    }

    #[test]
    fn the_environment_writes_lists_with_commas() {
        assert_eq!(Kind::Addresses.value_of("a@b, c@d").as_array().map(Vec::len), Some(2));
        assert_eq!(Kind::Addresses.value_of("[\"a@b\"]").as_array().map(Vec::len), Some(1));
        assert_eq!(Kind::Bool.value_of("true"), Value::Boolean(true));
        assert!(Kind::Bool.check(&Kind::Bool.value_of("1\nx = 2")).is_err());
        assert!(Kind::Networks.check(&Kind::Networks.value_of("10.0.0.0/33")).is_err());
    }
}
