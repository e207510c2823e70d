//! One test program: a file a subject.

mod collation;
mod decimal;
mod key;
mod names;
mod row;
mod values;
