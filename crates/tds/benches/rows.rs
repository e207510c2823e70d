//! How fast rows become packets, and packets rows: `cargo bench -p tds --profile bench-dev --bench rows`.
//! Prints ns a row and GB/s; compare runs of one machine only.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::convert::Infallible;
use std::hint::black_box;
use std::time::Instant;

use tds::column::flag;
use tds::token::{Token, TokenReader};
use tds::wire::Input;
use tds::{ColumnInfo, PacketType, PacketWriter, RowLayout, TdsVersion};
use types::{Datum, RowBatch, SqlType};

const BATCH_ROWS: usize = 1_024;

fn measure(name: &str, bytes_a_row: usize, rows_a_round: usize, mut round: impl FnMut()) {
    let rounds = (20_000_000 / bytes_a_row.max(8) / rows_a_round).max(3);
    let mut best = f64::MAX;
    for _ in 0..5 {
        let started = Instant::now();
        (0..rounds).for_each(|_| round());
        best = best.min(started.elapsed().as_nanos() as f64 / (rounds * rows_a_round) as f64);
    }
    println!("{name:<28} {best:9.2} ns/row {:7.2} M rows/s {:6.2} GB/s", 1e3 / best, bytes_a_row as f64 / best);
}

fn case(name: &str, types: &[(SqlType, u16)], row: &[Datum]) {
    let columns = types.iter().map(|(t, flags)| ColumnInfo::new("c", *t, *flags, TdsVersion::V7_4)).collect();
    let layout = RowLayout::new(columns, TdsVersion::V7_4);
    let mut batch = RowBatch::new(types.iter().map(|(t, _)| t.physical()));
    (0..BATCH_ROWS).for_each(|_| batch.push_row(row));
    let wire = tds::row::rows_to_bytes(&layout, &batch);
    let bytes_a_row = wire.len() / BATCH_ROWS;
    let mut out = PacketWriter::new(PacketType::Response, 8_000);
    let mut send = |bytes: &[u8]| {
        black_box(bytes);
        Ok::<(), Infallible>(())
    };
    measure(&format!("{name}: encode"), bytes_a_row, BATCH_ROWS, || {
        let Ok(()) = layout.encode_rows(&batch, 0..BATCH_ROWS, &mut out, &mut send);
    });
    let mut metadata = Vec::new();
    layout.encode_metadata(&mut metadata, false);
    for skip in [true, false] {
        let mut reader = TokenReader::new(TdsVersion::V7_4);
        reader.skip_rows = skip;
        reader.next(&mut Input::new(&metadata)).expect("our own columns");
        let verb = if skip { "skip" } else { "decode" };
        measure(&format!("{name}: {verb}"), bytes_a_row, BATCH_ROWS, || {
            let mut input = Input::new(&wire);
            while !input.is_empty() {
                let token = reader.next(&mut input).expect("our own rows");
                assert!(matches!(black_box(token), Token::Row(_) | Token::Rows(_)));
            }
        });
    }
}

fn main() {
    let mixed = [
        (SqlType::INT, 0),
        (SqlType::BIGINT, flag::NULLABLE),
        (SqlType::varchar(50), flag::NULLABLE),
        (SqlType::DATETIME, flag::NULLABLE),
        (SqlType::decimal(18, 2), flag::NULLABLE),
    ];
    let row =
        [Datum::I64(7), Datum::I64(-7), Datum::bytes(b"twenty characters ok"), Datum::I64(5), Datum::I128(12_345)];
    case("int not null", &[(SqlType::INT, 0)], &[Datum::I64(7)]);
    case("int null", &[(SqlType::INT, flag::NULLABLE)], &[Datum::I64(7)]);
    case("bigint null", &[(SqlType::BIGINT, flag::NULLABLE)], &[Datum::I64(7)]);
    case("five columns", &mixed, &row);
    case("five columns, two NULL", &mixed, &[Datum::I64(7), Datum::Null, Datum::Null, Datum::I64(5), Datum::I128(1)]);
    case("char(8000)", &[(SqlType::char(8000), 0)], &[Datum::bytes(&[b'x'; 8000])]);
    case("varchar(max) 100 KB", &[(SqlType::VARCHAR_MAX, 0)], &[Datum::bytes(&vec![b'x'; 100_000])]);
}
