//! What an evaluation may use: it gives way to others by its pacer, and holds no more than its caller can have.

use types::pause::Pacer;
use types::{SqlResult, sql_error};

/// Work for a node that is looked at.
pub const NODE: usize = 64;

/// Counts the work and the bytes of one evaluation.
pub struct Meter<'a, 'p> {
    pub pacer: &'a mut Pacer<'p>,
    /// Bytes held by sequences and trees that were made, roughly; what is let go is not taken off.
    held: usize,
    held_max: usize,
}

impl<'a, 'p> Meter<'a, 'p> {
    /// `held_max`: bytes, above which it is error 701.
    pub fn new(pacer: &'a mut Pacer<'p>, held_max: usize) -> Meter<'a, 'p> {
        Meter { pacer, held: 0, held_max }
    }

    /// Work of about so many bytes of a fast loop.
    #[inline]
    pub fn spend(&mut self, work: usize) -> SqlResult<()> {
        self.pacer.spend(work)
    }

    /// So many bytes more are held. 701.
    #[inline]
    pub fn hold(&mut self, bytes: usize) -> SqlResult<()> {
        self.held = self.held.saturating_add(bytes);
        if self.held > self.held_max { Err(sql_error!(701, "default")) } else { Ok(()) }
    }

    pub fn held(&self) -> usize {
        self.held
    }
}
