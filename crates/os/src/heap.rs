//! The process's heap: the system's allocator, told what a database needs of it.
#![allow(unsafe_code)]

use crate::kernel::stack;
use crate::limits;
use crate::sched::start_preemptive;
use crate::worker::{self, WorkerId, WorkerSlot};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

/// From so many bytes on an allocation is a mapping of its own, which goes back to the system as soon as it is freed and grows without
/// being copied.
#[cfg(target_env = "gnu")]
const MAPPED_BYTES: libc::c_int = 1 << 20;

/// Free memory at the end of a heap beyond this goes back to the system.
#[cfg(target_env = "gnu")]
const TRIM_BYTES: libc::c_int = 256 << 10;

/// Keeps what is freed from staying with the process. Left to itself the allocator takes the largest block that was ever freed for the size
/// that many more will have, and has them in its heaps from then on, up to 32 MB each; and it has eight heaps for each CPU, between which
/// the workers that are threads are dealt out: in `bench/soak.py` they held 570 MB where they now hold 210. Before there are threads.
///
/// Blocks ask for no huge pages, although memory is first touched three times as fast with them: while the system makes room for one, it
/// holds the scheduler.
pub fn bound() {
    #[cfg(target_env = "gnu")]
    // SAFETY: numbers that the allocator keeps.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_BYTES);
        libc::mallopt(libc::M_TRIM_THRESHOLD, TRIM_BYTES);
        // Small blocks that are freed are joined with their neighbours at once: left aside, millions of them are joined all together by
        // whoever frees the next large block, and hold his scheduler for a hundred milliseconds.
        libc::mallopt(libc::M_MXFAST, 0);
        libc::mallopt(libc::M_ARENA_MAX, limits::usable_cpus().len().max(2) as libc::c_int);
    }
}

/// Has the allocator give back what it keeps of freed memory, and idle workers what they keep of their stacks. It takes milliseconds where
/// that is much, and waits for what is let go.
pub fn trim() {
    stack::let_idle_go();
    for _ in 0..LEAVING_MS {
        if LEAVING.load(Ordering::Relaxed) == 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    #[cfg(target_env = "gnu")]
    // SAFETY: the allocator's own locks see to it that nobody uses what it gives back.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Values that are let go and not gone yet, and how long they are waited for.
static LEAVING: AtomicUsize = AtomicUsize::new(0);
const LEAVING_MS: usize = 200;

/// Drops a value off the scheduler: one of many small blocks, of which each takes its time.
pub fn let_go<T: Send + 'static>(value: T) {
    LEAVING.fetch_add(1, Ordering::Relaxed);
    drop(start_preemptive(move || {
        drop(value);
        LEAVING.fetch_sub(1, Ordering::Relaxed);
    }));
}

/// Blocks that are freed in no time.
const FEW: usize = 8 << 10;

/// Leaves an empty one in the place of a collection of `count` blocks, and gives their memory back.
pub fn empty<T: Default + Send + 'static>(collection: &mut T, count: usize) {
    let before = std::mem::take(collection);
    if count > FEW {
        let_go(before);
    }
}

/// The allocator of the server's process: the system's, but what is freed of a large block goes back to the system off the scheduler, since
/// that takes a millisecond for some megabytes.
pub struct Heap;

/// From so many bytes on.
const LARGE_BYTES: usize = 4 << 20;

/// Of all tasks of this process together.
static LARGE_HELD: AtomicI64 = AtomicI64::new(0);

thread_local! {
    /// On a thread that is no worker: whose call it runs, a `WorkerId`; 0: nobody's.
    static WORKS_FOR: Cell<u32> = const { Cell::new(0) };
}

/// Bytes in large blocks that the running task has taken and not freed, those of what it has done off the scheduler among them; and that all
/// tasks of the process have. Nobody else knows what a value takes while it is made. A task that frees what another has taken has less than
/// nothing; what a task leaves to others counts until its end.
pub fn large_held() -> (i64, i64) {
    let own = worker_here().map_or(0, |id| worker::slot(id).large_bytes.load(Ordering::Relaxed));
    (own, LARGE_HELD.load(Ordering::Relaxed))
}

/// This thread, which is no worker, runs a call of that one.
pub(crate) fn work_for(worker: WorkerId) {
    WORKS_FOR.set(worker.raw());
}

/// The worker of this slot has ended its task, or begins another: what a call that it has left freed meanwhile is not the next one's.
pub(crate) fn forget_task(slot: &WorkerSlot) {
    if slot.large_bytes.load(Ordering::Relaxed) != 0 {
        LARGE_HELD.fetch_sub(slot.large_bytes.swap(0, Ordering::Relaxed), Ordering::Relaxed);
    }
}

fn worker_here() -> Option<WorkerId> {
    let here = worker::current_or_none();
    let id = if here.is_some() { here } else { WorkerId::from_raw(WORKS_FOR.get()) };
    id.is_some().then_some(id)
}

#[cold]
fn note(taken: usize, freed: usize) {
    let Some(id) = worker_here() else { return };
    let large = |bytes: usize| if bytes < LARGE_BYTES { 0 } else { bytes as i64 };
    let change = large(taken) - large(freed);
    worker::slot(id).large_bytes.fetch_add(change, Ordering::Relaxed);
    LARGE_HELD.fetch_add(change, Ordering::Relaxed);
}

// SAFETY: all is done by the system's allocator, by the rules that the caller keeps; a block is freed once, now or a little later.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= LARGE_BYTES {
            note(layout.size(), 0);
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= LARGE_BYTES {
            note(layout.size(), 0);
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if layout.size().max(bytes) >= LARGE_BYTES {
            note(bytes, layout.size());
        }
        // SAFETY: as the caller promises.
        unsafe { System.realloc(block, layout, bytes) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout.size() >= LARGE_BYTES {
            return free_large(block, layout);
        }
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }
}

#[cold]
fn free_large(block: *mut u8, layout: Layout) {
    note(0, layout.size());
    let block = Block(block, layout);
    drop(start_preemptive(move || block.free()));
}

/// Nobody else's any more.
struct Block(*mut u8, Layout);

// SAFETY: whoever has it is the only one.
unsafe impl Send for Block {}

impl Block {
    fn free(self) {
        self.let_pages_go();
        // SAFETY: the system's allocator made it with this layout, and it is freed here alone.
        unsafe { System.dealloc(self.0, self.1) }
    }

    /// Gives its pages back piece by piece: all in one call that takes tens of milliseconds, in which no thread of the process can map
    /// anything.
    fn let_pages_go(&self) {
        // SAFETY: it asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let (first, end) = (self.0.addr().next_multiple_of(page), (self.0.addr() + self.1.size()) / page * page);
        for start in (first..end).step_by(LARGE_BYTES) {
            let bytes = LARGE_BYTES.min(end - start);
            // SAFETY: whole pages within the block, of which nobody reads anything any more.
            unsafe { libc::madvise(self.0.with_addr(start).cast(), bytes, libc::MADV_DONTNEED) };
        }
    }
}
