//! The simulated disk. It outlives a simulated kill, so that the caller can boot again on it.
//!
//! Each file is what is durable plus, sector by sector (512 B), what was written since the last sync. A kill decides for
//! each such sector: lost, kept, or torn (the first part new, the rest old). Names are durable only after `sync_names`;
//! a kill keeps the name changes since then up to some point in their order. An unsynced length goes with its sectors.

use super::{DiskError, DiskResult, Open};
use crate::wait::{WaitType, park_uninterruptible};
use crate::{clock, simcore};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

mod contents;

use contents::{Contents, SECTOR, SECTORS_EACH};

/// What may go wrong, each once in so many operations; 0: never.
#[derive(Clone, Copy, Debug)]
pub struct SimDiskFaults {
    pub write_error: u64,
    pub read_error: u64,
    pub sync_error: u64,
    /// An operation that takes a second.
    pub slow: u64,
    pub capacity_bytes: u64,
    /// Typical duration of an operation, and of a sync.
    pub operation_ns: u64,
    pub sync_ns: u64,
}

impl Default for SimDiskFaults {
    fn default() -> SimDiskFaults {
        SimDiskFaults {
            write_error: 0,
            read_error: 0,
            sync_error: 0,
            slow: 0,
            capacity_bytes: 1 << 30,
            operation_ns: 20_000,
            sync_ns: 300_000,
        }
    }
}

#[derive(Clone)]
pub struct SimDisk {
    state: Arc<Mutex<State>>,
    prefix: Arc<str>,
}

struct State {
    faults: SimDiskFaults,
    inodes: BTreeMap<u64, Inode>,
    inodes_made: u64,
    names: BTreeMap<String, u64>,
    durable_names: BTreeMap<String, u64>,
    /// Changes of `names` since `sync_names`, in order, each atomic: names with their inode or none.
    name_changes: Vec<Vec<(String, Option<u64>)>>,
    /// Goes up at a kill: open files of the machine before it are dead.
    boot: u64,
}

#[derive(Default, Clone)]
struct Inode {
    durable: Contents,
    current: Contents,
    /// Chunks in which the two differ since the last sync, and in which sectors of them, a bit each.
    dirty: BTreeMap<usize, u8>,
}

/// What a kill made of the unsynced.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct KillReport {
    pub sectors_lost: u64,
    pub sectors_kept: u64,
    pub sectors_torn: u64,
    /// Changes of names that were lost.
    pub names_lost: u64,
}

pub struct SimFile {
    state: Arc<Mutex<State>>,
    inode: u64,
    boot: u64,
}

impl SimDisk {
    pub fn new(faults: SimDiskFaults) -> SimDisk {
        let state = State {
            faults,
            inodes: BTreeMap::new(),
            inodes_made: 0,
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            name_changes: Vec::new(),
            boot: 0,
        };
        SimDisk { state: Arc::new(Mutex::new(state)), prefix: "".into() }
    }

    pub fn set_faults(&self, faults: SimDiskFaults) {
        self.state.lock().expect("disk").faults = faults;
    }

    pub fn faults(&self) -> SimDiskFaults {
        self.state.lock().expect("disk").faults
    }

    /// Another disk with the same content, unsynced changes included; the two share memory until one is written to.
    pub fn copy(&self) -> SimDisk {
        let state = self.state.lock().expect("disk");
        let copy = State {
            faults: state.faults,
            inodes: state.inodes.clone(),
            inodes_made: state.inodes_made,
            names: state.names.clone(),
            durable_names: state.durable_names.clone(),
            name_changes: state.name_changes.clone(),
            boot: state.boot,
        };
        SimDisk { state: Arc::new(Mutex::new(copy)), prefix: self.prefix.clone() }
    }

    pub fn used_bytes(&self) -> u64 {
        used(&self.state.lock().expect("disk"))
    }

    /// The power fails: decides by `random` (a number below its argument) what of the unsynced is left.
    pub fn kill(&self, mut random: impl FnMut(u64) -> u64) -> KillReport {
        let mut state = self.state.lock().expect("disk");
        state.boot += 1;
        let mut report = KillReport::default();
        // Names: the directory's journal got as far as it got.
        let kept = random(state.name_changes.len() as u64 + 1) as usize;
        let changes = std::mem::take(&mut state.name_changes);
        assert!(kept <= changes.len(), "{kept} of {} changes are kept", changes.len());
        report.names_lost = (changes.len() - kept) as u64;
        for (name, inode) in changes.into_iter().take(kept).flatten() {
            apply(&mut state.durable_names, name, inode);
        }
        state.names = state.durable_names.clone();
        // Some kills lose all or keep all: the extremes must be met too.
        let mood = random(4);
        for inode in state.inodes.values_mut() {
            for sector in dirty_sectors(std::mem::take(&mut inode.dirty)) {
                let fate = match mood {
                    0 => 0,
                    1 => 1,
                    _ => random(3),
                };
                match fate {
                    0 => report.sectors_lost += 1,
                    1 => {
                        inode.durable.take_sector(&inode.current, sector, SECTOR);
                        report.sectors_kept += 1;
                    }
                    _ => {
                        inode.durable.take_sector(&inode.current, sector, random(SECTOR as u64) as usize);
                        report.sectors_torn += 1;
                    }
                }
            }
            inode.current = inode.durable.clone();
        }
        let named: Vec<u64> = state.names.values().copied().collect();
        assert!(named.iter().all(|id| state.inodes.contains_key(id)), "a name is durable, and its file is not there");
        state.inodes.retain(|id, _| named.contains(id));
        report
    }

    /// Changes one bit of what is durable: rot. False if the file is not there or empty.
    pub fn rot(&self, name: &str, random: impl Fn(u64) -> u64) -> bool {
        let mut state = self.state.lock().expect("disk");
        let Some(id) = state.names.get(name).copied() else { return false };
        let inode = state.inodes.get_mut(&id).expect("named");
        if inode.current.len() == 0 {
            return false;
        }
        let at = random(inode.current.len() as u64) as usize;
        let mut byte = [0];
        inode.current.read(at, &mut byte);
        byte[0] ^= 1 << random(8);
        inode.current.write(at, &byte);
        if at < inode.durable.len() {
            inode.durable.write(at, &byte);
        }
        true
    }

    fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    pub fn open_file(&self, name: &str, how: Open) -> DiskResult<SimFile> {
        let key = self.name(name);
        take_time(&self.state, false, hash_of(&key))?;
        let mut state = self.state.lock().expect("disk");
        let inode = match (state.names.get(&key).copied(), how) {
            (Some(_), Open::New) => return Err(DiskError::AlreadyExists),
            (None, Open::Existing | Open::Foreign | Open::Read) => return Err(DiskError::NotFound),
            (Some(inode), _) => {
                assert!(state.inodes.contains_key(&inode), "a name without its file");
                inode
            }
            (None, _) => {
                state.inodes_made += 1;
                let inode = state.inodes_made;
                state.inodes.insert(inode, Inode::default());
                state.names.insert(key.clone(), inode);
                state.name_changes.push(vec![(key, Some(inode))]);
                inode
            }
        };
        let boot = state.boot;
        Ok(SimFile { state: self.state.clone(), inode, boot })
    }

    pub fn exists(&self, name: &str) -> bool {
        self.state.lock().expect("disk").names.contains_key(&self.name(name))
    }

    pub fn remove(&self, name: &str) -> DiskResult<()> {
        let key = self.name(name);
        take_time(&self.state, false, hash_of(&key))?;
        let mut state = self.state.lock().expect("disk");
        state.names.remove(&key).ok_or(DiskError::NotFound)?;
        state.name_changes.push(vec![(key, None)]);
        Ok(())
    }

    pub fn rename(&self, from: &str, to: &str) -> DiskResult<()> {
        let (from, to) = (self.name(from), self.name(to));
        take_time(&self.state, false, hash_of(&to))?;
        let mut state = self.state.lock().expect("disk");
        let inode = state.names.remove(&from).ok_or(DiskError::NotFound)?;
        assert!(state.inodes.contains_key(&inode), "a name without its file");
        state.names.insert(to.clone(), inode);
        state.name_changes.push(vec![(to, Some(inode)), (from, None)]);
        Ok(())
    }

    pub fn list(&self) -> DiskResult<Vec<String>> {
        let state = self.state.lock().expect("disk");
        let names = state.names.keys().filter_map(|name| name.strip_prefix(&*self.prefix));
        Ok(names.filter(|name| !name.contains('/')).map(str::to_owned).collect())
    }

    pub fn sync_names(&self) -> DiskResult<()> {
        take_time(&self.state, true, 0)?;
        let mut state = self.state.lock().expect("disk");
        let prefix = self.prefix.clone();
        let changes = std::mem::take(&mut state.name_changes);
        let (ours, others): (Vec<_>, Vec<_>) =
            changes.into_iter().partition(|change| change[0].0.starts_with(&*prefix));
        state.name_changes = others;
        for (name, inode) in ours.into_iter().flatten() {
            apply(&mut state.durable_names, name, inode);
        }
        Ok(())
    }

    pub fn subdirectory(&self, name: &str) -> SimDisk {
        SimDisk { state: self.state.clone(), prefix: format!("{}{name}/", self.prefix).into() }
    }

    pub fn free_bytes(&self) -> u64 {
        let state = self.state.lock().expect("disk");
        state.faults.capacity_bytes.saturating_sub(used(&state))
    }
}

impl SimFile {
    pub fn read_at(&self, wait: WaitType, bytes: &mut [u8], offset: u64) -> DiskResult<usize> {
        take_time_as(wait, &self.state, false, self.inode ^ offset)?;
        if fails(self.state.lock().expect("disk").faults.read_error) {
            return Err(DiskError::Io(libc::EIO));
        }
        let mut state = self.state.lock().expect("disk");
        let contents = &self.inode(&mut state)?.current;
        let start = (offset as usize).min(contents.len());
        let got = bytes.len().min(contents.len() - start);
        assert!(got == bytes.len() || start + got == contents.len(), "a read ends before the file does");
        contents.read(start, &mut bytes[..got]);
        Ok(got)
    }

    pub fn write_at(&self, bytes: &[u8], offset: u64) -> DiskResult<()> {
        take_time(&self.state, false, self.inode ^ offset ^ (bytes.len() as u64) << 32)?;
        let mut state = self.state.lock().expect("disk");
        if fails(state.faults.write_error) {
            return Err(DiskError::Io(libc::EIO));
        }
        let end = offset as usize + bytes.len();
        self.grow(&mut state, end)?;
        let inode = self.inode(&mut state)?;
        inode.current.write(offset as usize, bytes);
        inode.touch(offset as usize / SECTOR..end.div_ceil(SECTOR));
        assert!(inode.current.len() >= end, "a write ends beyond the file's end");
        if let Some(last) = end.checked_sub(1).filter(|_| !bytes.is_empty()) {
            let ends = [offset as usize / SECTOR, last / SECTOR];
            assert!(ends.iter().all(|sector| inode.is_dirty(*sector)), "both ends of a write are not on the platter");
        }
        Ok(())
    }

    pub fn sync_data(&self, wait: WaitType) -> DiskResult<()> {
        take_time_as(wait, &self.state, true, self.inode)?;
        let mut state = self.state.lock().expect("disk");
        let fails = fails(state.faults.sync_error);
        let inode = self.inode(&mut state)?;
        if fails {
            // As Linux does it: the error is told once, the pages count as clean, and what they held may be lost.
            inode.dirty.clear();
            return Err(DiskError::Io(libc::EIO));
        }
        inode.durable.resize(inode.current.len());
        for chunk in std::mem::take(&mut inode.dirty).into_keys() {
            inode.durable.share_chunk(&inode.current, chunk);
        }
        assert!(inode.durable.len() == inode.current.len(), "what is synced has another length");
        Ok(())
    }

    pub fn set_len(&self, length: u64) -> DiskResult<()> {
        take_time(&self.state, false, self.inode ^ length)?;
        let mut state = self.state.lock().expect("disk");
        let length = length as usize;
        self.grow(&mut state, length)?;
        let inode = self.inode(&mut state)?;
        let before = inode.current.len();
        if length < before {
            inode.current.resize(length);
        }
        inode.touch(length / SECTOR..before.div_ceil(SECTOR));
        assert!(inode.current.len() == length, "the file has another length than was asked for");
        Ok(())
    }

    pub fn allocate(&self, length: u64) -> DiskResult<()> {
        take_time(&self.state, false, self.inode ^ length)?;
        let mut state = self.state.lock().expect("disk");
        self.grow(&mut state, length as usize)
    }

    pub fn len(&self) -> DiskResult<u64> {
        let mut state = self.state.lock().expect("disk");
        Ok(self.inode(&mut state)?.current.len() as u64)
    }

    fn inode<'a>(&self, state: &'a mut State) -> DiskResult<&'a mut Inode> {
        if state.boot != self.boot {
            // A file opened before the kill.
            return Err(DiskError::Io(libc::EBADF));
        }
        assert!(self.inode <= state.inodes_made, "a file that was never made");
        Ok(state.inodes.entry(self.inode).or_default())
    }

    fn grow(&self, state: &mut State, length: usize) -> DiskResult<()> {
        let before = self.inode(state)?.current.len();
        if length <= before {
            return Ok(());
        }
        if used(state) + (length - before) as u64 > state.faults.capacity_bytes {
            return Err(DiskError::Full);
        }
        let inode = self.inode(state)?;
        inode.current.resize(length);
        inode.touch(before / SECTOR..length.div_ceil(SECTOR));
        Ok(())
    }
}

impl Inode {
    /// These sectors are not as they are on the platter any more.
    fn touch(&mut self, sectors: std::ops::Range<usize>) {
        let mut at = sectors.start;
        while at < sectors.end {
            let end = ((at / SECTORS_EACH + 1) * SECTORS_EACH).min(sectors.end);
            let bits = (at..end).fold(0u8, |bits, sector| bits | 1 << (sector % SECTORS_EACH));
            *self.dirty.entry(at / SECTORS_EACH).or_default() |= bits;
            at = end;
        }
    }

    fn is_dirty(&self, sector: usize) -> bool {
        self.dirty.get(&(sector / SECTORS_EACH)).is_some_and(|bits| bits >> (sector % SECTORS_EACH) & 1 == 1)
    }
}

const _: () = assert!(SECTORS_EACH <= u8::BITS as usize, "a bit for each sector of a chunk");

fn dirty_sectors(dirty: BTreeMap<usize, u8>) -> impl Iterator<Item = usize> {
    dirty.into_iter().flat_map(|(chunk, bits)| {
        (0..SECTORS_EACH).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| chunk * SECTORS_EACH + bit)
    })
}

fn used(state: &State) -> u64 {
    state.inodes.values().map(|inode| inode.current.len() as u64).sum()
}

fn apply(names: &mut BTreeMap<String, u64>, name: String, inode: Option<u64>) {
    match inode {
        Some(inode) => names.insert(name, inode),
        None => names.remove(&name),
    };
}

/// The operation takes its time: other workers run, the seed decides how long.
fn take_time(state: &Arc<Mutex<State>>, sync: bool, what: u64) -> DiskResult<()> {
    take_time_as(WaitType::IO_COMPLETION, state, sync, what)
}

fn take_time_as(wait: WaitType, state: &Arc<Mutex<State>>, sync: bool, what: u64) -> DiskResult<()> {
    if !simcore::active() {
        return Ok(());
    }
    let faults = state.lock().expect("disk").faults;
    let takes = simcore::with(|sim| {
        sim.trace(simcore::TRACE_DISK, what);
        if sim.one_in(faults.slow) {
            1_000_000_000
        } else {
            let typical = if sync { faults.sync_ns } else { faults.operation_ns };
            sim.below(2 * typical + 1)
        }
    });
    let deadline = clock::now() + takes;
    while clock::now() < deadline && crate::worker::on_scheduler() {
        park_uninterruptible(wait, Some(deadline));
    }
    Ok(())
}

fn hash_of(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3))
}

/// True once in `n` by the seed; outside a simulation never.
fn fails(n: u64) -> bool {
    simcore::active() && simcore::with(|sim| sim.one_in(n))
}
