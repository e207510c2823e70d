//! The machine below follows the configuration while it runs: how many workers it has, and on which CPUs.

use os::sched::ChangeError;
use types::{SqlError, SqlResult};

use crate::config::{Configuration, cpus_of, no_such_cpu, option};

/// What of the configuration in effect the machine runs by.
#[derive(PartialEq)]
pub struct Followed {
    workers: i64,
    mask: i64,
    mask64: i64,
}

impl Followed {
    pub fn of(configuration: &Configuration) -> Followed {
        Followed {
            workers: configuration.running(option::MAX_WORKER_THREADS),
            mask: configuration.running(option::AFFINITY_MASK),
            mask64: configuration.running(option::AFFINITY64_MASK),
        }
    }

    /// Makes the machine what `configuration` says now, as far as that differs.
    pub fn follow(&self, configuration: &Configuration) -> SqlResult<()> {
        let now = Followed::of(configuration);
        if now.workers != self.workers {
            os::sched::set_workers_max(now.workers as u32);
        }
        if (now.mask, now.mask64) == (self.mask, self.mask64) {
            return Ok(());
        }
        let cpus: Vec<u32> = cpus_of(now.mask, now.mask64).into_iter().map(|cpu| cpu as u32).collect();
        os::sched::set_affinity((!cpus.is_empty()).then_some(&cpus)).map_err(refused)
    }
}

fn refused(error: ChangeError) -> SqlError {
    match error {
        ChangeError::NoSuchCpu(_) => no_such_cpu(),
        ChangeError::TooMany => SqlError::new(5833, 16, "The machine has as many schedulers as it can have."),
        ChangeError::ManyEngines => SqlError::new(
            5833,
            16,
            "With 'kernel mode' process, the affinity mask takes effect at the next start: each engine has its own CPU.",
        ),
    }
}
