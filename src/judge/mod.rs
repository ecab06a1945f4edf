//! The judge: seats, sign-on, commands, press, lateness, the life of phases. A pure function of
//! (game, event, now, seed) to a [`Decision`]; no files, no sockets, no HTML, no system clock.
//!
//! Events are a block of a message ([`by_mail`]) and a round of the clock ([`round::check`]). A form on the web sends the
//! same commands: there is no second road to the same change.

pub mod account;
mod acts;
pub mod beginning;
pub mod code;
pub mod commands;
pub mod create;
pub mod decision;
pub mod edited;
mod ending;
pub mod extend;
pub mod forgetting;
pub mod help;
pub mod leaving;
pub mod lists;
mod master;
pub mod orders;
pub mod passwords;
mod pending;
pub mod post;
pub mod press;
pub mod process;
mod quota;
pub mod registry;
pub mod reply;
pub mod retelling;
mod rollback;
mod rotation;
pub mod round;
pub mod seats;
pub mod session;
pub mod settings;
pub mod sight;
pub mod signon;
pub mod table;
pub mod time;
pub mod unknown;
pub mod upkeep;
pub mod votes;
pub mod wants;

pub use decision::*;

use commands::{Block, Header};
use session::{Outcome, Tools};
use table::Table;

/// One block of a message that is about an existing game.
pub fn by_mail(table: &mut Table, block: &Block, tools: &Tools) -> Outcome {
    let header = match &block.header {
        Ok(header) => header.clone(),
        Err(refusal) => return seats::refused(table, block, refusal),
    };
    match header {
        Header::SignOn { seat, password, .. } => match signon::sign_on(table, &seat, &password, tools.secrets) {
            Ok(on) => match strict(table, &on, tools) {
                Ok(()) => session::signed_on(table, &on, block, tools),
                Err(refusal) => seats::refused(table, block, &refusal),
            },
            Err(refusal) => seats::refused(table, block, &refusal),
        },
        Header::Resign { seat, password, .. } => match signon::sign_on(table, &seat, &password, tools.secrets) {
            Ok(on) => leaving::resign_by_mail(table, block, &on, tools),
            Err(refusal) => seats::refused(table, block, &refusal),
        },
        Header::Join { power, password, privacy, .. } => {
            seats::join(table, block, power.as_deref(), &password, &privacy, tools)
        }
        Header::Enrol { kind, name, password, privacy, .. } => {
            seats::enrol(table, block, &kind, &name, &password, &privacy, tools)
        }
        Header::TakeOver { seat, password, privacy, .. } => {
            seats::takeover(table, block, &seat, &password, &privacy, tools)
        }
        Header::List { .. } | Header::Summary { .. } | Header::History { .. } | Header::Map { .. } => {
            question(table, block, &header, tools)
        }
        _ => {
            let refusal = code::Refusal {
                code: code::Code::Syntax,
                sentence: "That command is done by the judgekeeper from the command line of the judge.".into(),
            };
            seats::refused(table, block, &refusal)
        }
    }
}

/// SET STRICT: sign-ons only from the addresses on file.
fn strict(table: &Table, on: &signon::SignedOn, tools: &Tools) -> Result<(), code::Refusal> {
    if let table::Who::Seat(n) = on.who
        && on.rank == signon::Rank::Own
    {
        let p = &table.game.participants[n];
        if p.strict && !table.addresses(p).iter().any(|a| a.eq_ignore_ascii_case(&tools.sender.address)) {
            return code::refuse(code::Code::BadLogin, "This seat accepts mail only from its address on file.");
        }
    }
    Ok(())
}

/// LIST, SUMMARY, HISTORY, MAP without a sign-on.
fn question(table: &mut Table, block: &Block, header: &Header, tools: &Tools) -> Outcome {
    if let Err(refusal) = lists::permitted(table, None) {
        return seats::refused(table, block, &refusal);
    }
    let (game, index) = (table.game.clone(), table.index.clone());
    let to = tools.sender.address.as_str();
    let letter = match header {
        Header::List { .. } => Ok(lists::game_list(table, to, None)),
        Header::Summary { .. } => Ok(lists::summary(table, to, None)),
        Header::History { from, to: until, .. } => {
            Ok(lists::history(table, to, None, from.as_deref(), until.as_deref()))
        }
        Header::Map { words, .. } => lists::map_letter(table, to, None, words),
        _ => code::refuse(code::Code::Syntax, "That is no question about a game."),
    };
    let mut desk = session::Desk::new(table);
    match letter {
        Ok(mut letter) => {
            letter.in_reply_to = tools.sender.message_id.clone();
            desk.decision.letters.push(letter);
            // The answer is the mail itself: no second reply for a question alone.
            desk.reply.silent = true;
        }
        Err(refusal) => desk.reply.refuse(&block.line, &refusal),
    }
    desk.reply.outcome = "answered".into();
    desk.close(&game, &index, String::new())
}
