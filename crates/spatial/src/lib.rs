//! geometry and geography: their values as shapes, and what their methods compute.
//!
//! Pure functions of bytes and shapes. What goes wrong is error 6522 with the exception of SQL Server's assembly.
//!
//! Modules lowest first.

pub mod world;
pub mod shape;
pub mod number;
pub mod arc;
pub mod check;
pub mod codec;
pub mod read_text;
pub mod write_text;
pub mod binary;
pub mod gml;
pub mod plane;
pub mod globe;
pub mod value;
pub mod method;
pub mod call;
