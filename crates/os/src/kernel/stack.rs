//! Fiber stacks: mapped lazily, a guard page below, pooled because mapping one costs 5 µs and reusing one 12 ns.
//! A fault in a guard page prints what ran and ends the process: users' recursion is bounded by depth checks
//! ([`remaining`]), so an overflow is a bug of ours, and running on would leave locks held.
#![allow(unsafe_code)]

use crate::sys;
use crate::worker;
use corosensei::stack::{Stack, StackPointer};
use std::cell::Cell;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, Once};

/// Usable bytes of a fiber's stack, the guard page not counted. Only what is touched is memory: the size is for the deepest
/// statement the limits on nesting admit, which goes through parser, binder, planner and compiler. Frames without optimization
/// are several times larger.
pub const STACK_BYTES: usize = if cfg!(debug_assertions) { 4 << 20 } else { 1 << 20 };
const GUARD_BYTES: usize = 4096;
const MAPPED_BYTES: usize = STACK_BYTES + GUARD_BYTES;
/// Unused stacks kept for the next fibers; above it they are unmapped.
const POOL_MAX: usize = 256;
/// What a pooled stack may keep resident: its top, where every fiber begins, and where it is while it has no task.
const KEEP_BYTES: usize = 16 * 1024;

const _: () = {
    assert!(STACK_BYTES.is_multiple_of(GUARD_BYTES), "a stack is whole pages");
    assert!(KEEP_BYTES < STACK_BYTES && KEEP_BYTES.is_multiple_of(GUARD_BYTES), "what it keeps is its upper pages");
};

static POOL: Mutex<Vec<FiberStack>> = Mutex::new(Vec::new());

/// Counts how often memory was short: each scheduler then lets go of what tasks have touched of the stacks of its idle fibers.
static SHORTAGES: AtomicU32 = AtomicU32::new(0);

/// Has the stacks of idle fibers give their memory back, each scheduler's when its next task has ended.
pub fn let_idle_go() {
    SHORTAGES.fetch_add(1, Ordering::Relaxed);
}

#[inline]
pub fn shortages() -> u32 {
    SHORTAGES.load(Ordering::Relaxed)
}

/// Gives back the memory of a stack, by its lowest usable address, but for its top.
///
/// # Safety
/// Nobody has anything there: the fiber has ended, or stands in the top.
pub unsafe fn let_go(lowest: usize) {
    // SAFETY: as the caller promises.
    unsafe { libc::madvise(lowest as *mut _, STACK_BYTES - KEEP_BYTES, libc::MADV_DONTNEED) };
}

/// This fiber stands in the part of its stack that is kept, with room for what it calls there.
pub fn is_in_top() -> bool {
    remaining() > STACK_BYTES - KEEP_BYTES / 2
}

pub struct FiberStack {
    lowest: NonZeroUsize,
}

impl FiberStack {
    /// From the pool or fresh; `None` when memory is refused.
    pub fn take() -> Option<FiberStack> {
        if let Some(stack) = POOL.lock().expect("stack pool").pop() {
            return Some(stack);
        }
        let lowest = sys::map_memory(None, MAPPED_BYTES, false)?;
        // SAFETY: protects the lowest page of the mapping just made.
        let failed = unsafe { libc::mprotect(lowest.cast(), GUARD_BYTES, libc::PROT_NONE) };
        if failed != 0 {
            // A process may have only so many mappings (vm.max_map_count), and the guard page is one more.
            sys::unmap_memory(lowest, MAPPED_BYTES);
            return None;
        }
        assert!((lowest as usize).is_multiple_of(GUARD_BYTES), "the guard is a page");
        Some(FiberStack { lowest: NonZeroUsize::new(lowest as usize).expect("mapped above zero") })
    }

    /// To the pool.
    pub fn give_back(self) {
        let mut pool = POOL.lock().expect("stack pool");
        assert!(pool.len() <= POOL_MAX, "{} stacks are kept", pool.len());
        if pool.len() < POOL_MAX {
            // SAFETY: the stack is ours and unused: its contents may go.
            unsafe { let_go(self.lowest.get() + GUARD_BYTES) };
            pool.push(self);
        } else {
            sys::unmap_memory(self.lowest.get() as *mut u8, MAPPED_BYTES);
        }
    }

    /// (highest, lowest usable) address.
    pub fn bounds(&self) -> (usize, usize) {
        (self.lowest.get() + MAPPED_BYTES, self.lowest.get() + GUARD_BYTES)
    }
}

// SAFETY: base and limit describe one private mapping that lives as long as the value, guard page at the low end,
// both page-aligned.
unsafe impl Stack for FiberStack {
    fn base(&self) -> StackPointer {
        NonZeroUsize::new(self.lowest.get() + MAPPED_BYTES).expect("above zero")
    }

    fn limit(&self) -> StackPointer {
        self.lowest
    }
}

thread_local! {
    /// Lowest usable address of the stack this thread runs on now; 0 when not known yet.
    static LIMIT: Cell<usize> = const { Cell::new(0) };
    static SIGNAL_STACK: Cell<usize> = const { Cell::new(0) };
}

/// Says on which stack this thread runs from now on (its lowest usable address).
pub fn set_limit(lowest: usize) {
    LIMIT.set(lowest);
}

/// Bytes left on the current stack: what every recursion on a client's input asks before going deeper.
#[inline]
pub fn remaining() -> usize {
    let here = 0u8;
    let limit = match LIMIT.get() {
        0 => thread_limit(),
        limit => limit,
    };
    (&raw const here as usize).saturating_sub(limit)
}

#[cold]
fn thread_limit() -> usize {
    // SAFETY: the attribute object is initialized by getattr_np and destroyed once; the out values are live.
    let limit = unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            return 0;
        }
        let (mut lowest, mut size) = (std::ptr::null_mut(), 0);
        libc::pthread_attr_getstack(&attributes, &mut lowest, &mut size);
        libc::pthread_attr_destroy(&mut attributes);
        lowest as usize
    };
    LIMIT.set(limit);
    limit
}

/// Lets this thread survive a fault on a full stack long enough to report it.
pub fn watch_faults_on_this_thread() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        // SAFETY: installs a handler of the right signature; everything it does is async-signal-safe.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            let failed = libc::sigaction(libc::SIGSEGV, &action, (&raw mut PREVIOUS).cast());
            assert!(failed == 0, "sigaction: errno {}", sys::errno());
        }
    });
    if SIGNAL_STACK.get() != 0 {
        return;
    }
    const BYTES: usize = 64 * 1024;
    let memory = sys::map_memory(None, BYTES, false).expect("memory for a signal stack");
    SIGNAL_STACK.set(memory as usize);
    let stack = libc::stack_t { ss_sp: memory.cast(), ss_flags: 0, ss_size: BYTES };
    // SAFETY: the memory lives as long as the thread (it is never unmapped).
    let failed = unsafe { libc::sigaltstack(&stack, std::ptr::null_mut()) };
    assert!(failed == 0, "sigaltstack: errno {}", sys::errno());
}

/// Rust's own handler, which knows threads' guard pages; written once before ours can run.
static mut PREVIOUS: std::mem::MaybeUninit<libc::sigaction> = std::mem::MaybeUninit::uninit();

extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid siginfo for SIGSEGV.
    let address = unsafe { (*info).si_addr() } as usize;
    let limit = LIMIT.get();
    if limit != 0 && address < limit && address >= limit - GUARD_BYTES {
        let mut line = Line { bytes: [0; 160], length: 0 };
        line.text("fatal: stack overflow in worker ");
        line.number(worker::current().raw() as u64);
        line.text(", task ");
        let slot = worker::slot(worker::current());
        line.number(slot.task_id.load(Ordering::Relaxed));
        line.text(", session ");
        line.number(slot.session_id.load(Ordering::Relaxed) as u64);
        line.text("\n");
        // SAFETY: write and abort are async-signal-safe; the buffer is live.
        unsafe {
            libc::write(2, line.bytes.as_ptr().cast(), line.length);
            libc::abort();
        }
    }
    // SAFETY: PREVIOUS was written by sigaction before this handler could run. Restoring it and returning repeats the
    // faulting instruction under the previous handler.
    unsafe {
        let _ = context;
        libc::sigaction(signal, (&raw const PREVIOUS).cast(), std::ptr::null_mut());
    }
}

/// A line put together without the heap.
struct Line {
    bytes: [u8; 160],
    length: usize,
}

impl Line {
    fn text(&mut self, text: &str) {
        for byte in text.bytes() {
            if self.length < self.bytes.len() {
                self.bytes[self.length] = byte;
                self.length += 1;
            }
        }
    }

    fn number(&mut self, mut number: u64) {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.text(std::str::from_utf8(&digits[at..]).unwrap_or("?"));
    }
}
