//! geometry and geography.
pub mod world;
pub mod shape;
pub mod number;
pub mod read_text;
pub mod write_text;
pub mod check;
pub mod codec;
pub mod plane;
