//! What a terminal shows while a run goes on, on stderr: a progress bar, and below it the last second in figures.
//!
//! The figures are those that the run keeps anyhow, taken once a second; nothing is shown where stderr is no terminal, or a dumb one.

use std::collections::BTreeMap;
use std::fmt::Write;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::plan::Plan;
use super::series::Second;
use super::totals::{Counts, errors};

/// Seconds in the sparkline. With its name it fits into a terminal of 80 columns.
const SPARKS_MAX: usize = 60;
/// Eighths of a line's height; nothing at all is a blank.
const SPARKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Errors told apart, the most frequent ones.
const ERRORS_MAX: usize = 4;

pub struct Live {
    bar: ProgressBar,
    /// The lines below the bar. None: the bar is all there is.
    figures: Option<Figures>,
}

struct Figures {
    has_sparkline: bool,
    /// Of this process, when the last second ended.
    cpu_ns: u64,
}

/// The state of a run at the end of a second.
struct Moment<'s> {
    /// Never empty.
    seconds: &'s [Second],
    requests_per_second: f64,
    /// Of those that the run is for.
    connections: u32,
    errors: BTreeMap<i64, u64>,
    retries: u64,
    /// Of all the threads that drive connections, in the last second.
    cpu_percent: f64,
}

impl Live {
    /// `cpu_ns`: what this process has used.
    pub fn new(plan: &Plan, cpu_ns: u64) -> Live {
        let args = &plan.args;
        if args.no_progress || args.json.as_deref() == Some("-") {
            return Live { bar: ProgressBar::hidden(), figures: None };
        }
        let length = match args.duration_s {
            Some(seconds) => (args.warmup_s + seconds) * 1_000,
            None => args.iterations().saturating_mul(plan.connections().into()),
        };
        let target = ProgressDrawTarget::stderr();
        let has_figures = !args.is_quiet() && !target.is_hidden();
        let figures = has_figures.then(|| Figures { has_sparkline: has_sparkline(os::env::var), cpu_ns });
        let template = match figures {
            Some(_) => "{elapsed_precise} [{wide_bar}] {msg}\n{prefix}",
            None => "{elapsed_precise} [{wide_bar}] {msg}",
        };
        let style = ProgressStyle::with_template(template).expect("a good template").progress_chars("=> ");
        Live { bar: ProgressBar::with_draw_target(Some(length), target).with_style(style), figures }
    }

    /// Moves the bar.
    pub fn tick(&self, plan: &Plan, elapsed_ns: u64) {
        let Counts { iterations, errors, connected, .. } = plan.totals.counts();
        self.bar.set_position(if plan.args.duration_s.is_some() { elapsed_ns / 1_000_000 } else { iterations });
        let rate = iterations as f64 / (elapsed_ns as f64 / 1e9).max(1e-9);
        self.bar.set_message(format!("{rate:.0}/s, {connected} connections, {errors} errors"));
    }

    /// Shows the last of `seconds`. `requests_per_second`: on average; `cpu_ns`: what this process has used.
    pub fn second(&mut self, plan: &Plan, seconds: &[Second], requests_per_second: f64, cpu_ns: u64) {
        let (Some(figures), Some(last)) = (&mut self.figures, seconds.last()) else { return };
        let used_s = (cpu_ns - std::mem::replace(&mut figures.cpu_ns, cpu_ns)) as f64 / 1e9;
        let moment = Moment {
            seconds,
            requests_per_second,
            connections: plan.connections(),
            errors: errors(plan.totals.lanes()).into_iter().map(|(number, kind)| (number, kind.count)).collect(),
            retries: plan.totals.counts().retries,
            cpu_percent: 100.0 * used_s / (last.seconds * f64::from(plan.totals.schedulers)),
        };
        self.bar.set_prefix(moment.lines(figures.has_sparkline));
    }

    /// Leaves the terminal as it was.
    pub fn clear(self) {
        self.bar.finish_and_clear();
    }
}

/// Whether the terminal has blocks, by the locale, and may show more than plain text. See no-color.org.
fn has_sparkline(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    // As the C library looks for the locale of characters.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default().to_uppercase();
    (locale.contains("UTF-8") || locale.contains("UTF8")) && set("NO_COLOR").is_none()
}

impl Moment<'_> {
    fn lines(&self, has_sparkline: bool) -> String {
        let last = self.seconds.last().expect("a second has ended");
        let minute = &self.seconds[self.seconds.len().saturating_sub(SPARKS_MAX)..];
        let rates: Vec<f64> = minute.iter().map(Second::requests_per_second).collect();
        let (now, average) = (last.requests_per_second(), self.requests_per_second);
        let mut lines = format!("requests/s    {now:.0} now, {average:.0} on average\n");
        let Second { p50_ms, p95_ms, p99_ms, max_ms, .. } = last;
        match p50_ms.is_nan() {
            true => lines.push_str("latency ms    no iteration ended in the last second\n"),
            false => {
                let latencies = format!("p50 {p50_ms:.3} p95 {p95_ms:.3} p99 {p99_ms:.3} max {max_ms:.3}");
                lines.push_str(&format!("latency ms    {latencies}\n"));
            }
        }
        lines.push_str(&format!("errors        {}, {} retries\n", self.errors_by_number(), self.retries));
        let (open, all, cpu) = (last.connections, self.connections, self.cpu_percent);
        lines.push_str(&format!("connections   {open} of {all} open, client CPU {cpu:.0} %\n"));
        let highest = rates.iter().copied().fold(0.0, f64::max);
        match has_sparkline {
            true => {
                lines.push_str("last minute   ");
                lines.extend(rates.iter().map(|rate| spark(*rate, highest)));
            }
            false => {
                let lowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
                lines.push_str(&format!("last minute   {lowest:.0} to {highest:.0} requests/s"));
            }
        }
        lines
    }

    fn errors_by_number(&self) -> String {
        let mut text = self.errors.values().sum::<u64>().to_string();
        let mut kinds: Vec<(i64, u64)> = self.errors.iter().map(|(number, count)| (*number, *count)).collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        for (at, (number, count)) in kinds.iter().take(ERRORS_MAX).enumerate() {
            let (mark, side) = (if at == 0 { ": " } else { ", " }, if *number < 0 { "client " } else { "" });
            write!(text, "{mark}{count} x {side}{number}").expect("memory takes it");
        }
        if kinds.len() > ERRORS_MAX {
            text.push_str(", ...");
        }
        text
    }
}

/// `highest` fills the line; whatever is more than nothing can be seen.
fn spark(rate: f64, highest: f64) -> char {
    SPARKS[(rate / highest.max(f64::MIN_POSITIVE) * 8.0).ceil() as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(requests: u64) -> Second {
        Second {
            at_s: 1.0,
            seconds: 2.0,
            iterations: 0,
            requests,
            rows: 0,
            errors: 0,
            connections: 3,
            p50_ms: 0.5,
            p95_ms: 1.0,
            p99_ms: 2.0,
            max_ms: 30.25,
        }
    }

    fn moment<'s>(seconds: &'s [Second], errors: &[(i64, u64)]) -> Moment<'s> {
        let errors = errors.iter().copied().collect();
        Moment { seconds, requests_per_second: 150.4, connections: 4, errors, retries: 7, cpu_percent: 12.3 }
    }

    #[test]
    fn a_moment_in_figures() {
        let seconds = [second(0), second(1), second(100), second(800), second(400)];
        let expected = "requests/s    200 now, 150 on average
latency ms    p50 0.500 p95 1.000 p99 2.000 max 30.250
errors        6: 5 x 1205, 1 x client -2, 7 retries
connections   3 of 4 open, client CPU 12 %
last minute   ";
        let moment = moment(&seconds, &[(-2, 1), (1205, 5)]);
        assert_eq!(moment.lines(true), format!("{expected} ▁▁█▄"));
        assert_eq!(moment.lines(false), format!("{expected}0 to 400 requests/s"));
    }

    #[test]
    fn a_minute_fits_into_80_columns() {
        let seconds: Vec<Second> = (1..=200).map(second).collect();
        let errors: Vec<(i64, u64)> = (1..=9).map(|number| (number, 1)).collect();
        let lines = moment(&seconds, &errors).lines(true);
        assert!(lines.lines().all(|line| line.chars().count() <= 80), "{lines}");
        assert_eq!(lines.lines().last().map(|line| line.chars().count()), Some("last minute   ".len() + SPARKS_MAX));
        assert!(lines.contains("errors        9: 1 x 1, 1 x 2, 1 x 3, 1 x 4, ..., 7 retries"), "{lines}");
    }

    #[test]
    fn nothing_happened() {
        let still = [Second { p50_ms: f64::NAN, ..second(0) }];
        let lines = moment(&still, &[]).lines(true);
        assert!(lines.contains("no iteration ended in the last second\nerrors        0, 7 retries"), "{lines}");
        assert!(lines.ends_with("last minute    "), "{lines}");
    }

    #[test]
    fn what_a_terminal_asks_for() {
        for (variables, expected) in [
            (&[("LANG", "en_US.UTF-8")][..], true),
            (&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8"), ("LANG", "C")], true),
            (&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")], false),
            (&[], false),
            (&[("LANG", "C.UTF-8"), ("NO_COLOR", "1")], false),
            (&[("LANG", "C.UTF-8"), ("NO_COLOR", "")], true),
        ] {
            let variable =
                |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string());
            assert_eq!(has_sparkline(variable), expected, "{variables:?}");
        }
    }
}
