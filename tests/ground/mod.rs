//! What the tests with the real binary share: a place to play in, sites, and what is looked at afterwards.
#![allow(dead_code)]

use mailparse::MailHeaderMap;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Secret of every site made here: what the judge draws by lot falls alike everywhere.
pub const SECRET: [u8; 32] = [7; 32];

/// A directory to play in. In memory if there is room: a killed process loses nothing that the kernel has, so the disk
/// would only cost time. (What a power cut loses is tested in the archive itself.)
pub fn ground() -> TempDir {
    let memory = Path::new("/dev/shm");
    if fs2::available_space(memory).is_ok_and(|free| free > 1 << 30)
        && let Ok(ground) = tempfile::tempdir_in(memory)
    {
        return ground;
    }
    tempfile::tempdir().expect("a temporary directory can be made")
}

/// The program.
pub fn chancery() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chancery"));
    for name in ["CHANCERY_ROOT", "CHANCERY_LOG", "CHANCERY_CRASH_AT", "CHANCERY_FAIL_AT"] {
        command.env_remove(name);
    }
    command
}

/// Whether the long form is asked for.
pub fn soak() -> bool {
    std::env::var_os("CHANCERY_SOAK").is_some()
}

/// Puts the secret where a site will look for it.
pub fn plant_secret(root: &Path) {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    let registry = root.join("registry");
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&registry).expect("registry");
    std::fs::write(registry.join("secret"), SECRET).expect("secret");
    std::fs::set_permissions(registry.join("secret"), std::fs::Permissions::from_mode(0o600)).expect("mode");
}

/// Output as text, for messages.
pub fn words(output: &Output) -> String {
    format!("{}\n{}{}", output.status, String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Names in a directory, sorted, those with a dot in front left out.
pub fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

/// Every file below a directory, lock files left out: path and content.
pub fn tree(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    gather(directory, directory, &mut files);
    files
}

fn gather(top: &Path, directory: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            gather(top, &path, files);
        } else if path.file_name().is_some_and(|name| name != ".lock") {
            let name = path.strip_prefix(top).expect("below").display().to_string();
            files.insert(name, std::fs::read(&path).expect("file"));
        }
    }
}

/// A mail that was queued or sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    pub to: String,
    pub notice: String,
    pub subject: String,
    pub text: String,
    pub raw: String,
}

/// The plain text of a mail, wherever among its parts.
fn plain(mail: &mailparse::ParsedMail) -> Option<String> {
    if mail.subparts.is_empty() {
        return (mail.ctype.mimetype == "text/plain").then(|| mail.get_body().expect("text"));
    }
    mail.subparts.iter().find_map(plain)
}

/// Reads a mail; gives its Message-ID, too.
pub fn mail(raw: &[u8]) -> (String, Mail) {
    let parsed = mailparse::parse_mail(raw).expect("a mail can be read");
    let field = |name: &str| parsed.headers.get_first_value(name).unwrap_or_default();
    let mail = Mail {
        to: field("To"),
        notice: field("X-Chancery-Notice"),
        subject: field("Subject"),
        text: plain(&parsed).expect("a plain text"),
        raw: String::from_utf8_lossy(raw).into_owned(),
    };
    (field("Message-ID"), mail)
}

/// All mails in `mail-out` by Message-ID; none may be there twice.
pub fn sent(root: &Path) -> BTreeMap<String, Mail> {
    let directory = root.join("mail-out");
    let mut mails = BTreeMap::new();
    for name in names(&directory).iter().filter(|name| name.ends_with(".eml")) {
        let (id, read) = mail(&std::fs::read(directory.join(name)).expect("mail"));
        let envelope = std::fs::read(directory.join(name).with_extension("json")).expect("envelope");
        let envelope: serde_json::Value = serde_json::from_slice(&envelope).expect("envelope");
        assert_eq!(envelope["to"][0], read.to.as_str(), "{name}: envelope and header agree");
        assert!(mails.insert(id.clone(), read).is_none(), "{id} was sent twice");
    }
    mails
}

/// All mails of the outbox, sent or not, by Message-ID; none may be there twice.
pub fn queued(root: &Path) -> BTreeMap<String, Mail> {
    let mut mails = BTreeMap::new();
    for room in ["new", "done", "hold", "dead"] {
        let directory = root.join("outbox").join(room);
        for name in names(&directory) {
            let bytes = std::fs::read(directory.join(&name)).expect("queue file");
            let entry = chancery::mail::queue::Queued::decode(&bytes).expect("queue file");
            let (id, read) = mail(&entry.message);
            assert!(mails.insert(id.clone(), read).is_none(), "{id} was queued twice");
        }
    }
    mails
}

/// The ledger's lines in order of their text: the order of writing belongs to no one.
pub fn ledger(root: &Path) -> Vec<String> {
    let mut lines: Vec<String> = tree(&root.join("ledger")).values().flat_map(|b| lines_of(b)).collect();
    lines.sort();
    lines
}

fn lines_of(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
}

/// Copies a directory with all it holds.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("directory");
    for entry in std::fs::read_dir(from).expect("directory") {
        let entry = entry.expect("entry");
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy(&source, &target);
        } else {
            std::fs::copy(&source, &target).expect("copy");
        }
    }
    let mode = std::fs::metadata(from).expect("mode").permissions();
    std::fs::set_permissions(to, mode).expect("mode");
}

/// The first difference between two sets of files, in words.
pub fn difference(want: &BTreeMap<String, Vec<u8>>, got: &BTreeMap<String, Vec<u8>>) -> Option<String> {
    let all: std::collections::BTreeSet<&String> = want.keys().chain(got.keys()).collect();
    all.into_iter().find_map(|name| match (want.get(name), got.get(name)) {
        (Some(want), Some(got)) if want == got => None,
        (Some(want), Some(got)) => {
            let (want, got) = (lines_of(want), lines_of(got));
            let at = want.iter().zip(&got).position(|(a, b)| a != b).unwrap_or(want.len().min(got.len()));
            Some(format!("{name}:{}: want {:?}, got {:?}", at + 1, want.get(at), got.get(at)))
        }
        (Some(_), None) => Some(format!("{name} is missing")),
        (None, _) => Some(format!("{name} should not be there")),
    })
}

/// Where things wait or fail: all of it empty after quiescence.
pub fn leftovers(root: &Path) -> Vec<String> {
    ["spool/in/new", "spool/in/hold", "dead", "outbox/hold", "outbox/dead"]
        .into_iter()
        .flat_map(|room| names(&root.join(room)).into_iter().map(move |name| format!("{room}/{name}")))
        .chain(names(&root.join("journal")).into_iter().filter(|name| name != "tmp").map(|n| format!("journal/{n}")))
        .chain(
            tree(&root.join("games"))
                .into_keys()
                .filter(|name| Path::new(name).file_name().is_some_and(|n| n.to_string_lossy().starts_with('.')))
                .map(|name| format!("games/{name}")),
        )
        .collect()
}

/// A path below a root.
pub fn at(root: &Path, path: &str) -> PathBuf {
    root.join(path)
}
