//! The raw calls this crate is made of: atomics, futex, eventfd, errno. Nothing above `os` sees this file.
//!
//! The atomics are imported from here by every lock-free part, so that one line swaps them for a model checker's
//! (`--cfg shuttle`, see tests/model.rs).
#![allow(unsafe_code)]

#[cfg(shuttle)]
pub use shuttle::sync::atomic;
#[cfg(not(shuttle))]
pub use std::sync::atomic;

/// `errno` of the last failed call of this thread.
pub fn errno() -> i32 {
    // SAFETY: __errno_location always returns a valid pointer to this thread's errno.
    unsafe { *libc::__errno_location() }
}

/// Waits until `word` is no longer `expected`, a wake-up comes, or `timeout_ns` passes; may also return for no reason.
/// Works between processes when `word` lies in the shared region.
#[cfg(not(shuttle))]
pub fn futex_wait(word: &atomic::AtomicU32, expected: u32, timeout_ns: Option<u64>) {
    let time = timeout_ns.map(|ns| libc::timespec {
        tv_sec: (ns / 1_000_000_000).min(i64::MAX as u64) as libc::time_t,
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    });
    let time_at = time.as_ref().map_or(std::ptr::null(), |t| t as *const libc::timespec);
    // SAFETY: `word` is a live, aligned u32 for the whole call, and `time_at` is null or a live timespec.
    let failed = unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, expected, time_at) };
    let passes = || matches!(errno(), libc::EAGAIN | libc::EINTR | libc::ETIMEDOUT);
    assert!(failed == 0 || passes(), "futex: errno {}", errno());
}

/// Wakes one waiter of `word`.
#[cfg(not(shuttle))]
pub fn futex_wake(word: &atomic::AtomicU32) {
    // SAFETY: `word` is a live, aligned u32; FUTEX_WAKE only uses its address.
    let woken = unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1) };
    assert!((0..=1).contains(&woken), "futex: {woken} woken, errno {}", errno());
}

/// Under the model checker a futex is a wait for the value to change: a lost wake-up shows as a schedule that never ends.
#[cfg(shuttle)]
pub fn futex_wait(word: &atomic::AtomicU32, expected: u32, timeout_ns: Option<u64>) {
    if timeout_ns.is_none() {
        while word.load(atomic::Ordering::SeqCst) == expected {
            shuttle::thread::yield_now();
        }
    } else {
        shuttle::thread::yield_now();
    }
}

#[cfg(shuttle)]
pub fn futex_wake(_word: &atomic::AtomicU32) {}

/// Gives the CPU to another OS thread: for a spinner whose lock holder may have been preempted by the kernel.
pub fn yield_thread() {
    #[cfg(not(shuttle))]
    std::thread::yield_now();
    #[cfg(shuttle)]
    shuttle::thread::yield_now();
}

pub fn spin_hint() {
    #[cfg(not(shuttle))]
    std::hint::spin_loop();
    #[cfg(shuttle)]
    shuttle::thread::yield_now();
}

/// A new non-blocking eventfd.
pub fn eventfd() -> i32 {
    // SAFETY: no pointers are passed.
    let fd = unsafe { libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) };
    assert!(fd >= 0, "eventfd: errno {}", errno());
    fd
}

// Under the model checker there is one eventfd.
#[cfg(shuttle)]
std::thread_local! {
    pub static MODEL_EVENTFD: std::cell::RefCell<Option<std::sync::Arc<atomic::AtomicU32>>> = Default::default();
}

#[cfg(shuttle)]
pub fn eventfd_signal(_fd: i32) {
    let fd = MODEL_EVENTFD.with_borrow(Clone::clone);
    fd.expect("set by the test").store(1, atomic::Ordering::SeqCst);
}

/// Makes `fd` readable. A full counter (EAGAIN) is as good as a written one.
#[cfg(not(shuttle))]
pub fn eventfd_signal(fd: i32) {
    let one = 1u64;
    // SAFETY: writes 8 bytes from a live u64.
    let written = unsafe { libc::write(fd, (&raw const one).cast(), 8) };
    assert!(written == 8 || matches!(errno(), libc::EAGAIN | libc::EINTR), "eventfd: errno {}", errno());
}

/// Takes what was signalled, so that the fd is unreadable until the next signal.
pub fn eventfd_drain(fd: i32) {
    let mut count = 0u64;
    // SAFETY: reads at most 8 bytes into a live u64.
    let read = unsafe { libc::read(fd, (&raw mut count).cast(), 8) };
    assert!(read == 8 || matches!(errno(), libc::EAGAIN | libc::EINTR), "eventfd: errno {}", errno());
}

pub fn close(fd: i32) {
    // SAFETY: the caller owns `fd` and does not use it again.
    unsafe { libc::close(fd) };
}

/// From now on this thread, when it becomes runnable, interrupts no other (SCHED_BATCH). Where the system refuses, it does.
pub fn give_way() {
    // SAFETY: sched_param is plain data; the call reads it.
    unsafe {
        let param: libc::sched_param = std::mem::zeroed();
        libc::sched_setscheduler(0, libc::SCHED_BATCH, &param);
    }
}

/// From now on this thread runs when others leave a CPU to it, and with a small share beside those that do not. Where the system
/// refuses, it runs as they do.
pub fn give_way_to_all() {
    give_way();
    /// Of the 19 steps that there are: a fifth to a tenth of what a thread of the usual kind gets.
    const NICE: i32 = 10;
    // SAFETY: no pointers are passed; 0 is the calling thread, since threads have each their own on Linux.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICE) };
}

/// The system's number of the calling thread.
pub fn thread_id() -> u32 {
    // SAFETY: gettid has no preconditions.
    unsafe { libc::gettid() as u32 }
}

/// Lets a thread of this process (0: the calling one) run on these CPUs only. One that has ended meanwhile, or CPUs that are not
/// there, change nothing: better anywhere than not at all.
pub fn run_on(thread: u32, cpus: &[u32]) {
    // SAFETY: cpu_set_t is plain data, set by the libc macros; the call reads it.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        cpus.iter()
            .filter(|cpu| **cpu < libc::CPU_SETSIZE as u32)
            .for_each(|cpu| libc::CPU_SET(*cpu as usize, &mut set));
        libc::sched_setaffinity(thread as libc::pid_t, size_of::<libc::cpu_set_t>(), &set);
    }
}

/// Reserves `bytes` of zeroed address space, backed lazily. `at`: an address to insist on if it is free.
/// `shared`: visible to children after fork.
pub fn map_memory(at: Option<usize>, bytes: usize, shared: bool) -> Option<*mut u8> {
    assert!(bytes > 0 && at.is_none_or(|at| at.is_multiple_of(4096)), "{bytes} bytes at {at:?}");
    if cfg!(miri) {
        // It knows no shared mappings, and no address to insist on.
        let layout = std::alloc::Layout::from_size_align(bytes, 4096).ok()?;
        // SAFETY: nobody maps nothing.
        return Some(unsafe { std::alloc::alloc_zeroed(layout) });
    }
    let sharing = if shared { libc::MAP_SHARED } else { libc::MAP_PRIVATE };
    let flags = sharing | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let fixed = if at.is_some() { libc::MAP_FIXED_NOREPLACE } else { 0 };
    let hint = at.unwrap_or(0) as *mut libc::c_void;
    // SAFETY: an anonymous mapping that replaces nothing (NOREPLACE) touches no existing memory.
    let got = unsafe { libc::mmap(hint, bytes, libc::PROT_READ | libc::PROT_WRITE, flags | fixed, -1, 0) };
    if got == libc::MAP_FAILED {
        return None;
    }
    assert!(!got.is_null() && (got as usize).is_multiple_of(4096), "mmap gave {got:?}");
    if at.is_some() && got as usize != at.unwrap_or(0) {
        // An old kernel took the address as a hint only: not where it must be.
        unmap_memory(got.cast(), bytes);
        return None;
    }
    Some(got.cast())
}

pub fn unmap_memory(at: *mut u8, bytes: usize) {
    // SAFETY: the caller gives back a whole mapping of map_memory that nothing refers to any more.
    let failed = unsafe { libc::munmap(at.cast(), bytes) };
    assert!(failed == 0 || cfg!(miri), "munmap: errno {}", errno());
}
