//! One game on its way back to the old judge (OPS-111, the last paragraph).

use super::index::PLACE;
use super::status::{self, Converted, Rekey};
use super::text::to_latin1;
use super::tree::Files;
use super::{Finding, Left, What, game};
use crate::judge::IndexLine;

/// Maps in the program that the old judge does not bring along.
const OUR_MAPS: [&str; 3] = ["france-austria", "france-germany-austria", "germany-italy"];

/// A game for the old judge.
#[derive(Clone, Debug)]
pub struct GivenGame {
    /// Its line in the index.
    pub line: IndexLine,
    /// Its files, by name in its directory.
    pub files: Vec<(String, Vec<u8>)>,
    /// What there is to say.
    pub findings: Vec<Finding>,
}

/// What becomes of a game of this site. `anew` gives a clear password for a hash. `has_map`: whether a map of that name
/// goes along.
pub fn give(line: &IndexLine, files: &Files, has_map: &dyn Fn(&str) -> bool, anew: Rekey) -> GivenGame {
    let mut given = GivenGame { line: line.clone(), files: Vec::new(), findings: Vec::new() };
    let in_index = format!("{PLACE} ({})", line.name);
    for word in &line.other {
        given.findings.push(Finding::new(in_index.clone(), What::Ours(word.clone())));
    }
    for (file, bytes) in files {
        let place = format!("games/{}/{file}", line.name);
        let bytes = if file == "audit.log" {
            given.findings.push(Finding::new(place, What::Left(Left::AuditLog)));
            continue;
        } else if game::is_status(file) {
            let (Converted { bytes, findings, document }, held) = status::give(&place, bytes, anew);
            given.findings.extend(findings);
            if file == "status" {
                given.line.held |= held;
                match document.as_ref().map(|document| &document.game().map) {
                    Some(map) if OUR_MAPS.contains(&map.as_str()) && !has_map(map) => {
                        given.findings.push(Finding::new(place, What::OurMap(map.clone())));
                    }
                    _ => {}
                }
            }
            bytes
        } else if game::is_text(file) {
            let (bytes, said) = to_latin1(bytes);
            given.findings.extend(said.into_iter().map(|what| Finding::new(place.clone(), what)));
            bytes
        } else {
            bytes.clone()
        };
        given.files.push((file.clone(), bytes));
    }
    given
}
