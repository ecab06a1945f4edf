//! `chancery map draw`: a map as a picture, SVG or PNG by the name of the output (operations.md OPS-014).

use crate::diplomacy::draw::{self, Art, Picture, Theme};
use crate::diplomacy::map::{Loaded, library};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// `chancery map draw`
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A map file, or the name of a map
    map: String,
    /// Where to write: NAME.svg, NAME.png, or `-` for SVG on standard output
    #[arg(short, long, default_value = "-")]
    output: String,
    /// Colours: light, dark or print
    #[arg(long, default_value = "light", value_parser = theme)]
    theme: Theme,
    /// A panel with the powers
    #[arg(long)]
    legend: bool,
    /// Width of a PNG
    #[arg(long, default_value_t = 1600, value_parser = clap::value_parser!(u32).range(16..=8000))]
    width: u32,
    /// Draw the empty board
    #[arg(long)]
    empty: bool,
    /// A site, whose maps are looked in first
    #[arg(long, env = "CHANCERY_ROOT")]
    root: Option<PathBuf>,
}

fn theme(word: &str) -> Result<Theme, String> {
    Theme::named(word).ok_or_else(|| "want light, dark or print".to_string())
}

/// Runs the verb.
pub fn run(args: &Args) -> ExitCode {
    let map = match library::open(&args.map, args.root.as_deref()) {
        Ok(Loaded { map, .. }) => map,
        Err(e) => {
            for diagnostic in &e.diagnostics {
                eprintln!("{diagnostic}");
            }
            return ExitCode::from(1);
        }
    };
    let art = Art::for_map(&map);
    let mut picture = if args.empty { Picture::empty(&map, &art) } else { Picture::start(&map, &art) };
    picture.theme = args.theme;
    picture.legend = args.legend;
    match write(&args.output, &draw::svg(&picture), args.width) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("chancery: {}: {why}", args.output);
            ExitCode::from(1)
        }
    }
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
