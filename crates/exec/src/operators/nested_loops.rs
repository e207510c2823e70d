//! Nested loops: for each outer row the inner runs again; an inner that depends on no outer row is kept after its first run. Of one that does,
//! and does more than to look rows up, the rows are kept by the outer values that it asked for.

use std::sync::Arc;

use sql::plan::{self, JoinKind, Operator, OperatorKind, OuterSlot};
use types::{Column, RowBatch, SqlResult};

use super::{batch_of, lookup_join, scan, source};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};
use crate::expression::memo::Memo;
use crate::expression::{Compiler, I64Expr, filter};
use crate::workspace::Held;

/// An inner larger than this is run again for each outer row instead of being kept.
const KEPT_BYTES_MAX: usize = 64 << 20;

/// One smaller than this is kept whatever memory there is.
const KEPT_BYTES_MIN: usize = 1 << 20;

/// Rows of one outer row beyond this are not kept for others.
const MEMO_BYTES_MAX: usize = 256 << 10;

pub fn make(join: &plan::NestedLoops, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    let own = || join.bindings.iter().map(|(slot, _)| *slot);
    if join.kind == JoinKind::Inner
        && let OperatorKind::Scan(scan) = &join.inner.kind
        && let (Some(inner), _) = compiler.reading(own(), |compiler| scan::lookup(scan, &join.bindings, compiler))?
    {
        return lookup_join::make(join, inner, compiler);
    }
    let outer = source(&join.outer, compiler)?;
    let (inner, reads) = compiler.reading(own(), |compiler| source(&join.inner, compiler))?;
    // Of each outer value but those of enclosing rows the join knows the column.
    let is_told = reads.slots.iter().all(|slot| own().any(|own| own == *slot));
    let has_memo = compiler.in_query && !reads.varies && !join.bindings.is_empty() && is_told && is_dear(&join.inner);
    let classes = || {
        let columns = join.outer.columns.iter().chain(&join.inner.columns);
        columns.map(|column| column.ty.physical())
    };
    Ok(Box::new(NestedLoops {
        outer_width: join.outer.columns.len(),
        outer,
        inner,
        kind: join.kind,
        bindings: join.bindings.clone(),
        predicate: compiler.optional_predicate(&join.predicate)?,
        outer_batch: batch_of(&join.outer),
        inner_batch: batch_of(&join.inner),
        joined: RowBatch::new(classes()),
        kept: Kept::new(batch_of(&join.inner)),
        memo: has_memo.then(|| Box::new(Remembered::new(batch_of(&join.inner)))),
        row: 0,
        inner_at: 0,
        inner_state: Inner::Start,
        matched: false,
        ask: 0,
        selection: Vec::new(),
        inner_matched: Vec::new(),
        unmatched_at: None,
    }))
}

/// More than looking rows up.
fn is_dear(inner: &Operator) -> bool {
    match &inner.kind {
        OperatorKind::Filter { input, .. } | OperatorKind::Project { input, .. } => is_dear(input),
        OperatorKind::Aggregate { .. }
        | OperatorKind::GroupingSets { .. }
        | OperatorKind::Sort { .. }
        | OperatorKind::Top(_)
        | OperatorKind::Window { .. }
        | OperatorKind::SetOperation { .. }
        | OperatorKind::ForText { .. } => true,
        _ => false,
    }
}

/// The inner's rows by the outer values that it reads.
struct Remembered {
    memo: Memo<Arc<RowBatch>>,
    /// Those found, from which the current outer row is joined.
    found: Option<Arc<RowBatch>>,
    /// Of the inner that runs. None: they are too many.
    gathered: Option<RowBatch>,
    empty: RowBatch,
}

impl Remembered {
    fn new(empty: RowBatch) -> Remembered {
        Remembered { memo: Memo::default(), found: None, gathered: None, empty }
    }

    /// Looks for the rows of an outer row whose values have been pushed. False: there are none yet.
    fn find(&mut self, context: &Context) -> bool {
        self.found = self.memo.find(context);
        self.gathered = (self.found.is_none() && self.memo.keeps()).then(|| self.empty.clone());
        self.found.is_some()
    }

    fn gather(&mut self, batch: &RowBatch) {
        if let Some(rows) = &mut self.gathered {
            columns::append_batch(rows, batch);
            if columns::batch_bytes(rows) > MEMO_BYTES_MAX {
                self.gathered = None;
            }
        }
    }

    /// The inner has ended.
    fn keep(&mut self, context: &Context) {
        if let Some(rows) = self.gathered.take() {
            let bytes = columns::batch_bytes(&rows) + size_of::<RowBatch>() + rows.columns.len() * size_of::<Column>();
            self.memo.keep(context, Arc::new(rows), bytes);
        }
    }
}

/// The inner's rows, as far as it was read: an outer row may have seen enough of it, and the next one goes on where that left off.
struct Kept {
    rows: RowBatch,
    /// The inner has been opened for these rows.
    begun: bool,
    complete: bool,
    /// Too large, or correlated: not kept.
    refused: bool,
    held: Held,
}

impl Kept {
    fn new(rows: RowBatch) -> Kept {
        Kept { rows, begun: false, complete: false, refused: false, held: Held::default() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Inner {
    /// Not begun for this outer row.
    Start,
    /// `inner_batch` from `inner_at` on, then more of the source.
    Running,
    /// The kept rows from `inner_at` on.
    Kept,
    /// The same of those remembered.
    Found,
    Done,
}

struct NestedLoops {
    outer: Box<dyn RowSource>,
    inner: Box<dyn RowSource>,
    kind: JoinKind,
    bindings: Vec<(OuterSlot, usize)>,
    predicate: Option<I64Expr>,
    outer_width: usize,
    outer_batch: RowBatch,
    inner_batch: RowBatch,
    joined: RowBatch,
    kept: Kept,
    memo: Option<Box<Remembered>>,
    /// Row of `outer_batch` being joined.
    row: usize,
    inner_at: usize,
    inner_state: Inner,
    matched: bool,
    ask: usize,
    selection: Vec<u32>,
    /// Full outer join: which kept inner rows had a match.
    inner_matched: Vec<bool>,
    /// Full outer join: the outer is exhausted, inner rows from here on are looked at.
    unmatched_at: Option<usize>,
}

impl RowSource for NestedLoops {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        self.outer_batch.clear();
        self.row = 0;
        self.inner_state = Inner::Start;
        self.ask = 0;
        self.unmatched_at = None;
        self.inner_matched.clear();
        self.kept.rows.clear();
        self.kept.begun = false;
        self.kept.complete = false;
        self.kept.refused = !self.bindings.is_empty();
        self.outer.open(context)
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        let wanted = if out.columns.is_empty() { wanted } else { wanted.min(BATCH_ROWS) };
        while out.rows < wanted {
            if self.unmatched_at.is_some() {
                self.give_unmatched_inner(wanted, out);
                return Ok(());
            }
            if self.row == self.outer_batch.rows {
                if out.rows > 0 && !out.columns.is_empty() {
                    return Ok(());
                }
                if !self.next_outer(context, wanted)? {
                    if self.kind == JoinKind::FullOuter {
                        self.finish_kept(context)?;
                        self.unmatched_at = Some(0);
                        continue;
                    }
                    return Ok(());
                }
            }
            // Also in the middle of a batch: its first row alone had to find the inner's rows.
            if self.inner_state == Inner::Start && self.multiply(wanted, out) {
                continue;
            }
            self.step(context, wanted, out)?;
        }
        Ok(())
    }

    fn close(&mut self) {
        self.kept = Kept::new(RowBatch::new(self.kept.rows.columns.iter().map(columns::class_of)));
        self.outer.close();
        self.inner.close();
    }
}

impl NestedLoops {
    fn next_outer(&mut self, context: &Context, wanted: usize) -> SqlResult<bool> {
        context.yield_point()?;
        self.ask = (self.ask * 4).clamp(wanted.clamp(1, 64), BATCH_ROWS);
        // Counting needs no batches of outer rows: all of them at once, if they have no columns.
        let ask = if self.outer_width == 0 { usize::MAX / 2 } else { self.ask };
        self.outer.next(context, ask, &mut self.outer_batch)?;
        self.row = 0;
        self.inner_state = Inner::Start;
        Ok(self.outer_batch.rows > 0)
    }

    /// Nothing to compute and nothing to test: the number of rows is a product. True if `out` has all it wanted or the batch is used up.
    fn multiply(&mut self, wanted: usize, out: &mut RowBatch) -> bool {
        if !self.joined.columns.is_empty()
            || self.predicate.is_some()
            || !self.kept.complete
            || self.kind != JoinKind::Inner
        {
            return false;
        }
        let inner = self.kept.rows.rows;
        let rows = (self.outer_batch.rows - self.row).checked_mul(inner);
        match rows {
            Some(rows) if rows <= wanted - out.rows => {
                out.rows += rows;
                self.row = self.outer_batch.rows;
                true
            }
            _ if inner > 0 => {
                // Whole outer rows that fit; the last one is split by `step`.
                let whole = (wanted - out.rows) / inner;
                out.rows += whole * inner;
                self.row += whole;
                false
            }
            _ => false,
        }
    }

    /// Some work on the current outer row.
    fn step(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        match self.inner_state {
            Inner::Start => {
                self.matched = false;
                self.inner_at = 0;
                if self.kept.begun {
                    self.inner_state = Inner::Kept;
                    return Ok(());
                }
                if let Some(remembered) = &mut self.memo {
                    remembered.memo.begin();
                }
                for (slot, column) in &self.bindings {
                    let value = self.outer_batch.columns[*column].datum(self.row);
                    if let Some(remembered) = &mut self.memo {
                        remembered.memo.push(&value);
                    }
                    context.set_outer(*slot, value);
                }
                if self.memo.as_mut().is_some_and(|remembered| remembered.find(context)) {
                    self.inner_state = Inner::Found;
                    return Ok(());
                }
                self.inner.open(context)?;
                self.kept.begun = !self.kept.refused;
                self.inner_batch.clear();
                self.inner_state = Inner::Running;
                Ok(())
            }
            Inner::Running => {
                if self.inner_at < self.inner_batch.rows {
                    let batch = std::mem::take(&mut self.inner_batch);
                    let result = self.join(context, &batch, wanted, out);
                    self.inner_batch = batch;
                    return result;
                }
                let ask = if self.inner_batch.columns.is_empty() && self.predicate.is_none() {
                    usize::MAX / 2
                } else {
                    BATCH_ROWS
                };
                self.inner.next(context, ask, &mut self.inner_batch)?;
                self.inner_at = 0;
                if self.inner_batch.rows == 0 {
                    if let Some(remembered) = &mut self.memo {
                        remembered.keep(context);
                    }
                    self.kept.complete = !self.kept.refused;
                    self.inner_state = Inner::Done;
                    return Ok(());
                }
                self.keep(context)?;
                if let Some(remembered) = &mut self.memo {
                    remembered.gather(&self.inner_batch);
                }
                context.yield_point()
            }
            Inner::Found => {
                let remembered = self.memo.as_ref().and_then(|remembered| remembered.found.clone());
                let rows = remembered.expect("found before");
                if self.inner_at == rows.rows {
                    self.inner_state = Inner::Done;
                    return Ok(());
                }
                self.join(context, &rows, wanted, out)
            }
            Inner::Kept => {
                if self.inner_at == self.kept.rows.rows {
                    self.inner_batch.clear();
                    self.inner_at = 0;
                    self.inner_state = if self.kept.complete { Inner::Done } else { Inner::Running };
                    return Ok(());
                }
                let batch = std::mem::take(&mut self.kept.rows);
                let result = self.join(context, &batch, wanted, out);
                self.kept.rows = batch;
                result
            }
            Inner::Done => {
                let unmatched = !self.matched;
                match self.kind {
                    JoinKind::LeftOuter | JoinKind::FullOuter | JoinKind::Anti if unmatched => self.give_outer(out),
                    _ => {}
                }
                self.row += 1;
                self.inner_state = Inner::Start;
                Ok(())
            }
        }
    }

    fn keep(&mut self, context: &Context) -> SqlResult<()> {
        let kept = &mut self.kept;
        if kept.refused {
            return Ok(());
        }
        columns::append_batch(&mut kept.rows, &self.inner_batch);
        let bytes = columns::batch_bytes(&kept.rows);
        if self.kind == JoinKind::FullOuter || bytes <= KEPT_BYTES_MIN {
            return kept.held.force(context.workspace(), bytes);
        }
        if bytes > KEPT_BYTES_MAX || !kept.held.hold(context.workspace(), bytes) {
            kept.refused = true;
            kept.begun = false;
            kept.rows = RowBatch::new(kept.rows.columns.iter().map(columns::class_of));
            kept.held.clear();
        }
        Ok(())
    }

    /// Full outer join whose outer had no row: the inner is all there is.
    fn finish_kept(&mut self, context: &Context) -> SqlResult<()> {
        if self.kept.complete {
            return Ok(());
        }
        self.inner.open(context)?;
        self.kept.rows.clear();
        let mut batch = std::mem::take(&mut self.inner_batch);
        let Kept { rows, held, .. } = &mut self.kept;
        super::drain(&mut *self.inner, context, &mut batch, |batch| {
            columns::append_batch(rows, batch);
            held.force(context.workspace(), columns::batch_bytes(rows))
        })?;
        self.inner_batch = batch;
        self.kept.complete = true;
        Ok(())
    }

    /// The outer row alone, NULLs for the inner's columns.
    fn give_outer(&mut self, out: &mut RowBatch) {
        let width = self.outer_width;
        for (at, to) in out.columns.iter_mut().enumerate() {
            if at < width {
                columns::append_row(to, &self.outer_batch.columns[at], self.row);
            } else {
                to.push_null();
            }
        }
        out.rows += 1;
    }

    fn give_unmatched_inner(&mut self, wanted: usize, out: &mut RowBatch) {
        let mut at = self.unmatched_at.expect("called in this state");
        let width = self.outer_width;
        while at < self.kept.rows.rows && out.rows < wanted {
            if !self.inner_matched.get(at).copied().unwrap_or(false) {
                for (column, to) in out.columns.iter_mut().enumerate() {
                    if column < width {
                        to.push_null();
                    } else {
                        columns::append_row(to, &self.kept.rows.columns[column - width], at);
                    }
                }
                out.rows += 1;
            }
            at += 1;
        }
        self.unmatched_at = Some(at);
    }

    /// Joins the outer row with rows of `inner` from `inner_at` on, as many as `out` has room for.
    fn join(&mut self, context: &Context, inner: &RowBatch, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        let semi = matches!(self.kind, JoinKind::Semi | JoinKind::Anti);
        let room = if semi { BATCH_ROWS } else { wanted - out.rows };
        let count = (inner.rows - self.inner_at).min(room);
        let (start, end) = (self.inner_at, self.inner_at + count);
        self.inner_at = end;
        if self.predicate.is_none() {
            self.matched = true;
            if self.kind == JoinKind::FullOuter {
                self.inner_matched.resize(self.inner_matched.len().max(end), false);
                self.inner_matched[start..end].fill(true);
            }
            if semi {
                return self.semi_found(out);
            }
            Self::combine(out, self.outer_width, &self.outer_batch, self.row, inner, start, end);
            return Ok(());
        }
        // Tested in pieces, so that a huge kept inner does not become one huge batch.
        let end = end.min(start + BATCH_ROWS);
        self.inner_at = end;
        self.joined.clear();
        Self::combine(&mut self.joined, self.outer_width, &self.outer_batch, self.row, inner, start, end);
        let predicate = self.predicate.as_ref().expect("looked above");
        filter(predicate, context, &self.joined, &mut self.selection)?;
        if start > 0 {
            context.yield_point()?;
        }
        if self.selection.is_empty() {
            return Ok(());
        }
        self.matched = true;
        if semi {
            return self.semi_found(out);
        }
        if self.kind == JoinKind::FullOuter {
            self.inner_matched.resize(self.inner_matched.len().max(end), false);
            for row in &self.selection {
                self.inner_matched[start + *row as usize] = true;
            }
        }
        columns::append_batch_rows(out, &self.joined, &self.selection);
        Ok(())
    }

    /// One match decides a semi or anti join.
    fn semi_found(&mut self, out: &mut RowBatch) -> SqlResult<()> {
        if self.kind == JoinKind::Semi {
            self.give_outer(out);
        }
        self.row += 1;
        self.inner_state = Inner::Start;
        Ok(())
    }

    fn combine(
        out: &mut RowBatch,
        width: usize,
        outer: &RowBatch,
        row: usize,
        inner: &RowBatch,
        start: usize,
        end: usize,
    ) {
        for (at, to) in out.columns.iter_mut().enumerate() {
            if at < width {
                columns::append_repeat(to, &outer.columns[at], row, end - start);
            } else {
                columns::append_range(to, &inner.columns[at - width], start, end);
            }
        }
        out.rows += end - start;
    }
}
