//! Body commands: what may be said by whom, and what it does (mail-commands.md 4).

use super::account;
use super::code::{Code, Refusal, refuse};
use super::commands::{Command, Line};
use super::post::Circle;
use super::press::Official;
use super::reply::{Mark, masked};
use super::session::{Desk, Tools};
use super::signon::{SignedOn, new_password};
use super::table::{Table, Who};
use super::{beginning, lists, master, votes, wants};
use crate::clock;
use crate::diplomacy::rules::Rule;
use crate::mail::MailAddress;
use crate::status::{ParticipantKind, PhaseKeyword};

fn is_master(on: &SignedOn) -> bool {
    matches!(on.who, Who::Master | Who::Keeper)
}

/// Whether an address may stand in a status file and be written to.
pub(super) fn usable(address: &str) -> bool {
    crate::status::lexis::is_address(address) && MailAddress::parse(address).is_ok()
}

/// Pass 1: everything about a command that can be told without acting.
pub fn check(table: &Table, on: &SignedOn, command: &Command, tools: &Tools) -> Result<(), Refusal> {
    if command.is_masters() && !is_master(on) {
        return refuse(Code::MasterOnly, format!("{} is for the Master of the game.", word(command)));
    }
    match command {
        Command::Status | Command::Help | Command::WhoGame | Command::Map(_) => Ok(()),
        Command::List(game) | Command::Summary(game) | Command::History { game, .. } => match game {
            Some(game) if *game != table.game.name => refuse(
                Code::Syntax,
                format!(
                    "This sign-on is for game {}; a line about {game} stands before the SIGNON line.",
                    table.game.name
                ),
            ),
            _ => lists::permitted(table, Some(on)),
        },
        Command::SetAddress(given) => {
            let list = given.clone().unwrap_or_else(|| tools.sender.address.clone());
            match list.split(',').find(|a| !usable(a)) {
                Some(bad) => refuse(Code::BadAddress, format!("{bad:?} is no mail address.")),
                None => Ok(()),
            }
        }
        Command::SetPassword(new) => new_password(new),
        Command::SetWait(_) => may_wait(table, on),
        Command::SetAbsence(text) => absence(table, on, text).map(|_| ()),
        Command::SetNoAbsence(text) => revoked(table, text).map(|_| ()),
        Command::SetDeadline(text) => deadline(table, on, text).map(|_| ()),
        Command::SetZone(Some(name)) => match clock::zone::named(name) {
            Ok(_) => Ok(()),
            Err(_) => refuse(Code::BadZone, format!("{name} is no time zone; write one like Europe/Paris or GMT.")),
        },
        Command::SetZone(None) | Command::SetNoZone => Ok(()),
        Command::SetStrict(_) if is_master(on) => {
            refuse(Code::Syntax, "SET STRICT is for seats; the Master's password is taken from any address.")
        }
        Command::SetStrict(_) => Ok(()),
        Command::SetNotify(words) => wants::read(table, &on.who, words).map(|_| ()),
        Command::Vote(vote) => votes::read(table, on, Some(*vote)).map(|_| ()),
        Command::VoteDraw => votes::read(table, on, None).map(|_| ()),
        Command::Propose(what) => votes::check_proposal(table, on, what).map(|_| ()),
        Command::WithdrawProposal => match (&on.who, &table.game.proposal) {
            (Who::Seat(n), Some(p)) if p.proposer == table.game.participants[*n].name => Ok(()),
            _ => refuse(Code::BadVote, "Only who made the running proposal can withdraw it."),
        },
        Command::Prefer(letters) => beginning::check_preference(table, on, letters),
        Command::SetListed(_) | Command::Official(_) => Ok(()),
        Command::Form
        | Command::Activate
        | Command::Wait
        | Command::Terminate
        | Command::Process { .. }
        | Command::Preview
        | Command::Rollback(_)
        | Command::Rollforward(_)
        | Command::Resign(_)
        | Command::Dummy(_)
        | Command::Revive(..)
        | Command::Become(_)
        | Command::Reveal => master::check(table, on, command),
    }
}

/// The word of a command for replies.
pub fn word(command: &Command) -> &'static str {
    match command {
        Command::SetListed(_) => "SET LISTED",
        Command::SetNoAbsence(_) => "SET NOABSENCE",
        Command::Official(_) => "OFFICIAL",
        Command::Form => "FORM",
        Command::Activate => "ACTIVATE",
        Command::Wait => "WAIT",
        Command::Terminate => "TERMINATE",
        Command::Process { .. } => "PROCESS",
        Command::Preview => "PREVIEW",
        Command::Rollback(_) => "ROLLBACK",
        Command::Rollforward(_) => "ROLLFORWARD",
        Command::Resign(_) => "RESIGN power",
        Command::Dummy(_) => "DUMMY",
        Command::Revive(..) => "REVIVE",
        Command::Become(_) => "BECOME",
        Command::Reveal => "REVEAL",
        _ => "This",
    }
}

fn may_wait(table: &Table, on: &SignedOn) -> Result<(), Refusal> {
    let minor = table.rule(Rule::NoMinorWait) && table.referee.phase_kind(&table.game) != "MOVEMENT";
    match &on.who {
        Who::Seat(n) if table.is_power(&on.who) && !table.forming() && !table.completed() => {
            let p = &table.game.participants[*n];
            if table.game.keyword == PhaseKeyword::Await {
                refuse(Code::Locked, "The phase is being processed.")
            } else if table.past_deadline() {
                refuse(Code::NoWait, "The deadline is over: WAIT has no meaning any more.")
            } else if table.referee.eliminated(&table.game, &p.name) {
                refuse(Code::NoWait, "Your power is out of the game.")
            } else if !p.control.is_empty() {
                refuse(Code::NoWait, "A controlled power waits with its controller.")
            } else if table.rule(Rule::RealTime) {
                refuse(
                    Code::NoWait,
                    "This game is played in real time (RULE REAL_TIME): nothing waits for the deadline.",
                )
            } else if minor {
                refuse(Code::NoWait, "In this game WAIT is for movement phases.")
            } else {
                Ok(())
            }
        }
        _ => refuse(Code::NoWait, "Only a power of a running game can ask to wait for the deadline."),
    }
}

/// SET ABSENCE: the new NOT value and the period in words.
fn revoked(table: &Table, text: &str) -> Result<super::time::Revoked, Refusal> {
    super::time::revoke_absence(table, text).map_err(|sentence| Refusal { code: Code::BadAbsence, sentence })
}

fn absence(table: &Table, on: &SignedOn, text: &str) -> Result<super::time::NewAbsence, Refusal> {
    super::time::set_absence(table, text, is_master(on))
        .map_err(|sentence| Refusal { code: Code::BadAbsence, sentence })
}

/// SET DEADLINE: the new wall-clock stamp.
fn deadline(table: &Table, on: &SignedOn, text: &str) -> Result<chrono::NaiveDateTime, Refusal> {
    if !(is_master(on) || table.rule(Rule::PlayerDeadlines) && table.is_power(&on.who)) {
        return refuse(Code::MasterOnly, "SET DEADLINE is for the Master of the game.");
    }
    super::time::set_deadline(table, text, is_master(on)).map_err(|sentence| Refusal { code: Code::BadDate, sentence })
}

/// Pass 2.
pub fn act(desk: &mut Desk, on: &SignedOn, line: &Line, command: &Command, tools: &Tools) {
    let shown = masked(&line.text);
    let number = line.number;
    let result: Result<String, Refusal> = match command {
        Command::Status => {
            desk.reply.confirms_orders = true;
            Ok("orders on file below".into())
        }
        Command::List(_) => {
            let letters = lists::game_list(desk.table, &tools.sender.address, Some(on));
            desk.decision.letters.push(letters);
            Ok("list of the game in a mail of its own".into())
        }
        Command::Summary(_) => {
            let letter = lists::summary(desk.table, &tools.sender.address, Some(on));
            desk.decision.letters.push(letter);
            Ok("summary in a mail of its own".into())
        }
        Command::History { from, to, .. } => {
            let letter = lists::history(desk.table, &tools.sender.address, Some(on), from.as_deref(), to.as_deref());
            desk.decision.letters.push(letter);
            Ok("history in a mail of its own".into())
        }
        Command::Map(words) => lists::map_letter(desk.table, &tools.sender.address, Some(on), words).map(|letter| {
            desk.decision.letters.push(letter);
            "map in a mail of its own".into()
        }),
        Command::Help => {
            let text = super::help::page(desk.table, on);
            desk.reply.paragraphs.push(text);
            Ok("see below".into())
        }
        Command::WhoGame => {
            let text = lists::roster(desk.table);
            desk.reply.paragraphs.push(text);
            Ok("see below".into())
        }
        Command::SetAddress(given) => {
            let list: Vec<String> = given.clone().unwrap_or_else(|| tools.sender.address.clone()).split(',').map(str::to_string).collect();
            let text = format!("mail goes to {}", list.join(", "));
            match on.who {
                Who::Seat(n) => desk.table.game.participants[n].address = list,
                _ => desk.table.game.address = list,
            }
            Ok(text)
        }
        Command::SetPassword(new) => {
            let hash = tools.secrets.hash(new);
            match on.who {
                Who::Seat(n) => desk.table.game.participants[n].password = Some(hash),
                _ => desk.table.game.password = Some(hash),
            }
            Ok("the new password holds from now on".into())
        }
        Command::SetWait(value) => {
            if let Who::Seat(n) = on.who {
                desk.table.game.participants[n].wait = *value;
                if !value {
                    desk.ordered = true;
                }
            }
            Ok(if *value { "the phase waits for the deadline" } else { "the phase need not wait for the deadline" }.into())
        }
        Command::SetAbsence(text) => absence(desk.table, on, text).map(|new| {
            super::time::put_timing(&mut desk.table.game.timing, "NOT", &new.not);
            let who = desk.table.title(&on.who);
            let hidden = desk.table.rule(Rule::HideAbsentees) || desk.table.rule(Rule::SilentAbsences);
            let say = |name: &str| format!("{name} will be absent {} in game {}.\nNo deadline is set within that time; the present deadline stays.\n", new.words, desk.table.game.name);
            let mut letters = desk.table.letters(&desk.table.master_recipients(), "N33", "Diplomacy absences notice", &say(&who));
            if !desk.table.rule(Rule::SilentAbsences) {
                let master = desk.table.master_addresses();
                let mut others = desk.table.circle(Circle::All);
                others.retain(|r| !master.contains(&r.address));
                let name = if hidden { "A player" } else { who.as_str() };
                letters.extend(desk.table.letters(&others, "N33", "Diplomacy absences notice", &say(name)));
            }
            desk.decision.letters.extend(letters);
            super::round::warn_of_absence(desk, on, &new);
            format!("absence {}", new.words)
        }),
        Command::SetNoAbsence(text) => revoked(desk.table, text).map(|gone| {
            match &gone.not {
                Some(not) => super::time::put_timing(&mut desk.table.game.timing, "NOT", not),
                None => desk.table.game.timing.retain(|(key, _)| key != "NOT"),
            }
            let what = super::post::and_list(&gone.words);
            let text = format!(
                "The Master of game {} has revoked an absence: {what}.\nDeadlines may fall into that time again; the present deadline stays.\n",
                desk.table.game.name
            );
            let to = desk.table.circle(Circle::Everyone);
            let letters = desk.table.letters(&to, "N33a", "Diplomacy absence revoked", &text);
            desk.decision.letters.extend(letters);
            format!("absence {what} revoked")
        }),
        Command::SetZone(Some(name)) => clock::zone::named(name).map_err(|_| Refusal { code: Code::BadZone, sentence: String::new() }).map(|zone| {
            match on.who {
                Who::Seat(n) => {
                    desk.table.game.participants[n].zone = Some(zone.name().to_string());
                    format!("times are shown to you in {} too", zone.name())
                }
                _ if desk.table.zone() == zone => format!("the game's clock is that of {} already", zone.name()),
                _ => {
                    account::moved_zone(desk.table, "The Master", zone.name().to_string());
                    master::announce_deadline(desk, "The Master");
                    format!("the game's clock is that of {}", zone.name())
                }
            }
        }),
        Command::SetZone(None) | Command::SetNoZone => {
            match on.who {
                Who::Seat(n) => desk.table.game.participants[n].zone = None,
                _ if desk.table.zone() == desk.table.house.zone => {}
                _ => {
                    let house = desk.table.house.zone.name().to_string();
                    account::moved_zone(desk.table, "The Master", house);
                    master::announce_deadline(desk, "The Master");
                }
            }
            Ok("zone set back".into())
        }
        Command::SetStrict(value) => {
            if let Who::Seat(n) = on.who {
                desk.table.game.participants[n].strict = *value;
            }
            Ok(if *value { "sign-ons by mail only from the addresses on file" } else { "sign-ons from any address" }.into())
        }
        Command::SetNotify(words) => wants::read(desk.table, &on.who, words).map(|notify| match on.who {
            Who::Seat(n) => {
                let p = &mut desk.table.game.participants[n];
                p.notify = notify;
                wants::describe(p)
            }
            _ => String::new(),
        }),
        Command::SetDeadline(text) => deadline(desk.table, on, text).map(|new| {
            let by = match &on.who {
                Who::Seat(_) if desk.table.rule(Rule::HideExtenders) => "A power".to_string(),
                Who::Seat(_) => desk.table.title(&on.who),
                _ => "The Master".into(),
            };
            master::move_deadline(desk, &by, new);
            format!("the deadline is {}. {}", desk.table.deadline_long(), account::paragraph(desk.table))
        }),
        Command::Vote(vote) => votes::read(desk.table, on, Some(*vote)).map(|vote| {
            votes::cast(desk, on, vote);
            format!("your vote is {}", votes::describe(vote))
        }),
        Command::VoteDraw => votes::read(desk.table, on, None).map(|vote| {
            votes::cast(desk, on, vote);
            format!("your vote is {}", votes::describe(vote))
        }),
        Command::Propose(what) => votes::check_proposal(desk.table, on, what)
            .and_then(|result| votes::propose(desk, on, result))
            .map(|()| "the proposal was made".into()),
        Command::WithdrawProposal => {
            votes::cast(desk, on, crate::status::Vote::No);
            Ok("the proposal is withdrawn".into())
        }
        Command::Prefer(letters) => {
            if let Who::Seat(n) = on.who {
                desk.table.game.participants[n].prefer = Some(letters.clone());
            }
            Ok("your wishes are noted".into())
        }
        Command::SetListed(listed) => {
            desk.table.index.unlisted = !listed;
            Ok(if *listed { "the game stands in the lists" } else { "the game stands in no list" }.into())
        }
        Command::Official(subject) => {
            desk.official = Official(subject.clone());
            Ok("subject of the press that follows".into())
        }
        Command::Process { .. } => {
            // After a CIVIL_PREVIEW the game goes on with that.
            desk.table.index.state = crate::judge::GameState::Active;
            desk.process = true;
            Ok("to be processed".into())
        }
        Command::Preview => {
            desk.preview = true;
            Ok("preview".into())
        }
        _ => master::act(desk, on, command, tools),
    };
    match result {
        Ok(text) if text.is_empty() => desk.reply.note(number, Mark::Ok, shown),
        Ok(text) => desk.reply.note(number, Mark::Ok, format!("{shown}: {text}")),
        Err(refusal) => desk.reply.refuse(line, &refusal),
    }
}

/// Whether a participant may be addressed with game commands as a power.
pub fn power_named(table: &Table, name: &str) -> Result<usize, Refusal> {
    let found = table.rule_seat(name).and_then(|s| table.seat_index(&s.key));
    match found {
        Some(n) if table.game.participants[n].kind == ParticipantKind::Power => Ok(n),
        _ => refuse(Code::NoPower, format!("{name} is no power of this game.")),
    }
}

/// A power, or a waiting player, observer and so on by his full name: who can be resigned by the Master.
pub fn seat_named(table: &Table, name: &str) -> Result<usize, Refusal> {
    match table.who(name) {
        Some(Who::Seat(n)) => Ok(n),
        _ => refuse(Code::NoPower, format!("{name} is nobody in this game.")),
    }
}
