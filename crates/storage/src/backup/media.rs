//! What a backup is written to and read from: a file, or an object of a store.
//!
//! A set is written from its first byte to its last; only a file may be written anew, or end earlier than it did.

use std::sync::{Arc, OnceLock};

use os::disk::File;
use os::wait::WaitType;

use super::cipher::SetKey;
use crate::error::StorageResult;
use crate::pages::files::read_or_zero;

pub trait Media: Send + Sync {
    fn len(&self) -> StorageResult<u64>;
    /// Behind its end are zeros.
    fn read_at(&self, bytes: &mut [u8], at: u64) -> StorageResult<()>;
    fn write_at(&self, bytes: &[u8], at: u64) -> StorageResult<()>;
    fn set_len(&self, length: u64) -> StorageResult<()>;
    /// What was written so far is on disk for sure; a store has it once it is ended.
    fn sync(&self) -> StorageResult<()>;

    /// Something that was written is still on its way: more would have to wait.
    fn is_busy(&self) -> bool {
        false
    }

    /// Makes what was written be there for good. False: it is asked again, until it is.
    fn end(&self) -> StorageResult<bool> {
        self.sync().map(|()| true)
    }

    /// It has one set and nothing behind it.
    fn holds_one(&self) -> bool {
        false
    }

    /// Of the set that is written, or of the encrypted one that is read.
    fn key(&self) -> Option<&SetKey> {
        None
    }
}

/// A medium, and the key of the set that is written to it or read from it.
pub struct Keyed {
    media: Box<dyn Media>,
    key: OnceLock<SetKey>,
}

impl Keyed {
    /// No key is known yet.
    pub fn new(media: Box<dyn Media>) -> Keyed {
        Keyed { media, key: OnceLock::new() }
    }

    /// Once, for one set.
    pub fn unlock(&self, key: SetKey) {
        assert!(self.key.set(key).is_ok(), "a medium has the key of one set");
    }
}

impl Media for Keyed {
    fn len(&self) -> StorageResult<u64> {
        self.media.len()
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> StorageResult<()> {
        self.media.read_at(bytes, at)
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> StorageResult<()> {
        self.media.write_at(bytes, at)
    }

    fn set_len(&self, length: u64) -> StorageResult<()> {
        self.media.set_len(length)
    }

    fn sync(&self) -> StorageResult<()> {
        self.media.sync()
    }

    fn is_busy(&self) -> bool {
        self.media.is_busy()
    }

    fn end(&self) -> StorageResult<bool> {
        self.media.end()
    }

    fn holds_one(&self) -> bool {
        self.media.holds_one()
    }

    fn key(&self) -> Option<&SetKey> {
        self.key.get()
    }
}

/// What is written to it is gone: for who wants to know how long a backup takes, or wants no log backup.
pub struct Nothing;

impl Media for Nothing {
    fn len(&self) -> StorageResult<u64> {
        Ok(0)
    }

    fn read_at(&self, bytes: &mut [u8], _: u64) -> StorageResult<()> {
        bytes.fill(0);
        Ok(())
    }

    fn write_at(&self, _: &[u8], _: u64) -> StorageResult<()> {
        Ok(())
    }

    fn set_len(&self, _: u64) -> StorageResult<()> {
        Ok(())
    }

    fn sync(&self) -> StorageResult<()> {
        Ok(())
    }
}

impl Media for File {
    fn len(&self) -> StorageResult<u64> {
        Ok(File::len(self)?)
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> StorageResult<()> {
        read_or_zero(self, WaitType::BACKUPIO, at, bytes)
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> StorageResult<()> {
        Ok(File::write_at(self, bytes, at)?)
    }

    fn set_len(&self, length: u64) -> StorageResult<()> {
        Ok(File::set_len(self, length)?)
    }

    fn sync(&self) -> StorageResult<()> {
        Ok(self.sync_data_as(WaitType::BACKUPIO)?)
    }
}

impl<M: Media> Media for Arc<M> {
    fn len(&self) -> StorageResult<u64> {
        (**self).len()
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> StorageResult<()> {
        (**self).read_at(bytes, at)
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> StorageResult<()> {
        (**self).write_at(bytes, at)
    }

    fn set_len(&self, length: u64) -> StorageResult<()> {
        (**self).set_len(length)
    }

    fn sync(&self) -> StorageResult<()> {
        (**self).sync()
    }

    fn is_busy(&self) -> bool {
        (**self).is_busy()
    }

    fn end(&self) -> StorageResult<bool> {
        (**self).end()
    }

    fn holds_one(&self) -> bool {
        (**self).holds_one()
    }

    fn key(&self) -> Option<&SetKey> {
        (**self).key()
    }
}
