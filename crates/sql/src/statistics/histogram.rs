//! A histogram as SQL Server's: steps of values in ascending order, each with the rows of its upper value and, apart, those between it and
//! the step before. Values that many rows have are steps of their own; the rest is divided into parts of about as many rows.

use types::Datum;

/// <https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-show-statistics-transact-sql>
pub const STEPS_MAX: usize = 200;

#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The upper value as a part of a key (`types::key`).
    pub key: Box<[u8]>,
    pub value: Datum,
    /// With values between the step before and this one's.
    pub range_rows: f64,
    pub equal_rows: f64,
    /// Different values between.
    pub range_distinct: f64,
}

impl Step {
    /// Rows with one of the values between; 1 where there are none.
    pub fn average_range_rows(&self) -> f64 {
        if self.range_distinct > 0.0 { self.range_rows / self.range_distinct } else { 1.0 }
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Histogram {
    pub steps: Vec<Step>,
    /// Rows without a value.
    pub nulls: f64,
}

impl Histogram {
    /// Rows with a value.
    pub fn values(&self) -> f64 {
        self.steps.iter().map(|step| step.range_rows + step.equal_rows).sum()
    }

    pub fn rows(&self) -> f64 {
        self.values() + self.nulls
    }

    /// How much the values differ in their rows: the variance of these over their mean's square, 0 where each has as many.
    pub fn skew(&self) -> f64 {
        let (mut values, mut rows, mut squares) = (0.0, 0.0, 0.0);
        for step in &self.steps {
            values += 1.0 + step.range_distinct;
            rows += step.equal_rows + step.range_rows;
            squares += step.equal_rows.powi(2) + step.range_rows.powi(2) / step.range_distinct.max(1.0);
        }
        (values * squares / rows.max(1.0).powi(2) - 1.0).max(0.0)
    }

    /// Rows with this value. One that lies outside of all steps may have come since.
    pub fn equal(&self, key: &[u8]) -> f64 {
        let at = self.steps.partition_point(|step| &*step.key < key);
        match self.steps.get(at) {
            Some(step) if &*step.key == key => step.equal_rows,
            Some(step) if at > 0 => step.range_rows / step.range_distinct.max(1.0),
            _ => 0.0,
        }
    }

    /// Rows with lower values; `inclusive`: and with this one.
    pub fn below(&self, key: &[u8], inclusive: bool) -> f64 {
        self.sum_below(key, inclusive, |part| part)
    }

    /// Rows with values from one to before another, of texts that begin alike. Where in a step these begin or end their letters hardly say:
    /// one upper value among them stands for about a whole step, wherever it lies.
    pub fn between_texts(&self, low: &[u8], high: &[u8]) -> f64 {
        let nearly = |part| 0.25 + part / 2.0;
        self.sum_below(high, false, nearly) - self.sum_below(low, false, nearly)
    }

    /// `moved`: the part of a step's rows that lie below, by where the key lies in it.
    fn sum_below(&self, key: &[u8], inclusive: bool, moved: impl Fn(f64) -> f64) -> f64 {
        let at = self.steps.partition_point(|step| &*step.key < key);
        let whole: f64 = self.steps[..at].iter().map(|step| step.range_rows + step.equal_rows).sum();
        match self.steps.get(at) {
            None => whole,
            Some(step) if &*step.key == key => whole + step.range_rows + f64::from(inclusive) * step.equal_rows,
            Some(_) if at == 0 => 0.0,
            Some(step) => {
                let part = moved(position(key, &self.steps[at - 1].key, &step.key));
                let own = f64::from(inclusive) * step.range_rows / step.range_distinct.max(1.0);
                whole + (part * step.range_rows + own).min(step.range_rows)
            }
        }
    }
}

/// Where a key lies between two others, from 0 to 1, as if keys were numbers: whole numbers and times are so, and text nearly.
fn position(key: &[u8], low: &[u8], high: &[u8]) -> f64 {
    let same = low.iter().zip(high).take_while(|(a, b)| a == b).count();
    let number = |key: &[u8]| {
        let bytes = key.get(same..).unwrap_or(&[]).iter().copied().chain(std::iter::repeat(0));
        bytes.take(8).fold(0.0, |number, byte| number * 256.0 + f64::from(byte))
    };
    let (low, high, key) = (number(low), number(high), number(key));
    if high > low { ((key - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 }
}

/// Takes values in ascending order, each once.
#[derive(Debug)]
pub struct HistogramBuilder {
    steps: Vec<Step>,
    nulls: f64,
    /// Rows of a step, once there are more values than steps.
    depth: f64,
    /// Each value is a step, as long as there are no more than steps.
    exact: bool,
    open: Open,
    last: Option<(Box<[u8]>, Datum, f64)>,
}

#[derive(Debug, Default)]
struct Open {
    rows: f64,
    distinct: f64,
}

impl HistogramBuilder {
    /// `rows`: about as many will come.
    pub fn new(rows: f64) -> HistogramBuilder {
        // A step ends when it is full, or before a value that would overfill it: two steps hold at least one depth.
        let depth = 2.0 * rows.max(1.0) / (STEPS_MAX as f64 - 4.0);
        HistogramBuilder { steps: Vec::new(), nulls: 0.0, depth, exact: true, open: Open::default(), last: None }
    }

    pub fn add_nulls(&mut self, rows: f64) {
        self.nulls += rows;
    }

    pub fn add(&mut self, key: &[u8], value: Datum, rows: f64) {
        debug_assert!(self.last.as_ref().is_none_or(|(last, ..)| &**last < key), "values ascend");
        if self.exact && self.steps.len() + usize::from(self.last.is_some()) == STEPS_MAX - 1 {
            self.exact = false;
            let steps = std::mem::take(&mut self.steps);
            for step in steps {
                self.merge(step.key, step.value, step.equal_rows);
            }
        }
        if let Some((key, value, rows)) = self.last.replace((key.into(), value, rows)) {
            self.close_or_merge(key, value, rows);
        }
    }

    fn close_or_merge(&mut self, key: Box<[u8]>, value: Datum, rows: f64) {
        match self.exact {
            true => self.close(key, value, rows),
            false => self.merge(key, value, rows),
        }
    }

    fn close(&mut self, key: Box<[u8]>, value: Datum, equal_rows: f64) {
        let Open { rows, distinct } = std::mem::take(&mut self.open);
        self.steps.push(Step { key, value, range_rows: rows, equal_rows, range_distinct: distinct });
    }

    /// The value becomes a step if it is the first, if many rows have it, or if it fills the step.
    fn merge(&mut self, key: Box<[u8]>, value: Datum, rows: f64) {
        let has_room = self.steps.len() < STEPS_MAX - 2;
        if self.steps.is_empty() || has_room && (rows * 2.0 >= self.depth || self.open.rows + rows >= self.depth) {
            return self.close(key, value, rows);
        }
        self.open.rows += rows;
        self.open.distinct += 1.0;
    }

    /// Each row stands for `scale` rows of the table, which has `distinct` values; what the sample has not seen lies between the steps.
    pub fn finish(mut self, scale: f64, distinct: f64) -> Histogram {
        if let Some((key, value, rows)) = self.last.take() {
            self.close(key, value, rows);
        }
        let between: f64 = self.steps.iter().map(|step| step.range_distinct).sum();
        let unseen = (distinct - between - self.steps.len() as f64).max(0.0);
        for step in &mut self.steps {
            step.range_rows *= scale;
            step.equal_rows *= scale;
            if between > 0.0 {
                step.range_distinct += unseen * step.range_distinct / between;
            }
            step.range_distinct = step.range_distinct.min(step.range_rows);
        }
        Histogram { steps: self.steps, nulls: self.nulls * scale }
    }
}

#[cfg(test)]
mod tests {
    use types::key::encode_datum;
    use types::{Datum, SqlType};

    use super::{Histogram, HistogramBuilder, STEPS_MAX};

    fn key(value: i64) -> Vec<u8> {
        let mut key = Vec::new();
        encode_datum(&SqlType::INT, false, &Datum::I64(value), &mut key);
        key
    }

    fn made(values: impl Iterator<Item = (i64, f64)> + Clone) -> Histogram {
        let mut builder = HistogramBuilder::new(values.clone().map(|(_, rows)| rows).sum());
        let mut distinct = 0.0;
        for (value, rows) in values {
            builder.add(&key(value), Datum::I64(value), rows);
            distinct += 1.0;
        }
        builder.finish(1.0, distinct)
    }

    #[test]
    fn few_values_are_steps_each() {
        let histogram = made((0..199).map(|value| (value, (value % 7 + 1) as f64)));
        assert_eq!(histogram.steps.len(), 199);
        assert!(histogram.steps.iter().all(|step| step.range_rows == 0.0));
        assert_eq!((histogram.equal(&key(3)), histogram.equal(&key(500))), (4.0, 0.0));
        assert_eq!((histogram.below(&key(2), false), histogram.below(&key(2), true)), (3.0, 6.0));
    }

    #[test]
    fn many_values_are_divided_evenly_and_none_is_lost() {
        for count in [200, 201, 1_000, 100_000] {
            let histogram = made((0..count).map(|value| (value, 1.0)));
            assert!(histogram.steps.len() <= STEPS_MAX, "{}", histogram.steps.len());
            assert_eq!(histogram.rows(), count as f64);
            assert_eq!(histogram.steps[0].value, Datum::I64(0));
            assert_eq!(histogram.steps.last().map(|step| step.value.clone()), Some(Datum::I64(count - 1)));
            let tenth = histogram.below(&key(count / 10), false);
            assert!((tenth - count as f64 / 10.0).abs() <= count as f64 * 0.01, "{count}: {tenth}");
            assert!((histogram.equal(&key(count / 2)) - 1.0).abs() < 0.01);
        }
    }

    #[test]
    fn a_value_that_many_rows_have_is_a_step() {
        let histogram = made((0..10_000).map(|value| (value, if value == 777 { 5_000.0 } else { 1.0 })));
        assert_eq!(histogram.equal(&key(777)), 5_000.0);
        assert!(histogram.equal(&key(778)) < 2.0);
    }

    #[test]
    fn values_of_which_each_has_as_many_rows_have_no_skew() {
        let even = made((0..10_000).map(|value| (value, 3.0)));
        assert!(even.skew() < 0.01, "{}", even.skew());
        // One of 100 values has as many rows as all others: its square over the mean's, which are 50 times 50 of 2 hundredths.
        let skewed = made((0..100).map(|value| (value, if value == 0 { 99.0 } else { 1.0 })));
        assert!((skewed.skew() - 24.5).abs() < 1.0, "{}", skewed.skew());
    }

    #[test]
    fn texts_that_begin_alike_have_about_a_step_for_each_upper_value_among_them() {
        let text = |value: &str| {
            let mut key = Vec::new();
            encode_datum(&SqlType::varchar(20), false, &Datum::Bytes(value.as_bytes().into()), &mut key);
            key
        };
        let mut builder = HistogramBuilder::new(100_000.0);
        // A hundred thousand, of which those that begin with `usa` lie close together.
        let mut all: Vec<String> =
            (0..99_000).map(|at| format!("{}{at:06}", char::from(b'a' + (at / 3_900) as u8))).collect();
        all.extend((0..1_000).map(|at| format!("usa:{at:04}")));
        all.sort();
        all.iter().for_each(|value| builder.add(&text(value), Datum::Bytes(value.as_bytes().into()), 1.0));
        let histogram = builder.finish(1.0, 100_000.0);
        let found = histogram.between_texts(&text("usa"), &text("usb"));
        assert!((500.0..2_000.0).contains(&found), "{found}");
        assert!(histogram.between_texts(&text("uta"), &text("utb")) < 200.0);
    }

    #[test]
    fn a_step_that_lies_before_all_has_no_range() {
        let histogram = made((10..1_000).map(|value| (value, 1.0)));
        assert_eq!((histogram.below(&key(5), true), histogram.steps[0].range_rows), (0.0, 0.0));
    }
}
