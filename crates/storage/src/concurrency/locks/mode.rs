//! Lock modes and what they exclude.

use os::wait::WaitType;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum LockMode {
    SchemaStability,
    IntentShared,
    IntentExclusive,
    Shared,
    Update,
    SharedIntentExclusive,
    Exclusive,
    SchemaModification,
}

const _: () = {
    let mut at = 0;
    while at < LockMode::ALL.len() {
        assert!(LockMode::ALL[at] as usize == at, "a mode's number is its place");
        let mut other = 0;
        while other < LockMode::ALL.len() {
            let excludes = LockMode::ALL[at].excludes() >> other & 1;
            assert!(excludes == LockMode::ALL[other].excludes() >> at & 1, "who excludes another is excluded by it");
            other += 1;
        }
        at += 1;
    }
};
impl LockMode {
    pub const ALL: [LockMode; 8] = [
        LockMode::SchemaStability,
        LockMode::IntentShared,
        LockMode::IntentExclusive,
        LockMode::Shared,
        LockMode::Update,
        LockMode::SharedIntentExclusive,
        LockMode::Exclusive,
        LockMode::SchemaModification,
    ];

    /// One bit for each mode this one excludes, in the order of `ALL`.
    pub const fn excludes(self) -> u8 {
        match self {
            LockMode::SchemaStability => 0b1000_0000,
            LockMode::IntentShared => 0b1100_0000,
            LockMode::IntentExclusive => 0b1111_1000,
            LockMode::Shared => 0b1110_0100,
            LockMode::Update => 0b1111_0100,
            LockMode::SharedIntentExclusive => 0b1111_1100,
            LockMode::Exclusive => 0b1111_1110,
            LockMode::SchemaModification => 0b1111_1111,
        }
    }

    /// `sys.dm_tran_locks.request_mode`.
    pub fn name(self) -> &'static str {
        match self {
            LockMode::SchemaStability => "Sch-S",
            LockMode::IntentShared => "IS",
            LockMode::IntentExclusive => "IX",
            LockMode::Shared => "S",
            LockMode::Update => "U",
            LockMode::SharedIntentExclusive => "SIX",
            LockMode::Exclusive => "X",
            LockMode::SchemaModification => "Sch-M",
        }
    }

    pub fn is_compatible(self, other: LockMode) -> bool {
        self.excludes() >> (other as u8) & 1 == 0
    }

    /// The weakest mode at least as strong as both.
    pub fn join(self, other: LockMode) -> LockMode {
        debug_assert!(self.excludes() != 0 && other.excludes() != 0, "every mode excludes a change of the definition");
        let need = self.excludes() | other.excludes();
        LockMode::ALL.into_iter().find(|mode| mode.excludes() & need == need).unwrap_or(LockMode::SchemaModification)
    }

    pub fn wait_type(self) -> WaitType {
        match self {
            LockMode::SchemaStability => WaitType::LCK_M_SCH_S,
            LockMode::IntentShared => WaitType::LCK_M_IS,
            LockMode::IntentExclusive => WaitType::LCK_M_IX,
            LockMode::Shared => WaitType::LCK_M_S,
            LockMode::Update => WaitType::LCK_M_U,
            LockMode::SharedIntentExclusive => WaitType::LCK_M_SIX,
            LockMode::Exclusive => WaitType::LCK_M_X,
            LockMode::SchemaModification => WaitType::LCK_M_SCH_M,
        }
    }

    pub fn covers(self, other: LockMode) -> bool {
        self.join(other) == self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_exclude_each_other_both_ways_and_joins_are_upper_bounds() {
        for a in LockMode::ALL {
            for b in LockMode::ALL {
                assert_eq!(a.is_compatible(b), b.is_compatible(a), "{a:?} {b:?}");
                assert!(a.join(b).covers(a) && a.join(b).covers(b), "{a:?} {b:?}");
                assert_eq!(a.join(b), b.join(a));
            }
        }
        assert_eq!(LockMode::Shared.join(LockMode::IntentExclusive), LockMode::SharedIntentExclusive);
    }
}
