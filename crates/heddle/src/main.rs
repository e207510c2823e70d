//! The one binary: `serve`, `restore`, `archive`, `sql`, `stress`, `ping`, `lab`, `completions`. Command line and nothing else.

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

#[global_allocator]
static HEAP: os::heap::Heap = os::heap::Heap;

const BEGIN: &str = "Begin with:
  heddle serve                      a server on 127.0.0.1,1433: data in ./heddle-data, the password of sa printed once
  heddle sql -Q \"SELECT @@VERSION\"  asks for that password
  heddle lab run logins --quick     an experiment with servers of its own, in half a minute

heddle COMMAND --help has more, with examples.";

/// A T-SQL server that SQL Server's drivers and tools talk to, and tools of its own.
#[derive(Parser)]
#[command(name = "heddle", version, disable_help_subcommand = true, after_help = BEGIN)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Serve(Box<server::settings::options::ServeArgs>),
    Sql(Box<lab::sql_tool::Args>),
    Stress(Box<lab::stress::Args>),
    Ping(lab::ping::Args),
    Restore(server::archive::command::RestoreArgs),
    #[command(subcommand)]
    Archive(server::archive::command::ArchiveCommand),
    #[command(subcommand)]
    Lab(Lab),
    /// Write a shell's completion script to stdout
    ///
    ///   bash        heddle completions bash > ~/.local/share/bash-completion/completions/heddle
    ///   zsh         heddle completions zsh > DIRECTORY_OF_FPATH/_heddle
    ///   fish        heddle completions fish > ~/.config/fish/completions/heddle.fish
    ///   powershell  heddle completions powershell >> $PROFILE
    ///   elvish      heddle completions elvish >> ~/.config/elvish/rc.elv
    #[command(verbatim_doc_comment)]
    Completions {
        shell: Shell,
    },
}

/// Experiments with servers that the lab starts itself.
#[derive(Subcommand)]
enum Lab {
    Run(lab::experiment::RunArgs),
    /// Name the experiments, and what each asks.
    List,
    Show(lab::experiment::ShowArgs),
    Report(lab::experiment::ReportArgs),
    #[command(subcommand)]
    Bench(lab::experiment::bench::Bench),
    Sim(lab::sim::Args),
    #[command(subcommand)]
    Oracle(Oracle),
}

/// Ask random things of a server: of each it is known from elsewhere what must hold.
#[derive(Subcommand)]
enum Oracle {
    Queries(lab::oracle::Args),
    Programs(lab::programs::Args),
    Transactions(lab::transactions::Args),
}

/// `stress` is written as ostress is: its switches become ours first.
fn command_line() -> CommandLine {
    let mut arguments = std::env::args_os().peekable();
    let program = arguments.next().unwrap_or_default();
    if arguments.peek().is_none_or(|command| command != "stress") {
        return CommandLine::parse();
    }
    let command = arguments.next();
    let rest = arguments.map(|argument| argument.to_string_lossy().into_owned());
    let rest = lab::stress::command_line::plain(rest).into_iter().map(Into::into);
    CommandLine::parse_from(std::iter::once(program).chain(command).chain(rest))
}

/// The process's exit code.
fn complete(shell: Shell) -> i32 {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut CommandLine::command(), "heddle", &mut script);
    match lab::output::write_all(&script) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("heddle completions: {error}");
            1
        }
    }
}

fn main() {
    let code = match command_line().command {
        Command::Serve(args) => match server::start::run::run(*args) {
            Ok(()) => 0,
            Err(message) => {
                eprintln!("heddle serve: {message}");
                1
            }
        },
        Command::Sql(args) => lab::sql_tool::run(&args),
        Command::Stress(args) => lab::stress::run(&args),
        Command::Ping(args) => lab::ping::run(&args),
        Command::Restore(args) => server::archive::command::restore(&args),
        Command::Archive(command) => server::archive::command::archive(&command),
        Command::Lab(Lab::Run(args)) => lab::experiment::run(&args),
        Command::Lab(Lab::List) => lab::experiment::list(),
        Command::Lab(Lab::Show(args)) => lab::experiment::show(&args),
        Command::Lab(Lab::Report(args)) => lab::experiment::report(&args),
        Command::Lab(Lab::Bench(bench)) => lab::experiment::bench::run(&bench),
        Command::Lab(Lab::Sim(args)) => lab::sim::run(&args, server::start::simulated::boot),
        Command::Lab(Lab::Oracle(Oracle::Queries(args))) => lab::oracle::run(&args),
        Command::Lab(Lab::Oracle(Oracle::Programs(args))) => lab::programs::run(&args),
        Command::Lab(Lab::Oracle(Oracle::Transactions(args))) => lab::transactions::run(&args),
        Command::Completions { shell } => complete(shell),
    };
    std::process::exit(code);
}
