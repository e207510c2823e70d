//! Batches on a connection of the client library, with a bound of time.

use lab::client::{Answer, Connection};

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
