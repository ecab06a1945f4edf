//! What a conversion has to say about a file, and how much it matters.

use crate::archive::NameError;
use crate::judge::GameState;
use std::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Changed as it must be; the way back undoes it.
    Note,
    /// Not carried, or not exactly.
    Lost,
    /// Carried as it is, and somebody has to mend it.
    Broken,
    /// Not done.
    Refused,
}

impl Weight {
    /// The word in front of a finding.
    pub fn word(self) -> &'static str {
        match self {
            Weight::Note => "note",
            Weight::Lost => "lost",
            Weight::Broken => "broken",
            Weight::Refused => "refused",
        }
    }
}

/// Why a file stays where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// Neither a file nor a directory, or a link, which is not followed.
    NotAFile,
    /// A directory below the directories of a game.
    TooDeep,
    /// Its name is none for a file of a site.
    Name(NameError),
    /// The log of chancery's own commits; each site writes its own.
    AuditLog,
    /// In the directory of the games, but no game.
    NoGame,
    /// Beside games, maps and configuration.
    Beside,
    /// Of this judge alone.
    Own,
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Left::NotAFile => f.write_str("neither a plain file nor a directory"),
            Left::TooDeep => f.write_str("a directory inside a directory of a game"),
            Left::Name(error) => error.fmt(f),
            Left::AuditLog => f.write_str("the log of the commits of one site; the other writes its own"),
            Left::Beside => f.write_str("beside games, maps and host.py; nothing of it is read"),
            Left::Own => f.write_str("of this judge alone; the old one has no place for it"),
            Left::NoGame => f.write_str("it holds no status file: no game"),
        }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// So many lines were Latin-1 and are UTF-8 now.
    Recoded(usize),
    /// Lines that were UTF-8 already; on the way back they become Latin-1.
    WasUtf8(Vec<usize>),
    /// Lines with characters that Latin-1 does not have; each became `?`.
    NotLatin1(Vec<usize>),
    /// So many clear passwords were hashed (D7).
    Hashed(usize),
    /// So many hashed passwords were replaced by new clear ones.
    Anew(usize),
    /// Lines that may hold a clear password and were not understood.
    ClearPassword(Vec<usize>),
    /// So many passwords were blanked in a log.
    Blanked(usize),
    /// RULE OLD_JUDGE added.
    OldJudge,
    /// RULE OLD_JUDGE taken out.
    OldJudgeOut,
    /// A running game that is not under OLD_JUDGE.
    OtherJudge,
    /// A line or word that only chancery knows.
    Ours(String),
    /// A vote written in the words of the old judge.
    Vote {
        /// As chancery writes it.
        from: String,
        /// As the old judge does.
        to: String,
    },
    /// The clock of a held game: the index says `held` instead.
    Held(String),
    /// A file or line that stays behind.
    Left(Left),
    /// Phases that were processed, but of which no record can be made: there is no report, or the copy has errors.
    NoRecords(Vec<String>),
    /// Of the old index: a line without a directory.
    Nowhere(String),
    /// Of the old index: a line that is none.
    NoLine(String),
    /// Of the old index: a second line for one game.
    Twice(String),
    /// Of the old index: so many lines are written in another way, with the same words.
    Spelling(usize),
    /// The index does not say the state, or in a word that is none; it follows from the phase.
    Derived {
        /// What the index says.
        word: Option<String>,
        /// What it is.
        state: GameState,
    },
    /// A variant that chancery does not play.
    Variant(String),
    /// Errors of a status file.
    Errors(Vec<String>),
    /// The status file cannot be rewritten; it is carried as it is.
    Verbatim(String),
    /// The phase and the state of the index disagree.
    Disagree {
        /// PHASE.
        phase: &'static str,
        /// State in the index.
        state: GameState,
    },
    /// The GAME line names another game than the directory.
    Mismatch(String),
    /// The map in the program says the same.
    SameMap,
    /// A part of maps that are all in the program.
    Spare,
    /// The map has errors.
    MapErrors(Vec<String>),
    /// The old judge does not have this map.
    OurMap(String),
    /// A person without a number cannot be registered.
    NoNumber(String),
    /// A person without an address would be an entry that nobody is found by.
    NoAddress(String),
    /// One number with a second name; the registry has the first.
    SecondName {
        /// With the name that stays.
        kept: String,
        /// The other name.
        other: String,
    },
    /// An address that belongs to somebody else.
    Address {
        /// The address.
        address: String,
        /// Whose it stays.
        owner: u32,
    },
    /// One number, two people.
    Person {
        /// Of the old site.
        theirs: String,
        /// Of this site.
        ours: String,
    },
    /// No name for a game here.
    Name(NameError),
    /// The name or place is taken.
    Clash {
        /// In the old site.
        theirs: String,
        /// In this one.
        ours: String,
    },
    /// It could not be read or written now.
    Failed(String),
    /// A value of `host.py` for `chancery.toml`.
    Setting(String),
    /// A line of `host.py` that has no place here.
    NoSetting(String),
}

impl What {
    /// How much it matters.
    pub fn weight(&self) -> Weight {
        match self {
            What::Recoded(_)
            | What::Hashed(_)
            | What::OldJudge
            | What::OldJudgeOut
            | What::Vote { .. }
            | What::Held(_)
            | What::Derived { .. }
            | What::SameMap
            | What::Spare
            | What::Setting(_)
            | What::Spelling(_) => Weight::Note,
            What::WasUtf8(_)
            | What::NotLatin1(_)
            | What::Anew(_)
            | What::Blanked(_)
            | What::Ours(_)
            | What::Left(_)
            | What::NoRecords(_)
            | What::Nowhere(_)
            | What::NoLine(_)
            | What::Twice(_)
            | What::NoNumber(_)
            | What::NoAddress(_)
            | What::NoSetting(_)
            | What::SecondName { .. }
            | What::Address { .. } => Weight::Lost,
            What::ClearPassword(_)
            | What::OtherJudge
            | What::Variant(_)
            | What::Errors(_)
            | What::Verbatim(_)
            | What::Disagree { .. }
            | What::Mismatch(_)
            | What::OurMap(_)
            | What::MapErrors(_) => Weight::Broken,
            What::Person { .. } | What::Name(_) | What::Clash { .. } | What::Failed(_) => Weight::Refused,
        }
    }
}

/// `1 line`, `2 lines`
fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// `line 3`, `lines 3, 7`
fn numbers(lines: &[usize]) -> String {
    let all: Vec<String> = lines.iter().map(usize::to_string).collect();
    format!("line{} {}", if lines.len() == 1 { "" } else { "s" }, all.join(", "))
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Recoded(n) => write!(f, "{} from Latin-1 to UTF-8", count(*n, "line")),
            What::WasUtf8(lines) => write!(f, "{}: UTF-8 before; the way back writes Latin-1", numbers(lines)),
            What::NotLatin1(lines) => {
                write!(f, "{}: characters that Latin-1 does not have became '?'", numbers(lines))
            }
            What::Hashed(n) => write!(f, "{} hashed; the old words hold", count(*n, "password")),
            What::Anew(n) => {
                write!(
                    f,
                    "{} set anew in clear, since only hashes exist here; they are in the file",
                    count(*n, "password")
                )
            }
            What::ClearPassword(lines) => {
                write!(f, "{}: perhaps a clear password, in a line that is not understood", numbers(lines))
            }
            What::Blanked(n) => write!(f, "{} blanked", count(*n, "password")),
            What::OldJudge => f.write_str("RULE OLD_JUDGE added: the game goes on as it began"),
            What::OldJudgeOut => f.write_str("RULE OLD_JUDGE taken out: the old judge knows no other way"),
            What::OtherJudge => f.write_str(
                "the game was begun without RULE OLD_JUDGE; the old judge will resolve some orders in another way",
            ),
            What::Ours(line) => write!(f, "only chancery knows '{line}'"),
            What::Vote { from, to } => write!(f, "VOTE {from} written as VOTE {to}"),
            What::Held(line) => write!(f, "'{line}' became the flag held of the index; DEADLINE stays as it is"),
            What::Left(left) => left.fmt(f),
            What::NoRecords(phases) => write!(
                f,
                "{} cannot be put on record, for its copy has errors or there are no results of it: not decided again by \
                 verify --replay, no page and no pictures of it",
                phases.join(", ")
            ),
            What::Nowhere(line) => write!(f, "'{line}': there is no directory of that game"),
            What::NoLine(line) => write!(f, "'{line}': want game, variant, state, flags"),
            What::Twice(line) => write!(f, "'{line}': a second line for one game; the first counts"),
            What::Spelling(n) => {
                write!(
                    f,
                    "{} written anew with the same words: name in 32 columns, lower case, sorted",
                    count(*n, "line")
                )
            }
            What::Derived { word: Some(word), state } => {
                write!(f, "the index says '{word}'; by its PHASE the game is {}", state.word())
            }
            What::Derived { word: None, state } => {
                write!(f, "not in the index; by its PHASE the game is {}", state.word())
            }
            What::Variant(name) => write!(f, "variant {name} is not played here (want standard, payola or xtalball)"),
            What::Errors(errors) => {
                write!(f, "{}; the game stands still until they are mended", count(errors.len(), "error"))?;
                errors.iter().try_for_each(|error| write!(f, "\n    {error}"))
            }
            What::Verbatim(why) => write!(f, "carried as it is, passwords included: {why}"),
            What::Disagree { phase, state } => {
                write!(f, "STATE AND PHASE DISAGREE: PHASE {phase}, but the index says {}", state.word())
            }
            What::Mismatch(name) => write!(f, "GAME NAME MISMATCH: the file says GAME {name}"),
            What::SameMap => f.write_str("says the same as the map in the program, which is used"),
            What::Spare => f.write_str("only maps are made of it that the program has"),
            What::MapErrors(errors) => {
                write!(f, "{}", count(errors.len(), "error"))?;
                errors.iter().try_for_each(|error| write!(f, "\n    {error}"))
            }
            What::OurMap(map) => write!(f, "the old judge does not have map {map}; its Master must give it to him"),
            What::NoAddress(person) => write!(f, "{person}: no address, so no entry in the registry"),
            What::NoNumber(person) => write!(f, "{person}: no number, so no entry in the registry"),
            What::SecondName { kept, other } => write!(f, "{kept} is also called {other} there"),
            What::Address { address, owner } => write!(f, "{address} belongs to #{owner} already"),
            What::Person { theirs, ours } => {
                write!(f, "one number for two people: {theirs} there, {ours} here; the entry here stays")
            }
            What::Name(error) => write!(f, "{error}; rename it there first"),
            What::Clash { theirs, ours } => write!(f, "{theirs} and {ours} have one name; rename one of them first"),
            What::Failed(why) => f.write_str(why),
            What::Setting(line) => write!(f, "for chancery.toml: {line}"),
            What::NoSetting(line) => write!(f, "'{line}' has no place in chancery.toml"),
        }
    }
}

/// A finding and the file it is about, as it is called in its site (`games/demo/press`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file.
    pub place: String,
    /// What was found.
    pub what: What,
}

impl Finding {
    /// At that file.
    pub fn new(place: impl Into<String>, what: What) -> Finding {
        Finding { place: place.into(), what }
    }

    /// How much it matters.
    pub fn weight(&self) -> Weight {
        self.what.weight()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.weight().word(), self.place, self.what)
    }
}
