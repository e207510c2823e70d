//! ALTER TABLE.

use std::sync::Arc;

use sql::ast::{
    AlterColumn, AlterTable, AlterTableAction, AlterTableDropKind, ColumnChange, ColumnDefinition, ConstraintKind,
    Ident, Setting, TableDefinition, find_setting,
};
use sql::catalog::{IndexDef, IndexKind, TableDef};
use storage::{IndexId, TableId};
use types::{SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::added_value::{self, Added};
use super::build::ask_to_sort;
use super::column::{check_sparse, column_row, computed_names, refuse_nested, refuse_set, set_mask, type_computed};
use super::column_use;
use super::constraint::{self, KeySpec};
use super::data_type;
use super::index;
use super::layout::row_layout;
use super::memory_optimized;
use super::number::{identity_of, identity_rule};
use super::partition::Placement;
use super::rebuild::{self, NewColumn, carried, column_type, store_computed, stored};
use super::rights::references_type;
use super::site::{Ddl, Place, constraint_failed, has, source};
use super::switch;
use super::table;
use super::temporal;
use super::text::{self, bracket};
use super::versioned;
use crate::catalog::base::{
    ColumnRow, IndexRow, ObjectRow, ReferenceRow, class, column_status as cs, object_status as os_,
};
use crate::catalog::error::storage_error;
use crate::catalog::load::{self, BY_PARENT, int, small};
use crate::catalog::{Database, scalar_type, xml_collection};

/// The table being altered.
struct Target {
    db: Arc<Database>,
    row: ObjectRow,
    place: Place,
    /// Its name in messages and in text.
    shown: String,
}

pub fn alter_table(ddl: &mut Ddl<'_>, alter: &AlterTable) -> SqlResult<()> {
    if may_sort(&alter.action) {
        ask_to_sort(ddl, &alter.name, None)?;
    }
    let (db, row, old, place) = table::expect_table(ddl, &alter.name)?;
    let shown = if alter.name.is_temporary() { alter.name.name.to_string() } else { row.name.clone() };
    let target = Target { db, row, place, shown };
    temporal::check_change(&target.db, &old, &alter.action)?;
    match &alter.action {
        AlterTableAction::Add { check, definition } => {
            constraint::refuse_repeated(&target.db, definition)?;
            add(ddl, &target, &old, *check, definition)?;
            if let (false, Some((history, old))) = (definition.columns.is_empty(), history_of(ddl, &target, &old)?) {
                add_columns(ddl, &history, &old, definition, false)?;
            }
        }
        AlterTableAction::Drop(items) => {
            for item in items {
                match &item.kind {
                    AlterTableDropKind::Column(name) => {
                        refuse_column_drop(&target, &old, name)?;
                        drop_column(ddl, &target, name, item.if_exists)?;
                        if let Some((history, _)) = history_of(ddl, &target, &old)? {
                            drop_column(ddl, &history, name, true)?;
                        }
                    }
                    AlterTableDropKind::Constraint { name, options } => {
                        let is_it = |index: &&IndexDef| index.primary_key && target.db.equal_names(&index.name, name);
                        if old.versioning.is_some() && old.indexes.iter().any(|index| is_it(&index)) {
                            return Err(sql_error!(13557, versioned::full_name(&target.db, &old)));
                        }
                        let space = index::moved_to(ddl, &target.db, &target.row, options)?;
                        let is_clustered = |index: &IndexDef| {
                            index.kind == IndexKind::Clustered && target.db.equal_names(&index.name, name)
                        };
                        if space.is_some() && !old.indexes.iter().any(is_clustered) {
                            return Err(sql_error!(3748, &**name));
                        }
                        drop_constraint(ddl, &target, name, item.if_exists)?;
                        index::move_heap(ddl, &target.db, target.row.id, space)?;
                    }
                    AlterTableDropKind::Index(name) => drop_index(ddl, &target, name, item.if_exists)?,
                    AlterTableDropKind::Period => temporal::drop_period(ddl, &target.db, &old)?,
                }
            }
        }
        AlterTableAction::AlterColumn(change) => {
            if old.is_history() {
                return Err(sql_error!(13548, &*change.name, versioned::full_name(&target.db, &old)));
            }
            alter_column(ddl, &target, &old, change)?;
            let own = matches!(&change.change, ColumnChange::Property { property, .. }
                if matches!(&**property, "HIDDEN" | "ROWGUIDCOL" | "PERSISTED" | "NOT FOR REPLICATION"));
            if let (false, Some((history, old))) = (own, history_of(ddl, &target, &old)?) {
                alter_column(ddl, &history, &old, change)?;
            }
        }
        AlterTableAction::SwitchConstraint { with_check, enable, constraints } => {
            switch_constraints(ddl, &target, *with_check, *enable, constraints.as_deref())?;
        }
        AlterTableAction::SwitchTrigger { enable, triggers } => {
            let names = triggers.as_ref().map(|names| names.iter().map(|n| n.to_string()).collect::<Vec<_>>());
            let (db, table, shown) = (target.db.clone(), target.row.id, target.shown.clone());
            let missing = |name: &str| sql_error!(4920, name, shown);
            super::module::switch_triggers_of(ddl, &db, table, names.as_deref(), *enable, missing)?;
        }
        // Lock escalation, compression and the like change nothing about what is stored.
        AlterTableAction::Set(options) => {
            table::refuse_kinds(options)?;
            table::keep_escalation(ddl, &target.db, target.row.id, options)?;
            if let Some(asked) = temporal::asked(options)? {
                temporal::set(ddl, &target.place, target.row.id, asked)?;
            }
        }
        AlterTableAction::Rebuild { partition, options } => {
            let table = (target.row.id, &*target.shown);
            super::index::rebuild_table(ddl, &target.db, table, partition.as_ref(), options)?;
        }
        AlterTableAction::AlterIndex { index, options } => alter_index(ddl, &target, &old, index, options)?,
        AlterTableAction::ChangeTracking { .. } => return Err(super::unsupported("CHANGE_TRACKING")),
        AlterTableAction::SwitchPartition { from, to, to_partition, options } => {
            let side = switch::Source { db: &target.db, row: &target.row, table: &old, partition: from.as_ref() };
            switch::run(ddl, side, (to, to_partition.as_ref()), options)?;
        }
        AlterTableAction::FileTableNamespace { .. } => return Err(super::unsupported("FILETABLE_NAMESPACE")),
        AlterTableAction::SplitMerge { .. } => return Err(super::unsupported("ALTER TABLE SPLIT or MERGE")),
    }
    ddl.touch(&target.db, target.row.id)
}

/// It may have to build indexes over all rows.
fn may_sort(action: &AlterTableAction) -> bool {
    match action {
        AlterTableAction::Add { definition, .. } => {
            !constraint::keys_of(definition).is_empty()
                || !definition.indexes.is_empty()
                || definition.columns.iter().any(|column| !column.indexes.is_empty())
        }
        AlterTableAction::Drop(_) | AlterTableAction::AlterColumn(_) | AlterTableAction::Rebuild { .. } => true,
        _ => false,
    }
}

/// Of a system-versioned table its history, to which its columns' changes go too, and what that was.
fn history_of(ddl: &mut Ddl<'_>, target: &Target, old: &TableDef) -> SqlResult<Option<(Target, TableDef)>> {
    let found = temporal::history_of(ddl, &target.db, old)?;
    Ok(found.map(|temporal::History { row, table, place }| {
        let shown = row.name.clone();
        (Target { db: target.db.clone(), row, place, shown }, table)
    }))
}

/// 13588, 13551
fn refuse_column_drop(target: &Target, old: &TableDef, name: &str) -> SqlResult<()> {
    let full_name = || versioned::full_name(&target.db, old);
    if old.columns.iter().any(|column| column.generated.is_some() && target.db.equal_names(&column.name, name)) {
        return Err(sql_error!(13588, name, full_name()));
    }
    if old.is_history() { Err(sql_error!(13551, full_name())) } else { Ok(()) }
}

fn columns_of(ddl: &mut Ddl<'_>, target: &Target) -> SqlResult<Vec<ColumnRow>> {
    ddl.rows(&target.db, |rows| rows.find::<ColumnRow>(0, &[int(target.row.id), small(0)]))
}

fn add(
    ddl: &mut Ddl<'_>,
    target: &Target,
    old: &TableDef,
    check: Option<bool>,
    definition: &TableDefinition,
) -> SqlResult<()> {
    memory_optimized::check_added(ddl, &target.db, &target.shown, definition, old.memory.is_some())?;
    if !definition.columns.is_empty() {
        add_columns(ddl, target, old, definition, true)?;
    }
    if let Some(period) = &definition.period {
        temporal::add_period(ddl, &target.place, &target.shown, target.row.id, period)?;
    }
    let (place, shown, id) = (&target.place, &*target.shown, target.row.id);
    for key in constraint::keys_of(definition) {
        add_key(ddl, target, &key)?;
    }
    let trusted = check != Some(false);
    for column in &definition.columns {
        for constraint in &column.constraints {
            let name = constraint.name.as_ref().map(|name| name.to_string());
            match &constraint.kind {
                ConstraintKind::Check(check) => {
                    constraint::add_check(ddl, place, shown, id, &name, Some(&column.name), check, true, trusted)?;
                }
                ConstraintKind::ForeignKey(key) => {
                    constraint::add_foreign_key(ddl, place, shown, id, &name, Some(&column.name), key, true, trusted)?;
                }
                _ => {}
            }
        }
        for inline in &column.indexes {
            add_inline(ddl, target, inline, Some(&column.name))?;
        }
    }
    constraint::note_missing(ddl, definition);
    for constraint in &definition.constraints {
        let name = constraint.name.as_ref().map(|name| name.to_string());
        match &constraint.kind {
            ConstraintKind::Default(default) => {
                let column = default.column.as_ref().map(|c| c.to_string()).unwrap_or_default();
                constraint::add_default(ddl, place, shown, id, &name, &column, default)?;
            }
            ConstraintKind::Check(check) => {
                constraint::add_check(ddl, place, shown, id, &name, None, check, true, trusted)?
            }
            ConstraintKind::ForeignKey(key) => {
                constraint::add_foreign_key(ddl, place, shown, id, &name, None, key, true, trusted)?
            }
            _ => {}
        }
    }
    for inline in &definition.indexes {
        add_inline(ddl, target, inline, None)?;
    }
    ddl.changed(place.db.id, id);
    Ok(())
}

fn add_inline(
    ddl: &mut Ddl<'_>,
    target: &Target,
    inline: &sql::ast::InlineIndex,
    column: Option<&str>,
) -> SqlResult<()> {
    let place = Placement::of(&ddl.reload(&target.db, target.row.id)?);
    index::add_inline(ddl, &target.db, &target.shown, target.row.id, inline, column, &place)?;
    let indexes = ddl.rows(&target.db, |rows| rows.find::<IndexRow>(0, &[int(target.row.id)]))?;
    let made =
        indexes.into_iter().find(|i| i.name.as_deref() == Some(&*inline.name.text)).expect("the index just made");
    index::build(ddl, &target.db, target.row.id, made.indid, &target.place, &target.shown, false)
}

fn add_key(ddl: &mut Ddl<'_>, target: &Target, key: &KeySpec<'_>) -> SqlResult<()> {
    let table_def = ddl.reload(&target.db, target.row.id)?;
    if key.primary && table_def.indexes.iter().any(|index| index.primary_key) {
        let error = sql_error!(1779, target.shown);
        return Err(constraint_failed(error));
    }
    if key.primary {
        for (name, _) in &key.columns {
            let nullable =
                table_def.columns.iter().find(|column| column.nullable && target.db.equal_names(&column.name, name));
            if let Some(column) = nullable {
                let error = match column.computed {
                    Some(_) => sql_error!(1711, &*column.name, target.shown),
                    None => sql_error!(8111, target.shown),
                };
                return Err(constraint_failed(error));
            }
        }
    }
    let has_clustered = table_def.indexes.iter().any(|index| index.id == 1);
    if key.clustered == Some(true) && has_clustered {
        let other = table_def
            .indexes
            .iter()
            .find(|index| index.id == 1)
            .map(|index| index.name.to_string())
            .unwrap_or_default();
        let error = sql_error!(1902, "table", target.shown, other);
        return Err(constraint_failed(error));
    }
    let clustered = key.clustered.unwrap_or(key.primary && !has_clustered);
    let place = Placement::of(&table_def);
    let indid =
        constraint::add_key_rows(ddl, &target.place, &target.shown, target.row.id, key, (clustered, None), &place)?;
    let built = index::build(ddl, &target.db, target.row.id, indid, &target.place, &target.shown, false);
    built.map_err(|error| if error.number == 1505 { constraint_failed(error) } else { error })
}

/// `defaults`: with their constraints. A history table has the values of now and no constraints.
fn add_columns(
    ddl: &mut Ddl<'_>,
    target: &Target,
    old: &TableDef,
    definition: &TableDefinition,
    defaults: bool,
) -> SqlResult<()> {
    let (db, id) = (&target.db, target.row.id);
    let existing = columns_of(ddl, target)?;
    let (added, next) = new_columns(ddl, target, old, definition, &existing)?;
    let from = source(&target.place, &target.shown);
    refuse_without_value(ddl, target, &from, &added)?;
    // A column of NULLs alone needs no change of any row.
    let only_null = added.iter().all(|(row, ..)| !stored(row))
        || added.iter().all(|(row, _, value)| value == "NULL" && has(row.status, cs::NULLABLE));
    let one_for_all = !only_null && old.memory.is_none() && added_value::is_one_for_all(&existing, &added);
    let any_row = one_for_all && ddl.any_row(&format!("SELECT TOP 1 1 AS a FROM {from}"))?;
    let saved = if only_null || one_for_all {
        None
    } else {
        let mut columns = carried(&existing, |column| bracket(&column.name));
        let new = added.iter().filter(|(row, ..)| stored(row));
        for (row, _, value) in new {
            columns.push(added_column(ddl, db, row, value)?);
        }
        Some(rebuild::save(ddl, &target.place, &target.shown, &columns)?)
    };
    ddl.rows(db, |rows| {
        for (row, ..) in &added {
            rows.insert(row)?;
        }
        rows.update::<ObjectRow>(0, &[int(id)], |row| row.intprop = next)
    })?;
    ddl.changed(db.id, id);
    let new = ddl.reload(db, id)?;
    match saved {
        Some(saved) => rebuild::restore(ddl, db, &new, saved)?,
        None => {
            let mut layout = row_layout(&new);
            let database = db.storage_id();
            if any_row {
                let columns = added.iter().filter(|(row, ..)| stored(row));
                let columns = columns.map(|(row, _, value)| added_column(ddl, db, row, value));
                let columns = columns.collect::<SqlResult<Vec<NewColumn>>>()?;
                added_value::set_missing(ddl, &target.place.full_name(&target.shown), &columns, &mut layout)?;
            }
            if layout != row_layout(old) {
                ddl.long_storage(|storage, tx, pause| {
                    storage.alter_row_layout(tx, database, TableId(id), &layout, pause)
                })
                .map_err(storage_error)?;
            }
        }
    }
    number_rows(ddl, target, &added)?;
    for (_, column, _) in added.iter().filter(|_| defaults) {
        for constraint in &column.constraints {
            if let ConstraintKind::Default(default) = &constraint.kind {
                let name = constraint.name.as_ref().map(|name| name.to_string());
                constraint::add_default(ddl, &target.place, &target.shown, id, &name, &column.name, default)?;
            }
        }
    }
    Ok(())
}

/// The added columns, and the last column number that is taken.
fn new_columns<'d>(
    ddl: &mut Ddl<'_>,
    target: &Target,
    old: &TableDef,
    definition: &'d TableDefinition,
    existing: &[ColumnRow],
) -> SqlResult<(Vec<Added<'d>>, i32)> {
    let (db, id) = (&target.db, target.row.id);
    let keys = definition.primary_key();
    let mut next = target.row.intprop.max(existing.iter().map(|c| c.colid).max().unwrap_or(0));
    let mut added: Vec<Added<'d>> = Vec::new();
    for column in &definition.columns {
        let taken = existing
            .iter()
            .map(|c| &c.name)
            .chain(added.iter().map(|a| &a.0.name))
            .any(|name| db.equal_names(name, &column.name));
        if taken {
            return Err(sql_error!(2705, state 4, &*column.name, target.shown));
        }
        next += 1;
        let primary = keys.iter().any(|name| db.equal_names(name, &column.name));
        let there = existing.iter().filter(|row| has(row.status, cs::COMPUTED)).map(|row| &*row.name);
        let computed: Vec<&str> = there.chain(computed_names(&definition.columns)).collect();
        refuse_nested(db, column, &computed, &target.shown)?;
        let mut row = column_row(ddl, db, id, next, column, primary, &target.shown)?;
        super::bound::inherit(ddl, db, &mut row)?;
        refuse_set(&row, existing, true, &target.shown)?;
        let beside: Vec<ColumnRow> = added.iter().map(|(row, ..)| row.clone()).collect();
        refuse_set(&row, &beside, false, &target.shown)?;
        if has(row.status, cs::IDENTITY) && identity_of(old).is_some() {
            return Err(sql_error!(2744, target.shown));
        }
        if has(row.status, cs::COMPUTED) {
            type_computed(ddl, &target.place, &target.shown, &mut row, "ALTER TABLE")?;
        }
        let value = first_value(ddl, column, &row);
        added.push((row, column, value));
    }
    Ok((added, next))
}

/// 4901: a column that needs a value has none, and there are rows.
fn refuse_without_value(ddl: &mut Ddl<'_>, target: &Target, from: &str, added: &[Added<'_>]) -> SqlResult<()> {
    let must_have = |(row, column, _): &Added<'_>| {
        let default = column.constraints.iter().any(|c| matches!(c.kind, ConstraintKind::Default(_)));
        stored(row)
            && !has(row.status, cs::NULLABLE)
            && !has(row.status, cs::COMPUTED)
            && !default
            && !has(row.status, cs::IDENTITY)
            && row.xtype != 189
    };
    let refused = added.iter().find(|a| must_have(a)).map(|a| a.0.name.clone());
    if let Some(name) = refused {
        if ddl.any_row(&format!("SELECT TOP 1 1 AS a FROM {from}"))? {
            return Err(sql_error!(4901, name, target.shown));
        }
    }
    Ok(())
}

/// An identity column added to a table with rows: the rows were numbered in the copy, the counter goes on after them.
fn number_rows(ddl: &mut Ddl<'_>, target: &Target, added: &[Added<'_>]) -> SqlResult<()> {
    let Some((row, ..)) = added.iter().find(|(row, ..)| has(row.status, cs::IDENTITY)) else { return Ok(()) };
    let mut last = None;
    let order = if row.increment.0 > 0 { "DESC" } else { "ASC" };
    let name = bracket(&row.name);
    let query = format!(
        "SELECT TOP 1 CONVERT(bigint, {name}) AS a FROM {} ORDER BY {name} {order}",
        source(&target.place, &target.shown)
    );
    ddl.site.query(&query, &mut |_, batch| {
        if batch.rows > 0 {
            last = Some(batch.columns[0].datum(0).as_i64());
        }
        Ok(())
    })?;
    if let Some(last) = last {
        let ty = column_type(row).ty;
        let rule = identity_rule(&ty, row.seed.0 as i64, row.increment.0 as i64);
        target.db.counters.used(&ddl.catalog.storage, &target.db, target.row.id, &rule, i128::from(last))?;
    }
    Ok(())
}

/// What rows that are there get in an added column.
fn first_value(ddl: &Ddl<'_>, column: &ColumnDefinition, row: &ColumnRow) -> String {
    if has(row.status, cs::IDENTITY) {
        let (seed, step) = (row.seed.0, row.increment.0);
        return format!("({seed} + (ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1) * ({step}))");
    }
    if has(row.status, cs::COMPUTED) {
        return row.definition.0.clone().unwrap_or_default();
    }
    if row.xtype == 189 {
        // Every row gets a version of its own, below those given from now on.
        return "CONVERT(bigint, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)))".to_string();
    }
    let default = column.constraints.iter().find_map(|constraint| match &constraint.kind {
        ConstraintKind::Default(default) => Some(default),
        _ => None,
    });
    match default {
        Some(default) if !has(row.status, cs::NULLABLE) || default.with_values => {
            text::definition(&default.value, ddl.span(default.text))
        }
        _ => "NULL".to_string(),
    }
}

/// `CONVERT(type, value)`, for the value of a column.
fn cast(ddl: &mut Ddl<'_>, db: &Arc<Database>, value: &str, row: &ColumnRow) -> SqlResult<String> {
    let ty = column_type(row).ty;
    if let Some(collection) = ty.xml_collection() {
        let (schema, name) = ddl.rows(db, |rows| xml_collection::name(rows, collection))?.expect("a column's is there");
        let facet = if ty.is_xml_document() { "DOCUMENT" } else { "CONTENT" };
        return Ok(format!("CONVERT(xml({facet} {}.{}), {value})", bracket(&schema), bracket(&name)));
    }
    let name = if row.xtype == 189 { "binary(8)".to_string() } else { scalar_type::display(&ty) };
    let collate = row.collation.as_deref().map_or_else(String::new, |collation| format!(" COLLATE {collation}"));
    Ok(format!("CONVERT({name}, {value}){collate}"))
}

/// A column that is added, with what the rows that are there get.
fn added_column(ddl: &mut Ddl<'_>, db: &Arc<Database>, row: &ColumnRow, value: &str) -> SqlResult<NewColumn> {
    let (whole, value) = match uncut(value, row) {
        Some(value) => (true, value),
        None => (false, cast(ddl, db, value, row)?),
    };
    Ok(NewColumn { name: row.name.clone(), ty: column_type(row), value, whole })
}

/// A text or binary column's value as its new type has it, but of any length. None: `cast` cuts nothing.
fn whole(from: &SqlType, new: &ColumnRow) -> Option<String> {
    let to = column_type(new).ty;
    let alike = from.is_string() && to.is_string() || from.is_binary() && to.is_binary();
    if alike { uncut(&bracket(&new.name), new) } else { None }
}

/// The value as text or binary of any length, so that none is cut. None: the column is neither, or of any length itself.
fn uncut(value: &str, new: &ColumnRow) -> Option<String> {
    let to = column_type(new).ty;
    let limited = matches!(
        to.kind,
        TypeKind::Char
            | TypeKind::VarChar
            | TypeKind::NChar
            | TypeKind::NVarChar
            | TypeKind::Binary
            | TypeKind::VarBinary
    );
    if !limited || to.is_max() {
        return None;
    }
    let name = match to.is_unicode_string() {
        true => "nvarchar(max)",
        false if to.is_string() => "varchar(max)",
        false => "varbinary(max)",
    };
    let collate = new.collation.as_deref().map_or_else(String::new, |collation| format!(" COLLATE {collation}"));
    Some(format!("CONVERT({name}, {value}){collate}"))
}

fn drop_column(ddl: &mut Ddl<'_>, target: &Target, name: &str, if_exists: bool) -> SqlResult<()> {
    let (db, id) = (&target.db, target.row.id);
    let columns = columns_of(ddl, target)?;
    let Some(column) = columns.iter().find(|column| db.equal_names(&column.name, name)).cloned() else {
        if if_exists {
            return Ok(());
        }
        return Err(sql_error!(4924, "ALTER TABLE DROP COLUMN", name, target.shown));
    };
    if columns.len() == 1 {
        return Err(sql_error!(4923, column.name, target.shown));
    }
    column_use::refuse_drop(ddl, &target.db, target.row.id, &column)?;
    let kept: Vec<ColumnRow> = columns.into_iter().filter(|c| c.colid != column.colid).collect();
    let saved = if stored(&column) {
        let carried = carried(&kept, |column| bracket(&column.name));
        Some(rebuild::save(ddl, &target.place, &target.shown, &carried)?)
    } else {
        None
    };
    super::bound::forget(ddl, db, &column)?;
    ddl.rows(db, |rows| rows.delete::<ColumnRow>(0, &[int(id), small(0), int(column.colid)]))?;
    ddl.changed(db.id, id);
    if let Some(saved) = saved {
        let new = ddl.reload(db, id)?;
        rebuild::restore(ddl, db, &new, saved)?;
    }
    Ok(())
}

fn child_named(ddl: &mut Ddl<'_>, target: &Target, name: &str) -> SqlResult<Option<ObjectRow>> {
    let children = ddl.rows(&target.db, |rows| rows.find::<ObjectRow>(BY_PARENT, &[int(target.row.id)]))?;
    Ok(children.into_iter().find(|child| target.db.equal_names(&child.name, name) && child.kind.as_str() != "TR"))
}

/// 3727 behind `first`.
fn constraint_kept(first: SqlError) -> SqlError {
    sql_error!(3727).after(vec![first])
}

fn drop_constraint(ddl: &mut Ddl<'_>, target: &Target, name: &str, if_exists: bool) -> SqlResult<()> {
    let (db, id) = (&target.db, target.row.id);
    let Some(constraint) = child_named(ddl, target, name)? else {
        // `DROP COLUMN`'s word may be left out; so may CONSTRAINT's, and then it can be a column.
        if if_exists {
            return Ok(());
        }
        return Err(constraint_kept(sql_error!(3728, name)));
    };
    match constraint.kind.as_str() {
        "PK" | "UQ" => {
            let index = ddl.rows(db, |rows| rows.find::<IndexRow>(0, &[int(id)]))?;
            let index =
                index.into_iter().find(|index| index.constraint_id == constraint.id).expect("a key has its index");
            let users = ddl.rows(db, |rows| rows.find::<ReferenceRow>(1, &[int(id), small(class::FOREIGN_KEY)]))?;
            if let Some(user) = users.iter().find(|reference| reference.status >> 8 == index.indid) {
                let key = ddl.rows(db, |rows| load::object_row(rows, user.depid))?.expect("a reference is a key's");
                let table = ddl.rows(db, |rows| load::object_row(rows, key.pid))?.expect("a key has its table");
                let first = sql_error!(3725, state 0, constraint.name, table.name, key.name);
                return Err(constraint_kept(first));
            }
            index::remove(ddl, db, &target.row, &index)?;
        }
        "D" => {
            ddl.rows(db, |rows| {
                rows.update::<ColumnRow>(0, &[int(id), small(0), int(constraint.intprop)], |row| row.dflt = 0)
            })?;
        }
        "F" => {
            let reference =
                ddl.rows(db, |rows| rows.first::<ReferenceRow>(0, &[int(constraint.id), small(class::FOREIGN_KEY)]))?;
            if let Some(reference) = reference {
                ddl.changed(db.id, reference.indepid);
            }
        }
        _ => {}
    }
    table::erase(ddl, db, &constraint)?;
    ddl.changed(db.id, id);
    Ok(())
}

fn drop_index(ddl: &mut Ddl<'_>, target: &Target, name: &str, if_exists: bool) -> SqlResult<()> {
    let indexes = ddl.rows(&target.db, |rows| rows.find::<IndexRow>(0, &[int(target.row.id)]))?;
    let found = indexes.into_iter().find(|i| i.name.as_deref().is_some_and(|own| target.db.equal_names(own, name)));
    match found {
        Some(index) => index::remove(ddl, &target.db, &target.row, &index),
        None if if_exists => Ok(()),
        None => Err(super::site::cannot_drop("index", &format!("{}.{name}", target.shown), 7)),
    }
}

/// The only change there is: BUCKET_COUNT of a hash index.
fn alter_index(ddl: &mut Ddl<'_>, target: &Target, old: &TableDef, name: &Ident, options: &[Setting]) -> SqlResult<()> {
    if old.memory.is_none() {
        return Ok(());
    }
    let Some(found) = old.indexes.iter().find(|index| target.db.equal_names(&index.name, name)) else {
        return Err(sql_error!(3701, severity 16, state 22, "alter", "index", &**name));
    };
    if find_setting(options, "BUCKET_COUNT").is_none() {
        return Ok(());
    }
    if found.bucket_count.is_none() {
        return Err(sql_error!(10790, severity 16, state 4, "BUCKET_COUNT"));
    }
    let buckets = index::new_buckets(options)?;
    let (table, index) = (target.row.id, found.id);
    ddl.rows(&target.db, |rows| {
        rows.update::<IndexRow>(0, &[int(table), int(index as i32)], |row| row.buckets = buckets)
    })?;
    let database = target.db.storage_id();
    ddl.long_storage(|storage, tx, pause| {
        storage.set_bucket_count(tx, database, TableId(table), IndexId(index), buckets as u64, pause)
    })
    .map_err(storage_error)?;
    ddl.changed(target.db.id, table);
    Ok(())
}

/// The bit of the column's status that `ALTER COLUMN ... ADD | DROP property` is about, if the column may have it.
fn property_bit(
    target: &Target,
    old: &TableDef,
    columns: &[ColumnRow],
    column: &ColumnRow,
    property: &str,
    add: bool,
) -> SqlResult<i32> {
    Ok(match property {
        "ROWGUIDCOL" => {
            match (add, columns.iter().any(|other| has(other.status, cs::ROWGUID))) {
                (true, true) => return Err(sql_error!(4925, target.shown)),
                (true, false) if column_type(column).ty.kind != TypeKind::UniqueIdentifier => {
                    return Err(sql_error!(2761));
                }
                (true, false) | (false, true) => {}
                (false, false) => return Err(sql_error!(4926, target.shown)),
            }
            cs::ROWGUID
        }
        "SPARSE" => {
            if has(column.status, cs::COMPUTED) {
                return Err(sql_error!(4928, column.name, "COMPUTED"));
            }
            if column.dflt != 0 {
                return Err(sql_error!(11410, column.name, target.shown));
            }
            if add {
                check_sparse(&column.name, &column_type(column).ty, column.status, &target.shown)?;
            }
            cs::SPARSE
        }
        "NOT FOR REPLICATION" => cs::NOT_FOR_REPLICATION,
        "HIDDEN" if column.status & (cs::ROW_START | cs::ROW_END) != 0 => cs::HIDDEN,
        "HIDDEN" => return Err(sql_error!(13735, column.name, versioned::full_name(&target.db, old))),
        "PERSISTED" if add => return Err(sql_error!(4928, column.name, "not COMPUTED")),
        other => return Err(super::unsupported(&format!("ALTER COLUMN {other}"))),
    })
}

fn alter_column(ddl: &mut Ddl<'_>, target: &Target, old: &TableDef, change: &AlterColumn) -> SqlResult<()> {
    let (db, id) = (&target.db, target.row.id);
    let columns = columns_of(ddl, target)?;
    let Some(column) = columns.iter().find(|column| db.equal_names(&column.name, &change.name)).cloned() else {
        return Err(sql_error!(4924, "ALTER TABLE ALTER COLUMN", &*change.name, target.shown));
    };
    let divides = old.partitioning.as_ref().map(|own| old.columns[usize::from(own.column)].column_id);
    if divides == Some(column.colid as u32) && matches!(change.change, ColumnChange::Type { .. }) {
        let first = sql_error!(5074, "object", target.shown, "column", column.name);
        return Err(sql_error!(4922, state 9, "ALTER TABLE ALTER COLUMN", column.name).after(vec![first]));
    }
    let mut new = column.clone();
    match &change.change {
        ColumnChange::Property { property, masked, .. } if &**property == "MASKED" => {
            if has(column.status, cs::COMPUTED) {
                return Err(sql_error!(4928, column.name, "COMPUTED"));
            }
            if masked.is_none() && !has(column.status, cs::MASKED) {
                return Err(sql_error!(16007, state 0, column.name));
            }
            set_mask(&mut new, masked.as_deref(), &column_type(&column).ty)?;
        }
        ColumnChange::Property { add, property, .. } => {
            if *add && &**property == "PERSISTED" && has(column.status, cs::COMPUTED) {
                return store_computed(ddl, db, &target.place, &target.shown, id, &[column.colid], cs::PERSISTED);
            }
            let bit = property_bit(target, old, &columns, &column, property, *add)?;
            new.status = if *add { new.status | bit } else { new.status & !bit };
        }
        ColumnChange::Type { generated: true, .. } => {
            return Err(sql_error!(13589, column.name, versioned::full_name(db, old)));
        }
        ColumnChange::Type { hidden: true, .. } if column.status & (cs::ROW_START | cs::ROW_END) == 0 => {
            return Err(sql_error!(13735, column.name, versioned::full_name(db, old)));
        }
        ColumnChange::Type { data_type, collation, null, masked, sparse, .. } => {
            if has(column.status, cs::COMPUTED) || column.xtype == 189 {
                let what = if column.xtype == 189 { "timestamp" } else { "COMPUTED" };
                return Err(sql_error!(4928, column.name, what));
            }
            if column.status & (cs::ROW_START | cs::ROW_END) != 0 {
                return Err(sql_error!(13599, column.name));
            }
            data_type::check_size(&column.name, data_type)?;
            let resolved = data_type::resolve(ddl, db, data_type, column.colid as usize)?;
            references_type(ddl, db, resolved.utype)?;
            let texts = resolved.ty.is_string() && column_type(&column).ty.is_string();
            let own = column.collation.clone().filter(|_| texts);
            let kept = collation.as_ref().map(|c| c.to_string()).or(own);
            let ty = data_type::collate(db, resolved.ty, kept.as_deref())?;
            // "ANSI_NULL defaults are always on for ALTER COLUMN": the page of ALTER TABLE.
            let nullable = null.or(resolved.nullable).unwrap_or(true);
            new.xtype = resolved.xtype;
            new.utype = resolved.utype;
            new.length = scalar_type::max_length(&ty);
            new.prec = ty.precision;
            new.scale = ty.scale;
            new.collation = scalar_type::collation_name(&ty);
            new.status = if nullable { new.status | cs::NULLABLE } else { new.status & !cs::NULLABLE };
            if *sparse != has(column.status, cs::SPARSE) && column.dflt != 0 {
                return Err(sql_error!(11410, column.name, target.shown));
            }
            if *sparse {
                check_sparse(&column.name, &ty, new.status, &target.shown)?;
            }
            new.status = if *sparse { new.status | cs::SPARSE } else { new.status & !cs::SPARSE };
            column_use::refuse_change(ddl, &target.db, target.row.id, &column, &new)?;
            set_mask(&mut new, masked.as_deref(), &ty)?;
        }
    }
    if new.definition != column.definition {
        column_use::refuse_mask(ddl, &target.db, target.row.id, &column)?;
    }
    let same_row = column_type(&column) == column_type(&new);
    let saved = if same_row {
        None
    } else {
        let after: Vec<ColumnRow> =
            columns.iter().map(|c| if c.colid == new.colid { new.clone() } else { c.clone() }).collect();
        let longer = whole(&column_type(&column).ty, &new);
        let value = match &longer {
            Some(value) => value.clone(),
            None => cast(ddl, db, &bracket(&new.name), &new)?,
        };
        let mut list = carried(&after, |c| if c.colid == new.colid { value.clone() } else { bracket(&c.name) });
        for column in list.iter_mut().filter(|column| column.name == new.name) {
            column.whole = longer.is_some();
        }
        Some(rebuild::save(ddl, &target.place, &target.shown, &list)?)
    };
    ddl.rows(db, |rows| rows.update::<ColumnRow>(0, &[int(id), small(0), int(new.colid)], |row| *row = new.clone()))?;
    ddl.changed(db.id, id);
    if let Some(saved) = saved {
        let table_def = ddl.reload(db, id)?;
        rebuild::restore(ddl, db, &table_def, saved)?;
    }
    Ok(())
}

fn switch_constraints(
    ddl: &mut Ddl<'_>,
    target: &Target,
    with_check: Option<bool>,
    enable: bool,
    names: Option<&[sql::ast::Ident]>,
) -> SqlResult<()> {
    let children = ddl.rows(&target.db, |rows| rows.find::<ObjectRow>(BY_PARENT, &[int(target.row.id)]))?;
    let mut chosen = Vec::new();
    match names {
        None => chosen.extend(children.into_iter().filter(|child| matches!(child.kind.as_str(), "C" | "F"))),
        Some(names) => {
            for name in names {
                let found = children.iter().find(|child| target.db.equal_names(&child.name, name));
                match found {
                    Some(child) if matches!(child.kind.as_str(), "C" | "F") => chosen.push(child.clone()),
                    Some(_) => return Err(sql_error!(4916).after(vec![sql_error!(11415, &**name)])),
                    None => return Err(sql_error!(4916).after(vec![sql_error!(4917, &**name)])),
                }
            }
        }
    }
    // CHECK CONSTRAINT alone enables without looking at the rows: the constraint stays untrusted.
    let validate = enable && with_check == Some(true);
    for child in chosen {
        if enable && child.kind.as_str() == "F" {
            let reference = ddl
                .rows(&target.db, |rows| rows.first::<ReferenceRow>(0, &[int(child.id), small(class::FOREIGN_KEY)]))?;
            let others = reference.filter(|reference| reference.indepid != target.row.id);
            others.map_or(Ok(()), |other| constraint::hold_referenced(ddl, &target.db, other.indepid))?;
        }
        if validate && child.kind.as_str() == "F" {
            constraint::validate_foreign_key(ddl, &target.place, &target.shown, child.id)?;
        } else if validate {
            let definition = ddl.rows(&target.db, |rows| load::text_of(rows, child.id))?.unwrap_or_default();
            let columns = ddl.rows(&target.db, |rows| rows.find::<ColumnRow>(0, &[int(target.row.id), small(0)]))?;
            let own = columns.iter().find(|row| has(child.status, os_::OF_COLUMN) && row.colid == child.intprop);
            let column = own.map(|row| row.name.as_str());
            constraint::validate_check(ddl, &target.place, &target.shown, &child.name, &definition, column)?;
        }
        let status = match (enable, validate) {
            (true, true) => child.status & !os_::DISABLED & !os_::NOT_TRUSTED,
            (true, false) => {
                child.status & !os_::DISABLED | if has(child.status, os_::DISABLED) { os_::NOT_TRUSTED } else { 0 }
            }
            (false, _) => child.status | os_::DISABLED | os_::NOT_TRUSTED,
        };
        ddl.rows(&target.db, |rows| rows.update::<ObjectRow>(0, &[int(child.id)], |row| row.status = status))?;
        ddl.changed(target.db.id, child.id);
    }
    Ok(())
}
