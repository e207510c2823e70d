//! Work files: what sorts and hashes do not hold in memory. Bytes of one statement, gone with it; never logged, never recovered.
//!
//! ```text
//! block (64 KB):  0 crc32 u32 of bytes 4..16+length   4 length u32   8 number u32   12 serial u32   16 bytes
//! ```
//! An engine has one file, `spill.N`, made at its first spill, and gives its blocks to streams. The serial is the stream's: what an earlier
//! owner left in a block, or a write that never came, is told from what should be there. A block is free when its stream is dropped,
//! whichever way the statement ends; what a crash left is removed at the next start.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use os::disk::{Disk, DiskError, File, Open};
use os::sched::Started;
use os::sync::Mutex;
use os::wait::WaitType;

use crate::error::{StorageError, StorageResult};
use crate::layout::{DatabaseId, PageRef};
use crate::pages::page::u32_at;

const BLOCK_BYTES: usize = 64 << 10;
const HEAD_BYTES: usize = 16;
/// Of a block's bytes, those of the stream.
pub const BLOCK_ROOM: usize = BLOCK_BYTES - HEAD_BYTES;

const PREFIX: &str = "spill.";

/// What a planted failure to read is.
const EIO: i32 = 5;

/// Blocks of one file: more than any limit asks for, and 64 TB.
const BLOCKS_MAX: u64 = 1 << 30;

/// The work files of one engine.
pub struct Spill {
    disk: Disk,
    blocks_max: u64,
    space: Mutex<Space>,
    used: AtomicU64,
    serials: AtomicU32,
}

#[derive(Default)]
struct Space {
    file: Option<Arc<File>>,
    /// Whose file it is: an engine forked later has its own.
    engine: u32,
    /// Blocks that the file has room for.
    end: u32,
    free: Vec<u32>,
}

impl Spill {
    /// What an earlier life left is removed.
    pub fn new(disk: Disk, bytes_max: u64) -> StorageResult<Arc<Spill>> {
        for name in disk.list()?.iter().filter(|name| name.starts_with(PREFIX)) {
            disk.remove(name)?;
        }
        Ok(Arc::new(Spill {
            disk,
            blocks_max: (bytes_max / BLOCK_BYTES as u64).min(BLOCKS_MAX),
            space: Mutex::new(WaitType::SOS_MUTEX, Space::default()),
            used: AtomicU64::new(0),
            serials: AtomicU32::new(1),
        }))
    }

    /// An empty stream.
    pub fn stream(self: &Arc<Spill>) -> Stream {
        let serial = self.serials.fetch_add(1, Ordering::Relaxed);
        Stream {
            spill: self.clone(),
            file: None,
            serial,
            blocks: Vec::new(),
            tail: Vec::new(),
            waiting: 0,
            together: 1,
            bytes: 0,
            away: None,
        }
    }

    /// Bytes of the blocks that streams have.
    pub fn used_bytes(&self) -> u64 {
        self.used.load(Ordering::Relaxed) * BLOCK_BYTES as u64
    }

    /// A block for a stream, and the file it lies in.
    fn take(&self) -> StorageResult<(u32, Arc<File>)> {
        let mut space = self.space.lock();
        let engine = os::engines::number();
        if space.file.is_some() && space.engine != engine {
            // Inherited: that file goes on being the launcher's.
            *space = Space::default();
            self.used.store(0, Ordering::Relaxed);
        }
        if self.used.load(Ordering::Relaxed) >= self.blocks_max {
            return Err(StorageError::DiskFull);
        }
        let file = match &space.file {
            Some(file) => file.clone(),
            None => {
                let file = Arc::new(self.disk.open(&format!("{PREFIX}{engine}"), Open::ExistingOrNew)?);
                // An engine of this number that died may have left something.
                file.set_len(0)?;
                (space.file, space.engine) = (Some(file.clone()), engine);
                file
            }
        };
        let block = match space.free.pop() {
            Some(block) => block,
            None => {
                space.end += 1;
                space.end - 1
            }
        };
        self.used.fetch_add(1, Ordering::Relaxed);
        Ok((block, file))
    }

    fn give(&self, blocks: &[u32]) {
        if blocks.is_empty() {
            return;
        }
        let mut space = self.space.lock();
        // So that they are taken again in the order in which they lie.
        space.free.extend(blocks.iter().rev());
        assert!(space.free.len() <= space.end as usize, "a block becomes free once");
        self.used.fetch_sub(blocks.len() as u64, Ordering::Relaxed);
    }

    /// Gives the end of the file back to the disk, if much of it is free.
    pub fn trim(&self) {
        let mut space = self.space.lock();
        if space.end == 0 || space.engine != os::engines::number() || space.free.len() < space.end as usize / 2 {
            return;
        }
        space.free.sort_unstable();
        let before = space.end;
        while space.free.last() == Some(&(space.end.wrapping_sub(1))) {
            space.free.pop();
            space.end -= 1;
        }
        if space.end < before
            && let Some(file) = &space.file
        {
            // What cannot be cut stays and is used again.
            file.set_len(space.end as u64 * BLOCK_BYTES as u64).ok();
        }
    }
}

/// Bytes written one after the other, and then read from the start as often as is wanted.
pub struct Stream {
    spill: Arc<Spill>,
    file: Option<Arc<File>>,
    serial: u32,
    /// In order. 0 blocks: all bytes are in `tail`.
    blocks: Vec<u32>,
    /// A block that is being filled, with its head, behind the last `waiting` blocks; empty before the first byte and after `finish`.
    tail: Vec<u8>,
    /// Full blocks that lie side by side in the file, as they do in `tail`, and are not written yet.
    waiting: usize,
    /// So many of them are one write.
    together: usize,
    bytes: u64,
    /// While a block is written the next one is filled.
    away: Option<Away>,
}

/// A block on its way into the file, if there is one, of one stream or of several that one worker writes in turn.
#[derive(Clone)]
pub struct Away {
    writing: Arc<Mutex<Option<Writing>>>,
    is_shared: bool,
}

type Writing = Started<(Vec<u8>, Result<(), DiskError>)>;

impl Away {
    fn of(is_shared: bool) -> Away {
        Away { writing: Arc::new(Mutex::new(WaitType::SOS_MUTEX, None)), is_shared }
    }

    /// For several streams (`Stream::go_on_with`). It takes the memory of one block.
    pub fn shared() -> Away {
        Away::of(true)
    }

    /// Waits for the block that is being written: its bytes.
    fn written(&self) -> StorageResult<Vec<u8>> {
        let writing = self.writing.lock().take();
        let Some(writing) = writing else { return Ok(Vec::new()) };
        let (bytes, result) = writing.wait(WaitType::IO_COMPLETION);
        result?;
        Ok(bytes)
    }
}

impl Stream {
    /// From now on it goes on while so many blocks are written at once, which takes their memory twice.
    pub fn go_on(&mut self, together: usize) {
        assert!(together > 0 && self.bytes == 0, "said of a stream that is empty");
        self.together = together;
        self.away = Some(Away::of(false));
    }

    /// As `go_on`, with others. An error of the one may be the other's: all of them are of no use after it.
    pub fn go_on_with(&mut self, away: &Away) {
        self.away = Some(away.clone());
    }

    /// Appends bytes. 1105 when there is no room; the stream is of no use after an error.
    pub fn append(&mut self, mut bytes: &[u8]) -> StorageResult<()> {
        self.bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            let start = self.waiting * BLOCK_BYTES;
            if self.tail.len() == start {
                self.tail.resize(start + HEAD_BYTES, 0);
            }
            let (now, later) = bytes.split_at(bytes.len().min(start + BLOCK_BYTES - self.tail.len()));
            self.tail.extend_from_slice(now);
            bytes = later;
            if self.tail.len() == start + BLOCK_BYTES {
                self.end_block()?;
            }
        }
        Ok(())
    }

    /// Writes what is not written yet, and lets its buffer go. Nothing is appended after that.
    pub fn finish(&mut self) -> StorageResult<()> {
        if self.tail.len() > self.waiting * BLOCK_BYTES {
            self.end_block()?;
        }
        self.write_waiting(0)?;
        self.tail = Vec::new();
        self.written().map(drop)
    }

    fn written(&self) -> StorageResult<Vec<u8>> {
        self.away.as_ref().map_or(Ok(Vec::new()), Away::written)
    }

    /// Gives the last block of the tail its place and its head.
    fn end_block(&mut self) -> StorageResult<()> {
        let (block, file) = self.spill.take()?;
        let is_apart = self.blocks.last().is_some_and(|last| last + 1 != block);
        // The stream's from here on, so that it is given back if the write fails.
        self.blocks.push(block);
        self.file = Some(file);
        if is_apart {
            self.write_waiting(1)?;
        }
        let bytes = &mut self.tail[self.waiting * BLOCK_BYTES..];
        let length = (bytes.len() - HEAD_BYTES) as u32;
        bytes[4..8].copy_from_slice(&length.to_le_bytes());
        bytes[8..12].copy_from_slice(&block.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.serial.to_le_bytes());
        let sum = crc32fast::hash(&bytes[4..]);
        bytes[..4].copy_from_slice(&sum.to_le_bytes());
        self.waiting += 1;
        if self.waiting == self.together { self.write_waiting(0) } else { Ok(()) }
    }

    /// Writes the blocks that wait; `behind` them the stream has so many more, which stay.
    fn write_waiting(&mut self, behind: usize) -> StorageResult<()> {
        let waiting = std::mem::take(&mut self.waiting);
        let Some(file) = self.file.as_ref().filter(|_| waiting > 0) else { return Ok(()) };
        if os::fails!(SpillWrite) {
            return Err(DiskError::Full.into());
        }
        let place = place_of(self.blocks[self.blocks.len() - behind - waiting]);
        let rest = self.tail.split_off(self.tail.len().min(waiting * BLOCK_BYTES));
        if let Some(away) = &self.away {
            let mut next = away.written()?;
            next.clear();
            let full = std::mem::replace(&mut self.tail, next);
            *away.writing.lock() = Some(file.start_write_at(full, place));
        } else {
            file.write_away_at(&self.tail, place)?;
            self.tail.clear();
        }
        self.tail.extend_from_slice(&rest);
        Ok(())
    }

    /// Appended so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// In memory: what is being filled.
    pub fn held_bytes(&self) -> usize {
        let is_away = |away: &Away| !away.is_shared && away.writing.lock().is_some();
        let away = if self.away.as_ref().is_some_and(is_away) { self.together * BLOCK_BYTES } else { 0 };
        self.tail.capacity() + away + self.blocks.capacity() * 4
    }

    /// Reads block `at` and as many of those behind it as lie behind it in the file, `most` in all.
    fn read_blocks(&self, at: usize, most: usize, into: &mut Vec<u8>) -> StorageResult<()> {
        let count = self.together_from(at, most);
        let file = self.file.as_ref().expect("a stream with blocks has a file");
        into.resize(count * BLOCK_BYTES, 0);
        if os::fails!(SpillRead) {
            return Err(DiskError::Io(EIO).into());
        }
        let got = file.read_some_at(into, place_of(self.blocks[at]))?;
        into.truncate(got);
        // Who reads several streams in turn comes back later, and the system does not see that each is read from one end to the other.
        if let Some(next) = self.blocks.get(at + count) {
            file.expect_read(self.together_from(at + count, most) * BLOCK_BYTES, place_of(*next));
        }
        Ok(())
    }

    /// Blocks from `at` on that lie side by side in the file, `most` at most.
    fn together_from(&self, at: usize, most: usize) -> usize {
        let follow = |(next, block): &(u32, &u32)| **block == *next;
        (self.blocks[at]..).zip(&self.blocks[at..]).take(most).take_while(follow).count()
    }

    /// How many of the bytes that lie in the place of block `at` are its.
    fn length_of(&self, at: usize, bytes: &[u8]) -> StorageResult<usize> {
        let block = self.blocks[at];
        let damaged = StorageError::corrupt(PageRef { file: DatabaseId::TEMPDB.0.into(), page: block });
        if bytes.len() < HEAD_BYTES {
            return Err(damaged);
        }
        let end = HEAD_BYTES + u32_at(bytes, 4) as usize;
        let whole = end <= bytes.len() && crc32fast::hash(&bytes[4..end]) == u32_at(bytes, 0);
        if !whole || u32_at(bytes, 8) != block || u32_at(bytes, 12) != self.serial {
            return Err(damaged);
        }
        Ok(end)
    }

    /// Empties it: its blocks are free.
    pub fn clear(&mut self) {
        // Not before it is written: another stream's block would be overwritten. How that ended is of no interest any more.
        let _ = self.written();
        self.spill.give(&self.blocks);
        self.blocks = Vec::new();
        self.tail = Vec::new();
        self.waiting = 0;
        self.bytes = 0;
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.clear();
    }
}

fn place_of(block: u32) -> u64 {
    block as u64 * BLOCK_BYTES as u64
}

/// A place in a finished stream, with a buffer of one block or several.
#[derive(Default)]
pub struct Position {
    /// Of the block to read next.
    block: usize,
    buffer: Vec<u8>,
    /// What is left of the block before that one is `at..end` of the buffer.
    at: usize,
    end: usize,
    /// Where the next block begins in the buffer, if it is there.
    next: usize,
    /// Blocks that are read at once, besides the first.
    ahead: usize,
    /// Whose blocks are in the buffer; 0: none was read.
    serial: u32,
}

impl Position {
    /// For who reads all of it, with memory for so many blocks.
    pub fn reading(blocks: usize) -> Position {
        Position { ahead: blocks.saturating_sub(1), ..Position::default() }
    }

    /// Goes to byte `place` of the stream.
    pub fn seek(&mut self, stream: &Stream, place: u64) -> StorageResult<()> {
        assert!(place < stream.bytes && stream.tail.is_empty(), "byte {place} of {} that are finished", stream.bytes);
        let block = (place / BLOCK_ROOM as u64) as usize;
        if self.serial != stream.serial || self.block != block + 1 || self.buffer.is_empty() {
            (self.block, self.next) = (block, self.buffer.len());
            self.load(stream)?;
        }
        self.at = self.next - BLOCK_BYTES + HEAD_BYTES + (place % BLOCK_ROOM as u64) as usize;
        Ok(())
    }

    fn load(&mut self, stream: &Stream) -> StorageResult<()> {
        self.serial = 0;
        if self.next >= self.buffer.len() {
            stream.read_blocks(self.block, 1 + self.ahead, &mut self.buffer)?;
            self.next = 0;
        }
        let start = self.next;
        let bytes = &self.buffer[start..self.buffer.len().min(start + BLOCK_BYTES)];
        (self.at, self.end) = (start + HEAD_BYTES, start + stream.length_of(self.block, bytes)?);
        self.next = start + BLOCK_BYTES;
        self.serial = stream.serial;
        self.block += 1;
        Ok(())
    }

    /// Fills `out` and goes on behind it. Panics at the stream's end: who reads knows how much there is.
    pub fn read(&mut self, stream: &Stream, mut out: &mut [u8]) -> StorageResult<()> {
        while !out.is_empty() {
            if self.at == self.end {
                self.load(stream)?;
            }
            let count = out.len().min(self.end - self.at);
            let (now, later) = out.split_at_mut(count);
            now.copy_from_slice(&self.buffer[self.at..self.at + count]);
            self.at += count;
            out = later;
        }
        Ok(())
    }

    pub fn is_at_end(&self, stream: &Stream) -> bool {
        debug_assert!(stream.tail.is_empty(), "what is read is finished");
        self.at == self.end && self.block == stream.blocks.len()
    }

    /// At the end: lets the buffer go.
    pub fn rest(&mut self) {
        assert!(self.at == self.end, "what is in the buffer has been read");
        *self = Position { block: self.block, ahead: self.ahead, ..Position::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(seed: usize, count: usize) -> Vec<u8> {
        (0..count).map(|at| (at * 7 + seed * 31 + at / 251) as u8).collect()
    }

    fn whole(stream: &Stream) -> StorageResult<Vec<u8>> {
        let at_once = 1 + stream.bytes() as usize % 4;
        let (mut position, mut out) = (Position::reading(at_once), vec![0; stream.bytes() as usize]);
        position.read(stream, &mut out)?;
        assert!(position.is_at_end(stream));
        Ok(out)
    }

    #[test]
    fn streams_give_back_what_was_appended_and_their_space() {
        let disk = Disk::memory();
        let spill = Spill::new(disk.clone(), 64 << 20).unwrap();
        let mut streams: Vec<Stream> = (0..4).map(|_| spill.stream()).collect();
        // One that has its blocks side by side only now and then.
        streams[1].go_on(3);
        streams[2].go_on(1);
        for round in 0..50 {
            for (number, stream) in streams.iter_mut().enumerate() {
                stream.append(&bytes_of(number, round * 1_000 + number)).unwrap();
            }
        }
        let expected =
            |number: usize| -> Vec<u8> { (0..50).flat_map(|round| bytes_of(number, round * 1_000 + number)).collect() };
        for (number, stream) in streams.iter_mut().enumerate() {
            stream.finish().unwrap();
            assert!(whole(stream).unwrap() == expected(number), "stream {number}");
            assert!(whole(stream).unwrap() == expected(number), "stream {number}, again");
        }
        assert!(spill.used_bytes() > 4 * 1_200_000);
        streams.truncate(1);
        assert!(whole(&streams[0]).unwrap() == expected(0), "the others' end changes nothing");
        streams.clear();
        assert_eq!(spill.used_bytes(), 0);
        spill.trim();
        assert_eq!(disk.open("spill.0", Open::Existing).unwrap().len(), Ok(0));
    }

    #[test]
    fn any_byte_can_be_gone_to() {
        let spill = Spill::new(Disk::memory(), 64 << 20).unwrap();
        let bytes = [bytes_of(1, 3 * BLOCK_BYTES + 77), bytes_of(2, 2 * BLOCK_BYTES)];
        let mut streams = [spill.stream(), spill.stream()];
        for (stream, bytes) in streams.iter_mut().zip(&bytes) {
            stream.append(bytes).unwrap();
            stream.finish().unwrap();
        }
        let mut position = Position::reading(2);
        for (of, place) in [(0, 5), (0, 70_000), (1, 70_000), (0, 70_001), (0, 0), (1, BLOCK_ROOM), (0, BLOCK_ROOM - 1)]
        {
            let mut out = [0; 100];
            position.seek(&streams[of], place as u64).unwrap();
            position.read(&streams[of], &mut out).unwrap();
            assert!(out[..] == bytes[of][place..place + 100], "byte {place} of stream {of}");
        }
    }

    #[test]
    fn an_empty_stream_needs_no_file() {
        let disk = Disk::memory();
        let spill = Spill::new(disk.clone(), 1 << 20).unwrap();
        let mut stream = spill.stream();
        stream.finish().unwrap();
        assert!(whole(&stream).unwrap().is_empty());
        assert!(!disk.exists("spill.0"));
    }

    #[test]
    fn space_is_bounded_and_a_full_file_can_be_used_again() {
        let spill = Spill::new(Disk::memory(), 4 * BLOCK_BYTES as u64).unwrap();
        let mut stream = spill.stream();
        assert_eq!(stream.append(&bytes_of(1, 5 * BLOCK_BYTES)), Err(StorageError::DiskFull));
        assert_eq!(spill.used_bytes(), 4 * BLOCK_BYTES as u64);
        drop(stream);
        assert_eq!(spill.used_bytes(), 0);
        let mut stream = spill.stream();
        stream.append(&bytes_of(2, 3 * BLOCK_BYTES)).unwrap();
        stream.finish().unwrap();
        assert!(whole(&stream).unwrap() == bytes_of(2, 3 * BLOCK_BYTES));
    }

    #[test]
    fn a_damaged_block_and_a_lost_write_are_told() {
        let disk = Disk::memory();
        let spill = Spill::new(disk.clone(), 1 << 20).unwrap();
        let damaged = |stream: &Stream| matches!(whole(stream), Err(StorageError::CorruptPage { .. }));
        let mut stream = spill.stream();
        stream.append(&bytes_of(1, 1_000)).unwrap();
        stream.finish().unwrap();
        let file = disk.open("spill.0", Open::Existing).unwrap();
        let mut before = vec![0; HEAD_BYTES + 1_000];
        file.read_at(&mut before, 0).unwrap();
        for at in [0, 5, 9, 13, 16, HEAD_BYTES + 999] {
            let mut now = before.clone();
            now[at] ^= 4;
            file.write_at(&now, 0).unwrap();
            assert!(damaged(&stream), "byte {at}");
        }
        drop(stream);
        let mut stream = spill.stream();
        stream.append(&bytes_of(2, 1_000)).unwrap();
        stream.finish().unwrap();
        file.write_at(&before, 0).unwrap();
        assert!(damaged(&stream), "what another stream wrote");
        file.set_len(8).unwrap();
        assert!(damaged(&stream), "a file that is too short");
    }

    #[test]
    fn what_a_crash_left_is_removed() {
        let disk = Disk::memory();
        disk.open("spill.3", Open::New).unwrap().write_at(&[1; 100], 0).unwrap();
        Spill::new(disk.clone(), 1 << 20).unwrap();
        assert!(!disk.exists("spill.3"));
    }
}
