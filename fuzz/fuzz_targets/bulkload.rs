//! A bulk load in pieces chosen by the first byte.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tds::TdsVersion;
use tds::bulk::BulkReader;
use types::RowBatch;

fuzz_target!(|data: &[u8]| {
    let Some((piece, bytes)) = data.split_first() else { return };
    let version = if piece % 2 == 0 { TdsVersion::V7_4 } else { TdsVersion::V7_1 };
    let mut reader = BulkReader::new(version, 1 << 16);
    let mut left = bytes.len();
    for payload in bytes.chunks(usize::from(*piece).max(1)) {
        left -= payload.len();
        reader.feed(payload);
        while reader.columns().is_none() {
            match reader.read(&mut RowBatch::default(), 1, left == 0) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => return,
            }
        }
        let Some(columns) = reader.columns() else { continue };
        let mut batch = RowBatch::new(columns.iter().map(|column| column.info.sql_type.physical()));
        loop {
            batch.clear();
            match reader.read(&mut batch, 3, left == 0) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => return,
            }
        }
    }
});
