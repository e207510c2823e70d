//! ALTER TABLE ... SWITCH: a table or a partition gives its rows to another by exchanging trees. No row is touched, so all must be alike.
//! https://learn.microsoft.com/sql/t-sql/statements/alter-table-transact-sql

use std::sync::Arc;

use sql::ast::{self, Expr, ObjectName, Setting};
use sql::bind::FilterOwner;
use sql::catalog::{CheckDef, ForeignKeyDef, IndexDef, IndexKind, PartitionFunctionDef, TableDef, Versioning};
use storage::{IndexId, Part, TableId};
use types::key::KeyCodec;
use types::{Datum, KeySet, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::partition::{self, not_in_memory};
use super::site::{Ddl, place_of, written};
use super::versioned::full_name;
use crate::catalog::Database;
use crate::catalog::base::{ColumnRow, IndexRow, ObjectRow, column_status, object_status as os_};
use crate::catalog::error::storage_error;
use crate::catalog::load::{self, int};
use crate::catalog::partition::{self as kept, Otherwise, PARTITIONS_MAX};

/// The table of the statement, and the partition that it names.
pub struct Source<'a> {
    pub db: &'a Arc<Database>,
    pub row: &'a ObjectRow,
    pub table: &'a TableDef,
    pub partition: Option<&'a Expr>,
}

/// Between whole numbers that follow each other there is no value, so a range of them has two forms: from and to its values, or up to those
/// beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// Of what is to be within another.
    Narrow,
    /// Of what others are to be within.
    Wide,
}

/// One of the two.
struct Side<'a> {
    name: String,
    table: &'a TableDef,
    /// From 0.
    partition: Option<usize>,
}

impl Side<'_> {
    fn part(&self) -> Part {
        Part { table: TableId(self.table.object.0), partition: self.partition }
    }

    fn number(&self) -> usize {
        self.partition.map_or(1, |at| at + 1)
    }

    /// The values that its partition may have in the partitioning column, and that column.
    fn range(&self, ends: Ends) -> Option<(u16, KeySet)> {
        let (own, at) = (self.table.partitioning.as_ref()?, self.partition?);
        Some((own.column, range_of(&own.function, at, ends)))
    }
}

/// ALTER TABLE source SWITCH [PARTITION n] TO target [PARTITION m].
pub fn run(
    ddl: &mut Ddl<'_>,
    source: Source<'_>,
    (to, to_partition): (&ObjectName, Option<&Expr>),
    options: &[Setting],
) -> SqlResult<()> {
    if let Some(option) = options.iter().find(|option| &*option.name != "WAIT_AT_LOW_PRIORITY") {
        return Err(super::unsupported(&format!("ALTER TABLE SWITCH WITH ({})", option.name)));
    }
    let Some((db, row)) = ddl.find(to)? else { return Err(sql_error!(1088, state 29, written(to))) };
    if row.kind.as_str() != "U" {
        return Err(sql_error!(4949, written(to)));
    }
    if db.id != source.db.id {
        let (from, name) = (full_name(source.db, source.table), format!("{}.{}", db.name(), written(to)));
        return Err(sql_error!(4948, from, source.db.name(), name, db.name()));
    }
    if row.id == source.row.id {
        return Err(sql_error!(4955, source.row.name, row.name));
    }
    ddl.lock(&db, row.id)?;
    let target = ddl.reload(&db, row.id)?;
    let source = side(ddl, &db, source.table, source.partition, 1)?;
    let target = side(ddl, &db, &target, to_partition, 2)?;
    refuse_kinds(&source, &target)?;
    check_aligned(ddl, &db, &source)?;
    check_aligned(ddl, &db, &target)?;
    check_views(&source, &target)?;
    let (id, part) = (db.storage_id(), target.part());
    if !ddl.storage(|storage, tx| storage.is_empty(tx, id, part)).map_err(storage_error)? {
        return Err(match target.partition {
            Some(_) => sql_error!(4904, target.number(), target.name),
            None => sql_error!(4905, target.name),
        });
    }
    check_columns(&source, &target)?;
    check_sparse(ddl, &db, &source, &target)?;
    let indexes = check_indexes(&source, &target)?;
    check_keys(&source, &target)?;
    check_values(ddl, &db, &source, &target)?;
    check_places(ddl, &db, &source, &target)?;
    let parts = (source.part(), part);
    ddl.storage(|storage, tx| storage.switch(tx, id, parts, &indexes)).map_err(storage_error)?;
    ddl.changed(db.id, source.table.object.0);
    ddl.changed(db.id, target.table.object.0);
    Ok(())
}

/// 4911: a partitioned table without a number; 4950: it has no such partition.
fn side<'t>(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    table: &'t TableDef,
    partition: Option<&Expr>,
    state: u8,
) -> SqlResult<Side<'t>> {
    let row = ddl.rows(db, |rows| load::object_row(rows, table.object.0))?;
    let row = row.ok_or_else(|| storage_error(storage::StorageError::UnknownTable))?;
    let name = place_of(ddl, db, &row)?.full_name(&row.name);
    let number = match partition {
        None => None,
        Some(expr) => Some(partition::number(ddl, expr, "ALTER TABLE SWITCH", "table", &name)?),
    };
    if let Some(number) = number.filter(|number| !(1..=PARTITIONS_MAX as i64).contains(number)) {
        return Err(sql_error!(7722, number, "table", name, PARTITIONS_MAX));
    }
    let partition = match (&table.partitioning, number) {
        (None, None) => None,
        (None, Some(number)) => {
            ddl.message(sql_error!(4903, state state, number, name));
            None
        }
        (Some(_), None) => return Err(sql_error!(4911, state state, name)),
        (Some(own), Some(number)) if number as usize > own.function.partitions() => {
            return Err(sql_error!(4950, number, name));
        }
        (Some(_), Some(number)) => Some(number as usize - 1),
    };
    Ok(Side { name, table, partition })
}

/// Tables whose rows are more than rows. 13546: those of a current temporal table stay until they are history.
fn refuse_kinds(source: &Side<'_>, target: &Side<'_>) -> SqlResult<()> {
    if source.table.memory.is_some() || target.table.memory.is_some() {
        return Err(not_in_memory());
    }
    if let Some(Versioning::Current { .. }) = source.table.versioning {
        return Err(sql_error!(13546, source.name));
    }
    if target.table.versioning.is_some() || target.table.period().is_some() {
        return Err(super::unsupported("ALTER TABLE SWITCH into a temporal table"));
    }
    for side in [source, target] {
        if let Some(rule) = side.table.checks.iter().find(|check| check.rule) {
            return Err(sql_error!(4964, side.name, rule.name));
        }
    }
    Ok(())
}

fn check_columns(source: &Side<'_>, target: &Side<'_>) -> SqlResult<()> {
    let (own, others) = (&source.table.columns, &target.table.columns);
    if own.len() != others.len() {
        return Err(sql_error!(4943, source.name, own.len(), target.name, others.len()));
    }
    for (at, (own, other)) in own.iter().zip(others).enumerate() {
        let name = &own.name;
        if !own.name.eq_ignore_ascii_case(&other.name) {
            return Err(sql_error!(4942, name, at + 1, source.name, other.name, target.name));
        }
        if own.ty.to_string() != other.ty.to_string() {
            return Err(sql_error!(4944, name, own.ty, source.name, other.ty, target.name));
        }
        if own.ty.collation != other.ty.collation {
            return Err(sql_error!(4945, name, source.name, target.name));
        }
        match (&own.computed, &other.computed) {
            (None, None) => {}
            (Some(_), None) => return Err(sql_error!(4965, name, source.name, target.name)),
            (None, Some(_)) => return Err(sql_error!(4965, name, target.name, source.name)),
            (Some(own), Some(other)) if own.definition != other.definition => {
                let (own, other) = (&own.definition, &other.definition);
                return Err(sql_error!(4966, name, own, source.name, target.name, other));
            }
            (Some(own), Some(other)) if own.persisted != other.persisted => {
                return Err(sql_error!(4946, name, source.name, target.name));
            }
            (Some(_), Some(_)) => {}
        }
        if own.nullable != other.nullable {
            return Err(sql_error!(4985, name, source.name, target.name));
        }
        if own.rowguid != other.rowguid {
            return Err(sql_error!(4958, name, source.name, target.name));
        }
    }
    Ok(())
}

/// Views' rows are never partitioned, and each view of the target wants one like it of the source. 11401, 11402
fn check_views(source: &Side<'_>, target: &Side<'_>) -> SqlResult<()> {
    for side in [source, target].into_iter().filter(|side| side.table.partitioning.is_some()) {
        if let Some(view) = side.table.views.first() {
            let rows = view.rows.as_ref().and_then(|rows| rows.indexes.iter().find(|index| index.id == 1));
            let index = rows.map_or("", |index| &*index.name);
            return Err(sql_error!(11401, side.name, "partitioned", index, view.name, "not partitioned"));
        }
    }
    let (own, others) = (source.table.views.len(), target.table.views.len());
    if others > own {
        return Err(sql_error!(11402, target.name, others, source.name, own));
    }
    match own {
        0 => Ok(()),
        _ => Err(super::unsupported("ALTER TABLE ... SWITCH of a table with an indexed view")),
    }
}

/// 11412
fn check_sparse(ddl: &mut Ddl<'_>, db: &Database, source: &Side<'_>, target: &Side<'_>) -> SqlResult<()> {
    let mut columns_of =
        |side: &Side<'_>| ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(side.table.object.0), load::small(0)]));
    let (own, others) = (columns_of(source)?, columns_of(target)?);
    let is_sparse = |column: &ColumnRow| column.status & column_status::SPARSE != 0;
    match own.iter().zip(&others).find(|(own, other)| is_sparse(own) != is_sparse(other)) {
        Some((column, _)) => Err(sql_error!(11412, column.name, source.name, target.name)),
        None => Ok(()),
    }
}

/// 4967: somebody refers to the rows that go; 4968: the rows that come have not been asked for what they refer to.
fn check_keys(source: &Side<'_>, target: &Side<'_>) -> SqlResult<()> {
    if let Some(key) = source.table.referenced_by.first() {
        return Err(sql_error!(4967, source.name, key.name));
    }
    let is_alike = |own: &ForeignKeyDef, other: &ForeignKeyDef| {
        !own.disabled
            && own.columns == other.columns
            && own.referenced_table == other.referenced_table
            && own.referenced_columns == other.referenced_columns
    };
    let lacks = |key: &&ForeignKeyDef| !source.table.foreign_keys.iter().any(|own| is_alike(own, key));
    match target.table.foreign_keys.iter().filter(|key| !key.disabled).find(lacks) {
        Some(key) => Err(sql_error!(4968, target.name, key.name, source.name)),
        None => Ok(()),
    }
}

/// The constraints of the target, its partition's range among them, let pass what the source has. 4970, 4971, 4972, 4973, 4982
fn check_values(ddl: &mut Ddl<'_>, db: &Database, source: &Side<'_>, target: &Side<'_>) -> SqlResult<()> {
    let trusted = trusted_checks(ddl, db, source.table)?;
    let range = source.range(Ends::Narrow);
    // What a column of the source may have.
    let may_have = |column: u16| {
        let mut keys = if source.table.columns[usize::from(column)].nullable { all() } else { KeySet::not_null() };
        if let Some((_, range)) = range.as_ref().filter(|(own, _)| *own == column) {
            keys = keys.intersection(range);
        }
        let known = trusted.iter().filter_map(|check| values(check, source.table)).filter(|(own, _)| *own == column);
        known.fold(keys, |keys, (_, known)| keys.intersection(&known))
    };
    for check in target.table.checks.iter().filter(|check| !check.disabled) {
        if trusted.iter().any(|own| own.definition == check.definition) {
            continue;
        }
        if let Some(own) = source.table.checks.iter().find(|own| own.definition == check.definition) {
            return Err(sql_error!(4960, own.name, source.name, check.name, target.name));
        }
        match values(check, target.table) {
            Some((column, keys)) if may_have(column).is_subset(&keys) => {}
            Some((column, _)) if knows_of(source, column) => return Err(sql_error!(4972, source.name, target.name)),
            found => {
                let of_column = check.column.is_some() || found.is_some();
                return Err(match of_column {
                    true => sql_error!(4971, target.name, check.name, source.name),
                    false => sql_error!(4970, target.name, check.name, source.name),
                });
            }
        }
    }
    let Some((column, wanted)) = target.range(Ends::Wide) else { return Ok(()) };
    if let Some((own, range)) = &range {
        if *own != column {
            return Err(sql_error!(4953, source.name, target.name));
        }
        if !range.is_subset(&wanted) {
            return Err(sql_error!(4973, source.number(), source.name, target.number(), target.name));
        }
        return Ok(());
    }
    if may_have(column).is_subset(&wanted) {
        return Ok(());
    }
    Err(match knows_of(source, column) {
        true => sql_error!(4972, source.name, target.name),
        false => sql_error!(4982, source.name, target.number(), target.name),
    })
}

/// Something limits what the source has in the column, if not enough.
fn knows_of(source: &Side<'_>, column: u16) -> bool {
    source.range(Ends::Narrow).is_some_and(|(own, _)| own == column)
        || source.table.checks.iter().filter_map(|check| values(check, source.table)).any(|(own, _)| own == column)
}

/// Checks that all rows have passed.
fn trusted_checks<'t>(ddl: &mut Ddl<'_>, db: &Database, table: &'t TableDef) -> SqlResult<Vec<&'t CheckDef>> {
    let mut trusted = Vec::new();
    for check in table.checks.iter().filter(|check| !check.disabled) {
        let row = ddl.rows(db, |rows| load::object_row(rows, check.object.0))?;
        if row.is_some_and(|row| row.status & os_::NOT_TRUSTED == 0) {
            trusted.push(check);
        }
    }
    Ok(trusted)
}

fn all() -> KeySet {
    KeySet::null().union(KeySet::not_null())
}

/// The values of the one column that a check is about for which it is not false, NULL among them unless it says otherwise.
fn values(check: &CheckDef, table: &TableDef) -> Option<(u16, KeySet)> {
    let condition = sql::bind::parse_condition(&check.definition).ok()?;
    not_false(&condition, table)
}

fn not_false(condition: &Expr, table: &TableDef) -> Option<(u16, KeySet)> {
    let together = |parts: &[Expr], join: fn(KeySet, KeySet) -> KeySet| {
        let mut parts = parts.iter().map(|part| not_false(part, table));
        let (column, first) = parts.next()??;
        parts.try_fold((column, first), |(column, keys), part| {
            let (own, more) = part?;
            (own == column).then(|| (column, join(keys, more)))
        })
    };
    match condition {
        Expr::And(parts) => together(parts, |a, b| a.intersection(&b)),
        Expr::Or(parts) => together(parts, KeySet::union),
        Expr::Compare(compare) => {
            let turned = ast::Compare {
                op: turned(compare.op),
                left: compare.right.clone(),
                right: compare.left.clone(),
                ..compare.as_ref().clone()
            };
            let (column, keys) = term(condition, table).or_else(|| term(&Expr::Compare(Box::new(turned)), table))?;
            Some((column, keys.union(KeySet::null())))
        }
        Expr::IsNull { .. } => term(condition, table),
        _ => None,
    }
}

fn turned(op: ast::CompareOp) -> ast::CompareOp {
    use ast::CompareOp::*;
    match op {
        Less => Greater,
        LessOrEqual => GreaterOrEqual,
        Greater => Less,
        GreaterOrEqual => LessOrEqual,
        other => other,
    }
}

/// A comparison of a column with a constant, as the filter of an index may have it.
fn term(condition: &Expr, table: &TableDef) -> Option<(u16, KeySet)> {
    let owner = FilterOwner { kind: "index", name: "", table: &table.name };
    let terms = sql::bind::index_filter(condition, &table.columns, owner).ok()?;
    match <[_; 1]>::try_from(terms) {
        Ok([term]) => Some((term.column, term.keys)),
        Err(_) => None,
    }
}

/// The values of a partition, from 0.
fn range_of(function: &PartitionFunctionDef, at: usize, ends: Ends) -> KeySet {
    let key = |value: &Datum| {
        let mut key = Vec::new();
        KeyCodec::new(&function.ty, false).encode(value, &mut key);
        key
    };
    let beside = |value: &Datum, step: i64| neighbour(&function.ty, value, step).map(|beside| key(&beside));
    let wide = ends == Ends::Wide;
    let lower = at.checked_sub(1).map(|below| &function.boundaries[below]);
    let from = match (lower, function.right) {
        (None, _) | (Some(Datum::Null), true) => all(),
        (Some(Datum::Null), false) => KeySet::not_null(),
        (Some(value), true) => match beside(value, -1).filter(|_| wide) {
            Some(before) => KeySet::greater(&before, false),
            None => KeySet::greater(&key(value), true),
        },
        (Some(value), false) => match beside(value, 1).filter(|_| !wide) {
            Some(after) => KeySet::greater(&after, true),
            None => KeySet::greater(&key(value), false),
        },
    };
    let to = match (function.boundaries.get(at), function.right) {
        (None, _) => all(),
        (Some(Datum::Null), true) => KeySet::empty(),
        (Some(Datum::Null), false) => KeySet::null(),
        (Some(value), true) => match beside(value, -1).filter(|_| !wide) {
            Some(before) => KeySet::less(&before, true).union(KeySet::null()),
            None => KeySet::less(&key(value), false).union(KeySet::null()),
        },
        (Some(value), false) => match beside(value, 1).filter(|_| wide) {
            Some(after) => KeySet::less(&after, false).union(KeySet::null()),
            None => KeySet::less(&key(value), true).union(KeySet::null()),
        },
    };
    from.intersection(&to)
}

/// The whole number, or day, beside a value of such a type.
fn neighbour(ty: &SqlType, value: &Datum, step: i64) -> Option<Datum> {
    let (least, most) = match ty.kind {
        TypeKind::TinyInt => (0, 255),
        TypeKind::SmallInt => (i16::MIN.into(), i16::MAX.into()),
        TypeKind::Int => (i32::MIN.into(), i32::MAX.into()),
        TypeKind::BigInt => (i64::MIN, i64::MAX),
        // From year 1 on.
        TypeKind::Date => (0, 3_652_058),
        _ => return None,
    };
    let Datum::I64(value) = value else { return None };
    let beside = value.checked_add(step)?;
    (least..=most).contains(&beside).then_some(Datum::I64(beside))
}

/// Each index of a divided table is divided as the table is, and none of another one is. 7733, 4906, 4907, 4908, 4912, 4915
fn check_aligned(ddl: &mut Ddl<'_>, db: &Database, side: &Side<'_>) -> SqlResult<()> {
    let rows = ddl.rows(db, |rows| rows.find::<IndexRow>(0, &[int(side.table.object.0)]))?;
    let (statement, table) = ("ALTER TABLE SWITCH", &side.name);
    let Some(own) = &side.table.partitioning else {
        return match kept::divided(&rows) {
            Some(index) => Err(sql_error!(7733, state 4, statement, "index", index, "table", table)),
            None => Ok(()),
        };
    };
    let Some((index, how)) = ddl.rows(db, |found| kept::unaligned(found, side.table, &rows))? else { return Ok(()) };
    let function = match how {
        Otherwise::Undivided => return Err(sql_error!(7733, state 4, statement, "table", table, "index", index)),
        Otherwise::ByColumn => return Err(sql_error!(4912, statement, "table", table, index)),
        Otherwise::ByFunction(function) => function,
    };
    let word = |right: bool| if right { "right" } else { "left" };
    Err(match (own.function.partitions(), function.partitions()) {
        _ if own.function.ty != function.ty => sql_error!(4915, statement, "table", table, index),
        (count, other) if count != other => sql_error!(4907, statement, "table", table, count, index, other),
        _ if own.function.right != function.right => {
            sql_error!(4906, statement, "table", table, word(own.function.right), index, word(function.right))
        }
        _ => sql_error!(4908, statement, "table", table, index),
    })
}

/// Which index of the source each of the target is. 4913, 4947
fn check_indexes(source: &Side<'_>, target: &Side<'_>) -> SqlResult<Vec<(IndexId, IndexId)>> {
    let clustered = |side: &Side<'_>| {
        let found = side.table.indexes.iter().find(|index| index.kind == IndexKind::Clustered);
        found.map(|index| index.name.to_string())
    };
    let mismatch = |own: &Side<'_>, index: String, other: &Side<'_>, state: u8| -> SqlError {
        sql_error!(4913, state state, own.name, index, other.name)
    };
    match (clustered(source), clustered(target)) {
        (Some(index), None) => return Err(mismatch(source, index, target, 1)),
        (None, Some(index)) => return Err(mismatch(target, index, source, 2)),
        _ => {}
    }
    let is_alike = |own: &IndexDef, other: &IndexDef| {
        let sorted = |columns: &[u16]| {
            let mut columns = columns.to_vec();
            columns.sort_unstable();
            columns
        };
        own.kind == other.kind
            && own.unique == other.unique
            && own.key == other.key
            && sorted(&own.included) == sorted(&other.included)
            && own.filter == other.filter
    };
    let mut pairs: Vec<(IndexId, IndexId)> = Vec::new();
    for index in target.table.indexes.iter().filter(|index| !index.disabled) {
        let is_free = |own: &&IndexDef| !own.disabled && !pairs.iter().any(|(taken, _)| taken.0 == own.id);
        let found = source.table.indexes.iter().filter(is_free).find(|own| is_alike(own, index));
        let found = found.ok_or_else(|| sql_error!(4947, source.name, index.name, target.name))?;
        pairs.push((IndexId(found.id), IndexId(index.id)));
    }
    Ok(pairs)
}

/// 4938, 4939, 4940: rows stay in their filegroup.
fn check_places(ddl: &mut Ddl<'_>, db: &Database, source: &Side<'_>, target: &Side<'_>) -> SqlResult<()> {
    let own = filegroup(ddl, db, source)?;
    let other = filegroup(ddl, db, target)?;
    if own == other {
        return Ok(());
    }
    let (from, to) = (filegroup_name(ddl, db, own)?, filegroup_name(ddl, db, other)?);
    Err(match (source.partition, target.partition) {
        (Some(_), Some(_)) => {
            sql_error!(4938, source.number(), "table", source.name, from, target.number(), "table", target.name, to)
        }
        (None, Some(_)) => sql_error!(4939, "table", source.name, from, target.number(), "table", target.name, to),
        (Some(_), None) => sql_error!(4939, "table", target.name, to, source.number(), "table", source.name, from),
        (None, None) => sql_error!(4940, "table", source.name, from, "table", target.name, to),
    })
}

fn filegroup(ddl: &mut Ddl<'_>, db: &Database, side: &Side<'_>) -> SqlResult<i32> {
    let rows = ddl.rows(db, |rows| rows.find::<IndexRow>(0, &[int(side.table.object.0)]))?;
    let space = rows.iter().find(|row| row.indid <= 1).map_or(1, |row| row.dataspace);
    let Some(at) = side.partition else { return Ok(space) };
    let scheme = ddl.rows(db, |rows| kept::scheme_by_id(rows, space))?;
    Ok(scheme.and_then(|scheme| scheme.filegroups.get(at).copied()).unwrap_or(space))
}

fn filegroup_name(ddl: &mut Ddl<'_>, db: &Database, id: i32) -> SqlResult<String> {
    use crate::catalog::base::{ClassRow, class};
    let row = ddl.rows(db, |rows| rows.first::<ClassRow>(0, &[load::small(class::FILEGROUP), int(id)]))?;
    Ok(row.map_or_else(|| id.to_string(), |row| row.name))
}
