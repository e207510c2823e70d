//! Batches on a connection of the client library, with a bound of time.

use lab::client::{Answer, Connection};
use types::Datum;

use super::{Server, target, target_of};

pub const REQUEST_MAX_MS: u64 = 30_000;

pub fn ask(connection: &mut Connection, text: &str) -> Answer {
    connection.query(text, Some(os::clock::after_ms(REQUEST_MAX_MS))).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What has to run without an error.
pub fn must(connection: &mut Connection, text: &str) -> Answer {
    let answer = ask(connection, text);
    assert!(answer.first_error().is_none(), "{text}: {:?}", answer.first_error());
    answer
}

pub fn connect(server: &Server, database: &str) -> Connection {
    Connection::open(&target(server.port, database), None).expect("logged in")
}

/// A session of a login.
pub fn as_login(server: &Server, user: &str, password: &str) -> Connection {
    Connection::open(&target_of(server.port, (user, password), ""), None).expect("logged in")
}

/// Numbers and texts of what the server said.
pub fn texts(answer: &Answer) -> Vec<(i32, String)> {
    answer.messages.iter().map(|message| (message.number, message.text.clone())).collect()
}

pub fn numbers(answer: &Answer) -> Vec<i32> {
    answer.messages.iter().map(|message| message.number).collect()
}

/// Of a wide string.
pub fn text_of(datum: &Datum) -> String {
    types::collation::code_page::utf16_to_string(datum.as_bytes())
}

/// The first value of a query, a number.
pub fn one(connection: &mut Connection, query: &str) -> i64 {
    must(connection, query).sets[0].rows[0][0].as_i64()
}

/// The first value of a query, a wide string.
pub fn word(connection: &mut Connection, query: &str) -> String {
    text_of(&must(connection, query).sets[0].rows[0][0])
}
