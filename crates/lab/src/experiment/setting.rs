//! Settings: every combination of the axes' values, with all texts of the definition filled in.

use std::collections::BTreeMap;

use super::definition::{Axis, Check, Definition, LinkTexts, Text, Value, Variables, Workload};
use super::link::Link;
use super::machine::Machine;
use super::results::Skipped;
use crate::address::Transport;

/// `$(name)` within `$(name)`, at most so deep.
const DEPTH_MAX: u32 = 8;
/// What an axis's value is called where a target has the one it has.
pub const AS_IT_IS: &str = "as it is";

/// One combination, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// By axis.
    pub values: BTreeMap<String, String>,
    pub arguments: Vec<String>,
    pub configure: BTreeMap<String, String>,
    pub setup: String,
    /// Before the server starts.
    pub touch_mb: u64,
    pub job: Job,
    pub checks: Vec<Check>,
    /// Factors of derived measures by name: times, over.
    pub factors: BTreeMap<String, (f64, f64)>,
}

/// What a run of a setting does.
#[derive(Debug, Clone, PartialEq)]
pub enum Job {
    Load(Load),
    /// The arguments of `heddle lab bench`.
    Bench(Vec<String>),
}

impl Job {
    /// What stands between the load and its server.
    pub fn link(&self) -> Option<Link> {
        match self {
            Job::Load(load) => load.link,
            Job::Bench(_) => None,
        }
    }
}

/// A load for a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    pub arguments: Vec<String>,
    pub mix: Option<String>,
    pub control: Option<String>,
    /// Seconds, where the arguments do not say.
    pub takes_s: Option<u64>,
    pub transport: Transport,
    pub link: Option<Link>,
}

/// For whom settings are made.
#[derive(Debug, Clone, Copy)]
pub struct Place<'p> {
    pub machine: &'p Machine,
    pub quick: bool,
    /// The server is not started here.
    pub is_target: bool,
}

/// All of them, in the order of the axes, and what cannot be had here. Err: a text names what does not exist.
pub fn settings(definition: &Definition, place: Place<'_>) -> Result<(Vec<Setting>, Vec<Skipped>), String> {
    let mut skipped = Vec::new();
    if let Some(why) = definition.only_here.as_ref().filter(|_| place.is_target) {
        skipped.push(Skipped { what: definition.name.clone(), why: why.clone() });
        return Ok((Vec::new(), skipped));
    }
    let mut combinations: Vec<Vec<(&Axis, Value)>> = vec![Vec::new()];
    for axis in &definition.axis {
        let values = values_of(definition, axis, place, &mut skipped);
        combinations = combinations
            .into_iter()
            .flat_map(|chosen| {
                values.iter().map(move |value| {
                    let mut longer = chosen.clone();
                    longer.push((axis, value.clone()));
                    longer
                })
            })
            .collect();
    }
    combinations.retain(|chosen| chosen.iter().all(|(_, value)| is_with(value, chosen)));
    let of_machine = place.machine.variables();
    let mut found = Vec::new();
    for chosen in combinations {
        match filled(definition, &chosen, place, &of_machine) {
            Ok(setting) => found.push(setting),
            Err(Missing::Here(why)) => {
                let what: Vec<String> =
                    chosen.iter().map(|(axis, value)| format!("{} {}", axis.name, value.name)).collect();
                skipped.push(Skipped { what: what.join(", "), why });
            }
            Err(Missing::Wrong(why)) => return Err(format!("{}: {why}", definition.name)),
        }
    }
    Ok((found, skipped))
}

/// Whether the others chosen are among those that `value` goes together with.
fn is_with(value: &Value, chosen: &[(&Axis, Value)]) -> bool {
    let goes = |(axis, other): &(&Axis, Value)| {
        value.with.get(&axis.name).is_none_or(|names| other.name.0 == AS_IT_IS || names.contains(&other.name))
    };
    chosen.iter().all(goes)
}

/// Those that an axis has in this place.
fn values_of(definition: &Definition, axis: &Axis, place: Place<'_>, skipped: &mut Vec<Skipped>) -> Vec<Value> {
    let mut values: Vec<Value> = axis.values.clone();
    if place.quick && !axis.quick.is_empty() {
        values.retain(|value| axis.quick.contains(&value.name));
    }
    if !place.is_target {
        return values;
    }
    if is_of_server(definition, axis) {
        let why = "it is chosen when the server starts, and this one runs already".into();
        skipped.push(Skipped { what: format!("{} ({})", axis.label, axis.name), why });
        let first = Value { name: Text(AS_IT_IS.into()), with: BTreeMap::new(), ..values.swap_remove(0) };
        return vec![first];
    }
    for value in &values {
        if let Some(why) = &value.only_here {
            skipped.push(Skipped { what: format!("{} {}", axis.name, value.name), why: why.clone() });
        }
    }
    values.retain(|value| value.only_here.is_none());
    values
}

/// Whether how the server is started depends on the axis.
fn is_of_server(definition: &Definition, axis: &Axis) -> bool {
    let names = axis.values.iter().flat_map(|value| value.set.keys()).chain([&axis.name]);
    let marks: Vec<String> = names.map(|name| format!("$({name})")).collect();
    let options = definition.server.configure.values().map(|value| &value.0);
    definition.server.arguments.iter().chain(options).any(|text| marks.iter().any(|mark| text.contains(mark)))
}

enum Missing {
    /// The machine has no such thing, and why.
    Here(String),
    /// There is none of this name anywhere, or nothing can be made of it.
    Wrong(String),
}

fn filled(
    definition: &Definition,
    chosen: &[(&Axis, Value)],
    place: Place<'_>,
    of_machine: &BTreeMap<String, Result<String, String>>,
) -> Result<Setting, Missing> {
    let mut variables: Variables = definition.variables.clone();
    if place.quick {
        variables.extend(definition.quick.clone());
    }
    for (axis, value) in chosen {
        variables.insert(axis.name.clone(), value.name.clone());
        variables.extend(value.set.clone());
    }
    let known = |name: &str| match (variables.get(name), of_machine.get(name)) {
        (Some(text), _) => Ok(text.0.clone()),
        (None, Some(Ok(text))) => Ok(text.clone()),
        (None, Some(Err(why))) => Err(Missing::Here(why.clone())),
        (None, None) => Err(Missing::Wrong(format!("there is no $({name})"))),
    };
    let fill = |text: &str| replaced(text, &known, 0);
    let fill_all = |texts: &[String]| texts.iter().map(|text| fill(text)).collect::<Result<Vec<_>, _>>();
    let fill_maybe = |text: &Option<String>| text.as_deref().map(&fill).transpose();
    let number = |text: &Option<Text>| match text {
        None => Ok(1.0),
        Some(text) => fill(&text.0)?.parse::<f64>().map_err(|_| Missing::Wrong(format!("{text} is no number"))),
    };
    let mut factors = BTreeMap::new();
    for own in definition.measure.iter().filter(|own| own.of.is_some()) {
        factors.insert(own.name.clone(), (number(&own.times)?, number(&own.over)?));
    }
    let checks = definition.check.iter();
    let checks = checks.map(|check| Ok(Check { says: check.says.clone(), query: fill(&check.query)? }));
    let server = &definition.server;
    // A target is as it is: how one would be started is not even asked.
    let (arguments, configure) = match place.is_target {
        true => Default::default(),
        false => {
            let options = server.configure.iter().map(|(name, value)| Ok((name.clone(), fill(&value.0)?)));
            // Without a text between two blanks there is no argument: an axis's value may ask for none.
            let arguments = fill_all(&server.arguments)?.into_iter().filter(|argument| !argument.is_empty());
            (arguments.collect(), options.collect::<Result<_, _>>()?)
        }
    };
    let load = |workload: &Workload| {
        let link = workload.link.as_ref().filter(|_| !place.is_target);
        Ok(Load {
            link: link.map(|texts| link_of(texts, fill)).transpose()?.flatten(),
            arguments: fill_all(&workload.arguments)?,
            mix: fill_maybe(&workload.mix)?,
            control: fill_maybe(&workload.control)?,
            takes_s: workload.takes_s.as_ref().map(|text| whole("takes_s", &fill(&text.0)?)).transpose()?,
            transport: match fill(&workload.transport.0)?.as_str() {
                "tcp" => Transport::Tcp,
                "local" => Transport::Local,
                other => return Err(Missing::Wrong(format!("transport {other}: it is tcp or local"))),
            },
        })
    };
    let job = match (&definition.workload, &definition.bench) {
        (Some(workload), _) => Job::Load(load(workload)?),
        (None, Some(bench)) => Job::Bench(fill_all(&bench.arguments)?),
        (None, None) => return Err(Missing::Wrong("there is nothing to run".into())),
    };
    Ok(Setting {
        values: chosen.iter().map(|(axis, value)| (axis.name.clone(), value.name.0.clone())).collect(),
        arguments,
        configure,
        setup: fill(&server.setup)?,
        touch_mb: server.touch_mb.as_ref().map_or(Ok(0), |text| whole("touch_mb", &fill(&text.0)?))?,
        job,
        checks: checks.collect::<Result<_, _>>()?,
        factors,
    })
}

fn whole(name: &str, text: &str) -> Result<u64, Missing> {
    text.parse().map_err(|_| Missing::Wrong(format!("{name} = {text}: it is a whole number")))
}

/// None: the setting has no link.
fn link_of(texts: &LinkTexts, fill: impl Fn(&str) -> Result<String, Missing>) -> Result<Option<Link>, Missing> {
    let (mbit_per_second, delay_us) = (fill(&texts.mbit_per_second.0)?, fill(&texts.delay_us.0)?);
    if mbit_per_second.is_empty() {
        return Ok(None);
    }
    let mbit_per_second = whole("link.mbit_per_second", &mbit_per_second)?;
    Ok(Some(Link { mbit_per_second, delay_us: whole("link.delay_us", &delay_us)? }))
}

fn replaced(text: &str, known: &impl Fn(&str) -> Result<String, Missing>, depth: u32) -> Result<String, Missing> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("$(") {
        let Some(end) = rest[at..].find(')') else { break };
        let name = &rest[at + 2..at + end];
        if depth == DEPTH_MAX {
            return Err(Missing::Wrong(format!("$({name}) never ends")));
        }
        out.push_str(&rest[..at]);
        out.push_str(&replaced(&known(name)?, known, depth + 1)?);
        rest = &rest[at + end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

impl Setting {
    /// As people read it: `users 400, workers fiber`.
    pub fn title(&self) -> String {
        self.values.iter().map(|(axis, value)| format!("{axis} {value}")).collect::<Vec<_>>().join(", ")
    }

    /// Of all that a figure depends on here: the setting, and `subject`, the program or the server that is measured.
    pub fn hash(&self, subject: &str) -> String {
        format!("{:016x}", fnv(format!("{subject}\n{self:?}").as_bytes()))
    }
}

/// FNV-1a: the same in every build, unlike the standard library's.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        title = "t"
        question = "q"
        reading = "r"
        repeat = 2
        variables = { seconds = 10, both = "$(users)/$(seconds)" }
        quick = { seconds = 1 }
        server = { arguments = ["--workers", "$(workers)", "$(extra)"] }
        workload = { transport = "tcp", arguments = ["-n", "$(users)", "--duration", "$(seconds)", "-Q", "SELECT '$(both)', $(n)"] }
        [[axis]]
        name = "workers"
        label = "kind of worker"
        unit = ""
        values = [{ name = "fiber", set = { extra = "" } }, { name = "thread", set = { extra = "--bind-workers=$(cpus_all)" } }]
        [[axis]]
        name = "users"
        label = "users"
        unit = "connections"
        values = [1, 50]
        quick = [50]
        [[axis]]
        name = "place"
        label = "place"
        unit = ""
        values = [{ name = "a", set = { n = 1 } }, { name = "b", set = { n = 2 }, only_here = "b is ours" }]
        [[chart]]
        kind = "lines"
        title = "c"
        says = "s"
        x = "users"
        y = "requests_per_second"
        "#;

    fn made(quick: bool, is_target: bool) -> (Vec<Setting>, Vec<Skipped>) {
        let definition = Definition::parse("x", TEXT).expect("a definition");
        settings(&definition, Place { machine: &Machine::look(), quick, is_target }).expect("settings")
    }

    fn load(setting: &Setting) -> &[String] {
        match &setting.job {
            Job::Load(load) => &load.arguments,
            Job::Bench(arguments) => arguments,
        }
    }

    #[test]
    fn every_combination_with_its_texts() {
        let (all, skipped) = made(false, false);
        assert_eq!((all.len(), skipped.len()), (8, 0));
        assert_eq!(all[0].arguments, ["--workers", "fiber"]);
        assert_eq!(load(&all[0]), ["-n", "1", "--duration", "10", "-Q", "SELECT '1/10', 1"]);
        assert!(all[7].arguments[2].starts_with("--bind-workers=0"));
        assert_eq!(all[7].title(), "place b, users 50, workers thread");
        let hashes: std::collections::BTreeSet<String> = all.iter().map(|setting| setting.hash("s")).collect();
        assert_eq!(hashes.len(), 8);
        assert_ne!(all[0].hash("one"), all[0].hash("other"));
        let (quick, _) = made(true, false);
        assert_eq!(quick.len(), 4);
        assert_eq!(load(&quick[0])[..4], ["-n", "50", "--duration", "1"]);
    }

    #[test]
    fn a_target_is_as_it_is() {
        let (all, skipped) = made(false, true);
        assert_eq!(all.len(), 2);
        assert!(all.iter().all(|setting| setting.values["workers"] == AS_IT_IS && setting.arguments.is_empty()));
        let what: Vec<&str> = skipped.iter().map(|skipped| skipped.what.as_str()).collect();
        assert_eq!(what, ["kind of worker (workers)", "place b"]);
    }

    #[test]
    fn a_value_may_go_with_some_of_another_axis_only() {
        let place = Place { machine: &Machine::look(), quick: false, is_target: false };
        let with = |users: &str| {
            TEXT.replace(r#"name = "fiber", "#, &format!(r#"name = "fiber", with = {{ users = [{users}] }}, "#))
        };
        let (all, skipped) = settings(&Definition::parse("x", &with("1")).expect("a definition"), place).expect("all");
        let chosen = |workers: &str| all.iter().filter(|setting| setting.values["workers"] == workers).count();
        // Fibers with one user in both places; nothing was left out, since it is not asked for.
        assert_eq!((chosen("fiber"), chosen("thread"), skipped.len()), (2, 4, 0));
        let wrong = Definition::parse("x", &with("2")).expect_err("no such value");
        assert_eq!(wrong, "x: axis workers, fiber: users has no value 2");
        // A server that is as it is has whatever goes with the others.
        let text = with("1").replace("set = { n = 1 }", r#"set = { n = 1 }, with = { workers = ["thread"] }"#);
        let definition = Definition::parse("x", &text).expect("a definition");
        assert_eq!(settings(&definition, Place { is_target: true, ..place }).expect("all").0.len(), 2);
    }

    #[test]
    fn links_by_their_texts() {
        let link = r#"workload = { link = { mbit_per_second = "$(mbit)", delay_us = "$(users)" }, "#;
        let text = TEXT.replace("workload = {", link);
        let text = text.replace("{ n = 1 }", r#"{ n = 1, mbit = "" }"#).replace("{ n = 2 }", "{ n = 2, mbit = 1000 }");
        let definition = Definition::parse("x", &text).expect("a definition");
        let place = Place { machine: &Machine::look(), quick: false, is_target: false };
        let (all, _) = settings(&definition, place).expect("settings");
        let links: Vec<Option<Link>> = all[..4].iter().map(|setting| setting.job.link()).collect();
        let of = |delay_us| Some(Link { mbit_per_second: 1_000, delay_us });
        assert_eq!(links, [None, of(1), None, of(50)]);
        // To a server that was not started here there is the link that there is.
        let (all, _) = settings(&definition, Place { is_target: true, ..place }).expect("settings");
        assert!(all.iter().all(|setting| setting.job.link().is_none()));
        let wrong = Definition::parse("x", &text.replace("mbit = 1000", "mbit = 0.5")).expect("a definition");
        let told = settings(&wrong, place).expect_err("no number");
        assert_eq!(told, "x: link.mbit_per_second = 0.5: it is a whole number");
    }

    #[test]
    fn what_does_not_exist_is_told() {
        let definition = Definition::parse("x", &TEXT.replace("$(seconds)", "$(minutes)")).expect("a definition");
        let place = Place { machine: &Machine::look(), quick: false, is_target: false };
        assert_eq!(settings(&definition, place).expect_err("no such"), "x: there is no $(minutes)");
        let definition = Definition::parse("x", &TEXT.replace("$(users)/", "$(both)/")).expect("a definition");
        assert_eq!(settings(&definition, place).expect_err("no end"), "x: $(both) never ends");
        let machine = Machine { siblings: vec!["0".into()], ..Machine::look() };
        let definition = Definition::parse("x", &TEXT.replace("cpus_all", "cpus_one_a_core")).expect("a definition");
        let (all, skipped) = settings(&definition, Place { machine: &machine, ..place }).expect("settings");
        assert_eq!((all.len(), skipped.len()), (4, 4));
        assert!(skipped[0].why.contains("share a core"));
    }
}
