//! Counters of an instance, for the DMVs. All only grow, except where it says "now".

use std::sync::atomic::{AtomicU64, Ordering};

use crate::engine::Engine;
use crate::error::LogHolder;

/// Of the log's files, in bytes, with what keeps the oldest part of what is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogSpace {
    pub used: u64,
    pub total: u64,
    pub holder: LogHolder,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Metrics {
    pub page_reads: u64,
    pub page_writes: u64,
    pub page_evictions: u64,
    pub page_latch_waits: u64,
    pub checkpoint_pages: u64,
    /// Pages in memory now.
    pub buffer_pages: u64,
    pub page_splits: u64,
    pub pages_allocated: u64,
    pub pages_freed: u64,
    pub log_flushes: u64,
    pub log_bytes_flushed: u64,
    pub log_flush_ns: u64,
    pub log_flush_waits: u64,
    pub log_buffer_waits: u64,
    pub log_tail_lsn: u64,
    pub log_hardened_lsn: u64,
    pub lock_requests: u64,
    pub lock_waits: u64,
    pub lock_wait_ms: u64,
    pub lock_timeouts: u64,
    pub deadlocks: u64,
    /// Bytes of old row versions now, in memory and spilled.
    pub version_store_bytes: u64,
    pub version_store_entries: u64,
    pub transactions_begun: u64,
}

impl Metrics {
    pub(crate) fn read(engine: &Engine) -> Metrics {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (buffer, log, locks) = (engine.buffer.counters(), engine.log.counters(), engine.locks.counters());
        Metrics {
            page_reads: of(&buffer.reads),
            page_writes: of(&buffer.writes),
            page_evictions: of(&buffer.evictions),
            page_latch_waits: of(&buffer.latch_waits),
            checkpoint_pages: of(&buffer.checkpoint_pages),
            buffer_pages: engine.buffer.resident_pages() as u64,
            page_splits: of(&engine.numbers.trees.splits),
            pages_allocated: of(&engine.numbers.trees.pages_allocated),
            pages_freed: of(&engine.numbers.trees.pages_freed),
            log_flushes: of(&log.flushes),
            log_bytes_flushed: of(&log.bytes_flushed),
            log_flush_ns: of(&log.flush_ns),
            log_flush_waits: of(&log.waits),
            log_buffer_waits: of(&log.buffer_waits),
            log_tail_lsn: engine.log.tail(),
            log_hardened_lsn: engine.log.hardened(),
            lock_requests: engine.locks.requests(),
            lock_waits: of(&locks.waits),
            lock_wait_ms: of(&locks.wait_ms),
            lock_timeouts: of(&locks.timeouts),
            deadlocks: of(&locks.deadlocks),
            version_store_bytes: engine.versions.bytes(),
            version_store_entries: engine.versions.entries(),
            transactions_begun: engine.commits.next_id(),
        }
    }
}
