//! How many different values there are, from a sample of pages. Rows of a page are often alike (a key, the day of an order), so the unit is
//! the page: a value that lies in one sampled page only is likely to have brothers that no sampled page has; one that lies in many is
//! known. This is the estimator "Duj1" of Haas, Naughton, Seshadri, Stokes, "Sampling-Based Estimation of the Number of Distinct Values of
//! an Attribute" (VLDB 1995), over pages instead of rows.

/// Counts the values of a sample that come in order, so that equal ones are next to each other.
#[derive(Debug, Default)]
pub struct DistinctCounter {
    /// Different values.
    values: f64,
    /// Pairs of a value and a page that has it.
    places: f64,
    /// Values that one page has.
    in_one_page: f64,
}

impl DistinctCounter {
    /// A value, and in how many pages it lies.
    pub fn add(&mut self, pages: usize) {
        self.values += 1.0;
        self.places += pages as f64;
        self.in_one_page += f64::from(pages == 1);
    }

    pub fn values(&self) -> f64 {
        self.values
    }

    /// In the whole of which the sample is `part` (up to 1), and which has `rows`.
    pub fn estimate(&self, part: f64, rows: f64) -> f64 {
        if part >= 1.0 || self.places == 0.0 {
            return self.values;
        }
        let unseen = 1.0 - (1.0 - part) * self.in_one_page / self.places;
        (self.values / unseen.max(part)).clamp(self.values, rows.max(self.values))
    }
}

#[cfg(test)]
mod tests {
    use super::DistinctCounter;

    fn counted(pages: impl IntoIterator<Item = usize>) -> DistinctCounter {
        let mut counter = DistinctCounter::default();
        pages.into_iter().for_each(|pages| counter.add(pages));
        counter
    }

    #[test]
    fn few_values_that_all_pages_have_are_all() {
        assert_eq!(counted([100; 25]).estimate(0.01, 1e6), 25.0);
    }

    #[test]
    fn values_of_one_page_each_are_as_many_more_as_there_are_pages() {
        let keys = counted(vec![1; 1000]).estimate(0.01, 1e6);
        assert!((99_000.0..=101_000.0).contains(&keys), "{keys}");
    }

    #[test]
    fn no_more_than_rows() {
        assert_eq!(counted(vec![1; 1000]).estimate(0.01, 5000.0), 5000.0);
    }
}
