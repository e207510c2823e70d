//! SQL Server Agent: jobs that are kept in msdb's tables, and run by their schedules or when somebody starts them.
//!
//! What administers them is T-SQL (`system/procedures/jobs.sql` and its neighbours); here is what runs them. While there is no job,
//! nothing is done. Lowest first.
//!
//! ```text
//! ask       texts of the server's own, and their rows
//! tables    makes the tables in msdb, where they are not there yet
//! output    what a step says
//! tokens    $(ESCAPE_SQUOTE(JOBID)) and its kin
//! step      runs the text of a step as the job's owner
//! job       the steps of a job one after another, and its history
//! look      now and then: which jobs are to begin
//! startup   procedures that run when the server has started
//! ```

mod ask;
pub mod tables;
mod output;
mod tokens;
mod step;
mod job;
pub mod look;
pub mod startup;
