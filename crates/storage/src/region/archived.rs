//! How far the archive has the log, as all engines see it. One of them writes the archive (`archive::ship`); checkpoints of all give log
//! back, and keep what is not archived yet up to a limit.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use os::shared_struct;
use os::sync::Mutex;
use os::wait::WaitType;

/// Bytes kept of what the store said last.
const WHY_BYTES: usize = 508;

shared_struct! {
    /// What the store said, as text.
    #[derive(Clone, Copy)]
    struct Why {
        length: u32,
        text: [u8; WHY_BYTES],
    }
}

/// What the archive does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum ArchiveState {
    /// There is none.
    Off = 0,
    /// It has the log but for the last second.
    Ships = 1,
    /// The store does not take it; it is tried again.
    Fails = 2,
    /// Another server has taken the archive: it is not tried again.
    TakenOver = 3,
}

shared_struct! {
    pub struct Archived {
        state: AtomicU32,
        /// The log is kept for the archive.
        holds: AtomicBool,
        /// Up to this LSN it has the log.
        pub lsn: AtomicU64,
        /// What was committed by then it has (ticks, UTC).
        pub covered: AtomicU64,
        /// So much log is kept for it at most, in bytes.
        pub lag_max: AtomicU64,
        /// Since when the store has taken nothing (ticks, UTC); 0: it takes all.
        pub failing_since: AtomicU64,
        pub term: AtomicU64,
        pub segments: AtomicU64,
        /// As the store has them, deflated.
        pub bytes: AtomicU64,
        pub failures: AtomicU64,
        /// Times that log was given back which it had not got yet.
        pub gaps: AtomicU64,
        pub snapshots: AtomicU64,
        /// When the last snapshot ended (ticks, UTC), 0: there is none, and where its log begins and ends.
        pub snapshot_at: AtomicU64,
        pub snapshot_from: AtomicU64,
        /// Its pages have what lies before.
        pub snapshot_redo: AtomicU64,
        pub snapshot_end: AtomicU64,
        /// Behind this LSN must lie what the pages of a snapshot have: a file came to be there whose pages are not in the log, or the archived
        /// log begins anew.
        pub unlogged: AtomicU64,
        why: Mutex<Why>,
    }
}

impl Default for Archived {
    fn default() -> Archived {
        let zero = || AtomicU64::new(0);
        Archived {
            state: AtomicU32::new(ArchiveState::Off as u32),
            holds: AtomicBool::new(false),
            lsn: zero(),
            covered: zero(),
            lag_max: zero(),
            failing_since: zero(),
            term: zero(),
            segments: zero(),
            bytes: zero(),
            failures: zero(),
            gaps: zero(),
            snapshots: zero(),
            snapshot_at: zero(),
            snapshot_from: zero(),
            snapshot_redo: zero(),
            snapshot_end: zero(),
            unlogged: zero(),
            why: Mutex::new(WaitType::BACKUPIO, Why { length: 0, text: [0; WHY_BYTES] }),
        }
    }
}

impl Archived {
    pub fn state(&self) -> ArchiveState {
        use ArchiveState::*;
        let state = self.state.load(Ordering::SeqCst);
        [Ships, Fails, TakenOver].into_iter().find(|one| *one as u32 == state).unwrap_or(Off)
    }

    pub fn set_state(&self, state: ArchiveState) {
        self.state.store(state as u32, Ordering::SeqCst);
    }

    /// Why the store takes nothing; empty: it does.
    pub fn why(&self) -> String {
        let why = *self.why.lock();
        String::from_utf8_lossy(&why.text[..why.length as usize]).into_owned()
    }

    pub fn say(&self, text: &str) {
        let text = &text[..text.floor_char_boundary(WHY_BYTES)];
        let mut why = Why { length: text.len() as u32, text: [0; WHY_BYTES] };
        why.text[..text.len()].copy_from_slice(text.as_bytes());
        *self.why.lock() = why;
    }

    /// The newest snapshot: when it ended (ticks, UTC), what its pages have, and the log that it needs.
    pub fn note_snapshot(&self, ended: u64, redo: u64, (from, end): (u64, u64)) {
        self.snapshot_at.store(ended, Ordering::SeqCst);
        self.snapshot_redo.store(redo, Ordering::SeqCst);
        self.snapshot_from.store(from, Ordering::SeqCst);
        self.snapshot_end.store(end, Ordering::SeqCst);
    }

    /// Whether a snapshot is wanted, whatever the time: there is none, or it lacks what the archived log does not have either.
    pub fn wants_snapshot(&self) -> bool {
        self.snapshot_at.load(Ordering::SeqCst) == 0
            || self.snapshot_redo.load(Ordering::SeqCst) < self.unlogged.load(Ordering::SeqCst)
    }

    /// From `lsn` on the log is kept for the archive. Under the lock of checkpoints.
    pub fn hold_from(&self, lsn: u64) {
        self.lsn.store(lsn, Ordering::SeqCst);
        self.holds.store(true, Ordering::SeqCst);
    }

    /// No log is kept any more.
    pub fn let_go(&self) {
        self.holds.store(false, Ordering::SeqCst);
    }

    pub fn holds_log(&self) -> bool {
        self.holds.load(Ordering::SeqCst)
    }

    /// From where on the log is kept for the archive, if it is hardened up to `hardened`. None: none is, or it is further behind than it may be.
    pub fn kept_from(&self, hardened: u64) -> Option<u64> {
        if !self.holds_log() {
            return None;
        }
        let lsn = self.lsn.load(Ordering::SeqCst);
        (hardened.saturating_sub(lsn) <= self.lag_max.load(Ordering::SeqCst)).then_some(lsn)
    }
}
