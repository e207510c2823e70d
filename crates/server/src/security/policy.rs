//! What CHECK_POLICY and CHECK_EXPIRATION ask of passwords: Windows' rules, by numbers that sp_configure has.

use crate::catalog::login_policy::LoginPolicy;
use crate::catalog::row::Date;
use crate::settings::config::{Configuration, option};

/// `Date`s in a minute and a day.
const MINUTE: i64 = 60 * 300;
const DAY: i64 = 24 * 60 * MINUTE;

/// The policy of the server, from sp_configure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    pub length_min: usize,
    /// Former passwords that may not come again.
    pub history: usize,
    pub age_min_days: i64,
    /// 0: no password expires.
    pub age_max_days: i64,
    /// Wrong passwords that lock a login; 0: none do.
    pub lockout_threshold: u64,
    /// 0: until somebody unlocks it.
    pub lockout_minutes: i64,
    /// After so long the count of wrong passwords begins anew.
    pub reset_minutes: u64,
}

impl Rules {
    pub fn of(configuration: &Configuration) -> Rules {
        let number = |option: usize| configuration.running(option);
        Rules {
            length_min: number(option::PASSWORD_LENGTH_MIN) as usize,
            history: number(option::PASSWORD_HISTORY) as usize,
            age_min_days: number(option::PASSWORD_AGE_MIN),
            age_max_days: number(option::PASSWORD_AGE_MAX),
            lockout_threshold: number(option::LOCKOUT_THRESHOLD) as u64,
            lockout_minutes: number(option::LOCKOUT_DURATION),
            reset_minutes: number(option::LOCKOUT_RESET) as u64,
        }
    }

    pub fn is_locked(&self, policy: &LoginPolicy, now: Date) -> bool {
        let passed = |since: Date| self.lockout_minutes > 0 && now.0 - since.0 >= self.lockout_minutes * MINUTE;
        policy.locked.is_some_and(|since| !passed(since))
    }

    /// Midnights until the password expires; 0: today or before. None: it never does.
    pub fn days_left(&self, policy: &LoginPolicy, now: Date) -> Option<i64> {
        if self.age_max_days == 0 {
            return None;
        }
        let expires = (policy.password_set.0 + self.age_max_days * DAY).div_euclid(DAY);
        Some((expires - now.0.div_euclid(DAY)).max(0))
    }

    pub fn is_expired(&self, policy: &LoginPolicy, now: Date) -> bool {
        self.age_max_days > 0 && now.0 >= policy.password_set.0 + self.age_max_days * DAY
    }

    pub fn is_too_recent(&self, policy: &LoginPolicy, now: Date) -> bool {
        now.0 < policy.password_set.0 + self.age_min_days * DAY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_locks_are_reckoned_in_days_and_minutes() {
        let configuration = crate::settings::config::tests::defaults();
        let rules = Rules::of(&configuration);
        let (now, set) = (Date(1_000 * DAY), Date(990 * DAY));
        let mut policy = LoginPolicy::new(set);
        assert_eq!(rules.days_left(&policy, now), Some(rules.age_max_days - 10));
        assert!(!rules.is_expired(&policy, now));
        assert!(rules.is_expired(&policy, Date(set.0 + rules.age_max_days * DAY)));
        assert_eq!(rules.days_left(&policy, Date(2_000 * DAY)), Some(0));
        policy.locked = Some(Date(now.0 - MINUTE));
        assert!(rules.is_locked(&policy, now));
        assert!(!rules.is_locked(&policy, Date(now.0 + rules.lockout_minutes * MINUTE)));
        let ever = Rules { lockout_minutes: 0, age_max_days: 0, ..rules };
        assert!(ever.is_locked(&policy, Date(now.0 + 1_000 * DAY)));
        assert_eq!((ever.days_left(&policy, now), ever.is_expired(&policy, Date(9_000 * DAY))), (None, false));
        assert!(Rules { age_min_days: 11, ..rules }.is_too_recent(&policy, now));
        assert!(!Rules { age_min_days: 10, ..rules }.is_too_recent(&policy, now));
    }
}
