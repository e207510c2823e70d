//! Small segments become larger ones: a server that ships every second would otherwise leave half a million of objects a week.
//!
//! What must hold: the log is there at every moment. The merged segment is put first, then those that it is made of go; a kill between leaves
//! both, which the catalogue reads as one, and the next call removes what is left. Who restores meanwhile and misses one looks again.

use super::catalogue::{Catalogue, read_segment};
use super::owner::Owner;
use super::segment::{Segment, SegmentName};
use super::ship::is_last;
use super::snapshot::off_the_scheduler;
use super::store::{Store, StoreError};
use super::{ArchiveError, ArchiveResult};
use crate::error::StorageResult;

/// So many neighbours of a size become one.
pub const RUN: usize = 32;
/// Log that segments of each size span at most, in bytes; those that span more stay.
const SPANS: [u64; 2] = [256 << 10, 4 << 20];
/// Merged in one call: snapshots wait for its end.
const GROUPS_MAX: usize = 64;
/// Log that a merged segment spans at most.
const SPAN_MAX: u64 = 16 << 20;

/// Merges what can be, and removes what an earlier call left. `step` hears of each segment, and an error from it ends the work. How many segments
/// went.
pub fn merge(store: &dyn Store, owner: &Owner, step: &mut dyn FnMut() -> StorageResult<()>) -> ArchiveResult<usize> {
    if !is_last(store, owner)? {
        return Err(ArchiveError::Refused("another server has taken the archive".into()));
    }
    let catalogue = Catalogue::of_log(store)?;
    let mut gone = 0;
    for name in within_another(&catalogue.segments) {
        store.delete(&name.path())?;
        gone += 1;
    }
    let mut chain = chain(&catalogue);
    // The newest says what the next start goes on from.
    chain.pop();
    for group in SPANS.iter().find_map(|span| groups(&chain, *span)).unwrap_or_default().into_iter().take(GROUPS_MAX) {
        gone += merge_group(store, owner, &catalogue, &group, step)?;
    }
    Ok(gone)
}

/// Segments whose log another one has, too. `segments` in their order.
fn within_another(segments: &[SegmentName]) -> Vec<SegmentName> {
    let mut within = Vec::new();
    let mut widest: Option<SegmentName> = None;
    // Of those that begin together the longest first.
    for together in segments.chunk_by(|one, next| one.first == next.first) {
        for name in together.iter().rev() {
            match widest {
                Some(widest) if name.end <= widest.end && name.term <= widest.term => within.push(*name),
                Some(widest) if name.end <= widest.end => {}
                _ => widest = Some(*name),
            }
        }
    }
    within
}

/// Those that a restore reads, in their order.
fn chain(catalogue: &Catalogue) -> Vec<SegmentName> {
    let mut chain = Vec::new();
    let mut rest = catalogue.segments.iter().copied().peekable();
    let (mut at, mut farthest) = (0, None);
    loop {
        while let Some(name) = rest.next_if(|name| name.first <= at) {
            farthest = farthest.max(Some((catalogue.counted_end(&name), name.term, name)));
        }
        match (farthest, rest.peek()) {
            (Some((end, _, name)), _) if end > at => {
                chain.push(name);
                at = end;
            }
            // Behind a gap.
            (_, Some(next)) => at = next.first,
            (_, None) => return chain,
        }
    }
}

/// Runs of neighbours that span at most `span` each, as many as are merged. None: there are none.
fn groups(chain: &[SegmentName], span: u64) -> Option<Vec<Vec<SegmentName>>> {
    let is_small = |name: &SegmentName| name.end - name.first <= span;
    let together = |one: &SegmentName, next: &SegmentName| is_small(one) && is_small(next) && one.end == next.first;
    let mut found = Vec::new();
    for run in chain.chunk_by(together).filter(|run| run.len() >= RUN) {
        let mut group: Vec<SegmentName> = Vec::new();
        for name in run {
            if group.first().is_some_and(|first| name.end - first.first > SPAN_MAX) {
                found.push(std::mem::take(&mut group));
            }
            group.push(*name);
        }
        found.push(group);
    }
    found.retain(|group| group.len() > 1);
    (!found.is_empty()).then_some(found)
}

fn merge_group(
    store: &dyn Store,
    owner: &Owner,
    catalogue: &Catalogue,
    group: &[SegmentName],
    step: &mut dyn FnMut() -> StorageResult<()>,
) -> ArchiveResult<usize> {
    let (mut body, mut covered) = (Vec::new(), 0);
    for name in group {
        step()?;
        let mut segment: Segment = read_segment(store, *name, owner.instance)?;
        segment.cut(catalogue.counted_end(name));
        body.append(&mut segment.body);
        covered = covered.max(segment.covered);
    }
    let (first, last) = (group[0], group[group.len() - 1]);
    let merged = SegmentName { first: first.first, end: catalogue.counted_end(&last), term: owner.term };
    let bytes = off_the_scheduler(|| Segment::encode(&merged, owner.instance, covered, &body))?;
    drop(body);
    match store.put_new(&merged.path(), &bytes) {
        Ok(()) | Err(StoreError::Exists) => {}
        Err(error) => return Err(error.into()),
    }
    os::sim_point!("archive.merged");
    for name in group {
        step()?;
        store.delete(&name.path())?;
    }
    Ok(group.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn neighbours(spans: &[u64]) -> Vec<SegmentName> {
        let mut first = 0;
        let segment = |span: &u64| {
            let name = SegmentName { first, end: first + span, term: 1 };
            first = name.end;
            name
        };
        spans.iter().map(segment).collect()
    }

    #[test]
    fn runs_of_small_neighbours_are_merged() {
        assert_eq!(groups(&neighbours(&[4_096; RUN - 1]), SPANS[0]), None);
        let run = neighbours(&[4_096; RUN + 3]);
        assert_eq!(groups(&run, SPANS[0]), Some(vec![run.clone()]));
        // A gap, or a large one, ends a run.
        let mut gap = run.clone();
        gap[RUN - 1].first += 4_096;
        assert_eq!(groups(&gap, SPANS[0]), None);
        let large = neighbours(&[[4_096; 20].as_slice(), &[1 << 20], &[4_096; 20]].concat());
        assert_eq!(groups(&large, SPANS[0]), None);
        assert_eq!(groups(&large, SPANS[1]), Some(vec![large.clone()]));
        // No more than a restore wants to hold.
        let long = groups(&neighbours(&[4 << 20; 64]), SPANS[1]).expect("groups");
        assert!(long.iter().all(|group| group.len() == 4), "{long:?}");
    }

    #[test]
    fn what_a_larger_one_has_is_left_over() {
        let all = neighbours(&[4_096; 4]);
        let merged = SegmentName { first: 0, end: all[2].end, term: 1 };
        let mut names = [&all[..], &[merged]].concat();
        names.sort();
        assert_eq!(within_another(&names), all[..3]);
        let catalogue = Catalogue { segments: names, ..Catalogue::default() };
        assert_eq!(chain(&catalogue), [merged, all[3]]);
        // An earlier term's may have less that counts.
        let earlier = SegmentName { term: 0, ..merged };
        let mut names = [&all[..], &[earlier]].concat();
        names.sort();
        assert!(within_another(&names).is_empty());
        // Behind a gap the chain goes on.
        let catalogue = Catalogue { segments: vec![all[0], all[2]], ..Catalogue::default() };
        assert_eq!(chain(&catalogue), [all[0], all[2]]);
    }
}
