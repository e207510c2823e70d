//! A hash index: an array of buckets, each the beginning of a chain of rows, newest first. Without latches: a row is put
//! before the first by one compare-and-swap, and taken out in two steps, as Harris does it (DISC 2001): first its own link
//! is marked, so that nobody puts or takes anything behind it any more, then its predecessor's goes past it. Who meets a
//! marked row on the way to another takes it out, too, so that no death in between holds anybody up.

use std::sync::atomic::{AtomicU64, Ordering};

use super::memory::{At, RowMemory};
use super::row::{GONE, LEAVING, Row};

/// Buckets of an index that was asked to have `count`: SQL Server rounds up to a power of two.
pub fn bucket_count(count: u64) -> u64 {
    count.clamp(1, BUCKETS_MAX).next_power_of_two()
}

/// As SQL Server's largest BUCKET_COUNT.
pub const BUCKETS_MAX: u64 = 1 << 30;

/// Odd, its bits without pattern: 2^64 divided by the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Of the bits of a key's last byte, those that only tell buckets of one cache line apart.
const NEAR: u8 = NEIGHBOURS as u8 - 1;

/// Numbers in a row whose buckets lie in one cache line.
pub const NEIGHBOURS: i64 = 8;
const _: () = assert!(BUCKETS_MAX.is_power_of_two(), "a mask takes a hash to a bucket");
const _: () =
    assert!(NEIGHBOURS == NEAR as i64 + 1 && NEIGHBOURS as usize * size_of::<u64>() == 64, "a cache line of buckets");
const _: () = assert!(!FACTOR.is_multiple_of(2), "an even factor loses the highest bit of what it multiplies");
const _: () = assert!(At::of_word(LEAVING | GONE).is_none(), "marks in a link are no part of a place");

/// Of a whole normalized key. The buckets are chosen by its low bits.
///
/// Keys that differ in the last three bits only, as numbers in a row do, fall into different buckets of one cache line: whoever adds or
/// reads rows in the order of their keys waits for a line once in eight rows. Other keys are spread as by chance, and so are these
/// groups, whichever of their members there are.
#[inline]
pub fn hash(key: &[u8]) -> u64 {
    // Most keys are one number: where its length is known there are no loop and no copy.
    match key.len() {
        5 => hash_of(&key[..5]),
        9 => hash_of(&key[..9]),
        _ => hash_of(key),
    }
}

#[inline(always)]
fn hash_of(key: &[u8]) -> u64 {
    let Some((last, before)) = key.split_last() else { return 0 };
    let mut chunks = before.chunks_exact(8);
    let mut state = key.len() as u64;
    for chunk in &mut chunks {
        state = fold(state ^ u64::from_le_bytes(chunk.try_into().expect("8 bytes")));
    }
    let mut rest = [0; 8];
    rest[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    rest[7] = last & !NEAR;
    fold(state ^ u64::from_le_bytes(rest)) ^ u64::from(last & NEAR)
}

/// The hash of a key that is one whole number, as `KeyCodec::integer_word` gives it: no bytes have to be put together.
#[inline]
pub fn hash_of_number((first, word, bytes): (u8, u64, usize)) -> u64 {
    debug_assert!((1..=8).contains(&bytes), "a number of {bytes} bytes");
    let last = (word >> (64 - 8 * bytes)) as u8;
    let before = u64::from(first) | word.swap_bytes() << 8;
    let (length, far) = (bytes as u64 + 1, u64::from(last & !NEAR) << 56);
    let state = match bytes {
        8 => fold(length ^ before) ^ far,
        _ => length ^ before & ((1 << (8 * bytes)) - 1) ^ far,
    };
    fold(state) ^ u64::from(last & NEAR)
}

#[inline]
fn fold(word: u64) -> u64 {
    let product = u128::from(word ^ FACTOR) * u128::from(FACTOR);
    product as u64 ^ (product >> 64) as u64
}

/// Where the buckets are: as each engine keeps it with the table's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashIndex {
    pub buckets: At,
    /// One less than there are.
    pub mask: u64,
}

impl HashIndex {
    pub fn create(memory: &RowMemory, count: u64) -> crate::error::StorageResult<HashIndex> {
        let count = bucket_count(count);
        debug_assert!(count.is_power_of_two() && count <= BUCKETS_MAX, "{count} buckets");
        let buckets = memory.allocate(8 * count as usize)?;
        for bucket in 0..count as usize {
            let word = memory.word(buckets, bucket);
            // Fresh memory is not written to, so that it is not backed before it is used.
            if word.load(Ordering::Relaxed) != 0 {
                word.store(0, Ordering::Relaxed);
            }
        }
        Ok(HashIndex { buckets, mask: count - 1 })
    }

    pub fn free(&self, memory: &RowMemory) {
        memory.free(self.buckets, 8 * (self.mask as usize + 1));
    }

    pub fn bucket_count(&self) -> u64 {
        debug_assert!((self.mask + 1).is_power_of_two());
        self.mask + 1
    }

    #[inline]
    pub fn bucket<'a>(&self, memory: &'a RowMemory, hash: u64) -> &'a AtomicU64 {
        memory.word(self.buckets, (hash & self.mask) as usize)
    }

    /// Somebody will soon ask for the bucket.
    #[inline]
    pub fn expect(&self, memory: &RowMemory, hash: u64) {
        memory.expect(self.buckets, (hash & self.mask) as usize);
    }

    /// Somebody will soon put a row before the first one of the chain, and look at that.
    #[inline]
    pub fn expect_first(&self, memory: &RowMemory, hash: u64, index: usize) {
        // Nothing waits for the bucket here: what comes next does not depend on it.
        Row::expect_link(memory, self.first(memory, hash), index);
    }

    /// The first row of a chain.
    #[inline]
    pub fn first(&self, memory: &RowMemory, hash: u64) -> At {
        At::of_word(self.bucket(memory, hash).load(Ordering::Acquire))
    }

    /// Puts a row before all others of its chain: link `index` of the row.
    #[inline]
    pub fn link(&self, memory: &RowMemory, row: Row<'_>, index: usize) {
        let bucket = self.bucket(memory, row.home(index));
        let link = row.link(index);
        debug_assert_eq!(link.load(Ordering::Relaxed), 0, "a row comes into a chain once");
        let mut first = bucket.load(Ordering::Relaxed);
        loop {
            link.store(first, Ordering::Relaxed);
            debug_assert!(
                first & (LEAVING | GONE) == 0 && first != row.at().word(),
                "a bucket leads to another row: {first:#x}"
            );
            // SeqCst: of two that insert the same key at the same time the later one sees the other's row.
            match bucket.compare_exchange_weak(first, row.at().word(), Ordering::SeqCst, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => first = now,
            }
        }
    }

    /// Takes a marked row out of its chain, wherever it is, if it is there at all. Only one worker does so with a row.
    pub fn unlink(&self, memory: &RowMemory, row: Row<'_>, index: usize) {
        let bucket = self.bucket(memory, row.home(index));
        take_out(memory, bucket, row, index);
    }
}

/// The next row of a chain.
#[inline]
pub fn next(row: Row<'_>, index: usize) -> At {
    At::of_word(row.link(index).load(Ordering::Acquire))
}

/// A row will be taken out of all its chains by `take_out`, or by somebody who comes by before. Who marks many rows before the first
/// is looked for walks a chain once for all of them.
pub fn mark_leaving(row: Row<'_>) {
    for index in 0..row.links() {
        row.link(index).fetch_or(LEAVING, Ordering::SeqCst);
    }
}

/// The row leaves the chain: nothing is put behind it any more.
#[inline]
pub fn is_marked(row: Row<'_>, index: usize) -> bool {
    row.link(index).load(Ordering::Acquire) & LEAVING != 0
}
/// Somebody's walk has taken the row out of the chain.
#[inline]
pub fn is_out(row: Row<'_>, index: usize) -> bool {
    row.link(index).load(Ordering::Acquire) & GONE != 0
}

fn is_reachable(memory: &RowMemory, head: &AtomicU64, row: Row<'_>, index: usize) -> bool {
    let mut at = At::of_word(head.load(Ordering::Acquire));
    while !at.is_none() && at != row.at() {
        at = next(Row::new(memory, at), index);
    }
    !at.is_none()
}
/// Takes `row`, which is marked, out of the chain that begins at `head`, and whatever else is marked before it or directly behind it:
/// the versions of a key that go together stand together.
pub fn take_out(memory: &RowMemory, head: &AtomicU64, row: Row<'_>, index: usize) {
    debug_assert!(is_marked(row, index), "only a marked row is taken out");
    'again: while !is_out(row, index) {
        let mut before = head;
        let mut at = At::of_word(before.load(Ordering::Acquire));
        let mut found = false;
        while !at.is_none() {
            let here = Row::new(memory, at);
            let link = here.link(index).load(Ordering::Acquire);
            if link & LEAVING == 0 {
                if found {
                    break;
                }
                before = here.link(index);
                at = At::of_word(link);
                continue;
            }
            os::sim_point!("xtp.unlink");
            let next = At::of_word(link);
            debug_assert!(next != at, "a row does not lead to itself");
            match before.compare_exchange(at.word(), next.word(), Ordering::SeqCst, Ordering::Acquire) {
                Ok(_) => {
                    // Nobody but who owns the row's block asks for it, and a death before this mark only costs it a walk.
                    here.link(index).fetch_or(GONE, Ordering::Relaxed);
                    found |= at == row.at();
                    at = next;
                }
                // The predecessor leaves, too.
                Err(now) if now & LEAVING != 0 => continue 'again,
                // Something came before it, or somebody else has taken it out.
                Err(now) => at = At::of_word(now),
            }
        }
        break;
    }
    debug_assert!(!is_reachable(memory, head, row, index), "nobody comes to a row that is out");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region::memory::Memory;
    use os::region::Visibility;
    use types::SqlType;
    use types::key::KeyCodec;

    #[test]
    fn one_walk_takes_out_all_marked_rows_that_stand_together() {
        let memory = Memory::reserve(16 << 20, Visibility::ThisProcess).expect("memory");
        let memory = RowMemory::carve(&memory, 8 << 20).expect("a heap");
        let hash = HashIndex::create(&memory, 1).expect("a bucket");
        let rows: Vec<_> = (0..10).map(|_| Row::create(&memory, 1, 1, 0, &[0], b"row").expect("a row")).collect();
        // The chain begins with the last one.
        rows.iter().for_each(|row| hash.link(&memory, *row, 0));
        [0, 3, 4, 5, 8].iter().for_each(|at| mark_leaving(rows[*at]));
        hash.unlink(&memory, rows[5], 0);
        let out = |at: &usize| is_out(rows[*at], 0);
        assert_eq!((0..10).filter(out).collect::<Vec<_>>(), [3, 4, 5, 8]);
        hash.unlink(&memory, rows[4], 0);
        hash.unlink(&memory, rows[0], 0);
        let mut chain = vec![hash.first(&memory, 0)];
        while let Some(at) = chain.last().map(|at| next(Row::new(&memory, *at), 0)).filter(|at| !at.is_none()) {
            chain.push(at);
        }
        assert_eq!(chain, [9, 7, 6, 2, 1].map(|at: usize| rows[at].at()));
    }

    #[test]
    fn the_hash_of_a_number_is_that_of_its_key() {
        for (ty, numbers) in [
            (SqlType::BIGINT, [i64::MIN, -9, -1, 0, 7, 8, 0x0102_0304_0506_0708, i64::MAX]),
            (SqlType::INT, [i32::MIN.into(), -9, -1, 0, 7, 8, 0x0102_0304, i32::MAX.into()]),
            (SqlType::SMALLINT, [i16::MIN.into(), -9, -1, 0, 7, 8, 0x0102, i16::MAX.into()]),
            (SqlType::TINYINT, [0, 1, 2, 3, 7, 8, 127, 255]),
        ] {
            for (number, descending) in numbers.into_iter().flat_map(|number| [(number, false), (number, true)]) {
                let codec = KeyCodec::new(&ty, descending);
                let (part, length) = codec.integer_part(number);
                let word = codec.integer_word(number);
                assert_eq!(hash_of_number(word), hash(&part[..length]), "{ty:?} {number} {descending}");
            }
        }
    }

    #[test]
    fn close_keys_fall_into_different_buckets() {
        let mut chains = vec![0_u32; 1024];
        for key in 0..1024_u64 {
            let bytes = [&[2], &(key ^ 1 << 63).to_be_bytes()[..]].concat();
            chains[hash(&bytes) as usize & 1023] += 1;
        }
        let empty = chains.iter().filter(|count| **count == 0).count();
        // As by chance: a third is empty, and no chain is long.
        assert!((300..460).contains(&empty) && chains.iter().all(|count| *count < 9), "{empty} {chains:?}");
    }

    #[test]
    fn keys_in_a_row_share_a_line_and_keys_far_apart_do_not_share_buckets() {
        let of = |key: u64| hash(&[&[2], &(key ^ 1 << 63).to_be_bytes()[..]].concat());
        for key in 0..1024_u64 {
            let first = key & !7;
            assert_eq!(of(key) & !7, of(first) & !7, "{key}");
            assert!(key == first || of(key) != of(first), "{key}");
        }
        for step in [2_u64, 8, 64, 1000, 1 << 20, 1 << 40] {
            let mut chains = vec![0_u32; 1024];
            (0..1024).for_each(|key| chains[of(key * step) as usize & 1023] += 1);
            let empty = chains.iter().filter(|count| **count == 0).count();
            assert!((300..460).contains(&empty), "{empty} of keys {step} apart");
        }
    }

    #[test]
    fn bucket_counts_are_powers_of_two() {
        assert_eq!([0, 1, 3, 1_000_000, 2_097_152].map(bucket_count), [1, 1, 4, 1 << 20, 1 << 21]);
    }
}
