//! No two robots play ping-pong with the judge (OPS-070 to OPS-072): two judges that write to each other, and programs
//! that answer for people who are away, polite ones and rude ones.

mod support;

use std::collections::VecDeque;
use support::{Sent, Site, json, plain, texts};

/// More messages than this between two robots are a loop.
const ENDLESS: usize = 100;

fn judge(id: &'static str, address: &'static str) -> Site {
    let mut site = Site::empty(vec![("judge.id", id), ("judge.address", address)]);
    site.now = "2026-11-21T09:00:00Z".into();
    site
}

/// What the MTA would hand over: the envelope as it was sent.
fn carry(site: &Site, mail: &Sent, change: impl Fn(&[u8]) -> Vec<u8>) -> Vec<Sent> {
    let before = site.sent().len();
    let words = ["deliver", "--now", "--clock", &site.now, "--sender", &mail.from, "--recipient", &mail.to];
    let output = site.run(&words, &change(&mail.bytes));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    site.sent().into_iter().skip(before).map(|(_, sent)| sent).collect()
}

/// A message without the lines of its header that begin with one of these names: what a careless relay does.
fn without(bytes: &[u8], names: &[&str]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").expect("a header");
    let mut kept: Vec<&str> = Vec::new();
    let mut dropping = false;
    for line in head.split("\r\n") {
        if !line.starts_with([' ', '\t']) {
            dropping = names.iter().any(|n| line.to_ascii_lowercase().starts_with(n));
        }
        if !dropping {
            kept.push(line);
        }
    }
    format!("{}\r\n\r\n{body}", kept.join("\r\n")).into_bytes()
}

/// Lets the two write to each other until nobody does; how many messages crossed.
fn ping_pong(a: &Site, b: &Site, first: Vec<Sent>, change: impl Fn(&[u8]) -> Vec<u8>) -> usize {
    let mut under_way: VecDeque<(bool, Sent)> = first.into_iter().map(|mail| (true, mail)).collect();
    let mut crossed = 0;
    while let Some((to_b, mail)) = under_way.pop_front() {
        let (address, site) = if to_b { ("judge@b.example", b) } else { ("judge@a.example", a) };
        if mail.to.split('+').next().map(|l| l.split('@').next().unwrap_or(l)) != Some("judge")
            || mail.to.rsplit('@').next() != address.rsplit('@').next()
        {
            continue;
        }
        crossed += 1;
        assert!(crossed < ENDLESS, "the judges go on: {}", mail.text);
        under_way.extend(carry(site, &mail, &change).into_iter().map(|mail| (!to_b, mail)));
    }
    crossed
}

#[test]
fn two_judges_write_to_each_other_once() {
    let (a, b) = (judge("\"AAAA\"", "\"judge@a.example\""), judge("\"BBBB\"", "\"judge@b.example\""));
    // Somebody writes to one in the name of the other: a question, and a word that is no command.
    for text in ["LIST", "CREATE pong heron-pass\nTIMING NEXT 1D\nFORM\nSIGNOFF", "SIGNON Mnowhere x\nLIST"] {
        let first = a.deliver(plain("judge@b.example", "a word", text).replace("judge@judge", "judge@a").as_bytes());
        assert!(!first.is_empty(), "the first answer cannot be helped: {text}");
        assert_eq!(ping_pong(&a, &b, first.clone(), <[u8]>::to_vec), first.len(), "{text}");
        assert!(b.sent().is_empty(), "the other judge says nothing");
    }
}

#[test]
fn two_judges_behind_a_relay_that_strips_every_mark() {
    let (a, b) = (judge("\"AAAA\"", "\"judge@a.example\""), judge("\"BBBB\"", "\"judge@b.example\""));
    let strip = |bytes: &[u8]| {
        without(bytes, &["x-", "auto-submitted", "precedence", "list-", "in-reply-to", "references", "return-path"])
    };
    let first =
        a.deliver(plain("judge@b.example", "a word", "SIGNON Mnowhere x").replace("judge@judge", "judge@a").as_bytes());
    // The envelope was stripped, too.
    let first: Vec<Sent> = first.into_iter().map(|m| Sent { from: "judge@a.example".into(), ..m }).collect();
    let crossed = ping_pong(&a, &b, first, strip);
    assert!((1..=10).contains(&crossed), "{crossed} messages");
}

/// A robot that answers every mail of the judge to that player; what it sends is made by `answer` out of the number and
/// the mail. How many times the judge has answered it in turn.
fn robot(site: &Site, player: &str, first: Vec<Sent>, answer: impl Fn(usize, &Sent) -> String) -> usize {
    let mut under_way: VecDeque<Sent> = first.into();
    let mut answers = 0;
    while let Some(mail) = under_way.pop_front() {
        if mail.to != player {
            continue;
        }
        answers += 1;
        assert!(answers < ENDLESS, "the judge goes on: {}", mail.text);
        under_way.extend(site.deliver(answer(answers, &mail).as_bytes()));
    }
    answers
}

fn away(player: &str, n: usize, mail: &Sent, marks: &str) -> String {
    let quoted: String = mail.text.lines().map(|l| format!("> {l}\n")).collect();
    format!(
        "From: {player}\nTo: judge@judge.example\nSubject: Away: {}\nMessage-ID: <away.{n}@example.org>\n{marks}\n\
         I am away until Monday and shall read your mail then.\n\n{quoted}",
        mail.subject
    )
}

const PLAYER: &str = "france@example.org";

fn first_mail(site: &Site) -> Vec<Sent> {
    let seats = texts(&json("fixture.json")["registered"]);
    assert!(seats.iter().any(|a| a == PLAYER), "{seats:?}");
    let first = site.mail(PLAYER, "SIGNON Fbalkan9 le-secret\nA PAR - BUR");
    assert!(first.iter().any(|m| m.to == PLAYER), "the judge confirms");
    first
}

#[test]
fn a_polite_responder_is_not_answered() {
    for marks in [
        "Auto-Submitted: auto-replied\n",
        "Auto-Submitted: auto-generated (vacation)\n",
        "Precedence: bulk\n",
        "Precedence: auto_reply\n",
        "X-Autoreply: yes\n",
        "X-Autorespond: vacation\n",
        "X-Auto-Response-Suppress: DR, AutoReply\n",
        "Return-Path: <>\n",
    ] {
        let site = Site::of_fixture();
        let first = first_mail(&site);
        let mails = first.iter().filter(|m| m.to == PLAYER).count();
        assert_eq!(robot(&site, PLAYER, first, |n, mail| away(PLAYER, n, mail, marks)), mails, "{marks}");
    }
}

#[test]
fn a_rude_responder_is_answered_for_a_while() {
    let site = Site::of_fixture();
    let first = first_mail(&site);
    let answers = robot(&site, PLAYER, first, |n, mail| away(PLAYER, n, mail, ""));
    // Thirty answers about errors in a day, and one word that it is enough (mail-commands.md 1.2 step 7).
    assert!((2..=33).contains(&answers), "{answers} answers");
    // An hour later it is still enough.
    let later = Sent { subject: "x".into(), ..site.sent().pop().expect("a mail").1 };
    let text = away(PLAYER, 900, &later, "");
    assert!(site.deliver_at(text.as_bytes(), "2026-11-21T12:30:00Z").is_empty());
    assert_eq!((site.room("new"), site.room("hold"), site.dead()), (0, 0, 0));
}
