//! Properties of reading and writing status files: nothing is lost, nothing moves without need, one canonical
//! rewrite is enough, an edit says what it was told to say.

use chancery::diplomacy::geography::examine;
use chancery::diplomacy::map::library::BuiltIn;
use chancery::status::{
    Document, Game, Holder, Need, Omniscient, Participant, ParticipantKind, PhaseState, PlayerLine, Vote, canonical,
    sort_participants,
};
use proptest::prelude::*;

const EXAMPLES: [&str; 7] = [
    include_str!("data/status/lantern.status"),
    include_str!("data/status/hexham.status"),
    include_str!("data/status/ridley.status"),
    include_str!("data/status/willow.status"),
    include_str!("data/status/beacon.status"),
    include_str!("data/status/tandem.status"),
    include_str!("data/status/summit.status"),
];

/// Lines the examples do not have: good, old, odd and wrong ones.
const ODD: [&str; 71] = [
    "POWER #7",
    "POWER +",
    "OBSERVER +",
    "POWER POWER",
    "\u{85}RULE BUILD_ANY",
    "START",
    "START 8 July 2024",
    "FINISH",
    "FINISH 9 July 2024",
    "JUDGE",
    "LANGUAGE",
    "LANGUAGE french",
    "SIGNON",
    "WAIT",
    "PHASE",
    "",
    "   ",
    "# remark",
    "  #  another  remark",
    "FROBNICATE  3",
    "GAME other",
    "DESC",
    "END DESC",
    "description   two  words",
    "NAME",
    "END NAME",
    "MORPH UNPLAYED ITALY",
    "MORPH",
    "END MORPH",
    "RULE no_press BUILD_ANY !HOME_BUILDS EAVESDROP!",
    "RULES flex_setup",
    "TIMING SKIP",
    "timing grace 2h not 20240101",
    "TIMING NOT 20240202-20240303",
    "TIMING NEXT",
    "TIMING NEXT 0D",
    "DEADLINE 2024010112",
    "DEADLINE 99999999",
    "DELAY 72",
    "HELD 202401010000",
    "ZONE europe/berlin",
    "TAX 3",
    "TAX PAR 4",
    "CAP 0",
    "LOCKS 3",
    "SKIP FALL 1900 MOVEMENT",
    "VICTORY 20",
    "ALLOW OBSERVER INVESTOR",
    "INVESTOR  rich man",
    "TEAMS FRANCE-ITALY",
    "NEED",
    "RESULT W1908A ENGLAND",
    "TESTER",
    "GROUPS a|b",
    "PRIVATE",
    "ROTATE",
    "FRANCE",
    "POWER POWER#2",
    "OBSERVER   magpie",
    "PLAYER RESIGNED F1901M #7|x@y.example|X",
    "OMNISCIENT!",
    "OWNS PAR SC! sc?",
    "HOME",
    "HIDES A PAR, F BRE",
    "FUNDS 12E $34 2/share 5+",
    "A PAR-->GAS  PIC",
    "retreat a par disband",
    "SENT FRANCE",
    "5 A PAR - BUR % so",
    "LATER",
    "NOTIFY RESULTS",
];

/// Every word a line may begin with, and some that none may.
const KEYS: [&str; 72] = [
    "GAME",
    "PHASE",
    "AWAIT",
    "WAIT",
    "SKIP",
    "MAP",
    "TRIAL",
    "LANGUAGE",
    "MORPH",
    "DESC",
    "DESCRIPTION",
    "NAME",
    "FLOW",
    "BEGIN",
    "VICTORY",
    "NEWHOMES",
    "PROCESSED",
    "MASTER",
    "ADDRESS",
    "PASSWORD",
    "TESTER",
    "GROUPS",
    "START",
    "FINISH",
    "JUDGE",
    "SIGNON",
    "RESULT",
    "NEED",
    "PRIVATE",
    "PRIVACY",
    "ROTATE",
    "RULE",
    "RULES",
    "ALLOW",
    "PROPOSAL",
    "DEADLINE",
    "HELD",
    "ZONE",
    "DELAY",
    "TIMING",
    "TEAM",
    "TEAMS",
    "TAX",
    "CAP",
    "LOCKS",
    "END",
    "PLAYER",
    "CONTROL",
    "NOTIFY",
    "STRICT",
    "PREFER",
    "OMNISCIENT",
    "OMNISCIENT!",
    "CD",
    "VOTE",
    "MSG",
    "INHABITS",
    "HOME",
    "OWNS",
    "SEES",
    "HIDES",
    "FUNDS",
    "A",
    "F",
    "RETREAT",
    "BUILD",
    "REMOVE",
    "ORDERS",
    "POWER",
    "OBSERVER",
    "FRANCE",
    "#",
];
/// What may follow.
const ARGUMENTS: [&str; 30] = [
    "",
    "x",
    "0",
    "3",
    "72",
    "#1",
    "+",
    "!",
    "FORMING",
    "COMPLETED",
    "SPRING 1901 MOVEMENT",
    "PAR",
    "A PAR",
    "A PAR - BUR",
    "A PAR --> GAS PIC",
    "greta@gm.example",
    "#7|x@y.example|X_Y",
    "RESIGNED",
    "DUMMY",
    "FRANCE ITALY",
    "standard",
    "202407101200",
    "Europe/Paris",
    "NEXT 1D",
    "DESC",
    "NO_PRESS",
    "SOLO",
    "W1908A ENGLAND",
    "FRANCE:3",
    "\u{a0}\u{85}",
];

/// A line of any word and anything after it.
fn any_line() -> impl Strategy<Value = String> {
    let words = (prop::sample::select(&KEYS[..]), prop::sample::select(&ARGUMENTS[..]));
    prop_oneof![
        6 => words.prop_map(|(key, argument)| format!("{key} {argument}")),
        1 => Just(String::new()),
        1 => prop::sample::select(&ODD[..]).prop_map(str::to_owned),
    ]
}

fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes()).unwrap()
}

/// A file: an example with odd lines put in, lines taken out and line ends of either kind.
fn file() -> impl Strategy<Value = String> {
    let change = (any::<prop::sample::Index>(), prop::option::of(prop::sample::select(&ODD[..])));
    (prop::sample::select(&EXAMPLES[..]), prop::collection::vec(change, 0..12), any::<bool>(), any::<bool>()).prop_map(
        |(example, changes, crlf, last)| {
            let mut lines: Vec<&str> = example.lines().collect();
            for (at, change) in changes {
                match change {
                    Some(line) => lines.insert(at.index(lines.len() + 1), line),
                    None if !lines.is_empty() => drop(lines.remove(at.index(lines.len()))),
                    None => {}
                }
            }
            let end = if crlf { "\r\n" } else { "\n" };
            lines.join(end) + if last { end } else { "" }
        },
    )
}

/// A change the judge makes.
fn change(game: &mut Game, kind: u8, at: usize) {
    let count = game.participants.len().max(1);
    let seat = at % count;
    match kind {
        0 => game.delay = (at % 73) as u8,
        1 => game.deadline = None,
        2 => game.rules.push("NO_PRESS".into()),
        3 => drop(game.rules.pop()),
        4 => game.timing.push(("GRACE".into(), "1D".into())),
        5 => game.desc = (0..at % 6).map(|n| format!("Line {n} of many")).collect(),
        6 => game.desc.push("END DESC".into()),
        7 => game.need.push(Need { power: "FRANCE".into(), units: None, centers: Some(3) }),
        8 => sort_participants(game),
        9 if !game.participants.is_empty() => game.participants.rotate_left(seat),
        9 => {}
        10 if !game.participants.is_empty() => drop(game.participants.remove(seat)),
        11 => {
            // Two of one name are one.
            let taken = |name: &String| game.participants.iter().any(|p| p.name == *name);
            let name = (0..).map(|n| format!("OWL{n}")).find(|name| !taken(name)).unwrap();
            let kind = ParticipantKind::Other("OBSERVER".into());
            game.participants.push(Participant { kind, name, ..Participant::default() });
        }
        12 => game.rules_off.push("HIDE_DUMMIES".into()),
        13 => game.morph.push("DUMMY ITALY".into()),
        14 => game.zone = Some("America/New_York".into()),
        _ => {
            let Some(who) = game.participants.get_mut(seat) else { return };
            match kind {
                15 => who.orders = Some(vec!["A PAR - BUR".into(), "F BRE H".into()]),
                16 => who.orders = None,
                17 => who.units.insert(0, "A XYZ".into()),
                18 => drop(who.units.pop()),
                19 => who.vote = Some(Vote::Way(3)),
                20 => who.wait = !who.wait,
                21 => who.msg.push("A word from the Master".into()),
                22 => who.player = Some(PlayerLine { current: Holder::Dummy, earlier: Vec::new() }),
                23 => who.owns.clear(),
                24 => who.retreats.push(("F BRE".into(), vec!["PIC".into(), "GAS".into()])),
                25 => who.omniscient = Omniscient::Hears,
                26 => who.orders = Some(Vec::new()),
                _ => who.adjust = vec!["BUILD WAIVED".into()],
            }
        }
    }
}

/// Found by fuzzing: a phase line without a phase, twice. The first was dropped, and the next time the second.
#[test]
fn a_phase_line_that_says_nothing_stays() {
    let document = parse("GAME hexham\nWAIT\nWAIT\nAWAIT\nMAP standard\n");
    let once = document.canonical();
    assert_eq!(once.matches("WAIT").count(), 3, "{once}");
    assert_eq!(parse(&once).canonical(), once);
}

proptest! {
    /// Reading and writing back is the identity, for any bytes.
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let document = Document::parse(&bytes).unwrap();
        prop_assert_eq!(document.bytes(), bytes);
    }

    /// The same for files that look like files; an update to what is said already changes no byte.
    #[test]
    fn lossless(text in file()) {
        let mut document = parse(&text);
        prop_assert_eq!(document.text(), text.clone());
        let game = document.game().clone();
        prop_assert_eq!(document.updated(&game).unwrap(), text.clone());
        document.update(&game).unwrap();
        prop_assert_eq!(document.text(), text);
    }

    /// One canonical rewrite is enough, and it loses no line that was not understood.
    #[test]
    fn canonical_is_stable(text in file()) {
        let document = parse(&text);
        let once = document.canonical();
        prop_assert_eq!(parse(&once).canonical(), once.clone());
        let blank = |c: char| c == ' ' || c.is_ascii_control();
        let all: Vec<&str> = once.lines().map(|line| line.trim_matches(blank)).collect();
        for line in document.unknown_lines(None) {
            prop_assert!(all.contains(&line), "{line} is lost");
        }
        // A file without errors means the same afterwards.
        if !document.has_errors() && document.game().phase != PhaseState::Forming {
            prop_assert_eq!(parse(&once).game().clone(), document.game().clone());
        }
    }

    /// The same of lines that nobody would write.
    #[test]
    fn any_lines(lines in prop::collection::vec(any_line(), 0..14)) {
        let text = lines.join("\n");
        let document = parse(&text);
        let once = document.canonical();
        prop_assert_eq!(parse(&once).canonical(), once, "of {:?}", text);
    }

    /// An edited file says what the game says, keeps its other lines, and the checks never panic.
    #[test]
    fn edits(example in 0..EXAMPLES.len(), changes in prop::collection::vec((0u8..28, any::<prop::sample::Index>()), 1..6)) {
        let noted = EXAMPLES[example].replacen("MASTER", "# keep me\nFROBNICATE 3\nMASTER", 1);
        let mut document = parse(&noted);
        let mut game = document.game().clone();
        for (kind, at) in changes {
            change(&mut game, kind, at.index(1000));
        }
        let text = document.updated(&game).unwrap();
        document.update(&game).unwrap();
        prop_assert_eq!(document.text(), text);
        // NEED is never written while forming; a key of TIMING comes twice only in error.
        let mut want = game.clone();
        if want.phase == PhaseState::Forming {
            want.need.clear();
        }
        prop_assert_eq!(document.game(), &want);
        prop_assert!(document.text().contains("# keep me\nFROBNICATE 3\nMASTER"));
        prop_assert_eq!(parse(&canonical(&game)).game().clone(), want);
        examine(&document, None, &BuiltIn);
    }

    /// Lines that an edit does not concern stay byte for byte.
    #[test]
    fn edits_are_local(text in file(), delay in 1u8..=72) {
        let mut document = parse(&text);
        let mut game = document.game().clone();
        prop_assume!(game.delay != delay);
        game.delay = delay;
        document.update(&game).unwrap();
        prop_assert_eq!(document.game().delay, delay);
        let after = document.text();
        let mut rest = after.lines();
        for line in text.lines().filter(|l| !l.starts_with("DELAY")) {
            prop_assert!(rest.any(|l| l == line), "{line:?} is gone or moved");
        }
    }
}

/// What is stored after an edit is UTF-8, whatever the lines were read as, and no larger than what is read.
#[test]
fn the_text_after_an_edit_is_that_of_the_edited_document() {
    let mut bytes = EXAMPLES[0].as_bytes().to_vec();
    bytes.extend_from_slice(b"\n# caf\xe9\r\n# caf\xc3\xa9");
    let mut document = Document::parse(&bytes).unwrap();
    let mut game = document.game().clone();
    game.delay = 7;
    let text = document.updated(&game).unwrap();
    assert!(text.contains("DELAY 7") && text.ends_with("# café\r\n# café"), "{text}");
    document.update(&game).unwrap();
    assert_eq!(document.text(), text);
    game.participants = vec![game.participants[0].clone(); 501];
    assert_eq!(document.updated(&game), document.clone().update(&game).map(|()| String::new()));
    game = document.game().clone();
    game.rules = vec!["X".repeat(9000)];
    assert_eq!(document.updated(&game), document.clone().update(&game).map(|()| String::new()));
}

/// Found by fuzzing: of two START lines the first said nothing.
#[test]
fn an_empty_line_stands_in_no_others_way() {
    for key in ["START", "FINISH", "JUDGE", "LANGUAGE", "SIGNON"] {
        let text = EXAMPLES[1].replacen("MAP ", &format!("{key}\nRULE NO_PRESS\n{key} french\nMAP "), 1);
        let document = Document::parse(text.as_bytes()).unwrap();
        let once = document.canonical();
        assert!(once.contains(&format!("\n{key} french\n")), "{once}");
        assert_eq!(Document::parse(once.as_bytes()).unwrap().canonical(), once);
    }
}

/// Found by fuzzing: a word began with what Unicode takes for a blank, and the format does not.
#[test]
fn only_the_formats_blanks_are_blanks() {
    let document = parse("GAME hexham\nMAP standard\n\u{85}RULE NO_PRESS\n\u{a0}\n");
    assert!(document.game().rules.is_empty());
    let once = document.canonical();
    assert_eq!(parse(&once).canonical(), once);
    assert!(once.contains("\u{85}RULE NO_PRESS\n\u{a0}"), "{once:?}");
}

/// Found by fuzzing: a power whose name, standing alone, was a comment.
#[test]
fn a_name_that_is_none_is_kept_as_it_is() {
    for name in ["#01|GRETA", "+", "POWER"] {
        let text = format!("GAME hexham\nPHASE SPRING 1901 MOVEMENT\nMAP standard\n\nPOWER {name}\nBRZE\n");
        let document = parse(&text);
        assert!(document.game().participants.is_empty(), "{name}");
        assert_eq!(document.canonical(), text);
    }
}
