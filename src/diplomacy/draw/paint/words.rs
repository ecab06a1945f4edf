//! The picture in words (map-drawing.md 5.6).

use crate::diplomacy::draw::{Picture, Piece};
use crate::diplomacy::map::{PowerId, UnitKind};
use crate::diplomacy::position::Unit;

/// Units (dislodged ones too) and centres of a power.
pub(super) fn count(picture: &Picture, power: PowerId) -> (usize, usize) {
    let mine = |piece: &&Piece| piece.power == Some(power);
    let units = picture.units.iter().chain(&picture.dislodged).filter(mine).count();
    (units, picture.owners.iter().filter(|(_, owner)| *owner == power).count())
}

/// One sentence a power: `Austria: armies Budapest, Vienna; fleet Trieste; 3 centres.`
pub fn describe(picture: &Picture) -> String {
    let map = picture.map;
    let places = |units: &[Unit], kind: UnitKind, one: &str, many: &str| {
        let names: Vec<&str> = units.iter().filter(|u| u.kind == kind).map(|u| map[u.at].title.as_str()).collect();
        match names.len() {
            0 => None,
            1 => Some(format!("{one} {}", names.join(", "))),
            _ => Some(format!("{many} {}", names.join(", "))),
        }
    };
    let mut sentences = Vec::new();
    let unknown = picture.units.iter().any(|piece| piece.power.is_none());
    let powers = map.power_ids().map(Some).chain(unknown.then_some(None));
    for power in powers {
        let mine = |pieces: &[Piece]| -> Vec<Unit> {
            pieces.iter().filter(|piece| piece.power == power).map(|piece| piece.unit).collect()
        };
        let (units, gone) = (mine(&picture.units), mine(&picture.dislodged));
        let centres = power.map_or(0, |id| count(picture, id).1);
        let mut parts: Vec<String> = Vec::new();
        parts.extend(places(&units, UnitKind::Army, "army", "armies"));
        parts.extend(places(&units, UnitKind::Fleet, "fleet", "fleets"));
        let retreating: Vec<&str> = gone.iter().map(|u| map[u.at].title.as_str()).collect();
        if !retreating.is_empty() {
            parts.push(format!("dislodged {}", retreating.join(", ")));
        }
        if parts.is_empty() && centres == 0 {
            continue;
        }
        if !picture.owners.is_empty() {
            parts.push(if centres == 1 { "1 centre".to_string() } else { format!("{centres} centres") });
        }
        let name = power.map_or("Unknown power", |id| map[id].title.as_str());
        sentences.push(format!("{name}: {}.", parts.join("; ")));
    }
    if sentences.is_empty() { "An empty board.".to_string() } else { sentences.join(" ") }
}
