//! A database that is read between two steps of its restore: a copy of what was restored so far is recovered, in a directory that goes with the
//! statement, and the original goes on. So nothing has to be undone before the next step.

use os::disk::{Disk, Open};
use os::wait::WaitType;

use super::forward::{Phase, Restored, cut_log, open_as_held};
use super::restore::Target;
use super::set::Progress;
use crate::error::{StorageError, StorageResult};
use crate::instance::storage::Storage;
use crate::layout::DatabaseId;
use crate::pages::files::read_or_zero;
use crate::transaction::Transaction;

const PIECE_BYTES: u64 = 1 << 20;

impl Storage {
    fn standing(&self, db: DatabaseId) -> StorageResult<Disk> {
        Ok(self.engine().disk.subdirectory(&format!("standing-{:05}", db.0))?)
    }

    /// As `finish_restore`, and what was restored stays as it is: further steps can be applied to it. `NoBackup`: it is not whole.
    pub fn stand_by(
        &self,
        tx: &mut Transaction,
        target: Target<'_>,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<()> {
        tx.check_running()?;
        let _one_at_a_time = self.turn(step)?;
        if self.engine().file_of(target.database).is_ok() {
            return Err(StorageError::AlreadyExists);
        }
        let from = self.directory_of(target.database)?;
        let restored = Restored::read(&from)?.ok_or(StorageError::UnknownDatabase)?;
        if restored.phase != Phase::Forward {
            return Err(StorageError::NoBackup);
        }
        let copy = self.standing(target.database)?;
        clear(&copy)?;
        let recovered = copy_files(&from, &copy, step).and_then(|()| {
            cut_log(&copy, restored.end_lsn.max(restored.part_end), step)?;
            if restored.held {
                open_as_held(&copy, restored.file)?;
            }
            os::sim_point!("restore.standing");
            self.take_over(tx, target, (copy.clone(), DatabaseId(restored.database)), step)
        });
        let cleared = clear(&copy);
        recovered.and(cleared)
    }

    /// What a killed `stand_by` has left.
    pub(super) fn forget_standing(&self, db: DatabaseId) -> StorageResult<()> {
        let name = format!("standing-{:05}", db.0);
        match self.engine().disk.exists(&name) {
            true => clear(&self.standing(db)?),
            false => Ok(()),
        }
    }
}

fn clear(disk: &Disk) -> StorageResult<()> {
    for name in disk.list()? {
        disk.remove(&name)?;
    }
    Ok(())
}

fn copy_files(from: &Disk, to: &Disk, step: &mut dyn FnMut(Progress) -> StorageResult<()>) -> StorageResult<()> {
    let mut piece = vec![0; PIECE_BYTES as usize];
    for name in from.list()? {
        let (source, copy) = (from.open(&name, Open::Existing)?, to.open(&name, Open::New)?);
        let length = source.len()?;
        copy.set_len(length)?;
        for at in (0..length).step_by(PIECE_BYTES as usize) {
            let piece = &mut piece[..PIECE_BYTES.min(length - at) as usize];
            read_or_zero(&source, WaitType::BACKUPIO, at, piece)?;
            copy.write_at(piece, at)?;
            step(Progress { done: 0, total: 1 })?;
        }
    }
    Ok(())
}
