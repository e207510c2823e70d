//! Reading files whose last part may never have been written.

use os::disk::File;
use os::wait::WaitType;

use crate::error::StorageResult;

/// Fills `bytes` from `offset`; past the end of the file they are zero.
pub fn read_or_zero(file: &File, wait: WaitType, offset: u64, bytes: &mut [u8]) -> StorageResult<()> {
    let got = file.read_some_at_as(wait, bytes, offset)?;
    assert!(got <= bytes.len());
    bytes[got..].fill(0);
    Ok(())
}
