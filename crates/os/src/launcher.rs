//! Engines as processes: the launcher forks them before it has a second thread, so that the region, the worker tables and
//! the program lie at one address in all of them, and then only watches.
//!
//! ```text
//! launcher:  reserve, carve, recover -> launch() -> wait() ... -> signal()
//! engine:                                  \-> run(number), its own machine, sockets and poller
//! ```
//! A wake-up crosses processes like threads: the waker moves the worker to its scheduler's inbox, which is shared, and
//! writes the scheduler's eventfd. Those eventfds are made before the fork, so each engine has all of them.
#![allow(unsafe_code)]

use crate::engines::{self, ENGINES_MAX};
use crate::sync::Waiters;
use crate::sys;
use crate::worker::{self, SCHEDULERS_MAX, system};
use std::sync::atomic::Ordering;

/// Gives back the workers and schedulers of an engine that ended outside of critical sections, and takes them out of the
/// lists in which they waited.
pub fn bury(engine: u32) {
    assert!(!engines::died_inside(engine), "nobody knows what engine {engine} left half done");
    give_back(engine, true);
}

/// As `bury` when all shared state is thrown away.
pub fn forget(engine: u32) {
    give_back(engine, false);
}

fn give_back(engine: u32, lists_stay: bool) {
    assert!(engine != 0 && engine != engines::number(), "engine {engine} lives");
    let mut left = Vec::new();
    for index in engines::schedulers_of(engine) {
        for (id, slot) in system().all_workers() {
            if slot.sched.load(Ordering::Relaxed) != index || slot.kind.load(Ordering::Acquire) == worker::KIND_FREE {
                continue;
            }
            let waiters = slot.waiters.load(Ordering::Relaxed) as *const Waiters;
            if lists_stay && !waiters.is_null() {
                // SAFETY: stored by a worker that was in the list; the list lies in the region, which is mapped here too.
                unsafe { &*waiters }.remove(id);
            }
            // From now on a wake-up does not find it parked, and puts it in no queue.
            slot.state.swap(worker::TOKEN, Ordering::AcqRel);
            left.push(id);
        }
    }
    if lists_stay {
        wait_for_wakers(engine);
    }
    left.into_iter().for_each(|id| system().release(id));
    for index in engines::schedulers_of(engine) {
        system().scheduler(index).status.store(0, Ordering::Release);
    }
    assert!(engines::schedulers_of(engine).next().is_none(), "a scheduler of engine {engine} is left");
}

/// Returns when every scheduler of the other engines has picked a worker, or rests: whoever was about to put a dead worker
/// into its scheduler's inbox, which uses a link of the worker's slot, has done so.
fn wait_for_wakers(dead: u32) {
    let picks = |index: u32| {
        let slot = system().scheduler(index);
        let counts = [&slot.context_switches, &slot.yields, &slot.idle_switches];
        counts.iter().map(|count| count.load(Ordering::SeqCst)).sum::<u64>()
    };
    let online = |index: &u32| {
        let slot = system().scheduler(*index);
        slot.status.load(Ordering::Acquire) != 0 && slot.engine.load(Ordering::Relaxed) != dead
    };
    let before: Vec<_> = (1..=system().schedulers_used()).filter(online).map(|index| (index, picks(index))).collect();
    for (index, picked) in before {
        while online(&index) && system().scheduler(index).is_idle.load(Ordering::SeqCst) == 0 && picks(index) == picked
        {
            std::thread::sleep(std::time::Duration::from_micros(100));
        }
    }
}

/// What a launcher hears while it waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    Ended(u32, End),
    /// SIGTERM or SIGINT: the server is to stop.
    Stop,
    /// SIGHUP: what can change while it runs is to be read again.
    Reload,
    /// Nothing in the time given.
    None,
}

/// How an engine ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Exited(i32),
    Killed(i32),
}

/// The launcher's view of its engines. Dropping it kills those that still run.
pub struct Engines {
    /// By engine number less one: its process, 0 once it has ended.
    processes: Vec<libc::pid_t>,
}

impl Engines {
    /// Makes ready for `count` engines with `schedulers_each`, and forks them. Each runs `run` with its number (from 1) and
    /// ends with the exit code it returns. Panics if the process has a second thread: its locks would stay locked for ever
    /// in the children.
    pub fn launch(count: u32, schedulers_each: u32, run: &dyn Fn(u32) -> i32) -> Engines {
        assert!((1..=ENGINES_MAX as u32).contains(&count), "{count} engines");
        assert!(schedulers_each > 0, "an engine without a scheduler");
        let slots = count * schedulers_each;
        assert!((slots as usize) < SCHEDULERS_MAX, "{slots} schedulers");
        engines::make_wake_fds(slots);
        let mut engines = Engines { processes: vec![0; count as usize] };
        (1..=count).for_each(|number| engines.fork(number, run));
        engines
    }

    fn fork(&mut self, number: u32, run: &dyn Fn(u32) -> i32) {
        let threads = std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
        assert_eq!(threads, 1, "engines are forked before there is a second thread");
        assert!(self.process(number).is_none(), "engine {number} runs");
        assert!(engines::number() == 0, "the launcher forks, not an engine");
        let launcher = std::process::id();
        // SAFETY: there is one thread, so nobody else's lock is copied in a locked state.
        match unsafe { libc::fork() } {
            -1 => panic!("fork: errno {}", sys::errno()),
            0 => {
                engines::become_engine(number);
                self.processes.clear();
                mask_signals(libc::SIG_UNBLOCK);
                worker::leave_parent();
                die_with(launcher);
                let code = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(number))).unwrap_or(101);
                std::process::exit(code);
            }
            child => self.processes[number as usize - 1] = child,
        }
    }

    /// The process of an engine that runs.
    pub fn process(&self, number: u32) -> Option<u32> {
        assert!(number != 0, "engines are numbered from 1");
        self.processes.get(number as usize - 1).filter(|pid| **pid != 0).map(|pid| *pid as u32)
    }

    /// Waits up to `timeout_ms` for an engine's end or a signal to stop. Only after `hear_signals`.
    pub fn wait_for_news(&mut self, timeout_ms: u64) -> News {
        if let Some((number, end)) = self.reap(libc::WNOHANG) {
            return News::Ended(number, end);
        }
        let time = libc::timespec {
            tv_sec: (timeout_ms / 1_000) as libc::time_t,
            tv_nsec: (timeout_ms % 1_000 * 1_000_000) as libc::c_long,
        };
        // SAFETY: the set and the time are live; null for details nobody wants is allowed.
        match unsafe { libc::sigtimedwait(&heard_signals(), std::ptr::null_mut(), &time) } {
            libc::SIGTERM | libc::SIGINT => News::Stop,
            libc::SIGHUP => News::Reload,
            _ => self.reap(libc::WNOHANG).map_or(News::None, |(number, end)| News::Ended(number, end)),
        }
    }

    /// Takes note of an engine that has ended. None: none has.
    fn reap(&mut self, options: i32) -> Option<(u32, End)> {
        let mut status = 0;
        // SAFETY: `status` is a live int.
        let ended = unsafe { libc::waitpid(-1, &mut status, options) };
        let at = self.processes.iter().position(|pid| *pid != 0 && *pid == ended)?;
        self.processes[at] = 0;
        let end = match libc::WIFSIGNALED(status) {
            true => End::Killed(libc::WTERMSIG(status)),
            false => End::Exited(libc::WEXITSTATUS(status)),
        };
        Some((at as u32 + 1, end))
    }

    /// Waits until an engine ends. None: none runs.
    pub fn wait(&mut self) -> Option<(u32, End)> {
        while self.processes.iter().any(|pid| *pid != 0) {
            if let Some(ended) = self.reap(0) {
                return Some(ended);
            }
        }
        None
    }

    /// Asks every engine to stop.
    pub fn stop(&self) {
        self.signal(libc::SIGTERM);
    }

    /// Tells every engine to read again what can change.
    pub fn reload(&self) {
        self.signal(libc::SIGHUP);
    }

    pub fn kill_all(&self) {
        self.signal(libc::SIGKILL);
    }

    /// Whether one runs.
    pub fn any(&self) -> bool {
        self.processes.iter().any(|pid| *pid != 0)
    }

    /// Forks an engine in place of one that ended and was buried.
    pub fn replace(&mut self, number: u32, run: &dyn Fn(u32) -> i32) {
        self.fork(number, run);
    }

    /// Kills an engine that runs; `wait` tells when it has ended.
    pub fn kill(&self, number: u32) {
        if let Some(pid) = self.process(number) {
            // SAFETY: a child of ours that has not been waited for yet.
            unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
        }
    }

    /// Sends a signal to every engine that runs.
    pub fn signal(&self, signal: i32) {
        for pid in self.processes.iter().filter(|pid| **pid != 0) {
            // SAFETY: a child of ours that has not been waited for yet.
            unsafe { libc::kill(*pid, signal) };
        }
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        self.signal(libc::SIGKILL);
        while self.wait().is_some() {}
    }
}

/// From now on `wait_for_news` hears of ended engines and of SIGTERM, SIGINT and SIGHUP.
pub fn hear_signals() {
    mask_signals(libc::SIG_BLOCK);
}

/// `wait_for_news` tells of a stop once more.
pub fn repeat_stop() {
    // SAFETY: signals this process, which has the signal blocked: it stays pending.
    unsafe { libc::kill(libc::getpid(), libc::SIGTERM) };
}

fn heard_signals() -> libc::sigset_t {
    // SAFETY: a signal set is plain data, which sigemptyset and sigaddset fill.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        for signal in [libc::SIGCHLD, libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
            libc::sigaddset(&mut set, signal);
        }
        set
    }
}

fn mask_signals(how: i32) {
    // SAFETY: the set is live; null for the old mask is allowed.
    unsafe { libc::pthread_sigmask(how, &heard_signals(), std::ptr::null_mut()) };
}

/// The kernel kills this process when `parent` ends, also if that has happened already.
fn die_with(parent: u32) {
    // SAFETY: no pointers are passed.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() as u32 != parent {
            libc::_exit(1);
        }
    }
}
