//! Taking mail in from where it waits: the Maildir, and the folder on an IMAP server (operations.md 5.2).

use super::{Clerk, ClerkError};
use crate::archive::spool::Envelope;
use crate::mail::listen::imap::{Imap, ImapSettings, Then};
use crate::mail::listen::{Incoming, Store, maildir};
use crate::site::config::Fetched;
use chrono::Utc;
use std::io;
use std::sync::Arc;

impl Clerk {
    /// Where every way in puts its messages: it returns when a message is on the disk.
    pub fn store(&self) -> Store {
        let spool = self.archive.spool();
        let limit = self.site.config.mail.incoming.max_message_bytes;
        Arc::new(move |mail: &Incoming| {
            let envelope = Envelope { from: mail.from.map(str::to_string), to: mail.to.map(str::to_string) };
            spool.store(mail.bytes, &envelope, limit, Utc::now()).map_err(io::Error::other)?;
            Ok(())
        })
    }

    /// The folder on an IMAP server, if there is to be one.
    pub fn imap(&self) -> Result<Option<Imap>, ClerkError> {
        let incoming = &self.site.config.mail.incoming;
        let Some(host) = incoming.imap.host.clone() else { return Ok(None) };
        let imap = &incoming.imap;
        let authorities = match &imap.authorities {
            None => None,
            Some(path) => {
                let path = self.site.root.join(path);
                let wrong = |e| ClerkError::Site(format!("mail.in.imap.authorities: {}: {e}", path.display()));
                Some(std::fs::read(&path).map_err(wrong)?)
            }
        };
        let settings = ImapSettings {
            host,
            port: imap.port(),
            tls: imap.tls.into(),
            authorities,
            user: imap.user.clone(),
            password: imap.password.as_ref().map(|p| p.reveal().to_owned()).unwrap_or_default(),
            folder: imap.folder.clone(),
            then: match imap.then {
                Fetched::Delete => Then::Delete,
                Fetched::Move => Then::Move(imap.move_to.clone()),
            },
            max_bytes: incoming.max_message_bytes,
        };
        Imap::new(settings).map(Some).map_err(|e| ClerkError::Site(e.to_string()))
    }

    /// Looks once into each place where mail waits, for those who run no daemon. What goes wrong is told in words; it
    /// holds up neither the other place nor the work on what is in the spool.
    pub fn fetch(&self) -> Vec<String> {
        let (store, mut troubles) = (self.store(), Vec::new());
        if let Some(place) = &self.site.layout.maildir {
            let limit = usize::try_from(self.site.config.mail.incoming.max_message_bytes).unwrap_or(usize::MAX);
            if let Err(error) = maildir::make(place).and_then(|()| maildir::scan(place, limit, &store)) {
                troubles.push(format!("{}: {error}", place.display()));
            }
        }
        match self.imap() {
            Ok(None) => {}
            Ok(Some(mut imap)) => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                let looked = runtime
                    .map_err(|e| e.to_string())
                    .and_then(|runtime| runtime.block_on(imap.fetch(&store)).map_err(|e| format!("IMAP: {e}")));
                troubles.extend(looked.err());
            }
            Err(error) => troubles.push(error.to_string()),
        }
        troubles
    }
}
