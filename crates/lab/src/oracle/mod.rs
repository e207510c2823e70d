//! `heddle lab oracle queries`: random queries over random tables, whose right answer is not known but what must hold between the answers of
//! several queries is. See docs/oracles.md.

mod node;
mod native;
mod schema;
mod expression;
mod query;
mod change;
mod check;
mod reference;
mod subject;
mod twin;
mod runner;

use clap::Args as ClapArgs;

use crate::login::Login;

pub use check::Oracle;
pub use runner::{Found, Runner};
pub use subject::Subject;
pub use twin::Twin;

/// Ask random queries that check each other
///
/// A server is started for it, tables are made at random from each seed, each in several forms (heap, clustered, descending,
/// memory-optimized, with random indexes), and questions are asked whose answers must agree. What does not hold is made small and printed.
///
///   heddle lab oracle queries --count 1000                  a thousand seeds
///   heddle lab oracle queries --seed 4711                   one again
///   heddle lab oracle queries --count 100 --oracle plans    only one kind of question
///   heddle lab oracle queries --twin=--workers=thread       the same of two servers, which must agree
///   heddle lab oracle queries -S localhost,1433 -P secret   of a server that runs already, in a database heddle_oracle of its own
///
/// Exit code 0: all held; 1: something did not; 2: it could not begin.
#[derive(Debug, Clone, ClapArgs)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// One seed.
    #[arg(long, value_name = "N", conflicts_with_all = ["seeds", "count"])]
    pub seed: Option<u64>,
    /// Seeds from the first up to, not including, the second.
    #[arg(long, value_name = "A..B", value_parser = crate::sim::parse_range, conflicts_with = "count")]
    pub seeds: Option<(u64, u64)>,
    /// So many seeds, from 0. Default: 100.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub count: u64,
    /// Questions of a seed.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub questions: usize,
    /// Only these kinds of questions.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "ORACLE,...")]
    pub oracle: Vec<Oracle>,
    /// Without a server named here one is started.
    #[command(flatten)]
    pub login: Login,
    /// Switches of the server that is started.
    #[arg(long, value_name = "SWITCH", allow_hyphen_values = true, conflicts_with = "server")]
    pub serve: Vec<String>,
    /// Ask a second server the same, which is started with this switch; again for more of them. Every answer must be the same.
    #[arg(long, value_name = "SWITCH", allow_hyphen_values = true, conflicts_with = "twin_server")]
    pub twin: Vec<String>,
    /// Ask a second server that runs already, as the same user.
    #[arg(long, value_name = "ADDRESS")]
    pub twin_server: Option<String>,
    /// In the second server's database READ_COMMITTED_SNAPSHOT is on.
    #[arg(long)]
    pub twin_rcsi: bool,
    /// Stop at the first failure.
    #[arg(long)]
    pub first: bool,
}

impl Args {
    fn range(&self) -> std::ops::Range<u64> {
        match (self.seed, self.seeds) {
            (Some(seed), _) => seed..seed.saturating_add(1),
            (_, Some((from, to))) => from..to,
            _ => 0..self.count,
        }
    }
}

/// The process's exit code.
pub fn run(args: &Args) -> i32 {
    match run_seeds(args) {
        Ok(0) => 0,
        Ok(_) => 1,
        Err(why) => {
            eprintln!("heddle lab oracle queries: {why}");
            2
        }
    }
}

/// How many seeds failed.
fn run_seeds(args: &Args) -> Result<usize, String> {
    let subject = match &args.login.named_server {
        Some(_) => Subject::running(&args.login),
        None => Subject::start(&args.serve)?,
    };
    let oracles = if args.oracle.is_empty() { Oracle::ALL.to_vec() } else { args.oracle.clone() };
    let mut runner = Runner::new(subject, oracles, args.questions)?;
    let twin = match &args.twin_server {
        Some(address) => Some(Subject::running(&args.login.at(address))),
        None if !args.twin.is_empty() || args.twin_rcsi => Some(Subject::start(&args.twin)?),
        None => None,
    };
    if let Some(twin) = twin {
        runner.compare_with(Twin::new(twin, args.twin_rcsi)?);
    }
    let begun = os::clock::now();
    let mut failed = 0;
    for seed in args.range() {
        for found in runner.seed(seed)? {
            failed += 1;
            println!("seed {seed}: {found}");
        }
        if failed > 0 && args.first {
            break;
        }
    }
    let seconds = (os::clock::now() - begun) as f64 / 1e9;
    if !runner.has_reference() {
        println!("without SQLite: no python3, or its SQLite is older than 3.39");
    }
    println!("{} in {seconds:.0} s; {failed} failures", runner.figures);
    Ok(failed)
}
