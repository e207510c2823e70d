//! The answer as text, for a terminal, a log or a mail: the page's tables without its charts.

use std::fmt::Write;

use super::draw::number;
use super::page::{machines_of, notes, seed_text};
use super::panel::{Panel, Row, panels};
use crate::experiment::definition::Definition;
use crate::experiment::results::Results;
use crate::experiment::statistics::Spread;

/// Each experiment with its question and the tables of its charts, then the machines.
pub fn text(measured: &[(Definition, Results)]) -> String {
    let mut out = String::new();
    for (definition, results) in measured {
        let line = "=".repeat(definition.title.chars().count());
        let _ = writeln!(out, "{}\n{line}\n{}", definition.title, definition.question);
        let runs = results.counted();
        for note in notes(results, &runs) {
            let _ = writeln!(out, "{note}");
        }
        for chart in &definition.chart {
            let panels = panels(definition, chart, &runs);
            panels.iter().filter(|panel| !panel.places.is_empty()).for_each(|panel| table(&mut out, panel));
        }
        out.push('\n');
    }
    for machine in machines_of(measured) {
        out.push_str("The machine\n");
        aligned(&mut out, &machine.map(|(name, what)| vec![name.to_owned(), what]), 2);
    }
    out
}

fn table(out: &mut String, panel: &Panel<'_>) {
    let chart = panel.chart;
    let of_all = if panel.title.is_empty() { String::new() } else { format!("; {}", panel.title) };
    let _ = writeln!(out, "\n{}{of_all} ({})", chart.title, panel.unit);
    let compared = chart.baseline.as_ref().map_or(String::new(), |baseline| format!("to {}", baseline.0));
    let figures = ["median", "lowest", "highest", "runs", &compared, "in the document"];
    let mut rows = vec![panel.heads().chain(figures).map(str::to_owned).collect::<Vec<_>>()];
    for Row { names, spread, ratio, seed } in panel.rows() {
        let mut row: Vec<String> = names.into_iter().map(str::to_owned).collect();
        row.extend([spread.median, spread.low, spread.high].map(number));
        row.push(spread.count.to_string());
        row.push(ratio.map_or(String::new(), ratio_text));
        row.push(seed.map_or(String::new(), seed_text));
        rows.push(row);
    }
    aligned(out, &rows, panel.heads().count());
}

fn ratio_text(ratio: Spread) -> String {
    let median = number(ratio.median);
    match ratio.differs_from_one() {
        true => format!("{median} ({} to {})", number(ratio.low), number(ratio.high)),
        false if ratio.count == 1 => format!("{median} (one round)"),
        false => format!("{median} (no difference)"),
    }
}

/// The first `words` columns to the left, the others, which are figures, to the right; none where no row but the head has anything.
fn aligned(out: &mut String, rows: &[Vec<String>], words: usize) {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let is_used = |column: usize| column < words || rows.iter().skip(1).any(|row| !row[column].is_empty());
    let columns: Vec<(usize, usize)> =
        (0..rows.first().map_or(0, Vec::len)).filter(|at| is_used(*at)).map(|at| (at, width(at))).collect();
    for row in rows {
        let cells: Vec<String> = columns
            .iter()
            .map(|(at, width)| match *at < words {
                true => format!("{:<width$}", row[*at]),
                false => format!("{:>width$}", row[*at]),
            })
            .collect();
        let _ = writeln!(out, "  {}", cells.join("  ").trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::library;
    use crate::experiment::report::page::tests::measured;

    #[test]
    fn a_table_has_the_figures_of_its_chart() {
        let definition = library::named(&["rwlock".into()]).expect("a definition").remove(0);
        let results = measured(&definition);
        let text = text(&[(definition, results)]);
        let begin = text.find("\nCalls of sp_reset_connection").expect("the first chart");
        let table: Vec<&str> = text[begin + 1..].lines().take(4).collect();
        // The figure of setting n is 10 n in the first round and 11 n in the second; locks vary slower than connections.
        assert_eq!(
            table,
            [
                "Calls of sp_reset_connection (requests/s)",
                "  connections  lock     median  lowest  highest  runs           to classic  in the document",
                "  16           classic    10.5    10.0     11.0     2",
                "  16           atomic     42.0    40.0     44.0     2  4.00 (4.00 to 4.00)",
            ]
        );
        assert!(text.contains("2.50 times\n"), "{text}");
        assert!(text.contains("The machine\n") && text.contains("a < b & c"), "{text}");
    }

    #[test]
    fn every_experiment_has_its_tables() {
        for definition in library::all().expect("definitions") {
            let results = measured(&definition);
            let charts: Vec<String> = definition.chart.iter().map(|chart| chart.title.clone()).collect();
            let text = text(&[(definition, results)]);
            for chart in charts {
                assert!(text.contains(&format!("\n{chart}")), "{chart}: {text}");
            }
            assert!(!text.contains("NaN"), "{text}");
        }
    }
}
