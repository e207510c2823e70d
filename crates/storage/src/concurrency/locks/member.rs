//! Running transactions as others see them: whom one waits for, whom a deadlock names, what keeps old versions and log.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};

use os::clock;
use os::region::Pool;
use os::shared_struct;
use os::sync::{SpinClass, SpinLock};

use super::Resource;
use super::mode::LockMode;
use crate::error::StorageResult;
use crate::region::memory::Memory;
use crate::region::wake::Waker;

/// A running transaction: its slot (lower half), and how often the slot had been given before. A transaction that is over
/// is nobody's number any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemberId(u64);

impl MemberId {
    #[inline]
    fn slot(self) -> u32 {
        self.0 as u32
    }

    pub fn raw(self) -> u64 {
        self.0
    }

    pub fn from_raw(raw: u64) -> MemberId {
        MemberId(raw)
    }

    /// The transaction's id as the DMVs show it: before the first change, which gives it one, a number that no id is and that no other
    /// running transaction has.
    pub fn told_id(self, id: u64) -> u64 {
        if id == 0 { UNCHANGED | self.0 } else { id }
    }
}

const UNCHANGED: u64 = 1 << 62;

/// In `Member::number`: the slot is free.
const FREE: u64 = 1 << 63;
const SLOT_BITS: u32 = 32;

/// Transactions at a time. Sessions are at most 32,767, and each has one at a time.
const MEMBERS_MAX: usize = 128 * 1024;
const _: () = assert!((MEMBERS_MAX as u64) < 1 << SLOT_BITS);
const _: () = assert!(align_of::<Member>() == 128, "neighbours lie in different pairs of cache lines");

/// What a transaction waits for.
#[derive(Clone, Copy)]
pub enum Waiting {
    Nothing,
    Lock(Resource, LockMode),
    /// The end of a transaction, most often of one that has changed a row: which one, and what it is wanted for.
    End(MemberId, Option<(Resource, LockMode)>),
}

shared_struct! {
    /// `Waiting` as numbers: a kind, and what it needs.
    #[derive(Clone, Copy, Default)]
    struct WaitingFor {
        kind: u32,
        mode: u32,
        first: u64,
        second: u64,
        third: u64,
    }
}

shared_struct! {
    /// In cache lines of its own, pairs of which are fetched together.
    #[repr(align(128))]
    pub struct Member {
        number: AtomicU64,
        /// 0 before the first change.
        pub id: AtomicU64,
        /// Commit time it reads at; `u64::MAX`: it reads nothing old.
        pub snapshot: AtomicU64,
        /// Its first log record is at or after this; `u64::MAX`: none.
        pub first_lsn: AtomicU64,
        /// Of its newest record, 0: none.
        pub last_lsn: AtomicU64,
        /// End of its commit record once that is in the log, 0 before.
        pub committed: AtomicU64,
        pub log_bytes: AtomicU64,
        /// What it has done to memory-optimized tables: the newest block of its work list, 0: nothing.
        pub work: AtomicU64,
        /// So many entries of the list are in the counts of their tables.
        pub work_counted: AtomicU64,
        /// Commit time it reads memory-optimized tables at; 0: it has not used any. How many of their rows it has changed, and how
        /// many rows and ranges its commit looks at again.
        pub memory_time: AtomicU64,
        pub rows_written: AtomicU32,
        pub rows_read: AtomicU32,
        pub ranges_read: AtomicU32,
        /// Hundredths of a percent of a rollback that is under way, and one more; 0: none is.
        pub undone: AtomicU32,
        /// The engine it runs in.
        pub engine: AtomicU32,
        pub session: AtomicU32,
        pub priority: AtomicI32,
        /// Of `clock::now`. `NO_TRANSACTION`: of the version cleaner.
        pub begun_ns: AtomicU64,
        /// When the rollback began that `undone` is about.
        pub undo_begun_ms: AtomicU64,
        /// Locks it was granted.
        pub held: AtomicU32,
        /// Locks that those who had this slot asked for. Here, since one count for all would be in every CPU's way.
        requests: AtomicU64,
        pub wake: Waker,
        /// The transaction somebody cancelled: late news for the slot's former user do not concern the present one.
        cancelled: AtomicU64,
        /// Set under the lock of the shard in which it waits.
        pub granted: AtomicBool,
        /// How often those who had this slot began to wait, and which of those waits has to end for a deadlock: news that come too
        /// late are not of the next wait.
        waits: AtomicU64,
        victim_of_wait: AtomicU64,
        /// How often some of its changes were undone: who waits for one of them looks again.
        undone_parts: AtomicU32,
        waiting: SpinLock<WaitingFor>,
        /// First of those who wait for its end, by slot plus one.
        waiters: SpinLock<u32>,
        /// The next in the list of `waiters` it is in.
        next_waiter: AtomicU32,
    }
}

impl Member {
    pub fn count_request(&self) {
        // Only its own worker counts here.
        self.requests.store(self.requests.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    pub fn set_waiting(&self, waiting: Waiting) {
        let new = match waiting {
            Waiting::Nothing => WaitingFor::default(),
            Waiting::Lock(resource, mode) => {
                let (space, name) = resource.numbers();
                WaitingFor { kind: 1, mode: mode as u32, first: space, second: name, third: 0 }
            }
            Waiting::End(member, None) => WaitingFor { kind: 2, first: member.0, ..Default::default() },
            Waiting::End(member, Some((resource, mode))) => {
                let (space, name) = resource.numbers();
                WaitingFor { kind: 3, mode: mode as u32, first: member.0, second: space, third: name }
            }
        };
        let mut now = self.waiting.lock_as(&MEMBER);
        debug_assert!(now.kind == 0 || new.kind == 0, "a member waits for one thing at a time");
        if new.kind != 0 {
            self.waits.fetch_add(1, Ordering::SeqCst);
        }
        *now = new;
    }

    /// Which of its waits it is in.
    pub fn wait_number(&self) -> u64 {
        self.waits.load(Ordering::SeqCst)
    }

    /// Its wait, if it is still that one, ends with an error.
    pub fn make_victim(&self, wait_number: u64) {
        self.victim_of_wait.store(wait_number, Ordering::SeqCst);
        self.wake.notify();
    }

    pub fn is_victim(&self) -> bool {
        self.victim_of_wait.load(Ordering::SeqCst) == self.wait_number()
    }

    pub fn waiting(&self) -> Waiting {
        let waiting = *self.waiting.lock_as(&MEMBER);
        assert!(waiting.kind <= 3 && (waiting.mode as usize) < LockMode::ALL.len(), "a kind of wait: {}", waiting.kind);
        match waiting.kind {
            0 => Waiting::Nothing,
            1 => Waiting::Lock(
                Resource::from_numbers(waiting.first, waiting.second),
                LockMode::ALL[waiting.mode as usize],
            ),
            2 => Waiting::End(MemberId(waiting.first), None),
            _ => {
                let resource = Resource::from_numbers(waiting.second, waiting.third);
                Waiting::End(MemberId(waiting.first), Some((resource, LockMode::ALL[waiting.mode as usize])))
            }
        }
    }
}

static MEMBER: SpinClass = SpinClass::new("XDES");

/// No transaction began then.
pub const NO_TRANSACTION: u64 = 0;

pub struct Members {
    slots: Pool<Member>,
}

impl Members {
    pub fn region_bytes() -> usize {
        Pool::<Member>::region_bytes(MEMBERS_MAX)
    }

    pub fn new(memory: &Memory) -> StorageResult<Members> {
        Ok(Members { slots: memory.pool("transactions", MEMBERS_MAX)? })
    }

    pub fn enter(&self) -> MemberId {
        let at = self.slots.take_needed().expect("sessions are fewer than slots");
        // A slot that was taken and is nobody's would stay so.
        let _whole = os::panics::Undivided::begin("the beginning of a transaction");
        let slot = &self.slots[at];
        let times = (slot.number.load(Ordering::Relaxed) & !FREE) >> SLOT_BITS;
        let before = slot.number.load(Ordering::Relaxed);
        assert!(before == 0 || before & FREE != 0, "a slot that was taken is nobody's");
        debug_assert_eq!(*slot.waiters.lock_as(&MEMBER), 0, "nobody waits for the end of nobody");
        debug_assert!(matches!(slot.waiting(), Waiting::Nothing), "nobody waits");
        let number = (times + 1) << SLOT_BITS & !FREE | at as u64;
        assert!(number & FREE == 0 && number != before, "a number that nobody has or had");
        slot.id.store(0, Ordering::Relaxed);
        slot.snapshot.store(u64::MAX, Ordering::Relaxed);
        slot.first_lsn.store(u64::MAX, Ordering::Relaxed);
        for counter in [
            &slot.last_lsn,
            &slot.committed,
            &slot.log_bytes,
            &slot.work,
            &slot.work_counted,
            &slot.memory_time,
            &slot.cancelled,
        ] {
            counter.store(0, Ordering::Relaxed);
        }
        for counter in [&slot.session, &slot.held, &slot.rows_written, &slot.rows_read, &slot.ranges_read, &slot.undone]
        {
            counter.store(0, Ordering::Relaxed);
        }
        slot.engine.store(os::engines::number(), Ordering::Relaxed);
        slot.wake.forget();
        slot.priority.store(0, Ordering::Relaxed);
        slot.begun_ns.store(clock::now(), Ordering::Relaxed);
        // Release: whoever sees the number sees the fields.
        slot.number.store(number, Ordering::Release);
        MemberId(number)
    }

    /// The transaction is over: whoever waited for it goes on.
    pub fn leave(&self, member: MemberId) {
        let slot = &self[member];
        let mut waiters = slot.waiters.lock_as(&MEMBER);
        // Under this lock: whoever found it running is in the list, and nobody leaves the list meanwhile.
        let number = slot.number.fetch_or(FREE, Ordering::SeqCst);
        assert_eq!(number, member.0, "a transaction leaves once");
        assert_eq!(slot.held.load(Ordering::Relaxed), 0, "its locks have been released before");
        debug_assert!(matches!(slot.waiting(), Waiting::Nothing), "who leaves does not wait");
        self.wake_all(&mut waiters);
        drop(waiters);
        self.slots.give(member.slot());
    }

    /// Some of its changes are undone: whoever waits for its end may have waited for one of those.
    pub fn undone_in_part(&self, member: MemberId) {
        let slot = &self[member];
        let mut waiters = slot.waiters.lock_as(&MEMBER);
        slot.undone_parts.fetch_add(1, Ordering::SeqCst);
        self.wake_all(&mut waiters);
    }

    pub fn undone_parts(&self, member: MemberId) -> u32 {
        self[member].undone_parts.load(Ordering::SeqCst)
    }

    fn wake_all(&self, waiters: &mut u32) {
        while let Some(at) = waiters.checked_sub(1) {
            let woken = &self.slots[at];
            *waiters = woken.next_waiter.load(Ordering::Relaxed);
            woken.wake.notify();
        }
    }

    pub fn requests(&self) -> u64 {
        (0..self.slots.used()).map(|at| self.slots[at].requests.load(Ordering::Relaxed)).sum()
    }

    pub fn is_running(&self, member: MemberId) -> bool {
        self[member].number.load(Ordering::SeqCst) == member.0
    }

    /// Ends its waits, now and until `clear_cancel`.
    pub fn cancel(&self, member: MemberId) {
        let slot = &self[member];
        slot.cancelled.fetch_max(member.0, Ordering::SeqCst);
        slot.wake.notify();
    }

    pub fn clear_cancel(&self, member: MemberId) {
        self[member].cancelled.store(0, Ordering::SeqCst);
    }

    pub fn is_cancelled(&self, member: MemberId) -> bool {
        self[member].cancelled.load(Ordering::SeqCst) == member.0
    }

    /// Enters `member` in the list of those whom the end of `target` wakes; its `undone_parts` then. None: it is over already.
    pub fn wait_for(&self, target: MemberId, member: MemberId) -> Option<u32> {
        debug_assert!(target != member, "nobody waits for itself");
        debug_assert!(self.is_running(member), "who waits runs");
        let slot = &self[target];
        let mut waiters = slot.waiters.lock_as(&MEMBER);
        if !self.is_running(target) {
            return None;
        }
        self[member].next_waiter.store(*waiters, Ordering::Relaxed);
        *waiters = member.slot() + 1;
        Some(self.undone_parts(target))
    }

    /// Takes `member` out of that list again, if `target` has not woken it.
    pub fn stop_waiting_for(&self, target: MemberId, member: MemberId) {
        let mut waiters = self[target].waiters.lock_as(&MEMBER);
        let next = self[member].next_waiter.load(Ordering::Relaxed);
        let mut at = *waiters;
        if at == member.slot() + 1 {
            *waiters = next;
            return;
        }
        while at != 0 {
            let link = &self.slots[at - 1].next_waiter;
            debug_assert!(!std::ptr::eq(link, &self[member].next_waiter), "looked at before");
            at = link.load(Ordering::Relaxed);
            if at == member.slot() + 1 {
                link.store(next, Ordering::Relaxed);
                return;
            }
        }
    }

    /// Every running transaction. Those that begin or end meanwhile may be missed, or be over already.
    pub fn running(&self) -> impl Iterator<Item = (MemberId, &Member)> {
        (0..self.slots.used()).filter_map(|at| {
            let slot = &self.slots[at];
            let number = slot.number.load(Ordering::Acquire);
            (number != 0 && number & FREE == 0).then_some((MemberId(number), slot))
        })
    }
}

impl std::ops::Index<MemberId> for Members {
    type Output = Member;
    #[inline]
    fn index(&self, member: MemberId) -> &Member {
        &self.slots[member.slot()]
    }
}
