//! Which natively compiled modules are measured for sys.dm_exec_*_stats: none, until sys.sp_xtp_control_proc_exec_stats or
//! sys.sp_xtp_control_query_exec_stats say so. For all engines, until the next start.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use exec::host::{ModuleInfo, Wanted};
use os::shared_struct;
use os::sync::{SpinClass, SpinLock};
use sql::catalog::{DatabaseId, ObjectId};

static CHOOSING: SpinClass = SpinClass::new("XTP_EXEC_STATS");

/// Modules whose queries are measured although those of all are not.
pub const CHOSEN_MAX: usize = 128;

shared_struct! {
    pub struct NativeStatistics {
        calls: AtomicBool,
        queries: AtomicBool,
        /// How many of `chosen` were ever in use.
        used: AtomicU32,
        /// Database in the upper half, object in the lower; 0: free. Written under `choosing`.
        chosen: [AtomicU64; CHOSEN_MAX],
        choosing: SpinLock<()>,
    }
}

impl Default for NativeStatistics {
    fn default() -> NativeStatistics {
        NativeStatistics {
            calls: AtomicBool::new(false),
            queries: AtomicBool::new(false),
            used: AtomicU32::new(0),
            chosen: [const { AtomicU64::new(0) }; CHOSEN_MAX],
            choosing: SpinLock::new(&CHOOSING, ()),
        }
    }
}

fn word(database: DatabaseId, object: ObjectId) -> u64 {
    u64::from(database.0) << 32 | u64::from(object.0 as u32)
}

impl NativeStatistics {
    pub fn wanted(&self, module: &ModuleInfo) -> Wanted {
        Wanted { calls: self.calls(), queries: self.queries() || self.has_chosen(module.database, module.object) }
    }

    pub fn calls(&self) -> bool {
        self.calls.load(Ordering::Relaxed)
    }

    pub fn set_calls(&self, on: bool) {
        self.calls.store(on, Ordering::Relaxed);
    }

    pub fn queries(&self) -> bool {
        self.queries.load(Ordering::Relaxed)
    }

    pub fn set_queries(&self, on: bool) {
        self.queries.store(on, Ordering::Relaxed);
    }

    fn in_use(&self) -> &[AtomicU64] {
        &self.chosen[..self.used.load(Ordering::Acquire) as usize]
    }

    pub fn has_chosen(&self, database: DatabaseId, object: ObjectId) -> bool {
        let wanted = word(database, object);
        self.in_use().iter().any(|place| place.load(Ordering::Relaxed) == wanted)
    }

    /// False: there is no room for one more.
    pub fn choose(&self, database: DatabaseId, object: ObjectId, on: bool) -> bool {
        let _choosing = self.choosing.lock_as(&CHOOSING);
        let find = |wanted: u64| self.in_use().iter().find(|place| place.load(Ordering::Relaxed) == wanted);
        match (on, find(word(database, object))) {
            (true, Some(_)) | (false, None) => return true,
            (false, Some(place)) => place.store(0, Ordering::Relaxed),
            (true, None) => match find(0) {
                Some(place) => place.store(word(database, object), Ordering::Relaxed),
                None => {
                    let used = self.used.load(Ordering::Relaxed) as usize;
                    let Some(place) = self.chosen.get(used) else { return false };
                    place.store(word(database, object), Ordering::Relaxed);
                    self.used.store(used as u32 + 1, Ordering::Release);
                }
            },
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_can_be_chosen_as_there_is_room_for() {
        let statistics = NativeStatistics::default();
        let database = DatabaseId(5);
        assert!((1..=CHOSEN_MAX as i32).all(|object| statistics.choose(database, ObjectId(object), true)));
        assert!(statistics.choose(database, ObjectId(7), true), "again");
        assert!(!statistics.choose(database, ObjectId(-1), true), "one more");
        assert!(statistics.choose(database, ObjectId(7), false));
        assert!(!statistics.has_chosen(database, ObjectId(7)));
        assert!(statistics.choose(database, ObjectId(-1), true));
        assert!(statistics.has_chosen(database, ObjectId(-1)) && !statistics.has_chosen(DatabaseId(6), ObjectId(-1)));
    }
}
