//! Runs plans: expressions, operators, statement control flow. Knows neither the wire nor how a plan was made.
//!
//! ```text
//! run_batch / call_module  -> statements (control flow, transactions, errors)
//!    -> operators (RowBatches)  -> expressions (typed values)  -> functions
//!    Host: what the server answers (catalog, procedures, DDL)    Sink: where results and messages go
//! ```
//!
//! Modules in dependency order, lowest first.

pub mod sink;
pub mod profile;
pub mod workspace;
mod run_tree;
pub mod key_sort;
pub mod cursor_book;
pub mod columns;
pub mod value;
mod regexp;
pub(crate) mod random;
pub(crate) mod notices;
pub(crate) mod table_reads;
pub mod definition_name;
pub mod running;
pub mod prepared_xml;
pub mod session;
pub mod host;
pub mod memory_table;
mod cursor_name;
mod xml_documents;
pub mod context;
mod udt;
pub(crate) mod typed_xml;
pub(crate) mod kernel;
pub mod bulk_file;
pub mod message;
pub(crate) mod expression;
pub(crate) mod operators;
pub(crate) mod statements;

pub use operators::bulk::rejects;
pub use operators::{not_open, storage_error};
pub use statements::{
    EventTrigger, Figures, Measured, Within, abandon_and_tell, abandon_transaction, ask_to_sort, begin_transaction,
    call_module, command_of, commit_transaction, executions, fire_event, held_bytes, let_go, machine_code_bytes,
    measured, renew_transaction, rollback_transaction, run_batch, run_within, save_transaction,
};
