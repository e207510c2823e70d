//! The files of one audit, as one engine writes them.
//!
//! A file is begun when the audit starts and when one is full. Each engine has files of its own: the name says which.
//!
//! ```text
//! NAME_GUID_ENGINE_TICKS.sqlaudit
//! ```

use std::sync::Arc;

use os::disk::{Disk, DiskError, DiskResult, File, Open};
use os::sync::Mutex;
use os::wait::WaitType;

use super::record::{self, Chain};
use super::setup::Audit;

/// The smallest file that MAXSIZE allows.
pub const FILE_BYTES_MIN: u64 = 2 << 20;
pub const SUFFIX: &str = ".sqlaudit";

/// Where the next record goes.
struct Current {
    file: Arc<File>,
    name: String,
    length: u64,
    number: u64,
    chain: Chain,
}

struct Writing {
    current: Option<Current>,
    /// Bytes of all files, to know what is on disk.
    appended: u64,
}

pub struct Trail {
    pub audit: Audit,
    disk: Disk,
    writing: Mutex<Writing>,
    /// Of `appended` what is on disk. Who holds it flushes for all that wait.
    synced: Mutex<u64>,
}

/// Of a name what no file's may have.
fn file_part(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | ' ' | '.') { c } else { '_' }).collect()
}

/// How all files begin that this engine writes for an audit: it counts those.
fn prefix(audit: &Audit) -> String {
    format!("{}_{}_{}_", file_part(&audit.name), audit.guid, os::engines::number())
}

impl Trail {
    /// With a new file, which shows at once whether there can be one.
    pub fn start(audit: &Audit) -> DiskResult<Trail> {
        let disk = Disk::directory(audit.directory.as_ref())?;
        let writing = Writing { current: None, appended: 0 };
        let trail = Trail {
            audit: audit.clone(),
            disk,
            writing: Mutex::new(WaitType::SOS_MUTEX, writing),
            synced: Mutex::new(WaitType::SOS_MUTEX, 0),
        };
        trail.writing.lock().current = Some(trail.begin([0; 16])?);
        Ok(trail)
    }

    /// Name and length of the current file.
    pub fn current(&self) -> Option<(String, u64)> {
        self.writing.lock().current.as_ref().map(|current| (current.name.clone(), current.length))
    }

    fn begin(&self, before: Chain) -> DiskResult<Current> {
        let mut own: Vec<String> = self.disk.list()?;
        own.retain(|name| name.starts_with(&prefix(&self.audit)) && name.ends_with(SUFFIX));
        if self.audit.files_max.is_some_and(|most| own.len() >= most as usize) {
            return Err(DiskError::Full);
        }
        let mut ticks = os::clock::utc_ticks();
        let name_at = |ticks: u64| format!("{}{ticks}{SUFFIX}", prefix(&self.audit));
        while own.contains(&name_at(ticks)) {
            ticks += 1;
        }
        let name = name_at(ticks);
        let file = self.disk.open(&name, Open::New)?;
        if self.audit.reserve && self.audit.bytes_max > 0 {
            file.allocate(self.audit.bytes_max)?;
        }
        let (header, chain) = record::header(guid_bytes(&self.audit.guid), before);
        file.write_at(&header, 0)?;
        file.sync_data()?;
        self.disk.sync_names()?;
        if let Some(most) = self.audit.rollover_files_max {
            // Ticks at the end of the names put them in the order in which they were begun.
            own.sort_by_key(|name| name.rsplit('_').next().map(str::to_owned));
            let excess = (own.len() + 1).saturating_sub(most as usize + 1);
            for old in &own[..excess] {
                match self.disk.remove(old) {
                    Ok(()) | Err(DiskError::NotFound) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(Current { file: Arc::new(file), name, length: header.len() as u64, number: 0, chain })
    }

    /// Writes a record; `durably`: it is on disk when this returns.
    pub fn write(&self, contents: &[u8], durably: bool) -> DiskResult<()> {
        let up_to = {
            let mut writing = self.writing.lock();
            let written = self.append(&mut writing, contents);
            if written.is_err() {
                // What is in the file now nobody knows: the next record begins another.
                writing.current = None;
            }
            written?
        };
        if durably { self.flush(up_to) } else { Ok(()) }
    }

    fn append(&self, writing: &mut Writing, contents: &[u8]) -> DiskResult<u64> {
        let most = self.audit.bytes_max;
        let is_full = |current: &Current| most > 0 && current.length + contents.len() as u64 + 64 > most;
        let before = match writing.current.take() {
            Some(current) if is_full(&current) => {
                current.file.sync_data()?;
                current.chain
            }
            Some(current) => {
                writing.current = Some(current);
                Chain::default()
            }
            None => Chain::default(),
        };
        if writing.current.is_none() {
            writing.current = Some(self.begin(before)?);
        }
        let current = writing.current.as_mut().expect("just begun");
        let mut chain = current.chain;
        let framed = record::frame(contents, current.number + 1, &mut chain);
        current.file.write_at(&framed, current.length)?;
        current.number += 1;
        current.chain = chain;
        current.length += framed.len() as u64;
        writing.appended += framed.len() as u64;
        Ok(writing.appended)
    }

    /// What was written before is on disk when this returns.
    pub fn flush_all(&self) -> DiskResult<()> {
        let appended = self.writing.lock().appended;
        self.flush(appended)
    }

    fn flush(&self, up_to: u64) -> DiskResult<()> {
        let mut synced = self.synced.lock();
        if *synced >= up_to {
            return Ok(());
        }
        // Of files before the current one all was flushed when they were full. Others go on writing meanwhile.
        let (appended, file) = {
            let writing = self.writing.lock();
            (writing.appended, writing.current.as_ref().map(|current| current.file.clone()))
        };
        let flushed = file.as_ref().map_or(Err(DiskError::Io(0)), |file| file.sync_data());
        match flushed {
            Ok(()) => *synced = appended,
            // What it should have flushed may be lost: nothing more goes into that file.
            Err(_) => {
                let mut writing = self.writing.lock();
                let is_same = |current: &Current| file.as_ref().is_some_and(|file| Arc::ptr_eq(file, &current.file));
                if writing.current.as_ref().is_some_and(is_same) {
                    writing.current = None;
                }
            }
        }
        flushed
    }
}

/// The sixteen bytes of a GUID's digits, in the order in which they are written.
fn guid_bytes(guid: &str) -> [u8; 16] {
    let digits: Vec<u8> = guid.chars().filter_map(|c| Some(c.to_digit(16)? as u8)).collect();
    let mut bytes = [0; 16];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = pair[0] << 4 | pair[1];
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::record::{Record, Records};
    use super::super::setup::OnFailure;
    use super::*;

    fn audit(directory: &std::path::Path) -> Audit {
        Audit {
            id: 1,
            name: "an/audit".into(),
            guid: "01020304-0506-0708-090A-0B0C0D0E0F10".into(),
            directory: directory.to_str().expect("UTF-8").into(),
            bytes_max: FILE_BYTES_MIN,
            rollover_files_max: None,
            files_max: None,
            reserve: false,
            queue_delay: 0,
            on_failure: OnFailure::FailOperation,
            enabled: true,
            created: 0,
            modified: 0,
            principal: 1,
        }
    }

    /// Records in each of the files, in order, all whole.
    fn counts(directory: &std::path::Path) -> Vec<usize> {
        let names = os::fs::list(directory).expect("listed");
        let count = |(name, _): &(String, bool)| {
            let bytes = os::fs::read(&directory.join(name)).expect("read");
            let mut records = Records::of(&bytes).expect("a file of an audit");
            let count = records.by_ref().count();
            assert_eq!(records.broken, None);
            count
        };
        names.iter().map(count).collect()
    }

    #[test]
    fn files_follow_each_other_up_to_a_number() {
        let directory = os::fs::temporary("trail");
        os::fs::create_dir_all(&directory).expect("made");
        let record = Record { statement: "x".repeat(500 << 10), ..Record::default() }.to_bytes();
        let kept = Audit { rollover_files_max: Some(1), reserve: true, ..audit(&directory) };
        let trail = Trail::start(&kept).expect("started");
        (0..10).for_each(|_| trail.write(&record, true).expect("written"));
        assert_eq!(counts(&directory), [4, 2]);
        drop(trail);
        os::fs::remove_dir_all(&directory).expect("removed");
        os::fs::create_dir_all(&directory).expect("made");
        let limited = Trail::start(&Audit { files_max: Some(2), ..audit(&directory) }).expect("started");
        (0..8).for_each(|_| limited.write(&record, true).expect("written"));
        assert_eq!(limited.write(&record, true), Err(DiskError::Full));
        assert_eq!(counts(&directory), [4, 4]);
        os::fs::remove_dir_all(&directory).expect("removed");
    }
}
