//! Who may write an archive. Each start of a server is a term: it puts the object of the next number, which only one can, and which says
//! from where on the log is its own. What a server of an earlier term writes behind that LSN, since it was stopped for a while or cut off
//! and does not know better, nobody reads.
//!
//! ```text
//! owner/<term>     8 hexadecimal digits
//!  0 magic "HARCOWN1"   8 instance u128   24 nonce u128   40 from LSN u64   48 since u64 (ticks, UTC)
//! 56 who: length u32, text   .. crc32 u32 of all before
//! archive-owner    beside the data: magic "HARCTOK1", instance u128, the nonces of the last term that was taken and of the one that
//!                  was about to be, u128 each, the archive's place (length u32, text), crc32 u32
//! ```
//! The nonce, which only the data directory knows besides, says that the owner's term was taken by this directory: so a server that was
//! killed goes on, and one with other data is refused.

use os::disk::{Disk, Open};

use super::store::{OWNERS, Store, StoreError, StoreResult};
use super::words::{Sealing, opened};
use crate::error::StorageResult;
use crate::pages::files::read_or_zero;
use crate::recovery::restart::ARCHIVE_TOKEN;

const MAGIC: &[u8; 8] = b"HARCOWN1";
pub const DIRECTORY: &str = OWNERS;
const TOKEN_MAGIC: &[u8; 8] = b"HARCTOK1";
/// With the longest path.
const TOKEN_BYTES_MAX: u64 = 16 << 10;
const TOKEN_NEXT: &str = "archive-owner.next";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    pub term: u64,
    pub instance: u128,
    pub nonce: u128,
    /// From this LSN on what earlier terms write does not count.
    pub from: u64,
    /// Ticks, UTC.
    pub since: u64,
    /// Host and data directory.
    pub who: String,
}

pub fn path(term: u64) -> String {
    format!("{DIRECTORY}/{term:08x}")
}

impl Owner {
    pub fn encode(&self) -> Vec<u8> {
        let sealing = Sealing::new(MAGIC).u128(self.instance).u128(self.nonce).u64(self.from).u64(self.since);
        sealing.bytes(self.who.as_bytes()).seal()
    }

    pub fn read(store: &dyn Store, term: u64) -> StoreResult<Owner> {
        let name = path(term);
        let bytes = store.get(&name)?;
        Owner::decode(term, &bytes).ok_or_else(|| StoreError::World(format!("{}/{name} is damaged", store.place())))
    }

    fn decode(term: u64, bytes: &[u8]) -> Option<Owner> {
        let mut reading = opened(MAGIC, bytes)?;
        let owner = Owner {
            term,
            instance: reading.u128()?,
            nonce: reading.u128()?,
            from: reading.u64()?,
            since: reading.u64()?,
            who: reading.text()?,
        };
        reading.is_over().then_some(owner)
    }
}

/// The terms there were, oldest first.
pub fn terms(store: &dyn Store) -> StoreResult<Vec<u64>> {
    let names = store.list(DIRECTORY)?;
    let mut terms: Vec<u64> = names.iter().filter_map(|name| u64::from_str_radix(name, 16).ok()).collect();
    terms.sort();
    Ok(terms)
}

/// What a data directory knows of the archive that it writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Token {
    pub instance: u128,
    /// 0: none yet.
    pub taken: u128,
    pub next: u128,
    /// Where the archive is.
    pub place: String,
}

impl Token {
    /// None: it has never written one, or its file is damaged.
    pub fn read(disk: &Disk) -> StorageResult<Option<Token>> {
        if !disk.exists(ARCHIVE_TOKEN) {
            return Ok(None);
        }
        let file = disk.open(ARCHIVE_TOKEN, Open::Existing)?;
        let mut bytes = vec![0; file.len()?.min(TOKEN_BYTES_MAX) as usize];
        read_or_zero(&file, os::wait::WaitType::BACKUPIO, 0, &mut bytes)?;
        let read = || {
            let mut reading = opened(TOKEN_MAGIC, &bytes)?;
            let (instance, taken, next) = (reading.u128()?, reading.u128()?, reading.u128()?);
            Some(Token { instance, taken, next, place: reading.text()? })
        };
        Ok(read())
    }

    /// For good when it returns.
    pub fn write(&self, disk: &Disk) -> StorageResult<()> {
        let bytes = Sealing::new(TOKEN_MAGIC).u128(self.instance).u128(self.taken).u128(self.next);
        let bytes = bytes.bytes(self.place.as_bytes()).seal();
        let file = disk.open(TOKEN_NEXT, Open::ExistingOrNew)?;
        file.set_len(bytes.len() as u64)?;
        file.write_at(&bytes, 0)?;
        file.sync_data()?;
        disk.rename(TOKEN_NEXT, ARCHIVE_TOKEN)?;
        Ok(disk.sync_names()?)
    }

    pub fn has_taken(&self, owner: &Owner) -> bool {
        self.instance == owner.instance && (owner.nonce == self.taken || owner.nonce == self.next)
    }
}
