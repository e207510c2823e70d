//! Random transactions of several sessions wait for whom the model of `lab::transactions` says, and see what it says. More seeds, or one of
//! them: SEEDS=10000, SEED=4711; `heddle lab oracle transactions` runs many.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::{Server, target};

const SEEDS: u64 = 500;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn sessions_wait_for_whom_the_model_says_and_see_what_it_says() {
    let server = Server::start(&[]);
    let first = number("SEED").unwrap_or(0);
    let count = if number("SEED").is_some() { 1 } else { number("SEEDS").unwrap_or(SEEDS) };
    let totals = lab::transactions::run_seeds(&target(server.port, "master"), first..first + count, 3, false);
    let totals = totals.expect("the server answers");
    assert_eq!(totals.failed, 0, "of {} programs; they are printed above", totals.programs);
    // What is compared is something: there are waits, deadlocks, conflicts of snapshots, and histories in a serial order.
    let seen = &totals.seen;
    let errors = [1205, 1222, 2627, 3960, 41302, 41305, 41325].iter().all(|error| seen.errors.contains_key(error));
    assert!(count < SEEDS || seen.waits > count && seen.serial > 0 && errors, "{totals:?}");
}
