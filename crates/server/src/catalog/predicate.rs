//! The predicates of security policies as the catalog keeps them: a reference from policy to target, and the calls in the policy's text.

use sql::catalog::{Guarded, PredicateDef};
use types::{Datum, SqlResult};

use super::base::{ObjectRow, ReferenceRow, TextRow, class, object_status};
use super::row::Text;
use super::store::Rows;

fn int(value: impl Into<i64>) -> Datum {
    Datum::I64(value.into())
}

/// One predicate of a policy.
#[derive(Debug, Clone)]
pub struct Predicate {
    /// `security_predicate_id`
    pub id: i32,
    pub target: i32,
    pub of: Of,
    /// `[schema].[function]([column], (1))`
    pub call: String,
}

/// What it is a predicate of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    Filter,
    /// Of one operation, or of all.
    Block(Option<Guarded>),
}

/// Block predicates by `sys.security_predicates.operation`.
const OPERATIONS: [(i32, Guarded); 4] =
    [(1, Guarded::AfterInsert), (2, Guarded::AfterUpdate), (3, Guarded::BeforeUpdate), (4, Guarded::BeforeDelete)];

/// In `ReferenceRow::status`: it blocks. Above it stands the operation.
const BLOCKS: i32 = 1;

impl Of {
    pub fn is_block(self) -> bool {
        self != Of::Filter
    }

    /// `sys.security_predicates.operation`
    pub fn operation(self) -> Option<i32> {
        match self {
            Of::Filter | Of::Block(None) => None,
            Of::Block(Some(one)) => OPERATIONS.iter().find(|(_, of)| *of == one).map(|(number, _)| *number),
        }
    }

    /// Both would decide about one operation.
    pub fn overlaps(self, other: Of) -> bool {
        match (self, other) {
            (Of::Block(one), Of::Block(other)) => one.is_none() || other.is_none() || one == other,
            (one, other) => one == other,
        }
    }

    fn from_status(status: i32) -> Of {
        match status & BLOCKS {
            0 => Of::Filter,
            _ => Of::Block(OPERATIONS.iter().find(|(number, _)| *number == status >> 1).map(|(_, of)| *of)),
        }
    }

    fn status(self) -> i32 {
        if self.is_block() { BLOCKS | self.operation().unwrap_or(0) << 1 } else { 0 }
    }

    /// What it decides about, one by one.
    fn guarded(self) -> Vec<Guarded> {
        match self {
            Of::Filter => vec![Guarded::Reads],
            Of::Block(Some(one)) => vec![one],
            Of::Block(None) => OPERATIONS.iter().map(|(_, of)| *of).collect(),
        }
    }
}

/// Those of a policy, by id.
pub fn of_policy(rows: &mut Rows<'_>, policy: i32) -> SqlResult<Vec<Predicate>> {
    let references = rows.find::<ReferenceRow>(0, &[int(policy), int(class::SECURITY_PREDICATE)])?;
    let calls = rows.first::<TextRow>(0, &[int(policy)])?.and_then(|row| row.value.0).unwrap_or_default();
    let mut found = Vec::with_capacity(references.len());
    for reference in references {
        let of = Of::from_status(reference.status);
        let call = calls_of(&calls).find(|(id, _)| *id == reference.depsubid).map_or("", |(_, call)| call);
        found.push(Predicate { id: reference.depsubid, target: reference.indepid, of, call: call.to_string() });
    }
    found.sort_by_key(|predicate| predicate.id);
    Ok(found)
}

/// Puts these in the place of those of before.
pub fn keep(rows: &mut Rows<'_>, policy: i32, predicates: &[Predicate]) -> SqlResult<()> {
    rows.delete::<ReferenceRow>(0, &[int(policy), int(class::SECURITY_PREDICATE)])?;
    rows.delete::<TextRow>(0, &[int(policy)])?;
    let mut text = String::new();
    for Predicate { id, target, of, call } in predicates {
        text.push_str(&format!("{id} {} {call}", call.len()));
        rows.insert(&ReferenceRow {
            class: class::SECURITY_PREDICATE,
            depid: policy,
            depsubid: *id,
            indepid: *target,
            indepsubid: 0,
            status: of.status(),
        })?;
    }
    rows.insert(&TextRow { objid: policy, value: Text::from(text.as_str()) })
}

/// The calls of `keep`'s text, which may hold any character: each has its length before it.
fn calls_of(text: &str) -> impl Iterator<Item = (i32, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (id, behind) = rest.split_once(' ')?;
        let (length, behind) = behind.split_once(' ')?;
        let (call, behind) = behind.split_at_checked(length.parse().ok()?)?;
        rest = behind;
        Some((id.parse().ok()?, call))
    })
}

/// The policies with a predicate on the object.
pub fn policies_on(rows: &mut Rows<'_>, object: i32) -> SqlResult<Vec<ObjectRow>> {
    let references = rows.find::<ReferenceRow>(1, &[int(object), int(class::SECURITY_PREDICATE)])?;
    let mut ids: Vec<i32> = references.iter().map(|reference| reference.depid).collect();
    ids.sort_unstable();
    ids.dedup();
    let found = ids.into_iter().map(|id| rows.first::<ObjectRow>(0, &[int(id)])).collect::<SqlResult<Vec<_>>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// Those of enabled policies on a table or view, as the binder takes them.
pub fn enabled_on(rows: &mut Rows<'_>, object: i32) -> SqlResult<Vec<PredicateDef>> {
    let mut found = Vec::new();
    for policy in policies_on(rows, object)?.iter().filter(|policy| policy.status & object_status::DISABLED == 0) {
        for predicate in of_policy(rows, policy.id)?.iter().filter(|predicate| predicate.target == object) {
            found.extend(predicate.of.guarded().into_iter().map(|of| PredicateDef {
                of,
                call: predicate.call.as_str().into(),
                schema_bound: policy.status & object_status::SCHEMA_BOUND != 0,
            }));
        }
    }
    Ok(found)
}
