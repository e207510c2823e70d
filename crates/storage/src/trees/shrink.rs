//! A data file gives back its free end. Pages in use stay where they are.

use crate::buffer::Exclusive;
use crate::engine::{BITMAP_SPAN, Engine};
use crate::error::StorageResult;
use crate::layout::DatabaseId;
use crate::pages::page::HEADER_BYTES;

/// Free pages that stay at the end: who undoes, or frees space on a full disk, may need some (`Writer::kept_pages`).
const KEPT_PAGES: u32 = 32;
/// The first pages of a file.
const LEAST_PAGES: u32 = 8;

impl Engine {
    /// Cuts the file of a database behind its last page in use, but leaves `least` pages. The caller has written a checkpoint: free pages
    /// behind the cut are not in memory to be written.
    pub fn shrink_file(&self, db: DatabaseId, least: u32) -> StorageResult<()> {
        let file = self.file_of(db)?;
        // Who allocates latches the bitmap, and looks for room in the file while it has it: so nobody takes a page behind the cut.
        let mut latched: Vec<Exclusive<'_>> = Vec::new();
        let mut base = file.pages().saturating_sub(1) / BITMAP_SPAN * BITMAP_SPAN;
        let used = loop {
            let bitmap = self.buffer.exclusive(&file, base + 1)?;
            let bits = &bitmap[HEADER_BYTES..][..BITMAP_SPAN as usize / 8];
            let last = bits.iter().rposition(|byte| *byte != 0);
            let end = last.map(|at| base + at as u32 * 8 + 8 - bits[at].leading_zeros());
            latched.push(bitmap);
            match end {
                Some(end) => break end,
                None if base == 0 => break LEAST_PAGES,
                None => base -= BITMAP_SPAN,
            }
        };
        let pages = (used + KEPT_PAGES).max(least).max(LEAST_PAGES);
        file.shrink(pages)
    }
}
