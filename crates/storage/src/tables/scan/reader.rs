//! Reading the rows of one leaf, under its shared latch.

use std::ops::Range;

use super::{Position, Source};
use crate::bounds::KeyBound;
use crate::concurrency::locks::{LockMode, MemberId, Patience, row_hash};
use crate::concurrency::versions::{ROW_HEADER_BYTES, RowHeader};
use crate::error::{StorageError, StorageResult};
use crate::layout::{Locator, PageRef};
use crate::pages::page::{self, PageBytes};
use crate::shapes::tree::Target;
use crate::transaction::Transaction;
use crate::trees::rows::{Seen, View};

/// Ghosts in a leaf that a reader tells the cleaner of.
const GHOSTS_NOTED: usize = 16;
const _: () = assert!(GHOSTS_NOTED > 0);

/// After so many leaves that lay side by side the next ones are read together.
const LEAVES_IN_A_ROW: u32 = 2;

/// Takes the rows that a reader finds: images, with locators if there is a use for them.
pub trait Sink {
    fn take(&mut self, image: &[u8], locator: &[u8]) -> StorageResult<()>;

    /// As `take` of an image in the leaf, which stays as it is until `leave`.
    #[inline]
    fn take_in_place(&mut self, leaf: &PageBytes, image: Range<usize>, locator: &[u8]) -> StorageResult<()> {
        self.take(&leaf[image], locator)
    }

    /// The leaf's latch goes, or a row comes that is not in the leaf: what was taken in place has to be looked at now.
    #[inline]
    fn leave(&mut self, _leaf: &PageBytes) -> StorageResult<()> {
        Ok(())
    }
}

impl<F: FnMut(&[u8], &[u8]) -> StorageResult<()>> Sink for F {
    #[inline]
    fn take(&mut self, image: &[u8], locator: &[u8]) -> StorageResult<()> {
        self(image, locator)
    }
}

/// How the rows found are locked.
#[derive(Debug, Clone, Copy)]
pub struct RowLock {
    pub mode: LockMode,
    pub hold: bool,
    /// With the keys around them: nobody may insert what the scan would have found.
    pub range: bool,
}

/// What stopped a part.
pub enum Stop {
    /// The wanted rows are there, or the leaf is at its end.
    Part,
    End,
    /// The end of the transaction that has written a row, with the row's number.
    Wait(u64, u64),
    Lock(Locator),
    /// Somebody's range has to end before.
    Range(MemberId),
}

/// Reads the rows of one leaf for `Source::part`.
pub struct Reader<'a> {
    source: &'a Source,
    view: View,
    row_lock: Option<RowLock>,
    rows_max: usize,
    /// Rows given to the sink so far.
    pub given: usize,
    /// A row whose lock was waited for, and that was not met since.
    pub awaited: Option<u64>,
    /// A row that everybody sees is its image, with nothing to do: no lock, no locator.
    is_plain: bool,
    /// Rows passed that everybody knows to be deleted.
    ghosts: usize,
    old: Vec<u8>,
}

impl<'a> Reader<'a> {
    /// Gives up to `rows_max` rows, of which `given` have been given.
    pub fn new(
        source: &'a Source,
        (view, row_lock): (View, Option<RowLock>),
        rows_max: usize,
        given: usize,
    ) -> Reader<'a> {
        debug_assert!(given <= rows_max, "{given} of {rows_max} rows");
        let is_plain = source.index.is_none() && row_lock.is_none() && !source.keeps_locators && !source.spec.locator;
        Reader { source, view, row_lock, rows_max, given, awaited: None, is_plain, ghosts: 0, old: Vec::new() }
    }

    #[inline]
    pub fn leaf_forward(
        &mut self,
        at: &mut Position,
        tx: &mut Transaction,
        sink: &mut impl Sink,
    ) -> StorageResult<Stop> {
        let source = self.source;
        let (engine, tree) = (&*source.table.engine, source.tree());
        if at.leaf == 0 && at.in_a_row >= LEAVES_IN_A_ROW {
            engine.buffer.read_ahead(&tree.file, at.last + 1);
        }
        let (leaf, (first, is_whole_key)) = engine.place_near(tree, &at.lower, at.leaf)?;
        at.step_to(leaf.number());
        let count = page::slot_count(&leaf);
        let mut end = at.upper().map_or(count, |upper| page::lower_bound_from(&leaf, upper, first));
        let mut cut = false;
        if let Some(lock) = self.row_lock.filter(|lock| lock.range) {
            match self.keep_range(lock.mode, at, (first, is_whole_key), end, tx, &leaf)? {
                Ok(kept_end) => (cut, end) = (kept_end < end, kept_end),
                Err(other) => return Ok(Stop::Range(other)),
            }
        }
        debug_assert!(first <= end && end <= count, "slots {first} to {end} of {count}");
        let stopped = self.rows(first..end, tx, &leaf, sink)?;
        sink.leave(&leaf)?;
        self.note_ghosts(leaf.number());
        if let Some((slot, stop)) = stopped {
            at.lower.clear();
            page::key_into(&leaf, slot, &mut at.lower);
            return Ok(stop);
        }
        if cut {
            at.lower.clear();
            page::key_into(&leaf, end, &mut at.lower);
            return Ok(Stop::Part);
        }
        if end < count {
            return Ok(Stop::End);
        }
        match page::upper_fence(&leaf) {
            Some(fence) if at.upper().is_none_or(|upper| fence < upper) => {
                debug_assert!(fence > &at.lower[..], "a scan goes on: up to {fence:02x?}");
                at.lower.clear();
                at.lower.extend_from_slice(fence);
                at.leaf = 0;
                Ok(Stop::Part)
            }
            _ => Ok(Stop::End),
        }
    }

    /// Keeps the keys from `at` on, up to what can be read of them now: `first`, with whether it is the whole key, to below the slot that
    /// is returned, `end` at most. `Err`: whose range is in the way.
    #[inline(never)]
    fn keep_range(
        &self,
        mode: LockMode,
        at: &Position,
        (first, is_whole_key): (usize, bool),
        end: usize,
        tx: &mut Transaction,
        leaf: &PageBytes,
    ) -> StorageResult<Result<usize, MemberId>> {
        let kept_end = end.min(first.saturating_add(self.rows_max - self.given));
        let next_key = (kept_end < end).then(|| page::key(leaf, kept_end));
        let is_last = kept_end == page::slot_count(leaf);
        let fence = page::upper_fence(leaf).filter(|fence| is_last && at.upper().is_none_or(|upper| *fence < upper));
        let high = next_key.as_deref().or(fence).or(at.upper());
        if is_whole_key && at.is_one_key() && holds_row(leaf, first) {
            return Ok(Ok(kept_end));
        }
        Ok(match tx.lock_range(&self.source.range(&at.lower, high, mode))? {
            Some(other) => Err(other),
            None => Ok(kept_end),
        })
    }

    /// Keeps the keys that begin with `prefix`, where the scan is to keep ranges; `place` as of `rows_of`. False: somebody's range is
    /// in the way.
    pub fn keeps(
        &self,
        prefix: &[u8],
        place: (usize, bool),
        tx: &mut Transaction,
        leaf: &PageBytes,
    ) -> StorageResult<bool> {
        let Some(lock) = self.row_lock.filter(|lock| lock.range) else { return Ok(true) };
        if place.1 && holds_row(leaf, place.0) {
            return Ok(true);
        }
        let mut above = Vec::new();
        KeyBound::Inclusive(prefix).append_above(&mut above);
        let range = self.source.range(prefix, Some(&above), lock.mode);
        Ok(tx.lock_range(&range)?.is_none())
    }

    /// The rows of a leaf whose keys begin with `prefix`, which lies in it; `place`: what `page::lower_bound` says of it.
    /// Some: the key to go on from. The leaf is not left.
    #[inline]
    pub fn rows_of(
        &mut self,
        prefix: &[u8],
        place: (usize, bool),
        tx: &mut Transaction,
        leaf: &PageBytes,
        sink: &mut impl Sink,
    ) -> StorageResult<Option<Vec<u8>>> {
        debug_assert_eq!(place, page::lower_bound(leaf, prefix), "the place of the prefix");
        let (mut slot, is_whole_key) = place;
        if is_whole_key {
            let stopped = self.rows(slot..slot + 1, tx, leaf, sink)?;
            return Ok(stopped.map(|_| prefix.to_vec()));
        }
        let count = page::slot_count(leaf);
        while slot < count && page::begins_with(leaf, slot, prefix) {
            if self.rows(slot..slot + 1, tx, leaf, sink)?.is_some() {
                return Ok(Some(page::key(leaf, slot)));
            }
            slot += 1;
        }
        let goes_on = slot == count && page::upper_fence(leaf).is_some_and(|fence| fence.starts_with(prefix));
        Ok(goes_on.then(|| page::upper_fence(leaf).expect("looked at above").to_vec()))
    }

    pub fn leaf_backward(
        &mut self,
        at: &mut Position,
        tx: &mut Transaction,
        sink: &mut impl Sink,
    ) -> StorageResult<Stop> {
        let source = self.source;
        let target = at.upper().map_or(Target::Last, Target::Before);
        let leaf = source.table.engine.leaf_shared(source.tree(), target)?;
        let end = at.upper().map_or(page::slot_count(&leaf), |upper| page::lower_bound(&leaf, upper).0);
        let mut first = page::lower_bound(&leaf, &at.lower).0;
        let mut cut = false;
        if let Some(lock) = self.row_lock.filter(|lock| lock.range) {
            cut = end - first > self.rows_max - self.given;
            let last_key = if cut {
                first = end - (self.rows_max - self.given);
                Some(page::key(&leaf, first))
            } else {
                None
            };
            let fence = Some(page::lower_fence(&leaf)).filter(|fence| first == 0 && *fence > &at.lower[..]);
            let low = last_key.as_deref().or(fence).unwrap_or(&at.lower);
            if let Some(other) = tx.lock_range(&source.range(low, at.upper(), lock.mode))? {
                return Ok(Stop::Range(other));
            }
        }
        let stopped = self.rows((first..end).rev(), tx, &leaf, sink)?;
        debug_assert!(end <= page::slot_count(&leaf));
        sink.leave(&leaf)?;
        self.note_ghosts(leaf.number());
        if let Some((slot, stop)) = stopped {
            // The row at `slot` is still to come: the upper bound is just above its key.
            at.upper.clear();
            page::key_into(&leaf, slot, &mut at.upper);
            at.upper.push(0);
            at.bounded = true;
            return Ok(stop);
        }
        if cut {
            at.upper.clear();
            page::key_into(&leaf, first, &mut at.upper);
            at.bounded = true;
            return Ok(Stop::Part);
        }
        let fence = page::lower_fence(&leaf);
        if first > 0 || fence.is_empty() || fence <= &at.lower[..] {
            return Ok(Stop::End);
        }
        at.upper.clear();
        at.upper.extend_from_slice(fence);
        at.bounded = true;
        Ok(Stop::Part)
    }

    /// Whoever has to pass many ghosts has the leaf cleaned up: its note may have been lost.
    fn note_ghosts(&self, leaf: u32) {
        if self.ghosts >= GHOSTS_NOTED {
            let file = self.source.tree().file.number;
            self.source.table.engine.ghosts.note(PageRef { file, page: leaf }, 0);
        }
    }

    /// Looks at the rows of `slots` of a latched leaf. Some: where it had to stop, and why.
    #[inline(always)]
    fn rows(
        &mut self,
        slots: impl Iterator<Item = usize>,
        tx: &mut Transaction,
        leaf: &PageBytes,
        sink: &mut impl Sink,
    ) -> StorageResult<Option<(usize, Stop)>> {
        let engine = &*self.source.table.engine;
        let horizon = engine.commits.horizon();
        for slot in slots {
            if self.given == self.rows_max {
                return Ok(Some((slot, Stop::Part)));
            }
            let payload = page::payload_range(leaf, slot);
            if self.is_plain && engine.is_settled(&leaf[payload.clone()], horizon) {
                sink.take_in_place(leaf, payload.start + ROW_HEADER_BYTES..payload.end, &[])?;
                self.given += 1;
            } else if let Some(stop) = self.row(tx, leaf, slot, sink)? {
                return Ok(Some((slot, stop)));
            }
        }
        Ok(None)
    }

    /// Looks at one row of a latched leaf; Some: come back to it.
    #[inline(never)]
    fn row(
        &mut self,
        tx: &mut Transaction,
        leaf: &PageBytes,
        slot: usize,
        sink: &mut impl Sink,
    ) -> StorageResult<Option<Stop>> {
        let source = self.source;
        let range = page::payload_range(leaf, slot);
        let seen = source.table.engine.see(&self.view, &leaf[range.clone()], &mut self.old)?;
        let payload = match seen {
            Seen::Here => &leaf[range.clone()],
            Seen::Old => &self.old[..],
            Seen::Nothing => {
                let header = RowHeader::decode(&leaf[range]);
                self.ghosts += usize::from(header.is_old_ghost(source.table.engine.commits.horizon()));
                return Ok(None);
            }
            Seen::Wait(_) if source.spec.lock.read_past => return Ok(None),
            Seen::Wait(other) => return Ok(Some(Stop::Wait(other, row_hash(&page::key(leaf, slot))))),
        };
        let key;
        let (locator, image_at) = if source.index.is_some() {
            let locator_at = ROW_HEADER_BYTES + 2;
            let image_at = locator_at + page::u16_at(payload, ROW_HEADER_BYTES) as usize;
            debug_assert!(image_at <= payload.len(), "an entry begins with its row's locator");
            (&payload[locator_at..image_at], image_at)
        } else if self.row_lock.is_some() || source.spec.locator || source.keeps_locators {
            key = page::key(leaf, slot);
            (&key[..], ROW_HEADER_BYTES)
        } else {
            (&[][..], ROW_HEADER_BYTES)
        };
        if let Some(lock) = self.row_lock {
            let (db, id) = (source.table.shape.db, source.table.shape.id);
            let row = row_hash(locator);
            match tx.lock_row(db, id, row, lock.mode, lock.hold, Patience::Ms(0)) {
                Ok(()) => self.awaited = self.awaited.filter(|awaited| *awaited != row),
                Err(StorageError::LockTimeout) if source.spec.lock.read_past => return Ok(None),
                Err(StorageError::LockTimeout) => return Ok(Some(Stop::Lock(Locator::new(locator)))),
                Err(error) => return Err(error),
            }
        }
        if seen == Seen::Here {
            sink.take_in_place(leaf, range.start + image_at..range.end, locator)?;
        } else {
            sink.leave(leaf)?;
            sink.take(&payload[image_at..], locator)?;
        }
        self.given += 1;
        Ok(None)
    }
}

/// Of a key that there is: a row lock keeps it, and nobody can insert it again.
fn holds_row(leaf: &PageBytes, slot: usize) -> bool {
    !RowHeader::decode(&leaf[page::payload_range(leaf, slot)]).ghost
}
