//! What stands in the way of a column's change: the keys, constraints and modules that use it.

use std::sync::Arc;

use types::{SqlError, SqlResult, sql_error};

use super::schema_binding;
use super::site::{Ddl, has};
use super::text::bracket;
use crate::catalog::base::{
    ColumnRow, IndexColumnRow, IndexRow, KeyReferenceRow, ObjectRow, ReferenceRow, class, column_status as cs,
    index_status as ix,
};
use crate::catalog::load::{self, BY_PARENT, int, small};
use crate::catalog::partition::PARTITIONING;
use crate::catalog::{Database, TEMPDB};

#[derive(Clone, Copy, PartialEq)]
enum Use {
    /// Of a schema-bound module, or of a foreign key.
    Whole,
    Default,
    Check,
    Computed,
    Filter,
    Key {
        primary: bool,
    },
    Statistics,
}

struct User {
    of: Use,
    /// As 5074 names it.
    kind: &'static str,
    name: String,
}

impl User {
    fn object(of: Use, name: String) -> User {
        User { of, kind: "object", name }
    }

    /// https://learn.microsoft.com/sql/t-sql/statements/alter-table-transact-sql#alter-column
    fn stands_against(&self, old: &ColumnRow, new: &ColumnRow) -> bool {
        let same_type = (old.xtype, &old.collation) == (new.xtype, &new.collation);
        let same_size = (old.prec, old.scale) == (new.prec, new.scale);
        // A value without a limit lies elsewhere.
        let longer = old.length == new.length || old.length >= 0 && new.length > old.length;
        let nullable = |row: &ColumnRow| has(row.status, cs::NULLABLE);
        match self.of {
            Use::Default => old.xtype != new.xtype || (old.length == -1) != (new.length == -1),
            Use::Check => !same_type || (old.length == -1) != (new.length == -1),
            Use::Computed | Use::Filter => true,
            Use::Key { primary } => {
                !(same_type && same_size && longer) || nullable(old) && !nullable(new) || primary && nullable(new)
            }
            Use::Statistics => !(same_type && same_size && old.length == new.length),
            Use::Whole => !(same_type && same_size && (longer || new.length == -1)),
        }
    }
}

/// In the order in which 5074 lists them.
fn users_of_column(ddl: &mut Ddl<'_>, db: &Arc<Database>, table: i32, column: &ColumnRow) -> SqlResult<Vec<User>> {
    let bracketed = bracket(&column.name).to_lowercase();
    let modules = schema_binding::users_of_column(ddl, db, table, column.colid)?;
    ddl.rows(db, |rows| {
        let mentions = |text: &str| text.to_lowercase().contains(&bracketed);
        let mut users: Vec<User> = modules.into_iter().map(|module| User::object(Use::Whole, module)).collect();
        // A default or rule of its own is bound to the column.
        let rule = rows.first::<ReferenceRow>(0, &[int(table), small(class::RULE), int(column.colid)])?;
        for (of, bound) in [(Use::Default, Some(column.dflt)), (Use::Check, rule.map(|rule| rule.indepid))] {
            if let Some(object) = bound.map(|bound| load::object_row(rows, bound)).transpose()?.flatten()
                && object.pid == 0
            {
                users.push(User::object(of, object.name));
            }
        }
        let (mut checks, mut foreign) = (Vec::new(), Vec::new());
        for child in rows.find::<ObjectRow>(BY_PARENT, &[int(table)])? {
            match child.kind.as_str() {
                "D" if child.intprop == column.colid => users.push(User::object(Use::Default, child.name)),
                "C" if load::text_of(rows, child.id)?.is_some_and(|text| mentions(&text)) => {
                    checks.push(User::object(Use::Check, child.name));
                }
                "F" => {
                    let pairs = rows.find::<KeyReferenceRow>(0, &[int(child.id), small(class::FOREIGN_KEY)])?;
                    if pairs.iter().any(|pair| pair.indepid == column.colid) {
                        foreign.push(User::object(Use::Whole, child.name));
                    }
                }
                _ => {}
            }
        }
        for reference in rows.find::<ReferenceRow>(1, &[int(table), small(class::FOREIGN_KEY)])? {
            let pairs = rows.find::<KeyReferenceRow>(0, &[int(reference.depid), small(class::FOREIGN_KEY)])?;
            if pairs.iter().any(|pair| pair.indepsubid == column.colid)
                && let Some(key) = load::object_row(rows, reference.depid)?
            {
                foreign.push(User::object(Use::Whole, key.name));
            }
        }
        for other in rows.find::<ColumnRow>(0, &[int(table), small(0)])? {
            let computed = other.definition.0.as_deref().filter(|_| has(other.status, cs::COMPUTED));
            if computed.is_some_and(mentions) && other.colid != column.colid {
                users.push(User { of: Use::Computed, kind: "column", name: other.name });
            }
        }
        let (mut keys, mut divides_table) = (Vec::new(), false);
        let in_index = rows.find::<IndexColumnRow>(0, &[int(table)])?;
        for index in rows.find::<IndexRow>(0, &[int(table)])? {
            let own = in_index.iter().find(|c| c.indid == index.indid && c.colid == column.colid);
            let is_divided = own.is_some_and(|own| own.status & PARTITIONING != 0);
            if is_divided && index.indid <= 1 {
                divides_table = true;
                // The table itself lies by this column.
                let name = load::object_row(rows, table)?.map(|row| row.name).unwrap_or_default();
                if !keys.iter().any(|user: &User| user.of == Use::Whole) {
                    keys.push(User::object(Use::Whole, name));
                }
            }
            let statistics = has(index.status, ix::STATISTICS) && index.kind != load::SPATIAL_INDEX;
            let kind = match (index.constraint_id != 0, statistics) {
                (true, _) => "object",
                (_, true) => "statistics",
                _ => "index",
            };
            let name = index.name.unwrap_or_default();
            if index.kind != load::SPATIAL_INDEX && index.filter.0.as_deref().is_some_and(mentions) {
                users.push(User { of: Use::Filter, kind, name: name.clone() });
            }
            let is_part = own.is_some_and(|own| own.keyord > 0 || own.status & !PARTITIONING != 0);
            if is_part || is_divided && !divides_table {
                let primary = has(index.status, ix::PRIMARY_KEY);
                let of = if statistics { Use::Statistics } else { Use::Key { primary } };
                keys.push(User { of, kind, name });
            }
        }
        users.extend(checks.into_iter().chain(keys).chain(foreign));
        Ok(users)
    })
}

pub fn refuse_drop(ddl: &mut Ddl<'_>, db: &Arc<Database>, table: i32, column: &ColumnRow) -> SqlResult<()> {
    refuse("DROP", column, users_of_column(ddl, db, table, column)?)
}

/// ALTER COLUMN with another type or nullability.
pub fn refuse_change(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    table: i32,
    old: &ColumnRow,
    new: &ColumnRow,
) -> SqlResult<()> {
    let mut users = users_of_column(ddl, db, table, old)?;
    users.retain(|user| user.stands_against(old, new));
    refuse("ALTER", old, users)
}

/// 15247: masks are changed by who may change any. 4922: what depends on the column was made with the mask that it had.
/// https://learn.microsoft.com/sql/relational-databases/security/dynamic-data-masking
pub fn refuse_mask(ddl: &mut Ddl<'_>, db: &Arc<Database>, table: i32, column: &ColumnRow) -> SqlResult<()> {
    if db.id != TEMPDB && !ddl.database_permission(db, "ALTER ANY MASK")? {
        return Err(sql_error!(15247, state 5));
    }
    let mut users = users_of_column(ddl, db, table, column)?;
    users.retain(|user| !matches!(user.of, Use::Default | Use::Statistics));
    refuse("ALTER", column, users)
}

/// 4922, behind a 5074 for each object that uses the column.
fn refuse(action: &str, column: &ColumnRow, users: Vec<User>) -> SqlResult<()> {
    if users.is_empty() {
        return Ok(());
    }
    let used: Vec<SqlError> =
        users.into_iter().map(|user| sql_error!(5074, user.kind, user.name, "column", column.name)).collect();
    let what = format_args!("TABLE {action} COLUMN {}", column.name);
    Err(sql_error!(4922, state 9, "ALTER", what).after(used))
}
