//! What one chart shows, picked from the runs.

use std::collections::BTreeMap;

use crate::experiment::definition::{Axis, Chart, Definition, Kind, Seed};
use crate::experiment::results::Run;
use crate::experiment::setting::AS_IT_IS;
use crate::experiment::statistics::{Spread, paired_ratios};

/// Figures of one setting: round and figure.
pub type Figures = Vec<(u32, f64)>;

/// One chart of one combination of the axes that the definition's chart does not name.
pub struct Panel<'a> {
    pub chart: &'a Chart,
    pub unit: &'a str,
    /// What its values mean.
    pub says: &'a str,
    /// Of the axes that the chart does not name: `think 20`. Empty: there are none.
    pub title: String,
    /// Along x; empty where the chart has no axis there.
    pub x: Option<&'a Axis>,
    pub places: Vec<String>,
    pub series: Vec<String>,
    /// By series, then by place.
    cells: Vec<Vec<Vec<&'a Run>>>,
    only: BTreeMap<String, String>,
}

/// As people say it: `think time: 20 ms`, `1024 connections`, `kernel: process`.
fn with_unit(axis: &Axis, value: &str) -> String {
    match axis.unit.as_str() {
        "" => format!("{}: {value}", axis.label),
        unit if unit == axis.label => format!("{value} {unit}"),
        unit => format!("{}: {value} {unit}", axis.label),
    }
}

/// Those of a chart, in the order of the axes.
pub fn panels<'a>(definition: &'a Definition, chart: &'a Chart, runs: &[&'a Run]) -> Vec<Panel<'a>> {
    let named: Vec<&str> = [&chart.x, &chart.series].into_iter().flatten().map(String::as_str).collect();
    let mut combinations: Vec<Vec<(&str, String)>> = vec![Vec::new()];
    for axis in definition.axis.iter().filter(|axis| !named.contains(&axis.name.as_str())) {
        let values = measured(axis, chart, runs);
        combinations = combinations
            .into_iter()
            .flat_map(|chosen| {
                let longer = |value: &String| [chosen.clone(), vec![(axis.name.as_str(), value.clone())]].concat();
                values.iter().map(longer).collect::<Vec<_>>()
            })
            .collect();
    }
    let made = combinations.into_iter().map(|only| Panel::new(definition, chart, runs, only));
    made.filter(|panel| panel.runs().next().is_some()).collect()
}

/// The values of an axis that were measured and that the chart wants.
fn measured(axis: &Axis, chart: &Chart, runs: &[&Run]) -> Vec<String> {
    let has = |name: &str| runs.iter().any(|run| run.setting.get(&axis.name).is_some_and(|value| value == name));
    let wanted = |name: &str| chart.only.get(&axis.name).is_none_or(|only| only.iter().any(|value| value.0 == name));
    let names = axis.values.iter().map(|value| value.name.0.as_str());
    let mut values: Vec<String> = names.filter(|name| has(name) && wanted(name)).map(str::to_owned).collect();
    if has(AS_IT_IS) {
        values.push(AS_IT_IS.into());
    }
    values
}

impl<'a> Panel<'a> {
    fn new(definition: &'a Definition, chart: &'a Chart, runs: &[&'a Run], only: Vec<(&str, String)>) -> Panel<'a> {
        let x = chart.x.as_ref().and_then(|name| definition.axis(name));
        let series = chart.series.as_ref().and_then(|name| definition.axis(name));
        let names = |axis: Option<&Axis>| axis.map_or(vec![String::new()], |axis| measured(axis, chart, runs));
        let (places, names) = (names(x), names(series));
        let is_at =
            |run: &Run, axis: Option<&Axis>, value: &str| axis.is_none_or(|axis| run.setting[&axis.name] == value);
        let mine: Vec<&Run> =
            runs.iter().copied().filter(|run| only.iter().all(|(axis, value)| run.setting[*axis] == *value)).collect();
        let cell = |name: &str, place: &str| {
            let here = mine.iter().filter(|run| is_at(run, series, name) && is_at(run, x, place));
            here.copied().collect::<Vec<&Run>>()
        };
        let cells = names.iter().map(|name| places.iter().map(|place| cell(name, place)).collect()).collect();
        let (unit, says) = definition.meaning(&chart.y).unwrap_or_default();
        // An axis of which only one value was measured tells panels apart from no others.
        let varied = only.iter().filter(|(name, _)| {
            definition.axis(name).is_some_and(|axis| measured(axis, chart, runs).len() > 1 || axis.values.len() > 1)
        });
        let title: Vec<String> = varied
            .map(|(name, value)| definition.axis(name).map_or(value.clone(), |axis| with_unit(axis, value)))
            .collect();
        let only = only.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Panel { chart, unit, says, title: title.join(", "), x, places, series: names, cells, only }
    }

    /// All that it shows.
    pub fn runs(&self) -> impl Iterator<Item = (usize, &'a Run)> {
        let all = self.cells.iter().enumerate();
        let all = all.flat_map(|(series, cells)| cells.iter().flatten().map(move |run| (series, *run)));
        let has_own = matches!(self.chart.kind, Kind::Clients | Kind::Cpus);
        all.filter(move |(_, run)| run.values.contains_key(&self.chart.y) || has_own)
    }

    pub fn figures(&self, series: usize, place: usize) -> Figures {
        let runs = self.cells[series][place].iter();
        runs.filter_map(|run| Some((run.repeat, *run.values.get(&self.chart.y)?))).collect()
    }

    pub fn spread(&self, series: usize, place: usize) -> Option<Spread> {
        Spread::of(&self.figures(series, place).iter().map(|(_, figure)| *figure).collect::<Vec<_>>())
    }

    /// To the baseline at the same place. None: there is nothing to compare.
    pub fn ratio(&self, series: usize, place: usize) -> Option<Spread> {
        let baseline = self.chart.baseline.as_ref()?;
        let base = self.series.iter().position(|name| *name == baseline.0).filter(|base| *base != series)?;
        Spread::of(&paired_ratios(&self.figures(series, place), &self.figures(base, place)))
    }

    /// What the experiment's author has at this place.
    pub fn seed(&self, series: usize, place: usize) -> Option<&'a Seed> {
        let value_of = |axis: &str| match axis {
            _ if Some(axis) == self.chart.x.as_deref() => Some(&self.places[place]),
            _ if Some(axis) == self.chart.series.as_deref() => Some(&self.series[series]),
            _ => self.only.get(axis),
        };
        let is_here = |seed: &&Seed| seed.at.iter().all(|(axis, value)| value_of(axis) == Some(&value.0));
        self.chart.seed.iter().find(is_here)
    }

    /// Those of all its places, each once.
    pub fn seeds(&self) -> Vec<&'a Seed> {
        let places = (0..self.series.len()).flat_map(|series| (0..self.places.len()).map(move |place| (series, place)));
        let mut found: Vec<&Seed> = Vec::new();
        for seed in places.filter_map(|(series, place)| self.seed(series, place)) {
            if !found.iter().any(|known| std::ptr::eq(*known, seed)) {
                found.push(seed);
            }
        }
        found
    }
}
