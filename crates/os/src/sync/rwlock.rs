//! Readers or one writer, after SQL Server's SOS_RWLock. A reader that arrives while a writer waits is not let in, so
//! writers do not starve; whoever must wait parks in one FIFO list and is handed the lock.
//!
//! Three forms of one semantics, chosen at start, since comparing them is an experiment (facts: sqlonice.com, "classic
//! SOS_RWLock" and "2016 SOS_RWLock"):
//!
//! *atomic* (the 2016 redesign): one 64-bit word, taken and given back by compare-and-swap alone:
//! ```text
//!  63     | 62   | 61..42            41..22    21..2     1        0
//!  unused | bias | waiting writers | waiters | readers | writer | list lock
//! ```
//! *classic* (2012, 2014): the same fields, but every acquire and release first takes the list-lock bit and holds it
//! while it counts: the price the redesign saved.
//!
//! *biased* (BRAVO: Dice and Kogan, USENIX ATC 2019): atomic, and while the bias bit is set a reader publishes itself in
//! its scheduler's row of the visible-readers table ([`ReaderRow`](crate::readers::ReaderRow)) instead of counting itself in
//! the word: it reads the lock's line and writes none that another CPU writes. A writer, once it has the writer bit,
//! *revokes*: waits until nobody is published, then takes the bias away. It comes back with a later reader, but not before
//! nine times what revoking took has passed, so that writers lose a tenth of their time to it at most.
//!
//! Invariants: writer excludes readers > 0. `waiters` counts the list, `waiting writers` the writers in it; both change
//! only under the list lock. A lock that is free or held by readers has no grantable waiter once nobody holds the list
//! lock: whoever makes a waiter grantable grants it. Bias is set only by a reader that is counted in the word and taken
//! away only by a writer; published readers inside imply bias. Model-checked in tests/model.rs.
//!
//! Order. A published reader and a writer must not overlook each other (store, then load, on both sides):
//! ```text
//!   reader: publish (slot)   then  look at the word: bias and no writer, here or waiting? else withdraw
//!   writer: mark (word)      then  look at every row: nobody published? else wait
//! ```
//! All four are SeqCst, so one of the two looks comes after the other's mark and sees it. The same holds of the end, where
//! the reader withdraws and then looks for a writer to wake, and the writer names itself and then looks at the rows before
//! it parks. What is guarded is ordered by the same accesses: the word is changed by read-modify-writes alone, so a reader
//! that sees bias there also sees what the last writer released with it; and a writer that sees a slot empty sees its
//! readers done, as slots change by read-modify-writes too.
#![allow(unsafe_code)]

use super::list::{Holder, WaitList, grant_all, mode_of, pause, wait_granted};
use super::spin::SpinClass;
use crate::readers::ReaderRow;
use crate::sys::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::wait::{WaitType, WorkerId, current, park_uninterruptible, unpark};
use crate::worker::SCHEDULERS_MAX;
use crate::{clock, engines, panics, simcore, worker};
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};

/// Which form every `RwLock` of the process takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
pub enum RwLockForm {
    #[default]
    Atomic = 0,
    Classic = 1,
    Biased = 2,
}

static FORM: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

/// Chooses the form; at start, before any lock is held.
pub fn set_rwlock_form(form: RwLockForm) {
    FORM.store(form as u32, Ordering::Relaxed);
}

#[inline]
pub fn rwlock_form() -> RwLockForm {
    match FORM.load(Ordering::Relaxed) {
        0 => RwLockForm::Atomic,
        1 => RwLockForm::Classic,
        _ => RwLockForm::Biased,
    }
}

/// Under which name collisions at the list lock are shown: of each acquire and release in the classic form, of waits alone in the others.
static SOS_RW: SpinClass = SpinClass::new("SOS_RW");

const LIST: u64 = 1;
const WRITER: u64 = 2;
const READER: u64 = 1 << 2;
const READERS: u64 = 0xF_FFFF << 2;
const WAITER: u64 = 1 << 22;
const WAITERS: u64 = 0xF_FFFF << 22;
const WAITING_WRITER: u64 = 1 << 42;
const WAITING_WRITERS: u64 = 0xF_FFFF << 42;

const BIAS: u64 = 1 << 62;

const _: () = {
    let all = LIST | WRITER | READERS | WAITERS | WAITING_WRITERS | BIAS;
    assert!(all == u64::MAX >> 1 && LIST + WRITER + READERS + WAITERS + WAITING_WRITERS + BIAS == all);
    assert!(
        worker::WORKERS_MAX as u64 * WAITER <= WAITERS,
        "a worker waits in one place, so all of them can be counted"
    );
};

/// What holds of a word at any moment, whoever changes it.
fn is_legal(word: u64) -> bool {
    let waiting_writers = (word & WAITING_WRITERS) / WAITING_WRITER;
    word >> 63 == 0 && (word & WRITER == 0 || word & READERS == 0) && waiting_writers <= (word & WAITERS) / WAITER
}

/// One read in so many that is counted in the word looks at whether bias may come (back): the look costs a clock.
const BIAS_TURNS: u32 = if cfg!(shuttle) { 1 } else { 16 };
/// How many times its own duration a revocation keeps bias away, and for how long at most.
const INHIBITION: u64 = if cfg!(shuttle) { 0 } else { 9 };
const INHIBITED_US_MAX: u32 = 1_000_000;
/// A writer spins so often for published readers (about a microsecond) before it parks: they may be inside for a moment.
const REVOKE_SPINS: u32 = if cfg!(shuttle) { 0 } else { 32 };

/// Looks at a lock that others hold before waiting for it in the list (about a microsecond): on another CPU they are mostly done
/// sooner than this worker could be switched. Where somebody waits already there is nothing to look for.
const ACQUIRE_SPINS: u32 = if cfg!(shuttle) { 1 } else { 32 };

/// `wait_mode` of the waiters.
const READ: u32 = 0;
const WRITE: u32 = 1;

/// The lock without a value: 32 bytes, as SQL Server's of 2016. Free, without bias, when zero.
pub struct RawRwLock {
    word: AtomicU64,
    list: WaitList,
    /// What readers publish; 0 until bias is first set, then the same for ever.
    number: AtomicU32,
    /// The writer that waits for published readers (a `WorkerId`).
    revoker: AtomicU32,
    /// No bias before this microsecond of the clock, cut to 32 bits.
    inhibited_until_us: AtomicU32,
    wait: WaitType,
}

const _: () = assert!(cfg!(shuttle) || size_of::<RawRwLock>() == 32);

/// Where a reader is counted, to be given back with the lock: in the word, or in a slot of a row of the readers' table.
#[derive(Clone, Copy)]
pub struct ReadHold(u32);

impl ReadHold {
    const WORD: ReadHold = ReadHold(u32::MAX);

    #[inline]
    fn published(row: u32, slot: u32) -> ReadHold {
        const { assert!(SCHEDULERS_MAX <= 1 << 23 && ReaderRow::SLOTS <= 1 << 8, "both fit, and are never WORD") };
        ReadHold(row << 8 | slot)
    }

    #[inline]
    /// Whether the reader is in the table, and so wrote nothing of the lock.
    pub fn is_published(self) -> bool {
        self.row_and_slot().is_some()
    }

    #[inline]
    fn row_and_slot(self) -> Option<(u32, u32)> {
        (self.0 != ReadHold::WORD.0).then_some((self.0 >> 8, self.0 & 0xFF))
    }
}

#[inline(always)]
fn may_read(word: u64) -> bool {
    word & (WRITER | WAITING_WRITERS) == 0
}

#[inline(always)]
fn may_write(word: u64) -> bool {
    word & (WRITER | READERS | WAITERS) == 0
}

#[inline(always)]
fn may_publish(word: u64) -> bool {
    word & (BIAS | WRITER | WAITING_WRITERS) == BIAS
}

impl RawRwLock {
    pub const fn new(wait: WaitType) -> RawRwLock {
        RawRwLock {
            word: AtomicU64::new(0),
            list: WaitList::new(),
            number: AtomicU32::new(0),
            revoker: AtomicU32::new(0),
            inhibited_until_us: AtomicU32::new(0),
            wait,
        }
    }

    #[inline]
    pub fn try_acquire_shared(&self) -> Option<ReadHold> {
        if rwlock_form() != RwLockForm::Biased {
            return self.try_acquire(may_read, READER).then_some(ReadHold::WORD);
        }
        let published = self.publish();
        if published.is_some() {
            return published;
        }
        if !self.try_acquire(may_read, READER) {
            return None;
        }
        if self.word.load(Ordering::Relaxed) & BIAS == 0
            && worker::system().reader_row(worker::current_scheduler()).one_in(BIAS_TURNS)
        {
            self.bias();
        }
        Some(ReadHold::WORD)
    }

    #[inline]
    pub fn try_acquire_exclusive(&self) -> bool {
        self.try_acquire(may_write, WRITER) && self.revoke(Some(0))
    }

    /// `None` when `deadline` (of `clock::now`) passes first.
    #[inline]
    pub fn acquire_shared(&self, deadline: Option<u64>) -> Option<ReadHold> {
        self.try_acquire_shared()
            .or_else(|| self.acquire_slow(READ, may_read, READER, deadline).then_some(ReadHold::WORD))
    }

    #[inline]
    pub fn acquire_exclusive(&self, deadline: Option<u64>) -> bool {
        (self.try_acquire(may_write, WRITER) || self.acquire_slow(WRITE, may_write, WRITER, deadline))
            && self.revoke(deadline)
    }

    #[inline]
    pub fn release_shared(&self, hold: ReadHold) {
        match hold.row_and_slot() {
            None => self.release(READER, READERS),
            Some((row, slot)) => self.withdraw(row, slot),
        }
    }

    #[inline]
    pub fn release_exclusive(&self) {
        debug_assert!(self.revoker.load(Ordering::Relaxed) == 0, "a writer goes while it waits for readers");
        self.release(WRITER, WRITER);
    }

    /// Reads by way of the table, if the lock is biased and its word shows no writer.
    #[inline]
    fn publish(&self) -> Option<ReadHold> {
        // Acquire: with bias its number is seen. A hint otherwise: what counts is the second look.
        if !may_publish(self.word.load(Ordering::Acquire)) {
            return None;
        }
        let row = worker::current_scheduler();
        let slot = worker::system().reader_row(row).publish(self.number.load(Ordering::Relaxed))?;
        // SeqCst, after the SeqCst publication: see "Order". Acquires what the last writer released.
        if may_publish(self.word.load(Ordering::SeqCst)) {
            return Some(ReadHold::published(row, slot));
        }
        self.withdraw(row, slot);
        None
    }

    #[inline]
    fn withdraw(&self, row: u32, slot: u32) {
        worker::system().reader_row(row).withdraw(slot);
        // SeqCst, after the SeqCst withdrawal: a writer that parked for us had set its bit and its name before it looked.
        if self.word.load(Ordering::SeqCst) & WRITER != 0 {
            self.wake_revoker();
        }
    }

    #[cold]
    fn wake_revoker(&self) {
        let revoker = WorkerId::from_raw(self.revoker.load(Ordering::SeqCst));
        if revoker.is_some() {
            unpark(revoker);
        }
    }

    /// Lets readers publish from now on. The caller reads, counted in the word, so no writer holds the lock.
    #[cold]
    fn bias(&self) {
        let left = self.inhibited_until_us.load(Ordering::Relaxed).wrapping_sub(now_us());
        // More than the longest inhibition is left of one long ago.
        if left != 0 && left <= INHIBITED_US_MAX {
            return;
        }
        if self.number.load(Ordering::Relaxed) == 0 {
            let Some(number) = worker::number_a_lock() else { return };
            // The first number stays.
            let _ = self.number.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
        }
        // Release: whoever sees the bias sees the number.
        let before = self.word.fetch_or(BIAS, Ordering::Release);
        assert!(before & READERS != 0 && before & WRITER == 0, "bias comes with a reader that is counted: {before:x}");
    }

    /// Called by the writer that holds the lock: waits for published readers. At the deadline it gives the lock back: false.
    #[inline]
    fn revoke(&self, deadline: Option<u64>) -> bool {
        // Relaxed: nobody changes the bit while there is a writer.
        self.word.load(Ordering::Relaxed) & BIAS == 0 || self.revoke_bias(deadline)
    }

    #[cold]
    fn revoke_bias(&self, deadline: Option<u64>) -> bool {
        let number = self.number.load(Ordering::Relaxed);
        assert!(number != 0, "a lock is biased before it has a number");
        assert!(self.word.load(Ordering::Relaxed) & WRITER != 0, "bias is revoked by the writer that holds the lock");
        assert!(self.revoker.load(Ordering::Relaxed) == 0, "two writers revoke at once");
        let started = clock::now();
        // SeqCst, before the look at the rows: see `withdraw`. The writer bit was set by a SeqCst step, here or by whoever
        // granted it.
        self.revoker.store(current().raw(), Ordering::SeqCst);
        let (mut looks, mut turn) = (0, 0);
        let alone = loop {
            if !worker::system().has_reader(number) {
                break true;
            }
            if deadline.is_some_and(|deadline| deadline <= clock::now()) {
                break false;
            }
            if looks < REVOKE_SPINS {
                looks += 1;
                pause(&mut turn);
            } else {
                park_uninterruptible(self.wait, deadline);
            }
        };
        // Relaxed: a reader that still sees the name wakes its bearer for nothing.
        self.revoker.store(0, Ordering::Relaxed);
        if !alone {
            // Bias stays, for the readers that are inside.
            self.release_exclusive();
            return false;
        }
        // Relaxed: readers see the writer bit until the release, and bias gone after it.
        let before = self.word.fetch_and(!BIAS, Ordering::Relaxed);
        assert!(before & (BIAS | WRITER) == BIAS | WRITER, "bias went without its writer: {before:x}");
        let inhibited_us = ((clock::now() - started) * INHIBITION / 1_000).min(u64::from(INHIBITED_US_MAX));
        self.inhibited_until_us.store(now_us().wrapping_add(inhibited_us as u32), Ordering::Relaxed);
        true
    }

    #[inline(always)]
    fn try_acquire(&self, admits: fn(u64) -> bool, take: u64) -> bool {
        if rwlock_form() == RwLockForm::Classic {
            return self.try_acquire_classic(admits, take);
        }
        let mut word = self.word.load(Ordering::Relaxed);
        while admits(word) {
            assert!(word & READERS != READERS, "readers overflow");
            debug_assert!(is_legal(word + take), "{word:x} admits {take:x}");
            // Acquire pairs with the Release of `release`: see what the last holder wrote. SeqCst: a writer's mark, see "Order".
            match self.word.compare_exchange_weak(word, word + take, Ordering::SeqCst, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        false
    }

    #[inline(never)]
    fn try_acquire_classic(&self, admits: fn(u64) -> bool, take: u64) -> bool {
        let word = self.lock_list();
        assert!(is_legal(word), "a lock of {word:x}");
        let admitted = admits(word);
        self.unlock_list(if admitted { take } else { 0 }, 0);
        admitted
    }

    #[cold]
    fn acquire_slow(&self, mode: u32, admits: fn(u64) -> bool, take: u64, deadline: Option<u64>) -> bool {
        // Take the list lock and count ourselves as a waiter in one step, unless the lock has become free: a release
        // after this step sees a waiter, one before it left a word that admits us.
        assert!((mode == WRITE) == (take == WRITER), "who asks to write takes the writer's bit");
        let counted = if mode == WRITE { WAITER | WAITING_WRITER } else { WAITER };
        let mut spins = 0;
        let mut word = self.word.load(Ordering::Relaxed);
        for _ in 0..ACQUIRE_SPINS {
            if admits(word) || word & WAITERS != 0 || simcore::active() {
                break;
            }
            pause(&mut spins);
            word = self.word.load(Ordering::Relaxed);
        }
        loop {
            let next = match (admits(word), word & LIST != 0) {
                (true, _) if rwlock_form() != RwLockForm::Classic => word + take,
                (_, true) => {
                    pause(&mut spins);
                    word = self.word.load(Ordering::Relaxed);
                    continue;
                }
                (true, false) => word + take,
                (false, false) => {
                    assert!(word & WAITERS != WAITERS, "waiters overflow");
                    (word + counted) | LIST
                }
            };
            debug_assert!(is_legal(next), "{word:x} becomes {next:x}");
            // SeqCst as in `try_acquire`.
            match self.word.compare_exchange_weak(word, next, Ordering::SeqCst, Ordering::Relaxed) {
                Ok(_) if next & LIST != 0 && word & LIST == 0 => break,
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        self.list.push_self(mode);
        self.unlock_list(0, 0);
        wait_granted(self.wait, deadline, |me| {
            self.lock_list();
            let was_there = self.list.remove(me);
            let woken = if was_there {
                self.word.fetch_sub(counted, Ordering::Relaxed);
                // Readers that waited behind this writer only may be admitted now.
                self.grant_waiters()
            } else {
                WaitList::new()
            };
            self.unlock_list(0, 0);
            grant_all(woken);
            was_there
        })
    }

    #[inline(always)]
    fn release(&self, give: u64, held: u64) {
        if rwlock_form() == RwLockForm::Classic {
            return self.release_classic(give, held);
        }
        let before = self.word.fetch_sub(give, Ordering::Release);
        assert!(before & held != 0, "RwLock released but not held");
        debug_assert!(is_legal(before), "a lock of {before:x}");
        let after = before - give;
        if after & WAITERS != 0 && after & (READERS | WRITER) == 0 {
            self.release_slow();
        }
    }

    #[inline(never)]
    fn release_classic(&self, give: u64, held: u64) {
        let word = self.lock_list();
        assert!(word & held != 0, "RwLock released but not held");
        self.word.fetch_sub(give, Ordering::Release);
        let woken = self.grant_waiters();
        self.unlock_list(0, 0);
        grant_all(woken);
    }

    #[cold]
    fn release_slow(&self) {
        self.lock_list();
        let woken = self.grant_waiters();
        self.unlock_list(0, 0);
        grant_all(woken);
    }

    /// Hands the lock to the waiters at the head that it now admits. Under the list lock. Returns them, to be told.
    fn grant_waiters(&self) -> WaitList {
        self.assert_sound();
        let woken = WaitList::new();
        while let Some(id) = self.list.first() {
            let writer = mode_of(id) == WRITE;
            let (blocked, change) = if writer {
                (WRITER | READERS, WRITER.wrapping_sub(WAITER + WAITING_WRITER))
            } else {
                (WRITER, READER.wrapping_sub(WAITER))
            };
            // A reader may come and go meanwhile (no writer waits), so this is a compare-and-swap too. Acquire: the
            // granted one sees, through our mark, what the last holder wrote. SeqCst: a writer's mark, which it relies on.
            let mut word = self.word.load(Ordering::Acquire);
            let granted = loop {
                if word & blocked != 0 {
                    break false;
                }
                assert!(writer || word & READERS != READERS, "readers overflow");
                let next = word.wrapping_add(change);
                assert!(is_legal(next), "{word:x} is granted and becomes {next:x}");
                match self.word.compare_exchange_weak(word, next, Ordering::SeqCst, Ordering::Acquire) {
                    Ok(_) => break true,
                    Err(now) => word = now,
                }
            };
            if !granted {
                break;
            }
            self.list.pop();
            woken.push(id);
            if writer {
                break;
            }
        }
        self.assert_sound();
        woken
    }

    /// Under the list lock: waiters are counted if and only if there are some.
    fn assert_sound(&self) {
        let word = self.word.load(Ordering::Relaxed);
        assert!(is_legal(word), "a lock of {word:x}");
        assert!(word & LIST != 0, "list lock not held");
        assert!((word & WAITERS == 0) == self.list.first().is_none(), "the waiters of {word:x} are not in the list");
    }

    /// Takes the list-lock bit; returns the word without it.
    fn lock_list(&self) -> u64 {
        let (mut turn, mut spins) = (0, 0);
        loop {
            let before = self.word.fetch_or(LIST, Ordering::Acquire);
            if before & LIST == 0 {
                if spins > 0 {
                    SOS_RW.count_collision(spins);
                }
                return before;
            }
            spins += 1;
            while self.word.load(Ordering::Relaxed) & LIST != 0 {
                pause(&mut turn);
                spins += 1;
            }
        }
    }

    /// Frees the list-lock bit and adds and takes what changed under it, in one step.
    fn unlock_list(&self, add: u64, take: u64) {
        let change = add.wrapping_sub(take).wrapping_sub(LIST);
        let before = self.word.fetch_add(change, Ordering::Release);
        assert!(before & LIST != 0, "list lock not held");
        debug_assert!(is_legal(before.wrapping_add(change)), "{before:x} changes by {add:x} less {take:x}");
    }
}

fn now_us() -> u32 {
    (clock::now() / 1_000) as u32
}

pub struct RwLock<T> {
    raw: RawRwLock,
    value: UnsafeCell<T>,
}

// SAFETY: the lock gives the value to readers together or to one writer.
unsafe impl<T: Send + Sync> Sync for RwLock<T> {}
// SAFETY: as for any owned T.
unsafe impl<T: Send> Send for RwLock<T> {}

impl<T> RwLock<T> {
    pub const fn new(wait: WaitType, value: T) -> RwLock<T> {
        RwLock { raw: RawRwLock::new(wait), value: UnsafeCell::new(value) }
    }

    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn read(&self) -> ReadGuard<'_, T> {
        crate::plant!();
        engines::enter(self);
        let hold = self.raw.acquire_shared(None).expect("no deadline, no timeout");
        ReadGuard { lock: self, hold }
    }

    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn write(&self) -> WriteGuard<'_, T> {
        crate::plant!();
        engines::enter(self);
        let acquired = self.raw.acquire_exclusive(None);
        assert!(acquired, "no deadline, no timeout");
        WriteGuard { lock: self, holder: Holder::me() }
    }

    pub fn try_read(&self) -> Option<ReadGuard<'_, T>> {
        engines::enter(self);
        self.entered(self.raw.try_acquire_shared()).map(|hold| ReadGuard { lock: self, hold })
    }

    pub fn try_write(&self) -> Option<WriteGuard<'_, T>> {
        engines::enter(self);
        self.entered(self.raw.try_acquire_exclusive().then_some(()))
            .map(|()| WriteGuard { lock: self, holder: Holder::me() })
    }

    pub fn read_until(&self, deadline: u64) -> Option<ReadGuard<'_, T>> {
        engines::enter(self);
        self.entered(self.raw.acquire_shared(Some(deadline))).map(|hold| ReadGuard { lock: self, hold })
    }

    pub fn write_until(&self, deadline: u64) -> Option<WriteGuard<'_, T>> {
        engines::enter(self);
        self.entered(self.raw.acquire_exclusive(Some(deadline)).then_some(()))
            .map(|()| WriteGuard { lock: self, holder: Holder::me() })
    }

    /// Ends the critical section again if the lock was not taken.
    fn entered<H>(&self, hold: Option<H>) -> Option<H> {
        if hold.is_none() {
            engines::leave(self);
        }
        hold
    }

    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

pub struct ReadGuard<'a, T> {
    lock: &'a RwLock<T>,
    hold: ReadHold,
}

pub struct WriteGuard<'a, T> {
    lock: &'a RwLock<T>,
    holder: Holder,
}

impl<T> Drop for ReadGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.raw.release_shared(self.hold);
        engines::leave(self.lock);
    }
}

impl<T> Drop for WriteGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        panics::assert_whole("what a write lock guards");
        self.holder.assert_me();
        self.lock.raw.release_exclusive();
        engines::leave(self.lock);
    }
}

impl<T> Deref for ReadGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: while the guard lives no writer holds the lock.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> Deref for WriteGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the guard's worker is the only holder.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for WriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard's worker is the only holder, and `&mut self` the only way through the guard.
        unsafe { &mut *self.lock.value.get() }
    }
}
