//! A module's statements, compiled: the same tree as `plan::StatementKind` with expressions ready to run.

use std::cell::Cell;
use std::sync::Arc;

use sql::plan::{
    self, Argument, CursorOptions, CursorRef, Module, PrincipalKind, QueryId, ResultSet, SetOption, StatementKind,
    TransactionName,
};
use sql::plan::{CursorSlot, VariableSlotTable};
use types::{SqlResult, SqlType};

use super::callee::Known;
use crate::expression::{Compiler, I64Expr, Scalar};
use crate::operators;
use crate::running::Doing;

pub struct Code {
    pub line: u32,
    pub doing: Doing,
    pub kind: CodeKind,
}

pub struct ExecuteAsCode {
    /// None: CALLER.
    pub principal: Option<(PrincipalKind, Scalar)>,
    pub no_revert: bool,
    /// Variable.
    pub cookie: Option<u32>,
}

pub enum CodeKind {
    Query(QueryId),
    Definition(QueryId),
    Assign { slot: u32, value: Scalar },
    DeclareTable(VariableSlotTable),
    If { condition: Condition, then: Vec<Code>, otherwise: Vec<Code> },
    While { condition: Condition, body: Vec<Code> },
    Break,
    Continue,
    Block(Vec<Code>),
    Label(u32),
    Goto(u32),
    Return(Option<Scalar>),
    ReturnQuery(QueryId),
    TryCatch { body: Vec<Code>, handler: Vec<Code> },
    Throw(Option<Box<[Scalar; 3]>>),
    Raiserror(Box<Raiserror>),
    Print(Scalar),
    Execute(Box<ExecuteCode>),
    BeginTransaction(Option<TransactionName>, Option<Box<Option<TransactionName>>>),
    Commit(Option<bool>),
    Rollback(Option<TransactionName>),
    Save(TransactionName),
    SetSwitch { names: Vec<Box<str>>, on: bool },
    SetValue { name: Box<str>, value: Scalar },
    SetOther(SetOption),
    Use(Box<str>),
    WaitForDelay(Scalar),
    WaitForTime(Scalar),
    ExecuteAs(Box<ExecuteAsCode>),
    Revert(Option<Scalar>),
    DeclareCursor(DeclareCursor),
    OpenCursor(CursorCode),
    Fetch(Box<FetchCode>),
    CloseCursor(CursorCode),
    DeallocateCursor(CursorCode),
    AssignCursor { slot: CursorSlot, from: CursorCode },
}

impl CodeKind {
    /// SET FMTONLY ON: only what describes results, and what ends it.
    pub fn runs_under_fmt_only(&self) -> bool {
        matches!(
            self,
            CodeKind::Query(_)
                | CodeKind::Execute(_)
                | CodeKind::Return(_)
                | CodeKind::DeclareTable(_)
                | CodeKind::SetSwitch { .. }
                | CodeKind::SetValue { .. }
                | CodeKind::SetOther(_)
                | CodeKind::Use(_)
        )
    }
}

pub enum Condition {
    Scalar(I64Expr),
    Query(QueryId),
}

pub struct Raiserror {
    pub message: Scalar,
    pub severity: Scalar,
    pub state: Scalar,
    pub arguments: Vec<Scalar>,
    pub log: bool,
    pub no_wait: bool,
    pub set_error: bool,
}

pub struct ExecuteCode {
    pub target: ExecuteTarget,
    pub arguments: Vec<ArgumentCode>,
    pub return_value: Option<u32>,
    /// EXEC ('text') AS USER, AS LOGIN.
    pub context: Option<(PrincipalKind, Scalar)>,
    /// WITH RESULT SETS.
    pub result_sets: Option<Box<[ResultSet]>>,
    /// What it has called before, if that is a procedure which takes its arguments.
    pub known: Cell<Option<Box<Known>>>,
}

pub enum ExecuteTarget {
    Procedure(sql::catalog::ObjectName),
    Named(Scalar),
    Text(Scalar),
}

pub struct ArgumentCode {
    pub name: Option<Box<str>>,
    pub value: ArgumentValue,
}

pub enum ArgumentValue {
    Default,
    Value(Scalar),
    Output(u32, SqlType),
    Table(VariableSlotTable),
    /// A cursor variable: refused when it runs.
    Cursor(CursorSlot),
}

/// A cursor as a statement gives it.
pub enum CursorCode {
    Variable(CursorSlot),
    /// `index` into the module's cursor names; `written`: for messages. `global`: written with GLOBAL.
    Name {
        index: u32,
        written: Box<str>,
        global: bool,
    },
}

pub struct DeclareCursor {
    pub cursor: CursorCode,
    pub query: QueryId,
    pub options: CursorOptions,
}

pub struct FetchCode {
    pub cursor: CursorCode,
    pub direction: Direction,
    /// Variables and their types.
    pub into: Vec<(u32, SqlType)>,
}

pub enum Direction {
    Next,
    Prior,
    First,
    Last,
    Absolute(Scalar),
    Relative(Scalar),
}

impl Direction {
    /// As errors 16911 and 16925 call it.
    pub fn name(&self) -> &'static str {
        match self {
            Direction::Next => "NEXT",
            Direction::Prior => "PRIOR",
            Direction::First => "FIRST",
            Direction::Last => "LAST",
            Direction::Absolute(_) => "ABSOLUTE",
            Direction::Relative(_) => "RELATIVE",
        }
    }
}

pub fn compiler() -> Compiler {
    Compiler::new(operators::source)
}

/// Statements, and the lower-case names of the cursors they name.
pub fn compile(module: &Arc<Module>) -> SqlResult<(Vec<Code>, Vec<Box<str>>)> {
    let mut scope = Scope { module, cursor_names: Vec::new() };
    let code = list(&module.body, &mut scope, &mut compiler())?;
    Ok((code, scope.cursor_names))
}

/// What statements refer to.
struct Scope<'m> {
    module: &'m Module,
    cursor_names: Vec<Box<str>>,
}

impl Scope<'_> {
    fn cursor(&mut self, cursor: &CursorRef) -> CursorCode {
        match cursor {
            CursorRef::Variable(slot) => CursorCode::Variable(*slot),
            CursorRef::Name { name, global } => {
                CursorCode::Name { index: self.cursor_name(name), written: name.clone(), global: *global }
            }
        }
    }

    fn cursor_name(&mut self, name: &str) -> u32 {
        let name = name.to_lowercase();
        let known = self.cursor_names.iter().position(|known| **known == *name);
        let index = known.unwrap_or_else(|| {
            self.cursor_names.push(name.into());
            self.cursor_names.len() - 1
        });
        index as u32
    }
}

/// One of the module's statements, on its own.
pub fn statement(statement: &plan::Statement, module: &Arc<Module>) -> SqlResult<Code> {
    let mut scope = Scope { module, cursor_names: Vec::new() };
    code(statement, &mut scope, &mut compiler())
}

fn code(statement: &plan::Statement, scope: &mut Scope, compiler: &mut Compiler) -> SqlResult<Code> {
    let doing = Doing::new(&statement.kind, scope.module, statement.span);
    Ok(Code { line: statement.line, doing, kind: kind(&statement.kind, scope, compiler)? })
}

fn list(statements: &[plan::Statement], scope: &mut Scope, compiler: &mut Compiler) -> SqlResult<Vec<Code>> {
    compiler.deeper(|compiler| statements.iter().map(|statement| code(statement, scope, compiler)).collect())
}

fn begin_transaction(name: Option<&TransactionName>, mark: Option<&Option<TransactionName>>) -> CodeKind {
    let mark = mark.map(|description| Box::new(description.as_ref().map(copy_name)));
    CodeKind::BeginTransaction(name.map(copy_name), mark)
}

fn kind(kind: &StatementKind, scope: &mut Scope, compiler: &mut Compiler) -> SqlResult<CodeKind> {
    Ok(match kind {
        StatementKind::Query(id) => CodeKind::Query(*id),
        StatementKind::Definition(id) => CodeKind::Definition(*id),
        StatementKind::Assign { slot, value } => CodeKind::Assign { slot: slot.0, value: compiler.scalar(value)? },
        StatementKind::DeclareTable(slot) => CodeKind::DeclareTable(*slot),
        StatementKind::If { condition, then, otherwise } => CodeKind::If {
            condition: self::condition(condition, compiler)?,
            then: list(then, scope, compiler)?,
            otherwise: list(otherwise, scope, compiler)?,
        },
        StatementKind::While { condition, body } => CodeKind::While {
            condition: self::condition(condition, compiler)?,
            body: flat_list(body, scope, compiler)?,
        },
        StatementKind::Break => CodeKind::Break,
        StatementKind::Continue => CodeKind::Continue,
        StatementKind::Block(body) => CodeKind::Block(list(body, scope, compiler)?),
        StatementKind::Label(label) => CodeKind::Label(*label),
        StatementKind::Goto(label) => CodeKind::Goto(*label),
        StatementKind::Return(value) => {
            CodeKind::Return(value.as_ref().map(|value| compiler.scalar(value)).transpose()?)
        }
        StatementKind::ReturnQuery(id) => CodeKind::ReturnQuery(*id),
        StatementKind::TryCatch { body, handler } => {
            CodeKind::TryCatch { body: list(body, scope, compiler)?, handler: list(handler, scope, compiler)? }
        }
        StatementKind::Throw(None) => CodeKind::Throw(None),
        StatementKind::Throw(Some([number, message, state])) => CodeKind::Throw(Some(Box::new([
            compiler.scalar(number)?,
            compiler.scalar(message)?,
            compiler.scalar(state)?,
        ]))),
        StatementKind::Raiserror { message, severity, state, arguments, log, no_wait, set_error } => {
            CodeKind::Raiserror(Box::new(Raiserror {
                message: compiler.scalar(message)?,
                severity: compiler.scalar(severity)?,
                state: compiler.scalar(state)?,
                arguments: compiler.scalars(arguments)?,
                log: *log,
                no_wait: *no_wait,
                set_error: *set_error,
            }))
        }
        StatementKind::Print(value) => CodeKind::Print(compiler.scalar(value)?),
        StatementKind::Execute(execute) => CodeKind::Execute(Box::new(self::execute(execute, scope.module, compiler)?)),
        StatementKind::BeginTransaction { name, mark } => begin_transaction(name.as_ref(), mark.as_ref()),
        StatementKind::Commit { delayed_durability } => CodeKind::Commit(*delayed_durability),
        StatementKind::Rollback { name } => CodeKind::Rollback(name.as_ref().map(copy_name)),
        StatementKind::Save(name) => CodeKind::Save(copy_name(name)),
        StatementKind::SetOption(SetOption::Switch { names, on }) => {
            CodeKind::SetSwitch { names: names.clone(), on: *on }
        }
        StatementKind::SetOption(SetOption::Value { name, value }) => {
            CodeKind::SetValue { name: name.clone(), value: compiler.scalar(value)? }
        }
        StatementKind::SetOption(other) => CodeKind::SetOther(other.clone()),
        StatementKind::Use(name) => CodeKind::Use(name.clone()),
        StatementKind::WaitForDelay(value) => CodeKind::WaitForDelay(compiler.scalar(value)?),
        StatementKind::WaitForTime(value) => CodeKind::WaitForTime(compiler.scalar(value)?),
        StatementKind::ExecuteAs(context) => CodeKind::ExecuteAs(Box::new(ExecuteAsCode {
            principal: match &context.principal {
                Some((kind, name)) => Some((*kind, compiler.scalar(name)?)),
                None => None,
            },
            no_revert: context.no_revert,
            cookie: context.cookie.map(|slot| slot.0),
        })),
        StatementKind::Revert(cookie) => {
            CodeKind::Revert(cookie.as_ref().map(|cookie| compiler.scalar(cookie)).transpose()?)
        }
        StatementKind::DeclareCursor(declare) => CodeKind::DeclareCursor(DeclareCursor {
            cursor: match (declare.slot, &declare.name) {
                (Some(slot), _) => CursorCode::Variable(slot),
                (None, Some(name)) => scope.cursor(&CursorRef::Name { name: name.clone(), global: false }),
                (None, None) => panic!("a cursor has a name or a variable"),
            },
            query: declare.query,
            options: declare.options,
        }),
        StatementKind::OpenCursor(cursor) => CodeKind::OpenCursor(scope.cursor(cursor)),
        StatementKind::Fetch { cursor, direction, into } => CodeKind::Fetch(Box::new(FetchCode {
            cursor: scope.cursor(cursor),
            direction: match direction {
                plan::FetchDirection::Next => Direction::Next,
                plan::FetchDirection::Prior => Direction::Prior,
                plan::FetchDirection::First => Direction::First,
                plan::FetchDirection::Last => Direction::Last,
                plan::FetchDirection::Absolute(value) => Direction::Absolute(compiler.scalar(value)?),
                plan::FetchDirection::Relative(value) => Direction::Relative(compiler.scalar(value)?),
            },
            into: into.iter().map(|slot| (slot.0, scope.module.variables[slot.0 as usize].ty)).collect(),
        })),
        StatementKind::CloseCursor(cursor) => CodeKind::CloseCursor(scope.cursor(cursor)),
        StatementKind::DeallocateCursor(cursor) => CodeKind::DeallocateCursor(scope.cursor(cursor)),
        StatementKind::AssignCursor { slot, from } => CodeKind::AssignCursor { slot: *slot, from: scope.cursor(from) },
    })
}

/// A body that is one BEGIN ... END is its statements.
fn flat_list(body: &[plan::Statement], scope: &mut Scope, compiler: &mut Compiler) -> SqlResult<Vec<Code>> {
    match body {
        [plan::Statement { kind: StatementKind::Block(body), .. }] => list(body, scope, compiler),
        body => list(body, scope, compiler),
    }
}

pub fn condition(condition: &plan::Condition, compiler: &mut Compiler) -> SqlResult<Condition> {
    Ok(match condition {
        plan::Condition::Scalar(expr) => Condition::Scalar(compiler.predicate(expr)?),
        plan::Condition::Query(id) => Condition::Query(*id),
    })
}

pub fn execute(execute: &plan::Execute, module: &Module, compiler: &mut Compiler) -> SqlResult<ExecuteCode> {
    let target = match &execute.target {
        plan::ExecuteTarget::Procedure(name) => ExecuteTarget::Procedure(name.clone()),
        plan::ExecuteTarget::Named(name) => ExecuteTarget::Named(compiler.scalar(name)?),
        plan::ExecuteTarget::Text(text) => ExecuteTarget::Text(compiler.scalar(text)?),
    };
    let arguments = execute.arguments.iter().map(|argument| self::argument(argument, module, compiler));
    Ok(ExecuteCode {
        target,
        arguments: arguments.collect::<SqlResult<Vec<_>>>()?,
        return_value: execute.return_value.map(|slot| slot.0),
        context: match &execute.context {
            Some((kind, name)) => Some((*kind, compiler.scalar(name)?)),
            None => None,
        },
        result_sets: execute.result_sets.clone(),
        known: Cell::new(None),
    })
}

fn argument(argument: &Argument, module: &Module, compiler: &mut Compiler) -> SqlResult<ArgumentCode> {
    Ok(ArgumentCode {
        name: argument.name.clone(),
        value: match &argument.value {
            plan::ArgumentValue::Default => ArgumentValue::Default,
            plan::ArgumentValue::Expr(expr) => ArgumentValue::Value(compiler.scalar(expr)?),
            plan::ArgumentValue::Output(slot) => ArgumentValue::Output(slot.0, module.variables[slot.0 as usize].ty),
            plan::ArgumentValue::Table(slot) => ArgumentValue::Table(*slot),
            plan::ArgumentValue::Cursor(slot) => ArgumentValue::Cursor(*slot),
        },
    })
}

fn copy_name(name: &TransactionName) -> TransactionName {
    match name {
        TransactionName::Literal(name) => TransactionName::Literal(name.clone()),
        TransactionName::Variable(slot) => TransactionName::Variable(*slot),
    }
}
