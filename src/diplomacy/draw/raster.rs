//! SVG to PNG, the same everywhere: only the two bundled faces are used, never the system's fonts, and the picture is
//! written with an indexed palette so that it is small enough to travel in mail.

use resvg::{tiny_skia, usvg};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Why no picture came out.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// Not an SVG.
    #[error("not an SVG picture: {0}")]
    Svg(String),
    /// A size of nothing, or too large.
    #[error("a picture {0} wide cannot be made (want 16 to 8000)")]
    Size(u32),
    /// The PNG writer failed.
    #[error("writing PNG: {0}")]
    Write(#[from] png::EncodingError),
}

fn fonts() -> Arc<usvg::fontdb::Database> {
    static FONTS: OnceLock<Arc<usvg::fontdb::Database>> = OnceLock::new();
    let load = || {
        let mut db = usvg::fontdb::Database::new();
        db.load_font_data(include_bytes!("../../../assets/fonts/DejaVuSans-subset.ttf").to_vec());
        db.load_font_data(include_bytes!("../../../assets/fonts/DejaVuSans-Bold-subset.ttf").to_vec());
        db.set_sans_serif_family("DejaVu Sans");
        Arc::new(db)
    };
    FONTS.get_or_init(load).clone()
}

/// Renders SVG text as an indexed PNG of that width.
pub fn png(svg: &str, width: u32) -> Result<Vec<u8>, PngError> {
    let options = usvg::Options { fontdb: fonts(), font_family: "DejaVu Sans".to_string(), ..Default::default() };
    let tree = usvg::Tree::from_str(svg, &options).map_err(|e| PngError::Svg(e.to_string()))?;
    let scale = width as f32 / tree.size().width();
    let height = (tree.size().height() * scale).round() as u32;
    if !(16..=8000).contains(&width) || !(1..=16000).contains(&height) {
        return Err(PngError::Size(width));
    }
    let mut pixmap = tiny_skia::Pixmap::new(width, height).ok_or(PngError::Size(width))?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    indexed(pixmap.data(), width, height)
}

/// Colours are compared at five bits a channel.
fn bucket(pixel: &[u8]) -> usize {
    match pixel {
        [r, g, b, ..] => (usize::from(r >> 3) << 10) | (usize::from(g >> 3) << 5) | usize::from(b >> 3),
        _ => 0,
    }
}

/// Squared distance, green weighing most as it does to the eye.
fn distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    let d = |i: usize| u32::from(a[i].abs_diff(b[i])).pow(2);
    2 * d(0) + 4 * d(1) + 3 * d(2)
}

/// The palette: the colours used most, none too near one used more, until 128 are found; every pixel takes the nearest.
fn indexed(rgba: &[u8], width: u32, height: u32) -> Result<Vec<u8>, PngError> {
    let mut counts = vec![0u32; 1 << 15];
    let mut exact: Vec<[u8; 3]> = vec![[0; 3]; 1 << 15];
    let mut exact_count: BTreeMap<[u8; 3], u32> = BTreeMap::new();
    let mut last = ([0u8; 3], 0u32);
    let mut flush = |run: ([u8; 3], u32)| {
        if run.1 > 0 {
            *exact_count.entry(run.0).or_default() += run.1;
        }
    };
    for pixel in rgba.chunks_exact(4) {
        counts[bucket(pixel)] += 1;
        let colour = [pixel[0], pixel[1], pixel[2]];
        if colour == last.0 {
            last.1 += 1;
        } else {
            flush(last);
            last = (colour, 1);
        }
    }
    flush(last);
    // A bucket stands for its most frequent colour, so that plain fills keep their very colour.
    let mut best = vec![0u32; 1 << 15];
    for (colour, count) in &exact_count {
        let at = bucket(colour);
        if *count > best[at] {
            best[at] = *count;
            exact[at] = *colour;
        }
    }
    let mut order: Vec<usize> = (0..counts.len()).filter(|at| counts[*at] > 0).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(counts[*at]), *at));
    let mut palette: Vec<[u8; 3]> = Vec::new();
    for at in &order {
        if palette.len() >= 128 {
            break;
        }
        let spacing = if palette.len() < 32 { 150 } else { 700 };
        if palette.iter().all(|kept| distance(*kept, exact[*at]) > spacing) {
            palette.push(exact[*at]);
        }
    }
    if palette.is_empty() {
        palette.push([255; 3]);
    }
    let mut index = vec![0u8; 1 << 15];
    for at in order {
        let nearest = (0..palette.len()).min_by_key(|i| distance(palette[*i], exact[at])).unwrap_or(0);
        index[at] = nearest as u8;
    }
    let pixels: Vec<u8> = rgba.chunks_exact(4).map(|pixel| index[bucket(pixel)]).collect();
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.concat());
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(out)
}
