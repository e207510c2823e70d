//! Random queries that check each other (docs/oracles.md): some seeds with every change.
//!
//! `SEEDS=1000 cargo test -p heddle --test oracles` asks more; `SEED=4711` that one.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use lab::oracle::{Oracle, Runner, Subject};
use support::{PASSWORD, Server};

const SEEDS: u64 = 40;
const QUESTIONS: usize = 60;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn what_must_hold_between_answers_holds() {
    let server = Server::start(&[]);
    let subject = Subject::with(&server.address(), PASSWORD);
    let mut runner = Runner::new(subject, Oracle::ALL.to_vec(), QUESTIONS).expect("a session");
    let seeds = match number("SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("SEEDS").unwrap_or(SEEDS),
    };
    let mut failed = Vec::new();
    for seed in seeds {
        let found = runner.seed(seed).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        failed.extend(found.iter().map(|found| format!("seed {seed}: {found}")));
    }
    println!("{}", runner.figures);
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
    assert!(runner.figures.errors * 10 < runner.figures.questions, "most questions have answers: {}", runner.figures);
}
