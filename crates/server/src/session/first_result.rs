//! The columns of the first result of a text that is not run: what sp_describe_first_result_set, sp_prepare and their kin tell. All ways
//! through the text are gone, also through procedures that it calls, as
//! https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-describe-first-result-set-transact-sql says
//! ("Remarks"): of each way the first statement that gives rows counts.

use exec::host::{Callee, Host, ModuleInfo};
use exec::session::Session as State;
use sql::bind::BindOptions;
use sql::catalog::{ObjectId, ObjectName};
use sql::plan::{
    Argument, ArgumentValue, Client, Execute, ExecuteTarget, Expr, ExprKind, Module, OutputColumn, QueryId, Statement,
    StatementKind,
};
use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use crate::session::host::SessionHost;

/// Procedures within one another that are followed: as many as could run.
const DEPTH_MAX: usize = 32;

/// RAISERROR of this severity is what its client sees in place of a result.
const SEVERITY_OF_ERRORS: i64 = 11;

type Columns = SqlResult<Option<Vec<OutputColumn>>>;

/// Whether what follows a statement is reached.
type Falls = SqlResult<bool>;

/// The first result on one of the ways.
struct Found {
    columns: Vec<OutputColumn>,
    statement: String,
    procedure: Option<Box<str>>,
}

/// Why a way cannot be described.
enum Why {
    Dynamic,
    Extended,
    Recursion,
    TemporaryTable,
}

struct Walk<'a> {
    host: &'a mut SessionHost,
    state: &'a mut State,
    client: Client,
    /// The first result of any way is enough, and temporary tables are no matter.
    first_only: bool,
    /// The text is one statement: it may read temporary tables of the session.
    is_single: bool,
    found: Vec<Found>,
    /// Errors of the ways that end in one.
    failed: Vec<SqlError>,
    /// A RETURN of the module that is walked is reached.
    returns: bool,
    /// The procedures that are walked.
    within: Vec<ObjectId>,
}

/// None: the text returns no rows. Errors: those of its queries, 11513 and 11514 for dynamic SQL that comes before the first rows.
pub fn first_result(host: &mut SessionHost, state: &mut State, module: &Module, client: Client) -> Columns {
    let mut walk = Walk::new(host, state, client);
    walk.first_only = true;
    walk.statements(&module.body, module, None)?;
    match walk.failed.into_iter().next() {
        Some(error) if walk.found.is_empty() => Err(error),
        _ => Ok(walk.found.into_iter().next().map(|found| found.columns)),
    }
}

/// The columns that the first result has on whatever way; none: no way gives rows. Errors in the order that the client is told them.
pub fn any_first_result(
    host: &mut SessionHost,
    state: &mut State,
    module: &Module,
    client: Client,
) -> Result<Vec<OutputColumn>, Vec<SqlError>> {
    let mut walk = Walk::new(host, state, client);
    walk.is_single = matches!(&*module.body, [only] if matches!(only.kind, StatementKind::Query(_)));
    let falls = walk.statements(&module.body, module, None);
    walk.result(falls)
}

/// The same of a procedure or trigger that is called.
pub fn any_first_result_of(
    host: &mut SessionHost,
    state: &mut State,
    callee: Callee,
    client: Client,
) -> Result<Vec<OutputColumn>, Vec<SqlError>> {
    let mut walk = Walk::new(host, state, client);
    let falls = walk.within(callee);
    walk.result(falls)
}

impl<'a> Walk<'a> {
    fn new(host: &'a mut SessionHost, state: &'a mut State, client: Client) -> Walk<'a> {
        Walk {
            host,
            state,
            client,
            first_only: false,
            is_single: false,
            found: Vec::new(),
            failed: Vec::new(),
            returns: false,
            within: Vec::new(),
        }
    }

    fn result(self, falls: Falls) -> Result<Vec<OutputColumn>, Vec<SqlError>> {
        let falls = falls.map_err(|error| vec![error])? || self.returns;
        let mut found = self.found.into_iter();
        let Some(mut first) = found.next() else {
            if falls || self.failed.is_empty() {
                return Ok(Vec::new());
            }
            let mut errors = self.failed;
            errors.push(sql_error!(11529));
            return Err(errors);
        };
        for other in found {
            merge(&mut first, &other).map_err(|error| vec![error])?;
        }
        Ok(first.columns)
    }

    fn is_over(&self) -> bool {
        self.first_only && !self.found.is_empty()
    }

    fn statements(&mut self, statements: &[Statement], module: &Module, procedure: Option<&ModuleInfo>) -> Falls {
        let mut at = 0;
        while let Some(statement) = statements.get(at) {
            at += 1;
            let falls = match &statement.kind {
                StatementKind::Goto(label) => {
                    let is_it = |other: &Statement| matches!(other.kind, StatementKind::Label(own) if own == *label);
                    match statements.iter().skip(at).position(is_it) {
                        Some(further) => {
                            at += further;
                            true
                        }
                        // It goes back, or out of this list.
                        None => return Ok(!statements.iter().any(is_it)),
                    }
                }
                _ => self.statement(statement, module, procedure)?,
            };
            if !falls || self.is_over() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn statement(&mut self, statement: &Statement, module: &Module, procedure: Option<&ModuleInfo>) -> Falls {
        match &statement.kind {
            StatementKind::Query(id) => self.query(*id, statement, module, procedure),
            StatementKind::If { then, otherwise, .. } => {
                let falls = self.statements(then, module, procedure)?;
                Ok(!self.is_over() && (self.statements(otherwise, module, procedure)? || falls))
            }
            StatementKind::While { body, .. } => {
                self.statements(body, module, procedure)?;
                Ok(true)
            }
            StatementKind::Block(body) => self.statements(body, module, procedure),
            StatementKind::TryCatch { body, handler } => {
                let falls = self.statements(body, module, procedure)?;
                Ok(!self.is_over() && (self.statements(handler, module, procedure)? || falls))
            }
            StatementKind::Return(_) => {
                self.returns = true;
                Ok(false)
            }
            StatementKind::Throw(_) => Ok(false),
            StatementKind::Raiserror { severity, .. } => match &severity.kind {
                ExprKind::Literal(Datum::I64(severity)) => Ok(*severity < SEVERITY_OF_ERRORS),
                _ => Ok(true),
            },
            StatementKind::Execute(execute) => self.execute(execute, statement, module, procedure),
            _ => Ok(true),
        }
    }

    fn query(&mut self, id: QueryId, statement: &Statement, module: &Module, procedure: Option<&ModuleInfo>) -> Falls {
        let text = &module.queries[id.0 as usize];
        let client = if self.client == Client::Plain { text.client } else { self.client };
        let own = SessionHost::bind_options(self.state);
        let options = BindOptions { ansi_nulls: text.ansi_nulls, client, ..own };
        let bound = self
            .host
            .with_catalog(self.state, |catalog| sql::bind::bind_query(&text.statement, module, catalog, &options));
        let own_tables = self.first_only || self.is_single && procedure.is_none();
        let query = match bound {
            Ok(query) if query.session_private && !own_tables => {
                return Err(self.refused(Why::TemporaryTable, statement, module, procedure));
            }
            Ok(query) => query,
            Err(error) if error.number == 208 && error.text.contains("'#") && !own_tables => {
                return Err(self.refused(Why::TemporaryTable, statement, module, procedure));
            }
            Err(error) => {
                self.failed.push(error.at_line(text.line));
                return Ok(false);
            }
        };
        let Some(columns) = query.result_columns() else { return Ok(true) };
        self.find(columns.into_owned(), statement, module, procedure);
        Ok(false)
    }

    fn find(
        &mut self,
        columns: Vec<OutputColumn>,
        statement: &Statement,
        module: &Module,
        procedure: Option<&ModuleInfo>,
    ) {
        let statement = written(statement, module).to_string();
        self.found.push(Found { columns, statement, procedure: procedure.map(|info| own_name(info).into()) });
    }

    fn refused(&self, why: Why, statement: &Statement, module: &Module, procedure: Option<&ModuleInfo>) -> SqlError {
        let text = written(statement, module);
        match (why, procedure.map(own_name)) {
            (Why::Dynamic, None) => sql_error!(11513, text),
            (Why::Dynamic, Some(name)) => sql_error!(11514, text, name),
            (Why::Extended, None) => sql_error!(11519, text),
            (Why::Extended, Some(name)) => sql_error!(11520, text, name),
            (Why::Recursion, None) => sql_error!(11523, text),
            (Why::Recursion, Some(name)) => sql_error!(11524, text, name),
            (Why::TemporaryTable, None) => sql_error!(11525, text),
            (Why::TemporaryTable, Some(name)) => sql_error!(11526, text, name),
        }
    }

    fn execute(
        &mut self,
        execute: &Execute,
        statement: &Statement,
        module: &Module,
        procedure: Option<&ModuleInfo>,
    ) -> Falls {
        if let Some(sets) = &execute.result_sets {
            let Some(first) = sets.first() else { return Ok(true) };
            let columns = first.iter().map(|column| OutputColumn::plain(&column.name, column.ty, column.nullable));
            self.find(columns.collect(), statement, module, procedure);
            return Ok(false);
        }
        match &execute.target {
            ExecuteTarget::Procedure(name) => self.called(name, execute, statement, module, procedure),
            ExecuteTarget::Text(Expr { kind: ExprKind::Literal(text), ty, .. }) => {
                let text = display(text, ty);
                self.text(&text, "", procedure)
            }
            ExecuteTarget::Text(_) | ExecuteTarget::Named(_) => {
                Err(self.refused(Why::Dynamic, statement, module, procedure))
            }
        }
    }

    /// Of a text that is known as it stands: EXEC ('...'), sp_executesql N'...'.
    fn text(&mut self, text: &str, declared: &str, procedure: Option<&ModuleInfo>) -> Falls {
        match self.host.bind_text(self.state, text, declared) {
            Ok(module) => {
                let returns = std::mem::take(&mut self.returns);
                let falls = self.statements(&module.body, &module, procedure)? || self.returns;
                self.returns = returns;
                Ok(falls)
            }
            Err(errors) => {
                self.failed.extend(errors);
                Ok(false)
            }
        }
    }

    fn called(
        &mut self,
        name: &ObjectName,
        execute: &Execute,
        statement: &Statement,
        module: &Module,
        procedure: Option<&ModuleInfo>,
    ) -> Falls {
        let callee = match self.host.procedure(self.state, name, module.object) {
            Ok(callee) => callee,
            Err(error) => {
                self.failed.push(error);
                return Ok(false);
            }
        };
        match callee {
            Callee::Module(_, info) if self.within.last() == Some(&info.object) => Ok(true),
            Callee::Module(_, info) if self.within.contains(&info.object) => {
                Err(self.refused(Why::Recursion, statement, module, procedure))
            }
            Callee::Module(..) if self.within.len() == DEPTH_MAX => Ok(true),
            Callee::Module(..) => self.within(callee),
            Callee::System(name) if &*name == "sp_executesql" => {
                let literal = |at: usize| execute.arguments.get(at).and_then(literal_text);
                match (literal(0), literal(1), execute.arguments.len()) {
                    (Some(text), None, 1) => self.text(&text, "", procedure),
                    (Some(text), Some(declared), _) => self.text(&text, &declared, procedure),
                    _ => Err(self.refused(Why::Dynamic, statement, module, procedure)),
                }
            }
            Callee::System(name) if name.starts_with("xp_") => {
                Err(self.refused(Why::Extended, statement, module, procedure))
            }
            Callee::System(_) => Ok(true),
        }
    }

    fn within(&mut self, callee: Callee) -> Falls {
        let Callee::Module(callee, info) = callee else { return Ok(true) };
        self.within.push(info.object);
        let returns = std::mem::take(&mut self.returns);
        // Its names are not looked for where its caller's are.
        let here = self.host.catalog_session.database;
        let own = std::mem::replace(&mut self.host.catalog_session.default_schema, "dbo".into());
        self.host.catalog_session.database = info.database;
        let falls = self.statements(&callee.body, &callee, Some(&info));
        self.host.catalog_session.database = here;
        self.host.catalog_session.default_schema = own;
        self.within.pop();
        let falls = falls? || self.returns;
        self.returns = returns;
        Ok(falls)
    }
}

/// Without its schema.
fn own_name(procedure: &ModuleInfo) -> &str {
    procedure.name.rsplit('.').next().unwrap_or_default()
}

/// A statement as the text has it.
fn written<'m>(statement: &Statement, module: &'m Module) -> &'m str {
    let span = statement.span;
    module.text.get(span.start as usize..span.end as usize).unwrap_or_default().trim()
}

fn display(value: &Datum, ty: &SqlType) -> String {
    let mut text = String::new();
    types::convert::push_display(value.as_ref(), ty, &mut text);
    text
}

fn literal_text(argument: &Argument) -> Option<String> {
    match &argument.value {
        ArgumentValue::Expr(Expr { kind: ExprKind::Literal(value @ Datum::Bytes(_)), ty, .. }) => {
            Some(display(value, ty))
        }
        _ => None,
    }
}

/// What both have in common; 11509 to 11512: nothing.
fn merge(first: &mut Found, other: &Found) -> SqlResult<()> {
    let alike = first.columns.len() == other.columns.len()
        && first.columns.iter().zip(&other.columns).all(|(a, b)| common(&a.ty, &b.ty).is_some());
    if !alike {
        return Err(match (&first.procedure, &other.procedure) {
            (None, None) => sql_error!(11509, first.statement, other.statement),
            (None, Some(theirs)) => sql_error!(11510, first.statement, other.statement, theirs),
            (Some(own), None) => sql_error!(11511, first.statement, own, other.statement),
            (Some(own), Some(theirs)) => sql_error!(11512, first.statement, own, other.statement, theirs),
        });
    }
    for (column, other) in first.columns.iter_mut().zip(&other.columns) {
        column.ty = common(&column.ty, &other.ty).expect("seen above");
        if column.name != other.name {
            column.name = "".into();
        }
        column.nullable |= other.nullable;
        column.computed |= other.computed;
        column.origin = None;
        column.sorted = None;
    }
    Ok(())
}

/// Types that differ are the same for who describes them if one is only longer.
fn common(a: &SqlType, b: &SqlType) -> Option<SqlType> {
    let grows = matches!(a.kind, TypeKind::VarChar | TypeKind::NVarChar | TypeKind::VarBinary);
    let same = (a.kind, a.precision, a.scale) == (b.kind, b.precision, b.scale);
    match same && (grows || a.length == b.length) {
        true if a.is_max() || !b.is_max() && a.length >= b.length => Some(*a),
        true => Some(*b),
        false => None,
    }
}
