//! The results report (notices.md 4 and 5): its fixed layout, which programs read.

use super::Diplomacy;
use crate::diplomacy::adjudicate::{Estates, Position, Profile, due, goals, wins_with};
use crate::diplomacy::map::{Map, PowerId, ProvinceId};
use crate::diplomacy::phase::Phase;
use crate::diplomacy::rules::{Rule, Rules};
use crate::judge::table::title_case;
use crate::status::Game;

/// Seasons that are said with "of": `Spring of 1901`.
const SEASONS: [&str; 5] = ["SPRING", "SUMMER", "FALL", "AUTUMN", "WINTER"];

/// `Spring of 1901`, `A.D. 800`.
fn season(phase: &Phase) -> String {
    let of = if SEASONS.contains(&phase.season.as_str()) { " of" } else { "" };
    let name = if of.is_empty() { phase.season.clone() } else { title_case(&phase.season) };
    format!("{name}{of} {}", phase.year)
}

/// `Movement for Fall of 1901`
pub fn phase_title(phase: &Phase) -> String {
    format!("{} for {}", title_case(&phase.kind), season(phase))
}

/// `Movement results for Spring of 1901.  (balkan9.S1901M)`
pub fn title(game: &str, phase: &Phase) -> String {
    let what = match phase.letter() {
        'R' => "Retreat orders".to_string(),
        'A' => "Adjustment orders".to_string(),
        _ => format!("{} results", title_case(&phase.kind)),
    };
    format!("{what} for {}.  ({game}.{})\n", season(phase), phase.short())
}

/// What wins: `18 centres`, or the numbers year by year where the map has several.
pub fn goal(map: &Map, rules: Rules) -> Option<String> {
    let goals = goals(map, rules);
    let last = goals.last()?;
    let what = if rules.has(Rule::VictoryHomes) { "home centres of others" } else { "centres" };
    Some(match goals.iter().any(|goal| goal != last) {
        false => format!("{last} {what}"),
        true => {
            let years: Vec<String> = goals.iter().map(u16::to_string).collect();
            format!("{} {what}, year by year", years.join(", "))
        }
    })
}

/// The power column, 12 wide.
pub fn column(title: &str) -> String {
    let head = format!("{title}:");
    if head.chars().count() < 12 { format!("{head:<12}") } else { format!("{head} ") }
}

/// Wraps at 75 with a hanging indent of 12.
pub fn wrap(text: &str) -> String {
    crate::judge::post::wrap(text, 75, 12)
}

/// The units of every power, one line each.
pub fn units(referee: &Diplomacy, game: &Game) -> String {
    let map = referee.map();
    let mut text = String::from("Units:\n\n");
    for power in map.power_ids() {
        let Some(p) = referee.block(game, &map[power].key).filter(|p| !p.units.is_empty()) else { continue };
        for unit in &p.units {
            text += &format!("{}{}.\n", column(&map[power].title), referee.unit_in_words(unit));
        }
        text.push('\n');
    }
    text
}

/// The ownership block.
pub fn ownership(referee: &Diplomacy, game: &Game) -> String {
    ownership_known(referee, game, &|_| true)
}

/// The same of the centres that its reader knows of.
pub fn ownership_known(referee: &Diplomacy, game: &Game, knows: &dyn Fn(ProvinceId) -> bool) -> String {
    let map = referee.map();
    let mut text = String::from("Ownership of supply centers:\n\n");
    let mut owned = Vec::new();
    for power in map.power_ids() {
        let Some(p) = referee.block(game, &map[power].key) else { continue };
        let mut centers: Vec<_> = p.owns.iter().filter_map(|c| map.province(c)).collect();
        // By code, which is the order of ids.
        centers.sort();
        owned.extend(centers.iter().copied());
        centers.retain(|c| knows(*c));
        if !centers.is_empty() {
            let names: Vec<&str> = centers.iter().map(|c| map[*c].title.as_str()).collect();
            text += &wrap(&format!("{}{}.", column(&map[power].title), names.join(", ")));
            text.push('\n');
        }
    }
    let free: Vec<&str> = map
        .province_ids()
        .filter(|p| map[*p].center && !owned.contains(p) && knows(*p))
        .map(|p| map[p].title.as_str())
        .collect();
    if !free.is_empty() {
        text += &wrap(&format!("{}{}.", column("Unowned"), free.join(", ")));
        text.push('\n');
    }
    text.push('\n');
    text
}

/// A line of the table of centres and units.
pub struct Count {
    /// Whose.
    pub power: PowerId,
    /// It has won.
    pub wins: bool,
    /// The line, with its end.
    pub line: String,
}

/// The table of centres and units, with the winners marked.
pub fn supply_table(
    referee: &Diplomacy,
    position: &Position,
    profile: &Profile,
    estates: &Estates,
    victors: &[PowerId],
) -> Vec<Count> {
    let map = referee.map();
    let mut table = Vec::new();
    for power in map.power_ids() {
        let due = due(profile, position, estates, power);
        let units = position.units(power).count() as i32;
        let centers = position.centers(power).count();
        if centers == 0 && units == 0 {
            continue;
        }
        let plural = |n: i64, one: &str, many: &str| if n == 1 { format!("{one} ") } else { many.to_string() };
        let count = due.count.abs();
        let word = if due.count < 0 { "Removes" } else { "Builds" };
        let unit = if count == 1 { "unit." } else { "units." };
        // With a winner his dummies bear the mark, too.
        let wins = victors.contains(&power) || victors.contains(&wins_with(profile, estates, power));
        let mark = if wins { "  (* VICTORY!! *)" } else { "" };
        let line = format!(
            "{:<11} {centers:>2} {} {units:>2} {}  {word:<8}{count:>2} {unit}{mark}\n",
            format!("{}:", map[power].title),
            plural(centers as i64, "Supply center,", "Supply centers,"),
            plural(i64::from(units), "Unit:", "Units:"),
        );
        table.push(Count { power, wins, line });
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        let phase = Phase { season: "SPRING".into(), year: 1901, kind: "MOVEMENT".into() };
        assert_eq!(title("balkan9", &phase), "Movement results for Spring of 1901.  (balkan9.S1901M)\n");
        assert_eq!(phase_title(&phase), "Movement for Spring of 1901");
        let phase = Phase { season: "A.D.".into(), year: 800, kind: "RETREATS".into() };
        assert_eq!(phase_title(&phase), "Retreats for A.D. 800");
    }
}
