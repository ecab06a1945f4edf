//! `mail.in.require_auth` and `mail.in.trusted_authserv` with the real program: a password alone, or DMARC besides.

mod support;

use support::{Sent, Site, plain};

const ORDERS: &str = "SIGNON Fbalkan9 le-secret\nA PAR - BUR\nA MAR H\nF BRE H";
const PASSED: &str = "Authentication-Results: mx.judge.example;\n dmarc=pass (p=none) header.from=example.org\n";

fn site(wanted: &'static str) -> Site {
    Site::of_fixture_with(vec![
        ("mail.in.trusted_authserv", "[\"mx.judge.example\"]"),
        ("mail.in.require_auth", wanted),
    ])
}

fn mail(site: &Site, from: &str, results: &str, text: &str) -> Vec<Sent> {
    site.deliver(format!("{results}{}", plain(from, &format!("mail {}", site.sent().len()), text)).as_bytes())
}

fn ordered(site: &Site) -> bool {
    site.game("balkan9").participant("FRANCE").expect("France").orders.is_some()
}

#[test]
fn where_dmarc_is_wanted_a_password_alone_does_nothing() {
    let site = site("\"dmarc\"");
    let forged = "Authentication-Results: mx.evil.example; dmarc=pass header.from=example.org\n";
    for (n, (from, results)) in [
        ("france@example.org", ""),
        ("thief@example.net", ""),
        ("france@example.org", forged),
        ("thief@example.net", PASSED),
    ]
    .into_iter()
    .enumerate()
    {
        let sent = mail(&site, from, results, &format!("{ORDERS}\nPRESS TO E\n{n}\nENDPRESS"));
        let to: Vec<&str> = sent.iter().map(|s| s.to.as_str()).collect();
        assert_eq!(to, ["france@example.org"], "only the address on file hears of it: {from} {results}");
        assert!(sent[0].text.contains("R_BAD_LOGIN") && sent[0].text.contains("DMARC"), "{}", sent[0].text);
        assert!(!ordered(&site));
    }
    assert!(
        mail(&site, "thief@example.net", "", "SIGNON Fbalkan9 wrong\nA PAR H").is_empty(),
        "no answer tells it apart"
    );
    // Who is registered and has no seat yet is told; who is not, is not.
    let join = "JOIN ashen secret12";
    assert!(mail(&site, "nobody@example.net", "", join).is_empty());
    let sent = mail(&site, "newman@example.com", "", join);
    assert!(sent.len() == 1 && sent[0].text.contains("DMARC"), "{sent:?}");
    // Questions need no more than before, and what is vouched for is done.
    assert_eq!(mail(&site, "france@example.org", "", "HELP").len(), 1);
    let sent = mail(&site, "france@example.org", PASSED, ORDERS);
    assert!(ordered(&site) && sent.iter().any(|s| s.notice == "N12"), "{sent:?}");
}

#[test]
fn a_host_may_want_no_more_than_a_word_about_it() {
    let site = site("\"warn\"");
    let remark = |sent: &[Sent]| sent.iter().filter(|s| s.is_reply() && s.text.contains("DMARC")).count();
    assert_eq!(remark(&mail(&site, "france@example.org", PASSED, ORDERS)), 0);
    assert!(ordered(&site));
    assert_eq!(remark(&mail(&site, "france@example.org", "", &format!("{ORDERS}\nSET WAIT"))), 1);
    assert_eq!(remark(&mail(&site, "inn@road.example", "", ORDERS)), 2, "the address on file as well");
    assert_eq!(remark(&mail(&Site::of_fixture(), "france@example.org", "", ORDERS)), 0, "off by default");
}

#[test]
fn somebody_has_to_be_trusted_for_that() {
    let site = Site::of_fixture();
    let output = site.run_with(&["config", "check"], &[("CHANCERY_MAIL_IN_REQUIRE_AUTH", "dmarc")], b"");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(78) && said.contains("want mail.in.trusted_authserv too"), "{said}");
}
