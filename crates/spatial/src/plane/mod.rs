//! Geometry: shapes on a plane. Pure functions of shapes; their loops say their work to a pacer.
//!
//! Modules lowest first.

pub mod arrange;
pub mod relate;
pub mod overlay;
pub mod valid;
pub mod measure;
pub mod hull;
pub mod reduce;
pub mod buffer;
