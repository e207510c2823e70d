//! The rules that the model goes by, as tables, each with where it is written. None is taken from the server's code.
//!
//! - TRY: an error of severity 11 to 19 in it goes to its CATCH and no further, "TRY...CATCH". What is found as a statement is
//!   compiled (a missing object) is not caught at its own level, the same page, "Errors unaffected by a TRY...CATCH construct".
//! - XACT_ABORT: any run-time error ends the transaction; it heeds THROW, not RAISERROR, not compile errors; it is ON in triggers,
//!   "SET XACT_ABORT". In a TRY an error that would end the transaction makes it uncommittable, "XACT_STATE".
//! - THROW has severity 16 and ends the batch where nobody catches it, "THROW". RAISERROR goes on, "RAISERROR".
//! - An uncommittable transaction can be read in and rolled back, nothing else (3930); at the end of its batch it is rolled back
//!   (3998), "XACT_STATE", "TRY...CATCH".
//! - A message of severity 10 reaches the client as one of 0, "Database Engine Error Severities".
//! - Begin counts up, commit down, rollback to zero; a savepoint's rollback leaves the count, "@@TRANCOUNT", "SAVE TRANSACTION".
//! - A trigger runs in a transaction, of the statement if there is no other; when it has none at its end the batch is over (3609),
//!   "ROLLBACK TRANSACTION". An error that it caught and that dooms: 3616.
//! - A procedure that leaves another @@TRANCOUNT: 266 at line 0, which changes nothing else, "ROLLBACK TRANSACTION"; also dynamic
//!   text (tediousjs/tedious#891, benjf.com "Rolling back dynamic SQL"). Where something in it was not found: at the line of that.
//! - Table variables do not belong to transactions, "table"; identity values are not given back, "IDENTITY (Property)"; temporary
//!   tables belong to the scope that made them, an inner one hides an outer one of the same name, "CREATE TABLE".
//! - SET options that a module changes are as before when it returns, "SET Statements".
//! - A default stands for a parameter that is not given; OUTPUT is handed back when the procedure returns, "EXECUTE".

/// An error that a statement had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub number: i32,
    pub severity: u8,
    pub state: u8,
    pub line: u32,
    /// The module it was in.
    pub module: Option<&'static str>,
}

/// What an error ends where nobody catches it and XACT_ABORT is OFF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// Its statement, or with RAISERROR not even that.
    Statement,
    /// The batch; the transaction stays.
    Batch,
    /// The batch, and the transaction with it.
    Transaction,
}

/// Number, severity, state, what it ends, whether it is a run-time error for XACT_ABORT.
type Row = (i32, u8, u8, Ends, bool);

/// "Database Engine events and errors" has numbers and severities.
const ERRORS: [Row; 24] = [
    (220, 16, 2, Ends::Statement, true),
    (245, 16, 1, Ends::Transaction, true),
    (515, 16, 2, Ends::Statement, true),
    (547, 16, 0, Ends::Statement, true),
    (628, 16, 0, Ends::Statement, true),
    (2628, 16, 1, Ends::Statement, true),
    (2627, 14, 1, Ends::Statement, true),
    (2812, 16, 62, Ends::Statement, true),
    (3902, 16, 1, Ends::Statement, true),
    (3903, 16, 1, Ends::Statement, true),
    (3915, 16, 0, Ends::Transaction, true),
    (3930, 16, 1, Ends::Transaction, true),
    (3931, 16, 1, Ends::Transaction, true),
    (6401, 16, 1, Ends::Statement, true),
    (8115, 16, 2, Ends::Statement, true),
    (8134, 16, 1, Ends::Statement, true),
    (156, 15, 1, Ends::Statement, false),
    (16905, 16, 1, Ends::Statement, true),
    (16911, 16, 0, Ends::Statement, true),
    (16915, 16, 1, Ends::Statement, true),
    (16916, 16, 1, Ends::Statement, true),
    (16917, 16, 0, Ends::Statement, true),
    (16925, 16, 0, Ends::Statement, true),
    (16950, 16, 0, Ends::Statement, true),
];

pub fn row(number: i32) -> Row {
    *ERRORS.iter().find(|row| row.0 == number).unwrap_or_else(|| panic!("{number} has a row"))
}

pub fn ends_transaction(number: i32) -> bool {
    [ENDED_IN_TRIGGER.0, DOOMED_IN_TRIGGER.0].contains(&number)
        || ERRORS.iter().any(|row| row.0 == number && row.3 == Ends::Transaction)
}

/// The messages that are not the statement's own: severity and state.
pub const TERMINATED: (i32, u8, u8) = (3621, 0, 0);
pub const MISMATCH: (i32, u8, u8) = (266, 16, 2);
pub const ENDED_IN_TRIGGER: (i32, u8, u8) = (3609, 16, 1);
pub const DOOMED_IN_TRIGGER: (i32, u8, u8) = (3616, 16, 1);
pub const UNCOMMITTABLE: (i32, u8, u8) = (3998, 16, 1);
/// "SET ARITHABORT": a warning.
pub const OVERFLOWED: (i32, u8, u8) = (3606, 0, 1);
pub const NO_OBJECT: (i32, u8, u8) = (208, 16, 1);
/// States of these are written nowhere.
pub const STATE_OPEN: [i32; 6] = [628, 3915, 16911, 16917, 16925, 16950];
pub const RAISED: i32 = 50000;

pub fn compared_state(number: i32, state: u8) -> u8 {
    if STATE_OPEN.contains(&number) { 0 } else { state }
}

/// Line and module: which ones 266 of dynamic text has in a batch is written nowhere.
pub fn compared_place(number: i32, line: u32, module: &str) -> (u32, &str) {
    if number == MISMATCH.0 { (0, "") } else { (line, module) }
}
