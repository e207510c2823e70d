//! A job that runs: its steps one after another, as each one's outcome says, and what its history tells of that.

use std::sync::Arc;
use types::SqlError;

use super::ask::{ask, literal, text, text_or_none};
use super::output::{HISTORY_CHARS_MAX, Output};
use super::step::{Outcome, Step, clock_parts};
use crate::instance::server::Server;
use os::wait::WaitType;

/// Between looks whether a step that waits for its next attempt is to end.
const WAIT_LOOK_MS: u64 = 1_000;
/// `run_status` of the history.
const FAILED: i64 = 0;
const SUCCEEDED: i64 = 1;
const RETRY: i64 = 2;
const CANCELLED: i64 = 3;

/// A job that is to begin.
pub struct Start {
    /// As T-SQL writes a uniqueidentifier.
    pub job: String,
    /// 0: where the job says.
    pub step: i64,
    /// "The Job was invoked by User sa."
    pub invoked: String,
}

/// What a job does when a step has ended.
struct Then {
    action: i64,
    step: i64,
}

struct Loaded {
    step: Step,
    on_success: Then,
    on_failure: Then,
    attempts: i64,
    /// minutes
    pause: i64,
    stops: bool,
}

/// What becomes of a job whose steps have ended.
struct Job {
    delete_level: i64,
    log_level: i64,
    /// When somebody is to be told of its end, by what, and who that is: empty, nobody.
    tells: [(i64, &'static str, String); 3],
    name: String,
    next_due: Option<Loaded>,
}

fn hhmmss(ms: u64) -> u64 {
    let seconds = ms / 1_000;
    seconds / 3_600 * 10_000 + seconds / 60 % 60 * 100 + seconds % 60
}

/// Of `sysjobhistory`, with what it says cut to what that holds.
struct Told<'a> {
    step: i64,
    name: &'a str,
    error: (i32, u8),
    message: String,
    status: i64,
    began: (i64, i64),
    took_ms: u64,
    retries: i64,
}

pub fn run(server: &Arc<Server>, start: &Start) {
    let ran = os::panics::catch(|| run_steps(server, start));
    let error = match ran {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error.text.clone(),
        Err(panic) => {
            tracing::error!(place = panic.place, message = panic.message, "job {}: {}", start.job, panic.backtrace);
            panic.message
        }
    };
    tracing::error!("job {} cannot go on: {error}", start.job);
    let text = format!(
        "UPDATE msdb.dbo.sysjobactivity SET stop_execution_date = GETDATE()
         WHERE job_id = '{}' AND session_id = (SELECT MAX(session_id) FROM msdb.dbo.syssessions)",
        start.job
    );
    if let Err(error) = ask(server, &text) {
        tracing::error!("job {} is still shown as running: {}", start.job, error.text);
    }
}

fn run_steps(server: &Arc<Server>, start: &Start) -> Result<(), SqlError> {
    let (began, began_ms) = (clock_parts(), os::clock::now_ms());
    let Some(mut job) = load(server, start, start.step, began)? else { return Ok(()) };
    let (mut status, mut last) = (FAILED, String::new());
    // Steps by which it comes back to one it has run are its maker's: each of them may be ended.
    while let Some(loaded) = job.next_due.take() {
        if loaded.stops {
            status = CANCELLED;
            break;
        }
        let outcome = run_step(server, start, &loaded)?;
        last = format!("The last step to run was step {} ({}).", loaded.step.number, loaded.step.name);
        let then = match outcome {
            Outcome::Cancelled => {
                status = CANCELLED;
                break;
            }
            Outcome::Succeeded => loaded.on_success,
            Outcome::Failed => loaded.on_failure,
        };
        status = if matches!(outcome, Outcome::Succeeded) { SUCCEEDED } else { FAILED };
        let next = match then.action {
            1 => {
                status = SUCCEEDED;
                break;
            }
            2 => {
                status = FAILED;
                break;
            }
            3 => loaded.step.number + 1,
            _ => then.step,
        };
        match load(server, start, next, began)? {
            Some(found) => job = found,
            None => return Ok(()),
        }
    }
    finish(server, start, &job, status, &last, began, os::clock::now_ms().saturating_sub(began_ms))
}

/// A job and one of its steps. None: the job is gone.
fn load(server: &Arc<Server>, start: &Start, step: i64, began: (i64, i64)) -> Result<Option<Job>, SqlError> {
    let text_of_job = format!(
        "SELECT j.name, SUSER_SNAME(j.owner_sid), CONVERT(int, j.delete_level), j.notify_level_eventlog, s.step_id, s.step_name,
           CONVERT(nvarchar(36), s.step_uid), s.command, s.database_name, s.database_user_name, s.output_file_name, s.flags,
           CONVERT(int, s.on_success_action), s.on_success_step_id, CONVERT(int, s.on_fail_action), s.on_fail_step_id, s.retry_attempts,
           s.retry_interval, (SELECT COUNT(*) FROM msdb.dbo.sysagentrequests r WHERE r.job_id = j.job_id AND r.operation_code = 5),
           j.notify_level_email, e.name, j.notify_level_page, p.name, j.notify_level_netsend, n.name
         FROM msdb.dbo.sysjobs j
         LEFT JOIN msdb.dbo.sysjobsteps s ON s.job_id = j.job_id AND s.step_id = CASE {step} WHEN 0 THEN j.start_step_id ELSE {step} END
         LEFT JOIN msdb.dbo.sysoperators e ON e.id = j.notify_email_operator_id
         LEFT JOIN msdb.dbo.sysoperators p ON p.id = j.notify_page_operator_id
         LEFT JOIN msdb.dbo.sysoperators n ON n.id = j.notify_netsend_operator_id
         WHERE j.job_id = '{}'",
        start.job
    );
    let results = ask(server, &text_of_job)?;
    let Some(row) = results.first().and_then(|rows| rows.first()) else { return Ok(None) };
    let number = row[4].number();
    let name = text(&row[0]);
    let next_due = (number > 0).then(|| Loaded {
        step: Step {
            job: start.job.clone(),
            job_name: name.clone(),
            owner: text_or_none(&row[1]),
            number,
            name: text(&row[5]),
            uid: text(&row[6]),
            command: text(&row[7]),
            database: text(&row[8]),
            user: text_or_none(&row[9]),
            file: text_or_none(&row[10]),
            flags: row[11].number(),
            began,
        },
        on_success: Then { action: row[12].number(), step: row[13].number() },
        on_failure: Then { action: row[14].number(), step: row[15].number() },
        attempts: row[16].number(),
        pause: row[17].number(),
        stops: row[18].number() > 0,
    });
    let told = |at: usize, way| (row[at].number(), way, text(&row[at + 1]));
    let tells = [told(19, "email"), told(21, "pager"), told(23, "net send")];
    Ok(Some(Job { delete_level: row[2].number(), log_level: row[3].number(), tells, name, next_due }))
}

/// A step with its further attempts.
fn run_step(server: &Arc<Server>, start: &Start, loaded: &Loaded) -> Result<Outcome, SqlError> {
    let step = &loaded.step;
    for attempt in 0.. {
        let (began, began_ms) = (clock_parts(), os::clock::now_ms());
        let mut output = Output::default();
        let outcome = step.run(server, &mut output);
        let again = matches!(outcome, Outcome::Failed) && attempt < loaded.attempts;
        let (status, ending) = match outcome {
            Outcome::Succeeded => (SUCCEEDED, "The step succeeded."),
            Outcome::Cancelled => (CANCELLED, "The step was cancelled (stopped) as the result of a stop job request."),
            Outcome::Failed if again => (RETRY, "The step failed."),
            Outcome::Failed => (FAILED, "The step failed."),
        };
        let who = step.user.as_deref().or(step.owner.as_deref()).unwrap_or("(unknown)");
        let told = Told {
            step: step.number,
            name: &step.name,
            error: output.error.unwrap_or((0, 0)),
            message: told_whole(&format!("Executed as user: {who}. "), &output.history, ending),
            status,
            began,
            took_ms: os::clock::now_ms().saturating_sub(began_ms),
            retries: attempt,
        };
        tell(server, start, &told)?;
        if !again {
            return Ok(outcome);
        }
        if !wait_for_next(server, start, loaded.pause)? {
            return Ok(Outcome::Cancelled);
        }
    }
    unreachable!("a step has an end of attempts")
}

/// The middle is cut where all is longer than the history's text may be.
fn told_whole(before: &str, middle: &str, after: &str) -> String {
    let room = HISTORY_CHARS_MAX.saturating_sub(before.chars().count() + after.chars().count() + 5);
    let short: String = middle.chars().filter(|char| *char != '\0').take(room).collect();
    let cut = if short.len() < middle.len() { "..." } else { "" };
    format!("{before}{short}{cut}  {after}")
}

/// False: the job is to end.
fn wait_for_next(server: &Arc<Server>, start: &Start, minutes: i64) -> Result<bool, SqlError> {
    let until = os::clock::after_ms(minutes.max(0) as u64 * 60_000);
    let asked =
        format!("SELECT COUNT(*) FROM msdb.dbo.sysagentrequests WHERE job_id = '{}' AND operation_code = 5", start.job);
    loop {
        let stops = ask(server, &asked)?.first().and_then(|rows| rows.first()).is_some_and(|row| row[0].number() > 0);
        if stops || os::sched::stopping() {
            return Ok(false);
        }
        if os::clock::now() >= until {
            return Ok(true);
        }
        os::wait::sleep(WaitType::SLEEP_SYSTEMTASK, WAIT_LOOK_MS);
    }
}

/// The history's row of a step, or of the job as a whole (0).
fn tell(server: &Arc<Server>, start: &Start, told: &Told<'_>) -> Result<(), SqlError> {
    let duration = hhmmss(told.took_ms);
    let of_step = match told.step {
        0 => String::new(),
        step => format!(
            "UPDATE msdb.dbo.sysjobsteps SET last_run_outcome = {status}, last_run_duration = {duration}, last_run_retries = {retries},
               last_run_date = {date}, last_run_time = {time} WHERE job_id = '{job}' AND step_id = {step};
             UPDATE msdb.dbo.sysjobactivity SET last_executed_step_id = {step}, last_executed_step_date = GETDATE()
             WHERE job_id = '{job}' AND session_id = (SELECT MAX(session_id) FROM msdb.dbo.syssessions);",
            status = told.status,
            retries = told.retries,
            date = told.began.0,
            time = told.began.1,
            job = start.job
        ),
    };
    let row = format!(
        "IF EXISTS (SELECT * FROM msdb.dbo.sysjobs WHERE job_id = '{job}')
         INSERT msdb.dbo.sysjobhistory (job_id, step_id, step_name, sql_message_id, sql_severity, message, run_status, run_date, run_time,
           run_duration, operator_id_emailed, operator_id_netsent, operator_id_paged, retries_attempted, server)
         VALUES ('{job}', {step}, {name}, {number}, {severity}, {message}, {status}, {date}, {time}, {duration}, 0, 0, 0, {retries}, @@SERVERNAME);
         {of_step}",
        job = start.job,
        step = told.step,
        name = literal(told.name),
        number = told.error.0,
        severity = told.error.1,
        message = literal(&told.message),
        status = told.status,
        date = told.began.0,
        time = told.began.1,
        retries = told.retries,
    );
    ask(server, &row).map(|_| ())
}

fn finish(
    server: &Arc<Server>,
    start: &Start,
    job: &Job,
    status: i64,
    last: &str,
    began: (i64, i64),
    took_ms: u64,
) -> Result<(), SqlError> {
    let ending = match status {
        SUCCEEDED => "The job succeeded.",
        CANCELLED => "The job was stopped prior to completion.",
        _ => "The job failed.",
    };
    // 1 when it succeeds, 2 when it fails, 3 however it ends.
    let applies = |level: i64| level == 3 || level == 1 && status == SUCCEEDED || level == 2 && status != SUCCEEDED;
    let mut message = format!("{ending}  {}  {last}", start.invoked);
    for (_, way, who) in job.tells.iter().filter(|(level, _, who)| applies(*level) && !who.is_empty()) {
        message.push_str(&format!("  NOTE: Failed to notify '{who}' via {way}."));
    }
    let told = Told {
        step: 0,
        name: "(Job outcome)",
        error: (0, 0),
        message: message.clone(),
        status,
        began,
        took_ms,
        retries: 0,
    };
    tell(server, start, &told)?;
    let text = format!(
        "UPDATE msdb.dbo.sysjobservers SET last_run_outcome = {status}, last_outcome_message = {message}, last_run_date = {date},
           last_run_time = {time}, last_run_duration = {duration} WHERE job_id = '{job}';
         UPDATE msdb.dbo.sysjobactivity SET stop_execution_date = GETDATE(),
           job_history_id = (SELECT MAX(instance_id) FROM msdb.dbo.sysjobhistory WHERE job_id = '{job}')
         WHERE job_id = '{job}' AND session_id = (SELECT MAX(session_id) FROM msdb.dbo.syssessions);
         DELETE msdb.dbo.sysagentrequests WHERE job_id = '{job}' AND operation_code = 5;
         DECLARE @all int, @of_job int;
         SELECT @all = history_max, @of_job = history_of_job_max FROM msdb.dbo.sysagentproperties;
         IF @of_job >= 0 DELETE msdb.dbo.sysjobhistory WHERE job_id = '{job}' AND instance_id NOT IN (
           SELECT TOP (@of_job) instance_id FROM msdb.dbo.sysjobhistory WHERE job_id = '{job}' ORDER BY instance_id DESC);
         IF @all >= 0 DELETE msdb.dbo.sysjobhistory WHERE instance_id NOT IN (
           SELECT TOP (@all) instance_id FROM msdb.dbo.sysjobhistory ORDER BY instance_id DESC)",
        message = literal(&message),
        date = began.0,
        time = began.1,
        duration = hhmmss(took_ms),
        job = start.job
    );
    ask(server, &text)?;
    if applies(job.log_level) {
        let name = &job.name;
        match status {
            SUCCEEDED => tracing::info!("SQL Server Scheduled Job '{name}': {message}"),
            _ => tracing::warn!("SQL Server Scheduled Job '{name}': {message}"),
        }
    }
    if applies(job.delete_level) {
        ask(server, &format!("EXEC msdb.dbo.sp_delete_job @job_id = '{}'", start.job))?;
    }
    Ok(())
}
