//! The configuration as the program uses it: one typed value for every key of operations.md 4 that governs something. How
//! it is read is in [`super::load`].
//!
//! That a key is not taken in silence is kept by the compiler: nobody outside the crate sees these fields, so that one
//! that is never read is an error of `make lint` (which is why no struct here derives `PartialEq`: comparing is reading).
//! Then it goes from here, and its line in [`super::keys`] says that it has no effect yet.

use super::value::{Daily, Listen, Rate, Size, Span};
use serde::Deserialize;
use std::path::PathBuf;

/// A whole configuration, checked.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    pub judge: Judge,
    pub paths: Paths,
    pub games: Games,
    pub registry: Registry,
    pub mail: Mail,
    pub sched: Sched,
    pub web: Web,
    pub abuse: Abuse,
    pub auth: Auth,
    pub privacy: Privacy,
    pub limits: Limits,
    pub log: Log,
    pub test: Test,
}

/// `[judge]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Judge {
    pub id: String,
    pub nick: String,
    pub address: String,
    pub aliases: Vec<String>,
    pub keepers: Vec<String>,
    pub url: String,
    #[serde(deserialize_with = "zone")]
    pub zone: chrono_tz::Tz,
    pub observers: Vec<String>,
    pub notify_maps: NotifyMaps,
    pub detectives: Vec<String>,
    pub hall_of_fame: String,
    pub openings: String,
    pub copy_mail: bool,
}

fn zone<'de, D: serde::Deserializer<'de>>(from: D) -> Result<chrono_tz::Tz, D::Error> {
    let name = String::deserialize(from)?;
    name.parse().map_err(|_| serde::de::Error::custom(format!("{name}: want the name of a time zone")))
}

/// `judge.notify_maps`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum NotifyMaps {
    Trial,
    All,
    None,
}

/// `[paths]`, relative to the root
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paths {
    pub games: PathBuf,
    pub maps: PathBuf,
    pub trial: PathBuf,
    pub web: PathBuf,
    pub spool: PathBuf,
    pub outbox: PathBuf,
    pub journal: PathBuf,
    pub ledger: PathBuf,
    pub registry: PathBuf,
    pub cron: PathBuf,
    pub log: PathBuf,
    pub trash: PathBuf,
    pub dead: PathBuf,
}

/// `[games]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Games {
    pub create_limit: usize,
    pub create_limit_per_master: usize,
    pub create_by: CreateBy,
}

/// `games.create_by`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum CreateBy {
    Anyone,
    Registered,
    Keeper,
}

/// `[registry]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Registry {
    pub mode: RegistryMode,
    pub two_word_names: bool,
}

/// `registry.mode`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum RegistryMode {
    Open,
    Closed,
    None,
}

/// `[mail]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mail {
    #[serde(rename = "in")]
    pub incoming: MailIn,
    pub out: MailOut,
}

/// `[mail.in]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MailIn {
    pub max_message_bytes: u64,
    pub dedup: Span,
    pub maildir: Option<PathBuf>,
    pub lmtp: Option<Listen>,
    pub smtp: Option<Listen>,
    pub imap: Imap,
    pub trusted_authserv: Vec<String>,
    pub require_auth: RequireAuth,
    pub keep_done: Span,
}

/// `[mail.in.imap]`; used when `host` is set
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Imap {
    pub host: Option<String>,
    pub port: Option<u16>,
    pub tls: Tls,
    pub authorities: Option<PathBuf>,
    pub user: String,
    pub password: Option<Secret>,
    pub folder: String,
    pub poll: Span,
    pub then: Fetched,
    pub move_to: String,
}

impl Imap {
    /// The port, the usual one if none is configured.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(match self.tls {
            Tls::Tls => 993,
            Tls::Starttls | Tls::None => 143,
        })
    }
}

/// `mail.in.imap.then`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Fetched {
    Delete,
    Move,
}

/// `mail.in.require_auth`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum RequireAuth {
    Off,
    Warn,
    Dmarc,
}

/// `[mail.out]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MailOut {
    pub transport: Transport,
    pub smtp: Smtp,
    pub sendmail: PathBuf,
    pub file: FileOut,
    pub retry: Vec<Span>,
    pub give_up: Span,
    pub warn_after: Span,
    pub warn_count: usize,
    pub rate: Rate,
    pub concurrency: usize,
    pub verp: bool,
    pub redirect_all: String,
}

/// `mail.out.transport`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Transport {
    File,
    Smtp,
    Sendmail,
}

/// `[mail.out.smtp]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Smtp {
    pub host: String,
    pub port: Option<u16>,
    pub tls: Tls,
    pub user: String,
    pub password: Option<Secret>,
}

impl From<Tls> for crate::mail::transport::TlsMode {
    fn from(tls: Tls) -> Self {
        match tls {
            Tls::Starttls => Self::StartTls,
            Tls::Tls => Self::Tls,
            Tls::None => Self::None,
        }
    }
}

impl Smtp {
    /// The port, the usual one if none is configured.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(match self.tls {
            Tls::Starttls => 587,
            Tls::Tls => 465,
            Tls::None => 25,
        })
    }
}

/// `mail.out.smtp.tls`, `mail.in.imap.tls`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, clippy::enum_variant_names)]
pub enum Tls {
    Starttls,
    Tls,
    None,
}

/// `[mail.out.file]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileOut {
    pub dir: PathBuf,
}

/// `[sched]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sched {
    pub round: Span,
    pub poll: Span,
    pub guard: Span,
    pub limit: Span,
    pub reminders: Daily,
}

/// `[web]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Web {
    pub listen: Listen,
    pub banner: String,
    pub banner_until: String,
    pub header: String,
}

/// `[abuse]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Abuse {
    pub public_networks: Vec<String>,
}

/// `[auth]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Auth {
    pub keeper_hash: Option<Secret>,
}

/// `[privacy]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub(crate) struct Privacy {
    pub access_days: u32,
    pub hash_addresses: bool,
}

/// `[limits]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    pub min_free: Size,
}

/// `[log]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Log {
    pub level: String,
    pub format: LogFormat,
}

/// `log.format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum LogFormat {
    Text,
    Json,
}

/// `[test]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Test {
    pub allow_clock: bool,
}

/// A text that must not appear in logs: its `Debug` shows nothing.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// The text.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}
