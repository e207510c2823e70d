//! CREATE DEFAULT and CREATE RULE, and what binds them to columns and alias types.
//!
//! A column's default is found by its row; its rule by a reference, and a bit of the row tells that there is one. A column of an alias type
//! takes what is bound to the type when it is made.
//!
//! https://learn.microsoft.com/sql/t-sql/statements/create-rule-transact-sql
//! https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-bindefault-transact-sql

use std::sync::Arc;

use sql::ast::{CreateDefaultOrRule, ObjectName};
use types::{SqlError, SqlResult, sql_error};

use super::site::{Ddl, has};
use crate::catalog::base::{ColumnRow, ObjectRow, ReferenceRow, TypeRow, class, column_status as cs};
use crate::catalog::load::{self, int, name as name_datum, small};
use crate::catalog::{Database, bound};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Default,
    Rule,
}

impl Bound {
    fn kind(self) -> &'static str {
        if self == Bound::Default { "D" } else { "R" }
    }

    fn word(self) -> &'static str {
        if self == Bound::Default { "default" } else { "rule" }
    }
}

pub fn create(ddl: &mut Ddl<'_>, create: &CreateDefaultOrRule) -> SqlResult<()> {
    let text = ddl.text.trim().to_owned();
    sql::bind::check_bound(bound::expression(&text), create.rule).map_err(|e| e.in_procedure(&create.name.name))?;
    // What names columns or does not compute is refused now; whether a rule suits a column shows when it has one.
    let asked = match create.rule {
        true => format!("SELECT CASE WHEN {} THEN 1 END AS a", bound::condition(&text, "NULL")),
        false => format!("SELECT {} AS a", bound::expression(&text)),
    };
    if let Err(error) = ddl.site.describe(&asked)
        && (!create.rule || matches!(error.number, 137 | 195 | 207 | 208 | 4104 | 4121))
    {
        return Err(error);
    }
    let place = ddl.place(&create.name)?;
    let kind = if create.rule { Bound::Rule } else { Bound::Default };
    let id = ddl.add_object(&place, kind.kind(), 0, 0, 0)?;
    ddl.add_text(&place.db, id, &text)
}

/// 3716: a column or a type has it.
pub fn check_unbound(ddl: &mut Ddl<'_>, db: &Arc<Database>, row: &ObjectRow, shown: &str) -> SqlResult<()> {
    let kind = match row.kind.as_str() {
        "D" => Bound::Default,
        "R" => Bound::Rule,
        _ => return Ok(()),
    };
    let columns = match kind {
        Bound::Default => ddl.rows(db, |rows| rows.all::<ColumnRow>())?.iter().any(|column| column.dflt == row.id),
        Bound::Rule => {
            let of = [int(row.id), small(class::RULE)];
            ddl.rows(db, |rows| rows.first::<ReferenceRow>(1, &of))?.is_some()
        }
    };
    if columns {
        return Err(sql_error!(3716, kind.word(), shown, "column"));
    }
    let types = ddl.rows(db, |rows| rows.all::<TypeRow>())?;
    let has_it = |own: &TypeRow| if kind == Bound::Default { own.dflt } else { own.chk } == row.id;
    if types.iter().any(has_it) { Err(sql_error!(3716, kind.word(), shown, "data type")) } else { Ok(()) }
}

/// What a new column has of its alias type.
pub fn inherit(ddl: &mut Ddl<'_>, db: &Database, row: &mut ColumnRow) -> SqlResult<()> {
    if row.utype <= i32::from(u8::MAX) || row.number != 0 {
        return Ok(());
    }
    let Some(own) = ddl.rows(db, |rows| rows.first::<TypeRow>(0, &[int(row.utype)]))? else { return Ok(()) };
    if !has(row.status, cs::IDENTITY | cs::COMPUTED) {
        row.dflt = own.dflt;
    }
    if own.chk != 0 {
        row.status |= cs::HAS_RULE;
        refer(ddl, db, row, own.chk)?;
    }
    Ok(())
}

fn refer(ddl: &mut Ddl<'_>, db: &Database, column: &ColumnRow, rule: i32) -> SqlResult<()> {
    let row = ReferenceRow {
        class: class::RULE,
        depid: column.id,
        depsubid: column.colid,
        indepid: rule,
        indepsubid: 0,
        status: 0,
    };
    ddl.rows(db, |rows| {
        rows.delete::<ReferenceRow>(0, &[int(column.id), small(class::RULE), int(column.colid)])?;
        rows.insert(&row)
    })
}

/// A column that goes takes its rule's reference with it.
pub fn forget(ddl: &mut Ddl<'_>, db: &Database, column: &ColumnRow) -> SqlResult<()> {
    if !has(column.status, cs::HAS_RULE) {
        return Ok(());
    }
    ddl.rows(db, |rows| rows.delete::<ReferenceRow>(0, &[int(column.id), small(class::RULE), int(column.colid)]))?;
    Ok(())
}

/// What something is bound to.
enum Holder {
    Column(Arc<Database>, ColumnRow),
    Type(Arc<Database>, TypeRow),
}

/// 15148: no such column or type, or none that the session may alter.
fn no_holder(name: &str) -> SqlError {
    sql_error!(15148, name)
}

fn holder(ddl: &mut Ddl<'_>, shown: &str) -> SqlResult<Holder> {
    let missing = || no_holder(shown);
    let name = sql::catalog::ObjectName::from_text(shown).ok_or_else(missing)?;
    let Some(table) = name.schema.clone() else {
        let db = ddl.current()?;
        let types = ddl.rows(&db, |rows| rows.all::<TypeRow>())?;
        let own = |row: &&TypeRow| row.id > 256 && row.status & 2 == 0 && db.equal_names(&row.name, &name.name);
        let row = types.iter().find(own).cloned().ok_or_else(missing)?;
        if !ddl.database_permission(&db, "ALTER")? {
            return Err(missing());
        }
        return Ok(Holder::Type(db, row));
    };
    let of = sql::catalog::ObjectName { name: table, schema: name.database, database: None, server: None };
    let (db, row) = ddl.find(&ObjectName::from(of))?.ok_or_else(missing)?;
    if row.kind.as_str() != "U" || !ddl.object_permission(&db, &row, "ALTER")? {
        return Err(missing());
    }
    let columns = ddl.rows(&db, |rows| rows.find::<ColumnRow>(0, &[int(row.id), small(0)]))?;
    let column = columns.into_iter().find(|column| db.equal_names(&column.name, &name.name)).ok_or_else(missing)?;
    Ok(Holder::Column(db, column))
}

/// Whether its default is an object of its own.
fn is_bound(ddl: &mut Ddl<'_>, db: &Database, column: &ColumnRow) -> SqlResult<bool> {
    let row = ddl.rows(db, |rows| load::object_row(rows, column.dflt))?;
    Ok(row.is_some_and(|row| row.pid == 0))
}

fn set_default(ddl: &mut Ddl<'_>, db: &Database, column: &ColumnRow, id: i32) -> SqlResult<()> {
    let key = [int(column.id), small(0), int(column.colid)];
    ddl.rows(db, |rows| rows.update::<ColumnRow>(0, &key, |row| row.dflt = id))?;
    ddl.changed(db.id, column.id);
    Ok(())
}

/// 0: none.
fn set_rule(ddl: &mut Ddl<'_>, db: &Database, column: &ColumnRow, id: i32) -> SqlResult<()> {
    if id == 0 {
        forget(ddl, db, column)?;
    } else {
        refer(ddl, db, column, id)?;
    }
    let key = [int(column.id), small(0), int(column.colid)];
    ddl.rows(db, |rows| {
        rows.update::<ColumnRow>(0, &key, |row| {
            row.status = if id == 0 { row.status & !cs::HAS_RULE } else { row.status | cs::HAS_RULE };
        })
    })?;
    ddl.changed(db.id, column.id);
    Ok(())
}

fn rule_of(ddl: &mut Ddl<'_>, db: &Database, column: &ColumnRow) -> SqlResult<i32> {
    let key = [int(column.id), small(class::RULE), int(column.colid)];
    Ok(ddl.rows(db, |rows| rows.first::<ReferenceRow>(0, &key))?.map_or(0, |row| row.indepid))
}

/// Columns of tables that are of the type.
fn columns_of_type(ddl: &mut Ddl<'_>, db: &Database, own: &TypeRow) -> SqlResult<Vec<ColumnRow>> {
    let columns = ddl.rows(db, |rows| rows.all::<ColumnRow>())?;
    let mut found = Vec::new();
    for column in columns.into_iter().filter(|column| column.utype == own.id && column.number == 0) {
        let table = ddl.rows(db, |rows| load::object_row(rows, column.id))?;
        if table.is_some_and(|table| table.kind.as_str() == "U") {
            found.push(column);
        }
    }
    Ok(found)
}

/// sp_bindefault, sp_bindrule. What is said in the end.
pub fn bind(ddl: &mut Ddl<'_>, kind: Bound, name: &str, to: &str, future_only: bool) -> SqlResult<Vec<SqlError>> {
    let missing = || if kind == Bound::Default { sql_error!(15016, name) } else { sql_error!(15017, name) };
    let object = sql::catalog::ObjectName::from_text(name).ok_or_else(missing)?;
    let (_, object) = ddl.find(&ObjectName::from(object))?.ok_or_else(missing)?;
    if object.kind.as_str() != kind.kind() || object.pid != 0 {
        return Err(missing());
    }
    match holder(ddl, to)? {
        Holder::Column(db, column) => {
            let ty = crate::catalog::scalar_type::sql_type(
                column.xtype,
                column.utype,
                column.length,
                column.prec,
                column.scale,
                None,
            );
            let long =
                ty.is_some_and(|ty| ty.is_max() || matches!(ty.kind, types::TypeKind::Text | types::TypeKind::NText));
            let computed = has(column.status, cs::COMPUTED) || column.xtype == 189;
            if kind == Bound::Rule {
                if computed || long || matches!(column.xtype, 34 | 241) {
                    return Err(sql_error!(15107));
                }
                set_rule(ddl, &db, &column, object.id)?;
                return Ok(vec![sql_error!(15514)]);
            }
            if computed {
                return Err(sql_error!(15101));
            }
            if has(column.status, cs::IDENTITY) {
                return Err(sql_error!(15102));
            }
            if column.dflt != 0 && !is_bound(ddl, &db, &column)? {
                return Err(sql_error!(15103));
            }
            set_default(ddl, &db, &column, object.id)?;
            Ok(vec![sql_error!(15511)])
        }
        Holder::Type(db, own) => {
            let before = if kind == Bound::Default { own.dflt } else { own.chk };
            set_of_type(ddl, &db, &own, kind, object.id)?;
            let mut said = vec![if kind == Bound::Default { sql_error!(15512) } else { sql_error!(15515) }];
            if future_only {
                return Ok(said);
            }
            for column in columns_of_type(ddl, &db, &own)? {
                // What a column itself has stays.
                if kind == Bound::Default && (column.dflt == 0 || column.dflt == before) {
                    set_default(ddl, &db, &column, object.id)?;
                } else if kind == Bound::Rule {
                    let rule = rule_of(ddl, &db, &column)?;
                    if rule == 0 || rule == before {
                        set_rule(ddl, &db, &column, object.id)?;
                    }
                }
            }
            said.push(if kind == Bound::Default { sql_error!(15513) } else { sql_error!(15516) });
            Ok(said)
        }
    }
}

fn set_of_type(ddl: &mut Ddl<'_>, db: &Database, own: &TypeRow, kind: Bound, id: i32) -> SqlResult<()> {
    let key = [int(own.schid), name_datum(&own.name)];
    ddl.rows(db, |rows| {
        rows.update::<TypeRow>(1, &key, |row| {
            *(if kind == Bound::Default { &mut row.dflt } else { &mut row.chk }) = id;
        })
    })?;
    ddl.changed(db.id, 0);
    Ok(())
}

/// sp_unbindefault, sp_unbindrule.
pub fn unbind(ddl: &mut Ddl<'_>, kind: Bound, from: &str, future_only: bool) -> SqlResult<Vec<SqlError>> {
    match holder(ddl, from)? {
        Holder::Column(db, column) if kind == Bound::Default => {
            if column.dflt == 0 {
                return Err(sql_error!(15236, from));
            }
            if !is_bound(ddl, &db, &column)? {
                return Err(sql_error!(15049, from));
            }
            set_default(ddl, &db, &column, 0)?;
            Ok(vec![sql_error!(15519)])
        }
        Holder::Column(db, column) => {
            if !has(column.status, cs::HAS_RULE) {
                return Err(sql_error!(15238, from));
            }
            set_rule(ddl, &db, &column, 0)?;
            Ok(vec![sql_error!(15522)])
        }
        Holder::Type(db, own) => {
            let before = if kind == Bound::Default { own.dflt } else { own.chk };
            if before == 0 {
                return Err(if kind == Bound::Default { sql_error!(15237, from) } else { sql_error!(15239, from) });
            }
            set_of_type(ddl, &db, &own, kind, 0)?;
            let mut said = vec![if kind == Bound::Default { sql_error!(15520) } else { sql_error!(15523) }];
            if future_only {
                return Ok(said);
            }
            for column in columns_of_type(ddl, &db, &own)? {
                if kind == Bound::Default && column.dflt == before {
                    set_default(ddl, &db, &column, 0)?;
                } else if kind == Bound::Rule && rule_of(ddl, &db, &column)? == before {
                    set_rule(ddl, &db, &column, 0)?;
                }
            }
            said.push(if kind == Bound::Default { sql_error!(15521) } else { sql_error!(15524) });
            Ok(said)
        }
    }
}
