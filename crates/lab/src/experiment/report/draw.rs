//! What all charts are made of: scales, numbers as people read them, marks.

use std::fmt::Write;

/// All charts are so wide; a phone shows them at about nine tenths of that, so that letters stay letters.
pub const WIDTH: f64 = 400.0;

/// Marks along a scale, at most.
const MARKS_MAX: f64 = 5.0;

/// From zero to a round number above all figures.
pub struct Scale {
    pub most: f64,
    pub step: f64,
}

impl Scale {
    pub fn up_to(most: f64) -> Scale {
        if most.is_nan() || most <= 0.0 {
            return Scale { most: 1.0, step: 0.5 };
        }
        let rough = most / MARKS_MAX;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        Scale { most: (most / step).ceil() * step, step }
    }

    pub fn marks(&self) -> Vec<f64> {
        (0..=(self.most / self.step).round() as u32).map(|at| f64::from(at) * self.step).collect()
    }
}

/// Three digits that count, with commas: 12,345; 1.23; 0.00456.
pub fn number(value: f64) -> String {
    let size = value.abs();
    let decimals = match size {
        // What arithmetic leaves of nothing.
        _ if size < 1e-9 => 0,
        // What rounds up to the next power of ten has its digits.
        _ if size >= 99.95 => 0,
        _ if size >= 9.995 => 1,
        _ if size >= 0.9995 => 2,
        _ => (2 - size.log10().floor() as i32).clamp(0, 9) as usize,
    };
    let text = format!("{value:.decimals$}");
    let (whole, rest) = text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut grouped = String::new();
    for (at, digit) in whole.char_indices() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    match rest {
        Some(rest) => format!("{grouped}.{rest}"),
        None => grouped,
    }
}

/// At a mark of a scale, where there is little room: 150k, 2.5M.
pub fn short(value: f64) -> String {
    let (value, suffix) = match value.abs() {
        size if size >= 1e9 => (value / 1e9, "G"),
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    // No more digits than the steps of a scale have.
    let text = format!("{value:.4}");
    format!("{}{suffix}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// For text and for what stands in quotes.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Shapes and texts, in the order in which they are painted. Shapes are written to it as SVG.
#[derive(Default)]
pub struct Drawing {
    parts: Vec<Part>,
    pub height: f64,
}

enum Part {
    Shapes(String),
    Text(Text),
}

/// A line of text.
pub struct Text {
    pub x: f64,
    /// Of its base line.
    pub y: f64,
    pub class: &'static str,
    pub what: String,
}

impl Text {
    /// Where in it x lies.
    pub fn anchor(&self) -> &'static str {
        match self.class {
            "mark-x" | "axis-x" => "middle",
            "mark-y" => "end",
            _ => "start",
        }
    }

    fn to_svg(&self) -> String {
        let Text { x, y, class, what } = self;
        let (anchor, what) = (self.anchor(), escaped(what));
        format!(r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" class="{class}">{what}</text>"#)
    }
}

impl Write for Drawing {
    fn write_str(&mut self, shape: &str) -> std::fmt::Result {
        match self.parts.last_mut() {
            Some(Part::Shapes(shapes)) => shapes.push_str(shape),
            _ => self.parts.push(Part::Shapes(shape.into())),
        }
        Ok(())
    }
}

impl Drawing {
    pub fn text(&mut self, x: f64, y: f64, class: &'static str, what: &str) {
        self.parts.push(Part::Text(Text { x, y, class, what: what.into() }));
    }

    /// What `over` has is painted over this.
    pub fn append(&mut self, over: Drawing) {
        self.parts.extend(over.parts);
    }

    #[cfg(test)]
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text),
            Part::Shapes(_) => None,
        })
    }

    /// As SVG with its name for who cannot see it.
    pub fn to_svg(&self, label: &str) -> String {
        let (label, height, inside) = (escaped(label), self.height, self.inside(Text::to_svg));
        format!(r#"<svg viewBox="0 0 {WIDTH} {height:.0}" role="img" aria-label="{label}">{inside}</svg>"#)
    }

    /// Its parts as SVG. `write_text`: how a text becomes that.
    pub fn inside(&self, write_text: impl Fn(&Text) -> String) -> String {
        let of = |part: &Part| match part {
            Part::Shapes(shapes) => shapes.clone(),
            Part::Text(text) => write_text(text),
        };
        self.parts.iter().map(of).collect()
    }
}

pub fn line(out: &mut impl Write, from: (f64, f64), to: (f64, f64), class: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = write!(out, r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" class="{class}"/>"#);
}

/// A series has its own form besides its colour.
pub fn mark(out: &mut impl Write, x: f64, y: f64, series: usize, size: f64) {
    let class = format!("mark s{}", series % SERIES_MAX);
    let _ = match series % 4 {
        0 => write!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{size:.1}" class="{class}"/>"#),
        1 => {
            let (left, top, side) = (x - size, y - size, 2.0 * size);
            write!(out, r#"<rect x="{left:.1}" y="{top:.1}" width="{side:.1}" height="{side:.1}" class="{class}"/>"#)
        }
        2 => polygon(out, &[(x, y - 1.2 * size), (x + 1.1 * size, y + size), (x - 1.1 * size, y + size)], &class),
        _ => {
            polygon(out, &[(x, y - 1.3 * size), (x + 1.3 * size, y), (x, y + 1.3 * size), (x - 1.3 * size, y)], &class)
        }
    };
}

/// Colours that the style sheet has.
pub const SERIES_MAX: usize = 6;

fn polygon(out: &mut impl Write, points: &[(f64, f64)], class: &str) -> std::fmt::Result {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    write!(out, r#"<polygon points="{}" class="{class}"/>"#, points.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_read_them() {
        let written =
            [99.97, 0.9999, 1e-13, 0.0, 1234567.8, 123.4, 12.34, 1.2345, 0.012345, -1234.0, -123.0, 1000.0].map(number);
        assert_eq!(
            written,
            ["100", "1.00", "0", "0", "1,234,568", "123", "12.3", "1.23", "0.0123", "-1,234", "-123", "1,000"]
        );
        assert_eq!([0.0, 2500.0, 15_000.0, 2.5e6, 0.05].map(short), ["0", "2500", "15k", "2.5M", "0.05"]);
    }

    #[test]
    fn scales_end_above_all_figures() {
        for (most, end, marks) in
            [(97.0, 100.0, 6), (1.0, 1.0, 6), (12_345.0, 12_500.0, 6), (0.0, 1.0, 3), (0.31, 0.4, 5)]
        {
            let scale = Scale::up_to(most);
            assert!(
                (scale.most - end).abs() < 1e-9 && scale.marks().len() == marks,
                "{most}: {} {:?}",
                scale.most,
                scale.marks()
            );
        }
    }
}
