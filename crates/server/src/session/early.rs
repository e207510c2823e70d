//! A batch is checked as a whole before its first statement runs; what was bound for that is what runs.
//!
//! ```text
//! module --walk in the order of the text--> each query bound   wrong for good: the batch does not start, every such error is told
//!                                           |                  an object is missing: bound when it is reached
//!                                           '--> kept for its run, unless something before it may change what it is bound to
//! ```

use std::sync::Arc;

use exec::session::Session as State;
use sql::ast::{InsertSource, QueryBody, StatementKind as Tree};
use sql::bind::{BindOptions, Early, bind_early};
use sql::plan::{Condition, Module, QueryId, SetOption, Statement, StatementKind};
use types::SqlError;

use crate::catalog::CatalogSession;
use crate::session::host::SessionHost;
use crate::session::private_queries::PRIVATE_QUERIES_MAX;

/// Errors of one batch that are told; more would only repeat.
const ERRORS_MAX: usize = 20;

/// So many rows of their own INSERT may be in a table before a plan made without them is worth making again.
const INSERTS_MAX: u32 = 100;

/// Errors: those that no execution could change. `keeps`: the module is about to run, so what is bound is kept.
pub fn check(
    host: &mut SessionHost,
    state: &mut State,
    module: &Arc<Module>,
    keeps: bool,
) -> Result<(), Vec<SqlError>> {
    let mut check = Check { host, state, module, errors: Vec::new(), keeps, inserts: 0, kept_private: 0, over: false };
    check.statements(&module.body, false);
    if check.errors.is_empty() {
        return Ok(());
    }
    let errors = check.errors;
    host.notices.clear();
    Err(errors)
}

struct Check<'a> {
    host: &'a mut SessionHost,
    state: &'a mut State,
    module: &'a Arc<Module>,
    errors: Vec<SqlError>,
    /// What is bound now stands when it is reached: no definition and no setting it depends on comes before.
    keeps: bool,
    /// Rows that statements before this one may have put into tables: plans depend on how many there are.
    inserts: u32,
    kept_private: usize,
    /// What follows is left for its execution: another database (USE), the bound of the session's own plans, an interruption.
    over: bool,
}

impl Check<'_> {
    fn statements(&mut self, statements: &[Statement], repeated: bool) {
        for statement in statements {
            if self.over || self.errors.len() >= ERRORS_MAX {
                return;
            }
            self.statement(&statement.kind, repeated);
        }
    }

    fn statement(&mut self, kind: &StatementKind, repeated: bool) {
        match kind {
            StatementKind::Query(id) | StatementKind::ReturnQuery(id) => self.query(*id, repeated),
            StatementKind::DeclareCursor(cursor) => self.query(cursor.query, repeated),
            StatementKind::If { condition, then, otherwise } => {
                self.condition(condition, repeated);
                self.statements(then, repeated);
                self.statements(otherwise, repeated);
            }
            StatementKind::While { condition, body } => {
                self.condition(condition, true);
                self.statements(body, true);
            }
            StatementKind::Block(body) => self.statements(body, repeated),
            StatementKind::TryCatch { body, handler } => {
                self.statements(body, repeated);
                self.statements(handler, repeated);
            }
            StatementKind::Definition(_) => self.keeps = false,
            StatementKind::Execute(_) => self.inserts = INSERTS_MAX,
            StatementKind::Use(_) => self.over = true,
            StatementKind::SetOption(SetOption::IdentityInsert { .. }) => self.keeps = false,
            StatementKind::SetOption(SetOption::Switch { names, .. }) => {
                let binding = ["ANSI_NULLS", "ANSI_DEFAULTS", "QUOTED_IDENTIFIER"];
                self.keeps &= !names.iter().any(|name| binding.contains(&&**name));
            }
            _ => {}
        }
    }

    fn condition(&mut self, condition: &Condition, repeated: bool) {
        if let Condition::Query(id) = condition {
            self.query(*id, repeated);
        }
    }

    fn query(&mut self, id: QueryId, repeated: bool) {
        os::wait::maybe_yield();
        if self.over || self.state.signal.pending().is_some() {
            self.over = true;
            return;
        }
        let text = &self.module.queries[id.0 as usize];
        let (plan_varies, inserts) = match &text.statement.kind {
            Tree::Insert(insert) => match &insert.source {
                InsertSource::Values(rows) if !repeated => (false, u32::try_from(rows.len()).unwrap_or(INSERTS_MAX)),
                InsertSource::DefaultValues if !repeated => (false, 1),
                InsertSource::Values(_) | InsertSource::DefaultValues => (false, INSERTS_MAX),
                _ => (true, INSERTS_MAX),
            },
            Tree::Merge(_) => (true, INSERTS_MAX),
            _ => (true, 0),
        };
        let keeps = self.keeps && !(plan_varies && self.inserts >= INSERTS_MAX);
        self.inserts = self.inserts.saturating_add(inserts);
        let version = self.host.catalog_session.version(&self.host.server.catalog);
        let own = SessionHost::bind_options(self.state);
        let options = BindOptions { ansi_nulls: text.ansi_nulls, client: text.client, ..own };
        let own = |name: &str| makes_temporary(self.module, name);
        let early = self
            .host
            .with_catalog(self.state, |catalog| bind_early(&text.statement, self.module, catalog, &options, &own));
        match early {
            Early::Bound(mut query) if keeps => {
                if let Err(error) = self.host.drop_chained(self.state, &mut query.needs) {
                    self.errors.push(error);
                    return;
                }
                let shared = !query.session_private && CatalogSession::is_shared_version(version);
                self.kept_private += usize::from(!shared);
                self.over = self.kept_private >= PRIVATE_QUERIES_MAX / 2;
                self.host.keep_bound(self.state, self.module, id, version, Arc::new(*query));
            }
            Early::Wrong(error) => self.errors.extend(error.at_line(text.line).one_by_one()),
            Early::Bound(_) | Early::Later => {}
        }
    }
}

/// A statement of the batch makes, changes or drops a temporary table of that name.
fn makes_temporary(module: &Module, name: &str) -> bool {
    module.queries.iter().any(|query| {
        let statement = &query.statement;
        match &statement.kind {
            Tree::Select(select) => match &select.body {
                QueryBody::Select(body) => {
                    body.into.as_ref().is_some_and(|into| into.table.name.text.eq_ignore_ascii_case(name))
                }
                _ => false,
            },
            Tree::Insert(_) | Tree::Update(_) | Tree::Delete(_) | Tree::Merge(_) | Tree::DeclareCursor(_) => false,
            Tree::SetVariable(_) | Tree::If(_) | Tree::Return(_) | Tree::Print(_) => false,
            // A definition: its text says whose.
            _ => {
                let text = statement.span.of(&module.text).to_ascii_lowercase();
                text.contains(&name.to_ascii_lowercase())
            }
        }
    })
}
