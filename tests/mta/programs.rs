//! The programs people send mail with: each message in this house's own words goes out through one of them.

use crate::play::Mail;
use crate::stage::sh;
use lettre::Transport;
use lettre::address::Envelope;
use lettre::transport::smtp::SmtpTransport;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Sends one message; returns when the server has it.
pub type Program = fn(&Mail);

/// The library that the judge itself uses.
pub fn lettre(mail: &Mail) {
    let server = SmtpTransport::builder_dangerous("127.0.0.1").port(mail.port).build();
    let address = |text: &str| text.parse().expect("an address");
    let envelope = Envelope::new(Some(address(mail.from)), vec![address(mail.to)]).expect("an envelope");
    server.send_raw(&envelope, &mail.message()).expect("the mail server takes it");
}

/// Runs a program with a text to read.
pub fn run(program: &str, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).env("HOME", "/tmp").env("LC_ALL", "C.UTF-8");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect(program);
    // A program that has read enough closes its end.
    let _ = child.stdin.take().expect("its input").write_all(input);
    child.wait_with_output().expect("its end")
}

fn taken(program: &str, arguments: &[&str], input: &[u8]) {
    let output = run(program, arguments, input);
    let said = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).join("\n");
    assert!(output.status.success(), "{program} {arguments:?}: {}\n{said}", output.status);
}

/// msmtp hands on a message that some mail program has written.
pub fn msmtp(mail: &Mail) {
    let (port, from) = (format!("--port={}", mail.port), format!("--from={}", mail.from));
    let protocol = format!("--protocol={}", mail.protocol);
    taken(
        "msmtp",
        &["--host=127.0.0.1", &port, &protocol, "--domain=player.example", &from, "--", mail.to],
        &mail.message(),
    );
}

/// swaks hands on a message that some mail program has written.
pub fn swaks(mail: &Mail) {
    let (port, protocol) = (mail.port.to_string(), mail.protocol.to_uppercase());
    let to_whom = ["--server", "127.0.0.1", "--port", &port, "--protocol", &protocol, "--ehlo", "player.example"];
    let message = ["--from", mail.from, "--to", mail.to, "--data", "-", "--silent", "2"];
    taken("swaks", &[to_whom.as_slice(), message.as_slice()].concat(), &mail.message());
}

/// s-nail writes the message itself: the lines are what somebody types. It speaks no LMTP.
pub fn s_nail(mail: &Mail) {
    let (server, from) = (format!("-Smta=smtp://127.0.0.1:{}", mail.port), format!("-Sfrom=A Player <{}>", mail.from));
    let settings = ["-:/", "-Sv15-compat", &server, "-Ssmtp-auth=none", "-Shostname=player.example", &from];
    let typed = format!("{}\n", mail.lines.join("\n"));
    taken("s-nail", &[settings.as_slice(), &["-s", "a word", mail.to]].concat(), typed.as_bytes());
}

/// A mail server for the players that puts everything into their box: Postfix's test program, which needs no rights.
pub fn sink() {
    sh("mkdir -p /var/mail/players/box/new && cd /var/mail/players/box/new && \
        (smtp-sink -d '%H%M%S.' 127.0.0.1:25 200 >/var/log/sink.log 2>&1 </dev/null &)");
}
