//! The ranges of keys that a seek reads.

use sql::plan::{self, Bound};
use storage::KeyBound;
use types::key::KeyCodec;
use types::{Datum, SqlResult, SqlType};

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
}

/// What one range takes: its ends, and what both begin with.
const BUFFERS_MAX: usize = 3;

/// Buffers for keys, used again from range to range.
#[derive(Default)]
pub struct Buffers(Vec<Vec<u8>>);

impl Buffers {
    fn take(&mut self) -> Vec<u8> {
        self.0.pop().unwrap_or_default()
    }

    fn copy(&mut self, key: &[u8]) -> Vec<u8> {
        let mut copy = self.take();
        copy.extend_from_slice(key);
        copy
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
        Ok(Range {
            codecs: key.iter().map(|(ty, descending)| KeyCodec::new(ty, *descending)).collect(),
            descending: key.get(range.equal.len()).is_some_and(|(_, descending)| *descending),
            values: range.values().map(|value| compiler.scalar(value)).collect::<SqlResult<_>>()?,
            equal: range.equal.len(),
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

    /// `part` appends the part of a value to a key; false: it is NULL.
    #[inline]
    fn between(
        &self,
        buffers: &mut Buffers,
        mut part: impl FnMut(usize, &mut Vec<u8>) -> SqlResult<bool>,
    ) -> SqlResult<Option<Between>> {
        let mut prefix = buffers.take();
        for at in 0..self.equal {
            if !part(at, &mut prefix)? {
                buffers.keep(prefix);
                return Ok(None);
            }
        }
        let mut found = true;
        let mut next = self.equal;
        let mut bound = |kind: Option<Bound>, buffers: &mut Buffers| -> SqlResult<Option<KeyBound>> {
            let Some(kind) = kind else { return Ok(None) };
            let mut key = buffers.copy(&prefix);
            found &= part(next, &mut key)?;
            next += 1;
            Ok(Some(match kind {
                Bound::Inclusive => KeyBound::Inclusive(key),
                Bound::Exclusive => KeyBound::Exclusive(key),
            }))
        };
        let (lower, upper) = (bound(self.lower, buffers)?, bound(self.upper, buffers)?);
        let whole = |buffers: &mut Buffers| match prefix.is_empty() {
            true => KeyBound::Unbounded,
            false => KeyBound::Inclusive(buffers.copy(&prefix)),
        };
        let (first, last) = match (lower, upper) {
            (None, None) => (whole(buffers), whole(buffers)),
            (Some(lower), Some(upper)) => (lower, upper),
            (Some(lower), None) => (lower, whole(buffers)),
            (None, Some(upper)) => {
                // NULLs sort below every value and satisfy no bound.
                let mut null = buffers.copy(&prefix);
                self.codecs[self.equal].encode(&Datum::Null, &mut null);
                (KeyBound::Exclusive(null), upper)
            }
        };
        buffers.keep(prefix);
        let between = if self.descending { (last, first) } else { (first, last) };
        if !found {
            buffers.give_back(between);
            return Ok(None);
        }
        Ok(Some(between))
    }
}
