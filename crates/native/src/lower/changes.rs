//! UPDATE and DELETE of the rows of a scan. All rows are found before the first is changed: none is met twice, and one that is unusual
//! leaves everything to the interpreter.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value as Ssa, types as ir};

use super::Body;
use crate::form::Changes;
use crate::runtime::{BATCH_MAX, FOUND_AT, LEFT_SCAN};
use crate::scalar::{Columns, plain};

impl Body<'_, '_, '_> {
    pub fn changes(&mut self, number: u32, changes: Changes) {
        let ends = self.ends();
        let unusual = ends.unusual;
        self.lowered.scans.push(changes.query);
        let scan = self.lowered.scans.len() as i64 - 1;
        let copies = i64::from(changes.update.is_some());
        let rows = self.local(0);
        let set = changes.update.iter().flatten().map(|(_, value)| value);
        self.begin_to_ask(changes.filter.iter().chain(set));
        let begins = self.bounds(&changes.bounds, unusual);
        let (batch, done) = (self.builder().create_block(), self.builder().create_block());
        let count = self.builder().append_block_param(batch, ir::I32);
        let first = self.call(self.helpers.scan, &[scan, begins, BATCH_MAX as i64]);
        self.builder().ins().jump(batch, &[first.into()]);

        self.builder().switch_to_block(batch);
        self.check_batch(count, unusual);
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
        let image = self.image(at, changes.columns, unusual);
        self.scalars.columns = Columns::Image(image, changes.fields);
        if let Some(filter) = &changes.filter {
            let counts = self.builder().create_block();
            self.scalars.branch(filter, counts, next, unusual);
            self.builder().switch_to_block(counts);
        }
        let set = changes.update.unwrap_or_default();
        let values: Vec<_> = set.iter().map(|(field, expr)| self.field_value(*field, expr, unusual)).collect();
        self.scalars.columns = Columns::None;
        self.keep(at, copies, unusual);
        if copies != 0 {
            let (call, pointer) = (self.call, self.pointer);
            let copy = self.builder().ins().load(pointer, plain(), call, FOUND_AT as i32);
            for ((field, _), (value, null)) in set.iter().zip(values) {
                self.scalars.set_column(copy, 0, *field, value, null);
            }
            self.check(copy, changes.checks, unusual);
        }
        let so_far = self.builder().use_var(rows);
        let so_far = self.builder().ins().iadd_imm_s(so_far, 1);
        self.builder().def_var(rows, so_far);
        self.builder().ins().jump(next, &[]);
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
        self.ask(self.helpers.change_rows, &[scan, copies], unusual);
        let changed = self.builder().use_var(rows);
        self.set_rows_to(changed);
        self.tell_scanned(scan, changed);
        self.end(number, ends);
    }

    /// Goes on if the scan gave rows, or none.
    fn check_batch(&mut self, count: Ssa, unusual: Block) {
        let (goes_on, refused) = (self.builder().create_block(), self.rare_block());
        let known = self.builder().ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, count, 0);
        self.builder().ins().brif(known, goes_on, &[], refused, &[]);
        self.builder().switch_to_block(refused);
        let leaves = self.builder().ins().icmp_imm_s(IntCC::Equal, count, i64::from(LEFT_SCAN));
        let left = self.left;
        self.builder().ins().brif(leaves, left, &[], unusual, &[]);
        self.builder().switch_to_block(goes_on);
    }

    /// Notes a row of the batch to be changed.
    fn keep(&mut self, at: Ssa, copies: i64, unusual: Block) {
        let (call, helper) = (self.call, self.helpers.keep);
        let copies = self.builder().ins().iconst(ir::I32, copies);
        let kept = self.builder().ins().call(helper, &[call, at, copies]);
        let status = self.builder().inst_results(kept)[0];
        self.leave_if_left(status);
        let goes_on = self.builder().create_block();
        self.builder().ins().brif(status, goes_on, &[], unusual, &[]);
        self.builder().switch_to_block(goes_on);
    }
}
