//! What a module's statements run in: its variables, table variables, and the way to session, host and sink.
//!
//! Expressions and operators get `&Context`. Variables do not change while one of them runs; only the statement between two
//! rows assigns. Whoever needs session or host borrows `runtime` for the length of that call.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::sync::Arc;

use sql::catalog::ModuleDef;
use sql::plan::OuterSlot;
use types::{ColumnData, Datum, Physical, RowBatch, SqlError, SqlResult, SqlType};

use crate::host::{Host, ModuleInfo};
use crate::memory_table::MemoryTable;
use crate::session::Session;
use crate::sink::Sink;
use crate::value::Value;

/// Deepest nesting of compiled expressions and of operators: worker stacks are 256 KB.
pub const DEPTH_MAX: u32 = 180;

/// Bytes one sort, hash table or spool may hold before error 701.
pub const GRANT_BYTES_MAX: usize = 2 << 30;

pub struct Runtime<'a> {
    pub session: &'a mut Session,
    pub host: &'a mut dyn Host,
    pub sink: &'a mut dyn Sink,
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
    /// Rows of the last round of a recursive query, by its number, while its recursive side runs.
    pub work_tables: RefCell<Vec<RowBatch>>,
    /// Counts executions of the query that runs: answers of uncorrelated subqueries are kept for one of them.
    pub execution: Cell<u64>,
    /// GETDATE() and its kind give one answer a statement: 100 ns since 0001-01-01 UTC. 0: not asked yet.
    pub statement_time: Cell<i64>,
    /// An aggregate passed over a NULL: warning 8153 at the statement's end.
    pub null_eliminated: Cell<bool>,
    pub module: Option<Arc<ModuleInfo>>,
    pub interpreter: &'static Interpreter,
}

/// The interpreter stands above expressions and operators, which call users' functions through it.
pub struct Interpreter {
    pub scalar_function: fn(&Context, &Arc<ModuleDef>, Vec<(SqlType, Datum)>, &SqlType) -> SqlResult<Datum>,
    /// Appends the function's rows.
    pub table_function: fn(&Context, &Arc<ModuleDef>, Vec<(SqlType, Datum)>, &mut RowBatch) -> SqlResult<()>,
}

/// `inserted` and `deleted`: all stored columns of the trigger's table.
#[derive(Clone)]
pub struct TriggerRows {
    pub inserted: Arc<RowBatch>,
    pub deleted: Arc<RowBatch>,
    /// Bit i: column i of the table was in the INSERT's or UPDATE's list.
    pub updated: Arc<Vec<bool>>,
    /// Names of the table's columns.
    pub columns: Arc<[Box<str>]>,
}

impl<'a> Context<'a> {
    #[inline]
    pub fn runtime(&self) -> RefMut<'_, Runtime<'a>> {
        self.runtime.borrow_mut()
    }

    pub fn session<R>(&self, read: impl FnOnce(&mut Session) -> R) -> R {
        read(self.runtime.borrow_mut().session)
    }

    /// Every batch and loop edge passes here: other workers get their turn, an attention ends the run.
    #[inline]
    pub fn yield_point(&self) -> SqlResult<()> {
        os::wait::maybe_yield();
        if os::wait::is_interrupted() {
            self.runtime.borrow_mut().sink.interrupted().map_err(crate::session::stopped)?;
        }
        Ref::map(self.runtime.borrow(), |runtime| &*runtime.session).check_signal()
    }

    pub fn set_outer(&self, slot: OuterSlot, value: Datum) {
        self.outer.borrow_mut()[slot.0 as usize] = value;
    }
}

/// Local variables, each in its class.
#[derive(Default)]
pub struct Variables {
    slots: Vec<Slot>,
}

enum Slot {
    I64(Option<i64>),
    F64(Option<f64>),
    I128(Option<i128>),
    /// The buffer stays when the value becomes NULL.
    Bytes {
        null: bool,
        bytes: Vec<u8>,
    },
}

impl Variables {
    pub fn new<'t>(types: impl Iterator<Item = &'t SqlType>) -> Variables {
        let slots = types.map(|ty| match ty.physical() {
            Physical::I64 => Slot::I64(None),
            Physical::F64 => Slot::F64(None),
            Physical::I128 => Slot::I128(None),
            Physical::Bytes => Slot::Bytes { null: true, bytes: Vec::new() },
        });
        Variables { slots: slots.collect() }
    }

    /// All NULL, as a new call finds them.
    pub fn clear(&mut self) {
        for slot in &mut self.slots {
            match slot {
                Slot::I64(value) => *value = None,
                Slot::F64(value) => *value = None,
                Slot::I128(value) => *value = None,
                Slot::Bytes { null, bytes } => {
                    *null = true;
                    if bytes.capacity() > 64 << 10 {
                        *bytes = Vec::new();
                    }
                }
            }
        }
    }

    #[inline]
    pub fn i64(&self, slot: u32) -> Option<i64> {
        match &self.slots[slot as usize] {
            Slot::I64(value) => *value,
            _ => class_mismatch(),
        }
    }

    #[inline]
    pub fn f64(&self, slot: u32) -> Option<f64> {
        match &self.slots[slot as usize] {
            Slot::F64(value) => *value,
            _ => class_mismatch(),
        }
    }

    #[inline]
    pub fn i128(&self, slot: u32) -> Option<i128> {
        match &self.slots[slot as usize] {
            Slot::I128(value) => *value,
            _ => class_mismatch(),
        }
    }

    #[inline]
    pub fn bytes(&self, slot: u32) -> Option<&[u8]> {
        match &self.slots[slot as usize] {
            Slot::Bytes { null: true, .. } => None,
            Slot::Bytes { bytes, .. } => Some(bytes),
            _ => class_mismatch(),
        }
    }

    #[inline]
    pub fn set_i64(&mut self, slot: u32, value: Option<i64>) {
        match &mut self.slots[slot as usize] {
            Slot::I64(to) => *to = value,
            _ => class_mismatch(),
        }
    }

    pub fn value(&self, slot: u32) -> Value<'_> {
        match &self.slots[slot as usize] {
            Slot::I64(value) => value.map_or(Value::Null, Value::I64),
            Slot::F64(value) => value.map_or(Value::Null, Value::F64),
            Slot::I128(value) => value.map_or(Value::Null, Value::I128),
            Slot::Bytes { null: true, .. } => Value::Null,
            Slot::Bytes { bytes, .. } => Value::Bytes(bytes.as_slice().into()),
        }
    }

    /// Panics if the value's class is not the variable's.
    pub fn set(&mut self, slot: u32, value: Value<'_>) {
        match (&mut self.slots[slot as usize], value) {
            (Slot::I64(to), Value::I64(value)) => *to = Some(value),
            (Slot::I64(to), Value::Null) => *to = None,
            (Slot::F64(to), Value::F64(value)) => *to = Some(value),
            (Slot::F64(to), Value::Null) => *to = None,
            (Slot::I128(to), Value::I128(value)) => *to = Some(value),
            (Slot::I128(to), Value::Null) => *to = None,
            (Slot::Bytes { null, bytes }, Value::Bytes(value)) => {
                *null = false;
                bytes.clear();
                bytes.extend_from_slice(&value);
            }
            (Slot::Bytes { null, .. }, Value::Null) => *null = true,
            _ => class_mismatch(),
        }
    }

    /// The value at `row` of a column of the variable's class.
    pub fn set_from_column(&mut self, slot: u32, column: &types::Column, row: usize) {
        let null = column.is_null(row);
        match (&mut self.slots[slot as usize], &column.data) {
            (Slot::I64(to), ColumnData::I64(values)) => *to = (!null).then(|| values[row]),
            (Slot::F64(to), ColumnData::F64(values)) => *to = (!null).then(|| values[row]),
            (Slot::I128(to), ColumnData::I128(values)) => *to = (!null).then(|| values[row]),
            (Slot::Bytes { null: to, bytes }, ColumnData::Bytes { .. }) => {
                *to = null;
                if !null {
                    bytes.clear();
                    bytes.extend_from_slice(column.bytes(row));
                }
            }
            _ => class_mismatch(),
        }
    }

    pub fn datum(&self, slot: u32) -> Datum {
        self.value(slot).into_datum()
    }

    pub fn set_datum(&mut self, slot: u32, datum: &Datum) {
        self.set(slot, Value::from_datum(datum));
    }
}

#[cold]
fn class_mismatch() -> ! {
    panic!("a variable is used with another class than its type's")
}

/// A running operator. `open` begins it again from the start; `next` clears `out` and gives up to `wanted` rows, none at the end.
pub trait RowSource: Send {
    fn open(&mut self, context: &Context) -> SqlResult<()>;

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()>;

    /// Lets go of scans, big buffers and rows kept; the next call is `open`.
    fn close(&mut self);
}

pub fn out_of_memory() -> SqlError {
    SqlError::with_state(
        701,
        17,
        123,
        "There is insufficient system memory in resource pool 'default' to run this query.",
    )
}
