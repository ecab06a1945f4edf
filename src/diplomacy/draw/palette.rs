//! Colours: of powers (map-drawing.md 5.3), of the three themes, and the arithmetic that keeps letters readable.
//! Colour is never the only sign: units carry their power's letter, and from the eleventh power on, and everywhere in
//! print, tints carry a hatch as well.

use super::super::map::{Map, PowerId};

/// An sRGB colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// Reads `#rrggbb`.
    pub fn parse(text: &str) -> Option<Colour> {
        let hex = text.strip_prefix('#').filter(|h| h.len() == 6 && h.is_ascii())?;
        let part = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
        Some(Colour(part(0)?, part(2)?, part(4)?))
    }

    /// This much of `self`, the rest of `other`.
    pub fn mix(self, other: Colour, share: f64) -> Colour {
        let part = |a: u8, b: u8| (f64::from(a) * share + f64::from(b) * (1.0 - share)).round() as u8;
        Colour(part(self.0, other.0), part(self.1, other.1), part(self.2, other.2))
    }

    fn linear(self) -> [f64; 3] {
        [self.0, self.1, self.2].map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// WCAG relative luminance.
    pub fn luminance(self) -> f64 {
        let [r, g, b] = self.linear();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// WCAG contrast, 1 to 21.
    pub fn contrast(self, other: Colour) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Black or white, whichever reads better on this colour.
    pub fn ink(self) -> Colour {
        let (black, white) = (Colour(0, 0, 0), Colour(255, 255, 255));
        if self.contrast(black) >= self.contrast(white) { black } else { white }
    }

    /// From OKLCH, clamped into sRGB.
    pub fn oklch(lightness: f64, chroma: f64, hue: f64) -> Colour {
        let (a, b) = (chroma * hue.to_radians().cos(), chroma * hue.to_radians().sin());
        let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
        let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
        let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
        let rgb = [
            4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
            -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
            -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
        ];
        let [r, g, b] = rgb.map(|c| {
            let c = c.clamp(0.0, 1.0);
            let c = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
            (c * 255.0).round() as u8
        });
        Colour(r, g, b)
    }

    /// OKLab coordinates, for distances.
    pub fn oklab(self) -> [f64; 3] {
        let [r, g, b] = self.linear();
        let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
        let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
        let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
        [
            0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
            1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
            0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
        ]
    }
}

impl std::fmt::Display for Colour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02X}{:02X}{:02X}", self.0, self.1, self.2)
    }
}

/// Okabe and Ito's set, black softened, yellow darkened, and the green taken a shade down so that those who see no red or
/// no green tell it from the mauve; then violet and brown (map-drawing.md 5.3).
pub const SET: [Colour; 10] = [
    Colour(0xD5, 0x5E, 0x00),
    Colour(0x00, 0x72, 0xB2),
    Colour(0x56, 0xB4, 0xE9),
    Colour(0x4D, 0x4D, 0x4D),
    Colour(0x00, 0x96, 0x6C),
    Colour(0xCC, 0x79, 0xA7),
    Colour(0xF0, 0xC8, 0x00),
    Colour(0xE6, 0x9F, 0x00),
    Colour(0x7A, 0x4B, 0x94),
    Colour(0x8C, 0x6D, 0x31),
];

/// The seven whose colours players know, in the order of [`SET`].
pub const CLASSICAL: [&str; 7] = ["AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY"];

/// How a power is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dye {
    /// Fill of its units and centres.
    pub fill: Colour,
    /// Letters on it.
    pub ink: Colour,
    /// Which of the four hatches lies on its tint (none for the first ten, save in print).
    pub hatch: Option<u8>,
    /// Its place in the order of colours, which picks its hatch in print.
    pub rank: usize,
}

/// The colour of that rank.
fn dye(rank: usize) -> Dye {
    let fill = SET.get(rank).copied().unwrap_or_else(|| {
        let lightness = [0.55, 0.72, 0.40][rank % 3];
        Colour::oklch(lightness, 0.12, (137.508 * rank as f64) % 360.0)
    });
    let hatch = (rank >= SET.len()).then_some((rank % 4) as u8);
    Dye { fill, ink: fill.ink(), hatch, rank }
}

/// Colours of all powers of a map, by [`PowerId`]: the classical seven have their own, the others take what is left in
/// the order of their keys.
pub fn dyes(map: &Map) -> Vec<Dye> {
    let known = |id: PowerId| CLASSICAL.iter().position(|name| map[id].key == *name);
    let taken: Vec<usize> = map.power_ids().filter_map(known).collect();
    let mut free = (0..).filter(|rank| !taken.contains(rank));
    map.power_ids().map(|id| dye(known(id).or_else(|| free.next()).unwrap_or(0))).collect()
}

/// For whom the picture is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Theme {
    /// Paper and pale water.
    #[default]
    Light,
    /// For dark pages.
    Dark,
    /// Black on white: powers by letter and hatch.
    Print,
}

impl Theme {
    /// All themes with their words.
    pub const ALL: [(Theme, &'static str); 3] =
        [(Theme::Light, "light"), (Theme::Dark, "dark"), (Theme::Print, "print")];

    /// The theme of that word.
    pub fn named(word: &str) -> Option<Theme> {
        Self::ALL.iter().find(|(_, name)| *name == word).map(|(theme, _)| *theme)
    }
}

/// The colours of a theme.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// Behind everything, and the title's ground.
    pub ground: Colour,
    /// Title and legend text.
    pub text: Colour,
    /// Water.
    pub sea: Colour,
    /// Two tones of water along the coast, wide and narrow.
    pub shore: [Colour; 2],
    /// Land nobody owns.
    pub land: Colour,
    /// What an owner's colour is mixed into.
    pub paper: Colour,
    /// How much of the owner's colour a tint holds.
    pub tint: f64,
    /// Land that is no space.
    pub blank: Colour,
    /// Hatch of impassable land.
    pub hatch: Colour,
    /// Borders between seas.
    pub sea_border: Colour,
    /// Borders between lands.
    pub land_border: Colour,
    /// Coasts.
    pub coast: Colour,
    /// Names on land.
    pub land_name: Colour,
    /// Names on water.
    pub sea_name: Colour,
    /// Outlines of units and arrows.
    pub line: Colour,
    /// Outside of those outlines.
    pub glow: Colour,
    /// Failure, dislodgement, walls.
    pub red: Colour,
}

const fn rgb(hex: u32) -> Colour {
    Colour((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

impl Theme {
    /// Its colours.
    pub const fn scheme(self) -> Scheme {
        match self {
            Theme::Light => Scheme {
                ground: rgb(0xFBF8EF),
                text: rgb(0x26221A),
                sea: rgb(0xD9EBF4),
                shore: [rgb(0xCBE2EE), rgb(0xB9D6E6)],
                land: rgb(0xF4EBCF),
                paper: rgb(0xFBF6E6),
                tint: 0.45,
                blank: rgb(0xD9D4C4),
                hatch: rgb(0xBDB7A4),
                sea_border: rgb(0x8FB3C6),
                land_border: rgb(0x7A6F5C),
                coast: rgb(0x46545E),
                land_name: rgb(0x26221A),
                sea_name: rgb(0x2F5D75),
                line: rgb(0x111111),
                glow: rgb(0xFFFFFF),
                red: rgb(0xC00000),
            },
            Theme::Dark => Scheme {
                ground: rgb(0x14181D),
                text: rgb(0xECE7DA),
                sea: rgb(0x1C2C39),
                shore: [rgb(0x213543), rgb(0x294252)],
                land: rgb(0x46443C),
                paper: rgb(0x2B2A26),
                tint: 0.55,
                blank: rgb(0x2A2B2B),
                hatch: rgb(0x4A4A46),
                sea_border: rgb(0x4B6B7E),
                land_border: rgb(0x15171A),
                coast: rgb(0x0B0F13),
                land_name: rgb(0xFFFFFF),
                sea_name: rgb(0xA9CBDD),
                line: rgb(0x0A0A0A),
                glow: rgb(0xF4F1E8),
                red: rgb(0xFF5A4D),
            },
            Theme::Print => Scheme {
                ground: rgb(0xFFFFFF),
                text: rgb(0x000000),
                sea: rgb(0xFFFFFF),
                shore: [rgb(0xF2F2F2), rgb(0xDDDDDD)],
                land: rgb(0xFFFFFF),
                paper: rgb(0xFFFFFF),
                tint: 0.0,
                blank: rgb(0xD6D6D6),
                hatch: rgb(0x8A8A8A),
                sea_border: rgb(0x9A9A9A),
                land_border: rgb(0x555555),
                coast: rgb(0x000000),
                land_name: rgb(0x000000),
                sea_name: rgb(0x444444),
                line: rgb(0x000000),
                glow: rgb(0xFFFFFF),
                red: rgb(0x000000),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_can_be_read() {
        for rank in 0..64 {
            let dye = dye(rank);
            assert!(dye.fill.contrast(dye.ink) >= 4.5, "rank {rank}: {} on {}", dye.ink, dye.fill);
        }
    }

    #[test]
    fn the_seven_differ_for_the_colour_blind() {
        // Viénot's deuteranopia and protanopia in linear light, then OKLab distance (map-drawing.md 7.4).
        let seen = |c: Colour, red: f64, blue: f64| {
            let [r, g, b] = c.linear();
            let yellow = red * r + (1.0 - red) * g;
            let back = |v: f64| {
                let v = v.clamp(0.0, 1.0);
                let v = if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
                (v * 255.0).round() as u8
            };
            Colour(back(yellow), back(yellow), back(b + blue * (g - r)))
        };
        for (eye, red, blue) in [("deuteranopia", 0.29275, 0.02234), ("protanopia", 0.11238, -0.00401)] {
            for i in 0..7 {
                for j in 0..i {
                    let (a, b) = (seen(SET[i], red, blue).oklab(), seen(SET[j], red, blue).oklab());
                    let apart = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt();
                    assert!(apart >= 0.08, "{eye}: {} and {}: {apart:.3}", CLASSICAL[i], CLASSICAL[j]);
                }
            }
        }
    }

    #[test]
    fn names_can_be_read_on_their_ground() {
        for (theme, word) in Theme::ALL {
            let s = theme.scheme();
            assert!(s.sea_name.contrast(s.sea) >= 4.5, "{word}: sea names");
            assert!(s.land_name.contrast(s.land) >= 4.5, "{word}: land names");
            assert!(s.text.contrast(s.ground) >= 4.5, "{word}: title");
        }
    }

    #[test]
    fn colours_are_read_and_written() {
        assert_eq!(Colour::parse("#D55E00").map(|c| c.to_string()).as_deref(), Some("#D55E00"));
        assert_eq!(Colour::parse("D55E00"), None);
        assert_eq!(Colour::parse("#D55E0"), None);
        assert_eq!(Colour::parse("#éé00"), None);
    }
}
