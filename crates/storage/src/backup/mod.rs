//! Backups of one database: taken while the load goes on, and restored under any name, id and instance.
//!
//! A backup is what a small instance is made of: the pages of the data file as they were found, the log from the scan LSN of a
//! checkpoint to an LSN `end` after the last page was read, and the rows of memory-optimized tables as of the checkpoint. What was
//! committed before `end` is in it, nothing else.
//!
//! Restoring opens that instance privately, beside the one that runs, so that the one recovery there is redoes and undoes; then
//! its pages are copied, and stamped as this instance's: file, database, log position and transactions are other numbers here.
//! A log backup is the part of the log that follows: what is restored step by step is such an instance, not yet recovered, whose log
//! each step makes longer.
//! Some pages of a database that is used are restored without an instance: their bytes, and of the log the records that are theirs.
//! Modules in dependency order, lowest first.

pub mod cipher;
pub mod media;
pub mod blocks;
pub mod set;
pub mod stripes;
pub mod blank;
pub mod take;
pub mod unpack;
pub mod stamp;
pub mod restore;
pub mod forward;
pub mod some_pages;
pub mod standby;
pub mod mark;
pub mod copy;
pub mod detached;

pub use crate::instance::storage::BACKUPS;
pub use cipher::{Algorithm, SetKey};
pub use detached::{DETACHED_HEAD_BYTES, DetachedHead};
pub use forward::{Gap, Phase, Restored, Stop};
pub use mark::{Wanted as WantedMark, find_mark};
pub use media::{Keyed, Media, Nothing};
pub use restore::Target;
pub use set::{Progress, Set, SetHead, SetKind, SetTail, Wanted, begins, sets, verify};
pub use some_pages::{PAGES_MAX, SomePages, is_control_page};
pub use stripes::{StripeHead, Striped};
