//! Who sits where: joining, observing, taking over, resigning, and the beginning of a game (mail-commands.md 3.3–3.6,
//! status-file.md 5.1, 10.5).

use super::code::{Code, Refusal, refuse};
use super::commands::Block;
use super::decision::{FileEdit, GameState};
use super::post::{Circle, Recipient, and_list, with_scene};
use super::process;
use super::reply::{Mark, masked};
use super::session::{self, Desk, Outcome, Tools};
use super::sight;
use super::signon::{Rank, SignedOn, new_id, new_password, sign_on};
use super::table::{Table, Who, is_dummy, is_vacant, person};
use crate::diplomacy::rules::Rule;
use crate::status::{Holder, Need, Participant, ParticipantKind, Person, PlayerLine};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

fn registered(tools: &Tools) -> Result<Person, Refusal> {
    match tools.registry.person(&tools.sender.address, tools.sender.name.as_deref()) {
        Some(person) => Ok(person),
        None => refuse(
            Code::NotRegistered,
            "The judge does not know your address. Send a mail with the lines REGISTER, Name: First Last, END.",
        ),
    }
}

fn privacy(table: &Table, word: &Option<String>) -> Result<(), Refusal> {
    match (&table.game.private, word) {
        (None, None) => Ok(()),
        (None, Some(_)) => refuse(Code::Syntax, "This game is public: there is nothing to write behind the password."),
        (Some(secret), Some(word)) if secret.eq_ignore_ascii_case(word) => Ok(()),
        (Some(_), _) => {
            refuse(Code::Private, "This game is private: write its word behind your password; the Master knows it.")
        }
    }
}

/// Whether this person already plays here; an observer, monitor or waiting seat of his is given up for a new seat when the
/// password fits.
fn other_seat(
    table: &Table,
    who: &Person,
    address: &str,
    password: &str,
    tools: &Tools,
) -> Result<Option<usize>, Refusal> {
    let same = |p: &Participant| {
        p.address.iter().any(|a| a.eq_ignore_ascii_case(address))
            || person(p).is_some_and(|q| {
                (!q.id.is_empty() && q.id != "NO-ID" && q.id == who.id)
                    || q.addresses.iter().any(|a| a.eq_ignore_ascii_case(address))
            })
    };
    match table.game.participants.iter().position(|p| same(p) && !is_vacant(p)) {
        None => Ok(None),
        Some(n) if table.game.participants[n].kind == ParticipantKind::Power => {
            refuse(Code::AlreadyPlaying, "You play in this game already.")
        }
        Some(n) => match &table.game.participants[n].password {
            Some(stored) if tools.secrets.verify(stored, password) => Ok(Some(n)),
            _ => refuse(Code::BadLogin, "You have a place in this game already, with another password."),
        },
    }
}

fn is_the_master(table: &Table, who: &Person, address: &str) -> bool {
    table.master_addresses().iter().any(|a| a.eq_ignore_ascii_case(address))
        || matches!(table.game.master.as_ref().map(|m| &m.current), Some(Holder::Person(p)) if !p.id.is_empty() && p.id != "NO-ID" && p.id == who.id)
}

fn line_of(who: Person) -> Option<PlayerLine> {
    Some(PlayerLine::new(who))
}

/// Turns a refusal of a header command into the outcome that says so; nothing else is done.
pub fn refused(table: &mut Table, block: &Block, refusal: &Refusal) -> Outcome {
    let mut desk = Desk::new(table);
    desk.reply.refuse(&block.line, refusal);
    for item in &block.items {
        use super::commands::Item;
        let line = match item {
            Item::Press(p) => &p.line,
            Item::Command(l, _) | Item::Order(l) | Item::Wrong(l, _) => l,
        };
        desk.reply.note(line.number, Mark::Skip, masked(&line.text));
    }
    desk.reply.paragraphs.push("Nothing was changed.".into());
    desk.reply.outcome = "refused".into();
    let (game, index) = (desk.table.game.clone(), desk.table.index.clone());
    desk.close(&game, &index, String::new())
}

/// The body of a JOIN, OBSERVE or TAKEOVER: the seat is taken whatever the body says.
fn body(desk: &mut Desk, on: &SignedOn, block: &Block, tools: &Tools) {
    let plan = session::plan(desk.table, on, block, tools);
    if session::execute(desk, on, block, plan, tools, false) {
        session::finish(desk, tools);
    }
}

/// JOIN (mail-commands.md 3.3), its checks in the order of that table.
pub fn join(
    table: &mut Table,
    block: &Block,
    power: Option<&str>,
    password: &str,
    word: &Option<String>,
    tools: &Tools,
) -> Outcome {
    let (before, index) = (table.game.clone(), table.index.clone());
    let admitted = admit(table, power, password, word, tools);
    let (who, name, given_up) = match admitted {
        Ok(found) => found,
        Err(refusal) => return refused(table, block, &refusal),
    };
    if let Some(n) = given_up {
        table.game.participants.remove(n);
    }
    let kind = if power.is_some() { ParticipantKind::Power } else { ParticipantKind::Waiting };
    table.game.participants.push(Participant {
        kind,
        name: name.clone(),
        player: line_of(who),
        address: vec![tools.sender.address.clone()],
        password: Some(tools.secrets.hash(password)),
        ..Participant::default()
    });
    let seat = table.game.participants.len() - 1;
    let on = SignedOn { who: Who::Seat(seat), rank: Rank::Own };
    let title = table.title(&on.who);
    let game = table.game.name.clone();
    let mut desk = Desk::new(table);
    desk.reply.note(block.line.number, Mark::Ok, masked(&block.line.text));
    desk.reply.paragraphs.push(welcome(desk.table, &title));
    let open = desk.table.open_seats();
    if !desk.table.rule(Rule::SilentJoin) && open > 0 {
        let text = format!(
            "{title} has joined game {game}.\n{} more {} needed before it can begin.\n",
            open,
            if open == 1 { "player is" } else { "players are" }
        );
        let letters = desk.table.letters(
            &desk.table.circle(Circle::Everyone),
            "N03",
            &format!("Diplomacy game {game} notice"),
            &text,
        );
        desk.decision.letters.extend(letters);
    }
    body(&mut desk, &on, block, tools);
    if open == 0 && desk.table.forming() {
        full(&mut desk);
    }
    desk.reply.outcome = "executed".into();
    session::access(&mut desk, &on, tools);
    let audit = format!("{title} joined");
    desk.close(&before, &index, audit)
}

type Admitted = (Person, String, Option<usize>);

fn admit(
    table: &Table,
    power: Option<&str>,
    password: &str,
    word: &Option<String>,
    tools: &Tools,
) -> Result<Admitted, Refusal> {
    let who = registered(tools)?;
    if !table.forming() || table.index.state != GameState::Forming {
        return match table.index.state {
            GameState::Preparation => refuse(Code::Full, "The Master has not opened this game for players yet."),
            _ => refuse(Code::Full, "This game is full: it has begun already. LIST shows games with room."),
        };
    }
    let chosen = match power {
        None => None,
        Some(_) if !table.rule(Rule::PowerChoice) => {
            return refuse(Code::NoChoice, "Powers of this game are dealt at random: write JOIN and the game alone.");
        }
        Some(name) => match table.referee.seats().iter().find(|s| s.key == name) {
            None => return refuse(Code::NoPower, format!("There is no power {name} on this map; give its full name.")),
            Some(seat) if seat.dummy => {
                return refuse(Code::PowerDummy, format!("{} is played by nobody in this game.", seat.title));
            }
            Some(seat) => match table.participant(&seat.key) {
                Some(_) => return refuse(Code::PowerTaken, format!("{} is taken.", seat.title)),
                None => Some(seat.key.clone()),
            },
        },
    };
    if !table.game.groups.is_empty() {
        return refuse(Code::NotInvited, "This game is for a closed circle.");
    }
    let given_up = other_seat(table, &who, &tools.sender.address, password, tools)?;
    if given_up.is_some_and(|n| table.game.participants[n].kind == ParticipantKind::Waiting) && chosen.is_none() {
        return refuse(Code::AlreadyPlaying, "You have a seat in this game already.");
    }
    if table.open_seats() == 0 {
        return refuse(Code::Full, "All seats are taken.");
    }
    if is_the_master(table, &who, &tools.sender.address) {
        return refuse(Code::IsMaster, "The Master of a game does not play in it.");
    }
    privacy(table, word)?;
    let name = chosen.unwrap_or_else(|| {
        let mut n = 1;
        while table.seat_index(&format!("POWER#{n}")).is_some() {
            n += 1;
        }
        format!("POWER#{n}")
    });
    // Old players know short passwords; the lower bound holds for new ones only where nothing else is asked of them.
    if password.contains(['<', '>']) || password.chars().count() > 64 {
        new_password(password)?;
    }
    Ok((who, name, given_up))
}

/// N02, part of the reply.
fn welcome(table: &Table, title: &str) -> String {
    let letter =
        title.strip_prefix("Power#").map(str::to_string).unwrap_or_else(|| format!("{}@", title.to_uppercase()));
    let press = if table.rule(Rule::NoPress) {
        "There is no press between players."
    } else if table.rule(Rule::PublicPress) {
        "All press is public."
    } else {
        "Players may write to each other through the judge."
    };
    format!(
        "Welcome to game {game}: you are {title}.\n\
         To do something later, begin a mail to {address} with the line\n\
         \x20   SIGNON {letter}{game} your-password\n\
         {press}\nDeadlines: {timing}.\nThe game's page: {url}\n",
        game = table.game.name,
        address = table.house.address,
        timing = super::time::policy(&table.game),
        url = table.game_url(),
    )
}

/// The last seat is taken: the game begins, or waits for its Master.
fn full(desk: &mut Desk) {
    let name = desk.table.game.name.clone();
    let reason = if desk.table.rule(Rule::StartMaster) {
        None
    } else {
        match begin(desk) {
            Ok(()) => return,
            Err(reason) => Some(reason),
        }
    };
    let text = format!("All seats of game {name} are taken. It begins when its Master sends ACTIVATE.\n");
    let everyone = desk.table.circle(Circle::Everyone);
    let subject = format!("Diplomacy game {name} full");
    let letters = desk.table.letters(&everyone, "N04", &subject, &text);
    desk.decision.letters.extend(letters);
    if let Some(reason) = reason {
        let text = format!("{text}\nIt could not begin by itself: {reason}\n");
        let letters = desk.table.letters(&desk.table.master_recipients(), "N04", &subject, &text);
        desk.decision.letters.extend(letters);
    }
}

/// OBSERVE, MONITOR and other types.
pub fn enrol(
    table: &mut Table,
    block: &Block,
    kind: &str,
    name: &str,
    password: &str,
    word: &Option<String>,
    tools: &Tools,
) -> Outcome {
    let (before, index) = (table.game.clone(), table.index.clone());
    let check = || -> Result<(Person, Option<usize>), Refusal> {
        let monitor = kind == "MONITOR";
        let who = match registered(tools) {
            Ok(who) => who,
            Err(_) if monitor => {
                Person { id: "NO-ID".into(), addresses: vec![tools.sender.address.clone()], name: String::new() }
            }
            Err(refusal) => return Err(refusal),
        };
        if kind != "OBSERVER" && !monitor && !table.game.allow.iter().any(|a| a == kind) {
            return refuse(Code::BadType, format!("This game has no {kind}."));
        }
        new_id(table, name)?;
        let mut given_up = other_seat(table, &who, &tools.sender.address, password, tools)?;
        if let Some((n, _)) = table.participant(name)
            && given_up != Some(n)
        {
            return refuse(Code::BadId, format!("{name} is taken. Choose another name."));
        }
        if given_up.is_some_and(|n| table.game.participants[n].kind == ParticipantKind::Waiting) {
            given_up = None;
        }
        if !monitor {
            privacy(table, word)?;
        }
        Ok((who, given_up))
    };
    let (who, given_up) = match check() {
        Ok(found) => found,
        Err(refusal) => return refused(table, block, &refusal),
    };
    if let Some(n) = given_up {
        table.game.participants.remove(n);
    }
    table.game.participants.push(Participant {
        kind: ParticipantKind::Other(kind.to_string()),
        name: name.to_string(),
        player: line_of(who),
        address: vec![tools.sender.address.clone()],
        password: Some(tools.secrets.hash(password)),
        ..Participant::default()
    });
    let on = SignedOn { who: Who::Seat(table.game.participants.len() - 1), rank: Rank::Own };
    let title = table.title(&on.who);
    let mut desk = Desk::new(table);
    desk.reply.note(block.line.number, Mark::Ok, masked(&block.line.text));
    let welcome = format!("You follow game {} as {title} ({}).\n", desk.table.game.name, kind.to_lowercase());
    desk.reply.paragraphs.push(welcome);
    body(&mut desk, &on, block, tools);
    desk.reply.outcome = "executed".into();
    session::access(&mut desk, &on, tools);
    desk.close(&before, &index, format!("{title} came as {kind}"))
}

/// TAKEOVER (mail-commands.md 3.6).
pub fn takeover(
    table: &mut Table,
    block: &Block,
    seat: &str,
    password: &str,
    word: &Option<String>,
    tools: &Tools,
) -> Outcome {
    let (before, index) = (table.game.clone(), table.index.clone());
    if matches!(table.who(seat), Some(Who::Master)) {
        return take_mastership(table, block, password, tools);
    }
    let check = || -> Result<(usize, Person, Option<usize>), Refusal> {
        let who = registered(tools)?;
        let n = match table.who(seat) {
            Some(Who::Seat(n)) => n,
            _ => return refuse(Code::NoPower, format!("{seat} is no power of game {}.", table.game.name)),
        };
        if !is_vacant(&table.game.participants[n]) {
            return refuse(Code::NotVacant, format!("{} is not vacant.", table.title(&Who::Seat(n))));
        }
        let given_up = other_seat(table, &who, &tools.sender.address, password, tools)?;
        if is_the_master(table, &who, &tools.sender.address) {
            return refuse(Code::IsMaster, "The Master of a game does not play in it.");
        }
        privacy(table, word)?;
        new_password(password)?;
        Ok((n, who, given_up))
    };
    let (n, who, given_up) = match check() {
        Ok(found) => found,
        Err(refusal) => return refused(table, block, &refusal),
    };
    let key = table.game.participants[n].name.clone();
    if let Some(other) = given_up {
        table.game.participants.remove(other);
    }
    let n = table.seat_index(&key).unwrap_or(n);
    let phase = table.phase();
    let p = &mut table.game.participants[n];
    p.player = Some(taken_over(p.player.take(), who, &phase));
    p.address = vec![tools.sender.address.clone()];
    p.password = Some(tools.secrets.hash(password));
    let on = SignedOn { who: Who::Seat(n), rank: Rank::Own };
    let title = table.title(&on.who);
    let mut desk = Desk::new(table);
    desk.reply.note(block.line.number, Mark::Ok, format!("{} ({title})", masked(&block.line.text)));
    filled(&mut desk, &key);
    let text = format!(
        "You have taken over {title} in game {}.\nPhase {phase}; deadline {}.\n",
        desk.table.game.name,
        desk.table.deadline_long()
    );
    let own = [Recipient { address: tools.sender.address.clone(), seat: Some(n) }];
    let letters = desk.table.letters(&own, "N23", "Diplomacy takeover notice", &text);
    desk.decision.letters.extend(letters);
    let text = format!(
        "{title} in game {} has been taken over by a new player.\n{}",
        desk.table.game.name,
        resumed(desk.table)
    );
    let letters =
        desk.table.letters(&desk.table.circle(Circle::Everyone), "N24", "Diplomacy position taken over", &text);
    desk.decision.letters.extend(letters);
    body(&mut desk, &on, block, tools);
    desk.reply.outcome = "executed".into();
    session::access(&mut desk, &on, tools);
    desk.close(&before, &index, format!("{title} taken over"))
}

pub(super) fn resumed(table: &Table) -> String {
    if table.index.state == GameState::Active && table.no_vacancy() {
        format!("The game goes on; the deadline is {}.\n", table.deadline_long())
    } else {
        String::new()
    }
}

fn take_mastership(table: &mut Table, block: &Block, password: &str, tools: &Tools) -> Outcome {
    let (before, index) = (table.game.clone(), table.index.clone());
    let check = || -> Result<Person, Refusal> {
        let who = registered(tools)?;
        sign_on(table, "M", password, tools.secrets)?;
        Ok(who)
    };
    let who = match check() {
        Ok(who) => who,
        Err(refusal) => return refused(table, block, &refusal),
    };
    let old = table.master_recipients();
    let phase = table.phase();
    table.game.master = Some(taken_over(table.game.master.take(), who, &phase));
    table.game.address = vec![tools.sender.address.clone()];
    let name = table.master_name();
    let mut desk = Desk::new(table);
    desk.reply.note(block.line.number, Mark::Ok, masked(&block.line.text));
    let text = format!("{name} is now the Master of game {}.\n", desk.table.game.name);
    let subject = "Diplomacy master takeover notice";
    let letters = desk.table.letters(&old, "N25", subject, &text);
    desk.decision.letters.extend(letters);
    let letters = desk.table.letters(&desk.table.master_recipients(), "N23", subject, &text);
    desk.decision.letters.extend(letters);
    desk.reply.outcome = "executed".into();
    desk.close(&before, &index, "new Master".into())
}

/// A PLAYER or MASTER line after somebody came (status-file.md 5.1).
pub(super) fn taken_over(old: Option<PlayerLine>, who: Person, phase: &str) -> PlayerLine {
    match old {
        Some(line) => line.taken_over(who, phase),
        None => PlayerLine::new(who),
    }
}

/// The last person who held a vacant or dummied seat.
pub fn last_player(p: &Participant) -> Option<&Person> {
    p.player.as_ref()?.earlier.iter().find_map(|(_, h)| match h {
        Holder::Person(person) => Some(person),
        _ => None,
    })
}

/// RESIGN by the player (mail-commands.md 3.5): the body first; any error in it cancels the resignation.
pub fn resign_by_mail(table: &mut Table, block: &Block, on: &SignedOn, tools: &Tools) -> Outcome {
    let (before, index) = (table.game.clone(), table.index.clone());
    let Who::Seat(n) = on.who else {
        let refusal = Refusal {
            code: Code::MasterResign,
            sentence: "The Master hands a game over by TAKEOVER; he cannot resign.".into(),
        };
        return refused(table, block, &refusal);
    };
    if is_vacant(&table.game.participants[n]) || is_dummy(&table.game.participants[n]) {
        let refusal = Refusal { code: Code::NotHeld, sentence: "Nobody holds that seat.".into() };
        return refused(table, block, &refusal);
    }
    let title = table.title(&on.who);
    let plan = session::plan(table, on, block, tools);
    let mut desk = Desk::new(table);
    let done = session::execute(&mut desk, on, block, plan, tools, true);
    let shown = masked(&block.line.text);
    if done {
        session::finish(&mut desk, tools);
        desk.reply.note(block.line.number, Mark::Ok, format!("{shown} ({title})"));
        if let Some(n) = desk.table.seat_index(&before.participants[n].name) {
            resign(&mut desk, n, false);
        }
    } else {
        desk.reply.note(block.line.number, Mark::Skip, format!("{shown} ({title}): you stay in the game"));
    }
    desk.reply.outcome = if done { "executed" } else { "refused" }.into();
    session::access(&mut desk, on, tools);
    desk.close(&before, &index, format!("{title} resigned"))
}

/// Empties a seat; `by_master`: who did it stands in the notice.
pub fn resign(desk: &mut Desk, n: usize, by_master: bool) {
    let phase = desk.table.phase();
    let title = desk.table.title(&Who::Seat(n));
    let game = desk.table.game.name.clone();
    let own = desk.table.recipients(&[n]);
    let key = desk.table.game.participants[n].name.clone();
    let is_power = desk.table.is_power(&Who::Seat(n));
    let out = is_power && !desk.table.forming() && desk.table.referee.eliminated(&desk.table.game, &key);
    let subject = "Diplomacy resignation notice";
    let by = if by_master { " by the Master" } else { "" };
    if desk.table.forming() || !is_power {
        desk.table.game.participants.remove(n);
    } else {
        let (units, centers) = desk.table.referee.strength(&desk.table.game, &key);
        let blind = desk.table.rule(Rule::Blind);
        let p = &mut desk.table.game.participants[n];
        let address = std::mem::take(&mut p.address);
        p.player = p.player.take().map(|line| line.resigned(&phase, &address));
        p.password = None;
        p.wait = false;
        if !out && !desk.table.completed() {
            let known = |n: u16| if blind { None } else { Some(n) };
            desk.table.game.need.push(Need { power: key, units: known(units), centers: known(centers) });
            desk.table.index.state = GameState::Waiting;
            desk.table.game.delay = 0;
        }
    }
    let text = format!("{title} has been resigned{by} from game {game}.\nThis was sent only to the Master.\n");
    if desk.table.forming() || !is_power || out {
        let letters = desk.table.letters(&desk.table.master_recipients(), "N20", subject, &text);
        desk.decision.letters.extend(letters);
    } else {
        let need = desk.table.game.need.last().cloned();
        let size = match need.and_then(|n| Some((n.units?, n.centers?))) {
            Some((units, centers)) => {
                format!(" the power has {units} {} and {centers} {}.", plural(units, "unit"), plural(centers, "centre"))
            }
            None => String::new(),
        };
        let text = format!(
            "{title} has been resigned{by} from game {game}, {phase}.\nA replacement is sought:{size}\n    TAKEOVER {}@{game} password\n",
            title.to_uppercase()
        );
        let letters = desk.table.letters(&desk.table.circle(Circle::Everyone), "N22", subject, &text);
        desk.decision.letters.extend(letters);
        let advert = super::lists::advert(desk.table);
        desk.decision.letters.extend(advert);
    }
    let text = format!("You no longer play {title} in game {game}: you were resigned{by}.\n");
    let letters = desk.table.letters(&own, "N21", subject, &text);
    desk.decision.letters.extend(letters);
}

fn plural(n: u16, word: &str) -> String {
    if n == 1 { word.into() } else { format!("{word}s") }
}

/// A vacant seat is held again: when it was the last one, the game goes on (clock.md 11).
pub(super) fn filled(desk: &mut Desk, key: &str) {
    let was_waiting = !desk.table.game.need.is_empty();
    desk.table.game.need.retain(|n| n.power != key);
    if was_waiting && desk.table.game.need.is_empty() && desk.table.index.state == GameState::Waiting {
        desk.table.index.state = GameState::Active;
        // Where TIMING leaves no day at all the old deadline stands; the status check tells the Master.
        let _ = process::next_deadline(desk.table, false);
    }
}

/// DUMMY by the Master.
pub fn dummy(desk: &mut Desk, n: usize) {
    let phase = desk.table.phase();
    let key = desk.table.game.participants[n].name.clone();
    let title = desk.table.title(&Who::Seat(n));
    let p = &mut desk.table.game.participants[n];
    let address = std::mem::take(&mut p.address);
    let nobody = PlayerLine { current: Holder::Dummy, earlier: Vec::new() };
    p.player = Some(p.player.take().map_or(nobody, |line| line.dummied(&phase, &address)));
    p.password = None;
    filled(desk, &key);
    let text =
        format!("{title} in game {} is played by nobody from now on.\n{}", desk.table.game.name, resumed(desk.table));
    let letters = desk.table.letters(&desk.table.circle(Circle::Everyone), "N26", "Diplomacy position dummied", &text);
    desk.decision.letters.extend(letters);
}

/// PREFER under the rule PREFERENCES.
pub fn check_preference(table: &Table, on: &SignedOn, letters: &str) -> Result<(), Refusal> {
    let waiting = matches!(on.who, Who::Seat(n) if table.game.participants[n].kind == ParticipantKind::Waiting);
    if !table.rule(Rule::Preferences) || !waiting {
        return refuse(
            Code::Syntax,
            "Wishes for powers are asked for only in games with the rule PREFERENCES, before they begin.",
        );
    }
    match letters.chars().find(|c| !table.referee.seats().iter().any(|s| s.letter == Some(*c))) {
        Some(c) => refuse(Code::NoPower, format!("No power of this map has the letter {c}.")),
        None => Ok(()),
    }
}

/// The game begins (status-file.md 10.5): seats are dealt, units set up, everybody is told.
pub fn begin(desk: &mut Desk) -> Result<(), String> {
    let table = &mut *desk.table;
    if let Some(error) = table.errors.first() {
        return Err(format!("the status file has an error: {error}"));
    }
    if table
        .game
        .participants
        .iter()
        .filter(|p| matches!(p.kind, ParticipantKind::Waiting | ParticipantKind::Power))
        .count()
        == 0
        && !table.rule(Rule::Solitaire)
    {
        return Err("nobody has joined".into());
    }
    let kept = (table.game.clone(), table.index.clone());
    deal(table);
    let referee = table.referee;
    if let Err(reason) = referee.begin(&mut table.game) {
        (table.game, table.index) = kept;
        return Err(reason);
    }
    table.index.state = GameState::Active;
    table.game.start = Some(crate::clock::format::date(table.local_now().date()));
    if let Err(reason) = process::next_deadline(table, true) {
        (table.game, table.index) = kept;
        return Err(reason);
    }
    tell_beginning(desk);
    Ok(())
}

/// Waiting players get their seats: wishes first, where the rule asks for them, then by lot (10.5, step 5).
fn deal(table: &mut Table) {
    let taken: Vec<String> =
        table.game.participants.iter().filter(|p| p.kind == ParticipantKind::Power).map(|p| p.name.clone()).collect();
    let mut free: Vec<(String, Option<char>)> = table
        .referee
        .seats()
        .iter()
        .filter(|s| !s.dummy && !taken.contains(&s.key))
        .map(|s| (s.key.clone(), s.letter))
        .collect();
    let mut rng = ChaCha8Rng::seed_from_u64(table.seed);
    let mut waiting: Vec<usize> = (0..table.game.participants.len())
        .filter(|n| table.game.participants[*n].kind == ParticipantKind::Waiting)
        .collect();
    shuffle(&mut free, &mut rng);
    // Who chooses first is drawn too, so that joining early gives no power by right.
    shuffle(&mut waiting, &mut rng);
    for n in waiting {
        let wishes = if table.rules.has(Rule::Preferences) {
            table.game.participants[n].prefer.clone().unwrap_or_default()
        } else {
            String::new()
        };
        let at = wishes.chars().find_map(|c| free.iter().position(|(_, l)| *l == Some(c))).unwrap_or(0);
        if free.is_empty() {
            break;
        }
        let (key, _) = free.remove(at);
        let p = &mut table.game.participants[n];
        p.kind = ParticipantKind::Power;
        p.name = key;
        p.prefer = None;
    }
    if !free.is_empty() {
        let mut left: Vec<String> = free.into_iter().map(|(key, _)| key).collect();
        left.sort();
        table.game.morph.push(format!("UNPLAYED {}", left.join(" ")));
    }
}

fn shuffle<T>(list: &mut [T], rng: &mut ChaCha8Rng) {
    for n in (1..list.len()).rev() {
        let m = (rng.next_u64() % (n as u64 + 1)) as usize;
        list.swap(n, m);
    }
}

/// N05 to each player, N06 to all, and the start entry of the results file.
fn tell_beginning(desk: &mut Desk) {
    let table = &desk.table;
    let game = table.game.name.clone();
    let scene = sight::scene_now(table);
    let mut letters = Vec::new();
    for n in table.players() {
        let title = table.title(&Who::Seat(n));
        let text = format!(
            "You are {title} in game {game}.\n\nThe first deadline is {}.\nBegin your mails with SIGNON {}@{game} and your password.\n",
            table.deadline_long(),
            table.game.participants[n].name
        );
        let assignment = table.letters(&table.recipients(&[n]), "N05", "Diplomacy power assignment", &text);
        letters.extend(with_scene(assignment, scene.clone()));
    }
    let players: Vec<String> = table.players().iter().map(|n| table.title(&Who::Seat(*n))).collect();
    let text = format!(
        "{}\nGame {game} begins with {}.\n\n{}\nThe first phase is {}.\nThe deadline for orders will be {}.\n",
        table.header(),
        and_list(&players),
        table.referee.position_report(&table.game),
        table.referee.phase_title(&table.game),
        table.deadline_long()
    );
    let subject = format!("Diplomacy game {game} starting");
    letters.extend(with_scene(table.letters(&table.circle(Circle::Everyone), "N06", &subject, &text), scene));
    desk.decision.letters.extend(letters);
    process::file_report(desk, &subject, &text);
    let record = desk.table.referee.record_now(&desk.table.game);
    desk.decision.files.push(FileEdit::Replace("start.json".into(), format!("{record}\n")));
}
