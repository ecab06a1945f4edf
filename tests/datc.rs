//! The DATC data through the real program, its `choice` outcomes under their switches, and the rules that change them.

use chancery::diplomacy::adjudicate::case::Table;
use chancery::diplomacy::adjudicate::datc::{DatcCase, File, check_choice, play_movement, position_of};
use chancery::diplomacy::adjudicate::{Profile, Workspace, jdip};
use chancery::diplomacy::map::Map;
use chancery::diplomacy::rules::{Rule, Rules};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Command;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/datc");

fn read(name: &str) -> String {
    std::fs::read_to_string(format!("{DATA}/{name}")).unwrap()
}

fn cases() -> File {
    serde_json::from_str(&read("datc.json")).unwrap()
}

fn datc(more: &[&str]) -> (String, Option<i32>) {
    let file = format!("{DATA}/datc.json");
    let out = Command::new(env!("CARGO_BIN_EXE_chancery")).arg("datc").arg(file).args(more).output().unwrap();
    (String::from_utf8(out.stdout).unwrap(), out.status.code())
}

#[test]
fn every_case_in_both_profiles() {
    for more in [&[][..], &["--old-judge"]] {
        let (text, code) = datc(more);
        let failures: Vec<&str> = text.lines().filter(|l| l.contains(" FAIL ")).collect();
        assert!(failures.is_empty(), "{more:?}: {failures:#?}");
        assert_eq!(text.lines().last(), Some("188 passed, 0 failed"));
        assert_eq!(code, Some(0));
    }
}

#[test]
fn one_case() {
    assert_eq!(datc(&["--case", "6.A.1"]), ("6.A.1 ok\n1 passed, 0 failed\n".into(), Some(0)));
    assert_eq!(datc(&["--case", "6.Z.1"]).1, Some(1));
}

/// A wrong expectation is found, and said in the words of the contract.
#[test]
fn a_failure_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut file: Value = serde_json::from_str(&read("datc.json")).unwrap();
    file["cases"][0]["expected"]["position"] = json!({"ENGLAND": ["F PIC"]});
    let path = folder.path().join("wrong.json");
    std::fs::write(&path, file.to_string()).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_chancery")).arg("datc").arg(&path).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let first = "6.A.1 FAIL position: want {\"ENGLAND\":[\"F PIC\"]}, got {\"ENGLAND\":[\"F NTH\"]}";
    assert_eq!(text.lines().next(), Some(first));
    assert!(text.ends_with("187 passed, 1 failed\n"));
    assert_eq!(out.status.code(), Some(1));
}

fn units_of(dislodged: &Value) -> Vec<Value> {
    let mut list: Vec<Value> = dislodged
        .as_array()
        .into_iter()
        .flatten()
        .map(|d| json!([d["unit"], d.get("retreats").cloned().unwrap_or(json!([]))]))
        .collect();
    list.sort_by_key(Value::to_string);
    list
}

#[test]
fn rules_that_change_cases() {
    let table = Table::new(Map::builtin("standard").unwrap());
    let file = cases();
    let variants: Value = serde_json::from_str(&read("dpjudge-rules.json")).unwrap();
    let mut memory = Workspace::new();
    let mut failures = Vec::new();
    for variant in variants["variants"].as_array().unwrap() {
        let (id, rule) = (variant["case"].as_str().unwrap(), variant["rule"].as_str().unwrap());
        let case: &DatcCase = file.cases.iter().find(|c| c.id == id).unwrap();
        let rules: Rules = [Rule::OldJudge, Rule::named(rule).unwrap()].into_iter().collect();
        // Supports into split coasts were always void there, a defect that is not reproduced: they are left out.
        let defect = id == "6.E.11";
        let mut sent = case.dpjudge["orders"].as_array().unwrap().clone();
        for order in &mut sent {
            if defect && order["marks"] == json!(["void"]) {
                order["sent_as"] = json!("nothing");
            }
        }
        let outcome = play_movement(&table, case, &Profile::new(rules), &mut memory, &sent).ok().unwrap();
        let mut marks: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for played in &outcome.played {
            let unit = played.order.split(' ').take(2).collect::<Vec<_>>().join(" ");
            if !played.codes.is_empty() {
                marks.insert(unit, played.codes.clone());
            }
        }
        if defect {
            marks.extend([("F LYO".into(), vec!["void"]), ("F WES".into(), vec!["void"])]);
        }
        let got = json!([marks, position_of(&outcome.position), units_of(&outcome.dislodged)]);
        let want = json!([variant["marks"], variant["position"], units_of(&variant["dislodged"])]);
        if got != want {
            failures.push(format!("{rule} {id}\nwant {want}\ngot  {got}"));
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// The issues that adjudication.md names a switch for.
const SWITCHED: [&str; 7] = ["4.A.2", "4.A.3", "4.A.5", "4.A.6", "4.B.5", "4.B.6", "4.D.8"];

/// Every other outcome of the file for which there is a switch, and how many of them there are: those of the issues
/// above all, of the others what `adjudicate/choice.rs` says.
#[test]
fn other_choices() {
    let table = Table::new(Map::builtin("standard").unwrap());
    let mut memory = Workspace::new();
    let (mut tried, mut without, mut failures) = (0, Vec::new(), Vec::new());
    for case in &cases().cases {
        for choice in case.choices() {
            let name = format!("{} {}={}", case.id, choice.issue, choice.option);
            // Brannan's rule in the form that also stops the attack on the fleet has no switch.
            match Profile::default().choosing(choice.issue, choice.option) {
                Ok(profile) if case.id != "6.F.30" => {
                    tried += 1;
                    if let Err(difference) = check_choice(&table, case, choice, &profile, &mut memory) {
                        failures.push(format!("{name}: {difference}"));
                    }
                }
                _ => without.push((choice.issue.to_owned(), name)),
            }
        }
    }
    assert!(failures.is_empty(), "{} of {tried} failures\n{}", failures.len(), failures.join("\n"));
    assert!(without.iter().all(|(issue, _)| !SWITCHED.contains(&issue.as_str())), "{without:#?}");
    assert_eq!((tried, without.len()), (45, 19));
}

/// A switch changes something: the outcomes above are not those of the default.
#[test]
fn choices_differ_from_the_default() {
    let table = Table::new(Map::builtin("standard").unwrap());
    let mut memory = Workspace::new();
    let default = Profile::default();
    for case in &cases().cases {
        for choice in case.choices().filter(|c| ["4.A.3", "4.A.5", "4.D.8"].contains(&c.issue)) {
            let same = check_choice(&table, case, choice, &default, &mut memory).is_ok();
            assert!(!same, "{} {}={}", case.id, choice.issue, choice.option);
        }
    }
}

#[test]
fn choices_from_the_command_line() {
    let (text, code) = datc(&["--choice", "4.D.8=distance-to-home-centres"]);
    assert_eq!((text.as_str(), code), ("6.J.12 ok\n6.K.1 ok\n2 passed, 0 failed\n", Some(0)));
    assert_eq!(datc(&["--choice", "4.D.8=astrology"]).1, Some(2));
    assert_eq!(datc(&["--choice", "4.A.2=2000"]).1, Some(1));
}

fn run_jdip(text: &str, more: &[&str]) -> (String, String, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cases.txt");
    std::fs::write(&path, text).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_chancery")).arg("datc").arg(&path).args(more).output().unwrap();
    let said = String::from_utf8(out.stderr).unwrap().replace(&format!("datc: {}: ", path.display()), "");
    (String::from_utf8(out.stdout).unwrap(), said, out.status.code())
}

#[test]
fn files_of_jdip() {
    let (text, said, code) = run_jdip(&read("sections.txt"), &[]);
    let failures: Vec<&str> = text.lines().filter(|l| l.contains(" FAIL ")).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(text.starts_with("M.1 (a supported attack) ok\nM.2 ok\n"), "{text}");
    assert!(text.ends_with("12 passed, 0 failed\n"), "{text}");
    assert_eq!(said, "41:2: misspelt power: Englnad (want England)\n");
    assert_eq!(code, Some(0));
    assert_eq!(
        run_jdip(&read("sections.txt"), &["--case", "M.1"]).0,
        "M.1 (a supported attack) ok\n1 passed, 0 failed\n"
    );
    // What differs is said, and an option changes what comes out.
    let (text, _, code) = run_jdip(&read("sections.txt"), &["--choice", "4.A.5=a-origin-of-attacker-barred"]);
    let failures: Vec<&str> = text.lines().filter(|l| l.contains(" FAIL ")).collect();
    assert_eq!(failures.len(), 1, "{text}");
    assert!(failures[0].starts_with("R.3 FAIL position: want {\"FRANCE\""), "{text}");
    assert_eq!(code, Some(1));
}

#[test]
fn mistakes_of_jdips_files_are_said_where() {
    let case = "CASE x\nPRESTATE\n\tEngland: F nth\nORDERS\n\tEngland: F nth H\nPOSTSTATE_SAME\nEND\n";
    assert_eq!(run_jdip(case, &[]).2, Some(0));
    for (from, to, want) in [
        ("CASE x\n", "VARIANT_ALL Atlantis\nCASE x\n", "1:13: unknown variant: Atlantis (want the name of a map"),
        ("CASE x", "CASE", "1:1: a case without a name: CASE ("),
        ("CASE x\n", "", "1:1: outside of a case: PRESTATE ("),
        ("END\n", "", "1:1: this case has no end: CASE x (want a line END)"),
        ("END\n", "CASE y\n", "7:1: a case inside a case: CASE y ("),
        ("PRESTATE\n", "PRESTATE_SETPHASE Yule 1901, Movement\nPRESTATE\n", "2:19: not a phase: Yule 1901, Movement ("),
        ("PRESTATE\n", "PRESTAT\n", "2:1: not a keyword: PRESTAT (want CASE, END"),
        ("PRESTATE\n", "PRESTATE now\n", "2:10: something behind a keyword: now ("),
        ("ORDERS\n", "PRESTATE\n", "4:1: a second block of its kind: PRESTATE ("),
        ("England: F nth\n", "Elbonia: F nth\n", "3:2: unknown power: Elbonia (want Austria"),
        ("England: F nth\n", "England: F mun\n", "3:11: not a unit: F mun ("),
        ("England: F nth\n", "England: F ntx\n", "3:11: not a unit: F ntx ("),
        ("England: F nth\n", "England: F spa\n", "3:11: not a unit: F spa ("),
        ("England: F nth\n", "England: F nth\n\tFrance: F nth\n", "4:2: a second unit in a province: France: F nth"),
        ("ORDERS\n", "PRESTATE_SUPPLYCENTER_OWNERS\n\tEngland: A bur\nORDERS\n", "5:11: not a supply centre: A bur"),
        ("ORDERS\n", "PRESTATE_RESULTS\n\tMAYBE: England: F nth H\nORDERS\n", "5:2: not a result: MAYBE: England"),
        ("ORDERS\n", "PRESTATE_RESULTS\n\tSUCCESS: England: A\nORDERS\n", "5:20: not an order: A ("),
        ("POSTSTATE_SAME\n", "", "6:1: nothing to compare with: END (want POSTSTATE or"),
        ("POSTSTATE_SAME\n", "POSTSTATE\nPOSTSTATE_SAME\n", "8:1: POSTSTATE and POSTSTATE_SAME: END ("),
    ] {
        assert!(case.contains(from), "{from}");
        let (out, said, code) = run_jdip(&case.replacen(from, to, 1), &[]);
        assert_eq!((out.as_str(), code), ("", Some(1)), "{to}");
        assert!(said.starts_with(want), "{to}: {said}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("PROPTEST_CASES").is_some() { 2000 } else { 48 }))]

    /// However a file is garbled: it is read, or the place of the mistake is in the file; what is read can be played.
    #[test]
    fn garbled_files_of_jdip(at in 0.0..1.0f64, gone in 0usize..60, put in "(\\PC|\n|#|:| END\n| CASE | A | - |spa/nc){0,6}") {
        let text = read("sections.txt");
        let boundary = |at: usize| (at..=text.len()).find(|i| text.is_char_boundary(*i)).unwrap();
        let from = boundary((text.len() as f64 * at) as usize);
        let to = boundary((from + gone).min(text.len()));
        let garbled = format!("{}{put}{}", &text[..from], &text[to..]);
        match jdip::read(&garbled) {
            Ok(file) => {
                let mut memory = Workspace::new();
                for case in &file.cases {
                    let _ = jdip::check(&file.table, case, &Profile::default(), &mut memory);
                }
            }
            Err(wrong) => {
                let line = garbled.lines().nth(wrong.line - 1).unwrap_or_default();
                prop_assert!((1..=line.chars().count() + 1).contains(&wrong.column), "{wrong}");
            }
        }
    }
}
