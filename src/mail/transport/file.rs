//! Mail into a directory: `<id>.eml` and `<id>.json` (OPS-061). The default, and what tests look at.

use super::{Failure, Outgoing, Transport};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

/// Writes into one directory.
#[derive(Clone, Debug)]
pub struct FileTransport {
    directory: PathBuf,
}

impl FileTransport {
    /// Creates the directory if need be.
    pub fn open(directory: impl Into<PathBuf>) -> io::Result<FileTransport> {
        let directory = directory.into();
        fs::create_dir_all(&directory)?;
        Ok(FileTransport { directory })
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let temporary = self.directory.join(format!(".{name}.tmp"));
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(temporary, self.directory.join(name))
    }
}

impl Transport for FileTransport {
    fn send(&self, mail: &Outgoing) -> Result<String, Failure> {
        let envelope = serde_json::json!({ "id": mail.id, "from": mail.from, "to": mail.to, "game": mail.game, "kind": mail.kind });
        // The envelope first: whoever sees the message finds it.
        self.write(&format!("{}.json", mail.id), format!("{envelope}\n").as_bytes())
            .and_then(|()| self.write(&format!("{}.eml", mail.id), mail.message))
            .and_then(|()| File::open(&self.directory)?.sync_all())
            .map(|()| format!("written to {}", self.directory.display()))
            .map_err(|error| Failure::Later(format!("{}: {error}", self.directory.display())))
    }
}
