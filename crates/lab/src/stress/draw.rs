//! Numbers drawn from distributions, as the command line writes them: `uniform(1, 10)`, `exp(20)`, `zipf(1, 1000, 0.99)`.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use os::random::Rng;
use rand_core::TryRng;
use rand_distr::{Distribution as _, Exp, Normal, Zipf};

/// Its copies draw from the same sequence.
#[derive(Debug, Clone)]
pub enum Draw {
    Constant(f64),
    /// Whole numbers, both ends included.
    Uniform(i64, i64),
    Exponential(Exp<f64>),
    /// Below zero it is zero.
    Normal(Normal<f64>),
    /// TPC-C 2.1.6: `(((random(0, a) | random(x, y)) + c) % (y - x + 1)) + x`.
    NuRand {
        a: i64,
        x: i64,
        y: i64,
        c: i64,
    },
    /// The first number most often, the nth `n^-exponent` times as often.
    Zipf {
        first: i64,
        last: i64,
        ranks: Zipf<f64>,
    },
    /// Each number once, whoever asks.
    Sequence {
        next: Arc<AtomicI64>,
        step: i64,
    },
}

/// What `parse` takes, for messages.
pub const FORMS: &str = "a number, uniform(first, last), nurand(a, first, last[, c]), zipf(first, last, exponent), sequence([first[, step]]), exp(mean), normal(mean, deviation)";

impl Draw {
    pub fn parse(text: &str) -> Result<Draw, String> {
        let text = text.trim();
        let wrong = || format!("'{text}': expected {FORMS}");
        if let Ok(number) = text.parse::<f64>() {
            return if number.is_finite() { Ok(Draw::Constant(number)) } else { Err(wrong()) };
        }
        let (name, arguments) = text.split_once('(').ok_or_else(wrong)?;
        let arguments = arguments.strip_suffix(')').ok_or_else(wrong)?.trim();
        let numbers: Result<Vec<f64>, _> = match arguments {
            "" => Ok(Vec::new()),
            _ => arguments.split(',').map(|argument| argument.trim().parse()).collect(),
        };
        let numbers = numbers.map_err(|_| wrong())?;
        let whole: Vec<Option<i64>> = arguments.split(',').map(|argument| whole_number(argument.trim())).collect();
        let draw = match (&*name.trim().to_ascii_lowercase(), &whole[..], &numbers[..]) {
            ("uniform", &[Some(first), Some(last)], _) if first <= last => Draw::Uniform(first, last),
            ("nurand", &[Some(a), Some(x), Some(y)], _) if a >= 0 && can_count(x, y) => Draw::NuRand { a, x, y, c: 0 },
            ("nurand", &[Some(a), Some(x), Some(y), Some(c)], _) if a >= 0 && can_count(x, y) => {
                Draw::NuRand { a, x, y, c }
            }
            ("zipf", &[Some(first), Some(last), _], &[_, _, exponent]) if can_count(first, last) => {
                let ranks = Zipf::new((last - first + 1) as f64, exponent).map_err(|_| wrong())?;
                Draw::Zipf { first, last, ranks }
            }
            ("sequence", _, &[]) => Draw::sequence(1, 1),
            ("sequence", &[Some(first)], _) => Draw::sequence(first, 1),
            ("sequence", &[Some(first), Some(step)], _) => Draw::sequence(first, step),
            ("exp" | "exponential", _, &[mean]) if mean > 0.0 => {
                Draw::Exponential(Exp::new(1.0 / mean).map_err(|_| wrong())?)
            }
            ("normal", _, &[mean, deviation]) => Draw::Normal(Normal::new(mean, deviation).map_err(|_| wrong())?),
            _ => return Err(wrong()),
        };
        Ok(draw)
    }

    fn sequence(first: i64, step: i64) -> Draw {
        Draw::Sequence { next: Arc::new(first.into()), step }
    }

    pub fn number(&self, rng: &mut Rng) -> f64 {
        match self {
            Draw::Constant(number) => *number,
            Draw::Exponential(distribution) => distribution.sample(&mut Source(rng)),
            Draw::Normal(distribution) => distribution.sample(&mut Source(rng)).max(0.0),
            _ => self.whole(rng) as f64,
        }
    }

    pub fn whole(&self, rng: &mut Rng) -> i64 {
        match self {
            Draw::Uniform(first, last) => uniform(rng, *first, *last),
            Draw::NuRand { a, x, y, c } => {
                let mixed = (uniform(rng, 0, *a) | uniform(rng, *x, *y)).wrapping_add(*c);
                mixed.rem_euclid(y - x + 1) + x
            }
            Draw::Zipf { first, ranks, .. } => first + ranks.sample(&mut Source(rng)) as i64 - 1,
            Draw::Sequence { next, step } => next.fetch_add(*step, Ordering::Relaxed),
            Draw::Constant(_) | Draw::Exponential(_) | Draw::Normal(_) => self.number(rng).round() as i64,
        }
    }
}

impl Draw {
    /// Between which whole numbers all lie. None: they are not whole.
    pub fn whole_bounds(&self) -> Option<(i64, i64)> {
        match self {
            Draw::Uniform(first, last) | Draw::NuRand { x: first, y: last, .. } => Some((*first, *last)),
            Draw::Zipf { first, last, .. } => Some((*first, *last)),
            Draw::Sequence { .. } => Some((i64::MIN, i64::MAX)),
            Draw::Constant(number) if number.fract() == 0.0 => Some((*number as i64, *number as i64)),
            Draw::Constant(_) | Draw::Exponential(_) | Draw::Normal(_) => None,
        }
    }
}

/// `1000000` as well as `1e6`, where that is exact.
fn whole_number(text: &str) -> Option<i64> {
    const EXACT_MAX: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
    let exact = |number: &f64| number.fract() == 0.0 && number.abs() <= EXACT_MAX;
    text.parse::<i64>().ok().or_else(|| text.parse::<f64>().ok().filter(exact).map(|number| number as i64))
}

/// Whether the numbers from `first` to `last` are some, and so few that an i64 says how many.
fn can_count(first: i64, last: i64) -> bool {
    first <= last && last.checked_sub(first).is_some_and(|steps| steps < i64::MAX)
}

fn uniform(rng: &mut Rng, first: i64, last: i64) -> i64 {
    let numbers = (last.wrapping_sub(first) as u64).saturating_add(1);
    first.wrapping_add(rng.below(numbers) as i64)
}

/// Our generator, as the distributions' crate asks for one.
struct Source<'r>(&'r mut Rng);

impl TryRng for Source<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.0.next() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for part in bytes.chunks_mut(8) {
            part.copy_from_slice(&self.0.next().to_le_bytes()[..part.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 100_000;

    fn drawn(text: &str) -> Vec<f64> {
        let (draw, mut rng) = (Draw::parse(text).expect(text), Rng::from_seed(7));
        (0..DRAWS).map(|_| draw.number(&mut rng)).collect()
    }

    fn mean(numbers: &[f64]) -> f64 {
        numbers.iter().sum::<f64>() / numbers.len() as f64
    }

    fn share(numbers: &[f64], is_one: impl Fn(f64) -> bool) -> f64 {
        numbers.iter().filter(|number| is_one(**number)).count() as f64 / numbers.len() as f64
    }

    /// Within so many of a hundred.
    fn is_about(found: f64, wanted: f64, percent: f64) -> bool {
        (found - wanted).abs() <= wanted * percent / 100.0
    }

    #[test]
    fn numbers_are_spread_as_their_names_say() {
        let uniform = drawn("uniform(-3, 6)");
        assert!((-3..=6).all(|number| is_about(share(&uniform, |found| found == f64::from(number)), 0.1, 5.0)));
        assert!(is_about(mean(&drawn("exp(20)")), 20.0, 2.0));
        // Of an exponential distribution e^-2 lies above twice the mean.
        assert!(is_about(share(&drawn("exponential(20)"), |found| found > 40.0), (-2.0_f64).exp(), 5.0));
        let normal = drawn("normal(100, 10)");
        assert!(is_about(mean(&normal), 100.0, 1.0));
        assert!(is_about(share(&normal, |found| (found - 100.0).abs() < 10.0), 0.6827, 2.0));
        // The sum of 1/k for k up to 1,000 is 7.4855.
        let zipf = drawn("zipf(11, 1010, 1)");
        assert!(is_about(share(&zipf, |found| found == 11.0), 1.0 / 7.4855, 3.0));
        assert!(is_about(share(&zipf, |found| found == 12.0), 0.5 / 7.4855, 5.0));
        assert!(zipf.iter().all(|found| (11.0..=1010.0).contains(found)));
        // A bit of `a` is set by either part: three of four times.
        let nurand = drawn("nurand(255, 0, 1023)");
        assert!(is_about(share(&nurand, |found| found as i64 & 1 == 1), 0.75, 2.0));
        assert!(is_about(share(&nurand, |found| found >= 512.0), 0.5, 2.0));
    }

    #[test]
    fn a_sequence_is_everybodys() {
        let (one, mut rng) = (Draw::parse("sequence(10, 5)").expect("a sequence"), Rng::from_seed(1));
        let other = one.clone();
        assert_eq!([one.whole(&mut rng), other.whole(&mut rng), one.whole(&mut rng)], [10, 15, 20]);
        assert_eq!(Draw::parse("sequence()").expect("a sequence").whole(&mut rng), 1);
        assert_eq!(Draw::parse("42").expect("a number").whole(&mut rng), 42);
        assert_eq!(Draw::parse("sequence(1e6)").expect("a sequence").whole(&mut rng), 1_000_000);
        assert_eq!(Draw::parse("sequence(9223372036854775807)").expect("a sequence").whole(&mut rng), i64::MAX);
    }

    #[test]
    fn what_is_no_distribution_is_refused() {
        for text in [
            "",
            "x",
            "uniform(5, 1)",
            "uniform(1)",
            "uniform(1.5, 3)",
            "exp(0)",
            "zipf(1, 2)",
            "zipf(-9223372036854775808, 9223372036854775807, 1)",
            "normal(1, 2",
            "nurand(255, -9223372036854775808, 9223372036854775807)",
            "nurand(255, 1, 2, 0.5)",
            "sequence(a)",
            "sequence(1, 2, 3)",
            "sequence(1e300)",
            "inf",
        ] {
            let why = Draw::parse(text).expect_err(text);
            assert!(why.starts_with(&format!("'{text}': expected a number, uniform(first, last)")), "{why}");
        }
    }
}
