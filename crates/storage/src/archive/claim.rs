//! Taking the archive for a start of the server.

use super::catalogue::Catalogue;
use super::owner::{self, Owner, Token};
use super::store::{Store, StoreError};
use super::{ArchiveError, ArchiveResult};
use crate::backup::set::Words;
use crate::instance::storage::Storage;
use crate::log::BLOCK_HEAD;
use crate::recovery::restart::ARCHIVE_TOKEN;
use os::disk::Disk;

/// The archive is this server's from now on. `who`: what others are told. Err(Owned): it is another's. Err(Refused): what it has is not
/// what these data have been.
pub fn claim(storage: &Storage, store: &dyn Store, who: &str) -> ArchiveResult<Owner> {
    let catalogue = Catalogue::of_log(store)?;
    let disk = storage.disk();
    let token = Token::read(disk)?.unwrap_or_default();
    let before = catalogue.owners.last();
    if let Some(before) = before.filter(|before| !token.has_taken(before)) {
        return Err(ArchiveError::Owned(before.clone()));
    }
    if before.is_none() && token.taken != 0 && token.place == store.place() {
        return Err(ArchiveError::Refused(format!(
            "{} is empty, and had been written by this server: is its disk mounted? To begin it anew, remove the file {ARCHIVE_TOKEN} \
             from the data directory",
            store.place()
        )));
    }
    if before.is_none() && !catalogue.segments.is_empty() {
        return Err(ArchiveError::Refused(format!("{} has log, and nothing that says whose", store.place())));
    }
    let instance = before.map_or_else(random, |before| before.instance);
    let from = catalogue.end().unwrap_or(0);
    let before = before.cloned();
    check_history(storage, store, catalogue)?;
    let owner = Owner {
        term: before.as_ref().map_or(0, |before| before.term) + 1,
        instance,
        nonce: random(),
        from,
        since: os::clock::utc_ticks(),
        who: who.to_owned(),
    };
    put(disk, store, owner, before.map_or(0, |before| before.nonce))
}

/// The archive is the data directory's from now on, whoever had it: a new life of it begins, with the next start of a server there. What it
/// has of the lives before stays as long as any other log, and can be restored. Who wrote it hears of it as of any other owner.
pub fn take_over(disk: &Disk, store: &dyn Store, who: &str) -> ArchiveResult<Owner> {
    let last = owner::terms(store)?.last().copied();
    let owner = Owner {
        term: last.unwrap_or(0) + 1,
        instance: random(),
        nonce: random(),
        from: 0,
        since: os::clock::utc_ticks(),
        who: who.to_owned(),
    };
    put(disk, store, owner, 0)
}

/// Who has it, if that is not this data directory.
pub fn owned_by_another(disk: &Disk, store: &dyn Store) -> ArchiveResult<Option<Owner>> {
    let token = Token::read(disk)?.unwrap_or_default();
    let last = Catalogue::of_log(store)?.owners.pop();
    Ok(last.filter(|owner| !token.has_taken(owner)))
}

/// Puts the owner's term. `taken`: the nonce of the one that this directory had before.
fn put(disk: &Disk, store: &dyn Store, owner: Owner, taken: u128) -> ArchiveResult<Owner> {
    let (place, instance) = (store.place().to_owned(), owner.instance);
    // A kill on either side of what the store decides leaves the archive to this directory.
    Token { instance, taken, next: owner.nonce, place: place.clone() }.write(disk)?;
    os::sim_point!("archive.claim");
    match store.put_new(&owner::path(owner.term), &owner.encode()) {
        Ok(()) => {}
        Err(StoreError::Exists) => {
            let faster = Owner::read(store, owner.term)?;
            // Else it is its own: the answer to an earlier try was lost.
            if faster.nonce != owner.nonce {
                return Err(ArchiveError::Owned(faster));
            }
        }
        Err(error) => return Err(error.into()),
    }
    Token { instance, taken: owner.nonce, next: owner.nonce, place }.write(disk)?;
    Ok(owner)
}

fn random() -> u128 {
    let mut bytes = [0; 16];
    os::random::fill(&mut bytes);
    u128::from_le_bytes(bytes)
}

/// What was shipped was hardened here: log that the archive has and these data have not, or have otherwise, is of a copy of them.
fn check_history(storage: &Storage, store: &dyn Store, mut catalogue: Catalogue) -> ArchiveResult<()> {
    let Some(end) = catalogue.end() else { return Ok(()) };
    let log = &storage.engine().log;
    let refused = |why: String| {
        Err(ArchiveError::Refused(format!(
            "{} goes on from other data than these: {why}; a restored or copied data directory needs an archive of its own",
            store.place()
        )))
    };
    if end > log.hardened() {
        return refused(format!("its log ends at LSN {end}, that of the data at {}", log.hardened()));
    }
    let Some((segment, _)) = catalogue.segment_with(store, end - 1)? else { return Ok(()) };
    let mut words = Words(&segment.body);
    let mut newest = None;
    while let (Some(lsn), Some(length)) = (words.u64(), words.u32()) {
        let Some(block) = words.bytes(length as usize) else { break };
        newest = Some((lsn, block));
    }
    // Only where it lies here still.
    if let Some((lsn, block)) = newest.filter(|(lsn, _)| *lsn >= log.store().first()) {
        let mut here = [0; BLOCK_HEAD as usize];
        log.store().read(lsn, &mut here)?;
        // The checksum alone differs where tempdb's records were left out.
        if here[..24] != block[..24] || here[28..] != block[28..BLOCK_HEAD as usize] {
            return refused(format!("the log at LSN {lsn} is another"));
        }
    }
    Ok(())
}
