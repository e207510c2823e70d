//! Trees of xml values that live longer than one call of a method.

use std::sync::Arc;

use xml::Document;

use crate::workspace::Held;

/// Trees of the query that runs.
#[derive(Default)]
pub struct Documents {
    /// What nodes() has made of long values, by number from 1.
    pub kept: Vec<Arc<Document>>,
    pub held: Held,
    /// `Context::execution` that they are of.
    pub execution: u64,
    /// The value that a method read last, and its schema collection: several methods of one column read it one after the other.
    pub last: Option<(Box<[u8]>, Option<u16>, Arc<Document>)>,
    pub last_held: Held,
}
