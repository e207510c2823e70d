//! Shapes of the tables that this engine has open, and how engines tell each other that one is old.
//!
//! Who changes the shape of a table writes the table into a ring that all engines see and raises the count of such news. An
//! engine reads what is new to it before it looks into its own map; when the ring has gone round meanwhile it forgets all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use os::region::{Part, Placed};
use os::sync::{Mutex, RwLock};
use os::wait::WaitType;

use crate::error::StorageResult;
use crate::layout::{DatabaseId, TableId};
use crate::region::hash::NumberMap;
use crate::region::memory::Memory;
use crate::region::row_counts::{RowCounts, pack};
use crate::shapes::shape::{PartitionedShape, Shape};
use crate::xtp::shape::MemoryShape;

/// News that an engine may be behind and still read each.
const NEWS: usize = 1024;
/// Places for the times of new shapes. Two tables that share one are both as young as the younger.
const TIMES: usize = 4096;
const _: () = assert!(TIMES.is_power_of_two(), "a mask takes a hash to a place");
const _: () = assert!(NEWS > 1);
/// News that stand for every table.
const ALL: u64 = u64::MAX;

type Key = (DatabaseId, TableId);

fn unpack(word: u64) -> Key {
    (DatabaseId((word >> 32) as u16), TableId(word as u32 as i32))
}

/// Of a table of either kind.
#[derive(Clone)]
pub enum TableShape {
    Disk(Arc<Shape>),
    Memory(Arc<MemoryShape>),
    Partitioned(Arc<PartitionedShape>),
}

#[derive(Default)]
struct Opened {
    shapes: NumberMap<Key, TableShape>,
    /// News up to here have been read.
    seen: u64,
}

pub struct Shapes {
    opened: RwLock<Opened>,
    /// Held by who writes news.
    telling: Placed<Mutex<()>>,
    news: Part<AtomicU64>,
    /// News since the start.
    told: Placed<AtomicU64>,
    pub row_counts: RowCounts,
    /// By table, hashed: when a new shape was committed, since the start.
    times: Part<AtomicU64>,
}

impl Shapes {
    pub fn new(memory: &Memory) -> StorageResult<Shapes> {
        Ok(Shapes {
            opened: RwLock::new(WaitType::SOS_RW, Opened::default()),
            telling: memory.place("news of shapes", Mutex::new(WaitType::SOS_MUTEX, ()))?,
            news: memory.carve("news of shapes", NEWS)?,
            told: memory.place("count of news", AtomicU64::new(0))?,
            row_counts: RowCounts::new(memory)?,
            times: memory.carve("times of shapes", TIMES)?,
        })
    }

    /// Grows whenever a shape is forgotten.
    #[inline]
    pub fn told(&self) -> u64 {
        self.told.load(Ordering::SeqCst)
    }

    /// The shape of a table, if it is known here, and the count of news as of which it is right.
    pub fn find(&self, key: Key) -> (u64, Option<TableShape>) {
        let told = self.told();
        {
            let opened = self.opened.read();
            if opened.seen >= told {
                return (opened.seen, opened.shapes.get(&key).cloned());
            }
        }
        let mut opened = self.opened.write();
        self.read_news(&mut opened);
        (opened.seen, opened.shapes.get(&key).cloned())
    }

    /// Keeps what was read as of `seen`, unless there are news since: then it may be old already. Of two that were read at
    /// the same time the first stays.
    pub fn keep(&self, seen: u64, key: Key, shape: TableShape) -> TableShape {
        let mut opened = self.opened.write();
        self.read_news(&mut opened);
        assert!(seen <= opened.seen, "news {seen} of {}", opened.seen);
        if opened.seen != seen { shape } else { opened.shapes.entry(key).or_insert(shape).clone() }
    }

    #[inline]
    fn time(&self, (db, table): Key) -> &AtomicU64 {
        &self.times
            [(u64::from(db.0) << 20 ^ table.0 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> 40 & (TIMES - 1)]
    }

    /// Called while the table is locked against all use, so that who looks after it has waited for that lock sees it.
    pub fn note_time(&self, table: Key, time: u64) {
        debug_assert!(table.1.0 != 0, "no table has the id 0");
        self.time(table).fetch_max(time, Ordering::SeqCst);
    }

    #[inline]
    pub fn is_younger_than(&self, table: Key, time: u64) -> bool {
        self.time(table).load(Ordering::SeqCst) > time
    }

    /// Who opens these tables next, in any engine, reads their shapes anew. Their rows are as many as are counted, if `counted`.
    pub fn forget(&self, tables: &[Key], counted: bool) {
        for table in tables {
            self.tell(pack(table.0, table.1), counted);
        }
        self.read_news(&mut self.opened.write());
    }

    /// Of no table it is known any more what it looks like.
    pub fn forget_all(&self) {
        self.tell(ALL, false);
        self.read_news(&mut self.opened.write());
    }

    fn tell(&self, table: u64, counted: bool) {
        let _telling = self.telling.lock();
        if !counted {
            self.row_counts.forget(table);
        }
        let told = self.told.load(Ordering::Relaxed);
        debug_assert!(told < u64::MAX - NEWS as u64);
        self.news[told as usize % NEWS].store(table, Ordering::Relaxed);
        self.told.store(told + 1, Ordering::SeqCst);
    }

    fn read_news(&self, opened: &mut Opened) {
        let told = self.told();
        assert!(opened.seen <= told, "read {} news of {told}", opened.seen);
        for at in opened.seen..told.min(opened.seen + NEWS as u64) {
            match self.news[at as usize % NEWS].load(Ordering::Relaxed) {
                ALL => opened.shapes.clear(),
                table => drop(opened.shapes.remove(&unpack(table))),
            }
        }
        // The place of the oldest that was read may be written again as soon as the ring is full.
        std::sync::atomic::fence(Ordering::SeqCst);
        if self.told() - opened.seen >= NEWS as u64 {
            opened.shapes.clear();
        }
        opened.seen = told;
    }
}
