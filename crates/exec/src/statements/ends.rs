//! What an error ends: the table.
//!
//! | ends | outside of a TRY | in one |
//! |---|---|---|
//! | statement | the next statement runs | the CATCH runs; XACT_STATE() stays 1 |
//! | transaction | the transaction is rolled back, the batch is over | the CATCH runs; XACT_STATE() is -1, only a ROLLBACK is possible |
//! | connection | the session is over | no CATCH sees it |
//!
//! XACT_ABORT moves every error from the first row to the second; outside of a TRY not RAISERROR, what compiling finds (SET XACT_ABORT's
//! page) and `NOT_BY_XACT_ABORT`. In a trigger it is ON until it is SET. A query that cannot be bound ends its module and is no row here
//! (`Unwind::Scope`); nor is an error in a function, which is its caller's statement's.
//!
//! Severities are those of "Database Engine Error Severities". SQL Server's documentation has no list by number: the numbers of
//! definitions are those that Babelfish for PostgreSQL's suite, which records what SQL Server does, and its `err_handler.c` agree on.

use types::SqlError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    Statement,
    Transaction,
    Connection,
}

/// What kind of statement an error is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Statement,
    /// It changes rows; what it changed has been taken back.
    Change,
    Definition,
    /// RAISERROR, or what ends as it does.
    Raised,
    /// THROW: nothing was computed here, whatever the number says.
    Thrown,
}

/// The transaction, whatever the statement.
const TRANSACTION: [i32; 47] = [
    217, 219, 241, 245, 293, 295, 296, 556, 701, 1203, 1205, 1946, 3609, 3616, 3728, 3915, 3916, 3960, 3998, 4708,
    4712, 4901, 4920, 5302, 6307, 6308, 6320, 6325, 6335, 6359, 8106, 8107, 8114, 8169, 11700, 11701, 11702, 11703,
    11704, 11705, 11706, 11707, 11708, 41301, 41302, 41305, 41325,
];

const _: () = {
    let mut at = 1;
    while at < TRANSACTION.len() {
        assert!(TRANSACTION[at - 1] < TRANSACTION[at], "it is searched by halves");
        at += 1;
    }
};

/// Outside of a TRY the statement also under XACT_ABORT.
const NOT_BY_XACT_ABORT: [i32; 5] = [266, 2787, 3701, 11555, 11709];

/// What an XML parser finds: all of these end the transaction.
const XML_FIRST: i32 = 9400;
const XML_LAST: i32 = 9499;

/// Severity of what the parser and the binder find in the text itself.
const SYNTAX: u8 = 15;

pub fn ends(error: &SqlError, origin: Origin, xact_abort: bool, in_try: bool) -> Ends {
    if error.severity >= 20 {
        return Ends::Connection;
    }
    let all = error.earlier.iter().chain([error]);
    if error.severity == 19 || all.into_iter().any(|error| ends_transaction(error, origin)) {
        return Ends::Transaction;
    }
    let exempt = origin == Origin::Raised
        || error.severity == SYNTAX
        || origin == Origin::Definition && sql::bind::is_of_compiling(error.number)
        || NOT_BY_XACT_ABORT.contains(&error.number);
    if xact_abort && (in_try || !exempt) { Ends::Transaction } else { Ends::Statement }
}

fn ends_transaction(error: &SqlError, origin: Origin) -> bool {
    match (error.number, error.state) {
        // Rows that a new constraint does not allow; of INSERT and its kind it is the statement.
        (547, _) => origin == Origin::Definition,
        // CREATE TABLE of a name that is taken; the other kinds of object have other states.
        (2714, state) => state == 6,
        (XML_FIRST..=XML_LAST, _) => true,
        (number, _) => TRANSACTION.binary_search(&number).is_ok(),
    }
}
