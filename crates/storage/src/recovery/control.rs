//! The control file `heddle.hct`: where recovery begins, and which data files there are.
//!
//! ```text
//! two copies, at 0 and at 64 KB, written in turn; the good one with the higher sequence counts
//!  0 magic "HDLCTL01"   8 format u32   12 crc32 u32 of the rest from 16   16 length u32 (from 16)   20 epoch u32
//! 24 sequence u64   32 scan LSN u64   40 redo LSN u64   48 next transaction u64   56 next file u32
//! 60 file count u16   62 pending count u16
//! 64 files: number u32, database u16, flags u8 (1 temporary), name length u8, name
//! .. pending frees: file u32, page u32 each
//! .. manifest of the checkpoint files of memory-optimized tables u64, 0: there is none (format 1 ends before it)
//! .. next row number u64, as of the redo LSN or later (format 4 ends before it: row numbers begin at the log's end)
//! .. chain count u16, then what backups have of a file (format 5 ends before it: the log is kept for none):
//!    file u32, log kept from u64, LSN of the last full backup u64, its number u128
//! .. held files u16 (format 5 ends before them), then each: file u32, hold u8 (1 offline, 2 recovery pending, 3 suspect),
//!    reason length u8, scan LSN u64, redo LSN u64 (all ones: it lacks nothing), reason
//! at 128 KB, written now and then beside them: magic "HDLCHARD"   8 LSN u64   16 crc32 u32 of the two
//! ```
//! The last is how far the log had been hardened: it tells a log that has lost its end from one that ends there. It says no more than
//! what was hardened when it was written, so what is not written of it only tells less.
//! Up to format 2 all values of memory-optimized tables are in their rows, up to 3 what rows lack is always NULL (`shape.rs`). A restored
//! database brings row numbers that this instance has not given: since format 5 the record says where its own go on.

use os::disk::{Disk, File, Open};
use os::wait::WaitType;

use crate::error::{StorageError, StorageResult};
use crate::hold::{Hold, Since};
use crate::layout::PageRef;
use crate::pages::data_files::{Chain, is_file_name};
use crate::pages::files::read_or_zero;
use crate::pages::page::{PAGE_BYTES, put_u16, put_u32, put_u64, u16_at, u32_at, u64_at};

/// Of everything on disk: pages, log and control file.
pub const FORMAT: u32 = 7;
const MAGIC: &[u8; 8] = b"HDLCTL01";
const HARDENED_MAGIC: &[u8; 8] = b"HDLCHARD";
const COPY_BYTES: u64 = 64 * 1024;
const HEAD: usize = 64;
const HARDENED_BYTES: usize = 20;
const CONTROL_BYTES: u64 = 2 * COPY_BYTES + 4096;
const _: () =
    assert!(COPY_BYTES / 8 < u16::MAX as u64, "more files or pending frees than are counted do not fit a copy");
/// There is an instance where there is this file.
pub const CONTROL_FILE: &str = "heddle.hct";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    pub number: u32,
    pub database: u16,
    pub temporary: bool,
    pub name: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Control {
    pub epoch: u32,
    pub sequence: u64,
    /// Records of unfinished transactions begin here or later; a block starts here.
    pub scan_lsn: u64,
    /// Changes before this are in the data files.
    pub redo_lsn: u64,
    pub next_transaction: u64,
    pub next_file: u32,
    pub files: Vec<FileEntry>,
    pub pending: Vec<PageRef>,
    pub manifest: u64,
    /// 0: before format 5.
    pub next_row: u64,
    /// By number of the file; of which nothing is backed up has none.
    pub chains: Vec<(u32, Chain)>,
    /// Of `files`, those that nobody gets: number, why, and what of the log they lack.
    pub held: Vec<HeldEntry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldEntry {
    pub number: u32,
    pub hold: Hold,
    pub since: Since,
    pub why: String,
}

impl HeldEntry {
    fn encode(&self, out: &mut Vec<u8>) {
        let why = &self.why.as_bytes()[..self.why.floor_char_boundary(usize::from(u8::MAX))];
        out.extend_from_slice(&self.number.to_le_bytes());
        out.extend_from_slice(&[self.hold as u8, why.len() as u8]);
        out.extend_from_slice(&self.since.scan_lsn.to_le_bytes());
        out.extend_from_slice(&self.since.redo_lsn.to_le_bytes());
        out.extend_from_slice(why);
    }

    fn decode(bytes: &[u8]) -> Option<(HeldEntry, &[u8])> {
        let (head, rest) = bytes.split_at_checked(22)?;
        let (why, rest) = rest.split_at_checked(usize::from(head[5]))?;
        let entry = HeldEntry {
            number: u32_at(head, 0),
            hold: Hold::from_byte(head[4])?,
            since: Since { scan_lsn: u64_at(head, 6), redo_lsn: u64_at(head, 14) },
            why: String::from_utf8_lossy(why).into_owned(),
        };
        Some((entry, rest))
    }
}

impl FileEntry {
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.number.to_le_bytes());
        out.extend_from_slice(&self.database.to_le_bytes());
        out.push(self.temporary as u8);
        let name = &self.name.as_bytes()[..self.name.len().min(255)];
        out.push(name.len() as u8);
        out.extend_from_slice(name);
    }

    pub fn decode(bytes: &[u8]) -> Option<(FileEntry, &[u8])> {
        let head = bytes.get(..8)?;
        let (name, rest) = bytes[8..].split_at_checked(head[7] as usize)?;
        let entry = FileEntry {
            number: u32_at(head, 0),
            database: u16_at(head, 4),
            temporary: head[6] != 0,
            name: String::from_utf8_lossy(name).into_owned(),
        };
        Some((entry, rest))
    }
}

impl Control {
    pub fn encode(&self) -> Vec<u8> {
        debug_assert!(self.files.is_sorted_by(|a, b| a.number < b.number), "a file is named once");
        let mut out = vec![0; HEAD];
        out[..8].copy_from_slice(MAGIC);
        put_u32(&mut out, 8, FORMAT);
        put_u32(&mut out, 20, self.epoch);
        put_u64(&mut out, 24, self.sequence);
        put_u64(&mut out, 32, self.scan_lsn);
        put_u64(&mut out, 40, self.redo_lsn);
        put_u64(&mut out, 48, self.next_transaction);
        put_u32(&mut out, 56, self.next_file);
        put_u16(&mut out, 60, self.files.len() as u16);
        put_u16(&mut out, 62, self.pending.len() as u16);
        for file in &self.files {
            file.encode(&mut out);
        }
        for page in &self.pending {
            out.extend_from_slice(&page.file.to_le_bytes());
            out.extend_from_slice(&page.page.to_le_bytes());
        }
        out.extend_from_slice(&self.manifest.to_le_bytes());
        out.extend_from_slice(&self.next_row.to_le_bytes());
        out.extend_from_slice(&(self.chains.len() as u16).to_le_bytes());
        for (file, chain) in &self.chains {
            out.extend_from_slice(&file.to_le_bytes());
            out.extend_from_slice(&chain.log_from.to_le_bytes());
            out.extend_from_slice(&chain.base_lsn.to_le_bytes());
            out.extend_from_slice(&chain.base.to_le_bytes());
        }
        out.extend_from_slice(&(self.held.len() as u16).to_le_bytes());
        self.held.iter().for_each(|held| held.encode(&mut out));
        let length = out.len() as u32 - 16;
        put_u32(&mut out, 16, length);
        let crc = crc32fast::hash(&out[16..]);
        put_u32(&mut out, 12, crc);
        out
    }

    /// `Ok(None)`: not a good copy.
    pub fn decode(bytes: &[u8]) -> StorageResult<Option<Control>> {
        if bytes.len() < HEAD || &bytes[..8] != MAGIC {
            return Ok(None);
        }
        let found = u32_at(bytes, 8);
        if found > FORMAT {
            return Err(StorageError::NewerFormat { found, known: FORMAT });
        }
        let length = u32_at(bytes, 16) as usize;
        let Some(body) = bytes.get(16..16_usize.saturating_add(length)) else { return Ok(None) };
        if length < HEAD - 16 || crc32fast::hash(body) != u32_at(bytes, 12) {
            return Ok(None);
        }
        let mut control = Control {
            epoch: u32_at(bytes, 20),
            sequence: u64_at(bytes, 24),
            scan_lsn: u64_at(bytes, 32),
            redo_lsn: u64_at(bytes, 40),
            next_transaction: u64_at(bytes, 48),
            next_file: u32_at(bytes, 56),
            ..Control::default()
        };
        let mut rest = &bytes[HEAD..16 + length];
        for _ in 0..u16_at(bytes, 60) {
            let Some((file, after)) = FileEntry::decode(rest) else { return Ok(None) };
            control.files.push(file);
            rest = after;
        }
        for _ in 0..u16_at(bytes, 62) {
            let Some((page, after)) = rest.split_at_checked(8) else { return Ok(None) };
            control.pending.push(PageRef { file: u32_at(page, 0), page: u32_at(page, 4) });
            rest = after;
        }
        if found > 1 {
            let Some((manifest, after)) = rest.split_first_chunk() else { return Ok(None) };
            control.manifest = u64::from_le_bytes(*manifest);
            rest = after;
        }
        if found > 4 {
            let Some((next_row, after)) = rest.split_first_chunk() else { return Ok(None) };
            control.next_row = u64::from_le_bytes(*next_row);
            rest = after;
        }
        if found > 5 {
            let Some((chains, after)) = decode_chains(rest) else { return Ok(None) };
            control.chains = chains;
            let Some((count, after)) = after.split_first_chunk() else { return Ok(None) };
            rest = after;
            for _ in 0..u16::from_le_bytes(*count) {
                let Some((held, after)) = HeldEntry::decode(rest) else { return Ok(None) };
                control.held.push(held);
                rest = after;
            }
        }
        Ok(Some(control))
    }
}

/// And what comes behind them.
fn decode_chains(bytes: &[u8]) -> Option<(Vec<(u32, Chain)>, &[u8])> {
    const BYTES: usize = 36;
    let (count, rest) = bytes.split_first_chunk()?;
    let (chains, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*count)) * BYTES)?;
    let chain = |bytes: &[u8]| {
        let base = u128::from(u64_at(bytes, 28)) << 64 | u128::from(u64_at(bytes, 20));
        (u32_at(bytes, 0), Chain { log_from: u64_at(bytes, 4), base_lsn: u64_at(bytes, 12), base })
    };
    Some((chains.chunks_exact(BYTES).map(chain).collect(), rest))
}

/// Whether something was ever written into a data file of the directory: the name of the control file was there for good before that.
fn has_pages(disk: &Disk) -> StorageResult<bool> {
    for name in disk.list()?.into_iter().filter(|name| is_file_name(name)) {
        let file = disk.open(&name, Open::Existing)?;
        let mut page = vec![0; PAGE_BYTES];
        read_or_zero(&file, WaitType::IO_COMPLETION, 0, &mut page)?;
        if page.iter().any(|byte| *byte != 0) {
            return Ok(true);
        }
    }
    Ok(false)
}

pub struct ControlFile(File);

impl ControlFile {
    /// Also the newest good copy, None in a new directory. It is on disk for sure then: the flush that failed may have been
    /// its own, and what was read may be in the system's cache alone.
    pub fn open(disk: &Disk) -> StorageResult<(ControlFile, Option<Control>)> {
        let existed = disk.exists(CONTROL_FILE);
        if !existed && has_pages(disk)? {
            return Err(StorageError::Damaged(format!(
                "{CONTROL_FILE} is missing, and data files are there; put it back, or restore from a backup"
            )));
        }
        let file = disk.open(CONTROL_FILE, Open::ExistingOrNew);
        let file = file.map_err(|error| StorageError::of_file(CONTROL_FILE, error))?;
        let control_file = ControlFile(file);
        let newest = control_file.newest()?;
        let data = disk.list()?.iter().any(|name| name.ends_with(".hdb"));
        if newest.is_none() && existed && data {
            return Err(StorageError::Damaged(format!("{CONTROL_FILE} has no good copy; restore it from a backup")));
        }
        // Whole from the start: a full disk must not keep a checkpoint from its end.
        control_file.make_whole()?;
        if let Some(newest) = &newest {
            control_file.write(newest)?;
        }
        Ok((control_file, newest))
    }

    /// Of a directory that is being filled with the files of an instance.
    pub fn new(disk: &Disk) -> StorageResult<ControlFile> {
        let control_file = ControlFile(disk.open(CONTROL_FILE, Open::ExistingOrNew)?);
        control_file.make_whole()?;
        Ok(control_file)
    }

    fn make_whole(&self) -> StorageResult<()> {
        if self.0.len()? < CONTROL_BYTES {
            self.0.allocate(CONTROL_BYTES)?;
            self.0.sync_data()?;
        }
        Ok(())
    }

    /// The newest good copy.
    pub fn newest(&self) -> StorageResult<Option<Control>> {
        let mut newest: Option<Control> = None;
        for copy in 0..2 {
            let mut bytes = vec![0; COPY_BYTES as usize];
            read_or_zero(&self.0, WaitType::IO_COMPLETION, copy * COPY_BYTES, &mut bytes)?;
            if let Some(control) = Control::decode(&bytes)?
                && newest.as_ref().is_none_or(|newest| newest.sequence < control.sequence)
            {
                newest = Some(control);
            }
        }
        Ok(newest)
    }

    pub fn write(&self, control: &Control) -> StorageResult<()> {
        let bytes = control.encode();
        assert!(control.scan_lsn <= control.redo_lsn, "scan LSN {}, redo LSN {}", control.scan_lsn, control.redo_lsn);
        debug_assert!(control.next_transaction > 0 && control.next_file > 0, "0 is the system's");
        debug_assert!(
            bytes.len() as u64 > COPY_BYTES || Control::decode(&bytes).is_ok_and(|read| read.is_some()),
            "what is written can be read back"
        );
        if bytes.len() as u64 > COPY_BYTES {
            return Err(StorageError::OutOfMemory);
        }
        self.0.write_at(&bytes, control.sequence % 2 * COPY_BYTES)?;
        Ok(self.0.sync_data()?)
    }

    /// The log has been hardened up to there. Not hardened itself.
    pub fn note_hardened(&self, lsn: u64) -> StorageResult<()> {
        let mut bytes = [0; HARDENED_BYTES];
        bytes[..8].copy_from_slice(HARDENED_MAGIC);
        put_u64(&mut bytes, 8, lsn);
        let crc = crc32fast::hash(&bytes[..16]);
        put_u32(&mut bytes, 16, crc);
        Ok(self.0.write_at(&bytes, 2 * COPY_BYTES)?)
    }

    /// How far it is known that the log was hardened; 0: it is not.
    pub fn noted_hardened(&self) -> StorageResult<u64> {
        let mut bytes = [0; HARDENED_BYTES];
        read_or_zero(&self.0, WaitType::IO_COMPLETION, 2 * COPY_BYTES, &mut bytes)?;
        let is_whole = &bytes[..8] == HARDENED_MAGIC && crc32fast::hash(&bytes[..16]) == u32_at(&bytes, 16);
        Ok(if is_whole { u64_at(&bytes, 8) } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a server of an older format wrote it: without the last `less` bytes.
    fn as_format(format: u32, bytes: &[u8], less: usize) -> Vec<u8> {
        let mut old = bytes[..bytes.len() - less].to_vec();
        put_u32(&mut old, 8, format);
        let length = old.len() as u32 - 16;
        put_u32(&mut old, 16, length);
        let crc = crc32fast::hash(&old[16..]);
        put_u32(&mut old, 12, crc);
        old
    }

    #[test]
    fn a_control_record_survives_encoding_and_refuses_damage() {
        let control = Control {
            epoch: 3,
            sequence: 9,
            scan_lsn: 4096,
            redo_lsn: 8192,
            next_transaction: 77,
            next_file: 6,
            files: vec![FileEntry { number: 1, database: 1, temporary: false, name: "master".into() }],
            pending: vec![PageRef { file: 1, page: 44 }],
            manifest: 12,
            next_row: 1 << 40,
            chains: vec![(1, Chain { log_from: 4096, base_lsn: 8192, base: 5 << 100 | 6 })],
            held: vec![HeldEntry {
                number: 1,
                hold: Hold::Suspect,
                since: Since { scan_lsn: 4096, redo_lsn: 4096 },
                why: "page 1".into(),
            }],
        };
        let held = 2 + 22 + 6;
        let bytes = control.encode();
        assert_eq!(Control::decode(&bytes).as_ref(), Ok(&Some(control.clone())));
        let older = Control { chains: Vec::new(), held: Vec::new(), ..control };
        assert_eq!(Control::decode(&as_format(5, &bytes, 38 + held)).as_ref(), Ok(&Some(older.clone())));
        assert_eq!(Control::decode(&as_format(4, &bytes, 46 + held)), Ok(Some(Control { next_row: 0, ..older })));
        let newer = as_format(FORMAT + 1, &bytes, 0);
        assert_eq!(Control::decode(&newer), Err(StorageError::NewerFormat { found: FORMAT + 1, known: FORMAT }));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x80;
            let known = matches!(Control::decode(&damaged), Ok(None) | Err(StorageError::NewerFormat { .. }));
            assert!(known, "flipped byte {at}");
        }
    }
}
