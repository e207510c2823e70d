//! The row image: its bytes, round trips, damage.

use proptest::prelude::*;
use types::row::{self, Field, OverflowRef};
use types::{Column, ColumnType, Datum, RowBuilder, RowLayout, RowView, SqlType};

use crate::values;

fn layout(types: &[SqlType]) -> RowLayout {
    RowLayout::new(&types.iter().map(|&ty| values::column(ty)).collect::<Vec<_>>())
}

fn image(layout: &RowLayout, row: &[Datum]) -> Vec<u8> {
    let mut out = Vec::new();
    row::encode(layout, row, &mut out);
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_bytes_of_an_image_stay_as_drawn() {
    let cases: &[(&[SqlType], &[Datum], &str)] = &[
        (&[SqlType::INT], &[Datum::I64(-2)], "0100 feffffff 00"),
        (
            &[SqlType::varchar(5), SqlType::BIT, SqlType::varchar(5)],
            &[Datum::bytes(b"ab"), Datum::I64(1), Datum::Null],
            "0300 01 04 0200 0200 6162",
        ),
        (&[SqlType::decimal(5, 2)], &[Datum::I128(-123)], "0100 007b000000 00"),
        (&[SqlType::datetime2(3)], &[Datum::I64(864_000_000_000 + 10_000)], "0100 01000000010000 00"),
        (
            &[SqlType::char(3), SqlType::nchar(2)],
            &[Datum::bytes(b"x"), Datum::nvarchar("y")],
            "0200 782020 79002000 00",
        ),
    ];
    for (types, row, expected) in cases {
        assert_eq!(hex(&image(&layout(types), row)), expected.replace(' ', ""), "{types:?}");
    }
}

#[test]
fn columns_added_later_read_as_null() {
    let old = layout(&[SqlType::INT, SqlType::varchar(9)]);
    let bytes = image(&old, &[Datum::I64(7), Datum::bytes(b"seven")]);
    let new = layout(&[SqlType::INT, SqlType::varchar(9), SqlType::BIGINT, SqlType::varchar(9)]);
    let view = RowView::new(&new, &bytes).unwrap();
    assert_eq!((view.i64(0), view.bytes(1), view.is_null(2), view.is_null(3)), (7, &b"seven"[..], true, true));
    assert!(RowView::new(&old, &image(&new, &[Datum::I64(1), Datum::Null, Datum::Null, Datum::Null])).is_err());
}

#[test]
fn a_reference_takes_the_place_of_a_long_value() {
    let layout = layout(&[SqlType::VARBINARY_MAX, SqlType::VARCHAR_MAX, SqlType::varchar(9)]);
    let reference: OverflowRef = std::array::from_fn(|index| index as u8);
    let mut out = vec![9];
    let mut builder = RowBuilder::new(&layout, &mut out);
    builder.push_overflow(&reference);
    builder.push_bytes(b"here");
    builder.push_null();
    let size = builder.finish();
    assert_eq!(size + 1, out.len());
    let view = RowView::new(&layout, &out[1..]).unwrap();
    assert!(view.has_overflow());
    assert_eq!(view.field(0), Field::Overflow(&reference));
    assert_eq!((view.overflow(0), view.overflow(1)), (Some(&reference), None));
    let mut column = Column::new(types::Physical::Bytes);
    assert_eq!(view.append_to(0, &mut column), Some(&reference));
    assert_eq!(view.append_to(1, &mut column), None);
    assert_eq!((column.len(), column.bytes(0)), (1, &b"here"[..]));
}

#[test]
fn long_values_widen_the_ends() {
    let layout = layout(&[SqlType::varchar(9), SqlType::VARCHAR_MAX, SqlType::INT, SqlType::NVARCHAR_MAX]);
    let row = [Datum::bytes(b"short"), Datum::bytes(&[b'x'; 40_000]), Datum::I64(3), Datum::bytes(&[b'y'; 70_000])];
    let bytes = image(&layout, &row);
    assert_eq!(bytes.len(), layout.encoded_bytes(&row));
    let view = RowView::new(&layout, &bytes).unwrap();
    for (index, datum) in row.iter().enumerate() {
        assert!(view.datum(index) == *datum, "column {index}");
    }
}

proptest! {
    #[test]
    fn rows_survive_a_round_trip(row in prop::collection::vec(values::typed(), 0..12)) {
        let (types, datums): (Vec<SqlType>, Vec<Datum>) = row.into_iter().unzip();
        let layout = layout(&types);
        let bytes = image(&layout, &datums);
        prop_assert_eq!(bytes.len(), layout.encoded_bytes(&datums));
        let view = RowView::new(&layout, &bytes).unwrap();
        for (index, datum) in datums.iter().enumerate() {
            prop_assert_eq!(&view.datum(index), datum);
            let mut column = Column::new(types[index].physical());
            prop_assert!(view.append_to(index, &mut column).is_none());
            prop_assert_eq!(&column.datum(0), datum);
        }
        let (again, size) = RowLayout::from_bytes(&layout.to_bytes()).unwrap();
        prop_assert_eq!(size, layout.to_bytes().len());
        prop_assert_eq!(again, layout);
    }

    #[test]
    fn damaged_images_are_refused_or_read_without_a_panic(
        row in prop::collection::vec(values::typed(), 1..8),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let (types, datums): (Vec<SqlType>, Vec<Datum>) = row.into_iter().unzip();
        let layout = layout(&types);
        let mut bytes = image(&layout, &datums);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let short = &bytes[..cut.index(bytes.len())];
        for image in [&bytes[..], short] {
            if let Ok(view) = RowView::new(&layout, image) {
                for (index, ty) in types.iter().enumerate() {
                    if view.overflow(index).is_none() {
                        view.datum(index);
                        let mut column = Column::new(ty.physical());
                        view.append_to(index, &mut column);
                    }
                }
            }
        }
    }

    #[test]
    fn any_bytes_as_a_layout(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = RowLayout::from_bytes(&bytes);
    }
}

#[test]
#[should_panic(expected = "NOT NULL")]
fn null_in_a_not_null_column_is_a_bug() {
    let layout = RowLayout::new(&[ColumnType::not_null(SqlType::INT)]);
    image(&layout, &[Datum::Null]);
}
