//! A backup as the files of an instance: a control file, one data file, the log, the checkpoint files.

use os::disk::{Disk, File, Open};
use os::region::Visibility;

use super::blocks::{BlockKind, damaged};
use super::media::Media;
use super::set::{Progress, Set, SetHead, Words, read_set};
use crate::error::StorageResult;
use crate::instance::storage::{PRIVATE_LOG_BYTES_MAX, PRIVATE_SEGMENT_BYTES};
use crate::log::store::{LocalLog, LogStore};
use crate::log::{BLOCK_BYTES, BLOCK_HEAD};
use crate::memory_optimized::checkpoint::{Filling, Manifest};
use crate::pages::data_files::file_name;
use crate::pages::page::PAGE_BYTES;
use crate::recovery::control::{Control, ControlFile, FileEntry};
use crate::region::memory::Memory;

/// The number of the only manifest, and of the only control record.
const FIRST: u64 = 1;

struct Unpacking<'a> {
    disk: &'a Disk,
    memory: Memory,
    data: Option<File>,
    log: Option<LocalLog>,
    log_end: u64,
    manifest: Manifest,
    filling: Option<Filling>,
    rows: u64,
    pages: u64,
}

/// Fills the empty directory `disk`. `over`: the data file that lies there already, whose pages those of a differential backup replace.
pub fn unpack(
    from: &dyn Media,
    at: u64,
    (disk, over): (&Disk, Option<File>),
    step: &mut dyn FnMut(Progress) -> StorageResult<()>,
) -> StorageResult<Set> {
    let mut unpacking = Unpacking {
        disk,
        // The tables of a log, which is all that needs memory here.
        memory: Memory::reserve(0, Visibility::ThisProcess)?,
        data: over,
        log: None,
        log_end: 0,
        manifest: Manifest::read(disk, 0)?,
        filling: None,
        rows: 0,
        pages: 0,
    };
    let set = read_set(from, at, &mut |head, kind, body, progress| {
        unpacking.take(head, kind, body)?;
        step(progress)
    })?;
    unpacking.finish(&set)?;
    Ok(set)
}

impl Unpacking<'_> {
    fn take(&mut self, head: &SetHead, kind: BlockKind, body: &[u8]) -> StorageResult<()> {
        let mut words = Words(body);
        let taken = match kind {
            BlockKind::Pages => self.pages(head, &mut words)?,
            BlockKind::Rows => self.rows(&mut words)?,
            BlockKind::Log => self.log(head, &mut words)?,
            BlockKind::Head | BlockKind::Tail => None,
        };
        taken.ok_or_else(|| damaged("a block is not what it should be"))
    }

    /// None: the block makes no sense.
    fn pages(&mut self, head: &SetHead, words: &mut Words<'_>) -> StorageResult<Option<()>> {
        let (Some(first), Some(mask)) = (words.u32(), words.u32()) else { return Ok(None) };
        if self.data.is_none() {
            self.data = Some(self.data_file(head)?);
        }
        let file = self.data.as_ref().expect("opened just now");
        for bit in (0..u32::BITS).filter(|bit| mask >> bit & 1 == 1) {
            let number = first.saturating_add(bit);
            let Some(page) = words.bytes(PAGE_BYTES).filter(|_| number < head.pages) else { return Ok(None) };
            file.write_at(page, u64::from(number) * PAGE_BYTES as u64)?;
            self.pages += 1;
        }
        Ok(words.0.is_empty().then_some(()))
    }

    fn data_file(&self, head: &SetHead) -> StorageResult<File> {
        let file = self.disk.open(&file_name(head.file), Open::New)?;
        file.allocate((u64::from(head.pages) * PAGE_BYTES as u64).max(1))?;
        Ok(file)
    }

    fn rows(&mut self, words: &mut Words<'_>) -> StorageResult<Option<()>> {
        while !words.0.is_empty() {
            let (Some(number), Some(object), Some(length)) = (words.u64(), words.u32(), words.u32()) else {
                return Ok(None);
            };
            let Some(image) = words.bytes(length as usize).filter(|_| number != 0 && object != 0) else {
                return Ok(None);
            };
            if self.filling.as_ref().is_some_and(Filling::is_full) {
                self.close_pair()?;
            }
            let pair = match &mut self.filling {
                Some(pair) => pair,
                None => self.filling.insert(Filling::new(self.disk, &mut self.manifest)?),
            };
            pair.push(object, number, image)?;
            self.manifest.next_object = self.manifest.next_object.max(object.saturating_add(1));
            self.rows += 1;
        }
        Ok(Some(()))
    }

    fn close_pair(&mut self) -> StorageResult<()> {
        match self.filling.take() {
            Some(pair) => pair.close(&mut self.manifest),
            None => Ok(()),
        }
    }

    fn log(&mut self, head: &SetHead, words: &mut Words<'_>) -> StorageResult<Option<()>> {
        if self.log.is_none() {
            self.log = Some(self.log_at(head.scan_lsn)?);
            self.log_end = head.scan_lsn;
        }
        let log = self.log.as_ref().expect("opened just now");
        while !words.0.is_empty() {
            let (Some(lsn), Some(length)) = (words.u64(), words.u32()) else { return Ok(None) };
            let Some(block) = words.bytes(length as usize).filter(|block| block.len() as u64 > BLOCK_HEAD) else {
                return Ok(None);
            };
            if lsn != self.log_end {
                return Ok(None);
            }
            let mut whole = block.to_vec();
            whole.resize(block.len().next_multiple_of(BLOCK_BYTES as usize), 0);
            self.log_end = lsn + whole.len() as u64;
            log.prepare(self.log_end)?;
            log.write(lsn, &whole)?;
        }
        Ok(Some(()))
    }

    fn log_at(&self, lsn: u64) -> StorageResult<LocalLog> {
        if !lsn.is_multiple_of(BLOCK_BYTES) {
            return Err(damaged("its log begins within a block"));
        }
        let log = LocalLog::open(&self.memory, self.disk.clone(), PRIVATE_SEGMENT_BYTES, PRIVATE_LOG_BYTES_MAX)?;
        log.continue_at(lsn);
        // Also of an empty log there is a file.
        log.prepare(lsn + BLOCK_BYTES)?;
        Ok(log)
    }

    fn finish(mut self, set: &Set) -> StorageResult<()> {
        let Set { head, tail, .. } = set;
        self.close_pair()?;
        if self.log.is_none() {
            self.log = Some(self.log_at(head.scan_lsn)?);
            self.log_end = head.scan_lsn;
        }
        if self.data.is_none() {
            self.data = Some(self.data_file(head)?);
        }
        if (self.log_end, self.rows, self.pages) != (tail.end_lsn, tail.rows, tail.pages) {
            return Err(damaged("it has more or less than its tail says"));
        }
        self.manifest.next_object = self.manifest.next_object.max(tail.next_object);
        let manifest = if self.manifest.pairs.is_empty() { 0 } else { FIRST };
        if manifest != 0 {
            self.manifest.write(self.disk, manifest)?;
        }
        let control = Control {
            epoch: head.epoch,
            sequence: FIRST,
            scan_lsn: head.scan_lsn,
            redo_lsn: head.redo_lsn,
            next_transaction: tail.next_transaction.max(1),
            next_file: head.file.saturating_add(1),
            files: vec![FileEntry {
                number: head.file,
                database: head.database,
                temporary: false,
                name: head.name.clone(),
            }],
            pending: head.pending.iter().map(|page| crate::layout::PageRef { file: head.file, page: *page }).collect(),
            manifest,
            next_row: tail.next_row,
            chains: Vec::new(),
            held: Vec::new(),
        };
        // An instance is there once its control file is.
        ControlFile::new(self.disk)?.write(&control)
    }
}
