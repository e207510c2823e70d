//! COMPRESS and DECOMPRESS: the format GZIP (RFC 1952), with the header that SQL Server writes.

use std::io::Write as _;

use flate2::{Compression, Crc, Decompress, FlushDecompress, GzBuilder, Status};
use types::pause::STRIDE;
use types::{SqlResult, sql_error};

use super::given;
use crate::context::Context;
use crate::expression::general::Call;
use crate::kernel;
use crate::value::{Row, Value};

/// A string as its bytes lie; nothing of nothing.
pub fn compress<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    const FAT: u8 = 0;
    let bytes = given!(call.bytes(0, context, row));
    if bytes.is_empty() {
        return Ok(Value::owned(Vec::new()));
    }
    let mut encoder = GzBuilder::new().operating_system(FAT).write(Vec::new(), Compression::fast());
    context.pacer().chunks(&bytes, |chunk| encoder.write_all(chunk).expect("a Vec takes all"))?;
    Ok(Value::owned(encoder.finish().expect("a Vec takes all")))
}

/// The first member of the file. NULL for one that is cut off or holds nothing, or what is longer than a value may be; 9826 for what is not in
/// that format. Its checksum and length are checked if they are there; what is behind them does not count.
pub fn decompress<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let bytes = given!(call.bytes(0, context, row));
    if bytes.is_empty() {
        return Ok(Value::owned(Vec::new()));
    }
    let Some(packed) = behind_header(&bytes)? else { return Ok(Value::Null) };
    let pacer = &mut context.pacer();
    let (mut out, mut crc, mut inflate) = (Vec::new(), Crc::new(), Decompress::new(false));
    let trailer = loop {
        let (read, made) = (inflate.total_in() as usize, out.len());
        out.reserve(STRIDE);
        let status = inflate.decompress_vec(&packed[read..], &mut out, FlushDecompress::None);
        let status = status.map_err(|_| sql_error!(9826))?;
        pacer.spend(STRIDE)?;
        crc.update(&out[made..]);
        let rest = &packed[inflate.total_in() as usize..];
        if status == Status::StreamEnd {
            break rest;
        }
        let stands = out.len() == made && inflate.total_in() as usize == read;
        if stands || out.len() > kernel::VALUE_BYTES_MAX {
            return Ok(Value::Null);
        }
    };
    if let Some((sum, length)) = trailer.get(..8).map(|trailer| trailer.split_at(4)) {
        if crc.sum().to_le_bytes() != *sum || crc.amount().to_le_bytes() != *length {
            return Err(sql_error!(9826));
        }
    }
    Ok(if out.is_empty() { Value::Null } else { Value::owned(out) })
}

/// The stream behind the header. None: it ends before. What the header tells is skipped, and not checked.
fn behind_header(bytes: &[u8]) -> SqlResult<Option<&[u8]>> {
    const GZIP_DEFLATE: [u8; 3] = [0x1f, 0x8b, 8];
    const FIXED: usize = 10;
    const HEADER_CRC: u8 = 2;
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    if bytes.iter().zip(GZIP_DEFLATE).any(|(byte, wanted)| *byte != wanted) {
        return Err(sql_error!(9826));
    }
    let Some((fixed, mut rest)) = bytes.split_at_checked(FIXED) else { return Ok(None) };
    let flags = fixed[3];
    if flags & EXTRA != 0 {
        let Some(length) = rest.first_chunk() else { return Ok(None) };
        rest = rest.get(2 + usize::from(u16::from_le_bytes(*length))..).unwrap_or_default();
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            let end = rest.iter().position(|byte| *byte == 0);
            rest = end.map_or(&[], |end| &rest[end + 1..]);
        }
    }
    Ok(if flags & HEADER_CRC == 0 { Some(rest) } else { rest.get(2..) })
}
