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
    /// Along x, or of the bars; none where the chart has no such thing.
    pub x: Option<Along<'a>>,
    pub places: Vec<String>,
    pub series: Vec<String>,
    /// By series, then by place.
    cells: Vec<Vec<Vec<&'a Run>>>,
    /// All that it shows, each once, by series.
    runs: Vec<(usize, &'a Run)>,
    only: BTreeMap<String, String>,
}

/// What tells the places of a panel apart.
pub struct Along<'a> {
    pub label: &'a str,
    /// Empty: the places are names.
    pub unit: &'a str,
}

/// What the table beside a chart says of one setting.
pub struct Row<'a> {
    /// Of the place and of the series, as far as the chart has them: see [`Panel::heads`].
    pub names: Vec<&'a str>,
    pub spread: Spread,
    /// To the baseline.
    pub ratio: Option<Spread>,
    /// The document's.
    pub seed: Option<&'a Seed>,
}

/// Of the counters by name that a chart shows, those that grew most.
pub const COUNTERS_SHOWN: usize = 6;

/// What a run counted by name; none for charts of one figure a run.
fn counters(kind: Kind, run: &Run) -> Option<Vec<(&str, f64)>> {
    match kind {
        Kind::Waits => Some(run.waits_ms.iter().map(|(name, ms)| (name.as_str(), *ms)).collect()),
        Kind::Spinlocks => Some(run.spinlocks.iter().map(|(name, count, _)| (name.as_str(), *count)).collect()),
        _ => None,
    }
}

/// The names of counters that grew in any of the runs, most first.
fn counter_names(kind: Kind, runs: &[&Run]) -> Vec<String> {
    let mut most: BTreeMap<&str, f64> = BTreeMap::new();
    for (name, count) in runs.iter().filter_map(|run| counters(kind, run)).flatten().filter(|(_, count)| *count > 0.0) {
        let known = most.entry(name).or_default();
        *known = known.max(count);
    }
    let mut names: Vec<(&str, f64)> = most.into_iter().collect();
    names.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    names.into_iter().take(COUNTERS_SHOWN).map(|(name, _)| name.to_owned()).collect()
}

/// As people say it: `think time: 20 ms`, `1024 connections`, `kernel: process`.
fn with_unit(axis: &Axis, value: &str) -> String {
    match axis.unit.as_str() {
        "" => format!("{}: {value}", axis.label),
        unit if unit == axis.label && value == "1" => format!("1 {}", unit.trim_end_matches('s')),
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
        let is_at =
            |run: &Run, axis: Option<&Axis>, value: &str| axis.is_none_or(|axis| run.setting[&axis.name] == value);
        let mine: Vec<&Run> =
            runs.iter().copied().filter(|run| only.iter().all(|(axis, value)| run.setting[*axis] == *value)).collect();
        let names = |axis: Option<&Axis>| axis.map_or(vec![String::new()], |axis| measured(axis, chart, runs));
        let is_by_name = matches!(chart.kind, Kind::Waits | Kind::Spinlocks);
        let (places, names) = (if is_by_name { counter_names(chart.kind, &mine) } else { names(x) }, names(series));
        let cell = |name: &str, place: &str| {
            let here = mine.iter().filter(|run| is_at(run, series, name) && is_at(run, x, place));
            here.copied().collect::<Vec<&Run>>()
        };
        let cells = names.iter().map(|name| places.iter().map(|place| cell(name, place)).collect()).collect();
        let has_figure =
            |run: &Run| matches!(chart.kind, Kind::Clients | Kind::Cpus) || run.values.contains_key(&chart.y);
        let of_series = |(at, name): (usize, &String)| {
            let wanted = |run: &&Run| {
                has_figure(run)
                    && is_at(run, series, name)
                    && x.is_none_or(|axis| places.contains(&run.setting[&axis.name]))
            };
            mine.iter().copied().filter(wanted).map(|run| (at, run)).collect::<Vec<_>>()
        };
        let shown = names.iter().enumerate().flat_map(of_series).collect();
        let (unit, says) = definition.meaning(&chart.y).unwrap_or_default();
        // An axis of which only one value was measured tells panels apart from no others.
        let varied = only.iter().filter(|(name, _)| {
            definition.axis(name).is_some_and(|axis| measured(axis, chart, runs).len() > 1 || axis.values.len() > 1)
        });
        let title: Vec<String> = varied
            .map(|(name, value)| definition.axis(name).map_or(value.clone(), |axis| with_unit(axis, value)))
            .collect();
        let only = only.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let x = match chart.kind {
            Kind::Waits => Some(Along { label: "wait type", unit: "" }),
            Kind::Spinlocks => Some(Along { label: "spinlock", unit: "" }),
            _ => x.map(|axis| Along { label: &axis.label, unit: &axis.unit }),
        };
        Panel { chart, unit, says, title: title.join(", "), x, places, series: names, cells, runs: shown, only }
    }

    /// All that it shows, with the series that each belongs to.
    pub fn runs(&self) -> impl Iterator<Item = (usize, &'a Run)> {
        self.runs.iter().copied()
    }

    pub fn figures(&self, series: usize, place: usize) -> Figures {
        let runs = self.cells[series][place].iter();
        runs.filter_map(|run| Some((run.repeat, self.figure(run, place)?))).collect()
    }

    fn figure(&self, run: &Run, place: usize) -> Option<f64> {
        match counters(self.chart.kind, run) {
            // What is not among those that grew did not grow.
            Some(counters) => {
                let count =
                    counters.iter().find(|(name, _)| *name == self.places[place]).map_or(0.0, |(_, count)| *count);
                Some(count / run.values.get("seconds")?)
            }
            None => run.values.get(&self.chart.y).copied(),
        }
    }

    /// Whether colours must be told: connections are drawn by series, each with its name.
    pub fn has_legend(&self) -> bool {
        self.chart.series.is_some() && !matches!(self.chart.kind, Kind::Clients | Kind::Cpus)
    }

    /// The largest figure.
    pub fn most(&self) -> f64 {
        let places = (0..self.series.len()).flat_map(|series| (0..self.places.len()).map(move |place| (series, place)));
        let figures = places.flat_map(|(series, place)| self.figures(series, place));
        figures.map(|(_, figure)| figure).fold(0.0, f64::max)
    }

    pub fn spread(&self, series: usize, place: usize) -> Option<Spread> {
        Spread::of(&self.figures(series, place).iter().map(|(_, figure)| *figure).collect::<Vec<_>>())
    }

    /// What the names of its rows are.
    pub fn heads(&self) -> impl Iterator<Item = &'a str> {
        [self.x.as_ref().map(|along| along.label), self.chart.series.as_deref()].into_iter().flatten()
    }

    /// Its table: place by place, all that has figures.
    pub fn rows(&self) -> Vec<Row<'_>> {
        let cells = (0..self.places.len()).flat_map(|place| (0..self.series.len()).map(move |series| (place, series)));
        let row = |(place, series): (usize, usize)| {
            let names = [
                self.x.as_ref().map(|_| &self.places[place]),
                self.chart.series.as_ref().map(|_| &self.series[series]),
            ];
            Some(Row {
                names: names.into_iter().flatten().map(String::as_str).collect(),
                spread: self.spread(series, place)?,
                ratio: self.ratio(series, place),
                seed: self.seed(series, place),
            })
        };
        cells.filter_map(row).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::library;
    use crate::experiment::report::page::{page, tests::measured};

    #[test]
    fn waits_are_ms_a_second_and_what_did_not_grow_is_left_out() {
        let definition = library::named(&["rwlock".into()]).expect("a definition").remove(0);
        let chart = definition.chart.iter().find(|chart| chart.kind == Kind::Waits).expect("a chart of waits");
        let mut results = measured(&definition);
        for run in &mut results.runs {
            run.values.insert("seconds".into(), 2.0);
            run.waits_ms = match run.setting["lock"].as_str() {
                "classic" => vec![("SOS_RW".into(), 30.0), ("WRITELOG".into(), 0.0)],
                _ => vec![("LATCH_EX".into(), 60.0)],
            };
        }
        let counted = results.counted();
        let panel = panels(&definition, chart, &counted).remove(0);
        assert_eq!(panel.places, ["LATCH_EX", "SOS_RW"]);
        let classic = [0, 1].map(|place| panel.figures(0, place));
        assert_eq!(classic, [vec![(0, 0.0), (1, 0.0)], vec![(0, 15.0), (1, 15.0)]]);
        assert_eq!((panel.most(), panel.runs().count()), (30.0, 6));
        for run in &mut results.runs {
            run.waits_ms.clear();
        }
        assert!(page(&[(definition, results)]).contains("None of it was counted in any run."));
    }

    #[test]
    fn one_worker_is_no_workers() {
        let definition = library::named(&["locks".into()]).expect("a definition").remove(0);
        let results = measured(&definition);
        let panels = panels(&definition, &definition.chart[0], &results.counted());
        let titles: Vec<&str> = panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["1 worker", "2 workers", "8 workers", "64 workers"]);
    }
}
