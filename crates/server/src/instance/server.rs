//! What the sessions of an engine share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use os::region::Placed;
use os::shared_struct;
use os::sync::Mutex;
use storage::{Memory, StorageResult};

use crate::archive::seat::Seat;
use crate::audit::audits::Audits;
use crate::catalog::Catalog;
use crate::instance::counts::Counts;
use crate::instance::doors::Doors;
use crate::instance::engines::Engines;
use crate::instance::load::Loads;
use crate::instance::native_statistics::NativeStatistics;
use crate::instance::orphans::Orphans;
use crate::instance::plan_cache::{Forget, PlanCaches};
use crate::instance::pools::Pools;
use crate::instance::question::{Counted, Question};
use crate::instance::sessions::Sessions;
use crate::instance::spare::Spare;
use crate::security::guessing::Guesses;
use crate::security::password::VerifiedLogins;
use crate::security::tls::Tls;
use crate::settings::options::Settings;
use crate::settings::startup::StartupFile;

/// What `sys.dm_os_performance_counters` tells that belongs to no other part.
#[derive(Debug, Clone, Copy)]
pub enum Event {
    /// `SQL Statistics: Batch Requests/sec`: a batch or a procedure call from a client.
    BatchRequest,
    /// `General Statistics: Connection Reset/sec`.
    ConnectionReset,
    Login,
    Logout,
    Compilation,
    FailedLogin,
    /// `SQL Errors: Errors/sec`: what clients were told that only informs, that is an error, and that ends their connection.
    Informed,
    UserError,
    FatalError,
}

/// How often it happened, in all engines.
pub struct Events(Counts);

impl Events {
    pub fn new(memory: &Memory) -> StorageResult<Events> {
        Counts::new(memory, "counters").map(Events)
    }

    pub fn add(&self, event: Event) {
        self.add_many(event, 1);
    }

    pub fn add_many(&self, event: Event, times: u64) {
        self.0.add(event as usize, times);
    }

    pub fn total(&self, event: Event) -> u64 {
        self.0.total(event as usize)
    }
}

/// Trace flags are below this.
const TRACE_FLAGS: usize = 12_000;

shared_struct! {
    /// DBCC TRACEON (..., -1): known to DBCC TRACESTATUS. One has an effect: `limits`.
    pub struct TraceFlags {
        words: [AtomicU64; TRACE_FLAGS / 64 + 1],
    }
}

impl Default for TraceFlags {
    fn default() -> TraceFlags {
        TraceFlags { words: [const { AtomicU64::new(0) }; TRACE_FLAGS / 64 + 1] }
    }
}

impl TraceFlags {
    pub fn is_one(flag: i32) -> bool {
        usize::try_from(flag).is_ok_and(|at| (1..TRACE_FLAGS).contains(&at))
    }

    /// A number that is one.
    pub fn set(&self, flag: i32, on: bool) {
        let at = flag as usize;
        let (word, bit) = (&self.words[at / 64], 1 << (at % 64));
        if on {
            word.fetch_or(bit, Ordering::Relaxed)
        } else {
            word.fetch_and(!bit, Ordering::Relaxed)
        };
    }

    pub fn is_on(&self, flag: i32) -> bool {
        let at = usize::try_from(flag).ok().filter(|at| *at < TRACE_FLAGS);
        at.is_some_and(|at| self.words[at / 64].load(Ordering::Relaxed) >> (at % 64) & 1 == 1)
    }

    pub fn all_on(&self) -> Vec<i32> {
        (1..TRACE_FLAGS as i32).filter(|flag| self.is_on(*flag)).collect()
    }
}

pub struct Server {
    pub settings: Settings,
    pub catalog: Arc<Catalog>,
    pub tls: Tls,
    pub plans: PlanCaches,
    pub load: Loads,
    pub sessions: Sessions,
    pub spare: Spare,
    pub doors: Arc<Doors>,
    pub(crate) orphans: Orphans,
    pub startup: StartupFile,
    /// None: it is not archived.
    pub archive: Option<Seat>,
    pub(crate) pools: Pools,
    pub audits: Audits,
    pub events: Events,
    pub engines: Engines,
    pub verified: Mutex<VerifiedLogins>,
    pub guesses: Guesses,
    pub trace_flags: Placed<TraceFlags>,
    pub native_statistics: Placed<NativeStatistics>,
    /// Changes of jobs, schedules and requests for jobs since the start: who runs jobs looks at them again.
    pub agent_changes: Placed<AtomicU32>,
    /// Not 0: SHUTDOWN WITH NOWAIT, which makes no checkpoint.
    pub stops_at_once: Placed<AtomicU32>,
    pub stopping: AtomicBool,
    /// What operators of queries may hold of the memory.
    pub workspace: Arc<exec::workspace::Pool>,
    /// `os::clock` milliseconds at start.
    pub started_ms: u64,
}

impl Server {
    /// Drops compiled plans of all engines.
    pub fn forget_plans(&self, forget: Forget) {
        self.plans.forget(forget);
        self.engines.ask_others(&Question::ForgetPlans(forget).to_bytes());
    }

    /// Statistics that each engine has of its own begin anew in all.
    pub fn clear(&self, counted: Counted) {
        counted.clear();
        self.engines.ask_others(&Question::Clear(counted).to_bytes());
    }

    /// Ends a session, whichever engine has it. False: there is none.
    pub fn kill(&self, spid: u32) -> bool {
        if let Some(session) = self.sessions.find(spid) {
            session.kill();
            return true;
        }
        let engine = self.sessions.engine_of(spid).filter(|engine| self.engines.others().any(|other| other == *engine));
        engine.and_then(|engine| self.engines.ask(engine, &Question::Kill { spid }.to_bytes())) == Some(vec![1])
    }

    /// Sessions, of all engines, whose current database this is.
    pub fn users_of(&self, database: u16) -> Vec<u32> {
        let mut users = self.sessions.users_of(database);
        for answer in self.engines.ask_others(&Question::Users { database }.to_bytes()) {
            users.extend(answer.chunks_exact(4).filter_map(|bytes| Some(u32::from_le_bytes(bytes.try_into().ok()?))));
        }
        users
    }
}
