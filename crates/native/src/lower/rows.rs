//! SELECT @v = ... over many rows: a loop over the images that the runtime gives in batches. Whatever the rows assign stays in registers
//! until the last one has been seen, since a row may be unusual.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value as Ssa, types as ir};
use cranelift_frontend::Variable;
use sql::plan::{Aggregate, AggregateFunction, Expr, VariableSlot};

use super::{Body, Ends};
use crate::form::{Bounds, Fold, Rows, Totals};
use crate::runtime::{BATCH_AT, BATCH_MAX, IMAGE_BYTES, LEFT_SCAN};
use crate::scalar::{Columns, Held, packed, plain, range};

impl Body<'_, '_, '_> {
    pub fn rows(&mut self, number: u32, rows: Rows) {
        let ends = self.ends();
        let Ends { unusual, .. } = ends;
        self.lowered.scans.push(rows.query);
        let scan = self.lowered.scans.len() as i64 - 1;
        let seen = self.local(0);
        let begins = self.bounds(&rows.bounds, unusual);
        let state = self.begin_fold(&rows.fold, unusual);
        let (batch, done) = (self.builder().create_block(), self.builder().create_block());
        let count = self.builder().append_block_param(batch, ir::I32);
        let most = rows.rows_max.map_or(BATCH_MAX as i64, |rows| i64::from(rows).min(BATCH_MAX as i64));
        let most = if rows.filter.is_some() { BATCH_MAX as i64 } else { most };
        let first = self.call(self.helpers.scan, &[scan, begins, most]);
        self.builder().ins().jump(batch, &[first.into()]);

        self.builder().switch_to_block(batch);
        let goes_on = self.builder().create_block();
        let refused = self.rare_block();
        let known = self.builder().ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, count, 0);
        self.builder().ins().brif(known, goes_on, &[], refused, &[]);
        self.builder().switch_to_block(refused);
        let leaves = self.builder().ins().icmp_imm_s(IntCC::Equal, count, i64::from(LEFT_SCAN));
        let left = self.left;
        self.builder().ins().brif(leaves, left, &[], unusual, &[]);
        self.builder().switch_to_block(goes_on);

        let (head, row, next, after) = (
            self.builder().create_block(),
            self.builder().create_block(),
            self.builder().create_block(),
            self.builder().create_block(),
        );
        let at = self.builder().append_block_param(head, ir::I32);
        let zero = self.builder().ins().iconst(ir::I32, 0);
        self.builder().ins().jump(head, &[zero.into()]);
        self.builder().switch_to_block(head);
        let more = self.builder().ins().icmp(IntCC::SignedLessThan, at, count);
        self.builder().ins().brif(more, row, &[], after, &[]);

        self.builder().switch_to_block(row);
        let image = self.image(at, rows.columns, unusual);
        self.scalars.columns = Columns::Image(image, rows.fields);
        if let Some(filter) = &rows.filter {
            let counts = self.builder().create_block();
            self.scalars.branch(filter, counts, next, unusual);
            self.builder().switch_to_block(counts);
        }
        self.fold_row(&rows.fold, &state, unusual);
        self.scalars.columns = Columns::None;
        self.count_row(seen, rows.rows_max, next, done);
        self.builder().switch_to_block(next);
        let following = self.builder().ins().iadd_imm_s(at, 1);
        self.builder().ins().jump(head, &[following.into()]);

        // A batch that is not full was the last one.
        self.builder().switch_to_block(after);
        let another = self.builder().create_block();
        let full = self.builder().ins().icmp_imm_s(IntCC::Equal, count, BATCH_MAX as i64);
        self.builder().ins().brif(full, another, &[], done, &[]);
        self.builder().switch_to_block(another);
        let count = self.call(self.helpers.scan, &[scan, 0, BATCH_MAX as i64]);
        self.builder().ins().jump(batch, &[count.into()]);

        self.builder().switch_to_block(done);
        let rows_seen = self.builder().use_var(seen);
        let rows_told = self.end_fold(rows.fold, state, rows_seen, unusual);
        self.tell_scanned(scan, rows_told);
        self.end(number, ends);
    }

    /// Hands over the values of a scan's range, and returns what tells the runtime of them.
    pub(super) fn bounds(&mut self, bounds: &Bounds, unusual: Block) -> i64 {
        let values: Vec<_> = bounds.values().iter().map(|expr| self.scalars.value_or_null(expr, unusual)).collect();
        self.scalars.pass(&values);
        1 + values.len() as i64
    }

    pub(super) fn begin_fold(&mut self, fold: &Fold, unusual: Block) -> State {
        match fold {
            Fold::Assign(values) => State::Assigned(self.hold(values, unusual)),
            Fold::Aggregate(aggregates, _) => {
                State::Aggregated(aggregates.iter().map(|aggregate| self.start_of(aggregate.function)).collect())
            }
            Fold::Only(_) => {
                let null = self.builder().declare_var(ir::I8);
                let one = self.builder().ins().iconst(ir::I8, 1);
                self.builder().def_var(null, one);
                State::Only(self.local(0), null)
            }
            Fold::Send(_) | Fold::Exists => State::Given,
        }
    }

    /// Takes in the row that the columns are of.
    pub(super) fn fold_row(&mut self, fold: &Fold, state: &State, unusual: Block) {
        match (fold, state) {
            (Fold::Assign(values), State::Assigned(held)) => self.hold_row(values, held, unusual),
            (Fold::Aggregate(aggregates, _), State::Aggregated(sums)) => {
                for (aggregate, sum) in aggregates.iter().zip(sums) {
                    self.add_row(aggregate, *sum, unusual);
                }
            }
            (Fold::Only(value), State::Only(only, is_null)) => {
                let (value, null) = self.scalars.value_or_null(value, unusual);
                self.keep_value(*only, *is_null, value, null);
            }
            (Fold::Exists, State::Given) => {}
            _ => unreachable!("the state is the fold's"),
        }
    }

    /// A value and whether it is NULL, in registers.
    fn keep_value(&mut self, to: Variable, null_to: Variable, value: Ssa, null: Option<Ssa>) {
        self.builder().def_var(to, value);
        let null = self.scalars.null_bit(null);
        self.builder().def_var(null_to, null);
    }

    /// Goes on with the next row, or, if it was the last one wanted, to `done`.
    pub(super) fn count_row(&mut self, seen: Variable, rows_max: Option<u32>, next: Block, done: Block) {
        let rows_seen = self.builder().use_var(seen);
        let rows_seen = self.builder().ins().iadd_imm_s(rows_seen, 1);
        self.builder().def_var(seen, rows_seen);
        match rows_max {
            Some(limit) => {
                let enough = self.builder().ins().icmp_imm_s(IntCC::Equal, rows_seen, i64::from(limit));
                self.builder().ins().brif(enough, done, &[], next, &[]);
            }
            None => {
                self.builder().ins().jump(next, &[]);
            }
        }
    }

    /// Assigns what has become of the rows, so many: how many the interpreter would count.
    pub(super) fn end_fold(&mut self, fold: Fold, state: State, rows_seen: Ssa, unusual: Block) -> Ssa {
        match (fold, state) {
            (Fold::Assign(_), State::Assigned(held)) => {
                self.scalars.held.clear();
                let (some, none) = (self.builder().create_block(), self.builder().create_block());
                self.builder().ins().brif(rows_seen, some, &[], none, &[]);
                self.builder().switch_to_block(some);
                for held in held {
                    let (value, null) = (self.builder().use_var(held.value), self.builder().use_var(held.null));
                    self.scalars.set(held.slot, value, Some(null));
                }
                self.builder().ins().jump(none, &[]);
                self.builder().switch_to_block(none);
                self.set_rows_to(rows_seen);
                rows_seen
            }
            (Fold::Aggregate(aggregates, Totals::Assign(values)), State::Aggregated(sums)) => {
                self.begin_totals(&aggregates, sums, rows_seen, unusual);
                self.assign_from_row(&values, unusual);
                self.scalars.columns = Columns::None;
                self.set_rows(1);
                self.builder().ins().iconst(ir::I64, 1)
            }
            _ => unreachable!("one that assigns, and its state"),
        }
    }

    /// From here on expressions are over the row of aggregates.
    pub(super) fn begin_totals(&mut self, aggregates: &[Aggregate], sums: Vec<Variable>, rows: Ssa, unusual: Block) {
        let all = aggregates.iter().zip(sums);
        let results = all.map(|(aggregate, sum)| self.result(aggregate, sum, rows, unusual));
        self.scalars.columns = Columns::Values(results.collect());
    }

    /// A subquery's value: what has become of its rows, so many.
    pub(super) fn end_value(&mut self, fold: Fold, state: State, rows_seen: Ssa, unusual: Block) -> (Ssa, Option<Ssa>) {
        match (fold, state) {
            (Fold::Only(_), State::Only(value, null)) => {
                let several = self.builder().ins().icmp_imm_s(IntCC::SignedGreaterThan, rows_seen, 1);
                self.scalars.unless(several, unusual);
                (self.builder().use_var(value), Some(self.builder().use_var(null)))
            }
            (Fold::Exists, State::Given) => (rows_seen, None),
            (Fold::Aggregate(aggregates, Totals::Value(value)), State::Aggregated(sums)) => {
                self.begin_totals(&aggregates, sums, rows_seen, unusual);
                let value = self.scalars.value_or_null(&value, unusual);
                self.scalars.columns = Columns::None;
                value
            }
            _ => unreachable!("a subquery's, and its state"),
        }
    }

    pub fn tell_scanned(&mut self, scan: i64, rows: Ssa) {
        let (call, helper) = (self.call, self.helpers.scanned);
        let scan = self.builder().ins().iconst(ir::I32, scan);
        let rows = self.builder().ins().ireduce(ir::I32, rows);
        self.builder().ins().call(helper, &[call, scan, rows]);
    }

    /// A number in a register, until machine code gives it another value.
    pub fn local(&mut self, value: i64) -> Variable {
        let local = self.builder().declare_var(ir::I64);
        let value = self.builder().ins().iconst(ir::I64, value);
        self.builder().def_var(local, value);
        local
    }

    /// One of the images of a batch.
    pub fn image(&mut self, at: Ssa, columns: u16, unusual: Block) -> Ssa {
        let (call, pointer) = (self.call, self.pointer);
        let at = self.builder().ins().uextend(pointer, at);
        let offset = self.builder().ins().imul_imm_s(at, IMAGE_BYTES as i64);
        let place = self.builder().ins().iadd(call, offset);
        let image = self.builder().ins().load(pointer, plain(), place, BATCH_AT as i32);
        let found = self.builder().ins().uload16(ir::I64, packed(), image, 0);
        let differs = self.builder().ins().icmp_imm_s(IntCC::NotEqual, found, i64::from(columns));
        self.scalars.unless(differs, unusual);
        image
    }

    /// From here on the variables are read and written in registers.
    fn hold(&mut self, values: &[(VariableSlot, Expr)], unusual: Block) -> Vec<Held> {
        let mut held = Vec::new();
        for (slot, _) in values {
            let (value, null) = self.scalars.read(*slot, unusual);
            let now = Held {
                slot: *slot,
                value: self.builder().declare_var(ir::I64),
                null: self.builder().declare_var(ir::I8),
            };
            self.builder().def_var(now.value, value);
            self.builder().def_var(now.null, null);
            held.push(now);
        }
        self.scalars.held = held.clone();
        held
    }

    /// All values first: they are of the variables as the row before left them.
    fn hold_row(&mut self, assigned: &[(VariableSlot, Expr)], held: &[Held], unusual: Block) {
        let values = self.row_values(assigned, unusual);
        for ((_, value, null), held) in values.into_iter().zip(held) {
            self.keep_value(held.value, held.null, value, null);
        }
    }

    fn start_of(&mut self, function: AggregateFunction) -> Variable {
        self.local(match function {
            AggregateFunction::Min => i64::MAX,
            AggregateFunction::Max => i64::MIN,
            _ => 0,
        })
    }

    fn add_row(&mut self, aggregate: &Aggregate, sum: Variable, unusual: Block) {
        let Some(argument) = &aggregate.argument else { return };
        let value = self.scalars.value(argument, unusual);
        let so_far = self.builder().use_var(sum);
        let now = match aggregate.function {
            AggregateFunction::Count | AggregateFunction::CountBig => return,
            AggregateFunction::Min => self.builder().ins().smin(so_far, value),
            AggregateFunction::Max => self.builder().ins().smax(so_far, value),
            _ => {
                let (now, overflow) = self.builder().ins().sadd_overflow(so_far, value);
                self.scalars.unless(overflow, unusual);
                now
            }
        };
        self.builder().def_var(sum, now);
    }

    /// Of no rows all but a count is NULL.
    fn result(&mut self, aggregate: &Aggregate, sum: Variable, rows: Ssa, unusual: Block) -> (Ssa, Option<Ssa>) {
        let limits = range(aggregate.ty.kind);
        if let AggregateFunction::Count | AggregateFunction::CountBig = aggregate.function {
            self.scalars.check_range(rows, limits, unusual);
            return (rows, None);
        }
        let none = self.builder().ins().icmp_imm_s(IntCC::Equal, rows, 0);
        let sum = self.builder().use_var(sum);
        let value = match aggregate.function {
            AggregateFunction::Sum => {
                self.scalars.check_range(sum, limits, unusual);
                sum
            }
            AggregateFunction::Avg => {
                self.scalars.check_range(sum, limits, unusual);
                let one = self.builder().ins().iconst(ir::I64, 1);
                let divisor = self.builder().ins().select(none, one, rows);
                self.builder().ins().sdiv(sum, divisor)
            }
            _ => sum,
        };
        (self.scalars.zero_if(none, value), Some(none))
    }
}

/// What the rows so far have come to.
pub(super) enum State {
    Assigned(Vec<Held>),
    Aggregated(Vec<Variable>),
    /// The value of the last one, and whether it is NULL.
    Only(Variable, Variable),
    /// The runtime has them, or only their number counts.
    Given,
}
