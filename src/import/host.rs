//! `host.py`, the configuration of the old judge, read as text and never executed (OPS-111, 1): assignments of plain
//! literals become lines for `chancery.toml`; the rest is named.

use super::{Finding, What};
use toml::Value;

/// The file.
const PLACE: &str = "host.py";

/// What it comes down to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Text of a configuration with these keys.
    pub toml: String,
    /// One finding a line.
    pub findings: Vec<Finding>,
}

/// A literal of Python, as far as a configuration has them.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Literal {
    Text(String),
    Number(i64),
    Truth(bool),
    None,
    List(Vec<String>),
}

impl Literal {
    /// Reads one that fills the rest of a line, a comment allowed.
    fn parse(text: &str) -> Option<Literal> {
        let (literal, rest) = Literal::first(text)?;
        let rest = rest.trim();
        (rest.is_empty() || rest.starts_with('#')).then_some(literal)
    }

    fn first(text: &str) -> Option<(Literal, &str)> {
        let text = text.trim_start();
        for (word, literal) in
            [("True", Literal::Truth(true)), ("False", Literal::Truth(false)), ("None", Literal::None)]
        {
            if let Some(rest) = text.strip_prefix(word).filter(|rest| !rest.starts_with(char::is_alphanumeric)) {
                return Some((literal, rest));
            }
        }
        match text.chars().next()? {
            open @ ('[' | '(') => {
                let close = if open == '[' { ']' } else { ')' };
                let mut items = Vec::new();
                let mut rest = text[1..].trim_start();
                while !rest.starts_with(close) {
                    let (item, after) = string(rest)?;
                    items.push(item);
                    rest = after.trim_start();
                    match rest.strip_prefix(',') {
                        Some(after) => rest = after.trim_start(),
                        None if rest.starts_with(close) => {}
                        None => return None,
                    }
                }
                Some((Literal::List(items), &rest[1..]))
            }
            '0'..='9' | '-' => {
                let end = text[1..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |n| n + 1);
                Some((Literal::Number(text[..end].parse().ok()?), &text[end..]))
            }
            _ => string(text).map(|(text, rest)| (Literal::Text(text), rest)),
        }
    }

    /// Texts of a value that may be one or several, commas and blanks between them.
    fn texts(&self) -> Option<Vec<String>> {
        match self {
            Literal::Text(text) => {
                let words = text.split([',', ' ']).filter(|word| !word.is_empty());
                Some(words.map(str::to_owned).collect())
            }
            Literal::List(list) => Some(list.clone()),
            Literal::None => Some(Vec::new()),
            _ => None,
        }
    }

    fn text(&self) -> Option<String> {
        match self {
            Literal::Text(text) => Some(text.clone()),
            Literal::None => Some(String::new()),
            _ => None,
        }
    }

    fn truth(&self) -> bool {
        match self {
            Literal::Truth(truth) => *truth,
            Literal::Number(number) => *number != 0,
            Literal::Text(text) => !text.is_empty(),
            Literal::List(list) => !list.is_empty(),
            Literal::None => false,
        }
    }
}

/// A text in quotes, on one line.
fn string(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix(['u', 'U']).unwrap_or(text);
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let body = &text[1..];
    // Three quotes open a text of several lines.
    if body.starts_with(quote) && body[1..].starts_with(quote) {
        return None;
    }
    let mut out = String::new();
    let mut chars = body.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => return Some((out, &body[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                c @ ('\\' | '\'' | '"') => out.push(c),
                _ => return None,
            },
            c => out.push(c),
        }
    }
    None
}

/// Keys and values that a setting of the old judge becomes (operations.md 4); `None`: it has no place here.
fn settings(name: &str, value: &Literal, hash: &mut dyn FnMut(&str) -> String) -> Option<Vec<(&'static str, Value)>> {
    let text = |key: &'static str| value.text().map(|text| vec![(key, Value::String(text))]);
    let list = |key: &'static str| {
        let all = value.texts()?.into_iter().map(Value::String).collect();
        Some(vec![(key, Value::Array(all))])
    };
    match name {
        "dpjudgeID" => text("judge.id"),
        "dpjudgeNick" => text("judge.nick"),
        "dpjudge" => text("judge.address"),
        "judgekeeper" | "judgekeepers" => list("judge.keepers"),
        "dpjudgeURL" => Some(vec![("judge.url", Value::String(value.text()?.trim_end_matches('/').to_owned()))]),
        "timeZone" => {
            let zone = value.text()?;
            Some(vec![("judge.zone", Value::String(if zone == "GMT" { "UTC".to_owned() } else { zone }))])
        }
        "observers" => list("judge.observers"),
        "detectives" => list("judge.detectives"),
        "notify" => {
            let word = match value {
                Literal::Number(1) => "trial",
                Literal::Number(2) => "all",
                Literal::Number(0) => "none",
                _ => return None,
            };
            Some(vec![("judge.notify_maps", Value::String(word.to_owned()))])
        }
        "hall_keeper" => text("judge.hall_of_fame"),
        "openingsList" => text("judge.openings"),
        "copy" => Some(vec![("judge.copy_mail", Value::Boolean(value.truth()))]),
        "createLimit" => match value {
            Literal::Number(limit) => Some(vec![("games.create_limit", Value::Integer(*limit))]),
            Literal::None => Some(vec![("games.create_limit", Value::Integer(0))]),
            _ => None,
        },
        "dppdURL" => {
            let mode = if value.truth() { "open" } else { "none" };
            Some(vec![("registry.mode", Value::String(mode.to_owned()))])
        }
        "smtpService" => {
            let service = value.text().filter(|service| !service.is_empty())?;
            let mut all = vec![("mail.out.transport", Value::String("smtp".to_owned()))];
            let (host, port) = service.split_once(':').map_or((service.as_str(), None), |(h, p)| (h, Some(p)));
            all.push(("mail.out.smtp.host", Value::String(host.to_owned())));
            if let Some(port) = port {
                all.push(("mail.out.smtp.port", Value::Integer(port.parse().ok()?)));
            }
            Some(all)
        }
        "sendmailDir" => {
            let directory = value.text().filter(|directory| !directory.is_empty())?;
            let path = format!("{}/sendmail", directory.trim_end_matches('/'));
            Some(vec![
                ("mail.out.transport", Value::String("sendmail".to_owned())),
                ("mail.out.sendmail", Value::String(path)),
            ])
        }
        "tester" => text("mail.out.redirect_all"),
        "bannerHtml" => text("web.banner"),
        "bannerExpireDate" => text("web.banner_until"),
        "headerHtml" => text("web.header"),
        "publicDomains" => list("abuse.public_networks"),
        "judgePassword" => {
            let word = value.text().filter(|word| !word.is_empty())?;
            Some(vec![("auth.keeper_hash", Value::String(hash(&word)))])
        }
        _ => None,
    }
}

/// Reads the file. `hash` hashes the judgekeeper's password.
pub fn read(bytes: &[u8], hash: &mut dyn FnMut(&str) -> String) -> Settings {
    let (text, _) = super::text::to_utf8(bytes);
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut found: Vec<(&'static str, Value)> = Vec::new();
    let mut findings = Vec::new();
    for line in text.lines().map(str::trim) {
        let plain = line.is_empty() || line.starts_with('#') || line.starts_with("class ") || line == "pass";
        if plain {
            continue;
        }
        let name = |text: &str| text.trim().chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let assigned = line.split_once('=').filter(|(left, right)| name(left) && !right.starts_with('='));
        let read = assigned.and_then(|(left, right)| settings(left.trim(), &Literal::parse(right)?, hash));
        // The line may hold a password.
        let shown = |line: &str| match line.split_once('=') {
            Some((left, _)) if left.to_lowercase().contains("password") => format!("{}= ***", left),
            _ => line.to_owned(),
        };
        match read {
            None => findings.push(Finding::new(PLACE, What::NoSetting(shown(line)))),
            Some(all) => {
                for (key, value) in all {
                    match crate::site::accepts(key, &value) {
                        Ok(()) => match found.iter_mut().find(|(there, _)| *there == key) {
                            Some((_, there)) => merge(there, value),
                            None => found.push((key, value)),
                        },
                        Err(wanted) => {
                            let line = format!("{}: for {key} want {wanted}", shown(line));
                            findings.push(Finding::new(PLACE, What::NoSetting(line)));
                        }
                    }
                }
            }
        }
    }
    let mut toml = String::from("# Settings of the old judge; copy into chancery.toml what is to hold here.\n");
    for (key, value) in &found {
        let line = format!("{key} = {value}");
        let secret = *key == "auth.keeper_hash";
        findings.push(Finding::new(PLACE, What::Setting(if secret { format!("{key} = ***") } else { line.clone() })));
        toml.push_str(&line);
        toml.push('\n');
    }
    Settings { toml, findings }
}

/// Two lists become one; of other values the later counts, as it did in the program.
fn merge(there: &mut Value, value: Value) {
    match (there, value) {
        (Value::Array(old), Value::Array(new)) => {
            for item in new {
                if !old.contains(&item) {
                    old.push(item);
                }
            }
        }
        (there, value) => *there = value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_nothing_else() {
        let text = b"import os\nclass Host:\n    dpjudgeID = 'OLDJ'   # ours\n    dpjudgeURL = \"http://old.example/dp/\"\n    \
            judgekeeper = 'kay@old.example'\n    judgekeepers = ['kay@old.example', u'lee@old.example',]\n    createLimit = 12\n    \
            smtpService = 'localhost:25'\n    judgePassword = 'swordfish'\n    notify = 1\n    packageDir = os.getcwd()\n    \
            dpjudgeNick = 'The \\'old\\' one'\n    copy = True\n    timeZone = 'Mars/Phobos'\n";
        let settings = read(text, &mut |word| format!("$argon2id${}", word.len()));
        let wanted = r#"# Settings of the old judge; copy into chancery.toml what is to hold here.
judge.id = "OLDJ"
judge.url = "http://old.example/dp"
judge.keepers = ["kay@old.example", "lee@old.example"]
games.create_limit = 12
mail.out.transport = "smtp"
mail.out.smtp.host = "localhost"
mail.out.smtp.port = 25
auth.keeper_hash = "$argon2id$9"
judge.notify_maps = "trial"
judge.nick = "The 'old' one"
judge.copy_mail = true
"#;
        assert_eq!(settings.toml, wanted);
        let lost: Vec<String> = settings
            .findings
            .iter()
            .filter(|f| f.weight() == crate::import::Weight::Lost)
            .map(Finding::to_string)
            .collect();
        assert_eq!(
            lost,
            [
                "lost: host.py: 'import os' has no place in chancery.toml",
                "lost: host.py: 'packageDir = os.getcwd()' has no place in chancery.toml",
                "lost: host.py: 'timeZone = 'Mars/Phobos': for judge.zone want the name of a time zone such as \
                 \"Europe/Berlin\"' has no place in chancery.toml",
            ]
        );
        assert!(!format!("{settings:?}").contains("swordfish"));
    }

    #[test]
    fn a_password_is_never_shown() {
        let settings = read(b"judgePassword = secret()\nPASSWORD='x'\n", &mut |_| String::new());
        assert!(!format!("{settings:?}").contains("secret") && settings.findings.len() == 2, "{settings:?}");
    }
}
