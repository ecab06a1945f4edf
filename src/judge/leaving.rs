//! Seats that are given up: by their player, by the Master, by the clock; and dummies (mail-commands.md 3.5, 4).

use super::code::{Code, Refusal};
use super::commands::Block;
use super::decision::GameState;
use super::post::{Circle, Recipient};
use super::reply::{Mark, masked};
use super::seats::{filled, refused, resumed};
use super::session::{self, Desk, Outcome, Tools};
use super::signon::SignedOn;
use super::table::{Table, Who, is_dummy, is_vacant};
use crate::diplomacy::rules::Rule;
use crate::status::{Holder, Need, PlayerLine};

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
            resign(&mut desk, n, By::Player);
        }
    } else {
        desk.reply.note(block.line.number, Mark::Skip, format!("{shown} ({title}): you stay in the game"));
    }
    desk.reply.outcome = if done { "executed" } else { "refused" }.into();
    session::access(&mut desk, on, tools);
    desk.close(&before, &index, format!("{title} resigned"))
}

/// Who empties a seat; it stands in the notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Its player.
    Player,
    /// The Master.
    Master,
    /// The clock, at the end of grace (clock.md 11).
    Clock,
}

/// Empties a seat.
pub fn resign(desk: &mut Desk, n: usize, whose: By) {
    let phase = desk.table.phase();
    let title = desk.table.title(&Who::Seat(n));
    let game = desk.table.game.name.clone();
    // By the time the receipt is written the seat may be gone, and its number another's.
    let own: Vec<Recipient> = desk.table.recipients(&[n]).into_iter().map(|r| Recipient { seat: None, ..r }).collect();
    let key = desk.table.game.participants[n].name.clone();
    let seat = key.clone();
    let is_power = desk.table.is_power(&Who::Seat(n));
    let out = is_power && !desk.table.forming() && desk.table.referee.eliminated(&desk.table.game, &key);
    let subject = "Diplomacy resignation notice";
    let by = if whose == By::Master { " by the Master" } else { "" };
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
            "{title} has been resigned{by} from game {game}, {phase}.\nA replacement is sought:{size}\n    TAKEOVER {seat}@{game} password\n"
        );
        let letters = desk.table.letters(&desk.table.circle(Circle::Everyone), "N22", subject, &text);
        desk.decision.letters.extend(letters);
        let advert = super::lists::advert(desk.table);
        desk.decision.letters.extend(advert);
    }
    let how = match whose {
        By::Player => "you have resigned",
        By::Master => "you were resigned by the Master",
        By::Clock => "your orders had not come in by the end of the time of grace",
    };
    let text = format!("You no longer play {title} in game {game}: {how}.\n");
    let letters = desk.table.letters(&own, "N21", subject, &text);
    desk.decision.letters.extend(letters);
}

fn plural(n: u16, word: &str) -> String {
    if n == 1 { word.into() } else { format!("{word}s") }
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
