//! What every verb that works on a site takes (OPS-002).

use crate::clerk::Clerk;
use crate::site::{LogFormat, Origin, Site};
use chrono::{DateTime, Utc};
use clap::ValueEnum as _;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

/// Options of all verbs that need a site.
#[derive(clap::Args, Clone, Debug)]
pub struct SiteArgs {
    /// The site's directory.
    #[arg(long, env = "CHANCERY_ROOT", default_value = "site", global = true)]
    pub root: PathBuf,
    /// The configuration file; default: chancery.toml in the site.
    #[arg(long, global = true)]
    pub config: Option<PathBuf>,
    /// Take this for the time (RFC 3339); only where test.allow_clock = true.
    #[arg(long, global = true, value_parser = moment)]
    pub clock: Option<DateTime<Utc>>,
    /// Accept network file systems.
    #[arg(long, global = true)]
    pub allow_fs: bool,
}

/// A moment of the command line.
pub(super) fn moment(text: &str) -> Result<DateTime<Utc>, String> {
    let moment =
        DateTime::parse_from_rfc3339(text).map_err(|_| "want an RFC 3339 time, such as 2026-11-28T08:40:00Z")?;
    Ok(moment.to_utc())
}

/// The site's options may stand before the verb too, as the samples for cron and mail servers have them: they are moved
/// to the end, where the verb takes them.
pub fn options_behind_verb(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments = arguments.into_iter().peekable();
    let mut all: Vec<OsString> = arguments.next().into_iter().collect();
    let mut options = Vec::new();
    while let Some(word) = arguments.next_if(|word| is_site_option(word)) {
        let wants_value = word != "--allow-fs" && !word.as_encoded_bytes().contains(&b'=');
        options.push(word);
        if wants_value {
            options.extend(arguments.next());
        }
    }
    let rest: Vec<OsString> = arguments.collect();
    let end = rest.iter().position(|word| word == "--").unwrap_or(rest.len());
    all.extend_from_slice(rest.get(..end).unwrap_or_default());
    all.extend(options);
    all.extend_from_slice(rest.get(end..).unwrap_or_default());
    all
}

fn is_site_option(word: &std::ffi::OsStr) -> bool {
    let word = word.to_string_lossy();
    let name = word.split('=').next().unwrap_or_default();
    matches!(name, "--root" | "--config" | "--clock" | "--allow-fs" | "--log")
}

/// Exit codes of operations.md 2.1.
pub mod exit {
    /// Something failed.
    pub const FAILED: u8 = 1;
    /// Try again.
    pub const LATER: u8 = 75;
    /// The configuration cannot be used.
    pub const CONFIG: u8 = 78;
}

/// Says what went wrong and gives the exit code.
pub fn fail(code: u8, message: impl std::fmt::Display) -> ExitCode {
    eprintln!("chancery: {message}");
    ExitCode::from(code)
}

impl SiteArgs {
    /// Opens the site.
    pub fn site(&self) -> Result<Site, ExitCode> {
        crate::site::set_umask();
        let (site, warnings) =
            Site::open(&self.root, self.config.as_deref(), self.allow_fs).map_err(|e| fail(exit::CONFIG, e))?;
        for warning in warnings {
            eprintln!("chancery: warning: {warning}");
        }
        Ok(site)
    }

    /// Opens the site with its log and a clerk at work; `usual`: the log's level where nobody has chosen one.
    pub fn working(&self, usual: &str) -> Result<Arc<Clerk>, ExitCode> {
        let site = self.site()?;
        start_log_of(&site, usual);
        Clerk::open(site).map(Arc::new).map_err(|e| fail(exit::FAILED, e))
    }

    /// The time: the machine's, or the one given where the site allows it.
    pub fn now(&self, site: &Site) -> Result<DateTime<Utc>, ExitCode> {
        match self.clock {
            None => Ok(Utc::now()),
            Some(now) if site.config.test.allow_clock => Ok(now),
            Some(_) => Err(fail(2, "--clock is only for sites with test.allow_clock = true")),
        }
    }
}

/// How much is logged: the words of `log.level`.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Level {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// What `--log` said.
static ASKED: OnceLock<Level> = OnceLock::new();

/// Logs begun from now on keep to that level (OPS-002), whatever else would hold.
pub fn log_at(level: Level) {
    // The command line is read once.
    let _ = ASKED.set(level);
}

/// Log lines on stderr, as `[log]` wants them; at the usual level where the keeper has chosen none.
pub fn start_log_of(site: &Site, usual: &str) {
    let log = &site.config.log;
    let chosen = site.shown.iter().any(|shown| shown.key == "log.level" && shown.origin != Origin::Default);
    start_log(if chosen { &log.level } else { usual }, log.format);
}

/// Log lines on stderr; `CHANCERY_LOG` overrides the level, `--log` overrides both.
pub fn start_log(level: &str, format: LogFormat) {
    use tracing_subscriber::EnvFilter;
    let asked = ASKED.get().and_then(|level| Some(level.to_possible_value()?.get_name().to_owned()));
    let filter = match &asked {
        Some(level) => EnvFilter::new(level),
        None => EnvFilter::try_from_env("CHANCERY_LOG").unwrap_or_else(|_| EnvFilter::new(level)),
    };
    // The IMAP library writes whole commands to its trace, the one with the password as well.
    let filter = "async_imap=info".parse().map_or(EnvFilter::new(level), |quiet| filter.add_directive(quiet));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    // A second start in one process (tests) is no error.
    let _ = match format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_site_may_come_first() {
        let moved = |line: &str| {
            let words = options_behind_verb(line.split(' ').map(OsString::from));
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(moved("chancery --root /srv tick --no-guard"), "chancery tick --no-guard --root /srv");
        assert_eq!(
            moved("chancery --root=/srv --allow-fs clock explain g"),
            "chancery clock explain g --root=/srv --allow-fs"
        );
        assert_eq!(moved("chancery --root /srv tick -- g"), "chancery tick --root /srv -- g");
        assert_eq!(moved("chancery tick --root /srv"), "chancery tick --root /srv");
        assert_eq!(moved("chancery --version"), "chancery --version");
        assert_eq!(moved("chancery --root"), "chancery --root");
    }
}
