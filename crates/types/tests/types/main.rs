//! One test program: a file a subject.

mod collation;
mod convert;
mod datetime;
mod decimal;
mod arith;
mod key;
mod like;
mod names;
mod row;
mod values;
mod variant;
