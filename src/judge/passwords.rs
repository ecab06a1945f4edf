//! Seats that get a password from somebody else than their player: REVIVE, and the link by which its player then chooses
//! his own (mail-commands.md 4, 8; notices.md N23). No mail carries a password.

use super::code::Refusal;
use super::post::Circle;
use super::seats::{filled, last_player, resumed, taken_over};
use super::session::{Desk, Outcome, Tools};
use super::signon::new_password;
use super::table::{Secrets, Table, Who};
use chrono::Duration;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// How long a link holds.
const HOURS: i64 = 24;

/// REVIVE by the Master: the last player holds the seat again.
pub fn revive(desk: &mut Desk, n: usize, password: Option<&str>, tools: &Tools) {
    let Some(who) = last_player(&desk.table.game.participants[n]).cloned() else { return };
    let phase = desk.table.phase();
    let key = desk.table.game.participants[n].name.clone();
    let title = desk.table.title(&Who::Seat(n));
    // Where the Master names none, nobody knows the one that holds until the player has chosen his own.
    let stored = tools.secrets.hash(password.unwrap_or(&random_word(desk.table.seed)));
    let p = &mut desk.table.game.participants[n];
    p.address = who.addresses.clone();
    p.player = Some(taken_over(p.player.take(), who, &phase));
    p.password = Some(stored.clone());
    filled(desk, &key);
    let how = match password {
        Some(_) => "The Master has set a password for you; ask him for it.\n".to_string(),
        None => {
            let until = desk.table.now + Duration::hours(HOURS);
            let token = tools.secrets.link(&desk.table.game.name, &key, until, &stored);
            format!(
                "Choose a password on this page within a day; the link works once:\n\n    {}/password/{token}\n\nAfter that \
                 the Master can send you another by REVIVE.\n",
                desk.table.house.url.trim_end_matches('/')
            )
        }
    };
    let text = format!("Welcome back: you play {title} in game {} again.\n\n{how}", desk.table.game.name);
    let own = desk.table.recipients(&[n]);
    let letters = desk.table.letters(&own, "N23", "Diplomacy takeover notice", &text);
    desk.decision.letters.extend(letters);
    let text = format!("{title} in game {} is held by a player again.\n{}", desk.table.game.name, resumed(desk.table));
    let letters =
        desk.table.letters(&desk.table.circle(Circle::Everyone), "N24", "Diplomacy position taken over", &text);
    desk.decision.letters.extend(letters);
}

/// N51: who has forgotten the password of his seat gets a link by which he can choose another (WEB-083). The old one holds
/// until he has; and only the addresses on file are written to, whoever asked.
pub fn forgotten(table: &mut Table, n: usize, secrets: &dyn Secrets) -> Outcome {
    let (before, index) = (table.game.clone(), table.index.clone());
    let title = table.title(&Who::Seat(n));
    let p = &table.game.participants[n];
    let until = table.now + Duration::hours(1);
    let token = secrets.link(&table.game.name, &p.name, until, p.password.as_deref().unwrap_or_default());
    let text = format!(
        "Somebody, you we hope, has asked for a new password for {title} in game {}. Choose it on this page within an hour; \
         the link works once:\n\n    {}/password/{token}\n\nUntil then the old password holds. If it was not you who asked, \
         there is nothing to do.\n",
        table.game.name,
        table.house.url.trim_end_matches('/')
    );
    let mut desk = Desk::new(table);
    let own = desk.table.recipients(&[n]);
    let letters = desk.table.letters(&own, "N51", "DPPD Password Reminder", &text);
    desk.decision.letters.extend(letters);
    desk.close(&before, &index, format!("{title} was mailed a link to choose a password"))
}

/// A player follows his link: the new password holds, and he is told so by mail.
pub fn chosen(table: &mut Table, n: usize, new: &str, secrets: &dyn Secrets) -> Result<Outcome, Refusal> {
    new_password(new)?;
    if new.contains(char::is_whitespace) {
        return new_password("").map(|()| Outcome::default());
    }
    let (before, index) = (table.game.clone(), table.index.clone());
    let title = table.title(&Who::Seat(n));
    table.game.participants[n].password = Some(secrets.hash(new));
    let mut desk = Desk::new(table);
    let text = format!(
        "A new password for {title} in game {} has been set by the link that was mailed\nto you. Begin your mails with\n\n    \
         SIGNON {}@{} your-password\n\nIf this was not you, tell the Master.\n",
        before.name, before.participants[n].name, before.name
    );
    let own = desk.table.recipients(&[n]);
    let letters = desk.table.letters(&own, "N23", "Diplomacy password set", &text);
    desk.decision.letters.extend(letters);
    Ok(desk.close(&before, &index, format!("{title} chose a password by a link")))
}

/// Twenty letters and digits.
fn random_word(seed: u64) -> String {
    const ALPHABET: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..20).map(|_| ALPHABET[(rng.next_u32() % ALPHABET.len() as u32) as usize] as char).collect()
}
