//! Xml values as trees, and the queries over them: what stands behind the methods of type xml, FOR XML and OPENXML.
//!
//! Pure functions of text. A value is a text (`types::xml` checks and normalizes it); a [`Document`] is made of one where something
//! asks for its nodes, and goes when the statement has its answer.

pub mod meter;
pub mod document;
pub mod read;
pub mod write;
mod atomic;
pub mod schema;
mod constructor;
pub mod query;
pub mod modify;

pub use document::{Builder, Document, Kind, Name};
pub use meter::Meter;
pub use modify::Change;
pub use query::{Atomic, AtomicType, External, Item, Query, Receiver, Supplied};
