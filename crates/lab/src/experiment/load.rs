//! The load of a setting, as the command line of `heddle stress` that it is written as.

use std::path::Path;

use clap::Parser;

use super::setting::Load;
use crate::stress;

/// The command line of `heddle stress`.
#[derive(Parser)]
#[command(name = "heddle stress", no_binary_name = true, disable_help_flag = true)]
struct LoadLine {
    #[command(flatten)]
    args: stress::Args,
}

/// Ready to run. Err: it is none that `heddle stress` would take.
pub fn load_of(load: &Load, mix: Option<&Path>, control: Option<&Path>) -> Result<stress::Args, String> {
    let words = stress::command_line::plain(load.arguments.iter().cloned());
    let line = LoadLine::try_parse_from(words).map_err(|error| format!("workload: {error}"))?;
    let path = |path: &Path| path.to_string_lossy().into_owned();
    Ok(stress::Args {
        mix: mix.map(path).or(line.args.mix),
        control: control.map(path).or(line.args.control),
        quiet: true,
        barrier: true,
        deltas: true,
        no_progress: true,
        no_exit_message: true,
        ..line.args
    })
}
