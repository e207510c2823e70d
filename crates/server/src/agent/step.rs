//! The text of a step, run as the owner of its job, in a session of its own.

use std::path::Path;
use std::sync::Arc;

use exec::host::Ended;
use exec::session::Session as State;
use types::{SqlError, SqlResult, sql_error};

use super::ask::ask;
use super::output::Output;
use super::tokens;
use crate::catalog::base::LoginRow;
use crate::catalog::{MASTER, clock, load};
use crate::instance::server::Server;
use crate::instance::sessions::Input;
use crate::session::host::SessionHost;

/// By `name`.
const BY_NAME: usize = 1;
/// `sysjobsteps.flags`
pub const APPEND: i64 = 2;
pub const ALL_TO_HISTORY: i64 = 4;
pub const TO_TABLE: i64 = 8;
pub const TO_TABLE_APPENDED: i64 = 16;

/// A step as its job runs it.
pub struct Step {
    /// As T-SQL writes a uniqueidentifier.
    pub job: String,
    pub job_name: String,
    /// None: the login of that sid is gone.
    pub owner: Option<String>,
    pub number: i64,
    pub name: String,
    pub uid: String,
    pub command: String,
    pub database: String,
    pub user: Option<String>,
    pub file: Option<String>,
    pub flags: i64,
    /// The job's begin, yyyymmdd and hhmmss.
    pub began: (i64, i64),
}

pub enum Outcome {
    Succeeded,
    Failed,
    /// Somebody has ended it.
    Cancelled,
}

/// The bytes of a number as Agent names a job: 0x and 32 digits.
fn job_as_hex(job: &str) -> String {
    let digits: Vec<&str> = job.split('-').collect();
    let swapped = |part: &str| -> String {
        let pairs: Vec<&str> = (0..part.len() / 2).rev().map(|at| &part[2 * at..2 * at + 2]).collect();
        pairs.concat()
    };
    match digits[..] {
        [a, b, c, d, e] => format!("0x{}{}{}{d}{e}", swapped(a), swapped(b), swapped(c)).replace('X', "x"),
        _ => job.to_owned(),
    }
}

impl Step {
    fn token(&self, server: &Server, name: &str) -> Option<String> {
        let (date, time) = (clock_parts().0.to_string(), format!("{:06}", clock_parts().1));
        Some(match name {
            "JOBID" => job_as_hex(&self.job),
            "JOBNAME" => self.job_name.clone(),
            "STEPID" => self.number.to_string(),
            "STEPNAME" => self.name.clone(),
            "STEPCOUNT" => "1".to_owned(),
            "STRTDT" => self.began.0.to_string(),
            "STRTTM" => format!("{:06}", self.began.1),
            "DATE" => date,
            "TIME" => time,
            "SRVR" | "MACH" => server.catalog.server_name.clone(),
            "INST" => String::new(),
            "SQLLOGDIR" | "SQLDIR" => match name {
                "SQLLOGDIR" => format!("{}/log", server.catalog.data_directory),
                _ => server.catalog.data_directory.clone(),
            },
            _ => return None,
        })
    }

    /// Runs it. What it says is in `output`.
    pub fn run(&self, server: &Arc<Server>, output: &mut Output) -> Outcome {
        output.keeps_all = self.file.is_some() || self.flags & (ALL_TO_HISTORY | TO_TABLE | TO_TABLE_APPENDED) != 0;
        let outcome = match self.open(server) {
            Ok((mut state, mut host)) => {
                os::sched::set_session(state.spid);
                let outcome = self.run_in(server, &mut state, &mut host, output);
                host.log_out(&mut state);
                os::wait::clear_interrupt();
                os::sched::set_session(0);
                outcome
            }
            Err(error) => {
                output.hear(&error);
                Outcome::Failed
            }
        };
        self.keep(server, output);
        outcome
    }

    /// A session of the owner.
    fn open(&self, server: &Arc<Server>) -> SqlResult<(State, SessionHost)> {
        let gone = || sql_error!(15007, self.owner.as_deref().unwrap_or(""));
        let owner = self.owner.as_deref().ok_or_else(gone)?;
        let master = server.catalog.expect_database(MASTER);
        let row = server.catalog.read(&master, |rows| rows.first::<LoginRow>(BY_NAME, &[load::name(owner)]))?;
        let program = format!("SQLAgent - TSQL JobStep (Job {} : Step {})", job_as_hex(&self.job), self.number);
        SessionHost::of_agent(server, &row.ok_or_else(gone)?, program)
    }

    fn run_in(&self, server: &Arc<Server>, state: &mut State, host: &mut SessionHost, output: &mut Output) -> Outcome {
        let bracketed = |name: &str| name.replace(']', "]]");
        let mut texts = vec![format!("USE [{}]", bracketed(&self.database))];
        if let Some(user) = &self.user {
            texts.push(format!("EXECUTE AS USER = N'{}' WITH NO REVERT", user.replace('\'', "''")));
        }
        let opening = texts.len();
        let command = tokens::replace(&self.command, &|name| self.token(server, name));
        for (_, count, batch) in sql::batches::split(&command) {
            texts.extend((0..count).map(|_| batch.to_owned()));
        }
        for (at, text) in texts.into_iter().enumerate() {
            if run_batch(state, host, output, text) {
                return Outcome::Cancelled;
            }
            if at < opening {
                // What could not be where it should runs not elsewhere.
                if output.error.is_some() {
                    return Outcome::Failed;
                }
                // That the database has changed is nothing that the step says.
                output.forget();
            }
        }
        if output.error.is_some() { Outcome::Failed } else { Outcome::Succeeded }
    }

    /// To its file and to msdb's table, as far as the step asks for it.
    fn keep(&self, server: &Arc<Server>, output: &mut Output) {
        if !output.keeps_all {
            return;
        }
        let (date, time) = self.began;
        let all = format!(
            "Job '{}' : Step {}, '{}' : Began Executing {:04}-{:02}-{:02} {:02}:{:02}:{:02}\r\n\r\n{}",
            self.job_name,
            self.number,
            self.name,
            date / 10_000,
            date / 100 % 100,
            date % 100,
            time / 10_000,
            time / 100 % 100,
            time % 100,
            output.all
        );
        if let Some(file) = &self.file {
            let file = tokens::replace(file, &|name| self.token(server, name));
            let path = Path::new(&file);
            let written = match self.flags & APPEND {
                0 => os::fs::write(path, all.as_bytes()),
                _ => os::fs::append(path, all.as_bytes()),
            };
            if let Err(error) = written {
                tracing::warn!(
                    "job {}, step {}: the output file {file} cannot be written: {error}",
                    self.job_name,
                    self.number
                );
                output.add_to_history(&format!("Unable to open Step output file {file}: {error}."));
            }
        }
        if self.flags & (TO_TABLE | TO_TABLE_APPENDED) != 0 {
            let log = super::ask::literal(&all);
            let earlier = match self.flags & TO_TABLE_APPENDED {
                0 => "NULL".to_owned(),
                _ => format!("(SELECT MAX(log) FROM msdb.dbo.sysjobstepslogs WHERE step_uid = '{}')", self.uid),
            };
            let text = format!(
                "DECLARE @log nvarchar(max) = ISNULL({earlier}, N'') + {log};
                 DELETE msdb.dbo.sysjobstepslogs WHERE step_uid = '{uid}';
                 INSERT msdb.dbo.sysjobstepslogs (log, date_created, date_modified, log_size, step_uid)
                 VALUES (@log, GETDATE(), GETDATE(), DATALENGTH(@log), '{uid}')",
                uid = self.uid
            );
            if let Err(error) = ask(server, &text) {
                tracing::warn!(
                    "job {}, step {}: its log cannot be written: {}",
                    self.job_name,
                    self.number,
                    error.text
                );
            }
        }
        if self.flags & ALL_TO_HISTORY != 0 {
            output.history = std::mem::take(&mut output.all);
        }
    }
}

/// One batch, as a client's would run. True: the session was killed.
fn run_batch(state: &mut State, host: &mut SessionHost, output: &mut Output, text: String) -> bool {
    let text: Arc<str> = text.into();
    *host.entry.input.lock() = Some(Input::Batch(text.clone()));
    host.request_started(state);
    let ended = match crate::session::compile::compile(host, state, &text, "") {
        Ok(module) => exec::run_batch(&module, state, host, output),
        Err(errors) => Ended::Failed(SqlError::together(errors)),
    };
    if let Ended::Failed(error) = &ended {
        output.hear(error);
    }
    host.request_over(state);
    let killed = host.killed() || matches!(ended, Ended::Stopped(_));
    if killed && output.error.is_none() {
        output.hear(&sql_error!(596));
    }
    killed
}

/// Now, as yyyymmdd and hhmmss.
pub fn clock_parts() -> (i64, i64) {
    parts_of(clock::now().0)
}

/// Of a `datetime`: days in the high half since 1900, three hundredths of a second in the low.
fn parts_of(datetime: i64) -> (i64, i64) {
    const DAY: i64 = 25_920_000;
    let days = datetime.div_euclid(DAY) + types::datetime::calendar::DAY_1900;
    let seconds = datetime.rem_euclid(DAY) / 300;
    let types::datetime::Civil { year, month, day } = types::datetime::Civil::from_days(days);
    (year * 10_000 + month * 100 + day, seconds / 3_600 * 10_000 + seconds / 60 % 60 * 100 + seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::job_as_hex;

    #[test]
    fn a_job_is_named_by_the_bytes_of_its_number() {
        assert_eq!(job_as_hex("01020304-0506-0708-090A-0B0C0D0E0F10"), "0x0403020106050807090A0B0C0D0E0F10");
    }
}
