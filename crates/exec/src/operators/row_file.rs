//! Batches of rows in a work file: written one after the other, read in that order, as often as is wanted.
//!
//! ```text
//! piece:  rows u32, bytes u64 (of what follows)
//!         each column: words of nulls u32 (0: none is NULL), these; its values: 8, 8 or 16 bytes each, or all ends u32 and then all bytes
//! ```
//! A piece has few rows, so that whoever reads many files at a time holds little; a longer value makes a piece of its own.

use std::sync::Arc;

use storage::StorageError;
use storage::spill::{Away, BLOCK_ROOM, Position, Stream};
use types::{Column, ColumnData, RowBatch, SqlError, SqlResult, sql_error};

use crate::columns::BATCH_ROWS;
use crate::context::Context;
use crate::operators::scan::storage_error;
use crate::workspace::{Held, Workspace};

/// Bytes of a piece, where nobody wants it shorter.
pub const PIECE_BYTES: usize = 32 << 10;

/// What a reader holds, unless a row is long: a block and a piece.
pub const READER_BYTES: usize = BLOCK_ROOM + PIECE_BYTES;

const HEAD_BYTES: usize = 12;

/// Whose memory a file takes while it is written.
pub trait Writer {
    fn workspace(&self) -> &Arc<Workspace>;

    /// Others may run now. Err: nobody wants the rows any more.
    fn pause(&self) -> SqlResult<()>;
}

impl Writer for Context<'_> {
    fn workspace(&self) -> &Arc<Workspace> {
        Context::workspace(self)
    }

    fn pause(&self) -> SqlResult<()> {
        self.yield_point()
    }
}

/// Of what pauses by itself.
impl Writer for Arc<Workspace> {
    fn workspace(&self) -> &Arc<Workspace> {
        self
    }

    fn pause(&self) -> SqlResult<()> {
        Ok(())
    }
}

pub struct RowFile {
    stream: Stream,
    rows: u64,
    bytes: u64,
    /// Bytes of a piece, unless one row has more.
    piece_bytes: usize,
    /// Bytes of its longest piece.
    widest: usize,
    piece: Vec<u8>,
    /// What is being written, until it is finished.
    held: Held,
}

impl RowFile {
    pub fn new(context: &Context) -> RowFile {
        RowFile::of_pieces(context, PIECE_BYTES)
    }

    /// Of pieces of so many bytes, for who makes something of each that is as long again.
    pub fn of_pieces(context: &Context, piece_bytes: usize) -> RowFile {
        let stream = context.runtime().host.storage().spill().stream();
        RowFile::of(stream, piece_bytes)
    }

    /// For who has no context.
    pub fn on(stream: Stream) -> RowFile {
        RowFile::of(stream, PIECE_BYTES)
    }

    fn of(stream: Stream, piece_bytes: usize) -> RowFile {
        RowFile { stream, rows: 0, bytes: 0, piece_bytes, widest: 0, piece: Vec::new(), held: Held::default() }
    }

    /// For who writes one file at a time: goes on while a block of it is written.
    pub fn going_on(mut self) -> RowFile {
        self.stream.go_on(1);
        self
    }

    /// As `going_on`, with others.
    pub fn going_on_with(mut self, away: &Away) -> RowFile {
        self.stream.go_on_with(away);
        self
    }

    /// An empty one.
    pub fn finished(context: &Context) -> SqlResult<RowFile> {
        let mut file = RowFile::new(context);
        file.finish()?;
        Ok(file)
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes of its rows, as a batch would have them.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What a reader of it holds.
    pub fn reader_bytes(&self) -> usize {
        READER_BYTES.max(BLOCK_ROOM + self.widest)
    }

    pub fn append(&mut self, writer: &impl Writer, batch: &RowBatch) -> SqlResult<()> {
        self.append_noting(writer, batch, |_, _| {})
    }

    /// As `append`; `note` hears the first row of each piece, and where the piece lies (`RowReader::seek`).
    pub fn append_noting(
        &mut self,
        writer: &impl Writer,
        batch: &RowBatch,
        mut note: impl FnMut(usize, u64),
    ) -> SqlResult<()> {
        let mut start = 0;
        while start < batch.rows {
            note(start, self.stream.bytes());
            let end = piece_end(batch, start, self.piece_bytes);
            self.append_piece(writer, batch, start, end)?;
            start = end;
        }
        // Who divides rows among files has hundreds of them.
        self.piece = Vec::new();
        Ok(())
    }

    fn append_piece(&mut self, writer: &impl Writer, batch: &RowBatch, start: usize, end: usize) -> SqlResult<()> {
        let before = self.stream.bytes();
        let bytes: usize = batch.columns.iter().map(|column| encoded_bytes(column, start, end)).sum();
        self.piece.clear();
        self.piece.extend_from_slice(&((end - start) as u32).to_le_bytes());
        self.piece.extend_from_slice(&(bytes as u64).to_le_bytes());
        for column in &batch.columns {
            self.append_column(column, start, end)?;
        }
        self.stream.append(&self.piece).map_err(spill_error)?;
        assert_eq!(self.stream.bytes() - before, (HEAD_BYTES + bytes) as u64, "a piece is as long as it says");
        writer.workspace().count_bytes(HEAD_BYTES + bytes);
        self.rows += (end - start) as u64;
        self.widest = self.widest.max(bytes);
        self.bytes += row_bytes(batch, start, end) as u64;
        self.held.force(writer.workspace(), self.stream.held_bytes())?;
        writer.pause()
    }

    fn append_column(&mut self, column: &Column, start: usize, end: usize) -> SqlResult<()> {
        let piece = &mut self.piece;
        let words = null_words(column, start, end);
        piece.extend_from_slice(&(words as u32).to_le_bytes());
        for word in 0..words {
            let first = start + word * 64;
            let bits = (first..end.min(first + 64))
                .fold(0_u64, |bits, row| bits | (column.is_null(row) as u64) << (row - first));
            piece.extend_from_slice(&bits.to_le_bytes());
        }
        match &column.data {
            ColumnData::I64(values) => {
                values[start..end].iter().for_each(|value| piece.extend_from_slice(&value.to_le_bytes()));
            }
            ColumnData::F64(values) => {
                values[start..end].iter().for_each(|value| piece.extend_from_slice(&value.to_le_bytes()));
            }
            ColumnData::I128(values) => {
                values[start..end].iter().for_each(|value| piece.extend_from_slice(&value.to_le_bytes()));
            }
            ColumnData::Bytes { ends, bytes } => {
                let first = if start == 0 { 0 } else { ends[start - 1] };
                ends[start..end].iter().for_each(|end| piece.extend_from_slice(&(end - first).to_le_bytes()));
                let bytes = &bytes[first as usize..ends[end - 1] as usize];
                if bytes.len() <= PIECE_BYTES {
                    piece.extend_from_slice(bytes);
                } else {
                    // Straight from where it lies.
                    self.stream.append(piece).map_err(spill_error)?;
                    piece.clear();
                    self.stream.append(bytes).map_err(spill_error)?;
                }
            }
        }
        Ok(())
    }

    /// Nothing is appended any more.
    pub fn finish(&mut self) -> SqlResult<()> {
        self.stream.finish().map_err(spill_error)?;
        self.piece = Vec::new();
        self.held.clear();
        Ok(())
    }
}

/// The row after the last of a piece that begins at `start`.
fn piece_end(batch: &RowBatch, start: usize, piece_bytes: usize) -> usize {
    if batch.columns.is_empty() {
        return batch.rows.min(start + u32::MAX as usize);
    }
    let most = batch.rows.min(start + BATCH_ROWS);
    let mut bytes = 0;
    for row in start..most {
        bytes += row_bytes(batch, row, row + 1);
        if bytes > piece_bytes {
            return row.max(start + 1);
        }
    }
    most
}

fn row_bytes(batch: &RowBatch, start: usize, end: usize) -> usize {
    batch.columns.iter().map(|column| value_bytes(column, start, end)).sum()
}

fn value_bytes(column: &Column, start: usize, end: usize) -> usize {
    match &column.data {
        ColumnData::I64(_) | ColumnData::F64(_) => (end - start) * 8,
        ColumnData::I128(_) => (end - start) * 16,
        ColumnData::Bytes { ends, .. } => {
            let first = if start == 0 { 0 } else { ends[start - 1] };
            (end - start) * 4 + (ends[end - 1] - first) as usize
        }
    }
}

fn null_words(column: &Column, start: usize, end: usize) -> usize {
    if column.nulls.is_empty() { 0 } else { (end - start).div_ceil(64) }
}

fn encoded_bytes(column: &Column, start: usize, end: usize) -> usize {
    4 + null_words(column, start, end) * 8 + value_bytes(column, start, end)
}

/// Reads the rows of a finished file from its start.
#[derive(Default)]
pub struct RowReader {
    position: Position,
    bytes: Vec<u8>,
    held: Held,
}

impl RowReader {
    /// Replaces `out` by the next rows. False: there are no more, and nothing is held any more.
    pub fn next(&mut self, context: &Context, file: &RowFile, out: &mut RowBatch) -> SqlResult<bool> {
        out.clear();
        if self.position.is_at_end(&file.stream) {
            self.position.rest();
            self.bytes = Vec::new();
            self.held.clear();
            return Ok(false);
        }
        context.yield_point()?;
        // Before the first piece its length is not known; the block is read anyway.
        self.held.force(context.workspace(), self.held.bytes().max(READER_BYTES))?;
        let mut head = [0; HEAD_BYTES];
        self.read(file, &mut head)?;
        let rows = u32::from_le_bytes(head[..4].try_into().expect("4 bytes")) as usize;
        let bytes = u64::from_le_bytes(head[4..].try_into().expect("8 bytes")) as usize;
        self.held.force(context.workspace(), READER_BYTES.max(BLOCK_ROOM + bytes))?;
        for column in &mut out.columns {
            self.read_column(file, column, rows)?;
        }
        context.workspace().count_read(HEAD_BYTES + bytes);
        out.rows = rows;
        Ok(true)
    }

    /// Goes to the piece at `place` of `file`, whichever file it read last.
    pub fn seek(&mut self, file: &RowFile, place: u64) -> SqlResult<()> {
        self.position.seek(&file.stream, place).map_err(spill_error)
    }

    pub fn rewind(&mut self) {
        *self = RowReader::default();
    }

    fn read(&mut self, file: &RowFile, out: &mut [u8]) -> SqlResult<()> {
        self.position.read(&file.stream, out).map_err(spill_error)
    }

    fn load(&mut self, file: &RowFile, bytes: usize) -> SqlResult<()> {
        self.bytes.resize(bytes, 0);
        self.position.read(&file.stream, &mut self.bytes).map_err(spill_error)
    }

    fn read_column(&mut self, file: &RowFile, column: &mut Column, rows: usize) -> SqlResult<()> {
        self.load(file, 4)?;
        let words = u32_of(&self.bytes) as usize;
        self.load(file, words * 8)?;
        column.nulls.extend(self.bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)));
        match &mut column.data {
            ColumnData::I64(values) => {
                self.load(file, rows * 8)?;
                values.extend(self.bytes.as_chunks().0.iter().map(|value| i64::from_le_bytes(*value)));
            }
            ColumnData::F64(values) => {
                self.load(file, rows * 8)?;
                values.extend(self.bytes.as_chunks().0.iter().map(|value| f64::from_le_bytes(*value)));
            }
            ColumnData::I128(values) => {
                self.load(file, rows * 16)?;
                values.extend(self.bytes.as_chunks().0.iter().map(|value| i128::from_le_bytes(*value)));
            }
            ColumnData::Bytes { ends, bytes } => {
                self.load(file, rows * 4)?;
                ends.extend(self.bytes.as_chunks().0.iter().map(|end| u32::from_le_bytes(*end)));
                bytes.resize(ends.last().map_or(0, |end| *end as usize), 0);
                self.position.read(&file.stream, bytes).map_err(spill_error)?;
            }
        }
        Ok(())
    }
}

fn u32_of(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[..4].try_into().expect("4 bytes"))
}

/// 1105 where tempdb has no room, 823 and 824 where its bytes cannot be had.
pub fn spill_error(error: StorageError) -> SqlError {
    match error {
        StorageError::DiskFull => sql_error!(1105, state 2, "<temporary system object>", "", "tempdb", "PRIMARY"),
        error => storage_error(error, None),
    }
}
