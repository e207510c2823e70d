//! LIKE against full backtracking, and searching.

use proptest::prelude::*;
use types::SqlType;
use types::collation::{self, Comparer};
use types::like::{LikePattern, find};

use crate::values;

fn ty(unicode: bool, collation_name: &str) -> SqlType {
    let ty = if unicode { SqlType::nvarchar(4000) } else { SqlType::varchar(8000) };
    ty.with_collation(collation::lookup(collation_name).expect(collation_name))
}

fn bytes(ty: &SqlType, text: &str) -> Vec<u8> {
    values::text_datum(ty, text).as_bytes().to_vec()
}

fn like(ty: &SqlType, text: &str, pattern: &str, escape: Option<&str>) -> bool {
    let escape = escape.map(|escape| bytes(ty, escape));
    LikePattern::new(ty, &bytes(ty, pattern), escape.as_deref()).unwrap().matches(&bytes(ty, text))
}

const DEFAULT: &str = "SQL_Latin1_General_CP1_CI_AS";

#[test]
fn patterns() {
    // text, pattern, escape, whether it matches
    let cases: &[(&str, &str, Option<&str>, bool)] = &[
        ("abc", "abc", None, true),
        ("ABC", "abc", None, true),
        ("abc", "a%", None, true),
        ("abc", "%c", None, true),
        ("abc", "%b%", None, true),
        ("abc", "%%", None, true),
        ("", "%", None, true),
        ("", "", None, true),
        ("", "_", None, false),
        ("abc", "___", None, true),
        ("abc", "__", None, false),
        ("abc", "a_c", None, true),
        ("abcabd", "%ab_", None, true),
        ("aab", "a%ab", None, true),
        ("ab", "a%ab", None, false),
        ("mississippi", "m%iss%ip%i", None, true),
        ("mississippi", "m%iss%ipx%", None, false),
        ("b", "[a-c]", None, true),
        ("d", "[a-c]", None, false),
        ("d", "[^a-c]", None, true),
        ("B", "[a-c]", None, true),
        ("-", "[a-]", None, true),
        ("-", "[-a]", None, true),
        ("5%", "5[%]", None, true),
        ("5x", "5[%]", None, false),
        ("[", "[[]", None, true),
        ("]", "]", None, true),
        ("a_b", "a!_b", Some("!"), true),
        ("axb", "a!_b", Some("!"), false),
        ("a!b", "a!!b", Some("!"), true),
        ("a]", "a[!]]", Some("!"), true),
        ("a", "a!", Some("!"), false),
        ("a[", "a[", None, false),
        ("a", "[", None, false),
        ("x", "[^]", None, true),
        ("\u{e9}", "[e-f]", None, true),
        ("re-do", "re-do", None, true),
        ("redo", "re-do", None, false),
        ("it's", "it_s", None, true),
        ("na\u{ef}ve", "naive", None, false),
        ("stra\u{df}e", "stra_e", None, true),
        ("a b", "a b", None, true),
    ];
    for unicode in [false, true] {
        let ty = ty(unicode, DEFAULT);
        for (text, pattern, escape, expected) in cases {
            assert_eq!(like(&ty, text, pattern, *escape), *expected, "{text:?} LIKE {pattern:?} unicode {unicode}");
        }
    }
}

#[test]
fn blanks_and_collations() {
    let (ansi, unicode) = (ty(false, DEFAULT), ty(true, DEFAULT));
    assert!(like(&ansi, "abc  ", "abc", None));
    assert!(!like(&unicode, "abc  ", "abc", None));
    assert!(!like(&ansi, "abc", "abc ", None));
    assert!(like(&unicode, "e\u{301}x", "\u{e9}x", None));
    assert!(!like(&ty(false, "Latin1_General_CS_AS"), "ABC", "abc", None));
    assert!(!like(&ty(true, "Latin1_General_BIN2"), "ABC", "a%", None));
    assert!(like(&ty(true, "Latin1_General_BIN2"), "abc", "[a-b]%", None));
    assert!(!like(&ty(true, "Latin1_General_BIN2"), "Bc", "[a-b]%", None));
    assert!(like(&ty(true, "Latin1_General_CI_AI"), "na\u{ef}ve", "NAIVE", None));
    assert!(like(&ty(false, "Latin1_General_100_CI_AS_SC_UTF8"), "\u{20ac}5", "_5", None));
    assert!(like(&ty(false, "Japanese_CI_AS"), "\u{65e5}\u{672c}", "_\u{672c}", None));
    let ty = ansi;
    assert_eq!(LikePattern::new(&ty, b"a", Some(b"ab")).unwrap_err().number, 506);
    assert_eq!(LikePattern::new(&ty, b"a", Some(b"")).unwrap_err().number, 506);
}

#[test]
fn places() {
    let ty = ty(false, DEFAULT);
    let patindex =
        |pattern: &str, text: &str| LikePattern::new(&ty, pattern.as_bytes(), None).unwrap().find(text.as_bytes());
    assert_eq!(patindex("%b[0-9]%", "aBcb7"), Some(3));
    assert_eq!(patindex("%x%", "abc"), None);
    assert_eq!(patindex("abc", "abc"), Some(0));
    assert_eq!(patindex("b%", "abc"), None);
    assert_eq!(patindex("%c", "abcabc"), Some(5));
    let comparer = collation::comparer(&ty);
    assert_eq!(find(&comparer, b"xABcabc", b"abc", 0), Some(1..4));
    assert_eq!(find(&comparer, b"xABcabc", b"abc", 2), Some(4..7));
    assert_eq!(find(&comparer, b"xABc", b"", 0), None);
    assert_eq!(find(&comparer, b"xABc", b"d", 9), None);
}

/// Backtracks over everything: slow, and obviously right.
fn model(comparer: &Comparer, text: &str, pattern: &[char]) -> bool {
    let equal = |a: char, b: char| comparer.equal(a.to_string().as_bytes(), b.to_string().as_bytes());
    match pattern {
        [] => text.trim_end_matches(' ').is_empty(),
        ['%', rest @ ..] => (0..=text.len()).any(|at| model(comparer, &text[at..], rest)),
        ['_', rest @ ..] => !text.is_empty() && model(comparer, &text[1..], rest),
        [c, rest @ ..] => {
            text.chars().next().is_some_and(|first| equal(first, *c) && (first == ' ') == (*c == ' '))
                && model(comparer, &text[1..], rest)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn matching_agrees_with_full_backtracking(text in "[abAB ]{0,9}", pattern in "[abB%_ ]{0,7}") {
        let ty = ty(false, DEFAULT);
        let chars: Vec<char> = pattern.chars().collect();
        let expected = model(&collation::comparer(&ty), &text, &chars);
        prop_assert_eq!(like(&ty, &text, &pattern, None), expected);
        let patindex = LikePattern::new(&ty, pattern.as_bytes(), None).unwrap().find(text.as_bytes());
        prop_assert_eq!(patindex.is_some(), expected);
    }

    #[test]
    fn any_pattern_compiles(collation in values::collation(), unicode in any::<bool>(), pattern in prop::collection::vec(any::<u8>(), 0..20), text in prop::collection::vec(any::<u8>(), 0..20)) {
        let ty = if unicode { SqlType::nvarchar(20) } else { SqlType::varchar(20) }.with_collation(collation);
        let pattern = LikePattern::new(&ty, &pattern, None).unwrap();
        pattern.matches(&text);
        pattern.find(&text);
    }
}

#[test]
fn hostile_patterns_take_no_exponential_time() {
    let ty = ty(false, DEFAULT);
    let pattern = "%a".repeat(200) + "b";
    let text = "a".repeat(8000);
    assert!(!like(&ty, &text, &pattern, None));
    assert_eq!(LikePattern::new(&ty, pattern.as_bytes(), None).unwrap().find(text.as_bytes()), None);
}
