//! Random procedural programs say the same on a server and in the model of `lab::programs`. More seeds, or one of them: SEEDS=10000,
//! SEED=4711; `heddle lab oracle programs` runs many.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::{Server, target};

const SEEDS: u64 = 600;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn programs_say_what_the_model_says() {
    let server = Server::start(&[]);
    let first = number("SEED").unwrap_or(0);
    let count = if number("SEED").is_some() { 1 } else { number("SEEDS").unwrap_or(SEEDS) };
    let totals = lab::programs::run_seeds(&target(server.port, "master"), first..first + count, 3, false);
    let totals = totals.expect("the server answers");
    assert_eq!(totals.failed, 0, "of {} programs; they are printed above", totals.programs);
    // What is compared is something: most programs have a batch, and the errors of each kind came.
    assert!(count == 1 || totals.batches > count, "{totals:?}");
    let kinds = [208, 245, 266, 515, 547, 2627, 3902, 50000];
    assert!(count < SEEDS || kinds.iter().all(|number| totals.messages.contains_key(number)), "{totals:?}");
}
