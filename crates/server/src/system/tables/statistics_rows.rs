//! Statistics that this engine keeps, for sys.stats and its kin.

use types::{Datum, variant};

use crate::catalog::Database;
use crate::catalog::statistics::{Kept, StatisticsId, automatic_name};
use crate::session::host::SessionHost;
use crate::system::answer::Arguments;
use crate::system::cell::{Cell, NamedRow, number, text};

/// What is kept of a database's tables.
pub fn kept(host: &SessionHost, db: &Database) -> Vec<NamedRow> {
    let storage = &host.server.catalog.storage;
    let mut found = Vec::new();
    for (object, all) in db.statistics.all() {
        os::wait::maybe_yield();
        // The table may have gone.
        let Ok(table) = storage.open_table(db.storage_id(), storage::TableId(object)) else { continue };
        let changes = table.changes().map_or(0, |count| count.get());
        found.extend(all.iter().map(|kept| row(object, kept, changes)));
    }
    found
}

fn row(object: i32, kept: &Kept, changes: i64) -> NamedRow {
    let own = &kept.statistics;
    let (column, name) = match kept.id {
        StatisticsId::Automatic(column) => (column, text(&automatic_name(column, object))),
        StatisticsId::Named(_) => (0, Cell::Datum(Datum::Null)),
    };
    vec![
        ("object_id", number(object)),
        ("stats_id", number(kept.id.number())),
        ("column_id", number(column)),
        ("name", name),
        ("no_recompute", kept.is_kept_as_made().into()),
        ("last_updated", Cell::Datum(Datum::I64(kept.made.0))),
        ("rows", number(own.rows.round() as i64)),
        ("rows_sampled", number(own.rows_sampled as i64)),
        ("steps", number(own.step_count() as i64)),
        ("unfiltered_rows", number(own.unfiltered_rows.round() as i64)),
        ("modification_counter", number((changes - kept.changes).max(0))),
    ]
}

/// Steps of the histogram of statistics of a table, both by number.
pub fn steps(db: &Database, arguments: &Arguments<'_>) -> Vec<NamedRow> {
    let (Some(object), Some(id)) = (arguments.id(0), arguments.number(1)) else { return Vec::new() };
    let all = db.statistics.of_table(object);
    let Some(kept) = all.iter().find(|kept| i64::from(kept.id.number()) == id) else { return Vec::new() };
    let real = |value: f64| Cell::Datum(Datum::F64(f64::from(value as f32)));
    let ty = kept.first_type();
    let step = |(at, step): (usize, sql::statistics::Step)| -> NamedRow {
        let value = if step.value.is_null() { Datum::Null } else { variant::encode(&ty, &step.value) };
        vec![
            ("object_id", number(object)),
            ("stats_id", number(id)),
            ("step_number", number(at + 1)),
            ("range_high_key", Cell::Datum(value)),
            ("range_rows", real(step.range_rows)),
            ("equal_rows", real(step.equal_rows)),
            ("distinct_range_rows", number(step.range_distinct.round() as i64)),
            ("average_range_rows", real(step.average_range_rows())),
        ]
    };
    kept.statistics.shown_steps().enumerate().map(step).collect()
}
