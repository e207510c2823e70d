//! Bulk load (MS-TDS 2.2.6.1): COLMETADATA, rows, DONE, as a stream without a bound of its own.
//!
//! Feed it packet payloads; it gives rows as they become whole. What waits here is one row (and the metadata).

use types::RowBatch;

use crate::column::{COLMETADATA, ColumnInfo, TableName, decode_columns};
use crate::error::{ProtocolError, ProtocolResult};
use crate::row::{NBCROW, ROW};
use crate::token::{DONE, TABLE_NAME};
use crate::type_info::Place;
use crate::value::Value;
use crate::version::TdsVersion;
use crate::wire::Input;

/// Of a DONE without its token: status, command and a row count of eight bytes, of four before 7.2.
const DONE_BYTES: usize = 12;
const DONE_BYTES_7_1: usize = 8;

#[derive(Debug)]
pub struct BulkReader {
    version: TdsVersion,
    row_bytes_max: usize,
    /// Agreed at login: a table of keys stands before the columns.
    column_encryption: bool,
    pending: Vec<u8>,
    at: usize,
    /// Do not try again before this many bytes wait: keeps a long row from being scanned once a packet.
    retry_bytes: usize,
    columns: Option<Vec<ColumnInfo>>,
    is_done: bool,
}

impl BulkReader {
    /// `row_bytes_max` bounds one row and the metadata.
    pub fn new(version: TdsVersion, row_bytes_max: usize) -> BulkReader {
        BulkReader {
            version,
            row_bytes_max,
            column_encryption: false,
            pending: Vec::new(),
            at: 0,
            retry_bytes: 0,
            columns: None,
            is_done: false,
        }
    }

    /// The same for a client whose column encryption was acknowledged.
    pub fn with_column_encryption(self, column_encryption: bool) -> BulkReader {
        BulkReader { column_encryption, ..self }
    }

    /// The client's columns, once they have arrived.
    pub fn columns(&self) -> Option<&[ColumnInfo]> {
        self.columns.as_deref()
    }

    /// One packet's payload.
    pub fn feed(&mut self, payload: &[u8]) {
        self.pending.drain(..self.at);
        self.at = 0;
        self.pending.extend_from_slice(payload);
    }

    /// Reads rows into `batch` (of the classes of `columns()`) until it has `rows_max` or no whole row waits. True: call
    /// again for more of the same, perhaps at once (the columns have just become known, or the batch is full).
    /// `is_last`: the message has ended, so what is not whole now never will be.
    pub fn read(&mut self, batch: &mut RowBatch, rows_max: usize, is_last: bool) -> ProtocolResult<bool> {
        if !is_last && self.pending.len() - self.at < self.retry_bytes {
            return Ok(false);
        }
        if self.columns.is_none() {
            return self.read_columns(is_last);
        }
        while batch.rows < rows_max {
            let start = self.at;
            match self.read_row(batch, is_last) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(ProtocolError::Truncated) if !is_last => {
                    self.at = start;
                    self.wait_for_more()?;
                    return Ok(false);
                }
                Err(ProtocolError::Truncated) => return Err(ProtocolError::BulkToken(0)),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn wait_for_more(&mut self) -> ProtocolResult<()> {
        let waiting = self.pending.len() - self.at;
        if waiting > self.row_bytes_max {
            return Err(ProtocolError::MessageTooLong { bytes_max: self.row_bytes_max });
        }
        self.retry_bytes = waiting + waiting / 2 + 1;
        Ok(())
    }

    fn read_columns(&mut self, is_last: bool) -> ProtocolResult<bool> {
        if self.pending.is_empty() && !is_last {
            return Ok(false);
        }
        // Loaders disagree about the table name of text columns. Read it as the version says, and if what follows
        // cannot be a row, the other way.
        let own = TableName::of(self.version);
        let other = if own == TableName::Parts { TableName::Single } else { TableName::Parts };
        let first = self.try_columns(own, is_last);
        let second = if first.is_ok() { None } else { Some(self.try_columns(other, is_last)) };
        match (first, second) {
            (Ok((columns, used)), _) | (_, Some(Ok((columns, used)))) => {
                self.at = used;
                self.columns = Some(columns);
                self.retry_bytes = 0;
                Ok(true)
            }
            (Err(ProtocolError::Truncated), _) | (_, Some(Err(ProtocolError::Truncated))) if !is_last => {
                self.wait_for_more()?;
                Ok(false)
            }
            (Err(error), _) => Err(error),
        }
    }

    fn try_columns(&self, table_name: TableName, is_last: bool) -> ProtocolResult<(Vec<ColumnInfo>, usize)> {
        let mut input = Input::new(&self.pending);
        match input.u8()? {
            COLMETADATA => {}
            other => return Err(ProtocolError::BulkToken(other)),
        }
        let columns = decode_columns(&mut input, self.version, table_name, self.column_encryption)
            .map_err(|error| error.in_bulk_column(0))?
            .filter(|columns| !columns.is_empty())
            .ok_or(ProtocolError::BulkToken(COLMETADATA))?;
        match input.peek() {
            // FreeTDS ends a load without DONE, an empty one behind the columns.
            None if !is_last => Err(ProtocolError::Truncated),
            None | Some(ROW | NBCROW | DONE | TABLE_NAME) => Ok((columns, input.position())),
            Some(other) => Err(ProtocolError::BulkToken(other)),
        }
    }

    /// False: no more rows, either for now (nothing waits) or for ever (DONE was read).
    fn read_row(&mut self, batch: &mut RowBatch, is_last: bool) -> ProtocolResult<bool> {
        let columns = self.columns.as_ref().expect("read before rows");
        let mut input = Input::new(&self.pending[self.at..]);
        let Some(token) = input.peek() else { return Ok(false) };
        if self.is_done {
            return Err(ProtocolError::BulkToken(token));
        }
        input.u8()?;
        let bitmap: &[u8] = match token {
            ROW => &[],
            NBCROW => input.take(columns.len().div_ceil(8))?,
            DONE => {
                // SqlClient counts rows in four bytes here, whatever the version: WriteBulkCopyDone in its TdsParser.cs.
                let short = is_last && input.remaining() == DONE_BYTES_7_1;
                input.take(if self.version.is_7_2() && !short { DONE_BYTES } else { DONE_BYTES_7_1 })?;
                self.at += input.position();
                self.is_done = true;
                return Ok(!self.pending[self.at..].is_empty());
            }
            other => return Err(ProtocolError::BulkToken(other)),
        };
        // First decode all, then push: a row cut short must leave no half of itself in the batch.
        let mut values: Vec<Value<'_>> = Vec::with_capacity(columns.len());
        for (i, column) in columns.iter().enumerate() {
            let is_null = bitmap.get(i / 8).is_some_and(|bits| bits >> (i % 8) & 1 == 1);
            values.push(if is_null {
                Value::Null
            } else {
                Value::decode(&mut input, &column.info, Place::Column)
                    .map_err(|error| error.in_bulk_column(i as u32 + 1))?
            });
        }
        let used = input.position();
        assert_eq!(batch.columns.len(), values.len(), "a batch of the announced columns");
        for (value, column) in values.iter().zip(&mut batch.columns) {
            value.push_to(column);
        }
        batch.rows += 1;
        self.at += used;
        self.retry_bytes = 0;
        Ok(true)
    }

    /// True once DONE was read, or the message ended without one (FreeTDS leaves it out on an empty load).
    pub fn is_done(&self) -> bool {
        self.is_done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_load_may_end_behind_its_columns() {
        let columns = [COLMETADATA, 1, 0, 0, 0, 0, 0, 8, 0, 0x38, 1, b'a', 0];
        let mut reader = BulkReader::new(TdsVersion::V7_4, 1 << 20);
        let mut batch = RowBatch::new([]);
        reader.feed(&columns);
        assert!(!reader.read(&mut batch, 10, false).unwrap(), "a row may follow");
        reader.feed(&[]);
        assert!(reader.read(&mut batch, 10, true).unwrap(), "the columns are known");
        assert!(!reader.read(&mut batch, 10, true).unwrap(), "no row");
    }
}
