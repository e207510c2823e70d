//! Results and messages of a run as tokens in the outgoing packets of its connection.
//!
//! A DONE says whether more follows, which is known only when something does: the last one is held back until then.

use std::sync::Arc;

use exec::session::Signal;
use exec::sink::{Command, Done, DoneKind, Environment, Outcome, Sink, Stop};
use sql::plan::{ExecutorSlot, OutputColumn, ToldOrigin};
use tds::column::flag;
use tds::request::TransactionDescriptor;
use tds::token::{self, ColumnSource, EnvChange, SessionState, command, done};
use tds::type_info::NamedType;
use tds::{ColumnInfo, ResponseWriter, RowLayout, WireCollation};
use types::{RowBatch, SqlError, SqlType, TypeKind, sql_error};

use crate::catalog::{Catalog, xml_collection};
use crate::wire::connection::{Connection, ConnectionError};

/// How often a run that sends rows looks for an attention: often enough for a person, seldom enough to cost nothing.
const ATTENTION_CHECK_NS: u64 = 5_000_000;

/// An attention whose first bytes interrupted a run is whole within this time.
const ATTENTION_ARRIVES_MS: u64 = 10_000;

/// What the client has been told of the session; kept between requests.
#[derive(Clone)]
pub struct Told {
    /// It has the names of schema collections.
    pub catalog: Arc<Catalog>,
    pub database: String,
    pub language: String,
    /// The transaction that is open, by its descriptor; 0: none is.
    pub transaction: TransactionDescriptor,
}

pub struct TdsSink<'a> {
    pub connection: &'a mut Connection,
    pub writer: &'a mut ResponseWriter,
    told: &'a mut Told,
    signal: &'a Signal,
    layout: Option<Arc<RowLayout>>,
    held: Option<token::Done>,
    pub in_rpc: bool,
    attention_checked_ns: u64,
    /// An error of severity 20 or more was sent: the connection ends after this response.
    pub fatal: bool,
    /// An error was told that no DONE has told of yet.
    pub failed: bool,
    /// Messages that were told: those that only inform, errors, and errors that end the connection.
    pub messages: [u64; 3],
    /// Of the session, for a client that can bring it back: goes out before the last DONE.
    pub session_state: Option<SessionState>,
}

impl<'a> TdsSink<'a> {
    pub fn new(
        connection: &'a mut Connection,
        writer: &'a mut ResponseWriter,
        told: &'a mut Told,
        signal: &'a Signal,
        in_rpc: bool,
    ) -> TdsSink<'a> {
        TdsSink {
            connection,
            writer,
            told,
            signal,
            layout: None,
            held: None,
            in_rpc,
            attention_checked_ns: os::clock::now(),
            fatal: false,
            failed: false,
            messages: [0; 3],
            session_state: None,
        }
    }

    /// Something follows: the DONE held back goes out and says so.
    fn release(&mut self) {
        if let Some(mut held) = self.held.take() {
            held.status |= done::MORE;
            self.writer.done(held);
        }
    }

    fn hold(&mut self, done: token::Done) {
        self.release();
        self.held = Some(done);
    }

    fn begin_rows(&mut self, layout: Arc<RowLayout>, columns: &[OutputColumn]) -> Result<(), Stop> {
        self.release();
        self.writer.columns(&layout);
        if told(columns).next().is_some() {
            let (tables, sources) = sources_of(columns);
            let names = tables.iter().flatten().map(|part| 2 * part.len() + 2).sum::<usize>() + tables.len();
            let own_names = sources.iter().map(|source| 2 * source.name.len() + 4).sum::<usize>();
            // Tables have a byte for their number, and a token has two for its length.
            if tables.len() <= usize::from(u8::MAX) && names.max(own_names) <= usize::from(u16::MAX) {
                self.writer.table_names(&tables);
                self.writer.column_sources(&sources);
            }
        }
        let order = order_of(columns);
        if !order.is_empty() {
            self.writer.order(&order);
        }
        self.layout = Some(layout);
        self.flush_full()
    }

    fn flush_full(&mut self) -> Result<(), Stop> {
        let transport = &mut self.connection.transport;
        self.writer.flush_full(&mut |bytes: &[u8]| transport.send(bytes)).map_err(gone)?;
        self.look_for_attention()
    }

    /// A client that cancels sends an attention while its results still come.
    fn look_for_attention(&mut self) -> Result<(), Stop> {
        if let Some(stop) = self.signal.pending() {
            return Err(stop);
        }
        let now = os::clock::now();
        if now - self.attention_checked_ns < ATTENTION_CHECK_NS {
            return Ok(());
        }
        self.attention_checked_ns = now;
        if self.connection.has_news() { self.take_attention() } else { Ok(()) }
    }

    fn take_attention(&mut self) -> Result<(), Stop> {
        if !os::sched::stopping() {
            // First, so that what comes from here on interrupts again.
            os::wait::clear_interrupt();
        }
        let stop = match self.connection.take_attention() {
            Ok(false) if os::sched::stopping() => Stop::Disconnected,
            Ok(false) => return Ok(()),
            Ok(true) => Stop::Attention,
            Err(_) => Stop::Disconnected,
        };
        self.signal.raise(stop);
        Err(stop)
    }

    /// OUTPUT parameter of an RPC.
    pub fn return_value(&mut self, value: &token::ReturnValue) -> Result<(), Stop> {
        self.release();
        let transport = &mut self.connection.transport;
        self.writer.return_value(value, &mut |bytes: &[u8]| transport.send(bytes)).map_err(gone)
    }

    /// Ends one call of an RPC message, behind its status and the caller's return values.
    /// It tells of an error that no statement's DONE has told. A statement that ended the procedure has none of its own.
    pub fn procedure_done(&mut self, completed: bool) {
        let ended_it = self.held.take_if(|held| !completed && held.status & done::ERROR != 0).is_some();
        let status = if std::mem::take(&mut self.failed) || ended_it { done::ERROR } else { done::FINAL };
        self.hold(token::Done { kind: token::DoneKind::Procedure, status, command: command::EXECUTE, rows: 0 });
    }

    /// ENVCHANGE outside a statement (transaction manager requests, reset).
    pub fn change(&mut self, change: &EnvChange) {
        self.release();
        self.writer.env_change(change);
    }

    /// The DONE that ends the response: the one held back, unless a statement in a procedure ended there; after that one comes another.
    fn take_last(&mut self) -> token::Done {
        let (status, in_procedure, command) = match self.held {
            Some(held) if held.kind != token::DoneKind::InProcedure => {
                self.held = None;
                return held;
            }
            Some(held) if held.status & done::ERROR != 0 => {
                // The statement ended the batch, and its DONE is the batch's.
                self.held = None;
                return token::Done { kind: self.last_kind(true), rows: 0, ..held };
            }
            Some(_) => (done::FINAL, true, command::NOTHING),
            None if self.failed => (done::ERROR, false, command::NOTHING),
            None => (done::FINAL, false, command::NOTHING),
        };
        self.release();
        token::Done { kind: self.last_kind(in_procedure), status, command, rows: 0 }
    }

    fn last_kind(&self, in_procedure: bool) -> token::DoneKind {
        if in_procedure && self.in_rpc { token::DoneKind::Procedure } else { token::DoneKind::Batch }
    }

    fn tell_session_state(&mut self) {
        if let Some(state) = self.session_state.take() {
            self.writer.session_state(&state);
        }
    }

    /// Ends the response: the DONE held back is the last one. A run without any still answers with one. That a transaction is open
    /// no DONE says, as none of SQL Server's does: clients follow ENVCHANGE.
    pub fn finish(mut self) -> Result<(), ConnectionError> {
        let mut last = self.take_last();
        if self.fatal {
            // In place of ERROR: what the results so far are worth nobody knows, and the connection ends.
            last.status = last.status & !done::ERROR | done::SERVER_ERROR;
        }
        self.tell_session_state();
        self.writer.done(last);
        let transport = &mut self.connection.transport;
        self.writer.finish(&mut |bytes: &[u8]| transport.send(bytes))
    }

    /// Ends the response to a request that an attention cut short: what it has, then the confirmation.
    pub fn finish_cancelled(mut self) -> Result<(), ConnectionError> {
        if self.signal.pending().is_none() {
            if os::sched::stopping() {
                return Err(ConnectionError::Closed);
            }
            // It ended a wait; nobody has read it yet.
            os::wait::clear_interrupt();
            if !self.connection.await_attention(os::clock::after_ms(ATTENTION_ARRIVES_MS))? {
                return if self.connection.has_sessions() { self.finish_busy() } else { Err(ConnectionError::Closed) };
            }
        }
        // The cut response is a message of its own, and the confirmation the next: tedious waits for both.
        // That is marked as an error's, though no error is told.
        self.failed = true;
        let mut last = self.take_last();
        if self.in_rpc {
            last.kind = token::DoneKind::Procedure;
        }
        last.status |= done::ERROR;
        self.tell_session_state();
        let confirmed =
            token::Done { kind: token::DoneKind::Batch, status: done::ATTENTION, command: command::NOTHING, rows: 0 };
        let transport = &mut self.connection.transport;
        for done in [last, confirmed] {
            self.writer.done(done);
            self.writer.finish(&mut |bytes: &[u8]| transport.send(bytes))?;
        }
        Ok(())
    }
}

impl TdsSink<'_> {
    /// Ends the response to a request that its client took back while it still sent it.
    pub fn finish_withdrawn(mut self) -> Result<(), ConnectionError> {
        let status = done::ERROR;
        self.hold(token::Done { kind: token::DoneKind::Batch, status, command: command::NONE, rows: 0 });
        self.finish()
    }

    /// A wait of this request was ended by a request of another session of the connection.
    fn finish_busy(mut self) -> Result<(), ConnectionError> {
        self.release();
        let error = sql_error!(3980);
        self.writer.message(&error);
        self.writer.done(token::Done {
            kind: token::DoneKind::Batch,
            status: done::ERROR,
            command: command::NONE,
            rows: 0,
        });
        let transport = &mut self.connection.transport;
        self.writer.finish(&mut |bytes: &[u8]| transport.send(bytes))
    }
}

fn gone(_: ConnectionError) -> Stop {
    Stop::Disconnected
}

impl Sink for TdsSink<'_> {
    fn columns(&mut self, columns: &[OutputColumn]) -> Result<(), Stop> {
        let layout = layout_of(columns, self.writer.version(), self.told);
        self.begin_rows(Arc::new(layout), columns)
    }

    fn query_columns(&mut self, columns: &[OutputColumn], description: &ExecutorSlot) -> Result<(), Stop> {
        let version = self.writer.version();
        let told = &*self.told;
        let first = || Arc::new(Described { version, layout: Arc::new(layout_of(columns, version, told)) });
        let described = description.0.get_or_init(|| first());
        let described = described.downcast_ref::<Described>().expect("a query's description is this sink's alone");
        // Nearly all clients speak the version of the first.
        let same = described.version == version;
        let layout = if same { described.layout.clone() } else { Arc::new(layout_of(columns, version, told)) };
        self.begin_rows(layout, columns)
    }

    /// SQL Server announces such a column with that length (FreeTDS's describecol.in has it).
    fn cut_columns(&mut self, columns: &[OutputColumn], text_size: u32) -> Result<(), Stop> {
        let version = self.writer.version();
        let mut cut = layout_of(columns, version, self.told).columns().to_vec();
        for column in &mut cut {
            column.info.cut_text(text_size);
        }
        self.begin_rows(Arc::new(RowLayout::new(cut, version)), columns)
    }

    fn batch(&mut self, batch: &RowBatch) -> Result<(), Stop> {
        let layout = self.layout.as_ref().expect("columns come before rows");
        let transport = &mut self.connection.transport;
        self.writer.rows(layout, batch, 0..batch.rows, &mut |bytes: &[u8]| transport.send(bytes)).map_err(gone)?;
        self.flush_full()
    }

    fn return_status(&mut self, status: i32) -> Result<(), Stop> {
        self.release();
        self.writer.return_status(status);
        Ok(())
    }

    fn done(&mut self, ended: Done) -> Result<(), Stop> {
        let counted = if ended.row_count.is_some() { done::COUNT } else { 0 };
        let error = if ended.outcome == Outcome::Well { 0 } else { done::ERROR };
        self.failed = false;
        let kind = match ended.kind {
            DoneKind::Statement if self.in_rpc => token::DoneKind::InProcedure,
            DoneKind::Statement => token::DoneKind::Batch,
            DoneKind::InProcedure => token::DoneKind::InProcedure,
            DoneKind::Procedure => token::DoneKind::Procedure,
        };
        let has_columns = self.layout.take().is_some();
        let command = match (ended.outcome, ended.command) {
            (Outcome::Well, own) => wire_command(own),
            // What failed behind its columns was a query.
            (_, Command::Other) if has_columns => command::SELECT,
            (_, Command::Other) => command::NOTHING,
            // The end of a batch is no statement's, but for one whose columns the client has.
            (Outcome::EndsBatch, _) if !has_columns => command::NOTHING,
            (_, own) => wire_command(own),
        };
        self.hold(token::Done { kind, status: counted | error, command, rows: ended.row_count.unwrap_or(0) });
        self.flush_full()
    }

    /// "SET NOCOUNT": no DONEINPROC but of results and errors.
    fn done_uncounted(&mut self, ended: Done) -> Result<(), Stop> {
        let in_procedure = match ended.kind {
            DoneKind::Statement => self.in_rpc,
            DoneKind::InProcedure => true,
            DoneKind::Procedure => false,
        };
        if in_procedure && ended.outcome == Outcome::Well && self.layout.is_none() {
            return Ok(());
        }
        self.done(Done { row_count: None, ..ended })
    }

    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        for earlier in &message.earlier {
            self.message(earlier)?;
        }
        self.release();
        self.fatal |= message.severity >= 20;
        self.failed |= message.severity > 10;
        self.messages[usize::from(message.severity > 10) + usize::from(message.severity >= 20)] += 1;
        self.writer.message(message);
        self.flush_full()
    }

    fn flush(&mut self) -> Result<(), Stop> {
        self.release();
        let transport = &mut self.connection.transport;
        self.writer.packets.flush_now(&mut |bytes: &[u8]| transport.send(bytes)).map_err(gone)
    }

    fn interrupted(&mut self) -> Result<(), Stop> {
        self.take_attention()
    }

    fn environment(&mut self, change: &Environment) -> Result<(), Stop> {
        let change = match change {
            Environment::Database(new) => EnvChange::Database {
                new: new.to_string(),
                old: std::mem::replace(&mut self.told.database, new.to_string()),
            },
            Environment::Collation { new, old } => {
                EnvChange::Collation { new: WireCollation::of(*new), old: Some(WireCollation::of(*old)) }
            }
            Environment::Language(new) => EnvChange::Language {
                new: new.to_string(),
                old: std::mem::replace(&mut self.told.language, new.to_string()),
            },
            Environment::BeginTransaction(descriptor) => {
                self.told.transaction = *descriptor;
                EnvChange::BeginTransaction { descriptor: *descriptor }
            }
            Environment::CommitTransaction(descriptor) => {
                self.told.transaction = 0;
                EnvChange::CommitTransaction { descriptor: *descriptor }
            }
            Environment::RollbackTransaction(descriptor) => {
                self.told.transaction = 0;
                EnvChange::RollbackTransaction { descriptor: *descriptor }
            }
        };
        self.change(&change);
        Ok(())
    }
}

fn wire_command(statement: Command) -> u16 {
    match statement {
        Command::Select => command::SELECT,
        Command::Insert => command::INSERT,
        Command::Update => command::UPDATE,
        Command::Delete => command::DELETE,
        Command::Merge => command::MERGE,
        Command::SelectInto => command::SELECT_INTO,
        Command::Fetch | Command::DeclareCursor => command::SELECT,
        Command::OpenCursor => command::OPEN_CURSOR,
        Command::CloseCursor => command::CLOSE_CURSOR,
        Command::DeallocateCursor => command::DEALLOCATE_CURSOR,
        Command::Execute => command::EXECUTE,
        Command::BeginTransaction => command::BEGIN_TRANSACTION,
        Command::Commit => command::COMMIT,
        Command::Rollback => command::ROLLBACK,
        Command::Set(true) => command::SET_ON,
        Command::Set(false) => command::SET_OFF,
        Command::SetIdentityInsert(true) => command::IDENTITY_INSERT_ON,
        Command::SetIdentityInsert(false) => command::IDENTITY_INSERT_OFF,
        Command::SetStatistics => command::SET_STATISTICS,
        Command::SetRowCount => command::SET_ROWCOUNT,
        Command::SetTextSize => command::SET_TEXTSIZE,
        Command::SetValue => command::SET_VALUE,
        Command::Use => command::USE,
        Command::Condition => command::CONDITION,
        Command::Leave => command::LEAVE,
        Command::Return => command::RETURN,
        Command::Try => command::TRY,
        Command::Catch => command::CATCH,
        Command::EndCatch => command::END_CATCH,
        Command::WaitFor => command::WAITFOR,
        Command::Print => command::PRINT,
        Command::Raise => command::RAISE,
        Command::Definition(name) => super::definition_command::number(name),
        Command::Save => command::SAVE,
        Command::Other => command::NONE,
    }
}

/// A query's columns as clients of a protocol version see them.
struct Described {
    version: tds::TdsVersion,
    layout: Arc<RowLayout>,
}

fn layout_of(columns: &[OutputColumn], version: tds::TdsVersion, told: &Told) -> RowLayout {
    let each = columns.iter().map(|column| {
        let mut info = column_info(column, version);
        if let Some(collection) = column.ty.xml_collection() {
            info.info.named = told.collection(collection).map(Box::new);
        } else if let Some(named) = &mut info.info.named {
            // SqlDataReader.GetDataTypeName: "tempdb.sys.hierarchyid".
            named.database = told.database.clone();
        }
        info
    });
    RowLayout::new(each.collect(), version)
}

impl Told {
    /// The name of a schema collection of the current database. None: no transaction has committed it yet.
    fn collection(&self, number: u16) -> Option<NamedType> {
        let db = self.catalog.database_named(&self.database)?;
        let found = self.catalog.read(&db, |rows| xml_collection::name(rows, number)).ok()??;
        let (schema, name) = found;
        Some(NamedType { database: self.database.clone(), schema, name, assembly: String::new() })
    }
}

fn told(columns: &[OutputColumn]) -> impl Iterator<Item = &ToldOrigin> {
    columns.iter().filter_map(|column| column.origin.as_ref()?.told.as_ref())
}

/// Status bits of COLINFO.
mod source {
    pub const EXPRESSION: u8 = 0x04;
    pub const KEY: u8 = 0x08;
    pub const HIDDEN: u8 = 0x10;
    pub const DIFFERENT_NAME: u8 = 0x20;
}

/// TABNAME and COLINFO of columns that tell where they come from. Numbers are bytes there: MS-TDS 2.2.7.3.
fn sources_of(columns: &[OutputColumn]) -> (Vec<Vec<String>>, Vec<ColumnSource>) {
    let mut tables: Vec<Vec<String>> = Vec::new();
    let sources = columns.iter().zip(1usize..).map(|(column, number)| {
        let number = number as u8;
        let origin = column.origin.as_ref().and_then(|origin| Some((origin, origin.told.as_ref()?)));
        let Some((origin, told)) = origin else {
            let hidden = if column.row_status { source::HIDDEN } else { 0 };
            return ColumnSource { column: number, table: 0, status: source::EXPRESSION | hidden, name: String::new() };
        };
        let parts: Vec<String> = told.table.iter().map(|part| part.to_string()).collect();
        let table = tables.iter().position(|known| *known == parts).unwrap_or_else(|| {
            tables.push(parts);
            tables.len() - 1
        });
        let own = &origin.table.columns[usize::from(origin.column)].name;
        let differs = *own != column.name;
        let bits = [(told.key, source::KEY), (told.hidden, source::HIDDEN), (differs, source::DIFFERENT_NAME)];
        let status = bits.iter().map(|(is_so, bit)| if *is_so { *bit } else { 0 }).sum();
        ColumnSource { column: number, table: (table + 1) as u8, status, name: own.to_string() }
    });
    let sources = sources.collect();
    (tables, sources)
}

fn column_info(column: &OutputColumn, version: tds::TdsVersion) -> ColumnInfo {
    let nullable = if column.nullable { flag::NULLABLE } else { 0 };
    let told = column.origin.as_ref().and_then(|origin| origin.told.as_ref());
    let told =
        told.map_or(0, |told| (if told.key { flag::KEY } else { 0 }) | if told.hidden { flag::HIDDEN } else { 0 });
    let origin = column.origin.as_ref().map(|origin| &origin.table.columns[usize::from(origin.column)]);
    let kind = match origin {
        None if column.computed && has_computed_flag(column.ty.kind) => flag::COMPUTED,
        None if column.of_view => flag::UPDATABLE_UNKNOWN,
        None => 0,
        Some(base) if base.identity.is_some() => flag::IDENTITY,
        Some(base) if base.is_set() => flag::SPARSE_SET | flag::UPDATABLE_UNKNOWN,
        // Nobody may change it: clients tell so by the flags that are not there.
        Some(base) if base.computed.is_some() && (column.computed || !column.of_view) => flag::COMPUTED,
        Some(_) => flag::UPDATABLE_UNKNOWN,
    };
    let case = if is_case_sensitive(&column.ty) { flag::CASE_SENSITIVE } else { 0 };
    let mut info = ColumnInfo::new(&column.name, column.ty, nullable | case | kind | told, version);
    if let (Some(origin), TypeKind::Text | TypeKind::NText | TypeKind::Image) = (&column.origin, column.ty.kind) {
        info.table = vec![origin.table.schema.to_string(), origin.table.name.to_string()];
    }
    info
}

/// SQL Server flags no expression of a type that came with TDS 7.3, and no variant.
pub fn has_computed_flag(kind: TypeKind) -> bool {
    use TypeKind::{Date, DateTime2, DateTimeOffset, SqlVariant, Time};
    !matches!(kind, Date | Time | DateTime2 | DateTimeOffset | SqlVariant)
}

pub fn is_case_sensitive(ty: &SqlType) -> bool {
    matches!(ty.kind, TypeKind::Xml | TypeKind::Json)
        || ty.is_string() && {
            let rules = ty.collation.get().rules;
            rules.binary || rules.case
        }
}

/// ORDER (MS-TDS 2.2.7.17): the columns of ORDER BY in turn, counted from 1; 0 for a key that is none of them.
fn order_of(columns: &[OutputColumn]) -> Vec<u16> {
    let mut order = Vec::new();
    for (number, column) in (1..).zip(columns) {
        if let Some(sorted) = column.sorted {
            order.resize(usize::from(sorted.of), 0);
            order[usize::from(sorted.at)] = number;
        }
    }
    order
}

/// What a run of the server's own has to say: nothing but why it failed.
#[derive(Default)]
pub struct FirstError(pub Option<SqlError>);

impl Sink for FirstError {
    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        if message.severity > 10 {
            self.0.get_or_insert_with(|| message.clone());
        }
        Ok(())
    }
}
