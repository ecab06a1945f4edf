//! The 45 messages of tests/data/mail through the front door: what each must do, must not do, and must answer.

mod support;

use chancery::referee::Referee;
use chancery::status::{Game, Vote};
use serde_json::Value;
use support::{Sent, Site, data, json, standard, texts};

/// Everything that is not as the vector says.
struct Findings(Vec<String>);

impl Findings {
    fn want(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.0.push(otherwise());
        }
    }
}

fn message(vector: &Value) -> Vec<u8> {
    let mut bytes = std::fs::read(data().join(vector["message"].as_str().expect("message"))).expect("message");
    if let Some(line) = vector["append"]["line"].as_str() {
        bytes.extend(line.repeat(vector["append"]["times"].as_u64().unwrap_or(0) as usize).into_bytes());
    }
    bytes
}

fn on_file(game: &Game, power: &str) -> Vec<String> {
    let mut orders = standard().on_file(game, power);
    orders.sort();
    orders
}

fn address_of(game: &Game, who: &str) -> String {
    match who {
        "MASTER" => game.address[0].clone(),
        _ => game.participant(who).map(|p| p.address[0].clone()).unwrap_or_default(),
    }
}

fn word(vote: Option<Vote>) -> String {
    match vote {
        Some(Vote::Dias) => "DIAS".into(),
        Some(Vote::Solo) => "SOLO".into(),
        Some(Vote::Loss) => "LOSS".into(),
        Some(Vote::Way(n)) => format!("{n}WAY"),
        other => format!("{other:?}"),
    }
}

fn check(name: &str) -> Vec<String> {
    let vector = json(name);
    let site = Site::of_fixture();
    if let Some(orders) = vector["before"]["orders"].as_object() {
        let mut game = site.game("balkan9");
        for (power, set) in orders {
            standard().store(&mut game, power, &texts(set));
        }
        site.put(&game, &site.index("balkan9"));
    }
    if let Some(first) = vector["after"].as_str() {
        site.deliver(&std::fs::read(data().join(first)).expect("the message before"));
    }
    let games = ["balkan9", "form7", "priv1", "vac5"];
    let before: Vec<Game> = games.iter().map(|g| site.game(g)).collect();
    let files: Vec<String> = games.iter().map(|g| site.file(g, "status")).collect();
    let dead = site.dead();
    let sent = site.deliver(&message(&vector));
    let mut f = Findings(Vec::new());
    let actions = vector["actions"].as_array().cloned().unwrap_or_default();
    let mut game_name = String::from("balkan9");
    for action in &actions {
        if let Some(name) = action["game"].as_str() {
            game_name = name.to_string();
        }
        acted(&mut f, &site, &game_name, action, &sent);
    }
    if !actions.iter().any(|a| a["do"] != "signon" && a["do"] != "press" && a["do"] != "quarantine") {
        for (name, text) in games.iter().zip(&files) {
            f.want(site.file(name, "status") == *text, || format!("{name} was changed"));
        }
    }
    f.want(site.dead() - dead == actions.iter().filter(|a| a["do"] == "quarantine").count(), || {
        format!("{} messages buried", site.dead() - dead)
    });
    for not in texts(&vector["not_done"]) {
        let now = site.game("balkan9");
        match not.as_str() {
            "orders" => {
                for p in &before[0].participants {
                    let (old, new) = (on_file(&before[0], &p.name), on_file(&now, &p.name));
                    f.want(old == new, || format!("orders of {} changed: {new:?}", p.name));
                }
            }
            "SET WAIT" => f.want(now.participants.iter().all(|p| !p.wait), || "WAIT was set".into()),
            "PROCESS" => f.want(now.phase == before[0].phase, || "the phase was processed".into()),
            "resign" => f.want(now.need.is_empty(), || "somebody resigned".into()),
            "press" | "SIGNON 2form7" => {
                f.want(!sent.iter().any(|s| s.notice == "N45"), || "press was sent".into());
                f.want(site.file("vac5", "press").is_empty(), || "press was filed".into());
            }
            "vote" => f.want(now.participants.iter().all(|p| p.vote.is_none()), || "a vote was stored".into()),
            other => f.0.push(format!("the test does not know how to see {other}")),
        }
    }
    mailed(&mut f, &vector, &sent);
    replied(&mut f, &vector, &sent);
    f.0
}

fn acted(f: &mut Findings, site: &Site, game_name: &str, action: &Value, sent: &[Sent]) {
    let game = site.game(game_name);
    let power = action["power"].as_str().unwrap_or_default();
    match action["do"].as_str().unwrap_or_default() {
        "signon" => {
            f.want(site.file(game_name, "access").contains(power), || format!("no sign-on of {power} in access"))
        }
        "orders" => {
            let (want, have) = (texts(&action["stored"]), on_file(&game, power));
            f.want(want == have, || format!("{power} has {have:?}, want {want:?}"));
        }
        "press" => pressed(f, site, &game, action, sent),
        "join" => {
            let seat = action["as"].as_str().unwrap_or_default();
            let p = game.participant(seat);
            f.want(p.is_some_and(|p| p.address == [action["address"].as_str().unwrap_or_default()]), || {
                format!("{seat} is {p:?}")
            });
            f.want(p.and_then(|p| p.password.as_deref()).is_some_and(|w| w.starts_with("$argon2id$")), || {
                format!("the password of {seat} is not hashed")
            });
        }
        "takeover" => {
            let p = game.participant(power);
            f.want(p.is_some_and(|p| p.address == [action["address"].as_str().unwrap_or_default()]), || {
                format!("{power} is {p:?}")
            });
            let state = site.index(game_name).state.word();
            f.want(action["state"] == state, || format!("the game is {state}"));
            f.want(game.need.is_empty(), || format!("NEED {:?}", game.need));
        }
        "set-wait" => {
            let wait = game.participant(power).is_some_and(|p| p.wait);
            f.want(action["value"] == wait, || format!("WAIT of {power} is {wait}"));
        }
        "set-zone" => {
            let zone = game.participant(power).and_then(|p| p.zone.clone());
            f.want(action["zone"].as_str() == zone.as_deref(), || format!("zone {zone:?}"));
        }
        "vote" => {
            let vote = word(game.participant(power).and_then(|p| p.vote));
            f.want(action["vote"] == vote.as_str(), || format!("vote {vote}"));
        }
        "set-deadline" => {
            let deadline = game.deadline.map(|d| d.format("%Y%m%d%H%M").to_string());
            f.want(action["deadline"].as_str() == deadline.as_deref(), || format!("deadline {deadline:?}"));
        }
        "absence" => {
            let not = game.timing.iter().find(|(k, _)| k == "NOT").map(|(_, v)| v.clone()).unwrap_or_default();
            let compact = |key: &str| action[key].as_str().unwrap_or_default().replace('-', "");
            let first = compact("from");
            f.want(not.contains(&first), || format!("NOT {not:?} does not begin on {first}"));
            let timing = chancery::clock::Timing::read(&game.timing).0;
            let words: Vec<String> = timing.absences.iter().map(|a| a.words()).collect();
            f.want(words.iter().any(|w| w.contains("24 December 2026") && w.contains("2 January 2027")), || {
                format!("absences {words:?}")
            });
        }
        // Seen by their mails.
        "list" | "history" | "status" | "quarantine" => {}
        "count-bounce" => {
            let text = std::fs::read_to_string(site.root().join("registry/people.json")).unwrap_or_default();
            let registry: Value = serde_json::from_str(&text).unwrap_or_default();
            let counted = &registry["bounces"][action["address"].as_str().unwrap_or_default()]["times"];
            f.want(counted.as_array().map(Vec::len) == Some(1), || format!("bounces counted: {counted}"));
        }
        other => f.0.push(format!("the test does not know the action {other}")),
    }
}

fn pressed(f: &mut Findings, site: &Site, game: &Game, action: &Value, sent: &[Sent]) {
    let from = action["from"].as_str().unwrap_or_default();
    let text = action["text"].as_str().unwrap_or_default();
    let filed = site.file(&game.name, "press");
    let flat = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
    f.want(filed.contains(text), || format!("not filed as written: {filed:?}"));
    f.want(filed.contains(&format!(" {from} ")), || format!("not filed as from {from}"));
    let press: Vec<&Sent> = sent.iter().filter(|s| s.notice == "N45" && s.text.contains(text)).collect();
    f.want(!press.is_empty(), || format!("no press with {:?}", flat(text)));
    for to in texts(&action["to"]) {
        let wanted: Vec<String> = match to.as_str() {
            "All" | "All!" => {
                let hears = |p: &&chancery::status::Participant| {
                    to == "All!" || p.kind != chancery::status::ParticipantKind::Other("MONITOR".into())
                };
                let all = game.participants.iter().filter(hears).flat_map(|p| p.address.clone());
                all.chain(game.address.clone()).collect()
            }
            one => vec![address_of(game, one)],
        };
        for address in wanted {
            f.want(press.iter().any(|s| s.to == address), || format!("press did not go to {address}"));
        }
    }
    let own = address_of(game, from);
    let echoed = press.iter().any(|s| s.to == own);
    f.want(echoed != action["quiet"].as_bool().unwrap_or(false), || format!("echo: {echoed}"));
    if let Some(subject) = action["subject"].as_str() {
        f.want(press.iter().filter(|s| s.to != own).all(|s| s.subject == subject), || {
            format!("subject {:?}", press[0].subject)
        });
    }
    if action["header"] == false {
        f.want(press.iter().filter(|s| s.to != own).all(|s| s.text.trim() == text), || {
            format!("more than the text: {:?}", press[0].text)
        });
    }
}

fn mailed(f: &mut Findings, vector: &Value, sent: &[Sent]) {
    let wanted = vector["mails"].as_array().cloned().unwrap_or_default();
    for mail in &wanted {
        let notice = mail["notice"].as_str().unwrap_or_default();
        for to in texts(&mail["to"]) {
            let count = sent.iter().filter(|s| s.notice == notice && s.to == to).count();
            let most = if notice == "N45" { 2 } else { 1 };
            f.want((1..=most).contains(&count), || format!("{count} mails {notice} to {to}"));
        }
        for to in texts(&mail["not_to"]) {
            f.want(!sent.iter().any(|s| s.notice == notice && s.to == to), || format!("{notice} went to {to}"));
        }
    }
    for mail in sent {
        let known = mail.is_reply() || wanted.iter().any(|w| w["notice"] == mail.notice.as_str());
        f.want(known, || format!("{} went to {}, and nobody asked for it", mail.notice, mail.to));
        f.want(mail.head.contains("X-Chancery-Loop: CHCY"), || "a mail without loop mark".into());
        f.want(!mail.to.contains(','), || format!("several people in one mail: {}", mail.to));
        for long in mail.text.lines().filter(|l| l.chars().count() > 78) {
            f.want(mail.notice == "N45", || format!("a line of {} columns: {long}", long.chars().count()));
        }
        for secret in
            ["le-secret", "walzer", "tea4two", "pasta&vino", "vodka", "hali7", "gm-secret", "caviar", "baklava1"]
        {
            f.want(!mail.text.contains(secret) && !mail.head.contains(secret), || format!("{secret} was mailed"));
        }
    }
    let sender = vector["sender"].as_str().unwrap_or_default();
    for text in texts(&vector["must_not_deliver"]) {
        let told = |s: &&Sent| s.text.contains(&text) && !(s.is_reply() && s.to == sender);
        f.want(sent.iter().find(told).is_none(), || format!("{text:?} was delivered"));
    }
}

fn replied(f: &mut Findings, vector: &Value, sent: &[Sent]) {
    let replies: Vec<&Sent> = sent.iter().filter(|s| s.is_reply()).collect();
    let reply = &vector["reply"];
    if reply.is_null() {
        f.want(replies.is_empty(), || "a reply where none may be".into());
        f.want(sent.is_empty(), || format!("mails: {:?}", sent.iter().map(|s| (&s.notice, &s.to)).collect::<Vec<_>>()));
        return;
    }
    let to = texts(&reply["to"]);
    for address in &to {
        // Only press, a list or a history asked for: the mail itself is the reply (mail-commands.md 5.1).
        let got: Vec<&&Sent> = replies.iter().filter(|s| s.to == *address).collect();
        f.want(got.len() == 1, || format!("{} replies to {address}", got.len()));
        for s in got {
            for code in texts(&reply["codes"]) {
                f.want(s.text.contains(&code), || format!("the reply does not name {code}:\n{}", s.text));
            }
            for part in texts(&reply["must_contain"]) {
                f.want(s.text.contains(&part), || format!("the reply lacks {part:?}:\n{}", s.text));
            }
            for part in texts(&reply["must_not_contain"]) {
                let all = format!("{}\n{}", s.subject, s.text);
                f.want(!all.contains(&part), || format!("the reply holds {part:?}:\n{all}"));
            }
            if texts(&reply["codes"]).is_empty() {
                f.want(!s.text.contains("ERROR"), || format!("the reply names an error:\n{}", s.text));
            }
            f.want(s.from.is_empty(), || format!("a reply with an envelope sender {:?}", s.from));
        }
    }
    for s in &replies {
        f.want(to.contains(&s.to), || format!("a reply to {}", s.to));
    }
}

#[test]
fn every_message_has_the_effects_it_must_have() {
    let mut names: Vec<String> = std::fs::read_dir(data())
        .expect("vectors")
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .filter(|n| n.ends_with(".json") && n != "fixture.json")
        .collect();
    names.sort();
    assert_eq!(names.len(), 45);
    let mut wrong = String::new();
    let mut bad = 0;
    for name in &names {
        let findings = check(name);
        if !findings.is_empty() {
            bad += 1;
            wrong += &format!("\n== {name}\n  {}\n", findings.join("\n  "));
        }
    }
    assert!(wrong.is_empty(), "{bad} of {} messages:\n{wrong}", names.len());
}
