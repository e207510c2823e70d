#![allow(unsafe_code)]
//! The log's memory: a ring of bytes addressed by LSN. Many writers fill disjoint ranges while one reader drains in order.
//!
//! A record begins with its length, a non-zero u32 at an LSN divisible by 8, stored last and with Release: it says that
//! the rest is there. Drained ranges are zeroed before they are given out again, so a length of zero means "not yet".
//! Who may touch what: a range belongs to whoever reserved it in `Log::reserve` until its length word is set, and from
//! then on to the drainer until `Log::released` passes it.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use os::region::Part;

use crate::error::StorageResult;
use crate::region::memory::Memory;

pub struct Ring {
    /// u64 words, so that lengths are aligned.
    words: Part<AtomicU64>,
    mask: u64,
}

impl Ring {
    /// `bytes`: a power of two.
    pub fn carve(memory: &Memory, bytes: usize) -> StorageResult<Ring> {
        assert!(bytes.is_power_of_two() && bytes >= 4096, "ring of {bytes} bytes");
        Ok(Ring { words: memory.carve("log ring", bytes / 8)?, mask: bytes as u64 - 1 })
    }

    pub fn bytes(&self) -> u64 {
        self.mask + 1
    }

    fn at(&self, lsn: u64) -> *mut u8 {
        let offset = (lsn & self.mask) as usize;
        // SAFETY: `offset` is below the length of `words` in bytes. AtomicU64 permits mutation through a shared reference.
        unsafe { self.words.as_ptr().as_ptr().cast::<u8>().add(offset) }
    }

    /// Bytes from `lsn` to the end of the ring's memory.
    fn until_wrap(&self, lsn: u64) -> usize {
        (self.bytes() - (lsn & self.mask)) as usize
    }

    /// The caller owns `[lsn, lsn + bytes.len())`, which is at most the ring.
    #[inline]
    pub fn write(&self, lsn: u64, bytes: &[u8]) {
        debug_assert!(bytes.len() as u64 <= self.bytes(), "a range of {} bytes", bytes.len());
        let first = bytes.len().min(self.until_wrap(lsn));
        // SAFETY: both parts lie within the ring (`until_wrap`), and only the owner of the range writes it.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at(lsn), first);
            std::ptr::copy_nonoverlapping(bytes.as_ptr().add(first), self.at(0), bytes.len() - first);
        }
    }

    fn length_word(&self, lsn: u64) -> &AtomicU32 {
        assert_eq!(lsn % 8, 0, "a record begins at a multiple of 8");
        // SAFETY: aligned, within the ring, and this word is only accessed atomically between reservation and release.
        unsafe { &*(self.at(lsn) as *const AtomicU32) }
    }

    /// Release: everything written to the record before is visible to `published`'s reader.
    #[inline]
    pub fn publish(&self, lsn: u64, length: u32) {
        debug_assert!(length != 0 && length.is_multiple_of(8), "a record of {length} bytes");
        debug_assert_eq!(
            self.length_word(lsn).load(Ordering::Relaxed),
            0,
            "what was drained is zeroed before it is given out"
        );
        self.length_word(lsn).store(length, Ordering::Release);
    }

    /// Length of the record, 0 while it is being written. Acquire: pairs with `publish`.
    pub fn published(&self, lsn: u64) -> u32 {
        self.length_word(lsn).load(Ordering::Acquire)
    }

    /// The drainer's view of a complete range, in one or two parts.
    pub fn parts(&self, lsn: u64, length: usize) -> (&[u8], &[u8]) {
        assert!(length as u64 <= self.bytes(), "a range of {length} bytes");
        let first = length.min(self.until_wrap(lsn));
        debug_assert!((lsn + length as u64).is_multiple_of(8), "a block's records end at a multiple of 8");
        // SAFETY: every record of the range is published and only the drainer (the holder of the flush lock) ends that.
        unsafe {
            (std::slice::from_raw_parts(self.at(lsn), first), std::slice::from_raw_parts(self.at(0), length - first))
        }
    }

    /// Copies a range that may be zeroed meanwhile: the caller looks at what is hardened afterwards.
    pub fn copy_unstable(&self, lsn: u64, out: &mut [u8]) {
        debug_assert!(out.len() as u64 <= self.bytes(), "a range of {} bytes", out.len());
        let first = out.len().min(self.until_wrap(lsn));
        for (index, byte) in out.iter_mut().enumerate() {
            let at = if index < first { self.at(lsn + index as u64) } else { self.at((index - first) as u64) };
            // SAFETY: within the ring; a racing zeroing gives bytes the caller throws away, and volatile keeps the
            // compiler from assuming anything about them.
            *byte = unsafe { std::ptr::read_volatile(at) };
        }
    }

    /// The drainer gives a range back.
    pub fn zero(&self, lsn: u64, length: usize) {
        assert!(length as u64 <= self.bytes(), "a range of {length} bytes");
        let first = length.min(self.until_wrap(lsn));
        // SAFETY: the range is hardened and not yet released, so nobody else reads it (but `copy_unstable`, which checks) or writes it.
        unsafe {
            std::ptr::write_bytes(self.at(lsn), 0, first);
            std::ptr::write_bytes(self.at(0), 0, length - first);
        }
    }
}
