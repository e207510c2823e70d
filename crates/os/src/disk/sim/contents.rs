//! What a file holds, in chunks that copies of it share until one of them is written to. A chunk that is not there reads
//! as zeros, as a hole in a file does: most of a fresh log segment is never written.
//! Bytes beyond the end in the last chunk are zeros.

use std::sync::Arc;

pub const SECTOR: usize = 512;
const CHUNK: usize = 4096;
pub const SECTORS_EACH: usize = CHUNK / SECTOR;

#[derive(Clone, Default)]
pub struct Contents {
    chunks: Vec<Option<Arc<[u8; CHUNK]>>>,
    length: usize,
}

impl Contents {
    pub fn len(&self) -> usize {
        self.length
    }

    /// Cuts, or grows with zeros.
    pub fn resize(&mut self, length: usize) {
        let rest = length % CHUNK;
        if length < self.length
            && rest != 0
            && let Some(chunk) = &mut self.chunks[length / CHUNK]
        {
            Arc::make_mut(chunk)[rest..].fill(0);
        }
        self.chunks.resize(length.div_ceil(CHUNK), None);
        self.length = length;
        self.assert_sound();
    }

    fn assert_sound(&self) {
        assert!(
            self.chunks.len() == self.length.div_ceil(CHUNK),
            "{} chunks of {} bytes",
            self.chunks.len(),
            self.length
        );
        let rest = self.length % CHUNK;
        let last = self.chunks.last().and_then(Option::as_ref).filter(|_| rest != 0);
        debug_assert!(last.is_none_or(|last| last[rest..].iter().all(|byte| *byte == 0)), "bytes beyond the end");
    }

    /// `bytes` lie within the file.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) {
        assert!(offset + bytes.len() <= self.length);
        let mut done = 0;
        while done < bytes.len() {
            let (at, count) = piece(offset + done, bytes.len() - done);
            let to = &mut bytes[done..done + count];
            match &self.chunks[(offset + done) / CHUNK] {
                Some(chunk) => to.copy_from_slice(&chunk[at..at + count]),
                None => to.fill(0),
            }
            done += count;
        }
    }

    /// `bytes` lie within the file.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= self.length);
        let mut done = 0;
        while done < bytes.len() {
            let (at, count) = piece(offset + done, bytes.len() - done);
            let chunk = self.chunks[(offset + done) / CHUNK].get_or_insert_with(|| Arc::new([0; CHUNK]));
            Arc::make_mut(chunk)[at..at + count].copy_from_slice(&bytes[done..done + count]);
            done += count;
        }
        self.assert_sound();
    }

    /// This file's chunk becomes the other's, as far as this file goes.
    pub fn share_chunk(&mut self, other: &Contents, chunk: usize) {
        assert!(self.length == other.length, "a chunk is shared by files of one length: the last one ends with zeros");
        if let Some(mine) = self.chunks.get_mut(chunk) {
            mine.clone_from(&other.chunks[chunk]);
        }
    }

    /// The first `bytes` of a sector become the other's; also what the file's length has become there.
    pub fn take_sector(&mut self, other: &Contents, sector: usize, bytes: usize) {
        assert!(bytes <= SECTOR, "{bytes} bytes of a sector");
        let start = sector * SECTOR;
        let end = (start + SECTOR).min(other.length);
        if start >= end {
            // The other was cut here.
            self.resize(self.length.min(other.length.max(start)));
            return;
        }
        if self.length < end {
            self.resize(end);
        }
        let torn = (start + bytes).min(end);
        if self.chunks[start / CHUNK].is_none() && other.chunks[start / CHUNK].is_none() {
            return;
        }
        let mut sector = [0; SECTOR];
        other.read(start, &mut sector[..torn - start]);
        self.write(start, &sector[..torn - start]);
    }
}

/// Where in its chunk `offset` lies, and how many of `count` bytes from there lie in the same chunk.
fn piece(offset: usize, count: usize) -> (usize, usize) {
    assert!(count > 0, "a piece of nothing");
    let at = offset % CHUNK;
    (at, count.min(CHUNK - at))
}
