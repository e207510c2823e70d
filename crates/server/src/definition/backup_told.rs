//! What the error log says of backups and restores, so that who watches it knows whether there were any. Trace flag 3226 leaves out
//! those that went well.
//! https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-traceon-trace-flags-transact-sql
//! https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-18000-to-18999

use storage::backup::{Set, SetKind};
use types::datetime::Civil;
use types::datetime::calendar::DAY_1900;
use types::{SqlError, sql_error};

use super::backup_about::About;
use super::backup_history::{Place, first_lsn, log_pages};
use super::site::Ddl;
use crate::catalog::row::Date;
use crate::instance::error_log::{self, Source};

const QUIET: i32 = 3226;

/// 18264, 18265, 18270
pub fn backed_up(ddl: &mut Ddl<'_>, set: &Set, about: &About, place: &Place) {
    let (database, [date, time]) = (&about.row.name, created(about.row.created));
    let pages = set.tail.pages + log_pages(set);
    let (first, last) = (lsn(first_lsn(set, about)), lsn(set.tail.end_lsn));
    let (count, devices) = (place.paths().len(), devices(about, place));
    tell(
        ddl,
        match set.head.kind {
            SetKind::Full => sql_error!(18264, database, date, time, pages, first, last, count, devices),
            SetKind::Log => sql_error!(18265, database, date, time, first, last, count, devices),
            SetKind::Differential => {
                let base = lsn(set.head.base_lsn);
                sql_error!(18270, database, date, time, pages, first, last, base, count, devices)
            }
        },
    );
}

/// 18267, 18268, 18271
pub fn restored(ddl: &mut Ddl<'_>, database: &str, set: &Set, about: &About, place: &Place) {
    let [date, time] = created(about.row.created);
    let (first, last) = (lsn(first_lsn(set, about)), lsn(set.tail.end_lsn));
    let (count, devices) = (place.paths().len(), devices(about, place));
    tell(
        ddl,
        match set.head.kind {
            SetKind::Full => sql_error!(18267, database, date, time, first, last, count, devices),
            SetKind::Log => sql_error!(18268, database, date, time, first, last, count, devices),
            SetKind::Differential => sql_error!(18271, database, date, time, first, last, count, devices),
        },
    );
}

/// 18269: pages of a file.
pub fn file_restored(ddl: &mut Ddl<'_>, database: &str, about: &About, place: &Place) {
    let [date, time] = created(about.row.created);
    let (count, devices) = (place.paths().len(), devices(about, place));
    let files = about.files.iter().find(|file| !file.is_log()).map_or("", |file| &*file.row.name);
    tell(ddl, sql_error!(18269, database, date, time, files, count, devices));
}

/// Also 3014: pages, and how long it took.
pub fn tell(ddl: &mut Ddl<'_>, message: SqlError) {
    let server = ddl.site.server();
    if !server.trace_flags.is_on(QUIET) && !ddl.site.trace_flags().contains(&QUIET) {
        error_log::tell(Source::Backup, &message.text);
    }
}

/// 3041. What it failed by, its client hears.
pub fn failed(verb: &str, database: &str) {
    error_log::raise(Source::Backup, &sql_error!(3041, format_args!("{verb} {database}")));
}

/// As a date and a time.
fn created(moment: Date) -> [String; 2] {
    const TICKS_A_DAY: i64 = 25_920_000;
    let date = Civil::from_days(moment.0.div_euclid(TICKS_A_DAY) + DAY_1900);
    let seconds = moment.0.rem_euclid(TICKS_A_DAY) / 300;
    let (year, month, day) = (date.year, date.month, date.day);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    [format!("{year:04}/{month:02}/{day:02}"), format!("{hour:02}:{minute:02}:{second:02}")]
}

/// In three parts, as SQL Server writes one.
fn lsn(lsn: u64) -> String {
    format!("{}:{}:1", lsn >> 32, lsn & u64::from(u32::MAX))
}

fn devices(about: &About, place: &Place) -> String {
    let paths: Vec<String> = place.paths().iter().map(|path| format!("'{path}'")).collect();
    let kind = if place.is_url() { "URL" } else { "DISK" };
    let media = about.media.name.as_ref().map_or_else(String::new, |name| format!(", MEDIANAME='{name}'"));
    format!("FILE={}, TYPE={kind}{media}: {{{}}}", place.position(), paths.join(", "))
}
