//! The user's errors, as SQL Server numbers and words them. They travel to the client as ERROR or INFO tokens.

use std::fmt;

use crate::messages::{Template, compose, find};

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
    /// What else was wrong, in the order found: the client is told these first. @@ERROR and a CATCH have the last one alone.
    pub earlier: Vec<SqlError>,
}

impl SqlError {
    /// An error whose text is a user's: RAISERROR's, THROW's, PRINT's, or a message that sp_addmessage added. What the
    /// server itself says is in `messages`, and `sql_error!` makes errors of it.
    pub fn of_user(number: i32, severity: u8, state: u8, text: impl Into<String>) -> SqlError {
        SqlError(Box::new(Message {
            number,
            severity,
            state,
            text: text.into(),
            line: 0,
            procedure: String::new(),
            earlier: Vec::new(),
        }))
    }

    /// What `sql_error!` calls.
    #[cold]
    pub fn of_template(template: &Template, severity: u8, state: u8, arguments: &[&dyn fmt::Display]) -> SqlError {
        SqlError::of_user(template.number, severity, state, compose(template.text, arguments))
    }

    /// The same without what its message tells of values: each is shown as stars.
    #[cold]
    pub fn without_arguments(mut self) -> SqlError {
        if let Some(template) = find(self.0.number) {
            let hidden: Vec<&dyn fmt::Display> =
                std::iter::repeat_n(&"******" as &dyn fmt::Display, template.arguments()).collect();
            self.0.text = compose(template.text, &hidden);
        }
        self
    }

    /// All of them as one: the last, and before it the others. Panics if there is none.
    pub fn together(mut errors: Vec<SqlError>) -> SqlError {
        let last = errors.pop().expect("a failure has an error");
        last.after(errors)
    }

    /// `together`, taken apart.
    pub fn one_by_one(mut self) -> Vec<SqlError> {
        let mut errors = std::mem::take(&mut self.0.earlier);
        errors.push(self);
        errors
    }

    /// The same error, with others that were found before it.
    pub fn after(mut self, mut errors: Vec<SqlError>) -> SqlError {
        errors.append(&mut self.0.earlier);
        self.0.earlier = errors;
        self
    }

    /// The same error in another state.
    #[cold]
    pub fn in_state(mut self, state: u8) -> SqlError {
        self.0.state = state;
        self
    }

    /// The same error with its line, unless an inner statement has already set one.
    pub fn at_line(mut self, line: u32) -> SqlError {
        let Message { line: own, earlier, .. } = &mut *self.0;
        for message in earlier {
            message.line = if message.line == 0 { line } else { message.line };
        }
        if *own == 0 {
            *own = line;
        }
        self
    }

    /// The same error raised in `procedure`, unless an inner module has already set one.
    pub fn in_procedure(mut self, procedure: &str) -> SqlError {
        let Message { procedure: own, earlier, .. } = &mut *self.0;
        for own in earlier.iter_mut().map(|message| &mut message.procedure).chain([own]) {
            if own.is_empty() {
                own.push_str(procedure);
            }
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

/// `sql_error!(208, name)`: the error of a message in `messages`, with an argument for each of its placeholders, as it is to be
/// shown. The line is not known yet: the running statement fills it in. `state 6` or `severity 11` after the number where
/// the site knows better than the table. A number that the table lacks, or a wrong count of arguments, does not compile.
#[macro_export]
macro_rules! sql_error {
    ($number:literal, severity $severity:expr, state $state:expr $(, $argument:expr)* $(,)?) => {
        $crate::sql_error!(@ $number; $severity; $state; $($argument),*)
    };
    ($number:literal, severity $severity:expr $(, $argument:expr)* $(,)?) => {
        $crate::sql_error!(@ $number; $severity; TEMPLATE.state; $($argument),*)
    };
    ($number:literal, state $state:expr $(, $argument:expr)* $(,)?) => {
        $crate::sql_error!(@ $number; TEMPLATE.severity; $state; $($argument),*)
    };
    ($number:literal $(, $argument:expr)* $(,)?) => {
        $crate::sql_error!(@ $number; TEMPLATE.severity; TEMPLATE.state; $($argument),*)
    };
    (@ $number:literal; $severity:expr; $state:expr; $($argument:expr),*) => {{
        const TEMPLATE: &$crate::messages::Template =
            $crate::messages::expect($number, <[&str]>::len(&[$(stringify!($argument)),*]));
        $crate::SqlError::of_template(TEMPLATE, $severity, $state, &[$(&$argument),*])
    }};
}
