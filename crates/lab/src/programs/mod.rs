//! `heddle lab oracle programs`: random procedural programs, run by a server and by a model of scopes and transactions that was
//! written from SQL Server's documentation. Both must say the same. See docs/oracles.md.

mod rules;
mod state;
mod program;
mod model;
mod statements;
mod draw;
mod session;
mod shrink;

use std::collections::BTreeMap;

use clap::Args as ClapArgs;

use crate::client::{ClientResult, Target};
use crate::login::Login;
use model::{Event, Model};
use program::{POOL, Program};
use session::Session;
use state::State;

/// Run random procedural programs on a server and in a model, and compare
///
/// TRY and CATCH, errors of each kind, transactions, procedures, triggers, dynamic text, temporary tables: result sets, messages,
/// @@TRANCOUNT and the tables after each batch must be as the model has them. A seed repeats exactly. A program that fails is
/// made small and printed as a script.
///
///   heddle lab oracle programs -S 127.0.0.1,1433 -P secret --seeds 0..10000
///   heddle lab oracle programs -S 127.0.0.1,1433 -P secret --seed 4711 --print
///
/// It makes a database of its own, and drops it. Exit code 0: no failure; 1: some program failed; 2: it could not begin.
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
    pub batches: u64,
    pub failed: u64,
    /// Messages that were expected and came, by number.
    pub messages: BTreeMap<i32, u64>,
    /// Programs left early, by why.
    pub left: BTreeMap<&'static str, u64>,
}

/// The process's exit code.
pub fn run(args: &Args) -> i32 {
    let target = args.login.target("heddle lab oracle programs");
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
    println!("{} programs, {} batches, {} failed, in {seconds:.1} s", totals.programs, totals.batches, totals.failed);
    println!("messages: {:?}", totals.messages);
    println!("left: {:?}", totals.left);
    Ok(totals)
}

/// Runs the programs of `seeds` until so many have failed, and prints those.
pub fn run_seeds(target: &Target, seeds: std::ops::Range<u64>, failures_max: u64, print: bool) -> ClientResult<Totals> {
    let mut session = Session::open(target)?;
    let mut totals = Totals::default();
    for seed in seeds {
        let mut program = draw::program(seed);
        if print {
            println!("-- seed {seed}\n{}", program.script());
        }
        if one(&mut session, &mut program, &mut totals)?.is_some() {
            totals.failed += 1;
            report(&mut session, seed, program)?;
            if totals.failed >= failures_max {
                break;
            }
        }
    }
    session.close()?;
    Ok(totals)
}

/// What the model and the server say that is not the same.
#[derive(Debug)]
struct Difference {
    batch: usize,
    expected: Vec<Event>,
    actual: Vec<Event>,
}

fn one(session: &mut Session, program: &mut Program, totals: &mut Totals) -> ClientResult<Option<Difference>> {
    program.number();
    let mut expected = Vec::new();
    let copy = program.clone();
    let mut model = Model::new(&copy);
    for batch in &copy.batches {
        match model.batch(batch) {
            Ok(events) => expected.push(events),
            Err(why) => {
                *totals.left.entry(why.0).or_default() += 1;
                break;
            }
        }
        expected.push(look(&model.state));
    }
    let actual = session.run(program, expected.len() / 2)?;
    totals.programs += 1;
    totals.batches += expected.len() as u64 / 2;
    for (at, (expected, actual)) in expected.iter().zip(actual).enumerate() {
        if *expected != actual {
            return Ok(Some(Difference { batch: at / 2, expected: expected.clone(), actual }));
        }
        for event in expected {
            if let Event::Message { number, .. } = event {
                // THROW's numbers are all the same to us.
                *totals.messages.entry((*number).min(rules::RAISED)).or_default() += 1;
            }
        }
    }
    Ok(None)
}

/// What `LOOK` must answer.
fn look(state: &State) -> Vec<Event> {
    let mut rows = Vec::new();
    for (at, table) in state.pool.iter().enumerate().take(POOL.len()) {
        let mut of_table: Vec<_> = table.rows.values().collect();
        of_table.sort_unstable();
        rows.extend(of_table.iter().map(|(id, v)| vec![Some(at as i64), id.map(i64::from), v.map(i64::from)]));
    }
    let mut events = vec![Event::Rows(vec![vec![Some(state.count.into())]])];
    if !rows.is_empty() {
        events.push(Event::Rows(rows));
    }
    events
}

fn report(session: &mut Session, seed: u64, program: Program) -> ClientResult<()> {
    let mut ignored = Totals::default();
    let mut program = shrink::shrink(program, |program| matches!(one(session, program, &mut ignored), Ok(Some(_))));
    println!("-- seed {seed} fails; made small:\n{}", program.script());
    if let Some(difference) = one(session, &mut program, &mut ignored)? {
        println!("-- batch {}, expected and actual:", difference.batch + 1);
        difference.expected.iter().for_each(|event| println!("--   expected {event:?}"));
        difference.actual.iter().for_each(|event| println!("--   actual   {event:?}"));
    }
    Ok(())
}
