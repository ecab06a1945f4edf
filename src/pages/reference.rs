//! Reference pages: rules, commands, orders, about the house. One anchor for each rule and command.

use super::site::MapView;
use super::{Frame, rule_words};
use crate::diplomacy::rules::Rule;

/// A section of a reference page.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Anchor.
    pub id: String,
    /// Heading.
    pub title: String,
    /// Paragraphs.
    pub text: Vec<String>,
    /// Terms explained.
    pub entries: Vec<Entry>,
}

/// A term with its meaning.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// Anchor.
    pub id: String,
    /// Term.
    pub term: String,
    /// Meaning.
    pub text: String,
    /// What to write, if an example helps.
    pub example: String,
}

/// Lead of the page of rules.
pub const RULES_LEAD: &str = "A game is played by the usual rules of Diplomacy and those its Master adds. Each rule has a name, and a game's page links here.";
/// Lead of the page of commands.
pub const COMMANDS_LEAD: &str = "What you can write to the judge. A mail is read line by line, capitals do not matter, and every line gets an answer.";
/// Lead of the page of orders.
pub const ORDERS_LEAD: &str = "How to tell the judge what your units do. It reads the three-letter codes, full names and most ways people write orders.";
/// Lead of the page about the house.
pub const ABOUT_LEAD: &str = "Who runs this judge, and what it plays.";

/// What a variant is, under the heading of its list.
pub fn variant_lead(variant: &str) -> &'static str {
    match variant {
        "standard" => "Diplomacy with the usual rules, on any board.",
        "payola" => "Diplomacy in which units obey whoever pays them most.",
        "xtalball" => "Diplomacy with orders written several turns ahead.",
        _ => "",
    }
}

/// Every rule, in groups.
pub fn rules() -> Vec<Section> {
    let of = |group: &str| -> Vec<Entry> {
        let mine = Rule::ALL.iter().filter(|r| rule_words::words(**r).0 == group);
        let entry = |rule: &Rule| Entry {
            id: rule.name().into(),
            term: rule.name().into(),
            text: rule_words::words(*rule).1.into(),
            example: String::new(),
        };
        mine.map(entry).collect()
    };
    rule_words::GROUPS
        .iter()
        .map(|(id, title)| Section {
            id: format!("group-{id}"),
            title: (*title).into(),
            text: Vec::new(),
            entries: of(id),
        })
        .collect()
}

fn entries(list: &[(&str, &str, &str)]) -> Vec<Entry> {
    let anchor = |term: &str| term.split_whitespace().next().unwrap_or("").trim_end_matches(',').to_string();
    let mut seen: Vec<String> = Vec::new();
    let mut out = Vec::new();
    for (term, text, example) in list {
        let mut id = anchor(term);
        if seen.contains(&id) {
            id = term.split_whitespace().take(2).collect::<Vec<_>>().join("-").replace(',', "");
        }
        seen.push(id.clone());
        out.push(Entry { id, term: (*term).into(), text: (*text).into(), example: (*example).into() });
    }
    out
}

/// Commands by mail (mail-commands.md 3 and 4).
pub fn commands() -> Vec<Section> {
    let section = |id: &str, title: &str, text: &str, list: &[(&str, &str, &str)]| Section {
        id: id.into(),
        title: title.into(),
        text: vec![text.into()],
        entries: entries(list),
    };
    vec![
        section(
            "everybody",
            "For everybody",
            "The first line of a mail. None of these needs a sign-on.",
            &[
                ("HELP", "The card of all commands, or one topic of it.", ""),
                ("LIST", "Games that look for players; with a game's name, that game.", "LIST demo"),
                ("SEARCH", "Games by criteria.", ""),
                ("SUMMARY", "Centers of a game year by year.", "SUMMARY demo"),
                ("HISTORY", "All reports of a game, or those from one phase to another.", "HISTORY demo S1901M F1902M"),
                ("MAP", "The map of a game as it is now.", "MAP demo"),
                ("REGISTER", "Makes you known to the judge: your name, then END.", "REGISTER\nName: Ada Lovelace\nEND"),
            ],
        ),
        section(
            "joining",
            "Taking part",
            "Choose a password of your own; the game's page shows the exact mail.",
            &[
                (
                    "JOIN",
                    "A seat in a forming game. Private games need the privacy word behind the password.",
                    "JOIN demo yourPassword\nSIGNOFF",
                ),
                ("TAKEOVER", "A seat that its player has left.", "TAKEOVER turkey@demo yourPassword\nSIGNOFF"),
                (
                    "OBSERVE",
                    "Watch under a name of your choice, and write press.",
                    "OBSERVE ada@demo yourPassword\nSIGNOFF",
                ),
                ("MONITOR", "Results and deadlines only.", "MONITOR ada@demo yourPassword"),
                (
                    "RESIGN",
                    "Leave your seat; the game then looks for somebody else.",
                    "RESIGN france@demo yourPassword",
                ),
            ],
        ),
        section(
            "playing",
            "As a player",
            "Sign on with the first line; what follows is for your seat, until SIGNOFF.",
            &[
                (
                    "SIGNON",
                    "Opens your seat: power and game, then the password.",
                    "SIGNON france@demo yourPassword\nA PAR - BUR\nSIGNOFF",
                ),
                ("SIGNOFF", "Ends the mail; what stands below is not read.", ""),
                (
                    "PARTIAL",
                    "As the first line of a sheet: good lines are stored, and units left out keep their orders.",
                    "",
                ),
                ("CLEAR", "Forgets your orders on file.", ""),
                ("STATUS", "Shows your orders on file.", ""),
                (
                    "PRESS",
                    "A letter to one power or several; ENDPRESS closes it.",
                    "PRESS TO england, germany\nShall we talk?\nENDPRESS",
                ),
                ("BROADCAST", "A letter to everybody; ENDPRESS closes it.", "BROADCAST\nGood luck to all.\nENDPRESS"),
                ("SET WAIT", "Nothing is processed before the deadline; SET NOWAIT takes it back.", ""),
                ("SET ABSENCE", "You are away: deadlines in that time move.", "SET ABSENCE 24 DEC TO 2 JAN"),
                ("SET ADDRESS", "Mail for you goes to the address you write from.", ""),
                ("SET PASSWORD", "A new password.", "SET PASSWORD newPassword"),
                ("SET ZONE", "Your time zone.", "SET ZONE Europe/Paris"),
                ("VOTE", "How the game may end: SOLO, DIAS, LOSS, or a draw of so many.", "VOTE DIAS"),
                (
                    "PROPOSE",
                    "Where the rules ask for it: proposes a draw or a concession; the others answer YES or NO.",
                    "PROPOSE DIAS",
                ),
                ("WITHDRAW", "Takes the proposal back.", "WITHDRAW PROPOSAL"),
            ],
        ),
        section(
            "master",
            "As a Master",
            "A Master signs on with the letter M, or as master.",
            &[
                (
                    "CREATE",
                    "A game of your own: name, password, the lines of its settings, then FORM.",
                    "CREATE demo yourPassword\nMAP standard\nRULE POWER_CHOICE\nTIMING MOVE 3D NEXT 1D\nFORM",
                ),
                ("FORM", "Opens a game in preparation for players.", ""),
                ("ACTIVATE", "Begins a full game, or takes a stopped one up again.", ""),
                ("PROCESS", "Resolves the phase now.", ""),
                ("PREVIEW", "Shows what would happen now, to you only.", ""),
                (
                    "SET DEADLINE",
                    "Moves the deadline, to a date or by a time.",
                    "SET DEADLINE 4 JAN 20:00\nSET DEADLINE +1D",
                ),
                ("DUMMY", "A power is played by nobody from now on.", "DUMMY turkey"),
                ("REVIVE", "A dummy looks for a player again.", "REVIVE turkey"),
                ("TERMINATE", "Gives the game up.", ""),
                ("PURGE", "Deletes the game.", "PURGE demo yourPassword"),
                ("RENAME", "Gives the game another name.", "RENAME demo newname yourPassword"),
            ],
        ),
    ]
}

/// How orders are written (orders.md 1).
pub fn orders() -> Vec<Section> {
    let section = |id: &str, title: &str, text: &[&str], list: &[(&str, &str, &str)]| Section {
        id: id.into(),
        title: title.into(),
        text: text.iter().map(|t| t.to_string()).collect(),
        entries: entries(list),
    };
    vec![
        section(
            "movement",
            "Movement",
            &[
                "One order a line: A for an army, F for a fleet, the place, and what it does. The kind of unit may be left out; the judge adds it.",
            ],
            &[
                ("Hold", "The unit stays.", "A BUD H"),
                ("Move", "A fleet names the coast where there are two.", "A VIE - GAL\nF GRE - BUL/SC"),
                ("Support", "To hold, or to move.", "A BUD S A VIE\nA BUD S A VIE - GAL"),
                ("Convoy", "The fleet names the army and where it goes.", "F NTH C A LON - BEL"),
                (
                    "Convoyed",
                    "The army moves as if it were next door. VIA says that it does not walk where it could; a written path is kept to.",
                    "A LON - BEL\nA YOR - LON VIA\nA LON - NTH - NWY",
                ),
            ],
        ),
        section(
            "retreats",
            "Retreats",
            &["Only dislodged units are ordered; the report says where they may go."],
            &[
                ("Retreat", "To a free place next to it.", "RETREAT F DEN - HEL"),
                ("Disband", "Gives the unit up.", "DISBAND F DEN"),
            ],
        ),
        section(
            "adjustments",
            "Builds and removals",
            &["After the second movement of a year, by the count of centers."],
            &[
                ("Build", "In a free home center of yours.", "BUILD A PAR\nBUILD F STP/NC"),
                ("Waive", "Leaves a build unused.", "BUILD WAIVED"),
                ("Remove", "Takes a unit off the board.", "REMOVE A ARM"),
            ],
        ),
        section(
            "answers",
            "What the judge answers",
            &[
                "Every line comes back as it was understood, or with the reason why it cannot stand.",
                "One bad line does not lose the others: correct it and send the whole sheet again, or begin the sheet with PARTIAL. A later sheet replaces an earlier one.",
            ],
            &[],
        ),
    ]
}

/// About the house.
pub fn about(frame: &Frame, maps: &[MapView]) -> Vec<Section> {
    let mut sections = vec![
        Section {
            id: "judge".into(),
            title: frame.nick.clone(),
            text: vec![
                format!("The judge reads mail at {}. A person, its keeper, looks after it.", frame.address),
                "It takes orders, says at once which lines it understood, keeps deadlines in each game's own time zone, resolves phases, and tells everybody what happened.".into(),
                "Pages of this site are written after each change and need no script. Nothing here shows addresses, passwords, orders before their time, or press between players.".into(),
            ],
            entries: Vec::new(),
        },
        Section {
            id: "programs".into(),
            title: "For programs".into(),
            text: vec!["Every game has status.json and feed.atom beside its page; index.json lists all games, openings.txt and openings.json all places to be had. Ask again no more often than once a minute, with If-None-Match.".into()],
            entries: Vec::new(),
        },
    ];
    if !maps.is_empty() {
        let entry = |m: &MapView| Entry {
            id: format!("map-{}", m.name),
            term: m.name.clone(),
            text: format!(
                "{} powers, {} supply centers, {} places. Its page is at {}/maps/{}.html",
                m.powers.len(),
                m.center_count,
                m.places.len(),
                frame.base,
                m.name
            ),
            example: String::new(),
        };
        sections.push(Section {
            id: "maps".into(),
            title: "Maps".into(),
            text: Vec::new(),
            entries: maps.iter().map(entry).collect(),
        });
    }
    sections
}
