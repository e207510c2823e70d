//! From the binder's relations to operators: rules first, costs where rules do not decide.
//!
//! 1. `push` moves predicates down to where their columns come from and turns outer joins that lose their NULLs into inner ones.
//!    `either` takes apart what is joined by OR, and `bands` makes one of ranges that touch.
//! 2. `wanted` fetches what is known of the values that the predicates read, `estimate` tells rows by it, and `order` gives the tables of
//!    inner joins the cheapest order that `search` finds. Before that, `computed` makes columns of subqueries that joins ask for, and `condense` leaves of a semi join's rows those that decide.
//! 3. `lower` chooses indexes, join and grouping methods, keeps only needed columns, and turns column ids into positions. `share` finds what
//!    is there twice.

pub mod rel;
pub mod told;
pub mod constant;
pub mod estimate;
pub mod wanted;
pub mod access;
mod outer_bounds;
mod bands;
pub mod either;
pub mod search;
pub mod order;
pub mod computed;
pub mod condense;
pub mod push;
mod share;
pub mod lower;
pub mod ways;
mod window;

pub use constant::equi;
pub use lower::{Lowering, Output};
pub use push::is_one_row;
pub use rel::*;
