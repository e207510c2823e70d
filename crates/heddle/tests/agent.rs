//! SQL Server Agent: jobs are run when they are started and when their schedules say, step by step, with a history, over a restart.
//!
//! https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-start-job-transact-sql
//! https://learn.microsoft.com/sql/relational-databases/system-tables/dbo-sysjobhistory-transact-sql
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::time::{Duration, Instant};

use lab::client::Connection;
use support::ask::{connect, must, word};
use support::{Server, scratch};

fn server(name: &str) -> (Server, Connection, String) {
    let data = scratch(name).join("data").to_str().expect("UTF-8").to_owned();
    let server = Server::start_on(&data, &["--admin-listen", "off"]);
    let sa = connect(&server, "msdb");
    (server, sa, data)
}

fn job(sa: &mut Connection, name: &str, steps: &[(&str, &str)]) {
    must(sa, &format!("EXEC dbo.sp_add_job @job_name = N'{name}'"));
    for (at, (text, more)) in steps.iter().enumerate() {
        let text = text.replace('\'', "''");
        must(
            sa,
            &format!(
                "EXEC dbo.sp_add_jobstep @job_name = N'{name}', @step_name = N's{at}', @command = N'{text}'{more}"
            ),
        );
    }
    must(sa, &format!("EXEC dbo.sp_add_jobserver @job_name = N'{name}'"));
}

/// The one value of a query, as text.
fn value(sa: &mut Connection, query: &str) -> String {
    word(sa, &format!("SELECT CONVERT(nvarchar(4000), ({query}))"))
}

/// Waits until a query of one word answers so.
fn until(sa: &mut Connection, query: &str, wanted: &str) {
    let began = Instant::now();
    loop {
        let found = value(sa, query);
        if found == wanted {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{query}: {found}, and not {wanted}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The statuses of a job's history, of each step in its turn and of the job (0) at the end.
fn history(sa: &mut Connection, name: &str) -> String {
    value(
        sa,
        &format!(
            "SELECT ISNULL(STRING_AGG(CONCAT(h.step_id, ':', h.run_status), ' ') WITHIN GROUP (ORDER BY h.instance_id), '')
             FROM dbo.sysjobhistory h JOIN dbo.sysjobs j ON j.job_id = h.job_id WHERE j.name = N'{name}'"
        ),
    )
}

fn ends(sa: &mut Connection, name: &str, wanted: &str) {
    let began = Instant::now();
    loop {
        let found = history(sa, name);
        if found == wanted {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{name}: {found}, and not {wanted}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn steps_run_one_after_another_as_their_outcomes_say() {
    let (_server, mut sa, _) = server("agent-steps");
    must(&mut sa, "CREATE TABLE tempdb.dbo.told (n int IDENTITY, a nvarchar(200))");
    job(
        &mut sa,
        "three",
        &[
            (
                "INSERT tempdb.dbo.told VALUES (DB_NAME()); PRINT 'first'",
                ", @database_name = N'tempdb', @on_success_action = 3",
            ),
            (
                "SELECT 1 / 0\nGO\nINSERT told VALUES (N'after GO')",
                ", @database_name = N'tempdb', @on_fail_action = 4, @on_fail_step_id = 4",
            ),
            ("INSERT tempdb.dbo.told VALUES (N'never')", ""),
            ("INSERT tempdb.dbo.told SELECT program_name FROM sys.dm_exec_sessions WHERE session_id = @@SPID", ""),
        ],
    );
    must(&mut sa, "EXEC dbo.sp_start_job N'three'");
    ends(&mut sa, "three", "1:1 2:0 4:1 0:1");
    let told = value(&mut sa, "SELECT STRING_AGG(a, '|') WITHIN GROUP (ORDER BY n) FROM tempdb.dbo.told");
    let id = value(
        &mut sa,
        "SELECT CONVERT(varchar(34), CONVERT(varbinary(16), job_id), 1) FROM dbo.sysjobs WHERE name = 'three'",
    );
    assert_eq!(told, format!("tempdb|after GO|SQLAgent - TSQL JobStep (Job {id} : Step 4)"));
    let message = |sa: &mut Connection, step: u32| {
        value(sa, &format!("SELECT message FROM dbo.sysjobhistory WHERE step_id = {step}"))
    };
    assert_eq!(message(&mut sa, 1), "Executed as user: sa. first [SQLSTATE 01000] (Message 0).  The step succeeded.");
    assert_eq!(
        message(&mut sa, 2),
        "Executed as user: sa. Divide by zero error encountered. [SQLSTATE 42000] (Error 8134).  The step failed."
    );
    assert_eq!(
        message(&mut sa, 0),
        "The job succeeded.  The Job was invoked by User sa.  The last step to run was step 4 (s3)."
    );
    assert_eq!(
        value(&mut sa, "SELECT CONCAT(sql_message_id, ' ', sql_severity) FROM dbo.sysjobhistory WHERE step_id = 2"),
        "8134 16"
    );
    assert_eq!(value(&mut sa, "SELECT CONVERT(int, last_run_outcome) FROM dbo.sysjobservers"), "1");
}

#[test]
fn schedules_begin_jobs_also_after_a_restart() {
    let (server, mut sa, data) = server("agent-schedules");
    must(&mut sa, "CREATE TABLE dbo.told (at datetime)");
    job(&mut sa, "often", &[("INSERT msdb.dbo.told VALUES (GETDATE())", ", @database_name = N'msdb'")]);
    must(
        &mut sa,
        "EXEC dbo.sp_add_jobschedule @job_name = N'often', @name = N'ten seconds', @freq_type = 4, @freq_interval = 1,
           @freq_subday_type = 2, @freq_subday_interval = 10",
    );
    must(&mut sa, "EXEC dbo.sp_add_schedule @schedule_name = N'at the start', @freq_type = 64");
    must(&mut sa, "EXEC dbo.sp_attach_schedule @job_name = N'often', @schedule_name = N'at the start'");
    until(&mut sa, "SELECT CONVERT(int, COUNT(*)) FROM dbo.told", "1");
    let seconds = value(&mut sa, "SELECT CONVERT(varchar(10), DATEPART(second, at) % 10) FROM dbo.told");
    assert!(["0", "1", "2"].contains(&&*seconds), "begun at second {seconds} of ten");
    until(&mut sa, "SELECT CONVERT(int, COUNT(*)) FROM dbo.sysjobschedules WHERE next_run_date > 0", "1");
    must(
        &mut sa,
        "EXEC dbo.sp_update_schedule @name = N'ten seconds', @enabled = 0; TRUNCATE TABLE dbo.told; DELETE dbo.sysjobhistory",
    );
    drop(sa);
    drop(server);
    let server = Server::start_on(&data, &["--admin-listen", "off"]);
    let mut sa = connect(&server, "msdb");
    until(&mut sa, "SELECT CONVERT(int, COUNT(*)) FROM dbo.told", "1");
    ends(&mut sa, "often", "1:1 0:1");
    let message = value(&mut sa, "SELECT message FROM dbo.sysjobhistory WHERE step_id = 0");
    assert!(message.contains("The Job was invoked by Schedule 2 (at the start)."), "{message}");
}

#[test]
fn a_job_that_runs_is_stopped_and_one_that_fails_is_tried_again() {
    let (_server, mut sa, _) = server("agent-stop");
    job(&mut sa, "long", &[("WAITFOR DELAY '00:10:00'", ", @on_success_action = 3"), ("PRINT 'never'", "")]);
    must(&mut sa, "EXEC dbo.sp_start_job N'long'");
    until(&mut sa, "SELECT CONVERT(int, COUNT(*)) FROM sys.dm_exec_sessions WHERE program_name LIKE 'SQLAgent%'", "1");
    assert_eq!(
        word(
            &mut sa,
            "BEGIN TRY EXEC dbo.sp_start_job N'long' END TRY BEGIN CATCH SELECT CONVERT(nvarchar(10), ERROR_NUMBER()) END CATCH"
        ),
        "22022"
    );
    must(&mut sa, "EXEC dbo.sp_stop_job N'long'");
    ends(&mut sa, "long", "1:3 0:3");
    must(&mut sa, "CREATE TABLE tempdb.dbo.attempts (n int)");
    job(
        &mut sa,
        "again",
        &[(
            "INSERT attempts VALUES (1); IF (SELECT COUNT(*) FROM attempts) < 2 RAISERROR('not yet', 16, 1)",
            ", @database_name = N'tempdb', @retry_attempts = 2",
        )],
    );
    must(&mut sa, "EXEC dbo.sp_start_job N'again'");
    ends(&mut sa, "again", "1:2 1:1 0:1");
    job(&mut sa, "nowhere", &[("PRINT 'never'", ", @database_name = N'nowhere'")]);
    must(&mut sa, "EXEC dbo.sp_start_job N'nowhere'");
    ends(&mut sa, "nowhere", "1:0 0:0");
}

#[test]
fn a_step_does_what_its_jobs_owner_may() {
    let (_server, mut sa, _) = server("agent-owner");
    must(
        &mut sa,
        "CREATE LOGIN small WITH PASSWORD = 'Small-2-loom', CHECK_POLICY = OFF; CREATE TABLE dbo.mine (a int)",
    );
    must(&mut sa, "EXEC dbo.sp_add_job @job_name = N'own', @owner_login_name = N'small'");
    must(
        &mut sa,
        "EXEC dbo.sp_add_jobstep @job_name = N'own', @step_name = N's', @database_name = N'msdb', @command = N'INSERT dbo.mine VALUES (1)'",
    );
    must(&mut sa, "EXEC dbo.sp_add_jobserver @job_name = N'own'; EXEC dbo.sp_start_job N'own'");
    ends(&mut sa, "own", "1:0 0:0");
    assert_eq!(
        value(&mut sa, "SELECT CONVERT(varchar(10), sql_message_id) FROM dbo.sysjobhistory WHERE step_id = 1"),
        "229"
    );
}
