//! `--init`: T-SQL scripts that run once, on a new data directory, before the first connection.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use exec::host::Ended;
use exec::sink::{Sink, Stop};
use types::SqlError;

use crate::instance::server::Server;
use crate::session::host::SessionHost;
use crate::settings::options::{DataLocation, Settings};

/// Writes messages to the log and remembers the first error; rows are dropped.
struct LogSink {
    failure: Option<SqlError>,
}

impl Sink for LogSink {
    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        if message.severity > 10 {
            self.failure.get_or_insert_with(|| message.clone());
        } else if message.number == 0 {
            tracing::info!("{}", message.text);
        }
        Ok(())
    }
}

/// In the data directory until all scripts have run: whoever finds it there later does not know how far they came.
const UNFINISHED: &str = "init-unfinished";

fn mark(settings: &Settings) -> Option<PathBuf> {
    match &settings.data {
        DataLocation::Directory(path) => Some(path.join(UNFINISHED)),
        DataLocation::Memory => None,
    }
}

/// Before the data are touched. Err: the scripts are not there.
pub fn check(settings: &Settings) -> Result<(), String> {
    match settings.init.as_ref().filter(|path| !os::fs::exists(path)) {
        Some(path) => Err(format!("--init {}: there is no such file or directory", path.display())),
        None => Ok(()),
    }
}

/// Before the first database of new data is made. Err, of data that are there: a script of their first start failed.
pub fn begin(settings: &Settings, new: bool) -> Result<(), String> {
    let Some(mark) = mark(settings) else { return Ok(()) };
    if !new && os::fs::exists(&mark) {
        return Err(format!(
            "the scripts of --init did not run to their end when {} was made: begin again with an empty directory, or remove {} to go on with what is there",
            mark.parent().unwrap_or(&mark).display(),
            mark.display()
        ));
    }
    match settings.init.is_some() && new {
        true => os::fs::write(&mark, b"").map_err(|error| format!("{}: {error}", mark.display())),
        false => Ok(()),
    }
}

/// Runs a script, or all `*.sql` of a directory in order of their names. The first error ends the start.
pub fn run(server: &Arc<Server>, path: &Path) -> Result<(), String> {
    let scripts = match os::fs::list(path) {
        Ok(names) => names
            .into_iter()
            .filter(|(name, is_directory)| !is_directory && name.to_ascii_lowercase().ends_with(".sql"))
            .map(|(name, _)| path.join(name))
            .collect(),
        Err(_) => vec![path.to_path_buf()],
    };
    let (mut state, mut host) = SessionHost::internal(server);
    let mut outcome = Ok(());
    for script in &scripts {
        outcome = run_script(&mut state, &mut host, script);
        if outcome.is_err() {
            break;
        }
        tracing::info!("ran {}", script.display());
    }
    host.log_out(&mut state);
    outcome?;
    match mark(&server.settings) {
        Some(mark) => os::fs::remove(&mark).map_err(|error| format!("{}: {error}", mark.display())),
        None => Ok(()),
    }
}

fn run_script(state: &mut exec::session::Session, host: &mut SessionHost, path: &Path) -> Result<(), String> {
    let text = os::fs::read_text(path).map_err(|error| format!("--init {}: {error}", path.display()))?;
    for (line, count, batch) in sql::batches::split(&text) {
        for _ in 0..count {
            let mut sink = LogSink { failure: None };
            match crate::session::compile::compile(host, state, batch, "") {
                Ok(module) => {
                    if let Ended::Stopped(_) = exec::run_batch(&module, state, host, &mut sink) {
                        return Err(format!("--init {}: stopped", path.display()));
                    }
                }
                Err(errors) => sink.failure = errors.into_iter().next(),
            }
            if let Some(error) = sink.failure {
                let line = line + error.line.saturating_sub(1);
                return Err(format!("--init {}, line {line}: Msg {}: {}", path.display(), error.number, error.text));
            }
        }
    }
    Ok(())
}
