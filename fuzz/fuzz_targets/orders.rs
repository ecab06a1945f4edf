//! Any text as a submission, in every phase: an answer, never a panic; what is understood reads back as itself.

#![no_main]

use chancery::diplomacy::map::Map;
use chancery::diplomacy::orders::{Board, Lexicon, SheetContext, Signer, Verdict, parse_order, read_sheet};
use chancery::diplomacy::phase::Phase;
use chancery::diplomacy::rules::Rules;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static MAP: LazyLock<(Map, Lexicon)> = LazyLock::new(|| {
    let map = Map::builtin("standard").expect("the standard map travels in the program");
    let lexicon = Lexicon::new(&map);
    (map, lexicon)
});

fuzz_target!(|text: &str| {
    let (map, lexicon) = &*MAP;
    let mut board = Board::default();
    for power in map.power_ids() {
        board.units.insert(power, map[power].units.clone());
        board.homes.insert(power, map[power].homes.clone());
        board.centers.insert(power, map[power].centers.clone());
    }
    let Some(power) = map.power("RUSSIA") else { return };
    let retreats = map[power].units.iter().map(|unit| (*unit, map.location_ids().take(9).collect()));
    board.dislodged.insert(power, retreats.collect());
    let rules = Rules::none();
    let signer = Signer::Power(power, map.power_ids().collect());
    let lines: Vec<&str> = text.lines().collect();
    for kind in ["MOVEMENT", "RETREATS", "ADJUSTMENTS"] {
        let phase = Phase { season: "SPRING".into(), year: 1901, kind: kind.into() };
        let ctx = SheetContext {
            map,
            lexicon,
            phase: &phase,
            board: &board,
            rules: &rules,
            signer: &signer,
            dummies: &[],
            eliminated: &[],
            late: false,
            partial_allowed: true,
        };
        let report = read_sheet(&ctx, &lines, &Default::default());
        for line in &report.lines {
            if let (Verdict::Good(parsed), Some(power)) = (&line.verdict, line.power) {
                if !parsed.canonical.is_empty() {
                    let again = parse_order(&ctx.order(power), &parsed.canonical).map(|again| again.canonical);
                    assert_eq!(again.as_ref(), Ok(&parsed.canonical));
                }
            }
        }
    }
});
