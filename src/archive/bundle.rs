//! A whole site in one file (OPS-100): a tar archive, gzipped when its name ends in `.gz` or `.tgz`, whose last entry is
//! a manifest with the length and the SHA-256 of everything before it. What was cut short, or changed by a byte, or
//! written by something newer is refused as a whole.

use super::error::{ArchiveError, At};
use super::fs;
use crate::hex::hex;
use chrono::{DateTime, SecondsFormat, Utc};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use tar::{Archive as Reader, Builder, EntryType, Header};

/// First words of the manifest; the number is the version of the format.
const MAGIC: &str = "chancery-backup 1";
const MANIFEST: &str = "MANIFEST";
/// Longest file that is put away or fetched back.
const LONGEST: u64 = 1 << 30;

/// A site being put away. Until [`Bundle::close`] there is only a hidden draft beside the place.
pub struct Bundle {
    tar: Option<Builder<Box<dyn Write>>>,
    sums: BTreeMap<String, (u64, String)>,
    draft: PathBuf,
    place: PathBuf,
    time: DateTime<Utc>,
}

/// What a bundle says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// When it was begun.
    pub time: DateTime<Utc>,
    /// Files in it.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

impl Bundle {
    /// Begins a bundle that will be at `place`.
    pub fn create(place: &Path, time: DateTime<Utc>) -> Result<Bundle, ArchiveError> {
        let name = place.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let draft = place.with_file_name(format!(".{name}.{}.part", std::process::id()));
        // Everybody's addresses and orders are in it.
        let mut options = std::fs::OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).mode(fs::SECRET).open(&draft).at("write", &draft)?;
        let zipped = name.ends_with(".gz") || name.ends_with(".tgz");
        let sink: Box<dyn Write> = match zipped {
            true => Box::new(Zipped(Some(GzEncoder::new(BufWriter::new(file), Compression::default())))),
            false => Box::new(BufWriter::new(file)),
        };
        Ok(Bundle { tar: Some(Builder::new(sink)), sums: BTreeMap::new(), draft, place: place.to_owned(), time })
    }

    /// Puts a file into it; a path that is there already is left as it is.
    pub fn add(&mut self, path: &str, bytes: &[u8]) -> Result<(), ArchiveError> {
        if self.sums.contains_key(path) {
            return Ok(());
        }
        let sum = hex(&Sha256::digest(bytes));
        self.sums.insert(path.to_owned(), (u64::try_from(bytes.len()).unwrap_or(u64::MAX), sum));
        self.append(path, bytes)
    }

    /// Whether a path is in it.
    pub fn has(&self, path: &str) -> bool {
        self.sums.contains_key(path)
    }

    fn append(&mut self, path: &str, bytes: &[u8]) -> Result<(), ArchiveError> {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        header.set_mode(if is_secret(path) { fs::SECRET } else { fs::FILE });
        header.set_mtime(u64::try_from(self.time.timestamp()).unwrap_or(0));
        match &mut self.tar {
            Some(tar) => tar.append_data(&mut header, path, bytes).at("write", &self.draft),
            None => Ok(()),
        }
    }

    /// Writes the manifest and gives the file its name.
    pub fn close(mut self) -> Result<Summary, ArchiveError> {
        let mut manifest = format!("{MAGIC} {}\n", self.time.to_rfc3339_opts(SecondsFormat::Secs, true));
        for (path, (length, sum)) in &self.sums {
            // Writing to a String cannot fail.
            let _ = writeln!(manifest, "{sum} {length} {path}");
        }
        self.append(MANIFEST, manifest.as_bytes())?;
        let tar = self.tar.take();
        let draft = &self.draft;
        if let Some(tar) = tar {
            tar.into_inner().and_then(|mut sink| sink.flush()).at("write", draft)?;
        }
        File::open(draft).and_then(|file| file.sync_all()).at("sync", draft)?;
        std::fs::rename(draft, &self.place).at("rename", draft)?;
        let parent = parent(&self.place);
        File::open(&parent).and_then(|directory| directory.sync_all()).at("sync", &parent)?;
        let bytes = self.sums.values().map(|(length, _)| length).sum();
        Ok(Summary { time: self.time, files: self.sums.len(), bytes })
    }
}

impl Drop for Bundle {
    fn drop(&mut self) {
        // Closed, it is not there any more.
        let _ = std::fs::remove_file(&self.draft);
    }
}

/// A gzip stream that is finished by `flush`: a tar gives its sink back only behind a box.
struct Zipped(Option<GzEncoder<BufWriter<File>>>);

impl Write for Zipped {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.0 {
            Some(encoder) => encoder.write(bytes),
            None => Err(std::io::Error::other("the archive is closed")),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self.0.take() {
            Some(encoder) => encoder.finish()?.flush(),
            None => Ok(()),
        }
    }
}

/// Reads a bundle from its beginning to its end, handing every file to `take`, and then holds it against the manifest.
/// What `take` has done counts only if this returns without an error.
pub fn unpack(
    bundle: &Path,
    mut take: impl FnMut(&str, Vec<u8>) -> Result<(), ArchiveError>,
) -> Result<Summary, ArchiveError> {
    let damaged = |why: String| ArchiveError::Damaged { path: bundle.to_owned(), why };
    let mut file = BufReader::new(File::open(bundle).at("open", bundle)?);
    let zipped = std::io::BufRead::fill_buf(&mut file).at("read", bundle)?.starts_with(&[0x1f, 0x8b]);
    let stream: Box<dyn Read> = if zipped { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
    let mut reader = Reader::new(stream);
    let broken = |error: std::io::Error| damaged(format!("no backup, or not all of it: {error}"));
    let mut sums: BTreeMap<String, (u64, String)> = BTreeMap::new();
    let mut manifest: Option<String> = None;
    for entry in reader.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if manifest.is_some() {
            return Err(damaged(format!("{path} stands behind the manifest")));
        }
        if entry.header().entry_type() != EntryType::Regular || entry.size() > LONGEST {
            return Err(damaged(format!("{path}: want a plain file of at most {LONGEST} bytes")));
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(broken)?;
        if path == MANIFEST {
            manifest = Some(String::from_utf8_lossy(&bytes).into_owned());
            continue;
        }
        if !is_plain(&path) {
            return Err(damaged(format!("{path}: a path that leads out of the site")));
        }
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if sums.insert(path.clone(), (length, hex(&Sha256::digest(&bytes)))).is_some() {
            return Err(damaged(format!("{path} is in it twice")));
        }
        take(&path, bytes)?;
    }
    let manifest =
        manifest.ok_or_else(|| damaged("it has no manifest at its end: it was not written to its end".into()))?;
    let mut lines = manifest.lines();
    let head = lines.next().unwrap_or_default();
    let time = head.strip_prefix(MAGIC).and_then(|time| DateTime::parse_from_rfc3339(time.trim()).ok());
    let time = time.ok_or_else(|| damaged(format!("'{head}': of another version (want '{MAGIC} …')")))?.to_utc();
    let mut listed = 0;
    for line in lines {
        let mut words = line.splitn(3, ' ');
        let (sum, length, path) = (words.next(), words.next(), words.next().unwrap_or_default());
        let there = sums.get(path).ok_or_else(|| damaged(format!("{path} is missing")))?;
        if sum != Some(there.1.as_str()) || length.and_then(|length| length.parse().ok()) != Some(there.0) {
            return Err(damaged(format!("{path} is not what was put away")));
        }
        listed += 1;
    }
    if listed != sums.len() {
        return Err(damaged("there are files in it that the manifest does not name".into()));
    }
    Ok(Summary { time, files: listed, bytes: sums.values().map(|(length, _)| length).sum() })
}

/// Whether only its owner may read that file (OPS-003).
pub fn is_secret(path: &str) -> bool {
    path == "chancery.toml" || path.starts_with("registry/")
}

/// Plain names below the root, a few deep.
fn is_plain(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let plain = |part: &&str| {
        !part.is_empty() && part.len() <= 255 && **part != *"." && **part != *".." && !part.contains('\0')
    };
    parts.len() <= 6 && parts.iter().all(plain)
}

fn parent(path: &Path) -> PathBuf {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_231_770, 0).unwrap()
    }

    fn bundle(place: &Path, files: &[(String, Vec<u8>)]) -> Summary {
        let mut bundle = Bundle::create(place, now()).unwrap();
        for (path, bytes) in files {
            bundle.add(path, bytes).unwrap();
        }
        bundle.close().unwrap()
    }

    /// A file of a bundle: its name and its bytes.
    type Named = (String, Vec<u8>);

    fn read(place: &Path) -> Result<(Summary, Vec<Named>), ArchiveError> {
        let mut files = Vec::new();
        let summary = unpack(place, |path, bytes| {
            files.push((path.to_owned(), bytes));
            Ok(())
        })?;
        Ok((summary, files))
    }

    #[test]
    fn a_draft_is_no_backup() {
        let dir = tempfile::tempdir().unwrap();
        let mut bundle = Bundle::create(&dir.path().join("site.tar"), now()).unwrap();
        bundle.add("games/status", b"x").unwrap();
        drop(bundle);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn paths_stay_below() {
        for good in ["chancery.toml", "games/demo/status", "games/demo/notes/FRANCE", "spool/in/done/1.2.x.eml"] {
            assert!(is_plain(good), "{good}");
        }
        for bad in ["", "/etc/passwd", "../x", "games/../../x", "games//x", "a/b/c/d/e/f/g", "./x"] {
            assert!(!is_plain(bad), "{bad}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn what_is_put_away_is_fetched_back(
            files in proptest::collection::btree_map("games/[a-z]{1,9}/[a-z]{1,120}", proptest::collection::vec(any::<u8>(), 0..2000), 0..6),
            zipped in any::<bool>(),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let place = dir.path().join(if zipped { "site.tar.gz" } else { "site.tar" });
            let files: Vec<(String, Vec<u8>)> = files.into_iter().collect();
            let summary = bundle(&place, &files);
            let (read, got) = read(&place).unwrap();
            prop_assert_eq!(read, summary);
            prop_assert_eq!(got, files);
        }

        #[test]
        fn no_changed_byte_and_no_cut_is_taken(at in 0.0f64..1.0, flip in 1u8..=255, cut in any::<bool>()) {
            let dir = tempfile::tempdir().unwrap();
            let place = dir.path().join("site.tar");
            let files = [("games/status".to_owned(), vec![b'x'; 700]), ("games/a/status".to_owned(), b"GAME a\n".to_vec())];
            bundle(&place, &files);
            let mut bytes = std::fs::read(&place).unwrap();
            // What counts ends with the manifest; behind it there are only zeros.
            let end = bytes.iter().rposition(|b| *b != 0).unwrap() + 1;
            let at = ((at * end as f64) as usize).min(end - 1);
            if cut { bytes.truncate(at) } else { bytes[at] ^= flip }
            std::fs::write(&place, &bytes).unwrap();
            // A byte of a header that means nothing (an owner's name, say) may differ; then nothing else does.
            if let Ok((_, got)) = read(&place) {
                prop_assert!(!cut);
                prop_assert_eq!(got, files);
            }
        }
    }
}
