//! `heddle lab run`, `list` and `report`: experiments as data, measured on servers that are started for it, and a page with the answer.
//! See docs/lab.md.

mod statistics;
mod machine;
mod link;
mod results;
mod schedule;
pub mod bench;
mod definition;
mod setting;
mod load;
mod duration;
mod server;
mod measure;
mod check;
mod library;
mod probe;
mod remote;
mod runner;
mod report;

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::output;
use definition::Definition;

/// Run experiments: servers are started for them, loads run, figures kept, and a page is written that shows them
///
///   heddle lab run rwlock --quick              in a minute or two, to see that it works
///   heddle lab run all --out results           everything; Ctrl-C leaves what was measured until then
///   heddle lab run all --out results --resume  goes on with what is missing
///   heddle lab run mine.toml                   one of your own: heddle lab show NAME prints one to begin with
///   heddle lab run fibers --target tds://sa:secret@db:1433   on a server that runs already, in a database heddle_lab of its own
///
/// Exit code 0: all was measured; 1: some runs failed, or it was interrupted; 2: it could not begin.
#[derive(Debug, Clone, ClapArgs)]
#[command(verbatim_doc_comment)]
pub struct RunArgs {
    /// Experiments, as `heddle lab list` names them, or files NAME.toml of your own; all: each of the list.
    #[arg(required = true, value_name = "NAME")]
    pub names: Vec<String>,
    /// Shorter runs and fewer settings.
    #[arg(long)]
    pub quick: bool,
    /// Measure this server instead of starting some: tds://user:password@host:port. With /NAME, runs use that database,
    /// which must be empty, else one that they make and drop; ?encrypt= disable, optional (default), mandatory or strict.
    #[arg(long, value_name = "URL")]
    pub target: Option<String>,
    /// Directory of the results and of report.html; made if it is missing.
    #[arg(long, value_name = "DIR", default_value = "heddle-lab")]
    pub out: PathBuf,
    /// Runs of each setting. Default: what the experiment says, with --quick at most 2.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub repeat: Option<u32>,
    /// Make only the runs that the directory has not: same setting, same program.
    #[arg(long)]
    pub resume: bool,
    /// No progress bar.
    #[arg(long)]
    pub no_progress: bool,
}

/// Print the file of an experiment, to make one of your own of it: docs/lab.md says what its keys mean.
#[derive(Debug, Clone, ClapArgs)]
pub struct ShowArgs {
    /// An experiment, as `heddle lab list` names it.
    pub name: String,
}

/// Write the page of a directory with results anew, or print its tables.
#[derive(Debug, Clone, ClapArgs)]
pub struct ReportArgs {
    /// Directory that `heddle lab run` wrote to.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Print the page's tables as text, and write nothing.
    #[arg(long)]
    pub text: bool,
}

/// The process's exit code.
pub fn run(args: &RunArgs) -> i32 {
    let attempt = || {
        let definitions = library::named(&args.names)?;
        // From here on Ctrl-C ends the run and not the program.
        os::signal::stop_requests();
        let outcome = runner::run(args, &definitions)?;
        println!("{}", report::write(&args.out)?.display());
        Ok::<_, String>(outcome)
    };
    match attempt() {
        Ok(outcome) if outcome.is_interrupted => {
            eprintln!("interrupted: what was measured is there; --resume goes on");
            1
        }
        Ok(outcome) => i32::from(outcome.failed > 0),
        Err(why) => refuse("run", &why),
    }
}

/// The process's exit code.
pub fn list() -> i32 {
    let machine = machine::Machine::look();
    let attempt = || {
        let mut text = String::new();
        for definition in &library::all()? {
            let Definition { name, title, question, .. } = definition;
            let [whole, quick] = [false, true].map(|quick| duration::of_all(definition, &machine, quick));
            let _ = writeln!(text, "{name:<15} {title}\n{:<15} {question}", "");
            let _ = writeln!(text, "{:<15} {}; with --quick: {}", "", whole?, quick?);
        }
        Ok::<_, String>(text)
    };
    match attempt() {
        Ok(text) => tell("list", &text),
        Err(why) => refuse("list", &why),
    }
}

/// The process's exit code.
pub fn show(args: &ShowArgs) -> i32 {
    match library::text(&args.name) {
        Ok(text) => tell("show", text),
        Err(why) => refuse("show", &why),
    }
}

/// The process's exit code.
pub fn report(args: &ReportArgs) -> i32 {
    let told = match args.text {
        true => report::text(&args.directory),
        false => report::write(&args.directory).map(|path| format!("{}\n", path.display())),
    };
    match told {
        Ok(text) => tell("report", &text),
        Err(why) => refuse("report", &why),
    }
}

fn tell(command: &str, text: &str) -> i32 {
    match output::write_all(text.as_bytes()) {
        Ok(()) => 0,
        Err(error) => refuse(command, &error.to_string()),
    }
}

fn refuse(command: &str, why: &str) -> i32 {
    eprintln!("heddle lab {command}: {why}");
    2
}
