//! `heddle restore` and `heddle archive list`.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use os::disk::{Disk, DiskError};
use storage::CONTROL_FILE;
use storage::archive::catalogue::Range;
use storage::archive::restore::Brought;
use storage::archive::{self, ArchiveError, Catalogue, Until};
use storage::backup::Progress;

use super::seat::who;
use super::{moment, place};

/// Bring all databases back from an archive, up to a moment
///
/// Into an empty directory: `heddle serve --data` recovers it at its first start, as after a crash. A restored server needs an archive
/// of its own.
///
///   heddle restore --archive /backup/shop --to restored
///   heddle restore --archive /backup/shop --to restored --at '2026-11-27 14:03:00'
#[derive(Debug, Clone, Args)]
#[command(verbatim_doc_comment)]
pub struct RestoreArgs {
    /// What `heddle serve --archive` was given
    #[arg(long, value_name = "DIR")]
    pub archive: String,
    /// Directory of the data, made if it is missing; it must be empty
    #[arg(long, value_name = "DATADIR")]
    pub to: PathBuf,
    /// What was committed by then, local time unless it says otherwise: '2026-11-27 14:03:00', '2026-11-27T14:03:00.250Z'
    #[arg(long, value_name = "TIME", conflicts_with = "lsn")]
    pub at: Option<String>,
    /// What the log has before this LSN
    #[arg(long, value_name = "N")]
    pub lsn: Option<u64>,
}

/// Look into an archive, or take one that another server has written.
#[derive(Debug, Clone, Subcommand)]
pub enum ArchiveCommand {
    List(ListArgs),
    Take(TakeArgs),
}

/// Give an archive to another data directory
///
/// The next `heddle serve --data DATADIR --archive DIR` begins it anew, with a snapshot. Whoever wrote it before ships nothing more, and hears so
/// within seconds. What it has by now can be restored as before, with --at, until it is older than --archive-retention says.
///
///   heddle archive take --archive /backup/shop --data shop-restored --force
#[derive(Debug, Clone, Args)]
#[command(verbatim_doc_comment)]
pub struct TakeArgs {
    /// What `heddle serve --archive` will be given
    #[arg(long, value_name = "DIR")]
    pub archive: String,
    /// Directory of the data; no server may run there
    #[arg(long, value_name = "DATADIR")]
    pub data: PathBuf,
    /// Also if another server has written it
    #[arg(long)]
    pub force: bool,
}

/// Show snapshots, the times that can be restored, and gaps
#[derive(Debug, Clone, Args)]
pub struct ListArgs {
    /// What `heddle serve --archive` was given
    #[arg(long, value_name = "DIR")]
    pub archive: String,
}

/// Held while a directory of data is written.
const LOCK: &str = "lock";
/// Snapshots that may go, one after the other, while they are read.
const DROPPED_MAX: u32 = 10;
/// Columns of the bar.
const BAR: u64 = 40;
/// Between two pictures of the bar.
const SHOW_EVERY_MS: u64 = 100;

/// The process's exit code.
pub fn restore(args: &RestoreArgs) -> i32 {
    match try_restore(args) {
        Ok(brought) => {
            println!(
                "{} has all that was committed by {}, up to LSN {}: start it with heddle serve --data {}",
                args.to.display(),
                moment::text(brought.covered),
                brought.end_lsn,
                args.to.display()
            );
            0
        }
        Err(why) => {
            eprintln!("heddle restore: {why}");
            1
        }
    }
}

fn try_restore(args: &RestoreArgs) -> Result<Brought, String> {
    let until = match (&args.at, args.lsn) {
        (Some(text), _) => Until::Time(moment::parse(text).map_err(|why| format!("--at: {why}"))?),
        (None, Some(lsn)) => Until::Lsn(lsn),
        (None, None) => Until::End,
    };
    let store = place::to_read(&args.archive)?;
    let to = empty_directory(&args.to)?;
    let _lock = to.lock(LOCK).map_err(|error| format!("--to {}: {error}", args.to.display()))?;
    let mut bar = Bar { shown_ms: 0, is_shown: std::io::stderr().is_terminal() };
    let mut dropped = 0;
    let brought = loop {
        let brought = archive::restore(&*store, &to, until, &moment::text, &mut |progress| {
            bar.show(progress);
            Ok(())
        });
        if brought.is_err() {
            // It was empty, and what is there now is of no use.
            for name in to.list().unwrap_or_default().into_iter().filter(|name| name != LOCK) {
                to.remove(&name).ok();
            }
        }
        match brought {
            // The server has just put the snapshot away, for a newer one.
            Err(ArchiveError::Dropped(_)) if dropped < DROPPED_MAX => dropped += 1,
            brought => break brought,
        }
    };
    bar.end();
    if brought.is_err() {
        to.remove(LOCK).ok();
    }
    brought.map_err(|error| error.to_string())
}

fn empty_directory(path: &Path) -> Result<Disk, String> {
    let failed = |error: DiskError| format!("--to {}: {error}", path.display());
    if os::fs::exists(path) {
        let there = os::fs::list(path).map_err(|error| format!("--to {}: {error}", path.display()))?;
        if !there.is_empty() {
            return Err(format!("--to {}: the directory is not empty; what is in it stays as it is", path.display()));
        }
    }
    Disk::directory(path).map_err(failed)
}

/// On a terminal a line that grows.
struct Bar {
    shown_ms: u64,
    is_shown: bool,
}

impl Bar {
    fn show(&mut self, progress: Progress) {
        let now = os::clock::now_ms();
        if !self.is_shown || now < self.shown_ms + SHOW_EVERY_MS && progress.done < progress.total {
            return;
        }
        self.shown_ms = now;
        let total = progress.total.max(1);
        let filled = (u128::from(progress.done) * u128::from(BAR) / u128::from(total)) as usize;
        let percent = u128::from(progress.done) * 100 / u128::from(total);
        let (bar, rest) = ("#".repeat(filled), ".".repeat(BAR as usize - filled));
        eprint!("\r[{bar}{rest}] {percent:3} %, {} of {} MB", progress.done >> 20, progress.total >> 20);
        // Nobody reads it: no harm.
        std::io::stderr().flush().ok();
    }

    fn end(&self) {
        if self.is_shown {
            eprintln!();
        }
    }
}

/// The process's exit code: 1 if the archive has a gap that matters, or something in it is damaged.
pub fn archive(command: &ArchiveCommand) -> i32 {
    match command {
        ArchiveCommand::List(args) => list(args),
        ArchiveCommand::Take(args) => match take(args) {
            Ok(said) => {
                println!("{said}");
                0
            }
            Err(why) => {
                eprintln!("heddle archive take: {why}");
                1
            }
        },
    }
}

fn take(args: &TakeArgs) -> Result<String, String> {
    let failed = |error: DiskError| format!("--data {}: {error}", args.data.display());
    if !os::fs::exists(&args.data) {
        return Err(format!("--data {}: there is no such directory", args.data.display()));
    }
    let store = place::to_write(&args.archive).map_err(|error| format!("--archive: {error}"))?;
    let disk = Disk::directory(&args.data).map_err(failed)?;
    if !disk.exists(CONTROL_FILE) {
        return Err(format!("--data {}: there are no databases in it", args.data.display()));
    }
    let _lock = disk.lock(LOCK).map_err(|error| format!("--data {}: {error}", args.data.display()))?;
    let told = |error: ArchiveError| format!("--archive {}: {error}", args.archive);
    let other = archive::owned_by_another(&disk, &*store).map_err(told)?;
    if let Some(other) = &other
        && !args.force
    {
        return Err(format!(
            "--archive {}: it is written by another server: {}, since {}. --force takes it all the same",
            args.archive,
            other.who,
            moment::text(other.since)
        ));
    }
    let data = args.data.display();
    if other.is_none() && !args.force {
        return Ok(format!("{} is nobody's but that of {data}: nothing has changed", args.archive));
    }
    let owner = archive::take_over(&disk, &*store, &who(&data.to_string())).map_err(told)?;
    Ok(match other {
        Some(other) => {
            format!("{} is that of {data} now, term {}; it was written by {}", args.archive, owner.term, other.who)
        }
        None => format!("{} is that of {data} now, term {}", args.archive, owner.term),
    })
}

fn list(args: &ListArgs) -> i32 {
    let listed = place::to_read(&args.archive).and_then(|store| {
        let catalogue = Catalogue::read(&*store).map_err(|error| error.to_string())?;
        let covered = catalogue.covered(&*store).map_err(|error| error.to_string())?;
        Ok((catalogue, covered))
    });
    match listed {
        Ok((catalogue, covered)) => {
            let (text, is_whole) = describe(&catalogue, covered);
            print!("{text}");
            i32::from(!is_whole)
        }
        Err(why) => {
            eprintln!("heddle archive list: {why}");
            1
        }
    }
}

/// And whether it has neither gaps nor damage.
fn describe(catalogue: &Catalogue, covered: Option<u64>) -> (String, bool) {
    let mut text = String::new();
    let mut line = |words: String| {
        text.push_str(&words);
        text.push('\n');
    };
    match catalogue.owners.last() {
        Some(owner) => {
            line(format!("owner      {}, since {}, term {}", owner.who, moment::text(owner.since), owner.term))
        }
        None => line("owner      nobody".into()),
    }
    if let Some(former) = catalogue.former.last() {
        let since = moment::text(catalogue.since());
        line(format!("before     {}, until {since}: restore --at brings back what was committed before", former.who));
    }
    let ranges = catalogue.ranges();
    for snapshot in &catalogue.snapshots {
        let megabytes = snapshot.files.iter().map(|(_, bytes)| bytes).sum::<u64>().div_ceil(1 << 20);
        let usable = catalogue.usable().any(|one| one.began == snapshot.began);
        line(format!(
            "snapshot   {}, LSN {}, {megabytes} MB{}",
            moment::text(snapshot.ended),
            snapshot.end_lsn,
            if usable { "" } else { ", NOT USABLE: the log that it needs is not there" }
        ));
    }
    for (at, range) in ranges.iter().enumerate() {
        let segments = catalogue.segments.iter().filter(|one| range.from <= one.first && one.first < range.to).count();
        line(format!("log        LSN {} to {}, {segments} segments", range.from, range.to));
        if let Some(Range { from, .. }) = ranges.get(at + 1) {
            line(format!(
                "GAP        LSN {} to {from}: nothing in it can be restored, nor what lies behind without a later snapshot",
                range.to
            ));
        }
    }
    for why in &catalogue.damaged {
        line(format!("DAMAGED    {why}"));
    }
    match (catalogue.usable().next(), covered) {
        (Some(first), Some(covered)) => {
            line(format!("restorable {} to {}", moment::text(first.ended), moment::text(covered.max(first.ended))));
        }
        _ => line("restorable nothing".into()),
    }
    (text, ranges.len() <= 1 && catalogue.damaged.is_empty() && catalogue.usable().count() == catalogue.snapshots.len())
}
