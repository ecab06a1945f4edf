//! Whoever is forgotten stays in the games that he has played as "former player" with his number (mail-commands.md 7;
//! operations.md OPS-104). What he wrote to others is not the judge's to take back.

use super::registry::Known;
use crate::status::{Game, Holder, Participant, Person, PlayerLine};

/// The name that is left, as PLAYER lines write it.
const NAME: &str = "former_player";

impl Known {
    /// Whether a PLAYER line means this one.
    pub fn is(&self, person: &Person) -> bool {
        let numbered = self.id != 0 && person.id == self.id.to_string();
        numbered || person.addresses.iter().any(|a| self.reads(a))
    }

    /// Whether that is an address of his.
    pub fn reads(&self, address: &str) -> bool {
        self.addresses.iter().any(|a| a.eq_ignore_ascii_case(address))
    }

    /// Whether he sits there now.
    pub fn sits(&self, participant: &Participant) -> bool {
        participant.address.iter().any(|a| self.reads(a))
            || participant.player.as_ref().and_then(PlayerLine::person).is_some_and(|person| self.is(person))
    }

    /// Whether he is the Master of a game.
    pub fn masters(&self, game: &Game) -> bool {
        game.address.iter().any(|a| self.reads(a))
            || game.master.as_ref().and_then(PlayerLine::person).is_some_and(|person| self.is(person))
    }
}

/// Whether a PLAYER line means somebody who was forgotten.
pub fn is_forgotten(person: &Person) -> bool {
    person.addresses.is_empty() && person.name == NAME
}

/// Takes somebody's name and addresses out of a game. Who sat there till the end can no longer sign on.
pub fn in_game(game: &mut Game, who: &Known) {
    if who.masters(game) {
        (game.password, game.address) = (None, Vec::new());
    }
    rename(game.master.as_mut(), who);
    for p in &mut game.participants {
        if who.sits(p) {
            (p.password, p.address, p.zone) = (None, Vec::new(), None);
        }
        rename(p.player.as_mut(), who);
    }
}

fn rename(line: Option<&mut PlayerLine>, who: &Known) {
    let Some(line) = line else { return };
    let all = std::iter::once(&mut line.current).chain(line.earlier.iter_mut().map(|(_, holder)| holder));
    for holder in all {
        if let Holder::Person(person) = holder
            && who.is(person)
        {
            *person = Person { id: who.id.to_string(), addresses: Vec::new(), name: NAME.into() };
        }
    }
}

/// The same in a text of the judge's: names of the summary, addresses of the log of sign-ons.
pub fn in_text(text: &str, who: &Known) -> String {
    let mut text = text.to_string();
    for address in &who.addresses {
        text = replaced(&text, address, &format!("#{}", who.id), &|c| c.is_alphanumeric() || "@.+-_%".contains(c));
    }
    let name = who.name.split_whitespace().collect::<Vec<_>>();
    if !name.is_empty() {
        for (joint, new) in [(" ", "former player"), ("_", NAME)] {
            text = replaced(&text, &name.join(joint), new, &|c| c.is_alphanumeric() || c == '_');
        }
    }
    text
}

/// Replaces a word wherever it does not go on at either side; capitals do not matter.
fn replaced(text: &str, old: &str, new: &str, goes_on: &dyn Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let whole = rest.get(..old.len()).filter(|head| head.eq_ignore_ascii_case(old) && !old.is_empty());
        let free = |next: Option<char>| !next.is_some_and(goes_on);
        // A full stop behind an address ends the sentence.
        let behind = || rest[old.len()..].trim_start_matches('.').chars().next();
        if whole.is_some() && free(out.chars().next_back()) && free(behind()) {
            out += new;
            rest = &rest[old.len()..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joe() -> Known {
        Known {
            id: 117,
            name: "Joe Doe".into(),
            addresses: vec!["joe@example.org".into(), "jd@example.net".into()],
            zone: None,
            language: None,
            pending: None,
        }
    }

    #[test]
    fn names_and_addresses_go_and_others_stay() {
        let text = "Joe@Example.org signed on. billyjoe@example.org, joe@example.org.uk and <jd@example.net>.\n\
                    Joe Doe, JOE_DOE; not Joe Doeson.";
        let wanted = "#117 signed on. billyjoe@example.org, joe@example.org.uk and <#117>.\n\
                      former player, former_player; not Joe Doeson.";
        assert_eq!(in_text(text, &joe()), wanted);
        assert_eq!(in_text(wanted, &joe()), wanted);
        assert_eq!(in_text("ärger mit joe@example.org", &joe()), "ärger mit #117");
    }
}
