//! Which jobs are to begin: asked when a schedule's time has come, and when jobs, schedules or requests have changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use os::sched::{Place, TaskKind};
use types::SqlError;

use super::ask::{ask, text};
use super::job::{self, Start};
use crate::instance::server::Server;

/// While there are schedules they are looked at so often at least: the clock may have been set, or a table changed by hand.
const LOOK_SECONDS_MAX: u64 = 60;

/// What was asked and not begun, and what ran, is no more: of who had run jobs before. 1: there are jobs.
const BEGIN: &str = "
SET NOCOUNT ON;
IF EXISTS (SELECT * FROM msdb.dbo.sysjobs)
BEGIN
  INSERT msdb.dbo.syssessions (agent_start_date) VALUES (GETDATE());
  DELETE msdb.dbo.sysjobactivity;
  DELETE msdb.dbo.sysagentrequests WHERE operation_code = 5;
  UPDATE msdb.dbo.sysjobschedules SET next_run_date = 0, next_run_time = 0;
  SELECT 1;
END";

/// The jobs that begin now, and in how many seconds the next one is due. `@starts`: those that begin with Agent do so as well,
/// unless they were made since the server began.
const LOOK: &str = "
SET NOCOUNT ON;
SET XACT_ABORT ON;
BEGIN TRANSACTION;
DECLARE @began datetime = (SELECT sqlserver_start_time FROM sys.dm_os_sys_info);
DECLARE @now datetime = GETDATE(), @session int = (SELECT MAX(session_id) FROM msdb.dbo.syssessions);
DECLARE @date int = CONVERT(int, CONVERT(char(8), @now, 112)),
  @time int = DATEPART(hour, @now) * 10000 + DATEPART(minute, @now) * 100 + DATEPART(second, @now);
DECLARE @start TABLE (job_id uniqueidentifier NOT NULL, step_id int NOT NULL, source int NOT NULL, invoked nvarchar(400) NOT NULL);
INSERT @start
SELECT job_id, step_id, 4, N'The Job was invoked by User ' + login + N'.' FROM msdb.dbo.sysagentrequests WHERE operation_code = 4;
DELETE msdb.dbo.sysagentrequests WHERE operation_code = 4;
INSERT @start
SELECT a.job_id, 0, CASE s.freq_type WHEN 64 THEN 3 ELSE 1 END,
  N'The Job was invoked by Schedule ' + CONVERT(nvarchar(10), s.schedule_id) + N' (' + s.name + N').'
FROM msdb.dbo.sysjobschedules a
JOIN msdb.dbo.sysschedules s ON s.schedule_id = a.schedule_id
JOIN msdb.dbo.sysjobs j ON j.job_id = a.job_id
JOIN msdb.dbo.sysjobservers v ON v.job_id = a.job_id
WHERE j.enabled = 1 AND s.enabled = 1 AND (@starts = 1 AND s.freq_type = 64 AND j.date_created < @began AND s.date_created < @began
  OR a.next_run_date > 0 AND (a.next_run_date < @date OR a.next_run_date = @date AND a.next_run_time <= @time));
UPDATE a
SET next_run_date = e.run_date, next_run_time = e.run_time
FROM msdb.dbo.sysjobschedules a
JOIN msdb.dbo.sysschedules s ON s.schedule_id = a.schedule_id
JOIN msdb.dbo.sysjobs j ON j.job_id = a.job_id
CROSS APPLY sys.sysagentnextrun(s.freq_type, s.freq_interval, s.freq_subday_type, s.freq_subday_interval, s.freq_relative_interval,
  s.freq_recurrence_factor, s.active_start_date, s.active_end_date, s.active_start_time, s.active_end_time, @date, @time) n
CROSS APPLY (SELECT n.run_date * j.enabled * s.enabled AS run_date, n.run_time * j.enabled * s.enabled AS run_time) e
WHERE (a.next_run_date < @date OR a.next_run_date = @date AND a.next_run_time <= @time)
  AND (a.next_run_date <> e.run_date OR a.next_run_time <> e.run_time);
DELETE @start WHERE job_id IN (SELECT job_id FROM msdb.dbo.sysjobactivity
  WHERE session_id = @session AND start_execution_date IS NOT NULL AND stop_execution_date IS NULL);
DELETE msdb.dbo.sysjobactivity WHERE session_id = @session AND job_id IN (SELECT job_id FROM @start);
INSERT msdb.dbo.sysjobactivity (session_id, job_id, run_requested_date, run_requested_source, queued_date, start_execution_date)
SELECT @session, job_id, @now, CONVERT(sysname, MAX(source)), @now, @now FROM @start GROUP BY job_id;
UPDATE y
SET next_scheduled_run_date = m.moment
FROM msdb.dbo.sysjobactivity y
CROSS APPLY (SELECT MIN(sys.agent_moment(a.next_run_date, a.next_run_time)) AS moment FROM msdb.dbo.sysjobschedules a WHERE a.job_id = y.job_id) m
WHERE y.session_id = @session AND (y.next_scheduled_run_date <> m.moment OR y.next_scheduled_run_date IS NULL AND m.moment IS NOT NULL);
SELECT CONVERT(nvarchar(36), job_id), MAX(step_id), MAX(invoked) FROM @start GROUP BY job_id;
SELECT MIN(DATEDIFF_BIG(second, @now, sys.agent_moment(a.next_run_date, a.next_run_time)))
FROM msdb.dbo.sysjobschedules a
WHERE a.next_run_date > 0;
COMMIT";

/// What this engine knows of the jobs.
#[derive(Default)]
pub struct Watch {
    /// `Server::agent_changes` when they were looked at last. None: never.
    seen: Option<u32>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Somebody looks now.
    busy: AtomicBool,
    /// This engine runs jobs.
    begun: AtomicBool,
    /// When the next job is due, of `os::clock::now`; 0: none is.
    due_ns: AtomicU64,
}

impl Watch {
    /// Asked now and then by the one engine that runs jobs.
    pub fn look(&mut self, server: &Arc<Server>) {
        let changes = server.agent_changes.load(Ordering::Acquire);
        let due = self.shared.due_ns.load(Ordering::Acquire);
        if self.seen == Some(changes) && (due == 0 || os::clock::now() < due) {
            return;
        }
        if self.shared.busy.swap(true, Ordering::AcqRel) {
            return;
        }
        // A job that is made later has missed the start.
        let at_start = self.seen.replace(changes).is_none();
        let (server, shared) = (server.clone(), self.shared.clone());
        os::sched::spawn(TaskKind::System, Place::Here, move || {
            let due_seconds = match os::panics::catch(|| begin_what_is_due(&server, &shared, at_start)) {
                Ok(Ok(due)) => due,
                Ok(Err(error)) => {
                    tracing::warn!("the jobs cannot be looked at: {}", error.text);
                    Some(LOOK_SECONDS_MAX)
                }
                Err(panic) => {
                    tracing::error!(place = panic.place, message = panic.message, "the jobs cannot be looked at");
                    Some(LOOK_SECONDS_MAX)
                }
            };
            let due = due_seconds.map_or(0, |seconds| os::clock::after_ms(seconds.min(LOOK_SECONDS_MAX) * 1_000));
            shared.due_ns.store(due, Ordering::Release);
            shared.busy.store(false, Ordering::Release);
        });
    }
}

/// Begins the jobs whose time it is. The answer: in how many seconds there is one again, as far as that is known.
fn begin_what_is_due(server: &Arc<Server>, shared: &Shared, at_start: bool) -> Result<Option<u64>, SqlError> {
    let first = !shared.begun.load(Ordering::Acquire);
    if first {
        if ask(server, BEGIN)?.is_empty() {
            return Ok(None);
        }
        shared.begun.store(true, Ordering::Release);
    }
    let results = ask(server, &format!("DECLARE @starts bit = {};{LOOK}", u8::from(first && at_start)))?;
    let [starts, due] = &results[..] else { return Ok(None) };
    for row in starts {
        let start = Start { job: text(&row[0]), step: row[1].number(), invoked: text(&row[2]) };
        let server = server.clone();
        os::sched::spawn(TaskKind::Request, Place::LeastLoaded, move || job::run(&server, &start));
    }
    let due = due.first().map(|row| &row[0]).filter(|cell| !matches!(cell, crate::system::answer::Answer::Null));
    Ok(due.map(|seconds| seconds.number().max(0) as u64))
}
