//! What is known of the values in a table's columns: how often each is there, and how many different ones. Made from a sample or from all
//! rows, in memory only; the optimizer estimates with them and DBCC SHOW_STATISTICS shows them.
//!
//! - `distinct`: how many different values a table has, seen from some of its pages.
//! - `histogram`: at most 200 steps over the values of one column.

pub mod distinct;
pub mod histogram;

use std::sync::Arc;

use types::Datum;

pub use histogram::{Histogram, HistogramBuilder, STEPS_MAX, Step};

/// Of one column, or of the first columns of an index together.
#[derive(Debug)]
pub struct Statistics {
    /// Of `TableDef::columns`; the histogram is the first one's.
    pub columns: Vec<u16>,
    /// In the table when these were made; of filtered statistics, those that pass the filter.
    pub rows: f64,
    pub rows_sampled: f64,
    pub unfiltered_rows: f64,
    pub histogram: Histogram,
    /// Different values of the first column, of the first two together, and so on; NULL is a value.
    pub distinct: Vec<f64>,
    /// Bytes of such values, on average.
    pub bytes: Vec<f64>,
    /// They hold only of rows that pass a filter.
    pub filtered: bool,
}

impl Statistics {
    /// What they take in memory, about.
    pub fn held_bytes(&self) -> usize {
        let step = |step: &Step| {
            let value = match &step.value {
                Datum::Bytes(bytes) => bytes.len(),
                _ => 0,
            };
            size_of::<Step>() + step.key.len() + value
        };
        size_of::<Statistics>() + self.histogram.steps.iter().map(step).sum::<usize>()
    }

    /// Steps as they are shown: rows without a value are the first one.
    pub fn shown_steps(&self) -> impl Iterator<Item = Step> {
        let nulls = (self.histogram.nulls > 0.0).then(|| Step {
            key: Box::default(),
            value: Datum::Null,
            range_rows: 0.0,
            equal_rows: self.histogram.nulls,
            range_distinct: 0.0,
        });
        nulls.into_iter().chain(self.histogram.steps.iter().cloned())
    }

    pub fn step_count(&self) -> usize {
        self.histogram.steps.len() + usize::from(self.histogram.nulls > 0.0)
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// The statistics of an index: `IndexDef::id`.
    Index(u32),
    /// Any that begin with the column, of `TableDef::columns`.
    Column(u16),
}

/// Says when a plan is worth making again.
pub trait Watch: std::fmt::Debug + Send + Sync {
    /// So much of the table has changed that its statistics would be made again.
    fn has_moved(&self) -> bool;
}

/// What is known of one table when a statement is bound.
#[derive(Debug, Clone, Default)]
pub struct TableStatistics {
    pub all: Vec<Arc<Statistics>>,
    /// None: nothing makes them again by itself.
    pub watch: Option<Arc<dyn Watch>>,
    /// Of a small table, which rows the statement's constants leave.
    pub found: Option<FoundKeys>,
    /// Of a large table that is joined with such small ones.
    pub met: Vec<MetPart>,
}

/// Values of a column that tells rows apart, as parts of a key (`types::key`).
#[derive(Debug, Clone)]
pub struct FoundKeys {
    pub column: u16,
    pub keys: Vec<Box<[u8]>>,
}

/// Of a table's rows that have one of a small table's found keys in `column`, the part that pass the statement's constants.
#[derive(Debug, Clone, Copy)]
pub struct MetPart {
    pub column: u16,
    pub part: f64,
}

/// What was seen in sampled rows of a table: how many have one of some keys, and how many of these pass tests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Met {
    pub rows: u32,
    pub passed: u32,
}

/// Changes after which statistics of a table of `rows` are old: SQL Server's threshold since 2016,
/// <https://learn.microsoft.com/sql/relational-databases/statistics/statistics>.
pub fn changes_max(rows: f64) -> f64 {
    if rows <= 500.0 { 500.0 } else { (500.0 + 0.2 * rows).min((1000.0 * rows).sqrt()) }
}

impl TableStatistics {
    /// Of one column.
    pub fn of(&self, column: u16) -> Option<&Statistics> {
        self.all.iter().find(|one| !one.filtered && one.columns.first() == Some(&column)).map(|one| &**one)
    }

    /// Different values that the columns have together, where some statistics begin with just these.
    pub fn distinct_together(&self, columns: &[u16]) -> Option<f64> {
        self.all.iter().filter(|one| !one.filtered).find_map(|one| {
            let first = one.columns.get(..columns.len())?;
            first.iter().all(|column| columns.contains(column)).then(|| one.distinct[columns.len() - 1])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::changes_max;

    #[test]
    fn thresholds_are_those_of_the_documentation() {
        // 2 million rows: the smaller of 400,500 and 44,721.
        assert_eq!(changes_max(2_000_000.0).floor(), 44_721.0);
        assert_eq!(changes_max(300.0), 500.0);
        assert_eq!(changes_max(600.0), 620.0);
    }
}
