//! EXECUTE AS of a module: the user that its body acts as.
//! https://learn.microsoft.com/sql/t-sql/statements/execute-as-clause-transact-sql

use std::sync::Arc;

use sql::ast::{ExecuteAsPrincipal, Expr, Literal, ModuleOptions};
use types::{SqlResult, sql_error};

use super::site::{Ddl, cannot_find};
use crate::catalog::Database;
use crate::catalog::base::{OwnerRow, ReferenceRow, class};
use crate::catalog::load::{self, int, small};
use crate::security::actor;
use crate::security::check::Securable;

/// Keeps who the module runs as.
pub fn keep_execute_as(ddl: &mut Ddl<'_>, db: &Arc<Database>, id: i32, options: &ModuleOptions) -> SqlResult<()> {
    ddl.rows(db, |rows| rows.delete::<ReferenceRow>(0, &[int(id), small(class::EXECUTE_AS)]))?;
    let user = match options.execute_as.as_ref().map(|context| &context.principal) {
        None | Some(ExecuteAsPrincipal::Caller) => return Ok(()),
        Some(ExecuteAsPrincipal::Login(_)) => return Err(super::unsupported("EXECUTE AS LOGIN of a module")),
        // Whoever owns it when it runs: the module's status says so.
        Some(ExecuteAsPrincipal::Owner) => {
            let owner = ddl.rights(|_, look| Ok(Securable::object(look, db, id)?.and_then(|object| object.owner)))?;
            return may_run_as(ddl, db, owner.unwrap_or(actor::DBO));
        }
        Some(ExecuteAsPrincipal::SelfUser) => {
            let own = ddl.rights(|rights, look| Ok(rights.user(look, db)?.map(|user| user.id)))?;
            own.unwrap_or(actor::DBO)
        }
        Some(ExecuteAsPrincipal::User(name)) => {
            let Expr::Literal(Literal::String { text: name, .. }) = name else { return Err(sql_error!(102, "@")) };
            let missing = || cannot_find("execute as", "user", name);
            let row = ddl.rows(db, |rows| rows.first::<OwnerRow>(1, &[load::name(name)]))?;
            let row = row.filter(|row| row.kind.as_str() == "S").ok_or_else(missing)?;
            may_run_as(ddl, db, row.id)?;
            row.id
        }
    };
    let row =
        ReferenceRow { class: class::EXECUTE_AS, depid: id, depsubid: 0, indepid: user, indepsubid: 0, status: 0 };
    ddl.rows(db, |rows| rows.insert(&row))
}

/// 15151: one may not act as the user, and so not have a module do so.
fn may_run_as(ddl: &mut Ddl<'_>, db: &Arc<Database>, user: i32) -> SqlResult<()> {
    let row = ddl.rows(db, |rows| rows.first::<OwnerRow>(0, &[int(user)]))?;
    let Some(row) = row else { return Ok(()) };
    let own = ddl.rights(|rights, look| Ok(rights.user(look, db)?.is_some_and(|own| own.id == user)))?;
    match own || ddl.principal_permission(db, &row, "IMPERSONATE")? {
        true => Ok(()),
        false => Err(cannot_find("execute as", "user", &row.name)),
    }
}
