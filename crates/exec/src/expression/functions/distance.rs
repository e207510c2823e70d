//! How alike two strings are: EDIT_DISTANCE, JARO_WINKLER_DISTANCE and their similarities. Characters are compared by the collation.
//!
//! https://learn.microsoft.com/sql/relational-databases/fuzzy-string-match/overview

use sql::function::FunctionId;
use types::collation;
use types::pause::{CHARACTER, Pacer};
use types::{SqlResult, convert};

use super::given;
use crate::context::Context;
use crate::expression::general::{Call, Function};
use crate::value::{Row, Value};

/// Characters of a common beginning that count, and the weight of each.
const PREFIX_MAX: usize = 4;
const PREFIX_WEIGHT: f64 = 0.1;

pub fn find(id: FunctionId) -> Option<Function> {
    use FunctionId::*;
    Some(match id {
        EditDistance | EditDistanceSimilarity => edit,
        JaroWinklerDistance | JaroWinklerSimilarity => jaro_winkler,
        _ => return None,
    })
}

fn edit<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let (Some(left), Some(right)) = (letters(call, 0, context, row)?, letters(call, 1, context, row)?) else {
        return Ok(Value::Null);
    };
    if call.arguments.len() > 2 {
        // More than it may be told as it is.
        given!(call.i64(2, context, row));
    }
    let distance = edit_distance(&left, &right, &mut context.pacer())?;
    if call.id == FunctionId::EditDistance {
        return Ok(Value::I64(distance as i64));
    }
    let longest = left.len().max(right.len());
    let alike = if longest == 0 { 1.0 } else { 1.0 - distance as f64 / longest as f64 };
    Ok(Value::I64((alike * 100.0).round() as i64))
}

fn jaro_winkler<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let (Some(left), Some(right)) = (letters(call, 0, context, row)?, letters(call, 1, context, row)?) else {
        return Ok(Value::Null);
    };
    let alike = similarity(&left, &right, &mut context.pacer())?;
    Ok(match call.id {
        FunctionId::JaroWinklerDistance => Value::F64(1.0 - alike),
        _ => Value::I64((alike * 100.0).round() as i64),
    })
}

/// A number for each character of an argument: characters that the collation takes for the same have the same.
fn letters(call: &Call, at: usize, context: &Context, row: Row<'_>) -> SqlResult<Option<Vec<u64>>> {
    use std::hash::{DefaultHasher, Hasher};
    let ty = call.arguments[at].ty;
    let Some(text) = call.text(at, context, row)? else { return Ok(None) };
    let comparer = collation::comparer(&ty);
    let pacer = &mut context.pacer();
    let mut out = Vec::with_capacity(text.len());
    let mut encoded = [0; 4];
    let mut key = Vec::new();
    for c in text.chars() {
        pacer.spend(CHARACTER)?;
        let types::Datum::Bytes(bytes) = convert::text_datum(c.encode_utf8(&mut encoded), &ty) else {
            unreachable!("text is bytes")
        };
        key.clear();
        comparer.key(&bytes, &mut key);
        // A blank's key is empty, as that of what has no weight.
        let mut hasher = DefaultHasher::new();
        hasher.write(if key.is_empty() { &bytes } else { &key });
        out.push(hasher.finish());
    }
    Ok(Some(out))
}

/// Insertions, deletions and substitutions from one to the other.
fn edit_distance(left: &[u64], right: &[u64], pacer: &mut Pacer<'_>) -> SqlResult<usize> {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, from) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, to) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
        pacer.spend(8 * right.len() + 1)?;
    }
    Ok(row[right.len()])
}

/// From 0, nothing alike, to 1.
fn similarity(left: &[u64], right: &[u64], pacer: &mut Pacer<'_>) -> SqlResult<f64> {
    if left.is_empty() && right.is_empty() {
        return Ok(1.0);
    }
    let near = (left.len().max(right.len()) / 2).saturating_sub(1);
    let mut taken = vec![false; right.len()];
    let mut matched = Vec::new();
    for (at, letter) in left.iter().enumerate() {
        let (low, high) = (at.saturating_sub(near), (at + near + 1).min(right.len()));
        pacer.spend(CHARACTER + 2 * near)?;
        if let Some(found) = (low..high).find(|other| !taken[*other] && right[*other] == *letter) {
            taken[found] = true;
            matched.push(*letter);
        }
    }
    if matched.is_empty() {
        return Ok(0.0);
    }
    let others = right.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(letter, _)| letter);
    let moved = matched.iter().zip(others).filter(|(a, b)| a != b).count();
    let count = matched.len() as f64;
    let jaro = (count / left.len() as f64 + count / right.len() as f64 + (count - (moved / 2) as f64) / count) / 3.0;
    let prefix = left.iter().zip(right).take(PREFIX_MAX).take_while(|(a, b)| a == b).count();
    Ok(jaro + prefix as f64 * PREFIX_WEIGHT * (1.0 - jaro))
}
