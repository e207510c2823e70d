//! How much room the log has, as all engines see it, and who waits for more.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use os::shared_struct;

shared_struct! {
    #[derive(Default)]
    pub struct Room {
        /// Changes that begin before this LSN have room.
        pub until: AtomicU64,
        /// The log's files could not grow; it is not tried again before this time.
        pub refused_until_ms: AtomicU64,
        /// Somebody writes checkpoints in the background, and hears who asks for one.
        pub is_served: AtomicBool,
        /// So many have asked for a checkpoint, and of so many one has ended that began later.
        pub asked: AtomicU64,
        pub answered: AtomicU64,
        /// Backups read the log from this LSN less one on; 0: none does.
        pub pinned: AtomicU64,
    }
}

impl Room {
    /// What asks for a checkpoint from now on is heard.
    pub fn serve(&self) {
        self.is_served.store(true, Ordering::SeqCst);
    }

    /// Whether somebody waits for a checkpoint.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst) > self.answered.load(Ordering::SeqCst)
    }

    /// A checkpoint begins; its end answers those who have asked by now.
    pub fn begin_answer(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }

    /// What it gave back is used at once.
    pub fn answer(&self, asked: u64) {
        self.refused_until_ms.store(0, Ordering::SeqCst);
        self.answered.fetch_max(asked, Ordering::SeqCst);
    }
}
