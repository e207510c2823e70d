//! Panics: what one costs, and when it takes the process along.
//!
//! A panic is a bug of a request, and costs that request: its frames unwind, guards give back what they held, and who called [`catch`]
//! goes on with a [`Panic`] that says what it was. That is sound as long as nobody can see what was left half done. So the
//! process ends at once, before anybody is let in, when
//!
//! - a guard that lets its holder change what others see (mutex, spinlock, write lock, exclusive latch, `engines::Section`,
//!   [`Undivided`]) is dropped by a worker that unwinds;
//! - `os` itself panics, whose locks and queues the others need to go on;
//! - a panic ends a task on which all others rely (`kernel::workers`).
//!
//! It ends without leaving its critical sections: in the process kernel the launcher sees by that whether the others may live on.
//!
//! Not by `std::thread::panicking`: that is the thread's. While one fiber unwinds and waits, others of its thread run and do not.
//! All this begins with [`watch`]; before it, and in a simulation, which reports any panic, a panic unwinds and no more.

use crate::{simcore, worker};
use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, Location, PanicHookInfo, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, Once};

/// Workers that unwind now: what each guard asks first.
static UNWINDING: AtomicU32 = AtomicU32::new(0);

static WATCHED: AtomicBool = AtomicBool::new(false);

/// Which they are. Few at any time.
static WHO: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Where the sources of this crate lie, as a panic names them.
pub(crate) const OWN_SOURCES: &str = "crates/os/src/";

/// Where a panic is made that is planted elsewhere.
const PLANTED: &str = "crates/os/src/planted.rs";

thread_local! {
    /// Of the panic that unwinds on this thread, from its hook to who catches it.
    static LAST: Cell<Option<Panic>> = const { Cell::new(None) };
}

/// What is known of a panic.
#[derive(Debug, Clone, Default)]
pub struct Panic {
    pub message: String,
    /// file:line:column
    pub place: String,
    /// A frame a line; empty where nobody asked for it (`RUST_BACKTRACE`).
    pub backtrace: String,
}

/// From now on panics of this process, and of those forked from it, are told apart as the top of the file says.
pub fn watch() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        WATCHED.store(true, Ordering::Relaxed);
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            before(info);
            if !simcore::active() {
                note(info);
            }
        }));
    });
}

fn note(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let message = payload.downcast_ref::<String>().cloned();
    let message = message.or_else(|| payload.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default();
    let backtrace = Backtrace::capture();
    let backtrace = if backtrace.status() == std::backtrace::BacktraceStatus::Captured {
        backtrace.to_string()
    } else {
        String::new()
    };
    let place = info.location().map(Location::to_string).unwrap_or_default();
    if worker::on_scheduler() {
        if place.starts_with(OWN_SOURCES) && !place.starts_with(PLANTED) {
            end_process("a panic of the scheduler's own code");
        }
        let worker = worker::current_or_none().raw();
        let mut who = WHO.lock().expect("nobody panics with it");
        if !who.contains(&worker) {
            who.push(worker);
            UNWINDING.fetch_add(1, Ordering::Relaxed);
        }
    }
    LAST.set(Some(Panic { message, place, backtrace }));
}

/// Runs `call`; a panic of it ends here.
pub fn catch<R>(call: impl FnOnce() -> R) -> Result<R, Panic> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|_| caught())
}

/// The running worker unwinds no more: what it was that unwound.
pub(crate) fn caught() -> Panic {
    if UNWINDING.load(Ordering::Relaxed) != 0 {
        let worker = worker::current_or_none().raw();
        let mut who = WHO.lock().expect("nobody panics with it");
        if let Some(at) = who.iter().position(|unwinds| *unwinds == worker) {
            who.swap_remove(at);
            UNWINDING.fetch_sub(1, Ordering::Relaxed);
        }
    }
    LAST.take().unwrap_or_default()
}

/// Whether the running worker unwinds.
#[inline]
pub fn unwinds() -> bool {
    UNWINDING.load(Ordering::Relaxed) != 0 && is_one()
}

#[cold]
fn is_one() -> bool {
    let worker = worker::current_or_none().raw();
    worker != 0 && WHO.lock().expect("nobody panics with it").contains(&worker)
}

/// A guard gives back what its holder could change: not if a panic has stopped the holder in the middle.
#[inline]
pub fn assert_whole(held: &str) {
    if unwinds() {
        end_process(held);
    }
}

/// A task has panicked that all others need.
pub(crate) fn ends_all(task: &str) {
    if WATCHED.load(Ordering::Relaxed) && !simcore::active() {
        eprintln!("the process ends: {task} panicked, and nothing goes on without it");
        std::process::abort();
    }
}

#[cold]
fn end_process(held: &str) -> ! {
    eprintln!("the process ends: a panic left {held} half done");
    std::process::abort();
}

/// Work that others may find done or not begun, and never halfway, though no lock is held for it: a panic in its middle ends the process.
pub struct Undivided(&'static str);

impl Undivided {
    #[inline]
    pub fn begin(what: &'static str) -> Undivided {
        Undivided(what)
    }
}

impl Drop for Undivided {
    #[inline]
    fn drop(&mut self) {
        assert_whole(self.0);
    }
}

/// A panic on its way from the thread where it was to the worker that waits for it.
pub(crate) type Unwound = (Panic, Box<dyn Any + Send>);

/// As [`catch`]; another thread goes on with the panic by [`go_on`].
pub(crate) fn catch_to_go_on<R>(call: impl FnOnce() -> R) -> Result<R, Unwound> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|payload| (caught(), payload))
}

/// The running worker unwinds with a panic that another thread had for it.
pub(crate) fn go_on((panic, payload): Unwound) -> ! {
    if WATCHED.load(Ordering::Relaxed) && worker::on_scheduler() {
        WHO.lock().expect("nobody panics with it").push(worker::current_or_none().raw());
        UNWINDING.fetch_add(1, Ordering::Relaxed);
    }
    LAST.set(Some(panic));
    resume_unwind(payload)
}
