//! Body of a `Structure` record: what happens to several pages of one file at once (a split, an allocation, a merge).
//!
//! ```text
//! action: op u8, 0 u8, bytes u16 of what follows the page, page u32, then
//!  1 Image       low u16, high u16, page bytes [0, low) and [high, 8192)
//!  2 InsertCell  slot u16, key length u16, key, payload
//!  3 RemoveCell  slot u16
//!  4 SplitLeft   slot u16, separator
//!  5 SetBits     value u16, then u16 bits
//!  6 SetChild    slot u16 (0xffff: the last child), child u32
//! ```
//! Applying an action depends on the page's bytes and the action only: redo gets the same page.

use crate::pages::page::{self, PAGE_BYTES, PageBytes, PageKind, put_u32, u16_at, u32_at};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action<'a> {
    Image { head: &'a [u8], tail: &'a [u8] },
    InsertCell { slot: u16, key: &'a [u8], payload: &'a [u8] },
    RemoveCell { slot: u16 },
    SplitLeft { slot: u16, separator: &'a [u8] },
    SetBits { value: bool, bits: Bits<'a> },
    SetChild { slot: u16, child: u32 },
}

pub const LAST_CHILD: u16 = u16::MAX;

/// Little-endian u16 each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bits<'a>(pub &'a [u8]);

impl Bits<'_> {
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.chunks_exact(2).map(|bit| u16::from_le_bytes([bit[0], bit[1]]) as usize)
    }
}

impl<'a> Action<'a> {
    pub fn image(page: &'a PageBytes) -> Action<'a> {
        let (low, high) = page::used_ranges(page);
        debug_assert!(low <= high && high <= PAGE_BYTES, "the hole of a page: {low} to {high}");
        Action::Image { head: &page[..low], tail: &page[high..] }
    }

    fn encode(&self, page: u32, out: &mut Vec<u8>) {
        let start = out.len();
        let op = match self {
            Action::Image { .. } => 1,
            Action::InsertCell { .. } => 2,
            Action::RemoveCell { .. } => 3,
            Action::SplitLeft { .. } => 4,
            Action::SetBits { .. } => 5,
            Action::SetChild { .. } => 6,
        };
        out.extend_from_slice(&[op, 0, 0, 0]);
        out.extend_from_slice(&page.to_le_bytes());
        match self {
            Action::Image { head, tail } => {
                out.extend_from_slice(&(head.len() as u16).to_le_bytes());
                out.extend_from_slice(&((PAGE_BYTES - tail.len()) as u16).to_le_bytes());
                out.extend_from_slice(head);
                out.extend_from_slice(tail);
            }
            Action::InsertCell { slot, key, payload } => {
                out.extend_from_slice(&slot.to_le_bytes());
                out.extend_from_slice(&(key.len() as u16).to_le_bytes());
                out.extend_from_slice(key);
                out.extend_from_slice(payload);
            }
            Action::RemoveCell { slot } => out.extend_from_slice(&slot.to_le_bytes()),
            Action::SplitLeft { slot, separator } => {
                out.extend_from_slice(&slot.to_le_bytes());
                out.extend_from_slice(separator);
            }
            Action::SetBits { value, bits } => {
                out.extend_from_slice(&(*value as u16).to_le_bytes());
                out.extend_from_slice(bits.0);
            }
            Action::SetChild { slot, child } => {
                out.extend_from_slice(&slot.to_le_bytes());
                out.extend_from_slice(&child.to_le_bytes());
            }
        }
        let length = (out.len() - start - 8) as u16;
        assert!(out.len() - start - 8 <= u16::MAX as usize, "an action of {} bytes", out.len() - start - 8);
        out[start + 2..start + 4].copy_from_slice(&length.to_le_bytes());
    }

    fn decode(bytes: &'a [u8]) -> Option<(u32, Action<'a>, &'a [u8])> {
        let head = bytes.get(..8)?;
        let length = u16_at(head, 2) as usize;
        let body = bytes.get(8..8 + length)?;
        let first = u16::from_le_bytes(*body.first_chunk()?);
        let rest = &body[2..];
        let action = match head[0] {
            1 => {
                let high = u16::from_le_bytes(*rest.first_chunk()?) as usize;
                let image = &rest[2..];
                let (head, tail) = image.split_at_checked(first as usize)?;
                if high < head.len() || high + tail.len() != PAGE_BYTES {
                    return None;
                }
                Action::Image { head, tail }
            }
            2 => {
                let key = u16::from_le_bytes(*rest.first_chunk()?) as usize;
                let (key, payload) = rest[2..].split_at_checked(key)?;
                Action::InsertCell { slot: first, key, payload }
            }
            3 => Action::RemoveCell { slot: first },
            4 => Action::SplitLeft { slot: first, separator: rest },
            5 => Action::SetBits { value: first != 0, bits: Bits(rest) },
            6 => Action::SetChild { slot: first, child: u32_at(rest.get(..4)?, 0) },
            _ => return None,
        };
        Some((u32_at(head, 4), action, &bytes[8 + length..]))
    }

    /// Whether the page may be what the action was logged for. One that was damaged, or is older than the log supposes, is not.
    pub fn fits(&self, page: &PageBytes, page_no: u32) -> bool {
        let is_tree = || matches!(page::kind(page), Some(PageKind::Leaf | PageKind::Inner));
        match *self {
            Action::Image { .. } => true,
            Action::InsertCell { slot, key, payload } => {
                is_tree() && page::takes(page, slot as usize, key, payload.len())
            }
            Action::RemoveCell { slot } => is_tree() && (slot as usize) < page::slot_count(page),
            Action::SplitLeft { slot, separator } => {
                is_tree() && slot as usize <= page::slot_count(page) && page::is_within_fences(page, separator)
            }
            // A file's first bitmap begins with its own bits, each other one with those of its first pages.
            Action::SetBits { bits, .. } => match page::kind(page) {
                Some(PageKind::Bitmap) => true,
                Some(PageKind::Free) => page_no != 1 || bits.iter().any(|bit| bit == 0),
                _ => false,
            },
            Action::SetChild { slot, .. } => {
                is_tree() && (slot == LAST_CHILD || slot as usize <= page::slot_count(page))
            }
        }
    }

    pub fn apply(&self, page: &mut PageBytes, file: u32, page_no: u32) {
        match *self {
            Action::Image { head, tail } => {
                assert!(head.len() + tail.len() <= PAGE_BYTES, "an image is no longer than a page");
                page[..head.len()].copy_from_slice(head);
                page[head.len()..PAGE_BYTES - tail.len()].fill(0);
                page[PAGE_BYTES - tail.len()..].copy_from_slice(tail);
                debug_assert_eq!(
                    (page::page_no(page), page::file_no(page)),
                    (page_no, file),
                    "an image is of its page"
                );
            }
            Action::InsertCell { slot, key, payload } => page::insert(page, slot as usize, key, &[payload]),
            Action::RemoveCell { slot } => page::remove(page, slot as usize),
            Action::SplitLeft { slot, separator } => page::split_left(page, slot as usize, separator),
            Action::SetBits { value, bits } => {
                if page::kind(page) != Some(PageKind::Bitmap) {
                    page::format(page, PageKind::Bitmap, 0, file, page_no, 0);
                }
                for bit in bits.iter() {
                    let at = page::HEADER_BYTES + bit / 8;
                    assert!(value || bit >= 2, "the file's header and the bitmap itself are never free");
                    if value {
                        page[at] |= 1 << (bit % 8);
                    } else {
                        page[at] &= !(1 << (bit % 8));
                    }
                }
            }
            Action::SetChild { slot, child } if slot == LAST_CHILD || slot as usize == page::slot_count(page) => {
                page::set_last_child(page, child);
            }
            Action::SetChild { slot, child } => put_u32(page::payload_mut(page, slot as usize), 0, child),
        }
    }
}

pub fn encode(actions: &[(u32, Action<'_>)]) -> Vec<u8> {
    debug_assert!(!actions.is_empty(), "a record of nothing");
    let mut out = Vec::new();
    for (page, action) in actions {
        action.encode(*page, &mut out);
    }
    out
}

/// None: damaged.
pub fn decode(mut body: &[u8]) -> Option<Vec<(u32, Action<'_>)>> {
    let mut actions = Vec::new();
    while !body.is_empty() {
        let (page, action, rest) = Action::decode(body)?;
        actions.push((page, action));
        body = rest;
    }
    Some(actions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_survive_encoding() {
        let mut image = [0; PAGE_BYTES];
        page::format(&mut image, PageKind::Leaf, 0, 1, 7, 3);
        page::set_fences(&mut image, b"k", None);
        page::insert(&mut image, 0, b"key", &[b"payload"]);
        let actions = [
            (1, Action::SetBits { value: true, bits: Bits(&[7, 0, 9, 1]) }),
            (7, Action::image(&image)),
            (4, Action::InsertCell { slot: 2, key: b"sep", payload: &[1, 2, 3, 4] }),
            (4, Action::SetChild { slot: 3, child: 77 }),
            (6, Action::SplitLeft { slot: 9, separator: b"sep" }),
            (6, Action::RemoveCell { slot: 1 }),
        ];
        let bytes = encode(&actions);
        assert_eq!(decode(&bytes).as_deref(), Some(&actions[..]));
        let mut copy = [9; PAGE_BYTES];
        actions[1].1.apply(&mut copy, 1, 7);
        assert!(copy == image, "an image restores the page whatever was there");
        for cut in 1..bytes.len() {
            if let Some(fewer) = decode(&bytes[..cut]) {
                assert!(fewer.len() < actions.len(), "a cut body has fewer actions");
            }
        }
    }
}
