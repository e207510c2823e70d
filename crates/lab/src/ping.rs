//! `heddle ping`: is a server there and taking connections? For health checks: the exit code is the answer.

use clap::Args as ClapArgs;

use crate::client::{ClientResult, Connection, Target};
use crate::login::Login;

/// Between two tries of `--wait`.
const RETRY_MS: u64 = 100;

/// Check that a server answers
///
/// Without -U the check ends after PRELOGIN, the first exchange of the protocol: the server accepts connections. With -U
/// and -P it logs in, and with -Q it also runs a query. Exit code 0: yes; 1: no, and why is on stderr.
///
///   heddle ping -S 127.0.0.1,1433
///   heddle ping -S db -U sa -P secret -Q "SELECT 1" --wait 30
#[derive(Debug, Clone, ClapArgs)]
#[command(verbatim_doc_comment)]
pub struct Args {
    #[command(flatten)]
    pub login: Login,
    /// Run this after the login.
    #[arg(short = 'Q', long = "query", requires = "user")]
    pub query: Option<String>,
    /// Seconds one try may take.
    #[arg(short = 'l', long = "timeout", value_name = "SECONDS", default_value_t = 5)]
    pub timeout_s: u64,
    /// Keep trying for so many seconds until the server answers.
    #[arg(long = "wait", default_value_t = 0, value_name = "SECONDS")]
    pub wait_s: u64,
    /// Say nothing, only set the exit code.
    #[arg(short = 'q', long = "quiet")]
    pub quiet: bool,
}

/// The process's exit code.
pub fn run(args: &Args) -> i32 {
    let until = os::clock::after_ms(args.wait_s.saturating_mul(1_000));
    loop {
        let started = os::clock::now();
        match check(args) {
            Ok(()) => {
                if !args.quiet {
                    let took_us = (os::clock::now() - started) / 1_000;
                    println!("{} answers ({}.{:03} ms)", args.login.server(), took_us / 1_000, took_us % 1_000);
                }
                return 0;
            }
            Err(_) if os::clock::now() < until => {
                os::wait::sleep(os::wait::WaitType::SLEEP_TASK, RETRY_MS);
            }
            Err(why) => {
                if !args.quiet {
                    eprintln!("{}: {why}", args.login.server());
                }
                return 1;
            }
        }
    }
}

fn check(args: &Args) -> Result<(), String> {
    let target = args.login.target("heddle ping")?;
    let deadline = Some(os::clock::after_ms(args.timeout_s.saturating_mul(1_000)));
    knock(args, &target, deadline).map_err(|error| error.to_string())?
}

fn knock(args: &Args, target: &Target, deadline: Option<u64>) -> ClientResult<Result<(), String>> {
    if args.login.named_user.is_none() {
        return Connection::knock(target, deadline).map(Ok);
    }
    let mut connection = Connection::open(target, deadline)?;
    let Some(query) = &args.query else { return Ok(Ok(())) };
    let answer = connection.query(query, deadline)?;
    Ok(match answer.first_error() {
        Some(error) => Err(tds::client::format_message(error)),
        None => Ok(()),
    })
}
