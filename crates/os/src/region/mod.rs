//! The region: one range of addresses, reserved at start and backed as it is touched, that every engine process sees at
//! the same place because they are forked from the launcher after it is made. It is carved into parts once, at start;
//! one of them may be a heap ([`RegionHeap`]).
//!
//! Only types that implement [`Shared`] live in it: plain data without references, heap memory or `dyn`, for which all
//! zero is a valid value, since fresh and punched-out memory reads as zero.
#![allow(unsafe_code)]

mod heap;
mod pool;

pub use heap::{HeapStats, RegionHeap};
pub use pool::Pool;

use crate::{clock, engines, limits, simcore, sys};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};
use std::sync::{Arc, Mutex};

/// Data that may lie in shared memory.
///
/// # Safety
/// The type has no reference but to statics, no pointer, heap memory, `dyn` or file descriptor; any thread may see it
/// (`Sync`), in any process; all bytes zero is a valid value.
pub unsafe trait Shared: Sync {}

/// Declares a struct that may lie in shared memory: each of its fields must be [`Shared`] itself.
#[macro_export]
macro_rules! shared_struct {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$about:meta])* $field_vis:vis $field:ident: $type:ty),* $(,)? }) => {
        $(#[$meta])*
        $vis struct $name { $($(#[$about])* $field_vis $field: $type),* }
        const _: () = {
            const fn is_shared<T: $crate::region::Shared>() {}
            $(is_shared::<$type>();)*
        };
        // SAFETY: all of its fields are shared, as was just checked.
        #[allow(unsafe_code)]
        unsafe impl $crate::region::Shared for $name {}
    };
}

/// Asks for what lies there to be brought near, and does not wait for it. Any address will do.
#[inline]
pub fn expect(place: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: changes nothing and reads nothing that could fail, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = place;
}

/// What it takes now to be given 4 KB of memory, in ns: some hundred, and thousands where the host of a virtual machine has taken the free
/// memory away. Touches 64 MB. None: there is not enough to try.
pub fn fresh_page_ns() -> Option<u64> {
    const BYTES: usize = 64 << 20;
    let taken = touch(BYTES)?;
    Some(taken / (BYTES / PAGE) as u64)
}

/// Takes and gives back `bytes` of memory, and tells the ns that it took. Where the host of a virtual machine has taken free memory away,
/// it is there again for who asks next, for some seconds at least. None: there is not four times as much to be had.
pub fn touch(bytes: usize) -> Option<u64> {
    const WORDS_A_PAGE: usize = PAGE / size_of::<AtomicU64>();
    if limits::available_memory() / 4 < bytes as u64 {
        return None;
    }
    let region = Region::reserve(bytes, Visibility::ThisProcess).ok()?;
    let words = region.carve::<AtomicU64>("touched memory", bytes / size_of::<AtomicU64>()).ok()?;
    words.prefer_large_pages();
    let begun = clock::now();
    words.iter().step_by(WORDS_A_PAGE).for_each(|word| word.store(1, RELAXED));
    Some(clock::now() - begun)
}

/// Where the word `index` of an array lies so that neighbours are in different cache lines: numbers that follow one another are taken
/// by different CPUs at the same time, which would wait for each other's line. As many words as [`spread_count`] says; 64 or 32 bits.
#[inline]
pub const fn spread(index: usize) -> usize {
    // 8 words of 64 bits are a line, two lines are fetched together.
    index & !(SPREAD - 1) | (index & 7) << 4 | (index & (SPREAD - 1)) >> 3
}

/// The length of an array of which `count` words are used by [`spread`].
pub const fn spread_count(count: usize) -> usize {
    count.next_multiple_of(SPREAD)
}

const SPREAD: usize = 128;

const _: () = {
    assert!(SPREAD.is_power_of_two() && spread(SPREAD - 1) == SPREAD - 1, "places are changed within a block of them");
    assert!(SIMULATED_STEP.is_multiple_of(PAGE) && BASE.is_multiple_of(PAGE), "regions are whole pages");
};

macro_rules! numbers {
    ($($type:ty),*) => {
        $(
            // SAFETY: plain numbers and atomics of them.
            unsafe impl Shared for $type {}
        )*
    };
}

numbers!(
    (),
    u8,
    u16,
    u32,
    u64,
    u128,
    i8,
    i16,
    i32,
    i64,
    i128,
    f64,
    usize,
    AtomicBool,
    AtomicU8,
    AtomicU16,
    AtomicU32,
    AtomicU64,
    AtomicI32,
    AtomicI64,
    AtomicUsize
);

// SAFETY: an array is as good as its elements.
unsafe impl<T: Shared, const N: usize> Shared for [T; N] {}
// SAFETY: words and worker ids only; zero is free, without waiters.
unsafe impl Shared for crate::sync::RawSpin {}
// SAFETY: as above.
unsafe impl Shared for crate::sync::RawRwLock {}
// SAFETY: words, worker ids and a wait type (whose first is number 0) around a value that is shared itself.
unsafe impl<T: Shared + Send> Shared for crate::sync::Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: Shared + Send> Shared for crate::sync::RwLock<T> {}
// SAFETY: words, worker ids, a wait type and a flag.
unsafe impl Shared for crate::sync::Event {}
// SAFETY: words and worker ids.
unsafe impl Shared for crate::sync::EventCount {}
// SAFETY: as above.
unsafe impl Shared for crate::sync::ParkingLot {}
// SAFETY: a word, perhaps a class, which is a static of the program that all engines run, and a value that is shared itself.
unsafe impl<T: Shared + Send> Shared for crate::sync::SpinLock<T> {}

/// Memory was refused: the region is used up (SQL Server's error 701), or a simulation refuses it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory;

impl std::fmt::Display for OutOfMemory {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("there is insufficient system memory")
    }
}

impl std::error::Error for OutOfMemory {}

/// Who else will see the region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// The threaded kernel: private memory, whose page faults are cheaper.
    ThisProcess,
    /// The process kernel: processes forked later see the same memory.
    ForkedProcesses,
}

/// A reserved range. Lives as long as anything carved from it.
#[derive(Clone)]
pub struct Region {
    mapping: Arc<Mapping>,
}

struct Mapping {
    base: usize,
    bytes: usize,
    visibility: Visibility,
    /// The simulation it was made in, by number; 0: none.
    simulation: u64,
    parts: Mutex<Parts>,
}

#[derive(Default)]
struct Parts {
    carved: usize,
    names: Vec<(&'static str, usize, usize)>,
}

/// First choice of address, so that addresses in a dump of one run mean something in the next.
const BASE: usize = 0x1000_0000_0000;
const PAGE: usize = 4096;

/// The ranges of this thread's simulations. A kill leaves them without owner, so they belong to the simulation: the next one
/// takes those of the last, and ten thousand lives need no more addresses than one.
#[derive(Default)]
struct SimulatedRanges {
    /// The simulation that runs, or the next.
    simulation: u64,
    used: Vec<(usize, usize)>,
    /// Zeroed.
    free: Vec<(usize, usize)>,
}

thread_local! {
    static SIMULATED: RefCell<SimulatedRanges> =
        const { RefCell::new(SimulatedRanges { simulation: 1, used: Vec::new(), free: Vec::new() }) };
}

impl Region {
    /// Reserves `bytes`, rounded up to pages. Costs nothing but address space until touched.
    pub fn reserve(bytes: usize, visibility: Visibility) -> Result<Region, OutOfMemory> {
        let bytes = bytes.checked_next_multiple_of(PAGE).filter(|bytes| *bytes > 0).ok_or(OutOfMemory)?;
        let shared = visibility == Visibility::ForkedProcesses;
        let mapping = |base, simulation| Mapping { base, bytes, visibility, simulation, parts: Mutex::default() };
        if simcore::active() {
            let (base, simulation) = reserve_simulated(bytes).ok_or(OutOfMemory)?;
            return Ok(Region { mapping: Arc::new(mapping(base, simulation)) });
        }
        let memory = sys::map_memory(Some(BASE), bytes, shared);
        let memory = memory.or_else(|| sys::map_memory(None, bytes, shared));
        let base = memory.ok_or(OutOfMemory)? as usize;
        assert!(base.is_multiple_of(PAGE), "a region begins with a page");
        if shared {
            engines::add_shared(base, base + bytes);
        }
        Ok(Region { mapping: Arc::new(mapping(base, 0)) })
    }

    pub fn bytes(&self) -> usize {
        self.mapping.bytes
    }

    /// Bytes not carved yet.
    pub fn free_bytes(&self) -> usize {
        let carved = self.mapping.parts.lock().expect("parts").carved;
        assert!(carved <= self.mapping.bytes, "{carved} bytes are carved of {}", self.mapping.bytes);
        self.mapping.bytes - carved
    }

    /// Carves `count` zeroed values of `T`, aligned to pages, under a name for [`Region::parts`].
    pub fn carve<T: Shared>(&self, name: &'static str, count: usize) -> Result<Part<T>, OutOfMemory> {
        const { assert!(align_of::<T>() <= PAGE) };
        let bytes = size_of::<T>().checked_mul(count).and_then(|b| b.checked_next_multiple_of(PAGE));
        let bytes = bytes.ok_or(OutOfMemory)?;
        let mut parts = self.mapping.parts.lock().expect("parts");
        let start = parts.carved;
        let end = start.checked_add(bytes).filter(|end| *end <= self.mapping.bytes).ok_or(OutOfMemory)?;
        assert!(start.is_multiple_of(PAGE) && end >= start, "parts are whole pages, one after the other");
        parts.carved = end;
        parts.names.push((name, start, bytes));
        let first = NonNull::new((self.mapping.base + start) as *mut T).expect("mapped above zero");
        Ok(Part { first, count, region: self.clone(), _of: PhantomData })
    }

    /// Carves room for one value and moves it there: for what does not begin as zeros, such as a lock with its wait type.
    /// It is never dropped; shared data owns nothing.
    pub fn place<T: Shared + Send>(&self, name: &'static str, value: T) -> Result<Placed<T>, OutOfMemory> {
        const { assert!(size_of::<T>() > 0, "a value that has a place takes room") };
        let part = self.carve::<T>(name, 1)?;
        // SAFETY: carved for one T just now, so nobody else has seen it.
        unsafe { part.first.write(value) };
        Ok(Placed { part })
    }

    /// What has been carved: name, offset, bytes.
    pub fn parts(&self) -> Vec<(&'static str, usize, usize)> {
        self.mapping.parts.lock().expect("parts").names.clone()
    }

    /// Gives the memory of whole pages back to the system: they read as zero from then on.
    ///
    /// # Safety
    /// Nobody else uses the range, which was carved from this region.
    pub unsafe fn punch_out(&self, at: NonNull<u8>, bytes: usize) {
        let start = at.as_ptr() as usize;
        assert!(start.is_multiple_of(PAGE) && bytes.is_multiple_of(PAGE), "whole pages");
        assert!(start >= self.mapping.base && start + bytes <= self.mapping.base + self.mapping.bytes);
        assert!(start + bytes <= self.mapping.base + self.bytes() - self.free_bytes(), "nobody carved it");
        let advice = match self.mapping.visibility {
            Visibility::ThisProcess => libc::MADV_DONTNEED,
            // Dropping this process's view would leave the memory itself in place.
            Visibility::ForkedProcesses => libc::MADV_REMOVE,
        };
        // SAFETY: within our mapping, unused by the caller's promise.
        let failed = unsafe { libc::madvise(start as *mut _, bytes, advice) };
        assert!(failed == 0, "madvise: errno {}", sys::errno());
    }

    /// Has the machine give memory to whole pages before they are touched; what they have stays. False: it does not, as a kernel
    /// before Linux 5.14, or has none.
    pub fn back(&self, at: NonNull<u8>, bytes: usize) -> bool {
        let start = at.as_ptr() as usize;
        assert!(start.is_multiple_of(PAGE) && bytes.is_multiple_of(PAGE), "whole pages");
        assert!(start >= self.mapping.base && start + bytes <= self.mapping.base + self.mapping.bytes);
        assert!(bytes > 0, "memory for nothing");
        // SAFETY: within our mapping; nothing that is read or written changes.
        unsafe { libc::madvise(start as *mut _, bytes, libc::MADV_POPULATE_WRITE) == 0 }
    }

    pub fn is_simulated(&self) -> bool {
        self.mapping.simulation != 0
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if self.simulation == 0 {
            if self.visibility == Visibility::ForkedProcesses {
                engines::remove_shared(self.base);
            }
            sys::unmap_memory(self.base as *mut u8, self.bytes);
            return;
        }
        // After its simulation, or with its thread: the range is the next one's already, or gone.
        let _ = SIMULATED.try_with(|ranges| {
            let mut ranges = ranges.borrow_mut();
            if ranges.simulation == self.simulation {
                let at = ranges.used.iter().position(|(base, _)| *base == self.base).expect("in use");
                let range = ranges.used.swap_remove(at);
                zero(range);
                ranges.free.push(range);
            }
        });
    }
}

impl Drop for SimulatedRanges {
    fn drop(&mut self) {
        // With its thread a simulation's last owner is gone.
        for (base, bytes) in self.used.iter().chain(&self.free) {
            sys::unmap_memory(*base as *mut u8, *bytes);
        }
    }
}

/// Simulated machines of more or less memory take ranges of one size: else each size would keep a range of its own, and addresses end.
const SIMULATED_STEP: usize = 1 << 36;

/// A range of `bytes` or more, and whose.
fn reserve_simulated(bytes: usize) -> Option<(usize, u64)> {
    let bytes = bytes.next_multiple_of(SIMULATED_STEP);
    SIMULATED.with_borrow_mut(|ranges| {
        // Of the same size: which one is taken must not make later ones fit or not.
        let at = ranges.free.iter().position(|(_, size)| *size == bytes);
        let range = match at {
            Some(at) => ranges.free.remove(at),
            None => (sys::map_memory(None, bytes, false)? as usize, bytes),
        };
        assert!(range.1 == bytes && !ranges.used.contains(&range), "a range is given to two regions");
        ranges.used.push(range);
        Some((range.0, ranges.simulation))
    })
}

/// The simulation is over: what its regions held is forgotten, also if a kill left them without owner.
pub(crate) fn end_simulation() {
    SIMULATED.with_borrow_mut(|ranges| {
        ranges.simulation += 1;
        let used = std::mem::take(&mut ranges.used);
        used.iter().for_each(|range| zero(*range));
        ranges.free.extend(used);
    });
}

fn zero((base, bytes): (usize, usize)) {
    assert!(base.is_multiple_of(PAGE) && bytes.is_multiple_of(PAGE), "whole pages");
    // SAFETY: a range of a simulation whose owner is gone, or whose workers are.
    let failed = unsafe { libc::madvise(base as *mut _, bytes, libc::MADV_DONTNEED) };
    assert!(failed == 0, "madvise: errno {}", sys::errno());
}

/// Values carved from a region; keeps it mapped.
pub struct Part<T> {
    first: NonNull<T>,
    count: usize,
    region: Region,
    _of: PhantomData<T>,
}

// SAFETY: gives `&T` only, and T: Shared is Sync.
unsafe impl<T: Shared> Sync for Part<T> {}
// SAFETY: as above; the memory belongs to no thread.
unsafe impl<T: Shared> Send for Part<T> {}

impl<T: Shared> Part<T> {
    /// Asks for pages of 2 MB where the part is used: what reads a large one here and there waits less for the tables of pages. A wish:
    /// memory that processes share takes none unless the system's administrator allows it.
    pub fn prefer_large_pages(&self) {
        let mapping = &self.region.mapping;
        if mapping.visibility == Visibility::ThisProcess && mapping.simulation == 0 {
            // SAFETY: whole pages of our mapping, as parts are; how they are backed changes nothing that is read or written.
            unsafe {
                let bytes = (self.count * size_of::<T>()).next_multiple_of(PAGE);
                libc::madvise(self.first.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE);
            }
        }
    }

    pub fn region(&self) -> &Region {
        &self.region
    }

    pub fn as_ptr(&self) -> NonNull<T> {
        self.first
    }
}

impl<T: Shared> Clone for Part<T> {
    fn clone(&self) -> Part<T> {
        Part { first: self.first, count: self.count, region: self.region.clone(), _of: PhantomData }
    }
}

impl<T: Shared> Deref for Part<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: carved for `count` values, zeroed (valid by Shared), mapped as long as `region`.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.count) }
    }
}

/// One value in a region; keeps it mapped.
pub struct Placed<T> {
    part: Part<T>,
}

impl<T: Shared> Clone for Placed<T> {
    fn clone(&self) -> Placed<T> {
        Placed { part: self.part.clone() }
    }
}

impl<T: Shared> Deref for Placed<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: carved for one value and written by `place`; mapped as long as the part lives.
        unsafe { self.part.first.as_ref() }
    }
}

/// For counters and for what a lock already orders.
const RELAXED: Ordering = Ordering::Relaxed;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_spread_over_all_places_and_neighbours_over_lines() {
        let count = spread_count(200);
        let mut places: Vec<usize> = (0..count).map(spread).collect();
        assert!(places.windows(8).all(|near| (1..8).all(|at| near[0] / 8 != near[at] / 8)));
        places.sort_unstable();
        assert_eq!(places, (0..256).collect::<Vec<_>>());
    }
}
