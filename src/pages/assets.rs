//! The style sheet, the script and the icon, part of the program; their names carry a hash of their content, so that they
//! may be kept for ever (web.md B2, WEB-023).

use crate::hex::hex;
use sha2::{Digest, Sha256};

/// A file under `assets/`.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    stem: &'static str,
    extension: &'static str,
    /// Content.
    pub text: &'static str,
}

/// The style sheet.
pub const CSS: Asset =
    Asset { stem: "chancery", extension: "css", text: include_str!("../../web/static/chancery.css") };
/// The script.
pub const JS: Asset = Asset { stem: "chancery", extension: "js", text: include_str!("../../web/static/chancery.js") };
/// The icon.
pub const ICON: Asset = Asset { stem: "seal", extension: "svg", text: include_str!("../../web/static/seal.svg") };

/// `chancery.1a2b3c4d.css`
pub fn name(asset: &Asset) -> String {
    let hash = Sha256::digest(asset.text.as_bytes());
    format!("{}.{}.{}", asset.stem, hex(hash.iter().take(4)), asset.extension)
}

/// Path of the style sheet that says what every page says for a while.
pub const NOTICE: &str = "notice.css";

/// That style sheet. Pages have a place for such a word, empty otherwise: so that an outage need not write them all anew,
/// and they need no script (OPS-084).
pub fn notice(away: bool) -> Vec<u8> {
    if away {
        ".notice::before{content:\"The judge was away; deadlines are being reviewed.\";display:block;\
         border-left:.3rem solid;padding:.5rem .75rem;font-weight:600}\n"
    } else {
        ".notice{display:none}\n"
    }
    .into()
}

/// Paths in the tree with their bytes.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let hashed = [CSS, JS, ICON].into_iter().map(|a| (format!("assets/{}", name(&a)), a.text.as_bytes().to_vec()));
    hashed.chain([(NOTICE.to_owned(), notice(false))]).collect()
}
