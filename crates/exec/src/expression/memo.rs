//! What was computed for values of outer rows before: for the same values it is not computed again.
//!
//! What is kept is the query's (`Context::kept`): nobody closes what stands in an expression. Keys are the values' bytes as they are, so
//! strings that are equal and not alike have answers of their own.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use os::sync::Mutex;
use os::wait::WaitType;
use types::{Datum, DatumRef};

use crate::context::Context;
use crate::workspace::Held;

/// What one memo may hold.
const BYTES_MAX: usize = 32 << 20;
/// Asked of the workspace at a time.
const STEP_BYTES: usize = 64 << 10;
/// An entry of the map with the room that is left between them, and its key's allocation.
const ENTRY_BYTES: usize = 64;
/// So many are asked for before it is looked whether any come again.
const TRIAL: u64 = 16 << 10;
/// Longer values are not looked for.
const KEY_MAX: usize = 1 << 10;
/// Of these, one in so many has to come again.
const FOUND_PART: u64 = 16;

pub struct Memo<T: Send + 'static> {
    /// `Context::execution` of what is kept.
    execution: u64,
    kept: Weak<Kept<T>>,
    /// Of the values that are asked for now.
    key: Vec<u8>,
    asked: u64,
    found: u64,
    /// The values seldom come again, or there is no room.
    off: bool,
}

type Kept<T> = Mutex<Entries<T>>;

struct Entries<T: Send + 'static> {
    of: HashMap<Box<[u8]>, T>,
    bytes: usize,
    held: Held,
}

impl<T: Send + 'static> Default for Memo<T> {
    fn default() -> Memo<T> {
        Memo { execution: 0, kept: Weak::new(), key: Vec::new(), asked: 0, found: 0, off: false }
    }
}

impl<T: Clone + Send + 'static> Memo<T> {
    /// Another row is asked for: its values come by `push`.
    pub fn begin(&mut self) {
        self.key.clear();
    }

    pub fn push(&mut self, value: &Datum) {
        if self.key.len() > KEY_MAX {
            return;
        }
        let key = &mut self.key;
        match value.as_ref() {
            DatumRef::Null => key.push(0),
            DatumRef::I64(number) => {
                key.push(1);
                key.extend_from_slice(&number.to_le_bytes());
            }
            DatumRef::F64(number) => {
                key.push(2);
                key.extend_from_slice(&number.to_le_bytes());
            }
            DatumRef::I128(number) => {
                key.push(3);
                key.extend_from_slice(&number.to_le_bytes());
            }
            DatumRef::Bytes(bytes) => {
                key.push(4);
                key.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
                key.extend_from_slice(&bytes[..bytes.len().min(2 * KEY_MAX)]);
            }
        }
    }

    /// What was kept for these values in this execution.
    pub fn find(&mut self, context: &Context) -> Option<T> {
        let execution = context.execution.get();
        if self.execution != execution || execution == 0 {
            *self = Memo { execution, key: std::mem::take(&mut self.key), off: execution == 0, ..Memo::default() };
            return None;
        }
        if self.off || self.key.len() > KEY_MAX {
            return None;
        }
        self.asked += 1;
        let found = self.kept.upgrade()?.lock().of.get(self.key.as_slice()).cloned();
        self.found += u64::from(found.is_some());
        if self.asked == TRIAL && self.found < TRIAL / FOUND_PART {
            self.give_up();
        }
        found
    }

    /// What these values come to may be kept: the first row of an execution may be the only one.
    pub fn keeps(&self) -> bool {
        !self.off && self.asked > 0 && self.key.len() <= KEY_MAX
    }

    /// Keeps what these values came to, if there is room: `bytes` besides what `T` itself has.
    pub fn keep(&mut self, context: &Context, answer: T, bytes: usize) {
        if !self.keeps() {
            return;
        }
        let kept = self.kept.upgrade().unwrap_or_else(|| {
            let entries = Entries { of: HashMap::new(), bytes: 0, held: Held::default() };
            let kept = Arc::new(Mutex::new(WaitType::SOS_MUTEX, entries));
            self.kept = Arc::downgrade(&kept);
            context.kept.borrow_mut().push(kept.clone());
            kept
        });
        let mut entries = kept.lock();
        let all = entries.bytes + self.key.len() + ENTRY_BYTES + size_of::<T>() + bytes;
        let step = all.next_multiple_of(STEP_BYTES);
        if all > BYTES_MAX || step != entries.held.bytes() && !entries.held.hold(context.workspace(), step) {
            // What is there may serve more rows than it has.
            if self.found < self.asked / FOUND_PART {
                drop(entries);
                self.give_up();
            }
            return;
        }
        entries.bytes = all;
        entries.of.insert(self.key.as_slice().into(), answer);
    }

    fn give_up(&mut self) {
        self.off = true;
        if let Some(kept) = self.kept.upgrade() {
            let mut entries = kept.lock();
            let count = entries.of.len();
            os::heap::empty(&mut entries.of, count);
            entries.held.clear();
        }
    }
}

/// Of many keys: what frees them may take long.
impl<T: Send + 'static> Drop for Entries<T> {
    fn drop(&mut self) {
        let count = self.of.len();
        os::heap::empty(&mut self.of, count);
    }
}
