//! Readiness of sockets, one epoll per scheduler, edge-triggered: a descriptor is registered once and then costs no
//! system call but its reads and writes. What is ready is remembered in the entry's flags.
//!
//! An entry is either waited for (a worker parks in `read` or `write`) or *armed*: nobody waits, no stack is held, and
//! the first sign of life runs a closure as a new task.
//!
//! Flags: READABLE and WRITABLE are set by the poller and cleared by whoever is about to try; HANG_UP and ENDED (the peer
//! sends no more) stay. ARMED is set when a closure lies in `armed`; the one who clears it takes the closure, so it runs once.
#![allow(unsafe_code)]

use crate::calls::SystemCall;
use crate::share::Share;
use crate::sys;
use crate::worker::{self, TaskId, WorkerId, unpark};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

pub const READABLE: u32 = 1;
pub const WRITABLE: u32 = 2;
pub const HANG_UP: u32 = 4;
const ARMED: u32 = 8;
pub const ENDED: u32 = 16;

/// Why an armed closure runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ready {
    /// There is something to read: bytes, the end of the stream, or an error.
    Input,
    /// The deadline given to `arm` passed first.
    Timeout,
}

pub type Armed = Box<dyn FnOnce(Ready) + Send>;

pub struct IoEntry {
    pub fd: i32,
    pub flags: AtomicU32,
    reader: AtomicU32,
    writer: AtomicU32,
    /// The task to interrupt when input comes that no one reads, and its worker; 0: none. The task is stored last and read
    /// first (Release, Acquire), so it never goes with an older worker.
    watching_task: AtomicU64,
    watching_worker: AtomicU32,
    armed: Mutex<Option<Armed>>,
    /// When the closure runs at the latest; 0 for never. Tells an old timer from this arming's.
    armed_until: AtomicU64,
    /// Of the connection, in its machine's work.
    pub share: Share,
    /// Nobody knows yet who is at the other end: what it asks for is done at the door (`super::door`).
    pub stranger: AtomicBool,
}

impl IoEntry {
    /// Takes over `fd`: it is closed with the entry.
    pub fn new(fd: i32) -> IoEntry {
        IoEntry {
            fd,
            flags: AtomicU32::new(0),
            reader: AtomicU32::new(0),
            writer: AtomicU32::new(0),
            watching_task: AtomicU64::new(0),
            watching_worker: AtomicU32::new(0),
            armed: Mutex::new(None),
            armed_until: AtomicU64::new(0),
            share: Share::default(),
            stranger: AtomicBool::new(false),
        }
    }

    /// Clears `flag` before a try: what the poller reports from now on is news.
    pub fn forget(&self, flag: u32) {
        debug_assert!(flag & !(READABLE | WRITABLE) == 0, "the end of a stream stays: {flag:x}");
        self.flags.fetch_and(!flag, Ordering::SeqCst);
    }

    pub fn remember(&self, flag: u32) {
        debug_assert!(flag & ARMED == 0, "only `arm` arms");
        self.flags.fetch_or(flag, Ordering::SeqCst);
    }

    /// Names the worker to wake when `flag` comes up; false if it came up meanwhile: try again instead of parking.
    /// SeqCst here and in `report`: either the poller sees the waiter or the waiter sees the flag.
    pub fn wait_for(&self, flag: u32) -> bool {
        let me = worker::current().raw();
        let before = self.waiter(flag).swap(me, Ordering::SeqCst);
        assert!(before == 0 || before == me, "worker {before} waits for {flag} already, and would not be woken");
        self.flags.load(Ordering::SeqCst) & (flag | HANG_UP) == 0
    }

    pub fn stop_waiting(&self, flag: u32) {
        let before = self.waiter(flag).swap(0, Ordering::SeqCst);
        assert!(before == worker::current().raw(), "worker {before} waits, and another one stops");
    }

    /// From now on input that nobody waits for interrupts `task`; `None`: no longer.
    pub fn watch(&self, task: Option<TaskId>) {
        self.watching_task.store(0, Ordering::Release);
        if let Some(task) = task {
            self.watching_worker.store(worker::current().raw(), Ordering::Relaxed);
            self.watching_task.store(task.0, Ordering::Release);
        }
    }

    fn waiter(&self, flag: u32) -> &AtomicU32 {
        assert!(flag == READABLE || flag == WRITABLE, "nobody waits for {flag:x}");
        if flag == READABLE { &self.reader } else { &self.writer }
    }

    /// Leaves `run` to be run at the first input. Returns it if there is input already.
    pub fn arm(&self, run: Armed, deadline: Option<u64>) -> Option<Armed> {
        assert!(deadline != Some(0), "0 stands for never");
        assert!(self.reader.load(Ordering::SeqCst) == 0, "somebody reads from a connection that is to rest");
        self.armed_until.store(deadline.unwrap_or(0), Ordering::SeqCst);
        let left = self.armed.lock().expect("armed").replace(run);
        assert!(left.is_none(), "a connection is armed that rests already");
        let before = self.flags.fetch_or(ARMED, Ordering::SeqCst);
        assert!(before & ARMED == 0, "connection armed twice");
        if before & (READABLE | HANG_UP) != 0 { self.disarm() } else { None }
    }

    /// Takes the closure, if nobody else did.
    pub fn disarm(&self) -> Option<Armed> {
        if self.flags.fetch_and(!ARMED, Ordering::SeqCst) & ARMED == 0 {
            return None;
        }
        let run = self.armed.lock().expect("armed").take();
        assert!(run.is_some(), "armed without a closure");
        run
    }

    /// The timer of an arming until `deadline`: takes the closure if that arming still stands.
    pub fn disarm_at(&self, deadline: u64) -> Option<Armed> {
        assert!(deadline != 0, "0 stands for never");
        if self.armed_until.load(Ordering::SeqCst) == deadline { self.disarm() } else { None }
    }

    /// The poller saw `flags` come up: wakes the waiters, or returns the closure to run.
    pub fn report(&self, flags: u32) -> Option<Armed> {
        assert!(flags & !(READABLE | WRITABLE | HANG_UP | ENDED) == 0, "the poller saw {flags:x}");
        let before = self.flags.fetch_or(flags, Ordering::SeqCst);
        if flags & (READABLE | HANG_UP) != 0 {
            if before & ARMED != 0 {
                return self.disarm();
            }
            let task = self.watching_task.load(Ordering::Acquire);
            if self.reader.load(Ordering::SeqCst) == 0 && task != 0 {
                let worker = WorkerId::from_raw(self.watching_worker.load(Ordering::Relaxed));
                crate::wait::interrupt(worker, TaskId(task));
            }
            wake(&self.reader);
        }
        if flags & (WRITABLE | HANG_UP) != 0 {
            wake(&self.writer);
        }
        None
    }
}

fn wake(waiter: &AtomicU32) {
    let id = WorkerId::from_raw(waiter.load(Ordering::SeqCst));
    if id.is_some() {
        unpark(id);
    }
}

impl Drop for IoEntry {
    fn drop(&mut self) {
        sys::close(self.fd);
    }
}

/// Names an entry in a poller: index and generation, so that a late event of a closed socket hits nobody.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token(u64);

impl Token {
    pub fn raw(self) -> u64 {
        self.0
    }

    pub fn from_raw(raw: u64) -> Token {
        Token(raw)
    }
}

/// When a descriptor is watched for room to write in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Room {
    Always,
    /// Only between `ask_for_room(.., true)` and `ask_for_room(.., false)`.
    WhenAsked,
}

pub struct Poller {
    epoll: i32,
    wake_fd: i32,
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    slots: Vec<(u32, Option<Arc<IoEntry>>)>,
    free: Vec<u32>,
}

const WAKE: u64 = u64::MAX;
const EVENTS_MAX: usize = 256;

/// The kernel is older than Linux 5.11 and knows no epoll_pwait2: waits last whole milliseconds.
static IN_MS: AtomicBool = AtomicBool::new(false);

impl Poller {
    /// `wake_fd`: the eventfd that others write to wake who waits here.
    pub fn new(wake_fd: i32) -> Poller {
        assert!(wake_fd >= 0, "nothing would wake who waits here");
        // SAFETY: no pointers are passed.
        let epoll = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        assert!(epoll >= 0, "epoll_create1: errno {}", sys::errno());
        let poller = Poller { epoll, wake_fd, entries: Mutex::default() };
        let failed = poller.control(libc::EPOLL_CTL_ADD, wake_fd, libc::EPOLLIN as u32, WAKE);
        assert!(failed.is_ok());
        poller
    }

    pub fn wake_fd(&self) -> i32 {
        self.wake_fd
    }

    /// Watches the entry from now on; reports what is ready already, too. Any thread.
    pub fn register(&self, entry: &Arc<IoEntry>, room: Room) -> Result<Token, i32> {
        assert!(entry.fd >= 0, "a simulated connection has no descriptor");
        let token = {
            let mut entries = self.entries.lock().expect("entries");
            let index = match entries.free.pop() {
                Some(index) => index,
                None => {
                    entries.slots.push((0, None));
                    entries.slots.len() as u32 - 1
                }
            };
            let slot = &mut entries.slots[index as usize];
            assert!(slot.1.is_none(), "a free place has an entry");
            slot.1 = Some(entry.clone());
            Token((slot.0 as u64) << 32 | index as u64)
        };
        assert!(token.0 != WAKE, "an entry with the name of the wake-up");
        let added = self.control(libc::EPOLL_CTL_ADD, entry.fd, events_for(room == Room::Always), token.0);
        if added.is_err() {
            self.forget(token);
        }
        added.map(|()| token)
    }

    /// Starts or stops watching for room; reports room that is there already. Any thread.
    pub fn ask_for_room(&self, token: Token, entry: &IoEntry, ask: bool) -> Result<(), i32> {
        self.control(libc::EPOLL_CTL_MOD, entry.fd, events_for(ask), token.0)
    }

    /// Stops watching. Any thread.
    pub fn deregister(&self, token: Token, entry: &IoEntry) {
        let _ = self.control(libc::EPOLL_CTL_DEL, entry.fd, 0, 0);
        self.forget(token);
    }

    fn forget(&self, token: Token) {
        let mut entries = self.entries.lock().expect("entries");
        let index = token.0 as u32;
        let slot = &mut entries.slots[index as usize];
        assert!(slot.0 == (token.0 >> 32) as u32 && slot.1.is_some(), "entry deregistered twice");
        slot.0 = slot.0.wrapping_add(1);
        let gone = slot.1.take();
        entries.free.push(index);
        assert!(entries.free.len() <= entries.slots.len(), "more places are free than there are");
        drop(entries);
        drop(gone);
    }

    pub fn entry(&self, token: Token) -> Option<Arc<IoEntry>> {
        let entries = self.entries.lock().expect("entries");
        let (generation, entry) = entries.slots.get(token.0 as u32 as usize)?;
        if *generation == (token.0 >> 32) as u32 { entry.clone() } else { None }
    }

    /// Takes all closures of armed entries: at shutdown, so that idle connections are closed.
    pub fn disarm_all(&self) -> Vec<Armed> {
        let entries: Vec<_> = self.entries.lock().expect("entries").slots.iter().filter_map(|s| s.1.clone()).collect();
        entries.iter().filter_map(|entry| entry.disarm()).collect()
    }

    /// Looks for up to `max` events, waiting `timeout_ns` at most (`None`: until one comes), and hands closures to run to
    /// `start`, with their entry and whether the peer is gone. Returns how many there were.
    pub fn poll(&self, timeout_ns: Option<u64>, max: usize, start: impl FnMut(Armed, &IoEntry, bool)) -> usize {
        self.wait(timeout_ns, max, start, || {
            worker::count_call(SystemCall::WakeUp);
            sys::eventfd_drain(self.wake_fd);
        })
    }

    /// As `poll` by another thread than the poller's own, which may wait at the same time: each event is seen by one of them, and
    /// a wake-up is left to whom it is meant for.
    pub fn poll_for_owner(&self, max: usize, start: impl FnMut(Armed, &IoEntry, bool)) -> usize {
        self.wait(Some(0), max, start, || ())
    }

    /// As epoll_wait(2): how many of up to `max` events the kernel has filled in, or -1.
    fn wait_into(&self, buffer: *mut libc::epoll_event, max: i32, timeout_ns: Option<u64>) -> i32 {
        worker::count_call(if timeout_ns == Some(0) { SystemCall::Look } else { SystemCall::Sleep });
        if timeout_ns != Some(0) && !IN_MS.load(Ordering::Relaxed) {
            let time = timeout_ns.map(|ns| libc::timespec {
                tv_sec: (ns / 1_000_000_000).min(1 << 30) as libc::time_t,
                tv_nsec: (ns % 1_000_000_000) as libc::c_long,
            });
            let time_at = time.as_ref().map_or(std::ptr::null(), |t| t as *const libc::timespec);
            // SAFETY: the caller's buffer holds `max` events; `time_at` is null or live; a null mask is allowed.
            let count = unsafe { libc::epoll_pwait2(self.epoll, buffer, max, time_at, std::ptr::null()) };
            if count >= 0 || sys::errno() != libc::ENOSYS {
                return count;
            }
            IN_MS.store(true, Ordering::Relaxed);
        }
        let ms = timeout_ns.map_or(-1, |ns| ns.div_ceil(1_000_000).min(1 << 30) as i32);
        // SAFETY: as above.
        unsafe { libc::epoll_wait(self.epoll, buffer, max, ms) }
    }

    fn wait(
        &self,
        timeout_ns: Option<u64>,
        max: usize,
        mut start: impl FnMut(Armed, &IoEntry, bool),
        take_wake_up: impl Fn(),
    ) -> usize {
        // Not zeroed: 3 KB at every poll. The kernel fills the first `count`.
        let mut events = [const { std::mem::MaybeUninit::<libc::epoll_event>::uninit() }; EVENTS_MAX];
        let buffer = events.as_mut_ptr().cast::<libc::epoll_event>();
        assert!(max > 0, "a look at no sockets");
        let max = max.min(EVENTS_MAX) as i32;
        let count = self.wait_into(buffer, max, timeout_ns);
        assert!(count >= 0 || sys::errno() == libc::EINTR, "epoll_wait: errno {}", sys::errno());
        assert!(count <= max, "epoll_wait: {count} events of {max}");
        let mut news = 0;
        for event in &events[..count.max(0) as usize] {
            // SAFETY: among the first `count`, which the kernel has filled.
            let event = unsafe { event.assume_init() };
            if event.u64 == WAKE {
                take_wake_up();
                continue;
            }
            news += 1;
            // A closed socket's entry is gone, or its generation has moved on.
            let Some(entry) = self.entry(Token(event.u64)) else { continue };
            let flags = flags_of(event.events);
            if let Some(run) = entry.report(flags) {
                start(run, &entry, flags & (ENDED | HANG_UP) != 0);
            }
        }
        news
    }

    fn control(&self, operation: i32, fd: i32, events: u32, data: u64) -> Result<(), i32> {
        worker::count_call(SystemCall::Watch);
        let mut event = libc::epoll_event { events, u64: data };
        // SAFETY: `event` is live for the call.
        let failed = unsafe { libc::epoll_ctl(self.epoll, operation, fd, &mut event) };
        if failed == 0 { Ok(()) } else { Err(sys::errno()) }
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        sys::close(self.epoll);
        sys::close(self.wake_fd);
    }
}

fn events_for(room: bool) -> u32 {
    let events = libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLET;
    (if room { events | libc::EPOLLOUT } else { events }) as u32
}

fn flags_of(events: u32) -> u32 {
    let mut flags = 0;
    if events & (libc::EPOLLIN | libc::EPOLLRDHUP) as u32 != 0 {
        flags |= READABLE;
    }
    if events & libc::EPOLLOUT as u32 != 0 {
        flags |= WRITABLE;
    }
    if events & libc::EPOLLRDHUP as u32 != 0 {
        flags |= ENDED;
    }
    if events & (libc::EPOLLHUP | libc::EPOLLERR) as u32 != 0 {
        flags |= READABLE | WRITABLE | HANG_UP;
    }
    flags
}
