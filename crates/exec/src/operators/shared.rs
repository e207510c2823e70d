//! Rows that several places of a query ask for: who is first puts them aside, and they stay there until the query ends.

use std::sync::Arc;

use os::sync::Mutex;
use os::wait::WaitType;
use sql::plan::{self, Operator};
use types::{RowBatch, SqlResult};

use super::buffer::{Buffer, Place};
use super::{batch_of, source};
use crate::context::{Context, RowSource};
use crate::expression::Compiler;

/// What was put aside; None: nobody has asked yet. Nobody waits for it: a query runs on one worker.
type Kept = Arc<Mutex<Option<Arc<Buffer>>>>;

fn get(kept: &Kept) -> Option<Arc<Buffer>> {
    kept.lock().clone()
}

fn set(kept: &Kept, rows: Option<Arc<Buffer>>) {
    *kept.lock() = rows;
}

struct Sharing {
    input: Box<dyn RowSource>,
    all: Vec<Kept>,
}

/// `count`: of the rows that are shared below.
pub fn sharing(input: &Operator, count: u32, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    let all: Vec<Kept> = (0..count).map(|_| Arc::new(Mutex::new(WaitType::SOS_MUTEX, None))).collect();
    let around = std::mem::replace(&mut compiler.shared, all.iter().cloned().map(|kept| Box::new(kept) as _).collect());
    let input = source(input, compiler);
    compiler.shared = around;
    Ok(Box::new(Sharing { input: input?, all }))
}

impl RowSource for Sharing {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.all.iter().for_each(|kept| set(kept, None));
        self.input.open(context)
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        self.input.next(context, wanted, out)
    }

    fn close(&mut self) {
        self.input.close();
        self.all.iter().for_each(|kept| set(kept, None));
    }
}

struct Shared {
    input: Box<dyn RowSource>,
    kept: Kept,
    /// Since this was opened.
    rows: Option<Arc<Buffer>>,
    place: Place,
    scratch: RowBatch,
}

pub fn make(shared: &plan::Shared, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    let kept = compiler.shared[shared.number as usize].downcast_ref::<Kept>().expect("as it was put there").clone();
    Ok(Box::new(Shared {
        kept,
        rows: None,
        place: Place::default(),
        scratch: batch_of(&shared.input),
        input: source(&shared.input, compiler)?,
    }))
}

impl Shared {
    fn made(&mut self, context: &Context) -> SqlResult<Arc<Buffer>> {
        if let Some(rows) = get(&self.kept) {
            return Ok(rows);
        }
        let mut rows = Buffer::new(RowBatch::new(self.scratch.columns.iter().map(crate::columns::class_of)));
        self.input.open(context)?;
        let filled = rows.fill(&mut *self.input, context, &mut self.scratch);
        self.input.close();
        filled?;
        let rows = Arc::new(rows);
        set(&self.kept, Some(rows.clone()));
        Ok(rows)
    }
}

impl RowSource for Shared {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        self.place.rewind();
        self.rows = None;
        Ok(())
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        let rows = match self.rows.take() {
            Some(rows) => rows,
            None => self.made(context)?,
        };
        let given = self.place.next(context, &rows, wanted, out);
        self.rows = Some(rows);
        given
    }

    fn close(&mut self) {
        self.place.rewind();
        self.rows = None;
        self.input.close();
    }
}
