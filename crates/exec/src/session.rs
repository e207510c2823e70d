//! What a session keeps between and during its statements: SET options, transaction, counters, errors being handled, cursors.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use sql::catalog::{DatabaseId, ObjectId, TableDef};
use sql::plan::{AtomicIsolation, IsolationLevel};
use storage::{Isolation, Transaction};
use types::datetime::{DateFormat, LanguageId};
use types::pause::{Pause, STRIDE};
use types::{Datum, SqlError, SqlResult, SqlType, sql_error};

use crate::cursor_book::CursorBook;
use crate::prepared_xml::PreparedXml;
use crate::random::RandState;
use crate::running::{Running, Settings};
use crate::sink::{Sink, Stop};
use crate::statements::CursorTable;
use crate::table_reads::TableReads;

/// `sp_reset_connection` makes it new by `Session::new`.
pub struct Session {
    pub spid: u32,
    pub options: Options,
    /// Who it acts as, as the host numbers them: what is permitted to one may be refused to another.
    pub actor: u64,
    /// EXECUTE AS that have not been reverted.
    pub contexts: u32,
    /// The last of them outlives the procedure that has begun it: sp_setapprole.
    pub keeps_context: bool,
    pub transaction: TransactionState,
    /// @@ROWCOUNT.
    pub row_count: u64,
    /// @@ERROR.
    pub error: i32,
    /// @@IDENTITY: the last identity value of any scope.
    pub identity: Option<(SqlType, i128)>,
    /// SCOPE_IDENTITY(): of the running module; the caller's is put aside during a call.
    pub scope_identity: Option<(SqlType, i128)>,
    /// What machine code has taken for a row of this table that it could not insert: the interpreter, which tries again, has it.
    pub identity_given: Option<(ObjectId, i64)>,
    /// The text being compiled or run is a driver's cursor's.
    pub opens_cursor: bool,
    /// @@FETCH_STATUS.
    pub fetch_status: i32,
    /// Of the cursor opened last, when it was opened.
    pub(crate) cursor_rows: i64,
    /// @@NESTLEVEL.
    pub nest_level: u32,
    /// Triggers that run, innermost last.
    pub(crate) triggers: Vec<RunningTrigger>,
    /// @@PROCID of the running module, 0 in a batch.
    pub procedure_id: i32,
    /// Errors of the CATCH blocks being run, innermost last: ERROR_NUMBER() and the like.
    pub handling: Vec<SqlError>,
    /// TRY blocks being run: while above 0, errors unwind to a CATCH instead of going to the client.
    pub try_level: u32,
    /// None: RAND has not been called yet.
    pub(crate) rand_state: Option<RandState>,
    pub context_info: Box<[u8]>,
    pub(crate) cursors: CursorTable,
    /// What sp_xml_preparedocument has prepared.
    pub prepared_xml: PreparedXml,
    /// Schemas that FOR XML has made, which have its number in their names.
    pub(crate) xml_schemas: u32,
    /// What others may know of its cursors.
    pub cursor_book: Arc<CursorBook>,
    /// A module that a system procedure called, or a trigger, has ended the batch; the statement that led there has yet to see it.
    pub(crate) aborted: bool,
    /// The error that a system procedure or a trigger hands on is on its way to a CATCH: it has done to the transaction what it does.
    pub(crate) thrown: bool,
    /// A system procedure has told the client what was wrong, and its caller goes on with its status.
    pub(crate) refused: bool,
    /// A statement of a trigger could not be bound; the statement that fired it has yet to see the error.
    pub(crate) trigger_unbound: bool,
    /// An INSERT ... EXEC is running: the level of the transaction that it shares with what it calls.
    pub(crate) insert_execute: Option<u32>,
    /// Statements within one another that share a transaction: a statement, the functions and triggers it runs.
    pub(crate) statement_depth: u32,
    /// What the next INSERT, a bulk load's, leaves out; that statement takes it.
    pub unchecked: Unchecked,
    /// Of the atomic block that is running, natively compiled: its level instead of the session's.
    pub(crate) atomic: Option<AtomicIsolation>,
    /// SET TRANSACTION ISOLATION LEVEL has run since the current transaction was told its level.
    pub(crate) isolation_changed: bool,
    /// Of the running statement; None: STATISTICS IO is OFF.
    pub(crate) table_reads: Option<Box<TableReads>>,
    pub signal: Arc<Signal>,
}

/// Of CONTEXT_INFO.
pub const CONTEXT_INFO_BYTES: usize = 128;

#[derive(Debug, Clone)]
pub(crate) struct RunningTrigger {
    pub object: i32,
    /// The table or view whose rows a statement changes.
    pub on: Option<(DatabaseId, ObjectId)>,
    pub instead_of: bool,
    /// Of a trigger for definitions or logons: EVENTDATA(), an xml value.
    pub event: Option<Datum>,
}

/// Raised from another worker to end what the session runs, which others see here.
#[derive(Debug, Default)]
pub struct Signal {
    pub running: Running,
    /// `RUNS`, or the number of what stops it. A flag alone: it orders no other memory.
    state: AtomicU32,
    /// Of `Stop::Expired`: what it might take, in seconds, and whether those are of CPU time.
    limit_s: AtomicU32,
    limit_is_cpu: AtomicBool,
}

/// Nothing stops it.
const RUNS: u32 = 0;

/// The stronger the higher: who is gone needs no answer, and who sends an attention waits for the answer to that.
fn number_of(stop: Stop) -> u32 {
    match stop {
        Stop::Expired => 1,
        Stop::Attention => 2,
        Stop::Disconnected => 3,
    }
}

fn stop_numbered(number: u32) -> Option<Stop> {
    match number {
        RUNS => None,
        1 => Some(Stop::Expired),
        2 => Some(Stop::Attention),
        _ => Some(Stop::Disconnected),
    }
}

impl Signal {
    pub fn raise(&self, stop: Stop) {
        self.state.fetch_max(number_of(stop), Ordering::Relaxed);
    }

    /// The request has taken more than it may. By who knows that it still runs.
    pub fn expire(&self, limit_s: u32, of_cpu: bool) {
        self.limit_s.store(limit_s, Ordering::Relaxed);
        self.limit_is_cpu.store(of_cpu, Ordering::Relaxed);
        self.raise(Stop::Expired);
    }

    /// 10961, of a request that has expired.
    pub fn expired(&self) -> SqlError {
        let what = if self.limit_is_cpu.load(Ordering::Relaxed) { "CPU time" } else { "elapsed time" };
        sql_error!(10961, what, self.limit_s.load(Ordering::Relaxed))
    }

    /// Before a new request: an attention or a limit for the last one is over, a kill is not.
    pub fn clear_attention(&self) {
        for stop in [Stop::Expired, Stop::Attention] {
            // Failure means that something else is pending, or nothing.
            let _ = self.state.compare_exchange(number_of(stop), RUNS, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    #[inline]
    pub fn pending(&self) -> Option<Stop> {
        stop_numbered(self.state.load(Ordering::Relaxed))
    }
}

/// What long work of a statement, outside of its operators, hears while it pauses: others have their turn, and whoever wants the answer
/// may take that back.
pub struct Ear<'a> {
    sink: RefCell<&'a mut dyn Sink>,
    signal: &'a Signal,
    left: Cell<usize>,
}

impl<'a> Ear<'a> {
    pub fn new(sink: &'a mut dyn Sink, signal: &'a Signal) -> Ear<'a> {
        Ear { sink: RefCell::new(sink), signal, left: Cell::new(STRIDE) }
    }

    /// Information for the client, which goes out at once.
    pub fn message(&self, message: &SqlError) -> SqlResult<()> {
        let mut sink = self.sink.borrow_mut();
        sink.message(message).and_then(|()| sink.flush()).map_err(stopped)
    }
}

impl Pause for Ear<'_> {
    fn pause(&self) -> SqlResult<()> {
        os::wait::maybe_yield();
        if os::wait::is_interrupted() {
            self.sink.borrow_mut().interrupted().map_err(stopped)?;
        }
        self.signal.pending().map_or(Ok(()), |stop| Err(stopped(stop)))
    }

    fn left(&self) -> &Cell<usize> {
        &self.left
    }
}

/// Without CHECK_CONSTRAINTS a bulk load skips CHECK and FOREIGN KEY, without FIRE_TRIGGERS the triggers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unchecked {
    pub constraints: bool,
    pub triggers: bool,
}

/// The number of the internal error by which a `Stop` travels up: no CATCH sees it and no client gets it.
pub const STOPPED: i32 = -1;

pub fn stopped(stop: Stop) -> SqlError {
    SqlError::of_user(STOPPED, 20, number_of(stop) as u8, String::new())
}

/// None: an ordinary error.
pub fn stop_of(error: &SqlError) -> Option<Stop> {
    if error.number == STOPPED { stop_numbered(error.state.into()) } else { None }
}

/// SET options, in effect until changed; a module restores its caller's when it returns.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    pub ansi_defaults: bool,
    pub ansi_null_dflt_on: bool,
    pub ansi_null_dflt_off: bool,
    pub ansi_nulls: bool,
    pub ansi_padding: bool,
    pub ansi_warnings: bool,
    pub arith_abort: bool,
    pub arith_ignore: bool,
    pub concat_null_yields_null: bool,
    pub cursor_close_on_commit: bool,
    pub fmt_only: bool,
    pub implicit_transactions: bool,
    pub no_count: bool,
    pub no_browse_table: bool,
    pub no_exec: bool,
    pub numeric_round_abort: bool,
    pub parse_only: bool,
    pub quoted_identifier: bool,
    pub remote_proc_transactions: bool,
    pub show_plan: bool,
    pub show_plan_all: bool,
    pub show_plan_xml: bool,
    pub statistics_io: bool,
    pub statistics_profile: bool,
    pub statistics_time: bool,
    pub statistics_xml: bool,
    pub xact_abort: bool,
    pub force_plan: bool,
    /// 0: no limit.
    pub row_count: u64,
    /// Bytes; -1 and 0x7fffffff: no limit.
    pub text_size: i32,
    /// 1 Monday to 7 Sunday.
    pub date_first: u8,
    pub date_format: DateFormat,
    /// SET DATEFIRST or SET DATEFORMAT was given: SET LANGUAGE leaves it then.
    pub date_first_given: bool,
    pub date_format_given: bool,
    pub language: LanguageId,
    /// Milliseconds; -1 waits for ever.
    pub lock_timeout_ms: i32,
    pub deadlock_priority: i8,
    /// QUERY_GOVERNOR_COST_LIMIT, 0: no limit; None: the server's.
    pub cost_limit: Option<u32>,
    pub isolation: IsolationLevel,
    pub identity_insert: Option<(u16, i32)>,
}

/// SET TEXTSIZE of a DB-Library client.
const TEXT_SIZE_PLAIN: i32 = 4096;

impl Options {
    /// As a client begins with them. Not `driver`: it is no ODBC or OLE DB driver, but DB-Library, say. LOGIN7 tells (MS-TDS 2.2.6.4,
    /// "fODBC"); the pages of these SET options have what holds for DB-Library.
    pub fn of_client(driver: bool) -> Options {
        if driver {
            return Options::default();
        }
        Options {
            ansi_null_dflt_on: false,
            ansi_nulls: false,
            ansi_padding: false,
            ansi_warnings: false,
            arith_abort: false,
            concat_null_yields_null: false,
            quoted_identifier: false,
            text_size: TEXT_SIZE_PLAIN,
            ..Options::default()
        }
    }

    /// SET SHOWPLAN_TEXT or SHOWPLAN_ALL: statements are shown and not run.
    pub fn shows_plans(&self) -> bool {
        self.show_plan || self.show_plan_all
    }

    /// SET STATISTICS XML or PROFILE: behind a statement's result comes its plan with what its operators did.
    pub fn tells_runs(&self) -> bool {
        self.statistics_xml || self.statistics_profile
    }

    /// What cannot be computed is NULL, also where no operand is.
    pub fn forgives_arithmetic(&self) -> bool {
        !self.arith_abort && !self.ansi_warnings
    }

    pub fn executes_nothing(&self) -> bool {
        self.no_exec || self.parse_only
    }

    /// Names of months and days; the order of dates and the first day of a week unless they were set by themselves.
    pub fn set_language(&mut self, language: LanguageId) {
        self.language = language;
        if !self.date_first_given {
            self.date_first = language.get().date_first;
        }
        if !self.date_format_given {
            self.date_format = language.get().date_format;
        }
    }
}

impl Default for Options {
    /// As a driver that logs in over ODBC or OLE DB gets them.
    fn default() -> Options {
        Options {
            ansi_defaults: false,
            ansi_null_dflt_on: true,
            ansi_null_dflt_off: false,
            ansi_nulls: true,
            ansi_padding: true,
            ansi_warnings: true,
            arith_abort: true,
            arith_ignore: false,
            concat_null_yields_null: true,
            cursor_close_on_commit: false,
            fmt_only: false,
            implicit_transactions: false,
            no_count: false,
            no_browse_table: false,
            no_exec: false,
            numeric_round_abort: false,
            parse_only: false,
            quoted_identifier: true,
            remote_proc_transactions: false,
            show_plan: false,
            show_plan_all: false,
            show_plan_xml: false,
            statistics_io: false,
            statistics_profile: false,
            statistics_time: false,
            statistics_xml: false,
            xact_abort: false,
            force_plan: false,
            row_count: 0,
            text_size: -1,
            date_first: 7,
            date_format: DateFormat::Mdy,
            date_first_given: false,
            date_format_given: false,
            language: LanguageId::US_ENGLISH,
            lock_timeout_ms: -1,
            deadlock_priority: 0,
            cost_limit: None,
            isolation: IsolationLevel::ReadCommitted,
            identity_insert: None,
        }
    }
}

/// BEGIN TRANSACTION name WITH MARK 'description'.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
}

/// The session's transaction, if one is open. `level` is @@TRANCOUNT.
#[derive(Default)]
pub struct TransactionState {
    /// Also there, with level 0, while an autocommit statement runs.
    /// In a box: a session that does nothing has none.
    pub current: Option<Box<Transaction>>,
    pub level: u32,
    /// The database whose READ_COMMITTED_SNAPSHOT it goes by; a table of another one is read by that one's.
    pub home: Option<DatabaseId>,
    /// Given by BEGIN TRANSACTION name at level 1.
    pub name: Option<Box<str>>,
    /// It was begun WITH MARK.
    pub(crate) mark: Option<Box<Mark>>,
    /// XACT_STATE() -1: only ROLLBACK is possible.
    pub doomed: bool,
    /// Other requests of the connection (MARS) are at work in it: it cannot be committed before they end.
    pub shared: bool,
    pub(crate) savepoints: Vec<(Box<str>, storage::Savepoint)>,
    /// Whether SNAPSHOT was its level when it first read a table: no other can take that up later.
    pub(crate) began_as_snapshot: Option<bool>,
    /// UTC of its begin, once that was asked for: (`storage::Transaction::begun_ns` it is of, ticks).
    pub(crate) begun: (u64, i64),
    /// Counts transactions of the session, for ENVCHANGE descriptors.
    pub descriptor: u64,
}

impl TransactionState {
    /// Savepoints that a ROLLBACK could return to.
    pub fn savepoint_count(&self) -> usize {
        self.savepoints.len()
    }

    /// XACT_STATE().
    pub fn xact_state(&self) -> i32 {
        match (self.level, self.doomed) {
            (0, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        }
    }
}

impl Session {
    /// What the running statement reads from here on is of `table`, of which so many `scans` begin.
    #[inline]
    pub(crate) fn reads(&mut self, table: &Arc<TableDef>, scans: u64) {
        if let Some(reads) = &mut self.table_reads {
            reads.enter(table, scans);
        }
    }

    pub fn new(spid: u32) -> Session {
        Session {
            spid,
            actor: 0,
            contexts: 0,
            keeps_context: false,
            options: Options::default(),
            transaction: TransactionState::default(),
            row_count: 0,
            error: 0,
            identity: None,
            scope_identity: None,
            identity_given: None,
            opens_cursor: false,
            fetch_status: 0,
            cursor_rows: 0,
            nest_level: 0,
            triggers: Vec::new(),
            procedure_id: 0,
            handling: Vec::new(),
            try_level: 0,
            rand_state: None,
            context_info: Box::default(),
            cursors: CursorTable::default(),
            prepared_xml: PreparedXml::default(),
            xml_schemas: 0,
            cursor_book: Arc::default(),
            aborted: false,
            thrown: false,
            refused: false,
            trigger_unbound: false,
            insert_execute: None,
            statement_depth: 0,
            unchecked: Unchecked::default(),
            isolation_changed: false,
            atomic: None,
            table_reads: None,
            signal: Arc::default(),
        }
    }

    /// A trigger runs for a change of this table.
    pub fn is_in_trigger_of(&self, table: (DatabaseId, ObjectId)) -> bool {
        self.triggers.iter().any(|running| running.on == Some(table))
    }

    pub fn is_in_trigger(&self) -> bool {
        self.triggers.iter().any(|running| running.on.is_some())
    }

    #[inline]
    pub fn settings(&self) -> Settings {
        Settings {
            level: self.transaction.level.min(u32::from(u16::MAX)) as u16,
            isolation: match self.options.isolation {
                IsolationLevel::ReadUncommitted => 1,
                IsolationLevel::ReadCommitted => 2,
                IsolationLevel::RepeatableRead => 3,
                IsolationLevel::Serializable => 4,
                IsolationLevel::Snapshot => 5,
            },
            deadlock_priority: self.options.deadlock_priority,
            lock_timeout_ms: self.options.lock_timeout_ms,
        }
    }

    pub fn told_cursors(&self) -> Vec<crate::cursor_book::CursorTold> {
        self.cursors.told()
    }

    /// @@CURSOR_ROWS: of the cursor opened last, as long as it is open.
    pub fn cursor_rows(&self) -> i64 {
        if self.cursors.has_last() { self.cursor_rows } else { 0 }
    }

    /// Settings and counters as after a login. The transaction stays for the caller to end, and so does what a run in progress
    /// depends on: sp_reset_connection can be called from a batch.
    pub fn renew(&mut self) {
        let old = std::mem::replace(self, Session::new(self.spid));
        self.signal = old.signal;
        self.transaction = old.transaction;
        self.nest_level = old.nest_level;
        self.triggers = old.triggers;
        self.try_level = old.try_level;
        self.statement_depth = old.statement_depth;
        self.atomic = old.atomic;
        self.insert_execute = old.insert_execute;
        self.cursor_book = old.cursor_book;
        self.cursors = old.cursors;
        self.cursors.remove_names();
    }

    /// A module or dynamic text has returned: what it SET is the caller's again, also for the transaction that is open.
    pub fn restore_options(&mut self, options: Options) {
        let left = std::mem::replace(&mut self.options, options);
        let now = &self.options;
        self.isolation_changed |= left.isolation != now.isolation;
        if let Some(transaction) = &mut self.transaction.current {
            if left.lock_timeout_ms != now.lock_timeout_ms {
                transaction.set_lock_timeout_ms(i64::from(now.lock_timeout_ms));
            }
            if left.deadlock_priority != now.deadlock_priority {
                transaction.set_deadlock_priority(now.deadlock_priority);
            }
        }
    }

    /// Err: the run must end.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn check_signal(&self) -> SqlResult<()> {
        os::plant!();
        match self.signal.pending() {
            None => Ok(()),
            Some(stop) => Err(stopped(stop)),
        }
    }

    /// What storage calls the session's isolation level. `snapshot_reads`: READ_COMMITTED_SNAPSHOT of the database, asked where it counts.
    pub fn isolation(&self, snapshot_reads: impl FnOnce() -> bool) -> Isolation {
        match self.atomic {
            None => {}
            // Rows in memory are read as of the transaction's begin at every level; definitions as they are now.
            Some(AtomicIsolation::Snapshot) => return Isolation::ReadCommitted,
            Some(AtomicIsolation::RepeatableRead) => return Isolation::RepeatableRead,
            Some(AtomicIsolation::Serializable) => return Isolation::Serializable,
        }
        match self.options.isolation {
            IsolationLevel::ReadUncommitted => Isolation::ReadUncommitted,
            IsolationLevel::ReadCommitted => match snapshot_reads() {
                true => Isolation::ReadCommitted,
                false => Isolation::ReadCommittedLocking,
            },
            IsolationLevel::RepeatableRead => Isolation::RepeatableRead,
            IsolationLevel::Snapshot => Isolation::Snapshot,
            IsolationLevel::Serializable => Isolation::Serializable,
        }
    }

    /// @@IDENTITY and SCOPE_IDENTITY() as numeric(38,0).
    pub fn identity_datum(value: Option<(SqlType, i128)>) -> Datum {
        value.map_or(Datum::Null, |(_, value)| Datum::I128(value))
    }
}
