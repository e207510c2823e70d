//! Many values of a sequence at once.

use exec::session::Session as State;
use sql::catalog::{Object, ObjectName};
use types::{Datum, SqlResult, SqlType, sql_error};

use super::parameters::Parameters;
use super::result::as_variant;
use crate::catalog::numbers::sequence_value;
use crate::security::check::Securable;
use crate::session::host::SessionHost;

/// sp_sequence_get_range @sequence_name, @range_size, and what it answers of the range and of the sequence, each a sql_variant of the
/// sequence's type but for @range_cycle_count. Like NEXT VALUE FOR it stands outside any transaction.
pub fn range(host: &mut SessionHost, state: &mut State, given: &mut Parameters<'_>) -> SqlResult<i32> {
    let written = given.text(0).unwrap_or_default();
    let size = given.number(1)?.and_then(|size| u64::try_from(size).ok()).filter(|size| *size > 0);
    let size = size.ok_or_else(|| sql_error!(11733, "@range_size"))?;
    let name = ObjectName::from_text(&written).ok_or_else(|| sql_error!(208, written))?;
    let sequence = match host.resolve(state, &name)? {
        Some(Object::Sequence(sequence)) => sequence,
        Some(_) => return Err(sql_error!(11726, written)),
        None => return Err(sql_error!(208, written)),
    };
    let db = host.server.catalog.expect_database(sequence.database);
    let held = host.rights(state, |rights, look| match Securable::object(look, &db, sequence.object.0)? {
        Some(on) => rights.holds(look, Some(&db), &on, "UPDATE"),
        None => Ok(true),
    })?;
    if !held {
        return Err(sql_error!(229, state 5, "UPDATE", sequence.name, db.name(), sequence.schema));
    }
    let (range, rule) = host.server.catalog.sequence_range(&sequence, size)?;
    let cycles = i64::try_from(range.cycles).unwrap_or(i64::MAX).min(i64::from(i32::MAX));
    for (at, value) in [(2, range.first), (3, range.last), (5, rule.increment), (6, rule.minimum), (7, rule.maximum)] {
        given.set(at, SqlType::SQL_VARIANT, as_variant(&sequence.ty, sequence_value(&sequence, value)));
    }
    given.set(4, SqlType::INT, Datum::I64(cycles));
    Ok(0)
}
