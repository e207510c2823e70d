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
    /// Those of one life: all have the same instance.
    pub owners: Vec<Owner>,
    /// Of the lives before: who wrote the archive until another took it by force. Nothing of theirs is in the lists below.
    pub former: Vec<Owner>,
    /// Those that count: in the order of their LSNs, none of them behind where a later term begins.
    pub segments: Vec<SegmentName>,
    /// By when they began; those whose manifest can be read.
    pub snapshots: Vec<Snapshot>,
    /// What is wrong with the manifests of others.
    pub damaged: Vec<String>,
    /// Whether another took it after this life.
    pub is_former: bool,
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

/// Which life of an archive is looked at: one ends where another server takes it by force, with other data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    Last,
    /// That of this moment (ticks, UTC), or the first.
    At(u64),
}

impl Catalogue {
    pub fn read(store: &dyn Store) -> ArchiveResult<Catalogue> {
        Catalogue::of_life(store, Life::Last)
    }

    pub fn of_life(store: &dyn Store, life: Life) -> ArchiveResult<Catalogue> {
        let mut catalogue = Catalogue::log_of_life(store, life)?;
        for name in store.list(snapshot::DIRECTORY)? {
            let Some((began, true)) = snapshot::parse(&name) else { continue };
            match Snapshot::read(store, began) {
                Ok(snapshot) if catalogue.instance().is_none_or(|instance| instance == snapshot.instance) => {
                    catalogue.snapshots.push(snapshot);
                }
                // Of another life.
                Ok(_) => {}
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
        Catalogue::log_of_life(store, Life::Last)
    }

    fn log_of_life(store: &dyn Store, life: Life) -> ArchiveResult<Catalogue> {
        let mut owners: Vec<Owner> = Vec::new();
        for term in owner::terms(store)? {
            match Owner::read(store, term) {
                Ok(owner) => owners.push(owner),
                // It has just been dropped.
                Err(StoreError::NotFound) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let (former, owners, is_former) = split(owners, life);
        let first_term = if former.is_empty() { 0 } else { owners.first().map_or(0, |owner| owner.term) };
        let last_term = if is_former { owners.last().map_or(0, |owner| owner.term) } else { u64::MAX };
        let mut segments: Vec<SegmentName> =
            store.list(segment::DIRECTORY)?.iter().filter_map(|name| SegmentName::parse(name)).collect();
        segments.retain(|segment| (first_term..=last_term).contains(&segment.term) && counts(segment, &owners));
        segments.sort();
        let seen = match owners.last() {
            Some(owner) => seen(store, owner.term)?,
            None => None,
        };
        Ok(Catalogue { owners, former, segments, is_former, seen, ..Catalogue::default() })
    }

    /// Since when this life is (ticks, UTC).
    pub fn since(&self) -> u64 {
        self.owners.first().map_or(0, |owner| owner.since)
    }

    pub fn instance(&self) -> Option<u128> {
        self.owners.last().map(|owner| owner.instance)
    }

    /// The log without its gaps.
    pub fn ranges(&self) -> Vec<Range> {
        let mut ranges: Vec<Range> = Vec::new();
        for segment in &self.segments {
            match ranges.last_mut() {
                Some(range) if segment.first <= range.to => range.to = range.to.max(self.counted_end(segment)),
                _ => ranges.push(Range { from: segment.first, to: self.counted_end(segment) }),
            }
        }
        ranges
    }

    /// Up to where a segment counts: an earlier owner may have merged what was its own with what was not any more.
    pub fn counted_end(&self, segment: &SegmentName) -> u64 {
        let later = self.owners.iter().filter(|owner| owner.term > segment.term && owner.from > segment.first);
        later.map(|owner| owner.from).min().unwrap_or(u64::MAX).min(segment.end)
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
        let here = self.segments.iter().filter(|segment| segment.first <= lsn && lsn < self.counted_end(segment));
        here.max_by_key(|segment| (self.counted_end(segment), segment.term)).copied()
    }

    /// The segment with the byte at `lsn`, and where what counts of it ends. None: there is none. One that has gone since the names were read
    /// was merged with others: these are looked for once more. Err as of `read_segment`.
    pub fn segment_with(&mut self, store: &dyn Store, lsn: u64) -> ArchiveResult<Option<(Segment, u64)>> {
        let Some(mut name) = self.segment_at(lsn) else { return Ok(None) };
        let instance = self.instance().unwrap_or(0);
        loop {
            let missing = match read_segment(store, name, instance) {
                Ok(mut segment) => {
                    let end = self.counted_end(&name);
                    segment.cut(end);
                    return Ok(Some((segment, end)));
                }
                Err(error @ ArchiveError::Refused(_)) => error,
                Err(error) => return Err(error),
            };
            let life =
                if self.is_former { Life::At(self.owners.last().map_or(0, |owner| owner.since)) } else { Life::Last };
            let now = Catalogue::log_of_life(store, life)?;
            if now.instance() != self.instance() {
                return Err(missing);
            }
            self.segments = now.segments;
            self.owners = now.owners;
            match self.segment_at(lsn) {
                Some(other) if other != name => name = other,
                _ => return Err(missing),
            }
        }
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

/// The owners before a life, those of it, and whether others came after it.
fn split(mut owners: Vec<Owner>, life: Life) -> (Vec<Owner>, Vec<Owner>, bool) {
    let starts = |owners: &[Owner], at: usize| at == 0 || owners[at - 1].instance != owners[at].instance;
    let first = match life {
        Life::Last => (0..owners.len()).rev().find(|at| starts(&owners, *at)),
        Life::At(time) => {
            let begun = |at: &usize| starts(&owners, *at) && (*at == 0 || owners[*at].since <= time);
            (0..owners.len()).rev().find(begun)
        }
    };
    let mut of_it = owners.split_off(first.unwrap_or(0));
    let instance = of_it.first().map(|owner| owner.instance);
    let end = of_it.iter().position(|owner| Some(owner.instance) != instance).unwrap_or(of_it.len());
    let is_former = end < of_it.len();
    of_it.truncate(end);
    (owners, of_it, is_former)
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
    fn a_life_ends_where_another_takes_the_archive() {
        let of = |term, instance, since| Owner { instance, since, ..owner(term, 0) };
        let owners = vec![of(1, 7, 10), of(2, 7, 20), of(3, 8, 30), of(4, 8, 40)];
        let terms = |life| {
            let (former, of_it, is_former) = split(owners.clone(), life);
            let terms = |owners: Vec<Owner>| owners.iter().map(|owner| owner.term).collect::<Vec<_>>();
            (terms(former), terms(of_it), is_former)
        };
        let (first, last) = ((vec![], vec![1, 2], true), (vec![1, 2], vec![3, 4], false));
        assert_eq!(terms(Life::Last), last);
        for (time, life) in [(5, &first), (10, &first), (29, &first), (30, &last), (45, &last)] {
            assert_eq!(terms(Life::At(time)), *life, "{time}");
        }
        assert_eq!(split(Vec::new(), Life::Last), (vec![], vec![], false));
    }

    #[test]
    fn of_what_an_earlier_owner_merged_only_its_own_counts() {
        let owners = vec![owner(1, 0), owner(2, 40_960)];
        let [merged, own] =
            [(0, 81_920, 1), (40_960, 49_152, 2)].map(|(first, end, term)| SegmentName { first, end, term });
        let catalogue = Catalogue { owners, segments: vec![merged, own], ..Catalogue::default() };
        assert_eq!((catalogue.counted_end(&merged), catalogue.counted_end(&own)), (40_960, 49_152));
        assert_eq!(catalogue.segment_at(36_864), Some(merged));
        assert_eq!(catalogue.segment_at(40_960), Some(own));
        assert_eq!(catalogue.end(), Some(49_152));
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
