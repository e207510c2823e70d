//! Engines as processes: the launcher forks them before it has a second thread, so that the region, the worker tables and
//! the program lie at one address in all of them, and then only watches.
//!
//! ```text
//! launcher:  reserve, carve, recover -> prepare() -> launch() -> wait() ... -> stop
//! engine:                                             \-> run(number), its own machine, sockets and poller
//! ```
//! A wake-up crosses processes like threads: the waker moves the worker to its scheduler's inbox, which is shared, and
//! writes the scheduler's eventfd. Those eventfds are made before the fork, so each engine has all of them.
#![allow(unsafe_code)]

use crate::sys;
use crate::worker::{self, SCHEDULERS_MAX};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// Engines there may be: `max online engines`.
pub const ENGINES_MAX: usize = 128;

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// The eventfd of each scheduler slot, one less; 0: none was made before a fork.
static WAKE_FDS: [AtomicI32; SCHEDULERS_MAX] = [const { AtomicI32::new(0) }; SCHEDULERS_MAX];

/// This process's engine, from 1; 0 in the launcher and in a process that is the only one.
pub fn number() -> u32 {
    NUMBER.load(Ordering::Relaxed)
}

/// The eventfd made for a scheduler slot before the fork.
pub(crate) fn wake_fd(scheduler: u32) -> Option<i32> {
    WAKE_FDS[scheduler as usize].load(Ordering::Relaxed).checked_sub(1).filter(|fd| *fd >= 0)
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
        let slots = count * schedulers_each;
        assert!((slots as usize) < SCHEDULERS_MAX, "{slots} schedulers");
        for slot in 1..=slots as usize {
            if WAKE_FDS[slot].load(Ordering::Relaxed) == 0 {
                WAKE_FDS[slot].store(sys::eventfd() + 1, Ordering::Relaxed);
            }
        }
        let mut engines = Engines { processes: vec![0; count as usize] };
        (1..=count).for_each(|number| engines.fork(number, run));
        engines
    }

    fn fork(&mut self, number: u32, run: &dyn Fn(u32) -> i32) {
        let threads = std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
        assert_eq!(threads, 1, "engines are forked before there is a second thread");
        let launcher = std::process::id();
        // SAFETY: there is one thread, so nobody else's lock is copied in a locked state.
        match unsafe { libc::fork() } {
            -1 => panic!("fork: errno {}", sys::errno()),
            0 => {
                NUMBER.store(number, Ordering::Relaxed);
                self.processes.clear();
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
        self.processes.get(number as usize - 1).filter(|pid| **pid != 0).map(|pid| *pid as u32)
    }

    /// Waits until an engine ends. None: none runs.
    pub fn wait(&mut self) -> Option<(u32, End)> {
        while self.processes.iter().any(|pid| *pid != 0) {
            let mut status = 0;
            // SAFETY: `status` is a live int.
            let ended = unsafe { libc::waitpid(-1, &mut status, 0) };
            let Some(at) = self.processes.iter().position(|pid| *pid != 0 && *pid == ended) else { continue };
            self.processes[at] = 0;
            let end = match libc::WIFSIGNALED(status) {
                true => End::Killed(libc::WTERMSIG(status)),
                false => End::Exited(libc::WEXITSTATUS(status)),
            };
            return Some((at as u32 + 1, end));
        }
        None
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
