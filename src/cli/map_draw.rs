//! `chancery map draw`: a map, or a game of the site, as a picture: SVG or PNG by the name of the output (operations.md
//! OPS-014).

use super::common::SiteArgs;
use crate::diplomacy::draw::{self, Gallery, Picture, Theme, results};
use crate::diplomacy::map::{Loaded, library};
use crate::pages::shot::Wanted;
use crate::site::Site;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// `chancery map draw`
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A map file, the name of a map, or (with --root) the name of a game there
    map: String,
    /// Where to write: NAME.svg, NAME.png, or `-` for SVG on standard output
    #[arg(short, long, default_value = "-")]
    output: String,
    /// Of a game: this phase, like S1901M (default: the current one)
    #[arg(long)]
    phase: Option<String>,
    /// Of a game: with the orders and what came of them
    #[arg(long)]
    orders: bool,
    /// Of a game: as that power sees it, or MASTER (default: as everybody does)
    #[arg(long, value_name = "POWER")]
    viewer: Option<String>,
    /// Of a map: the position or results report in this file (`-`: standard input) instead of the start
    #[arg(long, value_name = "FILE", conflicts_with_all = ["phase", "orders", "viewer", "empty"])]
    results: Option<PathBuf>,
    /// Colours: light, dark or print
    #[arg(long, default_value = "light", value_parser = theme)]
    theme: String,
    /// Of a map: a panel with the powers (games always have it)
    #[arg(long)]
    legend: bool,
    /// Width of a PNG
    #[arg(long, default_value_t = 1600, value_parser = clap::value_parser!(u32).range(16..=8000))]
    width: u32,
    /// Of a map: draw the empty board
    #[arg(long)]
    empty: bool,
    /// A site, whose games and maps are looked in first
    #[arg(long, env = "CHANCERY_ROOT")]
    root: Option<PathBuf>,
}

fn theme(word: &str) -> Result<String, String> {
    Theme::named(word).map(|_| word.to_string()).ok_or_else(|| "want light, dark or print".to_string())
}

/// Runs the verb.
pub fn run(args: &Args) -> ExitCode {
    let drawn = match game(args) {
        Some(drawn) => drawn,
        None => map(args),
    };
    let svg = match drawn {
        Ok(svg) => svg,
        Err(code) => return code,
    };
    match write(&args.output, &svg, args.width) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("chancery: {}: {why}", args.output);
            ExitCode::from(1)
        }
    }
}

/// The picture of a game, if one is meant: there is a site, and it has a game of that name, or only games have such
/// options.
fn game(args: &Args) -> Option<Result<String, ExitCode>> {
    let asked = args.phase.is_some() || args.orders || args.viewer.is_some();
    let is_file = args.map.contains('/') || args.map.ends_with(".map");
    if !asked {
        let site = args.root.as_deref().filter(|_| !is_file).and_then(|root| Site::open(root, None, true).ok());
        let (site, _) = site?;
        site.layout.games.join(&args.map).join("status").is_file().then_some(())?;
    }
    let root = args.root.clone().unwrap_or_else(|| "site".into());
    let site = SiteArgs { root, config: None, clock: None, allow_fs: true };
    Some(of_game(args, &site))
}

fn of_game(args: &Args, site: &SiteArgs) -> Result<String, ExitCode> {
    let clerk = site.working("warn")?;
    let now = site.now(&clerk.site)?;
    let wanted = Wanted {
        phase: args.phase.clone(),
        orders: args.orders,
        viewer: args.viewer.clone(),
        theme: args.theme.clone(),
    };
    let fail = |why: String| {
        eprintln!("chancery: {why}");
        ExitCode::from(1)
    };
    match clerk.picture(&args.map, &wanted, now) {
        Ok(Some(svg)) => Ok(svg),
        Ok(None) => Err(fail(format!("{}: no such game in {}", args.map, site.root.display()))),
        Err(why) => Err(fail(why.to_string())),
    }
}

fn map(args: &Args) -> Result<String, ExitCode> {
    let fail = |why: String| {
        eprintln!("{why}");
        ExitCode::from(1)
    };
    let map = match library::open(&args.map, args.root.as_deref()) {
        Ok(Loaded { map, .. }) => map,
        Err(e) => {
            let lines: Vec<String> = e.diagnostics.iter().map(ToString::to_string).collect();
            return Err(fail(lines.join("\n")));
        }
    };
    let shown = gallery(args).show(&map);
    for remark in &shown.remarks {
        eprintln!("warning: {remark}");
    }
    let mut picture = if args.empty { Picture::empty(&map, &shown.art) } else { Picture::start(&map, &shown.art) };
    picture.colours = shown.colours;
    picture.theme = Theme::named(&args.theme).unwrap_or_default();
    picture.legend = args.legend;
    if let Some(file) = &args.results {
        let shown = file.display();
        let text = text_of(file).map_err(|e| fail(format!("chancery: {shown}: {e}")))?;
        match results::read(&mut picture, &text) {
            Ok(puzzles) => puzzles.iter().for_each(|p| eprintln!("{shown}:{}: warning: {}", p.line, p.why)),
            Err(e) => return Err(fail(format!("chancery: {shown}: {e}"))),
        }
    }
    Ok(draw::svg(&picture))
}

/// Where art, colours and hints of the map may lie: beside its file, or in the site.
fn gallery(args: &Args) -> Gallery {
    let path = std::path::Path::new(&args.map);
    if args.map.contains('/') || args.map.ends_with(".map") {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        return Gallery::beside(folder.unwrap_or(std::path::Path::new(".")));
    }
    let Some(root) = &args.root else { return Gallery::default() };
    match Site::open(root, None, true) {
        Ok((site, _)) => site.gallery(),
        Err(_) => Gallery::new(vec![root.join("maps"), root.join("trial")], None),
    }
}

fn text_of(file: &std::path::Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if file == std::path::Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(file)?;
    }
    Ok(crate::diplomacy::map::source::decode(bytes))
}

fn write(output: &str, svg: &str, width: u32) -> Result<(), Box<dyn std::error::Error>> {
    if output == "-" {
        std::io::stdout().write_all(svg.as_bytes())?;
    } else if output.to_lowercase().ends_with(".png") {
        std::fs::write(output, draw::png(svg, width)?)?;
    } else if output.to_lowercase().ends_with(".svg") {
        std::fs::write(output, svg)?;
    } else {
        return Err("the name must end in .svg or .png, or be - for SVG on standard output".into());
    }
    Ok(())
}
