//! Bulk load: INSERT BULK names a table and its columns, then rows arrive as one long message.
//!
//! Rows run through the same compiled INSERT, some hundreds at once, so defaults, constraints and indexes are those of any insert. A load
//! stays as a whole or not at all.
//!
//! What a client sends while rows still come is mostly rows. It interrupts as other input does, and what has come is read ahead up to a bound,
//! so that an attention behind rows, or the client's end, is heard before those are inserted. A client that has more to send is held by its full
//! socket, and could not send an attention that is not behind those rows.

use std::cmp::Ordering;
use std::sync::Arc;

use exec::host::{CallArgument, Ended, TableArgument};
use exec::running::BULK_INSERT;
use exec::session::{Session as State, Unchecked};
use exec::sink::{Command, Discard, Done, DoneKind, Outcome, Sink, Stop};
use sql::plan::Module;
use tds::Message;
use tds::bulk::BulkReader;
use types::{Datum, RowBatch, SqlError, SqlResult, SqlType, sql_error};

use crate::definition::constraint;
use crate::request::session::{Parts, Session};
use crate::request::table_value::{declaration, rows_as_parameter};
use crate::session::bulk_target::{BulkColumn, BulkTarget};
use crate::session::host::SessionHost;
use crate::system::procedure::definition::define;
use crate::wire::connection::ConnectionError;
use crate::wire::sink::FirstError;

/// One row with its long values.
const ROW_BYTES_MAX: usize = 64 << 20;
/// Inserted together: whichever comes first.
pub const ROWS_AT_ONCE: usize = 1024;
pub const BYTES_AT_ONCE: usize = 1 << 20;

/// Where a load goes back to within the client's own transaction.
const SAVEPOINT: &str = "<bulk load>";

pub fn run(session: &mut Session, first: Message) -> Result<(), ConnectionError> {
    let version = session.writer.version();
    let signal = session.state.signal.clone();
    signal.running.begin_request(Some(BULK_INSERT));
    let column_encryption = session.writer.column_encryption;
    let mut reader = BulkReader::new(version, ROW_BYTES_MAX).with_column_encryption(column_encryption);
    let mut load = match session.host.bulk_target.take() {
        Some(target) => Ok(Load::new(target)),
        None => Err(sql_error!(4022)),
    };
    let mut message = first;
    let withdrawn = loop {
        let (is_last, bytes) = (message.is_last, session.connection.payload.len());
        if let Ok(running) = &mut load {
            reader.feed(&session.connection.payload);
            running.waiting_bytes += bytes;
            running.unread_bytes += bytes;
            if (is_last || running.unread_bytes >= BYTES_AT_ONCE) && !message.ignore {
                running.unread_bytes = 0;
                let mut parts = session.parts(&signal, false);
                if let Err(error) = running.take_rows(&mut parts, &mut reader, is_last) {
                    running.undo(&mut parts);
                    load = Err(error);
                }
            }
        }
        if is_last {
            break message.ignore;
        }
        // After an error the rest of the rows is read and dropped: the client listens only when it has sent them all. Rows that came
        // meanwhile are no reason not to wait for more.
        if !os::sched::stopping() {
            os::wait::clear_interrupt();
        }
        if signal.pending() == Some(Stop::Disconnected) {
            return Err(ConnectionError::Closed);
        }
        message = session.connection.receive(None)?;
    };
    // An attention that was seen behind the rows, or has come since, is taken: it is answered here.
    if session.connection.has_news() && session.connection.take_attention()? {
        signal.raise(Stop::Attention);
    }
    let mut parts = session.parts(&signal, false);
    let stop = signal.pending();
    if let (Ok(running), true) = (&mut load, withdrawn || stop.is_some()) {
        running.undo(&mut parts);
        match stop {
            Some(stop) => load = Err(exec::session::stopped(stop)),
            None => return parts.sink.finish_withdrawn(),
        }
    }
    let ended = load.and_then(|mut load| load.commit(&mut parts));
    let stopped = match ended {
        Ok(rows) => {
            let done = Done {
                kind: DoneKind::Statement,
                command: Command::Insert,
                row_count: Some(rows),
                outcome: Outcome::Well,
            };
            parts.sink.done(done).err()
        }
        Err(error) => match exec::session::stop_of(&error) {
            Some(stop) => Some(stop),
            None => parts.sink.message(&error.at_line(1)).err(),
        },
    };
    Session::finish(parts, stopped)
}

/// For the INSERT of a load: nothing but why it failed, and what the client sends meanwhile.
struct Quiet<'a> {
    sink: &'a mut dyn Sink,
    failed: FirstError,
}

impl Sink for Quiet<'_> {
    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        self.failed.message(message)
    }

    fn interrupted(&mut self) -> Result<(), Stop> {
        self.sink.interrupted()
    }
}

struct Load {
    target: BulkTarget,
    /// Compiled when the columns of the rows are known.
    insert: Option<Arc<Module>>,
    types: Vec<SqlType>,
    /// Read and not yet inserted.
    batch: RowBatch,
    waiting_bytes: usize,
    /// Received and not yet looked at.
    unread_bytes: usize,
    rows: u64,
    /// Of the row before, where an order was promised.
    last_key: Vec<Datum>,
    /// It began the transaction: it ends it.
    own_transaction: bool,
    /// Otherwise it marked its beginning.
    saved: bool,
}

impl Load {
    fn new(target: BulkTarget) -> Load {
        Load {
            target,
            insert: None,
            types: Vec::new(),
            batch: RowBatch::default(),
            waiting_bytes: 0,
            unread_bytes: 0,
            rows: 0,
            last_key: Vec::new(),
            own_transaction: false,
            saved: false,
        }
    }

    fn take_rows(&mut self, parts: &mut Parts<'_>, reader: &mut BulkReader, is_last: bool) -> SqlResult<()> {
        loop {
            if let (Some(columns), None) = (reader.columns(), &self.insert) {
                self.types = columns.iter().map(|column| super::rpc::as_sent(column.info.sql_type)).collect();
                self.batch = RowBatch::new(self.types.iter().map(SqlType::physical));
                self.begin(parts)?;
            }
            let more = reader.read(&mut self.batch, ROWS_AT_ONCE, is_last).map_err(|error| error.to_sql_error())?;
            let full = self.batch.rows >= ROWS_AT_ONCE || self.waiting_bytes >= BYTES_AT_ONCE;
            if full || is_last && !more {
                self.insert_rows(parts)?;
            }
            if !more {
                return Ok(());
            }
        }
    }

    fn begin(&mut self, parts: &mut Parts<'_>) -> SqlResult<()> {
        let columns = &self.target.columns;
        if columns.len() != self.types.len() {
            let first_lone = columns.len().min(self.types.len()) + 1;
            return Err(sql_error!(4816, first_lone));
        }
        if let Some(other) = columns.iter().zip(&self.types).position(|(column, sent)| !column.takes(sent)) {
            return Err(sql_error!(4816, other + 1));
        }
        for (column, sent) in columns.iter().zip(&mut self.types) {
            *sent = column.as_stated(*sent);
        }
        // A key that is converted first has no order that could be promised.
        let as_stored = |(at, _): &(usize, bool)| {
            let (sent, stored) = (&self.types[*at], columns[*at].ty.as_ref());
            stored.is_some_and(|stored| {
                let same_order = !stored.is_string() || stored.collation == sent.collation;
                (stored.kind, stored.length, stored.scale) == (sent.kind, sent.length, sent.scale) && same_order
            })
        };
        if !self.target.order.iter().all(as_stored) {
            self.target.order.clear();
        }
        self.insert = Some(compile_insert(parts.host, parts.state, &self.target, &self.types)?);
        if parts.state.transaction.level == 0 {
            exec::begin_transaction(parts.state, parts.host, &mut Discard, None)?;
            self.own_transaction = true;
        } else if !parts.state.transaction.doomed {
            exec::save_transaction(parts.state, parts.host, &mut Discard, SAVEPOINT)?;
            self.saved = true;
        }
        Ok(())
    }

    /// Inserts what was read.
    fn insert_rows(&mut self, parts: &mut Parts<'_>) -> SqlResult<()> {
        self.waiting_bytes = 0;
        let Some(module) = self.insert.clone().filter(|_| self.batch.rows > 0) else { return Ok(()) };
        // What came while there was no room to read it ahead has interrupted nothing.
        parts.sink.interrupted().map_err(exec::session::stopped)?;
        if !self.target.order.is_empty() {
            for row in 0..self.batch.rows {
                self.check_order(row)?;
            }
        }
        let rows = RowBatch::new(self.types.iter().map(SqlType::physical));
        let rows = std::mem::replace(&mut self.batch, rows);
        let count = rows.rows as u64;
        insert_batch(parts.host, parts.state, &mut parts.sink, &module, &self.types, rows, &self.target)?;
        self.rows += count;
        Ok(())
    }

    /// 4819: a row that comes before the last one in the order that was promised, or has its key.
    fn check_order(&mut self, row: usize) -> SqlResult<()> {
        let key: Vec<Datum> = self.target.order.iter().map(|(at, _)| self.batch.columns[*at].datum(row)).collect();
        let last = std::mem::replace(&mut self.last_key, key);
        if last.is_empty() {
            return Ok(());
        }
        let ordered =
            self.target.order.iter().zip(last.iter().zip(&self.last_key)).find_map(|((at, descending), pair)| {
                let order = compare(&self.types[*at], pair.0, pair.1);
                let order = if *descending { order.reverse() } else { order };
                order.is_ne().then_some(order.is_lt())
            });
        if ordered == Some(true) {
            return Ok(());
        }
        let shown = |key: &[Datum]| {
            let mut text = String::new();
            for ((at, _), value) in self.target.order.iter().zip(key) {
                text.push_str(if text.is_empty() { "" } else { ", " });
                types::convert::push_display(value.as_ref(), &self.types[*at], &mut text);
            }
            text
        };
        Err(sql_error!(4819, format_args!("({})", shown(&last)), format_args!("({})", shown(&self.last_key))))
    }

    fn undo(&mut self, parts: &mut Parts<'_>) {
        if std::mem::take(&mut self.own_transaction) {
            exec::abandon_transaction(parts.state, parts.host);
        } else if std::mem::take(&mut self.saved) {
            // An error that ended the whole transaction has left nothing to go back to.
            let _ = exec::rollback_transaction(parts.state, parts.host, &mut Discard, Some(SAVEPOINT));
        }
    }

    fn commit(&mut self, parts: &mut Parts<'_>) -> SqlResult<u64> {
        if self.rows > 0
            && let Err(error) = distrust_constraints(parts.host, parts.state, &mut parts.sink, &self.target)
        {
            self.undo(parts);
            return Err(error);
        }
        if std::mem::take(&mut self.own_transaction) {
            exec::commit_transaction(parts.state, parts.host, &mut Discard)?;
        }
        Ok(self.rows)
    }
}

/// https://learn.microsoft.com/sql/t-sql/statements/bulk-insert-transact-sql (CHECK_CONSTRAINTS): without it "the constraint on the table is
/// marked as not trusted".
pub fn distrust_constraints(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    target: &BulkTarget,
) -> SqlResult<()> {
    let Some((database, table)) = target.distrusted else { return Ok(()) };
    define(host, state, sink, |ddl| {
        let db = ddl.catalog.expect_database(database);
        constraint::distrust(ddl, &db, table.0)
    })
}

/// The INSERT of rows of these types, which are given it as its one argument.
pub fn compile_insert(
    host: &mut SessionHost,
    state: &mut State,
    target: &BulkTarget,
    types: &[SqlType],
) -> SqlResult<Arc<Module>> {
    let columns = &target.columns;
    let names: Vec<String> = columns.iter().map(|column| format!("[{}]", column.name.replace(']', "]]"))).collect();
    let value = |(i, column): (usize, &BulkColumn)| match &column.default {
        None => format!("[{i}]"),
        Some(default) => format!("ISNULL([{i}], {default})"),
    };
    let values: Vec<String> = columns.iter().enumerate().map(value).collect();
    let declared: Vec<String> = types.iter().enumerate().map(|(i, ty)| declaration(i, ty)).collect();
    let text = format!(
        "DECLARE @rows TABLE ({}); INSERT INTO {} ({}) SELECT {} FROM @rows",
        declared.join(", "),
        target.table,
        names.join(", "),
        values.join(", ")
    );
    let module = host.bind_text(state, &text, "").map_err(SqlError::together)?;
    Ok(Arc::new(rows_as_parameter(module)))
}

/// Inserts rows.
pub fn insert_batch(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    insert: &Arc<Module>,
    types: &[SqlType],
    rows: RowBatch,
    target: &BulkTarget,
) -> SqlResult<()> {
    let argument = CallArgument {
        name: None,
        value: None,
        table: Some(TableArgument { types: types.to_vec(), rows, defaults: Vec::new(), from_client: false }),
        output: false,
    };
    let mut quiet = Quiet { sink, failed: FirstError::default() };
    state.unchecked = target.unchecked;
    let identity_insert = state.options.identity_insert;
    state.options.identity_insert = target.keep_identity.or(identity_insert);
    let signal = state.signal.clone();
    signal.running.hold();
    let (ended, _) = exec::call_module(insert, None, vec![argument], state, host, &mut quiet);
    signal.running.release();
    let failed = quiet.failed.0;
    state.options.identity_insert = identity_insert;
    state.unchecked = Unchecked::default();
    match (ended, failed) {
        (Ended::Stopped(stop), _) => Err(exec::session::stopped(stop)),
        (Ended::Failed(error), _) | (_, Some(error)) => Err(error),
        (Ended::Completed | Ended::Aborted, None) => Ok(()),
    }
}

/// NULL first.
fn compare(ty: &SqlType, left: &Datum, right: &Datum) -> Ordering {
    match (left.is_null(), right.is_null()) {
        (false, false) => types::compare::ValueComparer::new(ty).compare(left, right),
        (left, right) => right.cmp(&left),
    }
}
