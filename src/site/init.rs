//! Making a site (`chancery init`): the directories, a configuration to begin with, samples for cron, systemd and mail
//! servers under `cron/`.

use super::checks::SiteError;
use super::layout::Layout;
use super::load::sample;
use crate::archive::fs::{FILE, SECRET};
use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The samples: name under `cron/`, text. `@ROOT@` stands for the site, `@LOCAL@` and `@DOMAIN@` for the parts of the
/// judge's address.
const SAMPLES: [(&str, &str); 14] = [
    ("README", include_str!("../../cron/README")),
    ("crontab", include_str!("../../cron/crontab")),
    ("chancery.service", include_str!("../../cron/chancery.service")),
    ("chancery-tick.service", include_str!("../../cron/chancery-tick.service")),
    ("chancery-tick.timer", include_str!("../../cron/chancery-tick.timer")),
    ("chancery-work.service", include_str!("../../cron/chancery-work.service")),
    ("chancery-work.path", include_str!("../../cron/chancery-work.path")),
    ("postfix-maildir", include_str!("../../cron/postfix-maildir")),
    ("postfix-lmtp", include_str!("../../cron/postfix-lmtp")),
    ("postfix-pipe", include_str!("../../cron/postfix-pipe")),
    ("exim-router", include_str!("../../cron/exim-router")),
    ("exim-transport", include_str!("../../cron/exim-transport")),
    ("opensmtpd", include_str!("../../cron/opensmtpd")),
    ("nginx", include_str!("../../cron/nginx")),
];

/// Who the new judge is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginnings {
    /// `judge.id`
    pub id: String,
    /// `judge.address`
    pub address: String,
    /// The first of `judge.keepers`.
    pub keeper: String,
    /// Further keys with their TOML values.
    pub settings: Vec<(&'static str, &'static str)>,
}

impl Default for Beginnings {
    fn default() -> Self {
        Beginnings {
            id: "DEMO".into(),
            address: "judge@localhost.localdomain".into(),
            keeper: "keeper@localhost.localdomain".into(),
            settings: Vec::new(),
        }
    }
}

/// Make a site. A configuration that is there is kept, and so is every other file; missing directories and samples are
/// added. Gives what was made.
pub fn init(root: &Path, beginnings: &Beginnings) -> Result<Vec<PathBuf>, SiteError> {
    // The samples are used by other programs, from other directories.
    let root = &std::path::absolute(root).map_err(at(root))?;
    let layout = Layout::plain(root);
    let mut made = Vec::new();
    for (directory, mode) in layout.directories() {
        if !directory.is_dir() {
            DirBuilder::new().recursive(true).mode(mode).create(&directory).map_err(at(&directory))?;
            // Whatever the umask of the caller.
            std::fs::set_permissions(&directory, Permissions::from_mode(mode)).map_err(at(&directory))?;
            made.push(directory);
        }
    }
    let config = sample(&beginnings.id, &beginnings.address, &beginnings.keeper, &beginnings.settings);
    create(&root.join("chancery.toml"), &config, SECRET, &mut made)?;
    create(&layout.index(), "", FILE, &mut made)?;
    let (local, domain) = beginnings.address.split_once('@').unwrap_or(("judge", "localhost"));
    for (name, text) in SAMPLES {
        let text = text.replace("@ROOT@", &root.display().to_string());
        let text = text.replace("@LOCAL@", local).replace("@DOMAIN@", domain);
        create(&layout.cron.join(name), &text, FILE, &mut made)?;
    }
    Ok(made)
}

fn create(path: &Path, text: &str, mode: u32, made: &mut Vec<PathBuf>) -> Result<(), SiteError> {
    match OpenOptions::new().write(true).create_new(true).mode(mode).open(path) {
        Ok(mut file) => {
            file.write_all(text.as_bytes()).map_err(at(path))?;
            file.set_permissions(Permissions::from_mode(mode)).map_err(at(path))?;
            made.push(path.to_owned());
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(at(path)(error)),
    }
}

fn at(path: &Path) -> impl Fn(std::io::Error) -> SiteError {
    let path = path.to_owned();
    move |source| SiteError::Io { path: path.clone(), source }
}
