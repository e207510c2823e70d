//! `--init`: T-SQL scripts that run once, on a new data directory, before the first connection.

use std::path::Path;
use std::sync::Arc;

use exec::host::Ended;
use exec::sink::{Sink, Stop};
use types::SqlError;

use crate::instance::server::Server;
use crate::session::host::SessionHost;

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
    outcome
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
