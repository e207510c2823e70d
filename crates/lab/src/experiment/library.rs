//! The experiments: those that the program brings with it, the files of `lab/experiments`, and files of the user's own.

use std::collections::BTreeSet;
use std::path::Path;

use super::definition::Definition;
use super::results;

/// How the file of an experiment ends.
const ENDING: &str = ".toml";

/// In the order in which `list` shows them and `all` runs them.
const FILES: [(&str, &str); 12] = [
    ("rwlock", include_str!("../../../../lab/experiments/rwlock.toml")),
    ("locks", include_str!("../../../../lab/experiments/locks.toml")),
    ("fibers", include_str!("../../../../lab/experiments/fibers.toml")),
    ("hyperthreading", include_str!("../../../../lab/experiments/hyperthreading.toml")),
    ("rbar", include_str!("../../../../lab/experiments/rbar.toml")),
    ("tpcc", include_str!("../../../../lab/experiments/tpcc.toml")),
    ("kernels", include_str!("../../../../lab/experiments/kernels.toml")),
    ("prepared", include_str!("../../../../lab/experiments/prepared.toml")),
    ("startup", include_str!("../../../../lab/experiments/startup.toml")),
    ("connections", include_str!("../../../../lab/experiments/connections.toml")),
    ("logins", include_str!("../../../../lab/experiments/logins.toml")),
    ("fair", include_str!("../../../../lab/experiments/fair.toml")),
];

/// Scripts that definitions name as their `setup_file`.
const SCRIPTS: [(&str, &str); 1] = [("tpcc.sql", include_str!("../../../../lab/experiments/tpcc.sql"))];

/// All that the program brings with it.
pub fn all() -> Result<Vec<Definition>, String> {
    FILES.iter().map(|(name, text)| brought(name, text)).collect()
}

/// The file of an experiment that the program brings with it. Err: there is none, and which are near it.
pub fn text(name: &str) -> Result<&'static str, String> {
    let file = FILES.iter().find(|(known, _)| *known == name);
    file.map(|(_, text)| *text).ok_or_else(|| format!("there is no experiment '{name}'{}", near(name)))
}

/// Those that the names stand for: one that the program brings with it, `all` of them, or a file of the user's own.
pub fn named(names: &[String]) -> Result<Vec<Definition>, String> {
    let mut found: Vec<Definition> = Vec::new();
    for name in names {
        match name.as_str() {
            "all" => found.extend(all()?),
            file if file.ends_with(ENDING) => found.push(own(Path::new(file))?),
            name => found.push(brought(name, text(name)?)?),
        }
    }
    // Their results would have the same file.
    let mut seen = BTreeSet::new();
    match found.iter().find(|definition| !seen.insert(&definition.name)) {
        Some(twice) => Err(format!("{} is given twice", twice.name)),
        None => Ok(found),
    }
}

/// The user's own whose results are in the directory, where `keep` has put them.
pub fn kept(directory: &Path) -> Result<Vec<Definition>, String> {
    let told = |error: std::io::Error| format!("{}: {error}", directory.display());
    if !os::fs::exists(directory) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for (file, _) in os::fs::list(directory).map_err(told)? {
        let name = file.strip_suffix(ENDING).filter(|name| os::fs::exists(&results::path(directory, name)));
        if let Some(name) = name {
            found.push(Definition::parse(name, &os::fs::read_text(&directory.join(&file)).map_err(told)?)?);
        }
    }
    Ok(found)
}

/// Puts an experiment of the user's own beside its results, so that their page can be written anew.
pub fn keep(definition: &Definition, directory: &Path) -> Result<(), String> {
    let Some(text) = &definition.own else { return Ok(()) };
    let path = directory.join(format!("{}{ENDING}", definition.name));
    os::fs::write(&path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))
}

fn brought(name: &str, text: &str) -> Result<Definition, String> {
    whole(name, text, |file| match SCRIPTS.iter().find(|(known, _)| *known == file) {
        Some((_, script)) => Ok(script.to_string()),
        None => Err(format!("there is no {file}")),
    })
}

fn own(path: &Path) -> Result<Definition, String> {
    let told = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    if name == "all" || FILES.iter().any(|(known, _)| *known == name) {
        return Err(format!("{}: {name} is taken; the file needs another name", path.display()));
    }
    let text = os::fs::read_text(path).map_err(|error| told(path, error))?;
    let mut definition = whole(&name, &text, |file| {
        let script = path.with_file_name(file);
        os::fs::read_text(&script).map_err(|error| told(&script, error))
    })?;
    definition.own = Some(text);
    Ok(definition)
}

/// A definition with its script before the batches of its own.
fn whole(name: &str, text: &str, script: impl Fn(&str) -> Result<String, String>) -> Result<Definition, String> {
    let mut definition = Definition::parse(name, text)?;
    if let Some(file) = &definition.server.setup_file {
        let script = script(file).map_err(|why| format!("{name}: setup_file: {why}"))?;
        definition.server.setup.insert_str(0, &format!("{script}\nGO\n"));
    }
    Ok(definition)
}

/// What somebody may have meant.
fn near(name: &str) -> String {
    let mut known: Vec<(usize, &str)> = FILES.iter().map(|(known, _)| (distance(name, known), *known)).collect();
    known.sort_unstable();
    let is_near = |(distance, known): &(usize, &str)| *distance <= 2.max(known.len() / 3) || known.starts_with(name);
    let found: Vec<&str> = known.iter().filter(|one| is_near(one)).map(|(_, known)| *known).collect();
    match found.is_empty() {
        true => format!("; there are {}", FILES.map(|(known, _)| known).join(", ")),
        false => format!("; did you mean {}?", found.join(" or ")),
    }
}

/// Letters to change, add or take away (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, against) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *against);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::definition::Kind;
    use crate::experiment::duration::run_s;
    use crate::experiment::load::load_of;
    use crate::experiment::machine::Machine;
    use crate::experiment::setting::{Job, Place, settings};

    #[test]
    fn letters_between_names() {
        assert_eq!(["fibers", "fibres", "fiber", ""].map(|name| distance(name, "fibers")), [0, 2, 1, 6]);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn every_experiment_is_complete() {
        let machine = Machine::look();
        for (name, _) in FILES {
            let definition = named(&[name.to_string()]).expect(name).remove(0);
            assert!(!definition.chart.is_empty() && definition.question.ends_with('?'), "{name}");
            for chart in &definition.chart {
                let (unit, says) = definition.meaning(&chart.y).expect(name);
                assert!(!unit.is_empty() && !says.is_empty(), "{name}: {}", chart.y);
                let is_sentence = chart.says.ends_with('.') && chart.says.len() > 20;
                assert!(is_sentence, "{name}: '{}' has no sentence", chart.title);
                // A line needs numbers to run along.
                let x = chart.x.as_ref().and_then(|name| definition.axis(name));
                assert!(
                    chart.kind != Kind::Lines || x.is_some_and(|axis| !axis.unit.is_empty()),
                    "{name}: {}",
                    chart.title
                );
            }
            for (quick, is_target) in [(false, false), (true, false), (false, true)] {
                let place = Place { machine: &machine, quick, is_target };
                let (settings, skipped) = settings(&definition, place).expect(name);
                assert!(!settings.is_empty() || !skipped.is_empty(), "{name}");
                let mix = definition.workload.as_ref().and_then(|load| load.mix.as_deref()).unwrap_or_default();
                for statement in definition.measure.iter().filter_map(|own| own.statement.as_ref()) {
                    assert!(mix.contains(&format!("name = \"{statement}\"\n")), "{name}: {statement}");
                }
                for setting in settings {
                    if let Job::Load(load) = &setting.job {
                        let load = load_of(load, None, None).expect(name);
                        assert!(load.duration_s.is_some() || load.iterations.is_some(), "{name} may never end");
                    }
                    assert!(run_s(&setting).expect(name) > 0, "{name}");
                }
            }
        }
    }

    #[test]
    fn a_wrong_key_and_a_wrong_name_are_told() {
        let (name, text) = FILES[0];
        let parse = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            Definition::parse(name, &text.replacen(from, to, 1)).expect_err(to)
        };
        assert!(parse("question =", "qestion =").contains("unknown field `qestion`"));
        assert!(parse("[workload]\n", "[workload]\nthreads = 1\n").contains("unknown field `threads`"));
        assert!(
            parse("y = \"requests_per_second\"", "y = \"request_rate\"").contains("there is no measure request_rate")
        );
        let missing = brought(name, &text.replacen("[server]\n", "[server]\nsetup_file = \"no.sql\"\n", 1));
        assert_eq!(missing.expect_err("no such file"), format!("{name}: setup_file: there is no no.sql"));
        let measure = "[[measure]]\nname = \"m\"\nunit = \"u\"\nsays = \"s\"\nstatement = \"x\"\n";
        let half = parse("[workload]\n", &format!("{measure}[workload]\n"));
        assert!(half.contains("measure m: expected query and per, statement and figure, or of"), "{half}");
        let (name, text) = FILES[1];
        let parse = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            Definition::parse(name, &text.replacen(from, to, 1)).expect_err(to)
        };
        assert_eq!(parse("[bench]\n", "[server]\non_disk = true\n[bench]\n"), "locks: [bench] has no [server]");
        assert!(parse("only_here =", "#").contains("only_here must say why"));
        let workload = "[workload]\ntransport = \"tcp\"\narguments = []\n[bench]\n";
        assert!(parse("[bench]\n", workload).contains("expected either [workload] or [bench]"));
        assert!(
            parse("y = \"wait_ms_per_second\"", "y = \"cpu_ns_per_operation\"")
                .contains("Waits: y is wait_ms_per_second")
        );
        assert!(named(&["rwlok".into()]).expect_err("near").contains("did you mean rwlock?"));
        assert!(named(&["fibres".into()]).expect_err("near").contains("did you mean fibers"));
        assert!(named(&["zzzzzzzzzz".into()]).expect_err("far").contains("there are rwlock"));
    }
}
