//! What the server takes of the machine's memory: its target, from `--memory` or 'max server memory (MB)', and who follows it.
//!
//! The broker (`storage::Broker`) divides it: each clerk counts, the buffer pool has the rest. What is bounded by a part of the target is
//! told here: memory-optimized tables, the caches of plans. Now and then each engine looks at what its process really holds.

use storage::Clerk;

use crate::instance::server::Server;
use crate::settings::config::{OPTIONS, option};

/// Of the target: what each of the two caches of plans may have at most.
pub const PLANS_PART: u64 = 8;

/// How often at most buffers that wait for a run go, and the allocator is asked to give back what it keeps, where nobody waits for memory.
const TRIM_EVERY_NS: u64 = 1_000_000_000;

/// Without any setting: half of what the container or machine has.
pub fn target_default() -> u64 {
    os::limits::memory_limit() / 2
}

/// What the machine, its container and the process's limits allow of a target.
pub fn target_allowed(wanted: u64) -> u64 {
    let limit = os::limits::memory_limit();
    if wanted > limit {
        tracing::warn!(
            "{} MB of memory are set, and {} MB is all that the machine or its control group has: that is the target",
            wanted >> 20,
            limit >> 20
        );
    }
    wanted.min(limit)
}

/// 'max server memory (MB)' in effect.
fn configured(server: &Server) -> u64 {
    let megabytes = server.catalog.configuration.running(option::MAX_SERVER_MEMORY);
    match megabytes < OPTIONS[option::MAX_SERVER_MEMORY].maximum {
        true => target_allowed((megabytes as u64) << 20),
        false => target_default(),
    }
}

/// RECONFIGURE: the target is what is configured now. Pages and plans that have no room any more go at once.
pub fn follow(server: &Server) {
    let (storage, target) = (&server.catalog.storage, configured(server));
    // To the megabyte: `--memory` may have said it more exactly.
    if storage.broker().target() >> 20 != target >> 20 {
        storage.set_memory_target(target);
        tracing::info!(memory_mb = target >> 20, "the target of memory has changed");
    }
    storage.measure_memory();
}

/// Looks at what is held: some times a second, in each engine. `trimmed_ns`: when the allocator was asked last.
pub fn look(server: &Server, trimmed_ns: &mut u64) {
    let storage = &server.catalog.storage;
    let broker = storage.broker();
    broker.set(Clerk::StatementPlans, server.plans.statements.counts().bytes);
    broker.set(Clerk::ProcedurePlans, server.plans.procedures.counts().bytes);
    storage.measure_memory();
    let now = os::clock::now();
    let target = broker.target();
    // Nobody else may want it, where there are few pages: the target is the target.
    let wanted = storage.is_short_of_frames() || broker.others() > target / 2;
    let is_time = now.saturating_sub(*trimmed_ns) > TRIM_EVERY_NS || broker.others() > target / 4 * 3;
    if broker.has_slack() && wanted && is_time {
        *trimmed_ns = now;
        server.plans.let_go();
        storage.trim_memory();
    }
}
