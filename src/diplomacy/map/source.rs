//! Where the language gets its text from. The loader asks for file names; what stands behind them (a folder, the
//! binary itself, a test's table) is the caller's affair.

use std::collections::BTreeMap;

/// Something that knows files by name. The core of the language never touches a disk.
pub trait Source {
    /// The bytes of a file, `standard.map` or `standard.geography`; `None` if there is none.
    fn read(&self, file: &str) -> Option<Vec<u8>>;

    /// The file as diagnostics should name it.
    fn label(&self, file: &str) -> String {
        file.to_owned()
    }
}

/// A table of texts is a source: for tests, and for text that is nowhere on a disk.
impl Source for BTreeMap<String, String> {
    fn read(&self, file: &str) -> Option<Vec<u8>> {
        self.get(file).map(|text| text.clone().into_bytes())
    }
}

/// No files at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Source for NoFiles {
    fn read(&self, _file: &str) -> Option<Vec<u8>> {
        None
    }
}

/// Largest file the loader reads (map-file.md 12).
pub const MAX_BYTES: usize = 1 << 20;

/// UTF-8 when the bytes are valid UTF-8, else ISO-8859-1, where every byte is a character (map-file.md 1).
pub fn decode(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).unwrap_or_else(|e| e.into_bytes().into_iter().map(char::from).collect());
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

/// Whether a name may be asked of a source: no path, no hidden file, at most 64 characters (map-file.md 1).
pub fn is_file_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().count() <= 64
        && !name.starts_with('.')
        && !name.contains(['/', '\\'])
        && !name.chars().any(char::is_control)
}

/// `.map` added to a name without a dot.
pub fn with_extension(name: &str) -> String {
    if name.contains('.') { name.to_owned() } else { format!("{name}.map") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_text() {
        assert_eq!(decode(b"Gr\xc8ce".to_vec()), "GrÈce");
        assert_eq!(decode("GrÈce".as_bytes().to_vec()), "GrÈce");
    }

    #[test]
    fn names_are_no_paths() {
        assert!(is_file_name("standard.geography"));
        for bad in ["", "../x", "a/b", ".hidden", "a\\b", &"x".repeat(65)] {
            assert!(!is_file_name(bad), "{bad}");
        }
    }
}
