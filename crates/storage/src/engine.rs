//! What every part of an instance shares: buffer, log, commit clock, versions, locks, open files.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use os::disk::Disk;
use os::engines;
use os::region::Placed;
use os::shared_struct;
use os::sync::{Event, Mutex};

use crate::buffer::{Buffer, Exclusive};
use crate::concurrency::commits::Commits;
use crate::concurrency::locks::{Locks, MemberId};
use crate::concurrency::versions::Versions;
use crate::error::{StorageError, StorageResult};
use crate::hold::Hold;
use crate::layout::{DatabaseId, PageRef, TableId};
use crate::log::Log;
use crate::log::record::{FLAG_COMPENSATION, FLAG_TEMPORARY, Head, Kind};
use crate::log::structure::{self, Action, Bits};
use crate::pages::data_files::{DataFile, DataFiles, file_name};
use crate::pages::page::{self, BODY_BYTES, HEADER_BYTES, PAGE_BYTES, PageKind, u64_at};
use crate::region::archived::Archived;
use crate::region::ghosts::Ghosts;
use crate::region::grants::Grants;
use crate::region::memory::Memory;
use crate::region::page_list::PageList;
use crate::region::room::Room;
use crate::shapes::known::Shapes;
use crate::shapes::tree::Tree;
use crate::xtp::Xtp;

/// Pages one bitmap page stands for.
pub const BITMAP_SPAN: u32 = (BODY_BYTES * 8) as u32;
/// Pages that the end of a transaction frees itself: some milliseconds.
const FREED_AT_ONCE: u32 = 1024;
const _: () = assert!(BITMAP_SPAN - 1 <= u16::MAX as u32, "a page's bit is named in 16 bits");
const _: () = assert!(BITMAP_SPAN.is_multiple_of(64), "free bits are looked for word by word");

shared_struct! {
    #[derive(Debug, Default)]
    pub struct TreeCounters {
        pub splits: AtomicU64,
        pub pages_allocated: AtomicU64,
        pub pages_freed: AtomicU64,
    }
}

shared_struct! {
    /// The loose numbers of an instance.
    pub struct Numbers {
        pub next_file: AtomicU32,
        pub next_row: AtomicU64,
        pub commits_since_advance: AtomicU32,
        pub trees: TreeCounters,
    }
}

pub struct Engine {
    pub disk: Disk,
    pub buffer: Buffer,
    pub log: Arc<Log>,
    pub commits: Commits,
    pub versions: Versions,
    pub locks: Locks,
    pub files: Arc<DataFiles>,
    pub shapes: Shapes,
    /// Trees and files (page 0) that committed transactions dropped and that still hold their pages.
    pub pending_frees: PageList,
    /// Held by whoever frees trees or files, and who must not see one go.
    pub freeing: Placed<Mutex<()>>,
    /// See `StorageConfig`.
    pub logged_leaves: u32,
    /// How many read pages and log side by side: while there are any, all rows are in the log.
    pub log_readers: Placed<Mutex<u32>>,
    pub ghosts: Ghosts,
    /// Rung when there is something to clean up.
    pub cleaner: Placed<Event>,
    /// What the checkpoint waits for, besides its half second: who needs one, and the end.
    pub checkpointer: Placed<Event>,
    pub room: Placed<Room>,
    pub archived: Placed<Archived>,
    pub numbers: Placed<Numbers>,
    pub xtp: Xtp,
    pub grants: Grants,
    pub memory: Memory,
}

/// The part of a transaction that writes the log.
pub struct Writer {
    pub member: MemberId,
    /// 0 before the first change.
    pub id: u64,
    /// LSN of its newest record, 0: none.
    pub last_lsn: u64,
    pub statement: u32,
    /// Changed something that must survive.
    pub durable: bool,
    /// What it inserts now lies in trees that it made itself and that go whole if this fails: no row of them is undone alone.
    pub fills_own_trees: bool,
    /// Its statement gives space back: it may use what is kept for that.
    pub frees_space: bool,
}

impl Writer {
    pub fn new(member: MemberId, id: u64, last_lsn: u64) -> Writer {
        Writer {
            member,
            id,
            last_lsn,
            statement: 1,
            durable: last_lsn != 0,
            fills_own_trees: false,
            frees_space: false,
        }
    }

    /// How many pages at the end of a file are not for it.
    pub fn kept_pages(&self) -> u32 {
        if self.frees_space { KEPT_PAGES } else { 2 * KEPT_PAGES }
    }
}

/// Pages at the end of a data file that cannot grow are kept for who undoes what was done, and as many for who frees space: both may have
/// to split a page, or to begin a tree.
const KEPT_PAGES: u32 = 16;

/// Whom a page change is logged for.
pub enum Author<'a> {
    System,
    Change(&'a mut Writer),
    /// Undoes a record; next to undo is this LSN.
    Compensation(&'a mut Writer, u64),
}

impl Engine {
    /// None: it was dropped.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn file(&self, number: u32) -> StorageResult<Option<Arc<DataFile>>> {
        os::plant!();
        self.files.by_number(number)
    }

    /// The data file of a database.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn file_of(&self, db: DatabaseId) -> StorageResult<Arc<DataFile>> {
        os::plant!();
        self.files.of(db)
    }

    /// Gives the transaction its id at its first change.
    pub fn identify(&self, writer: &mut Writer) -> StorageResult<()> {
        if writer.id != 0 {
            return Ok(());
        }
        self.admit(writer)?;
        // A checkpoint that does not see the id yet must not cut the log after this point.
        // A block starts at the hardened LSN, so that recovery can begin to read there.
        let member = &self.locks[writer.member];
        assert_eq!(writer.last_lsn, 0, "what has no id has no record");
        debug_assert_eq!(member.id.load(Ordering::Relaxed), 0, "a transaction has one id");
        debug_assert_eq!(member.first_lsn.load(Ordering::Relaxed), u64::MAX, "a transaction begins in the log once");
        loop {
            let hardened = self.log.hardened();
            member.first_lsn.store(hardened, Ordering::SeqCst);
            // With `checkpoint`, which looks at what is hardened before it looks here: one of the two sees the other.
            fence(Ordering::SeqCst);
            if self.log.hardened() == hardened {
                break;
            }
        }
        writer.id = self.commits.begin(|id| member.id.store(id, Ordering::SeqCst))?;
        Ok(())
    }

    /// A record that does nothing: the transaction has something to commit although it changed no page.
    pub fn note(&self, writer: &mut Writer, file: &DataFile) -> StorageResult<()> {
        self.append(&mut Author::Change(writer), Kind::Note, file, 0, &[]).map(|_| ())
    }

    /// Appends a record of one page. Returns its end.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn append(
        &self,
        author: &mut Author<'_>,
        kind: Kind,
        file: &DataFile,
        page: u32,
        body: &[&[u8]],
    ) -> StorageResult<u64> {
        os::plant!();
        let temporary = if file.temporary { FLAG_TEMPORARY } else { 0 };
        let head = |transaction, previous, flags| Head { kind, flags, transaction, previous, file: file.number, page };
        let (writer, previous, flags) = match author {
            Author::System => return Ok(self.log.append(head(0, 0, temporary), body)?.1),
            Author::Change(writer) => {
                debug_assert!(writer.id != 0, "identified before the first change");
                let previous = writer.last_lsn;
                (writer, previous, temporary)
            }
            Author::Compensation(writer, next) => (writer, *next, temporary | FLAG_COMPENSATION),
        };
        // Whoever rolls it back for a dead engine must find its newest record.
        let member = &self.locks[writer.member];
        debug_assert!(writer.id < self.commits.next_id(), "an id that was given");
        let section = engines::section(member);
        let appended = self.log.append(head(writer.id, previous, flags), body);
        if let Ok((lsn, end)) = appended {
            self.wrote(writer, lsn, end, file);
        }
        section.end();
        Ok(appended?.1)
    }

    #[inline]
    fn wrote(&self, writer: &mut Writer, lsn: u64, end: u64, file: &DataFile) {
        assert!(lsn > writer.last_lsn && end > lsn, "records ascend: {lsn} after {}", writer.last_lsn);
        writer.last_lsn = lsn;
        writer.durable |= !file.temporary;
        let member = &self.locks[writer.member];
        debug_assert_eq!(member.id.load(Ordering::Relaxed), writer.id, "others see whose records these are");
        debug_assert!(member.first_lsn.load(Ordering::Relaxed) <= lsn, "the log is kept from the first record on");
        member.last_lsn.store(lsn, Ordering::Relaxed);
        member.log_bytes.store(member.log_bytes.load(Ordering::Relaxed) + (end - lsn), Ordering::Relaxed);
    }

    /// Logs and applies changes of several pages that hold together. `guards` has every page of `actions`.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn restructure<'a>(
        &'a self,
        file: &DataFile,
        actions: &[(u32, Action<'_>)],
        guards: &mut [&mut Exclusive<'a>],
    ) -> StorageResult<()> {
        self.restructure_as((&mut Author::System, 0), file, actions, guards)
    }

    /// The same. A transaction makes the tree at `root` so: its rollback frees it again. Without a transaction the tree is gone with that.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn restructure_as<'a>(
        &'a self,
        (author, root): (&mut Author<'_>, u32),
        file: &DataFile,
        actions: &[(u32, Action<'_>)],
        guards: &mut [&mut Exclusive<'a>],
    ) -> StorageResult<()> {
        os::plant!();
        debug_assert!(root != 0 || matches!(author, Author::System), "a transaction changes pages to make a tree");
        debug_assert!(
            actions.iter().all(|(page, _)| guards.iter().filter(|guard| guard.number() == *page).count() == 1),
            "each page of a change is latched, once"
        );
        guards.iter_mut().for_each(|guard| guard.mark_dirty());
        let body = structure::encode(actions);
        let end = self.append(author, Kind::Structure, file, root, &[&body])?;
        for guard in guards.iter_mut() {
            let first = actions.iter().find(|(page, _)| *page == guard.number());
            if matches!(first, Some((_, Action::Image { .. }))) {
                guard.mark_whole();
            }
        }
        for (page, action) in actions {
            let guard = guards.iter_mut().find(|guard| guard.number() == *page).expect("every page is latched");
            action.apply(guard, file.number, *page);
            page::set_lsn(guard, end);
        }
        debug_assert!(
            guards.iter().all(|guard| page::check(guard).is_ok()),
            "a change leaves pages whole: {:?}",
            guards.iter().map(|guard| (guard.number(), page::check(guard))).collect::<Vec<_>>()
        );
        Ok(())
    }

    /// Somebody may restore a file from its log.
    pub fn keeps_log(&self, file: &DataFile) -> bool {
        file.chain().log_from().is_some() || self.archived.holds_log()
    }

    /// `count` free pages of one bitmap page, which stays latched until they are logged as taken; so many behind them stay free.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn find_free<'a>(
        &'a self,
        file: &DataFile,
        count: usize,
        kept: u32,
    ) -> StorageResult<(Exclusive<'a>, Vec<u32>)> {
        os::plant!();
        assert!(count > 0, "nobody asks for no page");
        let hint = file.free_hint().load(Ordering::Relaxed);
        let mut number = hint / BITMAP_SPAN;
        let mut from = hint % BITMAP_SPAN;
        loop {
            let base = number.checked_mul(BITMAP_SPAN).ok_or(StorageError::DiskFull)?;
            self.buffer.grow_file(file, base + 2)?;
            let bitmap = self.buffer.exclusive(file, base + 1)?;
            if !matches!(page::kind(&bitmap), Some(PageKind::Bitmap | PageKind::Free)) {
                return Err(StorageError::corrupt(PageRef { file: file.number, page: base + 1 }));
            }
            let pages = free_bits(&bitmap[HEADER_BYTES..], from.max(2), count);
            if pages.len() == count {
                let pages: Vec<u32> = pages.into_iter().map(|bit| base + bit).collect();
                let last = *pages.last().expect("count is not 0");
                debug_assert!(pages.is_sorted_by(|a, b| a < b), "a page is given once");
                debug_assert!(
                    pages.iter().all(|page| page % BITMAP_SPAN >= 2),
                    "the file's header and bitmaps are never free"
                );
                self.buffer.grow_file(file, last + 1 + kept)?;
                file.free_hint().store(last + 1, Ordering::Relaxed);
                return Ok((bitmap, pages));
            }
            drop(bitmap);
            (number, from) = (number + 1, 0);
        }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn is_allocated(&self, file: &DataFile, page: u32) -> StorageResult<bool> {
        os::plant!();
        let bitmap = self.buffer.shared(file, page / BITMAP_SPAN * BITMAP_SPAN + 1)?;
        let bit = (page % BITMAP_SPAN) as usize;
        Ok(bitmap[HEADER_BYTES + bit / 8] >> (bit % 8) & 1 == 1)
    }

    /// Frees `page` together with `actions` on `others`.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn free_page<'a>(
        &'a self,
        file: &DataFile,
        page: Exclusive<'a>,
        actions: &[(u32, Action<'_>)],
        others: &mut [&mut Exclusive<'a>],
    ) -> StorageResult<()> {
        self.free_page_of(0, file, page, actions, others)
    }

    /// Frees the last page of a tree.
    pub fn free_root<'a>(&'a self, file: &DataFile, root: Exclusive<'a>) -> StorageResult<()> {
        self.free_page_of(root.number(), file, root, &[], &mut [])
    }

    /// `gone`: the tree that there is no more.
    #[cfg_attr(debug_assertions, track_caller)]
    fn free_page_of<'a>(
        &'a self,
        gone: u32,
        file: &DataFile,
        mut page: Exclusive<'a>,
        actions: &[(u32, Action<'_>)],
        others: &mut [&mut Exclusive<'a>],
    ) -> StorageResult<()> {
        os::plant!();
        let number = page.number();
        let bitmap_no = number / BITMAP_SPAN * BITMAP_SPAN + 1;
        assert!(number % BITMAP_SPAN >= 2, "page {number} is the file's header or a bitmap");
        let mut bitmap = self.buffer.exclusive(file, bitmap_no)?;
        let place = (number % BITMAP_SPAN) as usize;
        assert!(bitmap[HEADER_BYTES + place / 8] >> (place % 8) & 1 == 1, "page {number} is freed once");
        let bit = ((number % BITMAP_SPAN) as u16).to_le_bytes();
        // Whoever still holds the number (a hint) must not take it for the page it was.
        let mut free = Box::new([0; PAGE_BYTES]);
        page::format(&mut free, PageKind::Free, 0, file.number, number, 0);
        let mut all = actions.to_vec();
        all.push((number, Action::image(&free)));
        all.push((bitmap_no, Action::SetBits { value: false, bits: Bits(&bit) }));
        let mut guards: Vec<&mut Exclusive<'a>> = others.iter_mut().map(|guard| &mut **guard).collect();
        guards.push(&mut page);
        guards.push(&mut bitmap);
        self.restructure_as((&mut Author::System, gone), file, &all, &mut guards)?;
        file.free_hint().fetch_min(number, Ordering::Relaxed);
        self.numbers.trees.pages_freed.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// The commit of these tables' new shapes holds.
    pub fn note_reshaped(&self, tables: &[(DatabaseId, TableId)]) {
        debug_assert!(!tables.is_empty());
        let now = self.commits.now();
        tables
            .iter()
            .filter(|table| table.0 != DatabaseId::TEMPDB)
            .for_each(|table| self.shapes.note_time(*table, now));
    }

    /// Lets versions go that no snapshot needs any more.
    pub fn advance_horizon(&self) {
        let now = self.commits.now();
        let oldest = self.locks.oldest_snapshot(now);
        debug_assert!(oldest <= now, "no snapshot in use is of a time to come");
        let horizon = self.commits.advance(oldest);
        debug_assert!(horizon <= self.commits.next_id());
        self.versions.collect(horizon);
        self.xtp.numbers.oldest.fetch_max(oldest, Ordering::SeqCst);
    }

    /// In a simulation: what happens seldom between two transactions happens now.
    pub fn force_rare_ways(&self) {
        if os::sim_choice!("versions.collect") {
            self.collect_versions();
        }
        if os::sim_choice!("ghosts.clean", 4) {
            let cleaned = self.clean_ghosts();
            assert!(!matches!(cleaned, Err(StorageError::CorruptPage { .. })), "trees are whole: {cleaned:?}");
        }
        if os::sim_choice!("buffer.evict") {
            self.buffer.evict_some(&self.log);
        }
        if os::sim_choice!("buffer.ahead") {
            self.buffer.write_ahead(&self.log);
        }
    }

    /// A row number for heaps and non-unique clustered keys: greater than all before, also across restarts, because
    /// each row takes more log bytes than numbers.
    pub fn next_row_number(&self) -> u64 {
        self.numbers.next_row.fetch_add(1, Ordering::Relaxed)
    }

    /// Frees what committed transactions dropped.
    pub fn free_pending(&self) -> StorageResult<()> {
        while self.free_some()? {
            os::wait::maybe_yield();
        }
        Ok(())
    }

    /// The same for who has a client that waits: the cleaner goes on with what takes long.
    pub fn free_soon(&self) -> StorageResult<()> {
        if self.free_some()? {
            self.cleaner.set();
        }
        Ok(())
    }

    /// Frees a part of it. Whether more can be freed; what the log has no room for waits for a checkpoint.
    fn free_some(&self) -> StorageResult<bool> {
        let _one_at_a_time = self.freeing.lock();
        let mut left = FREED_AT_ONCE;
        while let Some(next) = self.next_to_free() {
            if !self.has_room_to_clean()? {
                return Ok(false);
            }
            debug_assert!(next.page == 0 || next.page > 1, "the file's header and bitmap are no tree: {next}");
            if self.files.is_held(next.file) {
                self.remove_held_file(next.file)?;
            } else if let Some(file) = self.file(next.file)? {
                if next.page == 0 {
                    self.append(&mut Author::System, Kind::FileDrop, &file, 0, &[])?;
                    self.remove_file(next.file)?;
                } else {
                    match self.free_tree(&Tree::new(file, next.page), &mut left) {
                        Ok(true) => {}
                        Ok(false) => return Ok(true),
                        // What lies below a damaged page nobody knows: it stays taken, and a check tells of it. Others must not wait.
                        Err(StorageError::CorruptPage { .. }) => {}
                        Err(error) => return Err(error),
                    }
                }
            }
            self.pending_frees.remove(next);
        }
        Ok(false)
    }

    /// Trees of files that nobody gets wait until these are opened again.
    fn next_to_free(&self) -> Option<PageRef> {
        let first = self.pending_frees.first()?;
        let may_go = |page: &PageRef| page.page == 0 || !self.files.is_held(page.file);
        if may_go(&first) { Some(first) } else { self.pending_frees.all().into_iter().find(may_go) }
    }

    /// A database that cannot be opened is dropped: its file goes, if there is one.
    fn remove_held_file(&self, number: u32) -> StorageResult<()> {
        let head = Head { kind: Kind::FileDrop, flags: 0, transaction: 0, previous: 0, file: number, page: 0 };
        self.log.append(head, &[])?;
        self.log.harden_all()?;
        let held = self.files.held().into_iter().find(|held| held.number == number);
        if let Some(held) = held.filter(|held| held.hold == Hold::Emergency) {
            // It was read until now.
            self.buffer.forget_file(&*self.file_of(DatabaseId(held.database))?);
        }
        self.files.remove_held(number);
        if self.disk.exists(&file_name(number)) {
            self.disk.remove(&file_name(number))?;
        }
        Ok(())
    }

    /// Closes and removes a data file nobody uses. Its removal is in the log already.
    pub fn remove_file(&self, number: u32) -> StorageResult<()> {
        assert!(number != 0, "no file has the number 0");
        let Some(file) = self.file(number)? else { return Ok(()) };
        if !file.temporary {
            self.log.harden_all()?;
        }
        file.drop_soon();
        self.buffer.forget_file(&file);
        self.files.remove(&file);
        drop(file);
        Ok(self.disk.remove(&file_name(number))?)
    }

    pub fn pending(&self) -> Vec<PageRef> {
        self.pending_frees.all()
    }
}

/// The first `count` zero bits at or after `from`. Bits 0 and 1 (header and bitmap) are never given out.
fn free_bits(bytes: &[u8], from: u32, count: usize) -> Vec<u32> {
    let mut found = Vec::with_capacity(count);
    let mut bit = from;
    let end = bytes.len() as u32 * 8;
    while bit < end && found.len() < count {
        if bit.is_multiple_of(64) && u64_at(bytes, bit as usize / 8) == u64::MAX {
            bit += 64;
            continue;
        }
        if bit % BITMAP_SPAN >= 2 && bytes[bit as usize / 8] >> (bit % 8) & 1 == 0 {
            found.push(bit);
        }
        bit += 1;
    }
    debug_assert!(found.len() <= count && found.iter().all(|bit| *bit >= from.max(2)));
    found
}
