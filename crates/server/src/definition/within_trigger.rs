//! What a trigger may not define: how the table is built whose change has fired it.
//! https://learn.microsoft.com/sql/t-sql/statements/create-trigger-transact-sql

use sql::ast::{
    AlterTableAction, AlterTableDropKind, ConstraintKind, Dbcc, DropKind, ObjectName, Statement, StatementKind,
};
use sql::catalog::ObjectId;
use types::{SqlResult, sql_error};

use super::dbcc::table_argument;
use super::site::Ddl;

/// 287
pub fn check(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<()> {
    if !ddl.site.session().is_in_trigger() {
        return Ok(());
    }
    match &statement.kind {
        StatementKind::CreateIndex(create) => refuse(ddl, &create.table, "CREATE INDEX"),
        StatementKind::AlterIndex(change) => refuse(ddl, &change.table, "ALTER INDEX"),
        StatementKind::DropIndex(drop) => {
            drop.indexes.iter().try_for_each(|item| refuse(ddl, &item.table, "DROP INDEX"))
        }
        StatementKind::Drop(drop) if drop.kind == DropKind::Table => {
            drop.names.iter().try_for_each(|name| refuse(ddl, name, "DROP TABLE"))
        }
        StatementKind::AlterTable(change) if rebuilds(&change.action) => refuse(ddl, &change.name, "ALTER TABLE"),
        StatementKind::Dbcc(dbcc) if &*dbcc.command == "DBREINDEX" => reindex(ddl, dbcc),
        _ => Ok(()),
    }
}

fn refuse(ddl: &mut Ddl<'_>, table: &ObjectName, verb: &str) -> SqlResult<()> {
    let Some((db, row)) = ddl.find(table)? else { return Ok(()) };
    match ddl.site.session().is_in_trigger_of((db.id, ObjectId(row.id))) {
        true => Err(sql_error!(287, verb)),
        false => Ok(()),
    }
}

fn reindex(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    let Some((db, row)) = table_argument(ddl, dbcc)? else { return Ok(()) };
    match ddl.site.session().is_in_trigger_of((db.id, ObjectId(row.id))) {
        true => Err(sql_error!(287, "DBCC DBREINDEX")),
        false => Ok(()),
    }
}

/// Columns, keys and partitions; other constraints, triggers and options may change.
fn rebuilds(action: &AlterTableAction) -> bool {
    let is_key = |kind: &ConstraintKind| matches!(kind, ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_));
    match action {
        AlterTableAction::Add { definition, .. } => {
            !definition.columns.is_empty() || definition.constraints.iter().any(|own| is_key(&own.kind))
        }
        // A constraint is dropped by its name: which kind it is, only the catalog knows.
        AlterTableAction::Drop(list) => list.iter().any(|own| matches!(own.kind, AlterTableDropKind::Column(_))),
        AlterTableAction::AlterColumn(_) | AlterTableAction::SwitchPartition { .. } => true,
        _ => false,
    }
}
