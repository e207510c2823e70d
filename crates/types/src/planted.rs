//! Panics that a test plants, where there is no `os`: places are marked here, and who has `os::planted` says what becomes of a passing. Not in
//! a release.

use std::panic::Location;
use std::sync::OnceLock;

/// What is told each passing.
pub static PASS: OnceLock<fn(&'static Location<'static>)> = OnceLock::new();

#[inline]
#[track_caller]
pub fn pass() {
    if let Some(pass) = PASS.get() {
        pass(Location::caller());
    }
}
