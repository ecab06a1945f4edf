//! What the judge writes fits a window of 72 columns, whatever it writes (notices.md 1): many mails of a game from its
//! beginning to its end. What programs read has the columns of its format (notices.md 4 to 6), and what people have
//! written is theirs. The real binary on a fresh site.

mod support;

use chancery::status::Vote;
use support::{Sent, Site};

const WIDTH: usize = 72;

/// Lines whose form programs read: orders in reports are never broken, lists of centres are filled to 75 columns.
fn of_a_format(line: &str) -> bool {
    let order = line.split_once(": ").is_some_and(|(_, o)| o.starts_with("Army ") || o.starts_with("Fleet "));
    let list =
        line.starts_with(&" ".repeat(12)) || line.split_once(':').is_some_and(|(_, rest)| rest.starts_with("  "));
    let retreat = line.starts_with("The ") && line.contains(" can retreat to ");
    // Who owned what: codes of centres, or a year and the letters of their owners.
    let owners = line.split_whitespace().enumerate().all(|(n, word)| match word.len() {
        1 | 3 => !word.chars().any(|c| c.is_lowercase()),
        length => n == 0 && length == 4,
    });
    line.starts_with(":: ") || order || (list || retreat || owners) && line.chars().count() <= 75
}

/// Reports, and lists with their blocks in them.
const REPORTS: [&str; 7] = ["N06", "N16", "N17", "N19", "N41", "N42", "N43"];

/// Mails with a picture of the board (docs/mail.md).
const WITH_A_MAP: [&str; 9] = ["N05", "N06", "N10", "N16", "N17", "N18", "N34", "N41", "N44"];

fn too_wide(sent: &Sent) -> Vec<String> {
    let report = REPORTS.contains(&sent.notice.as_str());
    let own = |line: &&str| {
        // An address stands alone and whole.
        let address = line.trim().starts_with("https://") && !line.trim().contains(' ');
        line.chars().count() > WIDTH && !address && !(report && of_a_format(line))
    };
    // A letter is as its writer has written it, but what is around it is ours.
    let text = match sent.notice.as_str() {
        "N45" => sent.text.replace(LETTER, ""),
        _ => sent.text.clone(),
    };
    text.lines().filter(own).map(|l| format!("{} {}: {l}", sent.notice, sent.subject)).collect()
}

const LETTER: &str = "A paragraph that its writer has not wrapped, since his mail program leaves that to the programs of \
                      those who read it, wherever they are and however wide their windows may be.";

#[test]
fn what_the_judge_writes_fits_the_window() {
    let mut site = Site::of_fixture_with(vec![
        ("judge.hall_of_fame", "\"hall@judge.example\""),
        ("judge.openings", "\"openings@lists.example\""),
        ("judge.observers", "[\"crier@judge.example\"]"),
    ]);
    let mut number = 0;
    let mut say = |site: &Site, from: &str, text: &str| {
        number += 1;
        site.deliver(support::plain(&format!("{from}@example.org"), &format!("mail {number}"), text).as_bytes());
    };
    let round = |site: &Site| {
        for verb in [&["tick", "--no-guard", "--clock", &site.now][..], &["send", "--clock", &site.now]] {
            assert!(site.run(verb, b"").status.success(), "{verb:?}");
        }
    };
    // Questions, and what is asked wrongly.
    for topic in ["", "ORDERS", "PRESS", "JOIN", "CREATE", "MASTER", "VOTE", "ABSENCE", "REGISTER", "ELEPHANTS"] {
        say(&site, "italy", &format!("HELP {topic}"));
    }
    for text in [
        "LIST",
        "SEARCH active waiting forming",
        "LIST balkan9\nMAP balkan9\nSUMMARY balkan9",
        "WHOAMI",
        "LIST elephants",
    ] {
        say(&site, "kibitz", text);
    }
    say(&site, "stranger", "JOIN form7 a-password");
    say(&site, "stranger", "REGISTER\nName: Very Longname Of-The-Stranger\nEND");
    say(&site, "gm", "CREATE stork pw-stork\nMAP standard\nTIMING MOVE 3D NEXT 1D\nFORM");
    say(&site, "gm", "CREATE heron pw-heron\nMAP atlantis-of-the-deep\nRULE NO_SUCH_RULE_AT_ALL\nTIMING NEVER\nFORM");
    say(&site, "kibitz", "SIGNON Fbalkan9 not-the-password-of-france\nSET WAIT");
    say(
        &site,
        "france",
        "SIGNON FRANCE@balkan9 le-secret\nSET ZONE America/Argentina/Buenos_Aires\nSET ABSENCE 23 DEC TO 27 DEC\n\
         SET WOMBAT to everything that a wombat could be in a game of this kind\n",
    );
    // Orders, in long words and wrong; letters; wishes.
    say(
        &site,
        "france",
        "SIGNON FRANCE@balkan9 le-secret\nSET ZONE America/Argentina/Buenos_Aires\nSET ABSENCE 23 DEC TO 27 DEC",
    );
    say(
        &site,
        "france",
        &format!(
            "SIGNON FRANCE@balkan9 le-secret\nPRESS TO ENGLAND, GERMANY, ITALY, AUSTRIA, RUSSIA, TURKEY\n{LETTER}\nENDPRESS\n\
             the fleet in Brest moves to the Mid-Atlantic Ocean\nthe army in Marseilles supports army Paris to Burgundy\n\
             the army in Paris goes to Burgundy"
        ),
    );
    say(
        &site,
        "russia",
        "SIGNON Rbalkan9 vodka\nthe army in Moscow moves to the Western Mediterranean\nF stp/sc - bothnia\nA war s A mos - ukr\n\
         F sev - constantinople",
    );
    say(
        &site,
        "italy",
        "SIGNON Ibalkan9 pasta&vino\nSTATUS\nWHOGAME\nSET NOTIFY RESULTS PRESS\nVOTE DIAS\nHISTORY\nLIST",
    );
    say(&site, "austria", "RESIGN Abalkan9 walzer");
    say(&site, "newman", "TAKEOVER AUSTRIA@balkan9 newpass");
    say(&site, "zoe", "TAKEOVER AUSTRIA@balkan9 newpass");
    // A newcomer's game, from its making to its beginning.
    site.deliver(support::plain("zoe@example.com", "a", "JOIN form7 secret7").as_bytes());
    site.deliver(support::plain("carol@example.com", "b", "OBSERVE watcher@form7 secret7").as_bytes());
    say(&site, "gm", "SIGNON Mform7 gm-form\nOFFICIAL A word of the Master\nBROADCAST\nWe begin.\nENDPRESS\nACTIVATE");
    // The Master's round.
    say(&site, "gm", "SIGNON Mbalkan9 gm-secret\nDUMMY AUSTRIA\nSET DEADLINE 30 NOV 20:00");
    say(&site, "gm", "SIGNON Mbalkan9 gm-secret\nPREVIEW");
    for _ in 0..3 {
        say(&site, "gm", "SIGNON Mbalkan9 gm-secret\nPROCESS!");
    }
    say(&site, "kibitz", "HISTORY balkan9\nSUMMARY balkan9\nLIST balkan9\nMAP balkan9 S1901M");
    say(&site, "gm", "SIGNON Mbalkan9 gm-secret\nROLLBACK\nREVIVE AUSTRIA");
    say(&site, "gm", "SIGNON Mbalkan9 gm-secret\nPROCESS\nROLLFORWARD\nFORM");
    say(&site, "gm", "RENAME balkan9 heron gm-secret");
    // Reminders, and what is late.
    let deadline = site.game("balkan9").deadline.expect("a deadline").and_utc();
    for minutes in [-260, -240, 20, 500, 1000] {
        site.now = (deadline + chrono::Duration::minutes(minutes)).format("%Y-%m-%dT%H:%M:%SZ").to_string();
        round(&site);
    }
    // The end, of all who are left.
    let mut game = site.game("balkan9");
    game.rules.retain(|rule| rule != "NO_DRAW");
    for p in game.participants.iter_mut().filter(|p| !p.units.is_empty() && p.name != "FRANCE") {
        p.vote = Some(Vote::Dias);
    }
    site.put(&game, &site.index("balkan9"));
    say(&site, "france", "SIGNON FRANCE@balkan9 le-secret\nVOTE DIAS");
    say(&site, "gm", "SIGNON Mbalkan9 gm-secret\nSET LISTED\nWAIT");
    let sent = site.sent();
    let seen: std::collections::BTreeSet<&str> = sent.iter().map(|(_, s)| s.notice.as_str()).collect();
    for notice in [
        "N01", "N03", "N05", "N06", "N10", "N12", "N13", "N16", "N17", "N18", "N19", "N21", "N22", "N23", "N24", "N26",
        "N27", "N32", "N33", "N34", "N40", "N41", "N42", "N43", "N44", "N45", "N50", "reply",
    ] {
        assert!(seen.contains(notice), "{notice} was not written: {seen:?}");
    }
    let wide: Vec<String> = sent.iter().flat_map(|(_, s)| too_wide(s)).collect();
    assert!(wide.is_empty(), "{} lines too wide:\n{}", wide.len(), wide.join("\n"));
    // What has a picture of the board names the page where there is more.
    for (_, mail) in sent.iter().filter(|(_, s)| WITH_A_MAP.contains(&s.notice.as_str())) {
        let head = |line: &str| line.strip_prefix("X-Chancery-Game: ").map(str::to_string);
        let page = format!("https://judge.example/game/{}", mail.head.lines().find_map(head).expect("a game"));
        assert!(mail.text.contains(&page), "{} does not name {page}:\n{}", mail.notice, mail.text);
    }
}
