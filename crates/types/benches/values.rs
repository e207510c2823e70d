//! Nanoseconds of the hot paths: row images, keys, text comparison, decimals, conversions.
//! `cargo bench -p types`, perhaps with `--profile bench-dev`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::hash::{DefaultHasher, Hasher};
use std::hint::black_box;
use std::time::Instant;

use types::convert::{ConvertContext, NO_STYLE, convert};
use types::decimal::{Kernel, Operation, result_type};
use types::like::LikePattern;
use types::pause::Pacer;
use types::{Column, ColumnType, Datum, KeyColumn, KeyLayout, RowLayout, RowView, SqlType, collation, key, row};

/// Best of five rounds, in ns for each of `count` calls.
fn measure(name: &str, count: u32, mut body: impl FnMut(u32)) {
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        (0..count).for_each(&mut body);
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / count as f64);
    }
    println!("{name:48} {best:9.1} ns");
}

fn main() {
    rows();
    texts();
    numbers();
}

fn rows() {
    let types = [
        SqlType::BIGINT,
        SqlType::INT,
        SqlType::DATETIME,
        SqlType::varchar(50),
        SqlType::decimal(18, 2),
        SqlType::nvarchar(50),
    ];
    let layout = RowLayout::new(&types.map(ColumnType::nullable));
    let datums = [
        Datum::I64(123_456_789),
        Datum::I64(42),
        Datum::I64(1_170_000_000_000),
        Datum::bytes(b"a name of some length"),
        Datum::I128(123_456),
        Datum::nvarchar("another name"),
    ];
    let mut image = Vec::new();
    measure("encode a row of 6 columns", 1_000_000, |_| {
        image.clear();
        row::encode(&layout, black_box(&datums), &mut image);
    });
    measure("RowView::new", 5_000_000, |_| {
        black_box(RowView::new(&layout, black_box(&image)).unwrap());
    });
    let mut columns: Vec<Column> = layout.classes().map(Column::new).collect();
    measure("view and append 6 columns", 1_000_000, |index| {
        if index % 1024 == 0 {
            columns.iter_mut().for_each(Column::clear);
        }
        let view = RowView::new(&layout, black_box(&image)).unwrap();
        for (index, column) in columns.iter_mut().enumerate() {
            view.append_to(index, column);
        }
    });
    measure("view and append one bigint", 5_000_000, |index| {
        if index % 1024 == 0 {
            columns[0].clear();
        }
        RowView::new(&layout, black_box(&image)).unwrap().append_to(0, &mut columns[0]);
    });
    let mut out = Vec::new();
    for (name, ordinal) in [("bigint", 0), ("varchar, 21 characters", 3), ("nvarchar, 12 characters", 5)] {
        let key = KeyLayout::new(&layout, &[KeyColumn::ascending(ordinal)]);
        let view = RowView::new(&layout, &image).unwrap();
        measure(&format!("key of a {name}"), 2_000_000, |_| {
            out.clear();
            key::encode_key(&key, black_box(&view), &mut out);
        });
    }
}

fn texts() {
    let pairs = [
        (
            "varchar CI_AS, 20 equal but for case",
            SqlType::varchar(50),
            "SQL_Latin1_General_CP1_CI_AS",
            "Some Customer Name 1",
            "some customer name 1",
        ),
        (
            "nvarchar CI_AS, 20 equal",
            SqlType::nvarchar(50),
            "SQL_Latin1_General_CP1_CI_AS",
            "Some Customer Name 1",
            "Some Customer Name 1",
        ),
        (
            "nvarchar CI_AS, differ at 18",
            SqlType::nvarchar(50),
            "SQL_Latin1_General_CP1_CI_AS",
            "Some Customer Name 1",
            "Some Customer Nbme 1",
        ),
        (
            "nvarchar CI_AS with accents",
            SqlType::nvarchar(50),
            "Latin1_General_CI_AS",
            "Som\u{e9} Customer Nam\u{e9} 1",
            "Som\u{e9} Customer Nam\u{e9} 1",
        ),
        ("varchar BIN2", SqlType::varchar(50), "Latin1_General_BIN2", "Some Customer Name 1", "Some Customer Name 1"),
    ];
    for (name, ty, collation_name, a, b) in pairs {
        let ty = ty.with_collation(collation::lookup(collation_name).unwrap());
        let comparer = collation::comparer(&ty);
        let (a, b) = (types::convert::text_datum(a, &ty), types::convert::text_datum(b, &ty));
        let (a, b) = (a.as_bytes(), b.as_bytes());
        measure(&format!("compare {name}"), 2_000_000, |_| {
            black_box(comparer.compare(black_box(a), black_box(b)));
        });
        measure(&format!("hash    {name}"), 2_000_000, |_| {
            let mut hasher = DefaultHasher::new();
            comparer.hash(black_box(a), &mut hasher);
            black_box(hasher.finish());
        });
    }
    let ty = SqlType::varchar(50);
    let pattern = LikePattern::new(&ty, b"%name%", None, &mut Pacer::none()).unwrap();
    measure("LIKE '%name%' in 20 characters", 1_000_000, |_| {
        black_box(pattern.matches(black_box(b"Some Customer Name 1"), &mut Pacer::none()).unwrap());
    });
}

fn numbers() {
    let ty = SqlType::decimal(18, 2);
    for operation in [Operation::Add, Operation::Multiply, Operation::Divide] {
        let result = result_type(operation, &ty, &ty);
        let kernel = Kernel::new(operation, 2, 2, &result);
        measure(&format!("decimal(18,2) {operation:?}"), 2_000_000, |_| {
            black_box(kernel.apply(black_box(123_456_789), black_box(1_234)).unwrap());
        });
    }
    let wide = SqlType::decimal(38, 10);
    let kernel = Kernel::new(Operation::Divide, 10, 10, &result_type(Operation::Divide, &wide, &wide));
    measure("decimal(38,10) Divide, 38 digits", 1_000_000, |_| {
        black_box(
            kernel
                .apply(black_box(12_345_678_901_234_567_890_123_456_789_012), black_box(98_765_432_109_876_543_210))
                .unwrap(),
        );
    });
    let text = SqlType::varchar(30);
    let conversions = [
        ("int to varchar", SqlType::INT, text, Datum::I64(123_456)),
        ("varchar to int", text, SqlType::INT, Datum::bytes(b"123456")),
        ("varchar to datetime", text, SqlType::DATETIME, Datum::bytes(b"2024-03-05 12:13:14.567")),
        ("datetime to varchar", SqlType::DATETIME, text, Datum::I64(1_170_000_000_000)),
        ("varchar to nvarchar", text, SqlType::nvarchar(30), Datum::bytes(b"Some Customer Name 1")),
        ("float to varchar", SqlType::FLOAT, text, Datum::F64(1234.5678)),
        ("decimal to float", SqlType::decimal(18, 2), SqlType::FLOAT, Datum::I128(12_345_678)),
    ];
    for (name, from, to, value) in conversions {
        measure(&format!("convert {name}"), 500_000, |_| {
            black_box(convert(black_box(&value), &from, &to, NO_STYLE, &ConvertContext::CAST).unwrap());
        });
    }
}
