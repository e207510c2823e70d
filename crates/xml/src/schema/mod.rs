//! Schema collections: documents of XML Schema become types, elements and attributes, and instances are validated by them.
//!
//! A schema is compiled once and is then only read. Whatever a schema says, compiling and validating take time and memory by the size of
//! schema and instance: models and patterns are machines with a bound on their states, and what refers to itself is told by a number.

mod location;
pub mod builtin;
mod moment;
pub mod value;
mod pattern;
pub mod model;
pub mod component;
mod grammar;
mod compile;
mod facet;
mod types_of;
mod particles;
mod finish;
mod typed;
mod validate;

pub use compile::compile;
pub use component::{QName, Schema, TypeId};
pub use typed::{atomic_type, atoms, schema_of};
pub use validate::{annotate, validate};
