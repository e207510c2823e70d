//! What a module's statements run in: its variables, table variables, and the way to session, host and sink.
//!
//! Expressions and operators get `&Context`. Variables do not change while one of them runs; only the statement between two
//! rows assigns. Whoever needs session or host borrows `runtime` for the length of that call.

use std::any::Any;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell, Ref, RefCell, RefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use native::Number;
use sql::catalog::{ModuleDef, ObjectId, TableDef};
use sql::plan::OuterSlot;
use types::pause::{Pacer, Pause};
use types::{ColumnData, Datum, Physical, RowBatch, SqlError, SqlResult, SqlType, long, sql_error};

use crate::cursor_name::{CursorId, CursorName};
use crate::host::{Host, ModuleInfo};
use crate::memory_table::MemoryTable;
use crate::notices;
use crate::session::{Session, stopped};
use crate::sink::{Sink, Stop};
use crate::value::Value;
use crate::workspace::{Held, LARGE_BYTES, SMALL_BYTES, Workspace, check_large};
use crate::xml_documents::Documents;

pub use crate::workspace::out_of_memory;

/// Deepest nesting of compiled expressions and of operators: worker stacks are 256 KB.
pub const DEPTH_MAX: u32 = 180;

/// Bytes one sort, hash table or spool may hold before error 701.
pub const GRANT_BYTES_MAX: usize = 2 << 30;

pub struct Runtime<'a> {
    pub session: &'a mut Session,
    pub host: &'a mut dyn Host,
    pub sink: &'a mut dyn Sink,
}

impl Runtime<'_> {
    /// For another, within this one's run.
    pub fn again(&mut self) -> Runtime<'_> {
        Runtime { session: &mut *self.session, host: &mut *self.host, sink: &mut *self.sink }
    }

    /// 524: a trigger selects rows for the client, who is not to have any of a trigger.
    pub fn may_answer(&self) -> SqlResult<()> {
        let in_trigger = !self.session.triggers.is_empty() && self.session.insert_execute.is_none();
        if in_trigger && !self.host.results_from_triggers() { Err(sql_error!(524)) } else { Ok(()) }
    }
}

pub struct Context<'a> {
    pub variables: Variables,
    pub runtime: RefCell<Runtime<'a>>,
    /// By `VariableSlotTable`.
    pub tables: Vec<RefCell<MemoryTable>>,
    /// In a trigger: its `inserted` and `deleted`.
    pub trigger: Option<TriggerRows>,
    /// Correlated values of the query that runs; swapped in with it.
    pub outer: RefCell<Vec<Datum>>,
    /// Counts what is set of them: what reads nothing else is the same until it moves.
    pub outer_sets: Cell<u64>,
    /// Rows of the last round of a recursive query, by its number, while its recursive side runs.
    pub work_tables: RefCell<Vec<Option<WorkTable>>>,
    /// Counts executions of the query that runs: answers of uncorrelated subqueries are kept for one of them. 0: none runs.
    pub execution: Cell<u64>,
    /// What subqueries of the query that runs have put aside: it keeps that when it is left, until it is closed.
    pub kept: RefCell<Vec<Kept>>,
    /// GETDATE() and its kind give one answer a statement: 100 ns since 0001-01-01 UTC. 0: not asked yet.
    pub statement_time: Cell<i64>,
    /// An aggregate passed over a NULL: warning 8153 at the statement's end.
    pub null_eliminated: Cell<bool>,
    /// Numbers of messages for the statement's end; 0: none.
    pub notices: Cell<[i32; notices::NUMBERS]>,
    /// OUTPUT of the change in FROM that has run before the INSERT of its rows.
    pub given: RefCell<RowBatch>,
    /// While a row of VALUES is made: what it has drawn of sequences.
    pub drawn: RefCell<Option<Vec<(ObjectId, Datum)>>>,
    pub module: Option<Arc<ModuleInfo>>,
    pub cursors: RefCell<ModuleCursors>,
    pub interpreter: &'static Interpreter,
    /// `Pause::left`
    pub paced: Cell<usize>,
    pub workspace: LazyWorkspace,
    /// Trees of xml values, where a method has made some; those of a query with nodes() are swapped in with it.
    pub xml: RefCell<Option<Box<Documents>>>,
}

/// Most modules hold nothing: theirs is not made.
pub type LazyWorkspace = OnceCell<Arc<Workspace>>;

/// Rows as a subquery keeps them.
pub type Kept = Arc<dyn Any + Send + Sync>;

/// Rows as the operator of recursive queries keeps them.
pub type WorkTable = Box<dyn Any + Send>;

/// The cursors that a running module calls its own.
#[derive(Default)]
pub struct ModuleCursors {
    /// Each with its name. Each cursor holds a reference.
    pub variables: Vec<(Box<str>, Option<CursorId>)>,
    /// What its statements name.
    pub names: Vec<CursorName>,
}

impl ModuleCursors {
    /// Declared LOCAL. `name`: in lower case.
    pub fn local(&self, name: &str) -> Option<CursorId> {
        self.names.iter().find(|known| *known.name == *name)?.local
    }

    /// None: there is no such variable. `name`: in lower case.
    pub fn variable(&self, name: &str) -> Option<Option<CursorId>> {
        self.variables.iter().find(|(known, _)| known.to_lowercase() == name).map(|(_, id)| *id)
    }
}

/// The interpreter stands above expressions and operators, which call users' functions through it.
pub struct Interpreter {
    pub scalar_function: fn(&Context, &Arc<ModuleDef>, Vec<(SqlType, Datum)>, &SqlType) -> SqlResult<Datum>,
    /// Appends the function's rows.
    pub table_function: fn(&Context, &Arc<ModuleDef>, Vec<(SqlType, Datum)>) -> SqlResult<MemoryTable>,
}

/// `inserted` and `deleted`: all stored columns of the trigger's table.
#[derive(Clone)]
pub struct TriggerRows {
    pub inserted: Arc<MemoryTable>,
    pub deleted: Arc<MemoryTable>,
    /// Bit i: column i of the table was in the INSERT's or UPDATE's list.
    pub updated: Arc<Vec<bool>>,
    /// Names of the table's columns.
    pub columns: Arc<[Box<str>]>,
    /// A scan reads the row that was changed last first, as an AFTER trigger does.
    pub last_first: bool,
}

impl<'a> Context<'a> {
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn runtime(&self) -> RefMut<'_, Runtime<'a>> {
        os::plant!();
        self.runtime.borrow_mut()
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn session<R>(&self, read: impl FnOnce(&mut Session) -> R) -> R {
        os::plant!();
        read(self.runtime.borrow_mut().session)
    }

    /// As [`Session::reads`].
    #[inline]
    pub fn reads(&self, table: &Arc<TableDef>, scans: u64) {
        self.runtime.borrow_mut().session.reads(table, scans);
    }

    /// Every batch and loop edge passes here: other workers get their turn, an attention ends the run.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn yield_point(&self) -> SqlResult<()> {
        os::plant!();
        os::wait::maybe_yield();
        if os::fails!(Yield) {
            self.runtime.borrow().session.signal.raise(Stop::Attention);
        }
        if os::wait::is_interrupted() {
            self.runtime.borrow_mut().sink.interrupted().map_err(stopped)?;
        }
        Ref::map(self.runtime.borrow(), |runtime| &*runtime.session).check_signal()
    }

    /// What the operators hold in memory. `runtime` must not be borrowed.
    #[inline]
    pub fn workspace(&self) -> &Arc<Workspace> {
        self.workspace.get_or_init(|| {
            let runtime = self.runtime();
            let query_percent = runtime.host.grant_policy().query_percent;
            Workspace::new(runtime.host.workspace_pool(), runtime.session.spid, query_percent)
        })
    }

    /// Counts what must be in memory and is mostly little: that counts as nothing, so that a module which holds no more has no workspace.
    /// 701.
    #[inline]
    pub fn force(&self, held: &mut Held, bytes: usize) -> SqlResult<()> {
        if bytes < SMALL_BYTES && held.bytes() == 0 { Ok(()) } else { held.force(self.workspace(), bytes) }
    }

    /// A value of so many bytes is about to come into a variable. 701
    #[inline]
    pub fn expect_room(&mut self, slot: u32, bytes: usize) -> SqlResult<()> {
        if bytes < LONG_TEXT && self.variables.held.bytes() == 0 {
            return Ok(());
        }
        let workspace = self.workspace().clone();
        self.variables.count_long(slot, bytes, &workspace)
    }

    /// As `Variables::set`. 701
    pub fn set_variable(&mut self, slot: u32, value: Value<'_>) -> SqlResult<()> {
        self.expect_room(slot, if let Value::Bytes(bytes) = &value { bytes.len() } else { 0 })?;
        self.variables.set(slot, value);
        Ok(())
    }

    /// Appends to the value of a variable of class Bytes, which is not NULL: its room doubles, so a loop of such takes time by what it appends. 701
    pub fn append_to_variable(&mut self, slot: u32, more: &[u8]) -> SqlResult<()> {
        let text = &self.variables.texts[slot as usize];
        let (before, room) = (text.len(), text.capacity());
        let bytes = before + more.len();
        if bytes > room {
            let doubled = bytes.max(2 * room);
            let room = match self.expect_room(slot, doubled) {
                Ok(()) => doubled,
                Err(_) => self.expect_room(slot, bytes).map(|()| bytes)?,
            };
            self.variables.texts[slot as usize].reserve_exact(room - before);
        }
        let mut text = std::mem::take(&mut self.variables.texts[slot as usize]);
        let copied = self.pacer().copy(more, &mut text);
        if copied.is_err() {
            text.truncate(before);
        }
        self.variables.texts[slot as usize] = text;
        copied
    }

    /// As `Variables::set_from_column`. 701
    pub fn set_variable_from_column(&mut self, slot: u32, column: &types::Column, row: usize) -> SqlResult<()> {
        let is_text = matches!(column.data, ColumnData::Bytes { .. }) && !column.is_null(row);
        self.expect_room(slot, if is_text { column.bytes(row).len() } else { 0 })?;
        self.variables.set_from_column(slot, column, row);
        Ok(())
    }

    /// For a loop over one value.
    #[inline]
    pub fn pacer(&self) -> Pacer<'_> {
        Pacer::new(self)
    }

    /// What `work` makes of values of so many bytes in all. With long ones that is done off the scheduler: it takes long, and much of it is
    /// in pieces that cannot pause. Who does not want it any more leaves it; it ends at its next pause.
    pub fn away<R: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce(&mut Pacer<'_>) -> SqlResult<R> + Send + 'static,
    ) -> SqlResult<R> {
        if bytes < long::LONG {
            return work(&mut self.pacer());
        }
        let unwanted = Arc::new(AtomicBool::new(false));
        let pause = Away { unwanted: unwanted.clone(), large_max: self.workspace().large_max(), left: Cell::new(0) };
        let started = os::sched::start_long(move || {
            pause.pause()?;
            work(&mut Pacer::new(&pause))
        });
        let mut ended = Ok(());
        let found = started.wait_heard(os::wait::WaitType::PREEMPTIVE_OTHER, || {
            ended = self.yield_point();
            ended.is_err()
        });
        found.unwrap_or_else(|| {
            unwanted.store(true, Ordering::Relaxed);
            Err(ended.expect_err("it has left because of it"))
        })
    }

    /// A copy of what is not owned yet, which gives way where it is long.
    pub fn own(&self, bytes: Cow<'_, [u8]>) -> SqlResult<Vec<u8>> {
        match bytes {
            Cow::Borrowed(bytes) if bytes.len() >= LONG_TEXT => {
                let mut copy = Vec::new();
                self.pacer().copy(bytes, &mut copy)?;
                Ok(copy)
            }
            bytes => Ok(bytes.into_owned()),
        }
    }

    /// A copy, which gives way where it is long.
    pub fn copy_of(&self, datum: &Datum) -> SqlResult<Datum> {
        match datum {
            Datum::Bytes(bytes) if bytes.len() >= LONG_TEXT => datum.as_ref().to_datum_paced(&mut self.pacer()),
            datum => Ok(datum.clone()),
        }
    }

    /// What could not be computed is NULL while ARITHABORT and ANSI_WARNINGS are off both; a message tells of it unless ARITHIGNORE
    /// is on.
    #[cold]
    pub fn uncomputed<T>(&self, error: SqlError) -> SqlResult<Option<T>> {
        let Some(number) = notices::message_of(&error) else { return Err(error) };
        let (forgiven, silent) = self.session(|session| {
            let options = &session.options;
            (options.forgives_arithmetic(), options.arith_ignore)
        });
        if !forgiven {
            return Err(error);
        }
        if !silent {
            self.notice(number);
        }
        Ok(None)
    }

    /// The statement's end says so, once.
    pub fn notice(&self, number: i32) {
        let mut numbers = self.notices.get();
        if !numbers.contains(&number) {
            let free = numbers.iter().position(|number| *number == 0).expect("there is room for all of them");
            numbers[free] = number;
            self.notices.set(numbers);
        }
    }

    /// SET NUMERIC_ROUNDABORT ON: what an expression would round is error 8115.
    pub fn round_aborts(&self) -> bool {
        self.session(|session| session.options.numeric_round_abort)
    }

    /// SET CONCAT_NULL_YIELDS_NULL OFF: NULL is joined as an empty string.
    #[cold]
    pub fn null_is_empty(&self) -> bool {
        self.session(|session| !session.options.concat_null_yields_null)
    }

    pub fn set_outer(&self, slot: OuterSlot, value: Datum) {
        self.outer.borrow_mut()[slot.0 as usize] = value;
        self.outer_sets.set(self.outer_sets.get() + 1);
    }
}

/// Longer values are handed over and not copied where that can be, and a variable's buffer of such does not stay for the next value.
const LONG_TEXT: usize = 64 << 10;

/// Local variables, each in its class. Machine code has numbers where they lie.
pub struct Variables {
    numbers: Arc<[Number]>,
    /// Values of class Bytes. A buffer stays when its value becomes NULL.
    texts: Box<[Vec<u8>]>,
    /// What the long ones take.
    held: Held,
}

impl Variables {
    pub fn new<'t>(types: impl Iterator<Item = &'t SqlType>) -> Variables {
        let numbers: Arc<[Number]> = types.map(|ty| Number::new(ty.physical())).collect();
        Variables { texts: numbers.iter().map(|_| Vec::new()).collect(), numbers, held: Held::default() }
    }

    pub fn numbers(&self) -> Arc<[Number]> {
        self.numbers.clone()
    }

    /// All NULL, as a new call finds them.
    pub fn clear(&mut self) {
        self.numbers.iter().for_each(|number| number.set_null(true));
        for text in self.texts.iter_mut().filter(|text| text.capacity() > LONG_TEXT) {
            let_go(std::mem::take(text));
        }
        self.held.clear();
    }

    /// A value of so many bytes comes into a variable: long ones are counted, with those that others have. 701
    #[cold]
    fn count_long(&mut self, slot: u32, bytes: usize, workspace: &Arc<Workspace>) -> SqlResult<()> {
        let others =
            self.texts.iter().enumerate().filter(|(at, _)| *at != slot as usize).map(|(_, text)| text.capacity());
        let others: usize = others.filter(|bytes| *bytes > LONG_TEXT).sum();
        self.held.force(workspace, others + if bytes < LONG_TEXT { 0 } else { bytes })
    }

    #[inline(always)]
    fn of_class(&self, slot: u32, class: Physical) -> &Number {
        let number = &self.numbers[slot as usize];
        if number.class() != class {
            class_mismatch();
        }
        number
    }

    #[inline(always)]
    pub fn i64(&self, slot: u32) -> Option<i64> {
        self.of_class(slot, Physical::I64).i64()
    }

    #[inline]
    pub fn f64(&self, slot: u32) -> Option<f64> {
        self.of_class(slot, Physical::F64).f64()
    }

    #[inline]
    pub fn i128(&self, slot: u32) -> Option<i128> {
        self.of_class(slot, Physical::I128).i128()
    }

    #[inline]
    pub fn bytes(&self, slot: u32) -> Option<&[u8]> {
        (!self.of_class(slot, Physical::Bytes).is_null()).then(|| &self.texts[slot as usize][..])
    }

    #[inline]
    pub fn set_i64(&mut self, slot: u32, value: Option<i64>) {
        let number = self.of_class(slot, Physical::I64);
        match value {
            Some(value) => number.set_i64(value),
            None => number.set_null(true),
        }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn value(&self, slot: u32) -> Value<'_> {
        os::plant!();
        let number = &self.numbers[slot as usize];
        match number.class() {
            _ if number.is_null() => Value::Null,
            Physical::I64 => number.i64().map_or(Value::Null, Value::I64),
            Physical::F64 => number.f64().map_or(Value::Null, Value::F64),
            Physical::I128 => number.i128().map_or(Value::Null, Value::I128),
            Physical::Bytes => Value::Bytes(self.texts[slot as usize].as_slice().into()),
        }
    }

    /// Panics if the value's class is not the variable's.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn set(&mut self, slot: u32, value: Value<'_>) {
        os::plant!();
        match value {
            Value::Null => self.numbers[slot as usize].set_null(true),
            Value::I64(value) => self.of_class(slot, Physical::I64).set_i64(value),
            Value::F64(value) => self.of_class(slot, Physical::F64).set_f64(value),
            Value::I128(value) => self.of_class(slot, Physical::I128).set_i128(value),
            Value::Bytes(Cow::Owned(value)) if value.len() >= LONG_TEXT => {
                self.of_class(slot, Physical::Bytes).set_null(false);
                self.texts[slot as usize] = value;
            }
            Value::Bytes(value) => self.set_bytes(slot, &value),
        }
    }

    fn set_bytes(&mut self, slot: u32, value: &[u8]) {
        self.of_class(slot, Physical::Bytes).set_null(false);
        let text = &mut self.texts[slot as usize];
        text.clear();
        text.extend_from_slice(value);
    }

    /// The value at `row` of a column of the variable's class.
    pub fn set_from_column(&mut self, slot: u32, column: &types::Column, row: usize) {
        match &column.data {
            _ if column.is_null(row) => self.numbers[slot as usize].set_null(true),
            ColumnData::I64(values) => self.of_class(slot, Physical::I64).set_i64(values[row]),
            ColumnData::F64(values) => self.of_class(slot, Physical::F64).set_f64(values[row]),
            ColumnData::I128(values) => self.of_class(slot, Physical::I128).set_i128(values[row]),
            ColumnData::Bytes { .. } => self.set_bytes(slot, column.bytes(row)),
        }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn datum(&self, slot: u32) -> Datum {
        os::plant!();
        self.value(slot).into_datum()
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn set_datum(&mut self, slot: u32, datum: &Datum) {
        os::plant!();
        self.set(slot, Value::from_datum(datum));
    }
}

/// Gives the memory of a value back in pieces, and lets others run between them: the system needs a tenth of a millisecond for a megabyte.
fn let_go(mut text: Vec<u8>) {
    const PIECE: usize = 8 << 20;
    while text.capacity() > PIECE {
        let keep = text.capacity() - PIECE;
        text.truncate(keep);
        text.shrink_to(keep);
        os::wait::look_at_clock();
        os::wait::maybe_yield();
    }
}

#[cold]
fn class_mismatch() -> ! {
    panic!("a variable is used with another class than its type's")
}

/// None at all: costs nothing.
impl Default for Variables {
    fn default() -> Variables {
        Variables { numbers: Arc::default(), texts: Box::default(), held: Held::default() }
    }
}

/// `runtime` is not borrowed where a loop over a value runs.
impl Pause for Context<'_> {
    fn pause(&self) -> SqlResult<()> {
        os::wait::look_at_clock();
        let (large, _) = os::heap::large_held();
        if large >= LARGE_BYTES {
            self.workspace().check_large(large)?;
        }
        self.yield_point()
    }

    fn left(&self) -> &Cell<usize> {
        &self.paced
    }
}

/// Off the scheduler there is nobody to give way to; only that the work is not wanted any more is heard.
struct Away {
    unwanted: Arc<AtomicBool>,
    /// `Workspace::large_max`
    large_max: i64,
    left: Cell<usize>,
}

impl Pause for Away {
    fn pause(&self) -> SqlResult<()> {
        // Nobody reads the error: whoever waited has left with his own.
        if self.unwanted.load(Ordering::Relaxed) { Err(stopped(Stop::Attention)) } else { check_large(self.large_max) }
    }

    fn left(&self) -> &Cell<usize> {
        &self.left
    }
}

/// A running operator. `open` begins it again from the start; `next` clears `out` and gives up to `wanted` rows, none at the end.
pub trait RowSource: Send {
    fn open(&mut self, context: &Context) -> SqlResult<()>;

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()>;

    /// Lets go of scans, big buffers and rows kept; the next call is `open`.
    fn close(&mut self);
}
