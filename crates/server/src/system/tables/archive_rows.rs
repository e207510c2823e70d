//! `sys.dm_heddle_archive`: the archive of the instance, in one row where there is one.

use std::sync::atomic::{AtomicU64, Ordering};

use storage::ArchiveState;
use types::datetime::calendar::{TICKS_PER_MINUTE, TICKS_PER_SECOND};

use crate::session::host::SessionHost;
use crate::system::cell::{Cell, NamedRow, number, text};

/// None: not a table of this family.
pub fn rows(host: &SessionHost, name: &str) -> Option<Vec<NamedRow>> {
    (name == "dm_heddle_archive").then(|| archive(host).into_iter().collect())
}

/// Seconds since the archive had all that was committed; None: it has never had.
pub fn lag_seconds(archived: &storage::Archived) -> Option<u64> {
    let covered = archived.covered.load(Ordering::SeqCst);
    let ticks = os::clock::utc_ticks().saturating_sub(covered);
    (covered != 0).then_some(ticks / TICKS_PER_SECOND as u64)
}

fn archive(host: &SessionHost) -> Option<NamedRow> {
    let seat = host.server.archive.as_ref()?;
    let storage = &host.server.catalog.storage;
    let archived = storage.archived();
    let hardened = storage.hardened();
    let count = |counter: &AtomicU64| number(counter.load(Ordering::SeqCst));
    let lsn = archived.lsn.load(Ordering::SeqCst).min(hardened);
    let state = match archived.state() {
        ArchiveState::Off => "OFF",
        ArchiveState::Ships => "SHIPS",
        ArchiveState::Fails => "FAILS",
        ArchiveState::TakenOver => "TAKEN_OVER",
    };
    let mut row = vec![
        ("place", text(&seat.settings.place)),
        ("state_desc", text(state)),
        ("term", count(&archived.term)),
        ("hardened_lsn", number(hardened)),
        ("archived_lsn", number(lsn)),
        ("lag_bytes", number(hardened - lsn)),
        ("lag_max_bytes", count(&archived.lag_max)),
        ("segment_count", count(&archived.segments)),
        ("segment_bytes", count(&archived.bytes)),
        ("failure_count", count(&archived.failures)),
        ("gap_count", count(&archived.gaps)),
        ("snapshot_count", count(&archived.snapshots)),
    ];
    let why = archived.why();
    if !why.is_empty() {
        row.push(("last_error", text(&why)));
    }
    if let Some(seconds) = lag_seconds(archived) {
        row.push(("lag_seconds", number(seconds)));
    }
    let times = [
        ("archived_time", &archived.covered),
        ("failing_since", &archived.failing_since),
        ("last_snapshot_time", &archived.snapshot_at),
    ];
    for (name, time) in times {
        let ticks = time.load(Ordering::SeqCst) as i64;
        if ticks != 0 {
            row.push((name, Cell::Time(ticks + i64::from(os::clock::local_offset_minutes()) * TICKS_PER_MINUTE)));
        }
    }
    if archived.snapshot_at.load(Ordering::SeqCst) != 0 {
        row.push(("last_snapshot_lsn", count(&archived.snapshot_end)));
    }
    Some(row)
}
