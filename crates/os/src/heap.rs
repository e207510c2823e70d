//! The process's heap: the system's allocator, told what a database needs of it.
#![allow(unsafe_code)]

use crate::limits;

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
        libc::mallopt(libc::M_ARENA_MAX, limits::usable_cpus().len().max(2) as libc::c_int);
    }
}

/// Has the allocator give back what it keeps of freed memory. It takes milliseconds where that is much.
pub fn trim() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the allocator's own locks see to it that nobody uses what it gives back.
    unsafe {
        libc::malloc_trim(0);
    }
}
