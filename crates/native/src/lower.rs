//! A module's statements to machine code: control flow, assignments, INSERTs of one row. What has no machine code becomes a step.

mod calls;
mod changes;
mod joins;
mod rows;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, FuncRef, Function, InstBuilder, Signature, Type, Value as Ssa, types as ir,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITModule;
use cranelift_module::{Linkage, Module as _};
use sql::plan::{Condition, Expr, ExprKind, QueryId, Statement, StatementKind, Variable, VariableSlot};
use types::Datum;

pub use calls::Execution;
use joins::Subquery;

use crate::form::{Checks, Find, Form, Insert, Then, is_native};
use crate::runtime::{FOUND, FOUND_AT, IMAGES_AT, KEY_AT, LEFT, NOT_FOUND, ROWS_AT};
use crate::scalar::{
    Calls, Columns, Field, FunctionCall, Maker, Scalars, is_asked, is_made, makes_truth, packed, plain,
};

/// What the interpreter is to run when machine code asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Position of the statement as `sql::plan::in_order` gives them.
    pub statement: u32,
    pub part: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Whole,
    Condition,
}

/// Loops without anything that takes long let others have their turn after so many rounds.
const ROUNDS: i64 = 1024;

/// What machine code calls: `runtime::HELPERS`.
#[derive(Clone, Copy)]
struct Helpers {
    step: FuncRef,
    holds: FuncRef,
    insert: FuncRef,
    find: FuncRef,
    change: FuncRef,
    scan: FuncRef,
    scanned: FuncRef,
    begin_join: FuncRef,
    find_joined: FuncRef,
    scan_joined: FuncRef,
    give: FuncRef,
    send: FuncRef,
    end_join: FuncRef,
    begin_try: FuncRef,
    end_try: FuncRef,
    catch: FuncRef,
    end_catch: FuncRef,
    turn: FuncRef,
    execute: FuncRef,
    function: FuncRef,
    keep: FuncRef,
    change_rows: FuncRef,
    begin_values: FuncRef,
    end_values: FuncRef,
    returns: FuncRef,
    ask: FuncRef,
}

impl Helpers {
    /// Makes them known to the function.
    fn declare(module: &mut JITModule, function: &mut Function) -> Helpers {
        let pointer = module.target_config().pointer_type();
        let mut declare = |name: &str, numbers: usize| {
            let mut signature = module.make_signature();
            signature.params.push(AbiParam::new(pointer));
            signature.params.extend((0..numbers).map(|_| AbiParam::new(ir::I32)));
            signature.returns.push(AbiParam::new(ir::I32));
            let id = module.declare_function(name, Linkage::Import, &signature).expect("a name of its own");
            module.declare_func_in_func(id, function)
        };
        Helpers {
            step: declare("step", 1),
            holds: declare("holds", 1),
            insert: declare("insert", 3),
            find: declare("find", 3),
            change: declare("change", 2),
            scan: declare("scan", 3),
            scanned: declare("scanned", 2),
            begin_join: declare("begin_join", 1),
            find_joined: declare("find_joined", 3),
            scan_joined: declare("scan_joined", 4),
            give: declare("give", 2),
            send: declare("send", 1),
            end_join: declare("end_join", 2),
            begin_try: declare("begin_try", 0),
            end_try: declare("end_try", 0),
            catch: declare("catch", 0),
            end_catch: declare("end_catch", 1),
            turn: declare("turn", 0),
            execute: declare("execute", 2),
            function: declare("function", 2),
            keep: declare("keep", 2),
            change_rows: declare("change_rows", 2),
            begin_values: declare("begin_values", 1),
            end_values: declare("end_values", 1),
            returns: declare("returns", 0),
            ask: declare("ask", 1),
        }
    }
}

/// `fn(call, numbers) -> i32`: 0 at the end of the statements, `LEFT` if the run left them.
pub fn signature(target: TargetFrontendConfig) -> Signature {
    let pointer = AbiParam::new(target.pointer_type());
    let mut signature = Signature::new(target.default_call_conv);
    signature.params.extend([pointer, pointer]);
    signature.returns.push(AbiParam::new(ir::I32));
    signature
}

/// What came of it, besides the code in the function.
#[derive(Debug, Default)]
pub struct Lowered {
    pub steps: Vec<Step>,
    pub inserts: Vec<QueryId>,
    pub finds: Vec<QueryId>,
    pub scans: Vec<QueryId>,
    /// Queries, or subqueries of them.
    pub joins: Vec<(QueryId, Option<usize>)>,
    pub values: Vec<QueryId>,
    pub executions: Vec<Execution>,
    pub functions: Vec<FunctionCall>,
    pub asked: Vec<Expr>,
    /// The images of all INSERTs, and those of LEFT JOINs, one after the other.
    pub images: Vec<u8>,
}

/// `form`: what a query is, if it has machine code.
pub fn lower(
    function: &mut Function,
    module: &mut JITModule,
    body: &[Statement],
    variables: &[Variable],
    form: &mut dyn FnMut(QueryId) -> Option<Form>,
) -> Lowered {
    let mut context = FunctionBuilderContext::new();
    let pointer = module.target_config().pointer_type();
    let helpers = Helpers::declare(module, function);
    let mut builder = FunctionBuilder::new(function, &mut context);
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let (call, numbers) = (builder.block_params(entry)[0], builder.block_params(entry)[1]);
    let images = builder.ins().load(pointer, plain(), call, IMAGES_AT as i32);
    let rounds = builder.declare_var(ir::I64);
    let start = builder.ins().iconst(ir::I64, ROUNDS);
    builder.def_var(rounds, start);
    let left = builder.create_block();
    builder.set_cold_block(left);
    let classes = variables.iter().map(|variable| variable.ty.physical()).collect();
    let calls =
        Calls { run: call, helper: helpers.function, functions: Vec::new(), ask: helpers.ask, asked: Vec::new() };
    let mut body_of = Body {
        scalars: Scalars {
            builder: &mut builder,
            numbers,
            columns: Columns::None,
            entries: Vec::new(),
            held: Vec::new(),
            classes,
            calls,
        },
        helpers,
        variables,
        form,
        call,
        pointer,
        images,
        rounds,
        left,
        at: 0,
        subqueries: Vec::new(),
        lowered: Lowered::default(),
    };
    body_of.list(body);
    let zero = body_of.builder().ins().iconst(ir::I32, 0);
    body_of.builder().ins().return_(&[zero]);
    body_of.make_subqueries();
    let Calls { functions, asked, .. } = body_of.scalars.calls;
    let lowered = Lowered { functions, asked, ..body_of.lowered };
    builder.switch_to_block(left);
    let status = builder.ins().iconst(ir::I32, i64::from(LEFT));
    builder.ins().return_(&[status]);
    builder.seal_all_blocks();
    builder.finalize(module.target_config());
    lowered
}

/// Where the machine code of a statement goes on.
struct Ends {
    /// Before it has changed anything: the interpreter is to run the statement.
    unusual: Block,
    next: Block,
}

struct Body<'a, 'b, 'f> {
    scalars: Scalars<'b, 'f>,
    helpers: Helpers,
    variables: &'a [Variable],
    form: &'a mut dyn FnMut(QueryId) -> Option<Form>,
    call: Ssa,
    pointer: Type,
    images: Ssa,
    rounds: cranelift_frontend::Variable,
    /// Where code goes on that has left the run: within a TRY or CATCH block to its end, else the run ends.
    left: Block,
    /// Statements so far, in order.
    at: u32,
    /// Those that expressions enter, whose code is still to be made.
    subqueries: Vec<Subquery>,
    lowered: Lowered,
}

impl<'f> Body<'_, '_, 'f> {
    fn builder(&mut self) -> &mut FunctionBuilder<'f> {
        self.scalars.builder
    }

    fn call(&mut self, helper: FuncRef, numbers: &[i64]) -> Ssa {
        let mut arguments = vec![self.call];
        for number in numbers {
            let number = self.builder().ins().iconst(ir::I32, *number);
            arguments.push(number);
        }
        let call = self.builder().ins().call(helper, &arguments);
        self.builder().inst_results(call)[0]
    }

    fn list(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    /// Continues behind the statement, in a block that may have no way into it.
    fn statement(&mut self, statement: &Statement) {
        let number = self.at;
        self.at += 1;
        match &statement.kind {
            StatementKind::Assign { slot, value: Expr { kind: ExprKind::Literal(Datum::I64(value)), .. } } => {
                let value = self.builder().ins().iconst(ir::I64, *value);
                self.scalars.set(*slot, value, None);
                self.set_rows(1);
            }
            StatementKind::Assign { slot, value } if is_native(value) => {
                let ends = self.ends();
                self.begin_to_ask([value]);
                let (value, null) = match self.variables[slot.0 as usize].not_null {
                    true => (self.scalars.value(value, ends.unusual), None),
                    false => self.scalars.value_or_null(value, ends.unusual),
                };
                self.scalars.set(*slot, value, null);
                self.set_rows(1);
                self.end(number, ends);
            }
            StatementKind::If { condition, then, otherwise } => {
                let (yes, no, next) =
                    (self.builder().create_block(), self.builder().create_block(), self.builder().create_block());
                self.condition(number, condition, yes, no);
                for (block, statements) in [(yes, then), (no, otherwise)] {
                    self.builder().switch_to_block(block);
                    // A condition is a statement of its own that touches no row.
                    self.set_rows(0);
                    self.list(statements);
                    self.builder().ins().jump(next, &[]);
                }
                self.builder().switch_to_block(next);
            }
            StatementKind::While { condition, body } => self.while_loop(number, condition, body),
            StatementKind::Block(body) => self.list(body),
            StatementKind::TryCatch { body, handler } => self.try_catch(body, handler),
            StatementKind::Query(query) => match (self.form)(*query) {
                Some(Form::Insert(insert)) => self.insert(number, insert),
                Some(Form::Find(find)) => self.find(number, find),
                Some(Form::Rows(rows)) => self.rows(number, rows),
                Some(Form::Join(join)) => self.join(number, join),
                Some(Form::Changes(changes)) => self.changes(number, changes),
                Some(Form::Values(values)) => self.assign_values(number, values),
                None => self.step(number),
            },
            StatementKind::Execute(execute) => self.execute(number, execute),
            StatementKind::ReturnQuery(query) => self.return_values(number, *query),
            StatementKind::Return(None) => self.returns(number, None),
            StatementKind::Return(Some(value)) if is_made(value, &|_| false) => self.returns(number, Some(value)),
            _ => {
                self.at = number + statement.count();
                self.step(number);
            }
        }
    }

    fn while_loop(&mut self, number: u32, condition: &Condition, body: &[Statement]) {
        let turn = self.rare_block();
        let (begin, round, after) =
            (self.builder().create_block(), self.builder().create_block(), self.builder().create_block());
        self.builder().ins().jump(begin, &[]);
        self.builder().switch_to_block(begin);
        self.condition(number, condition, round, after);
        self.builder().switch_to_block(round);
        self.set_rows(0);
        self.list(body);
        let rounds = self.rounds;
        let left = self.builder().use_var(rounds);
        let left = self.builder().ins().iadd_imm_s(left, -1);
        self.builder().def_var(rounds, left);
        self.builder().ins().brif(left, begin, &[], turn, &[]);
        self.builder().switch_to_block(turn);
        let start = self.builder().ins().iconst(ir::I64, ROUNDS);
        self.builder().def_var(rounds, start);
        let status = self.call(self.helpers.turn, &[]);
        let left = self.left;
        self.builder().ins().brif(status, left, &[], begin, &[]);
        self.builder().switch_to_block(after);
        self.set_rows(0);
    }

    fn try_catch(&mut self, body: &[Statement], handler: &[Statement]) {
        let (outer, caught, left) = (self.left, self.rare_block(), self.rare_block());
        let (catches, next) = (self.rare_block(), self.builder().create_block());
        self.call(self.helpers.begin_try, &[]);
        self.left = caught;
        self.list(body);
        self.call(self.helpers.end_try, &[]);
        self.builder().ins().jump(next, &[]);

        self.builder().switch_to_block(caught);
        let status = self.call(self.helpers.catch, &[]);
        self.builder().ins().brif(status, outer, &[], catches, &[]);
        self.builder().switch_to_block(catches);
        self.left = left;
        self.list(handler);
        self.left = outer;
        self.call(self.helpers.end_catch, &[0]);
        self.builder().ins().jump(next, &[]);

        self.builder().switch_to_block(left);
        self.call(self.helpers.end_catch, &[1]);
        self.builder().ins().jump(outer, &[]);
        self.builder().switch_to_block(next);
    }

    fn rare_block(&mut self) -> Block {
        let block = self.builder().create_block();
        self.builder().set_cold_block(block);
        block
    }

    /// @@ROWCOUNT.
    fn set_rows(&mut self, rows: i64) {
        let rows = self.builder().ins().iconst(ir::I64, rows);
        self.set_rows_to(rows);
    }

    fn set_rows_to(&mut self, rows: Ssa) {
        let call = self.call;
        self.builder().ins().store(plain(), rows, call, ROWS_AT as i32);
    }

    fn new_step(&mut self, statement: u32, part: Part) -> i64 {
        self.lowered.steps.push(Step { statement, part });
        self.lowered.steps.len() as i64 - 1
    }

    /// The interpreter runs the statement.
    fn step(&mut self, statement: u32) {
        let step = self.new_step(statement, Part::Whole);
        let status = self.call(self.helpers.step, &[step]);
        let (next, left) = (self.builder().create_block(), self.left);
        self.builder().ins().brif(status, left, &[], next, &[]);
        self.builder().switch_to_block(next);
    }

    /// For a statement in machine code, which `end` ends.
    fn ends(&mut self) -> Ends {
        Ends { unusual: self.rare_block(), next: self.builder().create_block() }
    }

    /// The interpreter runs the whole statement where its machine code met what it does not know.
    fn end(&mut self, statement: u32, Ends { unusual, next }: Ends) {
        self.builder().ins().jump(next, &[]);
        self.builder().switch_to_block(unusual);
        self.step(statement);
        self.builder().ins().jump(next, &[]);
        self.builder().switch_to_block(next);
    }

    /// Asks for a change, and continues where it was made.
    fn ask(&mut self, helper: FuncRef, numbers: &[i64], unusual: Block) {
        let status = self.call(helper, numbers);
        self.leave_if_left(status);
        let done = self.builder().create_block();
        self.builder().ins().brif(status, done, &[], unusual, &[]);
        self.builder().switch_to_block(done);
    }

    /// A statement of these expressions begins.
    fn begin_to_ask<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        if exprs.into_iter().any(|expr| expr.any(&mut is_asked)) {
            self.scalars.begin_to_ask();
        }
    }

    fn leave_if_left(&mut self, answer: Ssa) {
        let stays = self.builder().create_block();
        let leaves = self.builder().ins().icmp_imm_s(IntCC::Equal, answer, i64::from(LEFT));
        let left = self.left;
        self.builder().ins().brif(leaves, left, &[], stays, &[]);
        self.builder().switch_to_block(stays);
    }

    fn condition(&mut self, statement: u32, condition: &Condition, yes: Block, no: Block) {
        if let Condition::Scalar(expr) = condition
            && makes_truth(expr, &|_| false, Maker::Both)
        {
            let unusual = self.rare_block();
            self.begin_to_ask([expr]);
            self.scalars.branch(expr, yes, no, unusual);
            self.builder().switch_to_block(unusual);
        }
        if let Condition::Query(query) = condition {
            self.values_condition(*query, yes, no);
        }
        let step = self.new_step(statement, Part::Condition);
        let status = self.call(self.helpers.holds, &[step]);
        self.leave_if_left(status);
        self.builder().ins().brif(status, yes, &[], no, &[]);
    }

    fn insert(&mut self, number: u32, insert: Insert) {
        let ends = self.ends();
        let start = self.lowered.images.len();
        self.begin_with_subqueries(&insert.subqueries, insert.values.iter().map(|(_, value)| value));
        for (field, expr) in &insert.values {
            let (value, null) = self.field_value(*field, expr, ends.unusual);
            self.scalars.set_column(self.images, start, *field, value, null);
        }
        self.keep_subqueries(&insert.subqueries, ends.unusual);
        let image = match insert.checks.tests.is_empty() {
            true => self.images,
            false => {
                let images = self.images;
                self.builder().ins().iadd_imm_s(images, start as i64)
            }
        };
        self.check(image, insert.checks, ends.unusual);
        self.lowered.images.extend_from_slice(&insert.image);
        self.lowered.inserts.push(insert.query);
        let numbers = [self.lowered.inserts.len() as i64 - 1, start as i64, insert.image.len() as i64];
        self.ask(self.helpers.insert, &numbers, ends.unusual);
        self.set_rows(1);
        self.end(number, ends);
    }

    fn find(&mut self, number: u32, find: Find) {
        let ends = self.ends();
        let Ends { unusual, next } = ends;
        let call = self.call;
        let made = match &find.then {
            Then::Assign(values) => values.iter().map(|(_, value)| value).collect(),
            Then::Update(values, _) => values.iter().map(|(_, value)| value).collect(),
            Then::Delete => Vec::new(),
        };
        self.begin_to_ask(find.key.iter().chain(made));
        for (column, value) in find.key.iter().enumerate() {
            let value = self.scalars.value(value, unusual);
            self.builder().ins().store(plain(), value, call, (KEY_AT + 8 * column) as i32);
        }
        self.lowered.finds.push(find.query);
        let this = self.lowered.finds.len() as i64 - 1;
        let copies = i64::from(matches!(find.then, Then::Update(..)));
        let answer = self.call(self.helpers.find, &[this, find.key.len() as i64, copies]);
        self.leave_if_left(answer);
        let (found, other, none) =
            (self.builder().create_block(), self.builder().create_block(), self.builder().create_block());
        let is_found = self.builder().ins().icmp_imm_s(IntCC::Equal, answer, i64::from(FOUND));
        self.builder().ins().brif(is_found, found, &[], other, &[]);
        self.builder().switch_to_block(other);
        let is_none = self.builder().ins().icmp_imm_s(IntCC::Equal, answer, i64::from(NOT_FOUND));
        self.builder().ins().brif(is_none, none, &[], unusual, &[]);
        self.builder().switch_to_block(none);
        self.set_rows(0);
        self.builder().ins().jump(next, &[]);
        self.builder().switch_to_block(found);
        let row = self.complete_row(find.columns, unusual);
        self.scalars.columns = Columns::Image(row, find.fields);
        match &find.then {
            Then::Assign(values) => self.assign_from_row(values, unusual),
            Then::Update(values, _) => self.write_to_row(row, values, unusual),
            Then::Delete => {}
        }
        self.scalars.columns = Columns::None;
        let assigns = matches!(find.then, Then::Assign(_));
        if let Then::Update(_, checks) = find.then {
            self.check(row, checks, unusual);
        }
        if !assigns {
            self.ask(self.helpers.change, &[this, copies], unusual);
        }
        self.set_rows(1);
        self.end(number, ends);
    }

    /// The image that a look-up found. One of before a column was added is not usual.
    fn complete_row(&mut self, columns: u16, unusual: Block) -> Ssa {
        let (call, pointer) = (self.call, self.pointer);
        let row = self.builder().ins().load(pointer, plain(), call, FOUND_AT as i32);
        let found = self.builder().ins().uload16(ir::I64, packed(), row, 0);
        let differs = self.builder().ins().icmp_imm_s(IntCC::NotEqual, found, i64::from(columns));
        self.scalars.unless(differs, unusual);
        row
    }

    /// What the row assigns to variables, and whether it is NULL, if it may be.
    fn row_values(
        &mut self,
        assigned: &[(VariableSlot, Expr)],
        unusual: Block,
    ) -> Vec<(VariableSlot, Ssa, Option<Ssa>)> {
        let mut values = Vec::new();
        for (slot, expr) in assigned {
            let (value, null) = match self.variables[slot.0 as usize].not_null {
                true => (self.scalars.value(expr, unusual), None),
                false => self.scalars.value_or_null(expr, unusual),
            };
            values.push((*slot, value, null));
        }
        values
    }

    /// All values first: one of them may not be usual.
    fn assign_from_row(&mut self, assigned: &[(VariableSlot, Expr)], unusual: Block) {
        for (slot, value, null) in self.row_values(assigned, unusual) {
            self.scalars.set(slot, value, null);
        }
    }

    /// What a column is to have. A NULL in one that may not be is unusual.
    fn field_value(&mut self, field: Field, expr: &Expr, unusual: Block) -> (Ssa, Option<Ssa>) {
        match field.nullable {
            true => self.scalars.value_or_null(expr, unusual),
            false => (self.scalars.value(expr, unusual), None),
        }
    }

    /// A row that one of them refuses is unusual: the interpreter says so.
    fn check(&mut self, image: Ssa, checks: Checks, unusual: Block) {
        let Checks { fields, tests } = checks;
        self.scalars.columns = Columns::Image(image, fields);
        for test in &tests {
            let passes = self.builder().create_block();
            self.scalars.branch_unless_false(test, passes, unusual);
            self.builder().switch_to_block(passes);
        }
        self.scalars.columns = Columns::None;
    }

    /// The same for the fields of a row, which is a copy.
    fn write_to_row(&mut self, row: Ssa, set: &[(Field, Expr)], unusual: Block) {
        let values: Vec<_> = set.iter().map(|(field, expr)| self.field_value(*field, expr, unusual)).collect();
        for ((field, _), (value, null)) in set.iter().zip(values) {
            self.scalars.set_column(row, 0, *field, value, null);
        }
    }
}
