//! The columns of the first result of a text that is not run: what sp_describe_first_result_set, sp_prepare and their kin tell. It
//! follows EXEC into procedures.

use exec::host::{Callee, Host, ModuleInfo};
use exec::session::Session as State;
use sql::bind::BindOptions;
use sql::plan::{Client, ExecuteTarget, Module, OutputColumn, Statement, StatementKind};
use types::{SqlResult, sql_error};

use crate::session::host::SessionHost;

/// Procedures within one another that are followed: as many as could run.
const DEPTH_MAX: u32 = 32;

type Columns = SqlResult<Option<Vec<OutputColumn>>>;

struct Walk<'a> {
    host: &'a mut SessionHost,
    state: &'a mut State,
    client: Client,
    depth: u32,
}

/// None: the text returns no rows. Errors: those of its queries, 11513 and 11514 for dynamic SQL that comes before the first rows.
pub fn first_result(host: &mut SessionHost, state: &mut State, module: &Module, client: Client) -> Columns {
    Walk { host, state, client, depth: 0 }.first(&module.body, module, None)
}

/// Of a procedure or trigger that is called.
pub fn first_result_of(host: &mut SessionHost, state: &mut State, callee: Callee, client: Client) -> Columns {
    Walk { host, state, client, depth: 0 }.within(callee)
}

impl Walk<'_> {
    fn first(&mut self, statements: &[Statement], module: &Module, procedure: Option<&ModuleInfo>) -> Columns {
        for statement in statements {
            let found = match &statement.kind {
                StatementKind::Query(id) => {
                    let text = &module.queries[id.0 as usize];
                    let client = if self.client == Client::Plain { text.client } else { self.client };
                    let own = SessionHost::bind_options(self.state);
                    let options = BindOptions { ansi_nulls: text.ansi_nulls, client, ..own };
                    let bound = self.host.with_catalog(self.state, |catalog| {
                        sql::bind::bind_query(&text.statement, module, catalog, &options)
                    });
                    let query = bound.map_err(|error| error.at_line(text.line))?;
                    query.result_columns().map(<[OutputColumn]>::to_vec)
                }
                StatementKind::If { then, otherwise, .. } => match self.first(then, module, procedure)? {
                    None => self.first(otherwise, module, procedure)?,
                    found => found,
                },
                StatementKind::While { body, .. } | StatementKind::Block(body) => {
                    self.first(body, module, procedure)?
                }
                StatementKind::TryCatch { body, handler } => match self.first(body, module, procedure)? {
                    None => self.first(handler, module, procedure)?,
                    found => found,
                },
                StatementKind::Execute(execute) => {
                    let span = statement.span;
                    let text = module.text.get(span.start as usize..span.end as usize).unwrap_or_default().trim();
                    match (&execute.target, procedure) {
                        (ExecuteTarget::Procedure(name), _) => self.called(name, module)?,
                        (_, None) => return Err(sql_error!(11513, text)),
                        (_, Some(info)) => return Err(sql_error!(11514, text, info.name)),
                    }
                }
                _ => None,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Of a procedure that the text calls.
    fn called(&mut self, name: &sql::catalog::ObjectName, module: &Module) -> Columns {
        if self.depth == DEPTH_MAX {
            return Ok(None);
        }
        let callee = self.host.procedure(self.state, name, module.object)?;
        self.within(callee)
    }

    fn within(&mut self, callee: Callee) -> Columns {
        let Callee::Module(callee, info) = callee else { return Ok(None) };
        self.depth += 1;
        let (client, depth) = (self.client, self.depth);
        let state = &mut *self.state;
        let found = self.host.within(info.database, |host| {
            // Its names are not looked for where its caller's are.
            let own = std::mem::replace(&mut host.catalog_session.default_schema, "dbo".into());
            let found = Walk { host, state, client, depth }.first(&callee.body, &callee, Some(&info));
            host.catalog_session.default_schema = own;
            found
        });
        self.depth -= 1;
        found
    }
}
