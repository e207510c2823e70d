//! Runs plans: expressions, operators, statement control flow. Knows neither the wire nor how a plan was made.
//!
//! ```text
//! run_batch / call_module  -> statements (control flow, transactions, errors)
//!    -> operators (RowBatches)  -> expressions (typed values)  -> functions
//!    Host: what the server answers (catalog, procedures, DDL)    Sink: where results and messages go
//! ```
//!
//! Modules in dependency order, lowest first.

pub mod host;
pub mod session;
pub mod sink;
