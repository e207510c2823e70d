//! `heddle lab oracle transactions`: random programs of several sessions, stepped one statement at a time, beside a model of who must wait
//! for whom and what each may see that was written from SQL Server's documentation. See docs/oracles.md.

mod program;
mod freedoms;
mod world;
mod answers;
mod optimistic;
mod serial;
mod draw;
mod controller;

use clap::Args as ClapArgs;

use crate::client::{ClientResult, Target};
use crate::login::Login;
use crate::shrink;
use controller::{Controller, Failure, Seen};
use program::Program;

/// Run random transactions of several sessions, and hold who waits and what is seen against a model
///
/// Two to four sessions at every isolation level, with and without row versions, with hints: each statement must answer what the model says,
/// or wait for whom it says, or be the victim of a deadlock that there is. A seed repeats its statements. A program that fails is made
/// small and printed.
///
///   heddle lab oracle transactions -S 127.0.0.1,1433 -P secret --seeds 0..10000
///   heddle lab oracle transactions -S 127.0.0.1,1433 -P secret --seed 4711 --print
///
/// It makes two databases of its own, and drops them. Exit code 0: no failure; 1: some program failed; 2: it could not begin.
#[derive(Debug, Clone, ClapArgs)]
#[command(verbatim_doc_comment)]
pub struct Args {
    #[command(flatten)]
    pub login: Login,
    /// One seed.
    #[arg(long, value_name = "N", conflicts_with = "seeds")]
    pub seed: Option<u64>,
    /// Seeds from the first up to, not including, the second.
    #[arg(long, value_name = "A..B", value_parser = crate::sim::parse_range, default_value = "0..1000")]
    pub seeds: (u64, u64),
    /// Print each program, also those that are right.
    #[arg(long)]
    pub print: bool,
    /// End after so many failures.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub failures: u64,
}

/// Sums over programs.
#[derive(Debug, Default)]
pub struct Totals {
    pub programs: u64,
    pub failed: u64,
    pub seen: Seen,
}

/// The process's exit code.
pub fn run(args: &Args) -> i32 {
    let target = args.login.target("heddle lab oracle transactions");
    match target.and_then(|target| check(args, &target).map_err(|error| error.to_string())) {
        Ok(totals) => i32::from(totals.failed > 0),
        Err(why) => {
            eprintln!("{}: {why}", args.login.server());
            2
        }
    }
}

fn check(args: &Args, target: &Target) -> ClientResult<Totals> {
    let started = os::clock::now();
    let seeds = args.seed.map_or(args.seeds.0..args.seeds.1, |seed| seed..seed + 1);
    let totals = run_seeds(target, seeds, args.failures, args.print)?;
    let seconds = (os::clock::now() - started) as f64 / 1e9;
    let Seen { statements, waits, errors, freedoms: freedoms_met, serial, left } = &totals.seen;
    println!("{} programs, {statements} statements, {} failed, in {seconds:.1} s", totals.programs, totals.failed);
    println!("{waits} waits, {serial} serial orders found; errors: {errors:?}");
    println!("{left} programs left; waits that documentation leaves open:");
    for (freedom, why) in freedoms::FREEDOMS {
        if let Some(count) = freedoms_met.get(&freedom) {
            println!("{count:>8} {freedom:?}: {why}");
        }
    }
    Ok(totals)
}

/// Runs the programs of `seeds` until so many have failed, and prints those.
pub fn run_seeds(target: &Target, seeds: std::ops::Range<u64>, failures_max: u64, print: bool) -> ClientResult<Totals> {
    let mut controller = Controller::open(target)?;
    let mut totals = Totals::default();
    for seed in seeds {
        let program = draw::program(seed);
        if print {
            println!("-- seed {seed}\n{}", program.script());
        }
        totals.programs += 1;
        if let Some(failure) = controller.run(&program, &mut totals.seen)? {
            totals.failed += 1;
            report(&mut controller, seed, program, failure)?;
            if totals.failed >= failures_max {
                break;
            }
        }
    }
    controller.close()?;
    Ok(totals)
}

fn report(controller: &mut Controller, seed: u64, program: Program, failure: Failure) -> ClientResult<()> {
    let mut last = failure;
    let mut ignored = Seen::default();
    let steps = shrink::list(program.steps.clone(), |steps| {
        let candidate = Program { steps: steps.to_vec(), ..program.clone() };
        match controller.run(&candidate, &mut ignored) {
            Ok(Some(failure)) => {
                last = failure;
                true
            }
            _ => false,
        }
    });
    let program = Program { steps, ..program };
    println!("-- seed {seed} fails; made small:\n{}", program.script());
    last.log.iter().for_each(|line| println!("--   {line}"));
    last.why.iter().for_each(|why| println!("-- {why}"));
    Ok(())
}
