//! Leaving the scheduler: a call that blocks or computes long in code not ours (a flush, a password hash) runs on one of
//! a bounded pool of OS threads while the worker is parked and its scheduler serves others.
//!
//! There are three pools. What only computes has one of its own: a flood of it would else take every thread, and a flush of the log
//! would wait behind password hashes. Its threads are few and give way to the schedulers'. What computes for seconds has another, or a login
//! would wait for somebody's polygon.
#![allow(unsafe_code)]

use crate::sys::atomic::Ordering as Order;
use crate::wait::{WaitType, is_interrupted, park, park_uninterruptible};
use crate::worker::{self, WorkerId, unpark};
use crate::{clock, heap, kernel, panics, simcore, sys};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// Threads that run calls; more calls than that wait their turn.
struct Threads {
    max: AtomicUsize,
    pool: Mutex<Pool>,
    filled: Condvar,
    name: &'static str,
    serve: fn(),
}

impl Threads {
    const fn new(name: &'static str, max: usize, serve: fn()) -> Threads {
        let pool = Mutex::new(Pool { jobs: VecDeque::new(), threads: 0, idle: 0 });
        Threads { max: AtomicUsize::new(max), pool, filled: Condvar::new(), name, serve }
    }
}

/// How often a task that stays interrupted is asked whether it leaves.
const INTERRUPTED_MS: u64 = 10;

/// Calls that block.
static CALLS: Threads = Threads::new("preemptive", 16, || CALLS.serve());

/// Calls that only compute: more threads than CPUs would bring nothing.
static COMPUTATIONS: Threads = Threads::new("computing", 1, || {
    sys::give_way_to_all();
    COMPUTATIONS.serve();
});

/// Calls that compute for seconds.
static LONG_CALLS: Threads = Threads::new("long calls", 4, || LONG_CALLS.serve());

pub fn set_preemptive_threads_max(threads: usize) {
    assert!(threads > 0);
    CALLS.max.store(threads, Ordering::Relaxed);
}

/// Threads there may be of the pool.
pub fn preemptive_threads_max() -> usize {
    CALLS.max.load(Ordering::Relaxed)
}

/// Threads there may be for what only computes.
pub fn set_computing_threads_max(threads: usize) {
    assert!(threads > 0);
    COMPUTATIONS.max.store(threads, Ordering::Relaxed);
}

/// Runs `call` off the scheduler and returns its result. Booked as a wait of type `wait` (PREEMPTIVE_*). On a thread
/// that is no worker it simply runs. A panic of `call` continues in the caller. `call` must not park.
pub fn preemptive<R: Send>(wait: WaitType, call: impl FnOnce() -> R + Send) -> R {
    run_in(&CALLS, wait, false, call).expect("who is not interrupted gets an answer")
}

/// Waits `ms` milliseconds on a thread that may be no worker, as a process has that begins.
pub fn nap(ms: u64) {
    preemptive(WaitType::PREEMPTIVE_OTHER, || {
        std::thread::sleep(std::time::Duration::from_millis(ms));
    });
}

/// As [`preemptive`], for a call that only computes. None: the task was interrupted before the call began; once it runs, it
/// is waited for.
pub fn compute<R: Send>(wait: WaitType, call: impl FnOnce() -> R + Send) -> Option<R> {
    run_in(&COMPUTATIONS, wait, true, call)
}

fn run_in<R: Send>(
    threads: &'static Threads,
    wait: WaitType,
    interruptible: bool,
    call: impl FnOnce() -> R + Send,
) -> Option<R> {
    let Some(scheduler) = kernel::scheduler::here() else {
        return Some(call());
    };
    if simcore::active() {
        // The work is done at once, and takes some simulated time.
        let result = call();
        let takes = simcore::with(|sim| 1_000 + sim.below(200_000));
        let deadline = clock::now() + takes;
        while clock::now() < deadline {
            park_uninterruptible(wait, Some(deadline));
        }
        return Some(result);
    }
    let me = worker::current();
    let mut frame = Frame { call: Some(call), result: None, done: AtomicU32::new(0), worker: me };
    let job = job_of(&mut frame);
    let name = job.frame;
    assert!(worker::slot(me).is_preemptive.load(Order::Relaxed) == 0, "{me:?} is off its scheduler already");
    scheduler.slot().preemptive_switches.fetch_add(1, Order::Relaxed);
    worker::slot(me).is_preemptive.store(1, Order::Relaxed);
    threads.submit(job);
    let mut may_leave = interruptible;
    // Acquire pairs with the Release of run_frame: the result is seen.
    while frame.done.load(Ordering::Acquire) == 0 {
        if may_leave && is_interrupted() {
            if threads.withdraw(name) {
                worker::slot(me).is_preemptive.store(0, Order::Relaxed);
                return None;
            }
            may_leave = false;
        }
        if may_leave {
            park(wait, None);
        } else {
            park_uninterruptible(wait, None);
        }
    }
    assert!(worker::current() == me && frame.call.is_none(), "a call is done that nobody made");
    worker::slot(me).is_preemptive.store(0, Order::Relaxed);
    match frame.result.take().expect("done") {
        Ok(result) => Some(result),
        Err(unwound) => panics::go_on(unwound),
    }
}

/// A call that runs off the scheduler while its caller goes on. Who drops it does not wait for it.
pub enum Started<R> {
    /// It was done at once.
    Done(R),
    Running(Arc<Running<R>>),
}

pub struct Running<R> {
    result: Mutex<Option<Result<R, panics::Unwound>>>,
    done: AtomicU32,
    /// The worker that waits for it; 0: none does.
    waiter: AtomicU32,
}

/// Begins `call` off the scheduler. On a thread that is no worker, and in a simulation, it is done at once. `call` must not park.
pub fn start_preemptive<R: Send + 'static>(call: impl FnOnce() -> R + Send + 'static) -> Started<R> {
    start_in(&CALLS, call)
}

/// As [`start_preemptive`], for a call that may take seconds: with others of the kind it waits for its turn.
pub fn start_long<R: Send + 'static>(call: impl FnOnce() -> R + Send + 'static) -> Started<R> {
    start_in(&LONG_CALLS, call)
}

fn start_in<R: Send + 'static>(threads: &'static Threads, call: impl FnOnce() -> R + Send + 'static) -> Started<R> {
    let Some(scheduler) = kernel::scheduler::here().filter(|_| !simcore::active()) else {
        return Started::Done(call());
    };
    scheduler.slot().preemptive_switches.fetch_add(1, Order::Relaxed);
    let running = Arc::new(Running { result: Mutex::new(None), done: AtomicU32::new(0), waiter: AtomicU32::new(0) });
    let theirs = running.clone();
    let job: Detached = Box::new(move || theirs.end(panics::catch_to_go_on(call)));
    let of = worker::current_or_none();
    threads.submit(Job { of, frame: Box::into_raw(Box::new(job)).cast(), run: run_detached });
    Started::Running(running)
}

impl<R> Running<R> {
    /// SeqCst here and in `Started::wait`: either the waiter sees that it is done, or is seen.
    fn end(&self, result: Result<R, panics::Unwound>) {
        let before = self.result.lock().expect("a result").replace(result);
        assert!(before.is_none(), "a call ends once");
        self.done.store(1, Ordering::SeqCst);
        let waiter = WorkerId::from_raw(self.waiter.load(Ordering::SeqCst));
        if waiter.is_some() {
            unpark(waiter);
        }
    }
}

impl<R> Started<R> {
    /// Its result. A panic of the call continues here.
    pub fn wait(self, wait: WaitType) -> R {
        self.wait_unless(wait, None).expect("who does not leave has the result")
    }

    /// The same, by a task that may be interrupted, and says each time whether it leaves. None: it has left, and the call is on its own.
    pub fn wait_heard(self, wait: WaitType, mut leaves: impl FnMut() -> bool) -> Option<R> {
        self.wait_unless(wait, Some(&mut leaves))
    }

    fn wait_unless(self, wait: WaitType, mut leaves: Option<&mut dyn FnMut() -> bool>) -> Option<R> {
        let running = match self {
            Started::Done(result) => return Some(result),
            Started::Running(running) => running,
        };
        let me = worker::current_or_none();
        running.waiter.store(me.raw(), Ordering::SeqCst);
        while running.done.load(Ordering::SeqCst) == 0 {
            match &mut leaves {
                _ if !me.is_some() => std::thread::yield_now(),
                Some(leaves) if is_interrupted() => {
                    if leaves() {
                        running.waiter.store(0, Ordering::SeqCst);
                        return None;
                    }
                    // An interrupt that nobody has dealt with would let no wait be one.
                    if is_interrupted() {
                        park_uninterruptible(wait, Some(clock::after_ms(INTERRUPTED_MS)));
                    }
                }
                Some(_) => drop(park(wait, None)),
                None => drop(park_uninterruptible(wait, None)),
            }
        }
        let result = running.result.lock().expect("a result").take();
        match result.expect("done") {
            Ok(result) => Some(result),
            Err(unwound) => panics::go_on(unwound),
        }
    }
}

type Detached = Box<dyn FnOnce() + Send>;

/// # Safety
/// `frame` is a `Box<Detached>` that nobody else has.
unsafe fn run_detached(frame: *mut ()) {
    // SAFETY: by contract.
    let call = unsafe { Box::from_raw(frame.cast::<Detached>()) };
    call();
}

/// Lies on the parked worker's stack until `done`.
struct Frame<R, F> {
    call: Option<F>,
    result: Option<Result<R, panics::Unwound>>,
    done: AtomicU32,
    worker: WorkerId,
}

struct Job {
    /// Whose it is.
    of: WorkerId,
    frame: *mut (),
    run: unsafe fn(*mut ()),
}

// SAFETY: the frame's call and result are Send, and only one thread at a time touches the frame.
unsafe impl Send for Job {}

fn job_of<R, F: FnOnce() -> R>(frame: &mut Frame<R, F>) -> Job {
    Job { of: frame.worker, frame: (frame as *mut Frame<R, F>).cast(), run: run_frame::<R, F> }
}

/// # Safety
/// `frame` points to a live `Frame<R, F>` whose worker waits for `done`.
unsafe fn run_frame<R, F: FnOnce() -> R>(frame: *mut ()) {
    let frame = frame.cast::<Frame<R, F>>();
    // SAFETY: by contract; the worker touches nothing of the frame but `done` until it is set.
    unsafe {
        let call = (*frame).call.take().expect("run once");
        assert!(
            (*frame).result.is_none() && (*frame).done.load(Ordering::Relaxed) == 0,
            "a call is done before it ran"
        );
        (*frame).result = Some(panics::catch_to_go_on(call));
        let worker = (*frame).worker;
        // After this store the frame may be gone.
        (*frame).done.store(1, Ordering::Release);
        unpark(worker);
    }
}

struct Pool {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

impl Threads {
    /// Queue length is bounded by the number of workers: each submits one job and waits for it, or for the last one that it started.
    fn submit(&'static self, job: Job) {
        let mut pool = self.pool.lock().expect("pool");
        pool.jobs.push_back(job);
        assert!(pool.jobs.len() < worker::WORKERS_MAX, "each worker waits for one call");
        assert!(pool.idle <= pool.threads, "more threads are idle than there are");
        if pool.idle >= pool.jobs.len() {
            self.filled.notify_one();
        } else if pool.threads < self.max.load(Ordering::Relaxed) {
            pool.threads += 1;
            let spawned = std::thread::Builder::new().name(self.name.into()).spawn(self.serve);
            if spawned.is_err() {
                pool.threads -= 1;
                assert!(pool.threads > 0, "no thread for preemptive work");
            }
        }
    }

    /// Takes back a job that no thread has begun. False: one has, and its frame must stay.
    fn withdraw(&self, frame: *mut ()) -> bool {
        let mut pool = self.pool.lock().expect("pool");
        let Some(at) = pool.jobs.iter().position(|job| std::ptr::eq(job.frame, frame)) else { return false };
        pool.jobs.remove(at);
        true
    }

    fn serve(&self) {
        let mut pool = self.pool.lock().expect("pool");
        loop {
            if let Some(job) = pool.jobs.pop_front() {
                drop(pool);
                heap::work_for(job.of);
                // SAFETY: submitted by `run_in`, whose worker waits for it.
                unsafe { (job.run)(job.frame) };
                pool = self.pool.lock().expect("pool");
            } else {
                pool.idle += 1;
                pool = self.filled.wait(pool).expect("pool");
                assert!(pool.idle > 0, "a thread that waited was not idle");
                pool.idle -= 1;
            }
        }
    }
}
