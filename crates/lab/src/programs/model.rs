//! What a program does, by the rules of `rules`. It knows nothing of how the server does it.

use super::cursor_state::{Cursors, Names};
use super::program::{Kind, Program, Setting, Statement, Value};
use super::rules::{self, Ends, Error};
use super::state::{Row, Rows, State};

/// What the client sees, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Rows(Vec<Vec<Option<i64>>>),
    Message { number: i32, severity: u8, state: u8, line: u32, module: String },
    Print(String),
}

/// Documentation does not say what comes of this statement, and nothing after it is compared.
#[derive(Debug)]
pub struct Unknown {
    pub why: &'static str,
    pub statement: u32,
}

/// Statements until a program is given up.
const STATEMENTS_MAX: u32 = 2_000;

/// How a statement left the order of its list.
#[derive(Debug)]
pub enum Stop {
    /// To the CATCH of a TRY; only of one that is `outside` of this depth or at it.
    Thrown {
        error: Error,
        depth_max: usize,
    },
    Return(i32),
    Break,
    Continue,
    Goto(u32),
    /// This module is over: something in it at this line could not be bound.
    Scope {
        line: u32,
    },
    Batch,
    Unknown(&'static str),
}

pub type Run<T = ()> = Result<T, Stop>;

pub struct Scope {
    pub module: Option<&'static str>,
    pub locals: [Option<i32>; 3],
    pub variable: Rows,
    pub scope_identity: Option<i32>,
    /// Of the CATCH blocks that run, inner one last.
    pub caught: Vec<Error>,
    /// TRY blocks that are open in this scope.
    pub tries: usize,
    /// Rows of `inserted`, in a trigger.
    pub inserted: Vec<Row>,
    pub deleted: Vec<Row>,
    /// Which trigger it is.
    pub trigger: Option<usize>,
    /// The transaction in which it began.
    pub epoch: u64,
    pub cursors: Names,
    /// What it adds to @@NESTLEVEL.
    pub levels: i32,
    /// Characters of the longest text in `@s`.
    pub text_length: Option<i32>,
}

/// SET options: a module's end, and a dynamic text's, gives back what they were ("SET Statements").
#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub xact_abort: bool,
    /// By `Setting`.
    pub others: [i32; Setting::ALL.len()],
}

impl Options {
    pub fn is(&self, setting: Setting) -> bool {
        self.others[setting as usize] != 0
    }
}

pub struct Model<'a> {
    pub program: &'a Program,
    pub state: State,
    pub scopes: Vec<Scope>,
    pub options: Options,
    pub cursors: Cursors,
    pub last_identity: Option<i32>,
    pub error: i32,
    pub row_count: i32,
    pub events: Vec<Event>,
    /// Where the rows of an INSERT ... EXEC collect.
    pub captured: Option<Vec<Vec<Option<i64>>>>,
    /// It got rows that do not fit.
    pub captured_other: bool,
    statements: u32,
    /// The innermost statement of which documentation does not say what comes.
    unknown_at: u32,
    numbers: i64,
    /// The change that runs has an OUTPUT INTO.
    pub is_output: bool,
    /// How the last transaction that was rolled back ended.
    pub rolled_back_in_trigger: bool,
    /// Whether what @@IDENTITY says is documented.
    pub(super) identity_is_known: bool,
}

impl<'a> Model<'a> {
    pub fn new(program: &'a Program) -> Model<'a> {
        Model {
            program,
            state: State::default(),
            scopes: Vec::new(),
            options: Options { xact_abort: false, others: Setting::FIRST },
            cursors: Cursors::default(),
            last_identity: None,
            error: 0,
            row_count: 0,
            events: Vec::new(),
            captured: None,
            captured_other: false,
            statements: 0,
            unknown_at: 0,
            numbers: 0,
            is_output: false,
            rolled_back_in_trigger: false,
            identity_is_known: true,
        }
    }

    /// The events of a batch.
    pub fn batch(&mut self, body: &[Statement]) -> Result<Vec<Event>, Unknown> {
        let was = self.scopes.pop().map(|scope| scope.scope_identity);
        debug_assert!(self.scopes.is_empty());
        self.scopes.push(Scope::new(None, [Some(1), None, Some(3)]));
        self.scopes[0].scope_identity = was.flatten();
        self.row_count = NOT_SAID;
        self.cursors.batch += 1;
        match self.list(body) {
            Err(Stop::Unknown(why)) => return Err(Unknown { why, statement: self.unknown_at }),
            Err(Stop::Thrown { .. }) => panic!("thrown without a TRY"),
            Err(Stop::Goto(_) | Stop::Break | Stop::Continue) => panic!("drawn where it has nowhere to go"),
            Ok(()) | Err(Stop::Return(_) | Stop::Scope { .. } | Stop::Batch) => {}
        }
        if self.state.doomed {
            self.state.rollback();
            self.cursors.batch_in_doubt();
            self.cursors.transaction_over(true, self.options.is(Setting::CursorCloseOnCommit));
            let error = Error::of(rules::UNCOMMITTABLE, 1, None);
            self.tell(&error);
        }
        Ok(std::mem::take(&mut self.events))
    }

    /// Of the whole transaction. "ROLLBACK TRANSACTION": in a trigger it is as an error that ends the batch.
    pub fn rollback(&mut self, in_trigger: bool) {
        // Without one it is the transaction of the statement that failed.
        let is_statement = self.state.is_statement || self.state.count == 0;
        self.state.rollback();
        self.rolled_back_in_trigger = in_trigger;
        if in_trigger {
            self.cursors.batch_in_doubt();
        }
        let close = self.options.is(Setting::CursorCloseOnCommit);
        match is_statement && !in_trigger {
            true => self.cursors.statement_over(true, close),
            false => self.cursors.transaction_over(true, close),
        }
    }

    pub fn depth(&self) -> usize {
        self.scopes.len() - 1
    }

    pub fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("a scope runs")
    }

    pub fn list(&mut self, body: &[Statement]) -> Run {
        let mut at = 0;
        while let Some(statement) = body.get(at) {
            at = match self.statement(statement) {
                Ok(()) => at + 1,
                // "GOTO": it may leave blocks, and goes to a label of the list or of one around it.
                Err(Stop::Goto(wanted)) => {
                    let label = |it: &Statement| matches!(it.kind, Kind::Label(label) if label == wanted);
                    body.iter().position(label).ok_or(Stop::Goto(wanted))?
                }
                Err(stop) => return Err(stop),
            };
        }
        Ok(())
    }

    /// "WHILE", "BREAK", "CONTINUE"
    fn turns(&mut self, times: u32, body: &[Statement]) -> Run {
        for _ in 0..times {
            (self.error, self.row_count) = (0, NOT_SAID);
            match self.list(body) {
                Ok(()) | Err(Stop::Continue) => {}
                Err(Stop::Break) => break,
                Err(stop) => return Err(stop),
            }
        }
        (self.error, self.row_count) = (0, NOT_SAID);
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Run {
        let ended = self.run(statement);
        if let (Err(Stop::Unknown(_)), 0) = (&ended, self.unknown_at) {
            self.unknown_at = statement.number;
        }
        ended
    }

    fn run(&mut self, statement: &Statement) -> Run {
        self.statements += 1;
        if self.statements > STATEMENTS_MAX {
            return Err(Stop::Unknown("too long"));
        }
        let line = statement.line;
        match &statement.kind {
            Kind::Try(tried, caught) => self.try_catch(tried, caught),
            Kind::If(value, then, otherwise) => {
                if matches!(value, Value::Rows(_)) {
                    self.open_question("IF with a query")?;
                }
                let value = self.value(*value, line)?;
                (self.error, self.row_count) = (0, NOT_SAID);
                self.list(if value.is_some_and(|value| value > 0) { then } else { otherwise })
            }
            Kind::Return(status) => Err(Stop::Return(status.unwrap_or(0))),
            Kind::While(_, times, body) => self.turns(*times, body),
            Kind::Break => Err(Stop::Break),
            Kind::Continue => Err(Stop::Continue),
            Kind::Goto(label) => Err(Stop::Goto(*label)),
            Kind::Text(body) => self.text(body, 1),
            // "@@NESTLEVEL": two more.
            Kind::Executed(body) => self.text(body, 2),
            Kind::Call(call) => self.call(call, line),
            kind => match self.simple(kind, line) {
                Ok(FAILED) => Ok(()),
                Ok(rows) => {
                    (self.error, self.row_count) = (0, rows);
                    Ok(())
                }
                Err(stop) => Err(stop),
            },
        }
    }

    fn try_catch(&mut self, tried: &[Statement], caught: &[Statement]) -> Run {
        let depth = self.depth();
        self.scope().tries += 1;
        let ended = self.list(tried);
        self.scope().tries -= 1;
        match ended {
            Err(Stop::Thrown { error, depth_max }) if depth <= depth_max => {
                self.error = error.number;
                self.row_count = 0;
                self.scope().caught.push(error);
                let ended = self.list(caught);
                self.error = NOT_SAID;
                self.scope().caught.pop();
                ended
            }
            other => other,
        }
    }

    /// Whether a TRY is open at this depth or outside of it.
    pub fn in_try(&self, depth_max: usize) -> bool {
        self.scopes[..=depth_max].iter().any(|scope| scope.tries > 0)
    }

    /// The error of a statement: to a CATCH, or told. `Ok`: the next statement.
    pub fn fail(&mut self, error: Error, ends: Ends, by_xact_abort: bool, changes: bool) -> Run {
        let depth = self.depth();
        if error.number == 3930 && !self.in_try(depth) {
            // It stays uncommittable, 3998 follows (sqlservercode.blogspot.com, "Transactions"); what comes between is not told.
            return Err(Stop::Unknown("what goes on after 3930"));
        }
        if self.in_try(depth) {
            if self.state.count > 0 && (ends == Ends::Transaction || self.options.xact_abort) {
                self.state.doomed = true;
            }
            return Err(Stop::Thrown { error, depth_max: depth });
        }
        self.tell(&error);
        self.error = error.number;
        self.row_count = 0;
        if ends == Ends::Transaction || self.options.xact_abort && by_xact_abort {
            match self.state.count > 0 {
                true => self.cursors.batch_failed(),
                // There is no transaction to roll back.
                false => self.cursors.batch_in_doubt(),
            }
            // What ends a trigger terminates the statement that fired it.
            if self.scopes.iter().any(|scope| scope.trigger.is_some()) && !matches!(error.number, 3609 | 3616) {
                self.tell(&Error { number: rules::TERMINATED.0, severity: 0, state: 0, ..error });
            }
            self.rollback(false);
            return Err(Stop::Batch);
        }
        if ends == Ends::Batch {
            return Err(Stop::Batch);
        }
        if changes {
            self.tell(&Error { number: rules::TERMINATED.0, severity: 0, state: 0, ..error });
        }
        Ok(())
    }

    pub fn fail_as(&mut self, number: i32, line: u32, changes: bool) -> Run<i32> {
        let (number, severity, state, ends, by_xact_abort) = rules::row(number);
        let error = Error { number, severity, state, line, module: self.scope().module };
        self.fail(error, ends, by_xact_abort, changes)?;
        Ok(FAILED)
    }

    pub fn tell(&mut self, error: &Error) {
        let (line, module) = rules::compared_place(error.number, error.line, error.module.unwrap_or_default());
        self.events.push(Event::Message {
            number: error.number,
            severity: error.severity,
            state: rules::compared_state(error.number, error.state),
            line,
            module: module.into(),
        });
    }

    pub fn print(&mut self, text: String) {
        self.events.push(Event::Print(text));
    }

    pub fn next_number(&mut self) -> i64 {
        self.numbers += 1;
        self.numbers
    }

    pub fn unbound_since(&self, before: usize) -> bool {
        self.events[before..]
            .iter()
            .any(|event| matches!(event, Event::Message { number, .. } if *number == rules::NO_OBJECT.0))
    }

    pub fn rows_out(&mut self, rows: Vec<Vec<Option<i64>>>) {
        match &mut self.captured {
            Some(captured) => {
                self.captured_other |= rows.iter().any(|row| row.len() != 2);
                captured.extend(rows);
            }
            None if rows.is_empty() => {}
            None => self.events.push(Event::Rows(rows)),
        }
    }

    /// What cannot be bound ends its module; a TRY outside of it sees that.
    pub fn unbound(&mut self, line: u32) -> Run<i32> {
        let error = Error::of(rules::NO_OBJECT, line, self.scope().module);
        let depth = self.depth();
        if self.options.xact_abort {
            return Err(Stop::Unknown("a missing object under XACT_ABORT"));
        }
        if depth > 0 && self.in_try(depth - 1) {
            return Err(Stop::Thrown { error, depth_max: depth - 1 });
        }
        self.tell(&error);
        self.error = error.number;
        Err(Stop::Scope { line })
    }
}

/// No count of rows.
pub const FAILED: i32 = -1;
/// What @@ROWCOUNT says here is not documented.
pub const NOT_SAID: i32 = -2;

impl Scope {
    pub fn new(module: Option<&'static str>, locals: [Option<i32>; 3]) -> Scope {
        Scope {
            module,
            locals,
            variable: Rows::default(),
            scope_identity: None,
            caught: Vec::new(),
            tries: 0,
            inserted: Vec::new(),
            deleted: Vec::new(),
            trigger: None,
            epoch: 0,
            cursors: Names::default(),
            levels: 1,
            text_length: None,
        }
    }
}

impl Error {
    pub fn of((number, severity, state): (i32, u8, u8), line: u32, module: Option<&'static str>) -> Error {
        Error { number, severity, state, line, module }
    }
}
