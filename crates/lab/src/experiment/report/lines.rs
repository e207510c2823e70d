//! Charts with a figure upwards: lines along an axis of numbers, seconds of runs, runs in their order.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::draw::{Drawing, SERIES_MAX, Scale, WIDTH, line, mark, short};
use super::panel::Panel;
use crate::experiment::statistics::Spread;

const HEIGHT: f64 = 270.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 44.0;
/// Values further apart than so many times are shown by their logarithm.
const LINEAR_MAX: f64 = 20.0;
/// Between two names along x.
const NAME_GAP: f64 = 34.0;

/// A drawing area with its scale upwards.
struct Area {
    scale: Scale,
    drawing: Drawing,
}

impl Area {
    fn new(most: f64, unit: &str) -> Area {
        let mut area = Area { scale: Scale::up_to(most), drawing: Drawing::default() };
        for value in area.scale.marks() {
            let y = area.y(value);
            line(&mut area.drawing, (LEFT, y), (WIDTH - RIGHT, y), "grid");
            area.drawing.text(LEFT - 5.0, y + 4.0, "mark-y", &short(value));
        }
        area.drawing.text(4.0, 14.0, "axis-y", unit);
        area
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - value / self.scale.most * (HEIGHT - BOTTOM - TOP)
    }

    fn mark_x(&mut self, x: f64, name: &str) {
        line(&mut self.drawing, (x, HEIGHT - BOTTOM), (x, HEIGHT - BOTTOM + 4.0), "tick");
        self.drawing.text(x, HEIGHT - BOTTOM + 17.0, "mark-x", name);
    }

    fn path(&mut self, points: &[(f64, f64)], series: usize) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let colour = series % SERIES_MAX;
        let _ = write!(self.drawing, r#"<polyline points="{}" class="line s{colour}"/>"#, points.join(" "));
    }

    fn finish(mut self, x_label: &str) -> Drawing {
        self.drawing.text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10.0, "axis-x", x_label);
        self.drawing.height = HEIGHT;
        self.drawing
    }
}

/// Through the medians, with a mark for each run.
pub fn along_axis(panel: &Panel<'_>) -> Drawing {
    let mut area = Area::new(panel.most(), panel.unit);
    let values: Vec<f64> = panel.places.iter().map(|place| place.parse().unwrap_or(0.0)).collect();
    let (low, high) =
        values.iter().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
    let is_log = low > 0.0 && high / low > LINEAR_MAX;
    let along = |value: f64| if is_log { value.ln() } else { value };
    let x = |value: f64| {
        let share = if high > low { (along(value) - along(low)) / (along(high) - along(low)) } else { 0.5 };
        LEFT + 14.0 + share * (WIDTH - LEFT - RIGHT - 28.0)
    };
    let mut last = f64::MIN;
    for (value, name) in values.iter().zip(&panel.places) {
        let name = name.parse().map_or(name.clone(), short);
        if x(*value) - last >= NAME_GAP {
            last = x(*value);
            area.mark_x(last, &name);
        }
    }
    for series in 0..panel.series.len() {
        let medians: Vec<(f64, f64)> = values
            .iter()
            .enumerate()
            .filter_map(|(place, value)| Some((x(*value), area.y(panel.spread(series, place)?.median))))
            .collect();
        area.path(&medians, series);
        for (place, value) in values.iter().enumerate() {
            for (_, figure) in panel.figures(series, place) {
                let y = area.y(figure);
                mark(&mut area.drawing, x(*value), y, series, 3.0);
            }
        }
    }
    let label = panel.x.as_ref().map(|axis| {
        let scale = if is_log { ", logarithmic" } else { "" };
        if axis.unit == axis.label {
            format!("{}{scale}", axis.label)
        } else {
            format!("{} ({}{scale})", axis.label, axis.unit)
        }
    });
    area.finish(&label.unwrap_or_default())
}

/// Requests a second in each second: the median of the runs.
pub fn over_time(panel: &Panel<'_>) -> Drawing {
    let mut by_series: Vec<BTreeMap<u64, Vec<f64>>> = vec![BTreeMap::new(); panel.series.len()];
    for (series, run) in panel.runs() {
        for (at_s, rate) in &run.seconds {
            by_series[series].entry(at_s.round() as u64).or_default().push(*rate);
        }
    }
    let lines: Vec<Vec<(u64, f64)>> = by_series
        .into_iter()
        .map(|seconds| {
            seconds.into_iter().filter_map(|(second, rates)| Some((second, Spread::of(&rates)?.median))).collect()
        })
        .collect();
    let end = lines.iter().flatten().map(|(second, _)| *second).max().unwrap_or(1) as f64;
    let mut area = Area::new(lines.iter().flatten().map(|(_, rate)| *rate).fold(0.0, f64::max), "requests/s");
    let x = |second: f64| LEFT + second / end * (WIDTH - LEFT - RIGHT);
    let scale = Scale::up_to(end);
    for second in scale.marks().into_iter().filter(|second| *second <= end) {
        area.mark_x(x(second), &short(second));
    }
    for (series, seconds) in lines.iter().enumerate() {
        let points: Vec<(f64, f64)> = seconds.iter().map(|(second, rate)| (x(*second as f64), area.y(*rate))).collect();
        area.path(&points, series);
        // Markers now and then tell lines apart without their colour.
        for (px, py) in points.iter().step_by((points.len() / 6).max(1)) {
            mark(&mut area.drawing, *px, *py, series, 3.0);
        }
    }
    area.finish("time since the load began (s)")
}

/// Each run at its place in the order of all, and the median of each series as a line.
pub fn in_order(panel: &Panel<'_>) -> Drawing {
    let mut area = Area::new(panel.most(), panel.unit);
    let orders: Vec<u32> = panel.runs().map(|(_, run)| run.order).collect();
    let (first, last) = (orders.iter().min().copied().unwrap_or(0), orders.iter().max().copied().unwrap_or(1));
    let width = f64::from((last - first).max(1));
    let x = |order: u32| LEFT + 8.0 + f64::from(order - first) / width * (WIDTH - LEFT - RIGHT - 16.0);
    let step = (width / 6.0).ceil().max(1.0) as usize;
    for order in (first..=last).step_by(step) {
        area.mark_x(x(order), &(order + 1).to_string());
    }
    for series in 0..panel.series.len() {
        let mine: Vec<(u32, f64)> = panel
            .runs()
            .filter(|(of, _)| *of == series)
            .filter_map(|(_, run)| Some((run.order, *run.values.get(&panel.chart.y)?)))
            .collect();
        let Some(spread) = Spread::of(&mine.iter().map(|(_, figure)| *figure).collect::<Vec<_>>()) else { continue };
        let y = area.y(spread.median);
        area.path(&[(LEFT, y), (WIDTH - RIGHT, y)], series);
        for (order, figure) in mine {
            let y = area.y(figure);
            mark(&mut area.drawing, x(order), y, series, 3.5);
        }
    }
    area.finish("runs in the order in which they were made")
}
