//! What must hold of the pages of a database, checked: each is reachable once, from the page above, which says what keys are in it,
//! and the bitmaps have exactly those. Only while nobody changes anything.

use std::collections::BTreeSet;

use crate::engine::{BITMAP_SPAN, Engine};
use crate::error::{StorageError, StorageResult};
use crate::layout::{DatabaseId, PageRef};
use crate::pages::page::{self, HEADER_BYTES, PageBytes, PageKind};
use crate::shapes::shape::DIRECTORY_ROOT;
use crate::shapes::tree::Tree;

/// Pages of a database by what they are for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageTotals {
    pub inner: u64,
    pub leaves: u64,
    /// Of the leaves, those without a row, deleted or not.
    pub empty_leaves: u64,
}

/// Pages of a data file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileSpace {
    pub used: u64,
    pub pages: u64,
}

/// Where a page stands: what the page above says of it.
struct Place<'a> {
    number: u32,
    level: Option<u8>,
    lower: &'a [u8],
    upper: Option<&'a [u8]>,
}

impl Engine {
    /// The first thing that is wrong is a `CorruptPage`, or `Damaged` if it is of no single page.
    pub fn check_pages(&self, db: DatabaseId) -> StorageResult<PageTotals> {
        let file = self.file_of(db)?;
        let mut roots = vec![DIRECTORY_ROOT];
        for table in self.list_directory(db)? {
            let Some((layout, of)) = self.read_directory(db, table)? else { continue };
            if layout.memory.is_none() {
                roots.extend(of.all());
            }
        }
        for pending in self.pending().iter().filter(|pending| pending.file == file.number) {
            // One that was half freed before a crash may be free by now.
            if self.is_allocated(&file, pending.page)? {
                roots.push(pending.page);
            }
        }
        roots.sort_unstable();
        roots.dedup();
        let (mut totals, mut found) = (PageTotals::default(), BTreeSet::new());
        for root in roots {
            let tree = Tree::new(file.clone(), root);
            let place = Place { number: root, level: None, lower: b"", upper: None };
            self.check_under(&tree, place, &mut totals, &mut found)?;
        }
        for number in 0..file.pages() {
            let is_reserved = number % BITMAP_SPAN < 2;
            if !is_reserved && self.is_allocated(&file, number)? != found.contains(&number) {
                return Err(StorageError::Damaged(format!(
                    "page {number} of file {}: {} by the bitmap only",
                    file.number,
                    if found.contains(&number) { "free" } else { "in use" }
                )));
            }
        }
        Ok(totals)
    }

    /// Pages in use, and all that the file of a database has. Holds one latch at a time.
    pub fn space(&self, db: DatabaseId) -> StorageResult<FileSpace> {
        let file = self.file_of(db)?;
        let pages = file.pages();
        let mut used = 0;
        for base in (0..pages).step_by(BITMAP_SPAN as usize) {
            let bitmap = self.buffer.shared(&file, base + 1)?;
            let bits = &bitmap[HEADER_BYTES..][..BITMAP_SPAN as usize / 8];
            // The file's header and the bitmap itself are in no bitmap.
            used += 2 + bits.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
        }
        Ok(FileSpace { used: used.min(u64::from(pages)), pages: u64::from(pages) })
    }

    /// The tree of this page only waits to be freed. Then a leaf may be without rows that were not in the log, and what lay right of a page may
    /// have gone already, so that its upper fence is no more what the page above says.
    pub(super) fn is_going(&self, page: &PageBytes) -> bool {
        self.pending().contains(&PageRef { file: page::file_no(page), page: page::root(page) })
    }

    fn check_under(
        &self,
        tree: &Tree,
        place: Place<'_>,
        totals: &mut PageTotals,
        found: &mut BTreeSet<u32>,
    ) -> StorageResult<()> {
        let page = self.buffer.shared(&tree.file, place.number)?;
        if page::kind(&page) == Some(PageKind::Unlogged) && found.insert(place.number) && self.is_going(&page) {
            totals.leaves += 1;
            return Ok(());
        }
        let is_right = found.insert(place.number)
            && page::check(&page).is_ok()
            && page::root(&page) == tree.root
            && place.level.is_none_or(|level| level == page::level(&page))
            && (page::level(&page) == 0) == (page::kind(&page) == Some(PageKind::Leaf))
            && page::lower_fence(&page) == place.lower
            && (page::upper_fence(&page) == place.upper || self.is_going(&page))
            && keys_are_within(&page);
        if !is_right {
            return Err(tree.corrupt(place.number));
        }
        let count = page::slot_count(&page);
        if page::kind(&page) == Some(PageKind::Leaf) {
            totals.leaves += 1;
            totals.empty_leaves += u64::from(count == 0);
            return Ok(());
        }
        totals.inner += 1;
        let mut lower = place.lower.to_vec();
        for slot in 0..=count {
            let upper = (slot < count).then(|| page::key(&page, slot));
            let child = Place {
                number: page::child(&page, slot),
                level: Some(page::level(&page) - 1),
                lower: &lower,
                upper: upper.as_deref().or(place.upper),
            };
            self.check_under(tree, child, totals, found)?;
            lower = upper.unwrap_or_default();
        }
        Ok(())
    }
}

/// `page::check` has seen that they are in order.
fn keys_are_within(page: &PageBytes) -> bool {
    let ends = [0, page::slot_count(page).wrapping_sub(1)];
    ends.into_iter().filter(|slot| *slot < page::slot_count(page)).all(|slot| {
        let key = page::key(page, slot);
        page::is_within_fences(page, &key)
    })
}
