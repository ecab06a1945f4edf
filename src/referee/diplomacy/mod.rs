//! The referee of Diplomacy and its variants: the game's text (units, centres, orders as the status file has them) on one
//! side, the rules library on the other. Rules themselves are in `diplomacy`; this page only translates.

mod board;
mod bulletin;
mod recall;
mod record;
mod report;
mod resolve;
mod retell;
mod tell;

pub use retell::{Retold, Told};

use super::{Acting, Look, OrderLine, Referee, Resolution, Seat, Sheet};
use crate::diplomacy::adjudicate::{Board, Profile, due};
use crate::diplomacy::draw::gallery::{Exhibit, Gallery};
use crate::diplomacy::map::{Map, PowerId};
use crate::diplomacy::orders::{self, Lexicon, Signer, Verdict};
use crate::diplomacy::phase::Phase;
use crate::diplomacy::rules::{Rule, Rules};
use crate::status::{Game, Holder, Participant, ParticipantKind, PhaseState, PlayerLine};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// What follows from a map alone, made once and shared by its games.
pub struct Compiled {
    /// The map, morphs and dynamic blocks applied.
    pub map: Map,
    board: Arc<Board>,
    lexicon: Lexicon,
    gallery: Gallery,
    shown: OnceLock<Exhibit>,
}

impl Compiled {
    /// Compiles a map that has no site.
    pub fn new(map: Map) -> Compiled {
        Compiled::shown_by(map, Gallery::default())
    }

    /// Compiles a map whose pictures are made with what lies in that gallery.
    pub fn shown_by(map: Map, gallery: Gallery) -> Compiled {
        let (board, lexicon) = (Arc::new(Board::new(&map)), Lexicon::new(&map));
        Compiled { board, lexicon, gallery, shown: OnceLock::new(), map }
    }

    /// The words of the map for reading orders.
    pub fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// The empty board and its colours, made when first asked for: a map without art is laid out from its graph.
    fn exhibit(&self) -> &Exhibit {
        self.shown.get_or_init(|| self.gallery.show(&self.map))
    }
}

/// The referee of one game.
pub struct Diplomacy {
    compiled: Arc<Compiled>,
    seats: Vec<Seat>,
    rules: Rules,
    variant: String,
}

impl Diplomacy {
    /// For a game on that map with these rules in force.
    pub fn new(compiled: Arc<Compiled>, rules: Rules, variant: &str) -> Diplomacy {
        let seats = compiled
            .map
            .powers
            .iter()
            .map(|p| Seat {
                key: p.key.clone(),
                title: p.title.clone(),
                letter: p.letter,
                short: p.short.clone(),
                dummy: p.dummy || rules.has(Rule::Solitaire),
                control: p.control.clone(),
            })
            .collect();
        Diplomacy { compiled, seats, rules, variant: variant.to_string() }
    }

    /// What follows from the map alone.
    pub fn compiled(&self) -> &Arc<Compiled> {
        &self.compiled
    }

    fn map(&self) -> &Map {
        &self.compiled.map
    }

    /// The phase of a running game.
    fn phase(&self, game: &Game) -> Option<Phase> {
        match &game.phase {
            PhaseState::Running(text) => Phase::parse(text, self.map()).or_else(|| Phase::parse_long(text)),
            _ => None,
        }
    }

    /// The switches of the adjudicator for this game.
    fn profile(&self, game: &Game) -> Profile {
        let dummy = |p: &&Participant| matches!(p.player.as_ref().map(|l| &l.current), Some(Holder::Dummy));
        let id = |p: &Participant| self.map().power(&p.name);
        let dummies: Vec<&Participant> = game.participants.iter().filter(dummy).collect();
        Profile::new(self.rules)
            .with_dummies(dummies.iter().filter_map(|p| id(p)))
            .with_uncontrolled(dummies.iter().filter(|p| p.control.is_empty()).filter_map(|p| id(p)))
    }

    fn due(&self, game: &Game, power: PowerId) -> i32 {
        match self.position(game) {
            Ok(position) => due(&self.profile(game), &position, &self.estates(game), power).count,
            Err(_) => 0,
        }
    }

    /// The block of a power.
    fn block<'g>(&self, game: &'g Game, seat: &str) -> Option<&'g Participant> {
        game.participants.iter().find(|p| p.kind == ParticipantKind::Power && p.name == seat)
    }

    /// Keys of the powers a seat plays besides itself.
    fn controlled(&self, game: &Game, seat: &str) -> Vec<PowerId> {
        let by = |p: &&Participant| p.control.first().is_some_and(|c| c == seat);
        game.participants.iter().filter(by).filter_map(|p| self.map().power(&p.name)).collect()
    }

    /// The orders on file of every power, as its block has them.
    fn all_on_file(&self, game: &Game) -> BTreeMap<PowerId, Vec<String>> {
        let mut all = BTreeMap::new();
        for p in &game.participants {
            if let Some(power) = self.map().power(&p.name) {
                let orders = self.on_file(game, &p.name);
                if !orders.is_empty() {
                    all.insert(power, orders);
                }
            }
        }
        all
    }
}

/// Keeps the first phase before BEGIN in which units can be raised, for MOBILIZE and BLANK_BOARD (status-file.md 10.5).
fn first_phase(map: &Map, rules: &Rules) -> Phase {
    let begin = map.begin.clone();
    let raises = rules.has(Rule::Mobilize) || rules.has(Rule::BlankBoard);
    if raises && begin.letter() != 'A' { map.flow.previous_of(&begin, 'A').unwrap_or(begin) } else { begin }
}

impl Referee for Diplomacy {
    fn variant(&self) -> &str {
        &self.variant
    }

    fn seats(&self) -> &[Seat] {
        &self.seats
    }

    fn goal(&self) -> Option<String> {
        report::goal(self.map(), self.rules)
    }

    fn board(&self) -> &str {
        &self.compiled.map.name
    }

    fn begin(&self, game: &mut Game) -> Result<(), String> {
        // Seats that nobody took were struck off the map a moment ago (MORPH UNPLAYED): begin on the map as it is now.
        let map = self.map().with_morphs(&game.morph, None).map_err(|e| e.to_string())?.map;
        let phase = first_phase(&map, &self.rules);
        game.phase = PhaseState::Running(phase.to_string());
        for power in &map.powers {
            let dummy = power.dummy || self.rules.has(Rule::Solitaire);
            if !game.participants.iter().any(|p| p.kind == ParticipantKind::Power && p.name == power.key) {
                if !dummy {
                    return Err(format!("nobody plays {}", power.title));
                }
                game.participants.push(Participant {
                    name: power.key.clone(),
                    player: Some(PlayerLine { current: Holder::Dummy, earlier: Vec::new() }),
                    control: power.control.clone(),
                    ..Participant::default()
                });
            }
            let Some(p) =
                game.participants.iter_mut().find(|p| p.kind == ParticipantKind::Power && p.name == power.key)
            else {
                continue;
            };
            // A block that was there already may say nothing of who runs it.
            if p.control.is_empty() && p.is_dummy() {
                p.control = power.control.clone();
            }
            let codes = |list: &[crate::diplomacy::map::ProvinceId]| {
                list.iter().map(|h| map[*h].code.clone()).collect::<Vec<_>>()
            };
            p.inhabits = Some(codes(&power.homes));
            p.owns = codes(&power.centers);
            p.units = power.units.iter().map(|u| orders::entry::unit_text(&map, *u)).collect();
            p.orders = None;
            p.adjust.clear();
            p.retreats.clear();
            if self.rules.has(Rule::Mobilize) {
                p.units.clear();
                p.owns = if dummy && self.rules.has(Rule::ImmobileDummies) {
                    vec!["SC!".into(); power.homes.len()]
                } else {
                    vec!["SC!".into()]
                };
            } else if self.rules.has(Rule::BlankBoard) {
                let owned = p.owns.clone();
                p.units.retain(|u| !owned.contains(&u[2..].split('/').next().unwrap_or("").to_string()));
            }
        }
        crate::status::sort_participants(game);
        Ok(())
    }

    fn phase_short(&self, game: &Game) -> String {
        match &game.phase {
            PhaseState::Forming => "FORMING".into(),
            PhaseState::Completed => "COMPLETED".into(),
            PhaseState::Running(text) => self.phase(game).map(|p| p.short()).unwrap_or_else(|| text.clone()),
        }
    }

    fn rotation(&self) -> Option<&str> {
        self.map().rotate.as_deref()
    }

    fn phase_kind(&self, game: &Game) -> String {
        match &game.phase {
            PhaseState::Running(text) => text.split_whitespace().last().unwrap_or("").to_string(),
            _ => String::new(),
        }
    }

    fn phase_title(&self, game: &Game) -> String {
        match self.phase(game) {
            Some(phase) => report::phase_title(&phase),
            None => "unknown".into(),
        }
    }

    fn resolvable(&self, game: &Game) -> bool {
        matches!(self.phase_kind(game).as_str(), "MOVEMENT" | "RETREATS" | "ADJUSTMENTS")
    }

    fn owing(&self, game: &Game) -> Vec<String> {
        let Some(phase) = self.phase(game) else { return Vec::new() };
        let powers = game.participants.iter().filter(|p| p.kind == ParticipantKind::Power && !p.cd);
        let incomplete = |p: &Participant| {
            let ordered = p.orders.as_deref().unwrap_or_default();
            let partial = !self.rules.has(Rule::DefaultUnordered) && !self.rules.has(Rule::NoCheck);
            let has = |unit: &String| {
                ordered.iter().any(|o| o.strip_prefix(unit.as_str()).is_some_and(|rest| rest.starts_with(' ')))
            };
            ordered.is_empty() || (partial && p.units.iter().any(|u| !has(u)))
        };
        let owes = |p: &&Participant| match phase.letter() {
            'M' => !p.units.is_empty() && incomplete(p),
            'R' => p.retreats.iter().any(|(unit, _)| !p.adjust.iter().any(|a| orders::sheet::unit_of(a) == unit)),
            'A' => {
                p.adjust.is_empty()
                    && !p.owns.is_empty()
                    && self.map().power(&p.name).is_some_and(|power| self.due(game, power) != 0)
            }
            _ => false,
        };
        powers.filter(owes).map(|p| p.name.clone()).collect()
    }

    fn read_sheet(&self, game: &Game, acting: &Acting, lines: &[String]) -> Sheet {
        let Some(phase) = self.phase(game) else { return Sheet::default() };
        let board = self.entry_board(game);
        let signer = match acting {
            Acting::Master => Signer::Master,
            Acting::Seat(key) => match self.map().power(key) {
                Some(power) => Signer::Power(power, self.controlled(game, key)),
                None => Signer::Observer,
            },
        };
        let dummies: Vec<PowerId> = if self.rules.has(Rule::HideDummies) {
            Vec::new()
        } else {
            let dummy = |p: &&Participant| matches!(p.player.as_ref().map(|l| &l.current), Some(Holder::Dummy));
            game.participants.iter().filter(dummy).filter_map(|p| self.map().power(&p.name)).collect()
        };
        let eliminated: Vec<PowerId> =
            self.map().power_ids().filter(|p| self.eliminated(game, &self.map()[*p].key)).collect();
        let context = orders::SheetContext {
            map: self.map(),
            lexicon: &self.compiled.lexicon,
            phase: &phase,
            board: &board,
            rules: &self.rules,
            signer: &signer,
            dummies: &dummies,
            eliminated: &eliminated,
            // Whether a late sheet may be empty is the judge's to say.
            late: false,
            partial_allowed: self.variant == "standard",
        };
        let texts: Vec<&str> = lines.iter().map(String::as_str).collect();
        let report = orders::read_sheet(&context, &texts, &self.all_on_file(game));
        self.sheet(report)
    }

    fn store(&self, game: &mut Game, seat: &str, orders: &[String]) {
        let movement = self.phase_kind(game).starts_with('M');
        let Some(p) = game.participants.iter_mut().find(|p| p.kind == ParticipantKind::Power && p.name == seat) else {
            return;
        };
        if movement {
            p.orders = if orders.is_empty() { None } else { Some(orders.to_vec()) };
        } else {
            p.adjust = orders.to_vec();
        }
    }

    fn on_file(&self, game: &Game, seat: &str) -> Vec<String> {
        let Some(p) = self.block(game, seat) else { return Vec::new() };
        if self.phase_kind(game).starts_with('M') { p.orders.clone().unwrap_or_default() } else { p.adjust.clone() }
    }

    fn resolve(&self, game: &Game, seed: u64) -> Result<Resolution, String> {
        resolve::resolve(self, game, seed)
    }

    fn eliminated(&self, game: &Game, seat: &str) -> bool {
        self.block(game, seat).is_none_or(|p| p.units.is_empty() && p.retreats.is_empty() && p.owns.is_empty())
    }

    fn strength(&self, game: &Game, seat: &str) -> (u16, u16) {
        self.block(game, seat)
            .map(|p| {
                (
                    (p.units.len() + p.retreats.len()) as u16,
                    p.owns.iter().filter(|c| !c.starts_with("SC")).count() as u16,
                )
            })
            .unwrap_or((0, 0))
    }

    fn voters(&self, game: &Game) -> Vec<String> {
        let owns = |p: &Participant| {
            !p.owns.is_empty()
                || game.participants.iter().any(|v| v.control.first() == Some(&p.name) && !v.owns.is_empty())
        };
        let votes = |p: &&Participant| p.kind == ParticipantKind::Power && p.control.is_empty() && owns(p);
        game.participants.iter().filter(votes).map(|p| p.name.clone()).collect()
    }

    fn position_report(&self, game: &Game) -> String {
        format!("{}{}", report::units(self, game), report::ownership(self, game))
    }

    fn position_report_seen(&self, game: &Game, seat: &str) -> String {
        let view = bulletin::View::of(self, game);
        let reader = self.map().power(seat);
        let knows = |center| reader.is_some_and(|r| bulletin::knows_center(self, game, &view, r, center));
        let seen = record::game_seen(self, game, seat);
        format!("{}{}", report::units(self, &seen), report::ownership_known(self, game, &knows))
    }

    fn summary(&self, game: &Game, records: &[serde_json::Value]) -> Option<String> {
        record::summary(self, game, records)
    }

    fn touch(&self, game: &Game, a: &str, b: &str) -> bool {
        self.touching(game, a, b)
    }

    fn choices(&self, game: &Game, seat: &str) -> Vec<String> {
        self.options(game, seat)
    }

    fn knows_word(&self, text: &str) -> bool {
        let text = orders::clean::clean(text);
        let tokens = self.compiled.lexicon.tokens(&text);
        (0..tokens.len()).any(|at| self.compiled.lexicon.longest(&tokens, at).is_some())
            || text.split(|c: char| !c.is_alphanumeric()).any(|w| self.compiled.lexicon.power(w).is_some())
    }

    fn picture(&self, record: &serde_json::Value, look: &Look) -> Option<String> {
        record::picture(self, record, look)
    }

    fn is_drawn(&self) -> bool {
        !self.map().text_only
    }

    fn record_now(&self, game: &Game) -> serde_json::Value {
        record::position(self, game)
    }

    fn record_seen(&self, game: &Game, seat: &str) -> serde_json::Value {
        record::position_seen(self, game, seat)
    }
}

impl Diplomacy {
    /// The order reader's report in the judge's words.
    fn sheet(&self, report: orders::SheetReport) -> Sheet {
        let mut sheet = Sheet { partial: report.partial, ..Sheet::default() };
        for line in &report.lines {
            let mut out = OrderLine {
                line: line.line,
                text: line.text.clone(),
                canonical: Vec::new(),
                refused: None,
                warnings: Vec::new(),
            };
            let remark = |r: &orders::Remark| (r.code.name().to_string(), r.text.clone());
            match &line.verdict {
                Verdict::Good(parsed) => {
                    out.canonical.push(parsed.canonical.clone());
                    out.warnings.extend(parsed.remarks.iter().map(remark));
                }
                Verdict::Raw(text) => out.canonical.push(text.clone()),
                Verdict::Duplicate(parsed, again) => {
                    out.canonical.push(parsed.canonical.clone());
                    out.warnings.extend(parsed.remarks.iter().map(remark));
                    out.warnings.push(remark(again));
                }
                Verdict::Refused(fault) => out.refused = Some((fault.code.name().to_string(), fault.text.clone())),
                Verdict::Clear | Verdict::Forgotten => {}
            }
            sheet.lines.push(out);
        }
        sheet.faults = report.faults.iter().map(|f| (f.code.name().to_string(), f.text.clone())).collect();
        sheet.warnings = report.remarks.iter().map(|r| (r.code.name().to_string(), r.text.clone())).collect();
        for stored in report.stored {
            sheet.sets.insert(self.map()[stored.power].key.clone(), stored.orders);
        }
        sheet
    }
}

/// `Movement for Spring of 1901`, or the state.
fn report_title(referee: &Diplomacy, game: &Game) -> String {
    match referee.phase(game) {
        Some(phase) => report::phase_title(&phase),
        None => referee.phase_short(game),
    }
}
