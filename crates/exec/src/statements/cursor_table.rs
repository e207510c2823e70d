//! The cursors of a session. Names and variables refer to one by its `CursorId`; the last that lets go deallocates it.
//!
//! A session runs on one worker at a time, so a FETCH takes its cursor out and puts it back without a lock.

use std::collections::HashMap;

use super::cursor::Cursor;
use crate::cursor_book::CursorTold;
use crate::cursor_name::CursorId;

#[derive(Default)]
pub struct CursorTable {
    entries: Vec<Entry>,
    free: Vec<u32>,
    /// Global names in lower case. Each holds one reference, and its entry is `named`.
    names: HashMap<Box<str>, CursorId>,
    last_opened: Option<CursorId>,
    /// What a procedure that has ended gives its caller for its cursor parameters, in their order. Each holds a reference.
    returned: Vec<Option<CursorId>>,
    is_wanted: bool,
    /// By what the module that made the last call with cursor parameters knows cursors.
    callers: Vec<(Box<str>, CursorId)>,
    batch: u64,
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

    /// The global `name`, in lower case, takes over the caller's reference. It must not be taken.
    pub fn set_name(&mut self, name: Box<str>, id: CursorId) {
        self.held(id).named = true;
        let old = self.names.insert(name, id);
        assert!(old.is_none(), "a global cursor's name is given once");
    }

    /// A batch begins, or a call from outside.
    pub fn begin_batch(&mut self) {
        self.batch += 1;
    }

    pub fn batch(&self) -> u64 {
        self.batch
    }

    /// "ROLLBACK TRANSACTION": an error that ends the batch and rolls back deallocates the cursors that the batch declared.
    pub fn batch_failed(&mut self) {
        let Self { names, entries, batch, .. } = self;
        let declared = |id: &CursorId| {
            let cursor = &entries[id.index as usize].cursor;
            cursor.as_ref().is_some_and(|cursor| cursor.batch() == *batch)
        };
        let gone: Vec<Box<str>> = names.iter().filter(|(_, id)| declared(id)).map(|(name, _)| name.clone()).collect();
        gone.iter().for_each(|name| self.remove_name(name));
    }

    pub fn opened(&mut self, id: CursorId) {
        self.last_opened = Some(id);
    }

    /// Whether it is the one that was opened last.
    pub fn is_last(&self, id: CursorId) -> bool {
        self.last_opened == Some(id)
    }

    /// Whether the cursor that was opened last is still there.
    pub fn has_last(&self) -> bool {
        self.last_opened.is_some_and(|id| self.entries[id.index as usize].generation == id.generation)
    }

    /// The module that begins next gives back its cursor parameters. `callers`: names and variables that its caller has cursors by.
    pub fn want(&mut self, callers: Vec<(Box<str>, CursorId)>) {
        self.is_wanted = true;
        self.callers = callers;
    }

    /// What sp_cursor_list tells: of the cursors of the module that calls it, and of those with a global name.
    pub fn told(&self) -> Vec<CursorTold> {
        let local = self.callers.iter().map(|(name, id)| (true, &**name, id));
        let global = self.names.iter().map(|(name, id)| (false, &**name, id));
        let told = |(is_local, name, id): (bool, &str, &CursorId)| {
            let entry = &self.entries[id.index as usize];
            let cursor = entry.cursor.as_ref().filter(|_| entry.generation == id.generation)?;
            Some(cursor.told(is_local, name))
        };
        local.chain(global).filter_map(told).collect()
    }

    pub fn take_wanted(&mut self) -> bool {
        std::mem::take(&mut self.is_wanted)
    }

    pub fn give_back(&mut self, cursors: Vec<Option<CursorId>>) {
        assert!(self.returned.is_empty(), "the caller takes them at once");
        self.returned = cursors;
    }

    /// The call is over.
    pub fn take_returned(&mut self) -> Vec<Option<CursorId>> {
        self.is_wanted = false;
        std::mem::take(&mut self.returned)
    }

    pub fn is_open(&self, id: CursorId) -> bool {
        self.entries[id.index as usize].cursor.as_ref().is_some_and(|cursor| cursor.is_open())
    }

    /// CURSOR_STATUS
    pub fn status(&self, id: CursorId) -> i64 {
        self.entries[id.index as usize].cursor.as_ref().map_or(-1, |cursor| cursor.status())
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

    /// Those that are open, of all modules that run.
    pub fn close_all(&mut self) {
        self.entries.iter_mut().filter_map(|entry| entry.cursor.as_mut()).for_each(|cursor| cursor.close());
    }
}
