//! A page: 8 KB with a header, and for B-tree pages a slot array growing up and cells growing down.
//!
//! ```text
//!  0        checksum u32 (crc32 of bytes 4..8192, set when written)
//!  4        kind u8, level u8 (leaf 0), flags u16
//!  8        lsn u64: end of the last log record that changed the page
//!  16       page u32, file u32: where the page belongs, so a misdirected write is noticed
//!  24       root u32: page of the tree's root, its identity within the file
//!  28       slot_count u16, cells_start u16, garbage u16 (free bytes among the cells), prefix_length u16
//!  36       lower fence: offset u16, length u16     keys >= it belong here
//!  40       upper fence: offset u16, length u16     keys <  it belong here; length 0xffff: no bound
//!  44       last_child u32 (inner: keys >= the last separator) or next u32 (overflow chain)
//!  48       zero up to 64
//!  64       slots, 8 bytes each: cell offset u16, suffix length u16, head u32 (first suffix bytes, big-endian)
//!  ...      free
//!  cells:   payload length u16, key suffix, payload      (inner pages: the payload is the child's page u32)
//! ```
//!
//! A key is stored without `prefix_length` bytes that all keys between the fences share. Every function here is
//! deterministic in the page's bytes and its arguments: redo replays calls and gets the same bytes.

use std::cmp::Ordering;
use std::ops::Range;

pub const PAGE_BYTES: usize = 8192;
pub const HEADER_BYTES: usize = 64;
const SLOT_BYTES: usize = 8;
const CELL_HEAD_BYTES: usize = 2;
/// Of a suffix, kept in its slot.
const HEAD_BYTES: usize = 4;
/// What cells, slots and fences share.
pub const BODY_BYTES: usize = PAGE_BYTES - HEADER_BYTES;
/// Longest key. Four of them (two fences, two separators) always fit an inner page.
pub const KEY_BYTES_MAX: usize = 1900;
const UNBOUNDED: u16 = u16::MAX;
const _: () = assert!(
    PAGE_BYTES < UNBOUNDED as usize,
    "offsets and lengths in a page fit 16 bits, and none is taken for no bound"
);
const _: () = assert!(
    4 * (SLOT_BYTES + CELL_HEAD_BYTES + KEY_BYTES_MAX + size_of::<u32>()) <= BODY_BYTES,
    "four keys fit an inner page"
);
const _: () = assert!(HEAD_BYTES == size_of::<u32>());
const _: () = assert!(HEADER_BYTES.is_multiple_of(SLOT_BYTES), "slots are aligned");

pub type PageBytes = [u8; PAGE_BYTES];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum PageKind {
    Free = 0,
    FileHeader = 1,
    Bitmap = 2,
    Leaf = 3,
    Inner = 4,
    Overflow = 5,
    /// A leaf whose rows are not in the log: what redo makes of it where its page is not there. No transaction that has committed has one,
    /// unless the page was damaged.
    Unlogged = 6,
    /// Its restore is under way (`backup::some_pages`): nobody reads it. Its LSN: all that was logged of what lay there comes before.
    Awaiting = 7,
}

impl PageKind {
    pub fn from_byte(byte: u8) -> Option<PageKind> {
        Some(match byte {
            0 => PageKind::Free,
            1 => PageKind::FileHeader,
            2 => PageKind::Bitmap,
            3 => PageKind::Leaf,
            4 => PageKind::Inner,
            5 => PageKind::Overflow,
            6 => PageKind::Unlogged,
            7 => PageKind::Awaiting,
            _ => return None,
        })
    }
}

#[inline]
pub fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}
#[inline]
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"))
}
#[inline]
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}
#[inline]
pub fn put_u16(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
}
#[inline]
pub fn put_u32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}
#[inline]
pub fn put_u64(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

pub fn kind(page: &PageBytes) -> Option<PageKind> {
    PageKind::from_byte(page[4])
}
pub fn level(page: &PageBytes) -> u8 {
    page[5]
}
pub fn lsn(page: &PageBytes) -> u64 {
    u64_at(page, 8)
}
pub fn set_lsn(page: &mut PageBytes, lsn: u64) {
    assert!(u64_at(page, 8) <= lsn, "a page goes forward in the log only: from LSN {} to {lsn}", u64_at(page, 8));
    put_u64(page, 8, lsn);
}
pub fn page_no(page: &PageBytes) -> u32 {
    u32_at(page, 16)
}
pub fn file_no(page: &PageBytes) -> u32 {
    u32_at(page, 20)
}
pub fn root(page: &PageBytes) -> u32 {
    u32_at(page, 24)
}
pub fn slot_count(page: &PageBytes) -> usize {
    u16_at(page, 28) as usize
}
fn cells_start(page: &PageBytes) -> usize {
    u16_at(page, 30) as usize
}
fn garbage(page: &PageBytes) -> usize {
    u16_at(page, 32) as usize
}
pub fn prefix_length(page: &PageBytes) -> usize {
    u16_at(page, 34) as usize
}
pub fn last_child(page: &PageBytes) -> u32 {
    u32_at(page, 44)
}
pub fn set_last_child(page: &mut PageBytes, child: u32) {
    debug_assert!(matches!(kind(page), Some(PageKind::Inner | PageKind::Leaf | PageKind::Overflow)));
    put_u32(page, 44, child);
}

pub fn checksum(page: &PageBytes) -> u32 {
    crc32fast::hash(&page[4..])
}
/// Just before the page is written.
pub fn seal(page: &mut PageBytes) {
    let sum = checksum(page);
    put_u32(page, 0, sum);
    debug_assert!(is_intact(page, file_no(page), page_no(page)), "what is written can be read back");
}
/// Its bytes are what was written, here or elsewhere.
pub fn has_own_checksum(page: &PageBytes) -> bool {
    u32_at(page, 0) == checksum(page)
}

/// Just after the page is read. A page of zeros was allocated and never written.
pub fn is_intact(page: &PageBytes, file: u32, page_no_expected: u32) -> bool {
    if u32_at(page, 0) == checksum(page) {
        return page_no(page) == page_no_expected && file_no(page) == file;
    }
    page.iter().all(|byte| *byte == 0)
}

/// Whether a page that was read waits until it is restored.
pub fn is_awaiting(page: &PageBytes, file: u32, page_no_expected: u32) -> bool {
    kind(page) == Some(PageKind::Awaiting) && is_intact(page, file, page_no_expected)
}

/// An empty page of any kind.
pub fn format(page: &mut PageBytes, kind: PageKind, level: u8, file: u32, page_no: u32, root: u32) {
    assert_eq!(kind == PageKind::Inner, level > 0, "a page of kind {kind:?} at level {level}");
    page.fill(0);
    page[4] = kind as u8;
    page[5] = level;
    put_u32(page, 16, page_no);
    put_u32(page, 20, file);
    put_u32(page, 24, root);
    put_u16(page, 30, PAGE_BYTES as u16);
}

pub fn lower_fence(page: &PageBytes) -> &[u8] {
    let at = u16_at(page, 36) as usize;
    &page[at..at + u16_at(page, 38) as usize]
}

/// As `a.cmp(b)`. Most keys are a few bytes, and a call of memcmp costs more than to compare these.
#[inline(always)]
pub fn order(a: &[u8], b: &[u8]) -> Ordering {
    let common = a.len().min(b.len());
    let word = |bytes: &[u8], at: usize| u64::from_be_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    let mut at = 0;
    while at + 8 <= common {
        let (left, right) = (word(a, at), word(b, at));
        if left != right {
            return left.cmp(&right);
        }
        at += 8;
    }
    if common >= 8 {
        // The last eight: those before are equal.
        let (left, right) = (word(a, common - 8), word(b, common - 8));
        return left.cmp(&right).then(a.len().cmp(&b.len()));
    }
    while at < common {
        if a[at] != b[at] {
            return a[at].cmp(&b[at]);
        }
        at += 1;
    }
    a.len().cmp(&b.len())
}

/// Whether `key` belongs here: on this page of its level or nowhere.
#[inline]
pub fn is_within_fences(page: &PageBytes, key: &[u8]) -> bool {
    debug_assert!(matches!(kind(page), Some(PageKind::Leaf | PageKind::Inner)), "a page without fences");
    order(lower_fence(page), key).is_le() && upper_fence(page).is_none_or(|fence| order(key, fence).is_lt())
}

/// None: no bound.
pub fn upper_fence(page: &PageBytes) -> Option<&[u8]> {
    let length = u16_at(page, 42);
    if length == UNBOUNDED {
        return None;
    }
    let at = u16_at(page, 40) as usize;
    Some(&page[at..at + length as usize])
}

#[inline]
pub fn is_rightmost(page: &PageBytes) -> bool {
    u16_at(page, 42) == UNBOUNDED
}

fn take_cell_bytes(page: &mut PageBytes, bytes: &[u8]) -> u16 {
    assert!(bytes.len() <= contiguous_free(page), "no room for a fence of {} bytes", bytes.len());
    let at = cells_start(page) - bytes.len();
    page[at..at + bytes.len()].copy_from_slice(bytes);
    put_u16(page, 30, at as u16);
    at as u16
}

/// Only on a page without cells.
pub fn set_fences(page: &mut PageBytes, lower: &[u8], upper: Option<&[u8]>) {
    assert_eq!(slot_count(page), 0, "fences are set before cells");
    assert!(upper.is_none_or(|upper| lower < upper), "fences in order: {lower:02x?} {upper:02x?}");
    assert!(lower.len().max(upper.map_or(0, <[u8]>::len)) <= KEY_BYTES_MAX, "a fence is no longer than a key");
    let prefix = upper.map_or(0, |upper| common_prefix(lower, upper));
    let at = take_cell_bytes(page, lower);
    put_u16(page, 36, at);
    put_u16(page, 38, lower.len() as u16);
    match upper {
        Some(upper) => {
            let at = take_cell_bytes(page, upper);
            put_u16(page, 40, at);
            put_u16(page, 42, upper.len() as u16);
        }
        None => {
            put_u16(page, 40, 0);
            put_u16(page, 42, UNBOUNDED);
        }
    }
    debug_assert_eq!(lower_fence(page), lower);
    debug_assert!(prefix <= lower.len(), "the prefix is read from the lower fence");
    put_u16(page, 34, prefix as u16);
}

pub fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// First four bytes of a suffix, so that most comparisons need no look at the cell.
#[inline]
pub fn head(suffix: &[u8]) -> u32 {
    // Spelled out: a copy of so few bytes would be a call.
    u32::from_be_bytes(match *suffix {
        [a, b, c, d, ..] => [a, b, c, d],
        [a, b, c] => [a, b, c, 0],
        [a, b] => [a, b, 0, 0],
        [a] => [a, 0, 0, 0],
        [] => [0; HEAD_BYTES],
    })
}

#[inline]
fn slot_at(slot: usize) -> usize {
    debug_assert!(slot <= BODY_BYTES / SLOT_BYTES, "slot {slot} lies behind the page");
    HEADER_BYTES + slot * SLOT_BYTES
}

#[inline]
fn suffix_length(page: &PageBytes, slot: usize) -> usize {
    u16_at(page, slot_at(slot) + 2) as usize
}

#[inline]
pub fn suffix(page: &PageBytes, slot: usize) -> &[u8] {
    debug_assert!(slot < slot_count(page), "slot {slot} of {}", slot_count(page));
    let cell = u16_at(page, slot_at(slot)) as usize + CELL_HEAD_BYTES;
    &page[cell..cell + suffix_length(page, slot)]
}

/// The cell that was put there last, unless the page was compacted since: cells grow down.
pub fn is_newest(page: &PageBytes, slot: usize) -> bool {
    debug_assert!(slot < slot_count(page), "slot {slot} of {}", slot_count(page));
    u16_at(page, slot_at(slot)) as usize == cells_start(page)
}

#[inline(always)]
pub fn payload_range(page: &PageBytes, slot: usize) -> Range<usize> {
    debug_assert!(slot < slot_count(page), "slot {slot} of {}", slot_count(page));
    let at = slot_at(slot);
    let cell = u16_at(page, at) as usize;
    let start = cell + CELL_HEAD_BYTES + u16_at(page, at + 2) as usize;
    start..start + u16_at(page, cell) as usize
}

#[inline]
pub fn payload(page: &PageBytes, slot: usize) -> &[u8] {
    &page[payload_range(page, slot)]
}

/// To change bytes in place, not the length.
#[inline]
pub fn payload_mut(page: &mut PageBytes, slot: usize) -> &mut [u8] {
    let range = payload_range(page, slot);
    &mut page[range]
}

/// The whole key of a slot appended to `key`.
pub fn key_into(page: &PageBytes, slot: usize, key: &mut Vec<u8>) {
    key.extend_from_slice(&lower_fence(page)[..prefix_length(page)]);
    key.extend_from_slice(suffix(page, slot));
}

pub fn key(page: &PageBytes, slot: usize) -> Vec<u8> {
    let mut key = Vec::new();
    key_into(page, slot, &mut key);
    debug_assert!(key.len() <= KEY_BYTES_MAX);
    key
}

/// What of `key` is compared with suffixes, or how it compares to every key of the page.
#[inline(always)]
fn wanted_suffix<'a>(page: &PageBytes, key: &'a [u8]) -> Result<&'a [u8], Ordering> {
    let prefix = prefix_length(page);
    if prefix > 0 {
        let found = order(&key[..key.len().min(prefix)], &lower_fence(page)[..prefix]);
        if found != Ordering::Equal {
            return Err(found);
        }
    }
    Ok(&key[prefix..])
}

#[inline]
fn slot_head(page: &PageBytes, slot: usize) -> u32 {
    u32_at(page, slot_at(slot) + 4)
}

#[inline(always)]
fn compare(page: &PageBytes, slot: usize, wanted: &[u8], wanted_head: u32) -> Ordering {
    let head = slot_head(page, slot);
    if head != wanted_head {
        return head.cmp(&wanted_head);
    }
    let length = suffix_length(page, slot);
    match length.max(wanted.len()) <= HEAD_BYTES {
        // What one has more of is zeros in the other's head.
        true => length.cmp(&wanted.len()),
        false => order(suffix(page, slot), wanted),
    }
}

/// Whether the key of a slot begins with `prefix`.
#[inline]
pub fn begins_with(page: &PageBytes, slot: usize, prefix: &[u8]) -> bool {
    debug_assert!(slot < slot_count(page), "slot {slot} of {}", slot_count(page));
    let Some((shared, rest)) = prefix.split_at_checked(prefix_length(page)) else {
        return lower_fence(page).starts_with(prefix);
    };
    let in_head = rest.len().min(HEAD_BYTES);
    let differs = u64::from(slot_head(page, slot) ^ head(rest)) >> (8 * (HEAD_BYTES - in_head)) != 0;
    !differs
        && suffix_length(page, slot) >= rest.len()
        && (rest.len() == in_head || suffix(page, slot)[..rest.len()] == *rest)
        && order(&lower_fence(page)[..shared.len()], shared).is_eq()
}

/// First slot whose head is not less than `wanted`. Looks first where it is if the heads ascend evenly, as those of numbers that
/// count up do; the search then has no branches on what it finds, since half of them would be guessed wrong.
#[inline]
fn lower_bound_of_heads(page: &PageBytes, wanted: u32) -> usize {
    let count = slot_count(page);
    if count == 0 || wanted <= slot_head(page, 0) {
        return 0;
    }
    let (first, last) = (slot_head(page, 0), slot_head(page, count - 1));
    if wanted > last {
        return count;
    }
    let share = u64::from(wanted - first - 1) * (count as u64 - 1) / u64::from(last - first);
    let guess = share as usize + 1;
    debug_assert!((1..count).contains(&guess), "between the first and the last head");
    // The answer lies in `low..=low + size`.
    let (mut low, mut size) = match slot_head(page, guess) < wanted {
        true => (guess + 1, count - guess - 1),
        false if slot_head(page, guess - 1) < wanted => return guess,
        false => (0, guess - 1),
    };
    while size > 1 {
        let half = size / 2;
        let is_less = slot_head(page, low + half - 1) < wanted;
        low = std::hint::select_unpredictable(is_less, low + half, low);
        size -= half;
    }
    low + (size == 1 && slot_head(page, low) < wanted) as usize
}

/// First slot whose key is not less than `key`, and whether it is equal.
#[inline]
pub fn lower_bound(page: &PageBytes, key: &[u8]) -> (usize, bool) {
    let count = slot_count(page);
    let wanted = match wanted_suffix(page, key) {
        Ok(wanted) => wanted,
        Err(order) => return (if order == Ordering::Less { 0 } else { count }, false),
    };
    let wanted_head = head(wanted);
    let (mut low, mut high) = (lower_bound_of_heads(page, wanted_head), count);
    debug_assert!(low == 0 || slot_head(page, low - 1) < wanted_head, "heads before the first not less are less");
    debug_assert!(low == count || slot_head(page, low) >= wanted_head, "the first head not less");
    if low < count {
        // Mostly the head tells one key from all others.
        match compare(page, low, wanted, wanted_head) {
            Ordering::Less => low += 1,
            Ordering::Greater => return (low, false),
            Ordering::Equal => return (low, true),
        }
    }
    while low < high {
        let middle = (low + high) / 2;
        match compare(page, middle, wanted, wanted_head) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return (middle, true),
        }
    }
    (low, false)
}

/// `lower_bound` of a key that belongs to this page, else None. Mostly its neighbours tell, and the fences need no look.
#[inline]
pub fn lower_bound_within(page: &PageBytes, key: &[u8]) -> Option<(usize, bool)> {
    let (slot, is_equal) = lower_bound(page, key);
    let is_between = 0 < slot && slot < slot_count(page);
    (is_equal || is_between || is_within_fences(page, key)).then_some((slot, is_equal))
}

/// First slot from `from` on whose key is not less than `key`, for a `key` above those before `from`. Takes steps that grow,
/// so it costs little where the answer is near.
#[inline]
pub fn lower_bound_from(page: &PageBytes, key: &[u8], from: usize) -> usize {
    debug_assert!(from <= slot_count(page), "slot {from} of {}", slot_count(page));
    let count = slot_count(page);
    let wanted = match wanted_suffix(page, key) {
        Ok(wanted) => wanted,
        Err(order) => return if order == Ordering::Less { from } else { count },
    };
    let wanted_head = head(wanted);
    let is_less = |slot| compare(page, slot, wanted, wanted_head) == Ordering::Less;
    debug_assert!(from == 0 || is_less(from - 1), "the key lies above those before slot {from}");
    let (mut low, mut step) = (from, 1);
    while low + step <= count && is_less(low + step - 1) {
        low += step;
        step *= 2;
    }
    let mut high = count.min(low + step - 1);
    while low < high {
        let middle = (low + high) / 2;
        if is_less(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// Slot of the child that holds `key` in an inner page; `slot_count` names the last child.
#[inline]
pub fn child_slot(page: &PageBytes, key: &[u8]) -> usize {
    debug_assert_eq!(kind(page), Some(PageKind::Inner), "only inner pages have children");
    let (slot, equal) = lower_bound(page, key);
    slot + equal as usize
}

pub fn child(page: &PageBytes, slot: usize) -> u32 {
    debug_assert_eq!(kind(page), Some(PageKind::Inner), "only inner pages have children");
    debug_assert!(slot <= slot_count(page), "child {slot} of {}", slot_count(page));
    if slot == slot_count(page) { last_child(page) } else { u32_at(payload(page, slot), 0) }
}

#[inline]
fn contiguous_free(page: &PageBytes) -> usize {
    debug_assert!(slot_at(slot_count(page)) <= cells_start(page), "slots and cells do not overlap");
    cells_start(page) - slot_at(slot_count(page))
}

/// Bytes that an insert may use, after a compaction if need be.
#[inline]
pub fn free_bytes(page: &PageBytes) -> usize {
    debug_assert!(garbage(page) <= PAGE_BYTES - cells_start(page), "free bytes among the cells are some of theirs");
    contiguous_free(page) + garbage(page)
}

#[inline]
pub fn cell_need(suffix: usize, payload: usize) -> usize {
    SLOT_BYTES + CELL_HEAD_BYTES + suffix + payload
}

/// `key` is whole and lies between the fences.
#[inline]
pub fn has_room(page: &PageBytes, key: &[u8], payload: usize) -> bool {
    debug_assert!(key.len() >= prefix_length(page), "the key lies between the fences");
    free_bytes(page) >= cell_need(key.len() - prefix_length(page), payload)
}

/// Whether a cell may come to be at `slot` of a page that is not known to be the one it was logged for: within the fences, in order,
/// and with room.
pub fn takes(page: &PageBytes, slot: usize, key: &[u8], payload: usize) -> bool {
    let count = slot_count(page);
    slot <= count
        && key.len() >= prefix_length(page)
        && is_within_fences(page, key)
        && has_room(page, key, payload)
        && (slot == 0 || self::key(page, slot - 1)[..] < *key)
        && (slot == count || *key < self::key(page, slot)[..])
}

/// Room for the payload of `slot` to become `payload` bytes long.
pub fn has_room_to_replace(page: &PageBytes, slot: usize, new_payload: usize) -> bool {
    free_bytes(page) + payload(page, slot).len() >= new_payload
}

/// Panics without room: the caller has split the page before. The payload comes in parts.
#[inline]
pub fn insert(page: &mut PageBytes, slot: usize, key: &[u8], payload: &[&[u8]]) {
    let prefix = prefix_length(page);
    let suffix = &key[prefix..];
    let payload_bytes = payload.iter().map(|part| part.len()).sum::<usize>();
    let need = cell_need(suffix.len(), payload_bytes);
    let count = slot_count(page);
    assert!(slot <= count, "slot {slot} of {count}");
    debug_assert!(is_within_fences(page, key), "a key on the page of its range: {key:02x?}");
    debug_assert!(
        slot == 0 || order(self::suffix(page, slot - 1), suffix).is_lt(),
        "above the key before it: {key:02x?}"
    );
    debug_assert!(
        slot == count || order(suffix, self::suffix(page, slot)).is_lt(),
        "below the key behind it: {key:02x?}"
    );
    if contiguous_free(page) < need {
        assert!(free_bytes(page) >= need, "no room for a cell of {need} bytes");
        compact(page);
    }
    let cell = cells_start(page) - (need - SLOT_BYTES);
    assert!(cell >= slot_at(count + 1), "the cell and its slot do not overlap");
    put_u16(page, cell, payload_bytes as u16);
    let mut at = cell + CELL_HEAD_BYTES;
    page[at..at + suffix.len()].copy_from_slice(suffix);
    at += suffix.len();
    for part in payload {
        page[at..at + part.len()].copy_from_slice(part);
        at += part.len();
    }
    put_u16(page, 30, cell as u16);
    let place = slot_at(slot);
    if slot < count {
        page.copy_within(place..slot_at(count), place + SLOT_BYTES);
    }
    put_u16(page, place, cell as u16);
    put_u16(page, place + 2, suffix.len() as u16);
    put_u32(page, place + 4, head(suffix));
    put_u16(page, 28, count as u16 + 1);
    debug_assert_eq!(payload_range(page, slot).len(), payload_bytes);
}

pub fn remove(page: &mut PageBytes, slot: usize) {
    let count = slot_count(page);
    assert!(slot < count, "slot {slot} of {count}");
    let Range { start, end } = payload_range(page, slot);
    let cell = u16_at(page, slot_at(slot)) as usize;
    free_cell(page, cell, end - cell);
    debug_assert!(free_bytes(page) <= BODY_BYTES, "no more is free than a page has");
    debug_assert!(start <= end);
    page.copy_within(slot_at(slot + 1)..slot_at(count), slot_at(slot));
    put_u16(page, 28, count as u16 - 1);
}

fn free_cell(page: &mut PageBytes, cell: usize, bytes: usize) {
    assert!(cells_start(page) <= cell && cell + bytes <= PAGE_BYTES, "a cell of {bytes} bytes at {cell}");
    if cell == cells_start(page) {
        put_u16(page, 30, (cell + bytes) as u16);
    } else {
        let garbage = garbage(page) + bytes;
        put_u16(page, 32, garbage as u16);
    }
}

/// Panics without room.
pub fn replace(page: &mut PageBytes, slot: usize, new_payload: &[u8]) {
    assert!(slot < slot_count(page), "slot {slot} of {}", slot_count(page));
    let Range { start, end } = payload_range(page, slot);
    if new_payload.len() <= end - start {
        let cell = u16_at(page, slot_at(slot)) as usize;
        page[start..start + new_payload.len()].copy_from_slice(new_payload);
        put_u16(page, cell, new_payload.len() as u16);
        let garbage = garbage(page) + (end - start - new_payload.len());
        put_u16(page, 32, garbage as u16);
        return;
    }
    assert!(has_room_to_replace(page, slot, new_payload.len()), "no room to replace a payload");
    let key = key(page, slot);
    remove(page, slot);
    insert(page, slot, &key, &[new_payload]);
    debug_assert_eq!(payload(page, slot), new_payload);
}

/// Moves the cells together.
fn compact(page: &mut PageBytes) {
    let mut copy = Box::new(*page);
    std::mem::swap(&mut *copy, page);
    let from = &*copy;
    format(page, kind(from).expect("kind"), level(from), file_no(from), page_no(from), root(from));
    copy_header(from, page);
    set_fences(page, lower_fence(from), upper_fence(from));
    copy_cells(from, 0..slot_count(from), page);
    assert_eq!(
        (slot_count(page), free_bytes(page)),
        (slot_count(from), free_bytes(from)),
        "nothing is lost between the cells"
    );
    assert_eq!(garbage(page), 0);
}

/// What `format` and `set_fences` do not set.
fn copy_header(from: &PageBytes, to: &mut PageBytes) {
    debug_assert_eq!((page_no(from), file_no(from)), (page_no(to), file_no(to)), "a page's own header");
    to[0..4].copy_from_slice(&from[0..4]);
    to[6..16].copy_from_slice(&from[6..16]);
    to[44..48].copy_from_slice(&from[44..48]);
}

/// Appends cells; the pages may have different prefixes.
fn copy_cells(from: &PageBytes, slots: Range<usize>, to: &mut PageBytes) {
    assert!(slots.end <= slot_count(from), "slots {slots:?} of {}", slot_count(from));
    let mut whole = Vec::new();
    for slot in slots {
        whole.clear();
        key_into(from, slot, &mut whole);
        let at = slot_count(to);
        insert(to, at, &whole, &[payload(from, slot)]);
    }
}

/// The shortest key that is greater than `left` and not greater than `right`.
pub fn separator<'a>(left: &[u8], right: &'a [u8]) -> &'a [u8] {
    debug_assert!(left < right, "keys in order");
    let separator = &right[..(common_prefix(left, right) + 1).min(right.len())];
    debug_assert!(left < separator && separator <= right, "it parts the two");
    separator
}

/// Keeps the cells before `slot` and ends the page at `separator`. In an inner page the cell at `slot` (whose key is
/// the separator) becomes the last child.
pub fn split_left(page: &mut PageBytes, slot: usize, separator: &[u8]) {
    let from = *page;
    assert!(is_within_fences(&from, separator), "a page is cut between its fences");
    format(page, kind(&from).expect("kind"), level(&from), file_no(&from), page_no(&from), root(&from));
    copy_header(&from, page);
    set_fences(page, lower_fence(&from), Some(separator));
    copy_cells(&from, 0..slot, page);
    if kind(&from) == Some(PageKind::Inner) {
        set_last_child(page, child(&from, slot));
    }
}

/// Makes `to` (any bytes) the right part that `split_left` cuts off.
pub fn split_right(from: &PageBytes, slot: usize, separator: &[u8], to: &mut PageBytes, page_no: u32) {
    let (count, is_inner) = (slot_count(from), kind(from) == Some(PageKind::Inner));
    assert!(slot < count || slot == count && !is_inner, "cut at slot {slot} of {count}");
    debug_assert!(!is_inner || key(from, slot) == separator, "the cell that goes up is the separator");
    debug_assert!(slot == 0 || key(from, slot - 1).as_slice() < separator, "what stays lies below the separator");
    debug_assert!(slot == count || separator <= key(from, slot).as_slice(), "what leaves does not");
    assert!(page_no != self::page_no(from), "a part of the page goes to another one");
    format(to, kind(from).expect("kind"), level(from), file_no(from), page_no, root(from));
    set_fences(to, separator, upper_fence(from));
    let first = if kind(from) == Some(PageKind::Inner) { slot + 1 } else { slot };
    copy_cells(from, first..slot_count(from), to);
    set_last_child(to, last_child(from));
    debug_assert_eq!(check(to), Ok(()));
}

/// Bytes of cells and fences that two pages may have together to become one: room is left, so that the next rows do not split it.
pub const MERGED_BYTES_MAX: usize = BODY_BYTES / 4 * 3;

/// Half of the page or more is free.
pub fn is_sparse(page: &PageBytes) -> bool {
    free_bytes(page) >= BODY_BYTES / 2
}

/// The page that takes the place of `right` when its left neighbour goes. None: they are better left two.
pub fn merge(left: &PageBytes, right: &PageBytes) -> Option<Box<PageBytes>> {
    assert_eq!(
        (kind(left), level(left), root(left)),
        (kind(right), level(right), root(right)),
        "neighbours of one tree and level"
    );
    assert_eq!(upper_fence(left), Some(lower_fence(right)), "the one begins where the other ends");
    assert!(page_no(left) != page_no(right));
    let (lower, upper) = (lower_fence(left), upper_fence(right));
    let prefix = upper.map_or(0, |upper| common_prefix(lower, upper));
    assert!(prefix <= prefix_length(left).min(prefix_length(right)), "a wider range shares no more of its keys");
    let cells = |from: &PageBytes| -> usize {
        let longer = prefix_length(from) - prefix;
        (0..slot_count(from)).map(|slot| cell_need(suffix(from, slot).len() + longer, payload(from, slot).len())).sum()
    };
    let separator = upper_fence(left).filter(|_| kind(left) == Some(PageKind::Inner));
    let between = separator.map_or(0, |separator| cell_need(separator.len() - prefix, 4));
    let bytes = lower.len() + upper.map_or(0, <[u8]>::len) + cells(left) + between + cells(right);
    let is_one_empty = slot_count(left) == 0 || slot_count(right) == 0;
    if bytes > if is_one_empty { BODY_BYTES } else { MERGED_BYTES_MAX } {
        return None;
    }
    let mut merged = Box::new([0; PAGE_BYTES]);
    format(&mut merged, kind(right)?, level(right), file_no(right), page_no(right), root(right));
    set_fences(&mut merged, lower, upper);
    copy_cells(left, 0..slot_count(left), &mut merged);
    if let Some(separator) = separator {
        let end = slot_count(&merged);
        insert(&mut merged, end, separator, &[&last_child(left).to_le_bytes()]);
    }
    copy_cells(right, 0..slot_count(right), &mut merged);
    set_last_child(&mut merged, last_child(right));
    assert_eq!(slot_count(&merged), slot_count(left) + slot_count(right) + separator.is_some() as usize);
    debug_assert_eq!(check(&merged), Ok(()));
    Some(merged)
}

/// The page as it is at another place.
pub fn moved(page: &PageBytes, page_no: u32) -> Box<PageBytes> {
    debug_assert!(page_no != self::page_no(page), "it stays where it is");
    let mut moved = Box::new(*page);
    put_u32(&mut moved[..], 16, page_no);
    moved
}

/// The page without the hole between slots and cells: two ranges.
pub fn used_ranges(page: &PageBytes) -> (usize, usize) {
    match kind(page) {
        Some(PageKind::Leaf | PageKind::Inner) => (slot_at(slot_count(page)), cells_start(page)),
        Some(PageKind::Free | PageKind::Unlogged | PageKind::Awaiting) => (HEADER_BYTES, PAGE_BYTES),
        _ => (PAGE_BYTES, PAGE_BYTES),
    }
}

/// What must hold of a B-tree page; names the first thing that does not. Also what a fuzzed page is asked.
pub fn check(page: &PageBytes) -> Result<(), &'static str> {
    if !matches!(kind(page), Some(PageKind::Leaf | PageKind::Inner)) {
        return Ok(());
    }
    let count = slot_count(page);
    let cells = cells_start(page);
    if slot_at(count) > cells || cells > PAGE_BYTES {
        return Err("slots and cells overlap");
    }
    let fence =
        |at: u16, length: u16| length == 0 || at as usize >= cells && at as usize + length as usize <= PAGE_BYTES;
    if !fence(u16_at(page, 36), u16_at(page, 38)) {
        return Err("lower fence out of the cells");
    }
    if !is_rightmost(page) && !fence(u16_at(page, 40), u16_at(page, 42)) {
        return Err("upper fence out of the cells");
    }
    if prefix_length(page) > lower_fence(page).len() {
        return Err("prefix longer than the fence");
    }
    let mut used = lower_fence(page).len() + upper_fence(page).map_or(0, <[u8]>::len);
    for slot in 0..count {
        let cell = u16_at(page, slot_at(slot)) as usize;
        let length = u16_at(page, slot_at(slot) + 2) as usize;
        if cell < cells || cell + CELL_HEAD_BYTES + length > PAGE_BYTES {
            return Err("cell out of the page");
        }
        let bytes = CELL_HEAD_BYTES + length + u16_at(page, cell) as usize;
        if cell + bytes > PAGE_BYTES {
            return Err("payload out of the page");
        }
        used += bytes;
    }
    if used + garbage(page) != PAGE_BYTES - cells {
        return Err("free space miscounted");
    }
    for slot in 1..count {
        if suffix(page, slot - 1) >= suffix(page, slot) {
            return Err("keys out of order");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn leaf() -> Box<PageBytes> {
        let mut page = Box::new([0; PAGE_BYTES]);
        format(&mut page, PageKind::Leaf, 0, 1, 9, 2);
        set_fences(&mut page, b"aa", Some(b"az"));
        page
    }

    #[test]
    fn orders_as_slices_do() {
        let keys: Vec<Vec<u8>> = (0..20)
            .flat_map(|length| [0, 1, 0x7f, 0x80, 0xff].map(|last| [vec![5; length], vec![last]].concat()))
            .chain([vec![]])
            .collect();
        for a in &keys {
            for b in &keys {
                assert_eq!(order(a, b), a.cmp(b), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn agrees_with_a_map_under_random_changes() {
        for seed in 1..40_u64 {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut next = |bound: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % bound
            };
            let mut page = leaf();
            let mut model: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
            for _ in 0..2000 {
                let mut key = b"a".to_vec();
                key.extend((0..1 + next(5)).map(|_| b'a' + next(25) as u8));
                let value = vec![next(256) as u8; next(90) as usize];
                let (slot, found) = lower_bound(&page, &key);
                assert_eq!(found, model.contains_key(&key), "seed {seed}");
                for from in [0, slot / 2, slot] {
                    assert_eq!(lower_bound_from(&page, &key, from), slot, "seed {seed} from {from}");
                }
                match (found, next(3)) {
                    (true, 0) => {
                        remove(&mut page, slot);
                        model.remove(&key);
                    }
                    (true, _) if has_room_to_replace(&page, slot, value.len()) => {
                        replace(&mut page, slot, &value);
                        model.insert(key, value);
                    }
                    (false, _) if has_room(&page, &key, value.len()) => {
                        insert(&mut page, slot, &key, &[&value]);
                        model.insert(key, value);
                    }
                    _ => {}
                }
                assert_eq!(check(&page), Ok(()), "seed {seed}");
            }
            let held: Vec<_> = (0..slot_count(&page)).map(|s| (key(&page, s), payload(&page, s).to_vec())).collect();
            assert_eq!(held, model.clone().into_iter().collect::<Vec<_>>(), "seed {seed}");
            let middle = slot_count(&page) / 2;
            let at = separator(&key(&page, middle - 1), &key(&page, middle)).to_vec();
            let mut right = Box::new([7; PAGE_BYTES]);
            let mut left = page.clone();
            split_right(&page, middle, &at, &mut right, 10);
            split_left(&mut left, middle, &at);
            assert_eq!((check(&left), check(&right)), (Ok(()), Ok(())));
            let joined: Vec<_> = [&left, &right]
                .iter()
                .flat_map(|p| (0..slot_count(p)).map(|s| (key(p, s), payload(p, s).to_vec())).collect::<Vec<_>>())
                .collect();
            assert_eq!(joined, held, "seed {seed}");
        }
    }
}
