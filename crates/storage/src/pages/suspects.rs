//! Pages that were found damaged when they were read, until somebody has taken note of them.

use std::sync::atomic::{AtomicBool, Ordering};

use os::sync::Mutex;
use os::wait::WaitType;

use crate::layout::PageRef;

/// More are not kept: msdb's table has no more rows.
const MOST: usize = 1_000;

/// How a page was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuspectKind {
    /// Whole, but not the page that should lie there, or not what a page is.
    Wrong,
    /// Another checksum.
    Checksum,
}

/// Of one engine.
pub struct Suspects {
    any: AtomicBool,
    found: Mutex<Vec<(PageRef, SuspectKind)>>,
}

impl Default for Suspects {
    fn default() -> Suspects {
        Suspects { any: AtomicBool::new(false), found: Mutex::new(WaitType::PAGELATCH_SH, Vec::new()) }
    }
}

impl Suspects {
    pub fn add(&self, page: PageRef, kind: SuspectKind) {
        let mut found = self.found.lock();
        if found.len() < MOST {
            found.push((page, kind));
        }
        self.any.store(true, Ordering::Release);
    }

    /// It was torn, and follows from the log.
    pub fn forget(&self, page: PageRef) {
        self.found.lock().retain(|(of, _)| *of != page);
    }

    /// Those since the last call, each as often as it was met.
    pub fn take(&self) -> Vec<(PageRef, SuspectKind)> {
        if !self.any.swap(false, Ordering::AcqRel) { Vec::new() } else { std::mem::take(&mut *self.found.lock()) }
    }
}
