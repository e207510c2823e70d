//! Spool: all rows of an input are read before the first is given.

use sql::plan::Operator;
use types::{RowBatch, SqlResult};

use super::buffer::{Buffer, Place};
use super::{batch_of, source};
use crate::context::{Context, RowSource};
use crate::expression::Compiler;

struct Spool {
    input: Box<dyn RowSource>,
    rows: Buffer,
    place: Place,
    scratch: RowBatch,
    filled: bool,
}

pub fn make(input: &Operator, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    Ok(Box::new(Spool {
        rows: Buffer::new(batch_of(input)),
        place: Place::default(),
        scratch: batch_of(input),
        input: source(input, compiler)?,
        filled: false,
    }))
}

impl RowSource for Spool {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        self.place.rewind();
        self.filled = false;
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        if !self.filled {
            self.input.open(context)?;
            self.rows.fill(&mut *self.input, context, &mut self.scratch)?;
            self.input.close();
            self.filled = true;
        }
        self.place.next(context, &self.rows, wanted, out)
    }

    fn close(&mut self) {
        self.rows.clear();
        self.place.rewind();
        self.input.close();
    }
}
