//! What an error ends: the table.
//!
//! | ends | outside of a TRY | in one |
//! |---|---|---|
//! | statement | the next statement runs | the CATCH runs; XACT_STATE() stays 1 |
//! | batch | the batch is over, the transaction goes on | as statement |
//! | transaction | the transaction is rolled back, the batch is over | the CATCH runs; XACT_STATE() is -1, only a ROLLBACK is possible |
//! | connection | the session is over | no CATCH sees it |
//!
//! XACT_ABORT moves every error from the first two rows to the third; outside of a TRY not RAISERROR, what compiling finds (SET
//! XACT_ABORT's page), errors of severity 11 and `NOT_BY_XACT_ABORT`. In a trigger it is ON until it is SET. A query that cannot be bound
//! ends its module and is no row here (`Unwind::Scope`); nor is an error in a function, which is its caller's statement's.
//!
//! Severities are those of "Database Engine Error Severities". SQL Server's documentation has no list by number: numbers and kinds of
//! statements are those that public suites which record what SQL Server does agree on.

use types::SqlError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    Statement,
    Batch,
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
    /// A definition of how a table or an index is built.
    Structure,
    /// RAISERROR, or what ends as it does.
    Raised,
    /// THROW: nothing was computed here, whatever the number says.
    Thrown,
}

/// The transaction, whatever the statement.
const TRANSACTION: [i32; 98] = [
    217, 219, 235, 241, 245, 289, 293, 295, 296, 297, 556, 622, 650, 701, 1203, 1205, 1707, 1908, 1921, 1946, 2703,
    2726, 3609, 3616, 3728, 3915, 3916, 3951, 3952, 3960, 3981, 3998, 4708, 4712, 4901, 4920, 5014, 5035, 5042, 5302,
    6307, 6308, 6320, 6325, 6335, 6359, 7703, 7704, 7705, 7706, 7707, 7708, 7710, 7715, 7716, 7717, 7719, 7720, 7721,
    7723, 7724, 7726, 7727, 8106, 8107, 8169, 8170, 8672, 8728, 11700, 11701, 11702, 11703, 11704, 11705, 11706, 11707,
    11708, 13607, 13608, 13609, 13611, 13619, 13621, 13623, 13624, 13625, 13638, 15135, 15217, 15233, 41301, 41302,
    41305, 41325, 41332, 41333, 41368,
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

/// The batch: REVERT that does not fit, SET IDENTITY_INSERT of what may not be altered.
const OF_CONTEXT: [(i32, u8); 4] = [(1088, 11), (15196, 1), (15199, 1), (15591, 1)];

/// What an XML parser finds: all of these end the transaction.
const XML_FIRST: i32 = 9400;
const XML_LAST: i32 = 9499;

/// Severity of what the parser and the binder find in the text itself.
const SYNTAX: u8 = 15;
/// Severity of what is not there.
const MISSING: u8 = 11;

pub fn ends(error: &SqlError, origin: Origin, xact_abort: bool, in_try: bool) -> Ends {
    if error.severity >= 20 {
        return Ends::Connection;
    }
    let all = error.earlier.iter().chain([error]);
    if error.severity == 19 || all.into_iter().any(|error| ends_transaction(error, origin)) {
        return Ends::Transaction;
    }
    // A module that has changed the number of transactions: nobody knows what its caller's statements would be in.
    if in_try && error.number == 266 {
        return Ends::Transaction;
    }
    let is_definition = matches!(origin, Origin::Definition | Origin::Structure);
    let exempt = match origin {
        Origin::Raised => true,
        Origin::Thrown => false,
        Origin::Statement | Origin::Change | Origin::Definition | Origin::Structure => {
            matches!(error.severity, SYNTAX | MISSING)
                || is_definition && sql::bind::is_of_compiling(error.number)
                || NOT_BY_XACT_ABORT.contains(&error.number)
        }
    };
    if xact_abort && (in_try || !exempt) {
        Ends::Transaction
    } else if is_definition && ends_batch(error)
        || OF_CONTEXT.contains(&(error.number, error.state))
        || is_too_many_arguments(error)
    {
        Ends::Batch
    } else {
        Ends::Statement
    }
}

fn ends_transaction(error: &SqlError, origin: Origin) -> bool {
    match (error.number, error.state) {
        // A name that is taken; of a synonym it is the statement.
        (2714, state) => state == 6 || matches!(origin, Origin::Definition | Origin::Structure),
        // Of a value within a statement, not of a call's argument, which has no line.
        (8114, _) => error.line != 0,
        (8115, _) => error.text.contains("IDENTITY"),
        (XML_FIRST..=XML_LAST, _) => true,
        // What a table or an index cannot become, but for what compiling would have found.
        _ if origin == Origin::Structure && error.severity == 16 && !ends_batch(error) => true,
        // What one may not make.
        (262, _) => matches!(origin, Origin::Definition | Origin::Structure),
        // Of a property's levels, and not of a parameter.
        (15600, _) => error.severity == 16,
        // ALTER INDEX of none.
        (2727, _) => origin == Origin::Structure,
        (number, _) => TRANSACTION.binary_search(&number).is_ok(),
    }
}

/// Of a procedure, and not of a text: compiling finds it.
fn is_too_many_arguments(error: &SqlError) -> bool {
    error.number == 8144 && !error.procedure.is_empty()
}

/// ALTER TABLE of no table, and a second primary key: found before anything is done, so that no CATCH of the statement's own module has it.
pub fn ends_module(error: &SqlError) -> bool {
    error.earlier.iter().chain([error]).any(|error| matches!(error.number, 1779 | 4902))
}

/// ALTER TABLE and ENABLE TRIGGER: the table is not there, or has the column already, or not the trigger.
fn ends_batch(error: &SqlError) -> bool {
    matches!((error.number, error.state), (4902 | 2705, _) | (1088, 21 | 119))
}
