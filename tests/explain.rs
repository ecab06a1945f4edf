//! Explanations of the DATC cases: every verdict has one, in a player's words.

use chancery::diplomacy::adjudicate::case::{Case, Table, position};
use chancery::diplomacy::adjudicate::{Profile, Workspace, explain};
use chancery::diplomacy::map::Map;
use chancery::diplomacy::notation;

/// What is said of the orders of a phase, in the order of the units.
fn reasons(units: &str, orders: &str) -> Vec<String> {
    let table = Table::new(Map::builtin("standard").unwrap());
    let json = format!(r#"{{"phase":"S1901M","units":{units},"orders":{orders}}}"#);
    let case: Case = serde_json::from_str(&json).unwrap();
    let position = position(&table, &case, false).unwrap();
    let profile = Profile::default();
    let mut memory = Workspace::new();
    let mut movement = memory.movement(&profile, &position);
    for (power, lines) in &case.orders {
        for line in lines.iter().flatten() {
            let written = notation::read_movement(&table.board, line).unwrap();
            let _ = movement.written(table.board.power(power).unwrap(), &written);
        }
    }
    let resolution = movement.resolve();
    (0..position.pieces().len()).map(|i| explain(&resolution, i)).collect()
}

#[test]
fn a_cut_support() {
    let said = reasons(
        r#"{"FRANCE":["A PAR","F GAS"],"GERMANY":["A BUR"],"ITALY":["A MAR"]}"#,
        r#"{"FRANCE":["A PAR - BUR","F GAS S A PAR - BUR"],"ITALY":["A MAR - GAS"]}"#,
    );
    assert_eq!(said[0], "A PAR - BUR bounced: 1 against 1 from A BUR");
    let said = reasons(
        r#"{"FRANCE":["A PAR","A GAS"],"GERMANY":["A BUR"],"ITALY":["A MAR"]}"#,
        r#"{"FRANCE":["A PAR - BUR","A GAS S A PAR - BUR"],"ITALY":["A MAR - GAS"]}"#,
    );
    assert_eq!(said[0], "A PAR - BUR bounced: 1 against 1 from A BUR; support from A GAS was cut by A MAR - GAS");
    assert_eq!(said[1], "A GAS S A PAR - BUR was cut by A MAR - GAS");
    assert_eq!(said[2], "A BUR holds");
    assert_eq!(said[3], "A MAR - GAS bounced: 1 against 1 from A GAS");
}

#[test]
fn a_dislodgement() {
    let said = reasons(
        r#"{"GERMANY":["A MUN","A RUH"],"FRANCE":["A BUR"]}"#,
        r#"{"GERMANY":["A MUN - BUR","A RUH S A MUN - BUR"]}"#,
    );
    assert_eq!(said[0], "A BUR holds; dislodged by A MUN - BUR, 2 against 1 with support from A RUH");
    assert_eq!(said[1], "A MUN - BUR succeeded: 2 against 1 of A BUR with support from A RUH");
    assert_eq!(said[2], "A RUH S A MUN - BUR was given");
}

#[test]
fn broken_convoys_and_void_orders() {
    let said = reasons(
        r#"{"ENGLAND":["A LON","F NTH","A WAL"],"GERMANY":["F HEL","F SKA"]}"#,
        r#"{"ENGLAND":["A LON - NWY","F NTH C A LON - NWY"],"GERMANY":["F HEL - NTH","F SKA S F HEL - NTH"]}"#,
    );
    assert_eq!(said[0], "A LON - NWY has no convoy: F NTH was dislodged by F HEL - NTH");
    assert!(said[1].starts_with("F NTH C A LON - NWY failed: the fleet was dislodged; dislodged by F HEL - NTH"));
    let said = reasons(r#"{"AUSTRIA":["A VIE","A BUD"]}"#, r#"{"AUSTRIA":["A VIE S A BUD - GAL","A BUD - SER"]}"#);
    assert_eq!(said[0], "A VIE S A BUD - GAL is void: the order was A BUD - SER");
    assert_eq!(said[1], "A BUD - SER succeeded: nobody stood in its way to SER");
}
