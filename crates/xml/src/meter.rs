//! What an evaluation may use: it gives way to others by its pacer, and asks for the memory that it holds.

use types::SqlResult;
use types::pause::Pacer;

/// Work for a node that is looked at.
pub const NODE: usize = 64;

/// Bytes that are held before somebody is asked again.
const STEP: usize = 64 << 10;

/// Counts the work and the bytes of one evaluation.
pub struct Meter<'a, 'p> {
    pub pacer: &'a mut Pacer<'p>,
    /// Bytes held by sequences and trees that were made, roughly; what is let go is not taken off.
    held: usize,
    asked: usize,
    grow: &'a mut dyn FnMut(usize) -> SqlResult<()>,
}

impl<'a, 'p> Meter<'a, 'p> {
    /// `grow`: so many bytes are held in all; 701 if there are not so many.
    pub fn new(pacer: &'a mut Pacer<'p>, grow: &'a mut dyn FnMut(usize) -> SqlResult<()>) -> Meter<'a, 'p> {
        Meter { pacer, held: 0, asked: 0, grow }
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
        if self.held < self.asked { Ok(()) } else { self.ask() }
    }

    #[cold]
    fn ask(&mut self) -> SqlResult<()> {
        self.asked = self.held.saturating_add(STEP);
        (self.grow)(self.asked)
    }
}
