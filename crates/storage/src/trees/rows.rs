//! Versioned rows in trees: every leaf payload is a row header (`versions::RowHeader`) and an image.
//!
//! A change meets the newest version: if another unfinished transaction wrote it, the change waits for that transaction.
//! A read picks the newest version its snapshot sees, from the page or the version store, and never waits unless asked
//! to (`ReadMode::Newest`). A deleted row stays as a ghost until no snapshot needs it.

use os::wait::WaitType;

use crate::buffer::Exclusive;
use crate::concurrency::commits::Status;
use crate::concurrency::locks::{LockMode, Patience, Resource};
use crate::concurrency::versions::{ROW_HEADER_BYTES, RowHeader};
use crate::engine::{Author, Engine, Writer};
use crate::error::{StorageError, StorageResult};
use crate::layout::{DatabaseId, PageRef, TableId};
use crate::log::record::{Kind, UpdateBody, cell_head};
use crate::pages::page::{self, PageBytes};
use crate::shapes::tree::Tree;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadMode {
    /// Committed at or before this time.
    Snapshot(u64),
    /// The newest committed version: a row another transaction is changing has to be waited for.
    Newest,
    /// Whatever is there (READ UNCOMMITTED).
    Dirty,
}

/// Whose eyes a row is read with.
#[derive(Debug, Clone, Copy)]
pub struct View {
    pub mode: ReadMode,
    /// The reader's own transaction, 0 if it has changed nothing.
    pub own: u64,
    /// Own changes of this statement and later ones are not seen. `u32::MAX`: all are.
    pub before_statement: u32,
    /// A row of the table that was committed after this time is an `UpdateConflict`.
    pub conflict: Option<(u64, TableId)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// The image behind the header of the payload given.
    Here,
    /// The image behind the header of the payload put in `old`.
    Old,
    /// There is no such row.
    Nothing,
    /// Unfinished transaction to wait for.
    Wait(u64),
}

/// A simulation splits leaves that have this many rows, though there is room.
const EARLY_SPLIT_ROWS: usize = 4;
/// A row deleted this many slots from another one that everybody knows to be deleted lies in a run of such, mostly: they are removed
/// together, and a queue's reader passes no more than about these and what the horizon lags behind.
const SWEEP_DISTANCE: usize = 16;
const _: () = assert!(EARLY_SPLIT_ROWS > 1, "both parts of a leaf have a row");

impl Engine {
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn see(&self, view: &View, payload: &[u8], old: &mut Vec<u8>) -> StorageResult<Seen> {
        os::plant!();
        let header = RowHeader::decode(payload);
        debug_assert!(header.transaction < self.commits.next_id(), "a row of a transaction that has begun");
        if header.transaction < self.commits.horizon() || view.mode == ReadMode::Dirty {
            return Ok(if header.ghost { Seen::Nothing } else { Seen::Here });
        }
        self.see_recent(view, header, old)
    }

    /// Whether everybody sees the row as it stands here: no need to `see` it.
    #[inline]
    pub fn is_settled(&self, payload: &[u8], horizon: u64) -> bool {
        let header = RowHeader::decode(payload);
        header.transaction < horizon && !header.ghost
    }

    fn see_recent(&self, view: &View, mut header: RowHeader, old: &mut Vec<u8>) -> StorageResult<Seen> {
        let mut here = Seen::Here;
        loop {
            let own = header.transaction == view.own && view.own != 0;
            debug_assert!(header.transaction != 0, "a row has a writer");
            let seen = if own {
                let statement = if header.fresh {
                    header.link as u32
                } else if view.before_statement == u32::MAX {
                    0
                } else {
                    // `old` is read again below if this version is not the one.
                    let mut replaced = Vec::new();
                    self.versions.read(header.link, &mut replaced)?
                };
                statement < view.before_statement
            } else {
                match (self.commits.status(header.transaction), view.mode) {
                    (Status::Committed(time), ReadMode::Snapshot(snapshot)) => time <= snapshot,
                    (Status::Committed(time), _) => match view.conflict {
                        Some((read, table)) if time > read => return Err(StorageError::UpdateConflict { table }),
                        _ => true,
                    },
                    (Status::Active | Status::Preparing(_), ReadMode::Newest) => {
                        return Ok(Seen::Wait(header.transaction));
                    }
                    // It has changed memory-optimized tables as well, where its changes are seen from that time on: here, too.
                    (Status::Preparing(time), ReadMode::Snapshot(snapshot)) if time <= snapshot => {
                        return Ok(Seen::Wait(header.transaction));
                    }
                    (Status::Active | Status::Preparing(_), _) => false,
                    // Undone already: whoever looks again finds the version before it. Until then this one is not there.
                    (Status::RolledBack, _) => false,
                }
            };
            if seen {
                return Ok(if header.ghost { Seen::Nothing } else { here });
            }
            if header.fresh {
                return Ok(Seen::Nothing);
            }
            self.versions.read(header.link, old)?;
            debug_assert!(old.len() >= ROW_HEADER_BYTES, "an older version has its header");
            header = RowHeader::decode(old);
            here = Seen::Old;
        }
    }

    /// The transaction that has to end before `writer` may change the row.
    fn in_the_way(&self, writer: &Writer, header: &RowHeader) -> Option<u64> {
        debug_assert!(writer.id != 0, "who changes a row has an id");
        let other = header.transaction != writer.id;
        (other && self.commits.is_running(header.transaction)).then_some(header.transaction)
    }

    /// Inserts a row, over the ghost of an earlier one if there is one. `Err(DuplicateKey)`: a row is there.
    pub fn insert_row(
        &self,
        writer: &mut Writer,
        tree: &Tree,
        table: TableId,
        key: &[u8],
        image: &[u8],
        patience: Patience,
    ) -> StorageResult<Inserted> {
        loop {
            self.admit(writer)?;
            self.identify(writer)?;
            let mut leaf = self.leaf_exclusive(tree, key)?;
            // Under the latch: who notes his range after this meets the row.
            if let Some(other) = self.locks.ranges.in_the_way(writer.member, tree.id(), key) {
                drop(leaf);
                self.locks.wait_for_member(writer.member, other, WaitType::LCK_M_RIn_NL, patience, None)?;
                continue;
            }
            let count = page::slot_count(&leaf);
            let append = count > 0 && page::prefix_length(&leaf) == 0 && page::suffix(&leaf, count - 1) < key;
            let (slot, found) = if append { (count, false) } else { page::lower_bound(&leaf, key) };
            debug_assert!(!append || page::lower_bound(&leaf, key) == (count, false), "a key above all of the leaf");
            if !found {
                let payload = ROW_HEADER_BYTES + image.len();
                let early = count >= EARLY_SPLIT_ROWS && os::sim_choice!("tree.split.early", 16);
                if early || !page::has_room(&leaf, key, payload) {
                    drop(leaf);
                    self.split(tree, key, writer.kept_pages(), &|leaf| {
                        let enough = early && page::slot_count(leaf) >= EARLY_SPLIT_ROWS;
                        !enough && page::has_room(leaf, key, payload)
                    })?;
                    continue;
                }
                let header =
                    RowHeader { transaction: writer.id, ghost: false, fresh: true, link: writer.statement as u64 };
                let author = &mut if writer.fills_own_trees { Author::System } else { Author::Change(writer) };
                self.put_cell(author, tree, &mut leaf, slot, key, &[&header.encode(), image])?;
                return Ok(Inserted::Done);
            }
            let header = RowHeader::decode(page::payload(&leaf, slot));
            if let Some(other) = self.in_the_way(writer, &header) {
                drop(leaf);
                let row = Resource::row(DatabaseId(tree.file.database), table, key);
                self.locks.wait_for_end(writer.member, other, LockMode::Exclusive, patience, Some(row))?;
                continue;
            }
            if !header.ghost {
                return Ok(Inserted::Duplicate);
            }
            assert!(!writer.fills_own_trees, "nothing is deleted from a tree before it is full");
            if self.replace_row(writer, tree, leaf, slot, key, image)? {
                return Ok(Inserted::Done);
            }
        }
    }

    /// False: a split was needed, look again.
    fn replace_row(
        &self,
        writer: &mut Writer,
        tree: &Tree,
        mut leaf: Exclusive<'_>,
        slot: usize,
        key: &[u8],
        image: &[u8],
    ) -> StorageResult<bool> {
        debug_assert_eq!(page::key(&leaf, slot), key, "the row to replace");
        debug_assert_eq!(
            self.in_the_way(writer, &RowHeader::decode(page::payload(&leaf, slot))),
            None,
            "nobody else is changing it"
        );
        let bytes = ROW_HEADER_BYTES + image.len();
        if !page::has_room_to_replace(&leaf, slot, bytes) {
            drop(leaf);
            self.split(tree, key, writer.kept_pages(), &|leaf| {
                let (slot, found) = page::lower_bound(leaf, key);
                !found || page::has_room_to_replace(leaf, slot, bytes)
            })?;
            return Ok(false);
        }
        let link = self.versions.push(writer.id, writer.statement, page::payload(&leaf, slot))?;
        debug_assert!(link != 0, "0 leads nowhere");
        os::sim_point!("row.version");
        let header = RowHeader { transaction: writer.id, ghost: false, fresh: false, link };
        let mut payload = Vec::with_capacity(bytes);
        payload.extend_from_slice(&header.encode());
        payload.extend_from_slice(image);
        self.put_payload(&mut Author::Change(writer), tree, &mut leaf, slot, key, &payload)?;
        Ok(true)
    }

    /// Logs and replaces the payload of a cell that has room for it.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn put_payload(
        &self,
        author: &mut Author<'_>,
        tree: &Tree,
        leaf: &mut Exclusive<'_>,
        slot: usize,
        key: &[u8],
        payload: &[u8],
    ) -> StorageResult<()> {
        os::plant!();
        leaf.mark_dirty();
        let number = leaf.number();
        let body = UpdateBody::between(tree.root, slot as u16, key, page::payload(leaf, slot), payload);
        debug_assert_eq!(page::key(leaf, slot), key, "the cell to change");
        debug_assert_eq!(body.patch(page::payload(leaf, slot), body.new), payload, "redo gets the same payload");
        debug_assert_eq!(body.patch(payload, body.old), page::payload(leaf, slot), "undo gets the old one back");
        let parts = [&body.cell_head()[..], key, &body.lengths(), body.old, body.new];
        let end = self.append(author, Kind::Update, &tree.file, number, &parts)?;
        page::replace(leaf, slot, payload);
        page::set_lsn(leaf, end);
        Ok(())
    }

    /// Logs and replaces the row header of a cell.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn put_header(
        &self,
        author: &mut Author<'_>,
        tree: &Tree,
        leaf: &mut Exclusive<'_>,
        slot: usize,
        key: &[u8],
        header: &[u8],
    ) -> StorageResult<()> {
        os::plant!();
        leaf.mark_dirty();
        debug_assert_eq!(page::key(leaf, slot), key, "the cell to change");
        debug_assert_eq!(header.len(), ROW_HEADER_BYTES);
        let head = cell_head(tree.root, slot as u16, key.len());
        let number = leaf.number();
        let parts = [&head[..], key, &page::payload(leaf, slot)[..ROW_HEADER_BYTES], header];
        let end = self.append(author, Kind::Header, &tree.file, number, &parts)?;
        apply_header(leaf, slot, header);
        page::set_lsn(leaf, end);
        Ok(())
    }

    /// The latched leaf and slot of a row that `writer` may change now. `RowGone`: there is none. None: somebody holds a lock on
    /// the row (`lock`) that keeps it from being changed.
    fn row_to_change<'a>(
        &'a self,
        writer: &mut Writer,
        tree: &Tree,
        table: TableId,
        key: &[u8],
        lock: Option<Resource>,
        snapshot: Option<u64>,
        patience: Patience,
    ) -> StorageResult<Option<(Exclusive<'a>, usize)>> {
        loop {
            self.admit(writer)?;
            self.identify(writer)?;
            let leaf = self.leaf_exclusive(tree, key)?;
            let (slot, found) = page::lower_bound(&leaf, key);
            if !found {
                return Err(StorageError::RowGone);
            }
            let header = RowHeader::decode(page::payload(&leaf, slot));
            if let Some(other) = self.in_the_way(writer, &header) {
                drop(leaf);
                let row = Resource::row(DatabaseId(tree.file.database), table, key);
                self.locks.wait_for_end(writer.member, other, LockMode::Exclusive, patience, Some(row))?;
                continue;
            }
            if let (Some(snapshot), true) = (snapshot, header.transaction != writer.id)
                && matches!(self.commits.status(header.transaction), Status::Committed(time) if time > snapshot)
            {
                return Err(StorageError::UpdateConflict { table });
            }
            if header.ghost {
                return Err(StorageError::RowGone);
            }
            // Under the latch, and after every wait: whoever locks the row from here on and then reads it finds it changed.
            if lock.is_some_and(|row| self.locks.is_excluded(writer.member, row, LockMode::Exclusive)) {
                os::sim_point!("row.locked");
                return Ok(None);
            }
            debug_assert!(
                !header.ghost && self.in_the_way(writer, &header).is_none(),
                "a row that the writer may change"
            );
            return Ok(Some((leaf, slot)));
        }
    }

    /// `lock`: what others may hold on the row; false: somebody does, and nothing was done. `snapshot`: of a SNAPSHOT transaction,
    /// which may not change what was changed after it. `old`: the image before.
    #[allow(clippy::too_many_arguments)]
    pub fn update_row(
        &self,
        writer: &mut Writer,
        tree: &Tree,
        table: TableId,
        key: &[u8],
        image: &[u8],
        lock: Option<Resource>,
        snapshot: Option<u64>,
        patience: Patience,
        old: &mut Vec<u8>,
    ) -> StorageResult<bool> {
        loop {
            let found = self.row_to_change(writer, tree, table, key, lock, snapshot, patience)?;
            let Some((leaf, slot)) = found else { return Ok(false) };
            old.clear();
            old.extend_from_slice(&page::payload(&leaf, slot)[ROW_HEADER_BYTES..]);
            debug_assert_eq!(page::key(&leaf, slot), key, "the row to change");
            if self.replace_row(writer, tree, leaf, slot, key, image)? {
                return Ok(true);
            }
        }
    }

    /// As `update_row`.
    #[allow(clippy::too_many_arguments)]
    pub fn delete_row(
        &self,
        writer: &mut Writer,
        tree: &Tree,
        table: TableId,
        key: &[u8],
        lock: Option<Resource>,
        snapshot: Option<u64>,
        patience: Patience,
        old: &mut Vec<u8>,
    ) -> StorageResult<bool> {
        let found = self.row_to_change(writer, tree, table, key, lock, snapshot, patience)?;
        let Some((mut leaf, slot)) = found else { return Ok(false) };
        old.clear();
        old.extend_from_slice(&page::payload(&leaf, slot)[ROW_HEADER_BYTES..]);
        let link = self.versions.push(writer.id, writer.statement, page::payload(&leaf, slot))?;
        debug_assert!(link != 0, "0 leads nowhere");
        let header = RowHeader { transaction: writer.id, ghost: true, fresh: false, link };
        self.put_header(&mut Author::Change(writer), tree, &mut leaf, slot, key, &header.encode())?;
        self.ghosts.note(PageRef { file: tree.file.number, page: leaf.number() }, writer.id);
        if self.has_ghosts_around(&leaf, slot) || os::sim_choice!("ghosts.sweep") {
            self.drop_ghosts(tree, &mut leaf)?;
        }
        Ok(true)
    }

    fn has_ghosts_around(&self, leaf: &PageBytes, slot: usize) -> bool {
        let horizon = self.commits.horizon();
        let around = [slot.checked_sub(SWEEP_DISTANCE), Some(slot + SWEEP_DISTANCE)];
        let mut there = around.into_iter().flatten().filter(|slot| *slot < page::slot_count(leaf));
        there.any(|slot| RowHeader::decode(page::payload(leaf, slot)).is_old_ghost(horizon))
    }

    /// Takes a row out of a tree that the statement fills: nobody has seen it. Its image; None: it was not there.
    pub fn remove_row(&self, writer: &Writer, tree: &Tree, key: &[u8]) -> StorageResult<Option<Vec<u8>>> {
        assert!(writer.fills_own_trees, "what others have seen stays as a ghost");
        self.admit(writer)?;
        let mut leaf = self.leaf_exclusive(tree, key)?;
        let (slot, found) = page::lower_bound(&leaf, key);
        if !found {
            return Ok(None);
        }
        let image = page::payload(&leaf, slot)[ROW_HEADER_BYTES..].to_vec();
        self.drop_cell(&mut Author::System, tree, &mut leaf, slot)?;
        Ok(Some(image))
    }

    /// The image of the row at `key` as `view` sees it, into `image`.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn read_row(&self, view: &View, tree: &Tree, key: &[u8], image: &mut Vec<u8>) -> StorageResult<Seen> {
        self.read_row_near(view, tree, key, 0, image)
    }

    /// The same of a key that is thought to lie in the leaf `near` (0: no idea).
    #[inline]
    pub fn read_row_near(
        &self,
        view: &View,
        tree: &Tree,
        key: &[u8],
        near: u32,
        image: &mut Vec<u8>,
    ) -> StorageResult<Seen> {
        os::plant!();
        let (leaf, (slot, found)) = self.place_near(tree, key, near)?;
        if !found {
            return Ok(Seen::Nothing);
        }
        let payload = page::payload(&leaf, slot);
        let seen = self.see(view, payload, image)?;
        match seen {
            Seen::Here => {
                image.clear();
                image.extend_from_slice(&payload[ROW_HEADER_BYTES..]);
            }
            Seen::Old => {
                debug_assert!(image.len() >= ROW_HEADER_BYTES, "an older version has its header");
                image.drain(..ROW_HEADER_BYTES);
            }
            _ => {}
        }
        Ok(seen)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inserted {
    Done,
    Duplicate,
}

/// Also what redo does.
pub fn apply_header(page: &mut page::PageBytes, slot: usize, header: &[u8]) {
    debug_assert_eq!(header.len(), ROW_HEADER_BYTES);
    page::payload_mut(page, slot)[..ROW_HEADER_BYTES].copy_from_slice(header);
}
