//! One LMTP or SMTP dialogue as a state machine: lines in, replies out; no sockets (OPS-026).

use super::{Door, Protocol};
use crate::mail::MailAddress;

/// Recipients of one message.
const MOST_RECIPIENTS: usize = 100;
/// Bad commands before the door is closed.
const MOST_ERRORS: u32 = 20;

/// What the driver has to do after a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Send this and go on.
    Reply(String),
    /// Send this and read a message; `strict`: only CRLF dot CRLF ends it.
    Data {
        /// The 354 line.
        reply: String,
        /// The client ends lines with CRLF, so a bare LF before the dot is content (no smuggling).
        strict: bool,
    },
    /// Send this and hang up.
    Close(String),
}

/// An envelope being collected.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Transaction {
    pub from: String,
    pub to: Vec<String>,
}

/// State of one connection.
pub(super) struct Session<'a> {
    door: &'a Door,
    greeted: bool,
    from: Option<String>,
    to: Vec<String>,
    errors: u32,
}

impl<'a> Session<'a> {
    pub fn new(door: &'a Door) -> Session<'a> {
        Session { door, greeted: false, from: None, to: Vec::new(), errors: 0 }
    }

    /// The first line of the server.
    pub fn greeting(&self) -> String {
        let protocol = match self.door.protocol {
            Protocol::Lmtp => "LMTP",
            Protocol::Smtp => "ESMTP",
        };
        format!("220 {} {protocol} chancery\r\n", self.door.host)
    }

    /// The envelope of the message just read; the session is ready for the next.
    pub fn transaction(&mut self) -> Transaction {
        Transaction { from: self.from.take().unwrap_or_default(), to: std::mem::take(&mut self.to) }
    }

    /// One command line, line end included.
    pub fn command(&mut self, raw: &[u8]) -> Step {
        let crlf = raw.ends_with(b"\r\n");
        let Ok(line) = std::str::from_utf8(raw) else { return self.bad("500 5.5.2 Not UTF-8") };
        let line = line.trim_end_matches(['\r', '\n']);
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (verb.to_ascii_uppercase().as_str(), self.door.protocol) {
            ("LHLO", Protocol::Lmtp) | ("EHLO", Protocol::Smtp) => {
                self.reset();
                self.greeted = true;
                let size = self.door.max_bytes;
                Step::Reply(format!(
                    "250-{}\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-SIZE {size}\r\n250-ENHANCEDSTATUSCODES\r\n\
                     250 PIPELINING\r\n",
                    self.door.host
                ))
            }
            ("HELO", Protocol::Smtp) => {
                self.reset();
                self.greeted = true;
                Step::Reply(format!("250 {}\r\n", self.door.host))
            }
            ("EHLO" | "HELO", Protocol::Lmtp) => self.bad("500 5.5.1 This is LMTP: LHLO"),
            ("MAIL", _) => self.mail(rest),
            ("RCPT", _) => self.rcpt(rest),
            ("DATA", _) => self.data(crlf),
            ("RSET", _) => {
                self.reset();
                ok("250 2.0.0 Ok")
            }
            ("NOOP", _) => ok("250 2.0.0 Ok"),
            ("VRFY", Protocol::Smtp) => ok("252 2.5.0 Try to deliver"),
            ("QUIT", _) => Step::Close("221 2.0.0 Bye\r\n".to_owned()),
            _ => self.bad("500 5.5.1 Unknown command"),
        }
    }

    fn reset(&mut self) {
        self.from = None;
        self.to.clear();
    }

    fn bad(&mut self, reply: &str) -> Step {
        self.errors += 1;
        if self.errors >= MOST_ERRORS {
            return Step::Close("421 4.7.0 Too many errors\r\n".to_owned());
        }
        ok(reply)
    }

    fn mail(&mut self, rest: &str) -> Step {
        if !self.greeted {
            return self.bad("503 5.5.1 Greet first");
        }
        if self.from.is_some() {
            return self.bad("503 5.5.1 One sender at a time");
        }
        let Some((path, parameters)) = path(rest, "FROM:") else { return self.bad("501 5.5.4 MAIL FROM:<address>") };
        let sender = match path {
            "" => String::new(),
            // Written down, never used for mail without a check: a strange sender is no reason to refuse.
            path if path.len() <= 320 && path.bytes().all(|b| b > b' ' && b != 127) => path.to_owned(),
            _ => return self.bad("553 5.1.7 Bad sender"),
        };
        for parameter in parameters.split_whitespace() {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            match name.to_ascii_uppercase().as_str() {
                "SIZE" => match value.parse::<u64>() {
                    Ok(size) if size > self.door.max_bytes as u64 => return ok("552 5.3.4 Message too large"),
                    Ok(_) => {}
                    Err(_) => return self.bad("501 5.5.4 SIZE is a number"),
                },
                "BODY" | "SMTPUTF8" => {}
                _ => return self.bad("555 5.5.4 Unknown parameter"),
            }
        }
        if !(self.door.room)() {
            return ok("452 4.3.1 No room");
        }
        self.from = Some(sender);
        ok("250 2.1.0 Ok")
    }

    fn rcpt(&mut self, rest: &str) -> Step {
        if self.from.is_none() {
            return self.bad("503 5.5.1 MAIL first");
        }
        let Some((path, _)) = path(rest, "TO:") else { return self.bad("501 5.5.4 RCPT TO:<address>") };
        let Ok(address) = MailAddress::parse(path) else { return self.bad("550 5.1.1 No such address") };
        if !(self.door.ours)(address.as_str()) {
            return self.bad("550 5.1.1 No such address here");
        }
        if self.to.len() >= MOST_RECIPIENTS {
            return ok("452 4.5.3 Too many recipients");
        }
        self.to.push(address.to_string());
        ok("250 2.1.5 Ok")
    }

    fn data(&mut self, crlf: bool) -> Step {
        if self.to.is_empty() {
            return self.bad("503 5.5.1 RCPT first");
        }
        Step::Data { reply: "354 End with a dot on its line\r\n".to_owned(), strict: crlf }
    }
}

fn ok(reply: &str) -> Step {
    Step::Reply(format!("{reply}\r\n"))
}

/// The path in angle brackets behind `FROM:` or `TO:`, and the parameters.
fn path<'t>(rest: &'t str, keyword: &str) -> Option<(&'t str, &'t str)> {
    let rest = rest.trim();
    let head = rest.get(..keyword.len())?;
    if !head.eq_ignore_ascii_case(keyword) {
        return None;
    }
    let tail = rest.get(keyword.len()..)?.trim_start();
    let (path, parameters) = tail.strip_prefix('<')?.split_once('>')?;
    // A source route is dropped (RFC 5321 appendix C).
    let path = if path.starts_with('@') { path.split_once(':').map_or(path, |(_, p)| p) } else { path };
    Some((path, parameters))
}
