//! The people a judge knows (mail-commands.md 7): who registers, confirms an address, adds one, and asks what is on file.
//! Nothing beyond name, addresses, zone and language is kept. Pure: the shell reads and commits the file.

use super::acts::usable;
use super::code::{Code, Refusal};
use super::commands::{Header, Line};
use super::reply::{Mark, Reply, masked};
use super::session::Sender;
use super::table::{House, title_case};
use crate::mail::Letter;
use crate::status::Person;
use chrono::{DateTime, Duration, Utc};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How long a code holds.
const CODE_DAYS: i64 = 7;

/// How the judge knows people (`registry.mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Anybody may register.
    #[default]
    Open,
    /// The keeper enters people.
    Closed,
    /// Everybody is known: identity is the address.
    None,
}

/// How people come to be known here (`[registry]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Who registers them.
    pub mode: Mode,
    /// Whether a name has to be a first and a last one.
    pub two_words: bool,
}

/// Somebody the judge knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Number.
    pub id: u32,
    /// First and last name.
    pub name: String,
    /// Confirmed addresses, lower case; the first is the main one.
    pub addresses: Vec<String>,
    /// Time zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// An address that waits for its code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
}

impl Known {
    /// Whether that code from that address is the one he was mailed.
    fn is_confirmed_by(&self, code: &str, address: &str, now: DateTime<Utc>) -> bool {
        self.pending.as_ref().is_some_and(|p| {
            p.code.eq_ignore_ascii_case(code)
                && now - p.since <= Duration::days(CODE_DAYS)
                && (p.address.eq_ignore_ascii_case(address) || self.reads(address))
        })
    }
}

/// An address not confirmed yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// Address.
    pub address: String,
    /// Code that was mailed.
    pub code: String,
    /// When.
    pub since: DateTime<Utc>,
    /// The code answers FORGET ME: whoever sends it is erased.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forget: bool,
}

/// The registry file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registry {
    /// Everybody, by number.
    pub people: Vec<Known>,
    /// Closed circles: the numbers of their members, by name. The judgekeeper writes them into the file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, Vec<u32>>,
    /// The highest number of anybody who was forgotten: it stays his in the games he has played.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gone: u32,
    /// Addresses that mail has come back from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bounces: BTreeMap<String, Bounces>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Permanent bounces of one address (mail-commands.md 8.1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounces {
    /// When, within the last 14 days.
    pub times: Vec<DateTime<Utc>>,
    /// Whether the Masters have been told.
    #[serde(default)]
    pub told: bool,
}

/// So many permanent bounces within [`BOUNCE_DAYS`] make an address one that mail does not reach.
const BOUNCES: usize = 3;
const BOUNCE_DAYS: i64 = 14;

impl Registry {
    /// Counts a permanent bounce; `true`: the address has just become one that the Masters must hear of (N60).
    pub fn bounced(&mut self, address: &str, now: DateTime<Utc>) -> bool {
        let entry = self.bounces.entry(address.to_lowercase()).or_default();
        entry.times.retain(|time| now - *time < Duration::days(BOUNCE_DAYS));
        entry.times.push(now);
        // What a flood of reports adds beyond the limit tells nothing new.
        entry.times.truncate(BOUNCES);
        let news = entry.times.len() >= BOUNCES && !entry.told;
        entry.told |= news;
        news
    }

    /// Whether mail to the address does not arrive.
    pub fn is_bouncing(&self, address: &str) -> bool {
        self.bounces.get(&address.to_lowercase()).is_some_and(|b| b.times.len() >= BOUNCES)
    }

    /// A message came from the address: it works. Whether anything was forgotten by that.
    pub fn heard_from(&mut self, address: &str) -> bool {
        self.bounces.remove(&address.to_lowercase()).is_some()
    }

    /// The person with that confirmed address.
    pub fn find(&self, address: &str) -> Option<&Known> {
        self.people.iter().find(|k| k.addresses.iter().any(|a| a.eq_ignore_ascii_case(address)))
    }

    /// The groups of the person with that address.
    pub fn groups_of(&self, address: &str) -> Vec<String> {
        let Some(known) = self.find(address) else { return Vec::new() };
        self.groups.iter().filter(|(_, ids)| ids.contains(&known.id)).map(|(name, _)| name.clone()).collect()
    }

    /// Who is erased by that code, if it is one that erases.
    pub fn leaving(&self, code: &str, address: &str, now: DateTime<Utc>) -> Option<&Known> {
        let leaves = |k: &&Known| k.pending.as_ref().is_some_and(|p| p.forget);
        self.people.iter().filter(leaves).find(|k| k.is_confirmed_by(code, address, now))
    }

    fn find_mut(&mut self, address: &str) -> Option<&mut Known> {
        self.people.iter_mut().find(|k| k.addresses.iter().any(|a| a.eq_ignore_ascii_case(address)))
    }

    /// The person as PLAYER lines write him.
    pub fn person(&self, mode: Mode, address: &str, display_name: Option<&str>) -> Option<Person> {
        if let Some(known) = self.find(address) {
            return Some(Person {
                id: known.id.to_string(),
                addresses: vec![known.addresses.first().cloned().unwrap_or_else(|| address.to_string())],
                name: known.name.split_whitespace().collect::<Vec<_>>().join("_"),
            });
        }
        if mode != Mode::None {
            return None;
        }
        let local = address.split('@').next().unwrap_or("somebody");
        let name: Vec<String> = display_name
            .unwrap_or(local)
            .split(|c: char| c.is_whitespace() || matches!(c, '|' | ',' | '_' | '"' | '<' | '>'))
            .filter(|w| !w.is_empty())
            .map(str::to_string)
            .collect();
        let name = if name.is_empty() { title_case(local) } else { name.join("_") };
        Some(Person { id: "NO-ID".into(), addresses: vec![address.to_string()], name })
    }
}

fn code(seed: u64) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHJKMNPQRSTUVWXYZ23456789";
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..8).map(|_| ALPHABET[(rng.next_u32() % ALPHABET.len() as u32) as usize] as char).collect()
}

/// REGISTER, CONFIRM, IAMALSO, WHOAMI, FORGET ME. `playing`: whether the sender has a seat in a game that is not over.
#[allow(clippy::too_many_arguments)]
pub fn command(
    registry: &mut Registry,
    terms: Terms,
    header: &Header,
    line: &Line,
    from: &Sender,
    house: &House,
    playing: bool,
    now: DateTime<Utc>,
    seed: u64,
) -> (Reply, Vec<Letter>) {
    let mut reply = Reply { outcome: "answered".into(), ..Reply::default() };
    let mut letters = Vec::new();
    let result = match header {
        Header::Register { lines } => register(registry, terms, lines, from, house, now, seed, &mut letters),
        Header::Confirm { code } => confirm(registry, code, from, playing, now),
        Header::IAmAlso { address } => also(registry, address, from, house, now, seed, &mut letters),
        Header::WhoAmI => match registry.find(&from.address) {
            Some(known) => Ok(format!("you are #{} {}, {}", known.id, known.name, known.addresses.join(", "))),
            None if terms.mode == Mode::None => Ok("this judge keeps no register: you are your address".into()),
            None => Err(unknown(terms.mode)),
        },
        Header::Forget => {
            match registry.people.iter().position(|k| k.addresses.iter().any(|a| a.eq_ignore_ascii_case(&from.address)))
            {
                None => Err(unknown(terms.mode)),
                Some(_) if playing => Err(still_playing()),
                Some(at) => {
                    let (code, address) = (code(seed), from.address.clone());
                    letters.push(code_letter(&address, "have your entry erased", &code, house));
                    registry.people[at].pending = Some(Pending { address, code, since: now, forget: true });
                    Ok("a code is on its way to this address; your entry is erased when you send CONFIRM and the code"
                        .into())
                }
            }
        }
        _ => Err(Refusal { code: Code::Syntax, sentence: "That cannot be done by mail.".into() }),
    };
    match result {
        Ok(text) => reply.note(line.number, Mark::Ok, format!("{}: {text}", masked(&line.text))),
        Err(refusal) => reply.refuse(line, &refusal),
    }
    (reply, letters)
}

fn still_playing() -> Refusal {
    Refusal { code: Code::BadState, sentence: "You play in a game; resign first.".into() }
}

fn unknown(mode: Mode) -> Refusal {
    let sentence = match mode {
        Mode::Open => "The judge does not know your address. Send REGISTER, Name: First Last, END.",
        Mode::Closed => "The judge does not know your address. Its keeper registers people; ask him.",
        Mode::None => "This judge keeps no register: you are your address, and there is no entry of yours.",
    };
    Refusal { code: Code::NotRegistered, sentence: sentence.into() }
}

#[allow(clippy::too_many_arguments)]
fn register(
    registry: &mut Registry,
    terms: Terms,
    lines: &[Line],
    from: &Sender,
    house: &House,
    now: DateTime<Utc>,
    seed: u64,
    letters: &mut Vec<Letter>,
) -> Result<String, Refusal> {
    if terms.mode != Mode::Open {
        return Err(Refusal {
            code: Code::BadState,
            sentence: "People are not registered by mail at this judge.".into(),
        });
    }
    if registry.find(&from.address).is_some() {
        return Ok("you are registered already; WHOAMI shows your entry".into());
    }
    let field = |name: &str| {
        lines.iter().find_map(|l| {
            let (key, value) = l.text.split_once(':')?;
            key.trim().eq_ignore_ascii_case(name).then(|| value.split_whitespace().collect::<Vec<_>>().join(" "))
        })
    };
    let name = field("Name").unwrap_or_default();
    let least = if terms.two_words { 2 } else { 1 };
    let good = name.split(' ').count() >= least
        && name.len() <= 80
        && name.split(' ').all(|w| w.starts_with(char::is_alphabetic))
        && !name.contains(['|', '<', '>', ',']);
    if !good {
        return Err(Refusal {
            code: Code::Syntax,
            sentence: match terms.two_words {
                true => "Write your name in two words at least: Name: First Last.".into(),
                false => "Write your name, words that begin with a letter: Name: First Last.".into(),
            },
        });
    }
    let zone = match field("Zone") {
        Some(zone) => match crate::clock::zone::named(&zone) {
            Ok(zone) => Some(zone.name().to_string()),
            Err(_) => {
                return Err(Refusal {
                    code: Code::BadZone,
                    sentence: format!("{zone} is no time zone; write one like Europe/Paris."),
                });
            }
        },
        None => None,
    };
    let code = code(seed);
    let pending = Pending { address: from.address.clone(), code: code.clone(), since: now, forget: false };
    registry
        .people
        .retain(|k| !(k.addresses.is_empty() && k.pending.as_ref().is_some_and(|p| p.address == from.address)));
    let id = registry.people.iter().map(|k| k.id).chain([100, registry.gone]).max().unwrap_or(100) + 1;
    registry.people.push(Known {
        id,
        name,
        addresses: Vec::new(),
        zone,
        language: field("Language"),
        pending: Some(pending),
    });
    letters.push(code_letter(&from.address, "confirm this address", &code, house));
    Ok("a code is on its way to this address; send CONFIRM and the code within a week".into())
}

/// N50: `deed` is what the code does, so that nobody sends it for something else.
fn code_letter(to: &str, deed: &str, code: &str, house: &House) -> Letter {
    Letter {
        to: to.to_string(),
        notice: "N50".into(),
        subject: format!("DPPD Registration Info ({})", house.id),
        text: format!(
            "To {deed} at the judge {},\nmail {} the line\n\n    CONFIRM {code}\n\nIf you did not ask for this, do nothing.\n",
            house.nick, house.address
        ),
        auto: crate::mail::Auto::Replied,
        ..Letter::default()
    }
}

fn confirm(
    registry: &mut Registry,
    code: &str,
    from: &Sender,
    playing: bool,
    now: DateTime<Utc>,
) -> Result<String, Refusal> {
    let Some(at) = registry.people.iter().position(|k| k.is_confirmed_by(code, &from.address, now)) else {
        return Err(Refusal {
            code: Code::Syntax,
            sentence: "That code is not known here for your address, or older than a week.".into(),
        });
    };
    if registry.people[at].pending.as_ref().is_some_and(|p| p.forget) {
        if playing {
            return Err(still_playing());
        }
        let Known { id, addresses, .. } = registry.people.remove(at);
        registry.bounces.retain(|address, _| !addresses.contains(address));
        registry.gone = registry.gone.max(id);
        for members in registry.groups.values_mut() {
            members.retain(|member| *member != id);
        }
        return Ok("your entry is erased; in the games that you have played you are a former player".into());
    }
    let known = &mut registry.people[at];
    if let Some(pending) = known.pending.take()
        && !known.addresses.contains(&pending.address)
    {
        known.addresses.push(pending.address);
    }
    Ok(format!("you are registered as #{} {}", known.id, known.name))
}

/// IAMALSO: sent from the new address, naming the old one, which gets the code.
fn also(
    registry: &mut Registry,
    old: &str,
    from: &Sender,
    house: &House,
    now: DateTime<Utc>,
    seed: u64,
    letters: &mut Vec<Letter>,
) -> Result<String, Refusal> {
    if !usable(old) {
        return Err(Refusal { code: Code::BadAddress, sentence: format!("{old} is no mail address.") });
    }
    if registry.find(&from.address).is_some() {
        return Err(Refusal { code: Code::BadState, sentence: "This address belongs to somebody already.".into() });
    }
    // The same answer whether the old address is known or not: nobody is told who is registered here.
    if let Some(known) = registry.find_mut(old) {
        let code = code(seed);
        known.pending = Some(Pending { address: from.address.clone(), code: code.clone(), since: now, forget: false });
        letters.push(code_letter(old, &format!("join the address {} to yours", from.address), &code, house));
    }
    Ok("if that address is known here, a code is on its way to it; send CONFIRM and the code from either address"
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn house() -> House {
        House {
            id: "CHCY".into(),
            nick: "chancery".into(),
            address: "judge@judge.example".into(),
            url: "https://judge.example".into(),
            zone: chrono_tz::Tz::UTC,
            keepers: vec![],
            keeper_hash: None,
            observers: vec![],
            create_limit: 0,
            create_limit_per_master: 0,
            hall_of_fame: None,
            openings: None,
            detectives: Vec::new(),
            public_networks: Vec::new(),
            access_key: None,
        }
    }

    const OPEN: Terms = Terms { mode: Mode::Open, two_words: true };

    #[test]
    fn registering_needs_the_code() {
        let mut registry = Registry::default();
        let from = Sender { address: "zoe@example.com".into(), ..Sender::default() };
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap_or_default();
        let line = Line { number: 1, text: "REGISTER".into() };
        let header = Header::Register { lines: Line::all(["Name: Zoe Zorn"]) };
        let (reply, letters) = command(&mut registry, OPEN, &header, &line, &from, &house(), false, now, 7);
        assert!(!reply.has_errors(), "{reply:?}");
        assert!(registry.find("zoe@example.com").is_none(), "not before the code");
        let code = registry.people[0].pending.clone().map(|p| p.code).unwrap_or_default();
        assert!(letters[0].text.contains(&code));
        let stranger = Sender { address: "eve@example.com".into(), ..Sender::default() };
        let confirm = Header::Confirm { code };
        let (reply, _) = command(&mut registry, OPEN, &confirm, &line, &stranger, &house(), false, now, 8);
        assert!(reply.has_errors());
        let (reply, _) = command(&mut registry, OPEN, &confirm, &line, &from, &house(), false, now, 9);
        assert!(!reply.has_errors());
        assert_eq!(registry.person(Mode::Open, "ZOE@example.com", None).map(|p| p.name), Some("Zoe_Zorn".into()));
    }
}
