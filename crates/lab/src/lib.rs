//! Tools that speak to a server over the wire, ours or any other that speaks TDS: a blocking client, `heddle sql`,
//! `heddle stress`, `heddle ping`, and `heddle lab`. Nothing private of the server is used.
//!
//! Modules in dependency order, lowest first.

pub mod address;
pub mod tls;
pub mod client;
pub mod login;
pub mod output;
mod text;
mod shrink;
mod call;
pub mod ping;
pub mod script;
pub mod copy;
pub mod sql_tool;
pub mod stress;
pub mod sim;
pub mod experiment;
pub mod oracle;
pub mod programs;
pub mod transactions;
