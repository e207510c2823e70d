//! The ranges of keys that a seek reads.

use sql::plan::{self, Bound};
use storage::KeyBound;
use types::key::{INTEGER_BYTES, KeyCodec};
use types::{Datum, Physical, SqlResult, SqlType};

use crate::context::Context;
use crate::expression::{Compiler, Scalar};
use crate::value::Value;

/// From the first to the second.
pub type Between = (KeyBound, KeyBound);

/// The bounds of a seek, compiled.
pub struct Range {
    /// Key columns' codecs, in key order.
    pub codecs: Vec<KeyCodec>,
    /// The column after `equal` sorts downward.
    descending: bool,
    /// Of the first columns of the key, so many; then the lower bound and the upper one of the column after them, as far as there are any.
    values: Vec<Scalar>,
    equal: usize,
    lower: Option<Bound>,
    upper: Option<Bound>,
    any_of: Vec<Scalar>,
    of_numbers: bool,
}

/// Values of a range whose keys are made without buffers.
const NUMBERS_MAX: usize = 8;

/// A key of whole numbers.
#[derive(Clone, Copy, Default)]
pub struct NumberKey {
    parts: [[u8; INTEGER_BYTES]; NUMBERS_MAX],
    length: usize,
}

/// What a key is put together in.
trait KeyBuffer: Clone + AsRef<[u8]> {
    /// Appends so many of these bytes.
    fn push(&mut self, part: ([u8; INTEGER_BYTES], usize));
}

impl KeyBuffer for NumberKey {
    #[inline]
    fn push(&mut self, (part, length): ([u8; INTEGER_BYTES], usize)) {
        self.parts.as_flattened_mut()[self.length..self.length + INTEGER_BYTES].copy_from_slice(&part);
        self.length += length;
    }
}

impl KeyBuffer for Vec<u8> {
    fn push(&mut self, (part, length): ([u8; INTEGER_BYTES], usize)) {
        self.extend_from_slice(&part[..length]);
    }
}

impl AsRef<[u8]> for NumberKey {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        &self.parts.as_flattened()[..self.length]
    }
}

/// What one range takes: its ends.
const BUFFERS_MAX: usize = 2;

/// Buffers for keys, used again from range to range.
#[derive(Default)]
pub struct Buffers(Vec<Vec<u8>>);

impl Buffers {
    fn take(&mut self) -> Vec<u8> {
        self.0.pop().unwrap_or_default()
    }

    fn keep(&mut self, mut key: Vec<u8>) {
        if self.0.len() < BUFFERS_MAX {
            key.clear();
            self.0.push(key);
        }
    }

    /// The range is not needed any more.
    pub fn give_back(&mut self, (lower, upper): Between) {
        for bound in [lower, upper] {
            if let KeyBound::Inclusive(key) | KeyBound::Exclusive(key) = bound {
                self.keep(key);
            }
        }
    }
}

impl Range {
    pub fn new(range: &plan::SeekRange, key: &[(SqlType, bool)], compiler: &mut Compiler) -> SqlResult<Range> {
        let kind = |bound: &Option<(plan::Expr, Bound)>| bound.as_ref().map(|(_, kind)| *kind);
        let equal = range.equal.len();
        let codecs: Vec<KeyCodec> = key.iter().map(|(ty, descending)| KeyCodec::new(ty, *descending)).collect();
        let mut values = range.values().enumerate();
        let whole =
            values.all(|(at, value)| codecs[at.min(equal)].is_integer() && value.ty.physical() == Physical::I64);
        Ok(Range {
            of_numbers: whole && equal < NUMBERS_MAX && range.any_of.is_empty(),
            codecs,
            descending: key.get(equal).is_some_and(|(_, descending)| *descending),
            values: range.values().map(|value| compiler.scalar(value)).collect::<SqlResult<_>>()?,
            equal,
            lower: kind(&range.lower),
            upper: kind(&range.upper),
            any_of: compiler.scalars(&range.any_of)?,
        })
    }

    /// Appends the part of value `at`. False: it is NULL.
    pub fn part(&self, at: usize, context: &Context, key: &mut Vec<u8>) -> SqlResult<bool> {
        let codec = &self.codecs[at.min(self.equal)];
        match self.values[at].scalar_value(context)? {
            Value::Null => return Ok(false),
            Value::Bytes(pattern) if at == self.equal && self.has_pattern() => {
                let start = key.len();
                codec.encode_bytes(letters_of(&self.values[at].ty, &pattern), key);
                key.truncate(start + letters_end(&key[start..]));
            }
            Value::I64(value) => codec.encode_i64(value, key),
            Value::Bytes(value) => codec.encode_bytes(&value, key),
            value => codec.encode(&value.into_datum(), key),
        }
        Ok(true)
    }

    /// Adds the key ranges to read, in key order. None of them when a bound is NULL: nothing equals it.
    pub fn bounds(&self, context: &Context, buffers: &mut Buffers, out: &mut Vec<Between>) -> SqlResult<()> {
        if self.any_of.is_empty() {
            out.extend(self.between(buffers, |at, key| self.part(at, context, key))?);
            return Ok(());
        }
        let mut prefix = Vec::new();
        for at in 0..self.equal {
            if !self.part(at, context, &mut prefix)? {
                return Ok(());
            }
        }
        let mut keys = Vec::new();
        for scalar in &self.any_of {
            let value = scalar.scalar_datum(context)?;
            if !value.is_null() {
                let mut key = prefix.clone();
                self.codecs[self.equal].encode(&value, &mut key);
                keys.push(key);
            }
        }
        keys.sort_unstable();
        keys.dedup();
        out.extend(keys.into_iter().map(|key| (KeyBound::Inclusive(key.clone()), KeyBound::Inclusive(key))));
        Ok(())
    }

    /// The same for a range without IN, of which somebody else has computed the values.
    pub fn bounds_of(
        &self,
        values: impl Fn(usize, &SqlType) -> Datum,
        buffers: &mut Buffers,
        out: &mut Vec<Between>,
    ) -> SqlResult<()> {
        assert!(self.any_of.is_empty(), "a range of few values");
        let between = self.between(buffers, |at, key| match values(at, &self.values[at].ty) {
            Datum::Null => Ok(false),
            value => {
                self.codecs[at.min(self.equal)].encode(&value, key);
                Ok(true)
            }
        });
        out.extend(between?);
        Ok(())
    }

    /// Its lower bound is what keys begin with; `bounds_of` does not know it.
    pub fn has_pattern(&self) -> bool {
        self.lower == Some(Bound::Pattern)
    }

    /// Its values are whole numbers, `between_numbers` knows it.
    pub fn is_of_numbers(&self) -> bool {
        self.of_numbers
    }

    /// The only range of keys to read for these values, which are put together in empty ones. None: one of the values is NULL.
    #[inline]
    pub fn between_numbers<'k>(
        &self,
        [lower, upper]: &'k mut [NumberKey; 2],
        number: impl Fn(usize) -> Option<i64>,
    ) -> Option<(KeyBound<&'k [u8]>, KeyBound<&'k [u8]>)> {
        let found = self.put_ends(lower, upper, |at, key| {
            let Some(number) = number(at) else { return Ok(false) };
            key.push(self.codecs[at.min(self.equal)].integer_part(number));
            Ok(true)
        });
        let (lower, upper): (&NumberKey, &NumberKey) = (lower, upper);
        matches!(found, Ok(true)).then(|| self.in_order(lower.as_ref(), upper.as_ref()))
    }

    /// The same of any values, in buffers.
    #[inline]
    fn between(
        &self,
        buffers: &mut Buffers,
        part: impl FnMut(usize, &mut Vec<u8>) -> SqlResult<bool>,
    ) -> SqlResult<Option<Between>> {
        let (mut lower, mut upper) = (buffers.take(), buffers.take());
        let found = self.put_ends(&mut lower, &mut upper, part)?;
        let between = match self.has_pattern() {
            true => keys_beginning_with(lower),
            false => self.in_order(lower, upper),
        };
        if !found {
            buffers.give_back(between);
            return Ok(None);
        }
        Ok(Some(between))
    }

    /// Puts the bounds' values, as far as there are any, behind those of the columns before. `part` appends the part of a value to a
    /// key; false: it is NULL.
    #[inline]
    fn put_ends<K: KeyBuffer>(
        &self,
        lower: &mut K,
        upper: &mut K,
        mut part: impl FnMut(usize, &mut K) -> SqlResult<bool>,
    ) -> SqlResult<bool> {
        for at in 0..self.equal {
            if !part(at, lower)? {
                return Ok(false);
            }
        }
        if self.equal > 0 {
            upper.clone_from(lower);
        }
        let mut found = true;
        if self.lower.is_some() {
            found &= part(self.equal, lower)?;
        }
        if self.upper.is_some() {
            found &= part(self.values.len() - 1, upper)?;
            if self.lower.is_none() {
                lower.push(self.codecs[self.equal].null_part());
            }
        }
        Ok(found)
    }

    /// The ends of a range as the index has them, of keys that end with the bounds' values, as far as there are any.
    #[inline]
    fn in_order<K: AsRef<[u8]>>(&self, lower: K, upper: K) -> (KeyBound<K>, KeyBound<K>) {
        let bound = |end: Option<Bound>, key: K| match end {
            _ if key.as_ref().is_empty() => KeyBound::Unbounded,
            Some(Bound::Exclusive) => KeyBound::Exclusive(key),
            Some(Bound::Inclusive | Bound::Pattern) | None => KeyBound::Inclusive(key),
        };
        // NULLs sort below every value and satisfy no bound: one of `upper` alone begins behind them.
        let after_nulls = self.upper.map(|_| Bound::Exclusive);
        let (first, last) = (bound(self.lower.or(after_nulls), lower), bound(self.upper, upper));
        if self.descending { (last, first) } else { (first, last) }
    }
}

/// What stands in a pattern of LIKE before the first wildcard. In a code page a byte that is not ASCII may be the first of a character whose
/// second one looks like a wildcard.
fn letters_of<'p>(ty: &SqlType, pattern: &'p [u8]) -> &'p [u8] {
    const WILDCARDS: &[u8] = b"%_[";
    let unit = if ty.is_ansi_string() { 1 } else { 2 };
    let is_letter = |bytes: &[u8]| match bytes {
        [byte] => byte.is_ascii() && !WILDCARDS.contains(byte),
        [low, high] => *high != 0 || !WILDCARDS.contains(low),
        _ => false,
    };
    let count = pattern.chunks(unit).take_while(|bytes| is_letter(bytes)).count();
    &pattern[..count * unit]
}

/// Where the base letters of a text's key end (`types::collation::weights`): each begins with a byte that tells its length, and a byte of 1
/// follows them.
fn letters_end(key: &[u8]) -> usize {
    let mut at = 1;
    loop {
        at += match key.get(at) {
            None | Some(0x01) => return at.min(key.len()),
            Some(0x65 | 0xe1) => 3,
            Some(0xf1) => 4,
            Some(_) => 1,
        };
    }
}

/// From the first of the keys that begin so to the last.
fn keys_beginning_with(start: Vec<u8>) -> Between {
    let mut end = start.clone();
    while end.pop_if(|byte| *byte == u8::MAX).is_some() {}
    let end = match end.last_mut() {
        Some(last) => {
            *last += 1;
            KeyBound::Exclusive(end)
        }
        None => KeyBound::Unbounded,
    };
    (KeyBound::Inclusive(start), end)
}
