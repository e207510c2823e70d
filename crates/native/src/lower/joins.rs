//! SELECT over a join: loops in loops, each over the rows that the runtime gives for the rows around them. What becomes of the
//! joined rows is as for one table's.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value as Ssa, types as ir};
use cranelift_frontend::Variable;
use sql::plan::Expr;

use super::rows::State;
use super::{Body, Ends};
use crate::form::{Fold, Join, Kind, Level, Output, Totals, Way};
use crate::runtime::{
    BATCH_BYTES, BATCH_MAX, CELL_BYTES, CELL_IMAGE, CELL_KIND_AT, CELL_LENGTH_AT, CELLS_AT, FOUND, IMAGE_BYTES, KEY_AT,
    LEFT_SCAN, LENGTH_AT, LEVELS_AT, NOT_FOUND,
};
use crate::scalar::{Columns, Entry, Field, packed, plain};

/// A join that is being lowered.
struct Nest<'j> {
    number: i64,
    levels: &'j [Level],
    rows_max: Option<u32>,
    fold: &'j Fold,
    state: State,
    /// Rows that counted.
    seen: Variable,
    /// No more rows are wanted, or there are none.
    done: Block,
    unusual: Block,
}

/// Where the code of a level goes on.
struct Exits {
    /// No row matches: of a LEFT JOIN and of NOT EXISTS.
    none: Block,
    /// With the level's next row.
    next: Block,
    /// With the next one around.
    outside: Block,
}

/// An image, and its length.
type Image = (Ssa, Ssa);

/// The levels so far: where their columns are, and their images.
#[derive(Clone, Default)]
struct Row {
    columns: Vec<Option<(Ssa, Field)>>,
    images: Vec<Image>,
}

impl Row {
    /// With another level.
    fn with(&self, image: Image, fields: &[Option<Field>]) -> Row {
        let mut row = self.clone();
        row.columns.extend(fields.iter().map(|field| field.map(|field| (image.0, field))));
        row.images.push(image);
        row
    }

    /// With one that has no columns.
    fn with_tested(&self, none: Image) -> Row {
        let mut row = self.clone();
        row.images.push(none);
        row
    }
}

/// A subquery that an expression enters.
pub struct Subquery {
    join: Join,
    entry: Entry,
    /// As they are where it is entered.
    unusual: Block,
    left: Block,
}

impl Body<'_, '_, '_> {
    pub fn join(&mut self, number: u32, join: Join) {
        let ends = self.ends();
        let Ends { unusual, .. } = ends;
        self.scalars.begin_to_ask();
        let (this, state, rows_seen) = self.loops(&join, unusual);
        match (join.fold, state) {
            (Fold::Send(_), _) => self.send(this, rows_seen),
            (Fold::Aggregate(aggregates, Totals::Send(values)), State::Aggregated(sums)) => {
                self.begin_totals(&aggregates, sums, rows_seen, unusual);
                let outputs: Vec<_> = values.into_iter().map(Output::Number).collect();
                self.give(this, &outputs, &[], unusual);
                self.scalars.columns = Columns::None;
                let one = self.builder().ins().iconst(ir::I64, 1);
                self.send(this, one);
            }
            (fold, state) => {
                let rows_told = self.end_fold(fold, state, rows_seen, unusual);
                let (call, helper) = (self.call, self.helpers.end_join);
                let this = self.builder().ins().iconst(ir::I32, this);
                let rows_told = self.builder().ins().ireduce(ir::I32, rows_told);
                self.builder().ins().call(helper, &[call, this, rows_told]);
            }
        }
        self.end(number, ends);
    }

    /// A statement of these expressions begins, which are over a row of the subqueries' values.
    pub fn begin_with_subqueries<'e>(&mut self, joins: &[Join], exprs: impl IntoIterator<Item = &'e Expr>) {
        match joins.is_empty() {
            true => self.begin_to_ask(exprs),
            false => self.scalars.begin_to_ask(),
        }
        self.scalars.columns = Columns::Subqueries;
    }

    /// They are behind: those that they have entered are to be made.
    pub fn keep_subqueries(&mut self, joins: &[Join], unusual: Block) {
        self.scalars.columns = Columns::None;
        let left = self.left;
        for entry in std::mem::take(&mut self.scalars.entries) {
            self.subqueries.push(Subquery { join: joins[entry.column].clone(), entry, unusual, left });
        }
    }

    /// Their code, behind that of the statements.
    pub fn make_subqueries(&mut self) {
        for Subquery { join, entry, unusual, left } in std::mem::take(&mut self.subqueries) {
            self.left = left;
            self.builder().switch_to_block(entry.begin);
            let (_, state, rows_seen) = self.loops(&join, unusual);
            let (value, null) = self.end_value(join.fold, state, rows_seen, unusual);
            let null = self.scalars.null_bit(null);
            self.builder().ins().jump(entry.back, &[value.into(), null.into()]);
        }
    }

    /// Runs over the rows of a join. Gives its number, what the rows came to, and how many counted.
    fn loops(&mut self, join: &Join, unusual: Block) -> (i64, State, Ssa) {
        self.lowered.joins.push((join.query, join.subquery));
        let this = self.lowered.joins.len() as i64 - 1;
        let seen = self.local(0);
        let state = self.begin_fold(&join.fold, unusual);
        self.ask(self.helpers.begin_join, &[this], unusual);
        let done = self.builder().create_block();
        let nest = Nest {
            number: this,
            levels: &join.levels,
            rows_max: join.rows_max,
            fold: &join.fold,
            state,
            seen,
            done,
            unusual,
        };
        if let Some(filter) = &join.filter {
            let counts = self.builder().create_block();
            self.scalars.branch(filter, counts, done, unusual);
            self.builder().switch_to_block(counts);
        }
        self.level(&nest, 0, &Row::default(), done);
        self.keep_subqueries(&join.subqueries, unusual);
        let state = nest.state;
        self.builder().switch_to_block(done);
        (this, state, self.builder().use_var(seen))
    }

    /// The result goes to the client.
    fn send(&mut self, join: i64, rows: Ssa) {
        let status = self.call(self.helpers.send, &[join]);
        self.leave_if_left(status);
        self.set_rows_to(rows);
    }

    /// The rows of a level for the row around it, behind which the code goes on at `outside`.
    fn level(&mut self, nest: &Nest<'_>, at: usize, around: &Row, outside: Block) {
        let Some(level) = nest.levels.get(at) else { return self.count(nest, around, outside) };
        self.scalars.columns = Columns::Joined(around.columns.clone());
        match &level.way {
            Way::Find(key) => {
                let none = match level.kind {
                    Kind::Inner | Kind::Semi => outside,
                    Kind::Left(_) | Kind::Anti => self.builder().create_block(),
                };
                for (part, expr) in key.iter().enumerate() {
                    let (value, null) = self.scalars.value_or_null(expr, nest.unusual);
                    if let Some(null) = null {
                        self.scalars.unless(null, none);
                    }
                    let call = self.call;
                    self.builder().ins().store(plain(), value, call, (KEY_AT + 8 * part) as i32);
                }
                let answer = self.call(self.helpers.find_joined, &[nest.number, at as i64, key.len() as i64]);
                self.go_on_if_found(answer, none, nest.unusual);
                let image = self.joined_image(at, None, level.columns, nest.unusual);
                self.found(nest, at, around, image, None, Exits { none, next: outside, outside });
            }
            Way::Scan(bound) => self.scan_level(nest, at, bound, around, outside),
        }
    }

    fn go_on_if_found(&mut self, answer: Ssa, none: Block, unusual: Block) {
        self.leave_if_left(answer);
        let (found, other) = (self.builder().create_block(), self.builder().create_block());
        let is_found = self.builder().ins().icmp_imm_s(IntCC::Equal, answer, i64::from(FOUND));
        self.builder().ins().brif(is_found, found, &[], other, &[]);
        self.builder().switch_to_block(other);
        let is_none = self.builder().ins().icmp_imm_s(IntCC::Equal, answer, i64::from(NOT_FOUND));
        self.builder().ins().brif(is_none, none, &[], unusual, &[]);
        self.builder().switch_to_block(found);
    }

    fn scan_level(&mut self, nest: &Nest<'_>, at: usize, bound: &[usize], around: &Row, outside: Block) {
        let level = &nest.levels[at];
        let outer: Vec<_> = bound.iter().map(|column| self.scalars.column(*column)).collect();
        self.scalars.pass(&outer);
        // LEFT JOIN: whether a row has matched, or the one for none was there.
        let matched = matches!(level.kind, Kind::Left(_)).then(|| self.local(0));
        let alone = nest.levels.len() == 1 && level.predicates().next().is_none();
        let most = match nest.rows_max {
            _ if level.is_tested() && level.on.is_none() => 1,
            Some(rows) if alone => i64::from(rows).min(BATCH_MAX as i64),
            _ => BATCH_MAX as i64,
        };
        let (batch, exhausted) = (self.builder().create_block(), self.builder().create_block());
        let count = self.builder().append_block_param(batch, ir::I32);
        let numbers = |first, most| [nest.number, at as i64, first, most];
        let first = self.call(self.helpers.scan_joined, &numbers(1 + bound.len() as i64, most));
        self.builder().ins().jump(batch, &[first.into()]);

        self.builder().switch_to_block(batch);
        let refused = self.rare_block();
        let goes_on = self.builder().create_block();
        let known = self.builder().ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, count, 0);
        self.builder().ins().brif(known, goes_on, &[], refused, &[]);
        self.builder().switch_to_block(refused);
        let leaves = self.builder().ins().icmp_imm_s(IntCC::Equal, count, i64::from(LEFT_SCAN));
        let left = self.left;
        self.builder().ins().brif(leaves, left, &[], nest.unusual, &[]);
        self.builder().switch_to_block(goes_on);

        let (head, row, next, after) = (
            self.builder().create_block(),
            self.builder().create_block(),
            self.builder().create_block(),
            self.builder().create_block(),
        );
        let position = self.builder().append_block_param(head, ir::I32);
        let zero = self.builder().ins().iconst(ir::I32, 0);
        self.builder().ins().jump(head, &[zero.into()]);
        self.builder().switch_to_block(head);
        let more = self.builder().ins().icmp(IntCC::SignedLessThan, position, count);
        self.builder().ins().brif(more, row, &[], after, &[]);

        self.builder().switch_to_block(next);
        let following = self.builder().ins().iadd_imm_s(position, 1);
        self.builder().ins().jump(head, &[following.into()]);

        // A batch that is not full was the last one.
        self.builder().switch_to_block(after);
        let another = self.builder().create_block();
        let full = self.builder().ins().icmp_imm_s(IntCC::Equal, count, BATCH_MAX as i64);
        self.builder().ins().brif(full, another, &[], exhausted, &[]);
        self.builder().switch_to_block(another);
        let count = self.call(self.helpers.scan_joined, &numbers(0, BATCH_MAX as i64));
        self.builder().ins().jump(batch, &[count.into()]);

        self.builder().switch_to_block(exhausted);
        let none = match (matched, &level.kind) {
            (Some(matched), _) => {
                let none = self.builder().create_block();
                let matched = self.builder().use_var(matched);
                self.builder().ins().brif(matched, outside, &[], none, &[]);
                none
            }
            (None, Kind::Anti) => {
                let none = self.builder().create_block();
                self.builder().ins().jump(none, &[]);
                none
            }
            (None, _) => {
                self.builder().ins().jump(outside, &[]);
                next
            }
        };
        self.builder().switch_to_block(row);
        let image = self.joined_image(at, Some(position), level.columns, nest.unusual);
        self.found(nest, at, around, image, matched, Exits { none, next, outside });
    }

    /// One of the images that a level was given last. One of before a column was added is not usual.
    fn joined_image(&mut self, at: usize, position: Option<Ssa>, columns: u16, unusual: Block) -> Image {
        let (call, pointer) = (self.call, self.pointer);
        let batches = self.builder().ins().load(pointer, plain(), call, LEVELS_AT as i32);
        let place = match position {
            None => batches,
            Some(position) => {
                let position = self.builder().ins().uextend(pointer, position);
                let offset = self.builder().ins().imul_imm_s(position, IMAGE_BYTES as i64);
                self.builder().ins().iadd(batches, offset)
            }
        };
        let start = at * BATCH_BYTES;
        let image = self.builder().ins().load(pointer, plain(), place, start as i32);
        let length = self.builder().ins().load(ir::I32, plain(), place, (start + LENGTH_AT) as i32);
        let found = self.builder().ins().uload16(ir::I64, packed(), image, 0);
        let differs = self.builder().ins().icmp_imm_s(IntCC::NotEqual, found, i64::from(columns));
        self.scalars.unless(differs, unusual);
        (image, length)
    }

    /// A row of a level was found.
    fn found(
        &mut self,
        nest: &Nest<'_>,
        at: usize,
        around: &Row,
        image: Image,
        matched: Option<Variable>,
        Exits { none, next, outside }: Exits,
    ) {
        let level = &nest.levels[at];
        let (mut row, mut next) = (around.with(image, &level.fields), next);
        let by_key = matches!(level.way, Way::Find(_));
        if let Some(on) = &level.on {
            let matches = self.builder().create_block();
            self.scalars.columns = Columns::Joined(row.columns.clone());
            self.scalars.branch(on, matches, if by_key { none } else { next }, nest.unusual);
            self.builder().switch_to_block(matches);
        }
        if level.is_tested() {
            if let Kind::Anti = level.kind {
                self.builder().ins().jump(outside, &[]);
                self.builder().switch_to_block(none);
            }
            let (pointer, length) = (self.pointer, ir::I32);
            let nothing = (self.builder().ins().iconst(pointer, 0), self.builder().ins().iconst(length, 0));
            (row, next) = (around.with_tested(nothing), outside);
        }
        if let Kind::Left(blank) = &level.kind {
            let (call_images, pointer) = (self.images, self.pointer);
            let joined = self.builder().create_block();
            let either = self.builder().append_block_param(joined, pointer);
            let length = self.builder().append_block_param(joined, ir::I32);
            let set = |body: &mut Self| {
                if let Some(matched) = matched {
                    let one = body.builder().ins().iconst(ir::I64, 1);
                    body.builder().def_var(matched, one);
                }
            };
            set(self);
            self.builder().ins().jump(joined, &[image.0.into(), image.1.into()]);
            self.builder().switch_to_block(none);
            set(self);
            let start = self.lowered.images.len() as i64;
            self.lowered.images.extend_from_slice(blank);
            let none = self.builder().ins().iadd_imm_s(call_images, start);
            let none_length = self.builder().ins().iconst(ir::I32, blank.len() as i64);
            self.builder().ins().jump(joined, &[none.into(), none_length.into()]);
            self.builder().switch_to_block(joined);
            row = around.with((either, length), &level.fields);
        }
        if let Some(filter) = &level.filter {
            let counts = self.builder().create_block();
            self.scalars.columns = Columns::Joined(row.columns.clone());
            self.scalars.branch(filter, counts, next, nest.unusual);
            self.builder().switch_to_block(counts);
        }
        self.level(nest, at + 1, &row, next);
    }

    /// A row of all levels, behind which the code goes on at `next`.
    fn count(&mut self, nest: &Nest<'_>, row: &Row, next: Block) {
        self.scalars.columns = match nest.levels.is_empty() {
            true => Columns::Subqueries,
            false => Columns::Joined(row.columns.clone()),
        };
        match nest.fold {
            Fold::Send(outputs) => self.give(nest.number, outputs, &row.images, nest.unusual),
            fold => self.fold_row(fold, &nest.state, nest.unusual),
        }
        self.scalars.columns = Columns::None;
        self.count_row(nest.seen, nest.rows_max, next, nest.done);
    }

    /// Hands a row of the result to the runtime.
    fn give(&mut self, join: i64, outputs: &[Output], images: &[Image], unusual: Block) {
        let (call, pointer) = (self.call, self.pointer);
        let cells = self.builder().ins().load(pointer, plain(), call, CELLS_AT as i32);
        for (at, output) in outputs.iter().enumerate() {
            let start = at * CELL_BYTES;
            let (word, kind) = match output {
                Output::Number(value) => {
                    let (value, null) = self.scalars.value_or_null(value, unusual);
                    let null = match null {
                        Some(null) => self.builder().ins().uextend(ir::I32, null),
                        None => self.builder().ins().iconst(ir::I32, 0),
                    };
                    (value, null)
                }
                Output::Stored { level } => {
                    let (image, length) = images[*level];
                    self.builder().ins().store(plain(), length, cells, (start + CELL_LENGTH_AT) as i32);
                    (image, self.builder().ins().iconst(ir::I32, CELL_IMAGE))
                }
            };
            self.builder().ins().store(plain(), word, cells, start as i32);
            self.builder().ins().store(plain(), kind, cells, (start + CELL_KIND_AT) as i32);
        }
        self.ask(self.helpers.give, &[join, outputs.len() as i64], unusual);
    }
}
