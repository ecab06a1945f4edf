//! The small grammars of a status file (status-file.md 1.3): addresses, persons, stamps, phases, units, votes.

use super::model::{Holder, Need, Person, PlayerLine, Vote};
use chrono::{NaiveDate, NaiveDateTime};
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while_m_n, take_while1};
use nom::character::complete::{char, digit1, one_of, satisfy};
use nom::combinator::{all_consuming, map, map_res, opt, recognize, rest, value};
use nom::sequence::{pair, preceded, separated_pair, terminated};
use nom::{IResult, Parser};
use std::fmt;
use std::str::FromStr;

/// A text that is not what the grammar wants; says what would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("want {0}")]
pub struct Malformed(pub &'static str);

/// Runs a grammar over a whole text.
pub(crate) fn whole<'a, T, P>(grammar: P, text: &'a str) -> Option<T>
where
    P: Parser<&'a str, Output = T, Error = nom::error::Error<&'a str>>,
{
    all_consuming(grammar).parse(text).ok().map(|(_, value)| value)
}

// ---- addresses ---------------------------------------------------------------------------------------------------

/// Whether a text is an address the judge will write to: one `@`, something before it, a host with a dot inside it
/// and a last label of letters; no control characters, quotes, angle brackets or commas; at most 254 bytes.
pub fn is_address(text: &str) -> bool {
    let clean = text.len() <= 254
        && !text
            .chars()
            .any(|c| c.is_control() || c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | ',' | '|'));
    let Some((local, host)) = text.split_once('@') else { return false };
    let Some((labels, last)) = host.rsplit_once('.') else { return false };
    clean
        && !local.is_empty()
        && !host.contains('@')
        && !labels.is_empty()
        && !labels.starts_with('.')
        && !last.is_empty()
        && last.chars().all(char::is_alphabetic)
}

/// `email,email`
pub fn addresses(text: &str) -> Result<Vec<String>, Malformed> {
    let all: Vec<String> = text.split(',').map(str::to_owned).collect();
    if all.iter().all(|a| is_address(a)) { Ok(all) } else { Err(Malformed("addresses separated by commas, no blanks")) }
}

// ---- persons and seats -------------------------------------------------------------------------------------------

const PERSON: &str = "#id|address[,address]|First_Last";

fn person_id(input: &str) -> IResult<&str, &str> {
    alt((recognize(pair(char('#'), digit1)), tag("NO-ID"), tag(""))).parse(input)
}

impl FromStr for Person {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Person, Malformed> {
        let field = || take_while(|c: char| c != '|' && !c.is_whitespace());
        let grammar = (terminated(person_id, char('|')), terminated(field(), char('|')), field());
        let (id, mail, name) = whole(grammar, text).ok_or(Malformed(PERSON))?;
        if name.is_empty() {
            return Err(Malformed(PERSON));
        }
        let addresses = if mail.is_empty() { Vec::new() } else { addresses(mail).map_err(|_| Malformed(PERSON))? };
        Ok(Person { id: id.strip_prefix('#').unwrap_or(id).to_owned(), addresses, name: name.to_owned() })
    }
}

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = !self.id.is_empty() && self.id.bytes().all(|b| b.is_ascii_digit());
        write!(f, "{}{}|{}|{}", if number { "#" } else { "" }, self.id, self.addresses.join(","), self.name)
    }
}

impl FromStr for Holder {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Holder, Malformed> {
        if text.eq_ignore_ascii_case("RESIGNED") {
            Ok(Holder::Resigned)
        } else if text.eq_ignore_ascii_case("DUMMY") {
            Ok(Holder::Dummy)
        } else {
            text.parse().map(Holder::Person)
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Holder::Person(person) => person.fmt(f),
            Holder::Resigned => f.write_str("RESIGNED"),
            Holder::Dummy => f.write_str("DUMMY"),
        }
    }
}

impl FromStr for PlayerLine {
    type Err = Malformed;

    /// The words after PLAYER: holders and phases by turns, newest first (status-file.md 5.1).
    fn from_str(text: &str) -> Result<PlayerLine, Malformed> {
        const WANT: Malformed = Malformed("a person, RESIGNED or DUMMY, then phase and earlier person by turns");
        let words: Vec<&str> = text.split_whitespace().collect();
        let (current, earlier) = words.split_first().ok_or(WANT)?;
        let mut line = PlayerLine { current: current.parse()?, earlier: Vec::new() };
        for pair in earlier.chunks(2) {
            let [phase, holder] = pair else { return Err(WANT) };
            let holder: Holder = holder.parse()?;
            if !is_short_phase(phase) || holder == Holder::Resigned {
                return Err(WANT);
            }
            line.earlier.push((phase.to_uppercase(), holder));
        }
        Ok(line)
    }
}

impl fmt::Display for PlayerLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.current.fmt(f)?;
        self.earlier.iter().try_for_each(|(phase, holder)| write!(f, " {phase} {holder}"))
    }
}

// ---- time and phases ---------------------------------------------------------------------------------------------

fn short_phase(input: &str) -> IResult<&str, (char, &str, char)> {
    let letter = || satisfy(char::is_alphabetic);
    (letter(), recognize(pair(opt(char('-')), digit1)), letter()).parse(input)
}

/// `S1901M`, any case.
pub fn is_short_phase(text: &str) -> bool {
    whole(short_phase, text).is_some()
}

/// `S1901M` of `SPRING 1901 MOVEMENT`; `None` when the text has not three words.
pub fn short_of(phase: &str) -> Option<String> {
    let words: Vec<&str> = phase.split_whitespace().collect();
    let [season @ .., year, kind] = words.as_slice() else { return None };
    let first = |w: &str| w.chars().next();
    Some(format!("{}{year}{}", first(season.first()?)?, first(kind)?))
}

fn number<T: FromStr>(width: usize) -> impl Fn(&str) -> IResult<&str, T> {
    move |input| {
        map_res(take_while_m_n(width, width, |c: char| c.is_ascii_digit()), |d: &str| d.parse::<T>()).parse(input)
    }
}

/// `yyyymmddhhmm`; 10 or 8 digits are read as the full hour or midnight.
pub fn stamp(text: &str) -> Option<NaiveDateTime> {
    let hour_minute = (opt(number::<u32>(2)), opt(number::<u32>(2)));
    let (year, month, day, (hour, minute)) =
        whole((number::<i32>(4), number::<u32>(2), number::<u32>(2), hour_minute), text)?;
    NaiveDate::from_ymd_opt(year, month, day)?.and_hms_opt(hour.unwrap_or(0), minute.unwrap_or(0), 0)
}

/// The stamp as written: 12 digits.
pub fn stamp_text(at: &NaiveDateTime) -> String {
    at.format("%Y%m%d%H%M").to_string()
}

/// The canonical name of a time zone: IANA names, GMT and UTC, any case.
pub fn zone(text: &str) -> Option<&'static str> {
    let known = text.parse::<chrono_tz::Tz>().ok();
    let found = known.or_else(|| chrono_tz::TZ_VARIANTS.iter().copied().find(|z| z.name().eq_ignore_ascii_case(text)));
    found.map(|z| z.name())
}

// ---- what stands on the board ------------------------------------------------------------------------------------

fn place(input: &str) -> IResult<&str, &str> {
    let plain = |c: char| !c.is_whitespace() && !matches!(c, '/' | ',' | '-');
    recognize(pair(take_while1(plain), opt(pair(char('/'), take_while1(char::is_alphanumeric))))).parse(input)
}

fn unit(input: &str) -> IResult<&str, &str> {
    recognize((one_of("AF"), char(' '), place)).parse(input)
}

/// Whether a text has the shape of a unit: `A PAR`, `F STP/SC` (upper case, single blanks).
pub fn is_unit(text: &str) -> bool {
    whole(unit, text).is_some()
}

/// `A PAR --> GAS PIC`: a dislodged unit and where it may go.
pub fn retreating(text: &str) -> Option<(String, Vec<String>)> {
    let (unit, places) = whole(pair(unit, preceded(tag(" -->"), rest)), text)?;
    Some((unit.to_owned(), places.split_whitespace().map(str::to_owned).collect()))
}

/// An order of a retreat or adjustment phase in its canonical form: `DISBAND A MUN` for `RETREAT A MUN DISBAND` too.
pub fn adjustment(text: &str) -> Option<String> {
    let owned = |s: &str| s.to_owned();
    let retreat = alt((
        map(separated_pair(unit, tag(" - "), place), |(u, to)| format!("RETREAT {u} - {to}")),
        map(terminated(unit, tag(" DISBAND")), |u| format!("DISBAND {u}")),
    ));
    let build = alt((tag("BUILD WAIVED"), recognize((tag("BUILD "), unit, opt(tag(" HIDDEN"))))));
    let grammar = alt((
        preceded(tag("RETREAT "), retreat),
        map(recognize(pair(tag("DISBAND "), unit)), owned),
        map(build, owned),
        map(recognize(pair(tag("REMOVE "), unit)), owned),
    ));
    whole(grammar, text)
}

// ---- votes, needs, funds -----------------------------------------------------------------------------------------

impl FromStr for Vote {
    type Err = Malformed;

    /// `0WAY` is LOSS, `1WAY` SOLO, `-1WAY` (2020) DIAS.
    fn from_str(text: &str) -> Result<Vote, Malformed> {
        let ways = terminated(map_res(recognize(pair(opt(char('-')), digit1)), str::parse::<i16>), tag("WAY"));
        let ways = map_res(ways, |n| match n {
            -1 => Ok(Vote::Dias),
            0 => Ok(Vote::Loss),
            1 => Ok(Vote::Solo),
            n => u8::try_from(n).map(Vote::Way),
        });
        let grammar = alt((
            value(Vote::Solo, tag("SOLO")),
            value(Vote::Loss, tag("LOSS")),
            value(Vote::Dias, tag("DIAS")),
            value(Vote::Yes, tag("YES")),
            value(Vote::No, tag("NO")),
            ways,
        ));
        whole(grammar, &text.to_uppercase()).ok_or(Malformed("SOLO, LOSS, DIAS, YES, NO or a number with WAY"))
    }
}

impl fmt::Display for Vote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Vote::Solo => f.write_str("SOLO"),
            Vote::Loss => f.write_str("LOSS"),
            Vote::Dias => f.write_str("DIAS"),
            Vote::Way(n) => write!(f, "{n}WAY"),
            Vote::Yes => f.write_str("YES"),
            Vote::No => f.write_str("NO"),
        }
    }
}

impl FromStr for Need {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Need, Malformed> {
        let count = || alt((map(map_res(digit1, str::parse::<u16>), Some), value(None, char('?'))));
        // A name may hold hyphens, so the numbers are taken from the end.
        let want = Malformed("POWER-(units/centres)");
        let (power, numbers) = text.rsplit_once("-(").ok_or(want)?;
        let (units, centers) =
            whole(terminated(separated_pair(count(), char('/'), count()), char(')')), numbers).ok_or(want)?;
        if power.is_empty() {
            return Err(want);
        }
        Ok(Need { power: power.to_uppercase(), units, centers })
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: Option<u16>| n.map_or("?".to_owned(), |n| n.to_string());
        write!(f, "{}-({}/{})", self.power, count(self.units), count(self.centers))
    }
}

/// The kind of a FUNDS word (`$`, a letter, `+`, `/`): `None` if it is none.
pub(crate) fn fund_kind(word: &str) -> Option<String> {
    let sign = || recognize(pair(opt(char('-')), digit1));
    let grammar = alt((
        map(preceded(char('$'), sign()), |_| "$".to_owned()),
        map(preceded(sign(), tag("+")), |_| "+".to_owned()),
        map(preceded(sign(), preceded(char('/'), take_while(|c: char| !c.is_whitespace()))), |_| "/".to_owned()),
        map(preceded(sign(), satisfy(char::is_alphabetic)), |c| c.to_string()),
    ));
    whole(grammar, word)
}
