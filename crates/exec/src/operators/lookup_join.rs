//! An inner join whose inner side is a seek by values of the outer row: many outer rows are looked up in one call, and all
//! else is done for whole batches. Gives the rows that nested loops give, in their order: outer rows, then index order.

use sql::plan::{self, OuterSlot};
use types::{RowBatch, SqlResult};

use super::scan::Lookup;
use super::simple::Pending;
use super::{batch_of, source};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};
use crate::expression::{Compiler, I64Expr, filter_batch};

/// Outer rows asked for at first, unless fewer rows are wanted.
const ASK_FIRST: usize = 64;

pub fn make(join: &plan::NestedLoops, inner: Lookup, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    let all = join.outer.columns.iter().chain(&join.inner.columns);
    Ok(Box::new(LookupJoin {
        outer: source(&join.outer, compiler)?,
        inner,
        bindings: join.bindings.clone(),
        predicate: compiler.optional_predicate(&join.predicate)?,
        outer_batch: batch_of(&join.outer),
        inner_batch: batch_of(&join.inner),
        owners: Vec::new(),
        joined: Pending::new(RowBatch::new(all.map(|column| column.ty.physical()))),
        ask: 0,
        selection: Vec::new(),
    }))
}

struct LookupJoin {
    outer: Box<dyn RowSource>,
    inner: Lookup,
    bindings: Vec<(OuterSlot, usize)>,
    predicate: Option<I64Expr>,
    outer_batch: RowBatch,
    inner_batch: RowBatch,
    /// For each row of `inner_batch` its row of `outer_batch`.
    owners: Vec<u32>,
    joined: Pending,
    ask: usize,
    selection: Vec<u32>,
}

impl RowSource for LookupJoin {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.joined.clear();
        self.ask = 0;
        self.inner.restart();
        self.outer.open(context)
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        while self.joined.is_empty() {
            context.yield_point()?;
            if self.inner.is_done() {
                self.ask = (self.ask * 4).clamp(wanted.clamp(1, ASK_FIRST), BATCH_ROWS);
                self.outer.next(context, self.ask, &mut self.outer_batch)?;
                if self.outer_batch.rows == 0 {
                    return Ok(());
                }
                let outer = &self.outer_batch;
                self.inner.begin(context, outer, |row| {
                    for (slot, column) in &self.bindings {
                        context.set_outer(*slot, outer.columns[*column].datum(row));
                    }
                })?;
            }
            self.look_up(context)?;
        }
        self.joined.give(wanted.min(BATCH_ROWS), out);
        Ok(())
    }

    fn close(&mut self) {
        self.outer.close();
        self.inner.close();
    }
}

impl LookupJoin {
    /// `joined` becomes what the next outer rows give.
    fn look_up(&mut self, context: &Context) -> SqlResult<()> {
        let outer = &self.outer_batch;
        self.inner.next(context, &mut self.inner_batch, &mut self.owners)?;
        let joined = self.joined.clear();
        let width = outer.columns.len();
        for (to, from) in joined.columns.iter_mut().zip(&outer.columns) {
            columns::append_gather(to, from, &self.owners);
        }
        for (to, from) in joined.columns[width..].iter_mut().zip(&mut self.inner_batch.columns) {
            std::mem::swap(to, from);
        }
        joined.rows = self.owners.len();
        match &self.predicate {
            Some(predicate) => filter_batch(predicate, context, joined, &mut self.selection),
            None => Ok(()),
        }
    }
}
