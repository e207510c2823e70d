//! A second server, started with other switches, that must give every answer of the first: rows as multisets, errors by their numbers.

use super::check::{Rows, differ, rows_of_all};
use super::schema::Schema;
use super::subject::{Subject, query};
use crate::client::{Answer, ClientError, Connection};

pub struct Twin {
    subject: Subject,
    connection: Connection,
}

/// What an answer comes to.
#[derive(PartialEq, Debug)]
pub struct Said {
    pub sets: Vec<Rows>,
    pub messages: Vec<i32>,
}

impl Said {
    pub fn of(answer: &Answer) -> Said {
        let sets = answer.sets.iter().map(|set| rows_of_all(std::slice::from_ref(set))).collect();
        Said { sets, messages: answer.messages.iter().map(|message| message.number).collect() }
    }

    /// None: both say the same.
    pub fn differs(&self, other: &Said) -> Option<String> {
        if self.messages != other.messages {
            return Some(format!("messages {:?} and the twin's {:?}", self.messages, other.messages));
        }
        if self.sets.len() != other.sets.len() {
            return Some(format!("{} result sets and the twin's {}", self.sets.len(), other.sets.len()));
        }
        self.sets.iter().zip(&other.sets).find_map(|(own, other)| differ(own, other, "the server and its twin"))
    }
}

impl Twin {
    /// `row_versions`: READ_COMMITTED_SNAPSHOT is on.
    pub fn new(subject: Subject, row_versions: bool) -> Result<Twin, String> {
        let mut connection = subject.connect()?;
        if row_versions {
            let text = "ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE";
            let answer = query(&mut connection, text).map_err(|error| error.to_string())?;
            if let Some(error) = answer.first_error() {
                return Err(tds::client::format_message(error));
            }
        }
        Ok(Twin { subject, connection })
    }

    pub fn make(&mut self, schema: &Schema) -> Result<(), String> {
        schema.made_anew().iter().try_for_each(|batch| {
            let answer = query(&mut self.connection, batch).map_err(|error| format!("{error}\n{batch}"))?;
            match answer.first_error() {
                Some(error) => Err(format!("the twin: {}\n{batch}", tds::client::format_message(error))),
                None => Ok(()),
            }
        })
    }

    /// None: it took too long.
    pub fn ask(&mut self, text: &str) -> Result<Option<Said>, String> {
        let answer = match query(&mut self.connection, text) {
            Ok(answer) => Some(Said::of(&answer)),
            Err(ClientError::Timeout) => None,
            Err(error) => {
                self.connection =
                    self.subject.connect().map_err(|why| format!("the twin: {error}, then {why}, after\n{text}"))?;
                return Ok(Some(Said { sets: Vec::new(), messages: vec![0] }));
            }
        };
        if answer.as_ref().is_none_or(|answer| !answer.messages.is_empty()) {
            query(&mut self.connection, "IF @@TRANCOUNT > 0 ROLLBACK").map_err(|error| error.to_string())?;
        }
        Ok(answer)
    }
}
