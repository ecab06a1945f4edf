//! The snapshots of a game: `status.<PHASE>` as it was before that phase was processed, `status.<PHASE>.0` when rolled
//! back but still to be had by a roll forward, `.1`, `.2`, … abandoned branches (status-file.md 10.1).

use super::name::GameName;
use super::{Archive, ArchiveError};

/// A kept copy of a status file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Snapshot {
    /// Short phase, `S1901M`.
    pub phase: String,
    /// `None`: of the line that is played; `Some(0)`: rolled back; more: number of the abandoned branch.
    pub branch: Option<u32>,
}

/// Copies that are no phases.
const OTHER: [&str; 2] = ["backup", "rollback"];

impl Snapshot {
    /// Read a file name; `None` if it is no snapshot.
    pub fn parse(file: &str) -> Option<Snapshot> {
        let rest = file.strip_prefix("status.")?;
        let (phase, branch) = match rest.split_once('.') {
            Some((phase, branch)) => (phase, Some(branch.parse().ok()?)),
            None => (rest, None),
        };
        let good = !phase.is_empty() && phase.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
        let snapshot = (good && !OTHER.contains(&phase)).then(|| Snapshot { phase: phase.to_owned(), branch })?;
        // `.007` is not a name that would be found again.
        (snapshot.file_name() == file).then_some(snapshot)
    }

    /// The file name.
    pub fn file_name(&self) -> String {
        match self.branch {
            None => format!("status.{}", self.phase),
            Some(branch) => format!("status.{}.{branch}", self.phase),
        }
    }

    /// The year in the phase, for putting snapshots in order; the seasons of a year are the map's affair.
    pub fn year(&self) -> Option<u32> {
        let digits: String = self.phase.chars().filter(char::is_ascii_digit).collect();
        digits.parse().ok()
    }
}

impl Archive {
    /// The snapshots of a game by year, then by name and branch.
    pub fn snapshots(&self, game: &GameName) -> Result<Vec<Snapshot>, ArchiveError> {
        let mut all: Vec<Snapshot> = self.files(game)?.iter().filter_map(|file| Snapshot::parse(file)).collect();
        all.sort_by(|a, b| a.year().cmp(&b.year()).then_with(|| a.cmp(b)));
        Ok(all)
    }

    /// The number under which the rolled-back copy of a phase is abandoned: one more than any there is.
    pub fn next_branch(&self, game: &GameName, phase: &str) -> Result<u32, ArchiveError> {
        let all = self.snapshots(game)?;
        let highest =
            all.iter().filter(|snapshot| snapshot.phase == phase).filter_map(|snapshot| snapshot.branch).max();
        Ok(highest.unwrap_or(0).saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_phases_are_snapshots() {
        let read = |file: &str| Snapshot::parse(file).map(|s| (s.phase, s.branch));
        assert_eq!(read("status.S1901M"), Some(("S1901M".into(), None)));
        assert_eq!(read("status.S1901M.0"), Some(("S1901M".into(), Some(0))));
        assert_eq!(read("status.FORMING.12"), Some(("FORMING".into(), Some(12))));
        for other in ["status", "status.backup", "status.rollback", "status.S1901M.01", "status.S1901M.x", "results.0"]
        {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
