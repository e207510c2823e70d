//! `heddle stress`: many connections from one process, each running the same work over and over, with the switches of
//! ostress. Each connection is a task on our own schedulers: thousands need no thread each.

pub mod command_line;
mod draw;
mod statement;
mod console;
mod control;
mod output;
mod work;
pub mod deltas;
mod totals;
pub mod series;
pub mod report;
pub mod plan;
mod connection;
mod live;
mod run;

use std::sync::Arc;

use clap::Args as ClapArgs;
use clap::builder::RangedU64ValueParser;
use os::sched::STARTS_WITH_MOST;
use tds::client::{ClientEncryption, ConnectOptions};

use crate::address::ServerAddress;
use crate::client::Target;
use crate::script::decode;
use crate::sql_tool::{credentials, packet_size, parse_encryption, trust_of};
use console::Console;
use control::Control;
use draw::Draw;
use plan::Edge;
use report::Summary;
use work::Work;

/// Run the same work on many connections at once, and measure it
///
/// All switches of ostress are taken as it takes them: no blank is needed before a value, case counts, / may stand for -, and a line copied
/// from an article keeps its typographic quotes. What it has no switches for has long ones.
///
///   heddle stress -S 127.0.0.1,1433 -U sa -P secret -Q "EXEC dbo.p" -n 200 -r 1000 -q
///   heddle stress -E -Slpc:. -Q"{call sp_reset_connection()}" -q -r100000 -n1024 -l120
///   heddle stress -U sa -d tpcc -i orders.sql -n 400 --think 20 --duration 60 --ramp 5 --json result.json
///   heddle stress -U sa --rpc "dbo.usp_Insert 10, N'x'" -n 2 --duration 30
///   heddle stress -U sa -S db1 -S db2 -Q "EXEC dbo.p" -n 200 --duration 30
///
/// A script is split at GO; all its batches together are one iteration. A batch that is an ODBC call escape,
/// {call name(arguments)}, goes as a remote procedure call, as ODBC would send it; --rpc does that without the escape.
/// Several inputs have -n connections each.
///
/// Its threads give way to others on the machine (SCHED_BATCH): a server there is not interrupted for each reply.
///
/// Ctrl-C, or SIGTERM, ends a run early: what was measured until then is told and written as at its end. A second one ends it at once.
///
/// Exit code 0: no errors; 1: some, or it was ended early; 2: it could not begin.
#[derive(Debug, Clone, ClapArgs)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Server: host, host,port or tcp:host,port; lpc:.,port: a server on this machine without the network.
    /// Given more than once, they share the connections evenly.
    #[arg(short = 'S', long = "server", env = "SQLCMDSERVER", default_value = "127.0.0.1,1433")]
    pub servers: Vec<String>,
    /// Login name. Default: sa.
    #[arg(short = 'U', long = "user")]
    pub user: Option<String>,
    /// Password; else SQLCMDPASSWORD or MSSQL_SA_PASSWORD.
    #[arg(short = 'P', long = "password", env = "SQLCMDPASSWORD", hide_env_values = true)]
    pub password: Option<String>,
    /// Accepted as ostress has it; there is no Windows login here, so it means the default login.
    #[arg(short = 'E')]
    pub trusted: bool,
    /// Database to start in. Default: the one of the login.
    #[arg(short = 'd', long = "database", env = "SQLCMDDBNAME", default_value = "", hide_default_value = true)]
    pub database: String,
    /// Batch to run.
    #[arg(short = 'Q', long = "query", conflicts_with_all = ["input", "rpc"])]
    pub query: Option<String>,
    /// Scripts to run, each by -n connections of its own; * and ? in a name stand for others.
    #[arg(short = 'i', long = "input", value_name = "FILE", num_args = 1.., conflicts_with = "rpc")]
    pub input: Vec<String>,
    /// Procedure to call, with literal arguments: "dbo.p 1, @name = N'x'".
    #[arg(long = "rpc", value_name = "PROCEDURE")]
    pub rpc: Option<String>,
    /// Connections for each query or script.
    #[arg(short = 'n', long = "connections", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(CONNECTIONS_MAX)))]
    pub connections: u32,
    /// Iterations of each connection. Default: 1, or without end if --duration is given.
    #[arg(short = 'r', long = "iterations", value_name = "N")]
    pub iterations: Option<u64>,
    /// Throw results away without decoding them.
    #[arg(short = 'q', long = "quiet")]
    pub quiet: bool,
    /// Keep the results, also with -q.
    #[arg(short = 'v', long = "verbose")]
    pub verbose: bool,
    /// Write each connection's results to a file here (not with -q), and the summary to ostress.log.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub output: Option<String>,
    /// x: results as XML.
    #[arg(short = 'f', value_name = "FORM", value_parser = ["x"])]
    pub results_as: Option<String>,
    /// Control file of ostress: QueryDelay, CancelPct, DisconnectPct and the rest. What the command line says goes before.
    #[arg(short = 'c', long = "control", value_name = "FILE")]
    pub control: Option<String>,
    /// Seconds to wait for a login [default: 30]
    #[arg(short = 'l', long = "login-timeout", value_name = "SECONDS", value_parser = seconds())]
    pub login_timeout_s: Option<u64>,
    /// Language id of the session, as ostress takes it; accepted, the login's language is used.
    #[arg(short = 'L', long = "language-id", value_name = "ID")]
    pub language_id: Option<u32>,
    /// Seconds to wait for an answer; 0: for ever [default: 0]
    #[arg(short = 't', long = "query-timeout", value_name = "SECONDS", value_parser = seconds())]
    pub query_timeout_s: Option<u64>,
    /// What ostress does: stress. Nothing is replayed here.
    #[arg(short = 'm', value_name = "MODE", default_value = "stress", value_parser = ["stress", "replay"])]
    pub mode: String,
    /// Leave out the last line, with the elapsed time.
    #[arg(short = 'N')]
    pub no_exit_message: bool,
    /// Trace flag of ostress; 146: no encryption. Others mean nothing here.
    #[arg(short = 'T', value_name = "FLAG")]
    pub trace_flags: Vec<u32>,
    /// Threads at most, as ostress takes it: connections need none of their own here.
    #[arg(short = 'M', value_name = "N")]
    pub threads_max: Option<u32>,
    /// ODBC data source; there are none here.
    #[arg(short = 'D', value_name = "NAME", hide = true)]
    pub data_source: Option<String>,
    /// Password of replayed logins; nothing is replayed here.
    #[arg(short = 'a', value_name = "PASSWORD", hide = true)]
    pub replay_password: Option<String>,
    /// Undocumented switches of ostress, without effect.
    #[arg(short = 'X', hide = true)]
    pub install: bool,
    #[arg(short = 'y', hide = true)]
    pub stacks: bool,
    /// Network packet size to ask for, 512 to 32767.
    #[arg(short = 'p', long = "packet-size", value_name = "BYTES", default_value_t = 8000, value_parser = packet_size())]
    pub packet_bytes: u32,
    /// Stop everything at the first error.
    #[arg(short = 'b', long = "stop-on-error")]
    pub stop_on_error: bool,
    /// Encryption: optional (the login only), mandatory, strict, disable.
    #[arg(long = "encrypt", num_args = 0..=1, default_missing_value = "mandatory", default_value = "optional", value_parser = parse_encryption)]
    pub encryption: ClientEncryption,
    /// Trust the server's certificate without checking it.
    #[arg(short = 'C', long = "trust-server-certificate")]
    pub trust: bool,
    /// Trust the certificate in this PEM file.
    #[arg(short = 'J', long = "server-certificate", value_name = "FILE", conflicts_with = "trust")]
    pub certificate: Option<String>,
    /// Statements of which each iteration is one, by weight, with parameters drawn anew: a TOML file of
    /// [[statement]] with name, weight, sql or rpc, parameters = { id = "uniform(1, 1000)" }.
    #[arg(long = "mix", value_name = "FILE", conflicts_with_all = ["input", "rpc", "query"])]
    pub mix: Option<String>,
    /// A parameter of -Q or --rpc: a literal, or a distribution that each iteration draws from:
    /// id=uniform(1, 1000), nurand(a, first, last), zipf(first, last, exponent), sequence(first, step), exp(mean), normal(mean, deviation).
    #[arg(long = "parameter", value_name = "NAME=VALUE", conflicts_with_all = ["input", "mix"])]
    pub parameters: Vec<String>,
    /// Wait so long between iterations, as a user who thinks: ms, or a distribution of them.
    #[arg(long = "think", value_name = "MS", value_parser = Draw::parse)]
    pub think: Option<Draw>,
    /// Let each wait be up to so much longer or shorter, evenly: who waits exactly as long as all others queues with them again.
    #[arg(long = "think-spread", value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=100))]
    pub think_spread: u64,
    /// Stop after so many seconds.
    #[arg(long = "duration", value_name = "SECONDS", value_parser = seconds())]
    pub duration_s: Option<u64>,
    /// Leave the first seconds out of the figures.
    #[arg(long = "warmup", value_name = "SECONDS", default_value_t = 0, value_parser = seconds())]
    pub warmup_s: u64,
    /// Spread the start of the connections over so many seconds.
    #[arg(long = "ramp", value_name = "SECONDS", default_value_t = 0, value_parser = seconds())]
    pub ramp_s: u64,
    /// Iterations a second of all connections together, begun on time whether the server keeps up or not; latencies
    /// then count from when an iteration should have begun.
    #[arg(long = "rate", value_name = "PER_SECOND", conflicts_with = "think", value_parser = parse_rate)]
    pub rate: Option<f64>,
    /// Send a request again, so often at most, after an error that may pass: deadlock victim, conflict of row versions.
    /// After ten tries with a pause of 1 ms before each.
    #[arg(long = "retries", value_name = "N", default_value_t = 0)]
    pub retries: u64,
    /// Open a connection again that broke, or that the server did not let in, until the run ends.
    #[arg(long = "reconnect")]
    pub reconnect: bool,
    /// Run batches as prepared statements.
    #[arg(long = "prepare")]
    pub prepare: bool,
    /// Wait until all connections are logged in before the first iteration.
    #[arg(long = "barrier")]
    pub barrier: bool,
    /// Schedulers (threads) that drive the connections. Default: one for each CPU.
    #[arg(long = "schedulers", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=STARTS_WITH_MOST as i64))]
    pub schedulers: Option<u32>,
    /// Write the summary as JSON to this file; -: to stdout, instead of the text.
    #[arg(long = "json", value_name = "FILE")]
    pub json: Option<String>,
    /// Write the run second by second to this file, as CSV.
    #[arg(long = "csv", value_name = "FILE")]
    pub csv: Option<String>,
    /// Show what the server counted meanwhile: waits, latches, spinlocks, performance counters.
    #[arg(long = "deltas")]
    pub deltas: bool,
    /// No progress bar on the terminal, and no figures of the last second below it. -q: the bar alone.
    #[arg(long = "no-progress")]
    pub no_progress: bool,
}

impl Args {
    fn targets(&self) -> Result<Vec<Target>, String> {
        self.servers.iter().map(|server| self.target(server)).collect()
    }

    fn target(&self, server: &str) -> Result<Target, String> {
        let address = ServerAddress::parse(server)?;
        let (user, password) = credentials(self.user.as_deref(), self.password.as_deref());
        let encryption =
            if self.trace_flags.contains(&NO_ENCRYPTION) { ClientEncryption::Plain } else { self.encryption };
        let options = ConnectOptions {
            user,
            password: password.unwrap_or_default(),
            database: self.database.clone(),
            application: "heddle stress".into(),
            packet_bytes: self.packet_bytes,
            encryption,
            ..ConnectOptions::default()
        };
        Target::new(address, options, &trust_of(self.trust, self.certificate.as_deref()))
            .map_err(|error| error.to_string())
    }

    /// What ostress can do and this cannot.
    fn refuse(&self) -> Result<(), String> {
        if self.mode == "replay" {
            return Err("-m replay: RML files are not replayed here; -m stress runs -Q, -i or --rpc".into());
        }
        if let Some(name) = &self.data_source {
            return Err(format!("-D {name}: there are no ODBC data sources here; -S names the server"));
        }
        let is_pipe = |server: &&String| server.trim().get(..3).is_some_and(|it| it.eq_ignore_ascii_case("np:"));
        if let Some(server) = self.servers.iter().find(is_pipe) {
            let place = &server.trim()[3..];
            return Err(format!(
                "-S {server}: there are no named pipes here; tcp:{place} goes over TCP, lpc:. stays on this machine"
            ));
        }
        Ok(())
    }

    fn control(&self) -> Result<Control, String> {
        let Some(path) = &self.control else { return Ok(Control::default()) };
        let bytes = os::fs::read(path.as_ref()).map_err(|error| format!("{path}: {error}"))?;
        Control::parse(&decode(bytes)).map_err(|why| format!("{path}: {why}"))
    }

    fn is_quiet(&self) -> bool {
        self.quiet && !self.verbose
    }

    /// -r, with its default.
    fn iterations(&self) -> u64 {
        self.iterations.unwrap_or(if self.duration_s.is_some() { u64::MAX } else { 1 })
    }
}

/// Connections of a run, all inputs together: each has a worker of its own, and a worker is two mappings of the 65,530 that Linux lets a
/// process have.
const CONNECTIONS_MAX: u32 = 30_000;
/// A year: sums of such times in ns stay far from the end of their type.
const SECONDS_MAX: u64 = 366 * 24 * 60 * 60;
/// More than any machine does, and the ns between two are more than none.
const RATE_MAX: f64 = 1e9;

fn seconds() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(0..=SECONDS_MAX)
}

fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse::<f64>().ok().filter(|rate| *rate > 0.0 && *rate <= RATE_MAX);
    rate.ok_or_else(|| "expected a number above 0 and up to 1e9".into())
}

/// The trace flag by which ostress encrypts nothing.
const NO_ENCRYPTION: u32 = 146;

/// The process's exit code.
pub fn run(args: &Args) -> i32 {
    match attempt(args) {
        Ok(summary) => i32::from(summary.has_errors() || summary.is_interrupted),
        Err(why) => {
            eprintln!("heddle stress: {why}");
            2
        }
    }
}

/// Runs the load that `args` describe against `target`, and says nothing while it does. `edge` is called when measuring begins and when it
/// ends, on a worker. Err: why it could not begin.
pub fn measure(args: &Args, target: Target, edge: impl Fn(Edge) + Send + Sync + 'static) -> Result<Summary, String> {
    args.refuse()?;
    let (control, work) = (args.control()?, Work::from_args(args)?);
    run::run(args, control, work, vec![target], &Arc::new(Console::silent()), Some(Box::new(edge)))
}

fn attempt(args: &Args) -> Result<Summary, String> {
    args.refuse()?;
    let (control, work, targets) = (args.control()?, Work::from_args(args)?, args.targets()?);
    // From here on Ctrl-C ends the run and not the program.
    os::signal::stop_requests();
    let directory = args.output.as_deref().map(std::path::Path::new);
    if let Some(directory) = directory {
        os::fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    }
    let console = Arc::new(Console::new(args.json.as_deref() == Some("-"), directory));
    console.say(format_args!("OSTRESS, A Generic ODBC-Based Stress/Replay Utility"));
    console.say(format_args!("heddle stress {}, no ODBC: TDS from one process", env!("CARGO_PKG_VERSION")));
    console.say(format_args!("Max threads setting: {}", args.threads_max.unwrap_or(0)));
    for flag in args.trace_flags.iter().filter(|flag| **flag != NO_ENCRYPTION) {
        console.say(format_args!("Trace flag {flag} has no effect here"));
    }
    if args.quiet && args.verbose {
        console.say(format_args!("-q and -v were both given: Using -v"));
    }
    let write = |path: &str, text: String| {
        os::fs::write(path.as_ref(), text.as_bytes()).map_err(|error| format!("{path}: {error}"))
    };
    // What cannot be written is said before the run, not after an hour of it.
    for path in [&args.csv, &args.json].into_iter().flatten().filter(|path| *path != "-") {
        write(path, String::new())?;
    }
    let summary = run::run(args, control, work, targets, &console, None)?;
    if let Some(path) = &args.csv {
        write(path, summary.to_csv())?;
    }
    match args.json.as_deref() {
        Some("-") => println!("{}", summary.to_json()),
        Some(path) => {
            write(path, summary.to_json())?;
            print!("{summary}");
        }
        None => print!("{summary}"),
    }
    console.save(&summary.to_string())?;
    Ok(summary)
}
