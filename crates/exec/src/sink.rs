//! Where results and messages of a run go: the client's connection, a cursor, an INSERT ... EXEC.

use sql::plan::{ExecutorSlot, OutputColumn};
use storage::Transaction;
use types::{RowBatch, SqlError};

/// The receiver wants no more; execution ends and the transaction is left as XACT_ABORT says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The client asked to cancel.
    Attention,
    /// It has taken more time than it may; the session goes on.
    Expired,
    /// The connection is gone or its session was killed.
    Disconnected,
}

/// What a sink does not take in is dropped, but for messages: every sink says what becomes of an error.
pub trait Sink {
    /// A result set begins.
    fn columns(&mut self, _columns: &[OutputColumn]) -> Result<(), Stop> {
        Ok(())
    }

    /// `columns` of a query that may run again: `description` is the sink's, to keep what it makes of them.
    fn query_columns(&mut self, columns: &[OutputColumn], _description: &ExecutorSlot) -> Result<(), Stop> {
        self.columns(columns)
    }

    /// `columns` of a query whose text, ntext and image values end at `text_size` bytes, as SET TEXTSIZE has it.
    fn cut_columns(&mut self, columns: &[OutputColumn], _text_size: u32) -> Result<(), Stop> {
        self.columns(columns)
    }

    /// Some rows of it, in the columns' classes. A slow receiver makes the caller wait.
    fn batch(&mut self, _batch: &RowBatch) -> Result<(), Stop> {
        Ok(())
    }

    /// As `batch`, to a sink that puts the rows away in the transaction that they are read in.
    fn batch_within(&mut self, batch: &RowBatch, _transaction: Option<&mut Transaction>) -> Result<(), Stop> {
        self.batch(batch)
    }

    /// A procedure that a batch called has returned; its DONE follows.
    fn return_status(&mut self, _status: i32) -> Result<(), Stop> {
        Ok(())
    }

    /// A statement ended (after its result set, if it had one).
    fn done(&mut self, _done: Done) -> Result<(), Stop> {
        Ok(())
    }

    /// The same under NOCOUNT: a client is not told of what a module did without a result.
    fn done_uncounted(&mut self, done: Done) -> Result<(), Stop> {
        self.done(Done { row_count: None, ..done })
    }

    /// An error, or information (severity up to 10: PRINT, RAISERROR, SET STATISTICS).
    fn message(&mut self, message: &SqlError) -> Result<(), Stop>;

    /// RAISERROR ... WITH NOWAIT: what has been given so far goes out now.
    fn flush(&mut self) -> Result<(), Stop> {
        Ok(())
    }

    /// The run was interrupted (`os::wait::is_interrupted`). Err: the client cancels or is gone. Ok: the run goes on. A sink without
    /// a client leaves the interrupt standing for the one that has it.
    fn interrupted(&mut self) -> Result<(), Stop> {
        Ok(())
    }

    /// USE, SET LANGUAGE and transaction changes the client must hear of (ENVCHANGE).
    fn environment(&mut self, _change: &Environment) -> Result<(), Stop> {
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    pub kind: DoneKind,
    pub command: Command,
    /// None: NOCOUNT is on, or the statement counts nothing.
    pub row_count: Option<u64>,
    pub outcome: Outcome,
}

/// How a statement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Well, or with an error that a TRY catches: the client is not told of that one.
    Well,
    /// With an error; what follows it runs.
    Failed,
    /// With an error that ends the batch.
    EndsBatch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoneKind {
    /// A statement of the batch itself (DONE).
    Statement,
    /// A statement within a procedure, trigger or EXEC ('...') (DONEINPROC).
    InProcedure,
    /// A procedure called by EXEC within a batch (DONEPROC). What `call_module` itself called ends with its caller, who has the output
    /// parameters to send first.
    Procedure,
}

/// What kind of statement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    Select,
    Insert,
    Update,
    Delete,
    Merge,
    SelectInto,
    Fetch,
    Execute,
    /// With its name: see `definition_name`.
    Definition(&'static str),
    BeginTransaction,
    Commit,
    Rollback,
    Save,
    /// SET of an option that is on or off.
    Set(bool),
    SetIdentityInsert(bool),
    SetStatistics,
    SetRowCount,
    SetTextSize,
    SetValue,
    Use,
    Condition,
    /// BREAK and CONTINUE.
    Leave,
    /// RETURN without a value.
    Return,
    /// A TRY block begins.
    Try,
    /// A CATCH block begins.
    Catch,
    /// TRY and CATCH are over, whether an error was caught or not.
    EndCatch,
    DeclareCursor,
    OpenCursor,
    CloseCursor,
    DeallocateCursor,
    WaitFor,
    Print,
    Raise,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Environment {
    Database(Box<str>),
    /// Of the database: what varchar without a collation of its own is written in.
    Collation {
        new: types::CollationId,
        old: types::CollationId,
    },
    Language(Box<str>),
    BeginTransaction(u64),
    CommitTransaction(u64),
    RollbackTransaction(u64),
}

/// Drops rows and messages: for runs whose effects alone matter.
#[derive(Debug, Default)]
pub struct Discard;

impl Sink for Discard {
    fn message(&mut self, _message: &SqlError) -> Result<(), Stop> {
        Ok(())
    }
}
