//! The sessions of an engine: what each is doing, and the way to end one. Their numbers are the whole server's.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering};

use crate::catalog::workload::DEFAULT_GROUP;
use crate::settings::config::CONNECTIONS_DEFAULT;
use exec::cursor_book::CursorBook;
use exec::session::{Options, Session as State, Signal};
use exec::sink::Stop;
use os::net::{Endpoint, StreamHandle};
use os::region::{Part, Placed};
use os::sync::Mutex;
use os::wait::WaitType;
use storage::{Memory, StorageResult};
use tds::rpc::Procedure;
use types::SqlType;

/// `@@SPID` of users begins here; below are the system's own tasks.
pub const SPID_MIN: u32 = 51;

/// The greatest `@@SPID` of a server for so many users at a time. SQL Server's limit counts the numbers below `SPID_MIN` too.
fn last_number(connections_max: u32) -> u32 {
    let last = SPID_MIN + connections_max - 1;
    if connections_max <= CONNECTIONS_DEFAULT { last.min(CONNECTIONS_DEFAULT) } else { last }
}

/// Of `@@SPID` and of the session numbers in the system's tables: smallint, as SQL Server has it, as long as every number is one.
pub fn number_type(connections_max: u32) -> SqlType {
    if connections_max <= CONNECTIONS_DEFAULT { SqlType::SMALLINT } else { SqlType::INT }
}

/// `sys.endpoints.endpoint_id` of the Dedicated Admin Connection, of TSQL Local Machine and of TSQL Default TCP.
pub const ENDPOINT_ADMIN: i32 = 1;
pub const ENDPOINT_LOCAL: i32 = 2;
pub const ENDPOINT_TCP: i32 = 4;

/// What is known of a session for good: from its login.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    pub login_name: String,
    /// Of its login.
    pub security_id: Box<[u8]>,
    pub host_name: String,
    pub program_name: String,
    pub client_interface: String,
    pub client_pid: u32,
    pub client_version: u32,
    /// The ends of its connection. None: the server's own session, or a client that was gone again at once.
    pub client: Option<Endpoint>,
    pub local: Option<Endpoint>,
    pub encrypted: bool,
    /// The dedicated administrator connection.
    pub admin: bool,
    pub packet_bytes: u32,
    pub tds_version: u32,
    /// 16 random bytes: `sys.dm_exec_connections.connection_id`.
    pub connection_id: u128,
    /// UTC, 100 ns since 0001-01-01.
    pub login_time: i64,
}

impl Identity {
    pub fn is_local(&self) -> bool {
        matches!(self.local, Some(Endpoint::Local(_)))
    }

    pub fn net_transport(&self) -> &'static str {
        if self.is_local() { "Shared memory" } else { "TCP" }
    }

    /// Of `sys.endpoints`.
    pub fn endpoint_id(&self) -> i32 {
        match (self.admin, self.is_local()) {
            (true, _) => ENDPOINT_ADMIN,
            (false, true) => ENDPOINT_LOCAL,
            (false, false) => ENDPOINT_TCP,
        }
    }

    pub fn client_net_address(&self) -> Option<String> {
        if self.is_local() { Some("<local machine>".into()) } else { ip(self.client) }
    }

    pub fn client_tcp_port(&self) -> Option<u16> {
        port(self.client)
    }

    pub fn local_net_address(&self) -> Option<String> {
        ip(self.local)
    }

    pub fn local_tcp_port(&self) -> Option<u16> {
        port(self.local)
    }
}

fn ip(end: Option<Endpoint>) -> Option<String> {
    Some(end?.tcp()?.ip().to_string())
}

fn port(end: Option<Endpoint>) -> Option<u16> {
    Some(end?.tcp()?.port())
}

fn add_wait(waits: &mut Vec<os::stats::WaitRow>, row: os::stats::WaitRow) {
    match waits.iter_mut().find(|known| known.wait_type == row.wait_type) {
        Some(known) => {
            known.waiting_tasks += row.waiting_tasks;
            known.wait_ns += row.wait_ns;
            known.max_wait_ns = known.max_wait_ns.max(row.max_wait_ns);
            known.signal_ns += row.signal_ns;
        }
        None => waits.push(row),
    }
}

/// What a session has set.
#[derive(Clone, Default, PartialEq)]
pub struct Picture {
    pub options: Options,
    pub context_info: Box<[u8]>,
}

impl Picture {
    pub fn of(state: &State) -> Picture {
        Picture { options: state.options.clone(), context_info: state.context_info.clone() }
    }

    pub fn is_of(&self, state: &State) -> bool {
        self.options == state.options && self.context_info == state.context_info
    }
}

/// A session as others see it. Its own worker writes the counters; readers may see them a moment apart.
pub struct SessionEntry {
    pub spid: u32,
    pub identity: Identity,
    pub signal: Arc<Signal>,
    pub cursors: Arc<CursorBook>,
    /// None: a session of the server's own.
    stream: Option<StreamHandle>,
    pub killed: AtomicBool,
    /// When it was (of `os::clock::now`).
    killed_ns: AtomicU64,
    /// Its workload group: what the classifier said at its login.
    pub group: AtomicI32,
    /// The request, by its number in `requests`, of which it was told that it takes more CPU time than the group allows.
    pub cpu_told: AtomicU64,
    pub database: AtomicU32,
    /// Requests run since login.
    pub requests: AtomicU64,
    /// A request runs since this moment (of `os::clock::now`); 0: none does.
    pub request_started_ns: AtomicU64,
    pub last_request_start: AtomicI64,
    pub last_request_end: AtomicI64,
    pub row_count: AtomicU64,
    pub cpu_ns: AtomicU64,
    /// Pages read from disk, changed and looked at by its requests that have ended.
    pub reads: AtomicU64,
    pub writes: AtomicU64,
    pub logical_reads: AtomicU64,
    /// What its worker had done when the running request began.
    pub work_at_start: Mutex<os::stats::Work>,
    /// Waits of its requests that have ended, a row a type.
    pub waits: Mutex<Vec<os::stats::WaitRow>>,
    pub elapsed_ns: AtomicU64,
    pub packets_received: AtomicU64,
    pub packets_sent: AtomicU64,
    /// Whom EXECUTE AS made it act as, by `Actor::number`; 0: nobody did.
    pub acts_as: AtomicU64,
    /// As of the end of its last request; `signal.running` has what a statement begins with.
    pub picture: Mutex<Picture>,
    /// The worker and task of the running request, to interrupt its waits; None between requests.
    pub running: Mutex<Option<(os::wait::WorkerId, os::wait::TaskId)>>,
    /// What it sent last: DBCC INPUTBUFFER.
    pub input: Mutex<Option<Input>>,
}

/// What a client sends.
#[derive(Clone)]
pub enum Input {
    Batch(Arc<str>),
    /// With so many parameters.
    Call(Procedure, usize),
}

impl Input {
    pub fn batch(&self) -> Option<&Arc<str>> {
        match self {
            Input::Batch(text) => Some(text),
            Input::Call(..) => None,
        }
    }
}

impl SessionEntry {
    fn new(
        spid: u32,
        identity: Identity,
        signal: Arc<Signal>,
        stream: Option<StreamHandle>,
        database: u16,
    ) -> SessionEntry {
        let now = os::clock::utc_ticks() as i64;
        SessionEntry {
            spid,
            identity,
            signal,
            cursors: Arc::default(),
            stream,
            killed: AtomicBool::new(false),
            killed_ns: AtomicU64::new(0),
            group: AtomicI32::new(DEFAULT_GROUP),
            cpu_told: AtomicU64::new(0),
            database: AtomicU32::new(u32::from(database)),
            requests: AtomicU64::new(0),
            request_started_ns: AtomicU64::new(0),
            last_request_start: AtomicI64::new(now),
            last_request_end: AtomicI64::new(now),
            row_count: AtomicU64::new(0),
            cpu_ns: AtomicU64::new(0),
            reads: AtomicU64::new(0),
            writes: AtomicU64::new(0),
            logical_reads: AtomicU64::new(0),
            work_at_start: Mutex::new(WaitType::SOS_MUTEX, os::stats::Work::default()),
            waits: Mutex::new(WaitType::SOS_MUTEX, Vec::new()),
            elapsed_ns: AtomicU64::new(0),
            packets_received: AtomicU64::new(0),
            packets_sent: AtomicU64::new(0),
            acts_as: AtomicU64::new(0),
            picture: Mutex::new(WaitType::SOS_MUTEX, Picture::default()),
            running: Mutex::new(WaitType::SOS_MUTEX, None),
            input: Mutex::new(WaitType::SOS_MUTEX, None),
        }
    }

    /// Of a session of the server's own: it is in no list.
    pub fn internal(spid: u32, signal: Arc<Signal>) -> Arc<SessionEntry> {
        Arc::new(SessionEntry::new(spid, Identity::default(), signal, None, 1))
    }

    /// Its worker begins a request at `now`.
    pub fn work_begins(&self, now: u64) {
        os::stats::take_waits(|_| {});
        let mut work = os::stats::work_here();
        work.quantum_used_ns = work.running_ns(now);
        *self.work_at_start.lock() = work;
    }

    /// Its worker has ended the request at `now`.
    pub fn work_ended(&self, now: u64) {
        let (work, start) = (os::stats::work_here(), *self.work_at_start.lock());
        let add = |word: &AtomicU64, now: u64, before: u64| word.fetch_add(now.wrapping_sub(before), Ordering::Relaxed);
        add(&self.cpu_ns, work.running_ns(now).max(start.quantum_used_ns), start.quantum_used_ns);
        add(&self.reads, work.page_faults, start.page_faults);
        add(&self.writes, work.page_writes, start.page_writes);
        add(&self.logical_reads, work.page_reads, start.page_reads);
        os::stats::take_waits(|row| add_wait(&mut self.waits.lock(), row));
    }

    /// Also those of the request that runs.
    pub fn waits_told(&self) -> Vec<os::stats::WaitRow> {
        let mut waits = self.waits.lock().clone();
        if let Some((worker, _)) = *self.running.lock() {
            os::stats::waits_of(worker).into_iter().for_each(|row| add_wait(&mut waits, row));
        }
        waits
    }

    /// CPU time in ns and pages faulted, changed and looked at by the request that runs; None: none does.
    pub fn work_of_request(&self) -> Option<(u64, u64, u64, u64)> {
        let (worker, _) = (*self.running.lock())?;
        let (work, start) = (os::stats::work_of(worker), *self.work_at_start.lock());
        Some((
            work.quantum_used_ns.saturating_sub(start.quantum_used_ns),
            work.page_faults.saturating_sub(start.page_faults),
            work.page_writes.saturating_sub(start.page_writes),
            work.page_reads.saturating_sub(start.page_reads),
        ))
    }

    /// How long the request that runs has taken; 0: none does.
    pub fn request_elapsed_ns(&self) -> u64 {
        match self.request_started_ns.load(Ordering::Relaxed) {
            0 => 0,
            started => os::clock::now().saturating_sub(started),
        }
    }

    /// The request that runs ends, if it has taken longer than `limit_s` seconds, `of_cpu` time or not: its waits end, its loops see it.
    pub fn expire(&self, limit_s: u32, of_cpu: bool) {
        // As long as this is held no other request begins.
        let running = self.running.lock();
        if let Some((worker, task)) = *running
            && self.request_elapsed_ns() > u64::from(limit_s) * 1_000_000_000
            && self.signal.pending().is_none()
        {
            self.signal.expire(limit_s, of_cpu);
            os::wait::interrupt(worker, task);
        }
    }

    /// KILL: its waits end, its loops see it, its resting connection closes. Who waits for an answer hears of it in that.
    pub fn kill(&self) {
        self.killed_ns.store(os::clock::now(), Ordering::Relaxed);
        self.killed.store(true, Ordering::Release);
        self.signal.raise(Stop::Disconnected);
        match *self.running.lock() {
            Some((worker, task)) => os::wait::interrupt(worker, task),
            None => self.cut(),
        }
    }

    /// It was killed so long ago, and has not ended.
    pub fn killed_for(&self, ns: u64) -> bool {
        let killed_ns = self.killed_ns.load(Ordering::Relaxed);
        self.killed.load(Ordering::Acquire) && os::clock::now().saturating_sub(killed_ns) >= ns
    }

    /// The connection closes, also where a request would still say something in it.
    pub fn cut(&self) {
        if let Some(stream) = &self.stream {
            stream.shutdown();
        }
    }
}

/// Sessions by number: all that this engine has, and which engine has the others.
pub struct Sessions {
    own: Mutex<BTreeMap<u32, Arc<SessionEntry>>>,
    /// By number less `SPID_MIN`: the engine that has the session plus one, 0: nobody.
    engines: Part<AtomicU32>,
    /// The engine that has the administrator's connection plus one, 0: nobody has it.
    admin: Placed<AtomicU32>,
}

impl Sessions {
    /// For so many users at a time.
    pub fn new(memory: &Memory, connections_max: u32) -> StorageResult<Sessions> {
        Ok(Sessions {
            own: Mutex::new(WaitType::SOS_MUTEX, BTreeMap::new()),
            engines: memory.carve("sessions", (last_number(connections_max) - SPID_MIN) as usize + 1)?,
            admin: memory.place("administrator's connection", AtomicU32::new(0))?,
        })
    }

    /// Takes the administrator's connection, of which there is one; false: somebody has it.
    pub fn take_admin(&self) -> bool {
        let own = os::engines::number() + 1;
        self.admin.compare_exchange(0, own, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    pub fn leave_admin(&self) {
        self.admin.store(0, Ordering::Release);
    }

    /// The lowest free number, as SQL Server gives them. None: all are taken. A step of a job has no stream.
    pub fn add(
        &self,
        identity: Identity,
        signal: Arc<Signal>,
        stream: Option<StreamHandle>,
        database: u16,
    ) -> Option<Arc<SessionEntry>> {
        let own = os::engines::number() + 1;
        let take = |engine: &AtomicU32| {
            engine.load(Ordering::Relaxed) == 0
                && engine.compare_exchange(0, own, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let spid = SPID_MIN + self.engines.iter().position(take)? as u32;
        let entry = Arc::new(SessionEntry::new(spid, identity, signal, stream, database));
        self.own.lock().insert(spid, entry.clone());
        Some(entry)
    }

    pub fn remove(&self, spid: u32) {
        assert!(self.own.lock().remove(&spid).is_some(), "session {spid} was there");
        self.engines[(spid - SPID_MIN) as usize].store(0, Ordering::Release);
    }

    pub fn find(&self, spid: u32) -> Option<Arc<SessionEntry>> {
        self.own.lock().get(&spid).cloned()
    }

    /// The engine that has a session. None: there is none of that number.
    pub fn engine_of(&self, spid: u32) -> Option<u32> {
        let index = spid.checked_sub(SPID_MIN)? as usize;
        self.engines.get(index)?.load(Ordering::Acquire).checked_sub(1)
    }

    /// This engine's, in order of their numbers.
    pub fn all(&self) -> Vec<Arc<SessionEntry>> {
        self.own.lock().values().cloned().collect()
    }

    /// This engine's whose current database this is.
    pub fn users_of(&self, database: u16) -> Vec<u32> {
        let is_user = |entry: &&Arc<SessionEntry>| entry.database.load(Ordering::Acquire) == u32::from(database);
        self.own.lock().values().filter(is_user).map(|entry| entry.spid).collect()
    }

    /// This engine's.
    pub fn count(&self) -> usize {
        self.own.lock().len()
    }

    /// Of all engines.
    pub fn count_everywhere(&self) -> usize {
        self.engines.iter().filter(|engine| engine.load(Ordering::Relaxed) != 0).count()
    }

    /// An engine is gone, and its sessions with it.
    pub fn forget_engine(&self, gone: u32) {
        for engine in self.engines.iter().chain([&*self.admin]) {
            let _ = engine.compare_exchange(gone + 1, 0, Ordering::AcqRel, Ordering::Relaxed);
        }
    }
}
