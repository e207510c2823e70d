//! Structures in the memory that all engines share: its heap, and what is counted, noted or waited for there.
//!
//! Nothing here knows what a page, a row or a transaction is. Modules lowest first.

pub mod broker;
pub mod memory;
pub mod hash;
pub mod wake;
pub mod grants;
pub mod page_list;
pub mod ghosts;
pub mod row_counts;
pub mod room;
pub mod archived;
