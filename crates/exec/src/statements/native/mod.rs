//! Natively compiled modules: machine code for what `native` knows, the interpreter for the rest.

mod call;
mod form;
mod changes;
mod inserts;
mod joins;
mod run;

use std::sync::Arc;

use native::{Form, Part, Program};
use sql::ast;
use sql::catalog::TableDef;
use sql::plan::{QueryId, QueryKind, StatementKind, TableSource, in_order};
use types::SqlResult;

use super::code::{self, Code, Condition};
use super::failure::Unwind;
use super::run::{Flow, Runner};
use form::{assign_form, change_form, changes_form, folded, insert_form, native_target, values_form};
use joins::{Use, join_form, result_form};
use run::{Kept, Run};

/// A module's machine code, and what it asks the interpreter for.
pub struct NativeCode {
    /// The catalog that it was made from.
    version: u64,
    program: Arc<Program>,
    steps: Vec<Step>,
    /// None: it runs.
    kept: Option<Box<Kept>>,
}

enum Step {
    Statement(Code),
    /// Of the statement on this line.
    Condition(Condition, u32),
}

/// Longer modules are interpreted: the time that their code takes to make grows faster than they do, and nobody else runs on the
/// scheduler meanwhile. These take 0.1 s at most.
const TEXT_BYTES_MAX: usize = 16 << 10;

/// A module's program, shared by all its instances, and the catalog that it was made from.
pub type Shared = (u64, Arc<Program>);

impl<'a> Runner<'a> {
    /// The statements of a natively compiled module.
    pub fn native(&mut self, code: &[Code]) -> Result<Flow, Unwind> {
        if !self.context.runtime.get_mut().host.runs_native() {
            return self.list(code);
        }
        match self.take_native() {
            Err(error) => self.fail_scope(error, 0),
            Ok(None) => self.list(code),
            Ok(Some(mut native)) => {
                let kept = native.kept.take().unwrap_or_default();
                let (end, kept) = Run::to_end(self, &native, kept);
                native.kept = Some(kept);
                self.native = Some(native);
                end
            }
        }
    }

    /// None: there is none to be had.
    fn take_native(&mut self) -> SqlResult<Option<Box<NativeCode>>> {
        let runtime = self.context.runtime.get_mut();
        let version = runtime.host.catalog_version(runtime.session);
        match self.native.take().filter(|native| native.version == version) {
            Some(native) => Ok(Some(native)),
            None => self.compile(version),
        }
    }

    fn compile(&mut self, version: u64) -> SqlResult<Option<Box<NativeCode>>> {
        let module = self.module.clone();
        if module.text.len() > TEXT_BYTES_MAX {
            return Ok(None);
        }
        let shared = super::shared_program(&module).filter(|(of, _)| *of == version);
        let program = match shared {
            Some((_, program)) => program,
            None => {
                let made = Program::new(&module.body, &module.variables, &mut |query| self.form(query));
                let Some(program) = made.map(Arc::new) else { return Ok(None) };
                super::share_program(&module, (version, program.clone()));
                program
            }
        };
        let statements = in_order(&module.body);
        let steps = program.steps().iter().map(|step| {
            let statement = statements[step.statement as usize];
            Ok(match (step.part, &statement.kind) {
                (Part::Whole, _) => Step::Statement(code::statement(statement, &module)?),
                (Part::Condition, StatementKind::If { condition, .. } | StatementKind::While { condition, .. }) => {
                    Step::Condition(code::condition(condition, &mut code::compiler())?, statement.line)
                }
                (Part::Condition, other) => panic!("a condition of {other:?}"),
            })
        });
        let steps = steps.collect::<SqlResult<Vec<_>>>()?;
        Ok(Some(Box::new(NativeCode { version, steps, program, kept: None })))
    }

    /// A query that cannot be bound now is the interpreter's, which says why; so is one that is not permitted to all.
    fn form(&mut self, id: QueryId) -> Option<Form> {
        let prepared = self.take_query(id).ok()?;
        let query = prepared.query.clone();
        self.put_query(id, prepared);
        if !query.needs.is_empty() {
            return None;
        }
        let sends = matches!(self.module.queries[id.0 as usize].statement.kind, ast::StatementKind::Select(_));
        let mut open = |table: &TableDef| {
            let runtime = self.context.runtime.get_mut();
            runtime.host.open_table(runtime.session, table).ok()
        };
        match &query.kind {
            QueryKind::Modify(modify) => {
                let table = native_target(modify)?;
                let storage = open(table)?;
                let layout = &storage.layout().row;
                match modify.verb {
                    "INSERT" => insert_form(id, modify, layout, &mut open).map(Form::Insert),
                    _ => match change_form(id, modify, table, layout) {
                        Some(find) => Some(Form::Find(find)),
                        None => changes_form(id, modify, table, layout).map(Form::Changes),
                    },
                }
            }
            QueryKind::SelectAssign { plan, slots } => {
                if let Some(form) = values_form(id, plan, slots, &mut open) {
                    return Some(form);
                }
                let Some(folded) = folded(plan) else {
                    return join_form(id, plan, Use::Assign(slots), &mut open).map(Form::Join);
                };
                let TableSource::Base(table) = &folded.scan.table else { return None };
                let storage = table.memory.as_ref().and_then(|_| open(table))?;
                assign_form(id, folded, table, &storage.layout().row, slots)
            }
            QueryKind::Select(plan) if sends => result_form(id, plan, &mut open).map(Form::Join),
            // A condition, or the value of a RETURN.
            QueryKind::Select(plan) => values_form(id, plan, &[], &mut open),
            _ => None,
        }
    }
}
