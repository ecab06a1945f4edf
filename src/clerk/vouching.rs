//! Mail for whose sender no trusted server vouches (`mail.in.require_auth`, mail-commands.md 8). By itself a password is
//! enough; a host may want DMARC besides.
//!
//! What it promises: of a mail that is refused here nothing is done, and whoever sent it hears nothing, neither by an
//! answer nor by its absence: only the address on file is told, and only where the password was right.

use super::abuse::{Voice, may_act};
use super::incoming::unread;
use super::queueing::Asked;
use super::{Clerk, ClerkError, secrets::PhcSecrets};
use crate::judge::code::Code;
use crate::judge::commands::{Block, Header};
use crate::judge::signon;
use crate::judge::table::Who;
use crate::mail::intake::Intake;
use crate::mail::vouched;
use crate::site::RequireAuth;
use chrono::{DateTime, Utc};

/// So many blocks of a mail are looked at for an address on file: each costs the hash of a password.
const MOST: usize = 3;

/// What is wanted of a mail that acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vouched {
    /// Nothing, or it is there.
    Yes,
    /// It is missing, and the answer says so.
    Warn,
    /// It is missing, and nothing is done.
    No,
}

/// Whether a header acts by a password. A code says by itself that the address is right.
fn needs_vouching(header: &Header) -> bool {
    may_act(header) && !matches!(header, Header::Confirm { .. })
}

impl Clerk {
    /// Whether somebody vouches for the sender of a message, as far as that is asked.
    pub(super) fn vouched(&self, mail: &Intake, blocks: &[Block]) -> Vouched {
        let incoming = &self.site.config.mail.incoming;
        let missing = match incoming.require_auth {
            RequireAuth::Off => return Vouched::Yes,
            RequireAuth::Warn => Vouched::Warn,
            RequireAuth::Dmarc => Vouched::No,
        };
        let asked = blocks.iter().any(|block| block.header.as_ref().is_ok_and(needs_vouching));
        let author = mail.author.as_deref().unwrap_or_default();
        let passed = || vouched::passes_dmarc(&mail.authentication, &incoming.trusted_authserv, author);
        if !asked || passed() { Vouched::Yes } else { missing }
    }

    /// The answer to a message that is not done for that reason.
    pub(super) fn refuse_unvouched(
        &self,
        asked: &Asked,
        blocks: &[Block],
        now: DateTime<Utc>,
    ) -> Result<(), ClerkError> {
        tracing::info!(key = asked.key.as_str(), "no trusted server vouches for the sender");
        let author = asked.mail.author.as_deref().unwrap_or("somebody");
        let mut part = unread(
            Code::BadLogin.name(),
            &format!(
                "No server that this judge trusts says that the mail really came from {author} (DMARC), and this judge \
                 wants that. Nothing of it was done. If it was yours, send it by the mail server of your address; if not, \
                 somebody knows your password."
            ),
        );
        for header in blocks.iter().filter_map(|block| block.header.as_ref().ok()).take(MOST) {
            part.copies.extend(self.on_file(header, asked, now)?);
        }
        part.game = blocks.iter().find_map(|b| b.header.as_ref().ok()?.game()).map(str::to_string);
        part.silent = part.copies.is_empty();
        self.answer(&Asked { voice: Voice::Mute, ..*asked }, vec![part], now)
    }

    /// The addresses on file of the seat that a header has the password of, or of who asks for one.
    fn on_file(&self, header: &Header, asked: &Asked, now: DateTime<Utc>) -> Result<Vec<String>, ClerkError> {
        let (seat, game, password) = match header {
            Header::SignOn { seat, game, password } | Header::Resign { seat, game, password } => {
                (seat.as_str(), game, password)
            }
            Header::Purge { game, password, .. } | Header::Rename { game, password, .. } => ("M", game, password),
            // Whoever has no seat yet is on file in the register, or nowhere.
            Header::Join { .. } | Header::Enrol { .. } | Header::TakeOver { .. } | Header::Create { .. }
                if self.people.is_registered(&asked.from.address) =>
            {
                return Ok(vec![asked.from.address.clone()]);
            }
            _ => return Ok(Vec::new()),
        };
        let Some(name) = self.existing(game)? else { return Ok(Vec::new()) };
        let Some(loaded) = self.load(&name, now)? else { return Ok(Vec::new()) };
        let table = loaded.table(&self.house, 0, now);
        let secrets = PhcSecrets::new(&self.known, self.secret, self.seed(&["unvouched", asked.key.as_str()]));
        Ok(match signon::sign_on(&table, seat, password, &secrets).map(|on| on.who) {
            Ok(Who::Seat(n)) => table.addresses(&table.game.participants[n]),
            Ok(Who::Master) => table.master_addresses(),
            _ => Vec::new(),
        })
    }
}
