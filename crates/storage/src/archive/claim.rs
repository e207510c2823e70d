//! Taking the archive for a start of the server.

use super::catalogue::{Catalogue, read_segment};
use super::owner::{self, Owner, Token};
use super::store::{Store, StoreError};
use super::{ArchiveError, ArchiveResult};
use crate::backup::set::Words;
use crate::instance::storage::Storage;
use crate::log::BLOCK_HEAD;
use crate::recovery::restart::ARCHIVE_TOKEN;

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
    check_history(storage, store, &catalogue, instance)?;
    let owner = Owner {
        term: before.map_or(0, |before| before.term) + 1,
        instance,
        nonce: random(),
        from,
        since: os::clock::utc_ticks(),
        who: who.to_owned(),
    };
    // A kill on either side of what the store decides leaves the archive to this directory.
    let place = store.place().to_owned();
    let taken = before.map_or(0, |before| before.nonce);
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
fn check_history(storage: &Storage, store: &dyn Store, catalogue: &Catalogue, instance: u128) -> ArchiveResult<()> {
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
    let last = catalogue.segment_at(end - 1).expect("the one that ends there");
    let segment = read_segment(store, last, instance)?;
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
