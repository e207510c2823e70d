//! All that is wrong with the pages of a database, while it is used: each page of a tree is as the page above says, on disk as well, in
//! one tree only, and the bitmaps have exactly those pages.
//!
//! Pages are looked at one at a time, so who changes them meanwhile may be caught between two. A page that is not where it should be is
//! looked up again with the page above latched; all else that is found is looked for again, and only what stays is told: damage does.

use std::collections::BTreeSet;

use types::pause::{Pacer, Pause};

use crate::buffer::Shared;
use crate::concurrency::locks::{LockMode, Resource};
use crate::engine::{BITMAP_SPAN, Engine};
use crate::error::{StorageError, StorageResult, heard};
use crate::layout::{DatabaseId, IndexId, PageRef, TableId};
use crate::pages::data_files::DataFile;
use crate::pages::files::read_or_zero;
use crate::pages::page::{self, HEADER_BYTES, PAGE_BYTES, PageBytes, PageKind, u16_at};
use crate::pages::suspects::SuspectKind;
use crate::shapes::shape::DIRECTORY_ROOT;
use os::wait::WaitType;

/// How often what was found is looked for again, and after how long.
const LOOKS: usize = 4;
const LOOK_AGAIN_MS: u64 = 25;
/// What is wrong with a file is told up to so many pages.
const FLAWS_MAX: usize = 10_000;

/// Something that is wrong with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flaw {
    /// Of the tree, 0: of none that is known.
    pub table: i32,
    /// 0: the rows themselves.
    pub index: u32,
    pub page: u32,
    /// The page above, 0: there is none.
    pub parent: u32,
    pub kind: FlawKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlawKind {
    /// It fails its checksum, or is another page.
    Unreadable,
    /// In memory it is whole, on disk it is not.
    UnreadableOnDisk,
    /// It is not what the page above says: what it should be, in words.
    Misplaced(&'static str),
    /// Two pages have it below them.
    Twice,
    /// A tree has it, and by the bitmap it is free.
    NotAllocated,
    /// By the bitmap it is in use, and no tree has it.
    NotSeen,
    /// It should be a bitmap, or the file's header.
    NoAllocationPage,
}

impl FlawKind {
    /// Of allocation, and not of what is in a page.
    pub fn is_of_allocation(self) -> bool {
        matches!(self, FlawKind::NotSeen | FlawKind::NotAllocated | FlawKind::NoAllocationPage)
    }
}

/// What a walk has found.
struct Walk<'a> {
    file: &'a DataFile,
    /// Pages that trees have, a bit each.
    seen: Vec<u64>,
    flaws: BTreeSet<Flaw>,
    pacer: Pacer<'a>,
}

/// Where a page stands: what the page above says of it.
pub(super) struct Place {
    pub number: u32,
    pub parent: u32,
    /// In the page above.
    pub slot: u16,
    pub level: Option<u8>,
    pub lower: Vec<u8>,
    pub upper: Option<Vec<u8>>,
    /// Who repairs it has been here.
    pub mended: bool,
}

impl Place {
    pub fn root(number: u32) -> Place {
        Place { number, parent: 0, slot: 0, level: None, lower: Vec::new(), upper: None, mended: false }
    }

    /// What `node`, an inner page that stands here, says of the pages below.
    pub fn children(&self, node: &PageBytes) -> Vec<Place> {
        let count = page::slot_count(node);
        let mut lower = self.lower.clone();
        let mut children = Vec::with_capacity(count + 1);
        for slot in 0..=count {
            let upper = (slot < count).then(|| page::key(node, slot));
            children.push(Place {
                number: page::child(node, slot),
                parent: self.number,
                slot: slot as u16,
                level: Some(page::level(node) - 1),
                lower: std::mem::take(&mut lower),
                upper: upper.clone().or_else(|| self.upper.clone()),
                mended: false,
            });
            lower = upper.unwrap_or_default();
        }
        children
    }
}

impl Walk<'_> {
    fn add(&mut self, (table, index): (i32, u32), page: u32, parent: u32, kind: FlawKind) {
        if self.flaws.len() < FLAWS_MAX {
            self.flaws.insert(Flaw { table, index, page, parent, kind });
        }
    }

    fn has_seen(&self, page: u32) -> bool {
        self.seen.get(page as usize / 64).is_some_and(|word| word >> (page % 64) & 1 == 1)
    }

    /// False: it was seen before.
    fn see(&mut self, page: u32) -> bool {
        let before = self.has_seen(page);
        if self.seen.len() <= page as usize / 64 {
            self.seen.resize(page as usize / 64 + 1, 0);
        }
        self.seen[page as usize / 64] |= 1 << (page % 64);
        !before
    }
}

impl Engine {
    /// `only`: of one table; then the bitmaps are not looked at.
    pub fn flaws(&self, db: DatabaseId, only: Option<TableId>, pause: &dyn Pause) -> StorageResult<Vec<Flaw>> {
        let mut found = self.look_for_flaws(db, only, pause)?;
        for _ in 1..LOOKS {
            if found.is_empty() {
                break;
            }
            os::wait::sleep(WaitType::SLEEP_TASK, LOOK_AGAIN_MS);
            let again = self.look_for_flaws(db, only, pause)?;
            found.retain(|flaw| again.contains(flaw));
        }
        Ok(found.into_iter().collect())
    }

    fn look_for_flaws(
        &self,
        db: DatabaseId,
        only: Option<TableId>,
        pause: &dyn Pause,
    ) -> StorageResult<BTreeSet<Flaw>> {
        let file = self.file_of(db)?;
        let words = file.pages() as usize / 64 + 1;
        let mut walk = Walk { file: &file, seen: vec![0; words], flaws: BTreeSet::new(), pacer: Pacer::new(pause) };
        let system = (0, 0);
        if only.is_none() {
            self.check_header(&mut walk)?;
            self.walk_tree(&mut walk, DIRECTORY_ROOT, system)?;
        }
        let tables = match self.list_directory(db) {
            Ok(tables) => tables,
            Err(StorageError::CorruptPage { page, .. }) => {
                walk.add(system, page.page, 0, FlawKind::Unreadable);
                return Ok(walk.flaws);
            }
            Err(error) => return Err(error),
        };
        // Without all definitions nobody knows which trees there are.
        let mut is_complete = true;
        let wanted = match only {
            None => tables,
            Some(only) => self.with_partitions(db, only),
        };
        for table in wanted {
            let (layout, roots) = match self.read_directory(db, table) {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                Err(StorageError::CorruptPage { page, .. }) => {
                    walk.add((table.0, 0), page.page, 0, FlawKind::Unreadable);
                    is_complete = false;
                    continue;
                }
                Err(StorageError::Damaged(_)) => {
                    walk.add((table.0, 0), DIRECTORY_ROOT, 0, FlawKind::Misplaced("definition is whole"));
                    is_complete = false;
                    continue;
                }
                Err(error) => return Err(error),
            };
            if layout.memory.is_some() || roots.partitioning.is_some() {
                continue;
            }
            let of_rows = layout.indexes.iter().find(|index| index.clustered).map_or(0, |index| index.id.0);
            self.walk_tree(&mut walk, roots.base, (table.0, of_rows))?;
            if roots.long_values != 0 {
                self.walk_tree(&mut walk, roots.long_values, (table.0, of_rows))?;
            }
            for (index, own) in layout.indexes.iter().zip(&roots.indexes).filter(|(_, own)| own.entries != roots.base) {
                let IndexId(id) = index.id;
                for root in [own.entries, own.long_values].into_iter().filter(|root| *root != 0) {
                    self.walk_tree(&mut walk, root, (table.0, id))?;
                }
            }
        }
        if only.is_some() {
            return Ok(walk.flaws);
        }
        // Trees that are being freed, or that an open transaction has taken out of the directory or not put there yet, are in use and in no
        // tree.
        let pending = self.pending().iter().any(|pending| pending.file == file.number);
        let may_define = |mode: LockMode| mode.covers(LockMode::Shared) && mode != LockMode::Update;
        let defines = self
            .locks
            .entries()
            .iter()
            .any(|entry| matches!(entry.resource, Resource::Table(of, _) if of == db && may_define(entry.mode)));
        let is_complete =
            is_complete && !pending && !defines && walk.flaws.iter().all(|flaw| flaw.kind != FlawKind::Unreadable);
        self.check_bitmaps(&mut walk, is_complete)?;
        Ok(walk.flaws)
    }

    /// A table, and the tables that are its partitions. What cannot be read is found when the table itself is looked at.
    fn with_partitions(&self, db: DatabaseId, table: TableId) -> Vec<TableId> {
        let found = self.read_directory(db, table).ok().flatten();
        let partitioning = found.and_then(|(_, roots)| roots.partitioning);
        std::iter::once(table).chain(partitioning.into_iter().flat_map(|all| all.partitions)).collect()
    }

    fn check_header(&self, walk: &mut Walk<'_>) -> StorageResult<()> {
        let file = walk.file;
        let is_right = match self.buffer.shared(file, 0) {
            Ok(header) => {
                page::kind(&header) == Some(PageKind::FileHeader)
                    && u16_at(&header[..], HEADER_BYTES + 4) == file.database
            }
            Err(StorageError::CorruptPage { .. }) => false,
            Err(error) => return Err(error),
        };
        match is_right {
            false => walk.add((0, 0), 0, 0, FlawKind::NoAllocationPage),
            true if !self.is_whole_on_disk(file, 0)? => walk.add((0, 0), 0, 0, FlawKind::UnreadableOnDisk),
            true => {}
        }
        Ok(())
    }

    /// Each page of the tree; below a page that is wrong nothing is known.
    fn walk_tree(&self, walk: &mut Walk<'_>, root: u32, of: (i32, u32)) -> StorageResult<()> {
        let file = walk.file;
        let mut places = vec![Place::root(root)];
        while let Some(mut place) = places.pop() {
            heard(walk.pacer.spend(PAGE_BYTES / 4))?;
            if !walk.see(place.number) {
                walk.add(of, place.number, place.parent, FlawKind::Twice);
                continue;
            }
            let mut node = match self.buffer.shared(file, place.number) {
                Ok(node) => node,
                Err(StorageError::CorruptPage { .. }) => {
                    walk.add(of, place.number, place.parent, FlawKind::Unreadable);
                    continue;
                }
                Err(error) => return Err(error),
            };
            if let Some(test) = misplaced(&node, root, &place)
                && !self.goes_so(&node, root, &mut place)
            {
                drop(node);
                match self.stands_now(file, root, &place) {
                    Ok(Some((now, found))) if misplaced(&found, root, &now).is_none() => {
                        if now.number != place.number && !walk.see(now.number) {
                            continue;
                        }
                        (place, node) = (now, found);
                    }
                    Ok(_) | Err(StorageError::CorruptPage { .. }) => {
                        walk.add(of, place.number, place.parent, FlawKind::Misplaced(test));
                        continue;
                    }
                    Err(error) => return Err(error),
                }
            }
            if page::kind(&node) == Some(PageKind::Inner) {
                places.extend(place.children(&node));
            }
            drop(node);
            if !self.is_whole_on_disk(file, place.number)? {
                walk.add(of, place.number, place.parent, FlawKind::UnreadableOnDisk);
            }
            if place.number >= file.pages() {
                walk.add(of, place.number, place.parent, FlawKind::NotAllocated);
            } else if let Ok(false) = self.is_allocated(file, place.number) {
                walk.add(of, place.number, place.parent, FlawKind::NotAllocated);
            }
        }
        Ok(())
    }

    /// The page that stands at `place` now, and what the page above says of it while it is latched, too: between the two looks of a walk
    /// a page that many write to is split again and again. None: there is no way to it.
    fn stands_now<'a>(
        &'a self,
        file: &DataFile,
        root: u32,
        place: &Place,
    ) -> StorageResult<Option<(Place, Shared<'a>)>> {
        let (mut now, mut node) = (Place::root(root), self.buffer.shared(file, root)?);
        while place.level.is_some_and(|level| page::level(&node) > level) {
            if page::kind(&node) != Some(PageKind::Inner) || misplaced(&node, root, &now).is_some() {
                return Ok(None);
            }
            now = now.children(&node).swap_remove(page::child_slot(&node, &place.lower));
            let below = self.buffer.shared(file, now.number)?;
            if page::level(&below) >= page::level(&node) {
                return Ok(None);
            }
            node = below;
        }
        Ok((now.number != root).then_some((now, node)))
    }

    /// The tree only waits to be freed, and its pages may be as this one.
    fn goes_so(&self, node: &PageBytes, root: u32, place: &mut Place) -> bool {
        place.upper = page::upper_fence(node).map(<[u8]>::to_vec);
        self.is_going(node) && (page::kind(node) == Some(PageKind::Unlogged) || misplaced(node, root, place).is_none())
    }

    /// A page that was read passed its checksum; one that is in memory may have been damaged on disk since. One that is being written
    /// is read again.
    fn is_whole_on_disk(&self, file: &DataFile, number: u32) -> StorageResult<bool> {
        let mut bytes = Box::new([0; PAGE_BYTES]);
        for _ in 0..LOOKS {
            read_or_zero(&file.file, WaitType::IO_COMPLETION, u64::from(number) * PAGE_BYTES as u64, &mut bytes[..])?;
            if page::is_intact(&bytes, file.number, number) {
                return Ok(true);
            }
            os::wait::sleep(WaitType::SLEEP_TASK, 1);
        }
        let is_wrong = page::has_own_checksum(&bytes);
        let kind = if is_wrong { SuspectKind::Wrong } else { SuspectKind::Checksum };
        self.buffer.suspects.add(PageRef { file: file.number, page: number }, kind);
        Ok(false)
    }

    /// `is_complete`: all pages in use were seen.
    fn check_bitmaps(&self, walk: &mut Walk<'_>, is_complete: bool) -> StorageResult<()> {
        let file = walk.file;
        for base in (0..file.pages()).step_by(BITMAP_SPAN as usize) {
            let bitmap = match self.buffer.shared(file, base + 1) {
                Ok(bitmap) if matches!(page::kind(&bitmap), Some(PageKind::Bitmap | PageKind::Free)) => bitmap,
                Ok(_) | Err(StorageError::CorruptPage { .. }) => {
                    walk.add((0, 0), base + 1, 0, FlawKind::NoAllocationPage);
                    continue;
                }
                Err(error) => return Err(error),
            };
            let bits: Vec<u8> = bitmap[HEADER_BYTES..][..BITMAP_SPAN as usize / 8].to_vec();
            drop(bitmap);
            if !self.is_whole_on_disk(file, base + 1)? {
                walk.add((0, 0), base + 1, 0, FlawKind::UnreadableOnDisk);
            }
            for (at, byte) in bits.iter().enumerate().filter(|(_, byte)| is_complete && **byte != 0) {
                heard(walk.pacer.spend(8))?;
                for bit in (0..8).filter(|bit| byte >> bit & 1 == 1) {
                    let (offset, number) = (at as u32 * 8 + bit, base + at as u32 * 8 + bit);
                    if offset >= 2 && !walk.has_seen(number) {
                        walk.add((0, 0), number, 0, FlawKind::NotSeen);
                    }
                }
            }
        }
        Ok(())
    }
}

/// What does not hold of a page, in words; None: all does.
pub(super) fn misplaced(node: &PageBytes, root: u32, place: &Place) -> Option<&'static str> {
    let is_tree = matches!(page::kind(node), Some(PageKind::Leaf | PageKind::Inner));
    let tests = [
        ("m_type is of an index page", is_tree),
        ("slots, cells and keys are in order", page::check(node).is_ok()),
        ("m_objId is the tree's", page::root(node) == root),
        ("m_level is one below its parent's", place.level.is_none_or(|level| level == page::level(node))),
        ("m_level agrees with m_type", (page::level(node) == 0) == (page::kind(node) == Some(PageKind::Leaf))),
    ];
    let first = tests.iter().find(|(_, holds)| !holds).map(|(test, _)| *test);
    if first.is_some() {
        return first;
    }
    let ends = [0, page::slot_count(node).wrapping_sub(1)];
    let within = ends.into_iter().filter(|slot| *slot < page::slot_count(node)).all(|slot| {
        let key = page::key(node, slot);
        page::is_within_fences(node, &key)
    });
    let fences = page::lower_fence(node) == &place.lower[..] && page::upper_fence(node) == place.upper.as_deref();
    match (fences, within) {
        (false, _) => Some("fences are its parent's keys"),
        (_, false) => Some("keys lie between the fences"),
        _ => None,
    }
}
