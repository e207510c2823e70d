//! The machine below follows the configuration while it runs: how many workers it has, and on which CPUs.

use os::sched::ChangeError;
use types::{SqlError, SqlResult};

use crate::config::{Configuration, cpus_of, no_such_cpu, option};
use crate::question::Question;
use crate::server::Server;

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

    /// Makes the machine what the configuration says now, as far as that differs; with engines, those of all of them.
    pub fn follow(&self, server: &Server) -> SqlResult<()> {
        let now = Followed::of(&server.catalog.configuration);
        if now.workers != self.workers {
            follow_workers(server);
            server.engines.ask_others(&Question::FollowWorkers.to_bytes());
        }
        if (now.mask, now.mask64) == (self.mask, self.mask64) {
            return Ok(());
        }
        let cpus: Vec<u32> = cpus_of(now.mask, now.mask64).into_iter().map(|cpu| cpu as u32).collect();
        os::sched::set_affinity((!cpus.is_empty()).then_some(&cpus)).map_err(refused)
    }
}

/// This engine has as many workers as the configuration says.
pub fn follow_workers(server: &Server) {
    let configured = server.catalog.configuration.running(option::MAX_WORKER_THREADS);
    os::sched::set_workers_max(workers_of_engine(configured as u32, server.engines.count()));
}

/// Of all workers (0: automatic) those of one of so many engines; 0 engines: the only one, which divides by itself.
pub fn workers_of_engine(workers: u32, engines: u32) -> u32 {
    match (workers, engines) {
        (workers, 0) => workers,
        (0, engines) => (os::sched::automatic_worker_threads(engines) / engines).max(1),
        (workers, engines) => (workers / engines).max(1),
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
