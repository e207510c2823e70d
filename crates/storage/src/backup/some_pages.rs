//! Some pages of a database restored while the rest of it is used.
//!
//! From the first step on the pages are put off (`Buffer::put_off`): nobody reads or changes them. The steps bring what a full backup has
//! of them, perhaps what a differential one has, and then the log, up to behind the moment at which they were put off; records of other
//! pages are passed over. The last step logs each as a whole page, so a crash, a log backup and whoever restores from that know it.
//!
//! A page that was given out anew meanwhile, since its table was dropped, waits no more, and is left as it is. Between two steps all lies in
//! one file, written beside and renamed, so a step that is killed has changed nothing.
//!
//! ```text
//! rNNNNN.hpr  format u32, file u32, end LSN u64 (log goes on there), wanted LSN u64 (up to which it is to be read), base u128 (of the
//!             full backup; 0: of several), count u32, pages: number u32, 8 KB; crc32 u32 of all before
//! ```

use os::disk::{Disk, Open};
use os::wait::WaitType;

use super::blocks::{BlockKind, damaged};
use super::forward::Gap;
use super::media::Media;
use super::set::{Progress, Set, SetHead, SetKind, Words, read_set};
use crate::engine::{BITMAP_SPAN, Engine};
use crate::error::{StorageError, StorageResult};
use crate::instance::storage::Storage;
use crate::layout::DatabaseId;
use crate::log::BLOCK_HEAD;
use crate::log::record::{FLAG_TEMPORARY, HEAD_BYTES, Kind, Record};
use crate::log::structure::{self, Action};
use crate::pages::data_files::{DataFile, restored_pages_name};
use crate::pages::files::read_or_zero;
use crate::pages::page::{self, HEADER_BYTES, PAGE_BYTES, PageBytes, PageKind, u32_at};
use crate::recovery::holding::changes_pages;
use crate::recovery::restart::redo_cell;
use crate::shapes::shape::DIRECTORY_ROOT;

const FORMAT: u32 = 1;
/// Of one database at a time, as in SQL Server.
pub const PAGES_MAX: usize = 1_000;

/// Pages of a database that are being restored.
pub struct SomePages {
    file: u32,
    /// The log goes on here.
    pub end_lsn: u64,
    /// Up to which it is to be read: the pages were put off then.
    pub wanted_lsn: u64,
    /// The full backup that they are from.
    pub base: u128,
    /// In order.
    pages: Vec<(u32, Box<PageBytes>)>,
}

impl SomePages {
    pub fn numbers(&self) -> Vec<u32> {
        self.pages.iter().map(|(number, _)| *number).collect()
    }

    /// All log that there is of them has been read.
    pub fn is_complete(&self) -> bool {
        self.end_lsn >= self.wanted_lsn
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = FORMAT.to_le_bytes().to_vec();
        out.extend_from_slice(&self.file.to_le_bytes());
        for lsn in [self.end_lsn, self.wanted_lsn] {
            out.extend_from_slice(&lsn.to_le_bytes());
        }
        out.extend_from_slice(&self.base.to_le_bytes());
        out.extend_from_slice(&(self.pages.len() as u32).to_le_bytes());
        for (number, bytes) in &self.pages {
            out.extend_from_slice(&number.to_le_bytes());
            out.extend_from_slice(&bytes[..]);
        }
        let crc = crc32fast::hash(&out);
        out.extend_from_slice(&crc.to_le_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Option<SomePages> {
        let (body, crc) = bytes.split_last_chunk::<4>()?;
        let mut words = Words(body);
        if crc32fast::hash(body) != u32::from_le_bytes(*crc) || words.u32()? != FORMAT {
            return None;
        }
        let mut pages = SomePages {
            file: words.u32()?,
            end_lsn: words.u64()?,
            wanted_lsn: words.u64()?,
            base: words.u128()?,
            pages: Vec::new(),
        };
        for _ in 0..words.u32()? {
            let (number, bytes) = (words.u32()?, words.bytes(PAGE_BYTES)?);
            pages.pages.push((number, Box::new(bytes.try_into().ok()?)));
        }
        words.0.is_empty().then_some(pages)
    }

    fn read(disk: &Disk, file: u32) -> StorageResult<Option<SomePages>> {
        let name = restored_pages_name(file);
        if !disk.exists(&name) {
            return Ok(None);
        }
        let from = disk.open(&name, Open::Existing)?;
        let mut bytes = vec![0; from.len()? as usize];
        read_or_zero(&from, WaitType::BACKUPIO, 0, &mut bytes)?;
        let pages = SomePages::decode(&bytes).filter(|pages| pages.file == file);
        pages.map(Some).ok_or_else(|| StorageError::Damaged(format!("{name} of a restore of pages")))
    }

    /// For good when it returns.
    fn write(&self, disk: &Disk) -> StorageResult<()> {
        let (name, next) = (restored_pages_name(self.file), format!("r{:05}.next", self.file));
        let bytes = self.encode();
        let file = disk.open(&next, Open::ExistingOrNew)?;
        file.set_len(bytes.len() as u64)?;
        file.write_at(&bytes, 0)?;
        file.sync_data_as(WaitType::BACKUPIO)?;
        os::sim_point!("restore.some_pages");
        disk.rename(&next, &name)?;
        Ok(disk.sync_names()?)
    }

    fn page_mut(&mut self, number: u32) -> Option<&mut PageBytes> {
        let at = self.pages.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(&mut self.pages[at].1)
    }

    /// What a block of a set has of the pages.
    fn take(&mut self, head: &SetHead, kind: BlockKind, body: &[u8]) -> StorageResult<()> {
        let taken = match kind {
            BlockKind::Pages => self.take_pages(head, &mut Words(body)),
            BlockKind::Log => self.take_log(&mut Words(body))?,
            BlockKind::Rows | BlockKind::Head | BlockKind::Tail => Some(()),
        };
        taken.ok_or_else(|| damaged("a block is not what it should be"))
    }

    fn take_pages(&mut self, head: &SetHead, words: &mut Words<'_>) -> Option<()> {
        let (first, mask) = (words.u32()?, words.u32()?);
        for bit in (0..u32::BITS).filter(|bit| mask >> bit & 1 == 1) {
            let (number, bytes) = (first.saturating_add(bit), words.bytes(PAGE_BYTES)?);
            if let Some(page) = self.page_mut(number) {
                page.copy_from_slice(bytes);
                if !page::is_intact(page, head.file, number) || page::check(page).is_err() {
                    return None;
                }
            }
        }
        words.0.is_empty().then_some(())
    }

    fn take_log(&mut self, words: &mut Words<'_>) -> StorageResult<Option<()>> {
        while !words.0.is_empty() {
            let (Some(lsn), Some(length)) = (words.u64(), words.u32()) else { return Ok(None) };
            let Some(block) = words.bytes(length as usize) else { return Ok(None) };
            let mut at = BLOCK_HEAD as usize;
            while at < block.len() {
                let length = block.get(at..at + 4).map_or(0, |bytes| u32_at(bytes, 0) as usize);
                let bytes = block.get(at..at.saturating_add(length)).filter(|bytes| bytes.len() >= HEAD_BYTES);
                let Some(record) = bytes.and_then(|bytes| Record::decode(lsn + at as u64, bytes)) else {
                    return Ok(None);
                };
                self.redo(&record)?;
                at += length;
            }
            os::wait::maybe_yield();
        }
        Ok(Some(()))
    }

    fn redo(&mut self, record: &Record<'_>) -> StorageResult<()> {
        let head = &record.head;
        if head.file != self.file || head.flags & FLAG_TEMPORARY != 0 || !changes_pages(head.kind) {
            return Ok(());
        }
        let unfit = |page: u32| {
            let (lsn, kind) = (record.lsn, head.kind);
            StorageError::Damaged(format!("log record at {lsn} ({kind:?}) does not fit its page, {page}"))
        };
        if head.kind != Kind::Structure {
            let Some(page) = self.page_mut(head.page).filter(|page| page::lsn(page) < record.end) else {
                return Ok(());
            };
            if page::kind(page) != Some(PageKind::Leaf) {
                return Err(unfit(head.page));
            }
            redo_cell(page, head.kind, record.body).ok_or_else(|| unfit(head.page))?;
            page::set_lsn(page, record.end);
            return Ok(());
        }
        let file = self.file;
        let actions = structure::decode(record.body).ok_or_else(|| unfit(head.page))?;
        for (at, (number, _)) in actions.iter().enumerate() {
            if actions[..at].iter().any(|(earlier, _)| earlier == number) {
                continue;
            }
            let Some(page) = self.page_mut(*number).filter(|page| page::lsn(page) < record.end) else { continue };
            for (_, action) in actions[at..].iter().filter(|(of, _)| of == number) {
                if !action.fits(page, *number) {
                    return Err(unfit(*number));
                }
                action.apply(page, file, *number);
            }
            page::set_lsn(page, record.end);
        }
        Ok(())
    }

    /// What two restores of pages of one file come to.
    fn join(&mut self, before: SomePages) {
        self.end_lsn = self.end_lsn.min(before.end_lsn);
        self.wanted_lsn = self.wanted_lsn.max(before.wanted_lsn);
        self.base = if self.base == before.base { self.base } else { 0 };
        for (number, bytes) in before.pages {
            if self.page_mut(number).is_none() {
                self.pages.push((number, bytes));
            }
        }
        self.pages.sort_by_key(|(number, _)| *number);
    }
}

/// What says of a file where its tables and its free pages are: nothing can be read without it.
pub fn is_control_page(page: u32) -> bool {
    page == DIRECTORY_ROOT || page % BITMAP_SPAN < 2
}

impl Storage {
    /// The number of a database's file, which its backups have, too.
    pub fn file_number(&self, db: DatabaseId) -> StorageResult<u32> {
        Ok(self.engine().file_of(db)?.number)
    }

    /// The pages of a database that are being restored.
    pub fn some_pages(&self, db: DatabaseId) -> StorageResult<Option<SomePages>> {
        let engine = self.engine();
        SomePages::read(&engine.disk, engine.file_of(db)?.number)
    }

    /// Begins to restore pages of a database that is used, with a full backup of it, whose number is `base`, or goes on with more of them. They
    /// are nobody's from then on. Log that others have had already is read again, then, as far as these want it.
    pub fn restore_some(
        &self,
        db: DatabaseId,
        (from, set, base): (&dyn Media, &Set, u128),
        numbers: &[u32],
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<()> {
        let _one_at_a_time = self.turn(step)?;
        let engine = self.engine();
        let file = engine.file_of(db)?;
        let empty = |number: &u32| {
            let bytes: Box<PageBytes> = Box::new([0; PAGE_BYTES]);
            (*number, bytes)
        };
        debug_assert!(set.head.file == file.number && set.head.kind == SetKind::Full, "the caller has looked");
        let mut pages = SomePages {
            file: file.number,
            end_lsn: set.tail.end_lsn,
            wanted_lsn: 0,
            base,
            pages: numbers.iter().map(empty).collect(),
        };
        pages.pages.sort_by_key(|(number, _)| *number);
        read_set(from, set.from, &mut |head, kind, body, progress| {
            pages.take(head, kind, body)?;
            step(progress)
        })?;
        if let Some(before) = SomePages::read(&engine.disk, file.number)? {
            pages.join(before);
        }
        for number in numbers {
            let put_off = engine.buffer.put_off(&file, *number)?;
            pages.wanted_lsn = pages.wanted_lsn.max(put_off);
            os::sim_point!("restore.put_off");
        }
        pages.write(&engine.disk)
    }

    /// Goes on with a differential or a log backup. `NoBackup`: no pages are being restored.
    pub fn restore_some_on(
        &self,
        db: DatabaseId,
        (from, set): (&dyn Media, &Set),
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> Result<(), Gap> {
        let _one_at_a_time = self.turn(step)?;
        let engine = self.engine();
        let file = engine.file_of(db)?;
        let mut pages = SomePages::read(&engine.disk, file.number)?.ok_or(StorageError::NoBackup)?;
        let (begins, ends, wanted) = (set.head.scan_lsn, set.tail.end_lsn, pages.end_lsn);
        if set.head.kind == SetKind::Log && !set.is_whole() && begins > wanted {
            return Err(Gap::TooRecent { begins, wanted });
        }
        if ends < wanted {
            return Err(Gap::TooEarly { ends, wanted });
        }
        read_set(from, set.from, &mut |head, kind, body, progress| {
            pages.take(head, kind, body)?;
            step(progress)
        })?;
        pages.end_lsn = ends;
        Ok(pages.write(&engine.disk)?)
    }

    /// Puts the pages that are being restored in their places: their numbers. None: there is log of them that was not read. `NoBackup`: no pages
    /// are being restored.
    pub fn end_some(
        &self,
        db: DatabaseId,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<Option<Vec<u32>>> {
        let _one_at_a_time = self.turn(step)?;
        let engine = self.engine();
        let file = engine.file_of(db)?;
        let pages = SomePages::read(&engine.disk, file.number)?.ok_or(StorageError::NoBackup)?;
        if !pages.is_complete() {
            return Ok(None);
        }
        for (number, bytes) in &pages.pages {
            let is_there = (page::file_no(bytes), page::page_no(bytes)) == (file.number, *number);
            if page::kind(bytes) == Some(PageKind::Unlogged) || !is_there && engine.is_allocated(&file, *number)? {
                return Err(damaged(&format!("page {number} is neither in it nor in the log")));
            }
        }
        let total = pages.pages.len() as u64;
        for (done, (number, bytes)) in pages.pages.iter().enumerate() {
            engine.put_back(&file, *number, bytes)?;
            os::sim_point!("restore.put_back");
            step(Progress { done: done as u64, total })?;
        }
        engine.log.harden_all()?;
        engine.disk.remove(&restored_pages_name(file.number))?;
        engine.disk.sync_names()?;
        Ok(Some(pages.numbers()))
    }
}

impl Engine {
    /// A page as it was restored, unless it waits no more. One that was freed meanwhile is free.
    fn put_back(&self, file: &DataFile, number: u32, bytes: &PageBytes) -> StorageResult<()> {
        self.log.admit()?;
        // Whoever gives the page out has the bitmap first, too.
        let bitmap = self.buffer.shared(file, number / BITMAP_SPAN * BITMAP_SPAN + 1)?;
        let Some(mut guard) = self.buffer.awaiting(file, number)? else { return Ok(()) };
        let bit = (number % BITMAP_SPAN) as usize;
        let mut restored = Box::new(*bytes);
        if bitmap[HEADER_BYTES + bit / 8] >> (bit % 8) & 1 == 0 {
            page::format(&mut restored, PageKind::Free, 0, file.number, number, 0);
        }
        self.restructure(file, &[(number, Action::image(&restored))], &mut [&mut guard])
    }
}
