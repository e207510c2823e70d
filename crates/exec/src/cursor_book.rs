//! What other sessions may know of a session's cursors (sys.dm_exec_cursors): a list beside the cursors, which they alone change.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Weak};

use os::sync::Mutex;
use os::wait::WaitType;
use sql::plan::{OutputColumn, Query};

/// No FETCH yet.
const NO_FETCH: i32 = -9;

#[derive(Debug)]
pub struct CursorNote {
    pub cursor_id: i32,
    pub name: Box<str>,
    /// "TSQL | Dynamic | Optimistic | Global (0)": interface, type, concurrency, scope, nesting level.
    pub properties: Box<str>,
    /// The batch or module it was declared in.
    pub text: Option<Arc<str>>,
    /// UTC, 100 ns since 0001-01-01.
    pub created: i64,
    pub is_open: AtomicBool,
    pub fetch_status: AtomicI32,
}

impl CursorNote {
    pub fn set_open(&self, open: bool) {
        self.is_open.store(open, Ordering::Relaxed);
    }

    /// The last FETCH gave one.
    pub fn has_row(&self) -> bool {
        self.fetch_status.load(Ordering::Relaxed) == 0
    }

    pub fn fetched(&self, status: i32) {
        self.fetch_status.store(status, Ordering::Relaxed);
    }
}

/// What sp_cursor_list tells of a cursor, by one of the names that it has.
pub struct CursorTold {
    pub reference: Box<str>,
    pub is_local: bool,
    pub note: Arc<CursorNote>,
    /// CURSOR_STATUS
    pub status: i64,
    /// 1 static, 2 keyset, 3 dynamic, 4 fast forward
    pub model: i64,
    /// 1 read only, 2 scroll locks, 3 optimistic
    pub concurrency: i64,
    pub scrolls: bool,
    /// @@CURSOR_ROWS
    pub rows: i64,
    /// Of an open one: its query, and the columns that a FETCH gives.
    pub query: Option<Arc<Query>>,
    pub columns: Vec<OutputColumn>,
    /// Rows of the last statement that used it, and what that was: 0 none, 1 OPEN, 2 FETCH, 6 CLOSE.
    pub affected: i64,
    pub last: i64,
}

/// The cursors of a session. A note is gone with its cursor.
pub struct CursorBook(Mutex<Notes>);

#[derive(Default)]
struct Notes {
    notes: Vec<Weak<CursorNote>>,
    given: i32,
    /// Notes of cursors that are gone are swept out at this length.
    sweep_at: usize,
}

impl Default for CursorBook {
    fn default() -> CursorBook {
        CursorBook(Mutex::new(WaitType::SOS_MUTEX, Notes::default()))
    }
}

impl CursorBook {
    const SWEEP_MIN: usize = 64;

    pub fn add(&self, name: &str, properties: String, text: Option<Arc<str>>) -> Arc<CursorNote> {
        let mut notes = self.0.lock();
        notes.given = notes.given.wrapping_add(1);
        let note = Arc::new(CursorNote {
            cursor_id: notes.given,
            name: name.into(),
            properties: properties.into(),
            text,
            created: os::clock::utc_ticks() as i64,
            is_open: AtomicBool::new(false),
            fetch_status: AtomicI32::new(NO_FETCH),
        });
        if notes.notes.len() >= notes.sweep_at {
            notes.notes.retain(|note| note.strong_count() > 0);
            notes.sweep_at = (notes.notes.len() * 2).max(CursorBook::SWEEP_MIN);
        }
        notes.notes.push(Arc::downgrade(&note));
        note
    }

    pub fn is_empty(&self) -> bool {
        self.0.lock().notes.iter().all(|note| note.strong_count() == 0)
    }

    pub fn all(&self) -> Vec<Arc<CursorNote>> {
        self.0.lock().notes.iter().filter_map(Weak::upgrade).collect()
    }
}
