//! Checkpoint files of memory-optimized tables. Their rows are on disk in pairs of files that are only appended to: a data file
//! with rows as they were committed, and a delta file with the numbers of those that were deleted since. A checkpoint fills
//! them from the log, up to where the pages' checkpoint begins its redo; a start reads the pairs and then the rest of the log.
//!
//! ```text
//! rows-<n>.hxd data, rows-<n>.hxl delta, rows-<n>.hxm manifest: blocks, one behind the other
//! block:       0 magic "HXTP" u32   4 bytes behind the head u32   8 crc32 of them u32   12 entries u32
//! data entry:  number u64, object u32, length u32, image                 delta entry:  number u64
//! manifest:    next object u32, next file u32, pairs u32, then each: file u32, data bytes u64, delta bytes u64,
//!              lowest and highest number u64, rows u64, deleted u64, objects u32, then each: object u32, rows u64
//! ```
//!
//! What lies behind the bytes that the manifest counts is of a checkpoint that never ended, and is written over. Neighbouring
//! pairs whose remaining rows fit one file are merged.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::Ordering;

use os::disk::{Disk, File, Open};
use os::shared_struct;
use os::wait::WaitType;
use types::pause::{Pacer, Pause};

use crate::engine::Engine;
use crate::error::{StorageError, StorageResult, heard};
use crate::log::record::{Kind, Record};
use crate::log::replay;
use crate::memory_optimized::work::records::{Reader, Said};
use crate::pages::files::read_or_zero;
use crate::pages::page::{u32_at, u64_at};
use crate::xtp::CheckpointNumbers;

const MAGIC: u32 = u32::from_le_bytes(*b"HXTP");
const HEAD: usize = 16;
const ENTRY_HEAD: usize = 16;
/// A block is written once it has this many bytes.
const BLOCK_BYTES: usize = 256 * 1024;
/// A data file takes no more rows once it has this many bytes, as SQL Server's on a machine with more than 16 GB.
const DATA_BYTES: u64 = 128 << 20;
/// Pairs merged into one at a time. Fewer would write the same rows again and again.
const MERGED_MIN: usize = 4;
const MERGED_MAX: usize = 16;
const _: () = assert!(MERGED_MIN > 1 && MERGED_MIN <= MERGED_MAX);
const _: () = assert!((BLOCK_BYTES as u64) < DATA_BYTES && HEAD == 4 * size_of::<u32>());
const _: () = assert!(ENTRY_HEAD == size_of::<u64>() + 2 * size_of::<u32>());

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pair {
    pub file: u32,
    pub data_bytes: u64,
    pub delta_bytes: u64,
    /// Numbers of its rows.
    pub lowest: u64,
    pub highest: u64,
    pub rows: u64,
    /// Numbers in the delta file: some may be of another pair's rows.
    pub deleted: u64,
    /// Rows of each object, deleted ones included.
    pub objects: BTreeMap<u32, u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    pub next_object: u32,
    pub next_file: u32,
    pub pairs: Vec<Pair>,
}

pub fn data_name(file: u32) -> String {
    format!("rows-{file:06}.hxd")
}

pub fn delta_name(file: u32) -> String {
    format!("rows-{file:06}.hxl")
}

pub fn manifest_name(number: u64) -> String {
    format!("rows-{number:06}.hxm")
}

fn damaged(name: &str) -> StorageError {
    StorageError::Damaged(format!("{name}; restore it from a backup"))
}

/// Writes blocks at the end of a file.
struct Blocks {
    file: File,
    at: u64,
    bytes: Vec<u8>,
    entries: u32,
}

impl Blocks {
    fn append(disk: &Disk, name: &str, at: u64) -> StorageResult<Blocks> {
        let file = disk.open(name, Open::ExistingOrNew)?;
        Ok(Blocks { file, at, bytes: vec![0; HEAD], entries: 0 })
    }

    fn push(&mut self, parts: &[&[u8]]) -> StorageResult<()> {
        debug_assert!(parts.iter().any(|part| !part.is_empty()), "an entry of nothing");
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        self.entries += 1;
        if self.bytes.len() >= BLOCK_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> StorageResult<()> {
        if self.entries == 0 {
            return Ok(());
        }
        let body = &self.bytes[HEAD..];
        assert!(!body.is_empty() && body.len() <= u32::MAX as usize, "a block of {} bytes", body.len());
        let head = [MAGIC, body.len() as u32, crc32fast::hash(body), self.entries];
        for (word, at) in head.iter().zip((0..HEAD).step_by(4)) {
            self.bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        self.file.write_at(&self.bytes, self.at)?;
        self.at += self.bytes.len() as u64;
        self.bytes.truncate(HEAD);
        self.entries = 0;
        os::sim_point!("xtp.checkpoint.block");
        Ok(())
    }

    /// Where the file ends, on disk for sure.
    fn close(mut self) -> StorageResult<u64> {
        self.flush()?;
        self.file.sync_data()?;
        assert!(self.entries == 0 && self.bytes.len() == HEAD, "all entries are in blocks that were written");
        Ok(self.at)
    }
}

/// Calls `visit` with the body of each block in the first `bytes` of a file.
fn read_blocks(
    disk: &Disk,
    name: &str,
    bytes: u64,
    visit: &mut dyn FnMut(&[u8]) -> StorageResult<()>,
) -> StorageResult<()> {
    if bytes == 0 {
        return Ok(());
    }
    let file = disk.open(name, Open::Existing).map_err(|error| StorageError::Damaged(format!("{name}: {error}")))?;
    let mut at = 0;
    let mut block = Vec::new();
    while at < bytes {
        block.resize(HEAD, 0);
        read_or_zero(&file, WaitType::IO_COMPLETION, at, &mut block)?;
        let length = u32_at(&block, 4) as usize;
        if u32_at(&block, 0) != MAGIC || at + (HEAD + length) as u64 > bytes {
            return Err(damaged(name));
        }
        let crc = u32_at(&block, 8);
        block.resize(length, 0);
        read_or_zero(&file, WaitType::IO_COMPLETION, at + HEAD as u64, &mut block)?;
        if crc32fast::hash(&block) != crc {
            return Err(damaged(name));
        }
        visit(&block)?;
        at += (HEAD + length) as u64;
        os::wait::maybe_yield();
    }
    Ok(())
}

impl Manifest {
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut word = |bytes: &[u8]| out.extend_from_slice(bytes);
        word(&self.next_object.to_le_bytes());
        word(&self.next_file.to_le_bytes());
        word(&(self.pairs.len() as u32).to_le_bytes());
        for pair in &self.pairs {
            word(&pair.file.to_le_bytes());
            let numbers = [pair.data_bytes, pair.delta_bytes, pair.lowest, pair.highest, pair.rows, pair.deleted];
            numbers.iter().for_each(|number| word(&number.to_le_bytes()));
            word(&(pair.objects.len() as u32).to_le_bytes());
            for (object, rows) in &pair.objects {
                word(&object.to_le_bytes());
                word(&rows.to_le_bytes());
            }
        }
        out
    }

    /// None: damaged.
    fn decode(mut bytes: &[u8]) -> Option<Manifest> {
        let u32 = |bytes: &mut &[u8]| {
            let (word, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(u32::from_le_bytes(*word))
        };
        let u64 = |bytes: &mut &[u8]| {
            let (word, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(u64::from_le_bytes(*word))
        };
        let mut manifest = Manifest { next_object: u32(&mut bytes)?, next_file: u32(&mut bytes)?, pairs: Vec::new() };
        for _ in 0..u32(&mut bytes)? {
            let mut pair = Pair { file: u32(&mut bytes)?, ..Pair::default() };
            let fields = [
                &mut pair.data_bytes,
                &mut pair.delta_bytes,
                &mut pair.lowest,
                &mut pair.highest,
                &mut pair.rows,
                &mut pair.deleted,
            ];
            for field in fields {
                *field = u64(&mut bytes)?;
            }
            for _ in 0..u32(&mut bytes)? {
                let object = u32(&mut bytes)?;
                pair.objects.insert(object, u64(&mut bytes)?);
            }
            manifest.pairs.push(pair);
        }
        bytes.is_empty().then_some(manifest)
    }

    /// `number` 0: there is none yet.
    pub fn read(disk: &Disk, number: u64) -> StorageResult<Manifest> {
        if number == 0 {
            return Ok(Manifest { next_object: 1, next_file: 1, pairs: Vec::new() });
        }
        let name = manifest_name(number);
        let bytes = disk.open(&name, Open::Existing)?.len()?;
        let mut manifest = None;
        read_blocks(disk, &name, bytes, &mut |block| {
            manifest = Manifest::decode(block);
            Ok(())
        })?;
        manifest.ok_or_else(|| damaged(&name))
    }

    /// Removes the files of checkpoints that never ended, and those that nobody needs any more.
    pub fn remove_others(&self, disk: &Disk, number: u64) -> StorageResult<()> {
        debug_assert!(number != 0 || self.pairs.is_empty(), "without a manifest there are no pairs");
        let pairs = self.pairs.iter().flat_map(|pair| [data_name(pair.file), delta_name(pair.file)]);
        let known: HashSet<String> = pairs.chain([manifest_name(number)]).collect();
        for name in disk.list()? {
            let is_ours = [".hxd", ".hxl", ".hxm"].iter().any(|end| name.ends_with(end));
            if is_ours && !known.contains(&name) {
                disk.remove(&name)?;
            }
        }
        Ok(())
    }

    /// What holds of each pair that is named.
    fn check(&self) {
        let mut files = HashSet::new();
        for pair in &self.pairs {
            assert!(files.insert(pair.file) && pair.file < self.next_file, "file {} is one pair's", pair.file);
            assert!(0 < pair.lowest && pair.lowest <= pair.highest, "numbers {} to {}", pair.lowest, pair.highest);
            assert!((1..=pair.highest - pair.lowest + 1).contains(&pair.rows), "each row has a number of its own");
            assert_eq!(pair.objects.values().sum::<u64>(), pair.rows, "each row is of one object");
            assert!(pair.objects.keys().all(|object| *object < self.next_object), "an object that there was");
        }
    }

    pub fn write(&self, disk: &Disk, number: u64) -> StorageResult<()> {
        assert!(number > 0, "0 is no manifest");
        self.check();
        debug_assert_eq!(Manifest::decode(&self.encode()).as_ref(), Some(self), "what is written can be read back");
        let name = manifest_name(number);
        if disk.exists(&name) {
            // Of a checkpoint that never ended.
            disk.remove(&name)?;
        }
        let mut blocks = Blocks::append(disk, &name, 0)?;
        blocks.push(&[&self.encode()])?;
        blocks.close()?;
        Ok(())
    }
}

/// A pair that is being filled.
pub struct Filling {
    pair: Pair,
    data: Blocks,
}

impl Filling {
    pub fn new(disk: &Disk, manifest: &mut Manifest) -> StorageResult<Filling> {
        let file = manifest.next_file;
        assert!(file != 0 && manifest.pairs.iter().all(|pair| pair.file < file), "file {file} is new");
        manifest.next_file += 1;
        for name in [data_name(file), delta_name(file)] {
            if disk.exists(&name) {
                disk.remove(&name)?;
            }
        }
        Ok(Filling {
            pair: Pair { file, lowest: u64::MAX, ..Pair::default() },
            data: Blocks::append(disk, &data_name(file), 0)?,
        })
    }

    pub fn push(&mut self, object: u32, number: u64, image: &[u8]) -> StorageResult<()> {
        assert!(object != 0 && number != 0, "row {number} of object {object}: 0 is neither");
        let length = image.len() as u32;
        self.data.push(&[&number.to_le_bytes(), &object.to_le_bytes(), &length.to_le_bytes(), image])?;
        self.pair.lowest = self.pair.lowest.min(number);
        self.pair.highest = self.pair.highest.max(number);
        self.pair.rows += 1;
        *self.pair.objects.entry(object).or_default() += 1;
        Ok(())
    }

    pub fn is_full(&self) -> bool {
        self.data.at >= DATA_BYTES
    }

    pub fn close(mut self, manifest: &mut Manifest) -> StorageResult<()> {
        self.pair.data_bytes = self.data.close()?;
        assert_eq!(self.pair.objects.values().sum::<u64>(), self.pair.rows, "each row is of one object");
        assert_eq!(self.pair.data_bytes == 0, self.pair.rows == 0, "rows take bytes");
        manifest.pairs.push(self.pair);
        Ok(())
    }
}

impl Pair {
    /// Calls `visit` with object, number and image of every row in the data file.
    pub fn read_rows(
        &self,
        disk: &Disk,
        visit: &mut dyn FnMut(u32, u64, &[u8]) -> StorageResult<()>,
    ) -> StorageResult<()> {
        let name = data_name(self.file);
        read_blocks(disk, &name, self.data_bytes, &mut |block| {
            let mut rest = block;
            while !rest.is_empty() {
                let head = rest.get(..ENTRY_HEAD).ok_or_else(|| damaged(&name))?;
                let length = u32_at(head, 12) as usize;
                let image = rest.get(ENTRY_HEAD..ENTRY_HEAD + length).ok_or_else(|| damaged(&name))?;
                visit(u32_at(head, 8), u64_at(head, 0), image)?;
                rest = &rest[ENTRY_HEAD + length..];
            }
            Ok(())
        })
    }

    /// Numbers in the delta file.
    pub fn read_deleted(&self, disk: &Disk) -> StorageResult<HashSet<u64>> {
        let mut deleted = HashSet::new();
        read_blocks(disk, &delta_name(self.file), self.delta_bytes, &mut |block| {
            deleted.extend(block.chunks_exact(8).map(|number| u64_at(number, 0)));
            Ok(())
        })?;
        Ok(deleted)
    }

    /// Appends those of `numbers`, which are sorted, that may be of its rows.
    fn delete(&mut self, disk: &Disk, numbers: &[u64]) -> StorageResult<()> {
        debug_assert!(numbers.is_sorted(), "numbers in order");
        let before = self.delta_bytes;
        let from = numbers.partition_point(|number| *number < self.lowest);
        let to = numbers.partition_point(|number| *number <= self.highest);
        if from == to {
            return Ok(());
        }
        let mut blocks = Blocks::append(disk, &delta_name(self.file), self.delta_bytes)?;
        for number in &numbers[from..to] {
            blocks.push(&[&number.to_le_bytes()])?;
        }
        self.delta_bytes = blocks.close()?;
        assert!(self.delta_bytes > before, "delta files are only appended to");
        self.deleted += (to - from) as u64;
        Ok(())
    }

    /// About how many bytes a merge would keep. `is_there`: the object's table has not been dropped.
    fn live_bytes(&self, is_there: &dyn Fn(u32) -> bool) -> u64 {
        let there: u64 = self.objects.iter().filter(|(object, _)| is_there(**object)).map(|(_, rows)| rows).sum();
        let live = there.saturating_sub(self.deleted);
        debug_assert!(there <= self.rows);
        (u128::from(self.data_bytes) * u128::from(live) / u128::from(self.rows.max(1))) as u64
    }
}

/// What a checkpoint of the rows leaves to do once the control file names the new manifest.
pub struct Written {
    pub manifest: u64,
    /// There were rows to write.
    closed: bool,
    /// Pairs that were merged into one.
    merged: usize,
    /// Files that nobody needs then.
    obsolete: Vec<String>,
}

impl Written {
    /// The control file names the new manifest. `pinned`: somebody still reads the files of an older one, and removes them later.
    pub fn install(&self, counts: &CheckpointNumbers, disk: &Disk, pinned: bool) -> StorageResult<()> {
        counts.closed.fetch_add(u64::from(self.closed), Ordering::Relaxed);
        counts.merges_installed.fetch_add(u64::from(self.merged > 0), Ordering::Relaxed);
        if pinned {
            return Ok(());
        }
        for name in &self.obsolete {
            debug_assert!(*name != manifest_name(self.manifest), "what the control file names stays");
            if disk.exists(name) {
                disk.remove(name)?;
            }
        }
        Ok(())
    }
}

shared_struct! {
    /// What a checkpoint covers: the log from `redo_lsn` on is not in its pages, nor in the checkpoint files that its manifest names.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct Covered {
        pub scan_lsn: u64,
        pub redo_lsn: u64,
        pub manifest: u64,
    }
}

impl Engine {
    /// Brings the checkpoint files up to `redo_lsn`, which is hardened. `next`: the number of a new manifest.
    pub fn checkpoint_rows(
        &self,
        before: Covered,
        redo_lsn: u64,
        next: u64,
        pause: &dyn Pause,
    ) -> StorageResult<Written> {
        assert!(redo_lsn <= self.log.hardened(), "a checkpoint covers what is hardened");
        assert!(before.scan_lsn <= before.redo_lsn && before.redo_lsn <= redo_lsn, "{before:?} before LSN {redo_lsn}");
        assert!(next > before.manifest, "manifest {next} after {}", before.manifest);
        let unchanged = Written { manifest: before.manifest, closed: false, merged: 0, obsolete: Vec::new() };
        // No row has been logged since, nor by a transaction that was not over then.
        let last = self.xtp.last_logged();
        if last == 0 || last < before.scan_lsn {
            return Ok(unchanged);
        }
        let disk = &self.disk;
        let mut manifest = Manifest::read(disk, before.manifest)?;
        manifest.next_object = manifest.next_object.max(self.xtp.next_object());
        debug_assert!(
            manifest.pairs.iter().all(|pair| pair.highest < before.redo_lsn),
            "older rows are in older pairs"
        );
        let mut obsolete = Vec::new();
        if before.manifest != 0 {
            obsolete.push(manifest_name(before.manifest));
        }
        let mut deleted = self.append_rows(before, redo_lsn, &mut manifest, pause)?;
        deleted.sort_unstable();
        for pair in &mut manifest.pairs {
            pair.delete(disk, &deleted)?;
        }
        let merged = self.merge_pairs(&mut manifest, pause)?;
        obsolete.extend(merged.iter().flat_map(|pair| [data_name(pair.file), delta_name(pair.file)]));
        manifest.write(disk, next)?;
        disk.sync_names()?;
        debug_assert!(
            !self.files.held().is_empty() || manifest.pairs.iter().all(|pair| disk.exists(&data_name(pair.file))),
            "a manifest names files that are there, but those of databases that are held for them"
        );
        os::sim_point!("xtp.checkpoint.manifest");
        Ok(Written { manifest: next, closed: true, merged: merged.len(), obsolete })
    }

    /// Gives back what a checkpoint that failed took, beside the files of `manifest`.
    pub fn discard_checkpoint_files(&self, manifest: u64) -> StorageResult<()> {
        Manifest::read(&self.disk, manifest)?.remove_others(&self.disk, manifest)
    }

    /// Writes the rows of transactions whose commit lies between the last checkpoint and this one into new pairs. Returns the
    /// numbers of the rows that these transactions deleted.
    fn append_rows(
        &self,
        before: Covered,
        redo_lsn: u64,
        manifest: &mut Manifest,
        pause: &dyn Pause,
    ) -> StorageResult<Vec<u64>> {
        let mut pacer = Pacer::new(pause);
        let mut filling: Option<Filling> = None;
        let mut deleted = Vec::new();
        let mut open: HashMap<u64, Vec<u64>> = HashMap::new();
        let mut bytes = Vec::new();
        replay(self.log.store(), before.scan_lsn, redo_lsn, &mut |record| {
            let id = record.head.transaction;
            heard(pacer.spend(record.body.len() + 1))?;
            match record.head.kind {
                Kind::Rows => open.entry(id).or_default().push(record.lsn),
                Kind::End => drop(open.remove(&id)),
                Kind::Commit => {
                    let records = open.remove(&id).unwrap_or_default();
                    if record.lsn < before.redo_lsn {
                        return Ok(());
                    }
                    let mut reader = Reader::default();
                    for lsn in records {
                        self.log.read(lsn, &mut bytes)?;
                        heard(pacer.spend(bytes.len()))?;
                        let record = Record::decode(lsn, &bytes);
                        let record = record.ok_or_else(|| StorageError::Damaged(format!("log record at {lsn}")))?;
                        reader.read(&record, &mut |said| {
                            match said {
                                Said::Deleted { number, .. } => deleted.push(number),
                                Said::Inserted { object, number, image } => {
                                    debug_assert!(number < redo_lsn, "row {number} of a log up to {redo_lsn}");
                                    if filling.as_ref().is_some_and(Filling::is_full) {
                                        filling.take().expect("is full").close(manifest)?;
                                    }
                                    let pair = match &mut filling {
                                        Some(pair) => pair,
                                        None => filling.insert(Filling::new(&self.disk, manifest)?),
                                    };
                                    pair.push(object, number, image)?;
                                }
                            }
                            Ok(())
                        })?;
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        if let Some(filling) = filling {
            filling.close(manifest)?;
        }
        Ok(deleted)
    }

    /// Merges the first neighbours that fit one file, if there are any. Returns what they were.
    fn merge_pairs(&self, manifest: &mut Manifest, pause: &dyn Pause) -> StorageResult<Vec<Pair>> {
        if !self.files.held().is_empty() {
            // Nobody knows which rows are of tables that are there.
            return Ok(Vec::new());
        }
        let counts = &self.xtp.numbers.checkpoints;
        counts.looks.fetch_add(1, Ordering::Relaxed);
        let is_there = |object: u32| self.xtp.objects.find(object).is_some();
        let mut group = 0..0;
        for from in 0..manifest.pairs.len() {
            let mut live = 0;
            let mut to = from;
            while let Some(pair) = manifest.pairs.get(to)
                && to - from < MERGED_MAX
                && live + pair.live_bytes(&is_there) <= DATA_BYTES
            {
                live += pair.live_bytes(&is_there);
                to += 1;
            }
            // One alone is written again if more than half of it is gone.
            let alone = live < manifest.pairs[from].data_bytes / 2;
            if to - from >= MERGED_MIN || alone && to > from {
                group = from..to;
                break;
            }
        }
        if group.is_empty() {
            return Ok(Vec::new());
        }
        os::sim_point!("xtp.merge");
        let old: Vec<Pair> = manifest.pairs.drain(group.clone()).collect();
        debug_assert!(old.len() <= MERGED_MAX);
        let mut merged = Filling::new(&self.disk, manifest)?;
        let mut pacer = Pacer::new(pause);
        for pair in &old {
            let deleted = pair.read_deleted(&self.disk)?;
            pair.read_rows(&self.disk, &mut |object, number, image| {
                heard(pacer.spend(image.len()))?;
                if deleted.contains(&number) || !is_there(object) {
                    return Ok(());
                }
                merged.push(object, number, image)
            })?;
        }
        let at = group.start;
        merged.close(manifest)?;
        let merged = manifest.pairs.pop().expect("closed just now");
        assert!(merged.rows <= old.iter().map(|pair| pair.rows).sum(), "a merge adds no rows");
        assert!(old.iter().all(|pair| pair.file != merged.file), "nothing is written into what is read");
        if merged.rows > 0 {
            manifest.pairs.insert(at, merged);
        }
        counts.merges.fetch_add(1, Ordering::Relaxed);
        counts.files_merged.fetch_add(old.len() as u64, Ordering::Relaxed);
        Ok(old)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_survives_encoding_and_refuses_damage() {
        let pair = Pair { file: 4, data_bytes: 9, rows: 2, objects: [(3, 2)].into(), ..Pair::default() };
        let manifest = Manifest { next_object: 5, next_file: 6, pairs: vec![pair.clone(), pair] };
        let bytes = manifest.encode();
        assert_eq!(Manifest::decode(&bytes), Some(manifest));
        for cut in 0..bytes.len() {
            assert_eq!(Manifest::decode(&bytes[..cut]), None, "cut at {cut}");
        }
    }
}
