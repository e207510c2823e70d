//! SET STATISTICS TIME and IO: what a statement cost, in SQL Server's words, of which tools take the numbers.
//! https://learn.microsoft.com/sql/t-sql/statements/set-statistics-io-transact-sql

use types::sql_error;

use super::failure::Unwind;
use super::run::Runner;
use crate::table_reads::{TableReads, WorkTables};

/// Of one page.
const PAGE_BYTES: u64 = 8_192;

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
    pub fn finish_statistics(&mut self, started: Option<Started>, works: WorkTables) -> Result<(), Unwind> {
        let Some(started) = started else { return Ok(()) };
        let (elapsed_ns, cpu_ns) = (started.elapsed_ns, started.cpu_ns);
        let reads = self.leave_statistics(started);
        let time = self.session().options.statistics_time;
        if reads.is_some() {
            self.tell_work_tables(works)?;
        }
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

    /// A line for the worktables and one for the workfiles of the statement. Rows that memory had room for were in neither: the counts
    /// are of what was read from disk. What sorts and hash tables of one statement read is not told apart.
    fn tell_work_tables(&mut self, works: WorkTables) -> Result<(), Unwind> {
        if !works.table {
            return Ok(());
        }
        let spilled = self.context.workspace.get().map(|workspace| workspace.spilled()).unwrap_or_default();
        let pages = spilled.read.div_ceil(PAGE_BYTES);
        let of_file = works.file && spilled.sort_runs == 0;
        let counts = |read: bool| if read { (spilled.hash_partitions, pages) } else { (0, 0) };
        let mut told = vec![("Worktable", (0, if of_file { 0 } else { pages }))];
        if works.file {
            told.insert(0, ("Workfile", counts(of_file)));
        }
        for (name, (scans, pages)) in told {
            self.message(&sql_error!(3615, name, scans, pages, pages, 0, 0, 0, 0, 0, 0, 0, 0))?;
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
