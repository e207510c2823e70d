//! The machine below follows the configuration while it runs: how many workers it has, and on which CPUs.

use os::sched::ChangeError;
use types::{SqlError, SqlResult, sql_error};

use crate::instance::memory;
use crate::instance::question::Question;
use crate::instance::server::Server;
use crate::settings::config::{Configuration, cpus_of, no_such_cpu, option};

const OWN: [usize; 6] = [
    option::MAX_SERVER_MEMORY,
    option::MAX_WORKER_THREADS,
    option::STATEMENT_CACHE_SIZE,
    option::PROCEDURE_CACHE_SIZE,
    option::SPINLOCK_MONITORING,
    option::MEMORY_OPTIMIZED_QUOTA,
];

/// What of the configuration in effect the machine runs by.
#[derive(PartialEq)]
pub struct Followed {
    /// Of the options that each engine follows for itself.
    own: [i64; OWN.len()],
    mask: i64,
    mask64: i64,
}

impl Followed {
    pub fn of(configuration: &Configuration) -> Followed {
        Followed {
            own: OWN.map(|option| configuration.running(option)),
            mask: configuration.running(option::AFFINITY_MASK),
            mask64: configuration.running(option::AFFINITY64_MASK),
        }
    }

    /// Makes the machine what the configuration says now, as far as that differs; with engines, those of all of them.
    pub fn follow(&self, server: &Server) -> SqlResult<()> {
        let now = Followed::of(&server.catalog.configuration);
        if now.own != self.own {
            follow_here(server);
            server.engines.ask_others(&Question::FollowConfiguration.to_bytes());
        }
        if (now.mask, now.mask64) == (self.mask, self.mask64) {
            return Ok(());
        }
        follow_affinity(server).map_err(refused)?;
        server.engines.ask_others(&Question::FollowAffinity.to_bytes());
        Ok(())
    }

    /// The CPUs that the masks name; empty: there is no mask.
    pub fn cpus(&self) -> Vec<u32> {
        cpus_of(self.mask, self.mask64).into_iter().map(|cpu| cpu as u32).collect()
    }
}

/// This engine's schedulers run where the affinity masks say.
pub fn follow_affinity(server: &Server) -> Result<(), ChangeError> {
    let cpus = Followed::of(&server.catalog.configuration).cpus();
    os::sched::set_affinity((!cpus.is_empty()).then_some(&cpus))
}

/// This engine becomes what the configuration says.
pub fn follow_here(server: &Server) {
    follow_workers(server);
    memory::follow(server);
    follow_caches(server);
    follow_counting(server);
    follow_quota(server);
}

/// The memory that each database may have for memory-optimized tables, in all engines.
pub fn follow_quota(server: &Server) {
    let megabytes = server.catalog.configuration.running(option::MEMORY_OPTIMIZED_QUOTA) as u64;
    server.catalog.storage.memory_pools().set_quota((megabytes > 0).then_some(megabytes << 20));
}

pub fn follow_counting(server: &Server) {
    os::stats::count_grabs(server.catalog.configuration.running(option::SPINLOCK_MONITORING) != 0);
}

/// Of `statement cache size` and `procedure cache size`, as in ASE.
const CACHE_PAGE_BYTES: u64 = 2 << 10;

/// This engine keeps as many plans as the configuration says, and the server's memory allows.
pub fn follow_caches(server: &Server) {
    let (configuration, engines) = (&server.catalog.configuration, server.engines.count());
    let most = server.catalog.storage.broker().target() / memory::PLANS_PART;
    let bytes = |option| (configuration.running(option) as u64 * CACHE_PAGE_BYTES).min(most);
    server.plans.statements.set_bytes_max(bytes(option::STATEMENT_CACHE_SIZE), engines);
    server.plans.procedures.set_bytes_max(bytes(option::PROCEDURE_CACHE_SIZE), engines);
}

/// This engine has as many workers as the configuration says.
fn follow_workers(server: &Server) {
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
        ChangeError::TooMany => sql_error!(5833),
        ChangeError::ManyEngines => unreachable!("engines have an affinity too"),
    }
}
