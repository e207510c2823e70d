//! Bytes in, bytes out: a bounds-checked cursor, the sink that encoders write to, and UTF-16LE text.

use types::CollationId;

use crate::error::{ProtocolError, ProtocolResult};

/// A cursor over a received slice. Every read is checked; a short one is `Truncated` and moves nothing.
#[derive(Debug, Clone)]
pub struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Of texts whose type names no collation (five zeros): the database's.
    pub collation: CollationId,
}

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes, at: 0, collation: CollationId::default() }
    }

    pub fn position(&self) -> usize {
        self.at
    }

    /// Back to an earlier `position()`.
    pub fn rewind(&mut self, position: usize) {
        assert!(position <= self.at, "rewind goes back, never forward");
        self.at = position;
    }

    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// What has not been read yet; leaves it unread.
    pub fn unread(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub fn is_empty(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    pub fn take(&mut self, count: usize) -> ProtocolResult<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        if count > rest.len() {
            return Err(ProtocolError::Truncated);
        }
        self.at += count;
        Ok(&rest[..count])
    }

    pub fn rest(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        self.at = self.bytes.len();
        rest
    }

    #[inline]
    pub fn array<const N: usize>(&mut self) -> ProtocolResult<[u8; N]> {
        let bytes = self.take(N)?;
        Ok(std::array::from_fn(|i| bytes[i]))
    }

    pub fn u8(&mut self) -> ProtocolResult<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u16(&mut self) -> ProtocolResult<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub fn u16_be(&mut self) -> ProtocolResult<u16> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> ProtocolResult<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn i32(&mut self) -> ProtocolResult<i32> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> ProtocolResult<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// `count` UTF-16 code units.
    pub fn utf16(&mut self, count: usize) -> ProtocolResult<String> {
        Ok(utf16_to_string(self.take(count.checked_mul(2).ok_or(ProtocolError::Truncated)?)?))
    }

    /// B_VARCHAR: a byte with the number of code units, then the text.
    pub fn b_varchar(&mut self) -> ProtocolResult<String> {
        let count = self.u8()?;
        self.utf16(count.into())
    }

    /// US_VARCHAR: two bytes with the number of code units, then the text.
    pub fn us_varchar(&mut self) -> ProtocolResult<String> {
        let count = self.u16()?;
        self.utf16(count.into())
    }

    /// B_VARBYTE: a byte with the number of bytes, then the bytes.
    pub fn b_varbyte(&mut self) -> ProtocolResult<&'a [u8]> {
        let count = self.u8()?;
        self.take(count.into())
    }

    /// US_VARBYTE: two bytes with the number of bytes, then the bytes.
    pub fn us_varbyte(&mut self) -> ProtocolResult<&'a [u8]> {
        let count = self.u16()?;
        self.take(count.into())
    }
}

/// Where encoders write: a plain buffer, packets, or a slice that is known to be long enough.
pub trait Put {
    fn put(&mut self, bytes: &[u8]);

    /// Same as `put`, for a length the compiler knows.
    #[inline]
    fn put_array<const N: usize>(&mut self, bytes: [u8; N]) {
        self.put(&bytes);
    }

    #[inline]
    fn put_u8(&mut self, value: u8) {
        self.put_array([value]);
    }

    #[inline]
    fn put_u16(&mut self, value: u16) {
        self.put_array(value.to_le_bytes());
    }

    #[inline]
    fn put_u32(&mut self, value: u32) {
        self.put_array(value.to_le_bytes());
    }

    #[inline]
    fn put_u64(&mut self, value: u64) {
        self.put_array(value.to_le_bytes());
    }

    /// UTF-16LE without a length.
    fn put_utf16(&mut self, text: &str) {
        for unit in text.encode_utf16() {
            self.put_u16(unit);
        }
    }

    /// B_VARCHAR. Text longer than 255 code units is cut.
    fn put_b_varchar(&mut self, text: &str) {
        let text = clip_utf16(text, u8::MAX.into());
        self.put_u8(utf16_len(text) as u8);
        self.put_utf16(text);
    }

    /// US_VARCHAR. Text longer than 65,535 code units is cut.
    fn put_us_varchar(&mut self, text: &str) {
        let text = clip_utf16(text, u16::MAX.into());
        self.put_u16(utf16_len(text) as u16);
        self.put_utf16(text);
    }
}

impl Put for Vec<u8> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

pub fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// The longest prefix of at most `units_max` code units that does not split a character.
pub fn clip_utf16(text: &str, units_max: usize) -> &str {
    if text.len() <= units_max {
        return text;
    }
    let mut units = 0;
    for (at, character) in text.char_indices() {
        units += character.len_utf16();
        if units > units_max {
            return &text[..at];
        }
    }
    text
}

/// UTF-16LE to text. A lone surrogate becomes U+FFFD, an odd last byte is dropped.
pub fn utf16_to_string(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() / 2 + 16);
    let mut rest = bytes;
    // Almost all SQL is ASCII: eight code units at a time while none has a bit above 0x7F.
    while let Some((chunk, tail)) = rest.split_first_chunk::<16>() {
        if u128::from_le_bytes(*chunk) & 0xFF80_FF80_FF80_FF80_FF80_FF80_FF80_FF80 != 0 {
            break;
        }
        let ascii: [u8; 8] = std::array::from_fn(|i| chunk[i * 2]);
        text.push_str(std::str::from_utf8(&ascii).expect("each byte is below 0x80"));
        rest = tail;
    }
    let units = rest.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    text.extend(char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_survives_both_ways() {
        for text in ["", "a", "SELECT 1 FROM t WHERE name = 'x'", "grüße, κόσμε 🧶 at the end", "0123456789abcdefé"]
        {
            let mut bytes = Vec::new();
            bytes.put_utf16(text);
            assert_eq!(utf16_to_string(&bytes), text);
            assert_eq!(utf16_len(text) * 2, bytes.len());
        }
        assert_eq!(utf16_to_string(&[0x00, 0xD8, 0x41, 0x00, 0x42]), "\u{FFFD}A");
    }

    #[test]
    fn clips_between_characters() {
        assert_eq!(clip_utf16("ab🧶c", 3), "ab");
        assert_eq!(clip_utf16("ab🧶c", 4), "ab🧶");
        assert_eq!(clip_utf16("äöü", 2), "äö");
    }

    #[test]
    fn short_reads_are_truncated_and_move_nothing() {
        let mut input = Input::new(&[1, 2, 3]);
        assert_eq!(input.u32(), Err(ProtocolError::Truncated));
        assert_eq!(input.u16(), Ok(0x0201));
        assert_eq!(input.b_varchar(), Err(ProtocolError::Truncated));
    }
}
