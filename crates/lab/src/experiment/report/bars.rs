//! Bars. Those of settings lie, each below its name: names of any length have room, on a phone as well. Those of connections and of CPUs stand.

use std::fmt::Write;

use super::draw::{Drawing, SERIES_MAX, Scale, WIDTH, line, number, short};
use super::panel::Panel;
use crate::experiment::definition::Kind;
use crate::experiment::results::Run;

const LEFT: f64 = 10.0;
/// For the figure behind the longest bar.
const RIGHT: f64 = 78.0;
const BAR: f64 = 16.0;
const NAME: f64 = 18.0;
const GAP: f64 = 6.0;
const FOOT: f64 = 40.0;
/// As many as have room below their bars.
const CPUS_NAMED_MAX: usize = 16;

/// A bar for the median of each setting, a dot for each run.
pub fn settings(panel: &Panel<'_>) -> Drawing {
    let scale = Scale::up_to(panel.most());
    let x = |value: f64| LEFT + value / scale.most * (WIDTH - LEFT - RIGHT);
    let (mut bars, mut y) = (Drawing::default(), 4.0);
    let has_series = panel.chart.series.is_some();
    for (place, name) in panel.places.iter().enumerate() {
        if let Some(axis) = &panel.x {
            bars.text(LEFT, y + 13.0, "name", format!("{name} {}", axis.unit).trim_end());
            y += NAME;
        }
        for series in 0..panel.series.len() {
            let Some(spread) = panel.spread(series, place) else { continue };
            let colour = if has_series { series % SERIES_MAX } else { 0 };
            let width = x(spread.median) - LEFT;
            let _ = write!(
                bars,
                r#"<rect x="{LEFT}" y="{y:.1}" width="{width:.1}" height="{BAR}" class="bar s{colour}"/>"#
            );
            for (_, figure) in panel.figures(series, place) {
                let _ =
                    write!(bars, r#"<circle cx="{:.1}" cy="{:.1}" r="2.5" class="dot"/>"#, x(figure), y + BAR / 2.0);
            }
            bars.text(x(spread.high) + 7.0, y + 12.5, "value", &number(spread.median));
            y += BAR + 3.0;
        }
        y += GAP;
    }
    let mut drawing = Drawing::default();
    for mark in scale.marks() {
        line(&mut drawing, (x(mark), 2.0), (x(mark), y), "grid");
        drawing.text(x(mark), y + 14.0, "mark-x", &short(mark));
    }
    drawing.append(bars);
    drawing.text((LEFT + WIDTH - RIGHT) / 2.0, y + 32.0, "axis-x", panel.unit);
    drawing.height = y + FOOT;
    drawing
}

/// What each connection got, or how busy each CPU was, in the run whose figure is the median: a drawing for each series, all to one scale.
pub fn parts(panel: &Panel<'_>) -> Vec<(String, Drawing)> {
    let figure = |run: &Run| run.values.get(&panel.chart.y).copied().unwrap_or(f64::NAN);
    let middle = |series: usize| {
        let mut runs: Vec<(&Run, Parts)> = panel
            .runs()
            .filter(|(of, _)| *of == series)
            .map(|(_, run)| (run, Parts::of(panel.chart.kind, run)))
            .filter(|(_, parts)| !parts.heights.is_empty())
            .collect();
        runs.sort_by(|(one, _), (other, _)| figure(one).total_cmp(&figure(other)));
        let middle = runs.len().saturating_sub(1) / 2;
        runs.into_iter().nth(middle).map(|(_, parts)| parts)
    };
    let middles: Vec<(usize, Parts)> =
        (0..panel.series.len()).filter_map(|series| Some((series, middle(series)?))).collect();
    let most = middles.iter().flat_map(|(_, parts)| &parts.heights).copied().fold(0.0, f64::max);
    let drawn = |(series, parts): &(usize, Parts)| {
        (panel.series[*series].clone(), standing(parts, Scale::up_to(most), *series))
    };
    middles.iter().map(drawn).collect()
}

/// Bars that stand beside each other, and what they are.
struct Parts {
    heights: Vec<f64>,
    unit: &'static str,
    names: String,
}

impl Parts {
    fn of(kind: Kind, run: &Run) -> Parts {
        if kind == Kind::Clients {
            let heights = run.clients.iter().map(|count| *count as f64).collect();
            return Parts { heights, unit: "iterations", names: format!("connections 1 to {}", run.clients.len()) };
        }
        let (cpus, heights): (Vec<u32>, Vec<f64>) = run.cpus.iter().copied().unzip();
        let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
        let names = match cpus.len() {
            0..=CPUS_NAMED_MAX => format!("CPU {}", cpus.join(", ")),
            _ => format!("CPU {} to {}", cpus[0], cpus[cpus.len() - 1]),
        };
        Parts { heights, unit: "% busy", names }
    }
}

fn standing(parts: &Parts, scale: Scale, series: usize) -> Drawing {
    const HEIGHT: f64 = 200.0;
    const MARGIN: f64 = 52.0;
    const TOP: f64 = 26.0;
    let bottom = HEIGHT - FOOT;
    let y = |value: f64| bottom - value / scale.most * (bottom - TOP);
    let mut drawing = Drawing::default();
    for mark in scale.marks() {
        line(&mut drawing, (MARGIN, y(mark)), (WIDTH - 8.0, y(mark)), "grid");
        drawing.text(MARGIN - 5.0, y(mark) + 4.0, "mark-y", &short(mark));
    }
    let slot = (WIDTH - 8.0 - MARGIN) / parts.heights.len() as f64;
    for (at, part) in parts.heights.iter().enumerate() {
        let (x, top) = (MARGIN + slot * at as f64, y(*part));
        let (x, width, height) = (x + slot * 0.1, slot * 0.8, bottom - top);
        let colour = series % SERIES_MAX;
        let _ = write!(
            drawing,
            r#"<rect x="{x:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" class="bar s{colour}"/>"#
        );
    }
    drawing.text(4.0, 14.0, "axis-y", parts.unit);
    drawing.text((MARGIN + WIDTH) / 2.0, HEIGHT - 10.0, "axis-x", &parts.names);
    drawing.height = HEIGHT;
    drawing
}
