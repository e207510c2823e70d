//! Keys, defaults, checks and foreign keys: of a new table, and added to one that has rows.

use std::sync::Arc;

use sql::ast::{
    Check, Constraint, ConstraintKind, DataSpace, DefaultValue, Expr, ForeignKey, IndexColumn, Key, Literal,
    ReferentialAction, Setting, TableDefinition,
};
use sql::catalog::TableDef;
use types::precedence::check_conversion;
use types::{SqlError, SqlResult, sql_error};

use super::cascade_paths::{self, Way};
use super::index;
use super::partition::{self, Placement};
use super::rebuild::column_type;
use super::rights::references;
use super::site::{Ddl, Place, constraint_failed, has, is_system, place_of, source, written};
use super::text::{self, bracket};
use crate::catalog::Database;
use crate::catalog::base::{
    ColumnRow, KeyReferenceRow, ObjectRow, ReferenceRow, class, column_status as cs, index_status as ix,
    object_status as os_,
};
use crate::catalog::load::{self, BY_PARENT, int, small};

/// A constraint's name, if the user gave one.
pub type Named = Option<String>;

/// A PRIMARY KEY or UNIQUE constraint.
pub struct KeySpec<'a> {
    pub name: Named,
    pub primary: bool,
    pub clustered: Option<bool>,
    pub hash: bool,
    pub columns: Vec<(String, bool)>,
    pub options: &'a [Setting],
    pub on: Option<&'a DataSpace>,
    pub not_enforced: bool,
}

impl<'a> KeySpec<'a> {
    /// `column`: where a column's own constraint stands.
    pub fn new(name: &Option<sql::ast::Ident>, key: &'a Key, primary: bool, column: Option<&str>) -> KeySpec<'a> {
        let columns = match column {
            Some(column) if key.columns.is_empty() => vec![(column.to_string(), false)],
            _ => key.columns.iter().map(|c: &IndexColumn| (c.name.to_string(), c.descending)).collect(),
        };
        KeySpec {
            name: name.as_ref().map(|n| n.to_string()),
            primary,
            clustered: key.clustered,
            hash: key.hash,
            columns,
            options: &key.options,
            on: key.on.as_ref(),
            not_enforced: key.not_enforced,
        }
    }
}

/// Every constraint of a definition, with the column it stands behind.
fn each(definition: &TableDefinition) -> impl Iterator<Item = (Option<&str>, &Constraint)> {
    let of_columns = definition
        .columns
        .iter()
        .flat_map(|column| column.constraints.iter().map(move |c| (Some(&*column.name.text), c)));
    of_columns.chain(definition.constraints.iter().map(|c| (None, c)))
}

pub fn keys_of(definition: &TableDefinition) -> Vec<KeySpec<'_>> {
    let keys = each(definition).filter_map(|(column, constraint)| match &constraint.kind {
        ConstraintKind::PrimaryKey(key) => Some(KeySpec::new(&constraint.name, key, true, column)),
        ConstraintKind::Unique(key) => Some(KeySpec::new(&constraint.name, key, false, column)),
        _ => None,
    });
    let mut keys: Vec<KeySpec<'_>> = keys.collect();
    keys.sort_by_key(|key| !key.primary);
    keys
}

/// A name as SQL Server makes it: `PK__orders__3213E83F1A2B3C4D`, `DF__orders__qty__1A2B3C4D`.
pub fn automatic_name(kind: &str, table: &str, column: Option<&str>, columns: &[(String, bool)], id: i32) -> String {
    let cut = |text: &str, length: usize| text.chars().take(length).collect::<String>();
    match kind {
        "PK" | "UQ" => {
            let hash = columns
                .iter()
                .flat_map(|(name, _)| name.bytes())
                .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
            format!("{kind}__{}__{hash:08X}{id:08X}", cut(table, 8))
        }
        _ => match column {
            Some(column) => {
                // A short column leaves its place to the table, and a short table to the column.
                let table = cut(table, 14 - column.chars().count().min(5));
                let rest = 14_usize.saturating_sub(table.chars().count()).max(5);
                format!("{kind}__{table}__{}__{id:08X}", cut(column, rest))
            }
            None => format!("{kind}__{}__{id:08X}", cut(table, 16)),
        },
    }
}

/// 8168: the names of a statement's constraints are different ones.
pub fn refuse_repeated(db: &Database, definition: &TableDefinition) -> SqlResult<()> {
    let named = each(definition).filter_map(|(_, constraint)| constraint.name.as_ref());
    let mut names: Vec<&sql::ast::Ident> = named.collect();
    names.sort_by_cached_key(|name| name.text.to_lowercase());
    match names.windows(2).find(|pair| db.equal_names(pair[0], pair[1])) {
        Some(pair) => Err(sql_error!(8168, &*pair[1].text)),
        None => Ok(()),
    }
}

/// Index rows for the keys and inline indexes of a new table: no storage yet.
pub fn plan_keys(
    ddl: &mut Ddl<'_>,
    place: &Place,
    shown: &str,
    id: i32,
    definition: &TableDefinition,
    table: &Placement,
    in_memory: bool,
) -> SqlResult<()> {
    refuse_repeated(&place.db, definition)?;
    let keys = keys_of(definition);
    if keys.iter().filter(|key| key.primary).count() > 1 {
        return Err(sql_error!(8110, state 0, shown));
    }
    let inline = definition
        .columns
        .iter()
        .flat_map(|column| column.indexes.iter().map(move |index| (Some(&*column.name.text), index)));
    let mut inline: Vec<_> = inline.chain(definition.indexes.iter().map(|index| (None, index))).collect();
    if !in_memory {
        // SQL Server numbers those that are not unique first, and the others behind them from the last one that was written to the first.
        inline.sort_by_key(|(_, index)| index.unique);
        let several = inline.partition_point(|(_, index)| !index.unique);
        inline[several..].reverse();
    }
    let asked = keys.iter().filter(|key| key.clustered == Some(true)).count()
        + inline.iter().filter(|(_, i)| i.clustered == Some(true)).count();
    if asked > 1 {
        return Err(sql_error!(8112, shown));
    }
    let has_clustered = asked == 1 || keys.iter().any(|key| key.primary && key.clustered.is_none() && !key.hash);
    let is_clustered = |key: &KeySpec<'_>| key.clustered.unwrap_or(key.primary && asked == 0 && !key.hash);
    // The rows lie where the clustered index does, and all other indexes with them.
    let own = keys.iter().find(|key| is_clustered(key)).and_then(|key| key.on);
    let own = own.or_else(|| inline.iter().find(|(_, i)| i.clustered == Some(true)).and_then(|(_, i)| i.on.as_ref()));
    let table = &partition::placement(ddl, &place.db, own)?.unwrap_or_else(|| table.clone());
    if !has_clustered {
        if let Some(divided) = &table.divided {
            partition::check_column(ddl, &place.db, (shown, id), divided, true)?;
        }
        index::add_heap(ddl, &place.db, id, table)?;
    }
    let add_inline = |ddl: &mut Ddl<'_>| {
        inline.iter().try_for_each(|(column, i)| index::add_inline(ddl, &place.db, shown, id, i, *column, table))
    };
    if in_memory {
        for key in keys {
            add_key_rows(ddl, place, shown, id, &key, (is_clustered(&key), None), table)?;
        }
        return add_inline(ddl);
    }
    // Inline indexes are first, and the keys behind them are numbered as those are that are unique.
    add_inline(ddl)?;
    let mut number = 1 + inline.iter().filter(|(_, i)| i.clustered != Some(true)).count() as i32;
    number += keys.iter().filter(|key| !is_clustered(key)).count() as i32;
    for key in keys {
        let clustered = is_clustered(&key);
        add_key_rows(ddl, place, shown, id, &key, (clustered, Some(number)), table)?;
        number -= i32::from(!clustered);
    }
    Ok(())
}

/// The object and index rows of a key; its index id. `number`: the one that it is to have, if it is not clustered; None: the next.
pub fn add_key_rows(
    ddl: &mut Ddl<'_>,
    place: &Place,
    shown: &str,
    table: i32,
    key: &KeySpec<'_>,
    (clustered, number): (bool, Option<i32>),
    place_of_table: &Placement,
) -> SqlResult<i32> {
    let kind = if key.primary { "PK" } else { "UQ" };
    let on = partition::placement(ddl, &place.db, key.on)?;
    if key.not_enforced {
        return Err(super::unsupported("PRIMARY KEY or UNIQUE ... NOT ENFORCED"));
    }
    let id = ddl.new_id(&place.db)?;
    let name = key.name.clone().unwrap_or_else(|| automatic_name(kind, shown, None, &key.columns, id));
    let own = Place { name: name.clone(), ..place.clone() };
    let status = if key.name.is_none() { os_::SYSTEM_NAMED } else { 0 };
    if let Err(error) = ddl.add_object_as(id, &own, kind, table, status, 0) {
        return Err(constraint_failed(error));
    }
    let bits = ix::UNIQUE
        | if key.primary { ix::PRIMARY_KEY } else { ix::UNIQUE_CONSTRAINT }
        | if key.name.is_none() { ix::SYSTEM_NAMED } else { 0 };
    let made = index::add_rows(
        ddl,
        &place.db,
        shown,
        table,
        &index::IndexSpec {
            name,
            clustered,
            hash: key.hash,
            status: bits,
            columns: key.columns.clone(),
            included: Vec::new(),
            filter: None,
            options: key.options,
            on,
            table: place_of_table.clone(),
            constraint_id: id,
            number,
        },
    );
    made.map_err(constraint_failed)
}

/// Defaults, checks and foreign keys. `new`: the table has no rows yet.
pub fn add_rest(
    ddl: &mut Ddl<'_>,
    place: &Place,
    shown: &str,
    id: i32,
    definition: &TableDefinition,
    new: bool,
) -> SqlResult<()> {
    note_missing(ddl, definition);
    // What foreign keys ask of defaults stands before them.
    let mut all: Vec<_> = each(definition).collect();
    all.sort_by_key(|(_, constraint)| matches!(constraint.kind, ConstraintKind::ForeignKey(_)));
    for (column, constraint) in all {
        let name = constraint.name.as_ref().map(|name| name.to_string());
        match &constraint.kind {
            ConstraintKind::Default(default) if column.is_some() || default.column.is_some() => {
                let column = default.column.as_deref().or(column).unwrap_or_default().to_string();
                add_default(ddl, place, shown, id, &name, &column, default)?;
            }
            ConstraintKind::Check(check) => {
                add_check(ddl, place, shown, id, &name, column, check, !new, true)?;
            }
            ConstraintKind::ForeignKey(key) => {
                add_foreign_key(ddl, place, shown, id, &name, column, key, !new, true)?;
            }
            ConstraintKind::Connection(_) => return Err(super::unsupported("CONNECTION constraint")),
            _ => {}
        }
    }
    ddl.changed(place.db.id, id);
    Ok(())
}

fn column_named(ddl: &mut Ddl<'_>, db: &Database, table: i32, name: &str) -> SqlResult<Option<ColumnRow>> {
    let columns = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(table), small(0)]))?;
    Ok(columns.into_iter().find(|column| db.equal_names(&column.name, name)))
}

pub fn add_default(
    ddl: &mut Ddl<'_>,
    place: &Place,
    shown: &str,
    table: i32,
    name: &Named,
    column: &str,
    default: &DefaultValue,
) -> SqlResult<()> {
    let db = place.db.clone();
    let Some(row) = column_named(ddl, &db, table, column)? else {
        let error = sql_error!(1752, column, shown);
        return Err(constraint_failed(error));
    };
    if has(row.status, cs::COMPUTED) {
        return Err(constraint_failed(sql_error!(1752, column, shown)));
    }
    if row.dflt != 0 {
        let error = sql_error!(1781);
        return Err(constraint_failed(error));
    }
    if has(row.status, cs::IDENTITY) {
        let error = sql_error!(1754, shown, column);
        return Err(constraint_failed(error));
    }
    if row.xtype == 189 {
        let error = sql_error!(1755, shown, column);
        return Err(constraint_failed(error));
    }
    if sql::bind::has_query(&default.value) {
        return Err(sql_error!(1046));
    }
    let definition = text::definition(&default.value, ddl.span(default.text));
    let id = ddl.new_id(&db)?;
    let own = Place {
        name: name.clone().unwrap_or_else(|| automatic_name("DF", shown, Some(column), &[], id)),
        ..place.clone()
    };
    let status = os_::OF_COLUMN | if name.is_none() { os_::SYSTEM_NAMED } else { 0 };
    if let Err(error) = ddl.add_object_as(id, &own, "D", table, status, row.colid) {
        return Err(constraint_failed(error));
    }
    // The binder finds what is wrong with it: unknown functions, columns in a default.
    match ddl.site.describe(&format!("SELECT {definition}")) {
        Ok(shown) if !is_null(&default.value) => {
            check_conversion(&shown[0].ty, &column_type(&row).ty, false)?;
        }
        Ok(_) => {}
        Err(error) if error.number == 207 => {
            return Err(sql_error!(128, first_column(&default.value).unwrap_or_default()));
        }
        Err(error) => return Err(error),
    }
    ddl.add_text(&db, id, &definition)?;
    ddl.rows(&db, |rows| rows.update::<ColumnRow>(0, &[int(table), small(0), int(row.colid)], |row| row.dflt = id))?;
    ddl.changed(db.id, table);
    Ok(())
}

/// NULL of no type.
fn is_null(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(Literal::Null) => true,
        Expr::Unary(_, inner) => is_null(inner),
        _ => false,
    }
}

fn first_column(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Column(column) => Some(column.name.to_string()),
        _ => None,
    }
}

/// Computed whenever it is read.
fn is_not_stored(row: &ColumnRow) -> bool {
    has(row.status, cs::COMPUTED) && !has(row.status, cs::PERSISTED)
}

/// After rows that nobody has checked came: CHECK and FOREIGN KEY constraints hold for what comes now, of what is there nobody knows.
/// Nothing that is compiled depends on it.
pub fn distrust(ddl: &mut Ddl<'_>, db: &Database, table: i32) -> SqlResult<()> {
    for child in ddl.rows(db, |rows| rows.find::<ObjectRow>(BY_PARENT, &[int(table)]))? {
        if matches!(child.kind.as_str(), "C" | "F") && !has(child.status, os_::NOT_TRUSTED) {
            let status = child.status | os_::NOT_TRUSTED;
            ddl.rows(db, |rows| rows.update::<ObjectRow>(0, &[int(child.id)], |row| row.status = status))?;
        }
    }
    Ok(())
}

/// `validate`: rows that are there must satisfy it (547). `trusted`: false after WITH NOCHECK. The caller says that the table has changed,
/// once for all that he adds: each of them is bound over the table, which nobody wants to load with all those before it.
#[allow(clippy::too_many_arguments)]
pub fn add_check(
    ddl: &mut Ddl<'_>,
    place: &Place,
    shown: &str,
    table: i32,
    name: &Named,
    column: Option<&str>,
    check: &Check,
    validate: bool,
    trusted: bool,
) -> SqlResult<()> {
    let db = place.db.clone();
    sql::bind::refuse_beyond_row(&check.condition)?;
    if let Some(column) = column
        && let Some(other) =
            sql::bind::columns_named(&check.condition).into_iter().find(|name| !db.equal_names(name, column))
        && column_named(ddl, &db, table, &other)?.is_some()
    {
        return Err(constraint_failed(sql_error!(8141, "CHECK", column, shown)));
    }
    let own = ddl.rows(&db, |rows| rows.find::<ColumnRow>(0, &[int(table), small(0)]))?;
    let named = sql::bind::columns_named(&check.condition);
    let is_read = |row: &&ColumnRow| named.iter().any(|name| db.equal_names(name, &row.name));
    // What is not stored is not looked at when a row is.
    if let Some(row) = own.iter().filter(is_read).find(|row| is_not_stored(row)) {
        return Err(match column {
            Some(_) => sql_error!(8183),
            None => constraint_failed(sql_error!(1764, row.name, shown, "CHECK CONSTRAINT")),
        });
    }
    let definition = text::definition(&check.condition, ddl.span(check.text));
    let id = ddl.new_id(&db)?;
    // A condition of one column is that column's, wherever it is written.
    let mut read = own.iter().filter(is_read);
    let of_column = match (column, read.next(), read.next()) {
        (Some(column), ..) => own.iter().find(|row| db.equal_names(&row.name, column)),
        (None, only, None) => only,
        _ => None,
    };
    let in_column = column.is_some();
    let (column, colid) = (of_column.map(|row| row.name.as_str()), of_column.map_or(0, |row| row.colid));
    let own =
        Place { name: name.clone().unwrap_or_else(|| automatic_name("CK", shown, column, &[], id)), ..place.clone() };
    let status = if name.is_none() { os_::SYSTEM_NAMED } else { 0 }
        | if column.is_some() { os_::OF_COLUMN } else { 0 }
        | if trusted { 0 } else { os_::NOT_TRUSTED }
        | if check.not_for_replication { os_::NOT_FOR_REPLICATION } else { 0 };
    if let Err(error) = ddl.add_object_as(id, &own, "C", table, status, colid) {
        return Err(constraint_failed(error));
    }
    let from = source(place, shown);
    if let Err(error) = ddl.site.describe(&format!("SELECT 1 AS a FROM {from} WHERE {definition}")) {
        let of_table = error.number == 207 && !in_column;
        return Err(if of_table || error.number == 529 { constraint_failed(error) } else { error });
    }
    if super::column::calls_xml_method(ddl, place, table, &format!("CASE WHEN {definition} THEN 1 END"))? {
        return Err(constraint_failed(sql_error!(423, shown)));
    }
    if validate && trusted {
        validate_check(ddl, place, shown, &own.name, &definition, column)?;
    }
    ddl.add_text(&db, id, &definition)
}

pub fn validate_check(
    ddl: &mut Ddl<'_>,
    place: &Place,
    shown: &str,
    name: &str,
    definition: &str,
    column: Option<&str>,
) -> SqlResult<()> {
    if ddl.any_row(&format!("SELECT TOP 1 1 AS a FROM {} WHERE NOT {definition}", source(place, shown)))? {
        return Err(conflict(
            "ALTER TABLE",
            "CHECK",
            name,
            &place.db.name(),
            &format!("{}.{}", place.schema_name, shown),
            column,
        ));
    }
    Ok(())
}

/// 547
fn conflict(verb: &str, kind: &str, name: &str, database: &str, table: &str, column: Option<&str>) -> SqlError {
    let (open, column, close) = column.map_or(("", "", ""), |column| (", column '", column, "'"));
    sql_error!(547, verb, kind, name, database, table, open, column, close)
}

#[allow(clippy::too_many_arguments)]
pub fn add_foreign_key(
    ddl: &mut Ddl<'_>,
    place: &Place,
    shown: &str,
    table: i32,
    name: &Named,
    column: Option<&str>,
    key: &ForeignKey,
    validate: bool,
    trusted: bool,
) -> SqlResult<()> {
    let db = place.db.clone();
    let id = ddl.new_id(&db)?;
    let from: Vec<String> = match column {
        Some(column) if key.columns.is_empty() => vec![column.to_string()],
        _ => key.columns.iter().map(|c| c.to_string()).collect(),
    };
    let own_name =
        name.clone().unwrap_or_else(|| automatic_name("FK", shown, from.first().map(String::as_str), &[], id));
    if shown.starts_with('#') {
        // As SQL Server: a temporary table has no foreign keys, and says so.
        ddl.message(sql_error!(1756, own_name));
        return Ok(());
    }
    let checked = check_foreign_key(ddl, &db, shown, table, &own_name, &from, key);
    let (target, from_ids, to_ids, index) = match checked {
        Ok(found) => found,
        Err(error) => return Err(constraint_failed(error)),
    };
    let action = |action: Option<ReferentialAction>| match action {
        None | Some(ReferentialAction::NoAction) => 0,
        Some(ReferentialAction::Cascade) => 1,
        Some(ReferentialAction::SetNull) => 2,
        Some(ReferentialAction::SetDefault) => 3,
    };
    let (on_delete, on_update) = (action(key.on_delete), action(key.on_update));
    if on_delete != 0 || on_update != 0 {
        let (columns, referenced) = (from_ids.clone(), to_ids.clone());
        let way = Way { from: target.id, to: table, on_delete, on_update, columns, referenced };
        if cascade_paths::meet(ddl, &db, way)? {
            return Err(constraint_failed(sql_error!(1785, own_name, shown)));
        }
    }
    if let Err(error) = check_instead_of(ddl, &db, &own_name, shown, table, on_delete != 0, on_update != 0) {
        return Err(constraint_failed(error));
    }
    let own = Place { name: own_name.clone(), ..place.clone() };
    let status = if name.is_none() { os_::SYSTEM_NAMED } else { 0 }
        | if trusted { 0 } else { os_::NOT_TRUSTED }
        | if key.not_for_replication { os_::NOT_FOR_REPLICATION } else { 0 };
    if let Err(error) = ddl.add_object_as(id, &own, "F", table, status, 0) {
        return Err(constraint_failed(error));
    }
    ddl.rows(&db, |rows| {
        rows.insert(&ReferenceRow {
            class: class::FOREIGN_KEY,
            depid: id,
            depsubid: 0,
            indepid: target.id,
            indepsubid: 0,
            status: on_delete | on_update << 4 | index << 8,
        })?;
        for (ordinal, (from, to)) in from_ids.iter().zip(&to_ids).enumerate() {
            rows.insert(&KeyReferenceRow {
                class: class::FOREIGN_KEY,
                depid: id,
                depsubid: ordinal as i32 + 1,
                indepid: *from,
                indepsubid: *to,
                status: 0,
            })?;
        }
        Ok(())
    })?;
    ddl.changed(db.id, table);
    ddl.changed(db.id, target.id);
    if validate && trusted {
        validate_foreign_key(ddl, place, shown, id)?;
    }
    Ok(())
}

/// Until the definition is committed nobody deletes a row that another session's key refers to.
pub fn hold_referenced(ddl: &mut Ddl<'_>, db: &Database, target: i32) -> SqlResult<()> {
    ddl.lock(db, target)
}

/// The referenced table, both sides' column ids, and the key's index that matches.
type CheckedKey = (ObjectRow, Vec<i32>, Vec<i32>, i32);

/// 1787: a cascade does not ask the INSTEAD OF triggers of the rows that it changes.
fn check_instead_of(
    ddl: &mut Ddl<'_>,
    db: &Database,
    key: &str,
    shown: &str,
    table: i32,
    deletes: bool,
    updates: bool,
) -> SqlResult<()> {
    let children = ddl.rows(db, |rows| rows.find::<ObjectRow>(load::BY_PARENT, &[int(table)]))?;
    let in_the_way = children.iter().filter(|child| child.kind.as_str() == "TR").any(|trigger| {
        let has = |bit: i32| trigger.status & bit != 0;
        has(os_::INSTEAD_OF) && (deletes && has(os_::ON_DELETE) || updates && has(os_::ON_UPDATE))
    });
    if !in_the_way {
        return Ok(());
    }
    Err(sql_error!(1787, key, shown))
}

fn check_foreign_key(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    shown: &str,
    table: i32,
    name: &str,
    from: &[String],
    key: &ForeignKey,
) -> SqlResult<CheckedKey> {
    let target_name = written(&key.table);
    let invalid = || sql_error!(1767, name, target_name);
    let (target_db, target) = ddl.find(&key.table)?.ok_or_else(invalid)?;
    if target_db.id != db.id {
        return Err(sql_error!(1763, target_name));
    }
    if target.kind.as_str() != "U" || is_system(&target) {
        return Err(sql_error!(1768, name, target_name));
    }
    if has(target.status, os_::HISTORY) {
        return Err(sql_error!(13565, name));
    }
    if target.id != table {
        references(ddl, db, &target)?;
        hold_referenced(ddl, db, target.id)?;
        if ddl.rows(db, |rows| load::object_row(rows, target.id))?.is_none() {
            return Err(invalid());
        }
        // The two kinds of table look for each other's rows at different times.
        let own = ddl.rows(db, |rows| load::object_row(rows, table))?;
        if own.is_some_and(|own| has(own.status ^ target.status, os_::MEMORY_OPTIMIZED)) {
            return Err(sql_error!(10778));
        }
    }
    let columns = |ddl: &mut Ddl<'_>, id: i32| ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(id), small(0)]));
    let own = columns(ddl, table)?;
    let theirs = columns(ddl, target.id)?;
    let mut from_rows = Vec::new();
    for column in from {
        let row = own.iter().find(|row| db.equal_names(&row.name, column));
        from_rows.push(row.ok_or_else(|| sql_error!(1769, name, column, shown))?);
    }
    for row in from_rows.iter().filter(|row| has(row.status, cs::COMPUTED)) {
        use ReferentialAction::{Cascade, NoAction};
        if is_not_stored(row) {
            return Err(sql_error!(1764, row.name, shown, "FOREIGN KEY CONSTRAINT"));
        }
        if !matches!(key.on_update, None | Some(NoAction)) {
            return Err(sql_error!(1715, name, row.name));
        }
        if !matches!(key.on_delete, None | Some(NoAction | Cascade)) {
            return Err(sql_error!(1765, name, row.name));
        }
    }
    refuse_actions(&from_rows, key, name)?;
    let definition = ddl.reload(db, target.id)?;
    let to_rows = referenced_columns(db, &theirs, &definition, &target_name, name, key)?;
    if to_rows.len() != from_rows.len() {
        return Err(sql_error!(8139, shown));
    }
    for (a, b) in from_rows.iter().zip(&to_rows) {
        same_type(a, b, shown, &target_name, name)?;
    }
    let wanted: Vec<u32> = to_rows.iter().map(|row| row.colid as u32).collect();
    let index = matching_key(&definition, &wanted).ok_or_else(|| sql_error!(1776, target_name, name))?;
    Ok((target, from_rows.iter().map(|row| row.colid).collect(), to_rows.iter().map(|row| row.colid).collect(), index))
}

/// 1761, 1762: what an action would put into a column that takes no NULL.
fn refuse_actions(from: &[&ColumnRow], key: &ForeignKey, name: &str) -> SqlResult<()> {
    let asked = |action: ReferentialAction| key.on_delete == Some(action) || key.on_update == Some(action);
    let mut not_null = from.iter().filter(|row| !has(row.status, cs::NULLABLE));
    if asked(ReferentialAction::SetNull) && not_null.clone().next().is_some() {
        return Err(sql_error!(1761, name));
    }
    if asked(ReferentialAction::SetDefault) && not_null.any(|row| row.dflt == 0) {
        return Err(sql_error!(1762, name));
    }
    Ok(())
}

/// The columns that a foreign key names, or those of the primary key.
fn referenced_columns<'r>(
    db: &Database,
    theirs: &'r [ColumnRow],
    definition: &TableDef,
    target_name: &str,
    name: &str,
    key: &ForeignKey,
) -> SqlResult<Vec<&'r ColumnRow>> {
    let mut to_rows = Vec::new();
    if key.referenced.is_empty() {
        let primary = definition
            .indexes
            .iter()
            .find(|index| index.primary_key)
            .ok_or_else(|| sql_error!(1773, name, target_name))?;
        for (column, _) in &primary.key {
            let id = definition.columns[usize::from(*column)].column_id as i32;
            to_rows.extend(theirs.iter().find(|row| row.colid == id));
        }
    } else {
        for column in &key.referenced {
            let row = theirs.iter().find(|row| db.equal_names(&row.name, column));
            to_rows.push(row.ok_or_else(|| sql_error!(1770, name, &**column, target_name))?);
        }
    }
    Ok(to_rows)
}

/// `a` refers to `b`.
fn same_type(a: &ColumnRow, b: &ColumnRow, shown: &str, target_name: &str, name: &str) -> SqlResult<()> {
    let text = |xtype: u8| matches!(xtype, 35 | 99 | 34 | 241);
    if a.xtype != b.xtype || text(a.xtype) {
        return Err(sql_error!(1778, target_name, b.name, shown, a.name, name));
    }
    let sized = matches!(a.xtype, 167 | 175 | 231 | 239 | 165 | 173 | 106 | 108);
    let differ = a.xtype != 167
        && a.xtype != 231
        && a.xtype != 165
        && sized
        && (a.length, a.prec, a.scale) != (b.length, b.prec, b.scale);
    if differ || a.collation != b.collation {
        return Err(if a.collation == b.collation {
            sql_error!(1753, target_name, b.name, shown, a.name, name)
        } else {
            sql_error!(1757, target_name, b.name, shown, a.name, name)
        });
    }
    Ok(())
}

/// The unique index whose key is exactly these columns, in any order.
fn matching_key(table: &TableDef, wanted: &[u32]) -> Option<i32> {
    let mut wanted = wanted.to_vec();
    wanted.sort_unstable();
    let found = table.indexes.iter().find(|index| {
        let mut key: Vec<u32> =
            index.key.iter().map(|(column, _)| table.columns[usize::from(*column)].column_id).collect();
        key.sort_unstable();
        index.unique && index.filter.is_empty() && !index.disabled && key == wanted
    });
    found.map(|index| index.id as i32)
}

/// 547 unless every row's key is in the referenced table.
pub fn validate_foreign_key(ddl: &mut Ddl<'_>, place: &Place, shown: &str, key: i32) -> SqlResult<()> {
    let db = place.db.clone();
    let (name, target, pairs) = ddl.rows(&db, |rows| {
        let row = load::object_row(rows, key)?.expect("the key being validated");
        let reference = rows
            .first::<ReferenceRow>(0, &[int(key), small(class::FOREIGN_KEY)])?
            .expect("a foreign key refers to a table");
        let pairs = rows.find::<KeyReferenceRow>(0, &[int(key), small(class::FOREIGN_KEY)])?;
        let own = rows.find::<ColumnRow>(0, &[int(row.pid), small(0)])?;
        let theirs = rows.find::<ColumnRow>(0, &[int(reference.indepid), small(0)])?;
        let column = |columns: &[ColumnRow], id: i32| {
            columns.iter().find(|c| c.colid == id).map(|c| c.name.clone()).unwrap_or_default()
        };
        let pairs: Vec<(String, String)> =
            pairs.iter().map(|p| (column(&own, p.indepid), column(&theirs, p.indepsubid))).collect();
        Ok((row.name, reference.indepid, pairs))
    })?;
    let target_row = ddl.rows(&db, |rows| load::object_row(rows, target))?.expect("the referenced table");
    let target_place = place_of(ddl, &db, &target_row)?;
    let not_null: Vec<String> = pairs.iter().map(|(from, _)| format!("f.{} IS NOT NULL", bracket(from))).collect();
    let equal: Vec<String> =
        pairs.iter().map(|(from, to)| format!("t.{} = f.{}", bracket(to), bracket(from))).collect();
    let query = format!(
        "SELECT TOP 1 1 AS a FROM {} AS f WHERE {} AND NOT EXISTS (SELECT 1 FROM {} AS t WHERE {})",
        source(place, shown),
        not_null.join(" AND "),
        source(&target_place, &target_place.name),
        equal.join(" AND ")
    );
    if ddl.any_row(&query)? {
        let column = (pairs.len() == 1).then(|| pairs[0].1.clone());
        let table = format!("{}.{}", target_place.schema_name, target_place.name);
        return Err(conflict("ALTER TABLE", "FOREIGN KEY", &name, &db.name(), &table, column.as_deref()));
    }
    Ok(())
}

/// A constraint without a body: dropped with a message, as scripts in print have it.
pub fn note_missing(ddl: &mut Ddl<'_>, definition: &TableDefinition) {
    let columns = definition.columns.iter().flat_map(|column| &column.constraints);
    let missing: Vec<Named> = columns
        .chain(&definition.constraints)
        .filter(|constraint| matches!(constraint.kind, ConstraintKind::Missing))
        .map(|constraint| constraint.name.as_ref().map(|name| name.to_string()))
        .collect();
    for name in missing {
        let name = name.unwrap_or_default();
        ddl.message(sql_error!(142, severity 0, name));
    }
}
