//! A game's page in a real browser: what the script adds to it. Nothing of it is needed to read the page (WEB-004).

mod support;

use std::process::Command;
use support::Site;

const BROWSER: &str = "chromium";
/// What `timeout` ends with where it finds no such program.
const NO_SUCH_PROGRAM: i32 = 127;

/// The page as the browser of a reader in that zone has it; `None`: there is no browser here.
fn opened(site: &Site, zone: &str) -> Option<String> {
    let web = site.root().join("web");
    let page = std::fs::read_to_string(web.join("game/balkan9/index.html")).expect("the page");
    let local = web.join("game/balkan9/local.html");
    std::fs::write(&local, page.replace("\"/assets/", &format!("\"file://{}/assets/", web.display()))).expect("a page");
    let profile = tempfile::tempdir().expect("a directory");
    // A browser that hangs must not hold up everything else.
    let output = Command::new("timeout")
        .args(["300", BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", local.display()))
        .env("TZ", zone)
        .output();
    let said = |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    match output {
        Ok(output) if output.status.success() => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Ok(output) if output.status.code() == Some(NO_SUCH_PROGRAM) && std::env::var_os("CI").is_none() => {
            eprintln!("skipped: {}; tests/setup.sh installs it", said(&output));
            None
        }
        other => panic!("{BROWSER}: {:?}", other.as_ref().map(said)),
    }
}

#[test]
fn a_reader_sees_the_deadline_by_his_own_clock_too() {
    let site = Site::of_fixture();
    let ticked = site.run(&["tick", "--clock", "2026-11-21T10:00:00Z"], b"");
    assert!(ticked.status.success(), "{}", String::from_utf8_lossy(&ticked.stderr));
    for (zone, there) in [
        ("Asia/Tokyo", "Sunday 29 November at 05:00 by your clock"),
        ("America/St_Johns", "Saturday 28 November at 16:30 by your clock"),
    ] {
        let Some(page) = opened(&site, zone) else { return };
        assert!(page.contains("Saturday 28 November 2026 20:00 GMT"), "the game's own clock stays: {page}");
        assert!(page.contains(there), "{zone}: {page}");
    }
    let Some(page) = opened(&site, "GMT") else { return };
    assert!(page.contains("class=\"left\"") && !page.contains("by your clock"), "nothing twice: {page}");
}
