//! Buffers of sessions that rest, for those that wake up: a session at rest keeps none, and to make them anew costs more than
//! a small request.

use os::sync::{SpinClass, SpinLock};

static SPARE_BUFFERS: SpinClass = SpinClass::new("SPARE_BUFFERS");

/// Shelves are shared by the schedulers that have the same rest of their number.
const SHELVES: usize = 16;

/// Buffers kept on a shelf, and the largest that is kept.
const SHELF_MAX: usize = 16;
const BUFFER_BYTES_MAX: usize = 64 << 10;

/// What a session needs while it serves.
#[derive(Default)]
pub struct Buffers {
    pub received: Vec<u8>,
    pub payload: Vec<u8>,
    pub outgoing: Vec<u8>,
}

pub struct Spare {
    shelves: [SpinLock<Vec<Buffers>>; SHELVES],
}

impl Spare {
    pub fn new() -> Spare {
        Spare { shelves: std::array::from_fn(|_| SpinLock::new(&SPARE_BUFFERS, Vec::new())) }
    }

    fn shelf(&self) -> &SpinLock<Vec<Buffers>> {
        &self.shelves[os::sched::here().unwrap_or(0) as usize % SHELVES]
    }

    pub fn take(&self) -> Buffers {
        self.shelf().lock().pop().unwrap_or_default()
    }

    pub fn put(&self, buffers: Buffers) {
        let all = [&buffers.received, &buffers.payload, &buffers.outgoing];
        if all.iter().any(|buffer| buffer.capacity() > BUFFER_BYTES_MAX) {
            return;
        }
        let mut shelf = self.shelf().lock();
        if shelf.len() < SHELF_MAX {
            shelf.push(buffers);
        }
    }
}

impl Default for Spare {
    fn default() -> Spare {
        Spare::new()
    }
}
