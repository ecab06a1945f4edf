//! The local `sendmail`: `sendmail -i -f FROM -- RCPT…`, an argument vector, never a shell, never `-t` (OPS-061).

use super::{Failure, Outgoing, Transport};
use crate::mail::MailAddress;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The program did not end within this time.
const PATIENCE: Duration = Duration::from_secs(300);
/// `EX_TEMPFAIL`
const LATER: i32 = 75;

/// Runs a program for each mail.
#[derive(Clone, Debug)]
pub struct SendmailTransport {
    program: PathBuf,
}

impl SendmailTransport {
    /// `mail.out.sendmail`
    pub fn new(program: impl Into<PathBuf>) -> SendmailTransport {
        SendmailTransport { program: program.into() }
    }
}

impl Transport for SendmailTransport {
    fn send(&self, mail: &Outgoing) -> Result<String, Failure> {
        for address in mail.to {
            MailAddress::parse(address).map_err(|e| Failure::Recipient(format!("{address:?}: {e}")))?;
        }
        let from = if mail.from.is_empty() { "<>" } else { mail.from };
        let mut child = Command::new(&self.program)
            .args(["-i", "-f", from, "--"])
            .args(mail.to)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| Failure::Us(format!("{}: {e}", self.program.display())))?;
        // Unix programs want unix lines.
        let message: Vec<u8> = lf(mail.message);
        let (input, errors) = (child.stdin.take(), child.stderr.take());
        let (status, said) = std::thread::scope(|scope| {
            scope.spawn(move || input.map(|mut pipe| pipe.write_all(&message)));
            let said = scope.spawn(move || {
                let mut text = Vec::new();
                // What is beyond is read too, so that the program never waits for us.
                errors.map(|mut pipe| pipe.read_to_end(&mut text));
                text.truncate(500);
                String::from_utf8_lossy(&text).trim().to_owned()
            });
            (wait(&mut child), said.join().unwrap_or_default())
        });
        let status = status.map_err(|e| Failure::Later(format!("{}: {e}", self.program.display())))?;
        let said = if said.is_empty() { String::new() } else { format!(": {said}") };
        match status.code() {
            Some(0) => Ok(format!("taken by {}", self.program.display())),
            Some(LATER) => Err(Failure::Later(format!("sendmail: exit 75{said}"))),
            Some(code) => Err(Failure::Recipient(format!("sendmail: exit {code}{said}"))),
            None => Err(Failure::Later(format!("sendmail was killed{said}"))),
        }
    }
}

fn wait(child: &mut Child) -> std::io::Result<std::process::ExitStatus> {
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if started.elapsed() > PATIENCE {
            child.kill()?;
            return child.wait();
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(100));
    }
}

fn lf(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len());
    for (at, &b) in message.iter().enumerate() {
        if b != b'\r' || message.get(at + 1) != Some(&b'\n') {
            out.push(b);
        }
    }
    out
}
