//! Press: who may write to whom, what is delivered, and what is filed (mail-commands.md 6; rules.md 2.2). One function
//! for mail and web.

use super::code::{Code, Refusal, refuse};
use super::commands::{Audience, Claim, PressBlock};
use super::post::{Circle, Recipient, and_list, wrap};
use super::sight;
use super::table::{Table, Who, is_dummy, is_vacant};
use crate::diplomacy::rules::Rule;
use crate::mail::{Auto, Letter, Thread};
use crate::status::{Omniscient, ParticipantKind, PhaseKeyword};

/// Limits of mail-commands.md 6.4.
const MAX_CHARACTERS: usize = 20_000;
const MAX_LINES: usize = 400;

/// Readers, looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Broadcast.
    All,
    /// These.
    Some(Vec<Who>),
}

/// Press that may be sent.
#[derive(Clone, Debug)]
pub struct Press {
    from: Who,
    to: Readers,
    claimed_to: Readers,
    /// `None`: anonymous.
    claimed_from: Option<Who>,
    quiet: bool,
    text: String,
}

impl Press {
    /// How much it counts for the day.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// For the reply: `to England, Germany (43 characters)`.
    pub fn describe(&self, table: &Table) -> String {
        let size = self.text.chars().count();
        match &self.to {
            Readers::All => format!("broadcast ({size} characters)"),
            Readers::Some(readers) => {
                let names: Vec<String> = readers.iter().map(|w| table.title(w)).collect();
                format!("press to {} ({size} characters)", names.join(", "))
            }
        }
    }
}

/// Checks a block of press against the rules of the game; sends nothing.
pub fn check(table: &Table, from: &Who, block: &PressBlock) -> Result<Press, Refusal> {
    let options = block.options.clone()?;
    let text = block.text.join("\n");
    let text: String = text.chars().filter(|c| !c.is_control() || *c == '\n' || *c == '\t').collect();
    if text.chars().count() > MAX_CHARACTERS || block.text.len() > MAX_LINES {
        return refuse(
            Code::PressSize,
            format!("Press has at most {MAX_CHARACTERS} characters and {MAX_LINES} lines; send it in parts."),
        );
    }
    let to = readers(table, from, &options.to)?;
    let is_master = matches!(from, Who::Master | Who::Keeper);
    // First what the table of 6.3 has first: a feigned name does not matter where there is no press at all.
    if !is_master {
        permitted(table, from, &to)?;
    }
    let fakes = table.rule(Rule::FakePress);
    let greys = fakes || table.rule(Rule::WhiteGrey);
    let claimed_from = match &options.claim {
        Claim::Plain if !is_master && table.rule(Rule::GreyPress) && !to_master_only(&to) => None,
        Claim::Plain if !is_master && table.rule(Rule::YellowPress) && to == Readers::All => None,
        Claim::Plain | Claim::White => Some(from.clone()),
        Claim::Grey if greys => None,
        Claim::Grey => return refuse(Code::PressGrey, "Anonymous press is not allowed in this game."),
        Claim::From(_) if !fakes => {
            return refuse(Code::PressFake, "Press under another name is not allowed in this game.");
        }
        Claim::From(_) if is_master || is_monitor(table, from) => {
            return refuse(Code::PressFakeMaster, "The Master and monitors write under their own name.");
        }
        Claim::From(name) => match table.who(name) {
            Some(who @ Who::Seat(_)) => Some(who),
            _ => return refuse(Code::PressReader, format!("Nobody in this game is called {name}.")),
        },
    };
    let claimed_to = match &options.fake_to {
        None => to.clone(),
        Some(_) if !fakes => return refuse(Code::PressFake, "Feigned readers are not allowed in this game."),
        Some(_) if is_master => return refuse(Code::PressFakeMaster, "The Master writes to those he names."),
        Some(audience) => {
            let claimed = readers(table, from, audience)?;
            let names_master = |r: &Readers| matches!(r, Readers::Some(list) if list.contains(&Who::Master));
            if names_master(&claimed) != names_master(&to) {
                return refuse(
                    Code::PressFakeMaster,
                    "The Master can neither be added to nor left out of the feigned readers.",
                );
            }
            claimed
        }
    };
    if text.trim().is_empty() {
        return refuse(Code::PressSyntax, "There is no text between PRESS and ENDPRESS.");
    }
    Ok(Press { from: from.clone(), to, claimed_to, claimed_from, quiet: options.quiet, text })
}

fn to_master_only(to: &Readers) -> bool {
    matches!(to, Readers::Some(list) if list.iter().all(|w| *w == Who::Master))
}

fn is_monitor(table: &Table, who: &Who) -> bool {
    matches!(who, Who::Seat(n) if table.game.participants.get(*n).is_some_and(|p| p.kind == ParticipantKind::Other("MONITOR".into())))
}

fn is_observer(table: &Table, who: &Who) -> bool {
    matches!(who, Who::Seat(n) if table.game.participants.get(*n).is_some_and(|p| matches!(p.kind, ParticipantKind::Other(_))))
}

/// Looks the readers up: one full id, a run of letters and seat digits, or full ids separated by commas. A full id wins.
fn readers(table: &Table, from: &Who, audience: &Audience) -> Result<Readers, Refusal> {
    let (list, but) = match audience {
        Audience::All => return Ok(Readers::All),
        Audience::List(list) => (list, false),
        Audience::AllBut(list) => (list, true),
    };
    let unknown = |word: &str| {
        refuse(
            Code::PressReader,
            format!("{word} is nobody in this game. Readers are powers by name or letter, or M for the Master."),
        )
    };
    let mut found: Vec<Who> = Vec::new();
    let words: Vec<&str> = list.split(',').map(str::trim).filter(|w| !w.is_empty()).collect();
    let whole = words.len() > 1 || table.who(list).is_some();
    if whole {
        for word in words {
            match table.who(word) {
                Some(who) => found.push(who),
                None => return unknown(word),
            }
        }
    } else {
        for letter in list.chars() {
            match table.who(&letter.to_string()) {
                Some(who) => found.push(who),
                None => return unknown(list),
            }
        }
    }
    if found.is_empty() {
        return refuse(Code::PressSyntax, "Say for whom it is: PRESS TO FRANCE, or BROADCAST.");
    }
    let own = |who: &Who| who == from;
    let blurred = table.rule(Rule::GreyPress) || table.rule(Rule::WhiteGrey) || table.rule(Rule::FakePress);
    for (n, who) in found.iter().enumerate() {
        if found[..n].contains(who) {
            return refuse(Code::PressSyntax, format!("{} is named twice.", table.title(who)));
        }
        if let Who::Seat(index) = who {
            let p = &table.game.participants[*index];
            if is_vacant(p) || is_monitor(table, who) || (is_dummy(p) && table.addresses(p).is_empty()) {
                return refuse(
                    Code::PressReader,
                    format!("{} cannot read press: nobody answers for that seat.", table.title(who)),
                );
            }
        }
        if own(who) && !blurred && !but {
            return refuse(Code::PressReader, "You need not write to yourself; the echo shows what was sent.");
        }
    }
    if but {
        let rest = (0..table.game.participants.len())
            .map(Who::Seat)
            .filter(|w| !found.contains(w) && !own(w) && !is_monitor(table, w))
            .filter(|w| matches!(w, Who::Seat(n) if !is_vacant(&table.game.participants[*n]) && !table.addresses(&table.game.participants[*n]).is_empty()))
            .collect();
        return Ok(Readers::Some(rest));
    }
    Ok(Readers::Some(found))
}

/// The table of refusals (mail-commands.md 6.3), first that applies; the Master is exempt.
fn permitted(table: &Table, from: &Who, to: &Readers) -> Result<(), Refusal> {
    let broadcast = *to == Readers::All;
    let master = to_master_only(to);
    let rule = |r| table.rule(r);
    let observer = is_observer(table, from);
    if (is_monitor(table, from) || (observer && rule(Rule::MuteObservers))) && !master {
        return refuse(Code::PressMasterOnly, "You may write to the Master only.");
    }
    if table.forming() && !(master || (broadcast && !rule(Rule::PowerChoice))) {
        return refuse(Code::PressNotNow, "Before the game starts there are only broadcasts and mail to the Master.");
    }
    if table.completed() && !(broadcast || master) {
        return refuse(Code::PressNotNow, "The game is over: there are only broadcasts and mail to the Master.");
    }
    if table.forming() || table.completed() || master {
        return Ok(());
    }
    if rule(Rule::NoPress) {
        return refuse(Code::PressNone, "There is no press in this game; you may write to the Master.");
    }
    if rule(Rule::PublicPress) && !broadcast {
        return refuse(Code::PressPublic, "All press of this game is public: use BROADCAST.");
    }
    if rule(Rule::BackseatPress) && (!observer || !broadcast) {
        return refuse(Code::PressBackseat, "In this game only observers write, and they broadcast.");
    }
    if (rule(Rule::TouchPress) || rule(Rule::RemotePress)) && !observer {
        touching(table, from, to)?;
    }
    let awaits = table.game.keyword == PhaseKeyword::Await;
    if rule(Rule::FtfPress) && (awaits || table.referee.phase_kind(&table.game) != "MOVEMENT") {
        return refuse(Code::PressNotNow, "Press is exchanged in movement phases only.");
    }
    let owing = table.referee.owing(&table.game);
    let late = |who: &Who| matches!(who, Who::Seat(n) if owing.contains(&table.game.participants[*n].name));
    if table.past_deadline() && table.no_vacancy() {
        if rule(Rule::FtfPress) {
            return refuse(Code::PressLate, "The deadline is over.");
        }
        if late(from) && !rule(Rule::LateSend) && !broadcast {
            return refuse(
                Code::PressLate,
                "Your orders are late; until they are in you may broadcast or write to the Master.",
            );
        }
        if rule(Rule::NoLateReceive)
            && let Readers::Some(list) = to
            && let Some(reader) = list.iter().find(|w| late(w))
        {
            return refuse(
                Code::PressLateReader,
                format!("{}'s orders are late; until they are in no press reaches that seat.", table.title(reader)),
            );
        }
    }
    if rule(Rule::MustOrder) && late(from) {
        return refuse(Code::PressOrderFirst, "In this game you send orders before you write press.");
    }
    Ok(())
}

/// TOUCH_PRESS and REMOTE_PRESS: only (not) neighbours, broadcasts only with PUBLIC_PRESS.
fn touching(table: &Table, from: &Who, to: &Readers) -> Result<(), Refusal> {
    let remote = table.rule(Rule::RemotePress);
    let sentence = if remote {
        "In this game you write only to powers you do not touch."
    } else {
        "In this game you write only to powers you touch."
    };
    let Who::Seat(me) = from else { return Ok(()) };
    let Readers::Some(list) = to else {
        return if table.rule(Rule::PublicPress) { Ok(()) } else { refuse(Code::PressTouch, sentence) };
    };
    let key = |n: usize| table.game.participants[n].name.as_str();
    for reader in list {
        if let Who::Seat(n) = reader
            && table.referee.touch(&table.game, key(*me), key(*n)) == remote
        {
            return refuse(Code::PressTouch, sentence);
        }
    }
    Ok(())
}

/// Subject and headline that OFFICIAL changes.
#[derive(Clone, Debug, Default)]
pub struct Official(pub Option<String>);

/// The letters and the line for the `press` file.
pub fn deliver(table: &Table, press: &Press, official: &Official) -> (Vec<Letter>, String) {
    let game = &table.game.name;
    let is_master = matches!(press.from, Who::Master | Who::Keeper);
    let name = |who: &Who| table.title(who);
    let names = |readers: &Readers| match readers {
        Readers::All => String::new(),
        Readers::Some(list) => format!(" to {}", and_list(&list.iter().map(name).collect::<Vec<_>>())),
    };
    let kind = if press.claimed_to == Readers::All { "Broadcast message" } else { "Message" };
    let from = press.claimed_from.as_ref().map(|w| format!(" from {}", name(w))).unwrap_or_default();
    let headline = format!("{kind}{from}{} in {game}:", names(&press.claimed_to));
    let text = press.text.trim_end_matches('\n');
    let mut readers = match &press.to {
        Readers::All => table.circle(if is_master { Circle::Everyone } else { Circle::All }),
        Readers::Some(list) => list.iter().flat_map(|w| mailboxes(table, w)).collect(),
    };
    if press.to == Readers::All && table.rule(Rule::PressMaster) {
        let master = table.master_addresses();
        readers.retain(|r| r.seat.is_some() || !master.contains(&r.address));
    }
    let own = mailboxes(table, &press.from);
    let subject = match (&official.0, &press.claimed_from) {
        (Some(subject), _) => subject.clone(),
        (None, Some(who)) => format!("Diplomacy press from {}", name(who)),
        (None, None) => "Diplomacy press".into(),
    };
    let footer = match (&press.claimed_from, table.completed()) {
        (Some(who @ Who::Seat(n)), false) if !is_observer(table, who) => format!(
            "\n(To answer, mail the judge your SIGNON line, then PRESS TO {},\nyour text, and ENDPRESS.)\n",
            table.game.participants[*n].name
        ),
        _ => String::new(),
    };
    let body = match &official.0 {
        Some(_) => format!("{text}\n"),
        None => format!("{}\n\n{text}\n{footer}", wrap(&headline, 72, 0)),
    };
    // The thread goes by what the readers are told, so that it betrays nothing; unsigned press is a thread of its own.
    let signed = press.claimed_from.as_ref().map_or_else(|| "?".to_string(), name);
    let participants: Vec<String> = match &press.claimed_to {
        Readers::All if press.claimed_from.is_some() => vec!["ALL".into()],
        Readers::All => vec!["ALL".into(), signed],
        Readers::Some(list) => list.iter().map(name).chain([signed]).collect(),
    };
    let mut letters = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    let mut send = |to: &Recipient, subject: &str, body: &str| {
        if seen.iter().any(|a| a.eq_ignore_ascii_case(&to.address)) {
            return;
        }
        seen.push(to.address.clone());
        for mut letter in table.letters(std::slice::from_ref(to), "N45", subject, body) {
            letter.auto = Auto::Human;
            letter.anonymous_id = true;
            letter.bulk = press.claimed_to == Readers::All;
            letter.thread = Some(Thread::Press(participants.clone()));
            letters.push(letter);
        }
    };
    let echo_subject = match &press.to {
        Readers::All => "Diplomacy broadcast sent".to_string(),
        Readers::Some(list) => {
            format!("Diplomacy press sent to {}", and_list(&list.iter().map(name).collect::<Vec<_>>()))
        }
    };
    let warning = if gives_away(table, press) {
        format!("{}: your own name or address stands in it; nobody else adds them.\n\n", Code::Identity.name())
    } else {
        String::new()
    };
    let echo = format!(
        "{warning}{}\n\n{body}\n[end of your press]\n",
        match &press.to {
            Readers::All => "Your broadcast went out as follows.".to_string(),
            readers => wrap(&format!("Your press{} went out as follows.", names(readers)), 72, 0),
        }
    );
    if !press.quiet {
        for to in &own {
            send(to, &echo_subject, &echo);
        }
    }
    // Those who see the truth read it in brackets.
    let truth = format!(
        "{}\n{}\n\n{text}\n",
        wrap(&headline, 72, 0),
        match &press.to {
            Readers::All => format!("[by {} sent to all]", name(&press.from)),
            readers => wrap(&format!("[by {} sent{}]", name(&press.from), names(readers)), 72, 1),
        }
    );
    let veiled = press.claimed_from.as_ref() != Some(&press.from) || press.claimed_to != press.to;
    let sees_all = |r: &Recipient| sight::sees_all(table, &r.seat.map_or(Who::Master, Who::Seat));
    for to in &readers {
        // A quiet author is not his own reader through a broadcast.
        if own.iter().any(|o| o.address.eq_ignore_ascii_case(&to.address)) {
            continue;
        }
        send(to, &subject, if veiled && !is_master && sees_all(to) { &truth } else { &body });
    }
    let eavesdrops = table.rule(Rule::Eavesdrop) || table.rule(Rule::EavesdropAloud);
    if eavesdrops && !is_master {
        for to in table.master_recipients() {
            send(&to, &subject, &truth);
        }
    }
    for (n, p) in table.game.participants.iter().enumerate() {
        if p.omniscient == Omniscient::Hears {
            for to in table.recipients(&[n]) {
                send(&to, &subject, &truth);
            }
        }
    }
    if table.index.suspect {
        for keeper in &table.house.keepers {
            send(&Recipient { address: keeper.clone(), seat: None }, &subject, &truth);
        }
    }
    (letters, filed(table, press, &headline, text))
}

/// Whether a player tells in a game of hidden people who he is (mail-commands.md 6.4).
fn gives_away(table: &Table, press: &Press) -> bool {
    let veils =
        [Rule::NoPress, Rule::GreyPress, Rule::YellowPress, Rule::WhiteGrey, Rule::FakePress].map(|r| table.rule(r));
    let Who::Seat(n) = press.from else { return false };
    if table.completed() || !veils.contains(&true) {
        return false;
    }
    let text = press.text.to_lowercase();
    let p = &table.game.participants[n];
    let name = super::table::person(p).map(|person| person.name.replace('_', " ").to_lowercase());
    let own = table.addresses(p).into_iter().map(|a| a.to_lowercase()).chain(name);
    own.into_iter().any(|word| !word.trim().is_empty() && text.contains(word.trim()))
}

fn mailboxes(table: &Table, who: &Who) -> Vec<Recipient> {
    match who {
        Who::Master => table.master_recipients(),
        Who::Keeper => table.house.keepers.iter().map(|a| Recipient { address: a.clone(), seat: None }).collect(),
        Who::Seat(n) => table.recipients(&[*n]),
    }
}

/// The entry of the `press` file: `:: phase SENDER reader… [| claimedfrom claimedto…]`.
fn filed(table: &Table, press: &Press, headline: &str, text: &str) -> String {
    let id = |who: &Who| match who {
        Who::Master | Who::Keeper => "MASTER".to_string(),
        Who::Seat(n) => table.game.participants[*n].name.clone(),
    };
    let list = |readers: &Readers| match readers {
        Readers::All => "All".to_string(),
        Readers::Some(list) => list.iter().map(id).collect::<Vec<_>>().join(" "),
    };
    let mut head = format!(":: {} {} {}", table.phase(), id(&press.from), list(&press.to));
    if press.claimed_from.as_ref() != Some(&press.from) || press.claimed_to != press.to {
        let from = press.claimed_from.as_ref().map(id).unwrap_or_else(|| "Somebody".into());
        head += &format!(" | {from} {}", list(&press.claimed_to));
    }
    // A line of the text that looks like an entry head is shifted by a blank.
    let text: String =
        text.lines().map(|l| if l.starts_with(":: ") { format!(" {l}\n") } else { format!("{l}\n") }).collect();
    format!("{head}\n{headline}\n\n{text}\n")
}
