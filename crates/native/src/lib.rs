//! Statements of a natively compiled module as machine code.
//!
//! ```text
//! plan::Module -> lower -> Cranelift IR -> Program          once a module, some tenths of a millisecond
//! Program::run(numbers, runtime)                            a call
//! ```
//!
//! Machine code does what is usual: numbers that stay in their range, loops and conditions over them, rows that are put together from
//! them and searched for them, calls of other modules with them. It shares the variables with the interpreter, where they lie. Whatever
//! else there is (an overflow, a statement of another form) is a *step*: the code asks the interpreter to run that statement as if there
//! were no machine code, which answers as it always does, with the same errors. So both ways agree because one is a part of the other, and
//! code for more forms can come one at a time. That works because what the code does of a statement before it asks for the step cannot be
//! seen: variables are written, and rows inserted, last. A part of an expression that reads no row (`LEN(@text) + 1`) is asked for by itself.
//!
//! Modules in dependency order, lowest first.

pub mod number;
pub mod runtime;
pub mod scalar;
pub mod form;
pub mod lower;
pub mod program;

pub use form::{
    Bounds, Changes, Checks, Find, Fold, Form, Insert, Join, Kind, Level, Output, Rows, Then, Totals, Values, Way,
    is_native, is_native_over_subqueries,
};
pub use lower::{Execution, Part, Step};
pub use number::Number;
pub use program::{Program, listing};
pub use runtime::{Batch, Cells, Leave, Passed, Runtime, Value};
pub use scalar::{Coding, Field, FunctionCall};
