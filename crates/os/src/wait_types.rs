//! What a worker can wait for, under SQL Server's names, so that `sys.dm_os_wait_stats` reads as people know it.

macro_rules! wait_types {
    ($($name:ident),* $(,)?) => {
        /// The reason of a wait. Names are those of `sys.dm_os_wait_stats`.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum WaitType { $($name),* }

        impl WaitType {
            pub const ALL: &'static [WaitType] = &[$(WaitType::$name),*];
            pub const COUNT: usize = WaitType::ALL.len();

            pub const fn name(self) -> &'static str {
                const NAMES: &[&str] = &[$(stringify!($name)),*];
                NAMES[self as usize]
            }
        }
    };
}

wait_types! {
    // Not a wait: what a fresh worker shows as its last wait type.
    MISCELLANEOUS,
    // Scheduling.
    SOS_SCHEDULER_YIELD, THREADPOOL, SLEEP_TASK, WAITFOR, SLEEP_SYSTEMTASK, DISPATCHER_QUEUE_SEMAPHORE,
    SOS_WORKER_JOIN, SOS_PROCESS_AFFINITY_MUTEX, SOS_RW, SOS_MUTEX, SOS_EVENT, SOS_SEMAPHORE, SOS_CONDITION,
    SOS_PHYS_PAGE_CACHE, BACKOFF,
    // Network.
    ASYNC_NETWORK_IO, NETWORK_READ, NETWORK_ACCEPT, NETWORK_CONNECT,
    // Locks.
    LCK_M_SCH_S, LCK_M_SCH_M, LCK_M_S, LCK_M_U, LCK_M_X, LCK_M_IS, LCK_M_IU, LCK_M_IX, LCK_M_SIU, LCK_M_SIX,
    LCK_M_UIX, LCK_M_BU, LCK_M_RS_S, LCK_M_RS_U, LCK_M_RIn_NL, LCK_M_RIn_S, LCK_M_RIn_U, LCK_M_RIn_X, LCK_M_RX_S,
    LCK_M_RX_U, LCK_M_RX_X, TRANSACTION_MUTEX,
    // Latches, each in the order of `sync::LatchMode`.
    PAGELATCH_KP, PAGELATCH_SH, PAGELATCH_UP, PAGELATCH_EX, PAGELATCH_DT,
    PAGEIOLATCH_KP, PAGEIOLATCH_SH, PAGEIOLATCH_UP, PAGEIOLATCH_EX, PAGEIOLATCH_DT,
    LATCH_KP, LATCH_SH, LATCH_UP, LATCH_EX, LATCH_DT,
    // Log and files.
    WRITELOG, LOGBUFFER, LOGMGR, LOGMGR_QUEUE, LOGMGR_FLUSH, LOGMGR_RESERVE_APPEND, IO_COMPLETION, ASYNC_IO_COMPLETION,
    WRITE_COMPLETION, BACKUPIO, DIRTY_PAGE_POLL, CHECKPOINT_QUEUE, LAZYWRITER_SLEEP, RECOVERY_WRITER, CHKPT,
    // Memory.
    RESOURCE_SEMAPHORE, RESOURCE_SEMAPHORE_QUERY_COMPILE, RESMGR_THROTTLED, CMEMTHREAD, MEMORY_ALLOCATION_EXT,
    // Parallel plans.
    CXPACKET, CXCONSUMER, CXSYNC_PORT, CXSYNC_CONSUMER, EXCHANGE, EXECSYNC,
    // Background duties.
    REQUEST_FOR_DEADLOCK_SEARCH, DEADLOCK_ENUM_MUTEX, VERSION_STORE_CLEANER, STATS_TIMER,
    // Memory-optimized tables.
    WAIT_XTP_TRAN_DEPENDENCY, WAIT_XTP_RECOVERY, WAIT_XTP_CKPT_CLOSE, WAIT_XTP_PROCEDURE_ENTRY, WAIT_XTP_GUEST,
    WAIT_XTP_HOST_WAIT, WAIT_XTP_OFFLINE_CKPT_NEW_LOG, WAIT_XTP_TRAN_COMMIT, WAIT_XTP_COMPILE_WAIT, XTP_PREEMPTIVE_TASK,
    // Plans and catalog.
    OBJECT_CATALOG, METADATA_CACHE, COMPILE_LOCK, SQL_PLAN_CACHE,
    // Time outside the scheduler.
    PREEMPTIVE_OS_AUTHENTICATIONOPS, PREEMPTIVE_OS_CRYPTOPS, PREEMPTIVE_OS_FILEOPS, PREEMPTIVE_OS_WRITEFILE,
    PREEMPTIVE_OS_READFILE, PREEMPTIVE_OS_FLUSHFILEBUFFERS, PREEMPTIVE_OS_GETADDRINFO, PREEMPTIVE_OS_WAITFORSINGLEOBJECT,
    PREEMPTIVE_OS_COMPILE, PREEMPTIVE_OTHER,
}

impl WaitType {
    pub fn from_index(index: u16) -> WaitType {
        WaitType::ALL[index as usize]
    }

    /// Whether the wait means an idle duty rather than a delayed user: reports leave these out.
    pub fn is_idle(self) -> bool {
        use WaitType::*;
        matches!(
            self,
            SLEEP_TASK
                | WAITFOR
                | SLEEP_SYSTEMTASK
                | DISPATCHER_QUEUE_SEMAPHORE
                | LOGMGR_QUEUE
                | DIRTY_PAGE_POLL
                | CHECKPOINT_QUEUE
                | LAZYWRITER_SLEEP
                | RECOVERY_WRITER
                | REQUEST_FOR_DEADLOCK_SEARCH
                | VERSION_STORE_CLEANER
                | STATS_TIMER
                | WAIT_XTP_HOST_WAIT
                | WAIT_XTP_OFFLINE_CKPT_NEW_LOG
                | XTP_PREEMPTIVE_TASK
                | NETWORK_READ
                | NETWORK_ACCEPT
        )
    }
}

#[cfg(test)]
mod tests {
    use super::WaitType;

    #[test]
    fn index_and_name_agree() {
        for (index, wait) in WaitType::ALL.iter().enumerate() {
            assert_eq!(WaitType::from_index(index as u16), *wait);
        }
        assert_eq!(WaitType::LCK_M_RIn_NL.name(), "LCK_M_RIn_NL");
    }
}
