//! Who sits where: joining, observing, taking over (mail-commands.md 3.3, 3.4, 3.6; status-file.md 5.1).

use super::code::{Code, Refusal, refuse};
use super::commands::Block;
use super::decision::GameState;
use super::post::{Circle, Recipient};
use super::process;
use super::reply::{Mark, masked};
use super::session::{self, Desk, Outcome, Tools};
use super::signon::{Rank, SignedOn, new_id, new_password, sign_on};
use super::table::{Table, Who, is_vacant, person};
use crate::diplomacy::rules::Rule;
use crate::status::{Holder, Participant, ParticipantKind, Person, PlayerLine};

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
    if block.line.text.to_uppercase().starts_with("SIGN") {
        // nJudge's way in (mail-commands.md 9).
        desk.reply
            .paragraphs
            .push(format!("SIGNON ?{game} was taken for JOIN {game}: say that when you join a game here."));
    }
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
    let invited = |group: &String| table.game.groups.iter().any(|g| g.eq_ignore_ascii_case(group));
    if !table.game.groups.is_empty() && !tools.registry.groups(&tools.sender.address).iter().any(invited) {
        let sentence = "This game is for a closed circle; the judgekeeper can enter you in it.";
        return refuse(Code::NotInvited, sentence);
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
    // Whoever changes his place keeps the password that he has.
    if given_up.is_none() {
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
         To do something later, begin a mail to {address}\n\
         with the line\n\
         \x20   SIGNON {letter}{game} your-password\n\
         {press}\nDeadlines: {timing}.\nThe game's page, with its rules: {url}\n",
        game = table.game.name,
        address = table.house.address,
        timing = super::time::policy(table),
        url = table.game_url(),
    )
}

/// N02 for who watches, or plays no power.
fn welcome_watcher(table: &Table, title: &str, kind: &str) -> String {
    let press = match (kind, table.rule(Rule::MuteObservers)) {
        ("monitor", _) => "You get the results and are told of deadlines; you may write to the Master.",
        ("observer", true) => "You may write to the Master; players do not hear from observers.",
        _ => "You get the results, and may write to the players through the judge.",
    };
    format!(
        "You follow game {game} as {title} ({kind}).\n\
         To do something later, begin a mail to {address}\n\
         with the line\n\
         \x20   SIGNON {}@{game} your-password\n\
         {press}\nDeadlines: {timing}.\nThe game's page, with its rules: {url}\n",
        title.to_uppercase(),
        game = table.game.name,
        address = table.house.address,
        timing = super::time::policy(table),
        url = table.game_url(),
    )
}

/// The last seat is taken: the game begins, or waits for its Master.
fn full(desk: &mut Desk) {
    let name = desk.table.game.name.clone();
    let reason = if desk.table.rule(Rule::StartMaster) {
        None
    } else {
        match super::beginning::begin(desk) {
            Ok(()) => return,
            Err(reason) => Some(reason),
        }
    };
    let text = format!("All seats of game {name} are taken. It begins when its Master sends ACTIVATE.\n");
    let mut everyone = desk.table.circle(Circle::Everyone);
    let master = desk.table.master_recipients();
    if reason.is_some() {
        // He reads the same with the reason behind it.
        everyone.retain(|r| !master.iter().any(|m| m.address.eq_ignore_ascii_case(&r.address)));
    }
    let subject = format!("Diplomacy game {name} full");
    let letters = desk.table.letters(&everyone, "N04", &subject, &text);
    desk.decision.letters.extend(letters);
    if let Some(reason) = reason {
        let text = format!("{text}\nIt could not begin by itself: {reason}\n");
        let letters = desk.table.letters(&master, "N04", &subject, &text);
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
        let known_here = given_up.is_some();
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
        if !known_here {
            new_password(password)?;
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
    desk.reply.paragraphs.push(welcome_watcher(desk.table, &title, &kind.to_lowercase()));
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
    let on = SignedOn { who: Who::Master, rank: Rank::Own };
    body(&mut desk, &on, block, tools);
    desk.reply.outcome = "executed".into();
    session::access(&mut desk, &on, tools);
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

/// A vacant seat is held again: when it was the last one, the game goes on (clock.md 11).
pub(super) fn filled(desk: &mut Desk, key: &str) {
    let was_waiting = !desk.table.game.need.is_empty();
    desk.table.game.need.retain(|n| n.power != key);
    if was_waiting && desk.table.game.need.is_empty() && desk.table.index.state == GameState::Waiting {
        desk.table.index.state = GameState::Active;
        // Where TIMING leaves no day at all the old deadline stands; the status check tells the Master.
        let _ = process::next_deadline(desk.table, false);
        process::correct_report(desk);
    }
}
