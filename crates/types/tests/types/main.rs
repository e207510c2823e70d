//! One test program: a file a subject.

mod collation;
mod key;
mod row;
mod values;
