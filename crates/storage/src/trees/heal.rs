//! Making the pages of a damaged file whole again, for who repairs a database that nobody else uses.
//!
//! A page that is not what the page above says gets a new content: a leaf none, and its rows are lost; a page above others what its children
//! say of themselves, found by looking through the file, so nothing is lost if all of them are whole. Where a child is missing, an empty one
//! fills the range between its neighbours. An index beside its table's rows is only named: it is to be made anew from them. Once nothing else is
//! wrong the bitmaps are made to have exactly the pages that trees have. Each page is one record of the log, so a crash leaves what can be
//! repaired once more.

use std::collections::BTreeSet;

use types::pause::{Pacer, Pause};

use crate::buffer::Exclusive;
use crate::engine::{Author, BITMAP_SPAN, Engine};
use crate::error::{StorageError, StorageResult, heard};
use crate::layout::{DatabaseId, PageRef};
use crate::log::record::Kind;
use crate::log::structure::Action;
use crate::pages::data_files::DataFile;
use crate::pages::page::{self, HEADER_BYTES, PAGE_BYTES, PageBytes, PageKind, u16_at};
use crate::shapes::shape::DIRECTORY_ROOT;
use crate::trees::integrity::{FlawKind, Place, misplaced};

/// Cures told of.
const CURES_MAX: usize = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CureKind {
    /// It was whole in memory, and is written to disk again.
    Rewritten,
    /// It has no rows now: what it had is lost.
    Emptied,
    /// A page above others, made again from them.
    Rejoined,
    /// A bitmap, or the file's header.
    Allocation,
}

/// What was done with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cure {
    /// 0: of no table.
    pub table: i32,
    /// As `Flaw` has it.
    pub index: u32,
    pub page: u32,
    pub kind: CureKind,
}

#[derive(Debug, Clone, Default)]
pub struct Repaired {
    pub cures: Vec<Cure>,
    /// Indexes, by table, that are to be made anew.
    pub indexes: Vec<(i32, u32)>,
    /// Pages that were left as they are: more would cost rows.
    pub left: u64,
}

/// A page that says of what tree, level and range it is.
struct Known {
    number: u32,
    level: u8,
    lower: Vec<u8>,
    upper: Option<Vec<u8>>,
}

/// A page to be written.
struct Planned {
    number: u32,
    image: Box<PageBytes>,
    kind: CureKind,
}

struct Healing<'a> {
    engine: &'a Engine,
    file: &'a DataFile,
    may_lose: bool,
    /// Pages that trees have.
    seen: BTreeSet<u32>,
    /// The next page that nobody has ever had.
    next: u32,
    done: Repaired,
    pacer: Pacer<'a>,
}

impl Engine {
    pub fn heal(
        &self,
        file: &DataFile,
        (db, format): (DatabaseId, u32),
        may_lose: bool,
        pause: &dyn Pause,
    ) -> StorageResult<Repaired> {
        let on_disk = self.flaws(db, None, pause)?;
        // No tree goes meanwhile.
        let _freeing = self.freeing.lock();
        let mut healing = Healing {
            engine: self,
            file,
            may_lose,
            seen: BTreeSet::new(),
            next: file.pages(),
            done: Repaired::default(),
            pacer: Pacer::new(pause),
        };
        healing.header(db, format)?;
        healing.tree(DIRECTORY_ROOT, (0, 0), false)?;
        for table in self.list_directory(db)? {
            let Some((layout, roots)) = self.read_directory(db, table)? else { continue };
            if layout.memory.is_some() {
                continue;
            }
            let of_rows = layout.indexes.iter().find(|index| index.clustered).map_or(0, |index| index.id.0);
            for root in [roots.base, roots.long_values].into_iter().filter(|root| *root != 0) {
                healing.tree(root, (table.0, of_rows), false)?;
            }
            for (index, own) in layout.indexes.iter().zip(&roots.indexes).filter(|(_, own)| own.entries != roots.base) {
                for root in [own.entries, own.long_values].into_iter().filter(|root| *root != 0) {
                    healing.tree(root, (table.0, index.id.0), true)?;
                }
            }
        }
        for flaw in on_disk.iter().filter(|flaw| flaw.kind == FlawKind::UnreadableOnDisk) {
            healing.rewrite(flaw.page, (flaw.table, flaw.index))?;
        }
        if healing.done.left == 0 && healing.done.indexes.is_empty() {
            healing.pending()?;
            healing.bitmaps()?;
        }
        self.shapes.forget_all();
        Ok(healing.done)
    }
}

impl<'a> Healing<'a> {
    fn cured(&mut self, (table, index): (i32, u32), page: u32, kind: CureKind) {
        if self.done.cures.len() < CURES_MAX {
            self.done.cures.push(Cure { table, index, page, kind });
        }
    }

    fn corrupt(&self, page: u32) -> StorageError {
        StorageError::corrupt(PageRef { file: self.file.number, page })
    }

    /// The page, whatever it holds.
    fn latched(&self, number: u32) -> StorageResult<Exclusive<'a>> {
        self.engine.buffer.grow_file(self.file, number + 1)?;
        match self.engine.buffer.exclusive(self.file, number) {
            Err(StorageError::CorruptPage { .. }) => self.engine.buffer.fresh(self.file, number),
            other => other,
        }
    }

    fn write(&self, number: u32, action: &Action<'_>) -> StorageResult<()> {
        self.engine.log.admit()?;
        let mut guard = self.latched(number)?;
        self.engine.restructure(self.file, &[(number, *action)], &mut [&mut guard])
    }

    fn header(&mut self, db: DatabaseId, format: u32) -> StorageResult<()> {
        let is_right = match self.engine.buffer.shared(self.file, 0) {
            Ok(header) => {
                page::kind(&header) == Some(PageKind::FileHeader) && u16_at(&header[..], HEADER_BYTES + 4) == db.0
            }
            Err(StorageError::CorruptPage { .. }) => false,
            Err(error) => return Err(error),
        };
        if !is_right {
            let header = file_header(self.file.number, db, format);
            self.write(0, &Action::image(&header))?;
            self.cured((0, 0), 0, CureKind::Allocation);
        }
        Ok(())
    }

    fn rewrite(&mut self, number: u32, of: (i32, u32)) -> StorageResult<()> {
        match self.engine.buffer.exclusive(self.file, number) {
            Ok(mut guard) => guard.mark_dirty(),
            // Made again, or left.
            Err(StorageError::CorruptPage { .. }) => return Ok(()),
            Err(error) => return Err(error),
        }
        self.cured(of, number, CureKind::Rewritten);
        Ok(())
    }

    /// `is_derived`: an index that can be made from its table.
    fn tree(&mut self, root: u32, of: (i32, u32), is_derived: bool) -> StorageResult<()> {
        let mut known: Option<Vec<Known>> = None;
        let mut places = vec![Place::root(root)];
        while let Some(mut place) = places.pop() {
            heard(self.pacer.spend(PAGE_BYTES / 4))?;
            let is_twice = self.seen.contains(&place.number);
            if !is_twice && self.descend(root, &place, &mut places)? {
                self.seen.insert(place.number);
                continue;
            }
            if place.mended || is_twice && place.number == root {
                return Err(self.corrupt(place.number));
            }
            if is_derived {
                self.done.indexes.push(of);
                return Ok(());
            }
            if known.is_none() {
                known = Some(self.look_around(root)?);
            }
            let known = known.as_deref().expect("looked just now");
            let number = if is_twice { self.take_page()? } else { place.number };
            let level = match place.level {
                Some(level) => level,
                None => known.iter().map(|page| page.level + 1).max().unwrap_or(0),
            };
            let mut plan = Vec::new();
            self.plan(root, (number, level), (&place.lower, place.upper.as_deref()), known, &mut plan)?;
            if !self.may_lose && plan.iter().any(|page| page.kind == CureKind::Emptied) {
                self.done.left += 1;
                continue;
            }
            for Planned { number, image, kind } in plan {
                self.write(number, &Action::image(&image))?;
                self.cured(of, number, kind);
            }
            if is_twice {
                self.write(place.parent, &Action::SetChild { slot: place.slot, child: number })?;
            }
            (place.number, place.level, place.mended) = (number, Some(level), true);
            places.push(place);
        }
        Ok(())
    }

    /// Whether a page is what the page above says; then those below it are to be looked at, too.
    fn descend(&self, root: u32, place: &Place, places: &mut Vec<Place>) -> StorageResult<bool> {
        let node = match self.engine.buffer.shared(self.file, place.number) {
            Ok(node) => node,
            Err(StorageError::CorruptPage { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        if misplaced(&node, root, place).is_some() {
            return Ok(false);
        }
        if page::kind(&node) == Some(PageKind::Inner) {
            places.extend(place.children(&node));
        }
        Ok(true)
    }

    /// All pages that say that they are of the tree, but its root.
    fn look_around(&mut self, root: u32) -> StorageResult<Vec<Known>> {
        let mut known = Vec::new();
        for number in (0..self.file.pages()).filter(|number| number % BITMAP_SPAN >= 2 && *number != root) {
            heard(self.pacer.spend(PAGE_BYTES / 8))?;
            let node = match self.engine.buffer.shared(self.file, number) {
                Ok(node) => node,
                Err(StorageError::CorruptPage { .. }) => continue,
                Err(error) => return Err(error),
            };
            let is_tree = matches!(page::kind(&node), Some(PageKind::Leaf | PageKind::Inner));
            if is_tree && page::root(&node) == root && page::check(&node).is_ok() {
                known.push(Known {
                    number,
                    level: page::level(&node),
                    lower: page::lower_fence(&node).to_vec(),
                    upper: page::upper_fence(&node).map(<[u8]>::to_vec),
                });
            }
        }
        known.sort_by(|a, b| a.lower.cmp(&b.lower));
        Ok(known)
    }

    fn take_page(&mut self) -> StorageResult<u32> {
        if self.next % BITMAP_SPAN < 2 {
            self.next = self.next / BITMAP_SPAN * BITMAP_SPAN + 2;
        }
        let number = self.next;
        self.engine.buffer.grow_file(self.file, number + 1)?;
        self.next = number + 1;
        Ok(number)
    }

    /// What page `number` of `level` is to be, and what has to be made below it, lowest first.
    fn plan(
        &mut self,
        root: u32,
        (number, level): (u32, u8),
        (lower, upper): (&[u8], Option<&[u8]>),
        known: &[Known],
        plan: &mut Vec<Planned>,
    ) -> StorageResult<()> {
        let mut image = Box::new([0; PAGE_BYTES]);
        let Some(below) = level.checked_sub(1) else {
            page::format(&mut image, PageKind::Leaf, 0, self.file.number, number, root);
            page::set_fences(&mut image, lower, upper);
            plan.push(Planned { number, image, kind: CureKind::Emptied });
            return Ok(());
        };
        page::format(&mut image, PageKind::Inner, level, self.file.number, number, root);
        page::set_fences(&mut image, lower, upper);
        let is_within = |page: &&Known| {
            let ends = match (&page.upper, upper) {
                (_, None) => true,
                (Some(end), Some(upper)) => &end[..] <= upper,
                (None, Some(_)) => false,
            };
            page.level == below && &page.lower[..] >= lower && ends
        };
        // Where each child begins, and which it is.
        let mut children: Vec<(Vec<u8>, u32)> = Vec::new();
        let mut from = Some(lower.to_vec());
        for child in known.iter().filter(is_within) {
            let Some(begin) = from.take_if(|from| *from <= child.lower && !self.seen.contains(&child.number)) else {
                continue;
            };
            if begin < child.lower {
                self.fill(root, below, (begin, Some(&child.lower)), known, plan, &mut children)?;
            }
            children.push((child.lower.clone(), child.number));
            from = child.upper.clone();
        }
        if let Some(begin) = from.filter(|from| Some(&from[..]) != upper) {
            self.fill(root, below, (begin, upper), known, plan, &mut children)?;
        }
        for (slot, [(_, child), (separator, _)]) in children.array_windows().enumerate() {
            if !page::takes(&image, slot, separator, 4) {
                return Err(self.corrupt(number));
            }
            page::insert(&mut image, slot, separator, &[&child.to_le_bytes()]);
        }
        let (_, last) = children.last().ok_or_else(|| self.corrupt(number))?;
        page::set_last_child(&mut image, *last);
        plan.push(Planned { number, image, kind: CureKind::Rejoined });
        Ok(())
    }

    /// A new page in place of one that is lost.
    fn fill(
        &mut self,
        root: u32,
        level: u8,
        (lower, upper): (Vec<u8>, Option<&[u8]>),
        known: &[Known],
        plan: &mut Vec<Planned>,
        children: &mut Vec<(Vec<u8>, u32)>,
    ) -> StorageResult<()> {
        let number = self.take_page()?;
        self.plan(root, (number, level), (&lower, upper), known, plan)?;
        children.push((lower, number));
        Ok(())
    }

    /// Trees that wait to be freed: their pages go with the bitmaps.
    fn pending(&self) -> StorageResult<()> {
        let pending = &self.engine.pending_frees;
        for at in pending.all().into_iter().filter(|at| at.file == self.file.number && at.page != 0) {
            self.engine.append(&mut Author::System, Kind::TreeFree, self.file, at.page, &[])?;
            pending.remove(at);
        }
        Ok(())
    }

    fn bitmaps(&mut self) -> StorageResult<()> {
        for base in (0..self.file.pages()).step_by(BITMAP_SPAN as usize) {
            let mut wanted = Box::new([0; PAGE_BYTES]);
            page::format(&mut wanted, PageKind::Bitmap, 0, self.file.number, base + 1, 0);
            let reserved = [base, base + 1].into_iter().filter(|page| *page < 2);
            for page in self.seen.range(base..base + BITMAP_SPAN).copied().chain(reserved) {
                let bit = (page - base) as usize;
                wanted[HEADER_BYTES + bit / 8] |= 1 << (bit % 8);
            }
            let before = match self.engine.buffer.shared(self.file, base + 1) {
                Ok(bitmap) if matches!(page::kind(&bitmap), Some(PageKind::Bitmap | PageKind::Free)) => {
                    Some(Box::new(*bitmap))
                }
                Ok(_) | Err(StorageError::CorruptPage { .. }) => None,
                Err(error) => return Err(error),
            };
            let is_taken = |map: &PageBytes, bit: usize| map[HEADER_BYTES + bit / 8] >> (bit % 8) & 1 == 1;
            let end = (self.file.pages() - base).min(BITMAP_SPAN) as usize;
            let differs =
                |bit: &usize| before.as_ref().is_none_or(|map| is_taken(map, *bit) != is_taken(&wanted, *bit));
            let changed: Vec<usize> = (2..end).filter(differs).collect();
            if changed.is_empty() && before.is_some() {
                continue;
            }
            for bit in changed.into_iter().filter(|bit| !is_taken(&wanted, *bit)) {
                heard(self.pacer.spend(PAGE_BYTES / 8))?;
                self.set_free(base + bit as u32)?;
            }
            self.write(base + 1, &Action::image(&wanted))?;
            self.cured((0, 0), base + 1, CureKind::Allocation);
            self.file.free_hint().store(0, std::sync::atomic::Ordering::Relaxed);
        }
        Ok(())
    }

    /// Nobody takes it for the page that it was.
    fn set_free(&self, number: u32) -> StorageResult<()> {
        let is_free = match self.engine.buffer.shared(self.file, number) {
            Ok(page) => page::kind(&page) == Some(PageKind::Free),
            Err(StorageError::CorruptPage { .. }) => false,
            Err(error) => return Err(error),
        };
        if is_free {
            return Ok(());
        }
        let mut free = Box::new([0; PAGE_BYTES]);
        page::format(&mut free, PageKind::Free, 0, self.file.number, number, 0);
        self.write(number, &Action::image(&free))
    }
}

/// The first page of a data file. `format`: of everything on disk.
pub fn file_header(number: u32, db: DatabaseId, format: u32) -> Box<PageBytes> {
    let mut header = Box::new([0; PAGE_BYTES]);
    page::format(&mut header, PageKind::FileHeader, 0, number, 0, 0);
    header[HEADER_BYTES..HEADER_BYTES + 4].copy_from_slice(&format.to_le_bytes());
    header[HEADER_BYTES + 4..HEADER_BYTES + 6].copy_from_slice(&db.0.to_le_bytes());
    header
}
