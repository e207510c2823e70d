//! Which statistics a plan would like: of the columns that predicates, joins and groups read, where there is something to choose. A look-up
//! by a unique key and a scan without a test ask for nothing.

use std::sync::Arc;

use super::estimate;
use super::rel::{ColumnSet, Get, Rel};
use crate::catalog::{Catalog, USER_OBJECT_MIN};
use crate::plan::TableSource;
use crate::statistics::{Wanted, Watch};

/// Asks for more would come from generated statements.
const WANTED_MAX: usize = 32;

/// Puts into `rel`, whose predicates are where they belong, what the catalog knows of its tables' values.
pub fn attach(rel: &mut Rel, catalog: &dyn Catalog, watches: &mut Vec<Arc<dyn Watch>>) {
    let mut tables = 0;
    let mut used = ColumnSet::default();
    let mut groups = ColumnSet::default();
    collect(rel, &mut used, &mut groups, &mut tables);
    if tables > 1 {
        used.insert_all(&groups);
    }
    if tables == 0 || used.is_empty() || tables == 1 && is_one_row(rel) {
        return;
    }
    fill(rel, &used, catalog, watches);
}

/// `groups`: columns by which rows are grouped, which decides nothing where there is one table.
fn collect(rel: &Rel, used: &mut ColumnSet, groups: &mut ColumnSet, tables: &mut usize) {
    match rel {
        Rel::Get(get) => *tables += usize::from(has_statistics(get)),
        Rel::Filter { predicates, .. } => predicates.iter().for_each(|p| used.insert_expr(p)),
        Rel::Join(join) => join.on.iter().for_each(|p| used.insert_expr(p)),
        Rel::Aggregate(group) => group.group.iter().for_each(|(_, e)| groups.insert_expr(e)),
        _ => {}
    }
    rel.for_each_input(&mut |input| collect(input, used, groups, tables));
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
