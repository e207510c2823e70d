//! Pauses of work over long values. One value may have two gigabytes, and whoever goes over it holds a scheduler: so every such loop says what
//! it has done to a `Pacer`, and that lets others run, or ends the loop, once in a while. What a pause is, the caller says: there is no
//! scheduler here.

use std::cell::Cell;
use std::convert::Infallible;

use crate::error::{SqlError, SqlResult};

pub trait Pause {
    /// Others may run now. Err: nobody wants the answer any more.
    fn pause(&self) -> SqlResult<()>;

    /// Work that may still be done before a pause. Loops over the values of many rows share it: each of them may be short.
    fn left(&self) -> &Cell<usize>;
}

/// For long work that nobody waits for.
#[derive(Default)]
pub struct Unheard {
    left: Cell<usize>,
}

impl Pause for Unheard {
    fn pause(&self) -> SqlResult<()> {
        Ok(())
    }

    fn left(&self) -> &Cell<usize> {
        &self.left
    }
}

/// Work between two pauses, in bytes of the fastest loops.
pub const STRIDE: usize = 64 << 10;

/// Values below it are not counted: a batch of them is done soon.
pub const SHORT: usize = 1 << 10;

/// Work for a character that is looked up. Some need fifty nanoseconds: a stride takes less than a millisecond of them.
pub const CHARACTER: usize = 8;

/// Counts work. A value shorter than a stride costs a comparison and a subtraction a step.
pub struct Pacer<'p> {
    left: usize,
    pause: Option<&'p dyn Pause>,
}

impl<'p> Pacer<'p> {
    /// Goes on where the last one ended. One within another begins anew.
    #[inline]
    pub fn new(pause: &'p dyn Pause) -> Pacer<'p> {
        Pacer { left: pause.left().replace(STRIDE), pause: Some(pause) }
    }

    /// For values that are short, or where nobody waits: never pauses and never fails.
    pub fn none() -> Pacer<'static> {
        Pacer { left: STRIDE, pause: None }
    }

    #[inline]
    pub fn spend(&mut self, work: usize) -> SqlResult<()> {
        if work < self.left {
            self.left -= work;
            return Ok(());
        }
        self.pause()
    }

    #[cold]
    fn pause(&mut self) -> SqlResult<()> {
        self.left = STRIDE;
        self.pause.map_or(Ok(()), Pause::pause)
    }

    /// Appends `bytes`.
    pub fn copy(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> SqlResult<()> {
        out.reserve(bytes.len());
        self.chunks(bytes, |chunk| out.extend_from_slice(chunk))
    }

    /// Appends `text`.
    pub fn push(&mut self, text: &str, out: &mut String) -> SqlResult<()> {
        out.reserve(text.len());
        self.pieces(text, |piece| {
            out.push_str(piece);
            Ok(())
        })
    }

    /// `work` over a text in pieces of a stride.
    pub fn pieces(&mut self, text: &str, mut work: impl FnMut(&str) -> SqlResult<()>) -> SqlResult<()> {
        let mut rest = text;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.floor_char_boundary(STRIDE));
            work(now)?;
            self.spend(now.len())?;
            rest = later;
        }
        Ok(())
    }

    /// `work` over `bytes` in pieces of a stride: for what takes bytes as they come.
    pub fn chunks<'b>(&mut self, bytes: &'b [u8], work: impl FnMut(&'b [u8])) -> SqlResult<()> {
        Pace::chunks(self, bytes, work)
    }
}

impl Drop for Pacer<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(pause) = self.pause {
            pause.left().set(self.left.min(pause.left().get()));
        }
    }
}

/// What a loop says its work to, for loops that run over each of many short values as well: there a `Pacer` would be felt.
pub trait Pace {
    /// Why the loop ends early.
    type Stop;

    fn spend(&mut self, work: usize) -> Result<(), Self::Stop>;

    /// As [`Pacer::chunks`].
    #[inline(always)]
    fn chunks<'b>(&mut self, bytes: &'b [u8], mut work: impl FnMut(&'b [u8])) -> Result<(), Self::Stop> {
        for chunk in bytes.chunks(STRIDE) {
            work(chunk);
            self.spend(chunk.len())?;
        }
        Ok(())
    }
}

impl Pace for Pacer<'_> {
    type Stop = SqlError;

    #[inline]
    fn spend(&mut self, work: usize) -> SqlResult<()> {
        Pacer::spend(self, work)
    }
}

/// Never pauses, and costs nothing.
pub struct Unpaced;

impl Pace for Unpaced {
    type Stop = Infallible;

    #[inline(always)]
    fn spend(&mut self, _: usize) -> Result<(), Infallible> {
        Ok(())
    }
}

/// What cannot fail, since nobody pauses it.
pub fn unpaced<T>(work: impl FnOnce(&mut Pacer<'static>) -> SqlResult<T>) -> T {
    work(&mut Pacer::none()).expect("without a pause nothing stops it")
}
