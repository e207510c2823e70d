//! What the planner makes and `exec` runs: typed statements, operators and expressions. Plain immutable data.
//!
//! A batch or procedure becomes a `Module`: control flow and scalar statements are bound at once, statements that read or write
//! tables are bound when they first run (deferred name resolution, as SQL Server does it), each into a `Query`.

pub mod expr;
pub mod bulk;
mod walk;
mod named;
pub mod operator;
mod grant;
pub mod statement;
pub mod usage;
pub mod show;
pub mod show_xml;
pub mod show_all;
mod size;

pub use bulk::*;
pub use expr::*;
pub use grant::GrantEstimate;
pub use named::{HasName, Named, folded, same_name};
pub use operator::*;
pub use statement::*;
