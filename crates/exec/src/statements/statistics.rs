//! SET STATISTICS TIME and IO: what a statement cost, in SQL Server's words, of which tools take the numbers.
//! https://learn.microsoft.com/sql/t-sql/statements/set-statistics-io-transact-sql

use types::sql_error;

use super::failure::Unwind;
use super::run::Runner;
use crate::table_reads::TableReads;

/// When a statement began; None when nobody asked.
pub struct Started {
    elapsed_ns: u64,
    cpu_ns: u64,
    /// Of the statement around this one.
    around: Option<Box<TableReads>>,
}

impl Runner<'_> {
    pub fn start_statistics(&mut self) -> Option<Started> {
        let session = self.session();
        if !session.options.statistics_time && !session.options.statistics_io {
            return None;
        }
        let own = session.options.statistics_io.then(|| Box::new(TableReads::begin()));
        let mut around = std::mem::replace(&mut session.table_reads, own);
        if let Some(reads) = &mut around {
            reads.charge();
        }
        Some(Started { elapsed_ns: os::clock::now(), cpu_ns: os::clock::thread_cpu(), around })
    }

    /// The statement has completed.
    pub fn finish_statistics(&mut self, started: Option<Started>) -> Result<(), Unwind> {
        let Some(started) = started else { return Ok(()) };
        let (elapsed_ns, cpu_ns) = (started.elapsed_ns, started.cpu_ns);
        let reads = self.leave_statistics(started);
        let time = self.session().options.statistics_time;
        for read in reads.map(|reads| reads.end()).unwrap_or_default() {
            // There are no page servers, and long values are not counted apart.
            let text =
                sql_error!(3615, read.table.name, read.scans, read.logical, read.physical, 0, 0, 0, 0, 0, 0, 0, 0);
            self.message(&text)?;
        }
        if time {
            let elapsed = (os::clock::now() - elapsed_ns) / 1_000_000;
            let cpu = os::clock::thread_cpu().saturating_sub(cpu_ns) / 1_000_000;
            self.message(&sql_error!(3612, "\n", "\n", cpu, elapsed))?;
        }
        Ok(())
    }

    /// It has not: nothing is told.
    pub fn abandon_statistics(&mut self, started: Option<Started>) {
        if let Some(started) = started {
            self.leave_statistics(started);
        }
    }

    fn leave_statistics(&mut self, started: Started) -> Option<Box<TableReads>> {
        let mut around = started.around;
        if let Some(reads) = &mut around {
            reads.skip();
        }
        std::mem::replace(&mut self.session().table_reads, around)
    }
}
