//! Rows of a data file. It is read piece by piece, so a reader holds a row and a piece whatever the file has.
//!
//! https://learn.microsoft.com/sql/t-sql/statements/bulk-insert-transact-sql

mod window;
mod value;
mod native;

use std::sync::Arc;

use os::disk::{DiskError, File};
use sql::plan::{BulkColumn, BulkEnd, BulkField, BulkFile, BulkKind, BulkLayout};
use types::{Datum, RowBatch, SqlError, SqlResult, SqlType, sql_error};

use crate::kernel;
use crate::session::Session;
use crate::sink::Sink;
use value::Wrong;
use window::Window;

/// What the reader asks of whoever wants the rows.
pub trait Asked {
    /// A piece of work is done; Err: nobody wants the rows any more.
    fn pause(&mut self) -> SqlResult<()>;

    /// As the session's settings say, before it is cut to the type's length.
    fn convert(&mut self, value: &Datum, from: &SqlType, to: &SqlType) -> SqlResult<Datum>;

    /// A row was left out.
    fn tell(&mut self, error: SqlError) -> SqlResult<()>;
}

/// For a statement of the session that is no query.
pub struct OfStatement<'a> {
    pub session: &'a mut Session,
    pub sink: &'a mut dyn Sink,
    pub line: u32,
}

impl Asked for OfStatement<'_> {
    fn pause(&mut self) -> SqlResult<()> {
        os::wait::look_at_clock();
        os::wait::maybe_yield();
        if os::wait::is_interrupted() {
            self.sink.interrupted().map_err(crate::session::stopped)?;
        }
        self.session.check_signal()
    }

    fn convert(&mut self, value: &Datum, from: &SqlType, to: &SqlType) -> SqlResult<Datum> {
        kernel::convert_whole(self.session, value, from, to)
    }

    fn tell(&mut self, error: SqlError) -> SqlResult<()> {
        self.sink.message(&error.at_line(self.line)).map_err(crate::session::stopped)
    }
}

pub struct Reader {
    spec: Arc<BulkFile>,
    window: Window,
    /// Takes rows that are wrong.
    rejects: Option<Rejects>,
    /// Rows that were read, with those that were passed over.
    row: u64,
    errors: u64,
    begun: bool,
    ended: bool,
}

/// The error file, and the one beside it that says what is wrong.
pub struct Rejects {
    pub rows: File,
    pub reasons: File,
    rows_at: u64,
    reasons_at: u64,
}

impl Rejects {
    pub fn new(rows: File, reasons: File) -> Rejects {
        Rejects { rows, reasons, rows_at: 0, reasons_at: 0 }
    }

    /// `at`: where the row is in the file, by number and byte.
    fn add(&mut self, at: (u64, u64), bytes: &[u8], error: &SqlError) -> Result<(), DiskError> {
        let (row, offset) = at;
        let reason = format!("Row {row} File Offset {offset} ErrorFile Offset {} - {}\r\n", self.rows_at, error.text);
        self.rows.write_at(bytes, self.rows_at)?;
        self.reasons.write_at(reason.as_bytes(), self.reasons_at)?;
        self.rows_at += bytes.len() as u64;
        self.reasons_at += reason.len() as u64;
        Ok(())
    }
}

/// What a failure of the provider, as SQL Server calls it, says behind its reason.
#[cold]
fn fatal(error: SqlError) -> SqlError {
    let mut all = error.one_by_one();
    all.push(sql_error!(7399));
    all.push(sql_error!(7330));
    SqlError::together(all)
}

/// 4832
#[cold]
fn early_end() -> SqlError {
    fatal(sql_error!(4832))
}

/// What stands around the fields of a CSV file.
#[derive(Clone, Copy)]
struct Ends<'a> {
    quote: u8,
    row: &'a BulkEnd,
    /// Of fields behind those that are wanted.
    more: Option<&'a BulkEnd>,
}

/// How the reading of a row ended.
enum Read {
    Row,
    /// There is none.
    End,
}

impl Reader {
    pub fn new(spec: Arc<BulkFile>, file: File, rejects: Option<Rejects>) -> Reader {
        Reader { spec, window: Window::new(file), rejects, row: 0, errors: 0, begun: false, ended: false }
    }

    /// Appends up to `wanted` rows of about `bytes_max` bytes. False: the file is at its end.
    pub fn fill(
        &mut self,
        asked: &mut dyn Asked,
        out: &mut RowBatch,
        wanted: usize,
        bytes_max: usize,
    ) -> SqlResult<bool> {
        let spec = self.spec.clone();
        if !self.begun {
            self.begun = true;
            self.window.skip_mark(&spec.layout)?;
        }
        let (mut rows, mut bytes) = (0, 0);
        let mut values: Vec<Datum> = Vec::with_capacity(spec.columns.len());
        while rows < wanted && bytes < bytes_max && !self.ended {
            if spec.last_row > 0 && self.row >= spec.last_row {
                self.ended = true;
                break;
            }
            self.window.begin_row();
            values.clear();
            values.resize(spec.columns.len(), Datum::Null);
            let before = self.row;
            let mut wrong: Option<SqlError> = None;
            let read = match &spec.layout {
                BulkLayout::Whole => self.whole(asked, &spec.columns[0], &mut values)?,
                BulkLayout::Fields(fields) => self.fields(asked, fields, &spec, &mut values, &mut wrong)?,
                BulkLayout::Quoted { fields, quote, row_end, more } => {
                    let ends = Ends { quote: *quote, row: row_end, more: more.as_ref() };
                    self.quoted(asked, fields, ends, &spec, &mut values, &mut wrong)?
                }
            };
            if let Read::End = read {
                self.ended = true;
                break;
            }
            self.row = before + 1;
            bytes += self.window.row_bytes().len();
            if self.row < spec.first_row {
                continue;
            }
            match wrong {
                None => {
                    out.push_row(&values);
                    rows += 1;
                }
                Some(error) => self.reject(asked, &spec, error)?,
            }
        }
        Ok(!self.ended)
    }

    /// Leaves the row out. 4865: too many were.
    #[cold]
    fn reject(&mut self, asked: &mut dyn Asked, spec: &BulkFile, error: SqlError) -> SqlResult<()> {
        self.errors += 1;
        if let Some(rejects) = &mut self.rejects {
            let path = spec.error_file.as_deref().unwrap_or_default();
            let at = (self.row, self.window.row_offset());
            rejects.add(at, self.window.row_bytes(), &error).map_err(|error| cannot_open(path, error))?;
        }
        asked.tell(error)?;
        if self.errors > spec.max_errors {
            return Err(fatal(sql_error!(4865, spec.max_errors)));
        }
        Ok(())
    }

    fn whole(&mut self, asked: &mut dyn Asked, column: &BulkColumn, values: &mut [Datum]) -> SqlResult<Read> {
        if self.row > 0 {
            return Ok(Read::End);
        }
        let bytes = self.window.rest(asked)?;
        values[0] = value::whole(bytes, &column.ty)?;
        Ok(Read::Row)
    }

    fn fields(
        &mut self,
        asked: &mut dyn Asked,
        fields: &[BulkField],
        spec: &BulkFile,
        values: &mut [Datum],
        wrong: &mut Option<SqlError>,
    ) -> SqlResult<Read> {
        let last = fields.len() - 1;
        for (at, field) in fields.iter().enumerate() {
            if at == 0 && self.window.at_end(asked)? {
                return Ok(Read::End);
            }
            let number = field.column.map_or(at + 1, |column| usize::from(spec.columns[column].number));
            let too_long = || fatal(sql_error!(4866, self.row + 1, number));
            let found = if field.prefix > 0 {
                let Some(prefix) = self.window.take(asked, usize::from(field.prefix))? else { return Err(early_end()) };
                match window::length_of(self.window.slice(prefix)) {
                    None => None,
                    Some(length) if length > window::VALUE_BYTES_MAX => return Err(too_long()),
                    Some(length) => Some(self.window.take(asked, length)?.ok_or_else(early_end)?),
                }
            } else if field.end.bytes.is_empty() {
                Some(self.window.take(asked, field.length)?.ok_or_else(early_end)?)
            } else {
                None
            };
            let found = match found {
                Some(found) => {
                    if !field.end.bytes.is_empty() && !self.window.take_end(asked, &field.end)? {
                        return Err(too_long());
                    }
                    Some(found)
                }
                None if field.prefix > 0 => {
                    if !field.end.bytes.is_empty() && !self.window.take_end(asked, &field.end)? {
                        return Err(too_long());
                    }
                    None
                }
                // The last row may lack its end.
                None => match self.window.until(asked, &field.end, at == last)? {
                    Some(found) => Some(found),
                    None if self.window.is_full() => return Err(too_long()),
                    None => return Err(early_end()),
                },
            };
            self.place(asked, field, found, spec, values, wrong)?;
        }
        Ok(Read::Row)
    }

    fn quoted(
        &mut self,
        asked: &mut dyn Asked,
        fields: &[BulkField],
        ends: Ends<'_>,
        spec: &BulkFile,
        values: &mut [Datum],
        wrong: &mut Option<SqlError>,
    ) -> SqlResult<Read> {
        if self.window.at_end(asked)? {
            return Ok(Read::End);
        }
        let row = self.row + 1;
        let wrong_field = |at: usize, field: &BulkField| {
            let number = field.column.map_or(at + 1, |column| usize::from(spec.columns[column].number));
            fatal(sql_error!(4879, spec.path, row, number))
        };
        let mut unquoted = Vec::new();
        for (at, field) in fields.iter().enumerate() {
            let is_last = at == fields.len() - 1;
            let end = if is_last { ends.row } else { &field.end };
            if self.window.peek(asked)? == Some(ends.quote) {
                unquoted.clear();
                if !self.window.unquote(asked, ends.quote, &mut unquoted)? {
                    return Err(wrong_field(at, field));
                }
                let ended = self.window.take_end(asked, end)? || is_last && self.window.at_end(asked)?;
                if !(ended || is_last && self.pass_over(asked, &ends)?) {
                    return Err(wrong_field(at, field));
                }
                self.place_bytes(asked, field, Some(&unquoted), spec, values, wrong)?;
                continue;
            }
            if is_last
                && let Some(more) = ends.more
                && let Some(found) = self.window.until_either(asked, more, Some(ends.row), false)?
            {
                self.place(asked, field, Some(found), spec, values, wrong)?;
                self.window.step_back(more);
                if !self.pass_over(asked, &ends)? {
                    return Err(wrong_field(at + 1, field));
                }
                continue;
            }
            let stop = if is_last { None } else { Some(ends.row) };
            let Some(found) = self.window.until_either(asked, end, stop, is_last)? else {
                return Err(wrong_field(at, field));
            };
            self.place(asked, field, Some(found), spec, values, wrong)?;
        }
        Ok(Read::Row)
    }

    /// Goes over the fields that nobody wants, up to the end of the row. False: there are none, or they are broken.
    fn pass_over(&mut self, asked: &mut dyn Asked, ends: &Ends<'_>) -> SqlResult<bool> {
        let Some(more) = ends.more else { return Ok(false) };
        let mut dropped = Vec::new();
        while self.window.take_end(asked, more)? {
            if self.window.peek(asked)? == Some(ends.quote) {
                dropped.clear();
                if !self.window.unquote(asked, ends.quote, &mut dropped)? {
                    return Ok(false);
                }
                if self.window.take_end(asked, ends.row)? || self.window.at_end(asked)? {
                    return Ok(true);
                }
            } else if self.window.until_either(asked, more, Some(ends.row), false)?.is_some() {
                self.window.step_back(more);
            } else {
                return Ok(self.window.until(asked, ends.row, true)?.is_some());
            }
        }
        Ok(false)
    }

    fn place(
        &mut self,
        asked: &mut dyn Asked,
        field: &BulkField,
        found: Option<std::ops::Range<usize>>,
        spec: &BulkFile,
        values: &mut [Datum],
        wrong: &mut Option<SqlError>,
    ) -> SqlResult<()> {
        if self.row + 1 < spec.first_row || wrong.is_some() || field.column.is_none() {
            return Ok(());
        }
        let bytes = found.map(|range| self.window.slice(range).to_vec());
        self.place_bytes(asked, field, bytes.as_deref(), spec, values, wrong)
    }

    fn place_bytes(
        &mut self,
        asked: &mut dyn Asked,
        field: &BulkField,
        bytes: Option<&[u8]>,
        spec: &BulkFile,
        values: &mut [Datum],
        wrong: &mut Option<SqlError>,
    ) -> SqlResult<()> {
        let (Some(at), true) = (field.column, self.row + 1 >= spec.first_row && wrong.is_none()) else { return Ok(()) };
        let column = &spec.columns[at];
        // A field with nothing in it is NULL, other than one whose length says that it is empty.
        let bytes = bytes.filter(|bytes| !bytes.is_empty() || field.prefix > 0);
        let made = match bytes {
            None if !column.nullable && spec.empty_texts && column.ty.is_string() && !column.has_default => {
                Ok(Datum::bytes(&[]))
            }
            None => Ok(Datum::Null),
            Some(bytes) => match &field.kind {
                BulkKind::Text(page) => value::of_text(bytes, Some(*page), column, asked),
                BulkKind::Wide => value::of_text(bytes, None, column, asked),
                BulkKind::Native(ty) => native::value(bytes, ty, column, asked),
            },
        };
        let row = self.row + 1;
        match made {
            Ok(value) => values[at] = value,
            Err(Wrong::Mismatch) => *wrong = Some(sql_error!(4864, row, column.number, column.name)),
            Err(Wrong::TooLong) => *wrong = Some(sql_error!(4863, row, column.number, column.name)),
        }
        if values[at].is_null() && wrong.is_none() && !column.nullable && !column.has_default {
            return Err(fatal(sql_error!(4869, row, column.number, column.name)));
        }
        Ok(())
    }
}

/// 4861
#[cold]
pub fn cannot_open(path: &str, error: DiskError) -> SqlError {
    let reason = match error {
        DiskError::NotFound => "2(The system cannot find the file specified.)".to_owned(),
        DiskError::Denied => "5(Access is denied.)".to_owned(),
        DiskError::AlreadyExists => "80(The file exists.)".to_owned(),
        DiskError::Full => "112(There is not enough space on the disk.)".to_owned(),
        DiskError::Locked => {
            "32(The process cannot access the file because it is being used by another process.)".to_owned()
        }
        DiskError::EndOfFile => "38(Reached the end of the file.)".to_owned(),
        DiskError::Io(number) => {
            format!("{number}(The request could not be performed because of an I/O device error.)")
        }
    };
    sql_error!(4861, path, reason)
}
