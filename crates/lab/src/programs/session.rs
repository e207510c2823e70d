//! A program on the server, over the wire: the same events as the model has.

use tds::packet::Reset;
use tds::token::{ServerMessage, Token};
use types::Datum;

use super::model::Event;
use super::program::{Program, RESET, SETTINGS, SETUP};
use super::rules;
use crate::client::{ClientError, ClientResult, Connection, Target};

/// A request that takes longer has failed.
const REQUEST_MAX_MS: u64 = 30_000;

pub struct Session {
    connection: Connection,
}

/// Made by each run of the tool, for itself.
fn database() -> String {
    format!("programs_{}", os::env::process_id())
}

impl Session {
    pub fn open(target: &Target) -> ClientResult<Session> {
        let connection = Connection::open(target, Some(os::clock::after_ms(REQUEST_MAX_MS)))?;
        let mut session = Session { connection };
        let database = database();
        session.must(&format!("CREATE DATABASE {database}"))?;
        session.must(&format!("USE {database}"))?;
        session.must(SETUP)?;
        Ok(session)
    }

    /// READ_COMMITTED_SNAPSHOT is on from now on.
    pub fn version_rows(&mut self) -> ClientResult<()> {
        self.must(&format!("ALTER DATABASE {} SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE", database()))
    }

    pub fn close(&mut self) -> ClientResult<()> {
        self.must(&format!("IF @@TRANCOUNT > 0 ROLLBACK; USE master; DROP DATABASE {};", database()))
    }

    fn must(&mut self, text: &str) -> ClientResult<()> {
        let answer = self.connection.query(text, Some(os::clock::after_ms(REQUEST_MAX_MS)))?;
        match answer.first_error() {
            Some(error) => Err(ClientError::Address(format!("{text}: {}", tds::client::format_message(error)))),
            None => Ok(()),
        }
    }

    /// The first `batches` of a program, and then the pool's tables and @@TRANCOUNT.
    pub fn run(&mut self, program: &mut Program, batches: usize) -> ClientResult<Vec<Vec<Event>>> {
        self.connection.protocol().reset_with_next(Reset::Connection);
        let database = database();
        self.must(&format!("USE {database}; {SETTINGS}"))?;
        for definition in program.definitions() {
            self.must(&definition)?;
        }
        let mut events = Vec::new();
        for text in program.batch_texts().iter().take(batches) {
            events.push(self.batch(text)?);
            events.push(self.batch(LOOK)?);
        }
        self.must("SET IMPLICIT_TRANSACTIONS OFF; IF @@TRANCOUNT > 0 ROLLBACK; IF OBJECT_ID('tempdb..#w') IS NOT NULL DROP TABLE #w;")?;
        self.must(SETTINGS)?;
        self.must(RESET)?;
        Ok(events)
    }

    fn batch(&mut self, text: &str) -> ClientResult<Vec<Event>> {
        let mut events = Vec::new();
        self.connection.protocol().batch(text);
        self.connection.response(Some(os::clock::after_ms(REQUEST_MAX_MS)), |token| match token {
            Token::Columns(_) => events.push(Event::Rows(Vec::new())),
            Token::Row(row) => {
                if let Some(Event::Rows(rows)) = events.last_mut() {
                    rows.push(row.iter().map(number).collect());
                }
            }
            Token::Message(message) => events.push(event(message)),
            _ => {}
        })?;
        events.retain(|event| !matches!(event, Event::Rows(rows) if rows.is_empty()));
        Ok(events)
    }
}

/// After each batch; what is in the pool's tables in one result.
pub const LOOK: &str = "SELECT @@TRANCOUNT AS count_; EXEC ('SET IMPLICIT_TRANSACTIONS OFF; SET ROWCOUNT 0;
SELECT 0 AS t, id, v FROM t0 UNION ALL SELECT 1, id, v FROM t1 UNION ALL SELECT 2, id, v FROM t2 UNION ALL SELECT 3, id, v FROM t3 ORDER BY t, id, v;');";

fn number(value: &Datum) -> Option<i64> {
    match value {
        Datum::Null => None,
        Datum::I64(number) => Some(*number),
        other => panic!("programs have numbers only, not {other:?}"),
    }
}

/// Text is compared only where it is PRINT's: of errors the number says which it is.
fn event(message: ServerMessage) -> Event {
    if message.number == 0 {
        return Event::Print(message.text);
    }
    let module = message.procedure.rsplit('.').next().unwrap_or_default();
    let (line, module) = rules::compared_place(message.number, message.line, module);
    Event::Message {
        number: message.number,
        severity: message.severity,
        state: rules::compared_state(message.number, message.state),
        line,
        module: module.into(),
    }
}
