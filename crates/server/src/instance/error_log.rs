//! The error log: what the server has to tell its administrator, as SQL Server writes it, in `log/errorlog` of the data directory.
//!
//! ```text
//! 2026-11-25 22:41:39.12 spid51      Error: 50000, Severity: 16, State: 1.
//! 2026-11-25 22:41:39.12 spid51      what a RAISERROR ... WITH LOG said
//! ```
//! Everything that goes to the console from the level of information on goes here, too, besides what has a form of its own here
//! (target `CONSOLE`). A line that begins with a blank or a tab belongs to the entry above it, so no text can pass for another entry.

use std::fmt::Write as _;
use std::path::Path;

use os::journal::{Archive, Journal};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use types::SqlError;
use types::datetime::Civil;

use crate::settings::options::Settings;

/// Of events for the console only: the log has them in its own form.
pub const CONSOLE: &str = "server::told";

/// From this severity on an entry is on disk as soon as may be.
const SYNC_SEVERITY: u8 = 17;
/// Width of the column that says who speaks.
const SOURCE_CHARS: usize = 12;
/// `2026-11-25 22:41:39.12`.
const TIME_CHARS: usize = 22;
/// An entry's text is not longer.
const TEXT_BYTES_MAX: usize = 64 << 10;

static JOURNAL: Journal = Journal::new("errorlog");

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Server,
    Logon,
    Backup,
    Session(u32),
}

/// An entry as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Local time, in ticks since 0001-01-01.
    pub ticks: i64,
    pub source: String,
    pub text: String,
}

/// Moves the log of the last start aside and begins a new one in the data directory; what was said so far is its beginning.
pub fn open(directory: &Path, settings: &Settings) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("the error log in {}: {error}", directory.display());
    JOURNAL.open(directory, settings.errorlog_bytes).map_err(failed)?;
    begin("Logging SQL Server messages");
    Ok(())
}

/// Entries are written by a thread from now on.
pub fn start_writer() {
    if let Err(error) = JOURNAL.start() {
        tracing::warn!("the error log has no thread of its own, and holds up those who write to it: {error}");
    }
}

/// The first entries of each file.
fn begin(why: &str) {
    let version = format!("Microsoft SQL Server 2022 (Heddle {})", env!("CARGO_PKG_VERSION"));
    tell(Source::Server, &version);
    tell(Source::Server, &format!("Server process ID is {}.", os::env::process_id()));
    if let Some(path) = JOURNAL.path() {
        tell(Source::Server, &format!("{why} in file '{}'.", path.display()));
    }
}

/// The server takes connections there.
pub fn ready(address: &str) {
    tell(Source::Server, &format!("Server is listening on [ {address} ]."));
    tell(
        Source::Server,
        "SQL Server is now ready for client connections. This is an informational message; no user action is required.",
    );
}

/// Begins a new file: sp_cycle_errorlog.
pub fn cycle() -> std::io::Result<()> {
    JOURNAL.cycle()?;
    begin("The error log has been reinitialized. See the previous log for older entries. Logging SQL Server messages");
    Ok(())
}

/// What was said is written, as far as that is possible.
pub fn settle() {
    JOURNAL.settle();
}

pub fn tell(source: Source, text: &str) {
    write(source, &[text], false);
}

/// An error in SQL Server's form: number, severity and state, then what it says.
pub fn raise(source: Source, error: &SqlError) {
    raise_as(source, error.number, error.severity, error.state, &error.text);
}

/// The same with a text that says more than a client hears.
pub fn raise_as(source: Source, number: i32, severity: u8, state: u8, text: &str) {
    let head = format!("Error: {number}, Severity: {severity}, State: {state}.");
    write(source, &[&head, text], severity >= SYNC_SEVERITY);
}

fn write(source: Source, texts: &[&str], sync: bool) {
    // A simulated machine has no files; its trace tells what happened.
    if os::sim::active() {
        return;
    }
    let ticks = os::clock::utc_ticks() as i64 + i64::from(os::clock::local_offset_minutes()) * 600_000_000;
    let mut bytes = String::new();
    texts.iter().for_each(|text| push_entry(&mut bytes, ticks, source, text));
    JOURNAL.write(bytes.as_bytes(), sync);
}

fn push_entry(to: &mut String, ticks: i64, source: Source, text: &str) {
    const DAY: i64 = 864_000_000_000;
    let date = Civil::from_days(ticks.div_euclid(DAY));
    let hundredths = ticks.rem_euclid(DAY) / 100_000;
    let (second, minute, hour) = (hundredths / 100 % 60, hundredths / 6_000 % 60, hundredths / 360_000);
    let source = match source {
        Source::Server => "Server".to_owned(),
        Source::Logon => "Logon".to_owned(),
        Source::Backup => "Backup".to_owned(),
        Source::Session(number) => format!("spid{number}"),
    };
    let mut end = text.len().min(TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let (year, month, day, parts) = (date.year, date.month, date.day, hundredths % 100);
    let _ = write!(to, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{parts:02} ");
    let _ = write!(to, "{source:<SOURCE_CHARS$}");
    // Other ends of lines than these would begin a line for some readers.
    for c in text[..end].trim_end().chars() {
        match c {
            '\n' => to.push_str("\n\t"),
            '\r' => {}
            c if c.is_control() && c != '\t' => to.push(' '),
            c => to.push(c),
        }
    }
    to.push('\n');
}

/// The files, the current one first.
pub fn archives() -> Vec<Archive> {
    JOURNAL.archives()
}

/// The entries of a file. Err(NotFound): there is none of this number.
pub fn read(number: u32) -> std::io::Result<Vec<Entry>> {
    Ok(parse(&String::from_utf8_lossy(&JOURNAL.read(number)?)))
}

fn parse(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.lines() {
        match entry(line) {
            Some(entry) => entries.push(entry),
            None => {
                if let Some(last) = entries.last_mut() {
                    last.text.push('\n');
                    last.text.push_str(line.strip_prefix('\t').unwrap_or(line));
                }
            }
        }
    }
    entries
}

/// An entry from its first line. None: it is none.
fn entry(line: &str) -> Option<Entry> {
    let time = line.get(..TIME_CHARS)?;
    let rest = line[TIME_CHARS..].strip_prefix(' ')?;
    let number = |from: usize, to: usize| time.get(from..to)?.parse::<i64>().ok();
    let separators = [(4, '-'), (7, '-'), (10, ' '), (13, ':'), (16, ':'), (19, '.')];
    if !separators.iter().all(|(at, c)| time[*at..].starts_with(*c)) {
        return None;
    }
    let days = Civil::new(number(0, 4)?, number(5, 7)?, number(8, 10)?)?.days();
    let seconds = days * 86_400 + number(11, 13)? * 3_600 + number(14, 16)? * 60 + number(17, 19)?;
    let ticks = seconds * 10_000_000 + number(20, 22)? * 100_000;
    let split = rest.char_indices().nth(SOURCE_CHARS).map_or(rest.len(), |(at, _)| at);
    let (source, text) = rest.split_at(split);
    // A long source is followed by what it says after a blank of its own.
    Some(Entry { ticks, source: source.trim_end().to_owned(), text: text.to_owned() })
}

/// Whether the log takes an event of the console.
pub fn takes(metadata: &Metadata<'_>) -> bool {
    *metadata.level() <= Level::INFO && metadata.target() != CONSOLE
}

/// Takes events of the console into the log.
pub struct ToErrorLog;

#[derive(Default)]
struct Fields {
    message: String,
    others: String,
    session: Option<u32>,
}

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "spid" => self.session = u32::try_from(value).ok(),
            _ => self.record_debug(field, &value),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.message = value.to_owned();
        } else {
            let _ = write!(self.others, " {}={value}", field.name());
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        } else {
            let _ = write!(self.others, " {}={value:?}", field.name());
        }
    }
}

impl<S: Subscriber> Layer<S> for ToErrorLog {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let source = fields.session.filter(|number| *number != 0).map_or(Source::Server, Source::Session);
        let text = format!("{}{}", fields.message, fields.others);
        write(source, &[text.trim_start()], *event.metadata().level() == Level::ERROR);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_as_they_were_written() {
        let ticks = 639_000_000_000_000_000 + 12_300_000;
        let forged = "one\r\n2026-11-25 22:41:39.12 Server      forged\n\nend\u{7}";
        let mut text = String::new();
        push_entry(&mut text, ticks, Source::Session(51), "Error: 50000, Severity: 16, State: 1.");
        push_entry(&mut text, ticks, Source::Logon, forged);
        push_entry(&mut text, ticks, Source::Session(1_000_000), "");
        let entries = parse(&text);
        let told: Vec<(&str, &str)> = entries.iter().map(|entry| (&*entry.source, &*entry.text)).collect();
        let expected = [
            ("spid51", "Error: 50000, Severity: 16, State: 1."),
            ("Logon", "one\n2026-11-25 22:41:39.12 Server      forged\n\nend "),
            ("spid1000000", ""),
        ];
        assert_eq!(told, expected);
        assert!(entries.iter().all(|entry| entry.ticks == ticks / 100_000 * 100_000), "{entries:?}");
        assert!(
            parse("no entry\n\t\u{E4}\u{E4}\u{E4}\u{E4}\u{E4}\u{E4}\u{E4}\u{E4}\u{E4}\u{E4}\u{E4}\u{E4}\u{E4}")
                .is_empty()
        );
    }
}
