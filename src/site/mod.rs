//! A site: one directory with everything a judge needs, and the configuration in it (operations.md 3, 4).
//!
//! [`init`] makes one, [`Site::open`] takes an existing one into use. The configuration is checked as a whole at that
//! door; behind it every value has its type.

mod checks;
pub(crate) mod config;
mod init;
mod keys;
mod layout;
mod load;
pub mod value;

pub use checks::{SiteError, check};
pub use config::LogFormat;
pub(crate) use config::{Config, CreateBy, NotifyMaps, RequireAuth};
pub use init::{Beginnings, init};
pub use layout::Layout;
pub use load::{ConfigError, ConfigErrors, Loaded, Origin, Shown, SpoolOnly, accepts, load, sample, spool_only};

use crate::archive::{Archive, Fs};
use crate::diplomacy::draw::Gallery;
use std::path::{Path, PathBuf};

/// A site in use.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its directory.
    pub root: PathBuf,
    /// The configuration file.
    pub config_file: PathBuf,
    /// Its configuration.
    pub(crate) config: Config,
    /// Every key with its origin.
    pub shown: Vec<Shown>,
    /// What is set and governs nothing yet, a line each.
    pub idle: Vec<String>,
    /// Where everything is.
    pub layout: Layout,
    /// The hand that writes; all parts of a process share it.
    pub fs: Fs,
}

impl Site {
    /// Read the configuration (`config`, or `chancery.toml` under the root) and the environment, and look the site
    /// over. Gives warnings beside the site.
    pub fn open(root: &Path, config: Option<&Path>, allow_fs: bool) -> Result<(Site, Vec<String>), SiteError> {
        let site = Site::configured(root, config)?;
        let warnings = check(&site.layout, allow_fs)?;
        Ok((site, warnings))
    }

    /// Read the configuration only (`config check`, `config show`).
    pub fn configured(root: &Path, config: Option<&Path>) -> Result<Site, SiteError> {
        let root = std::path::absolute(root).map_err(|source| SiteError::Io { path: root.to_owned(), source })?;
        let file = config.map_or_else(|| root.join("chancery.toml"), Path::to_owned);
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && config.is_none() => {
                return Err(SiteError::NoSite(root));
            }
            Err(source) => return Err(SiteError::Io { path: file, source }),
        };
        // Names that are not UTF-8 cannot be ours.
        let environment = std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)));
        let secrets = file.parent().unwrap_or(&root).to_owned();
        let name = file.display().to_string();
        let loaded = load(&name, &text, environment, |path| std::fs::read_to_string(secrets.join(path)))?;
        let layout = Layout::of(&root, &loaded.config);
        let idle = loaded.without_effect(&name);
        let (config, shown) = (loaded.config, loaded.shown);
        Ok(Site { root, config_file: file, config, shown, idle, layout, fs: Fs::from_env() })
    }

    /// Where its maps' pictures come from; automatic ones are kept beside the published tree, hidden from it.
    pub fn gallery(&self) -> Gallery {
        let layout = &self.layout;
        Gallery::new(vec![layout.maps.clone(), layout.trial.clone()], Some(layout.web.join(".art")))
    }

    /// The archive of this site.
    pub fn archive(&self) -> Archive {
        Archive::new(self.layout.clone(), self.fs.clone(), self.config.limits.min_free.0)
    }
}

/// Files that this process makes are not for everybody (OPS-003).
pub fn set_umask() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o027));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_new_site_can_be_opened() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("site");
        let made = init(&root, &Beginnings::default()).unwrap();
        assert!(made.contains(&root.join("outbox/dead")));
        let (site, warnings) = Site::open(&root, None, true).unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
        for (path, wanted) in [
            ("", 0o750),
            ("games", 0o750),
            ("registry", 0o700),
            ("chancery.toml", 0o600),
            ("games/status", 0o640),
            ("cron/crontab", 0o640),
        ] {
            assert_eq!(mode(&root.join(path)), wanted, "{path}");
        }
        for (path, _) in site.layout.directories() {
            assert!(path.is_dir(), "{}", path.display());
        }
        let crontab = std::fs::read_to_string(root.join("cron/crontab")).unwrap();
        assert!(crontab.contains(&root.display().to_string()) && !crontab.contains("@ROOT@"));
        assert!(init(&root, &Beginnings::default()).unwrap().is_empty(), "a second time changes nothing");
    }

    #[test]
    fn a_site_open_to_everybody_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        init(dir.path(), &Beginnings::default()).unwrap();
        let games = dir.path().join("games");
        std::fs::set_permissions(&games, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(Site::open(dir.path(), None, true), Err(SiteError::Open(path)) if path == games));
        std::fs::set_permissions(&games, std::fs::Permissions::from_mode(0o750)).unwrap();
        std::fs::remove_dir(dir.path().join("journal/tmp")).unwrap();
        std::fs::remove_dir(dir.path().join("journal")).unwrap();
        assert!(matches!(Site::open(dir.path(), None, true), Err(SiteError::Missing(_))));
        std::fs::remove_file(dir.path().join("chancery.toml")).unwrap();
        assert!(matches!(Site::open(dir.path(), None, true), Err(SiteError::NoSite(_))));
    }
}
