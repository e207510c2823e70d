//! Sets of values of one column, as ranges of their normalized keys: what a filtered index holds, what a predicate lets through.
//!
//! ```text
//!  01         NULL            [01, 02)            all of NULL
//!  02 value   a value         [02, FF)            all that is not NULL
//!                             [k, k FF)           one value k: nothing that follows a part begins with FF
//! ```
//! A range holds its lower end and not its upper one; ranges are sorted and neither overlap nor touch, so one set has one form.

use crate::key::{NULL, PRESENT};

/// Keys of ascending parts only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeySet {
    ranges: Vec<(Box<[u8]>, Box<[u8]>)>,
}

/// Above the key of every value.
const END: u8 = 0xFF;

impl KeySet {
    pub fn empty() -> KeySet {
        KeySet::default()
    }

    pub fn null() -> KeySet {
        KeySet::range(vec![NULL], vec![PRESENT])
    }

    pub fn not_null() -> KeySet {
        KeySet::range(vec![PRESENT], vec![END])
    }

    /// The value whose key is `key`.
    pub fn equal(key: &[u8]) -> KeySet {
        KeySet::range(key.to_vec(), behind(key))
    }

    /// Values below `key`, NULL not among them.
    pub fn less(key: &[u8], inclusive: bool) -> KeySet {
        KeySet::range(vec![PRESENT], if inclusive { behind(key) } else { key.to_vec() })
    }

    pub fn greater(key: &[u8], inclusive: bool) -> KeySet {
        KeySet::range(if inclusive { key.to_vec() } else { behind(key) }, vec![END])
    }

    fn range(lower: Vec<u8>, upper: Vec<u8>) -> KeySet {
        let ranges = if lower < upper { vec![(lower.into(), upper.into())] } else { Vec::new() };
        KeySet { ranges }
    }

    pub fn union(mut self, other: KeySet) -> KeySet {
        self.ranges.extend(other.ranges);
        self.ranges.sort_unstable();
        let mut ranges: Vec<(Box<[u8]>, Box<[u8]>)> = Vec::with_capacity(self.ranges.len());
        for (lower, upper) in self.ranges {
            match ranges.last_mut() {
                Some((_, end)) if lower <= *end => {
                    if upper > *end {
                        *end = upper;
                    }
                }
                _ => ranges.push((lower, upper)),
            }
        }
        KeySet { ranges }
    }

    pub fn intersection(&self, other: &KeySet) -> KeySet {
        let mut ranges = Vec::new();
        for (lower, upper) in &self.ranges {
            for (other_lower, other_upper) in &other.ranges {
                let (lower, upper) = (lower.max(other_lower), upper.min(other_upper));
                if lower < upper {
                    ranges.push((lower.clone(), upper.clone()));
                }
            }
        }
        KeySet { ranges }
    }

    pub fn contains(&self, key: &[u8]) -> bool {
        let behind = self.ranges.partition_point(|(lower, _)| **lower <= *key);
        behind > 0 && *key < *self.ranges[behind - 1].1
    }

    /// The least range that has them all: from the first key, up to and without the second. None: there is none.
    pub fn hull(&self) -> Option<(&[u8], &[u8])> {
        let ((lower, _), (_, upper)) = (self.ranges.first()?, self.ranges.last()?);
        Some((lower, upper))
    }

    pub fn is_subset(&self, other: &KeySet) -> bool {
        self.ranges.iter().all(|(lower, upper)| {
            let behind = other.ranges.partition_point(|(other_lower, _)| other_lower <= lower);
            behind > 0 && *upper <= other.ranges[behind - 1].1
        })
    }

    /// Whether NULL is in the set, and whether everything else is. None: that depends on the value.
    pub fn null_test(&self) -> Option<(bool, bool)> {
        let not_null = KeySet::not_null();
        let others = not_null.is_subset(self);
        (others || self.intersection(&not_null) == KeySet::empty()).then(|| (self.contains(&[NULL]), others))
    }

    /// How many values, if it is a list of single ones.
    pub fn value_count(&self) -> Option<usize> {
        let single = |(lower, upper): &(Box<[u8]>, Box<[u8]>)| upper.strip_prefix(&**lower) == Some(&[END]);
        self.ranges.iter().all(single).then_some(self.ranges.len())
    }

    /// For storage to keep: u32 count, then for each range its ends, each behind a u32 length.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = length(self.ranges.len()).to_vec();
        for end in self.ranges.iter().flat_map(|(lower, upper)| [lower, upper]) {
            out.extend_from_slice(&length(end.len()));
            out.extend_from_slice(end);
        }
        out
    }

    /// Reads what `to_bytes` wrote; also how many bytes that was. None: damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<(KeySet, usize)> {
        let mut at = 0;
        let count = number(bytes, &mut at)?;
        let mut ranges: Vec<(Box<[u8]>, Box<[u8]>)> = Vec::new();
        for _ in 0..count {
            let (lower, upper): (Box<[u8]>, Box<[u8]>) = (end(bytes, &mut at)?.into(), end(bytes, &mut at)?.into());
            let in_order = lower < upper && ranges.last().is_none_or(|(_, end)| *end < lower);
            if !in_order {
                return None;
            }
            ranges.push((lower, upper));
        }
        Some((KeySet { ranges }, at))
    }
}

fn behind(key: &[u8]) -> Vec<u8> {
    let mut end = key.to_vec();
    end.push(END);
    end
}

fn number(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let part = bytes.get(*at..*at + 4)?;
    *at += 4;
    Some(u32::from_le_bytes(part.try_into().expect("four bytes")) as usize)
}

fn end<'a>(bytes: &'a [u8], at: &mut usize) -> Option<&'a [u8]> {
    let length = number(bytes, at)?;
    let part = bytes.get(*at..)?.get(..length)?;
    *at += length;
    Some(part)
}

fn length(count: usize) -> [u8; 4] {
    u32::try_from(count).expect("bounded by a statement's text").to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datum::Datum;
    use crate::key::encode_datum;
    use crate::sql_type::SqlType;

    fn key(value: Option<i64>) -> Vec<u8> {
        let mut out = Vec::new();
        encode_datum(&SqlType::INT, false, &value.map_or(Datum::Null, Datum::I64), &mut out);
        out
    }

    /// Each set with the values from NULL and -3 to 3 that are in it.
    fn sets() -> Vec<(KeySet, Vec<Option<i64>>)> {
        let values = || [None].into_iter().chain((-3..=3).map(Some));
        let all = |test: &dyn Fn(i64) -> bool| values().filter(|v| v.is_some_and(test)).collect::<Vec<_>>();
        let k = |value| key(Some(value));
        vec![
            (KeySet::empty(), vec![]),
            (KeySet::null(), vec![None]),
            (KeySet::not_null(), all(&|_| true)),
            (KeySet::not_null().union(KeySet::null()), values().collect()),
            (KeySet::equal(&k(0)), all(&|v| v == 0)),
            (KeySet::less(&k(1), false), all(&|v| v < 1)),
            (KeySet::less(&k(1), true), all(&|v| v <= 1)),
            (KeySet::greater(&k(-1), false), all(&|v| v > -1)),
            (KeySet::greater(&k(-1), true), all(&|v| v >= -1)),
            (KeySet::less(&k(2), false).union(KeySet::greater(&k(2), false)), all(&|v| v != 2)),
            (KeySet::equal(&k(3)).union(KeySet::equal(&k(-3))), all(&|v| v.abs() == 3)),
            (KeySet::less(&k(2), true).intersection(&KeySet::greater(&k(0), true)), all(&|v| (0..=2).contains(&v))),
        ]
    }

    #[test]
    fn a_set_holds_its_values_and_agrees_with_sets_of_numbers() {
        let values: Vec<Option<i64>> = [None].into_iter().chain((-3..=3).map(Some)).collect();
        let held = |set: &KeySet| values.iter().copied().filter(|v| set.contains(&key(*v))).collect::<Vec<_>>();
        for (set, expected) in sets() {
            assert_eq!(held(&set), expected, "{set:?}");
            assert_eq!(KeySet::from_bytes(&set.to_bytes()), Some((set.clone(), set.to_bytes().len())));
            for cut in 0..set.to_bytes().len() {
                assert_eq!(KeySet::from_bytes(&set.to_bytes()[..cut]), None, "cut at {cut}");
            }
            for (other, others) in sets() {
                let both: Vec<_> = expected.iter().copied().filter(|v| others.contains(v)).collect();
                let any: Vec<_> =
                    values.iter().copied().filter(|v| expected.contains(v) || others.contains(v)).collect();
                assert_eq!(held(&set.intersection(&other)), both, "{set:?} and {other:?}");
                assert_eq!(held(&set.clone().union(other.clone())), any, "{set:?} or {other:?}");
                // The tested values decide it for all sets here but those that hold everything on one side.
                if set.is_subset(&other) {
                    assert_eq!(both, expected, "{set:?} within {other:?}");
                }
            }
        }
    }

    #[test]
    fn a_list_implies_not_null_and_not_the_reverse() {
        let list = KeySet::equal(&key(Some(1))).union(KeySet::equal(&key(Some(5))));
        assert_eq!(list.value_count(), Some(2));
        assert!(list.is_subset(&KeySet::not_null()) && !KeySet::not_null().is_subset(&list));
        assert!(list.is_subset(&KeySet::greater(&key(Some(0)), false)));
        assert!(!list.is_subset(&KeySet::greater(&key(Some(1)), false)));
        assert_eq!(KeySet::not_null().null_test(), Some((false, true)));
        assert_eq!(KeySet::null().null_test(), Some((true, false)));
        assert_eq!(KeySet::empty().null_test(), Some((false, false)));
        assert_eq!(KeySet::null().union(KeySet::not_null()).null_test(), Some((true, true)));
        assert_eq!(list.null_test(), None);
    }
}
