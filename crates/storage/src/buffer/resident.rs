//! What is in the pool now, for sys.dm_os_buffer_descriptors.

use std::sync::atomic::Ordering;

use os::engines;

use super::{ABSENT, Buffer, DIRTY, EXCLUSIVE, LATCH, READERS_MAX, Shared};
use crate::pages::page::{self, PageKind};

/// A page in memory.
#[derive(Debug, Clone, Copy)]
pub struct ResidentPage {
    pub database: u16,
    pub page: u32,
    pub is_modified: bool,
    /// None: somebody was changing it.
    pub content: Option<PageContent>,
}

#[derive(Debug, Clone, Copy)]
pub struct PageContent {
    pub kind: PageKind,
    /// Of a tree: of leaves 0.
    pub level: u8,
    /// The page of the root of its tree.
    pub root: u32,
    pub rows: u16,
    pub free_bytes: u16,
}

impl Buffer {
    /// In no order. It waits for no latch, and looks at pages one by one: the answer is of no one instant. `visit` is called with nothing
    /// held.
    pub fn for_each_resident<E>(&self, mut visit: impl FnMut(ResidentPage) -> Result<(), E>) -> Result<(), E> {
        let clock = self.clock.lock();
        let indexes: Vec<usize> = (0..clock.entries).map(|at| self.entry(at)).collect();
        drop(clock);
        for index in indexes {
            let Ok(Some(file)) = self.files.in_slot(index >> self.page_bits) else { continue };
            let word = self.state(index).load(Ordering::Acquire);
            if word & LATCH == ABSENT {
                continue;
            }
            // A file that has taken another's slot meanwhile has other pages in it.
            let content = match self.try_shared(index) {
                Some(page) if page::file_no(&page) != 0 && page::file_no(&page) != file.number => continue,
                page => page.and_then(|page| content(&page)),
            };
            let is_modified = word & DIRTY != 0;
            visit(ResidentPage { database: file.database, page: self.page_of(index), is_modified, content })?;
        }
        Ok(())
    }

    /// None: somebody changes it, or it has gone. Who looks does not count as a use of the page.
    fn try_shared(&self, index: usize) -> Option<Shared<'_>> {
        let state = self.state(index);
        engines::enter(state);
        let word = state.load(Ordering::Acquire);
        let is_readable = !matches!(word & LATCH, ABSENT | EXCLUSIVE | READERS_MAX);
        if is_readable && state.compare_exchange(word, word + 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
            return Some(Shared { buffer: self, index });
        }
        engines::leave(state);
        None
    }
}

fn content(page: &page::PageBytes) -> Option<PageContent> {
    let kind = page::kind(page)?;
    let is_node = matches!(kind, PageKind::Leaf | PageKind::Inner);
    let (rows, free_bytes) = if is_node { (page::slot_count(page), page::free_bytes(page)) } else { (0, 0) };
    let (rows, free_bytes) = (rows as u16, free_bytes as u16);
    Some(PageContent { kind, level: page::level(page), root: page::root(page), rows, free_bytes })
}
