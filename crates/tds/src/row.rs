//! Rows of a result on the wire: ROW and NBCROW tokens, straight from a `RowBatch` into outgoing packets.
//!
//! ```text
//! 0xD1 | each column's value        0xD2 | bitmap, a bit a column, set for NULL | each value that is not NULL
//! ```
//! What can be known before the first row is computed once, in `RowLayout`; it is worth keeping with a plan.

use std::convert::Infallible;
use std::ops::Range;

use types::{Column, ColumnData, RowBatch};

use crate::column::{ColumnInfo, encode_columns};
use crate::packet::PacketWriter;
use crate::type_info::Place;
use crate::value::Codec;
use crate::version::TdsVersion;
use crate::wire::Put;

pub const ROW: u8 = 0xD1;
pub const NBCROW: u8 = 0xD2;

/// Rows whose longest form is at most this are built in the packet without a check per value.
const INLINE_ROW_BYTES_MAX: usize = 1_024;
/// A value longer than this is sent in pieces, with room made between them.
const PIECE_BYTES: usize = 16_384;

/// COLMETADATA's beginning.
const TOKEN_AND_COUNT_BYTES: usize = 3;

/// The columns of a result and how to write their rows.
#[derive(Debug, Clone)]
pub struct RowLayout {
    columns: Vec<ColumnInfo>,
    codecs: Vec<Codec>,
    /// The COLMETADATA token, ready.
    metadata: Vec<u8>,
    /// Longest row with its token, if it is short.
    inline_bytes: Option<usize>,
    has_nbc_rows: bool,
}

impl RowLayout {
    pub fn new(columns: Vec<ColumnInfo>, version: TdsVersion) -> RowLayout {
        let codecs: Vec<Codec> = columns.iter().map(|column| Codec::of(&column.info, Place::Column)).collect();
        let mut metadata = Vec::new();
        encode_columns(&columns, &mut metadata, version);
        let longest: Option<usize> =
            columns.iter().zip(&codecs).map(|(column, codec)| codec.bytes_max(&column.info)).sum();
        let bitmap = columns.len().div_ceil(8);
        let inline_bytes = longest.map(|bytes| 1 + bitmap + bytes).filter(|bytes| *bytes <= INLINE_ROW_BYTES_MAX);
        RowLayout { columns, codecs, metadata, inline_bytes, has_nbc_rows: version.has_nbc_rows() }
    }

    pub fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    /// `column_encryption` was agreed at login: a table of keys stands before the columns. There are none here.
    pub fn encode_metadata(&self, out: &mut impl Put, column_encryption: bool) {
        let (head, columns) = self.metadata.split_at(TOKEN_AND_COUNT_BYTES);
        out.put(head);
        if column_encryption {
            out.put_u16(0);
        }
        out.put(columns);
    }

    /// Rows `rows` of a batch whose columns are those of the layout, in order. Whole packets go to `send` on the way.
    /// Panics if the batch has other columns, or a NULL where the layout says there is none.
    pub fn encode_rows<E>(
        &self,
        batch: &RowBatch,
        rows: Range<usize>,
        out: &mut PacketWriter,
        send: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        assert_eq!(batch.columns.len(), self.codecs.len(), "a batch of other columns");
        assert!(rows.end <= batch.rows, "rows past the batch");
        let has_nulls = batch.columns.iter().any(|column| !column.nulls.is_empty());
        if let (false, [codec], [column]) = (has_nulls, self.codecs.as_slice(), batch.columns.as_slice())
            && let ColumnData::I64(values) = &column.data
        {
            return self.encode_single_i64(*codec, &values[rows], out, send);
        }
        for row in rows {
            let spare = self.inline_bytes.and_then(|bytes| out.spare(bytes));
            if let Some(spare) = spare {
                let mut slice = Slice { bytes: spare, at: 0 };
                self.encode_row(batch, row, has_nulls, &mut slice);
                let count = slice.at;
                out.advance(count);
            } else if self.inline_bytes.is_some() {
                self.encode_row(batch, row, has_nulls, out);
            } else {
                self.encode_long_row(batch, row, has_nulls, out, send)?;
            }
            out.flush_full(send)?;
        }
        Ok(())
    }

    /// One row of one number: what the widest streams of rows are made of.
    fn encode_single_i64<E>(
        &self,
        codec: Codec,
        values: &[i64],
        out: &mut PacketWriter,
        send: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let bytes = self.inline_bytes.expect("a number is short");
        let mut rest = values;
        while let Some((first, tail)) = rest.split_first() {
            let fit = (out.room() / bytes).min(rest.len());
            if fit == 0 {
                out.put_u8(ROW);
                codec.put_i64(out, *first);
                rest = tail;
            } else {
                let (now, later) = rest.split_at(fit);
                let mut slice = Slice { bytes: out.spare(fit * bytes).expect("counted above"), at: 0 };
                put_i64_rows(codec, now, &mut slice);
                let count = slice.at;
                out.advance(count);
                rest = later;
            }
            out.flush_full(send)?;
        }
        Ok(())
    }

    /// ROW or NBCROW, whichever is shorter; the choice for row `row`.
    fn uses_bitmap(&self, batch: &RowBatch, row: usize) -> bool {
        let null_bytes: usize = self
            .codecs
            .iter()
            .zip(&batch.columns)
            .filter(|(_, column)| column.is_null(row))
            .map(|(codec, _)| codec.null_bytes())
            .sum();
        null_bytes > self.codecs.len().div_ceil(8)
    }

    fn put_bitmap(&self, batch: &RowBatch, row: usize, out: &mut impl Put) {
        out.put_u8(NBCROW);
        for columns in batch.columns.chunks(8) {
            let bits =
                columns.iter().enumerate().fold(0, |bits, (i, column)| bits | u8::from(column.is_null(row)) << i);
            out.put_u8(bits);
        }
    }

    #[inline]
    fn encode_row(&self, batch: &RowBatch, row: usize, has_nulls: bool, out: &mut impl Put) {
        if !has_nulls {
            out.put_u8(ROW);
            for (codec, column) in self.codecs.iter().zip(&batch.columns) {
                put_present(*codec, column, row, out);
            }
            return;
        }
        let bitmap = self.has_nbc_rows && self.uses_bitmap(batch, row);
        if bitmap {
            self.put_bitmap(batch, row, out);
        } else {
            out.put_u8(ROW);
        }
        for (codec, column) in self.codecs.iter().zip(&batch.columns) {
            if !column.is_null(row) {
                put_present(*codec, column, row, out);
            } else if !bitmap {
                codec.put_null(out);
            }
        }
    }

    /// A row that may hold long values: these go out in pieces.
    fn encode_long_row<E>(
        &self,
        batch: &RowBatch,
        row: usize,
        has_nulls: bool,
        out: &mut PacketWriter,
        send: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let bitmap = has_nulls && self.has_nbc_rows && self.uses_bitmap(batch, row);
        if bitmap {
            self.put_bitmap(batch, row, out);
        } else {
            out.put_u8(ROW);
        }
        for (codec, column) in self.codecs.iter().zip(&batch.columns) {
            if column.is_null(row) {
                if !bitmap {
                    codec.put_null(out);
                }
                continue;
            }
            match &column.data {
                ColumnData::Bytes { .. } if column.bytes(row).len() > PIECE_BYTES => {
                    put_pieces(*codec, column.bytes(row), out, send)?;
                }
                _ => put_present(*codec, column, row, out),
            }
        }
        Ok(())
    }
}

/// A long value: room is made between pieces, so that it never waits here as a whole.
pub(crate) fn put_pieces<E>(
    codec: Codec,
    bytes: &[u8],
    out: &mut PacketWriter,
    send: &mut impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    codec.put_bytes_prefix(out, bytes.len());
    for piece in bytes.chunks(PIECE_BYTES) {
        out.put(piece);
        out.flush_full(send)?;
    }
    if codec == Codec::Chunked && !bytes.is_empty() {
        out.put_u32(0);
    }
    Ok(())
}

#[inline]
fn put_present(codec: Codec, column: &Column, row: usize, out: &mut impl Put) {
    match &column.data {
        ColumnData::I64(values) => codec.put_i64(out, values[row]),
        ColumnData::F64(values) => codec.put_f64(out, values[row]),
        ColumnData::I128(values) => codec.put_i128(out, values[row]),
        ColumnData::Bytes { .. } => codec.put_bytes(out, column.bytes(row)),
    }
}

/// The token and the value as one store a row: a loop the compiler can keep in registers.
fn put_i64_rows(codec: Codec, values: &[i64], out: &mut Slice<'_>) {
    match codec {
        Codec::Int4 { sized: false } => values.iter().for_each(|value| {
            let [a, b, c, d] = (*value as i32).to_le_bytes();
            out.put_array([ROW, a, b, c, d]);
        }),
        Codec::Int4 { sized: true } => values.iter().for_each(|value| {
            let [a, b, c, d] = (*value as i32).to_le_bytes();
            out.put_array([ROW, 4, a, b, c, d]);
        }),
        Codec::Int8 { sized: false } => values.iter().for_each(|value| {
            let [a, b, c, d, e, f, g, h] = value.to_le_bytes();
            out.put_array([ROW, a, b, c, d, e, f, g, h]);
        }),
        Codec::Int8 { sized: true } => values.iter().for_each(|value| {
            let [a, b, c, d, e, f, g, h] = value.to_le_bytes();
            out.put_array([ROW, 8, a, b, c, d, e, f, g, h]);
        }),
        other => values.iter().for_each(|value| {
            out.put_u8(ROW);
            other.put_i64(out, *value);
        }),
    }
}

/// Part of a packet with room for all that will be written.
struct Slice<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl Put for Slice<'_> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    #[inline]
    fn put_array<const N: usize>(&mut self, bytes: [u8; N]) {
        self.bytes[self.at..self.at + N].copy_from_slice(&bytes);
        self.at += N;
    }
}

/// For tests and tools: the rows of a batch as bytes, without packets.
pub fn rows_to_bytes(layout: &RowLayout, batch: &RowBatch) -> Vec<u8> {
    let mut out = PacketWriter::new(crate::packet::PacketType::Response, crate::packet::PACKET_BYTES_MAX);
    let mut wire = Vec::new();
    let mut send = |bytes: &[u8]| -> Result<(), Infallible> {
        wire.extend_from_slice(bytes);
        Ok(())
    };
    let Ok(()) = layout.encode_rows(batch, 0..batch.rows, &mut out, &mut send);
    let Ok(()) = out.finish(&mut send);
    let mut reader = crate::packet::MessageReader::new(crate::packet::PacketType::BulkLoad, usize::MAX);
    let mut payload = Vec::new();
    reader.feed(&wire);
    reader.next(&mut payload).expect("our own packets");
    payload
}
