//! Reading `chancery.toml` and the environment (operations.md 4). All errors are found at once; each says where, what,
//! and what would be right.

use super::config::{Config, Fetched, RequireAuth, Tls};
use super::keys::{KEYS, Key, find, nearest};
use super::value::Size;
use crate::mail::is_this_machine;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::Value;
use toml::de::{DeTable, DeValue};

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Not set anywhere.
    Default,
    /// A line of the configuration file.
    Line(usize),
    /// An environment variable.
    Environment(String),
    /// The file that a `…_file` key names.
    File(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::Line(line) => write!(f, "line {line}"),
            Origin::Environment(name) => f.write_str(name),
            Origin::File(path) => write!(f, "file {}", path.display()),
        }
    }
}

/// A key with its effective value, for `config show`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// `mail.out.rate`
    pub key: &'static str,
    /// In TOML; `***` for a secret; `None`: off.
    pub value: Option<String>,
    /// Where it comes from.
    pub origin: Origin,
    /// Why nothing follows from it, if it is set to something else than its default.
    pub idle: Option<&'static str>,
}

/// Something wrong with the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// `chancery.toml:12`, or the environment variable.
    pub place: String,
    /// What is wrong and what would be right.
    pub text: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

/// Everything wrong with the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if number == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// A configuration with the origin of each value.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What the program uses.
    pub(crate) config: Config,
    /// What `config show` prints, in the order of the table.
    pub shown: Vec<Shown>,
}

struct Given {
    value: Value,
    origin: Origin,
}

/// Read the text of a configuration file called `file`. `environment` are the variables of the process; `read` gives
/// the content of the file that a `…_file` key names.
pub fn load(
    file: &str,
    text: &str,
    environment: impl IntoIterator<Item = (String, String)>,
    read: impl Fn(&Path) -> std::io::Result<String>,
) -> Result<Loaded, ConfigErrors> {
    let mut errors = ConfigErrors::default();
    let mut given = from_file(file, text, &mut errors);
    if !errors.0.is_empty() && given.is_empty() {
        // Not TOML: that everything is missing would be no news.
        return Err(errors);
    }
    from_environment(environment, &mut given);
    from_files(file, &mut given, &read, &mut errors);
    let mut tree = toml::Table::new();
    let mut shown = Vec::new();
    for key in KEYS {
        let (value, origin) = match given.remove(key.name) {
            Some(given) => match key.kind.check(&given.value) {
                Ok(()) => (Some(given.value), given.origin),
                // "off" and "" switch off what is off by default.
                Err(_) if key.default.is_none() && !key.required && is_off(&given.value) => (None, given.origin),
                Err(wanted) => {
                    let found = if key.secret { "***".to_owned() } else { given.value.to_string() };
                    errors.add(place(file, &given.origin), format!("{} = {found}: want {wanted}", key.name));
                    continue;
                }
            },
            None if key.required => {
                errors.add(file.to_owned(), format!("{} is missing: {}", key.name, key.about));
                continue;
            }
            None => (key.default.and_then(parse_default), Origin::Default),
        };
        let text = value.as_ref().map(|value| if key.secret { "***".to_owned() } else { value.to_string() });
        let idle = key.idle.filter(|_| value != key.default.and_then(parse_default));
        shown.push(Shown { key: key.name, value: text, origin, idle });
        if key.idle.is_none() {
            insert(&mut tree, key.name, value);
        }
    }
    if !errors.0.is_empty() {
        return Err(errors);
    }
    let config = match Config::deserialize(Value::Table(tree)) {
        Ok(config) => config,
        Err(error) => {
            errors.add(file.to_owned(), error.to_string());
            return Err(errors);
        }
    };
    together(file, &config, &mut errors);
    if errors.0.is_empty() { Ok(Loaded { config, shown }) } else { Err(errors) }
}

impl Loaded {
    /// What is set and governs nothing yet, a line each.
    pub fn without_effect(&self, file: &str) -> Vec<String> {
        let told = |shown: &Shown| {
            let place = place(file, &shown.origin);
            Some(format!("{place}: {} has no effect: {}", shown.key, shown.idle?))
        };
        self.shown.iter().filter_map(told).collect()
    }
}

/// Whether a key takes such a value; else what would be right.
pub fn accepts(key: &str, value: &Value) -> Result<(), String> {
    match find(key) {
        Some(key) => key.kind.check(value),
        None => Err("a key of chancery.toml".to_owned()),
    }
}

impl ConfigErrors {
    fn add(&mut self, place: String, text: String) {
        self.0.push(ConfigError { place, text });
    }
}

fn place(file: &str, origin: &Origin) -> String {
    match origin {
        Origin::Line(line) => format!("{file}:{line}"),
        Origin::Default => file.to_owned(),
        Origin::Environment(name) => name.clone(),
        Origin::File(path) => path.display().to_string(),
    }
}

fn is_off(value: &Value) -> bool {
    matches!(value.as_str(), Some("" | "off")) || value.as_bool() == Some(false)
}

fn parse_default(text: &str) -> Option<Value> {
    toml::from_str::<toml::Table>(&format!("value = {text}")).ok()?.remove("value")
}

/// Put a value into the tree under its dotted name; the tables above are made even for a value that is off.
fn insert(tree: &mut toml::Table, name: &str, value: Option<Value>) {
    match name.split_once('.') {
        Some((section, rest)) => {
            let table = tree.entry(section).or_insert_with(|| Value::Table(toml::Table::new()));
            if let Value::Table(table) = table {
                insert(table, rest, value);
            }
        }
        None => {
            // Sizes and spans are texts, so that every kind has one form in the tree.
            value.and_then(|value| tree.insert(name.to_owned(), value));
        }
    }
}

fn from_file(file: &str, text: &str, errors: &mut ConfigErrors) -> BTreeMap<String, Given> {
    let mut given = BTreeMap::new();
    let line_of = |at: usize| text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1;
    let (spans, values) = match (DeTable::parse(text), toml::from_str::<toml::Table>(text)) {
        (Ok(spans), Ok(values)) => (spans.into_inner(), values),
        (Err(error), _) | (_, Err(error)) => {
            let line = error.span().map_or(1, |span| line_of(span.start));
            errors.add(format!("{file}:{line}"), error.message().to_owned());
            return given;
        }
    };
    let mut leaves = Vec::new();
    leaves_of(&spans, &values, "", &mut leaves);
    for (name, at, value) in leaves {
        let origin = Origin::Line(line_of(at));
        if is_known(&name) {
            given.insert(name, Given { value, origin });
        } else {
            let near = match nearest(&name) {
                Some(near) => format!("want {near}?"),
                None => "chancery config show lists the keys there are".to_owned(),
            };
            errors.add(place(file, &origin), format!("there is no key {name}; {near}"));
        }
    }
    given
}

fn leaves_of(spans: &DeTable<'_>, values: &toml::Table, above: &str, leaves: &mut Vec<(String, usize, Value)>) {
    for (key, span) in spans.iter() {
        let Some(value) = values.get(key.get_ref().as_ref()) else { continue };
        let name = if above.is_empty() { key.get_ref().to_string() } else { format!("{above}.{}", key.get_ref()) };
        match (span.get_ref(), value) {
            (DeValue::Table(spans), Value::Table(values)) => leaves_of(spans, values, &name, leaves),
            (_, value) => leaves.push((name, key.span().start, value.clone())),
        }
    }
}

fn is_known(name: &str) -> bool {
    find(name).is_some() || of_file(name).is_some()
}

/// The key whose value is in the file that this one names.
fn of_file(name: &str) -> Option<&'static Key> {
    name.strip_suffix("_file").and_then(find).filter(|key| key.kind.may_be_in_file())
}

/// `CHANCERY_MAIL_OUT_RATE` for `mail.out.rate`.
fn variable(name: &str) -> String {
    format!("CHANCERY_{}", name.to_uppercase().replace('.', "_"))
}

fn from_environment(environment: impl IntoIterator<Item = (String, String)>, given: &mut BTreeMap<String, Given>) {
    let environment: BTreeMap<String, String> =
        environment.into_iter().filter(|(name, _)| name.starts_with("CHANCERY_")).collect();
    if environment.is_empty() {
        return;
    }
    for key in KEYS {
        let name = variable(key.name);
        if let Some(text) = environment.get(&name) {
            let value = key.kind.value_of(text);
            // What the environment says counts, against a file named in the configuration as well.
            given.remove(&format!("{}_file", key.name));
            given.insert(key.name.to_owned(), Given { value, origin: Origin::Environment(name) });
        }
        let name = format!("{}_FILE", variable(key.name));
        if let Some(path) = environment.get(&name).filter(|_| key.kind.may_be_in_file()) {
            given.remove(key.name);
            let value = Value::String(path.clone());
            given.insert(format!("{}_file", key.name), Given { value, origin: Origin::Environment(name) });
        }
    }
}

fn from_files(
    file: &str,
    given: &mut BTreeMap<String, Given>,
    read: &impl Fn(&Path) -> std::io::Result<String>,
    errors: &mut ConfigErrors,
) {
    let names: Vec<String> = given.keys().filter(|name| of_file(name).is_some()).cloned().collect();
    for name in names {
        let (Some(key), Some(named)) = (of_file(&name), given.remove(&name)) else { continue };
        let at = place(file, &named.origin);
        let Some(path) = named.value.as_str().filter(|path| !path.is_empty()) else {
            errors.add(at, format!("{name}: want the path of a file in quotes"));
            continue;
        };
        if given.contains_key(key.name) {
            errors.add(at, format!("{name} and {} are both set: want one of them", key.name));
            continue;
        }
        match read(Path::new(path)) {
            Ok(text) => {
                let value = Value::String(text.trim_end_matches(['\r', '\n']).to_owned());
                given.insert(key.name.to_owned(), Given { value, origin: Origin::File(path.into()) });
            }
            Err(error) => errors.add(at, format!("{name}: cannot read {path}: {error}")),
        }
    }
}

/// What must be right between keys.
fn together(file: &str, config: &Config, errors: &mut ConfigErrors) {
    let (smtp, imap) = (&config.mail.out.smtp, &config.mail.incoming.imap);
    for (key, tls, host) in
        [("mail.out.smtp.tls", smtp.tls, Some(&smtp.host)), ("mail.in.imap.tls", imap.tls, imap.host.as_ref())]
    {
        if let Some(host) = host.filter(|host| tls == Tls::None && !is_this_machine(host)) {
            errors.add(file.to_owned(), format!("{key} = \"none\" to {host}: want \"starttls\" or \"tls\""));
        }
    }
    if imap.host.is_some() && (imap.user.is_empty() || imap.password.is_none()) {
        let text = "mail.in.imap.host is set: want mail.in.imap.user and mail.in.imap.password_file, too";
        errors.add(file.to_owned(), text.to_owned());
    }
    if imap.then == Fetched::Move && imap.move_to == imap.folder {
        let text = format!("mail.in.imap.move_to = {:?}: want another folder than mail.in.imap.folder", imap.move_to);
        errors.add(file.to_owned(), text);
    }
    let incoming = &config.mail.incoming;
    if incoming.require_auth != RequireAuth::Off && incoming.trusted_authserv.is_empty() {
        let text = "mail.in.require_auth is set: want mail.in.trusted_authserv too, the name your mail server signs \
                    Authentication-Results with";
        errors.add(file.to_owned(), text.to_owned());
    }
    if config.judge.keepers.is_empty() {
        errors.add(file.to_owned(), "judge.keepers = []: want at least one address".to_owned());
    }
    let sched = &config.sched;
    for (name, span) in [
        ("sched.round", sched.round),
        ("sched.poll", sched.poll),
        ("sched.limit", sched.limit),
        ("mail.in.imap.poll", imap.poll),
    ] {
        if span.0.is_zero() {
            errors.add(file.to_owned(), format!("{name}: want more than nothing, such as \"1m\""));
        }
    }
}

/// A sample file: every key with what it means, the required ones and `settings` (key, TOML value) set, the others as
/// comments with their default.
pub fn sample(id: &str, address: &str, keeper: &str, settings: &[(&str, &str)]) -> String {
    let mut text = String::from(
        "# Configuration of this judge. Lines behind a # show the defaults.\n\
         # Every key can also be set in the environment: CHANCERY_JUDGE_ID for judge.id.\n\
         # chancery config check looks this file over, chancery config show prints what holds.\n",
    );
    let section = |key: &Key| key.name.rsplit_once('.').map_or("", |(above, _)| above);
    let mut sections: Vec<&str> = Vec::new();
    for key in KEYS {
        // TOML wants each section once, the table has some in several parts.
        if sections.contains(&section(key)) {
            continue;
        }
        sections.push(section(key));
        text += &format!("\n[{}]\n", section(key));
        for key in KEYS.iter().filter(|other| section(other) == section(key)) {
            text += &sample_lines(key, id, address, keeper, settings);
        }
    }
    text
}

fn sample_lines(key: &Key, id: &str, address: &str, keeper: &str, settings: &[(&str, &str)]) -> String {
    let name = key.name.rsplit('.').next().unwrap_or(key.name);
    let set = match key.name {
        "judge.id" => Some(Value::from(id)),
        "judge.address" => Some(Value::from(address)),
        "judge.keepers" => Some(Value::Array(vec![Value::from(keeper)])),
        _ => None,
    };
    let given = settings.iter().find(|(name, _)| *name == key.name);
    let line = match (set, key.default) {
        _ if given.is_some() => format!("{name} = {}", given.map_or("", |(_, value)| value)),
        (Some(value), _) => format!("{name} = {value}"),
        (None, Some(default)) => format!("#{name} = {default}"),
        (None, None) if key.secret => format!("#{name}_file = \"…\""),
        (None, None) => format!("#{name} = …"),
    };
    let idle = key.idle.map_or(String::new(), |why| format!("# (No effect yet: {why}.)\n"));
    format!("# {}\n{idle}{line}\n", key.about)
}

/// What `deliver` takes from the configuration, leniently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpoolOnly {
    /// Where the spool is.
    pub spool: PathBuf,
    /// How long a message may be.
    pub max_message_bytes: u64,
    /// Room on the disk below which no mail is taken, in bytes.
    pub min_free: u64,
}

impl Default for SpoolOnly {
    fn default() -> SpoolOnly {
        SpoolOnly { spool: "spool".into(), max_message_bytes: 1 << 20, min_free: 64 << 20 }
    }
}

/// Where the spool is, how long a message may be and how much room it needs (OPS-020). Anything else may be wrong; what is
/// wrong of these three is as if it were not there.
pub fn spool_only(text: &str) -> Result<SpoolOnly, ConfigErrors> {
    let table: toml::Table = toml::from_str(text).map_err(|error| {
        ConfigErrors(vec![ConfigError { place: "chancery.toml".into(), text: error.message().to_owned() }])
    })?;
    let spool = table.get("paths").and_then(|paths| paths.get("spool")).and_then(Value::as_str);
    let limit = table.get("mail").and_then(|mail| mail.get("in")).and_then(|mail| mail.get("max_message_bytes"));
    let limit = limit.and_then(Value::as_integer).and_then(|limit| u64::try_from(limit).ok());
    let room = table.get("limits").and_then(|limits| limits.get("min_free")).and_then(Value::as_str);
    let usual = SpoolOnly::default();
    Ok(SpoolOnly {
        spool: spool.filter(|path| !path.is_empty()).map_or(usual.spool, PathBuf::from),
        max_message_bytes: limit.filter(|&limit| limit > 0).unwrap_or(usual.max_message_bytes),
        min_free: room.and_then(Size::parse).map_or(usual.min_free, |size| size.0),
    })
}

#[cfg(test)]
mod tests {
    use super::super::keys::Kind;
    use super::*;
    use proptest::prelude::*;

    const GOOD: &str = "[judge]\nid = \"XXDP\"\naddress = \"judge@judge.example\"\nkeepers = [\"ann@example.org\"]\n";

    fn read(text: &str, environment: &[(&str, &str)]) -> Result<Loaded, ConfigErrors> {
        let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        load("chancery.toml", text, environment, |path| match path.to_str() {
            Some("secret") => Ok("hunter2\n".to_owned()),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        })
    }

    fn errors(text: &str) -> Vec<String> {
        read(text, &[]).unwrap_err().0.iter().map(ConfigError::to_string).collect()
    }

    #[test]
    fn three_keys_are_enough() {
        let config = read(GOOD, &[]).unwrap().config;
        assert_eq!(config.judge.id, "XXDP");
        assert_eq!(config.judge.zone, chrono_tz::UTC);
        assert_eq!(config.mail.incoming.max_message_bytes, 1_048_576);
        assert_eq!(config.mail.out.retry.len(), 7);
        assert_eq!(config.limits.min_free.0, 64 << 20);
        assert_eq!(config.mail.out.smtp.port(), 587);
    }

    #[test]
    fn the_sample_file_is_right() {
        let text = sample("XXDP", "judge@judge.example", "ann@example.org", &[]);
        let plain = format!("{:?}", read(GOOD, &[]).unwrap().config);
        assert_eq!(format!("{:?}", read(&text, &[]).unwrap().config), plain);
        // Every line that is behind a # is a key with its default.
        let open: String = text
            .lines()
            .filter(|line| !line.contains('…'))
            .map(|line| {
                let key = line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line);
                format!("{key}\n")
            })
            .collect();
        assert_eq!(format!("{:?}", read(&open, &[]).unwrap().config), plain);
    }

    #[test]
    fn errors_say_where_what_and_what_would_be_right() {
        let text = format!("{GOOD}adress = 1\n[sched]\nround = \"20 m\"\n[mail.out.smtp]\ntls = \"ssl\"\n");
        assert_eq!(
            errors(&text),
            [
                "chancery.toml:5: there is no key judge.adress; want judge.address?",
                "chancery.toml:9: mail.out.smtp.tls = \"ssl\": want one of \"starttls\", \"tls\", \"none\"",
                "chancery.toml:7: sched.round = \"20 m\": want a span of time such as \"90s\", \"20m\", \"2h\" or \"30d\"",
            ]
        );
        assert_eq!(errors("").len(), 3);
        assert!(errors("[judge\n")[0].starts_with("chancery.toml:1: "), "{:?}", errors("[judge\n"));
        for (section, errs) in [("out.smtp", 1), ("in.imap", 2)] {
            let text = format!("{GOOD}[mail.{section}]\ntls = \"none\"\nhost = \"mail.example\"\n");
            assert_eq!(errors(&text).len(), errs, "{section}");
        }
    }

    #[test]
    fn the_environment_wins_and_secrets_stay_secret() {
        let text = format!("{GOOD}[mail.out.smtp]\npassword_file = \"secret\"\n");
        let loaded = read(&text, &[("CHANCERY_JUDGE_NICK", "x"), ("CHANCERY_JUDGE_ALIASES", "a@b, c@d")]).unwrap();
        assert_eq!(loaded.config.judge.nick, "x");
        assert_eq!(loaded.config.judge.aliases, ["a@b", "c@d"]);
        assert_eq!(loaded.config.mail.out.smtp.password.as_ref().map(|p| p.reveal()), Some("hunter2"));
        assert!(!format!("{loaded:?}").contains("hunter2"));
        let origin = |key: &str| loaded.shown.iter().find(|shown| shown.key == key).map(|s| s.origin.to_string());
        assert_eq!(origin("judge.nick").as_deref(), Some("CHANCERY_JUDGE_NICK"));
        assert_eq!(origin("judge.id").as_deref(), Some("line 2"));
        assert_eq!(origin("judge.zone").as_deref(), Some("default"));
        assert_eq!(origin("mail.out.smtp.password").as_deref(), Some("file secret"));
        let error = read(GOOD, &[("CHANCERY_SCHED_ROUND", "soon")]).unwrap_err();
        assert!(error.to_string().starts_with("CHANCERY_SCHED_ROUND: sched.round = \"soon\": want"), "{error}");
    }

    #[test]
    fn what_governs_nothing_is_told_where_it_is_set() {
        for key in KEYS.iter().filter(|key| key.idle.is_some()) {
            let other = match key.kind {
                Kind::Bool => "true",
                Kind::Networks => "[\"10.0.0.0/8\"]",
                Kind::OneOf(words) => &format!("{:?}", words.last().unwrap()),
                kind => panic!("{}: {kind:?}", key.name),
            };
            let name = variable(key.name);
            let said =
                |value: &str| read(GOOD, &[(&name, value.trim_matches('"'))]).unwrap().without_effect("chancery.toml");
            let told = format!("{name}: {} has no effect: {}", key.name, key.idle.unwrap());
            // A language there is but one of.
            assert_eq!(said(other), if other == key.default.unwrap() { Vec::new() } else { vec![told] });
            assert!(said(key.default.unwrap()).is_empty(), "{}", key.name);
        }
    }

    #[test]
    fn deliver_needs_little() {
        let text = "[paths]\nspool = \"in\"\n[nonsense]\nx = 1\n";
        assert_eq!(spool_only(text), Ok(SpoolOnly { spool: "in".into(), ..SpoolOnly::default() }));
        let text = "[limits]\nmin_free = \"2 GiB\"\n[mail.in]\nmax_message_bytes = 7\n";
        let said = SpoolOnly { min_free: 2 << 30, max_message_bytes: 7, ..SpoolOnly::default() };
        assert_eq!(spool_only(text), Ok(said));
        assert_eq!(spool_only("[limits]\nmin_free = 3\n"), Ok(SpoolOnly::default()));
        assert!(spool_only("[paths").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(\\[?[a-z.]{0,9}\\]?|[a-z._]{1,9} = [\"\\[a-z0-9\\]]{0,9}|.{0,20})(\n|\r\n)?") {
            let _ = read(&text, &[]);
            let _ = spool_only(&text);
            let _ = read(&format!("{GOOD}{text}"), &[("CHANCERY_WEB_LISTEN", &text), ("CHANCERY_SCHED_ROUND", &text)]);
        }
    }
}
