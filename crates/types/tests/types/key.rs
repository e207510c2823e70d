//! Key order against value order.

use std::cmp::Ordering;

use proptest::prelude::*;
use types::fixed::uuid_order;
use types::key::{KeyCodec, encode_datum, encode_key, encode_prefix, encode_row_key};
use types::{Datum, KeyColumn, KeyLayout, RowLayout, RowView, SqlType, TypeKind, collation};

use crate::values;

fn part(ty: &SqlType, descending: bool, value: &Datum) -> Vec<u8> {
    let mut out = Vec::new();
    encode_datum(ty, descending, value, &mut out);
    out
}

/// The order written down a second time, as slowly as it likes.
fn model(ty: &SqlType, a: &Datum, b: &Datum) -> Ordering {
    match (a, b) {
        (Datum::Null, Datum::Null) => Ordering::Equal,
        (Datum::Null, _) => Ordering::Less,
        (_, Datum::Null) => Ordering::Greater,
        (Datum::I64(a), Datum::I64(b)) => a.cmp(b),
        (Datum::F64(a), Datum::F64(b)) => a.partial_cmp(b).expect("no NaN"),
        (Datum::I128(a), Datum::I128(b)) => match ty.kind {
            TypeKind::UniqueIdentifier => uuid_order(*a).cmp(&uuid_order(*b)),
            TypeKind::DateTimeOffset => (a >> 16).cmp(&(b >> 16)),
            _ => a.cmp(b),
        },
        (Datum::Bytes(a), Datum::Bytes(b)) if ty.is_string() => collation::compare(ty, a, b),
        (Datum::Bytes(a), Datum::Bytes(b)) => {
            let size = a.len().max(b.len());
            let padded = |v: &[u8]| [v, &vec![0; size - v.len()]].concat();
            padded(a).cmp(&padded(b))
        }
        _ => panic!("values of two classes"),
    }
}

/// Two values of one type.
fn pair() -> impl Strategy<Value = (SqlType, Datum, Datum)> {
    prop::collection::vec(values::typed(), 40).prop_filter_map("no two of one type", |all| {
        let (ty, a) = all[0].clone();
        let b = all[1..].iter().find(|other| other.0 == ty)?;
        Some((ty, a, b.1.clone()))
    })
}

fn strings() -> impl Strategy<Value = (SqlType, Datum, Datum)> {
    let ty = prop::sample::select(vec![SqlType::varchar(40), SqlType::nvarchar(40)]);
    (ty, values::collation(), values::text(), values::text()).prop_map(|(ty, collation, a, b)| {
        let ty = ty.with_collation(collation);
        (ty, values::text_datum(&ty, &a), values::text_datum(&ty, &b))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn key_order_is_value_order((ty, a, b) in prop_oneof![pair().boxed(), strings().boxed()]) {
        let order = model(&ty, &a, &b);
        let (x, y) = (part(&ty, false, &a), part(&ty, false, &b));
        prop_assert_eq!(x.cmp(&y), order, "{:?}", ty);
        prop_assert_eq!(part(&ty, true, &a).cmp(&part(&ty, true, &b)), order.reverse());
        // No part is the beginning of another, and 00 and FF stay outside.
        prop_assert!(order == Ordering::Equal || !x.starts_with(&y) && !y.starts_with(&x));
        for descending in [false, true] {
            prop_assert!(!matches!(part(&ty, descending, &a)[0], 0 | 0xff));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_key_s_beginning_is_what_the_key_begins_with(
        (ty, a, b) in strings(),
        times in 1_usize..6,
        limit in 1_usize..24,
        descending in any::<bool>(),
    ) {
        let codec = KeyCodec::new(&ty, descending);
        for value in [a.as_bytes().repeat(times), [a.as_bytes(), b.as_bytes()].concat()] {
            let (mut whole, mut start) = (Vec::new(), Vec::new());
            codec.encode_bytes(&value, &mut whole);
            let is_whole = codec.encode_bytes_start(&value, limit, &mut start);
            prop_assert!(whole.starts_with(&start), "{:?}: {:x?} of {:x?}", ty, start, whole);
            prop_assert_eq!(is_whole, start.len() == whole.len());
            prop_assert!(is_whole || start.len() >= limit);
        }
    }
}

proptest! {
    #[test]
    fn a_row_and_its_datums_have_one_key(row in prop::collection::vec(values::typed(), 1..6), descending in any::<bool>()) {
        let (types, datums): (Vec<SqlType>, Vec<Datum>) = row.into_iter().unzip();
        let layout = RowLayout::new(&types.iter().map(|&ty| values::column(ty)).collect::<Vec<_>>());
        let columns: Vec<KeyColumn> =
            (0..types.len() as u16).rev().map(|ordinal| KeyColumn { ordinal, descending }).collect();
        let key = KeyLayout::new(&layout, &columns);
        let mut image = Vec::new();
        types::row::encode(&layout, &datums, &mut image);
        let (mut from_row, mut from_datums, mut from_prefix) = (Vec::new(), Vec::new(), Vec::new());
        encode_key(&key, &RowView::new(&layout, &image).unwrap(), &mut from_row);
        encode_row_key(&key, &datums, &mut from_datums);
        let values: Vec<Datum> = datums.iter().rev().cloned().collect();
        encode_prefix(&key, &values, &mut from_prefix);
        prop_assert_eq!(&from_row, &from_datums);
        prop_assert_eq!(&from_row, &from_prefix);
        let (again, _) = KeyLayout::from_bytes(&layout, &key.to_bytes()).unwrap();
        prop_assert_eq!(again.columns(), key.columns());
    }
}

#[test]
fn uniqueidentifiers_sort_by_their_last_group_first() {
    let wire = |text: &str| {
        let bytes: Vec<u8> = (0..16).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect();
        Datum::I128(i128::from_le_bytes(bytes.try_into().unwrap()))
    };
    // Each line is below the next.
    let ordered = [
        "00000001000000000000000000000000",
        "01000000000000000000000000000000",
        "00000000010000000000000000000000",
        "00000000000001000000000000000000",
        "00000000000000000001000000000000",
        "00000000000000000000000000000001",
        "00000000000000000000010000000000",
    ];
    let keys: Vec<Vec<u8>> = ordered.iter().map(|text| part(&SqlType::UNIQUEIDENTIFIER, false, &wire(text))).collect();
    assert!(keys.is_sorted(), "{keys:?}");
}

#[test]
fn the_part_of_a_number_is_what_is_appended() {
    for (ty, numbers) in [
        (SqlType::BIGINT, [i64::MIN, -2, 0, 0x0102_0304_0506_0708, i64::MAX]),
        (SqlType::INT, [i32::MIN.into(), -2, 0, 0x0102_0304, i32::MAX.into()]),
        (SqlType::TINYINT, [0, 1, 2, 127, 255]),
    ] {
        for (number, descending) in numbers.into_iter().flat_map(|number| [(number, false), (number, true)]) {
            let codec = KeyCodec::new(&ty, descending);
            let mut appended = Vec::new();
            codec.encode_i64(number, &mut appended);
            let (part, length) = codec.integer_part(number);
            assert_eq!(part[..length], appended, "{ty:?} {number} {descending}");
            let (first, word, bytes) = codec.integer_word(number);
            assert_eq!([&[first], &word.to_be_bytes()[..bytes]].concat(), appended, "{ty:?} {number} {descending}");
        }
    }
}
