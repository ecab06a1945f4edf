//! HELP: the command card, and a page made for the state of whoever asks.

use super::decision::GameState;
use super::post::wrap;
use super::signon::SignedOn;
use super::table::{House, Table, Who};
use crate::diplomacy::rules::Rule;
use crate::status::ParticipantKind;

/// The card for everybody. At most 72 columns: it is mailed as it stands.
const CARD: &str = "\
Mail to the judge is read line by line; capitals do not matter. The
subject is never read. One command or order a line.

First line of a mail, no sign-on needed:
  LIST, LIST game               games that look for players; one game
  SEARCH words                  games by state: SEARCH forming active
  SUMMARY game, HISTORY game    centres by year; all results
  MAP game                      the map
  JOIN game password            take a seat in a forming game
  OBSERVE name@game password    watch and write
  MONITOR name@game password    get the results only
  TAKEOVER power@game password  play a vacant power
  CREATE game password          open a game of your own
  REGISTER                      make yourself known
  HELP topic                    more about one of: ORDERS PRESS JOIN
                                CREATE MASTER VOTE ABSENCE REGISTER

As a player begin with  SIGNON Fgame password  (F is your power's
letter; SIGNON FRANCE@game password is the same). Then, in any order:
  A PAR - BUR                   an order; see HELP ORDERS
  PRESS TO EG ... ENDPRESS      a letter to England and Germany
  BROADCAST ... ENDPRESS        a letter to all
  STATUS                        the orders on file
  CLEAR                         take orders back
  SET WAIT, SET NOWAIT          process at the deadline, or when ready
  SET PASSWORD new              a new password
  SET ADDRESS you@example.org   where your mail goes
  SET ZONE Europe/Paris         times in your zone
  SET ABSENCE 24 DEC TO 2 JAN   no deadline in that time
  SET NOTIFY RESULTS PRESS      mails you want: these, REMINDERS, ALL;
                                who watches: NONE, DIGEST (one a day)
  VOTE DIAS                     or SOLO, LOSS: how the game may end
  SIGNOFF                       end of the mail
";

/// Topics and their pages.
const TOPICS: [(&str, &str); 8] = [
    (
        "ORDERS",
        "\
A sheet is all order lines of a sign-on. It replaces what is on file,
and only when every line is good; each line is answered.

  A MAR H                       hold
  F BRE - MAO                   move; also F BRE TO MAO
  A PAR S A MAR - BUR           support a move
  A PAR S A MAR                 support in place
  F NTH C A LON - NWY           convoy
  A LON - NWY                   move by convoy; VIA where it could walk
  F MAO - SPA/SC                coasts: /NC /SC /EC /WC
  A MUN R BOH, A MUN D          retreat, disband
  BUILD A PAR, REMOVE F LON     builds; WAIVE leaves one unused

  PARTIAL   as the first line: store the good lines, keep earlier orders
            of the other units
  CLEAR     what stands above it, and what is on file, is forgotten
",
    ),
    (
        "PRESS",
        "  PRESS TO FRANCE               or PRESS TO FRA: France, Russia, Austria
  your text                     M stands for the Master
  ENDPRESS

  BROADCAST ... ENDPRESS        to all
  PRESS TO ALL BUT F ...        to all others
Options: QUIET (no copy to you); GREY (unsigned) and FROM power where
the rules of the game allow it. A forgotten ENDPRESS makes the rest of
the mail press. A letter has 400 lines at most, a mail 20 letters; a
seat writes 2 MiB a day.
",
    ),
    (
        "JOIN",
        "  JOIN game password            the password is yours to choose
  JOIN game password word       a private game: ask its Master for it
  JOIN FRANCE@game password     where powers may be chosen
  PREFER FERGTIA                your wishes, where they are asked for
  TAKEOVER FRANCE@game password a seat that its player has left
  RESIGN Fgame password         leave
",
    ),
    (
        "CREATE",
        "  CREATE game password          the password will be the Master's
  MAP standard
  RULE NO_PRESS                 and further rules
  TIMING MOVE 3D NEXT 1D AT 20:00
  DESC
  what the game is about
  END DESC
  FORM                          players may join at once
  SIGNOFF
Any wrong line: no game is made, and the faults are listed.
",
    ),
    (
        "MASTER",
        "\
Begin with  SIGNON Mgame password.
  FORM, ACTIVATE, WAIT, TERMINATE     state of the game
  PROCESS, PROCESS!                   now; ! with what is in
  PREVIEW                             the results, to you only
  SET DEADLINE 4 JAN 20:00            SET ZONE, SET ABSENCE likewise
  SET DEADLINE +1D                    24 hours later than it is
  SET NOABSENCE 24 DEC                an absence is taken back
  ROLLBACK [phase] [RESTORE] [FULL]   back to a phase
  ROLLFORWARD [phase]                 undo that
  RESIGN power, DUMMY power, REVIVE power
  OFFICIAL subject                    subject of the press that follows
  BECOME power                        the rest is said in that name
  SET LISTED, SET UNLISTED            in the lists of games or not
  REVEAL                              names, when the game is over
Alone on the first line, without sign-on:
  PURGE game password                 RENAME game newname password
",
    ),
    (
        "VOTE",
        "  VOTE DIAS                     a draw of all survivors
  VOTE SOLO                     you play on (this is so until you vote)
  VOTE LOSS                     you concede to whom the others agree on
  VOTE 3WAY                     games with the rule NO_DIAS
  PROPOSE DIAS, PROPOSE power   games with the rule PROPOSE_DIAS;
  VOTE YES, VOTE NO             the answers to it
  WITHDRAW PROPOSAL             it is taken back
A vote lasts until it is changed. Nobody is told how you voted.
",
    ),
    (
        "ABSENCE",
        "  SET ABSENCE 24 DEC TO 2 JAN   both days included
  SET ABSENCE FRIDAY            one day
No deadline is set within that time; the present deadline stays where it
is. Players may be away for 14 days; for more ask the Master.
",
    ),
    (
        "REGISTER",
        "  REGISTER
  Name: First Last
  Zone: Europe/Paris            if you like
  END
A code is mailed to you; answer with  CONFIRM code.
  IAMALSO old@example.org       from a new address: it joins the old one
  WHOAMI                        what is on file, and your games
  FORGET ME                     take it away (asks for a code)
",
    ),
];

/// The card, or the page of a topic.
pub fn topic(house: &House, word: Option<&str>) -> String {
    let page = word.and_then(|word| {
        let word = match word.to_uppercase().as_str() {
            "BROADCAST" => "PRESS".to_string(),
            "DRAW" | "PROPOSE" | "CONCEDE" => "VOTE".into(),
            "TAKEOVER" | "RESIGN" => "JOIN".into(),
            other => other.to_string(),
        };
        TOPICS.iter().find(|(name, _)| *name == word).map(|(_, page)| *page)
    });
    match (word, page) {
        (_, Some(page)) => page.to_string(),
        (Some(word), None) => format!("There is no page about {}.\n\n{}", first_letters(word), card(house)),
        (None, None) => card(house),
    }
}

/// A word of somebody else's, short enough to be repeated.
fn first_letters(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).take(20).collect()
}

/// All commands on a page.
pub fn card(house: &House) -> String {
    format!("{CARD}\nThe judge's address: {}\n", house.address)
}

/// What a signed-on person can do now.
pub fn page(table: &Table, on: &SignedOn) -> String {
    format!("{}\n{}", standing(table, &on.who), card(table.house))
}

/// Where somebody stands in a game, and what he can write now.
pub fn standing(table: &Table, who: &Who) -> String {
    let game = &table.game.name;
    let mut text = match who {
        Who::Seat(n) => {
            let p = &table.game.participants[*n];
            let name = match &p.kind {
                ParticipantKind::Other(kind) => format!("{} ({})", table.title_of(p), kind.to_lowercase()),
                _ => table.title_of(p),
            };
            format!("You are {name} in game {game}, {}.\n", table.phase())
        }
        _ => format!("You are the Master of game {game}, {} ({}).\n", table.phase(), table.index.state.word()),
    };
    if table.forming() {
        let open = table.open_seats();
        text += &format!("The game forms; {open} {} free.\n", if open == 1 { "seat is" } else { "seats are" });
    } else if table.completed() {
        text += &format!("The game is over: HISTORY {game}, SUMMARY {game}.\n");
        return text;
    } else {
        text += &format!("Deadline: {}.\n", table.deadline_long());
    }
    text += &format!("Begin with  SIGNON {}{game} your-password\n", sign(table, who));
    match who {
        Who::Seat(n) if table.is_power(who) && !table.forming() => text += &of_power(table, *n),
        Who::Seat(_) => {}
        _ => text += "Then PROCESS, SET DEADLINE, PREVIEW and others: see HELP MASTER.\n",
    }
    text + &press(table)
}

/// What stands before the game in a sign-on: a letter, digits, or a name with `@`.
fn sign(table: &Table, who: &Who) -> String {
    let Who::Seat(n) = who else { return "M".into() };
    let p = &table.game.participants[*n];
    match (table.seat_of(p).and_then(|s| s.letter), p.name.strip_prefix("POWER#")) {
        (Some(letter), _) => letter.to_string(),
        (None, Some(number)) if number.len() == 1 => number.into(),
        _ => format!("{}@", p.name),
    }
}

/// A place in a line, for WHOAMI: `balkan9: France, S1901M, deadline Sat 28 Nov 2026 20:00 GMT`.
pub fn place(table: &Table, who: &Who) -> String {
    let mut text = format!("{}: {}, {}", table.game.name, table.title(who), table.phase());
    if let Who::Seat(n) = who
        && let ParticipantKind::Other(kind) = &table.game.participants[*n].kind
    {
        text = format!("{}: {} ({}), {}", table.game.name, table.title(who), kind.to_lowercase(), table.phase());
    }
    match table.deadline() {
        Some(deadline) if !table.completed() => {
            text += &format!(", deadline {}", super::time::short(deadline, table.zone()));
        }
        _ => {}
    }
    match table.index.state {
        GameState::Active | GameState::Forming | GameState::Completed => text,
        state => format!("{text}, {}", state.word()),
    }
}

fn of_power(table: &Table, n: usize) -> String {
    let game = &table.game;
    let p = &game.participants[n];
    let mut text = String::new();
    let mine = |key: &String| game.participants.iter().any(|v| v.name == *key && v.control.first() == Some(&p.name));
    let seats = std::iter::once(p.name.clone())
        .chain(table.referee.seats().iter().map(|s| s.key.clone()).filter(mine))
        .collect::<Vec<_>>();
    let owing = table.referee.owing(game);
    for seat in &seats {
        let choices = table.referee.choices(game, seat);
        let filed = table.referee.on_file(game, seat).len();
        let whose = if *seat == p.name { String::new() } else { format!(" for {}", table.title_of_key(seat)) };
        text += &match (owing.contains(seat), choices.len()) {
            (true, 1) => format!("One order{whose} is due by then"),
            (true, count) => format!("{count} orders{whose} are due by then"),
            (false, _) => format!("Nothing{whose} is due from you now"),
        };
        text += &match filed {
            0 => ".".to_string(),
            1 => "; one is on file.".to_string(),
            count => format!("; {count} are on file."),
        };
        text.push('\n');
        if !choices.is_empty() {
            text += "You can write:\n";
        }
        for line in choices {
            text += &(wrap(&format!("  {line}"), 72, 11) + "\n");
        }
    }
    if table.referee.voters(game).contains(&p.name) {
        text += match (table.rule(Rule::NoDraw), table.rule(Rule::ProposeDias) || table.rule(Rule::HideProposer)) {
            (true, _) => "",
            (_, true) => "PROPOSE DIAS or a power offers an end; VOTE YES or NO answers.\n",
            _ => "VOTE DIAS, SOLO or LOSS says how the game may end.\n",
        };
    }
    text
}

fn press(table: &Table) -> String {
    let words = if table.rule(Rule::NoPress) {
        "Press goes to the Master only: PRESS TO M."
    } else if table.rule(Rule::PublicPress) {
        "Press is public: BROADCAST, your text, ENDPRESS."
    } else {
        "Press: PRESS TO a power, your text, ENDPRESS; or BROADCAST."
    };
    format!("{words}\n")
}

/// HELP from an address that has places in games: where it stands in each, then the card.
pub fn for_sender(house: &House, standings: &[String]) -> String {
    format!("{}\n{}", standings.join("\n"), card(house))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_fit_the_window() {
        for line in TOPICS.iter().flat_map(|(_, page)| page.lines()).chain(CARD.lines()) {
            assert!(line.chars().count() <= 72, "{line}");
        }
        // Lines of the tables keep their indent.
        assert!(CARD.contains("\n  LIST, LIST game"));
        for (name, _) in TOPICS {
            assert!(CARD.contains(name), "{name}");
        }
    }
}
