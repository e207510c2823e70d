//! TDS protocol versions and what depends on them.

/// Ordered from old to new. `LOGIN7` sends it little-endian, `LOGINACK` big-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TdsVersion(u32);

impl TdsVersion {
    pub const V7_0: TdsVersion = TdsVersion(0x7000_0000);
    pub const V7_1: TdsVersion = TdsVersion(0x7100_0001);
    pub const V7_2: TdsVersion = TdsVersion(0x7209_0002);
    pub const V7_3A: TdsVersion = TdsVersion(0x730A_0003);
    pub const V7_3B: TdsVersion = TdsVersion(0x730B_0003);
    pub const V7_4: TdsVersion = TdsVersion(0x7400_0004);
    pub const V8_0: TdsVersion = TdsVersion(0x0800_0000);

    /// The newest version that the client's LOGIN7 value allows; `None` below 7.1, which has no collations.
    pub fn negotiate(requested: u32) -> Option<TdsVersion> {
        if requested >> 24 == 0x08 {
            return Some(TdsVersion::V8_0);
        }
        [TdsVersion::V7_4, TdsVersion::V7_3B, TdsVersion::V7_3A, TdsVersion::V7_2]
            .into_iter()
            .find(|version| requested >= version.0)
            .or((requested >> 24 == 0x71 || requested >> 24 == 0x72).then_some(TdsVersion::V7_1))
    }

    pub const fn raw(self) -> u32 {
        self.0
    }

    const fn rank(self) -> u32 {
        if self.0 == Self::V8_0.0 { u32::MAX } else { self.0 }
    }

    const fn at_least(self, other: TdsVersion) -> bool {
        self.rank() >= other.rank()
    }

    /// 7.2 on: ALL_HEADERS, (max) types, XML, UDT, 64-bit row counts, 32-bit user types, multi-part table names.
    pub const fn is_7_2(self) -> bool {
        self.at_least(Self::V7_2)
    }

    /// 7.3 on: date, time, datetime2, datetimeoffset, table-valued parameters.
    pub const fn has_date_types(self) -> bool {
        self.at_least(Self::V7_3A)
    }

    /// 7.3.B on: null-bitmap-compressed rows.
    pub const fn has_nbc_rows(self) -> bool {
        self.at_least(Self::V7_3B)
    }

    /// 7.4 on: FEATUREEXTACK, session state.
    pub const fn has_feature_ack(self) -> bool {
        self.at_least(Self::V7_4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negotiates_down_to_a_known_version() {
        let cases = [
            (0x0800_0000, Some(TdsVersion::V8_0)),
            (0x7400_0004, Some(TdsVersion::V7_4)),
            (0x7500_0000, Some(TdsVersion::V7_4)),
            (0x730B_0003, Some(TdsVersion::V7_3B)),
            (0x730A_0003, Some(TdsVersion::V7_3A)),
            (0x7209_0002, Some(TdsVersion::V7_2)),
            (0x7100_0000, Some(TdsVersion::V7_1)),
            (0x7100_0001, Some(TdsVersion::V7_1)),
            (0x7000_0000, None),
            (0, None),
        ];
        for (requested, expected) in cases {
            assert_eq!(TdsVersion::negotiate(requested), expected, "{requested:08x}");
        }
        assert!(TdsVersion::V8_0.has_nbc_rows() && !TdsVersion::V7_3A.has_nbc_rows());
    }
}
