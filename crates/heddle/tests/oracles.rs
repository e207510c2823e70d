//! Random queries that check each other (docs/oracles.md): some seeds with every change.
//!
//! `SEEDS=1000 cargo test -p heddle --test oracles` asks more; `SEED=4711` that one.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use lab::oracle::{Oracle, Runner, Subject, Twin};
use support::random::number;
use support::{PASSWORD, Server};

const SEEDS: u64 = 40;
const QUESTIONS: usize = 60;

/// `count` seeds from `first` on, unless the environment asks for others.
fn run(runner: &mut Runner, first: u64, count: u64) {
    let seeds = match number("SEED") {
        Some(seed) => seed..seed + 1,
        None => first..first + number("SEEDS").unwrap_or(count),
    };
    let mut failed = Vec::new();
    for seed in seeds {
        let found = runner.seed(seed).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        failed.extend(found.iter().map(|found| format!("seed {seed}: {found}")));
    }
    println!("{}", runner.figures);
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

#[test]
fn what_must_hold_between_answers_holds() {
    let server = Server::start(&[]);
    let subject = Subject::with(&server.address(), PASSWORD);
    let mut runner = Runner::new(subject, Oracle::ALL.to_vec(), QUESTIONS).expect("a session");
    run(&mut runner, 0, SEEDS);
    assert!(runner.figures.errors * 10 < runner.figures.questions, "most questions have answers: {}", runner.figures);
}

/// Hash tables, sorts and spools that have no memory give the answers of those that have: the twin's queries spill from the first row on.
#[test]
fn a_server_whose_queries_have_no_memory_is_a_twin() {
    let (server, twin) = (Server::start(&[]), Server::start(&["--query-memory-kb", "0"]));
    let subject = Subject::with(&server.address(), PASSWORD);
    // Which of a change's errors comes first depends on the order of its rows, and so on whether it spills. So does, more rarely, what
    // EXISTS has computed when it found its first row: the seeds are some of those where nothing is told of that.
    let oracles = Oracle::ALL.into_iter().filter(|oracle| *oracle != Oracle::Changes).collect();
    let mut runner = Runner::new(subject, oracles, QUESTIONS).expect("a session");
    runner.compare_with(Twin::new(Subject::with(&twin.address(), PASSWORD), false).expect("a second session"));
    run(&mut runner, 1_000, SEEDS / 2);
    let spilled = "SELECT SUM(total_spills) FROM sys.dm_exec_query_stats";
    let spilled = twin.sql(&["-h", "-1", "-W", "-Q", &format!("SET NOCOUNT ON; {spilled}")]);
    let pages = String::from_utf8_lossy(&spilled.stdout).trim().parse::<u64>();
    assert!(pages.as_ref().is_ok_and(|pages| *pages > 0), "the twin's queries spilled: {pages:?}");
}
