//! CREATE and ALTER SEQUENCE.

use sql::ast::{CreateSequence, Expr, SequenceBound, SequenceCache};
use types::{SqlResult, SqlType, sql_error};

use super::data_type;
use super::number::{bounds, whole_number};
use super::site::{Ddl, has, written};
use crate::catalog::base::SequenceRow;
use crate::catalog::load::int;
use crate::catalog::row::Whole;
use crate::catalog::{Database, scalar_type};

pub fn create_sequence(ddl: &mut Ddl<'_>, create: &CreateSequence) -> SqlResult<()> {
    let shown = written(&create.name);
    let old = if create.alter { Some(altered(ddl, create, &shown)?) } else { None };
    let place = ddl.place(&create.name)?;
    let db = place.db.clone();
    let (xtype, utype, ty) = counted_type(ddl, &db, create, old.as_ref(), &shown)?;
    let last = match &old {
        Some(old) if !create.restart => db.counters.last(&ddl.catalog.storage, &db, old.id)?,
        _ => None,
    };
    let Counting { start, increment, minimum, maximum } = counting(create, (old.as_ref(), last), &ty, &shown)?;
    let cycle = create.cycle.unwrap_or(old.as_ref().is_some_and(|old| has(old.status, 1)));
    let (cached, cache_size) = match &create.cache {
        SequenceCache::None => (false, None),
        SequenceCache::Size(expr) => {
            let size = number(expr, "CACHE")?;
            if size < 1 {
                return Err(sql_error!(11706, shown));
            }
            (true, i32::try_from(size).ok())
        }
        SequenceCache::Default => (true, None),
        SequenceCache::Unsaid => old.as_ref().map_or((true, None), |old| (has(old.status, 2), old.cache_size)),
    };
    let id = match &old {
        Some(old) => old.id,
        None => ddl.add_object(&place, "SO", 0, 0, 0)?,
    };
    let row = SequenceRow {
        id,
        xtype,
        utype,
        prec: ty.precision,
        scale: ty.scale,
        start: Whole(start),
        increment: Whole(increment),
        minimum: Whole(minimum),
        maximum: Whole(maximum),
        status: i32::from(cycle) | if cached { 2 } else { 0 },
        cache_size,
    };
    ddl.rows(&db, |rows| {
        if rows.update::<SequenceRow>(0, &[int(id)], |old| *old = row.clone())? == 0 {
            rows.insert(&row)?;
        }
        Ok(())
    })?;
    if create.restart {
        ddl.reset_counter((&db, id), &row.rule(), None)?;
    }
    ddl.touch(&db, id)?;
    tell_of_cache(ddl, &row, last, (&create.name.name.text, &shown));
    Ok(())
}

/// Values that are kept ready where CACHE does not say how many.
const CACHE_SIZE: i32 = 50;

/// 11707, 11729.
fn tell_of_cache(ddl: &mut Ddl<'_>, row: &SequenceRow, last: Option<i128>, (name, shown): (&str, &str)) {
    let size = row.cache_size.unwrap_or(CACHE_SIZE);
    if !has(row.status, 2) {
        return;
    }
    if size == 1 {
        ddl.message(sql_error!(11707, shown));
        return;
    }
    let increment = row.increment.0;
    let next = last.map_or(row.start.0, |last| last.saturating_add(increment));
    let end = if increment > 0 { row.maximum.0 } else { row.minimum.0 };
    let left = end.saturating_sub(next) / increment + 1;
    if !has(row.status, 1) && left < i128::from(size) {
        ddl.message(sql_error!(11729, name));
    }
}

/// The value of `argument`. 11708 for what is no whole number.
fn number(expr: &Expr, argument: &str) -> SqlResult<i128> {
    whole_number(expr).ok_or_else(|| sql_error!(11708, argument))
}

/// As `number`, of the sequence's own type.
fn number_of(expr: &Expr, argument: &str, ty: &SqlType) -> SqlResult<i128> {
    let (low, high) = bounds(ty);
    let value = number(expr, argument)?;
    if (low..=high).contains(&value) { Ok(value) } else { Err(sql_error!(11708, argument)) }
}

/// The sequence that ALTER SEQUENCE names.
fn altered(ddl: &mut Ddl<'_>, create: &CreateSequence, shown: &str) -> SqlResult<SequenceRow> {
    let found = match ddl.find(&create.name)? {
        Some((db, row)) if row.kind.as_str() == "SO" => {
            ddl.rows(&db, |rows| rows.first::<SequenceRow>(0, &[int(row.id)]))?
        }
        _ => None,
    };
    found.ok_or_else(|| sql_error!(15151, "alter", "sequence object", shown))
}

/// The system type, the user type and the values' type.
fn counted_type(
    ddl: &mut Ddl<'_>,
    db: &Database,
    create: &CreateSequence,
    old: Option<&SequenceRow>,
    shown: &str,
) -> SqlResult<(u8, i32, SqlType)> {
    Ok(match (&create.data_type, old) {
        (Some(data_type), _) => {
            let resolved = data_type::resolve(ddl, db, data_type, 1)?;
            if !(resolved.ty.is_integer() || resolved.ty.is_decimal() && resolved.ty.scale == 0) {
                return Err(sql_error!(11702, shown));
            }
            (resolved.xtype, resolved.utype, resolved.ty)
        }
        (None, Some(old)) => {
            let length = scalar_type::by_user_type(i32::from(old.xtype)).map_or(8, |system| system.length);
            (
                old.xtype,
                old.utype,
                scalar_type::sql_type(old.xtype, 0, length, old.prec, old.scale, None).expect("a sequence's type"),
            )
        }
        (None, None) => (127, 127, SqlType::BIGINT),
    })
}

struct Counting {
    start: i128,
    increment: i128,
    minimum: i128,
    maximum: i128,
}

/// What is not said stays as it was, or is the type's. `last`: the value that it has given, unless it starts again.
fn counting(
    create: &CreateSequence,
    (old, last): (Option<&SequenceRow>, Option<i128>),
    ty: &SqlType,
    shown: &str,
) -> SqlResult<Counting> {
    let increment = match &create.increment {
        Some(expr) => number(expr, "INCREMENT BY")?,
        None => old.map_or(1, |old| old.increment.0),
    };
    if increment == 0 {
        return Err(sql_error!(11700, shown));
    }
    let (low, high) = bounds(ty);
    let minimum = match &create.minimum {
        SequenceBound::Value(expr) => number_of(expr, "MINVALUE", ty)?,
        SequenceBound::Unsaid => old.map_or(low, |old| old.minimum.0),
        SequenceBound::None => low,
    };
    let maximum = match &create.maximum {
        SequenceBound::Value(expr) => number_of(expr, "MAXVALUE", ty)?,
        SequenceBound::Unsaid => old.map_or(high, |old| old.maximum.0),
        SequenceBound::None => high,
    };
    if minimum >= maximum {
        return Err(sql_error!(11705, shown));
    }
    // Of decimals the difference may be more than a number holds; no increment is.
    if maximum.checked_sub(minimum).is_some_and(|range| increment.abs() > range) {
        return Err(sql_error!(11701, shown));
    }
    let first = if increment > 0 { minimum } else { maximum };
    let start = match &create.start {
        Some(expr) => number_of(expr, if create.alter { "RESTART WITH" } else { "START WITH" }, ty)?,
        None => old.map_or(first, |old| old.start.0),
    };
    let current = last.unwrap_or(start);
    if !(minimum..=maximum).contains(&current) {
        let continues = create.alter && !create.restart;
        return Err(if continues { sql_error!(11704, current, shown) } else { sql_error!(11703, shown) });
    }
    Ok(Counting { start, increment, minimum, maximum })
}
