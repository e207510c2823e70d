//! `heddle lab oracle programs`: random procedural programs, run by a server and by a model of scopes and transactions that was
//! written from SQL Server's documentation. Both must say the same. See docs/oracles.md.

mod rules;
mod state;
mod program;
mod text;
mod model;
mod statements;
mod cursors;
mod draw;
mod judge;
mod session;
mod shrink;

use std::collections::BTreeMap;

use clap::Args as ClapArgs;

use crate::client::{ClientResult, Target};
use crate::login::Login;
use crate::oracle::Subject;
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
///   heddle lab oracle programs --serve= --twin=--workers=thread      two servers that must agree, started for it
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
    /// Start a server with this switch instead, in memory and on a port of its own; again for more of them, or --serve= for none.
    #[arg(long, value_name = "SWITCH", allow_hyphen_values = true, conflicts_with = "server")]
    pub serve: Vec<String>,
    /// Run each program, as it was drawn, on a second server too, which is started with this switch; again for more of them. Both
    /// must say the same.
    #[arg(long, value_name = "SWITCH", allow_hyphen_values = true, conflicts_with = "twin_server")]
    pub twin: Vec<String>,
    /// The same with one that runs already, with the same user and password.
    #[arg(long, value_name = "ADDRESS")]
    pub twin_server: Option<String>,
    /// In the second server's database READ_COMMITTED_SNAPSHOT is on.
    #[arg(long)]
    pub twin_rcsi: bool,
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
    /// Statements taken out of programs because documentation does not say what comes of them there.
    pub taken: BTreeMap<&'static str, u64>,
}

/// The process's exit code.
pub fn run(args: &Args) -> i32 {
    match check(args) {
        Ok(totals) => i32::from(totals.failed > 0),
        Err(why) => {
            eprintln!("{}: {why}", args.login.server());
            2
        }
    }
}

const APPLICATION: &str = "heddle lab oracle programs";

fn started(switches: &[String]) -> Result<Subject, String> {
    Subject::start(&switches.iter().filter(|switch| !switch.is_empty()).cloned().collect::<Vec<_>>())
}

fn check(args: &Args) -> Result<Totals, String> {
    // Servers of our own end with these.
    let own = (!args.serve.is_empty()).then(|| started(&args.serve)).transpose()?;
    let has_twin = !args.twin.is_empty() || args.twin_rcsi && args.twin_server.is_none();
    let own_twin = has_twin.then(|| started(&args.twin)).transpose()?;
    let target = match &own {
        Some(subject) => subject.target("master")?,
        None => args.login.target(APPLICATION)?,
    };
    let twin = match (&own_twin, &args.twin_server) {
        (Some(subject), _) => Some(subject.target("master")?),
        (None, Some(address)) => Some(args.login.at(address).target(APPLICATION)?),
        (None, None) => None,
    };
    let started = os::clock::now();
    let seeds = args.seed.map_or(args.seeds.0..args.seeds.1, |seed| seed..seed + 1);
    let mut runner = Runner::new(&target).map_err(|error| error.to_string())?;
    if let Some(twin) = &twin {
        runner.compare_with(twin, args.twin_rcsi).map_err(|error| error.to_string())?;
    }
    let totals = runner.seeds(seeds, args.failures, args.print).map_err(|error| error.to_string())?;
    let seconds = (os::clock::now() - started) as f64 / 1e9;
    println!("{} programs, {} batches, {} failed, in {seconds:.1} s", totals.programs, totals.batches, totals.failed);
    println!("messages: {:?}", totals.messages);
    println!("left early: {:?}", totals.left);
    println!("statements that nobody can judge, not run: {:?}", totals.taken);
    Ok(totals)
}

/// Runs the programs of `seeds` until so many have failed, and prints those.
pub fn run_seeds(target: &Target, seeds: std::ops::Range<u64>, failures_max: u64, print: bool) -> ClientResult<Totals> {
    Runner::new(target)?.seeds(seeds, failures_max, print)
}

struct Runner {
    session: Session,
    twin: Option<Session>,
}

impl Runner {
    fn new(target: &Target) -> ClientResult<Runner> {
        Ok(Runner { session: Session::open(target)?, twin: None })
    }

    fn compare_with(&mut self, twin: &Target, row_versions: bool) -> ClientResult<()> {
        let mut session = Session::open(twin)?;
        if row_versions {
            session.version_rows()?;
        }
        self.twin = Some(session);
        Ok(())
    }

    fn seeds(mut self, seeds: std::ops::Range<u64>, failures_max: u64, print: bool) -> ClientResult<Totals> {
        let mut totals = Totals::default();
        for seed in seeds {
            let mut program = draw::program(seed);
            if let Some(twin) = &mut self.twin
                && both(&mut self.session, twin, &mut program)?.is_some()
            {
                totals.failed += 1;
                println!("-- the servers differ");
                report(seed, program, |program| both(&mut self.session, twin, program))?;
                program = draw::program(seed);
            }
            judge::judged(&mut program, &mut totals.taken);
            if print {
                println!("-- seed {seed}\n{}", program.script());
            }
            let ended = one(&mut self.session, &mut program, &mut totals);
            if ended.is_err() {
                println!("-- seed {seed} breaks the connection:\n{}", program.script());
            }
            if ended?.is_some() {
                totals.failed += 1;
                let mut ignored = Totals::default();
                report(seed, program, |program| one(&mut self.session, program, &mut ignored))?;
            }
            if totals.failed >= failures_max {
                break;
            }
        }
        self.session.close()?;
        if let Some(mut twin) = self.twin {
            twin.close()?;
        }
        Ok(totals)
    }
}

/// A whole program on two servers: what nobody can judge must be the same all the same.
fn both(session: &mut Session, twin: &mut Session, program: &mut Program) -> ClientResult<Option<Difference>> {
    program.number();
    let count = program.batches.len();
    let (expected, actual) = (twin.run(program, count)?, session.run(program, count)?);
    let mut pairs = expected.into_iter().zip(actual).enumerate();
    let found = pairs.find(|(_, (expected, actual))| expected != actual);
    Ok(found.map(|(at, (expected, actual))| Difference { batch: at / 2, expected, actual }))
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
            Err(unknown) => {
                *totals.left.entry(unknown.why).or_default() += 1;
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

fn report(
    seed: u64,
    program: Program,
    mut fails: impl FnMut(&mut Program) -> ClientResult<Option<Difference>>,
) -> ClientResult<()> {
    let mut program = shrink::shrink(program, |program| matches!(fails(program), Ok(Some(_))));
    println!("-- seed {seed} fails; made small:\n{}", program.script());
    if let Some(difference) = fails(&mut program)? {
        println!("-- batch {}, expected and actual:", difference.batch + 1);
        difference.expected.iter().for_each(|event| println!("--   expected {event:?}"));
        difference.actual.iter().for_each(|event| println!("--   actual   {event:?}"));
    }
    Ok(())
}
