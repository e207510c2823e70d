//! What an archive has: the log that counts, its gaps, and the snapshots.

use super::owner::{self, Owner};
use super::segment::{self, Segment, SegmentName};
use super::snapshot::{self, Snapshot};
use super::store::{Store, StoreError};
use super::words::{Sealing, opened};
use super::{ArchiveError, ArchiveResult};

const SEEN: &str = "owner/seen";
const SEEN_MAGIC: &[u8; 8] = b"HARCSEE1";

/// What an archive has, by the names of its objects.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    /// The first has an instance; all have the same.
    pub owners: Vec<Owner>,
    /// Those that count: in the order of their LSNs, none of them behind where a later term begins.
    pub segments: Vec<SegmentName>,
    /// By when they began; those whose manifest can be read.
    pub snapshots: Vec<Snapshot>,
    /// What is wrong with the manifests of others.
    pub damaged: Vec<String>,
    /// Up to when the last owner had nothing more to ship, and where its log ended (ticks, UTC; LSN).
    pub seen: Option<(u64, u64)>,
}

/// A part of the log without a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    pub from: u64,
    pub to: u64,
}

/// The owner says that up to then there was no more than the log up to `end`: an idle server ships nothing.
pub fn put_seen(store: &dyn Store, owner: &Owner, covered: u64, end: u64) -> ArchiveResult<()> {
    let bytes = Sealing::new(SEEN_MAGIC).u64(owner.term).u64(covered).u64(end).seal();
    Ok(store.put(SEEN, &bytes)?)
}

fn seen(store: &dyn Store, term: u64) -> ArchiveResult<Option<(u64, u64)>> {
    let bytes = match store.get(SEEN) {
        Ok(bytes) => bytes,
        Err(StoreError::NotFound) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let read = || {
        let mut reading = opened(SEEN_MAGIC, &bytes)?;
        Some((reading.u64()?, (reading.u64()?, reading.u64()?)))
    };
    Ok(read().filter(|(of, _)| *of == term).map(|(_, seen)| seen))
}

impl Catalogue {
    pub fn read(store: &dyn Store) -> ArchiveResult<Catalogue> {
        let mut catalogue = Catalogue::of_log(store)?;
        for name in store.list(snapshot::DIRECTORY)? {
            let Some((began, true)) = snapshot::parse(&name) else { continue };
            match Snapshot::read(store, began) {
                Ok(snapshot) => catalogue.snapshots.push(snapshot),
                Err(ArchiveError::Refused(why) | ArchiveError::Damaged(why)) => catalogue.damaged.push(why),
                // It has just been dropped.
                Err(ArchiveError::Store(StoreError::NotFound)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(catalogue)
    }

    /// Without the snapshots.
    pub fn of_log(store: &dyn Store) -> ArchiveResult<Catalogue> {
        let mut owners = Vec::new();
        for term in owner::terms(store)? {
            match Owner::read(store, term) {
                Ok(owner) => owners.push(owner),
                // It has just been dropped.
                Err(StoreError::NotFound) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut segments: Vec<SegmentName> =
            store.list(segment::DIRECTORY)?.iter().filter_map(|name| SegmentName::parse(name)).collect();
        segments.retain(|segment| counts(segment, &owners));
        segments.sort();
        let seen = match owners.last() {
            Some(owner) => seen(store, owner.term)?,
            None => None,
        };
        Ok(Catalogue { owners, segments, seen, ..Catalogue::default() })
    }

    pub fn instance(&self) -> Option<u128> {
        self.owners.last().map(|owner| owner.instance)
    }

    /// The log without its gaps.
    pub fn ranges(&self) -> Vec<Range> {
        let mut ranges: Vec<Range> = Vec::new();
        for segment in &self.segments {
            match ranges.last_mut() {
                Some(range) if segment.first <= range.to => range.to = range.to.max(segment.end),
                _ => ranges.push(Range { from: segment.first, to: segment.end }),
            }
        }
        ranges
    }

    /// Where the log ends, None: there is none.
    pub fn end(&self) -> Option<u64> {
        self.ranges().last().map(|range| range.to)
    }

    /// Where the log ends that goes on from `lsn` without a gap, None: it has nothing there.
    pub fn reaches(&self, lsn: u64) -> Option<u64> {
        self.ranges().into_iter().find(|range| range.from <= lsn && lsn < range.to).map(|range| range.to)
    }

    /// The segment with the byte at `lsn` that goes on the farthest.
    pub fn segment_at(&self, lsn: u64) -> Option<SegmentName> {
        let here = self.segments.iter().filter(|segment| segment.first <= lsn && lsn < segment.end);
        here.max_by_key(|segment| segment.end).copied()
    }

    /// The snapshots that can be used: the log goes on from where they need it to their end.
    pub fn usable(&self) -> impl DoubleEndedIterator<Item = &Snapshot> {
        self.snapshots.iter().filter(|snapshot| {
            let reaches = self.reaches(snapshot.from()).unwrap_or(snapshot.from());
            Some(snapshot.instance) == self.instance() && reaches >= snapshot.end_lsn
        })
    }

    /// Up to when it has what was committed (ticks, UTC): by its last segment, and what its owner has seen since.
    pub fn covered(&self, store: &dyn Store) -> ArchiveResult<Option<u64>> {
        let Some(last) = self.segments.iter().max_by_key(|segment| segment.end) else { return Ok(None) };
        let segment = read_segment(store, *last, self.instance().unwrap_or(0))?;
        let seen = self.seen.filter(|(_, end)| *end <= last.end).map_or(0, |(covered, _)| covered);
        Ok(Some(segment.covered.max(seen)))
    }
}

/// It was written by who owned the archive then.
fn counts(segment: &SegmentName, owners: &[Owner]) -> bool {
    !owners.iter().any(|owner| owner.term > segment.term && owner.from <= segment.first)
}

/// Err(Refused): it is missing; Err(Damaged): it is damaged; by its name.
pub fn read_segment(store: &dyn Store, name: SegmentName, instance: u128) -> ArchiveResult<Segment> {
    let path = name.path();
    let bytes = match store.get(&path) {
        Err(StoreError::NotFound) => {
            return Err(ArchiveError::Refused(format!("{}/{path} is missing", store.place())));
        }
        bytes => bytes?,
    };
    Segment::decode(name, instance, &bytes)
        .map_err(|why| ArchiveError::Damaged(format!("{}/{path} is damaged: {why}", store.place())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(term: u64, from: u64) -> Owner {
        Owner { term, instance: 1, nonce: 1, from, since: 0, who: String::new() }
    }

    #[test]
    fn what_an_earlier_owner_writes_behind_a_later_one_does_not_count() {
        let segment = |first, end, term| SegmentName { first, end, term };
        let owners = [owner(1, 0), owner(2, 40_960)];
        let all = [
            segment(0, 20_480, 1),
            segment(20_480, 40_960, 1),
            segment(40_960, 81_920, 1),
            segment(40_960, 61_440, 2),
            segment(73_728, 81_920, 2),
        ];
        let segments: Vec<_> = all.into_iter().filter(|segment| counts(segment, &owners)).collect();
        let catalogue = Catalogue { owners: owners.to_vec(), segments, ..Catalogue::default() };
        assert_eq!(catalogue.segments.len(), 4);
        assert_eq!(catalogue.ranges(), [Range { from: 0, to: 61_440 }, Range { from: 73_728, to: 81_920 }]);
        assert_eq!(catalogue.reaches(20_480), Some(61_440));
        assert_eq!(catalogue.reaches(61_440), None);
        assert_eq!(catalogue.segment_at(45_056), Some(segment(40_960, 61_440, 2)));
        assert_eq!(catalogue.end(), Some(81_920));
    }
}
