//! HELP: the command card, and a page made for the state of whoever asks.

use super::signon::SignedOn;
use super::table::{House, Table, Who};
use crate::status::ParticipantKind;

/// The card for everybody.
pub fn card(house: &House) -> String {
    format!(
        "Mail to {address} is read line by line; capitals do not matter.\n\
\n\
First line of a mail (no sign-on needed):\n\
  LIST                         games that look for players; LIST game: one game\n\
  SUMMARY game                 centres by year\n\
  HISTORY game                 all results;  HISTORY game S1901M F1902M: a part\n\
  MAP game                     the map\n\
  JOIN game password           take a seat in a forming game\n\
  OBSERVE name@game password   watch and write;  MONITOR name@game password: results only\n\
  TAKEOVER power@game password play a vacant power\n\
  CREATE game password         open a game of your own, then status-file lines, then FORM\n\
  REGISTER                     make yourself known (Name: First Last, END)\n\
\n\
As a player: begin with  SIGNON Fgame password  (F = your power's letter, or FRANCE@game), then\n\
  orders, one a line           A PAR - BUR;  F LON S F EDI - NTH;  F NTH C A LON - NWY\n\
  PARTIAL                      first line of a sheet: store the good lines, keep the rest\n\
  CLEAR                        forget what stands above it, and what is on file\n\
  PRESS TO EG ... ENDPRESS     letter to England and Germany;  BROADCAST ... ENDPRESS: to all\n\
  STATUS                       orders on file\n\
  SET WAIT / SET NOWAIT        do not / do process before the deadline\n\
  SET ADDRESS, SET PASSWORD new, SET ZONE Europe/Paris, SET ABSENCE 24 DEC TO 2 JAN\n\
  VOTE DIAS / SOLO / LOSS      how the game may end\n\
  SIGNOFF                      end of the mail\n\
\n\
As a Master: SIGNON Mgame password, then FORM, ACTIVATE, WAIT, TERMINATE, PROCESS, PREVIEW,\n\
  SET DEADLINE 4 JAN 20:00, RESIGN power, DUMMY power, REVIVE power, OFFICIAL subject.\n",
        address = house.address
    )
}

/// What a signed-on person can do now.
pub fn page(table: &Table, on: &SignedOn) -> String {
    let mut text = match &on.who {
        Who::Seat(n) => {
            let p = &table.game.participants[*n];
            format!("You are {} in game {}, {}.\n", table.title_of(p), table.game.name, table.phase())
        }
        _ => format!(
            "You are the Master of game {}, {} ({}).\n",
            table.game.name,
            table.phase(),
            table.index.state.word()
        ),
    };
    if !table.forming() && !table.completed() {
        text += &format!("Deadline: {}.\n", table.deadline_long());
        if let Who::Seat(n) = on.who {
            let p = &table.game.participants[n];
            if p.kind == ParticipantKind::Power {
                let due = table.referee.owing(&table.game).contains(&p.name);
                text += if due {
                    "Your orders are due. You can write:\n"
                } else {
                    "Nothing is due from you. You can write:\n"
                };
                for line in table.referee.choices(&table.game, &p.name) {
                    text += &format!("  {line}\n");
                }
            }
        }
    }
    text.push('\n');
    text + &card(table.house)
}
