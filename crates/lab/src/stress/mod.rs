//! `heddle stress`: many connections from one process, each running the same work over and over, with the switches of
//! ostress. Each connection is a task on our own schedulers: thousands need no thread each.

mod report;
mod run;
mod work;

use clap::Args as ClapArgs;
use tds::client::{ClientEncryption, ConnectOptions};

use crate::address::ServerAddress;
use crate::client::Target;
use crate::sql_tool::{credentials, parse_encryption, trust_of};
use report::Summary;
use work::Work;

/// Run the same work on many connections at once, and measure it.
///
/// The switches are those of ostress where it has them; like there, a space between switch and value may be left out.
///
///   heddle stress -S 127.0.0.1,1433 -U sa -P secret -Q "EXEC dbo.p" -n 200 -r 1000 -q
///   heddle stress -U sa -Q "{call sp_reset_connection()}" -q -n1024 -r100000
///   heddle stress -U sa -d tpcc -i orders.sql -n 400 --think 20 --duration 60 --ramp 5 --json result.json
///   heddle stress -U sa --rpc "dbo.usp_Insert 10, N'x'" -n 2 --duration 30
///
/// A script is split at GO; all its batches together are one iteration. A batch that is an ODBC call escape,
/// {call name(arguments)}, goes as a remote procedure call, as ODBC would send it; --rpc does that without the escape.
///
/// Its threads give way to others on the machine (SCHED_BATCH): a server there is not interrupted for each reply.
///
/// Exit code 0: no errors; 1: some; 2: it could not begin.
#[derive(Debug, Clone, ClapArgs)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Server: host, host,port or tcp:host,port; lpc:.,port: a server on this machine without the network.
    #[arg(short = 'S', long = "server", env = "SQLCMDSERVER", default_value = "127.0.0.1,1433")]
    pub server: String,
    /// Login name. Default: sa.
    #[arg(short = 'U', long = "user")]
    pub user: Option<String>,
    /// Password; else SQLCMDPASSWORD or MSSQL_SA_PASSWORD.
    #[arg(short = 'P', long = "password", env = "SQLCMDPASSWORD", hide_env_values = true)]
    pub password: Option<String>,
    /// Accepted as ostress has it; there is no Windows login here, so it means the default login.
    #[arg(short = 'E')]
    pub trusted: bool,
    /// Database.
    #[arg(short = 'd', long = "database", env = "SQLCMDDBNAME", default_value = "")]
    pub database: String,
    /// Batch to run.
    #[arg(short = 'Q', long = "query", conflicts_with_all = ["input", "rpc"])]
    pub query: Option<String>,
    /// Script to run; may be given several times, all scripts are run by all connections.
    #[arg(short = 'i', long = "input", value_name = "FILE", conflicts_with = "rpc")]
    pub input: Vec<String>,
    /// Procedure to call, with literal arguments: "dbo.p 1, @name = N'x'".
    #[arg(long = "rpc", value_name = "PROCEDURE")]
    pub rpc: Option<String>,
    /// Connections.
    #[arg(short = 'n', long = "connections", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub connections: u32,
    /// Iterations of each connection. Default: 1, or without end if --duration is given.
    #[arg(short = 'r', long = "iterations")]
    pub iterations: Option<u64>,
    /// Throw results away without decoding them.
    #[arg(short = 'q', long = "quiet")]
    pub quiet: bool,
    /// Write each connection's results to a file here (not with -q), and the summary to stress.log.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub output: Option<String>,
    /// Seconds to wait for a login.
    #[arg(short = 'l', long = "login-timeout", default_value_t = 30)]
    pub login_timeout_s: u64,
    /// Language id of the session, as ostress takes it; accepted, the login's language is used.
    #[arg(short = 'L', long = "language-id")]
    pub language_id: Option<u32>,
    /// Seconds to wait for an answer; 0: for ever.
    #[arg(short = 't', long = "query-timeout", default_value_t = 0)]
    pub query_timeout_s: u64,
    /// Network packet size.
    #[arg(short = 'p', long = "packet-size", default_value_t = 8000)]
    pub packet_bytes: u32,
    /// Stop everything at the first error.
    #[arg(short = 'b', long = "stop-on-error")]
    pub stop_on_error: bool,
    /// Encryption: optional (the login only), mandatory, strict, disable.
    #[arg(short = 'N', long = "encrypt", num_args = 0..=1, default_missing_value = "mandatory", default_value = "optional", value_parser = parse_encryption)]
    pub encryption: ClientEncryption,
    /// Trust the server's certificate without checking it.
    #[arg(short = 'C', long = "trust-server-certificate")]
    pub trust: bool,
    /// Trust the certificate in this PEM file.
    #[arg(short = 'J', long = "server-certificate", value_name = "FILE", conflicts_with = "trust")]
    pub certificate: Option<String>,
    /// Wait so long between iterations, as a user who thinks.
    #[arg(long = "think", value_name = "MS", default_value_t = 0)]
    pub think_ms: u64,
    /// Let each wait be up to so much longer or shorter, evenly: who waits exactly as long as all others queues with them again.
    #[arg(long = "think-spread", value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=100))]
    pub think_spread: u64,
    /// Stop after so many seconds.
    #[arg(long = "duration", value_name = "SECONDS")]
    pub duration_s: Option<u64>,
    /// Leave the first seconds out of the figures.
    #[arg(long = "warmup", value_name = "SECONDS", default_value_t = 0)]
    pub warmup_s: u64,
    /// Spread the start of the connections over so many seconds.
    #[arg(long = "ramp", value_name = "SECONDS", default_value_t = 0)]
    pub ramp_s: u64,
    /// Iterations a second of all connections together, begun on time whether the server keeps up or not; latencies
    /// then count from when an iteration should have begun.
    #[arg(long = "rate", value_name = "PER_SECOND", conflicts_with = "think_ms")]
    pub rate: Option<f64>,
    /// Wait until all connections are logged in before the first iteration.
    #[arg(long = "barrier")]
    pub barrier: bool,
    /// Schedulers (threads) that drive the connections. Default: one for each CPU.
    #[arg(long = "schedulers", value_name = "N")]
    pub schedulers: Option<u32>,
    /// Write the summary as JSON to this file; -: to stdout, instead of the text.
    #[arg(long = "json", value_name = "FILE")]
    pub json: Option<String>,
    /// No progress bar.
    #[arg(long = "no-progress")]
    pub no_progress: bool,
}

impl Args {
    fn target(&self) -> Result<Target, String> {
        let address = ServerAddress::parse(&self.server)?;
        let (user, password) = credentials(self.user.as_deref(), self.password.as_deref());
        let options = ConnectOptions {
            user,
            password: password.unwrap_or_default(),
            database: self.database.clone(),
            application: "heddle stress".into(),
            packet_bytes: self.packet_bytes,
            encryption: self.encryption,
            ..ConnectOptions::default()
        };
        Target::new(address, options, &trust_of(self.trust, self.certificate.as_deref()))
            .map_err(|error| error.to_string())
    }

    /// -r, with its default.
    fn iterations(&self) -> u64 {
        self.iterations.unwrap_or(if self.duration_s.is_some() { u64::MAX } else { 1 })
    }
}

/// The process's exit code.
pub fn run(args: &Args) -> i32 {
    let prepared = Work::from_args(args).and_then(|work| Ok((work, args.target()?)));
    let summary = match prepared.and_then(|(work, target)| run::run(args, work, target)) {
        Ok(summary) => summary,
        Err(why) => {
            eprintln!("heddle stress: {why}");
            return 2;
        }
    };
    if let Err(why) = deliver(args, &summary) {
        eprintln!("heddle stress: {why}");
        return 2;
    }
    i32::from(summary.has_errors())
}

fn deliver(args: &Args, summary: &Summary) -> Result<(), String> {
    let write = |path: &std::path::Path, text: &str| {
        os::fs::write(path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))
    };
    match args.json.as_deref() {
        Some("-") => println!("{}", summary.to_json()),
        Some(path) => {
            write(path.as_ref(), &summary.to_json())?;
            print!("{summary}");
        }
        None => print!("{summary}"),
    }
    match &args.output {
        Some(directory) => write(&std::path::Path::new(directory).join("stress.log"), &summary.to_string()),
        None => Ok(()),
    }
}
