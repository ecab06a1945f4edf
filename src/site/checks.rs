//! What a site must be before the program works in it (OPS-003): ours, not open to everybody, on one local file system.

use super::layout::Layout;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use thiserror::Error;

/// Why a site is refused.
#[derive(Debug, Error)]
pub enum SiteError {
    /// No configuration file.
    #[error("{}: there is no site here (chancery init makes one)", .0.display())]
    NoSite(PathBuf),
    /// A site is there already.
    #[error("{}: there is a site here already", .0.display())]
    Exists(PathBuf),
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] super::load::ConfigErrors),
    /// A directory is missing.
    #[error("{}: missing (chancery init makes the directories that are missing)", .0.display())]
    Missing(PathBuf),
    /// Anybody on the machine could write.
    #[error("{}: everybody may write here; want mode 0750", .0.display())]
    Open(PathBuf),
    /// Somebody else's.
    #[error("{}: belongs to user {owner}, but the program runs as user {user}; run it as the owner", path.display())]
    Foreign {
        /// The directory.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who we are.
        user: u32,
    },
    /// Renames between them would not be atomic.
    #[error("{} and {} are on different devices; they must be on one", .0.display(), .1.display())]
    Devices(PathBuf, PathBuf),
    /// Locks and renames cannot be relied upon.
    #[error("{}: on {kind}, where locks and renames cannot be relied upon (--allow-fs to try it)", path.display())]
    FileSystem {
        /// The directory.
        path: PathBuf,
        /// `NFS`, …
        kind: &'static str,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

/// File systems of other machines or programs, by the number that statfs(2) gives.
const REFUSED: [(u64, &str); 6] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
    (0x0102_1997, "9p"),
    (0x6573_5546, "FUSE"),
];

/// Look the site over. With `allow_fs` a doubtful file system is a warning in the list given back, not an error.
pub fn check(layout: &Layout, allow_fs: bool) -> Result<Vec<String>, SiteError> {
    let mut warnings = Vec::new();
    let user = rustix::process::geteuid().as_raw();
    let mut first: Option<(PathBuf, u64)> = None;
    let together = [&layout.games, &layout.spool, &layout.outbox, &layout.journal];
    for path in std::iter::once(&layout.root).chain(together) {
        let data = match std::fs::metadata(path) {
            Ok(data) => data,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(SiteError::Missing(path.clone())),
            Err(source) => return Err(SiteError::Io { path: path.clone(), source }),
        };
        if data.uid() != user {
            return Err(SiteError::Foreign { path: path.clone(), owner: data.uid(), user });
        }
        if data.mode() & 0o002 != 0 {
            return Err(SiteError::Open(path.clone()));
        }
        if path == &layout.root {
            continue;
        }
        if let Some(kind) = doubtful(path)? {
            let error = SiteError::FileSystem { path: path.clone(), kind };
            if !allow_fs {
                return Err(error);
            }
            warnings.push(error.to_string());
        }
        match &first {
            None => first = Some((path.clone(), data.dev())),
            Some((other, device)) if *device != data.dev() => {
                return Err(SiteError::Devices(other.clone(), path.clone()));
            }
            Some(_) => {}
        }
    }
    Ok(warnings)
}

fn doubtful(path: &PathBuf) -> Result<Option<&'static str>, SiteError> {
    let data = rustix::fs::statfs(path).map_err(|error| SiteError::Io { path: path.clone(), source: error.into() })?;
    // The numbers have 32 bits, their type differs between machines.
    let number = u64::try_from(data.f_type).unwrap_or(0) & 0xffff_ffff;
    Ok(REFUSED.iter().find(|(refused, _)| *refused == number).map(|(_, kind)| *kind))
}
