//! The log: one stream of bytes for the whole instance, an LSN is an offset in it.
//!
//! ```text
//! block (starts at a multiple of 4 KB, written and hardened at once, never written again):
//!  0 magic "HLOG" u32   4 length u32 (records)   8 LSN of the block u64   16 LSN hardened before u64
//! 24 crc32 u32 of the header without it and the records   28 epoch u32 (one more at each start)
//! 32 records, each at a multiple of 8; zeros up to the next multiple of 4 KB
//! ```
//!
//! Appending: reserve with one compare-and-swap of `tail`, copy in parallel, publish the length word. Flushing (one at
//! a time): close the block by moving `tail` to the next block, wait for the records in it, write, harden, zero, release.
//! Who needs an LSN hardened either flushes or, if somebody does already, waits: a flush takes all commits there are. Its end
//! wakes those whose commits it took, and one of the others, which flushes for all of them.
//! A failed write or flush stops the log for good: the state of the file is unknown then (never retried).

pub mod backward;
pub mod record;
pub mod ring;
pub mod store;
pub mod structure;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

use os::engines;
use os::region::Placed;
use os::shared_struct;
use os::sync::{Event, EventCount, Mutex};
use os::wait::{self, WaitType};

use crate::error::{StorageError, StorageResult};
use crate::pages::page::{put_u32, put_u64, u32_at, u64_at};
use crate::region::broker::Clerk;
use crate::region::memory::Memory;
use record::{HEAD_BYTES, Head, Record};
use ring::Ring;
use store::LogStore;

pub const BLOCK_BYTES: u64 = 4096;
pub const BLOCK_HEAD: u64 = 32;
const MAGIC: u32 = u32::from_le_bytes(*b"HLOG");
/// Largest record: page images of one structure change.
pub const RECORD_BYTES_MAX: usize = 256 * 1024;
const _: () = assert!(BLOCK_BYTES.is_power_of_two() && BLOCK_HEAD < BLOCK_BYTES);
const _: () = assert!(
    BLOCK_HEAD.is_multiple_of(8) && HEAD_BYTES.is_multiple_of(8) && RECORD_BYTES_MAX.is_multiple_of(8),
    "records begin at multiples of 8"
);

shared_struct! {
    #[derive(Debug, Default)]
    pub struct LogCounters {
        pub flushes: AtomicU64,
        pub bytes_flushed: AtomicU64,
        /// How long the flushes took.
        pub flush_ns: AtomicU64,
        pub records: AtomicU64,
        /// Waits for an LSN to be hardened, and for room in the ring.
        pub waits: AtomicU64,
        pub buffer_waits: AtomicU64,
    }
}

shared_struct! {
    /// What the engines share besides the ring.
    struct State {
        /// LSN of the next record. Ordered by the ring's length words, so Relaxed would do; SeqCst costs nothing here.
        tail: AtomicU64,
        /// Everything before is on disk for sure, and is read there.
        hardened: AtomicU64,
        /// The ring may be written up to `released + ring bytes`.
        released: AtomicU64,
        /// Start of the open block. Locked by who flushes.
        block: Mutex<u64>,
        /// What was hardened or released has changed, or the log has stopped. The goal of who waits is an LSN.
        changed: EventCount,
        /// A delayed commit waits for the log writer. SeqCst on both sides: a commit that finds it set appended before the
        /// writer took it.
        delayed: AtomicBool,
        failed: AtomicBool,
        why: Mutex<Reason>,
        counters: LogCounters,
    }
}

/// Bytes kept of the reason why the log stopped.
const REASON_BYTES: usize = 252;

shared_struct! {
    /// Why the log stopped, as text. Empty: it runs.
    #[derive(Clone, Copy)]
    struct Reason {
        length: u32,
        text: [u8; REASON_BYTES],
    }
}

const _: () = assert!(size_of::<Reason>() == 256);
impl Reason {
    fn new(text: &str) -> Reason {
        let text = &text[..text.floor_char_boundary(REASON_BYTES)];
        let mut reason = Reason { length: text.len() as u32, text: [0; REASON_BYTES] };
        reason.text[..text.len()].copy_from_slice(text.as_bytes());
        reason
    }

    fn text(&self) -> String {
        debug_assert!(self.length as usize <= REASON_BYTES);
        String::from_utf8_lossy(&self.text[..self.length as usize]).into_owned()
    }
}

/// The goal of who waits for room in the ring: each flush makes some.
const ANY_FLUSH: u64 = 0;

pub struct Log {
    ring: Ring,
    state: Placed<State>,
    /// Rung at the first delayed commit after the log writer last looked.
    writer: Placed<Event>,
    /// Set when the log has stopped.
    ended: Placed<Event>,
    store: Box<dyn LogStore>,
    epoch: u32,
}

fn align(lsn: u64) -> u64 {
    lsn.next_multiple_of(BLOCK_BYTES)
}

impl Log {
    /// Continues at `start`, a multiple of the block size.
    pub fn new(
        memory: &Memory,
        store: Box<dyn LogStore>,
        ring_bytes: usize,
        start: u64,
        epoch: u32,
    ) -> StorageResult<Log> {
        assert_eq!(start % BLOCK_BYTES, 0, "a block starts at a multiple of its size");
        assert!(ring_bytes >= 4 * RECORD_BYTES_MAX, "ring too small for the largest records");
        assert!(epoch > 0, "the first life of an instance is 1");
        memory.broker().add(Clerk::Log, ring_bytes);
        store.continue_at(start);
        store.prepare(start + ring_bytes as u64)?;
        assert!(store.prepared() >= start + ring_bytes as u64, "what is in the ring has room in the files");
        let state = State {
            tail: AtomicU64::new(start + BLOCK_HEAD),
            hardened: AtomicU64::new(start),
            released: AtomicU64::new(start),
            block: Mutex::new(WaitType::LOGMGR_FLUSH, start),
            changed: EventCount::default(),
            delayed: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            why: Mutex::new(WaitType::LOGMGR_FLUSH, Reason::new("")),
            counters: LogCounters::default(),
        };
        Ok(Log {
            ring: Ring::carve(memory, ring_bytes)?,
            state: memory.place("log", state)?,
            writer: memory.place("log writer", Event::auto_reset(WaitType::LOGMGR_QUEUE))?,
            ended: memory.place("log end", Event::manual_reset(WaitType::LOGMGR_QUEUE))?,
            store,
            epoch,
        })
    }

    pub fn counters(&self) -> &LogCounters {
        &self.state.counters
    }

    pub fn tail(&self) -> u64 {
        self.state.tail.load(Ordering::SeqCst)
    }

    pub fn hardened(&self) -> u64 {
        self.state.hardened.load(Ordering::Acquire)
    }

    /// What lies before has been written to the store.
    fn released(&self) -> u64 {
        self.state.released.load(Ordering::Acquire)
    }

    pub fn store(&self) -> &dyn LogStore {
        &*self.store
    }

    /// Called before the latches of a change are taken: room in the ring, so that a latch is rarely held over a flush.
    #[inline]
    pub fn admit(&self) -> StorageResult<()> {
        if self.state.failed.load(Ordering::Relaxed) {
            return Err(self.stopped());
        }
        // In this order: the tail read second is never behind what was released.
        let released = self.state.released.load(Ordering::Acquire);
        let tail = self.state.tail.load(Ordering::Relaxed);
        debug_assert!(tail >= released, "what was released had been appended: {released} of {tail}");
        if tail.saturating_sub(released) > self.ring.bytes() / 2 {
            self.flush_some(ANY_FLUSH, WaitType::LOGBUFFER)?;
        }
        Ok(())
    }

    #[cold]
    fn stopped(&self) -> StorageError {
        StorageError::Stopped(self.state.why.lock().text())
    }

    #[inline]
    pub fn is_stopped(&self) -> Option<StorageError> {
        self.state.failed.load(Ordering::Acquire).then(|| self.stopped())
    }

    pub fn stop(&self, why: StorageError) {
        let mut held = self.state.why.lock();
        if held.length == 0 {
            *held = Reason::new(&why.to_string());
        }
        debug_assert!(held.length > 0, "there is a reason");
        self.state.failed.store(true, Ordering::Release);
        drop(held);
        self.state.changed.notify();
        self.ended.set();
    }

    /// An engine has died outside of critical sections: it may have been woken to flush for all who wait, or had flushed and not said
    /// so yet. They look again.
    pub fn look_again(&self) {
        self.state.changed.notify();
    }

    /// Returns when the log has stopped, or at the deadline.
    pub fn wait_for_end(&self, deadline: u64) {
        self.ended.wait(Some(deadline));
    }

    /// The record's LSN and its end. The body comes in parts, so that a row is copied once.
    #[inline]
    pub fn append(&self, head: Head, body: &[&[u8]]) -> StorageResult<(u64, u64)> {
        let body_bytes = body.iter().map(|part| part.len()).sum::<usize>();
        let length = (HEAD_BYTES + body_bytes).next_multiple_of(8);
        assert!(length <= RECORD_BYTES_MAX, "a record of {length} bytes");
        // What is reserved must be published, or no flush ends.
        let section = engines::section(&*self.state);
        let lsn = self.reserve(length as u64)?;
        assert!(head.previous < lsn, "what came before lies before: {} of a record at {lsn}", head.previous);
        let encoded = head.encode(0, (length - HEAD_BYTES - body_bytes) as u8);
        self.ring.write(lsn + 4, &encoded[4..]);
        let mut at = lsn + HEAD_BYTES as u64;
        for part in body {
            self.ring.write(at, part);
            at += part.len() as u64;
        }
        debug_assert_eq!(at, lsn + (HEAD_BYTES + body_bytes) as u64, "the body fills what was reserved");
        self.ring.publish(lsn, length as u32);
        debug_assert!(lsn + length as u64 <= self.tail(), "what is published was reserved");
        section.end();
        Ok((lsn, lsn + length as u64))
    }

    #[inline]
    fn reserve(&self, length: u64) -> StorageResult<u64> {
        debug_assert!(length.is_multiple_of(8) && length >= HEAD_BYTES as u64, "a record of {length} bytes");
        let mut tail = self.state.tail.load(Ordering::Relaxed);
        loop {
            // Two block heads: this block's padding and the next head may come between.
            if tail + length + 2 * BLOCK_BYTES > self.state.released.load(Ordering::Acquire) + self.ring.bytes()
                || os::sim_choice!("log.full", 64)
            {
                self.state.counters.buffer_waits.fetch_add(1, Ordering::Relaxed);
                self.flush_some(ANY_FLUSH, WaitType::LOGBUFFER)?;
                tail = self.state.tail.load(Ordering::Relaxed);
                continue;
            }
            match self.state.tail.compare_exchange_weak(tail, tail + length, Ordering::SeqCst, Ordering::Relaxed) {
                Ok(_) => return Ok(tail),
                Err(now) => tail = now,
            }
        }
    }

    /// Flushes, or waits until somebody has flushed up to `lsn`, or the caller is to do it.
    fn flush_some(&self, lsn: u64, wait: WaitType) -> StorageResult<()> {
        let ticket = self.state.changed.ticket();
        if let Some(error) = self.is_stopped() {
            return Err(error);
        }
        match self.state.block.try_lock() {
            Some(mut block) => {
                let flushed = self.flush(&mut block);
                debug_assert!(
                    flushed.is_err() || *block == self.hardened(),
                    "the open block begins where the log is hardened to"
                );
                drop(block);
                // Once the lock is free: who found it taken with an older ticket comes again.
                self.state.changed.notify_up_to(self.hardened());
                flushed
            }
            None => {
                self.state.changed.wait(ticket, lsn, wait);
                Ok(())
            }
        }
    }

    /// Returns when everything before `lsn` is on disk.
    pub fn harden(&self, lsn: u64) -> StorageResult<()> {
        if self.hardened() >= lsn {
            return Ok(());
        }
        self.state.counters.waits.fetch_add(1, Ordering::Relaxed);
        while self.hardened() < lsn {
            assert!(lsn <= self.tail(), "an LSN nobody has reserved");
            self.flush_some(lsn, WaitType::WRITELOG)?;
        }
        Ok(())
    }

    pub fn harden_all(&self) -> StorageResult<()> {
        // The open block's head is reserved already; a flush takes the block whole, so any LSN within it will do.
        self.harden(self.tail() - BLOCK_HEAD)
    }

    /// A commit that does not wait has been appended: the log writer hardens it soon.
    #[inline]
    pub fn delay(&self) {
        if !self.state.delayed.load(Ordering::SeqCst) && !self.state.delayed.swap(true, Ordering::SeqCst) {
            self.writer.set();
        }
    }

    /// What the log writer waits for.
    pub fn writer_bell(&self) -> &Placed<Event> {
        &self.writer
    }

    /// Hardens the commits that were delayed so far.
    pub fn harden_delayed(&self) -> StorageResult<()> {
        if self.state.delayed.swap(false, Ordering::SeqCst) { self.harden_all() } else { Ok(()) }
    }

    fn flush(&self, block: &mut u64) -> StorageResult<()> {
        let start = *block;
        if let Some(error) = self.is_stopped() {
            // Whoever failed had the lock until now.
            return Err(error);
        }
        assert!(start.is_multiple_of(BLOCK_BYTES), "a block starts at a multiple of its size");
        assert_eq!((self.hardened(), self.released()), (start, start), "what lies before the open block is on disk");
        let mut end = self.tail();
        assert!(end >= start + BLOCK_HEAD && end.is_multiple_of(8), "the open block from {start} to {end}");
        if end == start + BLOCK_HEAD {
            return Ok(());
        }
        let result = self.close_and_write(start, &mut end);
        match result {
            Ok(next) => {
                *block = next;
                Ok(())
            }
            Err(error) => {
                self.stop(error.clone());
                Err(self.stopped())
            }
        }
    }

    fn close_and_write(&self, start: u64, end: &mut u64) -> StorageResult<u64> {
        let next = loop {
            let next = align(*end);
            match self.state.tail.compare_exchange(*end, next + BLOCK_HEAD, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => break next,
                Err(now) => *end = now,
            }
        };
        let mut at = start + BLOCK_HEAD;
        assert!(
            *end <= next && next - start <= self.ring.bytes(),
            "a block from {start} to {next} is more than the ring has"
        );
        let mut spins = 0;
        while at < *end {
            match self.ring.published(at) {
                0 => {
                    spins += 1;
                    if spins % 64 == 0 { wait::yield_now() } else { std::hint::spin_loop() }
                }
                length => at += length as u64,
            }
        }
        assert_eq!(at, *end, "records fill the block");
        let mut head = [0; BLOCK_HEAD as usize];
        put_u32(&mut head, 0, MAGIC);
        put_u32(&mut head, 4, (*end - start - BLOCK_HEAD) as u32);
        put_u64(&mut head, 8, start);
        put_u64(&mut head, 16, self.hardened());
        put_u32(&mut head, 28, self.epoch);
        let length = (*end - start) as usize;
        let records = self.ring.parts(start + BLOCK_HEAD, length - BLOCK_HEAD as usize);
        let crc = block_crc(&head, &[records.0, records.1]);
        put_u32(&mut head, 24, crc);
        self.ring.write(start, &head);
        os::sim_point!("log.flush");
        let whole = self.ring.parts(start, (next - start) as usize);
        debug_assert_eq!(whole.0.len() + whole.1.len(), (next - start) as usize);
        debug_assert!(self.hardened() <= start && next <= self.tail(), "hardened <= written <= appended");
        let begun = os::clock::now();
        self.store.write(start, whole.0)?;
        self.store.write(start + whole.0.len() as u64, whole.1)?;
        self.store.harden()?;
        self.state.counters.flush_ns.fetch_add(os::clock::now().saturating_sub(begun), Ordering::Relaxed);
        // Before the ring's part is zeroed: who copies a record looks at this afterwards. The fence keeps the zeros behind it.
        self.state.hardened.store(next, Ordering::Release);
        fence(Ordering::Release);
        self.ring.zero(start, (next - start) as usize);
        os::sim_point!("log.zeroed");
        self.state.released.store(next, Ordering::Release);
        debug_assert!(
            self.released() <= self.hardened() && self.hardened() <= self.tail(),
            "released <= hardened <= appended"
        );
        self.state.counters.flushes.fetch_add(1, Ordering::Relaxed);
        self.state.counters.bytes_flushed.fetch_add(next - start, Ordering::Relaxed);
        // The next flush may need this much; a full disk shows at the next `admit`, not here.
        match self.store.prepare(next + 2 * self.ring.bytes()) {
            Ok(()) | Err(StorageError::LogFull(_)) => Ok(next),
            Err(error) => Err(error),
        }
    }

    pub fn ring_bytes(&self) -> u64 {
        self.ring.bytes()
    }

    /// Room in the files up to `lsn`, or `LogFull`.
    pub fn prepare(&self, lsn: u64) -> StorageResult<()> {
        let prepared = self.store.prepare(lsn);
        if let Err(error @ StorageError::Io(_)) = &prepared {
            self.stop(error.clone());
        }
        prepared
    }

    /// Copies the record at `lsn`, which has been appended, into `out`: from the ring, unless a flush has it in the store meanwhile.
    pub fn read(&self, lsn: u64, out: &mut Vec<u8>) -> StorageResult<()> {
        let in_ring = || lsn >= self.hardened();
        while in_ring() {
            // Acquire: a length that is of a later record in the same place comes with what was hardened before that was written.
            let length = self.ring.published(lsn) as usize;
            os::sim_point!("log.read");
            debug_assert!(length <= RECORD_BYTES_MAX, "a record of {length} bytes");
            if length == 0 || !in_ring() {
                wait::yield_now();
                continue;
            }
            out.resize(length, 0);
            self.ring.copy_unstable(lsn, out);
            // What was copied before it was zeroed: see `close_and_write`.
            fence(Ordering::Acquire);
            if in_ring() {
                out[..4].copy_from_slice(&(length as u32).to_le_bytes());
                return Ok(());
            }
        }
        out.resize(4, 0);
        self.store.read(lsn, out)?;
        out.resize(check_length(lsn, u32_at(out, 0))?, 0);
        self.store.read(lsn, out)
    }
}

fn check_length(lsn: u64, length: u32) -> StorageResult<usize> {
    let length = length as usize;
    if !(HEAD_BYTES..=RECORD_BYTES_MAX).contains(&length) {
        return Err(StorageError::Damaged(format!("log record at {lsn}")));
    }
    Ok(length)
}

fn block_crc(head: &[u8], records: &[&[u8]]) -> u32 {
    debug_assert_eq!(head.len() as u64, BLOCK_HEAD);
    let mut crc = crc32fast::Hasher::new();
    crc.update(&head[..24]);
    crc.update(&head[28..32]);
    for part in records {
        crc.update(part);
    }
    crc.finalize()
}

/// What `replay` found.
pub struct Replayed {
    /// Where the log ends.
    pub end: u64,
    /// Of the last block.
    pub epoch: u32,
    /// The log before had been hardened when the last block was written.
    pub hardened: u64,
}

/// Calls `visit` for each record from the block at `start` on.
/// `Damaged` if a block is bad that had been hardened when a later one was written.
pub fn replay(
    store: &dyn LogStore,
    start: u64,
    limit: u64,
    visit: &mut dyn FnMut(Record<'_>) -> StorageResult<()>,
) -> StorageResult<Replayed> {
    assert!(start.is_multiple_of(BLOCK_BYTES), "a block starts at a multiple of its size: {start}");
    let mut at = start;
    let mut epoch = 0;
    let mut hardened = start;
    let mut bytes = Vec::new();
    while let Some(head) = read_block(store, at, limit, epoch, &mut bytes)? {
        (epoch, hardened) = (head.epoch, head.hardened);
        debug_assert!(hardened <= at, "a block says of those before it that they are hardened");
        records(at, &bytes, visit)?;
        at = align(at + bytes.len() as u64);
        debug_assert!(at.is_multiple_of(BLOCK_BYTES));
    }
    refuse_if_hardened(store, at, limit, epoch)?;
    Ok(Replayed { end: at, epoch, hardened })
}

/// Calls `visit` for each record of the block at `at`.
pub fn records(at: u64, block: &[u8], visit: &mut dyn FnMut(Record<'_>) -> StorageResult<()>) -> StorageResult<()> {
    let mut offset = BLOCK_HEAD as usize;
    while offset < block.len() {
        let length = u32_at(block, offset) as usize;
        let record = block
            .get(offset..offset + length)
            .and_then(|record| Record::decode(at + offset as u64, record))
            .ok_or_else(|| StorageError::Damaged(format!("log record at {}", at + offset as u64)))?;
        visit(record)?;
        offset += length;
    }
    Ok(())
}

/// Calls `visit` with each whole block from `start` to `end`, which is hardened and stays: its LSN, and its bytes as far as there are
/// records. Who changes them says so in the checksum (`seal_block`).
pub fn blocks(
    store: &dyn LogStore,
    start: u64,
    end: u64,
    visit: &mut dyn FnMut(u64, &mut [u8]) -> StorageResult<()>,
) -> StorageResult<()> {
    assert!(start.is_multiple_of(BLOCK_BYTES) && end.is_multiple_of(BLOCK_BYTES), "blocks from {start} to {end}");
    let (mut at, mut epoch, mut bytes) = (start, 0, Vec::new());
    while at < end {
        let head = read_block(store, at, end, epoch, &mut bytes)?;
        epoch = head.ok_or_else(|| StorageError::Damaged(format!("the log at LSN {at}")))?.epoch;
        let length = bytes.len() as u64;
        visit(at, &mut bytes)?;
        at = align(at + length);
    }
    Ok(())
}

/// The records of a block have changed: its checksum is made anew.
pub fn seal_block(block: &mut [u8]) {
    let (head, records) = block.split_at_mut(BLOCK_HEAD as usize);
    let crc = block_crc(head, &[records]);
    put_u32(head, 24, crc);
}

/// A block is only its first records, which are all that `block` has of it.
pub fn shorten_block(block: &mut [u8]) {
    assert!(block.len() as u64 > BLOCK_HEAD, "a block has a record");
    put_u32(block, 4, (block.len() as u64 - BLOCK_HEAD) as u32);
    seal_block(block);
}

struct BlockHead {
    epoch: u32,
    hardened: u64,
}

/// The block at `lsn` whole in `bytes`, if it is good.
fn read_block(
    store: &dyn LogStore,
    lsn: u64,
    limit: u64,
    epoch: u32,
    bytes: &mut Vec<u8>,
) -> StorageResult<Option<BlockHead>> {
    debug_assert!(lsn.is_multiple_of(BLOCK_BYTES), "a block starts at a multiple of its size: {lsn}");
    if lsn + BLOCK_BYTES > limit {
        return Ok(None);
    }
    bytes.resize(BLOCK_HEAD as usize, 0);
    store.read(lsn, bytes)?;
    let length = u32_at(bytes, 4) as u64;
    let found = u32_at(bytes, 28);
    if u32_at(bytes, 0) != MAGIC || u64_at(bytes, 8) != lsn || found < epoch || lsn + BLOCK_HEAD + length > limit {
        return Ok(None);
    }
    bytes.resize((BLOCK_HEAD + length) as usize, 0);
    store.read(lsn, bytes)?;
    if block_crc(&bytes[..BLOCK_HEAD as usize], &[&bytes[BLOCK_HEAD as usize..]]) != u32_at(bytes, 24) {
        return Ok(None);
    }
    Ok(Some(BlockHead { epoch: found, hardened: u64_at(bytes, 16) }))
}

/// A good block further on that was written when `end` had long been hardened proves that `end` is damage and not the end.
fn refuse_if_hardened(store: &dyn LogStore, end: u64, limit: u64, epoch: u32) -> StorageResult<()> {
    debug_assert!(end.is_multiple_of(BLOCK_BYTES));
    let mut at = end + BLOCK_BYTES;
    let mut bytes = Vec::new();
    while at + BLOCK_BYTES <= limit {
        if let Some(head) = read_block(store, at, limit, epoch, &mut bytes)?
            && head.hardened > end
        {
            return Err(StorageError::Damaged(format!(
                "the log is damaged at LSN {end}, before LSN {} which had been hardened; restore from a backup",
                head.hardened
            )));
        }
        at += BLOCK_BYTES;
    }
    Ok(())
}
