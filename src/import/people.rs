//! The people of an old site for the registry: `#id|address|Name` of MASTER and PLAYER lines (OPS-111, 5).

use super::{Finding, What};
use crate::judge::forgetting::is_forgotten;
use crate::judge::registry::{Known, Registry};
use crate::status::Person;

/// The registry as findings name it.
const PLACE: &str = "registry";

/// Enters people: one entry a number, several addresses merged. Whoever is known here stays as he is; somebody else
/// under his number is a finding.
pub fn enter(registry: &mut Registry, people: impl IntoIterator<Item = Person>) -> Vec<Finding> {
    let mut what: Vec<What> = Vec::new();
    let mut fresh: Vec<Known> = Vec::new();
    let (mut gone, mut bare): (Vec<u32>, Vec<(u32, Person)>) = Default::default();
    for person in people {
        match person.id.parse::<u32>() {
            // Who was forgotten stays so. Nobody else gets his number.
            Ok(id) if is_forgotten(&person) => gone.push(id),
            Ok(id) if person.addresses.is_empty() => bare.push((id, person)),
            Ok(id) => what.extend(gather(&mut fresh, id, &person)),
            Err(_) => what.push(What::NoNumber(person.to_string())),
        }
    }
    fresh.sort_by_key(|known| known.id);
    for (id, person) in bare {
        if !fresh.iter().chain(&registry.people).any(|known| known.id == id) {
            gone.push(id);
            what.push(What::NoAddress(person.to_string()));
        }
    }
    registry.gone = gone.into_iter().fold(registry.gone, u32::max);
    for new in fresh {
        match registry.people.iter().position(|known| known.id == new.id) {
            Some(at) if is_same(&registry.people[at], &new) => {}
            Some(at) => {
                let (theirs, ours) = (words(&new), words(&registry.people[at]));
                what.push(What::Person { theirs, ours });
                continue;
            }
            None => registry.people.push(Known { addresses: Vec::new(), ..new.clone() }),
        }
        for address in new.addresses {
            match registry.find(&address).map(|known| known.id) {
                Some(owner) if owner != new.id => what.push(What::Address { address, owner }),
                Some(_) => {}
                None => {
                    let known = registry.people.iter_mut().find(|known| known.id == new.id);
                    known.into_iter().for_each(|known| known.addresses.push(address.clone()));
                }
            }
        }
    }
    registry.people.sort_by_key(|known| known.id);
    let mut findings: Vec<Finding> = Vec::new();
    for what in what {
        let finding = Finding::new(PLACE, what);
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
    findings
}

/// Adds what a line says of somebody. The first name stays; another one is given back.
fn gather(fresh: &mut Vec<Known>, id: u32, person: &Person) -> Option<What> {
    let name = person.name.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut second = None;
    let at = match fresh.iter().position(|known| known.id == id) {
        Some(at) => {
            let kept = &fresh[at].name;
            second = (*kept != name).then(|| What::SecondName { kept: format!("#{id} {kept}"), other: name });
            at
        }
        None => {
            fresh.push(Known { id, name, addresses: Vec::new(), zone: None, language: None, pending: None });
            fresh.len() - 1
        }
    };
    for address in person.addresses.iter().map(|address| address.to_lowercase()) {
        if !fresh[at].addresses.contains(&address) {
            fresh[at].addresses.push(address);
        }
    }
    second
}

/// The same name, or an address in common.
fn is_same(here: &Known, there: &Known) -> bool {
    let common = |address: &String| here.addresses.iter().any(|known| known.eq_ignore_ascii_case(address));
    here.name.eq_ignore_ascii_case(&there.name) || there.addresses.iter().any(common)
}

fn words(known: &Known) -> String {
    format!("#{}|{}|{}", known.id, known.addresses.join(","), known.name.replace(' ', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(line: &str) -> Person {
        line.parse().unwrap()
    }

    #[test]
    fn one_entry_a_number() {
        let mut registry = Registry::default();
        let people = [
            "#311|bo@play.example|Bo_Lindt",
            "#101|greta@gm.example|Greta_Holm",
            "#311|Bo@Work.example|Bo_Lindt",
            "NO-ID|x@play.example|Xaver",
            "NO-ID|x@play.example|Xaver",
            "#311|bo@play.example|Bo_Linde",
            "#400|greta@gm.example|Somebody_Else",
            "#405||former_player",
            "#403||Nemo",
            "#311||Bo_Lindt",
        ];
        let findings = enter(&mut registry, people.map(person));
        let said: Vec<String> = findings.iter().map(Finding::to_string).collect();
        assert_eq!(
            said,
            [
                "lost: registry: NO-ID|x@play.example|Xaver: no number, so no entry in the registry",
                "lost: registry: #311 Bo Lindt is also called Bo Linde there",
                "lost: registry: #403||Nemo: no address, so no entry in the registry",
                "lost: registry: greta@gm.example belongs to #101 already",
            ]
        );
        let entries: Vec<String> = registry.people.iter().map(words).collect();
        let wanted = [
            "#101|greta@gm.example|Greta_Holm",
            "#311|bo@play.example,bo@work.example|Bo_Lindt",
            "#400||Somebody_Else",
        ];
        assert_eq!(entries, wanted);
        assert_eq!(registry.gone, 405, "the numbers of the others are nobody else's");
        // A second time changes nothing; another person under a number in use is told from the one who has it.
        let before = registry.clone();
        enter(&mut registry, people.map(person));
        assert_eq!(registry, before);
        let findings = enter(&mut registry, [person("#101|otto@play.example|Otto_Orff")]);
        assert_eq!(registry, before);
        assert_eq!(
            findings[0].to_string(),
            "refused: registry: one number for two people: #101|otto@play.example|Otto_Orff there, \
             #101|greta@gm.example|Greta_Holm here; the entry here stays"
        );
    }
}
