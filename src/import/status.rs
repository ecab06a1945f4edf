//! A status file of the old judge made ours, and ours made his. Only the lines that must change are touched
//! (status-file.md 5, 10.1; OPS-111, 3; decisions D1, D7).

use super::text::{to_latin1, to_utf8};
use super::{Finding, What};
use crate::status::{Document, Game, PhaseState, Vote};

/// The rule under which games of the old judge go on.
const OLD_JUDGE: &str = "OLD_JUDGE";
/// Rules that the old judge does not have.
const OUR_RULES: [&str; 2] = [OLD_JUDGE, "PREFERENCES"];

/// Gives another word for the password of a seat (`MASTER` for the Master's): a hash on the way in, a new word on the
/// way out.
pub type Rekey<'a> = &'a mut dyn FnMut(&str, &str) -> String;

/// A converted file.
pub(super) struct Converted {
    /// Its new bytes.
    pub bytes: Vec<u8>,
    /// What there is to say.
    pub findings: Vec<Finding>,
    /// As it reads afterwards; `None`: it was refused.
    pub document: Option<Document>,
}

/// Whether the phase is one of a game that has begun.
pub(super) fn has_begun(game: &Game) -> bool {
    match &game.phase {
        PhaseState::Forming => false,
        PhaseState::Running(phase) => !phase.is_empty(),
        PhaseState::Completed => true,
    }
}

fn is_hash(password: &str) -> bool {
    password.starts_with("$argon2")
}

/// Changes the passwords that `which` picks; gives how many.
fn rekey(game: &mut Game, which: impl Fn(&str) -> bool, by: Rekey) -> usize {
    let seats = game.participants.iter_mut().map(|p| (p.name.as_str(), &mut p.password));
    let mut changed = 0;
    for (seat, password) in std::iter::once(("MASTER", &mut game.password)).chain(seats) {
        if let Some(password) = password
            && which(password)
        {
            *password = by(seat, password);
            changed += 1;
        }
    }
    changed
}

/// A file of the old judge, of a game that has begun or not, for this one.
pub(super) fn take(place: &str, bytes: &[u8], begun: bool, hash: Rekey) -> Converted {
    let (_, mut what) = to_utf8(bytes);
    let mut document = match Document::parse(bytes) {
        Ok(document) => document,
        Err(refused) => return verbatim(place, bytes, refused.to_string()),
    };
    let mut next = document.game().clone();
    let hashed = rekey(&mut next, |password| !is_hash(password), hash);
    if hashed > 0 {
        what.push(What::Hashed(hashed));
    }
    if (begun || has_begun(&next)) && !next.rules.iter().any(|rule| rule == OLD_JUDGE) {
        next.rules.push(OLD_JUDGE.to_owned());
        what.push(What::OldJudge);
    }
    if let Err(why) = rewrite(&mut document, &next) {
        return verbatim(place, bytes, why);
    }
    let clear: Vec<usize> = document
        .lines_not_understood()
        .filter(|(_, line)| line.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("PASSWORD")))
        .map(|(at, _)| at)
        .collect();
    if !clear.is_empty() {
        what.push(What::ClearPassword(clear));
    }
    converted(place, document.text().into_bytes(), what, document)
}

/// A file of ours for the old judge. The second value: whether the game's clock was held.
pub(super) fn give(place: &str, bytes: &[u8], anew: Rekey) -> (Converted, bool) {
    let mut document = match Document::parse(bytes) {
        Ok(document) => document,
        Err(refused) => return (verbatim(place, bytes, refused.to_string()), false),
    };
    let mut what = Vec::new();
    let mut next = document.game().clone();
    let count = rekey(&mut next, is_hash, anew);
    if count > 0 {
        what.push(What::Anew(count));
    }
    if next.rules.iter().any(|rule| rule == OLD_JUDGE) {
        what.push(What::OldJudgeOut);
    } else if matches!(next.phase, PhaseState::Running(_)) {
        what.push(What::OtherJudge);
    }
    for (list, off) in [(&mut next.rules, ""), (&mut next.rules_off, "!")] {
        let dropped = list.iter().filter(|rule| OUR_RULES[1..].contains(&rule.as_str()));
        what.extend(dropped.map(|rule| What::Ours(format!("RULE {off}{rule}"))));
        list.retain(|rule| !OUR_RULES.contains(&rule.as_str()));
    }
    let held = next.held.take();
    if let Some(since) = &held {
        what.push(What::Held(format!("HELD {}", since.format("%Y%m%d%H%M"))));
    }
    let voters = next.participants.iter().filter(|p| p.kind == crate::status::ParticipantKind::Power).count();
    for who in &mut next.participants {
        let mut ours = |line: String| what.push(What::Ours(format!("{}: {line}", who.name)));
        who.zone.take().into_iter().for_each(|zone| ours(format!("ZONE {zone}")));
        who.notify.take().into_iter().for_each(|words| ours(format!("NOTIFY {}", words.join(" "))));
        who.prefer.take().into_iter().for_each(|letters| ours(format!("PREFER {letters}")));
        if std::mem::take(&mut who.strict) {
            ours("STRICT".to_owned());
        }
        match who.vote {
            Some(Vote::No) => {
                ours("VOTE NO".to_owned());
                who.vote = None;
            }
            Some(Vote::Dias) => {
                let all = Vote::Way(u8::try_from(voters).unwrap_or(u8::MAX));
                what.push(What::Vote { from: format!("DIAS of {}", who.name), to: all.to_string() });
                who.vote = Some(all);
            }
            _ => {}
        }
    }
    if let Err(why) = rewrite(&mut document, &next) {
        return (verbatim(place, bytes, why), false);
    }
    match document.strip_comments() {
        Ok(comments) => what.extend(comments.into_iter().map(What::Ours)),
        Err(refused) => return (verbatim(place, bytes, refused.to_string()), false),
    }
    let (bytes, lost) = to_latin1(document.text().as_bytes());
    what.extend(lost);
    (converted(place, bytes, what, document), held.is_some())
}

/// Makes the document say `next`, and sees that it does.
fn rewrite(document: &mut Document, next: &Game) -> Result<(), String> {
    document.update(next).map_err(|refused| refused.to_string())?;
    if document.game() == next { Ok(()) } else { Err("its errors leave no place for the change".to_owned()) }
}

fn converted(place: &str, bytes: Vec<u8>, what: Vec<What>, document: Document) -> Converted {
    let findings = what.into_iter().map(|what| Finding::new(place, what)).collect();
    Converted { bytes, findings, document: Some(document) }
}

fn verbatim(place: &str, bytes: &[u8], why: String) -> Converted {
    let findings = vec![Finding::new(place, What::Verbatim(why))];
    Converted { bytes: bytes.to_vec(), findings, document: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEXHAM: &str = include_str!("../../tests/data/status/hexham.status");
    const LANTERN: &str = include_str!("../../tests/data/status/lantern.status");

    fn hash(seat: &str, clear: &str) -> String {
        format!("$argon2id${seat}${clear}")
    }

    fn word(_: &str, stored: &str) -> String {
        stored.rsplit('$').next().unwrap_or_default().to_owned()
    }

    #[test]
    fn a_running_game_goes_on_under_its_own_judge_and_comes_back_as_it_was() {
        let taken = take("games/hexham/status", HEXHAM.as_bytes(), true, &mut hash);
        let text = String::from_utf8(taken.bytes.clone()).unwrap();
        assert!(text.contains("RULE NO_DIAS\nRULE OLD_JUDGE\n"), "{text}");
        assert!(text.contains("PASSWORD $argon2id$FRANCE$pw-ff\n") && !text.contains("PASSWORD pw"), "{text}");
        let what: Vec<What> = taken.findings.into_iter().map(|f| f.what).collect();
        assert_eq!(what, [What::Hashed(8), What::OldJudge]);
        let (given, held) = give("games/hexham/status", &taken.bytes, &mut word);
        assert_eq!(String::from_utf8(given.bytes).unwrap(), HEXHAM);
        assert!(!held);
    }

    #[test]
    fn a_forming_game_will_begin_under_the_new_judge() {
        let taken = take("games/lantern/status", LANTERN.as_bytes(), false, &mut hash);
        assert!(!String::from_utf8(taken.bytes).unwrap().contains("OLD_JUDGE"));
    }

    #[test]
    fn what_only_chancery_knows_stays_here_and_is_named() {
        let text = HEXHAM
            .replace("TIMING NEXT", "HELD 202407100800\n# the wine is paid\nTIMING NEXT")
            .replace("PASSWORD pw-aa\nVOTE SOLO\n", "PASSWORD pw-aa\nZONE Europe/Paris\nSTRICT\nVOTE DIAS\n")
            .replace("DESC\nFirst", "DESC\nprix en \u{20ac}\nFirst");
        let (given, held) = give("x", text.as_bytes(), &mut word);
        assert!(held);
        assert_eq!(
            given.bytes,
            HEXHAM
                .replace("pw-aa\nVOTE SOLO", "pw-aa\nVOTE 7WAY")
                .replace("DESC\nFirst", "DESC\nprix en ?\nFirst")
                .as_bytes()
        );
        let said: Vec<String> = given.findings.iter().map(Finding::to_string).collect();
        assert_eq!(
            said,
            [
                "broken: x: the game was begun without RULE OLD_JUDGE; the old judge will resolve some orders in another way",
                "note: x: 'HELD 202407100800' became the flag held of the index; DEADLINE stays as it is",
                "lost: x: only chancery knows 'AUSTRIA: ZONE Europe/Paris'",
                "lost: x: only chancery knows 'AUSTRIA: STRICT'",
                "note: x: VOTE DIAS of AUSTRIA written as VOTE 7WAY",
                "lost: x: only chancery knows '# the wine is paid'",
                "lost: x: line 9: characters that Latin-1 does not have became '?'",
            ]
        );
    }

    #[test]
    fn a_password_that_is_not_understood_is_pointed_at() {
        let broken = HEXHAM.replace("PASSWORD pw-aa\n", "PASSWORD pw-aa\nPASSWORD otter\n");
        let taken = take("x", broken.as_bytes(), true, &mut hash);
        let at = broken.lines().position(|line| line == "PASSWORD otter").unwrap() + 2; // RULE OLD_JUDGE above it
        assert!(taken.findings.iter().any(|f| f.what == What::ClearPassword(vec![at])), "{:?}", taken.findings);
        let long = format!("{HEXHAM}DESC {}\n", "x".repeat(9000));
        let taken = take("x", long.as_bytes(), true, &mut hash);
        assert_eq!(taken.bytes, long.as_bytes());
        assert!(matches!(&taken.findings[..], [Finding { what: What::Verbatim(_), .. }]));
    }
}
