//! T-SQL text to plan: lex, parse, bind, plan. Pure: it cannot block, does no I/O and knows no storage.
//!
//! Modules in dependency order, lowest first.

pub mod keyword;
pub mod lex;
pub mod ast;
pub mod batches;
pub mod parse;
pub mod mask;
pub mod statistics;
pub mod catalog;
pub mod multipart;
pub mod function;
pub mod plan;
pub mod bulk;

pub mod optimize;
pub mod bind;
