//! Not described yet.
