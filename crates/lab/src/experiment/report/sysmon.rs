//! Figures in the layout of Sybase ASE's sp_sysmon, for whoever has read that for years. It shows one interval, so each setting is shown
//! by one of its runs; a figure that this run has not, has no line.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::experiment::definition::{Axis, Definition, Sysmon, SysmonRow};
use crate::experiment::results::{Results, Run};

/// Wide enough for all names of the definitions.
const NAME_WIDTH: usize = 34;
const RULE: usize = 88;

/// None: the experiment has no such sheet, or no run of it counts.
pub fn sheets(definition: &Definition, results: &Results) -> Option<String> {
    let sysmon = definition.sysmon.as_ref()?;
    let mut by_setting: BTreeMap<Vec<usize>, Vec<&Run>> = BTreeMap::new();
    for run in results.counted() {
        let place =
            |axis: &Axis| axis.values.iter().position(|value| Some(&value.name.0) == run.setting.get(&axis.name));
        // A target's value is none of the axis: it comes last.
        let place = definition.axis.iter().map(|axis| place(axis).unwrap_or(axis.values.len())).collect();
        by_setting.entry(place).or_default().push(run);
    }
    let sheets = by_setting.values().filter_map(|runs| sheet(definition, sysmon, runs));
    let text = sheets.collect::<Vec<_>>().join("\n\n");
    (!text.is_empty()).then_some(text)
}

/// Of one setting: the run whose rate of transactions is in the middle, the lower one of two.
fn sheet(definition: &Definition, sysmon: &Sysmon, runs: &[&Run]) -> Option<String> {
    let rate = |run: &&Run| run.values.get(&sysmon.transaction).copied();
    let mut sorted: Vec<(f64, &Run)> = runs.iter().filter_map(|run| Some((rate(run)?, *run))).collect();
    sorted.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let (rate, run) = *sorted.get(sorted.len().checked_sub(1)? / 2)?;
    let seconds = *run.values.get("seconds")?;
    let setting: Vec<String> = definition
        .axis
        .iter()
        .filter_map(|axis| Some(format!("{}: {}", axis.label, run.setting.get(&axis.name)?)))
        .collect();
    let line = "=".repeat(RULE);
    let mut out = format!("{line}\n  {}\n{line}\n", definition.title);
    let _ = writeln!(out, "{:<20}{}", "Setting:", setting.join(", "));
    let _ =
        writeln!(out, "{:<20}{seconds:.1} s, round {}, in the middle of {}", "Sample:", run.repeat + 1, sorted.len());
    let _ = writeln!(out, "{:<20}{}", "xact:", sysmon.says);
    for section in &sysmon.section {
        let rows: Vec<String> = section.rows.iter().filter_map(|own| row(own, run, rate, seconds)).collect();
        if !rows.is_empty() {
            let _ = write!(out, "\n{}\n{}\n{}{}", section.title, "-".repeat(section.title.len()), HEAD, rows.concat());
        }
    }
    Some(out)
}

const HEAD: &str = "                                         per sec      per xact       count  % of total
  ----------------------------------  ------------  ------------  ----------  ----------
";

/// None: the run has not measured it. n/a stands, as in sp_sysmon, where there is nothing to be a part of.
fn row(own: &SysmonRow, run: &Run, transactions_per_second: f64, seconds: f64) -> Option<String> {
    let per_second = *run.values.get(&own.measure)?;
    let total: Option<f64> = own.of.iter().map(|part| run.values.get(part)).sum();
    let or_none = |number: f64, text: String| if number.is_finite() { text } else { "n/a".into() };
    let per_transaction = per_second / transactions_per_second;
    let percent = total.filter(|_| !own.of.is_empty()).map_or(f64::NAN, |total| 100.0 * per_second / total);
    Some(format!(
        "  {:<NAME_WIDTH$}  {per_second:>12.1}  {:>12}  {:>10.0}  {:>10}\n",
        own.name,
        or_none(per_transaction, format!("{per_transaction:.1}")),
        per_second * seconds,
        or_none(percent, format!("{percent:.1} %")),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::library;

    fn run(kernel: &str, loops: f64, values: &[(&str, f64)]) -> Run {
        let setting = [("kernel", kernel), ("workers", "fiber"), ("cache", "off")];
        let fixed = [("iterations_per_second", loops), ("seconds", 10.0)];
        Run {
            hash: kernel.into(),
            setting: setting.map(|(axis, value)| (axis.into(), value.into())).into(),
            values: fixed.iter().chain(values).map(|(name, value)| (name.to_string(), *value)).collect(),
            ..Run::default()
        }
    }

    fn sheets_of(runs: Vec<Run>) -> Option<String> {
        let definition = library::named(&["kernels".into()]).expect("a definition").remove(0);
        sheets(&definition, &Results { runs, ..Results::default() })
    }

    #[test]
    fn a_sheet_by_hand() {
        let values = [
            ("engine_busy_us_per_second", 1_500_000.0),
            ("engine_us_per_second", 2_000_000.0),
            ("statements_found_per_second", 270.0),
            ("statements_not_found_per_second", 30.0),
            ("statements_dropped_per_second", 0.0),
            // Nothing to be a part of: grabs were counted, and there were none.
            ("statement_spinlock_waits_per_second", 0.0),
            ("statement_spinlock_grabs_per_second", 0.0),
        ];
        let expected = "\
========================================================================================
  Threaded kernel against process kernel
========================================================================================
Setting:            kernel: threaded, kind of worker: fiber, statement cache: off
Sample:             10.0 s, round 1, in the middle of 1
xact:               one loop of a client: a call of the procedure with its four queries

Kernel Utilization
------------------
                                         per sec      per xact       count  % of total
  ----------------------------------  ------------  ------------  ----------  ----------
  Engine Busy (us)                       1500000.0       15000.0    15000000      75.0 %

SQL Statement Cache
-------------------
                                         per sec      per xact       count  % of total
  ----------------------------------  ------------  ------------  ----------  ----------
  Statements Found in Cache                  270.0           2.7        2700      90.0 %
  Statements Not Found                        30.0           0.3         300      10.0 %
  Statements Dropped                           0.0           0.0           0         n/a

Spinlock Contention (waits of grabs)
------------------------------------
                                         per sec      per xact       count  % of total
  ----------------------------------  ------------  ------------  ----------  ----------
  SSQLCACHE_SPIN: Grabs                        0.0           0.0           0         n/a
  SSQLCACHE_SPIN: Waits                        0.0           0.0           0         n/a
";
        assert_eq!(sheets_of(vec![run("threaded", 100.0, &values)]).expect("a sheet"), expected);
    }

    #[test]
    fn a_setting_is_shown_by_its_middle_run_that_counts() {
        let requests = |count: f64| [("procedures_per_second", count)];
        let runs = vec![
            run("process", 30.0, &requests(3.0)),
            run("threaded", 50.0, &requests(5.0)),
            run("process", 10.0, &requests(1.0)),
            run("process", 20.0, &requests(2.0)),
            Run { failed: Some("why".into()), ..run("process", 11.0, &requests(9.0)) },
        ];
        let text = sheets_of(runs).expect("sheets");
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("Procedure Requests")).collect();
        let counts = lines.iter().map(|line| line.split_whitespace().nth(4)).collect::<Vec<_>>();
        // In the order of the axis, which is not that of the letters.
        assert_eq!(counts, [Some("50"), Some("20")]);
        assert!(text.contains("in the middle of 3") && !text.contains("NaN") && !text.contains("Removals"), "{text}");
        assert_eq!(sheets_of(Vec::new()), None);
    }
}
