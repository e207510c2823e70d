//! What a run says while it goes on, line by line as ostress says it: scripts wait for some of these lines.

use std::fmt;
use std::path::{Path, PathBuf};

use os::sync::Mutex;
use os::wait::WaitType;

const TICKS_A_MS: u64 = 10_000;

pub struct Console {
    to: Where,
    log: Option<PathBuf>,
    lines: Mutex<String>,
}

#[derive(Clone, Copy)]
enum Where {
    Stdout,
    /// Where stdout is for the summary alone.
    Stderr,
    Nowhere,
}

impl Console {
    /// Of a run that is part of something larger.
    pub fn silent() -> Console {
        Console { to: Where::Nowhere, log: None, lines: Mutex::new(WaitType::SOS_EVENT, String::new()) }
    }

    /// `directory`: of `ostress.log`.
    pub fn new(to_stderr: bool, directory: Option<&Path>) -> Console {
        let log = directory.map(|directory| directory.join("ostress.log"));
        let to = if to_stderr { Where::Stderr } else { Where::Stdout };
        Console { to, log, lines: Mutex::new(WaitType::SOS_EVENT, String::new()) }
    }

    pub fn say(&self, what: fmt::Arguments<'_>) {
        let line = format!("{} [0x{:08X}] {what}", time_of_day(), os::env::process_id());
        match self.to {
            Where::Stdout => println!("{line}"),
            Where::Stderr => eprintln!("{line}"),
            Where::Nowhere => {}
        }
        if self.log.is_some() {
            let mut lines = self.lines.lock();
            lines.push_str(&line);
            lines.push('\n');
        }
    }

    /// Writes the log, and `summary` behind it.
    pub fn save(&self, summary: &str) -> Result<(), String> {
        let Some(path) = &self.log else { return Ok(()) };
        let text = self.lines.lock().clone() + summary;
        os::fs::write(path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// Local time, `hh:mm:ss.mmm`.
fn time_of_day() -> String {
    let local_ms = os::clock::utc_ticks() / TICKS_A_MS;
    let local_ms = local_ms as i64 + i64::from(os::clock::local_offset_minutes()) * 60_000;
    clock(local_ms.rem_euclid(86_400_000) as u64)
}

/// Milliseconds as `hh:mm:ss.mmm`.
pub fn clock(ms: u64) -> String {
    format!("{:02}:{:02}:{:02}.{:03}", ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60, ms % 1_000)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_day_and_more() {
        assert_eq!(super::clock(0), "00:00:00.000");
        assert_eq!(super::clock(45_296_789), "12:34:56.789");
        assert_eq!(super::clock(360_000_001), "100:00:00.001");
    }
}
