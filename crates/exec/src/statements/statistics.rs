//! SET STATISTICS TIME and IO: what a statement cost, in SQL Server's words.

use types::sql_error;

use super::failure::Unwind;
use super::run::Runner;
use crate::session::Statistics;

/// When a statement began; None when nobody asked.
pub struct Started {
    elapsed_ns: u64,
    cpu_ns: u64,
    counters: Statistics,
}

impl Runner<'_> {
    pub fn start_statistics(&mut self) -> Option<Started> {
        let session = self.session();
        if !session.options.statistics_time && !session.options.statistics_io {
            return None;
        }
        let counters = session.statistics;
        Some(Started { elapsed_ns: os::clock::now(), cpu_ns: os::clock::thread_cpu(), counters })
    }

    pub fn finish_statistics(&mut self, started: Option<Started>) -> Result<(), Unwind> {
        let Some(started) = started else { return Ok(()) };
        let session = self.session();
        let (io, time, now) = (session.options.statistics_io, session.options.statistics_time, session.statistics);
        if io {
            let scans = now.scans - started.counters.scans;
            let rows = now.rows_read - started.counters.rows_read;
            self.message(&sql_error!(3615, scans, rows))?;
        }
        if time {
            let elapsed = (os::clock::now() - started.elapsed_ns) / 1_000_000;
            let cpu = os::clock::thread_cpu().saturating_sub(started.cpu_ns) / 1_000_000;
            self.message(&sql_error!(3612, "\n", "\n", cpu, elapsed))?;
        }
        Ok(())
    }
}
