//! Order, equality, names and code pages of collations.

use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hasher};

use proptest::prelude::*;
use types::collation::{self, CodePage, code_page};
use types::{CollationId, SqlType};

use crate::values;

fn id(name: &str) -> CollationId {
    collation::lookup(name).unwrap_or_else(|| panic!("no collation {name}"))
}

fn compare(name: &str, ty: SqlType, a: &str, b: &str) -> Ordering {
    let ty = ty.with_collation(id(name));
    let (a, b) = (values::text_datum(&ty, a), values::text_datum(&ty, b));
    collation::compare(&ty, a.as_bytes(), b.as_bytes())
}

#[test]
fn collations_that_have_names_of_their_own() {
    for (id, name) in [
        (CollationId::SQL_LATIN1_GENERAL_CP1_CI_AS, "SQL_Latin1_General_CP1_CI_AS"),
        (CollationId::LATIN1_GENERAL_BIN2, "Latin1_General_BIN2"),
        (CollationId::LATIN1_GENERAL_100_BIN2_UTF8, "Latin1_General_100_BIN2_UTF8"),
        (CollationId::LATIN1_GENERAL_CI_AS, "Latin1_General_CI_AS"),
    ] {
        assert_eq!(id.name(), name);
    }
}

/// What cp1252 lacks becomes what looks like it: https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/WindowsBestFit/bestfit1252.txt
#[test]
fn nearest_characters() {
    let mut bytes = Vec::new();
    code_page::encode_str(CodePage::LATIN1, "１⁵₀∖∞δε₡₤☼\u{2007}\u{202f}\u{3000}−Ł₹٣½", &mut bytes);
    assert_eq!(bytes, b"150\\8de\xa2\xa3\xa4\xa0\xa0 -L??\xbd");
}

#[test]
fn order_and_equality() {
    let (v, n) = (SqlType::varchar(20), SqlType::nvarchar(20));
    let default = "SQL_Latin1_General_CP1_CI_AS";
    // `a = b` or a list in order.
    let cases: &[(&str, SqlType, &str)] = &[
        (default, v, "abc = ABC"),
        (default, v, "abc = abc   "),
        (default, v, "a < aa < a\u{e9} < B < c"),
        (default, v, "resume < r\u{e9}sum\u{e9}"),
        (default, v, "a-b < aab"),
        (default, v, "_ < 0 < 9 < a"),
        (default, n, "co-op = CO-OP"),
        (default, n, "coo < coop < co-op < coos"),
        (default, n, "ma\u{df} = MASS"),
        (default, v, "mass < ma\u{df}"),
        ("SQL_Latin1_General_CP1_CI_AI", v, "resume = R\u{c9}SUM\u{c9}"),
        ("SQL_Latin1_General_CP1_CS_AS", v, "A < a < B < b"),
        ("Latin1_General_CS_AS", n, "a < A < b < B"),
        ("Latin1_General_CI_AI", n, "\u{c5}ngstr\u{f6}m = angstrom"),
        ("Latin1_General_CI_AS", n, "e\u{301} = \u{e9}"),
        ("Latin1_General_CI_AS", n, "\u{ff21} = a"),
        ("Latin1_General_CI_AS_WS", n, "a < \u{ff21}"),
        ("Latin1_General_BIN2", n, "A < B < a < b"),
        ("Latin1_General_BIN", v, "A < B < a < b"),
        ("Latin1_General_BIN2", v, "a = a  "),
        ("Turkish_CI_AS", n, "\u{131} = I"),
        ("Turkish_CI_AS", v, "i = \u{130}"),
        ("Turkish_CI_AS", n, "\u{131} < i < j"),
        ("Finnish_Swedish_CI_AS", v, "z < \u{e5} < \u{e4} < \u{f6}"),
        ("Danish_Norwegian_CI_AS", v, "z < \u{e6} < \u{f8} < \u{e5}"),
        ("Modern_Spanish_CI_AS", v, "nz < \u{f1}a < o"),
        ("Polish_CI_AS", v, "lz < \u{142}a < m"),
        ("Vietnamese_CI_AS", n, "az < \u{103} < \u{e2} < b"),
        ("Japanese_CI_AS", n, "\u{304b} = \u{30ab}"),
        ("Japanese_CI_AS_KS", n, "\u{304b} < \u{30ab}"),
        ("Greek_CI_AS", n, "\u{3c3} = \u{3c2}"),
        ("Cyrillic_General_CI_AS", v, "\u{430} = \u{410}"),
        ("Latin1_General_100_CI_AS_SC_UTF8", v, "\u{e9} = \u{c9}"),
        ("Latin1_General_100_BIN2_UTF8", v, "z < \u{e9} < \u{1f600}"),
    ];
    for (name, ty, text) in cases {
        let separator = if text.contains(" = ") { " = " } else { " < " };
        let expected = if separator == " = " { Ordering::Equal } else { Ordering::Less };
        let words: Vec<&str> = text.split(separator).collect();
        for pair in words.windows(2) {
            assert_eq!(compare(name, *ty, pair[0], pair[1]), expected, "{name} {:?}: {pair:?}", ty.kind);
            assert_eq!(compare(name, *ty, pair[1], pair[0]), expected.reverse(), "{name}: {pair:?} turned");
        }
    }
}

#[test]
fn every_collation_has_a_name_that_finds_it() {
    let mut count = 0;
    for collation in collation::all() {
        let name = collation.name();
        assert!(collation.is_valid(), "{name}");
        assert_eq!(collation::lookup(&name), Some(collation), "{name}");
        assert_eq!(collation::lookup(&name.to_lowercase()), Some(collation), "{name}");
        let back = CollationId::from_tds(&collation.to_tds()).map(CollationId::get).expect("a collation");
        assert_eq!(back.code_page, collation.get().code_page, "{name}");
        count += 1;
    }
    assert!(count > 3000, "{count}");
    for wrong in ["", "Latin1_General", "Latin1_General_CI", "Latin1_General_CI_AS_XX", "Nonsense_CI_AS", "\u{e9}_BIN"]
    {
        assert_eq!(collation::lookup(wrong), None, "{wrong}");
    }
    for number in 0..=u16::MAX {
        if CollationId(number).is_valid() {
            CollationId(number).get();
            CollationId(number).name();
        }
    }
}

#[test]
fn five_bytes_on_the_wire() {
    let cases = [
        ("SQL_Latin1_General_CP1_CI_AS", [0x09, 0x04, 0xd0, 0x00, 0x34]),
        ("Latin1_General_CI_AS", [0x09, 0x04, 0xd0, 0x00, 0x00]),
        ("Latin1_General_BIN", [0x09, 0x04, 0x00, 0x01, 0x00]),
        ("Latin1_General_BIN2", [0x09, 0x04, 0x00, 0x02, 0x00]),
        ("Latin1_General_100_CI_AS_SC_UTF8", [0x09, 0x04, 0xd0, 0x24, 0x00]),
        ("Chinese_PRC_CI_AS", [0x04, 0x08, 0xd0, 0x00, 0x00]),
    ];
    for (name, bytes) in cases {
        assert_eq!(id(name).to_tds(), bytes, "{name}");
    }
}

#[test]
fn code_pages_convert_both_ways() {
    let cases: &[(u16, &str, &[u8])] = &[
        (1252, "caf\u{e9} \u{20ac}", b"caf\xe9 \x80"),
        (1252, "\u{141}\u{f3}d\u{17a}", b"L\xf3dz"),
        (1252, "\u{1f600}", b"??"),
        (1250, "\u{141}\u{f3}d\u{17a}", b"\xa3\xf3d\x9f"),
        (1251, "\u{43c}\u{438}\u{440}", b"\xec\xe8\xf0"),
        (932, "\u{65e5}\u{672c}", b"\x93\xfa\x96\x7b"),
        (936, "\u{4e2d}", b"\xd6\xd0"),
        (949, "\u{d55c}", b"\xc7\xd1"),
        (950, "\u{4e2d}", b"\xa4\xa4"),
        (874, "\u{e01}", b"\xa1"),
        (437, "\u{e9}\u{3b1}", b"\x82\xe0"),
        (850, "\u{e9}\u{d8}", b"\x82\x9d"),
        (65001, "\u{e9}\u{1f600}", "\u{e9}\u{1f600}".as_bytes()),
    ];
    for &(number, text, bytes) in cases {
        let (mut encoded, mut utf16, mut from_utf16) = (Vec::new(), Vec::new(), Vec::new());
        code_page::encode_str(CodePage(number), text, &mut encoded);
        assert_eq!(encoded, bytes, "{number} {text}");
        code_page::push_utf16(text, &mut utf16);
        code_page::encode(CodePage(number), &utf16, &mut from_utf16);
        assert_eq!(from_utf16, bytes, "{number} {text}");
    }
    for page in [437, 850, 874, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258] {
        let all: Vec<u8> = (0..=255).collect();
        let (mut utf16, mut back) = (Vec::new(), Vec::new());
        code_page::decode(CodePage(page), &all, &mut utf16);
        code_page::encode(CodePage(page), &utf16, &mut back);
        assert_eq!(back, all, "code page {page}");
        assert_eq!(code_page::decode_str(CodePage(page), &all).chars().count(), 256);
    }
}

fn hash(ty: &SqlType, bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    collation::comparer(ty).hash(bytes, &mut hasher);
    hasher.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn comparison_is_an_order_and_equal_text_hashes_equal(
        collation in values::collation(),
        wide in any::<bool>(),
        texts in prop::array::uniform3(values::text()),
    ) {
        let ty = if wide { SqlType::nvarchar(20) } else { SqlType::varchar(20) }.with_collation(collation);
        let [a, b, c] = texts.map(|text| values::text_datum(&ty, &text));
        let (a, b, c) = (a.as_bytes(), b.as_bytes(), c.as_bytes());
        let order = |x, y| collation::compare(&ty, x, y);
        prop_assert_eq!(order(a, a), Ordering::Equal);
        prop_assert_eq!(order(a, b), order(b, a).reverse());
        if order(a, b) != Ordering::Greater && order(b, c) != Ordering::Greater {
            prop_assert_ne!(order(a, c), Ordering::Greater);
        }
        if order(a, b) == Ordering::Equal {
            prop_assert_eq!(hash(&ty, a), hash(&ty, b));
        }
    }

    #[test]
    fn any_bytes_compare(
        collation in values::collation(),
        wide in any::<bool>(),
        a in prop::collection::vec(any::<u8>(), 0..20),
        b in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let ty = if wide { SqlType::nvarchar(20) } else { SqlType::varchar(20) }.with_collation(collation);
        let order = collation::compare(&ty, &a, &b);
        let (mut x, mut y) = (Vec::new(), Vec::new());
        collation::comparer(&ty).key(&a, &mut x);
        collation::comparer(&ty).key(&b, &mut y);
        prop_assert_eq!(x.cmp(&y), order);
    }
}

/// What is ASCII alone is not looked up: it is the same beside other characters.
#[test]
fn ascii_is_the_same_in_every_code_page() {
    for number in [437, 850, 874, 932, 936, 949, 950, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258, 65001] {
        let code_page = CodePage(number);
        for byte in 0..128_u8 {
            for (text, length) in [(&[byte][..], 1), (&[b'x', byte, 0xc3, 0xa9], 2)] {
                let mut utf16 = Vec::new();
                code_page::decode(code_page, text, &mut utf16);
                assert_eq!(utf16[2 * length - 2..2 * length], [byte, 0], "{byte} in {number}");
                let shown = code_page::decode_str(code_page, text);
                assert_eq!(shown.as_bytes()[length - 1], byte, "{byte} in {number}");
                let (mut again, mut of_text) = (Vec::new(), Vec::new());
                code_page::encode(code_page, &utf16, &mut again);
                code_page::encode_str(code_page, &shown, &mut of_text);
                assert!(
                    again.starts_with(&text[..length]) && of_text.starts_with(&text[..length]),
                    "{byte} in {number}"
                );
                assert_eq!(code_page::utf16_to_string(&utf16), shown);
                let mut wide = Vec::new();
                code_page::push_utf16(&shown, &mut wide);
                assert_eq!(wide, utf16);
            }
        }
    }
}
