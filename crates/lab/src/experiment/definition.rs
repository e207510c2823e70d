//! An experiment as data: a file of `lab/experiments`, read and checked. An unknown key is an error that names it.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer};

use super::measure;

/// A word or a number of the file, as text: what stands for it in `$(name)`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text(pub String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
        match toml::Value::deserialize(from)? {
            toml::Value::String(text) => Ok(Text(text)),
            toml::Value::Integer(number) => Ok(Text(number.to_string())),
            toml::Value::Float(number) => Ok(Text(number.to_string())),
            toml::Value::Boolean(is_so) => Ok(Text(is_so.to_string())),
            other => Err(serde::de::Error::custom(format!("expected a text or a number, found {other}"))),
        }
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub type Variables = BTreeMap<String, Text>;

/// A whole file. In its texts `$(name)` stands for a variable, an axis's value, or something of the machine (`machine::variables`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The file's, without its ending.
    #[serde(skip)]
    pub name: String,
    /// The file's text, if it is not one that the program brings with it.
    #[serde(skip)]
    pub own: Option<String>,
    pub title: String,
    /// What it asks, in a sentence or two.
    pub question: String,
    /// How to read the answer.
    pub reading: String,
    /// Why it cannot be put to a server that was not started here.
    pub only_here: Option<String>,
    /// Runs of each setting.
    pub repeat: u32,
    #[serde(default)]
    pub variables: Variables,
    /// What `--quick` has instead.
    #[serde(default)]
    pub quick: Variables,
    #[serde(default)]
    pub server: Server,
    /// A load for a server. Either this or `bench`.
    pub workload: Option<Workload>,
    pub bench: Option<Bench>,
    pub axis: Vec<Axis>,
    #[serde(default)]
    pub measure: Vec<Measure>,
    /// What must hold of the data when a load is over; a run that breaks one has failed.
    #[serde(default)]
    pub check: Vec<Check>,
    pub chart: Vec<Chart>,
    /// The same figures as text.
    pub sysmon: Option<Sysmon>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Of `heddle serve`.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Keep the data in a directory; else in memory.
    #[serde(default)]
    pub on_disk: bool,
    /// MB of memory to touch before each start: what a virtual machine's host took away of it costs its first user dear, which is to be
    /// none of the settings.
    pub touch_mb: Option<Text>,
    /// Options of sp_configure. One that takes effect at a start needs `on_disk`.
    #[serde(default)]
    pub configure: BTreeMap<String, Text>,
    /// A script beside the definition, whose batches come before those of `setup`.
    pub setup_file: Option<String>,
    /// Batches, split at GO, run in a database of their own that is made for each run.
    #[serde(default)]
    pub setup: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// Of `heddle stress`; the server, the database and the login are the lab's to say.
    pub arguments: Vec<String>,
    /// The text of a file for `--mix`.
    pub mix: Option<String>,
    /// The text of a control file for `-c`.
    pub control: Option<String>,
    /// Seconds of a run, about, where the load's arguments do not say, or its set-up takes long.
    pub takes_s: Option<Text>,
    /// How the load reaches a server that was started here: `tcp` or `local`.
    pub transport: Text,
    /// What stands between, for TCP.
    pub link: Option<LinkTexts>,
}

/// A `link::Link`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkTexts {
    /// Empty: nothing stands between; 0: something that has no limit.
    pub mbit_per_second: Text,
    pub delay_us: Text,
}

/// A loop that needs no server, run by a process of its own.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bench {
    /// Of `heddle lab bench`.
    pub arguments: Vec<String>,
}

/// What is varied.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    pub name: String,
    /// What it is, as a chart writes it beside the axis.
    pub label: String,
    /// Empty: its values are names.
    pub unit: String,
    pub values: Vec<Value>,
    /// The values that `--quick` takes, by name; empty: all.
    #[serde(default)]
    pub quick: Vec<Text>,
}

impl Axis {
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|value| value.name.0 == name)
    }
}

/// One value of an axis: its name, which `$(axis)` stands for, and other variables that go with it.
#[derive(Debug, Clone)]
pub struct Value {
    pub name: Text,
    pub set: Variables,
    /// Other axes that have only these of their values together with it.
    pub with: BTreeMap<String, Vec<Text>>,
    /// Why a server that was not started here cannot have it.
    pub only_here: Option<String>,
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Value, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Named {
            name: Text,
            #[serde(default)]
            set: Variables,
            #[serde(default)]
            with: BTreeMap<String, Vec<Text>>,
            only_here: Option<String>,
        }
        let raw = toml::Value::deserialize(from)?;
        let custom = |error: toml::de::Error| serde::de::Error::custom(error.message().to_string());
        if raw.is_table() {
            let Named { name, set, with, only_here } = raw.try_into().map_err(custom)?;
            return Ok(Value { name, set, with, only_here });
        }
        let name = raw.try_into().map_err(custom)?;
        Ok(Value { name, set: Variables::new(), with: BTreeMap::new(), only_here: None })
    }
}

/// A rule of the data.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The rule, in words.
    pub says: String,
    /// T-SQL whose first result has a row for each breach of it: none.
    pub query: String,
}

/// A figure of a run besides those that every run has (`measure::BUILT_IN`). Either `query` and `per`, or `statement` and `figure`, or `of`
/// with its factor.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    pub name: String,
    pub unit: String,
    pub says: String,
    /// T-SQL whose first value is read before and after what is measured.
    pub query: Option<String>,
    pub per: Option<Per>,
    /// A statement of the mix, by name.
    pub statement: Option<String>,
    pub figure: Option<Figure>,
    /// Another measure, times one number and by another.
    pub of: Option<String>,
    pub times: Option<Text>,
    pub over: Option<Text>,
}

/// What the growth of a counter is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Per {
    Request,
    Second,
    Run,
    /// No growth: the value afterwards.
    Level,
}

/// What is told of a statement of the mix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// How many a second.
    Rate,
    /// The time within which half of them were answered, or 99 of 100.
    P50Ms,
    P99Ms,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A bar for the median, a dot for each run.
    Bars,
    /// A line through the medians, a dot for each run.
    Lines,
    /// Each run in the order in which they ran, and the median: shows drift.
    Runs,
    /// Requests a second over the seconds of the runs.
    Time,
    /// What each connection got in the middle run.
    Clients,
    /// How busy each logical CPU was in the middle run.
    Cpus,
    /// A bar for each wait type that was waited for; y is `wait_ms_per_second`.
    Waits,
    /// A bar for each spinlock that was found taken; y is `spinlock_collisions_per_second`.
    Spinlocks,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    pub kind: Kind,
    pub title: String,
    /// The sentence that says what it shows.
    pub says: String,
    /// An axis; for `bars` and `lines`.
    pub x: Option<String>,
    /// A measure.
    pub y: String,
    /// An axis: a colour for each of its values.
    pub series: Option<String>,
    /// The value of `series` that the others are compared with.
    pub baseline: Option<Text>,
    /// Only these values of an axis. Axes that the chart does not name make a chart for each of their values.
    #[serde(default)]
    pub only: BTreeMap<String, Vec<Text>>,
    /// What the experiment's own author measured.
    #[serde(default)]
    pub seed: Vec<Seed>,
}

/// A figure of the document that asked the question.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seed {
    /// By axis, where in the chart it belongs.
    pub at: Variables,
    /// In the unit of y.
    pub value: Option<f64>,
    /// To the baseline.
    pub ratio: Option<f64>,
    /// On what it was measured, and what else is known.
    pub says: String,
}

/// Figures in the layout of Sybase ASE's sp_sysmon: per second, per transaction, count, and part of a total.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sysmon {
    /// The measure that counts transactions; a rate.
    pub transaction: String,
    /// What a transaction is here.
    pub says: String,
    pub section: Vec<SysmonSection>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SysmonSection {
    pub title: String,
    pub rows: Vec<SysmonRow>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SysmonRow {
    pub name: String,
    /// A rate.
    pub measure: String,
    /// The rates whose sum is the total that it is a part of; none: it is no part.
    #[serde(default)]
    pub of: Vec<String>,
}

impl Definition {
    /// Err: what is wrong, and where.
    pub fn parse(name: &str, text: &str) -> Result<Definition, String> {
        let mut definition: Definition = toml::from_str(text).map_err(|error| format!("{name}: {error}"))?;
        definition.name = name.into();
        definition.check().map_err(|why| format!("{name}: {why}"))?;
        Ok(definition)
    }

    pub fn axis(&self, name: &str) -> Option<&Axis> {
        self.axis.iter().find(|axis| axis.name == name)
    }

    /// Unit and meaning of a measure.
    pub fn meaning(&self, measure: &str) -> Option<(&str, &str)> {
        let own = self.measure.iter().find(|own| own.name == measure).map(|own| (own.unit.as_str(), own.says.as_str()));
        own.or_else(|| measure::built_in(measure).map(|known| (known.unit, known.says)))
    }

    fn check(&self) -> Result<(), String> {
        if self.repeat == 0 {
            return Err("repeat: at least one".into());
        }
        match (&self.workload, &self.bench) {
            (Some(_), None) => {}
            (None, Some(_)) => self.check_bench()?,
            _ => return Err("expected either [workload] or [bench]".into()),
        }
        if let Some(name) = self.quick.keys().find(|name| !self.variables.contains_key(*name)) {
            return Err(format!("quick: there is no variable {name}"));
        }
        for axis in &self.axis {
            check_axis(axis)?;
            for value in &axis.values {
                self.check_values(&value.with).map_err(|why| format!("axis {}, {}: {why}", axis.name, value.name))?;
            }
        }
        for own in &self.measure {
            self.check_measure(own).map_err(|why| format!("measure {}: {why}", own.name))?;
        }
        for chart in &self.chart {
            self.check_chart(chart).map_err(|why| format!("chart '{}': {why}", chart.title))?;
        }
        self.sysmon.as_ref().map_or(Ok(()), |sysmon| self.check_sysmon(sysmon))
    }

    /// Where there is no server, there is none to start, to ask, or to be somebody else's.
    fn check_bench(&self) -> Result<(), String> {
        let server = &self.server;
        let is_bare = server.arguments.is_empty() && server.configure.is_empty() && server.setup.is_empty();
        match () {
            () if !is_bare || server.on_disk || server.touch_mb.is_some() => Err("[bench] has no [server]".into()),
            () if self.measure.iter().any(|own| own.query.is_some()) => Err("[bench] has no server to query".into()),
            () if self.only_here.is_none() => Err("[bench]: only_here must say why no target can run it".into()),
            () => Ok(()),
        }
    }

    /// Counts are made from rates.
    fn check_sysmon(&self, sysmon: &Sysmon) -> Result<(), String> {
        let rows = sysmon.section.iter().flat_map(|section| &section.rows);
        let measures = rows.flat_map(|row| row.of.iter().chain([&row.measure]));
        for measure in measures.chain([&sysmon.transaction]) {
            match self.meaning(measure) {
                Some((unit, _)) if unit.ends_with("/s") => {}
                Some((unit, _)) => return Err(format!("sysmon: {measure} is no rate, its unit is {unit}")),
                None => return Err(format!("sysmon: there is no measure {measure}")),
            }
        }
        Ok(())
    }

    fn check_measure(&self, own: &Measure) -> Result<(), String> {
        if measure::built_in(&own.name).is_some() {
            return Err("every run has one of this name".into());
        }
        match ((&own.query, own.per), (&own.statement, own.figure), &own.of) {
            ((Some(_), Some(_)), (None, None), None) | ((None, None), (Some(_), Some(_)), None) => Ok(()),
            ((None, None), (None, None), Some(of)) if self.meaning(of).is_some() => Ok(()),
            ((None, None), (None, None), Some(of)) => Err(format!("there is no measure {of}")),
            _ => Err("expected query and per, statement and figure, or of".into()),
        }
    }

    /// Axes and values of theirs, by name.
    fn check_values<'v>(
        &self,
        named: impl IntoIterator<Item = (&'v String, impl Borrow<Vec<Text>>)>,
    ) -> Result<(), String> {
        for (name, values) in named {
            let axis = self.axis(name).ok_or_else(|| format!("there is no axis {name}"))?;
            if let Some(value) = values.borrow().iter().find(|value| axis.value(&value.0).is_none()) {
                return Err(format!("{name} has no value {value}"));
            }
        }
        Ok(())
    }

    fn check_chart(&self, chart: &Chart) -> Result<(), String> {
        if self.meaning(&chart.y).is_none() {
            return Err(format!("y: there is no measure {}", chart.y));
        }
        let needs_x = matches!(chart.kind, Kind::Bars | Kind::Lines);
        if needs_x != chart.x.is_some() {
            return Err(format!("{:?}: x is {}", chart.kind, if needs_x { "missing" } else { "not its own" }));
        }
        let sum = match chart.kind {
            Kind::Waits => Some("wait_ms_per_second"),
            Kind::Spinlocks => Some("spinlock_collisions_per_second"),
            _ => None,
        };
        if let Some(sum) = sum.filter(|sum| *sum != chart.y) {
            return Err(format!("{:?}: y is {sum}", chart.kind));
        }
        let places = chart.seed.iter().flat_map(|seed| &seed.at).map(|(axis, value)| (axis, vec![value.clone()]));
        let named = [&chart.x, &chart.series].into_iter().flatten().map(|axis| (axis, Vec::new()));
        self.check_values(places.chain(named))?;
        self.check_values(&chart.only)?;
        let series = chart.series.as_ref().and_then(|name| self.axis(name));
        if let Some(baseline) = &chart.baseline
            && series.and_then(|axis| axis.value(&baseline.0)).is_none()
        {
            return Err(format!("baseline: the series has no value {baseline}"));
        }
        Ok(())
    }
}

fn check_axis(axis: &Axis) -> Result<(), String> {
    if axis.values.is_empty() {
        return Err(format!("axis {}: it has no values", axis.name));
    }
    if let Some(name) = axis.quick.iter().find(|name| axis.value(&name.0).is_none()) {
        return Err(format!("axis {}: quick has {name}, which is none of its values", axis.name));
    }
    let is_number = |value: &Value| value.name.0.parse::<f64>().is_ok();
    if !axis.unit.is_empty() && !axis.values.iter().all(is_number) {
        return Err(format!("axis {}: it has a unit, so its values are numbers", axis.name));
    }
    Ok(())
}
