//! sql_variant: its bytes and its order.

use std::cmp::Ordering;

use proptest::prelude::*;
use types::variant;
use types::{Datum, SqlType};

use crate::values;

fn int(value: i64) -> Vec<u8> {
    variant::encode(&SqlType::INT, &Datum::I64(value)).as_bytes().to_vec()
}

#[test]
fn families_decide_before_values() {
    let text = variant::encode(&SqlType::varchar(5), &Datum::bytes(b"zzz"));
    let float = variant::encode(&SqlType::FLOAT, &Datum::F64(-1e9));
    let decimal = variant::encode(&SqlType::decimal(5, 2), &Datum::I128(200));
    let bigint = variant::encode(&SqlType::BIGINT, &Datum::I64(2));
    assert_eq!(variant::compare(text.as_bytes(), &int(-5)), Ordering::Less);
    assert_eq!(variant::compare(float.as_bytes(), &int(5)), Ordering::Greater);
    assert_eq!(variant::compare(decimal.as_bytes(), &int(2)), Ordering::Equal);
    assert_eq!(variant::compare(bigint.as_bytes(), &int(3)), Ordering::Less);
    let (narrow, wide) = (SqlType::varchar(5), SqlType::nvarchar(5));
    let a = variant::encode(&narrow, &Datum::bytes(b"abc"));
    let b = variant::encode(&wide, &Datum::nvarchar("ABC"));
    assert_eq!(variant::compare(a.as_bytes(), b.as_bytes()), Ordering::Equal);
}

#[test]
fn bytes_are_those_of_the_wire() {
    let hex = |datum: Datum| datum.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(hex(variant::encode(&SqlType::INT, &Datum::I64(1))), "380001000000");
    assert_eq!(hex(variant::encode(&SqlType::MONEY, &Datum::I64(10_000))), "3c000000000010270000");
    assert_eq!(
        hex(variant::encode(&SqlType::decimal(5, 2), &Datum::I128(-1))),
        "6a0205020001000000000000000000000000000000"
    );
    assert_eq!(hex(variant::encode(&SqlType::varchar(3), &Datum::bytes(b"ab"))), "a7070904d0003403006162");
    assert_eq!(hex(variant::encode(&SqlType::time(0), &Datum::I64(10_000_000))), "290100010000");
}

proptest! {
    #[test]
    fn values_survive_a_variant((ty, datum) in values::typed()) {
        if variant::can_hold(&ty) && !datum.is_null() {
            let (back, value) = variant::decode(variant::encode(&ty, &datum).as_bytes()).unwrap();
            prop_assert_eq!(value, datum);
            prop_assert_eq!((back.kind, back.precision, back.scale), (ty.kind, ty.precision, ty.scale));
        }
    }

    #[test]
    fn any_bytes_decode_or_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..40), token in any::<prop::sample::Index>()) {
        let tokens = [0x24, 0x28, 0x29, 0x2a, 0x2b, 0x38, 0x3c, 0x3d, 0x6a, 0xa7, 0xe7];
        let mut bytes = bytes;
        if let Some(first) = bytes.first_mut() {
            *first = tokens[token.index(tokens.len())];
        }
        variant::decode(&bytes);
        variant::key(&bytes, &mut Vec::new());
    }
}
