//! How long an experiment takes, from its definition: told before it begins, and while it runs of what is left.

use std::collections::BTreeSet;

use super::bench::Bench;
use super::definition::Definition;
use super::load::load_of;
use super::machine::Machine;
use super::schedule::{Planned, planned};
use super::setting::{Job, Place, Setting, settings};

/// Runs of each setting at most, with `--quick`.
const QUICK_ROUNDS: u32 = 2;
/// Of a run with a server, besides its load: the server's start, set-up and end.
const START_S: u64 = 1;

/// Runs of each setting. `repeat`: what the caller wants instead of what the experiment says.
pub fn rounds(definition: &Definition, quick: bool, repeat: Option<u32>) -> u32 {
    let usual = if quick { definition.repeat.min(QUICK_ROUNDS) } else { definition.repeat };
    repeat.unwrap_or(usual)
}

/// Seconds of one run, about. Err: its work is none that `heddle stress` or `heddle lab bench` would take, or nothing says when it ends.
pub fn run_s(setting: &Setting) -> Result<u64, String> {
    let load = match &setting.job {
        Job::Bench(arguments) => return Ok(Bench::parse(arguments)?.takes_ms().div_ceil(1000)),
        Job::Load(load) => load,
    };
    let args = load_of(load, None, None)?;
    let load_s = match (load.takes_s, args.duration_s) {
        (Some(seconds), _) => seconds,
        (None, Some(seconds)) => args.warmup_s + seconds,
        (None, None) => return Err("workload: it has no --duration, so takes_s must say how long it takes".into()),
    };
    Ok(START_S + load_s)
}

/// Seconds of `runs`, where `lengths_s` has that of one run of each setting.
pub fn sum_s(runs: &[Planned], lengths_s: &[u64]) -> u64 {
    runs.iter().map(|run| lengths_s[run.setting]).sum()
}

/// As people say it.
pub fn text(seconds: u64) -> String {
    let minutes = (seconds + 30) / 60;
    match seconds {
        0..=99 => format!("{seconds} s"),
        _ if minutes < 100 => format!("{minutes} min"),
        _ => format!("{} h {:02} min", minutes / 60, minutes % 60),
    }
}

/// Of all runs of an experiment: `45 runs, about 14 min`. Err: see `settings` and `run_s`.
pub fn of_all(definition: &Definition, machine: &Machine, quick: bool) -> Result<String, String> {
    let (settings, _) = settings(definition, Place { machine, quick, is_target: false })?;
    let runs = planned(settings.len(), rounds(definition, quick, None), &BTreeSet::new());
    let lengths_s = settings.iter().map(run_s).collect::<Result<Vec<_>, _>>();
    let lengths_s = lengths_s.map_err(|why| format!("{}: {why}", definition.name))?;
    Ok(of_runs(&runs, &lengths_s))
}

/// As `of_all`, of these runs.
pub fn of_runs(runs: &[Planned], lengths_s: &[u64]) -> String {
    let noun = if runs.len() == 1 { "run" } else { "runs" };
    format!("{} {noun}, about {}", runs.len(), text(sum_s(runs, lengths_s)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::library::named;
    use crate::experiment::setting::Load;

    fn told(name: &str, quick: bool) -> String {
        let definition = named(&[name.into()]).expect(name).remove(0);
        of_all(&definition, &Machine::look(), quick).expect(name)
    }

    #[test]
    fn lengths_by_hand() {
        // 3 locks with 3 numbers of connections, 3 rounds, 1 s around 2 s of warm-up and 15 s: 27 * 18 = 486 s.
        assert_eq!(told("rwlock", false), "27 runs, about 8 min");
        // 3 locks with 2 numbers of connections, 2 rounds at most, 1 s around 1 s and 2 s: 12 * 4 = 48 s.
        assert_eq!(told("rwlock", true), "12 runs, about 48 s");
        // Its load ends by itself: 4 settings, 9 rounds, 1 s.
        assert_eq!(told("startup", false), "36 runs, about 36 s");
    }

    #[test]
    fn what_is_left_is_of_the_runs_that_are_missing() {
        let missing = planned(2, 2, &BTreeSet::from([(0, 0)]));
        assert_eq!(sum_s(&missing, &[10, 3]), 16);
        assert_eq!(of_runs(&missing[..1], &[10, 3]), "1 run, about 3 s");
        let texts = [0, 99, 100, 5_969, 5_970, 7_500].map(text);
        assert_eq!(texts, ["0 s", "99 s", "2 min", "99 min", "1 h 40 min", "2 h 05 min"]);
    }

    #[test]
    fn rounds_that_were_asked_for_are_made() {
        let definition = named(&["startup".into()]).expect("a definition").remove(0);
        let of = |quick, repeat| rounds(&definition, quick, repeat);
        assert_eq!([of(false, None), of(true, None), of(false, Some(1)), of(true, Some(7))], [9, 2, 1, 7]);
    }

    #[test]
    fn a_load_without_an_end_in_seconds_says_how_long_it_takes() {
        let definition = named(&["startup".into()]).expect("a definition").remove(0);
        let place = Place { machine: &Machine::look(), quick: false, is_target: false };
        let setting = settings(&definition, place).expect("settings").0.remove(0);
        let Job::Load(load) = setting.job.clone() else { panic!("it has a load") };
        let silent = Setting { job: Job::Load(Load { takes_s: None, ..load }), ..setting };
        assert!(run_s(&silent).expect_err("no length").contains("takes_s"));
    }
}
