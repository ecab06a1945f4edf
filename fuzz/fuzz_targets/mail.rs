//! Any bytes as a mail: an intake within its limits, never a panic; and as a delivery report, a queue file, a document.

#![no_main]

use chancery::mail::bounce;
use chancery::mail::intake::{Limits, Ourselves, read};
use chancery::mail::queue::Queued;
use chancery::mail::token::Secret;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let we = Ourselves { addresses: vec!["judge@judge.example".into()], id: Some("CHCY".into()) };
    let limits = Limits::default();
    match read(data, &we, &limits) {
        Ok(intake) => {
            assert!(intake.lines.len() <= limits.lines);
            assert!(intake.lines.iter().all(|l| !l.text.contains(['\n', '\r', '\0'])));
            bounce::read(data, &intake, &Secret::new(*b"fuzz"));
        }
        Err(panic) => panic!("{panic}"),
    }
    if let Ok(entry) = Queued::decode(data) {
        assert!(Queued::decode(&entry.encode()).is_ok());
    }
});
