//! Reading pages before they are asked for: what a scan that goes through a file page by page will want next, and what look-ups of known keys
//! will.

use std::sync::atomic::Ordering;

use os::wait::WaitType;

use super::{ABSENT, Buffer, FREE, LATCH, READING, is_whole};
use crate::pages::data_files::DataFile;
use crate::pages::files::read_or_zero;
use crate::pages::page::{PAGE_BYTES, PageBytes};

/// Pages of one read.
const AHEAD_PAGES: usize = 16;

/// Of all frames, the part in this many that one read may fill.
const AHEAD_PART: usize = 16;

/// A page's header and the first of its slots: all of those of a leaf with some 60 rows.
const NEAR_BYTES: usize = 512;
const CACHE_LINE_BYTES: usize = 64;

impl Buffer {
    /// Reads `page`, if it is absent, and those behind it that are absent too, as far as one read goes. A hint: what cannot be read is left
    /// to who asks for it. The caller holds no latch.
    #[inline]
    pub fn read_ahead(&self, file: &DataFile, page: u32) {
        let is_absent = |index: usize| self.state(index).load(Ordering::Relaxed) & LATCH == ABSENT;
        if page < file.pages() && self.index(file, page).is_ok_and(is_absent) {
            self.read_run(file, page);
        }
    }

    /// Has the system read the page, if it is absent, and waits for nothing. A hint: who asks for it finds it sooner.
    pub fn expect(&self, file: &DataFile, page: u32) {
        let is_absent = |index: usize| self.state(index).load(Ordering::Relaxed) & LATCH == ABSENT;
        if page < file.pages() && self.index(file, page).is_ok_and(is_absent) {
            file.file.expect_read(PAGE_BYTES, page as u64 * PAGE_BYTES as u64);
        }
    }

    /// Asks for what a search in the page looks at first to be in the cache of this CPU, and waits for nothing. A hint, for pages that are
    /// in memory: the misses of many overlap then.
    #[inline]
    pub fn bring_near(&self, file: &DataFile, page: u32) {
        let Ok(index) = self.index(file, page) else { return };
        os::region::expect(std::ptr::from_ref(self.state(index)).cast());
        let frame: *const u8 = self.frames.page(index).cast();
        for line in 0..NEAR_BYTES / CACHE_LINE_BYTES {
            os::region::expect(frame.wrapping_add(line * CACHE_LINE_BYTES));
        }
    }

    #[cold]
    fn read_run(&self, file: &DataFile, page: u32) {
        let Some(log) = self.log.get().filter(|log| log.is_stopped().is_none()) else { return };
        let wanted = AHEAD_PAGES.min((file.pages() - page) as usize).min(self.frames_max() / AHEAD_PART);
        let Ok(first) = self.index(file, page) else { return };
        if wanted < 2 || self.make_room_for(wanted).is_err() {
            return;
        }
        let count = (first..first + wanted).take_while(|index| self.begin_reading(*index)).count();
        if count == 0 {
            return;
        }
        self.frames.back(first, count);
        let offset = page as u64 * PAGE_BYTES as u64;
        let frames = self.frames.latched(first, count);
        let begun = os::clock::now();
        let is_read = read_or_zero(&file.file, WaitType::PAGEIOLATCH_SH, offset, frames).is_ok();
        file.count_read(count as u64, begun);
        // Scans that go through one file side by side keep the system from seeing that each goes on and on.
        let next = (page as usize + count).min(file.pages() as usize);
        let more = AHEAD_PAGES.min(file.pages() as usize - next);
        if more > 0 {
            file.file.expect_read(more * PAGE_BYTES, (next * PAGE_BYTES) as u64);
        }
        let log_tail = log.tail();
        for at in 0..count {
            let frame: &PageBytes = (&*self.frames.latched(first + at, 1)).try_into().expect("a page");
            let is_good = is_read && is_whole(frame, file, page + at as u32, log_tail);
            if is_good {
                self.counters.reads.fetch_add(1, Ordering::Relaxed);
                os::stats::count_page_fault();
                self.enlist(first + at);
            } else {
                self.frames.discard(first + at, 1);
            }
            self.end_reading(first + at, if is_good { FREE } else { ABSENT });
        }
    }

    /// False: it is not absent any more.
    fn begin_reading(&self, index: usize) -> bool {
        let state = self.state(index);
        let word = state.load(Ordering::Acquire);
        os::engines::enter(state);
        let begun = word & LATCH == ABSENT && self.to_reading(index, word);
        if !begun {
            os::engines::leave(state);
        }
        begun
    }

    fn end_reading(&self, index: usize, to: u64) {
        self.release(index, to, READING);
        os::engines::leave(self.state(index));
    }
}
