//! LIKE against full backtracking, and searching.

use std::cell::Cell;
use std::ops::Range;

use proptest::prelude::*;
use types::SqlType;
use types::collation::{self, CharWeight, Chars, Comparer};
use types::like::LikePattern;
use types::pause::{Pacer, Pause, STRIDE, unpaced};
use types::{SqlError, SqlResult, search};

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
    compiled(ty, &bytes(ty, pattern), escape.as_deref()).unwrap().matches(&bytes(ty, text), &mut Pacer::none()).unwrap()
}

fn compiled(ty: &SqlType, pattern: &[u8], escape: Option<&[u8]>) -> SqlResult<LikePattern> {
    LikePattern::new(ty, pattern, escape, &mut Pacer::none())
}

fn find(comparer: &Comparer, text: &[u8], needle: &[u8], from: usize) -> Option<Range<usize>> {
    unpaced(|pacer| search::find(comparer, text, needle, from, pacer))
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
    assert_eq!(compiled(&ty, b"a", Some(b"ab")).unwrap_err().number, 506);
    assert_eq!(compiled(&ty, b"a", Some(b"")).unwrap_err().number, 506);
}

#[test]
fn places() {
    let ty = ty(false, DEFAULT);
    let patindex = |pattern: &str, text: &str| {
        compiled(&ty, pattern.as_bytes(), None).unwrap().find(text.as_bytes(), &mut Pacer::none()).unwrap()
    };
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
        let patindex = compiled(&ty, pattern.as_bytes(), None).unwrap().find(text.as_bytes(), &mut Pacer::none()).unwrap();
        prop_assert_eq!(patindex.is_some(), expected);
    }

    // Letters with accents of their own and behind them, of two widths, ignored ones, those that stand for two, dots of Turkish.
    #[test]
    fn a_needle_is_found_where_it_is_place_by_place(
        collation in values::collation(), unicode in any::<bool>(),
        text in "[aAbBiI \u{301}\u{30a}\u{130}\u{131}\u{e5}\u{e9}\u{c9}\u{e6}\u{df}\u{ad}\u{ff41}\u{ff71}\u{4e2d}0'_-]{0,14}",
        // An accent in front would belong to the pattern's `%`.
        needle in "[aAbBiI \u{130}\u{131}\u{e5}\u{e9}\u{e6}\u{df}\u{ff41}0'-][aAbBiI \u{301}\u{30a}\u{131}\u{e5}\u{e9}'-]{0,2}",
    ) {
        let ty = if unicode { SqlType::nvarchar(100) } else { SqlType::varchar(100) }.with_collation(collation);
        let comparer = collation::comparer(&ty);
        let (text, needle) = (bytes(&ty, &text), bytes(&ty, &needle));
        let expected = naive(&comparer, &text, &needle);
        prop_assert_eq!(find(&comparer, &text, &needle, 0), expected.clone());
        let pattern = [bytes(&ty, "%"), needle, bytes(&ty, "%")].concat();
        let found = compiled(&ty, &pattern, None).unwrap().find(&text, &mut Pacer::none()).unwrap();
        // A needle may have what a pattern means otherwise.
        let is_plain = !pattern[1..pattern.len() - 1].iter().any(|c| b"%_[".contains(c));
        prop_assert!(!is_plain || found == expected.map(|range| range.start));
    }

    #[test]
    fn any_pattern_compiles(collation in values::collation(), unicode in any::<bool>(), pattern in prop::collection::vec(any::<u8>(), 0..20), text in prop::collection::vec(any::<u8>(), 0..20)) {
        let ty = if unicode { SqlType::nvarchar(20) } else { SqlType::varchar(20) }.with_collation(collation);
        let pattern = compiled(&ty, &pattern, None).unwrap();
        pattern.matches(&text, &mut Pacer::none()).unwrap();
        pattern.find(&text, &mut Pacer::none()).unwrap();
    }
}

#[test]
fn hostile_patterns_take_no_exponential_time() {
    let ty = ty(false, DEFAULT);
    let pattern = "%a".repeat(200) + "b";
    let text = "a".repeat(8000);
    assert!(!like(&ty, &text, &pattern, None));
    assert_eq!(
        compiled(&ty, pattern.as_bytes(), None).unwrap().find(text.as_bytes(), &mut Pacer::none()).unwrap(),
        None
    );
}

/// Place by place.
fn naive(comparer: &Comparer, text: &[u8], needle: &[u8]) -> Option<Range<usize>> {
    let wanted: Vec<CharWeight> = Chars::new(comparer, needle).collect();
    let mut chars = Chars::new(comparer, text);
    loop {
        let mut behind = chars.clone();
        if behind.by_ref().take(wanted.len()).eq(wanted.iter().copied()) {
            return Some(text.len() - chars.rest().len()..text.len() - behind.rest().len());
        }
        chars.next()?;
    }
}

#[test]
fn a_needle_that_repeats_is_found_where_it_is() {
    // Long enough for the table of repeats; with an accent, so that characters differ in length.
    for (unicode, name) in
        [(false, DEFAULT), (true, DEFAULT), (true, "Latin1_General_BIN2"), (false, "Latin1_General_BIN2")]
    {
        let ty = ty(unicode, name);
        let comparer = collation::comparer(&ty);
        for (needle, tail) in [("ab".repeat(300) + "c", "c"), ("a".repeat(500), "\u{e1}"), ("aab".repeat(400), "x")] {
            let noise = [needle[..needle.len() - 1].repeat(4).as_str(), "e\u{301}\u{e9}", tail].concat();
            for text in [noise.clone() + &needle + "z", noise.clone() + &noise, noise.clone() + &needle.to_uppercase()]
            {
                let (text, needle) = (bytes(&ty, &text), bytes(&ty, &needle));
                assert_eq!(find(&comparer, &text, &needle, 0), naive(&comparer, &text, &needle), "{name} {unicode}");
            }
        }
    }
}

/// A megabyte against half a megabyte: place by place that would be a hundred billion comparisons.
#[test]
fn searching_takes_time_by_the_text_alone() {
    for (unicode, name) in [(false, DEFAULT), (true, DEFAULT), (true, "Latin1_General_BIN2"), (true, "Japanese_CI_AI")]
    {
        let ty = ty(unicode, name);
        let comparer = collation::comparer(&ty);
        let text = bytes(&ty, &"a".repeat(1 << 20));
        let needle = bytes(&ty, &("a".repeat(8000) + "b"));
        let work = Work::default();
        let found = search::find(&comparer, &text, &needle, 0, &mut Pacer::new(&work)).unwrap();
        assert_eq!(found, None);
        let pattern = [bytes(&ty, "%"), needle, bytes(&ty, "%")].concat();
        let pattern = compiled(&ty, &pattern, None).unwrap();
        assert!(!pattern.matches(&text, &mut Pacer::new(&work)).unwrap());
        assert_eq!(pattern.find(&text, &mut Pacer::new(&work)).unwrap(), None);
        let strides = work.pauses.get() * STRIDE;
        assert!(
            (text.len()..100 * text.len()).contains(&strides),
            "{name}: {strides} bytes of work for {}",
            text.len()
        );
    }
}

#[test]
fn a_search_ends_at_the_pause_that_says_so() {
    let ty = ty(true, DEFAULT);
    let text = bytes(&ty, &"a".repeat(1 << 20));
    let work = Work { last: 3, ..Work::default() };
    let pattern = compiled(&ty, &bytes(&ty, "%_b"), None).unwrap();
    assert_eq!(pattern.matches(&text, &mut Pacer::new(&work)).unwrap_err().number, -1);
    assert_eq!(work.pauses.get(), 3);
}

/// Counts pauses, and ends the work at one of them.
#[derive(Default)]
struct Work {
    pauses: Cell<usize>,
    left: Cell<usize>,
    last: usize,
}

impl Pause for Work {
    fn pause(&self) -> SqlResult<()> {
        self.pauses.set(self.pauses.get() + 1);
        if self.pauses.get() == self.last { Err(SqlError::of_user(-1, 20, 1, String::new())) } else { Ok(()) }
    }

    fn left(&self) -> &Cell<usize> {
        &self.left
    }
}

/// What `%characters%` goes by, in each collation that there is.
#[test]
fn ascii_characters_are_alike_as_they_weigh() {
    for collation in collation::all() {
        for ty in [SqlType::varchar(10), SqlType::nvarchar(10)] {
            let comparer = collation::comparer(&ty.with_collation(collation));
            let weights: Vec<Option<CharWeight>> =
                (0..128_u8).map(|c| Chars::new(&comparer, &[c, 0][..comparer.unit_bytes()]).next()).collect();
            for (a, weight) in weights.iter().enumerate() {
                for (b, other) in weights.iter().enumerate() {
                    let alike = comparer.are_alike(a as u8, b as u8);
                    assert_eq!(alike, weight == other, "{a} and {b} in {collation:?}");
                }
            }
        }
    }
}

#[test]
fn characters_between_percents() {
    for (text, pattern, matches) in [
        ("first-NAME x", "%name%", true),
        ("first-NAME", "%-n%", true),
        ("nam", "%name%", false),
        ("", "%n%", false),
        ("it's", "%'S%", true),
        ("a b", "% %", true),
        ("ab", "% %", false),
        ("ab", "%%b%", true),
        ("x\u{e9}y", "%e%", false),
        ("x\u{e9}y", "%Y%", true),
        ("xe\u{301}", "%e%", false),
    ] {
        for ty in
            [ty(false, DEFAULT), ty(true, DEFAULT), ty(false, "Latin1_General_CI_AS"), ty(true, "Latin1_General_CI_AS")]
        {
            if ty.is_unicode_string() || !text.contains('\u{301}') {
                assert_eq!(like(&ty, text, pattern, None), matches, "{text} LIKE {pattern} of {ty:?}");
            }
        }
    }
    let exact = ty(false, "Latin1_General_BIN2");
    assert!(like(&exact, "aNb", "%N%", None) && !like(&exact, "aNb", "%n%", None));
}
