//! Geography: shapes on an ellipsoid. What compares shapes projects them from the centre onto a plane, where the edges of a geography (great
//! elliptic arcs) are straight lines, and asks the plane.
//!
//! Modules lowest first.

pub mod system;
pub mod project;
pub mod measure;
pub mod combine;
