//! Memory that queries are granted before they run, and the queue of those that wait for it: SQL Server's resource semaphore.
//!
//! A query that the optimizer expects to sort or hash much asks once, at its start. First come, first served; a query that fits behind
//! one that does not is not let by, or large ones would wait for ever. Nobody waits for himself: who holds a grant already (a function
//! within a query, a session with an open cursor) and whose transaction holds locks that others wait for is given the least it can run with,
//! at once, and spills. So every wait ends: with a grant that somebody gives back, or with the time that the caller gives it.
//!
//! A running query may grow while there is room and nobody waits, and has what it cannot do without as long as there is memory at all; where
//! that ends, the older queries come first. What it uses is told to the broker, so the buffer pool gives way to what is used, not to what is
//! promised.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use os::region::{Placed, Pool};
use os::shared_struct;
use os::sync::Mutex;
use os::wait::{self, WaitType, WakeReason};
use os::{clock, engines};

use crate::error::StorageResult;
use crate::region::broker::{Broker, Clerk};
use crate::region::memory::Memory;
use crate::region::wake::Waker;

/// Queries that hold or want more than they may without asking, at a time.
const SLOTS: usize = 16 << 10;

/// Of what all queries may have, one has at most so much where its workload group says nothing else, as in SQL Server.
pub const QUERY_PERCENT: u32 = 25;

/// How often somebody who waits looks whether he must not, and whether there is more memory than there was.
const LOOK_MS: u64 = 100;

/// A running query waits for older ones so long in all: they may wait for a lock of its transaction, or for a client.
const FORCED_WAIT_MS: u64 = 30_000;

const WAITING: u32 = 1;
const GRANTED: u32 = 2;

/// What a query asks for, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GrantRequest {
    pub session: u32,
    pub request: u32,
    /// It cannot begin with less.
    pub required: u64,
    /// What it would need to spill nothing.
    pub ideal: u64,
    /// MIN_GRANT_PERCENT and MAX_GRANT_PERCENT, of what a query may have.
    pub percent_min: Option<f64>,
    pub percent_max: Option<f64>,
    /// What a query may have: percent of what all may.
    pub query_percent: u32,
    /// As the optimizer guesses.
    pub cost: f64,
    pub timeout_ms: u64,
}

impl Default for GrantRequest {
    fn default() -> GrantRequest {
        GrantRequest {
            session: 0,
            request: 0,
            required: 0,
            ideal: 0,
            percent_min: None,
            percent_max: None,
            query_percent: QUERY_PERCENT,
            cost: 0.0,
            timeout_ms: 0,
        }
    }
}

/// Why there is no grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    TimedOut,
    /// An attention, or KILL.
    Interrupted,
    /// So many bytes are more than a query may ever have.
    TooMuch(u64),
    /// There are as many as there may be.
    OutOfSlots,
}

/// A grant as `sys.dm_exec_query_memory_grants` shows it. Times are of `clock::utc_ticks`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GrantEntry {
    pub session: u32,
    pub request: u32,
    pub engine: u32,
    pub scheduler: u32,
    pub asked_at: u64,
    /// 0: it waits.
    pub granted_at: u64,
    pub requested: u64,
    pub granted: u64,
    pub required: u64,
    pub ideal: u64,
    pub used: u64,
    pub used_max: u64,
    pub cost: f64,
    pub timeout_ms: u64,
    /// Among those that wait, from 0.
    pub place: u32,
    pub waited_ms: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GrantTotals {
    /// What there is for all queries.
    pub total: u64,
    /// As much as that may become.
    pub most: u64,
    pub granted: u64,
    pub used: u64,
    pub holders: u32,
    pub waiters: u32,
    pub timeouts: u64,
    pub forced: u64,
    /// Of one query.
    pub query_max: u64,
}

shared_struct! {
    #[derive(Default)]
    struct Slot {
        /// 0: free.
        state: AtomicU32,
        engine: AtomicU32,
        session: AtomicU32,
        request: AtomicU32,
        scheduler: AtomicU32,
        query_percent: AtomicU32,
        /// Its turn.
        ticket: AtomicU64,
        requested: AtomicU64,
        granted: AtomicU64,
        required: AtomicU64,
        ideal: AtomicU64,
        used: AtomicU64,
        used_max: AtomicU64,
        cost: AtomicU64,
        timeout_ms: AtomicU64,
        asked_at: AtomicU64,
        granted_at: AtomicU64,
        waker: Waker,
    }
}

shared_struct! {
    /// Under the queue's lock.
    #[derive(Default)]
    struct Queue {
        granted: u64,
        waiting: u32,
        next_ticket: u64,
    }
}

shared_struct! {
    #[derive(Default)]
    struct Counters {
        timeouts: AtomicU64,
        forced: AtomicU64,
    }
}

#[derive(Clone)]
pub struct Grants {
    inner: Arc<Inner>,
}

struct Inner {
    slots: Pool<Slot>,
    queue: Placed<Mutex<Queue>>,
    counters: Placed<Counters>,
    broker: Broker,
}

/// What a query was granted; gives it back when it is dropped.
pub struct Grant {
    grants: Grants,
    slot: u32,
    /// Milliseconds that it has waited for older ones while it ran.
    waited_ms: AtomicU64,
}

fn part_of(bytes: u64, percent: u32) -> u64 {
    (u128::from(bytes) * u128::from(percent) / 100) as u64
}

fn get(word: &AtomicU64) -> u64 {
    word.load(Ordering::Relaxed)
}

fn set(word: &AtomicU64, value: u64) {
    word.store(value, Ordering::Relaxed);
}

impl Grants {
    pub fn region_bytes() -> usize {
        Pool::<Slot>::region_bytes(SLOTS) + 3 * 4096
    }

    pub fn new(memory: &Memory) -> StorageResult<Grants> {
        let inner = Inner {
            slots: memory.pool("memory grants", SLOTS)?,
            queue: memory.place("memory grants", Mutex::new(WaitType::SOS_MUTEX, Queue::default()))?,
            counters: memory.place("counters of memory grants", Counters::default())?,
            broker: memory.broker().clone(),
        };
        Ok(Grants { inner: Arc::new(inner) })
    }

    /// What the instance may have.
    pub fn target(&self) -> u64 {
        self.inner.broker.target()
    }

    /// What one query may have, of whose workload group one has so much percent.
    pub fn query_max(&self, percent: u32) -> u64 {
        part_of(self.inner.broker.queries_bytes(), percent)
    }

    /// Waits until there is memory, or `deadline` passes. `must_pass`: whether the caller holds what others wait for.
    pub fn ask(&self, wanted: &GrantRequest, deadline: u64, must_pass: impl Fn() -> bool) -> Result<Grant, Refused> {
        let inner = &self.inner;
        let query_max = self.query_max(wanted.query_percent);
        let part = |percent: f64| (query_max as f64 * percent / 100.0) as u64;
        let least = wanted.required.max(wanted.percent_min.map_or(0, part));
        if least > part_of(inner.broker.queries_bytes_max(), wanted.query_percent) {
            return Err(Refused::TooMuch(least));
        }
        let least = least.min(query_max);
        let most = wanted.percent_max.map_or(query_max, part).clamp(least, query_max);
        let slot = inner.new_slot(wanted, least, wanted.ideal.clamp(least, most))?;
        let grant = Grant { grants: self.clone(), slot, waited_ms: AtomicU64::new(0) };
        let mut queue = inner.queue.lock();
        let at = &inner.slots[slot];
        let fits = queue.waiting == 0 && queue.granted + get(&at.requested) <= inner.broker.queries_bytes();
        if fits {
            inner.give(&mut queue, slot, get(&at.requested));
        } else if inner.holds(wanted.session, slot) {
            inner.force(&mut queue, slot);
        } else {
            queue.next_ticket += 1;
            set(&at.ticket, queue.next_ticket);
            queue.waiting += 1;
            at.state.store(WAITING, Ordering::Relaxed);
        }
        drop(queue);
        inner.wait(slot, deadline, must_pass).map(|()| grant)
    }

    /// For a query that had not asked, and wants more than it may have without. None: there is no room, or somebody waits. `forced`:
    /// nothing can be done without it, and only no memory at all is none.
    pub fn ask_late(&self, session: u32, query_percent: u32, bytes: u64, forced: bool) -> Option<Grant> {
        let inner = &self.inner;
        let slot = inner.new_slot(&GrantRequest { session, query_percent, ..GrantRequest::default() }, 0, 0).ok()?;
        let mut queue = inner.queue.lock();
        inner.give(&mut queue, slot, 0);
        drop(queue);
        let grant = Grant { grants: self.clone(), slot, waited_ms: AtomicU64::new(0) };
        (grant.grow(bytes) || forced && grant.force(bytes)).then_some(grant)
    }

    /// What a query may have beyond what it has, as things are now: nothing while somebody waits.
    pub fn room(&self) -> u64 {
        let queue = self.inner.queue.lock();
        if queue.waiting > 0 { 0 } else { self.inner.broker.queries_bytes().saturating_sub(queue.granted) }
    }

    /// A query waits for its grant.
    pub fn is_awaited(&self) -> bool {
        self.inner.queue.lock().waiting > 0
    }

    pub fn totals(&self) -> GrantTotals {
        let inner = &self.inner;
        let queue = inner.queue.lock();
        let holders = inner.taken().filter(|slot| slot.state.load(Ordering::Relaxed) == GRANTED).count();
        GrantTotals {
            total: inner.broker.queries_bytes(),
            most: inner.broker.queries_bytes_max(),
            granted: queue.granted,
            used: inner.broker.held(Clerk::Queries),
            holders: holders as u32,
            waiters: queue.waiting,
            timeouts: get(&inner.counters.timeouts),
            forced: get(&inner.counters.forced),
            query_max: self.query_max(QUERY_PERCENT),
        }
    }

    /// Of all engines, first those that have a grant, then those that wait, in their order.
    pub fn entries(&self) -> Vec<GrantEntry> {
        let inner = &self.inner;
        let now = clock::utc_ticks();
        // Nobody comes or goes meanwhile.
        let queue = inner.queue.lock();
        let mut slots: Vec<&Slot> = inner.taken().collect();
        slots.sort_by_key(|slot| {
            (slot.state.load(Ordering::Relaxed) == WAITING, get(&slot.ticket), get(&slot.asked_at))
        });
        let mut waiting = 0;
        let mut entries = Vec::with_capacity(slots.len());
        for slot in slots {
            let number = |word: &AtomicU32| word.load(Ordering::Relaxed);
            let waits = number(&slot.state) == WAITING;
            waiting += u32::from(waits);
            let until = if waits { now } else { get(&slot.granted_at) };
            entries.push(GrantEntry {
                session: number(&slot.session),
                request: number(&slot.request),
                engine: number(&slot.engine),
                scheduler: number(&slot.scheduler),
                asked_at: get(&slot.asked_at),
                granted_at: get(&slot.granted_at),
                requested: get(&slot.requested),
                granted: get(&slot.granted),
                required: get(&slot.required),
                ideal: get(&slot.ideal),
                used: get(&slot.used),
                used_max: get(&slot.used_max),
                cost: f64::from_bits(get(&slot.cost)),
                timeout_ms: get(&slot.timeout_ms),
                place: waiting.saturating_sub(1),
                waited_ms: until.saturating_sub(get(&slot.asked_at)) / TICKS_PER_MS,
            });
        }
        drop(queue);
        entries
    }

    /// What an engine that is no more was granted, or waited for, is others'.
    pub fn engine_has_ended(&self, engine: u32) {
        let inner = &self.inner;
        let mut queue = inner.queue.lock();
        for number in 0..inner.slots.used() {
            let slot = &inner.slots[number];
            let state = slot.state.load(Ordering::Relaxed);
            if state != 0 && slot.engine.load(Ordering::Relaxed) == engine {
                slot.waker.forget();
                inner.end(&mut queue, number);
            }
        }
        inner.serve(&mut queue);
    }
}

/// Of `clock::utc_ticks`, 100 ns each.
const TICKS_PER_MS: u64 = 10_000;

impl Inner {
    fn taken(&self) -> impl Iterator<Item = &Slot> {
        let all = (0..self.slots.used()).map(|number| &self.slots[number]);
        all.filter(|slot| slot.state.load(Ordering::Relaxed) != 0)
    }

    fn new_slot(&self, wanted: &GrantRequest, required: u64, requested: u64) -> Result<u32, Refused> {
        let number = self.slots.take_needed().map_err(|_| Refused::OutOfSlots)?;
        let slot = &self.slots[number];
        assert_eq!(slot.state.load(Ordering::Relaxed), 0, "a slot that somebody has is not taken");
        slot.engine.store(engines::number(), Ordering::Relaxed);
        slot.session.store(wanted.session, Ordering::Relaxed);
        slot.request.store(wanted.request, Ordering::Relaxed);
        slot.scheduler.store(os::sched::number_here(), Ordering::Relaxed);
        slot.query_percent.store(wanted.query_percent, Ordering::Relaxed);
        let words = [
            (&slot.ticket, 0),
            (&slot.requested, requested),
            (&slot.granted, 0),
            (&slot.required, required),
            (&slot.ideal, wanted.ideal),
            (&slot.used, 0),
            (&slot.used_max, 0),
            (&slot.cost, wanted.cost.to_bits()),
            (&slot.timeout_ms, wanted.timeout_ms),
            (&slot.asked_at, clock::utc_ticks()),
            (&slot.granted_at, 0),
        ];
        words.into_iter().for_each(|(word, value)| set(word, value));
        Ok(number)
    }

    /// Another of the session's queries has memory.
    fn holds(&self, session: u32, but: u32) -> bool {
        (0..self.slots.used()).filter(|number| *number != but).any(|number| {
            let slot = &self.slots[number];
            slot.state.load(Ordering::Relaxed) == GRANTED && slot.session.load(Ordering::Relaxed) == session
        })
    }

    /// All have more than their share, what is left is what one query may need, and another session's query is older.
    fn must_give_way(&self, number: u32, bytes: u64) -> bool {
        let total = self.broker.queries_bytes();
        if self.queue.lock().granted + bytes <= total || self.broker.could_hold(bytes + part_of(total, QUERY_PERCENT)) {
            return false;
        }
        let age = |number: u32| (get(&self.slots[number].granted_at), number);
        let session = self.slots[number].session.load(Ordering::Relaxed);
        (0..self.slots.used()).any(|other| {
            let slot = &self.slots[other];
            slot.state.load(Ordering::Relaxed) == GRANTED
                && slot.session.load(Ordering::Relaxed) != session
                && age(other) < age(number)
        })
    }

    fn give(&self, queue: &mut Queue, number: u32, bytes: u64) {
        let slot = &self.slots[number];
        if slot.state.load(Ordering::Relaxed) == WAITING {
            assert!(queue.waiting > 0, "who waits is counted");
            queue.waiting -= 1;
        }
        queue.granted += bytes;
        set(&slot.granted, bytes);
        set(&slot.granted_at, clock::utc_ticks());
        slot.state.store(GRANTED, Ordering::Release);
        slot.waker.notify();
    }

    /// The least it can run with, whether there is so much or not.
    fn force(&self, queue: &mut Queue, number: u32) {
        self.counters.forced.fetch_add(1, Ordering::Relaxed);
        self.give(queue, number, get(&self.slots[number].required));
    }

    /// The slot is nobody's.
    fn end(&self, queue: &mut Queue, number: u32) {
        let slot = &self.slots[number];
        match slot.state.load(Ordering::Relaxed) {
            WAITING => {
                assert!(queue.waiting > 0, "who waits is counted");
                queue.waiting -= 1;
            }
            _ => {
                let granted = get(&slot.granted);
                assert!(queue.granted >= granted, "{granted} bytes of {} are given back", queue.granted);
                queue.granted -= granted;
            }
        }
        self.broker.sub(Clerk::Queries, get(&slot.used) as usize);
        set(&slot.used, 0);
        slot.state.store(0, Ordering::Relaxed);
        self.slots.give(number);
    }

    /// Those at the head of the queue that fit have their turn.
    fn serve(&self, queue: &mut Queue) {
        while queue.waiting > 0 {
            let waits = |number: &u32| self.slots[*number].state.load(Ordering::Relaxed) == WAITING;
            let first = (0..self.slots.used()).filter(waits).min_by_key(|number| get(&self.slots[*number].ticket));
            let Some(first) = first else { return };
            let slot = &self.slots[first];
            // There may be less now than when it asked.
            let total = self.broker.queries_bytes();
            let query_max = part_of(total, slot.query_percent.load(Ordering::Relaxed));
            let bytes = get(&slot.requested).min(query_max.max(get(&slot.required)));
            if queue.granted > 0 && queue.granted + bytes > total {
                return;
            }
            self.give(queue, first, bytes);
        }
    }

    fn wait(&self, number: u32, deadline: u64, must_pass: impl Fn() -> bool) -> Result<(), Refused> {
        let slot = &self.slots[number];
        let is_granted = || slot.state.load(Ordering::Acquire) == GRANTED;
        let _whole = wait::Whole::begin(WaitType::RESOURCE_SEMAPHORE);
        loop {
            let ticket = slot.waker.ticket();
            if is_granted() {
                return Ok(());
            }
            let passes = must_pass();
            let reason = match passes {
                true => WakeReason::Timeout,
                false => slot.waker.wait(ticket, WaitType::RESOURCE_SEMAPHORE, deadline.min(clock::after_ms(LOOK_MS))),
            };
            if reason == WakeReason::Unparked {
                continue;
            }
            let mut queue = self.queue.lock();
            if is_granted() {
                return Ok(());
            }
            if reason == WakeReason::Interrupted {
                return Err(Refused::Interrupted);
            }
            if passes {
                self.force(&mut queue, number);
                self.serve(&mut queue);
                return Ok(());
            }
            if clock::now() >= deadline {
                // As in SQL Server: the least is better than an error.
                if queue.granted + get(&slot.required) <= self.broker.queries_bytes() {
                    self.force(&mut queue, number);
                    return Ok(());
                }
                self.counters.timeouts.fetch_add(1, Ordering::Relaxed);
                return Err(Refused::TimedOut);
            }
            self.serve(&mut queue);
        }
    }
}

impl Grant {
    fn slot(&self) -> &Slot {
        &self.grants.inner.slots[self.slot]
    }

    pub fn granted(&self) -> u64 {
        get(&self.slot().granted)
    }

    pub fn ideal(&self) -> u64 {
        get(&self.slot().ideal)
    }

    pub fn used_max(&self) -> u64 {
        get(&self.slot().used_max)
    }

    /// So much of it is used now.
    pub fn tell_used(&self, bytes: u64) {
        let (slot, broker) = (self.slot(), &self.grants.inner.broker);
        let before = get(&slot.used);
        match bytes.checked_sub(before) {
            Some(more) => broker.add(Clerk::Queries, more as usize),
            None => broker.sub(Clerk::Queries, (before - bytes) as usize),
        }
        set(&slot.used, bytes);
        if bytes > get(&slot.used_max) {
            set(&slot.used_max, bytes);
        }
    }

    /// More than was granted, while nobody waits for it. Up to what one query may have.
    pub fn grow(&self, bytes: u64) -> bool {
        let inner = &self.grants.inner;
        let mut queue = inner.queue.lock();
        let total = inner.broker.queries_bytes();
        let granted = self.granted() + bytes;
        let query_max = part_of(total, self.slot().query_percent.load(Ordering::Relaxed));
        let fits = queue.waiting == 0 && granted <= query_max && queue.granted + bytes <= total;
        if fits {
            queue.granted += bytes;
            set(&self.slot().granted, granted);
        }
        fits
    }

    /// More, whoever waits. False: there is no memory at all. Where that is near, those that began later wait for the others: all of them
    /// could not end.
    pub fn force(&self, bytes: u64) -> bool {
        let inner = &self.grants.inner;
        while get(&self.waited_ms) < FORCED_WAIT_MS && inner.must_give_way(self.slot, bytes) {
            let ticket = self.slot().waker.ticket();
            let deadline = clock::after_ms(LOOK_MS);
            if self.slot().waker.wait(ticket, WaitType::RESOURCE_SEMAPHORE, deadline) == WakeReason::Interrupted {
                break;
            }
            set(&self.waited_ms, get(&self.waited_ms) + LOOK_MS);
        }
        let fits = inner.broker.has_room(bytes);
        if fits {
            let mut queue = inner.queue.lock();
            queue.granted += bytes;
            set(&self.slot().granted, self.granted() + bytes);
        }
        fits
    }

    /// What is above this is others'.
    pub fn shrink(&self, bytes: u64) {
        let inner = &self.grants.inner;
        let granted = self.granted();
        if granted > bytes {
            assert!(get(&self.slot().used) <= bytes, "what is used is not given back");
            let mut queue = inner.queue.lock();
            queue.granted -= granted - bytes;
            set(&self.slot().granted, bytes);
            inner.serve(&mut queue);
        }
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        let inner = &self.grants.inner;
        let mut queue = inner.queue.lock();
        inner.end(&mut queue, self.slot);
        inner.serve(&mut queue);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use os::region::Visibility;

    const MB: u64 = 1 << 20;

    /// Queries have 32 MB, one of them 8.
    fn grants() -> Grants {
        let memory = Memory::reserve(Grants::region_bytes(), Visibility::ThisProcess).expect("memory");
        memory.broker().set_target(64 * MB);
        Grants::new(&memory).expect("room")
    }

    fn ask(grants: &Grants, session: u32, ideal: u64, timeout_ms: u64) -> Result<Grant, Refused> {
        let wanted = GrantRequest { session, required: MB, ideal, timeout_ms, ..GrantRequest::default() };
        grants.ask(&wanted, clock::after_ms(timeout_ms), || false)
    }

    #[test]
    fn a_query_has_a_quarter_at_most_and_gives_it_back() {
        let grants = grants();
        let one = ask(&grants, 51, 100 * MB, 0).unwrap();
        assert_eq!((one.granted(), one.ideal()), (8 * MB, 100 * MB));
        let two = ask(&grants, 52, 3 * MB, 0).unwrap();
        assert_eq!(two.granted(), 3 * MB);
        assert!(two.grow(5 * MB) && !two.grow(1));
        two.tell_used(6 * MB);
        assert_eq!((grants.totals().granted, grants.totals().used, grants.totals().holders), (16 * MB, 6 * MB, 2));
        two.tell_used(MB);
        two.shrink(MB);
        assert_eq!((two.granted(), two.used_max()), (MB, 6 * MB));
        drop((one, two));
        assert_eq!((grants.totals().granted, grants.totals().used, grants.totals().holders), (0, 0, 0));
        assert!(grants.entries().is_empty());
    }

    #[test]
    fn a_workload_group_bounds_a_query_otherwise() {
        let grants = grants();
        let ask = |query_percent, ideal| {
            let wanted = GrantRequest { session: 51, required: MB, ideal, query_percent, ..Default::default() };
            grants.ask(&wanted, 0, || false)
        };
        let large = ask(75, 100 * MB).unwrap();
        assert_eq!(large.granted(), 24 * MB);
        assert!(!large.grow(1));
        drop(large);
        let small = ask(5, 100 * MB).unwrap();
        assert_eq!(small.granted(), 32 * MB * 5 / 100);
        assert!(!small.grow(1));
        let most = 32 * MB * 2 / 100;
        assert!(matches!(ask(2, 100 * MB).map(drop), Err(Refused::TooMuch(bytes)) if bytes > most));
        assert!(grants.ask_late(52, 5, MB, false).is_some_and(|late| !late.grow(MB)));
    }

    #[test]
    fn percentages_bound_a_grant() {
        let grants = grants();
        let ask = |min, max, ideal| {
            let (percent_min, percent_max) = (min, max);
            let wanted =
                GrantRequest { session: 51, required: MB, ideal, percent_min, percent_max, ..Default::default() };
            grants.ask(&wanted, 0, || false).map(|grant| grant.granted())
        };
        assert_eq!(ask(Some(50.0), None, 2 * MB), Ok(4 * MB));
        assert_eq!(ask(None, Some(25.0), 100 * MB), Ok(2 * MB));
        assert_eq!(ask(None, Some(0.0), 100 * MB), Ok(MB), "what it cannot begin without");
        let huge = GrantRequest { required: 9 * MB, ..GrantRequest::default() };
        assert!(matches!(grants.ask(&huge, 0, || false), Err(Refused::TooMuch(bytes)) if bytes == 9 * MB));
    }

    /// Threads of the system's, as no scheduler runs here.
    #[test]
    #[allow(clippy::disallowed_methods, clippy::disallowed_types)]
    fn who_comes_later_waits_until_there_is_room_or_no_time_left() {
        let grants = grants();
        let mut held: Vec<Grant> = (51..55).map(|s| ask(&grants, s, 8 * MB, 0).unwrap()).collect();
        let begun = std::time::Instant::now();
        assert!(matches!(ask(&grants, 60, 8 * MB, 250), Err(Refused::TimedOut)));
        assert!(begun.elapsed().as_millis() >= 250);
        assert_eq!((grants.totals().waiters, grants.totals().timeouts), (0, 1));
        // Who has memory already, or holds up others, does not wait.
        assert_eq!(ask(&grants, 51, 8 * MB, 0).unwrap().granted(), MB);
        assert_eq!(
            grants
                .ask(&GrantRequest { required: MB, ideal: 8 * MB, ..Default::default() }, u64::MAX, || true)
                .unwrap()
                .granted(),
            MB
        );
        assert_eq!(grants.totals().forced, 2);
        std::thread::scope(|scope| {
            let first = scope.spawn(|| ask(&grants, 62, 8 * MB, 60_000).unwrap());
            while grants.totals().waiters == 0 {
                std::thread::yield_now();
            }
            // It would fit and does not pass: nor does one grow.
            let small = scope.spawn(|| ask(&grants, 63, MB, 60_000).unwrap());
            while grants.totals().waiters < 2 {
                std::thread::yield_now();
            }
            held[0].shrink(2 * MB);
            assert!(!held[0].grow(1));
            let waiting: Vec<_> = grants.entries().into_iter().filter(|entry| entry.granted_at == 0).collect();
            assert_eq!(
                waiting.iter().map(|entry| (entry.session, entry.place)).collect::<Vec<_>>(),
                [(62, 0), (63, 1)]
            );
            drop(held.pop());
            assert_eq!(first.join().unwrap().granted(), 8 * MB);
            assert_eq!(small.join().unwrap().granted(), MB);
        });
        drop(held);
        assert_eq!((grants.totals().granted, grants.totals().holders), (0, 0));
    }

    #[test]
    fn an_engine_that_dies_leaves_nothing() {
        let grants = grants();
        let grant = ask(&grants, 51, 8 * MB, 0).unwrap();
        grant.tell_used(5 * MB);
        std::mem::forget(grant);
        grants.engine_has_ended(engines::number());
        assert_eq!((grants.totals().granted, grants.totals().used), (0, 0));
    }
}
