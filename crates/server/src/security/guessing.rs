//! Guessing of passwords: who failed how often of late, and how long the next attempt waits. In the region: an attacker's connections
//! are spread over all engines.
//!
//! An address may make one guess at a time after some failures, each later than the one before. A login under attack answers later,
//! whoever asks: but not one who has logged in from there before, so that nobody is shut out by the guesses of others. All is
//! forgotten with time, and the tables are of fixed size: the entry that rested longest makes room.

use std::hash::{DefaultHasher, Hasher};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

use os::region::{Part, Placed};
use os::shared_struct;
use os::sync::Mutex;
use os::wait::WaitType;
use storage::{Memory, StorageResult};

use crate::catalog::clock;
use crate::catalog::row::Date;

/// Entries of logins that exist, by id, and of all else: addresses, names, and who came from where. Buckets of `WAYS`.
const LOGINS_MAX: usize = 1_024;
const OTHERS_MAX: usize = 4_096;
const WAYS: usize = 8;

/// Failures that cost nothing: of a name, since people mistype, and of an address, behind which there may be many people.
const FREE_OF_LOGIN: u64 = 5;
const FREE_OF_ADDRESS: u64 = 10;
/// Failures of a login that has succeeded from the address before, until it waits as others do.
const FREE_OF_PAIR: u64 = 5;

/// The wait doubles with each failure.
const DELAY_LEAST_MS: u64 = 200;
const DELAY_MOST_MS: u64 = 5_000;
/// Who would have to wait longer, since others of its address wait already, is refused unseen.
const WAIT_MOST_MS: u64 = 15_000;

/// A failure is forgotten every so often.
const FORGET_EVERY_MS: u64 = 60_000;
/// How long a success speaks for a login and an address.
const TRUST_MS: u64 = 24 * 3_600_000;

shared_struct! {
    /// Guarded by the lock of `Guesses`; the words order nothing.
    struct Entry {
        /// 0: free.
        key: AtomicU64,
        failures: AtomicU64,
        failed_ms: AtomicU64,
        /// Of an address: when its next guess may begin. Of a pair: when it last succeeded.
        moment_ms: AtomicU64,
        /// `Date` of the last failure.
        failed_at: AtomicI64,
    }
}

impl Entry {
    /// Failures that are not forgotten yet.
    fn fresh(&self, now_ms: u64) -> u64 {
        let forgotten = now_ms.saturating_sub(self.failed_ms.load(Relaxed)) / FORGET_EVERY_MS;
        self.failures.load(Relaxed).saturating_sub(forgotten)
    }

    fn fail(&self, failures: u64, now_ms: u64) {
        self.failures.store(failures, Relaxed);
        self.failed_ms.store(now_ms, Relaxed);
        self.failed_at.store(clock::now().0, Relaxed);
    }
}

/// When an attempt may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    Now,
    /// At this moment of `os::clock::now`.
    At(u64),
    /// It is refused, and told so at this moment: who is refused at once asks again at once.
    Never(u64),
}

/// Wrong passwords of a login, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bad {
    pub count: u64,
    pub last: Date,
}

pub struct Guesses {
    lock: Placed<Mutex<()>>,
    logins: Part<Entry>,
    others: Part<Entry>,
    /// So that nobody can choose names that push out an entry.
    key: [u8; 16],
}

impl Guesses {
    pub fn new(memory: &Memory) -> StorageResult<Guesses> {
        let mut key = [0; 16];
        os::random::fill(&mut key);
        Ok(Guesses {
            lock: memory.place("guessed passwords", Mutex::new(WaitType::SOS_MUTEX, ()))?,
            logins: memory.carve("logins with wrong passwords", LOGINS_MAX)?,
            others: memory.carve("who guesses passwords", OTHERS_MAX)?,
            key,
        })
    }

    fn hash(&self, kind: u8, texts: &[&str]) -> u64 {
        let mut hasher = DefaultHasher::new();
        hasher.write(&self.key);
        hasher.write_u8(kind);
        for text in texts {
            hasher.write(text.as_bytes());
            hasher.write_u8(0xFF);
        }
        hasher.finish().max(1)
    }

    fn address(&self, address: &str) -> u64 {
        self.hash(1, &[address])
    }

    fn name(&self, name: &str) -> u64 {
        self.hash(2, &[name])
    }

    fn pair(&self, name: &str, address: &str) -> u64 {
        self.hash(3, &[name, address])
    }

    /// Whether a login by this name from this address may be tried. Each answer `At` takes the address's turn: ask once an attempt.
    pub fn ask(&self, name: &str, address: &str) -> Turn {
        let _lock = self.lock.lock();
        let now = os::clock::now_ms();
        if let Some(pair) = find(&self.others, self.pair(name, address)) {
            let succeeded = pair.moment_ms.load(Relaxed);
            if succeeded > 0 && now.saturating_sub(succeeded) < TRUST_MS && pair.fresh(now) < FREE_OF_PAIR {
                return Turn::Now;
            }
        }
        let by_login = find(&self.others, self.name(name)).map_or(0, |entry| delay(entry.fresh(now), FREE_OF_LOGIN));
        let mut at = now + by_login;
        if let Some(entry) = find(&self.others, self.address(address)) {
            let own = delay(entry.fresh(now), FREE_OF_ADDRESS);
            if own > 0 {
                let turn = entry.moment_ms.load(Relaxed).max(now) + own;
                if turn > now + WAIT_MOST_MS {
                    return Turn::Never(os::clock::after_ms(DELAY_MOST_MS));
                }
                entry.moment_ms.store(turn, Relaxed);
                at = at.max(turn);
            }
        }
        if at == now { Turn::Now } else { Turn::At(os::clock::after_ms(at - now)) }
    }

    /// A password did not fit, or there is no such login.
    pub fn failed(&self, name: &str, address: &str) {
        let _lock = self.lock.lock();
        let now = os::clock::now_ms();
        for key in [self.name(name), self.address(address), self.pair(name, address)] {
            let entry = take(&self.others, key, now);
            entry.fail(entry.fresh(now) + 1, now);
        }
    }

    pub fn succeeded(&self, name: &str, address: &str) {
        let _lock = self.lock.lock();
        let now = os::clock::now_ms();
        let pair = take(&self.others, self.pair(name, address), now);
        pair.failures.store(0, Relaxed);
        pair.failed_ms.store(now, Relaxed);
        pair.moment_ms.store(now, Relaxed);
    }

    /// One more wrong password of the login with this id; how many there are now. `forget_ms`: after so long the count begins anew.
    pub fn count_bad(&self, login: i32, forget_ms: u64) -> u64 {
        let _lock = self.lock.lock();
        let now = os::clock::now_ms();
        let entry = take(&self.logins, login as u64, now);
        let old = now.saturating_sub(entry.failed_ms.load(Relaxed)) >= forget_ms;
        let count = if old { 1 } else { entry.failures.load(Relaxed) + 1 };
        entry.fail(count, now);
        count
    }

    /// Of the login with this id. None: the last password fitted.
    pub fn bad(&self, login: i32) -> Option<Bad> {
        let _lock = self.lock.lock();
        let entry = find(&self.logins, login as u64)?;
        Some(Bad { count: entry.failures.load(Relaxed), last: Date(entry.failed_at.load(Relaxed)) })
    }

    /// The count of the login with this id begins anew.
    pub fn clear_bad(&self, login: i32) {
        let _lock = self.lock.lock();
        if let Some(entry) = find(&self.logins, login as u64) {
            entry.key.store(0, Relaxed);
            entry.failures.store(0, Relaxed);
            entry.failed_ms.store(0, Relaxed);
        }
    }
}

fn delay(failures: u64, free: u64) -> u64 {
    match failures.checked_sub(free) {
        None | Some(0) => 0,
        Some(above) => (DELAY_LEAST_MS << (above - 1).min(10)).min(DELAY_MOST_MS),
    }
}

fn bucket(entries: &[Entry], key: u64) -> &[Entry] {
    let buckets = entries.len() / WAYS;
    let at = key as usize % buckets * WAYS;
    &entries[at..at + WAYS]
}

fn find(entries: &[Entry], key: u64) -> Option<&Entry> {
    bucket(entries, key).iter().find(|entry| entry.key.load(Relaxed) == key)
}

/// The entry of `key`, made if there is none.
fn take(entries: &[Entry], key: u64, now: u64) -> &Entry {
    if let Some(found) = find(entries, key) {
        return found;
    }
    let bucket = bucket(entries, key);
    let free = bucket.iter().find(|entry| entry.key.load(Relaxed) == 0);
    // Of those of one moment, whoever failed least: an attacker's address fails with each name that it tries.
    let age = |entry: &&Entry| (entry.failed_ms.load(Relaxed), entry.failures.load(Relaxed));
    let oldest = || bucket.iter().min_by_key(age).expect("a bucket has entries");
    let entry = free.unwrap_or_else(oldest);
    entry.key.store(key, Relaxed);
    entry.failures.store(0, Relaxed);
    entry.failed_ms.store(now, Relaxed);
    entry.moment_ms.store(0, Relaxed);
    entry.failed_at.store(0, Relaxed);
    entry
}

#[cfg(test)]
mod tests {
    use os::region::Visibility;

    use super::*;

    fn guesses() -> Guesses {
        let memory = Memory::reserve(1 << 20, Visibility::ThisProcess).expect("memory");
        Guesses::new(&memory).expect("room")
    }

    #[test]
    fn failures_cost_ever_more_time() {
        let guesses = guesses();
        let mut waits = Vec::new();
        for _ in 0..FREE_OF_LOGIN + 8 {
            waits.push(match guesses.ask("sa", "10.0.0.1") {
                Turn::Now => 0,
                Turn::At(at) => at.saturating_sub(os::clock::now()) / 1_000_000,
                Turn::Never(_) => u64::MAX,
            });
            guesses.failed("sa", "10.0.0.1");
        }
        assert!(waits[..=FREE_OF_LOGIN as usize].iter().all(|wait| *wait == 0), "{waits:?}");
        assert!(waits[FREE_OF_LOGIN as usize + 2] > 100, "{waits:?}");
        assert!(waits.last().is_some_and(|wait| *wait > 3_000), "{waits:?}");
        // Another address waits for this login too, and not for others.
        assert!(matches!(guesses.ask("sa", "10.0.0.2"), Turn::At(_)));
        assert_eq!(guesses.ask("fritz", "10.0.0.2"), Turn::Now);
    }

    #[test]
    fn an_address_takes_turns_and_is_refused_when_too_many_wait() {
        let guesses = guesses();
        for number in 0..FREE_OF_ADDRESS + 6 {
            guesses.failed(&format!("user{number}"), "10.0.0.1");
        }
        let turns: Vec<Turn> = (0..10).map(|number| guesses.ask(&format!("other{number}"), "10.0.0.1")).collect();
        let (Turn::At(first), Turn::At(second)) = (turns[0], turns[1]) else { panic!("{turns:?}") };
        assert!(second > first + 4_000_000_000, "{turns:?}");
        assert!(matches!(turns.last(), Some(Turn::Never(_))), "{turns:?}");
        assert_eq!(guesses.ask("other", "10.0.0.2"), Turn::Now);
    }

    #[test]
    fn who_has_logged_in_before_does_not_wait_for_others() {
        let guesses = guesses();
        guesses.succeeded("sa", "10.0.0.1");
        for _ in 0..40 {
            guesses.failed("sa", "10.0.0.2");
            guesses.failed("root", "10.0.0.1");
        }
        assert_eq!(guesses.ask("sa", "10.0.0.1"), Turn::Now);
        assert_ne!(guesses.ask("sa", "10.0.0.3"), Turn::Now);
        for _ in 0..FREE_OF_PAIR {
            guesses.failed("sa", "10.0.0.1");
        }
        assert_ne!(guesses.ask("sa", "10.0.0.1"), Turn::Now);
    }

    #[test]
    fn the_table_is_bounded_and_keeps_who_is_at_it() {
        let guesses = guesses();
        for number in 0..3 * OTHERS_MAX {
            guesses.failed(&format!("user{number}"), "10.0.0.1");
        }
        assert_ne!(guesses.ask("new", "10.0.0.1"), Turn::Now);
        assert_eq!(guesses.ask("new", "10.0.0.2"), Turn::Now);
    }

    #[test]
    fn wrong_passwords_of_a_login_are_counted_until_one_fits() {
        let guesses = guesses();
        let counts = [(); 3].map(|()| guesses.count_bad(300, 60_000));
        assert_eq!(counts, [1, 2, 3]);
        assert_eq!(guesses.bad(300).map(|bad| bad.count), Some(3));
        assert_eq!(guesses.bad(301), None);
        assert_eq!(guesses.count_bad(300, 0), 1, "the window is over");
        guesses.clear_bad(300);
        assert_eq!(guesses.bad(300), None);
    }
}
