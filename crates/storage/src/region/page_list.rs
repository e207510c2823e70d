//! A set of pages that engines share, in no order.

use std::sync::atomic::{AtomicU64, Ordering};

use os::region::{Part, Placed};
use os::sync::{Mutex, MutexGuard};
use os::wait::WaitType;

use crate::error::StorageResult;
use crate::layout::PageRef;
use crate::region::memory::Memory;

pub struct PageList {
    length: Placed<Mutex<u32>>,
    pages: Part<AtomicU64>,
}

/// One word; not 0, since no file has the number 0.
pub fn number(page: PageRef) -> u64 {
    debug_assert!(page.file != 0, "no file has the number 0");
    (page.file as u64) << 32 | page.page as u64
}

pub fn page(number: u64) -> PageRef {
    debug_assert!(number >> 32 != 0, "a word that holds no page");
    PageRef { file: (number >> 32) as u32, page: number as u32 }
}

impl PageList {
    pub fn new(memory: &Memory, name: &'static str, pages_max: usize) -> StorageResult<PageList> {
        Ok(PageList {
            length: memory.place(name, Mutex::new(WaitType::SOS_MUTEX, 0))?,
            pages: memory.carve(name, pages_max)?,
        })
    }

    fn slots(&self, length: &MutexGuard<'_, u32>) -> &[AtomicU64] {
        debug_assert!(**length as usize <= self.pages.len());
        &self.pages[..**length as usize]
    }

    pub fn add(&self, new: impl IntoIterator<Item = PageRef>) {
        let mut length = self.length.lock();
        for page in new {
            assert!((*length as usize) < self.pages.len(), "more pages than the list was made for");
            self.pages[*length as usize].store(number(page), Ordering::Relaxed);
            *length += 1;
        }
    }

    /// One of them.
    pub fn first(&self) -> Option<PageRef> {
        let length = self.length.lock();
        self.slots(&length).first().map(|slot| page(slot.load(Ordering::Relaxed)))
    }

    pub fn all(&self) -> Vec<PageRef> {
        let length = self.length.lock();
        self.slots(&length).iter().map(|slot| page(slot.load(Ordering::Relaxed))).collect()
    }

    pub fn remove(&self, gone: PageRef) {
        let mut length = self.length.lock();
        let slots = self.slots(&length);
        let Some(at) = slots.iter().position(|slot| slot.load(Ordering::Relaxed) == number(gone)) else { return };
        let last = slots[slots.len() - 1].load(Ordering::Relaxed);
        debug_assert!(last != 0, "below the length every place holds a page");
        slots[at].store(last, Ordering::Relaxed);
        *length -= 1;
    }
}
