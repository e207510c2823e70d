//! How to read one table: which index, which bounds, what is left to test on each row.

use types::{Datum, KeySet, SqlType};

use super::constant::{constant_key, plain, stripped};
use super::estimate::{self, table_rows};
use super::rel::{ColumnId, Get};
use crate::catalog::{IndexDef, IndexKind};
use crate::plan::{Bound, CompareOp, Expr, ExprKind, TableSource};

/// A way to read `get`; expressions still hold column ids.
#[derive(Debug)]
pub struct Access {
    /// 0: the heap.
    pub index: u32,
    pub equal: Vec<Expr>,
    pub lower: Option<(Expr, Bound)>,
    pub upper: Option<(Expr, Bound)>,
    pub any_of: Vec<Expr>,
    /// Indexes of the predicates that the bounds make certain.
    pub consumed: Vec<usize>,
    pub lookup: bool,
    pub backward: bool,
    /// The wanted order is given.
    pub ordered: bool,
    /// A unique key is fixed: there is at most one row, whatever the estimates say.
    pub one_row: bool,
    pub rows: f64,
    pub cost: f64,
}

/// What the bounds of a seek make of its rows.
struct Sought {
    /// Columns of the key that are fixed to one value.
    fixed: Vec<u16>,
    rows: f64,
    /// The rows are not a guess.
    known: bool,
}

impl Access {
    /// Of a seek that finds so many times the rows that it usually does.
    pub fn cost_times(&self, times: f64) -> f64 {
        let fixed = SEEK_COST.min(self.cost);
        fixed + (self.cost - fixed) * times
    }

    pub fn is_seek(&self) -> bool {
        !self.equal.is_empty() || self.lower.is_some() || self.upper.is_some() || !self.any_of.is_empty()
    }

    /// The bounds name at least one value of the first key column.
    pub fn is_lookup(&self) -> bool {
        !self.equal.is_empty() || !self.any_of.is_empty()
    }
}

/// How the rows of a table are read.
pub enum Way {
    OneScan,
    /// Of the predicates, the OR whose arms are read one after another.
    Arms(usize),
    /// Put aside by what each outer row asks of them.
    OuterRows,
}

/// A predicate of the form `column op value`, value without columns of this table.
struct Sarg<'a> {
    predicate: usize,
    column: u16,
    kind: SargKind<'a>,
    /// The predicate compares the column converted to another type: the value must be brought to the column's type and the
    /// predicate tested again.
    converted: bool,
}

enum SargKind<'a> {
    Compare(CompareOp, &'a Expr),
    In(&'a [Expr]),
    /// LIKE, whose matches begin with some letters.
    Like(&'a Expr),
}

/// What reading a row costs: a row of the clustered index is 1.
pub const SEEK_COST: f64 = 3.0;
/// A page of its own for each row. Reading 30 % of a million rows so took 4.8 times the time of a scan, 1 microsecond a row.
const LOOKUP_COST: f64 = 12.0;
/// Where the rows are a guess, since a needless scan of the table is the dearer error; and in a table of a few pages, where a seek locks
/// less and grows with it.
const LIGHT_LOOKUP_COST: f64 = 3.0;
const LIGHT_ROWS_MAX: f64 = 1000.0;

/// A table with fewer rows is scanned as fast as it is put aside by a key.
pub const SPOOLED_ROWS_MIN: u64 = 32;
/// A scan meets the locks of all rows, also in a table of a few: a seek is the better way then, too.
const SCAN_COST_MIN: f64 = 100.0;

/// The cheapest way to read the columns `needed` of the rows that pass `predicates`. `wanted`: an order that is worth a sort.
pub fn choose(get: &Get, predicates: &[Expr], needed: &[u16], wanted: &[(u16, bool)], row_goal: Option<f64>) -> Access {
    let sargs = sargs(get, predicates);
    let is_base = !matches!(get.source, TableSource::Inserted(_) | TableSource::Deleted(_));
    // The rows of a trigger have no index: an order comes by a sort, and without one they are read as they come.
    let indexes = if is_base { get.table.indexes.as_slice() } else { &[] };
    let clustered = indexes.iter().find(|index| index.kind == IndexKind::Clustered && !index.disabled);
    let mut best: Option<Access> = None;
    let mut offer = |access: Access| {
        if best.as_ref().is_none_or(|old| access.cost < old.cost) {
            best = Some(access);
        }
    };
    let residual: f64 = estimate::filtered(get, predicates);
    if clustered.is_none() && get.forced_index.is_none_or(|id| id == 0) {
        let rows = table_rows(get).max(SCAN_COST_MIN);
        offer(Access {
            index: 0,
            equal: Vec::new(),
            lower: None,
            upper: None,
            any_of: Vec::new(),
            consumed: Vec::new(),
            lookup: false,
            backward: false,
            ordered: false,
            one_row: false,
            rows: residual,
            cost: rows + if wanted.is_empty() { 0.0 } else { sort_cost(residual) },
        });
    }
    for index in indexes {
        if index.disabled
            || !filter_is_implied(get, index, predicates)
            || get.forced_index.is_some_and(|id| id != index.id)
        {
            continue;
        }
        offer(with_index(get, index, clustered, predicates, &sargs, needed, wanted, row_goal, residual));
    }
    best.unwrap_or_else(|| choose_any(get, residual))
}

/// Only when a hint names an index that cannot be used.
fn choose_any(get: &Get, rows: f64) -> Access {
    let index = get.table.indexes.iter().find(|index| index.kind == IndexKind::Clustered).map_or(0, |index| index.id);
    Access {
        index,
        equal: Vec::new(),
        lower: None,
        upper: None,
        any_of: Vec::new(),
        consumed: Vec::new(),
        lookup: false,
        backward: false,
        ordered: false,
        one_row: false,
        rows,
        cost: table_rows(get),
    }
}

/// The index of the hint is a filtered one that could not be used.
pub fn misses_rows(get: &Get, access: &Access) -> bool {
    let forced = get.table.indexes.iter().find(|index| Some(index.id) == get.forced_index);
    forced.is_some_and(|index| index.id != access.index && !index.filter.is_empty())
}

fn sort_cost(rows: f64) -> f64 {
    rows * rows.max(2.0).log2() * 0.3
}

#[allow(clippy::too_many_arguments)]
fn with_index(
    get: &Get,
    index: &IndexDef,
    clustered: Option<&IndexDef>,
    predicates: &[Expr],
    sargs: &[Sarg],
    needed: &[u16],
    wanted: &[(u16, bool)],
    row_goal: Option<f64>,
    rows_out: f64,
) -> Access {
    let is_clustered = index.kind == IndexKind::Clustered;
    let has = |column: &u16| {
        is_clustered
            // The rows themselves hang in each of its indexes.
            || get.table.memory.is_some()
            || index.key.iter().any(|(c, _)| c == column)
            || index.included.contains(column)
            || clustered.is_some_and(|clustered| clustered.key.iter().any(|(c, _)| c == column))
    };
    let lookup = !needed.iter().all(has);
    let mut access = Access {
        index: index.id,
        equal: Vec::new(),
        lower: None,
        upper: None,
        any_of: Vec::new(),
        consumed: Vec::new(),
        lookup,
        backward: false,
        ordered: false,
        one_row: false,
        rows: rows_out,
        cost: 0.0,
    };
    let Sought { fixed, rows: mut seek_rows, known } = seek(&mut access, get, index, predicates, sargs);
    let all_fixed = index.unique && index.key.len() == access.equal.len();
    if all_fixed {
        seek_rows = 1.0;
    }
    access.one_row = all_fixed;
    // What is known to begin with nothing only when it runs would have every row looked up.
    if let (true, Some((pattern, Bound::Pattern))) = (lookup, &access.lower)
        && !matches!(pattern.kind, ExprKind::Literal(_))
    {
        access.lower = None;
        seek_rows = table_rows(get);
    }
    seek_rows = seek_rows.max(1.0).max(rows_out.min(seek_rows));

    let direction = given_order(get, index, clustered, &fixed, all_fixed, wanted);
    access.ordered = direction.is_some()
        && keeps_order(get, index, sargs)
        && (index.bucket_count.is_none() || all_fixed)
        && (access.any_of.is_empty() || direction == Some(false));
    access.backward = access.ordered && direction == Some(true);

    let mut read = if access.is_seek() { seek_rows } else { seek_rows.max(SCAN_COST_MIN) };
    if let (Some(goal), true) = (row_goal, access.ordered || wanted.is_empty()) {
        // A TOP above stops the scan early: on the way to `goal` rows it passes some that the residual refuses.
        read = read.min(goal * (seek_rows / rows_out.max(1.0)).max(1.0));
    }
    let width = if is_clustered || get.table.memory.is_some() {
        1.0
    } else {
        0.5 + 0.02 * (index.key.len() + index.included.len()).min(20) as f64
    };
    let lookup_cost = match (lookup, known) {
        (false, _) => 0.0,
        (true, true) if table_rows(get) > LIGHT_ROWS_MAX => LOOKUP_COST,
        (true, _) => LIGHT_LOOKUP_COST,
    };
    access.cost = read * (width + lookup_cost);
    if access.is_seek() {
        access.cost += SEEK_COST * access.any_of.len().max(1) as f64;
    } else if get.force_seek {
        access.cost += 1e12;
    }
    if !wanted.is_empty() && !access.ordered {
        access.cost += sort_cost(rows_out);
    }
    access
}

/// What predicates say of a partitioned table's column, as a seek of an index on it alone. None: nothing, or there are no partitions.
pub fn partitions(get: &Get, predicates: &[Expr]) -> Option<Access> {
    let partitioning = get.table.partitioning.as_ref()?;
    let index = IndexDef {
        id: 0,
        name: "".into(),
        unique: false,
        kind: IndexKind::Nonclustered,
        primary_key: false,
        unique_constraint: false,
        key: vec![(partitioning.column, false)],
        included: Vec::new(),
        filter: Vec::new(),
        disabled: false,
        statistics_kept: false,
        ignores_duplicates: false,
        bucket_count: None,
    };
    let mut access = choose_any(get, 0.0);
    seek(&mut access, get, &index, predicates, &sargs(get, predicates));
    access.is_seek().then_some(access)
}

/// The order of an index is that of all rows: there is one partition, or what the index begins with says which one comes first.
fn keeps_order(get: &Get, index: &IndexDef, sargs: &[Sarg]) -> bool {
    let Some(partitioning) = &get.table.partitioning else { return true };
    let is_fixed =
        |sarg: &Sarg| sarg.column == partitioning.column && matches!(sarg.kind, SargKind::Compare(CompareOp::Equal, _));
    index.key.first().is_some_and(|(column, _)| *column == partitioning.column) || sargs.iter().any(is_fixed)
}

/// Where the predicates let a reader go in the index: as many first columns of its key as they fix, then a list or a range.
fn seek(access: &mut Access, get: &Get, index: &IndexDef, predicates: &[Expr], sargs: &[Sarg]) -> Sought {
    let entries = table_rows(get) * index.filter.iter().map(|term| share(&term.keys)).product::<f64>();
    // The predicates that bound it.
    let mut bounding: Vec<usize> = Vec::new();
    let mut fixed: Vec<u16> = Vec::new();
    for (column, descending) in &index.key {
        let ty = get.table.columns[*column as usize].ty;
        let equal =
            sargs.iter().find(|s| s.column == *column && matches!(s.kind, SargKind::Compare(CompareOp::Equal, _)));
        if let Some(sarg @ Sarg { kind: SargKind::Compare(_, value), .. }) = equal {
            access.equal.push(brought(value, ty, sarg.converted));
            bounding.push(sarg.predicate);
            fixed.push(*column);
            if !sarg.converted {
                access.consumed.push(sarg.predicate);
            }
            continue;
        }
        let list = sargs.iter().find(|s| s.column == *column && matches!(s.kind, SargKind::In(_)));
        if let Some(sarg @ Sarg { kind: SargKind::In(values), .. }) = list {
            access.any_of = values.iter().map(|value| brought(value, ty, sarg.converted)).collect();
            bounding.push(sarg.predicate);
            if !sarg.converted {
                access.consumed.push(sarg.predicate);
            }
            break;
        }
        let own = || sargs.iter().filter(|s| s.column == *column);
        range(access, own(), ty, &mut bounding);
        if access.lower.is_none() && access.upper.is_none() && !descending {
            let like = own().find_map(|sarg| match sarg.kind {
                SargKind::Like(pattern) => Some((sarg.predicate, pattern)),
                _ => None,
            });
            access.lower = like.map(|(_, pattern)| (pattern.clone(), Bound::Pattern));
            bounding.extend(like.map(|(predicate, _)| predicate));
        }
        break;
    }
    // A hash index finds whole keys, and gives them in no order.
    if index.bucket_count.is_some() && access.equal.len() + usize::from(!access.any_of.is_empty()) < index.key.len() {
        (access.equal, access.any_of) = (Vec::new(), Vec::new());
        (access.lower, access.upper) = (None, None);
        access.consumed.clear();
        fixed.clear();
        bounding.clear();
    }
    // NULLs are the lowest keys: with an upper bound alone they are within it, so the predicate must be tested again.
    if access.upper.is_some() && access.lower.is_none() {
        let column = index.key[access.equal.len()].0;
        if get.table.columns[column as usize].nullable {
            access
                .consumed
                .retain(|&p| !sargs.iter().any(|s| s.predicate == p && s.column == column && !fixed.contains(&column)));
        }
    }
    let bounding = bounding.iter().map(|&at| &predicates[at]);
    let known = !bounding.clone().any(|predicate| estimate::is_guess(get, predicate));
    Sought { fixed, rows: entries * estimate::part(get, bounding), known }
}

/// The bounds that comparisons with one column give.
fn range<'s>(access: &mut Access, sargs: impl Iterator<Item = &'s Sarg<'s>>, ty: SqlType, bounding: &mut Vec<usize>) {
    for sarg in sargs {
        let SargKind::Compare(op, value) = sarg.kind else { continue };
        let (slot, bound) = match op {
            CompareOp::Greater => (&mut access.lower, Bound::Exclusive),
            CompareOp::GreaterOrEqual => (&mut access.lower, Bound::Inclusive),
            CompareOp::Less => (&mut access.upper, Bound::Exclusive),
            CompareOp::LessOrEqual => (&mut access.upper, Bound::Inclusive),
            _ => continue,
        };
        if slot.is_some() {
            continue;
        }
        if sarg.converted {
            // A wider bound: the conversion rounds.
            let Some(value) = nearest(value, ty) else { continue };
            *slot = Some((value, Bound::Inclusive));
        } else {
            *slot = Some(((*value).clone(), bound));
            access.consumed.push(sarg.predicate);
        }
        bounding.push(sarg.predicate);
    }
}

/// Which part of a table's rows has a value of the set, as far as one can tell without its values.
fn share(keys: &KeySet) -> f64 {
    match (keys.null_test(), keys.value_count()) {
        (Some((null, others)), _) => 0.1 * f64::from(null) + 0.9 * f64::from(others),
        (None, Some(values)) => (0.05 * values as f64).min(0.5),
        (None, None) => 0.3,
    }
}

/// Every row that passes `predicates` is in the index.
fn filter_is_implied(get: &Get, index: &IndexDef, predicates: &[Expr]) -> bool {
    index.filter.iter().all(|term| {
        let not_null = !get.table.columns[usize::from(term.column)].nullable;
        let mut known = if not_null { KeySet::not_null() } else { KeySet::null().union(KeySet::not_null()) };
        for keys in predicates.iter().filter_map(|predicate| values_of(get, term.column, predicate)) {
            known = known.intersection(&keys);
        }
        known.is_subset(&term.keys)
    })
}

/// `term`, a column of the table compared with constants, is true of all rows of which `predicates` are.
pub fn follows(get: &Get, term: &Expr, predicates: &[Expr]) -> bool {
    let compared = match &term.kind {
        ExprKind::Compare { left, right, null_equal: false, .. } => [(left, &**right), (right, &**left)]
            .into_iter()
            .find_map(|(own, value)| Some((plain(own)?, own, std::slice::from_ref(value)))),
        ExprKind::InList { value, list } => plain(value).map(|id| (id, value, list.as_slice())),
        _ => None,
    };
    let Some((column, own, values)) = compared.and_then(|(id, own, values)| Some((get.column_of(id)?, own, values)))
    else {
        return false;
    };
    // The set is all that the term says.
    if !values.iter().all(|value| constant_key(get, column, own, value).is_some()) {
        return false;
    }
    let Some(wanted) = values_of(get, column, term) else { return false };
    let mut known: Option<KeySet> = None;
    for keys in predicates.iter().filter_map(|predicate| values_of(get, column, predicate)) {
        known = Some(known.map_or(keys.clone(), |known| known.intersection(&keys)));
    }
    known.is_some_and(|known| known.is_subset(&wanted))
}

/// The values of a column with which the predicate can be true, or more. None: it says nothing about the column.
fn values_of(get: &Get, column: u16, predicate: &Expr) -> Option<KeySet> {
    let is_column = |expr: &Expr| stripped(expr) == Some(get.id_of(column));
    match &predicate.kind {
        ExprKind::Compare { op, left, right, null_equal: false } => {
            let (own, value, op) = match (is_column(left), is_column(right)) {
                (true, _) => (left, right, *op),
                (_, true) => (right, left, op.swapped()),
                _ => return None,
            };
            let Some(key) = constant_key(get, column, own, value) else { return Some(KeySet::not_null()) };
            Some(match op {
                CompareOp::Equal => KeySet::equal(&key),
                CompareOp::NotEqual => KeySet::less(&key, false).union(KeySet::greater(&key, false)),
                CompareOp::Less => KeySet::less(&key, false),
                CompareOp::LessOrEqual => KeySet::less(&key, true),
                CompareOp::Greater => KeySet::greater(&key, false),
                CompareOp::GreaterOrEqual => KeySet::greater(&key, true),
            })
        }
        ExprKind::InList { value, list } if is_column(value) => {
            let keys = list.iter().map(|item| constant_key(get, column, value, item));
            let sets = keys.map(|key| key.map(|key| KeySet::equal(&key)));
            let all =
                sets.collect::<Option<Vec<_>>>().map(|sets| sets.into_iter().fold(KeySet::empty(), KeySet::union));
            Some(all.unwrap_or_else(KeySet::not_null))
        }
        ExprKind::Like { value, .. } if is_column(value) => Some(KeySet::not_null()),
        ExprKind::IsNull(value) if is_column(value) => Some(KeySet::null()),
        // What is not true of NULL is not false of it either.
        ExprKind::Not(inner) => match &inner.kind {
            ExprKind::IsNull(value) if is_column(value) => Some(KeySet::not_null()),
            ExprKind::Compare { .. } | ExprKind::InList { .. } | ExprKind::Like { .. } => {
                values_of(get, column, inner).map(|_| KeySet::not_null())
            }
            _ => None,
        },
        ExprKind::Or(parts) => {
            let sets = parts.iter().map(|part| values_of(get, column, part)).collect::<Option<Vec<_>>>();
            Some(sets?.into_iter().fold(KeySet::empty(), KeySet::union))
        }
        ExprKind::And(parts) => {
            parts.iter().filter_map(|part| values_of(get, column, part)).reduce(|a, b| a.intersection(&b))
        }
        _ => None,
    }
}

/// Some(backward) when a scan of the index gives `wanted`.
fn given_order(
    get: &Get,
    index: &IndexDef,
    clustered: Option<&IndexDef>,
    fixed: &[u16],
    one_row: bool,
    wanted: &[(u16, bool)],
) -> Option<bool> {
    if wanted.is_empty() {
        return None;
    }
    if one_row {
        return Some(false);
    }
    let mut keys = index.key.clone();
    // A nonclustered index that is not unique is ordered by the clustered key behind its own.
    if index.kind == IndexKind::Nonclustered && !index.unique {
        keys.extend(
            clustered
                .iter()
                .flat_map(|c| c.key.iter().copied())
                .filter(|(c, _)| !index.key.iter().any(|(k, _)| k == c)),
        );
    }
    let unique_keys = index.unique && index.key.iter().all(|(c, _)| !get.table.columns[*c as usize].nullable);
    let mut keys = keys.into_iter();
    let mut backward = None;
    for &(column, descending) in wanted {
        if fixed.contains(&column) {
            continue;
        }
        let key = loop {
            match keys.next() {
                Some((c, _)) if fixed.contains(&c) && c != column => continue,
                other => break other,
            }
        };
        match key {
            Some((c, key_descending)) if c == column => {
                let turned = key_descending != descending;
                if *backward.get_or_insert(turned) != turned {
                    return None;
                }
            }
            // All of a unique key is passed: nothing is left to order.
            None if unique_keys => break,
            _ => return None,
        }
    }
    Some(backward.unwrap_or(false))
}

/// The value as the key column's type. TRY: what has no counterpart in that type equals no key, so NULL (an empty seek) is right.
fn brought(value: &Expr, ty: SqlType, converted: bool) -> Expr {
    if !converted {
        return value.clone();
    }
    Expr::new(
        ty,
        true,
        ExprKind::Convert { value: Box::new(value.clone()), style: None, attempt: true, explicit: false },
    )
}

/// The value of type `ty` nearest to `value`, which is of a type that `ty` converts to without loss: a bound for it, since the
/// conversion back keeps the order. None where it does not.
fn nearest(value: &Expr, ty: SqlType) -> Option<Expr> {
    use types::TypeKind::*;
    let nines = |count: u8| "9".repeat(count as usize);
    let decimal = format!("{}.{}", nines(ty.precision.saturating_sub(ty.scale)), nines(ty.scale));
    let (middle, lowest, highest) = match ty.kind {
        TinyInt => ("0", "0", "255"),
        SmallInt => ("0", "-32768", "32767"),
        Int => ("0", "-2147483648", "2147483647"),
        BigInt => ("0", "-9223372036854775808", "9223372036854775807"),
        Decimal | Numeric => ("0", &*format!("-{decimal}"), &*decimal),
        Date => ("2000-01-01", "0001-01-01", "9999-12-31"),
        SmallDateTime => ("2000-01-01", "1900-01-01", "2079-06-06T23:59:00"),
        DateTime => ("2000-01-01", "1753-01-01", "9999-12-31T23:59:59.997"),
        _ => return None,
    };
    let text = |text: &str, ty| {
        let literal = Expr::new(SqlType::varchar(40), false, ExprKind::Literal(Datum::bytes(text.as_bytes())));
        brought(&literal, ty, true)
    };
    let tried = brought(value, ty, true);
    let case = |test, then, otherwise| {
        let branches = vec![(Expr::new(SqlType::BIT, true, test), then)];
        Expr::new(ty, true, ExprKind::Case { branches, otherwise: Some(Box::new(otherwise)) })
    };
    let is_above = ExprKind::Compare {
        op: CompareOp::Greater,
        left: Box::new(value.clone()),
        right: Box::new(text(middle, value.ty)),
        null_equal: false,
    };
    let beyond = case(is_above, text(highest, ty), text(lowest, ty));
    Some(case(ExprKind::IsNull(Box::new(tried.clone())), beyond, tried))
}

fn sargs<'a>(get: &Get, predicates: &'a [Expr]) -> Vec<Sarg<'a>> {
    let mut out = Vec::new();
    for (predicate, expr) in predicates.iter().enumerate() {
        match &expr.kind {
            ExprKind::Compare { op, left, right, null_equal: false } if *op != CompareOp::NotEqual => {
                let sides = [(left, right, *op), (right, left, op.swapped())];
                for (column, value, op) in sides {
                    let Some((column, converted)) = key_column(get, column) else { continue };
                    let converted = converted || !is_key_of(&value.ty, &get.table.columns[column as usize].ty);
                    if outside(get, value) {
                        out.push(Sarg { predicate, column, kind: SargKind::Compare(op, value), converted });
                        break;
                    }
                }
            }
            ExprKind::InList { value, list } => {
                let Some((column, converted)) = key_column(get, value) else { continue };
                let ty = get.table.columns[column as usize].ty;
                let converted = converted || !list.iter().all(|e| is_key_of(&e.ty, &ty));
                if list.iter().all(|e| outside(get, e)) {
                    out.push(Sarg { predicate, column, kind: SargKind::In(list), converted });
                }
            }
            ExprKind::Like { value, pattern, escape: None } => {
                let Some(column) = text_column(get, value, pattern) else { continue };
                out.push(Sarg { predicate, column, kind: SargKind::Like(pattern), converted: true });
            }
            _ => {}
        }
    }
    out
}

/// The column that is compared with a pattern, if its keys tell what its texts begin with, and the pattern begins with something.
fn text_column(get: &Get, value: &Expr, pattern: &Expr) -> Option<u16> {
    let column = plain(value).and_then(|id| get.column_of(id))?;
    let ty = get.table.columns[usize::from(column)].ty;
    let is_alike = |other: &SqlType| {
        other.is_string() && other.is_ansi_string() == ty.is_ansi_string() && other.collation == ty.collation
    };
    let begins = match &pattern.kind {
        ExprKind::Literal(Datum::Bytes(bytes)) => {
            bytes.first().is_some_and(|first| first.is_ascii() && !b"%_[ ".contains(first))
        }
        ExprKind::Literal(_) => false,
        _ => true,
    };
    let is_sought = ty.is_string() && is_alike(&value.ty) && is_alike(&pattern.ty) && get.table.memory.is_none();
    // Keys of texts that begin with some letters begin with these letters' weights: but for binary orders, in which blanks are another
    // matter, and alphabets in which what follows a letter may make another of it.
    let has_prefixes = || {
        let comparer = types::collation::comparer(&ty);
        !comparer.rules().binary && comparer.rules().tailoring.is_empty()
    };
    (is_sought && begins && outside(get, pattern) && has_prefixes()).then_some(column)
}

/// The value does not depend on the row that is read.
fn outside(get: &Get, value: &Expr) -> bool {
    let mut outside = !value.is_volatile();
    value.for_each_column(&mut |column| outside &= get.column_of(ColumnId(column as u32)).is_none());
    outside
}

/// The bare column, or the column in an implicit conversion that keeps different values different.
fn key_column(get: &Get, expr: &Expr) -> Option<(u16, bool)> {
    match &expr.kind {
        ExprKind::Column(column) => Some((get.column_of(ColumnId(*column as u32))?, false)),
        ExprKind::Convert { value, explicit: false, .. } => {
            let ExprKind::Column(column) = value.kind else { return None };
            let column = get.column_of(ColumnId(column as u32))?;
            is_lossless(&value.ty, &expr.ty).then_some((column, true))
        }
        _ => None,
    }
}

/// Values of `from`, which compares with `to` as it is, have keys among those of a column of type `to`.
fn is_key_of(from: &SqlType, to: &SqlType) -> bool {
    use types::TypeKind::*;
    match to.kind {
        _ if to.is_integer() || to.kind == Bit => from.length <= to.length && (from.kind == Bit || to.kind != Bit),
        Decimal | Numeric => from.precision <= to.precision,
        Binary | RowVersion => from.kind == to.kind && from.length == to.length,
        _ => true,
    }
}

/// A value of `from` converted to `to` and back is itself, and equality in `to` is no coarser than in `from`.
pub fn is_lossless(from: &SqlType, to: &SqlType) -> bool {
    use types::TypeKind::*;
    if from.is_integer() || from.kind == Bit {
        return to.is_integer()
            || to.is_decimal()
            || matches!(to.kind, Money)
            || to.kind == Float && from.kind != BigInt;
    }
    match (from.kind, to.kind) {
        (Decimal | Numeric, Decimal | Numeric) => {
            to.scale >= from.scale && to.precision - to.scale >= from.precision - from.scale
        }
        (Char | VarChar, NChar | NVarChar) => from.collation == to.collation && !from.is_max(),
        (Char, VarChar) | (NChar, NVarChar) => from.collation == to.collation,
        (VarChar, VarChar) | (NVarChar, NVarChar) | (VarBinary, VarBinary) | (Binary, VarBinary) => {
            from.collation == to.collation
        }
        (Date, SmallDateTime | DateTime | DateTime2) => true,
        (SmallDateTime, DateTime | DateTime2) | (DateTime, DateTime2) => true,
        (DateTime2, DateTime2) | (Time, Time) | (DateTimeOffset, DateTimeOffset) => to.scale >= from.scale,
        (Real, Float) => true,
        _ => false,
    }
}
