//! A game's page in a real browser: what the script adds to it. Nothing of it is needed to read the page (WEB-004).

mod support;

use std::process::Command;
use support::Site;

const BROWSER: &str = "chromium";
/// What `timeout` ends with where it finds no such program.
const NO_SUCH_PROGRAM: i32 = 127;

/// The page as the browser of a reader in that zone has it, with something more at its end; `None`: there is no browser
/// here.
fn opened(site: &Site, zone: &str, more: &str) -> Option<String> {
    let web = site.root().join("web");
    let page = std::fs::read_to_string(web.join("game/balkan9/index.html")).expect("the page");
    let local = web.join("game/balkan9/local.html");
    let mut page = page.replace("</body>", &format!("{more}</body>"));
    for place in ["assets", "game"] {
        page = page.replace(&format!("\"/{place}/"), &format!("\"file://{}/{place}/", web.display()));
    }
    std::fs::write(&local, page).expect("a page");
    let profile = tempfile::tempdir().expect("a directory");
    // A browser that hangs must not hold up everything else.
    let output = Command::new("timeout")
        .args([
            "300",
            BROWSER,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=500,900",
            "--dump-dom",
        ])
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
        let Some(page) = opened(&site, zone, "") else { return };
        assert!(page.contains("Saturday 28 November 2026 20:00 GMT"), "the game's own clock stays: {page}");
        assert!(page.contains(there), "{zone}: {page}");
    }
    let Some(page) = opened(&site, "GMT", "") else { return };
    assert!(page.contains("class=\"left\"") && !page.contains("by your clock"), "nothing twice: {page}");
}

#[test]
fn the_names_on_a_map_can_be_read_on_a_phone() {
    let site = Site::of_fixture();
    assert!(site.run(&["publish", "--all", "--clock", &site.now], b"").status.success());
    let more = "<style>body{width:390px}</style><script>addEventListener('load',function(){\
                var box=document.querySelector('.map .scroll'),map=box.querySelector('img');\
                document.body.dataset.map=[box.clientWidth,map.clientWidth,Math.round(box.scrollLeft)].join(' ')})</script>";
    let Some(page) = opened(&site, "GMT", more) else { return };
    let told = page.split_once("data-map=\"").expect("the sizes").1.split('"').next().expect("a value");
    let sizes: Vec<f64> = told.split(' ').map(|word| word.parse().expect("a size")).collect();
    let [window, map, left] = sizes[..] else { panic!("{told}") };
    assert!(window < 390.0, "the page stays as narrow as it is: {told}");
    // How wide the drawing is by its own measure, and how high its smallest names of places.
    let drawing = site.file("balkan9", "../../web/game/balkan9/m/now.svg");
    let width: f64 =
        drawing.split_once("viewBox=\"").and_then(|(_, rest)| rest.split(' ').nth(2)?.parse().ok()).expect("a width");
    assert!(drawing.contains("font-size=\"13\""), "the names of places");
    assert!(13.0 * map / width >= 8.0, "{told}, {width}");
    assert!((left - (map - window) / 2.0).abs() < 2.0, "its middle is shown: {told}");
}
