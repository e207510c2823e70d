//! The page: each experiment with its question, charts with a table beside each, what the server waited for, and the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::draw::{Drawing, escaped, mark, number};
use super::panel::{COUNTERS_SHOWN, Panel, Row, panels};
use super::{bars, lines, sysmon};
use crate::experiment::definition::{Definition, Kind, Seed};
use crate::experiment::link::{Ceiling, Link};
use crate::experiment::machine::Machine;
use crate::experiment::results::{Results, Run};
use crate::experiment::statistics::Spread;

pub const STYLE: &str = include_str!("style.css");
/// Stolen time above this is told: what ran meanwhile ran slower for no reason of its own.
const STOLEN_PERCENT_TOLD: f64 = 2.0;
/// Other programs' use of the CPUs above this is told.
const OTHERS_CPUS_TOLD: f64 = 0.1;
/// Settings that are named where several were left out for one reason.
const LEFT_OUT_SHOWN: usize = 2;
/// Above this the load generator may have been the limit.
const CLIENT_PERCENT_TOLD: f64 = 90.0;

/// The whole page.
pub fn page(measured: &[(Definition, Results)]) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Heddle's laboratory</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>Heddle's laboratory</h1>\n"
    );
    paragraph(
        &mut out,
        "",
        "Every dot or mark is a run. Bars, lines and tables have the median of the runs of a setting; the range goes from the lowest to the highest of them. All settings took turns, round by round, there and back again. A ratio compares runs of the same round; one whose range holds 1 shows no difference.",
    );
    out.push_str("<nav><ul>");
    for (definition, _) in measured {
        let _ = write!(out, "<li><a href=\"#{}\">{}</a></li>", definition.name, escaped(&definition.title));
    }
    out.push_str("<li><a href=\"#machine\">The machine</a></li></ul></nav>\n");
    for (definition, results) in measured {
        experiment(&mut out, definition, results);
    }
    machines(&mut out, measured);
    out.push_str("</body>\n</html>\n");
    out
}

fn paragraph(out: &mut String, class: &str, what: &str) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let _ = writeln!(out, "<p{class}>{}</p>", escaped(what));
}

fn experiment(out: &mut String, definition: &Definition, results: &Results) {
    let runs = results.counted();
    let _ = writeln!(out, "<section id=\"{}\">\n<h2>{}</h2>", definition.name, escaped(&definition.title));
    paragraph(out, "question", &definition.question);
    paragraph(out, "", &definition.reading);
    for (at, note) in notes(results, &runs).iter().enumerate() {
        paragraph(out, if at == 0 { "soft" } else { "note" }, note);
    }
    for chart in &definition.chart {
        let panels = panels(definition, chart, &runs);
        let _ = writeln!(out, "<h3>{}</h3>", escaped(&chart.title));
        paragraph(out, "", &chart.says);
        if panels.is_empty() {
            paragraph(out, "note", "Not measured here.");
        }
        for panel in &panels {
            figure(out, panel);
        }
    }
    waits(out, definition, &runs);
    if let Some(sheets) = sysmon::sheets(definition, results) {
        let _ = writeln!(out, "<h3>As sp_sysmon has it</h3>\n<pre tabindex=\"0\">{}</pre>", escaped(&sheets));
    }
    out.push_str("</section>\n");
}

/// What a reader must know before believing a figure; first, what there is.
pub fn notes(results: &Results, runs: &[&Run]) -> Vec<String> {
    let rounds = runs.iter().map(|run| run.repeat).collect::<BTreeSet<_>>().len();
    let settings = runs.iter().map(|run| &run.setting).collect::<BTreeSet<_>>().len();
    let targets: BTreeSet<&str> = runs.iter().filter_map(|run| run.target.as_deref()).collect();
    let mut told = format!("Runs: {}; settings: {settings}; rounds: {rounds}", runs.len());
    if !targets.is_empty() {
        told.push_str(&format!(", on {}", targets.into_iter().collect::<Vec<_>>().join(", ")));
    }
    if runs.iter().any(|run| run.quick) {
        told.push_str(", with --quick: shorter runs, which say less");
    }
    let mut notes = vec![format!("{told}.")];
    let of = |name: &str| runs.iter().filter_map(|run| run.values.get(name).copied()).collect::<Vec<f64>>();
    if let Some(stolen) = Spread::of(&of("stolen_percent")).filter(|stolen| stolen.high >= STOLEN_PERCENT_TOLD) {
        let [median, high] = [stolen.median, stolen.high].map(number);
        notes.push(format!(
            "The host of this virtual machine took its CPUs away for {median} % of the time of a run (median), {high} % at most. Differences below the ranges mean nothing."
        ));
    }
    if let Some(others) = Spread::of(&of("others_cpus")).filter(|others| others.median >= OTHERS_CPUS_TOLD) {
        let [median, high] = [others.median, others.high].map(number);
        notes.push(format!(
            "Other programs used {median} CPUs meanwhile (median of the runs; {high} at most). A server with more threads gets a larger share beside them, so that settings with more threads look better than they are."
        ));
    }
    let busy = of("client_cpu_percent").iter().filter(|percent| **percent > CLIENT_PERCENT_TOLD).count();
    if busy > 0 {
        notes.push(format!(
            "In {busy} runs the load generator itself was more than {CLIENT_PERCENT_TOLD} % busy: their figures may be its limit and not the server's."
        ));
    }
    notes.extend(results.ceilings.last().map(links_text));
    let mut left_out: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for skipped in &results.skipped {
        left_out.entry(&skipped.why).or_default().push(&skipped.what);
    }
    for (why, what) in left_out {
        let more = what.len().saturating_sub(LEFT_OUT_SHOWN);
        let more = if more > 0 { format!(" and {more} more settings") } else { String::new() };
        let shown = what[..what.len().min(LEFT_OUT_SHOWN)].join("; ");
        notes.push(format!("Left out: {shown}{more}: {why}."));
    }
    for run in &results.runs {
        if let Some(why) = &run.failed {
            let setting: Vec<String> = run.setting.iter().map(|(axis, value)| format!("{axis} {value}")).collect();
            notes.push(format!("Failed, round {}: {}: {why}", run.repeat + 1, setting.join(", ")));
        }
    }
    notes
}

/// How links are made here, and which of them are slower than they are called.
fn links_text(ceiling: &Ceiling) -> String {
    let beyond: Vec<String> = ceiling.beyond().map(Link::to_string).collect();
    let beyond = match beyond.is_empty() {
        true => "It reaches all links that were asked for.".into(),
        false => format!(
            "It does not reach {}: there it delays a message for longer, or carries less, than the link would.",
            beyond.join("; ")
        ),
    };
    format!(
        "Links are made by a proxy of the laboratory, a token bucket and a delay in each direction, in a thread of its own on the same CPUs; its CPU time is nobody else's. Without a limit it carried {} Mbit/s here, and added {} µs to a message each way. {beyond}",
        number(ceiling.mbit_per_second),
        number(ceiling.adds_us)
    )
}

fn figure(out: &mut String, panel: &Panel<'_>) {
    if !panel.title.is_empty() {
        let _ = writeln!(out, "<h4>{}</h4>", escaped(&panel.title));
    }
    if panel.places.is_empty() {
        paragraph(out, "", "None of it was counted in any run.");
        return;
    }
    out.push_str("<div class=\"pair\">\n<figure>\n");
    if panel.has_legend() {
        legend(out, panel);
    }
    for (name, drawing) in drawings(panel) {
        if !name.is_empty() {
            let _ = writeln!(out, "<h4>{}</h4>", escaped(&name));
        }
        let _ = writeln!(out, "{}", drawing.to_svg(&panel.chart.title));
    }
    out.push_str("</figure>\n");
    table(out, panel);
    out.push_str("</div>\n");
}

/// One, or several that have names.
pub fn drawings(panel: &Panel<'_>) -> Vec<(String, Drawing)> {
    let one = |drawing: Drawing| vec![(String::new(), drawing)];
    match panel.chart.kind {
        Kind::Clients | Kind::Cpus => bars::parts(panel),
        Kind::Bars | Kind::Waits | Kind::Spinlocks => one(bars::settings(panel)),
        Kind::Lines => one(lines::along_axis(panel)),
        Kind::Runs => one(lines::in_order(panel)),
        Kind::Time => one(lines::over_time(panel)),
    }
}

fn legend(out: &mut String, panel: &Panel<'_>) {
    out.push_str("<ul class=\"legend\">");
    for (series, name) in panel.series.iter().enumerate() {
        let mut sign = String::new();
        mark(&mut sign, 8.0, 8.0, series, 5.0);
        let _ = write!(out, "<li><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\">{sign}</svg>{}</li>", escaped(name));
    }
    out.push_str("</ul>\n");
}

/// The figures of a panel, with what the author of the experiment had.
fn table(out: &mut String, panel: &Panel<'_>) {
    let chart = panel.chart;
    let has_seed = !panel.seeds().is_empty();
    out.push_str("<div><div class=\"wide\"><table>\n<tr>");
    for head in panel.heads() {
        let _ = write!(out, "<th class=\"text\">{}</th>", escaped(head));
    }
    let _ = write!(out, "<th>median<br>{}</th><th>range</th><th>runs</th>", escaped(panel.unit));
    let rows = panel.rows();
    let has_ratios = rows.iter().any(|row| row.ratio.is_some());
    if let Some(baseline) = chart.baseline.as_ref().filter(|_| has_ratios) {
        let _ = write!(out, "<th>to<br>{}</th>", escaped(&baseline.0));
    }
    if has_seed {
        out.push_str("<th>in the<br>document</th>");
    }
    out.push_str("</tr>\n");
    for Row { names, spread, ratio, seed } in rows {
        out.push_str("<tr>");
        for name in names {
            let _ = write!(out, "<td class=\"text\">{}</td>", escaped(name));
        }
        let _ =
            write!(out, "<td>{}</td><td>{}</td><td>{}</td>", number(spread.median), range_text(spread), spread.count);
        if has_ratios {
            let _ = write!(out, "<td>{}</td>", ratio.map_or(String::new(), ratio_text));
        }
        if has_seed {
            let _ = write!(out, "<td>{}</td>", seed.map_or(String::new(), seed_text));
        }
        out.push_str("</tr>\n");
    }
    let _ = writeln!(out, "</table></div>");
    paragraph(out, "soft", &format!("{}: {}.", panel.unit, panel.says));
    for seed in panel.seeds() {
        let place: Vec<String> = seed.at.iter().map(|(axis, value)| format!("{axis} {value}")).collect();
        // A narrow page hides the column.
        let figure = Some(seed_text(seed)).filter(|text| !text.is_empty()).map(|text| format!("{text}: "));
        let figure = figure.unwrap_or_default();
        paragraph(out, "soft", &format!("In the document, {}: {figure}{}.", place.join(", "), seed.says));
    }
    out.push_str("</div>");
}

/// The figure that the document has.
pub fn seed_text(seed: &Seed) -> String {
    match (seed.value, seed.ratio) {
        (Some(value), _) => number(value),
        (None, Some(ratio)) => format!("{} times", number(ratio)),
        (None, None) => String::new(),
    }
}

fn range_text(spread: Spread) -> String {
    match spread.count {
        1 => "one run".into(),
        _ => format!("{} to {}<br>{} %", number(spread.low), number(spread.high), number(spread.percent())),
    }
}

fn ratio_text(ratio: Spread) -> String {
    let median = number(ratio.median);
    match (ratio.count, ratio.differs_from_one()) {
        (1, _) => format!("{median}<br>one round"),
        (_, true) => format!("{median}<br>{} to {}", number(ratio.low), number(ratio.high)),
        (_, false) => format!("{median}, no difference<br>{} to {}", number(ratio.low), number(ratio.high)),
    }
}

/// What the server counted, by setting: sums over a run's kept counters, the median of the runs.
fn waits(out: &mut String, definition: &Definition, runs: &[&Run]) {
    let mut by_setting: BTreeMap<Vec<&str>, Vec<&Run>> = BTreeMap::new();
    for run in runs {
        let name = definition.axis.iter().filter_map(|axis| run.setting.get(&axis.name)).map(String::as_str).collect();
        by_setting.entry(name).or_default().push(run);
    }
    if runs.iter().all(|run| run.waits_ms.is_empty() && run.spinlocks.is_empty()) {
        return;
    }
    out.push_str("<details><summary>What the server waited for</summary>\n<div class=\"wide\"><table>\n<tr><th class=\"text\">setting</th><th class=\"text\">waits, ms a second</th><th class=\"text\">spinlocks, collisions (spins) a second</th></tr>\n");
    for (name, runs) in by_setting {
        let seconds = |run: &Run| run.values.get("seconds").copied().unwrap_or(f64::NAN);
        let waits = medians(&runs, |run| {
            run.waits_ms.iter().map(|(name, ms)| (name.as_str(), [ms / seconds(run), 0.0])).collect()
        });
        let locks = medians(&runs, |run| {
            let of = |lock: &'_ (String, f64, f64)| [lock.1 / seconds(run), lock.2 / seconds(run)];
            run.spinlocks.iter().map(|lock| (lock.0.as_str(), of(lock))).collect()
        });
        let waits: Vec<String> =
            waits.iter().take(COUNTERS_SHOWN).map(|(name, [ms, _])| format!("{name} {}", number(*ms))).collect();
        let locks: Vec<String> = locks
            .iter()
            .take(COUNTERS_SHOWN)
            .map(|(name, [collisions, spins])| format!("{name} {} ({})", number(*collisions), number(*spins)))
            .collect();
        let cells = [name.join(", "), waits.join("; "), locks.join("; ")]
            .map(|cell| format!("<td class=\"text\">{}</td>", escaped(&cell)));
        let _ = writeln!(out, "<tr>{}</tr>", cells.concat());
    }
    out.push_str("</table></div></details>\n");
}

/// By name, the median of what the runs that have it say; most first.
fn medians<'r>(runs: &[&'r Run], of: impl Fn(&'r Run) -> Vec<(&'r str, [f64; 2])>) -> Vec<(&'r str, [f64; 2])> {
    let mut by_name: BTreeMap<&str, [Vec<f64>; 2]> = BTreeMap::new();
    for (name, figures) in runs.iter().flat_map(|run| of(run)) {
        let all = by_name.entry(name).or_default();
        all.iter_mut().zip(figures).for_each(|(all, figure)| all.push(figure));
    }
    let median = |figures: &Vec<f64>| Spread::of(figures).map_or(0.0, |spread| spread.median);
    let mut medians: Vec<(&str, [f64; 2])> =
        by_name.iter().map(|(name, [one, other])| (*name, [median(one), median(other)])).collect();
    medians.sort_by(|(_, one), (_, other)| other[0].total_cmp(&one[0]));
    medians
}

fn machines(out: &mut String, measured: &[(Definition, Results)]) {
    out.push_str("<section id=\"machine\">\n<h2>The machine</h2>\n");
    paragraph(
        out,
        "",
        "The load generator ran on the same CPUs as the servers that were started for this, at a lower claim to them (SCHED_BATCH).",
    );
    for machine in machines_of(measured) {
        let rows = machine.map(|(name, what)| format!("<dt>{name}</dt><dd>{}</dd>", escaped(&what)));
        let _ = writeln!(out, "<dl>{}</dl>", rows.join("\n"));
    }
    out.push_str("</section>\n");
}

/// What must be known of a machine: name and what.
pub type Described = [(&'static str, String); 13];

/// Each that results came from, once.
pub fn machines_of(measured: &[(Definition, Results)]) -> Vec<Described> {
    let mut known: Vec<Described> = Vec::new();
    for machine in measured.iter().flat_map(|(_, results)| &results.machines).map(described) {
        if !known.contains(&machine) {
            known.push(machine);
        }
    }
    known
}

fn described(machine: &Machine) -> Described {
    let gigabytes = |bytes: u64| format!("{} GB", number(bytes as f64 / (1_u64 << 30) as f64));
    let cpus: Vec<String> = machine.usable_cpus.iter().map(u32::to_string).collect();
    let quota = machine.cpu_quota.map_or("none".into(), |quota| format!("{} CPUs", number(quota)));
    [
        ("Heddle", machine.heddle.clone()),
        ("system", machine.system.clone()),
        ("CPU", machine.cpu_model.clone()),
        ("logical CPUs", format!("{}; usable: {}", machine.logical_cpus, cpus.join(", "))),
        ("cores", machine.siblings.join(" | ")),
        (
            "two CPUs at once",
            machine.pair_gain.map_or("unknown".into(), |gain| format!("{gain:.2} times the work of one")),
        ),
        ("NUMA nodes", machine.numa_nodes.to_string()),
        ("governor", machine.governor.clone()),
        ("virtualization", machine.virtualization.clone()),
        ("CPU quota", quota),
        ("memory", format!("{}; limit {}", gigabytes(machine.memory_bytes), gigabytes(machine.memory_limit_bytes))),
        ("fresh memory", machine.fresh_page_ns.map_or("unknown".into(), |ns| format!("{ns} ns for 4 KB"))),
        ("clock", machine.clock_source.clone()),
    ]
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::experiment::library;
    use crate::experiment::measure::BUILT_IN;
    use crate::experiment::setting::{Place, settings};

    /// Two rounds of every setting, on a machine that has everything. The figure grows with the setting's number.
    pub fn measured(definition: &Definition) -> Results {
        let siblings = vec!["0,2".to_string(), "1,3".to_string()];
        let machine =
            Machine { siblings, usable_cpus: vec![0, 1, 2, 3], cpu_model: "a < b & c".into(), ..Machine::look() };
        let place = Place { machine: &machine, quick: false, is_target: false };
        let (settings, skipped) = settings(definition, place).expect("settings");
        assert!(skipped.is_empty(), "{skipped:?}");
        let names =
            BUILT_IN.iter().map(|known| known.name).chain(definition.measure.iter().map(|own| own.name.as_str()));
        let names: Vec<String> = names.map(str::to_owned).collect();
        let run = |at: usize, repeat: u32| Run {
            hash: settings[at].hash("program"),
            repeat,
            order: at as u32 + repeat * settings.len() as u32,
            setting: settings[at].values.clone(),
            values: names.iter().map(|name| (name.clone(), (at + 1) as f64 * f64::from(10 + repeat))).collect(),
            seconds: vec![(1.0, 10.0), (2.0, 12.0)],
            clients: vec![3, 4, 5],
            cpus: vec![(0, 80.0), (2, 40.0)],
            waits_ms: vec![("LOGBUFFER".into(), 7.0)],
            spinlocks: vec![("SOS_RW".into(), 5.0, 9.0)],
            ..Run::default()
        };
        let runs = (0..2).flat_map(|repeat| (0..settings.len()).map(move |at| (at, repeat)));
        Results {
            machines: vec![machine],
            ceilings: Vec::new(),
            runs: runs.map(|(at, repeat)| run(at, repeat)).collect(),
            skipped: Vec::new(),
        }
    }

    #[test]
    fn every_chart_is_there_and_nothing_comes_from_elsewhere() {
        for definition in library::all().expect("definitions") {
            let results = measured(&definition);
            let page = page(&[(definition.clone(), results)]);
            for chart in &definition.chart {
                let head = format!("<h3>{}</h3>\n<p>{}</p>", escaped(&chart.title), escaped(&chart.says));
                let after = page.split_once(&head).unwrap_or_else(|| panic!("{}: {}", definition.name, chart.title)).1;
                let mine = after.split("<h3>").next().expect("the rest");
                assert!(mine.contains("<svg viewBox=\"0 0 400") && mine.contains("</table>"), "{}", chart.title);
                let (unit, _) = definition.meaning(&chart.y).expect("a measure");
                assert!(mine.contains(&escaped(unit)), "{}: no unit", chart.title);
                for seed in &chart.seed {
                    assert!(mine.contains(&escaped(&seed.says)), "{}: '{}' has no place", chart.title, seed.says);
                }
            }
            assert!(page.contains("a &lt; b &amp; c") && !page.contains("a < b"), "{}", definition.name);
            for wrong in
                ["http:", "https:", "src=", "<link", "<script", "@import", "url(", "NaN", "Not measured here", "-0<"]
            {
                assert!(!page.contains(wrong), "{}: {wrong}", definition.name);
            }
            let opened = |tag: &str| page.matches(&format!("<{tag}")).count();
            let closed = |tag: &str| page.matches(&format!("</{tag}>")).count();
            for tag in ["div", "svg", "table", "tr", "section", "figure", "details", "pre"] {
                assert_eq!(opened(tag), closed(tag), "{}: {tag}", definition.name);
            }
        }
    }

    #[test]
    fn a_link_that_is_slower_here_than_it_is_called_is_marked() {
        let definition = library::named(&["rbar".into()]).expect("a definition").remove(0);
        let told = |mbit_per_second: f64| {
            let links = [(0, 0), (1_000, 50), (40_000, 20)];
            let links = links.map(|(mbit_per_second, delay_us)| Link { mbit_per_second, delay_us }).to_vec();
            let ceilings = vec![Ceiling { mbit_per_second, adds_us: 9.5, links }];
            page(&[(definition.clone(), Results { ceilings, ..measured(&definition) })])
        };
        let (slow, fast) = (told(16_000.0), told(50_000.0));
        assert!(slow.contains("it carried 16,000 Mbit/s here, and added 9.50 µs to a message each way."));
        assert!(slow.contains("It does not reach 40 Gbit/s and 20 µs: there"));
        assert!(fast.contains("It reaches all links that were asked for."));
    }

    #[test]
    fn runs_of_another_program_or_that_failed_do_not_count() {
        let definition = library::named(&["startup".into()]).expect("a definition").remove(0);
        let mut results = measured(&definition);
        let all = results.runs.len();
        results.runs[0].failed = Some("<why>".into());
        let newer = Run { hash: "newer".into(), ..results.runs[1].clone() };
        let setting = newer.setting.clone();
        results.runs.push(newer);
        let counted = results.counted();
        assert_eq!(counted.len(), all - 1 - 2 + 1);
        assert!(counted.iter().all(|run| run.setting != setting || run.hash == "newer"));
        let page = page(&[(definition, results)]);
        assert!(page.contains("Failed, round 1:") && page.contains("&lt;why&gt;"), "{page}");
    }

    #[test]
    fn a_ratio_is_of_runs_of_one_round() {
        let definition = library::named(&["startup".into()]).expect("a definition").remove(0);
        let results = measured(&definition);
        let runs = results.counted();
        let panels = panels(&definition, &definition.chart[0], &runs);
        assert_eq!((panels.len(), panels[0].series.len(), panels[0].places.len()), (1, 2, 2));
        // The second setting of each pair has twice, and four thirds of, the figure of the first.
        let ratio = |place: usize| panels[0].ratio(1, place).expect("a ratio");
        assert_eq!((ratio(0).median, ratio(0).count), (2.0, 2));
        assert!((ratio(1).median - 4.0 / 3.0).abs() < 1e-9);
        assert_eq!(panels[0].ratio(0, 0), None);
        assert_eq!(panels[0].spread(0, 0).map(|spread| (spread.low, spread.high)), Some((10.0, 11.0)));
    }
}
