//! What an evaluation may use: it gives way to others by its pacer, and asks for the memory that it holds.

use memchr::memmem;
use types::pause::{Pacer, STRIDE};
use types::{SqlResult, sql_error};

/// Work for a node that is looked at.
pub const NODE: usize = 64;

/// Bytes that are held before somebody is asked again.
const STEP: usize = 64 << 10;

/// Stack for what one level does without asking again.
const STACK_LEFT_MIN: usize = 24 << 10;

/// Counts the work and the bytes of one evaluation.
pub struct Meter<'a, 'p> {
    pub pacer: &'a mut Pacer<'p>,
    /// Bytes held by sequences and trees that were made, roughly; what is let go is not taken off.
    held: usize,
    asked: usize,
    grow: &'a mut dyn FnMut(usize) -> SqlResult<()>,
    /// Bytes of stack that are left.
    pub stack_left: fn() -> usize,
}

impl<'a, 'p> Meter<'a, 'p> {
    /// `grow`: so many bytes are held in all; 701 if there are not so many.
    pub fn new(pacer: &'a mut Pacer<'p>, grow: &'a mut dyn FnMut(usize) -> SqlResult<()>) -> Meter<'a, 'p> {
        Meter { pacer, held: 0, asked: 0, grow, stack_left: || usize::MAX }
    }

    /// Work of about so many bytes of a fast loop.
    #[inline]
    pub fn spend(&mut self, work: usize) -> SqlResult<()> {
        self.pacer.spend(work)
    }

    /// `work` over a text in pieces: it may be long.
    pub fn pieces(&mut self, text: &str, work: impl FnMut(&str) -> SqlResult<()>) -> SqlResult<()> {
        self.pacer.pieces(text, work)
    }

    /// Whether `part` is in `whole`.
    pub fn finds(&mut self, whole: &str, part: &str) -> SqlResult<bool> {
        let finder = memmem::Finder::new(part);
        // Each piece begins where the last one's matches could: a match lies in one of them.
        let (step, whole) = (STRIDE.max(part.len()), whole.as_bytes());
        for at in (0..=whole.len()).step_by(step) {
            let piece = &whole[at..whole.len().min(at + step + part.len())];
            if finder.find(piece).is_some() {
                return Ok(true);
            }
            self.spend(piece.len())?;
        }
        Ok(false)
    }

    /// An evaluation goes one level down. 2363.
    #[inline]
    pub fn deeper(&self) -> SqlResult<()> {
        if (self.stack_left)() < STACK_LEFT_MIN { Err(sql_error!(2363, "XQuery: ")) } else { Ok(()) }
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
