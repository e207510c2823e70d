//! Who sees what and who waits for whom: logical locks, the commit clock, older versions of rows on pages.
//!
//! Nothing here reads a page of data or writes the log; a transaction (`crate::transaction`) puts the three together. Lowest first.

pub mod locks;
pub mod commits;
pub mod versions;
