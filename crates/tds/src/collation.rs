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
    pub fn of(collation: CollationId) -> WireCollation {
        if collation == CollationId::SQL_LATIN1_GENERAL_CP1_CI_AS {
            return WireCollation::SQL_LATIN1;
        }
        WireCollation(collation.to_tds())
    }

    /// The collation of a type that was received; one we do not have (or five zeros) reads as the default.
    pub fn id(self) -> CollationId {
        if self == WireCollation::SQL_LATIN1 {
            return CollationId::SQL_LATIN1_GENERAL_CP1_CI_AS;
        }
        CollationId::from_tds(&self.0).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constant_is_the_table_s_first() {
        assert_eq!(CollationId(0).to_tds(), WireCollation::SQL_LATIN1.0);
        assert_eq!(WireCollation::SQL_LATIN1.lcid(), 0x409);
        assert_eq!(WireCollation::SQL_LATIN1.sort_id(), 52);
        assert_eq!(WireCollation([0; 5]).id(), CollationId(0));
    }
}
