//! From the binder's relations to operators: rules first, costs where rules do not decide.
//!
//! 1. `push` moves predicates down to where their columns come from and turns outer joins that lose their NULLs into inner ones.
//! 2. `order` puts the tables of an inner join into the order that keeps intermediate results small.
//!    `either` takes apart what is joined by OR.
//! 3. `lower` chooses indexes, join and grouping methods, keeps only needed columns, and turns column ids into positions.

pub mod rel;
pub mod estimate;
pub mod access;
pub mod order;
pub mod either;
pub mod push;
pub mod lower;
pub mod ways;

pub use lower::{Lowering, Output, equi};
pub use rel::*;
