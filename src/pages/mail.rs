//! The HTML alternative of a mail with a picture: the same text as the plain part (whose form programs read), set for
//! people. Styles stand in the elements, because many mail programs drop the rest; nothing is fetched from anywhere.

use super::{render, xml};
use askama::Template;

/// A paragraph of the text, set.
enum Block {
    Title(String),
    Heading(String),
    Lines(Vec<String>),
    Orders(String, Vec<(String, Option<Mark>)>),
    Table(Vec<(String, String)>),
    Counts(Vec<Count>),
    Plain(String),
}

/// A line of the table of supply centres.
struct Count {
    power: String,
    centres: String,
    units: String,
    change: String,
    won: bool,
}

/// `(*bounce*)` at the end of an order.
struct Mark {
    words: String,
    lost: bool,
}

#[derive(Template)]
#[template(path = "mail.html")]
struct MailPage<'a> {
    subject: &'a str,
    facts: Vec<(String, String)>,
    url: Option<String>,
    picture: &'a str,
    alt: &'a str,
    blocks: Vec<Block>,
}

/// Sets the plain text of a mail as HTML with the picture of that Content-ID.
pub fn mail(subject: &str, text: &str, picture: &str, alt: &str) -> String {
    let mut facts = Vec::new();
    let mut url = None;
    let mut rest = String::new();
    for line in text.lines() {
        match line.strip_prefix(":: ") {
            Some(head) if rest.trim().is_empty() => read_head(head, &mut facts, &mut url),
            _ => rest += &format!("{line}\n"),
        }
    }
    let mut blocks: Vec<Block> = Vec::new();
    for paragraph in rest.split("\n\n") {
        let lines: Vec<&str> = paragraph.lines().filter(|l| !l.trim().is_empty()).collect();
        if !lines.is_empty() {
            set(&lines, &mut blocks);
        }
    }
    // The most important line stands above the picture.
    if !blocks.iter().any(|b| matches!(b, Block::Title(_))) {
        blocks.insert(0, Block::Title(subject.to_string()));
    }
    let page = MailPage { subject, facts, url, picture, alt, blocks };
    String::from_utf8(render(&page)).unwrap_or_default()
}

/// `Judge: CHCY  Game: balkan9  Variant: standard `, `Deadline: …`, `URL: …`
fn read_head(head: &str, facts: &mut Vec<(String, String)>, url: &mut Option<String>) {
    for part in head.split("  ") {
        let Some((name, value)) = part.split_once(": ") else { continue };
        match name.trim() {
            "URL" => *url = Some(value.trim().to_string()),
            // A game that is over, or has no deadlines: the phase alone.
            "Deadline" if value.ends_with(" none") => {
                facts.push(("Phase".into(), value.trim_end_matches(" none").to_string()));
            }
            name => facts.push((name.to_string(), value.trim().to_string())),
        }
    }
}

fn set(lines: &[&str], blocks: &mut Vec<Block>) {
    let first = lines[0];
    // `Movement results for Spring of 1901.  (balkan9.S1901M)`
    if let ([_], Some((title, key))) = (lines, first.split_once(".  ("))
        && key.ends_with(')')
        && !key.starts_with('*')
    {
        blocks.push(Block::Title(title.to_string()));
        return;
    }
    if let ([_], Some(heading)) = (lines, first.strip_suffix(':')) {
        blocks.push(Block::Heading(heading.to_string()));
        return;
    }
    if let Some((power, _)) = first.split_once(": ")
        && lines.iter().all(|l| {
            l.strip_prefix(power)
                .and_then(|l| l.strip_prefix(": "))
                .is_some_and(|o| o.starts_with("Army ") || o.starts_with("Fleet "))
        })
    {
        blocks.push(Block::Orders(power.to_string(), lines.iter().map(|l| order(&l[power.len() + 2..])).collect()));
        return;
    }
    if let Some(rows) = lines.iter().map(|line| count(line)).collect() {
        blocks.push(Block::Counts(rows));
        return;
    }
    if let (Some(heading), [_, rest @ ..]) = (first.strip_suffix(':'), lines)
        && rest.iter().all(|line| line.starts_with("  "))
    {
        blocks.push(Block::Heading(heading.to_string()));
        blocks.push(Block::Plain(rest.iter().map(|line| &line[2..]).collect::<Vec<_>>().join("\n")));
        return;
    }
    if let Some(rows) = table(lines) {
        // Lists that a blank line parts (the units of each power) are one table.
        let mut whole = match blocks.last_mut() {
            Some(Block::Table(before)) => std::mem::take(before),
            _ => Vec::new(),
        };
        if !whole.is_empty() {
            blocks.pop();
        }
        for (name, value) in rows {
            match whole.last_mut() {
                Some((same, values)) if *same == name => {
                    *values = format!("{}, {value}", values.trim_end_matches('.'));
                }
                _ => whole.push((name, value)),
            }
        }
        blocks.push(Block::Table(whole));
        return;
    }
    if lines.iter().any(|l| l.starts_with("  ") || l.contains("   ")) {
        blocks.push(Block::Plain(lines.join("\n")));
        return;
    }
    blocks.push(Block::Lines(joined(lines)));
}

fn order(text: &str) -> (String, Option<Mark>) {
    match text.split_once("  (*") {
        Some((order, marks)) => {
            let words = marks.trim_end_matches("*)").to_string();
            let lost = words.contains("dislodged") || words.contains("destroyed");
            (order.trim_end_matches('.').to_string(), Some(Mark { words, lost }))
        }
        None => (text.trim_end_matches('.').to_string(), None),
    }
}

/// `Norway:      1 Supply center,   1 Unit:   Builds   0 units.`, with `  (* VICTORY!! *)` behind it for a winner.
fn count(line: &str) -> Option<Count> {
    let (line, won) = match line.strip_suffix("  (* VICTORY!! *)") {
        Some(line) => (line, true),
        None => (line, false),
    };
    let [power, numbers, change] = line.split(':').collect::<Vec<_>>().try_into().ok()?;
    let (centres, units) = numbers.split_once(',')?;
    let number = |text: &str, what: &str| {
        let (number, rest) = text.trim().split_once(' ')?;
        (rest.starts_with(what) && number.parse::<u16>().is_ok()).then(|| number.to_string())
    };
    Some(Count {
        power: power.to_string(),
        centres: number(centres, "Supply center")?,
        units: number(units, "Unit")?,
        change: change.trim().trim_end_matches('.').split_whitespace().collect::<Vec<_>>().join(" "),
        won,
    })
}

/// `Austria:    Budapest, Greece,` with continuation lines under the twelfth column. A name may be too long for its
/// column, but some row has to keep it.
fn table(lines: &[&str]) -> Option<Vec<(String, String)>> {
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut column = false;
    for line in lines {
        if let Some(more) = line.strip_prefix("            ") {
            let (_, value) = rows.last_mut()?;
            *value += " ";
            *value += more.trim();
            continue;
        }
        let (name, value) = line.split_once(':')?;
        // One colon a row, and the column where it belongs.
        if value.contains(':') || name.contains(' ') && name.len() > 24 || !value.starts_with("  ") && line.len() < 12 {
            return None;
        }
        if !value.starts_with("  ") && name.chars().count() < 10 {
            return None;
        }
        column |= value.starts_with("  ");
        rows.push((name.trim().to_string(), value.trim().to_string()));
    }
    column.then_some(rows)
}

/// Lines that were wrapped are one again; sentences that stand on lines of their own stay there.
fn joined(lines: &[&str]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut wrapped = false;
    for line in lines {
        match out.last_mut() {
            Some(last) if wrapped => {
                *last += " ";
                *last += line;
            }
            _ => out.push((*line).to_string()),
        }
        wrapped = line.chars().count() > 58 && !line.ends_with(['.', ':', '!', '?']);
    }
    out
}

/// Escapes, and makes links of addresses of pages.
fn linked(text: &str) -> String {
    let mut out = String::new();
    for (n, word) in text.split(' ').enumerate() {
        if n > 0 {
            out.push(' ');
        }
        let plain = word.trim_end_matches(['.', ',', ')']);
        if plain.starts_with("https://") || plain.starts_with("http://") {
            let tail = &word[plain.len()..];
            out += &format!("<a href=\"{0}\" style=\"color:#1f4e79\">{0}</a>{1}", xml(plain), xml(tail));
        } else {
            out += &xml(word);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_text_is_markup() {
        let page = mail("a <b> \"c\"", "<script>x</script> & so\nhttps://x.example/?a=1&b=\"2\".\n", "m@x", "<>\"");
        assert!(!page.contains("<script>") && !page.contains("<b>"), "{page}");
        assert!(page.contains("https://x.example/?a=1&amp;b=&quot;2"), "{page}");
    }

    #[test]
    fn wrapped_lines_are_joined() {
        let long = "The French army in Munich can retreat to Bohemia or Silesia or to";
        assert_eq!(joined(&[long, "Tyrolia.", "Another."]), [format!("{long} Tyrolia."), "Another.".into()]);
        let rows =
            table(&["Austria:    Budapest, Greece,", "            Trieste.", "Unowned:    Belgium."]).expect("rows");
        assert_eq!(rows[0], ("Austria".to_string(), "Budapest, Greece, Trieste.".to_string()));
        assert_eq!(rows.len(), 2);
        assert!(table(&["The next phase: soon"]).is_none());
    }

    #[test]
    fn the_table_of_centres_and_a_lonely_order_are_what_they_are() {
        let text = "Austria: Fleet Tunis SUPPORT Army Rome.  (*void*)\n\n\
                    Austria:     4 Supply centers,  3 Units:  Builds   1 unit.\n\
                    France:     18 Supply centers, 12 Units:  Builds   3 units.  (* VICTORY!! *)\n\
                    Norway:      1 Supply center,   1 Unit:   Builds   0 units.\n\n\
                    Players:\n  Austria    -\n  France     -\n";
        let page = mail("A title", text, "m@x", "");
        let titles = page.matches("<h1").count();
        assert!(titles == 1 && page.contains(">A title</h1>") && page.contains("(void)</span>"), "{page}");
        for cell in [">18<", ">12<", ">Builds 3 units, victory<", ">Builds 0 units<", ">Players</h2>", "Austria    -\n"]
        {
            assert!(page.contains(cell), "{cell}: {page}");
        }
        let over = mail("A title", ":: Judge: X  Game: y\n:: Deadline: COMPLETED none\n\nDone.\n", "m@x", "");
        assert!(over.contains("Phase: <b>COMPLETED</b>") && !over.contains("none"), "{over}");
    }
}
