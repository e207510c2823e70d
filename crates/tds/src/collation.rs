//! A collation on the wire: five bytes.
//!
//! ```text
//! bits 0-19 LCID | 20 ignore case | 21 ignore accent | 22 ignore width | 23 ignore kana | 24 binary | 25 binary2
//!      26 UTF-8 | 28-31 version          byte 4: sort id of an SQL_ collation, 0 for a Windows one
//! ```

use types::CollationId;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct WireCollation(pub [u8; 5]);

impl WireCollation {
    /// SQL_Latin1_General_CP1_CI_AS.
    pub const SQL_LATIN1: WireCollation = WireCollation([0x09, 0x04, 0xD0, 0x00, 0x34]);

    pub fn lcid(self) -> u32 {
        self.bits() & 0xF_FFFF
    }

    pub fn sort_id(self) -> u8 {
        self.0[4]
    }

    pub fn is_utf8(self) -> bool {
        self.bits() & 1 << 26 != 0
    }

    fn bits(self) -> u32 {
        u32::from_le_bytes([self.0[0], self.0[1], self.0[2], self.0[3]])
    }

    /// The collation of a type that is sent.
    pub fn of(_collation: CollationId) -> WireCollation {
        WireCollation::SQL_LATIN1
    }

    /// The collation of a type that was received; one we do not have reads as the default.
    pub fn id(self) -> CollationId {
        CollationId(0)
    }
}
