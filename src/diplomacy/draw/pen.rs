//! Writing SVG text: rounding to a tenth, escaping, and the few shapes the picture is made of.

use super::art::Point;
use std::fmt::Write as _;

/// A number with at most one decimal, never `-0`.
pub struct Num(pub f64);

impl std::fmt::Display for Num {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        if tenths < 0 {
            f.write_char('-')?;
        }
        let (whole, rest) = (tenths.abs() / 10, tenths.abs() % 10);
        if rest == 0 { write!(f, "{whole}") } else { write!(f, "{whole}.{rest}") }
    }
}

/// Text with the five characters of XML escaped, control characters left out.
pub struct Text<'a>(pub &'a str);

impl std::fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c if c.is_control() => {}
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// Appends formatted text; writing to a string cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {{
        let _ = std::fmt::Write::write_fmt(&mut $out, format_args!($($arg)*));
    }};
}
pub(super) use put;

/// `M x y`
pub fn move_to(path: &mut String, p: Point) {
    put!(*path, "M{} {}", Num(p[0]), Num(p[1]));
}

/// `L x y`
pub fn line_to(path: &mut String, p: Point) {
    put!(*path, "L{} {}", Num(p[0]), Num(p[1]));
}

/// A closed polygon.
pub fn polygon(points: &[Point]) -> String {
    let mut path = String::new();
    for (i, p) in points.iter().enumerate() {
        if i == 0 { move_to(&mut path, *p) } else { line_to(&mut path, *p) }
    }
    path.push('z');
    path
}

/// A diagonal cross of that half size.
pub fn cross(at: Point, half: f64) -> String {
    let mut path = String::new();
    move_to(&mut path, [at[0] - half, at[1] - half]);
    line_to(&mut path, [at[0] + half, at[1] + half]);
    move_to(&mut path, [at[0] + half, at[1] - half]);
    line_to(&mut path, [at[0] - half, at[1] + half]);
    path
}

/// An eight-pointed star.
pub fn star(at: Point, radius: f64) -> String {
    let points: Vec<Point> = (0..16)
        .map(|i| {
            let r = if i % 2 == 0 { radius } else { radius * 0.5 };
            let angle = f64::from(i) * std::f64::consts::PI / 8.0;
            [at[0] + r * angle.sin(), at[1] - r * angle.cos()]
        })
        .collect();
    polygon(&points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> = [0.0, -0.04, 1.25, -3.96, 12.0, -0.5].iter().map(|v| Num(*v).to_string()).collect();
        assert_eq!(shown, ["0", "0", "1.3", "-4", "12", "-0.5"]);
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(Text("a<b>&\"c'\u{7}").to_string(), "a&lt;b&gt;&amp;&quot;c&#39;");
    }
}
