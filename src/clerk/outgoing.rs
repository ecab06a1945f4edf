//! The queue on its way out: due mails are handed to the transport that the configuration names.

use super::pictures::Illustrating;
use super::{Clerk, ClerkError};
use crate::archive::ArchiveError;
use crate::mail::queue::Queue;
use crate::mail::queue::worker::{Pace, Policy, Redirect, Round, send_due};
use crate::mail::transport::{FileTransport, SendmailTransport, SmtpSettings, SmtpTransport, Transport};
use crate::site::config::Transport as Way;
use chrono::{DateTime, Utc};

/// Mails handed over at most in one go, so that other work comes in between.
const BUDGET: usize = 2000;

impl Clerk {
    /// The outgoing queue.
    pub fn queue(&self) -> std::io::Result<Queue> {
        Queue::open(&self.site.layout.outbox, &self.site.layout.journal)
    }

    /// Tries every due mail once.
    pub fn send(&self, now: DateTime<Utc>) -> Result<Round, ClerkError> {
        let outbox = &self.site.layout.outbox;
        // A full or read-only disk is a reason to come later.
        let fail = |source| ArchiveError::Io { action: "use", path: outbox.clone(), source };
        let queue = self.queue().map_err(fail)?;
        let transport = Illustrating { clerk: self, transport: self.transport()? };
        let out = &self.site.config.mail.out;
        let policy = Policy {
            retry: out.retry.iter().map(|s| s.to_chrono()).collect(),
            give_up: out.give_up.to_chrono(),
            concurrency: out.concurrency,
            redirect: match out.redirect_all.as_str() {
                "" => Redirect::Off,
                "@" => Redirect::Nowhere,
                address => Redirect::To(address.to_string()),
            },
            // A directory can take them as they come.
            rate: (out.transport != Way::File)
                .then(|| chrono::Duration::from_std(out.rate.per).ok())
                .flatten()
                .map(|per| Pace { count: out.rate.count, per }),
            ..Policy::default()
        };
        // Spreads retries; nothing depends on it being unforeseeable.
        let mut state = now.timestamp_subsec_nanos() as u64 ^ u64::from(std::process::id());
        let mut chance = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let round = send_due(&queue, &transport, &policy, now, BUDGET, &mut chance).map_err(fail)?;
        for file in &round.damaged {
            let then = if file.for_good { "moved to dead/" } else { "tried again later" };
            tracing::warn!(file = %file.path.display(), why = file.why, then, "a mail in the outbox cannot be read");
        }
        Ok(round)
    }

    fn transport(&self) -> Result<Box<dyn Transport>, ClerkError> {
        let out = &self.site.config.mail.out;
        Ok(match out.transport {
            Way::File => {
                Box::new(FileTransport::open(&self.site.layout.mail_out).map_err(|e| ClerkError::Site(e.to_string()))?)
            }
            Way::Sendmail => Box::new(SendmailTransport::new(&out.sendmail)),
            Way::Smtp => {
                let settings = SmtpSettings {
                    host: out.smtp.host.clone(),
                    port: out.smtp.port(),
                    tls: out.smtp.tls.into(),
                    login: out
                        .smtp
                        .password
                        .as_ref()
                        .filter(|_| !out.smtp.user.is_empty())
                        .map(|p| (out.smtp.user.clone(), p.reveal().to_string())),
                    hello: self.sender.host().to_string(),
                };
                Box::new(SmtpTransport::new(settings).map_err(|e| ClerkError::Site(e.to_string()))?)
            }
        })
    }
}
