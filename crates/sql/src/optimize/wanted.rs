//! Which statistics a plan would like: of the columns that predicates, joins and groups read, where there is something to choose. A look-up
//! by a unique key and a scan without a test ask for nothing. Of many tables that are joined, small ones are looked into.

use std::sync::Arc;

use types::convert::NO_STYLE;
use types::like::LikePattern;
use types::pause::Pacer;
use types::{ConvertContext, Datum, SqlType};

use super::constant::{equal_columns, plain, value_of};
use super::estimate;
use super::rel::{ColumnId, ColumnSet, Get, Rel};
use crate::catalog::{Catalog, ColumnTest, USER_OBJECT_MIN};
use crate::plan::{Expr, ExprKind, TableSource};
use crate::statistics::{FoundKeys, MetPart, Wanted, Watch};

/// Asks for more would come from generated statements.
const WANTED_MAX: usize = 32;
/// Tables of which there are as many orders that a poor one is dear.
const ORDERED_MIN: usize = 4;
/// A table is read while a plan is made if the largest one has at least so many times its rows, and it no more than this.
const LARGER_MIN: u64 = 32;
const READ_ROWS_MAX: u64 = 200_000;
/// Some leaves of a table of at least so many rows are looked into for the keys that were found, if they are few; so many rows with one of them
/// tell.
const MET_ROWS_MIN: u64 = 10_000;
const MET_KEYS_MAX: usize = 1_000;
const MET_MIN: u32 = 16;

/// Puts into `rel`, whose predicates are where they belong, what the catalog knows of its tables' values.
pub fn attach(rel: &mut Rel, catalog: &dyn Catalog, watches: &mut Vec<Arc<dyn Watch>>) {
    let (mut tables, mut largest) = (0, 0);
    let mut used = ColumnSet::default();
    let mut groups = ColumnSet::default();
    collect(rel, &mut used, &mut groups, &mut |get| {
        tables += 1;
        largest = largest.max(get.rows);
    });
    if tables > 1 {
        used.insert_all(&groups);
    }
    if tables == 0 || used.is_empty() || tables == 1 && is_one_row(rel) {
        return;
    }
    fill(rel, &used, catalog, watches);
    if tables >= ORDERED_MIN {
        let mut small = Vec::new();
        find(rel, &used, catalog, READ_ROWS_MAX.min(largest / LARGER_MIN), &mut small);
        if !small.is_empty() {
            let mut equal = Vec::new();
            equalities(rel, &mut equal);
            meet(rel, &small, &equal, catalog);
        }
    }
}

/// `groups`: columns by which rows are grouped, which decides nothing where there is one table.
fn collect(rel: &Rel, used: &mut ColumnSet, groups: &mut ColumnSet, table: &mut dyn FnMut(&Get)) {
    match rel {
        Rel::Get(get) if has_statistics(get) => table(get),
        Rel::Filter { predicates, .. } => predicates.iter().for_each(|p| used.insert_expr(p)),
        Rel::Join(join) => join.on.iter().for_each(|p| used.insert_expr(p)),
        Rel::Aggregate(group) => group.group.iter().for_each(|(_, e)| groups.insert_expr(e)),
        _ => {}
    }
    rel.for_each_input(&mut |input| collect(input, used, groups, table));
}

/// Of a relation with one table: there is one row at most.
fn is_one_row(rel: &Rel) -> bool {
    if let Rel::Filter { input, predicates } = rel
        && let Rel::Get(get) = &**input
    {
        return estimate::is_one_row(get, predicates);
    }
    let mut one_row = false;
    rel.for_each_input(&mut |input| one_row |= is_one_row(input));
    one_row
}

/// The server's own tables, those of variables and triggers, and memory-optimized ones have none.
fn has_statistics(get: &Get) -> bool {
    let object = get.table.object.0;
    matches!(get.source, TableSource::Base(_)) && !(0..USER_OBJECT_MIN).contains(&object) && get.table.memory.is_none()
}

fn fill(rel: &mut Rel, used: &ColumnSet, catalog: &dyn Catalog, watches: &mut Vec<Arc<dyn Watch>>) {
    let Rel::Get(get) = rel else {
        return rel.for_each_input_mut(&mut |input| fill(input, used, catalog, watches));
    };
    if !has_statistics(get) {
        return;
    }
    let wanted = wanted(get, used);
    if !wanted.is_empty() {
        get.statistics = catalog.statistics(&get.table, &wanted);
        watches.extend(get.statistics.watch.take());
    }
}

/// An index that begins with a column knows it, and what belongs together besides.
fn wanted(get: &Get, used: &ColumnSet) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for column in 0..get.table.columns.len() as u16 {
        if !used.contains(get.id_of(column)) || !get.table.is_countable(column) {
            continue;
        }
        let indexes = get.table.indexes.iter().filter(|index| {
            let first = index.key.first().is_some_and(|(first, _)| *first == column);
            first && index.filter.is_empty() && !index.disabled
        });
        let before = wanted.len();
        wanted.extend(indexes.map(|index| Wanted::Index(index.id)));
        if wanted.len() == before {
            wanted.push(Wanted::Column(column));
        }
    }
    wanted.truncate(WANTED_MAX);
    wanted
}

/// Of small tables, which rows a constant in a column leaves: which of the values of a skewed column these are, of which a large table has
/// many rows or few, says nobody else.
fn find(rel: &mut Rel, used: &ColumnSet, catalog: &dyn Catalog, rows_max: u64, small: &mut Vec<Small>) {
    if let Rel::Filter { input, predicates } = rel
        && let Rel::Get(get) = &mut **input
    {
        if has_statistics(get) && get.rows <= rows_max {
            let keys = found(get, predicates, used, catalog);
            small.extend(keys.as_ref().filter(|found| found.keys.len() <= MET_KEYS_MAX).map(|found| {
                let mut keys = found.keys.clone();
                keys.sort_unstable();
                Small { id: get.id_of(found.column), ty: get.table.columns[usize::from(found.column)].ty, keys }
            }));
            get.statistics.found = keys;
        }
        return;
    }
    rel.for_each_input_mut(&mut |input| find(input, used, catalog, rows_max, small));
}

/// A few keys that were found in a column of a small table, in order.
struct Small {
    id: ColumnId,
    ty: SqlType,
    keys: Vec<Box<[u8]>>,
}

/// Which columns joins make equal.
fn equalities(rel: &Rel, equal: &mut Vec<(ColumnId, ColumnId)>) {
    if let Rel::Join(join) = rel {
        equal.extend(join.on.iter().filter_map(equal_columns));
    }
    rel.for_each_input(&mut |input| equalities(input, equal));
}

/// Of larger tables that are joined with those, what part of the rows that have a found key pass the constants: which kind of row it is decides
/// about its other values.
fn meet(rel: &mut Rel, small: &[Small], equal: &[(ColumnId, ColumnId)], catalog: &dyn Catalog) {
    if let Rel::Filter { input, predicates } = rel
        && let Rel::Get(get) = &mut **input
    {
        if has_statistics(get) && get.rows >= MET_ROWS_MIN {
            for one in small {
                let other = |&(a, b): &(ColumnId, ColumnId)| match (a == one.id, b == one.id) {
                    (true, _) => get.column_of(b),
                    (_, true) => get.column_of(a),
                    _ => None,
                };
                let column = equal.iter().find_map(other);
                let column = column.filter(|column| get.table.columns[usize::from(*column)].ty == one.ty);
                let met = column.and_then(|column| met(get, predicates, column, &one.keys, catalog));
                get.statistics.met.extend(met);
            }
        }
        return;
    }
    rel.for_each_input_mut(&mut |input| meet(input, small, equal, catalog));
}

/// None: too few rows were seen to tell.
fn met(get: &Get, predicates: &[Expr], column: u16, keys: &[Box<[u8]>], catalog: &dyn Catalog) -> Option<MetPart> {
    let (mut tests, mut others) = (Vec::new(), Vec::new());
    for predicate in predicates {
        match column_test(get, predicate) {
            Some(test) => tests.push(test),
            None => others.push(predicate),
        }
    }
    if tests.is_empty() {
        return None;
    }
    let met = catalog.met(&get.table, &mut tests, column, keys)?;
    // Where none passed it may be the next one.
    let part = f64::from(met.passed).max(0.5) / f64::from(met.rows);
    (met.rows >= MET_MIN).then(|| MetPart { column, part: part * estimate::part(get, others.into_iter()) })
}

/// By those of the predicates that can be asked here.
fn found(get: &Get, predicates: &[Expr], used: &ColumnSet, catalog: &dyn Catalog) -> Option<FoundKeys> {
    let mut tests: Vec<ColumnTest<'_>> =
        predicates.iter().filter_map(|predicate| column_test(get, predicate)).collect();
    if tests.is_empty() {
        return None;
    }
    // What is said of a key itself its histogram knows.
    let is_tested = |column: u16| tests.iter().any(|(tested, _)| *tested == column);
    let column = get.table.indexes.iter().find_map(|index| match index.key.as_slice() {
        [(column, _)] if index.unique && index.filter.is_empty() && !is_tested(*column) => Some(*column),
        _ => None,
    });
    let column = column.filter(|&column| used.contains(get.id_of(column)))?;
    Some(FoundKeys { column, keys: catalog.keys_where(&get.table, &mut tests, column)? })
}

/// Which column of the table a predicate asks of, and what.
fn column_test<'p>(get: &Get, predicate: &'p Expr) -> Option<ColumnTest<'p>> {
    let (value, mut passes) = test(predicate)?;
    let tested = get.column_of(plain(value)?).filter(|&column| get.table.is_countable(column))?;
    let (from, to) = (get.table.columns[usize::from(tested)].ty, value.ty);
    if from == to {
        return Some((tested, passes));
    }
    let converted = move |own: &Datum| {
        types::convert(own, &from, &to, NO_STYLE, &ConvertContext::ASSIGN).is_ok_and(|own| passes(&own))
    };
    Some((tested, Box::new(converted)))
}

type Test<'p> = Box<dyn FnMut(&Datum) -> bool + 'p>;

/// What a predicate asks of a value, and of which one: where it has no other but constants.
fn test(predicate: &Expr) -> Option<(&Expr, Test<'_>)> {
    match &predicate.kind {
        ExprKind::Compare { op, left, right, null_equal: false } => {
            let (value, constant, op) =
                if plain(left).is_some() { (&**left, right, *op) } else { (&**right, left, op.swapped()) };
            let wanted = constant_as(constant, &value.ty)?;
            let passes = move |own: &Datum| op.holds(types::compare::compare(own, &wanted, &value.ty));
            Some((value, Box::new(passes)))
        }
        ExprKind::InList { value, list } => {
            let list = list.iter().map(|item| constant_as(item, &value.ty)).collect::<Option<Vec<Datum>>>()?;
            let passes =
                move |own: &Datum| list.iter().any(|item| types::compare::compare(own, item, &value.ty).is_eq());
            Some((value, Box::new(passes)))
        }
        ExprKind::Like { value, pattern, escape: None } => {
            let Some(Datum::Bytes(bytes)) = value_of(pattern) else { return None };
            let pattern = LikePattern::new(&pattern.ty, &bytes, None, &mut Pacer::none()).ok()?;
            let passes = move |own: &Datum| match own {
                Datum::Bytes(own) => pattern.matches(own, &mut Pacer::none()).unwrap_or(false),
                _ => false,
            };
            Some((value, Box::new(passes)))
        }
        // Any of some tests of one column.
        ExprKind::Or(arms) => {
            let mut tests = arms.iter().map(test).collect::<Option<Vec<_>>>()?;
            let value = tests.first()?.0;
            let same = |other: &Expr| plain(other).is_some() && plain(other) == plain(value) && other.ty == value.ty;
            if !tests.iter().all(|(other, _)| same(other)) {
                return None;
            }
            Some((value, Box::new(move |own: &Datum| tests.iter_mut().any(|(_, passes)| passes(own)))))
        }
        _ => None,
    }
}

/// Not NULL.
fn constant_as(constant: &Expr, to: &SqlType) -> Option<Datum> {
    let value = types::convert(&value_of(constant)?, &constant.ty, to, NO_STYLE, &ConvertContext::ASSIGN).ok()?;
    (!value.is_null()).then_some(value)
}
