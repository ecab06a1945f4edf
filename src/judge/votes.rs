//! Votes and proposals (adjudication.md 12, mail-commands.md 4.2, D11).

use super::code::{Code, Refusal, refuse};
use super::post::and_list;
use super::session::Desk;
use super::signon::SignedOn;
use super::table::{Table, Who};
use crate::diplomacy::rules::Rule;
use crate::status::{ParticipantKind, Proposal, Vote};

/// How the game votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Draws include all survivors.
    Dias,
    /// NO_DIAS: nWAY.
    Way,
    /// PROPOSE_DIAS.
    Propose,
    /// NO_DRAW.
    None,
}

fn mode(table: &Table) -> Mode {
    if table.rule(Rule::NoDraw) {
        Mode::None
    } else if table.rule(Rule::ProposeDias) || table.rule(Rule::HideProposer) {
        Mode::Propose
    } else if table.rule(Rule::NoDias) {
        Mode::Way
    } else {
        Mode::Dias
    }
}

fn voter(table: &Table, on: &SignedOn) -> Result<usize, Refusal> {
    if table.forming() || table.completed() {
        return refuse(Code::NoVote, "Votes are cast while the game runs.");
    }
    match &on.who {
        Who::Seat(n) if table.referee.voters(&table.game).contains(&table.game.participants[*n].name) => Ok(*n),
        _ => refuse(Code::NoVote, "Only a power that owns a centre and is not controlled by another has a vote."),
    }
}

/// What a vote word stands for in this game.
pub fn read(table: &Table, on: &SignedOn, vote: Option<Vote>) -> Result<Vote, Refusal> {
    voter(table, on)?;
    let count = table.referee.voters(&table.game).len();
    let all = Vote::Way(count.min(255) as u8);
    let bad = |sentence: &str| refuse(Code::BadVote, sentence);
    match (mode(table), vote) {
        (Mode::None, _) => bad("There is no voting in this game."),
        (Mode::Propose, Some(vote @ (Vote::Yes | Vote::No))) => match table.game.proposal {
            Some(_) => Ok(vote),
            None => bad("No proposal is running; make one with PROPOSE."),
        },
        (Mode::Propose, _) => bad("In this game you answer proposals: VOTE YES or VOTE NO, or PROPOSE."),
        (_, Some(Vote::Yes | Vote::No)) => bad("No proposals are made in this game: vote SOLO, DIAS or LOSS."),
        (_, Some(vote @ (Vote::Solo | Vote::Loss))) => Ok(vote),
        (Mode::Dias, None | Some(Vote::Dias)) => Ok(Vote::Dias),
        // Which number is right would tell how many are left.
        (Mode::Dias, Some(Vote::Way(_))) if super::sight::is_blind(table) => {
            bad("In a blind game a draw is not counted: vote DIAS, SOLO or LOSS.")
        }
        (Mode::Dias, Some(Vote::Way(n))) if usize::from(n) == count => Ok(Vote::Dias),
        (Mode::Dias, Some(Vote::Way(_))) => bad("Draws of this game include all survivors: vote DIAS, SOLO or LOSS."),
        (Mode::Way, None | Some(Vote::Dias)) => Ok(all),
        (Mode::Way, Some(Vote::Way(n))) if (2..=count).contains(&usize::from(n)) => Ok(Vote::Way(n)),
        (Mode::Way, Some(Vote::Way(_))) => bad("That is more (or fewer) powers than can share a draw now."),
    }
}

/// Every vote as the status file has it at a save (status-file.md 5.2): who may vote and has not, votes SOLO, except on
/// proposals; the vote of a power that may not is dropped; in a game whose draws include all, nWAY for all is DIAS.
pub fn write_out(table: &mut Table) {
    let voters = table.referee.voters(&table.game);
    let mode = mode(table);
    for p in table.game.participants.iter_mut().filter(|p| p.kind == ParticipantKind::Power) {
        p.vote = match p.vote {
            _ if !voters.contains(&p.name) => None,
            None if mode != Mode::Propose => Some(Vote::Solo),
            Some(Vote::Way(n)) if mode == Mode::Dias && usize::from(n) >= voters.len() => Some(Vote::Dias),
            vote => vote,
        };
    }
}

/// Text of a vote for the sender.
pub fn describe(vote: Vote) -> String {
    match vote {
        Vote::Solo => "SOLO: you play on to win alone.".into(),
        Vote::Loss => "LOSS: you concede to whoever the others agree on.".into(),
        Vote::Dias => "DIAS: a draw of all survivors.".into(),
        Vote::Way(n) => format!("{n}WAY: a draw of at most {n} powers."),
        Vote::Yes => "YES to the running proposal.".into(),
        Vote::No => "NO to the running proposal.".into(),
    }
}

/// Stores a vote. NO deletes the proposal.
pub fn cast(desk: &mut Desk, on: &SignedOn, vote: Vote) {
    let Who::Seat(n) = on.who else { return };
    if vote == Vote::No {
        let own = desk.table.game.proposal.as_ref().is_some_and(|p| p.proposer == desk.table.game.participants[n].name);
        drop_proposal(desk, if own { "withdrawn" } else { "vetoed" });
        return;
    }
    desk.table.game.participants[n].vote = Some(vote);
    desk.voted = true;
}

/// PROPOSE.
pub fn check_proposal(table: &Table, on: &SignedOn, what: &str) -> Result<String, Refusal> {
    voter(table, on)?;
    if mode(table) != Mode::Propose {
        return refuse(Code::NoVote, "Proposals are made only in games with the rule PROPOSE_DIAS.");
    }
    if what == "DIAS" {
        return Ok(what.into());
    }
    match table.rule_seat(what) {
        Some(seat) if table.referee.voters(&table.game).contains(&seat.key) => Ok(seat.key.clone()),
        _ => refuse(Code::NoVote, format!("{what} cannot win by agreement: name DIAS or a power that can vote.")),
    }
}

/// There is at most one proposal.
pub fn one_runs<T>() -> Result<T, Refusal> {
    refuse(Code::BadVote, "A proposal is running: answer it with VOTE YES or VOTE NO first.")
}

/// A phase was played: a proposal whose winner can win by agreement no longer lapses, and that is told (WEB-049).
pub fn lapse(desk: &mut Desk) {
    let voters = desk.table.referee.voters(&desk.table.game);
    let winner = desk.table.game.proposal.as_ref().map(|p| p.result.clone());
    if winner.is_some_and(|winner| winner != "DIAS" && !voters.contains(&winner)) {
        drop_proposal(desk, "dropped: the power named in it can no longer win");
    }
}

/// Files a proposal and tells those who can vote (N46).
pub fn propose(desk: &mut Desk, on: &SignedOn, result: String) -> Result<(), Refusal> {
    let Who::Seat(n) = on.who else { return refuse(Code::NoVote, "Only powers propose.") };
    if desk.table.game.proposal.is_some() {
        return one_runs();
    }
    let proposer = desk.table.game.participants[n].name.clone();
    let by = if desk.table.rule(Rule::HideProposer) {
        "It has been proposed".into()
    } else {
        format!("{} proposes", desk.table.title(&on.who))
    };
    let what = if result == "DIAS" {
        "a draw of all survivors".into()
    } else {
        format!("to concede the game to {}", desk.table.title_of_key(&result))
    };
    desk.table.game.proposal = Some(Proposal { result, proposer });
    for p in &mut desk.table.game.participants {
        p.vote = None;
    }
    desk.table.game.participants[n].vote = Some(Vote::Yes);
    desk.voted = true;
    let text = format!(
        "{by} {what} in game {}.\n\nAnswer with VOTE YES or VOTE NO after your SIGNON line. One NO ends the proposal.\n",
        desk.table.game.name
    );
    announce(desk, "N46", &text);
    Ok(())
}

fn drop_proposal(desk: &mut Desk, how: &str) {
    if desk.table.game.proposal.take().is_none() {
        return;
    }
    for p in &mut desk.table.game.participants {
        p.vote = None;
    }
    let text = format!("The proposal in game {} has been {how}.\n", desk.table.game.name);
    announce(desk, "N47", &text);
}

/// Mail to those who can vote, and the Master.
fn announce(desk: &mut Desk, notice: &str, text: &str) {
    let table = &desk.table;
    let seats: Vec<usize> = table.referee.voters(&table.game).iter().filter_map(|k| table.seat_index(k)).collect();
    let mut to = table.recipients(&seats);
    for master in table.master_recipients() {
        if !to.iter().any(|r| r.address == master.address) {
            to.push(master);
        }
    }
    let letters = desk.table.letters(&to, notice, "Diplomacy proposal", text);
    desk.decision.letters.extend(letters);
}

/// How a vote stands: who wins together, or `None`.
pub fn outcome(table: &Table) -> Option<Vec<String>> {
    let voters = table.referee.voters(&table.game);
    let vote = |key: &String| table.participant(key).and_then(|(_, p)| p.vote);
    if mode(table) == Mode::Propose {
        let proposal = table.game.proposal.as_ref()?;
        let all_yes = voters.iter().all(|k| vote(k) == Some(Vote::Yes) || *k == proposal.proposer);
        return match (all_yes && !voters.is_empty(), proposal.result.as_str()) {
            (true, "DIAS") => Some(voters),
            (true, power) => Some(vec![power.to_string()]),
            _ => None,
        };
    }
    if mode(table) == Mode::None || voters.is_empty() {
        return None;
    }
    decide(&voters.iter().map(|k| vote(k).unwrap_or(Vote::Solo)).collect::<Vec<_>>(), mode(table) == Mode::Way)
        .map(|winners| winners.into_iter().map(|n| voters[n].clone()).collect())
}

/// The decision table of adjudication.md 12: indices of those who win together.
fn decide(votes: &[Vote], no_dias: bool) -> Option<Vec<usize>> {
    let total = votes.len();
    let value = |v: &Vote| match v {
        Vote::Way(n) => usize::from(*n).min(total),
        Vote::Dias => total,
        _ => 1,
    };
    let everybody = || (0..total).collect::<Vec<_>>();
    let standing: Vec<usize> = (0..total).filter(|n| votes[*n] != Vote::Loss).collect();
    match standing.as_slice() {
        [] => Some(everybody()),
        [one] => Some(vec![*one]),
        several if several.iter().all(|n| value(&votes[*n]) >= several.len()) => {
            Some(if no_dias { standing } else { everybody() })
        }
        _ => None,
    }
}

/// Ends the game if the votes agree.
pub fn settle(desk: &mut Desk) {
    let Some(mut victors) = outcome(desk.table) else { return };
    victors.sort();
    let names: Vec<String> = victors.iter().map(|k| desk.table.title_of_key(k)).collect();
    let name = desk.table.game.name.clone();
    let how = match names.as_slice() {
        [one] => format!("Game '{name}' has been conceded to {one}."),
        _ => format!("Game '{name}' has been declared a draw between {}.", and_list(&names)),
    };
    super::process::complete(desk, &victors);
    super::ending::announce(desk, &how, None);
}

#[cfg(test)]
mod tests {
    use super::*;
    use Vote::*;

    /// Test vectors of adjudication.md 12: voters E F G.
    #[test]
    fn decision_table() {
        let all = Some(vec![0, 1, 2]);
        assert_eq!(decide(&[Way(3), Way(3), Way(3)], false), all);
        assert_eq!(decide(&[Way(3), Way(3), Way(3)], true), all);
        assert_eq!(decide(&[Way(3), Way(3), Loss], false), all);
        assert_eq!(decide(&[Way(2), Way(2), Loss], true), Some(vec![0, 1]));
        assert_eq!(decide(&[Way(2), Way(3), Way(3)], true), None);
        assert_eq!(decide(&[Solo, Loss, Loss], false), Some(vec![0]));
        assert_eq!(decide(&[Solo, Way(3), Way(3)], false), None);
        assert_eq!(decide(&[Loss, Loss, Loss], true), all);
        assert_eq!(decide(&[Dias, Dias, Dias], false), all);
    }
}
