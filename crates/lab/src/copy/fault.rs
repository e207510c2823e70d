//! Why a table was not copied: the file's fault, with the row and the column, or the server's.

use std::fmt;
use std::io;

use crate::client::ClientError;

#[derive(Debug)]
pub enum Fault {
    /// Of the file as a whole.
    File(String),
    /// Of a value, or of a row as a whole. Rows count from 1; a header is none.
    At { row: u64, column: Option<String>, why: String },
    /// What the server says, or that it does not.
    Server(String),
}

impl Fault {
    pub fn row(row: u64, why: impl Into<String>) -> Fault {
        Fault::At { row, column: None, why: why.into() }
    }

    pub fn value(row: u64, column: &str, why: impl Into<String>) -> Fault {
        Fault::At { row, column: Some(column.to_owned()), why: why.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::File(why) => f.write_str(why),
            Fault::At { row, column: None, why } => write!(f, "row {row}: {why}"),
            Fault::At { row, column: Some(column), why } => write!(f, "row {row}, column {column}: {why}"),
            Fault::Server(why) => f.write_str(why),
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::File(error.to_string())
    }
}

impl From<ClientError> for Fault {
    fn from(error: ClientError) -> Fault {
        Fault::Server(error.to_string())
    }
}
