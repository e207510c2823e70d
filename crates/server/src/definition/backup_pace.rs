//! How fast backups read: all of the instance together no more a second than `--backup-rate` says. What was read gets its time behind that of
//! what others have read, and whoever read it waits until that is over.

use std::sync::atomic::{AtomicU64, Ordering};

use exec::session::Ear;
use os::wait::WaitType;
use storage::StorageResult;
use types::pause::Pause as _;

use crate::catalog::Catalog;

const SECOND_NS: u128 = 1_000_000_000;
/// Who is woken late reads the next pieces sooner, but never more than what this time takes.
const BEHIND_NS: u64 = 100_000_000;
/// Between two looks whether anybody still wants the backup.
const LOOK_MS: u64 = 50;

pub struct Pace<'a> {
    /// Bytes a second; None: there is no limit.
    rate: Option<u64>,
    until: &'a AtomicU64,
    /// What has had its time.
    done: u64,
}

impl<'a> Pace<'a> {
    pub fn new(catalog: &'a Catalog) -> Pace<'a> {
        Pace { rate: catalog.backup_rate, until: catalog.backups_read_until(), done: 0 }
    }

    /// So many bytes of the database have been read by now. Returns when more may be.
    pub fn read(&mut self, done: u64, ear: &Ear<'_>) -> StorageResult<()> {
        let Some(rate) = self.rate else { return Ok(()) };
        let bytes = done.saturating_sub(self.done);
        self.done = self.done.max(done);
        let takes = u64::try_from(u128::from(bytes) * SECOND_NS / u128::from(rate)).unwrap_or(u64::MAX);
        let now = os::clock::now();
        let behind = |until: u64| until.max(now.saturating_sub(BEHIND_NS)).saturating_add(takes);
        let before = self.until.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |until| Some(behind(until)));
        let end = behind(before.expect("there is always a next one"));
        loop {
            let left_ms = end.saturating_sub(os::clock::now()) / 1_000_000;
            if left_ms == 0 {
                return Ok(());
            }
            os::wait::sleep(WaitType::BACKUPIO, left_ms.min(LOOK_MS));
            storage::error::heard(ear.pause())?;
        }
    }
}
