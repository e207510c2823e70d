//! The cursors of a session. Names and variables refer to one by its `CursorId`; the last that lets go deallocates it.
//!
//! A session runs on one worker at a time, so a FETCH takes its cursor out and puts it back without a lock.

use std::collections::HashMap;

use super::cursor::Cursor;

/// Never given twice: it says by itself whether its cursor is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CursorId {
    index: u32,
    generation: u32,
}

#[derive(Default)]
pub struct CursorTable {
    entries: Vec<Entry>,
    free: Vec<u32>,
    /// Global names in lower case. Each holds one reference, and its entry is `named`.
    names: HashMap<Box<str>, CursorId>,
}

struct Entry {
    /// Of the id that is valid now.
    generation: u32,
    /// 0: the entry is free.
    references: u32,
    named: bool,
    /// None while a statement has it.
    cursor: Option<Box<Cursor>>,
}

impl CursorTable {
    /// The caller has the only reference.
    pub fn add(&mut self, cursor: Cursor) -> CursorId {
        let cursor = Some(Box::new(cursor));
        if let Some(index) = self.free.pop() {
            let entry = &mut self.entries[index as usize];
            assert!(entry.references == 0 && !entry.named, "a free entry");
            *entry = Entry { generation: entry.generation, references: 1, named: false, cursor };
            return CursorId { index, generation: entry.generation };
        }
        self.entries.push(Entry { generation: 0, references: 1, named: false, cursor });
        CursorId { index: self.entries.len() as u32 - 1, generation: 0 }
    }

    /// The entry of an id that somebody has a reference for.
    #[inline]
    fn held(&mut self, id: CursorId) -> &mut Entry {
        let entry = &mut self.entries[id.index as usize];
        assert!(entry.generation == id.generation, "a cursor is there while it is referred to");
        entry
    }

    /// One reference more.
    pub fn share(&mut self, id: CursorId) {
        self.held(id).references += 1;
    }

    pub fn release(&mut self, id: CursorId) {
        let entry = self.held(id);
        entry.references -= 1;
        if entry.references == 0 {
            entry.cursor = None;
            entry.generation += 1;
            // An entry whose numbers are used up stays free for good.
            if entry.generation != u32::MAX {
                self.free.push(id.index);
            }
        }
    }

    /// None: a statement that has not ended has it.
    #[inline]
    pub fn take(&mut self, id: CursorId) -> Option<Box<Cursor>> {
        self.held(id).cursor.take()
    }

    /// After `take`. A cursor deallocated meanwhile goes now.
    #[inline]
    pub fn put(&mut self, id: CursorId, cursor: Box<Cursor>) {
        let entry = &mut self.entries[id.index as usize];
        if entry.generation == id.generation {
            entry.cursor = Some(cursor);
        }
    }

    pub fn get_mut(&mut self, id: CursorId) -> Option<&mut Cursor> {
        self.held(id).cursor.as_deref_mut()
    }

    /// The global `name`, in lower case, takes over the caller's reference. It must not be taken.
    pub fn set_name(&mut self, name: Box<str>, id: CursorId) {
        self.held(id).named = true;
        let old = self.names.insert(name, id);
        assert!(old.is_none(), "a global cursor's name is given once");
    }

    pub fn find(&self, name: &str) -> Option<CursorId> {
        self.names.get(name).copied()
    }

    /// Whether an id that `find` gave is still what its name stands for: a cursor has one name, and for good.
    #[inline]
    pub fn is_named(&self, id: CursorId) -> bool {
        let entry = &self.entries[id.index as usize];
        entry.generation == id.generation && entry.named
    }

    pub fn remove_name(&mut self, name: &str) {
        if let Some(id) = self.names.remove(name) {
            self.held(id).named = false;
            self.release(id);
        }
    }

    pub fn remove_names(&mut self) {
        for (_, id) in std::mem::take(&mut self.names) {
            self.held(id).named = false;
            self.release(id);
        }
    }

    pub fn named(&self) -> Vec<CursorId> {
        self.names.values().copied().collect()
    }
}
