//! What a transaction under SNAPSHOT may not define once it has begun: definitions have no versions.
//! https://learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-3961-database-engine-error lists the statements.

use sql::ast::{Statement, StatementKind};
use sql::plan::IsolationLevel;
use types::{SqlResult, sql_error};

use super::site::Ddl;

/// 3964
pub fn check(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<()> {
    let options = &ddl.site.session().options;
    // "An implicit transaction, by definition, is a single statement", and may define.
    let is_explicit = ddl.site.in_user_transaction() && !options.implicit_transactions;
    if !is_explicit || options.isolation != IsolationLevel::Snapshot {
        return Ok(());
    }
    let refused = match &statement.kind {
        StatementKind::AlterTable(_)
        | StatementKind::CreateIndex(_)
        | StatementKind::AlterIndex(_)
        | StatementKind::DropIndex(_)
        | StatementKind::AlterPartitionFunction(_)
        | StatementKind::AlterPartitionScheme(_) => true,
        StatementKind::Dbcc(dbcc) => &*dbcc.command == "DBREINDEX",
        _ => false,
    };
    if refused { Err(sql_error!(3964)) } else { Ok(()) }
}
