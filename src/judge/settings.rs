//! How a game is played, in words: for lists and summaries (notices.md 2 N41, 6, 7), and for its pages.

use super::post::{and_list, wrap};
use super::table::{Table, title_case};
use crate::diplomacy::rules::Rule;

/// Columns of lists: what every window shows.
const WIDTH: usize = 72;

/// Variant, press, rules, timing, victory, judge, Master, start, end, result, description.
pub fn parameters(table: &Table) -> String {
    let game = &table.game;
    let variant = match table.referee.variant() {
        "standard" => title_case(table.referee.board()),
        variant => format!("{}, {}", title_case(table.referee.board()), title_case(variant)),
    };
    // EAVESDROP is shown to nobody (rules.md 2.3).
    let rules: Vec<&str> = game.rules.iter().map(String::as_str).filter(|r| *r != Rule::Eavesdrop.name()).collect();
    let result = game.result.as_ref().map(|result| {
        let names: Vec<String> = result.victors.iter().map(|key| table.title_of_key(key)).collect();
        format!("{} in {}", and_list(&names), result.phase)
    });
    let rules = rules.join(" ");
    let lines = [
        ("Variant", Some(variant)),
        ("Press", Some(press_words(table))),
        ("Rules", (!rules.is_empty()).then_some(rules)),
        ("Deadlines", Some(super::time::policy(table))),
        ("Victory", table.referee.goal()),
        ("Judge", Some(format!("{} ({})", table.house.id, table.house.nick))),
        ("Master", Some(table.master_name())),
        ("Started", game.start.clone()),
        ("Finished", game.finish.clone()),
        ("Result", result),
    ];
    let said = lines.into_iter().filter_map(|(what, value)| value.map(|value| format!("{what}: {value}")));
    let mut text: String = said.map(|line| wrap(&line, WIDTH, 12) + "\n").collect();
    if !game.desc.is_empty() {
        text.push('\n');
    }
    for line in &game.desc {
        text += &(wrap(line, WIDTH, 0) + "\n");
    }
    text
}

/// `White, Private.`
pub fn press_words(table: &Table) -> String {
    if table.rule(Rule::NoPress) {
        return "None.".into();
    }
    let words = |list: &[(Rule, &'static str)]| -> Vec<&'static str> {
        list.iter().filter(|(rule, _)| table.rule(*rule)).map(|(_, word)| *word).collect()
    };
    let mut said = words(&[
        (Rule::FakePress, "Fake"),
        (Rule::GreyPress, "Grey"),
        (Rule::WhiteGrey, "White/Grey"),
        (Rule::YellowPress, "Yellow"),
    ]);
    if said.is_empty() {
        said.push("White");
    }
    said.extend(words(&[
        (Rule::FtfPress, "Face-to-Face"),
        (Rule::TouchPress, "Touch"),
        (Rule::RemotePress, "Remote"),
        (Rule::BackseatPress, "Backseat"),
    ]));
    if !table.rule(Rule::BackseatPress) {
        said.push(if table.rule(Rule::PublicPress) { "Public" } else { "Private" });
    }
    format!("{}.", said.join(", "))
}

/// `WGPF`: white, grey, partial, fake, with dashes (notices.md 7).
pub fn press_letters(has: &dyn Fn(Rule) -> bool) -> String {
    if has(Rule::NoPress) {
        return "None".into();
    }
    let (grey, fake) = (has(Rule::GreyPress), has(Rule::FakePress));
    [(!grey, 'W'), (grey || fake || has(Rule::WhiteGrey), 'G'), (!has(Rule::PublicPress), 'P'), (fake, 'F')]
        .iter()
        .map(|(on, letter)| if *on { *letter } else { '-' })
        .collect()
}
