//! What a taken game is called, and who looks after it.

use crate::archive::{GameName, NameError};
use crate::status::Person;

/// The Master of a taken game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// As MASTER has him.
    pub person: Person,
    /// Where he reads mail.
    pub address: String,
}

/// The name of the game: as asked for, or its id folded to the alphabet of game names.
pub fn game_name(wanted: Option<&str>, id: &str) -> Result<GameName, NameError> {
    if let Some(wanted) = wanted {
        return GameName::new(wanted);
    }
    let fold = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { '-' };
    let folded: String = id.chars().map(fold).collect();
    let begun = folded.trim_start_matches(['-', '_']);
    GameName::new(begun.get(..begun.len().min(32)).unwrap_or_default())
}

/// Reads `ADDRESS|Name`.
pub fn master(text: &str) -> Result<Seat, String> {
    let wrong = || format!("want ADDRESS|Name, such as mira@example.org|Mira Hall, got '{}'", text.escape_debug());
    let (address, name) = text.split_once('|').ok_or_else(wrong)?;
    let plain = |text: &str, barred: &[char]| !text.contains(|c: char| c.is_control() || barred.contains(&c));
    let (address, name) = (address.trim(), name.trim());
    let is_address = address.split_once('@').is_some_and(|(local, host)| !local.is_empty() && !host.is_empty());
    if !is_address || !plain(address, &[' ', ',', '|', '#', '<', '>']) || name.is_empty() || !plain(name, &['|', ':']) {
        return Err(wrong());
    }
    let name = name.split_whitespace().collect::<Vec<_>>().join("_");
    let person = Person { id: String::new(), addresses: vec![address.to_owned()], name };
    Ok(Seat { person, address: address.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_become_names() {
        let name = |id: &str| game_name(None, id).map(|n| n.to_string());
        assert_eq!(name("hexham").as_deref(), Ok("hexham"));
        assert_eq!(name("-Xf3_Ö/9").as_deref(), Ok("xf3_--9"));
        assert_eq!(name(&"a".repeat(40)).map(|n| n.len()), Ok(32));
        assert!(name("--").is_err() && name("status").is_err());
        assert!(game_name(Some("Upper"), "x").is_err());
    }

    #[test]
    fn masters_have_an_address_and_a_name() {
        let seat = master("mira@example.org|Mira  Hall").unwrap();
        assert_eq!((seat.address.as_str(), seat.person.name.as_str()), ("mira@example.org", "Mira_Hall"));
        for wrong in ["mira@example.org", "mira|Mira", "@x|Mira", "a@b|", "a@b,c@d|X", "a@b|X\nPASSWORD y"] {
            assert!(master(wrong).is_err(), "{wrong}");
        }
    }
}
