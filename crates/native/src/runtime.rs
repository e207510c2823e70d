//! The way back from machine code: what it calls, and what those calls ask of whoever runs it.
#![allow(unsafe_code)]

use std::any::Any;
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The run of the module ends here; `Runtime` knows how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leave;

/// What machine code asks of whoever runs it. Each call may suspend the worker.
pub trait Runtime {
    /// Runs a statement that has no machine code, or whose machine code met what it does not know.
    fn step(&mut self, step: u32) -> Result<(), Leave>;

    /// The same for the condition of an IF or WHILE: whether it holds.
    fn holds(&mut self, step: u32) -> Result<bool, Leave>;

    /// Adds a row to the table of an INSERT; an empty image is the runtime's to make, and an identity value in it is too.
    /// False: it could not be, and nothing is changed.
    fn insert(&mut self, insert: u32, image: &mut [u8]) -> bool;

    /// The image of the row that has these numbers in the key of a look-up. None: the interpreter is to do it.
    fn find(&mut self, find: u32, key: &[i64]) -> Option<Option<&[u8]>>;

    /// Changes the row that this look-up found last: to `image`, or, None, deletes it. False: it could not be, and nothing is changed.
    fn change(&mut self, find: u32, image: Option<&[u8]>) -> bool;

    /// Puts the next rows of a scan into an empty batch, at most `rows_max`. `bounds`: from the beginning, for these values of its range;
    /// for none of them the runtime computes it. The images live as long as the transaction. False: the interpreter is to do it.
    fn scan(&mut self, scan: u32, bounds: Option<&[Passed]>, rows_max: usize, batch: &mut Batch)
    -> Result<bool, Leave>;

    /// The statement about these rows has done what it does, so many times as the interpreter would count.
    fn scanned(&mut self, scan: u32, rows: u64);

    /// A join begins; `first`: before anything else of the statement. False: the interpreter is to do it.
    fn begin_join(&mut self, join: u32, first: bool) -> bool;

    /// As `find`, for a level of a join that has begun.
    fn find_joined(&mut self, join: u32, level: u32, key: &[i64]) -> Option<Option<&[u8]>>;

    /// As `scan`, for a level of a join that has begun. `outer`: from the beginning, for these values of the columns that its range
    /// depends on.
    fn scan_joined(
        &mut self,
        join: u32,
        level: u32,
        outer: Option<&[Passed]>,
        rows_max: usize,
        batch: &mut Batch,
    ) -> Result<bool, Leave>;

    /// Takes in a row of a join's result. False: the interpreter is to make the result, of which nothing was sent.
    fn give(&mut self, join: u32, row: Cells<'_>) -> bool;

    /// All its rows were given.
    fn send(&mut self, join: u32) -> Result<(), Leave>;

    /// As `scanned`.
    fn end_join(&mut self, join: u32, rows: u64);
    /// Runs a procedure; `arguments`: those that machine code makes. False: the interpreter is to do it, and nothing has happened.
    fn execute(&mut self, call: u32, arguments: &[Passed]) -> Result<bool, Leave>;

    /// The value of a function, NULL or not. None: the interpreter is to run the statement.
    fn function(&mut self, function: u32, arguments: &[Passed]) -> Option<Option<i64>>;

    /// The value of an expression without a row, NULL or not; `first`: of those that the statement asks for. None: the interpreter is to
    /// run the statement.
    fn ask(&mut self, asked: u32, first: bool) -> Option<Option<i64>>;

    /// The row at this place of the batch that a scan gave last is to be changed.
    fn keep(&mut self, at: usize);

    /// Changes the rows that were kept since the scan began: to these images, or, None, deletes them. False: nothing is changed.
    fn change_rows(&mut self, scan: u32, images: Option<&mut dyn Iterator<Item = &[u8]>>) -> bool;

    /// The values of a query without tables are about to be computed, or have been.
    fn begin_values(&mut self, values: u32);
    fn end_values(&mut self, values: u32);

    /// RETURN: the run is to end with this. False: the interpreter is to do it.
    fn returns(&mut self, value: Option<i64>) -> bool;

    /// A TRY block begins, or ends without an error.
    fn begin_try(&mut self);
    fn end_try(&mut self);

    /// The run was left within a TRY block: whether the code goes on in its CATCH block.
    fn catch(&mut self) -> Result<(), Leave>;

    /// A CATCH block ends, or, `left`, was left.
    fn end_catch(&mut self, left: bool);

    /// Machine code has run for some microseconds: others may want their turn, or its end.
    fn turn(&mut self) -> Result<(), Leave>;

    /// The last statement was machine code's and changed so many rows.
    fn set_row_count(&mut self, rows: u64);
}

/// A number on its way between machine code and a module that it calls, or that called it.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Passed {
    /// 0 for NULL.
    value: i64,
    null: bool,
}

impl Passed {
    const NULL: Passed = Passed { value: 0, null: true };

    #[inline]
    pub fn get(self) -> Option<i64> {
        (!self.null).then_some(self.value)
    }
}

/// A run, as machine code sees it.
#[repr(C)]
pub struct Call<'a> {
    /// @@ROWCOUNT; `UNKNOWN`: the interpreter's last statement has said it.
    rows: u64,
    /// The images of the rows that INSERTs put together.
    images: *mut u8,
    images_bytes: usize,
    /// Of a look-up.
    key: [i64; KEYS_MAX],
    /// What it found: a row that lives as long as the transaction.
    found: *const u8,
    /// Or, if it is to be changed, a copy.
    copy: Vec<u8>,
    /// The rows that a scan gave last.
    batch: Batch,
    /// The rows that each level of a join was given last.
    levels: *const Batch,
    level_batches: Vec<Batch>,
    /// A row of a result.
    cells: *mut Cell,
    row: Vec<Cell>,
    /// Copies of the rows that are to be changed, and the end of each; of rows to be deleted no more than that.
    kept: Vec<u8>,
    kept_ends: Vec<usize>,
    /// Arguments of a call, then a function's value; what RETURN gives; the values of a scan's range, or what it depends on in a join.
    passed: [Passed; ARGUMENTS_MAX],
    /// 0: the statement has not asked for a value yet. A scan's range is one, and so are a join's.
    asked: u64,
    runtime: &'a mut dyn Runtime,
    panic: Option<Box<dyn Any + Send>>,
}

/// A row of a table.
#[derive(Clone, Copy)]
#[repr(C)]
struct Image {
    at: *const u8,
    bytes: u32,
}

impl Image {
    const NONE: Image = Image { at: std::ptr::null(), bytes: 0 };
}

/// The rows that a scan gives at once.
#[derive(Clone)]
#[repr(C)]
pub struct Batch {
    images: [Image; BATCH_MAX],
    count: usize,
}

impl Batch {
    const EMPTY: Batch = Batch { images: [Image::NONE; BATCH_MAX], count: 0 };

    /// Adds the image of a row. Panics if there are `BATCH_MAX`.
    #[inline]
    pub fn push(&mut self, image: &[u8]) {
        self.images[self.count] = Image { at: image.as_ptr(), bytes: image.len() as u32 };
        self.count += 1;
    }
}

pub const BATCH_BYTES: usize = size_of::<Batch>();
pub const IMAGE_BYTES: usize = size_of::<Image>();
pub const LENGTH_AT: usize = offset_of!(Image, bytes);

/// A value of a row of a result: a number, or the image that has it.
#[derive(Clone, Copy)]
#[repr(C)]
struct Cell {
    word: u64,
    bytes: u32,
    kind: u32,
}

pub const CELL_BYTES: usize = size_of::<Cell>();
pub const CELL_LENGTH_AT: usize = offset_of!(Cell, bytes);
pub const CELL_KIND_AT: usize = offset_of!(Cell, kind);

/// Columns of a result.
pub const CELLS_MAX: usize = 64;

/// What a cell is, besides 0: a number, and 1: NULL.
pub const CELL_IMAGE: i64 = 2;

/// A row of a result.
#[derive(Clone, Copy)]
pub struct Cells<'c>(&'c [Cell]);

pub enum Value<'c> {
    Null,
    Number(i64),
    /// It is in this row of a table.
    Image(&'c [u8]),
}

impl<'c> Cells<'c> {
    pub fn values(self) -> impl Iterator<Item = Value<'c>> {
        self.0.iter().map(|cell| match i64::from(cell.kind) {
            0 => Value::Number(cell.word as i64),
            // SAFETY: machine code has put there an image that the runtime gave it, with its length: they live as long as the
            // transaction. Or one of its own, which lives as long as the run.
            CELL_IMAGE => unsafe {
                Value::Image(std::slice::from_raw_parts(cell.word as *const u8, cell.bytes as usize))
            },
            _ => Value::Null,
        })
    }
}

pub const ROWS_AT: usize = offset_of!(Call<'static>, rows);
pub const IMAGES_AT: usize = offset_of!(Call<'static>, images);
pub const KEY_AT: usize = offset_of!(Call<'static>, key);
pub const LEVELS_AT: usize = offset_of!(Call<'static>, levels);
pub const CELLS_AT: usize = offset_of!(Call<'static>, cells);
pub const FOUND_AT: usize = offset_of!(Call<'static>, found);
pub const BATCH_AT: usize = offset_of!(Call<'static>, batch);
pub const PASSED_AT: usize = offset_of!(Call<'static>, passed);
pub const ASKED_AT: usize = offset_of!(Call<'static>, asked);
pub const PASSED_BYTES: usize = size_of::<Passed>();
pub const PASSED_NULL_AT: usize = offset_of!(Passed, null);

/// Arguments that machine code makes for one call.
pub const ARGUMENTS_MAX: usize = 16;

/// Columns in the key of a look-up; values of a range.
pub const KEYS_MAX: usize = 8;

const _: () = assert!(KEYS_MAX <= ARGUMENTS_MAX && offset_of!(Batch, images) == 0);

/// Tables in a join.
pub const LEVELS_MAX: usize = 4;

/// Bytes and rows that one statement changes by machine code.
const KEPT_BYTES_MAX: usize = 4 << 20;
const KEPT_ROWS_MAX: usize = 64 << 10;

/// Rows that a scan gives at once.
pub const BATCH_MAX: usize = 64;

const UNKNOWN: u64 = u64::MAX;

/// What `find` answers, besides 0: the interpreter is to do it.
pub const FOUND: i32 = 1;
pub const NOT_FOUND: i32 = 3;

/// What the other helpers answer, besides 0 and 1.
pub const LEFT: i32 = 2;

/// What `scan` answers besides a number of rows: the interpreter is to do it, or the run left.
const UNUSUAL_SCAN: i32 = -1;
pub const LEFT_SCAN: i32 = -2;

pub const HELPERS: [(&str, *const u8); 26] = [
    ("step", step as *const u8),
    ("holds", holds as *const u8),
    ("insert", insert as *const u8),
    ("find", find as *const u8),
    ("change", change as *const u8),
    ("scan", scan as *const u8),
    ("scanned", scanned as *const u8),
    ("begin_join", begin_join as *const u8),
    ("find_joined", find_joined as *const u8),
    ("scan_joined", scan_joined as *const u8),
    ("give", give as *const u8),
    ("send", send as *const u8),
    ("end_join", end_join as *const u8),
    ("execute", execute as *const u8),
    ("function", function as *const u8),
    ("keep", keep as *const u8),
    ("change_rows", change_rows as *const u8),
    ("begin_values", begin_values as *const u8),
    ("end_values", end_values as *const u8),
    ("returns", returns as *const u8),
    ("begin_try", begin_try as *const u8),
    ("end_try", end_try as *const u8),
    ("catch", catch as *const u8),
    ("end_catch", end_catch as *const u8),
    ("turn", turn as *const u8),
    ("ask", ask as *const u8),
];

impl<'a> Call<'a> {
    /// `images`: is machine code's until the run ends. In line: the many bytes of it are written where they stay.
    #[inline(always)]
    pub fn new(images: &mut [u8], runtime: &'a mut dyn Runtime) -> Call<'a> {
        Call {
            rows: UNKNOWN,
            images: images.as_mut_ptr(),
            images_bytes: images.len(),
            key: [0; KEYS_MAX],
            found: std::ptr::null(),
            copy: Vec::new(),
            batch: Batch::EMPTY,
            levels: std::ptr::null(),
            level_batches: Vec::new(),
            cells: std::ptr::null_mut(),
            row: Vec::new(),
            kept: Vec::new(),
            kept_ends: Vec::new(),
            passed: [Passed::NULL; ARGUMENTS_MAX],
            asked: 0,
            runtime,
            panic: None,
        }
    }

    /// A panic must not unwind through machine code: it waits here until that has returned, and nothing else is begun.
    #[inline]
    fn guard(&mut self, left: i32, run: impl FnOnce(&mut Call<'a>) -> i32) -> i32 {
        if self.panic.is_some() {
            return left;
        }
        match catch_unwind(AssertUnwindSafe(|| run(self))) {
            Ok(answer) => answer,
            Err(panic) => {
                self.panic = Some(panic);
                left
            }
        }
    }

    fn tell_rows(&mut self) {
        if self.rows != UNKNOWN {
            self.runtime.set_row_count(std::mem::replace(&mut self.rows, UNKNOWN));
        }
    }

    /// After the run.
    pub fn end(mut self) {
        if let Some(panic) = self.panic.take() {
            std::panic::resume_unwind(panic);
        }
        self.tell_rows();
    }
}

extern "C" fn step(call: &mut Call<'_>, step: u32) -> i32 {
    call.guard(LEFT, |call| {
        call.tell_rows();
        call.runtime.step(step).map_or(LEFT, |()| 0)
    })
}

extern "C" fn holds(call: &mut Call<'_>, step: u32) -> i32 {
    call.guard(LEFT, |call| {
        call.tell_rows();
        call.runtime.holds(step).map_or(LEFT, i32::from)
    })
}

/// 0: the interpreter is to do it.
extern "C" fn insert(call: &mut Call<'_>, insert: u32, at: u32, bytes: u32) -> i32 {
    call.guard(LEFT, |call| {
        let (at, bytes) = (at as usize, bytes as usize);
        assert!(at <= call.images_bytes && bytes <= call.images_bytes - at, "a row among the images");
        if bytes == 0 {
            // The row may have @@ROWCOUNT in it.
            call.tell_rows();
        }
        // SAFETY: within the buffer that `new` was given; machine code, which alone writes to it, waits for this call.
        let image = unsafe { std::slice::from_raw_parts_mut(call.images.add(at), bytes) };
        i32::from(call.runtime.insert(insert, image))
    })
}

extern "C" fn find(call: &mut Call<'_>, find: u32, columns: u32, copies: u32) -> i32 {
    call.guard(LEFT, |call| match call.runtime.find(find, &call.key[..columns as usize]) {
        None => 0,
        Some(None) => NOT_FOUND,
        Some(Some(image)) => {
            call.found = image.as_ptr();
            if copies != 0 {
                call.copy.clear();
                call.copy.extend_from_slice(image);
                call.found = call.copy.as_mut_ptr();
            }
            FOUND
        }
    })
}

/// To the copy that `find` made, or deletes it. 0: the interpreter is to do it.
extern "C" fn change(call: &mut Call<'_>, find: u32, copied: u32) -> i32 {
    call.guard(LEFT, |call| i32::from(call.runtime.change(find, (copied != 0).then_some(&call.copy[..]))))
}

/// `first`: 0, or one more than there are values of its range.
extern "C" fn scan(call: &mut Call<'_>, scan: u32, first: u32, rows_max: u32) -> i32 {
    call.guard(LEFT_SCAN, |call| {
        if first != 0 {
            if first == 1 {
                // Its range may have @@ROWCOUNT in it.
                call.tell_rows();
            }
            call.asked = 1;
            call.kept.clear();
            call.kept_ends.clear();
        }
        let Call { runtime, batch, passed, .. } = call;
        let bounds = first.checked_sub(1).map(|count| &passed[..count as usize]);
        batch.count = 0;
        let given = runtime.scan(scan, bounds, (rows_max as usize).min(BATCH_MAX), batch);
        answer_of(given, batch)
    })
}

/// What a scan answers.
fn answer_of(given: Result<bool, Leave>, batch: &Batch) -> i32 {
    match given {
        Ok(true) => batch.count as i32,
        Ok(false) => UNUSUAL_SCAN,
        Err(Leave) => LEFT_SCAN,
    }
}

extern "C" fn scanned(call: &mut Call<'_>, scan: u32, rows: u32) -> i32 {
    call.guard(LEFT, |call| {
        call.runtime.scanned(scan, rows.into());
        0
    })
}

/// 0: the interpreter is to do it.
extern "C" fn begin_join(call: &mut Call<'_>, join: u32) -> i32 {
    call.guard(LEFT, |call| {
        // Its predicates and ranges may have @@ROWCOUNT in them.
        call.tell_rows();
        if call.level_batches.is_empty() {
            call.level_batches = vec![Batch::EMPTY; LEVELS_MAX];
            call.levels = call.level_batches.as_ptr();
            call.row = vec![Cell { word: 0, bytes: 0, kind: 0 }; CELLS_MAX];
            call.cells = call.row.as_mut_ptr();
        }
        let first = std::mem::replace(&mut call.asked, 1) == 0;
        i32::from(call.runtime.begin_join(join, first))
    })
}

extern "C" fn find_joined(call: &mut Call<'_>, join: u32, level: u32, columns: u32) -> i32 {
    call.guard(LEFT, |call| match call.runtime.find_joined(join, level, &call.key[..columns as usize]) {
        None => 0,
        Some(None) => NOT_FOUND,
        Some(Some(image)) => {
            let batch = &mut call.level_batches[level as usize];
            batch.count = 0;
            batch.push(image);
            FOUND
        }
    })
}

/// `first`: 0 for more rows, else how many columns the range depends on, and 1.
extern "C" fn scan_joined(call: &mut Call<'_>, join: u32, level: u32, first: u32, rows_max: u32) -> i32 {
    call.guard(LEFT_SCAN, |call| {
        let Call { runtime, level_batches, passed, .. } = call;
        let outer = first.checked_sub(1).map(|columns| &passed[..columns as usize]);
        let batch = &mut level_batches[level as usize];
        batch.count = 0;
        let given = runtime.scan_joined(join, level, outer, (rows_max as usize).min(BATCH_MAX), batch);
        answer_of(given, batch)
    })
}

/// 0: the interpreter is to do it.
extern "C" fn give(call: &mut Call<'_>, join: u32, cells: u32) -> i32 {
    call.guard(LEFT, |call| i32::from(call.runtime.give(join, Cells(&call.row[..cells as usize]))))
}

extern "C" fn send(call: &mut Call<'_>, join: u32) -> i32 {
    call.guard(LEFT, |call| call.runtime.send(join).map_or(LEFT, |()| 0))
}

extern "C" fn end_join(call: &mut Call<'_>, join: u32, rows: u32) -> i32 {
    call.guard(LEFT, |call| {
        call.runtime.end_join(join, rows.into());
        0
    })
}

extern "C" fn execute(call: &mut Call<'_>, number: u32, arguments: u32) -> i32 {
    call.guard(LEFT, |call| {
        call.tell_rows();
        call.runtime.execute(number, &call.passed[..arguments as usize]).map_or(LEFT, i32::from)
    })
}

/// 1: the value is there. 0: the interpreter is to run the statement, which a panic does not let it begin.
extern "C" fn function(call: &mut Call<'_>, number: u32, arguments: u32) -> i32 {
    call.guard(0, |call| {
        call.tell_rows();
        let value = call.runtime.function(number, &call.passed[..arguments as usize]);
        let Some(value) = value else { return 0 };
        call.passed[0] = Passed { value: value.unwrap_or(0), null: value.is_none() };
        1
    })
}

/// As `function`.
extern "C" fn ask(call: &mut Call<'_>, asked: u32) -> i32 {
    call.guard(0, |call| {
        call.tell_rows();
        let first = std::mem::replace(&mut call.asked, 1) == 0;
        let Some(value) = call.runtime.ask(asked, first) else { return 0 };
        call.passed[0] = Passed { value: value.unwrap_or(0), null: value.is_none() };
        1
    })
}

/// 0: there are too many. `copies`: what was found is a copy of the row.
extern "C" fn keep(call: &mut Call<'_>, at: u32, copies: u32) -> i32 {
    call.guard(LEFT, |call| {
        let Call { runtime, batch, kept, kept_ends, found, .. } = call;
        let at = at as usize;
        let image = batch.images[at];
        let bytes = if copies != 0 { image.bytes as usize } else { 0 };
        if kept_ends.len() == KEPT_ROWS_MAX || kept.len() + bytes > KEPT_BYTES_MAX {
            return 0;
        }
        let start = kept.len();
        // SAFETY: the scan gave an image of this length, which lives as long as the transaction.
        kept.extend_from_slice(unsafe { std::slice::from_raw_parts(image.at, bytes) });
        kept_ends.push(kept.len());
        *found = kept[start..].as_mut_ptr();
        runtime.keep(at);
        1
    })
}

/// 0: the interpreter is to do it.
extern "C" fn change_rows(call: &mut Call<'_>, scan: u32, copied: u32) -> i32 {
    call.guard(LEFT, |call| {
        let Call { runtime, kept, kept_ends, .. } = call;
        if copied == 0 {
            return i32::from(runtime.change_rows(scan, None));
        }
        let mut start = 0;
        let mut images = kept_ends.iter().map(|end| &kept[std::mem::replace(&mut start, *end)..*end]);
        i32::from(runtime.change_rows(scan, Some(&mut images)))
    })
}

extern "C" fn begin_values(call: &mut Call<'_>, values: u32) -> i32 {
    call.guard(LEFT, |call| {
        call.runtime.begin_values(values);
        0
    })
}

extern "C" fn end_values(call: &mut Call<'_>, values: u32) -> i32 {
    call.guard(LEFT, |call| {
        call.runtime.end_values(values);
        0
    })
}

/// 0: the interpreter is to do it.
extern "C" fn returns(call: &mut Call<'_>) -> i32 {
    call.guard(LEFT, |call| i32::from(call.runtime.returns(call.passed[0].get())))
}

extern "C" fn begin_try(call: &mut Call<'_>) -> i32 {
    call.guard(LEFT, |call| {
        call.runtime.begin_try();
        0
    })
}

extern "C" fn end_try(call: &mut Call<'_>) -> i32 {
    call.guard(LEFT, |call| {
        call.runtime.end_try();
        0
    })
}

/// 0: the code goes on. No CATCH block gets a panic.
extern "C" fn catch(call: &mut Call<'_>) -> i32 {
    call.guard(LEFT, |call| {
        call.tell_rows();
        call.runtime.catch().map_or(LEFT, |()| 0)
    })
}

extern "C" fn end_catch(call: &mut Call<'_>, left: u32) -> i32 {
    call.guard(LEFT, |call| {
        call.tell_rows();
        call.runtime.end_catch(left != 0);
        0
    })
}

extern "C" fn turn(call: &mut Call<'_>) -> i32 {
    call.guard(LEFT, |call| call.runtime.turn().map_or(LEFT, |()| 0))
}
