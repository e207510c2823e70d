//! A module's machine code, ready to run.
#![allow(unsafe_code)]

use std::sync::Arc;

use cranelift_codegen::Context;
use cranelift_codegen::ir::UserFuncName;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module as _, default_libcall_names};
use sql::plan::{Expr, QueryId, Statement, Variable};

use crate::form::Form;
use crate::lower::{self, Execution, Lowered, Step};
use crate::number::Number;
use crate::runtime::{Call, HELPERS, Runtime};
use crate::scalar::FunctionCall;

type Entry = extern "C" fn(*mut Call<'_>, *const Number) -> i32;

/// What memory for code is taken by.
const PAGE_BYTES: usize = 4 << 10;

/// Shared by all who run it.
pub struct Program {
    /// Owns the memory of `entry`. None: it is being freed.
    module: Option<JITModule>,
    entry: Entry,
    steps: Vec<Step>,
    inserts: Vec<QueryId>,
    finds: Vec<QueryId>,
    scans: Vec<QueryId>,
    joins: Vec<(QueryId, Option<usize>)>,
    values: Vec<QueryId>,
    executions: Vec<Execution>,
    functions: Vec<FunctionCall>,
    asked: Vec<Expr>,
    images: Vec<u8>,
    variables: usize,
    code_bytes: usize,
}

// SAFETY: what the module points to is its own, and nobody changes it once the code is finished.
unsafe impl Send for Program {}
// SAFETY: as above; the code has no data of its own.
unsafe impl Sync for Program {}

impl Program {
    /// `variables`: the module's. `form`: what a query is, if it has machine code.
    /// None: there is no code generator for this machine.
    pub fn new(
        body: &[Statement],
        variables: &[Variable],
        form: &mut dyn FnMut(QueryId) -> Option<Form>,
    ) -> Option<Program> {
        let mut module = empty_module()?;
        let mut context = Context::new();
        let lowered = lower_into(&mut context, &mut module, body, variables, form);
        let id = module.declare_function("module", Linkage::Export, &context.func.signature).expect("one function");
        module.define_function(id, &mut context).expect("code that the verifier accepts");
        let code_bytes = context.compiled_code().map_or(0, |code| code.code_buffer().len());
        module.finalize_definitions().expect("memory for code");
        // SAFETY: a function of this signature was defined.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(module.get_finalized_function(id)) };
        Some(Program {
            module: Some(module),
            entry,
            steps: lowered.steps,
            inserts: lowered.inserts,
            finds: lowered.finds,
            scans: lowered.scans,
            joins: lowered.joins,
            values: lowered.values,
            executions: lowered.executions,
            functions: lowered.functions,
            asked: lowered.asked,
            images: lowered.images,
            variables: variables.len(),
            code_bytes,
        })
    }

    /// Of the machine code alone.
    pub fn code_bytes(&self) -> usize {
        self.code_bytes
    }

    /// Memory that it takes: the code has pages of its own.
    pub fn held_bytes(&self) -> usize {
        let lists = [&self.inserts, &self.finds, &self.scans, &self.values];
        let queries: usize = lists.iter().map(|list| size_of_val(&list[..])).sum();
        let calls = size_of_val(&self.executions[..]) + size_of_val(&self.functions[..]) + size_of_val(&self.asked[..]);
        let lists = size_of_val(&self.steps[..]) + queries + size_of_val(&self.joins[..]) + calls;
        size_of::<Program>() + self.code_bytes.next_multiple_of(PAGE_BYTES) + lists + self.images.len()
    }

    /// What the runtime's `step` and `holds` are asked for, by number.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The queries that `Runtime::insert` names.
    #[inline]
    pub fn inserts(&self) -> &[QueryId] {
        &self.inserts
    }

    /// The queries that `Runtime::find` names.
    pub fn finds(&self) -> &[QueryId] {
        &self.finds
    }

    /// The queries that `Runtime::scan` names.
    pub fn scans(&self) -> &[QueryId] {
        &self.scans
    }

    /// The queries that `Runtime::begin_join` and its kin name; Some: which of their subqueries it is.
    pub fn joins(&self) -> &[(QueryId, Option<usize>)] {
        &self.joins
    }

    /// The queries that `Runtime::begin_values` names.
    pub fn values(&self) -> &[QueryId] {
        &self.values
    }

    /// What `Runtime::execute` names.
    pub fn executions(&self) -> &[Execution] {
        &self.executions
    }

    /// What `Runtime::function` names.
    pub fn functions(&self) -> &[FunctionCall] {
        &self.functions
    }

    /// What `Runtime::ask` names.
    pub fn asked(&self) -> &[Expr] {
        &self.asked
    }

    /// Runs the statements to their end, or until the runtime left them. `numbers`: all variables of the module.
    pub fn run(&self, numbers: &Arc<[Number]>, runtime: &mut dyn Runtime) {
        assert!(numbers.len() >= self.variables, "the variables of the module");
        let mut images = self.images.clone();
        let mut call = Call::new(&mut images, runtime);
        (self.entry)(&mut call, numbers.as_ptr());
        call.end();
    }
}

/// The intermediate representation of what `Program::new` would compile, as Cranelift prints it, and the steps of that program.
pub fn listing(
    body: &[Statement],
    variables: &[Variable],
    form: &mut dyn FnMut(QueryId) -> Option<Form>,
) -> Option<(String, Vec<Step>)> {
    let mut context = Context::new();
    let lowered = lower_into(&mut context, &mut empty_module()?, body, variables, form);
    Some((context.func.display().to_string(), lowered.steps))
}

/// None: there is no code generator for this machine.
fn empty_module() -> Option<JITModule> {
    let mut flags = settings::builder();
    flags.set("opt_level", "speed").ok()?;
    flags.set("is_pic", "false").ok()?;
    let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
    let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
    builder.symbols(HELPERS);
    Some(JITModule::new(builder))
}

fn lower_into(
    context: &mut Context,
    module: &mut JITModule,
    body: &[Statement],
    variables: &[Variable],
    form: &mut dyn FnMut(QueryId) -> Option<Form>,
) -> Lowered {
    context.func.signature = lower::signature(module.target_config());
    context.func.name = UserFuncName::user(0, 0);
    lower::lower(&mut context.func, module, body, variables, form)
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: nobody runs the code: whoever does has borrowed the program.
            unsafe { module.free_memory() };
        }
    }
}
