//! What nobody will restore any more goes.

use super::catalogue::Catalogue;
use super::owner::{self, Owner};
use super::segment::{self, SegmentName};
use super::ship::is_last;
use super::snapshot::{self, Snapshot, manifest_path};
use super::store::Store;
use super::{ArchiveError, ArchiveResult};

/// Drops the snapshots and the log that are not needed to restore any moment from `since` on (ticks, UTC), and parts of snapshots that
/// never ended. The newest snapshot that can be used stays in any case. Nobody takes one meanwhile. How many snapshots went.
pub fn drop_old(store: &dyn Store, owner: &Owner, since: u64) -> ArchiveResult<usize> {
    if !is_last(store, owner)? {
        return Err(ArchiveError::Refused("another server has taken the archive".into()));
    }
    let catalogue = Catalogue::read(store)?;
    // The last one that ended before is where a restore to the first moment begins.
    let usable: Vec<&Snapshot> = catalogue.usable().collect();
    let first = usable.iter().rev().find(|snapshot| snapshot.ended <= since).or(usable.first());
    let Some(first) = first else { return Ok(0) };
    let dropped: Vec<u64> =
        catalogue.snapshots.iter().map(|snapshot| snapshot.began).filter(|began| *began < first.began).collect();
    for began in &dropped {
        // Without it the parts are nothing.
        store.delete(&manifest_path(*began))?;
    }
    let newest = usable.last().map_or(0, |snapshot| snapshot.began);
    let kept = |began: u64| catalogue.snapshots.iter().any(|one| one.began == began) && began >= first.began;
    let former = catalogue.former.first().map(|_| catalogue.since());
    let (life, keeps_former) = (former.unwrap_or(0), former.is_some_and(|until| until > since));
    for name in store.list(snapshot::DIRECTORY)? {
        if let Some((began, _)) = snapshot::parse(&name)
            && began < newest
            && !kept(began)
            && !(keeps_former && began < life)
        {
            store.delete(&format!("{}/{name}", snapshot::DIRECTORY))?;
        }
    }
    let from = usable.iter().filter(|snapshot| snapshot.began >= first.began).map(|snapshot| snapshot.from()).min();
    let from = from.unwrap_or(0);
    for segment in catalogue.segments.iter().filter(|segment| segment.end <= from) {
        store.delete(&segment.path())?;
    }
    if !keeps_former {
        drop_former(store, &catalogue)?;
    }
    let oldest = catalogue.segments.iter().filter(|segment| segment.end > from).map(|segment| segment.term).min();
    for term in catalogue.owners.iter().map(|owner| owner.term) {
        // The first one says since when this life is.
        let is_wanted = keeps_former && catalogue.owners.first().is_some_and(|first| first.term == term);
        if oldest.is_some_and(|oldest| term < oldest) && term < owner.term && !is_wanted {
            store.delete(&owner::path(term))?;
        }
    }
    Ok(dropped.len())
}

/// The log of the lives before this one, and who wrote it.
fn drop_former(store: &dyn Store, catalogue: &Catalogue) -> ArchiveResult<()> {
    let Some(last) = catalogue.former.last() else { return Ok(()) };
    for name in store.list(segment::DIRECTORY)? {
        if let Some(name) = SegmentName::parse(&name)
            && name.term <= last.term
        {
            store.delete(&name.path())?;
        }
    }
    // Last of all: without them it would be this life's.
    for owner in &catalogue.former {
        store.delete(&owner::path(owner.term))?;
    }
    Ok(())
}
