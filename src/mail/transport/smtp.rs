//! SMTP to a relay through lettre's connection: kept open between mails, STARTTLS or TLS as configured and never less,
//! and every refusal put down to the recipient, to us, or to the moment (OPS-061, OPS-062).

use super::{Failure, Outgoing, Transport};
use crate::mail::{MailAddress, is_this_machine};
use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{SmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

/// `mail.out.smtp.tls`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TlsMode {
    /// Clear text begins, TLS must follow.
    #[default]
    StartTls,
    /// TLS from the first byte.
    Tls,
    /// Clear text, to this machine only.
    None,
}

/// Keys `mail.out.smtp.*`.
#[derive(Clone)]
pub struct SmtpSettings {
    /// Relay.
    pub host: String,
    /// Port; 25, 587, 465.
    pub port: u16,
    /// Encryption.
    pub tls: TlsMode,
    /// User and password for AUTH.
    pub login: Option<(String, String)>,
    /// Our name in EHLO.
    pub hello: String,
}

impl fmt::Debug for SmtpSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = self.login.as_ref().map(|(user, _)| user);
        write!(f, "SmtpSettings({}:{} {:?} user {user:?})", self.host, self.port, self.tls)
    }
}

/// Settings that must not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SmtpSettingsError {
    /// Clear text over a network.
    #[error("mail.out.smtp.tls = \"none\" is for loopback only, not for {0}")]
    ClearText(String),
    /// A password in clear text.
    #[error("mail.out.smtp.user needs tls = \"starttls\" or \"tls\": passwords do not travel in clear")]
    ClearPassword,
    /// No certificate check possible for that name.
    #[error("mail.out.smtp.host {0:?}: {1}")]
    Host(String, String),
}

const CONNECT: Duration = Duration::from_secs(30);
const COMMAND: Duration = Duration::from_secs(60);
const DATA: Duration = Duration::from_secs(300);

/// Connections to one relay.
pub struct SmtpTransport {
    settings: SmtpSettings,
    tls: Option<TlsParameters>,
    idle: Mutex<Vec<SmtpConnection>>,
}

impl SmtpTransport {
    /// Checks the settings; connects at the first mail.
    pub fn new(settings: SmtpSettings) -> Result<SmtpTransport, SmtpSettingsError> {
        let tls = match settings.tls {
            TlsMode::None => {
                if !is_this_machine(&settings.host) {
                    return Err(SmtpSettingsError::ClearText(settings.host));
                }
                if settings.login.is_some() {
                    return Err(SmtpSettingsError::ClearPassword);
                }
                None
            }
            TlsMode::StartTls | TlsMode::Tls => Some(
                TlsParameters::new(settings.host.clone())
                    .map_err(|e| SmtpSettingsError::Host(settings.host.clone(), e.to_string()))?,
            ),
        };
        Ok(SmtpTransport { settings, tls, idle: Mutex::new(Vec::new()) })
    }

    fn connect(&self) -> Result<SmtpConnection, Failure> {
        let hello = ClientId::Domain(self.settings.hello.clone());
        let server = (self.settings.host.as_str(), self.settings.port);
        let wrapped = if self.settings.tls == TlsMode::Tls { self.tls.as_ref() } else { None };
        let opened = SmtpConnection::connect(server, Some(CONNECT), &hello, wrapped, None);
        // A greeting of 5xx is no word about a recipient: try later.
        let mut connection = opened.map_err(|e| later("connect", &e))?;
        if let (TlsMode::StartTls, Some(tls)) = (self.settings.tls, &self.tls) {
            if !connection.can_starttls() {
                connection.abort();
                return Err(Failure::Later("the relay offers no STARTTLS; nothing is sent in clear".to_owned()));
            }
            connection.starttls(tls, &hello).map_err(|e| later("STARTTLS", &e))?;
        }
        connection.set_timeout(Some(COMMAND)).map_err(|e| Failure::Later(e.to_string()))?;
        if let Some((user, password)) = &self.settings.login {
            let login = Credentials::new(user.clone(), password.clone());
            if let Err(error) = connection.auth(&[Mechanism::Plain, Mechanism::Login], &login) {
                connection.abort();
                let us = error.is_permanent() || error.is_client();
                return Err(if us { Failure::Us(format!("AUTH: {error}")) } else { later("AUTH", &error) });
            }
        }
        Ok(connection)
    }

    fn pooled(&self) -> Option<SmtpConnection> {
        self.idle.lock().unwrap_or_else(|e| e.into_inner()).pop()
    }

    fn keep(&self, connection: SmtpConnection) {
        self.idle.lock().unwrap_or_else(|e| e.into_inner()).push(connection);
    }

    /// Ends the kept connections politely; call when the round is over and none is due soon.
    pub fn close(&self) {
        let all = std::mem::take(&mut *self.idle.lock().unwrap_or_else(|e| e.into_inner()));
        for mut connection in all {
            // The relay may have gone already.
            let _ = connection.quit();
        }
    }
}

impl Drop for SmtpTransport {
    fn drop(&mut self) {
        self.close();
    }
}

impl Transport for SmtpTransport {
    fn send(&self, mail: &Outgoing) -> Result<String, Failure> {
        let envelope = Envelope::new(mail)?;
        while let Some(mut connection) = self.pooled() {
            // The relay may have closed an idle connection; nothing is lost before MAIL was answered.
            match envelope.mail(&mut connection, mail.message) {
                Err(Stage::Broken(_)) => continue,
                Err(Stage::Refused(failure)) => return self.refused(connection, failure),
                Ok(()) => return self.rest(connection, &envelope, mail),
            }
        }
        let mut connection = self.connect()?;
        match envelope.mail(&mut connection, mail.message) {
            Ok(()) => self.rest(connection, &envelope, mail),
            Err(Stage::Refused(failure)) => self.refused(connection, failure),
            Err(Stage::Broken(reason)) => Err(Failure::Later(reason)),
        }
    }
}

/// How a step ended when it did not succeed.
enum Stage {
    /// The connection is of no more use.
    Broken(String),
    /// The relay said no and listens on.
    Refused(Failure),
}

struct Envelope {
    from: Option<Address>,
    to: Vec<Address>,
}

impl Envelope {
    fn new(mail: &Outgoing) -> Result<Envelope, Failure> {
        let address = |text: &str| {
            let checked = MailAddress::parse(text).map_err(|e| Failure::Recipient(format!("{text:?}: {e}")))?;
            Address::new(checked.local(), checked.domain()).map_err(|e| Failure::Recipient(format!("{text:?}: {e}")))
        };
        let from = if mail.from.is_empty() { None } else { Some(address(mail.from)?) };
        let to = mail.to.iter().map(|a| address(a)).collect::<Result<Vec<_>, _>>()?;
        Ok(Envelope { from, to })
    }

    fn mail(&self, connection: &mut SmtpConnection, message: &[u8]) -> Result<(), Stage> {
        let server = connection.server_info();
        let mut parameters = Vec::new();
        let ascii = self.to.iter().chain(&self.from).all(|a| AsRef::<str>::as_ref(a).is_ascii());
        if !ascii {
            if !server.supports_feature(Extension::SmtpUtfEight) {
                let reason = "the address needs SMTPUTF8, which the relay does not offer".to_owned();
                return Err(Stage::Refused(Failure::Recipient(reason)));
            }
            parameters.push(MailParameter::SmtpUtfEight);
        }
        if !message.is_ascii() && server.supports_feature(Extension::EightBitMime) {
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        match connection.command(Mail::new(self.from.clone(), parameters)) {
            Ok(_) => Ok(()),
            // 552 is about the size of this mail, everything else permanent about us.
            Err(e) if e.is_permanent() && code(&e) == 552 => Err(Stage::Refused(Failure::Recipient(said("MAIL", &e)))),
            Err(e) if e.is_permanent() => Err(Stage::Refused(Failure::Us(said("MAIL", &e)))),
            Err(e) if e.is_transient() && code(&e) != 421 => Err(Stage::Refused(later("MAIL", &e))),
            Err(e) => Err(Stage::Broken(said("MAIL", &e))),
        }
    }
}

/// A message after DATA with its end, in one write (RFC 5321, 4.5.2). The library writes the final dot by itself, and a
/// relay that acknowledges late then keeps it waiting for 40 ms a mail.
struct Content<'m>(&'m str);

impl fmt::Display for Content<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.0.split_inclusive("\r\n") {
            f.write_str(if line.starts_with('.') { "." } else { "" })?;
            f.write_str(line)?;
        }
        f.write_str(if self.0.is_empty() || self.0.ends_with("\r\n") { ".\r\n" } else { "\r\n.\r\n" })
    }
}

impl SmtpTransport {
    /// RCPT, DATA and the message, after a good MAIL.
    fn rest(&self, mut connection: SmtpConnection, envelope: &Envelope, mail: &Outgoing) -> Result<String, Failure> {
        for to in &envelope.to {
            if let Err(error) = connection.command(Rcpt::new(to.clone(), Vec::new())) {
                let failure = refusal("RCPT", &error);
                return self.after(connection, &error, failure);
            }
        }
        if let Err(error) = connection.command(Data) {
            let failure = refusal("DATA", &error);
            return self.after(connection, &error, failure);
        }
        // A broken line here would be the relay's word on the message: wait long.
        if let Err(error) = connection.set_timeout(Some(DATA)) {
            return Err(Failure::Later(error.to_string()));
        }
        let said = match std::str::from_utf8(mail.message) {
            Ok(text) => connection.command(Content(text)),
            // The library ends the message with CRLF and dot: ours ends with CRLF already.
            Err(_) => connection.message(mail.message.strip_suffix(b"\r\n").unwrap_or(mail.message)),
        };
        match said {
            Ok(reply) => {
                let last = reply.message().collect::<Vec<_>>().join(" ");
                if connection.set_timeout(Some(COMMAND)).is_ok() {
                    self.keep(connection);
                }
                Ok(last)
            }
            Err(error) => {
                let failure = refusal("message", &error);
                self.after(connection, &error, failure)
            }
        }
    }

    fn after(&self, mut connection: SmtpConnection, error: &Error, failure: Failure) -> Result<String, Failure> {
        if error.status().is_none() || code(error) == 421 {
            connection.abort();
            return Err(failure);
        }
        self.refused(connection, failure)
    }

    /// Resets the dialogue and keeps the connection.
    fn refused(&self, mut connection: SmtpConnection, failure: Failure) -> Result<String, Failure> {
        let usable = connection.set_timeout(Some(COMMAND)).is_ok() && connection.command(Rset).is_ok();
        if usable && !matches!(failure, Failure::Us(_)) {
            self.keep(connection);
        } else {
            connection.abort();
        }
        Err(failure)
    }
}

/// A refusal after MAIL: of the recipient, unless it says that we may not relay or must sign in.
fn refusal(step: &str, error: &Error) -> Failure {
    if !error.is_permanent() {
        return later(step, error);
    }
    let text = said(step, error);
    let lower = text.to_lowercase();
    let relay = ["relay", "authentication required", "not authenticated"].iter().any(|w| lower.contains(w));
    if relay || matches!(code(error), 530 | 535 | 538) { Failure::Us(text) } else { Failure::Recipient(text) }
}

fn later(step: &str, error: &Error) -> Failure {
    Failure::Later(said(step, error))
}

/// The step and the whole chain of the error: the relay's words are in its source.
fn said(step: &str, error: &Error) -> String {
    let mut text = format!("{step}: {error}");
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text.chars().filter(|c| !c.is_control()).take(500).collect()
}

fn code(error: &Error) -> u16 {
    error.status().map_or(0, u16::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_goes_with_its_end_and_its_dots_doubled() {
        assert_eq!(Content("A: b\r\n\r\n.\r\n..x\r\n").to_string(), "A: b\r\n\r\n..\r\n...x\r\n.\r\n");
        assert_eq!(Content("A: b\r\n\r\nx.").to_string(), "A: b\r\n\r\nx.\r\n.\r\n");
        assert_eq!(Content("").to_string(), ".\r\n");
    }
}
