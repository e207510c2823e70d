//! Leaving the scheduler: a call that blocks or computes long in code not ours (a flush, a password hash) runs on one of
//! a bounded pool of OS threads while the worker is parked and its scheduler serves others.
#![allow(unsafe_code)]

use crate::sys::atomic::Ordering as Order;
use crate::wait::{WaitType, park_uninterruptible};
use crate::worker::{self, WorkerId, unpark};
use crate::{clock, kernel, panics, simcore};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

/// Threads of the pool; more calls than that wait their turn.
static THREADS_MAX: AtomicUsize = AtomicUsize::new(16);

pub fn set_preemptive_threads_max(threads: usize) {
    assert!(threads > 0);
    THREADS_MAX.store(threads, Ordering::Relaxed);
}

/// Threads there may be of the pool.
pub fn preemptive_threads_max() -> usize {
    THREADS_MAX.load(Ordering::Relaxed)
}

/// Runs `call` off the scheduler and returns its result. Booked as a wait of type `wait` (PREEMPTIVE_*). On a thread
/// that is no worker it simply runs. A panic of `call` continues in the caller. `call` must not park.
pub fn preemptive<R: Send>(wait: WaitType, call: impl FnOnce() -> R + Send) -> R {
    let Some(scheduler) = kernel::scheduler::here() else {
        return call();
    };
    if simcore::active() {
        // The work is done at once, and takes some simulated time.
        let result = call();
        let takes = simcore::with(|sim| 1_000 + sim.below(200_000));
        let deadline = clock::now() + takes;
        while clock::now() < deadline {
            park_uninterruptible(wait, Some(deadline));
        }
        return result;
    }
    let me = worker::current();
    let mut frame = Frame { call: Some(call), result: None, done: AtomicU32::new(0), worker: me };
    let job = job_of(&mut frame);
    assert!(worker::slot(me).is_preemptive.load(Order::Relaxed) == 0, "{me:?} is off its scheduler already");
    scheduler.slot().preemptive_switches.fetch_add(1, Order::Relaxed);
    worker::slot(me).is_preemptive.store(1, Order::Relaxed);
    submit(job);
    // Acquire pairs with the Release of run_frame: the result is seen.
    while frame.done.load(Ordering::Acquire) == 0 {
        park_uninterruptible(wait, None);
    }
    assert!(worker::current() == me && frame.call.is_none(), "a call is done that nobody made");
    worker::slot(me).is_preemptive.store(0, Order::Relaxed);
    match frame.result.take().expect("done") {
        Ok(result) => result,
        Err(unwound) => panics::go_on(unwound),
    }
}

/// Lies on the parked worker's stack until `done`.
struct Frame<R, F> {
    call: Option<F>,
    result: Option<Result<R, panics::Unwound>>,
    done: AtomicU32,
    worker: WorkerId,
}

struct Job {
    frame: *mut (),
    run: unsafe fn(*mut ()),
}

// SAFETY: the frame's call and result are Send, and only one thread at a time touches the frame.
unsafe impl Send for Job {}

fn job_of<R, F: FnOnce() -> R>(frame: &mut Frame<R, F>) -> Job {
    Job { frame: (frame as *mut Frame<R, F>).cast(), run: run_frame::<R, F> }
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

#[derive(Default)]
struct Pool {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { jobs: VecDeque::new(), threads: 0, idle: 0 });
static FILLED: Condvar = Condvar::new();

/// Queue length is bounded by the number of workers: each submits one job and waits for it.
fn submit(job: Job) {
    let mut pool = POOL.lock().expect("pool");
    pool.jobs.push_back(job);
    assert!(pool.jobs.len() < worker::WORKERS_MAX, "each worker waits for one call");
    assert!(pool.idle <= pool.threads, "more threads are idle than there are");
    if pool.idle >= pool.jobs.len() {
        FILLED.notify_one();
    } else if pool.threads < THREADS_MAX.load(Ordering::Relaxed) {
        pool.threads += 1;
        let spawned = std::thread::Builder::new().name("preemptive".into()).spawn(serve);
        if spawned.is_err() {
            pool.threads -= 1;
            assert!(pool.threads > 0, "no thread for preemptive work");
        }
    }
}

fn serve() {
    let mut pool = POOL.lock().expect("pool");
    loop {
        if let Some(job) = pool.jobs.pop_front() {
            drop(pool);
            // SAFETY: submitted by `preemptive`, whose worker waits for it.
            unsafe { (job.run)(job.frame) };
            pool = POOL.lock().expect("pool");
        } else {
            pool.idle += 1;
            pool = FILLED.wait(pool).expect("pool");
            assert!(pool.idle > 0, "a thread that waited was not idle");
            pool.idle -= 1;
        }
    }
}
