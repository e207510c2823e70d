//! A connection from its first byte to tokens: packets, TLS, MARS, login, and results as they go out.
//!
//! No T-SQL is compiled and nothing runs here. Modules lowest first.

pub mod accept;
pub mod mars;
pub mod connection;
pub mod login;
pub mod handshake;
pub mod definition_command;
pub mod sink;
