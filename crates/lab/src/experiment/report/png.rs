//! Charts as pictures, for whoever writes about them: each says by itself what it shows. Texts become outlines of a font that the program has
//! with it (DejaVu Sans), so that a picture is the same on every machine, also on one without fonts.

use std::fmt::Write;

use resvg::{tiny_skia, usvg};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::draw::{Drawing, Text, WIDTH, mark};
use super::page::{STYLE, drawings};
use super::panel::Panel;

/// Pixels for a unit of the drawings: letters stay sharp on paper and on dense screens.
const SCALE: f64 = 2.0;
const MARGIN: f64 = 14.0;
const LETTERS: f64 = 12.0;
const TITLE: f64 = 15.0;
/// From one line of text to the next, of their size.
const LEADING: f64 = 1.4;
/// Between the sign of a series, its name, and the next sign.
const SIGN: f64 = 8.0;

/// One panel as a PNG file. Err: the drawing is none.
pub fn picture(panel: &Panel<'_>) -> Result<Vec<u8>, String> {
    let pen = Pen::new();
    let (body, height) = composed(panel, &pen);
    let (style, ground) = (style(), variable("--ground"));
    let width = WIDTH + 2.0 * MARGIN;
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height:.0}\"><style>{style}</style><rect width=\"100%\" height=\"100%\" fill=\"{ground}\"/>{body}</svg>"
    );
    let tree = usvg::Tree::from_str(&svg, &usvg::Options::default()).map_err(|error| error.to_string())?;
    let pixels = |units: f64| (units * SCALE).ceil() as u32;
    let mut pixmap = tiny_skia::Pixmap::new(pixels(width), pixels(height)).ok_or("the chart has no size")?;
    let scale = tiny_skia::Transform::from_scale(SCALE as f32, SCALE as f32);
    resvg::render(&tree, scale, &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| error.to_string())
}

/// `calls-of-procedures-1024-connections`, of the texts that tell a picture from the others.
pub fn file_name(texts: &[&str]) -> String {
    let is_word = |letter: char| letter.is_ascii_alphanumeric();
    let all = texts.join(" ").to_lowercase();
    let words: Vec<&str> = all.split(|letter| !is_word(letter)).filter(|word| !word.is_empty()).collect();
    format!("{}.png", words.join("-"))
}

/// Title, sentence, legend and drawings, one below the other; and how high they are.
fn composed(panel: &Panel<'_>, pen: &Pen<'_>) -> (String, f64) {
    let mut head = Drawing::default();
    let mut y = 0.0;
    let mut say = |head: &mut Drawing, class: &'static str, what: &str| {
        for line in pen.lines(what, size_of(class)) {
            y += size_of(class) * LEADING;
            head.text(0.0, y, class, &line);
        }
        y
    };
    say(&mut head, "title", &panel.chart.title);
    if !panel.title.is_empty() {
        say(&mut head, "name", &panel.title);
    }
    y = say(&mut head, "soft", &panel.chart.says) + LETTERS;
    if panel.has_legend() {
        y = legend(&mut head, panel, pen, y + LETTERS);
    }
    let mut out = String::new();
    let mut put = |drawing: &Drawing, top: f64| {
        let inside = drawing.inside(|text| pen.outlined(text));
        let _ = write!(out, "<g transform=\"translate({MARGIN} {top:.1})\">{inside}</g>");
    };
    put(&head, MARGIN);
    y += MARGIN;
    for (name, drawing) in drawings(panel) {
        if !name.is_empty() {
            let mut title = Drawing::default();
            y += LETTERS * LEADING;
            title.text(0.0, 0.0, "name", &name);
            put(&title, y);
            y += LETTERS / 2.0;
        }
        put(&drawing, y);
        y += drawing.height;
    }
    (out, y + MARGIN)
}

/// The signs of the series with their names, in as many lines as they need. Returns where they end.
fn legend(head: &mut Drawing, panel: &Panel<'_>, pen: &Pen<'_>, mut y: f64) -> f64 {
    let mut x = 0.0;
    for (series, name) in panel.series.iter().enumerate() {
        let width = 3.0 * SIGN + pen.width(name, LETTERS);
        if x > 0.0 && x + width > WIDTH {
            (x, y) = (0.0, y + LETTERS * LEADING);
        }
        mark(head, x + SIGN / 2.0, y - LETTERS / 3.0, series, SIGN / 2.0);
        head.text(x + 1.5 * SIGN, y, "name", name);
        x += width;
    }
    y + LETTERS / 2.0
}

fn size_of(class: &str) -> f64 {
    if class == "title" { TITLE } else { LETTERS }
}

/// A colour of the page by daylight.
fn variable(name: &str) -> &'static str {
    let after = STYLE.split_once(&format!("{name}: ")).map_or("", |(_, after)| after);
    &after[..after.find(';').unwrap_or(0)]
}

/// The page's rules for drawings, with its colours in place of their names.
fn style() -> String {
    let rules: Vec<&str> = STYLE.lines().filter(|rule| rule.starts_with("svg .") || rule.starts_with(".s")).collect();
    let rules = rules.join("\n");
    let mut parts = rules.split("var(");
    let mut style = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (name, rest) = part.split_once(')').unwrap_or((part, ""));
        let _ = write!(style, "{}{rest}", variable(name));
    }
    style
}

/// Writes texts as outlines.
struct Pen<'f> {
    face: Face<'f>,
    units: f64,
}

impl Pen<'_> {
    fn new() -> Pen<'static> {
        let face = Face::parse(dejavu::sans::regular(), 0).expect("the font that the program has with it");
        let units = f64::from(face.units_per_em());
        Pen { face, units }
    }

    fn glyph(&self, letter: char) -> GlyphId {
        // The first glyph of a font stands for all that it has not.
        self.face.glyph_index(letter).unwrap_or(GlyphId(0))
    }

    fn advance(&self, glyph: GlyphId) -> f64 {
        f64::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) / self.units
    }

    fn width(&self, text: &str, size: f64) -> f64 {
        text.chars().map(|letter| self.advance(self.glyph(letter)) * size).sum()
    }

    /// Broken between words where it would be wider than a drawing.
    fn lines(&self, text: &str, size: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            match lines.last_mut() {
                Some(line) if self.width(line, size) + self.width(&format!(" {word}"), size) <= WIDTH => {
                    *line = format!("{line} {word}");
                }
                _ => lines.push(word.into()),
            }
        }
        lines
    }

    /// Where a text begins and how wide it is.
    fn extent(&self, text: &Text) -> (f64, f64) {
        let width = self.width(&text.what, size_of(text.class));
        let before = match text.anchor() {
            "middle" => width / 2.0,
            "end" => width,
            _ => 0.0,
        };
        (text.x - before, width)
    }

    fn outlined(&self, text: &Text) -> String {
        let scale = size_of(text.class) / self.units;
        let mut outline = Outline { path: String::new(), x: self.extent(text).0, y: text.y, scale };
        for letter in text.what.chars() {
            let glyph = self.glyph(letter);
            // A blank has no outline.
            let _ = self.face.outline_glyph(glyph, &mut outline);
            outline.x += self.advance(glyph) * size_of(text.class);
        }
        format!("<path d=\"{}\" fill=\"{}\" class=\"{}\"/>", outline.path, variable("--ink"), text.class)
    }
}

/// A font's y goes upwards, a drawing's downwards.
struct Outline {
    path: String,
    x: f64,
    y: f64,
    scale: f64,
}

impl Outline {
    fn step(&mut self, command: char, points: &[(f32, f32)]) {
        self.path.push(command);
        for (x, y) in points {
            let (x, y) = (self.x + f64::from(*x) * self.scale, self.y - f64::from(*y) * self.scale);
            let _ = write!(self.path, "{x:.2} {y:.2} ");
        }
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.step('M', &[(x, y)]);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.step('L', &[(x, y)]);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.step('Q', &[(x1, y1), (x, y)]);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.step('C', &[(x1, y1), (x2, y2), (x, y)]);
    }
    fn close(&mut self) {
        self.step('Z', &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::library;
    use crate::experiment::report::page::tests::measured;
    use crate::experiment::report::panel::panels;
    use std::collections::BTreeSet;

    #[test]
    fn a_picture_has_the_colours_of_the_page_and_its_texts() {
        let definition = library::named(&["startup".into()]).expect("a definition").remove(0);
        let results = measured(&definition);
        let panel = panels(&definition, &definition.chart[0], &results.counted()).remove(0);
        let png = picture(&panel).expect("a picture");
        let pixmap = tiny_skia::Pixmap::decode_png(&png).expect("a PNG file");
        assert_eq!(pixmap.width(), ((WIDTH + 2.0 * MARGIN) * SCALE) as u32);
        let has = |from: u32, to: u32, red: u8, green: u8, blue: u8| {
            let rows = pixmap.pixels()[(from * pixmap.width()) as usize..(to * pixmap.width()) as usize].iter();
            rows.filter(|pixel| (pixel.red(), pixel.green(), pixel.blue()) == (red, green, blue)).count()
        };
        let (title_end, end) = (((MARGIN + TITLE * LEADING) * SCALE) as u32, pixmap.height());
        assert!(has(0, end, 0xfd, 0xfd, 0xfc) > 50_000, "the ground");
        // Letters of the title, and nothing else, are above everything.
        assert!((50..20_000).contains(&has(0, title_end, 0x1c, 0x1e, 0x21)), "the title");
        assert!(has(title_end, end, 0x5b, 0x61, 0x69) > 50, "soft texts");
        // Bars let a little of the ground through: their signs in the legend do less.
        let style = style();
        assert!(style.contains(".s0 { fill: #0a6ebd; stroke: #0a6ebd; }") && !style.contains("var("), "{style}");
        let blue = pixmap.pixels().iter().filter(|pixel| pixel.blue() > 150 && pixel.red() < 80).count();
        assert!(blue > 5_000, "bars of the first series: {blue} pixels");
    }

    #[test]
    fn texts_are_inside_of_drawings_and_beside_each_other() {
        let pen = Pen::new();
        let mut names = BTreeSet::new();
        for definition in library::all().expect("definitions") {
            let results = measured(&definition);
            for chart in &definition.chart {
                for panel in panels(&definition, chart, &results.counted()) {
                    let place = format!("{}: {}, {}", definition.name, chart.title, panel.title);
                    assert!(names.insert(file_name(&[&definition.name, &chart.title, &panel.title])), "{place}");
                    for (_, drawing) in drawings(&panel) {
                        let texts: Vec<&Text> = drawing.texts().collect();
                        let boxed = |text: &Text| {
                            let (left, width) = pen.extent(text);
                            (left, left + width, text.y - LETTERS * 0.75, text.y)
                        };
                        for (at, text) in texts.iter().enumerate() {
                            let one = boxed(text);
                            let is_inside = one.0 >= 0.0 && one.1 <= WIDTH && one.2 >= 0.0 && one.3 <= drawing.height;
                            assert!(is_inside, "{place}: '{}' at {one:?}", text.what);
                            for other in &texts[..at] {
                                let two = boxed(other);
                                let apart = one.1 <= two.0 || two.1 <= one.0 || one.3 <= two.2 || two.3 <= one.2;
                                assert!(apart, "{place}: '{}' over '{}'", text.what, other.what);
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn names_of_files() {
        let name = file_name(&["rwlock", "Calls of sp_reset_connection", "1024 connections, kernel: process"]);
        assert_eq!(name, "rwlock-calls-of-sp-reset-connection-1024-connections-kernel-process.png");
    }

    #[test]
    fn long_texts_are_broken_between_words() {
        let pen = Pen::new();
        let text = "word ".repeat(60);
        let lines = pen.lines(&text, LETTERS);
        assert!(lines.len() > 3 && lines.iter().all(|line| pen.width(line, LETTERS) <= WIDTH), "{lines:?}");
        assert_eq!(lines.join(" "), text.trim());
    }
}
