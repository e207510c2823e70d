//! SET SHOWPLAN_XML: the plans of a batch's statements and of the procedures that it calls, in one document, in place of running them.
//! SET SHOWPLAN_TEXT and SHOWPLAN_ALL: a statement's plan as rows, in place of running it.
//! SET STATISTICS XML and PROFILE: a statement's plan after it has run, with what its operators did.

use std::sync::Arc;

use sql::catalog::ObjectId;
use sql::plan::show_xml::{Run, ShowPlan};
use sql::plan::{Condition, ExecuteTarget, Module, OutputColumn, Query, QueryId, Statement, StatementKind, show_all};
use types::{Datum, RowBatch, SqlResult, SqlType};

use super::NESTING_MAX;
use super::failure::Unwind;
use super::query::Prepared;
use super::run::{Flow, Runner};
use crate::context::Runtime;
use crate::host::Callee;
use crate::profile::Profile;
use crate::sink::Command;
use crate::workspace::Granted;

/// A document in the making.
struct Described<'r, 'a> {
    runtime: &'r mut Runtime<'a>,
    plan: ShowPlan,
    /// Each procedure is described once, however often it is called, and itself not within itself.
    procedures: Vec<ObjectId>,
}

impl Described<'_, '_> {
    fn bound(&mut self, module: &Arc<Module>, id: QueryId) -> SqlResult<Arc<Query>> {
        let query = self.runtime.host.bind_query(self.runtime.session, module, id)?;
        self.runtime.host.check_shown(self.runtime.session, &query)?;
        Ok(query)
    }

    fn list(&mut self, module: &Arc<Module>, statements: &[Statement], depth: u32) -> SqlResult<()> {
        statements.iter().try_for_each(|statement| self.statement(module, statement, depth))
    }

    /// Those without a plan are left out.
    fn statement(&mut self, module: &Arc<Module>, statement: &Statement, depth: u32) -> SqlResult<()> {
        match &statement.kind {
            StatementKind::Query(id) | StatementKind::ReturnQuery(id) => {
                let query = self.bound(module, *id)?;
                self.plan.query(module, *id, &query.kind);
                Ok(())
            }
            StatementKind::If { condition, then, otherwise } => {
                self.condition(module, condition)?;
                self.list(module, then, depth)?;
                if !otherwise.is_empty() {
                    self.plan.otherwise();
                    self.list(module, otherwise, depth)?;
                }
                self.plan.end_condition(!otherwise.is_empty());
                Ok(())
            }
            StatementKind::While { condition, body } => {
                self.condition(module, condition)?;
                self.list(module, body, depth)?;
                self.plan.end_condition(false);
                Ok(())
            }
            StatementKind::Block(list) => self.list(module, list, depth),
            StatementKind::TryCatch { body, handler } => {
                self.list(module, body, depth)?;
                self.list(module, handler, depth)
            }
            StatementKind::Execute(execute) => match &execute.target {
                ExecuteTarget::Procedure(name) => {
                    let callee = self.runtime.host.procedure(self.runtime.session, name, None)?;
                    self.call(callee, depth)
                }
                // What it runs is known when it runs.
                ExecuteTarget::Named(_) | ExecuteTarget::Text(_) => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn condition(&mut self, module: &Arc<Module>, condition: &Condition) -> SqlResult<()> {
        let query = match condition {
            Condition::Scalar(_) => None,
            Condition::Query(id) => Some(self.bound(module, *id)?),
        };
        self.plan.condition(query.as_ref().map(|query| (&**module, &query.kind)));
        Ok(())
    }

    fn call(&mut self, callee: Callee, depth: u32) -> SqlResult<()> {
        let (module, info) = match callee {
            Callee::Module(module, info) => (module, info),
            Callee::System(name) => {
                self.plan.begin_call(&name, false);
                self.plan.end_call();
                return Ok(());
            }
        };
        self.plan.begin_call(&info.name, module.atomic.is_some());
        if depth < NESTING_MAX && !self.procedures.contains(&info.object) {
            self.procedures.push(info.object);
            self.list(&module, &module.body, depth + 1)?;
        }
        self.plan.end_call();
        Ok(())
    }
}

impl Runner<'_> {
    /// Whether the module is shown and not run. What sets options does so all the same, or nobody could switch it off.
    pub fn is_shown(&mut self) -> bool {
        let sets = |statement: &Statement| matches!(statement.kind, StatementKind::SetOption(_));
        self.session().options.show_plan_xml
            && self.frame.function.is_none()
            && self.frame.trigger.is_none()
            && !self.module.body.iter().all(sets)
    }

    pub fn show_plan_xml(&mut self) -> Result<Flow, Unwind> {
        let module = self.module.clone();
        let mut described =
            Described { runtime: self.context.runtime.get_mut(), plan: ShowPlan::default(), procedures: Vec::new() };
        if let Err(error) = described.list(&module, &module.body, 0) {
            return self.fail_scope(error, 0);
        }
        let xml = described.plan.finish();
        self.send_plan(&xml)?;
        Ok(Flow::Next)
    }

    /// SET SHOWPLAN_TEXT: the statement's text, then its plan. SET SHOWPLAN_ALL: both in one.
    pub fn show_plan(&mut self, id: QueryId, line: u32) -> Result<Flow, Unwind> {
        let prepared = match self.take_query(id) {
            Ok(prepared) => prepared,
            Err(error) => return self.fail_bound(error, line, Command::Other),
        };
        let runtime = self.context.runtime.get_mut();
        if let Err(error) = runtime.host.check_shown(runtime.session, &prepared.query) {
            self.put_query(id, prepared);
            return self.fail_bound(error, line, Command::Other);
        }
        let shown = match self.session().options.show_plan_all {
            true => {
                self.send_rows(&show_all::columns(false), &show_all::rows(&self.module, id, &prepared.query.kind, None))
            }
            false => self.show_text(id, &prepared.query),
        };
        self.put_query(id, prepared);
        shown.map(|()| Flow::Next)
    }

    fn show_text(&mut self, id: QueryId, query: &Query) -> Result<(), Unwind> {
        let span = self.module.queries[id.0 as usize].statement.span;
        let text = self.module.text.get(span.start as usize..span.end as usize).unwrap_or_default().to_string();
        let plan = sql::plan::show::show(&query.kind, &self.module);
        for lines in [vec![text], plan] {
            let short = lines.iter().all(|line| line.encode_utf16().count() <= 4000);
            let ty = if short { SqlType::nvarchar(4000) } else { SqlType::NVARCHAR_MAX };
            let column = OutputColumn::plain("StmtText", ty, true);
            let rows: Vec<Vec<Datum>> = lines.iter().map(|line| vec![Datum::nvarchar(line)]).collect();
            self.send_rows(std::slice::from_ref(&column), &rows)?;
        }
        Ok(())
    }

    /// SET STATISTICS XML or PROFILE is on: the statement with its operators watched, and where these lie in its plan. None: what a function or a
    /// natively compiled module does is not told.
    pub fn watch(&mut self, prepared: &Prepared) -> SqlResult<Option<(Box<Prepared>, Vec<usize>)>> {
        if self.frame.function.is_some() || self.module.atomic.is_some() {
            return Ok(None);
        }
        let runtime = self.context.runtime.get_mut();
        runtime.host.check_shown(runtime.session, &prepared.query)?;
        let watched = prepared.watched(&self.module)?;
        self.context.workspace().watch(watched.1.len());
        Ok(Some(watched))
    }

    /// After the statement's own results: its plan, with what its operators did.
    pub fn tell_run(
        &mut self,
        id: QueryId,
        query: &Query,
        rows: u64,
        operators: &[usize],
        profile: Profile,
        granted: Granted,
    ) -> Result<(), Unwind> {
        let nodes = operators.iter().copied().zip(profile.into_nodes()).collect();
        let run = Run { rows, operators: nodes, granted: granted.granted, used: granted.used };
        if self.session().options.statistics_profile {
            let rows = show_all::rows(&self.module, id, &query.kind, Some(&run));
            self.send_rows(&show_all::columns(true), &rows)?;
        }
        if !self.session().options.statistics_xml {
            return Ok(());
        }
        let mut plan = ShowPlan::default();
        plan.executed(&self.module, id, &query.kind, &run);
        self.send_plan(&plan.finish())
    }

    fn send_plan(&mut self, xml: &str) -> Result<(), Unwind> {
        let column = OutputColumn::plain("Microsoft SQL Server 2005 XML Showplan", SqlType::NVARCHAR_MAX, true);
        self.send_rows(std::slice::from_ref(&column), &[vec![Datum::nvarchar(xml)]])
    }

    /// A result set.
    fn send_rows(&mut self, columns: &[OutputColumn], rows: &[Vec<Datum>]) -> Result<(), Unwind> {
        let mut batch = RowBatch::new(columns.iter().map(|column| column.ty.physical()));
        rows.iter().for_each(|row| batch.push_row(row));
        let sink = &mut *self.context.runtime.get_mut().sink;
        let sent = sink.columns(columns).and_then(|()| sink.batch(&batch));
        sent.map_err(Unwind::Stop)?;
        self.done(Command::Select, Some(rows.len() as u64))
    }
}
