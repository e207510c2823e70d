//! Sorts byte strings by key for who builds an index: in the memory of a workspace, and beyond that in work files, as a query's sort does
//! with its rows.
//!
//! ```text
//! record, in memory and in work files:  key length u16, payload length u32, key, payload
//! ```
//! What comes is sorted in runs of some thousand rows, so no sort is long without a pause, and runs are merged as they are read.

use std::cmp::Ordering;
use std::sync::Arc;

use storage::error::{ROW_WORK, heard};
use storage::spill::{BLOCK_ROOM, Position, Spill, Stream};
use storage::{KeySorter, StorageError, StorageResult};
use types::pause::Pacer;

use crate::run_tree::{RunTree, prefix};
use crate::workspace::{Held, Workspace};

const HEAD_BYTES: usize = 6;
/// Records lie in chunks of this, a longer one in its own.
const CHUNK_BYTES: usize = 64 << 10;
/// Rows, and bytes, that are sorted without a pause.
const RUN_ROWS: usize = 1 << 14;
const RUN_BYTES: usize = 1 << 20;
/// Work for a row that finds its place among others.
const PLACE: usize = 32;
/// Files merged at a time.
const FILES_MIN: usize = 4;
const FILES_MAX: usize = 512;
/// Of a reader: a block and a record.
const READER_BYTES: usize = BLOCK_ROOM + (16 << 10);
/// Blocks that are read at once, where there is memory, and written at once: the sort goes on meanwhile, and each write costs a switch.
const BLOCKS_MAX: usize = 16;
/// Of the memory: what blocks that are written at once may take.
const WRITER_PART: usize = 16;

/// The first bytes of a key, which decide most comparisons.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Prefix(u64, u64);

impl Prefix {
    fn of(key: &[u8]) -> Prefix {
        Prefix(prefix(key), key.get(8..).map_or(0, prefix))
    }
}

/// A record in memory.
#[derive(Clone, Copy)]
struct Entry {
    prefix: Prefix,
    chunk: u32,
    at: u32,
}

/// A record's key and payload.
fn parts(record: &[u8]) -> (&[u8], &[u8]) {
    let key = usize::from(u16::from_le_bytes([record[0], record[1]]));
    let payload = u32::from_le_bytes([record[2], record[3], record[4], record[5]]) as usize;
    record[HEAD_BYTES..HEAD_BYTES + key + payload].split_at(key)
}

fn head(key: &[u8], payload: &[u8]) -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    head[..2].copy_from_slice(&u16::try_from(key.len()).expect("a key of an index").to_le_bytes());
    head[2..].copy_from_slice(&u32::try_from(payload.len()).expect("a row of a page").to_le_bytes());
    head
}

/// Records in memory, in sorted runs but for the last one. Each run has its own chunks.
#[derive(Default)]
struct Rows {
    chunks: Vec<Vec<u8>>,
    /// Those before are of sorted runs.
    open_chunk: usize,
    /// Empty ones.
    spare: Vec<Vec<u8>>,
    entries: Vec<Entry>,
    /// Where each sorted run ends.
    ends: Vec<usize>,
    /// Bytes of the run that is not sorted yet.
    open_bytes: usize,
    chunk_bytes: usize,
}

impl Rows {
    fn record(&self, entry: Entry) -> &[u8] {
        &self.chunks[entry.chunk as usize][entry.at as usize..]
    }

    fn compare(&self, a: &Entry, b: &Entry) -> Ordering {
        a.prefix.cmp(&b.prefix).then_with(|| parts(self.record(*a)).0.cmp(parts(self.record(*b)).0))
    }

    /// Bytes that it will hold with one more record.
    fn bytes_with(&self, record: usize) -> usize {
        let chunk = if self.has_room(record) || self.fits_spare(record) { 0 } else { record.max(CHUNK_BYTES) };
        let entries = match self.entries.len() == self.entries.capacity() {
            // While they move, both are there.
            true => self.entries.len() + self.grown(),
            false => self.entries.capacity(),
        };
        self.chunk_bytes + chunk + entries * size_of::<Entry>()
    }

    fn has_room(&self, record: usize) -> bool {
        self.chunks[self.open_chunk..].last().is_some_and(|last| last.capacity() - last.len() >= record)
    }

    fn fits_spare(&self, record: usize) -> bool {
        record <= CHUNK_BYTES && !self.spare.is_empty()
    }

    fn grown(&self) -> usize {
        (self.entries.len() + self.entries.len() / 2).max(CHUNK_BYTES / size_of::<Entry>())
    }

    /// Makes room in the last chunk.
    fn make_room(&mut self, record: usize) {
        if self.has_room(record) {
            return;
        }
        if self.fits_spare(record) {
            self.chunks.extend(self.spare.pop());
        } else {
            self.chunks.push(Vec::with_capacity(record.max(CHUNK_BYTES)));
            self.chunk_bytes += record.max(CHUNK_BYTES);
        }
    }

    fn push(&mut self, key: &[u8], payload: &[u8]) {
        let record = HEAD_BYTES + key.len() + payload.len();
        self.make_room(record);
        if self.entries.len() == self.entries.capacity() {
            self.entries.reserve_exact(self.grown() - self.entries.len());
        }
        let chunk = self.chunks.len() - 1;
        let last = &mut self.chunks[chunk];
        self.entries.push(Entry { prefix: Prefix::of(key), chunk: chunk as u32, at: last.len() as u32 });
        last.extend_from_slice(&head(key, payload));
        last.extend_from_slice(key);
        last.extend_from_slice(payload);
        self.open_bytes += record;
    }

    /// Empties it. What others may be put into is kept: memory that is touched anew costs as much as the sort.
    fn restart(&mut self) {
        let chunks = std::mem::take(&mut self.chunks);
        self.keep_spare(chunks);
        self.open_chunk = 0;
        self.entries.clear();
        self.ends.clear();
        self.open_bytes = 0;
    }

    fn keep_spare(&mut self, chunks: Vec<Vec<u8>>) {
        for mut chunk in chunks {
            if chunk.capacity() == CHUNK_BYTES {
                chunk.clear();
                self.spare.push(chunk);
            } else {
                self.chunk_bytes -= chunk.capacity();
            }
        }
    }

    fn open_rows(&self) -> usize {
        self.entries.len() - self.ends.last().copied().unwrap_or(0)
    }

    /// Bytes of the chunks of the run that is not sorted yet.
    fn open_chunk_bytes(&self) -> usize {
        self.chunks[self.open_chunk..].iter().map(Vec::capacity).sum()
    }

    /// Sorts the last run, if there is one. `laid`: its records, too, are put in order, for which there is memory once more: whoever merges many
    /// runs would wait for each record.
    fn end_run(&mut self, laid: bool, pacer: &mut Pacer<'_>) -> StorageResult<()> {
        let rows = self.open_rows();
        if rows == 0 {
            return Ok(());
        }
        let mut entries = std::mem::take(&mut self.entries);
        let start = entries.len() - rows;
        entries[start..].sort_unstable_by(|a, b| self.compare(a, b));
        if laid {
            self.lay(&mut entries[start..]);
        }
        self.entries = entries;
        self.ends.push(self.entries.len());
        self.open_chunk = self.chunks.len();
        heard(pacer.spend(rows * PLACE + std::mem::take(&mut self.open_bytes)))
    }

    /// Puts the records of the run into new chunks, in the order of the entries.
    fn lay(&mut self, entries: &mut [Entry]) {
        let old = self.chunks.split_off(self.open_chunk);
        for entry in entries {
            let record = &old[entry.chunk as usize - self.open_chunk][entry.at as usize..];
            let (key, payload) = parts(record);
            let length = HEAD_BYTES + key.len() + payload.len();
            self.make_room(length);
            let chunk = self.chunks.len() - 1;
            (entry.chunk, entry.at) = (chunk as u32, self.chunks[chunk].len() as u32);
            self.chunks[chunk].extend_from_slice(&record[..length]);
        }
        self.keep_spare(old);
    }
}

/// A sorted run in a work file.
struct FileRun {
    stream: Stream,
    rows: u64,
}

enum Source<'r> {
    /// Entries from the first to the second.
    Memory(&'r Rows, usize, usize),
    /// `left` rows behind the record that it stands on.
    File { run: FileRun, position: Position, record: Vec<u8>, left: u64 },
}

impl Source<'_> {
    fn record(&self) -> &[u8] {
        match self {
            Source::Memory(rows, at, _) => rows.record(rows.entries[*at]),
            Source::File { record, .. } => record,
        }
    }

    fn prefix(&self) -> Prefix {
        match self {
            Source::Memory(rows, at, _) => rows.entries[*at].prefix,
            Source::File { record, .. } => Prefix::of(parts(record).0),
        }
    }

    /// Goes to the next record. False: that was the last.
    fn step(&mut self) -> StorageResult<bool> {
        match self {
            Source::Memory(_, at, end) => {
                *at += 1;
                Ok(at < end)
            }
            Source::File { run, position, record, left } => {
                if *left == 0 {
                    // Its blocks are free from here on.
                    run.stream.clear();
                    return Ok(false);
                }
                *left -= 1;
                record.resize(HEAD_BYTES, 0);
                position.read(&run.stream, record)?;
                let key = usize::from(u16::from_le_bytes([record[0], record[1]]));
                let payload = u32::from_le_bytes([record[2], record[3], record[4], record[5]]) as usize;
                record.resize(HEAD_BYTES + key + payload, 0);
                position.read(&run.stream, &mut record[HEAD_BYTES..])?;
                Ok(true)
            }
        }
    }
}

/// The records of several sorted runs, in order.
struct Merge<'r> {
    /// Each with the prefix of its key.
    sources: Vec<(Prefix, Source<'r>)>,
    tree: RunTree,
}

impl<'r> Merge<'r> {
    fn of_memory(rows: &'r Rows) -> Merge<'r> {
        let starts = [0].into_iter().chain(rows.ends.iter().copied());
        let runs =
            starts.zip(&rows.ends).map(|(start, end)| (rows.entries[start].prefix, Source::Memory(rows, start, *end)));
        Merge::of(runs.collect())
    }

    /// Each is read so many blocks at a time.
    fn of_files(files: Vec<FileRun>, blocks: usize) -> StorageResult<Merge<'r>> {
        let mut sources = Vec::new();
        for run in files {
            let left = run.rows;
            let mut source = Source::File { run, position: Position::reading(blocks), record: Vec::new(), left };
            if source.step()? {
                sources.push((source.prefix(), source));
            }
        }
        Ok(Merge::of(sources))
    }

    fn of(sources: Vec<(Prefix, Source<'r>)>) -> Merge<'r> {
        let tree = RunTree::new(sources.len(), |a, b| is_before(&sources, a, b));
        Merge { sources, tree }
    }

    fn run(
        mut self,
        pacer: &mut Pacer<'_>,
        each: &mut dyn FnMut(&[u8], &[u8]) -> StorageResult<()>,
    ) -> StorageResult<()> {
        while let Some(first) = self.tree.first() {
            let (head, source) = &mut self.sources[first as usize];
            let (key, payload) = parts(source.record());
            heard(pacer.spend(ROW_WORK + key.len() + payload.len()))?;
            each(key, payload)?;
            let has_more = source.step()?;
            if has_more {
                *head = source.prefix();
            }
            self.tree.stepped(has_more, |a, b| is_before(&self.sources, a, b));
        }
        Ok(())
    }
}

fn is_before(sources: &[(Prefix, Source<'_>)], a: u32, b: u32) -> bool {
    let (left, right) = (&sources[a as usize], &sources[b as usize]);
    let order = left.0.cmp(&right.0);
    let order = order.then_with(|| parts(left.1.record()).0.cmp(parts(right.1.record()).0));
    order.then(a.cmp(&b)).is_lt()
}

/// An external sort of keys with their payloads.
pub struct KeySort {
    workspace: Arc<Workspace>,
    spill: Arc<Spill>,
    rows: Rows,
    held: Held,
    files: Vec<FileRun>,
}

impl KeySort {
    pub fn new(workspace: Arc<Workspace>, spill: Arc<Spill>) -> KeySort {
        KeySort { workspace, spill, rows: Rows::default(), held: Held::default(), files: Vec::new() }
    }

    /// Writes what is in memory to a work file, and begins anew. The memory is for the next run, unless somebody waits for some.
    fn write_run(&mut self, pacer: &mut Pacer<'_>) -> StorageResult<()> {
        self.rows.end_run(false, pacer)?;
        let run = self.write(Merge::of_memory(&self.rows), pacer)?;
        self.files.push(run);
        if self.workspace.is_awaited() {
            self.let_go();
        } else {
            self.rows.restart();
        }
        self.workspace.count_run();
        Ok(())
    }

    fn let_go(&mut self) {
        self.rows = Rows::default();
        self.held.clear();
    }

    fn write(&self, merge: Merge<'_>, pacer: &mut Pacer<'_>) -> StorageResult<FileRun> {
        let mut run = FileRun { stream: self.spill.stream(), rows: 0 };
        run.stream.go_on((self.workspace.limit_now() / WRITER_PART / BLOCK_ROOM).clamp(1, BLOCKS_MAX));
        merge.run(pacer, &mut |key, payload| {
            run.rows += 1;
            self.workspace.count_bytes(HEAD_BYTES + key.len() + payload.len());
            [&head(key, payload)[..], key, payload].iter().try_for_each(|part| run.stream.append(part)).map_err(full)
        })?;
        run.stream.finish().map_err(full)?;
        Ok(run)
    }

    /// Half of the memory goes to readers: of how many of so many work files, and how many blocks each reads at once.
    fn readable(&self, files: usize) -> (usize, usize) {
        let room = self.workspace.limit_now() / 2;
        let count = (room / READER_BYTES).clamp(FILES_MIN, FILES_MAX).min(files);
        let spare = room.saturating_sub(count * READER_BYTES) / count / BLOCK_ROOM;
        (count, 1 + spare.min(BLOCKS_MAX - 1))
    }

    /// Reads the first `count` work files as one.
    fn merged<'r>(&mut self, (count, blocks): (usize, usize), held: &mut Held) -> StorageResult<Merge<'r>> {
        let bytes = count * (READER_BYTES + (blocks - 1) * BLOCK_ROOM);
        held.force(&self.workspace, bytes).map_err(|_| StorageError::OutOfMemory)?;
        Merge::of_files(self.files.drain(..count).collect(), blocks)
    }
}

/// What a work file lacks is tempdb's, not the table's.
fn full(error: StorageError) -> StorageError {
    match error {
        StorageError::DiskFull => StorageError::WorkFilesFull,
        error => error,
    }
}

impl KeySorter for KeySort {
    fn add(&mut self, key: &[u8], payload: &[u8], pacer: &mut Pacer<'_>) -> StorageResult<()> {
        let record = HEAD_BYTES + key.len() + payload.len();
        let bytes = self.rows.bytes_with(record);
        if bytes != self.held.bytes() && !self.held.hold(&self.workspace, bytes) {
            if !self.rows.entries.is_empty() {
                self.write_run(pacer)?;
            }
            let least = self.rows.bytes_with(record);
            self.held.force(&self.workspace, least).map_err(|_| StorageError::OutOfMemory)?;
        }
        self.rows.push(key, payload);
        if self.rows.open_rows() == RUN_ROWS || self.rows.open_bytes >= RUN_BYTES {
            let laid = self.held.hold(&self.workspace, self.held.bytes() + self.rows.open_chunk_bytes());
            self.rows.end_run(laid, pacer)?;
        }
        Ok(())
    }

    fn drain(
        &mut self,
        pacer: &mut Pacer<'_>,
        each: &mut dyn FnMut(&[u8], &[u8]) -> StorageResult<()>,
    ) -> StorageResult<()> {
        if self.files.is_empty() {
            self.rows.end_run(false, pacer)?;
            Merge::of_memory(&self.rows).run(pacer, each)?;
        } else {
            if !self.rows.entries.is_empty() {
                self.write_run(pacer)?;
            }
            self.let_go();
            let mut held = Held::default();
            loop {
                let some = self.readable(self.files.len());
                let merge = self.merged(some, &mut held)?;
                if self.files.is_empty() {
                    merge.run(pacer, each)?;
                    break;
                }
                let longer = self.write(merge, pacer)?;
                self.files.push(longer);
            }
        }
        self.let_go();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use os::disk::Disk;
    use storage::QUERY_PERCENT;

    use super::*;
    use crate::workspace::tests::pool;

    const MB: usize = 1 << 20;

    /// A sort with a quarter of so much memory, and its work files.
    fn sort(bytes: usize, file_bytes: u64) -> (KeySort, Arc<Spill>, Arc<Workspace>) {
        let workspace = Workspace::new(pool(bytes), 51, QUERY_PERCENT);
        let spill = Spill::new(Disk::memory(), file_bytes).expect("work files");
        (KeySort::new(workspace.clone(), spill.clone()), spill, workspace)
    }

    /// Numbers that come in no order; of some the key is long, or the payload.
    fn record(at: u64) -> (Vec<u8>, Vec<u8>) {
        let number = at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16;
        let mut key = vec![b'k'; (number % 3) as usize * 7];
        key.extend_from_slice(&number.to_be_bytes());
        (key, vec![at as u8; if at.is_multiple_of(97) { 70_000 } else { (at % 60) as usize }])
    }

    fn fill(sort: &mut KeySort, count: u64) -> StorageResult<()> {
        (0..count).map(record).try_for_each(|(key, payload)| sort.add(&key, &payload, &mut Pacer::none()))
    }

    fn drained(sort: &mut KeySort) -> StorageResult<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut all = Vec::new();
        sort.drain(&mut Pacer::none(), &mut |key, payload| {
            all.push((key.to_vec(), payload.to_vec()));
            Ok(())
        })?;
        Ok(all)
    }

    #[test]
    fn hands_on_what_came_in_order_however_little_memory_there_is() {
        for (bytes, runs) in [(512 * MB, 0), (16 * MB, 1), (4 * MB, 4)] {
            let (mut sort, spill, workspace) = sort(bytes, 1 << 30);
            for count in [0, 1, 2, 30_000] {
                fill(&mut sort, count).expect("sorted");
                let mut expected: Vec<_> = (0..count).map(record).collect();
                expected.sort();
                assert!(drained(&mut sort).expect("merged") == expected, "{count} records in {bytes} bytes");
                assert_eq!((workspace.used(), spill.used_bytes()), (0, 0), "nothing is held between two sorts");
            }
            assert!(workspace.spilled().sort_runs >= runs, "{} runs in {bytes} bytes", workspace.spilled().sort_runs);
        }
    }

    #[test]
    fn a_sort_that_ends_early_gives_everything_back() {
        let (mut sort, spill, workspace) = sort(4 * MB, 1 << 30);
        fill(&mut sort, 30_000).expect("sorted");
        assert!(spill.used_bytes() > 0);
        let stopped = sort.drain(&mut Pacer::none(), &mut |_, _| Err(StorageError::Cancelled));
        assert_eq!(stopped, Err(StorageError::Cancelled));
        drop(sort);
        assert_eq!((workspace.used(), spill.used_bytes()), (0, 0));
    }

    #[test]
    fn work_files_that_are_full_are_told_from_a_full_table() {
        let (mut sort, _, _) = sort(4 * MB, 1 << 20);
        assert_eq!(fill(&mut sort, 30_000), Err(StorageError::WorkFilesFull));
    }
}
