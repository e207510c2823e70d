//! The user's errors, as SQL Server numbers and words them. They travel to the client as ERROR or INFO tokens.

use std::fmt;

pub type SqlResult<T> = Result<T, SqlError>;

/// One error or message of SQL Server: `Msg number, Level severity, State state, Procedure procedure, Line line`.
/// Boxed, so that `SqlResult<i64>` stays two words.
#[derive(Clone, PartialEq, Eq)]
pub struct SqlError(Box<Message>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub number: i32,
    /// 0-10 information, 11-16 the user's, 17-19 resources, 20-25 ends the connection.
    pub severity: u8,
    pub state: u8,
    pub text: String,
    /// Line in the batch or procedure, from 1. 0: not known yet, filled in by the statement that runs.
    pub line: u32,
    /// Empty outside procedures, functions and triggers.
    pub procedure: String,
}

impl SqlError {
    /// State 1, line not known yet: the running statement fills it in.
    pub fn new(number: i32, severity: u8, text: impl Into<String>) -> SqlError {
        SqlError::with_state(number, severity, 1, text)
    }

    pub fn with_state(number: i32, severity: u8, state: u8, text: impl Into<String>) -> SqlError {
        SqlError(Box::new(Message { number, severity, state, text: text.into(), line: 0, procedure: String::new() }))
    }

    /// The same error with its line, unless an inner statement has already set one.
    pub fn at_line(mut self, line: u32) -> SqlError {
        if self.0.line == 0 {
            self.0.line = line;
        }
        self
    }

    /// The same error raised in `procedure`, unless an inner module has already set one.
    pub fn in_procedure(mut self, procedure: &str) -> SqlError {
        if self.0.procedure.is_empty() {
            self.0.procedure.push_str(procedure);
        }
        self
    }
}

impl std::ops::Deref for SqlError {
    type Target = Message;
    fn deref(&self) -> &Message {
        &self.0
    }
}

impl std::ops::DerefMut for SqlError {
    fn deref_mut(&mut self) -> &mut Message {
        &mut self.0
    }
}

impl fmt::Debug for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Msg {}, Level {}, State {}, ", self.number, self.severity, self.state)?;
        if !self.procedure.is_empty() {
            write!(f, "Procedure {}, ", self.procedure)?;
        }
        write!(f, "Line {}: {}", self.line, self.text)
    }
}

impl std::error::Error for SqlError {}
